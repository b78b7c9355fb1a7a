-- The programs of classic_programs.py in Lua 5.4, as people write them there: lists begin at 1. For LuaJIT, classic.py
-- rewrites the operators that it does not have; their operands are names, numbers or simple brackets.
local programs = {}
local floor, byte, sub, concat, min, max, abs, remove = math.floor, string.byte, string.sub, table.concat, math.min, math.max,
  math.abs, table.remove

local function whole(x)
  local n = floor(abs(x))
  return x < 0 and -n or n
end

local function filled(n, value)
  local list = {}
  for i = 1, n do list[i] = value end
  return list
end

function programs.NBody(n)
  local xs, ys, zs = { 0.0, 4.84, 8.34, 12.89, 15.37 }, { 0.0, -1.16, 4.12, -15.11, -25.9 }, { 0.0, -0.1, -0.4, -0.22, 0.17 }
  local us, vs, ws = { 0.0, 0.6, -1.01, 1.08, 0.97 }, { 0.0, 2.81, 1.82, 0.86, 0.59 }, { 0.0, -0.02, 0.008, -0.01, -0.03 }
  local masses = { 39.47, 0.037, 0.011, 0.0017, 0.002 }
  for _ = 1, n do
    for i = 1, 5 do
      for j = i + 1, 5 do
        local dx, dy, dz = xs[i] - xs[j], ys[i] - ys[j], zs[i] - zs[j]
        local d2 = dx * dx + dy * dy + dz * dz
        local mag = 0.01 / (d2 * d2 ^ 0.5)
        us[i] = us[i] - dx * masses[j] * mag
        vs[i] = vs[i] - dy * masses[j] * mag
        ws[i] = ws[i] - dz * masses[j] * mag
        us[j] = us[j] + dx * masses[i] * mag
        vs[j] = vs[j] + dy * masses[i] * mag
        ws[j] = ws[j] + dz * masses[i] * mag
      end
    end
    for i = 1, 5 do
      xs[i] = xs[i] + 0.01 * us[i]
      ys[i] = ys[i] + 0.01 * vs[i]
      zs[i] = zs[i] + 0.01 * ws[i]
    end
  end
  return whole(xs[2] * 1000.0) + whole(ys[4] * 1000.0)
end

function programs.SpectralNorm(n)
  local function element(i, j)
    local product = (i + j) * (i + j + 1)
    return 1.0 / (product // 2 + i + 1)
  end
  local function product(v, transposed)
    local result = {}
    for i = 1, #v do
      local total = 0.0
      for j = 1, #v do
        if transposed then
          total = total + element(j - 1, i - 1) * v[j]
        else
          total = total + element(i - 1, j - 1) * v[j]
        end
      end
      result[#result + 1] = total
    end
    return result
  end
  local u, v = filled(n, 1.0), filled(n, 0.0)
  for _ = 1, 2 do
    v = product(product(u, false), true)
    u = product(product(v, false), true)
  end
  local above, below = 0.0, 0.0
  for i = 1, n do
    above = above + u[i] * v[i]
    below = below + v[i] * v[i]
  end
  return whole(above / below * 1000000.0)
end

function programs.Sieve(n)
  local is_prime, count = filled(n, true), 0
  for i = 2, n - 1 do
    if is_prime[i] then
      count = count + 1
      for k = i * i, n - 1, i do is_prime[k] = false end
    end
  end
  return count
end

function programs.Queens(n)
  local columns, solutions, row = filled(n, 0), 0, 1
  columns[1] = -1
  while row >= 1 do
    columns[row] = columns[row] + 1
    if columns[row] >= n then
      row = row - 1
    else
      local fits = true
      for above = 1, row - 1 do
        local distance = columns[row] - columns[above]
        if distance == 0 or abs(distance) == row - above then
          fits = false
          break
        end
      end
      if fits then
        if row == n then
          solutions = solutions + 1
        else
          row = row + 1
          columns[row] = -1
        end
      end
    end
  end
  return solutions
end

function programs.QuickSort(n)
  local seed, a = 42, {}
  for _ = 1, n do
    seed = (seed * 1103515 + 12345) % 2147483648
    a[#a + 1] = seed % 100000
  end
  local stack = { 1, n }
  while #stack > 0 do
    local high = remove(stack)
    local low = remove(stack)
    local pivot = a[(low + high) // 2]
    local i, j = low, high
    while i <= j do
      while a[i] < pivot do i = i + 1 end
      while a[j] > pivot do j = j - 1 end
      if i <= j then
        a[i], a[j] = a[j], a[i]
        i, j = i + 1, j - 1
      end
    end
    if low < j then
      stack[#stack + 1] = low
      stack[#stack + 1] = j
    end
    if i < high then
      stack[#stack + 1] = i
      stack[#stack + 1] = high
    end
  end
  return a[n // 2 + 1] + a[1]
end

function programs.InsertionSort(n)
  local seed, a = 7, {}
  for _ = 1, n do
    seed = (seed * 16807) % 2147483647
    a[#a + 1] = (seed % 10000) * 0.5
  end
  for i = 2, n do
    local x, j = a[i], i - 1
    while j >= 1 and a[j] > x do
      a[j + 1] = a[j]
      j = j - 1
    end
    a[j + 1] = x
  end
  return whole(a[1] + a[n // 2 + 1])
end

function programs.MergeSort(n)
  local seed, a, b = 99, {}, filled(n, 0)
  for _ = 1, n do
    seed = (seed * 16807) % 2147483647
    a[#a + 1] = seed
  end
  local width = 1
  while width < n do
    for low = 1, n, 2 * width do
      local middle, high = min(low + width, n + 1), min(low + 2 * width, n + 1)
      local i, j = low, middle
      for k = low, high - 1 do
        if i < middle and (j >= high or a[i] <= a[j]) then
          b[k] = a[i]
          i = i + 1
        else
          b[k] = a[j]
          j = j + 1
        end
      end
    end
    a, b = b, a
    width = width * 2
  end
  return a[1] + a[n // 2 + 1]
end

function programs.EditDistance(n)
  local first, second, total = "kittensittingonamat", "sittingkittenswithhats", 0
  for turn = 0, n - 1 do
    local previous = {}
    for j = 0, #second do previous[#previous + 1] = j end
    for i = 1, #first do
      local current = { i }
      for j = 1, #second do
        local cost = 1
        if sub(first, i, i) == sub(second, j, j) then cost = 0 end
        current[#current + 1] = min(min(current[j] + 1, previous[j + 1] + 1), previous[j] + cost)
      end
      previous = current
    end
    total = total + previous[#previous] + turn % 2
  end
  return total
end

function programs.NestedMatrices(n)
  local a, b = {}, {}
  for i = 0, n - 1 do
    local row, other = {}, {}
    for j = 0, n - 1 do
      row[#row + 1] = (i + j) % 7 + 0.0
      other[#other + 1] = (i * j) % 5 + 0.0
    end
    a[#a + 1] = row
    b[#b + 1] = other
  end
  local trace = 0.0
  for i = 1, n do
    for j = 1, n do
      local total = 0.0
      for k = 1, n do total = total + a[i][k] * b[k][j] end
      if i == j then trace = trace + total end
    end
  end
  return whole(trace)
end

function programs.ShortestPaths(n)
  local distances = filled(n * n, 1000000000)
  distances[1] = 0
  local heap = { { 0, 0 } }
  while #heap > 0 do
    local best, at = heap[1][1], heap[1][2]
    local last = remove(heap)
    local size = #heap
    if size > 0 then
      local i = 1
      while 2 * i <= size do
        local child = 2 * i
        if child < size and heap[child + 1][1] < heap[child][1] then child = child + 1 end
        if heap[child][1] >= last[1] then break end
        heap[i] = heap[child]
        i = child
      end
      heap[i] = last
    end
    if best <= distances[at + 1] then
      local x, y = at % n, at // n
      for side = 0, 3 do
        local to_x, to_y = x, y
        if side == 0 then
          to_x = to_x + 1
        elseif side == 1 then
          to_x = to_x - 1
        elseif side == 2 then
          to_y = to_y + 1
        else
          to_y = to_y - 1
        end
        if not (to_x < 0 or to_x >= n or to_y < 0 or to_y >= n) then
          local to = to_y * n + to_x
          local length = best + 1 + (to_x * 7 + to_y * 13) % 10
          if length < distances[to + 1] then
            distances[to + 1] = length
            heap[#heap + 1] = { length, to }
            local i = #heap
            while i > 1 and heap[i // 2][1] > length do
              heap[i] = heap[i // 2]
              i = i // 2
            end
            heap[i] = { length, to }
          end
        end
      end
    end
  end
  return distances[n * n]
end

function programs.WordCount(n)
  local text = "the quick brown fox jumps over the lazy dog and the other fox sees the dog jump "
  local counts, size = {}, 0
  for _ = 1, n do
    for word in string.gmatch(text, "%S+") do
      if counts[word] then
        counts[word] = counts[word] + 1
      else
        counts[word] = 1
        size = size + 1
      end
    end
  end
  return counts["the"] * 100 + size
end

function programs.TextScan(n)
  local text = "In 1969, 2 men walked on the Moon; 12 did by 1972 (of 24 who flew)."
  local letters, digits, words, number = 0, 0, 0, 0
  for _ = 1, n do
    local inside = false
    for i = 1, #text do
      local c = sub(text, i, i)
      if c >= "0" and c <= "9" then
        digits = digits + 1
        number = (number * 10 + byte(c) - byte("0")) % 1000007
      elseif (c >= "a" and c <= "z") or (c >= "A" and c <= "Z") then
        letters = letters + 1
      end
      if c == " " then
        inside = false
      elseif not inside then
        inside = true
        words = words + 1
      end
    end
  end
  return letters + digits * 10 + words * 100 + number
end

function programs.ShiftHash(n)
  local h = 17
  for i = 0, n - 1 do
    local spread, low = h << 5, i & 255
    local mixed = (spread + h) ~ low
    h = mixed & 67108863
    local high = h >> 7
    h = h ~ high
  end
  return h
end

function programs.BeamSearch(n)
  local beams = { { 0, 1 } }
  for step = 0, n - 1 do
    local candidates = {}
    for _, beam in ipairs(beams) do
      local score, state = beam[1], beam[2]
      for symbol = 0, 3 do
        local gain = (state * 31 + symbol * 17 + step) % 23
        candidates[#candidates + 1] = { score + gain, (state * 4 + symbol) % 1009 }
      end
    end
    beams = {}
    for _ = 1, min(5, #candidates) do
      local best = 1
      for k = 2, #candidates do
        if candidates[k][1] > candidates[best][1] then best = k end
      end
      beams[#beams + 1] = candidates[best]
      candidates[best] = { -1, 0 }
    end
  end
  return beams[1][1] + beams[1][2]
end

local Vector = {}
Vector.__index = Vector
local function vector(x, y) return setmetatable({ x = x, y = y }, Vector) end
function Vector:plus(other) return vector(self.x + other.x, self.y + other.y) end
function Vector:scaled(k) return vector(self.x * k, self.y * k) end
function Vector:length() return self.x * self.x + self.y * self.y end

function programs.SmallClasses(n)
  local position, speed = vector(0.0, 0.0), vector(1.0, 0.5)
  for _ = 1, n do
    position = position:plus(speed:scaled(0.01))
    if position:length() > 100.0 then speed = speed:scaled(-1.0) end
  end
  return whole(position.x * 1000.0)
end

local Account = {}
Account.__index = Account
function Account:deposit(amount)
  self.balance = self.balance + amount
  self.moves = self.moves + 1
end

function programs.Accounts(n)
  local accounts = {}
  for i = 0, 15 do accounts[#accounts + 1] = setmetatable({ balance = i, moves = 0 }, Account) end
  for i = 0, n - 1 do
    local source, target = accounts[i % 16 + 1], accounts[(i * 7 + 3) % 16 + 1]
    if source.balance > 0 then
      local balance = source.balance
      local amount = balance // 2 + 1
      source:deposit(-amount)
      target:deposit(amount)
    end
  end
  local total = 0
  for _, account in ipairs(accounts) do total = total + account.balance * account.moves end
  return total
end

function programs.Fannkuch(n)
  local p, q, s, sign, most, checksum = {}, {}, {}, 1, 0, 0
  for i = 1, n do
    p[i], q[i], s[i] = i, 0, i
  end
  while true do
    local first = p[1]
    if first ~= 1 then
      for i = 2, n do q[i] = p[i] end
      local flips = 1
      while true do
        local other = q[first]
        if other == 1 then
          if flips > most then most = flips end
          checksum = checksum + sign * flips
          break
        end
        q[first] = first
        if first >= 4 then
          local i, j = 2, first - 1
          while i < j do
            q[i], q[j] = q[j], q[i]
            i, j = i + 1, j - 1
          end
        end
        first = other
        flips = flips + 1
      end
    end
    if sign == 1 then
      p[1], p[2] = p[2], p[1]
      sign = -1
    else
      p[2], p[3] = p[3], p[2]
      sign = 1
      for i = 3, n do
        if s[i] ~= 1 then
          s[i] = s[i] - 1
          break
        end
        if i == n then return checksum * 100 + most end
        s[i] = i
        local head = p[1]
        for j = 1, i do p[j] = p[j + 1] end
        p[i + 1] = head
      end
    end
  end
end

function programs.Mandelbrot(n)
  local inside = 0
  for py = 0, n - 1 do
    for px = 0, n - 1 do
      local cr, ci = 2.0 * px / n - 1.5, 2.0 * py / n - 1.0
      local zr, zi, stays = 0.0, 0.0, true
      for _ = 1, 50 do
        local r2, i2 = zr * zr, zi * zi
        if r2 + i2 > 4.0 then
          stays = false
          break
        end
        zi = 2.0 * zr * zi + ci
        zr = r2 - i2 + cr
      end
      if stays then inside = inside + 1 end
    end
  end
  return inside
end

function programs.LongestCollatz(n)
  local lengths, best, longest = filled(n, 0), 1, 1
  lengths[1] = 1
  for start = 2, n - 1 do
    local x, steps = start, 0
    while x >= start do
      if x % 2 == 0 then x = x // 2 else x = 3 * x + 1 end
      steps = steps + 1
    end
    lengths[start] = steps + lengths[x]
    if lengths[start] > longest then
      longest = lengths[start]
      best = start
    end
  end
  return best
end

function programs.StringBuilding(n)
  local total = 0
  for i = 0, n - 1 do
    local parts = {}
    for j = 0, 7 do parts[#parts + 1] = "v" .. tostring(i % 100 + j) end
    local line = concat(parts, ",")
    total = total + #line
    if string.find(line, "v50,", 1, true) then total = total + 1 end
  end
  return total
end

function programs.Cache(n)
  local entries, size, hits, seed = {}, 0, 0, 5
  for now = 0, n - 1 do
    seed = (seed * 16807) % 2147483647
    local key = seed % 24
    local entry = entries[key]
    if entry then
      hits = hits + 1
      entries[key] = { entry[1], now }
    else
      if size >= 16 then
        local oldest, age = -1, now
        for k = 0, 23 do
          if entries[k] then
            local used = entries[k][2]
            if used < age then
              age = used
              oldest = k
            end
          end
        end
        entries[oldest] = nil
        size = size - 1
      end
      entries[key] = { key * key, now }
      size = size + 1
    end
  end
  return hits
end

function programs.Bigrams(n)
  local text, counts = "abracadabra simsalabim hocus pocus fidibus", {}
  for _ = 1, n do
    for i = 1, #text - 1 do
      local pair = sub(text, i, i + 1)
      counts[pair] = (counts[pair] or 0) + 1
    end
  end
  local best, size = 0, 0
  for _, count in pairs(counts) do
    size = size + 1
    if count > best then best = count end
  end
  return best * 1000 + size
end

function programs.Knapsack(n)
  local capacity = 1000
  local best = filled(capacity + 1, 0)
  for item = 0, n - 1 do
    local weight, value = 3 + item * 7 % 41, 10 + item * 13 % 67
    for room = capacity + 1, weight + 1, -1 do best[room] = max(best[room], best[room - weight] + value) end
  end
  return best[capacity + 1]
end

function programs.FloodFill(n)
  local picture = {}
  for y = 0, n - 1 do
    local row = {}
    for x = 0, n - 1 do row[#row + 1] = (x * x + y * y * 3) % 11 < 7 and 1 or 0 end
    picture[#picture + 1] = row
  end
  local regions, largest = 0, 0
  for y = 1, n do
    for x = 1, n do
      if picture[y][x] == 1 then
        regions = regions + 1
        local size, stack = 0, { { x, y } }
        picture[y][x] = 2
        while #stack > 0 do
          local point = remove(stack)
          local px, py = point[1], point[2]
          size = size + 1
          if px > 1 and picture[py][px - 1] == 1 then
            picture[py][px - 1] = 2
            stack[#stack + 1] = { px - 1, py }
          end
          if px < n and picture[py][px + 1] == 1 then
            picture[py][px + 1] = 2
            stack[#stack + 1] = { px + 1, py }
          end
          if py > 1 and picture[py - 1][px] == 1 then
            picture[py - 1][px] = 2
            stack[#stack + 1] = { px, py - 1 }
          end
          if py < n and picture[py + 1][px] == 1 then
            picture[py + 1][px] = 2
            stack[#stack + 1] = { px, py + 1 }
          end
        end
        largest = max(largest, size)
      end
    end
  end
  return regions * 10000 + largest
end

function programs.Brackets(n)
  local text, depth, good = "{[(a+b)*(c-d)]/[x(y{z}w)]}((()))[[]]{}{[()()]}", 0, 0
  for _ = 1, n do
    local stack, matches = {}, true
    for i = 1, #text do
      local c = sub(text, i, i)
      if c == "(" or c == "[" or c == "{" then
        stack[#stack + 1] = c
        depth = max(depth, #stack)
      elseif c == ")" or c == "]" or c == "}" then
        if #stack == 0 then
          matches = false
          break
        end
        local opened = remove(stack)
        if (c == ")" and opened ~= "(") or (c == "]" and opened ~= "[") or (c == "}" and opened ~= "{") then
          matches = false
          break
        end
      end
    end
    if matches and #stack == 0 then good = good + 1 end
  end
  return good * 10 + depth
end

function programs.Calculator(n)
  local text, total = "12+34*5-6*7+89*2-3*4*5+6", 0
  for _ = 1, n do
    local numbers, signs, i = {}, {}, 1
    while i <= #text do
      local number = 0
      while i <= #text and byte(text, i) >= 48 and byte(text, i) <= 57 do
        number = number * 10 + byte(text, i) - 48
        i = i + 1
      end
      if #signs > 0 and signs[#signs] == "*" then
        remove(signs)
        number = remove(numbers) * number
      end
      numbers[#numbers + 1] = number
      if i <= #text then
        signs[#signs + 1] = sub(text, i, i)
        i = i + 1
      end
    end
    local result = numbers[1]
    for k = 1, #signs do
      if signs[k] == "+" then result = result + numbers[k + 1] else result = result - numbers[k + 1] end
    end
    total = (total + result) % 1000003
  end
  return total
end

function programs.ModularPower(n)
  local total = 0
  for i = 0, n - 1 do
    local base, exponent, result = i % 1000 + 2, 1000003 + i, 1
    while exponent > 0 do
      if (exponent & 1) == 1 then result = result * base % 1000007 end
      base = base * base % 1000007
      exponent = exponent >> 1
    end
    total = (total + result) % 1000007
  end
  return total
end

function programs.Life(n)
  local size, cells = 24, {}
  for y = 0, size - 1 do
    local row = {}
    for x = 0, size - 1 do row[#row + 1] = (x * 7 + y * 5) % 3 == 0 and 1 or 0 end
    cells[#cells + 1] = row
  end
  for _ = 1, n do
    local following = {}
    for y = 1, size do
      local row, up, here, down = {}, cells[(y - 2) % size + 1], cells[y], cells[y % size + 1]
      for x = 1, size do
        local left, right = (x - 2) % size + 1, x % size + 1
        local count = up[left] + up[x] + up[right] + here[left] + here[right]
        count = count + down[left] + down[x] + down[right]
        if count == 3 or (count == 2 and here[x] == 1) then row[#row + 1] = 1 else row[#row + 1] = 0 end
      end
      following[#following + 1] = row
    end
    cells = following
  end
  local alive = 0
  for _, row in ipairs(cells) do
    for _, cell in ipairs(row) do alive = alive + cell end
  end
  return alive
end

function programs.RingQueue(n)
  local ring, head, tail, served = filled(64, false), 0, 0, 0
  for i = 0, n - 1 do
    if not ring[tail % 64 + 1] then
      ring[tail % 64 + 1] = i
      tail = tail + 1
    end
    if i % 3 ~= 0 then
      local first = ring[head % 64 + 1]
      if first then
        served = (served * 3 + first) % 1000003
        ring[head % 64 + 1] = false
        head = head + 1
      end
    end
  end
  return served
end

function programs.Transposition(n)
  local width, list = 40, {}
  for i = 0, width * width - 1 do list[i + 1] = i * 37 % 101 end
  for _ = 1, n do
    for y = 0, width - 1 do
      for x = y + 1, width - 1 do
        local a, b = y * width + x + 1, x * width + y + 1
        local kept = list[a]
        list[a] = list[b]
        list[b] = kept
      end
    end
    for y = 0, width - 1 do
      for x = 1, width - 1 do list[y * width + x + 1] = (list[y * width + x] + list[y * width + x + 1]) % 1009 end
    end
  end
  return list[width * width]
end

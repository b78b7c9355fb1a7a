-- The programs of classic_more.py; what stands in classic.lua comes before this.
function programs.Fourier(n)
  local re, im = {}, filled(n, 0.0)
  for i = 0, n - 1 do re[i + 1] = i * 7 % 13 - 6.0 end
  for turn = 0, 1 do
    local j = 0
    for i = 1, n - 1 do
      local bit = n // 2
      while j >= bit do
        j = j - bit
        bit = bit // 2
      end
      j = j + bit
      if i < j then
        re[i + 1], re[j + 1] = re[j + 1], re[i + 1]
        im[i + 1], im[j + 1] = im[j + 1], im[i + 1]
      end
    end
    local width = 2
    while width <= n do
      local angle = 6.283185307179586 / width
      if turn == 1 then angle = -angle end
      local step_re, step_im, half = math.cos(angle), math.sin(angle), width // 2
      for start = 1, n, width do
        local w_re, w_im = 1.0, 0.0
        for k = start, start + half - 1 do
          local other = k + half
          local x, y = re[other] * w_re - im[other] * w_im, re[other] * w_im + im[other] * w_re
          re[other], im[other] = re[k] - x, im[k] - y
          re[k], im[k] = re[k] + x, im[k] + y
          w_re, w_im = w_re * step_re - w_im * step_im, w_re * step_im + w_im * step_re
        end
      end
      width = width * 2
    end
  end
  local total = 0.0
  for i = 0, n - 1 do total = total + re[i + 1] * (i % 5) end
  return whole(total / n + 0.5)
end

local function find_root(parent, i)
  while parent[i] ~= i do
    parent[i] = parent[parent[i]]
    i = parent[i]
  end
  return i
end

function programs.UnionFind(n)
  local parent, size = {}, {}
  for i = 1, n do
    parent[i] = i
    size[i] = 1
  end
  local seed, sets, least = 3, n, n // 10
  while sets > least do
    seed = seed * 16807 % 2147483647
    local a = find_root(parent, seed % n + 1)
    seed = seed * 16807 % 2147483647
    local b = find_root(parent, seed % n + 1)
    if a ~= b then
      if size[a] < size[b] then a, b = b, a end
      parent[b] = a
      size[a] = size[a] + size[b]
      sets = sets - 1
    end
  end
  local largest = 0
  for i = 1, n do largest = max(largest, size[i]) end
  return largest
end

function programs.BytePairs(n)
  local text = "the cat sat on the mat and the rat sat on that cat while the bat ate the hat"
  local symbols, fresh = {}, 256
  for i = 1, #text do symbols[i] = byte(text, i) end
  for merge = 0, n - 1 do
    if merge % 30 == 0 then
      symbols = {}
      for i = 1, #text do symbols[i] = byte(text, i) end
    end
    local counts, best, best_count = {}, 0, 0
    for i = 1, #symbols - 1 do
      local pair = symbols[i] * 4096 + symbols[i + 1]
      local count = (counts[pair] or 0) + 1
      counts[pair] = count
      if count > best_count then
        best = pair
        best_count = count
      end
    end
    local joined, i = {}, 1
    while i <= #symbols do
      if i < #symbols and symbols[i] * 4096 + symbols[i + 1] == best then
        joined[#joined + 1] = fresh
        i = i + 2
      else
        joined[#joined + 1] = symbols[i]
        i = i + 1
      end
    end
    symbols = joined
    fresh = 256 + (fresh - 255) % 3000
  end
  return #symbols * 10000 + fresh
end

function programs.Base64(n)
  local alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
  local values, letters = {}, {}
  for i = 1, #alphabet do values[sub(alphabet, i, i)] = i - 1 end
  for i = 0, n - 1 do
    local word = (i * 7919 + 13) % 16777216
    local a, b, c, d = word // 262144 + 1, word // 4096, word // 64, word % 64 + 1
    b, c = b % 64 + 1, c % 64 + 1
    letters[#letters + 1] = sub(alphabet, a, a)
    letters[#letters + 1] = sub(alphabet, b, b)
    letters[#letters + 1] = sub(alphabet, c, c)
    letters[#letters + 1] = sub(alphabet, d, d)
  end
  local text, check = concat(letters), 0
  for i = 1, #text, 4 do
    local word = 0
    for k = i, i + 3 do word = word * 64 + values[sub(text, k, k)] end
    check = (check * 31 + word) % 1000003
  end
  return check
end

function programs.MatrixChain(n)
  local sizes, cost = {}, {}
  for i = 0, n do sizes[i + 1] = 5 + i * 17 % 23 end
  for i = 1, n do cost[i] = filled(n, 0) end
  for length = 2, n do
    for i = 1, n - length + 1 do
      local j, best = i + length - 1, 1000000000
      for k = i, j - 1 do
        local total = cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
        if total < best then best = total end
      end
      cost[i][j] = best
    end
  end
  return cost[1][n]
end

local function fits(name, pattern)
  local at, p, star, back = 1, 1, -1, 1
  while at <= #name do
    local c = byte(pattern, p)
    if c and (c == 63 or c == byte(name, at)) then
      at = at + 1
      p = p + 1
    elseif c == 42 then
      star = p
      back = at
      p = p + 1
    elseif star >= 0 then
      p = star + 1
      back = back + 1
      at = back
    else
      return false
    end
  end
  while byte(pattern, p) == 42 do p = p + 1 end
  return p == #pattern + 1
end

function programs.Wildcards(n)
  local names = { "layer1.conv.weight", "layer1.norm.bias", "layer2.conv.weight", "head.linear.bias", "aaaaaaaaaaaaab" }
  local patterns = { "*.weight", "layer?.*", "*a*a*b", "*.norm.*", "head*", "*conv?weight" }
  local found = 0
  for _ = 1, n do
    for _, name in ipairs(names) do
      for _, pattern in ipairs(patterns) do
        if fits(name, pattern) then found = found + 1 end
      end
    end
  end
  return found
end

function programs.BigNumbers(n)
  local digits = { 1 }
  for factor = 2, n do
    local carry = 0
    for i = 1, #digits do
      local product = digits[i] * factor + carry
      digits[i] = product % 10000
      carry = product // 10000
    end
    while carry > 0 do
      digits[#digits + 1] = carry % 10000
      carry = carry // 10000
    end
  end
  local total = 0
  for _, group in ipairs(digits) do
    while group > 0 do
      total = total + group % 10
      group = group // 10
    end
  end
  return total * 1000 + #digits
end

function programs.Tokens(n)
  local text = "let alpha = 12 + beta * (345 - gamma) / 6; if alpha >= 78 then print(alpha, 9) end; "
  local total = 0
  for _ = 1, n do
    local kinds, lengths, numbers, at = {}, {}, 0, 1
    while at <= #text do
      local start, c = at, byte(text, at)
      if c == 32 then
        at = at + 1
      else
        if c >= 48 and c <= 57 then
          local value = 0
          while at <= #text and byte(text, at) >= 48 and byte(text, at) <= 57 do
            value = value * 10 + byte(text, at) - 48
            at = at + 1
          end
          numbers = numbers + value
          kinds[#kinds + 1] = 1
        elseif c >= 97 and c <= 122 then
          while at <= #text and byte(text, at) >= 97 and byte(text, at) <= 122 do at = at + 1 end
          kinds[#kinds + 1] = 2
        else
          at = at + 1
          kinds[#kinds + 1] = 3
        end
        lengths[#lengths + 1] = at - start
      end
    end
    for i = 1, #kinds do total = (total + kinds[i] * lengths[i] + numbers) % 1000007 end
  end
  return total
end

function programs.Pendulum(n)
  local angle, speed, worst = 1.2, 0.0, 0.0
  local step, start = 0.01, 9.81 * (1 - math.cos(1.2))
  for i = 1, n do
    local k1 = -9.81 * math.sin(angle)
    local k2 = -9.81 * math.sin(angle + 0.5 * step * speed)
    local k3 = -9.81 * math.sin(angle + 0.5 * step * (speed + 0.5 * step * k1))
    local k4 = -9.81 * math.sin(angle + step * (speed + 0.5 * step * k2))
    angle = angle + step * speed + step * step * (k1 + k2 + k3) / 6
    speed = speed + step * (k1 + 2 * k2 + 2 * k3 + k4) / 6
    local energy = 0.5 * speed * speed + 9.81 * (1 - math.cos(angle))
    worst = math.max(worst, math.abs(energy - start))
  end
  return floor((angle * 1000 + math.sqrt(worst) * 100) * 100)
end

function programs.Distances(n)
  local total = 0.0
  for i = 0, n - 1 do
    local lat1, lon1 = math.rad((i * 37) % 180 - 90), math.rad((i * 73) % 360 - 180)
    local lat2, lon2 = math.rad((i * 53) % 180 - 90), math.rad((i * 19) % 360 - 180)
    local a = math.sin((lat2 - lat1) / 2) ^ 2 + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ^ 2
    total = total + 6371.0 * 2 * math.asin(math.sqrt(math.min(1.0, a)))
  end
  return floor(total)
end

function programs.ValueNoise(n)
  local function at(i)
    local v = math.sin(i * 12.9898) * 43758.5453
    return v - floor(v)
  end
  local total = 0.0
  for i = 0, n - 1 do
    local x, height, size = i * 0.137, 0.0, 1.0
    for octave = 0, 3 do
      local cell = floor(x)
      local t = x - cell
      t = t * t * (3 - 2 * t)
      height = height + size * (at(cell) + (at(cell + 1) - at(cell)) * t)
      x = x * 2
      size = size / 2
    end
    total = total + height
  end
  return floor(total * 1000)
end

-- The programs of classic_lists.py; what stands in classic.lua and classic_text.lua comes before this.
local sort, insert, concat = table.sort, table.insert, table.concat

function programs.MedianFilter(n)
  local seed, samples = 7, {}
  for i = 1, n do
    seed = seed * 16807 % 2147483647
    samples[i] = seed % 1000
  end
  local total = 0
  for i = 1, n - 4 do
    local window = {samples[i], samples[i + 1], samples[i + 2], samples[i + 3], samples[i + 4]}
    sort(window)
    total = (total * 3 + window[3]) % 1000003
  end
  return total
end

function programs.Lottery(n)
  local function position(list, v)
    for i = 1, #list do
      if list[i] == v then return i end
    end
    return nil
  end
  local seed, won = 11, 0
  local ticket = {3, 14, 15, 26, 35, 42}
  for turn = 1, n do
    local drawn = {}
    while #drawn < 12 do
      seed = seed * 16807 % 2147483647
      local ball = seed // 65536 % 49 + 1
      if not position(drawn, ball) then drawn[#drawn + 1] = ball end
    end
    for _, t in ipairs(ticket) do
      local at = position(drawn, t)
      if at then won = won + at end
    end
  end
  return won
end

function programs.PrefixSums(n)
  local change, sums, seed, level, total = {}, {0}, 5, 0, 0
  for i = 1, n + 1 do change[i] = 0 end
  for q = 0, n // 4 - 1 do
    seed = seed * 16807 % 2147483647
    local low = seed // 256 % n + 1
    change[low] = change[low] + q
    change[n + 1] = change[n + 1] - q
  end
  for i = 1, n do
    level = level + change[i]
    sums[i + 1] = sums[i] + level
  end
  for i = 0, n - 1, 7 do
    total = (total + sums[n - i + 1] - sums[i // 2 + 1]) % 1000003
  end
  return total
end

function programs.HuffmanCodes(n)
  local text = "it was the best of times it was the worst of times it was the age of wisdom"
  local total = 0
  for turn = 0, n - 1 do
    local counts, letters = {}, {}
    for i = 1, #text do
      local c = sub(text, i, i)
      if not counts[c] then letters[#letters + 1] = c end
      counts[c] = (counts[c] or 0) + 1 + turn % 2
    end
    local heap, order = {}, 0
    for _, c in ipairs(letters) do
      heap[#heap + 1] = {counts[c], order}
      order = order + 1
    end
    sort(heap, function(a, b)
      if a[1] ~= b[1] then return a[1] > b[1] end
      return a[2] > b[2]
    end)
    while #heap > 1 do
      local a, b = remove(heap), remove(heap)
      local joined = a[1] + b[1]
      total = (total + joined) % 1000003
      local at = #heap
      while at > 0 and heap[at][1] <= joined do at = at - 1 end
      insert(heap, at + 1, {joined, order})
      order = order + 1
    end
  end
  return total
end

function programs.LatinSquares(n)
  local cells, rows, columns = {}, {}, {}
  for i = 0, n * n - 1 do cells[i] = -1 end
  for i = 0, n - 1 do rows[i] = 0 columns[i] = 0 end
  local at, count = 0, 0
  while at >= 0 do
    local r = at // n
    local c = at % n
    local v = cells[at]
    local row, column = rows[r], columns[c]
    if v >= 0 then
      local bit = 1 << v
      row = row ~ bit
      column = column ~ bit
    end
    v = v + 1
    local both = row & column
    local used = row + column - both
    local rest = used >> v
    while v < n and rest % 2 == 1 do
      v = v + 1
      rest = rest // 2
    end
    if v == n then
      cells[at] = -1
      rows[r] = row
      columns[c] = column
      at = at - 1
    else
      cells[at] = v
      local bit = 1 << v
      rows[r] = row ~ bit
      columns[c] = column ~ bit
      if at == n * n - 1 then count = count + 1 else at = at + 1 end
    end
  end
  return count
end

function programs.Annealing(n)
  local xs, ys, way, seed = {}, {}, {}, 3
  local root, exp = math.sqrt, math.exp
  for i = 1, 40 do
    seed = seed * 16807 % 2147483647
    xs[i] = seed // 65536 % 1000 + 0.0
    seed = seed * 16807 % 2147483647
    ys[i] = seed // 65536 % 1000 + 0.0
    way[i] = i
  end
  local heat, taken = 500.0, 0
  for turn = 1, n do
    seed = seed * 16807 % 2147483647
    local i = seed // 65536 % 38 + 2
    local a, b, c, d = way[i - 1], way[i], way[i + 1], way[(i + 1) % 40 + 1]
    local before = root((xs[a] - xs[b]) ^ 2 + (ys[a] - ys[b]) ^ 2) + root((xs[c] - xs[d]) ^ 2 + (ys[c] - ys[d]) ^ 2)
    local after = root((xs[a] - xs[c]) ^ 2 + (ys[a] - ys[c]) ^ 2) + root((xs[b] - xs[d]) ^ 2 + (ys[b] - ys[d]) ^ 2)
    seed = seed * 16807 % 2147483647
    if after < before or exp((before - after) / heat) > seed / 2147483647.0 then
      way[i] = c
      way[i + 1] = b
      taken = taken + 1
    end
    heat = heat * 0.999
  end
  return taken * 100 + way[2] - 1
end

function programs.TextWrap(n)
  local words = {}
  for w in ("when in the course of human events it becomes necessary for one people to dissolve the bands"):gmatch("%a+") do
    words[#words + 1] = w
  end
  local total = 0
  for turn = 0, n - 1 do
    local lines, line, width = {}, {}, 0
    for _, w in ipairs(words) do
      if #line > 0 and width + 1 + #w > 30 then
        lines[#lines + 1] = concat(line, " ")
        line = {}
        width = 0
      end
      width = width + #w + (#line > 0 and 1 or 0)
      line[#line + 1] = w
    end
    lines[#lines + 1] = concat(line, " ")
    local text = concat(lines, "\n")
    total = (total * 7 + #text + #lines * turn) % 1000003
  end
  return total
end

function programs.NestedText(n)
  local text = "[12, [7, [144, -3], []], 5, [[[[9]]], 10, -21], 1000]"
  local total = 0
  for turn = 1, n do
    local at, depth = 1, {}
    while at <= #text do
      local c = sub(text, at, at)
      if c == "[" then
        depth[#depth + 1] = 0
        at = at + 1
      elseif c == "]" then
        local inner = remove(depth)
        if #depth > 0 then
          depth[#depth] = depth[#depth] + inner * 2
        else
          total = (total * 3 + inner) % 1000003
        end
        at = at + 1
      elseif c == "," or c == " " then
        at = at + 1
      else
        local sign = 1
        if c == "-" then
          sign = -1
          at = at + 1
        end
        local value = 0
        while at <= #text and sub(text, at, at):find("%d") do
          value = value * 10 + byte(text, at) - 48
          at = at + 1
        end
        depth[#depth] = depth[#depth] + sign * value
      end
    end
  end
  return total
end

function programs.Mixing(n)
  local mask = 65535
  local state = {8961, 43913, 56574, 21622}
  for r = 0, n - 1 do
    local a, b, c, d = state[1], state[2], state[3], state[4]
    local both = b & c
    local other = b ~ mask
    local rest = other & d
    local s = (a + both + rest + r * 40503) & mask
    local k = r % 11 + 3
    local left = s << k
    local right = s >> (16 - k)
    s = (left & mask) + right
    state[1] = d
    state[2] = (b + s) & mask
    state[3] = b
    state[4] = c
  end
  local a, b, c, d = state[1], state[2], state[3], state[4]
  local first = a ~ b
  local last = c ~ d
  return first ~ last
end

function programs.Increasing(n)
  local tails, seed = {}, 9
  for i = 1, n do
    seed = seed * 16807 % 2147483647
    local v = seed // 1024 % 100000
    local low, high = 1, #tails + 1
    while low < high do
      local middle = (low + high) // 2
      if tails[middle] < v then low = middle + 1 else high = middle end
    end
    tails[low] = v
  end
  local sum = 0
  for i = 1, #tails do sum = sum + tails[i] end
  return #tails * 1000 + sum % 1000
end

function programs.Pascal(n)
  local row, total = {1}, 0
  for i = 1, n do
    local made = {1}
    for k = 1, #row - 1 do made[k + 1] = (row[k] + row[k + 1]) % 1000003 end
    made[#row + 1] = 1
    row = made
    local most, least = row[1], row[1]
    for k = 2, #row do
      if row[k] > most then most = row[k] end
      if row[k] < least then least = row[k] end
    end
    local count = #row
    total = (total + row[count // 2 + 1] + most - least) % 1000003
  end
  return total
end

function programs.RunningMedian(n)
  local kept, seed, total = {}, 17, 0
  for i = 1, n do
    seed = seed * 16807 % 2147483647
    local v = seed // 65536 % 10000
    local low, high = 1, #kept + 1
    while low < high do
      local middle = (low + high) // 2
      if kept[middle] < v then low = middle + 1 else high = middle end
    end
    insert(kept, low, v)
    local count = #kept
    total = (total + kept[count // 2 + 1]) % 1000003
  end
  return total
end

function programs.Josephus(n)
  local total = 0
  for people = 2, n - 1 do
    local ring, at = {}, 0
    for i = 1, people do ring[i] = i - 1 end
    while #ring > 1 do
      at = (at + 6) % #ring
      remove(ring, at + 1)
    end
    total = total + ring[1]
  end
  return total
end

function programs.LookAndSay(n)
  local row = "1"
  for turn = 1, n do
    local said, at = {}, 1
    while at <= #row do
      local last = at + 1
      while last <= #row and sub(row, last, last) == sub(row, at, at) do last = last + 1 end
      said[#said + 1] = (last - at) .. sub(row, at, at)
      at = last
    end
    row = concat(said)
  end
  return #row
end

function programs.Statistics(n)
  local samples, seed, mean = {}, 23, 0.0
  for i = 1, n do
    seed = seed * 16807 % 2147483647
    samples[i] = (seed // 65536 % 200) * 0.5
  end
  for i = 1, n do mean = mean + samples[i] end
  mean = mean / n
  local spread, counts, often = 0.0, {}, 0
  for i = 1, n do
    local s = samples[i]
    spread = spread + (s - mean) * (s - mean)
    counts[s] = (counts[s] or 0) + 1
  end
  local ordered = {}
  for i = 1, n do ordered[i] = samples[i] end
  sort(ordered)
  for i = 1, n do
    if counts[ordered[i]] > often then often = counts[ordered[i]] end
  end
  return floor(mean * 1000.0) + floor(math.sqrt(spread / n) * 1000.0) + floor(ordered[n // 2 + 1] * 10.0) + often
end

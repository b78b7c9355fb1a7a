-- The programs of classic_text.py; what stands in classic.lua comes before this.
local sort, char = table.sort, string.char

function programs.RunLengths(n)
  local text, total = "aaaabbbccd" .. "eeeeeeeeeeee" .. "fghhhhh" .. "iiiijjjjjjjk", 0
  for _ = 1, n do
    local packed, start = {}, 1
    while start <= #text do
      local stop = start
      while stop <= #text and byte(text, stop) == byte(text, start) do stop = stop + 1 end
      packed[#packed + 1] = (stop - start) .. sub(text, start, start)
      start = stop
    end
    local whole = ""
    for _, run in ipairs(packed) do
      local letter = sub(run, -1)
      for _ = 1, tonumber(sub(run, 1, -2)) do whole = whole .. letter end
    end
    if whole == text then total = total + #concat(packed) end
    text = sub(text, 2) .. sub(text, 1, 1)
  end
  return total
end

local function split(text)
  local words = {}
  for word in string.gmatch(text, "[^ ]+") do words[#words + 1] = word end
  return words
end

function programs.Anagrams(n)
  local words = split("listen silent enlist google elgoog abc cab bca tinsel inlets rat tar art banana")
  local groups = {}
  for _ = 1, n do
    for at = 1, #words do
      local letters, word = {}, words[at]
      for i = 1, #word do letters[i] = sub(word, i, i) end
      sort(letters)
      local key = concat(letters)
      if not groups[key] then groups[key] = {} end
      local members = groups[key]
      members[#members + 1] = at
    end
  end
  local total = 0
  for key, members in pairs(groups) do total = total + 1 + #members * #key end
  return total
end

function programs.TableLines(n)
  local lines = {'north,12,"a, b",7', "south,3,plain,11", 'east,44,"",1', 'north,5,"x,y,z",9', "west,8,word,2"}
  local sums, fields = {}, 0
  for _ = 1, n do
    for _, line in ipairs(lines) do
      local row, at = {}, 1
      while at <= #line + 1 do
        local stop = at
        if byte(line, at) == 34 then
          stop = at + 1
          while byte(line, stop) ~= 34 do stop = stop + 1 end
          row[#row + 1] = sub(line, at + 1, stop - 1)
          stop = stop + 1
        else
          while stop <= #line and byte(line, stop) ~= 44 do stop = stop + 1 end
          row[#row + 1] = sub(line, at, stop - 1)
        end
        at = stop + 1
      end
      fields = fields + #row
      sums[row[1]] = (sums[row[1]] or 0) + tonumber(row[2]) * tonumber(row[4])
    end
  end
  local total = fields
  for key, value in pairs(sums) do total = total + #key * value end
  return total
end

function programs.RomanNumerals(n)
  local values = {1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1}
  local signs = {"M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"}
  local worth = {I = 1, V = 5, X = 10, L = 50, C = 100, D = 500, M = 1000}
  local total = 0
  for number = 1, n - 1 do
    local rest, text, back = number, "", 0
    for i = 1, #values do
      while rest >= values[i] do
        text = text .. signs[i]
        rest = rest - values[i]
      end
    end
    for i = 1, #text do
      local value = worth[sub(text, i, i)]
      if i < #text and worth[sub(text, i + 1, i + 1)] > value then
        back = back - value
      else
        back = back + value
      end
    end
    if back == number then total = total + #text end
  end
  return total
end

function programs.Caesar(n)
  local text = "The Quick Brown Fox Jumps Over The Lazy Dog, 1234 Times!"
  for _ = 1, n do
    local moved = {}
    for i = 1, #text do
      local c = sub(text, i, i)
      if "a" <= c and c <= "z" then
        moved[#moved + 1] = char((byte(c) - 97 + 3) % 26 + 97)
      elseif "A" <= c and c <= "Z" then
        moved[#moved + 1] = char((byte(c) - 65 + 3) % 26 + 65)
      else
        moved[#moved + 1] = c
      end
    end
    text = concat(moved)
  end
  local total = 0
  for i = 1, #text do total = (total * 31 + byte(text, i)) % 1000003 end
  return total
end

function programs.RecentlyUsed(n)
  local limit, size, values, before, behind, hits, seed = 32, 0, {}, {[-1] = -1}, {[-1] = -1}, 0, 7
  for _ = 1, n do
    seed = seed * 16807 % 2147483647
    local key = seed % 50
    if values[key] then
      hits = hits + values[key]
      behind[before[key]] = behind[key]
      before[behind[key]] = before[key]
    else
      if size >= limit then
        local oldest = before[-1]
        before[-1] = before[oldest]
        behind[before[oldest]] = -1
        values[oldest] = nil
        size = size - 1
      end
      values[key] = key + 1
      size = size + 1
    end
    local first = behind[-1]
    behind[key] = first
    before[key] = -1
    before[first] = key
    behind[-1] = key
  end
  return hits
end

function programs.TopologicalOrder(n)
  local names = split("shirt tie jacket belt trousers shoes socks pants watch hat coat scarf")
  local pairs_of = {{0, 1}, {1, 2}, {0, 3}, {3, 2}, {4, 3}, {4, 5}, {6, 5}, {7, 4}, {7, 5}, {2, 10}, {10, 11}, {9, 11}}
  local total = 0
  for turn = 0, n - 1 do
    local needs, followers, ready = {}, {}, {}
    for _, name in ipairs(names) do
      needs[name] = 0
      followers[name] = {}
    end
    for _, pair in ipairs(pairs_of) do
      local list, second = followers[names[pair[1] + 1]], names[pair[2] + 1]
      list[#list + 1] = second
      needs[second] = needs[second] + 1
    end
    for _, name in ipairs(names) do
      if needs[name] == 0 then ready[#ready + 1] = name end
    end
    local at = 1
    while at <= #ready do
      for _, follower in ipairs(followers[ready[at]]) do
        needs[follower] = needs[follower] - 1
        if needs[follower] == 0 then ready[#ready + 1] = follower end
      end
      at = at + 1
    end
    total = total + #ready * #ready[turn % #ready + 1]
  end
  return total
end

function programs.PrimeFactors(n)
  local least = filled(n, 0)
  for i = 2, n do
    if least[i] == 0 then
      for k = i, n, i do
        if least[k] == 0 then least[k] = i end
      end
    end
  end
  local powers = {}
  for i = 2, n do
    local rest = i
    while rest > 1 do
      local prime = least[rest]
      if powers[prime] then
        powers[prime] = powers[prime] + 1
      else
        powers[prime] = 1
      end
      rest = rest // prime
    end
  end
  local total = 0
  for prime, power in pairs(powers) do total = total + prime * power end
  return total
end

function programs.Palindromes(n)
  local text, found = "neveroddoreven a man a plan a canal panama step on no pets", 0
  for _ = 1, n do
    for length = 3, 6 do
      for at = 1, #text - length + 1 do
        local piece = sub(text, at, at + length - 1)
        if piece == piece:reverse() then found = found + length end
      end
    end
  end
  return found
end

local function distance(a, b)
  local row = {}
  for i = 0, #b do row[i + 1] = i end
  for i = 1, #a do
    local diagonal = row[1]
    row[1] = i
    for k = 1, #b do
      local cost = diagonal + (byte(a, i) == byte(b, k) and 0 or 1)
      diagonal = row[k + 1]
      row[k + 1] = min(min(row[k] + 1, row[k + 1] + 1), cost)
    end
  end
  return row[#b + 1]
end

function programs.NearestWords(n)
  local words = {"apple", "orange", "banana", "cherry", "grape", "melon", "peach"}
  local typed = {"aple", "ornge", "banan", "chery", "graep", "lemon", "beach", "cheapest"}
  local total = 0
  for _ = 1, n do
    for _, word in ipairs(typed) do
      local best, chosen = 1000, ""
      for _, candidate in ipairs(words) do
        local d = distance(word, candidate)
        if d < best then
          best = d
          chosen = candidate
        end
      end
      total = total + best * #chosen
    end
  end
  return total
end

function programs.Shelves(n)
  local shelves, places, things = {}, {"left", "right", "top"}, {"book", "cup", "lamp", "box", "pen"}
  for turn = 0, n - 1 do
    local place, thing = places[turn * 7 % 3 + 1], things[turn * 11 % 5 + 1]
    if not shelves[place] then shelves[place] = {} end
    local shelf = shelves[place]
    shelf[thing] = (shelf[thing] or 0) + turn % 13
    local other = shelves[places[(turn + 1) % 3 + 1]]
    if other and other[thing] and other[thing] > 20 then
      other[thing] = other[thing] - 20
      shelf[thing] = shelf[thing] + 20
    end
  end
  local total = 0
  for _, shelf in pairs(shelves) do
    for thing, count in pairs(shelf) do total = total + count * #thing end
  end
  return total
end

function programs.MostFrequent(n)
  local text = "it was the best of times it was the worst of times it was the age of wisdom it was the age of foolishness"
  local total = 0
  local function earlier(a, b) return a[1] < b[1] or (a[1] == b[1] and a[2] < b[2]) end
  for _ = 1, n do
    local counts = {}
    for word in string.gmatch(text, "[^ ]+") do
      if counts[word] then
        counts[word] = counts[word] + 1
      else
        counts[word] = 1
      end
    end
    local order = {}
    for word, count in pairs(counts) do order[#order + 1] = {-count, word} end
    sort(order, earlier)
    for i = 1, 3 do total = total + order[i][1] * #order[i][2] end
  end
  return -total
end

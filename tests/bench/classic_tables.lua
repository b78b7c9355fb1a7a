-- The programs of classic_tables.py; what stands in classic.lua and classic_text.lua comes before this.
function programs.Permutations(n)
  local a, total, more = {}, 0, true
  for i = 1, n do a[i] = i - 1 end
  while more do
    total = total + a[1] * a[n]
    local i = n - 1
    while i >= 1 and a[i] > a[i + 1] do i = i - 1 end
    if i < 1 then
      more = false
    else
      local j = n
      while a[j] < a[i] do j = j - 1 end
      a[i], a[j] = a[j], a[i]
      local lo, hi = i + 1, n
      while lo < hi do
        a[lo], a[hi] = a[hi], a[lo]
        lo = lo + 1
        hi = hi - 1
      end
    end
  end
  return total
end

function programs.Trie(n)
  local text = "the quick brown fox jumps over the lazy dog then there thesis quiz query browse lazier dogma foxes"
  local words = {}
  for w in text:gmatch("%a+") do words[#words + 1] = w end
  local total = 0
  for turn = 1, n do
    local nodes, ends = {{}}, {0}
    for _, w in ipairs(words) do
      local at = 1
      for i = 1, #w do
        local c = sub(w, i, i)
        local to = nodes[at][c]
        if to then at = to else
          nodes[#nodes + 1] = {}
          ends[#ends + 1] = 0
          nodes[at][c] = #nodes
          at = #nodes
        end
      end
      ends[at] = ends[at] + 1
    end
    for _, w in ipairs(words) do
      local at, depth = 1, 0
      for i = 1, #w do
        at = nodes[at][sub(w, i, i)]
        depth = depth + 1
        if ends[at] > 0 then total = total + depth end
      end
    end
  end
  return total
end

function programs.BinaryTree(n)
  local keys, left, right, seed = {}, {}, {}, 42
  for k = 1, n do
    seed = seed * 16807 % 2147483647
    local key, node = seed // 32768, #keys + 1
    keys[node], left[node], right[node] = key, 0, 0
    if node > 1 then
      local at = 1
      while true do
        if key < keys[at] then
          if left[at] == 0 then left[at] = node break end
          at = left[at]
        else
          if right[at] == 0 then right[at] = node break end
          at = right[at]
        end
      end
    end
  end
  local stack, at, total, rank = {}, 1, 0, 0
  while at > 0 or #stack > 0 do
    while at > 0 do
      stack[#stack + 1] = at
      at = left[at]
    end
    at = stack[#stack]
    stack[#stack] = nil
    rank = rank + 1
    total = (total + keys[at] * rank) % 1000003
    at = right[at]
  end
  return total
end

function programs.Elimination(n)
  local a = {}
  for i = 0, n - 1 do
    local row = {}
    for j = 0, n do row[j + 1] = ((i * 7 + j * 13) % 11) * 1.0 + (i == j and 10.0 or 0.5) end
    a[i + 1] = row
  end
  for k = 1, n do
    local best = k
    for i = k + 1, n do if abs(a[i][k]) > abs(a[best][k]) then best = i end end
    a[k], a[best] = a[best], a[k]
    for i = k + 1, n do
      local f = a[i][k] / a[k][k]
      for j = k, n + 1 do a[i][j] = a[i][j] - f * a[k][j] end
    end
  end
  local x = {}
  for i = n, 1, -1 do
    local s = a[i][n + 1]
    for j = i + 1, n do s = s - a[i][j] * x[j] end
    x[i] = s / a[i][i]
  end
  local total = 0.0
  for i = 1, n do total = total + x[i] * i end
  return whole(total * 1000.0)
end

function programs.Maze(n)
  local seen, queue, at, total = {[0] = 0}, {{0, 0}}, 1, 0
  local steps = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}}
  while at <= #queue do
    local x, y = queue[at][1], queue[at][2]
    at = at + 1
    local d = seen[x * 1000 + y]
    total = total + d
    for k = 1, 4 do
      local nx, ny = x + steps[k][1], y + steps[k][2]
      if nx >= 0 and ny >= 0 and nx < n and ny < n and (nx * 7 + ny * 5) % 11 ~= 3 then
        local key = nx * 1000 + ny
        if not seen[key] then
          seen[key] = d + 1
          queue[#queue + 1] = {nx, ny}
        end
      end
    end
  end
  return total
end

function programs.StackMachine(n)
  local code = {{"push", 0}, {"store", 0}, {"push", 1}, {"store", 1}, {"load", 0}, {"load", 1},
    {"add", 0}, {"store", 0}, {"load", 1}, {"push", 1}, {"add", 0}, {"store", 1},
    {"load", 1}, {"push", 100}, {"less", 0}, {"jump", 4}, {"load", 0}, {"halt", 0}}
  local total = 0
  for turn = 1, n do
    local stack, slots, at, running = {}, {0, 0}, 1, true
    while running do
      local op, arg = code[at][1], code[at][2]
      at = at + 1
      if op == "push" then stack[#stack + 1] = arg
      elseif op == "load" then stack[#stack + 1] = slots[arg + 1]
      elseif op == "store" then slots[arg + 1] = stack[#stack] stack[#stack] = nil
      elseif op == "add" then
        local b = stack[#stack] stack[#stack] = nil
        local a = stack[#stack] stack[#stack] = nil
        stack[#stack + 1] = a + b
      elseif op == "less" then
        local b = stack[#stack] stack[#stack] = nil
        local a = stack[#stack] stack[#stack] = nil
        stack[#stack + 1] = a < b and 1 or 0
      elseif op == "jump" then
        local c = stack[#stack] stack[#stack] = nil
        if c == 1 then at = arg + 1 end
      else running = false end
    end
    total = total + stack[#stack]
  end
  return total
end

function programs.Intervals(n)
  local total = 0
  for turn = 0, n - 1 do
    local spans, seed = {}, turn + 1
    for k = 1, 40 do
      seed = seed * 16807 % 2147483647
      local start = seed % 1000
      spans[k] = {start, start + seed % 37}
    end
    sort(spans, function(a, b) if a[1] ~= b[1] then return a[1] < b[1] end return a[2] < b[2] end)
    local joined = {}
    for _, s in ipairs(spans) do
      local top = joined[#joined]
      if top and s[1] <= top[2] then
        joined[#joined] = {top[1], max(top[2], s[2])}
      else
        joined[#joined + 1] = {s[1], s[2]}
      end
    end
    for _, s in ipairs(joined) do total = total + s[2] - s[1] end
  end
  return total
end

function programs.Hanoi(n)
  local pegs, moves, total = {{}, {}, {}}, 0, 0
  for d = 0, n - 1 do pegs[1][d + 1] = n - d end
  local work = {{n, 1, 3, 2}}
  while #work > 0 do
    local w = work[#work]
    work[#work] = nil
    local count, source, target, other = w[1], w[2], w[3], w[4]
    if count == 1 then
      local p, t = pegs[source], pegs[target]
      local disk = p[#p]
      p[#p] = nil
      t[#t + 1] = disk
      moves = moves + 1
      total = total + disk * moves % 7
    else
      work[#work + 1] = {count - 1, other, target, source}
      work[#work + 1] = {1, source, target, other}
      work[#work + 1] = {count - 1, source, other, target}
    end
  end
  return total
end

function programs.Polynomials(n)
  local a, p = {[0] = 1, [1] = 3, [5] = 2}, {[0] = 1}
  for turn = 1, n do
    local q = {}
    for e, c in pairs(p) do
      for f, d in pairs(a) do
        q[e + f] = ((q[e + f] or 0) + c * d) % 10007
      end
    end
    p = q
  end
  local total = 0
  for e, c in pairs(p) do total = (total + e * c) % 1000003 end
  return total
end

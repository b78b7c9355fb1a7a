-- The end of the file that classic.py makes of classic.lua and classic_more.lua, called as `lua5.4 FILE PROGRAM N RUNS`:
-- prints the least and the median milliseconds of a run, and the result.
local program, n, runs = programs[arg[1]], tonumber(arg[2]), tonumber(arg[3])
local times, result = {}, program(n)
for r = 1, runs do
  local start = os.clock()
  result = program(n)
  times[r] = (os.clock() - start) * 1e3
end
table.sort(times)
print(string.format("min_ms %.6f med_ms %.6f result %d", times[1], times[floor((runs + 1) / 2)], result))

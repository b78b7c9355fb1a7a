-- The language programs of interp_programs.py in Lua 5.4. Called as `lua5.4 interp.lua PROGRAM TURNS RUNS`; prints the least and the median
-- milliseconds of a run, and the result.
local programs = {}

function programs.SumInt(n)
    local total = 0
    for i = 0, n - 1 do total = total + i end
    return total
end

function programs.Collatz(n)
    local turns, x = 0, 27
    while turns < n do
        if x % 2 == 0 then x = x // 2 else x = x * 3 + 1 end
        if x == 1 then x = 27 end
        turns = turns + 1
    end
    return x
end

function programs.Fibonacci(n)
    local a, b = 0, 1
    for _ = 1, n do a, b = b, (a + b) % 1000003 end
    return a
end

function programs.Logistic(n)
    local x = 0.5
    for _ = 1, n do x = 3.7 * x * (1.0 - x) end
    return math.floor(x * 1000000.0)
end

function programs.ListAppend(n)
    local total = 0
    for i = 0, n // 100 - 1 do
        local numbers = {}
        for j = 0, 99 do numbers[#numbers + 1] = i + j end
        total = total + numbers[i % 100 + 1] + #numbers
    end
    return total
end

function programs.ListUpdate(n)
    local slots = {}
    for i = 1, 64 do slots[i] = 0 end
    for i = 0, n - 1 do
        local k = i % 64 + 1
        slots[k] = slots[k] + i
    end
    return slots[6]
end

function programs.StringDict(n)
    local counts, size = {}, 0
    for i = 0, n - 1 do
        local key = "k" .. tostring(i % 16)
        if counts[key] then
            counts[key] = counts[key] + 1
        else
            counts[key] = 1
            size = size + 1
        end
    end
    return counts["k3"] + size
end

function programs.IntDict(n)
    local sums = {}
    for i = 0, n - 1 do
        local k = i % 64
        sums[k] = (sums[k] or 0) + i
    end
    return sums[7]
end

function programs.TupleCall(n)
    local function advance(a, b) return b, a + b end
    local a, b = 1, 1
    for _ = 1, n do a, b = advance(a % 1000, b % 1000) end
    return a
end

local program, turns, runs = programs[arg[1]], tonumber(arg[2]), tonumber(arg[3])
local times, result = {}, program(turns)
for r = 1, runs do
    local start = os.clock()
    result = program(turns)
    times[r] = (os.clock() - start) * 1e3
end
table.sort(times)
print(string.format("min_ms %.6f med_ms %.6f result %d", times[1], times[(runs + 1) // 2], result))

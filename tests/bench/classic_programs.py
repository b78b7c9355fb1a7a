"""Classic programs, as people write them: the benchmark of whole programs. Each class is one program; forward(n)
returns a number that depends on all that was calculated. classic.lua holds the same programs in Lua, under the same
names."""
from typing import Dict, List, Optional, Tuple

import torch
from torch import nn

from classic_lists import LISTS
from classic_more import MORE
from classic_tables import TABLES
from classic_text import TEXT


class NBody(nn.Module):
    """Planets that attract each other, in lists of floats."""

    def forward(self, n: int) -> int:
        xs = [0.0, 4.84, 8.34, 12.89, 15.37]
        ys = [0.0, -1.16, 4.12, -15.11, -25.9]
        zs = [0.0, -0.1, -0.4, -0.22, 0.17]
        us = [0.0, 0.6, -1.01, 1.08, 0.97]
        vs = [0.0, 2.81, 1.82, 0.86, 0.59]
        ws = [0.0, -0.02, 0.008, -0.01, -0.03]
        masses = [39.47, 0.037, 0.011, 0.0017, 0.002]
        for _ in range(n):
            for i in range(5):
                for j in range(i + 1, 5):
                    dx = xs[i] - xs[j]
                    dy = ys[i] - ys[j]
                    dz = zs[i] - zs[j]
                    d2 = dx * dx + dy * dy + dz * dz
                    mag = 0.01 / (d2 * d2 ** 0.5)
                    us[i] -= dx * masses[j] * mag
                    vs[i] -= dy * masses[j] * mag
                    ws[i] -= dz * masses[j] * mag
                    us[j] += dx * masses[i] * mag
                    vs[j] += dy * masses[i] * mag
                    ws[j] += dz * masses[i] * mag
            for i in range(5):
                xs[i] += 0.01 * us[i]
                ys[i] += 0.01 * vs[i]
                zs[i] += 0.01 * ws[i]
        return int(xs[1] * 1000.0) + int(ys[3] * 1000.0)


class SpectralNorm(nn.Module):
    """The power method on an endless matrix, by a method that is called for each element."""

    def element(self, i: int, j: int) -> float:
        return 1.0 / float((i + j) * (i + j + 1) // 2 + i + 1)

    def product(self, v: List[float], transposed: bool) -> List[float]:
        result: List[float] = []
        for i in range(len(v)):
            total = 0.0
            for j in range(len(v)):
                if transposed:
                    total += self.element(j, i) * v[j]
                else:
                    total += self.element(i, j) * v[j]
            result.append(total)
        return result

    def forward(self, n: int) -> int:
        u = [1.0] * n
        v = [0.0] * n
        for _ in range(2):
            v = self.product(self.product(u, False), True)
            u = self.product(self.product(v, False), True)
        above = 0.0
        below = 0.0
        for i in range(n):
            above += u[i] * v[i]
            below += v[i] * v[i]
        return int(above / below * 1000000.0)


class Sieve(nn.Module):
    """Prime numbers below n."""

    def forward(self, n: int) -> int:
        is_prime = [True] * n
        count = 0
        for i in range(2, n):
            if is_prime[i]:
                count += 1
                for k in range(i * i, n, i):
                    is_prime[k] = False
        return count


class Queens(nn.Module):
    """Ways to place queens, without recursion."""

    def forward(self, n: int) -> int:
        columns = [0] * n
        solutions = 0
        row = 0
        columns[0] = -1
        while row >= 0:
            columns[row] += 1
            if columns[row] >= n:
                row -= 1
            else:
                fits = True
                for above in range(row):
                    distance = columns[row] - columns[above]
                    if distance == 0 or abs(distance) == row - above:
                        fits = False
                        break
                if fits:
                    if row == n - 1:
                        solutions += 1
                    else:
                        row += 1
                        columns[row] = -1
        return solutions


class QuickSort(nn.Module):
    """Sorting with a stack of ranges."""

    def forward(self, n: int) -> int:
        seed = 42
        a: List[int] = []
        for _ in range(n):
            seed = (seed * 1103515 + 12345) % 2147483648
            a.append(seed % 100000)
        stack = [0, n - 1]
        while len(stack) > 0:
            high = stack.pop()
            low = stack.pop()
            pivot = a[(low + high) // 2]
            i = low
            j = high
            while i <= j:
                while a[i] < pivot:
                    i += 1
                while a[j] > pivot:
                    j -= 1
                if i <= j:
                    a[i], a[j] = a[j], a[i]
                    i += 1
                    j -= 1
            if low < j:
                stack.append(low)
                stack.append(j)
            if i < high:
                stack.append(i)
                stack.append(high)
        return a[n // 2] + a[0]


class InsertionSort(nn.Module):
    """Sorting floats by insertion."""

    def forward(self, n: int) -> int:
        seed = 7
        a: List[float] = []
        for _ in range(n):
            seed = (seed * 16807) % 2147483647
            a.append(float(seed % 10000) * 0.5)
        for i in range(1, n):
            x = a[i]
            j = i - 1
            while j >= 0 and a[j] > x:
                a[j + 1] = a[j]
                j -= 1
            a[j + 1] = x
        return int(a[0] + a[n // 2])


class MergeSort(nn.Module):
    """Sorting from the bottom up into a second list."""

    def forward(self, n: int) -> int:
        seed = 99
        a: List[int] = []
        for _ in range(n):
            seed = (seed * 16807) % 2147483647
            a.append(seed)
        b = [0] * n
        width = 1
        while width < n:
            for low in range(0, n, 2 * width):
                middle = min(low + width, n)
                high = min(low + 2 * width, n)
                i = low
                j = middle
                for k in range(low, high):
                    if i < middle and (j >= high or a[i] <= a[j]):
                        b[k] = a[i]
                        i += 1
                    else:
                        b[k] = a[j]
                        j += 1
            a, b = b, a
            width *= 2
        return a[0] + a[n // 2]


class EditDistance(nn.Module):
    """Levenshtein's distance of two strings."""

    def forward(self, n: int) -> int:
        first = "kittensittingonamat"
        second = "sittingkittenswithhats"
        total = 0
        for turn in range(n):
            previous: List[int] = []
            for j in range(len(second) + 1):
                previous.append(j)
            for i in range(len(first)):
                current = [i + 1]
                for j in range(len(second)):
                    cost = 1
                    if first[i] == second[j]:
                        cost = 0
                    current.append(min(min(current[j] + 1, previous[j + 1] + 1), previous[j] + cost))
                previous = current
            total += previous[-1] + turn % 2
        return total


class NestedMatrices(nn.Module):
    """Products of matrices in lists of lists."""

    def forward(self, n: int) -> int:
        a: List[List[float]] = []
        b: List[List[float]] = []
        for i in range(n):
            row: List[float] = []
            other: List[float] = []
            for j in range(n):
                row.append(float((i + j) % 7))
                other.append(float((i * j) % 5))
            a.append(row)
            b.append(other)
        trace = 0.0
        for i in range(n):
            for j in range(n):
                total = 0.0
                for k in range(n):
                    total += a[i][k] * b[k][j]
                if i == j:
                    trace += total
        return int(trace)


class ShortestPaths(nn.Module):
    """Dijkstra's algorithm on a grid with a heap of tuples."""

    def forward(self, n: int) -> int:
        infinite = 1000000000
        distances = [infinite] * (n * n)
        distances[0] = 0
        heap = [(0, 0)]
        while len(heap) > 0:
            best, at = heap[0]
            last = heap.pop()
            size = len(heap)
            if size > 0:
                i = 0
                while 2 * i + 1 < size:
                    child = 2 * i + 1
                    if child + 1 < size and heap[child + 1][0] < heap[child][0]:
                        child += 1
                    if heap[child][0] >= last[0]:
                        break
                    heap[i] = heap[child]
                    i = child
                heap[i] = last
            if best > distances[at]:
                continue
            x = at % n
            y = at // n
            for side in range(4):
                to_x = x
                to_y = y
                if side == 0:
                    to_x += 1
                elif side == 1:
                    to_x -= 1
                elif side == 2:
                    to_y += 1
                else:
                    to_y -= 1
                if to_x < 0 or to_x >= n or to_y < 0 or to_y >= n:
                    continue
                to = to_y * n + to_x
                length = best + 1 + (to_x * 7 + to_y * 13) % 10
                if length < distances[to]:
                    distances[to] = length
                    heap.append((length, to))
                    i = len(heap) - 1
                    while i > 0 and heap[(i - 1) // 2][0] > length:
                        heap[i] = heap[(i - 1) // 2]
                        i = (i - 1) // 2
                    heap[i] = (length, to)
        return distances[n * n - 1]


class WordCount(nn.Module):
    """How often words stand in a text."""

    def forward(self, n: int) -> int:
        text = "the quick brown fox jumps over the lazy dog and the other fox sees the dog jump "
        counts: Dict[str, int] = {}
        for _ in range(n):
            for word in text.split():
                if word in counts:
                    counts[word] += 1
                else:
                    counts[word] = 1
        return counts["the"] * 100 + len(counts)


class TextScan(nn.Module):
    """Letters, digits and blanks of a text, one by one."""

    def forward(self, n: int) -> int:
        text = "In 1969, 2 men walked on the Moon; 12 did by 1972 (of 24 who flew)."
        letters = 0
        digits = 0
        words = 0
        number = 0
        for _ in range(n):
            inside = False
            for i in range(len(text)):
                c = text[i]
                if c >= "0" and c <= "9":
                    digits += 1
                    number = (number * 10 + ord(c) - ord("0")) % 1000007
                elif (c >= "a" and c <= "z") or (c >= "A" and c <= "Z"):
                    letters += 1
                if c == " ":
                    inside = False
                elif not inside:
                    inside = True
                    words += 1
        return letters + digits * 10 + words * 100 + number


class ShiftHash(nn.Module):
    """A hash by shifts."""

    def forward(self, n: int) -> int:
        h = 17
        for i in range(n):
            h = (((h << 5) + h) ^ (i & 255)) & 67108863
            h = h ^ (h >> 7)
        return h


class BeamSearch(nn.Module):
    """The best paths as a list of tuples."""

    def forward(self, n: int) -> int:
        beams = [(0, 1)]
        for step in range(n):
            candidates: List[Tuple[int, int]] = []
            for beam in beams:
                score, state = beam
                for symbol in range(4):
                    gain = (state * 31 + symbol * 17 + step) % 23
                    candidates.append((score + gain, (state * 4 + symbol) % 1009))
            beams = []
            for _ in range(min(5, len(candidates))):
                best = 0
                for k in range(1, len(candidates)):
                    if candidates[k][0] > candidates[best][0]:
                        best = k
                beams.append(candidates[best])
                candidates[best] = (-1, 0)
        return beams[0][0] + beams[0][1]


@torch.jit.script
class Vector:
    def __init__(self, x: float, y: float):
        self.x = x
        self.y = y

    def plus(self, other: "Vector") -> "Vector":
        return Vector(self.x + other.x, self.y + other.y)

    def scaled(self, k: float) -> "Vector":
        return Vector(self.x * k, self.y * k)

    def length(self) -> float:
        return self.x * self.x + self.y * self.y


class SmallClasses(nn.Module):
    """Objects of a small class, made and dropped."""

    def forward(self, n: int) -> int:
        position = Vector(0.0, 0.0)
        speed = Vector(1.0, 0.5)
        for _ in range(n):
            position = position.plus(speed.scaled(0.01))
            if position.length() > 100.0:
                speed = speed.scaled(-1.0)
        return int(position.x * 1000.0)


@torch.jit.script
class Account:
    def __init__(self, balance: int):
        self.balance = balance
        self.moves = 0

    def deposit(self, amount: int):
        self.balance += amount
        self.moves += 1


class Accounts(nn.Module):
    """Objects in a list, whose attributes change."""

    def forward(self, n: int) -> int:
        accounts: List[Account] = []
        for i in range(16):
            accounts.append(Account(i))
        for i in range(n):
            source = accounts[i % 16]
            target = accounts[(i * 7 + 3) % 16]
            if source.balance > 0:
                amount = source.balance // 2 + 1
                source.deposit(-amount)
                target.deposit(amount)
        total = 0
        for account in accounts:
            total += account.balance * account.moves
        return total


class Fannkuch(nn.Module):
    """Flips of the permutations of an array."""

    def forward(self, n: int) -> int:
        p = [0] * n
        q = [0] * n
        s = [0] * n
        sign = 1
        most = 0
        checksum = 0
        for i in range(n):
            p[i] = i
            s[i] = i
        running = True
        while running:
            first = p[0]
            if first != 0:
                for i in range(1, n):
                    q[i] = p[i]
                flips = 1
                looking = True
                while looking:
                    other = q[first]
                    if other == 0:
                        looking = False
                        if flips > most:
                            most = flips
                        checksum += sign * flips
                    else:
                        q[first] = first
                        if first >= 3:
                            i = 1
                            j = first - 1
                            while i < j:
                                q[i], q[j] = q[j], q[i]
                                i += 1
                                j -= 1
                        first = other
                        flips += 1
            if sign == 1:
                p[0], p[1] = p[1], p[0]
                sign = -1
            else:
                p[1], p[2] = p[2], p[1]
                sign = 1
                for i in range(2, n):
                    if s[i] != 0:
                        s[i] -= 1
                        break
                    if i == n - 1:
                        running = False
                        break
                    s[i] = i
                    head = p[0]
                    for j in range(i + 1):
                        p[j] = p[j + 1]
                    p[i + 1] = head
        return checksum * 100 + most


class Mandelbrot(nn.Module):
    """Points that stay."""

    def forward(self, n: int) -> int:
        inside = 0
        for py in range(n):
            for px in range(n):
                cr = 2.0 * float(px) / float(n) - 1.5
                ci = 2.0 * float(py) / float(n) - 1.0
                zr = 0.0
                zi = 0.0
                stays = True
                for _ in range(50):
                    r2 = zr * zr
                    i2 = zi * zi
                    if r2 + i2 > 4.0:
                        stays = False
                        break
                    zi = 2.0 * zr * zi + ci
                    zr = r2 - i2 + cr
                if stays:
                    inside += 1
        return inside


class LongestCollatz(nn.Module):
    """The longest of Collatz' sequences, with remembered lengths."""

    def forward(self, n: int) -> int:
        lengths = [0] * n
        best = 1
        longest = 1
        lengths[1] = 1
        for start in range(2, n):
            x = start
            steps = 0
            while x >= start:
                if x % 2 == 0:
                    x = x // 2
                else:
                    x = 3 * x + 1
                steps += 1
            lengths[start] = steps + lengths[x]
            if lengths[start] > longest:
                longest = lengths[start]
                best = start
        return best


class StringBuilding(nn.Module):
    """Numbers written into strings and joined."""

    def forward(self, n: int) -> int:
        total = 0
        for i in range(n):
            parts: List[str] = []
            for j in range(8):
                parts.append("v" + str(i % 100 + j))
            line = ",".join(parts)
            total += len(line)
            if line.find("v50,") >= 0:
                total += 1
        return total


class Cache(nn.Module):
    """The least recently used of a dict's keys are dropped."""

    def forward(self, n: int) -> int:
        entries: Dict[int, Tuple[int, int]] = {}
        hits = 0
        seed = 5
        for now in range(n):
            seed = (seed * 16807) % 2147483647
            key = seed % 24
            if key in entries:
                hits += 1
                value, _ = entries[key]
                entries[key] = (value, now)
            else:
                if len(entries) >= 16:
                    oldest = -1
                    age = now
                    for k in range(24):
                        if k in entries:
                            used = entries[k][1]
                            if used < age:
                                age = used
                                oldest = k
                    del entries[oldest]
                entries[key] = (key * key, now)
        return hits


class Bigrams(nn.Module):
    """Pairs of letters, counted, and a chain by the likeliest follower."""

    def forward(self, n: int) -> int:
        text = "abracadabra simsalabim hocus pocus fidibus"
        counts: Dict[str, int] = {}
        for _ in range(n):
            for i in range(len(text) - 1):
                pair = text[i:i + 2]
                counts[pair] = counts.get(pair, 0) + 1
        best = 0
        for pair, count in counts.items():
            if count > best:
                best = count
        return best * 1000 + len(counts)


class Knapsack(nn.Module):
    """The best value for each weight."""

    def forward(self, n: int) -> int:
        capacity = 1000
        best = [0] * (capacity + 1)
        for item in range(n):
            weight = 3 + item * 7 % 41
            value = 10 + item * 13 % 67
            for room in range(capacity, weight - 1, -1):
                best[room] = max(best[room], best[room - weight] + value)
        return best[capacity]


class FloodFill(nn.Module):
    """Regions of a picture in lists of lists, with a stack of tuples."""

    def forward(self, n: int) -> int:
        picture: List[List[int]] = []
        for y in range(n):
            row: List[int] = []
            for x in range(n):
                row.append(1 if (x * x + y * y * 3) % 11 < 7 else 0)
            picture.append(row)
        regions = 0
        largest = 0
        for y in range(n):
            for x in range(n):
                if picture[y][x] != 1:
                    continue
                regions += 1
                size = 0
                picture[y][x] = 2
                stack = [(x, y)]
                while len(stack) > 0:
                    px, py = stack.pop()
                    size += 1
                    if px > 0 and picture[py][px - 1] == 1:
                        picture[py][px - 1] = 2
                        stack.append((px - 1, py))
                    if px + 1 < n and picture[py][px + 1] == 1:
                        picture[py][px + 1] = 2
                        stack.append((px + 1, py))
                    if py > 0 and picture[py - 1][px] == 1:
                        picture[py - 1][px] = 2
                        stack.append((px, py - 1))
                    if py + 1 < n and picture[py + 1][px] == 1:
                        picture[py + 1][px] = 2
                        stack.append((px, py + 1))
                largest = max(largest, size)
        return regions * 10000 + largest


class Brackets(nn.Module):
    """Whether brackets match, with a stack of strings."""

    def forward(self, n: int) -> int:
        text = "{[(a+b)*(c-d)]/[x(y{z}w)]}((()))[[]]{}{[()()]}"
        depth = 0
        good = 0
        for _ in range(n):
            stack: List[str] = []
            matches = True
            for c in text:
                if c == "(" or c == "[" or c == "{":
                    stack.append(c)
                    depth = max(depth, len(stack))
                elif c == ")" or c == "]" or c == "}":
                    if len(stack) == 0:
                        matches = False
                        break
                    opened = stack.pop()
                    if (c == ")" and opened != "(") or (c == "]" and opened != "[") or (c == "}" and opened != "{"):
                        matches = False
                        break
            if matches and len(stack) == 0:
                good += 1
        return good * 10 + depth


class Calculator(nn.Module):
    """A tokenizer and a calculator with two stacks."""

    def forward(self, n: int) -> int:
        text = "12+34*5-6*7+89*2-3*4*5+6"
        total = 0
        for _ in range(n):
            numbers: List[int] = []
            signs: List[str] = []
            i = 0
            while i < len(text):
                number = 0
                while i < len(text) and ord(text[i]) >= 48 and ord(text[i]) <= 57:
                    number = number * 10 + ord(text[i]) - 48
                    i += 1
                if len(signs) > 0 and signs[-1] == "*":
                    signs.pop()
                    number = numbers.pop() * number
                numbers.append(number)
                if i < len(text):
                    signs.append(text[i])
                    i += 1
            result = numbers[0]
            for k in range(len(signs)):
                if signs[k] == "+":
                    result += numbers[k + 1]
                else:
                    result -= numbers[k + 1]
            total = (total + result) % 1000003
        return total


class ModularPower(nn.Module):
    """Powers by squaring."""

    def forward(self, n: int) -> int:
        total = 0
        for i in range(n):
            base = i % 1000 + 2
            exponent = 1000003 + i
            result = 1
            while exponent > 0:
                if exponent & 1 == 1:
                    result = result * base % 1000007
                base = base * base % 1000007
                exponent = exponent >> 1
            total = (total + result) % 1000007
        return total


class Life(nn.Module):
    """Conway's game in lists of lists."""

    def forward(self, n: int) -> int:
        size = 24
        cells: List[List[int]] = []
        for y in range(size):
            cells.append([1 if (x * 7 + y * 5) % 3 == 0 else 0 for x in range(size)])
        for _ in range(n):
            following: List[List[int]] = []
            for y in range(size):
                row: List[int] = []
                up = cells[y - 1]
                here = cells[y]
                down = cells[(y + 1) % size]
                for x in range(size):
                    left = x - 1
                    right = (x + 1) % size
                    count = up[left] + up[x] + up[right] + here[left] + here[right]
                    count += down[left] + down[x] + down[right]
                    if count == 3 or (count == 2 and here[x] == 1):
                        row.append(1)
                    else:
                        row.append(0)
                following.append(row)
            cells = following
        alive = 0
        for row in cells:
            for cell in row:
                alive += cell
        return alive


class RingQueue(nn.Module):
    """A queue in a ring of optional numbers."""

    def forward(self, n: int) -> int:
        ring: List[Optional[int]] = []
        for _ in range(64):
            ring.append(None)
        head = 0
        tail = 0
        served = 0
        for i in range(n):
            if ring[tail % 64] is None:
                ring[tail % 64] = i
                tail += 1
            if i % 3 != 0:
                first = ring[head % 64]
                if first is not None:
                    served = (served * 3 + first) % 1000003
                    ring[head % 64] = None
                    head += 1
        return served


class Transposition(nn.Module):
    """Rows and columns of a table exchanged, and prefix sums over it."""

    def forward(self, n: int) -> int:
        width = 40
        table = [0] * (width * width)
        for i in range(width * width):
            table[i] = i * 37 % 101
        for _ in range(n):
            for y in range(width):
                for x in range(y + 1, width):
                    a = y * width + x
                    b = x * width + y
                    kept = table[a]
                    table[a] = table[b]
                    table[b] = kept
            for y in range(width):
                for x in range(1, width):
                    table[y * width + x] = (table[y * width + x - 1] + table[y * width + x]) % 1009
        return table[width * width - 1]


# Program, argument of forward in a timed run of about a millisecond, argument of a short run.
PROGRAMS = [
    (NBody, 1000, 20), (SpectralNorm, 100, 10), (Sieve, 30000, 1000), (Queens, 8, 5), (QuickSort, 4000, 100),
    (InsertionSort, 600, 50), (MergeSort, 4000, 100), (EditDistance, 50, 2), (NestedMatrices, 40, 8),
    (ShortestPaths, 50, 8), (WordCount, 1000, 10), (TextScan, 300, 10), (ShiftHash, 100000, 1000),
    (BeamSearch, 500, 20), (SmallClasses, 20000, 1000), (Accounts, 30000, 1000), (Fannkuch, 7, 5),
    (Mandelbrot, 50, 10), (LongestCollatz, 20000, 1000), (StringBuilding, 1500, 100), (Cache, 8000, 500),
    (Bigrams, 500, 10), (Knapsack, 150, 10), (FloodFill, 100, 12), (Brackets, 300, 10), (Calculator, 500, 10),
    (ModularPower, 4000, 100), (Life, 60, 3), (RingQueue, 40000, 1000), (Transposition, 25, 2),
] + MORE + TEXT + TABLES + LISTS

"""More of the classic programs: what lists do as a whole (sorting, searching, sums, insertion), and parsers. Like those
of classic_programs.py."""
import math
from typing import Dict, List, Tuple

from torch import nn


class MedianFilter(nn.Module):
    """The middle of each window of five, by sorting it."""

    def forward(self, n: int) -> int:
        seed = 7
        samples: List[int] = []
        for i in range(n):
            seed = seed * 16807 % 2147483647
            samples.append(seed % 1000)
        total = 0
        for i in range(n - 4):
            total = (total * 3 + sorted(samples[i:i + 5])[2]) % 1000003
        return total


class Lottery(nn.Module):
    """Numbers drawn without repetition, and how many of a ticket are among them."""

    def forward(self, n: int) -> int:
        seed = 11
        ticket = [3, 14, 15, 26, 35, 42]
        won = 0
        for turn in range(n):
            drawn: List[int] = []
            while len(drawn) < 12:
                seed = seed * 16807 % 2147483647
                ball = seed // 65536 % 49 + 1
                if ball not in drawn:
                    drawn.append(ball)
            for t in ticket:
                if t in drawn:
                    won += 1 + drawn.index(t)
        return won


class PrefixSums(nn.Module):
    """Sums of ranges of a long list, after updates of ranges."""

    def forward(self, n: int) -> int:
        change = [0] * (n + 1)
        seed = 5
        for q in range(n // 4):
            seed = seed * 16807 % 2147483647
            low = seed // 256 % n
            change[low] += q
            change[n] -= q
        sums = [0] * (n + 1)
        level = 0
        for i in range(n):
            level += change[i]
            sums[i + 1] = sums[i] + level
        total = 0
        for i in range(0, n, 7):
            total = (total + sums[n - i] - sums[i // 2]) % 1000003
        return total


class HuffmanCodes(nn.Module):
    """The length of a text in Huffman's code: the two rarest are joined, in a list that is kept sorted."""

    def forward(self, n: int) -> int:
        text = "it was the best of times it was the worst of times it was the age of wisdom"
        total = 0
        for turn in range(n):
            counts: Dict[str, int] = {}
            for c in text:
                counts[c] = counts.get(c, 0) + 1 + turn % 2
            heap: List[Tuple[int, int]] = []
            order = 0
            for c in counts.keys():
                heap.append((counts[c], order))
                order += 1
            heap.sort(reverse=True)
            while len(heap) > 1:
                a = heap.pop()
                b = heap.pop()
                joined = a[0] + b[0]
                total = (total + joined) % 1000003
                at = len(heap)
                while at > 0 and heap[at - 1][0] <= joined:
                    at -= 1
                heap.insert(at, (joined, order))
                order += 1
        return total


class LatinSquares(nn.Module):
    """Squares in which no number stands twice in a row or column, counted by going back."""

    def forward(self, n: int) -> int:
        cells = [-1] * (n * n)
        rows = [0] * n
        columns = [0] * n
        at = 0
        count = 0
        while at >= 0:
            r = at // n
            c = at % n
            v = cells[at]
            if v >= 0:
                rows[r] ^= 1 << v
                columns[c] ^= 1 << v
            v += 1
            used = rows[r] | columns[c]
            while v < n and (used >> v) & 1 == 1:
                v += 1
            if v == n:
                cells[at] = -1
                at -= 1
            else:
                cells[at] = v
                rows[r] ^= 1 << v
                columns[c] ^= 1 << v
                if at == n * n - 1:
                    count += 1
                else:
                    at += 1
        return count


class Annealing(nn.Module):
    """A short way through points, by exchanges that are taken at random."""

    def forward(self, n: int) -> int:
        xs: List[float] = []
        ys: List[float] = []
        seed = 3
        for i in range(40):
            seed = seed * 16807 % 2147483647
            xs.append(float(seed // 65536 % 1000))
            seed = seed * 16807 % 2147483647
            ys.append(float(seed // 65536 % 1000))
        way = [i for i in range(40)]
        heat = 500.0
        taken = 0
        for turn in range(n):
            seed = seed * 16807 % 2147483647
            i = seed // 65536 % 38 + 1
            a = way[i - 1]
            b = way[i]
            c = way[i + 1]
            d = way[(i + 2) % 40]
            before = math.sqrt((xs[a] - xs[b]) ** 2 + (ys[a] - ys[b]) ** 2) + math.sqrt((xs[c] - xs[d]) ** 2 + (ys[c] - ys[d]) ** 2)
            after = math.sqrt((xs[a] - xs[c]) ** 2 + (ys[a] - ys[c]) ** 2) + math.sqrt((xs[b] - xs[d]) ** 2 + (ys[b] - ys[d]) ** 2)
            seed = seed * 16807 % 2147483647
            if after < before or math.exp((before - after) / heat) > float(seed) / 2147483647.0:
                way[i] = c
                way[i + 1] = b
                taken += 1
            heat = heat * 0.999
        return taken * 100 + way[1]


class TextWrap(nn.Module):
    """Words in lines of at most thirty letters."""

    def forward(self, n: int) -> int:
        words = "when in the course of human events it becomes necessary for one people to dissolve the bands".split()
        total = 0
        for turn in range(n):
            lines: List[str] = []
            line: List[str] = []
            width = 0
            for w in words:
                if len(line) > 0 and width + 1 + len(w) > 30:
                    lines.append(" ".join(line))
                    line = []
                    width = 0
                width += len(w) + (1 if len(line) > 0 else 0)
                line.append(w)
            lines.append(" ".join(line))
            text = "\n".join(lines)
            total = (total * 7 + len(text) + len(lines) * turn) % 1000003
        return total


class NestedText(nn.Module):
    """A text of nested lists of numbers, read letter by letter: the sum of all, each times its depth."""

    def forward(self, n: int) -> int:
        text = "[12, [7, [144, -3], []], 5, [[[[9]]], 10, -21], 1000]"
        total = 0
        for turn in range(n):
            at = 0
            depth: List[int] = []
            while at < len(text):
                c = text[at]
                if c == "[":
                    depth.append(0)
                    at += 1
                elif c == "]":
                    inner = depth.pop()
                    if len(depth) > 0:
                        depth[-1] += inner * 2
                    else:
                        total = (total * 3 + inner) % 1000003
                    at += 1
                elif c == "," or c == " ":
                    at += 1
                else:
                    sign = 1
                    if c == "-":
                        sign = -1
                        at += 1
                    value = 0
                    while at < len(text) and text[at].isdigit():
                        value = value * 10 + ord(text[at]) - 48
                        at += 1
                    depth[-1] += sign * value
        return total


class Mixing(nn.Module):
    """Rotations, sums and exclusive ors of words of 16 bits, as digests mix them."""

    def forward(self, n: int) -> int:
        mask = 65535
        state = [8961, 43913, 56574, 21622]
        for r in range(n):
            a = state[0]
            b = state[1]
            c = state[2]
            d = state[3]
            f = (b & c) | ((b ^ mask) & d)
            s = (a + f + r * 40503) & mask
            k = r % 11 + 3
            s = ((s << k) & mask) | (s >> (16 - k))
            state[0] = d
            state[1] = (b + s) & mask
            state[2] = b
            state[3] = c
        return state[0] ^ state[1] ^ state[2] ^ state[3]


class Increasing(nn.Module):
    """The longest increasing part of a row of numbers, by searches in halves."""

    def forward(self, n: int) -> int:
        tails: List[int] = []
        seed = 9
        for i in range(n):
            seed = seed * 16807 % 2147483647
            v = seed // 1024 % 100000
            low = 0
            high = len(tails)
            while low < high:
                middle = (low + high) // 2
                if tails[middle] < v:
                    low = middle + 1
                else:
                    high = middle
            if low == len(tails):
                tails.append(v)
            else:
                tails[low] = v
        return len(tails) * 1000 + sum(tails) % 1000


class Pascal(nn.Module):
    """Rows of Pascal's triangle, each made of the last one."""

    def forward(self, n: int) -> int:
        row = [1]
        total = 0
        for i in range(n):
            row = [1] + [(row[k] + row[k + 1]) % 1000003 for k in range(len(row) - 1)] + [1]
            total = (total + row[len(row) // 2] + max(row) - min(row)) % 1000003
        return total


class RunningMedian(nn.Module):
    """The middle of all numbers so far, which are kept in order."""

    def forward(self, n: int) -> int:
        kept: List[int] = []
        seed = 17
        total = 0
        for i in range(n):
            seed = seed * 16807 % 2147483647
            v = seed // 65536 % 10000
            low = 0
            high = len(kept)
            while low < high:
                middle = (low + high) // 2
                if kept[middle] < v:
                    low = middle + 1
                else:
                    high = middle
            kept.insert(low, v)
            total = (total + kept[len(kept) // 2]) % 1000003
        return total


class Josephus(nn.Module):
    """Who is left of those in a ring when each seventh goes."""

    def forward(self, n: int) -> int:
        total = 0
        for people in range(2, n):
            ring = [i for i in range(people)]
            at = 0
            while len(ring) > 1:
                at = (at + 6) % len(ring)
                ring.pop(at)
            total += ring[0]
        return total


class LookAndSay(nn.Module):
    """Each row says aloud what it sees in the last one."""

    def forward(self, n: int) -> int:
        row = "1"
        for turn in range(n):
            said: List[str] = []
            at = 0
            while at < len(row):
                end = at + 1
                while end < len(row) and row[end] == row[at]:
                    end += 1
                said.append(str(end - at) + row[at])
                at = end
            row = "".join(said)
        return len(row)


class Statistics(nn.Module):
    """Mean, middle, spread and the most frequent of samples."""

    def forward(self, n: int) -> int:
        samples: List[float] = []
        seed = 23
        for i in range(n):
            seed = seed * 16807 % 2147483647
            samples.append(float(seed // 65536 % 200) * 0.5)
        mean = sum(samples) / n
        spread = 0.0
        counts: Dict[float, int] = {}
        for s in samples:
            spread += (s - mean) * (s - mean)
            counts[s] = counts.get(s, 0) + 1
        ordered = sorted(samples)
        often = 0
        for s in ordered:
            often = max(often, counts[s])
        return int(mean * 1000.0) + int(math.sqrt(spread / n) * 1000.0) + int(ordered[n // 2] * 10.0) + often


# As in classic_programs.py.
LISTS = [
    (MedianFilter, 1500, 20), (Lottery, 150, 3), (PrefixSums, 20000, 40), (HuffmanCodes, 20, 2), (LatinSquares, 4, 3),
    (Annealing, 2000, 30), (TextWrap, 60, 3), (NestedText, 40, 2), (Mixing, 4000, 20), (Increasing, 2500, 30),
    (Pascal, 90, 8), (RunningMedian, 1200, 30), (Josephus, 60, 12), (LookAndSay, 22, 5), (Statistics, 2500, 40),
]

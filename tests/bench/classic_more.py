"""More of the classic programs: transforms, sets, tokens, encodings, tables and numbers of many digits. Like those of
classic_programs.py."""
import math
from typing import Dict, List

from torch import nn


class Fourier(nn.Module):
    """A fast Fourier transform in lists of floats, there and back."""

    def forward(self, n: int) -> int:
        re: List[float] = []
        im = [0.0] * n
        for i in range(n):
            re.append(float(i * 7 % 13) - 6.0)
        for turn in range(2):
            j = 0
            for i in range(1, n):
                bit = n // 2
                while j >= bit:
                    j -= bit
                    bit = bit // 2
                j += bit
                if i < j:
                    re[i], re[j] = re[j], re[i]
                    im[i], im[j] = im[j], im[i]
            width = 2
            while width <= n:
                angle = 6.283185307179586 / float(width)
                if turn == 1:
                    angle = -angle
                step_re = math.cos(angle)
                step_im = math.sin(angle)
                for start in range(0, n, width):
                    w_re = 1.0
                    w_im = 0.0
                    for k in range(start, start + width // 2):
                        other = k + width // 2
                        x = re[other] * w_re - im[other] * w_im
                        y = re[other] * w_im + im[other] * w_re
                        re[other] = re[k] - x
                        im[other] = im[k] - y
                        re[k] += x
                        im[k] += y
                        x = w_re * step_re - w_im * step_im
                        w_im = w_re * step_im + w_im * step_re
                        w_re = x
                width *= 2
        total = 0.0
        for i in range(n):
            total += re[i] * float(i % 5)
        return int(total / float(n) + 0.5)


class UnionFind(nn.Module):
    """Sets that grow together, with shorter ways each time one is asked for."""

    def find(self, parent: List[int], i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    def forward(self, n: int) -> int:
        parent: List[int] = []
        size: List[int] = []
        for i in range(n):
            parent.append(i)
            size.append(1)
        seed = 3
        sets = n
        while sets > n // 10:
            seed = (seed * 16807) % 2147483647
            a = self.find(parent, seed % n)
            seed = (seed * 16807) % 2147483647
            b = self.find(parent, seed % n)
            if a != b:
                if size[a] < size[b]:
                    a, b = b, a
                parent[b] = a
                size[a] += size[b]
                sets -= 1
        largest = 0
        for i in range(n):
            largest = max(largest, size[i])
        return largest


class BytePairs(nn.Module):
    """The commonest pairs of a text's symbols become symbols."""

    def forward(self, n: int) -> int:
        text = "the cat sat on the mat and the rat sat on that cat while the bat ate the hat"
        symbols: List[int] = []
        for i in range(len(text)):
            symbols.append(ord(text[i]))
        fresh = 256
        for merge in range(n):
            if merge % 30 == 0:
                symbols = []
                for i in range(len(text)):
                    symbols.append(ord(text[i]))
            counts: Dict[int, int] = {}
            best = 0
            best_count = 0
            for i in range(len(symbols) - 1):
                pair = symbols[i] * 4096 + symbols[i + 1]
                count = 1
                if pair in counts:
                    count += counts[pair]
                counts[pair] = count
                if count > best_count:
                    best = pair
                    best_count = count
            joined: List[int] = []
            i = 0
            while i < len(symbols):
                if i + 1 < len(symbols) and symbols[i] * 4096 + symbols[i + 1] == best:
                    joined.append(fresh)
                    i += 2
                else:
                    joined.append(symbols[i])
                    i += 1
            symbols = joined
            fresh = 256 + (fresh - 255) % 3000
        return len(symbols) * 10000 + fresh


class Base64(nn.Module):
    """Bytes written as letters, and read back."""

    def forward(self, n: int) -> int:
        alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        values: Dict[str, int] = {}
        for i in range(len(alphabet)):
            values[alphabet[i]] = i
        letters: List[str] = []
        for i in range(n):
            word = (i * 7919 + 13) % 16777216
            letters.append(alphabet[word // 262144])
            letters.append(alphabet[word // 4096 % 64])
            letters.append(alphabet[word // 64 % 64])
            letters.append(alphabet[word % 64])
        text = "".join(letters)
        check = 0
        for i in range(0, len(text), 4):
            word = 0
            for k in range(4):
                word = word * 64 + values[text[i + k]]
            check = (check * 31 + word) % 1000003
        return check


class MatrixChain(nn.Module):
    """The cheapest order of a product of matrices, in a table of lists."""

    def forward(self, n: int) -> int:
        sizes: List[int] = []
        for i in range(n + 1):
            sizes.append(5 + i * 17 % 23)
        cost: List[List[int]] = []
        for i in range(n):
            cost.append([0] * n)
        for length in range(2, n + 1):
            for i in range(n - length + 1):
                j = i + length - 1
                best = 1000000000
                for k in range(i, j):
                    total = cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
                    if total < best:
                        best = total
                cost[i][j] = best
        return cost[0][n - 1]


class Wildcards(nn.Module):
    """Names that fit patterns with * and ?."""

    def fits(self, name: str, pattern: str) -> bool:
        at = 0
        p = 0
        star = -1
        back = 0
        while at < len(name):
            if p < len(pattern) and (pattern[p] == "?" or pattern[p] == name[at]):
                at += 1
                p += 1
            elif p < len(pattern) and pattern[p] == "*":
                star = p
                back = at
                p += 1
            elif star >= 0:
                p = star + 1
                back += 1
                at = back
            else:
                return False
        while p < len(pattern) and pattern[p] == "*":
            p += 1
        return p == len(pattern)

    def forward(self, n: int) -> int:
        names = ["layer1.conv.weight", "layer1.norm.bias", "layer2.conv.weight", "head.linear.bias", "aaaaaaaaaaaaab"]
        patterns = ["*.weight", "layer?.*", "*a*a*b", "*.norm.*", "head*", "*conv?weight"]
        found = 0
        for _ in range(n):
            for name in names:
                for pattern in patterns:
                    if self.fits(name, pattern):
                        found += 1
        return found


class BigNumbers(nn.Module):
    """A factorial in lists of digits, and the sum of its digits."""

    def forward(self, n: int) -> int:
        digits = [1]
        for factor in range(2, n + 1):
            carry = 0
            for i in range(len(digits)):
                product = digits[i] * factor + carry
                digits[i] = product % 10000
                carry = product // 10000
            while carry > 0:
                digits.append(carry % 10000)
                carry = carry // 10000
        total = 0
        for group in digits:
            while group > 0:
                total += group % 10
                group = group // 10
        return total * 1000 + len(digits)


class Tokens(nn.Module):
    """Numbers, names and signs of a program's text, as lists."""

    def forward(self, n: int) -> int:
        text = "let alpha = 12 + beta * (345 - gamma) / 6; if alpha >= 78 then print(alpha, 9) end; "
        total = 0
        for _ in range(n):
            kinds: List[int] = []
            lengths: List[int] = []
            numbers = 0
            at = 0
            while at < len(text):
                start = at
                c = text[at]
                if c == " ":
                    at += 1
                    continue
                if c >= "0" and c <= "9":
                    value = 0
                    while at < len(text) and text[at] >= "0" and text[at] <= "9":
                        value = value * 10 + ord(text[at]) - 48
                        at += 1
                    numbers += value
                    kinds.append(1)
                elif c >= "a" and c <= "z":
                    while at < len(text) and text[at] >= "a" and text[at] <= "z":
                        at += 1
                    kinds.append(2)
                else:
                    at += 1
                    kinds.append(3)
                lengths.append(at - start)
            for i in range(len(kinds)):
                total = (total + kinds[i] * lengths[i] + numbers) % 1000007
        return total


class Pendulum(nn.Module):
    """A pendulum by Runge-Kutta, and how much energy is lost at worst."""

    def forward(self, n: int) -> int:
        angle = 1.2
        speed = 0.0
        worst = 0.0
        step = 0.01
        start = 9.81 * (1 - math.cos(1.2))
        for _ in range(n):
            k1 = -9.81 * math.sin(angle)
            k2 = -9.81 * math.sin(angle + 0.5 * step * speed)
            k3 = -9.81 * math.sin(angle + 0.5 * step * (speed + 0.5 * step * k1))
            k4 = -9.81 * math.sin(angle + step * (speed + 0.5 * step * k2))
            angle += step * speed + step * step * (k1 + k2 + k3) / 6
            speed += step * (k1 + 2 * k2 + 2 * k3 + k4) / 6
            energy = 0.5 * speed * speed + 9.81 * (1 - math.cos(angle))
            worst = max(worst, abs(energy - start))
        return math.floor((angle * 1000 + math.sqrt(worst) * 100) * 100)


class Distances(nn.Module):
    """Great circles between places."""

    def forward(self, n: int) -> int:
        total = 0.0
        for i in range(n):
            lat1 = math.radians((i * 37) % 180 - 90)
            lon1 = math.radians((i * 73) % 360 - 180)
            lat2 = math.radians((i * 53) % 180 - 90)
            lon2 = math.radians((i * 19) % 360 - 180)
            a = math.sin((lat2 - lat1) / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
            total += 6371.0 * 2 * math.asin(math.sqrt(min(1.0, a)))
        return math.floor(total)


def noise_at(i: int) -> float:
    v = math.sin(i * 12.9898) * 43758.5453
    return v - math.floor(v)


class ValueNoise(nn.Module):
    """Heights of a landscape: four octaves of random values with smooth steps between them."""

    def forward(self, n: int) -> int:
        total = 0.0
        for i in range(n):
            x = i * 0.137
            height = 0.0
            size = 1.0
            for _ in range(4):
                cell = math.floor(x)
                t = x - cell
                t = t * t * (3 - 2 * t)
                height += size * (noise_at(cell) + (noise_at(cell + 1) - noise_at(cell)) * t)
                x *= 2
                size /= 2
            total += height
        return math.floor(total * 1000)


# As in classic_programs.py.
MORE = [
    (Fourier, 4096, 16), (UnionFind, 20000, 100), (BytePairs, 750, 5), (Base64, 5000, 20), (MatrixChain, 72, 8),
    (Wildcards, 160, 1), (BigNumbers, 700, 20), (Tokens, 900, 3),
    (Pendulum, 5000, 40), (Distances, 5000, 20), (ValueNoise, 1500, 10),
]

"""Still more of the classic programs: texts, and tables with texts as keys. Like those of classic_programs.py."""
from typing import Dict, List, Tuple

from torch import nn


class RunLengths(nn.Module):
    """A text as its runs of equal letters, and back."""

    def forward(self, n: int) -> int:
        text = "aaaabbbccd" + "eeeeeeeeeeee" + "fghhhhh" + "iiiijjjjjjjk"
        total = 0
        for turn in range(n):
            packed: List[str] = []
            start = 0
            while start < len(text):
                end = start
                while end < len(text) and text[end] == text[start]:
                    end += 1
                packed.append(str(end - start) + text[start])
                start = end
            whole = ""
            for run in packed:
                letter = run[-1:]
                for i in range(int(run[:-1])):
                    whole += letter
            if whole == text:
                total += len("".join(packed))
            text = text[1:] + text[0]
        return total


class Anagrams(nn.Module):
    """Words grouped by their letters in order."""

    def forward(self, n: int) -> int:
        words = "listen silent enlist google elgoog abc cab bca tinsel inlets rat tar art banana".split(" ")
        groups: Dict[str, List[int]] = {}
        for turn in range(n):
            for at in range(len(words)):
                letters: List[str] = []
                for c in words[at]:
                    letters.append(c)
                letters.sort()
                key = "".join(letters)
                if key not in groups:
                    members: List[int] = []
                    groups[key] = members
                groups[key].append(at)
        total = len(groups)
        for key, found in groups.items():
            total += len(found) * len(key)
        return total


class TableLines(nn.Module):
    """Lines of values between commas, some of them in quotes; sums by the first column."""

    def forward(self, n: int) -> int:
        lines = ["north,12,\"a, b\",7", "south,3,plain,11", "east,44,\"\",1", "north,5,\"x,y,z\",9", "west,8,word,2"]
        sums: Dict[str, int] = {}
        fields = 0
        for turn in range(n):
            for line in lines:
                row: List[str] = []
                at = 0
                while at <= len(line):
                    end = at
                    if at < len(line) and line[at] == "\"":
                        end = at + 1
                        while line[end] != "\"":
                            end += 1
                        row.append(line[at + 1:end])
                        end += 1
                    else:
                        while end < len(line) and line[end] != ",":
                            end += 1
                        row.append(line[at:end])
                    at = end + 1
                fields += len(row)
                sums[row[0]] = sums.get(row[0], 0) + int(row[1]) * int(row[3])
        total = fields
        for key, value in sums.items():
            total += len(key) * value
        return total


class RomanNumerals(nn.Module):
    """Numbers as Roman numerals, and back."""

    def forward(self, n: int) -> int:
        values = [1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1]
        signs = ["M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"]
        worth = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
        total = 0
        for number in range(1, n):
            rest = number
            text = ""
            for i in range(len(values)):
                while rest >= values[i]:
                    text += signs[i]
                    rest -= values[i]
            back = 0
            for i in range(len(text)):
                value = worth[text[i]]
                if i + 1 < len(text) and worth[text[i + 1]] > value:
                    back -= value
                else:
                    back += value
            if back == number:
                total += len(text)
        return total


class Caesar(nn.Module):
    """Letters moved along the alphabet."""

    def forward(self, n: int) -> int:
        text = "The Quick Brown Fox Jumps Over The Lazy Dog, 1234 Times!"
        for turn in range(n):
            moved: List[str] = []
            for c in text:
                if "a" <= c and c <= "z":
                    moved.append(chr((ord(c) - 97 + 3) % 26 + 97))
                elif "A" <= c and c <= "Z":
                    moved.append(chr((ord(c) - 65 + 3) % 26 + 65))
                else:
                    moved.append(c)
            text = "".join(moved)
        total = 0
        for c in text:
            total = (total * 31 + ord(c)) % 1000003
        return total


class RecentlyUsed(nn.Module):
    """A table of limited size whose keys stand in a ring, the latest first."""

    def forward(self, n: int) -> int:
        limit = 32
        values: Dict[int, int] = {}
        before: Dict[int, int] = {-1: -1}
        behind: Dict[int, int] = {-1: -1}
        hits = 0
        seed = 7
        for turn in range(n):
            seed = seed * 16807 % 2147483647
            key = seed % 50
            if key in values:
                hits += values[key]
                behind[before[key]] = behind[key]
                before[behind[key]] = before[key]
            else:
                if len(values) >= limit:
                    oldest = before[-1]
                    before[-1] = before[oldest]
                    behind[before[oldest]] = -1
                    del values[oldest]
                values[key] = key + 1
            first = behind[-1]
            behind[key] = first
            before[key] = -1
            before[first] = key
            behind[-1] = key
        return hits


class TopologicalOrder(nn.Module):
    """Tasks in an order in which each follows what it needs."""

    def forward(self, n: int) -> int:
        names = "shirt tie jacket belt trousers shoes socks pants watch hat coat scarf".split(" ")
        pairs = [(0, 1), (1, 2), (0, 3), (3, 2), (4, 3), (4, 5), (6, 5), (7, 4), (7, 5), (2, 10), (10, 11), (9, 11)]
        total = 0
        for turn in range(n):
            needs: Dict[str, int] = {}
            followers: Dict[str, List[str]] = {}
            for name in names:
                needs[name] = 0
                none: List[str] = []
                followers[name] = none
            for first, second in pairs:
                followers[names[first]].append(names[second])
                needs[names[second]] += 1
            ready: List[str] = []
            for name in names:
                if needs[name] == 0:
                    ready.append(name)
            at = 0
            while at < len(ready):
                for follower in followers[ready[at]]:
                    needs[follower] -= 1
                    if needs[follower] == 0:
                        ready.append(follower)
                at += 1
            total += len(ready) * len(ready[turn % len(ready)])
        return total


class PrimeFactors(nn.Module):
    """How often each prime divides the numbers up to n."""

    def forward(self, n: int) -> int:
        least = [0] * (n + 1)
        for i in range(2, n + 1):
            if least[i] == 0:
                for k in range(i, n + 1, i):
                    if least[k] == 0:
                        least[k] = i
        powers: Dict[int, int] = {}
        for i in range(2, n + 1):
            rest = i
            while rest > 1:
                prime = least[rest]
                if prime in powers:
                    powers[prime] += 1
                else:
                    powers[prime] = 1
                rest = rest // prime
        total = 0
        for prime, power in powers.items():
            total += prime * power
        return total


class Palindromes(nn.Module):
    """Pieces of a text that read the same backwards."""

    def forward(self, n: int) -> int:
        text = "neveroddoreven a man a plan a canal panama step on no pets"
        found = 0
        for turn in range(n):
            for length in range(3, 7):
                for at in range(len(text) - length + 1):
                    piece = text[at:at + length]
                    if piece == piece[::-1]:
                        found += length
        return found


class NearestWords(nn.Module):
    """For misspelled words the word that takes the fewest changes."""

    def distance(self, a: str, b: str) -> int:
        row: List[int] = []
        for i in range(len(b) + 1):
            row.append(i)
        for i in range(len(a)):
            diagonal = row[0]
            row[0] = i + 1
            for k in range(len(b)):
                cost = diagonal + (0 if a[i] == b[k] else 1)
                diagonal = row[k + 1]
                row[k + 1] = min(min(row[k] + 1, row[k + 1] + 1), cost)
        return row[len(b)]

    def forward(self, n: int) -> int:
        words = ["apple", "orange", "banana", "cherry", "grape", "melon", "peach"]
        typed = ["aple", "ornge", "banan", "chery", "graep", "lemon", "beach", "cheapest"]
        total = 0
        for turn in range(n):
            for word in typed:
                best = 1000
                chosen = ""
                for candidate in words:
                    d = self.distance(word, candidate)
                    if d < best:
                        best = d
                        chosen = candidate
                total += best * len(chosen)
        return total


class Shelves(nn.Module):
    """Tables in a table: what lies where, moved about."""

    def forward(self, n: int) -> int:
        shelves: Dict[str, Dict[str, int]] = {}
        places = ["left", "right", "top"]
        things = ["book", "cup", "lamp", "box", "pen"]
        for turn in range(n):
            place = places[turn * 7 % 3]
            thing = things[turn * 11 % 5]
            if place not in shelves:
                empty: Dict[str, int] = {}
                shelves[place] = empty
            shelf = shelves[place]
            shelf[thing] = shelf.get(thing, 0) + turn % 13
            other = places[(turn + 1) % 3]
            if other in shelves and thing in shelves[other] and shelves[other][thing] > 20:
                shelves[other][thing] -= 20
                shelf[thing] += 20
        total = 0
        for place, shelf in shelves.items():
            for thing, count in shelf.items():
                total += count * len(thing)
        return total


class MostFrequent(nn.Module):
    """Words of a text by how often they stand in it."""

    def forward(self, n: int) -> int:
        text = "it was the best of times it was the worst of times it was the age of wisdom it was the age of foolishness"
        total = 0
        for turn in range(n):
            counts: Dict[str, int] = {}
            for word in text.split(" "):
                if word in counts:
                    counts[word] += 1
                else:
                    counts[word] = 1
            order: List[Tuple[int, str]] = []
            for word, count in counts.items():
                order.append((-count, word))
            order.sort()
            for i in range(3):
                total += order[i][0] * len(order[i][1])
        return -total


# As in classic_programs.py.
TEXT = [
    (RunLengths, 200, 5), (Anagrams, 100, 3), (TableLines, 200, 5), (RomanNumerals, 500, 50), (Caesar, 100, 3),
    (RecentlyUsed, 5000, 100), (TopologicalOrder, 150, 3), (PrimeFactors, 6000, 100), (Palindromes, 30, 2),
    (NearestWords, 20, 1), (Shelves, 8000, 50), (MostFrequent, 150, 3),
]

"""The programs of the language test: methods of two modules, each about one part of the language.

`Portable` holds what PyTorch's lite interpreter accepts as well (tests/mobile makes .ptl files of it); `Language` adds
the rest. CASES says with which arguments each method is called, SEQUENCES the same for consecutive calls of one
instance; record.py writes the archive and PyTorch's answers."""
import math
from enum import Enum
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

import torch
from torch import Tensor, nn


class Point(NamedTuple):
    x: int
    y: float


class Portable(nn.Module):
    calls: int
    last: Optional[Tensor]
    seen: Dict[str, int]

    def __init__(self):
        super().__init__()
        self.calls = 0
        self.last = None
        self.seen = {}
        self.names: List[str] = ["zero", "one", "two"]
        self.register_buffer("table", torch.arange(6.0).reshape(2, 3))
        self.layers = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])
        with torch.no_grad():
            for i, layer in enumerate(self.layers):
                layer.weight.copy_(torch.eye(3) * (i + 2))
                layer.bias.fill_(0.5)

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = torch.relu(layer(x))
        return x + self.table.sum()

    # ---- Numbers ----

    @torch.jit.export
    def integers(self, a: int, b: int) -> List[int]:
        return [a + b, a - b, a * b, a // b, a % b, -a, a & b, a | b, a ^ b, a << 3, a >> 1, abs(a), min(a, b), max(a, b)]

    @torch.jit.export
    def wraps_around(self, a: int) -> Tuple[int, int]:
        return a * a, a + 9223372036854775807

    @torch.jit.export
    def floats(self, a: float, b: float) -> List[float]:
        return [a + b, a - b, a * b, a / b, a // b, a % b, -a, abs(a), min(a, b), max(a, b), float(int(a)), a ** 2.0]

    @torch.jit.export
    def mixed(self, i: int, f: float) -> Tuple[float, float, bool, float]:
        return i * f, i / 4, i < f, round(f)

    @torch.jit.export
    def mathematics(self, x: float) -> List[float]:
        return [math.sqrt(x), math.exp(x), math.log(x), math.sin(x), math.atan2(x, 2.0), math.pow(x, 3.0),
                float(math.floor(x)), float(math.ceil(x)), math.fmod(x, 2.0), math.pi]

    @torch.jit.export
    def complexes(self, re: float, im: float) -> Tuple[complex, float, float]:
        z = complex(re, im)
        return z * z + 1, abs(z), re

    @torch.jit.export
    def truth(self, a: bool, b: bool, n: int) -> List[bool]:
        return [a and b, a or b, not a, a == b, a != b, bool(n), 0 < n and n < 10, n in [1, 2, 3]]

    @torch.jit.export
    def division(self, a: int, b: int) -> int:
        return a // b

    # ---- Text ----

    @torch.jit.export
    def text(self, s: str) -> List[str]:
        return [s.upper(), s.strip(), s.replace("a", "oo"), s[1:4], s[-1], s + "!", s + s, "-".join(s.split(" ")), s.title()]

    @torch.jit.export
    def text_questions(self, s: str) -> List[int]:
        return [len(s), s.find("b"), s.count("a"), ord(s[0]), int(s.startswith("ab")), int(s.endswith("c")), int(s == "abc"),
                int("b" in s), int(s.isalpha())]

    @torch.jit.export
    def formats(self, i: int, f: float, s: str) -> List[str]:
        return ["{} {} {}".format(i, f, s), str(f), str(i), "%d %s" % (i, s), hex(i), bin(i), chr(i % 26 + 65), f"{i}:{s}"]

    @torch.jit.export
    def parses(self, a: str, b: str) -> Tuple[int, float]:
        return int(a), float(b)

    @torch.jit.export
    def splits(self, s: str) -> Tuple[List[str], List[str], Tuple[str, str, str]]:
        return s.split(","), s.splitlines(), s.partition(",")

    # ---- Lists, tuples, dicts ----

    @torch.jit.export
    def lists(self, l: List[int]) -> List[int]:
        l.append(7)
        l.insert(0, 5)
        l.extend([1, 1])
        l.remove(1)
        popped = l.pop()
        l.reverse()
        l[0] += popped
        return l + [len(l), l.index(5), l.count(1), sum(l)]

    @torch.jit.export
    def slices(self, l: List[int]) -> List[List[int]]:
        return [l[1:3], l[::-1], l[:-1], l[::2], l[5:], l * 2]

    @torch.jit.export
    def sorts(self, l: List[float], words: List[str]) -> Tuple[List[float], List[str], List[float]]:
        ordered = sorted(l)
        words.sort()
        l.sort(reverse=True)
        return ordered, words, l

    @torch.jit.export
    def comprehends(self, n: int) -> Tuple[List[int], Dict[int, int], List[str]]:
        return [i * i for i in range(n)], {i: i + 1 for i in range(n)}, [w.upper() for w in self.names]

    @torch.jit.export
    def nested(self, n: int) -> List[List[int]]:
        rows: List[List[int]] = []
        for i in range(n):
            row: List[int] = []
            for j in range(i + 1):
                row.append(1 if j == 0 or j == i else rows[i - 1][j - 1] + rows[i - 1][j])
            rows.append(row)
        return rows

    @torch.jit.export
    def tuples(self, a: int, b: str) -> Tuple[str, int, Tuple[int, str]]:
        pair = (a, b)
        x, y = pair
        return y + pair[1], x + pair[0], pair[:2]

    @torch.jit.export
    def named_tuples(self, a: int) -> Tuple[int, float, float]:
        p = Point(a, 2.5)
        q = Point(x=p.x + 1, y=p.y * 2)
        return q.x, q.y, p[1]

    @torch.jit.export
    def dicts(self, d: Dict[str, int]) -> Tuple[List[str], List[int], int, bool, Dict[str, int]]:
        d["new"] = 3
        total = 0
        for k, v in d.items():
            total += v * len(k)
        first = list(d.keys())[0]
        d.pop(first)
        return list(d.keys()), list(d.values()), total + d.get("none", 100), "new" in d, d

    @torch.jit.export
    def counts(self, words: List[str]) -> Dict[str, int]:
        found: Dict[str, int] = {}
        for w in words:
            if w in found:
                found[w] += 1
            else:
                found[w] = 1
        return found

    @torch.jit.export
    def int_dicts(self, n: int) -> List[Tuple[int, float]]:
        d = torch.jit.annotate(Dict[int, float], {})
        for i in range(n, 0, -1):
            d[i * 7 % 5] = i / 2
        return [(k, v) for k, v in d.items()]

    # ---- Control flow ----

    @torch.jit.export
    def branches(self, n: int) -> str:
        if n < 0:
            return "negative"
        elif n == 0:
            return "zero"
        kind = "even" if n % 2 == 0 else "odd"
        if n > 100:
            kind += " and large"
        return kind

    @torch.jit.export
    def loops(self, n: int) -> List[int]:
        found: List[int] = []
        for i in range(2, n):
            is_prime = True
            for p in found:
                if p * p > i:
                    break
                if i % p == 0:
                    is_prime = False
                    break
            if not is_prime:
                continue
            found.append(i)
        return found

    @torch.jit.export
    def collatz(self, n: int) -> int:
        steps = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps

    @torch.jit.export
    def early_return(self, l: List[int], wanted: int) -> int:
        for i, x in enumerate(l):
            if x == wanted:
                return i
        return -1

    @torch.jit.export
    def walks(self, a: List[int], b: List[str]) -> List[str]:
        out: List[str] = []
        for x, y in zip(a, b):
            out.append(str(x) + y)
        for i, (x, y) in enumerate(zip(a, b)):
            out.append(str(i * x) + y)
        for c in "xyz":
            out.append(c)
        return out

    @torch.jit.export
    def fibonacci(self, n: int) -> List[int]:
        a, b = 0, 1
        out: List[int] = []
        while len(out) < n:
            out.append(a)
            a, b = b, a + b
        return out

    # ---- Optional, Any, refinement ----

    @torch.jit.export
    def optionals(self, a: Optional[int], b: Optional[str] = None) -> Tuple[int, str]:
        n = 0
        if a is not None:
            n = a + 1
        s = "none" if b is None else b.upper()
        return n, s

    @torch.jit.export
    def finds(self, l: List[int], least: int) -> Optional[int]:
        best: Optional[int] = None
        for x in l:
            if x >= least and (best is None or x < best):
                best = x
        return best

    @torch.jit.export
    def anything(self, n: int) -> List[str]:
        values: List[Any] = [n, float(n), str(n), [n, n]]
        out: List[str] = []
        for v in values:
            if isinstance(v, int):
                out.append("int " + str(v + 1))
            elif isinstance(v, str):
                out.append("str " + v + "!")
            elif torch.jit.isinstance(v, List[int]):
                out.append("list " + str(len(v)))
            else:
                out.append("other")
        return out

    # ---- Errors ----

    @torch.jit.export
    def raises(self, n: int) -> int:
        if n > 3:
            raise ValueError("too large: {}".format(n))
        assert n >= 0, "negative"
        return n

    @torch.jit.export
    def index_error(self, l: List[int], i: int) -> int:
        return l[i]

    @torch.jit.export
    def key_error(self, d: Dict[str, int], k: str) -> int:
        return d[k]

    # ---- Modules and state ----

    @torch.jit.export
    def remembers(self, word: str) -> Dict[str, int]:
        self.calls += 1
        self.seen[word] = self.calls
        self.seen[word + "2"] = self.calls * 2
        return self.seen

    @torch.jit.export
    def keeps(self, x: Tensor) -> Tuple[Tensor, bool]:
        last = self.last
        self.last = x * 2
        again = self.last
        return (again if again is not None else x), last is None

    @torch.jit.export
    def attributes(self, i: int) -> str:
        return self.names[i] + str(len(self.names))

    # ---- Tensors ----

    @torch.jit.export
    def tensors(self, x: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
        y = x * 2 + 1
        y[0] = 0
        return y, x.sum(), x[1:, :2].t()

    @torch.jit.export
    def in_place(self, x: Tensor) -> Tensor:
        row = x[1]
        row.add_(10)
        x[:, 0] += 1
        return x

    @torch.jit.export
    def tensor_questions(self, x: Tensor) -> Tuple[int, List[int], bool, float, int]:
        return x.dim(), x.size(), bool((x > 2).any()), float(x.max().item()), x.numel()

    @torch.jit.export
    def tensor_loop(self, x: Tensor, n: int) -> List[Tensor]:
        out: List[Tensor] = []
        for i in range(n):
            if x.sum() > 20:
                break
            x = x + i
            out.append(x)
        return out

    @torch.jit.export
    def to_lists(self, x: Tensor) -> List[List[float]]:
        rows: List[List[float]] = x.tolist()
        return rows

    @torch.jit.export
    def matrices(self, x: Tensor) -> Tensor:
        return torch.softmax(torch.matmul(x, x.t()) / 10, dim=-1)

    @torch.jit.export
    def integer_tensors(self, n: int) -> Tuple[Tensor, Tensor, Tensor]:
        x = torch.arange(n)
        return x // 2, x % 3 == 0, torch.cat([x, x * x])

    @torch.jit.export
    def defaults(self, x: Tensor, scale: float = 2.0, names: Tuple[str, int] = ("a", 1), flag: bool = True) -> Tuple[Tensor, str]:
        return (x * scale if flag else x), names[0] + str(names[1])

    @torch.jit.export
    def beam(self, scores: Tensor, width: int) -> Tuple[List[List[int]], List[float]]:
        beams: List[List[int]] = [torch.jit.annotate(List[int], [])]
        totals = [0.0]
        for t in range(scores.size(0)):
            candidates: List[Tuple[float, int, int]] = []
            for i in range(len(beams)):
                for k in range(scores.size(1)):
                    candidates.append((-(totals[i] + float(scores[t, k].item())), i, k))
            chosen: List[List[int]] = []
            chosen_totals: List[float] = []
            used: List[int] = []
            while len(chosen) < width and len(used) < len(candidates):
                best = -1
                for c in range(len(candidates)):
                    if c not in used and (best < 0 or candidates[c][0] < candidates[best][0]):
                        best = c
                used.append(best)
                chosen.append(beams[candidates[best][1]] + [candidates[best][2]])
                chosen_totals.append(-candidates[best][0])
            beams, totals = chosen, chosen_totals
        return beams, totals


# ---- What only whole TorchScript has ----


class Color(Enum):
    RED = 1
    GREEN = 2


@torch.jit.script
class Stack:
    def __init__(self, limit: int):
        self.items: List[int] = []
        self.limit = limit

    def push(self, x: int) -> bool:
        if len(self.items) >= self.limit:
            return False
        self.items.append(x)
        return True

    def __len__(self) -> int:
        return len(self.items)


@torch.jit.script
class Vector:
    def __init__(self, x: float, y: float):
        self.x = x
        self.y = y

    def __add__(self, other: "Vector") -> "Vector":
        return Vector(self.x + other.x, self.y + other.y)

    def __lt__(self, other: "Vector") -> bool:
        return self.x < other.x


@torch.jit.script
class Guard:
    def __init__(self):
        self.log: List[str] = []

    def __enter__(self):
        self.log.append("in")

    def __exit__(self, type: Any, value: Any, trace: Any):
        self.log.append("out")


@torch.jit.interface
class Scaler:
    def scale(self, x: int) -> int:
        pass


@torch.jit.script
class Doubles:
    def __init__(self):
        self.factor = 2

    def scale(self, x: int) -> int:
        return x * self.factor


@torch.jit.script
class Squares:
    def __init__(self):
        pass

    def scale(self, x: int) -> int:
        return x * x


def scaled_sum(s: Scaler, n: int) -> int:
    total = 0
    for i in range(n):
        total += s.scale(i)
    return total


def slow(x: int) -> int:
    return x * 10


class Language(Portable):
    @torch.jit.export
    def stacks(self, n: int) -> Tuple[int, int]:
        s = Stack(3)
        refused = 0
        for i in range(n):
            if not s.push(i):
                refused += 1
        return len(s), refused

    @torch.jit.export
    def vectors(self, n: int) -> List[float]:
        all = [Vector(float(i * 5 % 7), float(i)) for i in range(n)]
        least, total = all[0], Vector(0.0, 0.0)
        for v in all:
            total = total + v
            least = v if v < least else least
        return [least.x, least.y, total.x, total.y]

    @torch.jit.export
    def enums(self, n: int) -> Tuple[str, int, bool]:
        c = Color.RED if n == 0 else Color.GREEN
        return c.name, c.value, c == Color.GREEN

    @torch.jit.export
    def withs(self, n: int) -> List[str]:
        g = Guard()
        with g:
            g.log.append(str(n))
        return g.log

    @torch.jit.export
    def interfaces(self, n: int) -> Tuple[int, int]:
        return scaled_sum(Doubles(), n), scaled_sum(Squares(), n)

    @torch.jit.export
    def futures(self, n: int) -> int:
        waiting = [torch.jit.fork(slow, i) for i in range(n)]
        total = 0
        for f in waiting:
            total += torch.jit.wait(f)
        return total

    @torch.jit.export
    def unions(self, n: int) -> str:
        x: Union[int, str, List[int]] = n
        if n > 2:
            x = "many"
        elif n > 1:
            x = [n]
        if isinstance(x, str):
            return x + "!"
        elif isinstance(x, int):
            return str(x + 1)
        return str(len(x))

    @torch.jit.export
    def prints(self, n: int) -> int:
        for i in range(n):
            print("line", i, 0.5 * i, [i], {"k": i})
        return n


def _x() -> Tensor:
    return torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


CASES = [
    ("forward", [_x()]),
    ("integers", [17, 5]), ("integers", [-17, 5]), ("integers", [17, -5]),
    ("wraps_around", [4000000000]),
    ("floats", [7.5, 2.0]), ("floats", [-7.5, 2.0]),
    ("mixed", [3, 2.5]), ("mixed", [-9, 3.5]),
    ("mathematics", [1.75]), ("mathematics", [-1.0]),
    ("complexes", [3.0, -4.0]),
    ("truth", [True, False, 0]), ("truth", [False, False, 3]),
    ("division", [1, 0]),
    ("text", [" banana bread "]), ("text_questions", ["abc"]), ("text_questions", ["barbados"]),
    ("formats", [255, 0.1, "x"]), ("formats", [3, 1e20, ""]),
    ("parses", ["42", "2.5"]), ("parses", ["4x", "1"]),
    ("splits", ["a,b,,c\nd"]),
    ("lists", [[1, 2, 3]]), ("slices", [[1, 2, 3, 4, 5]]),
    ("sorts", [[3.5, -1.0, 2.0, 2.0], ["pear", "apple", "fig"]]),
    ("comprehends", [4]), ("nested", [6]), ("tuples", [4, "t"]), ("named_tuples", [3]),
    ("dicts", [{"aa": 1, "b": 2}]), ("counts", [["x", "y", "x", "z", "x"]]), ("int_dicts", [6]),
    ("branches", [-3]), ("branches", [0]), ("branches", [7]), ("branches", [102]),
    ("loops", [40]), ("collatz", [27]), ("early_return", [[3, 1, 4], 4]), ("early_return", [[3, 1, 4], 5]),
    ("walks", [[1, 2, 3], ["a", "b"]]), ("fibonacci", [12]),
    ("optionals", [None]), ("optionals", [4, "s"]), ("finds", [[5, 9, 7], 6]), ("finds", [[], 0]), ("anything", [5]),
    ("raises", [2]), ("raises", [4]), ("raises", [-1]),
    ("index_error", [[1, 2], -2]), ("index_error", [[1, 2], 2]),
    ("key_error", [{"a": 1}, "a"]), ("key_error", [{"a": 1}, "b"]),
    ("remembers", ["w"]), ("keeps", [_x()]), ("attributes", [2]), ("attributes", [3]),
    ("tensors", [_x()]), ("in_place", [_x()]), ("tensor_questions", [_x()]), ("tensor_loop", [_x() / 2, 9]),
    ("to_lists", [_x()]), ("matrices", [_x()]), ("integer_tensors", [5]), ("defaults", [_x()]),
    ("defaults", [_x(), 3.0, ("b", 2), False]),
    ("beam", [torch.tensor([[0.5, 1.0, 0.25], [2.0, 0.5, 1.75], [0.125, 0.25, 3.0]]), 2]),
    ("stacks", [5]), ("vectors", [6]), ("enums", [0]), ("enums", [1]), ("withs", [3]), ("interfaces", [5]), ("futures", [4]),
    ("unions", [1]), ("unions", [2]), ("unions", [3]), ("prints", [3]),
]

SEQUENCES = [
    ("remembers", [["a"], ["b"], ["a"]]),
    ("keeps", [[_x()], [_x() * 2]]),
    ("dicts", [[{"aa": 1}], [{"bb": 2}]]),
]

"""C2 magic methods: arithmetic, comparison, len, getitem, setitem, contains, call, bool, str, int, float, neg,
delitem, iadd, sorted via __lt__"""
import torch
from typing import List, Tuple
@torch.jit.script
class Num:
    def __init__(self, v: int):
        self.v = v

    def __add__(self, o: "Num") -> "Num":
        return Num(self.v + o.v)

    def __sub__(self, o: "Num") -> "Num":
        return Num(self.v - o.v)

    def __mul__(self, k: int) -> "Num":
        return Num(self.v * k)

    def __truediv__(self, k: int) -> float:
        return self.v / k

    def __mod__(self, k: int) -> int:
        return self.v % k

    def __pow__(self, k: int) -> int:
        return self.v + 100 * k

    def __eq__(self, o: "Num") -> bool:
        return self.v == o.v

    def __ne__(self, o: "Num") -> bool:
        return self.v != o.v

    def __lt__(self, o: "Num") -> bool:
        return self.v < o.v

    def __gt__(self, o: "Num") -> bool:
        return self.v > o.v

    def __le__(self, o: "Num") -> bool:
        return self.v <= o.v

    def __ge__(self, o: "Num") -> bool:
        return self.v >= o.v

    def __and__(self, o: "Num") -> int:
        return self.v & o.v

    def __or__(self, o: "Num") -> int:
        return self.v | o.v

    def __xor__(self, o: "Num") -> int:
        return self.v ^ o.v

    def __neg__(self) -> "Num":
        return Num(-self.v)

    def __len__(self) -> int:
        return self.v

    def __getitem__(self, i: int) -> int:
        return self.v + i

    def __setitem__(self, i: int, x: int) -> None:
        self.v = i * 10 + x

    def __delitem__(self, i: int) -> None:
        self.v = -i

    def __contains__(self, i: int) -> bool:
        return i == self.v

    def __call__(self, a: int) -> int:
        return self.v * a

    def __bool__(self) -> bool:
        return self.v != 0

    def __str__(self) -> str:
        return "Num(" + str(self.v) + ")"

    def __int__(self) -> int:
        return self.v

    def __float__(self) -> float:
        return self.v + 0.5

    def __iadd__(self, k: int) -> "Num":
        self.v += k
        return self

def arith(a: int, b: int):
    x = Num(a)
    y = Num(b)
    return (x + y).v, (x - y).v, (x * 3).v, x / 2, x % 3, x ** 2, (-x).v, x & y, x | y, x ^ y

def comparisons(a: int, b: int):
    x = Num(a)
    y = Num(b)
    return x == y, x != y, x < y, x > y, x <= y, x >= y

def containers(a: int):
    x = Num(a)
    n = len(x)
    g = x[3]
    x[2] = 5
    v = x.v
    del x[9]
    return n, g, v, x.v, -9 in x, 3 not in x

def casts(a: int):
    x = Num(a)
    return bool(x), str(x), int(x), float(x), x(4)

def cond(a: int) -> str:
    x = Num(a)
    if x:
        return "true"
    return "false"

def aug(a: int):
    x = Num(a)
    y = x
    x += 5
    return x.v, y.v

def sort_objs(l: List[int]) -> List[int]:
    objs = [Num(v) for v in l]
    s = sorted(objs)
    objs.sort()
    return [o.v for o in s] + [o.v for o in objs]

CASES = [("arith", (7, 2)), ("comparisons", (1, 2)), ("comparisons", (2, 2)), ("containers", (4,)), ("casts", (3,)), ("casts", (0,)), ("cond", (0,)), ("cond", (1,)), ("aug", (1,)), ("sort_objs", ([3, 1, 2],))]

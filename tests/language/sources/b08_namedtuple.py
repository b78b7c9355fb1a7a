"""B8 NamedTuple: typing.NamedTuple and collections.namedtuple; construct by position/keyword, field access, unpack,
index, return"""
import torch
from collections import namedtuple
from typing import NamedTuple, Tuple, List, Optional
class Pair(NamedTuple):
    first: int
    second: int

class Rec(NamedTuple):
    t: torch.Tensor
    names: List[str]
    k: Optional[int]

class Dflt(NamedTuple):
    a: int
    b: float = 2.5

Untyped = namedtuple("Untyped", ["x", "y"])
Functional = NamedTuple("Functional", [("first", int), ("second", int)])

def inc(x: Pair) -> Tuple[int, int]:
    return (x.first + 1, x.second + 1)

def build(a: int) -> Pair:
    return Pair(a, a * 2)

def build_kw(a: int) -> Pair:
    return Pair(second=a, first=-a)

def unpack(p: Pair) -> int:
    a, b = p
    return a * 10 + b

def index(p: Pair) -> Tuple[int, int]:
    return p[0], p[-1]

def rec(x: torch.Tensor) -> Rec:
    r = Rec(x, ["a"], None)
    return r

def untyped(x: torch.Tensor):
    u = Untyped(x, x + 1)
    return u.x + u.y

def functional(f: Functional) -> int:
    return f.first - f.second

def dflt(a: int):
    d = Dflt(a)
    e = Dflt(a, 1.0)
    return d.b, e.b, d

def eq(p: Pair, q: Pair) -> bool:
    return p == q

def in_list(n: int) -> List[Pair]:
    l: List[Pair] = []
    for i in range(n):
        l.append(Pair(i, i * i))
    return l

def bad_field(p: Pair):
    return p.third

def bad_set(p: Pair):
    p.first = 3
    return p

CASES = [("inc", (Pair(1, 2),)), ("build", (3,)), ("build_kw", (3,)), ("unpack", (Pair(4, 2),)), ("index", (Pair(7, 8),)), ("rec", (torch.ones(1),)), ("untyped", (torch.ones(2),)),
 ("functional", (Functional(5, 3),)), ("dflt", (1,)), ("eq", (Pair(1, 2), Pair(1, 2))), ("in_list", (3,))]
BAD = [("bad_field", "has no attribute or method 'third'"), ("bad_set", "Tried to set an attribute: first on a non-class")]

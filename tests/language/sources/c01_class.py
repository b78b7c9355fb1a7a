"""C1 custom classes: __init__ attributes, methods, default args, aug-assign on attributes, method calling method,
class in containers, nested class attributes, aliasing"""
import torch
from typing import List, Dict, Optional, Tuple
@torch.jit.script
class Counter:
    def __init__(self, start: int):
        self.n = start
        self.log: List[int] = []

    def inc(self, by: int = 1) -> int:
        self.n += by
        self.log.append(self.n)
        return self.n

    def twice(self) -> int:
        self.inc(1)
        return self.inc(by=10)

@torch.jit.script
class Pair(object):
    def __init__(self, first, second):
        self.first = first
        self.second = second

@torch.jit.script
class Holder:
    def __init__(self, c: Counter):
        self.c = c
        self.name = "h"
        self.d: Dict[str, int] = {}

    def poke(self, k: str) -> int:
        self.d[k] = self.c.inc()
        self.c.n *= 2
        return self.d[k]

def use_counter(s: int) -> Tuple[int, int, List[int]]:
    c = Counter(s)
    a = c.inc()
    b = c.twice()
    return a, b, c.log

def alias(s: int) -> int:
    a = Counter(s)
    b = a
    b.inc(5)
    return a.n

def is_same(s: int) -> Tuple[bool, bool]:
    a = Counter(s)
    b = Counter(s)
    c = a
    return a is c, a is b

def sum_pair(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    p = Pair(x, y)
    p.first = p.first + 1
    return p.first + p.second

def holder(s: int) -> Tuple[int, int, str]:
    h = Holder(Counter(s))
    a = h.poke("k")
    h.name = h.name + "!"
    return a, h.c.n, h.name

def in_list(n: int) -> int:
    l: List[Counter] = []
    for i in range(n):
        l.append(Counter(i))
    t = 0
    for c in l:
        t += c.inc()
    return t

def in_dict() -> int:
    d: Dict[str, Counter] = {}
    d["a"] = Counter(3)
    d["a"].n = 7
    return d["a"].inc()

def opt_obj(f: bool) -> int:
    c: Optional[Counter] = None
    if f:
        c = Counter(2)
    if c is not None:
        return c.n
    return -1

def set_attr_types(s: int) -> int:
    c = Counter(s)
    c.n = 3
    c.n -= 1
    c.n *= 5
    return c.n

CASES = [("use_counter", (3,)), ("alias", (1,)), ("is_same", (1,)), ("sum_pair", (torch.ones(2), torch.zeros(2))), ("holder", (4,)), ("in_list", (4,)), ("in_dict", ()), ("opt_obj", (True,)), ("opt_obj", (False,)), ("set_attr_types", (0,))]

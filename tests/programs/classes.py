"""Classes, dataclasses, interfaces, context managers: methods, operators, properties, aliasing."""
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple, Union

import torch


class Counter:
    n: int

    def __init__(self, n: int = 0):
        self.n = n
        self.log: List[str] = []

    def inc(self, by: int = 1) -> "Counter":
        self.n += by
        self.log.append(str(self.n))
        return self

    def get(self) -> int:
        return self.n

    @staticmethod
    def twice(x: int) -> int:
        return x * 2

    @property
    def double(self) -> int:
        return self.n * 2

    @double.setter
    def double(self, v: int):
        self.n = v // 2


class Vec:
    def __init__(self, x: float, y: float):
        self.x = x
        self.y = y

    def __add__(self, o: "Vec") -> "Vec":
        return Vec(self.x + o.x, self.y + o.y)

    def __sub__(self, o: "Vec") -> "Vec":
        return Vec(self.x - o.x, self.y - o.y)

    def __mul__(self, k: float) -> "Vec":
        return Vec(self.x * k, self.y * k)

    def __eq__(self, o: "Vec") -> bool:
        return self.x == o.x and self.y == o.y

    def __ne__(self, o: "Vec") -> bool:
        return not (self == o)

    def __lt__(self, o: "Vec") -> bool:
        return self.x < o.x

    def __neg__(self) -> "Vec":
        return Vec(-self.x, -self.y)

    def __len__(self) -> int:
        return 2

    def __getitem__(self, i: int) -> float:
        return self.x if i == 0 else self.y

    def __setitem__(self, i: int, v: float) -> None:
        if i == 0:
            self.x = v
        else:
            self.y = v

    def __contains__(self, v: float) -> bool:
        return self.x == v or self.y == v

    def __call__(self, k: int) -> float:
        return self.x ** k

    def __bool__(self) -> bool:
        return self.x != 0

    def __str__(self) -> str:
        return "Vec({}, {})".format(self.x, self.y)

    def __int__(self) -> int:
        return int(self.x)

    def __float__(self) -> float:
        return self.x

    def __iadd__(self, o: "Vec") -> "Vec":
        self.x += o.x
        return self


class Stack:
    def __init__(self):
        self.items: List[int] = []

    def push(self, x: int) -> None:
        self.items.append(x)

    def pop(self) -> int:
        if len(self.items) == 0:
            raise IndexError("empty stack")
        return self.items.pop()


class Ctx:
    def __init__(self, l: List[str], name: str):
        self.l = l
        self.name = name

    def __enter__(self):
        self.l.append("+" + self.name)
        return self.name

    def __exit__(self, t: Any, v: Any, tb: Any) -> None:
        self.l.append("-" + self.name)


@torch.jit.interface
class Shape:
    def area(self, k: float) -> float:
        pass


class Sq:
    def __init__(self, s: float):
        self.s = s

    def area(self, k: float) -> float:
        return self.s * self.s * k


class Circ:
    def __init__(self, r: float):
        self.r = r

    def area(self, k: float) -> float:
        return 3.0 * self.r * self.r * k


def chained_calls(n: int) -> Tuple[int, List[str], int]:
    c = Counter(n)
    c.inc().inc(5)
    c.double = 100
    return c.get(), c.log, c.double


def static_method(n: int) -> int:
    return Counter.twice(n) + Counter().get()


def operators() -> List[float]:
    a = Vec(1.0, 2.0)
    b = Vec(3.0, 4.0)
    c = a + b * 2.0 - -a
    c[0] = 5.0
    c += a
    return [c.x, c.y, c[1], float(len(c)), c(2), float(int(c)), float(c)]


def comparisons() -> List[bool]:
    a = Vec(1.0, 2.0)
    b = Vec(3.0, 4.0)
    return [a == b, a != b, a < b, 1.0 in a, bool(a), not a, a is b, a is a, a is not b]


def text() -> str:
    a = Vec(1.0, 2.5)
    return str(a)


def sort_by_less_than() -> List[float]:
    l = [Vec(3.0, 1.0), Vec(1.0, 2.0), Vec(2.0, 3.0)]
    l.sort()
    m = sorted([Vec(5.0, 1.0), Vec(4.0, 1.0)])
    return [v.x for v in l] + [v.x for v in m]


def stack(n: int) -> int:
    s = Stack()
    for i in range(n):
        s.push(i)
    return s.pop() + s.pop()


def alias() -> int:
    a = Counter(1)
    b = a
    b.inc()
    l = [a, b]
    l[0].inc(10)
    d = {"k": a}
    d["k"].inc(100)
    return a.n


def with_items() -> List[str]:
    l: List[str] = []
    with Ctx(l, "a") as x, Ctx(l, "b"):
        l.append("in" + x)
    with Ctx(l, "c"):
        with Ctx(l, "d") as y:
            l.append(y)
    return l


def with_in_loop(n: int) -> List[str]:
    l: List[str] = []
    for i in range(n):
        with Ctx(l, str(i)):
            l.append("x")
            if i == 5:
                l.append("five")
    return l


def raise_in_with(n: int) -> List[str]:
    l: List[str] = []
    with Ctx(l, "a"):
        if n > 2:
            raise ValueError("inside")
    return l


def return_from_with(n: int) -> int:
    l: List[str] = []
    with Ctx(l, "a"):
        if n > 2:
            return 100 + len(l)
        y = n
    return y + len(l)


def interface_list(k: float) -> float:
    s: Shape = Sq(2.0)
    t: Shape = Circ(1.0)
    l: List[Shape] = [s, t]
    r = 0.0
    for x in l:
        r += x.area(k)
    return r


def use(s: Shape) -> float:
    return s.area(2.0)


def interface_argument() -> float:
    return use(Sq(1.0)) + use(Circ(2.0))


def is_instance() -> bool:
    return isinstance(Counter(), Counter)


def optional_object(x: Optional[int]) -> int:
    c: Optional[Counter] = None
    if x is not None:
        c = Counter(x)
    if c is None:
        return -1
    return c.n


def get_attributes() -> int:
    c = Counter(3)
    return getattr(c, "n") + getattr(c, "zzz", 5) + int(hasattr(c, "n")) + int(hasattr(c, "q"))


def list_of_objects() -> int:
    a = [Counter(i) for i in range(4)]
    return sum([c.get() for c in a])


def swap() -> Tuple[int, int]:
    a, b = Counter(1), Counter(2)
    a, b = b, a
    a.n, b.n = 10, 20
    return a.n, b.get()


def loop_carried(n: int) -> float:
    v = Vec(1.0, 1.0)
    while v.x < n:
        v = v + Vec(1.5, 0.0)
    return v.x


def format_attributes() -> str:
    return "{} {}".format(Vec(1.0, 2.0).x, Counter(3).n)


def raise_in_method(n: int) -> int:
    s = Stack()
    return s.pop()


def object_of_either_branch(flag: bool) -> float:
    if flag:
        v = Vec(1.0, 2.0)
    else:
        v = Vec(3.0, 4.0)
    return v.y


def dict_of_objects() -> int:
    d: Dict[str, Counter] = {}
    for k in "aab":
        if k not in d:
            d[k] = Counter()
        d[k].inc()
    return d["a"].n * 10 + d["b"].n


def augmented_attributes() -> Tuple[float, float]:
    v = Vec(1.0, 2.0)
    v.x += 2
    v.y *= 3.0
    return v.x, v.y


def return_from_no_grad(l: List[str]) -> int:
    with torch.no_grad():
        return len(l)


def outer(x: int) -> int:
    return inner(x) + inner(x + 1)


def inner(x: int) -> int:
    if x > 5:
        raise RuntimeError("too big: {}".format(x))
    return x * 2


def raise_two_calls_deep(x: int) -> int:
    return outer(x)


def sort_tuples_with_objects(reverse: bool) -> Tuple[List[float], List[int]]:
    l = [(2, Vec(1.0, 0.0), "b"), (1, Vec(9.0, 1.0), "b"), (2, Vec(0.5, 2.0), "a"), (1, Vec(9.0, 3.0), "a"), (1, Vec(9.0, 4.0), "b")]
    l.sort(reverse=reverse)
    pairs = sorted([((3, Vec(2.0, 0.0)), 1), ((3, Vec(1.0, 0.0)), 2), ((0, Vec(7.0, 0.0)), 3)])
    return [v[1].y for v in l], [p[1] for p in pairs]


def recorded_part(x: int) -> str:
    with torch.autograd.profiler.record_function("part") as part:
        with torch.autograd.profiler.record_function("inner", "text"):
            x = x * 2
        return "{}{}".format(part.name, x)


CALLS = {
    "chained_calls": [(3,)],
    "static_method": [(4,)],
    "operators": [()],
    "comparisons": [()],
    "text": [()],
    "sort_by_less_than": [()],
    "stack": [(5,), (1,)],
    "alias": [()],
    "with_items": [()],
    "with_in_loop": [(2,)],
    "raise_in_with": [(1,), (3,)],
    "return_from_with": [(1,), (3,)],
    "interface_list": [(2.0,)],
    "interface_argument": [()],
    "is_instance": [()],
    "optional_object": [(None,), (3,)],
    "get_attributes": [()],
    "list_of_objects": [()],
    "swap": [()],
    "sort_tuples_with_objects": [(True,), (False,)],
    "recorded_part": [(4,)],
    "loop_carried": [(4,)],
    "format_attributes": [()],
    "raise_in_method": [(1,)],
    "object_of_either_branch": [(True,), (False,)],
    "dict_of_objects": [()],
    "augmented_attributes": [()],
    "return_from_no_grad": [(["a"],)],
    "outer": [(1,), (5,)],
    "inner": [(9,)],
    "raise_two_calls_deep": [(9,)],
}

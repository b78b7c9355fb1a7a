"""Enums, dataclasses, interfaces in containers."""
import enum
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Dict, List, NamedTuple, Optional, Union

import torch


class Color(Enum):
    RED = 1
    GREEN = 2


class Annotated(Enum):
    NONE: int
    TWO = 2


class Rate(Enum):
    HALF = 0.5
    FULL = 1.0


class Tag(Enum):
    A = "alpha"
    B = "beta"


class AutoE(Enum):
    P = auto()
    Q = auto()


class NegE(Enum):
    P = -1
    Q = 1 + 1


class MethE(Enum):
    P = 1
    Q = 2

    def foo(self) -> int:
        return 1


@enum.unique
class UniqE(Enum):
    P = 1
    Q = 2


RED = Color.RED


def use_cmp(a: Color, b: Color):
    return a == b, a != b, a is b, a == Color.RED


def use_val(a: Color, r: Rate, t: Tag):
    return a.value, a.name, r.value, t.value + t.name


def use_ret(x: int) -> Color:
    if x == 1:
        return Color.RED
    return Color.GREEN


def use_list():
    return [c for c in Color], len([t.name for t in Tag])


def use_listlit():
    return [Color.RED, Color.GREEN]


def use_tuple(a: Color):
    return (a, Color.GREEN), a


def use_dictval(a: Color):
    return {"x": a}


def use_any(a: Any) -> bool:
    return isinstance(a, Color)


def use_union(a: Union[Color, int]) -> int:
    if isinstance(a, Color):
        return a.value
    return a


def use_print(a: Color):
    print(a, Color.RED, [a])
    return str(a), f"{a}"


def use_auto():
    return AutoE.P, AutoE.Q.value


def use_neg():
    return NegE.P.value, NegE.Q.value


def use_meth(a: MethE):
    return a.value


def use_uniq(a: UniqE):
    return a.value


def use_global():
    return RED


def use_globalv():
    return RED.value


def en_default(a: Color = Color.GREEN) -> int:
    return a.value


def use_defcall():
    return en_default(), en_default(Color.RED)


def use_iter2():
    r = 0
    for i, c in enumerate(Color):
        r += i * c.value
    for c, d in zip(Color, Rate):
        r += c.value
    return r


def use_static(x: int):
    if Color.RED == Color.GREEN:
        return x
    return x + 1


def use_dictcomp():
    return {c.name: c.value for c in Color}


class HasE:
    def __init__(self, c: Color):
        self.c = c
        self.cs = [c, Color.RED]

    def isred(self) -> bool:
        return self.c == Color.RED


def use_cls():
    h = HasE(Color.GREEN)
    a = h.isred()
    h.c = Color.RED
    return a, h.isred(), h.cs


class NTE(NamedTuple):
    c: Color = Color.RED
    n: int = 2


def use_nt():
    return NTE(), NTE(Color.GREEN, 3).c.value


@torch.jit.script
@dataclass
class D1:
    a: int
    b: float = 2.5
    c: str = "c"

    def tot(self) -> float:
        return self.a + self.b


@torch.jit.script
@dataclass(order=True)
class D2:
    a: int
    b: Optional[int] = None


@torch.jit.script
@dataclass
class D3:
    a: int
    b: int = 0

    def __post_init__(self):
        self.b = self.a * 2


@torch.jit.script
@dataclass(eq=False)
class D5:
    a: int = field(default=3)
    l: Optional[List[int]] = None


def dc1(a: int):
    x = D1(a)
    y = D1(a, c="z", b=1.0)
    y.b += 1
    return x.tot(), y.tot(), x == y, x == D1(a), y.c


def dc2(a: int):
    return D2(a, 1) < D2(2, 2), D2(a, 1) >= D2(a, 0), sorted([D2(3, 1), D2(a, 2)])[0].a, D2(1) == D2(1), D2(1) == D2(1, 2)


def dc3(a: int):
    return D3(a).b


def dc5():
    return D5().a, D5(4).a, D5(l=[1]).l


@torch.jit.interface
class Shape:
    def area(self, k: int) -> int:
        pass

    def name(self) -> str:
        pass


@torch.jit.script
class Sq:
    def __init__(self, a: int):
        self.a = a

    def area(self, k: int) -> int:
        return self.a * self.a * k

    def name(self) -> str:
        return "sq"


@torch.jit.script
class Ci:
    def __init__(self, r: int):
        self.r = r

    def area(self, k: int) -> int:
        return 3 * self.r * k

    def name(self) -> str:
        return "ci"


def use(s: Shape, k: int) -> str:
    return s.name() + str(s.area(k))


def use_list():
    l: List[Shape] = [Sq(2), Ci(3)]
    l.append(Sq(5))
    return [use(s, 2) for s in l]


def use_dict():
    d: Dict[str, Shape] = {"a": Sq(1), "b": Ci(2)}
    d["c"] = Sq(9)
    r = 0
    for v in d.values():
        r += v.area(1)
    return r


def use_opt(x: int):
    s: Optional[Shape] = None
    if x > 0:
        s = Sq(x)
    if s is not None:
        return s.area(2)
    return -1


def use_cls():
    h = Holds(Sq(3))
    a = h.go()
    h.s = Ci(1)
    return a, h.go()


class Holds:
    def __init__(self, s: Shape):
        self.s = s

    def go(self) -> int:
        return self.s.area(1)


def use_tern(x: int):
    s: Shape = Sq(1)
    s = Ci(2) if x > 0 else Ci(4)
    return s.area(1)


def use_named():
    return use(s=Ci(1), k=2)


def use_annotated():
    return [m.name for m in Annotated], Annotated.TWO


CALLS = {
    "use_annotated": [()],
    "use_cmp": [(Color.RED, Color.RED), (Color.GREEN, Color.RED)],
    "use_val": [(Color.RED, Rate.HALF, Tag.B)],
    "use_ret": [(1,), (2,)],
    "use_list": [()],
    "use_listlit": [()],
    "use_tuple": [(Color.RED,)],
    "use_dictval": [(Color.RED,)],
    "use_any": [(1,)],
    "use_union": [(3,)],
    "use_print": [(Color.GREEN,)],
    "use_auto": [()],
    "use_neg": [()],
    "use_uniq": [(UniqE.Q,)],
    "use_global": [()],
    "use_globalv": [()],
    "use_defcall": [()],
    "use_iter2": [()],
    "use_static": [(1,)],
    "use_dictcomp": [()],
    "use_cls": [()],
    "use_nt": [()],
    "use_meth": [(MethE.P,)],
    "dc1": [(1,)],
    "dc2": [(1,)],
    "dc3": [(2,)],
    "dc5": [()],
    "use_list": [()],
    "use_dict": [()],
    "use_opt": [(1,), (0,)],
    "use_cls": [()],
    "use_tern": [(1,), (0,)],
    "use_named": [()],
}

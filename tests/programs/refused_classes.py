"""Classes and enums that cannot be compiled: every method of a class is."""
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import List, Optional

import torch


class Node:
    def __init__(self, v: int, next: Optional["Node"] = None):
        self.v = v
        self.next = next

    def total(self) -> int:
        r = self.v
        n = self.next
        while n is not None:
            r += n.v
            n = n.next
        return r


def linked(n: int):
    h = Node(0)
    for i in range(1, n):
        h = Node(i, h)
    return h.total()


class Stack:
    items: List[int]
    size: int

    def __init__(self):
        self.items = []
        self.size = 0

    def push(self, x: int) -> "Stack":
        self.items.append(x)
        self.size += 1
        return self

    def pop(self) -> int:
        self.size -= 1
        return self.items.pop()

    @staticmethod
    def make(n: int) -> "Stack":
        s = Stack()
        for i in range(n):
            s.push(i)
        return s

    @property
    def top(self) -> int:
        return self.items[-1]

    @top.setter
    def top(self, v: int) -> None:
        self.items[-1] = v

    @torch.jit.unused
    def unused(self, x):
        import os
        return os.getpid()

    @torch.jit.ignore
    def ignored(self, x: int) -> int:
        return x

    @classmethod
    def build(cls, n: int) -> "Stack":
        return cls()


def stack(n: int):
    s = Stack.make(n)
    s.push(100).push(200)
    s.top = s.top + 1
    a = s.top
    s.top += 5
    return a, s.pop(), s.size, s.items, s.make(2).size


def stack_cls(n: int):
    return Stack.build(n).size


class AnnOpt:
    def __init__(self):
        self.x: Optional[int] = None


def annopt():
    o = AnnOpt()
    o.x = 3
    return o.x


class Recur:
    def __init__(self):
        self.kids: List["Recur"] = []


def recur():
    r = Recur()
    r.kids.append(Recur())
    return len(r.kids)


class Color(Enum):
    RED = 1
    GREEN = 2


class Rate(Enum):
    HALF = 0.5
    FULL = 1.0


class IE(IntEnum):
    X = 1
    Y = 2


class TupE(Enum):
    P = (1, 2)
    Q = (3, 4)


class MixE(Enum):
    P = 1
    Q = "a"


class MixF(Enum):
    P = 1
    Q = 2.5


class EmptyE(Enum):
    pass


class MethE(Enum):
    P = 1
    Q = 2

    def foo(self) -> int:
        return 1


class StrE(str, Enum):
    P = "p"
    Q = "q"


class IntE2(int, Enum):
    P = 1
    Q = 2


class BoolE(Enum):
    P = True
    Q = False


class NoneE(Enum):
    P = None


class AliasE(Enum):
    P = 1
    P2 = 1
    Q = 3


RED = Color.RED


def uses_dictkey(a: Color):
    return {a: 1}


def uses_in(a: Color):
    return a in [Color.RED]


def uses_ie(a: IE):
    return a.value


def uses_ie2():
    return IE.X


def uses_ie3():
    return IE.X + 1


def uses_ie4(a: int):
    return a == IE.X


def uses_tup():
    return TupE.P


def uses_tupv(a: TupE):
    return a.value


def uses_mix():
    return MixE.P


def uses_mixf():
    return MixF.P


def uses_empty(a: EmptyE):
    return 1


def uses_methcall(a: MethE):
    return a.foo()


def uses_str(a: StrE):
    return a.value


def uses_str2():
    return StrE.P


def uses_str3(a: str):
    return a == StrE.P


def uses_int2(a: IntE2):
    return a.value


def uses_bool(a: BoolE):
    return a.value


def uses_none(a: NoneE):
    return a.value


def uses_alias():
    return AliasE.P2, [x.name for x in AliasE], AliasE.P2.name


def uses_call():
    return Color(1)


def uses_sub():
    return Color["RED"]


def uses_members():
    return Color.__members__


def uses_lt(a: Color):
    return a < Color.GREEN


def uses_add(a: Color):
    return a + 1


def uses_bool_(a: Color):
    if a:
        return 1
    return 0


def uses_setattr(a: Color):
    a.value = 3


def uses_badattr(a: Color):
    return a.foo


def uses_class():
    return Color


def uses_len():
    return len(Color)


def uses_isinst(a: Color):
    return isinstance(a, Color), isinstance(a, Rate), isinstance(a, Enum)


@torch.jit.script
@dataclass
class D1:
    a: int
    b: float = 2.5
    c: str = "c"

    def tot(self) -> float:
        return self.a + self.b


def dcne(a: int):
    return D1(a) != D1(2)


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


class NoName:
    def __init__(self, r: int):
        self.r = r

    def area(self, k: int) -> int:
        return 3


class WrongSig:
    def __init__(self, r: int):
        self.r = r

    def area(self, k: float) -> int:
        return 3

    def name(self) -> str:
        return "w"


def use(s: Shape, k: int) -> str:
    return s.name() + str(s.area(k))


def uses_bad():
    return use(NoName(1), 2)


def uses_bad2():
    return use(WrongSig(1), 2)


def uses_bad3():
    l: List[Shape] = [Sq(2), NoName(3)]
    return l


def uses_attr(s: Shape):
    return s.a


def uses_nomethod(s: Shape):
    return s.foo()


def uses_badarg(s: Shape):
    return s.area("x")


REFUSED = ["linked", "stack", "stack_cls", "annopt", "recur", "uses_str", "uses_alias", "uses_isinst", "uses_mixf", "uses_bool", "uses_int2", "uses_str2", "uses_ie", "uses_dictkey", "uses_in", "uses_ie2", "uses_ie3", "uses_ie4", "uses_tup", "uses_tupv", "uses_mix", "uses_empty", "uses_methcall", "uses_str3", "uses_none", "uses_call", "uses_sub", "uses_members", "uses_lt", "uses_add", "uses_bool_", "uses_setattr", "uses_badattr", "uses_class", "uses_len", "uses_bad", "uses_bad2", "uses_bad3", "uses_attr", "uses_nomethod", "uses_badarg", "dcne"]

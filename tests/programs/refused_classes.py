"""Classes and enums that cannot be compiled: every method of a class is."""
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import List, Optional

import torch


class Vec:
    def __init__(self, x: int, y: int):
        self.x = x
        self.y = y

    def __add__(self, o: "Vec") -> "Vec":
        return Vec(self.x + o.x, self.y + o.y)

    def __sub__(self, o: "Vec") -> "Vec":
        return Vec(self.x - o.x, self.y - o.y)

    def __mul__(self, o: "Vec") -> int:
        return self.x * o.x + self.y * o.y

    def __truediv__(self, o: "Vec") -> float:
        return self.x / o.x

    def __mod__(self, o: "Vec") -> int:
        return self.x % o.x

    def __floordiv__(self, o: "Vec") -> int:
        return self.x // o.x

    def __matmul__(self, o: "Vec") -> int:
        return self * o

    def __pow__(self, o: "Vec") -> float:
        return self.x ** o.x

    def __lshift__(self, o: "Vec") -> int:
        return self.x << o.x

    def __rshift__(self, o: "Vec") -> int:
        return self.x >> o.x

    def __and__(self, o: "Vec") -> int:
        return self.x & o.x

    def __or__(self, o: "Vec") -> int:
        return self.x | o.x

    def __xor__(self, o: "Vec") -> int:
        return self.x ^ o.x

    def __invert__(self) -> "Vec":
        return Vec(-self.x - 1, -self.y - 1)

    def __neg__(self) -> "Vec":
        return Vec(-self.x, -self.y)

    def __pos__(self) -> "Vec":
        return self

    def __abs__(self) -> int:
        return abs(self.x) + abs(self.y)

    def __eq__(self, o: "Vec") -> bool:
        return self.x == o.x and self.y == o.y

    def __ne__(self, o: "Vec") -> bool:
        return not (self == o)

    def __lt__(self, o: "Vec") -> bool:
        return self.x < o.x

    def __le__(self, o: "Vec") -> bool:
        return self.x <= o.x

    def __gt__(self, o: "Vec") -> bool:
        return self.x > o.x

    def __ge__(self, o: "Vec") -> bool:
        return self.x >= o.x

    def __len__(self) -> int:
        return 2

    def __getitem__(self, i: int) -> int:
        return self.x if i == 0 else self.y

    def __setitem__(self, i: int, v: int) -> None:
        if i == 0:
            self.x = v
        else:
            self.y = v

    def __delitem__(self, i: int) -> None:
        self[i] = 0

    def __contains__(self, v: int) -> bool:
        return self.x == v or self.y == v

    def __call__(self, a: int, b: int = 2) -> int:
        return self.x * a + self.y * b

    def __bool__(self) -> bool:
        return self.x != 0

    def __int__(self) -> int:
        return self.x

    def __float__(self) -> float:
        return float(self.x) + 0.5

    def __str__(self) -> str:
        return "Vec(" + str(self.x) + ")"

    def __iadd__(self, o: "Vec") -> "Vec":
        self.x += o.x
        return self

    def __isub__(self, o: "Vec") -> "Vec":
        self.x -= o.x
        return self

    def __imul__(self, o: "Vec") -> "Vec":
        self.x *= o.x
        return self

    def __complex__(self) -> complex:
        return complex(self.x, self.y)

    def __repr__(self) -> str:
        return "R"

    def __hash__(self) -> int:
        return 5

    def __round__(self) -> int:
        return 6


def uses_arith(a: int, b: int):
    p = Vec(a, b)
    q = Vec(b, a)
    r = p + q
    s = p - q
    return r.x, s.y, p * q, p / q, p % q, p // q, p @ q, p ** q, p << q, p >> q, p & q, p | q, p ^ q


def uses_floordiv(a: int, b: int):
    return Vec(a, b) // Vec(b, a)


def uses_matmul(a: int, b: int):
    return Vec(a, b) @ Vec(b, a)


def uses_pos(a: int):
    p = +Vec(a, 1)
    return p.x


def uses_abs(a: int):
    return abs(Vec(a, -3))


def uses_item(a: int):
    p = Vec(a, 1)
    p[1] = 7
    p[0] += 3
    x = p[0], p[1], len(p), 7 in p, 99 not in p
    del p[1]
    return x, p[1]


def uses_repr(a: int):
    return repr(Vec(a, 1))


def uses_minmax(a: int):
    return max(Vec(a, 1), Vec(2, 2)).x


def uses_in_list(a: int):
    l = [Vec(a, 1), Vec(2, 2)]
    return Vec(2, 2) in l


def uses_slice(a: int):
    return Vec(a, 1)[0:1]


def uses_iter(a: int):
    r = 0
    for i in Vec(a, 1):
        r += i
    return r


def uses_radd(a: int):
    return a + Vec(a, 1)


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


REFUSED = ["uses_arith", "uses_floordiv", "uses_matmul", "uses_pos", "uses_abs", "uses_item", "uses_repr", "uses_minmax", "uses_in_list", "uses_slice", "uses_iter", "uses_radd", "linked", "stack", "stack_cls", "annopt", "recur", "uses_str", "uses_alias", "uses_isinst", "uses_mixf", "uses_bool", "uses_int2", "uses_str2", "uses_ie", "uses_dictkey", "uses_in", "uses_ie2", "uses_ie3", "uses_ie4", "uses_tup", "uses_tupv", "uses_mix", "uses_empty", "uses_methcall", "uses_str3", "uses_none", "uses_call", "uses_sub", "uses_members", "uses_lt", "uses_add", "uses_bool_", "uses_setattr", "uses_badattr", "uses_class", "uses_len", "uses_bad", "uses_bad2", "uses_bad3", "uses_attr", "uses_nomethod", "uses_badarg", "dcne"]

"""Magic methods, annotations and defaults of classes; and what a class must have for what is asked of it."""
from typing import Dict, List, Optional, Tuple

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


def vec_arith2(a: int, b: int):
    p = Vec(a, b)
    q = Vec(b, a)
    return p * q, p / q, p % q, p ** q, p & q, p | q, p ^ q


def vec_shift(a: int, b: int):
    return Vec(a, b) << Vec(b, a)


def vec_inv(a: int):
    p = ~Vec(a, 1)
    return p.x


def vec_neg(a: int):
    p = -Vec(a, 2)
    return p.x, p.y


def vec_cmp(a: int, b: int):
    p = Vec(a, 1)
    q = Vec(b, 1)
    return p == q, p != q, p < q, p <= q, p > q, p >= q


def vec_chain(a: int, b: int):
    return Vec(a, 1) < Vec(b, 1) < Vec(9, 9)


def vec_call(a: int):
    p = Vec(a, 1)
    return p(3), p(3, 4), p(a=1, b=5), p(b=1, a=2)


def vec_casts(a: int):
    p = Vec(a, 1)
    return bool(p), int(p), float(p), str(p)


def vec_complex(a: int):
    return complex(Vec(a, 1))


def vec_round(a: int):
    return round(Vec(a, 1))


def vec_cond(a: int):
    if Vec(a, 1):
        return "yes"
    return "no"


def vec_not(a: int):
    return not Vec(a, 1), Vec(a, 1) and True, Vec(a, 2) or False


def vec_while(a: int):
    p = Vec(a, 1)
    n = 0
    while p:
        p -= Vec(1, 0)
        n += 1
    return n


def vec_tern(a: int):
    return 1 if Vec(a, 1) else 2


def vec_iadd(a: int):
    p = Vec(a, 1)
    q = p
    p += Vec(5, 5)
    p *= Vec(2, 2)
    return q.x


def vec_sort(a: List[int]):
    v = [Vec(i, i) for i in a]
    w = sorted(v)
    v.sort(reverse=True)
    return [i.x for i in w], [i.x for i in v]


def vec_print(a: int):
    print(str(Vec(a, 1)))


def vec_is(a: int):
    p = Vec(a, 1)
    q = p
    return p is q, p is Vec(a, 1), p is not q


def vec_assert(a: int):
    assert Vec(a, 1), "bad"
    return 1


class NoAnn:
    def __init__(self, a, b=torch.zeros(1)):
        self.a = a
        self.b = 3


def noann():
    return NoAnn(torch.ones(2), torch.ones(1)).a


class NoAnn2:
    def __init__(self, a):
        self.a = a
        self.l = [1, 2]
        self.d = {"a": 1}
        self.t = (1, "x")
        self.n = torch.jit.annotate(Optional[int], None)
        self.e = torch.jit.annotate(List[str], [])
        self.f: float = 2.0


def noann2():
    o = NoAnn2(torch.ones(2))
    o.n = 4
    o.e.append("q")
    o.d["b"] = 2
    o.l += [3]
    o.t = (2, "y")
    return o.a, o.l, o.d, o.t, o.n, o.e, o.f


class AnnList:
    def __init__(self):
        self.x: List[int] = []
        self.y: Dict[str, List[int]] = {}
        self.z: Tuple[int, str] = (1, "a")


def annlist():
    o = AnnList()
    o.x.append(3)
    o.y["a"] = o.x
    return o.x, o.y, o.z


class Holder:
    def __init__(self, v: List[Vec], m: Dict[str, Vec], o: Optional[Vec]):
        self.v = v
        self.m = m
        self.o = o

    def best(self) -> Optional[Vec]:
        o = self.o
        if o is not None:
            return o
        if len(self.v) > 0:
            return self.v[0]
        return None


def holder(n: int):
    h = Holder([Vec(i, i) for i in range(n)], {"a": Vec(1, 2)}, None)
    h.m["b"] = h.m["a"] + Vec(1, 1)
    b = h.best()
    r = -1
    if b is not None:
        r = b.x
    h.o = h.m["b"]
    h.v[-1].x = 99
    c = h.best()
    assert c is not None
    return r, c.x, h.v[n - 1].x, len(h.m)


class Outer:
    def __init__(self):
        self.inner = Vec(1, 2)
        self.n = self.inner.x + 1
        self.setup()

    def setup(self):
        self.n += 10


def outer():
    o = Outer()
    o.inner.x += 5
    o.inner[1] = 8
    return o.inner.x, o.inner.y, o.n


@torch.jit.script
class Scripted:
    def __init__(self, x: int):
        self.x = x

    def f(self, *, k: int) -> int:
        return self.x + k


def scripted(a: int):
    return Scripted(a).f(k=2)


class WithDoc:
    """doc string"""

    def __init__(self, x: int):
        """init doc"""
        self.x = x

    def f(self) -> int:
        """f doc"""
        return self.x


def withdoc():
    return WithDoc(4).f()


class Defaults:
    def __init__(self, a: int = -3, b: float = 1e-3, c: str = "x", d: Optional[int] = None, e: bool = True, f: Tuple[int, int] = (1, 2)):
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.e = e
        self.f = f


def defaults():
    d = Defaults()
    return d.a, d.b, d.c, d.d, d.e, d.f


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


REFUSED = ["uses_arith", "uses_floordiv", "uses_matmul", "uses_pos", "uses_abs", "uses_item", "uses_repr", "uses_minmax",
           "uses_in_list", "uses_slice", "uses_iter", "uses_radd"]
CALLS = {
    "vec_arith2": [(2, 3)],
    "vec_shift": [(1, 2)],
    "vec_inv": [(1,)],
    "vec_neg": [(1,)],
    "vec_cmp": [(1, 2), (2, 2)],
    "vec_chain": [(1, 2)],
    "vec_call": [(2,)],
    "vec_casts": [(2,), (0,)],
    "vec_complex": [(1,)],
    "vec_round": [(1,)],
    "vec_cond": [(0,), (1,)],
    "vec_not": [(0,), (1,)],
    "vec_while": [(3,)],
    "vec_tern": [(0,), (1,)],
    "vec_iadd": [(3,)],
    "vec_sort": [([3, 1, 2],)],
    "vec_print": [(1,)],
    "vec_is": [(1,)],
    "vec_assert": [(1,), (0,)],
    "noann": [()],
    "noann2": [()],
    "annlist": [()],
    "holder": [(3,)],
    "outer": [()],
    "scripted": [(1,)],
    "withdoc": [()],
    "defaults": [()],
}

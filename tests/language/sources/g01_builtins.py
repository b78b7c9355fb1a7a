"""G1 Python builtins with their supported forms: abs all any bin bool chr dict divmod enumerate float getattr hash
hasattr hex id int isinstance len list min max oct ord pow range round sorted str sum tuple zip"""
import torch
import math
from typing import List, Tuple, Dict
def absolute(i: int, f: float, x: torch.Tensor):
    return abs(i), abs(f), abs(x)

def all_any(l: List[bool], il: List[int], fl: List[float], x: torch.Tensor):
    return all(l), any(l), all(il), any(il), all(fl), any(fl), all(x), any(x)

def bases(i: int):
    return bin(i), hex(i), oct(i)

def chr_ord(i: int, s: str):
    return chr(i), ord(s)

def divmods(a: int, b: int, c: float, d: float):
    return divmod(a, b), divmod(c, d), divmod(a, d), divmod(c, b)

def lens(l: List[int], d: Dict[str, int], s: str, t: Tuple[int, int], x: torch.Tensor):
    return len(l), len(d), len(s), len(t), len(x)

def lists(s: str, d: Dict[str, int], x: List[int]):
    a = list(s)
    b = list(d)
    c = list(range(3))
    e = list(x)
    e.append(1)
    f = list(zip(x, c))
    g = list(enumerate(x))
    return a, b, c, e, x, f, g

def minmax(a: int, b: int, c: float, l: List[int]):
    return min(a, b), max(a, b), min(a, c), max(c, a), min(l), max(l), min([1.5, 0.5]), max(c, 2.0)

def pows(a: int, b: float):
    return pow(a, 2), pow(b, 2.0), pow(a, b), pow(b, a)

def rounds(f: float, i: int):
    return round(f), round(i)

def sorts(l: List[int], f: List[float], s: List[str], t: List[Tuple[int, str]], b: List[bool]):
    return sorted(l), sorted(f), sorted(s), sorted(t), sorted(b), l

def sums(l: List[int], f: List[float], c: List[complex], b: List[bool]):
    return sum(l), sum(f), sum(c), sum(b)

def maths(f: float, i: int):
    return math.sqrt(f), math.floor(f), math.ceil(f), math.pi, math.e, math.exp(f), math.log(f), math.sin(f), math.pow(f, 2.0), math.fabs(-f), math.isnan(f), math.isinf(f), math.gcd(i, 12), math.factorial(i), math.copysign(f, -1.0), math.fmod(f, 1.5), math.degrees(f), math.radians(f), math.log10(f), math.log1p(f), math.expm1(f), math.atan2(f, 1.0), math.ldexp(f, 2), math.inf, math.tau

def maths2(f: float):
    return math.modf(f), math.frexp(f), math.hypot(f, 2.0) if False else f, math.erf(f), math.erfc(f), math.gamma(f), math.lgamma(f), math.sinh(f), math.cosh(f), math.tanh(f), math.asin(0.5), math.acos(0.5), math.atan(f), math.asinh(f), math.acosh(f), math.atanh(0.5), math.trunc(f) if False else 0

def hashes(s: str, i: int):
    return hash(s) == hash(s), hash(i) == hash(i + 0)

def isinst(x: int, l: List[int], t: torch.Tensor):
    return isinstance(x, int), isinstance(x, float), isinstance(l, list), isinstance(l, List[int]), isinstance(t, torch.Tensor), isinstance(x, (str, int)), torch.jit.isinstance(l, List[int])

def tuples(t: Tuple[int, str]):
    return tuple(t), tuple([1, 2]) if False else (1, 2)

def complexes(a: complex):
    return abs(a), a.real if False else 0.0

def round_half(f: float):
    return round(0.5), round(1.5), round(2.5), round(-0.5), round(f)

def sqrt_neg(f: float) -> float:
    return math.sqrt(f)

def factorial_neg(i: int) -> int:
    return math.factorial(i)

def bad_round_digits(f: float):
    return round(f, 2)

def bad_sorted_key(l: List[int]):
    return sorted(l, key=abs)

def bad_sorted_reverse(l: List[int]):
    return sorted(l, reverse=True)

def bad_int_base(s: str):
    return int(s, 16)

def bad_map(l: List[int]):
    return map(abs, l)

def bad_filter(l: List[int]):
    return filter(None, l)

def bad_reversed(l: List[int]):
    return reversed(l)

def bad_set(l: List[int]):
    return set(l)

def bad_type(x: int):
    return type(x)

def bad_repr(x: int):
    return repr(x)

def bad_iter(l: List[int]):
    return iter(l)

def bad_input():
    return input()

def bad_issubclass():
    return issubclass(int, float)

def bad_super():
    return super().x

def bad_ascii(s: str):
    return ascii(s)

def bad_setattr(x: torch.Tensor):
    setattr(x, "a", 1)
    return x

def bad_getattr_dyn(x: torch.Tensor, n: str):
    return getattr(x, n)

def bad_hasattr_tensor(x: torch.Tensor):
    return hasattr(x, "foo")

def bad_vars(x: int):
    return vars()

def bad_frozenset(l: List[int]):
    return frozenset(l)

def bad_bytes(s: str):
    return bytes(s, "utf8")

def bad_notimpl():
    return NotImplemented

CASES = [("absolute", (-3, -2.5, torch.tensor([-1., 2.]))), ("all_any", ([True, False], [1, 0], [0.0, 0.0], torch.tensor([True, True]))), ("bases", (10,)), ("bases", (-10,)), ("chr_ord", (97, "z")), ("divmods", (-7, 2, 7.5, 2.0)), ("lens", ([1], {}, "abc", (1, 2), torch.ones(4, 2))), ("lists", ("ab", {"x": 1}, [5, 6])), ("minmax", (3, 5, 2.5, [4, 2])), ("pows", (3, 2.5)), ("rounds", (2.567, 3)), ("sorts", ([3, 1], [2.0, 1.0], ["b", "a"], [(2, "a"), (1, "b")], [True, False])), ("sums", ([1, 2], [0.5, 1.5], [1j, 2j], [True, True])),
 ("maths", (2.25, 4)), ("maths2", (1.5,)), ("hashes", ("s", 3)), ("isinst", (1, [1], torch.ones(1))), ("tuples", ((1, "s"),)), ("complexes", (3 + 4j,)), ("round_half", (3.5,)), ("sqrt_neg", (-1.0,)), ("factorial_neg", (-1,))]
BAD = [("bad_round_digits", ""), ("bad_sorted_key", ""), ("bad_sorted_reverse", "Keyword argument reverse unknown"), ("bad_int_base", ""), ("bad_map", ""), ("bad_filter", ""), ("bad_reversed", ""), ("bad_set", ""), ("bad_type", ""), ("bad_repr", ""), ("bad_iter", ""), ("bad_input", ""), ("bad_issubclass", ""), ("bad_super", ""), ("bad_ascii", ""), ("bad_setattr", ""), ("bad_getattr_dyn", "getattr's second argument must be a string literal"), ("bad_hasattr_tensor", "hasattr's first argument must be an object, got Tensor instead"), ("bad_vars", ""), ("bad_frozenset", ""), ("bad_bytes", ""), ("bad_notimpl", "")]

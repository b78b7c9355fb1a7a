"""Numbers: wrap-around, division, powers, conversions, formats, the math module, and loops that compute."""
import math
from typing import Dict, List, Optional, Tuple

import torch


def wrap_around(a: int, b: int) -> Tuple[int, int, int]:
    return a + b, a - b, a * b


def int_division(a: int, b: int) -> Tuple[int, int, float]:
    return a // b, a % b, a / b


def float_division(a: float, b: float) -> Tuple[float, float, float]:
    return a // b, a % b, a / b


def mixed(a: int, b: float) -> Tuple[float, float, float, float, bool]:
    return a + b, a - b, a * b, a / b, a < b


def mixed_division(a: int, b: float) -> Tuple[float, float, float, float]:
    return a // b, a % b, b // a, b % a


def shifts(a: int, b: int) -> Tuple[int, int, int, int, int]:
    return a << b, a >> b, a & b, a | b, a ^ b


def negation(a: int, b: float) -> Tuple[int, float, int]:
    return -a, -b, abs(a)


def int_power(a: int, b: int) -> float:
    return a ** b


def float_power(a: float, b: int) -> Tuple[float, float]:
    return a ** b, b ** a


def rounding(a: float) -> Tuple[float, int, int, int]:
    return round(a), int(a), math.floor(a), math.ceil(a)


def conversions(a: int, b: float, c: bool) -> Tuple[float, int, bool, bool, int, float, str, str, str]:
    return float(a), int(b), bool(a), bool(b), int(c), float(c), str(a), str(b), str(c)


def min_max(a: int, b: int, c: float) -> Tuple[int, int, float, float]:
    return min(a, b), max(a, b), min(a, c), max(c, b)


def min_max_of_lists(l: List[int], f: List[float]) -> Tuple[int, int, float, float]:
    return min(l), max(l), min(f), max(f)


def min_max_lists(a: List[int], b: List[int]) -> Tuple[List[int], List[int]]:
    return min(a, b), max(a, b)


def sums_of_lists(l: List[int], f: List[float], b: List[bool]) -> Tuple[int, float, int]:
    return sum(l), sum(f), sum(b)


def any_all(l: List[int], f: List[float], b: List[bool]) -> Tuple[bool, bool, bool, bool, bool, bool]:
    return any(l), all(l), any(f), all(f), any(b), all(b)


def divmod_int(a: int, b: int) -> Tuple[int, int]:
    return divmod(a, b)


def divmod_float(a: float, b: float) -> Tuple[float, float]:
    return divmod(a, b)


def digits(a: int) -> Tuple[str, str, str, str]:
    return hex(a), oct(a), bin(a), chr(a & 127)


def float_text(a: float) -> Tuple[str, str]:
    return str(a), f"{a}|{-a}"


def int_of_text(s: str) -> int:
    return int(s)


def float_of_text(s: str) -> float:
    return float(s)


def truth(s: str, l: List[int]) -> Tuple[bool, bool]:
    return bool(s), bool(l)


def compare_floats(a: float, b: float) -> List[bool]:
    return [a < b, a <= b, a > b, a >= b, a == b, a != b]


def compare_mixed(a: int, b: float) -> List[bool]:
    return [a < b, a <= b, a > b, a >= b, a == b, a != b]


def chain(a: int, b: int, c: int) -> Tuple[bool, bool]:
    return a < b < c, a <= b == c


def augmented_int(a: int, b: int) -> int:
    a += b
    a *= 3
    a -= 1
    a |= 8
    a &= 255
    a ^= 5
    a <<= 2
    a >>= 1
    return a


def augmented_float(a: float, b: float) -> float:
    a += b
    a *= 2
    a -= 1
    a /= 4
    a **= 2
    return a


def augmented_power(a: int) -> float:
    b = a ** 2
    b += 1
    return b


def complex_arithmetic(a: complex, b: complex) -> Tuple[complex, complex, complex, complex, bool, bool, float]:
    return a + b, a - b, a * b, a / b, a == b, a != b, abs(a)


def complex_made(a: float, b: int) -> Tuple[complex, complex, complex, str]:
    c = complex(a, b)
    return c, -c, c * 2, str(c)


def math_of_floats(x: float) -> List[float]:
    return [math.sin(x), math.cos(x), math.tan(x), math.exp(x), math.sqrt(x), math.log(x), math.log10(x),
            math.log1p(x), math.expm1(x), math.fabs(-x), math.sinh(x), math.tanh(x), math.atan(x), math.asinh(x),
            math.degrees(x), math.radians(x), math.erf(x), math.gamma(x), math.lgamma(x)]


def math_of_ints(x: int) -> List[float]:
    return [math.sin(x), math.sqrt(x), math.log(x), math.pow(x, 2), math.atan2(x, 3), math.copysign(2.0, -x),
            math.fmod(x, 3), math.ldexp(1.5, x)]


def math_pieces(x: float) -> Tuple[Tuple[float, float], Tuple[float, int], bool, bool, bool, int, int]:
    return (math.modf(x), math.frexp(x), math.isnan(x), math.isinf(x), math.isfinite(x), math.gcd(12, 18),
            math.factorial(5))


def math_of_two(x: float, y: float) -> Tuple[float, float, float]:
    return math.log(x, y), math.pow(x, y), math.remainder(x, y)


def math_constants() -> Tuple[float, float, float, float]:
    return math.pi, math.e, math.tau, math.inf


def limits() -> Tuple[int, int, int]:
    return 9223372036854775807, -9223372036854775807, 0x7fffffffffffffff


def signs_of_division(a: int) -> List[int]:
    return [a % 3, a % -3, a // 3, a // -3, -a % 3, -a // 3]


def division_by_powers_of_two(a: int) -> List[int]:
    return [a // 1, a % 1, a // 2, a % 2, a // 8, a % 8, a // 16384, a % 16384]


def bool_operators(a: bool, b: bool) -> List[bool]:
    return [a and b, a or b, not a, a == b, a != b]


def bool_bits(a: bool, b: bool) -> Tuple[bool, bool, bool]:
    return a & b, a | b, a ^ b


def bool_as_int(a: bool, b: int) -> Tuple[int, int]:
    return int(a) + b, b * int(a)


def truncation(a: float) -> int:
    return int(a)


def float_list_text(l: List[float]) -> str:
    return str(l)


def print_values(a: int, b: float, c: bool, s: str, l: List[float], t: Tuple[int, str], d: Dict[str, int]) -> None:
    print(a, b, c, s, l, t, d, None)
    print()
    print("a\tb", [s], (s,), {s: s})


def percent_int(a: int) -> str:
    return "%d|%s|%x|%f" % (a, a, a, a)


def percent_text(a: float, s: str) -> str:
    return "%s-%s" % (a, s)


def percent_float(a: float) -> str:
    return "%f %e %g %i" % (a, a, a, int(a))


def int_of_huge(a: float) -> int:
    return int(a * 1e30)


def characters(s: str) -> Tuple[int, str]:
    return ord(s), chr(65)


def membership(a: int, l: List[int], f: List[float]) -> Tuple[bool, bool, bool]:
    return a in l, a not in l, 1.5 in f


def nested_ternary(a: int) -> str:
    return "neg" if a < 0 else "zero" if a == 0 else "pos"


def nested_loops(n: int) -> int:
    s = 0
    for i in range(n):
        if i % 2 == 0:
            continue
        if i > 20:
            break
        for j in range(i):
            if j > 5:
                break
            s += j * i
        else_ = s
    return s


def range_with_step(a: int, b: int, c: int) -> List[int]:
    return [i for i in range(a, b, c)]


def range_that_is_too_long(a: int, b: int) -> Tuple[int, int]:
    up, down = 0, 0
    for i in range(a, b):
        up += i & 1
        if up > 9:
            raise ValueError("up")
    for i in range(b, a, -1):
        down += i & 1
        if down > 9:
            raise ValueError("down")
    return up, down


def range_with_one_known_end(a: int, b: int) -> List[int]:
    turns = [0, 0, 0, 0]
    for i in range(a, -1, -1):
        turns[0] += 1
        if turns[0] == 9:
            raise ValueError("down to 0")
    for i in range(-1, a):
        turns[1] += 1
        if turns[1] == 9:
            raise ValueError("up from -1")
    for i in range(b, 0):
        turns[2] += 1
        if turns[2] == 9:
            raise ValueError("up to -1")
    for i in range(0, b, -1):
        turns[3] += 1
        if turns[3] == 9:
            raise ValueError("down from 0")
    return turns


def range_lists(n: int) -> Tuple[List[int], List[int]]:
    return list(range(n)), list(range(n, 0, -2))


def while_true(n: int) -> int:
    i = 0
    while True:
        i += 1
        if i * i > n:
            break
    return i


def collatz(n: int) -> int:
    c = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        c += 1
    return c


def return_from_nested_loops(l: List[List[int]], x: int) -> Tuple[int, int]:
    for i, r in enumerate(l):
        for j, v in enumerate(r):
            if v == x:
                return i, j
    return -1, -1


def return_from_while(n: int) -> int:
    while n > 0:
        n -= 3
        if n == 1:
            return 100
    return n


def short_circuit(a: int, b: int) -> bool:
    return a != 0 and 10 // a > b or b == 3


def scalars_and_tensors(a: int, b: float) -> Tuple[torch.Tensor, torch.Tensor, int, float, bool]:
    t = torch.tensor(a)
    u = torch.tensor(b)
    return t + 1, u * a, int(t), float(u), bool(t)


def range_of_tensor(a: torch.Tensor) -> int:
    s = 0
    for i in range(int(a)):
        s += i
    return s


def tensor_condition(a: torch.Tensor) -> int:
    if a > 2:
        return 1
    return 0


def tensor_loop(a: torch.Tensor) -> torch.Tensor:
    while a < 10:
        a = a * 2
    return a


def negative_zero(x: float):
    return x / -0.0, math.copysign(x, -0.0), str(-0.0)


def complex_negative_zero():
    return torch.angle(complex(-1.0, -0.0)), torch.log(complex(-0.0, 1.0))


CALLS = {
    "wrap_around": [(2**63 - 1, 1), (1 - 2**63, 2**63 - 1), (3, 4)],
    "int_division": [(7, 2), (-7, 2), (7, -2), (1, 0)],
    "float_division": [(7.5, 2.0), (-7.5, 2.0), (7.5, -2.0), (1.0, float("inf"))],
    "mixed": [(2, 1.5)],
    "mixed_division": [(7, 2.5), (-7, 2.5)],
    "shifts": [(5, 2), (-5, 1), (1, 62)],
    "negative_zero": [(1.5,)],
    "complex_negative_zero": [()],
    "negation": [(3, 1.5), (-3, -0.0)],
    "int_power": [(2, 10), (2, -1), (0, 0), (0, -1)],
    "float_power": [(2.5, 3), (-8.0, 2)],
    "rounding": [(2.5,), (3.5,), (-2.5,), (10000000000.0,), (0.5,)],
    "conversions": [(3, 2.7, True), (0, 0.0, False)],
    "min_max": [(1, 2, 1.5)],
    "min_max_of_lists": [([3, 1, 2], [2.5, 1.5]), ([], [])],
    "min_max_lists": [([1, 2], [1, 3])],
    "sums_of_lists": [([1, 2], [1.5, 2.5], [True, True]), ([], [], [])],
    "any_all": [([0, 1], [0.0], [True]), ([], [], [])],
    "divmod_int": [(7, 2), (-7, 2), (7, 0)],
    "divmod_float": [(7.5, 2.0), (-7.5, 2.0), (1.0, 0.0)],
    "digits": [(255,), (-10,), (0,)],
    "float_text": [
        (1.0,), (0.1,), (1e+20,), (1e-07,), (123456789.125,), (-0.0,), (float("inf"),), (float("nan"),), (1e+16,),
        (3.14159,),
    ],
    "int_of_text": [("12",), ("-5",), ("x",), (" 12",), ("12abc",), ("",)],
    "float_of_text": [("1.5",), ("-1e3",), ("inf",), ("x",), ("nan",), ("1.5x",)],
    "truth": [("", []), ("a", [1])],
    "compare_floats": [(1.0, 2.0), (float("nan"), 1.0), (2.0, 2.0)],
    "compare_mixed": [(1, 2.0), (2, 2.0)],
    "chain": [(1, 2, 3), (3, 2, 1), (1, 2, 2)],
    "augmented_int": [(3, 4)],
    "augmented_float": [(3.0, 4.5)],
    "augmented_power": [(3,)],
    "complex_arithmetic": [((1+2j), (3-1j)), (1j, 1j)],
    "complex_made": [(1.5, 2)],
    "math_of_floats": [(0.5,), (2.0,)],
    "math_of_ints": [(2,), (3,)],
    "math_pieces": [(3.75,), (float("inf"),), (-0.5,)],
    "math_of_two": [(8.0, 2.0)],
    "math_constants": [()],
    "limits": [()],
    "signs_of_division": [(7,), (-7,)],
    "division_by_powers_of_two": [(0,), (77777,), (-77777,), (-8,), (-1,), (2**63 - 1,), (-2**63,)],
    "bool_operators": [(True, False)],
    "bool_bits": [(True, False)],
    "bool_as_int": [(True, 3)],
    "truncation": [(1e+18,), (-2.9,), (float("nan"),)],
    "float_list_text": [([1.0, 0.1, 1e+20, -0.0, 100000.0, 1e-05],)],
    "print_values": [(1, 2.0, True, "s", [1.5, 2.0], (1, "x"), {"k": 2})],
    "percent_int": [(10,)],
    "percent_text": [(1.5, "z")],
    "percent_float": [(1.5,)],
    "int_of_huge": [(1.0,)],
    "characters": [("a",), ("ab",), ("",)],
    "membership": [(1, [1, 2], [1.5])],
    "nested_ternary": [(-1,), (0,), (1,)],
    "nested_loops": [(30,), (0,)],
    "range_with_step": [(0, 10, 3), (10, 0, -3), (0, 5, 0), (5, 0, 1)],
    "range_that_is_too_long": [(0, 5), (5, 0), (-3, 4), (-2**63, 2), (-2**63, 2**63 - 1), (-5, 2**63 - 1), (2**63 - 1, -5), (-2**63, -2**63 + 4), (-2**62, 9)],
    "range_with_one_known_end": [(a, b) for a in (3, 0, -1, -9, -2**63, 2**63 - 1) for b in (-4, 0, 7, -2**63, 2**63 - 1)]
                                + [(2**63 - 2, 0), (0, -2**63 + 1)],
    "range_lists": [(5,), (0,)],
    "while_true": [(50,)],
    "collatz": [(27,)],
    "return_from_nested_loops": [([[1, 2], [3]], 3), ([], 1)],
    "return_from_while": [(10,), (9,)],
    "short_circuit": [(0, 3), (0, 4), (2, 4)],
    "scalars_and_tensors": [(3, 1.5), (0, 0.0)],
    "range_of_tensor": [(torch.tensor(4),), (torch.tensor([1.0, 1.0]),)],
    "tensor_condition": [(torch.tensor(3.0),), (torch.tensor([1.0, 2.0]),)],
    "tensor_loop": [(torch.tensor(3),)],
}

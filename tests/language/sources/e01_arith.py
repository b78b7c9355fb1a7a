"""E1 arithmetic on int, float, complex, tensors; promotion; // and % signs; true division; pow; shifts; bit ops;
unary; precedence; int overflow; division by zero"""
import torch
from typing import Tuple, List
def int_ops(a: int, b: int):
    return a + b, a - b, a * b, a / b, a // b, a % b, -a

def float_ops(a: float, b: float):
    return a + b, a - b, a * b, a / b, a // b, a % b, -a, a ** b

def mixed(a: int, b: float):
    return a + b, b - a, a * b, a / b, b / a, a // b, a % b, b % a, a ** 2, b ** a

def int_pow(a: int, b: int):
    return a ** b

def float_pow_neg():
    return 2.0 ** -3, -2 ** 2, -2.0 ** -3.0, 2 ** 3 ** 2

def bits(a: int, b: int):
    return a & b, a | b, a ^ b, a << 2, a >> 1

def prec(a: int, b: int, c: int):
    return a + b * c, (a + b) * c, a - b - c, a // b * c, a << 1 + 1, a & b | c ^ a, -a * b, not a == b

def overflow(a: int) -> Tuple[int, int, int]:
    return a + 1, a * 2, -a - 2

def shift_big(a: int) -> int:
    return a << 62

def floordiv_zero(a: int, b: int) -> int:
    return a // b

def mod_zero(a: int, b: int) -> int:
    return a % b

def truediv_zero(a: int, b: int) -> float:
    return a / b

def float_div_zero(a: float, b: float) -> float:
    return a / b

def float_mod_zero(a: float, b: float) -> float:
    return a % b

def cplx(a: complex, b: complex):
    return a + b, a - b, a * b, a / b, -a, a == b, a != b, abs(a)

def cplx_mix(a: complex, f: float, i: int):
    return a + f, a * i, f - a, a ** 2

def tensor_scalar(x: torch.Tensor, i: int, f: float):
    return x + i, x - f, x * i, x / i, i + x, i - x, f * x, i / x, x ** 2, 2 ** x, -x, x // 2, x % 2

def tensor_tensor(x: torch.Tensor, y: torch.Tensor):
    return x + y, x - y, x * y, x / y, x @ y, x // y, x % y, x ** y

def tensor_bits(x: torch.Tensor, y: torch.Tensor):
    return x & y, x | y, x ^ y, ~x, x << 1, x >> y, x & 3, x | 8

def int_tensor_div(x: torch.Tensor):
    return x / 2, x // 2, x % 3, x * 1.5, x + 2.5

def broadcasting(x: torch.Tensor, y: torch.Tensor):
    return x + y, x * y

def list_mul(l: List[int]):
    return l * 2, 3 * l

def bool_arith(a: bool, b: bool):
    return int(a) + int(b), a and b, a or b, a == b, not a

def aug(i: int, f: float):
    i += 3
    i -= 1
    i *= 4
    i **= 2
    f /= 2
    f += i
    return i, f

def aug_mod(i: int):
    j = i % 4
    i %= 4
    return i, j

def aug_bits(i: int):
    i |= 8
    i &= 12
    i ^= 3
    i <<= 2
    i >>= 1
    return i

def aug_tensor(x: torch.Tensor):
    y = x
    x += 1
    x *= 2
    x -= 0.5
    x /= 2
    return x, y

def bad_invert(i: int):
    return ~i

def bad_str_mul(s: str):
    return s * 2

def bad_matmul(a: int):
    return a @ a

def bad_floordiv_aug(i: int):
    i //= 2
    return i

def bad_matmul_aug(x: torch.Tensor):
    x @= x
    return x

def bad_uplus_int(i: int):
    return +i

def bad_bool_add(a: bool, b: bool):
    return a + b

def aug_div_rebinds(i: int):
    i /= 2
    return i

CASES = [("aug_div_rebinds", (5,)), ("int_ops", (7, 2)), ("int_ops", (-7, 2)), ("int_ops", (7, -2)), ("float_ops", (7.5, 2.0)), ("float_ops", (-7.5, 2.0)), ("mixed", (3, 2.5)), ("mixed", (-3, 2.5)), ("int_pow", (2, 10)), ("int_pow", (2, -1)), ("float_pow_neg", ()), ("bits", (12, 10)), ("bits", (-5, 3)), ("prec", (7, 2, 3)),
 ("overflow", (9223372036854775807,)), ("shift_big", (3,)), ("floordiv_zero", (1, 0)), ("mod_zero", (1, 0)), ("truediv_zero", (1, 0)), ("float_div_zero", (1.0, 0.0)), ("float_mod_zero", (1.0, 0.0)), ("cplx", (1 + 2j, 3 - 1j)), ("cplx_mix", (1 + 2j, 2.5, 3)),
 ("tensor_scalar", (torch.tensor([1., 2., 4.]), 2, 0.5)), ("tensor_scalar", (torch.tensor([1, 2, 4]), 2, 0.5)), ("tensor_tensor", (torch.tensor([[1., 2.], [3., 4.]]), torch.tensor([[2., 2.], [1., 0.5]]))), ("tensor_bits", (torch.tensor([12, 5]), torch.tensor([1, 2]))), ("int_tensor_div", (torch.tensor([-7, 5, 3]),)), ("broadcasting", (torch.ones(2, 1), torch.arange(3.))), ("broadcasting", (torch.ones(2), torch.arange(3.))),
 ("list_mul", ([1, 2],)), ("bool_arith", (True, False)), ("aug", (2, 1.0)), ("aug_mod", (7,)), ("aug_mod", (-7,)), ("aug_bits", (5,)), ("aug_tensor", (torch.ones(2),))]
BAD = [("bad_invert", "aten::bitwise_not(Tensor self) -> Tensor"), ("bad_str_mul", "aten::mul.int(int a, int b) -> int"), ("bad_matmul", "aten::matmul"), ("bad_floordiv_aug", "unsupported kind of augumented assignment: FloorDiv"), ("bad_matmul_aug", "unsupported kind of augumented assignment: MatMult"),
 ("bad_uplus_int", "object has no attribute 'range'")]

"""Functions of numbers: complex ones, special functions, integers, and questions about them."""
from typing import List, Tuple

import torch


def complex_parts(x: torch.Tensor, t: torch.Tensor) -> Tuple[List[torch.Tensor], List[complex]]:
    z = torch.complex(x[:2], x[2:])
    w = z.clone()
    w.real.mul_(2.0)
    torch.view_as_real(w)[0, 0, 1] = 7.0
    one, two = t[0].to(torch.float32), t[3].to(torch.float32)
    return ([z, w, z.real, z.imag, torch.view_as_real(z), torch.view_as_complex(x.reshape(4, 3, 2)), torch.polar(x.abs(), x), z.mH, z.abs(),
             torch.var(z), torch.std(z, 1), z.norm(), z.prod(), z.cumsum(1), z.cumprod(0), torch.lerp(z, w, 0.25),
             torch.addcdiv(z, w, z + 3, value=2.0), torch.isclose(z, w), torch.nn.functional.silu(z), torch.isreal(w), torch.isfinite(torch.complex(x[:2] / 0, x[2:])),
             torch.isinf(torch.complex(x[:2], x[2:] / 0)), torch.logspace(1 + 2j, 2, 4), torch.linspace(0, 1j, 3)],
            [complex(one, two), complex(one, 2), complex(1.5, two), complex(True, two), complex(one, False)])


def special(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    made: List[torch.Tensor] = []
    for a in [x, x.to(torch.float64) * 9]:
        p = a.abs() + 0.01
        u = torch.sigmoid(a)
        made = made + [torch.lgamma(p), torch.digamma(a), torch.polygamma(2, p), torch.mvlgamma(p + 2, 3), torch.igamma(p, p.flip(0)),
                       torch.igammac(p, p.flip(1)), torch.special.zeta(p + 1.2, p), torch.erfinv(u * 2 - 1), torch.special.ndtri(u),
                       torch.special.erfcx(a), torch.special.log_ndtr(a)]
    return made


def bessel(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    made: List[torch.Tensor] = []
    for a in [x, x.to(torch.float64) * 12]:
        p = a.abs() + 0.01
        made = made + [torch.i0(a), torch.special.i0e(a), torch.special.i1(a), torch.special.i1e(a), torch.special.bessel_j0(a),
                       torch.special.bessel_j1(a), torch.special.bessel_y0(p), torch.special.bessel_y1(p), torch.special.airy_ai(a),
                       torch.special.modified_bessel_i0(a), torch.special.modified_bessel_i1(a), torch.special.modified_bessel_k0(p),
                       torch.special.modified_bessel_k1(p), torch.special.scaled_modified_bessel_k0(p),
                       torch.special.scaled_modified_bessel_k1(p), torch.special.spherical_bessel_j0(a)]
    return made


def polynomials(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    n = torch.arange(6)
    return [torch.special.chebyshev_polynomial_t(x, n), torch.special.chebyshev_polynomial_u(x, n), torch.special.chebyshev_polynomial_v(x, n),
            torch.special.chebyshev_polynomial_w(x, n), torch.special.shifted_chebyshev_polynomial_t(x, 3),
            torch.special.shifted_chebyshev_polynomial_u(0.3, n), torch.special.shifted_chebyshev_polynomial_v(x, n),
            torch.special.shifted_chebyshev_polynomial_w(x, n), torch.special.hermite_polynomial_h(x, n),
            torch.special.hermite_polynomial_he(x, n), torch.special.laguerre_polynomial_l(x, n), torch.special.legendre_polynomial_p(x, n)]


def pairs(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    y = x.flip([0])
    whole = (x * 10).to(torch.int64)
    mantissa, exponent = torch.frexp(x)
    return [torch.logaddexp(x, y), torch.logaddexp2(x, y), torch.heaviside(x, y), torch.gcd(whole, whole.flip(1)), torch.lcm(whole, whole.flip(0)),
            torch.ldexp(x, t[:1]), mantissa, exponent, torch.float_power(x.abs(), 2), torch.float_power(2, t), torch.nextafter(x, y),
            torch.xlogy(x, 2.5), torch.xlogy(3, x.abs()), torch.special.xlog1py(x, 1.5), torch.isposinf(x / 0), torch.isneginf(x / 0),
            torch.isfinite(x / 0), torch.bitwise_left_shift(t, 2), torch.bitwise_right_shift(t, 1), torch.nn.functional.relu6(whole)]


def comparisons_of_bools(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a, b = x > 0, x.flip([1]) > 0
    return [a < b, a <= b, a > b, a >= b, a == b, a != b, torch.logical_and(a, b), torch.logical_or(a, b), torch.logical_xor(a, b), a != a]


def wrong_complex(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.complex(x, x.to(torch.float64))


def wrong_view(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.view_as_complex(x)


def wrong_imag(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.imag(x)


def wrong_polygamma(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.polygamma(-1, x)


def numbers_in_bools(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    b = x > 0
    n = t.to(torch.uint8)
    return [b.clone().fill_(0.5), b.clone().fill_(torch.tensor(0.5)), torch.full_like(b, 0.5), torch.full([2], 0.5, dtype=torch.bool), b.new_full([2], 0.25),
            b.masked_fill(~b, 0.5), b.masked_fill(~b, torch.tensor(0.5)), b.clone().masked_fill_(~b, 2), torch.ones_like(b).masked_fill(b, 0.0),
            torch.zeros(3, 3, dtype=torch.bool).fill_diagonal_(0.5), torch.xlogy(0.5, n + 1), torch.xlogy(0.5, b), torch.special.xlog1py(0.5, n),
            torch.special.xlog1py(2, b)]


def gradients_of_complex(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    z, w = torch.complex(x[:2], x[2:]), torch.complex(x[2:], x[:2])
    return [torch.ops.aten.sigmoid_backward(z, w), torch.ops.aten.tanh_backward(z, w), torch.linalg.vecdot(z, w), torch.linalg.vecdot(z, w, dim=0)]


def far_out(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    made: List[torch.Tensor] = []
    for kind in [torch.float32, torch.float64]:
        a = torch.tensor([30.0, 300.0, 1e4, 1e6, 1e10, 1e30], dtype=kind)
        b = a[:4]
        for k in [-2.0, 0.0, 0.5]:
            made = made + [torch.igamma(b, b + k * b.sqrt()), torch.igammac(b, b + k * b.sqrt())]
        made = made + [torch.i0(a), torch.special.i0e(a), torch.special.i1(-a), torch.special.i1e(-a), torch.special.scaled_modified_bessel_k0(a) * a.sqrt(),
                       torch.special.scaled_modified_bessel_k1(a) * a.sqrt(), torch.special.scaled_modified_bessel_k1(1 / a) / a]
    return made + torch.gradient(torch.tensor([0.0, 1e20, -1.0, 2.0]))


PROGRAMS = [complex_parts, special, bessel, polynomials, pairs, comparisons_of_bools, numbers_in_bools, gradients_of_complex, far_out]
FAILURES = {wrong_complex: "Expected object of scalar type", wrong_view: "Tensor must have a last dimension of size 2",
            wrong_imag: "imag is not implemented for tensors with non-complex dtypes.", wrong_polygamma: "does not support negative n"}

"""Operators of prims::."""
from typing import List

import torch


def one_argument(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    y, p = torch.sin(torch.arange(1, 9)), torch.arange(1, 9) * 0.11
    o = torch.ops.prims
    n = torch.tensor([3, -5, 0])
    return [o.abs(y), o.acos(y), o.acosh(p + 1), o.asin(y), o.asinh(y), o.atan(y), o.atanh(y), o.cos(y), o.cosh(y), o.bessel_i0(y), o.bessel_i0e(y), o.bessel_i1(y), o.bessel_i1e(y), o.bessel_j0(y),
            o.bessel_j1(y), o.bitwise_not(n), o.cbrt(y), o.ceil(y * 3), torch.imag(o.conj_physical(torch.complex(y, p))), o.clone(y), o.digamma(p), o.erf(y), o.erf_inv(y), o.erfc(y), o.erfcx(y), o.exp(y), o.exp2(y), o.expm1(y),
            o.fill(y, 2.0), o.floor(y * 3), o.isfinite(y), o.lgamma(p), o.log(p), o.log1p(p), o.log2(p), o.log10(p), o.ndtri(p), o.neg(y), o.reciprocal(p), o.round(y * 3), o.rsqrt(p), o.sign(y), o.signbit(y),
            o.sin(y), o.sinh(y), o.spherical_bessel_j0(p), o.sqrt(p), o.tan(y), o.tanh(y), o.trunc(y * 3)]


def two_arguments(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a, b = torch.sin(torch.arange(1, 9)), torch.arange(1, 9) * 0.3
    n, m = torch.tensor([7, -9, 12]), torch.tensor([2, 4, 3])
    o = torch.ops.prims
    return [o.add(a, b), o.sub(a, b), o.mul(a, b), o.div(a, b), o.div(n, m), o.atan2(a, b), o.bitwise_and(n, m), o.bitwise_or(n, m), o.bitwise_xor(n, m), o.eq(a, a), o.ne(a, b), o.lt(a, b), o.le(a, b),
            o.gt(a, b), o.ge(a, b), o.fmax(a, b), o.fmin(a, b), o.fmod(a, b), o.remainder(a, b), o.gcd(n, m), o.hypot(a, b), o.igamma(b, b), o.igammac(b, b + 1), o.maximum(a, b), o.minimum(a, b),
            o.nextafter(a, b), o.pow(b, a), o.zeta(b + 1.5, b), o.shift_left(n.abs(), m), o.shift_right_arithmetic(n, m), o.fma(a, b, a), o.where(a > 0, a, b)]


def shapes(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = torch.arange(24.0).reshape(2, 3, 4)
    o = torch.ops.prims
    w = torch.zeros(2)
    o.copy_to(w, torch.ones(2))
    return [o.broadcast_in_dim(torch.arange(3.0), [2, 3, 4], [1]), o.cat([a, a], 1), o.collapse(a, 0, 1), o.collapse_view(a, 1, 2), o.convert_element_type(a, torch.int32), o.reshape(a, [4, 6]), o.rev(a, [0, 2]),
            o.split_dim(a, 2, 2), o.squeeze(a[:1], [0]), o.transpose(a, [2, 0, 1]), o.view_of(a), o.view_of_dtype(a, torch.int32), o.as_strided(a, [2, 2], [1, 3], 1), o.iota(5, start=2, step=3, dtype=torch.int64, device=torch.device("cpu"), requires_grad=False),
            o.full([2], 3.0, dtype=torch.float32, device=torch.device("cpu"), requires_grad=False), o.full_like(a, 2.0, dtype=torch.float64, device=torch.device("cpu"), requires_grad=False), o.scalar_tensor(4.0, dtype=torch.float32, device=torch.device("cpu")), w]


def reductions(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = torch.sin(torch.arange(24.0)).reshape(2, 3, 4)
    o = torch.ops.prims
    u, s, v = o.svd(a[0], full_matrices=False)
    return [o.amax(a, [0, 2]), o.amin(a, [1]), o.sum(a, [1]), o.sum(a, [0, 1]), o.prod(a, [0, 2]), o.var(a, [0, 2], 1.0), o.var(a, [1], 0.0), s, u @ torch.diag(s) @ v,
            torch.real(o.fft_c2c(torch.complex(a, a), dim=[1], forward=True)), torch.imag(o.fft_r2c(a, dim=[2], onesided=True)), o.fft_c2r(o.fft_r2c(a, dim=[2], onesided=True), dim=[2], last_dim_size=4)]


def limits(x: torch.Tensor, t: torch.Tensor) -> List[List[float]]:
    """The least and the greatest number of a dtype: finite ones."""
    found: List[List[float]] = []
    for dtype in [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.uint8, torch.int16]:
        found.append([float(torch.ops.prims.minimum_value(dtype)), float(torch.ops.prims.maximum_value(dtype))])
    return found


PROGRAMS = [limits, one_argument, two_arguments, shapes, reductions]

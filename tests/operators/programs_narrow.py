"""Operators on narrow elements, which have loops of their own where processors have vectors of them: long lines, lines
that lie transposed or apart, and operands that are broadcast or of other types, against the same in wide elements."""
from typing import List

import torch


def narrowed(wide: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    return wide.to(like.dtype)


def same(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.dtype == b.dtype and bool((a == b).all())


def ring(a: torch.Tensor, b: torch.Tensor) -> List[bool]:
    p, q = a.to(torch.int64), b.to(torch.int64)
    return [same(a + b, narrowed(p + q, a)), same(a - b, narrowed(p - q, a)), same(a * b, narrowed(p * q, a)), same(a + 100, narrowed(p + 100, a)), same(a * -3, narrowed(p * -3, a)),
            same(a & b, narrowed(p & q, a)), same(a | 21, narrowed(p | 21, a)), same(a ^ b, narrowed(p ^ q, a)), same(~a, narrowed(~p, a)), same(-a, narrowed(-p, a)), same(torch.abs(a), narrowed(torch.abs(p), a)),
            same(torch.sign(a), narrowed(torch.sign(p), a)), same(torch.square(a), narrowed(p * p, a))]


def order(a: torch.Tensor, b: torch.Tensor) -> List[bool]:
    p, q = a.to(torch.int64), b.to(torch.int64)
    return [same(a > b, p > q), same(a <= b, p <= q), same(a == b, p == q), same(a != 5, p != 5), same(a < 7, p < 7), same(torch.maximum(a, b), narrowed(torch.maximum(p, q), a)),
            same(torch.minimum(a, b), narrowed(torch.minimum(p, q), a)), same(torch.clamp(a, 3, 60), narrowed(torch.clamp(p, 3, 60), a)), same(torch.clamp(a, min=9), narrowed(torch.clamp(p, min=9), a)),
            same(torch.clamp(a, max=b), narrowed(torch.minimum(p, q), a)), same(torch.where(a > b, a, b), narrowed(torch.maximum(p, q), a)), same(torch.logical_and(a, b), torch.logical_and(p, q))]


def extremes(a: torch.Tensor) -> List[bool]:
    p = a.to(torch.int64)
    return [same(a.max(), narrowed(p.max(), a)), same(a.min(), narrowed(p.min(), a)), same(a.amax(0), narrowed(p.amax(0), a)), same(a.min(1)[0], narrowed(p.min(1)[0], a)),
            int(a.flatten()[a.argmax()]) == int(a.max()), same(a.sum(0), p.sum(0)), same(a.sum(), p.sum()), same(a.t().amax([0, 1]), narrowed(p.amax(), a))]


def kinds(a: torch.Tensor) -> List[bool]:
    p = a.to(torch.int64)
    return [same(a.to(torch.bool), p != 0), same((a > 3).to(a.dtype), narrowed((p > 3).to(torch.int64), a)), same(a.to(torch.float64), p.to(torch.float64)), same(a.to(torch.int32), p.to(torch.int32)),
            same(a.to(torch.uint8), p.to(torch.uint8)), same(a.to(torch.int8), p.to(torch.int8)), same(a.to(torch.float32), p.to(torch.float32)), same(p.to(torch.float64).to(a.dtype), a)]


def ints(x: torch.Tensor, t: torch.Tensor) -> List[List[bool]]:
    made: List[List[bool]] = []
    line = torch.arange(1400).reshape(40, 35)
    for dtype in [torch.int8, torch.uint8, torch.int32]:
        a, b = (line * 37 % 251 - 60).to(dtype), (line * 101 % 241 - 40).to(dtype)
        apart = (torch.arange(2800).reshape(40, 70) * 77 % 255).to(dtype)[:, ::2]
        made.extend([ring(a, b), order(a, b), ring(a.t(), b.t().contiguous()), order(apart, b), ring(a, b[:1]), order(a[:, :1], b), extremes(a), extremes(apart), kinds(a), kinds(apart.t())])
        made.append([same(a + (b > 3), narrowed(a.to(torch.int64) + (b > 3).to(torch.int64), a)), (a > (b > 3)).dtype == torch.bool, same(a.clone().mul_(b), a * b)])
    return made


# What PyTorch gives for numbers that the type does not have.
def numbers_far_out(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    b, u = t.to(torch.int8), t.to(torch.uint8)
    return [b + 300, b * 1000, u - 7, u + 256, b.to(torch.int32) * 70000, torch.maximum(u, u * 3), torch.abs(b * 0 - 128), -(b * 0 - 128)]


def near(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.dtype == torch.complex64 and bool((torch.abs(a - b) <= 1e-5 * (1 + torch.abs(b))).all())


def complex_floats(x: torch.Tensor, t: torch.Tensor) -> List[bool]:
    line = torch.arange(1400, dtype=torch.float64).reshape(40, 35)
    p, q = torch.complex(torch.sin(line), torch.cos(line * 3)), torch.complex(torch.cos(line * 2) + 1.5, torch.sin(line))
    a, b = p.to(torch.complex64), q.to(torch.complex64)
    rows = torch.complex(torch.sum(p.real, 1), torch.sum(p.imag, 1))
    return [near(a * b, p * q), near(a / b, p / q), near(b / a[:1], q / p[:1]), near(a.t() + b.t().contiguous(), p.t() + q.t()), near(a * 2.5, p * 2.5), near(a - b[:, :1], p - q[:, :1]),
            near(1.0 / b, 1.0 / q), near(torch.reciprocal(b), 1.0 / q), near(torch.exp(a), torch.exp(p)), near(torch.square(a), p * p), near(-a, -p), near(torch.conj(a), torch.conj(p)),
            near(a.sum(1), rows), near(a.mean(), p.sum() / 1400.0), near(a * b.real, p * q.real),
            near(a * 1e25 / b, p * 1e25 / q), near(a / (b * 1e-12), p / (q * 1e-12)), near(torch.where(b.real > 2, a * 1e22, a) / torch.where(b.real < 1, b * 1e12, b),
                                                                                           torch.where(q.real > 2, p * 1e22, p) / torch.where(q.real < 1, q * 1e12, q)),
            near(a.clone().div_(b), p / q), near(a / a, p / p), near(a[:, 1:10] / b[:, 3:12], p[:, 1:10] / q[:, 3:12])]


def complex_limits(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = torch.tensor([[1.0, 0.0], [0.0, 0.0], [-0.5, 2.0], [3e3, 1e3], [0.25, 0.0]])
    z = torch.view_as_complex(a)
    return [z[:1] / z[2:], z[:1] / z[3:4], torch.exp(z[:3]), torch.exp(z[1:2] * -1.0), torch.reciprocal(z[2:4])]


# Reductions in another order than that of the dimensions, and of columns.
def orders(x: torch.Tensor, t: torch.Tensor) -> List[bool]:
    line = (torch.arange(4 * 30 * 20, dtype=torch.float64) * 7 % 101 - 50).reshape(4, 30, 20)
    made: List[bool] = []
    for a in [line, line.permute(2, 0, 1), line.transpose(0, 2)]:
        c = a.contiguous()
        made.extend([same(a.sum(), c.sum()), same(a.sum(0), c.sum(0)), same(a.sum([0, 2]), c.sum([0, 2])), same(a.amax([0, 1]), c.amax([0, 1])), same(a.amin(0), c.amin(0)), same(a.max(1)[1], c.max(1)[1]),
                     same((a > 0).any(0), (c > 0).any(0)), bool((torch.norm(a, 1, [0]) - torch.abs(c).sum(0)).abs().max() < 1e-9), same(torch.norm(a, float("inf"), [1]), torch.abs(c).amax(1)),
                     bool((torch.norm(a, 3, [2]) - (torch.abs(c) ** 3).sum(2) ** (1 / 3)).abs().max() < 1e-9), bool((a.mean([0, 1]) - c.mean([0, 1])).abs().max() < 1e-12)])
    holes = torch.where(line > 45, line * float("nan"), line)
    made.extend([bool(torch.isnan(torch.norm(holes, float("inf")))), bool(torch.isnan(holes.amax(0)).any()), bool(torch.isnan(holes.t().amax()) if line.dim() == 2 else torch.isnan(holes.amax()))])
    return made


# Short lines are transformed together, long ones and those that are left over one by one.
def transforms(x: torch.Tensor, t: torch.Tensor) -> List[bool]:
    made: List[bool] = []
    for n in [1, 2, 7, 12, 56, 64, 210]:
        line = torch.arange(19 * n, dtype=torch.float64).reshape(19, n)
        p = torch.complex(torch.sin(line), torch.cos(line * 3))
        a, k = p.to(torch.complex64), torch.arange(n, dtype=torch.float64)
        turns = torch.outer(k, k) % n * (-2 * 3.141592653589793 / n)
        by_definition = p @ torch.complex(torch.cos(turns), torch.sin(turns))
        made.extend([bool((torch.fft.fft(p) - by_definition).abs().max() < 1e-9), bool((torch.fft.fft(a) - by_definition).abs().max() < 1e-3), bool((torch.fft.ifft(torch.fft.fft(p)) - p).abs().max() < 1e-12),
                     bool((torch.fft.fft(p.t(), dim=0) - by_definition.t()).abs().max() < 1e-9)])
    line = torch.arange(9 * 600, dtype=torch.float64).reshape(9, 600)
    p = torch.complex(torch.sin(line), torch.cos(line * 3))
    made.append(bool((torch.fft.ifft(torch.fft.fft(p)) - p).abs().max() < 1e-12))
    return made


def neighbours(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = torch.tensor([0.0, 1.0, -1.0, 1e-45, -1e-45, float("inf"), 3.4028235e38, float("nan")])
    return [torch.nextafter(a, a * 0 + 2), torch.nextafter(a, a * 0 - 2), torch.nextafter(a, a), torch.nextafter(x, -x)]


# Pairs of bfloat16, and bfloat16 with numbers and tensors of other types, in lines of several lengths.
def bfloat16_pairs(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    made: List[torch.Tensor] = []
    for n in [0, 1, 7, 33, 70]:
        line = torch.remainder(torch.arange(2 * n) * 37, 23).to(torch.bfloat16) / 3 - 2
        a, b = line[:n], line.flip([0])[:n]
        zeros, small = a - a, a * 1e-39
        c = (a / zeros - a) if n > 7 else a
        made += [a + b, a - b, a * b, a / b, a / zeros, c * b, c + c.flip([0]), small * b, small / 3.0, a * 0.375, 1.25 / b, a + torch.tensor(0.375), a / b[:1],
                 line[::2] * line[1::2], a.unsqueeze(1)[:3] - b, a * t[:1], a.clone().mul_(b), a.clone().div_(1.75), torch.add(a, b, alpha=0.5)]
    return made


# Functions of one bfloat16 and the larger and smaller of two, in lines of several lengths and of all numbers.
def bfloat16_alone(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    made: List[torch.Tensor] = []
    infinity = float("inf")
    ends = torch.tensor([0.0, -0.0, infinity, -infinity, float("nan"), 3.3895313892515355e38, -1e-39, 0.5, -0.5, 1.5, 2.5]).to(torch.bfloat16)
    for n in [0, 1, 7, 33, 70]:
        a = torch.cat([torch.remainder(torch.arange(n) * 37, 23).to(torch.bfloat16) / 3 - 2, ends, -ends])
        b = a.flip([0])
        signs = torch.cat([torch.signbit(v.to(torch.float32)) for v in [-a[:n], torch.abs(a), torch.relu(a[:n])]])
        made += [-a, torch.abs(a), torch.sign(a), torch.square(a), torch.relu(a), torch.floor(a), torch.ceil(a), torch.round(a), torch.trunc(a), torch.maximum(a, b), torch.minimum(a, b), torch.fmax(a, b),
                 torch.fmin(a, b), torch.maximum(a, a[3:4]), torch.minimum(a.unsqueeze(1)[:5], b), -a[::2], torch.abs(a[1::3]), a.clone().neg_(), a.clone().abs_(), signs]
    return made


def bfloat16_patterns(x: torch.Tensor, t: torch.Tensor) -> List[bool]:
    steps = torch.outer(torch.pow(2.0, torch.arange(-133, 128).to(torch.float64)), 1 + torch.arange(128).to(torch.float64) / 128).flatten()
    a = torch.cat([steps, -steps, torch.tensor([0.0, -0.0, float("inf"), -float("inf"), float("nan"), -float("nan")])]).to(torch.bfloat16)
    b = a.roll([12345], [0])
    p, q = a.to(torch.float32), b.to(torch.float32)
    made: List[bool] = []
    for found, wide in [(-a, -p), (torch.abs(a), torch.abs(p)), (torch.relu(a), torch.relu(p)), (torch.sign(a), torch.sign(p)), (torch.maximum(a, b), torch.maximum(p, q)),
                        (torch.minimum(a, b), torch.minimum(p, q)), (torch.fmax(a, b), torch.fmax(p, q)), (torch.fmin(a, b), torch.fmin(p, q)), (torch.square(a), torch.square(p)), (torch.floor(a), torch.floor(p))]:
        expected = wide.to(torch.bfloat16)
        made.append(found.dtype == torch.bfloat16 and bool(((found == expected) | (torch.isnan(found) & torch.isnan(expected))).all()))
    return made


def complex_equalities(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    made: List[torch.Tensor] = []
    for n in [1, 9, 70]:
        k = torch.remainder(torch.arange(n) * 37, 5).to(torch.float32) - 2
        a, b = torch.complex(k, k.flip([0])), torch.complex(-k, k)
        b[0] = a[0]
        odd = torch.where(k > 1, torch.full_like(k, float("nan")), k * 0)
        c = torch.complex(odd, -odd)
        made += [a == b, a != b, a == a, a == a[0], a != a[:1], c == c, c != c, c == -c, a.unsqueeze(1)[:3] == b, a[::2] == b[::2], a == k, a == a.to(torch.complex128)]
    return made


# Operands that lie turned against the result, alone, together, and beside others that are converted or broadcast.
def turned(x: torch.Tensor, t: torch.Tensor) -> List[bool]:
    made: List[bool] = []
    for rows, columns in [(16, 16), (15, 40), (17, 70), (130, 33), (64, 129)]:
        line = torch.remainder(torch.arange(3 * rows * columns) * 37, 101) - 50
        for dtype in [torch.float32, torch.float64, torch.int64, torch.uint8, torch.bfloat16, torch.complex64, torch.float16]:
            a, b = line.to(dtype).reshape(3, columns, rows), line.flip([0]).to(dtype).reshape(3, rows, columns)
            p, q = a.transpose(1, 2), a.transpose(1, 2).contiguous()
            wide = torch.zeros(3, rows, 2 * columns, dtype=dtype)
            wide[:, :, ::2] = 1
            taken = wide[:, :, ::2]
            taken.add_(p)
            given = b.clone()
            given.mul_(p)
            made += [same(p + b, q + b), same(b - p, b - q), same(p[0] * b, q[0] * b), same(p * p.clone(), q * q), same(p + b[:, :1], q + b[:, :1]), same(p + b[:, :, 2:3], q + b[:, :, 2:3]), same(taken, q + 1),
                     same(given, b * q), same(p[:, 1:, 3:] + b[:, 1:, 3:], q[:, 1:, 3:] + b[:, 1:, 3:]), same(torch.where(p == b, b, p), torch.where(q == b, b, q)), same(p + line.reshape(3, rows, columns), q + line.reshape(3, rows, columns)),
                     same(p == b, q == b), same(torch.addcmul(b, p, b), torch.addcmul(b, q, b)) if dtype != torch.uint8 and dtype != torch.float16 else True]
        square = line[:225].to(torch.float32).reshape(15, 15).repeat(2, 2)
        expected = square.t().contiguous() - square.clone()
        made.append(same(square.t() - square, expected))
    return made


def trigammas(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Near poles, where numbers that are rounded on the way are wrong."""
    y = torch.cat([x.flatten(), torch.tensor([-0.98046875, -0.0234375, -1.984375, 0.0078125])]).to(torch.bfloat16)
    return [torch.polygamma(1, y), torch.polygamma(1, t - 0.25)]


PROGRAMS = [turned, bfloat16_alone, bfloat16_patterns, complex_equalities, bfloat16_pairs, ints, numbers_far_out, complex_floats, complex_limits, orders, transforms, neighbours, trigammas]

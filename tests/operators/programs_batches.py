"""Many small problems at once: matrices of a few rows, lines of a few points, short rows, pictures of few channels."""
from typing import List

import torch


def made(shape: List[int], step: float, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    count = 1
    for n in shape:
        count *= n
    return torch.sin(torch.arange(count, dtype=torch.float64) * step).reshape(shape).to(dtype)


def small_matrices(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    y: List[torch.Tensor] = []
    for m, k, n in [(2, 2, 2), (3, 3, 3), (4, 4, 4), (3, 3, 1), (1, 3, 3), (2, 1, 3), (5, 5, 5), (3, 7, 6), (6, 8, 2), (1, 1, 1), (4, 9, 2), (3, 2, 9)]:
        a, b = made([11, m, k], 0.7), made([11, k, n], 1.3)
        y.append(torch.bmm(a, b))
        y.append(a @ b[3])
        y.append(a[2] @ b)
        y.append(a[::2] @ b[1])
        y.append(a.transpose(1, 2).contiguous().transpose(1, 2) @ b.transpose(1, 2).contiguous().transpose(1, 2))
        y.append(torch.baddbmm(made([n], 0.3), a, b, beta=0.5, alpha=2.0))
        y.append(torch.einsum('nij,njk->nik', a, b))
    return y


def columns_and_vectors(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Matrices whose columns lie in order, times vectors; sums of exponentials of short rows."""
    y: List[torch.Tensor] = []
    for m, k in [(1, 30), (2, 9), (70, 40), (33, 300)]:
        a, v = made([3, k, m], 0.7).transpose(1, 2), made([3, k, 2], 1.3)
        y += [torch.mv(a[0], v[0, :, 0].contiguous()), torch.mv(a[1], v[0, :, 1]), a @ v[:, :, 1:], a @ v[1, :, :1], a[2] @ v[:, :, :1], torch.addmv(v[0, :1, 0], a[0], v[1, :, 1])]
    for n in [1, 3, 16, 64, 65]:
        a = made([2, 70, n], 0.9) * 20.0
        a[0, 3, 0] = float("inf")
        a[0, 4] = float("-inf")
        a[1, 5, 0] = float("nan")
        y += [a.logsumexp(2), a.logsumexp(1), a[:, :5].logsumexp(2), a.transpose(0, 1).logsumexp(2), a.logsumexp([0, 2]), a.to(torch.float64).logsumexp(2)]
    return y


def small_layers(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    y: List[torch.Tensor] = []
    for k, n in [(1, 1), (3, 1), (8, 1), (1, 4), (3, 3), (4, 8), (8, 5), (2, 2), (9, 3)]:
        a, w, b = made([13, k], 0.7), made([n, k], 1.3), made([n], 0.3)
        y.append(torch.nn.functional.linear(a, w, b))
        y.append(torch.nn.functional.linear(a, w))
        y.append(torch.nn.functional.linear(a.reshape(1, 13, k).expand(2, 13, k), w, b))
        y.append(a @ w[0])
        y.append(torch.relu(torch.nn.functional.linear(a, w, b)))
        y.append(torch.mv(made([k, 13], 0.9).t(), w[0]))
    return y


def short_lines(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """More lines than go together, of lengths with all kinds of factors."""
    y: List[torch.Tensor] = []
    for n in [1, 2, 3, 6, 8, 9, 11, 13, 22, 30, 31, 49, 62, 34, 37]:
        a = made([11, n], 0.7 + 0.01 * n)
        y.append(torch.fft.rfft(a).sum(0))
        y.append(torch.fft.rfft(a)[9:])
        y.append(torch.fft.fft(a, dim=1, norm="ortho")[:, n // 2])
        y.append(torch.fft.irfft(torch.complex(a, a.flip([1])), n)[8:])
        y.append(torch.fft.ihfft(a)[7])
        y.append(torch.fft.hfft(torch.complex(a, a.flip([1])), n)[3])
        y.append(torch.fft.fft(torch.complex(a, a.flip([0])), norm="forward")[7:9])
        y.append(torch.fft.rfft(a.t().contiguous(), dim=0)[:, 8])
        y.append(torch.fft.rfft(made([9, n], 0.3, torch.float64))[:, n // 3])
    return y


def lines_beside_lines(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """What is no number, or very large, stays in its own line."""
    a = made([16, 12], 0.7)
    a[3, 2] = float("nan")
    a[5] *= 1e20
    y = torch.fft.rfft(a)
    back = torch.fft.irfft(y)
    return [torch.isnan(torch.view_as_real(y)).any(2).all(1), y[[0, 1, 2, 4, 6, 7]], back[[0, 1, 2, 4, 6, 7]]]


def columns_beside_rows(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """A number for each row, beside rows of all lengths and elements of all sizes."""
    y: List[torch.Tensor] = []
    for n in [2, 5, 16, 17, 31, 33, 48, 64, 65]:
        a, b = made([19, n], 0.7), made([19, 1], 1.3) * 100
        y.append(((a + b) - b * 2)[17:])
        y.append((a.to(torch.float64) * b.to(torch.float64)).sum(1))
        y.append(((a * 50).to(torch.int32) + b.to(torch.int32)).sum(1))
        y.append(((a * 50).to(torch.uint8) + b.to(torch.uint8)).sum(1))
        y.append((a.to(torch.bfloat16) + b.to(torch.bfloat16)).to(torch.float32).sum(0)[:2])
        y.append((torch.complex(a, a * 0.5) + torch.complex(b, b * 3)).sum(1))
        y.append(torch.where(a > 0, a, b)[16:])
    return y


def near_powers(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = torch.tensor([-3.5, -1.0, -0.5, -0.0, 0.0, 0.25, 2.0, 1e20, -1e20, float("inf"), -float("inf"), float("nan"), -1e-30, 1e-42])
    b = torch.tensor([4.0, 5.0, -3.0, 2.5, 0.0, 1048575.0, 1048577.0, 1e9, -7.0, 0.5]).unsqueeze(1)
    z = torch.complex(made([40], 0.7), made([40], 1.1))
    return [a ** 4, a ** 5, a ** -3, a ** 7.0, a ** b, z ** 2, z.to(torch.complex128) ** 2.0, z.neg() ** 2]


def bounds_of_tensors(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    v = torch.tensor([-1.0, 0.0, 2.0, float("nan"), float("inf")])
    a, low, high = v.reshape(5, 1, 1), v.reshape(1, 5, 1), v.reshape(1, 1, 5)
    return [torch.clamp(a, low, high), torch.clamp(a.to(torch.float64), low.to(torch.float64), high.to(torch.float64)), torch.clamp(a, low), torch.clamp(a, None, high)]


def divisors(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = torch.tensor([0, 1, -6, 4194303, 4194304, -4194304, 9223372036854775807, -9223372036854775807, 1836311903, 2971215073, 3 << 40, 12, 3524578, 2178309])
    near = a.clamp(-4194303, 4194303)
    return [torch.gcd(a.unsqueeze(1), a), torch.gcd(near.unsqueeze(1), near), torch.gcd(near.to(torch.int32), near.flip(0).to(torch.int32)), torch.gcd(a, a > 1),
            torch.gcd((a % 100).to(torch.uint8), (a % 77).to(torch.int8))]


def tangents(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = torch.arange(-40, 40, dtype=torch.float64) * 1.5707963267948966
    return [torch.tan(a), torch.tan(a * 7001.0 + 1e-7), torch.tan(torch.tensor([1e6, -1e22, float("inf"), float("nan"), 0.0, -0.0], dtype=torch.float64)), torch.tan(made([100], 0.7, torch.float64) * 20)]


def small_planes(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = made([3, 2, 4, 4], 0.7)
    a[1, 0, 2, 1] = float("nan")
    a[2, 1, 0, 0] = -float("inf")
    b, c, line = made([2, 3, 7, 6], 1.3), made([2, 3, 4, 3, 5], 0.9), made([3, 5, 24], 0.3)
    line[1, 2, 7] = float("nan")
    f = torch.nn.functional
    y = [f.max_pool2d(a, 2), f.max_pool2d(a, 3, 1, 1), f.max_pool2d(a, 2, 1, 1, 2), f.max_pool2d(a, 3, 2, 1, 1, True), f.avg_pool2d(a, 2), f.avg_pool2d(a, 3, 2, 1, True, False),
         f.avg_pool2d(a, [2, 3], [1, 2], [1, 1], False, True, 5), f.avg_pool2d(a, 4), f.avg_pool2d(a, 4, 1, 0, False, True, 3), f.adaptive_avg_pool2d(a, [3, 2]), f.adaptive_avg_pool2d(a, [1, 1]),
         f.max_pool2d(b, [3, 2]), f.avg_pool2d(b, [2, 3]), f.avg_pool2d(b, 7, 1, 3), f.adaptive_avg_pool2d(b, [1, 1]), f.adaptive_avg_pool2d(b, [2, 4]), f.max_pool3d(c, 2), f.avg_pool3d(c, 2), f.avg_pool3d(c, [4, 3, 5]),
         f.adaptive_avg_pool3d(c, [1, 1, 1]), f.avg_pool3d(c, 3, 2, 1, True, False)]
    for k in range(2, 6):
        y.append(f.max_pool1d(line, k))
        y.append(f.max_pool1d(line[:, :, :23], k))
        y.append(f.max_pool1d(line, k, k, k // 2))
        y.append(f.max_pool2d(line, [1, k]))
        y.append(f.avg_pool1d(line, k))
    return y


PROGRAMS = [columns_and_vectors, small_planes, columns_beside_rows, near_powers, bounds_of_tensors, divisors, tangents, small_matrices, small_layers, short_lines, lines_beside_lines]

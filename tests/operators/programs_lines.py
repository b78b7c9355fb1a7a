"""Kernels that take whole lines at once: pooling, resizing and reductions, at sizes where their vectors, blocks and
the items that are left over all have work. Large results are folded into seven numbers."""
from typing import List

import torch
import torch.nn.functional as F


def wave(n: int) -> torch.Tensor:
    i = torch.arange(n, dtype=torch.float32)
    return torch.sin(i * 1.7) * 3.0 + torch.cos(i * i * 0.01)


def folded(y: torch.Tensor) -> torch.Tensor:
    """Sums of every seventh element, so that an error shows at which of them it is."""
    flat = y.reshape(-1).to(torch.float64)
    return torch.stack([flat[k::7].sum() for k in range(7)])


def largest_of_windows(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = wave(2 * 3 * 11 * 13).reshape(2, 3, 11, 13)
    v = wave(2 * 5 * 6 * 9).reshape(1, 2, 5, 6, 9)
    missing = a.clone()
    missing[0, 1, 4, 5] = float("nan")
    return [F.max_pool2d(a, 2), F.max_pool2d(a, 3, 2, 1), F.max_pool2d(a, [3, 1], [1, 3], [1, 0]), F.max_pool2d(a, 3, 1, 1, 2),
            F.max_pool2d(a, 7, 1, 3), F.max_pool2d(a, [2, 3], 2, 1, 1, True), F.max_pool2d(missing, 3, 2, 1), F.max_pool1d(a[0], 4),
            F.max_pool1d(a[0], 5, 3, 2), F.max_pool3d(v, 2), F.max_pool3d(v, [3, 2, 3], [1, 2, 2], [1, 1, 0]), F.max_pool3d(v, 3, 2, 1, 1, True),
            F.max_pool2d(a.to(torch.float64), 3, 2, 1), F.max_pool2d(a[:, :, :8, :8], [8, 8])]


def windows_beside_the_image(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    one = torch.tensor([[[[5.0]]]])
    last = torch.ones(1, 2, 1, 1).as_strided([1, 2, 1, 1], [2, 1, 2, 2])
    return [F.max_pool2d(one, 2, 1, 1, 2), F.max_pool2d(one.to(torch.float64), 2, 1, 1, 2), F.max_pool1d(one[0], 2, 1, 1, 2), F.max_pool3d(one[None], 2, 1, 1, 2),
            F.max_pool2d(last, 2, 1, 1, 2)]


def means_of_windows(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = wave(2 * 3 * 11 * 13).reshape(2, 3, 11, 13)
    v = wave(2 * 5 * 6 * 9).reshape(1, 2, 5, 6, 9)
    return [F.avg_pool2d(a, 2), F.avg_pool2d(a, 3, 2, 1), F.avg_pool2d(a, 3, 2, 1, True, False), F.avg_pool2d(a, [1, 5], [3, 1], [0, 2]),
            F.avg_pool2d(a, 3, 2, 1, True, True, 5), F.avg_pool1d(a[0], 4), F.avg_pool1d(a[0], 5, 3, 2, True, False), F.avg_pool3d(v, 2),
            F.avg_pool3d(v, 3, 2, 1, True, False), F.adaptive_avg_pool2d(a, [1, 1]), F.adaptive_avg_pool2d(a, [7, 5]), F.adaptive_avg_pool2d(a, [20, 3]),
            F.adaptive_avg_pool1d(a[0], 4), F.adaptive_avg_pool3d(v, [2, 4, 3]), F.avg_pool2d(wave(1600).reshape(1, 1, 40, 40), 40),
            F.interpolate(a, size=[5, 9], mode="area")]


def resized(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = wave(2 * 3 * 7 * 9).reshape(2, 3, 7, 9)
    v = wave(2 * 3 * 4 * 5).reshape(1, 2, 3, 4, 5)
    hole = a.clone()
    hole[1, 2, 3, 4] = float("inf")
    return [folded(F.interpolate(a, scale_factor=2.0, mode="nearest")), folded(F.interpolate(a, size=[3, 20], mode="nearest-exact")),
            folded(F.interpolate(a, scale_factor=2.0, mode="bilinear", align_corners=False)), F.interpolate(a, size=[3, 4], mode="bilinear", align_corners=True),
            F.interpolate(a, size=[1, 1], mode="bilinear", align_corners=False), folded(F.interpolate(a, scale_factor=1.7, mode="bicubic", align_corners=False)),
            F.interpolate(a, size=[2, 5], mode="bicubic", align_corners=True), folded(F.interpolate(a[0], scale_factor=3.0, mode="linear", align_corners=False)),
            folded(F.interpolate(a[0], size=40, mode="nearest")), folded(F.interpolate(v, scale_factor=2.0, mode="trilinear", align_corners=False)),
            F.interpolate(v, size=[2, 3, 4], mode="trilinear", align_corners=True), folded(F.interpolate(v, size=[5, 2, 9], mode="nearest")),
            F.interpolate(a[:, :, :1, :1], size=[2, 3], mode="bicubic", align_corners=False), F.interpolate(a[:, :, :1], size=[4, 3], mode="bilinear", align_corners=False),
            F.interpolate(hole, size=[5, 6], mode="bilinear", align_corners=False)]


def extremes(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = wave(5 * 333).reshape(5, 333)
    r: List[torch.Tensor] = []
    for b in [a, a.to(torch.float64), (a * 100).to(torch.int64), (a * 10).to(torch.int32)]:
        for n in [333, 97, 32, 31, 5, 1]:
            c = b[:, :n]
            most, where = torch.max(c, 1)
            least, there = torch.min(c, 1)
            r += [most, where, least, there, torch.amax(c, [0]).sum(), torch.argmax(c, 0), torch.argmin(c, 0), torch.max(c), torch.min(c.t())]
    return r


def extremes_with_nan(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    r: List[torch.Tensor] = []
    for at in [0, 3, 40, 95, 96, 99]:
        a = wave(300).reshape(3, 100)
        a[1, at] = float("nan")
        a[1, 99] = float("nan")
        most, where = torch.max(a, 1)
        r += [most, where, torch.argmin(a, 1), torch.argmax(a, 0), torch.amin(a, [0])[at], torch.argmax(a.to(torch.float64), 1), torch.amax(a), torch.aminmax(a)[0]]
    return r


def totals(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = wave(3 * 1031).reshape(3, 1031)
    r: List[torch.Tensor] = []
    for b in [a, a.to(torch.float64), (a * 100).to(torch.int64)]:
        for n in [1031, 513, 64, 33, 7]:
            c = b[:, :n]
            r += [c.sum(1), c.sum(), c.t().sum(0), torch.prod(c[:, :60] * 0.5, 1)]
    for n in [1031, 513, 64, 33, 7]:
        r += [torch.norm(a[:, :n], 2, [1]), torch.norm(a[:, :n].to(torch.float64)), torch.logsumexp(a[:, :n], [1]), torch.logsumexp(a[:, :n].to(torch.float64), [1]),
              torch.norm(a[:, :n].to(torch.float16).to(torch.float32)), torch.prod(torch.ones(3, n) * 1.01, 1)]
    return r


def norms_of_extremes(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    tiny, huge = torch.full([300], 1e-24, dtype=torch.float64), torch.full([300], 1e18, dtype=torch.float64)
    return [torch.norm(tiny), torch.norm(huge), torch.norm(torch.cat([tiny, huge]).to(torch.float32)), torch.norm(torch.zeros(300)), torch.norm(torch.full([40], float("nan")))]


def merged_dims(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = wave(3 * 4 * 5 * 6).reshape(3, 4, 5, 6)
    p = a.permute(0, 2, 3, 1)
    return [a.sum([1, 2]), a.sum([2, 3]), a.sum([0, 3]), p.sum([1, 2]), p.sum([0, 1, 2]), p.amax([1, 2]), a.amax([0, 1]), a[:, :1].sum([1]), a[:, :, 1:3].sum([2, 3]),
            a[:, :0].sum([1]), torch.std(p, [1, 2]), a.expand(2, 3, 4, 5, 6).sum([0, 1]), torch.cumsum(p, 3).sum(2), torch.argmax(p, 3), torch.argmax(p, 0)]


def halves(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = torch.cat([wave(100), torch.tensor([0.0, -0.0, 65504.0, 65519.0, 65520.0, 1e9, -1e9, 6e-8, 3e-8, 2.9e-8, -6.1e-5, 6.09e-5, 1e-40, 2049.0, 2051.0, float("inf"), float("-inf"), float("nan")])])
    return [a.to(torch.float16), a.to(torch.float16).to(torch.float32), a.to(torch.bfloat16).to(torch.float32), a.to(torch.float16) + 1, a.to(torch.float16).to(torch.float64),
            a.to(torch.float16).abs().sum(dtype=torch.float64)]


def columns(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = wave(6 * 130).reshape(6, 130)
    return [folded(a + a[:, :1]), folded(a / a[:, 3:4]), folded(a * a[:, :1].to(torch.float64)), folded(torch.where(a[:, :1] > 0, a, a[:1])),
            folded(a.expand(2, 6, 130) + torch.tensor(2, dtype=torch.int16)), folded((a * 10).to(torch.int32) + (a[:, :1] * 10).to(torch.uint8)),
            folded(torch.complex(a, a).abs() + a[:, 5:6].to(torch.float16))]


PROGRAMS = [largest_of_windows, windows_beside_the_image, means_of_windows, resized, extremes, extremes_with_nan, totals, norms_of_extremes, merged_dims, halves, columns]

"""A program that goes deep in the C stack (test_stack.c): operators with large frames, long chains of calls, and values
that nest as far as their kernels follow them."""
from typing import Dict, List, Tuple

import torch
import torch.nn.functional as F


def texts(x: torch.Tensor) -> int:
    nested = [[[(1.5, {"a": [x]}), (2.5, {"b": [x * 3.0]})]]]
    a = "%s and {}" % str(nested)
    b = a.format([x.to(torch.complex64), x > 0.0])
    return len(b) + len("{} {} {}".format(nested, x, 0.1)) + len("%f" % (1.0 / 3.0))


def keys(n: int) -> int:
    d: Dict[str, List[Tuple[int, str]]] = {}
    for i in range(n):
        d[str(i)] = [(i, "a")]
    pairs = [((i * 7) % 5, (-i, "x")) for i in range(n)]
    pairs.sort()
    return len(d) + pairs[0][0]


def layers(x: torch.Tensor) -> torch.Tensor:
    image = x.reshape(1, 2, 4, 4)
    w = torch.ones(4, 2, 3, 3)
    y = F.conv2d(image, w, padding=1) + F.conv2d(image, w, padding=2, dilation=2)
    z = F.conv_transpose2d(y, torch.ones(4, 2, 3, 3), stride=2)
    z = F.avg_pool2d(F.max_pool2d(z, 2), 2) + F.adaptive_avg_pool2d(z, [2, 2])
    z = F.interpolate(z, scale_factor=2.0, mode="bilinear", align_corners=False)
    z = F.layer_norm(F.group_norm(z, 2), [4])
    return F.softmax(z.flatten(1), 1).sum() + F.pad(image, [1, 1, 1, 1], mode="reflect").mean()


def linear_algebra(x: torch.Tensor) -> torch.Tensor:
    m = x.reshape(2, 4, 4)
    s = m[0] @ m[0].t() + torch.eye(4) * 10.0
    total = torch.einsum("bij,bjk->ik", m, m).sum() + torch.linalg.inv(s).sum() + torch.det(s)
    total = total + torch.linalg.eigvalsh(s).sum() + torch.linalg.svd(s)[1].sum() + torch.cdist(s, s).sum()
    total = total + torch.view_as_real(torch.linalg.eigvals(m[0])).sum()
    return total + torch.view_as_real(torch.fft.fft2(m)).sum() + torch.stft(x, 8, return_complex=False).sum()


def reductions(x: torch.Tensor) -> torch.Tensor:
    m = x.reshape(4, 8)
    total = m.sum([0]) + m.std(0) + m.sort(0)[0][0] + m.cumsum(0)[1] + m.logsumexp([0]) + m.median(0)[0] + m.prod(0)
    total = total + m.to(torch.float64).var(0) + m.norm(2.0, [0]) + m.topk(2, 0)[0][0] + m.argmax(0)
    return total.sum() + torch.unique_consecutive(x)[0].numel() + torch.histc(x, 4).sum() + torch.stack([x, x, x]).median()


def elements(x: torch.Tensor) -> torch.Tensor:
    m = x.reshape(4, 8)
    y = torch.where(m > 0, m.pow(2.0), m.exp()).clamp(0.1, 0.9) + torch.lerp(m, m.t().reshape(4, 8), 0.5)
    y = y + torch.addcmul(m, m, m) + torch.atan2(m, y) + torch.lgamma(y + 2.0) + torch.erfinv(y * 0.01) + m.abs()
    m[m > 1.0] = 0.0
    y.index_put_([torch.tensor([0, 1])], y[1:3].clone(), accumulate=True)
    return y.sum() + m.gather(0, m.argsort(0)).sum() + y.half().sum().float()


def sequences(x: torch.Tensor) -> torch.Tensor:
    steps = x.reshape(4, 1, 8)
    w, r, b = torch.ones(16, 8) * 0.1, torch.ones(16, 4) * 0.1, torch.zeros(16)
    h, c = torch.zeros(1, 1, 4), torch.zeros(1, 1, 4)
    out = torch.lstm(steps, [h, c], [w, r, b, b], True, 1, 0.0, False, False, False)[0]
    q = torch.quantize_per_tensor(x, 0.1, 10, torch.quint8)
    cat = torch.cat([q, q.relu()]).dequantize()
    return out.sum() + cat.sum() + torch.bernoulli(torch.ones(8) * 0.5).mean() * 0.0 + torch.randn(3).sum() * 0.0


def deep(x: torch.Tensor) -> float:
    total = float(texts(x) + keys(6))
    for part in [layers(x), linear_algebra(x), reductions(x), elements(x), sequences(x)]:
        total += float(part.sum())
    return total

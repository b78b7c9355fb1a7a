"""What PyTorch 2 calculates for complex numbers, images of bytes and integers."""
from typing import List

import torch
import torch.nn.functional as F


def complex_logarithms(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    z = torch.complex(x[:2], x[2:])
    small = z * 1e-5
    far = torch.complex(torch.tensor([float("inf"), -float("inf"), 1000.0, float("nan")]), torch.tensor([0.5, 1.0, -0.5, 0.0]))
    double = z.to(torch.complex128)
    return [torch.logsumexp(z, 0), torch.logsumexp(double, [0, 1], True), torch.expm1(z), torch.expm1(small), torch.log1p(small), torch.logaddexp(z, z.flip(1)),
            torch.logaddexp(far, far.flip(0)), torch.logcumsumexp(z, 0), torch.logcumsumexp(double, 1), torch.logcumsumexp(x * 300, 1), torch.logcumsumexp(x[0, 0], 0)]


def resized_bytes(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    image = (torch.arange(2 * 3 * 7 * 5) * 37 % 256).to(torch.uint8).reshape(2, 3, 7, 5)
    found: List[torch.Tensor] = []
    for mode in ["bilinear", "bicubic"]:
        for corners in [False, True]:
            for smooth in [False, True]:
                found += [F.interpolate(image, [4, 3], mode=mode, align_corners=corners, antialias=smooth), F.interpolate(image, [9, 8], mode=mode, align_corners=corners, antialias=smooth)]
        found += [F.interpolate(image, scale_factor=0.6, mode=mode, align_corners=False, antialias=True), F.interpolate(image[:, :1], scale_factor=1.7, mode=mode, align_corners=False)]
    return found


def rounded_ranges(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    return [torch.ops.aten.linspace(torch.tensor(97), torch.tensor(-49), 35, dtype=torch.int64), torch.ops.aten.linspace(torch.tensor(-95), 38.46, 36, dtype=torch.int16),
            torch.ops.aten.linspace(-22, torch.tensor(-73), 33, dtype=torch.int32)]


def attention_with_weights(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    q = x.reshape(1, 2, 4, 3)
    a, b = torch._scaled_dot_product_attention_math(q, q * 2, q, scale=0.3)
    c, d = torch._scaled_dot_product_attention_math(q, q * 2, q, x[:, :4] > 0, scale=None)
    e, f = torch._scaled_dot_product_attention_math(q, q * 2, q, x[:, :4], scale=0.5)
    return [a, b, c, d, e, f]


def chosen(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    return [torch.index_select(x, 0, t[0]), torch.index_select(x, 1, t[3]), torch.index_select(x[0], 0, t[0]), torch.ops.aten._adaptive_avg_pool2d(x.reshape(2, 12, 1, 1), [2, 2]).view(2, -1)]


def projected(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    found: List[torch.Tensor] = []
    for double in [False, True]:
        dtype = torch.float64 if double else torch.float32
        steps = x.reshape(2, 3, 4).to(dtype)
        for directions in [1, 2]:
            params: List[torch.Tensor] = []
            for layer in range(2):
                for direction in range(directions):
                    width = 4 if layer == 0 else 3 * directions
                    for rows, columns in [(20, width), (20, 3), (20, 0), (20, 0), (3, 5)]:
                        weight = torch.sin(torch.arange(rows * max(columns, 1), dtype=dtype) * 0.7 + float(len(params)))
                        params.append(weight.reshape(rows, columns) if columns > 0 else weight)
            h, c = torch.full([2 * directions, 3, 3], 0.25, dtype=dtype), torch.full([2 * directions, 3, 5], -0.5, dtype=dtype)
            y, hn, cn = torch.lstm(steps, [h, c], params, True, 2, 0.0, False, directions == 2, False)
            found += [y, hn, cn]
    return found


def lines_into(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """A destination of as many elements keeps its sizes."""
    number, rows, three = torch.zeros([]), torch.zeros([2, 3]), torch.tensor(3.0)
    return [torch.linspace(three, 6, 1, out=number.clone()), torch.linspace(0, three, 6, out=rows.clone()), torch.logspace(three, three, 6, out=rows.clone()), torch.linspace(three, 4, 5, out=rows.clone())]


def scans_of_complex_logarithms(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Of few lines and many, whose elements lie side by side or apart."""
    a = torch.sin(torch.arange(2 * 9 * 42, dtype=torch.float64) * 1.3)
    z = torch.complex(a[:9 * 42], a[9 * 42:])
    r: List[torch.Tensor] = []
    for lines in [1, 2, 3, 4, 7, 9]:
        b = z[:lines * 21].reshape(lines, 21)
        for c in [b, b.t(), z[:lines * 42].reshape(lines, 42)[:, ::2], b[:, :4], b.t()[:, :, None], b.to(torch.complex64)]:
            for d in range(c.dim()):
                made = torch.view_as_real(torch.logcumsumexp(c, d)).to(torch.float64).reshape(-1)
                r.append(torch.stack([made.sum(), (made * (torch.arange(made.numel()) % 7 - 2)).sum()]))
    return [torch.stack(r).reshape(-1, 13, 2).sum(1)]


def sizes_that_do_not_fit(x: torch.Tensor, t: torch.Tensor, case: int) -> torch.Tensor:
    q, k = x.reshape(1, 2, 4, 3), x.reshape(1, 2, 4, 3)
    v, mask = (x.reshape(1, 2, 3, 4), x[:, :4]) if case == 0 else (k, x[:, :4])
    if case == 1:
        k = x.reshape(1, 2, 3, 4)
    if case == 2:
        mask = mask.to(torch.float64)
    if case == 3:
        mask = x[0, :4]
    if case == 4:
        mask = x[:, :4].reshape(1, 4, 4)
    return torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, False, attn_mask=mask)[0]


PROGRAMS = [lines_into, projected, complex_logarithms, resized_bytes, rounded_ranges, attention_with_weights, chosen, scans_of_complex_logarithms]
FAULTS = {sizes_that_do_not_fit: ["Q/K/V should have the same head size"] * 2 + ["Attention mask is the same data type as query"] +
                                 ["Attention mask dim in {2, 4}"] * 2}

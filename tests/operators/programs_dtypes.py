"""Operators on integers, complex numbers and half precision; ties; shapes without dimensions or elements."""
from typing import List

import torch
import torch.nn.functional as F


def sums_of_products(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    i = (x * 4).to(torch.int64)
    u = (x.abs() * 4).to(torch.uint8)
    holes = torch.full([4, 4], float("nan"))
    return [torch.addmm(i[:, :4], i, i.t(), beta=1.6, alpha=2.2), torch.addmv(t, i, i[0], beta=0.6, alpha=2.2), torch.addmv(x[0, 0], x, x[1]),
            torch.addmv(holes[0], x, x[1], beta=0), torch.addbmm(u[:, :4], u.reshape(2, 4, 3), u.reshape(2, 3, 4)),
            torch.addbmm(i[:, :4], i.reshape(2, 4, 3), i.reshape(2, 3, 4), beta=1.6, alpha=0.2),
            torch.addbmm(holes, x.reshape(2, 4, 3), x.reshape(2, 3, 4), beta=0, alpha=0.5)]


def sums_of_counts(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    there, u = x > 0, t.to(torch.uint8)
    return [there.sum_to_size([4, 1]), there.sum_to_size([4, 6]), u.sum_to_size([1]), there[0, 0].sum_to_size([]), x.sum_to_size([6]),
            u.index_reduce(0, t[:2] % 4, u[:2], "mean")]


def transposes(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    z = torch.complex(x, x.flip([0]))
    return [x.mT, x[0, 0].mT, z.mH, z[0, 0].mH, z.adjoint(), z[0, 0].H, z.H]


def ties(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    line = torch.arange(1200) * 7 % 5
    rows = (line.reshape(3, 400) * 3 % 4).to(torch.float32)
    holes = torch.where(rows == 2, rows / 0 - rows / 0, rows)
    made: List[torch.Tensor] = []
    for s in [torch.zeros([17]), line, line > 2, rows, holes]:
        a, i = torch.sort(s, -1, False)
        b, j = torch.sort(s, dim=0, descending=True)
        c, k = torch.topk(s.to(torch.float32), 5)
        d, m = torch.topk(s.to(torch.float32), 17, largest=False)
        e, n = torch.kthvalue(s.to(torch.float32), 9)
        f, o = torch.sort(s, stable=True, dim=-1, descending=True)
        g, p = torch.median(s.to(torch.float32), -1)
        made += [i, j, c, k, m, n, e, o, g, p, torch.argsort(s)]
    q, r = torch.mode(line)
    u, v = torch.nanmedian(holes, 1)
    w, y = torch.topk(rows, 300, sorted=False)
    return made + [q, r, u, v, w, y]


def complex_images(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    z = torch.complex(x, x.flip([0])).reshape(1, 2, 3, 4)
    w = torch.complex(x.flip([1]), x * x).reshape(3, 2, 2, 2)
    b = torch.complex(x[0, :3], x[1, :3])
    return [F.conv2d(z, w, b, padding=[1, 0]), F.conv2d(z, w), F.conv1d(z[0, :, 0], w[:, :, 0], b, stride=2),
            F.conv_transpose1d(z[0], w[:, 0], b[:2], stride=2), F.conv3d(z.unsqueeze(2), w.unsqueeze(2))]


def edges(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    least, most = torch.aminmax(x[0, 0], dim=0, keepdim=True)
    none = x[0, :0]
    return [least, most, torch.masked_select(x[0, 0], x[0, 0] == x[0, 0]), F.pad(x.reshape(1, 4, 6), [-2, 3], "circular"),
            F.pad(x.reshape(1, 4, 6), [2, -4], "circular")[:, :, :2].isnan(), F.batch_norm(none, none, none, training=False),
            F.cosine_similarity(x.reshape(1, 4, 6), x.reshape(4, 1, 6), dim=1), torch.polygamma(1, x), torch.polygamma(1, -t - 0.25),
            torch.polygamma(2, x.abs())]


def small_types(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    u = (x.abs() * 90).to(torch.uint8).reshape(1, 1, 4, 6)
    h = (x * 4).round().to(torch.bfloat16)
    return [F.interpolate(u, scale_factor=1.5), F.interpolate(u, [7, 3], mode="nearest-exact"), torch.gradient(h)[0],
            F.batch_norm(h, h[0] * 0, h[0] * 0 + 4, h[1], h[2], training=False, eps=0.0)]


def whole_steps(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    return [torch.arange(2.1, -2.9, -1.0, dtype=torch.int64), torch.arange(2.1, -2.9, -1.0, dtype=torch.int32), torch.arange(0, 5, 1.9, dtype=torch.int64),
            torch.arange(0, 5, 1.9, dtype=torch.uint8), torch.arange(-0.5, 2, 1)]


def far_out(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    ends = torch.tensor([float("inf"), -float("inf"), float("nan"), 0.0])
    y = torch.tensor([3.0, 10.0, 900.0])
    return [torch.special.i0e(ends), torch.special.i1e(ends), torch.special.bessel_j0(ends), torch.special.bessel_j1(ends), torch.special.bessel_y1(ends),
            torch.special.scaled_modified_bessel_k0(ends), torch.special.modified_bessel_k1(ends), torch.special.chebyshev_polynomial_v(y, y)]


def step_of_nothing(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.arange(0, 3, 0.5, dtype=torch.int32)


def wrong_transpose(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return t.mT


def wrong_batches(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.addbmm(x, x.reshape(2, 4, 3), x.reshape(2, 4, 3))


def wrong_circle(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return F.pad(x.reshape(1, 4, 6), [-4, -3], "circular")




def mixed_convolution(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return F.conv1d(torch.complex(x, x).reshape(1, 4, 6), x.reshape(2, 4, 3))


def median_of_nothing(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.median(x[:, :0], 1)[0]


def doubles_resized(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    d = x.flatten()[:20].to(torch.float64).reshape(1, 1, 4, 5) / 7.0
    made = [F.interpolate(d, size=[3, 7]), F.interpolate(d, size=[3, 7], mode="bilinear"), F.interpolate(d, scale_factor=1.7, mode="bicubic"),
            F.interpolate(d, scale_factor=[1.7, 1.3], mode="bicubic", align_corners=True), F.interpolate(d[0], size=3, mode="linear"),
            F.interpolate(d.unsqueeze(0), size=[3, 3, 7], mode="trilinear")]
    return made + [(m - m.to(torch.float32)) * 1e8 for m in made]


def complex_zeros(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    c = torch.complex(x, x + 1.0)
    z = torch.zeros_like(c)
    return [c / 0, c / z, z / z, 1 / z, torch.reciprocal(z), c.to(torch.complex128) / 0.0, c / torch.tensor(0), torch.pow(z, -1)]


def dtypes_of_products(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    v, m = x.flatten()[:3], x.flatten()[:6].reshape(2, 3)
    first, batch = v[:2].to(torch.float64), m.unsqueeze(0)
    return [torch.addmv(first, m, v), torch.addmv(first, m, v, beta=0), torch.addmv(first.to(torch.long), m, v, beta=2, alpha=3),
            torch.baddbmm(first.reshape(1, 2, 1), batch, batch.transpose(1, 2))]


def data_of_another_dtype(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    y, z = torch.zeros([3], dtype=torch.float64), torch.zeros([2])
    torch.ops.aten.set_data(y, x)
    z.set_(x)
    return [y, z]


def bool_products(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    b = x.reshape(-1, 1) > 0
    return torch.mm(b, b.t())


def gamma_of_ints(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.igamma(torch.ones([2], dtype=torch.long), torch.ones([2], dtype=torch.bool))


PROGRAMS = [sums_of_products, sums_of_counts, transposes, ties, complex_images, edges, small_types, whole_steps, far_out,
            doubles_resized, complex_zeros, dtypes_of_products, data_of_another_dtype]
FAILURES = {
    step_of_nothing: "step must be nonzero",
    wrong_transpose: "tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.",
    wrong_batches: "Expected size for first two dimensions of batch2 tensor to be: [2, 3] but got: [2, 4].",
    wrong_circle: "Negative padding value is resulting in an empty dimension",
    mixed_convolution: "must all be complex, but got float32",
    median_of_nothing: "median(): Expected reduction dim 1 to have non-zero size.",
    bool_products: "not implemented for 'Bool'",
    gamma_of_ints: "not implemented for 'Long'",
}

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


# Each element several times, one after the other, of elements of 1 to 16 bytes; and the greatest and least of rows.
def repeated_elements(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    made: List[torch.Tensor] = []
    y = torch.round(x[:2] * 4)
    for s in [t.to(torch.uint8), t.to(torch.int16), y, y.to(torch.float64), torch.complex(y, y.flip([0])), y[:, ::2], y.t()]:
        for n in [2, 3, 19]:
            made += [torch.repeat_interleave(s, n, -1) if n == 3 else s.reshape(-1, s.size(-1)).unsqueeze(-1).expand(-1, -1, n).contiguous()]
    return made


def greatest_of_rows(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    rows = torch.remainder(torch.arange(7 * 2 * 41) * 7919, 101).reshape(7, 2, 41) / 4 - 12
    holes = torch.where(rows > 12.5, rows / 0 - rows / 0, rows)
    made: List[torch.Tensor] = []
    for s in [rows, holes, rows.to(torch.int64), rows.to(torch.int8), rows.to(torch.float64), rows[:, :, ::3],
              rows[:5], rows[:6, 0].unsqueeze(1)]:
        made += [torch.amax(s, [0]), torch.amin(s, [1]), torch.amax(s, [0, 1]), torch.amin(s, [0, 1], True)]
    return made


def complex_images(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    z = torch.complex(x, x.flip([0])).reshape(1, 2, 3, 4)
    w = torch.complex(x.flip([1]), x * x).reshape(3, 2, 2, 2)
    b = torch.complex(x[0, :3], x[1, :3])
    return [F.conv2d(z, w, b, padding=[1, 0]), F.conv2d(z, w), F.conv1d(z[0, :, 0], w[:, :, 0], b, stride=2),
            F.conv_transpose1d(z[0], w[:, 0], b[:2], stride=2), F.conv3d(z.unsqueeze(2), w.unsqueeze(2))]


def complex_channels_last(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    z = torch.complex(x, x.flip([0])).repeat(2, 8).reshape(1, 8, 6, 8)
    last = z.contiguous(memory_format=torch.channels_last)
    w = torch.complex(x.flip([1]), x * x).reshape(8, 1, 3, 1)
    return [F.conv2d(last, w, None, groups=8), F.conv2d(last, w, w[:, 0, 0, 0], 1, [1, 0], 1, 8), F.conv2d(last, w.reshape(3, 8, 1, 1)),
            F.conv2d(last, w.reshape(1, 8, 1, 3), stride=2), F.conv2d(z, w.contiguous(memory_format=torch.channels_last), None, groups=8)]


def edges(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    least, most = torch.aminmax(x[0, 0], dim=0, keepdim=True)
    none = x[0, :0]
    return [least, most, torch.masked_select(x[0, 0], x[0, 0] == x[0, 0]), F.pad(x.reshape(1, 4, 6), [-2, 3], "circular"),
            F.pad(x.reshape(1, 4, 6), [2, -4], "circular")[:, :, :2].isnan(), F.batch_norm(none, none, none, training=False),
            F.cosine_similarity(x.reshape(1, 4, 6), x.reshape(4, 1, 6), dim=1), torch.polygamma(1, x), torch.polygamma(1, -t - 0.25),
            torch.polygamma(2, x.abs())]


def kept_dimensions(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    least, most = torch.aminmax(x, keepdim=True)
    low, high = torch.aminmax(x[0, 0], keepdim=True)
    return [least, most, low, high]


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


def indices_of_int32(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    i = torch.tensor([2, 0, 3], dtype=torch.int32)
    y = x[:3].clone()
    sums = x.clone().index_add_(0, torch.stack([i, i], 1)[:, 1], y, alpha=2)
    return [x.index_add(0, i, y), sums, x[0].index_add(-1, i, y[1, :3]), x.index_reduce(0, i, y, "amax"), torch.embedding_renorm_(x.clone(), i, 1.0, 2.0),
            F.embedding(i, x.clone(), max_norm=1.0), x.scatter(0, i[:0].unsqueeze(1), x), x.scatter_add(0, i[:0].unsqueeze(1), x),
            torch.repeat_interleave(i), torch.repeat_interleave(i, output_size=5), torch.repeat_interleave(i[:0]), torch.repeat_interleave(i[1:], i[1:])]


def bags_of_other_indices(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    found: List[torch.Tensor] = []
    for i, o in [(torch.int32, torch.int32), (torch.int64, torch.int32), (torch.uint8, torch.int64), (torch.bool, torch.int32)]:
        rows, starts = torch.tensor([2, 0, 1]).to(i), torch.tensor([0, 1, 1]).to(o)
        for mode in range(3):
            found += list(torch.embedding_bag(x, rows, starts, False, mode)) + list(torch.embedding_bag(x, rows, starts, False, mode, False, None, False, 1))
    found += list(torch.embedding_bag(x, t[:0].to(torch.int32), t[:0], False, 2))
    return found


def classes_of_bytes(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    b = t.to(torch.uint8)
    return [F.nll_loss(x, b), F.nll_loss(x, b, reduction="none", ignore_index=1), F.cross_entropy(x, b), F.cross_entropy(x, b, label_smoothing=0.1), F.nll_loss(x, b, x[0].abs())]


def indices_of_wrong_types(x: torch.Tensor, t: torch.Tensor, case: int) -> torch.Tensor:
    i, b = t[:3].to(torch.int32) % 4, t[:3].to(torch.uint8)
    if case == 0:
        return x.gather(0, i.unsqueeze(1))
    if case == 1:
        return torch.take_along_dim(x, i.unsqueeze(1), 0)
    if case == 2:
        return x.index_add(0, b, x[:3])
    if case == 3:
        return x.index_copy(0, i, x[:3])
    if case == 4:
        return x.index_reduce(0, b, x[:3], "prod")
    if case == 5:
        return x.index_reduce(0, -i, x[:3], "prod")
    if case == 6:
        return x.masked_select(t.unsqueeze(1))
    if case == 7:
        return F.cross_entropy(x, t.to(torch.int32))
    if case == 8:
        return F.nll_loss(x.reshape(1, 4, 6), t.to(torch.uint8)[:3].repeat(2).reshape(1, 6))
    if case == 9:
        return F.multi_margin_loss(x, t.to(torch.int32))
    if case == 10:
        return torch.embedding_bag(x, b, b[:1].to(torch.int16), False, 0)[0]
    if case == 11:
        return x.masked_scatter(t.unsqueeze(1), x)
    return torch._pack_padded_sequence(x.reshape(3, 4, 2), t.to(torch.int32) * 0 + 1, False)[0]


def einsum_types(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Sums of one operand are of int64; where nothing is summed the operands may be of different types."""
    i, b, u = (x * 4).int(), x > 0, (x.abs() * 4).to(torch.uint8)
    return [torch.einsum("ij->i", i), torch.einsum("ij->i", i[:, :1]), torch.einsum("ij->", u[:1, :1]), torch.einsum("ij->j", b[:1]),
            torch.einsum("ij->ji", i), torch.einsum("ii->i", u[:, :4]), torch.einsum("ij,k->i", i, u[0]), torch.einsum("ij,i->i", i, i[:, 0]),
            torch.einsum("i,j->ij", t, x[0]), torch.einsum("ij,ij->ij", x.double(), x), torch.einsum("ij,ij->ji", x.half(), i),
            torch.einsum("ij,j->i", i[:, :1], x[0]), torch.einsum("ij,jk->ik", i[:, :1], i[:1]), torch.einsum("i,j,k->ijk", b[0, :2], u[1, :2], x[:2, 0])]


PROGRAMS = [sums_of_products, sums_of_counts, transposes, ties, complex_images, complex_channels_last, edges, kept_dimensions, small_types, whole_steps, far_out, repeated_elements, greatest_of_rows,
            doubles_resized, complex_zeros, dtypes_of_products, data_of_another_dtype, indices_of_int32, bags_of_other_indices, classes_of_bytes, einsum_types]
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
FAULTS = {
    indices_of_wrong_types: ["gather(): Expected dtype int64 for index",
        "dtype of indices should be Long",
        ("index_add_(): Expected dtype int32/int64 for index", "Expected dtype int64 for index"),
        ("index_copy_(): Expected a long tensor for index", "Expected dtype int64 for index"),
        "index_reduce_(): Expected dtype int32/int64 for index", "index out of range in self",
        "masked_select: expected BoolTensor or ByteTensor for mask", ("expected scalar type Long but found Int", "expected scalar type Long"),
        ("expected scalar type Long but found Byte", "expected scalar type Long"),
        ("expected scalar type Long but found Int", "gather(): Expected dtype int64 for index"),
        "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int",
        ("Mask tensor can take 0 and 1 values only", "masked_scatter: expected BoolTensor or ByteTensor for mask"),
        "'lengths' argument should be a 1D CPU int64 tensor"],
}

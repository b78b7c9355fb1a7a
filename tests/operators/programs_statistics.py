"""Order statistics, counts, running values, distances."""
from typing import List

import torch


def spread(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a, b = torch.std_mean(x)
    c, d = torch.var_mean(x, dim=1, unbiased=False, keepdim=True)
    e, f = torch.std_mean(x, dim=[0])
    holes = torch.where(x > 1, x / 0 - x / 0, x)
    return [a, b, c, d, e, f, torch.nansum(holes), torch.nanmean(holes, 1), torch.cov(x), torch.cov(x.t(), correction=0, fweights=t, aweights=x[:, 0].abs()),
            torch.corrcoef(x), torch.quantile(x, 0.3), torch.quantile(x, torch.tensor([0.1, 0.6]), dim=1, keepdim=True),
            torch.quantile(x, 0.5, dim=0, interpolation="midpoint"), torch.nanquantile(holes, 0.4, dim=1, interpolation="nearest")]


def order(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    whole = (x * 2).to(torch.int64)
    holes = torch.where(x > 1, x / 0 - x / 0, x)
    m, i = torch.median(x, 1)
    n, j = torch.nanmedian(holes, 0, keepdim=True)
    o, _ = torch.median(holes, 1)
    p, k = torch.mode(whole, 1)
    return [torch.median(x), m, i, n, j, o, p, torch.nanmedian(holes)]


def many_distances(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = (x.flatten().repeat(5) + torch.arange(120) * 0.01).view(30, 4).requires_grad_()
    b = torch.cos(a * 3).detach() + 2
    d = torch.cdist(a, b)
    d.sum().backward()
    g = a.grad
    assert g is not None
    ties = (x * 1.5).to(torch.int64).repeat(3, 2)
    return [d.detach(), g, torch.cdist(b[:3], b, compute_mode="donot_use_mm_for_euclid_dist"), torch.mode(ties, 1)[0], torch.mode(ties, 0, True)[0]]


def distances_of_all_norms(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Short and long points, broadcast batches, infinities and NaN, and gradients."""
    made: List[torch.Tensor] = []
    long = torch.sin(torch.arange(2 * 3 * 37) * 0.7).reshape(2, 1, 3, 37)
    odd = torch.tensor([[float("nan"), 1.0], [float("inf"), 2.0], [0.0, 0.0]])
    for p in [0.0, 0.5, 1.0, 2.0, 3.0, float("inf")]:
        made.extend([torch.cdist(x, x[:2] + 1, p), torch.cdist(long, long[:, 0].double().float() * 2, p), torch.pdist(x, p),
                     torch.cdist(odd, odd[:2], p), torch.pdist(long[0, 0].double(), p), torch.cdist(long.transpose(2, 3), x[:, :3], p)])
    for p in [1.0, 2.0, 3.0, float("inf")]:
        a, b = x.detach().requires_grad_(), torch.cos(x * 3).detach()[:2].requires_grad_()
        (torch.cdist(a, b, p) * torch.tensor([1.0, 2.0])).sum().backward()
        torch.pdist(a, p).cumsum(0).sum().backward()
        g, h = a.grad, b.grad
        assert g is not None and h is not None
        made.extend([g, h])
    made.extend([torch.cdist(x[:0], x), torch.pdist(x[:1]), torch.pdist(x[:, :0]), torch.cdist(x[:, :0], x[:, :0])])
    return made


def labels(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Ints close together, far apart, and as far as ints can be."""
    made: List[torch.Tensor] = []
    for dtype in [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]:
        for scale in [2, 60]:
            values, places, counts = torch.unique((torch.abs(x) * scale).to(dtype).repeat(3, 2), return_inverse=True, return_counts=True)
            made.extend([values, places, counts, torch.unique((torch.abs(x) * scale).to(dtype))])
    made.extend([torch.unique(torch.tensor([9223372036854775807, -9223372036854775807 - 1, 3, 3])), torch.unique(torch.tensor(5)),
                 torch.unique(-t), torch.unique(x > 0), torch.unique(t[:0])])
    return made


def running(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a, i = torch.cummax(x, 1)
    b, j = torch.cummin(x, 0)
    c, k = torch.cummin(x > 0, 0)
    y = x.flip([0])
    return [a, i, b, j, c, k, torch.diff(x), torch.diff(x, 2, 0, prepend=x[:1]), torch.trapz(x), torch.trapz(x, y.sort(1)[0]),
            torch.trapezoid(x, x[0], dim=1), torch.trapezoid(x, dx=0.5, dim=0), torch.cumulative_trapezoid(x), torch.cumulative_trapezoid(x, y)]


def running_of_views(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a, b = x.t(), x.view(2, 2, 3, 2).permute(3, 0, 2, 1)
    made = [a.cumsum(0), a.cumsum(1), a.cumprod(1), a.logcumsumexp(0), a.logcumsumexp(1), torch.cummax(a, 0)[0], torch.cummin(a, 1)[0]]
    for d in range(4):
        made += [b.cumsum(d), b.cumprod(d)]
    return made + [x[:, ::2].cumsum(0), x[::2].cumsum(1), x[:1].expand(5, 6).cumsum(0), torch.cumsum(a, 1, dtype=torch.float64)]


def running_of_others(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    ints, odd = (x * 3).to(torch.int32), torch.tensor([16777217.0, -16777216.0], dtype=torch.float64)  # no float32
    halves = torch.cat([x, x + 0.25, x * 0.5]).repeat(1, 12).to(torch.bfloat16)
    return [torch.cumsum(halves, 1).float()[::5], torch.cumsum(halves, 0).float()[::5], torch.cumprod(halves.t(), 1).float()[::5],
            torch.cumsum(halves.t(), 0, dtype=torch.float64)[::9], torch.cumsum(ints, 1), torch.cumsum(ints.t(), 0), torch.cumprod(ints.to(torch.int8), 1), torch.cumsum(x > 0, 1), torch.cumsum((x > 0)[0, 0], 0),
            torch.cumsum(odd, 0, dtype=torch.float32), torch.cumsum(x * 3, 1, dtype=torch.int64), torch.cumsum(x * 3, 1, dtype=torch.uint8),
            torch.cumsum(ints, 1, dtype=torch.float32), torch.cumprod(ints, 1, dtype=torch.complex64)]


def questions_of_columns(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    masks = torch.cat([x > -1, x < 5, x > 0]).repeat(1, 12).reshape(3, 4, 72)
    masks[:, 1, 7:] = True
    made: List[torch.Tensor] = []
    for m in [masks, ~masks, masks[:, :, ::2], masks.permute(1, 2, 0), masks.expand(2, 3, 4, 72)]:
        made += [m.all(0).sum(-1), m.any(0).sum(-1), m.all(1, True).sum(-1), m.any(1).sum(-1), torch.count_nonzero(m, [0]).sum(0),
                 torch.count_nonzero(m, [0, 1])]
    return made


def sets(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    whole = (x * 2).to(torch.int64)
    a, b, c = torch._unique2(whole, True, True, True)
    d, e, f = torch.unique_consecutive(whole > 0, True, True)
    return [a, b, c, d, e, f, torch.isin(whole, t), torch.isin(t, t[:2], invert=True), torch.isin(t, 5), torch.isin(2, t)]


def counts(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a, b = torch.histogram(x, 5)
    c, d = torch.histogram(x, 4, range=[-1.0, 1.0], density=True)
    e, f = torch.histogram(x, torch.tensor([-1.0, 0.0, 2.0]), weight=x.abs())
    return [a, b, c, d, e, f, torch.bincount(t), torch.bincount(t, minlength=9), torch.bincount(t, x[:, 0]),
            x.index_reduce(0, torch.tensor([1, 1, 3, 0]), x.flip([0]), "amax"),
            x.index_reduce(0, torch.tensor([1, 1]), x[:2], "mean", include_self=False)]


def points(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a, edges = torch.histogramdd(x.reshape(12, 2), bins=[3, 2])
    b, _ = torch.histogramdd(x.reshape(12, 2), bins=2, range=[-1.0, 1.0, 0.0, 2.0], density=True)
    c, _ = torch.histogramdd(x.reshape(12, 2), bins=[torch.tensor([-1.0, 0.0, 2.0]), torch.tensor([-2.0, 2.0])], weight=x.reshape(12, 2)[:, 0])
    return [a, b, c] + edges


def lengths(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    y = x.flip([0])
    return [torch.dist(x, y, 3), torch.renorm(x, 2, 0, 1.0), torch.norm(x, 2, dtype=torch.float64), torch.frobenius_norm(x), torch.cdist(x, y),
            torch.cdist(x, y, 1.0), torch.pdist(x)]


def infinite(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    y = torch.where(x > 1, torch.full_like(x, float("inf")), x)
    a, b = torch.std_mean(y)
    c, d = torch.var_mean(y, 0)
    e, f = torch.std_mean(y, [1], correction=0)
    g, h = torch.var_mean(x, unbiased=True)
    return [a, b, c, d, e, f, g, h, y.mean(), y.mean(0)]


def wrong_singular_values(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.linalg.svdvals(torch.stack([x, x / 0 - x / 0]))


def wrong_nuclear_norm(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.nuclear_norm(torch.where(x > 1, x / 0 - x / 0, x))


def wrong_quantile(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.quantile(x, 1.5)


def wrong_count(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.bincount(t - 3)


def wrong_trapezoid(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.trapezoid(x, x[0, :4])


def wrong_distance(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.cdist(x, x[:, :3])


def half_distance(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.pdist(x.to(torch.float16))


def negative_norm(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.cdist(x, x, -1.0)


def distance_of_lines(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.pdist(x[0])


def distance_of_two_dtypes(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.cdist(x, x.double())


def whole_distance(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.cdist(x.to(torch.int64), x.to(torch.int64))


def mode_of_nothing(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.mode(x[:0], 0)[0]


def running_logarithms(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    return [torch.logcumsumexp(x, 0), torch.logcumsumexp(x * 300, 1), torch.logcumsumexp(x[0].to(torch.float64), -1)]


def wrong_segments(x: torch.Tensor, t: torch.Tensor, case: int) -> torch.Tensor:
    if case == 0:
        return torch.segment_reduce(x, "sum", lengths=torch.tensor([1, 2]))
    if case == 1:
        return torch.segment_reduce(x, "sum", lengths=torch.tensor([-1, 5]))
    if case == 2:
        return torch.segment_reduce(x, "sum", lengths=torch.tensor([[2, 5], [3, 3], [3, 3], [3, 3]]), axis=1)
    if case == 3:
        return torch.segment_reduce(x, "sum", lengths=torch.tensor([1.0, 3.0]))
    if case == 4:
        return torch.segment_reduce(x, "sum", offsets=torch.tensor([0.0, 4.0]))
    return torch.segment_reduce(x, "sum", lengths=torch.tensor([1, 3]), axis=1)


# Whole tensors, lines and rows of all kinds of floats, some of which are NaN.
def sums_of_numbers(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    outs: List[torch.Tensor] = []
    n = torch.arange(40 * 330)
    wide = torch.where(n % 7 == 3, torch.full_like(x[0, 0], float("nan")), ((n * 37) % 64).to(torch.float32) / 32 - 1).view(40, 330)
    for kind in [torch.float32, torch.float64, torch.float16, torch.bfloat16]:
        a = wide.to(kind)
        outs += [torch.nansum(a[:4], dtype=torch.float64), torch.nansum(a, 0), torch.nansum(a, 1), torch.nansum(a.t(), 0, True), torch.nansum(a[:, ::3], [0]),
                 torch.nansum(a[:6, :5], [0, 1]), torch.nansum(a[:, :0], 1), torch.nansum(a[:, :3].reshape(4, 10, 3), 1), torch.nansum(a[0, 3])]
    return outs + [torch.nansum(t), torch.nansum(x > 0, 1), torch.nansum(t, dtype=torch.float32)]


def modes(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    outs: List[torch.Tensor] = []
    n = torch.arange(3 * 200)
    lines = ((n * n * 7 + n // 3) % 11).view(3, 200)
    holes = torch.where(lines == 4, torch.full_like(x[0, 0], float("nan")), lines.to(torch.float32))
    for a in [lines, lines.to(torch.uint8), lines > 5, lines * -0.0, lines.to(torch.float64), lines[:, :9], lines[:, ::5]]:
        values, places = torch.mode(a, 1)
        columns, rows = torch.mode(a, 0, True)
        outs += [values, places, columns, rows]
    outs += [torch.mode(torch.where(lines < 8, x[:1, :1] * 0 + 3, holes), 1)[0]]  # PyTorch does not sort NaNs
    alone, first = torch.mode(x[0, 0])
    return outs + [alone, first, torch.mode(x[:, :0], 0)[0]]


def wrong_numbers(x: torch.Tensor, t: torch.Tensor, case: int) -> torch.Tensor:
    if case == 0:
        return torch.nansum(x, dtype=torch.int64)
    if case == 1:
        return torch.nansum(x, [0], out=torch.empty(0, dtype=torch.bool))
    if case == 2:
        return torch.nansum(torch.complex(x, x))
    if case == 3:
        return torch.tril_indices(3, 3, dtype=torch.float32)
    if case == 4:
        return torch.triu_indices(3, 3, dtype=torch.uint8)
    if case == 5:
        return torch.triu_indices(-1, 3)
    if case == 6:
        return torch.tril_indices(3, -2)
    return torch.mode(x, 3)[0]


def norms_of_holes(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """A NaN is what the least size is, wherever it stands."""
    outs: List[torch.Tensor] = []
    for hole in [0, 3, 5]:
        y = x.clone()
        y[1, hole], y[2, 1] = float("nan"), float("inf")
        for p in [-float("inf"), float("inf"), -1.0, 0.5]:
            outs += [y.norm(p), y.norm(p, [1]), y.double().norm(p, [0]), torch.linalg.vector_norm(torch.complex(y, x), p, [1])]
    for p in [-1.0, -2.5, 0.0, 3.0, -float("inf"), float("inf")]:
        outs += [x[:0].norm(p), x[:, :0].norm(p, [1]), torch.linalg.vector_norm(x[:0], p, [1])]
    return outs


def norms_of_nothing(x: torch.Tensor, t: torch.Tensor, case: int) -> torch.Tensor:
    if case == 0:
        return torch.linalg.vector_norm(x[:0], -1)
    if case == 1:
        return torch.linalg.vector_norm(x[:0], float("inf"), [0])
    return torch.linalg.vector_norm(x[:, :0], -float("inf"), [1], True)


PROGRAMS = [modes, sums_of_numbers, distances_of_all_norms, labels, many_distances, running_logarithms, spread, order, running, running_of_views, running_of_others,
            questions_of_columns, sets, counts, points, lengths, infinite, norms_of_holes]
FAILURES = {wrong_singular_values: "linalg.svd: (Batch element 1): The algorithm failed to converge",
            wrong_nuclear_norm: "linalg.svd: The algorithm failed to converge", wrong_quantile: "must be in the range [0, 1]", wrong_count: "only supports 1-d non-negative integral inputs",
            wrong_trapezoid: "one `x` value for each sample point", wrong_distance: "the same number of columns",
            half_distance: "\"pdist\" not implemented for 'Half'",
            negative_norm: "only supports non-negative p values", distance_of_lines: "pdist only supports 2D tensors, got: 1D",
            distance_of_two_dtypes: "expected scalar type", whole_distance: "only supports floating-point dtypes", mode_of_nothing: "to have non-zero size"}
FAULTS = {norms_of_nothing: [
    "cannot compute the -1 norm on an empty tensor because the operation does not have", "cannot compute the inf norm on the dimension 0because this dimension is empty",
    "cannot compute the -inf norm on the dimension 1because this dimension is empty"], wrong_numbers: [
    "\"nansum_cpu\" not implemented for 'Long'", "\"nansum_cpu\" not implemented for 'Bool'", ("nansum does not support complex inputs", "\"aten::nansum\" not implemented for 'ComplexFloat'"),
    "\"tril_indices\" not implemented for 'Float'", "\"triu_indices\" not implemented for 'Byte'", "row must be non-negative, got-1",
    "col must be non-negative, got-2", "Dimension out of range"], wrong_segments: [
    ("to sum to data.size(lengths.dim()-1)", "to sum to the size of data."), "lengths contains negative value!",
    ("to sum to data.size(lengths.dim()-1)", "to sum to the size of data."),
    ("not implemented for 'Float'", "Expected lengths and offsets to be int32 or int64."),
    ("not implemented for 'Float'", "Expected lengths and offsets to be int32 or int64."),
    "Expected axis to be the last dimension of lengths"]}

"""Ways through kernels that depend on how many lines there are, how long they are, how far apart their elements lie,
and of which dtype they are. Results are folded into a few numbers each."""
from typing import List

import torch


def points(n: int) -> torch.Tensor:
    """Numbers around 1 that products of many do not carry away."""
    return 1.0 + torch.sin(torch.arange(n, dtype=torch.float64) * 1.3) * 0.1


def folded(y: torch.Tensor) -> torch.Tensor:
    """Sums with weights that differ for places next to each other."""
    flat = torch.view_as_real(y).reshape(-1) if y.is_complex() else y.reshape(-1)
    flat = flat.to(torch.float64)
    place = torch.arange(flat.numel(), dtype=torch.float64)
    return torch.stack([flat.sum(), (flat * (place % 7.0 - 2.5)).sum(), (flat * (place % 11.0 - 5.0)).sum()])


def filled(r: List[torch.Tensor]) -> torch.Tensor:
    """Of many results, eight of which become one row."""
    rows = torch.stack([folded(v) for v in r])
    rows = torch.cat([rows, rows.new_zeros(7 - (rows.size(0) + 7) % 8, 3)])
    return (rows.reshape(-1, 8, 3) * (1.0 + torch.arange(8).reshape(8, 1) * 0.25)).sum(1)


def scanned(a: torch.Tensor, kinds: int) -> List[torch.Tensor]:
    """Along every dimension; logarithms of sums where kinds is 3."""
    r: List[torch.Tensor] = []
    for d in range(a.dim()):
        for b in [a.cumsum(d), a.cumprod(d)]:
            r.append(b)
        if kinds == 3:
            r.append(torch.logcumsumexp(a, d))
    return r


def layouts(a: torch.Tensor) -> List[torch.Tensor]:
    """Few lines and many, whose elements lie side by side or apart."""
    r: List[torch.Tensor] = []
    for lines in [1, 2, 3, 4, 7, 9]:
        b = a[:lines * 21].reshape(lines, 21)
        r += [b, b.t(), a[:lines * 42].reshape(lines, 42)[:, ::2], b[:, :4], b.t()[:, :, None]]
    return r


def scans_of_floats(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = points(9 * 42)
    r: List[torch.Tensor] = []
    for b in layouts(a):
        r += scanned(b, 3)
        r += scanned(b.to(torch.float32), 2)
    return [filled(r)]


def scans_of_ints(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = (torch.arange(9 * 42) * 5 % 7) - 3
    r: List[torch.Tensor] = []
    for b in layouts(a):
        r += scanned(torch.where(b == 0, torch.ones_like(b), b), 2)
    r.append(torch.cumsum(a.reshape(9, 42), 1, dtype=torch.int32))
    r.append(torch.cumprod(torch.where(a == 0, torch.ones_like(a), a).reshape(9, 42)[:, :12], 1, dtype=torch.int32))
    return [filled(r)]


def scans_of_complex_numbers(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = points(2 * 9 * 42)
    z = torch.complex(a[:9 * 42], a[9 * 42:] - 1.0)
    r: List[torch.Tensor] = []
    for b in layouts(z):
        r += scanned(b, 2)
    for b in [z.reshape(9, 42), z[:21].reshape(21, 1), z.reshape(42, 9)]:
        r += scanned(b.to(torch.complex64), 2)
    return [filled(r)]


def scans_of_halves(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Whole numbers, whose sums are exact."""
    a = (torch.arange(9 * 70) * 5 % 7 - 3).to(torch.bfloat16)
    r: List[torch.Tensor] = []
    for lines in [1, 2, 3, 4, 5, 7, 9]:
        for n in [3, 21, 70]:
            b = a[:lines * n].reshape(lines, n)
            for v in [b, b.t(), b.t().contiguous(), b.t().contiguous().t(), b[:, ::2], b.t()[:, :, None]]:
                for d in range(v.dim()):
                    r += [v.cumsum(d), torch.sign(v + 0.5).cumprod(d)]
    apart = a[:80].as_strided([20, 4], [4, 0])
    wide = a[:160].as_strided([20, 4], [4, 2])
    padded = a[:100].as_strided([9, 8], [10, 1])
    for v in [a[:100].as_strided([12, 4], [4, 2]), a[:100].as_strided([12, 4], [8, 1]), a[:48].reshape(12, 4)]:
        r += [v.cumsum(0), v.cumsum(1)]
    r += [apart.cumsum(0), wide.cumsum(0), padded.cumsum(1), padded.t().cumsum(0)]
    return [filled(r)]


def running_extremes(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = torch.sin(torch.arange(60, dtype=torch.float64) * 1.3).reshape(3, 20)
    a[1, 2] = float("nan")
    a[1, 9] = float("nan")
    r: List[torch.Tensor] = []
    for b in [a, a.to(torch.float32), a[:, :5], a[:, :5].to(torch.float32)]:
        for d in range(2):
            most, at = torch.cummax(b, d)
            least, where = torch.cummin(b, d)
            r += [torch.nan_to_num(most, 9.0).to(torch.float64), at, torch.nan_to_num(least, 9.0).to(torch.float64),
                  where]
    flags = a > 0.3
    for d in range(2):
        most, at = torch.cummax(flags, d)
        least, where = torch.cummin(flags, d)
        r += [most, at, least, where]
    return [filled(r)]


def interleaved(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """One element of each part in turn, of parts of every size of element."""
    a = torch.arange(5 * 40) * 7 % 61
    r: List[torch.Tensor] = []
    for dtype in [torch.uint8, torch.int16, torch.int32, torch.int64, torch.complex128]:
        parts = a.to(dtype).reshape(5, 40)
        for n in [2, 3, 4, 5]:
            lines = [parts[k] for k in range(n)]
            r += [torch.stack(lines, 1), torch.stack([v[:15] for v in lines], 1),
                  torch.cat([v[:, None] for v in lines], 1),
                  torch.cat([lines[0][:, None], parts[:4, :].reshape(40, 4)], 1),
                  torch.stack([parts[k, ::2] for k in range(n)], 1),
                  torch.stack([v[:20].reshape(5, 4).t() for v in lines], 2)]
    return [filled(r)]


def scattered(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Elements put, added and multiplied on lines and across them, of every size."""
    order = torch.arange(24) * 5 % 24
    many = torch.arange(24) * 5 % 7
    r: List[torch.Tensor] = []
    for dtype in [torch.uint8, torch.int16, torch.int32, torch.int64, torch.float32, torch.float64, torch.bfloat16,
                  torch.complex64, torch.complex128]:
        a = torch.arange(24).to(dtype)
        v = (torch.arange(24) % 5 + 1).to(dtype)
        r += [a.scatter(0, order, v), a.scatter_add(0, many, v),
              a.reshape(4, 6).scatter(1, many.reshape(4, 6) % 6, (a * 0 + 3).reshape(4, 6)),
              a.reshape(4, 6).t().scatter(0, (order // 4).reshape(4, 6).t(), v.reshape(6, 4)),
              a.reshape(4, 6).scatter_add(0, many.reshape(4, 6) % 4, v.reshape(4, 6)), a.index_add(0, many, v),
              a.reshape(4, 6).index_add(0, many[:4] % 4, v.reshape(4, 6)), a.index_copy(0, order, v),
              a.reshape(4, 6).index_copy(1, order[:2] % 6, v.reshape(4, 6)[:, :2]),
              a.index_add(0, many[::2], v[::2], alpha=2), a.gather(0, order),
              a.reshape(4, 6).gather(1, many.reshape(4, 6) % 6), a.reshape(4, 6).t().gather(0, many.reshape(6, 4) % 6)]
        if not a.is_complex():
            r += [a.scatter(0, many, v, reduce="multiply"), a.scatter(0, many, v, reduce="add"),
                  a.reshape(4, 6).scatter(0, many.reshape(4, 6) % 4, v.reshape(4, 6), reduce="multiply")]
    return [filled(r)]


def reduced_in_places(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    many = torch.arange(24) * 5 % 7
    few = many.reshape(4, 6) % 4
    r: List[torch.Tensor] = []
    for dtype in [torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.int32]:
        a = (torch.arange(24) * 11 % 17).to(dtype)
        v = (torch.arange(24) * 7 % 13).to(dtype)
        if a.is_floating_point():
            v[3] = float("nan")
            a[20] = float("nan")
        for how in ["amax", "amin", "sum", "prod", "mean"]:
            made = [a.scatter_reduce(0, many, v, how), a.reshape(4, 6).scatter_reduce(0, few, v.reshape(4, 6), how),
                    a.scatter_reduce(0, many, v, how, include_self=False),
                    a.reshape(4, 6).index_reduce(0, many[:4] % 4, v.reshape(4, 6), "mean" if how == "sum" else how)]
            r += [torch.nan_to_num(b.to(torch.float64), 99.0) for b in made]
    return [filled(r)]


def chosen_elements(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """By indices, from tensors of every size of element; on lines and in blocks, of one index and of two."""
    rows = torch.arange(23) * 5 % 8
    r: List[torch.Tensor] = []
    for dtype in [torch.uint8, torch.int16, torch.int32, torch.int64, torch.complex128, torch.bool]:
        a = (torch.arange(8 * 9) * 7 % 31).to(dtype)
        b = a.reshape(8, 9)
        made = [a[rows], b[rows], b[rows, rows], b[rows[:4], 2:4], b[:, rows[:3]], b[rows[:3]][:, :1],
                b.t()[rows[:5], rows[:5]], a[::2][rows], b[:, ::3][rows[:5]], b[rows.reshape(23, 1)[:4], rows[:3]],
                torch.index_select(b, 1, rows[:5]), torch.index_select(a, 0, rows.to(torch.int32)), torch.take(b, rows),
                b[:, :2][rows], b[:, :1][rows], b[:2, rows[:6]], a.reshape(2, 4, 9)[:, rows[:5] % 4, rows[:5]],
                b.flip([1]), b[:, :2].flip([1]), b[:, :3].flip([1]), b[:, :4].flip([1]), b[:, :5].flip([0, 1]),
                b[:, ::2].flip([1]), a.flip([0]), b.t().flip([1]), b.reshape(2, 4, 9).flip([2]),
                b.reshape(36, 2).flip([1]), b.reshape(24, 3).flip([1]), b.reshape(18, 4).flip([1]),
                b.reshape(12, 6).flip([1])]
        c = b.clone()
        c[rows[:6], 1:3] = b[:6, 4:6]
        d = b.clone()
        d[:, rows[:4]] = b[:, :4]
        e = a.clone()
        e[rows[:8]] = a[8:16]
        f = b.clone()
        f[rows[:8], :1] = b[:, 3:4]
        for v in made + [c, d, e, f]:
            r.append(v.to(torch.complex128) if v.is_complex() else v.to(torch.int64))
    return [filled(r)]


def added_at_indices(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    rows = torch.arange(14) * 5 % 8
    r: List[torch.Tensor] = []
    for dtype in [torch.float32, torch.float64, torch.int64, torch.int16, torch.bfloat16, torch.complex128]:
        a = (torch.arange(8 * 9) * 7 % 31).to(dtype).reshape(8, 9)
        for n in [1, 2, 7, 9]:
            b = a[:, :n].clone()
            b.index_put_([rows], a[:1, :n].expand(14, n), True)
            c = a.clone()
            c.index_put_([rows[:8], rows[:8]], a[:, 0], True)
            d = a.clone()
            d[:, ::2].index_put_([rows[:5]], a[:5, :5], True)
            r += [b, c, d]
    return [filled(r)]


def beyond_the_end(x: torch.Tensor, t: torch.Tensor, case: int) -> torch.Tensor:
    dtypes = [torch.uint8, torch.int16, torch.int32, torch.int64, torch.complex128]
    a = torch.arange(24).to(dtypes[case % 5])
    far = torch.tensor([3, 1, 24])
    if case < 5:
        return a.scatter(0, far, a[:3])
    if case < 10:
        return a.reshape(4, 6).t().scatter(0, torch.tensor([[0, 6], [0, 0]]), a[:4].reshape(2, 2))
    if case < 15:
        return a.gather(0, far)
    if case < 20:
        return a.reshape(4, 6).t().gather(0, torch.tensor([[0, 6], [0, 0]]))
    if case < 25:
        return a.scatter_add(0, far, a[:3])
    return a.reshape(4, 6).t().scatter_add(0, torch.tensor([[0, 6], [0, 0]]), a[:4].reshape(2, 2))


def far_floats(x: torch.Tensor, t: torch.Tensor, case: int) -> torch.Tensor:
    a = torch.arange(24).to([torch.float32, torch.float64, torch.bfloat16][case % 3])
    far = torch.tensor([3, 1, 24])
    across = torch.tensor([[0, 6], [0, 0]])
    if case < 3:
        return a.scatter_add(0, far, a[:3])
    if case < 6:
        return a.reshape(4, 6).t().scatter_add(0, across, a[:4].reshape(2, 2))
    if case < 9:
        return a.scatter_reduce(0, far, a[:3], "amax")
    if case < 12:
        return a.reshape(4, 6).t().scatter_reduce(0, across, a[:4].reshape(2, 2), "amin")
    return a.reshape(4, 6).t().scatter(0, across, a[:4].reshape(2, 2), reduce="multiply")


def incomplete_gammas(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    far = float("inf")
    a = torch.tensor([0.0, 0.2, 0.5, 1.0, 3.7, 40.0, 2e5, far, float("nan"), -1.0], dtype=torch.float64)
    b = torch.tensor([0.0, 0.1, 0.6, 1.0, 2.5, 9.0, 45.0, 1.9e5, 2.1e5, far, float("nan"), -1.0], dtype=torch.float64)
    r: List[torch.Tensor] = []
    for v in [torch.igamma(a[:, None], b[None, :]), torch.igammac(a[:, None], b[None, :]),
              torch.special.gammaincc(a[:, None].float(), b[None, :].float()).double(),
              torch.special.gammainc(a[:, None].float(), b[None, :].float()).double()]:
        r += [v != v, torch.nan_to_num(v, 5.0)]
    return [filled(r)]


def compared(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    z = torch.complex(torch.tensor([0.0, 0.0, 1.0, 0.0, float("inf"), float("nan")]),
                      torch.tensor([0.0, 2.0, 0.0, 0.0, 1.0, 0.0])).to(torch.complex128)
    made = [torch.logical_or(z[:, None], z[None, :]), torch.logical_and(z[:, None], z[None, :]),
            torch.logical_xor(z[:, None], z[None, :])]
    v, w = z[:, None].expand(6, 6), z[None, :].expand(6, 6)
    for nan in [True, False]:
        made += [torch.isclose(v, w, equal_nan=nan), torch.isclose(v, w + 1e-7, rtol=1e-3, atol=1e-3, equal_nan=nan),
                 torch.isclose(v.real, w.real, equal_nan=nan), torch.isclose(v, w, rtol=float("inf"), equal_nan=nan)]
    y = x.clone()
    y[3, 1] = 9.0
    same = [torch.equal(x.t(), x.t()), torch.equal(x.t(), y.t()), torch.allclose(x.t(), y.t()),
            torch.allclose(x[:, ::2], y[:, ::2]), torch.equal(x, x[:3]), torch.equal(x, x[0]),
            torch.equal(x[:0].t(), x[:0].t())]
    scales, zeros = torch.tensor([0.1, 0.2, 0.3, 0.4]), torch.tensor([0, 1, 2, 3])
    q = torch.quantize_per_channel(x, scales, zeros, 0, torch.qint8)
    same += [torch.equal(q, q), torch.equal(q, torch.quantize_per_channel(x, scales, zeros + 1, 0, torch.qint8)),
             torch.equal(q, torch.quantize_per_channel(x, scales * 2, zeros, 0, torch.qint8))]
    return [filled(made), torch.tensor(same)]


def greater_and_less(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    v = torch.tensor([0.0, 0.0, 1.5, -2.0, float("inf"), float("-inf"), float("nan")], dtype=torch.float64)
    v[1].neg_()
    r: List[torch.Tensor] = []
    for a in [v, v.float(), v.half(), v.to(torch.bfloat16)]:
        b, c = a[:, None].expand(7, 7), a[None, :].expand(7, 7)
        for y in [torch.fmax(b, c), torch.fmin(b, c), torch.maximum(b, c), torch.minimum(b, c),
                  torch.fmax(b.contiguous(), c.contiguous()), torch.fmin(b.contiguous(), c.contiguous()),
                  torch.maximum(b.contiguous(), c.contiguous()), torch.minimum(b.contiguous(), c.contiguous()),
                  torch.fmax(a, a.flip([0])), torch.fmin(a[2], a), torch.remainder(b, c), torch.floor_divide(b, c),
                  torch.fmod(b, c)]:
            r += [torch.nan_to_num(y.double(), 7.0, 5.0, -5.0)]
    for a in [torch.tensor([3, -4, 0, 7]), torch.tensor([3, -4, 0, 7]).int(),
              torch.tensor([3, -4, 0, 7]).to(torch.int8), torch.tensor([3, 4, 0, 7]).to(torch.uint8)]:
        b, c = a[:, None].expand(4, 4), a[None, :].expand(4, 4)
        r += [torch.fmax(b, c), torch.fmin(b, c), torch.gcd(b, c), torch.lcm(b, c)]
    wide = torch.tensor([4194303, 4194301, -4194303, 2097152, 1, 0, 3 * 1048573, 6291456, 1 << 40])
    r += [torch.gcd(wide[:, None], wide[None, :]),
          torch.gcd(wide[:4].repeat(40), (torch.arange(160) * 26209 % 4194304))]
    return [filled(r)]


def three_operands(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    r: List[torch.Tensor] = []
    a = points(24)
    for b in [a, a.float(), a.to(torch.float16).double(), torch.complex(a, a - 1.0),
              torch.complex(a, a - 1.0).to(torch.complex64)]:
        c, d = b.flip([0]), b * 0.5
        r += [torch.addcmul(b, c, d, value=0.5), torch.addcdiv(b, c, d, value=0.5), torch.lerp(b, c, d),
              torch.lerp(b, c, d * 0.2), torch.lerp(b, c, 0.25), torch.lerp(b, c, 0.75)]
    ints = torch.arange(24)
    r += [torch.addcmul(ints, ints, ints.flip([0]), value=3),
          torch.addcmul(ints.int(), ints.int(), ints.int(), value=-2)]
    return [filled(r)]


def tiny_products(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Of few columns and little depth, and of many rows."""
    r: List[torch.Tensor] = []
    p = points(3000).float()
    for depth in [1, 2, 3, 4, 5, 8, 9]:
        a = p[:90 * depth].reshape(90, depth)
        for columns in [1, 2, 3, 4, 5, 7, 8]:
            w, b = p[:columns * depth].reshape(columns, depth), p[:columns]
            wide = p[:2 * columns * depth].reshape(depth, 2 * columns)
            r += [torch.nn.functional.linear(a, w, b), torch.nn.functional.linear(a, w), torch.addmm(b, a, w.t()),
                  torch.addmm(p[5], a, w.t()), torch.mm(a, wide[:, ::2]), torch.mm(a, wide[:, :columns]),
                  torch.addmm(p[:2 * columns:2], a, wide[:, ::2]), torch.matmul(a.reshape(9, 10, depth), w.t()),
                  torch.bmm(a.reshape(9, 10, depth), w.t().expand(9, depth, columns)),
                  torch.bmm(a.reshape(9, 10, depth), p[:9 * columns * depth].reshape(9, depth, columns)),
                  torch.mm(a.t().contiguous().t(), w.t()),
                  torch.baddbmm(p[:columns], a.reshape(9, 10, depth),
                                p[:9 * columns * depth].reshape(9, depth, columns))]
    return [filled(r)]


def softmax_of_lines(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    r: List[torch.Tensor] = []
    a = (torch.arange(12 * 40, dtype=torch.float64) * 0.7).sin().reshape(12, 40)
    for b in [a, a.float(), a[:, ::2], a.float()[:, ::2], a.t(), a.float().t(), a.reshape(3, 4, 40),
              a.float().reshape(3, 4, 40), a.float().reshape(2, 6, 40).transpose(0, 1), a[:, :3], a[:1, :1]]:
        for d in range(b.dim()):
            r += [torch.softmax(b, d).double(), torch.log_softmax(b, d).double(),
                  torch.softmax(b, d, dtype=torch.float64), torch.log_softmax(b.float(), d, dtype=torch.float64)]
    return [filled(r)]


def pooled(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Windows of many pixels and of few, on lines, planes and pixels of channels that lie together."""
    a = (torch.arange(2 * 3 * 14 * 20, dtype=torch.float64) * 0.37).sin().reshape(2, 3, 14, 20)
    r: List[torch.Tensor] = []
    for b in [a, a.float(), a.float().contiguous(memory_format=torch.channels_last)]:
        for k in [1, 2, 3, 4, 5, 7]:
            r += [torch.max_pool2d(b, k, k), torch.max_pool2d(b, k, 1, k // 2), torch.max_pool2d(b, [1, k], [1, k]),
                  torch.max_pool2d(b, [k, 1], [2, 1]), torch.max_pool2d(b, [2, k], 2, [1, k // 2], [1, 2]),
                  torch.max_pool2d(b, k, 2, k // 2, 1, True), torch.max_pool2d(b, [1, k], [1, 3]),
                  torch.max_pool2d(b, [1, k], [1, 1], [0, k // 2])]
        r += [torch.max_pool2d(b, [14, 20], 1), torch.max_pool2d(b, [1, 19], 1), torch.max_pool2d(b, [9, 9], 1, [4, 4])]
    for b in [torch.quantize_per_tensor(a.float(), 0.01, 100, torch.quint8),
              torch.quantize_per_tensor(a.float(), 0.01, 0, torch.qint8)]:
        for c in [b, b.contiguous(memory_format=torch.channels_last)]:
            r += [torch.max_pool2d(c, 7, 2, 3).int_repr(), torch.max_pool2d(c, 3, 2, 1).int_repr(),
                  torch.max_pool2d(c, [9, 9], 1, [4, 4]).int_repr()]
    return [filled(r)]


def eigenvalues(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Of matrices whose lines stand alone, are turned around, or have equal eigenvalues: their sums of powers."""
    far = torch.eye(5, dtype=torch.float64).roll([1], [0])
    blocks = torch.zeros(5, 5, dtype=torch.float64)
    blocks[:2, :2] = torch.tensor([[3.0, 1.0], [-1.0, 1.0]])
    blocks[2:4, 2:4] = torch.tensor([[0.0, 2.0], [-2.0, 0.0]])
    blocks[4, 4] = 5.0
    upper = torch.triu(points(25).reshape(5, 5))
    columns = torch.zeros(5, 5, dtype=torch.float64)
    columns[0, 2] = 3.0
    columns[1, 4] = 2.0
    columns[3, 1] = 1.0
    uneven = points(25).reshape(5, 5) * torch.tensor([1.0, 1e6, 1e-6, 1e3, 1.0], dtype=torch.float64)
    pairs = torch.tensor([[1.0, 0.0], [5.0, 2.0]], dtype=torch.float64)
    equal = torch.tensor([[2.0, 1.0], [0.0, 2.0]], dtype=torch.float64)
    low = torch.tensor([[0.0, 0.0], [4.0, 0.0]], dtype=torch.float64)
    symmetric = torch.tensor([[1.0, 2.0], [2.0, 1.0]], dtype=torch.float64)
    r: List[torch.Tensor] = []
    for a in [far, blocks, blocks.t(), blocks.flip([0, 1]), upper, upper.flip([0, 1]), columns, uneven,
              uneven / uneven.t(), pairs, pairs.t(), equal, equal.t(), low, symmetric, far[:4, :4].roll([1], [1]),
              torch.zeros(3, 3, dtype=torch.float64), far + torch.eye(5, dtype=torch.float64) * 1e-3]:
        for b in [a, torch.complex(a, a * 0.0), torch.complex(a, a * 0.5 + 0.1)]:
            v = torch.linalg.eigvals(b) / b.abs().max().clamp(min=0.001)
            r += [v.sum(), (v * v).sum(), v.abs().sum(), (v * v * v).sum()]
    sums = torch.stack([torch.view_as_real(v.to(torch.complex128)) for v in r])
    near: List[torch.Tensor] = []
    for a in [torch.tensor([[0.0, 2.0], [2.0, 0.0]]), torch.tensor([[1.0, 0.0], [0.0, -1.0]]),
              torch.tensor([[3.0, 2.0], [2.0, 3.0]]), torch.tensor([[-3.0, 1.0], [1.0, -5.0]]),
              torch.tensor([[1.0, 0.0], [0.0, 1.0]]), torch.tensor([[1.0, -4.0], [-4.0, 7.0]])]:
        values, vectors = torch.linalg.eigh(a.to(torch.float64))
        near += [values, (vectors * values) @ vectors.t(), torch.linalg.eigvalsh(a.to(torch.float64) * 1e160) * 1e-160,
                 torch.linalg.eigvalsh(a.to(torch.float64) * 1e-160) * 1e160]
    return [filled(torch.unbind(sums.reshape(-1, 12, 2))), filled(near)]


def attended(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Products with a softmax between them, in double and, where weights are 0 and 1, in bfloat16. Factors differ, or
    equal products would become one with several uses."""
    r: List[torch.Tensor] = []
    one = x[0, 0] * 0.0 + 1.0
    for queries, keys in [(7, 600), (3, 130), (7, 130), (40, 513)]:
        q = torch.sin(torch.arange(2 * queries * 8, dtype=torch.float64) * 0.7).reshape(2, queries, 8) * one
        k = torch.cos(torch.arange(2 * keys * 8, dtype=torch.float64) * 0.3).reshape(2, keys, 8)
        v = torch.sin(torch.arange(2 * keys * 5, dtype=torch.float64) * 0.9).reshape(2, keys, 5)
        place = torch.arange(queries * keys)
        hidden = torch.logical_or(place * 7 % 5 == 0, place < keys).reshape(queries, keys)
        added = torch.sin(torch.arange(queries * keys, dtype=torch.float64)).reshape(queries, keys)
        for kind in [torch.float64, torch.float32]:
            a, b, c, m = q.to(kind), k.to(kind), v.to(kind), added.to(kind)
            r += [torch.softmax(a * 0.3 @ b.transpose(-2, -1), -1) @ c,
                  torch.softmax(a * 0.4 @ b.transpose(-2, -1) + m, -1) @ c,
                  torch.softmax((a * 0.5 @ b.transpose(-2, -1)).masked_fill(hidden, -1e9), -1) @ c,
                  torch.softmax((a * 0.6 @ b.transpose(-2, -1) + m).masked_fill(hidden, -1e9), -1) @ c,
                  torch.softmax((a * 0.7 @ b.transpose(-2, -1)).masked_fill(hidden, -1e9) + m, -1) @ c,
                  torch.softmax((a * 0.8 @ b.transpose(-2, -1)).masked_fill(hidden[:, :1], -5.0), -1) @ c]
            nothing = (a * 0.9 @ b.transpose(-2, -1)).masked_fill(hidden, float("-inf"))
            r.append(torch.nan_to_num(torch.softmax(nothing, -1) @ c, 3.0))
    whole = torch.eye(8).to(torch.bfloat16).repeat(20, 1) * 64.0
    few = (torch.eye(8).to(torch.bfloat16) * 64.0)[:3]
    values = (torch.arange(160 * 4) % 13).to(torch.bfloat16).reshape(160, 4)
    only = (torch.arange(160) >= 8).reshape(1, 160).expand(3, 160)
    lowered = torch.where(only, torch.tensor(-30000.0), torch.tensor(0.0)).to(torch.bfloat16)
    a = few * one.to(torch.bfloat16)
    r += [torch.softmax((a * 2.0 @ whole.transpose(-2, -1)).masked_fill(only, -30000.0), -1) @ values,
          torch.softmax(a * 0.5 @ whole.transpose(-2, -1) + lowered, -1) @ values,
          torch.softmax((a * 4.0 @ whole.transpose(-2, -1) + lowered).masked_fill(only, -30000.0), -1) @ values]
    return [filled(r)]


def made_in_place(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Lines of numbers into tensors of as many elements, and of others."""
    r: List[torch.Tensor] = []
    r += [torch.linspace(0.0, 1.0, 6, out=torch.zeros(2, 3)), torch.linspace(0.0, 1.0, 6, out=torch.zeros(6)),
          torch.logspace(0.0, 1.0, 6, 2.0, out=torch.zeros(2, 3)), torch.arange(6, out=torch.zeros(3, 2)),
          torch.arange(6, out=torch.zeros(0)), torch.linspace(0.0, 1.0, 1), torch.logspace(0.5, 1.0, 1),
          torch.linspace(0.0, 1.0, 0), torch.logspace(0.0, 4.0, 5, 0.0),
          torch.nan_to_num(torch.logspace(0.0, 1.0, 5, -2.0), 7.0),
          torch.nan_to_num(torch.logspace(-1.0, 1.0, 5, float("inf")), 7.0, 8.0),
          torch.nan_to_num(torch.logspace(1e20, 1.0, 5, 1.5), 7.0, 8.0),
          torch.nan_to_num(torch.logspace(1.0, 1e20, 5, 1.5), 7.0, 8.0),
          torch.logspace(0.0, 3.0, 5, 1.5, dtype=torch.float64)]
    made = torch.zeros(4, 6)
    made[:, 1:2].fill_(3.0)
    made[1:2, :1].fill_(2.0)
    made[:, 3].fill_(4.0)
    p = points(24).reshape(4, 6)
    w = points(6)
    r += [made, torch.layer_norm(p, [6], w, None), torch.layer_norm(p, [6], None, None), torch.layer_norm(p, [6], w, w),
          torch.layer_norm(torch.zeros(3, 0), [0]), torch.layer_norm(p.float(), [6], w.float(), None)]
    for b in [x, x * 1e-30, x * 0.0, x * 0.0 + 3.0, x * 1e-42, x.abs(), -x.abs() - 1.0]:
        for reduced in [True, False]:
            for dtype in [torch.quint8, torch.qint8]:
                q = torch.quantize_per_tensor_dynamic(b, dtype, reduced)
                r += [q.int_repr(), torch.tensor(q.q_zero_point()), torch.tensor(q.q_scale()) / (b.abs().max() + 1e-37)]
    return [filled(r)]


def cells_of_ints(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    r: List[torch.Tensor] = []
    for dtype in [torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64]:
        a = (torch.arange(2 * 3 * 4) * 37 % 100 - 20).to(dtype).reshape(2, 3, 4)
        h = (torch.arange(3 * 5) * 11 % 50).to(dtype).reshape(1, 3, 5)
        w = (torch.arange(20) * 13 % 90 - 30).to(dtype).reshape(5, 4)
        u = (torch.arange(25) * 17 % 80 - 30).to(dtype).reshape(5, 5)
        b = torch.arange(5).to(dtype)
        r.append(torch.rnn_relu_cell(a[0], h[0], w, u, b, b))
        r.append(torch.rnn_relu_cell(a[0], h[0], w, u))
        y, last = torch.rnn_relu(a, h, [w, u, b, b], True, 1, 0.0, False, False, False)
        r += [y, last]
        y, last = torch.rnn_relu(a, torch.cat([h, h]), [w, u, w, u], False, 1, 0.0, False, True, False)
        r += [y, last]
    return [filled(r)]


def out_of_bounds(x: torch.Tensor, t: torch.Tensor, case: int) -> torch.Tensor:
    y = x.to([torch.int8, torch.uint8, torch.int16, torch.int32, torch.float16][case % 5])
    if case < 5:
        return y.random_(-70000000000, 5)
    if case < 10:
        return y.random_(0, 70000000000)
    return y.random_(70000000000, 70000000001)


def searched(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """In one line and in many, in order and by an order, from the left and from the right."""
    r: List[torch.Tensor] = []
    order = torch.arange(9) * 4 % 9
    for kind in [torch.int64, torch.int32, torch.float32, torch.float64]:
        line = torch.arange(9).to(kind) * 2
        mixed = torch.empty_like(line)
        mixed[order] = line
        rows, turned = torch.stack([line, line + 1, line * 3]), torch.stack([mixed, mixed + 1, mixed * 3])
        orders = order.expand(3, 9).contiguous()
        wanted = (torch.arange(60).to(kind) - 3).reshape(3, 20)
        for right in [False, True]:
            for narrow in [False, True]:
                r += [torch.searchsorted(line, wanted, right=right, out_int32=narrow),
                      torch.searchsorted(mixed, wanted, right=right, out_int32=narrow, sorter=order),
                      torch.searchsorted(rows, wanted, right=right, out_int32=narrow),
                      torch.searchsorted(turned, wanted, right=right, out_int32=narrow, sorter=orders),
                      torch.bucketize(wanted, line, right=right, out_int32=narrow),
                      torch.searchsorted(line[:0], wanted, right=right, out_int32=narrow),
                      torch.searchsorted(line[:1], wanted[0, 2:3], right=right, out_int32=narrow)]
    return [filled(r)]


def regions(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Boxes inside of an image, beside it and of no size."""
    images = torch.sin(torch.arange(2 * 12 * 9 * 7, dtype=torch.float32) * 0.7).reshape(2, 12, 9, 7)
    boxes = torch.tensor([[0.0, 1.0, 1.0, 5.0, 6.0], [1.0, -4.0, -3.0, 3.0, 2.0], [0.0, 5.0, 6.0, 30.0, 40.0],
                          [1.0, 20.0, 20.0, 25.0, 25.0], [0.0, 4.0, 4.0, 2.0, 1.0], [1.0, -9.0, -9.0, -5.0, -5.0],
                          [1.0, 6.5, 8.5, 6.5, 8.5]])
    r: List[torch.Tensor] = []
    for scale in [1.0, 0.5]:
        for ratio in [-1, 1, 2]:
            r.append(torch.ops.torchvision.roi_align(images, boxes, scale, 2, 3, ratio, False))
            r.append(torch.ops.torchvision.roi_align(images, boxes[:4], scale, 3, 2, ratio, True))
            a, b = torch.ops.torchvision.ps_roi_align(images, boxes[:4], scale, 2, 3, ratio)
            r += [a, b]
        c, d = torch.ops.torchvision.roi_pool(images, boxes, scale, 3, 2)
        e, f = torch.ops.torchvision.ps_roi_pool(images, boxes, scale, 2, 3)
        r += [c, d, e, f]
    return [filled(r)]


def not_sorted_so(x: torch.Tensor, t: torch.Tensor, case: int) -> torch.Tensor:
    line, order = torch.arange(4), torch.tensor([0, 1, 2, 3])
    if case == 0:
        return torch.searchsorted(line, line, sorter=order[:3])
    return torch.searchsorted(line.reshape(2, 2), line.reshape(2, 2), sorter=order.reshape(1, 4))


def padded(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """By less than nothing on one side, by as much as there is, and from nothing."""
    r: List[torch.Tensor] = []
    for a in [x.reshape(2, 2, 6), (x * 100.0).to(torch.int64).reshape(2, 2, 6), x.to(torch.float64).reshape(2, 2, 6)]:
        for amounts in [[-1, 3], [3, -2], [6, 6], [-2, 4], [0, 0], [1, 1]]:
            r.append(torch.nn.functional.pad(a, amounts, "circular"))
        for amounts in [[-1, 3], [3, -2], [5, 5], [-3, -2], [0, 0]]:
            r.append(torch.nn.functional.pad(a.to(torch.float64), amounts, "replicate"))
            r.append(torch.nn.functional.pad(a.to(torch.float64), amounts, "reflect"))
            r.append(torch.nn.functional.pad(a, amounts, "constant", 2.0))
    image = points(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
    for amounts in [[-1, 3, 2, -2], [2, -3, -1, 2], [1, 1, 1, 1], [0, 0, 3, 3], [4, 4, 0, 0]]:
        for mode in ["circular", "replicate", "reflect"]:
            r.append(torch.nn.functional.pad(image, amounts, mode))
    scale = points(3)
    r += [torch.group_norm(image, 3, scale, None), torch.group_norm(image, 1, None, scale), torch.group_norm(image, 3),
          torch.group_norm(image.float(), 3, scale.float(), None),
          torch.group_norm(image.float(), 1, None, scale.float())]
    mean, spread = torch.zeros(3, dtype=torch.float64), torch.ones(3, dtype=torch.float64)
    r.append(torch.nn.functional.instance_norm(image, mean, spread, scale, None, True, 0.3))
    r.append(torch.nn.functional.batch_norm(image, mean, spread, None, scale, True, 0.2))
    r.append(torch.nn.functional.batch_norm(image, mean, spread, scale, None, False))
    return [filled(r), mean, spread]


def wrongly_padded(x: torch.Tensor, t: torch.Tensor, case: int) -> torch.Tensor:
    a = x.reshape(2, 2, 6)
    empty = torch.zeros(2, 2, 0)
    if case < 2:
        return torch.nn.functional.pad(empty, [1, 0] if case else [0, 1], "replicate")
    if case < 4:
        return torch.nn.functional.pad(empty if case == 3 else a, [7, 0], "circular")
    if case == 4:
        return torch.nn.functional.pad(a, [1, 1], "reflect", 3.0)
    if case == 5:
        return torch.group_norm(a, 2, torch.ones(2), torch.ones(3))
    if case == 6:
        return torch.batch_norm(a, None, None, torch.zeros(2), None, False, 0.1, 1e-5, False)
    return torch.nn.functional.pad(a, [-3, -4], "replicate")


PROGRAMS = [scans_of_floats, scans_of_ints, scans_of_complex_numbers, scans_of_halves, running_extremes, interleaved,
            scattered, reduced_in_places, chosen_elements, added_at_indices, incomplete_gammas, compared,
            greater_and_less, three_operands, tiny_products, softmax_of_lines, pooled, eigenvalues, attended,
            made_in_place, cells_of_ints, searched, regions,
            padded]
FAR = "index 24 is out of bounds for dimension 0 with size 24"
FAR_ACROSS = "index 6 is out of bounds for dimension 0 with size 6"
TYPES = ["signed char", "unsigned char", "short int", "int", "c10::Half"]
BELOW, ABOVE = (["%s is out of bounds for %s" % (what, name) for name in TYPES] for what in ("from", "to - 1"))
FAULTS = {beyond_the_end: ([FAR] * 5 + [FAR_ACROSS] * 5) * 3,
          far_floats: ([FAR] * 3 + [FAR_ACROSS] * 3) * 2 + [FAR_ACROSS] * 3, out_of_bounds: BELOW + ABOVE + BELOW,
          not_sorted_so: ["boundary and sorter must have the same size"] * 2,
          wrongly_padded: ["with possibly 0 batch size and other non-zero dimensions for input"] * 2 +
                          ["Padding value causes wrapping around more than once."] * 2 +
                          ["Padding mode \"reflect\" doesn't take in value argument",
                           ("Expected bias to be a vector of size equal to the number of channels in input",
                            "Expected weight and bias to be vectors of size equal to the number of channels in input"),
                           ("running_var must be defined in evaluation mode", "must be defined in evaluation mode"),
                           ("is too small. Calculated output W: -1", "resulted in a negative output size")]}

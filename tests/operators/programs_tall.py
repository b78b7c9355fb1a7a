"""Reductions, scans and normalization over many rows that are short, as of the points of a cloud: what is left of
vectors, of rows that are joined as one, and of blocks of rows."""
from typing import List

import torch


def wave(n: int) -> torch.Tensor:
    i = torch.arange(n, dtype=torch.float32)
    return torch.sin(i * 1.7) * 3.0 + torch.cos(i * i * 0.01)


def folded(y: torch.Tensor) -> torch.Tensor:
    """Sums of every fifth element, so that an error shows at which of them it is."""
    flat = y.reshape(-1).to(torch.float64) + 5.0
    return torch.stack([flat[k::5].sum() for k in range(5)])


def points(rows: int, columns: int) -> torch.Tensor:
    return wave(rows * columns).reshape(rows, columns)


def positive(rows: int, columns: int) -> torch.Tensor:
    """Of which sums lose no digits."""
    return points(rows, columns) + 4.5


def sums_of_columns(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    r: List[torch.Tensor] = []
    for columns in [1, 2, 3, 7, 16, 17, 33, 70]:
        for rows in [1, 5, 257, 4097, 9001]:
            a = positive(rows, columns)
            ints = torch.floor(a * 10.0)
            r += [a.sum(0), a.mean(0), torch.norm(a, 2.0, 0), torch.norm(a.to(torch.float64), 2.0, 0), a.to(torch.float64).sum(0), ints.to(torch.int64).sum(0), ints.to(torch.int32).sum(0), (a > 0.0).sum(0), (a > 7.0).any(0), (a > 1.0).all(0)]
    return [torch.cat([folded(v).unsqueeze(0) for v in r])]


def sums_of_numbers(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    r: List[torch.Tensor] = []
    for columns in [1, 3, 20, 65]:
        for rows in [3, 500, 5000]:
            a = positive(rows, columns)
            a[rows // 2, columns - 1] = float("nan")
            a[0, 0] = float("nan")
            r += [torch.nansum(a, 0), torch.nansum(a.to(torch.float64), 0), torch.nan_to_num(a.sum(0), 77.0)]
    return [torch.cat([folded(v).unsqueeze(0) for v in r])]


def sums_beside_others(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = positive(6000, 12).reshape(3, 2000, 12)
    return [a[:, :, 2:5].sum([0, 1]), a[:, ::3, :4].mean([0, 1]), a.sum(1), a.sum([0, 2]).sum(0), a[:, :, 3:7].amax([0, 1]), (0.955 + a[1:, 5:, :2] * 0.01).prod(1), a.permute(2, 0, 1).sum([1, 2]),
            a.to(torch.float16)[0].sum(0), a.to(torch.bfloat16)[0, :40].sum(0), a.to(torch.bfloat16)[0, :, :3].amax(0)]


def products_of_columns(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    r: List[torch.Tensor] = []
    for columns in [1, 2, 5, 40]:
        for rows in [4, 130, 4100]:
            a = 1.0 + points(rows, columns) * 0.01
            r += [a.prod(0), a.to(torch.float64).prod(0), (torch.floor(a * 300.0).to(torch.int64) * 2 + 1).prod(0)]
    return r


def extremes_of_columns(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    r: List[torch.Tensor] = []
    for columns in [1, 2, 3, 7, 21, 64, 65]:
        for rows in [1, 6, 255, 256, 300, 2049]:
            a = torch.floor(points(rows, columns) * 3.0)
            for b in [a, a.to(torch.float64), a.to(torch.int64), a.to(torch.int32), a.to(torch.int8), a.to(torch.bfloat16)]:
                r += [b.argmax(0), b.argmin(0), b.amax(0), b.amin(0), b.max(0)[0], b.max(0)[1], b.min(0)[1]]
    return [torch.cat([folded(v).unsqueeze(0) for v in r])]


def missing_in_columns(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    r: List[torch.Tensor] = []
    for columns in [1, 2, 3, 30]:
        for rows in [9, 300, 1001]:
            a = torch.floor(points(rows, columns))
            a[rows - 1, 0] = float("nan")
            a[rows // 2, columns - 1] = float("nan")
            a[rows // 2 + 1, columns - 1] = float("nan")
            for b in [a, a.to(torch.float64)]:
                r += [b.argmax(0), b.argmin(0), b.max(0)[1], torch.nan_to_num(b.amax(0), 99.0), torch.nan_to_num(b.min(0)[0], 99.0)]
    return r


def best_of_batches(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = torch.floor(points(3 * 700, 4) * 2.0).reshape(3, 700, 4)
    return [a.argmax(1), a.argmin(1), a[:, 1:, :3].argmax(1), a[:, ::2].argmin(1), a.permute(0, 2, 1).argmax(2), a.reshape(-1, 1).argmax(0), (a * 0.0).argmax(1), (a * -0.0).argmin(1)]


def results_of_few(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    r: List[torch.Tensor] = []
    for columns in [1, 2, 3, 5, 16, 33, 64, 65]:
        for rows in [7, 8, 64, 65, 130]:
            a = positive(rows, columns)
            whole = torch.floor(a * 2.0)
            for b in [a, a.to(torch.float64), positive(rows, columns + 2)[:, 1:1 + columns], positive(columns, rows).t(), a.to(torch.bfloat16)]:
                r += [b.sum(1), b.to(a.dtype).mean(1), b.amax(1), b.amin(1), b.max(1)[1], b.argmin(1), torch.norm(b, 2.0, 1), (b > 5.0).any(1), (b > 3.0).all(1), (b > 5.0).sum(1)]
            for b in [whole.to(torch.int64), whole.to(torch.int32), whole.to(torch.int8)]:
                r += [b.sum(1), b.amax(1), b.argmax(1), b.min(1)[0], b.any(1), b.all(1), (b - 5).any(1), b.cumsum(1), (b % 2 + 1)[:, :20].prod(1)]
            r += [(a * 0.22).prod(1), (a * 0.22).cumprod(1)[:, :9], a.cumsum(1), a.to(torch.float64).cumsum(1), torch.nansum(a, 1), torch.logcumsumexp(a, 1), torch.linalg.vector_norm(a, 2.0, [1])]
    return [torch.cat([folded(v).unsqueeze(0) for v in r])]


def missing_of_few(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = points(100, 3)
    a[5, 1] = float("nan")
    a[6, 0] = float("nan")
    a[6, 2] = float("nan")
    a[7] = float("inf")
    a[8] = float("nan")
    a[9, 2] = 1e18
    a[10] = 1e-30
    r: List[torch.Tensor] = []
    for b in [a, a.to(torch.float64), a.reshape(4, 25, 3).permute(1, 0, 2)]:
        r += [b.argmax(-1), b.argmin(-1), torch.nan_to_num(b.amax(-1), 9.0, 8.0), torch.nansum(b, -1)[:4], torch.nan_to_num(torch.norm(b, 2.0, -1), 9.0, 8.0), torch.nan_to_num(b.cumsum(-1), 9.0, 8.0)[:9], b.any(-1), b.all(-1)]
    return r


def operations_on_rows(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    r: List[torch.Tensor] = []
    for columns in [1, 2, 3, 4, 5, 24, 64, 65]:
        for rows in [7, 8, 65, 200]:
            a = positive(rows, columns)
            wide = positive(rows, columns + 2)
            row, column = wave(columns) + 4.0, wave(rows).unsqueeze(1) + 4.0
            third = positive(3 * rows, columns).reshape(3, rows, columns)
            for b, c, d in [(a, row, column), (a.to(torch.float64), row.to(torch.float64), column.to(torch.float64)), (torch.floor(a).to(torch.int64), torch.floor(row).to(torch.int64), torch.floor(column).to(torch.int64)),
                            (torch.floor(a).to(torch.int8), torch.floor(row).to(torch.int8), torch.floor(column).to(torch.int8)), (torch.complex(a, a), torch.complex(row, row), torch.complex(column, column))]:
                for y in [b + c, c - b, b * d, d - b, b * c + d, b[:, 0:1] * c, b[:rows // 2 * 2:2] + b[1::2]]:
                    r += [torch.view_as_real(y) if y.is_complex() else y]
            r += [wide[:, 1:1 + columns] * row, wide[:, 2:] - wide[:, :columns], wide[:, 1:1 + columns] / column, a.t() * column.t(), a.t() + row.unsqueeze(1), torch.where(a > row, a, column), torch.where(a[:, 0:1] > 4.0, a, row),
                  torch.maximum(wide[:, :columns], row), a.to(torch.bfloat16)[:5] + row.to(torch.bfloat16), torch.floor(a).to(torch.uint8) * row, third * row, third - column, third * third[:, :, 0:1], third + third[0], third.permute(1, 0, 2) * row,
                  (a > row).to(torch.int32), torch.atan2(wide[:, 1:1 + columns], row), torch.clamp(wide[:, :columns], 3.0, 5.0), torch.addcmul(a, row, column), torch.lerp(a, wide[:, :columns], 0.25), a + row[:1], third + column[:, :, None].permute(1, 0, 2)]
    return [torch.cat([folded(v).unsqueeze(0) for v in r])]


def rows_in_place(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    r: List[torch.Tensor] = []
    for columns in [2, 3, 4, 7]:
        a = positive(90, columns + 2)
        row, column = wave(columns), wave(90).unsqueeze(1)
        a[:, :columns] *= row
        a[:, 2:] += column
        a[:, :2] -= a[:, columns:]
        a[1::2, 1:] = a[::2, 1:] * 0.5
        b = positive(columns, columns)
        b.mul_(b)
        b += b.clone().t()
        c = torch.zeros(90, columns)
        torch.mul(a[:, :columns], row, out=c)
        d = torch.zeros(columns, 90).t()
        torch.sub(c, row, out=d)
        r += [a, b, c, d]
    return r


def scans_of_columns(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    r: List[torch.Tensor] = []
    for columns in [1, 2, 3, 7, 8, 9, 70]:
        for rows in [1, 3, 65, 200]:
            a = positive(rows, columns)
            ints = torch.floor(a * 10.0).to(torch.int64)
            z = torch.complex(a, a + 1.0)
            r += [a.cumsum(0), a.to(torch.float64).cumsum(0), ints.cumsum(0), ints.to(torch.int32).cumsum(0), ints.to(torch.int32).cumsum(0, dtype=torch.int32), ints.cumsum(0, dtype=torch.float32),
                  (0.96 + a * 0.01).cumprod(0), (0.96 + a.to(torch.float64) * 0.01).cumprod(0), torch.logcumsumexp(a, 0), a.to(torch.bfloat16)[:3].cumsum(0),
                  torch.view_as_real(z.cumsum(0)), torch.view_as_real(z[:5].to(torch.complex128).cumprod(0)), a.t().cumsum(1), a.t().cumsum(0), a[::2].cumsum(0)]
    return [torch.cat([folded(v).unsqueeze(0) for v in r])]


def scans_in_place(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = positive(90, 3)
    b = a.to(torch.float64)
    c = positive(90, 20)
    a.cumsum_(0)
    b.cumprod_(1)
    c.cumsum_(0)
    return [a, b, c]


def normalized_batches(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    r: List[torch.Tensor] = []
    for columns in [1, 3, 16, 70]:
        a = points(700, columns) + 2.0
        weight, bias = wave(columns) + 2.0, wave(columns + 3)[3:]
        for b in [a, a.to(torch.float64), a.reshape(7, 100, columns).permute(0, 2, 1), a.reshape(7, 4, 25, columns).permute(0, 3, 1, 2), a.reshape(7, columns, 100), a[::3]]:
            w, v = weight.to(b.dtype), bias.to(b.dtype)
            mean, var = torch.zeros_like(w), torch.ones_like(w)
            r += [torch.batch_norm(b, w, v, mean, var, True, 0.1, 1e-5, False), mean, var, torch.batch_norm(b, w, None, mean, var, False, 0.1, 1e-5, False),
                  torch.batch_norm(b, None, v, None, None, True, 0.1, 1e-5, False), torch.batch_norm(b, None, None, mean, var, False, 0.1, 1e-3, False)]
    return [torch.cat([folded(v).unsqueeze(0) for v in r])]


def normalized_far_from_0(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """The square of the mean is too large for a double, those of the distances from it are not."""
    a = (1.0 + torch.arange(24).to(torch.float64) * 1e-4) * 1e155
    return [torch.batch_norm(a.reshape(2, 3, 4), None, None, None, None, True, 0.1, 0.0, False), torch.batch_norm(a.reshape(8, 3), None, None, None, None, True, 0.1, 0.0, False)]


def strides_of_normalized(x: torch.Tensor, t: torch.Tensor) -> List[int]:
    a = points(10, 24)
    w = wave(4).abs() + 1.0
    image = a.reshape(2, 5, 6, 4).permute(0, 3, 1, 2)
    r: List[int] = []
    for training in [True, False]:
        for b in [image, image.contiguous(), a.reshape(2, 30, 4).permute(0, 2, 1), a.reshape(4, 60).t()]:
            y = torch.batch_norm(b, w, w, w.clone(), w.clone(), training, 0.1, 1e-5, False)
            r += [y.stride(k) for k in range(y.dim())]
    return r


def sums_of_short_rows(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    r: List[torch.Tensor] = []
    for columns in [4, 8, 9, 24, 31, 63, 100, 256, 257]:
        for rows in [8, 9, 70]:
            a = positive(rows, columns)
            whole = torch.floor(a * 10.0)
            for b in [a, a.to(torch.float64), positive(rows, columns + 3)[:, 1:1 + columns], a.to(torch.bfloat16).to(torch.float32), positive(rows * 3, columns)[::3]]:
                r += [b.sum(1), b.mean(1), torch.norm(b, 2.0, 1), torch.linalg.vector_norm(b.reshape(rows, 1, columns), 2.0, [2], True)]
            for b in [whole, positive(rows, columns + 1).to(torch.bfloat16)[:, :columns]]:
                r += [b.to(torch.bfloat16).sum(1, dtype=torch.float32), b.to(torch.float16).sum(1, dtype=torch.float32), b.to(torch.bfloat16).amax(1), b.to(torch.float16).amin(1)]
            for b in [whole.to(torch.int64), whole.to(torch.int32), whole.to(torch.int8), whole.to(torch.uint8), whole > 50.0]:
                r += [b.sum(1), b[:, 1:].sum(1), b[1:, :4].sum(1)]
    return [torch.cat([folded(v).unsqueeze(0) for v in r])]


def halves_of_short_rows(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = positive(9, 40)
    a[5] = 0.0
    large, small = a * 1e30, a * 1e-30
    r: List[torch.Tensor] = []
    for b in [a, a[:, :3], a[:, 5:29], large, small, large[:, 3:9], small[:, 1:4], torch.cat([a, large, small]), torch.cat([a, large * 1e20])]:
        r += [torch.norm(b, 2.0, 1), torch.norm(b, 2.0, 0), torch.norm(b.to(torch.bfloat16), 2.0, 1), b.to(torch.bfloat16).sum(1)]
    return r + [a.to(torch.float16).sum(1)]


def scans_of_short_rows(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    r: List[torch.Tensor] = []
    for columns in [1, 2, 3, 5, 7, 8, 9, 16, 24, 64, 65, 130]:
        for rows in [1, 3, 4, 6, 70]:
            a = positive(rows, columns)
            far = positive(rows + 1, columns + 3)[1:, 2:2 + columns]
            for b in [a, far, a.to(torch.float64), positive(rows * 2, columns).reshape(2, rows, columns), positive(rows, columns * 2)[:, ::2], positive(columns, rows).t()]:
                near = 1.0 + b * 0.01
                r += [b.cumsum(-1), near.cumprod(-1), b.cumsum(0), near.cumprod(0), torch.logcumsumexp(b, -1), b.cummax(-1)[0], b.cummin(-1)[1], b.cummax(0)[1]]
            for b in [a, far]:
                whole = torch.floor(b * 2.0)
                r += [whole.to(torch.bfloat16).cumsum(1), whole.to(torch.bfloat16).cumsum(0), whole.to(torch.int64).cumsum(1), whole.to(torch.int32).cumsum(0),
                      whole.to(torch.int16).cummin(1)[1], whole.to(torch.int64).cummax(1)[1], whole.cummax(1)[1]]
    a = points(9, 7)
    a[3, 2] = float("nan")
    a[4, 0] = float("nan")
    a[5, 6] = float("nan")
    a[6] = float("inf")
    return [torch.cat([folded(v).unsqueeze(0) for v in r]), a.cummax(1)[0], a.cummax(1)[1], a.cummin(0)[0], a.cummin(0)[1], a.cumsum(1)]


def softmax_of_short_rows(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    r: List[torch.Tensor] = []
    for columns in [1, 2, 3, 7, 8, 15, 16, 17, 24, 33, 64, 65, 129, 257]:
        for rows in [1, 5, 171, 600]:
            if rows * columns < 40000:
                a = points(rows, columns)
                for b in [a, points(rows, columns + 1)[:, 1:]]:
                    r += [torch.softmax(b, 1), torch.log_softmax(b, 1), torch.softmax(b, 0), torch.log_softmax(b, 0)]
                r += [torch.softmax(a.to(torch.float64), 1), torch.log_softmax(a.to(torch.float64), 1)]
    a = points(8, 19)
    a[1, 3] = float("inf")
    a[2, 17] = float("nan")
    a[3, 18] = -float("inf")
    a[4] = -float("inf")
    a[5] = a[5] * 1e4
    far = points(400, 3) * 40.0
    return [torch.cat([folded(v).unsqueeze(0) for v in r]), torch.softmax(a, 1), torch.log_softmax(a, 1), torch.softmax(a, 0), torch.softmax(far, 0)[::40], torch.log_softmax(far, 0)[::40],
            torch.softmax(points(90, 3).to(torch.bfloat16), 1), torch.softmax(points(7, 40).to(torch.bfloat16), 1)]


PROGRAMS = [sums_of_columns, sums_of_numbers, sums_beside_others, products_of_columns, extremes_of_columns, missing_in_columns, best_of_batches, results_of_few, missing_of_few, operations_on_rows, rows_in_place, scans_of_columns, scans_in_place, normalized_batches,
            normalized_far_from_0, strides_of_normalized, sums_of_short_rows, halves_of_short_rows, scans_of_short_rows, softmax_of_short_rows]

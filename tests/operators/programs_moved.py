"""Rows that are short, and many of them, moved: padded, joined, repeated, turned, gathered and scattered, of elements
of every size; what is left of blocks of them."""
from typing import List

import torch


def numbers(rows: int, columns: int) -> torch.Tensor:
    return torch.arange(rows * columns).reshape(rows, columns) * 7 % 251


def folded(y: torch.Tensor) -> torch.Tensor:
    """Weighted sums of the elements, so that one at another place shows."""
    flat = y.reshape(-1).to(torch.int64)
    return (flat * (torch.arange(flat.numel()) % 97 + 1)).sum()


def told(r: List[torch.Tensor]) -> List[torch.Tensor]:
    return [torch.cat([folded(v).unsqueeze(0) for v in r])]


def in_sizes(a: torch.Tensor) -> List[torch.Tensor]:
    """Elements of 1, 2, 4 and 8 bytes, and a view that is not contiguous."""
    return [a.to(torch.uint8), a.to(torch.float16), a.to(torch.float32), a, a.to(torch.float32).t().contiguous().t()]


def pads(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    r: List[torch.Tensor] = []
    for columns in [1, 2, 3, 5, 16, 33, 70]:
        for rows in [1, 4, 259, 1101]:
            for a in in_sizes(numbers(rows, columns)):
                r += told([torch.constant_pad_nd(a, [1, 0], 3), torch.constant_pad_nd(a, [0, 1], 3), torch.constant_pad_nd(a, [2, 3, 1, 2], 5)])
                r += told([torch.constant_pad_nd(a, [-1, 2], 1)])
    return [torch.cat(r)]


def joined(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    r: List[torch.Tensor] = []
    for columns in [1, 2, 3, 5, 16, 33]:
        for rows in [1, 4, 259, 1101]:
            for a in in_sizes(numbers(rows, columns)):
                b = a[:, :1]
                r += told([torch.cat([a, b], 1), torch.cat([b, a, b], 1), torch.stack([a, a], 1), torch.stack([a, a], 2), torch.stack([b.flatten(), b.flatten()], 1)])
    return [torch.cat(r)]


def repeated(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    r: List[torch.Tensor] = []
    for columns in [1, 2, 3, 5, 17]:
        for rows in [1, 4, 259]:
            for a in in_sizes(numbers(rows, columns)):
                r += told([a.repeat(1, 9), a.repeat(3, 1), a.repeat(2, 2, 5), a.unsqueeze(1).repeat(1, 70, 1), a.unsqueeze(2).expand(rows, columns, 4).contiguous()])
    return [torch.cat(r)]


def turned(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    r: List[torch.Tensor] = []
    for columns in [1, 2, 3, 4, 5, 7, 8, 9, 16, 20, 31, 33, 70, 224]:
        for rows in [1, 5, 259, 501]:
            for a in in_sizes(numbers(rows, columns)):
                r += told([a.flip([1]), a.flip([0]), a.flip([0, 1]), a.reshape(rows, columns, 1).flip([1, 2])])
            c = torch.complex(numbers(rows, columns).to(torch.float32), numbers(rows, columns).to(torch.float32) + 1.0)
            r += told([torch.view_as_real(c.flip([1])), torch.view_as_real(c.flip([0, 1]))])
    return [torch.cat(r)]


def gathered(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    r: List[torch.Tensor] = []
    for columns in [1, 2, 3, 5, 16, 33, 70]:
        for rows in [1, 4, 259, 1101]:
            a = numbers(rows, columns)
            i, k = torch.arange(rows * 2) * 5 % rows, torch.arange(columns + 1) * 3 % columns
            mask = a % 3 == 0
            for v in in_sizes(a):
                r += told([v.index_select(0, i), v.index_select(1, k), v[i], v[:, k], v[mask], v[a[:, 0] % 2 == 0], v.gather(1, a % columns), v.gather(0, a % rows)])
            r += told([mask.nonzero(), mask.reshape(rows, columns, 1).nonzero(), (a % 11 == 0).reshape(1, rows, columns).nonzero()])
    return [torch.cat(r)]


def scattered(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    r: List[torch.Tensor] = []
    for columns in [1, 2, 3, 5, 16, 33]:
        for rows in [1, 4, 259, 1101]:
            a = numbers(rows, columns)
            i, order = a[:, 0] * 5 % rows, torch.arange(rows).flip([0])
            for v in in_sizes(a):
                z = torch.zeros_like(v)
                if v.dtype != torch.uint8 and v.dtype != torch.float16:
                    r += told([z.scatter_add(0, i.unsqueeze(1).expand(rows, columns), v), z.index_add(0, i, v), z.index_put([i], v, True)])
                r += told([z.scatter(1, torch.arange(columns).flip([0]).expand(rows, columns), v), z.index_copy(0, order, v), z.index_put([order], v)])
                r += told([z.masked_scatter(a % 2 == 0, v), z.index_fill(1, torch.arange(columns)[:1], 3), v.masked_fill(a[:, :1] % 2 == 0, 9)])
            r += told([torch.nn.functional.one_hot(a[:, 0] % 4, 5), torch.nn.functional.one_hot(a[:, 0] % 40, -1)])
    return [torch.cat(r)]


def pooled(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Planes that are small, and outputs that are none."""
    r: List[torch.Tensor] = []
    for n in [1, 2, 3, 4, 7, 9]:
        a = (torch.arange(6 * n * n) * 7 % 251).to(torch.float32).reshape(2, 3, n, n)
        for out in [0, 1, 2, 3, 5]:
            r += [torch.nn.functional.adaptive_avg_pool2d(a, [out, 1]) * 1000.0, torch.nn.functional.adaptive_avg_pool2d(a, [2, out]) * 1000.0]
        r += [torch.max_pool2d(a, [1, 2], [1, 2], [0, 1]), torch.max_pool2d(a, [2, 2], [1, 1], [1, 1]), torch.nn.functional.avg_pool2d(a, [2, 2], [2, 2], [1, 1]) * 100.0]
        r += [torch.max_pool2d(a, [1, 1]), torch.nn.functional.avg_pool2d(a, [n, n]) * 1000.0, torch.max_pool2d(a, [n, n]), torch.max_pool1d(a[0], 1)]
    return [torch.cat([v.reshape(-1).to(torch.float64) for v in r])]


def turned_parts(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Tiles of fewer columns than a whole one, and what squares leave of them."""
    r: List[torch.Tensor] = []
    for columns in [4, 6, 7, 8, 9, 11, 13, 15, 28]:
        for rows in [3, 9, 20, 37, 1024]:
            a = numbers(columns, rows)
            for b in [a.to(torch.uint8), a.to(torch.float16), a.to(torch.float32), a.to(torch.float64), torch.complex(a.to(torch.float32), a.to(torch.float32))]:
                y = b.t().contiguous()
                r.append(folded(torch.view_as_real(y)) if y.is_complex() else folded(y))
            if rows == 20:
                image = a.to(torch.float32).reshape(1, columns, 4, 5).contiguous(memory_format=torch.channels_last)
                r += [folded(image), folded(image.permute(0, 2, 3, 1))]
    return [torch.stack(r)]


PROGRAMS = [pads, joined, repeated, turned, gathered, scattered, pooled, turned_parts]

"""Parts of tensors, arrangements, indices."""
from typing import List

import torch
import torch.nn.functional as F


def splitting(x: torch.Tensor, t: torch.Tensor) -> List[List[torch.Tensor]]:
    cube = x.reshape(2, 2, 6)
    return [torch.tensor_split(x, 4, 1), torch.tensor_split(x, [1, 4], dim=1), torch.tensor_split(x, torch.tensor([2]), 0), torch.hsplit(x, 3),
            torch.hsplit(x, [2, 5]), torch.vsplit(x, 2), torch.vsplit(x, [3]), torch.dsplit(cube, 2), torch.dsplit(cube, [1, 2]),
            torch.meshgrid(x[0, :3], x[1, :2]), torch.meshgrid([x[0, :3], x[1, :2]], indexing="xy"), torch.atleast_2d([x[0], x])]


def joining(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    return [torch.column_stack([x[:, 0], x]), torch.block_diag(x[:1], x[0], x[:2, :2]), torch.cartesian_prod(x[0, :2], x[1, :3]),
            torch.combinations(x[0], 2), torch.combinations(x[0, :3], 2, with_replacement=True), torch.outer(x[0], x[1]),
            torch.rot90(x), torch.rot90(x, -1), torch.rot90(x, 2), x.sum_to_size(1, 6)]


# Tensors whose elements come in turns: few and many, of each size, side by side in memory or not.
def in_turns(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    made: List[torch.Tensor] = []
    for n in [0, 1, 16, 17, 35]:
        line = torch.arange(4 * n)
        parts = [line[:n], line[n:2 * n], line[2 * n:3 * n], line[3 * n:]]
        made += [torch.stack(parts, -1), torch.stack(parts[1:], -1), torch.stack(parts + parts[:1], -1), torch.stack([line[::4], line[1::4]], 1),
                 torch.cat([parts[0].unsqueeze(1), line[:2 * n].reshape(n, 2)], 1), torch.stack([parts[2], parts[3].to(torch.float32)], 1)]
        for dtype in [torch.uint8, torch.int16, torch.float32, torch.float64, torch.complex128]:
            made += [torch.stack([parts[1].to(dtype), parts[2].to(dtype)], -1), torch.cat([parts[k].to(dtype).unsqueeze(1) for k in [3, 0, 2]], 1)]
        made += [torch.complex(parts[0] * 0.5, 0.25 - parts[1]), torch.complex(parts[0] * 0.5, torch.tensor(float("inf"))),
                 torch.complex(line[::4].to(torch.float64), torch.full([n], float("nan"), dtype=torch.float64))]
    return made


# Every second element of lines of each length, to the last element of the memory: copied and calculated with.
def every_second(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    made: List[torch.Tensor] = []
    for n in [0, 1, 2, 3, 15, 16, 33, 70]:
        line = torch.arange(2 * n) * 7 % 11
        for dtype in [torch.uint8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64]:
            lines = line.to(dtype).reshape(2, n)
            made += [lines[:, ::2].clone(), lines[:, 1::2] * lines[:, :n // 2 * 2:2], (lines[:, 1::2] + 1).flatten().sum()]
        made += [line[1::2] > 5, (line > 5)[1::2] & (line > 2)[::2], torch.where(line > 8, float("nan"), line / torch.floor_divide(line, 2))[1::2] - 1]
    return made


# Rows that overlap and lie apart, of few bytes and many, and NaNs among numbers that are rounded.
def short_runs(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    made: List[torch.Tensor] = []
    line = torch.remainder(torch.arange(150) * 7, 101)
    for n in [4, 5, 8, 16, 17, 32, 64]:
        for step in [n // 2, n + 1]:
            made += [line.to(torch.float32).unfold(0, n, step).contiguous(), line.to(torch.uint8).unfold(0, n, step).clone()]
    for n in [1, 31, 32, 33, 100]:
        numbers = torch.where(torch.remainder(torch.arange(n), 35) == 30, torch.tensor(float("nan")), torch.arange(n) / 7.0)
        made += [numbers.to(torch.bfloat16), (numbers[1:] - 5).to(torch.bfloat16) / torch.remainder(torch.arange(n), 3)[1:]]
    return made


def triangles(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    return [torch.diag(x), torch.diag(x[0], 1), torch.diag_embed(x), torch.diag_embed(x, -1, 0, 2), torch.trace(x),
            torch.tril_indices(3, 4, -1), torch.triu_indices(3, 4, 1), torch.diagonal_scatter(x, x[0, :4]),
            torch.slice_scatter(x, x[:, :2], 1, 1, 5, 2), x.narrow_copy(1, 2, 3)]


def places(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    return [torch.take(x, t), torch.take(x, -1 - t), x.put(t, x[:, 0]), x.put(torch.tensor([1, 1]), x[0, :2], accumulate=True),
            x.index_put([t - 1 - t + 1, t], torch.tensor(9.0)), x.masked_scatter(x > 0, x.flip([0])), torch.argwhere(x > 1), F.one_hot(t),
            F.one_hot(t, 7), x.repeat_interleave(torch.tensor([0, 2, 1, 3]), 0), torch.repeat_interleave(t), x.index_fill(1, t, torch.tensor(2.0)),
            torch.index_select(x[0, 0], 0, torch.tensor([0]))]


def searching(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    rows, order = torch.sort(x, 1)
    line = torch.arange(6)
    return [torch.searchsorted(rows, x.flip([0])), torch.searchsorted(rows, rows, right=True), torch.searchsorted(line, t, out_int32=True),
            torch.searchsorted(line, 3, side="right"), torch.searchsorted(x, x, sorter=order), torch.bucketize(x, rows[0]),
            torch.bucketize(t, line, right=True), torch.bucketize(0.5, rows[1])]


def folding(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    image = x.reshape(1, 2, 3, 4)
    columns = F.unfold(image, [2, 2], dilation=[1, 2], padding=[1, 0], stride=[1, 1])
    return [columns, F.fold(columns, [3, 4], [2, 2], dilation=[1, 2], padding=[1, 0])]


def scattered(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    index, source = torch.tensor([[0, 2, 1], [3, 3, 0]]), x[2:, :3]
    whole, places = (x * 4).to(torch.int64), torch.tensor([[0, 0, 3, 3, 3, 1]])
    z = torch.complex(x, x.flip([0]))
    made = [x.scatter_reduce(0, index, source, "mean"), x.scatter_reduce(0, index, source, "mean", include_self=False),
            whole.scatter_reduce(0, places, whole[3:], "mean"), z.scatter(0, index, z[2:, :3], reduce="multiply"),
            torch.gather(x[0, 0], 0, torch.tensor([0])), torch.gather(x[0, 0], 0, torch.tensor(0)), torch.gather(x[0], 0, torch.tensor(3))]
    for name in ["sum", "prod", "amax", "amin"]:
        made = made + [x.scatter_reduce(0, index, source, name, include_self=False), whole.scatter_reduce(0, places, whole[3:], name),
                       whole.scatter_reduce(0, places, whole[3:], name, include_self=False)]
    return made


def wrong_gather(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.gather(x[0, 0], 0, torch.tensor([1]))


def wrong_reduction(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return x.scatter_reduce(0, torch.tensor([[0]]), x, "median")


def wrong_split(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    return torch.hsplit(x, 4)


def wrong_take(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.take(x, t + 20)


def wrong_fold(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return F.fold(x.reshape(1, 4, 6), [3, 4], [2, 3])


def wrong_unfold(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return F.unfold(x.reshape(1, 1, 4, 6), [5, 1])


def wrong_search(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.searchsorted(x, x[:2])


def wrong_side(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.searchsorted(x, x, side="middle")


def wrong_class(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return F.one_hot(t, 3)


def rows(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Indices before dimensions that are taken as they lie, or as a transposed tensor has them."""
    cube, turned, i, j = x.reshape(4, 3, 2), x.reshape(4, 3, 2).transpose(0, 1), t % 4, torch.tensor([2, 0, 1])
    a, b, c, d = cube.clone(), cube.clone(), turned.clone(), cube.transpose(1, 2).clone().transpose(1, 2)
    a[i[:2]] = x[:2, 0].reshape(2, 1, 1)
    b[:, j] = cube.flip(0)
    c[j[:2]] = cube[:2, :1].expand(2, 4, 2)
    d[i[1:3], j[:2]] = torch.tensor([7., 8.])
    return [cube[i], cube[:, j], turned[j], cube[i[:3], j], cube[cube[:, :, 0] > 0], cube[i[:, None], j], a, b, c, d,
            cube.index_put((i,), torch.ones(2), True), cube[:, :0][i]]


PROGRAMS = [rows, scattered, splitting, joining, in_turns, every_second, short_runs, triangles, places, searching, folding]
FAILURES = {wrong_gather: "index 1 is out of bounds for dimension 0 with size 1",
            wrong_reduction: "reduce argument must be", wrong_split: "is not divisible by", wrong_take: "out of range", wrong_fold: "to be divisible by the product of kernel_size",
            wrong_unfold: "sliding blocks must be at least one", wrong_search: "first N-1 dimensions of boundaries tensor",
            wrong_side: "side can only be 'left' or 'right'", wrong_class: "Class values must be smaller than num_classes."}

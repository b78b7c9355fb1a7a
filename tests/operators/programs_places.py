"""Answers that depend on the steps PyTorch takes: places of equal items, integers counted in vectors, statistics kept
in few bits. And operators that stand for others: einsum by numbers, layers in MKL-DNN's layout."""
from typing import Any, List, Optional, Tuple

import torch


def few_values(n: int, values: int) -> torch.Tensor:
    return torch.remainder(torch.arange(n) * 7919 + torch.floor_divide(torch.arange(n), 5) * 104729, values)


def top_of_equal(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    made: List[torch.Tensor] = []
    for n in [1, 3, 4, 17, 40, 300]:
        line = few_values(n, 6)
        for k in [1, n // 2, n // 65, n]:
            for largest in [True, False]:
                values, places = torch.topk(line, k, 0, largest, True)
                made += [places]
                _, unsorted = torch.topk(line.to(torch.float32), k, 0, largest, False)
                made += [unsorted]
    return made


# Lines of which some have equal elements among the few that come first, in rows and in columns.
def few_of_equal(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    made: List[torch.Tensor] = []
    for n in [48, 100, 999]:
        for values in [30, 97, 1009]:
            lines = few_values(12 * n, values).reshape(12, n)
            for k in [1, 2, n // 24]:
                for largest in [True, False]:
                    rows, places = torch.topk(lines, k, 1, largest, True)
                    columns, others = torch.topk(lines.t().to(torch.float32), k, 0, largest, True)
                    made += [rows, places, columns, others]
    return made


def folded(places: torch.Tensor) -> torch.Tensor:
    line = places.flatten().to(torch.int64)
    return (line * torch.remainder(torch.arange(line.numel()) * 31, 97)).sum()


# Orders along `dim`, as sums of places and numbers.
def orders_along(a: torch.Tensor, dim: int) -> List[torch.Tensor]:
    n = a.size(dim)
    made = [torch.sort(a, dim, True), torch.sort(a, stable=True, dim=dim), torch.topk(a, 1, dim), torch.topk(a, (n + 1) // 2, dim, False),
            torch.topk(a, n, dim), torch.topk(a, (n + 1) // 2, dim, True, False), torch.kthvalue(a, 1, dim), torch.kthvalue(a, n // 2 + 1, dim),
            torch.kthvalue(a, n, dim, True)]
    if a.dtype != torch.float16:
        made += [torch.median(a, dim), torch.median(a, dim, True), torch.nanmedian(a, dim)]
        if n <= 16:
            made += [torch.mode(torch.nan_to_num(a), dim)]  # PyTorch sorts NaN as they come
    folds: List[torch.Tensor] = []
    for values, places in made:
        folds += [folded(places), folded(torch.nan_to_num(values * 4, 11.0, 5.0, 7.0))]
    return [torch.stack(folds)]


# Many lines of few elements: rows, columns, lines between other dimensions, few and many equal elements, zeros of both
# signs, numbers that are none.
def orders_of_short_lines(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    made: List[torch.Tensor] = []
    for n in [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 25, 31, 32, 33]:
        for values in [3, 40, 1009]:
            ints = few_values(70 * n, values)
            floats = torch.where(ints % 11 == 5, torch.full([1], float("nan")), ints.to(torch.float32) - 9)
            floats = torch.where(ints % 7 == 2, torch.full([1], -0.0), torch.where(ints % 13 == 1, torch.full([1], -float("inf")), floats))
            made += orders_along(floats.reshape(70, n), 1)
            made += orders_along(floats.reshape(n, 70), 0)
            made += orders_along(floats.to(torch.float64).reshape(2, n, 35), 1)
            made += orders_along(ints.reshape(7, 10, n), -1)
            made += orders_along((ints - 20).to(torch.int32).reshape(35, n, 2).transpose(0, 2), 1)
            made += orders_along(ints.to(torch.uint8).reshape(5, 2, n, 7), 2)
            made += orders_along(floats.to(torch.bfloat16).reshape(70, n)[::2], 1)
    return made


# One element of lines that are longer: few and many equal elements, numbers that are none, mostly and only these.
def chosen_of_lines(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    made: List[torch.Tensor] = []
    for n in [33, 40, 64, 65, 66, 100, 257, 1030, 5000]:
        for values in [2, 40, 1009, 100003]:
            ints = few_values(6 * n, values).reshape(6, n)
            floats = torch.where(ints % 11 == 5, torch.full([1], float("nan")), ints.to(torch.float32) - values // 2)
            many = torch.where(ints % 3 > 0, torch.full([1], float("nan")), floats)
            folds: List[torch.Tensor] = []
            backwards = ints.to(torch.float32)[:, :1100].sort(1)[0].flip([1])
            for a in [floats, floats.to(torch.float64), many, many.t().contiguous().t(), torch.full([2, n], float("nan")), backwards]:
                for value, place in [torch.median(a, 1), torch.nanmedian(a, 1), torch.kthvalue(a, a.size(1) // 3 + 1, 1), torch.kthvalue(a, a.size(1) - n // 9, 1)]:
                    folds += [folded(place), folded(torch.nan_to_num(value, 11.0))]
            for b in [ints, (ints - values // 2).to(torch.int32), ints.to(torch.int16)]:
                for value, place in [torch.median(b, 1), torch.kthvalue(b, n // 2, 1), torch.kthvalue(b, n - n // 4, 1)]:
                    folds += [folded(place), folded(value)]
            made += [torch.stack(folds), torch.median(floats), torch.median(ints), torch.nanmedian(many)]
    return made


def top_with_nan(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    line = torch.cat([x.flatten(), torch.tensor([float("nan"), float("inf"), float("nan")]), x.flatten()])
    largest, at_largest = torch.topk(line, 7)
    least, at_least = torch.topk(line, 50, largest=False)
    rows, at_rows = torch.topk(torch.round(x), 2, 0)
    return [largest, at_largest, least, at_least, rows, at_rows]


def kth_of_equal(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    made: List[torch.Tensor] = []
    for n in [1, 2, 3, 8, 33, 100]:
        for k in [1, n // 2 + 1, n]:
            value, place = torch.kthvalue(few_values(n, 5), k)
            made += [value, place]
    return made


# Near both ends of lines, some of which have equal elements there, or numbers that are none.
def kth_near_ends(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    made: List[torch.Tensor] = []
    for n in [48, 100, 999]:
        for values in [30, 1009]:
            lines = few_values(6 * n, values).reshape(6, n)
            floats = torch.where(lines == 13, torch.full([1], float("nan")), lines.to(torch.float32) - 9)
            for k in [1, 2, n // 24, n // 24 + 1, n - n // 24, n - 1, n]:
                value, place = torch.kthvalue(lines, k)
                column, at = torch.kthvalue(floats.t(), k, 0)
                made += [value, place, column, at]
    return made


def integers_between(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    made: List[torch.Tensor] = []
    for n in [1, 7, 64, 100, 133]:
        made += [torch.linspace(3, 10, n, dtype=torch.int64), torch.linspace(113, 10, n, dtype=torch.int32),
                 torch.linspace(2.5, 99.5, n, dtype=torch.int16), torch.linspace(0, 120, n, dtype=torch.uint8)]
    return made


def norm_of_halves(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    image = (x * 3).reshape(2, 3, 4).to(torch.bfloat16)
    mean, var = torch.tensor([0.1, 2.0, -3.0]).to(torch.bfloat16), torch.tensor([1.5, 0.3, 7.0]).to(torch.bfloat16)
    weight, bias = torch.tensor([0.7, -2.1, 1.3]).to(torch.bfloat16), torch.tensor([4.2, 0.01, -9.0]).to(torch.bfloat16)
    still = torch.batch_norm(image, weight, bias, mean, var, False, 0.3, 1e-3, False)
    learnt = torch.batch_norm(image, weight, bias, mean, var, True, 0.3, 1e-3, False)
    bare = torch.batch_norm(image, None, None, mean, var, True, 0.1, 1e-5, False)
    mixed = torch.batch_norm(image, weight.to(torch.float32), None, mean.to(torch.float32), var.to(torch.float32), True, 0.1, 1e-5, False)
    return [r.to(torch.float32) for r in [still, learnt, bare, mixed, mean, var]]


def softmax_of_halves(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    rows = torch.cat([x, x * 2, x - 1, x + 0.3]).to(torch.bfloat16)
    wide = torch.cat([rows.t(), rows.t() * 0.5], 1)
    made = [torch.softmax(rows, 1), torch.softmax(rows, 0), torch.softmax(wide, 0), torch.log_softmax(rows, 1), torch.log_softmax(wide, 0),
            torch.log_softmax(wide, 1), torch.softmax(rows.unsqueeze(2), 1), torch.log_softmax(rows.unsqueeze(2), 1)]
    return [m.to(torch.float32) for m in made]


def nothing_put_together(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    none = torch.zeros([0])
    return [torch.cat([none, none], 1), torch.cat([none, torch.zeros([0], dtype=torch.int64)], -4), torch.cat([none, x], 1)]


def biases(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    w = torch.flip(x, [0])
    batch = torch.stack([x, x * 2])
    made: List[torch.Tensor] = []
    for bias in [torch.arange(16.0).reshape(4, 4), torch.arange(4.0).reshape(4, 1), torch.tensor([3.0]), torch.arange(4.0), torch.tensor(2.0)]:
        made += [torch.nn.functional.linear(x, w, bias)]
    for bias in [torch.arange(32.0).reshape(8, 4), torch.arange(4.0), torch.arange(8.0).reshape(8, 1)]:
        made += [torch.nn.functional.linear(batch, w, bias)]
    for bias in [torch.arange(16.0).reshape(4, 1, 4), torch.arange(8.0).reshape(2, 4)]:
        made += [torch.nn.functional.linear(batch.transpose(0, 1), w, bias)]
    return made


def bias_of_other_size(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.linear(x, x, torch.arange(int(t[1]) + 3.0))


def bias_of_more_rows(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.linear(x[:1], x, torch.arange(12.0).reshape(3, 4))


def numbered_products(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    return [torch.einsum(x, [0, 1], x, [2, 1], [0, 2]), torch.einsum(x, [3, 51], x, [3, 51]), torch.einsum(x, [7, 0]),
            torch.einsum(x, [1, 0], [0]), torch.einsum(x, [0, 1], x, [2, 1], x, [2, 3], [3, 0])]


def other_layout(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    m = x.to_mkldnn()
    image = torch.stack([x, x + 1, x * 2, x - 1]).unsqueeze(0).to_mkldnn()
    return [torch.relu(m + m).to_dense(), m.reshape(6, 4).to_dense(), torch.nn.functional.linear(m, (x * 2).to_mkldnn()).to_dense(),
            torch.nn.functional.max_pool2d(image, 2).to_dense(), torch.nn.functional.adaptive_avg_pool2d(image, 2).to_dense(),
            torch.ops.prim.MKLDNNHardSwish(m).to_dense(), torch.ops.prim.MKLDNNHardSigmoid(m).to_dense(),
            torch.ops.prim.MKLDNNScalarMul(m, 3).to_dense(), torch.ops.prim.MKLDNNLayerNorm(m, [6], x[1].to_mkldnn(), x[2].to_mkldnn()).to_dense()]


def integers_in_other_layout(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return t.to_mkldnn().to_dense()


def pools_of_nothing(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    return [torch.nn.functional.adaptive_avg_pool1d(t[:0].reshape(0, 3, 4).to(torch.int32), 2), torch.nn.functional.adaptive_avg_pool2d(x[:0].reshape(0, 3, 4, 2), [1, 2])]


def places_of_tensors(x: torch.Tensor, t: torch.Tensor) -> Tuple[int, List[torch.Tensor]]:
    items = [t[0], t[2], t[1], t[2]]
    return items.index(torch.tensor(5)), sorted(torch.jit.annotate(List[torch.Tensor], []))


def place_of_no_tensor(x: torch.Tensor, t: torch.Tensor) -> int:
    return [t[0], t[1]].index(torch.tensor(7))


class Ranked:
    def __init__(self, rank: int, name: str):
        self.rank = rank
        self.name = name

    def __lt__(self, other: "Ranked") -> bool:
        return self.rank < other.rank


class Rankless:
    def __init__(self, name: str):
        self.name = name


def names(l: List[Any]) -> str:
    made = ""
    for item in l:
        if isinstance(item, Ranked):
            made += item.name
    return made


def any_objects(x: torch.Tensor, t: torch.Tensor):
    """What the items are counts, not what the list may hold."""
    l: List[Any] = []
    maybe: List[Optional[Ranked]] = []
    for i, name in enumerate(["a", "b", "c", "d", "e"]):
        l.append(Ranked(i * 3 % 4, name))
        maybe.append(Ranked(-i // 2, name))
    made = [names(sorted(l)), names(l)]
    l.sort(reverse=True)
    made.append(names(l))
    for item in sorted(maybe):
        made.append("" if item is None else item.name)
    nothing: List[Any] = []
    return made, len(sorted(nothing))


def objects_in_no_order(x: torch.Tensor, t: torch.Tensor, case: int):
    l: List[Any] = [Ranked(1, "a")]
    maybe: List[Optional[Ranked]] = [Ranked(1, "a"), None]
    if case == 2:
        l.append(Rankless("a"))
    elif case == 3:
        l.append(1)
    else:
        l.clear()
        l.append(Rankless("b"))
        if case == 0:
            l.append(Rankless("a"))
        elif case == 5:
            l[0] = 2
    return len(sorted(maybe)) if case == 4 else len(sorted(l))


PROGRAMS = [any_objects, top_of_equal, few_of_equal, orders_of_short_lines, chosen_of_lines, top_with_nan, kth_of_equal, kth_near_ends, integers_between, norm_of_halves, softmax_of_halves, nothing_put_together, biases, numbered_products, other_layout, pools_of_nothing,
            places_of_tensors]
FAILURES = {bias_of_other_size: "must match the size of tensor b", bias_of_more_rows: "does not broadcast",
            integers_in_other_layout: "dense_to_mkldnn expects float or bfloat16 tensor input", place_of_no_tensor: "is not in list"}
FAULTS = {objects_in_no_order: ["it must define a __lt__ method with two inputs of type"] * 2 +
                               ["Only values of same type can be compared. Found __torch__.programs_places.Ranked"] * 3 +
                               ["can be sorted, got list of int"]}

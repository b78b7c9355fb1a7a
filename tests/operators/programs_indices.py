"""Types of indices, masks and lengths that operators refuse, also where there is nothing to index."""
from typing import List

import torch
import torch.nn.functional as F
from torch import Tensor


def last_rows(x: Tensor, t: Tensor) -> List[Tensor]:
    return [torch.embedding_renorm_(x.clone(), torch.tensor([-1, 1, -4]), 1.0, 2.0), torch.embedding_renorm_(x.clone(), t[:0], 1.0, 2.0)]


def from_the_end(x: Tensor, t: Tensor) -> List[Tensor]:
    """Negative indices of index_fill: among others, alone, of strided tensors, of numbers."""
    y = x.clone()
    y.t().index_fill_(0, torch.tensor([-1, 0, -3]), 2.0)
    return [torch.index_fill(x, 0, torch.tensor([-1, 1]), 9.0), x.index_fill(-1, torch.tensor([2, -6, 0]), torch.tensor(0.5)), y, (x > 0).index_fill(1, torch.tensor([-1]), 1),
            torch.tensor(3.0).index_fill(0, torch.tensor([-1]), 1.5), t.index_fill(0, torch.tensor([-2, -2, 0]), 7), torch.stack([x, x], 1).index_fill(1, torch.tensor([-1]), -1.0)]


def types_of_indices(x: Tensor, t: Tensor, case: int) -> Tensor:
    small = t.to(torch.int32)
    if case == 0:
        return torch.index_fill(x, 1, small[:0], 1.0)
    if case == 1:
        return torch.index_fill(x, 1, small, 1.0)
    if case == 2:
        return torch.take_along_dim(x, torch.zeros(0, 6, dtype=torch.int32), 0)
    if case == 3:
        return F.embedding_bag(t[:2].to(torch.int16).reshape(1, 2), x.t())
    if case == 4:
        return F.embedding_bag(t[:0], x.t(), torch.tensor([0, 2]))
    if case == 5:
        return torch.ctc_loss(x.reshape(4, 1, 6).log_softmax(2), t[:2].reshape(1, 2), torch.tensor([4.0]), torch.tensor([1]))
    if case == 6:
        return torch.ctc_loss(x.reshape(4, 1, 6).log_softmax(2), t[:2].reshape(1, 2), torch.tensor([4]), torch.tensor([1.0]))
    if case == 7:
        return F.cross_entropy(x, t.to(torch.uint8), torch.ones(6), label_smoothing=0.25)
    if case == 8:
        return torch.index_put(x, [(x > 0).to(torch.uint8) * 2], torch.tensor(1.0))
    if case == 9:
        return torch.norm(x, 2, dtype=torch.int64)
    if case == 10:
        return torch.ops.aten.norm(x, 2, [0], True, dtype=torch.int32)
    if case == 11:
        return torch.embedding_renorm_(x.clone(), torch.tensor([-5]), 1.0, 2.0)
    return torch.index_fill(x, 0, torch.tensor([0, -1, -5]), 1.0)


def masks_of_themselves(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """What is filled by a mask may be the mask."""
    a, b, c, d, e = x > 0, x > 0, x > 0, x > 0, x > 0
    a[a] = False
    b[b] = True
    c[c[:]] = False
    d.index_put_([d], torch.tensor([False]))
    e[~e] = True
    return [a, b, c, d, e]


PROGRAMS = [masks_of_themselves, last_rows, from_the_end]
FAULTS = {
    types_of_indices: ["index_fill_(): Expected dtype int64 for index"] * 2 + ["torch.take_along_dim(): dtype of indices should be Long",
        "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int",
        "offsets[-1] can not be greater than input's length 0 but got offsets[-1] of 2", "input_lengths must be integral", "target_lengths must be integral",
        "gather(): Expected dtype int64 for index", "Mask tensor can take 0 and 1 values only"] +
        ["norm(): the desired output dtype should be either floating point or complex"] * 2 + [("out of range", "index out of range in self"), "index -5 is out of bounds for dimension 0 with size 4"],
}

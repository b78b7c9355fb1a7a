"""Operators that follow from others by their schemas: other names, in place, into tensors given, copies of views, lists
of tensors."""
from typing import List

import torch


def names(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    y = x.flip([0])
    z = x.clone()
    z.greater_(0.1)
    return [torch.greater(x, 0.5), torch.less(x, 1), torch.less_equal(x, y), torch.greater_equal(x, 0.1), torch.not_equal(t, 1), z,
            (t + 1).polygamma(1), x.where(x > 0, y), x.where(condition=x > 1, other=y), x.abs().polygamma(n=2),
            torch.row_stack([x, y]), torch.moveaxis(x, 0, 1), torch.moveaxis(x, [0, 1], [1, 0]), torch.concatenate([x, y], 1)]


def in_place(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a, b, c, d, e = t.clone(), t + 7, t > 1, x.clone(), x.clone()
    a.gcd_(torch.tensor(4))
    b &= 12
    b |= torch.tensor(3)
    b ^= 5
    b <<= 2
    b >>= 1
    c &= t < 5
    d.xlogy_(x.abs())
    d.heaviside_(torch.ones(1))
    d.addr_(torch.ones(4), x[0])
    d.addbmm_(torch.ones(2, 4, 3), torch.ones(2, 3, 6), beta=0.5, alpha=2)
    d.ldexp_(torch.ones(6))
    e.index_reduce_(0, torch.tensor([0, 1]), x[:2] * 2, "prod")
    e.masked_scatter_(x > 0, torch.arange(24.0))
    e.put_(torch.tensor([0, 5]), torch.tensor([9.0, 8.0]))
    e.renorm_(2, 0, 1.0)
    e.index_fill_(0, torch.tensor([0]), torch.tensor(3.0))
    return [a, b, c, d, e]


def into_outs(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a, b = torch.zeros(0), torch.zeros(0, dtype=torch.int64)
    r: List[torch.Tensor] = []
    torch.ops.aten.median(x, 1, values=a, indices=b)
    r += [a.clone(), b.clone()]
    torch.ops.aten.cummax(x, 1, values=a, indices=b)
    r += [a.clone(), b.clone()]
    torch.ops.aten.adaptive_max_pool2d(x.unsqueeze(0), [2, 2], out=a, indices=b)
    r += [a.clone(), b.clone()]
    torch.arange(5, out=a)
    r.append(a.clone())
    torch.zeros([2, 2], out=a)
    r.append(a.clone())
    torch.full([2, 3], 2.5, out=a)
    r.append(a.clone())
    torch.eye(3, out=b)
    r.append(b.clone())
    torch.linspace(0, 1, 3, out=a)
    r.append(a.clone())
    torch.ops.aten.xlogy(x, x.abs(), out=a)
    return r + [a, torch.ops.aten.new_ones(x, [2], out=torch.zeros(2, dtype=torch.int32))]


def copies(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    made = [torch.ops.aten.view_copy(x, [24]), torch.ops.aten.permute_copy(x, [1, 0]), torch.ops.aten.slice_copy(x, 0, 1),
            torch.ops.aten.expand_copy(x, [2, 4, 6]), torch.ops.aten.diagonal_copy(x), torch.ops.aten.unfold_copy(x, 0, 2, 1),
            torch.ops.aten.zero(x)]
    made += torch.ops.aten.split_copy(x, 2)
    made[0][0] = 5
    return made + torch.ops.aten.unbind_copy(x) + [x]


def lists(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    of = [x.clone(), x * 2, x + 1]
    made = torch._foreach_add(of, 2.0)
    made += torch._foreach_mul(of, of)
    made += torch._foreach_addcmul(of, of, of, 0.5)
    made += torch._foreach_norm(of, 2)
    made += torch._foreach_maximum(of, made[:3])
    torch._foreach_add_(of, made[:3], alpha=2)
    torch._foreach_sigmoid_(of)
    torch._foreach_addcdiv_(of, made[:3], made[3:6], 0.1)
    made += [a.clone() for a in of]
    torch._foreach_neg(made[:3], out=of)
    return made + of


def no_names(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.zeros([2, 3], names=None) + torch.full([1], 2.0, names=None)


def lists_of_other_lengths(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    return torch._foreach_add([x], [x, x])


def larger_in_place(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return t.gcd_(torch.ones(2, 4, dtype=torch.int64))


def out_of_integers(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.xlogy(x, x, out=t)


def values_of_integers(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.ops.aten.max(x, 0, max=torch.zeros(0, dtype=torch.int64), max_values=torch.zeros(0, dtype=torch.int64))[0]


def named_dimension(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return x.cumsum("N")


PROGRAMS = [names, in_place, into_outs, copies, lists, no_names]
FAILURES = {lists_of_other_lengths: "Tensor lists must have the same number of tensors, got 1 and 2",
            larger_in_place: "output with shape [4] doesn't match the broadcast shape [2, 4]",
            out_of_integers: "result type Float can't be cast to the desired output type Long",
            values_of_integers: "Expected out tensor to have dtype float, but got long int instead",
            named_dimension: "Name 'N' not found in Tensor[None, None]."}

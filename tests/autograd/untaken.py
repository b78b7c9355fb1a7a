"""Programs in which some runs do not use what gradients are asked of: branches that are not taken, loops without
turns. Arguments as of programs.py."""
from typing import List, Optional, Tuple

import torch
from torch import Tensor


def gradients(out: Tensor, inputs: List[Tensor]) -> List[Optional[Tensor]]:
    return torch.autograd.grad([out], inputs, retain_graph=True, allow_unused=True)


def taken_or_not(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    given: List[List[Optional[Tensor]]] = []
    for flag in [0, 2]:
        out = x * 2
        if int(t[flag]) > 2:
            out = out * y.exp()
        else:
            out = out + p.sin()
        given.append(torch.autograd.grad([out.sum()], [x, y, p], allow_unused=True))
    return given


def not_before_branches(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    scale, shift = torch.sqrt(p - p.detach()), torch.log(y - y.detach()) * x
    out = x.sin()
    if bool(scale.detach().sum() > 0):
        out = out / scale
    for i in range(int(t[1])):
        out = out * shift
    return gradients(out.sum(), [x, y, p])


def joined_to_others(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    scale = torch.sqrt(p - p.detach())
    out = x * p
    if int(t[1]) > 0:
        out = out / scale
    return gradients(out.sum(), [x, y, p])


def nested(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    out, inner = x * 1.0, y.square()
    if int(t[0]) > 0:
        if int(t[1]) > 0:
            out = out * inner
        elif int(t[2]) > 0:
            out = out + p.cos()
    else:
        out = inner * p
    return gradients(out.sum(), [x, y, p])


def no_turn(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    out, first, w = x * 1.0, y.exp(), p.sin()
    for i in range(int(t[1])):
        out = out * w + first
    return gradients(out.sum(), [x, y, p])


def some_turns(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    out, first, w = x * 1.0, y.exp(), p.sin()
    for i in range(int(t[0])):
        out = out * w + first
    return gradients(out.sum(), [x, y, p])


def branch_of_some_turns(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    given: List[List[Optional[Tensor]]] = []
    for turns in [1, 3]:
        out = x * 1.0
        for i in range(int(t.sum()) - 5 + turns):
            if i == 2:
                out = out * y
            if i == 7:
                out = out * p
        given.append(gradients(out.sum(), [x, y, p]))
    return given


def replaced_in_turns(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    last, other = x * 1.0, p * 1.0
    for i in range(int(t[0])):
        last = y * float(i + 1)
        other = other * 2.0 if i > 4 else other
    return gradients(last.sum(), [x, y, p])


def moved_along(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    given: List[List[Optional[Tensor]]] = []
    for turns in range(3):
        a, b, c = x * 1.0, y * 2.0, p * 3.0
        for i in range(int(t[1]) + turns):
            a, b, c = b, c, c.detach()
        given.append(gradients(a.sum(), [x, y, p]))
    return given


def loops_in_loops(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    out = x * 1.0
    for i in range(int(t[0])):
        for j in range(int(t[1])):
            out = out * y
        for j in range(i):
            out = out + p
    return gradients(out.sum(), [x, y, p])


def parts(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    a, b = torch.split(torch.log(y - y.detach()), 2)
    c, d = torch.cat([x, p - p.detach()]).sqrt().chunk(2)
    out = x.sum()
    if int(t[1]) > 0:
        out = out + a.sum() * b.sum() + d.sum()
    n = torch.nn.functional.layer_norm(p, [4], y[0], y[1])
    if int(t[1]) > 1:
        out = out + n.sum() + torch.stack([c, d]).sum()
    return gradients(out, [x, y, p])


def pair(x: Tensor, y: Tensor, t: Tensor) -> Tuple[Tensor, Tensor]:
    if int(t[1]) > 0:
        return x * y, y
    return x * 3.0, x


def through_pairs(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    a, b = pair(x.exp(), y.sin(), t)
    return gradients((a * b).sum(), [x, y, p])


def twice(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    out = x.exp()
    if int(t[1]) > 0:
        out = out * y
    g = torch.autograd.grad([out.sum()], [x, y], create_graph=True, allow_unused=True)
    first, second = g[0], g[1]
    assert first is not None
    total = first.square().sum()
    if second is not None:
        total = total + second.sum()
    return second, gradients(total, [x, y, p])


def is_none(g: Optional[Tensor]) -> bool:
    return g is None


def grad_of_leaves(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    a, b, c = x.detach().requires_grad_(), y.detach().requires_grad_(), p.detach().requires_grad_()
    out = a.sin()
    if int(t[1]) > 0:
        out = out * b
    else:
        out = out * c
    out.sum().backward()
    first = (is_none(b.grad), is_none(c.grad))
    again = a * 1.0
    if int(t[0]) > 0:
        again = again + b
    again.sum().backward()
    return first, a.grad, b.grad, c.grad


def no_grad_of_a_leaf(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    a, b = x.detach().requires_grad_(), y.detach().requires_grad_()
    out = a.sin()
    if int(t[1]) > 0:
        out = out * b
    out.sum().backward()
    return b.grad


PROGRAMS = [taken_or_not, not_before_branches, joined_to_others, nested, no_turn, some_turns, branch_of_some_turns, replaced_in_turns,
            moved_along, loops_in_loops, parts, through_pairs, twice, grad_of_leaves,
            no_grad_of_a_leaf]


def not_allowed(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    out = x * 2
    if int(t[1]) > 0:
        out = out * y
    return torch.autograd.grad([out.sum()], [x, y])


RAISING = [not_allowed]

"""Programs that ask for gradients through loops and branches whose way is known at run time only. Arguments as of
programs.py."""
from typing import List, Optional

import torch
from torch import Tensor


def gradients(out: Tensor, inputs: List[Tensor]) -> List[Optional[Tensor]]:
    return torch.autograd.grad([out], inputs, retain_graph=True)


def recurrence(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = p[0]
    for i in range(x.size(0)):
        h = torch.tanh(h * x[i] + y[i])
    return torch.autograd.grad([h.sum()], [x, y, p])


def while_loop(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    z, turns = x, 0
    while float(z.sum()) < 20.0 and turns < 7:
        z = z * p + torch.exp(y)
        turns += 1
    return torch.autograd.grad([z.mean()], [x, y, p]), turns


def no_turn(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    z = x * y
    for i in range(int(t[1])):
        z = z * p
    return torch.autograd.grad([z.sum()], [x, y, p], allow_unused=True)[:2]


def branch_in_loop(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = p + y
    for i in range(int(t.sum())):
        if i % 2 == 0:
            h = torch.sigmoid(h) * x
        elif float(h.sum()) > 0:
            h = h - torch.sin(y)
        else:
            h = h * h
    return torch.autograd.grad([(h * x).sum()], [x, y, p])


def loop_in_branch(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x
    if bool(p.sum() > 0):
        for i in range(int(t[0])):
            h = h * p + y
    else:
        h = y
    return torch.autograd.grad([h.sum()], [x, y, p])


def loop_in_loop(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x
    for i in range(t.size(0)):
        k = torch.exp(-p)
        for j in range(int(t[i])):
            k = k * h + torch.cos(y)
            if float(k.sum()) > 100.0:
                break
        h = h + k * 0.1
    return torch.autograd.grad([h.sum()], [x, y, p])


def walk(x: Tensor, y: Tensor, p: Tensor, turns: int) -> Tensor:
    h = x + p
    for i in range(turns):
        h = h * y
        if i == 2:
            return h.sin()
        h = h + torch.sqrt(p) * x
    return h


def early_return(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    return gradients(walk(x, y, p, int(t.sum())).sum(), [x, y]), gradients(walk(x, y, p, int(t[0])).sum(), [x, y, p])


def two_requests(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h, k = x, y
    for i in range(t.size(0)):
        h, k = h * k, k + torch.tanh(h)
    return gradients(h.sum(), [x, y]), gradients(k.sum(), [x, y])


def items_of_lists(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    parts = torch.split(x, 2, 1)
    z, both = y[:, :2], (p, y * y)
    if bool(p.sum() > 0):
        z = z * parts[0] + both[1][:, :2] * parts[1]
    for i in range(t.size(0)):
        z = z + parts[1] * torch.exp(parts[0])
    return torch.autograd.grad([z.sum()], [x, y])


def unused_in_some_turns(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    last = torch.zeros(3, 4)
    for i in range(t.size(0)):
        last = x * float(i) * y
    return torch.autograd.grad([last.sum()], [x, y])


def sizes_that_change(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    z = x
    for i in range(t.size(0)):
        z = torch.cat([z * 2, torch.exp(y)])[1:]
    return torch.autograd.grad([z.pow(2).sum()], [x, y])


def random_and_unrecorded(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    torch.manual_seed(3)
    z = x
    for i in range(t.size(0)):
        if i < 2:
            with torch.no_grad():
                shift = z.mean()
            z = (z - shift) * torch.rand(3, 4) * y
    return torch.autograd.grad([z.sum()], [x, y])


def branch_with_effects(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    z, runs = x, [0]
    if bool(p.sum() > 0):
        runs.append(1)
        z = x * y
    return torch.autograd.grad([z.sum()], [x, y]), len(runs)


def steps_through_a_loop(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    w = torch.ones(4).requires_grad_()
    for step in range(t.size(0) + 1):
        h = torch.zeros(4)
        for i in range(x.size(0)):
            h = torch.tanh(h * w + x.detach()[i])
        g = torch.autograd.grad([(h - 0.5).pow(2).sum()], [w])[0]
        assert g is not None
        with torch.no_grad():
            w -= 0.5 * g
    return w.detach()


def growing_list(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    outs, h = [x[0] * 2], p[0]
    for i in range(x.size(0)):
        h = torch.tanh(h * x[i] + y[i])
        if i % 2 == 0:
            outs.append(h)
        else:
            outs.append(h * y[i])
            outs.append(torch.exp(h))
        with torch.no_grad():
            outs.append(h + 1)
    weights = torch.arange(4 * len(outs)).reshape(-1, 4).cos()
    return gradients((torch.stack(outs) * weights).sum() + outs[-2].sum() + outs[int(t[2])].square().sum(), [x, y, p])


def lists_of_turns(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    rows: List[Tensor] = []
    for i in range(x.size(0)):
        cells: List[Tensor] = []
        for j in range(int(t[i])):
            cells.append(x[i, j:j + 2] * y[i, 0])
        cells.append(p[i, :2])
        rows.append(torch.cat(cells).pow(2).sum())
    return gradients((torch.stack(rows) * torch.stack(rows).detach()).sum(), [x, y, p])


def variable_from_outside(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    a, b = x * 3.0, y * y
    h, k, m = x * 1.0, p * 0.5, y * 1.0
    for i in range(int(t[0])):
        h = a
        k = k * 0.25
        for j in range(2):
            m = b if i == 1 else m * p
            h = h + 0.5
            k = k.sin()
    return torch.autograd.grad([h.sum() + k.sum() * 7.0 + (m * x).sum()], [x, y, p])


def variables_that_change_places(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    a, b, c = x * 1.0, y * 1.0, p * 1.0
    e = p.exp()
    for i in range(int(t.sum())):
        a, b, c = b, e, a * 0.5
    g = torch.autograd.grad([a.sum() + b.pow(2).sum() + (c * 3.0).sum()], [x, y, p], create_graph=True, allow_unused=True)[2]
    assert g is not None
    return g, torch.autograd.grad([g.sum()], [p])


PROGRAMS = [recurrence, while_loop, no_turn, branch_in_loop, loop_in_branch, loop_in_loop, early_return, two_requests, items_of_lists,
            unused_in_some_turns, sizes_that_change, random_and_unrecorded, branch_with_effects, steps_through_a_loop, growing_list, lists_of_turns,
            variable_from_outside, variables_that_change_places]

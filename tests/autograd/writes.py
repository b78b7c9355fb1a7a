"""Programs that write into tensors which gradients pass through, and join lists. Arguments as of programs.py."""
from typing import List

import torch
import torch.nn.functional as F
from torch import Tensor


def parts_and_items(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    h += x
    h[:, 0] = 0.0
    h[1:, 1:3] = y[1:, 1:3] * p[1:, 1:3]
    h[0].mul_(3.0)
    h[t[0] - 1, 2:] += 1.0
    z = h + 1.0
    z.clamp_(max=2.0)
    z.sub_(p)
    return torch.autograd.grad([(z * p).sum()], [x, y, p])


def rows_of_a_result(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    out = torch.zeros(3, 4)
    for i in range(3):
        out[i] = x[i] * y[i] * float(i + 1)
        out[i, :2] += p[i, :2]
    out.add_(x, alpha=2.0)
    q = torch.empty(2, 3, 4)
    q[0] = out
    q[1] = out.sin()
    return torch.autograd.grad([q.pow(2).sum()], [x, y, p])


def a_view_goes_on(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = torch.zeros_like(x)
    view = h[0]
    view.copy_(x[0] * y[0])
    view.mul_(2.0)
    k = h + p
    view.add_(y[1])
    return torch.autograd.grad([(k + h).sum() + view.sin().sum()], [x, y, p])


def masks(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    h[1] = y[1]
    h.masked_fill_(h > 2.0, 0.5)
    h[h < 0.0] = 1.0
    return torch.autograd.grad([h.sum()], [x, y, p], allow_unused=True)


def steps_and_indices(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    h[:, ::2] = (y[:, 1::2] * p[:, ::2]).clone()
    h[t - 1] = 0.0
    return torch.autograd.grad([h.pow(2).sum()], [x, y, p], allow_unused=True)


def in_the_turns_of_a_loop(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x
    for i in range(t.size(0)):
        k = h * y
        k += p
        k[0] = 0.0
        h = k.sin()
    return torch.autograd.grad([h.sum()], [x, y, p])


def joined_lists(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    parts: List[Tensor] = [x[0]]
    parts += [y[0], p[0] * 2]
    parts += [x[1]]
    return torch.autograd.grad([torch.cat(parts).pow(3).sum()], [x, y, p])


def rows_in_a_loop(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = torch.zeros(3, 4)
    for i in range(t.size(0)):
        h[i] = x[i] * y[i]
    return torch.autograd.grad([h.pow(2).sum()], [x, y])


def in_branches(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    if bool(p.sum() > 0):
        h[0] = p[0]
        h *= 2.0
    else:
        h += 1.0
    return torch.autograd.grad([h.pow(2).sum()], [x, y, p])


def in_loops_and_branches(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = torch.zeros(3, 4)
    s = torch.zeros(4)
    for i in range(t.size(0)):
        s = s + x[i]
        if i % 2 == 0:
            h[i, 1:] = (s * y[i])[1:]
        for j in range(int(t[i])):
            h[i, j] += p[j, i] * float(j + 1)
    return torch.autograd.grad([(h + h.sin()).sum()], [x, y, p])


def a_sum_in_a_loop(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    total = torch.zeros(1)
    for i in range(t.size(0)):
        total += (x[i] * y[i]).sum()
    return torch.autograd.grad([total.sum()], [x, y])


def written_where_nothing_is_recorded(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    v = (torch.ones_like(x) * p).clone()
    with torch.no_grad():
        v.clamp_(min=0.9)
    return torch.autograd.grad([(v.log() * x).sum()], [x, p])


def views_of_before(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    flat = h.view(-1)
    column = h.t()[1]
    corner = flat[:2]
    h.mul_(p)
    flat[5:7] += 1.0
    column.sin_()
    h.fill_diagonal_(0.5)
    h.permute(1, 0)[2:].transpose(0, 1).mul_(2.0)
    h.unsqueeze(0).squeeze(0).diagonal().add_(p[:, 0])
    return torch.autograd.grad([(h * h).sum() + (flat * 0.5).sum() + column.exp().sum() + corner.sum()], [x, y, p])


def views_in_branches_and_loops(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    row = h[0]
    z = x.sum()
    if bool(p.sum() > 0):
        h.mul_(0.5)
        z = z + row.sum()
        last = h[2]
    else:
        last = h[1]
    z = z + last.sum()
    for i in range(int(t[2])):
        row.add_(p[i])
        if i == 1:
            h.view(-1)[i] = row.sum()
        z = z + h.sum() + row[1]
    same = h if bool(p.sum() > 0) else h
    same.narrow(0, -1, 1).mul_(p[0])
    return torch.autograd.grad([z + h.sum() + row.exp().sum()], [x, y, p])


def lists_of_before(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h, k = x * y, x + p
    both = [h, k]
    pair = (h[0], k)
    outs: List[Tensor] = []
    for i in range(int(t[0])):
        h.mul_(p)
        m = k + y
        m.add_(h)
        outs.append(m)
        outs.append(torch.stack(both).sum(0))
    k.sub_(pair[0])
    return torch.autograd.grad([torch.stack(both).pow(2).sum() + pair[1].sum() + torch.stack(outs).sum()], [x, y, p])


def one_of_two_new_tensors(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    if bool(p.sum() > 0):
        h = x * y
    else:
        h = y * 2
    h.mul_(p)
    for i in range(int(t[2])):
        h[i] = p[i]
        h = h * y
        h.add_(1.0)
    h += p
    return torch.autograd.grad([h.sum()], [x, y, p])


def lists_that_are_joined_later(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    w, v = torch.ones(3, 4), torch.ones(4)
    firsts, seconds = [w], [v]
    z = (x * w).sum()
    for q in seconds:
        q.add_(1.0)
    g = torch.autograd.grad([z], [x])
    for q in firsts + seconds:
        q.mul_(2.0)
    return g, w, v


def activations_in_place(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    a, b, c, d, e, f, g = x + y, x * 2, x + 1, x - y, x * y, y + 1, y * 3
    F.selu_(a)
    F.celu_(b)
    F.rrelu_(c)
    F.elu_(d, 0.5)
    F.leaky_relu_(e, 0.1)
    F.hardtanh_(f)
    F.threshold_(g, -0.5, -0.4)
    return torch.autograd.grad([(a + b + c + d + e + f + g).sum()], [x, y])


def of_what_was_perhaps_copied(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = (x * y).t().reshape(-1)
    h *= 0.5
    h[2:5] += p[0, :3]
    z = (x + p).contiguous()
    z[0] = y[0] * 2.0
    z.mul_(p)
    q = (y - p).flatten(0, 1).to(torch.float32)
    q.add_(h)
    return torch.autograd.grad([q.exp().sum() + z.pow(2).sum()], [x, y, p])


PROGRAMS = [parts_and_items, rows_of_a_result, a_view_goes_on, masks, steps_and_indices, in_the_turns_of_a_loop, joined_lists,
            rows_in_a_loop, in_branches, in_loops_and_branches, a_sum_in_a_loop, written_where_nothing_is_recorded,
            views_of_before, views_in_branches_and_loops, lists_of_before, one_of_two_new_tensors, lists_that_are_joined_later,
            activations_in_place, of_what_was_perhaps_copied]

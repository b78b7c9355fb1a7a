"""Programs that write to a name that is one tensor, or a view of one, on one branch and another on the other. Arguments
as of programs.py."""
import torch
from torch import Tensor


def view_or_new(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    total = x.sum()
    for c in [x, -x]:
        h = x * y
        if bool(c.sum() > 0):
            v = h[0]
        else:
            v = y[1] * 2
        v *= p[0]
        total = total + v.sin().sum() + (h * p).sum()
    return torch.autograd.grad([total], [x, y, p])


def one_of_two(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    total = x.sum()
    for c in [x, -x]:
        h, k = x * y, y * p
        either = h if bool(c.sum() > 0) else k
        either.mul_(0.5)
        total = total + h.sin().sum() + (k * k).sum() + either.exp().sum()
    return torch.autograd.grad([total], [x, y, p])


def part_of_one(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    total = x.sum()
    for c in [x, -x]:
        h = x * y
        v = h if bool(c.sum() > 0) else h[1:]
        v[1, 1:] += p[0, 1:]
        v[0].mul_(2.0)
        total = total + (h * p).sum() + (v * v).sum()
    return torch.autograd.grad([total], [x, y, p])


def rows_by_turns(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    total = x.sum()
    for i in range(t.size(0)):
        if int(t[i]) > 0:
            v = h[i]
        else:
            v = x[i] * 2
        v += p[i]
        v[1:].mul_(y[i, 1:])
        total = total + v.sum() * 2
    return torch.autograd.grad([total + h.sin().sum()], [x, y, p])


def nested_choice(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    total = x.sum()
    for i in range(t.size(0)):
        h, k = x * y, y.t().contiguous() * 2
        if int(t[i]) > 0:
            if int(t[i]) > 2:
                v = h[int(t[i]) - 1]
            else:
                v = k[:, 0]
                v = torch.cat([v, v[:1]])[:4]
        else:
            v = p[0] * 3
        v.mul_(p[1])
        total = total + v.sin().sum() + (h * p).sum() + k.exp().sum()
    return torch.autograd.grad([total], [x, y, p])


def whole_written_then_read(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    total = x.sum()
    for c in [x, -x]:
        h = x * y
        v = h[0] if bool(c.sum() > 0) else y[1] * 2
        w = v[1:]
        h.mul_(p)
        total = total + (v * 2.0).sum() + w.sum()
        v.add_(x[2])
        total = total + h.sin().sum() + (w * w).sum()
    return torch.autograd.grad([total], [x, y, p])


def index_of_a_branch(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    total = x.sum()
    for i in range(t.size(0)):
        h = x * y
        if int(t[i]) > 0:
            j = int(t[i]) - 1
            v = h[:, j]
        else:
            v = x[:, 0] * 2
        v.mul_(p[:, 1])
        total = total + v.sin().sum() + (h * p).sum()
    return torch.autograd.grad([total], [x, y, p])


def new_ones_with_other_names(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    total = x.sum()
    for c in [x, -x]:
        h = x * y
        if bool(c.sum() > 0):
            k = x * 2
            v = k[0]
        else:
            k = y * 3
            v = h[1]
        v *= p[0]
        total = total + k.exp().sum() + v.sum() + (h * p).sum()
        k.mul_(0.5)
        total = total + (v * p[1]).sum() + k.sin().sum()
    return torch.autograd.grad([total], [x, y, p])


def written_in_a_later_branch(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    total = x.sum()
    for c in [x, -x]:
        h = x * y
        v = h[0] if bool(c.sum() > 0) else y[1] * 2
        if int(t[0]) > 0:
            v.mul_(p[0])
        for i in range(int(t[0])):
            v[i].add_(x[0, i])
        total = total + v.sin().sum() + (h * p).sum()
    return torch.autograd.grad([total], [x, y, p])


def in_a_display(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    total = x.sum()
    for c in [x, -x]:
        h = x * y
        v = h[0] if bool(c.sum() > 0) else y[1] * 2
        both = [v, h[1]]
        v.mul_(p[0])
        total = total + torch.stack(both).sin().sum() + (h * p).sum()
    return torch.autograd.grad([total], [x, y, p])


def chosen(h: Tensor, k: Tensor, yes: bool) -> Tensor:
    if yes:
        return h[:2]
    if k.size(0) > 10:
        return k
    k = k * 2
    return k[1:]


def of_a_function(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    total = x.sum()
    for c in [x, -x]:
        h, k = x * y, y * p
        v = chosen(h, k, bool(c.sum() > 0))
        v.clamp_(max=1.0)
        v += x[0]
        total = total + v.sin().sum() + (h * p).sum() + k.exp().sum()
    return torch.autograd.grad([total], [x, y, p])


def chosen_again(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    total = x.sum()
    for c in [x, -x]:
        h, k = x * y, y * p
        v = h if bool(c.sum() > 0) else k
        w = v[0] if int(t[0]) > 1 else v[1] * 2
        w.mul_(p[2])
        total = total + w.sin().sum() + (v * p).sum() + k.exp().sum() + h.sum()
    return torch.autograd.grad([total], [x, y, p])


def read_by_what_may_be_a_view(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h, k = x.t() * 2, y * 2
    v, w = h.reshape(-1), k.reshape(-1)
    h.mul_(0.5)
    k.mul_(0.5)
    return torch.autograd.grad([v.sum() + h.sum() + w.sum() * 2 + k.sum()], [x, y])


PROGRAMS = [read_by_what_may_be_a_view, view_or_new, one_of_two, part_of_one, rows_by_turns, nested_choice,
            whole_written_then_read, index_of_a_branch, new_ones_with_other_names, written_in_a_later_branch,
            in_a_display, of_a_function, chosen_again]

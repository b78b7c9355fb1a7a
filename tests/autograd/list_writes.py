"""Programs that write to items of containers. Arguments as of programs.py."""
from typing import Dict, List, Optional, Tuple

import torch
from torch import Tensor


def items_of_a_grown_list(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    hs: List[Tensor] = []
    for i in range(t.size(0)):
        hs.append(x[i] * y[i])
    hs[0] *= 2
    hs[1].mul_(p[0])
    hs[-1][1:] += y[0, 1:]
    return torch.autograd.grad([torch.stack(hs).sin().sum()], [x, y, p])


def last_item_in_a_loop(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    hs = [x * 2]
    for i in range(int(t[0])):
        hs.append(hs[-1] * y)
        hs[-1].add_(p)
        hs[-1][0] = 0.0
    return torch.autograd.grad([torch.stack(hs).sin().sum()], [x, y, p])


def every_item(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    hs: List[Tensor] = []
    for i in range(t.size(0)):
        hs.append(x[i] * y[i])
    for i in range(len(hs)):
        hs[i] += p[i]
    for h in hs:
        h.mul_(2.0)
    return torch.autograd.grad([torch.stack(hs).sin().sum()], [x, y, p])


def item_with_a_name(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    hs: List[Tensor] = []
    last = x[0] * 2
    for i in range(t.size(0)):
        last = last * y[i]
        hs.append(last)
    hs[-1].mul_(3.0)
    return torch.autograd.grad([torch.stack(hs).sin().sum() + last.exp().sum()], [x, y])


def name_with_an_item(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    hs: List[Tensor] = []
    for i in range(t.size(0)):
        h = x[i] * y[i]
        hs.append(h)
        h += p[i]
    return torch.autograd.grad([torch.stack(hs).sin().sum()], [x, y, p])


def twice_in_a_list(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    seen = [p * 1]
    for i in range(int(t[0])):
        seen.append(h)
        h.mul_(p)
    return torch.autograd.grad([torch.stack(seen).sin().sum() + h.sum()], [x, y, p])


def entries_of_a_dict(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    d: Dict[str, Tensor] = {}
    for i in range(t.size(0)):
        d[str(i)] = x[i] * y[i]
    d["0"] *= 2
    d["1"].mul_(p[0])
    for k in d.keys():
        d[k][0] = 0.0
    total = x.sum()
    for v in d.values():
        v.add_(p[1])
        total = total + v.sin().sum()
    return torch.autograd.grad([total], [x, y, p])


def list_and_dict(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    hs: List[Tensor] = []
    d: Dict[int, Tensor] = {}
    for i in range(t.size(0)):
        h = x[i] * y[i]
        hs.append(h)
        d[int(t[i])] = h
    d[0].mul_(3.0)
    hs[0].mul_(p[0])
    return torch.autograd.grad([torch.stack(hs).sin().sum() + d[2].exp().sum() + d[0].sum()], [x, y, p])


def popped(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    stack = [x * y * p]
    for i in range(int(t[0])):
        stack.append(stack[-1] * 2.0)
    total = x.sum()
    while len(stack) > 1:
        top = stack.pop()
        top.mul_(2.0)
        stack[-1] += top
        total = total + top.sin().sum()
    return torch.autograd.grad([total + stack[0].sum()], [x, y, p])


def views_in_a_list(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    rows: List[Tensor] = []
    for i in range(t.size(0)):
        rows.append(h[i])
    rows[0].mul_(p[0])
    rows[2] += y[1]
    return torch.autograd.grad([h.sin().sum() + torch.stack(rows).sum()], [x, y, p])


def unbound(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * y
    rows: List[Tensor] = []
    for r in h.unbind(0):
        rows.append(r * 2)
    for r in rows:
        r.clamp_(max=1.0)
    return torch.autograd.grad([h.sin().sum() + torch.stack(rows).sum()], [x, y])


def tuples(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    states: List[Tuple[Tensor, Tensor]] = []
    for i in range(t.size(0)):
        states.append((x[i] * y[i], p[i] * y[i]))
    total = x.sum()
    for h, c in states:
        h.mul_(2.0)
        c += h
        total = total + c.sin().sum()
    return torch.autograd.grad([total + states[0][0].exp().sum()], [x, y, p])


def chosen_item(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    hs: List[Tensor] = []
    for i in range(t.size(0)):
        hs.append(x[i] * y[i])
    best = 0
    for i in range(len(hs)):
        if bool(hs[i].sum() > hs[best].sum()):
            best = i
    hs[best].mul_(p[0])
    w = hs[best]
    w.add_(1.0)
    return torch.autograd.grad([torch.stack(hs).sin().sum() + w.exp().sum()], [x, y, p])


def behind_an_argument(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    hs = [x.t()[1:], y.t()[1:]]
    for i in range(int(t[0])):
        hs.append(hs[-2] * 2.0)
        hs[-1][0] += p[i, :3]
    total = x.sum()
    for h in hs:
        total = total + h.sin().sum()
    return torch.autograd.grad([total], [x, y, p])


def read_from_a_list_that_grew(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x * 2
    seen = [x]
    for i in range(int(t[0])):
        seen.append(h)
        h.mul_(0.5)
    return torch.autograd.grad([torch.stack(seen).sum()], [x])


def written_in_a_branch(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    z = torch.zeros(3, 4)
    kept = [x]
    if bool(x.sum() > 0):
        z[0] = x[0] * 2
        kept.append(z)
    z.add_(1.0)
    return torch.autograd.grad([(-z).sum() + kept[-1].sum()], [x])


def further_gradients(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    hs = [x * y * p]
    for i in range(int(t[0])):
        hs.append(hs[-1] * 1.5)
        hs[-1][:, 1:].mul_(0.5)
        if bool(hs[0].sum() > 0):
            hs[0][0] *= 2.0
    r = hs[0] if int(t[1]) > 0 else hs[1][1:]
    r.view(-1)[1:3].mul_(3.0)
    loss = torch.stack(hs[1:]).pow(3).sum() + r.clone().sin().sum()
    gs = torch.autograd.grad([loss], [x, y], create_graph=True)
    g = gs[0]
    assert g is not None
    return torch.autograd.grad([g.pow(2).sum()], [x, y, p])


def perhaps_none(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    total = x.sum()
    for i in range(t.size(0)):
        h = x * y
        last: Optional[Tensor] = None
        if int(t[i]) > 0:
            last = h if int(t[i]) > 2 else h[1:]
        h.mul_(2.0)
        if last is not None:
            last.add_(p[:last.size(0)])
            total = total + last.sum()
        total = total + (h * 0.5).clone().sin().sum()
    return torch.autograd.grad([total], [x, y, p])


def of_two_memories(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h, k = x * y, y + p
    d = {"a": h, "b": k * 0.5}
    for i in range(int(t[0])):
        d["a"][i] *= 0.5
        h.copy_(k)
        k[:, 1:].mul_(0.5)
        if int(t[1]) > 0:
            d = {"a": k * 2.0, "b": h}
    return torch.autograd.grad([(d["a"] + d["b"] * 2.0 + k * p).sum()], [x, y, p])


def first_large(ts: List[Tensor], bound: float) -> Tensor:
    for t in ts:
        if float(t.sum()) > bound:
            return t
    return ts[0] * 0.5


def early_return(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    h = x + y
    h += h
    ts = [h]
    first_large(ts, 0.5)[0] = p[0]
    for _ in ts[:3]:
        y = first_large(ts, 0.5)
    ts += [y * 0.5]
    return torch.autograd.grad([(y.clone() * x + torch.stack(ts).sum(0).clone() * p).sum()], [x, p])


PROGRAMS = [read_from_a_list_that_grew, written_in_a_branch, behind_an_argument, items_of_a_grown_list,
            last_item_in_a_loop, every_item, item_with_a_name, name_with_an_item, twice_in_a_list, entries_of_a_dict,
            list_and_dict, popped, views_in_a_list, unbound, tuples, chosen_item, further_gradients, perhaps_none,
            of_two_memories, early_return]

"""Gradients through lists and dicts that are changed and read while the program runs, and gradients of gradients
through loops. Arguments as of programs.py."""
from typing import Dict, List, Optional, Tuple

import torch
from torch import Tensor


def of(out: Tensor, inputs: List[Tensor]):
    weights = torch.cos(torch.arange(out.numel())).reshape(out.shape)
    return torch.autograd.grad([(out * weights).sum()], inputs, retain_graph=True, allow_unused=True)


def penalty(out: Tensor, x: Tensor) -> List[Optional[Tensor]]:
    """The gradient of the sum of squares of a gradient."""
    g = torch.autograd.grad([out.sum()], [x], create_graph=True)[0]
    assert g is not None
    return torch.autograd.grad([(g * g).sum()], [x])


def dict_of_numbers(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    sums: Dict[int, Tensor] = {}
    for i in range(x.size(0)):
        k = int(t[i]) % 2
        if k in sums:
            sums[k] = sums[k] + x[i] * y[i]
        else:
            sums[k] = x[i].exp()
    total = torch.zeros(4)
    for v in sums.values():
        total = total + v * v
    return of(total, [x, y])


def dict_of_names(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    d = {"a": x, "b": y * 2}
    d["c"] = d["a"] * d["b"]
    d.update({"a": d["c"].sin()})
    out = d.pop("b") + d.get("a", p)
    for name, v in d.items():
        out = out + (v if name == "c" else v * p)
    return of(out, [x, y, p])


def dict_in_branches(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    d = {"v": x}
    if bool(x.sum() > 100):
        d = {"v": y}
    elif bool(p.sum() > 0):
        d["v"] = d["v"] * y
        d["w"] = p.log()
    out = d["v"].exp()
    if "w" in d:
        out = out * d["w"]
    return of(out, [x, y, p])


def dict_of_lists(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    d: Dict[str, List[Tensor]] = {"even": [], "odd": []}
    for i in range(x.size(0)):
        d["even" if i % 2 == 0 else "odd"].append(x[i] * y[i])
    return of(torch.cat([torch.stack(d["even"]), torch.stack(d["odd"]) * 3]), [x, y])


def list_with_items_replaced(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    rows = [x[0], x[1], x[2]]
    for i in range(int(p[0, 0] * 0) + 4):
        rows[i % 3] = rows[(i + 1) % 3] * y[i % 3] + rows[i % 3]
    return of(torch.stack(rows), [x, y])


def list_as_a_stack(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    stack: List[Tensor] = []
    for i in range(x.size(0)):
        stack.append(x[i])
        if i > 0:
            stack.append(stack.pop() * stack.pop(0) + y[i])
    return of(torch.cat(stack), [x, y])


def list_methods(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    a = [x[i] for i in range(x.size(0))]
    a.insert(1, y[0].exp())
    a.extend([p[0], p[1]])
    b = a[1:4] + a[-2:]
    b.reverse()
    c = b.copy()
    del b[0]
    c[-1] = c[0] * b[0]
    a.clear()
    return of(torch.stack(b).sum(0) * torch.stack(c).prod(0), [x, y, p])


def list_read_at_any_place(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    rows = list(x.unbind(0))
    out = torch.zeros(4)
    for i in range(x.size(0)):
        out = out * 2 + rows[int(t[i]) % 3] * rows[-1]
    return of(out, [x])


def list_of_pairs(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    pairs: List[Tuple[Tensor, int, Tensor]] = []
    for i in range(x.size(0)):
        pairs.append((x[i], i, y[i] * x[i]))
    out = torch.zeros(4)
    for a, i, b in pairs:
        out = out + a * b * i
    return of(out, [x, y])


def list_of_lists(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    table: List[List[Tensor]] = []
    for i in range(x.size(0)):
        row: List[Tensor] = []
        for j in range(i + 1):
            row.append(x[i, j] * y[j, i])
        table.append(row)
    out = torch.zeros(())
    for row in table:
        out = out * 0.5 + torch.stack(row).exp().sum()
    return of(out, [x, y])


def list_of_some(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    seen: List[Optional[Tensor]] = []
    for i in range(x.size(0)):
        seen.append(x[i] * y[i] if i % 2 == 0 else None)
    out = torch.zeros(4)
    for v in seen:
        if v is not None:
            out = out + v.sin()
        else:
            out = out * 2
    return of(out, [x, y])


def list_that_loops_carry(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    state = [x, y]
    i = 0
    while bool(state[0].sum() < 50) and i < 4:
        state = [state[1] * 0.5 + p, state[0] * state[1]]
        i += 1
    return of(state[0] + state[1], [x, y, p])


def list_of_a_branch(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    parts = [x, y]
    if bool(x.sum() > 1000):
        parts = [x]
    return of(torch.cat(parts), [x, y])


def tuple_that_loops_carry(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    state = (x, y)
    pairs = [(x, p), (p, y)]
    for i in range(int(t[0]) + 2):
        state = pairs[i % 2] if i == 0 else (state[1] * x, state[0] * y)
    return of(state[0] * state[1], [x, y, p])


def items_without_gradient(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    rows: Dict[int, Tensor] = {}
    for i in range(3):
        rows[i] = x[i].detach() if i == 1 else x[i] * 3
    with torch.no_grad():
        rows[5] = x[0] * 7
    out = torch.zeros(4)
    for k in rows.keys():
        out = out + rows[k] * y[0]
    return of(out, [x, y])


def lists_of_several_requests(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    rows = [x[0], x[1], x[2]]
    for i in range(x.size(0)):
        rows[i] = rows[i - 1] * y[i]
    a = of(torch.stack(rows), [x, y])
    rows[int(t[0])] = p[0]
    return a, of(torch.stack(rows).exp(), [x, y, p]), of(rows[0] * rows[1] * rows[2], [x, y, p])


def growing_list_read_in_a_branch(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    parts, z = [x], x
    for i in range(x.size(0)):
        parts.append(x * y[i])
    if bool(p.sum() > 0):
        z = torch.cat(parts)
    return of(z, [x, y])


def growing_list_read_before(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    parts = [x]
    for i in range(x.size(0)):
        parts.append(x * 2)
    z = torch.cat(parts)
    for i in range(y.size(0)):
        parts.append(z * y[i])
    return of(torch.cat(parts), [x, y])


def growing_list_taken_apart(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    parts: List[Tensor] = []
    for i in range(x.size(0)):
        parts.append(x[i] * y[i])
    a, b, c = parts
    return of(a * b - c, [x, y]), of(parts[0] * b + torch.stack(parts).sum(0), [x, y])


def second_through_a_loop(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    z = x
    for i in range(x.size(0)):
        z = z * torch.tanh(x)
    return penalty(z, x)


def second_through_a_while(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    z = x
    i = 0
    while bool(z.abs().sum() < 1000) and i < 6:
        z = z * y + x * x if i % 2 == 0 else torch.sin(z) * x
        i += 1
    return penalty(z, x)


def second_through_inner_loops(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    z = x
    for i in range(x.size(0)):
        for j in range(i + 1):
            z = z * x[i, j] + torch.exp(-x * x)
    return penalty(z, x)


def second_through_lists(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    rows: List[Tensor] = []
    for i in range(x.size(0)):
        rows.append(torch.sigmoid(x[i] * y[i]))
    rows[1] = rows[0] * rows[2]
    out = torch.zeros(4)
    for i in range(len(rows)):
        out = out + rows[i] * rows[i - 1] * x[i]
    return penalty(out, x)


def third_through_a_loop(x: Tensor, y: Tensor, p: Tensor, t: Tensor):
    z = torch.sin(x)
    for i in range(x.size(0) - 1):
        z = z * x
    for i in range(2):
        g = torch.autograd.grad([z.sum()], [x], create_graph=True)[0]
        assert g is not None
        z = g
    return of(z, [x])


PROGRAMS = [dict_of_numbers, dict_of_names, dict_in_branches, dict_of_lists, list_with_items_replaced, list_as_a_stack, list_methods,
            list_read_at_any_place, list_of_pairs, list_of_lists, list_of_some, list_that_loops_carry, list_of_a_branch,
            tuple_that_loops_carry, items_without_gradient, lists_of_several_requests, growing_list_read_in_a_branch,
            growing_list_read_before, growing_list_taken_apart, second_through_a_loop, second_through_a_while,
            second_through_inner_loops, second_through_lists, third_through_a_loop]

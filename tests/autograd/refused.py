"""Programs that ask for gradients in ways that are refused: REFUSED says with which words."""
from typing import List

import torch


def written_to_a_view_that_is_not_recorded(x: torch.Tensor):
    h = x * 2
    with torch.no_grad():
        v = h[0]
    v += x[1]
    return torch.autograd.grad([(h * h).sum()], [x])


def written_to_a_view_of_nothing_recorded(x: torch.Tensor):
    h = torch.zeros(3, 4)
    with torch.no_grad():
        v = h[:, 1:]
    v[0] = x[1, 1:]
    return torch.autograd.grad([(h * h).sum()], [x])


def read_by_one_view_of_many(x: torch.Tensor):
    h = x * 2
    first = h.unbind(0)[0]
    h.mul_(0.5)
    return torch.autograd.grad([first.sum() + h.sum()], [x])


def frozen_in_a_branch(x: torch.Tensor):
    if bool(x.sum() > 0):
        x.requires_grad_(False)
    z = x * 2
    x.requires_grad_(True)
    return torch.autograd.grad([(z * x).sum()], [x])


def frozen_for_the_next_turn(x: torch.Tensor):
    z = x + 0
    for i in range(int(x[0, 0])):
        z = z * x
        x.requires_grad_(False)
    x.requires_grad_(True)
    return torch.autograd.grad([(z * x).sum()], [x])


def thawed_in_a_branch(x: torch.Tensor):
    x.requires_grad_(False)
    if bool(x.sum() > 0):
        x.requires_grad_(True)
    z = x * 2
    x.requires_grad_(True)
    return torch.autograd.grad([(z * x).sum()], [x])


def frozen_by_another_name(x: torch.Tensor):
    w = torch.ones(3, 4)
    either = w if bool(x.sum() > 0) else x
    either.requires_grad_(False)
    z = x * w
    x.requires_grad_(True)
    return torch.autograd.grad([(z * x).sum()], [x])


def frozen_somewhere_in_a_list(x: torch.Tensor):
    tensors = [x, torch.ones(3, 4)]
    tensors[int(x[0, 0])].requires_grad_(False)
    z = x * 2
    x.requires_grad_(True)
    return torch.autograd.grad([(z * x).sum()], [x])


def changed_in_the_next_turn(x: torch.Tensor):
    scale, z = torch.ones(4), x
    for i in range(int(x[0, 0])):
        scale.add_(1)
        z = z * scale
    return torch.autograd.grad([z.sum()], [x])


def changed_under_another_name(x: torch.Tensor):
    w = torch.ones(4)
    z = torch.exp(x * w)
    v = w
    for i in range(int(x[0, 0])):
        v.add_(1)
        v = v * 2
    return torch.autograd.grad([z.sum()], [x])


def changed_behind_a_branch(x: torch.Tensor):
    w = torch.ones(4)
    z = torch.exp(x * w)
    v = torch.zeros(4)
    if bool(x.sum() > 0):
        v = w
    v.add_(1)
    return torch.autograd.grad([z.sum()], [x])


def changed_in_a_list(x: torch.Tensor):
    w = torch.ones(4)
    z = torch.exp(x * w)
    for v in [torch.zeros(4), w][int(x[0, 0]):]:
        v.add_(1)
    return torch.autograd.grad([z.sum()], [x])


def another_name_before_a_change_of_shape(x: torch.Tensor):
    z = x * 2
    v = x
    if bool(x.sum() > 0):
        v = z
    z.unsqueeze_(0)
    return torch.autograd.grad([v.exp().sum() + z.sum()], [x])


def from_a_list_of_the_caller(x: torch.Tensor, items: List[torch.Tensor]):
    for i in range(int(x[0, 0])):
        items = [items[0] * x]
    return torch.autograd.grad([items[0].sum()], [x])


def no_formula(x: torch.Tensor):
    return torch.autograd.grad([torch.nextafter(x, x * 2).sum()], [x])


def changed_between(x: torch.Tensor):
    w = torch.ones(4)
    z = (x * w).sum()
    w.add_(1)
    return torch.autograd.grad([z], [x])


def changed_view(x: torch.Tensor):
    w = torch.ones(4)
    z = (x * w).sum()
    w[0] = 2.0
    return torch.autograd.grad([z], [x])


def changed_before_a_branch_runs_again(x: torch.Tensor):
    w = torch.ones(4)
    z = x
    if bool(x.sum() > 0):
        z = torch.exp(x * w)
    z = z.sum()
    w.add_(1)
    return torch.autograd.grad([z], [x])


def kept_from_turn_to_turn(x: torch.Tensor):
    seen = {"last": x}
    g = x
    for i in range(int(x[0, 0])):
        seen["last"] = seen["last"] * x
        for some in torch.autograd.grad([seen["last"].sum()], [x]):
            assert some is not None
            g = some
    return g


def unused(x: torch.Tensor):
    y = torch.ones(2)
    return torch.autograd.grad([x.sum()], [y])


def computed_list(x: torch.Tensor):
    inputs: List[torch.Tensor] = []
    for i in range(int(x[0, 0])):
        inputs.append(x)
    return torch.autograd.grad([x.sum()], inputs)


def adding_loop(x: torch.Tensor):
    for i in range(2):
        x.sum().backward()
    return x.grad


def nobody_reads(x: torch.Tensor):
    z = x.sum()
    z.backward()
    return z


def perhaps(x: torch.Tensor):
    if bool(x.sum() > 0):
        x.sum().backward()
    return x.grad


def perhaps_recorded(x: torch.Tensor):
    torch.set_grad_enabled(bool(x.sum() > 0))
    return torch.autograd.grad([(x * 2).sum()], [x])


class MarkedByAnotherMethod(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("w", torch.ones(2))

    @torch.jit.export
    def mark(self):
        self.w.requires_grad_()

    def forward(self, n: int):
        some = [self.w * 2]
        for _ in range(n):
            some.append(self.w * 3)
        return some[-1].requires_grad


class StoredInABranch(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.ones(4, requires_grad=True)

    def forward(self, x: torch.Tensor):
        z = x * self.w
        if bool(x.sum() > 0):
            self.w = x
        return torch.autograd.grad([z.sum() + self.w.sum()], [self.w])


def one_of_two_sources(x: torch.Tensor):
    w = torch.ones(3, 4)
    either = x if bool(x.sum() > 0) else w
    z = (x * w).sum()
    return torch.autograd.grad([z + either.sum()], [either])


def asked_of_an_item(x: torch.Tensor):
    some = [x.requires_grad_() * 2]
    for i in range(int(x[0, 0])):
        some.append(x * 3)
    return some[-1].requires_grad


def asked_in_an_unknown_mode(x: torch.Tensor):
    x.requires_grad_()
    torch.set_grad_enabled(bool(x.sum() > 0))
    return (x * 2).is_leaf


REFUSED = {
    "frozen_in_a_branch": "whether a tensor requires a gradient here is decided at run time",
    "frozen_for_the_next_turn": "whether a tensor requires a gradient here is decided at run time",
    "frozen_by_another_name": "whether a tensor requires a gradient here is decided at run time",
    "frozen_somewhere_in_a_list": "whether a tensor requires a gradient here is decided at run time",
    "thawed_in_a_branch": "whether a tensor requires a gradient here is decided at run time",
    "asked_of_an_item": "what prim::requires_grad answers here is decided at run time",
    "asked_in_an_unknown_mode": "what aten::is_leaf answers here is decided at run time",
    "written_to_a_view_that_is_not_recorded": "aten::add_.Tensor cannot be differentiated: it works in place",
    "written_to_a_view_of_nothing_recorded": "aten::copy_ cannot be differentiated: it works in place",
    "read_by_one_view_of_many": "aten::mul_.Scalar cannot be differentiated: it works in place",
    "changed_in_the_next_turn": "aten::add_.Scalar changes a tensor that a gradient is computed from",
    "changed_under_another_name": "aten::add_.Scalar changes a tensor that a gradient is computed from",
    "changed_behind_a_branch": "aten::add_.Scalar changes a tensor that a gradient is computed from",
    "changed_in_a_list": "aten::add_.Scalar changes a tensor that a gradient is computed from",
    "another_name_before_a_change_of_shape": "aten::unsqueeze_ cannot be differentiated: it works in place",
    "from_a_list_of_the_caller": "prim::Loop cannot be differentiated: a variable that it changes is no tensor",
    "no_formula": "aten::nextafter cannot be differentiated: there is no formula for its derivative",
    "changed_between": "aten::add_.Scalar changes a tensor that a gradient is computed from",
    "changed_view": "changes a tensor that a gradient is computed from",
    "changed_before_a_branch_runs_again": "aten::add_.Scalar changes a tensor that a gradient is computed from",
    "kept_from_turn_to_turn": "gradients do not pass through containers from one turn to the next of a loop that asks for gradients",
    "unused": "One of the differentiated Tensors appears to not have been used in the graph",
    "computed_list": "aten::append.t cannot be differentiated: it changes or keeps a list that gradients pass through",
    "adding_loop": "backward() in a loop adds to .grad of a tensor from outside of it; use torch.autograd.grad",
    "nobody_reads": "backward() reaches no tensor whose .grad is read",
    "perhaps": "whether backward() has run before .grad is read here is decided at run time",
    "MarkedByAnotherMethod": "what prim::requires_grad answers here is decided at run time",
    "StoredInABranch": "which of several tensors it is that gradients are asked of is decided at run time",
    "one_of_two_sources": "which of several tensors it is that gradients are asked of is decided at run time",
    "perhaps_recorded": "whether gradients are enabled here is decided at run time",
}

"""Programs that ask for gradients in ways that are refused: REFUSED says with which words."""
from typing import List

import torch


def in_place(x: torch.Tensor):
    z = x * 2
    z.add_(x)
    return torch.autograd.grad([z.sum()], [x])


def loop(x: torch.Tensor):
    z = x
    for i in range(int(x[0, 0])):
        z = z * x
    return torch.autograd.grad([z.sum()], [x])


def no_formula(x: torch.Tensor):
    return torch.autograd.grad([torch.lgamma(x).sum()], [x])


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


def growing_list(x: torch.Tensor):
    parts = [x]
    if bool(x.sum() > 0):
        parts.append(x * 2)
    return torch.autograd.grad([torch.cat(parts).sum()], [x])


def printing_branch(x: torch.Tensor):
    z = x
    if bool(x.sum() > 0):
        print("twice")
        z = x * 2
    return torch.autograd.grad([z.sum()], [x])


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


class StoredInABranch(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.ones(4, requires_grad=True)

    def forward(self, x: torch.Tensor):
        z = x * self.w
        if bool(x.sum() > 0):
            self.w = x
        return torch.autograd.grad([z.sum() + self.w.sum()], [self.w])


REFUSED = {
    "in_place": "aten::add_.Tensor cannot be differentiated: it works in place",
    "loop": "prim::Loop cannot be differentiated: gradients do not pass through it",
    "no_formula": "aten::lgamma cannot be differentiated: there is no formula for its derivative",
    "changed_between": "aten::add_.Scalar changes a tensor that a gradient is computed from",
    "changed_view": "changes a tensor that a gradient is computed from",
    "changed_before_a_branch_runs_again": "aten::add_.Scalar changes a tensor that a gradient is computed from",
    "growing_list": "aten::append.t cannot be differentiated: it changes or keeps a list that gradients pass through",
    "printing_branch": "prim::Print cannot be differentiated: gradients pass through the branch that it stands in, which would run twice",
    "unused": "One of the differentiated Tensors appears to not have been used in the graph",
    "computed_list": "aten::append.t cannot be differentiated: it changes or keeps a list that gradients pass through",
    "adding_loop": "backward() in a loop adds to .grad of a tensor from outside of it; use torch.autograd.grad",
    "nobody_reads": "backward() reaches no tensor whose .grad is read in this function; gradients do not outlive a call",
    "perhaps": "whether backward() has run before .grad is read here is decided at run time",
    "StoredInABranch": "whether 'w' is still the tensor that was read before is decided at run time",
    "perhaps_recorded": "whether gradients are enabled here is decided at run time",
}

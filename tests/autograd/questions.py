"""Programs that ask tensors whether they require gradients and whether they are leaves; arguments as in programs.py."""
from typing import Optional

import torch


def asked(z: torch.Tensor):
    """A helper asks of what its caller computed."""
    return z.requires_grad, z.is_leaf


def results(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    a, b = x.detach().requires_grad_(), y.detach()
    parts = torch.chunk(a, 3)
    most, where = torch.max(a, 1)
    return (asked(a), asked(b), asked(a * b), asked(b * 2), asked(a.detach()), asked(a.clone()), asked(a.view(-1)), asked(a > b), asked(a.argmax()),
            asked(torch.cat([b, a])), asked(torch.cat([b, b])), asked(a.double()), asked(a.long()), asked(parts[1]), asked(most), asked(where),
            asked(torch.zeros_like(a)), asked(torch.round(a)), asked(b * (a > 0)), asked(a[:0].sum()), asked(torch.where(b > 0, a, b)))


def modes(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    a = x.detach().requires_grad_()
    with torch.no_grad():
        silent = a * 2
    b = y.detach() * 2
    b.requires_grad_()
    off = x.detach().requires_grad_()
    off.requires_grad_(False)
    return asked(silent), asked(b), asked(b * 3), asked(off * 3)


def writes(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    a = x.detach().requires_grad_()
    z, part, silent = torch.zeros(3, 4), torch.zeros(3, 4), torch.zeros(3, 4)
    before = z.requires_grad
    view = part.view(-1)
    z.add_(a)
    part[0] = a[0]
    with torch.no_grad():
        silent.add_(a)
    return before, asked(z), asked(part), view.requires_grad, asked(silent), asked(silent + 1)


def returned(z: torch.Tensor, n: int):
    """Where it has not returned yet, its result does not exist."""
    if n > 0:
        if n > 1:
            return z * 2
    return z + 1


def returns(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    a, n = x.detach().requires_grad_(), int(t[0])
    return asked(returned(a, n)), asked(returned(a, n + 1)), asked(returned(a, n + 2)), asked(returned(y.detach(), n))


def ways(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    a, b = x.detach().requires_grad_(), y.detach()
    z, w = b, b
    if bool(p.sum() > 0):
        z = a * 2
    if bool(p.sum() < 0):
        w = a * 2
    v, turns, asking = b, 0, 0
    while turns < int(t[0]) + 1:
        if v.requires_grad:
            asking += 1
        if turns > 0:
            v = v * a
        turns += 1
    some: Optional[torch.Tensor] = None
    if bool(p.sum() > 0):
        some = a + 1
    said = False
    if some is not None:
        said = some.requires_grad
    return asked(z), asked(w), asked(v), asking, said


class Parameters(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.ones(4))
        self.frozen = torch.nn.Parameter(torch.ones(4), requires_grad=False)
        self.register_buffer("mean", torch.ones(4))

    def forward(self, x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
        x = x.detach()
        return (self.w.requires_grad, self.frozen.requires_grad, (x * self.w).requires_grad, (x * self.frozen).requires_grad,
                (x * self.mean).requires_grad, (x * self.w).is_leaf, self.w.is_leaf, (self.mean + self.w.detach()).requires_grad)


def taken(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    cut = (x * y).detach()
    cut.requires_grad_(False)
    with torch.no_grad():
        silent = x * y
        silent.requires_grad_(False)
    other = p.detach() * 2
    other.requires_grad_(False)
    still = x * 2
    still.requires_grad_(True)
    return torch.autograd.grad([(still * cut * silent * other).sum()], [x])


def frozen_for_a_while(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    x.requires_grad_(False)
    z = x * 2
    x.requires_grad_(True)
    w = p.detach().requires_grad_()
    w.requires_grad_(False).requires_grad_(True)
    return torch.autograd.grad([(x * z * w).sum()], [x, w])


def frozen_in_turns(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    if bool(p.sum() > 0):
        x.requires_grad_(False)
    x.requires_grad_(True)
    z = x + 0
    for i in range(int(t[2])):
        x.requires_grad_(True)
        z = z * x
        x.requires_grad_(False)
        z = torch.stack([z, x, y]).sum(0)
    x.requires_grad_(True)
    return torch.autograd.grad([(z * x).sum()], [x])


PROGRAMS = [results, frozen_for_a_while, frozen_in_turns, modes, returns, taken, writes, ways, Parameters]

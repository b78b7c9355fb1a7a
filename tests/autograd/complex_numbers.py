"""Programs that ask for gradients of complex tensors, or are given complex gradients; arguments as in programs.py."""
from typing import List, Optional

import torch


def number(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.complex(x, y).detach().requires_grad_()


def given(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    z, w, g = number(x, y), number(y, p), number(p, x)
    gs: List[Optional[torch.Tensor]] = [g]
    squares: List[Optional[torch.Tensor]] = [g @ g.t()]
    return (torch.autograd.grad([z * w], [z, w], gs), torch.autograd.grad([z / w], [z, w], gs), torch.autograd.grad([z.exp()], [z], gs),
            torch.autograd.grad([z @ w.t()], [z, w], squares), torch.autograd.grad([z * x], [z, x], gs),
            torch.autograd.grad([z.conj() * 2j], [z], gs), torch.autograd.grad([torch.fft.fft(z)], [z], gs))


def sizes(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    z = number(x, y)
    return (torch.autograd.grad([z.abs().sum()], [z]), torch.autograd.grad([(z * z.conj()).real.sum()], [z]),
            torch.autograd.grad([torch.linalg.norm(z * z)], [z]), torch.autograd.grad([torch.angle(z).sum()], [z]),
            torch.autograd.grad([torch.view_as_real(z).pow(3).sum()], [z]), torch.autograd.grad([(z * 0).abs().sum()], [z]))


def leaf(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    z = number(x, y)
    (z * z).imag.sum().backward()
    (z * p).abs().pow(2).sum().backward()
    return z.grad, p.grad


def twice(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    z = number(x, y)
    g = torch.autograd.grad([((z * z).abs() * p).sum()], [z], create_graph=True)[0]
    assert g is not None
    return torch.autograd.grad([(g.abs().pow(2) + g.real * g.imag).sum()], [z, p])


def trained(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    """A filter in frequency that learns."""
    w = torch.polar(p[:, :3], x[:, :3]).detach()
    losses: List[float] = []
    for k in range(int(t[0]) + 3):
        v = w.detach().requires_grad_()
        loss = (torch.fft.irfft(torch.fft.rfft(x) * v, n=4) - y).pow(2).mean()
        g = torch.autograd.grad([loss], [v])[0]
        assert g is not None
        w = v.detach() - 0.5 * g
        losses.append(float(loss))
    return losses, torch.view_as_real(w)


def of_a_complex_sum(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    z = number(x, y)
    return torch.autograd.grad([(z * z).sum()], [z])


PROGRAMS = [given, sizes, leaf, twice, trained, of_a_complex_sum]

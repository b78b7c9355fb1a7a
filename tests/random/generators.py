"""Generators of a program's own: every program gives PyTorch's numbers, bit for bit, in two calls."""
from typing import Optional

import torch
import torch.nn.functional as F


def seeded(x: torch.Tensor, t: torch.Tensor):
    g = torch.Generator(device="cpu")
    g.manual_seed(3)
    h = torch.Generator().manual_seed(-1)
    return torch.rand(3, generator=g), torch.randn(20, generator=h), torch.rand(3, generator=g), g.initial_seed(), h.initial_seed()


def constant(x: torch.Tensor, t: torch.Tensor):
    """Made once: the next call goes on."""
    g = torch.Generator(device="cpu")
    h = torch.Generator(device=torch.device("cpu"), seed=5)
    k = torch.Generator(seed=5)
    return torch.rand(2, generator=g), torch.rand(2, generator=h), torch.rand(2, generator=k), h.initial_seed()


def in_a_loop(x: torch.Tensor, t: torch.Tensor):
    drawn = []
    for _ in range(3):
        drawn.append(torch.rand(1, generator=torch.Generator(device="cpu", seed=5)))
    return torch.cat(drawn)


def chosen(x: torch.Tensor, t: torch.Tensor):
    """Made anew in each call."""
    g = torch.Generator(device="cpu", seed=int(t[0]))
    h = g
    l = [g, torch.Generator(seed=len(t))]
    a = torch.rand(2, generator=h)
    return a, torch.rand(2, generator=g), torch.rand(2, generator=l[1]), torch.rand(2, generator=l[0]), g.initial_seed()


def draw(x: torch.Tensor, g: Optional[torch.Generator] = None):
    return torch.bernoulli(x, generator=g)


def handed_on(x: torch.Tensor, t: torch.Tensor):
    torch.manual_seed(2)
    g = torch.Generator(seed=len(t))
    p = torch.sigmoid(x)
    return draw(p), draw(p, g), draw(p, g=g), draw(p, None), isinstance(g, torch.Generator)


def kinds(x: torch.Tensor, t: torch.Tensor):
    g = torch.Generator(seed=len(t))
    y = torch.abs(x)
    a = [torch.randn([3], generator=g), torch.rand([3], generator=g), torch.empty(5).normal_(1.0, 2.0, generator=g),
         torch.empty(5).uniform_(-1.0, 1.0, generator=g), torch.normal(x, y, generator=g), torch.normal(1.0, y, generator=g),
         torch.empty(4).exponential_(generator=g), torch.empty(4).cauchy_(generator=g), torch.empty(4).log_normal_(generator=g),
         torch.empty(4).geometric_(0.3, generator=g), torch.empty(4).bernoulli_(0.3, generator=g), torch.poisson(y, generator=g),
         torch.empty(4).random_(5, generator=g)]
    b = [torch.randperm(5, generator=g), torch.randint(9, [4], generator=g), torch.randint(3, 9, [4], generator=g),
         torch.multinomial(y, 2, generator=g), torch.multinomial(y, 9, True, generator=g)]
    return a, b, torch.rand(2, generator=g)


PROGRAMS = [seeded, constant, in_a_loop, chosen, handed_on, kinds]

"""Random numbers: every program gives PyTorch's, bit for bit. Each takes two tensors, x [4, 6] of floats and t [4] of
class numbers."""
from typing import List, Tuple

import torch
import torch.nn.functional as F


# As after torch.manual_seed(67280421310721), which the recorder calls; this is the first program.
def unseeded(x: torch.Tensor, t: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    return torch.rand(5), torch.randn(3)


def uniform(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    torch.manual_seed(7)
    a = torch.rand(1000)[900:]
    b = torch.rand(3, 5, dtype=torch.float64)
    c = torch.rand_like(x.t())
    d = torch.empty(3, 7).uniform_(-3.3, 1.7)
    e = torch.empty(3, 7, dtype=torch.float64).uniform_(-3.3, 1.7)
    f = torch.empty(2, 4).t().uniform_(1.0, 2.0)
    g = torch.rand(4, dtype=torch.complex64)
    h = torch.empty(9, dtype=torch.float16).uniform_(0.0, 3.0)
    i = torch.empty(9, dtype=torch.bfloat16).uniform_(0.0, 3.0)
    return [a, b, c, d, e, f, g, h.float(), i.float(), torch.rand([2], generator=None)]


def normal(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    torch.manual_seed(-3)
    a, b = torch.randn(3), torch.randn(4)
    torch.manual_seed(11)
    c = torch.randn(1003)
    d = torch.randn_like(x)
    e = torch.empty(5, 5).normal_(3.5, 0.25)
    f = torch.randn(23, dtype=torch.float64)
    g = torch.empty(6, 4).t().normal_(1.0, 2.0)
    h = torch.randn(5, dtype=torch.float64)
    i = torch.randn(3, dtype=torch.complex64)
    j = torch.empty(5, 5, dtype=torch.float16).normal_(1.0, 0.5)
    k = torch.empty(19, dtype=torch.bfloat16).normal_(1.0, 0.5)
    return [a, b, c[:40], c[980:], d, e, f, g, h, i, j.float(), k.float(), torch.randn(1)]


def normal_by_tensors(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    torch.manual_seed(1)
    spread = x.abs()[:, :1]
    return [torch.normal(x, 2.0), torch.normal(1.0, spread), torch.normal(x, spread), torch.normal(2.0, 0.5, [3, 3])]


def integers(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    torch.manual_seed(123456789012345)
    a = torch.randint(10, [4, 4])
    b = torch.randint(-5, 1 << 40, [5])
    c = torch.randint_like(x, 3, 9)
    d = torch.randint(0, 256, [7], dtype=torch.uint8)
    e = torch.empty(4, dtype=torch.int64).random_()
    f = torch.empty(4, dtype=torch.int16).random_()
    g = torch.empty(4).random_()
    h = torch.empty(4, dtype=torch.float64).random_()
    i = torch.empty(4, dtype=torch.bool).random_()
    j = torch.empty(4, dtype=torch.int32).random_(5)
    k = torch.empty(4, dtype=torch.uint8).random_(250, None)
    l = torch.empty(4, dtype=torch.int8).random_(-100, 100)
    return [a, b, c, d, e, f, g, h, i, j, k, l, torch.randint_like(t, 4)]


def permutations(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    torch.manual_seed(2)
    return [torch.randperm(20), torch.randperm(1), torch.randperm(0), torch.randperm(7, dtype=torch.float32), torch.randperm(9, dtype=torch.int32)]


def distributions(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    torch.manual_seed(3)
    a = torch.empty(6).exponential_()
    b = torch.empty(20).exponential_(2.5)
    c = torch.empty(6).cauchy_(1.0, 0.5)
    d = torch.empty(6).log_normal_(0.5, 0.25)
    e = torch.empty(6, dtype=torch.int64).geometric_(0.3)
    f = torch.poisson(x.abs() * 30.0)
    g = torch.poisson(torch.full([8], 0.7, dtype=torch.float64))
    return [a, b, c, d, e, f, g]


def rejections(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    torch.manual_seed(13)
    shapes = torch.exp(x * 2)
    outs = [torch._standard_gamma(shapes), torch._standard_gamma(shapes.double()), torch._standard_gamma(shapes.t()), torch._standard_gamma(torch.tensor([0.0, 1e-20, 0.5, 1.0, 1e6]))]
    outs += [torch._sample_dirichlet(shapes), torch._sample_dirichlet(shapes.double().t()), torch._sample_dirichlet(torch.tensor([1e-6, 1e-6, 5.0]))]
    p = torch.sigmoid(x)
    for count in [1.0, 12.0, 40.0, 1000.0, 1e7]:
        outs += [torch.binomial(torch.full_like(p, count), p), torch.binomial(torch.full_like(p, count).double(), p.double())]
    nan = float("nan")
    outs.append(torch.binomial(torch.tensor([0.0, -1.0, 5.0, 5.0, 5.0, 5.0]), torch.tensor([0.5, 0.5, 0.0, 1.0, 2.0, nan])))
    return outs + [torch.binomial(torch.full_like(p, 300.0).t(), p.t()), torch.rand(3)]


def bernoulli(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    torch.manual_seed(4)
    p = torch.sigmoid(x)
    a, b = torch.bernoulli(p), torch.bernoulli(p.double())
    c, d = torch.empty(4, 6).bernoulli_(0.3), torch.empty(4, 6).bernoulli_(p[0])
    return [a, b, c, d, torch.bernoulli(p.t()), torch.empty(5, dtype=torch.int64).bernoulli_(0.5), torch.bernoulli(x, 0.25)]


def multinomial(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    torch.manual_seed(5)
    p = torch.exp(x)
    return [torch.multinomial(p, 3), torch.multinomial(p, 1), torch.multinomial(p[0], 9, True), torch.multinomial(p, 4, True),
            torch.multinomial(p.double(), 6), torch.multinomial(p.t(), 2), torch.multinomial(p.double(), 5, True), torch.multinomial(p * 1e36, 8, True)]


def dropouts(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    torch.manual_seed(6)
    image = torch.arange(1.0, 25.0).reshape(2, 3, 2, 2)
    y = x.clone()
    z = F.dropout(y, 0.5, True, True)
    noised, mask = torch.native_dropout(x, 0.25, True)
    return [F.dropout(x), F.dropout(x.t(), 0.1), F.dropout(x.double(), 0.9), F.alpha_dropout(x, 0.3, True), F.dropout2d(image, 0.4),
            F.feature_alpha_dropout(image, 0.4, True), F.dropout(x, 1.0), F.dropout(x, 0.0), F.dropout(x, 0.5, False), y, z, noised, mask]


def rrelu(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    torch.manual_seed(8)
    y = x.clone()
    z = F.rrelu(y, 0.2, 0.4, True, True)
    return [F.rrelu(x, training=True), F.rrelu(x.t(), 0.1, 0.9, True), F.rrelu(x, 0.2, 0.6, False), y, z, torch.rand(2)]


def recurrent(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    torch.manual_seed(12)
    steps, state = x.reshape(3, 2, 4), torch.zeros(3, 2, 3)
    w, v, b = torch.randn(12, 4), torch.randn(12, 3), torch.randn(12)
    weights = [w, v, b, b, v, v, b, b, v, v, b, b]
    y, h, c = torch.lstm(steps, [state, state], weights, True, 3, 0.5, True, False, False)
    small = [w[:9], v[:9], b[:9], b[:9], v[:9], v[:9], b[:9], b[:9]]
    z, g = torch.gru(x.reshape(2, 3, 4), state[:2], small, True, 2, 0.25, True, False, True)
    off, mask = torch.native_dropout(x, 0.5, False)
    rounded = [(r * 100.0).round() for r in [y, h, c, z, g]]
    return rounded + [off, mask, torch.rand(2)]


# Operators whose results nobody uses draw nothing.
def unused(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    torch.manual_seed(9)
    a = torch.rand(3)
    b = torch.randn(20)
    return torch.rand(3)


def in_loops(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    torch.manual_seed(10)
    walk = torch.zeros(2)
    for i in range(1000):
        walk = walk + torch.randn(2) * 0.01
        if bool(torch.rand(1) < 0.1):
            walk = walk * 0.5
    return [walk]


PROGRAMS = [unseeded, uniform, normal, normal_by_tensors, integers, permutations, distributions, rejections, bernoulli, multinomial, dropouts, rrelu,
            recurrent, unused, in_loops]


def raise_uniform(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return x.uniform_(2.0, 1.0)


def raise_uniform_integers(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return t.uniform_()


def raise_normal(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return x.normal_(0.0, -1.0)


def raise_empty_range(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.randint(5, 5, [2])


def raise_wide_range(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.randint(0, 300, [2], dtype=torch.uint8)


def raise_probability(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return F.feature_alpha_dropout(x[0], 0.5, True)


def raise_bernoulli(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.bernoulli(x + 10.0)


def raise_multinomial(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.multinomial(torch.zeros_like(x), 1)


def raise_too_many(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.multinomial(torch.ones_like(x), 7)


def raise_poisson(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.poisson(-torch.ones(1))


def raise_gamma(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch._standard_gamma(torch.ones(2, dtype=torch.int64))


def raise_binomial(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.binomial(torch.ones(2), torch.ones(2).double())


RAISING = [raise_gamma, raise_binomial, raise_uniform, raise_uniform_integers, raise_normal, raise_empty_range, raise_wide_range, raise_probability, raise_bernoulli,
           raise_multinomial, raise_too_many, raise_poisson]

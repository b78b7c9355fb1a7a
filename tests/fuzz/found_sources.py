"""Programs that once broke a promise: see tests/fuzz/fuzz_source.c. Those that tsmc refuses are among them."""
from typing import List

import torch


class TwiceNamed(torch.nn.Module):
    def __init__(self, self=1):
        super().__init__()

    def forward(self, x: int):
        return x


class OfNoClass:
    def make(x):
        return super().make()


class CallsSuper(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.x = OfNoClass.make(3)

    def forward(self, x: int):
        return x


def draws_unused(n: int):
    torch.manual_seed(n)
    kept = torch.dropout(torch.ones(n), 0.5, True)
    kept = torch.dropout(torch.ones(n), 0.5, True)
    return int(kept.sum())


class TooLarge(torch.nn.Module):
    def __init__(self):
        super().__init__()
        base = torch.zeros(9223372036854775807)
        self.register_buffer("a", base)
        self.register_buffer("b", base[1:3])

    def forward(self, x: float):
        self.a += x
        return self.b


class TooLargeView(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.zeros(1).expand(2**62).clone()

    def forward(self, x: float):
        return self.a + x


def view_of_one(x: float):
    return torch.zeros(1).expand(4611686018427387904)[:3] + x, torch.zeros(1).expand(4611686018427387904)


def sum_behind_known_conditions(l: List[int]) -> int:
    n = 0
    for t in l:
        if t > 5:
            if not 0:
                n += t
    return n


def gradient_that_is_not_there(x: torch.Tensor, y: torch.Tensor, p: torch.Tensor, t: torch.Tensor):
    loss = (x * y).sum() + x.mean()
    loss.backward()
    g, h = x.grad, y.grad
    return g, h % p.grad is None, loss.detach()


def divided_by_negative_zero(x: float):
    return x / -0.0, complex(-0.0, 1.0)


def missing_operator_without_use(x: torch.Tensor):
    x.indices()
    return x + 1


def down_from_any(n: int) -> List[int]:
    o: List[int] = []
    for i in range(n, -1, -1):
        o[0] = n
        o.append(i)
    return o

"""A module whose methods share gradients: what one adds to .grad others read, clip, take away, in later calls."""
from typing import List

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class Kept(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.second = nn.Linear(4, 4, bias=False)
        self.third = nn.Linear(4, 2)
        self.second.weight.requires_grad_(False)
        with torch.no_grad():
            for i, p in enumerate(self.parameters()):
                p.copy_(torch.sin(torch.arange(p.numel(), dtype=torch.float32) * 1.3 + float(i)).reshape(p.shape) * 0.5)

    def forward(self, x: Tensor) -> Tensor:
        return self.third(torch.tanh(self.second(torch.relu(self.first(x)))))

    @torch.jit.export
    def accumulate(self, x: Tensor, t: Tensor) -> float:
        loss = F.cross_entropy(self.forward(x), t)
        loss.backward()
        return loss.item()

    @torch.jit.export
    def accumulate_rows(self, x: Tensor, t: Tensor) -> float:
        total = 0.0
        for row, label in zip(x, t):
            loss = F.cross_entropy(self.forward(row.unsqueeze(0)), label.unsqueeze(0)) / x.size(0)
            loss.backward()
            total += loss.item()
        return total

    @torch.jit.export
    def clip(self, most: float) -> float:
        total = torch.zeros(1)
        for p in [self.first.weight, self.first.bias, self.third.weight]:
            total += p.grad.norm() ** 2
        norm = total.sqrt().item()
        for p in [self.first.weight, self.first.bias, self.third.weight]:
            if norm > most:
                p.grad.mul_(most / norm)
        return norm

    @torch.jit.export
    def step(self, rate: float) -> List[Tensor]:
        parameters = [self.first.weight, self.first.bias, self.third.weight]
        with torch.no_grad():
            for p in parameters:
                p.sub_(p.grad, alpha=rate)
        return [p.detach().clone() for p in parameters]

    @torch.jit.export
    def clear(self):
        for p in [self.first.weight, self.first.bias, self.third.weight]:
            p.grad.zero_()

    @torch.jit.export
    def gradients(self):
        return [p.grad for p in [self.first.weight, self.second.weight, self.third.weight]]

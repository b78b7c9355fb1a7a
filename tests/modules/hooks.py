"""Hooks of forward: on submodules, in containers, on what is called from outside, in the order of registration."""
import copy
from typing import Optional, Tuple

import torch
from torch import Tensor, nn


def shift(module, input: Tuple[Tensor]) -> Tuple[Tensor]:
    return (input[0] + module.offset,)


def halve(self, input: Tuple[Tensor]) -> Tensor:
    return input[0] / 2


def see(self, input: Tuple[Tensor]) -> None:
    assert input[0].numel() > 0


def add_input(self, input: Tuple[Tensor], output: Tensor) -> Tensor:
    return output + input[0].sum()


def scaled(self, input: Tuple[Tensor, Optional[Tensor]], output: Tensor):
    scale = input[1]
    return output if scale is None else output * scale


def with_name(self, input: Tuple[Tensor], output: Tensor) -> Tuple[Tensor, str]:
    return output, self.name


def ignored(module, grad_input, grad_output):
    return None


class Offset(nn.Module):
    def __init__(self, offset):
        super().__init__()
        self.offset = offset
        self.register_forward_pre_hook(shift)
        self.register_full_backward_hook(ignored)

    def forward(self, x: Tensor) -> Tensor:
        return x * 2


class Scale(nn.Module):
    def forward(self, x: Tensor, scale: Optional[Tensor]) -> Tensor:
        return x - 1


class Hooks(nn.Module):
    def __init__(self):
        super().__init__()
        self.name = "hooks"
        self.layers = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 3))
        self.layers[0].register_forward_hook(add_input)
        self.layers.register_forward_pre_hook(halve)
        self.layers.register_forward_pre_hook(see)
        self.copies = nn.ModuleList([Offset(0.5), Offset(1.5)])
        self.copies.append(copy.deepcopy(self.copies[0]))
        self.copies[0].register_forward_hook(add_input)
        self.scale = Scale()
        self.scale.register_forward_hook(scaled)
        self.register_forward_pre_hook(halve)
        self.register_forward_hook(with_name)
        with torch.no_grad():
            self.start = float(self.copies[0](torch.ones(2))[0])

    def forward(self, x: Tensor):
        x = self.layers(x)
        for module in self.copies:
            x = module(x)
        return self.scale(x, x.mean()) + self.copies[1].forward(x) + self.start

"""What a module's attributes may be: enums, constants, optionals, dicts, properties with setters, modules that are
forked."""
from enum import Enum
from typing import Dict, Final, List, NamedTuple, Optional, Tuple

import torch
from torch import nn, Tensor


class Mode(Enum):
    ADD = 1
    MULTIPLY = 2


class Result(NamedTuple):
    total: Tensor
    mean: Tensor


class Power(nn.Module):
    def __init__(self, exponent: int):
        super().__init__()
        self.exponent = exponent

    @property
    def twice(self) -> int:
        return self.exponent * 2

    @twice.setter
    def twice(self, value: int):
        self.exponent = value // 2

    @staticmethod
    def product(a: int, b: int) -> int:
        return a * b

    def forward(self, x: Tensor) -> Tensor:
        return x ** self.exponent


class Attributes(nn.Module):
    __constants__ = ["shift"]
    scale: Final[float]
    mode: Mode
    last: Optional[Tensor]
    counts: Dict[str, int]

    def __init__(self):
        super().__init__()
        self.scale = 2.0
        self.shift = 1
        self.mode = Mode.MULTIPLY
        self.last = None
        self.counts = {"calls": 0}
        self.sizes = [(1, "one"), (2, "two")]
        self.powers = nn.ModuleList([Power(2), Power(3)])
        self.named = nn.ModuleDict({"square": self.powers[0], "cube": self.powers[1]})

    def combine(self, x: Tensor, y: Tensor) -> Tensor:
        if self.mode == Mode.MULTIPLY:
            return x * y
        return x + y

    def keys(self, names: List[str]) -> int:
        found = 0
        for name in names:
            if name in self.named:
                found += 1
        return found

    def forward(self, x: Tensor) -> Result:
        waiting = torch.jit.fork(self.powers[0], x)
        self.powers[1].twice = 8
        total = self.combine(self.powers[1](x), torch.jit.wait(waiting)) * self.scale + self.shift
        last = self.last
        if last is not None:
            total = total + last
        self.last = x
        self.counts["calls"] += 1
        for size, name in self.sizes:
            total = total + size * len(name)
        found = self.keys(["cube", "square", "root"])
        return Result(total + self.counts["calls"] + found, total.mean() + Power.product(2, 3))

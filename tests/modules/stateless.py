"""Modules without parameters, and forms of Python that __init__ may use."""
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import partial
from typing import Dict, List

import torch
from torch import nn, Tensor

LEVELS = [2 ** i for i in range(4) if i != 1]


class Scale(nn.Module):
    __constants__ = ["factor"]

    def __init__(self, factor: float = 2.0):
        super().__init__()
        self.factor = factor

    def forward(self, x: Tensor) -> Tensor:
        return x * self.factor


class Base(nn.Module):
    def __init__(self, *scales, offset=0):
        super().__init__()
        self.scales = nn.ModuleDict({f"s{i}": Scale(s) for i, s in enumerate(scales)})
        self.offset = offset

    def forward(self, x: Tensor) -> Tensor:
        return self.apply_scales(x) + self.offset

    def apply_scales(self, x: Tensor) -> Tensor:
        for name, scale in self.scales.items():
            x = scale(x)
        return x


class Named:
    """No TorchScript class: methods see its attributes as constants."""

    def __init__(self, **options):
        for name, value in options.items():
            setattr(self, name, value)


@dataclass
class Options:
    shift: float
    rounds: int = 1
    kind: str = "single"
    more: Named = field(default_factory=Named)

    def __post_init__(self):
        self.more.last = self.rounds


class Doubled(Scale):
    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x) * 2


class Stateless(Base):
    names: List[str]
    table: Dict[str, int]

    def __init__(self, count=3):
        super().__init__(*[float(level) for level in LEVELS], offset=sum(LEVELS))
        self.options = Options(0.25, kind="double")
        if self.options.kind == "double":
            self.doubled = Doubled(1.5)
        make = partial(Scale, factor=0.5)
        halves = OrderedDict((name, make()) for name in "ab")
        self.halves = nn.Sequential(halves)
        self.names = []
        self.table = {"one": 1, "two": 2}
        self.weights = torch.ones(2, 3).cumsum(1)
        self.weights[0, 1:] = -1
        self.last = [i for i in range(count)][-1]
        self.square = lambda v: v * v
        n = 0
        while n < 2:
            n += 1
            if n == 2:
                break
        self.rounds = n // 2 + self.last
        self.rounds //= 3

    def forward(self, x: Tensor) -> Tensor:
        x = super().forward(x) * 0.125 + self.options.shift
        if self.options.kind == "double" and self.options.more.last < 2:
            x = self.doubled(x)
        else:
            x = self.undoubled(x)
        x = self.halves(self.apply_scales(x)) + self.table["two"]
        for i in range(self.rounds):
            x = x + self.weights
        self.names.append("called")
        return x + len(self.names) + self.last + len(self.halves)


class Wrong(nn.Module):
    """What a constructor does that cannot be run."""

    def __init__(self):
        super().__init__()
        with open("sizes.txt") as f:
            self.sizes = f.read()

    def forward(self, x):
        return x


class Early(nn.Module):
    def __init__(self):
        self.linear = nn.Linear(2, 2)

    def forward(self, x):
        return x


class NoForward(nn.Module):
    def __init__(self):
        super().__init__()

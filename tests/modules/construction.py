"""Constructors that compute much of a module: tsmc runs all of it while it compiles."""
import enum
import functools
import itertools
import logging
import math
import operator
from collections import Counter, OrderedDict, defaultdict, namedtuple
from typing import Callable, NamedTuple, Optional

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

try:
    from fused_layers import FusedNorm as Norm
except ImportError:
    class Norm(nn.LayerNorm):
        pass

logger = logging.getLogger(__name__)
Stage = namedtuple("Stage", ["width", "kernel", "stride"])
Stage.__new__.__defaults__ = (3, 1)
STAGES = [Stage(4), Stage(6, stride=2), Stage(width=6, kernel=1)]
if torch.__version__ >= "1.10":
    SCALE = 0.5
else:
    SCALE = 2.0
FIRST, SECOND = "first", "second"
NAMES = [FIRST]
NAMES.append(SECOND)


class Kind(enum.Enum):
    PLAIN = enum.auto()
    GATED = enum.auto()


class Mode(str, enum.Enum):
    SUM = "sum"
    MEAN = "mean"


class Options(NamedTuple):
    kind: Kind = Kind.PLAIN
    mode: Mode = Mode.SUM


class Tower(nn.Module):
    class Head(nn.Module):
        def __init__(self, width, classes):
            super().__init__()
            self.layer = nn.Linear(width, classes)
            fan_in, _ = nn.init._calculate_fan_in_and_fan_out(self.layer.weight)
            self.bound = nn.init.calculate_gain("relu") / math.sqrt(fan_in)

        def forward(self, x):
            return self.layer(x) * self.bound

    made = 0

    def __init__(self, size=(8, 9), options: Optional[Options] = None, activation: Callable = lambda t: t * torch.sigmoid(t)):
        super().__init__()
        Tower.made += 1
        options = options or Options(Kind["GATED"], Mode("mean"))
        logger.info("stages: %d, options: %s", len(STAGES), options)
        widths = [3] + [s.width for s in STAGES]
        self.stages = nn.Sequential(OrderedDict(
            (f"stage{i:02d}", nn.Conv2d(a, stage.width, stage.kernel, stage.stride, padding=stage.kernel // 2))
            for i, (a, stage) in enumerate(zip(widths, STAGES))))
        with torch.no_grad():
            flat = self.stages(torch.zeros(1, 3, *size)).flatten(1).shape[1]
        self.head = Tower.Head(flat, 5)
        self.norm = Norm(5)
        self.gated = options.kind is Kind.GATED
        self.mode = options.mode.value
        self.activation = activation
        self.has_attention = hasattr(F, "attention_of_another_version")
        self.total = functools.reduce(operator.mul, widths, 1) + int(np.prod(size)) + sum(k for _, k, _ in STAGES)
        self.text = "{:>6.2f}|{!r:<5}|{:,}|{:+d}|%05.1f|%-4s|".format(math.pi, "a", 12345, 3) % (2.5, "b")
        self.text += f"{self.total:x}|{SCALE:e}|{size[0]:^5}|{SCALE:.1%}|{Tower.made}|{'-'.join(NAMES).title()}"
        counts, letters = defaultdict(list), Counter("abca")
        for i, c in enumerate("abca"):
            counts[c].append(i)
        self.places = dict(counts)
        self.most = max(letters, key=lambda c: letters[c])
        self.pairs = [p for p in itertools.product((1, 2), repeat=2) if p != (2, 1)]
        self.rest = sorted({1, 5, 3} - {5} | {7}, reverse=True)
        self.rates = [rate.item() for rate in torch.linspace(0, SCALE, 3)]
        self.parts = [int(x) for x in itertools.chain([1], torch.arange(3).tolist(), itertools.accumulate([1, 2]))]
        del self.parts[0]
        self.blend = self._mean if self.mode == "mean" else self._sum
        rows, columns = torch.meshgrid([torch.arange(size[0]), torch.arange(size[1])], indexing="ij")
        self.register_buffer("grid", torch.stack([rows, columns]).flatten(1).float().repeat(1, 2), persistent=False)
        self.register_buffer("far", F.pad(torch.outer(torch.arange(3.), torch.ones(2)).tril(-1), [0, 1], value=4.), persistent=False)

        def first_half(t):
            return t[:, :t.size(1) // 2]
        self.half = first_half

    def _mean(self, x):
        return x.mean(1)

    def _sum(self, x):
        return x.sum(1)

    def forward(self, x):
        y = self.norm(self.head(torch.flatten(self.stages(x), 1)))
        if self.gated:
            y = self.activation(y)
        return (self.blend(y), self.half(y), self.grid.sum(1), self.far, self.text, self.total, self.places, self.most, self.pairs,
                self.rest, self.rates, self.parts, self.has_attention)

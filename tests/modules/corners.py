"""More of what constructors do: parts of tensors, containers that change, local classes, global variables made in
steps."""
import copy
import enum
import math

import torch
from torch import nn

DEFAULTS = dict(width=4)
DEFAULTS["depth"] = 2
DEFAULTS.update({"norm": True})
FIRST, (SECOND, *REST) = 1, (2, 3, 4)
SIZES = []
for _i in range(3):
    SIZES.append(_i * 2)


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Corners(nn.Module):
    def __init__(self, width=DEFAULTS["width"], depth: "int" = DEFAULTS["depth"], level=Level.HIGH):
        nn.Module.__init__(self)

        class Inner(nn.Linear):
            def __init__(self, n):
                super().__init__(n, width)
                self.double = n * 2

            def forward(self, x):
                return super().forward(x) + self.double

        config = copy.copy(DEFAULTS)
        del config["depth"]
        self.layers = nn.ModuleList([nn.ReLU(), Inner(3), nn.Identity(), Inner(width)])
        del self.layers[2]
        self.layers[0] = nn.Dropout(0.3)
        self.layers.insert(1, nn.Hardtanh())
        self.chosen = nn.ModuleDict([["a", nn.Tanh()], ["b", nn.Sigmoid()]]).pop("b")
        for i in range(level):
            self.__setattr__("norm%d" % i, nn.LayerNorm(width))
        self.scale = nn.Parameter(torch.tensor([1.0, 2.0, 3.0]), requires_grad=False)
        self.norm1.requires_grad_(False)
        self.trained = sum(p.numel() for p in self.parameters() if p.requires_grad)
        self.level = level
        self.numbers = [FIRST, SECOND, *REST, *SIZES, len(config), depth]

        eye = torch.eye(3)
        eye[0, 1:] = 0.5
        eye[1] += 1
        eye[:, 2] *= 2.0
        eye[eye > 1.5] = 9.0
        eye[[0, 2], 0] = torch.tensor([7.0, 8.0])
        rows = torch.LongTensor([2, 0])
        relative = torch.arange(3)[:, None] - torch.arange(3)
        bucket = torch.where(relative.abs() < 2, relative.abs(), torch.full_like(relative, 2))
        self.register_buffer("parts", torch.cat([eye[rows], eye[..., rows].t(), eye[torch.ByteTensor([1, 0, 1]).bool()], bucket.float()]),
                             persistent=False)
        self.register_buffer("table", torch.tensor([[math.sin(i * j) for j in range(3)] for i in range(2)]).double(), persistent=False)
        self.register_buffer("lower", torch.linalg.cholesky(torch.eye(3) * 2 + 1), persistent=False)
        self.register_buffer("causal", torch.empty(3, 3).fill_(-math.inf).triu_(1), persistent=False)
        self.register_buffer("nothing", None)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return (self.chosen(self.norm1(self.norm0(x))), self.scale, self.parts, self.table, self.lower, torch.exp(self.causal), self.trained,
                self.numbers, self.level * 3)

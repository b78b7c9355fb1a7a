"""Training steps that training.py times, as modules: forward(x, t) makes one and gives the loss."""
import math
from typing import List

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Learner(nn.Module):
    """SGD with momentum; the velocities are state of the module."""

    velocity: List[Tensor]

    def finish(self):
        """To be called when all layers are made."""
        self.velocity = [torch.zeros_like(p) for p in self.parameters()]

    def update(self, parameters: List[Tensor], loss: Tensor):
        gradients = torch.autograd.grad([loss], parameters)
        with torch.no_grad():
            for w, v, g in zip(parameters, self.velocity, gradients):
                if g is not None:
                    v.mul_(0.9).add_(g)
                    w.sub_(v, alpha=0.05)


class DigitsStep(Learner):
    """The network of tests/models/make_digits.py."""

    def __init__(self):
        super().__init__()
        self.a, self.an = nn.Conv2d(1, 12, 3, padding=1, bias=False), nn.BatchNorm2d(12)
        self.b, self.bn = nn.Conv2d(12, 24, 3, padding=1, bias=False), nn.BatchNorm2d(24)
        self.c, self.cn = nn.Conv2d(24, 24, 3, padding=1, bias=False), nn.BatchNorm2d(24)
        self.classify = nn.Linear(24 * 2 * 2, 10)
        self.finish()

    def forward(self, x: Tensor, t: Tensor) -> float:
        h = F.relu(self.an(self.a(x)))
        h = F.max_pool2d(F.relu(self.bn(self.b(h))), 2)
        h = F.max_pool2d(F.relu(self.cn(self.c(h))), 2)
        loss = F.cross_entropy(self.classify(h.flatten(1)), t)
        self.update([self.a.weight, self.an.weight, self.an.bias, self.b.weight, self.bn.weight, self.bn.bias,
                     self.c.weight, self.cn.weight, self.cn.bias, self.classify.weight, self.classify.bias], loss)
        return float(loss)


class TaggerStep(Learner):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(500, 64)
        self.lstm = nn.LSTM(64, 64, batch_first=True)
        self.tag = nn.Linear(64, 12)
        self.finish()

    def forward(self, x: Tensor, t: Tensor) -> float:
        h, _ = self.lstm(self.embed(x))
        loss = F.cross_entropy(self.tag(h).flatten(0, 1), t.flatten())
        self.update([self.embed.weight, self.lstm.weight_ih_l0, self.lstm.weight_hh_l0, self.lstm.bias_ih_l0, self.lstm.bias_hh_l0,
                     self.tag.weight, self.tag.bias], loss)
        return float(loss)


class TransformerStep(Learner):
    """A block of a language model."""

    def __init__(self):
        super().__init__()
        width, self.heads = 128, 4
        self.embed = nn.Embedding(256, width)
        self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.head = nn.Linear(width, 256)
        self.finish()

    def forward(self, x: Tensor, t: Tensor) -> float:
        h = self.embed(x)
        batch, length, width = h.shape
        size = width // self.heads
        parts = self.qkv(self.before(h)).reshape(batch, length, 3, self.heads, size).permute(2, 0, 3, 1, 4)
        scores = torch.matmul(parts[0], parts[1].transpose(-2, -1)) / math.sqrt(size)
        scores = scores.masked_fill(torch.ones(length, length, dtype=torch.bool).triu(1), float("-inf"))
        mixed = torch.matmul(torch.softmax(scores, -1), parts[2]).transpose(1, 2).reshape(batch, length, width)
        h = h + self.out(mixed)
        h = h + self.down(F.gelu(self.up(self.after(h))))
        loss = F.cross_entropy(self.head(h).flatten(0, 1), t.flatten())
        self.update([self.embed.weight, self.before.weight, self.before.bias, self.after.weight, self.after.bias, self.qkv.weight,
                     self.qkv.bias, self.out.weight, self.out.bias, self.up.weight, self.up.bias, self.down.weight, self.down.bias,
                     self.head.weight, self.head.bias], loss)
        return float(loss)


STEPS = {
    "digits, batch 16": (DigitsStep, lambda: (torch.rand(16, 1, 8, 8), torch.randint(0, 10, (16,)))),
    "LSTM tagger": (TaggerStep, lambda: (torch.randint(0, 500, (8, 20)), torch.randint(0, 12, (8, 20)))),
    "transformer block": (TransformerStep, lambda: (torch.randint(0, 256, (4, 64)), torch.randint(0, 256, (4, 64)))),
}

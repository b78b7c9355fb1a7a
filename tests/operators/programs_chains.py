"""Chains of pointwise operators, which run as one pass where that is the same, and shuffles of what was put
together."""
from typing import List

import torch
import torch.nn.functional as F


def every_step(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    y = x * 1.5
    arithmetic = ((x + y) * 2 - 0.5) / (3 - x * 0.1)
    roots = torch.rsqrt(torch.sqrt(torch.abs(x)) + 1) * torch.exp(-torch.abs(y))
    bounded = torch.clamp(x, -0.5, 0.5) + torch.clamp(y, min=0.1) * torch.clamp(y, max=0.7) - F.hardtanh(x, -0.2, 0.9)
    activations = F.relu(x) + torch.sigmoid(y) * torch.tanh(x) - F.silu(y) + F.gelu(x) + F.relu6(y * 4) + F.leaky_relu(x, 0.3)
    hard = F.hardswish(x * 3) + F.hardsigmoid(y) + F.gelu(x + y) ** 2
    return [arithmetic, roots, bounded, activations, hard]


def broadcast_chains(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    row, column, one = x[0], x[:, :1], x[0, 0]
    many = torch.zeros(40, 4, 6) + x
    return [torch.relu(x * row + column) - one, torch.sigmoid(row * 2 + column), (one * 2 + one).abs(), torch.tanh(many * column + row) * many,
            many[:0] * 2 + row]


def chains_of_other_types(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    d = x.to(torch.float64)
    return [(t + 1) * t - 3, (d * 2 + 1).abs(), torch.relu(x[:, :1] + t) * 2, (x[0, :4] * t + d[0, :4]) * 0.5, x.t() * 2 + x.t(),
            (x[:, :4] * 2 + x[:, :4].t()).abs()]


def chains_that_share(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    middle = x * 2 + 1
    used_twice = middle * middle - x
    written = x * 3 + 1
    written.add_(1)
    long = x
    for i in range(3):
        long = torch.tanh(long * 1.1 + 0.1) - x * 0.2
    return [middle, used_twice, written, long]


def joined_and_shuffled(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    image = torch.zeros(2, 18, 3, 2) + x.reshape(24)[:18].reshape(18, 1, 1) + torch.arange(6).reshape(3, 2)
    last = image.contiguous(memory_format=torch.channels_last)
    parts = [torch.cat([a, a * 2], 1) for a in [image, last, last[:, 3:9]]]
    three = torch.cat([last[:, :6], last[:, 6:12], last[:, 12:]], 1)
    return [torch.channel_shuffle(torch.cat([image, image + 1], 1), 2), torch.channel_shuffle(torch.cat([last, last + 1], 1), 2),
            torch.channel_shuffle(torch.cat([last[:, :9], last[:, 9:]], 1), 2), torch.channel_shuffle(three, 3),
            torch.channel_shuffle(torch.cat([last[:, :6], last[:, 6:]], 1), 2), torch.channel_shuffle(parts[2], 4), three.mean([2, 3]),
            last.sum([0, 2, 3])]


def sizes_do_not_fit(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    y = x[:3] * 2
    return torch.relu(x + y) * 3


PROGRAMS = [every_step, broadcast_chains, chains_of_other_types, chains_that_share, joined_and_shuffled]
FAILURES = {sizes_do_not_fit: "The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension 0"}

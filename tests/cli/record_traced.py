#!/usr/bin/python3
"""Writes traced.pt and traced_raises.pt beside this script, with PyTorch 2.6: programs of torch.jit.trace, whose
archives say which inputs they were traced with."""
import os

import torch
from torch import Tensor, nn

HERE = os.path.dirname(os.path.abspath(__file__))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 3)

    def forward(self, x, pair):
        y = self.layer(x).reshape(x.size(0) * 3) + pair[0]
        return torch.relu(y), y.reshape(3, -1) * pair[1]

    def rows(self, x):
        return self.layer(x).sum(1)


@torch.jit.script
def positive(x: Tensor) -> Tensor:
    if bool(x.sum() == 0):
        raise ValueError("nothing is there")
    return x.sqrt()


class Raises(nn.Module):
    def forward(self, x):
        return positive(x) + 1


def main():
    torch.manual_seed(1)
    x = torch.randn(2, 4)
    inputs = {"forward": (x, (torch.randn(6), torch.randn(1))), "rows": (torch.randn(4, 5).t(),)}
    torch.jit.trace_module(Net().eval(), inputs).save(os.path.join(HERE, "traced.pt"))
    torch.jit.trace(Raises(), (x.abs(),)).save(os.path.join(HERE, "traced_raises.pt"))


if __name__ == "__main__":
    main()

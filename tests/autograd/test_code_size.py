#!/usr/bin/env python3
"""What formulas write into must not cost what the author's writes under names told apart at run time cost: the gradient
of a write through indices takes about as much code as that of a write through a mask, also twice derived.

  test_code_size.py TSMC"""
import os
import subprocess
import sys
import tempfile
import unittest

TSMC = sys.argv[1]

PROGRAM = '''
import torch
import torch.nn as nn
from torch import Tensor


def choose(a: Tensor, b: Tensor, n: int) -> Tensor:
    if n > 2:
        return a
    if bool(a.sum() > b.sum()):
        return b
    return a * 0.5


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(2, 3))

    def forward(self, x: Tensor, y: Tensor, n: int) -> Tensor:
        h0, h1 = x * self.w, y + self.w
        h2 = torch.where(h1 > 0, h0, h1 * 0.25)
        for i in range(n + 1):
            h2 = choose(h1, h0, n)
        if bool(h1.sum() > -0.5):
            for i in range(n + 1):
                h1.copy_(h2)
                h1[n % 2] *= 0.5
        else:
            WRITE
            if n > 0:
                h0 = h1
            else:
                h2 = h0.index_select(0, torch.tensor([1, 0]))
        h2 = choose(h0, h2, n)
        h2[0] = h2[0]
        h2.clamp_(-2.0, 2.0)
        r = h0.sum(0)
        h2 += h2
        for i in range(3):
            h0[0] = r
        loss = h0.clone().sin().sum() + h1.clone().sin().sum() + h2.clone().sin().sum()
        first = torch.autograd.grad([loss], [self.w], create_graph=True)[0]
        assert first is not None
        second = torch.autograd.grad([first.pow(2).sum()], [self.w])[0]
        assert second is not None
        return second
'''


class CodeSize(unittest.TestCase):
    def size(self, write):
        with tempfile.TemporaryDirectory() as folder:
            source, program = os.path.join(folder, "p.py"), os.path.join(folder, "p.tsm")
            with open(source, "w") as f:
                f.write(PROGRAM.replace("WRITE", write))
            p = subprocess.run([TSMC, source + ":Net", "-O0", "-o", program], capture_output=True, text=True)
            self.assertEqual(p.returncode, 0, p.stderr)
            return os.path.getsize(program)

    def test_writes_through_indices(self):
        self.assertLess(self.size("h1[h0 > 1.0] = 0.5"), 1.5 * self.size("h1.masked_fill_(h0 > 1.0, 0.5)"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

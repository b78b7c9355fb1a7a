#!/usr/bin/env python3
"""Gradients that one method leaves in .grad for others, from call to call, in saved states, after calls that failed;
against PyTorch's (record_kept.py).

  test_kept.py TSMC TSMRUN"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]
from answers import differs  # noqa: E402
TSMC, TSMRUN = sys.argv[1:3]
with open(os.path.join(HERE, "kept.json")) as f:
    CALLS = json.load(f)

REPLACED = """
import torch
import torch.nn as nn


class Replaced(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.ones(3)

    def forward(self, x: torch.Tensor):
        self.w = (self.w * 2).detach().requires_grad_()
        (self.w * x).sum().backward()
        return self.w.grad

    @torch.jit.export
    def later(self):
        return self.w.grad
"""

BRANCHING = """
import torch
import torch.nn as nn
from typing import Optional


class Branching(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.ones(2))
        self.b = nn.Parameter(torch.ones(2))

    @torch.jit.export
    def learn(self, n: int):
        out = self.a * 3.0
        if n > 0:
            out = out * self.b
        for i in range(n):
            out = out * self.b
        out.sum().backward()

    @torch.jit.export
    def gradients(self):
        return self.a.grad, self.b.grad
"""


class Kept(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.program, self.inputs, self.outputs, self.state = (
            os.path.join(folder.name, n) for n in ("p.tsm", "in.json", "out.json", "state"))

    def export(self, *source):
        return subprocess.run([TSMC, *source, "-o", self.program], capture_output=True, text=True)

    def call(self, method, arguments, *options):
        with open(self.inputs, "w") as f:
            json.dump(arguments, f)
        begin = ["--load-state", self.state] if os.path.exists(self.state) else []
        return subprocess.run([TSMRUN, self.program, "--method", method, "--inputs", self.inputs, "--outputs", self.outputs,
                               "--save-state", self.state, *begin, *options], capture_output=True, text=True)

    def answer(self):
        with open(self.outputs) as f:
            return json.load(f)

    def test_methods(self):
        for source in ("kept.pt", "kept.py:Kept"):
            for level in ("-O0", "-O1", "-O2"):
                if os.path.exists(self.state):
                    os.remove(self.state)
                p = self.export(os.path.join(HERE, source), level)
                self.assertEqual(p.returncode, 0, p.stderr)
                for number, (method, arguments, wanted) in enumerate(CALLS):
                    with self.subTest(method, number=number, source=source, level=level):
                        p = self.call(method, arguments)
                        self.assertEqual(p.returncode, 0, p.stderr)
                        self.assertIsNone(differs(self.answer(), wanted, method))

    def test_absent(self):
        """Before the first backward() there is nothing to clip; the frozen layer never has a gradient."""
        self.export(os.path.join(HERE, "kept.pt"))
        p = self.call("clip", [{"float": 1.0}])
        self.assertEqual(p.returncode, 1)
        self.assertIn("Expected a proper Tensor but got None", p.stderr)

    def test_not_used(self):
        """What backward() does not come to stays as it was."""
        source = os.path.join(self.folder, "branching.py")
        with open(source, "w") as f:
            f.write(BRANCHING)
        p = self.export(source + ":Branching")
        self.assertEqual(p.returncode, 0, p.stderr)
        for turns, wanted in (0, [3.0, None]), (1, [6.0, 6.0]), (0, [9.0, 6.0]):
            self.assertEqual(self.call("learn", [turns]).returncode, 0)
            self.assertEqual(self.call("gradients", []).returncode, 0)
            self.assertEqual([g and g["tensor"]["data"][0] for g in self.answer()["tuple"]], wanted)

    def test_one_method(self):
        """A method whose gradients no exported method reads is refused."""
        p = self.export(os.path.join(HERE, "kept.pt"), "--method", "accumulate")
        self.assertEqual(p.returncode, 2)
        self.assertIn("backward() reaches no tensor whose .grad is read", p.stderr)

    def test_replaced(self):
        """Of an attribute to which the program stores other tensors no gradient is kept."""
        source = os.path.join(self.folder, "replaced.py")
        with open(source, "w") as f:
            f.write(REPLACED)
        p = self.export(source + ":Replaced")
        self.assertEqual(p.returncode, 2)
        self.assertIn("gradients of 'w' do not outlive a call, since other tensors are stored to it", p.stderr)
        self.assertIn("return self.w.grad", p.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

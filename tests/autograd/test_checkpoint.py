#!/usr/bin/env python3
"""Parts whose values are computed again for the gradients: steps are those of the same module without, in a smaller
buffer.

  test_checkpoint.py TSMC TSMRUN"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import sources

HERE = os.path.dirname(os.path.abspath(__file__))
TSMC, TSMRUN = sys.argv[1:3]
with open(os.path.join(HERE, "classics.json")) as f:
    RECORDED = json.load(f)
# The module, its twin with checkpoint() in the source, the class that --checkpoint names, and how much of the buffer is
# left at most.
PARTS = [("Deep", "DeepAgain", "Layer", 0.95), ("Long", "LongAgain", "Cell", 0.65)]
PROGRAM = '''import torch
import torch.nn.functional as F
from torch import Tensor
from torch.utils.checkpoint import checkpoint


def part(x: Tensor, w: Tensor) -> Tensor:
    return torch.exp(torch.tanh(x + w))


def overwritten(x: Tensor):
    w = torch.ones(4)
    z = checkpoint(part, x, w)
    w.add_(1)
    return torch.autograd.grad([z.sum()], [x])


def fine(x: Tensor):
    w = torch.ones(4)
    z = part(x, w)
    w.add_(1)
    return torch.autograd.grad([z.sum()], [x])


def nothing_to_call(x: Tensor):
    return checkpoint()


def without_gradients(x: Tensor):
    return checkpoint(part, x, x)


def inner(x: Tensor) -> Tensor:
    return torch.sigmoid(torch.tanh(x) * x)


def outer(x: Tensor) -> Tensor:
    return torch.exp(checkpoint(inner, torch.sin(x)) * checkpoint(inner, x.cos()))


def nested(x: Tensor):
    return torch.autograd.grad([checkpoint(outer, x).sum()], [x])


def plainly(x: Tensor):
    def_inner = inner(torch.sin(x)) * inner(x.cos())
    return torch.autograd.grad([torch.exp(def_inner).sum()], [x])


def twice(x: Tensor):
    g = torch.autograd.grad([checkpoint(part, x, x * x).sum()], [x], create_graph=True)[0]
    assert g is not None
    return torch.autograd.grad([(g * g).sum()], [x])


def twice_plainly(x: Tensor):
    g = torch.autograd.grad([part(x, x * x).sum()], [x], create_graph=True)[0]
    assert g is not None
    return torch.autograd.grad([(g * g).sum()], [x])


def written_inside(x: Tensor) -> Tensor:
    z = torch.zeros(4) + 1
    y = x + z
    z.add_(torch.ones(4))
    return torch.exp(y * z) + torch.exp(y)


def writes(x: Tensor):
    return torch.autograd.grad([checkpoint(written_inside, x).sum()], [x])


def without(x: Tensor):
    return torch.autograd.grad([written_inside(x).sum()], [x])
'''


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


class Checkpoint(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.program, self.inputs, self.outputs, self.source = (os.path.join(folder.name, n)
                                                                for n in ("p.tsm", "in.json", "out.json", "source.py"))
        with open(self.inputs, "w") as f:
            json.dump(RECORDED["inputs"], f)
        with open(self.source, "w") as f:
            f.write(PROGRAM)

    def steps(self, *options):
        """Losses and weights of ten steps, and how much of the buffer was in use."""
        p = run(TSMC, *options, "-o", self.program)
        self.assertEqual(p.returncode, 0, p.stderr)
        p = run(TSMRUN, self.program, "--method", "forward", "--sequence", self.inputs, "--outputs", self.outputs, "--profile")
        self.assertEqual(p.returncode, 0, p.stderr)
        with open(self.outputs) as f:
            results = [r["tuple"] for r in json.load(f)]
        numbers = [[loss["float"]] + [v for w in weights for v in w["tensor"]["data"]] for loss, weights in results]
        return numbers, int(re.search(r"buffer: (\d+) bytes", p.stdout + p.stderr).group(1))

    def test_steps(self):
        for name, twin, part, most in PARTS:
            recorded = [[loss] + [v for w in weights for v in w] for loss, weights in RECORDED["steps"][name]]
            archive = os.path.join(HERE, "archives", name + ".pt")
            for level in ("-O2", "-O0"):
                _, whole = self.steps(archive, level)
                for options in ([archive, "--checkpoint", part], [archive, "--checkpoint", part + ".forward"],
                                [sources.write(self.folder, "kinds.py:" + twin)]):
                    with self.subTest(name, level=level, options=options[1:]):
                        got, buffer = self.steps(*options, level)
                        for a, b in zip(got, recorded):
                            self.assertEqual(len(a), len(b))
                            self.assertLess(max(abs(u - v) / (1 + abs(v)) for u, v in zip(a, b)), 1e-5)
                        self.assertLess(buffer, most * whole)

    def result(self, entry, level):
        p = run(TSMC, self.source + ":" + entry, level, "-o", self.program)
        self.assertEqual(p.returncode, 0, p.stderr)
        with open(self.inputs, "w") as f:
            json.dump([{"tensor": {"dtype": "float32", "shape": [4], "data": [0.5, -1.5, 2, 0.25]}}], f)
        p = run(TSMRUN, self.program, "--inputs", self.inputs, "--outputs", self.outputs)
        self.assertEqual(p.returncode, 0, p.stderr)
        with open(self.outputs) as f:
            return json.load(f)[0]["tensor"]["data"]

    def test_forms(self):
        """In one another, differentiated twice, with writes inside."""
        for again, plain in (("nested", "plainly"), ("twice", "twice_plainly"), ("writes", "without")):
            for level in ("-O2", "-O1", "-O0"):
                with self.subTest(again, level=level):
                    for a, b in zip(self.result(again, level), self.result(plain, level)):
                        self.assertAlmostEqual(a, b, delta=1e-5 * (1 + abs(b)))

    def refusal(self, *options):
        p = run(TSMC, *options, "-o", self.program)
        self.assertEqual(p.returncode, 2, p.stderr)
        return p.stderr

    def test_refusals(self):
        """What is computed again reads what is there then."""
        self.result("fine", "-O2")
        said = self.refusal(self.source + ":overwritten")
        self.assertIn("aten::add_.Scalar changes a tensor that a gradient is computed from", said)
        self.assertIn("w.add_(1)\n    ~~~~~~ <--- HERE", said)
        self.assertIn("checkpoint() missing 1 required positional argument: 'function'", self.refusal(self.source + ":nothing_to_call"))
        archive = os.path.join(HERE, "archives", "Deep.pt")
        self.assertIn("--checkpoint Laye: nothing of this name is called", self.refusal(archive, "--checkpoint", "Laye"))
        self.assertIn("--checkpoint part: no method asks for gradients",
                      self.refusal(self.source + ":without_gradients", "--checkpoint", "part"))

    def test_without_gradients(self):
        """checkpoint() is a call then."""
        p = run(TSMC, self.source + ":without_gradients", "-o", self.program)
        self.assertEqual(p.returncode, 0, p.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

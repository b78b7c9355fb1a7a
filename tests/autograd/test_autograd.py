#!/usr/bin/env python3
"""Exports each function of programs.py and compares the gradients that it computes with PyTorch's recorded ones.

  test_autograd.py TSMC TSMRUN [one]      one: each function at one level, by turns, as builds with sanitizers do"""
import ast
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]
import formulas  # noqa: E402
from answers import differs  # noqa: E402
TSMC, TSMRUN = sys.argv[1:3]
LEVELS = ("-O2", "-O0")
IS_SHORT = sys.argv[3:] == ["one"]
with open(os.path.join(HERE, "expected.json")) as f:
    RECORDED = json.load(f)
with open(os.path.join(HERE, "refused.py")) as f:
    REFUSED = ast.literal_eval(f.read().partition("REFUSED = ")[2])
OVERWRITTEN = re.compile("one of the variables .* modified by an inplace operation|unsupported operation: some elements of the input tensor and the written-to")


class Autograd(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.program, self.inputs, self.outputs = (os.path.join(folder.name, n) for n in ("p.tsm", "in.json", "out.json"))
        with open(self.inputs, "w") as f:
            json.dump(RECORDED["inputs"], f)

    def export(self, entry, level, status):
        """Exports one function; what tsmc wrote to stderr."""
        p = subprocess.run([TSMC, os.path.join(HERE, entry), level, "-o", self.program], capture_output=True, text=True)
        self.assertEqual(p.returncode, status, p.stderr)
        return p.stderr

    def run_program(self, status, *options, sequence=False):
        arguments = "--sequence" if sequence else "--inputs"
        p = subprocess.run([TSMRUN, self.program, arguments, self.inputs, "--outputs", self.outputs, *options], capture_output=True, text=True)
        self.assertEqual(p.returncode, status, p.stderr)
        return p.stderr

    def test_programs(self):
        for number, (name, wanted) in enumerate(RECORDED["expected"].items()):
            entry = name if ".py:" in name else "programs.py:" + name
            for level in [LEVELS[number % 2]] if IS_SHORT else LEVELS:
                with self.subTest(name, level=level):
                    self.export(entry, level, 0)
                    self.run_program(0)
                    with open(self.outputs) as f:
                        self.assertIsNone(differs(json.load(f), wanted, name))

    def export_archive(self, name, level="-O2"):
        p = subprocess.run([TSMC, os.path.join(HERE, name), level, "-o", self.program], capture_output=True, text=True)
        self.assertEqual(p.returncode, 0, p.stderr)

    def test_learning(self):
        """Weights that one call changes are those of the next."""
        self.export_archive("learner.pt")
        calls, losses = RECORDED["learning"]
        with open(self.inputs, "w") as f:
            json.dump(calls, f)
        self.run_program(0, "--method", "learn", sequence=True)
        with open(self.outputs) as f:
            self.assertIsNone(differs(json.load(f), losses, "losses"))
        self.assertLess(losses[-1]["float"], losses[0]["float"] / 2)

    def test_training(self):
        """Three calls of each method of training.pt."""
        for level in LEVELS:
            self.export_archive("training.pt", level)
            for name, (calls, wanted) in RECORDED["training"].items():
                with self.subTest(name, level=level):
                    with open(self.inputs, "w") as f:
                        json.dump(calls, f)
                    self.run_program(0, "--method", name, sequence=True)
                    with open(self.outputs) as f:
                        self.assertIsNone(differs(json.load(f), wanted, name))

    def test_overwritten(self):
        """Where PyTorch raises at the request, the program is refused in its words, with the write's line."""
        for name, text in RECORDED["overwritten"].items():
            words = OVERWRITTEN.search(text).group()
            with self.subTest(name):
                said = self.export("overwritten.py:" + name, "-O2", 2)
                self.assertIn(words, said)
                self.assertRegex(said, r'File ".*overwritten.py", line \d+')

    def test_overwritten_late(self):
        """Where it is decided at run time what is written to, the request raises then; so do writes that overlap what
        they read."""
        for name, text in RECORDED["overwritten_late"].items():
            for level in LEVELS:
                with self.subTest(name, level=level):
                    self.export("overwritten.py:" + name, level, 0)
                    self.assertIn(OVERWRITTEN.search(text).group(), self.run_program(1))

    def test_network(self):
        self.export_archive("net.pt")
        for method, (arguments, wanted) in RECORDED["network"].items():
            with open(self.inputs, "w") as f:
                json.dump(arguments, f)
            self.run_program(0, "--method", method)
            with open(self.outputs) as f:
                self.assertIsNone(differs(json.load(f), wanted, method))

    def test_formulas(self):
        """Gradients are PyTorch's, and say how values change."""
        recorded = list(RECORDED["formulas"]["gradients"].items())
        self.assertEqual([e for e, _ in recorded], formulas.EXPRESSIONS)
        with open(self.inputs, "w") as f:
            json.dump(RECORDED["formulas"]["arguments"], f)
        source = os.path.join(os.path.dirname(self.program), "source.py")
        for first in range(0, len(recorded), 6):  # export takes longer than in proportion to the requests of a function
            some = range(first, min(first + 6, len(recorded)))
            with open(source, "w") as f:
                f.write(formulas.source(some))
            self.export(source + ":all", "-O2", 0)
            self.run_program(0)
            with open(self.outputs) as f:
                given = json.load(f)["tuple"]
            for number, one in zip(some, given):
                expression, wanted = recorded[number]
                with self.subTest(expression):
                    gradients, compared = one["tuple"]
                    self.check_gradients(gradients, wanted)
                    measured, expected = (v["float"] for v in compared["tuple"])
                    self.assertLessEqual(abs(measured - expected), formulas.tolerance(expression) * (1 + abs(measured)))

    def check_gradients(self, gradients, wanted):
        """A gradient of zeros is as good as none: PyTorch looks at the branch that was taken."""
        for gradient, reference in zip(gradients, wanted):
            if (reference is None) != (gradient is None):
                self.assertFalse(any((gradient or reference)["tensor"]["data"]))
            else:
                self.assertIsNone(differs(gradient, reference, "gradient"))

    def test_refusals(self):
        for name, text in REFUSED.items():
            with self.subTest(name):
                said = self.export("refused.py:" + name, "-O2", 2)
                self.assertIn(text, said)
                self.assertIn("<--- HERE", said)

    def test_exceptions(self):
        for name, text in RECORDED["raised"].items():
            with self.subTest(name):
                self.export(name if ".py:" in name else "programs.py:" + name, "-O2", 0)
                self.assertIn(text, self.run_program(1))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

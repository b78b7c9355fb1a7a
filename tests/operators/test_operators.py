#!/usr/bin/env python3
"""Exports each function of the programs and compares its answer with the recorded one of PyTorch.

  test_operators.py TSMC TSMRUN"""
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
TSMC, TSMRUN = sys.argv[1:3]
with open(os.path.join(HERE, "expected.json")) as f:
    RECORDED = json.load(f)


def differs(got, wanted, where):
    """What is different, or None."""
    if isinstance(wanted, dict) and isinstance(got, dict) and wanted.keys() == got.keys():
        return next(filter(None, (differs(got[k], wanted[k], where + "." + k) for k in wanted)), None)
    if isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        return next(filter(None, (differs(g, w, "%s[%d]" % (where, i)) for i, (g, w) in enumerate(zip(got, wanted)))), None)
    if isinstance(wanted, float) and isinstance(got, (int, float)):
        close = math.isnan(wanted) and math.isnan(got) or got == wanted or abs(got - wanted) <= 1e-5 + 1e-5 * abs(wanted)
        return None if close else "%s is %r, not %r" % (where, got, wanted)
    return None if got == wanted and type(got) == type(wanted) else "%s is %r, not %r" % (where, got, wanted)


class Operators(unittest.TestCase):
    def run_program(self, folder, name):
        """Exports and runs one function; the finished tsmrun, and where its answer is."""
        program, inputs, outputs = (os.path.join(folder, n) for n in ("p.tsm", "in.json", "out.json"))
        with open(inputs, "w") as f:
            json.dump(RECORDED["inputs"], f)
        p = subprocess.run([TSMC, os.path.join(HERE, name), "-o", program], capture_output=True, text=True)
        self.assertEqual(p.returncode, 0, p.stderr)
        return subprocess.run([TSMRUN, program, "--inputs", inputs, "--outputs", outputs], capture_output=True, text=True), outputs

    def test_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, wanted in RECORDED["expected"].items():
                with self.subTest(name):
                    p, outputs = self.run_program(folder, name)
                    self.assertEqual(p.returncode, 0, p.stderr)
                    with open(outputs) as f:
                        self.assertIsNone(differs(json.load(f), wanted, name))

    def test_failures(self):
        """Programs that raise, with a part of their text."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in RECORDED["failures"].items():
                with self.subTest(name):
                    p, _ = self.run_program(folder, name)
                    self.assertEqual(p.returncode, 1, p.stderr)
                    self.assertIn(text, p.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

#!/usr/bin/env python3
"""Exports each function of the programs and compares its answer with the recorded one of PyTorch.

  test_operators.py TSMC TSMRUN"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from answers import differs  # noqa: E402
TSMC, TSMRUN = sys.argv[1:3]
with open(os.path.join(HERE, "expected.json")) as f:
    RECORDED = json.load(f)


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

#!/usr/bin/env python3
"""Exports each function of programs.py and compares the numbers that it draws with those that PyTorch drew: the same
bits.

  test_random.py TSMC TSMRUN"""
import json
import os
import struct
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


def as_floats(v):
    return [as_floats(i) for i in v] if isinstance(v, list) else struct.unpack("f", struct.pack("f", v))[0]


def narrowed(v):
    """Numbers of float32 tensors as the floats that they stand for, however many digits they have."""
    if isinstance(v, list):
        return [narrowed(i) for i in v]
    if not isinstance(v, dict):
        return v
    if v.get("dtype") in ("float32", "complex64"):
        return {**v, "data": as_floats(v["data"])}
    return {k: narrowed(i) for k, i in v.items()}


class RandomNumbers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.program, self.inputs, self.outputs = (os.path.join(folder.name, n) for n in ("p.tsm", "in.json", "out.json"))
        with open(self.inputs, "w") as f:
            json.dump(RECORDED["inputs"], f)

    def run_program(self, name, status):
        """Exports and runs one function; what it wrote to stderr."""
        source = "%s:%s" % (os.path.join(HERE, "programs.py"), name)
        p = subprocess.run([TSMC, source, "-o", self.program], capture_output=True, text=True)
        self.assertEqual(p.returncode, 0, p.stderr)
        p = subprocess.run([TSMRUN, self.program, "--inputs", self.inputs, "--outputs", self.outputs], capture_output=True, text=True)
        self.assertEqual(p.returncode, status, p.stderr)
        return p.stderr

    def test_programs(self):
        for name, wanted in RECORDED["expected"].items():
            with self.subTest(name):
                self.run_program(name, 0)
                with open(self.outputs) as f:
                    self.assertIsNone(differs(narrowed(json.load(f)), narrowed(wanted), name, 0))

    def test_exceptions(self):
        for name, text in RECORDED["raised"].items():
            with self.subTest(name):
                self.assertIn(text, self.run_program(name, 1))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

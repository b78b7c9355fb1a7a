#!/usr/bin/env python3
"""Exports each function of programs.py and generators.py and compares the numbers that it draws with those that PyTorch
drew: the same bits.

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
with open(os.path.join(HERE, "generators.json")) as f:
    GENERATORS = json.load(f)


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

    def test_generators(self):
        """Two calls of each, with the program's state between them."""
        with open(self.inputs, "w") as f:
            json.dump([GENERATORS["inputs"]] * 2, f)
        for name, wanted in GENERATORS["twice"].items():
            for level in ("-O0", "-O2"):
                with self.subTest(name, level=level):
                    p = subprocess.run([TSMC, "%s:%s" % (os.path.join(HERE, "generators.py"), name), level, "-o", self.program],
                                       capture_output=True, text=True)
                    self.assertEqual(p.returncode, 0, p.stderr)
                    p = subprocess.run([TSMRUN, self.program, "--sequence", self.inputs, "--outputs", self.outputs],
                                       capture_output=True, text=True)
                    self.assertEqual(p.returncode, 0, p.stderr)
                    with open(self.outputs) as f:
                        self.assertIsNone(differs(narrowed(json.load(f)), narrowed(wanted), name, 0))

    def test_refused_generators(self):
        """Only PyTorch's own generator of the CPU, and none that begins anywhere."""
        for line, text in [("torch.Generator().seed()", "aten::seed"), ("torch.Generator().device", "no attribute or method 'device'"),
                           ("torch.Generator(\"cpu\")", "Expected at most 0 arguments but found 1 positional arguments")]:
            with self.subTest(line):
                source = self.program + ".py"
                with open(source, "w") as f:
                    f.write("import torch\n\n\ndef f(x: torch.Tensor):\n    return %s\n" % line)
                p = subprocess.run([TSMC, source + ":f", "-o", self.program], capture_output=True, text=True)
                self.assertEqual(p.returncode, 2)
                self.assertIn(text, p.stderr)

    def test_other_devices(self):
        source = self.program + ".py"
        with open(source, "w") as f:
            f.write("import torch\n\n\ndef f(x: torch.Tensor, y: torch.Tensor):\n"
                    "    return torch.rand(2, generator=torch.Generator(device=\"cuda\"))\n")
        subprocess.run([TSMC, source + ":f", "-o", self.program], check=True)
        p = subprocess.run([TSMRUN, self.program, "--inputs", self.inputs], capture_output=True, text=True)
        self.assertEqual(p.returncode, 1)
        self.assertIn("Unsupported device for at::make_generator_for_device found: cuda", p.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

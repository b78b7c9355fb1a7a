#!/usr/bin/env python3
"""Exports each function of the programs and compares its answer with the recorded one of PyTorch.

  test_operators.py TSMC_SERVER TSMRUN_SERVER FILE.py"""
import ast
import atexit
import json
import os
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from answers import differs  # noqa: E402
from fork_server import ForkServer  # noqa: E402
TSMC, TSMRUN = map(ForkServer, sys.argv[1:3])
FILE = sys.argv[3]
atexit.register(TSMC.close)
atexit.register(TSMRUN.close)
# A sanitizer's build spends time on every byte of the buffer.
ARENA = "24M"
KIND = FILE.split("_")[0].split(".")[0]
with open(os.path.join(HERE, "expected.json" if KIND == "programs" else "expected_%s.json" % KIND)) as f:
    RECORDED = json.load(f)


def of_file(kind):
    """What is recorded of the file's functions."""
    return {name: what for name, what in RECORDED.get(kind, {}).items() if name.startswith(FILE + ":")}


def listed():
    """The names of functions in the file's lists, which record.py records."""
    with open(os.path.join(HERE, FILE)) as f:
        lists = [n.value for n in ast.parse(f.read()).body if isinstance(n, ast.Assign) and
                 getattr(n.targets[0], "id", "") in ("PROGRAMS", "FAILURES", "REFUSED", "FAULTS")]
    return sorted(k.id for value in lists for k in (value.keys if isinstance(value, ast.Dict) else value.elts))


class Operators(unittest.TestCase):
    def export(self, folder, name, level):
        program = os.path.join(folder, "p.tsm")
        p = TSMC.run([os.path.join(HERE, name), level, "-o", program])
        self.assertEqual(p.returncode, 0, p.stderr)
        return program

    def run_exported(self, folder, program, *more):
        """The finished tsmrun, and where its answer is."""
        inputs, outputs = (os.path.join(folder, n) for n in ("in.json", "out.json"))
        with open(inputs, "w") as f:
            json.dump(RECORDED["inputs"] + list(more), f)
        return TSMRUN.run([program, "--arena", ARENA, "--inputs", inputs, "--outputs", outputs]), outputs

    def run_program(self, folder, name, level):
        return self.run_exported(folder, self.export(folder, name, level))

    def test_what_is_listed_is_recorded(self):
        kinds = ("expected", "failures", "refused", "faults")
        recorded = sorted(name.partition(":")[2] for kind in kinds for name in of_file(kind))
        self.assertTrue(recorded)
        self.assertEqual(listed(), recorded)

    def test_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, wanted in of_file("expected").items():
                for level in ("-O2", "-O0"):
                    with self.subTest(name, level=level):
                        p, outputs = self.run_program(folder, name, level)
                        self.assertEqual(p.returncode, 0, p.stderr)
                        with open(outputs) as f:
                            self.assertIsNone(differs(json.load(f), wanted, name))

    def test_failures(self):
        """Programs that raise, with a part of their text."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in of_file("failures").items():
                with self.subTest(name):
                    p, _ = self.run_program(folder, name, "-O2")
                    self.assertEqual(p.returncode, 1, p.stderr)
                    self.assertIn(text, p.stderr)

    def test_faults(self):
        """Programs that raise in each of several cases."""
        with tempfile.TemporaryDirectory() as folder:
            for name, texts in of_file("faults").items():
                program = self.export(folder, name, "-O2")
                for case, text in enumerate(texts):
                    with self.subTest(name, case=case):
                        p, _ = self.run_exported(folder, program, case)
                        self.assertEqual(p.returncode, 1, p.stderr)
                        self.assertIn(text, p.stderr)

    def test_refused(self):
        """Programs that cannot be compiled, with a part of the message."""
        for name, text in of_file("refused").items():
            with self.subTest(name):
                p = TSMC.run([os.path.join(HERE, name), "--dump", "ir"])
                self.assertEqual(p.returncode, 2, p.stderr)
                self.assertIn(text, p.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

#!/usr/bin/env python3
"""Every request for memory and every file call of tsmc and tsmrun fails once: a clear error, no crash, no half file.

  test_calls.py TSMC TSMRUN FAULTS sanitized|plain"""
import json
import os
import random
import shlex
import sys
import tempfile
import unittest

import runs

HERE = os.path.dirname(os.path.abspath(__file__))
TSMC, TSMRUN, FAULTS = sys.argv[1], shlex.split(sys.argv[2]), runs.Faults(sys.argv[3])
GROUPS = ("files",) if sys.argv[4] == "sanitized" else ("files", "memory")
OK, RAISED, BAD_INPUT, FAULT = 0, 1, 2, 3
MOST = 20 if sys.argv[4] == "sanitized" else 150  # of one command's calls; of more, a sample
SOURCE = """
import torch

class Point:
    def __init__(self, x: int):
        self.x = x

def classes(n: int) -> str:
    points = [Point(i) for i in range(n)]
    return ", ".join([str(p.x) for p in points])

def layers(x: Tensor) -> Tensor:
    return torch.relu(x * 2 + torch.ones(3)).sum()
"""
TENSOR = {"tensor": {"dtype": "float32", "shape": [3], "data": [1.0, -2.0, 3.0]}}
DIGITS = os.path.join(HERE, os.pardir, "models", "digits.pt")
EXAMPLE = os.path.join(HERE, os.pardir, "models", "digits_example.json")


class Calls(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.source = self.write("source.py", SOURCE)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w") as f:
            f.write(text)
        return self.path(name)

    def check(self, command, statuses):
        """Runs the command with each call failing once. It may go on without what it asked for, and then writes all."""
        out = self.path("out")
        command = [*command, out]
        for group in GROUPS:
            calls = FAULTS.count(command, group)
            with open(out, "rb") as f:
                whole = f.read()
            every = range(1, calls + 1)
            for at in every if calls <= MOST else sorted(random.Random(calls).sample(every, MOST)):
                if os.path.exists(out):
                    os.unlink(out)
                p = FAULTS.run(command, group, at)
                self.assertIn(p.returncode, (OK, *statuses), (command, group, at, p.stderr))
                if p.returncode != OK:
                    self.assertRegex(p.stderr, r"\w+ \w+", (command, group, at))
                if p.returncode == OK or os.path.exists(out):
                    with open(out, "rb") as f:
                        self.assertEqual(f.read(), whole, (command, group, at))
                self.assertEqual([name for name in os.listdir(self.folder) if name.endswith(".tmp")], [])

    def test_tsmc(self):
        for command in ([self.source + ":classes"], [self.source + ":layers"], [DIGITS], [DIGITS, "--example", EXAMPLE],
                        [self.source + ":layers", "--verify", "--example", self.write("x.json", json.dumps([TENSOR]))]):
            self.check([TSMC, *command, "-o"], (BAD_INPUT, FAULT))

    def test_tsmrun(self):
        for name, argument in (("classes", 12), ("layers", TENSOR)):
            program, inputs = self.path(name), self.write("in.json", json.dumps([argument]))
            self.assertEqual(FAULTS.run([TSMC, self.source + ":" + name, "-o", program], "files", 0).returncode, OK)
            for extra in ([], ["--profile"], ["--threads", "3", "--trace", "/dev/null"]):
                self.check([*TSMRUN, program, "--inputs", inputs, *extra, "--outputs"], (BAD_INPUT, FAULT))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])

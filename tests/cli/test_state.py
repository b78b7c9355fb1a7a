#!/usr/bin/env python3
"""tsmrun --save-state and --load-state: what a program has changed, kept in a file from run to run.

    test_state.py TSMC TSMRUN [unittest's options]"""
import os
import shlex
import subprocess
import sys
import tempfile
import unittest

TSMC, TSMRUN = sys.argv[1], shlex.split(sys.argv[2])
OK, RAISED, BAD_INPUT = 0, 1, 2
COUNTER = """
import torch
import torch.nn as nn

class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = %d
        self.register_buffer("sums", torch.zeros(3))

    def forward(self, k: int) -> str:
        if k == 0:
            raise ValueError("nothing to add")
        self.n += k
        self.sums.add_(float(k))
        return str(self.n) + " " + str(float(self.sums[0]))
"""


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


class State(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.program = self.export("counter", 0)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w") as f:
            f.write(text)
        return self.path(name)

    def export(self, name, first):
        self.write(name + ".py", COUNTER % first)
        out = self.path(name + ".tsm")
        p = run(TSMC, self.path(name + ".py") + ":Counter", "-o", out)
        self.assertEqual(p.returncode, OK, p.stderr)
        return out

    def count(self, k, *options, program=None, status=OK):
        p = run(*TSMRUN, program or self.program, "--inputs", self.write("in.json", "[%d]" % k), *options)
        self.assertEqual(p.returncode, status, p.stderr)
        return p.stdout.strip() if status == OK else p.stderr

    def test_counts_on(self):
        state = self.path("state")
        self.assertEqual(self.count(2, "--save-state", state), "'2 2.'")
        self.assertEqual(self.count(3, "--load-state", state, "--save-state", state), "'5 5.'")
        self.assertEqual(self.count(4, "--load-state", state), "'9 9.'")
        self.assertEqual(self.count(4, "--load-state", state), "'9 9.'")
        self.assertLess(os.path.getsize(state), 400)

    def test_a_call_that_fails_saves_nothing(self):
        state = self.path("state")
        self.count(0, "--save-state", state, status=RAISED)
        self.assertFalse(os.path.exists(state))

    def test_what_is_refused(self):
        state = self.path("state")
        self.count(2, "--save-state", state)
        other = self.export("other", 1)
        self.assertIn("state belongs to another program", self.count(2, "--load-state", state, program=other, status=BAD_INPUT))
        with open(state, "r+b") as f:
            f.seek(100)
            byte = f.read(1)
            f.seek(100)
            f.write(bytes([byte[0] ^ 1]))
        self.assertIn("state is damaged", self.count(2, "--load-state", state, status=BAD_INPUT))
        self.assertIn("there is no state", self.count(2, "--load-state", self.program, status=BAD_INPUT))
        self.assertIn("cannot open", self.count(2, "--load-state", self.path("none"), status=BAD_INPUT))
        self.assertIn("cannot write", self.count(2, "--save-state", self.path("none/state"), status=BAD_INPUT))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

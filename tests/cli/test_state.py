#!/usr/bin/env python3
"""tsmrun --save-state and --load-state: what a program has changed, kept in a file from run to run.

    test_state.py TSMC TSMRUN [unittest's options]"""
import json
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

KINDS = '''
import torch
import torch.nn as nn
from enum import Enum
from typing import Dict, List, Optional, Tuple

class Mood(Enum):
    CALM = 1
    BUSY = 2

class Kinds(nn.Module):
    def __init__(self):
        super().__init__()
        self.mood = Mood.CALM
        self.seen: Dict[str, List[int]] = {}
        self.by_number: Dict[int, torch.Tensor] = {}
        self.last: Optional[torch.Tensor] = None
        self.pair: Tuple[int, torch.Tensor] = (0, torch.zeros(2))
        self.register_buffer("table", torch.zeros(2, 3))
        self.view = self.table.view(6)

    def forward(self, word: str, k: int) -> str:
        if word not in self.seen:
            empty: List[int] = []
            self.seen[word] = empty
        self.seen[word].append(k)
        self.mood = Mood.BUSY if k % 2 == 0 else Mood.CALM
        self.by_number[k] = torch.full([2], float(k))
        self.last = self.by_number[k]
        self.pair = (self.pair[0] + k, self.pair[1] + 1.0)
        self.view[k % 6] = float(k)
        self.table = self.table + 1.0 if k > 5 else self.table
        last = self.last
        assert last is not None
        last.add_(0.5)
        return (str(self.seen) + str(self.by_number) + str(self.pair) + str(self.table) + str(self.view)
                + str(self.mood == Mood.BUSY))
'''


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

    def test_values_of_every_kind(self):
        """Dicts, lists, enums, tuples, tensors with one memory: run by run as in one run."""
        self.write("kinds.py", KINDS)
        program, state, one = self.path("kinds.tsm"), self.path("kinds.state"), self.path("one.json")
        p = run(TSMC, self.path("kinds.py") + ":Kinds()", "-o", program)
        self.assertEqual(p.returncode, OK, p.stderr)
        calls = [["a", 2], ["b", 3], ["a", 7], ["c", 4]]
        p = run(*TSMRUN, program, "--sequence", self.write("calls.json", json.dumps(calls)), "--outputs", one)
        self.assertEqual(p.returncode, OK, p.stderr)
        results = []
        for i, call in enumerate(calls):
            inputs, out = self.write("call.json", json.dumps(call)), self.path("out.json")
            options = ["--load-state", state] if i else []
            p = run(*TSMRUN, program, "--inputs", inputs, "--outputs", out, "--save-state", state, *options)
            self.assertEqual(p.returncode, OK, p.stderr)
            with open(out) as f:
                results.append(json.load(f))
        with open(one) as f:
            self.assertEqual(results, json.load(f))

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

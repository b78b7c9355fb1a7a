#!/usr/bin/env python3
"""Ten steps of each module that record_classics.py lists, exported from archives and from the source: losses and
weights against PyTorch's recorded ones.

  test_classics.py TSMC TSMRUN K N [one]     of N parts of the modules part K, from 0 on; with `one`, each module at one
                                             level of optimization instead of at all"""
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

import sources

HERE = os.path.dirname(os.path.abspath(__file__))
TSMC, TSMRUN = sys.argv[1:3]
LEVELS = ("-O2", "-O0", "-O1")
PART, PARTS = (int(a) for a in sys.argv[3:5])
IS_SHORT = sys.argv[5:] == ["one"]
with open(os.path.join(HERE, "classics.json")) as f:
    RECORDED = json.load(f)


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


class Classics(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.program, self.inputs, self.outputs = (os.path.join(folder.name, n) for n in ("p.tsm", "in.json", "out.json"))
        with open(self.inputs, "w") as f:
            json.dump(RECORDED["inputs"], f)

    def steps(self, source, level):
        """Loss and weights of each step."""
        p = run(TSMC, source, level, "-o", self.program)
        self.assertEqual(p.returncode, 0, p.stderr)
        p = run(TSMRUN, self.program, "--method", "forward", "--sequence", self.inputs, "--outputs", self.outputs)
        self.assertEqual(p.returncode, 0, p.stderr)
        with open(self.outputs) as f:
            results = [r["tuple"] for r in json.load(f)]
        return [[loss["float"], [w["tensor"]["data"] for w in weights]] for loss, weights in results]

    def compare(self, got, wanted):
        self.assertEqual(len(got), len(wanted))
        for (loss, weights), (wanted_loss, wanted_weights) in zip(got, wanted):
            numbers = [(loss, wanted_loss)] + [(a, b) for w, v in zip(weights, wanted_weights) for a, b in zip(w, v)]
            self.assertEqual([len(w) for w in weights], [len(w) for w in wanted_weights])
            worst = max(abs(a - b) / (1 + abs(b)) for a, b in numbers)
            self.assertTrue(math.isfinite(worst) and worst <= 1e-5, "differs by %g" % worst)

    def test_steps(self):
        for number, (name, wanted) in list(enumerate(RECORDED["steps"].items()))[PART::PARTS]:
            archive = os.path.join(HERE, "archives", name + ".pt")
            for k, source in enumerate([archive, sources.write(self.folder, RECORDED["sources"][name])]):
                for level in [LEVELS[(number + k) % len(LEVELS)]] if IS_SHORT else LEVELS:
                    with self.subTest(name, source=os.path.basename(source), level=level):
                        self.compare(self.steps(source, level), wanted)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

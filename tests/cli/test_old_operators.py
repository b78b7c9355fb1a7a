#!/usr/bin/env python3
"""Archives of older versions: every operator that changed since, in the last version with its old meaning and in the
first with today's. Answers are those of PyTorch 1.13.1, and of 2.6 for archives that say their byte order.

    test_old_operators.py TSMC TSMRUN ROOT"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

from old_archives import BYTES, CASES, INPUT, MATH, TORCH_2, write_archive

TSMC, TSMRUN, ROOT = sys.argv[1:4]


class OldOperators(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def answer(self, version, code):
        """Numbers, or the text of an error."""
        archive, program, inputs, outputs = (os.path.join(self.folder.name, n) for n in ("a.pt", "a.tsm", "in.json", "out.json"))
        write_archive(archive, version, code)
        with open(inputs, "w") as f:
            json.dump([{"tensor": {"dtype": "int64", "shape": [3], "data": INPUT}}], f)
        p = subprocess.run([TSMC, archive, "-o", program], capture_output=True, text=True)
        if p.returncode == 0:
            p = subprocess.run([TSMRUN, program, "--inputs", inputs, "--outputs", outputs], capture_output=True, text=True)
        if p.returncode:
            return p.stderr
        with open(outputs) as f:
            return json.load(f)["tensor"]["data"]

    def check(self, got, wanted):
        if isinstance(wanted, str):
            self.assertIn(wanted, got)
            return
        self.assertEqual([type(g) for g in got], [type(w) for w in wanted])
        for g, w in zip(got, wanted, strict=True):
            self.assertAlmostEqual(g, w, places=4)

    def test_each_operator(self):
        for name, (version, code, before, since) in CASES.items():
            with self.subTest(name):
                self.check(self.answer(version - 1, code), before)
                self.check(self.answer(version, code), since)

    def test_masks_of_bools(self):
        """What PyTorch 2 does not refuse is not changed."""
        for mask in ("torch.gt(x, 0)", "torch.to(%s, dtype=11)" % BYTES, "torch.tensor([True, False, True])"):
            with self.subTest(mask):
                self.check(self.answer(TORCH_2, "return torch.masked_fill(x, %s, True)" % mask), [1, -7, 1])

    def test_masks_that_do_not_fill(self):
        """Masks of bytes that index_put takes in PyTorch 2, too: with more values, more indices, or sums."""
        for values, wanted in (("[%s], torch.tensor([1, 2])" % BYTES, [1, -7, 2]), ("[%s], torch.tensor(1), True" % BYTES, [5, -7, 10]),
                               ("[torch.gt(x, 0)], torch.tensor(1)", [1, -7, 1]), ("[torch.tensor([0, 2])], torch.tensor(1)", [1, -7, 1])):
            with self.subTest(values):
                self.check(self.answer(TORCH_2, "return torch.index_put_(x, %s)" % values), wanted)
        rows = "torch.reshape(torch.repeat(x, [2]), [2, 3])"
        self.check(self.answer(TORCH_2, "return (torch.index_put_(%s, [torch.tensor([0, 1]), %s], torch.tensor(1)))[0]" % (rows, BYTES)), [1, -7, 9])

    def test_new_arguments(self):
        self.check(self.answer(TORCH_2, MATH % "None, scale=1."), [0.6520656])

    def test_table_is_tested(self):
        with open(os.path.join(ROOT, "exporter", "emit", "upgraders.c")) as f:
            rows = re.findall(r'\{"aten::\w+", "(\w+)", (\w+)\}', f.read())
        self.assertEqual({name: version for name, version in rows},
                         {name: "TORCH_2" if case[0] == TORCH_2 else str(case[0]) for name, case in CASES.items()})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

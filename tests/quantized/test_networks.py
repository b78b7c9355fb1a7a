#!/usr/bin/env python3
"""Runs random quantized networks (networks.py) at several levels and compares with PyTorch's answers:

  test_networks.py TSMC TSMRUN [FOLDER]    without FOLDER: those of networks.tar.xz"""
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
TSMC, TSMRUN = sys.argv[1:3]
FOLDER = sys.argv[3] if len(sys.argv) > 3 else None
TOLERANCE = 1e-4  # of the largest element, for what lies between floats; a step of quantized tensors is more


class Networks(unittest.TestCase):
    def run_network(self, folder, scratch, name, options):
        program, inputs, outputs = (os.path.join(scratch, n) for n in ("p.tsm", "in.json", "out.json"))
        for command in ([TSMC, os.path.join(folder, name + ".pt"), "-o", program] + options,
                        [TSMRUN, program, "--inputs", inputs, "--outputs", outputs]):
            p = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(p.returncode, 0, p.stderr)
        with open(outputs) as f:
            return json.load(f)["tensor"]

    def check_folder(self, folder, scratch):
        with open(os.path.join(folder, "answers.json")) as f:
            answers = json.load(f)
        self.assertTrue(answers)
        inputs = os.path.join(scratch, "in.json")
        for name, case in answers.items():
            with open(inputs, "w") as f:
                json.dump([case["input"]], f)
            wanted = case["output"]["tensor"]
            for options in (["-O0"], ["-O2"], ["--example", inputs]):
                with self.subTest(name=name, options=options[0]):
                    got = self.run_network(folder, scratch, name, options)
                    self.assertEqual((got["dtype"], got["shape"]), (wanted["dtype"], wanted["shape"]))
                    limit = TOLERANCE * max([1.0] + [abs(w) for w in wanted["data"]])
                    worst = max(abs(g - w) for g, w in zip(got["data"], wanted["data"]))
                    self.assertLessEqual(worst, limit)

    def test_networks(self):
        with tempfile.TemporaryDirectory() as scratch:
            if FOLDER:
                self.check_folder(FOLDER, scratch)
                return
            unpacked = os.path.join(scratch, "networks")
            with tarfile.open(os.path.join(HERE, "networks.tar.xz")) as archive:
                archive.extractall(unpacked)
            self.check_folder(unpacked, scratch)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

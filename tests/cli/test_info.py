#!/usr/bin/env python3
"""What files say of themselves: tsmc --meta, --info of tsmc and tsmrun, and what they refuse.

    test_info.py TSMC TSMRUN [unittest's options]"""
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import unittest

TSMC, TSMRUN = sys.argv[1], sys.argv[2].split()
OK, BAD_INPUT = 0, 2
SOURCE = '''
import torch
from typing import NamedTuple, Optional, Tuple

class Out(NamedTuple):
    scores: torch.Tensor
    count: int

def named(x: torch.Tensor, n: int = 3, m: Optional[torch.Tensor] = None) -> Out:
    """Scores of "x"."""
    return Out(x * n, n)

def pair(x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    return torch.cat([x, x], 1), (x > 0.0).sum()

def chosen(x: torch.Tensor) -> torch.Tensor:
    return x[x > 0.5]
'''


class Info(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.folder = cls.holder.name
        cls.source = cls.write("nets.py", SOURCE)

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    @classmethod
    def write(cls, name, text):
        path = os.path.join(cls.folder, name)
        with open(path, "w") as f:
            f.write(text)
        return path

    def run_program(self, *command, status=OK):
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def export(self, entry, *options):
        out = os.path.join(self.folder, "out.tsm")
        self.run_program(TSMC, "%s:%s" % (self.source, entry), "-o", out, *options)
        return out

    def example(self):
        return self.write("example.json", json.dumps([{"tensor": {"dtype": "float32", "shape": [2, 3], "data": [0.5] * 6}}]))

    def info(self, path):
        """The JSON, which both programs print, as they print the same text."""
        texts = [self.run_program(*program, path, "--info", "--json").stdout for program in ([TSMC], TSMRUN)]
        self.assertEqual(texts[0], texts[1])
        plain = [self.run_program(*program, "--info", path).stdout for program in ([TSMC], TSMRUN)]
        self.assertEqual(plain[0], plain[1])
        return json.loads(texts[0]), plain[0]

    def test_names_types_and_words(self):
        path = self.export("named", "--meta", "author=A \"B\"", "--meta", "empty=", "--meta", "equation=a=b")
        found, text = self.info(path)
        with open(self.source, "rb") as f:
            digest = hashlib.sha256(f.read()).hexdigest()
        self.assertEqual([(e["key"], e["value"]) for e in found["metadata"]],
                         [("author", 'A "B"'), ("empty", ""), ("equation", "a=b"), ("source", "nets.py"), ("source.sha256", digest)])
        version = self.run_program(TSMC, "--version").stdout.strip()
        self.assertEqual((found["producer"], found["bytes"], found["test_cases"]), (version, os.path.getsize(path), 0))
        method, = found["methods"]
        self.assertEqual((method["name"], method["doc"], method["buffer_bytes"]), ("named", 'Scores of "x".', 0))
        self.assertEqual(method["inputs"], [{"name": "x", "type": "Tensor"}, {"name": "n", "type": "int"},
                                            {"name": "m", "type": "Optional[Tensor]"}])
        self.assertEqual(method["outputs"], [{"name": "scores", "type": "Tensor"}, {"name": "count", "type": "int"}])
        for line in ('author: A "B"', "source: nets.py", '  "Scores of "x"."', "  in   x: Tensor", "  out  count: int"):
            self.assertIn(line, text.splitlines())

    def test_sizes_of_the_example(self):
        found, text = self.info(self.export("pair", "--example", self.example()))
        method, = found["methods"]
        self.assertEqual(method["inputs"], [{"name": "x", "type": "Tensor", "dtype": "float32", "sizes": [2, 3]}])
        self.assertEqual(method["outputs"], [{"name": "", "type": "Tensor", "dtype": "float32", "sizes": [2, 6]},
                                             {"name": "", "type": "Tensor", "dtype": "int64", "sizes": []}])
        self.assertGreater(method["buffer_bytes"], 0)
        self.assertIn("  out  Tensor float32[2, 6]", text.splitlines())

    def test_sizes_that_the_example_does_not_decide(self):
        method, = self.info(self.export("chosen", "--example", self.example()))[0]["methods"]
        self.assertEqual(method["inputs"][0]["sizes"], [2, 3])
        self.assertEqual(method["outputs"], [{"name": "", "type": "Tensor"}])

    def test_arguments_that_are_no_tensors(self):
        tensor = {"tensor": {"dtype": "float32", "shape": [2, 3], "data": [0.5] * 6}}
        example = self.write("mixed.json", json.dumps([tensor, 2, None]))
        method, = self.info(self.export("named", "--example", example))[0]["methods"]
        self.assertEqual([i.get("sizes") for i in method["inputs"]], [[2, 3], None, None])
        self.assertEqual([i.get("dtype") for i in method["inputs"]], ["float32", None, None])

    def test_stripped(self):
        found, _ = self.info(self.export("named", "--strip", "--meta", "k=v"))
        self.assertEqual(found["metadata"], [{"key": "k", "value": "v"}])
        self.assertEqual(found["methods"][0]["doc"], "")

    def test_hashes_of_all_lengths(self):
        for n in range(0, 140, 7):
            path = self.write("long.py", "def f(x: int) -> int:\n    return x\n#" + "y" * n)
            out = os.path.join(self.folder, "long.tsm")
            self.run_program(TSMC, path + ":f", "-o", out)
            with open(path, "rb") as f:
                digest = hashlib.sha256(f.read()).hexdigest()
            self.assertEqual(self.info(out)[0]["metadata"][1], {"key": "source.sha256", "value": digest})

    def test_misuse(self):
        path = self.export("pair")
        for command, text in (([TSMC, self.source + ":pair", "-o", path + "x", "--meta", "novalue"], "--meta wants KEY=VALUE, not novalue"),
                              ([TSMC, self.source + ":pair", "-o", path + "x", "--meta", "=v"], "--meta wants KEY=VALUE, not =v"),
                              ([TSMC, path, "--json"], "--json is for --info"),
                              ([TSMC, path, "--info", "--check"], "--info goes with --json only"),
                              ([TSMC, self.source, "--info"], "nets.py"),
                              (TSMRUN + [path, "--info", "--bench", "3"], "--info runs nothing"),
                              (TSMRUN + [self.source, "--info"], "nets.py")):
            with self.subTest(command):
                self.assertIn(text, self.run_program(*command, status=BAD_INPUT).stderr)
        with open(path, "rb") as f:
            whole = f.read()
        damaged = os.path.join(self.folder, "damaged.tsm")
        with open(damaged, "wb") as f:
            f.write(whole[:len(whole) // 2])
        for program in ([TSMC], TSMRUN):
            self.run_program(*program, "--info", damaged, status=BAD_INPUT)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

#!/usr/bin/env python3
"""tsmc --shape and --bound: a buffer that is enough for every call inside of the bounds.

    test_bounds.py TSMC TSMRUN [unittest's options]"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

TSMC, TSMRUN = map(os.path.abspath, sys.argv[1:3])
SOURCE = """import torch


def network(x: torch.Tensor, y: torch.Tensor, k: int) -> torch.Tensor:
    h = torch.relu(x @ y)
    return torch.cat([h, h * 2.0, torch.softmax(h, 1)], 0).sum(0) + float(k)


def most_between(x: torch.Tensor, y: torch.Tensor, k: int) -> torch.Tensor:
    n = x.size(0)
    rows = 4000 if n > 14 and n < 26 else 8
    return torch.ones(rows, 8).cumsum(0)[-1] + (x @ y).sum()
"""


def tensor(*shape):
    n = 1
    for size in shape:
        n *= size
    return {"tensor": {"dtype": "float32", "shape": list(shape), "data": [(i * 7 % 11) / 11 for i in range(n)]}}


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


class Bounds(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        with open(self.path("net.py"), "w") as f:
            f.write(SOURCE)
        self.example = self.write("example.json", [tensor(2, 30), tensor(30, 8), 1])

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, value):
        with open(self.path(name), "w") as f:
            json.dump(value, f)
        return self.path(name)

    def tsmc(self, *options, entry="network"):
        return run(TSMC, self.path("net.py") + ":" + entry, "--example", self.example, *options)

    def export(self, name, *options, entry="network"):
        p = self.tsmc("-o", self.path(name), *options, entry=entry)
        self.assertEqual(p.returncode, 0, p.stderr)
        return self.path(name)

    def buffer(self, path):
        return int(re.search(r"buffer (\d+) bytes", run(TSMRUN, "--info", path).stdout)[1])

    def call(self, path, n, m, *options):
        inputs = self.write("inputs.json", [tensor(n, 30), tensor(30, m), 1])
        return run(TSMRUN, path, "--inputs", inputs, "--outputs", self.path("out.json"), *options)

    def result(self):
        with open(self.path("out.json")) as f:
            return json.load(f)

    def test_calls_between_may_need_most(self):
        bounded = self.export("bounded.tsm", "--shape", "x:N,30", "--bound", "N=2..40", entry="most_between")
        size = self.buffer(bounded)
        for n in (2, 14, 20, 25, 39, 40):
            with self.subTest(n=n):
                p = self.call(bounded, n, 8, "--arena", str(size))
                self.assertEqual(p.returncode, 0, p.stderr)

    def test_the_stated_buffer_is_enough_for_all_calls(self):
        bounded = self.export("bounded.tsm", "--shape", "x:N,30", "--shape", "y:30,4*M", "--bound", "N=1..40", "--bound", "M=1..16")
        exact, plain = self.export("exact.tsm"), self.export("plain.tsm", "--no-example")
        size = self.buffer(bounded)
        self.assertGreater(size, self.buffer(exact))
        for n, m in ((40, 16), (39, 16), (40, 15), (1, 1), (2, 2), (17, 9)):
            with self.subTest(n=n, m=m):
                p = self.call(plain, n, 4 * m)
                self.assertEqual(p.returncode, 0, p.stderr)
                wanted = self.result()
                p = self.call(bounded, n, 4 * m, "--arena", str(size))
                self.assertEqual(p.returncode, 0, p.stderr)
                got = self.result()
                self.assertEqual(got["tensor"]["shape"], wanted["tensor"]["shape"])
                for a, b in zip(got["tensor"]["data"], wanted["tensor"]["data"]):
                    self.assertAlmostEqual(a, b, places=4)
        p = self.call(bounded, 400, 64, "--arena", str(size))
        self.assertNotEqual(p.returncode, 0)
        self.assertIn("the buffer is too small", p.stderr)
        self.assertEqual(self.call(bounded, 400, 64).returncode, 0)

    def test_the_largest_call_is_planned(self):
        plan = self.tsmc("--shape", "x:N,30", "--bound", "N=1..40", "--dump", "plan").stdout
        largest = self.write("largest.json", [tensor(40, 30), tensor(30, 8), 1])
        wanted = run(TSMC, self.path("net.py") + ":network", "--example", largest, "--dump", "plan").stdout
        self.assertEqual(plan.splitlines()[1:3], wanted.splitlines()[1:3])

    def test_dump(self):
        p = self.tsmc("--shape", "x:N,30", "--shape", "y:30,4*M", "--bound", "N=1..40", "--bound", "M=2..2", "--dump", "ir")
        self.assertTrue(p.stdout.startswith("# x: [N, 30]\n# y: [30, 4*M]\n# N: 1..40\n# M: 2..2\n"), p.stdout)

    def test_refused(self):
        n, shape = ("--bound", "N=1..40"), ("--shape", "x:N,30")
        for options, text in (
                (shape, "give --bound N=LEAST..MOST"), (n, "no --shape names N"), (shape + ("--bound", "N=1-4"), "--bound wants NAME"),
                (shape + ("--bound", "N=4..1"), "nothing lies in this range"), (shape + n + n, "N has a bound already"),
                (shape + shape + n, "'x' has a shape already"), (n + ("--shape", "x:N;30"), "--shape wants ARGUMENT"),
                (n + ("--shape", "x"), "--shape wants ARGUMENT"), (n + ("--shape", "x:N,"), "--shape wants ARGUMENT"),
                (n + ("--shape", "z:N,30"), "has no such argument"), (n + ("--shape", "k:N"), "the argument is no tensor"),
                (n + ("--shape", "x:N,30,1"), "3 sizes, and the example's tensor has 2 dimensions"),
                (n + ("--shape", "x:N,31"), "size 1 is 31, and the example's is 30"),
                (n + ("--shape", "x:4*N,30"), "size 0 is 4 times N, and the example's is 2"),
                (shape + ("--bound", "N=3..40"), "N is 2 in the example, and its bounds are 3 and 40"),
                (n + ("--shape", "x:N,30", "--shape", "y:30,N"), "N is 8 in the example, and 2 before"),
                (shape + ("--bound", "N=1..99999999"), "the largest call has"),
                (shape + ("--bound", "N=1..99999999999999999999"), "--bound wants NAME"),
                (n + shape + ("--example", self.example.replace("example", "other")), "")):
            with self.subTest(options=options):
                self.write("other.json", [tensor(3, 30), tensor(30, 8), 1])
                p = self.tsmc("-o", self.path("no.tsm"), *options)
                self.assertEqual(p.returncode, 2, p.stderr)
                self.assertIn(text or "give one --example", p.stderr)
        p = run(TSMC, self.path("net.py") + ":network", "-o", self.path("no.tsm"), *shape, *n)
        self.assertIn("want the types and elements of an --example", p.stderr)
        self.assertFalse(os.path.exists(self.path("no.tsm")))


    def test_formulas(self):
        """--dump ir states which sizes follow from the names, and what does not follow is not stated."""
        with open(self.path("shapes.py"), "w") as f:
            f.write("""import torch
import torch.nn.functional as F


def shapes(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    y = F.max_pool2d(torch.relu(F.conv2d(x, w, stride=[2, 2], padding=[1, 1])), [2, 2])
    n, c, h, v = y.shape
    t = y.reshape(n, c, h * v).transpose(1, 2)
    a = torch.softmax(t @ t.transpose(1, 2), -1)
    k = torch.nonzero(a > 0.5)
    return torch.cat([a, a], 1).sum([1, 2]) + k.sum()
""")
        example = self.write("shapes.json", [tensor(1, 3, 32, 32), tensor(8, 3, 3, 3)])
        p = run(TSMC, self.path("shapes.py") + ":shapes", "--example", example, "--dump", "ir:fold_constants",
                "--shape", "x:N,3,H,4*W", "--shape", "w:8,3,3,3", "--bound", "N=1..2", "--bound", "H=32..64", "--bound", "W=8..16")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertTrue(p.stdout.startswith("# x: [N, 3, H, 4*W]\n# w: [8, 3, 3, 3]\n# N: 1..2\n"))
        for text in ("x.0 : Tensor(N, 3, H, 4*W)", " : Tensor(N, 8, (H+1)//2, 2*W) = aten::conv2d", "y.11 : Tensor(N, 8, (H+1)//4, W) = aten::max_pool2d",
                     "v.16 : int(W)", " : Tensor(N, ((H+1)//4)*W, 8) = aten::transpose", "a.27 : Tensor(N, ((H+1)//4)*W, ((H+1)//4)*W) = aten::softmax",
                     " : Tensor(N, 2*((H+1)//4)*W, ((H+1)//4)*W) = aten::cat", " : Tensor = aten::nonzero", " : Tensor(N) = aten::sum"):
            self.assertIn(re.sub(r"\.\d+ :", " :", text), re.sub(r"\.\d+ :", " :", p.stdout))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

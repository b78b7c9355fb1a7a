#!/usr/bin/env python3
"""Every limit of tsmc has a program that goes beyond it: an error that names the limit, its value and the line, or a
program that runs as well as others.

  test_limits.py TSMC TSMRUN"""
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

TSMC, TSMRUN = sys.argv[1], shlex.split(sys.argv[2])
OK, BAD_INPUT = 0, 2
MODULE = """import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        %s

    def forward(self, x: int):
        return x
"""
# Limits that other tests go beyond.
ELSEWHERE = {"expression depth": "unit/test_parser.c", "indentation": "unit/test_parser.c", "value depth": "unit/test_archive.c",
             "bytecode depth": "mobile/test_mobile.py", "python steps": "modules/test_modules.py"}
# Limits that only take time or memory to reach: what is below them works in every test of examples.
TOO_LARGE = {"example", "evaluation"}


def chain(first, text, n, last=""):
    return first + "".join(text.format(i=i + 1, before=i) for i in range(n)) + last


def limits():
    """Name -> (value, what becomes of what goes beyond)."""
    printed = subprocess.run([TSMC, "--limits"], check=True, capture_output=True, text=True).stdout
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in printed.splitlines()[2:]]
    return {row[0]: (int(row[1]), row[3]) for row in rows}


class Limits(unittest.TestCase):
    seen = set(ELSEWHERE) | TOO_LARGE

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.out = os.path.join(self.folder, "out.tsm")

    def tsmc(self, source, name, *options):
        path = os.path.join(self.folder, "source.py")
        with open(path, "w") as f:
            f.write(source)
        return subprocess.run([TSMC, path + ":" + name, "-o", self.out, *options], capture_output=True, text=True, timeout=100)

    def refused(self, limit, source, name, *options, line=None, value=None):
        p = self.tsmc(source, name, *options)
        self.assertEqual(p.returncode, BAD_INPUT, p.stderr[:2000])
        self.assertRegex(p.stderr, r"more than %d .*\(tsmc's limit '%s'\)" % (value or limits()[limit][0], limit), p.stderr[:2000])
        if line:
            self.assertIn("source.py\", line %d\n" % line, p.stderr[:2000])
        self.assertFalse(os.path.exists(self.out))
        Limits.seen.add(limit)

    def runs(self, limit, source, name, argument, expected, *options):
        p = self.tsmc(source, name, *options)
        self.assertEqual(p.returncode, OK, p.stderr[:2000])
        inputs, outputs = os.path.join(self.folder, "in.json"), os.path.join(self.folder, "out.json")
        with open(inputs, "w") as f:
            json.dump([argument], f)
        p = subprocess.run([*TSMRUN, self.out, "--inputs", inputs, "--outputs", outputs], capture_output=True, text=True, timeout=100)
        self.assertEqual(p.returncode, OK, p.stderr)
        with open(outputs) as f:
            self.assertEqual(json.load(f), expected)
        Limits.seen.add(limit)

    def test_classes(self):
        circle = "class A(B):\n    def __init__(self):\n        self.x = 1\n\nclass B(A):\n    pass\n\ndef f(x: int) -> int:\n    return A().x\n"
        self.assertIn("class 'A' inherits from itself", self.tsmc(circle, "f").stderr)
        raises = "class A(B):\n    pass\n\nclass B(A):\n    pass\n\ndef f(x: int) -> int:\n    if x > 2:\n        raise A('no')\n    return x\n"
        self.assertIn("class 'A' inherits from itself", self.tsmc(raises, "f").stderr)
        modules = "import torch\n\nclass A(B):\n    def forward(self, x):\n        return x\n\nclass B(A):\n    pass\n"
        self.assertIn("class 'A' inherits from itself", self.tsmc(modules, "A").stderr)
        self.refused("base depth", chain("import torch\n\nclass C0(torch.nn.Module):\n    def forward(self, x):\n        return x\n",
                                         "\nclass C{i}(C{before}):\n    pass\n", 5000), "C5000")
        self.refused("base depth", chain("class C0(Exception):\n    pass\n", "\nclass C{i}(C{before}):\n    pass\n", 5000,
                                         "\ndef f(x: int) -> int:\n    if x > 2:\n        raise C5000('no')\n    return x\n"), "f")
        wide = chain("class C0:\n    pass\n", "\nclass C{i}(C{before}, C{before}):\n    pass\n", 60,
                     "\ndef f(x: int) -> int:\n    if x > 2:\n        raise C60('no')\n    return x\n")
        self.assertIn(self.tsmc(wide, "f").returncode, (OK, BAD_INPUT))

    def test_calls(self):
        self.refused("call depth", chain("def f0(x: int) -> int:\n    return x\n", "\ndef f{i}(x: int) -> int:\n    return f{before}(x) + 1\n", 5000),
                     "f5000", line=12005)
        circle = "def f(x: int) -> int:\n    return g(x)\n\ndef g(x: int) -> int:\n    return f(x)\n"
        self.assertIn("called recursively", self.tsmc(circle, "f").stderr)

    def test_inlining(self):
        """2^31 calls are not all inlined; 2^17 still run, most of them as calls."""
        head, step = "def f0(x: int) -> int:\n    return x * 3 + 1\n", "\ndef f{i}(x: int) -> int:\n    return f{before}(x) - f{before}(x + 1)\n"
        self.assertEqual(self.tsmc(chain(head, step, 31), "f31").returncode, OK)
        self.runs("inlined nodes", chain("def f0(x: int) -> int:\n    return x\n", "\ndef f{i}(x: int) -> int:\n    return f{before}(x) + f{before}(x + 1)\n", 17),
                  "f17", 5, 2 ** 17 * 5 + 17 * 2 ** 16)

    def test_types(self):
        self.refused("type depth", chain("def f(x: int):\n    x0 = [x]\n", "    x{i} = [x{before}]\n", 3000, "    return x3000\n"), "f", line=202)
        self.refused("type parts", chain("def f(x: int):\n    x0 = (x, x)\n", "    x{i} = (x{before}, x{before})\n", 32, "    return x32\n"), "f", line=16)

    def test_blocks(self):
        returns = "    if x == {i}:\n        return {before}\n"
        self.refused("block depth", chain("def f(x: int) -> int:\n", returns, 5000, "    return x\n"), "f", line=2003)

    def test_growth(self):
        """Time (that of tsmc() here) and memory grow no faster than the blocks inside one another and the calls."""
        returns = "    if x == {i}:\n        return x * {i}\n"
        self.runs_with(120, chain("def f(x: int) -> int:\n", returns, 990, "    return x\n"))
        calls = chain("def g(x: int) -> int:\n", returns, 30, "    return x\n\n") + chain("def f(x: int) -> int:\n", "    x = g(x)\n", 150, "    return x\n")
        self.runs_with(130, calls)

    def runs_with(self, memory, source):
        p = self.tsmc(source, "f", "--memory", str(memory))
        self.assertEqual(p.returncode, OK, p.stderr[:1000])

    def test_stack(self):
        self.refused("stack", MODULE % "self.a = []\n        self.a.append(self.a)", "Net")

    def test_aliases_in_a_circle(self):
        for aliases in ("A = B\nB = A\n", "A = Optional[B]\nB = List[A]\n", "A = List[A]\n"):
            p = self.tsmc("from typing import *\n" + aliases + "\ndef f(x: A) -> int:\n    return 1\n", "f")
            self.assertEqual(p.returncode, BAD_INPUT, p.stderr[:2000])
            self.assertRegex(p.stderr, "Unknown type name '[AB]'")

    def test_memory(self):
        for line in ("torch.zeros(10 ** 12)", "','.join(['x' * 1000000] * 10000)", "float(torch.zeros(10000, 10000).sum())",
                     "torch.ones(1).expand(10 ** 9).clone()"):
            self.refused("memory", MODULE % ("self.a = " + line), "Net", "--memory", "64", value=64)
        self.refused("memory", MODULE % "self.a = 'ab'\n        for i in range(60):\n            self.a = self.a + self.a", "Net", "--memory", "64", value=64, line=8)
        self.refused("memory", MODULE % "self.a = torch.zeros(10 ** 12)", "Net")
        for text in ("0", "-1", "x", "99999999999"):
            p = self.tsmc(MODULE % "pass", "Net", "--memory", text)
            self.assertEqual(p.returncode, BAD_INPUT)
            self.assertIn("--memory wants a number of MiB", p.stderr)

    def test_construction(self):
        source = "import torch\n\ndef down(n):\n    return down(n + 1)\n\n" + (MODULE % "self.a = down(0)")[len("import torch\n\n"):]
        self.refused("python depth", source, "Net", line=4)
        self.refused("evaluation work", MODULE % "self.a = torch.ones(3).repeat(10 ** 10)", "Net", line=6)
        for line in ("[0] * 10 ** 12", "'x' * 10 ** 12", "[i for i in range(10 ** 11)]", "10 ** (10 ** 9)", "1 << 10 ** 12", "list(range(2 ** 62))",
                     "'%0999999999999d' % 3", "f'{3:99999999999}'"):
            p = self.tsmc(MODULE % ("self.a = " + line), "Net")
            self.assertEqual(p.returncode, BAD_INPUT, line)
            self.assertIn("source.py\", line 6\n", p.stderr)

    def test_folding(self):
        """What would take long is left to run time, where fuel limits it."""
        endless = "def f(x: int) -> int:\n    return x + len('x'.replace('', '', 4611686018427387904))\n"
        self.assertEqual(self.tsmc(endless, "f").returncode, OK)
        Limits.seen.add("folding work")
        self.runs("folding", "def f(x: int) -> int:\n    return x + len('x'.ljust(1000000))\n", "f", 5, 1000005)
        short, long = ("def f(x: int) -> int:\n    for i in range(%d):\n        x = x * 3 + i\n    return x\n" % n for n in (16, 17))
        example = os.path.join(self.folder, "example.json")
        with open(example, "w") as f:
            json.dump([1], f)

        def loops(source):
            self.assertEqual(self.tsmc(source, "f", "--example", example).returncode, OK)
            return subprocess.run([TSMC, os.path.join(self.folder, "source.py") + ":f", "--example", example, "--dump", "ir:specialize"],
                                  capture_output=True, text=True).stdout.count("prim::Loop")
        self.assertEqual(loops(long) - loops(short), 1)
        Limits.seen.update(("unrolled turns",))
        many = "def f(x: int) -> int:\n    for i in range(16):\n%s    return x\n" % ("        x = x * 3 + i\n" * 20)
        self.assertEqual(loops(many), loops(long))
        Limits.seen.update(("unrolled nodes",))

    def test_rounds_of_passes(self):
        """Each length decides the branch that makes the next list, a round for each. What is not reached stays."""
        def branches(n):
            lists = "".join("    if len(l%d) == %d:\n        l%d = %s\n    else:\n        l%d = [x]\n" % (i, i + 1, i + 1, ["x"] * (i + 2), i + 1) for i in range(n))
            return ("def f(x: int) -> int:\n    l0 = [x]\n%s    return len(l%d)\n" % (lists, n)).replace("'", "")
        rounds = limits()["pass rounds"][0]

        def ifs(n):
            self.assertEqual(self.tsmc(branches(n), "f").returncode, OK)
            return subprocess.run([TSMC, os.path.join(self.folder, "source.py") + ":f", "--dump", "ir:fuse_set_item"], capture_output=True, text=True).stdout.count("prim::If")
        self.assertEqual(ifs(rounds - 2), 0)
        self.assertGreater(ifs(rounds + 5), 0)
        self.runs("pass rounds", branches(rounds + 5), "f", 1, rounds + 6)

    def test_z_every_limit_is_tested(self):
        self.assertEqual(set(limits()), Limits.seen)
        for limit, path in ELSEWHERE.items():
            with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, path)) as f:
                self.assertTrue(re.search(limit, f.read()) or limit == "python steps", limit)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

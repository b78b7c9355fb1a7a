#!/usr/bin/env python3
"""Names and texts of models in the files of tsmc --emit-c, which must compile whatever their authors wrote.

    test_emit_c.py TSMC INCLUDE_FOLDER CC CXX [unittest's options]"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

TSMC, INCLUDE, CC, CXX = sys.argv[1:5]
OK, BAD_INPUT = 0, 2
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-c", "-I", INCLUDE]

SOURCE = """
import torch
from torch import nn

class Names(nn.Module):
    def forward(self, m: torch.Tensor, new: torch.Tensor, restrict: torch.Tensor, result: torch.Tensor, Result: torch.Tensor,
                \u00e9: torch.Tensor, \u00e8: torch.Tensor) -> torch.Tensor:
        return torch.cat([m + new, restrict + result, Result + \u00e9, \u00e8])

    @torch.jit.export
    def open(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @torch.jit.export
    def open_(self, x: torch.Tensor) -> torch.Tensor:
        return x * 3

    @torch.jit.export
    def file(self, x: torch.Tensor) -> torch.Tensor:
        return x * 4

    @torch.jit.export
    def Forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 5

class Texts(nn.Module):
    def forward(self, x: torch.Tensor, ends: str = "*/ int extra; /* \\" \\n */", splits: str = "*\\\\\\n/ int extra; /*",
                by: float = 2.5) -> torch.Tensor:
        return x * by + float(len(ends) + len(splits))
"""
FILES = "auto", "class", "exp", "index", "int", "main", "printf", "size_t", "tsm", "4x4", "a-b"


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


class EmitC(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        with open(self.path("model.py"), "w", encoding="utf-8") as f:
            f.write(SOURCE)

    def path(self, name):
        return os.path.join(self.folder, name)

    def export(self, what, name, *options):
        p = run(TSMC, self.path("model.py:" + what), "-o", self.path(name), *options)
        self.assertEqual(p.returncode, OK, p.stderr)
        return self.path(name)

    def example(self, count):
        path = self.path("%d.json" % count)
        with open(path, "w") as f:
            json.dump([{"tensor": {"dtype": "float32", "shape": [2], "data": [1, 2]}}] * count, f)
        return path

    def header_of(self, program):
        """The text of NAME.h, when C and C++ have compiled it."""
        p = run(TSMC, program, "--emit-c", self.folder)
        self.assertEqual(p.returncode, OK, p.stderr)
        name = re.sub("[^A-Za-z0-9]", "_", os.path.splitext(os.path.basename(program))[0])
        name = "_" + name if name[0].isdigit() else name
        with open(self.path("both.cpp"), "w") as f:
            f.write('#include <cmath>\n#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n#include <ctime>\n#include "%s.h"\n' % name)
        for command in ([CC, "-std=c11"], [CC, "-std=gnu17", "-include", "math.h", "-include", "stdio.h"]):
            p = run(*command, *WARNINGS, self.path(name + ".c"), "-o", self.path("c.o"))
            self.assertEqual(p.returncode, 0, p.stderr)
        p = run(CXX, "-std=c++17", *WARNINGS, self.path("both.cpp"), "-o", self.path("cpp.o"))
        self.assertEqual(p.returncode, 0, p.stderr)
        with open(self.path(name + ".h")) as f:
            return f.read()

    def test_words_of_c_as_names_of_files(self):
        program = self.export("Texts", "model.tsm")
        for name in FILES:
            with self.subTest(name):
                other = self.path(name + ".tsm")
                os.rename(program, other)
                program = other
                self.header_of(program)
        os.rename(program, self.path("operators.tsm"))
        p = run(TSMC, self.path("operators.tsm"), "--emit-c", self.folder)
        self.assertEqual(p.returncode, BAD_INPUT)
        self.assertIn("operators.c, which is for the operator table", p.stderr)

    def test_names_that_are_others_in_c(self):
        one = self.example(1)
        examples = ["--example", self.example(7)] + [o for m in ("open", "open_", "file", "Forward") for o in ("--example", m + "=" + one)]
        header = self.header_of(self.export("Names", "auto.tsm", *examples))
        functions = re.findall(r"^tsm_status (\w+)\(", header, re.M)
        self.assertEqual(len(functions), 6, functions)
        self.assertEqual(len(set(functions)), 6, functions)
        macros = [m for m in re.findall(r"^#define (\w+) \d", header, re.M)]
        self.assertEqual(len(set(macros)), len(macros), macros)
        self.assertIn("float *in_m, float *in_new, float *in_restrict", header)

    def test_texts_do_not_leave_their_comments(self):
        header = self.header_of(self.export("Texts", "texts.tsm"))
        self.assertIn(r"""forward(Tensor x, str ends="* / int extra; / * \" \n * /", str splits="*\\\n/ int extra; / *", float by=2.5) -> Tensor */""",
                      header)
        self.assertNotIn("extra;", re.sub(r"/\*.*?\*/", "", header, flags=re.S))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])

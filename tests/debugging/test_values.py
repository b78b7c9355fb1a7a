#!/usr/bin/env python3
"""tsmrun --values: what every operator gave.

    test_values.py TSMC TSMRUN"""
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

TSMC, TSMRUN = sys.argv[1:3]
OK, RAISED, BAD_INPUT = 0, 1, 2
SOURCE = """
import torch
from typing import Any, List

def inner(x: torch.Tensor) -> torch.Tensor:
    return torch.relu(x)

def f(x: torch.Tensor, n: int) -> torch.Tensor:
    y = inner(x)
    for i in range(n):
        y = y + float(i)
    if n > 5:
        raise ValueError("too many")
    y.mul_(2.0)
    parts = torch.split(y, 2)
    return torch.cat([parts[0], parts[0]])

def kinds(x: torch.Tensor, z: torch.Tensor, d: List[int]) -> torch.Tensor:
    a = x > 0.0
    b = x.to(torch.int64)
    c = torch.abs(z) + x[0]
    s = x.item() if x.dim() == 0 else float(x[2].item())
    e = torch.zeros([0, 3])
    return c * s + e.sum() + a.sum() + b.sum()


def around() -> int:
    l: List[Any] = []
    l.append(l)
    l.append(l)
    return len(l[0:2])
"""


def tensor(shape, data, dtype="float32"):
    return {"tensor": {"dtype": dtype, "shape": shape, "data": data}}


class Values(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        with open(self.path("source.py"), "w") as f:
            f.write(SOURCE)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def export(self, name, *options):
        subprocess.run([TSMC, self.path("source.py:" + name), "-o", self.path("out.tsm"), "-O1"] + list(options), check=True)

    def run_program(self, arguments, *options, status=OK):
        with open(self.path("in.json"), "w") as f:
            json.dump(arguments, f)
        p = subprocess.run([TSMRUN, self.path("out.tsm"), "--inputs", self.path("in.json")] + list(options),
                           capture_output=True, text=True)
        self.assertEqual(p.returncode, status, p.stderr)
        return p

    def values(self, arguments, *options, status=OK):
        self.run_program(arguments, "--values", self.path("values.json"), *options, status=status)
        with open(self.path("values.json")) as f:
            return json.load(f)["operators"]

    X = tensor([4], [-1.0, 2.0, 3.0, 0.0])

    def test_operators_in_order(self):
        self.export("f")
        found = self.values([self.X, 2])
        self.assertEqual([o["call"] for o in found], list(range(len(found))))
        names = [o["operator"] for o in found]
        self.assertEqual([n for n in names if n != "aten::Float.Scalar"],
                         ["aten::relu", "aten::add.Scalar", "aten::add.Scalar", "aten::mul_.Scalar", "aten::split.Tensor",
                          "aten::cat"])
        source = self.path("source.py")
        self.assertEqual(found[0]["lines"], [source + ":6", source + ":9"])
        self.assertEqual(found[0]["outputs"], [{"dtype": "float32", "shape": [4], "min": 0.0, "max": 3.0, "mean": 1.25,
                                                "nan": 0, "inf": 0}])
        changed = found[names.index("aten::mul_.Scalar")]["outputs"][0]
        self.assertEqual((changed["min"], changed["max"]), (2.0, 8.0))
        parts = found[names.index("aten::split.Tensor")]["outputs"][0]["items"]
        self.assertEqual([p["shape"] for p in parts], [[2], [2]])
        self.assertEqual(found[-1]["lines"], [source + ":16"])

    def test_kinds(self):
        self.export("kinds")
        x = tensor([4], [1.0, math.nan, 2.0, -math.inf])
        z = tensor([2], [[3.0, 4.0], [0.0, math.inf]], "complex64")
        found = self.values([x, z, []])
        by_name = {}
        for o in found:
            by_name.setdefault(o["operator"].split(".")[0], o["outputs"])
        self.assertEqual(by_name["aten::gt"][0], {"dtype": "bool", "shape": [4], "min": 0.0, "max": 1.0, "mean": 0.5,
                                                        "nan": 0, "inf": 0})
        self.assertEqual(by_name["aten::abs"][0]["inf"], 1)
        self.assertEqual(by_name["aten::abs"][0]["max"], 5.0)
        self.assertEqual(by_name["aten::zeros"][0], {"dtype": "float32", "shape": [0, 3], "min": None, "max": None,
                                                     "mean": None, "nan": 0, "inf": 0})
        self.assertEqual(by_name["tsm::float_item"][0], {"value": {"float": 2.0}})

    def test_list_that_contains_itself(self):
        self.export("around")
        items = self.values([])[-1]["outputs"][0]["items"]
        for _ in range(63):
            items = items[0]["items"]
        self.assertEqual(items[0], {"kind": "nested"})

    def test_elements_and_filters(self):
        self.export("f")
        source = self.path("source.py")
        for wanted, names in (("relu", ["aten::relu"]), ("aten::add", ["aten::add.Scalar"] * 2),
                              ("add.Scalar", ["aten::add.Scalar"] * 2), ("aten::add.Scalar", ["aten::add.Scalar"] * 2),
                              ("16", ["aten::cat"]), ("source.py:16", ["aten::cat"]), (source + ":9", ["aten::relu"]),
                              ("add.Tensor", []), ("other.py:16", []), ("ad", []), ("99", [])):
            found = self.values([self.X, 2], "--values-filter", wanted, "--values-elements")
            self.assertEqual([o["operator"] for o in found], names, wanted)
        found = self.values([self.X, 2], "--values-filter", "relu", "--values-elements")
        self.assertEqual(found[0]["outputs"][0]["value"], tensor([4], [0.0, 2.0, 3.0, 0.0]))

    def test_with_other_options(self):
        self.export("f", "--strip")
        found = self.values([self.X, 2], "--trace", self.path("trace.json"), "--profile")
        self.assertEqual(found[0]["lines"], [])
        with open(self.path("trace.json")) as f:
            traced = json.load(f)["traceEvents"]
        self.assertEqual([o["operator"] for o in found], [e["name"] for e in traced[:-1]])

    def test_programs_that_raise(self):
        self.export("f")
        found = self.values([self.X, 6], status=RAISED)
        self.assertEqual(found[0]["operator"], "aten::relu")

    def test_misuse(self):
        self.export("f")
        for options, text in ((["--values-filter", "relu"], "are for --values"), (["--values-elements"], "are for --values"),
                              (["--values", self.path("no/such/file.json")], "cannot write"),
                              (["--values", self.path("v.json"), "--bench", "2"], "goes with neither"),
                              (["--values", self.path("v.json"), "--check"], "goes with neither")):
            self.assertIn(text, self.run_program([self.X, 1], *options, status=BAD_INPUT).stderr)
        self.assertFalse(os.path.exists(self.path("v.json")))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

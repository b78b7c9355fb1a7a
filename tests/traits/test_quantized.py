#!/usr/bin/env python3
"""Operators called with quantized tensors, against what PyTorch does with them (quantized.json.xz, made by
record_quantized.py): the same is refused, and results have the same dtypes, quantizers and elements. What differs is in
quantized_differences.txt, with the reason.

  test_quantized.py TSMC_SERVER TSMRUN_SERVER"""
import json
import lzma
import os
import re
import sys
import unittest

import mobile
import operators
import probes
import quantized
from answers import differs

TSMC, TSMRUN = sys.argv[1:3]
MANY = 60  # samples that share a program
with lzma.open(quantized.ANSWERS, "rt") as f:
    TORCH = json.load(f)
ROWS = operators.read_rows()
BY_NAME = {o.name: o for o in operators.implemented()}


def read_differences():
    """Operators of which something differs."""
    with open(os.path.join(quantized.HERE, "quantized_differences.txt")) as f:
        return set(re.findall(r"^(\w+::[\w.]+)$", f.read(), re.M))


def parts_of(sample):
    name, _, text = sample.partition("(")
    return name, text[:-1]


def source(samples):
    """One function `probe` that calls sample number `which`."""
    tensors = sorted({t for s in samples for t in probes.tensors_of(parts_of(s)[1])})
    lines = ["import torch", "from typing import Any, List", "", "",
             "def probe(which: int%s) -> Any:" % "".join(", %s: torch.Tensor" % t for t in tensors)]
    for i, (name, text) in enumerate(map(parts_of, samples)):
        call = "torch.ops.%s(%s)" % (BY_NAME[name].base().replace("::", "."), text)
        gives = probes.results_of(BY_NAME[name])
        lines += ["    if which == %d:" % i] + (["        return " + call] if gives else ["        " + call, "        return None"])
    return "\n".join(lines + ["    return None", ""]), tensors


def difference(got, torch):
    """How an answer differs from PyTorch's, or None."""
    if isinstance(got, str):
        return None if torch in (quantized.REFUSED, quantized.RAISES) else "raises %s" % got[-200:]
    if torch in (quantized.REFUSED, quantized.RAISES):
        return "computes where PyTorch " + ("refuses" if torch == quantized.REFUSED else "raises")
    return torch is not None and differs(got, torch, "result", 1e-4) or None


def comparable(name, answer):
    """The answer without its elements where those are whatever the memory held."""
    if "uninitialized" not in operators.traits.traits_of(ROWS, BY_NAME[name]) or not isinstance(answer, dict):
        return answer
    return {"tensor": {k: v for k, v in answer["tensor"].items() if k != "data"}}


class Quantized(unittest.TestCase):
    def one(self, m, which, tensors, variant):
        given = [variant[t] if t in variant else probes.tensor(t, 0) for t in tensors]
        answer = m.call([[which] + given])
        return answer if isinstance(answer, str) else answer[0]

    def test_all(self):
        known, wrong, different = read_differences(), [], set()
        samples = sorted(TORCH)
        with mobile.Mobile(TSMC, TSMRUN) as m:
            for start in range(0, len(samples), MANY):
                some = samples[start:start + MANY]
                text, tensors = source(some)
                p = m.export(text)
                self.assertEqual(p.returncode, 0, p.stderr)
                for which, sample in enumerate(some):
                    name, call = parts_of(sample)
                    for given, torch in zip(quantized.arguments(call), TORCH[sample]):
                        got = self.one(m, which, tensors, dict(zip(probes.tensors_of(call), given)))
                        what = difference(comparable(name, got), comparable(name, torch))
                        if what:
                            different.add(name)
                            wrong += [] if name in known else ["%s: %s" % (sample, what)]
        self.assertEqual(wrong, [], "%d differ:\n" % len(wrong) + "\n".join(wrong))
        self.assertEqual(sorted(known - different), [], "these do not differ any more")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

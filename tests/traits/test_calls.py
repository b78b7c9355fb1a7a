#!/usr/bin/env python3
"""Operators called with tensors of a kind (calls.py), against what PyTorch does with them (KIND.json.xz, made by
record_calls.py): the same is refused, and results have the same dtypes, quantizers and elements. What differs is in
KIND_differences.txt, with the reason: an operator, and behind it the labels of the calls where not all of them differ.

  test_calls.py KIND TSMC_SERVER TSMRUN_SERVER"""
import itertools
import re
import sys
import unittest

import calls
import mobile
import operators
import probes
from answers import differs

KIND = calls.kind_of(sys.argv[1])
TSMC, TSMRUN = sys.argv[2:4]
MANY = 60  # samples that share a program
TOLERANCES = {"float16": 4e-3, "float64": 1e-10}
TORCH, LATER = calls.recorded(KIND), calls.recorded(KIND, of_later=True)
ROWS = operators.read_rows()
BY_NAME = {o.name: o for o in operators.implemented()}


def parts_of(sample):
    name, _, text = sample.partition("(")
    return name, text[:-1]


def source(samples):
    """One function `probe` that calls sample number `which`."""
    tensors = sorted({t for s in samples for t in probes.tensors_of(parts_of(s)[1])})
    lines = ["import torch", "from typing import Any, List", "", "",
             "def probe(which: int%s) -> Any:" % "".join(", %s: torch.Tensor" % t for t in tensors),
             "    torch.manual_seed(0)"]
    for i, (name, text) in enumerate(map(parts_of, samples)):
        call = "torch.ops.%s(%s)" % (BY_NAME[name].base().replace("::", "."), text)
        gives = probes.results_of(BY_NAME[name])
        lines += ["    if which == %d:" % i] + (["        return " + call] if gives else ["        " + call, "        return None"])
    return "\n".join(lines + ["    return None", ""]), tensors


def difference(got, torch, later, label):
    """How an answer differs from PyTorch's, or None."""
    if later is not None and not isinstance(got, str):
        return differs(got, later, "result", tolerance(later, label)) or None
    if isinstance(got, str):
        return None if torch in (calls.REFUSED, calls.RAISES) else "raises %s" % got[-200:].strip()
    if torch == calls.REFUSED:
        return None if label == KIND.COMPUTES_REFUSED else "computes where PyTorch refuses"
    if torch == calls.RAISES:
        return "computes where PyTorch raises"
    return torch is not None and differs(got, torch, "result", tolerance(torch, label)) or None


def tolerance(torch, label):
    is_single = label == "float64" and any(t["dtype"] == "float32" for t in probes.tensors_in(torch))
    return 1e-4 if is_single else TOLERANCES.get(label, 1e-4)


def comparable(name, answer):
    """The answer without its elements where those are whatever the memory held."""
    if "uninitialized" not in operators.traits.traits_of(ROWS, BY_NAME[name]) or not isinstance(answer, dict):
        return answer
    return {"tensor": {k: v for k, v in answer["tensor"].items() if k != "data"}}


class Call:
    """A variant of a sample, and what PyTorch answers."""

    def __init__(self, which, sample, variant, tensors, torch, later):
        self.sample, self.name, self.variant, self.label = sample, parts_of(sample)[0], variant, KIND.label(variant)
        self.torch, self.later = torch, later
        self.arguments = [which] + [KIND.tensor(t, variant.get(t)) for t in tensors]


def run(m, some):
    """The answer of each call, or the text of its error. A call that ends the process ends it for the others too."""
    answers = m.call([{"inputs": c.arguments, "may_raise": True} for c in some])
    if isinstance(answers, list):
        return [a["raised"] if isinstance(a, dict) and "raised" in a else a for a in answers]
    half = len(some) // 2
    return run(m, some[:half]) + run(m, some[half:]) if half else [answers]


class Calls(unittest.TestCase):
    def differences(self, m, samples):
        """[(call, how its answer differs or None)]. What is not compiled is refused."""
        text, tensors = source(samples)
        p = m.export(text)
        if p.returncode and len(samples) > 1:
            half = len(samples) // 2
            return self.differences(m, samples[:half]) + self.differences(m, samples[half:])
        self.assertIn(p.returncode, (0, 2), p.stderr)
        made = self.calls_of(samples, tensors)
        answers = run(m, made) if not p.returncode else [p.stderr] * len(made)
        return [(c, difference(comparable(c.name, a), comparable(c.name, c.torch), c.later, c.label)) for c, a in zip(made, answers)]

    def calls_of(self, samples, tensors):
        made = []
        for which, sample in enumerate(samples):
            later = LATER.get(sample, itertools.repeat(None))
            for variant, *answers in zip(KIND.variants(parts_of(sample)[1]), TORCH[sample], later):
                made.append(Call(which, sample, variant, tensors, *answers))
        return made

    def test_all(self):
        known, wrong, different = calls.read_differences(KIND), [], set()
        samples = sorted(TORCH)
        with mobile.Mobile(TSMC, TSMRUN) as m:
            for start in range(0, len(samples), MANY):
                for c, what in self.differences(m, samples[start:start + MANY]):
                    if what:
                        found = {(c.name, c.label), (c.name, None)}
                        different |= found
                        wrong += [] if known & found else ["%s %s: %s" % (c.sample, c.variant, what)]
        self.assertEqual(wrong, [], "%d differ:\n" % len(wrong) + "\n".join(wrong))
        self.assertEqual(sorted(map(str, known - different)), [], "these do not differ any more")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

#!/usr/bin/env python3
"""Operators whose destination overlaps itself or an argument, against what PyTorch says (overlaps.json, made by
record_overlaps.py). Where it computes, the answer is that with a destination of its own.

  test_overlaps.py TSMC_SERVER TSMRUN_SERVER"""
import json
import os
import sys
import unittest

import mobile
import operators
import overlaps
import probes

TSMC, TSMRUN = sys.argv[1:3]
ROWS = operators.read_rows()
BY_NAME = {o.name: o for o in operators.implemented()}
with open(os.path.join(operators.HERE, "overlaps.json")) as f:
    TORCH = json.load(f)
# Refused here, though PyTorch computes: it looks at one argument only; of destinations of other dtypes, 2.6 refuses
# those of median.
STRICTER = {"aten::addbmm.out", "aten::addmv.out", "aten::kthvalue.values", "aten::median.out", "aten::nanmedian.out",
            "aten::_logcumsumexp.out", "aten::_aminmax.out", "aten::_aminmax.dim_out"}
# Results that were not asked for have no elements here, so that there is nothing to overlap.
NOT_ASKED_FOR = {"aten::unique_dim.out", "aten::unique_dim_consecutive.out"}
# Computed here, though PyTorch 1.13 refuses the destination's dtype: it takes any for magnitudes of complex numbers;
# 2.6 takes the others.
ANY_DTYPE = {"aten::abs.out", "aten::absolute.out", "aten::addcdiv.out", "aten::addcmul.out",
             "aten::pow.Tensor_Scalar_out", "aten::square.out"}
# Elements count as they are in the destination's dtype: as a byte 0.5 is nothing.
COUNTED_AS_DESTINED = {"aten::all", "aten::any"}
MANY = 20  # operators that share a program


def chosen(record):
    """The recorded (destination, arrangement), in the order of the program."""
    return [(int(k.partition(" ")[0]), k.partition(" ")[2]) for k in record if k[0].isdigit()]


def source(names):
    parts = [probes.PRELUDE]
    for i, name in enumerate(names):
        r = TORCH[name]
        parts.append(overlaps.program(i, BY_NAME[name], r["call"], r["destinations"], chosen(r)))
    tensors = sorted({t for n in names for t in probes.tensors_of(TORCH[n]["call"])})
    parts.append("def probe(which: int, how: int%s) -> torch.Tensor:" % "".join(", %s: torch.Tensor" % t for t in tensors))
    for i, name in enumerate(names):
        given = "".join(", " + t for t in probes.tensors_of(TORCH[name]["call"]))
        parts += ["    if which == %d:" % i, "        return probe%d(how%s)" % (i, given)]
    return "\n".join(parts + ["    return torch.zeros([])", ""]), [probes.tensor(t, 0) for t in tensors]


def is_comparable(name):
    """Whether all answers are those of the plain call. A tensor that is changed in place holds something else."""
    words = operators.traits.traits_of(ROWS, BY_NAME[name])
    return not BY_NAME[name].is_inplace() and "random" not in words


class Overlaps(unittest.TestCase):
    def setUp(self):
        self.wrong = []

    def expect(self, holds, where, what):
        if not holds:
            self.wrong.append("%s: %s" % (where, what))

    def check_answers(self, name, answers):
        """Of one operator: arrangement -> an answer or an error's text."""
        plain = answers["0 plain"]
        for arrangement, answer in answers.items():
            where, torch = "%s(%s), %s" % (name, TORCH[name]["call"], arrangement), TORCH[name][arrangement]
            said = overlaps.verdict(answer, arrangement[2:]) if isinstance(answer, str) else ""
            # Where elements of a destination share a place, PyTorch may let one win; here that is refused.
            stricter = not torch and (said == "self" or said in ("input", "dtype") and name in STRICTER)
            known = (stricter or torch == "other" and said or not said and name in NOT_ASKED_FOR or
                     torch == "dtype" and name in ANY_DTYPE)
            self.expect(said == torch or known, where, "PyTorch says '%s', here: %s" % (torch, answer))
            if arrangement == "0 other" and isinstance(answer, list):
                answer = [{"tensor": dict(answer[0]["tensor"], dtype=TORCH[name]["destinations"][0][1])}]
            if arrangement == "0 other" and BY_NAME[name].base() in COUNTED_AS_DESTINED:
                continue
            if isinstance(answer, list) and arrangement[:1] == "0" and isinstance(plain, list) and is_comparable(name):
                self.expect(probes.same(answer, plain), where, "%s is not %s" % (answer, plain))

    def test_all(self):
        names = [n for n in TORCH if n in BY_NAME]
        self.assertEqual(sorted(set(TORCH) - set(names)), [])
        with mobile.Mobile(TSMC, TSMRUN) as m:
            for start in range(0, len(names), MANY):
                some = names[start:start + MANY]
                text, given = source(some)
                p = m.export(text)
                self.assertEqual(p.returncode, 0, p.stderr)
                for i, name in enumerate(some):
                    keys = [k for k in TORCH[name] if k[0].isdigit()]
                    self.check_answers(name, {k: m.call([[i, how] + given]) for how, k in enumerate(keys)})
        self.assertEqual(self.wrong, [], "%d differ:\n" % len(self.wrong) + "\n".join(self.wrong))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

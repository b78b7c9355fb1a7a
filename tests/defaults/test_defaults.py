#!/usr/bin/env python3
"""Default values of parameters and attributes of modules, of every kind (values.py), against what PyTorch makes of
them.

  test_defaults.py TSMC_SERVER TSMRUN_SERVER"""
import json
import os
import sys
import tempfile
import unittest

import values

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from answers import differs  # noqa: E402
from fork_server import ForkServer  # noqa: E402

TSMC, TSMRUN = sys.argv[1:3]
with open(os.path.join(HERE, "expected.json")) as f:
    EXPECTED = json.load(f)


def joined(kind, some):
    """A program `all_of` that returns what PyTorch takes of `some`."""
    if kind == values.ATTRIBUTE:
        return values.source("all_of", some[0], kind)
    functions = "\n\n".join(values.default("f%d" % i, v, kind) for i, v in enumerate(some))
    return values.PRELUDE + functions + "\n\ndef all_of():\n    return %s,\n" % ", ".join("f%d()" % i for i in range(len(some)))


class Defaults(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source, self.program, self.result = (os.path.join(folder.name, n) for n in ("s.py", "p.tsm", "o.json"))
        self.tsmc, self.tsmrun = ForkServer(TSMC), ForkServer(TSMRUN)
        self.addCleanup(self.tsmc.close)
        self.addCleanup(self.tsmrun.close)

    def run_all(self, kind, some):
        """The results, or the text of an error."""
        with open(self.source, "w") as f:
            f.write(joined(kind, some))
        p = self.tsmc.run([self.source + ":all_of", "-O0", "-o", self.program])
        if p.returncode == 0:
            p = self.tsmrun.run([self.program, "--outputs", self.result])
        if p.returncode:
            return p.stderr or "status %d" % p.returncode
        with open(self.result) as f:
            result = json.load(f)
        return [result] if kind == values.ATTRIBUTE else result["tuple"]

    def results(self, kind, some):
        got = self.run_all(kind, some) if kind != values.ATTRIBUTE else ""
        if isinstance(got, list):
            return got
        each = [self.run_all(kind, [v]) for v in some]
        return [e[0] if isinstance(e, list) else e.strip().split("\n")[0] for e in each]

    def test_taken(self):
        wrong = []
        for kind, row in EXPECTED.items():
            some = [v for v in values.VALUES if isinstance(row[v], list) and v not in values.DIFFERENT]
            for value, got in zip(some, self.results(kind, some) if some else []):
                what = differs(got, row[value][0], "it")
                wrong += ["%s = %s: %s" % (kind, value, what)] if what else []
        self.assertEqual(wrong, [], "\n".join(wrong))

    def test_refused(self):
        wrong = []
        for kind in values.REFUSING:
            for value in values.VALUES:
                if EXPECTED[kind][value] not in (values.REFUSED, values.RAISES) or value in values.DIFFERENT:
                    continue
                with open(self.source, "w") as f:
                    f.write(values.source("f", value, kind))
                p = self.tsmc.run([self.source + ":f", "--dump", "ir"])
                wrong += [] if p.returncode == 2 else ["%s = %s: status %d" % (kind, value, p.returncode)]
        self.assertEqual(wrong, [], "\n".join(wrong))

    def test_differences(self):
        """Each is one with some type."""
        for value in values.DIFFERENT:
            different = False
            for kind, row in EXPECTED.items():
                if different or row[value] is None:
                    continue
                got = self.run_all(kind, [value])
                took = isinstance(got, list)
                different = took != isinstance(row[value], list) or (took and bool(differs(got[0], row[value][0], "it")))
            self.assertTrue(different, value)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

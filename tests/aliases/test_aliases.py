#!/usr/bin/env python3
"""Programs that change what has several names (programs.py), at each level of optimization and specialized to an
example, against what PyTorch answered (record.py).

  test_aliases.py TSMC_SERVER TSMRUN_SERVER"""
import json
import os
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from answers import differs  # noqa: E402
from fork_server import ForkServer  # noqa: E402

OK, RAISED = 0, 1
SOURCE = os.path.join(HERE, "programs.py")
TENSOR = {"tensor": {"dtype": "float32", "shape": [2, 3], "data": [1.0] * 6}}
ARENA = ["--arena", "24M"]
SETTINGS = [[level] + example for level in ("-O0", "-O1", "-O2") for example in ([], ["--example", "EXAMPLE"])]


def write_json(path, value):
    with open(path, "w") as f:
        json.dump(value, f)
    return path


def example_of(calls):
    """Arguments of forward, from a sequence of several methods."""
    def value(v):
        if isinstance(v, list):
            return [value(i) for i in v]
        return v if "tensor" in v else TENSOR
    return next([value(a) for a in c["args"]["inputs"]] for c in calls if c["args"]["method"] == "forward")


class Machine:
    """Exports a program in all settings and gives what is wrong with its answers."""

    def __init__(self, tsmc, tsmrun, folder):
        self.tsmc, self.tsmrun = tsmc, tsmrun
        self.tsm, self.inputs, self.outputs, self.example = (os.path.join(folder, n) for n in (
            "p.tsm", "in.json", "out.json", "example.json"))

    def wrong_calls(self, calls):
        """The answers of the calls before the first that raises, and its text."""
        answered = [c for c in calls if "result" in c]
        if answered:
            write_json(self.inputs, [c["args"] for c in answered])
            p = self.tsmrun.run([self.tsm, "--sequence", self.inputs, "--outputs", self.outputs] + ARENA)
            if p.returncode != OK:
                return "exit %d: %s" % (p.returncode, p.stderr)
            with open(self.outputs) as f:
                wrong = differs(json.load(f), [c["result"] for c in answered], "result", 1e-5)
            if wrong:
                return wrong
        for c in calls:
            if "raises" in c:
                p = self.tsmrun.run([self.tsm, "--inputs", write_json(self.inputs, c["args"])] + ARENA)
                if p.returncode != RAISED or c["raises"] not in p.stderr:
                    return "should raise %s\nexit %d: %s" % (c["raises"], p.returncode, p.stderr)
        return None

    def wrong_settings(self, name, calls):
        """`name`: a function or class of programs.py, or an archive. A state dict lies beside, NAME.pth."""
        found = []
        program = os.path.join(HERE, name) if name.endswith(".pt") else "%s:%s" % (SOURCE, name)
        weights = os.path.join(HERE, name + ".pth")
        first = calls[0]["args"]
        write_json(self.example, first if isinstance(first, list) else example_of(calls))
        for setting in SETTINGS:
            if "raises" in calls[0] and "EXAMPLE" in setting:
                continue  # an example must run
            options = [self.example if o == "EXAMPLE" else o for o in setting]
            options += ["--weights", weights] if os.path.exists(weights) else []
            p = self.tsmc.run([program, "-o", self.tsm] + options)
            wrong = "does not compile: " + p.stderr if p.returncode != OK else self.wrong_calls(calls)
            if wrong:
                found.append("%s: %s" % (" ".join(setting), wrong))
        return found


class Aliases(unittest.TestCase):
    def test_programs(self):
        with open(os.path.join(HERE, "expected.json")) as f:
            expected = json.load(f)
        self.assertTrue(expected)
        with tempfile.TemporaryDirectory() as folder, ForkServer(sys.argv[1]) as tsmc, ForkServer(sys.argv[2]) as tsmrun:
            machine = Machine(tsmc, tsmrun, folder)
            for name, calls in expected.items():
                for wrong in machine.wrong_settings(name, calls):
                    with self.subTest(name):
                        self.fail(wrong)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

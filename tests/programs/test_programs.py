#!/usr/bin/env python3
"""Compiles the programs of this folder from their sources and from archives, runs them, and compares results, printed
text, exceptions with their tracebacks, and compile errors with what PyTorch did (record.py).

  test_programs.py TSMC_SERVER TSMRUN_SERVER NAME

NAME is that of a file of programs and its archive; sparse_module.py is recorded as an archive alone."""
import atexit
import json
import os
import re
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from answers import differs  # noqa: E402
from fork_server import ForkServer  # noqa: E402
TSMC, TSMRUN = map(ForkServer, sys.argv[1:3])
NAME = sys.argv[3]
atexit.register(TSMC.close)
atexit.register(TSMRUN.close)
OK, RAISED, BAD_INPUT = 0, 1, 2
# A sanitizer's build spends time on every byte of the buffer.
SMALL_ARENA = ("--arena", "24M")
with open(os.path.join(HERE, "expected.json")) as f:
    EXPECTED = json.load(f)[NAME]
SOURCE, ARCHIVE = (os.path.join(HERE, NAME + ending) for ending in (".py", ".pt"))

# PyTorch inlines calls and so shows one frame where we show each; unpacking a list, indexing a tuple and reading a
# future have no place in its tracebacks.
OTHER_TRACEBACKS = {"stack", "raise_in_method", "raise_two_calls_deep", "outer", "fork_many", "unpack", "tuple_idx", "tensor_shape",
                    "tensor_split"}


def bare(message):
    return re.sub(r"\s+", " ", re.sub(r'(?<=[" ])/[^" ]*/(?=\w+\.py)', "", message)).strip()


def compare_results(folder, program, method, function, calls):
    """Runs calls that give results, one after the other on one instance; what is different from their records, or
    None."""
    inputs, outputs = (os.path.join(folder, "%s.%s" % (function, n)) for n in ("in.json", "out.json"))
    with open(inputs, "w") as f:
        json.dump([c["args"] for c in calls], f)
    p = TSMRUN.run([program, "--sequence", inputs, "--outputs", outputs, *SMALL_ARENA] + method)
    if p.returncode != OK:
        return "exit %d: %s" % (p.returncode, p.stderr)
    printed = "".join(c.get("printed", "") for c in calls)
    if p.stdout != printed:
        return "prints %r, not %r" % (p.stdout, printed)
    with open(outputs) as f:
        return differs(json.load(f), [c["result"] for c in calls], "result", 1e-6)


def compare_exception(folder, program, method, function, call, whole_traceback):
    inputs = os.path.join(folder, function + ".in.json")
    with open(inputs, "w") as f:
        json.dump(call["args"], f)
    p = TSMRUN.run([program, "--inputs", inputs, *SMALL_ARENA] + method)
    text = call["raises"] if whole_traceback and function not in OTHER_TRACEBACKS else call["raises"].splitlines()[-1]
    fits = p.returncode == RAISED and bare(text) in bare(p.stderr)
    return None if fits else "should raise:\n%s\nexit %d:\n%s" % (call["raises"], p.returncode, p.stderr)


def compare_calls(folder, program, method, function, calls, whole_traceback):
    results = [c for c in calls if "result" in c]
    found = [compare_exception(folder, program, method, function, c, whole_traceback) for c in calls if "raises" in c]
    return found + [compare_results(folder, program, method, function, results)] if results else found


def compare_function(folder, function, calls):
    program = os.path.join(folder, function + ".tsm")
    p = TSMC.run(["%s:%s" % (SOURCE, function), "-o", program])
    if p.returncode != OK:
        return ["does not compile: " + p.stderr]
    return compare_calls(folder, program, [], function, calls, True)


def with_all_arguments(calls):
    """Archives have no default values."""
    most = max(len(c["args"]) for c in calls)
    return [c for c in calls if len(c["args"]) == most]


def compare_refusal(function, message):
    p = TSMC.run(["%s:%s" % (SOURCE, function), "-o", os.devnull])
    first = message.splitlines()[0]
    marks = [line for line in message.splitlines() if "<--- HERE" in line]
    fits = p.returncode == BAD_INPUT and bare(first) in bare(p.stderr) and (not marks or any(m in p.stderr for m in marks))
    return None if fits else "should be refused:\n%s\nexit %d:\n%s" % (message, p.returncode, p.stderr)


class Programs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.recorded = {f: c for f, c in EXPECTED.items() if isinstance(c, list)}
        self.refused = {f: c["refused"] for f, c in EXPECTED.items() if isinstance(c, dict)}

    def check(self, function, differences):
        for difference in filter(None, differences):
            with self.subTest(function):
                self.fail(difference)

    def test_there_is_something_to_check(self):
        self.assertTrue(self.refused or self.recorded and (os.path.exists(SOURCE) or os.path.exists(ARCHIVE)))

    def test_source(self):
        if os.path.exists(SOURCE):
            for function, calls in self.recorded.items():
                self.check(function, compare_function(self.folder, function, calls))

    def test_archive(self):
        if os.path.exists(ARCHIVE):
            program = os.path.join(self.folder, NAME + ".tsm")
            p = TSMC.run([ARCHIVE, "-o", program])
            self.assertEqual(p.returncode, OK, p.stderr)
            for function, calls in self.recorded.items():
                calls = with_all_arguments(calls)
                self.check(function, compare_calls(self.folder, program, ["--method", function], function, calls, False))

    def test_refused(self):
        for function, message in self.refused.items():
            self.check(function, [compare_refusal(function, message)])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

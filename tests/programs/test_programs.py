#!/usr/bin/env python3
"""Compiles the programs of this folder from their sources and from archives, runs them, and compares results, printed
text, exceptions with their tracebacks, and compile errors with what PyTorch did (record.py).

  test_programs.py TSMC TSMRUN"""
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from answers import differs  # noqa: E402
TSMC, TSMRUN = sys.argv[1:3]
OK, RAISED, BAD_INPUT = 0, 1, 2
with open(os.path.join(HERE, "expected.json")) as f:
    EXPECTED = json.load(f)

# PyTorch inlines calls and so shows one frame where we show each; unpacking a list, indexing a tuple and reading a
# future have no place in its tracebacks.
OTHER_TRACEBACKS = {"stack", "raise_in_method", "raise_two_calls_deep", "outer", "fork_many", "unpack", "tuple_idx", "tensor_shape",
                    "tensor_split"}


def bare(message):
    return re.sub(r"\s+", " ", re.sub(r'(?<=[" ])/[^" ]*/(?=\w+\.py)', "", message)).strip()


def execute(command):
    return subprocess.run(command, capture_output=True, text=True, errors="surrogateescape")


def compare_results(folder, program, method, function, calls):
    """Runs calls that give results, one after the other on one instance; what is different from their records, or
    None."""
    inputs, outputs = (os.path.join(folder, "%s.%s" % (function, n)) for n in ("in.json", "out.json"))
    with open(inputs, "w") as f:
        json.dump([c["args"] for c in calls], f)
    p = execute([TSMRUN, program, "--sequence", inputs, "--outputs", outputs] + method)
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
    p = execute([TSMRUN, program, "--inputs", inputs] + method)
    text = call["raises"] if whole_traceback and function not in OTHER_TRACEBACKS else call["raises"].splitlines()[-1]
    fits = p.returncode == RAISED and bare(text) in bare(p.stderr)
    return None if fits else "should raise:\n%s\nexit %d:\n%s" % (call["raises"], p.returncode, p.stderr)


def compare_calls(folder, program, method, function, calls, whole_traceback):
    results = [c for c in calls if "result" in c]
    found = [compare_exception(folder, program, method, function, c, whole_traceback) for c in calls if "raises" in c]
    return found + [compare_results(folder, program, method, function, results)] if results else found


def compare_function(folder, name, function, calls):
    program = os.path.join(folder, function + ".tsm")
    p = execute([TSMC, "%s.py:%s" % (os.path.join(HERE, name), function), "-o", program])
    if p.returncode != OK:
        return ["does not compile: " + p.stderr]
    return compare_calls(folder, program, [], function, calls, True)


def with_all_arguments(calls):
    """Archives have no default values."""
    most = max(len(c["args"]) for c in calls)
    return [c for c in calls if len(c["args"]) == most]


class Programs(unittest.TestCase):
    def check(self, jobs):
        """Runs (label, function) pairs on two threads; the functions give lists of differences."""
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for label, found in zip([j[0] for j in jobs], pool.map(lambda j: j[1](), jobs)):
                for difference in filter(None, found):
                    with self.subTest(label):
                        self.fail(difference)

    def test_sources(self):
        with tempfile.TemporaryDirectory() as folder:
            self.check([(name + "." + f, lambda n=name, f=f, c=c: compare_function(folder, n, f, c))
                        for name, functions in EXPECTED.items() if os.path.exists(os.path.join(HERE, name + ".py"))
                        for f, c in functions.items() if isinstance(c, list)])

    def test_archives(self):
        with tempfile.TemporaryDirectory() as folder:
            jobs = []
            for path in sorted(glob.glob(os.path.join(HERE, "*.pt"))):
                name = os.path.basename(path)[:-3]
                program = os.path.join(folder, name + ".tsm")
                p = execute([TSMC, path, "-o", program])
                self.assertEqual(p.returncode, OK, p.stderr)
                jobs += [(name + "." + f, lambda p=program, f=f, c=with_all_arguments(c):
                          compare_calls(folder, p, ["--method", f], f, c, False))
                         for f, c in EXPECTED[name].items() if isinstance(c, list)]
            self.check(jobs)

    def test_refused(self):
        def refuse(name, function, message):
            p = execute([TSMC, "%s.py:%s" % (os.path.join(HERE, name), function), "-o", os.devnull])
            first = message.splitlines()[0]
            marks = [line for line in message.splitlines() if "<--- HERE" in line]
            fits = p.returncode == BAD_INPUT and bare(first) in bare(p.stderr) and (not marks or any(m in p.stderr for m in marks))
            return [None if fits else "should be refused:\n%s\nexit %d:\n%s" % (message, p.returncode, p.stderr)]
        self.check([(name + "." + f, lambda n=name, f=f, m=c["refused"]: refuse(n, f, m))
                    for name, functions in EXPECTED.items() for f, c in functions.items() if isinstance(c, dict)])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

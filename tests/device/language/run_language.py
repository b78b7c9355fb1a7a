#!/usr/bin/env python3
"""Exports an archive of the language test and compares each of its cases with PyTorch's recorded answer.

    run_language.py TSMC TSMRUN ARCHIVE [--portable] [--at-least N]

TSMRUN may be a command with an emulator in front of the program. --portable leaves out what PyTorch's lite interpreter
does not have. Fewer than N cases are a failure too."""
import argparse
import concurrent.futures
import json
import os
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", ".."))
from answers import differs  # noqa: E402


def fault_of(case, tsmrun, program, folder, number):
    """What is wrong with one case's outcome; None: nothing."""
    inputs, outputs = (os.path.join(folder, "%s%d.json" % (n, number)) for n in ("in", "out"))
    with open(inputs, "w") as f:
        json.dump(case["arguments"], f)
    given = "--sequence" if case.get("sequence") else "--inputs"
    p = subprocess.run(tsmrun + [program, "--method", case["method"], given, inputs, "--outputs", outputs],
                       capture_output=True, text=True, timeout=300)
    if "raises" in case:
        return None if p.returncode == 1 and case["raises"] in p.stderr else "should raise %r: status %d, %s" % (
            case["raises"], p.returncode, p.stderr)
    if p.returncode:
        return "status %d: %s" % (p.returncode, p.stderr)
    if case.get("prints", "") != p.stdout:
        return "prints %r instead of %r" % (p.stdout, case["prints"])
    with open(outputs) as f:
        return differs(json.load(f), case["result"], "result")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tsmc")
    parser.add_argument("tsmrun")
    parser.add_argument("archive")
    parser.add_argument("--portable", action="store_true")
    parser.add_argument("--at-least", type=int, default=1)
    a = parser.parse_args()
    with open(os.path.join(HERE, "language.json")) as f:
        cases = [c for c in json.load(f) if c.get("portable") or not a.portable]
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "language.tsm")
        subprocess.run([a.tsmc, a.archive, "-o", program], check=True)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            faults = list(pool.map(
                lambda i: fault_of(cases[i], shlex.split(a.tsmrun), program, folder, i), range(len(cases))))
    for case, fault in zip(cases, faults):
        if fault:
            print("%s%s: %s" % (case["method"], json.dumps(case["arguments"]), fault))
    right = faults.count(None)
    print("%d of %d cases as in PyTorch" % (right, len(cases)))
    return right < len(cases) or right < a.at_least


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Lets every allocation of the operators' recorded programs (tests/operators) fail once (test_failures.c).

  run_operators.py TSMC_SERVER TEST_FAILURES MOST PARTS

It takes every PARTSth program; calls that allocate more than MOST times are left out."""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir))
from fork_server import ForkServer  # noqa: E402
OPERATORS = os.path.join(HERE, os.pardir, "operators")


def main():
    tsmc, test, most, parts = sys.argv[1:]
    with open(os.path.join(OPERATORS, "expected.json")) as f:
        recorded = json.load(f)
    programs = sorted(set(recorded["expected"]) | set(recorded["failures"]))[::int(parts)]
    with ForkServer(tsmc) as compiler, tempfile.TemporaryDirectory() as scratch:
        inputs, names = os.path.join(scratch, "inputs.json"), {}
        with open(inputs, "w") as f:
            json.dump(recorded["inputs"], f)
        for number, name in enumerate(programs):
            path = os.path.join(scratch, "%d.tsm" % number)
            if compiler.run([os.path.join(OPERATORS, name), "-O1", "-o", path, "--bundle", inputs]).returncode == 0:
                names[path] = name
        p = subprocess.run([test, "first", most] + list(names), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           errors="replace")
    said = p.stdout + p.stderr
    for path, name in names.items():
        said = said.replace(path + ":", name + ":")
    print("%d of %d programs exported" % (len(names), len(programs)))
    print(said)
    return p.returncode != 0 or not names


if __name__ == "__main__":
    sys.exit(main())

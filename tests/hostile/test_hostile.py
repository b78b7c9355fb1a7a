#!/usr/bin/env python3
"""Runs the programs of arguments.py, internal.py, narrow.py and quantized.py: each must answer or raise its exception,
and end. Those of endless.py must be ended by a limit on fuel.

  test_hostile.py TSMC TSMRUN [BITS]

TSMRUN may be a command with an emulator in front of the program, for addresses of 64 bits or of BITS."""
import concurrent.futures
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import arguments  # noqa: E402
import internal  # noqa: E402
import narrow  # noqa: E402
import quantized  # noqa: E402
from endless import CHEAP, ENDLESS  # noqa: E402
CASES = arguments.CASES + internal.CASES + narrow.CASES + quantized.CASES
TSMC, TSMRUN = sys.argv[1], shlex.split(sys.argv[2])
OK, RAISED, BAD_INPUT = 0, 1, 2
SECONDS = 60
FUEL = "1000000"
NARROW = sys.argv[3:] == ["32"]


def execute(*command):
    """(exit status, what it said); the status is negative when a signal ended it, or the time was up."""
    try:
        p = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return -1, "no end after %d s" % SECONDS
    return p.returncode, p.stderr


def run(body, *options):
    """(exit status, what was said) of a program whose function has this body, not optimized, so that nothing is
    computed at export. None for the status when tsmc fails."""
    body = re.sub(r"\b(\d+)\*\*(\d+)", lambda m: str(int(m.group(1)) ** int(m.group(2))), body)
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "case.py"), os.path.join(folder, "case.tsm")
        with open(source, "w") as f:
            f.write("import torch\n\ndef case():\n    %s\n" % body)
        status, said = execute(TSMC, source + ":case", "-O0", "-o", program)
        if status:
            return None, "tsmc ends with %d: %s" % (status, said)
        return execute(*TSMRUN, program, "--outputs", os.path.join(folder, "out.json"), *options)


def fault_of(number):
    """What is wrong with the case, or None."""
    body, wanted = CASES[number]
    status, said = run(body, "--arena", str(1 << 24))
    if wanted is True:
        return None if status == OK else "tsmrun ends with %s: %s" % (status, said)
    wanted = wanted + "|is out of range" if wanted and NARROW else wanted
    if status not in (OK, RAISED, BAD_INPUT) or (wanted and status == OK) or "AssertionError" in said:
        return "tsmrun ends with %s: %s" % (status, said)
    return None if not wanted or re.search(wanted, said) else "tsmrun says: %s" % said


def sized(body):
    """The body with the most elements that a tensor of the machine can have."""
    return body.replace("2**40", "2**30").replace("2**20", "2**15") if NARROW else body


def fault_of_endless(body):
    status, said = run(sized(body), "--arena", str(1 << 26), "--fuel", FUEL)
    stopped = status == BAD_INPUT and "limit on executed instructions" in said
    return None if stopped else "tsmrun ends with %s: %s" % (status, said)


def fault_of_cheap(body):
    status, said = run(sized(body), "--arena", str(1 << 26), "--fuel", FUEL)
    return None if status == OK else "tsmrun ends with %s: %s" % (status, said)


class Hostile(unittest.TestCase):
    def check(self, bodies, faults):
        for body, fault in zip(bodies, faults):
            with self.subTest(body):
                self.assertIsNone(fault)

    def test_arguments(self):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            self.check([body for body, _ in CASES], pool.map(fault_of, range(len(CASES))))

    def test_fuel_pays_for_work(self):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            self.check(ENDLESS, pool.map(fault_of_endless, ENDLESS))
            self.check(CHEAP, pool.map(fault_of_cheap, CHEAP))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

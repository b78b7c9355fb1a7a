#!/usr/bin/env python3
"""Runs the programs of arguments.py: each must answer or raise its exception, and end.

  test_hostile.py TSMC TSMRUN"""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from arguments import CASES  # noqa: E402
TSMC, TSMRUN = sys.argv[1:3]
OK, RAISED, BAD_INPUT = 0, 1, 2
SECONDS = 60


def execute(*command):
    """(exit status, what it said); the status is negative when a signal ended it, or the time was up."""
    try:
        p = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return -1, "no end after %d s" % SECONDS
    return p.returncode, p.stderr


def fault_of(number):
    """What is wrong with the case, or None. Not optimized, so that nothing is computed at export."""
    body, wanted = CASES[number]
    body = re.sub(r"\b(\d+)\*\*(\d+)", lambda m: str(int(m.group(1)) ** int(m.group(2))), body)
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "case.py"), os.path.join(folder, "case.tsm")
        with open(source, "w") as f:
            f.write("import torch\n\ndef case():\n    %s\n" % body)
        status, said = execute(TSMC, source + ":case", "-O0", "-o", program)
        if status:
            return "tsmc ends with %d: %s" % (status, said)
        status, said = execute(TSMRUN, program, "--arena", str(1 << 24), "--outputs", os.path.join(folder, "out.json"))
    if status not in (OK, RAISED, BAD_INPUT) or (wanted and status == OK):
        return "tsmrun ends with %d: %s" % (status, said)
    return None if not wanted or re.search(wanted, said) else "tsmrun says: %s" % said


class Hostile(unittest.TestCase):
    def test_arguments(self):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for number, fault in enumerate(pool.map(fault_of, range(len(CASES)))):
                with self.subTest(CASES[number][0]):
                    self.assertIsNone(fault)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

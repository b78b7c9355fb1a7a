#!/usr/bin/python3
"""Records in expected.json what PyTorch 1.13.1 answers to the calls of programs.py: record.py"""
import copy
import json
import os
import sys

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "programs"))
from record import plain  # noqa: E402


def answers(program, calls):
    records = []
    for args in copy.deepcopy(calls):
        given = [plain(a) for a in args]
        try:
            records.append({"args": given, "result": plain(program(*args))})
        except Exception as e:
            records.append({"args": given, "raises": str(e).strip().splitlines()[-1]})
    return records


def main():
    sys.path.insert(0, HERE)
    import programs
    expected = {}
    for name, calls in programs.CALLS.items():
        expected[name] = answers(torch.jit.script(getattr(programs, name)), calls)
    for name, calls in programs.MODULES.items():
        expected[name] = answers(torch.jit.script(getattr(programs, name)()), calls)
    with open(os.path.join(HERE, "expected.json"), "w") as f:
        f.write("{\n" + ",\n".join("%s: %s" % (json.dumps(n), json.dumps(r)) for n, r in expected.items()) + "\n}\n")


if __name__ == "__main__":
    main()

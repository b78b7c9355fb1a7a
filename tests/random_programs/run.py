#!/usr/bin/env python3
"""Random programs, at each level of optimization, with an example and without, against themselves and PyTorch.

  run.py GENERATOR TSMC_SERVER TSMRUN_SERVER [--count N] [--seed S] [--first N] [--processes N] [--keep FOLDER]
  run.py GENERATOR --record [--count N] [--seed S]     writes what PyTorch answers into GENERATOR.json.xz

GENERATOR is mutations, language, syntax, indexing, shapes, gradients, containers, states or unions. The programs of the
recorded seed are also compared with PyTorch's answers, those of the last three with Python's. Programs that differ are
written into FOLDER. --answers FILE.json.xz records there, or compares with what is recorded there, of any seed."""
import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness  # noqa: E402

GENERATORS = ("mutations", "language", "syntax", "indexing", "gradients", "containers", "states", "unions", "shapes")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("generator", choices=GENERATORS)
    p.add_argument("tsmc", nargs="?")
    p.add_argument("tsmrun", nargs="?")
    p.add_argument("--record", action="store_true")
    for name, value in (("count", 300), ("seed", 1), ("first", 0), ("processes", 1)):
        p.add_argument("--" + name, type=int, default=value)
    p.add_argument("--keep")
    p.add_argument("--answers")
    arguments = p.parse_args()
    generator = __import__(arguments.generator)
    if arguments.record:
        import pytorch
        return pytorch.record(generator, arguments)
    return harness.compare(generator, arguments)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/python3
"""Counts the reference cases that tsmc and tsmrun answer as PyTorch does, and compares with the recorded floors.

    measure.py REFERENCE_FOLDER FLOORS.json

Every runner ends with a line "NAME: n of m ..."; a floor is the least n. After an improvement, raise the floors by
hand."""
import json
import os
import re
import subprocess
import sys
import tempfile
import time

TSMC, TSMRUN = (os.path.abspath("build/release/bin/" + name) for name in ("tsmc", "tsmrun"))
PYTHON = "/usr/bin/python3"


def write_tools(folder):
    """The runners' options. The cases may save where they were recorded, in the folder of temporary files."""
    path = os.path.join(folder, "tsmrun")
    with open(path, "w") as f:
        f.write('#!/bin/sh\nexec "%s" "$@" --allow-save /tmp\n' % TSMRUN)
    os.chmod(path, 0o755)
    return ["--tsmc", TSMC, "--tsmrun", path]


def run(name, command, title=None):
    """The number of cases that a runner found right; its output is shown."""
    print("\n== %s" % (title or name), flush=True)
    start = time.time()
    p = subprocess.run([PYTHON] + command, stdout=subprocess.PIPE, text=True)
    print(p.stdout, end="")
    print("(%.0f s)" % (time.time() - start), flush=True)
    found = re.findall(r"^%s: (\d+) of (\d+)" % name, p.stdout, re.M)
    return int(found[-1][0]) if found and p.returncode == 0 else 0


def count_models(reference, only, tools):
    """Makes the models whose names match and runs them."""
    folder = os.path.join(reference, "models")
    with tempfile.TemporaryDirectory() as zoo:
        subprocess.run([PYTHON, os.path.join(folder, "make_models.py"), "--out", zoo, "--only", only],
                       stdout=subprocess.DEVNULL)
        return run("models", [os.path.join(folder, "run_models.py"), zoo] + tools)


def count_conformance_26(reference, tools):
    """Unpacks the cases that PyTorch 2.6 recorded and runs them."""
    folder = os.path.join(reference, "conformance")
    with tempfile.TemporaryDirectory() as cases:
        subprocess.run(["tar", "-xJf", os.path.join(folder, "cases26-open.tar.xz"), "-C", cases], check=True)
        return run("conformance", [os.path.join(folder, "run.py"), cases] + tools, "conformance, PyTorch 2.6")


def count_all(reference, only, tools):
    language, language_26 = (os.path.join(reference, name, "run_cases.py") for name in ("language", "language26"))
    return {"language": run("language", [language] + tools),
            "language_26": run("language", [language_26] + tools, "language, PyTorch 2.6"),
            "conformance": run("conformance", [os.path.join(reference, "conformance", "run.py")] + tools),
            "conformance_26": count_conformance_26(reference, tools),
            "models": count_models(reference, only, tools)}


def main():
    reference, floors_path = sys.argv[1:]
    with open(floors_path) as f:
        floors = json.load(f)
    only = floors.pop("models_only")
    with tempfile.TemporaryDirectory() as folder:
        counts = count_all(reference, only, write_tools(folder))
    print()
    failed = [n for n in floors if counts[n] < floors[n]]
    for n in counts:
        print("%-14s %5d, floor %5d%s" % (n, counts[n], floors[n], "  TOO FEW" if n in failed else ""))
    if failed:
        sys.exit("fewer cases than before are answered right: " + ", ".join(failed))


if __name__ == "__main__":
    main()

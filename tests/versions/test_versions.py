#!/usr/bin/env python3
"""Files that tsmc of earlier versions wrote still run.

    test_versions.py TSMRUN

VERSION.tsm was made by tsmc VERSION: `tsmc program.py:mixed -o VERSION.tsm`, from 0.2.0 on with `--example
arguments.json`. A release adds its own file."""
import glob
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
WANTED = {"dict": [["a", {"float": 3.0}], ["b", {"float": 27.0}], ["c", {"float": 0.0}]]}


def main():
    tsmrun = sys.argv[1]
    files = sorted(glob.glob(os.path.join(HERE, "*.tsm")))
    if not files:
        sys.exit("no stored files")
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, "result.json")
        for file in files:
            subprocess.run([tsmrun, file, "--inputs", os.path.join(HERE, "arguments.json"), "--outputs", result], check=True)
            with open(result) as f:
                got = json.load(f)
            if got != WANTED:
                sys.exit("%s gives %s instead of %s" % (file, got, WANTED))
            os.remove(result)
    print("%d files of earlier versions give what they gave" % len(files))


if __name__ == "__main__":
    main()

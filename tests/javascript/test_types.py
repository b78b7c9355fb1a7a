#!/usr/bin/env python3
"""The compiler of TypeScript finds in typed_use.mts the lines that are wrong, no others, with the types of the npm
package. Without it (`toolchain/setup.sh javascript`) this is skipped.

    test_types.py"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.join(HERE, os.pardir, os.pardir, "platform/js")
SKIPPED = 77


def main():
    if not shutil.which("tsc"):
        print("SKIPPED: tsc is missing, so nobody has read index.d.ts.\n`toolchain/setup.sh javascript` installs it.")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as folder:
        installed = os.path.join(folder, "node_modules/tsmobile")
        os.makedirs(installed)
        shutil.copy(os.path.join(PACKAGE, "index.d.ts"), installed)
        with open(os.path.join(PACKAGE, "package.json"), encoding="utf-8") as f:
            package = f.read().replace("@VERSION@", "0.0.0")
        with open(os.path.join(installed, "package.json"), "w", encoding="utf-8") as f:
            f.write(package)
        shutil.copy(os.path.join(HERE, "typed_use.mts"), folder)
        done = subprocess.run(["tsc", "--noEmit", "--strict", "--target", "es2022", "--module", "node16", "--lib", "es2022,dom", "typed_use.mts"],
                              cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    with open(os.path.join(HERE, "typed_use.mts"), encoding="utf-8") as f:
        wanted = [n for n, line in enumerate(f, 1) if line.endswith("// refused\n")]
    faults = re.findall(r"^(\S+)\((\d+),\d+\): error", done.stdout, re.M)
    got = sorted({int(n) for name, n in faults if name == "typed_use.mts"})
    if got != wanted or len(got) != len(faults) or not wanted:
        sys.exit("FAIL: errors in lines %s, not in %s:\n%s" % (got, wanted, done.stdout))
    print("ok: %d lines refused, as they should be" % len(got))


if __name__ == "__main__":
    main()

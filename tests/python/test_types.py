"""mypy --strict has nothing against the package's sources, and finds in typed_use.py the lines that are wrong, no
others.

    test_types.py PYTHON     the interpreter of the environment that the package is installed in
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))


def mypy(*arguments):
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run(["mypy", "--strict", "--no-error-summary", "--cache-dir", cache, *arguments], cwd=SOURCE,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.stdout


def main():
    said = mypy("-p", "tsmobile")  # pyproject.toml names the folder
    if said:
        sys.exit("FAIL:\n" + said)
    use = os.path.join(HERE, "typed_use.py")
    with open(use, encoding="utf-8") as f:
        wanted = [n for n, line in enumerate(f, 1) if line.endswith("# refused\n")]
    said = mypy("--python-executable", sys.argv[1], "--config-file", os.devnull, use)
    got = sorted({int(n) for n in re.findall(r"typed_use\.py:(\d+): error", said)})
    if got != wanted:
        sys.exit("FAIL: errors in lines %s, not in %s:\n%s" % (got, wanted, said))
    print("types: %d lines refused, as they should be" % len(got))


if __name__ == "__main__":
    main()

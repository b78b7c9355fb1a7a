"""readme_figures.py README.md HEADING COMMAND...: what the digits program prints about the memory that it needs is what
README.md shows after HEADING, to 2 %: code grows a little with most changes, and the text need not follow each."""
import re
import subprocess
import sys

TOLERANCE = 0.02


def figures(text):
    """{name: number of bytes} of the lines of digits.c."""
    found = {m[1]: int(m[2]) for m in re.finditer(r"^(model|buffer|flash|RAM) +(\d+) bytes", text, re.M)}
    parts = re.search(r"(\d+) of stack, (\d+) of variables", text)
    return dict(found, stack=int(parts[1]), variables=int(parts[2]))


def main():
    with open(sys.argv[1]) as f:
        shown = figures(f.read().partition(sys.argv[2])[2].partition("\n== ")[0])
    measured = figures(subprocess.run(sys.argv[3:], check=True, capture_output=True, text=True, timeout=120).stdout)
    if shown.keys() != measured.keys():
        sys.exit("README.md shows %s, the program prints %s" % (sorted(shown), sorted(measured)))
    wrong = [n for n in shown if abs(measured[n] - shown[n]) > TOLERANCE * shown[n]]
    for name in wrong:
        print("%s: README.md shows %d bytes, it is %d" % (name, shown[name], measured[name]))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()

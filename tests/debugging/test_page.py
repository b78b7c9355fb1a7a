#!/usr/bin/env python3
"""Runs the commands of docs/debugging.md and compares what they print. Numbers may differ a little.

    test_page.py ROOT BIN [--update]

A fenced block that begins with "$ " is a shell session, in a folder where tests/ is ROOT's; BIN holds the programs.
--update writes what is printed into the page."""
import os
import re
import subprocess
import sys
import tempfile

ROOT, BIN = (os.path.abspath(p) for p in sys.argv[1:3])
PAGE = os.path.join(ROOT, "docs", "debugging.md")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?")


def number_differs(got, wanted):
    """Differences between results are rounding errors: any two small numbers are equal."""
    small = abs(got) < 1e-4 and abs(wanted) < 1e-4
    return not small and abs(got - wanted) > 1e-3 * abs(wanted)


def differs(got, wanted):
    if NUMBER.sub("#", got) != NUMBER.sub("#", wanted):
        return True
    return any(number_differs(float(g), float(w)) for g, w in zip(NUMBER.findall(got), NUMBER.findall(wanted)))


def run(folder, command):
    environment = dict(os.environ, PATH=BIN + os.pathsep + os.environ["PATH"])
    p = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    return p.stdout + p.stderr


def replay(folder, block):
    """The block with what its commands print now."""
    commands = [line for line in block.splitlines() if line.startswith("$ ")]
    return "".join("%s\n%s" % (c, run(folder, c[2:])) for c in commands)


def check_sources(page):
    """Programs in the page are those in the files."""
    with open(os.path.join(ROOT, "tests", "debugging", "loudness.py")) as f:
        loudness = f.read()
    with open(os.path.join(ROOT, "tests", "unit", "test_verify_passes.c")) as f:
        quoted = re.search(r'source\[\] = (.*?);\n', f.read(), re.S).group(1)
    program = "".join(re.findall(r'"(.*?)"', quoted)).replace("\\n", "\n")
    blocks = [text for language, text in BLOCK.findall(page) if language == "python"]
    if len(blocks) != 2 or blocks[0] != program or blocks[1] not in loudness:
        sys.exit("the programs in %s are not those of the tests" % PAGE)


def main():
    with open(PAGE) as f:
        page = f.read()
    check_sources(page)
    sessions = [text for _, text in BLOCK.findall(page) if text.startswith("$ ")]
    if not sessions:
        sys.exit("%s has no commands" % PAGE)
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.join(ROOT, "tests"), os.path.join(folder, "tests"))
        for session in sessions:
            now = replay(folder, session)
            page = page.replace("```\n" + session, "```\n" + now)
            if differs(now, session):
                failed = True
                print("the page shows:\n%s\nbut now it is:\n%s" % (session, now))
    if "--update" in sys.argv:
        with open(PAGE, "w") as f:
            f.write(page)
    elif failed:
        sys.exit(1)


if __name__ == "__main__":
    main()

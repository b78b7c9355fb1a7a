#!/usr/bin/env python3
"""Windows: tsmc, tsmrun and the library compile by MinGW-w64 without a warning, and under wine the programs answer as
those of this machine: the same file, a test case in it, names of files and texts as Windows has them, and the tests of
the command lines.

    test_windows.py BUILD TSMC

BUILD is the folder to build in."""
import json
import os
import re
import subprocess
import sys

from consume import SOURCE, Consumer, fail

# Of tests/cli all but what needs a terminal or a server that forks, with arguments behind the two programs. NumPy,
# which one wants, the system's Python has.
TESTS = {"cli": [], "tsmc": [], "example": [], "bounds": [], "save": [], "archives": [], "info": [], "sizes": [], "state": [], "inputs": [],
         "old_operators": [SOURCE],
         "sums": ["no server", "1", "Sums.test_weights", "Sums.test_as_documented", "Sums.test_old_files", "Sums.test_usage"]}
# Every failure of the programs has a text. On a busy machine wine now and then gives status 1, which tsmc has for
# --verify alone, to a program that has done all it was to do: such a call is made again, and written down. What ends
# so twice fails, with a text.
WRAPPER = """#!/bin/sh
out=$(mktemp "{folder}/out.XXXXXX") err=$(mktemp "{folder}/err.XXXXXX")
wine "{program}" "$@" >"$out" 2>"$err"
status=$?
if [ $status -eq 1 ] && [ ! -s "$err" ]; then
    mv "$out" "$out.first"
    wine "{program}" "$@" >"$out" 2>"$err"
    status=$?
    if [ $status -eq 0 ] && cmp -s "$out" "$out.first"; then
        echo "$0 $*" >>"{folder}/again.txt"
    elif [ $status -ne 0 ] && [ ! -s "$err" ] && [ ! -s "$out" ]; then
        echo "{program} ended with status $status twice, and without a text" >"$err"
    fi
fi
cat "$out"
cat "$err" >&2
rm -f "$out" "$out.first" "$err"
exit $status
"""
MOST_AGAIN = 5  # of some thousand
SOURCE_TEXT = """def twice(text: str, n: int) -> str:
    print(text)
    return text + text + str(n)
"""
OPTIONS = ["-DCMAKE_BUILD_TYPE=Release", "-DTSM_BUILD_TESTS=OFF", "-DTSM_BUILD_EXPORTER=ON", "-DTSM_WARNINGS_ARE_ERRORS=ON"]


def check_names(c, tsmc, programs):
    """Names in UTF-8 with spaces, backslashes and a drive's letter; lines that end with CR and LF; files that are there
    already; standard output without CR."""
    folder = c.path("gr\u00fc\u00dfe \u65e5\u672c")
    os.mkdir(folder)
    path = os.path.join(folder, "\u00fcber.py")
    for ends in ("\n", "\r\n"):
        with open(path, "w", encoding="utf-8", newline=ends) as f:
            f.write(SOURCE_TEXT)
        there = "Z:" + path.replace("/", "\\")
        for program, source, out in ((tsmc, path, "here.tsm"), (programs["tsmc"], there, "\u00f6.tsm"), (programs["tsmc"], path, "\u00f6.tsm")):
            c.run(program, source + ":twice", "-o", os.path.join(folder, out), "--strip")
            with open(os.path.join(folder, "here.tsm"), "rb") as a, open(os.path.join(folder, out), "rb") as b:
                if a.read() != b.read():
                    fail("tsmc.exe makes another file of %s" % source)
    c.run(programs["tsmc"], there + ":twice", "-o", os.path.join(folder, "\u00f6.tsm"))
    if not re.search(r"source\W+\u00fcber\.py\b", c.run(programs["tsmc"], os.path.join(folder, "\u00f6.tsm"), "--info")):
        fail("the name of a source is another one")
    with open(c.path("arguments.json"), "w", encoding="utf-8", newline="\r\n") as f:
        f.write('[\n"\u00e4\u65e5",\n2]\n')
    for _ in range(2):
        done = subprocess.run([programs["tsmrun"], os.path.join(folder, "\u00f6.tsm"), "--inputs", c.path("arguments.json"), "--outputs",
                               os.path.join(folder, "\u00e9.json")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if done.returncode or done.stdout.decode() != "\u00e4\u65e5\n":
            fail("tsmrun.exe prints %r, %r" % (done.stdout, done.stderr))
        with open(os.path.join(folder, "\u00e9.json"), "rb") as f:
            written = f.read()
        if json.loads(written) != "\u00e4\u65e5" * 2 + "2" or b"\r" in written:
            fail("tsmrun.exe writes %r" % written)
    left = sorted(os.listdir(folder))
    if left != ["here.tsm", "\u00e9.json", "\u00f6.tsm", "\u00fcber.py"]:
        fail("there are files %s" % left)
    print("ok: names and lines as Windows has them")


def check(c, build, tsmc):
    programs = {}
    for name in ("tsmc", "tsmrun"):
        programs[name] = c.write(name, WRAPPER.format(folder=c.folder, program="%s/bin/%s.exe" % (build, name)))
        os.chmod(programs[name], 0o755)
    model, example = (os.path.join(SOURCE, "tests/models", n) for n in ("digits.pt", "digits_example.json"))
    for program, name in ((tsmc, "here.tsm"), (programs["tsmc"], "windows.tsm")):
        c.run(program, model, "--example", example, "--bundle", example, "-o", name)
    with open(c.path("here.tsm"), "rb") as a, open(c.path("windows.tsm"), "rb") as b:
        if a.read() != b.read():
            fail("tsmc.exe writes another file")
    print("ok: tsmc.exe writes the same file")
    said = c.run(programs["tsmrun"], "windows.tsm", "--inputs", example)
    here = c.run(os.path.join(os.path.dirname(tsmc), "tsmrun"), "here.tsm", "--inputs", example)
    answers = [[float(x) for x in re.findall(r"-?\d+\.\d+", text.split("buffer:")[0])] for text in (said, here)]
    if len(answers[1]) != 10 or len(answers[0]) != 10 or max(abs(a - b) for a, b in zip(*answers)) > 1e-4:
        fail("tsmrun.exe answers " + said)
    print("ok: tsmrun.exe")
    check_names(c, tsmc, programs)
    for name, more in TESTS.items():
        c.run("/usr/bin/python3" if name == "inputs" else sys.executable, os.path.join(SOURCE, "tests/cli/test_%s.py" % name), programs["tsmc"], programs["tsmrun"], *more,
              env={"TSM_TESTED_SYSTEM": "windows"})
        print("ok: tests/cli/test_%s.py" % name, flush=True)
    if os.path.exists(c.path("again.txt")):
        with open(c.path("again.txt"), encoding="utf-8") as f:
            calls = f.read().splitlines()
        for call in calls:
            print("status 1 of a call that had done its work: " + call)
        if len(calls) > MOST_AGAIN:
            fail("%d calls were made again" % len(calls))


def main():
    build, tsmc = sys.argv[1:]
    with Consumer() as c:
        c.cmake(SOURCE, build, "--toolchain", SOURCE + "/toolchain/windows.cmake", *OPTIONS)
        os.mkdir(c.path("wine"))
        os.environ.update(WINEPREFIX=c.path("wine"), WINEDEBUG="-all")
        # One server for all runs: it takes seconds to start. It and its services keep what they get as output.
        for command in (["wineserver", "-p"], ["wine", "wineboot", "-i"]):
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            check(c, build, tsmc)
        finally:
            subprocess.run(["wineserver", "-k"], check=False)
            subprocess.run(["wineserver", "-w"], check=False)


if __name__ == "__main__":
    main()

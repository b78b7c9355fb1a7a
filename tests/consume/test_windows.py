#!/usr/bin/env python3
"""Windows: tsmc, tsmrun and the library compile by MinGW-w64 without a warning, and under wine the programs answer as
those of this machine: the same file, a test case in it, and the test of tsmc's options.

    test_windows.py BUILD TSMC

BUILD is the folder to build in."""
import os
import subprocess
import sys

from consume import SOURCE, Consumer, fail

OPTIONS = ["-DCMAKE_BUILD_TYPE=Release", "-DTSM_BUILD_TESTS=OFF", "-DTSM_BUILD_EXPORTER=ON", "-DTSM_WARNINGS_ARE_ERRORS=ON"]


def check(c, build, tsmc):
    programs = {}
    for name in ("tsmc", "tsmrun"):
        programs[name] = c.write(name, '#!/bin/sh\nexec wine "%s/bin/%s.exe" "$@"\n' % (build, name))
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
    if said.split("buffer:")[0].split() != here.split("buffer:")[0].split():
        fail("tsmrun.exe answers " + said)
    print("ok: tsmrun.exe")
    c.run(sys.executable, os.path.join(SOURCE, "tests/cli/test_tsmc.py"), programs["tsmc"], programs["tsmrun"])
    print("ok: tests/cli/test_tsmc.py")


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

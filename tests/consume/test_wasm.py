#!/usr/bin/env python3
"""WebAssembly: libtsmobile and tsmrun built by toolchain/wasm32.cmake and installed, a program that finds them by
find_package, and the language's cases, all run in node.

    test_wasm.py BUILD TSMC
"""
import os
import sys

from consume import SOURCE, Consumer, fail

PROJECT = """cmake_minimum_required(VERSION 3.20)
project(recognizer LANGUAGES C)
find_package(tsmobile REQUIRED)
add_executable(recognize recognize_stdio.c)
target_link_libraries(recognize PRIVATE tsmobile::tsmobile)
"""
NODE = ["node", "--single-threaded", os.path.join(SOURCE, "toolchain/run-wasi.mjs")]


def main():
    build, tsmc = sys.argv[1:]
    with Consumer() as c:
        options = c.webassembly(build)
        c.run("cmake", "--install", build, "--prefix", c.path("prefix"))
        c.digits(tsmc)
        c.copy("app/recognize_stdio.c")
        c.write("CMakeLists.txt", PROJECT)
        c.cmake(".", "build", *options, "-Dtsmobile_DIR=" + c.path("prefix/lib/cmake/tsmobile"))
        c.recognize(c.path("build/recognize.wasm"), "wasm32 in node", runner=NODE)
        said = c.run(sys.executable, os.path.join(SOURCE, "tests/device/language/run_language.py"), tsmc,
                     " ".join([*NODE, c.path("prefix/bin/tsmrun.wasm")]),
                     os.path.join(SOURCE, "tests/device/language/language.pt"), "--at-least", "50")
        if " cases as in PyTorch" not in said:
            fail(said)
        print("ok: " + said.splitlines()[-1])


if __name__ == "__main__":
    main()

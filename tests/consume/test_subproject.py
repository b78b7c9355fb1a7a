#!/usr/bin/env python3
"""tsmobile as a part of another project, by add_subdirectory or by FetchContent from an archive. Neither the tests
nor tsmc are configured, nor does the project get tsmobile's warnings, output folders or tests.

    test_subproject.py add_subdirectory|FetchContent TSMC [BUILD PREFIX]

With BUILD and PREFIX the project is built there, and tsmobile installed for other tests.
"""
import os
import shutil
import sys

from consume import SOURCE, Consumer, fail

PROJECT = """cmake_minimum_required(VERSION 3.20)
project(recognizer LANGUAGES C)
enable_testing()
%s
add_executable(recognize recognize.c)
target_link_libraries(recognize PRIVATE tsmobile::platform tsmobile::tsmobile)
add_test(NAME mine COMMAND recognize digits.tsm image.f32)
"""
WAYS = {
    "add_subdirectory": "add_subdirectory(%s tsmobile)" % SOURCE,
    "FetchContent": "include(FetchContent)\nFetchContent_Declare(tsmobile URL %s)\nFetchContent_MakeAvailable(tsmobile)",
}


def pack(c):
    """The files of the source tree as an archive, as a release has them."""
    listed = c.run("git", "-C", SOURCE, "ls-files", "schema", "exporter", "runtime", "platform", "cmake", "toolchain", "CMakeLists.txt")
    names = [n for n in listed.split("\n") if n and os.path.exists(os.path.join(SOURCE, n))]
    c.run("tar", "-czf", c.path("tsmobile.tar.gz"), "--transform=s,^,tsmobile/,", "-C", SOURCE, *names)
    return c.path("tsmobile.tar.gz")


def main():
    way, tsmc, *kept = sys.argv[1:]
    with Consumer() as c:
        c.digits(tsmc)
        c.copy("app/recognize.c")
        c.write("CMakeLists.txt", PROJECT % (WAYS[way] % pack(c) if "%s" in WAYS[way] else WAYS[way]))
        project, build = c.folder, c.path("build")
        if kept:  # CMake builds again only what comes from the same folder
            project, build = kept[0] + "-of", kept[0]
            shutil.rmtree(project, ignore_errors=True)
            shutil.copytree(c.folder, project)
        options = ["-DTSM_INSTALL=ON", "-DTSM_BUILD_SHARED=ON", "-DCMAKE_INSTALL_LIBDIR=lib"] if kept else []
        if kept and shutil.which("javac") and shutil.which("kotlinc"):  # what tests/java takes
            options.append("-DTSM_BUILD_JAVA=ON")
        said = c.cmake(project, build, "-DCMAKE_BUILD_TYPE=Release", *options)
        if "cmocka" in said or "flatc" in said.lower():
            fail("%s looks for what only tests and tsmc need" % way)
        tests = c.run("ctest", "-N", cwd=build)
        if "Total Tests: 1\n" not in tests:
            fail("%s brings its own tests: %s" % (way, tests))
        rules = [os.path.join(build, n) for n in ("build.ninja", "tsmobile/runtime/CMakeFiles/tsmobile.dir/flags.make")]
        if any("-Werror" in open(n, encoding="utf-8").read() for n in rules if os.path.exists(n)):
            fail("%s stops at warnings" % way)
        c.recognize(os.path.join(build, "recognize"), way)
        if kept:
            shutil.rmtree(kept[1], ignore_errors=True)
            c.run("cmake", "--install", build, "--prefix", kept[1])


if __name__ == "__main__":
    main()

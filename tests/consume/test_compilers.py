#!/usr/bin/env python3
"""Another compiler than this machine's: everything compiles without a warning (the library, static and shared, the
helper library, tsmc, tsmrun, JNI, the tests, the fuzzing harnesses, which clang links with LibFuzzer), the headers in
every language that they are for, and the unit tests and a program in C++ run.

    test_compilers.py BUILD COMPILER

BUILD is the folder to build in, COMPILER gcc-12, clang-14, clang-19, ... (toolchain/setup.sh compilers)."""
import os
import re
import shutil
import sys

from consume import SOURCE, Consumer, fail

OPTIONS = ["-DTSM_%s=ON" % name for name in ("BUILD_SHARED", "BUILD_TESTS", "BUILD_EXPORTER", "NNG", "WARNINGS_ARE_ERRORS")]
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
HEADERS = {"tsmobile.h": ["c11", "c17", "c++11", "c++14", "c++17", "c++20"], "tsmobile.hpp": ["c++17", "c++20"],
           "tsmobile/platform.h": ["c11", "c17", "c++11", "c++17"]}


def check_headers(c, build, compiler, cxx):
    folders = ["-I%s/runtime/include" % SOURCE, "-I%s/include" % build]
    for header, languages in HEADERS.items():
        for language in languages:
            suffix, program = (".cc", cxx) if "++" in language else (".c", compiler)
            path = c.write("include" + suffix, "#include <%s>\nint main(void) { return 0; }\n" % header)
            c.run(program, "-std=" + language, *STRICT, *folders, path)
            if "++" in language:
                c.run(program, "-std=" + language, "-fno-exceptions", "-fno-rtti", *STRICT, *folders, path)
    print("ok: the headers, by " + compiler)


def main():
    build, compiler = sys.argv[1:]
    cxx = re.sub("^clang", "clang++", re.sub("^gcc", "g++", compiler))
    if not shutil.which(compiler) or not shutil.which(cxx):
        fail("%s is not installed: toolchain/setup.sh compilers" % compiler)
    engine = ["-DTSM_FUZZING_ENGINE=-fsanitize=fuzzer"] if "clang" in compiler else []
    with Consumer() as c:
        said = c.cmake(SOURCE, build, "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_COMPILER=" + compiler,
                       "-DCMAKE_CXX_COMPILER=" + cxx, *OPTIONS, *engine)
        said += c.run("cmake", "--build", build, "--target", "fuzz_harnesses")
        warnings = re.findall(r"^(?!tsmc: ).*\bwarning:.*$", said, re.M)  # tsmc warns of models that are exported
        if warnings:
            fail("%s warns:\n%s" % (compiler, "\n".join(warnings[:20])))
        print("ok: %s has nothing to say" % compiler)
        check_headers(c, build, compiler, cxx)
        c.run("ctest", "-R", "^unit", "--timeout", "600", cwd=build)
        print("ok: the unit tests, by " + compiler)
        c.digits(os.path.join(build, "bin/tsmc"))
        c.copy("app/recognize_cxx17.cc")
        c.run(cxx, "-std=c++17", *STRICT[:-1], "recognize_cxx17.cc", "-o", "recognize", "-I%s/runtime/include" % SOURCE,
              "-I%s/include" % build, build + "/lib/libtsmobile_platform.a", build + "/lib/libtsmobile.a", "-lm", "-pthread")
        c.recognize(c.path("recognize"), "a program by " + cxx)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The interface as a user's compiler and tools see it: headers without a warning in C and C++, every function
documented where Doxygen looks, and a shared library that exports the functions of the header, all of
tests/consume/exports.txt, nothing else.

    test_interface.py PREFIX
"""
import os
import re
import shutil
import sys

from consume import HERE, Consumer, fail

STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wundef", "-Werror", "-fsyntax-only"]
LANGUAGES = {"c": ["c99", "c11", "c17", "c2x"], "c++": ["c++11", "c++14", "c++17", "c++20", "c++2b"]}
# All warnings that clang has, but for those that forbid C++ newer than 1998, padding, and classes without a .cc file.
EVERYTHING = ["-Weverything", "-Werror", "-fsyntax-only", "-Wno-c++98-compat", "-Wno-c++98-compat-pedantic", "-Wno-padded", "-Wno-weak-vtables"]


def check_headers(c, include):
    c.write("use.c", "#include <tsmobile.h>\n#include <tsmobile/platform.h>\n"
                     "tsm_value one(void);\ntsm_value one(void) { return tsm_int(1); }\n")
    compilers = [x for x in ("gcc", "clang") if shutil.which(x)]
    for compiler in compilers:
        for language, standards in LANGUAGES.items():
            for standard in standards:
                extra = ["-Wstrict-prototypes", "-Wmissing-prototypes"] if language == "c" else ["-Wold-style-cast"]
                c.run(compiler, "-x", language, "-std=" + standard, *STRICT, *extra, "-I" + include, "use.c")
    c.write("use.cc", "#include <tsmobile.hpp>\n")
    for language, source in (("c", "use.c"), ("c++", "use.c"), ("c++", "use.cc")):
        c.run("clang", "-x", language, "-std=" + {"c": "c11", "c++": "c++17"}[language], *EVERYTHING, "-I" + include, source)
    print("ok: headers with %s" % " and ".join(compilers))


def functions(header):
    """The functions of the header, and those that no comment of Doxygen's stands before."""
    with open(header, encoding="utf-8") as f:
        text = f.read()
    names = re.findall(r"^TSM_API [^;(]*?\b(tsm_\w+)\(", text, re.M)
    undocumented = re.findall(r"(?<!\*/)\n(?:TSM_API|static inline) [^;(]*?\b(tsm_\w+)\(", text)
    blocks = re.findall(r"(/\*(?:(?!\*/).)*\*/)\n(?:TSM_API|static inline) [^;(]*?\b(tsm_\w+)\(", text, re.S)
    return names, undocumented + [name for block, name in blocks if not block.startswith("/**")]


def main():
    prefix, = sys.argv[1:]
    header = os.path.join(prefix, "include/tsmobile.h")
    with Consumer() as c:
        check_headers(c, os.path.dirname(header))
        names, undocumented = functions(header)
        if undocumented:
            fail("Doxygen sees no comment of %s" % ", ".join(undocumented))
        print("ok: %d functions are documented" % len(names))
        listed = c.run("nm", "-D", "--defined-only", "--format=posix", os.path.join(prefix, "lib/libtsmobile.so"))
        exported = sorted(line.split()[0] for line in listed.splitlines())
        with open(os.path.join(HERE, "exports.txt"), encoding="utf-8") as f:
            expected = sorted(line.strip() for line in f if not line.startswith("#"))
        for what, other in (("tsmobile.h", sorted(names)), ("the shared library", exported)):
            if other != expected:
                fail("%s and tests/consume/exports.txt differ: %s" % (what, sorted(set(other) ^ set(expected))))
        print("ok: the shared library exports what the header declares")


if __name__ == "__main__":
    main()

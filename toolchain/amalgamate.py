#!/usr/bin/env python3
"""Makes libtsmobile one source file: tsmobile.c, with tsmobile.h beside it.

    amalgamate.py SOURCE OPERATOR_TABLE.c FOLDER

SOURCE is the root of the source tree. Headers are put in where they are first included, sources follow each other. The
result has one set of inner loops, for the instruction set that it is compiled for (TSM_ONE_TABLE, simd/f32.h): sources
that are compiled with options of their own are left out, and so is assembler. The operator table is weak, so that a
program may bring one with fewer operators (tsmc --emit-c)."""
import glob
import os
import re
import sys

# Compiled with options of their own (runtime/CMakeLists.txt).
OTHER_TABLES = re.compile(r"_(avx2|avx512|vnni|neon|dot)\.c$")
# Of runtime/CMakeLists.txt: sources that round products before they add.
ROUNDED_LIST = re.compile(r"set\(TSM_ROUNDED_SOURCES ([^)]*)\)")
BEGIN_ROUNDED = """#if defined(__clang__)
#pragma clang fp contract(off)
#else
#pragma GCC push_options
#pragma GCC optimize("fp-contract=off")
#endif"""
END_ROUNDED = """#if defined(__clang__)
#pragma clang fp contract(fast)
#else
#pragma GCC pop_options
#endif"""
INCLUDE = re.compile(r'[ \t]*#[ \t]*include[ \t]+"([^"]+)".*')
GUARD = re.compile(r"^#ifndef (TSM_\w+|TSMOBILE_\w+)\n#define \1\n", re.M)
PUBLIC = "runtime/include/tsmobile.h"
BEGIN = """/* libtsmobile %s in one file: compile it with a C11 compiler (gcc or clang) and link libm.
 *
 *     cc -O2 -std=gnu11 -ffunction-sections -fdata-sections -fno-math-errno -fno-trapping-math -c tsmobile.c
 *
 * Made by toolchain/amalgamate.py from the sources of tsmobile: change those.
 *
%s */
#include "tsmobile.h"

#include <math.h>
#include <string.h>
/* Before the interpreter's macros, some of whose names newer compilers' headers have for parameters. */
#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#elif defined(__ARM_FEATURE_MVE)
#include <arm_mve.h>
#endif

#define TSM_ONE_TABLE
#define TSMF_DESCRIBE
#if defined(__OPTIMIZE_SIZE__)
#define TSM_SWITCH_DISPATCH
#endif
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#pragma clang diagnostic ignored "-Wunused-function"
#pragma clang fp contract(fast)
#endif
#if defined(__GNUC__) && !defined(_WIN32)
#pragma GCC visibility push(hidden)
#endif
"""
END = """
#if defined(__GNUC__) && !defined(_WIN32)
#pragma GCC visibility pop
#endif
"""


class Amalgamation:
    def __init__(self, source):
        self.source = source
        self.done = {PUBLIC}
        self.lines = []
        self.rounded = ["runtime/" + name for name in ROUNDED_LIST.search(self.read("runtime/CMakeLists.txt"))[1].split()]

    def read(self, name):
        with open(os.path.join(self.source, name), encoding="utf-8") as f:
            return f.read()

    def put(self, name, text):
        """Writes a file with what it includes. A header that is first included under a condition is written there, and
        again where it is included next; its guard leaves out one of the two."""
        if name in self.rounded:
            text = re.sub(r"\n\n", "\n" + BEGIN_ROUNDED + "\n\n", text, count=1) + END_ROUNDED
        self.lines.append("/* ==== %s ==== */" % name)
        depth = -1 if GUARD.search(text) else 0
        for line in text.splitlines():
            directive = re.match(r"[ \t]*#[ \t]*(if|endif)", line)
            if directive:
                depth += 1 if directive[1] == "if" else -1
            included = INCLUDE.match(line)
            if not included:
                self.lines.append(line)
            elif included[1] not in self.done:
                header = self.read(included[1])
                if GUARD.search(header) and depth == 0:
                    self.done.add(included[1])
                self.put(included[1], header)

    def text(self):
        return "\n".join(self.lines) + "\n"


def sources(root):
    """The core first, then operators."""
    found = []
    for folder in ("flatbuffer", "value", "tensor", "interpreter", "kernels"):
        found += sorted(glob.glob(os.path.join(root, "runtime", folder, "**/*.c"), recursive=True))
    return [os.path.relpath(f, root) for f in found if not OTHER_TABLES.search(f)]


def main():
    root, table, folder = sys.argv[1:]
    made = Amalgamation(root)
    for name in sources(root):
        made.put(name, made.read(name))
    with open(table, encoding="utf-8") as f:
        rows = f.read()
    rows = re.sub(r"^const (?=tsm_operator |size_t )", "__attribute__((weak)) const ", rows, flags=re.M)
    made.put("the operator table", rows)
    header = made.read(PUBLIC)
    version = re.search(r'TSM_VERSION_STRING "(.*)"', header)[1]
    licence = "".join((" * " + line).rstrip() + "\n" for line in made.read("LICENSE").strip().splitlines())
    os.makedirs(folder, exist_ok=True)
    for name, text in (("tsmobile.h", header), ("tsmobile.c", BEGIN % (version, licence) + made.text() + END)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(text)


if __name__ == "__main__":
    main()

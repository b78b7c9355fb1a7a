#!/usr/bin/env python3
"""libtsmobile for phones, by clang without their SDKs: it compiles for Android's four ABIs, iOS and macOS without a
warning, with the hand-written loops and the instruction sets that are chosen at run time, and needs of other
libraries only memory functions and libm. Headers of a C library: tests/consume/sysroot.

    test_targets.py [--all]

--all compiles everything for all of them; else it is the interpreter and kernels/simd, where targets differ, for those
that have loops, an assembler or a word of their own.
"""
import glob
import os
import re
import sys

from consume import HERE, SOURCE, Consumer, fail

# Triple, CMake's name of the system, and symbols that show which loops are in it.
TARGETS = {
    "aarch64-linux-android24": ("Linux", ["tsm_q8_a64_4", "tsm_gemm_a64_4x4"]),
    "armv7a-linux-androideabi21": ("Linux", ["tsm_f32_base"]),
    "x86_64-linux-android24": ("Linux", ["tsm_f32_avx2", "tsm_f32_avx512", "tsm_q8_vnni"]),
    "i686-linux-android24": ("Linux", ["tsm_f32_base"]),
    "arm64-apple-ios15": ("Darwin", ["_tsm_q8_a64_4", "_tsm_gemm_a64_4x4"]),
    "arm64-apple-ios15-simulator": ("Darwin", ["_tsm_q8_a64_4", "_tsm_gemm_a64_4x4"]),
    "x86_64-apple-macos11": ("Darwin", ["_tsm_f32_avx2", "_tsm_f32_avx512", "_tsm_q8_vnni"]),
}
FIRST = ("aarch64-linux-android24", "armv7a-linux-androideabi21", "arm64-apple-ios15", "x86_64-apple-macos11")
MEMORY = {"memcpy", "memmove", "memset", "memcmp", "memchr"}
# The compiler's own library: arithmetic that the processor lacks. And what Apple's clang uses of the system by itself.
HELPERS = re.compile(r"__aeabi_\w+|__u?(div|mod|divmod)[sdt]i[34]|__mul[sdt]i3|__(ash[lr]|lshr)[dt]i3|"
                     r"__fix(uns)?[sdt]f[sdt]i|__float(un)?[sdt]i[sdt]f|__(trunc|extend)[hsd]f[hsd]f2|"
                     r"___stack_chk_(fail|guard)|___bzero|_memset_pattern(4|8|16)|_GLOBAL_OFFSET_TABLE_")


def math_functions():
    with open(os.path.join(HERE, "sysroot/math.h"), encoding="utf-8") as f:
        text = f.read()
    doubles = re.findall(r"^(?:ONE|TWO)\((\w+)\)", text, re.M)
    names = doubles + [n + "f" for n in doubles] + re.findall(r"\b(\w+)\((?:double|float),", text)
    return set(names) | {"sincos", "sincosf", "__sincos_stret", "__sincosf_stret", "__exp10", "__exp10f", "bzero"}


PARTS = ["-DTSM_%s=OFF" % x for x in ("BUILD_TESTS", "BUILD_RUNNER", "BUILD_EXPORTER", "BUILD_PLATFORM", "INSTALL")]


def configure(c, triple, system):
    c.configure(SOURCE, triple, "-DCMAKE_SYSTEM_NAME=" + system, "-DCMAKE_BUILD_TYPE=Release",
                "-DCMAKE_C_COMPILER=clang", "-DCMAKE_ASM_COMPILER=clang", "-DCMAKE_C_COMPILER_TARGET=" + triple,
                "-DCMAKE_ASM_COMPILER_TARGET=" + triple, "-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY",
                "-DCMAKE_INSTALL_NAME_TOOL=/usr/bin/llvm-install-name-tool-14", "-DCMAKE_OSX_SYSROOT=",
                "-DCMAKE_OSX_ARCHITECTURES=", "-DCMAKE_AR=/usr/bin/llvm-ar-14",
                "-DCMAKE_RANLIB=/usr/bin/llvm-ranlib-14",
                "-DCMAKE_C_FLAGS=-nostdlibinc -isystem " + os.path.join(HERE, "sysroot"),
                "-DTSM_WARNINGS_ARE_ERRORS=ON", *PARTS)


def check_raspberry_pi(c):
    """A compiler that was set up for any ARMv7 and a machine that calls itself armv7l: the float loops use NEON."""
    c.configure(SOURCE, "armv7l", "-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=armv7l",
                "-DCMAKE_C_COMPILER=arm-linux-gnueabihf-gcc", "-DCMAKE_BUILD_TYPE=Release", *PARTS)
    name = "runtime/CMakeFiles/tsmobile.dir/kernels/simd/f32_base.c.o"
    c.run("ninja", "-C", "armv7l", name)
    code = c.run("arm-linux-gnueabihf-objdump", "-d", "armv7l/" + name)
    if not re.search(r"vml[as]\.f32\s+q\d|vfm[as]\.f32\s+q\d|vmul\.f32\s+q\d", code):
        fail("a 32-bit Raspberry Pi gets no NEON")
    print("ok: armv7l has NEON")


def loops(c, triple):
    """Builds the objects of the interpreter and of kernels/simd; returns their names."""
    listed = c.run("ninja", "-C", triple, "-t", "targets", "all")
    objects = re.findall(r"^(\S+/(?:kernels/simd|interpreter)/\S+\.o):", listed, re.M)
    c.run("ninja", "-C", triple, *objects)
    return [c.path(triple, o) for o in objects]


def symbols(c, files):
    """Names that are defined, and those that are not."""
    # Quietly: what it says of objects without symbols may come in the middle of a name.
    listed = c.run("llvm-nm-14", "--quiet", "--format=posix", *files)
    rows = [line.split()[:2] for line in listed.splitlines() if len(line.split()) >= 2]
    defined = {name for name, kind in rows if kind not in "Uw"}
    return defined, {name for name, kind in rows if kind == "U"} - defined


def check(c, triple, system, names, every):
    configure(c, triple, system)
    if every:
        c.run("cmake", "--build", triple)
        files = glob.glob(c.path(triple, "lib/*.a"))
    else:
        files = loops(c, triple)
    defined, missing = symbols(c, files)
    lacking = [n for n in names if n not in defined]
    if lacking:
        fail("%s lacks %s" % (triple, ", ".join(lacking)))
    if every:
        prefix = "_" if system == "Darwin" else ""
        allowed = {prefix + n for n in MEMORY | math_functions()}
        other = sorted(n for n in missing - allowed if not HELPERS.fullmatch(n))
        if other:
            fail("%s needs %s" % (triple, ", ".join(other)))
    print("ok: %s, %d objects or libraries" % (triple, len(files)))


def main():
    with Consumer() as c:
        every = "--all" in sys.argv
        for triple in TARGETS if every else FIRST:
            check(c, triple, *TARGETS[triple], every)
        check_raspberry_pi(c)


if __name__ == "__main__":
    main()

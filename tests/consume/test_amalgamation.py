#!/usr/bin/env python3
"""libtsmobile as one source file: compiled by one call of the compiler outside of the source tree, with a model that
`tsmc --emit-c` made, and with all operators.

    test_amalgamation.py TSMC OPERATOR_TABLE.c [--all]

Without --all clang reads the file, which finds names that two sources use. With it gcc, clang and the cross compilers
compile it without a warning, the programs' answers are compared with PyTorch's, on a Cortex-M4F under QEMU too, buffers
are exact with each instruction set, and the file needs of other libraries only memory functions and libm.
"""
import os
import re
import sys

import pictures
from consume import HERE, SOURCE, Consumer, fail

STRICT = ["-std=gnu11", "-Wall", "-Wextra", "-Werror"]
FLAGS = STRICT + ["-ffunction-sections", "-fdata-sections", "-fno-math-errno", "-fno-trapping-math"]
CORTEX = ["arm-none-eabi-gcc", "--specs=picolibc.specs", "-mthumb"]
M4F = CORTEX + ["-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard", "-Os"]
CROSS = {
    "Cortex-M0+": CORTEX + ["-mcpu=cortex-m0plus", "-Os"],
    "Cortex-M55": CORTEX + ["-mcpu=cortex-m55", "-mfloat-abi=hard", "-fno-if-conversion2", "-Os"],
}
A64 = ["aarch64-linux-gnu-gcc", "-O1", "-static"]
# Instruction sets of this machine's family, and what /proc/cpuinfo calls what they need.
MACHINES = {"haswell": "avx2", "skylake-avx512": "avx512bw", "icelake-server": "avx512_vbmi2"}


def make(c, tsmc, table):
    """tsmobile.c and tsmobile.h, the digits model as C, the program and its image."""
    c.run(sys.executable, os.path.join(SOURCE, "toolchain/amalgamate.py"), SOURCE, table, c.folder)
    c.digits(tsmc)
    c.run(tsmc, os.path.join(SOURCE, "tests/models/digits.pt"), "-o", "digits.tsm", "--example",
          os.path.join(SOURCE, "tests/models/digits_example.json"))
    c.run(tsmc, "digits.tsm", "--emit-c", c.folder)
    c.copy("app/recognize_embedded.c", "app/recognize_stdio.c")
    c.write("image.h", ", ".join("%rf" % x for x in c.image) + "\n")


# Whose C libraries are not here: clang reads the file with the declarations of tests/consume/sysroot.
TRIPLES = ["arm64-apple-ios15", "x86_64-pc-windows-msvc", "x86_64-w64-windows-gnu", "armv7a-linux-androideabi21",
           "wasm32-unknown-unknown", "riscv32-unknown-elf"]
PROGRAM = ["recognize_embedded.c", "digits.c", "operators.c"]


def members(text, name):
    """The names of a struct's members, with what follows them."""
    body = re.findall(r"typedef struct \{((?:[^{}]|\{[^{}]*\})*)\} %s;" % name, re.sub(r"/\*.*?\*/", "", text, flags=re.S))[0]
    return re.findall(r"(\w+(?: : \d+)?)[,;]", body)


def check_table(c):
    """The operator table of a model is laid out as the library's."""
    with open(c.path("tsmobile.c"), encoding="utf-8") as f, open(c.path("operators.c"), encoding="utf-8") as g:
        library, model = f.read(), g.read()
    for name, count in (("tsm_operator", None), ("tsm_text", None), ("machine", 2)):
        if members(library, name)[:count] != members(model, name):
            fail("tsmc --emit-c writes %s as %s, the library reads %s" % (name, members(model, name), members(library, name)))
    parts = re.findall(r"^(?:tsm_status|void) tsm_.*(?= \{$)", model, re.M)
    library = re.sub(r"\s+", " ", library)
    wrong = [p for p in parts if "TSM_PART %s {" % p not in library and "tsm_depthwise_" not in p]
    if wrong or not parts:
        fail("the library has no part like: " + "; ".join(wrong))
    print("ok: the model's table of operators, and %d parts that are left out" % len(parts))


def check_host(c, compiler):
    c.run(*compiler, *FLAGS, "-I.", "-c", "tsmobile.c", "-o", "tsmobile.o")
    if compiler[0] == "gcc":  # clang knows that this machine's libc has bcmp, too
        c.run(sys.executable, os.path.join(SOURCE, "tests/device/symbols.py"), "nm", "tsmobile.o")
    c.run(compiler[0], *STRICT, "-I.", *PROGRAM, "tsmobile.o", "-Wl,--gc-sections", "-lm", "-o", "embedded")
    c.run(compiler[0], *STRICT, "-I.", "recognize_stdio.c", "tsmobile.o", "-lm", "-o", "every")
    c.check_scores(c.run("./embedded"), "%s, the model's operators" % compiler[0])
    c.recognize("./every", "%s, all operators" % compiler[0])
    kernels = [c.run("nm", x).count(" tsm_k_") for x in ("embedded", "every")]
    if kernels[0] * 20 > kernels[1]:
        fail("the model links %d kernels of %d" % tuple(kernels))


def check_board(c):
    """A Cortex-M4F under QEMU."""
    c.run(*M4F, *FLAGS, "-I.", "-c", "tsmobile.c", "-o", "m4f.o")
    scripts = os.path.join(SOURCE, "platform/baremetal")
    c.run(*M4F, *STRICT, "-I.", *PROGRAM, "m4f.o", "--oslib=semihost", "--crt0=semihost", "-Wl,--gc-sections", "-L" + scripts,
          "-Tmps2-an386.ld", "-lm", "-o", "m4f.elf")
    c.check_scores(c.run(os.path.join(SOURCE, "toolchain/run-qemu.sh"), "mps2-an386", "m4f.elf"), "Cortex-M4F")


def check_buffer(c, compiler, target, *, runner=()):
    """A model runs in the buffer that its header states for the target, with the loops of one source file."""
    c.run(*compiler, *STRICT, "-I.", "-Ipictures", "pictures_program.c", "pictures/pictures.c", "pictures/operators.c", "tsmobile.o",
          "-Wl,--gc-sections", "-lm", "-o", "buffer")
    with open(c.path("pictures/pictures.h"), encoding="utf-8") as f:
        pictures.check_run(c.run(*runner, "./buffer"), f.read(), target)


def check_machines(c, tsmc):
    """Other instruction sets, which change how much the loops ask for."""
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        flags = set(re.search(r"^flags.*", f.read() + "\nflags", re.M)[0].split())
    pictures.emit(c, tsmc)
    c.run(*A64, *FLAGS, "-I.", "-c", "tsmobile.c", "-o", "tsmobile.o")
    check_buffer(c, A64, "aarch64", runner=["qemu-aarch64"])
    for name, needed in MACHINES.items() if os.uname().machine == "x86_64" else ():
        compiler = ["gcc", "-O1", "-march=" + name, "-Wno-maybe-uninitialized"]
        c.run(*compiler, *FLAGS, "-I.", "-c", "tsmobile.c", "-o", "tsmobile.o")
        if needed not in flags:
            print("ok: compiled for %s, which this machine is not" % name)
            continue
        check_buffer(c, compiler, "x86-64")
        c.run(*compiler, *STRICT, "-I.", *PROGRAM, "tsmobile.o", "-Wl,--gc-sections", "-lm", "-o", "embedded")
        c.check_scores(c.run("./embedded"), name)


def main():
    tsmc, table, *options = sys.argv[1:]
    with Consumer() as c:
        make(c, tsmc, table)
        check_table(c)
        if not options:
            c.run("clang", *STRICT, "-fsyntax-only", "tsmobile.c")
            for triple in TRIPLES:
                c.run("clang", "--target=" + triple, "-ffreestanding", "-nostdlibinc", "-isystem", os.path.join(HERE, "sysroot"),
                      *STRICT, "-fsyntax-only", "tsmobile.c")
            for name in MACHINES if os.uname().machine == "x86_64" else ():
                c.run("clang", "-march=" + name, *STRICT, "-fsyntax-only", "tsmobile.c")
            print("ok: one source file, as clang reads it for this machine and for %s" % ", ".join(TRIPLES))
            return
        for compiler in (["gcc", "-O2", "-Wno-maybe-uninitialized"], ["clang", "-O2"]):
            check_host(c, compiler)
        check_board(c)
        check_machines(c, tsmc)
        for name, compiler in CROSS.items():
            c.run(*compiler, *FLAGS, "-c", "tsmobile.c", "-o", "cross.o")
            print("ok: " + name)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Code and constants of whole programs on a Cortex-M4F, built of the one source file for size with the operators of one
model: no more than the table in docs/devices.md says, and no less than nine tenths of it, so that the table is true.
The program is what runs alone on a board: semihosting, which prints faults by printf, is not part of it. And a program
runs that has all instructions of the small loop, which such programs take.

    test_code_size.py TSMC OPERATOR_TABLE.c [--write]

The table of families (families.py) in docs/devices.md says what they consist of; --write makes it again.

app/mlp.pt: torch.jit.freeze of a script of Sequential(Linear(16, 16), ReLU(), Linear(16, 4)).
app/keyword_spotting_int8.pt: app/make_int8.py.
"""
import json
import os
import re
import sys

import pictures
from consume import HERE, SOURCE, Consumer, fail
from families import Families, table
from test_amalgamation import FLAGS, M4F, STRICT

MODELS = {
    "mlp": (os.path.join(HERE, "app/mlp.pt"), [1, 16]),
    "digits": (os.path.join(SOURCE, "tests/models/digits.pt"), [1, 1, 8, 8]),
    "keyword_spotting": (os.path.join(SOURCE, "toolchain/boards/keyword_spotting.pt"), [1, 1, 49, 10]),
    "keyword_spotting_int8": (os.path.join(HERE, "app/keyword_spotting_int8.pt"), [1, 1, 49, 10]),
}
PAGE = os.path.join(SOURCE, "docs/devices.md")
EVERY = "every operator"  # the column of the whole library
PROGRAM = """#include "NAME.h"
static _Alignas(64) unsigned char buffer[BIG_FORWARD_BUFFER_BYTES];
static float in[INPUTS], out[BIG_FORWARD_RESULT_ELEMENTS];
static NAME network;
int main(void) {
    return NAME_open(&network, NULL, buffer, sizeof buffer) != TSM_OK || NAME_forward(&network, in, out) != TSM_OK;
}
"""


def limits():
    with open(PAGE, encoding="utf-8") as f:
        return {name: int(number.replace(",", "")) for name, number in re.findall(r"^\| `(\w+)` \|.*\| ([\d,]+) \|$", f.read(), re.M)}


def code_size(c, tsmc, name):
    """Bytes of a program's code and constants without its model, and the model's."""
    model, shape = MODELS[name]
    inputs = 1
    for n in shape:
        inputs *= n
    c.write(name + ".json", json.dumps([{"tensor": {"dtype": "float32", "shape": shape, "data": [0.0] * inputs}}]))
    c.run(tsmc, model, "-o", name + ".tsm", "--example", name + ".json")
    os.mkdir(c.path(name))
    c.run(tsmc, name + ".tsm", "--emit-c", name)
    c.write(name + "/main.c", PROGRAM.replace("BIG", name.upper()).replace("NAME", name).replace("INPUTS", str(inputs)))
    c.run(*M4F, *FLAGS, "-I.", "-I", name, name + "/main.c", name + "/%s.c" % name, name + "/operators.c", "tsmobile.o",
          "--crt0=minimal", "-Wl,--gc-sections", "-L" + os.path.join(SOURCE, "platform/baremetal"),
          "-Tmps2-an386.ld", "-lm", "-Wl,-Map=" + name + ".map", "-o", name + ".elf")
    text, data = map(int, c.run("arm-none-eabi-size", name + ".elf").splitlines()[1].split()[:2])
    with open(c.path(name, name + ".h"), encoding="utf-8") as f:
        model = int(re.search(r"_FILE_BYTES (\d+)", f.read())[1])
    return text + data - model, model


def check_families(c, sizes, write):
    """The table of families, in which a number may be off by a tenth, as in the other one."""
    families = Families(c, "arm-none-eabi-")
    columns = {EVERY: families.of_library()}
    for name, (size, model) in sizes.items():
        columns[name] = families.of_program(c.path(name + ".map"), size, model)
    with open(PAGE, encoding="utf-8") as f:
        page = f.read()
    found = re.search(r"^\| family \|.*\n(\|.*\n)+", page, re.M)[0]
    made = "\n".join(table(columns)) + "\n"
    if write:
        with open(PAGE, "w", encoding="utf-8") as f:
            f.write(page.replace(found, made))
        return
    told, measured = ([[cell.strip() for cell in line.split("|")] for line in text.splitlines()] for text in (found, made))
    if [row[1] for row in told] != [row[1] for row in measured] or told[0] != measured[0]:
        fail("docs/devices.md has other families: make the table again (--write)")
    for old, new in zip(told[2:], measured[2:]):
        for a, b in zip(old[2:], new[2:]):
            a, b = (int(n.replace(",", "") or 0) for n in (a, b))
            if abs(a - b) > 200 + b // 10:
                fail("docs/devices.md says %d of %s, it is %d: make the table again (--write)" % (a, new[1], b))
    print("ok: %d families" % (len(told) - 2))


def check_steps(c, tsmc):
    """app/steps.c under QEMU gives what Python gives, and says what it lacks."""
    sys.path.insert(0, os.path.join(HERE, "app"))
    from steps import steps
    os.mkdir(c.path("steps"))
    for name in ("third", "steps"):  # the operators are those of steps
        c.run(tsmc, os.path.join(HERE, "app/steps.py:" + name), "-O0", "-o", name + ".tsm")
        c.run(tsmc, name + ".tsm", "--emit-c", "steps")
    with open(c.path("steps/operators.c"), encoding="utf-8") as f:
        if "return tsm_run_small(" not in f.read():
            fail("steps needs more than the small loop")
    c.run(*M4F, *STRICT, "-I.", "-Isteps", os.path.join(HERE, "app/steps.c"), "steps/steps.c", "steps/third.c", "steps/operators.c",
          "tsmobile.o", "--oslib=semihost", "--crt0=semihost", "-Wl,--gc-sections", "-L" + os.path.join(SOURCE, "platform/baremetal"),
          "-Tmps2-an386.ld", "-lm", "-o", "steps.elf")
    found = c.run(os.path.join(SOURCE, "toolchain/run-qemu.sh"), "mps2-an386", "steps.elf").splitlines()
    expected = []
    for n in range(-3, 12):
        for limit in range(0, 30, 6):
            try:
                expected.append("0 %d" % steps(n, limit or None))
            except ValueError:
                expected.append("1 0")
    if found[:-1] != expected or len(set(expected)) < 10:
        fail("the small loop gives %s\ninstead of %s" % (found, expected))
    if not re.search(r"^4 .*operators.c was made for programs without instruction \d+", found[-1]):
        fail("without an instruction: " + found[-1])


def check_buffer(c, tsmc):
    """A model with plans for all targets has the board's when it is compiled for it."""
    pictures.emit(c, tsmc)
    c.run(*M4F, *STRICT, "-I.", "-Ipictures", "pictures_program.c", "pictures/pictures.c", "pictures/operators.c", "tsmobile.o",
          "--oslib=semihost", "--crt0=semihost", "-Wl,--gc-sections", "-L" + os.path.join(SOURCE, "platform/baremetal"),
          "-Tmps2-an386.ld", "-lm", "-o", "pictures.elf")
    with open(c.path("pictures/pictures.h"), encoding="utf-8") as f:
        pictures.check_run(c.run(os.path.join(SOURCE, "toolchain/run-qemu.sh"), "mps2-an386", "pictures.elf"), f.read(), "cortex-m4f")


def main():
    tsmc, operators, *write = sys.argv[1:]
    allowed = limits()
    with Consumer() as c:
        c.run(sys.executable, os.path.join(SOURCE, "toolchain/amalgamate.py"), SOURCE, operators, c.folder)
        c.run(*M4F, *FLAGS, "-g1", "-c", "tsmobile.c", "-o", "tsmobile.o")
        check_steps(c, tsmc)
        check_buffer(c, tsmc)
        sizes = {name: code_size(c, tsmc, name) for name in MODELS}
        check_families(c, sizes, write)
    for name, (size, _) in sizes.items():
        print("%s: %d bytes of at most %d" % (name, size, allowed[name]))
    wrong = [name for name, (size, _) in sizes.items() if not 0.9 * allowed[name] <= size <= allowed[name]]
    if wrong:
        fail("docs/devices.md tells something else of: " + ", ".join(wrong))


if __name__ == "__main__":
    main()

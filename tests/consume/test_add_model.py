#!/usr/bin/env python3
"""tsmobile_add_model: two models in one program of C and one of C++, exported when it is built, called with C types,
with the operators that they need and no others.

    test_add_model.py PREFIX TSMC
"""
import glob
import os
import shutil
import sys

from consume import SOURCE, Consumer, fail

PROJECT = """cmake_minimum_required(VERSION 3.20)
project(models LANGUAGES C CXX)
find_package(tsmobile REQUIRED)
add_executable(two two.c)
tsmobile_add_model(two digits.pt EXAMPLE example.json)
tsmobile_add_model(two "sums.py:sums" NAME adder EXAMPLE adder.json)
target_compile_options(two PRIVATE -Wall -Wextra -Wpedantic -Werror)
add_executable(cxx two.cc)
tsmobile_add_model(cxx digits.pt NAME digits METHODS forward EXAMPLE example.json)
tsmobile_add_model(cxx "sums.py:sums" NAME adder EXAMPLE adder.json)
add_executable(every all.c)
target_link_libraries(every PRIVATE tsmobile::tsmobile)
"""
# C and C++.
PROGRAM = """#include "adder.h"
#include "digits.h"
#include <stdio.h>

#ifdef __cplusplus
#define ALIGNED alignas(64)
#else
#define ALIGNED _Alignas(64)
#endif
ALIGNED static unsigned char buffer[DIGITS_FORWARD_BUFFER_BYTES], second[ADDER_SUMS_BUFFER_BYTES];

int main(int argc, char **argv) {
    float image[DIGITS_FORWARD_IMAGE_ELEMENTS], scores[DIGITS_FORWARD_RESULT_ELEMENTS];
    float a[ADDER_SUMS_A_ELEMENTS] = {1, 2, 3, 4, 5, 6}, total[ADDER_SUMS_RESULT_0_ELEMENTS];
    int64_t b[ADDER_SUMS_B_ELEMENTS] = {10, 20}, twice[ADDER_SUMS_RESULT_1_ELEMENTS];
    FILE *f = fopen(argv[argc - 1], "rb");
    if (!f || fread(image, sizeof *image, DIGITS_FORWARD_IMAGE_ELEMENTS, f) != DIGITS_FORWARD_IMAGE_ELEMENTS)
        return 2;
    digits d;
    adder s;
    if (digits_open(&d, NULL, buffer, sizeof buffer) != TSM_OK || adder_open(&s, NULL, second, sizeof second) != TSM_OK)
        return 3;
    for (int turn = 0; turn < 3; turn++)
        if (digits_forward(&d, image, scores) != TSM_OK || adder_sums(&s, a, b, total, twice) != TSM_OK)
            return 4;
    /* a is 2 x 3, and its transposed sum comes back as one: 3 x 2. */
    if (total[0] != 11 || total[1] != 24 || total[5] != 26 || twice[0] != 20 || twice[1] != 40)
        return 5;
    for (int i = 0; i < DIGITS_FORWARD_RESULT_ELEMENTS; i++)
        printf("%.9g\\n", (double)scores[i]);
    return 0;
}
"""
SUMS = """from typing import Tuple
import torch
from torch import Tensor


def sums(a: Tensor, b: Tensor) -> Tuple[Tensor, Tensor]:
    return (a + b.unsqueeze(1)).t() , b + b
"""
# What a program links that has all operators.
ALL = """#include <tsmobile.h>
int main(int argc, char **argv) {
    tsm_program p;
    return tsm_program_open(&p, argv[0], (size_t)argc, 0, 0) == TSM_OK;
}
"""


# A program that prints, linked with the operators and parts of one that does not.
SHOW = """def show(a: int):
    print(a)


def quiet(a: int):
    return a + 1
"""
MISSING = """#include "show.h"
#include <stdio.h>
int main(void) {
    static _Alignas(64) unsigned char buffer[16384];
    show s;
    tsm_value a = tsm_int(1), out;
    if (show_open(&s, NULL, buffer, sizeof buffer) != TSM_OK)
        return 2;
    tsm_status status = tsm_call(s.inst, 0, &a, 1, &out);
    puts(status == TSM_OK ? "passed" : tsm_error(s.inst));
    return status == TSM_OK ? 0 : status == TSM_UNSUPPORTED ? 3 : 4;
}
"""


def check_missing_part(c, prefix, tsmc):
    """An instruction that is not linked ends the call."""
    c.write("show.py", SHOW)
    c.write("missing.c", MISSING)
    for name in ("show", "quiet"):
        c.run(tsmc, "show.py:" + name, "-o", name + ".tsm")
        os.mkdir(c.path(name))
        c.run(tsmc, name + ".tsm", "--emit-c", name)
    for operators, status in (("show", 0), ("quiet", 3)):
        c.run("cc", "-I" + os.path.join(prefix, "include"), "-Ishow", "missing.c", "show/show.c", operators + "/operators.c",
              glob.glob(os.path.join(prefix, "lib/**/libtsmobile.a"), recursive=True)[0], "-lm", "-o", "missing")
        said = c.run("./missing", status=status)
        if status and "make it again" not in said:
            fail("a part that is not linked is not named: " + said)
    print("ok: an instruction that is not linked")


def tensor(dtype, shape, n):
    return '{"tensor":{"dtype":"%s","shape":%s,"data":[%s]}}' % (dtype, shape, ",".join(["0"] * n))


def main():
    prefix, tsmc = sys.argv[1:]
    with Consumer() as c:
        c.digits(tsmc)
        shutil.copy(os.path.join(SOURCE, "tests/models/digits.pt"), c.folder)
        for name, text in (("CMakeLists.txt", PROJECT), ("two.c", PROGRAM), ("two.cc", PROGRAM), ("all.c", ALL), ("sums.py", SUMS),
                           ("example.json", "[%s]" % tensor("float32", [1, 1, 8, 8], 64)),
                           ("adder.json", "[%s,%s]" % (tensor("float32", [2, 3], 6), tensor("int64", [2], 2)))):
            c.write(name, text)
        c.cmake(".", "build", "-DCMAKE_PREFIX_PATH=" + prefix, "-DTSMC_EXECUTABLE=" + tsmc, "-DCMAKE_BUILD_TYPE=Release")
        for program in ("two", "cxx"):
            c.check_scores(c.run("build/" + program, "image.f32"), "tsmobile_add_model, " + program)
        kernels = [c.run("nm", "build/" + x).count(" tsm_k_") for x in ("two", "every")]
        if kernels[0] * 20 > kernels[1]:
            fail("two models link %d kernels of %d" % tuple(kernels))
        print("ok: two models link %d kernels of %d" % tuple(kernels))
        check_missing_part(c, prefix, tsmc)
        os.utime(c.path("digits.pt"))
        if "Exporting digits" not in c.run("cmake", "--build", "build"):
            fail("a model that changed is not exported again")
        os.remove(c.path("digits.pt"))
        if "there is no" not in c.run("cmake", "build", status=1):
            fail("a model that is missing is not named")


if __name__ == "__main__":
    main()

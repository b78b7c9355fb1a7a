#!/usr/bin/env python3
"""tsmobile_add_model: two models in one program of C and one of C++, exported when it is built, called with C types,
with the operators that they need and no others.

    test_add_model.py PREFIX TSMC
"""
import glob
import json
import os
import shutil
import sys

import pictures
from consume import HERE, SOURCE, Consumer, fail

sys.path.insert(0, os.path.join(HERE, os.pardir))
from state_dict import save_state  # noqa: E402

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
# The models in libraries, in folders and files with spaces, and with options and examples of several kinds.
add_subdirectory(several)
add_subdirectory("in a library")
add_executable(pictures pictures_program.c)
tsmobile_add_model(pictures pictures.py:Pictures EXAMPLE pictures.json OPTIONS --weights pictures.pth)
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
LIBRARIES = """set(model "counting net.py:Counting()")
set(more NAME counting EXAMPLE example.json scale=example.json OPTIONS --weights weights.pth)
add_library(counter STATIC counter.c)
tsmobile_add_model(counter ${model} ${more})
add_library(plugin MODULE counter.c)
tsmobile_add_model(plugin ${model} ${more})
add_executable(count count.c)
target_link_libraries(count PRIVATE counter)
"""
# A program with a model of its own, and three in libraries, each with operators that no other has.
SEVERAL = """add_executable(several several.c)
target_link_libraries(several PRIVATE upper ${CMAKE_DL_LIBS} $<BUILD_INTERFACE:shapes>)
tsmobile_add_model(several models.py:own NAME own)
add_library(shapes OBJECT shapes.c)
tsmobile_add_model(shapes models.py:shapes NAME shapes)
add_library(upper STATIC upper.c)
target_link_libraries(upper PRIVATE lower)
tsmobile_add_model(upper models.py:upper NAME upper)
add_library(lower STATIC lower.c)
tsmobile_add_model(lower models.py:lower NAME lower)
"""
SEVERAL_MODELS = """import torch


def own(a: float) -> float:
    return float(torch.sin(torch.tensor(a)))


def upper(a: float) -> float:
    return float(torch.tanh(torch.tensor(a)))


def lower(a: float) -> float:
    print(a)
    return float(torch.exp(torch.tensor(a)))


def shapes(a: float) -> float:
    return float(torch.full([2, 3], a).cumsum(1).sum())
"""
SEVERAL_CALL = """#include "NAME.h"
double run_NAME(double a);
double run_NAME(double a) {
    static _Alignas(64) unsigned char buffer[1 << 14];
    NAME m;
    tsm_value in = tsm_float(a), out;
    if (NAME_open(&m, NULL, buffer, sizeof buffer) != TSM_OK || tsm_call(m.inst, 0, &in, 1, &out) != TSM_OK)
        return -1;
    return out.as.f;
}
"""
SEVERAL_MAIN = """#include <stdio.h>
double run_own(double a), run_upper(double a), run_lower(double a), run_shapes(double a);
int main(void) {
    printf("%.4f %.4f %.4f %.4f\\n", run_own(0.5), run_upper(0.5), run_lower(0.5), run_shapes(0.5));
    return 0;
}
"""
# Several methods, a dict, state, and an error.
COUNTING = """from typing import Dict
import torch
from torch import Tensor


class Counting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(3))
        self.calls = 0

    def forward(self, x: Tensor) -> Dict[str, Tensor]:
        self.calls += 1
        return {"sum": x.sum(), "largest": x.max()}

    @torch.jit.export
    def scale(self, x: Tensor) -> Tensor:
        return x * self.weight

    @torch.jit.export
    def count(self) -> int:
        if self.calls > 2:
            raise ValueError("more than two")
        return self.calls
"""
COUNTER = """#include "counting.h"

const char *count_calls(int64_t *calls, double *largest, float *scaled);

const char *count_calls(int64_t *calls, double *largest, float *scaled) {
    static _Alignas(64) unsigned char buffer[1 << 16];
    static char message[512];
    static const tsm_dim sizes[] = {3};
    float x[COUNTING_SCALE_X_ELEMENTS] = {1, 4, 2};
    tsm_options options = {.size = sizeof options, .message = message, .message_bytes = sizeof message};
    counting c;
    tsm_value in, out, key, item, count;
    if (counting_open(&c, &options, buffer, sizeof buffer) != TSM_OK || counting_scale(&c, x, scaled) != TSM_OK)
        return message;
    for (;;) {
        tsm_tensor_view view;
        if (tsm_tensor_wrap(c.inst, &in, TSM_FLOAT32, 1, sizes, NULL, x) != TSM_OK ||
            tsm_call(c.inst, tsm_method(&c.program, "forward"), &in, 1, &out) != TSM_OK)
            return message;
        tsm_dict_get(out, 1, &key, &item);
        if (tsm_tensor_get(item, &view))
            *largest = *(const float *)view.data;
        tsm_release(c.inst, out);
        tsm_release(c.inst, in);
        if (tsm_call(c.inst, tsm_method(&c.program, "count"), NULL, 0, &count) != TSM_OK)
            return message;
        *calls = count.as.i;
    }
}
"""
COUNT = """#include <stdint.h>
#include <stdio.h>
const char *count_calls(int64_t *calls, double *largest, float *scaled);
int main(void) {
    int64_t calls = 0;
    double largest = 0;
    float scaled[3];
    const char *ended = count_calls(&calls, &largest, scaled);
    printf("%d calls, largest %g, scaled %g: %s", (int)calls, largest, (double)scaled[1], ended);
    return 0;
}
"""


def write_libraries(c):
    os.mkdir(c.path("in a library"))
    for name, text in (("CMakeLists.txt", LIBRARIES), ("counting net.py", COUNTING), ("counter.c", COUNTER), ("count.c", COUNT),
                       ("example.json", "[%s]" % tensor("float32", [3], 3))):
        c.write(os.path.join("in a library", name), text)
    save_state(c.path("in a library/weights.pth"), {"weight": (3,)})


def write_several(c):
    c.write("several/CMakeLists.txt", SEVERAL)
    c.write("several/models.py", SEVERAL_MODELS)
    for name in ("upper", "lower", "shapes"):
        c.write("several/%s.c" % name, SEVERAL_CALL.replace("NAME", name))
    c.write("several/several.c", SEVERAL_CALL.replace("NAME", "own") + SEVERAL_MAIN)


def check_several(c):
    """A program has the operators of its own models and of those in the libraries that it links."""
    said = c.run("build/several/several")
    if said != "0.4794 0.4621 1.6487 6.0000\n":
        fail("models in several libraries: " + said)
    kernels = c.run("nm", "build/several/several").count(" tsm_k_")
    if not 4 < kernels < 30:
        fail("models in several libraries link %d kernels" % kernels)
    print("ok: models in a program and three libraries")


def check_libraries(c):
    """A static library and a plugin carry their models with the operators of these, and no others."""
    said = c.run("build/in a library/count")
    if not said.startswith("2 calls, largest 4, scaled ") or "ValueError: more than two" not in said:
        fail("a model in a static library: " + said)
    for made in ("build/in a library/count", "build/in a library/libplugin.so"):
        kernels = c.run("nm", made).count(" tsm_k_")
        if not 0 < kernels < 20:
            fail("%s links %d kernels" % (made, kernels))
    os.utime(c.path("in a library/weights.pth"))
    if "Exporting counting" not in c.run("cmake", "--build", "build"):
        fail("a model whose weights changed is not exported again")
    print("ok: models in a static library and in a plugin")


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


def check_targets(c, tsmc):
    """The header states for each target what `tsmc --target` does, and the program has the plan of its own."""
    with open(c.path("build/pictures.models/pictures.h"), encoding="utf-8") as f:
        header = f.read()
    stated = {}
    for target in pictures.targets():
        c.run(tsmc, *pictures.INPUT, "-o", "one.tsm", "--target", target)
        stated[target] = json.loads(c.run(tsmc, "one.tsm", "--info", "--json"))["methods"][0]["buffer_bytes"]
        if pictures.macro(header, target) != stated[target]:
            fail("the header states %s bytes for %s, tsmc %d" % (pictures.macro(header, target), target, stated[target]))
    if stated["cortex-m4f"] > stated["armv7"] // 2:
        fail("the targets need about the same: %s" % stated)
    pictures.check_run(c.run("build/pictures"), header, os.uname().machine.replace("_", "-"))
    # One for a target, and one without plans of targets.
    for options in (["--target", "cortex-m4f"], []):
        c.run(tsmc, *pictures.INPUT, "-o", "one.tsm", *options)
        c.run(tsmc, "one.tsm", "--emit-c", c.folder)
        with open(c.path("one.h"), encoding="utf-8") as f:
            one = f.read().replace("ONE_", "PICTURES_")
        if "_CORTEX_M4F" in one or pictures.macro(one) != (stated["cortex-m4f"] if options else max(stated.values())):
            fail("a file for %s states %s bytes" % (options, pictures.macro(one)))
    print("ok: the buffers of %d targets" % len(stated))


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
        write_libraries(c)
        write_several(c)
        pictures.write(c)
        c.write("pictures_program.c", pictures.PROGRAM)
        c.cmake(".", "build", "-DCMAKE_PREFIX_PATH=" + prefix, "-DTSMC_EXECUTABLE=" + tsmc, "-DCMAKE_BUILD_TYPE=Release")
        for program in ("two", "cxx"):
            c.check_scores(c.run("build/" + program, "image.f32"), "tsmobile_add_model, " + program)
        kernels = [c.run("nm", "build/" + x).count(" tsm_k_") for x in ("two", "every")]
        if kernels[0] * 20 > kernels[1]:
            fail("two models link %d kernels of %d" % tuple(kernels))
        print("ok: two models link %d kernels of %d" % tuple(kernels))
        check_libraries(c)
        check_several(c)
        check_targets(c, tsmc)
        check_missing_part(c, prefix, tsmc)
        with open(c.path("CMakeLists.txt"), "a") as lists:
            lists.write("tsmobile_add_model(two other/../digits.pt)\n")
        os.mkdir(c.path("other"))
        if "two models of two are called digits; give one of them a NAME" not in " ".join(c.run("cmake", "build", status=1).split()):
            fail("two models of one name are not told apart")
        with open(c.path("CMakeLists.txt")) as lists:
            kept = lists.read().rsplit("tsmobile_add_model", 1)[0]
        c.write("CMakeLists.txt", kept)
        os.utime(c.path("digits.pt"))
        if "Exporting digits" not in c.run("cmake", "--build", "build"):
            fail("a model that changed is not exported again")
        os.remove(c.path("digits.pt"))
        if "there is no" not in c.run("cmake", "build", status=1):
            fail("a model that is missing is not named")


if __name__ == "__main__":
    main()

"""A model whose kernels ask for other workspaces on each target, with plans for all of them, and a program that runs it
in exactly the buffer that its header states."""
import json
import os
import re
import sys

from consume import HERE, SOURCE, fail

sys.path.insert(0, os.path.join(HERE, os.pardir))
from state_dict import save_state  # noqa: E402

MODEL = """import torch
from torch import Tensor


class Pictures(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Conv2d(32, 32, 3)
        self.second = torch.nn.Conv2d(32, 32, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.second(torch.relu(self.first(x)))
"""
PROGRAM = """#include "pictures.h"
#include <stdio.h>
static _Alignas(64) unsigned char buffer[PICTURES_FORWARD_BUFFER_BYTES];
static float in[PICTURES_FORWARD_X_ELEMENTS], out[PICTURES_FORWARD_RESULT_ELEMENTS];
int main(void) {
    pictures p;
    tsm_status status = pictures_open(&p, NULL, buffer, sizeof buffer);
    for (int i = 0; i < 3 && status == TSM_OK; i++)
        status = pictures_forward(&p, in, out);
    printf("status %d in %d bytes\\n", (int)status, (int)sizeof buffer);
    return status != TSM_OK;
}
"""
INPUT = ["pictures.py:Pictures", "--weights", "pictures.pth", "--example", "pictures.json"]


def targets():
    """What tsmc --target knows, and what C's preprocessor asks."""
    with open(os.path.join(SOURCE, "runtime/kernels/simd/targets.def"), encoding="utf-8") as f:
        found = dict(re.findall(r'^TARGET\("([^"]+)", \d+, "([^"]+)"\)', f.read(), re.M))
    if len(found) < 7:
        fail("targets.def is not understood")
    return found


def write(c):
    c.write("pictures.py", MODEL)
    c.write("pictures.json", json.dumps([{"tensor": {"dtype": "float32", "shape": [1, 32, 20, 20], "data": [0.5] * 12800}}]))
    save_state(c.path("pictures.pth"), {"%s.%s" % (layer, name): shape for layer in ("first", "second")
                                        for name, shape in (("weight", (32, 32, 3, 3)), ("bias", (32,)))})


def emit(c, tsmc):
    """pictures.h and pictures.c, with operators.c, in the folder `pictures`; pictures_program.c beside it."""
    write(c)
    c.run(tsmc, *INPUT, "-o", "pictures.tsm", "--target", "each")
    os.makedirs(c.path("pictures"), exist_ok=True)
    c.run(tsmc, "pictures.tsm", "--emit-c", "pictures")
    c.write("pictures_program.c", PROGRAM)


def macro(header, target=None):
    """The buffer that a header states for a target, or for those that have none of their own."""
    name = "PICTURES_FORWARD_BUFFER_BYTES" + ("_" + re.sub(r"\W", "_", target).upper() if target else "")
    found = re.findall(r"^#define %s (\d+)$" % name, header, re.M)
    return int(found[-1]) if found else None


def check_run(said, header, target):
    expected = "status 0 in %d bytes\n" % macro(header, target)
    if said != expected:
        fail("%s: %s instead of %s" % (target, said, expected))
    print("ok: the buffer for %s" % target)

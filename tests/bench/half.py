#!/usr/bin/python3
"""Counts the AArch64 instructions of programs in half precision against those of the same programs in float32.

  half.py TSMC TSMRUN [--only NAME...] [--cpu NAME] [--markdown FILE]

TSMRUN is a tsmrun for AArch64 built with -DTSM_MARK=ON. Each program's parameters and input are float32, float16 and
bfloat16; a fourth column has float32 with the weights stored as half floats (tsmc --weights f16). Answers are first
compared with PyTorch's in float32, to the precision of the type. Thousands of instructions for a run, exact.
QEMU_AARCH64 names a qemu-aarch64 with plugins; --cpu is its processor (cortex-a53 has no dot products, max has all).

Needs python3-torch of Debian and the cross compilers (toolchain/setup.sh cross)."""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import torch
from torch import nn

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import make_counter, replace_table, write_json  # noqa: E402


class Gated(nn.Module):
    """A pointwise chain."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.randn(1024))

    def forward(self, x):
        return torch.sigmoid(x * self.scale) * x + x


class Gram(nn.Module):
    def forward(self, x):
        return torch.matmul(x, x.transpose(0, 1)) * 0.1


PROGRAMS = {
    "linear, 1 row": (lambda: nn.Linear(512, 512), (1, 512)),
    "linear, 64 rows": (lambda: nn.Linear(512, 512), (64, 512)),
    "matrix product": (Gram, (128, 128)),
    "convolution 3x3": (lambda: nn.Conv2d(32, 32, 3, padding=1), (1, 32, 28, 28)),
    "depthwise and 1x1": (lambda: nn.Sequential(nn.Conv2d(64, 64, 3, padding=1, groups=64), nn.ReLU(), nn.Conv2d(64, 64, 1)), (1, 64, 28, 28)),
    "layer norm": (lambda: nn.LayerNorm(512), (64, 512)),
    "softmax": (lambda: nn.Softmax(1), (64, 512)),
    "pointwise chain": (Gated, (64, 1024)),
    "sum": (lambda: nn.AdaptiveAvgPool2d(1), (1, 64, 28, 28)),
}
# Name, type, what tsmc is asked for, and the tolerance: a few units in the last place of the type, at numbers about 1.
FORMS = [("float32", torch.float32, [], 1e-4), ("float16", torch.float16, [], 1e-2), ("bfloat16", torch.bfloat16, [], 8e-2),
         ("float32, --weights f16", torch.float32, ["--weights", "f16"], 1e-2)]


def count(name, form, folder, options, counter):
    make, shape = PROGRAMS[name]
    _, dtype, asked, tolerance = form
    torch.manual_seed(7)
    model, x = make().eval(), torch.randn(shape)
    expected = model(x).detach()
    path, out = os.path.join(folder, "program"), os.path.join(folder, "out.json")
    torch.jit.script(model.to(dtype)).save(path + ".pt")
    x = x.to(dtype)
    inputs = write_json(path + ".json", [{"tensor": {"dtype": str(dtype)[6:], "shape": list(shape), "data": x.float().flatten().tolist()}}])
    subprocess.run([options.tsmc, path + ".pt", "-o", path + ".tsm"] + asked, check=True)
    counted = counter(options.tsmrun, path + ".tsm", inputs)
    subprocess.run([os.environ.get("QEMU_AARCH64", "qemu-aarch64"), "-L", "/usr/aarch64-linux-gnu", options.tsmrun, path + ".tsm",
                    "--inputs", inputs, "--outputs", out], check=True)
    with open(out) as f:
        got = torch.tensor(json.load(f)["tensor"]["data"]).reshape(expected.shape)
    if not torch.allclose(got, expected, tolerance, tolerance):
        sys.exit("%s, %s: differs from PyTorch by %g" % (name, form[0], (got - expected).abs().max()))
    return counted


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("tsmc")
    parser.add_argument("tsmrun")
    parser.add_argument("--only", nargs="+", choices=PROGRAMS, default=list(PROGRAMS))
    parser.add_argument("--cpu", default="max")
    parser.add_argument("--markdown")
    options = parser.parse_args()
    os.environ["QEMU_CPU"] = options.cpu
    rows = [["program"] + [form[0] for form in FORMS], ["---"] * (1 + len(FORMS))]
    with tempfile.TemporaryDirectory() as folder:
        counter = make_counter(folder)
        for name in options.only:
            counts = [count(name, form, folder, options, counter) for form in FORMS]
            rows.append([name] + ["%.1f" % (c / 1e3) if c == counts[0] else "%.1f (%.2f)" % (c / 1e3, c / counts[0]) for c in counts])
            print(" | ".join(rows[-1]), flush=True)
    text = "\n".join("| " + " | ".join(r) + " |" for r in rows)
    if options.markdown:
        replace_table(options.markdown, text, "half precision")


main()

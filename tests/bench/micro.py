#!/usr/bin/python3
"""Counts the instructions that small machines execute for each multiply-add of a model, against loops in plain C.

  micro.py TSMC [--only PRESET...] [--models NAME...] [--builds FOLDER] [--markdown FILE]

For each preset (armv7, cortex-m4f, cortex-m7, cortex-m55) two tsmruns are built in FOLDER (build/micro): as it is, and
with -DTSM_PLAIN=ON, which compiles the float loops without vectors, tiles and unrolling. Each runs every model under
QEMU; what an inference executes is counted by QEMU's instruction clock on the Cortex-M boards and by the plugin
count_instructions.c on ARMv7 (QEMU_ARM names a qemu-arm with plugins). Answers are first compared with PyTorch's. The
numbers are exact and repeat; they say nothing about waiting for memory.

Needs python3-torch and python3-torchvision of Debian and the cross compilers (toolchain/setup.sh cross)."""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

import torch
from torch import nn
from torch.ao.quantization import get_default_qconfig_mapping
from torch.ao.quantization.quantize_fx import convert_fx, prepare_fx
import torchvision.models as tv

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)
from common import key_values, replace_table, write_json  # noqa: E402
from models import Lstm, tensor_json  # noqa: E402

BOARDS = {"cortex-m4f": "mps2-an386", "cortex-m7": "mps2-an500", "cortex-m55": "mps3-an547"}
PRESETS = ["armv7"] + list(BOARDS)


def digits():
    """The network of tests/models/digits.pt."""
    def layer(inputs, outputs):
        return [nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU()]
    return nn.Sequential(*layer(1, 12), *layer(12, 24), nn.MaxPool2d(2), *layer(24, 24), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(96, 10))


def mlp():
    return nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))


def ds_cnn():
    """Keyword spotting as in MLPerf Tiny: 49 frames of 10 coefficients, four separable convolutions of 64 channels."""
    def layer(inputs, outputs, *arguments, **more):
        return [nn.Conv2d(inputs, outputs, *arguments, **more), nn.BatchNorm2d(outputs), nn.ReLU()]
    blocks = [layer(64, 64, 3, padding=1, groups=64) + layer(64, 64, 1) for _ in range(4)]
    return nn.Sequential(*layer(1, 64, (10, 4), stride=2, padding=(5, 1)), *sum(blocks, []), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(64, 12))


def cifar10():
    """The network of CMSIS-NN's article (arXiv:1801.06601): three 5x5 convolutions."""
    def layer(inputs, outputs):
        return [nn.Conv2d(inputs, outputs, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2)]
    return nn.Sequential(*layer(3, 32), *layer(32, 32), *layer(32, 64), nn.Flatten(), nn.Linear(1024, 10))


def quantizable_mobilenet():
    """With ReLU for ReLU6, of which PyTorch 1.13 computes wrong numbers where channels lie last."""
    net = tv.mobilenet_v2(width_mult=0.25)
    for m in list(net.modules()):
        for name, child in m.named_children():
            if isinstance(child, nn.ReLU6):
                setattr(m, name, nn.ReLU())
    return net


INT8 = ", int8"  # what names of models end with that are quantized
MODELS = {
    "digits": (digits, (1, 1, 8, 8)),
    "mlp": (mlp, (1, 784)),
    "lstm": (Lstm, (1, 20, 40)),
    "mobilenet_v2, a quarter wide": (lambda: tv.mobilenet_v2(width_mult=0.25), (1, 3, 64, 64)),
    "mobilenet_v3_small": (tv.mobilenet_v3_small, (1, 3, 64, 64)),
    "shufflenet_v2, half as wide": (tv.shufflenet_v2_x0_5, (1, 3, 64, 64)),
    "digits" + INT8: (digits, (1, 1, 8, 8)),
    "mlp" + INT8: (mlp, (1, 784)),
    "ds_cnn" + INT8: (ds_cnn, (1, 1, 49, 10)),
    "cifar10" + INT8: (cifar10, (1, 3, 32, 32)),
    "mobilenet_v2, a quarter wide" + INT8: (quantizable_mobilenet, (1, 3, 64, 64)),
}


def quantize(model, shape):
    """By PyTorch's tracing quantization, for QNNPACK."""
    torch.backends.quantized.engine = "qnnpack"
    prepared = prepare_fx(model, get_default_qconfig_mapping("qnnpack"), (torch.randn(shape),))
    for _ in range(4):
        prepared(torch.randn(shape))
    return convert_fx(prepared)


def count_macs(model, x):
    """Multiply-adds of convolutions, linear layers and LSTMs."""
    total = [0]

    def conv(m, _, y):
        total[0] += y.numel() * m.weight[0].numel()

    def linear(m, _, y):
        total[0] += y.numel() * m.in_features

    def lstm(m, inputs, _):
        steps = inputs[0].shape[0] * inputs[0].shape[1]
        total[0] += steps * sum(p.numel() for n, p in m.named_parameters() if n.startswith("weight"))

    hooks = {nn.Conv2d: conv, nn.Linear: linear, nn.LSTM: lstm}
    handles = [m.register_forward_hook(hooks[type(m)]) for m in model.modules() if type(m) in hooks]
    model(x)
    for handle in handles:
        handle.remove()
    return total[0]


class Machine:
    """A preset's two tsmruns."""

    def __init__(self, preset, folder, plugin):
        self.preset, self.plugin = preset, plugin
        self.runs = {}
        for kind, plain in (("own", "OFF"), ("plain", "ON")):
            build = os.path.join(folder, preset + "-" + kind)
            release = "Release" if preset == "armv7" else "MinSizeRel"
            subprocess.run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=" + release,
                            "-DCMAKE_TOOLCHAIN_FILE=" + os.path.join(ROOT, "toolchain", preset + ".cmake"), "-DTSM_PLAIN=" + plain,
                            "-DTSM_MARK=" + ("ON" if preset == "armv7" else "OFF")], check=True, stdout=subprocess.DEVNULL)
            subprocess.run(["cmake", "--build", build, "-j2", "--target", "tsmrun"], check=True, stdout=subprocess.DEVNULL)
            self.runs[kind] = os.path.join(build, "bin", "tsmrun")

    def command(self, kind, counted):
        if self.preset in BOARDS:
            return [os.path.join(ROOT, "toolchain", "run-qemu.sh"), BOARDS[self.preset], self.runs[kind]]
        plugin = ["-plugin", "%s,out=%s" % (self.plugin, self.plugin + ".txt")] if counted else []
        return [os.environ.get("QEMU_ARM", "qemu-arm"), "-cpu", "cortex-a7"] + plugin + ["-L", "/usr/arm-linux-gnueabihf", self.runs[kind]]

    def run(self, kind, model, options, counted=False):
        environment = dict(os.environ, TSM_QEMU_COUNT="1", TSM_QEMU_SECONDS="600")
        return subprocess.run(self.command(kind, counted) + [model.tsm, "--inputs", model.inputs] + options, capture_output=True, text=True,
                              env=environment)

    def count(self, kind, model):
        """Instructions of an inference, or None where the model does not fit."""
        done = self.run(kind, model, ["--bench", "1"], counted=True)
        if done.returncode:
            if "bytes" in done.stderr + done.stdout:
                return None
            sys.exit("%s on %s: %s" % (model.name, self.preset, done.stdout + done.stderr))
        if self.preset in BOARDS:
            return key_values(done.stdout)["min_ms"] * 1e6
        return int(open(self.plugin + ".txt").read())


class Model:
    def __init__(self, name, folder, tsmc):
        self.name = name
        torch.manual_seed(7)
        make, shape = MODELS[name]
        model = make()
        for m in model.modules():
            if isinstance(m, nn.BatchNorm2d):
                m.momentum = 1.0
        model.train()(torch.randn((4,) + shape[1:]))
        model.eval()
        x = (8 * torch.randn(shape)).round() / 8  # short as text, which the boards read
        self.macs = count_macs(model, x)
        self.tolerance = 1e-4
        if name.endswith(INT8):
            model = quantize(model, shape)
            self.tolerance = 0.05  # sums that lie between two bytes may be rounded otherwise
        try:
            script = torch.jit.script(model)
        except Exception:  # what script refuses is traced
            script = torch.jit.trace(model, x)
        path = os.path.join(folder, re.sub(r"\W+", "_", name))
        script.save(path + ".pt")
        self.expected = script(x)
        self.tsm, self.inputs = path + ".tsm", write_json(path + ".json", [tensor_json(x)])
        subprocess.run([tsmc, path + ".pt", "-o", self.tsm], check=True)

    def check(self, machine, folder):
        out = os.path.join(folder, "out.json")
        done = machine.run("own", self, ["--outputs", out])
        if done.returncode:
            return
        got = torch.tensor(json.load(open(out))["tensor"]["data"]).reshape(self.expected.shape)
        if not torch.allclose(got, self.expected, self.tolerance, self.tolerance * self.expected.abs().max().item()):
            sys.exit("%s on %s differs from PyTorch by %g" % (self.name, machine.preset, (got - self.expected).abs().max()))


def row(model, machine):
    own, plain = machine.count("own", model), machine.count("plain", model)
    if own is None or plain is None:
        return [model.name, machine.preset, "%.2f" % (model.macs / 1e6), "does not fit", "", ""]
    return [model.name, machine.preset, "%.2f" % (model.macs / 1e6), "%.2f" % (own / model.macs), "%.2f" % (plain / model.macs),
            "%.1f" % (plain / own)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tsmc")
    parser.add_argument("--only", nargs="*", default=PRESETS)
    parser.add_argument("--models", nargs="*", default=list(MODELS))
    parser.add_argument("--builds", default=os.path.join(ROOT, "build", "micro"))
    parser.add_argument("--markdown")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        plugin = os.path.join(folder, "count_instructions.so")
        subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", plugin, os.path.join(HERE, "count_instructions.c")], check=True)
        models = [Model(name, folder, options.tsmc) for name in options.models]
        machines = [Machine(preset, options.builds, plugin) for preset in options.only]
        for model in models:
            for machine in machines:
                model.check(machine, folder)
                rows.append(row(model, machine))
                print(" | ".join(rows[-1]), file=sys.stderr)
    head = ["model", "preset", "multiply-adds (millions)", "instructions each", "plain C", "plain C / own"]
    text = "\n".join("| " + " | ".join(r) + " |" for r in [head, ["---"] * len(head)] + rows)
    print(text)
    if options.markdown:
        replace_table(options.markdown, text)


if __name__ == "__main__":
    main()

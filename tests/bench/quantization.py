#!/usr/bin/python3
"""What tsmc --quantize gains and loses: the table of docs/quantization.md.

  quantization.py TSMC TSMRUN [--pixels N] [--rounds N] [--seconds S] [--only NAME...] [--markdown FILE]

Models of torchvision and some written here get random weights, and statistics of batch normalization from random
images, so that numbers stay in size from layer to layer: a harder case than trained ones, whose answers are less of a
chance. 64 random images are the calibration; 100 others are compared. `digits` is the trained model of tests/models,
calibrated by 64 images of its training set. Floats and int8 alternate, a round each; the least time counts. One thread.

Needs python3-torch and python3-torchvision of Debian."""
import argparse
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

import torch
from torch import nn
import torchvision.models as tv

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import HERE, key_values, replace_table, write_json  # noqa: E402
from models import settle, tensor_json  # noqa: E402

MODELS = os.path.join(HERE, "..", "models")
CALIBRATED, TESTED = 64, 100


class KeywordSpotter(nn.Module):
    """DS-CNN of keyword spotting: 49 frames of 10 features, 64 channels, four separable layers, twelve words."""

    def __init__(self, width=64):
        super().__init__()

        def layer(inputs, *shape, groups=1):
            return [nn.Conv2d(inputs, width, *shape, groups=groups, bias=False), nn.BatchNorm2d(width), nn.ReLU()]

        layers = layer(1, (10, 4), 2, (5, 1))
        for _ in range(4):
            layers += layer(width, 3, 1, 1, groups=width) + layer(width, 1)
        self.layers, self.pool, self.last = nn.Sequential(*layers), nn.AdaptiveAvgPool2d(1), nn.Linear(width, 12)

    def forward(self, x):
        return self.last(self.pool(self.layers(x)).flatten(1))


def mlp():
    return nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 512), nn.GELU(), nn.Linear(512, 10))


NETS = {"mlp": (mlp, (256,)), "keyword spotting": (KeywordSpotter, (1, 49, 10)), "mobilenet_v2": (tv.mobilenet_v2, None),
        "mobilenet_v3_small": (tv.mobilenet_v3_small, None), "resnet18": (tv.resnet18, None),
        "squeezenet1_1": (tv.squeezenet1_1, None), "shufflenet_v2": (tv.shufflenet_v2_x1_0, None),
        "efficientnet_b0": (tv.efficientnet_b0, None)}


def digit_calls(name):
    with open(os.path.join(MODELS, name), "rb") as f:
        data = f.read()
    n, height, width, _ = struct.unpack("<4I", data[8:24])
    pixels = torch.tensor(list(data[24:24 + n * height * width])).view(n, 1, 1, height, width) / 16
    return [[tensor_json(image)] for image in pixels], list(data[24 + pixels.numel():24 + pixels.numel() + n])


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def export(self, model, kind, example, *options):
        p = subprocess.run([self.options.tsmc, model, "--method", "forward", "-o", self.path(kind), "--example", example, *options],
                           check=True, capture_output=True, text=True)
        return p.stdout

    def info(self, kind, pattern):
        p = subprocess.run([self.options.tsmrun, "--info", self.path(kind)], check=True, capture_output=True, text=True)
        return int(re.search(pattern, p.stdout)[1])

    def answers(self, kind, calls):
        subprocess.run([self.options.tsmrun, self.path(kind), "--sequence", calls, "--outputs", self.path("out.json")], check=True)
        with open(self.path("out.json")) as f:
            return torch.tensor([x["tensor"]["data"] for x in json.load(f)])

    def times(self, example):
        best = {}
        for _ in range(self.options.rounds):
            for kind in ("floats", "int8"):
                runs = max(3, int(self.options.seconds * 1000 / best[kind])) if kind in best else 3
                p = subprocess.run([self.options.tsmrun, self.path(kind), "--inputs", example, "--bench", str(runs)], check=True,
                                   capture_output=True, text=True)
                best[kind] = min(best.get(kind, 1e9), key_values(p.stdout)["min_ms"])
        return best

    def row(self, name, model, calibration, tested, labels=None):
        example = write_json(self.path("example.json"), tested[0])
        calls = write_json(self.path("tested.json"), tested)
        self.export(model, "floats", example)
        report = json.loads(self.export(model, "int8", example, "--json", "--quantize",
                                        write_json(self.path("calls.json"), calibration)))
        exact, got = self.answers("floats", calls), self.answers("int8", calls)
        ratio = 10 * torch.log10((exact ** 2).sum() / ((exact - got) ** 2).sum()).item()
        same = (exact.argmax(1) == got.argmax(1)).sum().item()
        note = "%d of %d" % (same, len(tested))
        if labels:
            right = [(x.argmax(1) == torch.tensor(labels)).sum().item() for x in (exact, got)]
            note += "; right: %d, %d" % tuple(right)
        sizes = [self.info(kind, pattern) for pattern in (r"(\d+) of them tensors", r"buffer (\d+) bytes")
                 for kind in ("floats", "int8")]
        times = self.times(example)
        layers = report["layers"]
        return "| %s | %d of %d | %s | %s | %.1f | %s | %.3f | %.3f | %.2f |" % (
            name, sum(l["is_int8"] for l in layers), len(layers), "%d, %d" % tuple(sizes[:2]), "%d, %d" % tuple(sizes[2:]), ratio, note,
            times["floats"], times["int8"], times["int8"] / times["floats"])


def read_arguments():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("tsmc", type=os.path.abspath)
    p.add_argument("tsmrun", type=os.path.abspath)
    p.add_argument("--pixels", type=int, default=128)
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--seconds", type=float, default=0.3)
    p.add_argument("--only", nargs="*")
    p.add_argument("--markdown")
    return p.parse_args()


def main():
    options = read_arguments()
    lines = ["| model | layers of int8 | bytes of tensors: floats, int8 | buffer: floats, int8 | decibels | same first choice | floats, ms | "
             "int8, ms | ratio |", "|---|---|---|---|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        if not options.only or "digits" in options.only:
            tested, labels = digit_calls("digits_test.bin")
            lines.append(bench.row("digits (trained)", os.path.join(MODELS, "digits.pt"), digit_calls("digits_train.bin")[0][:64],
                                   tested, labels))
            print(lines[-1], flush=True)
        for name, (make, shape) in NETS.items():
            if options.only and name not in options.only:
                continue
            torch.manual_seed(0)
            shape = shape or (3, options.pixels, options.pixels)
            torch.jit.script(settle(make(), (1, *shape))).save(bench.path("model.pt"))
            lines.append(bench.row(name, bench.path("model.pt"), [[tensor_json(torch.randn(1, *shape))] for _ in range(CALIBRATED)],
                                   [[tensor_json(torch.randn(1, *shape))] for _ in range(TESTED)]))
            print(lines[-1], flush=True)
    if options.markdown:
        replace_table(options.markdown, "\n".join(lines))


if __name__ == "__main__":
    main()

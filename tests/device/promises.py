#!/usr/bin/env python3
"""The buffers that files promise are enough, to the byte: for any target, and for one target with --target.

    promises.py export TSMC FOLDER MODELS         writes files for any target into FOLDER: the programs below, and the
                                                  archives of MODELS (tests/models) with their first calls
    promises.py run TSMC FOLDER PRESET TARGET RUN...
                                                  runs those that promise something by `RUN... FILE.tsm...` (the program
                                                  promise of this folder), and the same programs exported for TARGET"""
import glob
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
import packs  # noqa: E402
from state_dict import save_state  # noqa: E402

SOURCE = """
import torch
from torch import nn, Tensor
from torch.nn import functional as F

class Keywords(nn.Module):  # a network of two layers of 64 channels, as keyword spotting uses
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(1, 64, (10, 4), stride=2)
        self.deep = nn.Conv2d(64, 64, 3, groups=64, padding=1)
        self.wide = nn.Conv2d(64, 64, 1)
        self.last = nn.Linear(64, 12)
    def forward(self, x: Tensor) -> Tensor:
        y = F.relu(self.first(x))
        y = F.relu(self.wide(F.relu(self.deep(y))))
        return F.softmax(self.last(F.adaptive_avg_pool2d(y, 1).flatten(1)), 1)

class First(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Conv2d(1, 64, (10, 4), stride=2)
    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x)

class Square(nn.Module):  # large enough for transformed tiles where the workspace is large
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(32, 32, 3, padding=1)
        self.b = nn.Conv2d(32, 48, 3, stride=2, padding=1, groups=2)
    def forward(self, x: Tensor) -> Tensor:
        return F.max_pool2d(self.b(F.relu(self.a(x))), 2)

class Perceptron(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(300, 70), nn.Linear(70, 10)
    def forward(self, x: Tensor) -> Tensor:
        return F.log_softmax(self.b(torch.tanh(self.a(x))), 1)

class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.gru = nn.LSTM(20, 24), nn.GRU(24, 16, bidirectional=True)
    def forward(self, x: Tensor) -> Tensor:
        return self.gru(self.lstm(x)[0])[0]

class Signal(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv1d(3, 20, 7, dilation=2)
        self.b = nn.Conv1d(20, 5, 4, stride=2)
        self.norm = nn.LayerNorm(38)
    def forward(self, x: Tensor) -> Tensor:
        return self.norm(self.b(F.gelu(self.a(x))))

def attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, k, v)

def products(a: Tensor, b: Tensor, flag: bool) -> Tensor:
    c = torch.matmul(a, b)
    d = torch.einsum("ij,kj->ik", c, c)
    if flag:
        d = torch.cat([d, torch.softmax(d, 1)], 1)
    return torch.cumsum(torch.sort(d, 1)[0], 1)

def pictures(x: Tensor) -> Tensor:
    y = F.interpolate(x, size=[20, 24], mode="bilinear", align_corners=False)
    z = F.conv2d(y, torch.ones(6, 3, 5, 5), torch.ones(6), padding=2)
    return F.avg_pool2d(z, 3) + F.conv_transpose2d(x, torch.ones(3, 6, 2, 2))[:, :, :6, :8]

# Elements that some targets calculate as they lie, and others in blocks that are converted.
def whole_numbers(x: Tensor) -> Tensor:
    a = (x * 9).to(torch.int32)
    return torch.where(a > 3, a * a[:1], torch.clamp(a - 7, -5, 5))

def small_numbers(x: Tensor) -> Tensor:
    a = x.to(torch.uint8)
    return torch.maximum(a, ~a) + (a ^ 3)

def conversions(x: Tensor) -> Tensor:
    return x.to(torch.int32).to(torch.int8).to(torch.int32)

def lengths(x: Tensor) -> Tensor:
    return torch.abs(torch.complex(x, x))

def turned(x: Tensor) -> Tensor:
    z = torch.complex(x, x)
    return torch.angle(torch.exp(z) / z + z * z[:1])

def spectrum(x: Tensor) -> Tensor:
    return torch.view_as_real(torch.fft.fft(torch.complex(x, x)))
"""


def recurrent(prefix, gates, inputs, hidden, directions=("",)):
    return {"%s.%s_l0%s" % (prefix, name, d): shape for d in directions
            for name, shape in (("weight_ih", (gates * hidden, inputs)), ("weight_hh", (gates * hidden, hidden)),
                                ("bias_ih", (gates * hidden,)), ("bias_hh", (gates * hidden,)))}


def layer(name, *weight, bias=None):
    return {name + ".weight": weight, name + ".bias": (bias or weight[0],)}


# Name -> weights, sizes of the arguments, more arguments
CASES = {
    "Keywords": ({**layer("first", 64, 1, 10, 4), **layer("deep", 64, 1, 3, 3), **layer("wide", 64, 64, 1, 1),
                  **layer("last", 12, 64)}, [(1, 1, 49, 10)]),
    "First": (layer("layer", 64, 1, 10, 4), [(1, 1, 49, 10)]),
    "Square": ({**layer("a", 32, 32, 3, 3), **layer("b", 48, 16, 3, 3)}, [(1, 32, 20, 20)]),
    "Perceptron": ({**layer("a", 70, 300), **layer("b", 10, 70)}, [(7, 300)]),
    "Recurrent": ({**recurrent("lstm", 4, 20, 24), **recurrent("gru", 3, 24, 16, ("", "_reverse"))}, [(6, 2, 20)]),
    "Signal": ({**layer("a", 20, 3, 7), **layer("b", 5, 20, 4), **layer("norm", 38)}, [(1, 3, 90)]),
    "attention": ({}, [(1, 2, 30, 16), (1, 2, 50, 16), (1, 2, 50, 16)]),
    "products": ({}, [(20, 33), (33, 40)], True),
    "pictures": ({}, [(1, 3, 10, 12)]),
    **{name: ({}, [(20, 60)]) for name in ("whole_numbers", "small_numbers", "conversions", "lengths", "turned", "spectrum")},
}


def export(tsmc, folder, name, *options):
    """The .tsm of a case."""
    weights, sizes, *more = CASES[name]
    source, example = os.path.join(folder, "nets.py"), os.path.join(folder, name + ".json")
    with open(source, "w") as f:
        f.write(SOURCE)
    tensors = []
    for shape in sizes:
        count = 1
        for n in shape:
            count *= n
        tensors.append({"tensor": {"dtype": "float32", "shape": list(shape), "data": [0.5] * count}})
    with open(example, "w") as f:
        json.dump(tensors + more, f)
    out = os.path.join(folder, "-".join([name, *options]) + ".tsm")
    command = [tsmc, "%s:%s" % (source, name), "--example", example, "-o", out, *options]
    if weights:
        state = os.path.join(folder, name + ".pth")
        save_state(state, weights)
        command += ["--weights", state, "--eval"]
    subprocess.run(command, check=True)
    return out


def export_models(tsmc, folder, models):
    """The archives of the pack with the inputs of their first calls; how they were exported, in models.json."""
    archives = os.path.join(folder, "archives")
    packs.unpack(os.path.join(models, "cases.tar.xz"), archives)
    exact = {}
    for area in sorted(glob.glob(os.path.join(archives, "*.json"))):
        with open(area, encoding="utf-8") as f:
            programs = json.load(f)
        for i, p in enumerate(programs):
            call = p["calls"][0]
            if p["id"].startswith("specialized/") or call.get("method", "forward") != "forward":
                continue
            name = "model-" + p["id"].replace("/", "-")
            example, out = (os.path.join(folder, name + ending) for ending in (".json", ".tsm"))
            with open(example, "w", encoding="utf-8") as f:
                json.dump(call["inputs"], f)
            command = [os.path.join(area[:-5], "%d.pt" % i), "--example", example, *p.get("options", [])]
            subprocess.run([tsmc, *command, "-o", out], check=True)
            said = subprocess.run([tsmc, out, "--info", "--json"], check=True, capture_output=True, text=True).stdout
            bytes_of = {m["name"]: m["buffer_bytes"] for m in json.loads(said)["methods"]}
            if bytes_of["forward"]:
                exact[name] = command
            else:
                os.remove(out)
    with open(os.path.join(folder, "models.json"), "w", encoding="utf-8") as f:
        json.dump(exact, f)
    return exact


def export_models_for(tsmc, folder, own, target):
    """The same for one target."""
    with open(os.path.join(folder, "models.json"), encoding="utf-8") as f:
        models = json.load(f)
    made = []
    for name, command in models.items():
        made.append(os.path.join(own, name + ".tsm"))
        subprocess.run([tsmc, *command, "-o", made[-1], "--target", target], check=True)
    return made


def export_all(tsmc, folder, models):
    os.makedirs(folder, exist_ok=True)
    for old in glob.glob(os.path.join(folder, "*.tsm")):
        os.remove(old)
    subprocess.run([tsmc, os.path.join(models, "digits.pt"), "--example", os.path.join(models, "digits_example.json"),
                    "-o", os.path.join(folder, "digits.tsm")], check=True)
    for name in CASES:
        export(tsmc, folder, name)
        export(tsmc, folder, name, "-O1")
    exact = export_models(tsmc, folder, models)
    print("%d archives have an exact buffer" % len(exact))
    return 0 if len(exact) >= 42 else 1


def run_all(tsmc, folder, preset, target, run):
    own = os.path.join(folder, preset)
    os.makedirs(own, exist_ok=True)
    files = glob.glob(os.path.join(folder, "*.tsm")) + [export(tsmc, own, name, "--target=" + target) for name in CASES]
    files += export_models_for(tsmc, folder, own, target)
    # Names below the folder, a few at a time: a bare-metal program gets its arguments in little memory.
    names = sorted(os.path.relpath(f, folder) for f in files)
    return max(subprocess.run(run + names[i:i + 4], cwd=folder).returncode for i in range(0, len(names), 4))


def main(what, tsmc, folder, *more):
    tsmc = os.path.abspath(tsmc)
    return export_all(tsmc, folder, *more) if what == "export" else run_all(tsmc, folder, more[0], more[1], list(more[2:]))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

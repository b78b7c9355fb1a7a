#!/usr/bin/python3
"""Times whole models against PyTorch's lite interpreter, in one run, on one thread.

  models.py TSMC TSMRUN [--rounds N] [--runs N] [--only NAME...] [--peer NAME=COMMAND]... [--counted TSMRUN]
            [--markdown FILE] [--chart FILE.svg]

Every round runs each contender once, in a process of its own, so that changes of the machine's speed affect all alike;
reported are the least and the median milliseconds of an inference. The models are torchvision's (random weights, batch
norms with statistics of random images) and three small ones; tsmobile's answers are first compared with PyTorch's.
PyTorch runs the archive that optimize_for_mobile makes, fed with channels-last images, which it is faster with.

--peer adds a contender: COMMAND is run with {model} (the name) and {runs} filled in and must print `min_ms X med_ms X`
among its words.
--counted: a tsmrun for AArch64 built with -DTSM_MARK=ON; the instructions of an inference are counted under QEMU
(interp.py says how).

Needs python3-torch and python3-torchvision of Debian."""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

import torch
from torch import nn
from torch.jit.mobile import _load_for_lite_interpreter
from torch.utils.mobile_optimizer import optimize_for_mobile
import torchvision.models as tv

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from common import key_values, make_counter, replace_table, write_json  # noqa: E402

IMAGE = (1, 3, 224, 224)


class EncoderLayer(nn.Module):
    """A Transformer layer in plain operators."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        parts = self.qkv(self.before(x)).reshape(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        scores = torch.matmul(parts[0], parts[1].transpose(-2, -1)) / math.sqrt(width // self.heads)
        mixed = torch.matmul(torch.softmax(scores, -1), parts[2]).transpose(1, 2).reshape(batch, length, width)
        x = x + self.out(mixed)
        return x + self.down(nn.functional.gelu(self.up(self.after(x))))


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(40, 128, 2, batch_first=True)

    def forward(self, x):
        return self.lstm(x)[0]


def settle(model, shape):
    """Gives batch norms the statistics of random images, and sets the model to evaluation mode."""
    norms = [m for m in model.modules() if isinstance(m, nn.BatchNorm2d)]
    for m in norms:
        m.momentum = 1.0
    if norms:
        model.train()(torch.randn((2,) + shape[1:]))
    return model.eval()


def int8_mobilenet_v2():
    """Quantized after training as PyTorch's tutorial does it for QNNPACK, its engine on phones."""
    torch.backends.quantized.engine = "qnnpack"
    model = settle(tv.quantization.mobilenet_v2(quantize=False), IMAGE)
    model.fuse_model(is_qat=False)
    model.qconfig = torch.ao.quantization.get_default_qconfig("qnnpack")
    torch.ao.quantization.prepare(model, inplace=True)
    with torch.no_grad():
        model(torch.randn(IMAGE))
    return torch.ao.quantization.convert(model)


MODELS = {
    "mobilenet_v2": (tv.mobilenet_v2, IMAGE),
    "mobilenet_v3_small": (tv.mobilenet_v3_small, IMAGE),
    "resnet18": (tv.resnet18, IMAGE),
    "squeezenet1_1": (tv.squeezenet1_1, IMAGE),
    "shufflenet_v2_x1_0": (tv.shufflenet_v2_x1_0, IMAGE),
    "efficientnet_b0": (tv.efficientnet_b0, IMAGE),
    "qmobilenet_v2": (int8_mobilenet_v2, IMAGE),
    "transformer": (lambda: nn.Sequential(EncoderLayer(128, 4), EncoderLayer(128, 4), nn.LayerNorm(128)), (1, 64, 128)),
    "lstm": (Lstm, (1, 100, 40)),
    "mlp": (lambda: nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10)), (1, 784)),
}


def build(name):
    """The model with settled batch norms, in evaluation mode, and its input."""
    torch.manual_seed(7)
    make, shape = MODELS[name]
    return settle(make(), shape), torch.randn(shape)


def tensor_json(t):
    return {"tensor": {"dtype": "float32", "shape": list(t.shape), "data": t.flatten().tolist()}}


class Contest:
    """One model, and what its contenders took."""

    def __init__(self, name, folder, options):
        self.name, self.folder, self.options = name, folder, options
        model, self.x = build(name)
        self.expected = model(self.x)
        path = os.path.join(folder, name)
        try:
            scripted = torch.jit.script(model)
        except Exception:  # what script refuses is traced
            scripted = torch.jit.trace(model, self.x)
        scripted.save(path + ".pt")
        optimize_for_mobile(scripted)._save_for_lite_interpreter(path + ".ptl")
        self.lite = _load_for_lite_interpreter(path + ".ptl")
        self.tsm, self.inputs = path + ".tsm", write_json(path + ".json", [tensor_json(self.x)])
        subprocess.run([options.tsmc, path + ".pt", "-o", self.tsm], check=True)
        self.fed = self.x.contiguous(memory_format=torch.channels_last) if self.x.dim() == 4 else self.x
        self.times = {}

    def check(self):
        out = os.path.join(self.folder, "out.json")
        subprocess.run([self.options.tsmrun, self.tsm, "--inputs", self.inputs, "--outputs", out], check=True)
        got = torch.tensor(json.load(open(out))["tensor"]["data"]).reshape(self.expected.shape)
        if not torch.allclose(got, self.expected, 1e-4, 1e-4):
            sys.exit("%s: differs from PyTorch by %g" % (self.name, (got - self.expected).abs().max()))

    def add(self, who, least, middle):
        self.times.setdefault(who, []).append((least, middle))

    def run_once(self):
        runs = self.options.runs
        out = subprocess.run([self.options.tsmrun, self.tsm, "--inputs", self.inputs, "--bench", str(runs)], check=True,
                             capture_output=True, text=True).stdout
        values = key_values(out)
        self.add("tsmobile", values["min_ms"], values["med_ms"])
        times = []
        for _ in range(runs + 1):
            start = time.perf_counter()
            self.lite(self.fed)
            times.append((time.perf_counter() - start) * 1e3)
        self.add("PyTorch lite", min(times[1:]), statistics.median(times[1:]))
        for peer in self.options.peer:
            name, _, command = peer.partition("=")
            p = subprocess.run(command.format(model=self.name, runs=runs, dims=" ".join(map(str, self.x.shape))), shell=True,
                               capture_output=True, text=True)
            words = p.stdout.split()
            if "min_ms" in words:
                self.add(name, float(words[words.index("min_ms") + 1]), float(words[words.index("med_ms") + 1]))

    def least(self, who):
        return min(t[0] for t in self.times[who]) if who in self.times else None

    def middle(self, who):
        return statistics.median(t[1] for t in self.times[who]) if who in self.times else None

    def instructions(self, counter):
        return counter(self.options.counted, self.tsm, self.inputs) / 1e6


def table(contests, names, counter):
    head = ["model"] + names + ["fastest peer / tsmobile"] + (["A64 instructions (millions)"] if counter else [])
    rows, ratios = [], []
    for c in contests:
        peers = [c.least(n) for n in names[1:] if c.least(n)]
        ratios.append(min(peers) / c.least("tsmobile"))
        cells = ["%.3f (%.3f)" % (c.least(n), c.middle(n)) if c.least(n) else "" for n in names]
        rows.append([c.name] + cells + ["%.2f" % ratios[-1]] + (["%.1f" % c.instructions(counter)] if counter else []))
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    rows.append(["geometric mean"] + [""] * len(names) + ["%.2f" % mean] + ([""] if counter else []))
    return "\n".join("| " + " | ".join(r) + " |" for r in [head, ["---"] * len(head)] + rows)


STYLE = """text { fill: #1f2328; font: 12px sans-serif } .title { font-size: 15px; font-weight: 600 } .one { stroke: #1f2328 }
.c0 { fill: #2a6f97 } .c1 { fill: #e08a3c } .c2 { fill: #6a994e } .c3 { fill: #b56576 } .back { fill: #ffffff }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .one { stroke: #e6edf3 } .back { fill: #0d1117 }
.c0 { fill: #5fa8d3 } .c1 { fill: #f4a261 } .c2 { fill: #a7c957 } .c3 { fill: #d88c9a } }"""


def chart(contests, names):
    """Bars of each contender's time relative to tsmobile's, one group a model. Colours follow the reader's light or
    dark background."""
    bar, left, scale, longest, top = 14, 170, 150, 4.0, 66
    parts, y = [], top
    for i, n in enumerate(names):
        parts.append('<rect x="%d" y="34" width="12" height="12" class="c%d"/><text x="%d" y="45">%s</text>' %
                     (left + i * 130, i % 4, left + 16 + i * 130, n))
    for c in contests:
        parts.append('<text x="%d" y="%d" text-anchor="end">%s</text>' % (left - 8, y + bar * len(names) / 2 + 5, c.name))
        for i, n in enumerate(names):
            if c.least(n):
                ratio = c.least(n) / c.least("tsmobile")
                shown = min(ratio, longest) * scale
                parts.append('<rect x="%d" y="%d" width="%.1f" height="%d" class="c%d"/><text x="%.1f" y="%d">%.2f%s</text>' %
                             (left, y, shown, bar - 2, i % 4, left + shown + 4, y + bar - 3, ratio, " (cut)" if ratio > longest else ""))
            y += bar
        y += 10
    one = left + scale
    return ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d">\n<style>%s</style>\n'
            '<rect width="100%%" height="100%%" class="back"/>\n'
            '<text x="%d" y="20" class="title">Time of an inference relative to tsmobile\'s, one thread (longer is slower)</text>\n'
            '<line x1="%d" y1="%d" x2="%d" y2="%d" class="one" stroke-dasharray="3 3"/>\n%s\n</svg>\n' %
            (left + scale * longest + 80, y, left + scale * longest + 80, y, STYLE, 12, one, top - 6, one, y - 8, "\n".join(parts)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tsmc")
    parser.add_argument("tsmrun")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--only", nargs="*", default=list(MODELS))
    parser.add_argument("--peer", action="append", default=[])
    parser.add_argument("--counted")
    parser.add_argument("--markdown")
    parser.add_argument("--chart")
    options = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        contests = [Contest(name, folder, options) for name in options.only]
        for c in contests:
            c.check()
        for r in range(options.rounds):
            print("round %d of %d" % (r + 1, options.rounds), file=sys.stderr)
            for c in contests:
                c.run_once()
        names = ["tsmobile", "PyTorch lite"] + [p.partition("=")[0] for p in options.peer]
        text = table(contests, names, make_counter(folder) if options.counted else None)
    print(text)
    if options.chart:
        with open(options.chart, "w") as f:
            f.write(chart(contests, names))
    if options.markdown:
        replace_table(options.markdown, text)


if __name__ == "__main__":
    main()

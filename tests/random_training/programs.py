#!/usr/bin/python3
"""Random networks that learn, made with PyTorch 1.13.1, with its answers:

  programs.py FOLDER SEED COUNT [LEVEL...]    writes cases.tar.xz and areas.txt into FOLDER

A network is a stack of torch.nn's modules with arguments at random: layers of lines, images and volumes, or of
sequences, in training mode as a rule. A program makes three steps by a loss of torch.nn: gradients of some parameters,
at times of the input, and a step of descent, with random numbers from a seed for dropout. It gives the losses,
the parameters, and the running statistics of normalizations.

Levels are tsmc's options, of which each program gets one (default: -O0 -O1 -O2, and "example", which hands the inputs
to tsmc). ../run_recorded.py runs them; cases.tar.xz holds 28 of seed 7. PyTorch answers without its own optimizer,
which makes of some attention in training something else from the second call on."""
import collections
import importlib.util
import os
import random
import re
import sys
import tempfile
import warnings

import torch
from torch import nn

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, ".."), os.path.join(HERE, "..", "autograd")]
from packs import archive_members, write_pack  # noqa: E402
from recording import encode, OF_ANSWERS  # noqa: E402
from strip_archive import strip  # noqa: E402

STEPS, MOST_ELEMENTS, MOST_PARAMETERS, CLASSES = 3, 4000, 9, 4
LEVELS = ["-O0", "-O1", "-O2", "example"]
SOURCE = """
from typing import List, Tuple

import torch
from torch import nn, Tensor

from trained import Trained, copies, update


class Learner(Trained):
    def __init__(self, net: nn.Module, loss: nn.Module):
        super().__init__()
        self.net = net
        self.loss = loss

    def forward(self, x: Tensor, y: Tensor, steps: int) -> Tuple[List[float], List[Tensor], List[Tensor], List[Tensor]]:
        losses: List[float] = []
        given: List[Tensor] = []
        for i in range(steps):
            torch.manual_seed(i)
            a = x%(leaf)s
            loss = self.loss(self.net(a), y)
            gradients = torch.autograd.grad([loss], [%(wanted)s])
            update([%(parameters)s], gradients[:%(count)d], 0.05)
            last = gradients[-1]
            if last is not None:
                given.append(last)
            losses.append(loss.item())
        return losses, copies([%(parameters)s]), [%(buffers)s], given
"""


# ---- Modules ----

class First(nn.Module):
    """The first result of a module that gives two."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        y, _ = self.layer(x)
        return y


class Attention(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        y, weights = self.layer(x, x, x)
        return y if weights is None else y + weights.sum() * 0.1


class Along(nn.Module):
    """A cell, along the sequence."""

    def __init__(self, cell):
        super().__init__()
        self.cell = cell

    def forward(self, x):
        h = self.cell(x[:, 0])
        made = [h]
        for i in range(1, x.size(1)):
            h = self.cell(x[:, i], h)
            made.append(h)
        return torch.stack(made, 1)


class AlongWithMemory(nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.cell = cell

    def forward(self, x):
        h, c = self.cell(x[:, 0])
        made = [h]
        for i in range(1, x.size(1)):
            h, c = self.cell(x[:, i], (h, c))
            made.append(h)
        return torch.stack(made, 1)


class Beside(nn.Module):
    """What comes out of the layers, beside what went in."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return torch.cat([x.flatten(1), self.inner(x).flatten(1)], 1)


# ---- Networks ----

def activation(r):
    plain = [nn.ReLU, nn.ReLU6, nn.Hardswish, nn.Sigmoid, nn.Tanh, nn.ELU, nn.Hardsigmoid, nn.GELU, nn.SiLU, nn.Mish, nn.PReLU, nn.LeakyReLU, nn.SELU,
             nn.CELU, nn.Softplus, nn.Softsign, nn.Tanhshrink, nn.Hardshrink, nn.Softshrink, nn.LogSigmoid, nn.Hardtanh, nn.RReLU]
    in_place = [nn.ReLU, nn.Hardswish, nn.SiLU, nn.ELU, nn.LeakyReLU, nn.Mish, nn.ReLU6]
    others = [nn.GELU(approximate="tanh"), nn.Softmax(1), nn.LogSoftmax(-1), nn.Softmin(-1), nn.GLU(1), nn.Threshold(0.1, -0.2)]
    kind = r.random()
    return r.choice(plain)() if kind < 0.6 else r.choice(in_place)(inplace=True) if kind < 0.8 else r.choice(others)


def of_dims(name, dims):
    return getattr(nn, "%s%dd" % (name, dims))


def maybe(r, chance=0.8):
    return r.random() < chance


def line_layer(r, c):
    return r.choice([
        lambda: nn.Linear(c, r.choice([3, 4, 6, 8]), maybe(r)), lambda: nn.Linear(c, r.choice([3, 4, 6, 8]), maybe(r)), lambda: nn.LayerNorm(c),
        lambda: nn.BatchNorm1d(c, momentum=r.choice([0.1, None, 0.3]), affine=maybe(r), track_running_stats=maybe(r)),
        lambda: nn.Dropout(r.choice([0.2, 0.5])), lambda: nn.AlphaDropout(0.3), lambda: activation(r), lambda: activation(r)])()


def convolution(r, dims, c):
    out = r.choice([2, 4, 6])
    groups = r.choice([1, 1, 1, 2, c if out % c == 0 else 1])
    modes = ["zeros", "zeros", "zeros", "circular", "replicate"] + ["reflect"] * (dims < 3)
    return of_dims("Conv", dims)(c, out, r.choice([1, 2, 3]), r.choice([1, 1, 2]), r.choice([0, 1, 2]), r.choice([1, 1, 2]), groups, maybe(r),
                                 padding_mode=r.choice(modes))


def transposed_convolution(r, dims, c):
    stride = r.choice([1, 2, 3])
    return of_dims("ConvTranspose", dims)(c, r.choice([2, 4]), r.choice([1, 2, 3]), stride, r.choice([0, 1]), r.randint(0, stride - 1), r.choice([1, 1, 2]),
                                          maybe(r), r.choice([1, 1, 2]))


def pooling(r, dims):
    size, stride, edge = r.choice([2, 3]), r.choice([1, 2, 3]), r.choice([0, 1])
    kinds = [lambda: of_dims("MaxPool", dims)(size, stride, edge, r.choice([1, 2]), ceil_mode=maybe(r, 0.4)),
             lambda: of_dims("AvgPool", dims)(size, stride, edge, maybe(r, 0.4), maybe(r, 0.5)),
             lambda: of_dims("AdaptiveMaxPool", dims)(r.choice([1, 2, 3])), lambda: of_dims("AdaptiveAvgPool", dims)(r.choice([1, 2, 3, 5]))]
    return r.choice(kinds + [lambda: of_dims("LPPool", dims)(r.choice([1.0, 2.0, 3.0]), size, stride)] * (dims < 3))()


def normalization(r, dims, c):
    kinds = [lambda: of_dims("BatchNorm", dims)(c, momentum=r.choice([0.1, None]), affine=maybe(r), track_running_stats=maybe(r)),
             lambda: of_dims("InstanceNorm", dims)(c, affine=maybe(r, 0.5), track_running_stats=maybe(r, 0.3)),
             lambda: nn.GroupNorm(r.choice([1, 2, c]), c, affine=maybe(r)), lambda: nn.LocalResponseNorm(r.choice([2, 3]), alpha=0.1),
             lambda: of_dims("Dropout", dims)(0.3), lambda: nn.FeatureAlphaDropout(0.2), lambda: nn.Dropout(0.3)]
    return r.choice(kinds + [nn.Softmax2d, lambda: nn.CrossMapLRN2d(3)] * (dims == 2))()


def other_sizes(r, dims):
    linear = ["linear", "bilinear", "trilinear"][dims - 1]
    kinds = [lambda: nn.Upsample(scale_factor=2.0, mode=r.choice(["nearest", linear])), lambda: of_dims("ReplicationPad", dims)(1),
             lambda: of_dims("ConstantPad", dims)(1, 0.3), lambda: of_dims("ReflectionPad", dims)(1),
             lambda: nn.Upsample(scale_factor=r.choice([1.1, 1.5, 0.7]), mode=linear),
             lambda: nn.Upsample(size=[5, 7, 6][:dims], mode=linear, align_corners=maybe(r, 0.5))]
    images = [lambda: nn.ReflectionPad2d((1, 2, 0, 1)), lambda: nn.ZeroPad2d((1, -1, 0, 1)), lambda: nn.Upsample(scale_factor=r.choice([1.5, 2.0]), mode="bicubic"),
              lambda: nn.Unfold(r.choice([2, 3]), r.choice([1, 2]), r.choice([0, 1]), r.choice([1, 2])), lambda: nn.PixelShuffle(2), lambda: nn.PixelUnshuffle(2)]
    return r.choice(kinds + images * (dims == 2))()


def spatial_layer(r, dims, c):
    if not dims:
        return line_layer(r, c)
    return r.choice([lambda: convolution(r, dims, c)] * 5 + [lambda: transposed_convolution(r, dims, c)] * 2 + [lambda: pooling(r, dims)] * 3 +
                    [lambda: normalization(r, dims, c)] * 4 + [lambda: other_sizes(r, dims)] * 2 + [lambda: activation(r)] * 2)()


def spatial_network(r):
    dims, c = r.choice([0, 1, 1, 2, 2, 2, 2, 3]), r.choice([2, 4])
    sizes = [r.choice([2, 3]), c] + [[], [r.choice([8, 11])], [r.choice([6, 9])] * 2, [4, 5, 6]][dims]
    layers, y = [], torch.randn(sizes)
    for _ in range(r.randint(2, 5)):
        layers.append(spatial_layer(r, dims, y.size(1)))
        y = layers[-1](y)
        if y.dim() != dims + 2:
            break
        if y.numel() > MOST_ELEMENTS:
            raise ValueError("too many elements")
    return [Beside(nn.Sequential(*layers))] if maybe(r, 0.15) else layers, sizes


def recurrent(r, c, hidden):
    kind = r.choice(["LSTM", "GRU", "RNN"])
    options = dict(num_layers=r.choice([1, 2]), bidirectional=maybe(r, 0.4), batch_first=maybe(r, 0.6), bias=maybe(r))
    if kind == "LSTM" and maybe(r, 0.3):
        options["proj_size"] = 3
    if kind == "RNN":
        options["nonlinearity"] = r.choice(["tanh", "relu"])
    if options["num_layers"] > 1 and maybe(r, 0.3):
        options["dropout"] = 0.2
    return First(getattr(nn, kind)(c, hidden, **options)), options.get("proj_size", hidden) * (2 if options["bidirectional"] else 1)


def sequence_layer(r, c):
    """A layer, and how many features come out."""
    hidden, kind = r.choice([4, 6]), r.random()
    if kind < 0.4:
        return recurrent(r, c, hidden)
    if kind < 0.55:
        return Along(r.choice([nn.GRUCell, nn.RNNCell])(c, hidden)), hidden
    if kind < 0.65:
        return AlongWithMemory(nn.LSTMCell(c, hidden)), hidden
    if kind < 0.85:
        return Attention(nn.MultiheadAttention(c, 2, r.choice([0.0, 0.0, 0.1]), maybe(r, 0.7), maybe(r, 0.2), maybe(r, 0.2), batch_first=True)), c
    return nn.TransformerEncoderLayer(c, 2, 8, r.choice([0.0, 0.1]), r.choice(["relu", "gelu"]), batch_first=True, norm_first=maybe(r, 0.5)), c


def sequence_network(r):
    c = r.choice([4, 6, 8])
    layers, sizes = [], [2, r.choice([3, 5]), c]
    for _ in range(r.randint(1, 2)):
        layer, c = sequence_layer(r, c)
        layers += [layer] + [nn.LayerNorm(c)] * maybe(r, 0.4)
    return layers, sizes


def network(r):
    """A network that gives CLASSES numbers for each of a batch, and the sizes of its input."""
    layers, sizes = sequence_network(r) if maybe(r, 0.25) else spatial_network(r)
    layers += [nn.Flatten(), nn.LazyLinear(CLASSES)]
    net = nn.Sequential(collections.OrderedDict(("m%d" % i, m) for i, m in enumerate(layers)))
    net(torch.randn(sizes))
    for p in net.parameters():
        p.data = torch.round(p.data * 256) / 256
    return net, sizes


# ---- Losses ----

NUMBERS, CLASS, SHARES, FLAGS, SETS, SIGNS = range(6)  # what is wanted
LOSSES = [("MSELoss", NUMBERS, {}), ("L1Loss", NUMBERS, {}), ("SmoothL1Loss", NUMBERS, {"beta": 0.5}), ("HuberLoss", NUMBERS, {"delta": 0.7}),
          ("KLDivLoss", NUMBERS, {"log_target": True}), ("CrossEntropyLoss", CLASS, {"label_smoothing": 0.1}), ("CrossEntropyLoss", CLASS, {"ignore_index": 1}),
          ("CrossEntropyLoss", SHARES, {}), ("MultiMarginLoss", CLASS, {"p": 2}), ("MultiMarginLoss", CLASS, {}), ("MultiLabelMarginLoss", SETS, {}),
          ("MultiLabelSoftMarginLoss", FLAGS, {}), ("BCEWithLogitsLoss", SHARES, {}), ("BCEWithLogitsLoss", SHARES, {"reduction": "sum"}),
          ("SoftMarginLoss", SIGNS, {}), ("HingeEmbeddingLoss", SIGNS, {}), ("PoissonNLLLoss", SHARES, {"full": True}),
          ("PoissonNLLLoss", SHARES, {"log_input": False, "reduction": "sum"}), ("KLDivLoss", SHARES, {"reduction": "batchmean"})]


def short_numbers(sizes):
    return torch.round(torch.randn(sizes) * 64) / 64


def wanted_for(kind, batch):
    sizes = [batch, CLASSES]
    return {NUMBERS: lambda: short_numbers(sizes), CLASS: lambda: torch.randint(0, CLASSES, [batch]), SHARES: lambda: torch.softmax(torch.randn(sizes), 1),
            FLAGS: lambda: torch.randint(0, 2, sizes).float(), SETS: lambda: torch.tensor([[1, 3, -1, 0]] * batch),
            SIGNS: lambda: torch.randint(0, 2, sizes).float() * 2 - 1}[kind]()


# ---- Programs ----

def attribute(name):
    """How TorchScript reads a parameter or buffer of the network: biases of some modules are declared as optional."""
    path = "self.net." + re.sub(r"\.(\d+)(?=\.|$)", r"[\1]", name)
    return "torch.jit._unwrap_optional(%s)" % path if name.endswith("bias") else path


def learner(r, net, loss, folder):
    parameters = [attribute(name) for name, _ in net.named_parameters()]
    parameters = r.sample(parameters, min(len(parameters), MOST_PARAMETERS))
    wants_input = maybe(r, 0.4)
    buffers = ["torch.jit.annotate(Tensor, %s).clone()" % attribute(name) for name, _ in net.named_buffers() if "num_batches" not in name]
    text = SOURCE % {"leaf": ".detach().requires_grad_()" if wants_input else "", "wanted": ", ".join(parameters + ["a"] * wants_input),
                     "parameters": ", ".join(parameters), "count": len(parameters), "buffers": ", ".join(buffers) or "y"}
    path = os.path.join(folder, "learner.py")
    with open(path, "w") as f:
        f.write(text)
    spec = importlib.util.spec_from_file_location("learner", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Learner(net, loss)


def program(name, r, levels, folder):
    net, sizes = network(r)
    loss, wanted, options = r.choice(LOSSES)
    net.train(maybe(r))
    x, y = short_numbers(sizes), wanted_for(wanted, sizes[0])
    path = os.path.join(folder, "program.pt")
    torch.jit.save(torch.jit.script(learner(r, net, getattr(nn, loss)(**options), folder)), path)
    with torch.jit.optimized_execution(False):
        output = torch.jit.load(path)(x.clone(), y, STEPS)
    strip(path)
    made = {"id": name, "area": "learners", "archive": archive_members(path),
            "calls": [{"inputs": [encode(x), encode(y), STEPS], "output": encode(output, OF_ANSWERS)}]}
    level = r.choice(levels)
    made.update({"example": True} if level == "example" else {"options": [level]})
    return made


def main():
    folder, seed, count, levels = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:] or LEVELS
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    programs, tried = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        while len(programs) < count:
            torch.manual_seed(seed * 1009 + tried)
            try:  # many layers do not fit together, and some have no gradient
                programs.append(program("1.13-%d-%d" % (seed, tried), random.Random(seed * 100003 + tried), levels, scratch))
            except Exception:
                pass
            tried += 1
    write_pack(os.path.join(folder, "cases.tar.xz"), programs)
    print("%d programs of %d that were tried" % (len(programs), tried))


if __name__ == "__main__":
    main()

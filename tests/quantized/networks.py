#!/usr/bin/python3
"""Random quantized networks of PyTorch 1.13.1, with its answers:

  networks.py FOLDER SEED COUNT    writes NAME.pt and answers.json into FOLDER

Static networks of convolutions (plain, transposed, grouped, dilated; one to three dimensions), linear layers,
normalizations, pooling, resizing and arithmetic between them, quantized by FX; dynamic ones of linear and recurrent
layers. networks.tar.xz holds 28 of seed 3; test_networks.py runs them, and any folder.

What is left out: clamp, hardtanh and relu6, whose results PyTorch's QNNPACK puts in another order where the channels of
an image lie together, and leaky_relu, where two ways of rounding give two answers."""
import json
import os
import random
import sys
import warnings

import torch
import torch.ao.quantization as quantization
import torch.nn.functional as F
from torch import nn
from torch.ao.quantization.quantize_fx import convert_fx, prepare_fx

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from strip_archive import strip  # noqa: E402

torch.backends.quantized.engine = "qnnpack"
ACTIVATIONS = [nn.ReLU, nn.ReLU, nn.Hardswish, nn.Sigmoid, nn.Tanh, nn.ELU, nn.Hardsigmoid, nn.GELU, nn.SiLU, nn.Mish, nn.PReLU,
               nn.Identity]


class Step(nn.Module):
    """What is done between layers: one of STEPS, which take the image and a convolution."""

    STEPS = {
        "sum": lambda x, f: x + f(x),
        "rectified sum": lambda x, f: F.relu(x + x),
        "concatenation": lambda x, f: torch.cat([x, f(x)], 1)[:, :x.shape[1]],
        "product": lambda x, f: x * f(x),
        "gate": lambda x, f: x * torch.sigmoid(f(F.adaptive_avg_pool2d(x, 1))),
        "factor": lambda x, f: x * 1.25,
        "negative factor": lambda x, f: x * -0.75,
        "term": lambda x, f: x + 0.4,
        "halves": lambda x, f: torch.cat(torch.chunk(x, 2, 1)[::-1], 1),
        "shuffle": lambda x, f: x.view(x.shape[0], 2, -1, x.shape[2], x.shape[3]).transpose(1, 2).reshape(x.shape),
        "nearest": lambda x, f: F.interpolate(x, scale_factor=2.0, mode="nearest"),
        "bilinear": lambda x, f: F.interpolate(x, scale_factor=2.0, mode="bilinear", align_corners=False),
        "padding": lambda x, f: F.pad(x, (1, 1, 1, 1)),
        "distance": lambda x, f: x - x.mean([2, 3], keepdim=True),
        "transposition": lambda x, f: x.permute(0, 1, 3, 2),
        "flip": lambda x, f: torch.flip(x, [2]),
        "matrices": lambda x, f: torch.matmul(x, x.transpose(2, 3)),
        "part": lambda x, f: x[:, :, 1:, :-1],
    }

    def __init__(self, rng, channels):
        super().__init__()
        self.name, self.layer = rng.choice(sorted(self.STEPS)), nn.Conv2d(channels, channels, 1)

    def forward(self, x):
        return self.STEPS[self.name](x, self.layer)


def pooling(rng):
    return rng.choice([lambda: nn.MaxPool2d(2, 1), lambda: nn.MaxPool2d(3, 2, 1), lambda: nn.AvgPool2d(2, 1),
                       lambda: nn.AvgPool2d(3, 2, 1, count_include_pad=False), lambda: nn.AvgPool2d(3, 1, 1, ceil_mode=True),
                       lambda: nn.AvgPool2d(3, 2, 1), lambda: nn.AdaptiveAvgPool2d(4), lambda: nn.AdaptiveAvgPool2d((3, 5))])()


def layers(rng, dims, channels, few, many):
    """The layers of a network, and how many channels come out."""
    made = []
    plain, transposed, norm = ((nn.Conv1d, nn.ConvTranspose1d, nn.BatchNorm1d), (nn.Conv2d, nn.ConvTranspose2d, nn.BatchNorm2d),
                               (nn.Conv3d, None, nn.BatchNorm3d))[dims - 1]
    for _ in range(rng.randint(few, many)):
        kind, out = rng.random(), rng.choice([2, 4, 8, 10, 16])
        if kind < 0.5 or dims != 2 and (kind < 0.8 or dims == 3):
            groups = rng.choice([1, 1, 2, channels if out % channels == 0 else 1])
            made.append(plain(channels, out, rng.choice([1, 3]), rng.choice([1, 2]), rng.choice([0, 1]), rng.choice([1, 1, 2]), groups,
                              rng.random() < 0.8))
            channels = out
            made += [norm(channels)] if rng.random() < 0.5 else []
            made += [rng.choice(ACTIVATIONS)()] if rng.random() < 0.7 else []
        elif kind < 0.6 or dims != 2:
            made.append(transposed(channels, out, rng.choice([2, 3]), rng.choice([1, 2]), rng.choice([0, 1]), groups=rng.choice([1, 2]),
                                   bias=rng.random() < 0.7))
            channels = out
        elif kind < 0.75:
            made.append(pooling(rng))
        elif kind < 0.8:
            made.append(rng.choice([nn.GroupNorm(2, channels), nn.InstanceNorm2d(channels, affine=True), nn.ChannelShuffle(2)]))
        else:
            made.append(Step(rng, channels))
    return made, channels


def static_network(rng):
    """A network and the sizes of its input."""
    channels, dims = rng.choice([2, 4, 8, 16]), rng.choice([0, 1, 2, 2, 2, 2, 3])
    if not dims:
        widths = [rng.choice([5, 16, 33])] + [rng.choice([4, 8, 30]) for _ in range(rng.randint(1, 4))]
        made = []
        for a, b in zip(widths, widths[1:]):
            linear, kind = nn.Linear(a, b, rng.random() < 0.8), rng.choice(ACTIVATIONS + [nn.LayerNorm])
            made += [linear, kind(b) if kind is nn.LayerNorm else kind()]
        return nn.Sequential(*made), [rng.choice([1, 4, 7]), widths[0]]
    made, out = layers(rng, dims, channels, *((2, 6) if dims == 2 else (1, 3)))
    if dims == 2 and rng.random() < 0.5:
        made += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(out, rng.choice([3, 10, 17]))]
    return nn.Sequential(*made), [rng.choice([1, 2]), channels] + {1: [24], 2: [rng.choice([7, 8, 12])] * 2, 3: [6, 7, 8]}[dims]


class Recurrent(nn.Module):
    def __init__(self, rng):
        super().__init__()
        kind, self.features, hidden = rng.choice(["LSTM", "GRU", "LSTMCell", "GRUCell", "RNNCell"]), rng.choice([4, 9]), rng.choice([6, 13])
        self.is_cell, both = kind.endswith("Cell"), not kind.endswith("Cell") and rng.random() < 0.4
        self.layer = (getattr(nn, kind)(self.features, hidden) if self.is_cell else
                      getattr(nn, kind)(self.features, hidden, rng.choice([1, 2]), bidirectional=both, batch_first=rng.random() < 0.5))
        self.is_pair, self.last = kind != "GRUCell" and kind != "RNNCell", nn.Linear(hidden * (2 if both else 1), 5)

    def forward(self, x):
        y = self.layer(x[0]) if self.is_cell else self.layer(x)
        return self.last(y[0] if self.is_pair else y)


def short_numbers(sizes):
    return torch.round(torch.randn(sizes) * 64) / 64


def quantized_network(rng):
    """A quantized network and its input."""
    if rng.random() < 0.25:
        net = Recurrent(rng)
        net.eval()
        return (quantization.quantize_dynamic(net, dtype=rng.choice([torch.qint8, torch.float16])),
                short_numbers([rng.choice([2, 5]), rng.choice([1, 3]), net.features]))
    net, sizes = static_network(rng)
    for _ in range(2):  # running statistics of normalizations
        net(torch.randn(sizes))
    net.eval()
    prepared = prepare_fx(net, quantization.get_default_qconfig_mapping(rng.choice(["qnnpack", "fbgemm"])), (torch.randn(sizes),))
    for _ in range(3):
        prepared(torch.randn(sizes))
    return convert_fx(prepared), short_numbers(sizes)


def plain_tensor(t):
    return {"tensor": {"dtype": str(t.dtype)[6:], "shape": list(t.shape), "data": t.flatten().tolist()}}


def main():
    folder, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    warnings.filterwarnings("ignore")
    answers, tried = {}, 0
    while len(answers) < count:
        rng, name = random.Random(seed * 100003 + tried), "q%d_%d" % (seed, tried)
        torch.manual_seed(seed * 1009 + tried)
        tried += 1
        path = os.path.join(folder, name + ".pt")
        with torch.no_grad():
            try:  # many do not fit together, or PyTorch has no kernel for a step
                net, x = quantized_network(rng)
                form = rng.choice(["script", "trace", "freeze"])
                net.eval()
                made = torch.jit.trace(net, x, check_trace=False) if form == "trace" else torch.jit.script(net)
                torch.jit.save(torch.jit.freeze(made) if form == "freeze" else made, path)
                loaded = torch.jit.load(path)
                loaded(x)
                answers[name] = {"input": plain_tensor(x), "output": plain_tensor(loaded(x))}
            except Exception:
                if os.path.exists(path):
                    os.remove(path)
                continue
        strip(path)
    with open(os.path.join(folder, "answers.json"), "w") as f:
        json.dump(answers, f)
    print("%d networks of %d that were tried" % (len(answers), tried))


if __name__ == "__main__":
    main()

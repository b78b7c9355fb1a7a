#!/usr/bin/python3
"""Makes quantized archives with PyTorch 1.13.1 and records its answers: record.py (writes *.pt, *.ptl and expected.json
here).

Modules quantized after training, as PyTorch's own tools write them: packed parameters that restore themselves, in each
of the forms that archives hold (modules with __setstate__, packed objects as attributes), and dynamic layers."""
import json
import os
import sys

import torch
import torch.ao.quantization as quantization
from torch import nn
from torch.ao.quantization.quantize_fx import convert_fx, prepare_fx
from torch.ao.quantization.quantize_jit import convert_jit, prepare_jit

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from strip_archive import strip  # noqa: E402
torch.backends.quantized.engine = "qnnpack"


class Block(nn.Module):
    """An inverted residual: 1x1, depthwise, 1x1, and the sum."""

    def __init__(self, channels, width, kernel, stride):
        super().__init__()
        self.expand, self.expand_relu = nn.Conv2d(channels, width, 1), nn.ReLU()
        self.depthwise, self.depthwise_relu = nn.Conv2d(width, width, kernel, stride, kernel // 2, groups=width), nn.ReLU()
        self.project = nn.Conv2d(width, channels, 1)
        self.sum = nn.quantized.FloatFunctional()
        self.residual = stride == 1

    def forward(self, x):
        y = self.project(self.depthwise_relu(self.depthwise(self.expand_relu(self.expand(x)))))
        return self.sum.add(x, y) if self.residual else y

    def pairs(self, name):
        return [[name + ".expand", name + ".expand_relu"], [name + ".depthwise", name + ".depthwise_relu"]]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.quantize, self.dequantize = quantization.QuantStub(), quantization.DeQuantStub()
        self.first, self.first_relu = nn.Conv2d(3, 20, 3, 2, 1), nn.ReLU()
        self.a, self.b, self.c = Block(20, 36, 3, 1), Block(20, 48, 3, 2), Block(20, 33, 5, 1)
        self.grouped = nn.Conv2d(20, 24, 3, padding=1, groups=2)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.classify = nn.Linear(24, 7)

    def forward(self, x):
        y = self.first_relu(self.first(self.quantize(x)))
        y = self.pool(self.grouped(self.c(self.b(self.a(y)))))
        return self.dequantize(self.classify(torch.flatten(y, 1)))


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.gru, self.tag = nn.LSTM(10, 12, 2, bidirectional=True), nn.GRU(24, 9), nn.Linear(9, 5)

    def forward(self, x):
        y, _ = self.lstm(x)
        y, _ = self.gru(y)
        return self.tag(y)


class Ragged(nn.Module):
    """Sequences of different lengths."""

    def __init__(self):
        super().__init__()
        self.lstm, self.gru = nn.LSTM(10, 6, bidirectional=True), nn.GRU(12, 4, bidirectional=True)

    def forward(self, x):
        packed = nn.utils.rnn.pack_padded_sequence(x, torch.tensor([4, 2]))
        y, _ = self.lstm(packed)
        y, _ = self.gru(y)
        return nn.utils.rnn.pad_packed_sequence(y)[0]


def static(config):
    net = Net().eval()
    pairs = [["first", "first_relu"]] + [p for n in "abc" for p in getattr(net, n).pairs(n)]
    net = quantization.fuse_modules(net, pairs)
    net.qconfig = quantization.get_default_qconfig(config)
    quantization.prepare(net, inplace=True)
    net(torch.randn(4, 3, 11, 11))
    return torch.jit.script(quantization.convert(net))


def through_fx():
    net = nn.Sequential(nn.Conv2d(3, 12, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(12, 8, 1), nn.Hardswish(), nn.Conv2d(8, 6, 2)).eval()
    example = torch.randn(2, 3, 11, 11)
    prepared = prepare_fx(net, quantization.get_default_qconfig_mapping("qnnpack"), (example,))
    prepared(example)
    return torch.jit.script(convert_fx(prepared))


def through_graphs():
    net = torch.jit.script(nn.Sequential(nn.Conv2d(3, 12, 3, 2), nn.ReLU(), nn.Conv2d(12, 8, 3, padding=2, dilation=2)).eval())
    prepared = prepare_jit(net, {"": quantization.get_default_qconfig("qnnpack")})
    prepared(torch.randn(2, 3, 11, 11))
    return convert_jit(prepared)


def dynamic(module):
    return torch.jit.script(quantization.quantize_dynamic(module.eval(), {nn.LSTM, nn.GRU, nn.Linear}, dtype=torch.qint8))



def along_lines(example):
    """Convolutions along one dimension, whose weights get a dimension more when they are packed."""
    net = nn.Sequential(nn.Conv1d(4, 8, 3, padding=1), nn.ReLU(), nn.Conv1d(8, 6, 3, dilation=2)).eval()
    prepared = prepare_fx(net, quantization.get_default_qconfig_mapping("fbgemm"), (example,))
    prepared(example)
    return torch.jit.script(convert_fx(prepared))


def table(dtype):
    weight = torch.randn(9, 12)
    observer = quantization.PerChannelMinMaxObserver(dtype=dtype, qscheme=torch.per_channel_affine_float_qparams, ch_axis=0)
    observer(weight)
    scales, zero_points = observer.calculate_qparams()
    return torch.quantize_per_channel(weight, scales.float(), zero_points.float(), 0, dtype)


def embedding(dtype):
    return torch.jit.script(nn.quantized.Embedding(9, 12, _weight=table(dtype), dtype=dtype))


def bags(dtype):
    return torch.jit.script(nn.quantized.EmbeddingBag(9, 12, _weight=table(dtype), dtype=dtype))


class Unpacked(nn.Module):
    """A table beside packed parameters of which another is unpacked."""

    def __init__(self, dtype):
        super().__init__()
        self.table, self.embedding = table(torch.quint8), nn.quantized.Embedding(9, 12, _weight=table(dtype), dtype=dtype)

    def forward(self, i: torch.Tensor):
        weight = self.embedding._packed_params._weight()
        rows = self.table.dequantize()[i] + weight.dequantize()[i] + self.embedding(i)
        return rows + weight.q_per_channel_zero_points()[i].unsqueeze(-1) * 0.01 + self.table.q_per_channel_scales()[i].unsqueeze(-1)


def plain(t):
    return {"tensor": {"dtype": str(t.dtype)[6:], "shape": list(t.shape), "data": t.flatten().tolist()}}


def main():
    torch.manual_seed(11)
    image, words, places = torch.randn(2, 3, 11, 11), torch.randn(4, 2, 10), torch.tensor([[1, 8], [0, 3]])
    cases = {"per_tensor.pt": (static("qnnpack"), image), "per_channel.pt": (static("fbgemm"), image), "fx.pt": (through_fx(), image),
             "graphs.pt": (through_graphs(), image), "dynamic.pt": (dynamic(Tagger()), words), "ragged.pt": (dynamic(Ragged()), words),
             "bytes.pt": (embedding(torch.quint8), places), "nibbles.pt": (embedding(torch.quint4x2), places),
             "byte_bags.pt": (bags(torch.quint8), places), "nibble_bags.pt": (bags(torch.quint4x2), places),
             "unpacked.pt": (torch.jit.script(Unpacked(torch.quint8)), places)}
    lines = torch.randn(2, 4, 9)
    cases["lines.pt"] = (along_lines(lines), lines)
    expected = {}
    for name, (module, x) in cases.items():
        module.save(os.path.join(HERE, name))
        strip(os.path.join(HERE, name))
        expected[name] = {"input": plain(x), "output": plain(module(x))}
    torch.jit.script(Unpacked(torch.quint4x2)).save(os.path.join(HERE, "unpacked_nibbles.pt"))
    strip(os.path.join(HERE, "unpacked_nibbles.pt"))
    cases["per_tensor.pt"][0]._save_for_lite_interpreter(os.path.join(HERE, "per_tensor.ptl"))
    strip(os.path.join(HERE, "per_tensor.ptl"))
    expected["per_tensor.ptl"] = expected["per_tensor.pt"]
    with open(os.path.join(HERE, "expected.json"), "w") as f:
        json.dump(expected, f)
        f.write("\n")


if __name__ == "__main__":
    main()

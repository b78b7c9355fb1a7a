#!/usr/bin/python3
"""Makes cases.tar.xz and areas.txt with PyTorch 2.6: small programs of torch.export, as exported and in core ATen, with
PyTorch's answers.

    record.py [FOLDER]      writes there (default: beside this script)

Needs PyTorch 2.6 only."""
import collections
import dataclasses
import io
import os
import re
import sys
import zlib
from typing import Optional

import torch
import torch.nn.functional as F
from torch import nn
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch.ao.quantization.quantize_pt2e import convert_pt2e, prepare_pt2e
from torch.ao.quantization.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config
from torch.export import Dim
from torch.utils import _pytree as pytree

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..")]
from packs import archive_members, write_pack  # noqa: E402
from recording import decode, encode, record  # noqa: E402


# ---- Layers ----


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 6, 1, groups=2),
                                    nn.Hardswish(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(24, 4), nn.Softmax(-1))

    def forward(self, image):
        return self.layers(image)


class ListsOfNumbers(nn.Module):
    """Lists of floats or ints where lists of any numbers are wanted."""

    def forward(self, x):
        return torch._foreach_pow([x.abs(), x * x], [2.0, 0.5]), torch._foreach_add([x, x], [1, 2]), torch._foreach_clamp_max([x, x], [0.5, 0.1])


class Quantized(nn.Module):
    """Layers that PT2E quantizes, with ranges of this input."""

    dynamic, by_channel = False, True

    def __init__(self):
        super().__init__()
        self.convolution, self.norm, self.linear = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.Linear(8, 4)

    def forward(self, x):
        y = torch.relu(self.norm(self.convolution(x)))
        return self.linear((y + y * 0.5).mean([2, 3]))

    def prepared(self, inputs):
        quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=self.by_channel and not self.dynamic, is_dynamic=self.dynamic))
        model = prepare_pt2e(torch.export.export_for_training(self, inputs).module(), quantizer)
        model(*inputs)
        return convert_pt2e(model)


class QuantizedDynamically(Quantized):
    dynamic = True


class QuantizedLayers(Quantized):
    """Layers between which nothing needs floats: one for each channel, sums, pooling, views."""

    def __init__(self):
        super().__init__()
        self.wide, self.deep, self.narrow = nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(8, 8, 3, padding=1, groups=8), nn.Conv2d(8, 16, 1, stride=2)
        self.last, self.plain = nn.Linear(16, 4), nn.Linear(4, 3, bias=False)

    def forward(self, x):
        y = F.relu(self.wide(x))
        y = F.max_pool2d(F.relu(y + self.deep(y)), 2)
        y = F.adaptive_avg_pool2d(F.relu(self.narrow(y)), 1)
        return self.plain(self.last(torch.flatten(y, 1)))


class QuantizedWhole(QuantizedLayers):
    """The same with one scale for a weight."""

    by_channel = False


class QuantizedLines(QuantizedLayers):
    """Convolutions of lines, and what is put together from tensors of one range and of several."""

    def __init__(self):
        super().__init__()
        self.first, self.second, self.third = nn.Conv1d(3, 8, 5, stride=2, padding=2), nn.Conv1d(8, 8, 3, padding=2, dilation=2, groups=4), nn.Conv1d(16, 4, 1)

    def forward(self, x):
        y = F.relu(self.first(x))
        y = torch.cat([y, self.second(y)], 1)
        return self.third(torch.cat([y, y * 0.5 + y], -1))


class QuantizedBiases(QuantizedLayers):
    """So many results that some lie near the middle between two steps, where the last digits of a bias decide."""

    def __init__(self):
        super().__init__()
        self.deep, self.wide, self.last = nn.Conv2d(4, 4, 3, groups=4), nn.Conv2d(4, 32, 3), nn.Linear(32, 16)

    def forward(self, x):
        return self.last(F.relu(self.wide(self.deep(x))).permute(0, 2, 3, 1))


class QuantizedSingly(QuantizedLayers):
    """One image and one line, without batches."""

    def __init__(self):
        super().__init__()
        self.image, self.line = nn.Conv2d(3, 4, 3), nn.Conv1d(4, 2, 3)

    def forward(self, x):
        return self.line(torch.flatten(F.relu(self.image(x)), 1))


class QuantizedLinears(QuantizedDynamically):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(16, 32), nn.Linear(32, 4)

    def forward(self, x):
        return self.b(F.relu(self.a(x)))


class QuantizedMoves(nn.Module):
    """Operators that keep the range of int8 and uint8, from quantized to quantized."""

    def forward(self, x):
        q, found = torch.ops.quantized_decomposed, []
        for low, high, dtype in ((-128, 127, torch.int8), (0, 255, torch.uint8)):
            def wrapped(f, x):
                start = q.quantize_per_tensor(x, 0.0625, low + 100, low, high, dtype)
                y = f(q.dequantize_per_tensor(start, 0.0625, low + 100, low, high, dtype))
                return q.dequantize_per_tensor(q.quantize_per_tensor(y, 0.0625, low + 100, low, high, dtype), 0.0625, low + 100, low, high, dtype)
            moves = (lambda x: x.view(2, 3, -1), lambda x: x.reshape(3, -1), lambda x: x.flatten(1), lambda x: x.permute(1, 0, 3, 2), lambda x: x.transpose(0, 1), lambda x: x.unsqueeze(1),
                     lambda x: x.squeeze(1), lambda x: F.max_pool2d(x, 2), F.relu, lambda x: F.hardtanh(x, -0.5, 1), lambda x: F.adaptive_avg_pool2d(x, 2), lambda x: x.clone(),
                     lambda x: F.avg_pool2d(x, 2), lambda x: x.permute(0, 2, 3, 1).contiguous(), lambda x: x.mean([2, 3]), lambda x: x.mean([1], True))
            found += [wrapped(f, x * 4) for f in moves]
        return found


class QuantizedOperators(nn.Module):
    """What PT2E's quantizers of tokens and groups leave."""

    def forward(self, x):
        q = torch.ops.quantized_decomposed
        scales, zeros = q.choose_qparams_per_token_asymmetric(x, torch.int8)
        tokens = q.quantize_per_token(x, scales, zeros, -128, 127, torch.int8)
        plain, none = q.choose_qparams_per_token(x, torch.int8)
        groups = q.quantize_per_channel_group(x, torch.full((4, 2), 0.02), torch.full((4, 2), 3), -8, 7, torch.int8, 4)
        scale, zero = q.choose_qparams_symmetric.tensor(x, -127, 127, 1e-5, torch.int8)
        channels = q.quantize_per_channel(x, torch.tensor([0.1, 0.02, 0.3, 0.05]), torch.tensor([1, 2, 3, 4]), 0, 0, 255, torch.uint8)
        return (tokens, q.dequantize_per_token(tokens, scales, zeros, -128, 127, torch.int8, torch.float32), plain, none, groups, scale, zero, channels,
                q.dequantize_per_channel_group(groups, torch.full((4, 2), 0.02), torch.full((4, 2), 3), -8, 7, torch.int8, 4, torch.float32),
                q.dequantize_per_tensor(channels, 0.5, 3, 0, 255, torch.uint8))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(20, 16)
        self.layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)

    def forward(self, tokens):
        return self.layer(self.embed(tokens))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.gru = nn.LSTM(4, 5, num_layers=2), nn.GRU(5, 3, bidirectional=True, batch_first=True)

    def forward(self, x):
        y, (h, c) = self.lstm(x)
        return self.gru(y)[0], h, c


# ---- Numbers, dtypes, lists ----


class Numbers(nn.Module):
    """Numbers where operators want tensors, on either side and of other kinds than the tensor."""

    def forward(self, x, n, b):
        return 1 - x, x * 2.5 + 3, n * 1.5, n // 2, 2 ** n, n % 3, b + 1, b & True, x.clamp(-0.5, 1), torch.where(b, x, 0.0), torch.full((2,), True), n / 2


class Truths(nn.Module):
    """Bools as numbers."""

    def forward(self, x, n, b):
        return x * True, n + True, True * b, n // True, x / True, b.any() * True, torch.mul(b, False), b + True


class Kinds(nn.Module):
    """Arguments of many kinds: dtypes, devices, memory formats, strings, lists of numbers and of optional tensors."""

    def forward(self, x):
        y = x.to(torch.float64).to(memory_format=torch.contiguous_format)
        z = torch.zeros(2, 3, dtype=torch.int32, device="cpu")
        w = F.pad(x, (1, 0, 2, 1), value=0.5)
        v = x[:, torch.tensor([1, 0])]
        parts = torch.split(x, [1, 2, 1]), torch.chunk(x, 3, 1)
        return y, z, w, v, parts[0][1], parts[1][2], torch.div(x, 0.3, rounding_mode="floor"), F.gelu(x, approximate="tanh"), torch.cat(parts[1], 0), x.sort(1)[1], x.max(), x.to(torch.bfloat16)


# ---- State ----


class Counter(nn.Module):
    """Buffers that change, one that is not saved, a constant of the code."""

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(1))
        self.register_buffer("scale", torch.tensor([1.0, 2.0, 3.0]), persistent=False)

    def forward(self, x):
        self.count.add_(1)
        return x * self.scale + self.count + torch.tensor([0.5, 0.25, 0.125])


class Buffers(nn.Module):
    """Tensors with Python attributes: buffers of nn.Buffer, and those that PyTorch's compiler marks."""

    def __init__(self):
        super().__init__()
        self.low, self.high, self.layer = nn.Buffer(torch.ones(3)), nn.Buffer(torch.tensor([1.0, 2.0, 3.0]), persistent=False), nn.Linear(3, 3)
        self.layer.weight.note = "a note"

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: {"made": [self.layer(x) * self.low]}, lambda x: {"made": [x - self.high]}, (x,))["made"][0]


class Asserted(nn.Module):
    """Assertions, which have no results: of a tensor's dtype and sizes, of a number, of elements."""

    def forward(self, x):
        torch._assert_tensor_metadata(x, [2, 3], None, torch.float32)
        torch._assert_async((x > -2).all(), "too small")
        torch._assert_tensor_metadata(x.sum(), dtype=torch.float32)
        return x + 1


class Signs(nn.Module):
    """Numbers whose signs PyTorch changes when they are read."""

    def __init__(self):
        super().__init__()
        self.register_buffer("factors", torch.view_as_complex(numbers(3, 2)).clone().conj())

    def forward(self, z):
        y = z * self.factors
        return y, y.conj().imag, z.conj().imag + 1, z.imag * 2


class Cached(nn.Module):
    """A step of a decoder that keeps keys and values: turned positions, grouped heads, one or several tokens."""

    def __init__(self):
        super().__init__()
        self.embed, self.query, self.pair = nn.Embedding(8, 16), nn.Linear(16, 16, bias=False), nn.Linear(16, 16, bias=False)
        self.norm = nn.RMSNorm(16)
        self.register_buffer("keys", torch.zeros(1, 2, 6, 4), persistent=False)
        self.register_buffer("values", torch.zeros(1, 2, 6, 4), persistent=False)
        self.register_buffer("rates", torch.tensor([1.0, 0.01]), persistent=False)
        self.register_buffer("seen", torch.tril(torch.ones(6, 6, dtype=torch.bool)))

    def turned(self, x, at):
        angles = torch.outer(at.float(), self.rates)
        angles, (a, b) = torch.cat([angles, angles], -1), x.chunk(2, -1)
        return x * angles.cos() + torch.cat([-b, a], -1) * angles.sin()

    def forward(self, tokens, at):
        x = self.embed(tokens)
        (batch, length, width), y = x.shape, self.norm(x)
        q = self.turned(self.query(y).view(batch, length, 4, 4).transpose(1, 2), at)
        k, v = self.pair(y).view(batch, length, 2, 8).transpose(1, 2).chunk(2, -1)
        self.keys[:, :, at] = self.turned(k, at)
        self.values[:, :, at] = v
        y = F.scaled_dot_product_attention(q, self.keys, self.values, self.seen[at][None, None], enable_gqa=True)
        return (x + y.transpose(1, 2).reshape(batch, length, width)) @ self.embed.weight.t()


class Changes(nn.Module):
    def forward(self, x):
        x.mul_(2)
        return x + 1


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 3), nn.Linear(3, 3)
        self.b.weight = self.a.weight

    def forward(self, x):
        return self.b(self.a(x))


# ---- Trees ----


@dataclasses.dataclass
class Found:
    score: torch.Tensor
    place: torch.Tensor


@dataclasses.dataclass
class Partly:
    score: torch.Tensor
    place: Optional[torch.Tensor] = None


Pair = collections.namedtuple("Pair", "low high")
torch.export.register_dataclass(Partly, serialized_type_name="tests.Partly")
torch.export.register_dataclass(Found, serialized_type_name="tests.Found")
pytree._register_namedtuple(Pair, serialized_type_name="tests.Pair")


class Trees(nn.Module):
    def forward(self, d, items, *rest, flag=None, n=3, last):
        made = {"sum": d["a"] + items[0] * n, "rest": rest[0] - last}
        return made, [items[1], d["b"]], (items[0], (last, [d["a"]]))


class Mappings(nn.Module):
    """Ints as keys, dicts with defaults, fields that are None."""

    def forward(self, table):
        return {1: table[2], 7: table[1] + 1}, collections.defaultdict(list, {"k": [table[1]]}), Partly(table[2])


class MixedTrees(nn.Module):
    """Dicts and lists whose items have several types, in arguments and results, inside one another."""

    def forward(self, batch, items):
        y = batch["x"] * batch["n"] + batch["more"]["bias"] * batch["more"]["rate"] + items[1][0]
        return {"y": y, "items": [y, batch["n"]], "parts": {"low": y - 1, "size": y.shape[0]}, "none": None}, [y, [y, (y,)]], [(y,), (y, y)]


class Named(nn.Module):
    def forward(self, x):
        return Found(x.sum(), x.argmax()), Pair(x.min(), x + 1)


# ---- Control flow ----


class Cond(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: self.layer(x), lambda x: x - 1, (x,))


class Scan(nn.Module):
    def forward(self, start, x):
        return scan(lambda c, x: (c + x, c * x), start, x, dim=0), scan(lambda c, x: (c * 0.5 + x, c - x), start, x, dim=0, reverse=True)


class Loop(nn.Module):
    def forward(self, x):
        return while_loop(lambda i, x: i < 5, lambda i, x: (i + 1, x * 2 + i), (torch.tensor(0), x))


class Nested(nn.Module):
    """Branches in branches, and in steps of a scan whose state is a dict."""

    def forward(self, x):
        def inner(x):
            return torch.cond(x.max() > 0.9, lambda x: x.sin(), lambda x: x.cos(), (x,))

        def step(state, row):
            y = torch.cond(row.sum() > 0, lambda s, r: s + r, lambda s, r: s - r, (state["sum"], row))
            return {"sum": y, "count": state["count"] + 1}, (y * 2, row.sum())
        chosen = torch.cond(x.sum() > 0, inner, lambda x: inner(-x) * 2, (x,))
        state, (rows, sums) = scan(step, {"sum": torch.zeros(3), "count": torch.zeros(())}, x)
        return chosen, state["sum"], state["count"], rows, sums


class Rooms(nn.Module):
    """Images whose sizes are multiples of four."""

    def __init__(self):
        super().__init__()
        self.down, self.deep, self.up = nn.Conv2d(3, 4, 3, 2, 1), nn.Conv2d(4, 6, 3, 2, 1), nn.ConvTranspose2d(6, 4, 2, 2)

    def forward(self, x):
        y = F.relu(self.down(x))
        z = self.up(self.deep(y))
        return F.interpolate(z + y, scale_factor=2.0, mode="bilinear"), F.interpolate(z, size=x.shape[2:]), F.pixel_unshuffle(x, 4).shape[1:], x.unfold(2, 4, 4).shape[2]


class NoGrad(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        with torch.no_grad():
            y = self.layer(x)
        return y + x


class Autocast(nn.Module):
    """A region of half the bits, with one inside it that has none."""

    def __init__(self):
        super().__init__()
        self.layer, self.norm = nn.Linear(4, 4), nn.LayerNorm(4)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = self.norm(self.layer(x))
            z, loss = torch.relu(y @ y.t()), F.mse_loss(x.to(torch.bfloat16), x.to(torch.bfloat16) * 0.5)
            with torch.autocast("cpu", enabled=False):
                plain = z.float() @ z.float()
        return z, plain, loss, x @ x.t()


# ---- Shapes ----


class Dynamic(nn.Module):
    def forward(self, x, y):
        n = x.shape[0]
        return x.view(-1, x.shape[1] // 2), torch.cat([x, x]), n + 1, y.sum() / n, y.expand(n, 3), torch.arange(n * 2 - 1)


class Counted(nn.Module):
    """A size that follows from data."""

    def forward(self, x):
        n = x.sum().to(torch.int64).item()
        torch._check_is_size(n)
        torch._check(n < 10)
        return torch.zeros(n), torch.nonzero(x)


class Derived(nn.Module):
    """Sizes that follow from one another, and arithmetic of sizes."""

    def forward(self, x, y):
        n = y.shape[0]
        padded = F.pad(y, (0, (-n) % 4))
        return (x[:-3].view(-1, 2).sum(-1) + y, padded, n % 3, torch.full((n,), n / 2),
                torch.zeros(n * (n - 1) // 2).shape[0])


def numbers(*shape):
    count = int(torch.tensor(shape).prod()) if shape else 1
    return torch.sin(torch.arange(count, dtype=torch.float32) * 1.3).reshape(shape)


class Packed(nn.Module):
    """Objects of C++ classes: packed parameters of layers that are quantized before they are exported. PyTorch has no
    core ATen of such programs."""

    def __init__(self):
        super().__init__()
        layers = torch.ao.nn.quantized
        self.embedding = nn.EmbeddingBag(12, 8, mode="sum")
        self.narrow = nn.EmbeddingBag(12, 8, mode="sum")
        self.embedding.qconfig = torch.ao.quantization.float_qparams_weight_only_qconfig
        self.narrow.qconfig = torch.ao.quantization.float_qparams_weight_only_qconfig_4bit
        self.embedding = layers.EmbeddingBag.from_float(self.embedding)
        self.narrow = layers.EmbeddingBag.from_float(self.narrow)
        self.cell, self.linear = torch.ao.quantization.quantize_dynamic(nn.Sequential(nn.LSTMCell(8, 5), nn.Linear(5, 9)), {nn.LSTMCell, nn.Linear}, torch.qint8)

    def forward(self, i, offsets):
        h, c = self.cell(self.embedding(i, offsets) + self.narrow(i, offsets))
        return c, self.linear(h)


class Mixed(nn.Module):
    """A layer over the transposed input: core ATen views the sum of both, which lies as its first operand."""

    def __init__(self):
        super().__init__()
        self.norm, self.tokens, self.channels = nn.LayerNorm(6), nn.Linear(5, 5), nn.Linear(6, 6)

    def forward(self, x):
        x = x + self.tokens(self.norm(x).transpose(1, 2)).transpose(1, 2)
        a, b = self.channels(x).chunk(2, -1)
        return torch.cat([a * F.silu(b), b], -1) + torch.fft.fft(torch.fft.fft(x, dim=-1), dim=-2).real


class Chunks(nn.Module):
    """A state space in chunks: inside of each by matrices of decays, between them by a recurrence of states."""

    def sums(self, x):
        n = x.shape[-1]
        below = torch.ones(n, n, dtype=torch.bool).tril(-1)
        x = x.unsqueeze(-1).expand(*x.shape, n).masked_fill(~below, 0).cumsum(-2)
        return x.masked_fill(~torch.ones(n, n, dtype=torch.bool).tril(), -float("inf"))

    def forward(self, x, steps, inputs, outputs):
        batch, length, heads, width = x.shape
        x, a = (x * steps[..., None]).view(batch, 2, 4, heads, width), -steps.view(batch, 2, 4, heads).permute(0, 3, 1, 2)
        b, c = inputs.view(batch, 2, 4, -1), outputs.view(batch, 2, 4, -1)
        total = a.cumsum(-1)
        inside = torch.einsum("bcln,bcsn,bhcls,bcshp->bclhp", c, b, torch.exp(self.sums(a)), x)
        states = torch.einsum("bcln,bhcl,bclhp->bchpn", b, torch.exp(total[:, :, :, -1:] - total), x)
        states = torch.cat([torch.zeros_like(states[:, :1]), states], 1)
        states = torch.einsum("bhzc,bchpn->bzhpn", torch.exp(self.sums(F.pad(total[:, :, :, -1], (1, 0)))), states)
        between = torch.einsum("bcln,bchpn,bhcl->bclhp", c, states[:, :-1], torch.exp(total))
        return (inside + between).reshape(batch, length, heads, width), states[:, -1]


class Edges(nn.Module):
    """Messages along any number of edges: mean, extremes and a softmax of what arrives at each node."""

    def __init__(self):
        super().__init__()
        self.message, self.weight = nn.Linear(8, 4), nn.Linear(4, 1)

    def forward(self, nodes, edges):
        source, to = edges[0], edges[1]
        made = F.relu(self.message(torch.cat([nodes[source], nodes[to]], 1)))
        at, nothing = to[:, None].expand(-1, 4), torch.zeros(5, 4)
        found = [nothing.scatter_reduce(0, at, made, how, include_self=False) for how in ("mean", "amax", "amin")]
        score = self.weight(made).squeeze(1)
        share = torch.exp(score - torch.full((5,), -float("inf")).scatter_reduce(0, to, score, "amax")[to])
        share = share / torch.zeros(5).index_add(0, to, share)[to]
        return torch.cat(found + [nothing.index_add(0, to, made * share[:, None])], 1)


COUNT = torch.arange(6).reshape(2, 3)
B, S = Dim("batch", min=2, max=16), Dim("half", min=1, max=20)
N = Dim("length", min=3, max=8)
X = numbers(4, 3)
# Class, calls (arguments without names), names of the last arguments, dynamic shapes, ways.
MODELS = [(Convolutions, [[numbers(2, 3, 16, 16)], [numbers(1, 3, 16, 16)]], (), None), (Encoder, [[COUNT], [COUNT + 9]], (), None),
          (Recurrent, [[numbers(3, 2, 4)]], (), None), (Numbers, [[numbers(2, 3), COUNT, COUNT > 2]], (), None), (Truths, [[numbers(2, 3), COUNT, COUNT > 2]], (), None), (Kinds, [[numbers(4, 6)]], (), None),
          (Counter, [[numbers(2, 3)]], (), None), (Buffers, [[numbers(2, 3)], [-numbers(2, 3)]], (), None),
          (Asserted, [[numbers(2, 3)], [numbers(2, 3).double()], [numbers(2, 3) - 2]], (), None), (Signs, [[torch.view_as_complex(numbers(2, 3, 2))]], (), None),
          (Cached, [[torch.tensor([[1, 2, 3]]), torch.tensor([0, 1, 2])], [torch.tensor([[5]]), torch.tensor([3])]], (), {"tokens": {1: Dim("tokens", min=1, max=6)}, "at": {0: Dim("tokens", min=1, max=6)}}),
          (Changes, [[numbers(2, 3)]], (), None), (Tied, [[numbers(2, 3)]], (), None),
          (Trees, [[{"a": X, "b": X + 1}, [X + 2, X + 3], X + 4, None, 3, X + 5], [{"a": X, "b": X + 1}, [X, X], X, None, 4, X]], ("flag", "n", "last"), None),
          (Mappings, [[{1: X, 2: X + 1}]], (), None),
          (MixedTrees, [[{"x": X + k, "n": n, "more": {"bias": X, "rate": 2.5}, "none": None}, [3, [X]]] for k, n in ((0, 3), (1, 3), (0, 4))], (), None), (Named, [[X]], (), None), (Cond, [[X], [-X - 1]], (), None), (Scan, [[torch.ones(3), X]], (), None),
          (Nested, [[X], [-X], [X * 0.5]], (), None),
          (Rooms, [[numbers(2, 3, 8, 12)], [numbers(1, 3, 4, 8)], [numbers(2, 3, 9, 8)]], (), {"x": {0: Dim.AUTO, 2: 4 * Dim("high", min=1, max=9), 3: 4 * Dim("wide", min=1, max=9)}}), (Loop, [[X]], (), None), (NoGrad, [[X]], (), None), (Autocast, [[numbers(3, 4)]], (), None),
          (Dynamic, [[numbers(4, 6), numbers(4, 3)], [numbers(9, 2), numbers(9, 3)], [numbers(4, 6), numbers(5, 3)], [numbers(17, 6), numbers(17, 3)], [numbers(4, 5), numbers(4, 3)],
                     [numbers(4), numbers(4, 3)], [numbers(4, 6), numbers(4, 2)]], (), {"x": {0: B, 1: 2 * S}, "y": {0: B}}),
          (Derived, [[numbers(2 * n + 3), numbers(m)] for n, m in ((4, 4), (5, 5), (8, 8), (3, 3), (5, 6), (9, 9))] + [[numbers(12), numbers(5)]], (), {"x": {0: 2 * N + 3}, "y": {0: N}}),
          (ListsOfNumbers, [[numbers(3, 4)]], (), None), (Counted, [[torch.ones(4)], [torch.zeros(4)], [torch.ones(4) * 9], [-torch.ones(4)]], (), None), (Quantized, [[numbers(2, 3, 6, 6)]], (), None),
          (QuantizedDynamically, [[numbers(2, 3, 6, 6)]], (), None), (QuantizedLayers, [[numbers(2, 3, 8, 8) * 1.7]], (), None),
          (QuantizedWhole, [[numbers(2, 3, 8, 8) * 1.7]], (), None), (QuantizedLines, [[numbers(2, 3, 9) * 1.7]], (), None), (QuantizedBiases, [[numbers(2, 4, 9, 9) * 1.7]], (), None), (QuantizedSingly, [[numbers(3, 6, 5)]], (), None), (QuantizedLinears, [[numbers(3, 5, 16)]], (), None), (QuantizedMoves, [[numbers(2, 3, 4, 4)]], (), None), (QuantizedOperators, [[numbers(4, 8)]], (), None),
          (Packed, [[COUNT.flatten() + k, torch.tensor([0, 2])] for k in (0, 6)], (), None),
          (Mixed, [[numbers(2, 5, 6)]], (), None), (Chunks, [[numbers(2, 8, 2, 3), numbers(2, 8, 2).abs(), numbers(2, 8, 3), numbers(2, 8, 3) * 2]], (), None),
          (Edges, [[numbers(5, 4), torch.tensor([[0, 1, 2, 3, 3], [1, 0, 3, 2, 4]])], [numbers(5, 4), torch.tensor([[4, 4, 1], [0, 0, 4]])]], (),
           {"nodes": None, "edges": {1: Dim("edges", min=2, max=40)}})]


class Call:
    """A program as a function of arguments by position."""

    def __init__(self, function, names):
        self.function, self.names = function, names

    def __call__(self, *inputs):
        plain = inputs[:len(inputs) - len(self.names)]
        return values_only(self.function(*plain, **dict(zip(self.names, inputs[len(plain):]))))


def values_only(v):
    if dataclasses.is_dataclass(v):
        return tuple(getattr(v, f.name) for f in dataclasses.fields(v))
    if isinstance(v, (tuple, list)):
        made = [values_only(x) for x in v]
        return made if type(v) is list else tuple(made)
    return {k: values_only(x) for k, x in v.items()} if isinstance(v, dict) else v


def saved_form(maker, form, first, names, shapes):
    """The file of one form."""
    torch.manual_seed(zlib.crc32(maker.__name__.encode()))
    model = maker().eval()
    plain = tuple(first[:len(first) - len(names)])
    model = model.prepared(plain) if isinstance(model, Quantized) else model
    program = torch.export.export(model, plain, dict(zip(names, first[len(plain):])), dynamic_shapes=shapes, strict=maker in (Loop, Packed))
    program = program.run_decompositions() if form == "core" else program
    saved = io.BytesIO()
    torch.export.save(program, saved)
    saved.seek(0)
    return saved


def shorter(data):
    """Paths of the installation are no part of a case."""
    return re.sub(rb"/usr/lib/python3/dist-packages/|%s/" % re.escape(HERE).encode(), b"", data)


def loaded(maker, saved):
    """The program as a function. PyTorch cannot run a while_loop that it loaded."""
    if maker is Loop:
        return maker()
    saved.seek(0)
    return torch.export.load(saved).module()


def without_symbols(call):
    """Loading gives symbols other names than the file has."""
    if "raises" in call:
        call["raises"] = re.sub(r" (to be of the form|\(expected) .*", "", call["raises"])
    return call


def record_form(maker, form, calls, names, shapes):
    calls = [encode(c) for c in calls]
    saved = saved_form(maker, form, decode(calls[0]), names, shapes)
    members = [(name, shorter(data) if name.endswith(".json") else data) for name, data in archive_members(saved)]
    made = [without_symbols(dict(inputs=c, **record(Call(loaded(maker, saved), names), decode(c)))) for c in calls]
    return {"id": "%s/%s" % (form, maker.__name__), "area": form, "archive": members, "calls": made}


def main():
    torch.set_num_threads(1)
    torch.backends.quantized.engine = "qnnpack"
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    programs = []
    for maker, calls, names, shapes in MODELS:
        for form in ("exported", "core"):
            try:
                programs.append(record_form(maker, form, calls, names, shapes))
            except Exception as e:
                print("%s/%s: %s" % (form, maker.__name__, str(e).splitlines()[0]), file=sys.stderr)
    write_pack(os.path.join(folder, "cases.tar.xz"), programs)


if __name__ == "__main__":
    main()

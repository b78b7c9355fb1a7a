#!/usr/bin/python3
"""Random programs of torch.export, made with PyTorch 2.6, with its answers:

  programs.py FOLDER SEED COUNT [LEVEL...]    writes cases.tar.xz and areas.txt into FOLDER

A program is written statement by statement: each is tried with inputs of two sets of sizes, and kept when both give
numbers. Sizes that differ between the sets are dynamic, with bounds or without. Among the statements are layers, views,
indexing, writes to views, buffers and arguments, arithmetic of sizes, control flow and its nesting; arguments and
results are trees. Every program is saved as it is exported and in core ATen, and called with sizes of both sets, with
others and with some that are out of bounds. A part of the programs are networks that PT2E has quantized: without
averages, in which numbers often lie in the middle between two steps (docs/pt2.md).

Levels are tsmc's options (default: -O0 -O1 -O2); each is a program of the pack. ../run_recorded.py runs them;
cases.tar.xz holds those of seed 7."""
import collections
import copy
import dataclasses
import importlib.util
import io
import os
import random
import re
import sys
import tempfile
import warnings

import torch
import torch.nn.functional as F
from functorch.experimental.control_flow import map as real_map
from torch import nn
from torch._higher_order_ops.scan import scan as real_scan
from torch._higher_order_ops.while_loop import while_loop as real_while_loop
from torch.ao.quantization.quantize_pt2e import convert_pt2e, prepare_pt2e
from torch.ao.quantization.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config
from torch.export import Dim
from torch.utils import _pytree as pytree

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..")]
from packs import archive_members, write_pack  # noqa: E402
from recording import encode, last_line, OF_ANSWERS  # noqa: E402

MOST_ELEMENTS, LARGEST = 240, 1e4
FLOATS = (torch.float32, torch.float64)


@dataclasses.dataclass
class Parts:
    first: torch.Tensor
    second: torch.Tensor


Pair = collections.namedtuple("Pair", "low high")
torch.export.register_dataclass(Parts, serialized_type_name="tests.Parts")
pytree._register_namedtuple(Pair, serialized_type_name="tests.Pair")
torch.fx._pytree.register_pytree_flatten_spec(Parts, lambda parts, spec: [parts.first, parts.second])


# ---- Control flow in plain Python, for trying statements ----


def plain_cond(chosen, yes, no, operands):
    return (yes if chosen else no)(*operands)


def plain_while_loop(goes_on, step, values):
    for _ in range(50):
        if not goes_on(*values):
            return tuple(values)
        values = step(*values)
    raise ValueError("too long")


def plain_scan(step, start, lines, dim=0, reverse=False):
    places = range(lines.shape[dim])
    results = []
    for n in reversed(places) if reverse else places:
        start, made = step(start, lines.select(dim, n))
        results.append(made)
    return start, torch.stack(results[::-1] if reverse else results)


def plain_map(f, lines, *rest):
    return torch.stack([f(line, *rest) for line in lines])


PLAIN = {"cond": plain_cond, "while_loop": plain_while_loop, "scan": plain_scan, "map_": plain_map}
REAL = {"cond": torch.cond, "while_loop": real_while_loop, "scan": real_scan, "map_": real_map}
NAMES = {"torch": torch, "F": F, "nn": nn, "Parts": Parts, "Pair": Pair, "OrderedDict": collections.OrderedDict}


# ---- Programs ----


class Program:
    """Statements, what they need of the module, and the values of all variables for two sets of sizes."""

    def __init__(self, rng):
        self.rng, self.members, self.statements = rng, [], []
        self.modules, self.envs = (nn.Module(), nn.Module()), ({}, {})
        self.members_made = 0

    # Members of the module.

    def add_member(self, text):
        self.members_made += 1
        name = "m%d" % self.members_made
        state = torch.get_rng_state()
        for module in self.modules:
            torch.set_rng_state(state)
            exec(text % name, dict(NAMES, self=module))
            module.eval()
        self.members.append(text % name)
        return "self." + name

    # Variables.

    def value(self, name, which=0):
        return self.envs[which][name]

    def names(self, wanted=lambda t: True):
        return [n for n, v in self.envs[0].items() if isinstance(v, torch.Tensor) and wanted(v)]

    def pick(self, wanted=lambda t: True):
        """A variable, later ones more often."""
        found = self.names(wanted)
        if not found:
            raise ValueError("no such variable")
        return found[min(int(self.rng.triangular(0, len(found), len(found))), len(found) - 1)]

    def floats(self, dims=None, least=0):
        return self.pick(lambda t: t.dtype == torch.float32 and (dims is None or t.dim() == dims) and t.dim() >= least)

    def sizes(self, name):
        """Each size as a number, or as text where it is dynamic."""
        a, b = (self.value(name, k).shape for k in (0, 1))
        return [n if n == m else "%s.shape[%d]" % (name, i) for i, (n, m) in enumerate(zip(a, b))]

    def same(self, name):
        """Variables of floats with the same sizes in both sets."""
        return [n for n in self.names(lambda t: t.dtype == torch.float32) if all(
            self.value(n, k).shape == self.value(name, k).shape for k in (0, 1))]

    # Trying.

    def attempt(self, text, names=()):
        """Keeps a statement that both sets of sizes can execute, and whose values are moderate."""
        kept = []
        for env, module in zip(self.envs, self.modules):
            saved = copy.deepcopy((env, module.state_dict()))
            kept.append(saved)
            try:
                exec(text, dict(NAMES, **PLAIN, self=module), env)
                for n, v in env.items():
                    if isinstance(v, torch.Tensor):
                        check_moderate(v)
                for n in names:
                    if not isinstance(env[n], (torch.Tensor, int)):
                        raise ValueError("no tensor")
                if any(self.envs[0][n].dim() != env[n].dim() for n in names if isinstance(env[n], torch.Tensor)):
                    raise ValueError("other dimensions")
            except Exception:
                for (before, state), e, m in zip(kept, self.envs, self.modules):
                    e.clear()
                    e.update(before)
                    m.load_state_dict(state)
                return False
        self.statements.append(text)
        return True

    def assign(self, expression):
        name = "v%d" % len(self.statements)
        return self.attempt("%s = %s" % (name, expression), (name,))


def check_moderate(t):
    if t.numel() > MOST_ELEMENTS or not t.numel() and t.dim():
        raise ValueError("size")
    if t.is_floating_point() and not (torch.isfinite(t).all() and t.abs().max() < LARGEST):
        raise ValueError("large")


# ---- Expressions ----


def preserving(p, x, others):
    """An expression of x's sizes and dtype that is a new tensor. `others`: names of tensors with the same sizes."""
    rng, y = p.rng, p.rng.choice(others)
    made = ["torch.sin({x})", "torch.tanh({x}) * {y}", "{x} + {y}", "{x} * 0.5 - {y}", "{x}.abs().sqrt()", "F.gelu({x})", "F.silu({x}) + 1",
            "{x} / ({y}.abs() + 1)", "torch.maximum({x}, {y} - 0.5)", "torch.where({x} > {y}, {x}, {y} * 0.5)", "{x}.clamp(-1, 0.75)",
            "F.hardswish({x})", "{x}.clone().mul_(0.75).add_({y})", "torch.lerp({x}, {y}, 0.25)", "{x}.masked_fill({y} < 0, 0.125)",
            "F.leaky_relu({x}, 0.1)", "{x} - {x}.mean()", "({x}.double() * 1.5).float()", "torch.addcmul({x}, {y}, {y}, value=0.5)",
            "{x}.round() + {y} % 1.5", "F.elu({x})", "torch.atan2({x}, {y}.abs() + 1)", "F.softplus({x})", "-{x}", "{x}.neg().exp().reciprocal()",
            "torch.relu({x}) - torch.sigmoid({y})", "({x} > 0).float() * {y}", "{x}.pow(2) * 0.25", "1 - {x}", "torch.hypot({x}, {y})"]
    return rng.choice(made).format(x=x, y=y)


def rows(p, x):
    """Expressions that need at least one dimension."""
    d = p.rng.randrange(-1, p.value(x).dim())
    made = ["F.softmax({x}, {d})", "{x}.cumsum({d})", "{x}.flip({d})", "{x}.sort({d}).values", "{x}.roll(1, {d})", "F.log_softmax({x}, {d})",
            "{x} - {x}.mean({d}, keepdim=True)", "F.normalize({x}, dim={d})", "{x}.cummax({d})[0]", "torch.cat([{x}, {x}.neg()], {d})",
            "{x}.sum({d})", "{x}.mean({d}, keepdim=True)", "{x}.amax({d})", "{x}.argmax({d})", "{x}.var({d}, unbiased=False)", "{x}.min({d})[0]",
            "{x}.std({d}, correction=0)", "torch.logsumexp({x}, {d})", "{x}.prod({d})", "({x} > 0).any({d})", "({x} > 0).sum({d})",
            "{x}.median({d})[0]", "{x}.norm(dim={d})", "{x}.unsqueeze({d})", "{x}.narrow({d}, 0, 2)", "{x}.select({d}, -1)",
            "{x}.chunk(2, {d})[-1]", "{x}.topk(2, {d})[0]", "{x}.repeat_interleave(2, {d})", "{x}.index_select({d}, torch.tensor([1, 0, 1]))",
            "{x}.unfold({d}, 2, 1)", "torch.stack([{x}, {x} * 2], {d})", "{x}.split(2, {d})[0]", "{x}.diff(dim={d})",
            "torch.cat([{x}.narrow({d}, 1, 1), {x}], {d})", "{x}.unbind({d})[0]", "{x}.movedim({d}, 0)", "{x}.argsort({d})",
            "{x}.kthvalue(2, {d})[0]", "torch.take_along_dim({x}, {x}.argsort({d}), {d})", "{x}.tensor_split(2, {d})[1]",
            "{x}.gather({d}, {x}.argsort({d}))", "{x}.scatter({d}, {x}.argsort({d}), 0.5)", "torch.zeros_like({x}).scatter_add({d}, {x}.argmax({d}, True), {x})",
            "{x}.index_add({d}, torch.tensor([0, 1, 1]), {x}.narrow({d}, 0, 1).expand_as({x}).narrow({d}, 0, 1).repeat_interleave(3, {d}))",
            "{x}.index_fill({d}, torch.tensor([0]), 0.25)", "{x}.transpose({d}, 0)", "{x}.size({d})", "{x}.squeeze({d})", "F.glu({x}, {d})"]
    return p.rng.choice(made).format(x=x, d=d)


def whole(p, x):
    return p.rng.choice(["{x}.sum()", "{x}.mean()", "{x}.max()", "{x}.flatten()", "{x}.reshape(-1)", "{x}.view(-1)", "{x}.t()", "{x}.mT", "{x}.T",
                         "{x}.ravel()[1:]", "{x}[1:]", "{x}[:, ::2]", "{x}[..., -1]", "{x}[None]", "{x}[..., None]", "{x}[0]", "{x}[-1:]", "{x}[:, 1:-1]",
                         "{x}.contiguous()", "{x}.tril()", "{x}.triu(1)", "{x}.diagonal()", "{x}.outer({x})", "{x} @ {x}.mT", "{x}.mT @ {x}", "torch.einsum('ab,cb->ac', {x}, {x})",
                         "{x}.bool()", "{x}.int()", "({x} * 4).long()", "{x}.double()", "{x}.half()", "{x}.bfloat16()", "F.pad({x}, (1, 2))", "F.pad({x}, (0, 0, 1, 0), value=0.5)",
                         "torch.arange({x}.shape[0])", "torch.arange({x}.shape[0], dtype=torch.float32) * 0.5", "torch.zeros({x}.shape[0], 3)", "torch.full_like({x}, 0.25)",
                         "torch.ones({x}.shape[-1] + 1)", "torch.eye({x}.shape[0])", "{x} / {x}.shape[0]", "{x} * ({x}.shape[0] % 3)", "{x}[: {x}.shape[0] // 2 + 1]",
                         "{x}.shape[0] * {x}.shape[-1]", "{x}.numel()", "{x}.reshape({x}.shape[0], -1)", "{x}.view({x}.shape[0], -1, 2)", "{x}.expand(2, *{x}.shape)",
                         "{x}.repeat(2, 1)", "{x}.reshape(-1, {x}.shape[-1])", "{x}[{x}.argmax(0)]", "{x}[:, torch.tensor([1, 0])]", "{x}[torch.tensor([0, 1, 0])]",
                         "{x}.unflatten(0, (-1, 1))", "{x}.new_full(({x}.shape[0],), 2.0)", "torch.cdist({x}, {x})", "{x}.permute(*range({x}.dim() - 1, -1, -1))", "torch.linspace(0, 1, {x}.shape[0])",
                         "{x}.tile(2)", "torch.tril(torch.ones({x}.shape[0], {x}.shape[0]))", "{x}.as_strided((2,), (1,))", "torch.atleast_2d({x})", "{x}.swapaxes(0, -1)", "torch.roll({x}, 1)",
                         "torch.bucketize({x}, torch.tensor([-0.5, 0.0, 0.5]))", "{x}.clone(memory_format=torch.contiguous_format)", "F.one_hot({x}.argmax(-1), {n})", "{x}.quantile(0.25)",
                         "{x}.isfinite().all()", "torch.meshgrid({x}, {x}, indexing='ij')[1]", "{x}.cumsum(0).to(torch.float16).float()", "torch.logcumsumexp({x}, 0)", "{x}.flatten(0, 1)",
                         "F.interpolate({x}[None, None], size=(3, 4))[0, 0]", "F.avg_pool1d({x}, 2)", "F.max_pool1d({x}, 2, 1)", "F.adaptive_avg_pool1d({x}, 2)", "{x}.index_put((torch.tensor([0]),), torch.tensor(0.5))",
                         "torch.linalg.vector_norm({x}, 3)", "torch.triu_indices({x}.shape[0], 3)", "{x}.max(0).indices", "torch.searchsorted({x}.sort(-1)[0].contiguous(), {x})",
                         "{x}.new_zeros({x}.shape[0] * 2 - 1)", "F.scaled_dot_product_attention({x}[None, None], {x}[None, None], {x}[None, None])[0, 0]"]).format(
                             x=x, n=p.value(x).shape[-1] if p.value(x).dim() else 1)


def binary(p, x, y):
    return p.rng.choice(["{x} + {y}", "{x} - {y}", "{x} * {y}", "torch.minimum({x}, {y})", "{x} @ {y}", "torch.matmul({x}, {y}.mT)", "torch.cat([{x}, {y}])",
                         "torch.cat([{x}, {y}], -1)", "torch.where({y} > 0, {x}, {y})", "({x} > {y})", "{x}.eq({y})", "{x}[{y}.argmax(-1)]", "{x} // ({y}.abs() + 1)",
                         "{x}.masked_fill({y} > 0, 0.0)", "{x}.expand_as({y})", "{x}.reshape({y}.shape)", "torch.div({x}, {y}.abs() + 1, rounding_mode='trunc')", "F.mse_loss({x}, {y})",
                         "{x}.view_as({y})", "{x} + {y}.shape[0]", "{x}[: {y}.shape[0]]", "torch.outer({x}, {y})", "F.cosine_similarity({x}, {y}, -1)", "torch.stack([{x}, {y}]).amax(0)",
                         "torch.broadcast_tensors({x}, {y})[0]", "{x}.type_as({y})", "torch.addmm({x}, {y}, {y})", "torch.bmm({x}, {y})", "{x}.fmod({y}.abs() + 0.5)", "torch.isin({x}, {y})",
                         "torch.kron({x}, {y})", "torch.tensordot({x}, {y}, 1)", "{x}.pow({y}.clamp(-1, 2)).nan_to_num(0.5)", "torch.heaviside({x}, {y})"]).format(x=x, y=y)


def integers(p, x):
    return p.rng.choice(["{x} + 1", "{x} * 2 % 5", "{x}.float() * 0.5", "{x} // 2", "{x}.clamp(0, 3)", "{x} > 1", "F.one_hot({x}.clamp(0, 3).long(), 4)", "{x}.sum()", "{x}.cumsum(0)",
                         "{x} & 3", "~{x}", "{x} / 2", "{x}.bool()", "{x}.to(torch.float32).sin()", "{x}.max()", "{x} ** 2 % 7", "{x}.flip(0)", "{x}.unique()", "{x}.sort(-1)[0]", "{x} << 1",
                         "torch.bincount({x}.flatten().clamp(0, 5))", "torch.remainder({x}, -3)", "{x}.to(torch.uint8)", "{x}.to(torch.int16) * 3", "{x} ^ 1", "{x}.ne(0).all()"]).format(x=x)


def layer(p):
    """An expression with a layer for a tensor whose last sizes are known."""
    rng, x = p.rng, p.floats(least=1)
    sizes, dims = p.sizes(x), p.value(x).dim()
    last = sizes[-1]
    kind = rng.choice(["linear", "linear", "norm", "conv1d", "conv2d", "recurrent", "attention", "batch", "weight", "bilinear", "encoder", "rms", "pool"])
    if kind in ("linear", "norm", "weight", "bilinear", "rms") and isinstance(last, int):
        if kind == "linear":
            m = p.add_member("self.%%s = nn.Linear(%d, %d, bias=%s)" % (last, rng.choice([2, 4, 5]), rng.random() < 0.7))
            return "%s(%s)" % (m, x)
        if kind == "norm":
            return "%s(%s)" % (p.add_member("self.%%s = nn.LayerNorm(%d)" % last), x)
        if kind == "rms":
            return "%s(%s)" % (p.add_member("self.%%s = nn.RMSNorm(%d)" % last), x)
        if kind == "bilinear":
            return "%s(%s, %s)" % (p.add_member("self.%%s = nn.Bilinear(%d, %d, 3)" % (last, last)), x, x)
        return "%s * %s" % (x, p.add_member("self.%%s = nn.Parameter(torch.linspace(-1, 1, %d))" % last))
    if kind in ("conv1d", "batch") and dims >= 2 and isinstance(sizes[-2], int):
        shape = x if dims in (2, 3) else "%s.flatten(0, -3)" % x
        if kind == "batch":
            x3 = x if dims == 3 else "%s.reshape(-1, %d, %s)" % (x, sizes[-2], sizes[-1] if isinstance(sizes[-1], int) else sizes[-1])
            return "%s(%s)" % (p.add_member("self.%%s = nn.BatchNorm1d(%d)" % sizes[-2]), x3)
        m = p.add_member("self.%%s = nn.%s(%d, %d, %d, padding=%d, stride=%d)" % (
            rng.choice(["Conv1d", "Conv1d", "ConvTranspose1d"]), sizes[-2], rng.choice([2, 3]), rng.choice([1, 2, 3]), rng.choice([0, 1]), rng.choice([1, 1, 2])))
        return "%s(%s)" % (m, shape)
    if kind in ("conv2d", "pool"):
        x = p.floats(least=3)
        sizes, dims = p.sizes(x), p.value(x).dim()
        if dims not in (3, 4) or not isinstance(sizes[-3], int):
            raise ValueError("no image")
        if kind == "pool":
            return "%s(%s)" % (rng.choice(["nn.MaxPool2d(2, 1)", "nn.AvgPool2d(2, ceil_mode=True)", "nn.AdaptiveAvgPool2d((2, 3))", "nn.AdaptiveMaxPool2d(1)", "nn.Upsample(scale_factor=2)",
                                           "nn.UpsamplingBilinear2d(scale_factor=2)", "nn.ZeroPad2d(1)", "nn.ReflectionPad2d(1)", "nn.GroupNorm(1, %d)" % sizes[-3], "nn.LPPool2d(2, 2)"]), x)
        m = p.add_member("self.%%s = nn.%s(%d, %d, %d, padding=%d, stride=%d)" % (
            rng.choice(["Conv2d", "Conv2d", "ConvTranspose2d"]), sizes[-3], rng.choice([2, 3]), rng.choice([1, 2, 3]), rng.choice([0, 1]), rng.choice([1, 1, 2])))
        return "%s(%s)" % (m, x)
    if kind in ("recurrent", "attention", "encoder") and dims in (2, 3) and isinstance(last, int):
        if kind == "recurrent":
            m = p.add_member("self.%%s = nn.%s(%d, 3, num_layers=%d, bidirectional=%s, batch_first=%s)" % (
                rng.choice(["LSTM", "GRU", "RNN"]), last, rng.choice([1, 2]), rng.random() < 0.4, rng.random() < 0.5))
            return "%s(%s)[0]" % (m, x)
        if kind == "encoder":
            m = p.add_member("self.%%s = nn.TransformerEncoderLayer(%d, 1, 6, batch_first=%s)" % (last, rng.random() < 0.5))
            return "%s(%s)" % (m, x)
        m = p.add_member("self.%%s = nn.MultiheadAttention(%d, 1, batch_first=%s)" % (last, rng.random() < 0.5))
        return "%s(%s, %s, %s%s)[0]" % (m, x, x, x, rng.choice(["", ", need_weights=False"]))
    raise ValueError("no layer fits")


def control(p):
    rng = p.rng
    kind = rng.choice(["cond", "cond", "cond", "while_loop", "scan", "map_", "nested", "tree"])
    x = p.floats(least=0 if kind in ("cond", "while_loop", "nested", "tree") else 1)
    y = rng.choice(p.same(x))
    test = rng.choice(["{x}.sum() > 0", "{x}.max() > 1", "({x} > 0.5).any()", "{x}.mean() < {y}.mean()", "{x}.argmax() > 1", "{x}.shape[0] > 3", "({x}.abs() < 9).all()"]).format(x=x, y=y)

    def body(a, b):
        made = preserving(p, a, [a, b])
        if rng.random() < 0.4:
            made = "(%s) * 0.5 + %s" % (made, preserving(p, b, [a, b]))
        last = p.sizes(x)[-1:] if kind in ("cond", "nested") else []
        if last and isinstance(last[0], int) and rng.random() < 0.3:
            made = "%s(%s)" % (p.add_member("self.%%s = nn.Linear(%d, %d)" % (last[0], last[0])), made)
        if rng.random() < 0.2 and p.same(x):
            made = "%s + %s" % (made, rng.choice(p.same(x))) if kind in ("cond", "nested") else made
        return made
    if kind == "cond":
        return "cond(%s, lambda a, b: %s, lambda a, b: %s, (%s, %s))" % (test, body("a", "b"), body("a", "b"), x, y if y != x else x + " * 1.5")
    if kind == "tree":
        return "cond(%s, lambda a: {'p': %s, 'q': [%s, a + 1]}, lambda a: {'p': %s, 'q': [a * 2, %s]}, (%s,))['q'][%d]" % (
            test, body("a", "a"), body("a", "a"), body("a", "a"), body("a", "a"), x, rng.randrange(2))
    if kind == "nested":
        inner = "cond(%s, lambda a: %s, lambda a: %s, (%s,))" % (rng.choice(["a.max() > 0.9", "a.sum() < b.sum()", "(a < 0).any()"]), body("a", "a"), body("a", "a"), "a")
        return "cond(%s, lambda a, b: %s, lambda a, b: %s, (%s, %s))" % (test, inner, body("a", "b"), x, y if y != x else x + " + 0.5")
    if kind == "while_loop":
        goes = rng.choice(["i < 4", "(i < 6) & (x.abs().max() < 8)", "i < 3"])
        return "while_loop(lambda i, x: %s, lambda i, x: (i + 1, %s), (torch.tensor(0), %s))[1]" % (goes, body("x", "x"), x)
    dims = p.value(x).dim()
    if kind == "map_":
        return "map_(lambda a, b: %s + b.sum(), %s, %s)" % (body("a", "a"), x, p.floats())
    dim, part = rng.randrange(dims), rng.randrange(2)
    inner = body("c", "a") if rng.random() < 0.7 else "cond(a.sum() > 0, lambda c, a: %s, lambda c, a: %s, (c, a))" % (body("c", "a"), body("c", "a"))
    return "scan(lambda c, a: (%s, %s), torch.zeros_like(%s.select(%d, 0)), %s, dim=%d, reverse=%s)[%d]" % (
        inner, preserving(p, "a", ["a", "c"]), x, dim, x, dim, rng.random() < 0.4, part)


def write(p):
    """A statement that changes a tensor: a buffer, an argument or a variable, whole or through a view."""
    rng, x = p.rng, p.floats()
    kind = rng.choice(["buffer", "buffer", "count", "local", "local", "local", "argument"])
    if kind == "count":
        m = p.add_member("self.register_buffer('%%s', torch.zeros(%s, dtype=torch.%s))" % (rng.choice(["1", "()"]), rng.choice(["int64", "float32"])))
        return rng.choice(["%s.add_(1)", "%s += 2", "%s.copy_(%s + 3)"]).replace("%s", m)
    if kind == "buffer":
        sizes = p.sizes(x)
        if not all(isinstance(n, int) for n in sizes):
            raise ValueError("dynamic")
        m = p.add_member("self.register_buffer('%%s', torch.full((%s), 0.5)%s)" % ("".join("%d, " % n for n in sizes), rng.choice(["", ", persistent=False"])))
        ways = ["%(m)s.mul_(0.5).add_(%(x)s)", "%(m)s.copy_(%(x)s)", "%(m)s[:] = %(x)s * 2", "%(m)s[0] += 1", "%(m)s.lerp_(%(x)s, 0.25)", "%(m)s[..., 0] = %(x)s[..., -1]"]
        return rng.choice(ways) % {"m": m, "x": x}
    if kind == "local":
        x = p.pick(lambda t: t.dtype == torch.float32 and t.dim() > 0)
        name = "v%d" % len(p.statements)
        ways = ["%(n)s = %(x)s.clone(); %(n)s[0] = 0.5", "%(n)s = %(x)s * 1; %(n)s[..., 0] += 1", "%(n)s = %(x)s + 0; %(n)s.view(-1)[1:].mul_(2)",
                "%(n)s = %(x)s.clone(); %(n)s[%(n)s > 0] = 0.25", "%(n)s = %(x)s.clone(); %(n)s.transpose(0, -1).add_(1)", "%(n)s = %(x)s.clone(); %(n)s.diagonal().fill_(2)",
                "%(n)s = %(x)s.clone(); a, b = %(n)s.chunk(2, -1); a.mul_(2); b.zero_()", "%(n)s = %(x)s.clone(); %(n)s[torch.tensor([1, 0])] = %(n)s[:2] * 3",
                "%(n)s = torch.zeros_like(%(x)s); %(n)s[1:] = %(x)s[:-1]", "%(n)s = %(x)s.clone(); w = %(n)s.unsqueeze(0); w.sub_(0.5); %(n)s = %(n)s + w[0]",
                "%(n)s = %(x)s.clone().clamp_(min=0).sigmoid_()", "%(n)s = %(x)s.clone(); %(n)s.index_add_(0, torch.tensor([0, 0]), %(x)s[:2])",
                "%(n)s = %(x)s.clone(); %(n)s.masked_fill_(%(x)s < 0, 7.0)", "%(n)s = %(x)s.clone(); %(n)s.scatter_(0, %(x)s.argmax(0, True), 0.5)"]
        return rng.choice(ways) % {"n": name, "x": x}
    arg = rng.choice([n for n in p.names(lambda t: t.dtype == torch.float32) if n.startswith("a")] or [x])
    return rng.choice(["%s.add_(1)", "%s[0] = 0.5", "%s.mul_(%s.abs())", "%s[..., -1].zero_()"]).replace("%s", arg)


def region(p):
    x = p.floats()
    name = "v%d" % len(p.statements)
    body = preserving(p, x, p.same(x))
    return "with %s:\n            %s = %s" % (p.rng.choice(["torch.no_grad()", "torch.autocast('cpu', dtype=torch.bfloat16)", "torch.autocast('cpu', enabled=False)"]), name, body)


def data_size(p):
    """Sizes that follow from data."""
    x = p.floats(least=1)
    name = "v%d" % len(p.statements)
    return p.rng.choice(["%(n)s = %(x)s[%(x)s > 0]; %(n)s = %(n)s.sum()", "%(n)s = torch.nonzero(%(x)s)[:, 0].sum()", "k = (%(x)s > 0).sum().item(); torch._check_is_size(k); torch._check(k < 4000); %(n)s = torch.zeros(k + 1)",
                         "%(n)s = %(x)s.masked_select(%(x)s.abs() >= 0)", "k = %(x)s.max().item(); %(n)s = %(x)s * k", "k = (%(x)s > 0).sum().item(); %(n)s = %(x)s + k"]) % {"n": name, "x": x}


def grow(p, steps):
    done = tried = 0
    while done < steps and tried < 40 * steps:
        tried += 1
        r = p.rng.random()
        members = len(p.members)
        try:
            if r < 0.22:
                ok = p.assign(rows(p, p.floats(least=1)))
            elif r < 0.4:
                ok = p.assign(whole(p, p.floats()))
            elif r < 0.5:
                ok = p.assign(binary(p, p.floats(), p.floats()))
            elif r < 0.57:
                ok = p.assign(integers(p, p.pick(lambda t: t.dtype in (torch.int64, torch.int32, torch.bool))))
            elif r < 0.7:
                ok = p.assign(layer(p))
            elif r < 0.82:
                ok = p.assign(control(p))
            elif r < 0.93:
                ok = p.attempt(write(p))
            elif r < 0.96:
                ok = p.attempt(region(p))
            elif r < 0.98:
                ok = p.attempt(data_size(p))
            else:
                x = p.floats()
                ok = p.assign(preserving(p, x, p.same(x)))
        except (ValueError, IndexError):
            ok = False
        if not ok:
            del p.members[members:]
        done += ok


# ---- Arguments and results ----


class Sizes:
    """Sizes of arguments by name, for a call."""

    NAMES = ("B", "S", "T")

    def __init__(self, rng):
        self.first = {n: rng.choice([3, 4, 5, 6]) for n in self.NAMES}
        self.second = {n: self.first[n] + rng.choice([1, 2, 3]) for n in self.NAMES}
        # Sizes that are equal by chance would become equal by rule.
        if len(set(self.first.values())) < 3 or len(set(self.second.values())) < 3:
            self.__init__(rng)


def numbers(rng, shape, kind):
    count = 1
    for n in shape:
        count *= n
    if kind == "float":
        data = [round(rng.gauss(0, 1) * 64) / 64 for _ in range(count)]
        return torch.tensor(data, dtype=torch.float32).reshape(shape)
    if kind == "int":
        return torch.tensor([rng.randrange(0, 4) for _ in range(count)], dtype=torch.int64).reshape(shape)
    return torch.tensor([rng.random() < 0.5 for _ in range(count)]).reshape(shape)


class Arguments:
    """What forward takes: leaves (dimensions and kind, or a constant), and how they are put into trees."""

    def __init__(self, rng, static):
        self.rng, self.leaves = rng, []
        for n in range(rng.choice([1, 2, 2, 3, 4])):
            kind = rng.choice(["float"] * 6 + ["int", "bool"]) if n else "float"
            dims = [rng.choice(["B", "S", "T", 2, 4, 6] if not static else [2, 3, 4, 6]) for _ in range(rng.choice([1, 2, 2, 3, 3, 4]))]
            self.leaves.append((dims, kind))
        self.groups, at = [], 0
        while at < len(self.leaves):
            form = rng.choice(["plain", "plain", "plain", "list", "tuple", "dict", "Parts", "Pair"])
            size = 1 if form == "plain" else 2 if form in ("Parts", "Pair") else rng.choice([1, 2])
            size = min(size, len(self.leaves) - at)
            if form in ("Parts", "Pair") and size < 2:
                form = "plain"
            self.groups.append((form, list(range(at, at + size))))
            at += size
        self.constant = rng.choice([None, None, None, 3, 2.5, True, "text"])
        self.keyword = rng.random() < 0.25

    def parameters(self):
        names = ["g%d" % n for n in range(len(self.groups))]
        if self.keyword:
            names[-1:] = ["*", names[-1]] if len(names) > 1 else names[-1:]
        return names + (["constant"] if self.constant is not None and not self.keyword else [])

    def unpacking(self):
        lines = []
        for n, (form, leaves) in enumerate(self.groups):
            for k, leaf in enumerate(leaves):
                item = {"plain": "", "list": "[%d]" % k, "tuple": "[%d]" % k, "dict": "['k%d']" % k, "Parts": (".first", ".second")[k], "Pair": (".low", ".high")[k]}[form]
                lines.append("a%d = g%d%s" % (leaf, n, item))
        return lines

    def build(self, leaves):
        made = []
        for form, items in self.groups:
            v = [leaves[i] for i in items]
            made.append({"plain": lambda: v[0], "list": lambda: v, "tuple": lambda: tuple(v), "dict": lambda: {"k%d" % k: x for k, x in enumerate(v)},
                         "Parts": lambda: Parts(*v), "Pair": lambda: Pair(*v)}[form]())
        names = ["g%d" % n for n in range(len(made))]
        keywords = {}
        if self.keyword and len(made) > 1:
            keywords[names[-1]] = made.pop()
        elif self.constant is not None and not self.keyword:
            made.append(self.constant)
        return tuple(made), keywords

    def tensors(self, rng, sizes):
        return [numbers(rng, [sizes.get(d, d) for d in dims], kind) for dims, kind in self.leaves]

    def dynamic_shapes(self, how):
        leaves = [{i: how(d) for i, d in enumerate(dims) if isinstance(d, str)} for dims, _ in self.leaves]
        made = {}
        for n, (form, items) in enumerate(self.groups):
            v = [leaves[i] for i in items]
            made["g%d" % n] = {"plain": lambda: v[0], "list": lambda: v, "tuple": lambda: tuple(v), "dict": lambda: {"k%d" % k: x for k, x in enumerate(v)},
                               "Parts": lambda: [v[0], v[1]], "Pair": lambda: Pair(*v)}[form]()
        if self.constant is not None and not self.keyword:
            made["constant"] = None
        return made


def results(p):
    """A tree of variables."""
    rng = p.rng
    names = [n for n in p.envs[0] if n.startswith("v") and isinstance(p.envs[0][n], (torch.Tensor, int))] or ["a0 * 2"]
    chosen = [names[-1]] + [rng.choice(names) for _ in range(rng.choice([0, 1, 2, 3]))]
    if rng.random() < 0.15:
        chosen.append("a0")

    def tree(items, depth):
        if len(items) == 1 and (depth or rng.random() < 0.5):
            return items[0]
        form = rng.choice(["tuple", "tuple", "list", "dict", "Parts", "Pair"] if depth < 2 else ["tuple"])
        if form in ("Parts", "Pair") and len(items) >= 2 and len(items) % 2 == 0:
            half = len(items) // 2
            return "%s(%s, %s)" % (form, tree(items[:half], depth + 1), tree(items[half:], depth + 1)) if form == "Pair" or half == 1 else "(%s)" % ", ".join(items)
        if form == "dict":
            return "{%s}" % ", ".join("'r%d': %s" % (k, tree([x], depth + 1)) for k, x in enumerate(items))
        return "[%s]" % ", ".join(items) if form == "list" else "(%s,)" % ", ".join(items)
    return tree(chosen, 0)


def random_program(rng, path):
    """The source of a module, its arguments, and sizes; or None."""
    arguments = Arguments(rng, rng.random() < 0.3)
    sizes = Sizes(rng)
    p = Program(rng)
    for env, s in zip(p.envs, (sizes.first, sizes.second)):
        env.update(("a%d" % n, t) for n, t in enumerate(arguments.tensors(rng, s)))
    grow(p, rng.choice([2, 4, 6, 9]))
    if not p.statements:
        return None
    members = p.members or ["pass"]
    with open(path, "w") as f:
        f.write("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n")
        f.writelines("        %s\n" % m for m in members)
        f.write("\n    def forward(self, %s):\n" % ", ".join(arguments.parameters()))
        f.writelines("        %s\n" % s for s in arguments.unpacking() + p.statements + ["return " + results(p)])
    return arguments, sizes


def load_class(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    module.__dict__.update(NAMES, **REAL)
    spec.loader.exec_module(module)
    return module.Net


# ---- Recording ----


def values_only(v):
    if dataclasses.is_dataclass(v):
        return tuple(values_only(getattr(v, f.name)) for f in dataclasses.fields(v))
    if isinstance(v, (tuple, list)):
        made = [values_only(x) for x in v]
        return made if type(v) is list else tuple(made)
    return {k: values_only(x) for k, x in v.items()} if isinstance(v, dict) else v


def record(program, saved, given, keywords):
    """One call. PyTorch cannot load each program that it saves, and not run each that it loads: then the one that was
    saved is called."""
    inputs = [encode(values_only(x)) for x in given] + [encode(values_only(x)) for x in keywords.values()]
    for makes in (lambda: torch.export.load(saved), lambda: copy.deepcopy(program)):
        saved.seek(0)
        try:
            output = makes().module()(*copy.deepcopy(given), **copy.deepcopy(keywords))
            return {"inputs": inputs, "output": encode(values_only(output), OF_ANSWERS), "printed": ""}
        except Exception as e:
            last = e
    text = re.sub(r" (to be of the form|\(expected) .*", "", last_line(last))
    # What the fields of a namedtuple are called is not in the file.
    return {"inputs": inputs, "raises": text.replace(".low", "[0]").replace(".high", "[1]")}


def save(program):
    saved = io.BytesIO()
    torch.export.save(program, saved)
    return saved


def shorter(name, data):
    """Paths of the installation and of scratch folders are no part of a case."""
    return re.sub(rb"/usr/lib/python3/dist-packages/|/tmp/tmp\w+/", b"", data) if name.endswith(".json") else data


def is_answer_of_file(recorded):
    """Operators that raise are removed where nobody wants what they give."""
    return "output" in recorded or recorded["raises"].startswith("Expected input")


def record_forms(name, program, calls, levels):
    made = []
    for form in ("exported", "core"):
        try:
            shaped = program if form == "exported" else program.run_decompositions()
            saved = save(shaped)
            recorded = [r for r in (record(shaped, saved, *copy.deepcopy(c)) for c in calls) if is_answer_of_file(r)]
        except Exception as e:
            print("%s %s: %s" % (name, form, str(e).split("\n")[0][:150]), file=sys.stderr)
            continue
        members = [(m, shorter(m, data)) for m, data in archive_members(saved)]
        made += [{"id": "%s/%s%s" % (form, name, level), "area": form, "archive": members, "calls": recorded, "options": [level]} for level in levels]
    return made


def export_program(rng, net, arguments, leaves):
    """Exported in one of the ways that people use, or in the one that takes all."""
    bounds = {n: rng.choice([(None, None), (2, 16), (1, 40), (2, None)]) for n in Sizes.NAMES}
    dims = {n: Dim(n, **{k: v for k, v in zip(("min", "max"), bounds[n]) if v}) for n in Sizes.NAMES}
    given, keywords = arguments.build(leaves)
    ways = [lambda d: dims[d], lambda d: dims[d], lambda d: Dim.AUTO]
    first = rng.choice(ways)
    for how in (first, lambda d: Dim.AUTO, None):
        for strict in ((False, True) if rng.random() < 0.8 else (True, False)):
            try:
                return torch.export.export(copy.deepcopy(net), copy.deepcopy(given), copy.deepcopy(keywords), dynamic_shapes=how and arguments.dynamic_shapes(how), strict=strict)
            except Exception as e:
                last = e
    raise last


def written_cases(rng, folder, name, levels):
    path = os.path.join(folder, name + ".py")
    made = random_program(rng, path)
    if made is None:
        return []
    arguments, sizes = made
    net = load_class(path, name)().eval()
    first = arguments.tensors(rng, sizes.first)
    program = export_program(rng, net, arguments, first)
    third = {n: k + rng.choice([1, 4, 7]) for n, k in sizes.first.items()}
    outside = dict(sizes.first, **{rng.choice(Sizes.NAMES): rng.choice([1, 50, sizes.first["B"]])})
    calls = [arguments.build(first)] + [arguments.build(arguments.tensors(rng, s)) for s in (sizes.first, sizes.second, third, outside)]
    return record_forms(name, program, calls, levels)


# ---- Networks that PT2E quantizes ----


class Sum(nn.Module):
    def __init__(self, channels, way):
        super().__init__()
        self.layer, self.way = nn.Conv2d(channels, channels, 3, padding=1), way

    def forward(self, x):
        y = self.layer(x)
        return {"sum": lambda: x + y, "rectified": lambda: F.relu(x + y), "product": lambda: x * y, "cat": lambda: torch.cat([x, y], 1)[:, ::2].contiguous(),
                "gate": lambda: x * torch.sigmoid(F.adaptive_max_pool2d(y, 1)), "factor": lambda: y * 0.5 + x}[self.way]()


def quantizable(rng):
    if rng.random() < 0.3:
        widths = [rng.choice([4, 8, 17]) for _ in range(rng.choice([2, 3, 4]))]
        made = [m for a, b in zip(widths, widths[1:]) for m in (nn.Linear(a, b, bias=rng.random() < 0.7), rng.choice([nn.ReLU, nn.Tanh, nn.Identity, nn.Hardtanh, nn.GELU])())]
        return nn.Sequential(*made), [rng.choice([1, 3]), widths[0]] if rng.random() < 0.6 else [2, 3, widths[0]]
    channels = rng.choice([2, 3, 4, 8])
    start, made = channels, []
    for _ in range(rng.choice([1, 2, 3, 4])):
        kind = rng.choice(["conv", "conv", "conv", "deep", "step", "pool", "transposed"])
        if kind == "conv":
            out = rng.choice([4, 6, 8])
            made += [nn.Conv2d(channels, out, rng.choice([1, 3]), rng.choice([1, 1, 2]), rng.choice([0, 1]), bias=rng.random() < 0.7)]
            channels = out
        elif kind == "deep":
            made.append(nn.Conv2d(channels, channels, 3, padding=1, groups=channels))
        elif kind == "step":
            made.append(Sum(channels, rng.choice(["sum", "rectified", "product", "cat", "gate", "factor"])))
            continue
        elif kind == "transposed":
            made.append(nn.ConvTranspose2d(channels, channels, 2, 2))
        else:
            made.append(rng.choice([nn.MaxPool2d(2, 1), nn.MaxPool2d(3, 2, 1), nn.Upsample(scale_factor=2), nn.ZeroPad2d(1)]))
            continue
        made += [nn.BatchNorm2d(channels)] if rng.random() < 0.4 else []
        made += [rng.choice([nn.ReLU, nn.Hardtanh, nn.Hardswish, nn.Sigmoid, nn.ReLU6])()] if rng.random() < 0.7 else []
    if rng.random() < 0.4:
        made += [nn.AdaptiveMaxPool2d(1), nn.Flatten(), nn.Linear(channels, 5)]
    return nn.Sequential(*made), [rng.choice([1, 2]), start, rng.choice([7, 8]), 8]


def quantized_cases(rng, name, levels):
    net, shape = quantizable(rng)
    net.eval()
    x = numbers(rng, shape, "float")
    dynamic = rng.random() < 0.3
    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=rng.random() < 0.5, is_dynamic=dynamic))
    shapes = ({0: Dim("batch", min=1, max=8)},) if shape[0] > 1 and rng.random() < 0.5 else None
    prepared = prepare_pt2e(torch.export.export_for_training(net, (x,), dynamic_shapes=shapes).module(), quantizer)
    for _ in range(2):
        prepared(numbers(rng, shape, "float"))
    program = torch.export.export(convert_pt2e(prepared, fold_quantize=rng.random() < 0.8), (x,), dynamic_shapes=shapes)
    others = [shape] + ([[shape[0] + 3] + shape[1:]] if shapes else [])
    made = record_forms(name, program, [((x,), {})] + [((numbers(rng, s, "float"),), {}) for s in others], levels)
    return [dict(m, area="quantized", id=m["id"].replace("/", "_quantized/", 1)) for m in made]


def main():
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    torch.backends.quantized.engine = "qnnpack"
    folder, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    levels = sys.argv[4:] or ["-O0", "-O1", "-O2"]
    programs, exported = [], 0
    with tempfile.TemporaryDirectory() as sources, torch.no_grad():
        for n in range(count):
            name, rng = "p%d_%d" % (seed, n), random.Random(seed * 1000003 + n)
            torch.manual_seed(seed * 1009 + n)
            torch._dynamo.reset()
            try:
                made = quantized_cases(rng, name, levels) if rng.random() < 0.2 else written_cases(rng, sources, name, levels)
            except Exception as e:  # PyTorch does not export each program
                print("%s: %s: %s" % (name, type(e).__name__, next(iter(str(e).split("\n")), "")[:150]), file=sys.stderr)
                continue
            programs += made
            exported += bool(made)
    write_pack(os.path.join(folder, "cases.tar.xz"), programs)
    print("%d programs of %d that were tried" % (exported, count))


if __name__ == "__main__":
    main()

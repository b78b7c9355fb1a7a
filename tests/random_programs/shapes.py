"""Random calls of operators on inputs of all sizes, layouts and element types, with random arguments: each of a
program's methods makes its inputs, from their sizes and a number, and calls one operator (shapes_calls.py). Kernels
choose among loops by sizes, strides and types; what a call gives must not depend on that.

A result of many elements is shown by sums of them, more of them with other seeds than the recorded one."""
import math
import random

import shapes_calls

ENTRY = "Net"
METHODS = ("forward", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
EXAMPLE = [2]
RECORDED_SEED = 1
DIGITS = 6
IS_EAGER = True

HEAD = '''from typing import List, Optional, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor


def numbers(sizes: List[int], seed: int) -> Tensor:
    count = 1
    for s in sizes:
        count *= s
    return ((torch.arange(count) * 7919 + seed * 802) % 1009 - 504).reshape(sizes)


def plain(sizes: List[int], seed: int) -> Tensor:
    return numbers(sizes, seed).double() / 256


def few(sizes: List[int], seed: int) -> Tensor:
    return (numbers(sizes, seed) % 5 - 2).double()


def positive(sizes: List[int], seed: int) -> Tensor:
    return plain(sizes, seed).abs() + 0.25


def special(sizes: List[int], seed: int) -> Tensor:
    x, f = plain(sizes, seed), numbers(sizes, seed + 1) % 13
    x = x.masked_fill(f == 0, float("nan")).masked_fill(f == 1, float("inf")).masked_fill(f == 2, -float("inf"))
    return x.masked_fill(f == 3, -0.0).masked_fill(f == 4, 0.0)


def whole(sizes: List[int], seed: int) -> Tensor:
    return numbers(sizes, seed) % 19 - 9


def counts(sizes: List[int], seed: int) -> Tensor:
    return numbers(sizes, seed) % 9 + 1


def places(sizes: List[int], seed: int, end: int) -> Tensor:
    return (numbers(sizes, seed) + 504) % end


def truths(sizes: List[int], seed: int) -> Tensor:
    return numbers(sizes, seed) % 3 != 0


def regular(n: int, seed: int) -> Tensor:
    return plain([n, n], seed) / (4.0 + n) + 2.0 * torch.eye(n, dtype=torch.float64)


def show(t: Tensor) -> Tuple[Tensor, List[int], Tensor]:
    if t.is_complex():
        t = torch.view_as_real(t.resolve_conj())
    if t.numel() <= SHOWN:
        return t, list(t.size()), torch.zeros(0)
    x = t.reshape(-1).double()
    x = x.nan_to_num(5000.0, 7000.0, -8000.0)
    i = torch.arange(x.numel())
    sums = torch.zeros(16, dtype=torch.float64).index_add(0, i % 16, x * (1.0 + i * 13 % 29) / 30.0)
    return t.flatten()[:2], list(t.size()), sums


class Net(torch.nn.Module):
'''

SIZES = [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6, 7, 8, 8, 9, 10, 12, 15, 16, 17, 31, 32, 33, 63, 64, 65]
LARGE = [100, 128, 129, 200, 257, 300, 1000, 1025]
FLOATS = ["float32"] * 12 + ["float64"] * 3 + ["bfloat16", "bfloat16", "float16"]
INTEGERS = ["int64", "int64", "int32", "int16", "int8", "uint8"]
COMPLEX = ["complex64", "complex128"]
TOLERANCES = {"float16": 8e-3, "bfloat16": 3e-2}


class Case:
    """A method in the making: its lines, and how far what it gives may be off."""

    def __init__(self, r, largest):
        self.r, self.largest, self.lines, self.made, self.tolerance = r, largest, [], 0, 1e-4

    # ---- Choices ----

    def chance(self, p):
        return self.r.random() < p

    def pick(self, *items):
        return self.r.choice(items)

    def size(self, largest=70):
        some = LARGE if self.chance(0.05) and largest > 99 else [0] if self.chance(0.02) else SIZES
        return min(self.r.choice(some), largest)

    def shape(self, rank, largest=None, empty=True):
        """Sizes whose product is at most `largest`."""
        largest = largest or self.largest
        sizes = [self.size(2000) for _ in range(rank)]
        while math.prod(sizes) > largest:
            i = sizes.index(max(sizes))
            sizes[i] = self.r.choice([1, 2, 3, 4, max(1, sizes[i] // 2)])
        return sizes if empty else [s or 1 for s in sizes]

    def rank(self, least=0):
        return max(least, self.pick(0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5))

    def axis(self, rank):
        rank = max(rank, 1)
        return self.r.randrange(-rank, rank) if not self.chance(0.01) else rank

    def axes(self, rank):
        some = self.r.sample(range(rank), self.r.randrange(1, rank + 1)) if rank else [0]
        return str([a - rank if self.chance(0.3) else a for a in some])

    def floats(self):
        return self.r.choice(FLOATS)

    def dtype(self):
        return self.r.choice(FLOATS * 2 + INTEGERS * 3 + ["bool", "bool"])

    # ---- Inputs ----

    def say(self, line):
        self.lines.append(line)

    def name(self, text):
        self.made += 1
        self.say("x%d = %s" % (self.made, text))
        return "x%d" % self.made

    def tensor(self, shape, dtype="float32", kind=None, distinct=False, layout=None):
        """The name of a new tensor. `distinct`: no two of its elements are the same one."""
        r, shape = self.r, list(shape)
        kind = kind or ("truths" if dtype == "bool" else "counts" if dtype == "uint8" else "whole" if "int" in dtype else
                        "plain" if distinct else self.pick("plain", "plain", "plain", "plain", "few"))
        if dtype in TOLERANCES:
            self.tolerance = max(self.tolerance, TOLERANCES[dtype])
        layout = layout or r.choice(["plain"] * 6 + ["turned"] * 3 + ["last"] * (3 if len(shape) in (4, 5) else 0) + ["stepped", "stepped"] +
                                    ["offset", "part", "column", "flipped"] + ["wide"] * (not distinct))
        seed = r.randrange(500)
        number = "%d + n" % seed if self.chance(0.8) else str(seed)

        def made(sizes):
            text = "%s(%s, %s)" % (kind, sizes, number)
            if dtype in COMPLEX:
                return "torch.complex(%s, plain(%s, %d)).to(torch.%s)" % (text, sizes, seed + 3, dtype)
            return "%s.to(torch.%s)" % (text, dtype)

        rank, a = len(shape), r.randrange(len(shape)) if shape else 0
        at = ":, " * a
        if layout == "turned" and rank > 1:
            order = r.sample(range(rank), rank)
            if self.chance(0.5):
                order = list(range(rank))
                order[a], order[-1 if a < rank - 1 else 0] = order[-1 if a < rank - 1 else 0], order[a]
            sizes = [shape[order.index(i)] for i in range(rank)]
            return self.name("%s.permute(%s)" % (made(sizes), order))
        if layout == "last" and rank in (4, 5):
            return self.name("%s.contiguous(memory_format=torch.channels_last%s)" % (made(shape), "_3d" if rank == 5 else ""))
        if layout == "wide" and rank:
            small = shape[:a] + [1] + shape[a + 1:]
            return self.name("%s.expand(%s)" % (made(small), shape))
        if layout == "stepped" and rank:
            step = self.pick(2, 2, 3)
            larger = shape[:a] + [shape[a] * step] + shape[a + 1:]
            return self.name("%s[%s%s::%d]" % (made(larger), at, self.pick("", "1"), step))
        if layout == "part" and rank:
            larger = shape[:a] + [shape[a] + 3] + shape[a + 1:]
            return self.name("%s.narrow(%d, %d, %d)" % (made(larger), a, r.randrange(4), shape[a]))
        if layout == "offset":
            return self.name("%s[1:].view(%s)" % (made([math.prod(shape) + 1]), shape))
        if layout == "column":
            a = r.randrange(rank + 1)
            return self.name("%s.select(%d, 1)" % (made(shape[:a] + [3] + shape[a:]), a))
        if layout == "flipped" and rank:
            return self.name("%s.flip([%d])" % (made(shape), a))
        return self.name(made(shape))

    def places(self, shape, end):
        """A tensor of places below `end`."""
        text = "places(%s, %d + n, %d)" % (list(shape), self.r.randrange(500), max(end, 1))
        if self.chance(0.2) and len(shape) > 1:
            text = "places(%s, %d + n, %d).transpose(0, -1)" % ([*shape[-1:], *shape[1:-1], *shape[:1]], self.r.randrange(500), max(end, 1))
        return self.name(text)


def program(seed, number):
    r = random.Random("%d %d" % (seed, number))
    is_recorded = seed == RECORDED_SEED
    text, calls = HEAD.replace("SHOWN", "12" if is_recorded else "400"), []
    for method in METHODS:
        c = Case(r, 600 if is_recorded else 2500)
        results = shapes_calls.write(c)
        if method != "forward":
            text += "    @torch.jit.export\n"
        text += "    def %s(self, n: int):\n" % method
        text += "".join("        %s\n" % line for line in c.lines)
        text += "        return %s\n\n" % ", ".join("show(%s)" % t for t in results)
        calls.append({"method": method, "inputs": [r.choice([0, 1, 2])], "may_raise": True, "tolerance": c.tolerance})
    return text[:-1], calls

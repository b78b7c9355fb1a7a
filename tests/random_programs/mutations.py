"""Random programs that change what has several names: views, containers, attributes that share storage, loops, forks,
branches, functions, arguments given twice, methods that share state, every operator of calls.txt."""
import collections
import copy
import os
import random
import re

HERE = os.path.dirname(os.path.abspath(__file__))
ENTRY = "Net"
TENSOR = re.compile(r"\b([bdfiu]\d+)\b(!?)(?!\()")
LARGEST_DEPTH = 2
X = {"tensor": {"dtype": "float32", "shape": [2, 3], "data": [0.0, 1.0, -2.0, 3.0, -4.0, 5.0]}}
Y = {"tensor": {"dtype": "float32", "shape": [2, 3], "data": [1.0, 0.5, 2.0, -1.0, 0.25, -3.0]}}
EXAMPLE = [X, Y]

HEAD = '''from typing import Dict, List, NamedTuple, Optional, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor


class Pair(NamedTuple):
    m: Tensor
    r: Tensor


@torch.jit.script
class Box:
    def __init__(self, m: Tensor, l: List[int]):
        self.m = m
        self.l = l
        self.n = 0

    def bump(self, by: Tensor) -> Tensor:
        self.m.add_(by.clone())
        self.n += 1
        self.l.append(self.n)
        return self.m


def rounded(t: Tensor):
    """Numbers that are not exact become such, in place."""
    t.copy_(torch.round(torch.clamp(torch.nan_to_num(t), -8.0, 8.0) * 8.0) / 8.0)


def shift(m):
    m.sub_(0.5)


def both(a, b):
    a.add_(1.0)
    c = b * 2.0
    a.sub_(3.0)
    return c + b


def choose(a, b, n: int):
    if n > 2:
        return a
    if bool(a.sum() > 0):
        return b
    return a + 1.0


def first_large(ts: List[Tensor], n: int):
    for t in ts:
        if bool(t.sum() > n):
            return t
    return ts[0]


def change_all(t: List[Tensor]):
    for m in t:
        m.mul_(2.0)
    t.append(t[0])


def count(l: List[int]):
    l[0] = l[0] + len(l)
    l.append(l[0])


def count_down(m, n: int):
    while n > 0:
        m.mul_(0.5)
        n -= 1
        if n == 1:
            break
    return m


def swapped(p: Tuple[Tensor, Tensor]) -> Tuple[Tensor, Tensor]:
    p[0].add_(1.0)
    return p[1], p[0]


class Part(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.eye(3), requires_grad=False)
        self.calls = 0

    def forward(self, m):
        self.calls += 1
        return F.linear(m, self.w)

    def train_on(self, m):
        y = F.linear(m, self.w)
        self.w.sub_(0.125)
        return y


class Net(torch.nn.Module):
    counts: List[int]
    kept: List[Tensor]
    table: Dict[str, Tensor]

    def __init__(self):
        super().__init__()
        base = torch.tensor([0.5, -1.0, 1.5, 2.0, -2.5, 3.0])
        self.flat = base
        self.a = base[0:6].reshape(2, 3)
        self.b = torch.ones(2, 3)
        self.big = torch.arange(12.0)
        self.row = torch.tensor([1.0, -1.0, 2.0])
        self.w = torch.nn.Parameter(torch.eye(3), requires_grad=False)
        self.bias = self.w[0]
        self.mean = torch.zeros(3)
        self.var = torch.ones(3)
        self.k = torch.ones(1, 1, 1, 1)
        self.part = Part()
        self.same = self.part
        self.counts = [1, 2]
        self.kept = [self.b, self.a]
        self.table = {"a": self.row, "b": base[3:6]}

    def add_to_a(self, m):
        self.a.add_(m.clone())
        return self.a

    def swap_b(self, m, n):
        old = self.b
        self.b = m
        n.add_(0.5)
        return old

'''


def read_calls():
    with open(os.path.join(HERE, "calls.txt")) as f:
        return [line.rstrip("\n").split(" ", 2) for line in f if not line.startswith("#")]


ALL_CALLS = read_calls()


def sizes_of(kind):
    return [int(c) for c in kind[1:] if c != "0"]


def number_of_elements(kind):
    n = 1
    for s in sizes_of(kind):
        n *= s
    return n


class Writer:
    """Writes the body of one method with the arguments x, y, of kind f23.

    names: kind -> names that carry it. Kinds of tensors are as in calls.txt; others: l List[int], L List[List[int]], E
    Dict[str, List[int]], t List[f23], D Dict[str, f3], T Tuple[f23, f3], P Pair, o Optional[f23], B Box, n int. What a
    block defines is known to that block only. wild: tensors that lie otherwise than new ones, only their elements are
    used."""

    def __init__(self, r, focus):
        self.r, self.focus = r, focus
        self.lines, self.count, self.depth_of_loops = [], 0, 0
        self.names = collections.defaultdict(list)
        self.names.update({"f23": ["x", "y", "self.a", "self.b"], "f3": ["self.row", "self.bias"], "l": ["self.counts"], "t": ["self.kept"],
                           "D": ["self.table"]})
        self.wild = collections.defaultdict(list)

    # ---- Text ----

    def new(self, kind):
        self.count += 1
        return "%s_%d" % (kind, self.count)

    def pick(self, kind):
        return self.r.choice(self.names[kind]) if self.names[kind] else None

    def say(self, depth, *lines):
        self.lines += ["    " * (depth + 2) + line for line in lines]

    def define(self, depth, kind, text, wild=False):
        name = self.new(kind)
        self.say(depth, "%s = %s" % (name, text))
        (self.wild if wild else self.names)[kind].append(name)
        return name

    def chance(self, p):
        return self.r.random() < p

    # ---- Expressions ----

    def matrix(self):
        """An expression of an f23: often an object that has a name already."""
        m, n = self.pick("f23"), self.pick("f23")
        forms = [m, m, "%s.view(2, 3)" % m, "%s.view(3, 2).view(2, 3)" % m, "%s + %s" % (m, n), "%s * 0.5" % m, "F.relu(%s)" % m,
                 "%s.t().t()" % m, "%s.type_as(%s)" % (m, n), "%s.detach()" % m, "%s.clone()" % m, "%s.contiguous()" % m,
                 "F.dropout(%s, 0.5, False)" % m, "%s[:, :]" % m, "%s.expand(2, 3)" % m, "%s.unsqueeze(0).squeeze(0)" % m,
                 "F.linear(%s, self.w)" % m, "F.linear(%s, self.w, self.bias)" % m, "torch.cat([%s[0:1], %s[1:2]])" % (m, n),
                 "%s.sum_to_size([2, 3])" % m, "%s.to(torch.float32)" % m, "torch.stack([%s[0], %s[1]])" % (m, n),
                 "torch.relu(%s) + %s" % (m, n), "self.add_to_a(%s)" % m, "self.swap_b(%s, %s)" % (m, n), "both(%s, %s)" % (m, n),
                 "choose(%s, %s, len(self.counts))" % (m, n), "first_large([%s, %s], 1)" % (m, n), "count_down(%s, 3)" % m, "self.part(%s)" % m,
                 "self.same.train_on(%s)" % m, "self.big[0:6].view(2, 3)", "self.big.view(4, 3)[2:4]", "F.relu(F.linear(%s, self.w)) + %s" % (m, n),
                 "F.conv2d(%s.view(1, 1, 2, 3), self.k).view(2, 3)" % m, "%s.reshape(6).reshape(2, 3)" % m, "swapped((%s, %s))[0]" % (m, n),
                 "torch.jit.wait(torch.jit.fork(both, %s, %s))" % (m, n), "torch.jit.wait(torch.jit.fork(choose, %s, %s, 3))" % (m, n),
                 "F.batch_norm(%s, self.mean, self.var, None, None, False, 0.5, 1.0)" % m, "(%s if len(self.counts) > 3 else %s)" % (m, n),
                 "[%s, %s][-1]" % (m, n), '{"k": %s}["k"]' % m, "(%s, %s)[1]" % (m, n), "%s.flatten().view(2, 3)" % m, "%s.narrow(0, 0, 2)" % m,
                 "torch.add(%s, %s, alpha=2)" % (m, n), "torch.where(%s > 0, %s, %s)" % (m, m, n), "%s.sub(1).mul(0.5).neg()" % m]
        if self.names["t"]:
            forms += ["%s[%d]" % (self.pick("t"), self.r.choice([0, -1]))] * 4
        forms += ["%s[0]" % v for v in self.names["T"]] + ["%s.m" % v for v in self.names["P"] + self.names["B"]]
        return self.r.choice(forms)

    def row(self):
        m = self.pick("f23")
        forms = ["%s[%d]" % (m, self.r.randrange(2)), "%s[-1]" % m, "%s.select(0, 0)" % m, "%s.sum(0)" % m, "self.row", "self.bias",
                 "%s.view(-1)[%s]" % (m, self.r.choice(["0:3", "3:6", ":3"])), "%s.unbind(0)[1]" % m, "self.flat[3:6]", "self.w[1]", "self.big[6:9]",
                 "%s.chunk(2)[0].squeeze(0)" % m, "%s.split(1)[1].view(3)" % m, "torch.jit.wait(torch.jit.fork(count_down, %s[0], 2))" % m]
        forms += ["%s[1]" % v for v in self.names["T"]] + ["%s.r" % v for v in self.names["P"]]
        r = self.pick("f3")
        forms += [r, "%s + 1.0" % r, "torch.relu(%s)" % r, "%s.view(3)" % r]
        d = self.pick("D")
        forms += ['%s["a"]' % d, '%s["b"]' % d, '%s.get("c", %s)' % (d, r)]
        return self.r.choice(forms)

    def fresh(self, kind):
        """A tensor of this kind, new or a view."""
        sizes, n, letter = sizes_of(kind), number_of_elements(kind), kind[0]
        if letter == "f" and n in (1, 2, 3, 6) and self.chance(0.5):
            return "%s.view(-1)[:%d].view(%s)" % (self.pick("f23"), n, sizes or "[]")
        if letter == "b" and n == 6 and self.chance(0.5):
            return "(%s > 0).view(%s)" % (self.pick("f23"), sizes)
        dtype = {"f": "float32", "d": "float64", "i": "int64", "u": "uint8", "b": "bool"}[letter]
        whole = "(torch.arange(%d) %% %d)" % (n, self.r.choice([2, 3]))
        if letter in "fd":
            whole = "(torch.arange(%d) %% 7 - 3) * 0.5" % n
        return "(%s).to(torch.%s).view(%s)" % (whole, dtype, sizes or "[]")

    def tensor(self, kind):
        """What names a tensor of this kind, or makes it."""
        if kind == "f23" and self.chance(0.3):
            return self.matrix()
        if kind == "f3" and self.chance(0.3):
            return self.row()
        names = self.names[kind]
        return self.r.choice(names) if names and self.chance(0.8) else self.fresh(kind)

    # ---- Calls of operators ----

    def call(self, depth, entry):
        """A call of calls.txt. What is read is a copy where it might overlap what is written to."""
        flags, results, text = entry
        writes = "!" in text
        written = []

        def argument(m):
            kind, mark = m.groups()
            if mark:
                name = self.pick(kind) if self.chance(0.8) else None
                if not name or name in written or kind not in ("f23", "f3") and self.depth_of_loops:
                    name = self.define(depth, kind, self.fresh(kind))
                if written:  # several: of memory of their own
                    name = self.define(depth, kind, "torch.zeros_like(%s)" % name)
                written.append(name)
                return name
            if writes and "s" in flags and written and self.chance(0.7):
                return self.pick(kind) or self.fresh(kind)
            if self.wild[kind] and self.chance(0.3):
                return self.r.choice(self.wild[kind]) + (".clone()" if writes else "")
            return "(%s)%s" % (self.tensor(kind), ".clone()" if writes else "")
        text = TENSOR.sub(argument, text)
        wild = "c" not in flags
        kinds = [] if results == "-" else results.split(",")
        if not kinds or results.startswith("[") or self.chance(0.2):
            if results.startswith("["):
                self.define(depth, results[1:-1], text + "[%d]" % self.r.choice([0, -1]), True)
            else:
                self.say(depth, text)
        elif len(kinds) == 1:
            name = self.define(depth, kinds[0], text, wild)
            if "n" in flags and not writes:
                self.say(depth, "%s = torch.round(torch.clamp(torch.nan_to_num(%s), -8.0, 8.0) * 8.0) / 8.0" % (name, name))
        else:
            names = [self.new(k) for k in kinds]
            self.say(depth, "%s = %s" % (", ".join(names), text))
            for k, n in zip(kinds, names):
                (self.wild if wild else self.names)[k].append(n)
        if "n" in flags:
            for name in written:
                self.say(depth, "rounded(%s)" % name)

    # ---- Statements ----

    def change(self, depth):
        """One statement that changes something."""
        m, n, row = self.pick("f23"), self.pick("f23"), self.pick("f3")
        i, k = self.r.randrange(2), self.r.randrange(3)
        forms = ["%s.add_(%d)" % (m, i + 1), "%s.mul_(0.5)" % m, "%s[%d, %d] = %d.0" % (m, i, k, k), "%s[%d] = %s" % (m, i, row),
                 "%s[:, %d] += 1.0" % (m, k), "%s.copy_(%s.clone())" % (m, n), "%s.relu_()" % m, "%s.add_(%s)" % (m, n),
                 "%s.view(-1)[%d:%d].mul_(-1.0)" % (m, k, k + 3), "%s.zero_()" % row, "%s.add_(1.0)" % row, "self.a.add_(1.0)",
                 "self.flat.mul_(0.5)", "self.flat[%d] = 2.0" % k, "self.a = %s" % m, "self.b, self.a = self.a, self.b",
                 "F.relu(%s, inplace=True)" % m, "shift(%s)" % m, "self.counts[%d] += 1" % i, "self.w.mul_(0.5)", "self.bias.add_(0.5)",
                 "torch.add(%s, %s.clone(), out=%s)" % (m, n, n), "%s.masked_fill_(%s > 1, 0.5)" % (m, n), "self.k.add_(1.0)", "self.row = %s" % row,
                 "F.batch_norm(%s, self.mean, self.var, None, None, True, 0.5, 1.0)" % m, "%s += %s" % (m, n), "%s -= 1.0" % m,
                 "%s[%s > 2] = -1.0" % (m, m), "self.big[%d:%d].sub_(1.0)" % (k, k + 6), "%s.data.add_(0.5)" % m if m[0] not in "s" else "shift(%s)" % m,
                 "torch.jit.wait(torch.jit.fork(shift, %s))" % m, "self.part.w.add_(0.25)", "self.part.calls += 2", "swapped((%s, %s))" % (m, n),
                 "%s.index_fill_(0, torch.tensor([%d]), 0.25)" % (m, i), "%s.fill_(%d)" % (row, k), "%s.t().mul_(2.0)" % m, "count_down(%s, 2)" % m]
        t, l, d = self.pick("t"), self.pick("l"), self.pick("D")
        forms += ["%s.append(%s)" % (t, m), "%s[0] = %s" % (t, m), "%s[-1].add_(1.0)" % t, "%s.insert(0, %s)" % (t, m), "%s.reverse()" % t,
                  "change_all(%s)" % t, "%s += [%s, %s]" % (t, m, n), "%s.extend(%s[:1])" % (t, t)]
        forms += ["%s[%d] = %d" % (l, i, k + 4), "%s.append(%d)" % (l, k), "%s[0] += %s[-1]" % (l, l), "%s.reverse()" % l, "%s.insert(0, len(%s))" % (l, l),
                  "count(%s)" % l, "%s.sort()" % l, "%s.extend([%d, %d])" % (l, i, k), "%s[0] = %s.dim() + int(%s.size(1))" % (l, m, n)]
        forms += ['%s["a"] = %s' % (d, row), '%s["b"].add_(1.0)' % d, '%s.update({"a": %s})' % (d, row), '%s.setdefault("c", %s).mul_(2.0)' % (d, row)]
        for b in self.names["B"]:
            forms += ["%s.bump(%s)" % (b, m), "%s.m = %s" % (b, m), "%s.l[0] = %d" % (b, k), "%s.m.sub_(1.0)" % b, "%s.l = %s" % (b, l)]
        for v in self.names["L"]:
            forms += ["%s[0][0] = %d" % (v, k), "%s.append(%s)" % (v, l), "%s[0] = %s[-1]" % (v, v), "%s[-1].append(%d)" % (v, k)]
        for v in self.names["E"]:
            forms += ['%s["a"].append(%d)' % (v, k), '%s["b"] = %s["a"]' % (v, v), '%s["b"][0] += 1' % v]
        for v in self.names["T"]:
            forms += ["%s[0].add_(1.0)" % v, "%s[1].mul_(2.0)" % v]
        for v in self.names["P"]:
            forms += ["%s.m.add_(1.0)" % v, "%s.r.mul_(2.0)" % v]
        self.say(depth, self.r.choice(forms))

    def guarded(self, depth):
        """A change that is not always possible."""
        t, l, d, m = self.pick("t"), self.pick("l"), self.pick("D"), self.pick("f23")
        o = self.pick("o")
        cases = [("if len(%s) > 2:" % l, ["%s.pop()" % l, "del %s[0]" % l, "%s.pop(0)" % l, "%s.remove(%s[1])" % (l, l)]),
                 ("if len(%s) > 1:" % t, ["%s.pop().add_(1.0)" % t, "%s.pop(0).mul_(0.5)" % t, "del %s[0]" % t]),
                 ('if "c" in %s:' % d, ['%s.pop("c").add_(1.0)' % d, 'del %s["c"]' % d, '%s["c"].zero_()' % d])]
        if o:
            cases += [("if %s is not None:" % o, ["%s.add_(1.0)" % o, "%s.copy_(%s.clone())" % (o, m), "self.b = %s" % o])] * 2
        head, bodies = self.r.choice(cases)
        self.say(depth, head)
        self.say(depth + 1, self.r.choice(bodies))

    def reshape_in_place(self, depth):
        """Changes the rank and sizes of a tensor in place, and asks for them before and after."""
        u, v, w = self.new("u"), self.new("v"), self.new("w")
        source = self.r.choice(["F.relu(%s)", "%s.clone()", "F.linear(%s, self.w)", "%s + 1.0"])
        other = self.r.choice(["%s", "F.dropout(%s, 0.5, False)", "[%s][0]", "(%s, 1)[0]", "%s.detach()", "%s.view(2, 3)", "torch.relu(%s)"])
        self.say(depth, "%s = %s" % (u, source % self.pick("f23")), "self.counts[0] += %s.dim()" % u, "%s = %s" % (w, other % u))
        for _ in range(self.r.randrange(1, 4)):
            self.say(depth, self.r.choice(["%s.unsqueeze_(0)", "%s.squeeze_()", "%s.transpose_(0, 1)", "%s.transpose_(0, -1)", "%s.unsqueeze_(-1)",
                                           "%s.add_(1.0)", "%s.swapaxes_(0, 1)"]) % self.r.choice([u, w]),
                     "self.counts[1] += %s.dim() * 10 + int(%s.size(0))" % (u, w))
        self.say(depth, "%s = torch.relu(%s)" % (v, u), "self.counts[0] += %s.dim() + int(%s.size(-1))" % (v, w))
        self.wild["any"] += [u, w]

    def declare(self, depth):
        kind = self.r.choice(["f23"] * 5 + ["f3"] * 4 + ["f0", "l", "t", "D", "T", "P", "o", "B", "L", "E"])
        l, m = self.pick("l"), self.pick("f23")
        if kind == "f23":
            self.define(depth, kind, self.matrix())
        elif kind == "f3":
            self.define(depth, kind, self.row())
        elif kind == "f0":
            self.define(depth, kind, self.r.choice(["%s.sum()" % m, "%s[0, 1]" % m, "%s.view(-1)[5]" % m]))
        elif kind == "l":
            self.define(depth, kind, self.r.choice(["[1, 2]", "[%d, 3, 4]" % self.r.randrange(9), l, "%s[:]" % l, "[i for i in range(3)]", "%s + [5]" % l,
                                                    "list(range(2, 5))", "[i + 1 for i in %s]" % l, "%s.copy()" % l, "[%s[0], %s[1]]" % (l, l), "[0, 0] * 2"]))
        elif kind == "t":
            self.define(depth, kind, self.r.choice(["[%s, %s]" % (self.matrix(), m), "[t for t in %s]" % self.pick("t"), "%s[:]" % self.pick("t"),
                                                    "[%s for i in range(2)]" % m, "[%s] + %s" % (m, self.pick("t")), "[%s + i for i in range(2)]" % m]))
        elif kind == "D":
            self.define(depth, kind, self.r.choice(['{"a": %s, "b": %s}' % (self.row(), self.pick("f3")), "%s.copy()" % self.pick("D")]))
        elif kind == "o":
            name = self.define(depth, kind, "torch.jit.annotate(Optional[Tensor], None)")
            if self.chance(0.8):
                self.say(depth, "if len(%s) > %d:" % (l, self.r.randrange(4)), "    %s = %s" % (name, m))
        elif kind == "B":
            self.define(depth, kind, "Box(%s, %s)" % (m, l))
        elif kind == "L":
            self.define(depth, kind, self.r.choice(["[%s, %s]" % (l, self.pick("l")), "[[0], [1, 2]]", "[%s[:], [3]]" % l]))
        elif kind == "E":
            self.define(depth, kind, '{"a": %s, "b": [1]}' % l)
        else:
            made = "(%s, %s)" % (self.matrix(), self.row())
            self.define(depth, kind, made if kind == "T" else "Pair" + made)

    def inner(self, depth, more=()):
        names, wild = copy.deepcopy(self.names), copy.deepcopy(self.wild)
        for kind, name in more:
            self.names[kind].append(name)
        self.block(depth + 1, self.r.randrange(1, 4))
        self.names, self.wild = names, wild

    def compound(self, depth):
        kind = self.r.randrange(9)
        m, l, t = self.pick("f23"), self.pick("l"), self.pick("t")
        is_loop = kind in (0, 3, 4, 5, 6)
        more = []
        if kind == 0:
            self.say(depth, "for i%d in range(%d):" % (depth, self.r.randrange(1, 4)))
        elif kind == 1:
            self.say(depth, "if bool(%s.sum() > %d):" % (m, self.r.randrange(4)))
        elif kind == 2:
            self.say(depth, "if len(%s) > %d:" % (l, self.r.randrange(1, 4)))
        elif kind == 3:
            name = self.new("f23")
            self.say(depth, "for %s in %s[:2]:" % (name, t), "    %s.add_(1.0)" % name)
            more = [("f23", name)]
        elif kind == 4:
            self.say(depth, "for i%d in range(int(%s.numel()) // 3):" % (depth, m))
        elif kind == 5:
            name = self.new("n")
            self.say(depth, "%s = 0" % name, "while %s < %d and bool(%s.sum() < 100):" % (name, self.r.randrange(1, 4), m), "    %s += 1" % name)
            if self.chance(0.4):
                self.say(depth + 1, "if len(%s) > %d:" % (l, self.r.randrange(3, 6)), "    " + self.r.choice(["break", "continue"]))
        elif kind == 6:
            name = self.new("f3")
            self.say(depth, "for %s in %s:" % (name, self.r.choice([m, "%s.unbind(0)" % m])))
            more = [("f3", name)]
        elif kind == 7:
            self.say(depth, "with torch.no_grad():")
        else:
            self.say(depth, "if %s:" % self.r.choice(["self.training", "%s.dim() == 2" % m, "self.part.calls > 1", '"c" in %s' % self.pick("D"), "torch.is_grad_enabled()"]))
        self.depth_of_loops += is_loop
        self.inner(depth, more)
        self.depth_of_loops -= is_loop
        if kind in (1, 2, 8) and self.chance(0.5):
            self.say(depth, "else:")
            self.inner(depth)

    def rebind(self, depth):
        """Binds a name to another value, which loops and branches then have to carry."""
        kind = self.r.choice(["f23", "f23", "f3", "l", "o", "t"])
        names = [n for n in self.names[kind] if not n.startswith("self")]
        if names:
            other = {"f23": self.matrix, "f3": self.row, "l": lambda: self.r.choice([self.pick("l"), "[3, 1]"]), "o": lambda: self.pick("f23"),
                     "t": lambda: self.r.choice([self.pick("t"), "[%s]" % self.pick("f23")])}[kind]()
            self.say(depth, "%s = %s" % (self.r.choice(names), other))
        else:
            self.change(depth)

    def early(self, depth):
        if depth != 0:
            return self.change(depth)
        self.say(depth, "if len(self.counts) > %d:" % self.r.randrange(4, 8), "    " + self.r.choice([self.result(), 'raise RuntimeError("too many")']))

    def block(self, depth, statements):
        for _ in range(statements):
            k = self.r.random()
            if k < 0.27:
                self.change(depth)
            elif k < 0.32:
                self.guarded(depth)
            elif k < 0.60:
                self.declare(depth)
            elif k < 0.78:
                self.call(depth, self.r.choice(ALL_CALLS) if self.chance(0.7) else self.focus)
            elif k < 0.85:
                self.rebind(depth)
            elif k < 0.87:
                self.reshape_in_place(depth)
            elif k < 0.88:
                self.early(depth)
            elif depth < LARGEST_DEPTH:
                self.compound(depth)
            else:
                self.change(depth)

    # ---- The whole ----

    def result(self):
        """(f23, f3, all tensors, all lists)."""
        kinds = sorted(k for k in self.names if k[0] in "bdfiu")
        tensors = ["%s.clone()" % n for k in kinds for n in self.names[k]] + ["%s.clone()" % n for k in self.wild for n in self.wild[k]]
        lists = ["%s[:]" % n for n in self.names["l"]] + ["%s.l[:]" % n for n in self.names["B"]]
        tensors += ["torch.stack(%s).sum(0)" % n for n in self.names["t"]]
        for name in self.names["D"]:
            tensors += ['%s["a"].clone()' % name, '%s["b"].clone()' % name]
        tensors += ["%s[1].clone()" % n for n in self.names["T"]] + ["%s.m.clone()" % n for n in self.names["P"] + self.names["B"]]
        lists += ["%s[0][:]" % n for n in self.names["L"]] + ['%s["b"][:]' % n for n in self.names["E"]]
        lists += ["[self.part.calls]"]
        chosen = tensors if len(tensors) < 9 else sorted(self.r.sample(tensors, 8))
        return "return %s, %s, [%s], [%s]" % (self.pick("f23"), self.pick("f3"), ", ".join(chosen), ", ".join(lists))

    def method(self, name):
        self.block(0, self.r.randrange(3, 9))
        self.call(0, self.focus)
        self.block(0, self.r.randrange(1, 3))
        self.say(0, self.result())
        export = "    @torch.jit.export\n" if name != "forward" else ""
        return "%s    def %s(self, x, y) -> Tuple[Tensor, Tensor, List[Tensor], List[List[int]]]:\n%s\n" % (export, name, "\n".join(self.lines))


def calls(r, methods):
    """Four calls: arguments that are one tensor, and what earlier calls gave."""
    made = []
    for i in range(4):
        def argument(k):
            if k == 1 and r.random() < 0.25:
                return {"argument": 0}
            if made and r.random() < 0.4:
                return {"result": [r.randrange(len(made)), 0]}
            return r.choice([X, Y])
        made.append({"method": r.choice(methods), "inputs": [argument(0), argument(1)], "keep": True})
    return made


def program(seed, number):
    """The text and the calls."""
    r = random.Random("%d.%d" % (seed, number))
    focus = ALL_CALLS[number % len(ALL_CALLS)]
    methods = ["forward"] + ["other"] * r.randrange(2)
    text = HEAD + "\n".join(Writer(r, focus).method(m) for m in methods)
    return text, calls(r, methods)

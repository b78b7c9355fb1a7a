"""Random programs that ask for gradients: views, writes in place, branches that give one of several tensors, loops,
lists, dicts, tuples, objects, functions with early returns.

What is written to is read by operators that keep none of their arguments (or by its clone), so that PyTorch seldom
raises for an overwritten value. Where it raises, nothing is compared."""
import random

ENTRY = "Net"
LARGEST_DEPTH = 2
X = {"tensor": {"dtype": "float32", "shape": [2, 3], "data": [0.5, 1.0, -0.75, 0.25, -1.5, 0.8]}}
Y = {"tensor": {"dtype": "float32", "shape": [2, 3], "data": [1.0, 0.5, -0.5, -1.0, 0.25, 0.9]}}
EXAMPLE = [X, Y, 2]
SKIPS_RAISING = MAY_BE_REFUSED = True

HEAD = '''from typing import Dict, List, Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class Box:
    def __init__(self, m: Tensor):
        self.m = m
        self.n = 0

    def bump(self, by: Tensor) -> Tensor:
        self.m = self.m * 0.5 + by
        self.n += 1
        return self.m

    def change(self, by: Tensor):
        self.m.add_(by, alpha=0.5)


def filled(g: Optional[Tensor], like: Tensor) -> Tensor:
    return torch.zeros_like(like) if g is None else g


def mix(a: Tensor, b: Tensor) -> Tensor:
    a.mul_(0.5)
    c = a + b
    a[0] += b[1]
    return c


def choose(a: Tensor, b: Tensor, n: int) -> Tensor:
    if n > 2:
        return a
    if bool(a.sum() > b.sum()):
        return b
    return a * 0.5


def row_of(a: Tensor, n: int) -> Tensor:
    for i in range(2):
        if i == n:
            return a[i]
    return a.sum(0)


def first_large(ts: List[Tensor], bound: float) -> Tensor:
    for t in ts:
        if float(t.sum()) > bound:
            return t
    return ts[0] * 0.5


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.tensor([[0.5, -0.25, 0.75], [-0.5, 0.125, 0.3]]))
        self.v = nn.Parameter(torch.tensor([0.25, -0.5, 0.6]))

    def gate(self, a: Tensor, n: int) -> Tensor:
        if n % 2 == 0:
            return torch.sigmoid(a.clone()) * self.w
        return a * 0.5 + self.v

'''


class Writer:
    def __init__(self, r):
        self.r, self.lines, self.made = r, [], 0
        self.names = {"h": ["h0", "h1"], "r": ["r0"], "l": [], "d": [], "p": [], "B": []}

    def say(self, depth, text):
        self.lines.append("        " + "    " * depth + text)

    def new(self, kind):
        self.made += 1
        return "%s%d" % (kind, self.made + 1)

    def h(self):
        return self.r.choice(self.names["h"])

    def row(self):
        return self.r.choice(self.names["r"] + ["%s[%d]" % (self.h(), self.r.randrange(2)), "self.v"])

    def condition(self):
        r = self.r
        return r.choice(["n > %d" % r.randrange(4), "bool(%s.sum() > %.1f)" % (self.h(), r.uniform(-1, 1)), "float(%s[0]) > 0.0" % self.row(),
                         "n %% 2 == %d" % r.randrange(2)])

    def value(self):
        """A new tensor of two rows."""
        r, a, b = self.r, self.h(), self.h()
        return r.choice([
            "%s + %s" % (a, b), "%s * 0.5" % a, "%s - %s * 0.5" % (a, b), "torch.tanh(%s.clone()) * 1.0" % a, "%s.clone() * %s.clone()" % (a, b),
            "torch.sin(%s.clone() * self.w)" % a, "%s + self.w" % a, "%s * 0.5 + %s" % (a, self.row()), "torch.softmax(%s.clone(), 1) * 1.0" % a,
            "torch.where(%s > 0, %s, %s * 0.25)" % (a, b, a), "%s.clone().exp().clamp(max=2.0)" % a, "%s.flip(0)" % a, "%s.roll(1, 1)" % a,
            "torch.stack([%s, %s])" % (self.row(), self.row()), "torch.cat([%s[:1], %s[1:]])" % (a, b), "self.gate(%s, n)" % a,
            "F.normalize(%s.clone() + 2.0, dim=1)" % a, "%s.clone()" % a, "(%s @ self.w.t()) @ %s.clone() * 0.5" % (a + ".clone()", b),
            "%s.cumsum(1) * 0.5" % a, "F.layer_norm(%s.clone(), [3])" % a, "%s.index_select(0, torch.tensor([1, 0]))" % a])

    def view(self):
        r, a, b = self.r, self.h(), self.h()
        return r.choice(["%s[:]" % a, "%s.view(2, 3)" % a, "%s.reshape(2, 3)" % a, "%s.t().t()" % a, "%s.unsqueeze(0)[0]" % a,
                         "%s if %s else %s" % (a, self.condition(), b), "%s if %s else %s * 0.5" % (a, self.condition(), b),
                         "choose(%s, %s, n)" % (a, b), "mix(%s, %s)" % (a, b), "%s.flatten().view(2, 3)" % a, "%s.contiguous()" % a])

    def item(self):
        """A tensor of two rows that a container has."""
        some = ["%s[%s]" % (n, self.r.choice(["0", "-1", "n %% len(%s)" % n])) for n in self.names["l"]]
        some += ['%s["%s"]' % (n, self.r.choice("ab")) for n in self.names["d"]] + ["%s[%d]" % (n, self.r.randrange(2)) for n in self.names["p"]]
        some += ["%s.m" % n for n in self.names["B"]] + ["first_large(%s, 0.5)" % n for n in self.names["l"]]
        return self.r.choice(some) if some else self.h()

    def write(self, depth, target, is_plain):
        r, b, k = self.r, self.h(), self.r.randrange(3)
        forms = ["%s.mul_(0.5)", "%s.add_(" + b + ", alpha=0.5)", "%s.copy_(" + b + ")", "%s[0] = " + self.row(), "%s[1].add_(" + self.row() + ")",
                 "%s[:, " + str(k) + "] += 0.5", "%s[:, 1:].mul_(0.5)", "%s.masked_fill_(" + b + " > 0.5, 0.25)", "%s[" + b + " > 1.0] = 0.5",
                 "%s.t()[0].sub_(0.25)", "%s[n % 2] *= 0.5", "%s.clamp_(-2.0, 2.0)", "%s.view(-1)[1:3].zero_()", "%s[1].neg_()"]
        if is_plain:
            forms += ["%s += " + b, "%s *= 0.5", "%s -= " + self.row()]
        form = r.choice(forms)
        self.say(depth, form.replace("%s", target, 1))

    def assign(self, depth, kind, text):
        old = self.names[kind]
        if old and self.r.random() < (0.5 if depth else 0.25):
            self.say(depth, "%s = %s" % (self.r.choice(old), text))
            return
        name = self.new(kind)
        self.say(depth, "%s = %s" % (name, text))
        self.names[kind].append(name)

    def container(self, depth):
        r, kind = self.r, self.r.choice("lldpB")
        if kind == "l":
            self.assign(depth, "l", "[%s]" % ", ".join(r.choice([self.h(), self.value()]) for _ in range(r.randrange(1, 4))))
        elif kind == "d":
            self.assign(depth, "d", '{"a": %s, "b": %s}' % (r.choice([self.h(), self.value()]), self.value()))
        elif kind == "p":
            self.assign(depth, "p", "(%s, %s)" % (self.h(), self.value()))
        else:
            self.assign(depth, "B", "Box(%s)" % self.value())

    def change_container(self, depth):
        r, some = self.r, []
        for n in self.names["l"]:
            some += ["%s.append(%s)" % (n, r.choice([self.h(), self.value()])), "%s[%s] = %s" % (n, r.choice(["0", "-1"]), self.value()),
                     "%s += [%s]" % (n, self.value()), "%s.insert(0, %s)" % (n, self.h())]
        some += ['%s["%s"] = %s' % (n, r.choice("ab"), r.choice([self.h(), self.value()])) for n in self.names["d"]]
        some += ["%s.bump(%s)" % (n, self.row()) for n in self.names["B"]] + ["%s.change(%s)" % (n, self.h()) for n in self.names["B"]]
        if some:
            self.say(depth, r.choice(some))
        else:
            self.container(depth)

    def inner(self, depth):
        before = {k: list(v) for k, v in self.names.items()}
        self.block(depth, self.r.randrange(1, 4))
        self.names = before

    def control(self, depth):
        r = self.r
        kind = r.choice(["if", "if", "for", "for", "while", "each"])
        if kind == "each" and self.names["l"]:
            name = self.new("h")
            self.say(depth, "for %s in %s[:3]:" % (name, r.choice(self.names["l"])))
            before = {k: list(v) for k, v in self.names.items()}
            self.names["h"].append(name)
            self.block(depth + 1, r.randrange(1, 3))
            self.names = before
        elif kind == "for":
            self.say(depth, "for i%d in range(%s):" % (depth, r.choice(["2", "3", "n", "n + 1"])))
            self.inner(depth + 1)
        elif kind == "while":
            self.made += 1
            self.say(depth, "k%d = n" % self.made)
            self.say(depth, "while k%d > 0:" % self.made)
            self.say(depth + 1, "k%d -= 1" % self.made)
            self.inner(depth + 1)
        else:
            self.say(depth, "if %s:" % self.condition())
            self.inner(depth + 1)
            if r.random() < 0.6:
                self.say(depth, "else:")
                self.inner(depth + 1)

    def statement(self, depth):
        kind = self.r.choices(["value", "view", "row", "write", "item", "write_item", "container", "change", "control", "plain"],
                              [4, 4, 2, 5, 2, 3, 2, 3, 4 if depth < LARGEST_DEPTH else 0, 1])[0]
        if kind == "value":
            self.assign(depth, "h", self.value())
        elif kind == "view":
            self.assign(depth, "h", self.view())
        elif kind == "row":
            self.assign(depth, "r", self.r.choice(["%s[%d]" % (self.h(), self.r.randrange(2)), "%s.sum(0)" % self.h(), "row_of(%s, n)" % self.h(),
                                                   "%s * 0.5" % self.row(), "%s[0] * self.v" % (self.h() + ".clone()")]))
        elif kind == "write":
            self.write(depth, self.h(), True)
        elif kind == "item":
            self.assign(depth, "h", self.item())
        elif kind == "write_item":
            item = self.item()
            self.write(depth, item, False)
        elif kind == "container":
            self.container(depth)
        elif kind == "change":
            self.change_container(depth)
        elif kind == "control":
            self.control(depth)
        else:
            self.say(depth, "with torch.no_grad():")
            self.say(depth + 1, "s = float(%s.sum())" % self.h())
            self.say(depth, "%s = %s + 0.125 * s" % ((self.h(),) * 2))

    def block(self, depth, count):
        for _ in range(count):
            self.statement(depth)

    def loss(self):
        r = self.r
        parts = ["%s.clone().sin().sum()" % n for n in self.names["h"]] + ["(%s * self.v).sum()" % (n + ".clone()") for n in self.names["r"]]
        parts += ["torch.stack(%s).sum(0).clone().tanh().sum()" % n for n in self.names["l"]]
        parts += ['%s["a"].sum()' % n for n in self.names["d"]] + ["%s.m.sum()" % n for n in self.names["B"]]
        chosen = parts if len(parts) < 7 else r.sample(parts, 6)
        return " + ".join(chosen + ["(self.w * self.w).sum() * 0.1", "self.v.sum() * 0.1", "x.sum() * 0.1"])

    def request(self):
        r = self.r
        kind = r.choice(["grad", "grad", "backward", "twice"])
        if kind == "grad":
            self.say(0, "gs = torch.autograd.grad([loss], [x, self.w, self.v])")
            self.say(0, "return float(loss), filled(gs[0], x), filled(gs[1], self.w), filled(gs[2], self.v)")
        elif kind == "backward":
            self.say(0, "loss.backward()")
            self.say(0, "g, k = self.w.grad, self.v.grad")
            self.say(0, "assert g is not None and k is not None")
            self.say(0, "made = (float(loss), x.detach().clone(), g.clone(), k.clone())")
            if r.random() < 0.5:
                self.say(0, "g.zero_()")
            self.say(0, "return made")
        else:
            self.say(0, "gs = torch.autograd.grad([loss], [self.w, self.v], create_graph=True)")
            self.say(0, "more = filled(gs[0], self.w).pow(2).sum() + filled(gs[1], self.v).pow(2).sum() + loss")
            self.say(0, "ks = torch.autograd.grad([more], [x, self.w, self.v])")
            self.say(0, "return float(loss), filled(ks[0], x), filled(ks[1], self.w), filled(ks[2], self.v)")

    def method(self):
        self.say(0, "x.requires_grad_()")
        self.say(0, "h0, h1, r0 = x * 1.0, y + self.w, x[0] * self.v")
        self.block(0, self.r.randrange(4, 12))
        self.say(0, "loss = " + self.loss())
        self.request()
        return "    def forward(self, x: Tensor, y: Tensor, n: int) -> Tuple[float, Tensor, Tensor, Tensor]:\n%s\n" % "\n".join(self.lines)


def program(seed, number):
    """The text and the calls."""
    r = random.Random("%d.%d" % (seed, number))
    return HEAD + Writer(r).method(), [[X, Y, 2], [Y, X, 1], [X, X, 3]]

#!/usr/bin/env python3
"""Random programs that change what has several names, against themselves: at each level of optimization, with an
example and without, they must answer the same, or raise the same.

  stress.py TSMC_SERVER TSMRUN_SERVER [--count N] [--seed S] [--keep FOLDER]
  stress.py --record [--count N] [--seed S]      writes what PyTorch answers into stress.json

The programs of the recorded seed are also compared with PyTorch's answers. Programs that differ are kept in FOLDER."""
import argparse
import json
import os
import random
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
RECORDED = os.path.join(HERE, "stress.json")
SETTINGS = [["-O0"], ["-O1"], ["-O2"], ["-O0", "--example"], ["-O1", "--example"], ["-O2", "--example"]]
HEADER = "from typing import Dict, List, Tuple\n\nimport torch\nimport torch.nn.functional as F\n\n\n"
INPUT = {"tensor": {"dtype": "float32", "shape": [2, 3], "data": [0.0, 1.0, -2.0, 3.0, -4.0, 5.0]}}
SECOND = {"tensor": {"dtype": "float32", "shape": [2, 3], "data": [1.0, 0.5, 2.0, -1.0, 0.25, -3.0]}}
LARGEST_DEPTH = 2


class Writer:
    """Writes the body of one forward(self, x, y). The first letter of a name tells what it is: m a tensor [2, 3], r one
    of [3], n one without dimensions, l a list of ints, t a list of m, d a dict of r. What a block defines is known to
    that block only."""

    def __init__(self, r):
        self.r = r
        self.lines = []
        self.count = 0
        self.names = {"m": ["x", "y", "self.a", "self.b"], "r": ["self.row"], "n": [], "l": ["self.counts"],
                      "t": [], "d": [], "i": []}

    def new(self, kind):
        self.count += 1
        return "%s%d" % (kind, self.count)

    def pick(self, kind):
        return self.r.choice(self.names[kind]) if self.names[kind] else None

    def say(self, depth, text):
        self.lines.append("    " * (depth + 2) + text)

    def define(self, depth, kind, text):
        name = self.new(kind)
        self.say(depth, "%s = %s" % (name, text))
        self.names[kind].append(name)

    def matrix(self):
        """An expression of a matrix: often an object that has a name already."""
        m, n = self.pick("m"), self.pick("m")
        forms = [m, m, "%s.view(2, 3)" % m, "%s.view(3, 2).view(2, 3)" % m, "%s + %s" % (m, n), "%s * 0.5" % m, "F.relu(%s)" % m,
                 "%s.t().t()" % m, "%s.type_as(%s)" % (m, n), "%s.detach()" % m, "%s.clone()" % m, "%s.contiguous()" % m,
                 "F.dropout(%s, 0.5, False)" % m, "%s[:, :]" % m, "%s.expand(2, 3)" % m, "%s.unsqueeze(0).squeeze(0)" % m,
                 "F.linear(%s, self.w)" % m, "torch.cat([%s[0:1], %s[1:2]])" % (m, n), "%s.sum_to_size([2, 3])" % m,
                 "%s.to(torch.float32)" % m, "torch.stack([%s[0], %s[1]])" % (m, n), "torch.sigmoid(%s)" % m,
                 "self.step(%s)" % m, "self.keep(%s, %s)" % (m, n), "both(%s, %s)" % (m, n)]
        if self.names["t"]:
            forms += ["%s[%d]" % (self.pick("t"), self.r.choice([0, -1]))] * 4
        return self.r.choice(forms)

    def row(self):
        m = self.pick("m")
        forms = ["%s[%d]" % (m, self.r.randrange(2)), "%s[-1]" % m, "%s.select(0, 0)" % m, "%s.sum(0)" % m, "self.row",
                 "%s.view(-1)[%d:%d]" % ((m,) + self.r.choice([(0, 3), (2, 5), (3, 6)])), "%s.flatten()[::2]" % m,
                 "%s.unbind(0)[1]" % m, "%s.t()[:, 0]" % m]
        if self.names["r"]:
            forms += [self.pick("r"), "%s + 1.0" % self.pick("r"), "torch.relu(%s)" % self.pick("r")]
        if self.names["d"]:
            forms += ['%s["a"]' % self.pick("d")] * 3
        return self.r.choice(forms)

    def change(self, depth):
        """One statement that changes something."""
        m, row = self.pick("m"), self.pick("r")
        i, k = self.r.randrange(2), self.r.randrange(3)
        forms = ["%s.add_(%d)" % (m, i + 1), "%s.mul_(0.5)" % m, "%s[%d, %d] = %d.0" % (m, i, k, k), "%s[%d] = %s" % (m, i, row),
                 "%s[:, %d] += 1.0" % (m, k), "%s.copy_(%s.clone())" % (m, self.pick("m")), "%s.relu_()" % m,
                 "%s.add_(%s)" % (m, self.pick("m")), "%s.view(-1)[%d:%d].mul_(-1.0)" % (m, k, k + 3), "%s.zero_()" % row,
                 "%s.add_(1.0)" % row, "self.a.add_(1.0)", "self.flat.mul_(0.5)", "self.flat[%d] = 2.0" % k,
                 "self.a = %s" % m, "self.b, self.a = self.a, self.b", "F.relu(%s, inplace=True)" % m, "shift(%s)" % m,
                 "self.counts[%d] += 1" % i, "self.w.mul_(0.5)"]
        if self.names["t"]:
            t = self.pick("t")
            forms += ["%s.append(%s)" % (t, m), "%s[0] = %s" % (t, m), "%s[-1].add_(1.0)" % t, "%s.insert(0, %s)" % (t, m),
                      "%s.reverse()" % t, "change_all(%s)" % t]
        if self.names["l"]:
            n = self.pick("l")
            forms += ["%s[%d] = %d" % (n, i, k + 4), "%s.append(%d)" % (n, k), "%s[0] += %s[-1]" % (n, n), "%s.reverse()" % n,
                      "%s.insert(0, len(%s))" % (n, n), "count(%s)" % n]
        if self.names["d"]:
            forms += ['%s["a"] = %s' % (self.pick("d"), row), '%s["b"].add_(1.0)' % self.pick("d")]
        self.say(depth, self.r.choice(forms))

    def declare(self, depth):
        kind = self.r.choice("mmmmrrrnltd")
        if kind == "m":
            self.define(depth, kind, self.matrix())
        elif kind == "r":
            self.define(depth, kind, self.row())
        elif kind == "n":
            self.define(depth, kind, "%s.sum()" % self.r.choice([self.pick("m"), self.pick("r")]))
        elif kind == "l":
            self.define(depth, kind, self.r.choice(["[1, 2]", "[%d, 3, 4]" % self.r.randrange(9), self.pick("l"),
                                                    "%s[:]" % self.pick("l"), "[i for i in range(3)]"]))
        elif kind == "t":
            self.define(depth, kind, "[%s, %s]" % (self.matrix(), self.pick("m")))
        else:
            self.define(depth, kind, '{"a": %s, "b": %s}' % (self.row(), self.pick("r")))

    def inner(self, depth):
        known = {k: list(v) for k, v in self.names.items()}
        self.block(depth + 1, self.r.randrange(1, 4))
        self.names = known

    def compound(self, depth):
        kind = self.r.randrange(5)
        if kind == 0:
            self.say(depth, "for i%d in range(%d):" % (depth, self.r.randrange(1, 4)))
        elif kind == 1:
            self.say(depth, "if bool(%s.sum() > %d):" % (self.pick("m"), self.r.randrange(4)))
        elif kind == 2:
            self.say(depth, "if len(%s) > 2:" % self.pick("l"))
        elif kind == 3 and self.names["t"]:
            name = self.new("m")
            self.say(depth, "for %s in %s[:2]:" % (name, self.pick("t")))
            self.say(depth + 1, "%s.add_(1.0)" % name)
        else:
            self.say(depth, "for i%d in range(int(%s.numel()) // 3):" % (depth, self.pick("m")))
        self.inner(depth)
        if kind in (1, 2) and self.r.random() < 0.5:
            self.say(depth, "else:")
            self.inner(depth)

    def rebind(self, depth):
        """A name that carries something else through loops and branches."""
        names = [n for n in self.names["m"] if not n.startswith("self")]
        self.say(depth, "%s = %s" % (self.r.choice(names), self.matrix()))

    def block(self, depth, statements):
        for _ in range(statements):
            k = self.r.random()
            if k < 0.35:
                self.change(depth)
            elif k < 0.75:
                self.declare(depth)
            elif k < 0.85:
                self.rebind(depth)
            elif depth < LARGEST_DEPTH:
                self.compound(depth)
            else:
                self.change(depth)

    def program(self):
        self.block(0, self.r.randrange(5, 14))
        tensors = ["%s.clone()" % n for k in "mrn" for n in self.names[k]]
        lists = ["%s[:]" % n for n in self.names["l"]]
        for name in self.names["t"]:
            tensors.append("torch.stack(%s).sum(0)" % name)
        for name in self.names["d"]:
            tensors += ['%s["a"].clone()' % name, '%s["b"].clone()' % name]
        self.say(0, "return [%s], [%s]" % (", ".join(tensors), ", ".join(lists)))
        return SKELETON % "\n".join(self.lines)


SKELETON = HEADER + '''def shift(m):
    m.sub_(0.5)


def both(a, b):
    a.add_(1.0)
    c = b * 2.0
    a.sub_(3.0)
    return c + b


def change_all(t: List[torch.Tensor]):
    for m in t:
        m.mul_(2.0)
    t.append(t[0])


def count(l: List[int]):
    l[0] = l[0] + len(l)
    l.append(l[0])


class Net(torch.nn.Module):
    counts: List[int]

    def __init__(self):
        super().__init__()
        base = torch.tensor([0.5, -1.0, 1.5, 2.0, -2.5, 3.0])
        self.flat = base
        self.a = base[0:6].reshape(2, 3)
        self.b = torch.ones(2, 3)
        self.row = torch.tensor([1.0, -1.0, 2.0])
        self.w = torch.nn.Parameter(torch.eye(3), requires_grad=False)
        self.counts = [1, 2]

    def step(self, m):
        self.a.add_(m)
        return self.a

    def keep(self, m, n):
        old = self.b
        self.b = m
        n.add_(0.5)
        return old

    def forward(self, x, y) -> Tuple[List[torch.Tensor], List[List[int]]]:
%s
'''


def program(seed, number):
    return Writer(random.Random("%d.%d" % (seed, number))).program()


# Two calls on one instance.
CALLS = [[INPUT, SECOND], [SECOND, INPUT]]


# ---- Against each other ----


class Machine:
    def __init__(self, tsmc, tsmrun, folder):
        self.tsmc, self.tsmrun, self.runs = tsmc, tsmrun, 0
        self.source, self.tsm, self.calls, self.outputs, self.example = (
            os.path.join(folder, n) for n in ("p.py", "p.tsm", "calls.json", "out.json", "example.json"))
        for path, value in ((self.calls, CALLS), (self.example, CALLS[0])):
            with open(path, "w") as f:
                json.dump(value, f)

    def answer(self, setting):
        """What the program in self.source answers: a list of results, or the last line of what it says."""
        options = [o for s in setting for o in ([s, self.example] if s == "--example" else [s])]
        p = self.tsmc.run([self.source + ":Net", "-o", self.tsm] + options)
        if p.returncode:
            return "does not compile (%d): %s" % (p.returncode, p.stderr)
        self.runs += 1
        p = self.tsmrun.run([self.tsm, "--sequence", self.calls, "--outputs", self.outputs, "--arena", "4M"])
        if p.returncode:
            return "exit %d: %s" % (p.returncode, (p.stderr.strip().splitlines() or [""])[-1])
        with open(self.outputs) as f:
            return json.load(f)

    def difference(self, text, recorded):
        from answers import differs
        with open(self.source, "w") as f:
            f.write(text)
        first = self.answer(SETTINGS[0])
        if isinstance(first, str) and first.startswith("does not compile"):
            return first
        if isinstance(recorded, list):
            wrong = first if isinstance(first, str) else differs(first, recorded, "result", 1e-4)
            if wrong:
                return "-O0 and PyTorch: %s" % wrong
        elif recorded is not None and not (isinstance(first, str) and first.startswith("exit 1") and recorded in first):
            return "-O0 and PyTorch, which raises %s: %s" % (recorded, str(first)[:200])
        for setting in SETTINGS[1:]:
            other = self.answer(setting)
            same = first == other if isinstance(first, str) or isinstance(other, str) else not differs(other, first, "result", 1e-4)
            if not same:
                return "%s: %s, not %s" % (" ".join(setting), str(other)[:300], str(first)[:300])
        return None


def compare(arguments):
    from fork_server import ForkServer
    with open(RECORDED) as f:
        recorded = json.load(f)
    failures = 0
    with tempfile.TemporaryDirectory() as folder, ForkServer(arguments.tsmc) as tsmc, ForkServer(arguments.tsmrun) as tsmrun:
        machine = Machine(tsmc, tsmrun, folder)
        for number in range(arguments.count):
            text = program(arguments.seed, number)
            answers = recorded["answers"]
            known = answers[number] if arguments.seed == recorded["seed"] and number < len(answers) else None
            difference = machine.difference(text, known)
            if difference:
                failures += 1
                print("program %d of seed %d: %s" % (number, arguments.seed, difference))
                if arguments.keep:
                    os.makedirs(arguments.keep, exist_ok=True)
                    with open(os.path.join(arguments.keep, "p%d_%d.py" % (arguments.seed, number)), "w") as f:
                        f.write(text)
        print("%d programs, %d runs, %d differences" % (arguments.count, machine.runs, failures))
    return failures > 0


# ---- PyTorch's answers ----


def pytorch_answer(text, folder, number):
    import copy
    import types

    import torch
    sys.path.insert(0, os.path.join(HERE, "..", "programs"))
    from record import plain
    name = "stress_%d" % number
    path = os.path.join(folder, name + ".py")
    with open(path, "w") as f:
        f.write(text)
    module = sys.modules[name] = types.ModuleType(name)
    module.__file__ = path
    exec(compile(text, path, "exec"), module.__dict__)
    net, results = torch.jit.script(module.Net()), []
    for call in copy.deepcopy(CALLS):
        args = [torch.tensor(a["tensor"]["data"]).reshape(a["tensor"]["shape"]) for a in call]
        try:
            results.append(plain(net(*args)))
        except Exception as e:
            return str(e).strip().splitlines()[-1]
    return results


def record(arguments):
    with tempfile.TemporaryDirectory() as folder:
        answers = [pytorch_answer(program(arguments.seed, n), folder, n) for n in range(arguments.count)]
    with open(RECORDED, "w") as f:
        f.write('{"seed": %d, "answers": [\n%s\n]}\n' % (arguments.seed, ",\n".join(json.dumps(a) for a in answers)))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("tsmc", nargs="?")
    p.add_argument("tsmrun", nargs="?")
    p.add_argument("--record", action="store_true")
    p.add_argument("--count", type=int, default=300)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--keep")
    arguments = p.parse_args()
    return record(arguments) if arguments.record else compare(arguments)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""tsmc --example: specialized programs and their memory plans, end to end.

    test_example.py TSMC TSMRUN [unittest's options]"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
MODELS = os.path.join(HERE, "..", "models")
TSMC, TSMRUN = sys.argv[1], sys.argv[2]
OK, RAISED, BAD_INPUT = 0, 1, 2

SOURCE = """
import torch
import torch.nn as nn
from enum import Enum
from typing import List, Optional, Tuple

def network(x: torch.Tensor, mask: Optional[torch.Tensor] = None, double: bool = False) -> torch.Tensor:
    n, c, h, w = x.size()
    y = x.reshape(n * c, h * w)
    z = torch.relu(y)
    parts = [y, z]
    if mask is not None:
        parts.append(y * mask)
    if double:
        parts.append(z * 2.0)
    a = torch.cat(parts, 0)
    b = torch.matmul(a, a.t())
    for i in range(3):
        b = torch.softmax(b, 1) + float(i)
    return b.view(-1, n * c).sum(1)

def pair(xs: Tuple[torch.Tensor, torch.Tensor], k: int) -> Tuple[torch.Tensor, torch.Tensor]:
    a, b = xs
    c = torch.matmul(a, b)
    return c[0:k].contiguous() + 1.0, torch.relu(c)

def resized(x: torch.Tensor) -> torch.Tensor:
    return torch.conv2d(x, torch.ones(8, 3, 5, 5))

def normalized(x: torch.Tensor) -> torch.Tensor:
    y = torch.clamp((x - 0.4) / 0.2, -1.0, 1.0) * 3.0
    rows = y.size(0) * y.size(1)
    if rows == 7:
        raise ValueError("seven rows of " + str(y.size(2)))
    return torch.matmul(y.reshape(rows, -1), torch.ones(5, 4))

def filtered(x: torch.Tensor, moves: torch.Tensor) -> torch.Tensor:
    state, spread = torch.zeros(3, 1), torch.eye(3)
    kept: List[torch.Tensor] = []
    for i in range(x.size(0)):
        state, spread = moves @ state, moves @ spread @ moves.t() + torch.eye(3)
        gain = spread @ torch.inverse(spread + 0.5 * torch.eye(3))
        state = state + gain @ (x[i].unsqueeze(1) - state)
        spread = torch.cholesky_solve((torch.eye(3) - gain) @ spread, torch.linalg.cholesky(spread))
        kept.append(state.squeeze(1))
    return torch.stack(kept)

def chosen(x: torch.Tensor) -> torch.Tensor:
    big = x[x > 0.5]
    return big * 2.0 + torch.ones(big.size(0)) * float(big.size(0))

def flagged(x: torch.Tensor, twice: bool) -> torch.Tensor:
    if twice:
        return x * 2.0
    return x + x.size(1)

class Mode(Enum):
    SUM = 1
    MEAN = 2

def by_mode(x: torch.Tensor, mode: Mode) -> torch.Tensor:
    if mode == Mode.SUM:
        return x.sum(0) + x.size(0)
    return x.mean(0) * x.size(1)

def grows(x: torch.Tensor, n: int) -> torch.Tensor:
    for i in range(n):
        x = torch.cat([x, x * 0.5], 0)
    return x

def views(x: torch.Tensor) -> torch.Tensor:
    y = x * 2.0
    z = y.t()
    y.add_(1.0)
    w = z[1:3]
    y = torch.matmul(w, x)
    y[0] = 5.0
    return y + w.sum()

def checked(x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    n = int(lengths.max())
    if n > x.size(1):
        raise ValueError(f"{n} of {x.size(1)} steps, in {x.size(0)} rows")
    solved = torch.linalg.inv(x[:, :8])
    return solved.sum() / n

def last_steps(x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    y = torch.tanh(x)
    last = [y[i, int(lengths[i]) - 1] for i in range(x.size(0))]
    return torch.stack(last) + y.narrow(1, int(lengths[0]), 2).sum(1)

def steps(x: torch.Tensor) -> torch.Tensor:
    h = torch.zeros(x.size(1))
    out: List[torch.Tensor] = []
    for t in range(x.size(0)):
        if t > 0:
            h = torch.tanh(x[t] + h)
        else:
            h = torch.tanh(x[t])
        out.append(h)
    rows = torch.stack(out)
    total = rows[0]
    for row in rows.unbind(0):
        total = total + row * 0.5
    t = 0
    while t < x.size(0) - 1:
        total = total + x[t:t + 2].sum(0)
        t += 1
    return torch.cat([rows, total.unsqueeze(0)])

def listed(x: torch.Tensor, times: torch.Tensor) -> torch.Tensor:
    p = x
    for i in range(times.size(0)):
        q = torch.kron(p[:2, :2], p[:2, 2:]) + torch.tensordot(p, p.t(), dims=1) * 0.001
        sizes: List[int] = []
        for d in range(q.dim()):
            if d > 0:
                sizes.append(q.size(d))
            else:
                sizes.append(1)
        sizes[0] = q.size(1)
        sizes.reverse()
        whole = q.size()
        whole[1] = -1
        order: List[int] = []
        for d in range(100):
            if d == q.dim():
                break
            order.append(q.dim() - 1 - d)
        q = q.permute(order)
        q = torch.nn.functional.interpolate(q.reshape(sizes).reshape(whole)[None, None], scale_factor=1.0)
        p = torch.tanh(q[0, 0])
    return p

def counted(x: torch.Tensor, n: Optional[int] = None) -> torch.Tensor:
    return x.sum(0) if n is None else x.sum(0) * n

class Ways(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x).matmul(x.t()) + x.size(0)

    @torch.jit.export
    def power(self, x: torch.Tensor, n: int) -> torch.Tensor:
        for i in range(3):
            x = x * x + float(n)
        return x.sum(1)

class Remembers(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("sum", torch.zeros(32, 8))
        self.last: List[torch.Tensor] = []

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.relu(x) + 1.0
        self.sum = self.sum + y
        self.last.append(y * 2.0)
        if len(self.last) > 2:
            self.last.pop(0)
        return torch.matmul(self.sum, self.last[0].t())
"""


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def tensor(*shape, dtype="float32"):
    n = 1
    for s in shape:
        n *= s
    return {"tensor": {"dtype": dtype, "shape": list(shape), "data": [round(random.uniform(-1, 1), 3) for _ in range(n)]}}


class Example(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        random.seed(1)
        cls.folder = tempfile.TemporaryDirectory()
        cls.source = cls.write("source.py", SOURCE)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    @classmethod
    def write(cls, name, value):
        with open(cls.path(name), "w") as f:
            f.write(value if isinstance(value, str) else json.dumps(value))
        return cls.path(name)

    def export(self, program, example=None, *options):
        """Returns the path of the program, specialized when there is an example."""
        out = self.path("general.tsm" if example is None else "planned.tsm")
        options += () if example is None else ("--example", self.write("example.json", example))
        p = run(TSMC, program, "-o", out, *options)
        self.assertEqual(p.returncode, OK, p.stderr)
        return out

    def plan(self, program, example, *options):
        p = run(TSMC, program, "--dump", "plan", "--example", self.write("example.json", example), *options)
        self.assertEqual(p.returncode, OK, p.stderr)
        return p.stdout

    def call(self, program, arguments, *options, status=OK):
        out = self.path("out.json")
        p = run(TSMRUN, program, "--inputs", self.write("in.json", arguments), "--outputs", out, *options)
        self.assertEqual(p.returncode, status, p.stderr)
        with open(out) as f:
            return f.read() if status == OK else p.stderr

    def need(self, program, arguments):
        p = run(TSMRUN, program, "--inputs", self.write("in.json", arguments))
        m = re.search(r"needs a buffer of (\d+) bytes", p.stderr)
        return int(m.group(1)) if m else None

    def agree(self, entry, example, *others):
        """The specialized program gives what the general one gives, for the example and for other arguments."""
        program = self.source + ":" + entry
        for level in ("-O0", "-O2"):
            general, planned = self.export(program, None, level), self.export(program, example, level)
            for arguments in (example,) + others:
                self.assertEqual(self.call(planned, arguments), self.call(general, arguments))
        return planned


class Traced(Example):
    """Archives of torch.jit.trace say the sizes of their inputs, which stand for an example."""
    PROGRAM = os.path.join(HERE, "traced.pt")
    ARGUMENTS = [tensor(2, 4), {"tuple": [tensor(6), tensor(1)]}]

    def dump_plan(self, *options):
        return run(TSMC, self.PROGRAM, "--dump", "plan", *options)

    def test_sizes_are_known(self):
        p = self.dump_plan()
        self.assertEqual(p.returncode, OK, p.stderr)
        self.assertIn("method forward", p.stdout)
        self.assertNotIn("does not decide all", p.stdout)
        self.assertIn("method rows", self.dump_plan("--method", "rows").stdout)
        self.assertIn("there is a plan only with --example", self.dump_plan("--no-example").stderr)

    def test_answers_are_those_of_the_general_code(self):
        own, general = self.export(self.PROGRAM), self.path("without.tsm")
        self.assertEqual(run(TSMC, self.PROGRAM, "--no-example", "-o", general).returncode, OK)
        self.assertIsNotNone(self.need(own, self.ARGUMENTS))
        self.assertIsNone(self.need(general, self.ARGUMENTS))
        for x, y in [((2, 4), 6), ((4, 4), 12), ((1, 2, 4), 3)]:
            arguments = [tensor(*x), {"tuple": [tensor(y), tensor(1)]}]
            options = {"status": RAISED} if len(x) == 3 else {}
            self.assertEqual(self.call(own, arguments, **options), self.call(general, arguments, **options))

    def test_another_example_goes_before(self):
        arguments = [tensor(8, 4), {"tuple": [tensor(24), tensor(1)]}]
        own, other = self.need(self.export(self.PROGRAM), self.ARGUMENTS), self.need(self.export(self.PROGRAM, arguments), arguments)
        self.assertGreater(other, own)

    def test_inputs_that_cannot_be_used(self):
        """The general code is exported, with a warning."""
        raises = os.path.join(HERE, "traced_raises.pt")
        out = self.path("raises.tsm")
        p = run(TSMC, raises, "-o", out)
        self.assertEqual(p.returncode, OK, p.stderr)
        self.assertIn("the example inputs are not used: the example cannot be run", p.stderr)
        self.assertIn("tensor", self.call(out, [{"tensor": {"dtype": "float32", "shape": [2], "data": [4, 9]}}]))
        for damaged in (b"", b"\x80\x02K\x01.", self.of_size(1 << 40)):
            p = run(TSMC, self.with_inputs(damaged), "-o", out)
            self.assertEqual(p.returncode, OK, p.stderr)
            self.assertEqual("the example inputs are not used" in p.stderr, damaged != b"\x80\x02K\x01.", p.stderr)
            self.call(out, self.ARGUMENTS)

    def with_inputs(self, pickled):
        path = self.path("damaged.pt")
        with zipfile.ZipFile(self.PROGRAM) as before, zipfile.ZipFile(path, "w") as after:
            for name in before.namelist():
                after.writestr(name, pickled if name.endswith("traced_inputs.pkl") else before.read(name))
        return path

    def of_size(self, count):
        """The inputs with a storage of so many elements."""
        with zipfile.ZipFile(self.PROGRAM) as f:
            pickled = f.read("traced/traced_inputs.pkl")
        at = pickled.index(b"cpu")
        at = pickled.index(b"K\x08", at)
        return pickled[:at] + b"\x8a\x06" + count.to_bytes(6, "little") + pickled[at + 2:]

    def test_verify_wants_elements(self):
        self.assertIn("give --example FILE", run(TSMC, self.PROGRAM, "--verify").stderr)
        self.assertIn("has no example inputs", run(TSMC, self.PROGRAM, "--bundle", "-o", self.path("b.tsm")).stderr)


class Answers(Example):
    def test_shapes_optionals_and_flags(self):
        x, mask = tensor(2, 3, 4, 5), tensor(6, 20)
        others = [x], [x, mask], [x, mask, True], [x, None, True], [tensor(2, 3, 4, 4)], [tensor(1, 1, 1, 1)], [tensor(6, 3, 4, 5)]
        self.agree("network", [x], *others)
        self.agree("network", [x, mask, True], *others)

    def test_other_ranks_and_types_bail_out(self):
        planned = self.export(self.source + ":network", [tensor(2, 3, 4, 5)])
        self.assertIn("Expected 4 elements", self.call(planned, [tensor(2, 3, 4)], status=RAISED))
        general = self.export(self.source + ":network")
        double = [tensor(2, 3, 4, 5, dtype="float64")]
        self.assertEqual(self.call(planned, double), self.call(general, double))
        self.assertIn("Expected a value of type 'Tensor'", self.call(planned, ["x"], status=RAISED))

    def test_flags_alone(self):
        x = tensor(9, 9)
        for flag in (True, False):
            self.agree("flagged", [x, flag], [x, not flag], [tensor(8, 8), flag], [tensor(8, 8), not flag])

    def test_enums(self):
        mode = lambda name: {"enum": {"class": "Mode", "name": name}}
        x = tensor(7, 9)
        self.agree("by_mode", [x, mode("SUM")], [x, mode("SUM")], [x, mode("MEAN")], [tensor(3, 3), mode("MEAN")])

    def test_tuples_and_numbers(self):
        a, b = tensor(30, 20), tensor(20, 40)
        self.agree("pair", [{"tuple": [a, b]}, 4], [{"tuple": [a, b]}, 9], [{"tuple": [tensor(3, 20), b]}, 2])

    def test_sizes_that_depend_on_elements(self):
        self.agree("chosen", [tensor(400)], [tensor(400)], [tensor(400)], [tensor(10)])

    def test_numbers_decide_loops(self):
        self.agree("grows", [tensor(4, 8), 4], [tensor(4, 8), 0], [tensor(4, 8), 6], [tensor(2, 8), 4])

    def test_views_and_writes(self):
        self.agree("views", [tensor(20, 20)], [tensor(20, 20)], [tensor(24, 24)])

    def test_state_is_kept(self):
        program = self.source + ":Remembers()"
        calls = self.write("calls.json", [[tensor(32, 8)] for _ in range(6)])
        results = []
        for path in (self.export(program), self.export(program, [tensor(32, 8)])):
            out = self.path("results.json")
            p = run(TSMRUN, path, "--sequence", calls, "--outputs", out)
            self.assertEqual(p.returncode, OK, p.stderr)
            with open(out) as f:
                results.append(f.read())
        self.assertEqual(*results)

    def test_examples_from_pt(self):
        digits = os.path.join(MODELS, "digits.pt")
        out = self.path("digits.tsm")
        p = run(TSMC, digits, "-o", out, "--example", os.path.join(HERE, "arguments.pt"))
        self.assertEqual(p.returncode, BAD_INPUT)
        self.assertIn("takes 1", p.stderr)

    def test_large_sizes_of_nothing(self):
        size = 2**30
        source = self.write("nothing.py", "def sizes(x):\n    # type: (Tensor) -> int\n    return x.numel() + x.size(2)\n") + ":sizes"
        example = [tensor(0, size, size)]
        self.assertEqual(json.loads(self.call(self.export(source, example, "--verify"), example)), size)
        example = self.write("e.json", [tensor(0, size, size, size)])
        p = run(TSMC, source, "-o", self.path("x.tsm"), "--example", example)
        self.assertEqual(p.returncode, BAD_INPUT)
        self.assertIn("larger than the address space", p.stderr)

    def test_examples_that_do_not_run(self):
        p = run(TSMC, self.source + ":network", "-o", self.path("x.tsm"), "--example", self.write("e.json", [tensor(2, 3)]))
        self.assertEqual(p.returncode, BAD_INPUT)
        self.assertIn("the example cannot be run", p.stderr)
        self.assertIn("Expected 4 elements", p.stderr)
        p = run(TSMC, self.source + ":network", "-o", self.path("x.tsm"), "--example", self.write("e.json", [3]))
        self.assertEqual(p.returncode, BAD_INPUT)
        self.assertIn("Expected a value of type 'Tensor'", p.stderr)


class Plans(Example):
    BLOCK = re.compile(r" +\d+ +(\d+) +(\d+|kept) +(\d+) +(\d+|-)  \S+$")

    def blocks(self, text):
        """(bytes, offset, from, to) of the planned blocks of a dump."""
        rows = [self.BLOCK.match(line).groups() for line in text[:text.index(" blocks; ")].splitlines()[2:-1]]
        return [tuple(map(int, row)) for row in rows if row[1] != "kept"]

    def check(self, text):
        """Blocks that are alive at once do not overlap, and the region is at most a twentieth larger than what is alive
        at once."""
        blocks = self.blocks(text)
        for i, (bytes_, at, begin, end) in enumerate(blocks):
            self.assertEqual(at % 64, 0)
            for bytes2, at2, begin2, end2 in blocks[:i]:
                alive = begin < end2 and begin2 < end
                self.assertFalse(alive and at < at2 + bytes2 and at2 < at + bytes_)
        live, region = map(int, re.search(r"live bytes (\d+), planned region (\d+)", text).groups())
        round_up = lambda n: (n + 63) // 64 * 64
        steps = sorted({b[2] for b in blocks})
        self.assertEqual(live, max([sum(round_up(b[0]) for b in blocks if b[2] <= s < b[3]) for s in steps] + [0]))
        self.assertLessEqual(region, live * 1.05)
        self.assertLessEqual(max([b[1] + b[0] for b in blocks] + [0]), region)
        placed, wanted = map(int, re.search(r"(\d+) of (\d+) bytes lay where", text).groups())
        self.assertEqual(placed, wanted)

    def test_plans_do_not_overlap(self):
        for entry, example in (("network", [tensor(2, 3, 8, 8)]), ("pair", [{"tuple": [tensor(30, 20), tensor(20, 40)]}, 4]),
                               ("views", [tensor(20, 20)]), ("grows", [tensor(16, 8), 5]), ("Remembers()", [tensor(32, 8)])):
            self.check(self.plan(self.source + ":" + entry, example))
        self.check(self.plan(os.path.join(MODELS, "digits.pt"), [tensor(1, 1, 8, 8)]))

    def test_what_stays_is_not_planned(self):
        self.assertIn("kept", self.plan(self.source + ":Remembers()", [tensor(32, 8)]))

    def test_the_need_is_in_the_file(self):
        example = [tensor(2, 3, 8, 8)]
        planned = self.export(self.source + ":network", example)
        need = self.need(planned, example)
        plan = self.plan(self.source + ":network", example)
        self.assertIn("buffer %d bytes;" % need, plan)
        wanted = self.call(self.export(self.source + ":network"), example)
        self.assertEqual(self.call(planned, example, "--arena", str(need)), wanted)
        self.assertIn("bytes", self.call(planned, example, "--arena", str(need - 256), status=BAD_INPUT))
        small = [tensor(1, 1, 2, 2)]  # the general code has the whole buffer
        self.assertEqual(self.call(planned, small, "--arena", str(need)), self.call(self.export(self.source + ":network"), small))

    def test_the_need_of_long_loops(self):
        """Loops that are too long to be unrolled have the same turns whatever the elements."""
        example = [tensor(24, 6)]
        plan = self.plan(self.source + ":steps", example)
        need = re.search(r"buffer (\d+) bytes;", plan)
        self.assertTrue(need, plan)
        planned = self.export(self.source + ":steps", example)
        general = self.export(self.source + ":steps")
        for inputs in (example, [tensor(24, 6)], [tensor(3, 2)]):
            self.assertEqual(self.call(planned, inputs, "--arena", need[1]), self.call(general, inputs))

    def test_the_need_of_rows_at_any_place(self):
        """Which row is taken elements say; how large it is they do not."""
        def at(*lengths):
            return [tensor(3, 20, 8), {"tensor": {"dtype": "int64", "shape": [3], "data": list(lengths)}}]
        example, other = at(2, 20, 3), at(18, 1, 1)
        planned = self.agree("last_steps", example, other)
        need = self.need(planned, example)
        self.assertIn("buffer %d bytes;" % need, self.plan(self.source + ":last_steps", example))
        self.assertEqual(self.call(planned, other, "--arena", str(need)), self.call(self.export(self.source + ":last_steps"), other))
        self.call(planned, at(18, 21, 1), "--arena", str(need), status=RAISED)

    def test_texts_that_are_raised_need_nothing(self):
        def of(length, by=1.0):
            rows = {"tensor": {"dtype": "float32", "shape": [1, 8, 8], "data": [by * (i == k) for i in range(8) for k in range(8)]}}
            return [rows, {"tensor": {"dtype": "int64", "shape": [1], "data": [length]}}]
        planned = self.agree("checked", of(3), of(8, 2.0))
        need = str(self.need(planned, of(3)))
        self.call(planned, of(8, 2.0), "--arena", need)
        self.assertIn("ValueError: 9 of 8 steps, in 1 rows", self.call(planned, of(9), "--arena", need, status=RAISED))
        self.assertIn("The diagonal element 1 is zero", self.call(planned, of(3, 0.0), "--arena", need, status=RAISED))
        old = self.path("old.tsm")
        p = run(TSMC, self.source + ":checked", "--target-runtime", "0.2.0", "-o", old)
        self.assertEqual(p.returncode, OK, p.stderr)
        self.assertNotIn("form_message", run(TSMC, old, "--info").stdout)
        self.assertIn("ValueError: 9 of 8 steps, in 1 rows", self.call(old, of(9), status=RAISED))

    def test_a_small_buffer_names_the_need(self):
        program = self.export(self.source + ":resized", [tensor(1, 3, 40, 40)])
        inputs = self.write("inputs.json", [tensor(1, 3, 40, 40)])
        for bytes_, other in (("600", "bytes are missing"), ("30000", "more bytes are needed")):
            p = run(TSMRUN, program, "--inputs", inputs, "--arena", bytes_)
            self.assertEqual(p.returncode, BAD_INPUT)
            self.assertIn(other, p.stderr)
            need = int(re.search(r"as in its example the program needs (\d+) bytes, and those of the arguments", p.stderr)[1])
        p = run(TSMRUN, program, "--inputs", inputs, "--arena", str(need + 40 * 40 * 3 * 4 + 4096))
        self.assertEqual(p.returncode, OK, p.stderr)
        p = run(TSMRUN, self.export(self.source + ":resized"), "--inputs", inputs, "--arena", "30000")
        self.assertIn("without --arena tsmrun takes what is needed, and says how much", p.stderr)

    def test_targets(self):
        """A microcontroller's kernels take less workspace; the default is enough for every target."""
        def need(*options):
            plan = self.plan(self.source + ":resized", [tensor(1, 3, 40, 40)], *options)
            return int(re.search(r"buffer (\d+) bytes;", plan)[1])
        each = {t: need("--target", t) for t in ("x86-64", "aarch64", "armv7", "wasm32", "cortex-m4f", "cortex-m55")}
        self.assertLess(each["cortex-m4f"], each["armv7"] // 2)
        self.assertGreaterEqual(need(), max(each.values()))
        for arguments, text in ((["-o", self.path("x.tsm"), "--target", "z80"], "x86-64, aarch64, armv7, wasm32, cortex-m4f, cortex-m55, rv32imc, or for each, not for z80"),
                                (["--dump", "ir", "--target", "armv7"], "--target is for memory plans"),
                                (["--verify", "--target", "armv7"], "--target is for memory plans"),
                                (["--dump", "plan", "--target", "each"], "--target each is for files"),
                                (["--verify", "--target", "each"], "--target each is for files")):
            p = run(TSMC, self.source + ":resized", *arguments)
            self.assertEqual(p.returncode, BAD_INPUT)
            self.assertIn(text, p.stderr)

    def test_several_examples(self):
        """Each has code and a plan of its own; the need is that of all of them, in any order."""
        small, large, other = [tensor(1, 3, 8, 8)], [tensor(2, 3, 16, 16)], [tensor(1, 1, 2, 2)]
        program, out = self.source + ":network", self.path("several.tsm")
        options = ["--example", self.write("small.json", small), "--example", self.write("large.json", large)]
        for level in ("-O0", "-O2"):
            p = run(TSMC, program, "-o", out, level, *options)
            self.assertEqual(p.returncode, OK, p.stderr)
            general = self.export(program, None, level)
            for arguments in (small, large, other):
                self.assertEqual(self.call(out, arguments), self.call(general, arguments))
        plan = run(TSMC, program, "--dump", "plan", *options).stdout
        lying = [tuple(map(int, m)) for m in re.findall(r"buffer (\d+) bytes; (\d+) of (\d+) bytes lay where", plan)]
        need = lying[0][0]
        self.assertEqual([(need, wanted, wanted) for _, _, wanted in lying], lying)
        self.assertEqual(len(lying), 2)
        self.assertGreaterEqual(need, self.need(self.export(program, large), large))
        calls = self.write("calls.json", [small, large, small, large, other])
        p = run(TSMRUN, out, "--sequence", calls, "--outputs", self.path("results.json"), "--arena", str(need))
        self.assertEqual(p.returncode, OK, p.stderr)
        info = json.loads(run(TSMC, "--info", "--json", out).stdout)["methods"][0]
        self.assertEqual(info["inputs"][0]["sizes"], [-1, 3, -1, -1])

    def test_examples_of_methods(self):
        x, y, program = [tensor(4, 6)], [tensor(6, 2), 3], self.source + ":Ways()"
        p = run(TSMC, program, "-o", self.path("ways.tsm"), "--example", self.write("x.json", x), "--example",
                "power=" + self.write("y.json", y))
        self.assertEqual(p.returncode, OK, p.stderr)
        methods = json.loads(run(TSMC, "--info", "--json", self.path("ways.tsm")).stdout)["methods"]
        self.assertEqual({m["name"]: m["inputs"][0]["sizes"] for m in methods}, {"forward": [4, 6], "power": [6, 2]})
        for method, arguments in (("forward", x), ("power", y)):
            need = next(m["buffer_bytes"] for m in methods if m["name"] == method)
            self.assertEqual(self.call(self.path("ways.tsm"), arguments, "--method", method, "--arena", str(need)),
                             self.call(self.export(program), arguments, "--method", method))

    def test_examples_that_say_nothing_new(self):
        x = self.write("x.json", [tensor(2, 3, 8, 8)])
        for options, message in ((["--example", x, "--example", x], "its call takes the code for"),
                                 (["--example", "encode=" + x], "the program has no method encode")):
            p = run(TSMC, self.source + ":network", "-o", self.path("x.tsm"), *options)
            self.assertEqual(p.returncode, BAD_INPUT)
            self.assertIn(message, p.stderr)
        none, three = self.write("none.json", [tensor(4, 2), None]), self.write("three.json", [tensor(4, 2), 3])
        options = [TSMC, self.source + ":counted", "-o", self.path("x.tsm")]
        self.assertEqual(run(*options, "--example", none, "--example", three).returncode, OK)
        p = run(*options, "--example", three, "--example", none)  # numbers are not compared, so the first takes both
        self.assertEqual(p.returncode, BAD_INPUT)
        self.assertIn("its call takes the code for", p.stderr)
        other = self.write("other.json", [tensor(1, 3, 8, 8)])
        p = run(TSMC, self.source + ":network", "--verify", "--example", x, "--example", other)
        self.assertEqual(p.returncode, BAD_INPUT)
        self.assertIn("--verify runs the program with one --example", p.stderr)

    def test_the_need_is_known_behind_a_chain(self):
        """Whether the kernel for a chain fits depends on strides; what it gives does not."""
        example = [tensor(2, 3, 5)]
        self.assertIsNotNone(self.need(self.agree("normalized", example, [tensor(3, 3, 5)], [tensor(1, 1, 5)]), example))
        self.assertNotIn("does not decide", self.plan(self.source + ":normalized", example))

    def test_the_need_is_known_of_loops_that_keep_shapes(self):
        """What the sizes of a loop's variables decide is decided in the loop: here how factors are calculated."""
        example = [tensor(60, 3), tensor(3, 3)]
        self.assertIsNotNone(self.need(self.agree("filtered", example, [tensor(5, 3), tensor(3, 3)]), example))
        self.assertNotIn("does not decide", self.plan(self.source + ":filtered", example))

    def test_the_need_is_known_of_loops_that_fill_lists(self):
        """Lists of sizes that a loop's body fills, by loops and branches of its own or of operators."""
        example = [tensor(4, 4), tensor(60)]
        self.assertIsNotNone(self.need(self.agree("listed", example, [tensor(4, 4), tensor(3)]), example))
        self.assertNotIn("does not decide", self.plan(self.source + ":listed", example))

    def test_the_need_is_unknown_where_more_decides(self):
        self.assertIsNone(self.need(self.export(self.source + ":chosen", [tensor(400)]), [tensor(400)]))
        said = self.plan(self.source + ":chosen", [tensor(400)])
        self.assertIn("does not decide all", said)
        self.assertRegex(said, r"not decided from here on: aten::(index|masked_select|nonzero)\S* \(.*source\.py, line %d\)" %
                         (SOURCE[:SOURCE.index("big = x[x")].count("\n") + 1))
        self.assertIsNone(self.need(self.export(self.source + ":network"), [tensor(2, 3, 8, 8)]))

    def test_the_profile_counts_planned_bytes(self):
        example = [tensor(2, 3, 8, 8)]
        planned = self.export(self.source + ":network", example)
        p = run(TSMRUN, planned, "--inputs", self.write("in.json", example), "--profile")
        row = re.search(r" (\d+) +aten::softmax", p.stderr)
        self.assertGreater(int(row.group(1)), 3 * 12 * 12 * 4)

    def test_the_trace(self):
        example, trace = [tensor(2, 3, 8, 8)], self.path("trace.json")
        planned = self.export(self.source + ":network", example)
        self.call(planned, example, "--trace", trace)
        with open(trace) as f:
            events = json.load(f)["traceEvents"]
        names = [e["name"] for e in events]
        self.assertEqual(names.count("aten::softmax.int"), 3)
        self.assertEqual(names[-1], "network")
        for e in events:
            self.assertEqual(e["ph"], "X")
            self.assertGreaterEqual(e["dur"], 0)
            self.assertLessEqual(e["ts"] + e["dur"], events[-1]["ts"] + events[-1]["dur"] + 0.002)
        self.call(planned, example, "--trace", self.path("no/such/folder.json"), status=BAD_INPUT)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

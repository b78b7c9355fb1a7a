#!/usr/bin/env python3
"""Every option of tsmc: what it does, and how its misuse is answered.

    test_tsmc.py TSMC TSMRUN [unittest's options]"""
import json
import os
import pickle
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
MODULES = os.path.join(HERE, "..", "modules")
sys.path.insert(0, os.path.join(HERE, ".."))
from state_dict import save_state  # noqa: E402

TSMC, TSMRUN = sys.argv[1], sys.argv[2]
OK, RAISED, BAD_INPUT = 0, 1, 2

SOURCE = """
import torch
from typing import Dict, List, Optional, Tuple
from enum import Enum

class Color(Enum):
    RED = 1
    GREEN = 2

def scale(x: torch.Tensor, by: float = 2.0) -> torch.Tensor:
    n = x.size(0)
    return torch.relu(x.reshape(n * x.size(1))) * by

def write(x: torch.Tensor, seen: List[int]) -> torch.Tensor:
    x.add_(1.0)
    seen.append(len(seen))
    return x * float(len(seen))

def mixed(c: Color, d: Dict[str, List[float]], o: Optional[int], z: complex, dtype: torch.dtype, dev: torch.device,
          t: Tuple[int, str], empty: List[int]) -> str:
    return "{} {} {} {} {}".format(c.name, d["a"][0], o is None, t[1], len(empty))

def fails(n: int) -> int:
    if n > 0:
        raise ValueError("no")
    return n
"""


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def tensor(shape, data, dtype="float32", **more):
    return {"tensor": dict(dtype=dtype, shape=shape, data=data, **more)}


class Tsmc(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.source = cls.write("source.py", SOURCE)
        cls.out = cls.path("out.tsm")

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

    def tsmc(self, *arguments, status=OK):
        p = run(TSMC, *arguments)
        self.assertEqual(p.returncode, status, p.stderr)
        return p

    def export(self, name, *options, status=OK):
        return self.tsmc(self.source + ":" + name, "-o", self.out, *options, status=status)

    def dump(self, what, name="scale", *options):
        return self.tsmc(self.source + ":" + name, "--dump", what, *options).stdout

    def run_program(self, arguments, *options):
        result = self.path("result.json")
        p = run(TSMRUN, self.out, "--inputs", self.write("in.json", arguments), "--outputs", result, *options)
        self.assertEqual(p.returncode, OK, p.stderr)
        with open(result) as f:
            return json.load(f)


class Usage(Tsmc):
    def refused(self, *arguments, text):
        p = self.tsmc(*arguments, status=BAD_INPUT)
        self.assertIn(text, p.stderr)

    def test_emit_c(self):
        folder = self.path("c")
        os.mkdir(folder)
        made = {}
        for name in ("scale", "write-it"):
            made[name] = self.path(name + ".tsm")
            self.assertEqual(run(TSMC, self.source + ":" + name.split("-")[0], "-o", made[name]).returncode, OK)
        p = run(TSMC, *made.values(), "--emit-c", folder)
        self.assertEqual(p.returncode, OK, p.stderr)
        self.assertEqual(sorted(os.listdir(folder)), ["operators.c", "scale.c", "scale.h", "write_it.c", "write_it.h"])
        for wrong, text in (([made["scale"], made["scale"]], "both be called scale"), ([self.source], "not a .tsm"),
                            ([self.path("missing.tsm")], "missing.tsm"), ([made["scale"], "-o", "x"], "--emit-c")):
            p = run(TSMC, *wrong, "--emit-c", folder)
            self.assertEqual(p.returncode, BAD_INPUT, wrong)
            self.assertIn(text, p.stderr)

    def test_misuse(self):
        entry = self.source + ":scale"
        self.refused(text="no input")
        self.refused(entry, text="no output")
        self.refused(entry, entry, "-o", self.out, text="more than one input")
        self.refused(entry, "-o", self.out, "-O3", text="-O3")
        self.refused(entry, "-o", self.out, "--frob", text="frob")
        self.refused(entry, "-o", self.out, "--weights", text="requires an argument")
        self.refused(entry, "-o", self.path("no/such/folder.tsm"), text="cannot write")
        self.refused(entry, "-o", self.out, "--expect", self.source, text="--bundle")

    def test_entries(self):
        self.refused(self.source, "-o", self.out, text="name the function")
        self.refused(self.source + ":nothing", "-o", self.out, text="nothing")
        self.refused(self.source + ":scale", "-o", self.out, "--method", "other", text="no method 'other'")

    def test_dump_names(self):
        self.refused(self.source + ":scale", "--dump", "nowhere", text="nowhere")
        self.refused(self.source + ":scale", "--dump", "plan", text="--example")
        p = self.tsmc(self.source + ":scale", "--dump", "ir:nowhere", status=BAD_INPUT)
        self.assertIn("'nowhere'", p.stderr)
        for name in ("inline", "fold", "cse", "dce", "specialize"):
            self.assertIn(name, p.stderr)

    def test_target(self):
        for version in ("99.0.0", "2", "new", ""):
            self.refused(self.source + ":scale", "-o", self.out, "--target-runtime", version, text="0.1.0, 0.2.0")


class Dumps(Tsmc):
    def test_stages(self):
        self.assertIn("scale", self.dump("ast"))
        self.assertIn("aten::relu", self.dump("ir"))
        self.assertIn("aten::relu", self.dump("ir:inline_calls"))
        self.assertRegex(self.dump("ops"), r"1  aten::relu")
        self.assertRegex(self.dump("bytecode"), r"OP +aten::relu")
        self.assertIn("Color", self.dump("types", "mixed"))

    def test_passes_show_what_they_did(self):
        self.assertIn("aten::mul", self.dump("ir:specialize"))
        example = self.write("example.json", [tensor([2, 3], [0.0] * 6)])
        self.assertIn("prim::TypeCheck", self.dump("ir:specialize", "scale", "--example", example))
        self.assertNotIn("prim::TypeCheck", self.dump("ir:prune_attributes", "scale", "--example", example))

    def test_nothing_is_written(self):
        self.dump("bytecode", "scale", "-o", self.path("never.tsm"))
        self.assertFalse(os.path.exists(self.path("never.tsm")))


class Exports(Tsmc):
    def test_levels_agree(self):
        for level in ("-O0", "-O1", "-O2"):
            self.export("scale", level)
            self.assertEqual(self.run_program([tensor([1, 2], [-1.0, 3.0])]), tensor([2], [0.0, 6.0]))

    def test_methods(self):
        archive = os.path.join(HERE, "values.pt")
        self.tsmc(archive, "-o", self.out, "--method", "integer", "--method", "text")
        p = run(TSMRUN, self.out, "--method", "forward")
        self.assertEqual(p.returncode, BAD_INPUT)
        self.assertIn("integer text", p.stderr)
        self.assertEqual(self.run_program([7], "--method", "integer"), 7)

    def test_no_methods(self):
        archive = self.path("none.pt")
        with zipfile.ZipFile(archive, "w") as z:
            z.writestr("none/data.pkl", b"\x80\x02c__torch__\nNone_\n)\x81}b.")
            z.writestr("none/constants.pkl", pickle.dumps((), 2))
            z.writestr("none/code/__torch__.py", "class None_(Module):\n  __parameters__ = []\n  __buffers__ = []\n")
            z.writestr("none/version", "3\n")
        self.assertIn("the module has no methods", self.tsmc(archive, "-o", self.out, status=BAD_INPUT).stderr)

    def test_unknown_operators(self):
        """All operators that are not known are listed, with their lines; compiling stops at the first one."""
        archive = self.path("unknown.pt")
        with zipfile.ZipFile(archive, "w") as z:
            z.writestr("unknown/data.pkl", b"\x80\x02c__torch__\nNet\n)\x81}b.")
            z.writestr("unknown/constants.pkl", pickle.dumps((), 2))
            z.writestr("unknown/code/__torch__.py", """class Net(Module):
  __parameters__ = []
  __buffers__ = []
  def forward(self: __torch__.Net,
    x: Tensor) -> Tensor:
    y = ops.mylib.first(torch.relu(x), 1)
    if torch.gt(torch.dim(x), 1):
      y0 = torch.unheard_of(torch.mm(x, ops.mylib.first(y, 2)))
    else:
      y0 = ops.mylib.first(y, "ops.mylib.text(")
    return y0
""")
            z.writestr("unknown/version", "3\n")
        error = self.tsmc(archive, "-o", self.out, status=BAD_INPUT).stderr
        self.assertIn("Unknown builtin op: mylib::first.", error)
        self.assertTrue(error.endswith("""
The archive calls these operators that tsmc does not know:
    mylib::first: code/__torch__.py:6, code/__torch__.py:8, code/__torch__.py:10
    aten::unheard_of: code/__torch__.py:8

"""), error)

    def test_unknown_names(self):
        """The same for a .py source: what functions call that the program may reach."""
        path = self.path("unknown.py")
        with open(path, "w") as f:
            f.write("""import torch
import numpy as np
from torch import nn
from torch.nn import functional as F
from torch.nn.functional import bilinear_sampler
def helper(x: torch.Tensor):
    return torch.unheard_of(x).float().tanh()
def unused(x):
    return torch.never_called(x)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 4)
    @torch.jit.ignore
    def plot(self, x: torch.Tensor) -> None:
        torch.plot(x)
    def forward(self, x: torch.Tensor):
        y = torch.ops.mylib.first(helper(self.layer(x)), 1)
        if x.dim() > 1:
            self.plot(y)
            y = F.resample(y) + torch.unheard_of(x.spectrum(3).relu())
        return bilinear_sampler(y) + np.sqrt(2) + torch.relu(y) + torch.ops.mylib.first(y, 2)
""")
        error = self.tsmc(path + ":helper", "-o", self.out, status=BAD_INPUT).stderr
        self.assertTrue(error.endswith("know:\n    torch.unheard_of: %s:7\n\n" % path), error)
        state = self.path("net.pth")
        save_state(state, {"layer.weight": (4, 3), "layer.bias": (4,)})
        error = self.tsmc(path + ":Net", "-o", self.out, "--weights", state, "--eval", status=BAD_INPUT).stderr
        self.assertTrue(error.endswith("""
The file calls these operators that tsmc does not know:
    torch.unheard_of: %s:7, %s:21
    torch.ops.mylib.first: %s:18, %s:22
    torch.nn.functional.resample: %s:21
    .spectrum: %s:21
    torch.nn.functional.bilinear_sampler: %s:22
    numpy.sqrt: %s:22

""".replace("%s", path)), error)

    def test_hooks(self):
        """The module's call runs its hooks; the method that is named does not."""
        archive = os.path.join(HERE, "hooked.pt")
        self.tsmc(archive, "-o", self.out)
        self.assertEqual(self.run_program([3]), 61)
        self.tsmc(archive, "-o", self.out, "--method", "forward")
        self.assertEqual(self.run_program([3]), 6)

    def test_strip(self):
        sizes = {}
        for option, marked in ((), True), (("--strip",), False):
            self.export("fails", *option)
            sizes[marked] = os.path.getsize(self.out)
            p = run(TSMRUN, self.out, "--inputs", self.write("in.json", [1]))
            self.assertEqual(p.returncode, RAISED)
            self.assertEqual("raise ValueError" in p.stderr, marked)
            self.assertIn("ValueError: no", p.stderr)
        self.assertLess(sizes[False], sizes[True])

    def test_weights(self):
        model = os.path.join(MODULES, "mlp.py") + ":MLP(hidden=(8, 5))"
        p = self.tsmc(model, "-o", self.out, status=BAD_INPUT)
        self.assertIn("--weights", p.stderr)
        self.tsmc(model, "-o", self.out, "--weights", os.path.join(MODULES, "mlp.pth"))
        self.assertIn("--weights", self.tsmc(os.path.join(HERE, "values.pt"), "-o", self.out, "--weights", "x.pth",
                                             status=BAD_INPUT).stderr)

    def test_eval(self):
        trained = os.path.join(MODULES, "trained.pt")
        self.assertIn("training mode", self.tsmc(trained, "-o", self.out).stderr)
        self.assertEqual(self.tsmc(trained, "-o", self.out, "--eval").stderr, "")

    def test_target_runtime(self):
        def features():
            with open(self.out, "rb") as f:
                return b"instructions of 0.2.0" in f.read()

        example = self.write("example.json", [tensor([2, 3], [0.0] * 6)])
        self.export("scale", "--example", example)
        self.assertTrue(features())
        p = self.export("scale", "--example", example, "--target-runtime", "0.1.0")
        self.assertIn("no plans", p.stderr)
        self.assertFalse(features())
        self.assertEqual(self.run_program([tensor([1, 2], [-1.0, 3.0])]), tensor([2], [0.0, 6.0]))
        self.export("scale", "--example", example, "--target-runtime", "0.2.0")
        self.assertTrue(features())


class Debugging(Tsmc):
    def arguments(self):
        return self.write("arguments.json", [tensor([2, 3], [-1.0, 2.0, 0.5, 3.0, -4.0, 1.5])])

    def refused(self, text, *options, status=BAD_INPUT):
        p = self.tsmc(self.source + ":scale", *options, status=status)
        self.assertIn(text, p.stderr)

    def test_stop_after(self):
        self.export("scale", "--stop-after", "fold_constants.2")
        self.assertEqual(self.run_program([tensor([1, 2], [-1.0, 3.0])]), tensor([2], [0.0, 6.0]))
        for wrong in ("folding", "fold_constants.1", "fold_constants.", "fold_constants.x", ""):
            self.refused("there is no pass '%s'; the passes are lower_object_sorts, " % wrong, "-o", self.out, "--stop-after", wrong)
        self.refused("the pass fuse_pointwise does not run at -O1", "-o", self.out, "-O1", "--stop-after", "fuse_pointwise")
        self.refused("the pass cse does not run at -O0", "-O0", "--dump", "ir:cse")
        self.refused("the pass cse.99 does not run at -O2", "--dump", "ir:cse.99")
        for dump in ("ir", "ir:cse", "plan"):
            self.refused("--stop-after does not go with --dump", "--stop-after", "cse", "--dump", dump, "--example", self.arguments())
        self.assertIn("LIST_APPEND", self.tsmc(self.source + ":write", "--stop-after", "cse", "--dump", "bytecode").stdout)

    def test_stop_after_leaves_specializing_out(self):
        example = self.arguments()
        for after, planned in (("prune_attributes", False), ("specialize", True)):
            self.export("scale", "--example", example, "--stop-after", after)
            with open(self.out, "rb") as f:
                self.assertEqual(b"instructions of 0.2.0" in f.read(), planned)

    def test_verify(self):
        example = self.arguments()
        p = self.tsmc(self.source + ":scale", "--verify", "--example", example)
        self.assertIn("all agree to 0.0001, relative and absolute", p.stdout)
        for row in ("inline_calls", "specialize", "memory plan"):
            self.assertRegex(p.stdout, r"(?m)^%s +0$" % row)
        p = self.tsmc(self.source + ":scale", "--verify", "--example", example, "--tolerance", "0", "-O1")
        self.assertIn("all agree to 0,", p.stdout)
        self.assertNotIn("fuse_pointwise", p.stdout)
        p = self.tsmc(self.source + ":scale", "--verify", "--example", example, "--target-runtime", "0.1.0")
        self.assertNotIn("memory plan", p.stdout)

    def test_verify_writes_the_same_file(self):
        files = []
        for options in (), ("--verify",):
            self.export("scale", "--example", self.arguments(), *options)
            with open(self.out, "rb") as f:
                files.append(f.read())
        self.assertEqual(*files)

    def test_misuse_of_verify(self):
        example = self.arguments()
        self.refused("--verify wants arguments", "--verify")
        self.refused("--verify does not go with --dump ir", "--verify", "--example", example, "--dump", "ir")
        self.refused("--tolerance is for --verify", "--tolerance", "0.1", "-o", self.out)
        for wrong in ("-1", "2", "x", "nan", ""):
            self.refused("--tolerance wants a number from 0 to 1, not " + wrong, "--verify", "--example", example, "--tolerance", wrong)
        self.refused("cannot write", "--verify", "--example", example, "-o", self.path("no/such/folder.tsm"))
        p = self.tsmc(self.source + ":fails", "--verify", "--example", self.write("one.json", [1]), status=BAD_INPUT)
        self.assertIn("the example cannot be run", p.stderr)
        self.assertIn("no", p.stderr)


class Bundles(Tsmc):
    def check(self, status=OK):
        p = run(TSMRUN, self.out, "--check")
        self.assertEqual(p.returncode, status, p.stdout + p.stderr)
        return p.stdout

    def test_inputs_alone(self):
        self.export("scale", "--bundle", self.write("b.json", [tensor([1, 2], [1.0, 2.0])]))
        self.assertIn("stores no expected result", self.check())

    def test_expected_results(self):
        inputs = self.write("b.json", [tensor([1, 2], [1.0, 2.0]), 3])
        self.export("scale", "--bundle", inputs, "--expect", self.write("e.json", tensor([2], [3.0, 6.0])))
        self.assertIn("1 of 1", self.check())
        self.export("scale", "--bundle", inputs, "--expect", self.write("e.json", tensor([2], [3.0, 7.0])))
        self.assertIn("FAILED", self.check(RAISED))

    def test_arguments_that_are_written_to(self):
        self.export("write", "--bundle", self.write("b.json", [tensor([2], [1.0, 2.0]), []]), "--expect",
                    self.write("e.json", tensor([2], [2.0, 3.0])))
        self.assertIn("1 of 1", self.check())

    def test_every_kind_of_value(self):
        inputs = [{"enum": {"class": "Color", "name": "GREEN"}}, {"dict": [["a", [1.5]]]}, None, {"complex": [1, 2]},
                  {"dtype": "float32"}, {"device": "cpu"}, {"tuple": [1, "\u00e9"]}, []]
        self.export("mixed", "--bundle", self.write("b.json", inputs), "--expect", self.write("e.json", '"GREEN 1.5 True \u00e9 0"'))
        self.assertIn("1 of 1", self.check())

    def test_every_kind_of_tensor(self):
        self.source, kept = self.write("tensors.py", "import torch\ndef same(x: torch.Tensor) -> torch.Tensor:\n    return x\n"), self.source
        try:
            for t in (tensor([2], [1, -2], "int8"), tensor([2], [True, False], "bool"), tensor([1], [0.5], "float16"),
                      tensor([1], [2.5], "bfloat16"), tensor([2], [[1.0, -1.0], [0.5, 0.0]], "complex64"), tensor([], [3], "int64"),
                      tensor([2], [3, 250], "quint8", scale=0.1, zero_point=12), tensor([2, 0], []),
                      tensor([2, 1], [1, 2], "qint8", scales=[0.5, 0.25], zero_points=[0, 1], axis=0)):
                self.export("same", "--bundle", self.write("b.json", [t]), "--expect", self.write("e.json", t))
                self.assertIn("1 of 1", self.check())
        finally:
            self.source = kept

    def test_characters_beyond_16_bits(self):
        source = self.write("texts.py", "def bytes_of(x: str) -> int:\n    return len(x)\n")
        given = self.write("text.json", '["\\ud83d\\ude00 \\u00e9\\u0000"]')
        p = run(TSMC, source + ":bytes_of", "-o", self.out, "--bundle", given, "--expect", self.write("e.json", 4 + 1 + 2 + 1))
        self.assertEqual(p.returncode, OK, p.stderr)
        self.assertIn("1 of 1", self.check())

    def test_values_that_torch_saved(self):
        self.export("scale", "--bundle", os.path.join(HERE, "arguments.pt"))
        self.assertIn("1 of 1", self.check())

    def test_bad_files(self):
        def refused(text, value, name="scale"):
            p = self.export(name, "--bundle", self.write("b.json", value), status=BAD_INPUT)
            self.assertIn(text, p.stderr)

        refused("ends too early", "[1")
        refused("true or false", [tensor([2], [1, 0], "bool")])
        refused("integer of 64 bits", [tensor([1], [2 ** 63], "int64")])
        refused("not possible", [tensor([-1], [])])
        refused("a number is missing", [tensor([[1]], [1])])
        refused("two numbers", [tensor([1], [[1.0]], "complex64")])
        refused("array", "3")
        refused("takes 2", [1, 2, 3])
        refused("shape", [tensor([3], [1.0])])
        refused("dtype", [tensor([1], [1.0], "float8")])
        refused("does not fit", [tensor([1], [300], "uint8")])
        refused("kind", [{"object": {"class": "A", "attrs": {}}}])
        refused("no enum member PINK", [{"enum": {"class": "Color", "name": "PINK"}}], "mixed")
        p = self.export("scale", "--bundle", self.path("missing.json"), status=BAD_INPUT)
        self.assertIn("missing.json", p.stderr)
        p = self.export("scale", "--bundle", os.path.join(HERE, "values.pt"), status=BAD_INPUT)
        self.assertIn("torch.save", p.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

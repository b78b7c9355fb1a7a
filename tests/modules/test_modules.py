#!/usr/bin/env python3
"""Module classes of .py sources: their answers, which record.py got from PyTorch, and their errors.

    test_modules.py TSMC TSMRUN [unittest's options]"""
import io
import json
import os
import pickle
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from answers import differs  # noqa: E402
TSMC, TSMRUN = sys.argv[1:3]
OK, BAD_INPUT = 0, 2
TOLERANCE = 1e-4


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


# ---- State dicts as torch.save writes them ----


def count(shape):
    n = 1
    for size in shape:
        n *= size
    return n


class Storage:
    """Pickled as PyTorch names storages: by a persistent id."""

    def __init__(self, key, size):
        self.id = ("storage", Global("torch", "FloatStorage"), key, "cpu", size)


class Global:
    def __init__(self, module, name):
        self.module, self.name = module, name


class Tensor:
    def __init__(self, key, shape):
        self.key, self.shape = key, shape


class TorchPickler(pickle._Pickler):
    """Writes what stands for tensors with the opcodes that PyTorch's own pickles have for them."""

    def persistent_id(self, value):
        return value.id if isinstance(value, Storage) else None

    def save(self, value, save_persistent_id=True):
        if isinstance(value, Global):
            self.write(pickle.GLOBAL + ("%s\n%s\n" % (value.module, value.name)).encode())
        elif isinstance(value, Tensor):
            strides = [count(value.shape[i + 1:]) for i in range(len(value.shape))]
            self.save(Global("torch._utils", "_rebuild_tensor_v2"))
            super().save((Storage(value.key, count(value.shape)), 0, tuple(value.shape), tuple(strides), False, {}))
            self.write(pickle.REDUCE)
        else:
            super().save(value, save_persistent_id)


def state_dict_pickle(sizes):
    out = io.BytesIO()
    TorchPickler(out, 2).dump({name: Tensor(str(i), shape) for i, (name, shape) in enumerate(sizes.items())})
    return out.getvalue()


# ---- Tests ----


class Modules(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.program = self.path("m.tsm")

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def export(self, entry, *options, status=OK):
        """Compiles FILE.py:ENTRY of this folder, or of the temporary one; returns tsmc's messages."""
        file = entry.partition(":")[0]
        folder = HERE if os.path.exists(os.path.join(HERE, file)) else self.folder.name
        p = run(TSMC, os.path.join(folder, entry), "-o", self.program, *options)
        self.assertEqual(p.returncode, status, p.stderr)
        return p.stderr

    def call(self, inputs):
        given, out = self.path("in.json"), self.path("out.json")
        with open(given, "w") as f:
            json.dump(inputs, f)
        p = run(TSMRUN, self.program, "--inputs", given, "--outputs", out)
        self.assertEqual(p.returncode, OK, p.stderr)
        with open(out) as f:
            return json.load(f)

    def check_result(self, got, expected):
        self.assertIsNone(differs(got, expected, "result", TOLERANCE))

    def source(self, text):
        """A file with a module class M."""
        with open(self.path("made.py"), "w") as f:
            f.write("import torch\nfrom torch import nn\nimport torch.nn.functional as F\n\n\n" + text)
        return "made.py:M"

    def constructor(self, body, bases="nn.Module"):
        lines = "".join("        %s\n" % line for line in ["super().__init__()"] + body.split("\n"))
        return self.source("class M(%s):\n    def __init__(self):\n%s\n    def forward(self, x):\n        return x\n"
                           % (bases, lines))


class Answers(Modules):
    def check_recorded(self, file):
        with open(os.path.join(HERE, file)) as f:
            cases = json.load(f)
        for case in cases:
            with self.subTest(case["entry"]):
                weights = ["--weights", os.path.join(HERE, case["weights"])] if case["weights"] else []
                self.assertEqual(self.export(case["entry"], "--eval", *weights), "")
                self.check_result(self.call(case["inputs"]), case["output"])

    def test_recorded(self):
        self.check_recorded("cases.json")

    def test_recorded_with_torch2(self):
        self.check_recorded("cases_torch2.json")

    def test_values_of_buffers_need_no_weights(self):
        entry = self.source("class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                            "        self.norm = nn.LayerNorm(2)\n"
                            "        self.p = nn.Parameter(torch.full((2,), 3.0))\n"
                            "    def forward(self, x):\n        return self.norm(x) * self.p\n")
        self.export(entry)
        x = {"tensor": {"dtype": "float32", "shape": [1, 2], "data": [1.0, 5.0]}}
        self.check_result(self.call([x]), {"tensor": {"dtype": "float32", "shape": [1, 2], "data": [-3.0, 3.0]}})

    def test_strings_in_format_strings_may_have_any_quotes(self):
        body = "a = {'b': 2}\nself.text = f\"{a[\"b\"]} {\"}\"} {f\"{'c'}\"}\"\nassert self.text == '2 } c', self.text"
        self.assertEqual(self.export(self.constructor(body)), "")
        self.assertIn("AssertionError: 2 }", self.export(self.constructor(body.replace("} c", "c")), status=BAD_INPUT))

    def test_training_is_kept_with_a_warning(self):
        weights = os.path.join(HERE, "residual_cnn.pth")
        self.assertIn("aten::batch_norm runs in training mode",
                      self.export("residual_cnn.py:ResidualCNN", "--weights", weights))
        archive = self.export("trained.pt")
        self.assertIn("aten::batch_norm runs in training mode", archive)
        self.assertIn("aten::dropout runs in training mode", archive)

    def test_training_is_told_where_it_is_true(self):
        """At all levels, of layers that are called directly, through an interface and in forks."""
        text = ("@torch.jit.interface\nclass I(nn.Module):\n    def forward(self, x: torch.Tensor) -> torch.Tensor:\n"
                "        pass\n\n\nclass L(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                "        self.norm = nn.BatchNorm1d(4, affine=False)\n        self.count = 0\n\n"
                "    def forward(self, x: torch.Tensor) -> torch.Tensor:\n        self.count += 1\n"
                "        return F.dropout(self.norm(x), 0.5, self.training)\n\n\n"
                "class M(nn.Module):\n    layer: I\n\n    def __init__(self):\n        super().__init__()\n"
                "        self.layer = L()\n        self.other = L()\n"
                "        self.lstm = nn.LSTM(4, 4, 2, dropout=0.5)\n"
                "        for p in self.parameters():\n            nn.init.zeros_(p)\n        self.%s()\n\n"
                "    def forward(self, x):\n        f = torch.jit.fork(self.other, x)\n        x = self.layer.forward(x)\n"
                "        return self.lstm(x)[0] + torch.jit.wait(f)\n")
        for level in "-O0", "-O1", "-O2":
            with self.subTest(level):
                self.assertEqual(self.export(self.source(text % "eval"), level), "")
                told = self.export(self.source(text % "train"), level)
                self.assertEqual(sorted(line.split()[2] for line in told.splitlines()),
                                 ["aten::batch_norm", "aten::dropout", "aten::lstm"])
        told = self.export(self.source(text % "train"), "--weights", "f16")
        self.assertIn("aten::lstm runs in training mode", told)

    def test_loops_over_positions_of_modules(self):
        entry = self.source("class Add(nn.Module):\n    def __init__(self, n):\n        super().__init__()\n"
                            "        self.n = n\n    def forward(self, x: int) -> int:\n        return 10 * x + self.n\n\n\n"
                            "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                            "        self.all = nn.ModuleList([Add(i) for i in range(4)])\n        self.half = 2\n"
                            "    def forward(self, x: int) -> int:\n"
                            "        for i in range(self.half):\n            x = self.all[2 * i + 1](x)\n"
                            "        for i in range(len(self.all) - 1, -1, -2):\n            x = self.all[i](x)\n"
                            "        for layer in self.all[1:3]:\n            x = layer(x)\n"
                            "        return self.all[-1](x)\n")
        self.export(entry)
        self.assertEqual(self.call([5]), 51331123)

    def test_attributes_that_change_keep_their_values(self):
        entry = self.source("class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                            "        self.calls = 0\n"
                            "    def forward(self, x: int) -> int:\n        self.calls += x\n        return self.calls\n")
        self.export(entry)
        given, out = self.path("seq.json"), self.path("out.json")
        with open(given, "w") as f:
            json.dump([[2], [3]], f)
        p = run(TSMRUN, self.program, "--sequence", given, "--outputs", out)
        self.assertEqual(p.returncode, OK, p.stderr)
        with open(out) as f:
            self.assertEqual(json.load(f), [2, 5])


class WeightFiles(Modules):
    """What is wrong with a state dict."""

    def state_dict(self, sizes):
        """A file as torch.save writes it, of float tensors of zeros."""
        path = self.path("w.pth")
        with zipfile.ZipFile(path, "w") as z:
            z.writestr("w/data.pkl", state_dict_pickle(sizes))
            z.writestr("w/version", "3\n")
            for i, shape in enumerate(sizes.values()):
                z.writestr("w/data/%d" % i, struct.pack("<%df" % count(shape), *[0.0] * count(shape)))
        return path

    def load(self, sizes):
        entry = self.constructor("self.fc = nn.Linear(2, 3)")
        return self.export(entry, "--weights", self.state_dict(sizes), status=BAD_INPUT)

    def test_right(self):
        entry = self.constructor("self.fc = nn.Linear(2, 3)")
        self.export(entry, "--weights", self.state_dict({"fc.weight": [3, 2], "fc.bias": [3]}))

    def test_missing_key(self):
        self.assertIn('Error(s) in loading state_dict for M:\n\tMissing key(s) in state_dict: "fc.bias". \n',
                      self.load({"fc.weight": [3, 2]}))

    def test_unexpected_key(self):
        self.assertIn('\n\tUnexpected key(s) in state_dict: "extra". \n',
                      self.load({"fc.weight": [3, 2], "fc.bias": [3], "extra": [1]}))

    def test_wrong_shape(self):
        self.assertIn("\n\tsize mismatch for fc.weight: copying a param with shape torch.Size([2, 3]) from checkpoint, "
                      "the shape in current model is torch.Size([3, 2]).\n",
                      self.load({"fc.weight": [2, 3], "fc.bias": [3]}))

    def test_no_weights(self):
        message = self.export(self.constructor("self.fc = nn.Linear(2, 3)"), status=BAD_INPUT)
        self.assertIn("M has parameters that begin with random values (fc.weight, fc.bias): give --weights", message)

    def test_no_state_dict(self):
        for value in ([1, 2], {3: 4}):
            path = self.path("w.pth")
            with zipfile.ZipFile(path, "w") as z:
                z.writestr("w/data.pkl", pickle.dumps(value, 2))
                z.writestr("w/version", "3\n")
            entry = self.constructor("self.fc = nn.Linear(2, 3)")
            self.assertIn("state dict", self.export(entry, "--weights", path, status=BAD_INPUT))

    def test_other_values(self):
        """A checkpoint that holds more than the state dict, or numbers where tensors belong."""
        entry = self.constructor("self.fc = nn.Linear(2, 3)")
        for value, text in (({"model": {}, "epoch": 3}, 'Missing key(s) in state_dict: "fc.weight", "fc.bias". \n\tUnexpected '
                                                        'key(s) in state_dict: "model", "epoch". '),
                            ({"fc.weight": 3, "fc.bias": "x"}, 'While copying the parameter named "fc.weight", expected torch.Tensor '
                                                               "or Tensor-like object from checkpoint but received <class 'int'>")):
            path = self.path("w.pth")
            with zipfile.ZipFile(path, "w") as z:
                z.writestr("w/data.pkl", pickle.dumps(value, 2))
                z.writestr("w/version", "3\n")
            self.assertIn(text, self.export(entry, "--weights", path, status=BAD_INPUT))

    def test_weights_of_a_function(self):
        entry = self.source("def M(x):\n    return x\n")
        self.assertIn("--weights are for module classes",
                      self.export(entry, "--weights", self.state_dict({"a": [1]}), status=BAD_INPUT))


class Errors(Modules):
    """What __init__ does that cannot be run."""

    def fails(self, body, message, line=None, bases="nn.Module"):
        text = self.export(self.constructor(body, bases), status=BAD_INPUT)
        self.assertIn(message, text)
        if line:
            self.assertIn(line, text)

    def test_unsupported_forms(self):
        self.fails("import os", "import statements aren't supported at compile time")
        self.fails("try:\n    self.a = int('x')\nexcept ValueError:\n    pass", "ValueError: invalid literal for int()")
        self.fails("self.a = 0\nwhile self.a < 2:\n    self.a += 1\nelse:\n    pass", "else branches of while loops aren't supported")
        self.fails("with open('f') as f:\n    pass", "this context manager is not supported at compile time")
        self.fails("if nn.Linear(2, 2)(torch.ones(2)).sum() > 0:\n    pass",
                   "a random number decides what is constructed, which cannot be known at compile time",
                   "if nn.Linear(2, 2)(torch.ones(2)).sum() > 0:")
        self.fails("self.a = nn.utils.weight_norm(nn.Linear(2, 2))",
                   "torch.nn.utils.weight_norm cannot be called at compile time")
        self.fails("self.a = (yield)", "Yield aren't supported at compile time")

    def test_python_errors(self):
        self.fails("self.a = nope", "name 'nope' is not defined", "~~~~ <--- HERE")
        self.fails("self.a = self.b", "'M' object has no attribute 'b'")
        self.fails("self.a = [1][2]", "IndexError: list index out of range")
        self.fails("self.a = {'x': 1}['y']", "KeyError: 'y'")
        self.fails("self.a = 1 // 0", "ZeroDivisionError")
        self.fails("assert False, 'never'", "AssertionError: never")
        self.fails("raise ValueError('bad size')", "ValueError: bad size")
        self.fails("a, b = 1, 2, 3", "too many values to unpack (expected 2)")
        self.fails("self.a = '{:5q}'.format(3)", "Invalid format specifier: '5q'")
        self.fails("self.a = '%y' % 3", "ValueError: unsupported format character 'y'")
        self.fails("self.a = '{:d}'.format('a')", "Unknown format code 'd' for object of type 'str'")
        self.fails("self.a = next(iter([]))", "StopIteration")
        self.fails("self.a = torch.ones(2).item()", "only one element tensors can be converted to Python scalars")
        self.fails("nn.init._calculate_fan_in_and_fan_out(torch.ones(2))", "with fewer than 2 dimensions")
        self.fails("nn.init.calculate_gain('mish')", "ValueError: Unsupported nonlinearity mish")
        self.fails("def f(a, a):\n    return a", "duplicate argument 'a' in function definition")
        self.fails("M.__init__(3)", "TypeError: super(type, obj): obj must be an instance or subtype of type")
        self.fails("self.a = nn.Linear()", "Linear.__init__() missing 1 required positional argument: 'in_features'")
        self.fails("self.a = nn.Linear(2, 2, wide=1)", "got an unexpected keyword argument 'wide'")
        self.fails("while True:\n    pass", "more than 2000000 statements that __init__ executes")
        self.fails("def f():\n    return f()\nself.a = f()", "RecursionError: maximum recursion depth exceeded")
        self.fails("self.a = torch.zeros(2 ** 40, 2 ** 40)", "more than 4096 MiB of memory")
        self.fails("self.a = list(range(10 ** 9))", "range() is too long")

    def test_devices(self):
        """What torch.device refuses, used or not, with PyTorch's texts."""
        self.fails("self.a = torch.device('lay')", "Expected one of cpu, cuda, ipu,", "torch.device('lay')")
        self.fails("self.a = torch.device('')", "Device string must not be empty")
        for name in ("cpu:x", "cpu:-1", "cpu:", "cpu:01", "cuda:0:1", " cpu"):
            self.fails("self.a = torch.device('%s')" % name, "Invalid device string: '%s'" % name)
        self.fails("self.a = torch.device('CPU')", "device type at start of device string: CPU")
        self.fails("self.a = torch.device('cuda:99999999999')", "Could not parse device index '99999999999' in device string")
        self.fails("self.a = torch.device('cuda', 1000)", "Could not parse device index '1000' in device string 'cuda:1000'")
        self.fails("self.a = torch.device('cpu:1', 1)", "type (string) must not include an index because index was passed")
        self.fails("self.a = torch.device('cuda', -5)", "Device index must not be negative")

    def test_modules(self):
        self.fails("self.a = nn.Nope()", "torch.nn.Nope is not among the modules that the compiler has")
        self.fails("self.w = nn.Parameter(torch.ones(1))\nself.w = torch.ones(1)",
                   "cannot assign 'torch.FloatTensor' as parameter 'w' (torch.nn.Parameter or None expected)")
        self.fails("self.a = self", "a module of class M contains itself")
        text = self.source("class M(nn.Module):\n    def __init__(self):\n        self.a = nn.ReLU()\n"
                           "    def forward(self, x):\n        return x\n")
        self.assertIn("cannot assign module before Module.__init__() call", self.export(text, status=BAD_INPUT))

    HOOKED = ("from typing import Tuple\nfrom torch import Tensor as T\n\n\ndef %s:\n    return %s\n\n\n"
              "class I(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.k = 1\n"
              "        self.register_forward_%shook(h)\n    def forward(self, x, n: int = 1):\n        return x * n\n\n\n"
              "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.i = I()\n"
              "    def forward(self, x):\n        return self.i(%s)\n")

    def test_hooks(self):
        """What PyTorch refuses, with its texts: when it compiles a hook, and in calls."""
        for header, result, kind, call, message in (
                ("h(self, input)", "None", "pre_", "x, 2", "Pre-hook 'h' on module 'I' expected the input argument to be "
                 "typed as a Tuple but found type: 'Tensor' instead.\n"),
                ("h(self, input: Tuple[T, int], n: int)", "None", "pre_", "x, 2", "was expected to only have exactly 2 "
                 "inputs but it had 3 inputs."),
                ("h(self, input: Tuple[T])", "None", "pre_", "x, 2", "Pre-hook 'h' on module 'I' has the wrong number of "
                 "contained types for the input argument's Tuple. Received type: 'Tuple[Tensor]'.\n"),
                ("h(self, input: Tuple[T, T])", "None", "pre_", "x, 2", "has the wrong inner types for the input tuple "
                 "argument. Received type: 'Tuple[Tensor, Tensor]'.\n"),
                ("h(self, input: Tuple[T, int])", "1", "pre_", "x, 2", "returned the wrong type of: 'int'.\n"),
                ("h(self, input: Tuple[T, int])", "(input[0],)", "pre_", "x, 2", "returned the wrong type of: "
                 "'Tuple[Tensor]'. The returned tuple contains the wrong number of contained types.\n"),
                ("h(self, input: Tuple[T, int])", "input, input", "pre_", "x, 2", "with a return type of either 'None' or "
                 "'Tuple[Tensor, int]'."),
                ("h(self, input: Tuple[T, int], output: int)", "None", "", "x, 2", "Hook 'h' on module 'I' has the wrong "
                 "type for the output argument. Received type: 'int'. Expected type: 'Tensor'.\n"),
                ("h(self, input: Tuple[T, int], output: T)", "None", "", "x", "Expected a value of type 'Tuple[Tensor, "
                 "int]' for argument 'input' but instead found type 'Tuple[Tensor]'."),
                ("h(self, input: Tuple[T, int], output: T)", "None", "", "x, n=2", "instead found type 'Tuple[Tensor]'."),
                ("h(self, input: Tuple[T, int])", "self.no", "pre_", "x, 2", "Module 'I' has no attribute 'no' ")):
            with self.subTest(header, call=call):
                entry = self.source(self.HOOKED % (header, result, kind, call))
                self.assertIn(message, self.export(entry, status=BAD_INPUT))
        self.fails("self.register_forward_hook(lambda m, i, o: None)", "a lambda is not", "register_forward_hook(")
        self.fails("self.register_forward_hook(nn.ReLU())", "'ReLU' object has no attribute '__name__'")
        self.fails("def training(m, i): pass\nself.register_forward_pre_hook(training).remove()",
                   "torch.utils.hooks.RemovableHandle.remove")
        self.fails("self.register_state_dict_pre_hook(print)", "torch.nn.Module.register_state_dict_pre_hook")

    def test_hooks_of_one_name(self):
        body = ("def h(self, i):\n    return None\nself.register_forward_pre_hook(h)\n"
                "def h(self, i):\n    return i\nself.register_forward_pre_hook(h)")
        self.assertIn("Pre-hook 'h' on M has at least two different python definitions. Please use unique names for all "
                      "hooks.", self.export(self.constructor(body), status=BAD_INPUT))
        body = "def forward(self, i):\n    return None\nself.register_forward_pre_hook(forward)"
        self.assertIn("Can't define hook: forward on class: __torch__.made.M because a method or hook with that name "
                      "already exists.", self.export(self.constructor(body), status=BAD_INPUT))

    def test_entries(self):
        self.source("class M(nn.Module):\n    pass\n\n\nclass P:\n    pass\n")
        self.assertIn("defines no function or class 'N'", self.export("made.py:N", status=BAD_INPUT))
        self.assertIn("has no method forward", self.export("made.py:M", status=BAD_INPUT))
        self.assertIn("'P' is a class; name a function or a module", self.export("made.py:P", status=BAD_INPUT))
        self.assertIn("takes no arguments", self.export("made.py:P(1)", status=BAD_INPUT))
        self.source("import collections\nimport enum\n\n\nclass K(enum.Enum):\n    A = 1\n\n\n"
                    "T = collections.namedtuple('T', 'a b')\n")
        self.assertIn("ValueError: 3 is not a valid K", self.export("made.py:K(3)", status=BAD_INPUT))
        self.assertIn("missing 1 required positional argument: 'b'", self.export("made.py:T(1)", status=BAD_INPUT))

    def test_forward(self):
        entry = self.source("class M(nn.Module):\n    def forward(self, x):\n        return self.nothing(x)\n")
        self.assertIn("Module 'M' has no attribute 'nothing' ", self.export(entry, status=BAD_INPUT))
        entry = self.source("class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                            "        self.list = nn.ModuleList([nn.ReLU()])\n\n"
                            "    def forward(self, i: int, x):\n        return self.list[i](x)\n")
        self.assertIn("Expected integer literal for index", self.export(entry, status=BAD_INPUT))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

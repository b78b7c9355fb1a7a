#!/usr/bin/env python3
"""Static int8 from floats (tsmc --quantize): what layers lose, what stays with floats, and what is refused.

    test_quantize.py TSMC TSMRUN [unittest's options]"""
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from state_dict import save_state  # noqa: E402
from weights.states import STATES  # noqa: E402
TSMC, TSMRUN = map(os.path.abspath, sys.argv[1:3])
NETS = os.path.join(HERE, "nets.py")
DIGITS = os.path.join(HERE, "..", "models", "digits.pt")

METHODS = """import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 3)
        self.layer.weight = nn.Parameter(torch.arange(12.0).view(3, 4) / 10)
        self.layer.bias = nn.Parameter(torch.ones(3))
        self.before = torch.zeros(1, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.before = torch.relu(self.layer(x)) + self.before
        return self.before

    @torch.jit.export
    def other(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x).exp()


class Traced(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.arange(12.0).view(3, 2, 2) / 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch._convolution(x, self.weight, None, [1], [0], [1], False, [0], 1, False, False, True, True)


def no_layers(x: torch.Tensor) -> torch.Tensor:
    return x + 1

"""


def tensor(shape, data):
    return {"tensor": {"dtype": "float32", "shape": list(shape), "data": data}}


def noise(seed, *shape):
    r, n = random.Random(seed), 1
    for size in shape:
        n *= size
    return [tensor(shape, [r.uniform(-1, 1) for _ in range(n)])]


def words(seed, rows, columns):
    r = random.Random(seed)
    return [{"tensor": {"dtype": "int64", "shape": [rows, columns], "data": [r.randrange(300) for _ in range(rows * columns)]}}]


def images(name):
    """Images of digits as arguments, and their labels."""
    with open(os.path.join(HERE, "..", "models", name), "rb") as f:
        data = f.read()
    n, height, width, _ = struct.unpack("<4I", data[8:24])
    size = height * width
    pixels = data[24:24 + n * size]
    calls = [[tensor([1, 1, height, width], [p / 16 for p in pixels[i * size:(i + 1) * size]])] for i in range(n)]
    return calls, list(data[24 + n * size:24 + n * (size + 1)])


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def best(row):
    return max(range(len(row)), key=row.__getitem__)


class Quantize(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        for name, sizes in STATES.items():
            save_state(os.path.join(cls.folder.name, name), sizes)
        with open(cls.path("net.py"), "w") as f:
            f.write(METHODS)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    def write(self, name, value):
        with open(self.path(name), "w") as f:
            f.write(value) if isinstance(value, str) else json.dump(value, f)
        return self.path(name)

    def tsmc(self, what, *options):
        p = run(TSMC, *what, "-o", self.path("out.tsm"), *options)
        self.assertEqual(p.returncode, 0, p.stderr)
        return p

    def net(self, name):
        return [NETS + ":" + name, "--eval", "--weights", self.path(name)]

    def own(self, name="Net"):
        return [self.path("net.py") + ":" + name, "--eval"]

    def refused(self, what, calls, text, *options):
        p = run(TSMC, *what, "-o", self.path("no.tsm"), "--quantize", self.write("bad.json", calls), *options)
        self.assertEqual(p.returncode, 2, p.stdout + p.stderr)
        self.assertIn(text, p.stderr)
        self.assertFalse(os.path.exists(self.path("no.tsm")))

    def answers(self, calls):
        p = run(TSMRUN, self.path("out.tsm"), "--sequence", self.write("calls.json", calls), "--outputs", self.path("out.json"))
        self.assertEqual(p.returncode, 0, p.stderr)
        with open(self.path("out.json")) as f:
            return [x["tensor"]["data"] for x in json.load(f)]

    def report(self, what, calls, *options):
        p = self.tsmc(what, "--quantize", self.write("calibration.json", calls), "--json", *options)
        found = json.loads(p.stdout)
        return {layer["name"]: layer for layer in found["layers"]}, found["results"]

    def info(self, pattern):
        return int(re.search(pattern, run(TSMRUN, "--info", self.path("out.tsm")).stdout)[1])

    # ---- What it does ----

    def test_digits_are_recognized_as_before(self):
        calls, labels = images("digits_test.bin")
        example = ["--example", os.path.join(HERE, "..", "models", "digits_example.json")]
        right, buffer, size = {}, {}, {}
        for kind in ("floats", "int8"):
            options = [] if kind == "floats" else \
                ["--quantize", self.write("calibration.json", images("digits_train.bin")[0][:64])]
            said = self.tsmc([DIGITS], *example, *options).stdout
            right[kind] = sum(best(row) == label for row, label in zip(self.answers(calls), labels))
            buffer[kind], size[kind] = self.info(r"buffer (\d+) bytes"), self.info(r"(\d+) of them tensors")
        self.assertIn("4 of 4 layers are int8", said)
        self.assertIn("stays the greatest in 64 of 64 rows", said)
        self.assertGreaterEqual(right["int8"], right["floats"] - 2)
        self.assertLess(size["int8"], 0.36 * size["floats"])
        self.assertLess(buffer["int8"], 0.75 * buffer["floats"])

    def test_layers_of_all_kinds(self):
        for name, calls, others, shape in (("Mlp", 4, [noise(9, 1, 200), noise(8, 9, 200)], (3, 200)),
                                           ("Convolutions", 3, [noise(9, 2, 3, 24, 24), noise(8, 1, 3, 30, 18)], (1, 3, 24, 24))):
            self.tsmc(self.net(name))
            wanted = self.answers(others)
            for options in ([], ["--example", self.write("example.json", others[0])], ["--quantize-range", "extremes"]):
                with self.subTest(name=name, options=options):
                    layers, results = self.report(self.net(name), [noise(i, *shape) for i in range(calls)], *options)
                    self.assertEqual([n for n, l in layers.items() if not l["is_int8"]], [])
                    self.assertGreater(min(l["alone"] for l in layers.values()), 30)
                    self.assertGreater(results["ratio"], 25)
                    for got, want in zip(self.answers(others), wanted):
                        difference = max(abs(a - b) for a, b in zip(got, want))
                        self.assertLess(difference, 0.06 * max(map(abs, want)))
                        self.assertGreater(difference, 0)
            self.assertIn("layers: int8\n", run(TSMRUN, "--info", self.path("out.tsm")).stdout)

    def test_convolutions_of_traces(self):
        calls = [noise(1, 1, 2, 9)]
        self.tsmc(self.own("Traced"))
        (wanted,) = self.answers(calls)
        layers, results = self.report(self.own("Traced"), calls)
        self.assertEqual([(layer["operator"], layer["is_int8"]) for layer in layers.values()], [("aten::conv1d", True)])
        self.assertGreater(results["ratio"], 25)
        (got,) = self.answers(calls)
        self.assertLess(max(abs(g - w) for g, w in zip(got, wanted)), 0.06 * max(map(abs, wanted)))

    def test_names_and_operators(self):
        layers, _ = self.report(self.net("Convolutions"), [noise(1, 1, 3, 24, 24)])
        self.assertEqual({n: l["operator"] for n, l in layers.items()},
                         {"first": "aten::conv2d", "second": "aten::conv2d", "groups": "aten::conv2d", "add": "aten::add.Tensor",
                          "depthwise": "aten::conv2d", "last": "aten::conv2d", "mean": "aten::mean.dim"})

    def test_named_layers_stay(self):
        layers, _ = self.report(self.net("Mlp"), [noise(1, 3, 200)], "--quantize-skip", "second", "--quantize-skip", "last")
        self.assertEqual({n: l.get("reason") for n, l in layers.items()},
                         {"first": None, "second": "--quantize-skip", "last": "--quantize-skip"})
        self.refused(self.net("Mlp"), [noise(1, 3, 200)], "there is no such layer; layers are first, second, sigmoid, last",
                     "--quantize-skip", "secon")

    def test_layers_that_lose_much_stay(self):
        layers, _ = self.report(self.net("Mlp"), [noise(1, 3, 200)])
        limit = (layers["first"]["alone"] + layers["last"]["alone"]) / 2
        layers, _ = self.report(self.net("Mlp"), [noise(1, 3, 200)], "--quantize-limit", str(limit))
        kept = [n for n, l in layers.items() if l["alone"] is None or l["alone"] >= limit]
        self.assertTrue(0 < len(kept) < len(layers))
        for name in ("first", "second", "last"):
            self.assertEqual(layers[name]["is_int8"], name in kept)
        self.refused(self.net("Mlp"), [noise(1, 3, 200)], "every layer stays with floats, the first (first) because it would lose "
                     "too much", "--quantize-limit", "100")

    def test_layers_whose_numbers_tell_nothing_stay(self):
        layers, _ = self.report(self.net("Mlp"), [[tensor([1, 200], [0.0] * 200)]])
        self.assertEqual(layers["first"]["reason"], "its input: all its numbers are 0")
        self.assertTrue(layers["second"]["is_int8"])
        layers, _ = self.report(self.net("Mlp"), [noise(1, 1, 200)], "--quantize-limit", "48.5")
        self.assertEqual(layers["sigmoid"].get("reason"), "its inputs are floats")

    def test_beside_narrow_weights(self):
        calls = [words(i, 7, 1) for i in range(3)]
        self.tsmc(self.net("Recurrent"))
        wanted, size = self.answers(calls), self.info(r"(\d+) of them tensors")
        layers, results = self.report(self.net("Recurrent"), calls, "--weights", "int8")
        self.assertEqual(list(layers), ["last"])
        self.assertGreater(results["ratio"], 25)
        self.assertLess(self.info(r"(\d+) of them tensors"), 0.34 * size)
        self.assertLess(max(abs(a - b) for a, b in zip(sum(self.answers(calls), []), sum(wanted, []))), 0.05)

    def test_verify_says_how_much_results_change(self):
        p = run(TSMC, *self.net("Mlp"), "--verify", "--example", self.write("example.json", noise(5, 2, 200)), "--quantize",
                self.write("calibration.json", [noise(1, 3, 200)]))
        self.assertEqual(p.returncode, 0, p.stdout + p.stderr)
        self.assertRegex(p.stdout, r"layers as int8: results change by at most \S+; the greatest number in them")
        self.assertIn("passes behind quantize are compared with the program after it", p.stdout)
        self.assertRegex(p.stdout, r"\nspecialize +0\n")

    def test_calls_see_the_state_of_those_before(self):
        """The sum that forward keeps grows from call to call, and so does its range."""
        call = [tensor([1, 4], [1.0, 1.0, 1.0, 1.0])]
        self.tsmc(self.own() + ["--method", "forward"], "--quantize", self.write("calibration.json", [call] * 4))
        self.assertEqual(len(self.answers([call] * 4)), 4)
        for got, want in zip(self.answers([call] * 4)[3], (6.4, 12.8, 19.2)):
            self.assertLess(abs(got - want), 0.4)

    def test_methods(self):
        calls = self.write("calibration.json", [[tensor([1, 4], [1.0, -1.0, 2.0, 0.5])]])
        p = self.tsmc(self.own(), "--quantize", calls)
        self.assertIn("no call of method 'other' is given, so it stays with floats", p.stderr)
        self.assertIn("1 of 2 layers are int8", p.stdout)
        p = self.tsmc(self.own(), "--quantize", calls, "--quantize", "other=" + calls)
        self.assertNotIn("stays with floats", p.stderr)
        self.assertIn("3 of 3 layers are int8", p.stdout)

    # ---- What is refused ----

    def test_calibrations_that_are_none(self):
        mlp, call = self.net("Mlp"), noise(1, 3, 200)
        for calls, text in (("[", "the JSON text ends too early"), (call, "must hold a list of calls"), ([], "holds no calls"),
                            ({"float": 1.0}, "must hold a list of calls"), ([call + call], "holds 2 arguments, and forward takes 1"),
                            ([[]], "call 1, of forward, cannot be run"), ([call, noise(1, 3, 10)], "call 2, of forward, cannot be run"),
                            ([[tensor([1, 200], [float("nan")] * 200)]], "its input: it has NaN or infinite numbers"),
                            ([[tensor([0, 200], [])]], "its input: it has no elements")):
            with self.subTest(text=text):
                self.refused(mlp, calls, text)
        p = run(TSMC, *mlp, "-o", self.path("no.tsm"), "--quantize", self.path("missing.json"))
        self.assertEqual(p.returncode, 2)
        self.assertIn("missing.json", p.stderr)
        p = run(TSMC, *mlp, "-o", self.path("no.tsm"), "--quantize", "backward=" + self.write("bad.json", [call]))
        self.assertEqual(p.returncode, 2)
        self.assertIn("the program has no method backward", p.stderr)
        p = run(TSMC, *mlp, "-o", self.path("no.tsm"), "--quantize", os.path.join(HERE, "..", "cli", "arguments.pt"))
        self.assertEqual(p.returncode, 2)
        self.assertIn("must hold a list of calls", p.stderr)

    def test_programs_without_layers(self):
        call = [tensor([1, 4], [1.0, 2.0, 3.0, 4.0])]
        self.refused(self.own("no_layers"), [call], "the program has no layer that can be quantized")
        self.refused(self.net("Learning"), [noise(1, 2, 60)], "the program has no layer that can be quantized")
        with open(os.path.join(HERE, "..", "models", "learner_example.json")) as f:
            self.refused([os.path.join(HERE, "..", "models", "learner.pt")], [json.load(f)],
                         "--quantize is for inference: the program asks for gradients")

    def test_wrong_usage(self):
        calls = [noise(1, 3, 200)]
        self.refused(self.net("Mlp"), calls, "--quantize is for -O2", "-O1")
        self.refused(self.net("Mlp"), calls, "--quantize-limit wants a number of decibels", "--quantize-limit", "much")
        self.refused(self.net("Mlp"), calls, "--quantize-range is extremes or error, not all", "--quantize-range", "all")
        p = run(TSMC, *self.net("Mlp"), "-o", self.path("no.tsm"), "--quantize-skip", "last")
        self.assertEqual(p.returncode, 2)
        self.assertIn("are for --quantize", p.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

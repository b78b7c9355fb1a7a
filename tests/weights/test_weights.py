#!/usr/bin/env python3
"""Weights stored as half floats and as int8 (tsmc --weights f16|int8): sizes, and results beside those of floats.

    test_weights.py TSMC TSMRUN [unittest's options]
    test_weights.py TSMC TSMRUN --table [MODEL.pt EXAMPLE.json]...     prints the table of docs/weights.md"""
import functools
import json
import os
import random
import re
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


def floats(*shape):
    r, n = random.Random(2), 1
    for size in shape:
        n *= size
    return [{"tensor": {"dtype": "float32", "shape": list(shape), "data": [r.uniform(-1, 1) for _ in range(n)]}}]


def words(rows, columns, most):
    r = random.Random(3)
    return [{"tensor": {"dtype": "int64", "shape": [rows, columns],
                        "data": [r.randrange(most) for _ in range(rows * columns)]}}]


INPUTS = {"Mlp": [floats(1, 200), floats(9, 200)], "Convolutions": [floats(2, 3, 24, 24)],
          "Recurrent": [words(7, 1, 300), words(5, 3, 300)], "Embedding": [words(4, 6, 1000)],
          "Transformer": [words(2, 9, 300)]}
# The largest difference that is allowed, in parts of the greatest result.
ALLOWED = {"f16": 2e-3, "int8": 4e-2}


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def flat(value):
    if isinstance(value, dict):
        value = value["tensor"]["data"] if "tensor" in value else list(value.values())
    return [x for v in value for x in flat(v)] if isinstance(value, list) else [value]


class Weights(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        for name, sizes in STATES.items():
            save_state(os.path.join(cls.folder.name, name), sizes)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, value):
        with open(self.path(name), "w") as f:
            json.dump(value, f)
        return self.path(name)

    def tsmc(self, name, *options):
        return run(TSMC, "%s:%s" % (NETS, name), "--eval", "--weights", self.path(name), *options)

    def export(self, name, *options):
        p = self.tsmc(name, "-o", self.path("out.tsm"), *options)
        self.assertEqual(p.returncode, 0, p.stderr)
        return self.path("out.tsm")

    def export_archive(self, path, *options):
        p = run(TSMC, path, "-o", self.path("out.tsm"), *options)
        self.assertEqual(p.returncode, 0, p.stderr)
        return self.path("out.tsm")

    def answers(self, path, inputs):
        p = run(TSMRUN, path, "--inputs", self.write("in.json", inputs), "--outputs", self.path("out.json"))
        self.assertEqual(p.returncode, 0, p.stderr)
        with open(self.path("out.json")) as f:
            return flat(json.load(f))

    def difference(self, got, wanted):
        self.assertEqual(len(got), len(wanted))
        return max(abs(a - b) for a, b in zip(got, wanted)) / max(abs(b) for b in wanted)

    def tensor_bytes(self, path):
        return int(re.search(r"(\d+) of them tensors", run(TSMRUN, "--info", path).stdout)[1])

    def test_results_and_sizes(self):
        for name, all_inputs in INPUTS.items():
            for inputs in all_inputs:
                path = self.export(name)
                wanted, size = self.answers(path, inputs), self.tensor_bytes(path)
                for to, part in (("f16", 0.56), ("int8", 0.34)):
                    for example in ([], ["--example", self.write("example.json", inputs)]):
                        with self.subTest(name=name, to=to, example=bool(example)):
                            path = self.export(name, "--weights", to, *example)
                            difference = self.difference(self.answers(path, inputs), wanted)
                            self.assertLess(difference, ALLOWED[to])
                            self.assertGreater(difference, 0)
                            self.assertLess(self.tensor_bytes(path), part * size)

    def test_verify_says_how_much_results_change(self):
        example = self.write("example.json", INPUTS["Mlp"][0])
        path = self.export("Mlp")
        wanted = self.answers(path, INPUTS["Mlp"][0])
        for to, words_ in (("f16", "half floats"), ("int8", "int8")):
            p = self.tsmc("Mlp", "--weights", to, "--verify", "--example", example)
            self.assertEqual(p.returncode, 0, p.stdout + p.stderr)
            said = re.search(r"weights as %s: results change by at most (\S+); the greatest number in them is (\S+) " % words_,
                             p.stdout)
            got = self.answers(self.export("Mlp", "--weights", to), INPUTS["Mlp"][0])
            largest = max(abs(a - b) for a, b in zip(got, wanted))
            self.assertAlmostEqual(float(said[1]), largest, delta=0.02 * largest)
            self.assertAlmostEqual(float(said[2]), max(map(abs, wanted)), delta=0.01 * max(map(abs, wanted)))
            self.assertRegex(p.stdout, r"\nspecialize +0\n")

    def test_a_tolerance_does_not_limit_the_loss_but_later_passes(self):
        example = self.write("example.json", INPUTS["Mlp"][0])
        p = self.tsmc("Mlp", "--weights", "int8", "--verify", "--example", example, "--tolerance", "1e-5")
        self.assertEqual(p.returncode, 0, p.stdout + p.stderr)
        self.assertIn("all agree to 1e-05", p.stdout)

    def test_no_whole_weight_is_in_the_buffer(self):
        for rows in (1, 40):
            inputs = self.write("example.json", floats(rows, 1200))
            sizes = {}
            for to in ("float", "f16", "int8"):
                path = self.export("Large", "--example", inputs, *(["--weights", to] if to != "float" else []))
                sizes[to] = int(re.search(r"buffer (\d+) bytes", run(TSMRUN, "--info", path).stdout)[1])
            for to in ("f16", "int8"):
                self.assertLess(sizes[to], sizes["float"] + (300 << 10))
                if rows == 1:
                    self.assertLess(sizes[to], sizes["float"] + 1000)

    def test_a_microcontroller_takes_small_blocks(self):
        inputs = self.write("example.json", floats(40, 1200))
        path = self.export("Large", "--example", inputs, "--target", "cortex-m4f", "--weights", "int8")
        size = int(re.search(r"buffer (\d+) bytes", run(TSMRUN, "--info", path).stdout)[1])
        self.assertLess(size, 40 * (1200 + 800) * 4 + (40 << 10))

    def test_operators_and_metadata(self):
        path = self.export("Transformer", "--weights", "int8", "--meta", "author=me")
        self.assertIn("weights.elements: int8\n", run(TSMRUN, "--info", path).stdout)
        p = self.tsmc("Transformer", "--weights", "int8", "--sizes")
        self.assertIn("table.weight int8[19, 64, 16]: tsm::narrow_embedding, tsm::narrow_linear", p.stdout)
        self.assertIn("mix int8[4, 64, 16]: tsm::narrow_linear", p.stdout)
        self.assertIn("norm.weight float32[64]", p.stdout)

    def test_depthwise_and_small_weights_stay(self):
        p = self.tsmc("Convolutions", "--weights", "f16", "--sizes")
        self.assertRegex(p.stdout, r"depthwise.weight float32\[4, 3, 3, 1, 16\]: tsm::convolution")
        self.assertRegex(p.stdout, r"second.weight float16\[4, 3, 3, 32, 16\]: tsm::narrow_convolution")
        p = self.tsmc("Embedding", "--weights", "f16", "--sizes")
        self.assertIn("table.weight float16[1000, 60]: tsm::narrow_embedding", p.stdout)
        self.assertIn("last.weight float32", p.stdout)

    def test_layers_of_halves_are_packed(self):
        inputs = floats(2, 3, 12, 12)
        plain = self.export("Halves", "-O0")
        wanted, size = self.answers(plain, inputs), self.tensor_bytes(plain)
        for options in ([], ["--example", self.write("example.json", inputs)], ["--weights", "int8"]):
            path = self.export("Halves", *options)
            self.assertLess(self.difference(self.answers(path, inputs), wanted), 2e-2)
            self.assertLess(self.tensor_bytes(path), 1.6 * size)
            p = self.tsmc("Halves", "--sizes", *options)
            for tensor in (r"first.weight float16\[2, 3, 3, 3, 16\]: tsm::half_convolution", r"depthwise.weight float16\[2, 3, 3, 1, 16\]: tsm::half_convolution",
                           r"groups.weight bfloat16\[4, 3, 3, 12, 16\]: tsm::half_convolution", r"lines.weight bfloat16\[2, 3, 40, 16\]: tsm::half_convolution",
                           r"half.weight float16\[3, 20, 16\]: tsm::half_linear", r"last.weight bfloat16\[1, 33, 16\]: tsm::half_linear"):
                self.assertRegex(p.stdout, tensor)

    def test_weights_that_change_stay(self):
        p = self.tsmc("Learning", "--weights", "int8", "--sizes")
        self.assertIn("weight float32[40, 60]", p.stdout)
        self.assertNotIn("narrow", p.stdout)

    def test_numbers_that_do_not_fit_stay(self):
        source = self.path("big.py")
        with open(source, "w") as f:
            f.write("import torch\nimport torch.nn as nn\nclass Net(nn.Module):\n    def __init__(self):\n"
                    "        super().__init__()\n        self.w = nn.Parameter(torch.full((40, 60), 70000.0))\n"
                    "    def forward(self, x: torch.Tensor) -> torch.Tensor:\n        return x @ self.w\n")
        for to, dtype in (("f16", "float32[40, 60]: aten::matmul"), ("int8", "int8[4, 40, 16]: tsm::narrow_linear")):
            p = run(TSMC, source + ":Net", "--weights", to, "--sizes")
            self.assertIn("w " + dtype, p.stdout, p.stderr)

    def test_a_state_dict_may_be_called_int8(self):
        save_state(self.path("int8"), STATES["Large"])
        p = subprocess.run([TSMC, NETS + ":Large", "--weights", "./int8", "-o", "large.tsm"], cwd=self.folder.name,
                           capture_output=True, text=True)
        self.assertEqual(p.returncode, 0, p.stderr)
        p = subprocess.run([TSMC, NETS + ":Large", "--weights", "./int8", "--weights", "int8", "--sizes"], cwd=self.folder.name,
                           capture_output=True, text=True)
        self.assertIn("layer.weight int8", p.stdout)

    def test_wants_packed_weights(self):
        p = self.tsmc("Mlp", "--weights", "f16", "-O1", "-o", self.path("out.tsm"))
        self.assertEqual(p.returncode, 2)
        self.assertIn("--weights f16 and int8 are for -O2", p.stderr)


def print_table(models):
    """Bytes of tensors, and the largest difference of the results in parts of the greatest."""
    t = Weights("test_results_and_sizes")
    Weights.setUpClass()
    rows = [("%s of nets.py" % n, i[0], functools.partial(t.export, n)) for n, i in INPUTS.items()]
    for model, example in models:
        with open(example) as f:
            rows.append((os.path.basename(model), json.load(f), functools.partial(t.export_archive, model)))
    print("| model | floats | f16 | difference | int8 | difference |\n| --- | --- | --- | --- | --- | --- |")
    for name, inputs, export in rows:
        path = export()
        wanted, line = t.answers(path, inputs), [name, t.tensor_bytes(path)]
        for to in ("f16", "int8"):
            path = export("--weights", to)
            line += [t.tensor_bytes(path), "%.2g %%" % (100 * t.difference(t.answers(path, inputs), wanted))]
        print("| %s |" % " | ".join(map(str, line)))
    Weights.tearDownClass()


if __name__ == "__main__":
    if sys.argv[3:4] == ["--table"]:
        print_table(list(zip(sys.argv[4::2], sys.argv[5::2])))
    else:
        unittest.main(argv=sys.argv[:1] + sys.argv[3:])

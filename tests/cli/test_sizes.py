#!/usr/bin/env python3
"""Files hold every weight once, packed or plain, and tsmc --sizes tells what takes how much.

    test_sizes.py TSMC TSMRUN [unittest's options]"""
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
sys.path.insert(0, os.path.join(HERE, "..", "verification"))
from state_dict import save_state  # noqa: E402
from check import Flat  # noqa: E402

TSMC, TSMRUN = sys.argv[1], sys.argv[2]
OK, BAD_INPUT = 0, 2
E = 64

SOURCE = """
from typing import List, Optional, Tuple
import torch
from torch import nn, Tensor
from torch.nn import functional as F

class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(64, 2, batch_first=True)
    def forward(self, q: Tensor, k: Tensor, v: Tensor, same: bool) -> Tensor:
        if same:
            return self.attention(q, q, q)[0]
        return self.attention(q, k, v)[0]

class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(64, 2, 128, 0.0, batch_first=True)
    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x)

class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(64, 64)
        self.gru = nn.GRU(64, 64, bidirectional=True)
    def forward(self, x: Tensor) -> Tensor:
        return self.gru(self.lstm(x)[0])[0]
    @torch.jit.export
    def packed(self, x: Tensor, lengths: Tensor) -> Tensor:
        rows = nn.utils.rnn.pack_padded_sequence(x, lengths)
        return self.gru(self.lstm(rows)[0])[0].data

class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.layer = nn.Linear(128, 128)
    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        return self.layer(x)

class Counted(nn.Module):
    def __init__(self):
        super().__init__()
        self.counter = Counter()
    def forward(self, x: Tensor) -> Tensor:
        return self.counter(x)

class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(300, 64)
    def forward(self, x: Tensor) -> Tensor:
        return F.linear(self.embedding(x), self.embedding.weight)

class Normed(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight_v = nn.Parameter(torch.zeros(128, 128))
        self.weight_g = nn.Parameter(torch.zeros(128, 1))
    def forward(self, x: Tensor) -> Tensor:
        return F.linear(x, torch._weight_norm(self.weight_v, self.weight_g, 0))

class TwoMethods(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(512, 24, 1)
        self.scale = nn.Parameter(torch.ones(24, 1, 1))
        self.last = nn.Linear(64, 64)
    def forward(self, x: Tensor) -> Tensor:
        return self.conv(x) * self.scale
    @torch.jit.export
    def again(self, x: Tensor, y: Tensor) -> Tensor:
        return (self.conv(x) * self.scale)[0, :, 0, 0].sum() + self.last(y)

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(64, 24, 3, padding=1)
        self.second = nn.Conv2d(24, 64, 3, padding=1)
    def forward(self, x: Tensor) -> Tensor:
        return F.relu(x + self.second(F.relu(self.first(x))))

class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block() for _ in range(12)])
    def forward(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = block(x)
        return x

class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(12)])
        self.large = nn.Linear(3, 5461)
        self.seen = nn.Parameter(torch.zeros(3))
    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        return self.large(x * self.seen)
    @torch.jit.export
    def place(self) -> Tuple[Tensor, int]:
        return self.seen, self.seen.storage_offset()

class Grouped(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(256, 256, 3, groups=64)
        self.second = nn.Conv1d(64, 129, 3)
    def forward(self, x: Tensor, plain: bool) -> Tensor:
        if plain:
            return self.second.weight.sum() + self.first.weight.mean()
        return self.second(self.first(x).reshape(1, 64, -1))
"""


ATTENTION = {"in_proj_weight": (3 * E, E), "in_proj_bias": (3 * E,), "out_proj.weight": (E, E), "out_proj.bias": (E,)}
BLOCK = {"first.weight": (24, E, 3, 3), "first.bias": (24,), "second.weight": (E, 24, 3, 3), "second.bias": (E,)}
STATES = {
    "Deep": {"blocks.%d.%s" % (i, k): v for i in range(12) for k, v in BLOCK.items()},
    "Attention": {"attention." + k: v for k, v in ATTENTION.items()},
    "Encoder": {**{"layer.self_attn." + k: v for k, v in ATTENTION.items()},
                "layer.linear1.weight": (128, E), "layer.linear1.bias": (128,), "layer.linear2.weight": (E, 128),
                "layer.linear2.bias": (E,), "layer.norm1.weight": (E,), "layer.norm1.bias": (E,),
                "layer.norm2.weight": (E,), "layer.norm2.bias": (E,)},
    "Recurrent": {**{"lstm.%s_l0" % k: v for k, v in (("weight_ih", (256, E)), ("weight_hh", (256, E)), ("bias_ih", (256,)),
                                                     ("bias_hh", (256,)))},
                  **{"gru.%s_l0%s" % (k, d): v for d in ("", "_reverse")
                     for k, v in (("weight_ih", (192, E)), ("weight_hh", (192, E)), ("bias_ih", (192,)), ("bias_hh", (192,)))}},
    "Small": {**{"layers.%d.%s" % (i, k): v for i in range(12) for k, v in (("weight", (3, 3)), ("bias", (3,)))},
              "large.weight": (5461, 3), "large.bias": (5461,), "seen": (3,)},
    "Counted": {"counter.layer.weight": (128, 128), "counter.layer.bias": (128,)},
    "Tied": {"embedding.weight": (300, E)},
    "TwoMethods": {"conv.weight": (24, 512, 1, 1), "conv.bias": (24,), "scale": (24, 1, 1),
                   "last.weight": (64, 64), "last.bias": (64,)},
    "Normed": {"weight_v": (128, 128), "weight_g": (128, 1)},
    "Grouped": {"first.weight": (256, 4, 3, 3), "first.bias": (256,), "second.weight": (129, 64, 3), "second.bias": (129,)},
}


def values(shape, dtype="float32", top=1.0):
    r = random.Random(2)
    count = 1
    for n in shape:
        count *= n
    data = [r.uniform(-1, 1) for _ in range(count)] if dtype == "float32" else [r.randrange(top) for _ in range(count)]
    return {"tensor": {"dtype": dtype, "shape": list(shape), "data": data}}


LENGTHS = {"tensor": {"dtype": "int64", "shape": [2], "data": [5, 3]}}
CALLS = {
    "Attention": [("forward", [values((2, 3, E)), values((2, 5, E)), values((2, 5, E)), same]) for same in (True, False)],
    "Encoder": [("forward", [values((2, 3, E))])],
    "Recurrent": [("forward", [values((5, 2, E))]), ("packed", [values((5, 2, E)), LENGTHS])],
    "Counted": [("forward", [values((3, 128))])],
    "Tied": [("forward", [values((3,), "int64", 300)])],
    "TwoMethods": [("forward", [values((1, 512, 2, 2))]), ("again", [values((1, 512, 2, 2)), values((3, 64))])],
    "Normed": [("forward", [values((3, 128))])],
    "Grouped": [("forward", [values((1, 256, 4, 4)), plain]) for plain in (True, False)],
}


def numbers(result):
    """The elements of all tensors in a result, in turn."""
    if isinstance(result, dict):
        return result["tensor"]["data"] if "tensor" in result else [x for v in result.values() for x in numbers(v)]
    return [x for v in result for x in numbers(v)] if isinstance(result, list) else []


class Sizes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.folder = cls.holder.name
        cls.source = os.path.join(cls.folder, "nets.py")
        with open(cls.source, "w") as f:
            f.write(SOURCE)

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def tsmc(self, *arguments, status=OK):
        done = subprocess.run([TSMC, *arguments], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def export(self, name, *options):
        """The file's path, the bytes of the weights, and what --sizes printed."""
        state, out = os.path.join(self.folder, name + ".pth"), os.path.join(self.folder, name + ".tsm")
        weights = save_state(state, STATES[name])
        printed = self.tsmc("%s:%s" % (self.source, name), "--weights", state, "--eval", "--sizes", "-o", out, *options).stdout
        return out, weights, printed

    def plain(self, program, *options):
        """A file with its sources' lines as they are, in the form of older versions."""
        out = os.path.join(self.folder, "plain.tsm")
        self.tsmc(program, "--target-runtime", "0.2.0", "-o", out, *options)
        with open(out, "rb") as f:
            return f.read()

    def call(self, path, method, arguments):
        given, got = os.path.join(self.folder, "in.json"), os.path.join(self.folder, "out.json")
        with open(given, "w") as f:
            json.dump(arguments, f)
        done = subprocess.run([TSMRUN, path, "--method", method, "--inputs", given, "--outputs", got], capture_output=True,
                              text=True, timeout=120)
        self.assertEqual(done.returncode, OK, done.stderr)
        with open(got) as f:
            return numbers(json.load(f))

    def test_only_lines_that_tracebacks_show(self):
        """Of a long function the lines around what can fail are kept, and no others; frames of code that is gone are
        not."""
        rest = "".join("    # remark %d\n" % i for i in range(60))
        source = os.path.join(self.folder, "long.py")
        with open(source, "w") as f:
            f.write("def long(x: int) -> int:\n    if x == 1:\n        raise ValueError('above')\n" + rest +
                    "    if x == 2:\n        raise ValueError('below')\n" + rest + "    return 7 // x\n")
        out = os.path.join(self.folder, "long.tsm")
        whole = self.plain(source + ":long")
        self.tsmc(source + ":long", "-o", out)
        kept = [i for i in range(60) if whole.count(b"# remark %d\n" % i)]
        self.assertEqual(kept, [0, 1, 58, 59])
        for x, line, text in ((1, 3, "raise ValueError('above')"), (2, 65, "raise ValueError('below')"), (0, 126, "return 7 // x")):
            p = subprocess.run([TSMRUN, out, "--inputs", "-"], input="[%d]" % x, capture_output=True, text=True)
            self.assertIn('long.py", line %d, in long' % line, p.stderr)
            self.assertIn(text, p.stderr)
            self.assertIn("<--- HERE", p.stderr)

    def test_ranges_show_their_first_line(self):
        """Of a range of many lines the first one is kept, and two behind it."""
        source, out = os.path.join(self.folder, "wide.py"), os.path.join(self.folder, "wide.tsm")
        with open(source, "w") as f:
            f.write("def wide(x: int) -> int:\n    return 7 // (x *\n" + "".join("        %d *\n" % (1000 + i) for i in range(40)) + "        1)\n")
        whole = self.plain(source + ":wide", "-O0")
        self.tsmc(source + ":wide", "-O0", "-o", out)
        self.assertIn(b"        1001 *\n", whole)
        self.assertLess(sum(b"        %d *\n" % (1000 + i) in whole for i in range(40)), 40)
        p = subprocess.run([TSMRUN, out, "--inputs", "-"], input="[0]", capture_output=True, text=True)
        self.assertIn("    return 7 // (x *\n           ~~~~~~~~~ <--- HERE\n        1000 *\n        1001 *\n", p.stderr)

    def test_places_are_stored_once(self):
        """However often a function is inlined, where the form of older versions has one for each call."""
        source = os.path.join(self.folder, "inlined.py")
        with open(source, "w") as f:
            f.write("def inner(x: int, y: int) -> int:\n    return 7 // (x - y)\n\n\n"
                    "def outer(x: int, y: int) -> int:\n    return inner(x, y) + inner(x, y + 1) + inner(x, y + 2)\n\n\n"
                    "def deep(x: int) -> int:\n    s = 0\n" +
                    "".join("    s += outer(x, %d)\n" % (3 * i) for i in range(200)) + "    return s\n")
        sizes = []
        for version in ("0.2.0", "0.3.0"):
            out = os.path.join(self.folder, "inlined.tsm")
            printed = self.tsmc(source + ":deep", "--target-runtime", version, "-o", out, "--sizes").stdout
            parts = dict((text, n) for n, text in self.sections(printed)["of the file's part"])
            sizes.append(parts["positions in sources, and lines of them (without them: --strip)"])
        self.assertLess(20 * sizes[1], sizes[0])
        for x, line in ((0, 11), (1, 11), (299, 110), (599, 210)):
            p = subprocess.run([TSMRUN, out, "--inputs", "-"], input="[%d]" % x, capture_output=True, text=True)
            self.assertEqual(re.findall(r'", line (\d+), in (deep|outer|inner)\n', p.stderr),
                             [(str(line), "deep"), ("6", "outer"), ("2", "inner")])
        p = subprocess.run([TSMRUN, out, "--inputs", "-"], input="[600]", capture_output=True, text=True)
        self.assertEqual(p.returncode, OK)

    def test_equal_shapes_are_stored_once(self):
        """But where they count for more than the file has (docs/verification.md, F5)."""
        path, _, printed = self.export("Deep")
        parts = dict((text, n) for n, text in self.sections(printed)["of the file's part"])
        self.assertLess(parts["numbers, texts and containers, sizes of tensors"], 48 * 60)
        source, out = os.path.join(self.folder, "empty.py"), os.path.join(self.folder, "empty.tsm")
        with open(source, "w") as f:
            f.write("import torch\nclass Empty(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n" +
                    "".join("        self.b%d = torch.zeros(0, 1, 2, 3, 4, 5, 6, 7)\n" % i for i in range(60)) +
                    "    def forward(self):\n        return [%s]\n" % ", ".join("self.b%d" % i for i in range(60)))
        self.tsmc(source + ":Empty", "--strip", "-o", out)
        p = subprocess.run([TSMRUN, out], capture_output=True, text=True)
        self.assertEqual(p.returncode, OK, p.stderr)

    def sections(self, printed):
        """Title -> rows of (bytes, text)."""
        found, rows = {}, None
        for line in printed.splitlines():
            m = re.fullmatch(r" *(\S+)  (.*)", line)
            if not m:
                self.assertRegex(line, r"\A(The module.s tensors had .*)?\Z")
            elif m[1] == "bytes":
                rows = found[m[2]] = []
            else:
                rows.append((int(m[1]), m[2]))
        return found

    def test_weights_are_stored_once(self):
        for name in STATES:
            with self.subTest(name):
                path, weights, printed = self.export(name)
                parts = dict((text, n) for n, text in self.sections(printed)["of the file's part"])
                stored = parts["elements of tensors, each storage filled up to 64 bytes"]
                self.assertGreater(weights, 60000)
                self.assertLessEqual(stored, weights * 1.03 + 16384, printed)

    def test_numbers_of_quantized_weights(self):
        """Beside its bytes a weight that is quantized as a whole has a scale, and for each output a sum, in 16 bits
        where that is enough."""
        folder = os.path.join(HERE, "..", "quantized")
        for name in ("per_tensor.pt", "per_channel.pt"):
            with self.subTest(name):
                archive = os.path.join(folder, name)
                rows = self.sections(self.tsmc(archive, "--sizes").stdout)["of the tensor, and the operators that read it"]
                found = {what: set(re.findall(r"%s (\w+)\[(\d+)\]" % what, "\n".join(text for _, text in rows)))
                         for what in ("scales", "sums")}
                outputs = {n for _, n in found["sums"]}
                self.assertGreater(len(outputs), 3)
                self.assertEqual({n for _, n in found["scales"]}, {"1"} if name == "per_tensor.pt" else outputs)
                self.assertEqual({dtype for dtype, _ in found["sums"]}, {"int16"}, rows)
                with zipfile.ZipFile(archive) as z:
                    tensors = sum(i.file_size for i in z.infolist() if re.search(r"/(data|constants)/\d+$", i.filename))
                self.assertLessEqual(sum(n for n, _ in rows), tensors * 1.03 + 16384)

    def test_answers_do_not_depend_on_packing(self):
        for name, calls in CALLS.items():
            plain = self.export(name, "-O0")[0]
            expected = [self.call(plain, *c) for c in calls]
            packed = self.export(name)[0]
            for c, want in zip(calls, expected):
                with self.subTest(name, method=c[0]):
                    got = self.call(packed, *c)
                    self.assertEqual(len(got), len(want))
                    self.assertGreater(len(got), 0)
                    self.assertLess(max(abs(a - b) for a, b in zip(got, want)), 2e-5)

    def test_parts_add_up(self):
        path, weights, printed = self.export("Encoder")
        sections = self.sections(printed)
        self.assertEqual(list(sections), ["of the file's part", "of the tensor, and the operators that read it",
                                          "of the tensors that the operator reads"])
        parts = sections["of the file's part"]
        self.assertEqual(parts[-1], (os.path.getsize(path), "all"))
        self.assertEqual(sum(n for n, _ in parts[:-1]), parts[-1][0])
        more = parts[-1][0] - weights
        self.assertEqual(printed.splitlines()[-1], "The module's tensors had %d bytes when they were read: the file has %d more, %.1f%%."
                         % (weights, more, 100 * more / weights))
        tensors = sections["of the tensor, and the operators that read it"]
        self.assertEqual(sum(-(-n // 64) * 64 for n, _ in tensors), parts[0][0])
        self.assertEqual([n for n, _ in tensors], sorted((n for n, _ in tensors), reverse=True))
        self.assertIn((4 * E * 128, "layer.linear1.weight float32[8, 64, 16]: tsm::linear"), tensors)
        by_operator = dict((text, n) for n, text in sections["of the tensors that the operator reads"])
        self.assertGreater(by_operator["tsm::linear"], weights * 0.5)
        with open(path, "rb") as f:
            before = f.read()
        self.tsmc("%s:Encoder" % self.source, "--weights", path[:-4] + ".pth", "--eval", "-o", path)
        with open(path, "rb") as f:
            self.assertEqual(f.read(), before)

    def test_small_tensors_are_joined(self):
        """Those of which only elements are read are one storage, without gaps; what shows where it lies is its own."""
        path = self.export("Small")[0]
        with open(path, "rb") as f:
            program = Flat(f.read()).program()
        storages = [size for _, size, _ in program["storages"]]
        used = [t["sizes"] for t in (c["tensor"] for c in program["constants"]) if t and t["storage"] == 0]
        self.assertIn([3], used)
        self.assertEqual(sorted(storages[1:]), [12, 4 * 5461, 4 * 5472 * 3])
        self.assertLess(storages[0], sum(4 * math.prod(t) for t in used) + 64)
        out = path[:-4] + ".json"
        p = subprocess.run([TSMRUN, path, "--method", "place", "--outputs", out], capture_output=True, text=True)
        self.assertEqual(p.returncode, OK, p.stderr)
        with open(out) as f:
            self.assertEqual(json.load(f)["tuple"][1], 0)

    def test_stripped(self):
        parts = dict((text, n) for n, text in self.sections(self.export("Counted", "--strip")[2])["of the file's part"])
        self.assertEqual(parts["positions in sources, and lines of them (without them: --strip)"], 0)

    def test_without_output(self):
        path = self.export("Tied")[0]
        os.remove(path)
        printed = self.tsmc(self.source + ":Tied", "--weights", path[:-4] + ".pth", "--sizes").stdout
        self.assertFalse(os.path.exists(path))
        self.assertIn("embedding.weight float32[300, 64]: aten::embedding, aten::linear", printed)

    def test_misuse(self):
        for other, text in (("--dump=ir", "--sizes does not go with --dump ir"), ("--check", "--check goes with no other")):
            self.assertIn(text, self.tsmc(self.source + ":Tied", "--sizes", other, status=BAD_INPUT).stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

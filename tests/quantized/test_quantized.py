#!/usr/bin/env python3
"""Exports quantized archives that PyTorch wrote (record.py), at every level, and compares with the answers of its
QNNPACK: to the bit where all layers are static.

  test_quantized.py TSMC TSMRUN"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
TSMC, TSMRUN = sys.argv[1:3]
with open(os.path.join(HERE, "expected.json")) as f:
    CASES = json.load(f)


class Quantized(unittest.TestCase):
    def run_archive(self, folder, name, level):
        program, inputs, outputs = (os.path.join(folder, n) for n in ("p.tsm", "in.json", "out.json"))
        with open(inputs, "w") as f:
            json.dump([CASES[name]["input"]], f)
        for command in ([TSMC, os.path.join(HERE, name), "-o", program, level],
                        [TSMRUN, program, "--inputs", inputs, "--outputs", outputs]):
            p = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(p.returncode, 0, p.stderr)
        with open(outputs) as f:
            return json.load(f)["tensor"]

    def test_archives(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, case in CASES.items():
                for level in ("-O0", "-O1", "-O2"):
                    with self.subTest(name=name, level=level):
                        got, wanted = self.run_archive(folder, name, level), case["output"]["tensor"]
                        self.assertEqual(got["shape"], wanted["shape"])
                        worst = max(abs(g - w) for g, w in zip(got["data"], wanted["data"]))
                        self.assertLess(worst, 1e-6)

    def damaged(self, folder, name, old, new):
        """Exports a copy of an archive in which every `old` is `new`; what tsmc says."""
        path = os.path.join(folder, "damaged.pt")
        with zipfile.ZipFile(os.path.join(HERE, name)) as archive, zipfile.ZipFile(path, "w") as copy:
            for n in archive.namelist():
                copy.writestr(n, archive.read(n).replace(old, new))
        p = subprocess.run([TSMC, path, "-o", os.path.join(folder, "p.tsm")], capture_output=True, text=True)
        self.assertEqual(p.returncode, 2, p.stderr)
        return p.stderr

    def test_failures(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn("torch.classes.quantifed.Conv2dPackedParamsBase is not supported",
                          self.damaged(folder, "graphs.pt", b"torch.classes.quantized", b"torch.classes.quantifed"))
            self.assertIn("are in a form that is not known", self.damaged(folder, "graphs.pt", b"ShortStorage", b"CharStorage"))

    def test_zero_points_of_weights(self):
        """A weight that the loops cannot multiply is refused by name."""
        with tempfile.TemporaryDirectory() as folder:
            source, program, inputs = (os.path.join(folder, n) for n in ("f.py", "f.tsm", "in.json"))
            with open(source, "w") as f:
                f.write("import torch\n\n\ndef f(x: torch.Tensor) -> torch.Tensor:\n"
                        "    w = torch.quantize_per_tensor(x, 0.1, 3, torch.qint8)\n"
                        "    return torch.ops.quantized.linear_dynamic(x, torch.ops.quantized.linear_prepack(w))\n")
            with open(inputs, "w") as f:
                json.dump([{"tensor": {"dtype": "float32", "shape": [2, 2], "data": [1.0, 2.0, 3.0, 4.0]}}], f)
            subprocess.run([TSMC, source + ":f", "-o", program], check=True)
            p = subprocess.run([TSMRUN, program, "--inputs", inputs], capture_output=True, text=True)
            self.assertEqual(p.returncode, 1)
            self.assertIn("quantized weights must be of qint8 with zero points of 0", p.stderr)

    def test_forms_of_weights(self):
        """One scale for all outputs or one for each, sums of 16 bits or 32, and a last panel that is whole, as tsmc 0.2
        wrote it, give the same; sums that are too large for 16 bits stay as they are."""
        text = """import torch

from typing import List

def quantized(x: torch.Tensor, n: int, channels: bool):
    w = torch.full([3, n], 12.7)
    w[1] = -w[1]
    w[2] = torch.arange(float(n)).sin()
    if channels:
        return torch.ops.tsm.quantized_pack(torch.quantize_per_channel(w, torch.tensor([0.1, 0.2, 0.3]), torch.zeros(3).long(), 0, torch.qint8), 1)
    return torch.ops.tsm.quantized_pack(torch.quantize_per_tensor(w, 0.1, 0, torch.qint8), 1)

def f(x: torch.Tensor, n: int, channels: bool) -> List[int]:
    w, s, z = quantized(x, n, channels)
    many = s if channels else torch.cat([s, s, s])
    q = torch.quantize_per_tensor(torch.arange(2.0 * n).cos().reshape(2, n), 0.02, 100, torch.quint8)
    bias = torch.tensor([1.0, -2.0, 3.0])
    whole = torch.nn.functional.pad(w[:-48].view(1, -1, 4, 4), [0, 0, 0, 12])
    same = 0
    for narrow in [True, False]:
        for scales in [s, many]:
            sums = z if narrow else z.int()
            a = torch.ops.tsm.quantized_linear(q, w, scales, sums, bias, [3, n], 0.5, 128, False)
            b = torch.ops.tsm.quantized_linear(q, whole, many, z.int(), bias, [3, n], 0.5, 128, False)
            c = torch.ops.tsm.quantized_linear_dynamic(q.dequantize(), w, scales, sums, bias, [3, n], False)
            d = torch.ops.tsm.quantized_linear_dynamic(q.dequantize(), whole, many, z.int(), bias, [3, n], False)
            same += int(torch.equal(a.int_repr(), b.int_repr()) and torch.equal(c, d))
    return [same, s.numel(), int(z.dtype == torch.int16), int(z[0]), int(z[1])]
"""
        with tempfile.TemporaryDirectory() as folder:
            source, program, inputs, outputs = (os.path.join(folder, n) for n in ("f.py", "f.tsm", "in.json", "out.json"))
            with open(source, "w") as f:
                f.write(text)
            subprocess.run([TSMC, source + ":f", "-o", program], check=True)
            for n, channels, wanted in ((257, False, [4, 1, 1, 127 * 257, -127 * 257]), (258, False, [4, 1, 1, 127 * 258, -127 * 258]),
                                        (259, False, [4, 1, 0, 127 * 259, -127 * 259]), (20, True, [4, 3, 1, 127 * 20, -64 * 20])):
                with open(inputs, "w") as f:
                    json.dump([{"tensor": {"dtype": "float32", "shape": [1], "data": [1.0]}}, n, channels], f)
                subprocess.run([TSMRUN, program, "--inputs", inputs, "--outputs", outputs], check=True)
                with open(outputs) as f:
                    self.assertEqual(json.load(f), wanted)

    def test_zero_points_between_integers(self):
        """As values of the world, for a constant that is computed at export, and with an example."""
        tensor = {"tensor": {"dtype": "quint8", "shape": [2, 2], "data": [1, 2, 3, 255], "scales": [0.5, 2.0], "zero_points": [1.0, 2.5], "axis": 0}}
        floats = {"tensor": {"dtype": "float32", "shape": [2, 2], "data": [0.0, 0.5, 1.0, 505.0]}}
        whole = {"tensor": dict(tensor["tensor"], zero_points=[1, 2])}
        text = """import torch


def f(q: torch.Tensor):
    c = torch.quantize_per_channel(torch.ones(2, 1), torch.ones(2), torch.tensor([0.25, 1.5]), 0, torch.quint8)
    return q, q.dequantize(), q.qscheme(), c
"""
        constant = {"tensor": {"dtype": "quint8", "shape": [2, 1], "data": [1, 2], "scales": [1.0, 1.0], "zero_points": [0.25, 1.5], "axis": 0}}
        with tempfile.TemporaryDirectory() as folder:
            source, program, inputs, outputs = (os.path.join(folder, n) for n in ("f.py", "f.tsm", "in.json", "out.json"))
            with open(source, "w") as f:
                f.write(text)
            with open(inputs, "w") as f:
                json.dump([tensor], f)
            for options in (["-O0"], ["-O2"], ["--example", inputs]):
                subprocess.run([TSMC, source + ":f", "-o", program] + options, check=True)
                subprocess.run([TSMRUN, program, "--inputs", inputs, "--outputs", outputs], check=True)
                with open(outputs) as f:
                    self.assertEqual(json.load(f), {"tuple": [tensor, floats, 4, constant]})
                    f.seek(0)
                    self.assertIn('"zero_points":[1.0,2.5]', f.read())
            subprocess.run([TSMC, source + ":f", "-o", program], check=True)
            with open(inputs, "w") as f:
                json.dump([whole], f)
            subprocess.run([TSMRUN, program, "--inputs", inputs, "--outputs", outputs], check=True)
            with open(outputs) as f:
                self.assertEqual(json.load(f)["tuple"][:3:2], [whole, 1])
            for axis in (2, 8, 63, 64, 66, -1):
                with open(inputs, "w") as f:
                    json.dump([{"tensor": dict(tensor["tensor"], axis=axis)}], f)
                p = subprocess.run([TSMRUN, program, "--inputs", inputs], capture_output=True, text=True)
                self.assertEqual((p.returncode, "fit" in p.stderr), (2, True), p.stderr)

    def test_tables_of_4_bits(self):
        """Their parts are used, but there are no tensors of them."""
        with tempfile.TemporaryDirectory() as folder:
            program, inputs = os.path.join(folder, "p.tsm"), os.path.join(folder, "in.json")
            with open(inputs, "w") as f:
                json.dump([CASES["unpacked.pt"]["input"]], f)
            subprocess.run([TSMC, os.path.join(HERE, "unpacked_nibbles.pt"), "-o", program], check=True)
            p = subprocess.run([TSMRUN, program, "--inputs", inputs], capture_output=True, text=True)
            self.assertIn("quantized::embedding_bag_unpack: tensors of quint4x2 are not supported", p.stderr)

    def test_older_libraries(self):
        """They refuse programs with such weights when they open them, and tsmc does not write these for them."""
        with tempfile.TemporaryDirectory() as folder:
            program, archive = os.path.join(folder, "p.tsm"), os.path.join(HERE, "per_tensor.pt")
            subprocess.run([TSMC, archive, "-o", program], check=True)
            with open(program, "rb") as f:
                self.assertIn(b"instructions of 0.3.0", f.read())
            p = subprocess.run([TSMC, archive, "-o", program, "--target-runtime", "0.2.0"], capture_output=True, text=True)
            self.assertEqual(p.returncode, 2)
            self.assertIn("libtsmobile 0.2.0 does not take what tsm::quantized_", p.stderr)

    def test_weights_are_packed(self):
        """Packed when the archive is read, never when the program runs; and the plain weights are left out."""
        with tempfile.TemporaryDirectory() as folder:
            for name in CASES.keys() - {"bytes.pt", "nibbles.pt", "byte_bags.pt", "nibble_bags.pt", "unpacked.pt"}:
                with self.subTest(name):
                    p = subprocess.run([TSMC, os.path.join(HERE, name), "--dump", "ops"], capture_output=True, text=True)
                    names = [line.split()[-1] for line in p.stdout.splitlines()]
                    self.assertTrue([n for n in names if n.startswith("tsm::quantized_")])
                    self.assertNotIn("tsm::quantized_pack", names)
                    sizes = []
                    for level in ("-O0", "-O2"):
                        program = os.path.join(folder, "p.tsm")
                        subprocess.run([TSMC, os.path.join(HERE, name), "-o", program, level, "--strip"], check=True)
                        sizes.append(os.path.getsize(program))
                    self.assertLess(sizes[1], sizes[0])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

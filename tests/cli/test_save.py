#!/usr/bin/env python3
"""Files that torch.save of a program writes, read back by Python's own zipfile and pickle.

  test_save.py TSMC TSMRUN"""
import io
import json
import os
import pickle
import shlex
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
TSMC, TSMRUN = sys.argv[1], shlex.split(sys.argv[2])
OK, RAISED = 0, 1
MATRIX = {"tensor": {"dtype": "float32", "shape": [2, 2], "data": [1.0, 2.0, 3.0, 4.0]}}


class Reader(pickle.Unpickler):
    """Calls come out as (name, arguments...), storages as (type, number, elements)."""

    def find_class(self, module, name):
        known = {"builtins.complex": complex, "torch.jit._pickle.build_intlist": list, "torch.jit._pickle.build_boollist": list,
                 "torch.jit._pickle.build_doublelist": list, "torch.jit._pickle.build_tensorlist": list,
                 "collections.OrderedDict": dict}
        path = module + "." + name
        return known.get(path) or (path if module == "torch" and name != "device" else lambda *a: (name, *a))

    def persistent_load(self, pid):
        kind, storage, number, device, elements = pid
        assert (kind, device) == ("storage", "cpu")
        return storage, number, elements


class Save(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_program(self, function, arguments, status=OK):
        program, inputs = (os.path.join(self.folder.name, n) for n in ("p.tsm", "in.json"))
        p = subprocess.run([TSMC, os.path.join(HERE, "save.py") + ":" + function, "-o", program], capture_output=True, text=True)
        self.assertEqual(p.returncode, 0, p.stderr)
        with open(inputs, "w") as f:
            json.dump(arguments, f)
        p = subprocess.run([*TSMRUN, program, "--inputs", inputs, "--allow-save", self.folder.name], capture_output=True, text=True)
        self.assertEqual(p.returncode, status, p.stderr)
        return p.stderr

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def test_values(self):
        self.run_program("save", [MATRIX, 3, self.path("saved.pt")])
        with zipfile.ZipFile(self.path("saved.pt")) as z:
            self.assertIsNone(z.testzip())
            self.assertEqual(z.namelist(), ["archive/data/%d" % i for i in range(4)] + ["archive/data.pkl", "archive/version"])
            self.assertEqual(struct.unpack("<4f", z.read("archive/data/0")), (1.0, 2.0, 3.0, 4.0))
            self.assertEqual(struct.unpack("<3f", z.read("archive/data/1")), (2.0, 3.0, 4.0))
            self.assertEqual(z.read("archive/data/2"), bytes([4, 6, 8, 10]))
            values = Reader(io.BytesIO(z.read("archive/data.pkl"))).load()
        whole, part = (("_rebuild_tensor_v2", ("torch.FloatStorage", n, elements), 0, (2, columns), (2, 1), False, {})
                       for n, elements, columns in (("0", 4, 2), ("1", 3, 1)))
        quantized = ("_rebuild_qtensor", ("torch.QUInt8Storage", "2", 4), 0, (2, 2), (2, 1), ("torch.per_tensor_affine", 0.5, 2), False, {})
        again = (whole[0], ("torch.FloatStorage", "3", 4)) + whole[2:]
        self.assertEqual(values, (whole, part, quantized, 3, 900, 210000, 3 << 40, 2.5, 1j, "h\u00e9", None, True, [True], [1.5], ["s"], [again],
                                  [[3]], {"k": [3, -3]}, ("device", "cpu"), {1: (2, "b")}))

    def test_contents_are_aligned(self):
        self.run_program("save", [MATRIX, 3, self.path("saved.pt")])
        with open(self.path("saved.pt"), "rb") as f, zipfile.ZipFile(f) as z:
            for member in z.infolist():
                f.seek(member.header_offset + 26)
                name, extra = struct.unpack("<HH", f.read(4))
                self.assertEqual((member.header_offset + 30 + name + extra) % 64, 0, member.filename)

    def test_the_device_writes(self):
        """Even where nothing depends on the input; an existing file is replaced."""
        with open(self.path("saved.pt"), "w") as f:
            f.write("x" * 5000)
        self.run_program("save_constant", [self.path("saved.pt")])
        with zipfile.ZipFile(self.path("saved.pt")) as z:
            self.assertEqual(Reader(io.BytesIO(z.read("archive/data.pkl"))).load(), "abc")

    def test_failures(self):
        self.assertIn("torch.save() cannot write", self.run_program("save_constant", [self.path("no/such/folder.pt")], RAISED))
        self.assertIn("torch.save() cannot write a value of type Enum", self.run_program("save_enum", [self.path("saved.pt")], RAISED))
        self.assertFalse(os.path.exists(self.path("saved.pt")))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

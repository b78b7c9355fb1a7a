#!/usr/bin/env python3
"""What newcomers do wrong: every error says what to do instead, and nothing that is read is written over.

    test_mistakes.py TSMC TSMRUN"""
import json
import os
import pickle
import subprocess
import sys
import tempfile
import unittest
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from state_dict import Saver, Tensor, save_state  # noqa: E402

TSMC, TSMRUN = sys.argv[1:3]
MODEL = os.path.join(HERE, "..", "models", "digits.pt")
RAISED, BAD_INPUT = 1, 2
WAY = "torch.jit.script(model).save"

SOURCE = """import torch
import torch.nn as nn
from torch import Tensor

class Net(nn.Module):
    def __init__(self, n: int):
        super().__init__()
        self.l = nn.Linear(4, n)

    def forward(self, x):
        return torch.relu(self.l(x))

class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = Net()

    def forward(self, x):
        return self.net(x)

def double(x: int):
    return 2 * x
"""


def save_values(path, root):
    """A file as torch.save writes it."""
    with zipfile.ZipFile(path, "w") as z:
        with z.open("values/data.pkl", "w") as f:
            saver = Saver(f)
            saver.dump(root)
        for i, s in enumerate(saver.storages):
            z.writestr("values/data/%d" % i, bytes(4 * len(s.values)))
        z.writestr("values/version", "3\n")


class Mistakes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.write("net.py", SOURCE.encode())
        save_state(self.path("net.pth"), {"l.weight": (3, 4), "l.bias": (3,)})

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as f:
            f.write(content)

    def read(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()

    def run_in(self, *command):
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)

    def refused(self, *command, status=BAD_INPUT):
        done = self.run_in(*command)
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        return done.stderr

    def exported(self):
        done = self.run_in(TSMC, "net.py:Net(3)", "--weights", "net.pth", "-o", "net.tsm")
        self.assertEqual(done.returncode, 0, done.stderr)
        return "net.tsm"

    def test_weights_for_a_program(self):
        for name, root in (("checkpoint.pt", {"epoch": 3, "model": {"l.weight": Tensor((1,), [0.5])}}), ("net.pth", None)):
            if root:
                save_values(self.path(name), root)
            said = self.refused(TSMC, name, "-o", "o.tsm")
            self.assertIn("--weights FILE", said)
            self.assertIn(WAY, said)
        save_values(self.path("tensor.pt"), Tensor((1,), [0.5]))
        self.assertNotIn("state dict", self.refused(TSMC, "tensor.pt", "-o", "o.tsm"))

    def test_a_message_longer_than_its_memory(self):
        self.write("long.py", b'def f(n: int):\n    raise ValueError("a long text {}, and what is behind it".format("ab".ljust(n, "c")))\n')
        self.assertEqual(self.run_in(TSMC, "long.py:f", "-o", "long.tsm").returncode, 0)
        for n in 10, 10 ** 6:
            self.write("n.json", b"[%d]" % n)
            done = self.run_in(TSMRUN, "long.tsm", "--inputs", "n.json", "--arena", "8M")
            self.assertEqual(done.returncode, RAISED, done.stderr[-300:])
            self.assertIn("a long text abcccccc", done.stderr)
            self.assertEqual("and what is behind it" in done.stderr, n == 10)

    def test_a_checkpoint_for_weights(self):
        save_values(self.path("c.pt"), {"epoch": 3, "model": {"l.weight": Tensor((3, 4), [0.5] * 12), "l.bias": Tensor((3,), [0.5] * 3)}})
        said = self.refused(TSMC, "net.py:Net(3)", "--weights", "c.pt", "-o", "o.tsm")
        self.assertIn('Unexpected key(s) in state_dict: "epoch", "model"', said)
        self.assertIn('torch.save(torch.load("c.pt")["model"], "weights.pth")', said)
        # A state dict of another module is no checkpoint.
        save_values(self.path("c.pt"), {"m.weight": Tensor((1,), [0.5])})
        self.assertNotIn("checkpoint,", self.refused(TSMC, "net.py:Net(3)", "--weights", "c.pt", "-o", "o.tsm"))

    def test_a_pickled_module(self):
        self.write("p.pt", b"")
        with zipfile.ZipFile(self.path("p.pt"), "w") as z:
            z.writestr("p/data.pkl", pickle.dumps(Mistakes, 2))
            z.writestr("p/version", "3\n")
        said = self.refused(TSMC, "p.pt", "-o", "o.tsm")
        self.assertIn("torch.jit.save", said)
        self.assertIn("state_dict()", said)

    def test_formats_of_others(self):
        for content, name in ((b"\x08\x07\x12\x07pytorch\x1a\x051.13", "ONNX"), (b"\x1c\0\0\0TFL3" + bytes(40), "TensorFlow Lite"),
                              (b"\x30\0\0\0ET12" + bytes(40), "ExecuTorch"), (b"\x89HDF\r\n\x1a\n" + bytes(40), "HDF5"),
                              (b"GGUF" + bytes(40), "GGUF")):
            self.write("model", content)
            said = self.refused(TSMC, "model", "-o", "o.tsm")
            self.assertIn(name, said)
            self.assertIn(WAY, said)
        self.write("w", b'\x40\0\0\0\0\0\0\0{"l.weight":{"dtype":"F32"}}')
        self.assertIn("safetensors", self.refused(TSMC, "net.py:Net(3)", "--weights", "w", "-o", "o.tsm"))
        self.write("model", b"\x7fELF" + bytes(40))
        self.assertIn("FILE.py:NAME", self.refused(TSMC, "model", "-o", "o.tsm"))

    def test_one_tool_for_the_other(self):
        self.assertIn("tsmrun runs it", self.refused(TSMC, self.exported(), "-o", "o.tsm"))
        for name in (MODEL, "net.py"):
            self.assertIn("tsmc makes one", self.refused(TSMRUN, name))

    def test_names_in_sources(self):
        for name in ("net.py", "net.py:Nett", "net.py:"):
            self.assertIn("defines Net, Outer, double)", self.refused(TSMC, name, "-o", "o.tsm"))
        self.assertIn("'net.py:Net(...)'", self.refused(TSMC, "net.py:Net", "-o", "o.tsm"))
        said = self.refused(TSMC, "net.py:Outer", "-o", "o.tsm")
        self.assertIn("missing 1 required", said)
        self.assertNotIn("net.py:Outer(...)", said)
        self.assertIn("--weights STATE_DICT.pth", self.refused(TSMC, "net.py:Net(3)", "-o", "o.tsm"))

    def test_arguments(self):
        self.exported()
        said = self.refused(TSMRUN, "net.tsm")
        self.assertIn("--inputs FILE.json", said)
        self.assertEqual(said.count("\n"), 1)
        for inputs, status in (('["one"]', RAISED), ('[[1, 2]]', RAISED), ("[]", BAD_INPUT), ('{"x": 1}', BAD_INPUT), ("[1, 2]", RAISED),
                               ('[{"tensor": [[1.0, 2.0]]}]', BAD_INPUT)):
            self.write("i.json", inputs.encode())
            said = self.refused(TSMRUN, "net.tsm", "--inputs", "i.json", status=status)
            self.assertEqual(said.count("\n"), 1, said)
        for command in ((TSMRUN, "net.tsm", "--inputs", "i.json"), (TSMC, MODEL, "--example", "i.json", "-o", "o.tsm")):
            self.assertIn('"shape": [2, 3]', self.refused(*command))

    def test_a_tensor_for_a_number(self):
        self.assertEqual(self.run_in(TSMC, "net.py:double", "-o", "double.tsm").returncode, 0)
        tensor = {"dtype": "float32", "shape": [2, 2], "data": [1, 2, 3, 4]}
        self.write("i.json", json.dumps([{"tensor": tensor}]).encode())
        said = self.refused(TSMRUN, "double.tsm", "--inputs", "i.json", status=RAISED)
        self.assertIn("Value: float32[2, 2]. Declaration: ", said)
        self.assertEqual(said.count("\n"), 1, said)

    def test_what_is_read_is_not_written_over(self):
        self.exported()
        os.symlink("net.pth", self.path("link"))
        self.write("i.json", b"[]")
        for name, command in (("net.pth", (TSMC, "net.py:Net(3)", "--weights", "net.pth", "-o", "./net.pth")),
                              ("net.pth", (TSMC, "net.py:Net(3)", "--weights", "net.pth", "-o", "link")),
                              ("net.py", (TSMC, "net.py:Net(3)", "--weights", "net.pth", "--report", "net.py")),
                              ("i.json", (TSMC, "net.py:double", "--example", "double=i.json", "-o", "i.json")),
                              ("net.tsm", (TSMRUN, "net.tsm", "--inputs", "i.json", "--outputs", "net.tsm")),
                              ("i.json", (TSMRUN, "net.tsm", "--inputs", "i.json", "--report", "i.json")),
                              ("i.json", (TSMRUN, "net.tsm", "--text", "i.json", "--values", "i.json"))):
            before = self.read(name)
            self.assertIn("would be written over", self.refused(*command))
            self.assertEqual(self.read(name), before)
        # What is no file may be both.
        self.assertIn("/dev/null", self.refused(TSMC, "/dev/null", "-o", "/dev/null"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

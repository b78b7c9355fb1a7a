"""Programs and reports of them, for the tests of reports; texts in them try to become markup."""
import json
import os
import re
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from state_dict import save_state  # noqa: E402

TSMC, TSMRUN = sys.argv[1], sys.argv[2]
OK, BAD_INPUT = 0, 2
HOSTILE = '</script><script>document.title="pwned"</script><img src=x onerror="document.title=\'pwned\'"><!--<script>'
FILE = "<img src=x onerror=alert(1)>.py"

SOURCE = '''
import torch
from torch import nn, Tensor

class Block(nn.Module):
    def __init__(self, n: int):
        super().__init__()
        self.conv = nn.Conv2d(n, 4, 3, padding=1)
    def forward(self, x: Tensor) -> Tensor:
        """%(hostile)s"""
        return torch.relu(self.conv(x))  # %(hostile)s

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Block(3)
        self.layers = nn.Sequential(Block(4), Block(4))
        self.last = nn.Linear(64, 10)
    def forward(self, x: Tensor, loud: bool = False) -> Tensor:
        """%(hostile)s"""
        assert x.dim() == 4, '%(quoted)s'
        if loud:
            print('%(quoted)s', x.sum())
        y = self.layers(self.first(x))
        return self.last(torch.flatten(y, 1))
''' % {"hostile": HOSTILE.replace('"', "'"), "quoted": HOSTILE.replace("'", "")}


SHAPES = {"first.conv": (4, 3, 3, 3), "layers.0.conv": (4, 4, 3, 3), "layers.1.conv": (4, 4, 3, 3), "last": (10, 64)}


def call(*command, status=OK, cwd=None):
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd)
    if done.returncode != status:
        raise AssertionError("%s: exit status %d\n%s%s" % (command, done.returncode, done.stdout, done.stderr))
    return done.stdout + done.stderr


def data_of(path):
    """The JSON object of a report."""
    with open(path, encoding="utf-8") as f:
        found = re.search(r'<script type="application/json" id="data">(.*?)</script>', f.read(), re.S)
    return json.loads(found[1])


def make(folder):
    """Exports the program and runs it, each with a report: export.html and run.html."""
    at = lambda name: os.path.join(folder, name)  # noqa: E731
    with open(at(FILE), "w", encoding="utf-8") as f:
        f.write(SOURCE)
    save_state(at("net.pth"), {n + end: shape if end == ".weight" else shape[:1] for n, shape in SHAPES.items()
                               for end in (".weight", ".bias")})
    shape = [1, 3, 4, 4]
    with open(at("in.json"), "w", encoding="utf-8") as f:
        json.dump([{"tensor": {"dtype": "float32", "shape": shape, "data": [i / 48 for i in range(48)]}}], f)
    call(TSMC, FILE + ":Net", "--weights", "net.pth", "--eval", "--example", "in.json", "-o", "net.tsm", "--report",
         "export.html", "--meta", "author=" + HOSTILE, cwd=folder)
    call(TSMRUN, "net.tsm", "--inputs", "in.json", "--outputs", "out.json", "--values", "values.json", "--values-elements",
         cwd=folder)
    call(TSMRUN, "net.tsm", "--inputs", "in.json", "--outputs", "out.json", "--report", "run.html", "--report-expected",
         "values.json", cwd=folder)


def run_tests():
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)

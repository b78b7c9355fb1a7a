#!/usr/bin/env python3
"""Makes the .ptl files from `Portable` of tests/device/language/programs.py; needs PyTorch 1.13.

    record.py

portable_vN.ptl: bytecode version N, without the code that PyTorch writes beside it, so that the bytecode alone must do;
portable_flat.ptl: the flatbuffer format, version 9;
old_division.ptl: operators of a version in which dividing integers gave
integers; restores.ptl: an object that saves something else than its attributes and computes them when it is loaded;
optimized.pt, optimized.ptl, optimized.json: layers packed by torch.utils.mobile_optimizer, with an input and PyTorch's
answer."""
import json
import os
import sys
import tempfile
import zipfile
from typing import Tuple

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "device", "language"))
from record import programs  # noqa: E402
sys.path.insert(0, os.path.join(HERE, ".."))
from strip_archive import strip  # noqa: E402
import torch  # noqa: E402
from torch.jit.mobile import _backport_for_mobile  # noqa: E402
from torch.utils.mobile_optimizer import optimize_for_mobile  # noqa: E402


class Halves(torch.nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor):
        return x / y, x / 2, y.div_(3)


class Restores(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.tensor([1.5, 2.5])
        self.count = 3

    def forward(self, x: torch.Tensor):
        return x * self.scale + self.count

    @torch.jit.export
    def __getstate__(self):
        return (self.count - 1, self.scale * 4, self.training)

    @torch.jit.export
    def __setstate__(self, state: Tuple[int, torch.Tensor, bool]):
        self.scale = state[1] / 4
        self.count = state[0] + 1
        self.training = state[2]


class Layers(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(2, 4, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(4)
        self.down = torch.nn.Conv2d(4, 4, 3, stride=2, groups=4)
        self.up = torch.nn.ConvTranspose2d(4, 2, 2, stride=2)
        self.head = torch.nn.Linear(2, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.relu(self.norm(self.conv(x)))
        y = self.up(torch.nn.functional.hardtanh(self.down(y), -0.5, 2.0))
        return self.head(y.mean([2, 3]))


def record_optimized():
    torch.manual_seed(1)
    x, m = torch.randn(1, 2, 7, 9), optimize_for_mobile(torch.jit.script(Layers().eval()))
    torch.jit.save(m, os.path.join(HERE, "optimized.pt"))
    m._save_for_lite_interpreter(os.path.join(HERE, "optimized.ptl"))
    strip(os.path.join(HERE, "optimized.pt"))
    strip(os.path.join(HERE, "optimized.ptl"))
    with open(os.path.join(HERE, "optimized.json"), "w") as f:
        json.dump({"x": x.flatten().tolist(), "answer": m(x).flatten().tolist()}, f)


def without_code(archive, path, version=None):
    """Copies an archive, compressed; `version`: what its version record shall say."""
    with zipfile.ZipFile(archive) as source, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as to:
        for entry in source.infolist():
            if "/code/" in entry.filename:
                continue
            data = source.read(entry)
            if version and entry.filename.endswith("version"):
                data = b"%d\n" % version
            to.writestr(zipfile.ZipInfo(entry.filename), data, zipfile.ZIP_DEFLATED)


def main():
    record_optimized()
    portable = torch.jit.script(programs.Portable())
    with tempfile.TemporaryDirectory() as folder:
        full, older = os.path.join(folder, "portable.ptl"), os.path.join(folder, "older.ptl")
        portable._save_for_lite_interpreter(full)
        without_code(full, os.path.join(HERE, "portable_v8.ptl"))
        for version in (7, 6, 5, 4):
            assert _backport_for_mobile(full, older, version)
            without_code(older, os.path.join(HERE, "portable_v%d.ptl" % version))
        torch.jit.script(Halves())._save_for_lite_interpreter(full)
        without_code(full, os.path.join(HERE, "old_division.ptl"), version=3)
        torch.jit.script(Restores())._save_for_lite_interpreter(full)
        without_code(full, os.path.join(HERE, "restores.ptl"))
    portable._save_for_lite_interpreter(os.path.join(HERE, "portable_flat.ptl"), _use_flatbuffer=True)


if __name__ == "__main__":
    main()

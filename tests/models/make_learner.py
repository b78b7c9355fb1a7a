#!/usr/bin/python3
"""Makes a digits model that has learned nothing yet, and the images that it learns from on a device.

    make_learner.py [FOLDER]      writes learner.pt, learner_example.json and digits_train.bin there (default: beside
                                  this script)

The network is that of make_digits.py, with random weights. `learn` makes a step of SGD with momentum, `recognize`
answers with running statistics. tests/device/learn.c calls them; this script runs the same steps in PyTorch and
prints what they reach.

Needs python3-torch and python3-sklearn (toolchain/setup.sh torch). The files that it made are committed.

digits_train.bin has the images that make_digits.py trains with: its format is that of digits_test.bin up to the labels,
and ends there."""
import json
import math
import os
import struct
import sys
from typing import List, Optional, Tuple

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import Tensor, nn

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from make_digits import LEVELS, SEED  # noqa: E402
from strip_archive import strip  # noqa: E402

BATCH, EPOCHS, RATE = 16, 3, 0.05


class Learner(nn.Module):
    velocity: List[Tensor]

    def __init__(self):
        super().__init__()
        self.a, self.an = nn.Conv2d(1, 12, 3, padding=1, bias=False), nn.BatchNorm2d(12)
        self.b, self.bn = nn.Conv2d(12, 24, 3, padding=1, bias=False), nn.BatchNorm2d(24)
        self.c, self.cn = nn.Conv2d(24, 24, 3, padding=1, bias=False), nn.BatchNorm2d(24)
        self.classify = nn.Linear(24 * 2 * 2, 10)
        self.velocity = [torch.zeros_like(p) for p in self.parameters()]

    def normal(self, x: Tensor, norm: Tuple[Optional[Tensor], Optional[Tensor], Tensor, Tensor], learning: bool) -> Tensor:
        return F.relu(F.batch_norm(x, norm[0], norm[1], norm[2], norm[3], learning))

    def scores(self, x: Tensor, learning: bool) -> Tensor:
        a, b, c = self.an, self.bn, self.cn
        h = self.normal(self.a(x), (a.running_mean, a.running_var, a.weight, a.bias), learning)
        h = F.max_pool2d(self.normal(self.b(h), (b.running_mean, b.running_var, b.weight, b.bias), learning), 2)
        h = F.max_pool2d(self.normal(self.c(h), (c.running_mean, c.running_var, c.weight, c.bias), learning), 2)
        return self.classify(h.flatten(1))

    @torch.jit.export
    def recognize(self, x: Tensor) -> Tensor:
        return self.scores(x, False)

    @torch.jit.export
    def learn(self, x: Tensor, t: Tensor, rate: float) -> float:
        loss = F.cross_entropy(self.scores(x, True), t)
        parameters = [self.a.weight, self.an.weight, self.an.bias, self.b.weight, self.bn.weight, self.bn.bias,
                      self.c.weight, self.cn.weight, self.cn.bias, self.classify.weight, self.classify.bias]
        gradients = torch.autograd.grad([loss], parameters)
        with torch.no_grad():
            for w, v, g in zip(parameters, self.velocity, gradients):
                if g is not None:
                    v.mul_(0.9).add_(g)
                    w.sub_(v, alpha=rate)
        return float(loss)


def shuffled(count, epoch):
    """The order of an epoch, as tests/device/learn.c has it."""
    order, state = list(range(count)), epoch + 1
    for i in range(count - 1, 0, -1):
        state = (state * 1664525 + 1013904223) % 2 ** 32
        k = (state >> 8) % (i + 1)
        order[i], order[k] = order[k], order[i]
    return order


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    folder = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else here
    os.chdir(here)
    for f in vars(Learner).values():  # the archive shall not name this script's folder
        if callable(f):
            f.__code__ = f.__code__.replace(co_filename=os.path.basename(__file__))
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    digits = load_digits()
    pixels = torch.from_numpy(digits.images).to(torch.uint8)
    labels = torch.from_numpy(digits.target)
    kept, held = train_test_split(torch.arange(len(labels)), test_size=0.2, random_state=SEED, stratify=labels)
    learner = torch.jit.script(Learner())
    learner.save(os.path.join(folder, "learner.pt"))
    strip(os.path.join(folder, "learner.pt"))
    with open(os.path.join(folder, "learner_example.json"), "w") as f:
        shapes = [("float32", [BATCH, 1, 8, 8]), ("int64", [BATCH])]
        json.dump([{"tensor": {"dtype": d, "shape": s, "data": [0] * math.prod(s)}} for d, s in shapes] + [{"float": RATE}], f)
        f.write("\n")
    n, height, width = pixels[kept].shape
    with open(os.path.join(folder, "digits_train.bin"), "wb") as f:
        f.write(b"TSMDIGIT" + struct.pack("<4I", n, height, width, 10))
        f.write(bytes(pixels[kept].flatten().tolist()) + bytes(labels[kept].tolist()))
    images = (pixels.float() / LEVELS).unsqueeze(1)
    for epoch in range(EPOCHS):
        order = kept[shuffled(n, epoch)]
        losses = [learner.learn(images[b], labels[b], RATE) for b in order.split(BATCH) if len(b) == BATCH]
        right = (learner.recognize(images[held]).argmax(1) == labels[held]).sum().item()
        print("epoch %d: loss %.6f, %d of %d held-out images right" % (epoch + 1, sum(losses) / len(losses), right, len(held)))


if __name__ == "__main__":
    main()

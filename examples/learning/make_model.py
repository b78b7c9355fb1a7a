#!/usr/bin/python3
"""Makes monitor.pt, and recordings of a machine: a model that knows nothing yet, learns on the device how a machine
sounds when it is well, and tells when it does not.

    make_model.py [FOLDER]        writes monitor.pt, healthy.csv, healthy_later.csv, worn.csv and expected.json there

A recording has a line for each window of 64 samples of an accelerometer. The network is an autoencoder: what it has
learned to rebuild it rebuilds well, and the rest badly. `learn` makes a step of Adam, whose sums are attributes as the
weights are, so that learning goes on after a restart where it stopped. expected.json has what PyTorch's answers are.

Needs PyTorch; takes seconds. The files that it made are committed."""
import json
import math
import os
import random
import sys
from typing import List

import torch
from torch import Tensor, nn

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from sources import folder_to_write_to, without_folder  # noqa: E402

WINDOW, PASSES = 64, 6


class Monitor(nn.Module):
    first: List[Tensor]
    second: List[Tensor]

    def __init__(self):
        super().__init__()
        self.encode = nn.Linear(WINDOW, 6)
        self.decode = nn.Linear(6, WINDOW)
        self.first = [torch.zeros_like(p) for p in self.parameters()]
        self.second = [torch.zeros_like(p) for p in self.parameters()]
        self.steps = 0
        self.usual = 0.0

    def error(self, window: Tensor) -> Tensor:
        """How badly a window is rebuilt."""
        x = window - window.mean()
        return torch.mean((self.decode(torch.tanh(self.encode(x))) - x) ** 2)

    @torch.jit.export
    def learn(self, window: Tensor, rate: float = 3e-3) -> float:
        """A step of Adam with one window [64] of a machine that is well. Gives the error before it."""
        error = self.error(window)
        parameters = [self.encode.weight, self.encode.bias, self.decode.weight, self.decode.bias]
        gradients = torch.autograd.grad([error], parameters)
        self.steps += 1
        scale = rate * math.sqrt(1 - 0.999 ** self.steps) / (1 - 0.9 ** self.steps)
        with torch.no_grad():
            for p, m, v, g in zip(parameters, self.first, self.second, gradients):
                if g is not None:
                    m.mul_(0.9).add_(g, alpha=0.1)
                    v.mul_(0.999).addcmul_(g, g, value=0.001)
                    p.addcdiv_(m, v.sqrt() + 1e-8, value=-scale)
        now = float(error)
        self.usual = now if self.steps == 1 else 0.98 * self.usual + 0.02 * now
        return now

    @torch.jit.export
    def strangeness(self, window: Tensor) -> float:
        """How many times as badly as usual a window [64] is rebuilt."""
        if self.steps < 100:
            raise RuntimeError("the monitor has seen %d windows, and knows a machine after 100" % self.steps)
        with torch.no_grad():
            return float(self.error(window)) / self.usual


def record(rng: random.Random, windows: int, wear: float) -> List[List[float]]:
    """Two harmonics of a shaft whose phase runs on, with noise; a worn bearing knocks at a frequency of its own."""
    lines, phase, knock = [], 0.0, 0.0
    for _ in range(windows):
        line = []
        for _ in range(WINDOW):
            phase += 2 * math.pi * (0.0607 + rng.gauss(0, 0.0005))
            knock += 0.0873
            pulse = math.exp(-12 * (knock % 1.0)) * math.sin(28 * (knock % 1.0))
            line.append(round(math.sin(phase) + 0.4 * math.sin(2 * phase + 0.7) + rng.gauss(0, 0.05) + wear * pulse, 3))
        lines.append(line)
    return lines


def main():
    folder = folder_to_write_to(sys.argv)
    without_folder(Monitor)
    torch.manual_seed(5)
    rng = random.Random(5)
    program = torch.jit.script(Monitor())
    program.save(os.path.join(folder, "monitor.pt"))
    recordings = {"healthy": record(rng, 240, 0), "healthy_later": record(rng, 40, 0), "worn": record(rng, 40, 1.2)}
    for name, lines in recordings.items():
        with open(os.path.join(folder, name + ".csv"), "w") as f:
            f.writelines(",".join(map(str, line)) + "\n" for line in lines)
    answers = {"learn": [program.learn(torch.tensor(w)) for _ in range(PASSES) for w in recordings["healthy"]]}
    for name in ("healthy_later", "worn"):
        answers[name] = [program.strangeness(torch.tensor(w)) for w in recordings[name]]
        print("%-14s strangeness %.2f to %.2f" % (name, min(answers[name]), max(answers[name])))
    print("error %.3f before, %.3f in the end" % (answers["learn"][0], answers["learn"][-1]))
    with open(os.path.join(folder, "expected.json"), "w") as f:
        json.dump({name: [float("%.7g" % v) for v in values] for name, values in answers.items()}, f)
        f.write("\n")


if __name__ == "__main__":
    main()

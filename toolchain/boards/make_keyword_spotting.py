#!/usr/bin/env python3
"""Makes keyword_spotting.pt, keyword_spotting.json and keyword_features.h, the example of the boards' packages: a
network of depthwise and pointwise convolutions over 49 frames of 10 coefficients, as it is used to spot words, with a
second of such features and PyTorch's scores for it. Its weights are random: what is shown is how a network gets onto a
board.

    make_keyword_spotting.py
"""
import json
import os
import subprocess

import torch
from torch import Tensor, nn

HERE = os.path.dirname(os.path.abspath(__file__))


class Separable(nn.Module):
    def __init__(self, channels: int):
        super().__init__()
        self.depthwise = nn.Conv2d(channels, channels, 3, padding=1, groups=channels)
        self.pointwise = nn.Conv2d(channels, channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.pointwise(torch.relu(self.depthwise(x))))


class KeywordSpotting(nn.Module):
    def __init__(self, words: int = 12, channels: int = 32):
        super().__init__()
        self.first = nn.Conv2d(1, channels, (10, 4), stride=2, padding=(5, 1))
        self.blocks = nn.Sequential(*[Separable(channels) for _ in range(4)])
        self.last = nn.Linear(channels, words)

    def forward(self, features: Tensor) -> Tensor:
        x = self.blocks(torch.relu(self.first(features)))
        return torch.softmax(self.last(torch.flatten(nn.functional.adaptive_avg_pool2d(x, 1), 1)), 1)


def numbers(values):
    rows = [", ".join("%rf" % round(v, 6) for v in values[i:i + 10]) for i in range(0, len(values), 10)]
    return "{\n    " + ",\n    ".join(rows) + ",\n}"


def main():
    torch.manual_seed(13)
    net = KeywordSpotting().eval()
    for p in net.parameters():
        p.data *= 2  # so that scores differ
    features = torch.round(torch.randn(1, 1, 49, 10) * 1000) / 1000
    scores = net(features)
    scripted = torch.jit.freeze(torch.jit.script(net))
    torch.jit.save(scripted, os.path.join(HERE, "keyword_spotting.pt"))
    header = os.path.join(HERE, "keyword_features.h")
    with open(header, "w", encoding="utf-8") as f:
        f.write("/* Made by make_keyword_spotting.py: a second of features, and what PyTorch's scores of it are. */\n"
                "static const float keyword_features[490] = %s;\nstatic const float keyword_scores[12] = %s;\n"
                % (numbers(features.flatten().tolist()), numbers(scores.flatten().tolist())))
    subprocess.run(["clang-format", "-i", header], check=True)
    with open(os.path.join(HERE, "keyword_spotting.json"), "w", encoding="utf-8") as f:
        data = [round(v, 3) for v in features.flatten().tolist()]
        json.dump([{"tensor": {"dtype": "float32", "shape": [1, 1, 49, 10], "data": data}}], f)
        f.write("\n")


if __name__ == "__main__":
    main()

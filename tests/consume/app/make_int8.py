#!/usr/bin/env python3
"""Makes keyword_spotting_int8.pt: the network of toolchain/boards/keyword_spotting.pt (make_keyword_spotting.py),
quantized to int8 by PyTorch's eager mode for QNNPACK. Its softmax stays float32.

    make_int8.py
"""
import os
import sys

import torch
from torch import Tensor, nn
from torch.ao.quantization import convert, get_default_qconfig, prepare, QuantWrapper
from torch.nn.intrinsic import ConvReLU2d

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../toolchain/boards"))
from make_keyword_spotting import KeywordSpotting  # noqa: E402


class Scores(nn.Module):
    def __init__(self, net: nn.Module):
        super().__init__()
        self.net = net

    def forward(self, features: Tensor) -> Tensor:
        return torch.softmax(self.net(features), 1)


def main():
    torch.manual_seed(13)
    torch.backends.quantized.engine = "qnnpack"
    net = KeywordSpotting()
    layers = [net.first] + [layer for block in net.blocks for layer in (block.depthwise, block.pointwise)]
    plain = nn.Sequential(*[ConvReLU2d(layer, nn.ReLU()) for layer in layers], nn.AdaptiveAvgPool2d(1), nn.Flatten(), net.last)
    wrapped = QuantWrapper(plain).eval()
    wrapped.qconfig = get_default_qconfig("qnnpack")
    prepare(wrapped, inplace=True)
    for _ in range(8):
        wrapped(torch.randn(1, 1, 49, 10))
    convert(wrapped, inplace=True)
    torch.jit.save(torch.jit.freeze(torch.jit.script(Scores(wrapped).eval())), os.path.join(HERE, "keyword_spotting_int8.pt"))


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""Makes mobilenet_v2.pt of torchvision with random weights, and prints as JSON what PyTorch makes of ones, with it and
with a voice detector, twice.

    make_models.py FOLDER VOICE.pt
    make_models.py FOLDER --silero SILERO_VAD.jit     what it makes of ones, twice"""
import json
import os
import sys

import torch
import torchvision


def summary(y):
    return {"shape": list(y.shape), "first": [float(v) for v in y.flatten()[:4]]}


def main():
    if sys.argv[2] == "--silero":
        detector = torch.jit.load(sys.argv[3])
        with torch.no_grad():
            print(json.dumps([summary(detector(torch.ones(1, 512), 16000)) for _ in range(2)]))
        return
    folder, voice = sys.argv[1:]
    torch.manual_seed(0)
    net = torchvision.models.mobilenet_v2(weights=None)
    x = torch.ones(1, 3, 224, 224)
    with torch.no_grad():
        # Statistics of what the layers see, so that numbers neither vanish nor explode on their way.
        for layer in net.modules():
            if isinstance(layer, torch.nn.BatchNorm2d):
                layer.momentum = 1.0
        net(torch.rand(2, 3, 224, 224))
        net.eval().classifier[1].weight.mul_(100)
        program = torch.jit.trace(net, x)
        program.save(os.path.join(folder, "mobilenet_v2.pt"))
        detector = torch.jit.load(voice)
        print(json.dumps({"mobilenet_v2": summary(program(x)), "voice": [summary(detector(torch.ones(256))) for _ in range(2)]}))


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""Records what PyTorch 1.13.1 gives for programs.py: record.py > expected.json"""
import json
import sys

import torch

import programs


def plain(v):
    if isinstance(v, torch.Tensor):
        kind = str(v.dtype)[6:]
        return {"tensor": {"dtype": kind, "shape": list(v.shape), "data": v.flatten().tolist()}}
    if isinstance(v, float):
        return {"float": v}
    if isinstance(v, tuple):
        return {"tuple": [plain(i) for i in v]}
    return [plain(i) for i in v] if isinstance(v, list) else v


def main():
    torch.manual_seed(5)
    x, t = torch.randn(4, 6), torch.tensor([2, 0, 5, 1])
    results = {f.__name__: plain(torch.jit.script(f)(x, t)) for f in programs.PROGRAMS}
    json.dump({"inputs": [plain(x), plain(t)], "expected": results}, sys.stdout, indent=None)
    print()


if __name__ == "__main__":
    main()

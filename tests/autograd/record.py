#!/usr/bin/python3
"""Records what PyTorch 1.13.1 gives for programs.py: record.py > expected.json"""
import json
import sys

import torch

import programs


def plain(v):
    if isinstance(v, torch.Tensor):
        return {"tensor": {"dtype": str(v.dtype)[6:], "shape": list(v.shape), "data": v.flatten().tolist()}}
    if isinstance(v, float):
        return {"float": v}
    if isinstance(v, tuple):
        return {"tuple": [plain(i) for i in v]}
    return [plain(i) for i in v] if isinstance(v, list) else v


def arguments():
    noise = torch.Generator().manual_seed(8)
    x, y, p = (torch.randn(3, 4, generator=noise) for _ in range(3))
    return [x.requires_grad_(), y.requires_grad_(), (p.abs() + 0.2).requires_grad_(), torch.tensor([2, 0, 3])]


def exception_of(f):
    """The last line of the exception that the program raises."""
    try:
        torch.jit.script(f)(*arguments())
    except RuntimeError as e:
        return str(e).strip().splitlines()[-1]
    raise AssertionError(f.__name__ + " does not raise")


def main():
    results = {f.__name__: plain(torch.jit.script(f)(*arguments())) for f in programs.PROGRAMS}
    raised = {f.__name__: exception_of(f) for f in programs.RAISING}
    json.dump({"inputs": [plain(a) for a in arguments()], "expected": results, "raised": raised}, sys.stdout, indent=None)
    print()


if __name__ == "__main__":
    main()

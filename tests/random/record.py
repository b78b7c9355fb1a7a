#!/usr/bin/python3
"""Records what PyTorch gives.

    record.py > expected.json                  PyTorch 1.13.1, for programs.py
    record.py generators > generators.json     PyTorch 2.6, for generators.py, in a first and a second call"""
import json
import sys

import torch

import generators
import programs


def plain(v):
    if isinstance(v, torch.Tensor):
        kind = str(v.dtype)[6:]
        data = v.flatten().tolist()
        if v.is_complex():
            data = [[c.real, c.imag] for c in data]
        return {"tensor": {"dtype": kind, "shape": list(v.shape), "data": data}}
    if isinstance(v, float):
        return {"float": v}
    if isinstance(v, tuple):
        return {"tuple": [plain(i) for i in v]}
    return [plain(i) for i in v] if isinstance(v, list) else v


def exception_of(f, *arguments):
    """The last line of the exception that the program raises."""
    try:
        torch.jit.script(f)(*arguments)
    except RuntimeError as e:
        return str(e).strip().splitlines()[-1]
    raise AssertionError(f.__name__ + " does not raise")


def twice(f, x, t):
    made = torch.jit.script(f)
    return [plain(made(x, t)) for _ in range(2)]


def main():
    x, t = torch.randn(4, 6, generator=torch.Generator().manual_seed(5)), torch.tensor([2, 0, 5, 1])
    torch.manual_seed(67280421310721)  # what an instance begins with; PyTorch itself begins anywhere
    if sys.argv[1:] == ["generators"]:
        json.dump({"inputs": [plain(x), plain(t)], "twice": {f.__name__: twice(f, x, t) for f in generators.PROGRAMS}}, sys.stdout)
        return print()
    results = {f.__name__: plain(torch.jit.script(f)(x, t)) for f in programs.PROGRAMS}
    recorded = {"inputs": [plain(x), plain(t)], "expected": results, "raised": {f.__name__: exception_of(f, x, t) for f in programs.RAISING}}
    json.dump(recorded, sys.stdout, indent=None)
    print()


if __name__ == "__main__":
    main()

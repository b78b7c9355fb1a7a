#!/usr/bin/python3
"""Saves kept.py's module as kept.pt, and records what PyTorch 1.13.1 gives for calls of its methods, one after the
other: record_kept.py > kept.json"""
import json
import sys

import torch

import kept
import record


def main():
    torch.manual_seed(0)
    module = torch.jit.script(kept.Kept())
    record.save(module, "kept.pt")
    batches = [[torch.randn(5, 3), torch.tensor([0, 1, 1, 0, 1])] for _ in range(3)]
    calls = [("gradients", []), ("accumulate", batches[0]), ("gradients", []), ("accumulate", batches[1]), ("gradients", []),
             ("accumulate_rows", batches[2]), ("gradients", []), ("clip", [0.4]), ("step", [0.5]), ("clear", []), ("gradients", []),
             ("accumulate", batches[0]), ("clip", [10.0]), ("step", [0.5]), ("forward", [batches[1][0]])]
    recorded = []
    for name, arguments in calls:
        answer = getattr(module, name)(*arguments)
        recorded.append([name, record.plain(arguments), record.plain(answer)])
    json.dump(recorded, sys.stdout)
    print()


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""Records what PyTorch 1.13.1 gives for ten steps of each module of classics.py and the other files of MODULES, and
saves the modules as archives/NAME.pt: record_classics.py > classics.json"""
import json
import os
import sys

import torch

import absent
import adaptation
import classics
import habitual
import kept_graph
import kinds
import networks
import recipes
import record
import sequences
import steps
import structures

HERE = os.path.dirname(os.path.abspath(__file__))
MODULES = [classics, adaptation, sequences, structures, kinds, recipes, networks, steps, kept_graph, habitual, absent]
# Where PyTorch's executor of scripts gives other gradients than Python does from the second call on.
UNSCRIPTED = [networks.InnerDescent]


def main():
    torch.manual_seed(0)
    x, t = torch.randn(6, 4), torch.tensor([2, 0, 1, 1, 2, 0])
    expected, sources = {}, {}
    for c in [c for m in MODULES for c in m.CLASSICS]:
        sources[c.__name__] = c.__module__ + ".py:" + c.__name__
        module = torch.jit.script(c())
        record.save(module, os.path.join(HERE, "archives", c.__name__ + ".pt"))
        if c in UNSCRIPTED:
            module = c()
        made = []
        for i in range(10):
            loss, weights = module(x.clone(), t.clone(), i)
            made.append([loss, [[float("%.9g" % v) for v in w.flatten().tolist()] for w in weights]])
        expected[c.__name__] = made
    for name, plain in kinds.AGAIN.items():
        module = getattr(kinds, name)()
        for i in range(10):
            loss, _ = module(x.clone(), t.clone(), i)
            assert abs(loss - expected[plain.__name__][i][0]) < 1e-5, name
    json.dump({"inputs": [[record.plain(x), record.plain(t), i] for i in range(10)], "steps": expected, "sources": sources}, sys.stdout)
    print()


if __name__ == "__main__":
    main()

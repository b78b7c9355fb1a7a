#!/usr/bin/env python3
"""Makes the weights and the answers of the modules in this folder, with PyTorch.

    record.py           PyTorch 1.13.1
    record.py torch2    PyTorch 2.6: cases_torch2.json alone, of what torch.nn got later

Writes NAME.pth, what torch.save(model.state_dict()) writes, trained.pt, an archive in training mode, and cases.json:
for each module its inputs and what it returns for them after eval(). test_modules.py, which needs no PyTorch, compares
with those."""
import importlib
import json
import os
import sys

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from strip_archive import strip  # noqa: E402
MODULES = [
    ("mlp", "MLP(hidden=(8, 5), activation='gelu')", lambda: [torch.randn(2, 6)]),
    ("residual_cnn", "ResidualCNN()", lambda: [torch.randn(2, 3, 12, 12)]),
    ("lstm_tagger", "Tagger(20, tags=5)", lambda: [torch.randint(0, 20, (2, 7))]),
    ("transformer_encoder", "LanguageModel()",
     lambda: [torch.randint(0, 20, (6, 2)), torch.triu(torch.full((6, 6), float("-inf")), 1)]),
    ("stateless", "Stateless()", lambda: [torch.randn(2, 3)]),
    ("attributes", "Attributes()", lambda: [torch.arange(3.0)]),
]
# Recorded last, so that the others keep their numbers.
LATER = [
    ("construction", "Tower()", lambda: [torch.randn(2, 3, 8, 9)]),
    ("packed", "Packed()", lambda: [torch.randn(3, 5, 4), torch.tensor([3, 5, 1])]),
    ("corners", "Corners()", lambda: [torch.randn(2, 3)]),
    ("functions", "Functions()", lambda: [torch.rand(1, 2, 4, 4), torch.rand(2, 3)]),
    ("hooks", "Hooks()", lambda: [torch.randn(2, 3)]),
]


class Trained(torch.nn.Module):
    """Saved as an archive in training mode, for tsmc --eval."""

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Dropout(0.5))

    def forward(self, x):
        return self.layers(x)


def encode(t):
    if isinstance(t, tuple):
        return {"tuple": [encode(x) for x in t]}
    if isinstance(t, list):
        return [encode(x) for x in t]
    if isinstance(t, dict):
        return {"dict": [[encode(k), encode(x)] for k, x in t.items()]}
    if isinstance(t, float):
        return {"float": t}
    if not isinstance(t, torch.Tensor):
        return t
    return {"tensor": {"dtype": str(t.dtype)[6:], "shape": list(t.shape), "data": t.flatten().tolist()}}


def settle(model):
    """Sets values that are far from the initial ones, so that a weight that is not loaded changes the answer."""
    for name, t in model.state_dict().items():
        if name.endswith("running_var"):
            t.uniform_(0.5, 2)
        elif t.is_floating_point() and t.dim() < 2:
            t.uniform_(-0.5, 1)


def case(model, entry, weights, inputs):
    with torch.no_grad():
        output = model(*inputs)
    return {"entry": entry, "weights": weights, "inputs": [encode(t) for t in inputs], "output": encode(output)}


def record_module(file, entry, inputs):
    model = eval(entry, vars(importlib.import_module(file))).eval()
    settle(model)
    weights = file + ".pth" if model.state_dict() else None
    if weights:
        torch.save(model.state_dict(), os.path.join(HERE, weights))
    return case(model, "%s.py:%s" % (file, entry), weights, inputs)


def record_archive():
    model = Trained()
    settle(model)
    torch.jit.script(model).save(os.path.join(HERE, "trained.pt"))
    strip(os.path.join(HERE, "trained.pt"))
    return case(model.eval(), "trained.pt", None, [torch.randn(2, 3)])


def record_layers(file):
    module = importlib.import_module(file)
    cases = []
    for name, (_, inputs) in module.LAYERS.items():
        kind = ["One", "Two", "Three"][len(inputs) - 1]
        tensors = [torch.randint(0, 6, (2, 3)) if size == "tokens" else torch.randn(size) for size in inputs]
        cases.append(case(getattr(module, kind)(name).eval(), "%s.py:%s(\"%s\")" % (file, kind, name), None, tensors))
    return cases


def write(cases, file):
    with open(os.path.join(HERE, file), "w") as f:
        f.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")


def main():
    sys.path.insert(0, HERE)
    torch.manual_seed(7)
    if sys.argv[1:] == ["torch2"]:
        write(record_layers("layers_torch2") + [record_module("typing_torch2", "Typed()", [torch.randn(2, 3)]),
                                                record_module("buffers_torch2", "Buffers()", [torch.randn(2, 3)])],
              "cases_torch2.json")
        return
    cases = [record_module(file, entry, make_inputs()) for file, entry, make_inputs in MODULES] + [record_archive()]
    cases += record_layers("layers")
    torch.manual_seed(8)
    cases += [record_module(file, entry, make_inputs()) for file, entry, make_inputs in LATER]
    cases += record_layers("convolutions")
    write(cases, "cases.json")


if __name__ == "__main__":
    main()

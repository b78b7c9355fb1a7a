#!/usr/bin/env python3
"""Makes the weights and the answers of the modules in this folder, with PyTorch.

    record.py

Writes NAME.pth, what torch.save(model.state_dict()) writes, and cases.json: for each module its inputs and what it
returns for them. test_modules.py, which needs no PyTorch, compares with those."""
import importlib
import json
import os
import sys

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
MODULES = [
    ("mlp", "MLP", "MLP(hidden=(8, 5), activation='gelu')", lambda: [torch.randn(2, 6)]),
    ("residual_cnn", "ResidualCNN", "ResidualCNN()", lambda: [torch.randn(2, 3, 12, 12)]),
    ("lstm_tagger", "Tagger", "Tagger(20, tags=5)", lambda: [torch.randint(0, 20, (2, 7))]),
    ("transformer_encoder", "LanguageModel", "LanguageModel()",
     lambda: [torch.randint(0, 20, (6, 2)), torch.triu(torch.full((6, 6), float("-inf")), 1)]),
    ("stateless", "Stateless", "Stateless()", lambda: [torch.randn(2, 3)]),
]


def encode(t):
    return {"tensor": {"dtype": str(t.dtype)[6:], "shape": list(t.shape), "data": t.flatten().tolist()}}


def settle(model):
    """Values that are far from what layers begin with, so that no weight can be forgotten."""
    for name, t in model.state_dict().items():
        if name.endswith("running_var"):
            t.uniform_(0.5, 2)
        elif t.is_floating_point() and t.dim() < 2:
            t.uniform_(-0.5, 1)


def main():
    sys.path.insert(0, HERE)
    torch.manual_seed(7)
    cases = []
    for file, name, entry, make_inputs in MODULES:
        module = importlib.import_module(file)
        model = eval(entry, vars(module)).eval()
        settle(model)
        if model.state_dict():
            torch.save(model.state_dict(), os.path.join(HERE, file + ".pth"))
        inputs = make_inputs()
        with torch.no_grad():
            output = model(*inputs)
        cases.append({"file": file, "entry": entry, "weights": bool(model.state_dict()),
                      "inputs": [encode(t) for t in inputs], "output": encode(output)})
    with open(os.path.join(HERE, "cases.json"), "w") as f:
        f.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""Records what PyTorch 1.13.1 makes of values.py: record.py > expected.json. Of each type and each value "refused",
"raises", or [the result in JSON]; null where Python itself raises, or the result has no form in JSON."""
import importlib.util
import json
import os
import sys
import tempfile
import warnings

import torch

import values

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import recording  # noqa: E402


def load(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def answer(folder, name, value, kind):
    path = os.path.join(folder, name + ".py")
    with open(path, "w") as f:
        f.write(values.source("f", value, kind))
    try:
        made = load(path, name).f
        made = made() if kind == values.ATTRIBUTE else made
    except Exception:
        return None
    try:
        scripted = torch.jit.script(made)
    except Exception:
        return values.REFUSED
    try:
        result = scripted()
    except Exception:
        return values.RAISES
    try:
        return [recording.encode(result)]
    except ValueError:
        return None


def main():
    warnings.filterwarnings("ignore")
    sys.dont_write_bytecode = True
    with tempfile.TemporaryDirectory() as folder:
        lines = []
        for i, kind in enumerate(values.TYPES + [values.ATTRIBUTE]):
            row = recording.forked(lambda: [answer(folder, "m%d_%d" % (i, k), v, kind) for k, v in enumerate(values.VALUES)])
            lines.append("%s: %s" % (json.dumps(kind), json.dumps(dict(zip(values.VALUES, row)))))
    print("{%s}" % ",\n".join(lines))


if __name__ == "__main__":
    main()

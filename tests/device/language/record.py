#!/usr/bin/env python3
"""Makes language.pt and language.json from programs.py; needs PyTorch 1.13.

    record.py

language.json: an array of {"method", "arguments", and "result" or "raises" (the last line of PyTorch's message),
"prints"}, values as tsmrun reads and writes them. "portable" says that the method is one of `Portable`, "sequence" that
the arguments are those of several calls and the result is the array of theirs."""
import contextlib
import copy
import json
import os
import sys
import tempfile
import types

import torch

HERE = os.path.dirname(os.path.abspath(__file__))


def load_programs():
    """Imports programs.py such that the archives name it without a path."""
    os.chdir(HERE)
    name = "programs.py"
    module = types.ModuleType("programs")
    module.__file__ = name
    sys.modules["programs"] = module
    with open(name) as f:
        exec(compile(f.read(), name, "exec"), module.__dict__)
    return module


programs = load_programs()


def encode(v):
    if isinstance(v, torch.Tensor):
        return {"tensor": {"dtype": str(v.dtype)[6:], "shape": list(v.shape), "data": v.flatten().tolist()}}
    if isinstance(v, float):
        return {"float": v}
    if isinstance(v, complex):
        return {"complex": [v.real, v.imag]}
    if isinstance(v, tuple):
        return {"tuple": [encode(x) for x in v]}
    if isinstance(v, list):
        return [encode(x) for x in v]
    if isinstance(v, dict):
        return {"dict": [[encode(k), encode(x)] for k, x in v.items()]}
    return v


@contextlib.contextmanager
def stdout_of_process():
    """Redirects the file descriptor of stdout, because what C++ prints does not go through sys.stdout."""
    sys.stdout.flush()
    saved = os.dup(1)
    with tempfile.TemporaryFile() as f:
        os.dup2(f.fileno(), 1)
        text = []
        try:
            yield text
        finally:
            os.dup2(saved, 1)
            os.close(saved)
            f.seek(0)
            text.append(f.read().decode())


def answer(module, method, arguments):
    case = {"method": method, "arguments": encode(list(arguments))}
    with stdout_of_process() as printed:
        try:
            case["result"] = encode(getattr(module, method)(*copy.deepcopy(arguments)))
        except Exception as e:
            case["raises"] = str(e).strip().splitlines()[-1]
    if hasattr(programs.Portable, method):
        case["portable"] = True
    if printed[0]:
        case["prints"] = printed[0]
    return case


def answers_in_sequence(module, method, calls):
    results = [encode(getattr(module, method)(*copy.deepcopy(arguments))) for arguments in calls]
    return {"method": method, "arguments": [encode(list(c)) for c in calls], "result": results, "sequence": True, "portable": True}


def main():
    path = "language.pt"
    torch.jit.script(programs.Language()).save(path)
    # Each case begins with the state that the archive holds.
    answers = [answer(torch.jit.load(path), method, arguments) for method, arguments in programs.CASES]
    answers += [answers_in_sequence(torch.jit.load(path), method, calls) for method, calls in programs.SEQUENCES]
    with open("language.json", "w") as f:
        f.write("[\n" + ",\n".join(json.dumps(a) for a in answers) + "\n]\n")


if __name__ == "__main__":
    main()

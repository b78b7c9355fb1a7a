#!/usr/bin/python3
"""Records in expected.json what PyTorch 1.13.1 answers to the calls of programs.py: record.py

Writes the state dicts of programs with weights too, and defaults.pt, an archive whose methods have lists as defaults:
no source may have them."""
import copy
import io
import json
import os
import sys
import zipfile
from typing import List, Tuple

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "programs"))
from record import plain  # noqa: E402


def answers(program, calls):
    records = []
    for args in copy.deepcopy(calls):
        given = [plain(a) for a in args]
        try:
            records.append({"args": given, "result": plain(program(*args))})
        except Exception as e:
            records.append({"args": given, "raises": str(e).strip().splitlines()[-1]})
    return records


# ---- State dicts ----


def with_weights(programs, module_class, state):
    path = os.path.join(HERE, module_class.__name__ + ".pth")
    torch.save(state, path)
    net = module_class()
    net.load_state_dict(torch.load(path))
    return answers(torch.jit.script(net), programs.CALLS_WITH_WEIGHTS)


# ---- Calls of several methods ----


def is_given(programs, argument):
    return isinstance(argument, programs.Given)


def shown(programs, argument):
    """An argument as tsmrun takes it."""
    if isinstance(argument, list):
        return [shown(programs, a) for a in argument]
    if not is_given(programs, argument):
        return plain(argument)
    return {"argument": argument.argument} if argument.result is None else {"result": argument.result}


def found(programs, argument, before, results):
    if isinstance(argument, list):
        return [found(programs, a, before, results) for a in argument]
    if not is_given(programs, argument):
        return argument.clone()
    if argument.result is None:
        return before[argument.argument]
    value = results[argument.result[0]]
    for i in argument.result[1:]:
        value = value[i]
    return value


def sequence(programs, net, calls):
    records, results = [], []
    for method, arguments in calls:
        values = []
        for a in arguments:
            values.append(found(programs, a, values, results))
        results.append(getattr(net, method)(*values))
        records.append({"args": {"method": method, "inputs": [shown(programs, a) for a in arguments], "keep": True},
                        "result": plain(results[-1])})
    return records


# ---- Defaults ----


class Defaults(torch.nn.Module):
    @torch.jit.export
    def helper(self, x, l: List[int]):
        l.append(2)
        return x + len(l)

    def forward(self, x, l: List[int], t: Tuple[List[int], int]):
        l.append(2)
        t[0].append(1)
        return self.helper(x, [1]), len(l), len(t[0])


def write_defaults(path):
    saved = io.BytesIO()
    torch.jit.save(torch.jit.script(Defaults()), saved)
    with zipfile.ZipFile(saved) as source, zipfile.ZipFile(path, "w") as out:
        for name in source.namelist():
            data = source.read(name)
            if name.endswith(".debug_pkl"):
                continue
            if name.endswith(".py"):
                for old, new in (("l: List[int],", "l: List[int]=[1],"), ("t: Tuple[List[int], int]) ->", "t: Tuple[List[int], int]=([1], 3)) ->"),
                                 ("l: List[int]) ->", "l: List[int]=[1]) ->"), ("helper(x, [1], )", "helper(x, )")):
                    assert data.count(old.encode()) == 1, (old, data)
                    data = data.replace(old.encode(), new.encode())
            out.writestr(zipfile.ZipInfo(name), data)


def with_defaults(programs):
    path = os.path.join(HERE, "defaults.pt")
    write_defaults(path)
    calls = [("forward", [programs.X]), ("helper", [programs.X]), ("forward", [programs.X]), ("helper", [programs.X])]
    return sequence(programs, torch.jit.load(path), calls)


def main():
    sys.path.insert(0, HERE)
    import programs
    torch._C._set_graph_executor_optimize(False)  # optimized, operators that change running statistics may be removed
    expected = {}
    for name, calls in programs.CALLS.items():
        expected[name] = answers(torch.jit.script(getattr(programs, name)), calls)
    for name, calls in programs.MODULES.items():
        expected[name] = answers(torch.jit.script(getattr(programs, name)()), calls)
    for module_class, state in programs.WEIGHTS.items():
        expected[module_class.__name__] = with_weights(programs, module_class, state)
    for module_class, calls in programs.SEQUENCES.items():
        expected[module_class.__name__] = sequence(programs, torch.jit.script(module_class()), calls)
    expected["defaults.pt"] = with_defaults(programs)
    with open(os.path.join(HERE, "expected.json"), "w") as f:
        f.write("{\n" + ",\n".join("%s: %s" % (json.dumps(n), json.dumps(r)) for n, r in expected.items()) + "\n}\n")


if __name__ == "__main__":
    main()

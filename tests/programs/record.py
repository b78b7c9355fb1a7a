#!/usr/bin/python3
"""Records what PyTorch 1.13.1 does with the programs of this folder: record.py

Writes expected.json, and for each file NAME.py an archive NAME.pt: a module that has its functions as methods.
sparse.pt is the module of sparse_module.py: no source has sparse constants."""
import ast
import enum
import glob
import json
import os
import re
import shutil
import sys
import tempfile
import types
import zipfile

import torch

HERE = os.path.dirname(os.path.abspath(__file__))


# Operators that are new in PyTorch 2, and so are its words.
OF_TORCH_2 = {
    "of_seed": 'aten::seed(Generator(a!) self) -> int:\nArgument self not provided.\n:\n  File "refused_torch.py", line 96\n'
               'def of_seed():\n    return torch.seed()\n           ~~~~~~~~~~ <--- HERE',
}


def load(folder, name):
    """Imports a file by its bare name, so that no archive tells where this folder lies."""
    os.chdir(folder)
    module = sys.modules[name] = types.ModuleType(name)
    module.__file__ = name + ".py"
    with open(module.__file__) as f:
        exec(compile(f.read(), module.__file__, "exec"), module.__dict__)
    return module


def plain(v):
    """A value as tsmrun's JSON."""
    if isinstance(v, torch.Tensor):
        return {"tensor": {"dtype": str(v.dtype)[6:], "shape": list(v.shape), "data": v.flatten().tolist()}}
    if isinstance(v, enum.Enum):
        return {"enum": {"class": type(v).__name__, "name": v.name, "value": plain(v.value)}}
    if isinstance(v, float):
        return {"float": v}
    if isinstance(v, complex):
        return {"complex": [v.real, v.imag]}
    if isinstance(v, tuple):
        return {"tuple": [plain(i) for i in v]}
    if isinstance(v, dict):
        return {"dict": [[plain(k), plain(i)] for k, i in v.items()]}
    return [plain(i) for i in v] if isinstance(v, list) else v


def bare(message):
    """A message without what depends on the machine: folders and addresses."""
    message = re.sub(r" \(of Python compilation unit at: 0x[0-9a-f]+\)", "", message)
    return re.sub(r'(?<=[" ])/[^" ]*/(?=\w+\.py)', "", message).strip()


class Printed:
    """What the C++ code prints to stdout."""

    def __enter__(self):
        sys.stdout.flush()
        self.kept, self.file = os.dup(1), tempfile.TemporaryFile()
        os.dup2(self.file.fileno(), 1)
        return self

    def __exit__(self, *_):
        os.dup2(self.kept, 1)
        self.file.seek(0)
        self.text = self.file.read().decode()


def run(function, args):
    record = {"args": [plain(a) for a in args]}
    with Printed() as printed:
        try:
            record["result"] = plain(function(*args))
        except Exception as e:
            record["raises"] = bare(str(e))
    if printed.text:
        record["printed"] = printed.text
    return record


def save(module, path):
    """Saves an archive with compressed members."""
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "made.pt")
        torch.jit.save(module, made)
        with zipfile.ZipFile(made) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
            for n in old.namelist():
                new.writestr(zipfile.ZipInfo(n), old.read(n), zipfile.ZIP_DEFLATED)


def archive(name, functions):
    """The functions of a file as methods of one module."""
    tree = ast.parse(open(os.path.join(HERE, name + ".py")).read())
    lines = ["import torch", "import %s" % name, "from %s import *" % name, "from typing import *", "class Programs(torch.nn.Module):"]
    lines += ["    def forward(self, x: int):", "        return x"]
    for d in tree.body:
        if isinstance(d, ast.FunctionDef) and d.name in functions:
            d.args.defaults = []
            returns = " -> %s" % ast.unparse(d.returns) if d.returns else ""
            given = ", ".join(a.arg for a in d.args.args)
            lines += ["    @torch.jit.export", "    def %s(self, %s)%s:" % (d.name, ast.unparse(d.args), returns),
                      "        return %s.%s(%s)" % (name, d.name, given)]
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(os.path.join(HERE, name + ".py"), folder)
        with open(os.path.join(folder, name + "_archive.py"), "w") as f:
            f.write("\n".join(lines) + "\n")
        save(torch.jit.script(load(folder, name + "_archive").Programs()), os.path.join(HERE, name + ".pt"))


def main():
    expected = {}
    for path in sorted(glob.glob(os.path.join(HERE, "*.py"))):
        name = os.path.basename(path)[:-3]
        if name in ("record", "test_programs", "sparse_module"):
            continue
        m = load(HERE, name)
        records = expected[name] = {}
        for function in getattr(m, "REFUSED", []):
            try:
                torch.jit.script(getattr(m, function))
                sys.exit("%s.%s compiles" % (name, function))
            except Exception as e:
                records[function] = {"refused": OF_TORCH_2.get(function, bare(str(e)))}
        for function, calls in getattr(m, "CALLS", {}).items():
            records[function] = [run(torch.jit.script(getattr(m, function)), args) for args in calls]
        if hasattr(m, "CALLS"):
            archive(name, m.CALLS)
    sparse = torch.jit.script(load(HERE, "sparse_module").SparseWeights())
    save(sparse, "sparse.pt")
    expected["sparse"] = {"forward": [run(sparse, (torch.arange(9.0).reshape(3, 3),))]}
    with open(os.path.join(HERE, "expected.json"), "w") as f:
        files = ["%s: {\n%s\n}" % (json.dumps(n), ",\n".join("%s: %s" % (json.dumps(k), json.dumps(v)) for k, v in r.items()))
                 for n, r in expected.items()]
        f.write("{\n" + ",\n".join(files) + "\n}\n")


if __name__ == "__main__":
    main()

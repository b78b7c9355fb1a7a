#!/usr/bin/env python3
"""Records the programs of sources/ anew with the PyTorch that is installed.

    record.py [FOLDER]      writes cases.tar.xz and areas.txt there (default: beside this script)

A file of sources/ defines CASES = [(callable, arguments), ...] and BAD = [(callable, part of PyTorch's message), ...];
a callable is a function, a module class, a method of one ("Net.step"), or a function "make_..." that makes a compiled
module. Programs of other versions of PyTorch stay as they are in the pack, and archives of older formats get this
PyTorch's answers if they had those of this version."""
import base64
import copy
import io
import os
import sys
import types

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from packs import archive_members, read_pack, write_pack  # noqa: E402
from recording import (EXACT, encode, forked, load, method_of, record, record_again, version,  # noqa: E402
                       without_addresses)

# The test that runs a file's programs, by the first letter of its name.
AREAS = {"a": "types", "b": "types", "c": "classes", "e": "expressions", "g": "builtins", "h": "builtins", "k": "names",
         "l": "names", "m": "modules", "r": "exceptions", "s": "statements", "z": "archives"}


def load_source(name):
    """The module. Its path is relative, so that no folder of this machine gets into messages and archives."""
    path = "sources/%s.py" % name
    module = types.ModuleType(name)
    module.__file__ = path
    sys.modules[name] = module
    with open(path) as f:
        exec(compile(f.read(), path, "exec"), vars(module))
    return module


def compiled(module, base):
    value = getattr(module, base)
    if base.startswith("make_"):
        return value()
    return torch.jit.script(value() if isinstance(value, type) and issubclass(value, torch.nn.Module) else value)


def save(made, name):
    """The archive's members; None where PyTorch cannot save it."""
    data = io.BytesIO()
    try:
        torch.jit.save(made, data)
    except Exception:
        return None
    folder = "archive/"
    return [(name + "/" + m[len(folder):], bytes_) for m, bytes_ in archive_members(data)]


def recorded(function, method, arguments):
    """The call in a pack's form; None where PyTorch's process ends, or a value has no form."""
    def work():
        call = {"inputs": encode(list(copy.deepcopy(arguments)), EXACT)}
        call.update(record(function(), copy.deepcopy(arguments)))
        return dict(call, method=method) if method else call
    return forked(work)


class File:
    """The programs of one file."""

    def __init__(self, name):
        self.name, self.module, self.left_out = name, load_source(name), 0
        self.calls = {}
        for case in self.module.__dict__.get("CASES", []):
            if len(case) > 2:
                self.left_out += 1
                continue
            base, _, method = case[0].partition(".")
            self.calls.setdefault(base, []).append((method or None, case[1]))

    def program(self, kind, base, **more):
        return dict(id="%s/%s/%s.%s" % (version(), kind, self.name, base), area=AREAS[self.name[0]], **more)

    def record_base(self, base):
        """The archive with its calls, and the function of the source with the same calls. Left out are calls whose
        archive PyTorch cannot save or load again, or that answers otherwise than the function did."""
        made, calls = compiled(self.module, base), []
        members = save(made, "%s.%s" % (self.name, base))
        for method, arguments in self.calls[base]:
            call = recorded(lambda: method_of(made, method), method, arguments)
            again = members and recorded(lambda: method_of(load(members), method), method, arguments)
            if call and call == again:
                calls.append(call)
            else:
                self.left_out += 1
        if not calls:
            return []
        programs = [self.program("archive", base, archive=members, calls=calls)]
        if isinstance(getattr(self.module, base), types.FunctionType) and not base.startswith("make_"):
            programs.append(self.program("source", base, source="%s.py:%s" % (self.name, base), calls=calls))
        return programs

    def record_refused(self, base, part):
        try:
            compiled(self.module, base)
        except Exception as e:
            if part not in str(e):
                sys.exit("%s.%s: PyTorch does not say %r but: %s" % (self.name, base, part, e))
            return self.program("refused", base, source="%s.py:%s" % (self.name, base), refused=without_addresses(e))
        sys.exit("%s.%s: PyTorch compiles it" % (self.name, base))

    def record(self):
        found = [p for base in self.calls for p in self.record_base(base)]
        return found + [self.record_refused(base.partition(".")[0], part) for base, part in self.module.__dict__.get("BAD", [])]


def record_file(name):
    """The programs, and how many calls are left out; in a process of its own: names depend on what was compiled."""
    def work():
        file = File(name)
        programs = file.record()
        for p in programs:
            if "archive" in p:
                p["archive"] = [(member, base64.b64encode(data).decode()) for member, data in p["archive"]]
        return programs, file.left_out
    found = forked(work)
    if not found:
        sys.exit("sources/%s.py cannot be recorded; try it alone" % name)
    for p in found[0]:
        if "archive" in p:
            p["archive"] = [(member, base64.b64decode(data)) for member, data in p["archive"]]
    return found


def main():
    os.chdir(HERE)
    torch.set_num_threads(1)
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    others = read_pack("cases.tar.xz")
    programs, old = [p for p in others if not p["id"].startswith(version() + "/")], version() + "/old/"
    for name in sorted(os.path.splitext(f)[0] for f in os.listdir("sources") if f.endswith(".py")):
        found, left_out = record_file(name)
        programs += found
        print("%s: %d programs, %d calls left out" % (name, len(found), left_out), flush=True)
    programs += [record_again(p)[0] for p in others if p["id"].startswith(old)]
    write_pack(os.path.join(folder, "cases.tar.xz"), sorted(programs, key=lambda p: p["id"]))


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":
        os.execve(sys.executable, [sys.executable] + sys.argv, dict(os.environ, PYTHONHASHSEED="0"))
    main()

#!/usr/bin/python3
"""Times the interpreter against Lua 5.4 and PyTorch's lite interpreter on the programs of interp_programs.py.

  interp.py TSMC TSMRUN [--rounds N] [--counted TSMRUN] [--markdown FILE]

All run by turns in the same minutes, so that changes of the machine's speed affect all alike; times are the least and
the median nanoseconds for one turn of a program's loop. --counted: a tsmrun for AArch64 built with -DTSM_MARK=ON; the
instructions that one turn executes are then counted under qemu-aarch64 with a plugin (the difference of two lengths of
the loop, so that nothing but turns counts; see count_instructions.c).

Needs python3-torch and lua5.4 of Debian; for --counted also a qemu-aarch64 with plugins (package qemu-user) and gcc."""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

import torch
from torch.jit.mobile import _load_for_lite_interpreter

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from common import key_values, make_counter, replace_table, write_json  # noqa: E402
from interp_programs import PROGRAMS  # noqa: E402

RUNS = 7


class Program:
    """One program in all forms."""

    def __init__(self, module, turns, folder, options):
        self.name, self.turns, self.options = module.__name__, turns, options
        scripted = torch.jit.script(module().eval())
        path = os.path.join(folder, self.name)
        scripted.save(path + ".pt")
        scripted._save_for_lite_interpreter(path + ".ptl")
        subprocess.run([options.tsmc, path + ".pt", "-o", path + ".tsm"], check=True)
        self.tsm, self.lite = path + ".tsm", _load_for_lite_interpreter(path + ".ptl")
        self.inputs = write_json(path + ".json", [turns])
        self.expected = scripted(turns)
        self.has_lua = "function programs.%s(" % self.name in open(os.path.join(HERE, "interp.lua")).read()
        self.times = {"tsmobile": [], "lite": [], "lua": []}

    def check(self):
        result = os.path.join(os.path.dirname(self.tsm), "result.json")
        subprocess.run([self.options.tsmrun, self.tsm, "--inputs", self.inputs, "--outputs", result], check=True)
        if json.load(open(result)) != self.expected:
            sys.exit("%s: tsmobile gives %s, PyTorch %s" % (self.name, open(result).read(), self.expected))

    def run_once(self):
        out = subprocess.run([self.options.tsmrun, self.tsm, "--inputs", self.inputs, "--bench", str(RUNS)], check=True,
                             capture_output=True, text=True).stdout
        self.times["tsmobile"].append(key_values(out)["min_ms"])
        if self.has_lua:
            out = subprocess.run(["lua5.4", os.path.join(HERE, "interp.lua"), self.name, str(self.turns), str(RUNS)], check=True,
                                 capture_output=True, text=True).stdout
            if key_values(out)["result"] != self.expected:
                sys.exit("%s: Lua gives another result: %s" % (self.name, out))
            self.times["lua"].append(key_values(out)["min_ms"])
        few = max(self.turns // 20, 500)
        best = math.inf
        for _ in range(RUNS):
            start = time.perf_counter()
            self.lite(few)
            best = min(best, time.perf_counter() - start)
        self.times["lite"].append(best * 1e3 * self.turns / few)

    def nanoseconds(self, who, choose):
        return choose(self.times[who]) * 1e6 / self.turns if self.times[who] else None

    def instructions(self, counter):
        """Executed AArch64 instructions of one turn."""
        counts = []
        for turns in (1000, 3000):
            inputs = write_json(self.inputs + ".count", [turns])
            counts.append(counter(self.options.counted, self.tsm, inputs))
        return (counts[1] - counts[0]) / 2000


def cell(v, digits=1):
    return "" if v is None else "%.*f" % (digits, v)


def table(programs, counter):
    head = ["program", "tsmobile", "Lua 5.4", "lite interpreter", "against Lua", "against lite"]
    rows = []
    for p in programs:
        own, lua, lite = (p.nanoseconds(w, min) for w in ("tsmobile", "lua", "lite"))
        middle = [p.nanoseconds(w, statistics.median) for w in ("tsmobile", "lua", "lite")]
        row = [p.name] + ["%s (%s)" % (cell(a), cell(b)) if a else "" for a, b in zip((own, lua, lite), middle)]
        rows.append(row + [cell(lua and lua / own, 2), cell(lite / own)] + ([cell(p.instructions(counter))] if counter else []))
    if counter:
        head.append("A64 instructions")
    lines = ["| " + " | ".join(r) + " |" for r in [head, ["---"] * len(head)] + rows]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tsmc")
    parser.add_argument("tsmrun")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--counted")
    parser.add_argument("--markdown")
    options = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        programs = [Program(module, turns, folder, options) for module, turns in PROGRAMS]
        for p in programs:
            p.check()
        for r in range(options.rounds):
            print("round %d of %d" % (r + 1, options.rounds), file=sys.stderr)
            for p in programs:
                p.run_once()
        text = table(programs, make_counter(folder) if options.counted else None)
    print(text)
    if options.markdown:
        replace_table(options.markdown, text)


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""Times the programs of classic_programs.py against Lua 5.4 and LuaJIT's interpreter (luajit -joff).

  classic.py TSMC TSMRUN [--rounds N] [--only NAME]... [--markdown FILE]

All run by turns in the same minutes. A time is the least of a program's runs inside of one process, without the
process's start; a row's ratio is the median of the rounds' ratios. PyTorch's answers are compared for a short run,
Lua's and LuaJIT's for the timed one.

Needs python3-torch, lua5.4 and luajit of Debian."""
import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from classic_programs import PROGRAMS  # noqa: E402
from common import key_values, replace_table, write_json  # noqa: E402

RUNS = 25
ATOM = r"([\w.]+|\([^()]*\))"
FOR_LUAJIT = {"//": "floor(%s / %s)", "<<": "lshift(%s, %s)", ">>": "rshift(%s, %s)", "&": "band(%s, %s)", "~": "bxor(%s, %s)"}
LUAJIT_HEAD = "local lshift, rshift, band, bxor = bit.lshift, bit.rshift, bit.band, bit.bxor "


def lua_source(folder):
    """The programs and what runs one of them, as one file."""
    path = os.path.join(folder, "classic.lua")
    with open(path, "w") as f:
        for name in ("classic.lua", "classic_more.lua", "classic_text.lua", "classic_tables.lua", "classic_lists.lua", "classic_run.lua"):
            f.write(open(os.path.join(HERE, name)).read())
    return path


def luajit_source(folder):
    """The same without the operators that LuaJIT does not have."""
    text = open(lua_source(folder)).read()
    for operator, call in FOR_LUAJIT.items():
        text = re.sub("%s %s %s" % (ATOM, re.escape(operator), ATOM), lambda m, call=call: call % m.groups(), text)
    path = os.path.join(folder, "classic_jit.lua")
    with open(path, "w") as f:
        f.write(LUAJIT_HEAD + text)
    return path


class Program:
    def __init__(self, module, n, few, folder, options):
        self.name, self.n, self.folder, self.options = module.__name__, n, folder, options
        scripted = torch.jit.script(module().eval())
        self.tsm = os.path.join(folder, self.name + ".tsm")
        scripted.save(os.path.join(folder, self.name + ".pt"))
        subprocess.run([options.tsmc, os.path.join(folder, self.name + ".pt"), "-o", self.tsm], check=True)
        self.inputs = write_json(os.path.join(folder, self.name + ".json"), [n])
        answer = self.answer(write_json(os.path.join(folder, self.name + ".few.json"), [few]))
        if answer != scripted(few):
            sys.exit("%s gives %s, PyTorch %s" % (self.name, answer, scripted(few)))
        self.expected = self.answer(self.inputs)
        self.times = {"tsmobile": [], "lua": [], "luajit": []}

    def answer(self, inputs):
        result = os.path.join(self.folder, "result.json")
        subprocess.run([self.options.tsmrun, self.tsm, "--inputs", inputs, "--outputs", result], check=True)
        return json.load(open(result))

    def run_lua(self, who, command):
        out = subprocess.run(command + [self.name, str(self.n), str(RUNS)], check=True, capture_output=True, text=True).stdout
        if key_values(out)["result"] != self.expected:
            sys.exit("%s: %s gives another result than %s: %s" % (self.name, who, self.expected, out))
        self.times[who].append(key_values(out)["min_ms"])

    def run_once(self, lua, luajit):
        out = subprocess.run([self.options.tsmrun, self.tsm, "--inputs", self.inputs, "--bench", str(RUNS)], check=True,
                             capture_output=True, text=True).stdout
        self.times["tsmobile"].append(key_values(out)["min_ms"])
        self.run_lua("lua", ["lua5.4", lua])
        self.run_lua("luajit", ["luajit", "-joff", luajit])

    def ratio(self, peer):
        return statistics.median(own / other for own, other in zip(self.times["tsmobile"], self.times[peer]))


def table(programs):
    rows = [["program", "tsmobile", "Lua 5.4", "LuaJIT -joff", "of Lua's time", "of LuaJIT's time"], ["---"] * 6]
    for p in programs:
        rows.append([p.name] + ["%.2f" % min(p.times[who]) for who in ("tsmobile", "lua", "luajit")] +
                    ["%.2f" % p.ratio("lua"), "%.2f" % p.ratio("luajit")])
    mean = ["%.2f" % math.exp(statistics.fmean(math.log(p.ratio(peer)) for p in programs)) for peer in ("lua", "luajit")]
    rows.append(["geometric mean", "", "", ""] + mean)
    return "\n".join("| " + " | ".join(r) + " |" for r in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tsmc")
    parser.add_argument("tsmrun")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", action="append")
    parser.add_argument("--markdown")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        lua, luajit = lua_source(folder), luajit_source(folder)
        programs = [Program(*row, folder, options) for row in PROGRAMS if not options.only or row[0].__name__ in options.only]
        for r in range(options.rounds):
            print("round %d of %d" % (r + 1, options.rounds), file=sys.stderr)
            for p in programs:
                p.run_once(lua, luajit)
        text = table(programs)
    print(text)
    if options.markdown:
        replace_table(options.markdown, text, "classic")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Runs the recorded programs of one area (packs.py) and compares with what PyTorch did: results, printed text, the
last line of exceptions, and what is said of programs that do not compile.

  run_recorded.py TSMC_SERVER TSMRUN_SERVER DATA_FOLDER UNPACKED_FOLDER AREA...

DATA_FOLDER has the pack, areas.txt with the number of each area's checks, sources/ where programs come from sources,
and, where checks fail, expected_failures.txt: lines with a reason, below each, indented, the checks (AREA/ID) that fail
for it. A check that fails and is not listed there is a failure, as is one that is listed and passes, or does not
exist."""
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from answers import differs  # noqa: E402
from fork_server import ForkServer  # noqa: E402

OK, RAISED, BAD_INPUT = 0, 1, 2
# What is left of long sums in float32 that come out near 0 differs by more than 1e-5.
RELATIVE, ABSOLUTE = 1e-4, 2e-5
# Few programs need more, and a sanitizer's build spends time on every byte of the buffer.
ARENA = "24M"
SECONDS = 120


# ---- One program ----


def bare(text):
    """Without what depends on the place or the process: addresses, folders, runs of blanks."""
    text = re.sub(r" \(of Python compilation unit at: 0x\w+\)", "", text)
    return re.sub(r"\s+", " ", re.sub(r'(?<=[" ])[^" ]*/(?=\w+\.py)', "", text)).strip()


def ending(p):
    how = "signal %d" % -p.returncode if p.returncode < 0 else "exit %d" % p.returncode
    return "%s:\n%s" % (how, p.stderr.strip()[-2000:])


class Runner:
    def __init__(self, tsmc, tsmrun, sources, unpacked, scratch):
        self.tsmc, self.tsmrun, self.sources, self.unpacked = tsmc, tsmrun, sources, unpacked
        self.tsm, self.inputs, self.outputs = (os.path.join(scratch, n) for n in ("p.tsm", "in.json", "out.json"))

    def export(self, program):
        origin = (os.path.join(self.unpacked, program["archive"]) if "archive" in program
                  else os.path.join(self.sources, program["source"]))
        options = program.get("options", [])
        if program.get("example"):
            self.write_inputs(program["calls"][0])
            options = options + ["--example", self.inputs]
        return self.tsmc.run([origin, "-o", self.tsm] + options, SECONDS)

    def write_inputs(self, call):
        with open(self.inputs, "w") as f:
            json.dump(call["inputs"], f)

    def check_refused(self, program):
        p, message = self.export(program), program["refused"]
        first = next(line for line in message.splitlines() if line.strip())
        marks = [line.strip() for line in message.splitlines() if "<--- HERE" in line]
        fits = p.returncode == BAD_INPUT and bare(first) in bare(p.stderr) and (not marks or any(m in p.stderr for m in marks))
        return None if fits else "should be refused:\n%s\n%s" % (message.strip(), ending(p))

    def check_result(self, call, p):
        if p.returncode != OK:
            return ending(p)
        if call.get("printed") is not None and p.stdout != call["printed"]:
            return "prints %r, not %r" % (p.stdout, call["printed"])
        with open(self.outputs) as f:
            return differs(json.load(f), call["output"], "result", RELATIVE, ABSOLUTE)

    def check_call(self, call):
        self.write_inputs(call)
        method = ["--method", call["method"]] if call.get("method") else []
        # Programs save where they were recorded, in the folder of temporary files.
        p = self.tsmrun.run([self.tsm, "--arena", call.get("arena", ARENA), "--inputs", self.inputs, "--outputs", self.outputs,
                             "--allow-save", "/tmp"] + method, SECONDS)
        if "raises" not in call:
            return self.check_result(call, p)
        fits = p.returncode == RAISED and bare(call["raises"]) in bare(p.stderr)
        return None if fits else "should raise %s\n%s" % (call["raises"], ending(p))

    def check(self, program):
        """(name of a check, what is wrong or None) for the program's checks."""
        name = program["area"] + "/" + program["id"]
        if "refused" in program:
            return [(name, self.check_refused(program))]
        p, calls = self.export(program), program["calls"]
        names = [name if len(calls) == 1 else "%s#%d" % (name, n) for n in range(len(calls))]
        if p.returncode != OK:
            return [(n, "does not compile, " + ending(p)) for n in names]
        return [(n, self.check_call(c)) for n, c in zip(names, calls)]


# ---- All of an area ----


def read_expected_failures(path):
    """Reasons by check."""
    reasons, reason = {}, None
    if not os.path.exists(path):
        return reasons
    with open(path) as f:
        for line in f:
            if line.startswith(" "):
                if line.strip() in reasons:
                    sys.exit("%s: %s is listed twice" % (path, line.strip()))
                reasons[line.strip()] = reason
            elif line.strip():
                reason = line.strip()
    return reasons


def read_areas(path):
    with open(path) as f:
        return {name: int(count) for name, count in map(str.split, f)}


def judge(area, found, reasons):
    """How many checks are a failure; prints each."""
    failures = 0
    names = {name for name, _ in found}
    for name in reasons:
        if name.startswith(area + "/") and name not in names:
            print("LISTED in expected_failures.txt, but there is no such check: %s\n" % name)
            failures += 1
    for name, wrong in found:
        if wrong and name not in reasons:
            print("FAILED  %s\n    %s\n" % (name, wrong.replace("\n", "\n    ")))
        elif not wrong and name in reasons:
            print("PASSED, against expected_failures.txt  %s (%s)\n" % (name, reasons[name]))
        failures += bool(wrong) != (name in reasons)
    return failures


def main():
    tsmc, tsmrun, data, unpacked = sys.argv[1:5]
    reasons = read_expected_failures(os.path.join(data, "expected_failures.txt"))
    counts = read_areas(os.path.join(data, "areas.txt"))
    strange = [name for name in reasons if name.partition("/")[0] not in counts]
    for name in strange:
        print("LISTED in expected_failures.txt, but there is no such area: %s" % name)
    failed = bool(strange)
    with ForkServer(tsmc) as compiler, ForkServer(tsmrun) as machine, tempfile.TemporaryDirectory() as scratch:
        runner = Runner(compiler, machine, os.path.join(data, "sources"), unpacked, scratch)
        for area in sys.argv[5:]:
            with open(os.path.join(unpacked, area + ".json")) as f:
                found = [check for program in json.load(f) for check in runner.check(program)]
            failures = judge(area, found, reasons)
            listed = sum(name in reasons for name, _ in found)
            print("%s: %d checks, %d wrong, %d expected to fail" % (area, len(found), failures, listed))
            if len(found) != counts[area]:
                print("areas.txt says that there are %d checks" % counts[area])
            failed |= failures > 0 or len(found) != counts[area]
    return failed


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Gives damaged programs to tsmc and tsmrun: a program must be compiled or refused (exit status 0 or 2), never crash,
never take long; and what is compiled must do the same with and without optimization, with the recorded arguments of the
undamaged program.

    fuzz_source.py TSMC_SERVER TSMRUN_SERVER COUNT SEED FOLDER PROGRAMS NAME...

PROGRAMS is a folder with NAME.py, programs, and expected.json, their calls (tests/programs). One token, a few, or a
line of one function is changed: taken out, doubled, or replaced by one of the same kind from another function. Programs
that fail are kept in FOLDER."""
import io
import json
import os
import random
import sys
import tempfile
import tokenize

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from answers import raised_by_an_operator  # noqa: E402
from fork_server import ForkServer  # noqa: E402

SECONDS = 60
FUEL = "1000000"  # ends loops that damage made endless
OUT_OF_FUEL = "instructions that it may execute"
NUMBERS = ["0", "1", "-1", "2", "7", "0.5", "1e308", "9223372036854775807", "2j", "None", "True", "''", "[]", "()", "{}"]


class Program:
    """One function of a file: the text before, its own lines, the text behind."""

    def __init__(self, text, name, calls):
        lines = text.splitlines(keepends=True)
        start = next(i for i, line in enumerate(lines) if line.startswith("def %s(" % name))
        end = next((i for i in range(start + 1, len(lines)) if lines[i][:1] not in (" ", ")", "\n", "#")), len(lines))
        self.name, self.calls = name, calls
        self.before, self.lines, self.after = "".join(lines[:start]), lines[start:end], "".join(lines[end:])
        self.tokens = [t for t in tokenize.generate_tokens(io.StringIO("".join(self.lines)).readline)
                       if t.type in (tokenize.NAME, tokenize.OP, tokenize.NUMBER, tokenize.STRING) and t.string != name]

    def damaged_line(self, r, other):
        lines = list(self.lines)
        at = r.randrange(1, len(lines)) if len(lines) > 1 else 0
        kind = r.randrange(4)
        if kind == 0:
            del lines[at]
        elif kind == 1:
            lines.insert(at, r.choice(lines))
        elif kind == 2:
            lines.insert(at, r.choice(other.lines[1:] or [""]))
        else:
            a, b = r.randrange(len(lines)), r.randrange(len(lines))
            lines[a], lines[b] = lines[b], lines[a]
        return lines

    def damaged_token(self, r, lines, other):
        token = r.choice(self.tokens)
        row, (start, end) = token.start[0] - 1, (token.start[1], token.end[1])
        if token.start[0] != token.end[0] or lines[row][start:end] != token.string:
            return
        alike = [t.string for t in (self if r.random() < 0.7 else other).tokens if t.type == token.type] or ["x"]
        new = r.choice(["", token.string + " " + token.string, r.choice(NUMBERS)] + 9 * [r.choice(alike)])
        lines[row] = lines[row][:start] + new + lines[row][end:]

    def damaged(self, r, other):
        if r.random() < 0.3:
            lines = self.damaged_line(r, other)
        else:
            lines = list(self.lines)
            for _ in range(r.choice((1, 1, 1, 2, 4))):
                self.damaged_token(r, lines, other)
        return self.before + "".join(lines) + self.after


def last_line(text):
    lines = text.strip().splitlines()
    return lines[-1] if lines else ""


def outcome(tsmrun, program, inputs, outputs):
    """(Status, printed text, the answer or the exception's text), and the traceback. None in the place of the first
    where fuel or memory ran out or an address was shown."""
    p = tsmrun.run([program, "--inputs", inputs, "--outputs", outputs, "--fuel", FUEL, "--arena", "64M"], SECONDS)
    if p.returncode == 1:
        answer = last_line(p.stderr)
    elif p.returncode == 0:
        with open(outputs) as f:
            answer = f.read()
    else:
        answer = last_line(p.stderr)
        if p.returncode == 2 and ("memory" in answer or OUT_OF_FUEL in answer):
            return None, p.stderr
    return None if " object at 0x" in p.stdout else (p.returncode, p.stdout, answer), p.stderr


def exception_of(outcome):
    """The class of the exception that an outcome ends with: without an operator that raises, a later one may."""
    return outcome[0] == 1 and outcome[2].split(":")[0]


def fault_of(source, program, tsmc, tsmrun, folder):
    """What is wrong with tsmc's or tsmrun's doing, and whether the program was compiled."""
    optimized, plain, inputs, outputs = (os.path.join(folder, n) for n in ("o2.tsm", "o0.tsm", "in.json", "out.json"))
    for level, path in (("-O2", optimized), ("-O0", plain)):
        p = tsmc.run(["%s:%s" % (source, program.name), level, "-o", path], SECONDS)
        if p.returncode == 2 and path == optimized:
            return None, False
        if p.returncode:
            return "%s: status %d: %s" % (level, p.returncode, p.stderr[-2000:]), False
    for call in program.calls:
        with open(inputs, "w") as f:
            json.dump(call["args"], f)
        (a, _), (b, traceback) = (outcome(tsmrun, path, inputs, outputs) for path in (optimized, plain))
        removed = a and b and b[0] == 1 and raised_by_an_operator(traceback) and (a[0] == 0 or exception_of(a) == exception_of(b))
        if any(o and o[0] not in (0, 1, 2) for o in (a, b)) or (a and b and a != b and not removed):
            return "with %s\n-O2: %s\n-O0: %s" % (json.dumps(call["args"]), a, b), True
    return None, True


def one(number, tsmc, tsmrun, seed, folder, programs):
    r = random.Random(seed * 1000003 + number)
    program, other = r.choice(programs), r.choice(programs)
    source = os.path.join(folder, "damaged_%d_%d.py" % (seed, number))
    with open(source, "w") as f:
        f.write(program.damaged(r, other))
    with tempfile.TemporaryDirectory() as scratch:
        fault, compiled = fault_of(source, program, tsmc, tsmrun, scratch)
    if not fault:
        os.remove(source)
    return fault and "%s:%s: %s" % (source, program.name, fault), compiled


def main():
    count, seed, folder, where = int(sys.argv[3]), int(sys.argv[4]), sys.argv[5], sys.argv[6]
    with open(os.path.join(where, "expected.json")) as f:
        expected = json.load(f)
    programs = []
    for name in sys.argv[7:]:
        with open(os.path.join(where, name + ".py")) as f:
            text = f.read()
        programs += [Program(text, n, calls) for n, calls in expected[name].items()
                     if isinstance(calls, list) and "\ndef %s(" % n in text]
    os.makedirs(folder, exist_ok=True)
    compiled, failures = 0, 0
    with ForkServer(sys.argv[1]) as tsmc, ForkServer(sys.argv[2]) as tsmrun:
        for number in range(count):
            fault, was_compiled = one(number, tsmc, tsmrun, seed, folder, programs)
            compiled += was_compiled
            if fault:
                failures += 1
                print(fault, flush=True)
    print("%d damaged programs: %d compiled, %d failures" % (count, compiled, failures))
    return failures != 0 or compiled == 0


if __name__ == "__main__":
    sys.exit(main())

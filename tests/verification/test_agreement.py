#!/usr/bin/env python3
"""Compares tsm_program_open with the second verifier (check.py) on files made from a seed: programs whose tables say
something else, and files with other bytes.

  test_agreement.py OPEN_FILES COUNT SEED [TSM...]"""
import collections
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tsm_file  # noqa: E402
from check import check  # noqa: E402
from opener import open_all  # noqa: E402
from programs import example, example_with_positions  # noqa: E402
from schema import NONE, Schema, opcodes  # noqa: E402

SCHEMA = Schema()
BITS = {"bool": 8, "ubyte": 8, "ushort": 16, "uint": 32, "int": 32, "ulong": 64, "long": 64}
LISTED = [i for i, (_, _, letters) in enumerate(opcodes()) if letters[-1] in "lL"]


def places(kind, thing, found):
    """All (field, container, key) at which something stands that can be changed, in a table and below it."""
    for f in SCHEMA.tables[kind]:
        if f.name not in thing:
            continue
        found.append((f, thing, f.name))
        if f.kind in SCHEMA.tables:
            for inner in thing[f.name] if f.is_vector else [thing[f.name]]:
                places(f.kind, inner, found)
    return found


def number(r, old, bits, signed):
    """Near the old one, small, or extreme."""
    choice = r.randrange(6)
    new = (old + r.choice((-1, 1)) if choice < 2 else r.randrange(16) if choice < 4 else
           r.choice((0, 1, 2**(bits - 1) - 1, 2**(bits - 1), 2**bits - 1, NONE)) if choice < 5 else old ^ 1 << r.randrange(bits))
    new %= 2**bits
    return new - 2**bits if signed and new >= 2**(bits - 1) else new


def scalar(r, kind, old):
    if kind == "double":
        return r.random()
    bits = 8 if kind in SCHEMA.enums else BITS[kind]
    return number(r, int(old), bits, kind in ("int", "long"))


def struct_item(r, kind, old):
    """A struct with one number changed; now and then an instruction with another's operands."""
    letters = [c for c in SCHEMA.letters(kind)[0] if c != "x"]
    k = r.randrange(len(letters))
    new = list(old)
    new[k] = number(r, old[k], {"B": 8, "H": 16, "I": 32, "Q": 64}[letters[k].upper()], letters[k].islower())
    return tuple(new)


def change_vector(r, f, items):
    """An item changed, taken out, put in twice or elsewhere."""
    choice = r.randrange(8)
    if not items:
        return
    i, k = r.randrange(len(items)), r.randrange(len(items))
    if choice == 0:
        del items[i]
    elif choice == 1:
        items.insert(k, items[i])
    elif choice == 2:
        items[i], items[k] = items[k], items[i]
    elif f.kind in SCHEMA.structs:
        items[i] = struct_item(r, f.kind, items[i])
    elif SCHEMA.scalar(f.kind):
        items[i] = scalar(r, f.kind, items[i])
    elif f.kind == "string":
        items[i] = change_text(r, items[i])
    else:
        items[i] = items[k]


def change_text(r, text):
    known = ["", "aten::add.Tensor", "aten::format", "prim::tolist", "instructions of 0.1.0", "instructions of 0.2.0",
             "instructions of 0.2", "instructions of 9.0.0", "instructions of 0", text + "0", text[:-1]]
    return r.choice(known)


def change(r, program):
    f, holder, key = r.choice(places("Program", program, []))
    if r.randrange(12) == 0:
        del holder[key]
    elif f.is_vector:
        change_vector(r, f, holder[key])
    elif f.kind == "string":
        holder[key] = change_text(r, holder[key])
    elif f.kind in SCHEMA.tables:
        holder[key] = {}
    else:
        holder[key] = scalar(r, f.kind, holder[key])


def change_operands(r, program):
    """Mostly counts and words of the lists that instructions refer to."""
    f = r.choice(program["functions"])
    listed = [(op, b, c) for op, _, b, c in f.get("code", []) if op in LISTED]
    if not listed or not f.get("operands"):
        return
    _, b, c = r.choice(listed)
    at = (b | c << 16) % len(f["operands"])
    at = min(at + r.randrange(6), len(f["operands"]) - 1)
    f["operands"][at] = r.choice((number(r, f["operands"][at], 32, False), f["operands"][r.randrange(len(f["operands"]))]))


def damaged(r, data):
    data = bytearray(data)
    for _ in range(r.choice((1, 1, 2, 4))):
        at = r.randrange(len(data)) // 2 if r.randrange(2) else r.randrange(len(data))
        choice = r.randrange(5)
        if choice == 0 and r.randrange(4) == 0:
            del data[max(at, 8):]
        elif choice < 3:
            data[at] ^= 1 << r.randrange(8)
        else:
            data[at] = r.choice((0, 1, 4, 8, 255, 127, 128, r.randrange(256)))
    return bytes(data)


def mutant(r, seeds):
    """One file: tables changed and written anew, or bytes changed, or both."""
    program, segment = r.choice(seeds)()
    way = r.randrange(8)
    if way < 7:
        for _ in range(r.choice((1, 1, 1, 2, 3))):
            (change_operands if r.randrange(4) == 0 and program.get("functions") else change)(r, program)
    if r.randrange(8) == 0:
        segment = segment[:len(segment) // 2]
    data = tsm_file.write(program, segment, fill=r.randrange(8) > 0)
    return damaged(r, data) if way >= 6 else data


def main():
    opener, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    operators = set(subprocess.run([opener, "operators"], check=True, capture_output=True, text=True).stdout.split())
    seeds = [example, example_with_positions]
    for path in sys.argv[4:]:
        with open(path, "rb") as f:
            data = f.read()
        seeds.append(lambda data=data: tsm_file.read(data))
    files = [mutant(random.Random(seed * 1000003 + i), seeds) for i in range(count)]
    faults, rules, accepted = 0, collections.Counter(), 0
    for i, (f, (opens, _, message)) in enumerate(zip(files, open_all(opener, files))):
        bad = check(f, operators)
        accepted += opens
        rules[bad.split(":")[0] if bad else "accepted"] += 1
        if opens != (bad is None):
            faults += 1
            print("file %d: tsm_program_open %s, check.py %s" % (i, "accepts it" if opens else "refuses it: " + message,
                                                                  "accepts it" if bad is None else "refuses it: " + bad))
    print("%d files, %d accepted, %d differences" % (count, accepted, faults))
    print("by rule: " + ", ".join("%s %d" % row for row in sorted(rules.items())))
    if faults or not count // 10 < accepted < count * 9 // 10:
        sys.exit(1)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Demands that every kernel and every alias of one is named by a test.

  check_named.py TSMC_SERVER KERNEL_FOLDER UNPACKED_LANGUAGE UNPACKED_CONFORMANCE UNPACKED_EXPORT [--write]

Kernels of the language are called one by one with the values of tests/data/lang_vectors.txt. For the others named.txt
lists programs of the tests, which together name them all: `tsmc --dump ops` tells what a program uses at the levels of
optimization at which its test runs it. After kernels or programs changed, --write chooses programs anew among all (a
minute), and says which kernels no test names."""
import json
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.join(HERE, "..")
sys.path[:0] = [TESTS, os.path.join(TESTS, "..", "schema")]
import gen_operators  # noqa: E402
from cli.old_archives import write_new_archives  # noqa: E402
from fork_server import ForkServer  # noqa: E402
from run_recorded import read_expected_failures  # noqa: E402
from state_dict import save_state  # noqa: E402
from weights.states import STATES  # noqa: E402

LIST = os.path.join(HERE, "named.txt")
VECTORS = os.path.join(TESTS, "data", "lang_vectors.txt")
SCHEMA = os.path.join(TESTS, "..", "schema", "operators.txt")
DEFAULT = ("-O2",)
# Sources and archives name operators without their overloads, by which another is found first: only bytecode names
# these.
OF_BYTECODE = {"aten_pow_int_to_int": ("mobile/test_mobile.py", '("aten::pow", "int_to_int", 2)')}


def kernels_of_bytecode():
    """The kernels of OF_BYTECODE whose test exists."""
    found = set()
    for kernel, (path, text) in OF_BYTECODE.items():
        with open(os.path.join(TESTS, path)) as f:
            found.update([kernel] if text in f.read() else [])
    return found


def load(*path):
    with open(os.path.join(TESTS, *path)) as f:
        return json.load(f)


# ---- Operators and kernels ----


def kernels_by_operator(kernel_folder):
    """Operator -> the symbol of its TSM_KERNEL or TSM_KERNEL_ALIAS; in-place and out= operators have their functional
    operator's."""
    kernels, by_base, found = gen_operators.find_kernels(kernel_folder), {}, {}
    operators = gen_operators.read_operators(SCHEMA)
    for o in operators:
        by_base.setdefault(o.base(), []).append(o)
    for o in operators:
        functional = gen_operators.functional_of(o, by_base)
        if o.symbol() in kernels:
            found[o.name] = o.symbol()
        elif functional and functional[0].symbol() in kernels:
            found[o.name] = functional[0].symbol()
    return found


def operators_of_vectors():
    with open(VECTORS) as f:
        return {line.split()[0] for line in f if not line.startswith("#") and line.strip()}


# ---- Programs of the tests: name -> (what tsmc takes, the levels at which the test runs it) ----


def functions_of(folder, levels, recorded="expected.json", answers="expected", source="programs.py"):
    for name in load(folder, recorded)[answers]:
        entry = name if ".py:" in name else "%s:%s" % (source, name)
        yield "%s/%s" % (folder, entry), ([os.path.join(TESTS, folder, entry)], levels)


def language_programs():
    for name, functions in load("programs", "expected.json").items():
        path = os.path.join(TESTS, "programs", name + ".py")
        for function, calls in functions.items():
            if isinstance(calls, list) and os.path.exists(path):
                yield "programs/%s.%s" % (name, function), (["%s:%s" % (path, function)], DEFAULT)


def quantized_archives():
    for name in load("quantized", "expected.json"):
        yield "quantized/" + name, ([os.path.join(TESTS, "quantized", name)], ("-O0", "-O1", "-O2"))


def modules():
    for case in load("modules", "cases.json"):
        weights = ["--weights", os.path.join(TESTS, "modules", case["weights"])] if case["weights"] else []
        yield "modules/" + case["entry"], ([os.path.join(TESTS, "modules", case["entry"]), "--eval"] + weights, DEFAULT)


def quantized_layers(folder):
    """A network of tests/weights whose layers become int8."""
    state, calls = os.path.join(folder, "quantized"), os.path.join(folder, "calls.json")
    save_state(state, STATES["Mlp"])
    with open(calls, "w") as f:
        json.dump([[{"tensor": {"dtype": "float32", "shape": [1, 200], "data": [(i % 7 - 3) / 3 for i in range(200)]}}]], f)
    net = os.path.join(TESTS, "weights", "nets.py") + ":Mlp"
    return {"weights/quantize Mlp": ([net, "--eval", "--weights", state, "--quantize", calls], DEFAULT)}


def narrow_weights(folder):
    for name, sizes in STATES.items():
        state = os.path.join(folder, name)
        save_state(state, sizes)
        yield "weights/" + name, ([os.path.join(TESTS, "weights", "nets.py:" + name), "--eval", "--weights", state,
                                   "--weights", "int8"], DEFAULT)


def remote_programs():
    return {"remote/programs.py:Calls": ([os.path.join(TESTS, "remote", "programs.py:Calls")], DEFAULT)}


def new_archives(folder):
    return {"cli/old_archives " + name: ([path], DEFAULT) for name, path in write_new_archives(folder).items()}


def recorded_programs(name, unpacked):
    """Those of a pack, but the ones that fail."""
    failures = os.path.join(TESTS, name, "expected_failures.txt")
    wrong = read_expected_failures(failures) if os.path.exists(failures) else ()
    for file in sorted(os.listdir(unpacked)):
        if not file.endswith(".json"):
            continue
        with open(os.path.join(unpacked, file)) as f:
            programs = json.load(f)
        for p in programs:
            if "archive" in p and "%s/%s" % (p["area"], p["id"]) not in wrong:
                path = os.path.join(unpacked, p["archive"])
                yield "%s/%s/%s" % (name, p["area"], p["id"]), ([path] + p.get("options", []), DEFAULT)


def all_programs(language, conformance, export, folder):
    programs = {}
    for some in (functions_of("operators", ("-O0", "-O2")),
                 functions_of("operators", ("-O0", "-O2"), "expected_torch2.json"), functions_of("autograd", ("-O0", "-O2")),
                 functions_of("operators", ("-O0", "-O2"), "expected_types2.json"),
                 functions_of("random", DEFAULT), functions_of("random", DEFAULT, "generators.json", "twice", "generators.py"),
                 language_programs(), quantized_archives(), modules(), narrow_weights(folder), remote_programs(), quantized_layers(folder), new_archives(folder),
                 recorded_programs("language", language), recorded_programs("conformance", conformance), recorded_programs("export", export)):
        programs.update(some)
    return programs


def kernels_of(program, tsmc, by_operator):
    """The kernels that the program names."""
    arguments, levels = program
    found = set()
    for level in levels:
        p = tsmc.run(arguments + ["--dump", "ops", level])
        if p.returncode == 0:
            found.update(line.split()[-1] for line in p.stdout.splitlines())
    return {by_operator[name] for name in found if name in by_operator}


def choose(programs, tsmc, by_operator, needed):
    """Few programs that name as many of the needed kernels as all, the one that adds most first."""
    named = {name: kernels_of(program, tsmc, by_operator) & needed for name, program in programs.items()}
    chosen, left = [], set().union(*named.values())
    while left:
        best = max(named, key=lambda name: len(named[name] & left))
        chosen.append(best)
        left -= named[best]
    return chosen


def check(arguments, folder):
    by_operator = kernels_by_operator(arguments[1])
    programs = all_programs(*arguments[2:5], folder)
    by_vectors = {by_operator[name] for name in operators_of_vectors() if name in by_operator}
    needed = set(by_operator.values()) - by_vectors - kernels_of_bytecode()
    with ForkServer(arguments[0]) as tsmc:
        if "--write" in sys.argv:
            with open(LIST, "w") as f:
                f.writelines(name + "\n" for name in choose(programs, tsmc, by_operator, needed))
        with open(LIST) as f:
            names = f.read().split("\n")[:-1]
        gone = [name for name in names if name not in programs]
        named = set().union(*(kernels_of(programs[n], tsmc, by_operator) for n in names if n in programs))
    unnamed = sorted(needed - named)
    for name in gone:
        print("no test has this program any more: " + name)
    for kernel in unnamed:
        print("no test names the kernel " + kernel)
    print("%d kernels and aliases: %d by lang_vectors.txt, %d by bytecode, %d by %d programs, %d by no test" %
          (len(set(by_operator.values())), len(by_vectors), len(kernels_of_bytecode()), len(needed & named), len(names),
           len(unnamed)))
    sys.exit(1 if gone or unnamed else 0)


def main():
    with tempfile.TemporaryDirectory() as folder:
        check([a for a in sys.argv[1:] if a != "--write"], folder)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Makes tests/data/lang_vectors.txt: what PyTorch's operators on numbers, strings, lists and dicts give.

  make_lang_vectors.py > tests/data/lang_vectors.txt      (from the repository's root; needs PyTorch 1.13.1)

For every operator of schema/operators.txt that has no Tensor in its schema a graph with that one operator is run on
arguments from the pools below. Each operator runs in a process of its own: some of PyTorch's die or never end on some
arguments.
test_lang_kernels.c describes the format of the lines."""
import itertools
import math
import os
import random
import re
import resource
import signal
import sys

import torch

sys.path.insert(0, "schema")
from gen_operators import Operator, split_top  # noqa: E402

CASES = 20  # of an operator
SECONDS, BYTES = 20, 3 << 30  # allowed to an operator

INTS = [0, 1, -1, 2, 3, -7, 10, 63, 64, -5, -2**63, 2**63 - 1, 2**31 - 1, 2**31, -2**31 - 1, 2**53 + 1, 255]
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.7, 1e10, math.inf, -math.inf, math.nan, 1e300, 2.0, 1.5, -0.3,
          5e-324, 1e-310, 2.0**63, -2.0**63, 1e16, 0.1, 1e-5, 123456.789]
COMPLEXES = [0j, 1 + 2j, -1.5 - 0.5j, 2 + 0j, -0.25j, complex(-0.0, -0.0), complex(-2, -0.0), complex(math.nan, 1), complex(math.inf, 0),
             complex(-math.inf, math.inf), complex(0, -math.inf), 1e300 + 1e300j, 1e10 - 1e-10j]
NUMBERS = [2, -3, 0.5, -1.5, 1 + 2j, 0, 3.0]
TEXTS = ["", "a", "ab", "Hello World", "  x y\t", "abcabc", "a,b,c", "ABC", "12", "\u00e9t\u00e9",
         "a\nb\r\nc\n", "-7", "x_1", "Tab\tbed", "  ", "3.5", "1e5", "aBc dEf", "the quick",
         "0x1p3", " +4", "inf", "1e400", "9999999999999999999",
         "9223372036854775807", "1_000", ".5", "5.", "--5", "NaN", "1e-400", "42 ", "{}", "\x7f\x01", "AB c", "l1\nl2\r"]
DEVICES = ["cpu", "cuda", "cuda:1", "cpu:0", "foo", "cuda:x", "meta", "cuda:", "cuda:01", "cpu:-1", ""]

# By type; by name for ints and strings that mean something special.
POOLS = {
    "int": INTS, "float": FLOATS, "bool": [True, False], "complex": COMPLEXES, "Scalar": NUMBERS, "number": NUMBERS,
    "str": TEXTS, "Device": [torch.device(d) for d in ("cpu", "cuda:1", "cuda")], "t": [1, 0, -5],
    "int[]": [[], [1], [3, 1, 2], [5, 5, -2, 0], [1, 2, 3, 4, 5, 6], [2**31, 2**31 - 1, 2**40]],
    "float[]": [[], [1.5], [3.0, -1.0, 2.5], [0.0, -0.0, 2.0], [math.nan, 1.0], [1.0, math.inf],
                [3.0, math.nan, 1.0], [-0.0, 0.0], [2.0, math.nan, 1.0, math.nan, 0.5]],
    "bool[]": [[], [True], [False, True], [True, False, True], [False]],
    "complex[]": [[], [1j, 2 + 1j]],
    "str[]": [[], ["a"], ["b", "a", "ab"], ["", "x"], ["a", "b", "a"]],
    "t[]": [[], [1], [3, 1, 2], ["b", "a"], [1.5, 0.5, 2.0], [1, 2, 3, 4, 5, 6]],
}
POOLS["Any[]"] = POOLS["t[]"]
INT_POOLS = {"idx": [0, 1, -1, 2, -2, 5, -9], "start": [0, 1, 2, -1, -2, 100, -100, 2**63 - 1, -2**63], "step": [1, 2, 3, -1, -2, 5, 0, 2**63 - 1, -2**63],
             "width": [0, 3, 8, 15], "max": [-1, 0, 1, 2, 5], "tabsize": [8, 4, 1, 0], "dim": [0, 1, -1, 2]}
INT_POOLS.update(index=INT_POOLS["idx"], end=INT_POOLS["start"])
STR_POOLS = {"substr": ["a", "b", " ", "ab", "", "c", "bc", ","], "chars": [" \n\t\f\v", "a", "abc", "Hd", ""],
             "new": ["", "x", "yy"], "fillchar": [" ", "*", "ab", ""], "key": ["a", "b", "zz"]}
STR_POOLS.update(old=STR_POOLS["substr"], separator=STR_POOLS["substr"], idx=STR_POOLS["key"], item=STR_POOLS["key"],
                 el=STR_POOLS["key"])
# Arguments of single operators: by a part of the name.
OPERATOR_POOLS = {"aten::mul.left": [0, 1, 3, -1, -2**63, -2**63 + 1], "aten::mul_": [0, 1, 3, -1],
                  "aten::mul.right": [0, 1, 3, -1, -2**63 + 1],
                  "rangelist": [0, 3, -2], "shift": [0, 1, 2, 3, 5, 10, 62], "factorial": [0, 1, 2, 5, 20, -1, 21, 66, 100, 1001, 2**31, 2**32 + 3],
                  "aten::chr": [0, 65, 97, 127, 256, 300, -1], "aten::ord": ["a", "", "ab", "\u00e9"],
                  "aten::device": DEVICES, "__range_length": [0, 1, -1, 3, -7, 10],
                  "__derive_index": [0, 1, -1, 3, -7, 10]}
KEYS = {"str": ["a", "b", "c"], "int": [0, 1, 2], "bool": [True, False], "float": [0.0, 1.0, -2.5],
        "complex": [0j, 1 + 2j]}



def overflows(v):
    return not -2**63 <= v < 2**63


def c_remainder(a, b):
    return abs(a) % abs(b) * (1 if a > 0 else -1)


# Operators with side effects, or whose results depend on the machine.
LEFT_OUT = ("manual_seed", "save", "warn", "RaiseException", "_cufft", "set_grad", "hash", "prim::id", "from_file",
            "ModuleContainer", "Uninit", "int_to_int", "infer_unsqueeze", "TimePoint")
# Cases that PyTorch cannot survive, or where C++ leaves the result open.
UNDEFINED = (lambda n, a: re.search("remainder|mod|floordiv|fmod", n) and all(isinstance(v, int) for v in a) and
             (a[1] == 0 or a[1] == -1 and a[0] == -2**63),
             lambda n, a: n == "aten::remainder.int" and overflows(a[1] + c_remainder(*a)),
             lambda n, a: n == "__range_length" and overflows(a[1] - a[0]),
             lambda n, a: n == "aten::ceil.float" and a[0] == 2.0**63,
             lambda n, a: "gcd" in n and -2**63 in a,
             # a call from Python takes the overload of the items instead
             lambda n, a: n in ("aten::sort.any", "aten::sorted.any"),
             lambda n, a: n == "aten::replace" and a[1] == "" and a[3] < 0,
             lambda n, a: n in ("aten::count", "aten::rsplit") and a[1] == "",
             lambda n, a: n in ("aten::eq", "aten::ne") and any(isinstance(v, complex) for v in a),
             lambda n, a: n == "prim::infer_squeeze_size.dim" and not -len(a[0]) <= a[1] < len(a[0]))


def plain(kind):
    """A schema type without alias marks."""
    return re.sub(r"\([a-z]!?( ?-> ?\*)?(\|[a-z])?\)|\(\*\)", "", kind)


def pool(kind, name, operator):
    kind = plain(kind)
    if kind.endswith("?"):
        return [None] + pool(kind[:-1], name, operator)
    for part, values in OPERATOR_POOLS.items():
        if part in operator and kind == {int: "int", str: "str"}[type(values[0])]:
            return values
    if kind == "int":
        return INT_POOLS.get(name, INTS)
    if kind == "str":
        return STR_POOLS.get(name, TEXTS)
    m = re.match(r"Dict\((\w+), t\)", kind)
    if m:
        keys = KEYS[m.group(1)]
        return [{}, {keys[0]: 1}, {k: i for i, k in enumerate(keys)}]
    m = re.match(r"\((\w+), tVal\)\[\]", kind)
    if m:
        return [[(k, i) for i, k in enumerate(KEYS[m.group(1)])]]
    return POOLS.get(kind, [])


def type_of(value):
    for kind in (bool, int, float, complex, str):
        if isinstance(value, kind):
            return kind.__name__
    if isinstance(value, torch.Tensor):
        return "Tensor"
    if isinstance(value, list):
        return (type_of(value[0]) if value else "int") + "[]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(type_of, value)) + ")"
    if isinstance(value, dict):
        return "Dict(%s, %s)" % tuple(map(type_of, next(iter(value.items()))))
    return "NoneType" if value is None else "Device"


def argument_type(value, kind):
    kind = plain(kind)
    m = re.match(r"Dict\((\w+), t\)", kind)
    if m:
        return "Dict(%s, int)" % m.group(1)
    return type_of(value) if re.search(r"\bt[12]?\b|tVal|Any", kind) else kind.replace("number", "Scalar")


def show(v):
    if v is None or isinstance(v, bool):
        return {None: "none", True: "true", False: "false"}[v]
    if isinstance(v, int):
        return str(v)
    if isinstance(v, float):
        return v.hex() if math.isfinite(v) else "nan" if v != v else "inf" if v > 0 else "-inf"
    if isinstance(v, complex):
        return "c%s,%s" % (show(v.real), show(v.imag))
    if isinstance(v, str):
        return '"%s"' % "".join(chr(b) if 32 <= b < 127 and b not in (34, 92) else "\\x%02x" % b for b in v.encode())
    if isinstance(v, list):
        return "[" + " ".join(map(show, v)) + "]"
    if isinstance(v, tuple):
        return "(" + " ".join(map(show, v)) + ")"
    if isinstance(v, dict):
        return "{" + " ".join(show(k) + " " + show(i) for k, i in v.items()) + "}"
    if isinstance(v, torch.Tensor):
        return 't"%s" %s %s' % (str(v.dtype)[6:], show(list(v.shape)), show(v.flatten().tolist()))
    return "d" + show(str(v))


def graph_of(operator, returns, arguments):
    """A graph that runs the operator and returns its results and, when it is changed, the first argument."""
    types = [argument_type(v, k) for v, (k, _, _, _) in zip(arguments, operator.arguments)]
    types += [type_of(v) for v in arguments[len(types):]]
    item = next((type_of(v)[:-2] for v, (k, _, _, _) in zip(arguments, operator.arguments)
                 if plain(k) == "t[]"), "int")
    returns = re.sub(r"\btVal\b|\bt\b", item, plain(returns))
    if operator.outputs == 1 and re.fullmatch(r"\(\(.*\)(\[\])?\)", returns):
        returns = returns[1:-1]
    result_types = [] if returns == "()" else split_top(returns[1:-1]) if operator.outputs > 1 else [returns]
    names = ["%%r%d" % i for i in range(len(result_types))]
    results = ", ".join("%s : %s" % r for r in zip(names, result_types))
    changed = bool(operator.arguments) and operator.arguments[0][3]
    shown = list(zip(names, result_types)) + ([("%a0", types[0])] if changed else [])
    return "graph(%s):\n  %s%s(%s)\n  %%t : (%s) = prim::TupleConstruct(%s)\n  return (%%t)\n" % (
        ", ".join("%%a%d : %s" % p for p in enumerate(types)), results + " = " if results else "", operator.base(),
        ", ".join("%%a%d" % i for i in range(len(types))), ", ".join(t for _, t in shown),
        ", ".join(n for n, _ in shown)), changed


def outcome(operator, returns, arguments):
    """What stands behind the arguments in a line; None for what cannot be told."""
    text, changed = graph_of(operator, returns, arguments)
    try:
        function = torch._C._create_function_from_graph("f", torch._C.parse_ir(text))
        results = list(function(*arguments))
    except UnicodeDecodeError:
        return None
    except Exception as e:
        message = str(e).strip("\n").split("\nRuntimeError: ")[-1]
        return None if "INTERNAL ASSERT" in message or "bad_alloc" in message else "! " + show(message)
    shown = results[:-1] if changed else results
    return " ".join(["="] + [show(v) for v in shown] + ([";", show(results[-1])] if changed else []))


def usable(operator, arguments):
    """Do the items of t[] and t arguments have one type?"""
    kinds = [plain(k) for k, _, _, _ in operator.arguments]
    items = set()
    for v, k in zip(arguments, kinds):
        if k == "t[]":
            items |= {type(i) for i in v} or {int}
        elif k == "t" and "t[]" in kinds:
            items.add(type(v))
    return len(items) <= 1 and not any(u(operator.name, arguments) for u in UNDEFINED)


def run_apart(what, work):
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
        work()
        sys.stdout.flush()
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        sys.exit("%s ended its process" % what)


def run_operator(operator, returns):
    pools = [pool(k, n, operator.name) for k, n, _, _ in operator.arguments]
    cases = [c for c in itertools.product(*pools) if usable(operator, c)]
    if len(cases) > CASES * (2 if len(pools) > 2 else 1):
        cases = random.Random(operator.name).sample(cases, CASES * (2 if len(pools) > 2 else 1))
    for case in cases:
        arguments = [type(v)(v) if isinstance(v, (list, dict)) else v for v in case]
        shown = " ".join(map(show, arguments))
        line = outcome(operator, returns, arguments)
        if line:
            print(" ".join(filter(None, (operator.name, shown, line))), flush=True)


def tensors():
    t = torch.tensor
    return [torch.ones(2), torch.ones(2, 3) * 1.5, t(3.), t(3), t(True), t([1, 20, -300]), t([True, False]),
            t([1e5, 1.5]), t([1e-5, 1.5]), t([math.nan, 1, 2]), t([math.inf, 1.5]), torch.arange(24).reshape(2, 3, 4),
            torch.empty(0),
            torch.empty(2, 0), t([1000000, 1]), t([1e10, 1.]), t([123456., 1.]), t([123456.5, 1e5]), t([1e8, 1e-8]),
            torch.arange(90).reshape(2, 45), t([0.00012, 0.0005]), t(0.1), t(1e20), t([[[1.5]]]), t([-1., 2.]),
            t([-1.5, 100.]), t(math.nan), t([1, 2], dtype=torch.uint8), torch.zeros(2, 2, 1, 2), torch.zeros(0, 3, 2),
            t([[1e5, 1.5], [2., 3.]]), t([[[1e6, 1.5e6], [2.5e6, 1.25e6]], [[1., 2.], [3., 1234567.]]]),
            t([1e-120, 1.], dtype=torch.float64), t([0.5, -1e9]), t([-0.0, 0.0]), t([[1.5e6] * 12, [1.25e6] * 12])]


def run_texts():
    """str, format and %."""
    values = [None, True, 3, -2**63, 0.1, 1.0, -0.0, 1e300, 2.0**63, math.inf, 1 + 2j, -0.1j, "a", [1, 2], [0.5, 2.0],
              ["a", "b"], (1,), (1, "a", 2.5), {"a": 1, "b": 2}, {1.5: [1]}, torch.device("cuda:1"),
              [(1, True)], [[1], [2, 3]]]
    formats = [("{} {}", (1, "b")), ("a{}b{}c{}", (1, 0.5, "x")), ("no", ()), ("{}", (1, 2)), ("{} {}", (1,)),
               ("{{}} {0} {:d}", (7,)), ("}{", (1,)), ("{}", ([1, 2],))]
    percents = [("%d", 5), ("%d", 5.7), ("%d", 1e20), ("%f", 1.5), ("%f", 3), ("%F", 1e300), ("%e", 12345.678),
                ("%E", 12345.678), ("%s", 1.5), ("%s", "ab"), ("%c", 65), ("%c", "a"), ("%c", "ab"), ("%5d", 5),
                ("%x", 5), ("%%", 5),
                ("%", 5), ("%d", "a"), ("abc", 5), ("%s %s", 5), ("%s", [1, 2]), ("%d%%", 5), ("%f", math.nan), ("%E", math.inf),
                ("%d", -2.5),
                ("%r", 1), ("%.2f", 1.5), ("%c", 300), ("%i-%s %f", (1, "b", 0.1)), ("%s", ()), ("%f", [1]),
                ("%f", 123456789)]
    cases = [("aten::str(t elem) -> str", [(v,) for v in values + tensors()]),
             ("aten::format(str self, ...) -> str", [(f,) + a for f, a in formats]),
             ("aten::percentFormat(str self, ...) -> str", percents)]
    for schema, arguments in cases:
        operator = Operator(schema)
        for a in arguments:
            line = outcome(operator, "str", list(a))
            if line:
                print(operator.name, " ".join(map(show, a)), line)


def main():
    print("# Made by tests/unit/make_lang_vectors.py with PyTorch", torch.__version__)
    for line in open("schema/operators.txt"):
        line = line.strip()
        skip = re.search(r"Tensor|SymInt|Generator|Stream|Layout|MemoryFormat|Enum|Future|RRef|Storage|ScalarType|"
                         r"\.\.\.|AnyClass", line)
        if skip or not line.startswith(("aten::", "prim::")) or any(part in line for part in LEFT_OUT):
            continue
        operator = Operator(line)
        run_apart(operator.name, lambda: run_operator(operator, line.rpartition("-> ")[2]))
    run_apart("str", run_texts)


main()

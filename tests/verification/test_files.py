#!/usr/bin/env python3
"""Files that tsmc would never write: the verifier refuses what the interpreter could not run, in time that is linear in
the file's size; what it accepts runs, or fails, in order.

  test_files.py OPEN_FILES TSMRUN TSMC"""
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tsm_file  # noqa: E402
from opener import open_all, run_file  # noqa: E402
from programs import *  # noqa: E402,F403
from schema import NONE  # noqa: E402

OPEN_FILES, TSMRUN, TSMC = sys.argv[1:4]
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "exits.py")
WORK_A_BYTE = 200  # basic blocks of the verifier, at most; those of the build with sanitizers are many


def changed(change):
    program, segment = example()
    change(program)
    return tsm_file.write(program, segment)


def main_function(program):
    return program["functions"][MAIN]


def instruction(program, name):
    """Where the first instruction of a name stands in main."""
    return [i for i, (op, _, _, _) in enumerate(main_function(program)["code"]) if op == OPCODES.index(name)][0]


def put(program, name, **fields):
    """Changes fields of the first instruction of a name."""
    at = instruction(program, name)
    op, *rest = main_function(program)["code"][at]
    main_function(program)["code"][at] = tuple([op] + [fields.get(k, v) & 0xFFFF for k, v in zip("abc", rest)])


def relist(program, name, inputs, outputs, a=None):
    """Gives the first instruction of a name (or the OP of operator a) another list."""
    f = main_function(program)
    at = [i for i, (op, x, _, _) in enumerate(f["code"]) if op == OPCODES.index(name) and a in (None, x)][0]
    op, x, _, _ = f["code"][at]
    to = len(f["operands"])
    f["operands"] += [len(inputs), len(outputs)] + list(inputs) + list(outputs)
    f["code"][at] = (op, x, to & 0xFFFF, to >> 16)


def relist_short(program, name, inputs):
    """The same for an instruction with the list in c."""
    f = main_function(program)
    put(program, name, c=len(f["operands"]))
    f["operands"] += [len(inputs), 0] + inputs


def set_of(table, row, **fields):
    return lambda p: p[table][row].update(fields)


def on(*steps):
    """A change of several steps: NAME=..., in order."""
    def change(p):
        for step in steps:
            step(p)
    return change


def end_with(code):
    def change(p):
        f = main_function(p)
        f["code"] = f["code"][:instruction(p, "RET")] + code
    return change


def nest(program, levels):
    """Adds so many types of lists, each of the one before, the first of ints."""
    first = len(program["types"])
    program["types"] += [a_type("List", first + i - 1 if i else INT) for i in range(levels)]


# What a file may do, and what it may not, all else equal: a name, and a change of example().
ACCEPTED = {
    "nothing": lambda p: None,
    "RAISE as the last instruction": end_with([]),
    "a class that holds itself": lambda p: None,
    "no debug information": lambda p: p["functions"][MAIN].pop("debug"),
    "positions of nothing": lambda p: p.update(positions=[], position_symbols=[]),
    "positions that are none": lambda p: p.update(positions=[NONE] * 9, position_symbols=[255] * 30),
    "no features, no new opcodes": lambda p: (p.pop("features"), p["functions"][MAIN].update(
        code=[i for i in p["functions"][MAIN]["code"] if OPCODES[i[0]] not in ("ADD_I_LOOP", "GUARD")])),
    "32 levels of lists": lambda p: nest(p, 31),
    "a jump as the last instruction": end_with([wide("JMP", 0, -1 & 0xFFFFFFFF)]),
}
REFUSED = {
    "version 2": lambda p: p.update(version=2),
    "an unknown feature": lambda p: p["features"].append("magic"),
    "new opcodes without their feature": lambda p: p.pop("features"),
    "new opcodes with an older feature": lambda p: p.update(features=["instructions of 0.1.0"]),
    "a version that is none": lambda p: p["features"].append("instructions of 0.2x"),
    "an unknown operator": lambda p: p.update(operators=p["operators"] + ["aten::none"]),
    "an operator on lists as one that writes to a tensor":
        lambda p: p.update(operators=p["operators"] + ["aten::dequantize.tensors_out"]),
    "a storage outside of the segment": lambda p: p.update(storages=[(0, 16, 0), (64, 128, 0)]),
    "storages that overlap": lambda p: p.update(storages=[(0, 128, 0), (64, 4, 0)]),
    "a storage at an odd place": lambda p: p.update(storages=[(0, 16, 0), (32, 4, 0)]),
    "a list type of two elements": set_of("types", LIST, elements=[INT, INT]),
    "a list type of itself": set_of("types", LIST, elements=[LIST]),
    "two types that contain each other": on(set_of("types", LIST, elements=[OPTIONAL])),
    "a tuple type that contains itself": set_of("types", TUPLE, elements=[INT, TUPLE]),
    "a NamedTuple type that contains itself": set_of("types", NAMED_TUPLE, elements=[INT, NAMED_TUPLE]),
    "an element that is no type": set_of("types", LIST, elements=[11]),
    "33 levels of lists": lambda p: nest(p, 32),
    "200000 levels of lists": lambda p: nest(p, 200000),
    "a class without names of attributes": set_of("types", CLASS, field_names=[]),
    "an enum with more names than members": set_of("types", ENUM, field_names=["A", "B"]),
    "a kind of type that is none": set_of("types", INT, kind=28),
    "a method of no function": set_of("types", CLASS, methods=[{"name": 0, "function": 3}]),
    "a constant in itself": set_of("constants", FIVES, items=[FIVES]),
    "a constant in a later one": set_of("constants", FIVES, items=[PAIR]),
    "a list of a dict's type": set_of("constants", FIVES, type=DICT),
    "a NamedTuple of three": set_of("constants", PAIR, items=[FIVE, FIVE, FIVE]),
    "half a dict": set_of("constants", TABLE, items=[FIVE]),
    "an object without a class": set_of("constants", OBJECT, type=NONE),
    "an object with another number of slots": set_of("constants", OBJECT, items=[]),
    "an enum member that is none": set_of("constants", MEMBER, integer=1),
    "a kind of constant that is none": set_of("constants", NOTHING, kind=14),
    "a tensor without strides": lambda p: p["constants"][MATRIX]["tensor"].pop("strides"),
    "no tensor": lambda p: p["constants"][MATRIX].pop("tensor"),
    "a tensor whose reach wraps": lambda p: p["constants"][MATRIX]["tensor"].update(sizes=[2, 2**33 + 1], strides=[0, 2**31]),
    "a tensor behind its storage": lambda p: p["constants"][MATRIX]["tensor"].update(offset=1),
    "a tensor whose size wraps": lambda p: p["constants"][MATRIX]["tensor"].update(sizes=[2**32, 2**32], strides=[0, 0]),
    "a negative size": lambda p: p["constants"][MATRIX]["tensor"].update(sizes=[-1, 2]),
    "a dtype that is none": lambda p: p["constants"][MATRIX]["tensor"].update(dtype=20),
    "a quantizer of too few channels": lambda p: p["constants"][QUANTIZED]["tensor"].update(scales=[0.5]),
    "a quantized tensor without a quantizer": lambda p: p["constants"][QUANTIZED]["tensor"].update(quantizer_axis=-2),
    "a quantizer of floats": lambda p: p["constants"][MATRIX]["tensor"].update(quantizer_axis=-1, scales=[1.0], zero_points=[0]),
    "no code": set_of("functions", LEAF, code=[]),
    "no end": end_with([narrow("MOVE", V, V)]),
    "a jump to the end": lambda p: put(p, "JLT_I", c=1000),
    "a jump before the start": lambda p: put(p, "JMP", b=-1000, c=-1),
    "an opcode that is none": lambda p: main_function(p)["code"].insert(0, (len(OPCODES), 0, 0, 0)),
    "an int register for a value": lambda p: put(p, "MOVE", a=I),
    "a value register for an int": lambda p: put(p, "ADD_I", c=V),
    "a register that is none": lambda p: put(p, "MOVE", b=V + VALUES + INTS + FLOATS + BOOLS),
    "an unused operand that is not 0": lambda p: put(p, "MOVE", c=1),
    "an unused first operand that is not 0": lambda p: put(p, "RET", a=1),
    "a constant of another kind for a scalar": lambda p: put(p, "LOADC_S", b=HALF),
    "a move between runs of scalars": lambda p: put(p, "MOVE_S", b=F),
    "a literal divisor of 0": lambda p: put(p, "FLOORDIVK_I", c=0),
    "a fused loop without its loop": lambda p: put(p, "LOOP", c=-3),
    "an object of no class": lambda p: put(p, "CREATE_OBJECT", b=LIST),
    "a site of warnings that is none": lambda p: put(p, "WARN", a=1),
    "a named tuple of three": lambda p: relist_short(p, "NAMED_TUPLE_CONSTRUCT", [I, I, I]),
    "a call with too few arguments": lambda p: relist(p, "CALL", [V], [V]),
    "a call with two results": lambda p: relist(p, "CALL", [V, I], [V, V]),
    "a future in an int register": lambda p: relist(p, "FORK", [V, I], [I]),
    "an interface call of nothing": lambda p: relist(p, "INTERFACE_CALL", [], [V]),
    "an operator with too few inputs": lambda p: relist(p, "OP", [V], [V], 0),
    "format() of nothing": lambda p: relist(p, "OP", [], [V], 3),
    "the % of strings of nothing": lambda p: relist(p, "OP", [], [V], 6),
    "tolist() with two results": lambda p: relist(p, "OP", [of_constant(MATRIX), I, I], [V, V], 4),
    "tolist() without its numbers": lambda p: relist(p, "OP", [of_constant(MATRIX)], [V], 4),
    "an operator with 65 inputs": lambda p: relist(p, "OP", [of_constant(TEXT)] * 65, [V], 3),
    "an operator with 17 results": lambda p: relist(p, "OP", [V], [V] * 17, 5),
    "a constant that is none": lambda p: relist(p, "PRINT", [of_constant(12)], []),
    "the last use of an int": lambda p: relist(p, "PRINT", [I | LAST_USE], []),
    "a list of a type that is no list": lambda p: relist(p, "LIST_CONSTRUCT", [I, I], [DICT]),
    "a list of a type behind the last": lambda p: relist(p, "LIST_CONSTRUCT", [I, I], [len(p["types"])]),
    "a dict of an odd number": lambda p: relist(p, "DICT_CONSTRUCT", [I], [DICT]),
    "a plan that is none": lambda p: relist(p, "GUARD", [V], [1]),
    "an isinstance of a type that is none": lambda p: relist_short(p, "ISINSTANCE", [len(p["types"])]),
    "a list behind the operands": lambda p: put(p, "RET", b=0xFFFF),
    "a list without its words": lambda p: main_function(p)["operands"].pop(),
    "lists with more words than there are": lambda p: main_function(p).update(
        code=main_function(p)["code"][:instruction(p, "RET")] + [main_function(p)["code"][instruction(p, "PRINT")]] * 40 +
        main_function(p)["code"][instruction(p, "RET"):]),
    "a with range that ends before it begins": set_of("functions", MAIN, withs=[(8, 2, V, EXIT)]),
    "a with range behind the code": set_of("functions", MAIN, withs=[(2, 1000, V, EXIT)]),
    "an exit of another number of parameters": set_of("functions", MAIN, withs=[(2, 8, V, LEAF)]),
    "a parameter that is no register": set_of("functions", LEAF, parameters=[V, 11]),
    "a method with another number of parameters": set_of("methods", 0, arguments=[]),
    "a method of no function": set_of("methods", 0, function=3),
    "a method of no plan": set_of("methods", 0, plan=1),
    "a default that is no constant": lambda p: p["methods"][0]["arguments"][1].update(default_value=12),
    "a test case of no method": set_of("bundle", 0, method=2),
    "a storage behind the segment": lambda p: p.update(storages=[(0, 16, 0), (192, 0, 0)]),
    "a tensor of nine dimensions": lambda p: p["constants"][MATRIX]["tensor"].update(sizes=[1] * 9, strides=[1] * 9),
    "a tensor of no storage": lambda p: (p.pop("storages"), p["constants"].__delitem__(QUANTIZED),
                                         p["constants"][MATRIX]["tensor"].pop("storage")),
    "a quantizer along a dimension that is none": lambda p: p["constants"][QUANTIZED]["tensor"].update(quantizer_axis=2),
    "a quantizer of floats along a dimension that is none": lambda p: p["constants"][QUANTIZED]["tensor"].update(quantizer_axis=66),
    "a quantizer of floats for a whole tensor": lambda p: p["constants"][QUANTIZED]["tensor"].update(quantizer_axis=63),
    "a quantizer along a dimension before the first": lambda p: p["constants"][QUANTIZED]["tensor"].update(quantizer_axis=-3),
    "a quantizer along an empty dimension":
        lambda p: p["constants"][QUANTIZED]["tensor"].update(sizes=[2, 0], scales=[], zero_points=[]),
    "a quantizer of too few zero points": lambda p: p["constants"][QUANTIZED]["tensor"].update(zero_points=[0]),
    "an enum member before the first": set_of("constants", MEMBER, integer=-1),
    "an enum member of a later value": set_of("types", ENUM, members=[MEMBER]),
    "a named tuple of a list's type": lambda p: put(p, "NAMED_TUPLE_CONSTRUCT", b=LIST),
    "a fused loop at the end": end_with([narrow("ADD_I_LOOP", I, I, I)]),
    "a fused loop before another instruction": end_with([narrow("ADD_I_LOOP", I, I, I), wide("RET", 0, 0)]),
    "a with whose object is an int": set_of("functions", MAIN, withs=[(2, 8, I, EXIT)]),
    "an exit that is no function": set_of("functions", MAIN, withs=[(2, 8, V, 3)]),
    "a method of 64 arguments": lambda p: (p["methods"][0].update(arguments=[{"name": "x", "type": INT}] * 64),
                                           p["functions"][MAIN].update(parameters=[V] * 64)),
    "a function without a name": lambda p: p["functions"][LEAF].pop("name"),
    "a function that is not there": lambda p: (p["methods"][0].pop("function"), p.pop("functions"), p["types"].__delitem__(CLASS)),
    "too many registers": lambda p: p.update(stack_registers=2**24 + 1),
    "too many frames": lambda p: p.update(stack_frames=2**16 + 1),
    "too many warnings": lambda p: p.update(warnings=2**22 + 1),
}


# Files that refer to one thing many times: whoever follows references walks through more than the file is large.
def shared_functions(p, n):
    leaf = function("f", Code().listed("RET", 0, [V]), [V, I])
    leaf["code"] = [narrow("MOVE", V, V + 1)] * n + leaf["code"]
    p["functions"] += [leaf] * n


def shared_code(p, n):
    code = [narrow("MOVE", V, V + 1)] * n + [wide("RET", 0, 0)]
    p["functions"] += [dict(p["functions"][LEAF], code=code) for _ in range(n // 8)]


def shared_constants(p, n):
    p["constants"] += [constant("List", items=[FIVE] * n, type=LIST)] * n


def shared_lists(p, n):
    c = Code()
    at = c.list([V] * n)
    for _ in range(n):
        c.wide("PRINT", 0, at)
    p["functions"].append(function("f", c.listed("RET", 0, [V]), [V, I]))


def shared_types(p, n):
    wide_type = a_type("Tuple", *[INT] * n)
    p["types"] += [wide_type] + [a_type("Tuple", *[len(p["types"])] * n) for _ in range(2)]


def nested_unions(p, n):
    for i in range(n // 16):
        last = len(p["types"]) - 1 if i else INT
        p["types"].append(a_type("Union", last, last))


def shared_arguments(p, n):
    p["methods"] += [dict(p["methods"][0], arguments=[{"name": "x", "type": INT}] * n)] * n


def shared_names(p, n):
    p["operators"] = ["aten::" + "x" * n] * n


def shared_features(p, n):
    p["features"] = ["instructions of " + "0" * n] * n


def shared_debug(p, n):
    entries = [(i, 0) for i in range(n)]
    f = function("f", Code().listed("RET", 0, [V]), [V, I], debug=entries)
    f["code"] = [narrow("MOVE", V, V + 1)] * n + f["code"]
    p["functions"] += [dict(f, name="g%d" % i) for i in range(n // 16)]


def shared_steps(p, n):
    p["calls"] = [(0, 0), (0, 1)]
    p["functions"] += [dict(p["functions"][LEAF], name="g%d" % i, steps=[(0, 0)] * n) for i in range(n // 16)]


SHARED = [shared_functions, shared_code, shared_constants, shared_lists, shared_types, nested_unions, shared_arguments, shared_names,
          shared_features, shared_debug, shared_steps]


class Verification(unittest.TestCase):
    def test_accepted(self):
        for name, (accepted, _, message) in zip(ACCEPTED, open_all(OPEN_FILES, [changed(c) for c in ACCEPTED.values()])):
            self.assertTrue(accepted, "%s: %s" % (name, message))

    def test_refused(self):
        files = [changed(c) for c in REFUSED.values()]
        for name, (accepted, _, message) in zip(REFUSED, open_all(OPEN_FILES, files)):
            self.assertFalse(accepted, name)
            self.assertTrue(message, name)

    def test_damaged(self):
        """Files that are no well-formed FlatBuffers."""
        good = changed(lambda p: None)
        sizes = tsm_file.place_of(good, "constants", MATRIX, "tensor", "sizes")
        moved = bytearray(good)  # to the vector's first element, which is 2
        struct.pack_into("<I", moved, sizes, struct.unpack_from("<I", good, sizes)[0] + 4)
        itself = bytearray(good)
        struct.pack_into("<I", itself, sizes, 0)
        cut = bytearray(good + b"\0\0")  # to the last two bytes, where four are wanted
        assert len(good) % 4 == 0
        struct.pack_into("<I", cut, sizes, len(good) - sizes)
        behind = bytearray(good)
        struct.pack_into("<Q", behind, tsm_file.place_of(good, "segment_offset"), 2**40)
        files = {"nothing": b"", "a segment far behind": bytes(behind), "four bytes": good[:4], "sizes at a multiple of four": bytes(moved), "sizes behind the last four bytes":
                 bytes(cut), "sizes that are their own reference":
                 bytes(itself)}
        for name, (accepted, _, message) in zip(files, open_all(OPEN_FILES, files.values())):
            self.assertFalse(accepted, name)
            self.assertTrue(message, name)

    def test_work(self):
        """The work on a file is at most WORK_A_BYTE times its bytes, whatever it refers to."""
        for change in SHARED:
            files = [changed(lambda p, n=n: change(p, n)) for n in (30, 300, 3000)]
            for f, (_, work, _) in zip(files, open_all(OPEN_FILES, files)):
                self.assertLess(work, WORK_A_BYTE * len(f), "%s: %d steps for %d bytes" % (change.__name__, work, len(f)))


class Running(unittest.TestCase):
    def test_loop_at_the_last_int(self):
        last, first = constant("Int", integer=2**63 - 1), constant("Int", integer=-2**63)
        code = Code().wide("LOADC_S", I, 0).wide("LOADC_S", I + 1, 1)("LOOP", I, I + 1, -1)
        self.assertEqual(run_file(TSMRUN, only(code, I, (), [last, first]))[:2], (0, "-9223372036854775808\n"))

    def out_of_fuel(self, program):
        """The program, which executes fewer than 1,000 instructions, ends for lack of a thousand times as much fuel."""
        status, _, errors = run_file(TSMRUN, program, "--fuel", "1000000")
        self.assertNotEqual(status, 0)
        self.assertIn("the limit on executed instructions was reached", errors)

    def raising(self, table, instructions=0, turns=1):
        """The program that fails, `turns` times, behind so many instructions of a function with these positions."""
        raising = Code()
        for _ in range(instructions):
            raising("MOVE", V, V + 1)
        raising.listed("RAISE", 0, [of_constant(0), of_constant(1)])
        code = Code().wide("LOADI", I, 0).wide("LOADI", I + 1, turns).listed("FORK", 1, [], [V])("LOOP", I, I + 1, -2)
        code("WAIT", V, V)
        return only(code, I, (), [constant("Str", text=list(b"no")), constant("None")], functions=[function("g", raising)], **table)

    def lines(self, program):
        """The lines that the traceback names."""
        status, _, errors = run_file(TSMRUN, program)
        self.assertNotEqual(status, 0)
        self.assertIn("RuntimeError: no", errors)
        return [int(n) for n in re.findall(r'File "f.py", line (\d+), in g', errors)]

    def on_lines(self, lines, calls, steps, **more):
        """Positions with a place in each of these lines of a file that has twenty."""
        text = "".join("l%02d\n" % i for i in range(20))
        return positions([("mod.g", text, "f.py", 1, 4 * n, 2) for n in lines], calls, [[], steps], **more)

    def test_tracebacks_of_calls(self):
        """Steps lead to the instruction, and calls to those who called, however far both are."""
        calls = [(0, 0)] + [(1, 0)] * 500 + [(2, 501)] + [(1, 0)] * 300 + [(3, 301)]
        self.assertEqual(self.lines(self.raising(self.on_lines([2, 5, 9, 14], calls, [(0, 0), (300, 802), (301, 702)]), 300)), [3, 10, 15])
        for instructions, wanted in ((0, [3]), (4, [3]), (5, [6]), (259, [6]), (260, [3, 10])):
            table = self.on_lines([2, 5, 9], [(0, 0), (1, 0), (2, 0), (2, 3)], [(0, 0), (5, 1), (260, 3)])
            self.assertEqual(self.lines(self.raising(table, instructions)), wanted, instructions)

    def test_tracebacks_that_are_damaged(self):
        """What is not there is left out of a traceback."""
        good = self.on_lines([2], [(0, 0)], [(0, 0)])
        self.assertEqual(self.lines(self.raising(good)), [3])
        self.assertEqual(self.lines(self.raising(self.on_lines([2, 5], [(0, 0), (7, 1), (1, 2)], [(0, 2)]))), [3, 6])
        for calls in ([(0, 1)], [(0, 5)], [(0, -1)]):
            self.assertEqual(self.lines(self.raising(self.on_lines([2], calls, [(0, 0)]))), [3], calls)
        def word(at, n):
            return dict(good, positions=good["positions"][:at] + [n] + good["positions"][at + 1:])
        for name, table in (("no place", self.on_lines([], [(0, 0)], [(0, 0)])), ("no call", self.on_lines([2], [], [(0, 0)])),
                            ("a call before the first", self.on_lines([2], [(0, 0)], [(0, -1)])),
                            ("no steps", self.on_lines([2], [(0, 0)], [])), ("a place behind the text", self.on_lines([90], [(0, 0)], [(0, 0)])),
                            ("a place before the text", self.on_lines([-9], [(0, 0)], [(0, 0)])), ("no places", word(1, 4)),
                            ("places that are not there", word(1, 99)), ("calls that are not there", word(2, NONE)),
                            ("functions that are not there", word(3, 2**31)), ("a start behind the symbols", word(4, NONE)),
                            ("no start", dict(good, positions=good["positions"][:4])), ("too few words", dict(good, positions=[8])),
                            ("no symbols", dict(good, position_symbols=[])), ("symbols of other bits", word(0, 16))):
            self.assertEqual(self.lines(self.raising(table)), [], name)
        step_to_no_call = self.on_lines([2], [(0, 0)], [(0, 0), (1,)])
        self.assertEqual(self.lines(self.raising(step_to_no_call, 2)), [3])
        for width in (0, 7, 17, NONE):
            self.assertNotIn("File", run_file(TSMRUN, self.raising(word(0, width)))[2])
        for cut in range(len(good["position_symbols"])):
            self.lines(self.raising(dict(good, position_symbols=good["position_symbols"][:cut])))

    def test_values_of_lines_that_are_damaged(self):
        """Operators whose place is not there are on no line."""
        code = Code().listed("OP", 0, [of_constant(0)], [V])
        for places, calls, wanted in ((1, [(0, 0)], 1), (0, [(0, 0)], 0), (1, [(1, 0)], 0)):
            table = positions([("f", "a\nb\n", "f.py", 1, 2, 1)] * places, calls, [[(0, 0)]])
            program = only(code, V, (), [constant("Str", text=list(b"text"))], operators=["aten::format"], **table)
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "values.json")
                self.assertEqual(run_file(TSMRUN, program, "--values", path, "--values-filter", "f.py:2")[0], 0)
                with open(path) as f:
                    self.assertEqual(len(json.load(f)["operators"]), wanted, calls)

    def test_rules_that_are_damaged(self):
        """Rules of themselves, of later ones, and of so many levels that their bytes have no end."""
        for rules in ([(256, 256)], [(120, 256)], [(256, 120)], [(257, 257), (256, 256)], [(257, 120), (120, 256)], [(511, 511)],
                      [(120, 120)] + [(255 + i, 255 + i) for i in range(1, 30)]):
            last = 255 + len(rules)
            records = 2 * len(rules)
            for at in range(30):
                table = self.on_lines([2], [(0, 0)], [(0, 0)], width=9, rules=rules)
                bits = int.from_bytes(bytes(table["position_symbols"]), "little")
                place = 9 * (records + at)
                bits = bits & ~(511 << place) | last << place
                table["position_symbols"] = list(bits.to_bytes(len(table["position_symbols"]), "little"))
                self.assertEqual(run_file(TSMRUN, self.raising(table))[0], 1)

    def test_work_of_tracebacks(self):
        """A loop over futures that fail, where each failure shows a line of 100,000 bytes."""
        table = positions([("g", "x" * 100000, "f.py", 1, 99990, 9)], [(0, 0)], [[], [(0, 0)]])
        self.out_of_fuel(self.raising(table, turns=20))

    def test_tables_of_older_versions(self):
        """A file without `positions` runs, and has no tracebacks, whatever its tables say."""
        source = {"name": "f.py", "text": "line\n", "first_line": 1, "offset": 0}
        code = Code().listed("RAISE", 0, [of_constant(0), of_constant(1)])
        program = only(code, V, (), [constant("Str", text=list(b"no")), constant("None")], strings=["g"], files=[source],
                       frames=[(7, 7, 7, 5, 4, 9, 2, 1)], main={"debug": [(9, 9), (0, 9)]})
        self.assertEqual(run_file(TSMRUN, program)[2], "RuntimeError: no\n")

    def test_work_of_steps(self):
        """A loop over futures that fail, whose place is found behind 100,000 steps."""
        self.out_of_fuel(self.raising(self.on_lines([0], [(0, 0)], [(0, 0)] * 100000), turns=20))

    def test_work_of_rules(self):
        """A loop over futures that fail, whose line is a million bytes, though the file is small."""
        rules = [(120, 120)] + [(255 + i, 255 + i) for i in range(1, 16)]
        table = self.on_lines([2], [(0, 0)], [(0, 0)], width=9, rules=rules)
        bits = int.from_bytes(bytes(table["position_symbols"]), "little")
        place = 9 * (2 * len(rules) + len("mod.g") + 1)
        bits = bits & ~(511 << place) | 271 << place
        self.out_of_fuel(self.raising(dict(table, position_symbols=list(bits.to_bytes(len(table["position_symbols"]), "little"))), turns=40))

    def test_work_of_isinstance(self):
        """A list that holds one list twice, which holds one list twice, and so on: 2**31 ways to the innermost."""
        types = [a_type("Int")] + [a_type("List", level) for level in range(1, 32)]
        code = Code().wide("LOADC", V, 0)
        for level in range(2, 32):  # lists that do not know their type, as the constant and what is made from it
            code.listed("LIST_CONSTRUCT", V, [V, V], [level]).listed("OP", 0, [of_constant(0), V], [V])
        code("ISINSTANCE", B, V, code.list([32]))
        self.out_of_fuel(only(code, B, types, [constant("List")], operators=["aten::add.t"]))

    def test_work_of_calls(self):
        """A loop over calls of a function with 65,535 registers."""
        wide_function = function("g", Code().listed("RET", 0, [of_constant(0)]), value_registers=65535)
        code = Code().wide("LOADI", I, 0).wide("LOADI", I + 1, 40).listed("CALL", 1, [], [V])("LOOP", I, I + 1, -2)
        program = only(code, I, (), [constant("None")], functions=[wide_function], stack_registers=70000)
        self.assertEqual(run_file(TSMRUN, program, "--arena", "4M")[:2], (0, "40\n"))
        self.out_of_fuel(program)

    def test_exit_that_forks(self):
        """The exception that a `with` is left by stays, whatever the forks of its exit raise."""
        for name in ("forking", "waiting", "future_of_exit"):
            for level in ("-O0", "-O2"):
                with tempfile.TemporaryDirectory() as folder:
                    path = os.path.join(folder, "exits.tsm")
                    subprocess.run([TSMC, "%s:%s" % (SOURCES, name), level, "-o", path], check=True)
                    p = subprocess.run([TSMRUN, path], capture_output=True, text=True, timeout=300)
                    wanted = "inner" if name == "future_of_exit" else "outer"
                    self.assertEqual(p.returncode, 1, name)
                    self.assertRegex(p.stderr, r"RuntimeError: (.*\n)*.*%s" % wanted)
                    self.assertEqual("inner" in p.stderr.splitlines()[-1], wanted == "inner")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

#!/usr/bin/env python3
"""Writes states.tsm, the program of test_state_records.c: constants of every kind that a program may change, and
methods that keep their argument in an attribute; and programs with room for checksums, for test_sums.c.

  make_states.py FOLDER"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "verification"))
import tsm_file  # noqa: E402
from programs import *  # noqa: E402,F403

TYPES = ["Any", "Int", "Str", "Ints", "Table", "Named", "Home", "Bare", "Enum", "Pair"]
(T_ANY, T_INT, T_STR, T_INTS, T_TABLE, T_NAMED, T_HOME, T_BARE, T_ENUM, T_PAIR) = range(len(TYPES))
# The constants, in order, and the storages behind them: test_state_records.c numbers them alike.
VALUES = ["none", "five", "word", "frozen", "changing", "view", "per_tensor", "per_channel", "ints", "anys", "table", "words", "twice", "pair",
          "named", "home", "odd", "bare", "member", "complex", "cpu", "generator", "learns", "home_too", "cube", "mask"]
FROZEN, CHANGING, QUANTIZED, UNUSED = range(4)
F_GIVE, F_FAILS = range(2)


def types():
    return [a_type("Any"), a_type("Int"), a_type("Str"), a_type("List", T_INT, text="List[int]"), a_type("Dict", T_INT, T_STR),
            a_type("NamedTuple", T_INT, T_ANY, name="__torch__.N", field_names=["a", "b"]),
            a_type("Class", T_INT, T_ANY, T_INTS, name="__torch__.Home", field_names=["number", "thing", "ints"]),
            a_type("Class", name="__torch__.Bare"),
            a_type("Enum", name="__torch__.E", field_names=["A", "B"], members=[1, 2]), a_type("Tuple", T_INT, T_INT)]


def values():
    n = {name: i for i, name in enumerate(VALUES)}
    tensor = {"dtype": 6, "storage": CHANGING, "offset": 0, "sizes": [2, 2], "strides": [2, 1]}
    small = dict(tensor, dtype=13, storage=QUANTIZED)
    made = {
        "none": constant("None"), "five": constant("Int", integer=5), "word": constant("Str", text=list(b"word")),
        "frozen": constant("Tensor", tensor=dict(tensor, storage=FROZEN)), "changing": constant("Tensor", tensor=tensor),
        "view": constant("Tensor", tensor=dict(tensor, offset=1, sizes=[3], strides=[1])),
        "per_tensor": constant("Tensor", tensor=dict(small, quantizer_axis=-1, scales=[0.5], zero_points=[1])),
        "per_channel": constant("Tensor", tensor=dict(small, quantizer_axis=1, scales=[0.5, 0.25], zero_points=[0, 1])),
        "ints": constant("List", items=[n["five"], n["five"]], type=T_INTS), "anys": constant("List", items=[n["five"], n["word"], n["none"]]),
        "table": constant("Dict", items=[n["five"], n["word"]], type=T_TABLE),
        "words": constant("Dict", items=[n["word"], n["five"], n["five"], n["word"]]),
        "twice": constant("Dict", items=[n["five"], n["word"]] * 2),
        "pair": constant("Tuple", items=[n["five"], n["word"]]), "named": constant("Tuple", items=[n["five"], n["word"]], type=T_NAMED),
        "home": constant("Object", items=[n["five"], n["none"], n["ints"]], type=T_HOME),
        # As no program of tsmc has it: a text where its class says int.
        "odd": constant("Object", items=[n["word"], n["word"], n["none"]], type=T_HOME),
        "bare": constant("Object", type=T_BARE), "member": constant("Enum", integer=0, type=T_ENUM),
        "complex": constant("Complex", number=1.0, imaginary=-2.0), "cpu": constant("Device", integer=0), "generator": constant("Generator"),
        "learns": constant("Tensor", tensor=dict(tensor, requires_grad=1)),
        "home_too": constant("Object", items=[n["five"], n["none"], n["ints"]], type=T_HOME),
        "cube": constant("Tensor", tensor=dict(tensor, sizes=[1, 2, 2], strides=[4, 2, 1])),
        "mask": constant("Tensor", tensor=dict(tensor, dtype=11, storage=FROZEN, sizes=[1, 2]))}
    return [made[name] for name in VALUES]


def k(name):
    return of_constant(VALUES.index(name))


def home(c):
    return c.wide("LOADC", V + 2, VALUES.index("home"))


# Methods of an argument, which is in V: (name, code up to RET)
METHODS = [
    ("keep", lambda c: home(c)("SET_ATTR", V + 2, 1, V)),
    ("kept", lambda c: home(c)("GET_ATTR", V, V + 2, 1)),
    ("constants", lambda c: c.listed("TUPLE_CONSTRUCT", V, [k(name) for name in VALUES])),
    ("nested", lambda c: c("LOADB", B, 0).listed("OP", 4, [k("cube"), k("mask"), B], [V])),
    # The dict is as it was, but its entries lie elsewhere.
    ("rekey", lambda c: c.wide("LOADC", V + 1, VALUES.index("words")).wide("LOADC_S", I, VALUES.index("five")).wide("LOADI", I + 1, 7)(
        "DICT_SET", V + 1, I + 1, V).listed("OP", 5, [V + 1, I]).listed("OP", 5, [V + 1, I + 1])("DICT_SET", V + 1, I, V)),
    ("fork", lambda c: c.listed("FORK", F_GIVE, [V], [V])),
    ("fork_fails", lambda c: c.listed("FORK", F_FAILS, [V], [V])),
    ("wait", lambda c: c("WAIT", V, V)),
    ("home_of", lambda c: c.wide("CREATE_OBJECT", V + 1, T_HOME)("SET_ATTR", V + 1, 1, V)("MOVE", V, V + 1)),
    ("named_of", lambda c: c.wide("LOADC_S", I, VALUES.index("five"))("NAMED_TUPLE_CONSTRUCT", V, T_NAMED, c.list([I, V]))),
    ("ints_of", lambda c: c.wide("LOADC_S", I, VALUES.index("five")).listed("LIST_CONSTRUCT", V, [I] * 3, [T_INTS])),
    ("append", lambda c: c.wide("LOADC", V + 1, VALUES.index("anys"))("LIST_APPEND", V + 1, V)),
    ("keep_and_raise", lambda c: home(c)("SET_ATTR", V + 2, 1, V).wide("LOADC", V + 1, VALUES.index("anys"))("LIST_APPEND", V + 1, V).listed(
        "RAISE", 0, [k("word"), k("none")])),
]
# The same of tensors, by an operator.
OPERATORS = ["aten::add_.Scalar", "aten::unsqueeze_", "aten::t_", "aten::set_.source_Tensor", "aten::_nested_tensor_from_mask",
             "aten::Delete.Dict_int"]
IN_PLACE = [("add", 0, "changing", [k("five"), k("five")]), ("unsqueeze", 1, "changing", [I]), ("transpose", 2, "changing", []),
            ("set", 3, "changing", [V])]


def in_place(number, tensor, further, raises):
    def write(c):
        c.wide("LOADI", I, 0).wide("LOADC", V + 1, VALUES.index(tensor)).listed("OP", number, [V + 1] + further, [V + 1])
        return c.listed("RAISE", 0, [k("word"), k("none")]) if raises else c
    return write


def with_room(segment_bytes, segment=lambda at: at, sums=None):
    """A program with 64 bytes in front of its segment, where checksums find room; they begin where those of one or two
    pieces would, the segment lies behind them, or at what is said instead."""
    program = {"version": 1, "segment_offset": 0, "segment_bytes": segment_bytes, "sums_offset": 0, "constants": [constant("None")]}
    data = bytearray(tsm_file.write(program, fill=False)) + bytes(64)
    at = len(data)
    pieces = -(-segment_bytes // 65536)
    struct.pack_into("<Q", data, tsm_file.place_of(data, "segment_offset"), segment(at))
    struct.pack_into("<Q", data, tsm_file.place_of(data, "sums_offset"), sums(at) if sums else at - 4 * (1 + pieces) - 16)
    return bytes(data) + bytes(i % 251 for i in range(segment_bytes))


def main():
    functions = [function("give", Code().listed("RET", 0, [V]), [V]),
                 function("fails", Code().listed("RAISE", 0, [k("word"), k("none")]).listed("RET", 0, [V]), [V])]
    methods = []
    forms = [(name + end, in_place(number, tensor, further, bool(end)))
             for name, number, tensor, further in IN_PLACE for end in ("", "_and_raise")]
    for name, code in METHODS + forms:
        methods.append({"name": name, "function": len(functions), "arguments": [{"name": "x", "type": T_ANY}], "result": T_ANY,
                        "schema": "%s(Any x)" % name})
        c = Code()
        code(c)
        functions.append(function(name, c.listed("RET", 0, [V]), [V]))
    program = {"version": 1, "features": ["instructions of 0.2.0"], "operators": OPERATORS, "types": types(), "constants": values(),
               "storages": [(0, 16, 0), (64, 16, 1), (128, 4, 1), (192, 8, 1)], "functions": functions, "methods": methods,
               "stack_registers": 64, "stack_frames": 4}
    files = {"states": tsm_file.write(program, bytes([1] * 64) + bytes(range(192))),
             "sums": with_room(200), "sums_of_two_pieces": with_room(65536 + 64), "sums_of_nothing": with_room(0),
             "sums_behind": with_room(200, sums=lambda segment: segment + 4), "sums_early": with_room(200, sums=lambda segment: segment - 28),
             "sums_hidden": with_room(200, sums=lambda segment: 0), "sums_without_segment": with_room(0, segment=lambda at: 0)}
    for name, data in files.items():
        with open(os.path.join(sys.argv[1], name + ".tsm"), "wb") as f:
            f.write(data)


if __name__ == "__main__":
    main()

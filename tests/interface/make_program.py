#!/usr/bin/env python3
"""Writes the programs of test_interface.c: interface.tsm with a method for each type, which takes a value of this type
and gives it back, constants of all kinds, which its test cases hold, and methods that do what needs memory, raise and
begin plans; state.tsm with an attribute of 1 MiB; zero_point.tsm with a zero point that its dtype has not.

  make_program.py FOLDER"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "verification"))
import tsm_file  # noqa: E402
from programs import *  # noqa: E402,F403
from schema import NONE  # noqa: E402

# The types, in order; a type that contains others names them.
TYPES = ["Any", "Int", "Float", "Number", "Tensor", "Ints", "SameInts", "Floats", "Longs", "Table", "Tuple", "Named", "OtherNamed", "Optional",
         "Union", "Class", "NoMethods", "Interface", "Enum", "OtherEnum", "Function"]
(T_ANY, T_INT, T_FLOAT, T_NUMBER, T_TENSOR, T_INTS, T_SAME, T_FLOATS, T_LONGS, T_TABLE, T_TUPLE, T_NAMED, T_OTHER_NAMED, T_OPTIONAL,
 T_UNION, T_CLASS, T_NO_METHODS, T_INTERFACE, T_ENUM, T_OTHER_ENUM, T_FUNCTION) = range(len(TYPES))
LEVELS = 31  # of list types behind those, the first of ints
# The constants, in order; test case 0 holds them all, in a tuple.
VALUES = ["none", "yes", "five", "half", "complex", "word", "empty_word", "cpu", "tensor", "changing", "per_tensor", "per_channel", "view", "ints",
          "same_ints", "floats", "longs", "untyped_ints", "untyped_words", "table", "untyped_table", "wrong_keys", "wrong_items", "pair",
          "short", "wrong_pair", "named", "other_named", "object", "bare", "member", "second", "other_member", "generator", "many", "trained"]
NUMBERS = {name: i for i, name in enumerate(VALUES)}
ALL = len(VALUES)  # the tuple
F_GIVE, F_FORKED, F_FAILING, F_EXIT, FIRST_METHOD = range(5)
NONE_TAG, BOOL_TAG, TENSOR_TAG = 0, 1, 7
WITHOUT_GRADIENTS = 1
GRANULES = 8  # of the sum of two tensors of 64 x 2 floats


def types():
    fields = {"field_names": ["a", "b"]}
    return [
        a_type("Any"), a_type("Int"), a_type("Float"), a_type("Number"), a_type("Tensor"), a_type("List", T_INT, text="List[int]"),
        a_type("List", T_INT, text="List[int]"), a_type("List", T_FLOAT, text="List[flt]"), a_type("List", T_INT, text="List[long]"),
        a_type("Dict", T_INT, T_FLOAT), a_type("Tuple", T_INT, T_FLOAT), a_type("NamedTuple", T_INT, T_FLOAT, name="__torch__.N", **fields),
        a_type("NamedTuple", T_INT, T_FLOAT, name="__torch__.M", **fields), a_type("Optional", T_INT), a_type("Union", T_INT, T_INTS),
        a_type("Class", T_INT, T_ANY, name="__torch__.C", methods=[{"name": 0, "function": F_GIVE}], **fields), a_type("Class"),
        a_type("Interface", name="__torch__.I"),
        a_type("Enum", name="__torch__.E", field_names=["A", "B"], members=[NUMBERS["five"], NUMBERS["half"]]),
        a_type("Enum", name="__torch__.TheE", field_names=["A"], members=[NUMBERS["word"]]), a_type("Function")] + [
            a_type("List", T_FUNCTION + i if i else T_INT) for i in range(LEVELS)]


def values():
    n = NUMBERS
    tensor = {"dtype": 6, "storage": 0, "offset": 0, "sizes": [64, 2], "strides": [2, 1]}
    small = dict(tensor, dtype=13, sizes=[2, 2])
    made = {
        "none": constant("None"), "yes": constant("Bool", integer=1), "five": constant("Int", integer=5), "half": constant("Float", number=0.5),
        "complex": constant("Complex", number=1.0, imaginary=-2.0), "word": constant("Str", text=list(b"word")), "empty_word": constant("Str"),
        "cpu": constant("Device", integer=0), "tensor": constant("Tensor", tensor=tensor),
        "trained": constant("Tensor", tensor=dict(tensor, requires_grad=True)), "changing": constant("Tensor", tensor=dict(tensor, storage=1)),
        "per_tensor": constant("Tensor", tensor=dict(small, quantizer_axis=-1, scales=[0.5], zero_points=[1])),
        "per_channel": constant("Tensor", tensor=dict(small, quantizer_axis=1, scales=[0.5, 0.25], zero_points=[0, 1])),
        "view": constant("Tensor", tensor=dict(tensor, storage=2, sizes=[0], strides=[1])),
        "ints": constant("List", items=[n["five"], n["five"]], type=T_INTS), "same_ints": constant("List", items=[n["five"]], type=T_SAME),
        "floats": constant("List", items=[n["half"]], type=T_FLOATS), "longs": constant("List", items=[n["five"]], type=T_LONGS),
        "untyped_ints": constant("List", items=[n["five"]]), "untyped_words": constant("List", items=[n["five"], n["word"]]),
        "table": constant("Dict", items=[n["five"], n["half"]], type=T_TABLE), "untyped_table": constant("Dict", items=[n["five"], n["half"]]),
        "wrong_keys": constant("Dict", items=[n["word"], n["half"]]), "wrong_items": constant("Dict", items=[n["five"], n["word"]]),
        "pair": constant("Tuple", items=[n["five"], n["half"]]), "short": constant("Tuple", items=[n["five"]]),
        "wrong_pair": constant("Tuple", items=[n["five"], n["word"]]), "named": constant("Tuple", items=[n["five"], n["half"]], type=T_NAMED),
        "other_named": constant("Tuple", items=[n["five"], n["half"]], type=T_OTHER_NAMED),
        "object": constant("Object", items=[n["five"], n["word"]], type=T_CLASS), "bare": constant("Object", type=T_NO_METHODS),
        "member": constant("Enum", integer=0, type=T_ENUM), "second": constant("Enum", integer=1, type=T_ENUM),
        "other_member": constant("Enum", integer=0, type=T_OTHER_ENUM), "generator": constant("Generator"),
        "many": constant("Dict", items=[n[k] for k in ("five", "half", "word", "half", "half", "half")])}
    return [made[name] for name in VALUES] + [constant("Tuple", items=list(range(ALL)))]


def k(name):
    return of_constant(NUMBERS[name])


def raising(c):
    return c.listed("RAISE", 0, [k("word"), k("none")])


def of_plan(c, plan, tensor):
    c.listed("GUARD", B, [tensor], [plan]).listed("OP", 0, [tensor, tensor, k("five")], [V])
    return c


# Methods of an argument, which is in V: (name, code up to RET, fields of the function)
METHODS = [
    ("fork", lambda c: c.listed("FORK", F_FORKED, [V], [V + 1])("WAIT", V, V + 1), {}),
    ("fork_fails", lambda c: c.listed("FORK", F_FAILING, [], [V]), {}),
    ("raise_in_with", raising, {"withs": [(1, 2, V, F_EXIT), (0, 0, V, F_EXIT), (0, 1, V, F_EXIT)]}),
    ("slice", lambda c: c.listed("TUPLE_CONSTRUCT", V, [V, V, V])("TUPLE_SLICE", V, V, c.list([0, 2])), {}),
    ("list", lambda c: c.listed("LIST_CONSTRUCT", V, [V] * 30, [T_INTS]), {}),
    ("append", lambda c: c.listed("LIST_CONSTRUCT", V + 1, [], [T_INTS])("LIST_APPEND", V + 1, V)("MOVE", V, V + 1), {}),
    ("dict", lambda c: c.listed("DICT_CONSTRUCT", V, [I, V] * 20, [T_TABLE]), {}),
    ("put", lambda c: c.listed("DICT_CONSTRUCT", V + 1, [], [T_TABLE])("DICT_SET", V + 1, I, V)("MOVE", V, V + 1), {}),
    ("missing_key", lambda c: c("DICT_GET", V, V, I), {}),
    ("object_of", lambda c: c.wide("CREATE_OBJECT", V + 1, T_CLASS)("SET_ATTR", V + 1, 1, V)("MOVE", V, V + 1), {}),
    ("named_tuple", lambda c: c("NAMED_TUPLE_CONSTRUCT", V, T_NAMED, c.list([I, V])), {}),
    ("print", lambda c: c.listed("PRINT", 0, [V, V]), {}),
    ("warn", lambda c: c.listed("WARN", 0, [k("word"), I]).listed("WARN", 0, [k("word"), I]), {}),
    ("sum", lambda c: c.listed("OP", 0, [V, V, k("five")], [V]), {}),
    ("scaled_sum", lambda c: c.listed("OP", 0, [k("tensor"), k("tensor"), V], [V]), {}),
    ("add_in_place", lambda c: c.listed("OP", 1, [V, k("tensor"), k("five")], [V]), {}),
    ("planned", lambda c: of_plan(c, 0, V), {}),
    ("planned_larger", lambda c: of_plan(c, 1, V), {}),
    ("planned_overlapping", lambda c: of_plan(c, 2, V).listed("OP", 0, [V, V, k("five")], [V + 1]), {}),
    ("planned_outside", lambda c: of_plan(c, 3, V), {}),
    ("planned_bool", lambda c: c.listed("GUARD", B, [V], [4])("MOVE", V, B), {}),
    ("planned_nothing", lambda c: c.listed("GUARD", B, [V], [5])("MOVE", V, B), {}),
    ("planned_none", lambda c: c.listed("GUARD", B, [V], [8])("MOVE", V, B), {}),
    ("planned_cut_off", lambda c: c.listed("GUARD", B, [V], [6])("MOVE", V, B), {}),
    ("planned_untrained", lambda c: c.listed("GUARD", B, [V], [9])("MOVE", V, B), {}),
    ("planned_early", lambda c: c.listed("OP", 0, [V, V, k("five")], [V + 1]).listed("GUARD", B, [V], [7]).listed(
        "OP", 0, [V, V, k("five")], [V + 1]).listed("OP", 0, [V, V, k("five")], [V]), {}),
    ("planned_twice", lambda c: of_plan(of_plan(c, 0, V), 0, V), {}),
    ("trace", raising, {}),
    ("trace_empty_range", raising, {}),
    ("trace_no_file", raising, {}),
    ("trace_behind", raising, {}),
    ("trace_no_call", raising, {}),
    ("trace_deep", raising, {}),
    ("trace_of_operator", lambda c: c.listed("OP", 0, [V, V, k("five")], [V]), {}),
    ("trace_of_nothing", lambda c: c.listed("OP", 0, [V, V, k("five")], [V]), {}),
]
# The calls that their first instructions belong to, rows of calls().
TRACES = {"trace": 1, "trace_empty_range": 2, "trace_no_file": 3, "trace_behind": 4, "trace_no_call": 99, "trace_deep": 45,
          "trace_of_operator": 1, "trace_of_nothing": 3}
TEXT = "first\nsecond\nthird line\nfourth\nlast"


def traces(functions):
    """Positions of the functions; places count their bytes in TEXT, which begins with line 7."""
    def place(start, length, line=7):
        return ("__torch__.place", TEXT, "f.py", line, start, length)
    places = [place(0, 5), place(13, 5), place(13, 0), place(0, 5, line=0), place(99, 5)]
    calls = [(0, 0), (1, 1), (2, 0), (3, 0), (4, 0)] + [(0, 1 if i else 0) for i in range(41)]
    return positions(places, calls, [[(0, TRACES[f["name"]])] if f["name"] in TRACES else [] for f in functions])


def plans():
    tensor = [TENSOR_TAG | 6 << 8 | 2 << 16, 64, 2]  # float32, two dimensions
    block = (0, GRANULES, 1)
    return [{"guards": tensor, "blocks": [block], "region": GRANULES, "most_live": 1, "buffer_bytes": 1000},
            {"guards": tensor, "blocks": [(GRANULES, GRANULES, 1)], "region": 2 * GRANULES, "most_live": 1},
            {"guards": tensor, "blocks": [block, (GRANULES - 1, GRANULES, 2)], "region": 2 * GRANULES, "most_live": 2},
            {"guards": tensor, "blocks": [(GRANULES + 1, GRANULES, 1)], "region": 2 * GRANULES, "most_live": 1},
            {"guards": [BOOL_TAG | 1 << 8], "region": 1, "most_live": 1},
            {"region": 1, "most_live": 1},
            {"guards": tensor[:2], "region": 1, "most_live": 1},
            {"guards": tensor, "blocks": [(0, 1, 1), (0, 1, 2), (0, GRANULES + 1, 3), (0, GRANULES, 3)], "region": GRANULES, "most_live": 1},
            {"guards": [NONE_TAG], "region": 1, "most_live": 1},
            {"guards": [tensor[0] | WITHOUT_GRADIENTS << 24, *tensor[1:]], "region": 1, "most_live": 1}]


def of_tensor(tensor, storage_bytes):
    """A program that only holds a tensor, and names many operators."""
    return tsm_file.write({"version": 1, "operators": ["aten::add.Tensor"] * 200, "constants": [constant("Tensor", tensor=tensor)], "storages": [(0, storage_bytes, 1)]},
                          bytes(storage_bytes))


def main():
    def method(name, number, a, result=T_ANY, **fields):
        return dict({"name": name, "function": number, "arguments": [a], "result": result, "schema": "%s(x)" % name}, **fields)

    give = lambda: Code().listed("RET", 0, [V])
    functions = [function("give", give(), [V]), function("forked", give(), [V]), function("failing", raising(Code())),
                 function("exit", give(), [V, V + 1, V + 2, V + 3])]
    methods = [method(name, F_GIVE, {"name": "x", "type": t}) for t, name in enumerate(TYPES)]
    for name, code, fields in METHODS:
        methods.append(method(name, len(functions), {"name": "x", "type": T_ANY}))
        c = Code()
        code(c)
        functions.append(function(name, c.listed("RET", 0, [V]), [V], **fields))
    methods.append(method("Deep", F_GIVE, {"name": "x", "type": T_FUNCTION + LEVELS}))
    methods[T_INT].update(arguments=[{"name": "x", "type": T_INT, "default_value": NUMBERS["five"]}], plan=0)
    methods.append({"name": "of_object", "function": F_GIVE, "self": NUMBERS["object"], "result": T_ANY, "schema": "of_object()"})
    program = {
        "version": 1, "features": ["instructions of 0.2.0"], "operators": ["aten::add.Tensor", "aten::add_.Tensor"], "types": types(),
        "constants": values(), "storages": [(0, 512, 0), (512, 512, 1), (1024, 0, 1)], "functions": functions, "methods": methods,
        "method_names": ["give"], "stack_registers": 128, "stack_frames": 4, "warnings": 1, "plans": plans(), **traces(functions),
        "bundle": [{"method": 0, "arguments": ALL, "expected": NUMBERS["five"]}, {"method": 1, "arguments": ALL}]}
    many = 2**20
    wrong = {"dtype": 12, "storage": 0, "sizes": [4], "strides": [1], "quantizer_axis": -1, "scales": [0.5], "zero_points": [1000]}
    files = {"interface": tsm_file.write(program, bytes(1024)),
             "state": of_tensor({"dtype": 0, "storage": 0, "sizes": [many], "strides": [1]}, many), "zero_point": of_tensor(wrong, 4)}
    for name, data in files.items():
        with open(os.path.join(sys.argv[1], name + ".tsm"), "wb") as f:
            f.write(data)


if __name__ == "__main__":
    main()

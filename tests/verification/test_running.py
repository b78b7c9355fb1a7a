#!/usr/bin/env python3
"""Programs that the verifier accepts though their values are others than the code takes, too many, or none: they end
with the error that belongs to it. Programs that jump, and that do much at once, stop for lack of fuel.

  test_running.py TSMRUN"""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from opener import run_file  # noqa: E402
from programs import *  # noqa: E402,F403
from schema import NONE  # noqa: E402

TSMRUN = sys.argv[1]
WRONG_TYPE = "a value is of another type than the file says"
NO_FUEL = "the limit on executed instructions was reached"
MANY = 100  # more than an instruction does without a charge

# Places in what follows; type 0 is Any.
AN_INT, INTS_LIST, INTS_DICT, A_CLASS, NO_METHODS, FLOATS_TUPLE = range(1, 7)
WORD, NO_VALUE, NUMBER, FIXED, FREE, SHORT, FIXED_LIST, WORDS, PAIR_OF, TABLE_OF, ROW, EXPANDED, FRACTION = range(13)
METHOD, OTHER_METHOD = range(2)
KINDS_OF_NUMBERS = (("I", I), ("F", F), ("B", B))
F_MAIN, F_VALUE, F_INT, F_FAILS, F_WIDE, F_METHOD = range(6)
OPS = ["aten::add.Tensor", "aten::add_.Tensor", "aten::insert.t", "aten::cat", "prim::TupleUnpack", "aten::dim",
       "aten::add.out", "aten::len.t", "aten::addmm_", "aten::sorted.any",
       "aten::hash.generic", "aten::copy_", "aten::save", "aten::pow.float", "aten::sqrt.float", "aten::slice.str", "aten::slice.t",
       "aten::add.str", "aten::eq.str"]
(ADD, ADD_IN_PLACE, INSERT, CAT, UNPACK, DIM, ADD_OUT, LEN, ADDMM_IN_PLACE, SORTED, HASH, COPY_IN_PLACE, SAVE, POW,
 SQRT, SLICE_STR, SLICE_LIST, ADD_STR, EQUAL_STRS) = range(19)


def tensor(storage, *sizes):
    strides = [1] * len(sizes)
    for d in range(len(sizes) - 2, -1, -1):
        strides[d] = strides[d + 1] * sizes[d + 1]
    return constant("Tensor", tensor={"dtype": 6, "storage": storage, "offset": 0, "sizes": list(sizes), "strides": strides})


def leaf(name, code, parameters=(), **fields):
    return function(name, code, parameters, **fields)


def program(code, result=V, **fields):
    types = [a_type("Int"), a_type("List", AN_INT), a_type("Dict", AN_INT, AN_INT),
             a_type("Class", 0, name="__torch__.C", field_names=["a"],
                    methods=[{"name": METHOD, "function": F_METHOD}] + [{"name": OTHER_METHOD, "function": F_INT}] * MANY),
             a_type("Class", name="__torch__.D"), a_type("Tuple", *[AN_INT] * MANY)]
    constants = [constant("Str", text=list(b"text")), constant("None"), constant("Int", integer=5), tensor(0, 2, 2), tensor(1, 2, 2),
                 tensor(1, 1), constant("List", items=[FIXED]), constant("List", items=[WORD]), constant("Tuple", items=[NUMBER]),
                 constant("Dict", items=[NUMBER, NUMBER]), tensor(1, 1, 2), tensor(1, 4), constant("Float", number=0.5)]
    constants[EXPANDED]["tensor"]["strides"] = [0]
    give = lambda: Code().listed("RET", 0, [V])
    functions = [leaf("value", give(), [V]), leaf("int", Code()("MOVE", V, I).listed("RET", 0, [V]), [I]),
                 leaf("fails", Code().listed("RAISE", 0, [of_constant(WORD), of_constant(NO_VALUE)])),
                 leaf("wide", give(), value_registers=200), leaf("method", give(), [V, V + 1])]
    fields = dict({"operators": OPS, "storages": [(0, 16, 0), (64, 16, 1)], "method_names": ["method", "other"], "stack_registers": 1024,
                   "warnings": 1, "features": ["instructions of 0.3.0"], "functions": functions}, **fields)
    return only(code, result, types, constants, bytes(128), **fields)


def start():
    """V: the int 7; V + 1: None; V + 2, V + 3: None. I: 7. B: False. F: 0."""
    return Code().wide("LOADI", I, 7)("MOVE", V, I)


def op(c, which, inputs, outputs):
    return c.listed("OP", which, inputs, outputs)


def a_tuple(c):
    return c.listed("TUPLE_CONSTRUCT", V, [I])


def an_object(c, kind_of=A_CLASS):
    return c.wide("CREATE_OBJECT", V, kind_of)


def a_list(c):
    return c.listed("LIST_CONSTRUCT", V, [I], [INTS_LIST])


def words_as(c, container):
    """A list or a tuple of a string, and the index 0."""
    more = [INTS_LIST] if container == "LIST" else []
    return c.listed(container + "_CONSTRUCT", V, [of_constant(WORD)], more).wide("LOADI", I, 0)


# The error, and the programs that end with it.
ERRORS = {
    WRONG_TYPE: {
        "the length of an int": lambda c: c("LIST_LEN", I, V),
        "the length of an int, whatever has one": lambda c: c("LEN", I, V),
        "an int that is compared as a string": lambda c: c.wide("LOADC", V + 1, WORD)("CMP_STR", I, V, V + 1),
        "a letter of an int": lambda c: c("STR_GET", V + 1, V, I),
        "a letter's number of an int": lambda c: c("STR_BYTE", I, V, I),
        "a string that is compared with an int": lambda c: c.wide("LOADC", V + 1, WORD)("CMP_STR", I, V + 1, V),
        "an item taken from an int": lambda c: c("LIST_POP", I, V, I),
        "an int item taken into a float register": lambda c: a_list(c).wide("LOADI", I, 0)("LIST_POP", F, V, I),
        "an item of an int": lambda c: c("LIST_GET", V + 1, V, I),
        "a scalar item of an int": lambda c: c("LIST_GET_S", I, V, I),
        "an item put into an int": lambda c: c("LIST_SET", V, I, V + 1),
        "an item appended to an int": lambda c: c("LIST_APPEND", V, V + 1),
        "the items of an int as of a list": lambda c: c.listed("LIST_UNPACK", V, [], [V + 1]),
        **{"an item of an int, for a %s" % what: lambda c, op=op, to=to: c(op, to, V, I)
           for op, to, what in (("LIST_GET_I", I, "int"), ("LIST_GET_F", F, "float"), ("LIST_GET_B", B, "bool"), ("LIST_PEEK", V + 1, "value"))},
        **{"a slot of an int, for a %s" % what: lambda c, op=op, to=to: c(op, to, V, 0)
           for op, to, what in (("GET_ATTR_I", I, "int"), ("GET_ATTR_F", F, "float"), ("GET_ATTR_B", B, "bool"), ("ATTR_PEEK", V + 1, "value"),
                                ("TUPLE_GET_I", I, "tuple's int"), ("TUPLE_GET_F", F, "tuple's float"), ("TUPLE_GET_B", B, "tuple's bool"))},
        **{"%s into an int" % op: lambda c, op=op, r=r: c(op, V, I, r) for op, r in (("LIST_SET_I", I), ("LIST_SET_F", F), ("LIST_SET_B", B))},
        **{"%s into an int" % op: lambda c, op=op, r=r: c(op, V, 0, r) for op, r in (("SET_ATTR_I", I), ("SET_ATTR_F", F), ("SET_ATTR_B", B))},
        **{"an item of a tuple that has none, by TUPLE_GET_%s" % kind: lambda c, kind=kind, r=r: a_tuple(c)("TUPLE_GET_" + kind, r, V, 1)
           for kind, r in KINDS_OF_NUMBERS},
        **{"a string of a tuple by TUPLE_GET_%s" % kind: lambda c, kind=kind, r=r: words_as(c, "TUPLE")("TUPLE_GET_" + kind, r, V, 0)
           for kind, r in KINDS_OF_NUMBERS},
        **{"a string of a list by LIST_GET_%s" % kind: lambda c, kind=kind, r=r: words_as(c, "LIST")("LIST_GET_" + kind, r, V, I)
           for kind, r in KINDS_OF_NUMBERS},
        **{"None in a slot by GET_ATTR_%s" % kind: lambda c, kind=kind, r=r: an_object(c)("GET_ATTR_" + kind, r, V, 0)
           for kind, r in KINDS_OF_NUMBERS},
        **{"a slot of an object that has none, by GET_ATTR_%s" % kind: lambda c, kind=kind, r=r: an_object(c, NO_METHODS)("GET_ATTR_" + kind, r, V, 0)
           for kind, r in KINDS_OF_NUMBERS},
        **{"a slot of an object that has none, by SET_ATTR_%s" % kind: lambda c, kind=kind, r=r: an_object(c, NO_METHODS)("SET_ATTR_" + kind, V, 0, r)
           for kind, r in KINDS_OF_NUMBERS},
        "an object's slot behind a peek at an int": lambda c: c("ATTR_PEEK", V + 1, V, 0),
        "a dict's item of an int, or none": lambda c: c("DICT_GET_OR", V + 1, V, I),
        "a dict's scalar of an int, or none": lambda c: c("DICT_GET_OR_S", I, V, I),
        "an int item by LIST_GET_F": lambda c: a_list(c).wide("LOADI", I, 0)("LIST_GET_F", F, V, I),
        "an int item by LIST_GET_B": lambda c: a_list(c).wide("LOADI", I, 0)("LIST_GET_B", B, V, I),
        "an int of a tuple by TUPLE_GET_F": lambda c: a_tuple(c)("TUPLE_GET_F", F, V, 0),
        "an int behind a tuple by TUPLE_GET_I": lambda c: a_tuple(c)("TUPLE_GET_I", I, V, 1),
        "a slot without an int by GET_ATTR_I": lambda c: an_object(c)("GET_ATTR_I", I, V, 0),
        "a key of an int by DICT_PEEK": lambda c: c("DICT_PEEK", V + 1, V, I),
        "a float item in an int register": lambda c: a_list(c).wide("LOADI", I, 0)("LIST_GET_S", F, V, I),
        "two int items in float registers": lambda c: c.listed("LIST_CONSTRUCT", V, [I, I], [INTS_LIST]).listed("LIST_UNPACK", V, [], [F, F]),
        "an int item in a float register": lambda c: a_list(c).listed("LIST_UNPACK", V, [], [F]),
        "a tuple's item of an int": lambda c: c("TUPLE_GET", V + 1, V, 0),
        "a scalar item of an int as of a tuple": lambda c: c("TUPLE_GET_S", I, V, 0),
        "an item behind a tuple": lambda c: a_tuple(c)("TUPLE_GET", V + 1, V, 1),
        "a scalar item behind a tuple": lambda c: a_tuple(c)("TUPLE_GET_S", I, V, 1),
        "an item of an int by a number": lambda c: c("TUPLE_INDEX", V + 1, V, I),
        "the items of an int as of a tuple": lambda c: c.listed("TUPLE_UNPACK", V, [], [V + 1]),
        "a slice of an int": lambda c: c("TUPLE_SLICE", V, V, c.list([0, 1])),
        "a slice that ends before it begins": lambda c: a_tuple(c)("TUPLE_SLICE", V, V, c.list([1, 0])),
        "a slice behind a tuple": lambda c: a_tuple(c)("TUPLE_SLICE", V, V, c.list([0, 2])),
        "a key of an int": lambda c: c("DICT_GET", V + 1, V, I),
        "a key of an int, for a scalar": lambda c: c("DICT_GET_S", I, V, I),
        "a key of an int, or else": lambda c: c("DICT_GET_OR", V + 1, V, I),
        "a key of an int, or else a scalar": lambda c: c("DICT_GET_OR_S", I, V, I),
        "a key set in an int": lambda c: c("DICT_SET", V, I, I),
        "a key asked of an int": lambda c: c("DICT_HAS", B, V, I),
        "an attribute of an int": lambda c: c("GET_ATTR", V + 1, V, 0),
        "a scalar attribute of an int": lambda c: c("GET_ATTR_S", I, V, 0),
        "an attribute set in an int": lambda c: c("SET_ATTR", V, 0, I),
        "an attribute that the class has not": lambda c: an_object(c)("GET_ATTR", V + 1, V, 1),
        "a scalar attribute that is None": lambda c: an_object(c)("GET_ATTR_S", I, V, 0),
        "None as an int": lambda c: c("MOVE_S", I, V + 1),
        "the result of an int": lambda c: c("WAIT", V + 1, V),
        "an exception whose text is an int": lambda c: c.listed("RAISE", 0, [V, of_constant(NO_VALUE)]),
        "an exception whose class is an int": lambda c: c.listed("RAISE", 0, [of_constant(WORD), V]),
        "a warning that is an int": lambda c: c.listed("WARN", 0, [V, V]),
        "an argument of another type": lambda c: c.listed("CALL", F_INT, [V + 1], [V]),
        "an argument of another type, forked": lambda c: c.listed("FORK", F_INT, [V + 1], [V]),
        "a result of another type": lambda c: c.listed("CALL", F_VALUE, [V], [F]),
        "an operator's result of another type": lambda c: op(c, DIM, [of_constant(FIXED)], [F]),
        "two results of another type": lambda c: op(a_tuple(c("ADD_I", I, I, I)).listed("TUPLE_CONSTRUCT", V, [V, V]), UNPACK, [V],
                                                     [F, F]),
    },
    "an object has no method": {
        "a method of an int": lambda c: c.listed("INTERFACE_CALL", METHOD, [V], [V]),
        "a method of an object without methods": lambda c: an_object(c, NO_METHODS).listed("INTERFACE_CALL", METHOD, [V], [V]),
    },
    "a call has a wrong number of arguments": {
        "a method with too few arguments": lambda c: an_object(c).listed("INTERFACE_CALL", METHOD, [V], [V]),
    },
    "input 0 of aten::add.Tensor is of another type than the operator takes": {
        "a list for a tensor": lambda c: op(c, ADD, [of_constant(WORDS), of_constant(FIXED), of_constant(NUMBER)], [V]),
        "an int for a tensor": lambda c: op(c, ADD, [V, of_constant(FIXED), of_constant(NUMBER)], [V]),
    },
    "input 0 of aten::cat is of another type than the operator takes": {
        "a list of str for a list of tensors": lambda c: op(c, CAT, [of_constant(WORDS), of_constant(NUMBER)], [V]),
        "an int for a list": lambda c: op(c, CAT, [V, of_constant(NUMBER)], [V]),
    },
    "aten::add_.Tensor writes to a constant": {
        "an addition to a constant": lambda c: op(c, ADD_IN_PLACE, [of_constant(FIXED), of_constant(FIXED), of_constant(NUMBER)], [V]),
    },
    "has another shape than its destination": {
        "a sum that is larger than its destination":
            lambda c: op(c, ADDMM_IN_PLACE, [of_constant(ROW)] + [of_constant(FIXED)] * 2 + [of_constant(NUMBER)] * 2, [V]),
    },
    "more than one element of the written-to tensor refers to a single memory location": {
        "a copy to one element four times":
            lambda c: op(c, COPY_IN_PLACE, [of_constant(EXPANDED), of_constant(SHORT), B], [V]),
    },
    "integer modulo by zero": {"the rest of a division by 0": lambda c: c("REM_I", I, I, I + 1)},
    "division by 0": {"a division by 0": lambda c: c("FLOORDIV_I", I, I, I + 1)},
    "list index out of range": {
        "an item behind a list": lambda c: a_list(c)("LIST_GET", V, V, I),
        "a scalar item behind a list": lambda c: a_list(c)("LIST_GET_S", I, V, I),
        "an item taken from behind a list": lambda c: a_list(c)("LIST_POP", I, V, I),
        **{"an item behind a list by LIST_GET_%s" % kind: lambda c, kind=kind, r=r: a_list(c)("LIST_GET_" + kind, r, V, I)
           for kind, r in KINDS_OF_NUMBERS},
        **{"an item put behind a list by LIST_SET_%s" % kind: lambda c, kind=kind, r=r: a_list(c)("LIST_SET_" + kind, V, I, r)
           for kind, r in KINDS_OF_NUMBERS},
        "a list behind a list": lambda c: a_list(c)("LIST_PEEK", V + 1, V, I),
        "an item put behind a list": lambda c: a_list(c)("LIST_SET", V, I, I),
    },
    "basic_string::at: __n (which is 7) >= this->size()": {
        "a letter behind a string": lambda c: c.wide("LOADC", V, WORD)("STR_GET", V, V, I),
        "a letter's number behind a string": lambda c: c.wide("LOADC", V, WORD)("STR_BYTE", I, V, I),
    },
    "pop from empty list": {
        "an item taken from an empty list": lambda c: c.listed("LIST_CONSTRUCT", V, [], [INTS_LIST])("LIST_POP", V, V, I),
    },
    "Tuple list index out of range": {"an item behind a tuple": lambda c: a_tuple(c)("TUPLE_INDEX", V, V, I)},
    "Expected 2 elements in a list but found 1": {"two items of a list of one": lambda c: a_list(c).listed("LIST_UNPACK", V, [], [I, I])},
    "KeyError: 7": {
        "a key that is not there": lambda c: c.listed("DICT_CONSTRUCT", V, [], [INTS_DICT])("DICT_GET", V, V, I),
        "a key that is not there, for a scalar": lambda c: c.listed("DICT_CONSTRUCT", V, [], [INTS_DICT])("DICT_GET_S", I, V, I),
    },
    "Unwrapping null optional": {"None that should be something": lambda c: c("UNWRAP", V, V + 1)},
}

# Jumps, with what makes them jump and what makes them stay: int registers I and I + 1, float registers, B, V.
TWO_INTS = {"JEQ_I": ((1, 1), (1, 2)), "JNE_I": ((1, 2), (1, 1)), "JLT_I": ((1, 2), (2, 2)), "JLE_I": ((2, 2), (3, 2))}
LITERAL = {"JEQK_I": (5, 4), "JNEK_I": (4, 5), "JLTK_I": (4, 5), "JGEK_I": (5, 4)}
FLOATS = {"JLT_F": ((1, 2), (2, 2)), "JNLT_F": ((2, 2), (1, 2))}


def jumps():
    """(name, code up to the jump, the jump to a distance, whether it jumps)"""
    for name, cases in TWO_INTS.items():
        for values, jumps_ in zip(cases, (True, False)):
            yield name, Code().wide("LOADI", I, values[0]).wide("LOADI", I + 1, values[1]), (lambda c, to, n=name: c(n, I, I + 1, to)), jumps_
    for name, cases in LITERAL.items():
        for value, jumps_ in zip(cases, (True, False)):
            yield name, Code().wide("LOADI", I, value), (lambda c, to, n=name: c(n, I, 5, to)), jumps_
    for name, cases in FLOATS.items():
        for values, jumps_ in zip(cases, (True, False)):
            code = Code().wide("LOADI", I, values[0])("I2F", F, I).wide("LOADI", I, values[1])("I2F", F + 1, I)
            yield name, code, (lambda c, to, n=name: c(n, F, F + 1, to)), jumps_
    for name, value in (("JT", 1), ("JF", 0)):
        for jumps_ in (True, False):
            yield name, Code()("LOADB", B, value if jumps_ else 1 - value), (lambda c, to, n=name: c.wide(n, B, to)), jumps_
    for name, value in (("JNONE", False), ("JNOTNONE", True)):
        for jumps_ in (True, False):
            code = Code()("MOVE", V, I) if value == jumps_ else Code()
            yield name, code, (lambda c, to, n=name: c.wide(n, V, to)), jumps_


def again(c, before, turns=40):
    """Code, as often as that."""
    c.wide("LOADI", I, 0).wide("LOADI", I + 1, turns)
    at = len(c.code)
    before(c)
    return c("LOOP", I, I + 1, at - len(c.code) - 1)


# What does much at once, in a loop that executes fewer than 1,000 instructions.
MUCH = {
    "a long list": lambda c: c.listed("LIST_CONSTRUCT", V, [I] * MANY, [INTS_LIST]),
    "a long tuple": lambda c: c.listed("TUPLE_CONSTRUCT", V, [I] * MANY),
    "a long dict": lambda c: c.listed("DICT_CONSTRUCT", V, [I] * MANY, [INTS_DICT]),
    "the items of a list": lambda c: c.listed("LIST_CONSTRUCT", V, [I] * MANY, [INTS_LIST]).listed("LIST_UNPACK", V, [], [V + 1] * MANY),
    "items taken out of a long list":
        lambda c: c.listed("LIST_CONSTRUCT", V, [I] * MANY, [INTS_LIST]).wide("LOADI", I + 2, 0)("LIST_POP", V + 1, V, I + 2),
    "a long slice": lambda c: c.listed("TUPLE_CONSTRUCT", V, [I] * MANY)("TUPLE_SLICE", V, V, c.list([0, MANY])),
    "a long text": lambda c: c.listed("PRINT", 0, [of_constant(WORD)] * MANY),
    "elements that are printed": lambda c: c.listed("PRINT", 0, [of_constant(FIXED)] * MANY),
    "many guards": lambda c: c.listed("GUARD", B, [of_constant(NUMBER)] * MANY, [0]),
    "a call of many registers": lambda c: c.listed("CALL", F_WIDE, [], [V]),
    "a class of many methods": lambda c: c.wide("CREATE_OBJECT", V, A_CLASS).listed("INTERFACE_CALL", METHOD, [V, I], [V]),
    "a value of many parts": lambda c: c.listed("TUPLE_CONSTRUCT", V, [I] * MANY)("ISINSTANCE", B, V, c.list([FLOATS_TUPLE])),
    "a sum": lambda c: op(c, ADD, [of_constant(FIXED)] * 2 + [of_constant(NUMBER)], [V]),
}


class Running(unittest.TestCase):
    def ends(self, name, file, error, *options):
        status, _, errors = run_file(TSMRUN, file, *options)
        self.assertNotEqual(status, 0, name)
        self.assertIn(error, errors, name)

    def test_errors(self):
        for error, cases in ERRORS.items():
            for name, steps in cases.items():
                code = start()
                steps(code)
                self.ends(name, program(code), error)

    def test_arguments(self):
        """A method whose function takes what its schema does not say."""
        def of_default(value):
            arguments = [{"name": "x", "type": 0, "default_value": value}]
            methods = [{"name": "f", "function": F_INT, "result": 0, "schema": "f(Any x)", "arguments": arguments}]
            return program(Code(), methods=methods)
        self.assertEqual(run_file(TSMRUN, of_default(NUMBER))[:2], (0, "5\n"))
        self.ends("a str for an int", of_default(WORD), WRONG_TYPE)

    def test_two_arguments(self):
        """The first is of another type than the function takes."""
        arguments = [{"name": "x", "type": 0, "default_value": WORD}, {"name": "y", "type": 0, "default_value": NUMBER}]
        methods = [{"name": "f", "function": 0, "result": 0, "schema": "f(Any x, Any y)", "arguments": arguments}]
        self.ends("a str for an int", program(Code(), methods=methods, main={"parameters": [I, V]}), WRONG_TYPE)

    def test_described_tensors(self):
        """Sizes that are more or fewer than the rank says are not told."""
        def described(**info):
            arguments = [{"name": "x", "type": 0}]
            methods = [{"name": "f", "function": F_VALUE, "result": 0, "schema": "f(Any x)", "arguments": arguments,
                        "inputs": [dict({"dtype": 6}, **info)]}]
            return run_file(TSMRUN, program(Code(), methods=methods), "--info")[1]
        self.assertIn("float32[2, ?]", described(rank=2, sizes=[2, -1]))
        for info in ({"rank": 2, "sizes": [2]}, {"rank": 1, "sizes": [2, 3]}, {"rank": 2}, {"sizes": [2]}):
            said = described(**info)
            self.assertIn("float32", said, info)
            self.assertNotIn("[", said, info)

    def test_results(self):
        """What is right gives its result."""
        least = constant("Int", integer=-2**63)
        for name, a, b, wanted in (("FLOORDIV_I", 7, -1, -7), ("REM_I", 7, -1, 0), ("FLOORDIV_I", -7, 2, -4), ("REM_I", -7, 2, 1),
                                   ("FLOORDIV_I", 7, -2, -4), ("REM_I", 7, -2, -1), ("REM_I", 6, -2, 0), ("FLOORDIV_I", 6, -2, -3),
                                   ("SHL_I", 3, 65, 6), ("SHR_I", -8, 1, -4), ("SHR_I", -8, 63, -1)):
            code = Code().wide("LOADI", I, a).wide("LOADI", I + 1, b)(name, I, I, I + 1)("MOVE", V, I)
            self.assertEqual(run_file(TSMRUN, program(code))[1], "%d\n" % wanted, name)
        code = a_list(Code().wide("LOADI", I, 7)).wide("LOADI", I, -1)("LIST_POP", I, V, I)("LEN", I + 1, V)
        code("ADDK_I", I, I, 10)("ADD_I", I, I, I + 1)("MOVE", V, I)
        self.assertEqual(run_file(TSMRUN, program(code))[1], "17\n")
        for get, put, r, wanted in (("LIST_GET_I", "LIST_SET_I", I, "9"), ("LIST_GET_B", "LIST_SET_B", B, "True")):
            code = a_list(Code().wide("LOADI", I, 7)).wide("LOADI", I + 1, 0).wide("LOADI", I, 9)("LOADB", B, 1, 0)
            code(put, V, I + 1, r)("LOADB", B, 0, 0).wide("LOADI", I, 0)(get, r, V, I + 1)("MOVE", V, r)
            self.assertEqual(run_file(TSMRUN, program(code))[1], wanted + "\n", put)
        code = Code().wide("LOADC", V, WORD)("CMP_STR", I, V, V)("LEN", I + 1, V)("ADD_I", I, I, I + 1)("MOVE", V, I)
        self.assertEqual(run_file(TSMRUN, program(code))[1], "4\n")
        code = Code().wide("LOADC_S", I, 0).wide("LOADI", I + 1, -1)("FLOORDIV_I", I, I, I + 1)
        self.assertEqual(run_file(TSMRUN, only(code, I, (), [least]))[1], "%d\n" % -2**63)
        code = op(start(), CAT, [of_constant(FIXED_LIST), of_constant(NUMBER)], [V])
        self.ends("a dimension that is none", program(code), "Dimension out of range")
        code = op(start(), ADDMM_IN_PLACE, [of_constant(FREE)] + [of_constant(FIXED)] * 2 + [of_constant(NUMBER)] * 2, [V])
        self.assertIn("float32[2, 2]", run_file(TSMRUN, program(code))[1])

    def gives(self, wanted, code):
        status, said, errors = run_file(TSMRUN, program(code))
        self.assertEqual((status, said), (0, wanted + "\n"), errors)

    def test_kinds_of_numbers(self):
        """Forms for one kind of number: in what holds that kind, and stores into what holds another."""
        def of(c):
            return c.wide("LOADI", I, 0).wide("LOADI", I + 1, 9).wide("LOADC_S", F, FRACTION)("LOADB", B, 1)
        for kind, r, shown in (("I", I + 1, "9"), ("F", F, "0.5"), ("B", B, "True")):
            for before in ([r], [of_constant(WORD)]):
                code = of(Code()).listed("LIST_CONSTRUCT", V, before, [INTS_LIST])("LIST_SET_" + kind, V, I, r)("LIST_GET", V, V, I)
                self.gives(shown, code)
            code = of(Code()).wide("CREATE_OBJECT", V, A_CLASS)
            code("SET_ATTR_" + kind, V, 0, r)("SET_ATTR_" + kind, V, 0, r)("GET_ATTR", V, V, 0)
            self.gives(shown, code)
            for how, c in (("LIST_GET_", of(Code()).listed("LIST_CONSTRUCT", V, [r], [INTS_LIST])),
                           ("TUPLE_GET_", of(Code()).listed("TUPLE_CONSTRUCT", V, [r])),
                           ("GET_ATTR_", of(Code()).wide("CREATE_OBJECT", V, A_CLASS)("SET_ATTR", V, 0, r))):
                c("LOADB", B, 0) if kind == "B" else c.wide("LOADI", r, 0) if kind == "I" else c("SUB_F", F, F, F)
                self.gives(shown, c(how + kind, r, V, I if how == "LIST_GET_" else 0)("MOVE", V, r))

    def test_items_of_tuples(self):
        """A tuple's items put into registers that are free and that are not, many of them, and of other types."""
        self.gives("7", a_tuple(start()).listed("TUPLE_UNPACK", V, [], [V]))
        self.gives("7", start().listed("TUPLE_CONSTRUCT", V, [I] * MANY).listed("TUPLE_UNPACK", V, [], [V + 1] * MANY)("MOVE", V, V + 1))
        self.ends("too few items", program(a_tuple(start()).listed("TUPLE_UNPACK", V, [], [I, I])), "Expected 2 elements in a list but found 1")
        self.ends("an int for a float", program(a_tuple(start()).listed("TUPLE_UNPACK", V, [], [F])), WRONG_TYPE)

    def test_fetches_that_are_not_done_in_place(self):
        """What is fetched from a container is used at once, but is used again, or is another register's."""
        def within(c):  # V: a list of what V held; V + 1: that; I: 0; I + 1: 9
            return c("MOVE", V + 1, V).listed("LIST_CONSTRUCT", V, [V], [INTS_LIST]).wide("LOADI", I, 0).wide("LOADI", I + 1, 9)("LIST_PEEK", V + 2, V, I)
        apart = lambda *to: within(a_tuple(start())).listed("TUPLE_UNPACK", V + 2, [], list(to))
        self.gives("7", apart(I + 1)("DROP", V + 2)("MOVE", V, I + 1))
        self.gives("7", apart(I + 1)("MOVE", V, I + 1))
        self.gives("7", within(a_tuple(start())).listed("TUPLE_UNPACK", V + 1, [], [I + 1])("DROP", V + 2)("MOVE", V, I + 1))
        self.ends("too few items", program(apart(I, I)("DROP", V + 2)), "Expected 2 elements in a list but found 1")
        self.gives("[9]", within(a_list(start()))("LIST_SET_I", V + 2, I, I + 1)("MOVE", V, V + 2))
        whole = lambda: within(an_object(start())("SET_ATTR", V, 0, I))
        self.gives("7", whole()("GET_ATTR_I", I + 1, V + 2, 0)("MOVE", V, I + 1))
        self.gives("9", whole()("SET_ATTR_I", V + 2, 0, I + 1)("GET_ATTR", V, V + 1, 0))
        table = start().listed("DICT_CONSTRUCT", V, [I, I], [INTS_DICT]).wide("LOADC", V + 3, WORD)
        self.gives("{7: 7, 0: 'text'}", within(table)("DICT_SET", V + 2, I, V + 3)("DROP", V + 2)("MOVE", V, V + 1))

    def test_numbers_in_registers(self):
        """Operators that have a kernel for numbers in registers, where these are there and where not."""
        def of(c=None):
            return (c or Code()).wide("LOADI", I, 9).wide("LOADC_S", F, FRACTION)("MOVE", V, I)("LOADB", B, 1)
        constants = [of_constant(NUMBER), of_constant(FRACTION)]
        for inputs, shown in (([I, F], "3"), ([V, F], "3"), ([I, constants[1]], "3"), (constants, "2.2360679774997898"), ([V, constants[1]], "3"),
                              ([F, I], "0.001953125"), ([F, constants[0]], "0.03125"), ([F, V], "0.001953125")):
            for to in (F + 1, V + 1):
                self.gives(shown, op(of(), POW, inputs, [to])("MOVE", V, to))
                code = program(op(of(), POW, inputs, [to])("MOVE", V, to))
                for option in (["--fuel", "1000"], ["--profile"]):
                    self.assertIn(shown, run_file(TSMRUN, code, *option)[1])
        for inputs in ([I], [V], [F]):
            self.gives("3" if inputs != [F] else "0.70710678118654757", op(of(), SQRT, inputs, [F])("MOVE", V, F))
        for to in (I, B):
            self.ends("a float in another register", program(op(of(), POW, [I, F], [to])), WRONG_TYPE)
        for place, inputs in ((0, [B, F]), (1, [F, B]), (0, [of_constant(WORD), F]), (1, [F, V + 1]), (1, [F, of_constant(NO_VALUE)])):
            self.ends("no number", program(op(of(), POW, inputs, [F])),
                      "input %d of aten::pow.float is of another type than the operator takes" % place)
        self.ends("zero", program(op(of()("SUB_F", F, F, F).wide("LOADI", I, -1), POW, [F, I], [F])), "0.0 cannot be raised to a negative power")

    def test_short_ways(self):
        """Operators that have a kernel for ordinary cases, in these and in others."""
        bounds = lambda first, behind: Code().wide("LOADI", I, first).wide("LOADI", I + 1, behind).wide("LOADI", I + 2, 1).wide("LOADC", V, WORD)
        three, word, none, some = [I, I + 1, I + 2], of_constant(WORD), of_constant(NO_VALUE), of_constant(NUMBER)
        everywhere = ([], ["--fuel", "1000"], ["--profile"])
        for wanted, first, behind in (("ex", 1, 3), ("ex", -3, -1), ("", 3, 1), ("text", -9, 9), ("", 9, 12)):
            for text in (word, V, V | LAST_USE):
                for to in (V, V + 1):
                    code = program(op(bounds(first, behind), SLICE_STR, [text] + three, [to])("MOVE", V, to))
                    for options in everywhere:
                        self.assertEqual(run_file(TSMRUN, code, *options)[1].split("\n")[0], "'%s'" % wanted)
        for wanted, inputs in (("'text'", [word, none, none, I + 2]), ("'ext'", [word, I, none, I + 2]), ("'tx'", [word, none, none, I + 1])):
            self.gives(wanted, op(bounds(1, 2), SLICE_STR, inputs, [V]))
        self.gives("'texttext'", op(bounds(1, 2), ADD_STR, [V, word], [V]))
        self.gives("'texttext'", op(bounds(1, 2), ADD_STR, [V | LAST_USE, word], [V + 1])("MOVE", V, V + 1))
        numbers = bounds(1, 3).listed("LIST_CONSTRUCT", V, three, [INTS_LIST])
        self.gives("[3, 1]", op(numbers, SLICE_LIST, [V | LAST_USE] + three, [V]))
        for which, place, inputs in ((SLICE_STR, 0, [some] + three), (SLICE_STR, 1, [word, word, I, I]), (SLICE_STR, 2, [word, I, F, I]),
                                     (SLICE_STR, 3, [word, I, I, none]), (SLICE_LIST, 0, [word] + three), (ADD_STR, 0, [I, word]),
                                     (ADD_STR, 1, [word, V + 1])):
            self.ends("an input of another type", program(op(bounds(0, 1), which, inputs, [V])),
                      "input %d of %s is of another type than the operator takes" % (place, OPS[which]))
        for to in (I, F, B):
            self.ends("a string in a number's register", program(op(bounds(0, 1), SLICE_STR, [word] + three, [to])), WRONG_TYPE)
        self.ends("a step of nothing", program(op(bounds(0, 1), SLICE_STR, [word, I, I, I], [V])), "List slice should have non-zero step")
        self.ends("no room", program(op(again(bounds(0, 4), lambda c: op(c, ADD_STR, [V, V], [V]), 20), ADD_STR, [V, V], [V])),
                  "more bytes are needed", "--arena", "1M")

    def gives_in_steps(self, wanted, code, count):
        """The same answer with just enough fuel: what is done at once counts as the instructions that it is."""
        file = program(code)
        self.assertEqual(run_file(TSMRUN, file)[:2], (0, wanted + "\n"))
        self.assertEqual(run_file(TSMRUN, file, "--fuel", str(count))[:2], (0, wanted + "\n"))
        self.ends("too little fuel", file, NO_FUEL, "--fuel", str(count - 1))

    def test_additions_in_dicts(self):
        """d[k] += n with the place found once, and what looks like it but is not."""
        def table(more=()):  # V: {7: 7}; I: 7; I + 1: 0; F: 0.5; I + 2: 0
            return Code().wide("LOADI", I, 7).wide("LOADC_S", F, FRACTION).listed("DICT_CONSTRUCT", V, [I, I] + list(more), [INTS_DICT])
        for get in ("DICT_GET_S", "DICT_GET_OR_S"):
            for how, wanted in ((("ADDK_I", I + 1, I + 1, 5), "{7: 12}"), (("ADDK_I", I + 2, I + 1, -8), "{7: -1}"),
                                (("ADD_I", I + 1, I + 1, I), "{7: 14}"), (("ADD_I", I + 1, I, I + 1), "{7: 14}"),
                                (("MUL_I", I + 1, I, I + 1), "{7: 49}")):
                self.gives_in_steps(wanted, table()(get, I + 1, V, I)(*how)("DICT_SET", V, I, how[1]), 7)
            floats = lambda: Code().wide("LOADI", I, 7).wide("LOADC_S", F, FRACTION).listed("DICT_CONSTRUCT", V, [I, F], [INTS_DICT])
            self.gives_in_steps("{7: 1}", floats()(get, F + 1, V, I)("ADD_F", F + 1, F + 1, F)("DICT_SET", V, I, F + 1), 7)
            # The number or the sum goes into the key's register, the sum to another key, or another number is stored.
            self.gives_in_steps("{9: 9, 7: 7}", Code().wide("LOADI", I, 9).wide("LOADI", I + 1, 7).listed(
                "DICT_CONSTRUCT", V, [I, I, I + 1, I + 1], [INTS_DICT])("MOVE_S", I + 2, I)(get, I, V, I)("ADDK_I", I + 1, I, 0)(
                    "DICT_SET", V, I, I + 1), 8)
            self.gives("{7: 9, 9: 14}", table()("ADDK_I", I + 1, I, 2)("DICT_SET", V, I, I + 1)(get, I, V, I)("ADDK_I", I + 1, I, 5)(
                "DICT_SET", V, I, I + 1))
            self.gives("{7: 7, 12: 12}", table()(get, I + 1, V, I)("ADDK_I", I, I + 1, 5)("DICT_SET", V, I, I))
            self.gives("{7: 7, 0: 12}", table()(get, I + 1, V, I)("ADDK_I", I + 1, I + 1, 5)("DICT_SET", V, I + 2, I + 1))
            self.gives("{7: 0}", table()(get, I + 1, V, I)("ADDK_I", I + 1, I + 1, 5)("DICT_SET", V, I, I + 2))
            self.gives("{7: 7}", table()("MOVE", V + 1, V).listed("DICT_CONSTRUCT", V + 1, [I, I], [INTS_DICT])(get, I + 1, V, I)(
                "ADDK_I", I + 1, I + 1, 5)("DICT_SET", V + 1, I, I + 1))
            self.gives("{7: 0.5}", table()(get, I + 1, V, I)("ADD_F", F, F, F + 1)("DICT_SET", V, I, F))
            self.gives("12", table()(get, I + 1, V, I)("ADDK_I", I + 1, I + 1, 5)("MOVE", V, I + 1))
            self.ends("a float", program(floats()(get, I + 1, V, I)("ADDK_I", I + 1, I + 1, 5)("DICT_SET", V, I, I + 1)), WRONG_TYPE)
        words = Code().wide("LOADI", I, 7).wide("LOADC", V + 1, WORD).listed("DICT_CONSTRUCT", V, [V + 1, I], [INTS_DICT])
        self.gives("{'text': 8}", words("DICT_GET_S", I + 1, V, V + 1)("ADDK_I", I + 1, I + 1, 1)("DICT_SET", V, V + 1, I + 1))
        self.ends("no such key", program(table()("DICT_GET_S", I + 1, V, I + 2)("ADDK_I", I + 1, I + 1, 5)("DICT_SET", V, I + 2, I + 1)),
                  "KeyError: 0")

    def test_found_keys(self):
        """`k in d`, a jump by the answer, and the fetch of d[k], or of something else."""
        def table(key=7):  # V: {7: 7}; I: the key
            return Code().wide("LOADI", I + 2, 7).listed("DICT_CONSTRUCT", V, [I + 2, I + 2], [INTS_DICT]).wide("LOADI", I, key)
        for get, to in (("DICT_GET_S", I + 1), ("DICT_GET", V + 2), ("DICT_PEEK", V + 2)):
            self.gives_in_steps("7", table()("DICT_HAS", B, V, I).wide("JF", B, 1)(get, to, V, I)("MOVE", V, to), 8)
            self.gives_in_steps("8", table(8)("DICT_HAS", B, V, I).wide("JF", B, 2)(get, to, V, I)("MOVE", V, to)("MOVE", V, I), 7)
            for distance in (0, 2):
                code = table()("DICT_HAS", B, V, I).wide("JT", B, distance)
                for _ in range(distance):
                    code.wide("LOADI", I, 8)
                self.gives_in_steps("7", code(get, to, V, I)("MOVE", V, to), 8)
            code = table(8)("DICT_HAS", B, V, I).wide("JT", B, 1).wide("LOADI", I, 7)(get, to, V, I)("MOVE", V, to)
            self.gives_in_steps("7", code, 9)
            self.ends("another key", program(table()("DICT_HAS", B, V, I).wide("JF", B, 1)(get, to, V, I + 1)("MOVE", V, to)), "KeyError: 0")
            self.ends("another dict", program(table()("DICT_HAS", B, V, I).wide("JF", B, 1)(get, to, V + 1, I)("MOVE", V, to)), WRONG_TYPE)
            self.ends("another answer", program(table()("DICT_HAS", B, V, I).wide("JT", B + 1, 1).wide("LOADI", I, 8)(get, to, V, I)),
                      "KeyError: 8")
        self.gives("7", table()("DICT_HAS", B, V, I).wide("JF", B, 0)("DICT_GET_OR", V + 1, V, I)("MOVE", V, V + 1))
        code = table()("DICT_HAS", B, V, I).wide("JF", B, 0)("DICT_GET_S", I + 1, V, I)("ADDK_I", I + 1, I + 1, 1)("DICT_SET", V, I, I + 1)
        self.gives_in_steps("{7: 8}", code, 9)
        self.ends("a float's register", program(table()("DICT_HAS", B, V, I).wide("JF", B, 0)("DICT_GET_S", F, V, I)), WRONG_TYPE)
        back = table().wide("JMP", 0, 2)("DICT_GET_S", I + 1, V, I).wide("JMP", 0, 2)("DICT_HAS", B, V, I).wide("JT", B, -4)
        self.gives("7", back("MOVE", V, I + 1))
        self.ends("for ever", program(table()("DICT_HAS", B, V, I).wide("JT", B, -2)), NO_FUEL, "--fuel", "1000")

    def test_objects_in_objects(self):
        """What stands behind a peek at an object is done with the object where it lies, or as it would be without."""
        def nested(inner=A_CLASS):
            c = start().wide("CREATE_OBJECT", V, A_CLASS).wide("CREATE_OBJECT", V + 1, inner)("SET_ATTR", V, 0, V + 1)
            return c
        def peek(c, *behind):
            c("ATTR_PEEK", V + 2, V, 0)
            c(*behind)
            return c("DROP", V + 2)
        for kind, r, shown in (("I", I, "7"), ("B", B, "False"), ("F", F, "0")):
            self.gives(shown, peek(nested()("SET_ATTR", V + 1, 0, r), "GET_ATTR_" + kind, r, V + 2, 0)("MOVE", V, r))
            self.gives(shown, peek(nested()("SET_ATTR", V + 1, 0, r), "GET_ATTR_" + kind, r, V + 1, 0)("MOVE", V, r))
            self.gives(shown, peek(nested()("SET_ATTR", V + 1, 0, r), "SET_ATTR_" + kind, V + 2, 0, r)("GET_ATTR", V, V + 1, 0))
            self.gives(shown, peek(nested(), "SET_ATTR_" + kind, V + 2, 0, r)("GET_ATTR", V, V + 1, 0))
            self.gives(shown, peek(nested(), "SET_ATTR_" + kind, V + 1, 0, r)("GET_ATTR", V, V + 1, 0))
            self.gives("None", peek(nested(), "MOVE", V + 3, V + 2)("GET_ATTR", V, V + 3, 0))
            for inner in (A_CLASS, NO_METHODS):
                self.ends("nothing to fetch", program(peek(nested(inner), "GET_ATTR_" + kind, r, V + 2, 0)), WRONG_TYPE)
            self.ends("nowhere to store", program(peek(nested(NO_METHODS), "SET_ATTR_" + kind, V + 2, 0, r)), WRONG_TYPE)
        self.ends("no slot to look at", program(start().wide("CREATE_OBJECT", V, NO_METHODS)("ATTR_PEEK", V + 2, V, 0)), WRONG_TYPE)

    def test_peeks_at_dicts(self):
        a_dict = lambda: start().listed("LIST_CONSTRUCT", V + 1, [I], [INTS_LIST]).listed("DICT_CONSTRUCT", V, [I, V + 1], [INTS_DICT])
        code = a_dict().wide("LOADI", I + 1, 0)("DICT_PEEK", V + 2, V, I)("LIST_GET_I", I, V + 2, I + 1)("DROP", V + 2)("MOVE", V, I)
        self.gives("7", code)
        self.ends("no such key", program(a_dict().wide("LOADI", I, 8)("DICT_PEEK", V + 2, V, I)), "KeyError: 8")
        for form, to in (("DICT_GET_OR", V + 2), ("DICT_GET_OR_S", I)):
            code = start().listed("DICT_CONSTRUCT", V, [I, I], [INTS_DICT])(form, to, V, I)("MOVE", V, to)
            self.gives("7", code)
            code = start().listed("DICT_CONSTRUCT", V, [I, I], [INTS_DICT]).wide("LOADI", I + 1, 9)(form, to, V, I + 1)("MOVE", V, to)
            self.gives("None" if form == "DICT_GET_OR" else "7", code)

    def test_shared_parts(self):
        """Containers that hold one container twice, which holds one twice, and so on: 2**31 ways to the innermost."""
        def tower(c, register):
            c.wide("LOADC", register, NUMBER)
            for _ in range(31):
                c.listed("TUPLE_CONSTRUCT", register, [register, register])
            return c
        code = tower(tower(Code(), V), V + 1).listed("LIST_CONSTRUCT", V, [V, V + 1], [INTS_LIST])
        op(code, SORTED, [V], [V])
        self.ends("a comparison", program(code), NO_FUEL, "--fuel", "1000000")
        code = op(tower(Code(), V), HASH, [V], [I])("MOVE", V, I)
        self.ends("a hash", program(code), NO_FUEL, "--fuel", "1000000")
        code = program(op(tower(Code(), V), SAVE, [V, of_constant(WORD)], []))
        self.ends("a file", code, NO_FUEL, "--fuel", "1000000", "--allow-save", tempfile.gettempdir())
        self.ends("a file larger than the buffer", code, "bytes of buffer", "--arena", "1M", "--allow-save", tempfile.gettempdir())

    def test_work_of_strings(self):
        """A comparison of strings counts their bytes."""
        file = program(op(Code(), EQUAL_STRS, [of_constant(WORD), of_constant(WORD)], [B])("MOVE", V, B))
        for fuel in range(1, 13):
            self.ends("%d units" % fuel, file, NO_FUEL, "--fuel", str(fuel))
        self.assertEqual(run_file(TSMRUN, file, "--fuel", "13")[:2], (0, "True\n"))

    def test_lists_of_constants(self):
        """A list may change though a tensor in it may not."""
        code = op(start().wide("LOADI", I, 0), INSERT, [of_constant(FIXED_LIST), I, of_constant(SHORT)], [])
        self.assertEqual(run_file(TSMRUN, program(code.wide("LOADC", V, FIXED_LIST)("LIST_LEN", I, V)("MOVE", V, I)))[:2], (0, "2\n"))

    def test_jumps(self):
        for name, code, jump, jumps_ in jumps():
            jump(code, 1)
            code.wide("LOADI", I, 100)  # the one instruction that the jump leaves out
            code("MOVE", V, I)
            self.assertEqual(run_file(TSMRUN, program(code))[1] == "100\n", not jumps_, name)
            if jumps_:
                code = [c for n, c, _, j in jumps() if n == name and j][0]
                self.ends(name, program(jump(code, -1)), NO_FUEL, "--fuel", "1000")

    def test_fused_loop(self):
        code = Code().wide("LOADI", I + 1, 1000000)("ADD_I_LOOP", I + 2, I + 2, I)("LOOP", I, I + 1, -2)
        self.ends("a fused loop", program(code), NO_FUEL, "--fuel", "1000")

    def test_much(self):
        plans = {"plans": [{"guards": [], "blocks": [], "region": 1, "most_live": 1}]}
        for name, steps in MUCH.items():
            file = program(again(Code(), steps), **plans)
            status, _, errors = run_file(TSMRUN, file)
            self.assertEqual(status, 0, name + errors)
            self.ends(name, file, NO_FUEL, "--fuel", "150")

    def test_exits(self):
        """Exits of `with` by an exception: what is said when they can be entered, and when not."""
        raising = {"constants": [constant("Str", text=list(b"text")), constant("None")]}
        give = Code().listed("RET", 0, [V])
        exits = [leaf("exit", give, [V, V + 1, V + 2, V + 3]), leaf("wrong", give, [I, V + 1, V + 2, V + 3])]
        before = [(1, 1, V, 1)] * MANY

        def ends(error, withs, *options, **fields):
            code = Code().listed("RAISE", 0, [of_constant(0), of_constant(1)])
            self.ends(error, only(code, V, functions=exits, main={"withs": withs}, **fields, **raising), error, *options)
        ends("RuntimeError: text", [(0, 1, V, 1)])
        ends("RuntimeError: text", before + [(0, 1, V, 1)])
        ends(NO_FUEL, before + [(0, 1, V, 1)], "--fuel", "50")
        ends("calls are nested too deeply", [(0, 1, V, 1)], stack_frames=0)
        ends("calls are nested too deeply", [(0, 1, V, 1)], stack_registers=9)
        ends(WRONG_TYPE, [(0, 1, V, 2)])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

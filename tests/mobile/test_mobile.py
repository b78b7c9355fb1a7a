#!/usr/bin/env python3
"""Programs of the lite interpreter that tsmc must read or refuse: written here instruction by instruction.

    test_mobile.py TSMC TSMRUN [unittest's options]"""
import json
import os
import pickle
import shlex
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
TSMC, TSMRUN = sys.argv[1], shlex.split(sys.argv[2])
OK, RAISED, BAD_INPUT = 0, 1, 2


def text(s):
    return b"X" + struct.pack("<I", len(s)) + s.encode()


def pickled(v):
    """An integer, None, or a dict of such, by names."""
    if isinstance(v, dict):
        return b"}(" + b"".join(text(k) + pickled(item) for k, item in v.items()) + b"u"
    return b"N" if v is None else b"J" + struct.pack("<i", v)


def module_pickle(attributes):
    """An object of class __torch__.M; `attributes` are what pickled() takes."""
    return b"\x80\x02c__torch__\nM\n)\x81" + pickled(attributes) + b"b."


def argument(name, annotation):
    return (("name", name), ("type", annotation), ("default_value", None))


def function(code, operators=(), constants=(), types=(), arguments=(("x", "int"),), returns="int", name="__torch__.M.forward"):
    """A method as bytecode.pkl has it; instructions are (name, X, N) with what is left out 0."""
    table = (("instructions", tuple((i + (0, 0))[:3] for i in code)), ("operators", operators), ("constants", constants),
             ("types", types), ("register_size", 10))
    given = tuple(argument(n, t) for n, t in (("self", "__torch__.M"),) + tuple(arguments))
    return name, table, (("arguments", given), ("returns", (argument("", returns),)))


ADD = ("aten::add", "int", 2)
START = [("STOREN", 1, 2)]  # self, x


class Bytecode(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, bytecode, attributes=None):
        with zipfile.ZipFile(self.path("m.ptl"), "w") as z:
            z.writestr("m/data.pkl", module_pickle(attributes or {}))
            z.writestr("m/constants.pkl", pickle.dumps((), 2))
            z.writestr("m/bytecode.pkl", pickle.dumps(bytecode, 2))
            z.writestr("m/version", "3\n")

    def export(self, *functions, version=8, attributes=None, options=()):
        self.write((version,) + functions, attributes)
        return subprocess.run([TSMC, self.path("m.ptl"), "-o", self.path("m.tsm"), *options], capture_output=True, text=True)

    def run_program(self, *arguments):
        with open(self.path("in.json"), "w") as f:
            json.dump(arguments, f)
        p = subprocess.run(TSMRUN + [self.path("m.tsm"), "--method", "forward", "--inputs", self.path("in.json"), "--outputs",
                                     self.path("out.json")], capture_output=True, text=True)
        if p.returncode != OK:
            return p
        with open(self.path("out.json")) as f:
            return json.load(f)

    def yields(self, want, given, code, **more):
        p = self.export(function(code, **more.pop("table", {})), **more)
        self.assertEqual(p.returncode, OK, p.stderr)
        self.assertEqual(self.run_program(*given), want)

    def refuses(self, message, code, attributes=None, **table):
        p = self.export(function(code, **table), attributes=attributes)
        self.assertEqual(p.returncode, BAD_INPUT, p.stderr)
        self.assertIn(message, p.stderr)


class Programs(Bytecode):
    def test_straight(self):
        self.yields(12, [5], START + [("MOVE", 2), ("LOADC", 0), ("OP", 0), ("RET",)],
                    table=dict(operators=(ADD,), constants=(7,)))

    def test_overload_that_only_bytecode_names(self):
        self.yields(125, [5], START + [("MOVE", 2), ("LOADC", 0), ("OP", 0), ("RET",)],
                    table=dict(operators=(("aten::pow", "int_to_int", 2),), constants=(3,)))

    def test_operator_without_number_of_arguments(self):
        self.yields(12, [5], START + [("MOVE", 2), ("LOADC", 0), ("OP", 0), ("RET",)], version=4,
                    table=dict(operators=(ADD[:2],), constants=(7,)))

    def test_branch(self):
        code = START + [("LOAD", 2), ("LOADC", 0), ("OP", 0), ("JF", 3), ("LOADC", 0), ("JMP", 2), ("LOADC", 1), ("RET",)]
        for x, want in ((10, 7), (1, 9)):
            self.yields(want, [x], code, table=dict(operators=(("aten::gt", "int", 2),), constants=(7, 9)))

    def test_loop(self):
        """total = 100; for i in range(x): total += i"""
        code = START + [("LOADC", 0), ("LOAD", 2), ("LOADC", 1), ("LOADC", 2), ("LOOP", 7, 3), ("STOREN", 3, 2), ("LOADC", 1),
                        ("MOVE", 4), ("MOVE", 3), ("OP", 0), ("JMP", -6), ("RET",)]
        self.yields(110, [5], code, table=dict(operators=(ADD,), constants=(0, True, 100)))

    def test_attribute(self):
        code = START + [("LOAD", 1), ("LOAD", 1), ("GET_ATTR", 1), ("LOAD", 2), ("OP", 0), ("SET_ATTR", 1), ("MOVE", 1),
                        ("GET_ATTR", 1), ("RET",)]
        self.yields(45, [5], code, table=dict(operators=(ADD,)), attributes={"a": 30, "b": 40})

    def test_attribute_becomes_optional(self):
        code = START + [("LOAD", 1), ("LOADC", 0), ("SET_ATTR", 0), ("MOVE", 1), ("GET_ATTR", 0), ("RET",)]
        self.yields(None, [5], code, table=dict(constants=(None,), returns="Optional[int]"), attributes={"a": 30})

    def test_dict_is_typed_by_all_entries(self):
        code = START + [("MOVE", 1), ("GET_ATTR", 0), ("RET",)]
        for value in ({"a": 1, "b": None}, {"a": None, "b": 1}):
            self.yields({"dict": [list(entry) for entry in value.items()]}, [5], code, table=dict(returns="Dict[str, Optional[int]]"),
                        attributes={"a": value})

    def test_named_tuple(self):
        pair = "__torch__.Pair[NamedTuple, [[first, int],[second, List[int]]]]"
        code = START + [("LOAD", 2), ("LOAD", 2), ("LIST_CONSTRUCT", 0, 1), ("NAMED_TUPLE_CONSTRUCT", 1, 2), ("RET",)]
        self.yields({"tuple": [5, [5]]}, [5], code, table=dict(types=("List[int]", pair), returns="__torch__.Pair"))

    def test_refinement(self):
        """isinstance of Any, whose cast says no type."""
        code = START + [("LOAD", 2), ("ISINSTANCE", 0, 1), ("JF", 6), ("LOAD", 2), ("OP", 0), ("LOADC", 0), ("OP", 1), ("JMP", 2),
                        ("LOADC", 0), ("RET",)]
        for x, want in ((4, 5), ("s", 1)):
            self.yields(want, [x], code, table=dict(operators=(("prim::unchecked_cast", "", 1), ADD), constants=(1,),
                                                    types=("int",), arguments=(("x", "Any"),)))

    def test_path_that_is_never_taken(self):
        """if self.a is not None: self.a.b[0] += ..., of an attribute that is always None"""
        code = START + [("LOAD", 1), ("GET_ATTR", 0), ("STORE", 3), ("LOAD", 3), ("LOADC", 0), ("__ISNOT__",), ("JF", 18),
                        ("LOAD", 3), ("OP", 0), ("STORE", 4), ("LOAD", 4), ("LOAD", 4), ("GET_ATTR", 7), ("SET_ATTR", 3),
                        ("LOAD", 4), ("LOADC", 1), ("DICT_INDEX",), ("LOADC", 1), ("TUPLE_INDEX",), ("LOAD", 2), ("OP", 1),
                        ("STORE", 5), ("LOAD", 5), ("JMP", 2), ("LOADC", 1), ("RET",)]
        table = dict(operators=(("prim::unchecked_cast", "", 1), ADD), constants=(None, 1))
        for option in ("-O0", "-O2"):
            p = self.export(function(code, **table), attributes={"a": None}, options=(option,))
            self.assertEqual(p.returncode, OK, p.stderr)
            self.assertEqual(self.run_program(5), 1)

    def test_missing_argument_has_its_default(self):
        code = START + [("LOAD", 2), ("LIST_CONSTRUCT", 0, 1), ("OP", 0), ("RET",)]
        self.yields(5, [5], code, table=dict(operators=(("aten::pop", "t", 1),), types=("List[int]",)))

    def test_traceback_shows_the_bytecode(self):
        p = self.export(function(START + [("LOADC", 0), ("LOADC", 1), ("RAISE_EXCEPTION",), ("MOVE", 2), ("RET",)],
                                 constants=("no good", None)))
        self.assertEqual(p.returncode, OK, p.stderr)
        p = self.run_program(5)
        self.assertEqual(p.returncode, RAISED)
        self.assertIn("bytecode of __torch__.M.forward", p.stderr)
        self.assertIn("RAISE_EXCEPTION\n~~~~~~~~~~~~~~~ <--- HERE", p.stderr)
        self.assertIn("no good", p.stderr)

    def export_file(self, name):
        p = subprocess.run([TSMC, os.path.join(HERE, name), "-o", self.path("m.tsm")], capture_output=True)
        self.assertEqual(p.returncode, OK, p.stderr)

    def test_object_restores_itself(self):
        self.export_file("restores.ptl")
        got = self.run_program({"tensor": {"dtype": "float32", "shape": [2], "data": [2.0, 4.0]}})
        self.assertEqual(got["tensor"]["data"], [6.0, 13.0])

    def test_layers_packed_by_the_mobile_optimizer(self):
        with open(os.path.join(HERE, "optimized.json")) as f:
            recorded = json.load(f)
        for name in ("optimized.pt", "optimized.ptl"):
            with self.subTest(name):
                self.export_file(name)
                got = self.run_program({"tensor": {"dtype": "float32", "shape": [1, 2, 7, 9], "data": recorded["x"]}})
                for a, b in zip(got["tensor"]["data"], recorded["answer"], strict=True):
                    self.assertAlmostEqual(a, b, places=5)

    def test_old_operators(self):
        """In this file's version, dividing integers rounded towards zero."""
        self.export_file("old_division.ptl")
        x, y = ({"tensor": {"dtype": "int64", "shape": [3], "data": d}} for d in ([7, -7, 9], [2, 2, -4]))
        got = [t["tensor"]["data"] for t in self.run_program(x, y)["tuple"]]
        self.assertEqual(got, [[3, -3, -2], [3, -3, 4], [0, 0, -1]])


class Refused(Bytecode):
    def test_versions(self):
        for version in (3, 10):
            p = self.export(function(START + [("MOVE", 2), ("RET",)]), version=version)
            self.assertEqual(p.returncode, BAD_INPUT)
            self.assertIn("its bytecode has version %d; versions 4 to 9 are supported" % version, p.stderr)

    def test_no_schema(self):
        p = self.export(function(START + [("MOVE", 2), ("RET",)])[:2], version=4)
        self.assertEqual(p.returncode, BAD_INPUT)
        self.assertIn("it has no schema", p.stderr)

    def test_no_object(self):
        p = self.export(function(START + [("MOVE", 2), ("RET",)], name="__torch__.Other.forward"))
        self.assertEqual(p.returncode, BAD_INPUT)
        self.assertIn("__torch__.Other.forward is a method of a class of which there is no object", p.stderr)

    def test_twice_the_same_method(self):
        f = function(START + [("MOVE", 2), ("RET",)])
        p = self.export(f, f)
        self.assertEqual(p.returncode, BAD_INPUT)
        self.assertIn("there are two methods __torch__.M.forward", p.stderr)

    def test_instructions(self):
        self.refuses("instruction 'NONSENSE' is not known", [("NONSENSE",)])
        self.refuses("instruction FORK is not one of mobile programs", [("FORK",)])
        self.refuses("The function does not end with RET", START + [("MOVE", 2)])
        self.refuses("The instruction cannot stand here", START + [("RET",), ("MOVE", 2), ("RET",)])
        self.refuses("The function leaves 2 values", START + [("LOAD", 2), ("LOAD", 2), ("RET",)])

    def test_stack_and_registers(self):
        self.refuses("takes more from the stack than there is", [("STOREN", 1, 3), ("LOAD", 1), ("RET",)])
        self.refuses("takes more from the stack than there is", START + [("OP", 0), ("RET",)], operators=(ADD,))
        self.refuses("Register 7 is read before it is stored to", START + [("LOAD", 7), ("RET",)])
        self.refuses("There is no register 0", START + [("LOAD", 0), ("RET",)])
        self.refuses("There is no register 2000000000", START + [("LOAD", 2000000000), ("RET",)])

    def test_what_a_block_stores_ends_with_it(self):
        code = START + [("LOADC", 0), ("JF", 4), ("LOAD", 2), ("STORE", 3), ("JMP", 3), ("LOAD", 2), ("STORE", 3), ("LOAD", 3),
                        ("RET",)]
        self.refuses("Register 3 is read before it is stored to", code, constants=(True,))

    def test_tables(self):
        self.refuses("There is no operator 1", START + [("OP", 1), ("RET",)], operators=(ADD,))
        self.refuses("There is no constant -1", START + [("LOADC", -1), ("RET",)])
        self.refuses("There is no type 0", START + [("LIST_CONSTRUCT", 0, 0), ("RET",)])
        self.refuses("Unknown type name 'Nothing'", START + [("LIST_CONSTRUCT", 0, 0), ("RET",)], types=("List[Nothing]",))
        self.refuses("the type '__torch__.P[NamedTuple, [[a, int]' is malformed", START + [("MOVE", 2), ("RET",)],
                     types=("__torch__.P[NamedTuple, [[a, int]",))
        self.refuses("A count is out of range", START + [("TUPLE_CONSTRUCT", -1), ("RET",)])

    def test_operators(self):
        two = START + [("LOAD", 2), ("LOAD", 2), ("OP", 0), ("RET",)]
        self.refuses("Operator aten::nonsense.of is not known", two, operators=(("aten::nonsense", "of", 2),))
        self.refuses("aten::add.int cannot be called with 3 arguments", two, operators=(ADD[:2] + (3,),))
        self.refuses("aten::add.int: argument 'b' is missing", two, operators=(ADD[:2] + (1,),))
        self.refuses("A int stands where a str is wanted", two, operators=(("aten::add", "str", 2),))

    def test_jumps(self):
        self.refuses("The jump leads out of its block", START + [("LOAD", 2), ("JF", 100), ("RET",)])
        self.refuses("The jump leads out of its block", START + [("LOAD", 2), ("JF", -1), ("RET",)])
        self.refuses("The jump is not that of an if", START + [("LOAD", 2), ("JF", 2), ("LOAD", 2), ("RET",)])
        self.refuses("The branches leave different numbers of values",
                     START + [("LOAD", 2), ("JF", 3), ("LOAD", 2), ("JMP", 1), ("LOAD", 2), ("RET",)])
        self.refuses("The jump is not that of a loop",
                     START + [("LOADC", 0), ("LOAD", 2), ("LOADC", 1), ("LOOP", 2, 2), ("JMP", -2), ("LOAD", 2), ("RET",)],
                     constants=(0, True))
        self.refuses("The loop's body leaves a wrong number of values",
                     START + [("LOADC", 0), ("LOAD", 2), ("LOADC", 1), ("LOOP", 3, 2), ("STORE", 3), ("JMP", -2), ("LOAD", 2),
                              ("RET",)], constants=(0, True))

    def test_deep_nesting(self):
        """if True: if True: ... each with an empty other branch."""
        for depth, status in ((200, OK), (1000, BAD_INPUT)):
            code = START + [i for d in range(depth) for i in (("LOADC", 0), ("JF", 3 * (depth - d) - 1))]
            p = self.export(function(code + depth * [("JMP", 1)] + [("LOAD", 2), ("RET",)], constants=(True,)))
            self.assertEqual(p.returncode, status, p.stderr)
        self.assertIn("limit 'bytecode depth'", p.stderr)

    def test_objects(self):
        self.refuses("A __torch__.M has no attribute number 1", START + [("LOAD", 1), ("GET_ATTR", 1), ("RET",)],
                     attributes={"a": 1})
        self.refuses("A int has no attribute number 0", START + [("LOAD", 2), ("GET_ATTR", 0), ("RET",)])
        self.refuses("A __torch__.M has no method nothing", START + [("LOAD", 1), ("INTERFACE_CALL", 0, 1), ("RET",)],
                     constants=("nothing",))

    def test_containers(self):
        self.refuses("which is no tuple", START + [("LOAD", 2), ("LOADC", 0), ("TUPLE_INDEX",), ("RET",)], constants=(0,))
        self.refuses("has no item 5", START + [("LOAD", 2), ("TUPLE_CONSTRUCT", 1), ("LOADC", 0), ("TUPLE_INDEX",), ("RET",)],
                     constants=(5,))
        self.refuses("The instruction does not make a int of 1 values",
                     START + [("LOAD", 2), ("LIST_CONSTRUCT", 0, 1), ("RET",)], types=("int",))
        self.refuses("The instruction does not make a Dict[int, int] of 1 values",
                     START + [("LOAD", 2), ("DICT_CONSTRUCT", 0, 1), ("RET",)], types=("Dict[int, int]",))
        self.refuses("The instruction does not make a __torch__.P of 1 values",
                     START + [("LOAD", 2), ("NAMED_TUPLE_CONSTRUCT", 0, 1), ("RET",)],
                     types=("__torch__.P[NamedTuple, [[a, int],[b, int]]]",))
        self.refuses("A int stands where a str is wanted",
                     START + [("LOAD", 2), ("LIST_CONSTRUCT", 0, 1), ("RET",)], types=("List[str]",), returns="List[str]")
        self.refuses("A int stands where a str is wanted", START + [("LOAD", 2), ("RAISE_EXCEPTION",), ("LOAD", 2), ("RET",)])
        self.refuses("which is no dict", START + [("LOAD", 2), ("LOADC", 0), ("DICT_INDEX",), ("RET",)], constants=("k",))

    def test_dump_of_code(self):
        self.write((8, function(START + [("MOVE", 2), ("RET",)])))
        p = subprocess.run([TSMC, self.path("m.ptl"), "--dump", "ast"], capture_output=True, text=True)
        self.assertEqual(p.returncode, BAD_INPUT)
        self.assertIn("holds bytecode, not code", p.stderr)

    def test_types_without_end(self):
        """t = (t, t), again and again: in a straight line, and in a loop."""
        doubling = [("LOAD", 2), ("STORE", 3)] + 40 * [("LOAD", 3), ("LOAD", 3), ("TUPLE_CONSTRUCT", 2), ("STORE", 3)]
        self.refuses("The tuple's type is longer", START + doubling + [("LOAD", 2), ("RET",)])
        loop = [("LOADC", 0), ("LOAD", 2), ("LOADC", 1), ("LOAD", 2), ("LOOP", 6, 3), ("STOREN", 3, 2), ("LOADC", 1), ("LOAD", 4),
                ("TUPLE_CONSTRUCT", 1), ("JMP", -5), ("DROP",), ("LOAD", 2), ("RET",)]
        self.refuses("", START + loop, constants=(0, True))

    def test_conditions_that_use_each_other(self):
        """c = c and c, again and again."""
        use = [("LOAD", 3), ("JF", 3), ("LOAD", 3), ("JMP", 2), ("LOADC", 0), ("STORE", 3)]
        code = START + [("LOAD", 2), ("ISINSTANCE", 0, 1), ("STORE", 3)] + 60 * use
        code += [("LOAD", 3), ("JF", 4), ("LOAD", 2), ("OP", 0), ("JMP", 2), ("LOADC", 1), ("RET",)]
        p = self.export(function(code, operators=(("prim::unchecked_cast", "", 1),), constants=(False, 1), types=("int",),
                                 arguments=(("x", "Any"),)))
        self.assertEqual(p.returncode, OK, p.stderr)

    def test_damaged_flatbuffer(self):
        with open(os.path.join(HERE, "portable_flat.ptl"), "rb") as f:
            whole = f.read()
        for damaged, message in ((whole[:5000], "the flatbuffer is damaged near byte"),
                                 (b"\xff\xff\xff\x7f" + whole[4:], "the flatbuffer is damaged near byte"),
                                 (whole[:8], "the flatbuffer is damaged near byte")):
            with open(self.path("m.ptl"), "wb") as f:
                f.write(damaged)
            p = subprocess.run([TSMC, self.path("m.ptl"), "-o", self.path("m.tsm")], capture_output=True, text=True)
            self.assertEqual(p.returncode, BAD_INPUT, p.stderr)
            self.assertIn(message, p.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[3:])

"""A program that holds a little of everything, as tables for tsm_file.write, and what its instructions are made of."""
import copy

import tsm_file
from schema import NONE, opcodes

OPCODES = [name for name, _, _ in opcodes()]
CONSTANT, LAST_USE = 0x80000000, 0x40000000
VALUES, INTS, FLOATS, BOOLS = 4, 3, 2, 2
V, I, F, B = 0, VALUES, VALUES + INTS, VALUES + INTS + FLOATS  # the first register of each run
KINDS = ("Any Tensor Int Float Complex Bool Str None Number Device Generator Storage Capsule List Dict Tuple NamedTuple Optional "
         "Union Future Class Interface Enum AnyList AnyTuple AnyEnum AnyClass Function").split()
CONSTANTS = "None Bool Int Float Complex Str Device Tensor List Tuple Dict Object Enum Generator".split()


def kind(name):
    return KINDS.index(name)


def a_type(what, *elements, **fields):
    return dict({"kind": kind(what), "text": what, "elements": list(elements)}, **fields)


def constant(name, **fields):
    return dict({"kind": CONSTANTS.index(name)}, **fields)


def narrow(name, a=0, b=0, c=0):
    return (OPCODES.index(name), a & 0xFFFF, b & 0xFFFF, c & 0xFFFF)


def wide(name, a, d):
    return narrow(name, a, d, d >> 16)


class Code:
    """Instructions and their operand lists."""

    def __init__(self):
        self.code, self.operands = [], []

    def __call__(self, name, a=0, b=0, c=0):
        self.code.append(narrow(name, a, b, c))
        return self

    def wide(self, name, a, d):
        self.code.append(wide(name, a, d))
        return self

    def list(self, inputs, outputs=()):
        at = len(self.operands)
        self.operands += [len(inputs), len(outputs)] + list(inputs) + list(outputs)
        return at

    def listed(self, name, a, inputs, outputs=()):
        return self.wide(name, a, self.list(inputs, outputs))


def function(name, code, parameters=(), **fields):
    return dict({"name": name, "code": code.code, "operands": code.operands, "parameters": list(parameters),
                 "value_registers": VALUES, "int_registers": INTS, "float_registers": FLOATS, "bool_registers": BOOLS}, **fields)


def of_constant(index):
    return CONSTANT | index


# Places in example().
INT, LIST, CLASS, NAMED_TUPLE, ENUM, DICT, OPTIONAL, TENSOR, CYCLE, TUPLE, UNION = range(11)
FIVE, TEXT, MATRIX, FIVES, PAIR, TABLE, OBJECT, MEMBER, HALF, TRUE, NOTHING, QUANTIZED = range(12)
OPERATORS = ["aten::add.Tensor", "aten::add_.Tensor", "aten::add.out", "aten::format", "prim::tolist", "prim::TupleUnpack",
             "aten::percentFormat"]
MAIN, EXIT, LEAF = range(3)


def main_code():
    c = Code()
    c.wide("LOADC", V, MATRIX).wide("LOADC_S", I, FIVE).wide("LOADC_S", F, HALF).wide("LOADC_S", B, TRUE)
    c.wide("LOADI", I + 1, 7)("LOADB", B, 1)("MOVE", V + 1, V)("MOVE_S", I, I + 1)("DROP", V + 1)
    c("FLOORDIVK_I", I, I, 3)("ADD_I", I, I, I + 1)("ADD_I_LOOP", I, I, I + 1)("LOOP", I + 1, I, -2)
    c("JLT_I", I, I + 1, 0).wide("JMP", 0, 0)
    c.listed("OP", 0, [of_constant(MATRIX), of_constant(MATRIX), of_constant(FIVE)], [V])
    c.listed("OP", 1, [V, V | LAST_USE, of_constant(FIVE)], [V + 1])
    c.listed("OP", 2, [V, V, of_constant(FIVE), V + 1], [V])
    c.listed("OP", 3, [of_constant(TEXT)], [V]).listed("OP", 6, [of_constant(TEXT), I], [V])
    c.listed("OP", 4, [of_constant(MATRIX), I, I], [V]).listed("OP", 5, [V], [V, V + 1])
    c.listed("PRINT", 0, [V, I]).listed("WARN", 0, [of_constant(TEXT), of_constant(FIVE)])
    c.listed("LIST_CONSTRUCT", V, [I, I], [LIST]).listed("DICT_CONSTRUCT", V + 1, [I, V], [DICT])
    c.listed("LIST_UNPACK", V, [], [I, I]).listed("TUPLE_CONSTRUCT", V, [I, V + 1])
    c("NAMED_TUPLE_CONSTRUCT", V, NAMED_TUPLE, c.list([I, I]))("TUPLE_SLICE", V, V, c.list([0, 1]))
    c("ISINSTANCE", B, V, c.list([LIST, UNION])).wide("CREATE_OBJECT", V, CLASS)("GET_ATTR", V, V, 0)
    c.listed("CALL", LEAF, [V, I], [V]).listed("FORK", LEAF, [V, I], [V + 1])("WAIT", V, V + 1)
    c.listed("INTERFACE_CALL", 0, [V, I], [V]).listed("GUARD", B, [V], [0])
    return c.listed("RAISE", 0, [of_constant(TEXT), of_constant(NOTHING)]).listed("RET", 0, [V | LAST_USE])


def example():
    """A program that the verifier accepts, and its segment; to be changed by the caller."""
    types = [a_type("Int"), a_type("List", INT), a_type("Class", LIST, name="__torch__.C", field_names=["a"],
                                                      methods=[{"name": 0, "function": LEAF}]),
             a_type("NamedTuple", INT, INT, name="__torch__.N", field_names=["a", "b"]),
             a_type("Enum", name="__torch__.E", field_names=["A"], members=[FIVE]), a_type("Dict", INT, LIST),
             a_type("Optional", LIST), a_type("Tensor"), a_type("Class", CYCLE, name="__torch__.D", field_names=["next"]),
             a_type("Tuple", INT, LIST, DICT), a_type("Union", LIST, DICT, INT)]
    tensor = {"dtype": 6, "storage": 0, "offset": 0, "sizes": [2, 2], "strides": [2, 1]}
    quantized = dict(tensor, dtype=13, storage=1, quantizer_axis=1, scales=[0.5, 0.25], zero_points=[0, 1])
    constants = [constant("Int", integer=5), constant("Str", text=list(b"text")), constant("Tensor", tensor=tensor),
                 constant("List", items=[FIVE, FIVE], type=LIST), constant("Tuple", items=[FIVE, FIVE], type=NAMED_TUPLE),
                 constant("Dict", items=[FIVE, FIVES], type=DICT), constant("Object", items=[FIVES], type=CLASS),
                 constant("Enum", integer=0, type=ENUM), constant("Float", number=0.5), constant("Bool", integer=1),
                 constant("None"), constant("Tensor", tensor=quantized)]
    leave = lambda: Code().listed("RET", 0, [V])
    functions = [function("__torch__.main", main_code(), [V, I], withs=[(2, 8, V, EXIT)], debug=[(0, 0), (5, 1)]),
                 function("__torch__.C.__exit__", leave(), [V, V + 1, V + 2, V + 3]),
                 function("__torch__.leaf", leave(), [V, I])]
    arguments = [{"name": "x", "type": TENSOR}, {"name": "n", "type": INT, "default_value": FIVE}]
    methods = [{"name": "main", "function": MAIN, "arguments": arguments, "result": TENSOR, "schema": "main(Tensor x, int n)", "plan": 0},
               {"name": "leaf", "function": LEAF, "self": OBJECT, "arguments": [{"name": "n", "type": INT}], "result": INT,
                "schema": "leaf(int n)"}]
    program = {
        "version": 1, "features": ["instructions of 0.2.0"], "operators": OPERATORS, "types": types, "constants": constants,
        "storages": [(0, 16, 0), (64, 4, 1)], "functions": functions, "methods": methods, "method_names": ["leaf"],
        "stack_registers": 64, "stack_frames": 8, "warnings": 1, "bundle": [{"method": 0, "arguments": PAIR, "expected": NONE}],
        "strings": ["main"], "files": [{"name": "f.py", "text": "line\n", "first_line": 1, "offset": 0}],
        "frames": [(0, NONE, 0, 0, 4, NONE, 0, 0), (0, 0, 0, 0, 4, 0, 0, 4)],
        "plans": [{"guards": [7], "blocks": [(0, 1, 1)], "region": 1, "most_live": 1}]}
    return copy.deepcopy(program), bytes(128)


def number(n):
    """A number of a record, as tsmc writes it."""
    n = 2 * n if n >= 0 else -2 * n - 1
    digits = [128 | n & 63]
    n >>= 6
    while n:
        digits.insert(0, 64 | n & 63)
        n >>= 6
    return digits


def rows(*rows):
    """A record of rows of numbers."""
    before, symbols = [0] * 11, []
    for row in rows:
        for i, n in enumerate(row):
            symbols += number(n - before[i])
        before = row
    return symbols + [0]


def symbols(width, numbers):
    """Numbers of so many bits, eight together in whole bytes, and eight more."""
    bits = sum(n << width * i for i, n in enumerate(numbers))
    return list(bits.to_bytes((-(-len(numbers) // 8) + 1) * width, "little"))


def positions(places, calls, functions, width=8, rules=()):
    """Fields of a program with places (function, and once or twice: text, file, first line, start, length), calls
    (place, distance to the caller), steps of functions (instruction, call)."""
    texts = []

    def text(s):
        if s not in texts:
            texts.append(s)
        return texts.index(s)
    place_rows = [[text(n) if isinstance(n, str) else n for n in place] + [0] * (11 - len(place)) for place in places]
    all_rows = lambda of: [rows(*of[i:i + 64]) for i in range(0, len(of), 64)]
    records = [list(s.encode("latin-1")) + [0] for s in texts] + all_rows(place_rows)
    first_call = len(records)
    records += all_rows(calls)
    words = [width, len(texts), first_call, len(records)]
    numbers = [n for rule in rules for n in rule]
    for i, record in enumerate(records + [rows(*steps) for steps in functions]):
        if i % 32 == 0:
            words.append(len(numbers))
        numbers += record
    return {"positions": words, "position_symbols": symbols(width, numbers)}


def example_with_positions():
    """The same with positions as tsmc writes them."""
    program, segment = example()
    for field in ("strings", "files", "frames"):
        del program[field]
    del program["functions"][MAIN]["debug"]
    program.update(positions([("main", "line\n", "f.py", 1, 0, 4), ("main", "line\n", "f.py", 1, 0, 4, "line\n", "f.py", 1, 1, 2)],
                             [(0, 0), (1, 1), (0, 2)], [[(0, 1), (5, 2), (6, 0)], [], []]))
    return program, segment


def only(code, result, types=(), constants=(), segment=b"", **fields):
    """The file of a program with a function, without parameters, that returns a register."""
    code.listed("RET", 0, [result])
    program = {"version": 1, "types": [a_type("Any")] + list(types), "functions": [function("f", code, **fields.pop("main", {}))],
               "stack_registers": 64,
               "stack_frames": 2, "constants": list(constants),
               "methods": [{"name": "f", "function": 0, "result": 0, "schema": "f() -> Any"}]}
    program["functions"] += fields.pop("functions", [])
    return tsm_file.write(dict(program, **fields), segment)

"""A second verifier of .tsm files, written from docs/verification.md and docs/format.md alone. It is slow and simple.

check(data, operators) gives the rule that a file breaks and what breaks it, or None. `operators`: the names of those
that libtsmobile has."""
import re
import struct

from schema import NONE, Schema, opcodes, read
from schema import operators as read_operators

SCHEMA, OPCODES, OPERATORS = Schema(), opcodes(), read_operators()
NUMBERS = {name: i for i, (name, _, _) in enumerate(OPCODES)}
KINDS, CONSTANTS = SCHEMA.enums["TypeKind"], SCHEMA.enums["ConstantKind"]
VERSION = tuple(int(n) for n in re.search(r"project\(\w+ VERSION (\d+)\.(\d+)", read("CMakeLists.txt")).groups())
MOST_ROWS, MOST_REGISTERS, MOST_FRAMES = 2**22, 2**24, 2**16
MOST_ELEMENTS = 2**44
# Bytes of an element of each dtype (PyTorch's ScalarType), and those that are quantized.
DTYPE_BYTES = [1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 1, 1, 4, 2]
QUANTIZED = (12, 13, 14)
RUNS = "VIFB"


class Bad(Exception):
    pass


def demand(rule, holds, *what):
    if not holds:
        raise Bad("%s: %s" % (rule, " ".join(map(str, what))))


# ---- The FlatBuffer: F ----

class Flat:
    """Reads the tables into dicts, with every field: absent ones have their default values."""

    def __init__(self, data):
        self.data = data[:2**31 - 1]
        self.room = len(self.data)
        self.lengths = {}

    def inside(self, at, n):
        return 0 <= at and at + n <= len(self.data)

    def number(self, letter, at):
        return struct.unpack_from("<" + letter, self.data, at)[0]

    def follow(self, at):
        demand("F2", self.inside(at, 4), "a reference at", at)
        distance = self.number("I", at)
        to = at + distance
        demand("F2", distance > 0 and to % 4 == 0 and self.inside(to, 4), "a reference at", at)
        return to

    def pay(self, n):
        self.room -= n
        demand("F5", self.room >= 0, "tables and vectors are larger than the file")

    def virtual_table(self, at):
        virtual = at - self.number("i", at)
        demand("F3", virtual % 2 == 0 and self.inside(virtual, 4), "the table at", at)
        size, table = self.number("H", virtual), self.number("H", virtual + 2)
        demand("F3", size % 2 == 0 and size >= 4 and self.inside(virtual, size), "the virtual table at", virtual)
        demand("F3", table >= 4 and self.inside(at, table), "the table at", at)
        return virtual, size, table

    def length_of_root(self, name):
        """The length of a vector of the root table; of a bad one, which is refused for itself, any."""
        if name not in self.lengths:
            self.lengths[name] = 0
            f = [f for f in SCHEMA.tables["Program"] if f.name == name][0]
            virtual, size, _ = self.virtual_table(self.root)
            distance = self.number("H", virtual + f.slot) if f.slot < size else 0
            if distance:
                self.lengths[name] = self.number("I", self.follow(self.root + distance))
        return self.lengths[name]

    def program(self):
        self.root = self.follow(0)
        return self.table("Program", self.root)

    def table(self, name, at):
        virtual, size, table = self.virtual_table(at)
        self.pay(table)
        fields = {}
        for f in SCHEMA.tables[name]:
            distance = self.number("H", virtual + f.slot) if f.slot < size else 0
            if distance:
                fields[f.name] = self.field(f, at, distance, table)
                continue
            demand("F3", "required" not in f.attributes, name, f.name, "is not there")
            fields[f.name] = [] if f.is_vector else f.default if SCHEMA.scalar(f.kind) else "" if f.kind == "string" else None
            if f.index and not f.is_vector:
                self.index(f, fields[f.name])
        return fields

    def index(self, f, value):
        fits = value < self.length_of_root(f.index) or (value == NONE and f.default == NONE)
        demand("F6", fits, f.name, value)

    def field(self, f, table_at, distance, table):
        scalar = None if f.is_vector else SCHEMA.scalar(f.kind)
        size = scalar[1] if scalar else 4
        at = table_at + distance
        demand("F3", 4 <= distance and distance + size <= table and at % size == 0, "the field", f.name, "at", at)
        if scalar:
            value = self.number(scalar[0], at)
            if f.index:
                self.index(f, value)
            return value
        return self.vector(f, self.follow(at)) if f.is_vector else self.target(f, self.follow(at))

    def target(self, f, at):
        if f.kind != "string":
            return self.table(f.kind, at)
        n = self.number("I", at)
        demand("F4", self.inside(at + 4, n + 1) and self.data[at + 4 + n] == 0, "the string at", at)
        text = self.data[at + 4:at + 4 + n].split(b"\0")[0]  # as C reads it
        return text.decode("latin-1")

    def vector(self, f, at):
        n = self.number("I", at)
        scalar = SCHEMA.scalar(f.kind)
        letters, align = scalar if scalar else SCHEMA.letters(f.kind) if f.kind in SCHEMA.structs else ("I", 4)
        size = struct.calcsize("<" + letters)
        demand("F4", self.inside(at + 4, n * size) and (n == 0 or (at + 4) % align == 0), "the vector at", at)
        self.pay(4 + n * size)
        items = list(struct.iter_unpack("<" + letters, self.data[at + 4:at + 4 + n * size]))
        if f.kind in SCHEMA.structs:
            return items
        if scalar:
            items = [i for i, in items]
            if f.index:
                for i in items:
                    self.index(f, i)
            return items
        return [self.target(f, self.follow(at + 4 + 4 * i)) for i in range(n)]


# ---- What the file needs, and its segment: S, M ----

def version_of(feature):
    """(major, minor) of a feature."""
    m = re.match(r"instructions of ([0-9]*)\.([0-9]*)(\.|$)", feature)
    demand("S2", m and not feature.endswith("\n") and m.end() - len("instructions of ") <= 16, feature)
    version = tuple(int(n or 0) for n in m.groups()[:2])
    demand("S2", max(version) < 250 and version <= VERSION, feature)
    return version


def check_needs(p, operators, file_bytes):
    demand("S1", p["version"] == 1, p["version"])
    p["needs"] = max([(0, 1)] + [version_of(f) for f in p["features"]])
    for name in p["operators"]:
        demand("S3", name in operators, name)
    for table in ("operators", "types", "constants", "storages", "functions", "methods"):
        demand("M1", len(p[table]) <= MOST_ROWS, table)
    demand("M1", p["warnings"] <= MOST_ROWS and p["stack_registers"] <= MOST_REGISTERS and p["stack_frames"] <= MOST_FRAMES)
    at, n = p["segment_offset"], p["segment_bytes"]
    demand("M2", at % 64 == 0 and at + n <= file_bytes, at, n)
    end = 0
    for offset, size, _ in p["storages"]:
        demand("M3", offset % 64 == 0 and end <= offset and offset + size <= n, offset, size)
        end = offset + size


# ---- Types: T ----

def kind_of(p, index):
    return KINDS[p["types"][index]["kind"]]


def check_types(p, file_bytes):
    for i, t in enumerate(p["types"]):
        demand("T1", t["kind"] < len(KINDS), i)
        kind, elements = KINDS[t["kind"]], len(t["elements"])
        demand("T2", elements == {"List": 1, "Optional": 1, "Future": 1, "Dict": 2}.get(kind, elements), i)
        demand("T2", kind not in ("Class", "NamedTuple") or elements == len(t["field_names"]), i)
        demand("T2", kind != "Enum" or len(t["members"]) == len(t["field_names"]), i)
    nodes = 0
    for i in range(len(p["types"])):
        level, levels = [i], 0
        while level:  # level by level: so many nodes as paths lead to them
            levels += 1
            nodes += len(level)
            demand("T3", levels <= 32 and nodes <= file_bytes, "the tree of type", i)
            level = [e for t in level for e in p["types"][t]["elements"]
                     if KINDS.index("List") <= p["types"][t]["kind"] <= KINDS.index("Future")]


# ---- Constants: K ----

TYPE_OF_CONSTANT = {"List": "List", "Dict": "Dict", "Tuple": "NamedTuple", "Object": "Class", "Enum": "Enum"}


def check_constant(p, i, c):
    demand("K1", c["kind"] < len(CONSTANTS) and all(item < i for item in c["items"]), i)
    kind = CONSTANTS[c["kind"]]
    if kind == "Dict":
        demand("K2", len(c["items"]) % 2 == 0, i)
    if kind == "Tensor":
        check_tensor(p, i, c["tensor"])
    if kind not in TYPE_OF_CONSTANT:
        return
    if c["type"] == NONE:
        demand("K3", kind not in ("Object", "Enum"), i)
        return
    demand("K3", kind_of(p, c["type"]) == TYPE_OF_CONSTANT[kind], i)
    t = p["types"][c["type"]]
    if kind in ("Tuple", "Object"):
        demand("K3", len(t["elements"]) == len(c["items"]), i)
    if kind == "Enum":
        demand("K4", 0 <= c["integer"] < len(t["members"]) and t["members"][c["integer"]] < i, i)


def check_tensor(p, i, t):
    demand("K5", t is not None and t["dtype"] < len(DTYPE_BYTES), i)
    sizes, strides = t["sizes"], t["strides"]
    demand("K5", len(sizes) <= 8 and len(sizes) == len(strides), i)
    product, last = 1, t["offset"]
    for size, stride in zip(sizes, strides):
        product *= size or 1
        demand("K6", size >= 0 and stride >= 0 and product <= MOST_ELEMENTS and stride <= MOST_ELEMENTS // max(size - 1, 1), i)
        last += max(size - 1, 0) * stride
    room = p["storages"][t["storage"]][1] // DTYPE_BYTES[t["dtype"]]
    demand("K6", t["offset"] <= room and (0 in sizes or last < room), i)
    axis = t["quantizer_axis"]
    demand("K7", (t["dtype"] in QUANTIZED) == (axis != -2), i)
    if axis != -2:
        axis -= 64 if axis >= 64 else 0
        demand("K7", -1 <= axis < len(sizes), i)
        channels = 1 if axis == -1 else sizes[axis]
        demand("K7", channels and len(t["scales"]) == len(t["zero_points"]) == channels, i)


# ---- Code: C, D ----

class Function:
    """One function: its registers and instructions."""

    def __init__(self, p, f):
        self.p, self.f = p, f
        counts = [f[k + "_registers"] for k in ("value", "int", "float", "bool")]
        self.ends = [sum(counts[:k + 1]) for k in range(4)]
        self.words = 0

    def run(self, r):
        """V, I, F or B; nothing when there is no such register."""
        return ([run for run, end in zip(RUNS, self.ends) if r < end] + [""])[0]

    def check(self):
        code, p = self.f["code"], self.p
        demand("C1", code and code[-1][0] in [NUMBERS[n] for n in ("RET", "JMP", "RAISE")], self.f["name"])
        for pc, instruction in enumerate(code):
            self.instruction(pc, *instruction)
        demand("C7", self.words <= len(self.f["operands"]), self.f["name"])
        demand("C8", all(self.run(r) for r in self.f["parameters"]), self.f["name"])
        for begin, end, held, leave in self.f["withs"]:
            demand("C9", begin <= end <= len(code) and self.run(held) == "V" and leave < len(p["functions"]) and
                   len(p["functions"][leave]["parameters"]) == 4, self.f["name"])

    def instruction(self, pc, op, a, b, c):
        p, where = self.p, (self.f["name"], pc)
        demand("C2", op < len(OPCODES) and OPCODES[op][1] <= p["needs"], *where)
        name, _, letters = OPCODES[op]
        d = b | c << 16
        values = [a, d] if len(letters) == 2 else [a, b, c]
        for k, (letter, value) in enumerate(zip(letters, values)):
            self.operand(pc, name, letter, value, (a, b), len(letters) == 2 and k == 1)
        if name in ("FLOORDIVK_I", "REMK_I"):
            demand("C4", 0 < c < 2**15, *where)
        if name == "ADD_I_LOOP":
            following = self.f["code"][pc + 1:pc + 2]
            demand("C4", following and following[0][0] == NUMBERS["LOOP"] and following[0][3] == 2**16 - 2, *where)
        if name == "WARN":
            demand("C4", a < p["warnings"], *where)
        if name == "MOVE_S":
            demand("C4", self.run(b) in ("V", self.run(a)), *where)
        if name == "LOADC_S":
            kind = CONSTANTS[p["constants"][d]["kind"]]
            demand("C4", {"I": "Int", "F": "Float", "B": "Bool"}[self.run(a)] == kind, *where)
        if name == "CREATE_OBJECT":
            demand("C4", kind_of(p, d) == "Class", *where)

    def operand(self, pc, name, letter, value, first, is_wide):
        p, where = self.p, (self.f["name"], pc, letter)
        tables = {"k": "constants", "t": "types", "o": "operators", "f": "functions", "m": "method_names"}
        if letter == "-":
            demand("C3", value == 0, *where)
        elif letter in "VIFB":
            demand("C3", self.run(value) == letter, *where)
        elif letter == "S":
            demand("C3", self.run(value) in ("I", "F", "B"), *where)
        elif letter == "X":
            demand("C3", self.run(value), *where)
        elif letter in "jJ":
            bits = 32 if is_wide else 16
            to = pc + 1 + (value - (value >> (bits - 1) << bits))
            demand("C3", 0 <= to < len(self.f["code"]), *where)
        elif letter in "lL":
            self.list(pc, name, first, value)
        elif letter.lower() in tables:
            demand("C3", value < len(p[tables[letter.lower()]]), *where)

    def list(self, pc, name, first, at):
        words, where = self.f["operands"], (self.f["name"], pc)
        demand("C5", at + 2 <= len(words), *where)
        inputs, outputs = words[at:at + 2]
        end = at + 2 + inputs + outputs
        demand("C5", end <= len(words), *where)
        self.words += end - at
        self.counts(name, first, inputs, outputs, where)
        for word in words[at + 2:at + 2 + inputs]:
            demand("C6", self.is_input(name, word), *where)
        for word in words[at + 2 + inputs:end]:
            demand("C6", self.is_output(name, word), *where)

    def counts(self, name, first, inputs, outputs, where):
        p, (a, b) = self.p, first
        if name == "OP":
            named, more, results = OPERATORS[p["operators"][a]]
            demand("C5", inputs == named or (more and inputs > named), *where)
            demand("C5", results in (None, outputs) and inputs <= 64 and outputs <= 16, *where)
            return
        wanted = {"RET": (1, 0), "RAISE": (2, 0), "WARN": (2, 0), "TUPLE_SLICE": (2, 0), "LIST_UNPACK": (0, None),
                  "TUPLE_UNPACK": (0, None), "PRINT": (None, 0), "TUPLE_CONSTRUCT": (None, 0), "ISINSTANCE": (None, 0),
                  "NAMED_TUPLE_CONSTRUCT": (None, 0), "LIST_CONSTRUCT": (None, 1), "GUARD": (None, 1), "DICT_CONSTRUCT": (None, 1),
                  "CALL": (None, 1), "FORK": (None, 1), "INTERFACE_CALL": (None, 1)}[name]
        demand("C5", wanted[0] in (None, inputs) and wanted[1] in (None, outputs), *where)
        if name in ("CALL", "FORK"):
            demand("C5", inputs == len(p["functions"][a]["parameters"]), *where)
        if name == "NAMED_TUPLE_CONSTRUCT":
            demand("C5", kind_of(p, b) == "NamedTuple" and inputs == len(p["types"][b]["elements"]), *where)
        if name == "INTERFACE_CALL":
            demand("C5", inputs > 0, *where)
        if name == "DICT_CONSTRUCT":
            demand("C5", inputs % 2 == 0, *where)

    def is_input(self, name, word):
        if name == "TUPLE_SLICE":
            return True
        if name == "ISINSTANCE":
            return word < len(self.p["types"])
        if word & 2**31:
            return word - 2**31 < len(self.p["constants"])
        run = self.run(word & 2**30 - 1)
        return run == "V" if word & 2**30 else bool(run)

    def is_output(self, name, word):
        if name in ("LIST_CONSTRUCT", "DICT_CONSTRUCT"):
            return word < len(self.p["types"]) and kind_of(self.p, word) == {"L": "List", "D": "Dict"}[name[0]]
        if name == "GUARD":
            return word < len(self.p["plans"])
        return self.run(word) == "V" if name == "FORK" else bool(self.run(word))


def check_methods(p):
    for i, m in enumerate(p["methods"]):
        n = len(m["arguments"]) + (m["self"] != NONE)
        demand("D1", len(m["arguments"]) < 64 and n == len(p["functions"][m["function"]]["parameters"]), i)


def check(data, operators):
    try:
        demand("F1", len(data) >= 8 and data[4:8] == b"TSM1")
        p = Flat(data).program()
        check_needs(p, operators, len(data))
        check_types(p, len(data))
        for i, c in enumerate(p["constants"]):
            check_constant(p, i, c)
        for f in p["functions"]:
            Function(p, f).check()
        check_methods(p)
    except Bad as bad:
        return str(bad)
    return None

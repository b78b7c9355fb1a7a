"""What schema/tsmobile.fbs, runtime/interpreter/opcodes.def and schema/operators*.txt say, read for the tests of this
folder without the generators that the build uses."""
import os
import re

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# struct's letter and the size of each scalar type
SCALARS = {"bool": ("B", 1), "ubyte": ("B", 1), "byte": ("b", 1), "ushort": ("H", 2), "short": ("h", 2), "uint": ("I", 4),
           "int": ("i", 4), "ulong": ("Q", 8), "long": ("q", 8), "float": ("f", 4), "double": ("d", 8)}
NONE = 0xFFFFFFFF


def read(path):
    with open(os.path.join(TOP, path)) as f:
        return f.read()


class Field:
    def __init__(self, slot, name, kind, is_vector, default, attributes):
        self.slot, self.name, self.kind, self.is_vector = slot, name, kind, is_vector
        self.default, self.attributes = int(default or 0), attributes
        self.index = re.search(r'index: "(\w+)"', attributes)
        self.index = self.index and self.index.group(1)


class Schema:
    def __init__(self):
        text = re.sub(r"//[^\n]*", "", read("schema/tsmobile.fbs"))
        self.enums, self.structs, self.tables = {}, {}, {}
        for name, members in re.findall(r"enum (\w+) : ubyte \{(.*?)\}", text, re.S):
            self.enums[name] = [m.strip() for m in members.split(",") if m.strip()]
        for what, name, body in re.findall(r"(struct|table) (\w+) \{(.*?)\}", text, re.S):
            fields = []
            for line in body.split(";"):
                m = re.match(r"\s*(\w+):(\[?)(\w+)\]?\s*(?:=\s*(-?\d+))?\s*(\(.*\))?\s*$", line, re.S)
                if m:
                    fields.append(Field(4 + 2 * len(fields), m.group(1), m.group(3), bool(m.group(2)), m.group(4), m.group(5) or ""))
            (self.structs if what == "struct" else self.tables)[name] = fields

    def scalar(self, kind):
        """struct's letter and the size of a scalar or enum; None for anything else."""
        return SCALARS["ubyte"] if kind in self.enums else SCALARS.get(kind)

    def letters(self, struct):
        """struct's letters of a struct, padding included, and its alignment."""
        letters, at, align = "", 0, 1
        for f in self.structs[struct]:
            inner, a = self.letters(f.kind) if f.kind in self.structs else self.scalar(f.kind)
            size = sum(SCALARS[k][1] for k in SCALARS for c in inner if SCALARS[k][0] == c and k not in ("ubyte",)) \
                if f.kind in self.structs else a
            letters += "x" * (-at % a) + inner
            at += -at % a + size
            align = max(align, a)
        return letters + "x" * (-at % align), align


def opcodes():
    """(name, version, operand letters) in the order of their numbers."""
    return [(name, (int(major), int(minor)), letters) for name, major, minor, letters in
            re.findall(r'^OP\((\w+), SINCE\((\d+), (\d+)\), "([^"]*)"', read("runtime/interpreter/opcodes.def"), re.M)]


def operators():
    """name -> (number of inputs named, whether any number may follow, number of outputs or None for any)."""
    found = {}
    for path in ("schema/operators.txt", "schema/operators_tsm.txt"):
        for line in read(path).splitlines():
            if not line or line.startswith("#"):
                continue
            name, rest = line[:line.index("(")], line[line.index("("):]
            arguments, returns = split(rest)
            found[name] = (len([a for a in arguments if a not in ("*", "...")]), "..." in arguments,
                           None if returns == ["..."] else len(returns))
    return found


def split(text):
    """The arguments and the results of a schema's "(...) -> ..."."""
    end = closing(text, 0)
    returns = text[end + 1:].strip()[2:].strip()
    if returns.startswith("(") and closing(returns, 0) == len(returns) - 1:
        returns = returns[1:-1]
    return commas(text[1:end]), commas(returns)


def closing(text, at):
    depth = 0
    for i in range(at, len(text)):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(text[i], 0)
        if depth == 0:
            return i
    raise ValueError(text)


def commas(text):
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(c, 0)
        if c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    return parts + [text[start:].strip()] if text[start:].strip() else parts

"""What the code of a program is for: sizes of libtsmobile's functions and constants by families of its sources."""
import os
import re
import sys

from consume import SOURCE, fail

sys.path.insert(0, os.path.join(SOURCE, "toolchain"))
import amalgamate  # noqa: E402

TEXTS, OPERATORS, LIBRARY = "texts of errors, names", "the program, its operator table", "C library, libm"
# Name, and which sources are of it; the first that fits counts.
FAMILIES = [
    ("files: loader, verifier", r"/flatbuffer/|/interpreter/(program|constants|instance)\.|^schema/"),
    ("interpreter", r"/interpreter/"),
    ("print, str, format", r"/value/(text|decimal)\.|/tensor/text_value\."),
    ("values, their memory", r"/value/|/include/"),
    ("conversions of elements", r"/tensor/(lanes|promotion|overflow)\.|/simd/casts"),
    ("tensors: shapes, copies, lines", r"/tensor/"),
    ("loops: products of matrices", r"/simd/(f32_gemm|f64|pack)"),
    ("loops: Winograd", r"/simd/f32_winograd|/nn/conv_winograd"),
    ("loops: depthwise", r"/simd/f32_depthwise"),
    ("loops: int8", r"/simd/q8"),
    ("loops: other float32, functions", r"/simd/"),
    ("convolutions, linear layers", r"/nn/(conv|im2col|finish|linear|narrow)"),
    ("pooling", r"/nn/pool"),
    ("interpolation", r"/nn/upsample"),
    ("recurrent layers", r"/nn/(rnn|recurse)"),
    ("attention", r"/nn/(attention|scaled)"),
    ("other layers", r"/nn/"),
    ("pointwise operators", r"/pointwise/"),
    ("reductions, sorting", r"/reduce/"),
    ("linear algebra, Fourier", r"/linalg/"),
    ("random numbers", r"/random/"),
    ("quantized operators", r"/quantize"),
    ("views, joining, indexing", r"/shape/"),
    ("strings, lists, dicts, numbers", r"/language/"),
    ("vision", r"/vision/"),
    ("what operators share", r"/kernels/"),
]
NAMES = [name for name, _ in FAMILIES] + [TEXTS, OPERATORS, LIBRARY]


class _Lines(list):
    """Lines, and the file that each is from."""

    def __init__(self):
        super().__init__()
        self.files, self.around = [], []

    def append(self, line):
        super().append(line)
        self.files.append(self.around[-1])


class _Amalgamation(amalgamate.Amalgamation):
    def __init__(self, source):
        super().__init__(source)
        self.lines = _Lines()

    def put(self, name, text):
        self.lines.around.append(name)
        super().put(name, text)
        self.lines.around.pop()


class Families:
    """Finds the family of a section of tsmobile.o, which was compiled of tsmobile.c with -g1."""

    def __init__(self, c, tools):
        self.c, self.tools = c, tools
        with open(c.path("tsmobile.c"), encoding="utf-8") as f:
            self.text = f.read()
        made = _Amalgamation(SOURCE)
        for name in amalgamate.sources(SOURCE):
            made.put(name, made.read(name))
        first = self.text[:self.text.index(made.lines[0])].count("\n")
        self.files = [None] * (first + 1) + made.lines.files
        self.family_of_symbol = {}
        self.defined = {}  # objects, of which -g1 tells nothing, and the lines of their definitions
        for number, line in enumerate(self.text.split("\n"), 1):
            m = re.match(r"[ \t]*(?:static|const)\b[^;={}(]*?\b(\w+) *(?:\[[^={}]*)?=", line)
            if m and (line[0] != " " or m[1] not in self.defined):
                self.defined[m[1]] = number
        for line in c.run(tools + "nm", "-l", "tsmobile.o").splitlines():
            m = re.match(r"\w+ \w (\S+)\t.*:(\d+)$", line)
            if m:
                self.family_of_symbol[m[1]] = self.family_of_line(int(m[2]))

    def family_of_line(self, line):
        name = self.files[line] if line < len(self.files) else None
        return next((family for family, sources in FAMILIES if name and re.search(sources, name)), OPERATORS)

    def family(self, section):
        """Of .text.FUNCTION, .rodata.OBJECT and the like."""
        if ".str1." in section:
            return TEXTS
        symbol = re.sub(r"^\.(text|rodata|data)\.(rel\.ro\.)?(local\.)?", "", section)
        if symbol not in self.family_of_symbol:
            name = re.sub(r"\.(isra|part|constprop|cold|\d).*", "", symbol)
            self.family_of_symbol[symbol] = self.family_of_line(self.defined.get(name, 0))
        return self.family_of_symbol[symbol]

    def of_library(self):
        """All operators."""
        sizes = dict.fromkeys(NAMES, 0)
        listed = self.c.run(self.tools + "objdump", "-h", "tsmobile.o")
        for name, size, flags in re.findall(r"^ *\d+ (\S+) +(\w{8}) .*\n +(.*)", listed, re.M):
            if "ALLOC" in flags and "CONTENTS" in flags and not name.startswith(".ARM"):
                sizes[self.family(name)] += int(size, 16)
        return sizes

    def of_program(self, linker_map, total, model):
        """A program: `total` bytes, of which the model takes some."""
        sizes = dict.fromkeys(NAMES, 0)
        with open(linker_map, encoding="utf-8") as f:
            live = f.read().split("Linker script and memory map")[1]
        for name, size, where in re.findall(r"^ (\.\S+)\s+0x[0-9a-f]+\s+0x([0-9a-f]+) (\S+)$", live, re.M):
            if not re.match(r"\.(text|rodata|data|init|ARM)", name):
                continue
            family = self.family(name) if where.endswith("tsmobile.o") else LIBRARY if re.search(r"\.a\(", where) else OPERATORS
            sizes[family] += int(size, 16)
        sizes[OPERATORS] -= model
        sizes[LIBRARY] += total - sum(sizes.values())  # start-up code, gaps
        if min(sizes.values()) < 0:
            fail("the linker's map does not tell what is in the program: %s" % sizes)
        return sizes


def table(columns):
    """Rows of the documentation, of {column: sizes}."""
    lines = ["| family | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for name in NAMES:
        lines.append("| %s | %s |" % (name, " | ".join("{:,}".format(s[name]) if s[name] else "" for s in columns.values())))
    return lines

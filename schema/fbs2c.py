#!/usr/bin/env python3
"""Makes the runtime's reader of .tsm files from the FlatBuffers schema.

  fbs2c.py SCHEMA.fbs OUT.h [--check]     --check: compares OUT.h with what would be written, and fails when it differs

For every table T: a type tsmf_T and for each of its fields an accessor tsmf_T_field(t). Absent strings read as "",
absent tables have .p == NULL and read as all defaults; vectors have tsmf_T_field_len(t) too. Elements of scalar and
struct vectors are a plain C array in the file, those of string and table vectors are read by tsmf_T_field(t, i), i not
checked. Accessors trust the file: tsm_flat_verify (runtime/flatbuffer/flatbuffer.h) must have accepted it, with the
descriptions that this file holds under TSMF_DESCRIBE.

Known of the schema language: namespace, file_identifier, file_extension, root_type, enum, struct of scalars, table with
scalars, structs, strings, tables and vectors of these, default values, (required), (deprecated), and (index: "VECTOR")
of uints, which are to be less than the length of this vector of the root table, or 4294967295 where that is the default
value. Anything else is an error."""
import re
import sys

# FlatBuffers' name: (C type, bytes)
SCALARS = {"bool": ("bool", 1), "ubyte": ("uint8_t", 1), "byte": ("int8_t", 1), "ushort": ("uint16_t", 2), "short": ("int16_t", 2),
           "uint": ("uint32_t", 4), "int": ("int32_t", 4), "ulong": ("uint64_t", 8), "long": ("int64_t", 8),
           "float": ("float", 4), "double": ("double", 8)}
TOKEN = re.compile(r'\s+|//[^\n]*|(?P<word>[A-Za-z_]\w*)|(?P<number>-?[0-9.]+)|(?P<text>"[^"]*")|(?P<mark>[{}()\[\]:;=,])')


def fail(message):
    sys.exit("fbs2c.py: " + message)


class Field:
    def __init__(self, name, kind, is_vector, default, attributes):
        self.name, self.kind, self.is_vector, self.default = name, kind, is_vector, default
        self.required, self.deprecated = "required" in attributes, "deprecated" in attributes
        self.index = attributes.get("index")


class Parser:
    """schema = { "namespace" word ";" | "file_identifier" text ";" | "file_extension" text ";" | "root_type" word ";"
                | "attribute" text ";" | "enum" word ":" word "{" word { "," word } "}"
                | ("struct" | "table") word "{" { field } "}" }"""

    def __init__(self, text):
        self.tokens, at = [], 0
        while at < len(text):
            m = TOKEN.match(text, at)
            if not m:
                fail("cannot read %r" % text[at:at + 20])
            if m.lastgroup:
                self.tokens.append(m.group())
            at = m.end()
        self.at = 0
        self.enums, self.structs, self.tables, self.root, self.identifier = {}, {}, {}, None, None

    def next(self, expected=None):
        if self.at == len(self.tokens):
            fail("unexpected end of the schema")
        token = self.tokens[self.at]
        if expected and token != expected:
            fail("%r expected, not %r" % (expected, token))
        self.at += 1
        return token

    def accept(self, token):
        found = self.at < len(self.tokens) and self.tokens[self.at] == token
        self.at += found
        return found

    def schema(self):
        while self.at < len(self.tokens):
            word = self.next()
            if word in ("namespace", "file_extension", "file_identifier", "root_type", "attribute"):
                value = self.next()
                self.next(";")
                if word == "file_identifier":
                    self.identifier = value.strip('"')
                elif word == "root_type":
                    self.root = value
            elif word == "enum":
                self.enum()
            elif word in ("struct", "table"):
                name = self.next()
                (self.structs if word == "struct" else self.tables)[name] = self.fields()
            else:
                fail("%r is not supported" % word)
        return self

    def enum(self):
        name = self.next()
        self.next(":")
        kind = self.next()
        self.next("{")
        members = []
        while not self.accept("}"):
            members.append(self.next())
            self.accept(",")
        self.enums[name] = (kind, members)

    def fields(self):
        """field = word ":" (word | "[" word "]") ["=" (word | number)] ["(" attribute { "," attribute } ")"] ";"
           attribute = word [":" text]"""
        self.next("{")
        fields = []
        while not self.accept("}"):
            name = self.next()
            self.next(":")
            is_vector = self.accept("[")
            kind = self.next()
            if is_vector:
                self.next("]")
            default = self.next() if self.accept("=") else None
            attributes = {}
            if self.accept("("):
                while not self.accept(")"):
                    attribute = self.next()
                    attributes[attribute] = self.next().strip('"') if self.accept(":") else True
                    self.accept(",")
            self.next(";")
            fields.append(Field(name, kind, is_vector, default, attributes))
        return fields


class Writer:
    def __init__(self, schema):
        self.s, self.lines = schema, []
        self.table_numbers = {name: i for i, name in enumerate(schema.tables)}

    def put(self, line=""):
        self.lines.append(line)

    def scalar(self, kind):
        """(C type, bytes) of a scalar or enum, or None."""
        if kind in self.s.enums:
            return SCALARS[self.s.enums[kind][0]]
        return SCALARS.get(kind)

    def struct_layout(self, name):
        """(bytes, alignment) of a struct."""
        at, align = 0, 1
        for f in self.s.structs[name]:
            size = self.scalar(f.kind)
            if not size and f.kind not in self.s.structs:
                fail("%s.%s: only scalars and structs may stand in a struct" % (name, f.name))
            bytes_, a = (size[1], size[1]) if size else self.struct_layout(f.kind)
            at = (at + a - 1) // a * a + bytes_
            align = max(align, a)
        return (at + align - 1) // align * align, align

    def c_type(self, kind):
        """Of an element of a vector or a member of a struct. A damaged file may have bools other than 0 and 1: they are
        bytes."""
        if kind in self.s.structs:
            return "tsmf_" + kind
        return "uint8_t" if kind == "bool" else self.scalar(kind)[0]

    def types(self):
        for name, (kind, members) in self.s.enums.items():
            self.put("enum {")
            for i, m in enumerate(members):
                self.put("    TSMF_%s_%s = %d," % (name, m, i))
            self.put("    TSMF_%s_COUNT = %d" % (name, len(members)))
            self.put("};")
        self.put()
        for name, fields in self.s.structs.items():
            self.put("typedef struct {")
            for f in fields:
                # 32-bit x86 aligns members of eight bytes to four.
                align = "_Alignas(8) " if self.scalar(f.kind) and self.scalar(f.kind)[1] == 8 else ""
                self.put("    %s%s %s;" % (align, self.c_type(f.kind), f.name))
            self.put("} tsmf_%s;" % name)
            self.put('_Static_assert(sizeof(tsmf_%s) == %d, "laid out as in the file");' % (name, self.struct_layout(name)[0]))
        self.put()
        for name in self.s.tables:
            self.put("typedef struct {\n    const uint8_t *p;\n} tsmf_%s;" % name)

    def function(self, returns, table, name, parameters, body):
        star = "" if returns.endswith("*") else " "
        line = "static inline %s%stsmf_%s_%s(tsmf_%s t%s) {" % (returns, star, table, name, table, parameters)
        self.put(line + (" return %s; }" % body if len(line) + len(body) < 108 else "\n    return %s;\n}" % body))

    def accessor(self, table, f, slot):
        at = "(t.p, %d" % slot
        if f.is_vector or f.kind == "string":
            self.function("uint32_t", table, f.name + "_len", "", "tsm_flat_length%s)" % at)
        if f.is_vector and f.kind == "string":
            self.function("const char *", table, f.name, ", uint32_t i", "(const char *)tsm_flat_element%s, i) + 4" % at)
        elif f.is_vector and f.kind in self.s.tables:
            self.function("tsmf_" + f.kind, table, f.name, ", uint32_t i", "(tsmf_%s){tsm_flat_element%s, i)}" % (f.kind, at))
        elif f.is_vector:
            c = self.c_type(f.kind)
            self.function("const %s *" % c, table, f.name, "", "(const %s *)tsm_flat_vector%s)" % (c, at))
        elif f.kind == "string":
            self.function("const char *", table, f.name, "", "tsm_flat_text%s)" % at)
        elif f.kind in self.s.tables:
            self.function("tsmf_" + f.kind, table, f.name, "", "(tsmf_%s){tsm_flat_table%s)}" % (f.kind, at))
        elif f.kind in self.s.structs:
            fail("%s.%s: structs in tables are not supported" % (table, f.name))
        else:
            self.scalar_accessor(table, f, at)

    def scalar_accessor(self, table, f, at):
        c, size = self.scalar(f.kind)
        if c == "float" or (c == "double" and f.default):
            fail("%s.%s: floats and defaults of doubles are not supported" % (table, f.name))
        if c == "double":
            return self.function(c, table, f.name, "", "tsm_flat_f64%s)" % at)
        default = self.s.enums[f.kind][1].index(f.default) if f.kind in self.s.enums and f.default else \
            {"true": 1, "false": 0, None: 0}.get(f.default, f.default)
        read = "tsm_flat_u%d%s, %d)" % (8 * size, at, int(default) % (1 << 8 * size))
        self.function(c, table, f.name, "", read if c[0] == "u" else "(%s)%s" % (c, read))

    def description(self, f):
        """One field for the verifier, as tsm_flat_field has it."""
        if f.deprecated:
            return "TSM_FLAT_FIELD(TSM_FLAT_SCALAR, 0, 1, 0)"
        if f.kind in self.s.tables:
            what, layout, table = "TABLE", (4, 4), self.table_numbers[f.kind]
        elif f.kind == "string":
            what, layout, table = "STRING", (4, 4), 0
        elif f.kind in self.s.structs:
            what, layout, table = "SCALAR", self.struct_layout(f.kind), 0
        elif self.scalar(f.kind):
            what, layout, table = "SCALAR", (self.scalar(f.kind)[1],) * 2, 0
        else:
            fail("unknown type " + f.kind)
        if f.index:
            if f.kind != "uint" or f.default not in (None, "4294967295"):
                fail("%s: only uints are indices" % f.name)
            what += " | TSM_FLAT_INDEX" + (" | TSM_FLAT_OPTIONAL" if f.default else "")
            table = [root.name for root in self.s.tables[self.s.root]].index(f.index)
        flags = "TSM_FLAT_" + what + (" | TSM_FLAT_VECTOR" if f.is_vector else "") + (" | TSM_FLAT_REQUIRED" if f.required else "")
        align, units = layout[1].bit_length() - 1, layout[0] // layout[1]
        if align > 3 or units > 8 or table > 31:
            fail("%s: tsm_flat_field is too small" % f.name)
        return "TSM_FLAT_FIELD(%s, %d, %d, %d)" % (flags, align, units, table)

    def check_depth(self, name, around=()):
        """tsm_flat_verify goes as deep as tables are in tables."""
        if name in around:
            fail("%s contains itself" % name)
        for f in self.s.tables[name]:
            if f.kind in self.s.tables:
                self.check_depth(f.kind, around + (name,))

    def write(self, source):
        self.check_depth(self.s.root)
        self.put("/* Made by schema/fbs2c.py from %s. */" % source)
        self.put("#ifndef TSMOBILE_READER_H\n#define TSMOBILE_READER_H\n")
        self.put('#include "runtime/flatbuffer/flatbuffer.h"\n')
        self.put('#define TSMF_IDENTIFIER "%s"' % self.s.identifier)
        self.types()
        self.put("\nstatic inline tsmf_%s tsmf_root(const void *file) { return (tsmf_%s){tsm_flat_root(file)}; }" %
                 (self.s.root, self.s.root))
        self.put("\n/* Slots of the root table's vectors. */\nenum {")
        for i, f in enumerate(self.s.tables[self.s.root]):
            if f.is_vector:
                self.put("    TSMF_SLOT_%s = %d," % (f.name, 4 + 2 * i))
        self.put("};")
        for name, fields in self.s.tables.items():
            self.put("\n/* %s */" % name)
            for i, f in enumerate(fields):
                if not f.deprecated:
                    self.accessor(name, f, 4 + 2 * i)
        self.put("\n#ifdef TSMF_DESCRIBE")
        self.put("static const tsm_flat_field tsmf_fields[] = {")
        for name, fields in self.s.tables.items():
            self.put("    /* %s */" % name)
            for f in fields:
                self.put("    %s, /* %s */" % (self.description(f), f.name))
        self.put("};\n\n/* Positions in tsmf_fields at which the tables' fields begin, and the end. */")
        starts, n = [], 0
        for fields in self.s.tables.values():
            starts.append(n)
            n += len(fields)
        if n > 255:
            fail("tsm_flat_schema.tables has bytes, and there are %d fields" % n)
        self.put("static const uint8_t tsmf_tables[] = {%s};" % ", ".join(map(str, starts + [n])))
        self.put("static const tsm_flat_schema tsmf_schema = {tsmf_fields, tsmf_tables, %d};" % self.table_numbers[self.s.root])
        self.put("#endif\n\n#endif")
        return "\n".join(self.lines) + "\n"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    source, out = sys.argv[1:3]
    text = Writer(Parser(open(source).read()).schema()).write("schema/" + source.replace("\\", "/").rpartition("/")[2])
    if sys.argv[3:] == ["--check"]:
        if open(out).read() != text:
            fail("%s is not what %s describes: run fbs2c.py" % (out, source))
        return
    with open(out, "w") as f:
        f.write(text)


if __name__ == "__main__":
    main()

"""Reads .tsm files into dicts and lists, and writes such, whatever they say, as well-formed FlatBuffers. For tests: the
files that tsmc would never write.

A table is a dict of the fields that are there; a struct is a tuple, flat; vectors are lists, those of bytes too. An
object that is referred to twice from one level is written once."""
import struct

from schema import Schema

SCHEMA = Schema()
VECTOR = 4


class Reader:
    def __init__(self, data):
        self.data = data

    def number(self, letter, at):
        return struct.unpack_from("<" + letter, self.data, at)[0]

    def follow(self, at):
        return at + self.number("I", at)

    def string(self, at):
        n = self.number("I", at)
        return self.data[at + 4:at + 4 + n].decode("latin-1")

    def table(self, name, at):
        virtual = at - self.number("i", at)
        found = {}
        for f in SCHEMA.tables[name]:
            distance = self.number("H", virtual + f.slot) if f.slot < self.number("H", virtual) else 0
            if distance:
                found[f.name] = self.field(f, at + distance)
        return found

    def field(self, f, at):
        scalar = SCHEMA.scalar(f.kind)
        if not f.is_vector:
            return self.number(scalar[0], at) if scalar else self.target(f, self.follow(at))
        at = self.follow(at)
        n = self.number("I", at)
        if scalar:
            return list(struct.unpack_from("<%d%s" % (n, scalar[0]), self.data, at + 4))
        if f.kind in SCHEMA.structs:
            letters = "<" + SCHEMA.letters(f.kind)[0]
            return list(struct.iter_unpack(letters, self.data[at + 4:at + 4 + n * struct.calcsize(letters)]))
        return [self.target(f, self.follow(at + 4 + 4 * i)) for i in range(n)]

    def target(self, f, at):
        return self.string(at) if f.kind == "string" else self.table(f.kind, at)


def read(data):
    """The program and the bytes of the segment."""
    r = Reader(data)
    program = r.table("Program", r.follow(0))
    at, n = program.get("segment_offset", 0), program.get("segment_bytes", 0)
    return program, data[at:at + n]


class Writer:
    """Objects are written breadth first, so that all references to one are known before it is placed."""

    def __init__(self):
        self.data = bytearray(b"\0\0\0\0TSM1")
        self.waiting = [None]  # (what, object, positions of references)
        self.by_object, self.written = {}, 1

    def refer(self, at, what, thing):
        key = (id(thing), str(what))
        if self.by_object.get(key, 0) < self.written:  # references lead forward
            self.by_object[key] = len(self.waiting)
            self.waiting.append((what, thing, []))
        self.waiting[self.by_object[key]][2].append(at)

    def align(self, n):
        self.data += b"\0" * (-len(self.data) % n)

    def place(self, references):
        for at in references:
            struct.pack_into("<I", self.data, at, len(self.data) - at)

    def write(self, program):
        self.refer(0, "Program", program)
        while self.written < len(self.waiting):
            what, thing, references = self.waiting[self.written]
            self.written += 1
            if what == "string":
                self.string(thing, references)
            elif isinstance(what, str):
                self.table(what, thing, references)
            else:
                self.vector(what, thing, references)
        return bytes(self.data)

    def string(self, text, references):
        self.align(4)
        self.place(references)
        text = text.encode("latin-1")
        self.data += struct.pack("<I", len(text)) + text + b"\0"

    def table(self, name, fields, references):
        known = SCHEMA.tables[name]
        places, at = {}, 4
        for f in known:
            if f.name in fields:
                size = SCHEMA.scalar(f.kind)[1] if SCHEMA.scalar(f.kind) and not f.is_vector else 4
                at += -at % size
                places[f.name] = at
                at += size
        virtual = struct.pack("<HH", 4 + 2 * len(known), at) + b"".join(
            struct.pack("<H", places.get(f.name, 0)) for f in known)
        self.align(8)
        self.data += virtual
        self.align(8)
        self.place(references)
        begin = len(self.data)
        self.data += struct.pack("<i", -(-len(virtual) // 8) * 8) + b"\0" * (at - 4)
        for f in known:
            if f.name in places:
                self.inline(f, fields[f.name], begin + places[f.name])

    def inline(self, f, value, at):
        scalar = SCHEMA.scalar(f.kind)
        if f.is_vector:
            self.refer(at, f, value)
        elif scalar:
            struct.pack_into("<" + scalar[0], self.data, at, value)
        else:
            self.refer(at, f.kind, value)

    def vector(self, f, items, references):
        scalar = SCHEMA.scalar(f.kind)
        letters, align = scalar if scalar else SCHEMA.letters(f.kind) if f.kind in SCHEMA.structs else ("I", 4)
        self.align(4)
        if align == 8 and len(self.data) % 8 == 0:
            self.data += b"\0\0\0\0"
        self.place(references)
        self.data += struct.pack("<I", len(items))
        for item in items:
            if scalar:
                self.data += struct.pack("<" + letters, item)
            elif f.kind in SCHEMA.structs:
                self.data += struct.pack("<" + letters, *item)
            else:
                self.refer(len(self.data), f.kind, item)
                self.data += b"\0\0\0\0"


def place_of(data, *path):
    """Where a field stands, by names of fields from the root table on and positions in vectors of tables; or None."""
    r = Reader(data)
    table, at, place = "Program", r.follow(0), None
    for i, step in enumerate(path):
        if isinstance(step, int):
            at = r.follow(at + 4 + 4 * step)
            continue
        f = [f for f in SCHEMA.tables[table] if f.name == step][0]
        distance = r.number("H", at - r.number("i", at) + f.slot)
        place = at + distance if distance else None
        if i + 1 < len(path):
            table, at = f.kind, r.follow(place)
    return place


def write(program, segment=b"", fill=True):
    """The bytes of a file. The segment's place and size are filled in, unless not."""
    if fill:
        program["segment_bytes"], program["segment_offset"] = len(segment), 0
    data = bytearray(Writer().write(program))
    data += b"\0" * (-len(data) % 64)
    if fill:
        struct.pack_into("<Q", data, place_of(data, "segment_offset"), len(data))
    return bytes(data) + segment

#!/usr/bin/env python3
"""Archives as other machines and programs write them: other byte orders, zip64, more than 4 GiB.

    test_archives.py TSMC"""
import os
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
MODEL = os.path.join(HERE, "..", "models", "digits.pt")
VALUES = os.path.join(HERE, "values.pt")
TSMC = sys.argv[1]
HOLE = (4 << 30) + 12345


def members():
    """(name, bytes) of the model's archive."""
    with zipfile.ZipFile(MODEL) as z:
        return [(name, z.read(name)) for name in z.namelist()]


def turned_round(content):
    """Numbers of four bytes with the first byte last."""
    return b"".join(content[i:i + 4][::-1] for i in range(0, len(content), 4))


def write_zip64(f, entries, hole=None):
    """A stored zip file with all sizes and places in zip64 fields. `hole`: the name of a first entry of HOLE bytes
    that take no place on the disk; its checksum is wrong, and nobody looks."""
    directory = b""
    for name, content in ([(hole, None)] if hole else []) + entries:
        size, crc = (HOLE, 0) if content is None else (len(content), zlib.crc32(content))
        place, path = f.tell(), name.encode()
        f.write(struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 45, 0, 0, 0, 0, crc, 0xffffffff, 0xffffffff, len(path), 20) + path +
                struct.pack("<HHQQ", 1, 16, size, size))
        if content is None:
            f.seek(HOLE, os.SEEK_CUR)
        else:
            f.write(content)
        directory += struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 45, 45, 0, 0, 0, 0, crc, 0xffffffff, 0xffffffff, len(path), 28, 0, 0,
                                 0, 0, 0xffffffff) + path + struct.pack("<HHQQQ", 1, 24, size, size, place)
    start, count = f.tell(), len(entries) + bool(hole)
    f.write(directory)
    end = f.tell()
    f.write(struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, count, count, len(directory), start) +
            struct.pack("<4sIQI", b"PK\6\7", 0, end, 1) +
            struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 0xffff, 0xffff, 0xffffffff, 0xffffffff, 0))


class Archives(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.wanted = self.exported(MODEL)

    def path(self, name):
        return os.path.join(self.folder, name)

    def exported(self, archive):
        """The file, stripped: it does not name the archive."""
        p = subprocess.run([TSMC, archive, "--strip", "-o", self.path("m.tsm")], capture_output=True, text=True)
        self.assertEqual(p.returncode, 0, p.stderr)
        with open(self.path("m.tsm"), "rb") as f:
            return f.read()

    def test_byte_orders(self):
        top = members()[0][0].partition("/")[0]
        for order in ("little", "big"):
            with self.subTest(order), zipfile.ZipFile(self.path("m.pt"), "w") as z:
                for name, content in members():
                    if name.endswith("byteorder"):
                        continue
                    numbers = "/data/" in name or "/constants/" in name
                    z.writestr(name, turned_round(content) if order == "big" and numbers else content)
                z.writestr(top + "/byteorder", order)
            self.assertEqual(len(self.exported(self.path("m.pt"))), len(self.wanted))
            self.assertEqual(self.exported(self.path("m.pt")), self.wanted)

    def test_zip64(self):
        with open(self.path("m.pt"), "wb") as f:
            write_zip64(f, members())
        self.assertEqual(self.exported(self.path("m.pt")), self.wanted)

    def test_damaged_zip64(self):
        """Wide fields that are missing, reach beyond their record, or point nowhere."""
        with open(self.path("m.pt"), "wb") as f:
            write_zip64(f, members())
        with open(self.path("m.pt"), "rb") as f:
            whole = f.read()
        at = whole.rindex(b"PK\1\2")
        extra = at + 46 + struct.unpack("<H", whole[at + 28:at + 30])[0]
        for place, damage, text in [(extra, b"\2", "is damaged"), (extra + 2, b"\xff\xff", "is damaged"), (extra + 2, b"\x10", "is damaged"),
                                    (extra + 20, b"\xff" * 8, "its header is damaged"), (extra + 4, b"\1" * 16, "reaches beyond")]:
            with self.subTest(text, place=place - extra):
                with open(self.path("m.pt"), "wb") as f:
                    f.write(whole[:place] + damage + whole[place + len(damage):])
                p = subprocess.run([TSMC, self.path("m.pt"), "-o", self.path("m.tsm")], capture_output=True, text=True)
                self.assertEqual(p.returncode, 2, p.stderr)
                self.assertIn(text, p.stderr)

    def test_code_of_another_form(self):
        """Programs that torch.jit.save does not write: refused, each with a reason."""
        for old, new, text in [(b"RED = 1", b"RED : 1", "Expected a literal as the value of enum member 'RED'"),
                               (b"def text(self: __torch__.Values,\n    x: str)", b"def text()", "methods must have a self argument")]:
            with self.subTest(text):
                with zipfile.ZipFile(VALUES) as values, zipfile.ZipFile(self.path("m.pt"), "w") as z:
                    contents = {name: values.read(name) for name in values.namelist()}
                    self.assertTrue(any(old in content for content in contents.values()))
                    for name, content in contents.items():
                        z.writestr(name, content.replace(old, new))
                p = subprocess.run([TSMC, self.path("m.pt"), "-o", self.path("m.tsm")], capture_output=True, text=True)
                self.assertEqual(p.returncode, 2, p.stderr)
                self.assertIn(text, p.stderr)

    def test_more_than_four_gib(self):
        top = members()[0][0].partition("/")[0]
        with open(self.path("m.pt"), "wb") as f:
            write_zip64(f, members(), top + "/extra/hole")
        self.assertGreater(os.path.getsize(self.path("m.pt")), 4 << 30)
        self.assertEqual(self.exported(self.path("m.pt")), self.wanted)

    def test_more_than_four_gib_of_nothing(self):
        with open(self.path("m.pt"), "wb") as f:
            f.write(b"PK\3\4")
            f.truncate(HOLE)
        p = subprocess.run([TSMC, self.path("m.pt"), "-o", self.path("m.tsm")], capture_output=True, text=True)
        self.assertEqual(p.returncode, 2, p.stderr)
        self.assertIn("is not a zip archive, or its end is missing", p.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

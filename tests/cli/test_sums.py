#!/usr/bin/env python3
"""Checksums of .tsm files: whatever bit of a file is wrong, tsmrun and tsmc --check say so.

  test_sums.py TSMC TSMRUN TSMRUN_SERVER STEP

Of the bits of a file every STEP-th one is changed; runs with sanitizers take too long for all."""
import json
import os
import shlex
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir))
from fork_server import ForkServer  # noqa: E402

TSMC, TSMRUN, SERVER, STEP = sys.argv[1], shlex.split(sys.argv[2]), sys.argv[3], int(sys.argv[4])
OK, BAD_INPUT = 0, 2
SOURCE = "def f(x: int) -> int:\n    return x + 1\n"
MODULE = """import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.arange(60000)

    def forward(self, x: int):
        return self.a[x]
"""


class Sums(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.inputs = self.write("in.json", json.dumps([3]).encode())

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as f:
            f.write(data)
        return self.path(name)

    def export(self, source, name, *options):
        source, out = self.write("source.py", source.encode()), self.path("out.tsm")
        p = subprocess.run([TSMC, source + ":" + name, "-o", out, *options], capture_output=True, text=True)
        self.assertEqual(p.returncode, OK, p.stderr)
        with open(out, "rb") as f:
            return f.read()

    def check(self, data):
        return subprocess.run([TSMC, "--check", self.write("checked.tsm", data)], capture_output=True, text=True)

    def flipped(self, data, bit):
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        return bytes(changed)

    def test_every_bit(self):
        data = self.export(SOURCE, "f", "--strip")
        server = ForkServer(SERVER)
        self.addCleanup(server.close)
        for bit in range(0, 8 * len(data), STEP):
            status, _, error = server.run([self.write("flipped.tsm", self.flipped(data, bit)), "--inputs", self.inputs])
            self.assertEqual(status, BAD_INPUT, (bit, error))
            self.assertTrue(error, bit)
        status, _, error = server.run([self.write("flipped.tsm", data), "--inputs", self.inputs])
        self.assertEqual(status, OK, error)

    def test_weights(self):
        """The text says which 64 KiB are damaged."""
        data = self.export(MODULE, "Net")
        p = self.check(data)
        self.assertEqual((p.returncode, p.stdout.split(": ")[1]), (OK, "whole; %d bytes, checksums compared\n" % len(data)), p.stderr)
        segment = len(data) - 480000
        self.assertEqual(segment % 64, 0)
        for at in (0, 1, 65535, 65536, 200000, 479999):
            piece = at // 65536
            first, last = segment + 65536 * piece, min(segment + 65536 * (piece + 1), len(data)) - 1
            damaged = self.flipped(data, 8 * (segment + at) + 5)
            text = "the file is damaged in its weights, bytes %d to %d" % (first, last)
            p = self.check(damaged)
            self.assertEqual(p.returncode, BAD_INPUT)
            self.assertIn(text, p.stderr)
            p = subprocess.run([*TSMRUN, self.path("checked.tsm"), "--inputs", self.inputs], capture_output=True, text=True)
            self.assertEqual(p.returncode, BAD_INPUT)
            self.assertIn(text, p.stderr)
        swapped = data[:segment] + data[segment + 65536:segment + 131072] + data[segment:segment + 65536] + data[segment + 131072:]
        self.assertIn("in its weights", self.check(swapped).stderr)
        for changed in (data[:-1], data + b"\0", data[:segment - 16] + bytes(16) + data[segment:]):
            self.assertEqual(self.check(changed).returncode, BAD_INPUT)

    def test_as_documented(self):
        """The checksums, computed from docs/format.md alone."""
        def sum_of(piece):
            lanes = [1, 2, 3, 4]
            whole = piece + bytes(16 - len(piece) % 16)
            for i, (word,) in enumerate(struct.iter_unpack("<I", whole)):
                x = lanes[i % 4] + word * 0x2545f491 & 0xffffffff
                lanes[i % 4] = (x << 13 | x >> 19) * 0x9e3779b9 & 0xffffffff
            total = len(piece)
            for lane in lanes:
                x = total ^ lane
                total = (x << 17 | x >> 15) * 0x9e3779b9 & 0xffffffff
            return total ^ total >> 15
        for data, weights in ((self.export(SOURCE, "f"), 0), (self.export(MODULE, "Net"), 480000)):
            segment = len(data) - weights
            count, piece_bytes, total, mark = struct.unpack_from("<IIII", data, segment - 16)
            self.assertEqual((count, piece_bytes, mark), (1 + (weights + 65535) // 65536, 65536, 0x534d5553))
            sums = segment - 16 - 4 * count
            self.assertEqual(total, sum_of(data[sums:segment - 8]))
            pieces = [data[:sums]] + [data[at:at + 65536] for at in range(segment, len(data), 65536)]
            self.assertEqual(list(struct.unpack_from("<%dI" % count, data, sums)), [sum_of(piece) for piece in pieces])

    def test_old_files(self):
        """Files of versions without checksums run; --check refuses them, because it cannot check them."""
        for version in ("0.1.0", "0.2.0"):
            old = os.path.join(HERE, os.pardir, "versions", version + ".tsm")
            p = subprocess.run([TSMC, "--check", old], capture_output=True, text=True)
            self.assertEqual(p.returncode, BAD_INPUT)
            self.assertIn("the file has no checksums: an older tsmc made it", p.stderr)

    def test_usage(self):
        self.assertIn("is not a .tsm file", self.check(b"PK" + bytes(100)).stderr)
        self.assertIn("cannot be opened", subprocess.run([TSMC, "--check", self.path("none")], capture_output=True, text=True).stderr)
        p = subprocess.run([TSMC, "--check", self.path("none"), "-o", self.path("out")], capture_output=True, text=True)
        self.assertEqual(p.returncode, BAD_INPUT)
        self.assertIn("--check goes with no other option", p.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])

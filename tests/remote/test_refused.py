#!/usr/bin/env python3
"""test_refused.py TSMC: what tsmc says of the sources of refused.py is what PyTorch says (expected.json)."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import refused

FOLDER = os.path.dirname(os.path.abspath(__file__))
TSMC = sys.argv.pop(1)


class Refused(unittest.TestCase):
    def compile(self, source):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "source.py")
            with open(path, "w") as f:
                f.write(refused.PREFIX + source)
            return subprocess.run([TSMC, path + ":f", "-o", os.path.join(folder, "out.tsm")], capture_output=True, text=True)

    def test_messages(self):
        with open(os.path.join(FOLDER, "expected.json")) as f:
            expected = json.load(f)["refusals"]
        self.assertEqual(set(expected), set(refused.SOURCES))
        for name, source in refused.SOURCES.items():
            with self.subTest(name):
                said = self.compile(source)
                self.assertEqual(said.returncode, 2)
                self.assertIn(expected[name], said.stderr)

    def test_archives_have_lost_the_arguments(self):
        """lost_arguments.pt is what PyTorch 1.13.1 saves of a module that calls rpc_sync, and cannot load again."""
        archive = os.path.join(FOLDER, "lost_arguments.pt")
        said = subprocess.run([TSMC, archive, "-o", os.devnull], capture_output=True, text=True)
        self.assertEqual(said.returncode, 2)
        self.assertIn("PyTorch saves it without its arguments; give tsmc the program as .py", said.stderr)


if __name__ == "__main__":
    unittest.main()

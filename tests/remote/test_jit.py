#!/usr/bin/env python3
"""test_jit.py TSMC TSMRUN FOLDER: the programs of PyTorch's own tests of RPC in TorchScript, as they are installed in
FOLDER (of the package torch), do with three workers, a process each, over tcp on the loopback what they do with three
of PyTorch (jit/expected.json, which jit/record_jit.py writes): results, what they print, exceptions, messages of the
compiler."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(FOLDER, os.pardir), os.path.join(FOLDER, "jit")]
import answers  # noqa: E402
import record_jit as record  # noqa: E402
import refused_jit as refused  # noqa: E402
from workers import ask_at_once, free_ports  # noqa: E402
TSMC, TSMRUN, TORCH = sys.argv[1:4]
del sys.argv[1:4]
NOT_SERVED = {"python_function", "nonexisting_script"}
# Where PyTorch calls Python, which a device has not.
PYTHON = {"test_rref_python_annotation": "This Python function is annotated to be ignored and cannot be run"}
MODULE = "construct_my_script_module"  # its body is Python's: a method of the program's answers for it


def comparable(answer):
    """Numbers of RRefs are each side's own; exceptions of Python have no name in front."""
    if "raises" not in answer:
        return answer
    return dict(answer, raises=re.sub(r"local_id=\d+", "", record.message(answer["raises"])).replace("RuntimeError: ", ""))


def message(text):
    """Without what PyTorch prints of tensors that are defaults."""
    return re.sub(r"= ?( *\d+\n)+\[ \w+\{\d+\} \]", "=...", text)


class Jit(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        with open(os.path.join(FOLDER, "jit", "expected.json")) as f:
            self.expected = json.load(f)

    def compile(self, file, entry, more=""):
        """What tsmc says, and the program."""
        path, out = os.path.join(self.folder, file + ".py"), os.path.join(self.folder, entry + ".tsm")
        with open(path, "w") as f:
            f.write(record.joined(file, TORCH) + more)
        said = subprocess.run([TSMC, path + ":" + entry, "-o", out], capture_output=True, text=True)
        return said, out

    def served(self, file):
        """The qualified names of the functions of a file and of PyTorch's before it."""
        names = re.findall(r"(?m)^def (\w+)", record.joined(file, TORCH))
        allowed = ["__torch__.%s.%s" % (file, n) for n in names if n not in NOT_SERVED | {MODULE}]
        return allowed + ["__torch__.%s.%s=my_script_module" % (file, MODULE)] * (MODULE in names)

    def compare(self, file, entry):
        said, program = self.compile(file, entry)
        self.assertEqual(said.returncode, 0, said.stderr)
        expected = [rank.get(entry) for rank in self.expected["answers"][file]]
        self.assertGreater(len(expected[0]), 2)
        addresses, allowed = ["tcp://127.0.0.1:%d" % p for p in free_ports(3)], self.served(file)
        for case in sorted(expected[0]):
            with self.subTest(case):
                got = ask_at_once(self, self.folder, TSMRUN, program, case, addresses, allowed)
                if case in PYTHON:
                    self.assertIn(PYTHON[case], got[0]["raises"])
                    continue
                for rank in range(3 if case in expected[1] else 1):
                    self.assertIsNone(answers.differs(comparable(got[rank]), comparable(expected[rank][case]), "worker%d" % rank))

    def test_rpc_test(self):
        self.compare("rpc_test", "Cases")

    def test_functions_that_one_worker_has(self):
        self.compare("rpc_test", "Undefined")

    def test_rpc_test_faulty(self):
        self.compare("rpc_test_faulty", "Cases")

    def test_dist_autograd_test(self):
        self.compare("dist_autograd_test", "Cases")

    def test_all_functions_compile(self):
        """Those that PyTorch compiles where it reads the files."""
        for file in record.FILES:
            text = record.joined(file, TORCH)
            names = re.findall(r"(?m)^@torch\.jit\.script\ndef (\w+)", text)
            self.assertGreater(len(names), 3)
            for name in names:
                with self.subTest(name):
                    said, _ = self.compile(file, name)
                    self.assertEqual(said.returncode, 0, said.stderr)

    def test_messages(self):
        self.assertEqual(set(self.expected["refusals"]), set(refused.SOURCES))
        for name, source in refused.SOURCES.items():
            with self.subTest(name):
                said, _ = self.compile("rpc_test", "f", source)
                self.assertEqual(said.returncode, 2)
                self.assertIn(message(self.expected["refusals"][name]).replace("." + name + ".", ".rpc_test."), said.stderr)

    def test_left_out(self):
        for name, (source, why) in refused.LEFT_OUT.items():
            with self.subTest(name):
                said, _ = self.compile("dist_autograd_test", "f", source)
                self.assertEqual(said.returncode, 2)
                self.assertIn(why, said.stderr)


if __name__ == "__main__":
    if not os.path.exists(os.path.join(TORCH, record.INSTALLED % "rpc_test")):
        print("PyTorch 1.13 with its tests is not at %s (toolchain/setup.sh torch)" % TORCH)
        sys.exit(77)
    unittest.main()

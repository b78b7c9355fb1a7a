#!/usr/bin/env python3
"""test_processes.py TSMRUN CALLS.tsm KEEPING.tsm: three workers, a process each, run the cases of programs.py all at
the same time over nng on the loopback, and answer as PyTorch's three workers do (expected.json)."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(FOLDER, os.pardir))
import answers  # noqa: E402
from workers import WORKERS, Worker, ask_at_once, free_ports  # noqa: E402
TSMRUN, PROGRAM, KEEPING = sys.argv[1:4]
del sys.argv[1:4]
FUNCTIONS = """nothing scale sum_defaults assorted describe fails forks_and_fails forks numbers extend bring here_only hand_back
is_confirmed ask_next make_at make_counter count_on spin""".split()


ALLOWED = ["__torch__.programs." + name for name in FUNCTIONS]


def start(rank, addresses, calls=(), allowed=ALLOWED, serve=True, other=()):
    return Worker(TSMRUN, PROGRAM, rank, addresses, calls, allowed, serve, other)


class Processes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def at_once(self, case, addresses, program=PROGRAM):
        return ask_at_once(self, self.folder, TSMRUN, program, case, addresses, ALLOWED)

    def test_cases(self):
        with open(os.path.join(FOLDER, "expected.json")) as f:
            expected = json.load(f)["answers"]
        self.assertGreater(len(expected[0]), 30)
        ports = free_ports(3)
        for case in sorted(expected[0]):
            if case == "copied_object":  # PyTorch cannot send objects
                continue
            with self.subTest(case):
                got = self.at_once(case, ["tcp://127.0.0.1:%d" % p for p in ports])
                for rank in range(3):
                    self.assertIsNone(answers.differs(got[rank], expected[rank][case], "worker%d" % rank))

    def test_ipc(self):
        addresses = ["ipc://%s/w%d" % (self.folder, i) for i in range(3)]
        for got in self.at_once("to_a_third", addresses):
            self.assertIn("result", got)

    def test_much_at_once(self):
        """Each sends the others more than the connections take, before it receives anything."""
        addresses = ["ipc://%s/w%d" % (self.folder, i) for i in range(3)]
        self.assertEqual(self.at_once("much_at_once", addresses, KEEPING), [{"result": True}] * 3)

    def certify(self, name, authority):
        """Files of a certificate and key that an authority has signed, or, without one, of an authority."""
        path = os.path.join(self.folder, name)
        made = ["openssl", "req", "-newkey", "rsa:2048", "-nodes", "-keyout", path + ".key"]
        if not authority:
            subprocess.run(made + ["-x509", "-days", "2", "-subj", "/CN=" + name, "-out", path + ".pem"], check=True,
                           stderr=subprocess.DEVNULL)
            return path
        subprocess.run(made + ["-subj", "/CN=127.0.0.1", "-out", path + ".csr"], check=True, stderr=subprocess.DEVNULL)
        subprocess.run(["openssl", "x509", "-req", "-in", path + ".csr", "-CA", authority + ".pem", "-CAkey", authority + ".key",
                        "-CAcreateserial", "-days", "2", "-out", path + ".pem"], check=True, stderr=subprocess.DEVNULL)
        return path

    def over_tls(self, asking, serving, authority):
        """The exit status and the errors of a worker that asks another one."""
        ports, inputs = free_ports(2), os.path.join(self.folder, "in.json")
        addresses = ["tls+tcp://127.0.0.1:%d" % p for p in ports]
        with open(inputs, "w") as f:
            json.dump(["worker1"] * 3, f)

        def files(path):
            return ["--rpc-cert", path + ".pem", "--rpc-key", path + ".key", "--rpc-ca", authority + ".pem"]

        served = start(1, addresses, other=files(serving))
        served.wait_until_it_serves()
        asked = start(0, addresses, ["--method", "forward", "--inputs", inputs, "--outputs", os.path.join(self.folder, "out.json")],
                       serve=False, other=files(asking))
        said = asked.process.communicate(timeout=90)[1]
        served.end()
        return asked.process.returncode, said

    def test_tls(self):
        ours, theirs = self.certify("ours", None), self.certify("theirs", None)
        good, other, bad = self.certify("a", ours), self.certify("b", ours), self.certify("c", theirs)
        self.assertEqual(self.over_tls(good, other, ours)[0], 0)
        self.assertEqual(self.over_tls(bad, other, ours)[0], 2)
        self.assertIn("a worker cannot be made at tls+tcp://", self.refused("--rpc-name", "a", "--rpc-listen", "tls+tcp://127.0.0.1:0"))

    def test_a_worker_that_is_killed(self):
        """Whoever waits for it hears of it, and the others go on."""
        addresses = ["ipc://%s/w%d" % (self.folder, i) for i in range(3)]
        inputs = os.path.join(self.folder, "in.json")
        with open(inputs, "w") as f:
            json.dump(["worker1", "worker2", "worker0"], f)
        serving = [start(1, addresses), start(2, addresses)]
        for w in serving:
            w.wait_until_it_serves()
        asking = start(0, addresses, ["--method", "too_slow", "--inputs", inputs], serve=False)
        serving[0].process.kill()
        serving[0].process.communicate()
        said = asking.process.communicate(timeout=60)[1]
        self.assertIn(asking.process.returncode, (1, 2))
        self.assertRegex(said, "worker1 is lost|RPC ran for more than set timeout|can(not)? be reached")
        self.assertEqual(serving[1].end(), 0)

    def test_what_is_not_allowed(self):
        addresses = ["ipc://%s/w%d" % (self.folder, i) for i in range(3)]
        inputs = os.path.join(self.folder, "in.json")
        with open(inputs, "w") as f:
            json.dump(["worker1", "worker2", "worker0"], f)
        serving = [start(1, addresses, allowed=["__torch__.programs.nothing"]), start(2, addresses)]
        for w in serving:
            w.wait_until_it_serves()
        asking = start(0, addresses, ["--method", "forward", "--inputs", inputs], serve=False)
        said = asking.process.communicate(timeout=60)[1]
        self.assertEqual(asking.process.returncode, 1)
        self.assertIn("attempted to get undefined function scale", said)
        for w in serving:
            self.assertEqual(w.end(), 0)

    def refused(self, *options):
        said = subprocess.run([TSMRUN, PROGRAM, "--method", "forward", *options], capture_output=True, text=True)
        self.assertEqual(said.returncode, 2)
        return said.stderr

    def test_wrong_usage(self):
        self.assertIn("--rpc-peer needs NAME=URL, not 'worker1'", self.refused("--rpc-name", "a", "--rpc-peer", "worker1"))
        self.assertIn("give it a --rpc-name", self.refused("--rpc-listen", "tcp://127.0.0.1:1"))
        self.assertIn("--rpc-serve needs --rpc-listen URL", self.refused("--rpc-name", "a", "--rpc-serve"))
        self.assertIn("two workers are called a", self.refused("--rpc-name", "a", "--rpc-peer", "a=ipc:///nowhere"))
        self.assertIn("a worker cannot be made at nowhere://", self.refused("--rpc-name", "a", "--rpc-listen", "nowhere://"))


if __name__ == "__main__":
    unittest.main()

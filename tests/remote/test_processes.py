#!/usr/bin/env python3
"""test_processes.py TSMRUN CALLS.tsm KEEPING.tsm [STUCK.so]: three workers, a process each, run the cases of
programs.py all at the same time over nng on the loopback, and answer as PyTorch's three workers do (expected.json).
Without STUCK.so, which takes the place of a shared nng, one test is left out."""
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(FOLDER, os.pardir))
import answers  # noqa: E402
from workers import WORKERS, Worker, ask_at_once, free_ports  # noqa: E402
TSMRUN, PROGRAM, KEEPING = sys.argv[1:4]
STUCK = sys.argv[4] if len(sys.argv) > 4 else None
del sys.argv[1:]
FUNCTIONS = """nothing scale sum_defaults assorted describe fails forks_and_fails forks numbers extend bring here_only hand_back
is_confirmed ask_next make_at make_counter count_on spin""".split()


ALLOWED = ["__torch__.programs." + name for name in FUNCTIONS]


def start(rank, addresses, calls=(), allowed=ALLOWED, serve=True, other=(), program=PROGRAM):
    return Worker(TSMRUN, program, rank, addresses, calls, allowed, serve, other)


def has_worked(worker, seconds):
    """Waits until a process has used so much time of a processor: it is within a call."""
    ticks = os.sysconf("SC_CLK_TCK")
    for _ in range(6000):
        with open("/proc/%d/stat" % worker.process.pid) as f:
            if int(f.read().rpartition(")")[2].split()[11]) >= seconds * ticks:
                return
        time.sleep(0.01)
    raise AssertionError("it does nothing")


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

    def asks(self, rank, addresses, method, serve=False):
        """A worker that calls a method of Keeping."""
        inputs = os.path.join(self.folder, "in%d.json" % rank)
        with open(inputs, "w") as f:
            json.dump([WORKERS[(rank + i) % 3] for i in (1, 2, 0)], f)
        return start(rank, addresses, ["--method", method, "--inputs", inputs], serve=serve, program=KEEPING)

    def serving(self, ranks, addresses):
        workers = [start(rank, addresses, program=KEEPING) for rank in ranks]
        for w in workers:
            w.wait_until_it_serves()
        return workers

    def kill(self, worker):
        worker.process.kill()
        worker.process.communicate()

    def test_killed_while_it_serves(self):
        """Who waits hears of it long before the call's time is over, with PyTorch's text; another goes on."""
        for kind in ("ipc", "tcp"):
            with self.subTest(kind):
                addresses = {"ipc": ["ipc://%s/w%d" % (self.folder, i) for i in range(3)],
                             "tcp": ["tcp://127.0.0.1:%d" % p for p in free_ports(3)]}[kind]
                one, two = self.serving([1, 2], addresses)
                asking = self.asks(0, addresses, "ask_for_long")
                has_worked(one, 0.3)
                begin = time.monotonic()
                self.kill(one)
                self.assertEqual(asking.communicate(), 1)
                self.assertLess(time.monotonic() - begin, 30)
                self.assertIn("EOF: end of file (worker worker1 is lost)", "".join(asking.said))
                self.assertEqual(two.end(), 0)

    def test_killed_while_it_asks(self):
        """Who serves it goes on: it answers another one."""
        addresses = ["ipc://%s/w%d" % (self.folder, i) for i in range(3)]
        (one,) = self.serving([1], addresses)
        idle = start(2, addresses, program=KEEPING)
        asking = self.asks(0, addresses, "keep_many", serve=True)
        asking.wait_until_it_serves()  # it has asked both, and holds RRefs of both
        self.kill(asking)
        idle.wait_until_it_serves()
        idle.end()
        again = start(0, addresses, program=KEEPING)
        other = self.asks(2, addresses, "keep_many")  # asks 0 and 1
        self.assertEqual(other.communicate(), 0, other.said)
        for w in (one, again):
            begin = time.monotonic()
            self.assertEqual(w.end(), 0)
            self.assertLess(time.monotonic() - begin, 20)

    def test_killed_while_others_hold_its_rrefs(self):
        """Its RRefs have no value any more, those of others have; who holds fifty of both ends soon."""
        addresses = ["ipc://%s/w%d" % (self.folder, i) for i in range(3)]
        one, two = self.serving([1, 2], addresses)
        asking = self.asks(0, addresses, "keep_many", serve=True)
        asking.wait_until_it_serves()
        self.kill(one)
        begin = time.monotonic()
        self.assertEqual(asking.end(), 0)
        self.assertLess(time.monotonic() - begin, 20)
        self.assertEqual(two.end(), 0)

    @unittest.skipUnless(STUCK, "tsmrun holds nng itself")
    def test_nng_that_does_not_end(self):
        """Sockets that are never closed keep no worker."""
        addresses = ["ipc://%s/w%d" % (self.folder, i) for i in range(3)]
        with unittest.mock.patch.dict(os.environ, LD_PRELOAD=STUCK, ASAN_OPTIONS="verify_asan_link_order=0:detect_leaks=0"):
            (one,) = self.serving([1], addresses)
        begin = time.monotonic()
        self.assertEqual(one.end(), 0)
        self.assertGreater(time.monotonic() - begin, 2)
        self.assertLess(time.monotonic() - begin, 30)

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

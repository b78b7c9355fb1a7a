"""What tsmc prints on a terminal and what in a pipe: a line of progress when an export takes longer than a second,
colours; usage errors in one line; tables as JSON.

    test_terminal.py TSMC TSMRUN [unittest's options]
"""
import json
import os
import pty
import re
import subprocess
import sys
import tempfile
import threading
import time
import unittest

TSMC, TSMRUN = sys.argv[1:3]
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DIGITS = os.path.join(TESTS, "models", "digits.pt")
EXAMPLE = os.path.join(TESTS, "models", "digits_example.json")
GOOD = "import torch\ndef f(x: torch.Tensor):\n    return x + 1\n"
BAD = "import torch\ndef f(x: torch.Tensor):\n    return x + 'a'\n"
SECONDS = 2.2


def on_terminal(*command, **variables):
    """(exit status, standard error) of a command whose standard error is a terminal."""
    mine, its = pty.openpty()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=its, env=dict(os.environ, TERM="xterm", **variables))
    os.close(its)
    said = b""
    while True:
        try:
            piece = os.read(mine, 4096)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        said += piece
    os.close(mine)
    return child.wait(120), said.decode()


def in_pipe(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120, check=False)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.out = os.path.join(folder.name, "out.tsm")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path


class Progress(Case):
    def slowly(self, text):
        """A source that takes more than two seconds to read."""
        path = os.path.join(self.folder, "slow%d.py" % len(os.listdir(self.folder)))
        os.mkfifo(path)

        def feed():
            with open(path, "w", encoding="utf-8") as f:
                time.sleep(SECONDS)
                f.write(text)

        threading.Thread(target=feed, daemon=True).start()
        return path + ":f"

    def test_a_slow_export(self):
        status, said = on_terminal(TSMC, self.slowly(GOOD), "-o", self.out, "--strip")
        self.assertEqual(status, 0, said)
        self.assertRegex(said, r"\A(\r\x1b\[Ktsmc: \d+ s, (step \d+ of \d+: )?[a-z_. 0-9]+)+\r\x1b\[K\Z")

    def test_a_slow_export_that_fails(self):
        status, said = on_terminal(TSMC, self.slowly(BAD), "-o", self.out, "--strip", NO_COLOR="1")
        self.assertEqual(status, 2)
        lines = re.sub(r"\r\x1b\[K[^\r]*(?=\r\x1b\[K)", "", said).replace("\r\n", "\n").replace("\r\x1b[K", "")
        self.assertNotIn("\x1b", lines)
        self.assertIn("aten::add", lines)

    def test_nothing_in_a_pipe(self):
        done = in_pipe(TSMC, self.slowly(GOOD), "-o", self.out, "--strip")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_nothing_for_a_fast_export(self):
        path = self.write("fast.py", GOOD) + ":f"
        self.assertEqual(on_terminal(TSMC, path, "-o", self.out), (0, ""))

    def test_nothing_on_a_dumb_terminal(self):
        mine, its = pty.openpty()
        done = subprocess.run([TSMC, self.slowly(GOOD), "-o", self.out, "--strip"], stderr=its, env=dict(os.environ, TERM="dumb"), check=False)
        os.write(its, b"end")
        self.assertEqual((done.returncode, os.read(mine, 100)), (0, b"end"))
        os.close(mine)
        os.close(its)


class Colours(Case):
    def test_errors(self):
        command = [TSMC, self.write("bad.py", BAD) + ":f", "-o", self.out]
        plain = in_pipe(*command)
        self.assertNotIn("\x1b", plain.stderr)
        status, said = on_terminal(*command)
        self.assertEqual((status, plain.returncode), (2, 2))
        self.assertIn("\x1b[1;31m", said)
        self.assertRegex(said, r"\x1b\[31m +~+ <--- HERE\x1b\[0m")
        self.assertEqual(re.sub(r"\x1b\[[0-9;]*m", "", said).replace("\r\n", "\n"), plain.stderr)
        self.assertEqual(on_terminal(*command, NO_COLOR="1")[1].replace("\r\n", "\n"), plain.stderr)

    def test_tsmrun(self):
        raising = self.write("raising.py", "import torch\ndef f(n: int):\n    raise ValueError('no ' + str(n))\n")
        subprocess.run([TSMC, raising + ":f", "-o", self.out], check=True)
        for command, wanted in (([TSMRUN, self.out, "--inputs", self.write("in.json", "[3]")], r"\x1b\[31m +~+.*<--- HERE\x1b\[0m[^~]*"
                                 r"\x1b\[1;31mbuiltins\.ValueError: no 3\x1b\[0m\r\n\Z"),
                                ([TSMRUN, self.out + ".not"], r"\A\x1b\[1;31mtsmrun: .*\x1b\[0m\r\n\Z")):
            plain = in_pipe(*command)
            self.assertNotIn("\x1b", plain.stderr)
            status, said = on_terminal(*command)
            self.assertEqual(status, plain.returncode)
            self.assertRegex(said, wanted)
            self.assertEqual(re.sub(r"\x1b\[[0-9;]*m", "", said).replace("\r\n", "\n"), plain.stderr)
            self.assertEqual(on_terminal(*command, NO_COLOR="1")[1].replace("\r\n", "\n"), plain.stderr)

    def test_warnings(self):
        command = [TSMC, DIGITS, "-o", self.out, "--example", EXAMPLE, "--target-runtime", "0.1.0"]
        plain = in_pipe(*command).stderr
        self.assertRegex(plain, r"\Atsmc: warning: .*\n\Z")
        said = on_terminal(*command)[1]
        self.assertTrue(said.startswith("\x1b[33mtsmc: warning:\x1b[0m "))
        self.assertEqual(re.sub(r"\x1b\[[0-9;]*m", "", said).replace("\r\n", "\n"), plain)


class Usage(Case):
    def test_one_line(self):
        in_pipe(TSMC, DIGITS, "-o", self.out)
        for command in ([TSMC], [TSMC, "--nothing"], [TSMC, DIGITS], [TSMC, DIGITS, "-o"], [TSMC, DIGITS, "-O7", "-o", self.out],
                        [TSMC, DIGITS, "--dump", "soup"], [TSMC, DIGITS, "--dump", "ir:soup"], [TSMC, DIGITS, "-o", self.out, "--json"],
                        [TSMC, DIGITS, "-o", self.out, "--target", "toaster"], [TSMC, DIGITS, "-o", self.out, "--memory", "0"],
                        [TSMC, DIGITS, "-o", self.out, "--meta", "x"], [TSMC, DIGITS, DIGITS, "-o", self.out], [TSMC, DIGITS, "--verify"],
                        [TSMC, DIGITS, "-o", self.out, "--weights", "x"], [TSMRUN], [TSMRUN, "--nothing"], [TSMRUN, self.out, self.out],
                        [TSMRUN, self.out, "--bench", "x"], [TSMRUN, self.out, "--check", "--bench", "1"], [TSMRUN, self.out, "--threads"]):
            with self.subTest(command):
                done = in_pipe(*command)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertRegex(done.stderr, r"\A[^\n]*tsm(c|run): [^\n]+\n\Z")


    def test_options_without_their_value(self):
        """Every option that --help shows with a value, where the value is missing or is none."""
        in_pipe(TSMC, DIGITS, "-o", self.out)
        for command in ([TSMC, DIGITS, "-o", self.out], [TSMRUN, self.out]):
            said = in_pipe(command[0], "--help").stdout
            options = re.findall(r"(?m)^  (--[a-z0-9-]+)(?: [A-Z]|$)", said)
            self.assertGreater(len(options), 10)
            for option in options:
                with self.subTest(option):
                    done = in_pipe(*command, option)
                    self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                    self.assertRegex(done.stderr, r"\A[^\n]*tsm(c|run): [^\n]*%s[^\n]*\n\Z" % option)
                    self.assertNotRegex(in_pipe(*command, option, "").stderr, r"\n.")


class Tables(Case):
    def table(self, *arguments, status=0):
        done = in_pipe(TSMC, *arguments, "--json")
        self.assertEqual(done.returncode, status, done.stderr)
        return json.loads(done.stdout)

    def test_sizes(self):
        got = self.table(DIGITS, "--sizes", "-o", self.out)
        self.assertEqual(sum(part["bytes"] for part in got["parts"]), os.path.getsize(self.out))
        text = in_pipe(TSMC, DIGITS, "--sizes").stdout
        self.assertEqual(got["tensors"][0]["dtype"], "float32")
        for row in got["tensors"] + got["operators"]:
            self.assertRegex(text, r"(?m)^ +%d  %s" % (row["bytes"], re.escape(row["name"])))

    def test_operators(self):
        rows = self.table(DIGITS, "--dump", "ops")["operators"]
        self.assertEqual("".join("%6d  %s\n" % (r["count"], r["name"]) for r in rows), in_pipe(TSMC, DIGITS, "--dump", "ops").stdout)

    def test_plans(self):
        plan, = self.table(DIGITS, "--example", EXAMPLE, "--dump", "plan")["plans"]
        text = in_pipe(TSMC, DIGITS, "--example", EXAMPLE, "--dump", "plan").stdout
        self.assertIn("%d blocks; largest sum of live bytes %d, planned region %d" % (len(plan["blocks"]), plan["live_bytes"], plan["planned_bytes"]), text)
        self.assertIn("buffer %d bytes" % plan["buffer_bytes"], text)

    def test_verification(self):
        got = self.table(DIGITS, "--example", EXAMPLE, "--verify", "--sizes")
        self.assertTrue(got["agrees"] and not got["wrong"] and len(got["passes"]) > 20 and got["parts"])
        got = self.table(DIGITS, "--example", EXAMPLE, "--verify", "--tolerance", "0", status=1)
        self.assertFalse(got["agrees"])
        self.assertIn("fold_conv_batch_norm", got["wrong"])

    def test_quantization(self):
        with open(EXAMPLE, encoding="utf-8") as f:
            calls = self.write("calls.json", json.dumps([json.load(f)] * 2))
        got = self.table(DIGITS, "--quantize", calls, "-o", self.out)
        lines = in_pipe(TSMC, DIGITS, "--quantize", calls, "-o", self.out).stdout.splitlines()
        self.assertEqual(len(got["layers"]), len(lines) - 2)
        for layer, line in zip(got["layers"], lines[1:]):
            name, operator, alone = line.split()[:3]
            self.assertEqual((name, operator), (layer["name"], layer["operator"]))
            self.assertAlmostEqual(float(alone), layer["alone"], delta=.06)
        self.assertEqual(got["results"]["rows"], 2)

    def test_limits_and_check(self):
        rows = self.table("--limits")["limits"]
        self.assertEqual(len(rows) + 2, len(in_pipe(TSMC, "--limits").stdout.splitlines()))
        self.assertEqual(in_pipe(TSMC, "--json", "--limits").stdout, in_pipe(TSMC, "--limits", "--json").stdout)
        in_pipe(TSMC, DIGITS, "-o", self.out)
        self.assertEqual(self.table("--check", self.out), {"bytes": os.path.getsize(self.out)})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

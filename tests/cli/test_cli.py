#!/usr/bin/env python3
"""The command lines of tsmc and tsmrun: options, exit statuses, values in and out.

    test_cli.py TSMC TSMRUN [unittest's options]

TSMRUN may be a command with an emulator in front of the program."""
import json
import math
import os
import random
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
TSMC, TSMRUN = sys.argv[1], shlex.split(sys.argv[2])
OK, RAISED, BAD_INPUT = 0, 1, 2


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def load(path):
    with open(path) as f:
        return json.load(f)


def tensor(dtype, shape, data, **more):
    return {"tensor": dict(dtype=dtype, shape=shape, data=data, **more)}


class CommandLine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.program = cls.path("values.tsm")
        p = run(TSMC, os.path.join(HERE, "values.pt"), "-o", cls.program)
        assert p.returncode == OK, p.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    def write(self, name, value):
        with open(self.path(name), "w") as f:
            f.write(value if isinstance(value, str) else json.dumps(value))
        return self.path(name)

    def call(self, method, arguments, *options, status=OK):
        """Runs a method; returns the process and, where it succeeded, the result."""
        out = self.path("out.json")
        p = run(*TSMRUN, self.program, "--method", method, "--inputs", self.write("in.json", arguments), "--outputs", out,
                *options)
        self.assertEqual(p.returncode, status, p.stderr)
        return p, load(out) if status == OK else None

    def echo(self, method, value):
        """The value must come back as it went in."""
        _, got = self.call(method, [value])
        self.assertEqual(json.dumps(got, sort_keys=True), json.dumps(value, sort_keys=True))


class Values(CommandLine):
    def test_integers(self):
        for i in (0, -1, 2**63 - 1, -2**63):
            self.echo("integer", i)

    def test_floats(self):
        for x in (0.0, -0.0, 0.1, 1 / 3, 1e300, 5e-324, math.inf, -math.inf, math.nan, 2.0**53 + 2):
            self.echo("real", {"float": x})

    def test_complex(self):
        self.echo("complex_number", {"complex": [1.5, -0.1]})
        for given, real in ((3, 3.0), ({"float": -0.5}, -0.5), (True, 1.0), (tensor("int16", [1], [7]), 7.0)):
            _, got = self.call("complex_number", [given])
            self.assertEqual(got, {"complex": [real, 0.0]})
        p, _ = self.call("complex_number", ["1"], status=RAISED)
        self.assertIn("Expected a value of type 'complex'", p.stderr)

    def test_strings(self):
        for s in ("", "plain", "tab\tquote\"back\\slash\n", "\x00\x1f\x7f", "gr\u00fc\u00df \u65e5\u672c \U0001f600"):
            self.echo("text", s)

    def test_escapes(self):
        _, got = self.call("text", '["\\u0041\\ud83d\\ude00\\/\\b\\f"]')
        self.assertEqual(got, "A\U0001f600/\b\f")

    def test_containers(self):
        self.echo("flags", [True, False, True])
        self.echo("flags", [])
        self.echo("pair", {"tuple": [3, "three"]})
        self.echo("table", {"dict": [["b", [{"float": 2.5}]], ["a", []]]})

    def test_optional(self):
        self.echo("optional", None)
        self.echo("optional", {"float": 0.5})

    def test_device(self):
        self.echo("device", {"device": "cpu"})

    def test_enum(self):
        _, got = self.call("color", [{"enum": {"class": "__torch__.Color", "name": "GREEN"}}])
        self.assertEqual((got["enum"]["name"], got["enum"]["value"]), ("GREEN", 2))

    def test_named_tuple(self):
        y = tensor("int64", [2], [4, 5])
        _, got = self.call("point", [7, y])
        self.assertEqual(got, {"tuple": [7, y]})


class Tensors(CommandLine):
    def test_integers(self):
        for dtype, bits in (("int8", 8), ("int16", 16), ("int32", 32), ("int64", 64)):
            self.echo("tensor", tensor(dtype, [3], [-2**(bits - 1), 0, 2**(bits - 1) - 1]))
        self.echo("tensor", tensor("uint8", [2], [0, 255]))
        self.echo("tensor", tensor("bool", [2, 1], [True, False]))

    def test_floats(self):
        single = [struct.unpack("f", struct.pack("f", x))[0] for x in (0.1, 1 / 3, 3.4e38, 1e-45, 16777217.0)]
        _, got = self.call("tensor", [tensor("float32", [5], single)])
        self.assertEqual([struct.pack("f", x) for x in got["tensor"]["data"]], [struct.pack("f", x) for x in single])
        self.echo("tensor", tensor("float64", [2, 2], [0.1, 1e-310, math.inf, math.nan]))
        self.echo("tensor", tensor("float16", [3], [0.5, 65504.0, -math.inf]))
        self.echo("tensor", tensor("bfloat16", [2], [1.0, -2.5]))

    def test_halves_round_to_even(self):
        _, got = self.call("tensor", [tensor("float16", [4], [2049.0, 2051.0, 65520.0, 1e-5])])
        self.assertEqual(got["tensor"]["data"][:3], [2048.0, 2052.0, math.inf])
        self.assertAlmostEqual(got["tensor"]["data"][3], 168 * 2.0**-24, delta=1e-13)

    def test_complex(self):
        self.echo("tensor", tensor("complex64", [1, 2], [[0.5, -1.0], [math.inf, 0.0]]))
        self.echo("tensor", tensor("complex128", [1], [[0.1, 0.2]]))

    def test_shapes(self):
        self.echo("tensor", tensor("float32", [], [1.5]))
        self.echo("tensor", tensor("float32", [0], []))
        self.echo("tensor", tensor("float32", [2, 0, 3], []))
        self.echo("tensor", tensor("int64", [1, 1, 1, 1, 1, 1, 1, 2], [1, 2]))

    def test_quantized(self):
        self.echo("tensor", tensor("quint8", [2], [3, 250], scale=0.1, zero_point=12))
        self.echo("tensor", tensor("qint8", [2, 2], [-128, 0, 1, 127], scales=[0.5, 0.25], zero_points=[0, 1], axis=0))

    def test_npy(self):
        def npy(name, descr, order, shape, data):
            header = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (descr, order, shape)
            header += " " * (63 - (len(header) + 10) % 64) + "\n"
            with open(self.path(name), "wb") as f:
                f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)
            return self.path(name)

        def read(path, status=OK):
            out = self.path("out.json")
            p = run(*TSMRUN, self.program, "--method", "tensor", "--npy", path, "--outputs", out)
            self.assertEqual(p.returncode, status, p.stderr)
            return load(out)["tensor"] if status == OK else p.stderr

        six = struct.pack("<6f", *range(6))
        got = read(npy("c.npy", "<f4", "False", "(2, 3)", six))
        self.assertEqual((got["shape"], got["data"]), ([2, 3], [0, 1, 2, 3, 4, 5]))
        got = read(npy("f.npy", "<f4", "True", "(2, 3)", six))
        self.assertEqual((got["shape"], got["data"]), ([2, 3], [0, 2, 4, 1, 3, 5]))
        got = read(npy("s.npy", "<i8", "False", "()", struct.pack("<q", -3)))
        self.assertEqual((got["dtype"], got["shape"], got["data"]), ("int64", [], [-3]))
        self.assertIn("shorter", read(npy("short.npy", "<f4", "False", "(2, 4)", six), BAD_INPUT))
        got = read(npy("empty.npy", "<f4", "False", "(2, 0, 3)", b""))
        self.assertEqual((got["shape"], got["data"]), ([2, 0, 3], []))
        self.assertIn("too large", read(npy("wide.npy", "<f4", "False", "(0, 2000000000, 2000000000)", b""), BAD_INPUT))
        got = read(npy("big.npy", ">c8", "False", "(3,)", struct.pack(">6f", *range(6))))
        self.assertEqual((got["dtype"], got["data"]), ("complex64", [[0, 1], [2, 3], [4, 5]]))
        self.assertIn(">f3", read(npy("odd.npy", ">f3", "False", "(6,)", six), BAD_INPUT))
        self.assertIn("not a .npy", read(self.write("no.npy", "nothing of the kind"), BAD_INPUT))


SYNTAX = re.compile("this is not JSON|the JSON text ends too early|there is no JSON value|there is more behind the value")


class BadInput(CommandLine):
    def test_texts_that_are_json_to_python(self):
        """Texts with a character more, less or in another place are refused where Python refuses them."""
        whole = r'[{"dict": [["k\u00e9\n", -1.5e+3], ["\\", [true, null, NaN, -Infinity]], [0, {}], [1e5, 0.25E-2]]}, [], [10, -0]]'
        chosen, seen = random.Random(5), {True: 0, False: 0}
        texts = [whole, "", " ", "[1]\0", "[+1]", "[.5]", "[01]", "[-]", "[1 2]", "[1,,2]", "[1,]", "[,]", "{1:2}", "{:}"]
        for _ in range(150):
            text = list(whole)
            for _ in range(chosen.randrange(1, 3)):
                at = chosen.randrange(len(text))
                text[at:at + chosen.randrange(2)] = chosen.choice(["", text[chosen.randrange(len(text))], chosen.choice('[]{},:"\\ 01.-+eEu\t')])
            texts.append("".join(text))
        for text in texts:
            try:
                json.loads(text)
                is_json = True
            except ValueError:
                is_json = False
            seen[is_json] += 1
            p = run(*TSMRUN, self.program, "--method", "integer", "--inputs", self.write("in.json", text))
            self.assertEqual((p.returncode, not SYNTAX.search(p.stderr)), (BAD_INPUT, is_json), (text, p.stderr))
        self.assertGreater(min(seen.values()), 20)

    def refused(self, method, arguments, text):
        p, _ = self.call(method, arguments, status=BAD_INPUT)
        self.assertIn(text, p.stderr)

    def test_json(self):
        self.refused("integer", "[1", "ends too early")
        self.refused("integer", "", "no JSON value")
        self.refused("integer", "[1]]", "more behind the value")
        self.refused("integer", "3", "must be a JSON array")
        self.refused("integer", "[\n\n12x]", "line 3")
        self.refused("integer", "[9223372036854775808]", "64 bits")
        self.refused("integer", [{"number": 3}], "no kind of value 'number'")
        self.refused("integer", [{}], "one key")
        self.refused("integer", "[" * 70 + "]" * 70, "nested")

    def test_tensors(self):
        self.refused("tensor", [tensor("float8", [1], [0])], "no dtype 'float8'")
        self.refused("tensor", [tensor("float32", [2], [0.0])], "shape does not fit")
        self.refused("tensor", [tensor("float32", [-1], [])], "not a size")
        self.refused("tensor", [tensor("float32", [2**31, 2**31, 4], [])], "not a size")
        self.refused("tensor", [tensor("int8", [1], [128])], "does not fit int8")
        self.refused("tensor", [tensor("float32", [1], ["1"])], "number")
        self.refused("tensor", [tensor("qint8", [1], [0])], '"scale" is missing')
        self.refused("tensor", [tensor("float32", [1] * 9, [0.0])], "dimensions")

    def test_arguments(self):
        for arguments in ([], [1, 2]):
            self.call("integer", arguments, status=BAD_INPUT)
        # Of another type: PyTorch's binding raises, and so does tsmrun, in the same words.
        for arguments in (["one"], [{"float": 1.0}]):
            p, _ = self.call("integer", arguments, status=RAISED)
            self.assertIn("Expected a value of type 'int' for argument", p.stderr)
            self.assertIn("Cast error details: Unable to cast Python instance", p.stderr)

    def test_arguments_are_converted(self):
        self.assertEqual(self.call("integer", [True])[1], self.call("integer", [1])[1])
        self.assertEqual(self.call("integer", [tensor("int64", [], [1])])[1], self.call("integer", [1])[1])

    def test_enum_arguments(self):
        self.refused("color", [{"enum": {"class": "Color", "name": "BLUE"}}], "BLUE")

    def test_options(self):
        for options in ((), ("--frob",), ("--bench", "0"), ("--bench", "x"), ("--arena", "-1"), ("a.tsm", "b.tsm"),
                        ("a.tsm", "--check", "--bench", "1"), ("a.tsm", "--check", "--outputs", "o"), ("a.tsm", "--sequence", "s", "--inputs", "i")):
            self.assertEqual(run(*TSMRUN, *options).returncode, BAD_INPUT, options)
        p = run(*TSMRUN, self.program, "--method", "nothing")
        self.assertEqual(p.returncode, BAD_INPUT)
        self.assertIn("nothing", p.stderr)
        self.assertIn("forward", p.stderr)

    def test_files(self):
        for path in (self.path("missing.tsm"), self.folder.name, self.write("text.tsm", "no program"),
                     self.write("empty.tsm", "")):
            p = run(*TSMRUN, path)
            self.assertEqual(p.returncode, BAD_INPUT, path)
            self.assertIn(path, p.stderr)
        self.assertEqual(run(*TSMRUN, self.program, "--inputs", self.path("missing.json")).returncode, BAD_INPUT)
        p = run(TSMC, self.path("missing.pt"), "-o", self.path("x.tsm"))
        self.assertEqual(p.returncode, BAD_INPUT)
        self.assertIn("missing.pt", p.stderr)


class Runs(CommandLine):
    def test_help_and_version(self):
        for tool, name in (([TSMC], "tsmc"), (TSMRUN, "tsmrun")):
            for option in ("--help", "--version"):
                p = run(*tool, option)
                self.assertEqual((p.returncode, p.stderr), (OK, ""))
                self.assertIn(name, p.stdout)

    def test_state_is_kept_in_a_sequence(self):
        out, after = self.path("out.json"), self.path("after.json")
        p = run(*TSMRUN, self.program, "--sequence", self.write("s.json", [[1], [10], [100]]), "--outputs", out, "--after", after)
        self.assertEqual(p.returncode, OK, p.stderr)
        self.assertEqual(load(out), [1, 11, 111])
        self.assertEqual(load(after), [[1], [10], [100]])
        p = run(*TSMRUN, self.program, "--sequence", self.write("s.json", []), "--outputs", out)
        self.assertEqual((p.returncode, load(out)), (OK, []))

    def test_calls_of_several_methods_in_a_sequence(self):
        out, after = self.path("out.json"), self.path("after.json")
        given = [tensor("float32", [2], [1.5, -1.0])]
        calls = [{"method": "tensor", "inputs": given, "keep": True}, {"method": "increment", "inputs": [{"result": [0]}]},
                 {"method": "increment", "inputs": [{"result": [0]}]}, {"inputs": [3]}, [4]]
        p = run(*TSMRUN, self.program, "--sequence", self.write("s.json", calls), "--outputs", out, "--after", after)
        self.assertEqual(p.returncode, OK, p.stderr)
        self.assertEqual(load(out), given + [2, 2, 3, 7])
        self.assertEqual(load(after)[1:3], [[tensor("float32", [2], [2.5, 0.0])], [tensor("float32", [2], [3.5, 1.0])]])

    def test_calls_that_may_raise_in_a_sequence(self):
        out = self.path("out.json")
        raising = {"method": "fail", "inputs": ["no"], "may_raise": True}
        calls = [{"inputs": [1]}, raising, {"inputs": [2], "may_raise": True}]
        p = run(*TSMRUN, self.program, "--sequence", self.write("s.json", calls), "--outputs", out)
        self.assertEqual(p.returncode, OK, p.stderr)
        before, raised, behind = load(out)
        self.assertEqual((before, behind), (1, 3))
        self.assertIn("Traceback of TorchScript", raised["raised"])
        del raising["may_raise"]
        p = run(*TSMRUN, self.program, "--sequence", self.write("s.json", calls), "--outputs", out)
        self.assertEqual(p.returncode, RAISED)

    def test_bad_sequences(self):
        for calls, told in (([{}], '"inputs"'), ([{"inputs": [1], "method": "nothing"}], "nothing"), ([{"inputs": [1], "keep": 1}], "true or false"),
                            ([[{"result": [0]}]], "no result 0"), ([[{"result": []}]], "number of a call"), ([[{"argument": 0}]], "no argument 0"),
                            ([[1], [{"result": [-1]}]], "no result -1"), ([[1], [{"result": [0, 0]}]], "no item 0"), ([[1], [{"result": 0}]], "JSON array")):
            p = run(*TSMRUN, self.program, "--sequence", self.write("s.json", calls))
            self.assertEqual(p.returncode, BAD_INPUT, calls)
            self.assertIn(told, p.stderr)
        self.call("forward", [{"result": [0]}], status=BAD_INPUT)

    def test_arguments_after_the_call(self):
        after = self.path("after.json")
        _, got = self.call("increment", [tensor("float32", [2], [1.5, -1.0])], "--after", after)
        self.assertEqual(got, 2)
        self.assertEqual(load(after), [tensor("float32", [2], [2.5, 0.0])])

    def test_print_goes_to_stdout(self):
        p, got = self.call("say", ["h\u00e9"])
        self.assertEqual((p.stdout, got), ("h\u00e9 3\n", None))

    def test_result_for_a_person(self):
        p = run(*TSMRUN, self.program, "--method", "pair", "--inputs", self.write("in.json", [{"tuple": [3, "a'b"]}]))
        self.assertEqual((p.returncode, p.stdout), (OK, "(3, 'a\\'b')\n"))
        p = run(*TSMRUN, self.program, "--method", "tensor", "--inputs",
                self.write("in.json", [tensor("float32", [2, 2], [1.0, 2.5, -3.0, math.nan])]))
        self.assertEqual(p.stdout, "float32[2, 2]\n[[1., 2.5],\n [-3., nan]]\n")

    def test_exceptions(self):
        p, _ = self.call("fail", ["no"], status=RAISED)
        self.assertIn("Traceback of TorchScript", p.stderr)
        self.assertEqual(p.stderr.rstrip().splitlines()[-1], "builtins.ValueError: it said no")
        self.assertEqual(self.call("fail", [""])[1], 0)

    def test_fuel(self):
        self.assertEqual(self.call("count_to", [100], "--fuel", "100000")[1], 99)
        p, _ = self.call("count_to", [10**9], "--fuel", "10000", status=BAD_INPUT)
        self.assertIn("limit on executed instructions", p.stderr)
        needed = self.instructions([100])
        self.assertEqual(self.call("count_to", [100], "--fuel", str(needed))[1], 99)
        self.call("count_to", [100], "--fuel", str(needed - 1), status=BAD_INPUT)

    def instructions(self, arguments):
        p = run(*TSMRUN, self.program, "--method", "count_to", "--inputs", self.write("in.json", arguments))
        return int(p.stderr.partition("instructions of the last call: ")[2].split()[0])

    def test_small_buffers(self):
        self.assertEqual(self.call("integer", [1], "--arena", "64K")[1], 1)
        p, _ = self.call("integer", [1], "--arena", "128", status=BAD_INPUT)
        self.assertRegex(p.stderr, r"\d+ bytes")

    def test_threads(self):
        self.assertEqual(self.call("integer", [1], "--threads", "3")[1], 1)

    def test_bench(self):
        p = run(*TSMRUN, self.program, "--method", "count_to", "--inputs", self.write("in.json", [50]), "--bench", "5")
        self.assertEqual(p.returncode, OK, p.stderr)
        words = p.stdout.split()
        self.assertEqual(words[::2], ["min_ms", "med_ms", "load_ms", "first_ms", "rss_kb"])
        numbers = dict(zip(words[::2], map(float, words[1::2])))
        self.assertLessEqual(numbers["min_ms"], numbers["med_ms"])
        self.assertGreater(numbers["rss_kb"], 0)

    def test_bench_writes_the_last_result(self):
        p, result = self.call("count_to", [50], "--bench", "3", "--after", self.path("after.json"))
        self.assertIn("min_ms", p.stdout)
        self.assertEqual(result, self.call("count_to", [50])[1])
        self.assertEqual(load(self.path("after.json")), [50])

    @unittest.skipIf(len(TSMRUN) > 1, "a machine that is emulated may have neither pipes nor standard input")
    def test_pipes(self):
        out = self.path("out.json")
        long = "x" * 300000  # more than one read of a pipe brings
        for path in ("-",) if os.environ.get("TSM_TESTED_SYSTEM") == "windows" else ("-", "/dev/stdin"):
            p = subprocess.run([*TSMRUN, self.program, "--method", "text", "--inputs", path, "--outputs", out],
                               input=json.dumps([long]), capture_output=True, text=True, timeout=120, check=False)
            self.assertEqual(p.returncode, OK, p.stderr)
            self.assertEqual(load(out), long)
        p = subprocess.run([*TSMRUN, self.program, "--method", "integer", "--inputs", "-"], input=b"\xef\xbb\xbf[7]",
                           capture_output=True, timeout=120, check=False)  # the mark of some editors
        self.assertEqual(p.returncode, OK, p.stderr)
        given = self.write("in.json", [[1], [2]])
        p = run(*TSMRUN, self.program, "--sequence", given, "--outputs", "-", "--after", "-")
        self.assertEqual((p.returncode, "".join(p.stdout.split())), (OK, "[1,3][[1],[2]]"), p.stderr)
        given = self.write("in.json", [["a" * 5000], ["b" * 5000]])  # more than a stream keeps before it writes
        p = run(*TSMRUN, self.program, "--method", "text", "--sequence", given, "--outputs", "-", "--after", "-")
        texts = ['"%s"' % (letter * 5000) for letter in "ab"]
        self.assertEqual((p.returncode, "".join(p.stdout.split())), (OK, "[%s,%s][[%s],[%s]]" % tuple(texts * 2)), p.stderr)
        written, printed = self.path("piped.tsm"), [TSMC, os.path.join(HERE, "values.pt"), "-o"]
        self.assertEqual(run(*printed, written).returncode, OK)
        p = subprocess.run([*printed, "-"], capture_output=True, timeout=120, check=False)
        with open(written, "rb") as f:
            self.assertEqual((p.returncode, p.stdout), (OK, f.read()))
        # Nothing else gets between the bytes of a piped file, or into the one object of --json.
        for other in (["--sizes"], ["--sizes", "--json"], ["--verify"], ["--quantize", given], ["--report", "-"]):
            p = run(*printed, "-", *other)
            self.assertEqual((p.returncode, p.stdout), (BAD_INPUT, ""))
            self.assertIn("standard output takes one file", p.stderr)
        for option in ("--outputs", "--after", "--trace", "--values", "--report", "--save-state"):
            p = run(*TSMRUN, self.program, "--method", "integer", "--inputs", given, "--json", option, "-")
            self.assertEqual((p.returncode, p.stdout), (BAD_INPUT, ""))
            self.assertIn("--json prints one object", p.stderr)

    def test_profile(self):
        p, _ = self.call("increment", [tensor("float32", [2], [1.0, 2.0])], "--profile")
        self.assertIn("aten::add_", p.stderr)
        self.assertIn("buffer:", p.stderr)

    def test_bundled_cases(self):
        program = self.path("bundled.tsm")
        source = os.path.join(HERE, "values.pt")
        inputs = self.write("in.json", [5])
        for expected, status in ((5, OK), (6, RAISED)):
            p = run(TSMC, source, "-o", program, "--bundle", inputs, "--expect", self.write("want.json", expected))
            self.assertEqual(p.returncode, OK, p.stderr)
            p = run(*TSMRUN, program, "--check")
            self.assertEqual(p.returncode, status, p.stderr)
        self.assertIn("5 against 6", p.stdout)
        self.assertEqual(run(*TSMRUN, self.program, "--check").returncode, BAD_INPUT)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

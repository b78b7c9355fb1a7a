"""tsmobile.Program: values of every kind in and out, what is copied and what is not, state, profile, callbacks, and
that nothing needs PyTorch.

    test_program.py MODEL.tsm
"""
import array
import enum
import gc
import inspect
import io
import os
import pickle
import sys
import tempfile
import unittest
import warnings
from contextlib import redirect_stdout

import numpy as np

import tsmobile
from tsmobile import values

MODEL = sys.argv.pop(1)
DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128", "uint16", "uint32",
          "uint64"]


class Color(enum.Enum):
    RED = 1
    GREEN = 2


class Values(unittest.TestCase):
    def setUp(self):
        self.p = tsmobile.Program(MODEL)

    def test_arrays_of_every_type(self):
        for name in DTYPES:
            for shape in ((), (0,), (3,), (2, 3), (2, 0, 3), (1, 2, 1, 2, 1, 2, 1, 2)):
                x = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(name)
                y = self.p.echo(x)
                self.assertEqual((y.dtype, y.shape, y.tolist()), (x.dtype, x.shape, x.tolist()))
                self.assertFalse(np.shares_memory(x, y))
                self.assertTrue(y.flags.writeable)

    def test_arrays_as_they_lie(self):
        x = np.arange(24, dtype=np.float32).reshape(4, 6)
        read_only = x.copy()
        read_only.flags.writeable = False
        packed = np.zeros(3, dtype=[("a", "u1"), ("b", "<f4")])["b"]
        for y in (x, x.T, x[::2, 1::3], x[::-1], x.astype(">f4"), read_only, np.broadcast_to(x[0], (3, 6)), np.asfortranarray(x), packed,
                  memoryview(x), np.ma.masked_array(x)):
            got = self.p.echo(y)
            self.assertEqual(got.tolist(), np.asarray(y).tolist())
            self.assertTrue(got.dtype.isnative)

    def test_what_is_changed_in_place(self):
        x = np.zeros((2, 3), np.float32)
        self.p.change(x)
        self.p.change(x.T)
        self.p.change(x[:, 1])
        self.assertEqual(x.tolist(), [[2, 3, 2]] * 2)
        x.flags.writeable = False
        self.p.change(x)  # a copy
        self.assertEqual(x.tolist(), [[2, 3, 2]] * 2)
        other = array.array("d", [1, 2])
        self.p.change(other)
        self.assertEqual(other.tolist(), [2, 3])
        some = bytearray(b"\1\2")
        self.p.change(some)
        self.assertEqual(some, b"\2\3")

    def test_dlpack(self):
        class Lent:  # shows DLPack and nothing else
            def __init__(self, x):
                self.x, self.__dlpack__, self.__dlpack_device__ = x, x.__dlpack__, x.__dlpack_device__

        x = np.arange(6, dtype=np.int32).reshape(2, 3)
        before = sys.getrefcount(x)
        self.p.change(Lent(x))
        self.p.change(Lent(x[:, ::2]))
        self.assertEqual(x.tolist(), [[2, 2, 4], [5, 5, 7]])
        gc.collect()
        self.assertEqual(sys.getrefcount(x), before)
        far = Lent(x)
        far.__dlpack_device__ = lambda: (2, 0)
        with self.assertRaisesRegex(TypeError, "a device of kind 2"):
            self.p.echo(far)
        y = np.from_dlpack(self.p.echo(x))
        self.assertEqual(y.tolist(), x.tolist())

    def test_scalars(self):
        self.assertEqual(self.p.numbers(3, 0.5, True, 1 + 2j), (3, 0.5, True, 1 + 2j))
        got = self.p.numbers(np.int32(3), np.float32(0.5), np.bool_(False), np.complex64(2j))
        self.assertEqual([type(x) for x in got], [int, float, bool, complex])
        # What PyTorch's Python binding converts.
        self.assertEqual(self.p.numbers(True, 2, 1, 3), (1, 2.0, True, 3 + 0j))
        self.assertEqual(self.p.numbers(np.array([4]), np.array(0.5, np.float32), False, 0j)[:2], (4, 0.5))
        self.assertEqual(self.p.numbers(-2**63, float("inf"), False, 0j)[0], -2**63)
        for scalar in (np.float32(3), np.array(1.5) * 2, np.bool_(True), np.complex64(1j)):
            got, n = self.p.optional(scalar, scalar if isinstance(scalar, np.integer) else None)
            self.assertEqual((got.dtype, got.shape, got[()]), (scalar.dtype, (), scalar))
        with self.assertRaises(OverflowError):
            self.p.numbers(2**63, 0.0, False, 0j)

    def test_texts_and_devices(self):
        for text in ("", "word", "ä€😀", "a\0b", "\udcff"):
            self.assertEqual(self.p.text(text), text)
        self.assertEqual(self.p.text(b"\xff\xfe").encode("utf-8", "surrogateescape"), b"\xff\xfe")
        self.assertEqual(self.p.where("cuda:1"), "cuda:1")

    def test_containers(self):
        x = np.ones(2, np.float32)
        self.assertEqual(self.p.optional(None, None), (None, None))
        self.assertEqual(self.p.optional(x, 3)[1], 3)
        self.assertEqual([t.tolist() for t in self.p.tensors([x, 2 * x])], [[1, 1], [2, 2]])
        self.assertEqual(self.p.tensors(()), [])
        self.assertEqual(self.p.floats((1, 2.5, True)), [1.0, 2.5, 1.0])
        table = {"a": [1, 2], "": [], "c": [-3]}
        self.assertEqual(list(self.p.table(table).items()), list(table.items()))
        for floats in (np.array([1, 2]), range(1, 3), array.array("d", [1, 2]), np.array([[1], [2]])[:, 0]):
            self.assertEqual(self.p.floats(floats), [1.0, 2.0])
        self.assertEqual(self.p.table({"a": np.arange(3, dtype=np.uint8), "b": range(0)}), {"a": [0, 1, 2], "b": []})
        for floats in (np.array(["a"]), np.array([[1, 2]]), np.array(1), "12", b"12"):
            with self.assertRaises(TypeError):
                self.p.floats(floats)
        with self.assertRaisesRegex(tsmobile.BadArgument, "found type 'Tensor'"):
            self.p.tensors(np.ones(2))
        number, (text, tensor) = self.p.nested([5, ["t", x]])
        self.assertEqual((number, text, tensor.tolist()), (5, "t", [1, 1]))

    def test_named_tuples_enums_and_objects(self):
        pair = self.p.pair(np.zeros(2, np.float32), 3)
        self.assertEqual((pair.first.tolist(), pair.second), ([3, 3], 3))
        for member in (Color.GREEN, self.p.color(Color.GREEN)):
            got = self.p.color(member)
            self.assertEqual((got.name, got.value), ("GREEN", 2))
            self.assertIn("Color", got.class_name)
        one, other = self.p.boxes(np.arange(2.0))
        self.assertIs(one, other)
        self.assertEqual((one.name, one.item.tolist()), ("b", [0, 1]))
        first, second = self.p.same(np.zeros(1))
        self.assertIs(first, second)

    def test_types_that_numpy_lacks(self):
        x = np.array([0.5, -1.25, 3, np.inf, np.nan], np.float32)
        for name, number in (("bfloat16", 15), ("float8_e5m2", 23)):
            half = self.p.as_type(x, number)
            self.assertEqual((half.dtype, half.shape), (name, (5,)))
            np.testing.assert_array_equal(half.numpy(), x)
            again = self.p.as_type(half, 6)
            self.assertEqual(again.dtype, np.float32)
            np.testing.assert_array_equal(again, x)
        bits = np.arange(256, dtype=np.uint8)
        for name in ("float8_e5m2", "float8_e4m3fn", "float8_e5m2fnuz", "float8_e4m3fnuz"):
            t = tsmobile.Tensor(bits, name)
            np.testing.assert_array_equal(t.numpy(), self.p.as_type(t, np.float32))
        pairs = self.p.as_type(np.array([1 + 2j, -0.5j], np.complex64), 8)
        self.assertEqual((pairs.dtype, pairs.numpy().tolist()), ("complex32", [1 + 2j, -0.5j]))

    def test_quantized_tensors(self):
        x = np.array([[1.0, 2.0], [-1.0, 0.5]], np.float32)
        q = self.p.quantize(x)
        self.assertEqual((q.dtype, q.scales.tolist(), q.zero_points.tolist(), q.bits.tolist()), ("quint8", [0.5], [3], [[5, 7], [1, 4]]))
        rows = self.p.quantize_rows(x)
        self.assertEqual((rows.axis, rows.scales.tolist(), rows.bits.tolist()), (0, [0.5, 0.25], [[2, 4], [-3, 3]]))
        for t in (q, rows):
            np.testing.assert_array_equal(t.numpy(), x)
            np.testing.assert_array_equal(np.asarray(t), self.p.plain(t))

    def test_zero_points_that_are_floats(self):
        q = tsmobile.Tensor(np.array([[1, 255], [0, 3]], np.uint8), "quint8", [0.5, 2.0], [1.5, 3.0], 0)
        np.testing.assert_array_equal(q.numpy(), np.array([[-0.25, 126.75], [-6, 0]], np.float32))
        np.testing.assert_array_equal(q.numpy(), self.p.plain(q))
        same = self.p.echo(q)
        self.assertEqual((same.axis, same.scales.tolist(), same.zero_points.tolist()), (0, [0.5, 2.0], [1.5, 3.0]))
        self.assertEqual(same.zero_points.dtype, np.float64)
        with self.assertRaisesRegex(ValueError, "the zero point of a whole tensor is an int"):
            tsmobile.Tensor(np.ones(2, np.uint8), "quint8", 0.5, 1.5)

    def test_dtypes_as_arguments(self):
        for dtype in (np.float64, np.dtype("float64")):
            self.assertEqual(self.p.as_type(np.ones(1, np.float32), dtype).dtype, np.float64)

    def test_arguments_by_name(self):
        x = np.ones(1, np.float32)
        self.assertEqual(self.p(x, n=3).tolist(), [3])
        self.assertEqual(self.p(x=x, scale=0.5, n=4).tolist(), [2])
        self.assertEqual(self.p(x, scale=0.5).tolist(), [0.5])  # between them stands a default
        self.assertEqual(inspect.signature(self.p.forward).bind(x).arguments.keys(), {"x"})
        for wrong, said in ((lambda: self.p(x, m=1), "no argument 'm'; its arguments are x, n, scale"),
                            (lambda: self.p(x, x=x), "'x' is given twice"), (lambda: self.p(scale=2.0), "'x' must be given")):
            with self.assertRaisesRegex(TypeError, said):
                wrong()

    def test_defaults(self):
        written = {"a=0.10000000000000001": 0.1, r's="a, b) \'q\' \"z\"\n"': "a, b) 'q' \"z\"\n", "n=None": None, "l=[1, 2]": [1, 2],
                   "f=-1e-300": -1e-300, "b=True": True, "c=...": ..., "g=inf": float("inf"), r't="\303\251"': "é", 'p=(1, "x")': (1, "x"),
                   "o=(1)": (1,), r'w=["\303\251"]': ["é"], "e=[]": [], "z=[[1], [inf]]": ...}
        schema = "f(Tensor x, (int, Dict(str, Tensor)) t0, %s) -> ((int a, int b))" % ", ".join("T(int, U)[] " + w for w in written)
        self.assertEqual(values.defaults_of(schema), {w.partition("=")[0]: value for w, value in written.items()})
        for none in ("f() -> int", "f(Tensor x) -> (str)"):
            self.assertEqual(values.defaults_of(none), {})

    def test_methods(self):
        self.assertEqual(self.p.reset(), None)  # the class's own
        self.assertEqual(self.p.methods["reset"](), 7)  # the model's
        self.assertIn("quantize_rows", dir(self.p))
        self.assertEqual(str(inspect.signature(self.p.forward)), "(x: 'Tensor', n: 'int' = 1, scale: 'float' = 1.0)")
        self.assertEqual(self.p.forward.__doc__, "forward(Tensor x, int n=1, float scale=1.) -> Tensor\n\nMultiplies.")
        self.assertEqual([m["name"] for m in self.p.info["methods"]], list(self.p.methods))
        self.assertEqual(self.p.info["methods"][0]["inputs"][1], {"name": "n", "type": "int"})
        with self.assertRaisesRegex(AttributeError, "no method 'nothing'; it has forward, echo"):
            self.p.nothing()


class Lifetimes(unittest.TestCase):
    def setUp(self):
        self.p = tsmobile.Program(MODEL)

    def test_views(self):
        p = self.p
        x = np.arange(1000, dtype=np.float32)
        y = p.forward.view(x, 2)
        self.assertFalse(y.flags.writeable)
        for _ in range(20):
            p(x, 3)
        self.assertEqual(y.tolist(), (2 * x).tolist())  # its memory was not used again
        for refused in (p.reset, lambda: p.load_state(p.save_state())):
            with self.assertRaisesRegex(tsmobile.InUse, "1 array"):
                refused()
        part = y[10:20]
        del y
        gc.collect()
        with self.assertRaises(tsmobile.InUse):
            p.reset()
        del part
        p.reset()

    def test_views_outlive_the_program(self):
        x = np.arange(1000, dtype=np.float32)
        y = self.p.forward.view(x, 2)
        self.p.close()
        self.p = None
        gc.collect()
        self.assertEqual(y.sum(), 999000)

    def test_a_view_of_an_argument_keeps_it(self):
        x = np.arange(1000, dtype=np.float32)
        y = self.p.echo.view(x)
        self.assertTrue(np.shares_memory(x, y))
        del x
        gc.collect()
        churn = [np.full(1000, 7, np.float32) for _ in range(50)]
        self.assertEqual((y.sum(), len(churn)), (499500, 50))

    def test_an_argument_that_the_program_keeps(self):
        """An attribute refers to the caller's array: it must not go."""
        before = None
        for n in range(20):
            x = np.full(100000, n, np.float32)
            self.p.keep(x)
            if n == 0:
                before = sys.getrefcount(x)
            self.assertEqual(sys.getrefcount(x), before)
            x[0] = 5
            del x
            gc.collect()
            churn = np.full(100000, -1, np.float32)
            got = self.p.give_kept()
            self.assertEqual((got[0], got[1], churn[0]), (5, n, -1))
        self.assertEqual(len(self.p._held), 1)  # the earlier ones are gone
        self.p.reset()
        self.assertEqual((self.p.give_kept().tolist(), self.p._held, self.p._kept), ([0], [], []))

    def test_memory_is_given_back(self):
        x = np.ones(1000, np.float32)
        table = {str(i): [i] for i in range(50)}
        self.p(x)
        used, count = self.p.usage.used_bytes, sys.getrefcount(x)
        for _ in range(50):
            self.p(x)
            self.p.forward.view(x)
            self.p.table(table)
            self.p.boxes(x)
            self.p.nested((1, ("a", x)))
            with self.assertRaises(tsmobile.BadArgument):
                self.p.nested((1, ("a", "b")))
            with self.assertRaises(TypeError):
                self.p.tensors([x, x, object()])
        self.assertEqual((self.p.usage.used_bytes, sys.getrefcount(x)), (used, count))

    def test_closing(self):
        with self.p as p:
            p(np.ones(1))
        p.close()
        for refused in (lambda: p(np.ones(1)), p.reset, p.save_state, lambda: p.usage, p.clone, lambda: p.load_state(b"")):
            with self.assertRaisesRegex(tsmobile.Closed, "the program is closed"):
                refused()
        self.assertIn("closed", repr(p))

    def test_many_programs(self):
        for _ in range(300):
            tsmobile.Program(MODEL)(np.ones(1))
        gc.collect()


class States(unittest.TestCase):
    def test_states(self):
        p = tsmobile.Program(MODEL)
        for _ in range(3):
            p.add(np.array([1, 2, 3], np.float32))
        drawn = p.draw(3).tolist()
        state = p.save_state()
        self.assertEqual(p.add(np.zeros(3, np.float32)).tolist(), [3, 6, 9])
        after = p.draw(3).tolist()
        p.reset()
        self.assertEqual(p.add(np.zeros(3, np.float32)).tolist(), [0, 0, 0])
        self.assertEqual(p.draw(3).tolist(), drawn)
        for other in (p, p.clone(), tsmobile.Program(MODEL)):
            other.load_state(bytearray(state))
            self.assertEqual(other.add(np.zeros(3, np.float32)).tolist(), [3, 6, 9])
            self.assertEqual(other.draw(3).tolist(), after)
        pickle.loads(pickle.dumps(state))

    def test_instances_are_apart(self):
        p = tsmobile.Program(MODEL)
        q = p.clone()
        p.add(np.ones(3, np.float32))
        p.close()
        self.assertEqual(q.add(np.zeros(3, np.float32)).tolist(), [0, 0, 0])


class Surroundings(unittest.TestCase):
    def test_print_and_warnings(self):
        p = tsmobile.Program(MODEL)
        with redirect_stdout(io.StringIO()) as out:
            p.say("héllo")
        self.assertEqual(out.getvalue(), "héllo\n")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            p.caution("careful")
        self.assertIn("careful", str(caught[0].message))
        self.assertEqual(caught[0].filename, __file__)
        texts = []
        q = tsmobile.Program(MODEL, print=texts.append, warn=texts.append)
        q.say("a")
        q.caution("b")
        self.assertEqual("".join(texts).replace("\n", "")[0], "a")
        self.assertIn("b", texts[-1])

    def test_exceptions_of_callbacks(self):
        def refuse(text):
            raise KeyError(text)

        p = tsmobile.Program(MODEL, print=refuse)
        with self.assertRaisesRegex(KeyError, "a"):
            p.say("a")
        self.assertEqual(p.count(3), 3)

    def test_save(self):
        with tempfile.TemporaryDirectory() as folder:
            p = tsmobile.Program(MODEL, save_folder=folder)
            p.store(np.arange(3.0), "a.pt")
            with open(os.path.join(folder, "a.pt"), "rb") as f:
                self.assertEqual(f.read(2), b"PK")
            for outside in ("../b.pt", "/tmp/tsmobile-test-b.pt", "."):
                with self.assertRaisesRegex(PermissionError, "not below the folder"):
                    p.store(np.arange(3.0), outside)
            self.assertEqual(os.listdir(folder), ["a.pt"])
        with self.assertRaisesRegex(PermissionError, "save_folder=FOLDER"):
            tsmobile.Program(MODEL).store(np.arange(3.0), "a.pt")

    def test_profile(self):
        p = tsmobile.Program(MODEL, profile=True)
        x = np.ones((100, 100), np.float32)
        for _ in range(4):
            p(x)
        table = p.profile()
        self.assertTrue(table[0].operator.startswith(("aten::", "tsm::")) and table[0].calls % 4 == 0)
        self.assertAlmostEqual(sum(r.percent for r in table), 100)
        self.assertEqual(len(str(table).split("\n")), len(table) + 1)
        self.assertIn(table[0].operator, table._repr_html_())
        with self.assertRaisesRegex(ValueError, "profile=True"):
            tsmobile.Program(MODEL).profile()

    def test_threads(self):
        p = tsmobile.Program(MODEL, threads=2)
        x = np.random.default_rng(1).random((300, 1000), np.float32)
        np.testing.assert_array_equal(p(x, 3), x * 3)

    def test_sources(self):
        with open(MODEL, "rb") as f:
            data = f.read()
        x = np.ones(1)
        for p in (tsmobile.Program(data), tsmobile.Program(bytearray(data)), tsmobile.Program(memoryview(data)),
                  tsmobile.Program(MODEL, use_mmap=True), tsmobile.Program(MODEL, buffer_bytes=1 << 20)):
            self.assertEqual(p(x, 2).tolist(), [2])
        self.assertEqual(p.usage.buffer_bytes, 1 << 20)
        self.assertTrue(p.usage.fixed_bytes <= p.usage.used_bytes <= p.usage.high_water_bytes)

    def test_no_torch(self):
        self.assertNotIn("torch", sys.modules)


if __name__ == "__main__":
    unittest.main()

"""What the Python package refuses, and with which texts: damaged files and states, wrong arguments, a buffer that is
too small, programs that raise or do not end, two threads. After every refusal the program goes on.

    test_hostile.py MODEL.tsm TSMRUN
"""
import os
import random
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np

import tsmobile

TSMRUN = sys.argv.pop(2)
MODEL = sys.argv.pop(1)
with open(MODEL, "rb") as model:
    DATA = model.read()


def said_by_tsmrun(data):
    """What tsmrun says of a file, without the path."""
    with tempfile.NamedTemporaryFile(suffix=".tsm") as f:
        f.write(data)
        f.flush()
        done = subprocess.run([TSMRUN, f.name, "--method", "reset"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        return done.stderr.partition(f.name + ": ")[2].rstrip("\n")


class Files(unittest.TestCase):
    def test_damaged_files(self):
        """The text is that of the C interface, which tsmrun prints."""
        chance = random.Random(4)
        for n in range(60):
            data = bytearray(DATA)
            if n % 3 == 0:
                data = data[:chance.randrange(len(data))]
            else:
                data[chance.randrange(len(data) if n % 3 == 1 else 4000)] ^= 1 << chance.randrange(8)
            with self.assertRaises((tsmobile.BadFile, tsmobile.Unsupported)) as caught:
                tsmobile.Program(data)
            if n < 12:
                self.assertEqual(str(caught.exception), said_by_tsmrun(data))

    def test_damaged_files_without_checksums(self):
        """What opens in spite of its damage runs, or raises; nothing breaks."""
        chance = random.Random(5)
        for _ in range(150):
            data = bytearray(DATA)
            data[chance.randrange(64, len(data))] ^= 1 << chance.randrange(8)
            try:
                p = tsmobile.Program(data, check=False, fuel=100000, buffer_bytes=1 << 20, print=lambda text: None)
                for name in list(p.methods)[:8]:
                    p.methods[name](np.ones(3, np.float32))
            except (tsmobile.Error, TypeError, AttributeError, ValueError):
                pass

    def test_what_is_no_file(self):
        for data in (b"", b"\0", b"hello" * 100, DATA[:64]):
            with self.assertRaises(tsmobile.BadFile):
                tsmobile.Program(data)
        with self.assertRaises(FileNotFoundError):
            tsmobile.Program("/nowhere/model.tsm")
        with self.assertRaises(IsADirectoryError):
            tsmobile.Program("/tmp")
        with self.assertRaises(TypeError):
            tsmobile.Program(5)

    def test_a_file_that_is_overwritten(self):
        """It was read: the program does not see the change."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.tsm")
            with open(path, "wb") as f:
                f.write(DATA)
            p = tsmobile.Program(path)
            with open(path, "wb") as f:
                f.write(b"x" * 10)
            self.assertEqual(p.count(10), 9)


class Calls(unittest.TestCase):
    def setUp(self):
        self.p = tsmobile.Program(MODEL)

    def tearDown(self):
        if self.p is not None:
            self.assertEqual(self.p(np.ones(2, np.float32), 3).tolist(), [3, 3])

    def test_wrong_arguments(self):
        p, x = self.p, np.ones(2, np.float32)
        for wrong, said in ((lambda: p(), r"forward\(\) is missing value for argument 'x'. Declaration: forward\(Tensor x"),
                            (lambda: p(x, 1, 1.0, 5), r"expected at most 3 argument\(s\) but received 4"),
                            (lambda: p(3), "Expected a value of type 'Tensor' for argument 'x' but instead found type 'int'"),
                            (lambda: p(x, 1.5), "Expected a value of type 'int' for argument 'n' but instead found type 'float'"),
                            (lambda: p(x, x), "Expected a value of type 'int' for argument 'n' but instead found type 'Tensor'"),
                            (lambda: p.tensors([x, 1]), "Expected a value of type 'List\\[Tensor\\]'"),
                            (lambda: p.table({"a": ["b"]}), "Expected a value of type 'Dict"),
                            (lambda: p.text(3), "Expected a value of type 'str'"),
                            (lambda: p.echo(np.zeros((1,) * 9)), "more than 8 dimensions"),
                            (lambda: p.color(tsmobile.EnumMember("Color", "BLUE", 3)), "there is no enum member Color.BLUE")):
            with self.assertRaisesRegex(tsmobile.BadArgument, said):
                wrong()
        with self.assertRaisesRegex(tsmobile.ModelError, "device type at start of device string: moon"):
            p.where("moon")

    def test_wrong_dtypes(self):
        with self.assertRaisesRegex(tsmobile.ModelError, "model.py\", line [^$]*loat"):
            self.p.quantize(np.ones(2))
        with self.assertRaisesRegex(tsmobile.ModelError, "model.py\", line "):
            self.p.quantize(np.ones(2, np.int64))
        self.assertEqual(self.p.quantize(np.ones(2, np.float32)).shape, (2,))

    def test_values_that_have_no_counterpart(self):
        p = self.p
        for wrong in (object(), lambda: 0, {1, 2}, np.array(["a"]), np.array([object()]), np.zeros(2, "M8[s]"), np.zeros(2, "f4,f4"),
                      np.zeros(2, np.longdouble), np.datetime64("2020-01-01"), range(3)):
            with self.assertRaisesRegex(TypeError, "no counterpart|Expected a value of type"):
                p.echo(wrong)
        ring = []
        ring.append(ring)
        with self.assertRaises(RecursionError):
            p.tensors(ring)
        for wrong in (lambda: tsmobile.Tensor(np.zeros(2, np.float32), "bfloat16"), lambda: tsmobile.Tensor(np.zeros(2, np.uint8), "qint9"),
                      lambda: tsmobile.Tensor(np.zeros(2, np.uint8), "quint8"),
                      lambda: tsmobile.Tensor(np.zeros(2, np.uint16), "bfloat16", 0.5, 1)):
            with self.assertRaises(TypeError):
                wrong()
        with self.assertRaises(ValueError):
            tsmobile.Tensor(np.zeros(2, np.uint8), "quint8", [0.5, 0.5], [1])
        with self.assertRaises(tsmobile.BadArgument):
            p.plain(tsmobile.Tensor(np.zeros((2, 3), np.uint8), "quint8", [0.5, 0.5], [1, 1], axis=7))

    def test_names_with_a_zero(self):
        """C's texts of names would end there."""
        for wrong in (lambda: self.p.where("cpu\0:1"), lambda: self.p.color(tsmobile.EnumMember("Color", "RED\0", 1)),
                      lambda: self.p.color(tsmobile.EnumMember("Color\0", "RED", 1))):
            with self.assertRaisesRegex(tsmobile.BadArgument, "a zero character"):
                wrong()

    def test_odd_texts(self):
        for text in ("", "\0", "a\0b", "\ufeffmark", "\U0001f600", b"\xff".decode(errors="surrogateescape"), "x" * 100000):
            self.assertEqual(self.p.text(text), text)
        with self.assertRaises(UnicodeEncodeError):
            self.p.text("\ud83d")

    def test_odd_arrays(self):
        """Whatever numpy makes of numbers arrives as they are; an array that cannot be used where it lies is copied."""
        base = np.arange(24, dtype=np.float32).reshape(4, 6)
        read_only = base.copy()
        read_only.flags.writeable = False
        unaligned = np.frombuffer(b"x" + base.tobytes(), np.uint8)[1:].view(np.float32).reshape(4, 6)
        for x in (base.T, base[::2, 1::3], base[::-1, ::-2], base.astype(">f4"), base.astype(">i8"), base.astype("<c16"), base.astype(">u2"),
                  np.asfortranarray(base), np.broadcast_to(base[0], (3, 6)), read_only, unaligned, base[:, :0], base[2, 3], np.float64(5), np.ones(()),
                  np.zeros((2, 0, 3), np.bool_), base.astype(np.float16), np.array([-2 ** 63, 2 ** 63 - 1]), np.array([2 ** 64 - 1], np.uint64)):
            y = self.p.echo(np.asarray(x))
            self.assertEqual((y.shape, y.dtype), (np.shape(x), x.dtype.newbyteorder("=")))
            np.testing.assert_array_equal(y, x)
        record = np.zeros(4, [("a", np.int8), ("b", np.float32)])
        with self.assertRaisesRegex((TypeError, ValueError), "."):
            self.p.echo(record)
        self.assertEqual(self.p.echo(record["b"]).tolist(), [0] * 4)  # its strides are no multiples of an element

    def test_all_or_nothing(self):
        one = np.ones(3, np.float32)
        self.p.reset()
        self.p.add(one)
        with self.assertRaises(tsmobile.ModelError):
            self.p.fail.or_restore(3)
        self.assertEqual(self.p.add.or_restore(one).tolist(), [2, 2, 2])
        with self.assertRaises(tsmobile.ModelError):
            self.p.add.or_restore(np.ones(4, np.float32))
        self.assertEqual(self.p.add(one).tolist(), [3, 3, 3])
        self.p.reset()

    def test_a_program_that_raises(self):
        with self.assertRaises(tsmobile.ModelError) as caught:
            self.p.fail(3)
        text = str(caught.exception)
        self.assertIn('model.py", line ', text)
        self.assertIn("raise ValueError(\"the number is too large\")", text)
        self.assertTrue(caught.exception.exception.endswith("the number is too large"))
        self.assertEqual(self.p.fail(2), 2)
        with self.assertRaisesRegex(tsmobile.ModelError, "The size of tensor a"):
            self.p.add(np.ones(4, np.float32))

    def test_fuel(self):
        p = tsmobile.Program(MODEL, fuel=10000)
        with self.assertRaisesRegex(tsmobile.OutOfFuel, "the limit"):
            p.count(1 << 40)
        self.assertEqual(p.count(10), 9)
        self.assertTrue(0 < p.usage.instructions < 1000)

    def test_small_buffers(self):
        x = np.ones(1 << 16, np.float32)
        failed = 0
        for n in (0, 1, 63, 100, 1000, 5000, 10000, 20000, 50000, 1 << 18, 1 << 20):
            try:
                p = tsmobile.Program(MODEL, buffer_bytes=n)
                with self.assertRaises(tsmobile.OutOfMemory) if n < 1 << 19 else self.subTest():
                    p(x, 2)
                self.assertEqual(p.count(10), 9)
            except tsmobile.OutOfMemory as e:
                self.assertIn("bytes", str(e))
                self.assertIsInstance(e, MemoryError)
                failed += 1
        self.assertGreater(failed, 3)

    def test_states(self):
        p = self.p
        p.add(np.ones(3, np.float32))
        state = p.save_state()
        chance = random.Random(6)
        for n in range(100):
            wrong = bytearray(state)
            if n % 2:
                wrong = wrong[:chance.randrange(len(wrong))]
            else:
                wrong[chance.randrange(len(wrong))] ^= 1 << chance.randrange(8)
            with self.assertRaises((tsmobile.BadFile, tsmobile.BadArgument, tsmobile.Unsupported)):
                p.load_state(wrong)
            self.assertEqual(p.add(np.zeros(3, np.float32)).tolist(), [1, 1, 1])
        with self.assertRaises(TypeError):
            p.load_state("text")

    def test_a_refused_state_and_an_argument_that_the_program_keeps(self):
        x = np.full(1000, 3, np.float32)
        self.p.keep(x)
        with self.assertRaises(tsmobile.BadFile):
            self.p.load_state(b"no state")
        del x
        churn = [np.zeros(1000, np.float32) for _ in range(50)]
        self.assertEqual((self.p.give_kept().sum(), len(churn)), (3000, 50))


class Threads(unittest.TestCase):
    def test_two_threads_on_one_program(self):
        entered, leave = threading.Event(), threading.Event()

        def wait(text):
            entered.set()
            leave.wait(20)

        p = tsmobile.Program(MODEL, print=wait)
        thread = threading.Thread(target=p.say, args=("a",))
        thread.start()
        self.assertTrue(entered.wait(20))
        for refused in (lambda: p.count(1), p.reset, p.save_state, p.close, lambda: p.usage, lambda: p.load_state(b"")):
            with self.assertRaisesRegex(tsmobile.Busy, "the program is running"):
                refused()
        q = p.clone()
        self.assertEqual(q.count(10), 9)
        leave.set()
        thread.join()
        self.assertEqual(p.count(10), 9)

    def test_a_callback_that_calls_the_program(self):
        p = tsmobile.Program(MODEL, print=lambda text: p.count(1))
        with self.assertRaises(tsmobile.Busy):
            p.say("a")
        self.assertEqual(p.count(10), 9)

    def test_programs_side_by_side(self):
        """Each thread has its own; views are dropped in other threads than they were made in."""
        first, faults, views = tsmobile.Program(MODEL, threads=2), [], []

        def work(seed):
            p, x = first.clone(), np.full((64, 1000), seed, np.float32)
            for n in range(40):
                y = p.forward.view(x, n)
                if y[3, 5] != seed * n:
                    faults.append((seed, n))
                views.append(y)
                if len(views) > 5:
                    del views[:3]

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(faults, [])


if __name__ == "__main__":
    unittest.main()

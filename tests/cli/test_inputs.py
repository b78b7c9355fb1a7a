"""Files as people have them, given to tsmrun: pictures, sound, NumPy's files, texts; results to files, against files,
and as a list of the best; --json. Compared with NumPy, Pillow, PyTorch and torchaudio of Debian.

    test_inputs.py TSMC TSMRUN [unittest's options]
"""
import io
import json
import math
import os
import random
import struct
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import PIL.Image
import torch
import torchaudio

HERE = os.path.dirname(os.path.abspath(__file__))
TSMC, TSMRUN = sys.argv[1:3]


def run(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=False, **options)


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.programs = {}
        chance = np.random.default_rng(7)
        cls.pixels = (chance.random((37, 53, 3)) * 255).astype(np.uint8)
        cls.pixels[5:20, 10:30] = (200, 30, 90)
        cls.png = cls.path("p.png")
        PIL.Image.fromarray(cls.pixels).save(cls.png)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as f:
            f.write(data if isinstance(data, bytes) else data.encode())
        return self.path(name)

    def program(self, entry, example=None, **metadata):
        key = (entry, example, tuple(metadata.items()))
        if key not in self.programs:
            out = self.path("p%d.tsm" % len(self.programs))
            more = ["--example", self.write("example.json", example)] if example else []
            for name, value in metadata.items():
                more += ["--meta", "%s=%s" % (name.replace("_", "."), value)]
            done = run(TSMC, os.path.join(HERE, "inputs.py") + ":" + entry, "-o", out, *more)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.programs[key] = out
        return self.programs[key]

    def run_ok(self, *arguments, status=0, **options):
        done = run(TSMRUN, *arguments, **options)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout.decode()

    def refused(self, said, *arguments, **options):
        """Bad input: one line, exit status 2."""
        done = run(TSMRUN, *arguments, **options)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr.decode(), r"\Atsmrun: [^\n]*%s[^\n]*\n\Z" % said)

    def echo(self, *arguments, program=None, **options):
        """What the program was given, as an array."""
        self.run_ok(program or self.program("echo"), "--outputs", self.path("out.npy"), *arguments, **options)
        return np.load(self.path("out.npy"))


def typed(dtype, sizes):
    n = int(np.prod(sizes))
    return json.dumps([{"tensor": {"dtype": dtype, "shape": sizes, "data": [0] * n if dtype == "uint8" else [0.0] * n}}])


class Pictures(Case):
    def test_pixels(self):
        self.assertEqual(self.echo("--image", self.png).tolist(), (self.pixels.transpose(2, 0, 1)[None] / 255.0).astype(np.float32).tolist())
        for mode, channels in (("L", 3), ("RGBA", 3), ("P", 3), ("LA", 3)):
            PIL.Image.fromarray(self.pixels).convert(mode).save(self.path("m.png"))
            got = self.echo("--image", self.path("m.png"), "--image-layout", "HWC")
            self.assertEqual(got.shape, (37, 53, channels))
            if mode in "LP":
                expected = np.asarray(PIL.Image.open(self.path("m.png")).convert("RGB")) / 255.0
                np.testing.assert_allclose(got, expected, atol=1e-6)

    def test_sixteen_bits(self):
        grey = (np.arange(37 * 53).reshape(37, 53) * 33).astype(np.uint16)
        PIL.Image.fromarray(grey).save(self.path("g.png"))
        got = self.echo("--image", self.path("g.png"), "--image-layout", "HW")
        np.testing.assert_allclose(got, grey / 65535.0, atol=1e-7)
        whole = self.echo("--image", self.path("g.png"), program=self.program("echo", typed("uint8", [37, 53])))
        np.testing.assert_array_equal(whole, np.floor(grey / 257.0 + 0.5))
        with open(self.path("g.png"), "rb") as f:
            self.refused("damaged", self.program("echo"), "--image", self.write("cut.png", f.read()[:-30]))
        PIL.Image.fromarray(self.pixels).convert("1").save(self.path("b.png"))
        self.assertEqual(set(self.echo("--image", self.path("b.png"), "--image-layout", "HW").flat), {0.0, 1.0})

    def test_jpeg(self):
        smooth = PIL.Image.fromarray(self.pixels).resize((8, 6)).resize((160, 120), PIL.Image.BICUBIC)
        for more in ({"quality": 95, "subsampling": 0}, {"quality": 90, "progressive": True}):
            smooth.save(self.path("p.jpg"), **more)
            got = self.echo("--image", self.path("p.jpg"), "--image-layout", "HWC") * 255
            self.assertLess(np.abs(got - np.asarray(PIL.Image.open(self.path("p.jpg")), np.float32)).max(), 16)
            self.assertLess(np.abs(got - np.asarray(PIL.Image.open(self.path("p.jpg")), np.float32)).mean(), 1)
        for mode in ("CMYK", "L"):
            smooth.convert(mode).save(self.path("p.jpg"), quality=95)
            got = self.echo("--image", self.path("p.jpg"), "--image-layout", "HWC") * 255
            self.assertLess(np.abs(got - np.asarray(PIL.Image.open(self.path("p.jpg")).convert("RGB"), np.float32)).max(), 16)
        for kind in ("gif", "bmp"):
            smooth.save(self.path("p." + kind))
            self.refused("no PNG or JPEG", self.program("echo"), "--image", self.path("p." + kind))

    def test_layouts_of_examples(self):
        def layout(*shape):
            example = [{"tensor": {"dtype": "float32", "shape": shape, "data": [0.0] * math.prod(shape)}}]
            return self.echo("--image", self.png, program=self.program("echo", example=json.dumps(example))).shape

        for shape in ((9, 8), (3, 9, 8), (9, 8, 3), (1, 9, 8), (9, 8, 1), (2, 9, 8), (3, 3, 3), (1, 3, 9, 8), (1, 9, 8, 3), (1, 9, 8, 4), (1, 3, 8, 3)):
            self.assertEqual(layout(*shape), shape)
        colours = self.program("echo", example=json.dumps([{"tensor": {"dtype": "float32", "shape": [37, 53, 3], "data": [0.0] * (37 * 53 * 3)}}]))
        np.testing.assert_array_equal(self.echo("--image", self.png, program=colours), self.pixels / np.float32(255))

    def test_sizes(self):
        x = torch.from_numpy(self.pixels.transpose(2, 0, 1)[None].copy()).float() / 255
        for size in ((10, 10), (37, 20), (100, 70), (1, 1), (74, 106)):
            got = self.echo("--image", self.png, "--image-size", "%dx%d" % size)
            expected = torch.nn.functional.interpolate(x, size, mode="bilinear", antialias=True, align_corners=False)
            np.testing.assert_allclose(got, expected.numpy(), atol=1e-5)
        self.assertEqual(self.echo("--image", self.png, "--image-size", "20").shape, (1, 3, 20, 28))
        cropped = self.echo("--image", self.png, "--image-crop", "20x11")
        np.testing.assert_array_equal(cropped, x[:, :, 8:28, 21:32].numpy())
        self.assertEqual(self.echo("--image", self.png, "--image-size", "20", "--image-crop", "16").shape, (1, 3, 16, 16))

    def test_mean_and_deviation(self):
        x = self.pixels.transpose(2, 0, 1)[None] / 255.0
        mean, std = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])
        expected = (x - mean[:, None, None]) / std[:, None, None]
        texts = ",".join(map(str, mean)), ",".join(map(str, std))
        np.testing.assert_allclose(self.echo("--image", self.png, "--image-mean", texts[0], "--image-std", texts[1]), expected, atol=1e-5)
        p = self.program("echo", image_mean=texts[0], image_std=texts[1], image_size="20x20", image_layout="CHW")
        got = self.echo("--image", self.png, program=p)
        self.assertEqual(got.shape, (3, 20, 20))
        # Options win.
        again = self.echo("--image", self.png, "--image-size", "37x53", "--image-layout", "NHWC", program=p)
        np.testing.assert_allclose(again, expected.transpose(0, 2, 3, 1), atol=1e-5)

    def test_what_the_program_declares(self):
        self.assertEqual(self.echo("--image", self.png, program=self.program("echo", typed("float32", [1, 1, 8, 9]))).shape, (1, 1, 8, 9))
        got = self.echo("--image", self.png, program=self.program("echo", typed("uint8", [37, 53])))
        self.assertEqual((got.dtype, got.shape), (np.uint8, (37, 53)))
        grey = np.asarray(PIL.Image.fromarray(self.pixels).convert("L")).astype(int)
        self.assertLess(np.abs(got - grey).max(), 2)

    def test_other_arguments(self):
        out = self.run_ok(self.program("picture"), "--image", self.png, "--string", "cat")
        self.assertEqual(out, "(4, 'cat')\n")
        with open(self.png, "rb") as f:
            self.assertEqual(self.echo("--image", "-", stdin=f).shape, (1, 3, 37, 53))

    def test_what_is_refused(self):
        p = self.program("echo")
        for option, text, said in (("size", "0x5", "--image-size wants"), ("size", "5x", "--image-size wants"), ("size", "axb", "--image-size wants"),
                                   ("size", "99999", "--image-size wants"), ("crop", "100x5", "no middle of 100x5"),
                                   ("mean", "1,2", "2 numbers, and the picture has 3"), ("mean", "1,,2", "--image-mean wants"),
                                   ("mean", "nan", "--image-mean wants"), ("std", "0", "divided by 0"), ("layout", "NCH", "the letters H and W"),
                                   ("layout", "HWX", "the letters H and W")):
            self.refused(said, p, "--image", self.png, "--image-" + option, text)
        self.refused("no PNG or JPEG", p, "--image", self.write("t.txt", "hello"))
        self.refused("cannot open", p, "--image", self.path("nothing.png"))
        for codes, said in (([150, 150], "too many codes"), ([1, 1], "no PNG or JPEG")):
            table = b"\0" * 15 + bytes(codes) + b"\0" * sum(codes)
            data = b"\xff\xd8\xff\xc4" + struct.pack(">H", 2 + len(table)) + table + b"\xff\xd9"
            self.refused(said, p, "--image", self.write("tables.jpg", data))
        huge = io.BytesIO()
        PIL.Image.new("L", (1, 1)).save(huge, "png")
        data = bytearray(huge.getvalue())
        data[16:24] = struct.pack(">II", 20000, 20000)
        self.refused("20000 x 20000 pixels", p, "--image", self.write("huge.png", bytes(data)))

    def test_damaged_pictures(self):
        PIL.Image.fromarray(self.pixels).save(self.path("d.jpg"), quality=90)
        chance = random.Random(3)
        for name in ("p.png", "d.jpg"):
            with open(self.path(name), "rb") as f:
                whole = f.read()
            for n in range(40):
                data = bytearray(whole)
                if n % 2:
                    data = data[:chance.randrange(len(data))]
                else:
                    for _ in range(3):
                        data[chance.randrange(len(data))] = chance.randrange(256)
                done = run(TSMRUN, self.program("echo"), "--image", self.write("damaged", bytes(data)), "--outputs", self.path("none.json"))
                self.assertIn(done.returncode, (0, 2), done.stderr)


def wav(samples, rate, code, width, extensible=False):
    """A WAV file of integers or floats, [frames, channels]."""
    channels = samples.shape[1]
    if code == 3:
        data = samples.astype("<f%d" % width).tobytes()
    elif width == 1:
        data = np.clip(samples * 128 + 128, 0, 255).astype(np.uint8).tobytes()
    else:
        whole = np.clip(samples * 2.0**(8 * width - 1), -2.0**(8 * width - 1), 2.0**(8 * width - 1) - 1).astype("<i8")
        data = whole.reshape(-1, 1).view(np.uint8)[:, :width].tobytes()
    form = struct.pack("<HHIIHH", 0xFFFE if extensible else code, channels, rate, rate * channels * width, channels * width, 8 * width)
    if extensible:
        form += struct.pack("<HHIH", 22, 8 * width, 0, code) + b"\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71"
    chunks = b"".join(name + struct.pack("<I", len(c)) + c + b"\0" * (len(c) % 2) for name, c in ((b"LIST", b"odd"), (b"fmt ", form), (b"data", data)))
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks


class Sound(Case):
    def setUp(self):
        t = np.arange(1001) / 8000
        self.samples = np.stack([0.5 * np.sin(2 * np.pi * 440 * t), 0.25 * np.cos(2 * np.pi * 1000 * t)], 1)

    def test_samples(self):
        for code, width in ((1, 1), (1, 2), (1, 3), (1, 4), (3, 4), (3, 8)):
            for extensible in (False, True):
                got = self.echo("--audio", self.write("s.wav", wav(self.samples, 8000, code, width, extensible)))
                self.assertEqual((got.dtype, got.shape), (np.float32, (2, 1001)))
                np.testing.assert_allclose(got, self.samples.T, atol=1.01 / 2**(8 * min(width, 3) - 1) + 1e-7)

    def test_rates(self):
        path = self.write("s.wav", wav(self.samples, 8000, 3, 4))
        x = torch.from_numpy(self.samples.T.astype(np.float32))
        for rate in (16000, 4000, 11025, 44100, 7999, 8000):
            expected = torchaudio.functional.resample(x, 8000, rate).numpy()
            np.testing.assert_allclose(self.echo("--audio", path, "--audio-rate", str(rate)), expected, atol=2e-5)
        self.assertEqual(self.echo("--audio", path, program=self.program("echo", audio_rate="16000")).shape, (2, 2002))

    def test_channels(self):
        path = self.write("s.wav", wav(self.samples, 8000, 3, 4))
        for sizes, shape in (([1001], (1001,)), ([1, 1001], (1, 1001)), ([1, 1, 1001], (1, 1, 1001)), ([2, 1001], (2, 1001))):
            got = self.echo("--audio", path, program=self.program("echo", typed("float32", sizes)))
            self.assertEqual(got.shape, shape)
            if shape[-2:-1] != (2,):
                np.testing.assert_allclose(got.reshape(-1), self.samples.mean(1), atol=1e-6)

    def test_what_is_refused(self):
        p, good = self.program("echo"), wav(self.samples, 8000, 1, 2)
        for data, said in ((b"hello", "not a WAV"), (good[:30], "no samples"), (wav(self.samples, 0, 1, 2), "does not say how many"),
                           (good.replace(struct.pack("<HHI", 1, 2, 8000), struct.pack("<HHI", 7, 2, 8000)), "format 7 with 16 bits"),
                           (good.replace(struct.pack("<HHI", 1, 2, 8000), struct.pack("<HHI", 1, 0, 8000)), "no samples")):
            self.refused(said, p, "--audio", self.write("b.wav", data))
        for rate in ("0", "1.5", "x", "1,2"):
            self.refused("--audio-rate wants", p, "--audio", self.write("s.wav", good), "--audio-rate", rate)
        chance = random.Random(5)
        for n in range(60):
            data = bytearray(good[:200])
            data[chance.randrange(60)] = chance.randrange(256)
            done = run(TSMRUN, p, "--audio", self.write("b.wav", bytes(data[:chance.randrange(20, 200)] if n % 2 else data)), "--outputs", self.path("none.json"))
            self.assertIn(done.returncode, (0, 2), done.stderr)


class NumpyFiles(Case):
    def test_arrays(self):
        for name in ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"):
            for shape in ((), (3,), (0,), (2, 3), (2, 1, 3)):
                x = (np.arange(np.prod(shape, dtype=int)).reshape(shape) - 1).astype(name)
                np.save(self.path("x.npy"), x)
                got = self.echo("--npy", self.path("x.npy"))
                self.assertEqual((got.dtype, got.shape, got.tolist()), (x.dtype, x.shape, x.tolist()))
                np.save(self.path("x.npy"), x.astype(x.dtype.newbyteorder(), order="F"))
                got = self.echo("--npy", self.path("x.npy"))
                self.assertEqual((got.dtype, got.tolist()), (x.dtype, x.tolist()))

    def test_several(self):
        a, b = np.arange(4.0), np.ones(4)
        p = self.program("combine")
        for save in (np.savez, np.savez_compressed):
            save(self.path("x.npz"), b=b, a=a)
            self.assertEqual(self.echo("--npz", self.path("x.npz"), program=p).tolist(), [-1, 0, 1, 2])
            save(self.path("y.npz"), a, b, np.array(3))
            self.assertEqual(self.echo("--npz", self.path("y.npz"), program=p).tolist(), [-3, -2, -1, 0])
            save(self.path("z.npz"), other=b, a=a)  # what has no argument's name takes a place that is left
            self.assertEqual(self.echo("--npz", self.path("z.npz"), program=p).tolist(), [-1, 0, 1, 2])
        np.save(self.path("a.npy"), b)
        np.savez(self.path("x.npz"), b=a)
        self.assertEqual(self.echo("--npz", self.path("x.npz"), "--npy", self.path("a.npy"), program=p).tolist(), [1, 0, -1, -2])

    def test_results(self):
        np.save(self.path("x.npy"), np.arange(3.0))
        out = self.path("out.npz")
        self.run_ok(self.program("named"), "--npy", self.path("x.npy"), "--outputs", out)
        with np.load(out) as got:
            self.assertEqual({k: v.tolist() for k, v in got.items()}, {"scores": [0, 2, 4], "count": 7})
        self.run_ok(self.program("named"), "--npy", self.path("x.npy"), "--expect", out)
        self.run_ok(self.program("table"), "--npy", self.path("x.npy"), "--outputs", out)
        with np.load(out) as got:
            self.assertEqual(sorted(got), ["half", "twice"])
        self.run_ok(self.program("echo"), "--npy", self.path("x.npy"), "--outputs", out)
        with np.load(out) as got:
            self.assertEqual(got["arr_0"].tolist(), [0, 1, 2])

    def test_what_is_refused(self):
        p = self.program("combine")
        np.savez_compressed(self.path("x.npz"), a=np.arange(500), b=np.arange(500))
        with open(self.path("x.npz"), "rb") as f:
            whole = f.read()
        chance = random.Random(8)
        for n in range(60):
            data = bytearray(whole)
            if n % 2:
                data = data[:chance.randrange(len(data))]
            else:
                data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            done = run(TSMRUN, p, "--npz", self.write("b.npz", bytes(data)), "--outputs", self.path("none.json"))
            self.assertIn(done.returncode, (0, 1, 2), done.stderr)
            if n % 2:
                self.assertEqual(done.returncode, 2)
        self.refused("not a .npz file", p, "--npz", self.write("b.npz", b"hello"))
        np.savez(self.path("n.npz"), n=np.array(1))
        self.refused("argument 0 is not given", p, "--npz", self.path("n.npz"))
        np.savez(self.path("a.npz"), a=np.array(1))
        self.refused("'a' is given twice", p, "--npz", self.path("a.npz"), "--npz", self.path("a.npz"))
        np.save(self.path("x.npy"), np.arange(3.0))
        for array, said in ((np.zeros(2, [("a", "f4")]), "no elements of several fields"), (np.array(["a"]), "no element type like '<U1'"),
                            (np.zeros(2, ">M8[s]"), "no element type like '>M8")):
            np.save(self.path("y.npy"), array)
            self.refused(said, self.program("echo"), "--npy", self.path("y.npy"))
        self.refused("is no tensor or number; write .json", self.program("text"), "--string", "a", "--outputs", self.path("o.npy"))
        self.assertFalse(os.path.exists(self.path("o.npy")))
        self.refused("more than 32 arguments", p, *["--string", "a"] * 33)


class Results(Case):
    def setUp(self):
        np.save(self.path("x.npy"), np.array([[0.1, 0.7, np.nan, 0.2]], np.float32))

    def test_texts(self):
        p = self.program("text")
        self.assertEqual(self.run_ok(p, "--string", "a'b"), "'a\\'b'\n")
        self.assertEqual(self.run_ok(p, "--text", self.write("t.txt", "two\nlines\n")), "'two\\nlines\\n'\n")
        self.assertEqual(self.run_ok(p, "--text", "-", input=b"piped"), "'piped'\n")

    def test_expectations(self):
        p, x = self.program("echo"), self.path("x.npy")
        self.assertEqual(self.run_ok(p, "--npy", x, "--expect", x), "as expected\n")
        np.save(self.path("y.npy"), np.array([[0.1, 0.7, np.nan, 0.25]], np.float32))
        out = self.run_ok(p, "--npy", x, "--expect", self.path("y.npy"), status=1)
        self.assertRegex(out, r"^NOT as expected: element 3: 0.2\d* against 0.25\n$")
        self.run_ok(p, "--npy", x, "--expect", self.path("y.npy"), "--tolerance", "0.1")
        self.run_ok(p, "--npy", x, "--outputs", self.path("r.json"))
        self.assertEqual(self.run_ok(p, "--npy", x, "--expect", self.path("r.json")), "as expected\n")
        np.savez(self.path("z.npz"), arr_1=np.zeros(1))
        self.assertEqual(self.run_ok(p, "--npy", x, "--expect", self.path("z.npz"), status=1), "NOT as expected: the result has no arr_1\n")
        for wrong, said in ((["--tolerance", "0.1"], "is for --expect"), (["--expect", x, "--tolerance", "2"], "from 0 to 1"),
                            (["--labels", x], "is for --top"), (["--top", "0"], "at least 1")):
            self.refused(said, p, "--npy", x, *wrong)

    def test_the_best(self):
        x = self.path("x.npy")
        labels = self.write("labels.txt", "cat\ndog\r\nbird\n")
        out = self.run_ok(self.program("echo"), "--npy", x, "--top", "3", "--labels", labels)
        self.assertEqual([line.split() for line in out.splitlines()],
                         [["rank", "score", "index", "label"], ["1", "0.7", "1", "dog"], ["2", "0.2", "3"], ["3", "0.1", "0", "cat"]])
        got = json.loads(self.run_ok(self.program("echo", labels="a,b,c,d"), "--npy", x, "--top", "9", "--json"))["top"]
        self.assertEqual([(r["index"], r["label"]) for r in got[0]], [(1, "b"), (3, "d"), (0, "a"), (2, "c")])
        np.save(self.path("rows.npy"), np.array([[1, 2], [4, 3]]))
        out = self.run_ok(self.program("echo"), "--npy", self.path("rows.npy"), "--top", "1")
        self.assertEqual([line.split() for line in out.splitlines()[1:]], [["row", "0"], ["1", "2", "1"], ["row", "1"], ["1", "4", "0"]])
        self.refused("no tensor of scores", self.program("text"), "--string", "a", "--top", "1")

    def test_json(self):
        x, p = self.path("x.npy"), self.program("say")
        got = json.loads(self.run_ok(p, "--npy", x, "--json", "--profile"))  # what the program prints goes elsewhere
        self.assertEqual(got["result"]["tensor"]["shape"], [1, 4])
        self.assertTrue(got["usage"]["high_water_bytes"] >= got["usage"]["fixed_bytes"] > 0)
        self.assertEqual({r["calls"] for r in got["profile"]} | {1}, {1})
        got = json.loads(self.run_ok(self.program("echo"), "--npy", x, "--json", "--bench", "3"))
        self.assertEqual(got["bench"]["runs"], 3)
        got = json.loads(self.run_ok(self.program("echo"), "--npy", x, "--json", "--expect", x))
        self.assertEqual(got["expected"], {"passed": True, "difference": ""})
        got = json.loads(self.run_ok(self.program("text"), "--json", "--sequence", self.write("s.json", '[["a"], ["b"]]')))
        self.assertEqual(got["results"], ["a", "b"])
        self.assertEqual(json.loads(self.run_ok(self.program("echo"), "--json", "--info"))["methods"][0]["name"], "echo")
        cases = self.path("cases.tsm")
        done = run(TSMC, os.path.join(HERE, "inputs.py") + ":text", "-o", cases, "--bundle", self.write("i.json", '["a"]'),
                   "--expect", self.write("o.json", '"b"'))
        self.assertEqual(done.returncode, 0, done.stderr)
        got = json.loads(self.run_ok(cases, "--check", "--json", status=1))
        self.assertEqual(got["cases"], [{"method": "text", "passed": False, "has_expected": True, "difference": "'a' against 'b'"}])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

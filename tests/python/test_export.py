"""tsmobile.export and the reports: paths without PyTorch; with it modules, functions and programs that are in memory.

    test_export.py [--without-torch]
"""
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np

WITHOUT_TORCH = "--without-torch" in sys.argv
if WITHOUT_TORCH:
    sys.argv.remove("--without-torch")
    sys.modules["torch"] = None  # `import torch` fails, as where it is not installed
    torch = None
else:
    import torch

import tsmobile
from tsmobile.__main__ import main as command

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
DIGITS = os.path.join(TESTS, "models", "digits.pt")
MODEL = os.path.join(HERE, "model.py") + ":Model"
IMAGE = np.zeros((1, 1, 8, 8), np.float32)


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = os.path.join(folder.name, "out.tsm")
        self.folder = folder.name
        caught = warnings.catch_warnings()
        caught.__enter__()
        self.addCleanup(caught.__exit__, None, None, None)
        warnings.simplefilter("ignore")

    def path(self, name):
        return os.path.join(self.folder, name)


class Paths(Folder):
    def test_archives(self):
        self.assertEqual(tsmobile.export(DIGITS, self.out), self.out)
        self.assertEqual(tsmobile.Program(self.out)(IMAGE).shape, (1, 10))
        with open(DIGITS, "rb") as f:
            tsmobile.export(f.read(), self.out)
        self.assertEqual(tsmobile.Program(self.out)(IMAGE).shape, (1, 10))

    def test_sources(self):
        tsmobile.export(MODEL, self.out, methods=["count", "fail"], metadata={"author": "me, myself = I"}, eval=True)
        p = tsmobile.Program(self.out)
        self.assertEqual((list(p.methods), p.count(10)), (["count", "fail"], 9))
        self.assertIn({"key": "author", "value": "me, myself = I"}, p.info["metadata"])

    def test_examples(self):
        for example in (IMAGE, (IMAGE,)):
            tsmobile.export(DIGITS, self.out, example=example, target="cortex-m4f")
            p = tsmobile.Program(self.out)
            self.assertEqual(p.info["methods"][0]["inputs"][0]["sizes"], [1, 1, 8, 8])
            self.assertGreater(p.forward.buffer_bytes, 1000)
        with open(self.path("e.json"), "w", encoding="utf-8") as f:
            json.dump([{"tensor": {"dtype": "float32", "shape": [1, 1, 8, 8], "data": [0.5] * 64}}], f)
        tsmobile.export(DIGITS, self.out, example=self.path("e.json"))
        self.assertGreater(tsmobile.Program(self.out).forward.buffer_bytes, 1000)

    def test_every_value_as_an_example(self):
        """Values in, written as JSON and read by tsmc, come back from the program as they were."""
        x = np.array([[0.1, float("nan")], [float("inf"), -0.0]], np.float32)
        half = tsmobile.Tensor(np.array([0x3f80, 0x4000], np.uint16), "bfloat16")
        rows = tsmobile.Tensor(np.array([[1, 2], [3, 4]], np.int8), "qint8", [0.5, 0.25], [0, 1], axis=0)
        for method, arguments in (("echo", (x,)), ("echo", (x.astype(">f8").T,)), ("echo", (np.array([1 + 2j]),)), ("echo", (half,)),
                                  ("plain", (rows,)), ("text", ("ä\n",)), ("numbers", (1, 0.1, True, 1 - 2j)), ("table", ({"a": [1]},)),
                                  ("optional", (None, 3)), ("nested", ((1, ("s", x)),)), ("floats", ([0.1, float("inf")],))):
            tsmobile.export(MODEL, self.out, methods=[method], bundle=arguments, example=arguments, eval=True)
            p = tsmobile.Program(self.out)
            self.assertEqual(p.info["test_cases"], 1)
            p.methods[method](*arguments)

    def test_test_cases(self):
        tsmobile.export(MODEL, self.out, methods=["count"], bundle=(10,), expect=9, eval=True)
        self.assertEqual(tsmobile.Program(self.out).info["test_cases"], 1)

    def test_weights_in_memory_need_pytorch(self):
        if "torch" not in sys.modules:
            with self.assertRaisesRegex(TypeError, "the path of a state dict"):
                tsmobile.export(MODEL, self.out, weights={"w": np.ones(1)})

    def test_what_is_refused(self):
        with open(self.path("bad.py"), "w", encoding="utf-8") as f:
            f.write("import torch\ndef f(x: torch.Tensor):\n    return torch.nothing_like_this(x)\n")
        with open(self.path("bad.pt"), "wb") as f:
            f.write(b"no archive")
        for model, said in ((self.path("bad.py") + ":f", r"(?s)nothing_like_this.*bad.py\", line 3"), (self.path("bad.pt"), "bad.pt"),
                            (self.path("bad.py"), "name the function or module class"), (b"no archive", "model.pt")):
            with self.assertRaisesRegex(tsmobile.ExportError, said):
                tsmobile.export(model, self.out)
        with self.assertRaises(FileNotFoundError):
            tsmobile.export(self.path("nothing.pt"), self.out)
        for wrong in (5, object(), None):
            with self.assertRaisesRegex(TypeError, "a model is a path"):
                tsmobile.export(wrong, self.out)
        with self.assertRaisesRegex(tsmobile.ExportError, "targets x86-64"):
            tsmobile.export(DIGITS, self.out, target="toaster")
        with self.assertRaisesRegex(tsmobile.ExportError, "holds 2 arguments, and forward takes 1"):
            tsmobile.export(DIGITS, self.out, example=(1, 2))
        with self.assertRaises(TypeError):
            tsmobile.export(DIGITS, self.out, example=({1},))
        with self.assertRaisesRegex(TypeError, "needs an example"):
            tsmobile.export(DIGITS, self.out, trace=True)
        self.assertFalse(os.path.exists(self.out))

    def test_warnings(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            tsmobile.export(DIGITS, self.out, example=IMAGE, options=["--target-runtime", "0.1.0"])
        self.assertIn("--example is not used", str(caught[0].message))
        self.assertEqual(caught[0].filename, __file__)

    def test_no_torch(self):
        code = "import sys, tsmobile; tsmobile.export(%r, %r); assert 'torch' not in sys.modules" % (DIGITS, self.out)
        subprocess.run([sys.executable, "-c", code], check=True)


class Reports(Folder):
    def test_reports(self):
        tsmobile.export(DIGITS, self.out, example=IMAGE)
        for found in (tsmobile.report(self.out), tsmobile.report(DIGITS, example=IMAGE)):
            self.assertTrue(found.runs)
            self.assertIn("method forward(Tensor image) -> Tensor\n  in   image: Tensor float32[1, 1, 8, 8]", str(found).replace("float32 [", "float32["))
            self.assertEqual(json.loads(json.dumps(found.as_json()))["info"]["methods"][0]["name"], "forward")
        self.assertEqual(found.operators["aten::max_pool2d"], 2)

    def test_a_model_that_does_not_run(self):
        with open(self.path("bad.py"), "w", encoding="utf-8") as f:
            f.write("import torch\ndef f(x: torch.Tensor):\n    return torch.nothing_like_this(x)\n")
        found = tsmobile.report(self.path("bad.py") + ":f")
        self.assertFalse(found.runs)
        self.assertIn("nothing_like_this", str(found))
        with self.assertRaisesRegex(FileNotFoundError, "/nowhere.tsm"):
            tsmobile.report("/nowhere.tsm")
        with open(self.path("none.tsm"), "w", encoding="utf-8") as f:
            f.write("text")
        self.assertIn("does not run", str(tsmobile.report(self.path("none.tsm"))))

    def test_command(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertEqual(command(["report", DIGITS, "--json"]), 0)
        self.assertTrue(json.JSONDecoder().raw_decode(out.getvalue())[0]["runs"])
        for wrong in ([], ["report"], ["report", DIGITS, "--nothing"], ["sing"], ["report", DIGITS, "--example"],
                      ["report", "/nowhere.pt"], ["report", "/nowhere.tsm"], ["report", os.path.dirname(DIGITS)],
                      ["report", DIGITS, "--target", "toaster"], ["report", DIGITS, "--weights", DIGITS],
                      ["report", DIGITS, "--example", "/nowhere.json"], ["report", DIGITS, "--weights", "/nowhere.pth"]):
            said = io.StringIO()
            with contextlib.redirect_stderr(said), self.assertRaises(SystemExit) as ended:
                command(wrong)
            self.assertEqual(ended.exception.code, 2)
            self.assertRegex(said.getvalue(), r"\Apython -m tsmobile[^\n]*: [^\n]+; --help lists the options\n\Z")
            self.assertEqual(said.getvalue().count("--help"), 1)

    def test_a_reader_that_has_enough(self):
        for arguments in ([DIGITS], [DIGITS, "--json"]):
            reading, writing = os.pipe()
            os.close(reading)
            with os.fdopen(writing) as out:
                done = subprocess.run([sys.executable, "-m", "tsmobile", "report", *arguments], stdout=out, stderr=subprocess.PIPE, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, b""))


class Modules(Folder):
    def check(self, model, *arguments, **options):
        tsmobile.export(model, self.out, **options)
        p = tsmobile.Program(self.out)
        with torch.no_grad():
            expected = model(*arguments)
        np.testing.assert_allclose(p(*arguments), expected.numpy(), rtol=1e-5, atol=1e-6)
        return p

    def net(self):
        torch.manual_seed(3)
        return torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))

    def test_modules(self):
        x = torch.rand(3, 4)
        net = self.net()
        self.check(net, x)
        self.check(net, x, example=x)
        self.check(net, x, example=(x,), trace=True)
        self.check(torch.jit.script(net), x)
        p = self.check(torch.jit.trace(net, x), x)
        self.assertEqual(p.info["metadata"][0], {"key": "source", "value": "Sequential.pt"})

    def test_weights(self):
        torch.save(self.net().state_dict(), self.path("net.pth"))
        blank = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
        self.check(blank, torch.rand(3, 4), weights=self.path("net.pth"))
        np.testing.assert_array_equal(blank[0].weight.detach(), self.net()[0].weight.detach())
        # In memory, for a module there and for a source.
        state = {name: w + 1 for name, w in self.net().state_dict().items()}
        self.check(blank, torch.rand(3, 4), weights=state)
        np.testing.assert_array_equal(blank[0].weight.detach(), state["0.weight"])
        with open(self.path("layer.py"), "w", encoding="utf-8") as f:
            f.write("import torch\nclass Layer(torch.nn.Linear):\n    def __init__(self):\n        super().__init__(4, 2)\n")
        layer = torch.nn.Linear(4, 2)
        tsmobile.export(self.path("layer.py:Layer"), self.out, weights=layer.state_dict())
        np.testing.assert_allclose(tsmobile.Program(self.out)(np.ones((1, 4), np.float32)), layer(torch.ones(1, 4)).detach(), rtol=1e-5)

    def test_functions(self):
        def twice(x: torch.Tensor) -> torch.Tensor:
            return x + x

        p = self.check(torch.jit.script(twice), torch.rand(3))
        self.check(twice, torch.rand(3))
        self.assertEqual(p(np.ones(2)).tolist(), [2, 2])

    def test_what_torch_refuses(self):
        class Wrong(torch.nn.Module):
            def forward(self, x):
                return x.no_such_method()

        with self.assertRaisesRegex(RuntimeError, "no_such_method"):
            tsmobile.export(Wrong(), self.out)

    def test_tensors_in_place(self):
        tsmobile.export(MODEL, self.out, methods=["change", "as_type"], eval=True)
        p = tsmobile.Program(self.out)
        x = torch.zeros(2, 3)
        p.change(x)
        p.change(x.t()[1])
        self.assertEqual(x.tolist(), [[1, 2, 1], [1, 2, 1]])
        half = torch.tensor([1.5, -2.0], dtype=torch.bfloat16)
        p.change(half)
        self.assertEqual(half.tolist(), [2.5, -1.0])
        with self.assertRaises((RuntimeError, BufferError)):
            p.change(torch.zeros(2, requires_grad=True))
        self.assertEqual(torch.from_dlpack(p.as_type(x, 7)).dtype, torch.float64)


@unittest.skipUnless(torch is not None and hasattr(getattr(torch, "export", None), "export"), "torch.export needs PyTorch 2.1 or newer")
class ExportedPrograms(Folder):
    def setUp(self):
        super().setUp()
        torch.manual_seed(3)
        self.net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2)).eval()
        self.x = torch.rand(3, 4)

    def check(self, program, *arguments):
        with torch.no_grad():
            expected = program.module()(*arguments)
        np.testing.assert_allclose(tsmobile.Program(self.out)(*arguments), expected.numpy(), rtol=1e-5, atol=1e-6)

    def test_a_program_in_memory(self):
        program = torch.export.export(self.net, (self.x,))
        self.assertEqual(tsmobile.export(program, self.out), self.out)
        self.check(program, self.x)
        tsmobile.export(program, self.out, example=self.x)
        self.check(program, self.x)

    def test_sizes(self):
        rows = torch.export.Dim("rows", min=1, max=9)
        program = torch.export.export(self.net, (self.x,), dynamic_shapes=({0: rows},))
        tsmobile.export(program, self.out)
        for n in (1, 3, 9):
            self.check(program, torch.rand(n, 4))
        with self.assertRaises(tsmobile.Error):
            tsmobile.Program(self.out)(torch.rand(10, 4))

    def test_control_flow_and_a_state(self):
        class Counter(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("count", torch.zeros(1))

            def forward(self, x):
                self.count.add_(1)
                return torch.cond(x.sum() > 0, lambda y: y + 1, lambda y: y - 1, (x,)) * self.count

        program = torch.export.export(Counter(), (torch.ones(2),))
        tsmobile.export(program, self.out)
        p = tsmobile.Program(self.out)
        self.assertEqual([p(torch.ones(2)).tolist(), p(-torch.ones(2)).tolist()], [[2, 2], [-4, -4]])

    def test_what_is_refused(self):
        program = torch.export.export(self.net, (self.x,))
        with self.assertRaises(tsmobile.ExportError):
            tsmobile.export(program, self.out, methods=["backward"])
        self.assertFalse(os.path.exists(self.out))


if WITHOUT_TORCH:
    del Modules

if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The page that compiles and runs models, opened from disk in Chromium: archives and sources of the repository, refused
ones, texts that try to be markup. Without Chromium it is skipped, and says so.

    test_page.py PAGE ROOT TSMC [--pictures FOLDER] [unittest's options]

TSM_SILERO_VAD in the environment names the archive silero_vad.jit, which is not kept here: it is tried, too. With
--pictures it only writes the pictures of the documents."""
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "report"))
sys.path.insert(0, os.path.join(HERE, ".."))
from browser import Browser, need_browser  # noqa: E402
from state_dict import save_state  # noqa: E402

PAGE, ROOT, TSMC = (os.path.abspath(p) for p in sys.argv[1:4])
HOSTILE = "</script><script>document.title='pwned'</script><img src=x onerror=document.title='pwned'>"
SOURCE = '''import torch

class Net(torch.nn.Module):
    def __init__(self, k: float = 2.0):
        super().__init__()
        self.k = k
    def forward(self, x: torch.Tensor, words: str = "%s") -> torch.Tensor:
        print(words)
        return x * self.k
''' % HOSTILE
REFUSED = '''import torch
def f(x: torch.Tensor) -> torch.Tensor:
    y = torch.relu(x)
    return torch.nothing_like_it(y)  # %s
''' % HOSTILE
# Takes seconds to compile, and never ends when it is run with True.
LONG = "import torch\n" + "".join("def f%d(x: torch.Tensor, n: int):\n    for i in range(n):\n%s    return x\n" % (
    f, "".join("        x = torch.relu(x + %d) * x.size(0)\n" % k for k in range(60))) for f in range(100)) + """
def f(x: torch.Tensor, is_endless: bool):
    while is_endless:
        x = x + 1
""" + "".join("    x = f%d(x, 0)\n" % f for f in range(100)) + "    return x\n"
DEBIAN_PYTHON = "/usr/bin/python3"
SILERO_VAD = os.environ.get("TSM_SILERO_VAD")
HAS_PYTORCH = subprocess.run([DEBIAN_PYTHON, "-c", "import torch, torchvision"], cwd=tempfile.gettempdir(), capture_output=True).returncode == 0
DONE = "/is compiled|was refused|Error/.test(document.getElementById('state').textContent)"


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.browser = Browser()
        cls.browser.__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.folder.cleanup()

    def setUp(self):
        self.browser.open("file://" + PAGE)
        self.browser.wait("document.documentElement.dataset.state === 'ready'")

    def tearDown(self):
        self.assertEqual(self.browser.errors, [])
        self.assertEqual([u for u in self.browser.requests() if not u.startswith(("file://" + PAGE, "data:", "blob:"))], [])

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "wb" if isinstance(text, bytes) else "w") as f:
            f.write(text)
        return path

    def text(self, selector):
        return self.browser.run("document.querySelector(%s).textContent" % json.dumps(selector))

    def texts(self, selector):
        return self.browser.run("[...document.querySelectorAll(%s)].map(e => e.textContent)" % json.dumps(selector))

    def set(self, selector, value):
        self.browser.run("(e => { e.value = %s; e.dispatchEvent(new Event('change')); })(document.querySelector(%s))"
                         % (json.dumps(value), json.dumps(selector)))

    def shown(self, selector):
        return self.browser.run("document.querySelector(%s).offsetParent !== null" % json.dumps(selector))

    def click(self, selector):
        self.browser.run("document.querySelector(%s).click()" % json.dumps(selector))

    def take(self, *paths):
        self.browser.run("document.getElementById('state').textContent = ''")  # what it said of the file before
        self.browser.choose_file("#files", *paths)
        if not any(p.endswith(".py") for p in paths):
            self.browser.wait(DONE)

    def compile(self):
        self.browser.wait("!document.getElementById('compile').disabled")
        self.click("#compile")
        self.browser.wait(DONE)

    def output(self, button="#run-button"):
        self.browser.run("document.getElementById('output').hidden = true")
        self.click(button)
        self.browser.wait("!document.getElementById('output').hidden")
        return self.text("#output")

    def test_an_archive(self):
        self.take(os.path.join(ROOT, "tests/models/digits.pt"))
        self.assertIn("digits.pt is compiled", self.text("#state"))
        self.assertIn("forward(Tensor image) -> Tensor", self.text("#methods"))
        operators = dict(zip(self.texts("#operators-table code"), self.texts("#operators-table td:last-child")))
        self.assertIn("tsm::convolution", operators)
        self.assertTrue(operators["tsm::convolution"].startswith("conv.py:"), operators)
        self.assertIn("features.7.weight", self.texts("#sizes-table code"))
        self.assertEqual(set(self.texts("#downloads a")), {"model.tsm", "report.html", "model.h", "model.c", "operators.c"})
        # Memory is planned for arguments that are made up.
        self.assertEqual(self.texts("#targets"), [])
        self.set(".shape", "1, 1, 8, 8")
        self.set(".made", "ones")
        output = self.output()
        self.assertIn("float32[1, 10]", output)
        self.assertIn("bytes of the buffer", output)
        self.click("#plan-button")
        self.browser.wait("document.getElementById('targets') !== null")
        self.browser.wait(DONE)
        self.assertEqual(self.browser.run("document.querySelectorAll('#targets-table tbody tr').length"), 7)
        self.assertIn("A call needs a buffer of", self.text("#buffer"))
        buffers = dict(zip(self.texts("#targets-table td:first-child"), self.texts("#targets-table td:nth-child(2)")))
        need = int(buffers["x86-64"].replace(",", ""))
        plan = subprocess.run([TSMC, os.path.join(ROOT, "tests/models/digits.pt"), "--example", os.path.join(ROOT, "tests/models/digits_example.json"),
                               "--target", "x86-64", "--dump", "plan", "--json"], check=True, stdout=subprocess.PIPE)
        self.assertEqual(json.loads(plan.stdout)["plans"][0]["buffer_bytes"], need)
        self.assertGreater(int(buffers["cortex-m4f"].replace(",", "")), 10000)
        # What was filled in is still there.
        self.assertIn("float32[1, 10]", self.output())
        self.assertEqual(self.browser.run("document.querySelector('.made').value"), "ones")

    def take_long(self):
        self.take(self.write("long.py", LONG))
        self.browser.wait("document.getElementById('entry').value === 'f0'")
        self.set("#entry", "f")

    def begin(self, selector):
        """Clicks, and comes back while the work that begins so is shown."""
        self.browser.run("""(() => { window.last = performance.now(); window.longest = 0;
            window.beat = setInterval(() => { const now = performance.now(); longest = Math.max(longest, now - last); last = now; }, 10); })()""")
        self.click(selector)
        self.browser.wait("document.querySelector('#busy progress') && document.querySelector('#busy').offsetParent !== null")

    def longest_silence(self):
        """Milliseconds in which the page could answer nothing since begin()."""
        return self.browser.run("clearInterval(beat), Math.max(longest, performance.now() - last)")

    def test_the_page_answers_while_it_compiles(self):
        self.take_long()
        self.begin("#compile")
        self.assertIn("Compiling long.py", self.text("#state"))
        self.assertTrue(self.browser.run("document.getElementById('compile').disabled"))
        self.browser.wait(DONE)
        silence = self.longest_silence()
        seconds = float(re.search(r"long\.py is compiled: (\d+\.\d) s", self.text("#state"))[1])
        self.assertGreater(seconds, .9)
        self.assertLess(silence, 600 * seconds)
        self.assertIn(self.text("#seconds"), ["%d s" % (seconds - d) for d in (0, .5, 1)])
        self.assertEqual([self.shown("#busy"), self.browser.run("document.getElementById('compile').disabled")], [False, False])

    def test_work_can_be_stopped(self):
        """A model that is being compiled, and a call that does not end; what follows finds nothing of them."""
        self.take_long()
        self.begin("#compile")
        self.click("#stop")
        self.assertEqual((self.text("#state"), self.shown("#busy")), ("Stopped.", False))
        self.compile()
        self.set(".shape", "2")
        self.set(".made", "zeros")
        self.set("#argument-1", "true")
        self.begin("#run-button")
        self.assertIn("Running f", self.text("#state"))
        self.assertTrue(self.browser.run("document.getElementById('plan-button').disabled"))
        self.click("#stop")
        self.browser.wait("!document.getElementById('output').hidden")
        self.assertIn("stopped", self.text("#output"))
        self.set("#argument-1", "false")
        self.assertIn("float32[2]", self.output())
        self.assertIn("long.py is compiled", self.text("#state"))

    def test_another_file_stops_the_one_before(self):
        self.take_long()
        self.begin("#compile")
        self.take(os.path.join(ROOT, "tests/models/digits.pt"))
        self.assertIn("digits.pt is compiled", self.text("#state"))
        self.assertIn("image", self.text("#methods"))

    def run_as_pytorch(self, path, shape, expected):
        """Runs the only tensor argument as ones of this shape, and compares the first elements of the result."""
        self.take(path)
        self.assertIn("%s is compiled" % os.path.basename(path), self.text("#state"))
        self.set(".shape", shape)
        self.set(".made", "ones")
        self.compare(self.output(), expected)

    def compare(self, output, expected):
        self.assertIn("float32[%s]" % ", ".join(map(str, expected["shape"])), output)
        got = [float(n) for n in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", output.split("]", 1)[1])]
        for a, b in zip(got, expected["first"]):
            self.assertAlmostEqual(a, b, delta=1e-3)
        self.assertGreaterEqual(len(got), len(expected["first"]))

    def make_models(self, *arguments):
        return json.loads(subprocess.run([DEBIAN_PYTHON, os.path.join(HERE, "make_models.py"), self.folder.name, *arguments], check=True,
                                         stdout=subprocess.PIPE, text=True).stdout)

    @unittest.skipUnless(HAS_PYTORCH and SILERO_VAD, "TSM_SILERO_VAD does not name silero_vad.jit")
    def test_silero_vad(self):
        """A detector that is published: branches on the sample rate, and a state from call to call."""
        expected = self.make_models("--silero", SILERO_VAD)
        self.take(SILERO_VAD)
        self.assertIn("silero_vad.jit is compiled", self.text("#state"))
        self.assertIn("aten::lstm_cell", self.texts("#operators-table code, #operators-table-more code"))
        self.set("#argument-1", "16000")
        for wanted in expected:
            self.set(".shape", "1, 512")
            self.set(".made", "ones")
            self.compare(self.output(), wanted)
        self.set("#argument-1", "44100")
        self.assertIn("Supported sampling rates", self.output())

    @unittest.skipUnless(HAS_PYTORCH, "PyTorch and torchvision are missing: toolchain/setup.sh torch")
    def test_models_as_they_are_published(self):
        """mobilenet_v2 of torchvision, and a voice detector that keeps its state."""
        voice = os.path.join(ROOT, "examples/voice-detection/voice.pt")
        expected = self.make_models(voice)
        self.run_as_pytorch(os.path.join(self.folder.name, "mobilenet_v2.pt"), "1, 3, 224, 224", expected["mobilenet_v2"])
        operators = self.texts("#operators-table code")
        self.assertIn("tsm::convolution", operators)
        self.assertNotIn("aten::batch_norm", operators)
        self.run_as_pytorch(voice, "256", expected["voice"][0])
        # The second call goes on from the first one's state.
        output = self.output()
        self.assertAlmostEqual(float(re.search(r"\d\.\d+", output.split("]", 1)[1])[0]), expected["voice"][1]["first"][0], delta=1e-3)

    def test_what_is_offered_is_what_was_compiled(self):
        self.take(self.write("net.py", SOURCE))
        self.compile()
        self.browser.call("Page.setDownloadBehavior", behavior="allow", downloadPath=self.folder.name)
        self.browser.run("[...document.querySelectorAll('#downloads a')].find(a => a.textContent === 'model.tsm').click()")
        offered, here = (os.path.join(self.folder.name, name) for name in ("net.tsm", "here.tsm"))
        subprocess.run([TSMC, "net.py:Net", "-o", here], check=True, cwd=self.folder.name)
        deadline = time.time() + 20
        while not os.path.exists(offered) and time.time() < deadline:
            time.sleep(.05)
        with open(offered, "rb") as a, open(here, "rb") as b:
            self.assertEqual(a.read(), b.read())

    def test_dropping(self):
        self.browser.run("""(() => { const d = new DataTransfer(); d.items.add(new File([%s], 'dropped.py'));
            document.body.dispatchEvent(new DragEvent('dragenter', {bubbles: true, cancelable: true, dataTransfer: d})); })()""" % json.dumps(SOURCE))
        self.assertEqual(self.browser.run("document.getElementById('drop').className"), "over")
        self.browser.run("""(() => { const d = new DataTransfer(); d.items.add(new File([%s], 'dropped.py'));
            document.body.dispatchEvent(new DragEvent('drop', {bubbles: true, cancelable: true, dataTransfer: d})); })()""" % json.dumps(SOURCE))
        self.browser.wait("document.getElementById('entry').value === 'Net'")
        self.compile()
        self.assertIn("dropped.py is compiled", self.text("#state"))

    def test_a_source_with_hostile_texts(self):
        self.take(self.write("net.py", SOURCE))
        self.browser.wait("document.getElementById('entry').value === 'Net'")
        self.set("#entry", "Net(k=3.0)")
        self.compile()
        self.assertIn("net.py is compiled", self.text("#state"))
        self.assertIn(HOSTILE.replace("'", "\\'"), self.text("#methods"))  # the schema has PyTorch's escapes
        self.set(".shape", "2, 2")
        self.assertEqual([self.shown(".elements"), self.shown(".image")], [False, False])
        self.set(".made", "JSON")
        self.assertEqual([self.shown(".elements"), self.shown(".image")], [True, False])
        self.set(".elements", "[[1, 2], [3, 4]]")
        output = self.output()
        self.assertIn(HOSTILE, output)
        self.assertIn("3, 6, 9, 12", output)
        self.assertEqual(self.browser.run("document.querySelectorAll('img').length"), 0)
        self.assertEqual(self.browser.run("document.title"), "tsmobile: would it run?")

    def test_large_ints(self):
        source = "import torch\ndef f(n: int) -> torch.Tensor:\n    return torch.tensor([n, 9007199254740993])\n"
        self.take(self.write("ints.py", source))
        self.browser.wait("document.getElementById('entry').value === 'f'")
        self.compile()
        self.set("#argument-0", "3")
        self.assertIn("3, 9007199254740993", self.output())
        self.set("#argument-0", "9007199254740993")  # JSON gives another number, which is not taken for this one
        self.assertIn("is no int", self.output())

    def test_refused(self):
        self.take(self.write("bad.py", REFUSED))
        self.browser.wait("document.getElementById('entry').value === 'f'")
        self.compile()
        self.assertIn("was refused", self.text("#state"))
        self.assertIn("nothing_like_it", self.text("#refusal"))
        self.assertIn("line 4", self.text("#refusal"))
        self.assertTrue(self.browser.run("document.getElementById('result').hidden"))
        self.assertEqual(self.browser.run("document.querySelectorAll('img').length"), 0)
        # And then another file.
        self.take(os.path.join(ROOT, "tests/cli/traced.pt"))
        self.assertIn("traced.pt is compiled", self.text("#state"))
        self.assertTrue(self.browser.run("document.getElementById('refused').hidden"))

    def test_no_archive(self):
        self.take(self.write("broken.pt", b"PK\x03\x04 nothing"))
        self.assertIn("was refused", self.text("#state"))
        self.browser.open("file://" + PAGE)
        self.browser.wait("document.documentElement.dataset.state === 'ready'")
        self.take(self.write("net.onnx", b"\x08\x07\x12\x07pytorch\x1a\x051.13"))
        self.assertIn("net.onnx was refused", self.text("#state"))
        self.assertIn("is a model of ONNX", self.text("#refusal"))
        # Nothing of a model before is shown for one that is none.
        self.take(os.path.join(ROOT, "tests/models/digits.pt"))
        self.take(self.write("notes.txt", "x"))
        self.assertIn("notes.txt was refused", self.text("#state"))
        self.assertTrue(self.browser.run("document.getElementById('result').hidden"))

    def test_weights(self):
        """A module class and its state dict, in one drop or in two, whatever the name ends in."""
        source = self.write("layer.py", "import torch\nclass Layer(torch.nn.Linear):\n    def __init__(self):\n        super().__init__(3, 2)\n")
        sizes = {"weight": (2, 3), "bias": (2,)}
        for name in ("w.pt", "w.pth"):
            save_state(os.path.join(self.folder.name, name), sizes)
        self.take(source, os.path.join(self.folder.name, "w.pt"))
        self.browser.wait("document.getElementById('state').textContent.includes('with w.pt')")
        self.compile()
        self.assertIn("layer.py is compiled", self.text("#state"))
        self.browser.open("file://" + PAGE)
        self.browser.wait("document.documentElement.dataset.state === 'ready'")
        self.browser.choose_file("#files", os.path.join(self.folder.name, "w.pth"))
        self.browser.wait("document.getElementById('state').textContent.includes('is missing')")
        self.assertTrue(self.browser.run("document.getElementById('compile').disabled"))
        self.browser.choose_file("#files", source)
        self.browser.wait("document.getElementById('state').textContent.includes('with w.pth')")
        self.compile()
        self.assertIn("layer.py is compiled", self.text("#state"))

    def test_narrow(self):
        """On a telephone nothing is wider than the screen, before and after a model."""
        self.browser.call("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
        try:
            for path in (None, os.path.join(ROOT, "tests/models/digits.pt")):
                if path:
                    self.take(path)
                self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), 390)
        finally:
            self.browser.call("Emulation.clearDeviceMetricsOverride")

    def test_wrong_inputs(self):
        self.take(os.path.join(ROOT, "tests/models/digits.pt"))
        for selector, value, said in ((".shape", "1, 1, x", "are no sizes"), (".shape", "2", "RuntimeError"), (".dtype", "float99", "float99")):
            self.set(".shape", "1, 1, 8, 8")
            self.set(selector, value)
            self.assertIn(said, self.output())
        self.set(".dtype", "float32")
        self.set(".shape", "1, 1, 8, 8")
        self.set(".made", "JSON")
        self.set(".elements", "[1, 2")
        self.assertIn("JSON", self.output())
        self.set(".made", "image")
        self.assertIn("choose an image", self.output())

    def test_an_image(self):
        self.take(os.path.join(ROOT, "tests/models/digits.pt"))
        self.set(".shape", "1, 1, 8, 8")
        self.set(".made", "image")
        self.assertEqual([self.shown(".elements"), self.shown(".image")], [False, True])
        self.browser.choose_file(".image", os.path.join(ROOT, "docs/report.png"))
        self.assertIn("float32[1, 10]", self.output())
        self.set(".made", "image, as ImageNet")
        self.assertIn("three planes", self.output())
        source = "import torch\ndef f(x: torch.Tensor):\n    return x.amin([0, 2, 3]), x.amax([0, 2, 3])\n"
        self.take(self.write("least.py", source))
        self.browser.wait("document.getElementById('entry').value === 'f'")
        self.compile()
        self.set(".made", "image, as ImageNet")
        self.browser.choose_file(".image", os.path.join(ROOT, "docs/report.png"))
        greatest = [float(n) for n in re.findall(r"-?\d+\.\d+", self.output())[3:6]]
        for got, white in zip(greatest, ((1 - .485) / .229, (1 - .456) / .224, (1 - .406) / .225)):
            self.assertAlmostEqual(got, white, delta=1e-4)


def take_pictures(folder):
    with Browser(1000, 1000) as b:
        b.open("file://" + PAGE)
        b.wait("document.documentElement.dataset.state === 'ready'")
        b.choose_file("#files", os.path.join(ROOT, "tests/models/digits.pt"))
        b.wait(DONE)
        b.run("document.querySelector('.shape').value = '1, 1, 8, 8'")
        b.run("document.querySelector('#plan-button').click()")
        b.wait("document.getElementById('targets') !== null")
        b.run("document.querySelector('.shape').value = '1, 1, 8, 8'")
        b.run("document.querySelector('#run-button').click()")
        b.wait("!document.getElementById('output').hidden")
        bottom = b.run("document.getElementById('run').getBoundingClientRect().bottom + window.scrollY")
        b.screenshot(os.path.join(folder, "page.png"), (0, 0, 985, bottom + 10))


if __name__ == "__main__":
    need_browser()
    if sys.argv[4:5] == ["--pictures"]:
        take_pictures(sys.argv[5])
    else:
        unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)

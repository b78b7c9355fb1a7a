#!/usr/bin/env python3
"""Files that tsmc and tsmrun write appear whole, or what stood there stays.

  test_outputs.py TSMC TSMRUN FAULTS STEP

Of the calls of a program that makes many every STEP-th one fails; runs with sanitizers take too long for all."""
import fcntl
import json
import os
import resource
import shlex
import stat
import subprocess
import sys
import tempfile
import unittest

import runs

TSMC, TSMRUN, FAULTS = sys.argv[1], shlex.split(sys.argv[2]), runs.Faults(sys.argv[3])
NAMED = runs.Faults(sys.argv[3], named=1)  # as on a file system without files that have no names
STEP = int(sys.argv[4])
OK, RAISED, BAD_INPUT = 0, 1, 2
SOURCE = """import torch

def scale(x: List[float], by: float):
    return [i * by for i in x]

def save(x: List[float], name: str):
    torch.save(x, name)
"""


def every_call(command, faults=FAULTS):
    """The numbers of its file calls; where there are many, a part of them and the last ones, which end files."""
    calls = faults.count(command, "files")
    step = STEP if calls > 60 else 1
    return [at for at in range(1, calls + 1) if at % step == 0 or at > calls - 20]


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)
        self.source = self.write("source.py", SOURCE)
        self.program, self.saving = self.path("scale.tsm"), self.path("save.tsm")
        for name, program in (("scale", self.program), ("save", self.saving)):
            self.run_ok(TSMC, self.source + ":" + name, "-o", program)
        self.inputs = self.write("in.json", json.dumps([[1.5] * 150, 2.0]))

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text):
        with open(self.path(name), "w") as f:
            f.write(text)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()

    def run_with(self, status, *command, **options):
        p = subprocess.run(command, capture_output=True, text=True, timeout=60, **options)
        self.assertEqual(p.returncode, status, p.stdout + p.stderr)
        return p.stderr

    def run_ok(self, *command, **options):
        return self.run_with(OK, *command, **options)

    def commands(self, out):
        """Every way to write a file."""
        run = [*TSMRUN, self.program, "--inputs", self.inputs]
        return [[TSMC, self.source + ":scale", "-o", out], [*run, "--outputs", out], [*run, "--after", out], [*run, "--trace", out],
                [*run, "--values", out], [*TSMRUN, self.program, "--sequence", self.write("calls.json", json.dumps([[[1.5], 2.0]] * 3)), "--outputs", out]]

    def left(self):
        return [name for name in os.listdir(self.folder) if name.endswith(".tmp")]

    def assert_clean(self):
        self.assertEqual(self.left(), [])

    def kill_everywhere(self, command, name):
        """Killed before, within and after each file call, on both kinds of file systems: the old file or the whole new
        one. What is left beside it is a whole file at most that the kill kept from its name, or else, where files
        always have names, a part; the next run removes it."""
        self.run_ok(*command)
        new = self.read(name)
        for faults in (FAULTS, NAMED):
            seen, left = set(), set()
            for kind in ("kill", "half"):
                for at in every_call(command, faults):
                    self.write(name, "old")
                    faults.run(command, "files", at, kind)
                    seen.add(self.read(name))
                    left.update(map(self.read, self.left()))
            self.assertEqual(seen, {b"old", new}, command)
            self.assertTrue(left and (faults is NAMED or left == {new}), command)
            self.assertEqual(faults.run(command, "files", 0).returncode, OK)
            self.assert_clean()


class Outputs(Files):
    def test_every_call_fails(self):
        """With each file call failing once: status 2 and the old file, or the new one whole; nothing is left behind."""
        out = self.path("out")
        for command in self.commands(out):
            self.run_ok(*command)
            whole = len(self.read("out"))
            for at in every_call(command):
                self.write("out", "old")
                p = FAULTS.run(command, "files", at)
                now = self.read("out")
                self.assertEqual(now == b"old" or len(now) > 0.5 * whole, True, (command, at))
                self.assertIn(p.returncode, (OK, BAD_INPUT), (command, at, p.stderr))
                if p.returncode:
                    self.assertTrue(p.stderr.strip(), (command, at))
                    self.assertNotIn("Success", p.stderr)
                self.assert_clean()

    def test_kill_everywhere(self):
        out = self.path("out")
        for command in self.commands(out)[:2]:
            self.kill_everywhere(command, "out")

    def test_left_over(self):
        """Another's file that is being written stays, and so does what only has such a name."""
        out = self.path("out")
        command = self.commands(out)[1]
        for at in range(1, 100):
            NAMED.run(command, "files", at, "kill")
            if self.left():
                break
        name = self.left()[0]
        with open(self.path(name), "w") as f:
            fcntl.flock(f, fcntl.LOCK_EX)
            self.assertEqual(NAMED.run(command, "files", 0).returncode, OK)
            self.assertEqual(self.left(), [name])
        for make in (os.mkdir, os.mkfifo, lambda path: os.symlink(self.program, path)):
            (os.rmdir if os.path.isdir(self.path(name)) else os.unlink)(self.path(name))
            make(self.path(name))
            self.assertEqual(NAMED.run(command, "files", 0).returncode, OK)
            self.assertEqual(self.left(), [name])

    def test_full_disk(self):
        """A full disk, simulated by a limit on the sizes of files."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))
            import signal
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        out = self.path("out")
        for command in self.commands(out):
            self.run_ok(*command)
            if len(self.read("out")) <= 512:
                continue
            self.write("out", "old")
            self.assertIn("File too large", self.run_with(BAD_INPUT, *command, preexec_fn=limit, restore_signals=False))
            self.assertEqual(self.read("out"), b"old")
            self.assert_clean()

    def test_devices(self):
        """Files that are not regular, such as devices, are written directly, without a temporary file."""
        for command in self.commands("/dev/null"):
            self.run_ok(*command)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        for command in self.commands("/dev/full"):
            self.assertIn("No space left on device", self.run_with(BAD_INPUT, *command))
        for command in self.commands("/dev/stdout"):
            p = subprocess.run(command, capture_output=True)
            self.assertEqual(p.returncode, OK, p.stderr)
            self.assertGreater(len(p.stdout), 20)
            with open(self.path("printed"), "wb") as f:
                self.assertEqual(subprocess.run(command, stdout=f, stderr=subprocess.PIPE).returncode, OK)
                self.assertGreater(os.fstat(f.fileno()).st_size, 20)

    def test_printing_fails(self):
        """Dumps and results that cannot be printed are errors too."""
        for command in ([TSMC, self.source + ":scale", "--dump", "ir"], [*TSMRUN, self.program, "--inputs", self.inputs]):
            with open("/dev/full", "w") as full:
                p = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(p.returncode, BAD_INPUT, p.stderr)
            self.assertIn("No space left on device", p.stderr)

    def test_places(self):
        out = self.path("out")
        for command in self.commands(self.path("no", "folder")):
            self.assertIn("No such file or directory", self.run_with(BAD_INPUT, *command))
        for command in self.commands(self.folder):
            self.assertIn("Is a directory", self.run_with(BAD_INPUT, *command))
        os.symlink("nothing", self.path("dangling"))
        for command in self.commands(self.path("dangling")):
            self.assertIn("No such file or directory", self.run_with(BAD_INPUT, *command))
        self.assertTrue(os.path.islink(self.path("dangling")))
        os.mkdir(self.path("inner"))
        os.symlink(os.path.join("inner", "real"), out)
        for command in self.commands(out):
            self.write(os.path.join("inner", "real"), "old")
            os.chmod(self.path("inner", "real"), 0o640)
            self.run_ok(*command)
            self.assertTrue(os.path.islink(out))
            self.assertNotEqual(self.read(os.path.join("inner", "real")), b"old")
            self.assertEqual(stat.S_IMODE(os.stat(out).st_mode), 0o640)

    def test_folder_without_permission(self):
        os.mkdir(self.path("closed"))
        old = self.write(os.path.join("closed", "out"), "old")
        os.chmod(old, 0o666)
        os.chmod(self.path("closed"), 0o555)
        os.chmod(self.folder, 0o755)
        user = {"user": 65534} if os.geteuid() == 0 else {}
        for command in self.commands(old):
            self.assertIn("Permission denied", self.run_with(BAD_INPUT, *command, **user))
        os.chmod(self.path("closed"), 0o755)
        self.assertEqual(self.read(os.path.join("closed", "out")), b"old")

    def test_new_files_have_the_usual_mode(self):
        mask = os.umask(0o027)
        self.addCleanup(os.umask, mask)
        for command in self.commands(self.path("out")):
            self.run_ok(*command)
            self.assertEqual(stat.S_IMODE(os.stat(self.path("out")).st_mode), 0o640)
            os.unlink(self.path("out"))

    def test_values_of_a_failed_call(self):
        """What ran before an exception is in the file of --values."""
        source = self.write("raises.py", "def raises(x: Tensor):\n    y = x + 1\n    assert y.sum() > 1e9, 'no'\n    return y\n")
        self.run_ok(TSMC, source + ":raises", "-o", self.path("raises.tsm"))
        inputs = self.write("x.json", json.dumps([{"tensor": {"dtype": "float32", "shape": [1], "data": [1.0]}}]))
        self.run_with(RAISED, *TSMRUN, self.path("raises.tsm"), "--inputs", inputs, "--values", self.path("values.json"))
        self.assertIn("aten::add", json.loads(self.read("values.json"))["operators"][0]["operator"])


class Saves(Files):
    """torch.save() of a program under tsmrun: only below the folder of --allow-save."""

    def save(self, status, name, *options, **settings):
        inputs = self.write("save.json", json.dumps([[1.5], name]))
        return self.run_with(status, *TSMRUN, self.saving, "--inputs", inputs, *options, **settings)

    def test_default(self):
        error = self.save(RAISED, self.path("saved.pt"))
        self.assertIn("--allow-save DIR lets a program write files below DIR", error)
        self.assertIn("torch.save() cannot write " + self.path("saved.pt"), error)
        self.assertFalse(os.path.exists(self.path("saved.pt")))

    def test_below(self):
        os.makedirs(self.path("box", "inner"))
        for folder, name, cwd in ((self.path("box"), self.path("box", "a.pt"), "/"), (self.path("box") + "//", self.path("box", "inner", ".", "b.pt"), "/"),
                                  ("box", "box/c.pt", self.folder), (".", "d.pt", self.path("box")), ("./", "./inner//e.pt", self.path("box")),
                                  ("../box", self.path("box", "f.pt"), self.path("box"))):
            self.save(OK, name, "--allow-save", folder, cwd=cwd)
            self.assertGreater(os.path.getsize(os.path.join(cwd, name)), 100)

    def test_escapes(self):
        os.makedirs(self.path("box", "inner"))
        self.write("outside.pt", "old")
        os.symlink(self.folder, self.path("box", "up"))
        os.symlink(self.path("outside.pt"), self.path("box", "link.pt"))
        os.symlink(self.path("new.pt"), self.path("box", "dangling.pt"))
        os.mkfifo(self.path("box", "pipe"))
        box = self.path("box")
        for name in ("outside.pt", "box/../outside.pt", "box/inner/../../outside.pt", "box/up/outside.pt", "box/link.pt", "box/dangling.pt", "boxes/x.pt",
                     "box/inner", "box/pipe", "box", "box/", "box/no/x.pt", "../x.pt", "/dev/null", "", "box/" + 5000 * "x", 3000 * "box/"):
            for path in (name, self.path(name)):
                error = self.save(RAISED, path, "--allow-save", box, cwd=self.folder)
                self.assertIn("for --allow-save " + box, error)
        self.save(RAISED, self.path("no", "x.pt"), "--allow-save", self.path("no"))
        self.assertEqual(self.read("outside.pt"), b"old")
        self.assertFalse(os.path.exists(self.path("new.pt")))
        self.assertEqual(sorted(os.listdir(box)), ["dangling.pt", "inner", "link.pt", "pipe", "up"])

    def test_saves_appear_whole(self):
        out = self.path("saved.pt")
        inputs = self.write("save.json", json.dumps([[1.5] * 100, out]))
        command = [*TSMRUN, self.saving, "--inputs", inputs, "--allow-save", self.folder]
        self.kill_everywhere(command, "saved.pt")
        new = self.read("saved.pt")
        for at in every_call(command):
            self.write("saved.pt", "old")
            FAULTS.run(command, "files", at)
            self.assertIn(self.read("saved.pt"), (b"old", new), at)
            self.assert_clean()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])

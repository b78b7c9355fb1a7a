"""What the scripts of tests/consume share: a folder outside of the source tree, commands that must succeed, and the
digits model with an image and PyTorch's scores."""
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
TOLERANCE = 1e-4
# What tsmc needs to become WebAssembly, which `toolchain/setup.sh javascript` installs.
WASM_LIBRARIES = ["/usr/local/wasm32-wasi/lib/lib%s.a" % name for name in ("minizip", "z")]
with open(os.path.join(SOURCE, "runtime/include/tsmobile.h"), encoding="utf-8") as header:
    VERSION = re.search(r'TSM_VERSION_STRING "(.*)"', header.read())[1]


def fail(text):
    sys.exit("FAIL: " + text)


class Consumer:
    """A user's folder. Used with `with`; what is in it goes afterwards."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="tsmobile-consume-")
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)
        return self.path(name)

    def copy(self, *names):
        """Copies files of tests/consume here."""
        for name in names:
            shutil.copy(os.path.join(HERE, name), self.folder)

    def run(self, *command, cwd=None, env=None, status=0):
        """Runs a command in the folder; returns what it printed. Another exit status than `status` ends the test."""
        done = subprocess.run([str(c) for c in command], cwd=cwd or self.folder, env=dict(os.environ, **(env or {})),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        if done.returncode != status:
            fail("%s\nended with status %d:\n%s" % (" ".join(map(str, command)), done.returncode, done.stdout[-6000:]))
        return done.stdout

    def configure(self, source, build, *options, env=None):
        """Configures a project; both folders are below this one, unless absolute."""
        ninja = ["-G", "Ninja"] if shutil.which("ninja") else []
        launcher = ["-DCMAKE_%s_COMPILER_LAUNCHER=ccache" % x for x in ("C", "CXX")] if shutil.which("ccache") else []
        return self.run("cmake", "-S", source, "-B", build, *ninja, *launcher, *options, env=env)

    def cmake(self, source, build, *options, env=None):
        """Configures and builds a project."""
        return self.configure(source, build, *options, env=env) + self.run("cmake", "--build", build, env=env)

    def webassembly(self, build):
        """All that there is for WebAssembly, in a folder that tests share: the first compiles it. Gives the options."""
        with_tsmc = all(map(os.path.exists, WASM_LIBRARIES))
        toolchain = "-DCMAKE_TOOLCHAIN_FILE=" + os.path.join(SOURCE, "toolchain/wasm32.cmake")
        self.cmake(SOURCE, build, toolchain, "-DCMAKE_BUILD_TYPE=Release", "-DTSM_BUILD_TESTS=OFF",
                   "-DTSM_WARNINGS_ARE_ERRORS=ON", "-DTSM_BUILD_RUNNER=ON",
                   "-DTSM_BUILD_EXPORTER=%s" % ("ON" if with_tsmc else "OFF"), "-DCMAKE_INSTALL_LIBDIR=lib")
        return [toolchain, "-DCMAKE_BUILD_TYPE=Release"]

    def damage(self, model, count):
        """Makes damaged copies of a file: shorter ones, and such with a wrong bit. Gives their names."""
        chance, names = random.Random(4), ["damaged%d.tsm" % n for n in range(count)]
        with open(self.path(model), "rb") as f:
            whole = f.read()
        for n, name in enumerate(names):
            data = bytearray(whole)
            if n % 3 == 0:
                data = data[:chance.randrange(len(data))]
            else:
                data[chance.randrange(len(data) if n % 3 == 1 else 4000)] ^= 1 << chance.randrange(8)
            with open(self.path(name), "wb") as f:
                f.write(data)
        return names

    def digits(self, tsmc):
        """Makes digits.tsm and image.f32; the image is in self.image, too."""
        self.run(tsmc, os.path.join(SOURCE, "tests/models/digits.pt"), "-o", "digits.tsm")
        with open(os.path.join(SOURCE, "tests/models/digits_test.bin"), "rb") as f:
            data = f.read()
        _, n, height, width, classes = struct.unpack_from("<8s4I", data)
        pixels = data[24:24 + height * width]
        with open(self.path("image.f32"), "wb") as f:
            self.image = [p / 16 for p in pixels]
            f.write(struct.pack("<%df" % len(pixels), *self.image))
        self.scores = struct.unpack_from("<%df" % classes, data, len(data) - 4 * n * classes)

    def check_scores(self, text, what):
        """Compares what a program printed with PyTorch's scores."""
        got = [float(line) for line in text.split()]
        if len(got) != len(self.scores) or any(abs(a - b) > TOLERANCE for a, b in zip(got, self.scores)):
            fail("%s: the scores are %s, not %s" % (what, got, list(self.scores)))
        print("ok: " + what)

    def recognize(self, program, what, *, runner=(), env=None):
        """Runs app/recognize.c as compiled into `program`."""
        self.check_scores(self.run(*runner, program, "digits.tsm", "image.f32", env=env), what)

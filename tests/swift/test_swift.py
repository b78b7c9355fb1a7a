#!/usr/bin/env python3
"""The Swift package on Linux, as its users have it: built by Swift's package manager beside a program that uses it
(Sources/TestTSMobile), with the installed library and with the library's source; then the program's tests, and a model
with PyTorch's answers.

    test_swift.py PREFIX TSMC OPERATOR_TABLE

PREFIX is where tsmobile is installed. Swift is found as `swift`, or in TSM_SWIFT_ROOT, the folder of another system
that has it, such as debootstrap makes (docs/swift.md), which root alone can enter. Without it the test ends with 77,
skipped."""
import json
import os
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "consume"))
from consume import SOURCE, Consumer, fail  # noqa: E402

sys.path.insert(0, os.path.join(SOURCE, "toolchain"))
from apple_xcframework import put_package  # noqa: E402


def skip(why):
    print("SKIPPED: %s: nothing of the Swift package was tested" % why)
    sys.exit(77)


def find_swift():
    """The folder of the system that has Swift: "" for this one."""
    root = os.environ.get("TSM_SWIFT_ROOT", "")
    if not root:
        return "" if shutil.which("swift") else skip("there is no `swift`, and TSM_SWIFT_ROOT names no system that has it (docs/swift.md)")
    if not os.path.lexists(os.path.join(root, "usr/bin/swift")):
        sys.exit("FAIL: TSM_SWIFT_ROOT is %s, which has no usr/bin/swift" % root)
    if os.geteuid() != 0:
        skip("only root can enter TSM_SWIFT_ROOT")
    return root


DAMAGED = 12
EXAMPLE = os.path.join(SOURCE, "examples/image-classification")
PICTURE = "cross.png"
# Debian's python, which has Pillow beside PyTorch's models, decodes the picture.
DECODE = "from PIL import Image; p = Image.open('%s').convert('RGB'); open('pixels', 'wb').write(p.tobytes()); print(*p.size)"


def check_example(c, command, folder):
    """The example for iOS gives what PyTorch gives, and says in a few words what it refuses."""
    width, height = c.run("/usr/bin/python3", "-c", DECODE % os.path.join(EXAMPLE, PICTURE)).split()
    shutil.copy(c.path("pixels"), folder)
    lines = c.run(*command(width, height)).splitlines()
    with open(os.path.join(EXAMPLE, "expected.json"), encoding="utf-8") as f:
        wanted = json.load(f)[PICTURE]
    got = [line.split() for line in lines[:-1]]
    if [name for name, _ in got] != [name for name, _ in wanted] or any(abs(float(a) - b) > 1e-3 for (_, a), (_, b) in zip(got, wanted)):
        fail("the example for iOS says %s, not %s" % (lines, wanted))
    if not lines[-1].startswith("refused: ") or "tsm" not in lines[-1] or "\\n" in lines[-1]:
        fail("the example for iOS says of a file that is no model: %s" % lines[-1])
    print("ok: the example for iOS")


def check_texts(c, command, env, tsmc, folder):
    """What it says of damaged files is what tsmc says."""
    damaged = c.damage("model.tsm", DAMAGED)
    wanted = [c.run(tsmc, "--check", name, status=2).partition(name + ": ")[2].rstrip("\n") for name in damaged]
    for name in damaged:
        shutil.copy(c.path(name), folder)
    got = c.run(*command(damaged), env=env).split("\0")[:-1]
    if got != wanted:
        fail("Swift says\n%s\ntsmc says\n%s" % (got, wanted))
    print("ok: %d texts" % len(got))


def main():
    prefix, tsmc, table = sys.argv[1:]
    root = find_swift()
    folder = tempfile.mkdtemp(prefix="tsmobile-swift-", dir=(root + "/tmp") if root else None)
    try:
        run_in(root, folder, prefix, tsmc, table)
    finally:
        shutil.rmtree(folder)


def run_in(root, folder, prefix, tsmc, table):
    with Consumer() as c:
        c.digits(tsmc)
        c.run(tsmc, os.path.join(SOURCE, "tests/python/model.py") + ":Model", "--eval", "-o", "model.tsm")
        c.run(sys.executable, os.path.join(SOURCE, "toolchain/amalgamate.py"), SOURCE, table, c.path("amalgamation"))
        put_package(SOURCE, c.path("amalgamation"), os.path.join(folder, "tsmobile"))
        shutil.copytree(HERE, os.path.join(folder, "test"), ignore=shutil.ignore_patterns("*.py", "*.txt", "__pycache__"))
        shutil.copytree(prefix, os.path.join(folder, "prefix"))
        shutil.copy(os.path.join(EXAMPLE, "ios/Classify/Classifier.swift"), os.path.join(folder, "test/Sources/Classify"))
        c.run(tsmc, os.path.join(EXAMPLE, "classifier.pt"), "-o", "classifier.tsm")
        for name in ("digits.tsm", "model.tsm", "image.f32", "classifier.tsm"):
            shutil.copy(c.path(name), folder)
        inside = folder[len(root):]
        enter = ["chroot", root] if root else []
        env = {"PKG_CONFIG_PATH": inside + "/prefix/lib/pkgconfig", "LD_LIBRARY_PATH": inside + "/prefix/lib"}
        for name, more in (("installed", env), ("source", {"TSM_FROM_SOURCE": "1"})):
            build = "%s/%s" % (inside, name)
            c.run(*enter, "swift", "build", "-c", "release", "--package-path", inside + "/test", "--scratch-path", build, env=more)
            program = build + "/release/TestTSMobile"
            print(c.run(*enter, program, inside + "/model.tsm", env=more), end="")
            check_texts(c, lambda names: [*enter, program, *(inside + "/" + name for name in names)], more, tsmc, folder)
            c.check_scores(c.run(*enter, program, inside + "/digits.tsm", inside + "/image.f32", env=more), "Swift")
        check_example(c, lambda *size: [*enter, build + "/release/Classify", inside + "/classifier.tsm", inside + "/pixels", *size], folder)


if __name__ == "__main__":
    main()

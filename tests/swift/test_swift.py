#!/usr/bin/env python3
"""The Swift package on Linux, as its users have it: built by Swift's package manager beside a program that uses it
(Sources/TestTSMobile), with the installed library and with the library's source; then the program's tests, a model with
PyTorch's answers, and the example for iOS.

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
DECODE = "from PIL import Image; Image.open('%s').convert('RGB').save('picture.ppm')"


def check_example(c, enter, root, tree, env):
    """The example for iOS as a program for the command line: run by Swift's package manager, which builds it from the
    folder where it is in a tree of sources, it gives what PyTorch gives, and says in a line what it refuses."""
    app = os.path.join(tree, "examples/image-classification/ios")
    c.run("/usr/bin/python3", "-c", DECODE % os.path.join(EXAMPLE, PICTURE))
    with open(c.path("picture.ppm"), "rb") as f:
        whole = f.read()
    pictures = {"picture.ppm": whole, "comment.ppm": whole.replace(b"\n", b"\n# drawn\n", 1), "short.ppm": whole[:-1],
                "huge.ppm": b"P6 9223372036854775807 9223372036854775807 255 ...", "empty.ppm": b"", "text.ppm": b"no picture"}
    for name, data in pictures.items():
        with open(os.path.join(app, name), "wb") as f:
            f.write(data)
    shutil.copy(c.path("classifier.tsm"), app)

    def classify(*names, status=0):
        inside = app[len(root):]
        said = c.run(*enter, "swift", "run", "-c", "release", "--package-path", inside, "Classify", *(os.path.join(inside, n) for n in names),
                     env=env, status=status).split("\n")
        return [line.replace(inside + "/", "") for line in said]

    with open(os.path.join(EXAMPLE, "expected.json"), encoding="utf-8") as f:
        wanted = ["%7.1f %%  %s" % (100 * probability, name) for name, probability in json.load(f)[PICTURE]]
    names = ["picture.ppm", "comment.ppm"]
    said = classify("classifier.tsm", *names)
    if said[-9:] != [line for name in names for line in (name, *wanted)] + [""]:
        fail("the example for iOS says %s, not %s" % (said, wanted))
    for name in sorted(set(pictures) - set(names)):
        said = classify("classifier.tsm", name, status=1)
        if said[-2] != "Classify: %s is no picture in the format PPM (P6)" % name:
            fail("the example for iOS says of %s: %s" % (name, said))
    said = classify("picture.ppm", "picture.ppm", status=1)[-2]
    if not said.startswith("Classify: ") or "tsm" not in said:
        fail("the example for iOS says of a file that is no model: %s" % said)
    if "usage: " not in classify("classifier.tsm", status=2)[-2]:
        fail("the example for iOS has no usage")
    # SwiftUI is not here, but the compiler parses what it leaves out.
    page = os.path.join(app, "Classify/ClassifyApp.swift")
    with open(page, encoding="utf-8") as f:
        text = f.read()
    with open(page, "w", encoding="utf-8") as f:
        f.write(text.replace("WindowGroup {", "WindowGroup {{", 1))
    if "ClassifyApp.swift" not in "".join(classify("classifier.tsm", *names, status=1)):
        fail("a fault in the app's source is not found")
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
        # As in a tree of sources where the package was made.
        tree = os.path.join(folder, "tree")
        put_package(SOURCE, c.path("amalgamation"), os.path.join(tree, "build/apple"))
        shutil.copytree(os.path.join(EXAMPLE, "ios"), os.path.join(tree, "examples/image-classification/ios"),
                        ignore=shutil.ignore_patterns(".build", "*.tsm"))
        os.symlink("tree/build/apple", os.path.join(folder, "tsmobile"))
        shutil.copytree(HERE, os.path.join(folder, "test"), ignore=shutil.ignore_patterns("*.py", "*.txt", "__pycache__"))
        shutil.copytree(prefix, os.path.join(folder, "prefix"))
        c.run(tsmc, os.path.join(EXAMPLE, "classifier.pt"), "-o", "classifier.tsm")
        for name in ("digits.tsm", "model.tsm", "image.f32"):
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
        check_example(c, enter, root, tree, env)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The package for Java and Kotlin on this machine's JVM, with all checks of JNI: its own tests (Test*.java,
TestKotlin.kt), a model with PyTorch's answers, assets of an APK, and texts of errors that are those of tsmrun.

    test_java.py PREFIX TSMC TSMRUN

PREFIX is where tsmobile is installed with the package. Ends with 77, skipped, without a JDK or Kotlin."""
import os
import re
import shutil
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "consume"))
from consume import SOURCE, Consumer, fail  # noqa: E402

PACKAGE = os.path.join(SOURCE, "platform/java/org/tsmobile")
DAMAGED = 24


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def check_lists():
    """Lists that Java has once more are those of tsmobile.h."""
    header = read(os.path.join(SOURCE, "runtime/include/tsmobile.h"))
    dtypes = re.findall(r"X\((\w+), (\d+), (\d+), (\"\w+\")\)", header)
    statuses = re.findall(r"X\((\w+), \"", header.partition("define TSM_STATUS_LIST")[2].partition("typedef")[0])
    tags = [t for t in re.findall(r"X\((\w+), \"\w+\"\)", header.partition("define TSM_TAG_LIST")[2].partition("typedef")[0])]
    own = {"DType.java": re.findall(r"^    (\w+)\((\d+), (\d+), (\"\w+\")\)[,;]", read(os.path.join(PACKAGE, "DType.java")), re.M),
           "Status.java": re.findall(r"^    (\w+)[,;]$", read(os.path.join(PACKAGE, "Status.java")), re.M),
           "IValue.java": re.findall(r"static final int (\w+) = \d+;", read(os.path.join(PACKAGE, "IValue.java")))}
    wanted = {"DType.java": dtypes, "Status.java": statuses, "IValue.java": tags[:len(own["IValue.java"])]}
    if own != wanted or len(dtypes) < 20 or len(statuses) < 9 or len(own["IValue.java"]) < 13:
        fail("lists of tsmobile.h and of Java differ: %s, %s" % (own, wanted))
    print("ok: lists")


def compile_tests(c, jar):
    tests = [os.path.join(HERE, n) for n in sorted(os.listdir(HERE)) if n.endswith(".java")]
    android = [os.path.join(top, n) for top, _, names in os.walk(os.path.join(HERE, "android")) for n in names]
    c.run("javac", "-Xlint:all", "-Werror", "-cp", jar, "-d", "classes", *tests, *android)
    c.run("kotlinc", "-nowarn", "-jvm-target", "1.8", "-cp", "%s:classes" % jar, "-d", "classes", os.path.join(HERE, "TestKotlin.kt"))
    home = os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("kotlinc"))))
    return ":".join([jar, "classes", os.path.join(home, "lib/kotlin-stdlib.jar")])


def run(c, prefix, classes, *arguments, status=0):
    """Runs a class; what the JVM's checks warn of is a failure."""
    said = c.run("java", "-Xcheck:jni", "-Xmx256m", "-Djava.library.path=%s/lib" % prefix, "-cp", classes, *arguments, status=status)
    if "WARNING" in said or "FATAL" in said:
        fail("the JVM's checks: " + said[-4000:])
    return said


def check_texts(c, prefix, classes, tsmrun):
    """Refusals have the same texts in Java as of tsmrun."""
    c.damage("model.tsm", DAMAGED)
    c.write("three.json", "[3]")
    c.write("none.json", "[]")
    wanted = []
    for n in range(DAMAGED):
        wanted.append(c.run(tsmrun, "damaged%d.tsm" % n, "--method", "reset", status=2).partition(".tsm: ")[2].rstrip("\n"))
    for method, inputs, status in (("fail", "three.json", 1), ("count", "none.json", 2)):
        said = c.run(tsmrun, "model.tsm", "--method", method, "--inputs", inputs, status=status).rstrip("\n")
        wanted.append(re.sub(r"^(tsmrun: )?(model\.tsm: )?", "", said))
    got = run(c, prefix, classes, "Texts", "model.tsm", str(DAMAGED)).split("\0")[:-1]
    for mine, theirs in zip(got, wanted):
        if mine.rstrip("\n") != theirs:
            fail("Java says\n%s\ntsmrun says\n%s" % (mine, theirs))
    if len(got) != len(wanted):
        fail("%d texts instead of %d" % (len(got), len(wanted)))
    print("ok: %d texts" % len(got))


def make_apk(c):
    """An archive whose first asset is stored at a multiple of 64 bytes, the second one not, the third compressed."""
    with zipfile.ZipFile(c.path("plain.apk"), "w") as z:
        z.write(c.path("digits.tsm"), "assets/digits.tsm")
        z.write(c.path("digits.tsm"), "assets/packed.tsm", zipfile.ZIP_DEFLATED)
        z.writestr("assets/broken.tsm", b"TSMB" * 100)
    c.run("zipalign", "-f", "64", "plain.apk", "aligned.apk")
    c.run("zipalign", "-f", "4", "plain.apk", "odd.apk")


def main():
    prefix, tsmc, tsmrun = sys.argv[1:]
    jar = os.path.join(prefix, "share/java/tsmobile.jar")
    for tool in ("javac", "kotlinc"):
        if not shutil.which(tool):
            print("SKIPPED: %s is not installed (toolchain/setup.sh java): nothing of the package for Java was tested" % tool)
            sys.exit(77)
    check_lists()
    with Consumer() as c:
        c.digits(tsmc)
        c.run(tsmc, os.path.join(SOURCE, "tests/python/model.py") + ":Model", "--eval", "-o", "model.tsm")
        classes = compile_tests(c, jar)
        c.check_scores(run(c, prefix, classes, "Recognize", "digits.tsm", "image.f32"), "a JVM")
        print(run(c, prefix, classes, "TestModule", "model.tsm"), end="")
        print(run(c, prefix, classes, "TestHostile", "model.tsm"), end="")
        print(run(c, prefix, classes, "TestImages", "model.tsm"), end="")
        print(run(c, prefix, classes, "TestKotlinKt", "model.tsm"), end="")
        check_texts(c, prefix, classes, tsmrun)
        make_apk(c)
        print(run(c, prefix, classes, "TestAssets", "aligned.apk", "odd.apk"), end="")


if __name__ == "__main__":
    main()

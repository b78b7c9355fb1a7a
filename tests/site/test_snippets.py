#!/usr/bin/env python3
"""Code of the documents that is marked as whole is compiled: a block that follows the comment `compiled`, or
`compiled with digits`, which has the header that tsmc makes of the digits model.

    test_snippets.py TSMC

Kotlin needs `toolchain/setup.sh java`; without it, it is said that those blocks were left out."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
INCLUDE = "-I" + os.path.join(ROOT, "runtime/include")
BLOCK = re.compile(r"^<!-- compiled( with digits)? -->\n```(\w+)\n(.*?)^```$", re.M | re.S)
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def run(*command, cwd=None):
    done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit("FAIL: %s\n%s" % (" ".join(command), done.stdout))


def digits_header(tsmc, folder):
    """digits.h, of the model with an example."""
    models = os.path.join(ROOT, "tests/models")
    run(sys.executable, os.path.join(ROOT, "tests/device/digit_case.py"), os.path.join(models, "digits_test.bin"), "inputs.json",
        "expected.json", cwd=folder)
    run(tsmc, os.path.join(models, "digits.pt"), "--example", "inputs.json", "-o", "digits.tsm", cwd=folder)
    run(tsmc, "digits.tsm", "--emit-c", folder, cwd=folder)


def compile_kotlin(files, folder):
    """With the package org.tsmobile as it stands here."""
    java = glob.glob(os.path.join(ROOT, "platform/java/org/**/*.java"), recursive=True)
    android = glob.glob(os.path.join(ROOT, "tests/java/android/**/*.java"), recursive=True)
    classes = os.path.join(folder, "classes")
    run("javac", "-nowarn", "-encoding", "UTF-8", "-d", classes, *java, *android)
    for file in files:
        run("kotlinc", "-nowarn", "-cp", classes, "-d", os.path.join(folder, "made"), file)


def main():
    counts, kotlin = {}, []
    with tempfile.TemporaryDirectory() as folder:
        digits_header(sys.argv[1], folder)
        for page in sorted(glob.glob(os.path.join(ROOT, "docs", "*.md"))):
            with open(page, encoding="utf-8") as f:
                blocks = BLOCK.findall(f.read())
            for number, (_, language, code) in enumerate(blocks):
                counts[language] = counts.get(language, 0) + 1
                file = os.path.join(folder, "%s_%d.%s" % (os.path.basename(page)[:-3].replace("-", "_"), number,
                                                          {"cpp": "cc", "kotlin": "kt"}.get(language, language)))
                with open(file, "w", encoding="utf-8") as f:
                    f.write(code)
                if language == "c":
                    run("cc", "-std=c11", *WARNINGS, INCLUDE, "-I" + folder, "-fsyntax-only", file)
                elif language == "cpp":
                    run("c++", "-std=c++17", *WARNINGS, INCLUDE, "-fsyntax-only", file)
                elif language == "kotlin":
                    kotlin.append(file)
                else:
                    sys.exit("FAIL: %s: a block of %s cannot be compiled" % (page, language))
        missing = [program for program in ("javac", "kotlinc") if not shutil.which(program)]
        if kotlin and not missing:
            compile_kotlin(kotlin, folder)
    if {"c", "cpp", "kotlin"} - set(counts):
        sys.exit("FAIL: there are blocks of %s only" % sorted(counts))
    print("ok: blocks that were compiled: %s" % ", ".join("%d of %s" % (n, name) for name, n in sorted(counts.items())
                                                          if name != "kotlin" or not missing))
    if missing:
        print("LEFT OUT: %d of Kotlin, because %s is missing; `toolchain/setup.sh java` installs it" % (len(kotlin), " and ".join(missing)))


if __name__ == "__main__":
    main()

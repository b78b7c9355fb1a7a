#!/usr/bin/env python3
"""The projects of examples/, built as their READMEs say and run; answers are compared with PyTorch's, which the scripts
that made the models recorded.

    test_examples.py EXAMPLE PREFIX TSMC      EXAMPLE: classify, text, learning or fetch (the last one without an
                                              installed tsmobile), PREFIX: where tsmobile is installed"""
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(HERE, os.pardir, "consume"))
from consume import SOURCE, Consumer, fail  # noqa: E402

EXAMPLES = os.path.join(SOURCE, "examples")
STRICT = "-DCMAKE_C_FLAGS=-Wall -Wextra -Wpedantic -Werror"


def expected(*names):
    with open(os.path.join(EXAMPLES, *names), encoding="utf-8") as f:
        return json.load(f)


def check_classify(c, *options):
    c.cmake(os.path.join(EXAMPLES, "image-classification/command-line"), "build", STRICT, *options)
    pictures = expected("image-classification/expected.json")
    files = [os.path.join(EXAMPLES, "image-classification", name) for name in pictures]
    said = c.run("build/classify", *files).split("\n")
    at = 0
    for file in files:
        if said[at] != file:
            fail("%r in the place of %s" % (said[at], file))
        at += 1
        for name, probability in pictures[os.path.basename(file)]:
            got = re.fullmatch(r" *([\d.]+) %  (\w+)", said[at])
            # Decoders of JPEG round differently.
            if not got or got[2] != name or abs(float(got[1]) - 100 * probability) > (1 if file.endswith(".jpg") else 0.06):
                fail("%s: %r, not %s %.1f %%" % (file, said[at], name, 100 * probability))
            at += 1
    print("ok: names of %d pictures" % len(files))
    c.write("text.png", "this is no picture")
    said = c.run("build/classify", "text.png", "missing.png", files[0], status=1)
    if "text.png: unknown image type" not in said or "missing.png: can't fopen" not in said or files[0] not in said:
        fail("bad pictures: " + said)
    if "usage:" not in c.run("build/classify", status=2):
        fail("no usage")
    print("ok: bad pictures")


def check_text(c, *options):
    c.cmake(os.path.join(EXAMPLES, "text"), "build", STRICT, *options)
    answers = expected("text/expected.json")
    wanted = []
    for answer in answers:
        slots = ", ".join("%s %s" % slot for slot in answer["words"].items())
        wanted.append("%s (%.0f %%)%s" % (answer["intent"], 100 * answer["sure"], ": " + slots if slots else ""))
    got = c.run("build/commands", *[answer["text"] for answer in answers]).split("\n")
    if got != wanted + [""]:
        fail("commands: %s, not %s" % (got, wanted))
    c.write("lines", "\n".join(answer["text"] for answer in answers) + "\n")
    if c.run("sh", "-c", "build/commands <lines").split("\n") != got:
        fail("commands from standard input answers otherwise")
    print("ok: %d sentences" % len(answers))
    # More text than its buffer has room for is refused with the library's words.
    if "the buffer is too small" not in c.run("build/commands", "word " * 20000, status=1):
        fail("a sentence of 20,000 words")
    print("ok: too long a sentence")


def check_learning(c, *options):
    folder = os.path.join(EXAMPLES, "learning")
    c.cmake(folder, "build", STRICT, *options)
    answers = expected("learning/expected.json")
    recording = {name: os.path.join(folder, name + ".csv") for name in ("healthy", "healthy_later", "worn")}

    def monitor(what, name, state="state", status=0):
        return c.run("build/monitor", what, recording.get(name, name), state, status=status)

    said = monitor("watch", "worn", status=2)
    if "the monitor has seen 0 windows" not in said or "make_model.py" not in said:
        fail("watching before learning: " + said)
    said = monitor("learn", "healthy")
    learned = answers["learn"]
    if "learned %d windows: error %.3f, in the end %.3f" % (len(learned), learned[0], learned[-1]) not in said:
        fail("learning: %s, not %g to %g" % (said, learned[0], learned[-1]))
    print("ok: learned as in PyTorch")
    for name, status in (("healthy_later", 0), ("worn", 1)):
        said = monitor("watch", name, status=status)
        strange = answers[name]
        wanted = "%d of %d windows are strange, the strangest %.1f times" % (sum(s > 2.5 for s in strange), len(strange), max(strange))
        if wanted not in said:
            fail("%s: %s, not %s" % (name, said, wanted))
    print("ok: told well from worn, by the state that another process had saved")
    if "going on" not in monitor("learn", "healthy_later"):
        fail("it does not go on from its state")
    with open(c.path("state"), "rb") as f:
        state = bytearray(f.read())
    state[len(state) // 2] ^= 4
    with open(c.path("damaged"), "wb") as f:
        f.write(state)
    if "damaged" not in monitor("watch", "worn", "damaged", status=2):
        fail("a damaged state")
    for text, said in (("1,2,3\n", "fewer than 64"), (",".join(["0"] * 65) + "\n", "more than 64"), ("", "nothing in it")):
        c.write("bad.csv", text)
        if said not in monitor("watch", "bad.csv", status=2):
            fail("a recording of %r" % text[:20])
    print("ok: damaged states and recordings")


def main():
    example, prefix, tsmc = sys.argv[1:]
    with Consumer() as c:
        if example == "fetch":
            check_learning(c, "-DCMAKE_DISABLE_FIND_PACKAGE_tsmobile=ON")
        else:
            check = {"classify": check_classify, "text": check_text, "learning": check_learning}[example]
            check(c, "-DCMAKE_PREFIX_PATH=" + prefix, "-DTSMC_EXECUTABLE=" + tsmc)


if __name__ == "__main__":
    main()

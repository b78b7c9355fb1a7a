#!/usr/bin/env python3
"""examples/voice-detection: probabilities are PyTorch's, on this machine or on a Cortex-M4F under QEMU.

    test_voice.py TSMC TSMRUN        the model, by tsmrun
    test_voice.py TSMC --board       the program for the board, built as its README says, and run"""
import json
import os
import re
import struct
import sys
import wave

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(HERE, os.pardir, "consume"))
from consume import SOURCE, Consumer, fail  # noqa: E402

EXAMPLE = os.path.join(SOURCE, "examples/voice-detection")
TOLERANCE = 1e-4


def chunks():
    """The recording in the program's pieces, as it makes numbers of them."""
    with wave.open(os.path.join(EXAMPLE, "recording.wav")) as w:
        data = w.readframes(w.getnframes())
    numbers = [s / 32768 for s in struct.unpack("<%dh" % (len(data) // 2), data)]
    return [numbers[i:i + 256] for i in range(0, len(numbers), 256)]


def compare(got, what):
    with open(os.path.join(EXAMPLE, "expected.json"), encoding="utf-8") as f:
        wanted = json.load(f)
    if len(got) != len(wanted):
        fail("%s: %d probabilities, not %d" % (what, len(got), len(wanted)))
    worst = max(abs(a - b) for a, b in zip(got, wanted))
    if not worst < TOLERANCE or max(wanted) < 0.9 or min(wanted) > 0.1:
        fail("%s: probabilities differ by %g" % (what, worst))
    print("ok: %s: %d probabilities, which differ by %.1g at most" % (what, len(got), worst))


def on_host(c, tsmc, tsmrun):
    c.run(tsmc, os.path.join(EXAMPLE, "voice.pt"), "--example", os.path.join(EXAMPLE, "voice.json"), "-o", "voice.tsm")
    calls = [[{"tensor": {"dtype": "float32", "shape": [256], "data": chunk}}] for chunk in chunks()]
    c.write("chunks.json", json.dumps(calls))
    c.run(tsmrun, "voice.tsm", "--sequence", "chunks.json", "--outputs", "got.json")
    with open(c.path("got.json"), encoding="utf-8") as f:
        compare([value["tensor"]["data"][0] for value in json.load(f)], "tsmrun")


def on_board(c, tsmc):
    """What the README has people type, and what it says they will see."""
    with open(os.path.join(EXAMPLE, "README.md"), encoding="utf-8") as f:
        typed, *shown = re.findall(r"^ {4}(.*)$", f.read(), re.M)
    typed = re.sub(r"(-B|--build) build\b", r"\1 " + c.path("build"), typed)
    said = c.run("sh", "-c", typed, cwd=EXAMPLE, env={"PATH": os.path.dirname(tsmc) + os.pathsep + os.environ["PATH"]})
    compare([float(line.split()[1]) for line in said.splitlines() if re.match(r"\d+ [\d.]+$", line)], "mps2-an386")
    missing = [line for line in shown if line not in said.splitlines()]
    if missing or len(shown) < 3:
        fail("the README shows %s, the board did not say %s" % (shown, missing))
    print("ok: what the README shows: %s" % "; ".join(shown))


def main():
    with Consumer() as c:
        if sys.argv[2] == "--board":
            on_board(c, sys.argv[1])
        else:
            on_host(c, *sys.argv[1:])


if __name__ == "__main__":
    main()

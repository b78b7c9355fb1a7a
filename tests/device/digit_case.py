#!/usr/bin/env python3
"""Writes the first held-out image as the arguments of a call and PyTorch's scores as its result (docs/values.md).

    digit_case.py digits_test.bin INPUTS.json EXPECTED.json
"""
import json
import struct
import sys


def tensor(shape, data):
    return {"tensor": {"dtype": "float32", "shape": shape, "data": list(data)}}


def main():
    test_set, inputs, expected = sys.argv[1:]
    with open(test_set, "rb") as f:
        data = f.read()
    magic, n, height, width, classes = struct.unpack_from("<8s4I", data)
    if magic != b"TSMDIGIT":
        sys.exit("%s is not a file of digit images" % test_set)
    pixels = data[24:24 + height * width]
    scores = struct.unpack_from("<%df" % classes, data, len(data) - 4 * n * classes)
    with open(inputs, "w") as f:
        json.dump([tensor([1, 1, height, width], (p / 16 for p in pixels))], f)
    with open(expected, "w") as f:
        json.dump(tensor([1, classes], scores), f)


if __name__ == "__main__":
    main()

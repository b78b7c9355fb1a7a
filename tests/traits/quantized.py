"""Calls with quantized tensors in the place of float ones (calls.py)."""
import re

import calls
import probes

FLOATS, SCALE = "fnd", 0.05
ZERO_POINTS = {"quint8": 3, "qint8": -2, "qint32": -2}
REFUSAL = re.compile(r"' with arguments from the 'QuantizedCPU' backend")
COMPUTES_REFUSED = None


def is_called(text):
    return calls.has_tensors(text) and any(t[0] in FLOATS for t in probes.tensors_of(text))


def variants(text):
    """The first float tensor, all of them."""
    floats = [t for t in dict.fromkeys(probes.TENSOR.findall(text)) if t[0] in FLOATS]
    return [{floats[0]: "quint8"}] + [dict.fromkeys(floats, dtype) for dtype in ZERO_POINTS if dtype != "quint8" or len(floats) > 1]


def label(variant):
    return ""


def tensor(name, dtype):
    """A tensor as tsmrun reads it, quantized where it has a dtype of its own here."""
    made = probes.tensor(name, 0)["tensor"]
    if dtype:
        zero = ZERO_POINTS[dtype]
        least = 0 if dtype == "quint8" else -128
        made.update(dtype=dtype, scale=SCALE, zero_point=zero, data=[max(least, round(v / SCALE) + zero) for v in made["data"]])
    return {"tensor": made}

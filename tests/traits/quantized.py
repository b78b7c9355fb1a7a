"""Calls of operators with quantized tensors in the place of float ones, from samples.txt. record_quantized.py makes
them in PyTorch, test_quantized.py with tsmc and tsmrun.

The answers lie in quantized.json.xz: of each sample and each variant "refused" (no implementation for quantized
tensors), "raises", or the result in JSON, where sparse tensors and those with several scales are null."""
import os

import probes

HERE = os.path.dirname(os.path.abspath(__file__))
ANSWERS = os.path.join(HERE, "quantized.json.xz")
FLOATS, SCALE = "fnd", 0.05
ZERO_POINTS = {"quint8": 3, "qint8": -2, "qint32": -2}
REFUSED, RAISES = "refused", "raises"
REFUSAL = "' with arguments from the 'QuantizedCPU' backend"


def is_called(text):
    """Whether the sample has float tensors, and no other operator among its arguments."""
    return "torch.ops" not in text and any(t[0] in FLOATS for t in probes.tensors_of(text))


def variants(text):
    """Tensor -> dtype of those that are quantized: the first float tensor, all of them."""
    floats = [t for t in dict.fromkeys(probes.TENSOR.findall(text)) if t[0] in FLOATS]
    return [{floats[0]: "quint8"}] + [dict.fromkeys(floats, dtype) for dtype in ZERO_POINTS if dtype != "quint8" or len(floats) > 1]


def tensor(name, dtype):
    """A tensor as tsmrun reads it, quantized where it has a dtype of its own here."""
    made = probes.tensor(name, 0)["tensor"]
    if dtype:
        zero = ZERO_POINTS[dtype]
        least = 0 if dtype == "quint8" else -128
        made.update(dtype=dtype, scale=SCALE, zero_point=zero, data=[max(least, round(v / SCALE) + zero) for v in made["data"]])
    return {"tensor": made}


def arguments(text):
    """Of each variant, the tensors of the sample in the order of their names."""
    return [[tensor(t, v.get(t)) for t in probes.tensors_of(text)] for v in variants(text)]

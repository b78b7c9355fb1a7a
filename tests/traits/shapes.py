"""Calls with tensors of other shapes, or with other elements, in the place of each and of all (calls.py)."""
import math
import re

import calls
import probes

QUANTIZED = "qs"
REFUSAL = re.compile("(?!)")
COMPUTES_REFUSED = None
# label -> the sizes instead of these
SHAPES = {
    "scalar": lambda s: [],
    "one": lambda s: [1],
    "ones": lambda s: [1] * len(s),
    "no_rows": lambda s: [0] + s[1:],
    "no_columns": lambda s: s[:-1] + [0],
    "more": lambda s: [2] + s,
    "fewer": lambda s: s[1:],
    "longer": lambda s: s[:-1] + [s[-1] + 1] if s else [2],
    "special": lambda s: s,
}
SPECIAL = {"float": [math.nan, math.inf, -math.inf, -0.0, 1e30, -1.0], "complex": [[math.nan, 1.0], [math.inf, 0.0], [0.0, -math.inf], [-0.0, -1.0]],
           "int": [-1, 2**63 - 1, -2**63, 0, 7, 2**31], "uint": [255, 0, 128, 7]}


def is_called(text):
    return calls.has_tensors(text) and not any(t[0] in QUANTIZED for t in probes.tensors_of(text))


def special_of(dtype):
    return SPECIAL.get(re.match("[a-z]+", dtype).group())


def variants(text):
    named = list(dict.fromkeys(probes.TENSOR.findall(text)))
    own = {t: probes.tensor(t, 0)["tensor"] for t in named}
    found = []
    for label, sizes in SHAPES.items():
        for some in [[t] for t in named] + ([named] if len(named) > 1 else []):
            changed = [t for t in some if (special_of(own[t]["dtype"]) if label == "special" else sizes(own[t]["shape"]) != own[t]["shape"])]
            variant = dict.fromkeys(changed, label)
            if variant and variant not in found:
                found.append(variant)
    return found


def label(variant):
    return next(iter(variant.values()))


def tensor(name, shape):
    """A tensor as tsmrun reads it. Its elements are those of the sample's tensor, again and again, or special ones."""
    made = probes.tensor(name, 0)["tensor"]
    if shape:
        sizes = SHAPES[shape](made["shape"])
        data = special_of(made["dtype"]) if shape == "special" else made["data"]
        made.update(shape=sizes, data=[data[i % len(data)] for i in range(math.prod(sizes))])
    return {"tensor": made}

"""Calls in which one element of a floating-point tensor, each in turn, is NaN or infinite (calls.py): what an operator
leaves out, a multiplication by zero does not."""
import math
import re

import calls
import probes

QUANTIZED, FLOATS = "qs", "fndpc"
REFUSAL = re.compile("(?!)")
COMPUTES_REFUSED = None
SPECIAL = {"nan": math.nan, "infinity": math.inf, "least": -math.inf}


def is_called(text):
    return calls.has_tensors(text) and not any(t[0] in QUANTIZED for t in probes.tensors_of(text))


def variants(text):
    named = [t for t in dict.fromkeys(probes.TENSOR.findall(text)) if t[0] in FLOATS]
    return [{t: label} for t in named for label in SPECIAL]


def label(variant):
    return next(iter(variant.values()))


def tensor(name, special):
    """A tensor as tsmrun reads it, the middle element of which is special."""
    made = probes.tensor(name, 0)["tensor"]
    if special:
        data, at = list(made["data"]), len(made["data"]) // 2
        data[at] = [SPECIAL[special], 1.0] if isinstance(data[at], list) else SPECIAL[special]
        made.update(data=data)
    return {"tensor": made}

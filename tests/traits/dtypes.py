"""Calls with tensors of other dtypes in the place of float ones, or of all where none are of floats (calls.py)."""
import re

import calls
import probes

FLOATS, NUMBERS, QUANTIZED = "fnd", "fndiubc", "qsp"
DTYPES = ["bool", "uint8", "int64", "float16", "float64", "complex64"]
ALONE = ["bool", "int64", "float64"]  # the first tensor alone gets it
REFUSAL = re.compile(r"not implemented for 'Half'|is not implemented for half")
# libtsmobile computes them where PyTorch has them for other devices only (docs/traits.md).
COMPUTES_REFUSED = "float16"


def is_called(text):
    return calls.has_tensors(text) and not any(t[0] in QUANTIZED for t in probes.tensors_of(text))


def variants(text):
    named = list(dict.fromkeys(probes.TENSOR.findall(text)))
    changed = [t for t in named if t[0] in FLOATS] or named
    own = {t: probes.DTYPES[t[0]][0] for t in named}
    found = []
    for dtype in DTYPES:
        for some in (changed, changed[:1] if dtype in ALONE else []):
            variant = {t: dtype for t in some}
            if variant and variant not in found and any(own[t] != dtype for t in some):
                found.append(variant)
    return found


def label(variant):
    return next(iter(variant.values()))


def tensor(name, dtype):
    """A tensor as tsmrun reads it. Elements of floats stay where the dtype has them; ints are 1 to 3."""
    made = probes.tensor(name, 0)["tensor"]
    if dtype and dtype != made["dtype"]:
        real = [e[0] if isinstance(e, list) else e for e in made["data"]]
        whole = [1 + (5 * i + len(name)) % 3 for i in range(len(real))]
        data = {"bool": [i % 3 != 0 for i in range(len(real))], "uint8": whole, "int64": whole,
                "complex64": [[float(e), 0.5] for e in real]}.get(dtype, [float(e) for e in real])
        made.update(dtype=dtype, data=data)
    return {"tensor": made}

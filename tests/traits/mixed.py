"""Calls in which one tensor, each in turn, is of another dtype than in the sample (calls.py)."""
import collections

import dtypes
import probes

DTYPES = ["bool", "int64", "float64", "complex64", "float16"]
REFUSAL, COMPUTES_REFUSED, tensor, label = dtypes.REFUSAL, dtypes.COMPUTES_REFUSED, dtypes.tensor, dtypes.label


def samples(_, text):
    """The same call, in which each place has a tensor of its own: f230 is one like f23."""
    seen = collections.Counter()

    def own_name(m):
        seen[m.group()] += 1
        return m.group() + "0" * (seen[m.group()] - 1)
    return [probes.TENSOR.sub(own_name, text)]


def is_called(text):
    return dtypes.is_called(text) and len(probes.tensors_of(text)) > 1


def variants(text):
    """Those of dtypes.py are left out, and halves beside float32, which tsmobile computes (docs/traits.md)."""
    own = {t: probes.DTYPES[t[0]][0] for t in dict.fromkeys(probes.TENSOR.findall(text))}
    made = [{t: dtype} for i, t in enumerate(own) for dtype in DTYPES[:len(DTYPES) - (i == 0)] if dtype != own[t]]
    known = dtypes.variants(text)
    return [v for v in made if v not in known]

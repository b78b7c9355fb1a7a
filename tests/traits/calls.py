"""Calls of operators from samples.txt with other tensors in the place of some: quantized ones (quantized.py), those of
other dtypes (dtypes.py), one of another dtype than the others (mixed.py), of other shapes or with NaN and extreme
numbers (shapes.py), with one element that is NaN or infinite (specials.py), or with other arguments that are no tensors
(literals.py). record_calls.py makes them in PyTorch, test_calls.py with tsmc and tsmrun.

A kind of calls is a module: `variants(text)` gives of each call tensor -> what is replaced by it, a dtype or a shape,
`tensor(name, that)` what stands there, `label(variant)` what differences are listed by; `samples(name, text)`, which
not every kind has, the samples that it makes of one. The answers lie in
KIND.json.xz: of each sample and each variant "refused" (no implementation for such tensors, by the kind's REFUSAL),
"raises", or the result in JSON, where sparse tensors and those with several scales are null. KIND_later.json.xz, which
not every kind has, has the results of PyTorch 2.6 where 1.13 raises, null elsewhere: either will do.
KIND_differences.txt lists what differs, with reasons."""
import importlib
import json
import lzma
import os
import re

import probes

HERE = os.path.dirname(os.path.abspath(__file__))
REFUSED, RAISES = "refused", "raises"


def kind_of(name):
    return importlib.import_module(name)


def answers_of(kind, of_later=False):
    return os.path.join(HERE, kind.__name__ + "_later" * of_later + ".json.xz")


def recorded(kind, of_later=False):
    if of_later and not os.path.exists(answers_of(kind, of_later)):
        return {}
    with lzma.open(answers_of(kind, of_later), "rt") as f:
        return json.load(f)


def differences_of(kind):
    return os.path.join(HERE, kind.__name__ + "_differences.txt")


def read_differences(kind):
    """(operator, label) of which something differs; label None for all."""
    with open(differences_of(kind)) as f:
        lines = re.findall(r"^(\w+::[\w.]+)((?: \w+)*)$", f.read(), re.M)
    return {(name, label) for name, labels in lines for label in labels.split() or [None]}


def has_tensors(text):
    """Whether the sample has tensors, and no other operator among its arguments."""
    return "torch.ops" not in text and bool(probes.tensors_of(text))


def samples_of(kind, name, texts):
    """The operator's samples, or what the kind makes of them."""
    made = [kind.samples(name, t) for t in texts] if hasattr(kind, "samples") else [texts]
    return dict.fromkeys(t for some in made for t in some)


def arguments(kind, text):
    """Of each variant, the tensors of the sample in the order of their names."""
    return [[kind.tensor(t, v.get(t)) for t in probes.tensors_of(text)] for v in kind.variants(text)]

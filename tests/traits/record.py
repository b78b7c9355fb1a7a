#!/usr/bin/python3
"""Records what PyTorch 1.13.1 shows of the samples: record.py > facts.json"""
import json
import os
import re
import sys
import warnings

import torch
import torchaudio  # noqa: F401, registers its operators
import torchvision  # noqa: F401, likewise

import probes
from operators import implemented, read_rows, read_samples, traits

ROWS = read_rows()

TENSOR_DTYPES = {"quint8": torch.quint8, "qint8": torch.qint8}


def from_json(value):
    t = value["tensor"]
    if t["dtype"] in TENSOR_DTYPES:
        plain = (torch.tensor(t["data"], dtype=torch.float64) - t["zero_point"]) * t["scale"]
        return torch.quantize_per_tensor(plain.float().reshape(t["shape"]), t["scale"], t["zero_point"], TENSOR_DTYPES[t["dtype"]])
    data = [complex(*e) for e in t["data"]] if t["dtype"].startswith("complex") else t["data"]
    return torch.tensor(data, dtype=getattr(torch, t["dtype"])).reshape(t["shape"])


def to_json(v):
    if isinstance(v, torch.Tensor):
        v = v.detach()
        if v.layout != torch.strided:
            v = v.to_dense()
        kind, sizes = str(v.dtype)[6:], list(v.shape)
        made = {"dtype": kind, "shape": sizes}
        if v.is_quantized:
            if v.qscheme() == torch.per_tensor_affine:
                made.update(scale=v.q_scale(), zero_point=v.q_zero_point())
            v = v.int_repr()
        v = v.resolve_conj().resolve_neg()
        made["data"] = torch.view_as_real(v).reshape(-1, 2).tolist() if v.is_complex() else v.flatten().tolist()
        return {"tensor": made}
    if isinstance(v, tuple):
        return {"tuple": [to_json(i) for i in v]}
    if isinstance(v, list):
        return [to_json(i) for i in v]
    return v if isinstance(v, (bool, int, float, str, type(None))) else str(v)


def call_of(operator):
    """The overload itself, as a function."""
    name, _, overload = operator.name.partition(".")
    return torch._C._get_operation_overload(name, overload)[0]


def run(operator, text):
    scope = {"OP": call_of(operator)}
    exec(probes.source(operator, text, "OP"), scope)
    runs = []
    for how, *tensors in probes.arguments(text):
        try:
            y, strides, given = scope["probe"](how, *map(from_json, tensors))
            runs.append({"tuple": [to_json(y), to_json(list(map(list, strides))), to_json(given)]})
        except Exception as e:
            if how == probes.PLAIN:
                raise
            runs.append(None)
            if how == probes.CHANGED and "single memory location" not in str(e):
                sys.stderr.write("%s(%s), changed: %s\n" % (operator.name, text, str(e)[:150]))
    return runs


def floats_decide(operator, text, runs):
    """Other floats give other sizes."""
    more = re.sub(r"(?<![\w.])(\d+\.\d+)", lambda m: str(2 * float(m.group(1))), text)
    if more == text:
        return False
    try:
        return probes.sizes_in(run(operator, more)[0]["tuple"][0]) != probes.sizes_in(runs[0]["tuple"][0])
    except Exception:
        return False


def gradient(operator, text):
    """Whether a gradient other than zero reaches an argument; None: nothing to tell it by."""
    scope = {"torch": torch, "OP": call_of(operator)}
    leaves = []
    for n in probes.tensors_of(text):
        scope[n] = from_json(probes.tensor(n, 0))
        if scope[n].is_floating_point() or scope[n].is_complex():
            leaves.append(scope[n].requires_grad_())
            scope[n] = scope[n].clone()
    if not leaves:
        return None
    y = eval("OP(%s)" % text, scope)
    results = [t for t in flat(y) if t.requires_grad]
    if not any(isinstance(t, torch.Tensor) for t in flat(y)):
        return None
    if not results:
        return "no_gradient"
    grads = torch.autograd.grad([t.abs().sum() * 1.5 if t.is_complex() else (t * (1 + torch.arange(t.numel()).reshape(t.shape))).sum()
                                 for t in results], leaves, allow_unused=True)
    return "gradient" if any(g is not None and g.to_dense().abs().sum() != 0 for g in grads) else "no_gradient"


def shows_memory(operator, text):
    """Whether the elements are those of memory that was freed just before."""
    scope = {"torch": torch, "OP": call_of(operator)}
    scope.update({n: from_json(probes.tensor(n, 0)) for n in probes.tensors_of(text)})
    first = eval("OP(%s)" % text, scope)
    for junk in range(200):
        freed = [torch.full((first.numel(),), junk + 1.5) for _ in range(20)]
        del freed
        if not probes.same(to_json(first), to_json(eval("OP(%s)" % text, scope))):
            return True
    return False


def flat(v):
    if isinstance(v, torch.Tensor):
        return [v]
    return [t for i in v for t in flat(i)] if isinstance(v, (list, tuple)) else []


def facts(operator, text):
    torch.manual_seed(1)
    try:
        runs = run(operator, text)
    except Exception as e:  # some operators have no implementation for the CPU
        sys.stderr.write("%s(%s): %s\n" % (operator.name, text, str(e)[:150]))
        return []
    found = probes.facts_of(operator, text, runs)
    if floats_decide(operator, text, runs):
        found.add("floats_decide")
    if "uninitialized" in traits.traits_of(ROWS, operator) and shows_memory(operator, text):
        found.add("varies")
    try:
        found.add(gradient(operator, text) or "")
    except Exception as e:
        sys.stderr.write("%s(%s), gradient: %s\n" % (operator.name, text, str(e)[:150]))
    return sorted(found - {""})


def main():
    warnings.simplefilter("ignore")
    by_name = {o.name: o for o in implemented()}
    lines = []
    for name, texts in sorted(read_samples().items()):
        if name.startswith("tsm::"):
            continue
        for text in texts:
            lines.append("%s: %s" % (json.dumps("%s(%s)" % (name, text)), json.dumps(" ".join(facts(by_name[name], text)))))
    print("{%s}" % ",\n".join(lines))


if __name__ == "__main__":
    main()

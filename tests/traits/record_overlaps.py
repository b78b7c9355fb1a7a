#!/usr/bin/python3
"""Records what PyTorch 1.13.1 says of destinations that overlap: record_overlaps.py > overlaps.json

{operator: {"call": its arguments, "destinations": [[name, dtype, sizes]...], arrangement: "self", "input" or ""}}; the
text says which of PyTorch's two errors comes."""
import json
import os
import sys
import warnings

import torch
import torchvision  # noqa: F401, registers its operators

import overlaps
import probes
from operators import implemented, read_samples
from record import call_of, from_json


def tensors(text):
    return {n: from_json(probes.tensor(n, 0)) for n in probes.tensors_of(text)}


def destinations_of(operator, text, other):
    """[name, dtype, sizes] of each destination; None when results are not plain tensors."""
    scope = dict(tensors(text), torch=torch, OP=call_of(other or operator))
    made = eval("OP(%s)" % text, scope)
    made = list(made) if isinstance(made, (tuple, list)) else [made]
    names = [probes.first_argument(operator, text)] if operator.is_inplace() else [a[1] for a in operator.out_arguments()]
    plain = all(isinstance(t, torch.Tensor) and t.layout == torch.strided and not t.is_quantized for t in made)
    if operator.is_inplace():
        made = [tensors(text)[names[0]]]
    if not plain or len(made) != len(names) or any(t.is_quantized for t in made):
        return None
    return [[n, str(t.dtype)[6:], list(t.shape)] for n, t in zip(names, made)]


def says(function, how, text, arrangement):
    try:
        function(how, *tensors(text).values())
    except Exception as e:
        return overlaps.verdict(str(e), arrangement)
    return ""


def record(operator, text, other):
    """The record of one operator; None: it has no such call."""
    try:
        destinations = destinations_of(operator, text, other)
    except Exception:
        return None
    if destinations is None:
        return None
    chosen = overlaps.cases(operator, text, destinations)
    try:
        torch.jit.CompilationUnit(overlaps.program(0, operator, text, destinations, chosen))
    except RuntimeError:
        return None  # TorchScript has no such call
    scope = {"torch": torch, "OP": call_of(operator)}
    exec(overlaps.program(0, operator, text, destinations, chosen, "OP"), scope)
    found = [says(scope["probe0"], how, text, a) for how, (_, a) in enumerate(chosen)]
    if found[0] == "other" or len(chosen) == 1:
        return None
    said = {" ".join([str(at), a]): f for (at, a), f in zip(chosen, found)}
    return dict(call=text, destinations=destinations, **said)


def in_child(function, *arguments):
    """What the function gives in a process of its own: some operators write out of bounds when results overlap."""
    reader, writer = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(reader)
        with os.fdopen(writer, "w") as f:
            json.dump(function(*arguments), f)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as f:
        text = f.read()
    return json.loads(text) if os.waitpid(pid, 0)[1] == 0 else None


def main():
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    every = implemented()
    by_base, samples, lines = {}, read_samples(), []
    for o in every:
        by_base.setdefault(o.base(), []).append(o)
    for o in every:
        text = overlaps.sample_of(o, by_base, samples) if o.is_inplace() or o.out_arguments() else None
        made = text is not None and in_child(record, o, text, overlaps.functional(o, by_base))
        if made:
            lines.append("%s: %s" % (json.dumps(o.name), json.dumps(made)))
    print("{%s}" % ",\n".join(lines))


if __name__ == "__main__":
    main()

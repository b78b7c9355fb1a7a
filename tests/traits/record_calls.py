#!/usr/bin/python3
"""Records what PyTorch 1.13.1 does with calls of a kind (calls.py): record_calls.py KIND writes KIND.json.xz. With
PyTorch 2.6 it writes KIND_later.json.xz."""
import json
import lzma
import os
import sys
import warnings

import torch
import torchvision  # noqa: F401

import calls
import operators
import probes

sys.path.insert(0, os.path.join(calls.HERE, ".."))
import recording  # noqa: E402

torch.backends.quantized.engine = "qnnpack"  # whose rounding ours is
KIND = calls.kind_of(sys.argv[1])
IS_LATER = torch.__version__ >= "2"
DIGITS = {torch.float32: 6, torch.float64: 12}  # what is computed as float32 shows in results of float64
STORED = {"quint8": torch.uint8, "qint8": torch.int8, "qint32": torch.int32}


def made(argument):
    t = argument["tensor"]
    data = [complex(*e) for e in t["data"]] if t["dtype"].startswith("complex") else t["data"]
    if "scale" not in t:
        return torch.tensor(data, dtype=getattr(torch, t["dtype"])).reshape(t["shape"])
    values = (torch.tensor(data, dtype=STORED[t["dtype"]]).to(torch.float32) - t["zero_point"]) * t["scale"]
    return torch.quantize_per_tensor(values.reshape(t["shape"]), t["scale"], t["zero_point"], getattr(torch, t["dtype"]))


def encoded(result):
    try:
        return recording.encode(result, DIGITS)
    except (ValueError, RuntimeError):
        return None


def answer(call, tensors):
    torch.manual_seed(0)
    try:
        return encoded(call(*tensors))
    except Exception as e:
        return calls.REFUSED if KIND.REFUSAL.search(str(e)) else calls.RAISES


def calling(name, text):
    base, _, overload = name.partition(".")
    scope = {"OP": torch._C._get_operation_overload(base, overload)[0], "torch": torch}
    exec("def call(%s): return OP(%s)" % (", ".join(probes.tensors_of(text)), text), scope)
    return scope["call"]


def record(name, text):
    """The answers of the sample's variants; None where PyTorch does not have the operator, or it ends the process."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        try:
            call = calling(name, text)
            answers = [answer(call, [made(a) for a in given]) for given in calls.arguments(KIND, text)]
            with os.fdopen(write, "w") as f:
                json.dump(answers, f)
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as f:
        said = f.read()
    os.waitpid(child, 0)
    return json.loads(said) if said else None


def is_refusal(answer):
    return isinstance(answer, str)


def computed_later(found):
    """What 1.13 raises for and this version computes."""
    before, later = calls.recorded(KIND), {}
    for sample in filter(before.get, found):
        answers = [now if is_refusal(then) and not is_refusal(now) else None for then, now in zip(before[sample], found[sample])]
        if any(answers):
            later[sample] = answers
    return later


def main():
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    found = {}
    for name, texts in operators.read_samples().items():
        for text in filter(KIND.is_called, calls.samples_of(KIND, name, texts)):
            answers = record(name, text)
            if answers:
                found["%s(%s)" % (name, text)] = answers
    found = computed_later(found) if IS_LATER else found
    with lzma.open(calls.answers_of(KIND, IS_LATER), "wt", preset=9) as f:
        json.dump(found, f)
    print("%d samples" % len(found))


if __name__ == "__main__":
    main()

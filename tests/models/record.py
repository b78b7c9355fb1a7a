#!/usr/bin/python3
"""Makes cases.tar.xz and areas.txt with PyTorch 1.13.1: the models of zoo/ with random weights, in the forms in which
PyTorch saves models, each with a few calls and what PyTorch answers.

    record.py [FOLDER]      writes there (default: beside this script)

Needs python3-torch and python3-torchvision. The same versions make the same pack: Python's hashes of strings, which
order constants in archives, get a fixed seed."""
import importlib
import io
import os
import sys
import zlib

import torch
from torch.utils.mobile_optimizer import optimize_for_mobile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, ".."), os.path.join(HERE, "zoo")]
from packs import archive_members, write_pack  # noqa: E402
from recording import decode, encode, record  # noqa: E402

AREAS = ("images", "words", "signals", "quantized")


def settle(model):
    """Statistics as of a trained model, and weights whose lower bits are 0, so that they take half the space."""
    with torch.no_grad():
        for name, t in model.state_dict().items():
            if name.endswith("running_mean"):
                t.normal_(0, 0.2)
            elif name.endswith("running_var"):
                t.uniform_(0.5, 1.5)
            if isinstance(t, torch.Tensor) and t.dtype == torch.float32:
                t.copy_(t.bfloat16().float())


def make(maker):
    """The model, which depends on its name only."""
    torch.manual_seed(zlib.crc32(maker.__name__.encode()))
    model = maker()
    if isinstance(maker, type):
        settle(model)
    return model.eval()


def scripted(model, inputs):
    return torch.jit.script(model)


def traced(model, inputs):
    return torch.jit.trace(model, tuple(inputs))


def frozen(model, inputs):
    return torch.jit.freeze(torch.jit.script(model))


def mobile(model, inputs):
    return optimize_for_mobile(torch.jit.script(model))


FORMS = {f.__name__: f for f in (scripted, traced, frozen, mobile)}


def record_form(area, maker, form, make_inputs):
    model = make(maker)
    calls = [encode(arguments) for arguments in make_inputs()]
    with torch.no_grad():
        made = FORMS[form](model, decode(calls[0]))
        saved = io.BytesIO()
        torch.jit.save(made, saved)
        saved.seek(0)
        loaded = torch.jit.load(saved)
        calls = [dict(inputs=c, **record(loaded, decode(c))) for c in calls]
    members = archive_members(saved, lambda name: not name.endswith(".debug_pkl"))
    return {"id": "%s/%s" % (form, maker.__name__), "area": area, "archive": members, "calls": calls}


def specialized(program):
    """The same archive, exported for the shapes of the first call; calls of other shapes take the general way."""
    return dict(program, id="specialized/" + program["id"], example=True)


def record_area(area):
    programs = []
    for maker, forms, make_inputs in importlib.import_module(area).MODELS:
        for form in forms:
            print(area, maker.__name__, form, flush=True)
            programs.append(record_form(area, maker, form, make_inputs))
        programs.append(specialized(programs[-1]))
    return programs


def main():
    torch.set_num_threads(1)
    torch.backends.quantized.engine = "qnnpack"
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    write_pack(os.path.join(folder, "cases.tar.xz"), [p for area in AREAS for p in record_area(area)])


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":
        os.execve(sys.executable, [sys.executable] + sys.argv, dict(os.environ, PYTHONHASHSEED="0"))
    main()

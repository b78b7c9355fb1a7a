"""Calls of PyTorch as packs of recorded programs hold them (packs.py): values as in docs/values.md, what calls gave."""
import contextlib
import io
import json
import os
import re
import sys

import torch

from packs import write_archive

# Digits that bring every float32 and every float64 back, and those that answers are worth.
EXACT, OF_ANSWERS = {torch.float32: 9, torch.float64: 17}, {torch.float32: 6, torch.float64: 7}


# ---- Values to JSON ----


def rounded(x, digits):
    return float("%.*g" % (digits, x))


def elements(t, digits):
    data = t.detach().resolve_conj().flatten().tolist()
    n = digits.get({torch.complex64: torch.float32, torch.complex128: torch.float64}.get(t.dtype, t.dtype), 9)
    if t.is_complex():
        return [[rounded(z.real, n), rounded(z.imag, n)] for z in data]
    return [rounded(x, n) for x in data] if t.is_floating_point() else data


def encode_tensor(t, digits):
    if t.layout not in (torch.strided, torch._mkldnn):
        raise ValueError("values in JSON are not sparse")
    if not t.is_quantized:
        return {"dtype": str(t.dtype)[6:], "shape": list(t.shape), "data": elements(t.to_dense() if t.is_mkldnn else t, digits)}
    made = {"dtype": str(t.dtype)[6:], "shape": list(t.shape), "data": t.int_repr().flatten().tolist()}
    if t.qscheme() in (torch.per_channel_affine, torch.per_channel_affine_float_qparams):
        return dict(made, scales=t.q_per_channel_scales().tolist(), zero_points=t.q_per_channel_zero_points().tolist(),
                    axis=t.q_per_channel_axis())
    return dict(made, scale=t.q_scale(), zero_point=t.q_zero_point())


def encode(v, digits=EXACT):
    """A value as JSON. Raises ValueError for what has no form."""
    if v is None or isinstance(v, (bool, int, str)) and not hasattr(v, "name"):
        return v
    if isinstance(v, float):
        return {"float": rounded(v, digits[torch.float64])}
    if isinstance(v, complex):
        return {"complex": [rounded(x, digits[torch.float64]) for x in (v.real, v.imag)]}
    if isinstance(v, torch.Tensor):
        return {"tensor": encode_tensor(v, digits)}
    if isinstance(v, (torch.device, torch.dtype)):
        kind = type(v).__name__
        return {kind: str(v).replace("torch.", "")}
    if isinstance(v, tuple) and not isinstance(v, torch.Size):
        return {"tuple": [encode(x, digits) for x in v]}
    if isinstance(v, (list, torch.Size)):
        return [encode(x, digits) for x in v]
    if isinstance(v, dict):
        return {"dict": [[encode(k, digits), encode(x, digits)] for k, x in v.items()]}
    if hasattr(v, "name") and hasattr(v, "value"):
        return {"enum": {"class": type(v).__name__, "name": v.name, "value": encode(v.value, digits)}}
    raise ValueError("%s has no form in JSON" % type(v))


# ---- JSON to values ----


def decode_tensor(d):
    dtype = getattr(torch, d["dtype"])
    if "zero_points" in d:
        shape = [1] * len(d["shape"])
        shape[d["axis"]] = -1
        zero, scale = torch.tensor(d["zero_points"]), torch.tensor(d["scales"], dtype=torch.float64)
        real = (torch.tensor(d["data"]).view(d["shape"]) - zero.view(shape)) * scale.view(shape)
        return torch.quantize_per_channel(real.float(), scale, zero, d["axis"], dtype)
    if "scale" in d:
        real = (torch.tensor(d["data"], dtype=torch.float64).view(d["shape"]) - d["zero_point"]) * d["scale"]
        return torch.quantize_per_tensor(real.float(), d["scale"], d["zero_point"], dtype)
    data = [complex(*z) for z in d["data"]] if dtype.is_complex else d["data"]
    return torch.tensor(data, dtype=dtype).reshape(d["shape"])


def decode(j, enums=None):
    """The value of a JSON form; `enums` are the enumerations by name."""
    if isinstance(j, list):
        return [decode(x, enums) for x in j]
    if not isinstance(j, dict):
        return j
    (kind, v), = j.items()
    if kind == "tensor":
        return decode_tensor(v)
    if kind == "tuple":
        return tuple(decode(x, enums) for x in v)
    if kind == "dict":
        return {decode(k, enums): decode(x, enums) for k, x in v}
    if kind == "enum":
        return (enums or {})[v["class"].split(".")[-1]][v["name"]]
    return {"float": float, "complex": lambda z: complex(*z), "device": torch.device, "dtype": lambda n: getattr(torch, n)}[kind](v)


# ---- Calls ----


def without_addresses(message):
    return re.sub(r"\b0x[0-9a-f]+", "0xADDR", str(message))


def last_line(message):
    lines = [line for line in without_addresses(message).splitlines() if line.strip()]
    return lines[-1].strip() if lines else ""


def record(function, inputs):
    """What function(*inputs) prints and gives: {output, printed} or {raises}. The inputs may change."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), torch.random.fork_rng():
            output = function(*inputs)
    except Exception as e:
        return {"raises": last_line(e)}
    return {"output": encode(output, OF_ANSWERS), "printed": printed.getvalue()}


# ---- Programs, each in a process of its own: PyTorch may end it ----


def forked(work):
    """What work() returns, a value of JSON, computed in a child; None when the child ends otherwise."""
    sys.stdout.flush()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        with os.fdopen(writer, "w") as f:
            json.dump(work(), f)
            f.flush()
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as f:
        text = f.read()
    return json.loads(text) if os.waitpid(child, 0)[1] == 0 else None


def load(members):
    """The module or function of an archive's [(member, bytes)]."""
    data = io.BytesIO()
    write_archive(data, members)
    data.seek(0)
    return torch.jit.load(data)


def method_of(loaded, method):
    return loaded if method in (None, "forward") and callable(loaded) else getattr(loaded, method or "forward")


def call_again(program, call):
    function = method_of(load(program["archive"]), call.get("method"))
    kept = {k: v for k, v in call.items() if k not in ("output", "raises", "printed")}
    return dict(kept, **record(function, decode(call["inputs"])))


def record_again(program):
    """The program of a pack, its archive as [(member, bytes)], with the answers that this PyTorch gives to its calls,
    and how many calls keep the answers that they have: those that PyTorch cannot repeat, because it cannot load the
    archive, or because the arguments had more than their form in JSON says (strides, gradients)."""
    calls, kept = [], 0
    for call in program["calls"]:
        again = forked(lambda: call_again(program, call))
        fits = again and ("raises" in again) == ("raises" in call)
        kept += not fits
        calls.append(again if fits else call)
    return dict(program, calls=calls), kept


def version():
    """As in the ids of programs: "1.13"."""
    return ".".join(torch.__version__.split(".")[:2])

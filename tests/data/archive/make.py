#!/usr/bin/env python3
"""Makes the archives that tests/unit/test_archive.c reads, with PyTorch 1.13.1:

    python3 tests/data/archive/make.py [FOLDER]

program.pt     a scripted module with attributes of every kind, constants and extra files
lite.ptl       a frozen module, which holds a constant tensor, for the lite interpreter
small.pt       a scripted module of a few lines, for the failure tests
tensors.pt     torch.save of a list of tensors; tensors.txt says of each what PyTorch knows of it
values.pt      torch.save of a tuple of plain values
state.pth      torch.save of a state dict
module.pt      torch.save of a module (to be refused), legacy.pt its old format, flatbuffer.ptl the flatbuffer format
repacked.pt    small.pt written again by another zip program: everything deflated, nothing aligned
"""
import collections
import os
import sys
import types
import warnings
import zipfile

import torch

warnings.filterwarnings("ignore")


def load_models():
    """Imports models.py under its bare name, so that no archive holds the path of this folder."""
    module = types.ModuleType("models")
    module.__file__ = "models.py"
    sys.modules["models"] = module
    with open("models.py") as f:
        exec(compile(f.read(), "models.py", "exec"), module.__dict__)
    return module


def strided_bytes(t):
    """The elements in row-major order."""
    if t.is_quantized:
        t = t.int_repr()
    t = t.detach().contiguous()
    if t.dtype == torch.bfloat16:
        t = t.view(torch.int16)
    return t.numpy().tobytes()


def tensor_line(t):
    line = "%s %s" % (str(t.dtype)[6:], list(t.shape))
    if t.layout == torch.strided:
        line += " %s %d %s" % (list(t.stride()), t.storage_offset(), strided_bytes(t).hex() or "-")
    else:
        line += " " + str(t.layout)[6:]
    if t.is_quantized and t.qscheme() == torch.per_tensor_affine:
        line += " q %r %d" % (t.q_scale(), t.q_zero_point())
    elif t.is_quantized:
        line += " qc %d" % t.q_per_channel_axis()
    return line + (" grad" if t.requires_grad else "") + (" parameter" if isinstance(t, torch.nn.Parameter) else "")


def all_tensors():
    torch.manual_seed(1)
    plain = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.float32, torch.float64,
             torch.complex64, torch.complex128, torch.bool, torch.bfloat16]
    tensors = [torch.arange(6).reshape(2, 3).to(dtype) for dtype in plain]
    base = torch.arange(24.0).reshape(2, 3, 4)
    tensors += [base, base[1], base[:, 1:, ::2], base.permute(2, 0, 1), base[0, 0, 0], base[:0], torch.ones(1).expand(2, 3)]
    tensors += [torch.tensor(5), torch.ones(2, requires_grad=True), torch.nn.Parameter(torch.ones(2))]
    tensors += [torch.nn.Parameter(torch.ones(2, dtype=torch.int64), requires_grad=False)]
    for dtype in (torch.qint8, torch.quint8, torch.qint32):
        tensors.append(torch.quantize_per_tensor(torch.tensor([0.0, 1.0, 3.0]), 0.25, 3, dtype))
    tensors.append(torch.quantize_per_channel(
        torch.ones(2, 2), torch.tensor([0.1, 0.2], dtype=torch.float64), torch.tensor([0, 1]), 0, torch.qint8))
    tensors.append(torch.eye(3).to_sparse())
    tensors.append(torch.eye(3).to_sparse_csr())
    tensors.append(torch.ones(0, 3))
    return tensors


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    folder = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else here
    os.chdir(here)
    models = load_models()
    torch.manual_seed(0)

    def path(name):
        return os.path.join(folder, name)

    torch.jit.save(torch.jit.script(models.Program()), path("program.pt"), _extra_files={"note.txt": b"hello"})
    small = torch.jit.script(models.Small())
    torch.jit.save(small, path("small.pt"))
    small._save_for_lite_interpreter(path("flatbuffer.ptl"), _use_flatbuffer=True)
    torch.jit.freeze(torch.jit.script(models.Lite().eval()))._save_for_lite_interpreter(path("lite.ptl"))

    tensors = all_tensors()
    torch.save(tensors, path("tensors.pt"))
    with open(path("tensors.txt"), "w") as f:
        f.writelines(tensor_line(t) + "\n" for t in tensors)
    values = (torch.ones(2), 3, 2.5, 1 + 2j, "s", None, True, torch.float16, torch.device("cuda", 0), torch.Size([1, 2]),
              torch.strided, [1, 2**40], {"a": -1}, collections.OrderedDict(b=False), -300, -2**63, 2**63 - 1,
              torch.ones(4).storage())
    torch.save(values, path("values.pt"))
    torch.save(torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.BatchNorm1d(1)).state_dict(), path("state.pth"))
    torch.save(torch.nn.Linear(1, 1), path("module.pt"))
    torch.save(torch.ones(1), path("legacy.pt"), _use_new_zipfile_serialization=False)

    with zipfile.ZipFile(path("small.pt")) as old, zipfile.ZipFile(path("repacked.pt"), "w") as new:
        for entry in old.infolist():
            new.writestr(zipfile.ZipInfo(entry.filename), old.read(entry), zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    main()

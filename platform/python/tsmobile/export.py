"""Models to .tsm files, by the program tsmc, which comes with the package."""
from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
import tempfile
import warnings
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import json_values
from .errors import BadOption, ExportError

TSMC = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "tsmc.exe" if os.name == "nt" else "tsmc")
Path = Union[str, "os.PathLike[str]"]
Weights = Union[Path, Mapping[str, Any]]


def run_tsmc(arguments: Sequence[str], folder: Optional[str] = None) -> str:
    """Runs tsmc and returns what it printed; its warnings become warnings, its error an ExportError."""
    done = subprocess.run([TSMC, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
    said = done.stderr.decode("utf-8", "replace")
    if done.returncode != 0:
        usage = re.fullmatch(r"tsmc: (?!internal fault: |out of memory)(.*?)(?:; --help lists the options)?\n", said)
        if usage:
            raise BadOption(usage[1])
        raise ExportError(said.strip() or "tsmc ended with status %d" % done.returncode)
    for warning in re.findall(r"^tsmc: warning: (.*(?:\n(?!tsmc: ).*)*)", said, re.M):
        warnings.warn(warning.rstrip(), stacklevel=3)
    return done.stdout.decode("utf-8", "replace")


def _safe_name(name: str) -> str:
    return re.sub(r"\W", "_", name) or "model"


def _existing(path: Path) -> str:
    """The path from everywhere; an error of the system where it is no file."""
    if not os.path.exists(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path))
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    return os.path.abspath(path)


def _save_module(torch: Any, model: Any, folder: str, weights: Optional[Weights], trace: bool, example: Any) -> str:
    """An archive of a module or function of PyTorch that is in memory; its path below the folder."""
    if isinstance(weights, Mapping):
        model.load_state_dict(weights)
    elif weights is not None:
        model.load_state_dict(torch.load(os.fspath(weights), map_location="cpu"))
    if not isinstance(model, (torch.jit.ScriptModule, torch.jit.ScriptFunction)):
        if trace:
            arguments = example if isinstance(example, tuple) else (example,)
            model = torch.jit.trace(model, tuple(torch.as_tensor(x) if hasattr(x, "__array__") else x for x in arguments))
        else:
            model = torch.jit.script(model)
    name = _safe_name(getattr(model, "original_name", None) or getattr(model, "name", None) or type(model).__name__) + ".pt"
    torch.jit.save(model, os.path.join(folder, name))
    return name


def _save_exported(torch: Any, program: Any, folder: str) -> str:
    torch.export.save(program, os.path.join(folder, "exported.pt2"))
    return "exported.pt2"


def _input_of(model: Any, folder: str, weights: Optional[Weights], trace: bool, example: Any) -> Tuple[List[str], bool]:
    """What tsmc is given for the model, and whether weights are in it already. PyTorch is not imported: who has an
    object of it has done that."""
    if isinstance(model, (str, os.PathLike)):
        path, entry = re.findall(r"\A(.*?)((?<=\.py):.*|(?<=\.pt2):.*|)\Z", os.fspath(model), re.S)[0]
        return [_existing(path) + entry], False
    if isinstance(model, (bytes, bytearray, memoryview)):
        with open(os.path.join(folder, "model.pt"), "wb") as f:
            f.write(model)
        return ["model.pt"], False
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "export") and isinstance(model, getattr(torch.export, "ExportedProgram", ())):
        return [_save_exported(torch, model, folder)], False
    if torch is not None and (isinstance(model, torch.nn.Module) or isinstance(model, torch.jit.ScriptFunction)
                              or callable(model) and hasattr(model, "__code__")):
        return [_save_module(torch, model, folder, weights, trace, example)], True
    raise TypeError("a model is a path, the bytes of an archive, or a module or function of PyTorch, not a value of %s" % type(model))


def _weights_file(weights: Weights, folder: str) -> str:
    """A file of weights as tsmc reads it: one that is named, or one that PyTorch writes."""
    if not isinstance(weights, Mapping):
        return _existing(weights)
    torch = sys.modules.get("torch")
    if torch is None:
        raise TypeError("weights are the path of a state dict; one in memory is taken where PyTorch is used")
    torch.save(weights, os.path.join(folder, "weights.pth"))
    return "weights.pth"


def _arguments_file(what: Any, name: str, folder: str, is_result: bool = False) -> str:
    """A file of arguments (or of a result) as tsmc reads it: one that is named, or one that is written."""
    if isinstance(what, (str, os.PathLike)) and not is_result or isinstance(what, os.PathLike):
        return _existing(what)
    with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
        values = what if is_result or isinstance(what, tuple) else (what,)
        json.dump(json_values.to_json(values) if is_result else [json_values.to_json(x) for x in values], f)
    return name


def export(model: Any, output: Path, *, example: Any = None, target: Optional[str] = None, weights: Optional[Weights] = None,
           methods: Sequence[str] = (), eval: bool = False, trace: bool = False, bundle: Any = None,
           expect: Any = None, metadata: Optional[Dict[str, str]] = None, strip: bool = False, options: Sequence[str] = ()) -> Path:
    """Exports a model to the file `output` and returns its path.

    model     the path of an archive (.pt, .ptl, .pt2) or of a source ("net.py:Net(10)"), the bytes of an archive, or,
              where PyTorch is used, a scripted or traced module or function, a module that torch.jit.script takes, or a
              program of torch.export
    example   arguments of forward (or the first method): a tuple of values, one value that is no tuple, or the path of
              a .json or .pt file; shapes and types are specialized to them, and memory is planned
    target    the machine for which memory is planned: "x86-64", "aarch64", "armv7", "wasm32", "cortex-m4f", ...
    weights   a state dict, in a file or in memory, for a module class of a source or a module in memory
    methods   names of the methods to export; none: all
    eval      compile as after module.eval()
    trace     make a module in memory a program by torch.jit.trace with `example`, not by torch.jit.script
    bundle    arguments to store as a test case, and `expect` what they give
    metadata  texts to store in the file
    strip     leave out debug information, descriptions, and where the program came from
    options   more options of tsmc

    Raises ExportError with what tsmc said, which names the line of Python (BadOption, which is one, where the model is
    not to blame); its warnings are given as warnings."""
    if trace and example is None:
        raise TypeError("trace=True needs an example")
    with tempfile.TemporaryDirectory(prefix="tsmobile-") as folder:
        arguments, has_weights = _input_of(model, folder, weights, trace, example)
        arguments += ["-o", os.path.abspath(os.fspath(output))]
        if example is not None:
            arguments += ["--example", _arguments_file(example, "example.json", folder)]
        if bundle is not None:
            arguments += ["--bundle=" + _arguments_file(bundle, "bundle.json", folder)]
        if expect is not None:
            arguments += ["--expect", _arguments_file(expect, "expect.json", folder, is_result=True)]
        if weights is not None and not has_weights:
            arguments += ["--weights", _weights_file(weights, folder)]
        arguments += ["--target=" + target] if target is not None else []
        for method in methods:
            arguments += ["--method", method]
        for key, value in (metadata or {}).items():
            arguments += ["--meta", "%s=%s" % (key, value)]
        arguments += (["--eval"] if eval else []) + (["--strip"] if strip else []) + list(options)
        run_tsmc(arguments, folder)
    return output

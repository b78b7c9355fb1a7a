#!/usr/bin/env python3
"""record_jit.py > expected.json: what three workers of PyTorch 1.13.1 answer to the cases in this folder, each with the
file of PyTorch's own tests that it follows, and what it says of the sources of refused_jit.py."""
import importlib.util
import json
import os
import re
import sys
import tempfile
import types
import unittest

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(FOLDER, os.pardir, os.pardir))
FILES = ["rpc_test", "rpc_test_faulty", "dist_autograd_test"]
WORKERS = 3
INSTALLED = "testing/_internal/distributed/rpc/jit/%s.py"  # below the folder of the package


def joined(file, torch_folder):
    """A file of PyTorch's tests as it is installed, with the cases of that name."""
    with open(os.path.join(torch_folder, INSTALLED % file)) as theirs, open(os.path.join(FOLDER, file + ".py")) as ours:
        return theirs.read() + "\n\n" + ours.read()


def load(path, name):
    """PyTorch's tests need a package that the functions in them do not."""
    sys.modules.setdefault("expecttest", types.SimpleNamespace(TestCase=unittest.TestCase, ACCEPT=False))
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def calls_of_python(m):
    """Cases that only Python may write: TorchScript does not know of async_execution."""
    import torch
    import torch.distributed.rpc as rpc
    x = torch.ones(2, 2)

    def multi(a, b, me):
        return [rref.to_here() for rref in [rpc.remote(a, m.async_add, args=(b, x, x * i)) for i in range(20)]]
    return {
        "test_async_function_simple": lambda a, b, me: rpc.rpc_sync(a, m.async_add, args=(b, x, x)),
        "test_async_function_wrong_return_type": lambda a, b, me: rpc.rpc_sync(a, m.async_wrong_type),
        "test_async_function_remote": lambda a, b, me: rpc.remote(a, m.async_add, args=(b, x, x)).to_here(),
        "test_async_function_remote_multi": multi,
        "test_async_function_wrong_return_type_remote": lambda a, b, me: rpc.remote(a, m.async_wrong_type).to_here(),
    }


def message(text):
    """The last line, or the part of one that PyTorch writes more behind."""
    within = re.search(r"attempted to get undefined function [\w.]+|Unknown keyword argument '\w+' for operator '\w+'", text)
    return within.group() if within else [line for line in text.split("\n") if line.strip()][-1]


def answer(call, others, printed):
    """`printed`: where standard output goes."""
    import recording
    begin = os.path.getsize(printed)
    try:
        found = {"result": recording.encode(call(*others))}
    except RuntimeError as e:
        found = {"raises": message(str(e))}
    with open(printed) as f:
        text = f.read()[begin:]
    return dict(found, prints=text) if text else found


def cases_of(c):
    return [name for name, f in vars(c).items() if name == "forward" or hasattr(f, "_torchscript_modifier") and name != "my_script_module"]


def answers(m, rank, printed):
    import torch
    python = calls_of_python(m) if hasattr(m, "async_add") else {}
    for name in python:
        delattr(m.Cases, name)
    script = torch.jit.script(m.Cases())
    others = ["worker%d" % ((rank + i) % WORKERS) for i in (1, 2, 0)]
    return {name: answer(python.get(name) or getattr(script, name), others, printed) for name in cases_of(m.Cases) + list(python)}


def answers_of_one(m, rank, printed):
    """A worker has the functions that it has compiled."""
    import torch
    if rank or not hasattr(m, "Undefined"):
        return {}
    script = torch.jit.script(m.Undefined())
    return {name: answer(getattr(script, name), ["worker1", "worker2", "worker0"], printed) for name in cases_of(m.Undefined)}


def run(rank, folder, file):
    import torch.distributed.rpc as rpc
    os.environ.update(TP_SOCKET_IFNAME="lo", GLOO_SOCKET_IFNAME="lo")
    m = load("%s/%s.py" % (folder, file), file)
    options = rpc.TensorPipeRpcBackendOptions(init_method="file://%s/meet_%s" % (folder, file), _transports=["uv"])
    rpc.init_rpc("worker%d" % rank, rank=rank, world_size=WORKERS, rpc_backend_options=options)
    rpc.api._ignore_rref_leak = True
    printed = "%s/%s_%d.txt" % (folder, file, rank)
    os.dup2(os.open(printed, os.O_WRONLY | os.O_CREAT), 1)
    found = {"Cases": answers(m, rank, printed)}
    rpc.api._barrier({"worker%d" % i for i in range(WORKERS)})
    found["Undefined"] = answers_of_one(m, rank, printed)
    with open("%s/%s_%d.json" % (folder, file, rank), "w") as f:
        json.dump(found, f)
    rpc.shutdown()


def refusals(folder, torch_folder):
    """The message about each source, up to the place that it is about."""
    import refused_jit as refused
    import torch
    found = {}
    for name, source in refused.SOURCES.items():
        path = "%s/%s.py" % (folder, name)
        with open(path, "w") as f:
            f.write(joined("rpc_test", torch_folder) + source)
        try:
            torch.jit.script(load(path, name).f)
        except (RuntimeError, TypeError) as e:
            found[name] = re.split(r":\n  File ", str(e))[0].strip()
    return found


def main():
    import torch
    import torch.multiprocessing
    theirs = os.path.dirname(torch.__file__)
    expected = {"answers": {}}
    with tempfile.TemporaryDirectory() as folder:
        for file in FILES:
            with open("%s/%s.py" % (folder, file), "w") as f:
                f.write(joined(file, theirs))
            torch.multiprocessing.spawn(run, args=(folder, file), nprocs=WORKERS)
            expected["answers"][file] = [json.load(open("%s/%s_%d.json" % (folder, file, rank))) for rank in range(WORKERS)]
        expected["refusals"] = refusals(folder, theirs)
    json.dump(expected, sys.stdout, indent=1, sort_keys=True)
    print()


if __name__ == "__main__":
    main()

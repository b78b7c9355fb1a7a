#!/usr/bin/env python3
"""record.py > expected.json: what three workers of PyTorch 1.13.1 answer to the cases of programs.py, all asking at
once: values (docs/values.md), or the last lines of exceptions; and its messages about the sources of refused.py,
without the places."""
import importlib.util
import json
import os
import re
import sys
import tempfile

import torch
import torch.distributed.rpc as rpc
import torch.multiprocessing

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(FOLDER, os.pardir))
WORKERS = 3


def cases():
    import programs
    return ["forward"] + [name for name, f in vars(programs.Calls).items() if hasattr(f, "_torchscript_modifier") and name != "forward"]


def last_line(error):
    lines = [line for line in str(error).split("\n") if line.strip()]
    return lines[-1]


def answers(rank):
    import programs
    import recording
    module = torch.jit.script(programs.Calls())
    others = ["worker%d" % ((rank + i) % WORKERS) for i in (1, 2, 0)]
    found = {}
    for name in cases():
        try:
            found[name] = {"result": recording.encode(getattr(module, name)(*others))}
        except RuntimeError as e:
            found[name] = {"raises": last_line(e)}
    return found


def refusals(folder):
    """The message about each source, up to the place that it is about."""
    import refused
    found = {}
    for name, source in refused.SOURCES.items():
        path = "%s/%s.py" % (folder, name)
        with open(path, "w") as f:
            f.write(refused.PREFIX + source)
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        try:
            torch.jit.script(module.f)
        except RuntimeError as e:
            found[name] = re.split(r":\n  File ", str(e))[0].strip()
    return found


def run(rank, folder):
    os.environ.update(TP_SOCKET_IFNAME="lo", GLOO_SOCKET_IFNAME="lo")
    sys.path.insert(0, FOLDER)
    import programs  # noqa: F401 a worker serves what it has compiled
    options = rpc.TensorPipeRpcBackendOptions(init_method="file://%s/meet" % folder, _transports=["uv"])
    rpc.init_rpc("worker%d" % rank, rank=rank, world_size=WORKERS, rpc_backend_options=options)
    with open("%s/%d.json" % (folder, rank), "w") as f:
        json.dump(answers(rank), f)
    rpc.shutdown()


def main():
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(run, args=(folder,), nprocs=WORKERS)
        answered = [json.load(open("%s/%d.json" % (folder, rank))) for rank in range(WORKERS)]
        json.dump({"answers": answered, "refusals": refusals(folder)}, sys.stdout, indent=1, sort_keys=True)
        print()


if __name__ == "__main__":
    main()

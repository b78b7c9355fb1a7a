#!/usr/bin/env python3
"""remote.py TSMC TSMRUN: time of calls of another worker on the loopback (tcp), by tsmrun with nng and by PyTorch
(TensorPipe, uv) in the same run: the smallest median of five rounds in microseconds, the megabytes that go in each
direction in a second, and how many times as long PyTorch takes."""
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
import torch
import torch.distributed.rpc as rpc
import torch.multiprocessing

FOLDER = os.path.dirname(os.path.abspath(__file__))
SIZES = {"4 bytes": 1, "4 KB": 1 << 10, "256 KB": 1 << 16, "4 MB": 1 << 20}
METHODS = {"forward": ("`rpc_sync`", 1), "held": ("`remote`, `to_here`", 1), "ten": ("ten `rpc_async`, then `wait`", 10)}
ROUNDS = 5


def runs_of(elements):
    return 300 if elements <= 1 << 16 else 40


def free_port():
    import socket
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


# ---- PyTorch ----


def torch_worker(rank, port, out):
    os.environ.update(TP_SOCKET_IFNAME="lo", GLOO_SOCKET_IFNAME="lo")
    sys.path.insert(0, FOLDER)
    import remote_program
    torch.set_num_threads(1)
    options = rpc.TensorPipeRpcBackendOptions(init_method="tcp://127.0.0.1:%d" % port, _transports=["uv"], _channels=["basic"])
    rpc.init_rpc("worker%d" % rank, rank=rank, world_size=2, rpc_backend_options=options)
    if rank == 0:
        module, found = torch.jit.script(remote_program.Asking()), {}
        for method in METHODS:
            f = getattr(module, method)
            for name, elements in SIZES.items():
                x, times = torch.ones(elements), []
                for i in range(runs_of(elements) + 20):
                    start = time.perf_counter()
                    f("worker1", x)
                    times.append(time.perf_counter() - start)
                found["%s %s" % (method, name)] = statistics.median(times[20:]) * 1e6
        with open(out, "w") as f:
            json.dump(found, f)
    rpc.shutdown()


def time_torch(folder):
    out = os.path.join(folder, "torch.json")
    torch.multiprocessing.spawn(torch_worker, args=(free_port(), out), nprocs=2)
    with open(out) as f:
        return json.load(f)


# ---- tsmobile ----


def time_tsmrun(tsmrun, program, folder):
    urls = ["tcp://127.0.0.1:%d" % free_port() for _ in range(2)]

    def worker(rank, *options):
        return [tsmrun, program, "--arena", "256M", "--rpc-name", "worker%d" % rank, "--rpc-listen", urls[rank], "--rpc-peer",
                "worker%d=%s" % (1 - rank, urls[1 - rank]), *options]

    serving = subprocess.Popen(worker(1, "--rpc-allow", "__torch__.remote_program.echo", "--rpc-serve"), stderr=subprocess.DEVNULL)
    found, name_file = {}, os.path.join(folder, "to.json")
    with open(name_file, "w") as f:
        json.dump(["worker1"], f)
    try:
        for method in METHODS:
            for name, elements in SIZES.items():
                x = os.path.join(folder, "x.npy")
                numpy.save(x, numpy.ones(elements, numpy.float32))
                asking = worker(0, "--method", method, "--inputs", name_file, "--npy", x, "--bench", str(runs_of(elements)))
                said = subprocess.run(asking, stdout=subprocess.PIPE, text=True, check=True).stdout
                found["%s %s" % (method, name)] = float(re.search(r"med_ms (\S+)", said).group(1)) * 1e3
    finally:
        serving.send_signal(signal.SIGTERM)
        serving.wait()
    return found


def main():
    tsmc, tsmrun = sys.argv[1:3]
    best = [{}, {}]
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program.tsm")
        subprocess.run([tsmc, os.path.join(FOLDER, "remote_program.py") + ":Asking", "-o", program], check=True)
        for _ in range(ROUNDS):
            for into, times in zip(best, (time_tsmrun(tsmrun, program, folder), time_torch(folder))):
                for key, value in times.items():
                    into[key] = min(value, into.get(key, value))
    print("| call | tensor | tsmrun, us | PyTorch, us | tsmrun, MB/s | PyTorch, MB/s | PyTorch / tsmrun |\n|---|---|---|---|---|---|---|")
    for method, (title, calls) in METHODS.items():
        for name, elements in SIZES.items():
            times = [found["%s %s" % (method, name)] for found in best]
            rates = ["%.*f" % (0 if rate >= 10 else 2, rate) for rate in (4 * elements * calls / t for t in times)]
            print("| %s | %s | %.0f | %.0f | %s | %s | %.2f |" % (title, name, *times, *rates, times[1] / times[0]))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Times scaled dot product attention against PyTorch, in one run, on one thread.

  attention.py TSMC TSMRUN --torch COMMAND [--rounds N] [--lengths N...] [--markdown FILE]
  attention.py TSMC TSMRUN --spelled-out [--rounds N] [--lengths N...] [--markdown FILE]

COMMAND starts a Python that has PyTorch 2, as `python3`; it gets its program by -c and runs aten's kernel for CPUs with
one thread. Every round runs both once for each length, in processes of their own, one after the other; reported are the
medians over the rounds of the least milliseconds of each process, and the median of the ratios. 8 heads of 64 features,
with and without is_causal. What a BLAS does to PyTorch's figures is large: say which one it has (Debian: the package
libopenblas0-serial, and LD_LIBRARY_PATH with its folder).

With --spelled-out: attention of products and softmax, as tsmc recognizes it, against the same with its weights
returned, which tsmc leaves as it is; milliseconds and the memory of a call."""
import argparse
import array
import os
import random
import re
import shlex
import statistics
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from common import key_values, replace_table  # noqa: E402

HEADS, FEATURES = 8, 64
LENGTHS = [128, 256, 512, 1024, 2048, 4096]
SECONDS = 1.0  # that the runs of a process take, about

SOURCE = """import torch
def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return torch.scaled_dot_product_attention(q, k, v)
def causal(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return torch.scaled_dot_product_attention(q, k, v, None, 0.0, True)
"""

SPELLED_OUT = """import torch
def weights(q: torch.Tensor, k: torch.Tensor, m: torch.Tensor, kind: int) -> torch.Tensor:
    scores = q @ k.transpose(-2, -1) * 0.125
    if kind == 1:
        scores = scores + m
    if kind == 2:
        scores = scores.masked_fill(m < 0, -1e9)
    return torch.softmax(scores, -1)
""" + "".join("""def fused_%d(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, m: torch.Tensor):
    return weights(q, k, m, %d) @ v
def plain_%d(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, m: torch.Tensor):
    w = weights(q, k, m, %d)
    return w @ v, w
""" % (4 * (kind,)) for kind in range(3))
MASKS = ["none", "added", "`masked_fill`"]

PEER = """import sys, time, torch
torch.set_num_threads(1)
heads, length, features, runs, causal = (int(a) for a in sys.argv[1:])
q, k, v = (torch.randn(1, heads, length, features) for _ in range(3))
times = []
with torch.no_grad():
    for _ in range(runs + 1):
        start = time.perf_counter()
        torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=bool(causal))
        times.append(time.perf_counter() - start)
print("min_ms", 1000 * min(times[1:]))
"""


def write_npy(path, shape):
    count = 1
    for size in shape:
        count *= size
    header = repr({"descr": "<f4", "fortran_order": False, "shape": shape}).encode()
    header += b" " * ((-len(header) - 11) % 64) + b"\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
        f.write(array.array("f", [random.gauss(0, 1) for _ in range(count)]).tobytes())
    return path


def runs_of(length):
    return max(3, min(300, int(SECONDS * 1e11 / (4.0 * HEADS * FEATURES * length * length))))


def least(command):
    p = subprocess.run(command, capture_output=True, text=True, check=True)
    return key_values(p.stdout.split("buffer:")[0])["min_ms"]


def compare(folder, args, length, causal):
    """Medians of both, and of the ratios."""
    program = os.path.join(folder, "causal.tsm" if causal else "attend.tsm")
    q = write_npy(os.path.join(folder, "q%d.npy" % length), (1, HEADS, length, FEATURES))
    ours = [args.tsmrun, program, "--arena", "256M", "--bench", str(runs_of(length))] + 3 * ["--npy", q]
    theirs = shlex.split(args.torch) + ["-c", PEER] + [str(n) for n in (HEADS, length, FEATURES, runs_of(length), int(causal))]
    pairs = [(least(ours), least(theirs)) for _ in range(args.rounds)]
    return [statistics.median(values) for values in (*zip(*pairs), [t / o for o, t in pairs])]


def torch_table(folder, args):
    lines = ["| tokens | is_causal | tsmobile, ms | PyTorch, ms | times as fast |", "|---|---|---|---|---|"]
    for length in args.lengths:
        for causal in (False, True):
            lines.append("| %d | %s | %.2f | %.2f | %.2f |" % (length, "yes" if causal else "no", *compare(folder, args, length, causal)))
            print(lines[-1], flush=True)
    return lines


def run_spelled_out(folder, args, name, length):
    """Milliseconds and bytes of a call."""
    q = write_npy(os.path.join(folder, "q%d.npy" % length), (1, HEADS, length, FEATURES))
    mask = write_npy(os.path.join(folder, "m%d.npy" % length), (length, length))
    command = [args.tsmrun, os.path.join(folder, name + ".tsm"), "--arena", "1500M", "--bench", str(max(3, runs_of(length) // 3))]
    p = subprocess.run(command + 3 * ["--npy", q] + ["--npy", mask], capture_output=True, text=True, check=True)
    text = p.stdout + p.stderr
    return key_values(p.stdout.split("buffer:")[0])["min_ms"], int(re.search(r"buffer: (\d+) bytes", text).group(1))


def spelled_out_table(folder, args):
    lines = ["| tokens | mask | one operator, ms | single operators, ms | times as fast | one operator, MiB | single operators, MiB |",
             "|---|---|---|---|---|---|---|"]
    for length in args.lengths:
        for kind, mask in enumerate(MASKS):
            rounds = [[run_spelled_out(folder, args, "%s_%d" % (name, kind), length) for name in ("fused", "plain")]
                      for _ in range(args.rounds)]
            fused, plain = (statistics.median(r[i][0] for r in rounds) for i in range(2))
            ratio = statistics.median(r[1][0] / r[0][0] for r in rounds)
            lines.append("| %d | %s | %.2f | %.2f | %.2f | %.1f | %.1f |" % (length, mask, fused, plain, ratio,
                                                                            rounds[0][0][1] / 2**20, rounds[0][1][1] / 2**20))
            print(lines[-1], flush=True)
    return lines


def compile_functions(folder, args, text, names):
    source = os.path.join(folder, "source.py")
    with open(source, "w") as f:
        f.write(text)
    for name in names:
        subprocess.run([args.tsmc, "%s:%s" % (source, name), "-o", os.path.join(folder, name + ".tsm")], check=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tsmc")
    parser.add_argument("tsmrun")
    parser.add_argument("--torch")
    parser.add_argument("--spelled-out", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--lengths", type=int, nargs="+", default=LENGTHS)
    parser.add_argument("--markdown")
    args = parser.parse_args()
    if not args.spelled_out and not args.torch:
        parser.error("--torch or --spelled-out")
    with tempfile.TemporaryDirectory() as folder:
        if args.spelled_out:
            compile_functions(folder, args, SPELLED_OUT, ["%s_%d" % (n, k) for n in ("fused", "plain") for k in range(3)])
            lines = spelled_out_table(folder, args)
        else:
            compile_functions(folder, args, SOURCE, ["attend", "causal"])
            lines = torch_table(folder, args)
    if args.markdown:
        replace_table(args.markdown, "\n".join(lines), "spelled out" if args.spelled_out else "table")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Times operators against PyTorch, in one run, on one thread.

  operators.py TSMC TSMRUN [--size tiny middle large] [--only REGEX] [--rounds N] [--milliseconds N] [--json FILE]
               [--markdown FILE]

Run it with the Python that has PyTorch. Rows are those of operator_rows.py. Every round runs both for each row, one
right after the other, each for about --milliseconds; reported is the least time of each over all rounds, and their
ratio (ours / PyTorch's: below 1 is faster). PyTorch runs the expression eagerly under no_grad."""
import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import operator_rows as rows  # noqa: E402
from common import key_values, replace_table  # noqa: E402

NAMES = ["tiny", "middle", "large"]
FLOATS = {"f": torch.float32, "d": torch.float64, "h": torch.float16, "g": torch.bfloat16, "z": torch.complex64}


def expressions():
    """All rows: (arguments, expression)."""
    for arguments, operators in rows.UNARY.items():
        for name in operators.split():
            place = "torch.nn.functional" if name in rows.FUNCTIONAL else "torch.special" if name == "logit" else "torch"
            yield "a=" + arguments, "%s.%s(a)" % (place, name)
    for group in (rows.BINARY, rows.MOVES, rows.REDUCTIONS, rows.PRODUCTS, rows.LAYERS, rows.TYPES, rows.LOSSES, rows.LAYOUTS, rows.INDEXING, rows.MORE_REDUCTIONS,
                  rows.MORE_PRODUCTS, rows.MORE_LAYERS, rows.CREATION, rows.SHORT_ROWS):
        for arguments, texts in group.items():
            for text in texts:
                yield arguments, text


def make(kind, shape, before):
    if kind in FLOATS:
        return torch.randn(shape, dtype=FLOATS[kind])
    if kind in "pq":
        return torch.rand(shape, dtype=torch.float32 if kind == "p" else torch.float64) * 0.9 + 0.05
    if kind == "s":
        a = torch.randn(shape, dtype=torch.float64)
        return a @ a.t() + shape[-1] * torch.eye(shape[-1], dtype=torch.float64)
    if kind == "b":
        return torch.randn(shape) > 0
    if kind == "k":
        return torch.randint(-128, 128, shape, dtype=torch.int8)
    most = {"l": 100, "i": 100, "u": 256, "x": before and before[0].size(0), "c": before and before[0].size(-1), "y": before and before[0].size(-1)}[kind]
    return torch.randint(0, most, shape, dtype={"u": torch.uint8, "i": torch.int32}.get(kind, torch.int64))


def arguments_of(text, size):
    values = {}
    for argument in text.split():
        name, kind, shape = re.match(r"(\w+)=(\w):(\w+)", argument).groups()
        values[name] = make(kind, rows.SIZES[shape][NAMES.index(size)], list(values.values()))
    return values


def time_torch(function, values, seconds):
    function(*values)
    best, runs, end = float("inf"), 0, time.perf_counter() + seconds
    while time.perf_counter() < end or runs < 2:
        begin = time.perf_counter()
        function(*values)
        best, runs = min(best, time.perf_counter() - begin), runs + 1
    return best * 1000, runs


def time_ours(args, program, files, runs):
    command = [args.tsmrun, program, "--arena", "1G", "--bench", str(runs)] + [w for f in files for w in ("--npy", f)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise ValueError(done.stderr.strip().split("\n")[-1])
    return key_values(done.stdout.split("buffer:")[0])["min_ms"]


def save(folder, name, tensor):
    import numpy
    path = os.path.join(folder, name + ".npy")
    numpy.save(path, (tensor.view(torch.int16) if tensor.dtype == torch.bfloat16 else tensor).numpy())
    return path


def compare(args, folder, arguments, expression, size):
    """(ours, PyTorch's) in milliseconds."""
    values = arguments_of(arguments, size)
    source = os.path.join(folder, "row.py")
    with open(source, "w") as f:
        f.write("import torch\ndef row(%s):\n" % ", ".join("%s: torch.Tensor" % n for n in values))
        # numpy has no bfloat16: it comes as int16
        f.writelines("    %s = %s.view(dtype=torch.bfloat16)\n" % (n, n) for n, v in values.items() if v.dtype == torch.bfloat16)
        f.write("    return %s\n" % expression)
    program = os.path.join(folder, "row.tsm")
    built = subprocess.run([args.tsmc, source + ":row", "-o", program], capture_output=True, text=True)
    if built.returncode:
        raise ValueError(built.stderr.strip().split("\n")[-1])
    files = [save(folder, n, v) for n, v in values.items()]
    function = eval("lambda %s: %s" % (", ".join(values), expression), {"torch": torch})
    ours, theirs = float("inf"), float("inf")
    with torch.no_grad():
        for _ in range(args.rounds):
            least, runs = time_torch(function, list(values.values()), args.milliseconds / 1000)
            theirs = min(theirs, least)
            ours = min(ours, time_ours(args, program, files, min(max(runs // 2, 3), 2000) if ours == float("inf") else
                                       max(3, min(2000, int(args.milliseconds / ours)))))
    return ours, theirs


def geometric_mean(ratios):
    return math.exp(sum(math.log(r) for r in ratios) / len(ratios)) if ratios else float("nan")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tsmc")
    parser.add_argument("tsmrun")
    parser.add_argument("--size", nargs="+", choices=NAMES, default=NAMES)
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--milliseconds", type=float, default=20)
    parser.add_argument("--json")
    parser.add_argument("--markdown")
    args = parser.parse_args()
    torch.set_num_threads(1)
    results, failed = [], []
    with tempfile.TemporaryDirectory() as folder:
        for arguments, expression in expressions():
            if not re.search(args.only, expression + " " + arguments):
                continue
            row = {"arguments": arguments, "expression": expression}
            try:
                for size in args.size:
                    row[size] = compare(args, folder, arguments, expression, size)
            except (ValueError, RuntimeError, TypeError) as e:
                failed.append("%s (%s): %s" % (expression, arguments, str(e)[:200]))
                continue
            results.append(row)
            print("%-60s %-28s %s" % (expression, arguments, "  ".join("%s %.4f/%.4f=%.2f" % (s, *row[s], row[s][0] / row[s][1]) for s in args.size)), flush=True)
    for size in args.size:
        ratios = [r[size][0] / r[size][1] for r in results]
        print("%s: geometric mean %.2f, above 1.25: %d of %d, above 2: %d" % (size, geometric_mean(ratios), sum(r > 1.25 for r in ratios), len(ratios), sum(r > 2 for r in ratios)))
    for text in failed:
        print("not timed: " + text)
    if args.json:
        with open(args.json, "w") as f:
            json.dump(results, f, indent=1)
    if args.markdown:
        lines = ["| expression | arguments | %s |" % " | ".join(args.size), "|---|---|" + "---:|" * len(args.size)]
        for r in results:
            lines.append("| `%s` | %s | %s |" % (r["expression"].replace("|", "\\|"), r["arguments"], " | ".join("%.2f" % (r[s][0] / r[s][1]) for s in args.size)))
        lines.append("| geometric mean | | %s |" % " | ".join("%.2f" % geometric_mean([r[s][0] / r[s][1] for r in results]) for s in args.size))
        replace_table(args.markdown, "\n".join(lines))


if __name__ == "__main__":
    main()

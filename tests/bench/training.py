#!/usr/bin/python3
"""Times training steps against PyTorch's, in one run, on one thread, and measures the memory that they take.

  training.py TSMC TSMRUN [--rounds N] [--runs N] [--only NAME...] [--markdown FILE]

A step computes a loss, its gradients by all weights, and changes the weights (SGD with momentum, whose state is in
attributes). PyTorch runs the same module eagerly and as scripted by torch.jit.script; the faster of the two counts.
Every round runs each contender once; reported are the least milliseconds of a step. Losses of the first steps are
compared before.

Memory: `buffer` is what is in use at most in the instance of the exported step (tsmc --example), `tape` the least that
it can be. That is calculated from the step as PyTorch records it. While an operation of the backward pass runs, in the
order in which PyTorch runs them, there have to be: weights, running statistics, the optimizer's state and the inputs;
all storages that this or a later operation reads of the forward pass; the gradients that it reads and makes; and those
that earlier ones have made and a later one, or the update, reads. The greatest of these sums is needed by whatever runs
these operations in this order, computes nothing twice, and has results beside arguments.

Needs python3-torch of Debian."""
import argparse
import copy
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from common import key_values, replace_table, write_json  # noqa: E402
from training_steps import STEPS  # noqa: E402

CHECKED = 5  # steps whose losses are compared


def plain(t):
    return {"tensor": {"dtype": str(t.dtype)[len("torch."):], "shape": list(t.shape), "data": t.flatten().tolist()}}


# ---- The least memory ----

class Tape:
    """What the backward pass of a step reads and makes, in its order. Storages are told apart by their addresses, so
    all tensors are kept."""

    def __init__(self):
        self.tensors = []
        self.reads, self.makes, self.takes = [], [], []  # of each operation: {address: bytes}
        self.unpacked = {}

    def storages(self, tensors):
        tensors = [t for t in tensors if t is not None]
        self.tensors.extend(tensors)
        return {t.storage().data_ptr(): t.storage().nbytes() for t in tensors}

    def unpack(self, t):
        self.unpacked.update(self.storages([t]))
        return t

    def operation(self, made, taken):
        self.reads.append(self.unpacked)
        self.unpacked = {}
        self.makes.append(self.storages(made))
        self.takes.append(self.storages(taken))

    def watch(self, loss):
        seen, todo = set(), [loss.grad_fn]
        while todo:
            node = todo.pop()
            if node is None or node in seen:
                continue
            seen.add(node)
            if not node.name().endswith("AccumulateGrad"):
                node.register_hook(self.operation)
            todo.extend(n for n, _ in node.next_functions)

    def least(self, always, wanted):
        """`always`: storages that are there all the time; `wanted`: gradients that the update reads."""
        most = 0
        for k in range(len(self.reads)):
            alive = dict(always)
            for reads in self.reads[k:]:
                alive.update(reads)
            later = set(wanted).union(*self.takes[k:])
            for makes in self.makes[:k]:
                alive.update({address: n for address, n in makes.items() if address in later})
            alive.update(self.makes[k])
            most = max(most, sum(alive.values()))
        return most


def least_bytes(module, inputs):
    tape, gradients, grad = Tape(), [], torch.autograd.grad

    def watched(outputs, sources):
        tape.watch(outputs[0])
        gradients.extend(grad(outputs, sources))
        return gradients

    torch.autograd.grad = watched
    try:
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, tape.unpack):
            module(*inputs)
    finally:
        torch.autograd.grad = grad
    state = list(module.parameters()) + list(module.buffers()) + module.velocity
    return tape.least(tape.storages(state + list(inputs)), tape.storages(gradients))


# ---- Contests ----

class Contest:
    def __init__(self, name, folder, options):
        self.name, self.options = name, options
        make, inputs = STEPS[name]
        torch.manual_seed(7)
        module, self.inputs = make(), inputs()
        path = os.path.join(folder, make.__name__)
        torch.jit.script(module).save(path + ".pt")
        self.archive, self.tsm, self.out = path + ".pt", path + ".tsm", path + "_out.json"
        arguments = [plain(t) for t in self.inputs]
        self.json, self.sequence = write_json(path + ".json", arguments), write_json(path + "_sequence.json", [arguments] * CHECKED)
        subprocess.run([options.tsmc, self.archive, "--method", "forward", "--example", self.json, "--target", "x86-64", "-o", self.tsm],
                       check=True, stderr=subprocess.DEVNULL)
        self.check(torch.jit.load(self.archive))
        self.least = least_bytes(copy.deepcopy(module), self.inputs)
        self.buffer = self.measure_buffer()
        self.contenders = {"eager": module, "scripted": torch.jit.load(self.archive)}
        self.times = {}

    def run(self, *arguments):
        return subprocess.run([self.options.tsmrun, self.tsm, *arguments], check=True, capture_output=True, text=True)

    def check(self, module):
        self.run("--sequence", self.sequence, "--outputs", self.out)
        with open(self.out) as f:
            losses = [r["float"] for r in json.load(f)]
        for k, loss in enumerate(losses):
            wanted = module(*self.inputs)
            if not abs(loss - wanted) <= 1e-4 * (1 + abs(wanted)):
                sys.exit("%s: the loss of step %d is %.8g, PyTorch's %.8g" % (self.name, k + 1, loss, wanted))

    def measure_buffer(self):
        """The most that is in use when the step is made again and again."""
        text = self.run("--sequence", self.sequence, "--outputs", self.out, "--arena", "256M").stderr
        return int(re.search(r"(\d+) bytes at most in use", text).group(1))

    def run_once(self):
        runs = self.options.runs
        self.times.setdefault("tsmobile", []).append(key_values(self.run("--inputs", self.json, "--bench", str(runs)).stdout)["min_ms"])
        for who, module in self.contenders.items():
            times = []
            for _ in range(runs):
                start = time.perf_counter()
                module(*self.inputs)
                times.append((time.perf_counter() - start) * 1e3)
            self.times.setdefault(who, []).append(min(times))

    def row(self):
        least = {who: min(times) for who, times in self.times.items()}
        ratios = [min(a, b) / c for a, b, c in zip(*(self.times[who] for who in ("eager", "scripted", "tsmobile")))]
        return "| %s | %.2f | %.2f | %.2f | %.2f | %d | %d | %.3f |" % (
            self.name, least["tsmobile"], least["eager"], least["scripted"], statistics.median(ratios), self.least, self.buffer,
            self.buffer / self.least)


HEAD = """| step | tsmobile, ms | PyTorch eager, ms | PyTorch scripted, ms | times as fast | tape, bytes | buffer, bytes | buffer / tape |
|---|---|---|---|---|---|---|---|"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tsmc")
    parser.add_argument("tsmrun")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--only", nargs="*", default=list(STEPS))
    parser.add_argument("--markdown")
    options = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        contests = [Contest(name, folder, options) for name in options.only]
        for _ in range(options.rounds):
            for c in contests:
                c.run_once()
    text = "\n".join([HEAD] + [c.row() for c in contests])
    print(text)
    if options.markdown:
        replace_table(options.markdown, text)


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""Records what PyTorch 1.13.1 gives for programs.py, and for a network that is written to net.pt: record.py >
expected.json"""
import importlib.util
import json
import os
import sys
import tempfile
import zipfile

import torch
import torch.nn as nn
import torch.nn.functional as F

import branch_names
import complex_numbers
import containers
import control
import formulas
import list_writes
import overwritten
import programs
import questions
import training
import untaken
import writes


class Net(nn.Module):
    """Asks for gradients of its input and of its parameters."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, padding=1)
        self.bn = nn.BatchNorm2d(2)
        self.relu = nn.ReLU(inplace=True)
        self.pool = nn.MaxPool2d(2)
        self.fc = nn.Linear(8, 3)

    def scores(self, x):
        return self.fc(self.pool(self.relu(self.bn(self.conv(x)))).flatten(1))

    def forward(self, x: torch.Tensor, t: torch.Tensor):
        loss = F.cross_entropy(self.scores(x), t)
        return loss.detach(), torch.autograd.grad([loss], [x, self.fc.weight, self.conv.weight, self.bn.weight])

    @torch.jit.export
    def saliency(self, x: torch.Tensor):
        x.requires_grad_()
        self.scores(x).max(1)[0].sum().backward()
        return x.grad


class Learner(nn.Module):
    """Changes its own weights; they stay changed from call to call."""

    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(4, 8)
        self.out = nn.Linear(8, 3)

    def forward(self, x: torch.Tensor):
        return self.out(torch.tanh(self.hidden(x)))

    @torch.jit.export
    def learn(self, x: torch.Tensor, t: torch.Tensor, rate: float) -> float:
        loss = F.cross_entropy(self.forward(x), t)
        weights = [self.hidden.weight, self.hidden.bias, self.out.weight, self.out.bias]
        gradients = torch.autograd.grad([loss], [self.hidden.weight, self.hidden.bias, self.out.weight, self.out.bias])
        with torch.no_grad():
            for w, g in zip(weights, gradients):
                if g is not None:
                    w.sub_(g * rate)
        return float(loss)


def plain(v):
    if isinstance(v, torch.Tensor):
        data = v.detach().resolve_conj().flatten().tolist()
        return {"tensor": {"dtype": str(v.dtype)[6:], "shape": list(v.shape), "data": [[c.real, c.imag] for c in data] if v.is_complex() else data}}
    if isinstance(v, float):
        return {"float": v}
    if isinstance(v, tuple):
        return {"tuple": [plain(i) for i in v]}
    return [plain(i) for i in v] if isinstance(v, list) else v


def arguments():
    noise = torch.Generator().manual_seed(8)
    x, y, p = (torch.randn(3, 4, generator=noise) for _ in range(3))
    return [x.requires_grad_(), y.requires_grad_(), (p.abs() + 0.2).requires_grad_(), torch.tensor([2, 0, 3])]


def exception_of(f):
    """The last line of the exception that the program raises."""
    try:
        torch.jit.script(f)(*arguments())
    except RuntimeError as e:
        return str(e).strip().splitlines()[-1]
    raise AssertionError(f.__name__ + " does not raise")


def save(module, path):
    """Saves an archive without its debug information, which names folders of this machine."""
    module.save(path)
    with zipfile.ZipFile(path) as archive:
        files = [(i.filename, archive.read(i)) for i in archive.infolist() if not i.filename.endswith(".debug_pkl")]
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files:
            archive.writestr(zipfile.ZipInfo(name), data)


def network():
    """Arguments and results of each method."""
    torch.manual_seed(4)
    net = torch.jit.script(Net().eval())
    save(net, "net.pt")
    x, t = torch.randn(2, 1, 4, 4), torch.tensor([1, 2])
    wanted = net(x.clone().requires_grad_(), t)
    return {"forward": [plain([x, t]), plain(wanted)], "saliency": [plain([x]), plain(net.saliency(x.clone()))]}


def learning():
    """The arguments of each call, and the losses."""
    torch.manual_seed(0)
    learner = torch.jit.script(Learner())
    save(learner, "learner.pt")
    x = torch.randn(6, 4)
    call = [x, (x.sum(1) > 0).long(), 0.5]
    return [[plain(call)] * 20, [plain(learner.learn(*call)) for _ in range(20)]]


def methods():
    """Of each method of Training: its arguments in three calls, and what it gave."""
    torch.manual_seed(2)
    module = torch.jit.script(training.Training())
    save(module, "training.pt")
    call = [torch.randn(3, 4), torch.tensor([2, 0, 1]), 0.1]
    names = [n for n, f in vars(training.Training).items() if callable(f) and n not in ("__init__", "forward")]
    return {n: [[plain(call)] * 3, [plain(getattr(module, n)(*call)) for _ in range(3)]] for n in names}


def gradients_of_formulas():
    """The arguments, and by each expression the gradients of a sum of it. Raises where differences of the sum's values
    say something else."""
    noise = torch.Generator().manual_seed(5)
    x, y, p = (torch.randn(3, 4, generator=noise, dtype=torch.float64) for _ in range(3))
    image = torch.randn(1, 2, 6, 4, generator=noise, dtype=torch.float64)
    call = [x, y, p.abs() + 0.2, image, torch.tensor([2, 0, 1])]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "formulas_source.py")
        with open(path, "w") as f:
            f.write(formulas.source(range(len(formulas.EXPRESSIONS))))
        spec = importlib.util.spec_from_file_location("formulas_source", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found = {}
        for number, expression in enumerate(formulas.EXPRESSIONS):
            given = [a.clone().requires_grad_(a.is_floating_point()) for a in call]
            gradients, (measured, expected) = getattr(module, "formula_%d" % number)(*given)
            assert abs(measured - expected) <= 1e-6 * (1 + abs(measured)), expression
            found[expression] = plain(list(gradients))
    return {"arguments": plain(call), "gradients": found}


def main():
    listed = [(f.__name__, f) for f in programs.PROGRAMS] + [("control.py:" + f.__name__, f) for f in control.PROGRAMS] + [
        ("writes.py:" + f.__name__, f) for f in writes.PROGRAMS] + [
        ("branch_names.py:" + f.__name__, f) for f in branch_names.PROGRAMS] + [
        ("list_writes.py:" + f.__name__, f) for f in list_writes.PROGRAMS] + [("containers.py:" + f.__name__, f) for f in containers.PROGRAMS] + [
        ("complex_numbers.py:" + f.__name__, f) for f in complex_numbers.PROGRAMS] + [
        ("questions.py:" + f.__name__, f) for f in questions.PROGRAMS] + [
        ("overwritten.py:" + f.__name__, f) for f in overwritten.PROGRAMS] + [
        ("untaken.py:" + f.__name__, f) for f in untaken.PROGRAMS]
    results = {name: plain(torch.jit.script(f() if isinstance(f, type) else f)(*arguments())) for name, f in listed}
    raised = {f.__name__: exception_of(f) for f in programs.RAISING}
    raised.update({"untaken.py:" + f.__name__: exception_of(f) for f in untaken.RAISING})
    changed = {f.__name__: exception_of(f) for f in overwritten.RAISING}
    changed_late = {f.__name__: exception_of(f) for f in overwritten.RAISING_AT_RUN_TIME}
    recorded = {"inputs": [plain(a) for a in arguments()], "expected": results, "raised": raised, "overwritten": changed, "overwritten_late": changed_late, "network": network(),
                "learning": learning(),
                "training": methods(), "formulas": gradients_of_formulas()}
    json.dump(recorded, sys.stdout, indent=None)
    print()


if __name__ == "__main__":
    main()

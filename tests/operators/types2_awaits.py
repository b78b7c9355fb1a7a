"""Await[T], computed where it is made, and the class of record_function."""
from typing import List

import torch
from torch import Tensor
from torch._awaits import _Await as Await


def delayed(x: Tensor, y: int) -> Tensor:
    return x + y


def raising(x: Tensor) -> Tensor:
    assert x.dim() > 2, "too flat"
    return x


def make(x: Tensor) -> Await[Tensor]:
    return torch.jit._awaitable(delayed, x, 2)


def awaits(x: Tensor, t: Tensor):
    a: Await[Tensor] = torch.jit._awaitable(delayed, x, 1)
    b = torch.jit._awaitable_nowait(t)
    l: List[Await[Tensor]] = [a, make(x)]
    if x.dim() > 5:
        l.append(a)
    return torch.jit._awaitable_wait(a), torch.jit._awaitable_wait(b), torch.jit._awaitable_wait(l[1]), b.dim()


def caught(x: Tensor, t: Tensor):
    a = torch.jit._awaitable(raising, x)
    return x.dim() if x.dim() < 3 else torch.jit._awaitable_wait(a).dim()


def named(x: Tensor, t: Tensor):
    with torch.autograd.profiler.record_function("a"):
        y = x + 1
    with torch.profiler.record_function("b", "arguments"):
        y = y * 2
    h = torch.ops.profiler._record_function_enter_new("c", None)
    y = y - 1
    torch.ops.profiler._record_function_exit(h)
    return y


PROGRAMS = [awaits, caught, named]


def waited(x: Tensor, t: Tensor):
    a = torch.jit._awaitable(raising, x)
    return torch.jit._awaitable_wait(a)


FAILURES = {waited: "too flat"}


def mixed(x: Tensor):
    return torch.jit._awaitable_nowait(x) + 1


REFUSED = {mixed: "Arguments for call are not valid"}

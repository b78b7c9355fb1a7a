"""Bools as numbers: scripts of PyTorch 2 take them as ints, so that masks become ints."""
from typing import List

import torch


def with_masks(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    m, no = x > 0, bool(x.size(0) > 99)
    return [m + True, m * no, m + no, m & True, m | False, m ^ True, m.eq(True), m.ne(False), torch.fmod(m.int(), True), m.masked_fill(x > 1, True)]


def made_of_them(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    return [torch.where(x > 0, True, False), torch.full((2,), True), torch.full_like(x > 0, True), torch.full_like(x, True), x.new_full((2,), False), torch.scalar_tensor(True),
            torch.where(x > 0, x, False), torch.where(x > 0, x > 1, False)]


def with_numbers(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    return [x * True, x + True, x - True, x / True, t * True, t + True, t ** True, torch.add(x, x, alpha=True), torch.add(t, t, alpha=True), torch.rsub(x, True),
            x.clamp(min=True), t.clamp(max=True), torch.lerp(x, x + 1, True), torch.pow(x, True), x > True, t <= True, x.masked_fill(x > 0, True), x.clone().fill_(True), torch.addcmul(x, x, x, value=True)]


def in_place(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return (x > 0).mul_(False)


def less(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return (x > 0) - (x > 1)


def factors_of_masks(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.add(x > 0, x > 1, alpha=2.5)


PROGRAMS = [with_masks, made_of_them, with_numbers]
FAILURES = {in_place: "result type Long can't be cast to the desired output type Bool",
            less: "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead.",
            factors_of_masks: "For integral input tensors, argument alpha must not be a floating point number."}

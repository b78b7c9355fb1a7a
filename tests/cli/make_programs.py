#!/usr/bin/python3
"""Writes the archives that the command line tests run: values.pt, a scripted module with one method for each kind of
value, and hooked.pt, a module with hooks.

Needs python3-torch (toolchain/setup.sh torch); the archive is committed."""
import enum
import os
import sys
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import torch
from torch import Tensor, nn

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from strip_archive import strip  # noqa: E402


class Color(enum.Enum):
    RED = 1
    GREEN = 2


class Point(NamedTuple):
    x: int
    y: Tensor


class Values(nn.Module):
    def __init__(self):
        super().__init__()
        self.total = 0

    def forward(self, n: int) -> int:
        """Keeps state: the sum of all arguments so far."""
        self.total += n
        return self.total

    @torch.jit.export
    def tensor(self, x: Tensor) -> Tensor:
        return x

    @torch.jit.export
    def integer(self, x: int) -> int:
        return x

    @torch.jit.export
    def real(self, x: float) -> float:
        return x

    @torch.jit.export
    def complex_number(self, x: complex) -> complex:
        return x

    @torch.jit.export
    def text(self, x: str) -> str:
        return x

    @torch.jit.export
    def flags(self, x: List[bool]) -> List[bool]:
        return x

    @torch.jit.export
    def optional(self, x: Optional[float]) -> Optional[float]:
        return x

    @torch.jit.export
    def pair(self, x: Tuple[int, str]) -> Tuple[int, str]:
        return x

    @torch.jit.export
    def table(self, x: Dict[str, List[float]]) -> Dict[str, List[float]]:
        return x

    @torch.jit.export
    def device(self, x: torch.device) -> torch.device:
        return x

    @torch.jit.export
    def color(self, x: Color) -> Color:
        return x

    @torch.jit.export
    def point(self, n: int, y: Tensor) -> Point:
        return Point(n, y)

    @torch.jit.export
    def increment(self, x: Tensor) -> int:
        x.add_(1)
        return x.numel()

    @torch.jit.export
    def say(self, text: str) -> None:
        print(text, len(text))

    @torch.jit.export
    def fail(self, text: str) -> int:
        if len(text) > 0:
            raise ValueError("it said " + text)
        return 0

    @torch.jit.export
    def count_to(self, n: int) -> int:
        total = 0
        for i in range(n):
            total += i % 3
        return total


class Hooked(nn.Module):
    def forward(self, n: int) -> int:
        return n * 2


def times_ten(self, inputs: Tuple[int]) -> Tuple[int]:
    return (inputs[0] * 10,)


def add_one(self, inputs: Tuple[int], output: int) -> int:
    return output + 1


def record_plain_name(module_class):
    """Makes the archive name this file without its folder, so that it does not depend on where it was made."""
    for f in vars(module_class).values():
        if callable(f):
            f.__code__ = f.__code__.replace(co_filename=os.path.basename(__file__))


def main():
    os.chdir(os.path.dirname(os.path.abspath(__file__)))
    record_plain_name(Values)
    torch.jit.script(Values()).save("values.pt")
    hooked = Hooked()
    hooked.register_forward_pre_hook(times_ten)
    hooked.register_forward_hook(add_one)
    torch.jit.script(hooked).save("hooked.pt")
    strip("hooked.pt")


if __name__ == "__main__":
    main()

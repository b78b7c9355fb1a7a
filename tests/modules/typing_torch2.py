"""A module in today's Python: annotations, dicts joined, assignments in expressions. Bools are
numbers where numbers are wanted."""
from typing import ClassVar, Optional

import torch
from torch import Tensor, nn

Number = int | float


def scaled(x: Tensor, by: float, times: int = 1) -> Tensor:
    return x * by * times


class Typed(nn.Module):
    known: ClassVar[int | None] = None
    seen: int | None
    sizes: list[int]
    table: dict[str, int | float]

    def __init__(self, size: int | str = 3, name: "str | None" = None):
        super().__init__()
        self.is_known = isinstance(size, int | str)
        self.is_named = isinstance(name, Number | None) and not isinstance(size, str | None)
        joined = {"a": 1} | {"b": 2}
        joined |= {"c": 3}
        if (count := len(joined)) > 2:
            self.count = count
        self.text: str = f"{joined['a']} {3:>4} {joined['b']:*>3}"
        made: list[int] = [*range(3), *[1, 2]]
        self.sizes = made
        self.table = {"a": 1, "b": 2.5}
        self.seen = None
        self.bias: Optional[Tensor] = None
        self.mask: Tensor | None = None

    def forward(self, x: Tensor, y: Tensor | None = None):
        if self.mask is None:
            self.mask = x
        mask = self.mask
        assert mask is not None
        kept: list[Tensor | int] = [mask, 2]
        first = kept[0]
        return (self.is_known, self.is_named, self.count, self.text, self.sizes, self.seen is None, self.bias is None, y is None,
                first if isinstance(first, Tensor) else x, self.numbers(x, y is None))

    def numbers(self, x: Tensor, b: bool):
        return (x * True, x + b, x.clamp(max=b), scaled(x, b, True), b + 1, b + b, b < 2, 2.5 * b, 3 // b)

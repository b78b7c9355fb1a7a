"""A module with attributes of every kind of value, for test_state.c: methods that change them all, and one that shows
them as text."""
from enum import Enum
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import torch
import torch.nn as nn
from torch import Tensor


class Color(Enum):
    RED = 1
    BLUE = 2


class Pair(NamedTuple):
    count: int
    word: str


@torch.jit.script
class Cell:
    def __init__(self, t: Tensor):
        self.t = t
        self.words: List[str] = []
        self.others: List[Tensor] = []


class Stateful(nn.Module):
    numbers: List[int]
    same_numbers: List[int]
    nested: List[List[int]]
    tensors: List[Tensor]
    table: Dict[str, List[int]]
    by_number: Dict[int, Tensor]
    pair: Tuple[int, str]
    state: Optional[Tensor]
    view: Optional[Tensor]
    quantized: Optional[Tensor]
    cells: List[Cell]
    z: List[complex]
    named: Optional[Pair]

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.arange(6, dtype=torch.float32).reshape(2, 3))
        self.register_buffer("frozen", torch.ones(100))
        self.register_buffer("grown", torch.zeros(2))
        self.flag = False
        self.n = 1
        self.f = 0.5
        self.z = []
        self.word = "start"
        self.color = Color.RED
        self.numbers = [1, 2]
        self.same_numbers = [1, 2]
        self.nested = []
        self.tensors = []
        self.table = {"one": [1]}
        self.by_number = {}
        self.pair = (1, "one")
        self.named = None
        self.state = None
        self.view = None
        self.quantized = None
        self.cells = []

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.w + torch.rand(3)

    @torch.jit.export
    def change(self, x: Tensor, n: int):
        with torch.no_grad():
            self.w.mul_(1.5)
        self.grown = torch.cat([self.grown, x.flatten()])
        self.flag = not self.flag
        self.n += n
        self.f *= 1.25
        self.z.append(complex(n, 2.5))
        self.word += " and " + str(n)
        self.color = Color.BLUE
        self.numbers.append(n)
        self.nested = [self.numbers, self.numbers, [n]]
        self.table["n" + str(n)] = self.numbers
        self.pair = (n, self.word)
        self.named = Pair(n, self.word)
        h = x * n
        self.state = h
        self.view = h[0]
        self.tensors += [h, h[:, 1], self.w]
        self.by_number[n] = h
        self.quantized = torch.quantize_per_tensor(x, 0.25, 3, torch.qint8)
        c = Cell(h)
        c.words.append(self.word)
        c.others.append(h[1])
        self.cells = [c, c]

    @torch.jit.export
    def change_aliases(self) -> str:
        """What changes through one name is seen through the others."""
        state, view = self.state, self.view
        if state is not None and view is not None:
            state.add_(1000.0)
            self.cells[0].words.append("alias")
            self.nested[0].append(77)
        with torch.no_grad():
            self.w.add_(1)
        return self.show()

    @torch.jit.export
    def show(self) -> str:
        parts = [str(self.w), str(self.frozen.sum()), str(self.grown), str(self.flag), str(self.n), str(self.f),
                 str(self.z), self.word, str(self.color == Color.BLUE), str(self.numbers), str(self.same_numbers),
                 str(self.nested), str(self.tensors), str(self.table), str(self.by_number), str(self.pair),
                 str(self.state), str(self.view)]
        named, quantized = self.named, self.quantized
        if named is not None:
            parts += [str(named.count), named.word]
        if quantized is not None:
            parts.append(str(quantized.int_repr()) + str(quantized.q_scale()))
        for c in self.cells:
            parts += [str(c.t), str(c.words), str(c.others)]
        return "\n".join(parts)

    @torch.jit.export
    def random(self) -> float:
        return float(torch.randn(1)) + float(torch.rand(1))

    @torch.jit.export
    def learn(self, x: Tensor, n: int) -> float:
        """A step that changes much before it is done."""
        loss = (x @ self.w.t()).tanh().pow(2).sum()
        gradient = torch.autograd.grad([loss], [self.w])[0]
        self.change(x, n)
        assert gradient is not None
        with torch.no_grad():
            self.w -= 0.1 * gradient + 0.001 * torch.rand(2, 3)
            self.w[0] *= 0.5
        self.frozen.add_(1.0)
        self.numbers.clear()
        self.by_number.clear()
        self.tensors.clear()
        self.grown.resize_(1)
        return float(loss)

    @torch.jit.export
    def change_and_raise(self, x: Tensor, n: int):
        self.learn(x, n)
        if n > 0:
            raise ValueError("too late")

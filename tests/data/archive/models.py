"""The modules that make.py saves."""
import enum
from typing import Dict, List, Optional, Tuple

import torch


class Color(enum.Enum):
    RED = 1
    GREEN = 2


@torch.jit.script
class Pair(object):
    def __init__(self, first: int, second: int):
        self.first = first
        self.second = second


class Keeper(torch.nn.Module):
    """Saves its state through __getstate__."""

    def __init__(self):
        super().__init__()
        self.n = 3

    def forward(self):
        return self.n

    @torch.jit.export
    def __getstate__(self):
        return (self.n, self.training)

    @torch.jit.export
    def __setstate__(self, state: Tuple[int, bool]):
        self.n = state[0]
        self.training = state[1]


class Program(torch.nn.Module):
    ints: List[int]
    floats: List[float]
    bools: List[bool]
    words: List[str]
    table: Dict[str, int]
    nested: Dict[int, List[float]]
    tensors: List[torch.Tensor]
    empty: List[int]
    maybe: Optional[int]
    color: Color

    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 2)
        self.keeper = Keeper()
        base = torch.arange(12, dtype=torch.float32).reshape(3, 4)
        self.register_buffer("base", base)
        self.register_buffer("view", base[1:].t())
        self.register_buffer("chalf", torch.tensor([1.0, 2.0], dtype=torch.complex32))
        self.per_tensor = torch.quantize_per_tensor(torch.tensor([0.0, 1.0, -1.0]), 0.5, 2, torch.quint8)
        self.per_channel = torch.quantize_per_channel(
            torch.tensor([[0.0, 1.0], [2.0, 3.0]]), torch.tensor([0.1, 0.2], dtype=torch.float64), torch.tensor([0, 1]),
            1, torch.qint8)
        self.coo = torch.tensor([[0.0, 2.0], [3.0, 0.0]]).to_sparse()
        self.csr = torch.tensor([[0.0, 2.0], [3.0, 0.0]]).to_sparse_csr()
        self.ints = [1, 300, 70000, -1, 2**40, -2**63]
        self.floats = [0.5, -0.0]
        self.bools = [True, False]
        self.words = ["a", "b\u00e9"]
        self.table = {"x": 1, "y": 2}
        self.nested = {7: [1.5]}
        self.tensors = [torch.ones(1), torch.zeros(0)]
        self.empty = []
        self.maybe = None
        self.color = Color.GREEN
        self.both = (1, "two")
        self.z = 1 + 2j
        self.where = torch.device("cpu")

    def forward(self, x: torch.Tensor):
        y = self.linear(x) + torch.sum(self.base)
        pair = Pair(1, 2)
        if pair.first == 2:
            raise ValueError("na\u00efve")
        return y


class Small(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.ones(2, 2))
        self.d: Dict[str, List[int]] = {"k": [1, 2]}

    def forward(self, x: torch.Tensor):
        y = x @ self.w
        if y.size(0) == 7:
            y = y + 1
        return y


class Lite(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("b", torch.tensor([1.0, 2.0]))

    def forward(self, x: torch.Tensor):
        return x + self.b

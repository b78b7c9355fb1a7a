"""The model of the tests of the Python package: methods that take and give every kind of value, keep state, raise,
print and save."""
import enum
import warnings
from typing import Dict, List, NamedTuple, Optional, Tuple

import torch


class Pair(NamedTuple):
    first: torch.Tensor
    second: int


class Color(enum.Enum):
    RED = 1
    GREEN = 2


@torch.jit.script
class Box:
    def __init__(self, name: str, item: torch.Tensor):
        self.name = name
        self.item = item


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.total = torch.zeros(3)
        self.kept = torch.zeros(1)

    def forward(self, x: torch.Tensor, n: int = 1, scale: float = 1.0) -> torch.Tensor:
        """Multiplies."""
        return x * n * scale

    @torch.jit.export
    def echo(self, x: torch.Tensor) -> torch.Tensor:
        return x

    @torch.jit.export
    def numbers(self, i: int, f: float, b: bool, c: complex) -> Tuple[int, float, bool, complex]:
        return i, f, b, c

    @torch.jit.export
    def text(self, s: str) -> str:
        return s

    @torch.jit.export
    def optional(self, x: Optional[torch.Tensor], n: Optional[int]) -> Tuple[Optional[torch.Tensor], Optional[int]]:
        return x, n

    @torch.jit.export
    def tensors(self, x: List[torch.Tensor]) -> List[torch.Tensor]:
        return x

    @torch.jit.export
    def floats(self, x: List[float]) -> List[float]:
        return x

    @torch.jit.export
    def table(self, x: Dict[str, List[int]]) -> Dict[str, List[int]]:
        return x

    @torch.jit.export
    def nested(self, x: Tuple[int, Tuple[str, torch.Tensor]]) -> Tuple[int, Tuple[str, torch.Tensor]]:
        return x

    @torch.jit.export
    def pair(self, x: torch.Tensor, n: int) -> Pair:
        return Pair(x + n, n)

    @torch.jit.export
    def color(self, c: Color) -> Color:
        return c

    @torch.jit.export
    def where(self, d: torch.device) -> torch.device:
        return d

    @torch.jit.export
    def same(self, x: torch.Tensor) -> List[torch.Tensor]:
        y = x + 1
        return [y, y]

    @torch.jit.export
    def boxes(self, x: torch.Tensor) -> List[Box]:
        box = Box("b", x)
        return [box, box]

    @torch.jit.export
    def as_type(self, x: torch.Tensor, dtype: int) -> torch.Tensor:
        return x.to(dtype)

    @torch.jit.export
    def quantize(self, x: torch.Tensor) -> torch.Tensor:
        return torch.quantize_per_tensor(x, 0.5, 3, torch.quint8)

    @torch.jit.export
    def quantize_rows(self, x: torch.Tensor) -> torch.Tensor:
        return torch.quantize_per_channel(x, torch.tensor([0.5, 0.25]), torch.tensor([0, 1]), 0, torch.qint8)

    @torch.jit.export
    def plain(self, x: torch.Tensor) -> torch.Tensor:
        return x.dequantize()

    @torch.jit.export
    def change(self, x: torch.Tensor) -> None:
        x.add_(1)

    @torch.jit.export
    def add(self, x: torch.Tensor) -> torch.Tensor:
        self.total = self.total + x
        return self.total

    @torch.jit.export
    def keep(self, x: torch.Tensor) -> None:
        self.kept = x

    @torch.jit.export
    def give_kept(self) -> torch.Tensor:
        return self.kept

    @torch.jit.export
    def draw(self, n: int) -> torch.Tensor:
        return torch.rand(n)

    @torch.jit.export
    def fail(self, n: int) -> int:
        if n > 2:
            raise ValueError("the number is too large")
        return n

    @torch.jit.export
    def count(self, n: int) -> int:
        s = 0
        for i in range(n):
            s += i % 3
        return s

    @torch.jit.export
    def say(self, s: str) -> None:
        print(s)

    @torch.jit.export
    def caution(self, s: str) -> None:
        warnings.warn(s)

    @torch.jit.export
    def store(self, x: torch.Tensor, name: str) -> None:
        torch.save(x, name)

    @torch.jit.export
    def reset(self) -> int:
        return 7

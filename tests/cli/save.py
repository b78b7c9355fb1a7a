"""What torch.save writes: one value of each kind, and what it refuses."""
import enum
from typing import Dict, List

import torch
from torch import Tensor


class Color(enum.Enum):
    RED = 1


def save(x: Tensor, n: int, path: str) -> None:
    counts: Dict[str, List[int]] = {"k": [n, -n]}
    q = torch.quantize_per_tensor(x, 0.5, 2, torch.quint8)
    torch.save((x, x[:, 1:], q, n, 300 * n, 70000 * n, n << 40, 2.5, 1j, "h\u00e9", None, True, [True], [1.5], ["s"], [x], [[n]], counts,
                x.device, {1: (2, "b")}), path)


def save_constant(path: str) -> int:
    torch.save("abc", path)
    return len(path)


def save_enum(path: str) -> None:
    torch.save([Color.RED], path)

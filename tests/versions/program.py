"""What the stored files of each version were made from: loops, containers, strings, an exception and tensors."""
from typing import Dict, List

import torch


def mixed(x: torch.Tensor, names: List[str]) -> Dict[str, float]:
    counts: Dict[str, float] = {}
    for i, name in enumerate(names):
        total = 0
        for k in range(i + 3):
            total += k
        if total > 100:
            raise ValueError("too many names")
        counts[name] = float(torch.relu(x[i] * total).sum())
    return counts

"""What the modules of record_classics.py's files share."""
from typing import List, Optional

import torch
import torch.nn as nn
from torch import Tensor


def update(parameters: List[Tensor], gradients: List[Optional[Tensor]], rate: float):
    with torch.no_grad():
        for p, g in zip(parameters, gradients):
            if g is not None:
                p -= rate * g


def copies(parameters: List[Tensor]) -> List[Tensor]:
    return [p.detach().clone() for p in parameters]


class Trained(nn.Module):
    """Gives parameters their first values."""

    def fill(self):
        with torch.no_grad():
            for i, p in enumerate(self.parameters()):
                p.copy_(torch.sin(torch.arange(p.numel(), dtype=torch.float32) * 1.7 + float(i)).reshape(p.shape) * 0.4)

"""Operators of torchaudio 2.6: alignment, and the loss of transducers."""
from typing import List

import torch


def alignment(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    logs = torch.log_softmax(torch.sin(torch.arange(0, 55) * 1.7).reshape(1, 11, 5), -1)
    found: List[torch.Tensor] = []
    for targets in [torch.tensor([[1, 2, 2]]), torch.tensor([[4]]), torch.tensor([[3, 1, 3, 2, 4]], dtype=torch.int32)]:
        path, scores = torch.ops.torchaudio.forced_align(logs, targets, torch.tensor([11]), torch.tensor([targets.size(1)]), 0)
        found += [path, scores]
    path, scores = torch.ops.torchaudio.forced_align(torch.zeros(1, 8, 3), torch.tensor([[1, 2, 1]]), torch.tensor([8]), torch.tensor([3]), 0)
    return found + [path, scores]


def transducers(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    logits, targets = torch.sin(torch.arange(0, 120)).reshape(2, 4, 3, 5), torch.tensor([[1, 2], [3, 1]], dtype=torch.int32)
    times, lengths = torch.tensor([4, 3], dtype=torch.int32), torch.tensor([2, 1], dtype=torch.int32)
    found: List[torch.Tensor] = []
    for clamp, fused, blank in [(-1.0, True, 0), (0.2, True, 4), (-1.0, False, 0)]:
        costs, gradients = torch.ops.torchaudio.rnnt_loss(logits, targets, times, lengths, blank, clamp, fused)
        found += [costs]
        if gradients is not None:
            found += [gradients[0], gradients[1, :3, :2]]
    alphas, betas = torch.ops.torchaudio.rnnt_loss_alphas(logits, targets, times, lengths, 0, -1.0), torch.ops.torchaudio.rnnt_loss_betas(logits, targets, times, lengths, 0, -1.0)
    return found + [alphas[0], betas[0], alphas[1, :3, :2], betas[1, :3, :2]]


def several(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.ops.torchaudio.forced_align(torch.zeros(2, 3, 4), torch.ones(2, 1, dtype=torch.int64), torch.tensor([3, 3]), torch.tensor([1, 1]), 0)[0]


def too_long(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.ops.torchaudio.forced_align(torch.zeros(1, 3, 4), torch.ones(1, 3, dtype=torch.int64), torch.tensor([3]), torch.tensor([3]), 0)[0]


def no_blank(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    one = torch.ones(1, dtype=torch.int32)
    return torch.ops.torchaudio.rnnt_loss(torch.zeros(1, 1, 2, 5), torch.ones(1, 1, dtype=torch.int32), one, one, -1, -1.0, True)[0]


PROGRAMS = [alignment, transducers]
FAILURES = {no_blank: "blank must be within [0, logits.shape[-1])",
            several: "The batch dimension for log_probs must be 1 at the current version.",
            too_long: "targets length is too long for CTC. Found log_probs length: 3, targets length: 3, and number of repeats: 2"}

"""torchaudio's filters."""
from typing import List

import torch


def filters(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    signal = (torch.arange(2 * 3 * 20).to(torch.float32) * 0.7).sin().reshape(2, 3, 20)
    a = torch.tensor([[1.0, -0.3, 0.2], [2.0, 0.5, -0.4], [0.5, 0.0, 0.1]])
    b = torch.tensor([[0.4, 0.2, 0.1], [1.0, 0.0, -1.0], [0.3, 0.3, 0.3]])
    return [torch.ops.torchaudio._lfilter(signal, a, b), torch.ops.torchaudio._lfilter(signal.to(torch.float64), a.to(torch.float64), b.to(torch.float64)),
            torch.ops.torchaudio._lfilter(signal[:, :, :2], a, b)]


def recursion_in_place(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    outputs = torch.zeros(1, 2, 8)
    outputs[:, :, :2] = 0.25
    torch.ops.torchaudio._lfilter_core_loop(x[:2].unsqueeze(0), torch.tensor([[0.3, -0.5, 1.0], [0.1, 0.2, 1.0]]), outputs)
    return [outputs]


def overdrive(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    last_in, last_out, out = torch.zeros(4), torch.full([4], 0.5), torch.zeros(4, 6)
    torch.ops.torchaudio._overdrive_core_loop(x, x.tanh(), last_in, last_out, out)
    return [out]


def too_many_channels(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.ops.torchaudio._lfilter(x.unsqueeze(0), torch.ones(3, 2), torch.ones(3, 2))


PROGRAMS = [filters, recursion_in_place, overdrive]
FAILURES = {too_many_channels: "expected coefficients for each of 4 channels, got them for 3 and 3"}

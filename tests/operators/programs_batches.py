"""Many small problems at once: matrices of a few rows, lines of a few points, short rows, pictures of few channels."""
from typing import List

import torch


def made(shape: List[int], step: float, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    count = 1
    for n in shape:
        count *= n
    return torch.sin(torch.arange(count, dtype=torch.float64) * step).reshape(shape).to(dtype)


def small_matrices(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    y: List[torch.Tensor] = []
    for m, k, n in [(2, 2, 2), (3, 3, 3), (4, 4, 4), (3, 3, 1), (1, 3, 3), (2, 1, 3), (5, 5, 5), (3, 7, 6), (6, 8, 2), (1, 1, 1), (4, 9, 2), (3, 2, 9)]:
        a, b = made([11, m, k], 0.7), made([11, k, n], 1.3)
        y.append(torch.bmm(a, b))
        y.append(a @ b[3])
        y.append(a[2] @ b)
        y.append(a[::2] @ b[1])
        y.append(a.transpose(1, 2).contiguous().transpose(1, 2) @ b.transpose(1, 2).contiguous().transpose(1, 2))
        y.append(torch.baddbmm(made([n], 0.3), a, b, beta=0.5, alpha=2.0))
        y.append(torch.einsum('nij,njk->nik', a, b))
    return y


def small_layers(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    y: List[torch.Tensor] = []
    for k, n in [(1, 1), (3, 1), (8, 1), (1, 4), (3, 3), (4, 8), (8, 5), (2, 2), (9, 3)]:
        a, w, b = made([13, k], 0.7), made([n, k], 1.3), made([n], 0.3)
        y.append(torch.nn.functional.linear(a, w, b))
        y.append(torch.nn.functional.linear(a, w))
        y.append(torch.nn.functional.linear(a.reshape(1, 13, k).expand(2, 13, k), w, b))
        y.append(a @ w[0])
        y.append(torch.relu(torch.nn.functional.linear(a, w, b)))
        y.append(torch.mv(made([k, 13], 0.9).t(), w[0]))
    return y


PROGRAMS = [small_matrices, small_layers]

"""Factorizations and triangular systems at sizes where blocks have work, real and complex."""
from typing import List

import torch


def matrix(m: int, n: int) -> torch.Tensor:
    i = torch.arange(m * n, dtype=torch.float64).reshape(m, n)
    return torch.sin(i * 1.7) + torch.cos(i * i * 0.01) + torch.eye(max(m, n), dtype=torch.float64)[:m, :n] * 3


def checked(y: torch.Tensor) -> torch.Tensor:
    """Sums of every seventh element."""
    flat = y.reshape(-1)
    return torch.stack([flat[k::7].sum() for k in range(7)])


def triangles(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    r: List[torch.Tensor] = []
    for n in [1, 5, 16, 17, 40]:
        a, b = matrix(n, n) * 0.05 + torch.eye(n, dtype=torch.float64), matrix(n, 9)
        for f in [a, torch.complex(a, a.t() * 0.1), a.to(torch.float32)]:
            c = b.to(f.dtype)
            r += [checked(torch.linalg.solve_triangular(torch.triu(f), c, upper=True)), checked(torch.linalg.solve_triangular(torch.tril(f), c, upper=False)),
                  checked(torch.linalg.solve_triangular(torch.triu(f), c, upper=True, unitriangular=True)),
                  checked(torch.linalg.solve_triangular(torch.tril(f), c.t(), upper=False, left=False, unitriangular=True))]
    return r


def lu(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    r: List[torch.Tensor] = []
    for m, n in [(40, 40), (37, 20), (20, 37), (16, 16), (33, 33), (3, 3)]:
        a = matrix(m, n)
        for f in [a, torch.complex(a, a.flip([0])), torch.stack([a, a.flip([1])])]:
            both, pivots = torch.linalg.lu_factor(f)
            P, L, U = torch.lu_unpack(both, pivots)
            r += [checked(both), pivots, checked(torch.matmul(torch.matmul(P, L), U) - f), checked(torch.abs(U))]
    return r


def solved(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    r: List[torch.Tensor] = []
    for n in [2, 16, 35]:
        a, b = matrix(n, n), matrix(n, 4)
        for f in [a, torch.complex(a, a.flip([0])), torch.stack([a, a.t()])]:
            c = b.to(f.dtype)
            both, pivots = torch.linalg.lu_factor(f)
            r += [checked(torch.linalg.solve(f, c)), checked(torch.linalg.inv(f)), torch.linalg.det(f), torch.linalg.slogdet(f)[1], checked(torch.linalg.lu_solve(both, pivots, c, adjoint=True)),
                  checked(torch.linalg.lu_solve(both, pivots, c.transpose(-2, -1), left=False))]
    return r


def cholesky(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    r: List[torch.Tensor] = []
    for n in [1, 15, 16, 17, 41]:
        a = matrix(n, n)
        for f in [a, torch.complex(a, a.flip([0])), torch.stack([a, a.t()])]:
            square = torch.matmul(f, f.transpose(-2, -1).conj()) + torch.eye(n)
            L = torch.linalg.cholesky(square)
            r += [checked(L), checked(torch.linalg.cholesky(square, upper=True)), checked(torch.cholesky_solve(matrix(n, 3).to(f.dtype), L))]
    bad = torch.eye(20, dtype=torch.float64)
    bad[17, 17] = -1
    return r + [torch.linalg.cholesky_ex(bad)[1], torch.linalg.cholesky_ex(bad[:17, :17])[1]]


def qr(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    r: List[torch.Tensor] = []
    for m, n in [(1, 1), (20, 20), (33, 7), (7, 33)]:
        a = matrix(m, n)
        for f in [a, torch.complex(a, a.flip([0])), torch.stack([a, a.flip([1])]), a.to(torch.float32)]:
            Q, R = torch.linalg.qr(f)
            whole, upper = torch.linalg.qr(f, mode="complete")
            both, tau = torch.geqrf(f)
            r += [checked(Q), checked(R), checked(whole), checked(upper), checked(both), tau, checked(torch.linalg.householder_product(both[..., :min(m, n)], tau) if m >= n else Q)]
    return r


def extreme_lengths(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = matrix(6, 4)
    return [torch.linalg.qr(a * 1e200)[0], torch.linalg.qr(a * 1e-200)[0], torch.linalg.qr(a * 1e200)[1] / 1e200, torch.linalg.qr(torch.zeros(3, 2))[0]]


def singular(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    a = matrix(20, 20)
    a[18] = 0
    return torch.linalg.inv(a)


def not_positive(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    a = torch.eye(20)
    a[18, 18] = 0
    return torch.linalg.cholesky(a)


def pivots_outside(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.linalg.lu_solve(torch.eye(3), torch.tensor([1, 2, 9], dtype=torch.int32), torch.eye(3))


FAILURES = {singular: "the input matrix is singular", not_positive: "the leading minor of order 19 is not positive-definite", pivots_outside: "pivots given must all be greater or equal to 1"}
PROGRAMS = [triangles, lu, solved, cholesky, qr, extreme_lengths]

"""Linear algebra. Eigenvectors and singular vectors are compared by what they make, since their signs are free."""
from typing import List, Tuple

import torch


def square(x: torch.Tensor) -> torch.Tensor:
    return x[:, :4] + torch.eye(4)


def positive(x: torch.Tensor) -> torch.Tensor:
    return x @ x.t() + torch.eye(4)


def factors(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a, z = square(x), torch.complex(x[:, :4], x[:, 2:])
    made: List[torch.Tensor] = []
    for m in [a, torch.stack([a, a.t()]), z, x, x.t()]:
        lu, pivots = torch.linalg.lu_factor(m)
        p, l, u = torch.linalg.lu(m)
        q, r = torch.linalg.qr(m)
        v, tau = torch.geqrf(m)
        made = made + [lu, pivots, p, l, u, q, r, v, tau]
    q, r = torch.linalg.qr(x.t(), "complete")
    v, tau = torch.geqrf(x.t())
    return made + [q, r, torch.linalg.householder_product(v, tau), torch.linalg.cholesky(positive(x)), torch.cholesky(positive(x), True)]


def solutions(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a, b, z = square(x), x[:, 4:], torch.complex(x[:, :4], x[:, 2:])
    lu, pivots = torch.linalg.lu_factor(z)
    sign, size = torch.linalg.slogdet(a)
    low = torch.linalg.cholesky(positive(x))
    solved, _ = torch.triangular_solve(b, a, upper=False)
    return [torch.linalg.solve(a, b), torch.linalg.solve(a, b[:, 0]), torch.linalg.solve(a, b.t(), left=False), torch.linalg.solve(z, z + 1),
            torch.linalg.lu_solve(lu, pivots, z + 2, adjoint=True), torch.linalg.inv(a), torch.inverse(torch.stack([a, a * 2])),
            torch.linalg.det(a), torch.det(z), sign, size, torch.logdet(positive(x)), torch.cholesky_solve(b, low), torch.cholesky_inverse(low),
            torch.linalg.solve_triangular(a, b, upper=True), solved, torch.linalg.tensorsolve(x[:, :4].reshape(2, 2, 4) + 1, x[:2, :2]),
            torch.linalg.tensorinv(x[:, :4].reshape(4, 2, 2) + 1, ind=1), torch.linalg.matrix_power(a, 3), torch.matrix_power(a, -2),
            torch.matrix_exp(a), torch.linalg.lstsq(x.t(), x[:3].t())[0]]


def indefinite(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    b = x[:, 4:]
    made: List[torch.Tensor] = []
    z = torch.complex(x[:, :4], x[:, 2:])
    for m in [x[:, :4] + x[:, :4].t(), z + z.mH, torch.stack([x[:, :4].t() + x[:, :4], torch.flip(torch.eye(4), [0])])]:
        ld, pivots = torch.linalg.ldl_factor(m, hermitian=True)
        made = made + [ld, pivots, torch.linalg.ldl_solve(ld, pivots, b.to(m.dtype), hermitian=True)]
    return made


def spectra(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    made: List[torch.Tensor] = []
    z = torch.complex(x, x.flip([0]))
    h = z @ z.mH
    for m in [x, x.t(), z, torch.stack([x, x * 2])]:
        u, s, v = torch.linalg.svd(m, full_matrices=False)
        w, k, y = torch.linalg.svd(m)
        made = made + [u @ (s.unsqueeze(-1) * v), s, (w.mH @ w).abs(), (y @ y.mH).abs(), torch.linalg.svdvals(m), torch.linalg.pinv(m),
                       torch.linalg.matrix_rank(m), torch.linalg.matrix_norm(m), torch.linalg.matrix_norm(m, "nuc"), torch.linalg.matrix_norm(m, 2),
                       torch.linalg.matrix_norm(m, 1, keepdim=True), torch.linalg.matrix_norm(m, -float("inf")), torch.linalg.cond(m)]
    for m in [positive(x), h]:
        w, q = torch.linalg.eigh(m)
        made = made + [w, (q * w) @ q.mH, torch.linalg.eigvalsh(m, "U"), torch.linalg.pinv(m, hermitian=True)]
    flat = torch.outer(x[0], x[1])
    return made + [torch.linalg.matrix_rank(flat), torch.linalg.pinv(flat), torch.linalg.svdvals(flat), torch.linalg.cond(square(x), 1)]


def general_eigenvalues(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a, z = square(x), torch.complex(x[:, :4], x[:, 2:])
    made: List[torch.Tensor] = []
    for m in [a, z, torch.triu(a), torch.stack([a.t(), a * 2]), torch.tensor([[0.0, 1.0], [-1.0, 0.0]])]:
        w, v = torch.linalg.eig(m)
        same = v @ torch.diag_embed(w) @ torch.linalg.inv(v)
        made = made + [same, torch.sort(torch.linalg.eigvals(m).abs(), -1)[0], torch.sort(w.real, -1)[0], torch.linalg.norm(v, 2, dim=-2)]
    return made


def vectors(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    return [torch.cross(x[:, :3], x[:, 3:]), torch.linalg.cross(x[:1, :3], x[:, 3:]), torch.linalg.vander(x[0]), torch.vander(x[0], 3),
            torch.addmv(x[:, 0], x, x[1], beta=2, alpha=3), torch.linalg.norm(x, 1), torch.linalg.norm(x), torch.linalg.norm(x, 3, dim=1),
            torch.linalg.norm(x, "fro", dim=[0, 1])] + torch.gradient(x) + torch.gradient(x[0], spacing=0.5, edge_order=2) + \
        torch.gradient(x, spacing=[torch.tensor([0.0, 1.0, 3.0, 4.0]), torch.tensor([0.0, 0.5, 1.0, 3.0, 4.0, 7.0])], edge_order=2)


def wrong_inverse(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.linalg.inv(x)


def far_from_one(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    d = x.to(torch.float64)
    u, s, v = torch.linalg.svd(d * 1e-200, full_matrices=False)
    beside = torch.eye(6, dtype=torch.float64)  # small columns of one length beside longer ones
    beside[3:, 3:] = torch.tensor([[1.0, 1.0, 1.0], [1.0, -1.0, 1.0], [1.0, 1.0, -1.0]], dtype=torch.float64) * 1e-150
    _, small, _1 = torch.linalg.svd(beside, full_matrices=False)
    return [torch.linalg.svdvals(d * 1e200) * 1e-200, s * 1e200, u @ torch.diag(s * 1e200) @ v, torch.linalg.svdvals(d * 1e-300) * 1e300, small[3:] * 1e150]


# Ints that doubles hold, at the limit, beyond it, and where sums wrap.
def products_of_ints(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = torch.remainder(torch.arange(18 * 41) * 7919, 1009).reshape(18, 41) - 500
    b = torch.remainder(torch.arange(41 * 35) * 104729, 997).reshape(41, 35) - 512
    made = [a[:3, :5] @ b[:5, :3], a.to(torch.int32) @ b.to(torch.int32), a[:, :8] @ b[:8]]
    for scale in [1, 1 << 29, 1 << 30, (1 << 40) + 3]:
        for product in [(a * scale) @ b, b.t() @ (a * scale).t(), (b.t().contiguous() * scale) @ a[::2].t(), torch.bmm(torch.stack([a, a + 1]), torch.stack([b * scale, b]))[1]]:
            made += [product.sum(0), product.sum(1)]
    return made


def singular(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.linalg.inv(torch.zeros(3, 3))


def not_positive(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.linalg.cholesky(-torch.eye(3))


def second_of(value: float) -> torch.Tensor:
    a = torch.eye(3).repeat(3, 1, 1)
    a[1, 1, 1] = value
    a[2, 0, 0] = value
    return a


def second_is_singular(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.linalg.inv(second_of(0.0))


def second_has_no_solution(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.linalg.solve(second_of(0.0), torch.ones(3, 3, 1))


def no_solution(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.linalg.solve(second_of(0.0)[1], torch.ones(3))


def second_is_not_positive(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.linalg.cholesky(second_of(-1.0))


def wrong_inverse_ex(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.linalg.inv_ex(x)[0]


def wrong_factor_ex(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.linalg.cholesky_ex(x)[0]


def zero_pivot(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.linalg.lu_factor(second_of(0.0)[1])[0]


def second_has_a_zero_pivot(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.linalg.lu_factor(second_of(0.0))[0]


def wrong_right_side(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.linalg.solve(x[:, :4], x[:3])


def wrong_eigenvalues(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.linalg.eigvals(x)


def wrong_order(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.linalg.matrix_norm(x, 3)


def wrong_cross(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.linalg.cross(x, x)


def signs_of_vectors(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = torch.cat([x, x.flip([1])[:2] * 2]) + torch.eye(6)
    z = torch.complex(a, a.flip([0]))
    blocks = torch.block_diag(a[:2, :2], a[3:, 3:])
    made: List[torch.Tensor] = []
    for s in [a + a.t(), z + z.mH, blocks + blocks.t(), a[:1, :1], (a + a.t()).to(torch.float64)]:
        for v in [torch.linalg.eigh(s), torch.linalg.eigh(s, "U"), torch.symeig(s, eigenvectors=True)]:
            made += [v[0], v[1]]
    return made + [torch.linalg.eigh(torch.stack([a, a.t()]))[1]]


def order_of_eigenvalues(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = torch.cat([x, x.flip([1])[:2] * 2])
    z = torch.complex(a, a.flip([0]))
    triangle = torch.triu(a)
    alone = a.clone()
    alone[2] = 0.0
    alone[2, 2] = 3.0
    uneven = a.to(torch.float64)
    uneven[:, 1] *= 1000.0
    turn = torch.zeros([4, 4])
    turn[0, 3] = turn[1, 0] = turn[2, 1] = turn[3, 2] = 1.0
    made: List[torch.Tensor] = []
    for s in [a, z, triangle, alone, uneven, a[:1, :1], a[1:3, 2:4], z[:2, :2], z * torch.ones_like(a).triu(), a.to(torch.float64), torch.stack([a, a.t()])]:
        v = torch.linalg.eig(s)
        made += [v[0], v[1], torch.linalg.eigvals(s)]
    return made + [torch.linalg.eigvals(turn), torch.linalg.eig(x[:0, :0])[1]]


def eigenvalues_of_nothing_finite(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.linalg.eig(x[:, :4] / 0)[0]


def values_alone(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Of matrices that fall apart: of rank one, with zeros on the diagonal of their bidiagonal form, far from 1."""
    line = torch.arange(40, dtype=torch.float64)
    one = torch.outer(torch.cos(line), torch.sin(line))
    z = torch.complex(one, one * 0.5)
    band = torch.diag(torch.tensor([2.0, 0.0, 1.0, 0.0, 3.0])) + torch.diag(torch.ones(4), 1)
    wave = torch.cos(torch.outer(line, line) * 0.37 + line)
    made: List[torch.Tensor] = []
    for m in [one, z, z[:, :30], band, band.t(), wave, wave[:, :7], torch.complex(wave, wave.t())[:7], torch.zeros([4, 3])]:
        made += [torch.linalg.svdvals(m), torch.linalg.svdvals(m.to(torch.complex128) * 1e-250) * 1e250, torch.linalg.matrix_rank(m)]
    for m in [one + one.t(), z + z.mH, band + band.t(), wave + wave.t(), torch.zeros([3, 3])]:
        made += [torch.linalg.eigvalsh(m), torch.linalg.eigvalsh(m.to(torch.complex128) * 1e-250, "U") * 1e250]
    return made + [torch.linalg.svdvals(torch.full([3, 2], float("inf"))), torch.linalg.svdvals(x[:0, :0])]


def least_squares_of_full_rank(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    b = torch.stack([x[:, 0], x[:, 1] * 2], 1)
    z = torch.complex(x, x.flip([1]) * 0.5)
    both = torch.stack([x[:, :3], x[:, :3].flip([0])])
    made: List[torch.Tensor] = []
    for driver in ["gels", "gelsy", "gelsd", "gelss"]:
        for m, y in [(x[:, :3], b), (x, b), (x[:, :4], b), (z[:, :3], z[:, :2]), (z, z[:, 3:]), (both, b.expand([2, 4, 2]))]:
            v = torch.linalg.lstsq(m, y, driver=driver)
            made += [v[0], v[1], v[2], v[3]]
    return made


def core_factors(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """What core ATen makes of det, slogdet, eigh and svd."""
    a = square(x)
    made: List[torch.Tensor] = []
    for m in [a, a.t(), torch.stack([a, a.t()])]:
        det, lu, pivots = torch.ops.aten._linalg_det(m)
        sign, size, again, rows = torch.ops.aten._linalg_slogdet(m)
        made = made + [det, lu, pivots, sign, size, again, rows]
        u, s, v = torch.ops.aten._linalg_svd(m)
        u_none, alone, v_none = torch.ops.aten._linalg_svd(m, False, False)
        w, q = torch.ops.aten._linalg_eigh(m @ m.mT)
        w_alone, none = torch.ops.aten._linalg_eigh(m @ m.mT, "U", False)
        made = made + [(u * s.unsqueeze(-2)) @ v, s, alone, u_none, v_none, (q * w.unsqueeze(-2)) @ q.mT, w, w_alone, none]
    return made


def rank_too_low(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    a = torch.cat([torch.ones(4, 1), torch.zeros(4, 1)], 1)
    return torch.linalg.lstsq(a, x.t()[:4], driver="gels")[0]


# Complex products against four real ones: rows, columns and blocks that are left over, transposed and strided factors,
# and one row or column.
def complex_products(x: torch.Tensor, t: torch.Tensor) -> List[bool]:
    made: List[bool] = []
    for m, k, n in [(1, 5, 9), (2, 1, 2), (3, 33, 1), (17, 40, 35), (20, 16, 33), (1, 70, 130)]:
        a = torch.complex(torch.sin(torch.arange(m * k, dtype=torch.float64)), torch.cos(torch.arange(m * k, dtype=torch.float64) * 3)).reshape(m, k)
        b = torch.complex(torch.cos(torch.arange(k * n, dtype=torch.float64) * 5), torch.sin(torch.arange(k * n, dtype=torch.float64) * 7)).reshape(k, n)
        ar, ai, br, bi = torch.real(a), torch.imag(a), torch.real(b), torch.imag(b)
        right = torch.complex(ar @ br - ai @ bi, ar @ bi + ai @ br)
        apart = torch.stack([b, b], 2)[:, :, 0]
        for made_so in [a @ b, a.t().contiguous().t() @ b, a @ b.t().contiguous().t(), a @ apart, a.to(torch.complex64) @ b.to(torch.complex64)]:
            made.append(bool((made_so - right).abs().max() < (1e-12 if made_so.dtype == torch.complex128 else 1e-4)))
        made.append(bool((torch.mv(a, b[:, 0]) - right[:, 0]).abs().max() < 1e-12))
        made.append(bool((torch.mv(b.t(), a[0]) - right[0]).abs().max() < 1e-12))
    return made


# Columns that are nearly orthogonal at the start, with lengths that are all but equal, in groups.
def equal_lengths(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    made: List[torch.Tensor] = []
    n = 24
    waves = torch.cos(torch.outer(torch.arange(n) + 0.5, torch.arange(n)).to(torch.float64) * 3.141592653589793 / n) * torch.sqrt(torch.full([n], 2.0 / n, dtype=torch.float64))
    waves[:, 0] *= 0.5 ** 0.5
    noise = torch.sin(torch.arange(n * n).to(torch.float64) ** 2).reshape(n, n)
    for spread in [0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3]:
        for lengths in [torch.ones(n), torch.floor_divide(torch.arange(n), 8) + 1.0, torch.floor_divide(torch.arange(n), 5) % 2 + 0.01 * (torch.arange(n) > 20)]:
            m = (waves + spread * noise) @ torch.diag(lengths.to(torch.float64)) @ (waves.t() + spread * noise)
            for a, bound in [(m, 1e-13), (m.to(torch.float32), 1e-5), (torch.complex(m, 0.5 * m.flip([0])), 1e-13), (m[:, :20], 1e-13)]:
                u, s, v = torch.linalg.svd(a, full_matrices=False)
                eye = torch.eye(s.numel())
                made += [s, ((u.mH @ u).abs() - eye).abs().max() < bound, ((v @ v.mH).abs() - eye).abs().max() < bound,
                         ((u * s) @ v - a).abs().max() < 8 * bound]
    return made


PROGRAMS = [equal_lengths, complex_products, core_factors, values_alone, least_squares_of_full_rank, far_from_one, products_of_ints, signs_of_vectors, order_of_eigenvalues, factors, indefinite, solutions, spectra, general_eigenvalues, vectors]
FAILURES = {rank_too_low: "could not be computed because the input matrix does not have full rank",
            eigenvalues_of_nothing_finite: "input tensor should not contain infs or NaNs",
            wrong_eigenvalues: "A must be batches of square matrices",
            wrong_inverse: "A must be batches of square matrices, but they are 4 by 6 matrices",
            singular: "The diagonal element 1 is zero, the inversion could not be completed because the input matrix is singular.",
            not_positive: "the input is not positive-definite (the leading minor of order 1 is not positive-definite)",
            second_is_singular: "linalg.inv: (Batch element 1): The diagonal element 2 is zero, the inversion could not be completed",
            second_has_no_solution: "torch.linalg.solve: (Batch element 1): The solver failed because the input matrix is singular.",
            no_solution: "torch.linalg.solve: The solver failed because the input matrix is singular.",
            second_is_not_positive: "linalg.cholesky: (Batch element 1): The factorization could not be completed because the input is not positive-definite (the leading minor of order 2 is not",
            wrong_inverse_ex: "linalg.inv: A must be batches of square matrices, but they are 4 by 6 matrices",
            wrong_factor_ex: "linalg.cholesky: A must be batches of square matrices, but they are 4 by 6 matrices",
            zero_pivot: "torch.linalg.lu_factor: U[2,2] is zero and using it on lu_solve would result in a division by zero.",
            second_has_a_zero_pivot: "torch.linalg.lu_factor: (Batch element 1): U[2,2] is zero and using it on lu_solve",
            wrong_right_side: "Incompatible shapes of A and B for the equation AX = B", wrong_order: "Order 3 not supported",
            wrong_cross: "must have length 3"}

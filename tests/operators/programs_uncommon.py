"""Ways of kernels that common arguments do not take: many elements of one degree, matrices at which steps of an
iteration stall, elements of every size in the lines of one kernel, infinite and missing numbers among others."""
from typing import List

import torch
import torch.nn.functional as F
from torch import Tensor


def families(x: Tensor, n: Tensor) -> List[Tensor]:
    return [torch.special.chebyshev_polynomial_t(x, n), torch.special.chebyshev_polynomial_u(x, n), torch.special.chebyshev_polynomial_v(x, n),
            torch.special.chebyshev_polynomial_w(x, n), torch.special.hermite_polynomial_h(x, n), torch.special.hermite_polynomial_he(x, n),
            torch.special.laguerre_polynomial_l(x, n), torch.special.legendre_polynomial_p(x, n), torch.special.shifted_chebyshev_polynomial_t(x, n),
            torch.special.shifted_chebyshev_polynomial_u(x, n), torch.special.shifted_chebyshev_polynomial_v(x, n),
            torch.special.shifted_chebyshev_polynomial_w(x, n)]


def one_degree_for_many(x: Tensor, t: Tensor) -> List[Tensor]:
    values = torch.linspace(1.25, 2.25, 35, dtype=torch.float64)
    found: List[Tensor] = []
    for degree in [1.0, 5.0, 70.0, 400.0]:
        n = torch.full([35], degree, dtype=torch.float64)
        found += families(values, n)
        if degree < 50.0:
            found += families(values.to(torch.float32), n.to(torch.float32))
    mixed = torch.full([35], 3.0, dtype=torch.float64)
    mixed[20] = 4.0
    return found + families(values, mixed)


def zeta_everywhere(x: Tensor, t: Tensor) -> List[Tensor]:
    inf = float("inf")
    s = torch.tensor([1.0, 0.5, inf, 2.0, 2.5, 3.0, 30.0, float("nan")], dtype=torch.float64).unsqueeze(1)
    q = torch.tensor([0.5, 1.0, 2.0, -1.0, 0.0, 7.25, 1e5, float("nan")], dtype=torch.float64)
    return [torch.special.zeta(s[:6], q[[0, 1, 5, 6]]), torch.special.zeta(s[3:6], q[:7]), torch.special.zeta(torch.tensor(2.5), torch.tensor([-0.5, -3.0]))]


def powers_of(values: Tensor) -> Tensor:
    """The sums of the first powers, whatever the order."""
    return torch.stack([values.sum(), (values * values).sum(), (values * values * values).sum(), values.abs().sum()])


def eigenvalues_that_stall(x: Tensor, t: Tensor) -> List[Tensor]:
    found: List[Tensor] = []
    for n in [3, 4, 6, 9]:
        turned = torch.roll(torch.eye(n, dtype=torch.float64), 1, 0)
        found.append(powers_of(torch.linalg.eigvals(turned)))
        found.append(powers_of(torch.linalg.eigvals(torch.complex(turned, torch.zeros_like(turned)))))
        scaled = turned * torch.logspace(-30, 30, n, dtype=torch.float64)
        found.append(torch.linalg.eigvals(scaled).abs().sum().log())
        apart = torch.block_diag(turned, torch.eye(2, dtype=torch.float64) * 3.0)
        apart[0, n] = 2.0
        found.append(powers_of(torch.linalg.eigvals(apart)))
        found.append(powers_of(torch.linalg.eigvals(torch.complex(apart, apart.t()))))
    upper = torch.tensor([[1.0, 2.0, 3.0], [0.0, 1.0, 4.0], [0.0, 0.0, 5.0]], dtype=torch.float64)
    return found + [powers_of(torch.linalg.eigvals(m)) for m in [upper, upper.t(), torch.zeros(4, 4, dtype=torch.float64)]]


def elements_of_every_size(x: Tensor, t: Tensor) -> List[Tensor]:
    rows, grid = torch.tensor([2, 0, 11, -1, 2]), torch.tensor([[2, 0, 1], [1, 1, 0]])
    found: List[Tensor] = []
    line = torch.arange(12) * 3 - 7
    for kind in [torch.uint8, torch.int16, torch.float32, torch.float64, torch.complex128, torch.bfloat16]:
        a = line.to(kind)
        square = a.reshape(3, 4)
        parts = [a[rows], a.flip(0)[::2][torch.tensor([1, 3])], square[grid[0]], square.t()[grid[0]], square[:, ::2][grid[1]],
                 torch.take(a, grid), torch.gather(square, 0, grid), torch.gather(square.t(), 1, grid), square[grid, 1], square[1, grid]]
        changed = square.clone()
        changed[grid[0]] = square[torch.tensor([0, 0, 1])]
        changed.t()[grid[1]] = square[:2].flatten()[:6].reshape(2, 3)[grid[1]]
        scattered = [torch.scatter(square, 0, grid, square), torch.scatter(square.t(), 1, grid, square.t()), square.index_add(1, grid[0], square[:, :3]),
                     torch.scatter_add(square, 1, grid, square), changed]
        for y in parts + scattered:
            found.append(y if y.is_complex() else y.to(torch.float64))
    return found


def reduced_into_places(x: Tensor, t: Tensor) -> List[Tensor]:
    index = torch.tensor([[0, 1, 0, 2], [2, 2, 1, 0], [1, 0, 0, 0]])
    found: List[Tensor] = []
    for kind in [torch.uint8, torch.int16, torch.int64, torch.float32, torch.float64]:
        a = (torch.arange(12).reshape(3, 4) % 5 + 1).to(kind)
        base = torch.full([3, 4], 2, dtype=kind)
        for how in ["sum", "prod", "amax", "amin"]:
            for own in [True, False]:
                for y in [torch.scatter_reduce(base, 0, index, a, reduce=how, include_self=own), torch.scatter_reduce(base.t(), 1, index.t(), a.t(), reduce=how, include_self=own)]:
                    found.append(y.to(torch.float64))
        for how in ["prod", "amax", "amin"]:
            found.append(torch.index_reduce(base, 0, index[0, :3], a, how).to(torch.float64))
    hole = torch.tensor([[1.0, float("nan"), 3.0, -1.0]] * 3)
    for y in [hole, hole.to(torch.float64), torch.where(hole == hole, -hole, hole)]:
        found += [torch.scatter_reduce(torch.zeros_like(y), 0, index, y, reduce="amax"), torch.scatter_reduce(torch.zeros_like(y), 0, index, y, reduce="amin")]
    return found


def extremes_in_lines(x: Tensor, t: Tensor) -> List[Tensor]:
    found: List[Tensor] = []
    values = (torch.arange(5 * 37) * 7919 % 211 - 90).reshape(5, 37)
    for kind in [torch.int8, torch.uint8, torch.int32, torch.int64, torch.float32, torch.float64]:
        a = values.to(kind)
        for m in [a, a.t(), a[:, ::2], a[:, :5], a[:0].sum(0).to(kind).reshape(1, 37)]:
            found += [torch.amax(m, 0).to(torch.float64), torch.amin(m, 0).to(torch.float64), torch.amax(m, 1).to(torch.float64), torch.amin(m, 1).to(torch.float64),
                      torch.argmax(m, 0), torch.argmin(m, 1), torch.max(m, 0)[1], torch.min(m, 1)[1]]
    for kind in [torch.float32, torch.float64]:
        for place in [0, 3, 30, 36]:
            a = values.to(kind)
            a[2, place] = float("nan")
            found += [torch.amax(a, 1), torch.amin(a, 0), torch.amax(a.t(), 0), torch.argmin(a, 1), torch.argmax(a, 0), torch.max(a), torch.min(a),
                      torch.stack(torch.aminmax(a, dim=1)), torch.cummax(a, 1)[0], torch.median(a, 1)[0], torch.nanmedian(a, 0)[0]]
    return found


def places_in_sorted(x: Tensor, t: Tensor) -> List[Tensor]:
    found: List[Tensor] = []
    for kind in [torch.int64, torch.float64, torch.float32, torch.int32]:
        edges = torch.tensor([-4, -1, 0, 0, 3, 3, 8]).to(kind)
        asked = (torch.arange(21) - 6).to(kind)
        for right in [False, True]:
            found += [torch.searchsorted(edges, asked, right=right), torch.bucketize(asked.reshape(3, 7).t(), edges, right=right),
                      torch.searchsorted(edges.expand(3, 7), asked.reshape(3, 7), right=right), torch.searchsorted(edges[:0], asked[:3], right=right),
                      torch.searchsorted(edges.flip(0), asked, right=right, sorter=torch.arange(6, -1, -1)), torch.searchsorted(edges[:1], asked, right=right)]
    odd = torch.tensor([float("nan"), 1.0, float("inf"), -float("inf")], dtype=torch.float64)
    return found + [torch.searchsorted(torch.tensor([-1.0, 1.0, 2.0], dtype=torch.float64), odd), torch.searchsorted(odd[3:], odd, right=True)]


def products_of_shapes(x: Tensor, t: Tensor) -> List[Tensor]:
    found: List[Tensor] = []
    for kind in [torch.float32, torch.float64, torch.int64]:
        a = (torch.arange(42).reshape(6, 7) % 11 - 5).to(kind)
        found += [a @ a.t(), a.t() @ a, a[:0] @ a.t(), a[:, :0] @ a.t()[:0], a[0] @ a.t(), a @ a[1], a[0] @ a[1], torch.addmm(a[:1, :6], a, a.t()),
                  torch.addmm(a[:, :1], a, a.t(), beta=2, alpha=3), torch.addmm(a[0, :6], a, a.t(), beta=0), torch.addmv(a[:, 0], a, a[1], beta=2, alpha=-1),
                  torch.baddbmm(a[:1, :6], a.reshape(2, 3, 7), a.reshape(2, 7, 3)[:, :, [0, 1, 2, 0, 1, 2]], alpha=2), a.reshape(2, 3, 7) @ a.reshape(2, 7, 3),
                  torch.addbmm(a[:3, :3], a.reshape(2, 3, 7), a.reshape(2, 7, 3)), torch.addr(a[:, :6], a[:, 0], a[:, 1], beta=2, alpha=3)]
    return [y.to(torch.float64) for y in found]


def equations(x: Tensor, t: Tensor) -> List[Tensor]:
    a, b = x.reshape(2, 3, 4), x.reshape(3, 2, 4)
    return [torch.einsum("ABc,Bdc->Ad", a, b), torch.einsum("Z...,Z...->...Z", a, a), torch.einsum("aab->ba", x.reshape(2, 12)[:, :8].reshape(2, 2, 4)),
            torch.einsum("ij,ij->", x, x), torch.einsum("...i,...i", x, x), torch.einsum("i,j,k->kji", x[0], x[1, :2], x[2, :3]), torch.einsum("Ab->bA", x),
            torch.einsum("ab,b,a->ab", x, x[0], x[:, 0]), torch.einsum("abc,cb->a", a, a[0].t())]


def windows_beside(x: Tensor, t: Tensor) -> List[Tensor]:
    found: List[Tensor] = []
    image = torch.sin(torch.arange(2 * 4 * 5 * 6) * 0.7).reshape(2, 4, 5, 6)
    for kind in [torch.float32, torch.float64]:
        a = image.to(kind)
        w = torch.cos(torch.arange(4 * 2 * 3 * 3).to(kind) * 0.3).reshape(4, 2, 3, 3)
        wide = torch.cos(torch.arange(3 * 4 * 5 * 7).to(kind) * 0.3).reshape(3, 4, 5, 7)
        found += [F.conv2d(a, w, None, [1, 2], [4, 5], [1, 3], 2), F.conv2d(a, wide, None, 1, [0, 1]), F.conv2d(a, wide[:, :, :, :1], None, 1, [4, 6]),
                  F.conv2d(a[:, :, :1, :1], w, w[:, 0, 0, 0], 1, 1, 1, 2), F.conv2d(a[:0], w, None, 1, 1, 1, 2), F.conv2d(a, w[:, :1], None, 3, 2, 1, 4),
                  F.conv_transpose2d(a, w, None, [2, 1], [1, 0], [1, 0], 1, [1, 2]), F.conv_transpose2d(a, w, None, 3, 1, 0, 2), F.conv_transpose2d(a[:0], w),
                  F.conv1d(a[:, :, 0], w[:, :, 0], None, 2, 9, 4, 2), F.conv3d(a[:1].reshape(1, 2, 2, 5, 6), w.reshape(2, 2, 2, 3, 3), None, 1, [1, 0, 2]),
                  F.unfold(a, [2, 3], 2, [1, 4], [1, 2])]
    return found


def quantized_alike(x: Tensor, t: Tensor) -> List[bool]:
    scales, zeros = torch.tensor([0.1, 0.2, 0.3, 0.4]), torch.tensor([0, 1, 2, 3])
    a = torch.quantize_per_channel(x, scales, zeros, 0, torch.qint8)
    whole = torch.quantize_per_tensor(x, 0.1, 3, torch.qint8)
    other = torch._make_per_channel_quantized_tensor(a.int_repr(), scales * 2, zeros, 0)
    moved = torch._make_per_channel_quantized_tensor(a.int_repr(), scales, zeros + 1, 0)
    same = torch._make_per_tensor_quantized_tensor(whole.int_repr(), 0.2, 3)
    return [torch.equal(a, a.clone()), torch.equal(a, other), torch.equal(a, moved), torch.equal(whole, whole.clone()), torch.equal(whole, same)]


PROGRAMS = [one_degree_for_many, zeta_everywhere, eigenvalues_that_stall, elements_of_every_size, reduced_into_places, extremes_in_lines,
            places_in_sorted, products_of_shapes, equations, windows_beside, quantized_alike]

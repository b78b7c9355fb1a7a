"""Operators that came with PyTorch 2, or whose schemas it changed."""
from typing import List, Optional, Tuple

import torch
import torch.nn.functional as F


def rms_norms(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    w = torch.arange(6, dtype=torch.float32) * 0.3 - 0.5
    cube = x.reshape(4, 2, 3)
    return [torch.rms_norm(x, [6]), torch.rms_norm(x, [6], w), torch.rms_norm(x, [6], w, 0.1), torch.rms_norm(cube, [2, 3], w.reshape(2, 3)),
            torch.rms_norm(x.to(torch.float64), [6]), torch.rms_norm(x * 1e-4, [6]), torch.rms_norm(x.to(torch.bfloat16), [6]).to(torch.float32),
            torch.rms_norm(x.to(torch.float16), [6], w.to(torch.float16), 1e-5), torch.rms_norm(x[:0], [6])]


def batch_norms(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    images = x.reshape(2, 3, 2, 2)
    w, b = torch.tensor([0.5, 1.0, 2.0]), torch.tensor([0.1, -0.2, 0.3])
    mean, var = torch.tensor([0.2, 0.1, -0.1]), torch.tensor([1.5, 0.7, 1.1])
    a1, a2, a3 = torch.ops.aten._native_batch_norm_legit(images, w, b, True, 0.1, 1e-5)
    b1, b2, b3 = torch.ops.aten._native_batch_norm_legit(images, w, None, mean, var, True, 0.1, 1e-5)
    c1, c2, c3 = torch.ops.aten._native_batch_norm_legit(images, None, b, mean, var, False, 0.1, 1e-5)
    d1, d2, d3 = torch.ops.aten._native_batch_norm_legit_no_training(images, w, b, mean, var, 0.1, 1e-5)
    e1, e2, e3, e4, e5 = torch.ops.aten._native_batch_norm_legit_functional(images, w, b, mean, var, True, 0.1, 1e-5)
    f1, f2, f3, f4 = torch.ops.aten._batch_norm_with_update(images, w, b, mean, var, 0.1, 1e-5)
    g1, g2, g3, g4 = torch.ops.aten._batch_norm_no_update(images, w, b, mean, var, 0.1, 1e-5)
    h1, h2, h3, h4, h5, h6 = torch.ops.aten._batch_norm_with_update_functional(images, w, b, mean, var, 0.1, 1e-5)
    return [a1, a2, a3, b1, b2, b3, c1, d1, e1, e2, e3, e4, e5, f1, f2, f3, g1, h1, h2, h3, h5, h6, mean, var]


def several_dims(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    cube = x.reshape(2, 3, 4)
    narrow = x.reshape(1, 4, 1, 6, 1)
    signs = cube > -0.8
    bytes = (cube > 0.5).to(torch.uint8)
    moved = narrow.clone()
    moved.squeeze_([0, -1])
    return [torch.all(signs, [0, 2]), torch.all(signs, [-1, 1], keepdim=True), torch.any(cube > 1.2, [0, 2]), torch.any(bytes, [0, 1], True),
            torch.all(bytes, [1, 2]), torch.any(cube, [0, 1, 2]), torch.all(cube, [1]), torch.squeeze(narrow, [0, 2]), torch.squeeze(narrow, [1, -1, 0]),
            torch.squeeze(x, [0]), moved, torch.ops.aten.squeeze_copy(narrow, [4, 2]), torch.ops.aten._is_all_true(signs), torch.ops.aten._is_any_true(signs),
            torch.all(signs[0, 0, 0], [0])]


def squeezed_view(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    y = x.clone().reshape(1, 4, 1, 6)
    view = torch.squeeze(y, [0, 2])
    view[1, 2] = 9.0
    return y


def ranges(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a, b = torch.tensor(1.5), torch.tensor(4)
    return [torch.linspace(a, b, 5), torch.linspace(a, 3.0, 4), torch.linspace(2, b, 3, dtype=torch.float64), torch.logspace(a, b, 4),
            torch.logspace(a, 2.0, 3, 2.0), torch.logspace(0.5, b, 3)]


def places(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    rows = torch.tensor([3, 0, 2])
    y = torch.ops.aten._unsafe_index_put(x, [rows], x[:3] * 2, True)
    mask = torch.tensor([True, False, True])
    far: List[Optional[torch.Tensor]] = [torch.tensor([1, 9, 3]), torch.tensor([0, 4, 2])]
    return [torch.ops.aten._unsafe_index(x, [rows]), y, torch.ops.aten._unsafe_masked_index(x, mask, far, 7.0),
            torch.ops.aten._unsafe_masked_index_put_accumulate(x, mask, far, x[0, :3]),
            torch.nonzero_static(x > 0.5, size=3), torch.nonzero_static(x > 0.5, size=30, fill_value=-7), torch.nonzero_static(t, size=0),
            torch.ops.aten.masked_scatter_backward(x, x > 0, [4, 6])]


def layouts(x: torch.Tensor, t: torch.Tensor) -> Tuple[List[torch.Tensor], List[List[int]]]:
    a = torch.empty_permuted([2, 3, 4], [2, 0, 1])
    return ([torch.ops.aten._chunk_cat([x, x[:, :3], x.reshape(4, 3, 2)], 0, 3), torch.ops.aten._chunk_cat([x, x[:, :4]], 1, 4), torch.ops.aten._reshape_copy(x, [6, -1]), torch.ops.aten._lazy_clone(x)],
            [list(a.size()), list(a.stride()), list(torch.empty_permuted([3, 2], [0, 1], dtype=torch.int64).stride())])


def products(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = (torch.arange(24 * 32) * 37 % 255 - 127).to(torch.int8).reshape(24, 32)
    b = (torch.arange(32 * 16) * 91 % 255 - 127).to(torch.int8).reshape(32, 16)
    floats = torch.sin(torch.arange(4 * 32, dtype=torch.float32)).reshape(4, 32)
    return [torch._int_mm(a, b), torch.ops.aten._prelu_kernel(x, torch.full([4, 6], 0.2))]


def corrections(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a, b = torch.var_mean(x, [0], correction=0.5)
    c, d = torch.std_mean(x, [1], correction=2)
    return [torch.var(x, [0], correction=0.5), torch.std(x, [1], correction=1.5, keepdim=True), torch.var(x, correction=0), torch.std(x, correction=None), a, b, c, d]


def sequences(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    parts = [x[:2], x[:4], x[:1]]
    return [torch._C._nn.pad_sequence(parts, True, 0.5, "left"), torch._C._nn.pad_sequence(parts, False, -1.0, "right"),
            torch._C._nn.pad_sequence(parts, padding_side="left")]


def lists(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a, b = [x, x[0]], [x * 2, x[1]]
    w = torch.tensor(3.0)
    found = torch.ops.aten._foreach_add(a, w) + torch.ops.aten._foreach_mul(a, w) + torch.ops.aten._foreach_div(a, w) + torch.ops.aten._foreach_clamp_min(a, 0.1) + torch.ops.aten._foreach_clamp_max(a, b)
    found += torch.ops.aten._foreach_clamp_min(a, b) + torch.ops.aten._foreach_lerp(a, b, 0.25) + torch.ops.aten._foreach_lerp(a, b, a)
    found += torch.ops.aten._foreach_maximum(a, 0.3) + torch.ops.aten._foreach_minimum(a, 0.2) + torch.ops.aten._foreach_pow(a, 2)
    found += torch.ops.aten._foreach_rsqrt([x.abs(), x[0].abs()]) + torch.ops.aten._foreach_sign(a) + torch.ops.aten._foreach_max(a) + torch.ops.aten._foreach_pow([x.abs()], [x])
    c = [x.clone(), x[0].clone()]
    torch.ops.aten._foreach_add_(c, w)
    torch.ops.aten._foreach_mul_(c, w)
    torch.ops.aten._foreach_clamp_max_(c, 5.0)
    torch.ops.aten._foreach_lerp_(c, b, 0.5)
    torch.ops.aten._foreach_maximum_(c, -1.0)
    torch.ops.aten._foreach_sign_(found)
    d = [torch.zeros_like(x), torch.zeros_like(x[0])]
    torch.ops.aten._foreach_copy_(d, a)
    return found + c + d


def properties(x: torch.Tensor, t: torch.Tensor) -> Tuple[List[int], List[bool], str]:
    torch.ops.aten._assert_scalar(x.size(0) - 3, "size")
    torch.ops.aten.sym_constrain_range(x.size(0), min=2, max=5)
    torch.ops.aten._assert_async(torch.tensor(True), "never")
    torch.ops.aten._assert_tensor_metadata(x, [4, 6], dtype=torch.float32, device=x.device)
    return ([x.nbytes, t.nbytes, x.itemsize, t[:0].nbytes, x.t()[1:].nbytes], [x.is_xla, x.is_mtia, x.is_maia], str(torch.device("cuda", 1)))


def refused_norm(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.rms_norm(x, [5])


def refused_norm_weight(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.rms_norm(x, [6], x[0, :5])


def refused_dims(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.all(x, [0, -2])


def refused_dim(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.squeeze(x, [0, 2])


def refused_ends(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.linspace(x[0], 3.0, 4)


def refused_bytes(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch._int_mm(t.reshape(2, 2), t.reshape(2, 2))


def refused_side(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch._C._nn.pad_sequence([x, x], padding_side="top")


def choices(x: torch.Tensor, t: torch.Tensor):
    q = torch.ones([2, 3, 5, 8])
    k = torch.ones([2, 3, 7, 8])
    square = torch.ones([5, 5])
    f = torch.ops.aten._fused_sdp_choice
    return [f(q, q, q), f(q[0], q[0], q[0]), f(q, q, q, dropout_p=0.5), f(q, q, q, is_causal=True), f(q, k, k, scale=0.5), f(q, q, q[..., :4]),
            f(q.half(), q.half(), q.half()), f(q.double(), q.double(), q.double()), f(q, q.double(), q), f(q.long(), q.long(), q.long()),
            f(q[:, :, :0], q, q), f(q, k[:, :, :0], k[:, :, :0]), f(q, q[:1], q[:1]), f(q, q[:, :1], q[:, :1], enable_gqa=True),
            f(q.transpose(2, 3).contiguous().transpose(2, 3), q, q), f(q, q, q, square), f(q, q, q, square > 0), f(q, q, q, torch.ones([2, 1, 5, 5])),
            f(q, q, q, torch.ones([3, 5, 5])), f(q, q, q, torch.ones([5, 4])), f(q, q, q, torch.ones([5, 1]).expand([5, 5])),
            f(q, q, q, torch.ones([1, 1, 1, 5]))]


def sobol_sequences(x: torch.Tensor, t: torch.Tensor):
    state = (torch.arange(90).reshape(3, 30) * 7919 + 12345) * 65537 % 1073741824
    start = torch.tensor([5, 0, 1073741823])
    a, b = torch._sobol_engine_draw(start, 9, state, 3, 6, dtype=None)
    c, d = torch._sobol_engine_draw(b, 2, state, 3, 0, dtype=torch.float64)
    moved = torch._sobol_engine_ff_(start.clone(), 7, state, 3, 2)
    lower = (torch.arange(2700).reshape(3, 30, 30) * 31 % 7 % 2).tril()
    return [a, b, c, d, moved, torch._sobol_engine_scramble_(state, lower, 3), state]


def rows_of_several_lengths(x: torch.Tensor, t: torch.Tensor):
    values, offsets = torch.arange(12.).reshape(6, 2), torch.tensor([0, 2, 2, 6])
    padded = torch.ops.aten._jagged_to_padded_dense_forward(values, [offsets], [3], -1.0)
    dense = torch.arange(24.).reshape(3, 4, 2)
    return [padded, torch.ops.aten._jagged_to_padded_dense_forward(values[:, 0], [offsets], [5]),
            torch.ops.aten._padded_dense_to_jagged_forward(dense, [offsets]), torch.ops.aten._padded_dense_to_jagged_forward(dense, [offsets], 6)]


def compressed_indices(x: torch.Tensor, t: torch.Tensor):
    """Those of batches came with PyTorch 2."""
    rows, columns = torch.tensor([[0, 2, 2, 4], [0, 1, 3, 4]]), torch.tensor([[1, 3, 0, 2], [0, 1, 2, 3]])
    sorted_rows = torch.tensor([0, 0, 2, 3])
    return [torch._convert_indices_from_csr_to_coo(rows, columns), torch._convert_indices_from_csr_to_coo(rows[0], columns[0], transpose=True, out_int32=True),
            torch._convert_indices_from_csr_to_coo(rows, columns, transpose=True), torch._convert_indices_from_coo_to_csr(sorted_rows, 5),
            torch._convert_indices_from_coo_to_csr(sorted_rows.to(torch.int32), 4, out_int32=True), torch._convert_indices_from_coo_to_csr(sorted_rows[:0], 2),
            torch._convert_indices_from_csr_to_coo(rows[0, :2] * 0, columns[0, :0])]


def circles_without_a_batch(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    y = x.reshape(2, 3, 4)
    return [torch.ops.aten.pad(y, [1, 2, 1, 0], "circular"), torch.ops.aten.pad(x, [2, 1], "circular"), torch.ops.aten.pad(y.unsqueeze(0), [1, 1, 0, 1, 1, 0], "circular")]


def printed(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    torch._print("one line")
    return x


def refused_rows(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch._convert_indices_from_coo_to_csr(torch.zeros([2, 2], dtype=torch.long), 5)


def refused_layout(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.empty_permuted([2, 3], [0, 0])


def refused_chunks(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.ops.aten._chunk_cat([x, x[0]], 1, 2)


def lists_into(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Overloads that take a number as it is come before those that make a list of it."""
    found: List[torch.Tensor] = []
    given = [x, x[0], x[1, :3]]
    for n in range(4):
        # Equal ones become one in PyTorch.
        made = [torch.full([4, 6], float(n)), torch.full([6], n + 0.5), torch.full([3], n + 0.25)]
        if n == 0:
            torch._foreach_clamp_max(given, 1, out=made)
        elif n == 1:
            torch._foreach_maximum(given, 0.5, out=made)
        elif n == 2:
            torch._foreach_add(given, torch.tensor(2.0), alpha=2, out=made)
        else:
            torch._foreach_pow(given, 2, out=made)
        found += made + torch._foreach_mul(given, torch.tensor(0.5)) + torch._foreach_lerp(given, made, 0.25)
    return found


def answers_into(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Over several dimensions; destinations are of bools or bytes, whatever is asked."""
    found: List[torch.Tensor] = []
    for given in [x > 0, (x > 0).to(torch.uint8) * 3, x]:
        for dtype in [torch.bool, torch.uint8]:
            found.append(torch.any(given, [0, 1], out=torch.zeros([], dtype=dtype)))
            found.append(torch.all(given, [-1], True, out=torch.zeros([0], dtype=dtype)))
            found.append(torch.all(given, None, out=torch.zeros([], dtype=dtype)))
    return found


def refused_answer(x: torch.Tensor, t: torch.Tensor):
    return torch.all(x, [0, 1], out=torch.zeros([], dtype=torch.int8))


def laid_by_columns(x: torch.Tensor, t: torch.Tensor):
    """What programs of core ATen view as PyTorch lays it."""
    made: List[List[int]] = []
    views: List[torch.Tensor] = []
    for a, b in ((x[:, :4] + 5 * torch.eye(4), x), (x.view(2, 3, 4)[:, :, :3] + 5 * torch.eye(3), x.view(2, 3, 4))):
        X, LU, pivots, info = torch._linalg_solve_ex(a, b)
        Y, of_right, pivots, info = torch._linalg_solve_ex(a, b.transpose(-1, -2), left=False)
        one, of_one, pivots, info = torch._linalg_solve_ex(a, b[..., 0].contiguous())
        u, s, v = torch._linalg_svd(b, True, True)
        values, vectors = torch._linalg_eigh(a @ a.transpose(-1, -2))
        det, of_det, pivots = torch._linalg_det(a)
        sign, size, of_size, pivots = torch._linalg_slogdet(a)
        for y in [X, LU, Y, of_right, one, of_one, u, v, vectors, of_det, of_size]:
            made.append(y.stride())
        views += [X.transpose(-1, -2).view(-1, 2), LU.transpose(-1, -2).view(-1)]
    return made, views


PROGRAMS = [laid_by_columns, answers_into, lists_into, rms_norms, batch_norms, several_dims, squeezed_view, ranges, places, layouts, products, corrections, sequences, lists, properties,
            choices, sobol_sequences, rows_of_several_lengths, compressed_indices, circles_without_a_batch, printed]
FAILURES = {refused_answer: "all only supports bool tensor for result, got: Char", refused_norm: "Given normalized_shape=[5]",
            refused_norm_weight: "Expected weight to be of same shape", refused_dims: "appears multiple times in the list of dims",
            refused_dim: "Dimension out of range", refused_ends: "only supports 0-dimensional start and end", refused_bytes: "dtype int8",
            refused_rows: "supposed to be a vector, but got 2 dimensional",
            refused_side: "padding_side to be one of left or right", refused_layout: "appears multiple times",
            refused_chunks: "expects dim < ndim"}

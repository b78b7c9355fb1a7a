"""Scaled dot product attention, an operator of PyTorch 2."""
from typing import List, Optional, Tuple

import torch
import torch.nn.functional as F


def wave(sizes: List[int], step: float) -> torch.Tensor:
    """Numbers in [-1, 1] that do not repeat."""
    count = 1
    for s in sizes:
        count *= s
    return torch.sin(torch.arange(count, dtype=torch.float64) * step).to(torch.float32).reshape(sizes)


def plain(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    q, k, v = wave([2, 3, 5, 8], 1.3), wave([2, 3, 7, 8], 0.7), wave([2, 3, 7, 8], 2.1)
    return [F.scaled_dot_product_attention(q, k, v), F.scaled_dot_product_attention(q, k, v, scale=0.5),
            F.scaled_dot_product_attention(q, k, v, scale=-2.0), F.scaled_dot_product_attention(q, k, v, scale=0.0),
            F.scaled_dot_product_attention(q, k, v[:, :, :, :5]), F.scaled_dot_product_attention(q[0], k[0], v[0]),
            F.scaled_dot_product_attention(q[0, 0], k[0, 0], v[0, 0]), F.scaled_dot_product_attention(q[None], k[None], v[None]),
            F.scaled_dot_product_attention(q, k[:1], v[:1]), F.scaled_dot_product_attention(q[:, :, :1], k, v),
            F.scaled_dot_product_attention(q, k[:, :1], v), F.scaled_dot_product_attention(x, x, x)]


def dtypes(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    q, k, v = wave([1, 2, 5, 8], 1.3), wave([1, 2, 7, 8], 0.7), wave([1, 2, 7, 8], 2.1)
    mask = wave([5, 7], 0.9)
    return [F.scaled_dot_product_attention(q.to(torch.float64), k.to(torch.float64), v.to(torch.float64), mask.to(torch.float64)),
            F.scaled_dot_product_attention(q.to(torch.float64), k.to(torch.float64), v.to(torch.float64), mask > 0, is_causal=False),
            F.scaled_dot_product_attention(q.to(torch.float64), k.to(torch.float64), v.to(torch.float64), is_causal=True),
            F.scaled_dot_product_attention(q, k, v, mask > 0)]


def halves(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Whether they are near the results in float: PyTorch rounds in between."""
    q, k, v = wave([1, 2, 5, 8], 1.3), wave([1, 2, 7, 8], 0.7), wave([1, 2, 7, 8], 2.1)
    mask = wave([5, 7], 0.9)
    found: List[torch.Tensor] = []
    for dtype in [torch.bfloat16, torch.float16]:
        a, b, c = q.to(dtype), k.to(dtype), v.to(dtype)
        for made, wanted in [(F.scaled_dot_product_attention(a, b, c), F.scaled_dot_product_attention(q, k, v)),
                             (F.scaled_dot_product_attention(a, b, c, mask), F.scaled_dot_product_attention(q, k, v, mask)),
                             (F.scaled_dot_product_attention(a[0], b[0], c[0], mask.to(dtype)), F.scaled_dot_product_attention(q[0], k[0], v[0], mask)),
                             (F.scaled_dot_product_attention(a, b, c, mask > 0, 0.0, True), F.scaled_dot_product_attention(q, k, v, mask > 0, 0.0, True))]:
            found += [(made.to(torch.float32) - wanted).abs() < 0.02, torch.zeros(1, dtype=made.dtype)]
    return found


def causal(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    q, k, v = wave([1, 2, 6, 4], 1.3), wave([1, 2, 9, 4], 0.7), wave([1, 2, 9, 4], 2.1)
    return [F.scaled_dot_product_attention(q, k, v, is_causal=True), F.scaled_dot_product_attention(k, q, q, is_causal=True),
            F.scaled_dot_product_attention(k, k, v, is_causal=True), F.scaled_dot_product_attention(q[0], k[0], v[0], is_causal=True),
            F.scaled_dot_product_attention(q[:, :, :1], k, v, is_causal=True),
            F.scaled_dot_product_attention(q, k, v, wave([6, 9], 0.3), is_causal=True)]


def masks(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    q, k, v = wave([2, 3, 5, 8], 1.3), wave([2, 3, 7, 8], 0.7), wave([2, 3, 7, 8], 2.1)
    found: List[torch.Tensor] = []
    for m in [wave([5, 7], 0.5), wave([1, 7], 0.5), wave([2, 1, 1, 7], 0.5), wave([2, 3, 5, 7], 0.5), wave([3, 5, 7], 0.5), wave([2, 1, 5, 1], 0.5),
              wave([7, 5], 0.5).t()]:
        found.append(F.scaled_dot_product_attention(q, k, v, m))
        found.append(F.scaled_dot_product_attention(q, k, v, m > -0.3))
    none = torch.ones(5, 7, dtype=torch.bool)
    none[2] = False
    odd = torch.zeros(5, 7)
    odd[0] = -1e38
    odd[1, 2] = float("inf")
    odd[3, 1] = float("nan")
    odd[4, 1:] = float("-inf")
    flat = [F.scaled_dot_product_attention(q[0], k[0], v[0], wave([7], 0.5)), F.scaled_dot_product_attention(q[0, 0], k[0, 0], v[0, 0], wave([], 0.5))]
    return found + flat + [F.scaled_dot_product_attention(q, k, v, none), F.scaled_dot_product_attention(q[0], k[0], v[0], none),
                    torch.nan_to_num(F.scaled_dot_product_attention(q, k, v, odd), 9.0)]


def groups(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    q, k, v = wave([2, 6, 5, 8], 1.3), wave([2, 3, 7, 8], 0.7), wave([2, 3, 7, 8], 2.1)
    return [F.scaled_dot_product_attention(q, k, v, enable_gqa=True), F.scaled_dot_product_attention(q, k[:, :1], v[:, :1], enable_gqa=True),
            F.scaled_dot_product_attention(q[:, :, :1], k, v, enable_gqa=True), F.scaled_dot_product_attention(q, k, v[:, :2], enable_gqa=True),
            F.scaled_dot_product_attention(q[:, :, :1], k, v, wave([2, 6, 1, 7], 0.5), enable_gqa=True),
            F.scaled_dot_product_attention(q[0], k[0], v[0], wave([5, 1], 0.5), enable_gqa=True)]


def layouts(x: torch.Tensor, t: torch.Tensor) -> Tuple[List[torch.Tensor], List[List[int]]]:
    q, k, v = wave([2, 5, 3, 8], 1.3).transpose(1, 2), wave([2, 3, 8, 7], 0.7).transpose(2, 3), wave([2, 7, 3, 8], 2.1).transpose(1, 2)
    made = [F.scaled_dot_product_attention(q, v, v), F.scaled_dot_product_attention(q, k, v), F.scaled_dot_product_attention(q[0], k[0], v[0]),
            F.scaled_dot_product_attention(q[:, :, :, ::2], k[:, :, :, ::2], v[:, :, :, ::2]),
            F.scaled_dot_product_attention(q.flip([3]), k.expand(2, 3, 7, 8), v[:, :, 0:1].expand(2, 3, 7, 8))]
    return made, [list(made[0].stride()), list(made[1].stride()), list(made[2].stride())]


def sizes(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Around the sizes of strips, panels, blocks and chunks: sums of the results, and their greatest."""
    found: List[torch.Tensor] = []
    for n, s, e, f in [(1, 1, 1, 1), (3, 300, 16, 16), (13, 17, 7, 9), (1, 129, 64, 64), (25, 257, 33, 17), (600, 20, 4, 5), (4, 513, 16, 15)]:
        q, k, v = wave([1, 2, n, e], 1.3), wave([1, 2, s, e], 0.7), wave([1, 2, s, f], 2.1)
        for causal in [False, True]:
            made = F.scaled_dot_product_attention(q, k, v, None, 0.0, causal)
            made_half = F.scaled_dot_product_attention(q, k.transpose(2, 3).contiguous().transpose(2, 3), v, wave([n, s], 0.3) > -0.5)
            found += [made[0, :, -1], made_half[0, :, -1], made.mean([2]), made_half.mean([2])]
    return found


def empty(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    q, k = wave([2, 3, 5, 8], 1.3), wave([2, 3, 7, 8], 0.7)
    return [F.scaled_dot_product_attention(q, k[:, :, :0], k[:, :, :0]), F.scaled_dot_product_attention(q[:, :, :0], k, k),
            F.scaled_dot_product_attention(q[:, :, :, :0], k[:, :, :, :0], k), F.scaled_dot_product_attention(q[:0], k[:0], k[:0]),
            F.scaled_dot_product_attention(q, k, k[:, :, :, :0]), F.scaled_dot_product_attention(q, k[:, :, :0], k[:, :, :0], is_causal=True)]


def safe_softmax(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    y = x.masked_fill(x > 0, float("-inf"))
    y[1] = float("-inf")
    return [torch._safe_softmax(y, 1), torch._safe_softmax(y, 0), torch._safe_softmax(x, -1, dtype=torch.float64), torch._safe_softmax(y[:0], 1)]


def for_cpu(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    q, k, v = wave([2, 4, 5, 8], 1.3), wave([2, 2, 7, 8], 0.7), wave([2, 2, 7, 8], 2.1)
    mask = wave([5, 7], 0.5)
    mask[2] = float("-inf")
    a, b = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q[:, :2], k, v)
    c, d = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q[:, :2], k, v, 0.0, True, attn_mask=mask, scale=0.3)
    e, f = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q[:, :2].to(torch.float64), k.to(torch.float64), v.to(torch.float64))
    return [a, b, c, d, e, f]


def gradients_of(y: torch.Tensor, of: List[torch.Tensor]) -> List[torch.Tensor]:
    loss = (y * wave(y.size(), 0.4)).sum()
    found: List[torch.Tensor] = []
    for g in torch.autograd.grad([loss], of):
        assert g is not None
        found.append(g)
    return found


def gradients(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    q, k, v = wave([2, 3, 5, 8], 1.3).requires_grad_(), wave([2, 3, 7, 8], 0.7).requires_grad_(), wave([2, 3, 7, 8], 2.1).requires_grad_()
    mask = wave([5, 7], 0.5).requires_grad_()
    some = torch.ones(5, 7, dtype=torch.bool)
    some[2] = False
    return (gradients_of(F.scaled_dot_product_attention(q, k, v), [q, k, v]) +
            gradients_of(F.scaled_dot_product_attention(q, k, v, mask), [q, k, v, mask]) +
            gradients_of(F.scaled_dot_product_attention(q[0], k[0], v[0], some, scale=0.7), [q, k, v]) +
            gradients_of(F.scaled_dot_product_attention(q, k, v, is_causal=True), [q, k, v]) +
            gradients_of(F.scaled_dot_product_attention(q.repeat(1, 2, 1, 1), k, v, enable_gqa=True), [q, k, v]))


def no_dropout(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    """All weights are dropped."""
    return F.scaled_dot_product_attention(x, x, x, None, 1.0)


def refused_dims(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(x[0], x, x)


def refused_dtypes(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(x, x.to(torch.float64), x)


def refused_integers(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    y = x.to(torch.int64)
    return F.scaled_dot_product_attention(y, y, y)


def refused_mask_dtype(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(x, x, x, torch.zeros(4, 4, dtype=torch.int64))


def refused_mask_size(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(x, x, x, torch.zeros(3, 4))


def refused_large_mask(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(x, x, x, torch.zeros(2, 4, 4))


def refused_flat_mask(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    y = x.reshape(1, 1, 4, 6)
    return F.scaled_dot_product_attention(y, y, y, torch.zeros(4))


def spelled_out_halves(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Sums with a mask are rounded: rows that are masked whole by the least number are averages."""
    outs: List[torch.Tensor] = []
    for dtype, least in [(torch.float16, -65504.), (torch.bfloat16, -3.3895313892515355e38)]:
        q, k, v = [torch.sin(torch.arange(2 * n * 8) * 0.7 + n).reshape(2, n, 8).to(dtype) for n in [3, 6, 6]]
        mask = torch.zeros(2, 3, 6, dtype=dtype).masked_fill(torch.sin(torch.arange(36) * 0.9).reshape(2, 3, 6) > 0.3, least)
        mask[0, 1] = least
        outs.append(torch.matmul((torch.matmul(q, k.transpose(1, 2)) * 2.5).softmax(-1), v))
        outs.append(torch.matmul((torch.matmul(q, k.transpose(1, 2)) * 2.5 + mask).softmax(-1), v))
        outs.append(torch.matmul(F.softmax(torch.matmul(q, k.transpose(1, 2)) / 0.7 + mask, -1, dtype=torch.float32).to(q.dtype), v))
        outs.append(torch.matmul((torch.matmul(q, k.transpose(1, 2)) + mask).float().softmax(-1).type_as(q), v))
        outs.append(torch.matmul(torch.matmul(q, k.transpose(1, 2)).masked_fill(mask < 0, least).softmax(-1), v))
        outs.append(torch.einsum("bij,bjd->bid", (torch.einsum("bid,bjd->bij", q, k) + mask).softmax(-1), v))
    return outs


def refused_fill(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    y = x.half()
    return torch.matmul(torch.matmul(y, y.transpose(0, 1)).masked_fill(torch.matmul(y, y.transpose(0, 1)) > 0, -1e9).softmax(-1), y)


def refused_causal_mask(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(x, x, x, torch.zeros(4, 4), is_causal=True)


def refused_features(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(x, x[:, :5], x)


def refused_keys(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(x, x, x[:3])


def refused_batches(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    y = x.reshape(4, 2, 3)
    return F.scaled_dot_product_attention(y, y[:3], y[:3])


def refused_groups(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    y = x.reshape(4, 2, 3)
    return F.scaled_dot_product_attention(y, y[:3], y[:3], enable_gqa=True)


def refused_groups_of_matrices(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(x, x, x, enable_gqa=True)


def refused_dropout(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(x, x, x, None, 1.5)


PROGRAMS = [plain, dtypes, halves, causal, masks, groups, layouts, sizes, empty, safe_softmax, for_cpu, gradients, no_dropout, spelled_out_halves]
FAILURES = {refused_dims: "to all be  at least 2 dimensional", refused_dtypes: "to have the same dtype",
            refused_integers: "not implemented for 'int64'", refused_mask_dtype: "Expected attn_mask dtype to be bool or float",
            refused_mask_size: "must match the size of tensor b (3)", refused_large_mask: "the mask is larger than the scores",
            refused_flat_mask: "Dimension out of range", refused_causal_mask: "should not be set when is_causal=True",
            refused_features: "do not fit", refused_keys: "do not fit", refused_batches: "must match the size of tensor b (3)",
            refused_groups: "Number of heads in key and value must divide", refused_groups_of_matrices: "Dimension out of range",
            refused_dropout: "between 0 and 1, but got 1.5", refused_fill: "type at::Half without overflow"}

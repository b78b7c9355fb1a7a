"""Attention that programs spell out: what tsmc makes one operator of, and what it must leave. Also with sizes beyond
one block of keys. Queries are multiplied by different numbers, or equal products would become one with several uses."""
import math
from typing import List, Optional, Tuple

import torch
import torch.nn.functional as F


def numbers(shape: List[int], step: float) -> torch.Tensor:
    """The same everywhere, between -2 and 2."""
    count = 1
    for size in shape:
        count *= size
    return (torch.sin(torch.arange(count) * step) * 2).reshape(shape)


def heads(queries: int, keys: int) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    return numbers([2, 3, queries, 5], 0.7), numbers([2, 3, keys, 5], 1.3), numbers([2, 3, keys, 6], 2.1)


def scales(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    q, k, v = heads(4, 7)
    root = math.sqrt(q.size(-1))
    return [torch.softmax(q * 1.1 @ k.transpose(-2, -1) / root, -1) @ v,
            torch.softmax(q * 1.2 @ k.transpose(-2, -1) * 0.4, dim=3) @ v,
            torch.softmax((q / root) @ k.transpose(-2, -1), -1) @ v,
            F.softmax(torch.matmul(q, (k * 0.3).permute(0, 1, 3, 2)), dim=-1, dtype=torch.float32).type_as(q) @ v,
            F.softmax((q @ k.transpose(-2, -1)).float() * (1 / root) * 2 / q.size(-1), -1).to(torch.float32) @ v,
            F.dropout(F.softmax(2.0 * (q @ k.mT), -1), 0.5, False) @ v,
            torch.softmax(q[0, 0] @ k[0, 0].t(), -1) @ v[0, 0],
            torch.softmax(q * 1.3 @ k.transpose(-2, -1) * 0.0, -1) @ v]


def products_of_batches(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    q, k, v = heads(4, 7)
    q, k, v = q.flatten(0, 1), k.flatten(0, 1), v.flatten(0, 1)
    mask = numbers([6, 4, 7], 0.9)
    return [torch.bmm(torch.softmax(torch.bmm(q, k.transpose(1, 2)), -1), v),
            torch.bmm(F.softmax(torch.baddbmm(mask, q, k.transpose(1, 2)), 2), v),
            torch.bmm(F.softmax(torch.baddbmm(mask[:1], q, k.transpose(1, 2), beta=-2, alpha=0.5), -1), v)]


def masks_added(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    q, k, v = heads(4, 7)
    scores = q @ k.transpose(-2, -1)
    full = numbers([2, 3, 4, 7], 0.9)
    outs = [torch.softmax(scores + full, -1) @ v, torch.softmax(full - scores, -1) @ v]
    outs.append(torch.softmax(q * 1.01 @ k.transpose(-2, -1) / 2 + full, -1) @ v)
    outs.append(torch.softmax(full[:, :1] + q * 1.02 @ k.transpose(-2, -1) / 2, -1) @ v)
    outs.append(torch.softmax((q * 1.03 @ k.transpose(-2, -1) + full[:1, :, :1]) / 2, -1) @ v)
    outs.append(torch.softmax(q * 1.04 @ k.transpose(-2, -1) - full[0, 0], -1) @ v)
    outs.append(torch.softmax(torch.add(q * 1.05 @ k.transpose(-2, -1), full[0, 0, 0], alpha=3), -1) @ v)
    outs.append(torch.softmax(q * 1.06 @ k.transpose(-2, -1) + full.double(), -1) @ v.double())
    outs.append(torch.softmax(q * 1.07 @ k.transpose(-2, -1) + (full > 0), -1) @ v)
    outs.append(torch.softmax(q[:, :1] @ k[:, :1].transpose(-2, -1) + full, -1) @ v)
    first = torch.arange(4).reshape(4, 1) == 0
    hidden = torch.where(torch.logical_or(first, full < 1), -math.inf, 0.0)
    outs.append(torch.softmax(q * 1.08 @ k.transpose(-2, -1) + hidden, -1) @ v)
    hidden = torch.where(torch.logical_or(first, full < 1), -1e9, 0.0)
    outs.append(torch.softmax(q * 1.09 @ k.transpose(-2, -1) + hidden, -1) @ v)
    return outs


def masks_filled(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    q, k, v = heads(4, 7)
    mask = torch.logical_or(numbers([2, 1, 4, 7], 0.9) > 0.5, torch.arange(4).reshape(4, 1) == 1)
    whole = torch.zeros(2, 1, 1, 7)
    added = numbers([7], 1.9)
    some = torch.arange(28).reshape(4, 7) % 7 > 2
    outs: List[torch.Tensor] = []
    for value in [-1e4, -1e9, -3.4028234663852886e+38, 0.5, -math.inf]:
        outs.append(torch.softmax((q * 1.10 @ k.transpose(-2, -1) / 3).masked_fill(mask, value), -1) @ v)
        outs.append(torch.softmax((q * 1.11 @ k.transpose(-2, -1)).masked_fill(whole == 0, value) / 3, -1) @ v)
        outs.append(torch.softmax((q * 1.12 @ k.transpose(-2, -1) / 3).masked_fill(~mask, value) + added, -1) @ v)
        outs.append(torch.softmax((q * 1.13 @ k.transpose(-2, -1) / 3 + added).masked_fill(some, value), -1) @ v)
        outs.append(torch.softmax(torch.where(mask, q * 1.14 @ k.transpose(-2, -1), value), -1) @ v)
        outs.append(torch.softmax(torch.where(mask, torch.full([], value), q * 1.15 @ k.transpose(-2, -1)) * 0.5, -1) @ v)
    outs.append(torch.softmax((q * 1.16 @ k.transpose(-2, -1)).masked_fill(mask == 0, torch.tensor(-5.0)), -1) @ v)
    return outs


def many_keys(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    q, k, v = numbers([1, 2, 3, 8], 0.7), numbers([1, 2, 600, 8], 1.3), numbers([1, 2, 600, 4], 2.1)
    mask = numbers([600], 0.1) > 0
    late = torch.arange(600) < 300
    bias = numbers([2, 3, 600], 0.3)
    all_hidden = torch.ones(3, 600, dtype=torch.bool)
    return [torch.softmax((q @ k.transpose(-2, -1)).masked_fill(mask, -math.inf), -1) @ v,
            torch.softmax((q * 1.1 @ k.transpose(-2, -1)).masked_fill(late, -1e9) + bias, -1) @ v,
            torch.softmax((q * 1.2 @ k.transpose(-2, -1) * 0.2).masked_fill(all_hidden, -1e9), -1) @ v,
            torch.softmax((q[:, :, :1] @ k.transpose(-2, -1)).masked_fill(late, -1e4), -1) @ v,
            torch.softmax(numbers([2, 40, 8], 0.7) @ k[0, :, :130].mT * 0.3, -1) @ v[0, :, :130, :1],
            torch.softmax((k @ k.transpose(-2, -1) + bias[0, :1]) / 9, -1)[:, :, :4] @ v]


def in_place(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    q, k, v = heads(4, 7)
    hidden = numbers([4, 7], 0.9) > 1
    scores = torch.matmul(q, k.transpose(-2, -1))
    scores /= math.sqrt(5)
    scores.masked_fill_(hidden, -math.inf)
    return torch.matmul(scores.softmax(-1), v)


def in_place_otherwise(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    q, k, v = heads(4, 7)
    scores = torch.matmul(q, k.transpose(-2, -1))
    kept = scores.mul_(0.5)
    scores += numbers([4, 1], 0.9)
    kept -= numbers([7], 0.9)
    late = torch.matmul(q, k.transpose(-2, -1))
    weights = late.add_(1.0).add_(numbers([4, 7], 0.3)).softmax(-1)
    late.zero_()
    early = torch.matmul(q, k.transpose(-2, -1))
    same = early.to(torch.float32)
    early *= 3
    return [scores.softmax(-1) @ v, weights @ v, late, same.softmax(-1) @ v]


def weights_wanted(x: torch.Tensor, t: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    q, k, v = heads(4, 7)
    weights = torch.softmax(q @ k.transpose(-2, -1), -1)
    return weights @ v, weights


def keys_change(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    q, k, v = heads(4, 7)
    weights = torch.softmax(q @ k.transpose(-2, -1), -1)
    k.zero_()
    v += k[:, :, :, :1]
    return weights @ v


def no_keys(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    q, k, v = heads(4, 7)
    nothing = torch.softmax(q @ k[:, :, :0].transpose(-2, -1), -1) @ v[:, :, :0]
    return [nothing, torch.softmax(q[:, :, :, :0] @ k[:, :, :, :0].transpose(-2, -1), -1) @ v,
            torch.softmax(q[:, :, :0] @ k.transpose(-2, -1), -1) @ v, torch.softmax(q @ k.transpose(-2, -1), -1) @ v[:, :, :, :0]]


def others(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    q, k, v = heads(4, 7)
    places = torch.arange(120).reshape(2, 3, 4, 5)
    nan = torch.where(places == 0, math.nan, torch.where(places == 60, math.inf, q))
    return [torch.softmax(q.double() @ k.double().transpose(-2, -1), -1) @ v.double(),
            torch.softmax(q @ k.transpose(-2, -1), 1) @ v, torch.softmax(q @ k.transpose(-2, -1), 2) @ v,
            torch.softmax(q @ k[0, 0].t(), -1) @ v[0, 0], torch.softmax(q[0, 0] @ k.transpose(-2, -1), -1) @ v[:, :1],
            torch.softmax(q[:1] @ k[:1].transpose(-2, -1), -1) @ v, torch.softmax(q[:, :1] @ k.transpose(-2, -1), -1) @ v,
            torch.softmax(nan @ k.transpose(-2, -1), -1) @ v, torch.softmax(q.transpose(2, 3) @ v.new_ones(2, 3, 4, 2), -1) @ q[:, :, :2]]


def native_heads(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    q, w, b = numbers([2, 5, 6], 0.7), numbers([18, 6], 1.1), numbers([18], 0.5)
    p, c = numbers([6, 6], 1.7), numbers([6], 0.9)
    padding = numbers([2, 5], 0.9) > 1
    outs = [torch._native_multi_head_attention(q, q, q, 6, 2, w, b, p, c, None, False)[0]]
    for wanted in [False, True]:
        outs.append(torch._native_multi_head_attention(q, q, q, 6, 2, w, b, p, c, padding, wanted, True, 1)[0])
    return outs


def heads_forward(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    q, k, w, b = numbers([3, 2, 6], 0.7), numbers([9, 2, 6], 0.4), numbers([18, 6], 1.1), numbers([18], 0.5)
    p, c = numbers([6, 6], 1.7), numbers([6], 0.9)
    padding, mask, hidden = numbers([2, 9], 0.9) > 1, numbers([3, 9], 0.9), numbers([4, 3, 9], 0.6) > 1
    outs: List[torch.Tensor] = []
    for wanted in [False, True]:
        outs.append(F.multi_head_attention_forward(q, k, k, 6, 2, w, b, None, None, False, 0.0, p, c, False, padding, wanted)[0])
        outs.append(F.multi_head_attention_forward(q, k, k, 6, 2, w, b, None, None, False, 0.0, p, c, False, None, wanted, mask)[0])
        outs.append(F.multi_head_attention_forward(q, k, k, 6, 2, w, b, None, None, False, 0.0, p, c, False, padding, wanted, hidden)[0])
    y, _ = F.multi_head_attention_forward(q, k, k, 6, 2, w, b, None, None, False, 0.0, p, c, False)
    return outs + [y]


def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: Optional[torch.Tensor]) -> Tuple[torch.Tensor, torch.Tensor]:
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    weights = F.softmax(scores, dim=-1)
    return torch.matmul(weights, v), weights


def optional_masks(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    q, k, v = heads(4, 7)
    mask = (numbers([2, 1, 4, 7], 0.9) > 0).to(torch.int64)
    given: Optional[torch.Tensor] = mask if t[0] > 1 else None
    missing: Optional[torch.Tensor] = mask if t[0] > 2 else None
    return [attend(q, k, v, given)[0], attend(q * 0.9, k, v, missing)[0]]


def other_batches(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    q, k, v = heads(4, 7)
    return torch.bmm(torch.softmax(torch.bmm(q[0, :1], k[0].transpose(1, 2)), -1), v[0])


def masks_too_large(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    q, k, v = heads(4, 7)
    return torch.softmax(q @ k.transpose(-2, -1) + numbers([2, 5, 4, 7], 1.0), -1) @ v


def sines(first: float, rows: int, columns: int) -> torch.Tensor:
    return torch.sin(torch.arange(rows * columns) * 0.37 + first).reshape(rows, columns) * 0.3


def decoder_layer(x: torch.Tensor, gelu: bool, norm_first: bool, mask: Optional[torch.Tensor], k: Optional[torch.Tensor],
                  v: Optional[torch.Tensor]) -> List[torch.Tensor]:
    ones = [sines(float(n), 8, 1)[:, 0] for n in range(6)]
    return list(torch._transformer_decoder_only_layer_fwd(x, 8, 2, sines(1.0, 24, 8), sines(2.0, 24, 1)[:, 0], sines(3.0, 8, 8), ones[0], gelu, norm_first, 1e-5,
                                                          ones[1] + 1, ones[2], ones[3] + 1, ones[4], sines(4.0, 12, 8), sines(5.0, 12, 1)[:, 0], sines(6.0, 8, 12), ones[5], mask, k, v))


def decoder_attention(query: torch.Tensor, heads: int, weights: bool, average: bool) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    return torch._native_decoder_only_multi_head_attention(query, query, query, 8, heads, sines(1.0, 24, 8), sines(2.0, 24, 1)[:, 0], sines(3.0, 8, 8), sines(4.0, 8, 1)[:, 0],
                                                           None, None, None, weights, average)


def decoder_layers(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    src, before = numbers([2, 3, 8], 0.7), numbers([2, 2, 4, 4], 0.9)
    made = decoder_layer(src, False, False, None, None, None) + decoder_layer(src[:, :1], True, False, None, before, before * 2)
    return made + list(decoder_attention(src, 2, True, True)) + list(decoder_attention(src, 2, True, False))


def wrong_decoders(x: torch.Tensor, t: torch.Tensor, case: int) -> torch.Tensor:
    src = numbers([2, 3, 8], 0.7)
    if case == 0:
        return decoder_layer(src, False, True, None, None, None)[0]
    if case == 1:
        return decoder_layer(src, False, False, torch.zeros([2, 3], dtype=torch.bool), None, None)[0]
    if case == 2:
        return decoder_attention(src[0], 2, True, True)[0]
    if case == 3:
        return decoder_attention(src[:, :, :6], 2, True, True)[0]
    return decoder_attention(src, 3, True, True)[0]


PROGRAMS = [scales, products_of_batches, masks_added, masks_filled, many_keys, in_place, in_place_otherwise, weights_wanted, keys_change, no_keys, others, native_heads, heads_forward,
            optional_masks, decoder_layers]
FAILURES = {other_batches: "Expected size for first two dimensions of batch2 tensor to be: [1, 5] but got: [3, 5].",
            masks_too_large: "The size of tensor a (3) must match the size of tensor b (5) at non-singleton dimension 1"}
FAULTS = {
    wrong_decoders: ["norm_first is not supported yet", "src_mask not currently supported on CPU", "expected 3-D `query`, got 2-D tensor",
        "passed-in embed_dim 8 didn't match last dim of query 6", "`embed_dim` must divide evenly by `num_heads`"],
}

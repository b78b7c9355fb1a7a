"""Attention that programs spell out with products of three dimensions and masks of four: views stand between them."""
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
    """Of batches of 2 with 3 heads."""
    return numbers([6, queries, 5], 0.7), numbers([6, keys, 5], 1.3), numbers([6, keys, 6], 2.1)


def encoder(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: Optional[torch.Tensor], hidden: Optional[torch.Tensor], n: int) -> torch.Tensor:
    weights = torch.bmm(q, k.transpose(1, 2))
    tokens, keys = q.size(1), k.size(1)
    if mask is not None:
        weights = weights.view(q.size(0) // n, n, tokens, keys) + mask
        weights = weights.view(-1, tokens, keys)
    if hidden is not None:
        weights = weights.view(q.size(0) // n, n, tokens, keys).masked_fill(hidden, -1e9).view(q.size(0), tokens, keys)
    return torch.bmm(F.dropout(F.softmax(weights, dim=-1), 0.1, False), v)


def encoders(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    outs: List[torch.Tensor] = []
    for queries, keys in [(4, 7), (2, 9), (3, 130)]:
        q, k, v = heads(queries, keys)
        mask = numbers([2, 1, queries, keys], 0.9)
        outs += [encoder(q, k, v, None, None, 3), encoder(q, k, v, mask, None, 3), encoder(q, k, v, None, mask > 0, 3), encoder(q, k, v, mask, mask < 0, 3),
                 encoder(q, k, v, mask[:1], None, 2), encoder(q, k, v, None, mask[0, 0] > 0, 6)]
    return outs


def weights_of_four(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    q, k, v = heads(4, 7)
    mask, each = numbers([2, 1, 4, 7], 0.9), numbers([6, 1, 7], 0.6)
    outs = [torch.bmm((torch.bmm(q, k.mT).view(2, 3, 4, 7) * 0.3 + mask).softmax(3).view(6, 4, 7), v)]
    outs.append(torch.bmm((torch.bmm(q, k.mT).reshape([2, 3, 4, 7]) + mask).softmax(-1).expand(2, 3, 4, 7).reshape(-1, 4, 7), v))
    outs.append(torch.bmm(torch.baddbmm(each, q, k.mT).view(2, 3, 4, 7).softmax(-1).view(6, 4, 7), v))
    outs.append(torch.bmm(torch.softmax(torch.bmm(q, k.mT).view(2, 3, 4, 7).to(torch.float32).view(6, 4, 7), 2), v))
    return outs


def other_views(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """What is no attention with heads: sizes that mean something else, another dimension, two kinds of masks."""
    q, k, v = heads(4, 4)
    mask, each = numbers([2, 1, 4, 4], 0.9), numbers([6, 1, 4], 0.6)
    scores = torch.bmm(q, k.mT)
    outs = [torch.bmm((torch.bmm(q, k.mT).view(2, 3, 2, 8) + numbers([8], 0.3)).softmax(-1).view(6, 4, 4), v)]
    outs.append(torch.bmm((torch.bmm(q, k.mT).view(2, 3, 4, 4) + mask).softmax(2).view(6, 4, 4), v))
    outs.append(torch.bmm(torch.softmax((torch.bmm(q, k.mT).view(3, 2, 4, 4) + mask[:1]).view(2, 3, 4, 4) + mask, -1).view(6, 4, 4), v))
    outs.append(torch.bmm(torch.softmax((torch.baddbmm(each, q, k.mT).view(2, 3, 4, 4) + mask).view(6, 4, 4), -1), v))
    outs.append(torch.bmm((scores.view(2, 3, 4, 4) + mask).softmax(-1).view(6, 4, 4), v) + scores.sum())
    sizes = [2, 3, 4]
    sizes.append(4)
    outs.append(torch.bmm((torch.bmm(q, k.mT).view(sizes) + mask).softmax(-1).view(6, 4, 4), v))
    return outs


def views_that_fail(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    q, k, v = heads(4, 7)
    return encoder(q, k, v, numbers([2, 1, 4, 7], 0.9), None, 4)


PROGRAMS = [encoders, weights_of_four, other_views]
FAILURES = {views_that_fail: "shape '[1, 4, 4, 7]' is invalid for input of size 168"}

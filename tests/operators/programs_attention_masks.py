"""Attention that programs spell out with einsum, with two masks, and with scores clamped to the least float."""
from typing import List, Tuple

import torch
import torch.nn.functional as F


def wave(shape: List[int], step: float) -> torch.Tensor:
    """The same everywhere, between -2 and 2."""
    count = 1
    for size in shape:
        count *= size
    return (torch.sin(torch.arange(count) * step) * 2).reshape(shape)


def operands(queries: int, keys: int) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """[batch, tokens, heads, features]"""
    return wave([2, queries, 3, 5], 0.7), wave([2, keys, 3, 5], 1.3), wave([2, keys, 3, 6], 2.1)


def by_einsum(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    outs: List[torch.Tensor] = []
    for queries, keys in [(3, 7), (2, 130)]:
        q, k, v = operands(queries, keys)
        mask = wave([2, 1, queries, keys], 0.9)
        outs.append(torch.einsum("bhqk,bkhd->bqhd", torch.softmax(torch.einsum("bqhd,bkhd->bhqk", q, k) * 0.3, -1), v))
        outs.append(torch.einsum("b h i j, b j h d -> b h i d", (torch.einsum("b i h d, b j h d -> b h i j", q, k) + mask).softmax(-1), v))
        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
        outs.append(torch.einsum("...ij,...jd->...id", (torch.einsum("...jd,...id->...ij", k, q) / 2).masked_fill(mask > 1, -1e9).softmax(-1), v))
        outs.append(torch.matmul(torch.einsum("bhid,bhjd->bhij", q, k).softmax(-1), v))
        outs.append(torch.einsum("bhij,bhjd->dbih", (torch.matmul(q, k.transpose(2, 3)) - mask).softmax(-1), v))
        outs.append(torch.einsum("bhij,bhjd->bhid", torch.einsum("bhid,bhjd->bhij", q[:1], k[:, :1]).softmax(-1), v))
    return outs


def other_equations(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """What is no attention: softmax over queries, sums of more than one dimension, sizes that are broadcast."""
    q, k, v = operands(4, 4)
    outs = [torch.einsum("bhqk,bkhd->bqhd", torch.einsum("bqhd,bkhd->bhqk", q, k).softmax(2), v)]
    outs.append(torch.einsum("bqk,bkhd->bqhd", torch.einsum("bqhd,bkhd->bqk", q, k).softmax(-1), v))
    outs.append(torch.einsum("bhqk,bqhd->bkhd", torch.einsum("bqhd,bkhd->bhqk", q, k).softmax(-1), v))
    outs.append(torch.einsum("bhqk,bkhd->bhd", torch.einsum("bqhd,bkhd->bhqk", q, k).softmax(-1), v))
    outs.append(torch.einsum("bhqk,bkhd->bqhd", torch.einsum("bqhd,bkhd->bhqk", q, k[..., :1]).softmax(-1), v))
    return outs


def two_masks(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    outs: List[torch.Tensor] = []
    for queries, keys in [(3, 7), (2, 130)]:
        q, k, v = [y.transpose(1, 2) for y in operands(queries, keys)]
        each, common = wave([1, 3, queries, keys], 0.9), wave([2, 1, 1, keys], 0.6)
        scores = torch.matmul(q, k.transpose(-1, -2))
        outs.append(torch.matmul((torch.matmul(q, k.transpose(-1, -2)) * 0.5 + each + common).softmax(-1), v))
        outs.append(torch.matmul(((torch.matmul(q, k.transpose(-1, -2)) + each) * 0.5 - common).softmax(-1), v))
        outs.append(torch.matmul(torch.matmul(q, k.transpose(-1, -2)).masked_fill(each > 0, -1e9).masked_fill(common < 0, -1e9).softmax(-1), v))
        outs.append(torch.matmul(torch.where(common > 0, torch.matmul(q, k.transpose(-1, -2)).masked_fill(each > 1, -5.), -5.).softmax(-1), v))
        outs.append(torch.matmul((torch.matmul(q, k.transpose(-1, -2)).masked_fill(each > 1, -2.).masked_fill(common > 0, -1.) + each).softmax(-1), v))
        outs.append(torch.matmul(((torch.matmul(q, k.transpose(-1, -2)) + each).masked_fill(common > 0, -1.) + common).softmax(-1), v))
        outs.append(scores)
    return outs


def least_scores(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Rows that are masked whole, by the least float and by -inf, are averages."""
    outs: List[torch.Tensor] = []
    least = -3.4028234663852886e38
    for queries, keys in [(3, 7), (2, 130)]:
        q, k, v = [y.transpose(1, 2) for y in operands(queries, keys)]
        for fill in [least, float("-inf")]:
            mask = torch.zeros(2, 1, queries, keys).masked_fill(wave([2, 1, queries, keys], 0.9) > 0.5, fill)
            mask[0, 0, 1] = fill
            outs.append(torch.matmul(F.softmax(torch.max(torch.matmul(q, k.transpose(2, 3)) + mask, torch.tensor(least)), dim=-1), v))
            outs.append(torch.matmul((torch.matmul(q, k.transpose(2, 3)) + mask * 2).clamp(min=least).softmax(-1), v))
            outs.append(torch.matmul(torch.matmul(q, k.transpose(2, 3)).masked_fill(mask < 0, fill).clamp_min(least).softmax(-1), v))
            outs.append(torch.matmul((torch.matmul(q, k.transpose(2, 3)) + mask).clamp(min=-1.).softmax(-1), v))
    return outs


def in_double(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """One operator from 512 keys on: several blocks of keys, two chunks of queries, rows that are masked whole."""
    outs: List[torch.Tensor] = []
    for queries, keys in [(7, 700), (67, 513), (3, 600), (9, 40)]:
        q, k, v = [y[:, :, :1, :3].double().transpose(1, 2) for y in operands(queries, keys)]
        mask, first = wave([2, 1, queries, keys], 0.9).double(), torch.arange(queries).unsqueeze(1) == 1
        outs.append((torch.softmax(q @ k.transpose(-1, -2) * 0.3 + mask, -1) @ v).sum(2))
        outs.append((torch.softmax((q @ k.transpose(-1, -2) / 2.0).masked_fill(mask > 1.5, -1e9), -1) @ v).sum(2))
        outs.append(torch.matmul(torch.matmul(q, k.transpose(-1, -2)).masked_fill(first, -1e9).softmax(-1), v)[:, :, :3])
        outs.append(torch.matmul(((torch.matmul(q, k.transpose(-1, -2)) + mask).masked_fill(mask > 0, -1.0) + mask).softmax(-1), v)[:, :, -2:])
        outs.append(torch.matmul((torch.matmul(q, k.transpose(-1, -2)) + torch.zeros(keys).double().masked_fill(torch.arange(keys) > 5, -9e99)).softmax(-1), v)[:, :, :2])
        outs.append(torch.isnan(torch.matmul(torch.matmul(q, k.transpose(-1, -2)).masked_fill(first, float("-inf")).softmax(-1), v))[:, :, :3])
    return outs


PROGRAMS = [by_einsum, other_equations, two_masks, least_scores, in_double]

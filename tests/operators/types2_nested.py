"""The fast path of TransformerEncoder, which puts padded batches into nested tensors."""
from typing import List, Optional

import torch
from torch import Tensor


def wave(sizes: List[int], step: float) -> Tensor:
    """Numbers in [-1, 1] that do not repeat."""
    count = 1
    for s in sizes:
        count *= s
    return torch.sin(torch.arange(count, dtype=torch.float64) * step).to(torch.float32).reshape(sizes)


def layer(x: Tensor, gelu: bool, norm_first: bool, mask: Optional[Tensor] = None, mask_type: Optional[int] = None) -> Tensor:
    return torch._transformer_encoder_layer_fwd(x, 4, 2, wave([12, 4], 1.3), wave([12], 0.7), wave([4, 4], 0.9), wave([4], 1.1), gelu,
                                                norm_first, 1e-5, wave([4], 0.2) + 1.5, wave([4], 0.3), wave([4], 0.5) + 1.2,
                                                wave([4], 0.6), wave([6, 4], 0.35), wave([6], 1.9), wave([4, 6], 0.45), wave([4], 1.7),
                                                mask, mask_type)


def rows(lengths: List[int], longest: int) -> Tensor:
    return torch.arange(longest) < torch.tensor(lengths).unsqueeze(1)


def padded(x: Tensor, t: Tensor):
    src, seen = wave([3, 5, 4], 0.77), rows([3, 5, 1], 5)
    with torch.no_grad():
        a = torch._nested_tensor_from_mask(src, seen)
        b = layer(layer(a, False, False), True, False)
        c = torch._nested_tensor_from_mask(src, rows([2, 4, 1], 5), mask_check=False)
        return [a.to_padded_tensor(0.0), b.to_padded_tensor(0.0, src.size()), b.to_padded_tensor(-1.5, [3, 6, 5]),
                layer(a, True, True).to_padded_tensor(2.0), c.to_padded_tensor(0.0), layer(c, True, False).to_padded_tensor(0.0)]


def dense(x: Tensor, t: Tensor):
    src, seen = wave([3, 5, 4], 0.77), rows([3, 5, 1], 5)
    hidden = torch.logical_not(seen)
    causal = torch.ones(5, 5).triu(1) > 0
    with torch.no_grad():
        return [layer(src, False, False), layer(src, True, True), layer(src, False, False, hidden, 1), layer(src, False, True, causal, 0),
                layer(src, True, False, torch.zeros(5, 5).masked_fill(causal, float("-inf")), 0),
                layer(src, True, False, hidden.view(3, 1, 1, 5).expand(3, 2, 5, 5), 2)]


def alignment(x: Tensor, t: Tensor):
    src, seen = wave([3, 5, 4], 0.77), rows([3, 5, 1], 5)
    return (torch._nested_tensor_from_mask_left_aligned(src, seen), torch._nested_tensor_from_mask_left_aligned(src, seen.flip(1)),
            torch._nested_tensor_from_mask_left_aligned(src, seen.t().contiguous().t()), src.is_nested)


PROGRAMS = [padded, dense, alignment]


def gaps(x: Tensor, t: Tensor):
    return torch._nested_tensor_from_mask(wave([3, 5, 4], 0.77), rows([3, 5, 1], 5).flip(1)).to_padded_tensor(0.0)


def not_bool(x: Tensor, t: Tensor):
    return torch._nested_tensor_from_mask(wave([3, 5, 4], 0.77), torch.ones(3, 5)).to_padded_tensor(0.0)


def flat(x: Tensor, t: Tensor):
    return torch._nested_tensor_from_mask(x, torch.ones(4, 6) > 0).to_padded_tensor(0.0)


def flat_mask(x: Tensor, t: Tensor):
    return torch._nested_tensor_from_mask(wave([3, 5, 4], 0.77), torch.ones(3) > 0).to_padded_tensor(0.0)


def truncated(x: Tensor, t: Tensor):
    return torch._nested_tensor_from_mask(wave([3, 5, 4], 0.77), rows([3, 4, 1], 5)).to_padded_tensor(0.0, [3, 3, 4])


def other_sizes(x: Tensor, t: Tensor):
    return torch._nested_tensor_from_mask(wave([3, 5, 4], 0.77), rows([3, 4], 5)).to_padded_tensor(0.0)


FAILURES = {gaps: "Mask must be left-aligned without gaps", not_bool: "Expected mask to be of ScalarType Bool, but got Float instead.",
            flat: "Input should be a 3D tensor, N * L * D", flat_mask: "Padding mask should be 2D",
            truncated: "Value in output_size is less than NestedTensor padded size. Truncation is not supported.",
            other_sizes: "Mask size should match input size"}

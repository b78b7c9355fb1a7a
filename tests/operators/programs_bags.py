"""Bags of embeddings whose rows are quantized to 8, 4 and 2 bits."""
from typing import List

import torch


def rows(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    w, i, o, p = x[:, :4].contiguous(), torch.tensor([0, 1, 3, 3, 2, 0]), torch.tensor([0, 2, 2, 5]), torch.arange(6) / 3
    byte, four = torch.ops.quantized.embedding_bag_byte_prepack(w), torch.ops.quantized.embedding_bag_4bit_prepack(w)
    two = torch.ops.quantized.embedding_bag_2bit_prepack(w)
    return [byte, four, two, torch.ops.quantized.embedding_bag_byte_unpack(byte), torch.ops.quantized.embedding_bag_4bit_unpack(four),
            torch.ops.quantized.embedding_bag_2bit_unpack(two), torch.ops.quantized.embedding_bag_byte_rowwise_offsets(byte, i, o),
            torch.ops.quantized.embedding_bag_4bit_rowwise_offsets(four, i, o, False, 0, False, p, None, True),
            torch.ops.quantized.embedding_bag_2bit_rowwise_offsets(two, i, o),
            torch.ops.quantized.embedding_bag_byte_rowwise_offsets(byte, i.reshape(2, 3), None)]


def optimized(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Ends of rows moved inwards as long as that brings numbers nearer; a row of equal numbers has none."""
    w = torch.cat([x[:, :4] * 3, x[:, 2:] ** 3, torch.full([1, 4], 0.5)]).repeat(1, 3) + torch.arange(12) / 24
    w[-1] = 0.5
    return [torch.ops.quantized.embedding_bag_4bit_prepack(w, True), torch.ops.quantized.embedding_bag_2bit_prepack(w, True),
            torch.ops.quantized.embedding_bag_4bit_prepack(w, True, 50, 0.5), torch.ops.quantized.embedding_bag_2bit_prepack(w, True, 200, 0.3)]


def pruned(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    byte, i, o = torch.ops.quantized.embedding_bag_byte_prepack(x), torch.tensor([5, 1, 3, 4, 2, 0]), torch.tensor([0, 2, 2, 5])
    mapping = torch.tensor([0, -1, 1, 2, -1, 3], dtype=torch.int32)
    return [torch.ops.quantized.embedding_bag_byte_rowwise_offsets(byte, i, o, False, 0, True, None, mapping)]


def without_offsets(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.ops.quantized.embedding_bag_byte_rowwise_offsets(torch.ops.quantized.embedding_bag_byte_prepack(x), t[:2], None)


PROGRAMS = [rows, optimized, pruned]
FAILURES = {without_offsets: "expects offsets to be set for 1D indices"}

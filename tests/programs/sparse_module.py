"""A module for record.py: its weights make an archive."""
from typing import List

import torch


class SparseWeights(torch.nn.Module):
    """Sparse constants that are only made dense or multiplied."""

    def __init__(self):
        super().__init__()
        self.register_buffer("coo", torch.eye(3).to_sparse())
        self.register_buffer("csr", torch.tensor([[0.0, 2.0, 0.0], [1.0, 0.0, 3.0]]).to_sparse_csr())
        self.register_buffer("rows", torch.sparse_coo_tensor([[0, 2]], [[1.0, 2.0], [3.0, 4.0]], (3, 2)))

    def forward(self, x: torch.Tensor) -> List[torch.Tensor]:
        dense = self.coo.to_dense()
        dense.add_(1)
        return [torch.mm(self.coo, x), self.csr.to_dense(), self.rows.to_dense(), dense, torch.mm(self.coo, x)]

# Modules of torch.nn: embeddings.
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn import Module, Parameter
from typing import Optional

class Embedding(Module):
    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, max_norm=None, norm_type=2.0,
                 scale_grad_by_freq=False, sparse=False, _weight=None, _freeze=False, device=None, dtype=None):
        super().__init__()
        if max_norm is not None:
            raise NotImplementedError("Embedding with max_norm changes its weight when it is called")
        if padding_idx is not None and padding_idx < 0:
            padding_idx = num_embeddings + padding_idx
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = padding_idx
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse
        weight = torch.empty(num_embeddings, embedding_dim, dtype=dtype) if _weight is None else _weight
        self.weight = Parameter(weight)

    @classmethod
    def from_pretrained(cls, embeddings, freeze=True, padding_idx=None, max_norm=None, norm_type=2.0,
                        scale_grad_by_freq=False, sparse=False):
        rows, columns = embeddings.shape
        return cls(rows, columns, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, embeddings)

    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(input, self.weight, self.padding_idx)


class EmbeddingBag(Module):
    def __init__(self, num_embeddings, embedding_dim, max_norm=None, norm_type=2.0, scale_grad_by_freq=False,
                 mode="mean", sparse=False, _weight=None, include_last_offset=False, padding_idx=None, device=None,
                 dtype=None):
        super().__init__()
        if max_norm is not None:
            raise NotImplementedError("EmbeddingBag with max_norm changes its weight when it is called")
        self.mode = mode
        self.include_last_offset = include_last_offset
        self.padding_idx = padding_idx
        weight = torch.empty(num_embeddings, embedding_dim, dtype=dtype) if _weight is None else _weight
        self.weight = Parameter(weight)

    def forward(self, input: Tensor, offsets: Optional[Tensor] = None,
                per_sample_weights: Optional[Tensor] = None) -> Tensor:
        return F.embedding_bag(input, self.weight, offsets, None, 2.0, False, self.mode, False, per_sample_weights,
                               self.include_last_offset, self.padding_idx)

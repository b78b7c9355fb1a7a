# Modules of torch.nn: normalization over layers, groups and neighbouring channels.
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn import Module, Parameter
from typing import Optional

class LayerNorm(Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, device=None, dtype=None):
        super().__init__()
        is_one = isinstance(normalized_shape, int)
        self.normalized_shape = (normalized_shape,) if is_one else tuple(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        shape = self.normalized_shape
        self.register_parameter("weight", Parameter(torch.ones(shape, dtype=dtype)) if elementwise_affine else None)
        has_bias = elementwise_affine and bias
        self.register_parameter("bias", Parameter(torch.zeros(shape, dtype=dtype)) if has_bias else None)

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


class RMSNorm(Module):
    eps: Optional[float]

    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None):
        super().__init__()
        is_one = isinstance(normalized_shape, int)
        self.normalized_shape = (normalized_shape,) if is_one else tuple(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        shape = self.normalized_shape
        self.register_parameter("weight", Parameter(torch.ones(shape, dtype=dtype)) if elementwise_affine else None)

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)


class GroupNorm(Module):
    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True, device=None, dtype=None):
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError("num_channels must be divisible by num_groups")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        self.register_parameter("weight", Parameter(torch.ones(num_channels, dtype=dtype)) if affine else None)
        self.register_parameter("bias", Parameter(torch.zeros(num_channels, dtype=dtype)) if affine else None)

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)


class LocalResponseNorm(Module):
    def __init__(self, size, alpha=1e-4, beta=0.75, k=1.0):
        super().__init__()
        self.size = size
        self.alpha = float(alpha)
        self.beta = float(beta)
        self.k = float(k)

    def forward(self, input: Tensor) -> Tensor:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)


class CrossMapLRN2d(LocalResponseNorm):
    pass

# Modules of torch.nn: upsampling.
import torch.nn.functional as F
from torch import Tensor
from torch.nn import Module

def as_floats(scale_factor):
    if isinstance(scale_factor, (list, tuple)):
        return [float(factor) for factor in scale_factor]
    return float(scale_factor) if scale_factor is not None else None


class Upsample(Module):
    def __init__(self, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None):
        super().__init__()
        self.size = list(size) if isinstance(size, (list, tuple)) else size
        self.scale_factor = as_floats(scale_factor)
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners,
                             self.recompute_scale_factor)


class UpsamplingNearest2d(Upsample):
    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, "nearest")


class UpsamplingBilinear2d(Upsample):
    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, "bilinear", True)

# Modules of torch.nn: sliding blocks: taken out of images and put back.
import torch.nn.functional as F
from torch import Tensor
from torch.nn import Module

def pair(value):
    return list(value) if isinstance(value, (list, tuple)) else [value, value]


class Fold(Module):
    def __init__(self, output_size, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__()
        self.output_size = pair(output_size)
        self.kernel_size = pair(kernel_size)
        self.dilation = pair(dilation)
        self.padding = pair(padding)
        self.stride = pair(stride)

    def forward(self, input: Tensor) -> Tensor:
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)


class Unfold(Module):
    def __init__(self, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__()
        self.kernel_size = pair(kernel_size)
        self.dilation = pair(dilation)
        self.padding = pair(padding)
        self.stride = pair(stride)

    def forward(self, input: Tensor) -> Tensor:
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

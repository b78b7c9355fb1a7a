# Modules of torch.nn: convolutions and transposed convolutions.
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn import Module, Parameter
from typing import List, Optional

def repeated(value, count):
    return tuple(value) if isinstance(value, (list, tuple)) else (value,) * count


# Padding for F.pad: the last dimension first, each side once.
def both_sides(padding, kernel_size, dilation):
    sides = []
    for i in reversed(range(len(kernel_size))):
        if padding == "same":
            total = dilation[i] * (kernel_size[i] - 1)
            sides += [total // 2, total - total // 2]
        else:
            amount = 0 if padding == "valid" else padding[i]
            sides += [amount, amount]
    return sides


class ConvNd(Module):
    def __init__(self, dims, in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias,
                 padding_mode, dtype, transposed=False, output_padding=0):
        super().__init__()
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = repeated(kernel_size, dims)
        self.stride = repeated(stride, dims)
        self.padding = padding if isinstance(padding, str) else repeated(padding, dims)
        self.dilation = repeated(dilation, dims)
        self.output_padding = repeated(output_padding, dims)
        self.groups = groups
        self.padding_mode = padding_mode
        # Padding that the convolution cannot do itself, because it is no zeros or not the same on both sides.
        self.sides = both_sides(self.padding, self.kernel_size, self.dilation)
        is_even = all(self.sides[i] == self.sides[i + 1] for i in range(0, 2 * dims, 2))
        self.pads = padding_mode != "zeros" or not is_even
        self.mode = "constant" if padding_mode == "zeros" else padding_mode
        self.amount = (0,) * dims if self.pads else tuple(self.sides[2 * (dims - 1 - i)] for i in range(dims))
        channels = (in_channels, out_channels // groups) if transposed else (out_channels, in_channels // groups)
        self.weight = Parameter(torch.empty(channels + self.kernel_size, dtype=dtype))
        self.register_parameter("bias", Parameter(torch.empty(out_channels, dtype=dtype)) if bias else None)


class Conv1d(ConvNd):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
                 padding_mode="zeros", device=None, dtype=None):
        super().__init__(1, in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias,
                         padding_mode, dtype)

    def forward(self, input: Tensor) -> Tensor:
        x = F.pad(input, self.sides, self.mode) if self.pads else input
        return F.conv1d(x, self.weight, self.bias, self.stride, self.amount, self.dilation, self.groups)


class Conv2d(ConvNd):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
                 padding_mode="zeros", device=None, dtype=None):
        super().__init__(2, in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias,
                         padding_mode, dtype)

    def forward(self, input: Tensor) -> Tensor:
        x = F.pad(input, self.sides, self.mode) if self.pads else input
        return F.conv2d(x, self.weight, self.bias, self.stride, self.amount, self.dilation, self.groups)


class Conv3d(ConvNd):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
                 padding_mode="zeros", device=None, dtype=None):
        super().__init__(3, in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias,
                         padding_mode, dtype)

    def forward(self, input: Tensor) -> Tensor:
        x = F.pad(input, self.sides, self.mode) if self.pads else input
        return F.conv3d(x, self.weight, self.bias, self.stride, self.amount, self.dilation, self.groups)


class ConvTransposeNd(ConvNd):
    def __init__(self, dims, in_channels, out_channels, kernel_size, stride, padding, output_padding, groups, bias,
                 dilation, padding_mode, dtype):
        if padding_mode != "zeros":
            raise ValueError("Only \"zeros\" padding mode is supported for " + self.__class__.__name__)
        super().__init__(dims, in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias,
                         padding_mode, dtype, True, output_padding)

    # What must be added at the end of each dimension to get an output of the size that is asked for.
    def added(self, input: Tensor, output_size: Optional[List[int]]) -> List[int]:
        amounts = torch.jit.annotate(List[int], [])
        dims = len(self.kernel_size)
        for i, kernel in enumerate(self.kernel_size):
            if output_size is None:
                amounts.append(self.output_padding[i])
            else:
                least = (input.size(i - dims) - 1) * self.stride[i] - 2 * self.padding[i] + \
                    self.dilation[i] * (kernel - 1) + 1
                amounts.append(output_size[i - dims] - least)
        return amounts


class ConvTranspose1d(ConvTransposeNd):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1,
                 bias=True, dilation=1, padding_mode="zeros", device=None, dtype=None):
        super().__init__(1, in_channels, out_channels, kernel_size, stride, padding, output_padding, groups, bias,
                         dilation, padding_mode, dtype)

    def forward(self, input: Tensor, output_size: Optional[List[int]] = None) -> Tensor:
        added = self.added(input, output_size)
        return F.conv_transpose1d(input, self.weight, self.bias, self.stride, self.padding, added, self.groups,
                                  self.dilation)


class ConvTranspose2d(ConvTransposeNd):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1,
                 bias=True, dilation=1, padding_mode="zeros", device=None, dtype=None):
        super().__init__(2, in_channels, out_channels, kernel_size, stride, padding, output_padding, groups, bias,
                         dilation, padding_mode, dtype)

    def forward(self, input: Tensor, output_size: Optional[List[int]] = None) -> Tensor:
        added = self.added(input, output_size)
        return F.conv_transpose2d(input, self.weight, self.bias, self.stride, self.padding, added, self.groups,
                                  self.dilation)


class ConvTranspose3d(ConvTransposeNd):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1,
                 bias=True, dilation=1, padding_mode="zeros", device=None, dtype=None):
        super().__init__(3, in_channels, out_channels, kernel_size, stride, padding, output_padding, groups, bias,
                         dilation, padding_mode, dtype)

    def forward(self, input: Tensor, output_size: Optional[List[int]] = None) -> Tensor:
        added = self.added(input, output_size)
        return F.conv_transpose3d(input, self.weight, self.bias, self.stride, self.padding, added, self.groups,
                                  self.dilation)

# Modules of torch.nn: pooling and its inverse.
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn import Module
from typing import List, Optional

class MaxPoolNd(Module):
    def __init__(self, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode


class MaxPool1d(MaxPoolNd):
    def forward(self, input: Tensor):
        if self.return_indices:
            return F.max_pool1d_with_indices(input, self.kernel_size, self.stride, self.padding, self.dilation,
                                             self.ceil_mode)
        return F.max_pool1d(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode)


class MaxPool2d(MaxPoolNd):
    def forward(self, input: Tensor):
        if self.return_indices:
            return F.max_pool2d_with_indices(input, self.kernel_size, self.stride, self.padding, self.dilation,
                                             self.ceil_mode)
        return F.max_pool2d(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode)


class MaxPool3d(MaxPoolNd):
    def forward(self, input: Tensor):
        if self.return_indices:
            return F.max_pool3d_with_indices(input, self.kernel_size, self.stride, self.padding, self.dilation,
                                             self.ceil_mode)
        return F.max_pool3d(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode)


class MaxUnpoolNd(Module):
    def __init__(self, kernel_size, stride=None, padding=0):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding


class MaxUnpool1d(MaxUnpoolNd):
    def forward(self, input: Tensor, indices: Tensor, output_size: Optional[List[int]] = None) -> Tensor:
        return F.max_unpool1d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool2d(MaxUnpoolNd):
    def forward(self, input: Tensor, indices: Tensor, output_size: Optional[List[int]] = None) -> Tensor:
        return F.max_unpool2d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool3d(MaxUnpoolNd):
    def forward(self, input: Tensor, indices: Tensor, output_size: Optional[List[int]] = None) -> Tensor:
        return F.max_unpool3d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class AvgPool1d(Module):
    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)


class AvgPoolNd(Module):
    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
                 divisor_override=None):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override


class AvgPool2d(AvgPoolNd):
    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool2d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
                            self.count_include_pad, self.divisor_override)


class AvgPool3d(AvgPoolNd):
    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool3d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
                            self.count_include_pad, self.divisor_override)


class LPPoolNd(Module):
    def __init__(self, norm_type, kernel_size, stride=None, ceil_mode=False):
        super().__init__()
        self.norm_type = float(norm_type)
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.ceil_mode = ceil_mode


class LPPool1d(LPPoolNd):
    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool1d(input, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class LPPool2d(LPPoolNd):
    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool2d(input, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class LPPool3d(LPPoolNd):
    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool3d(input, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


# The size of the output by dimension; 0 stands for None, the size of the input.
class AdaptivePoolNd(Module):
    def __init__(self, output_size, return_indices=False):
        super().__init__()
        self.return_indices = return_indices
        self.output_size = output_size
        self.sizes = [self.known(size) for size in self.all_sizes(output_size)]
        self.keeps_some = 0 in self.sizes

    def all_sizes(self, output_size):
        return output_size if isinstance(output_size, (list, tuple)) else [output_size] * self.dims

    def known(self, size):
        return 0 if size is None else size

    def wanted(self, input: Tensor) -> List[int]:
        sizes = torch.jit.annotate(List[int], [])
        for i, size in enumerate(self.sizes):
            sizes.append(input.size(i - len(self.sizes)) if size == 0 else size)
        return sizes


class AdaptiveAvgPool1d(AdaptivePoolNd):
    dims = 1

    def forward(self, input: Tensor) -> Tensor:
        if self.keeps_some:
            return F.adaptive_avg_pool1d(input, self.wanted(input))
        return F.adaptive_avg_pool1d(input, self.sizes)


class AdaptiveMaxPool1d(AdaptivePoolNd):
    dims = 1

    def forward(self, input: Tensor):
        output, indices = F.adaptive_max_pool1d_with_indices(input, self.wanted(input))
        if self.return_indices:
            return output, indices
        return output


class AdaptiveAvgPool2d(AdaptivePoolNd):
    dims = 2

    def forward(self, input: Tensor) -> Tensor:
        if self.keeps_some:
            return F.adaptive_avg_pool2d(input, self.wanted(input))
        return F.adaptive_avg_pool2d(input, self.sizes)


class AdaptiveMaxPool2d(AdaptivePoolNd):
    dims = 2

    def forward(self, input: Tensor):
        output, indices = F.adaptive_max_pool2d_with_indices(input, self.wanted(input))
        if self.return_indices:
            return output, indices
        return output


class AdaptiveAvgPool3d(AdaptivePoolNd):
    dims = 3

    def forward(self, input: Tensor) -> Tensor:
        if self.keeps_some:
            return F.adaptive_avg_pool3d(input, self.wanted(input))
        return F.adaptive_avg_pool3d(input, self.sizes)


class AdaptiveMaxPool3d(AdaptivePoolNd):
    dims = 3

    def forward(self, input: Tensor):
        output, indices = F.adaptive_max_pool3d_with_indices(input, self.wanted(input))
        if self.return_indices:
            return output, indices
        return output

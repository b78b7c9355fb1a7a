# Modules of torch.nn: padding.
import torch.nn.functional as F
from torch import Tensor
from torch.nn import Module

class PadNd(Module):
    def __init__(self, padding, value=0.0):
        super().__init__()
        given = isinstance(padding, (list, tuple))
        self.padding = [int(side) for side in padding] if given else [padding] * (2 * self.dims)
        self.value = float(value)


class ConstantPad1d(PadNd):
    dims = 1

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)


class ConstantPad2d(PadNd):
    dims = 2

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)


class ConstantPad3d(PadNd):
    dims = 3

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)


class ReflectionPad1d(PadNd):
    dims = 1

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "reflect")


class ReflectionPad2d(PadNd):
    dims = 2

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "reflect")


class ReflectionPad3d(PadNd):
    dims = 3

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "reflect")


class ReplicationPad1d(PadNd):
    dims = 1

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "replicate")


class ReplicationPad2d(PadNd):
    dims = 2

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "replicate")


class ReplicationPad3d(PadNd):
    dims = 3

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "replicate")


class ZeroPad1d(ConstantPad1d):
    def __init__(self, padding):
        super().__init__(padding, 0.0)


class ZeroPad2d(ConstantPad2d):
    def __init__(self, padding):
        super().__init__(padding, 0.0)


class ZeroPad3d(ConstantPad3d):
    def __init__(self, padding):
        super().__init__(padding, 0.0)


class CircularPad1d(PadNd):
    dims = 1

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "circular")


class CircularPad2d(PadNd):
    dims = 2

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "circular")


class CircularPad3d(PadNd):
    dims = 3

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "circular")

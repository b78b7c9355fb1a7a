# Modules of torch.nn: normalization over batches and over instances.
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn import Module, Parameter

class NormBase(Module):
    def __init__(self, num_features, eps, momentum, affine, track_running_stats, dtype):
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        self.register_parameter("weight", Parameter(torch.ones(num_features, dtype=dtype)) if affine else None)
        self.register_parameter("bias", Parameter(torch.zeros(num_features, dtype=dtype)) if affine else None)
        tracks = track_running_stats
        self.register_buffer("running_mean", torch.zeros(num_features, dtype=dtype) if tracks else None)
        self.register_buffer("running_var", torch.ones(num_features, dtype=dtype) if tracks else None)
        self.register_buffer("num_batches_tracked", torch.tensor(0, dtype=torch.long) if tracks else None)


class BatchNorm(NormBase):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None,
                 dtype=None):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, dtype)

    def forward(self, input: Tensor) -> Tensor:
        self.check_dims(input)
        if self.track_running_stats:
            momentum = 0.0
            if self.training and self.num_batches_tracked is not None:
                self.num_batches_tracked.add_(1)
                if self.momentum is None:
                    momentum = 1.0 / float(self.num_batches_tracked)
            if self.momentum is not None:
                momentum = self.momentum
            return F.batch_norm(input, self.running_mean, self.running_var, self.weight, self.bias, self.training,
                                momentum, self.eps)
        return F.batch_norm(input, None, None, self.weight, self.bias, True, 0.0, self.eps)


class BatchNorm1d(BatchNorm):
    def check_dims(self, input: Tensor) -> None:
        if input.dim() != 2 and input.dim() != 3:
            raise ValueError("expected 2D or 3D input (got {}D input)".format(input.dim()))


class BatchNorm2d(BatchNorm):
    def check_dims(self, input: Tensor) -> None:
        if input.dim() != 4:
            raise ValueError("expected 4D input (got {}D input)".format(input.dim()))


class BatchNorm3d(BatchNorm):
    def check_dims(self, input: Tensor) -> None:
        if input.dim() != 5:
            raise ValueError("expected 5D input (got {}D input)".format(input.dim()))


# Known so that it can be asked for; it runs on GPUs only.
class SyncBatchNorm(BatchNorm):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, process_group=None,
                 device=None, dtype=None):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype)

    def check_dims(self, input: Tensor) -> None:
        raise ValueError("SyncBatchNorm expected input tensor to be on GPU")


class InstanceNorm(NormBase):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False, device=None,
                 dtype=None):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, dtype)

    def normalize(self, input: Tensor) -> Tensor:
        uses_input = self.training or not self.track_running_stats
        return F.instance_norm(input, self.running_mean, self.running_var, self.weight, self.bias, uses_input,
                               self.momentum, self.eps)


class InstanceNorm1d(InstanceNorm):
    def forward(self, input: Tensor) -> Tensor:
        if input.dim() != 2 and input.dim() != 3:
            raise ValueError("expected 2D or 3D input (got {}D input)".format(input.dim()))
        return self.normalize(input.unsqueeze(0)).squeeze(0) if input.dim() == 2 else self.normalize(input)


class InstanceNorm2d(InstanceNorm):
    def forward(self, input: Tensor) -> Tensor:
        if input.dim() != 3 and input.dim() != 4:
            raise ValueError("expected 3D or 4D input (got {}D input)".format(input.dim()))
        return self.normalize(input.unsqueeze(0)).squeeze(0) if input.dim() == 3 else self.normalize(input)


class InstanceNorm3d(InstanceNorm):
    def forward(self, input: Tensor) -> Tensor:
        if input.dim() != 4 and input.dim() != 5:
            raise ValueError("expected 4D or 5D input (got {}D input)".format(input.dim()))
        return self.normalize(input.unsqueeze(0)).squeeze(0) if input.dim() == 4 else self.normalize(input)

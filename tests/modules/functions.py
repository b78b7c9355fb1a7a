"""Functions of torch.nn.functional that are made of others, and what methods may call besides."""
from collections import OrderedDict
from typing import Dict, List, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.utils import _pair, _triple


class Functions(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(2)
        self.loss = nn.GaussianNLLLoss(full=True, reduction="sum")
        self.is_norm = isinstance(self.norm, _BatchNorm) and not isinstance(self.norm, nn.SyncBatchNorm)
        self.sizes = _pair(3) + _triple((1, 2, 4))
        self.layers = nn.Sequential(nn.Identity(), self.norm)
        self.modules_seen = len(list(self.modules()))

    def forward(self, x: Tensor, y: Tensor) -> Tuple[Dict[str, Tensor], List[Tensor], bool, int]:
        x = self.layers(x)
        theta = torch.tensor([[[0.5, 0.1, 0.0], [0.2, -0.7, 0.1]]])
        grid = F.affine_grid(theta, [1, 2, 3, 3], align_corners=True)
        named = OrderedDict([(name, value) for name, value in zip(["grid", "y"], [grid, y])])
        samples = [F.grid_sample(x, grid, align_corners=False), F.grid_sample(x, grid, mode="nearest", padding_mode="border"),
                   F.grid_sample(x, grid, padding_mode="reflection", align_corners=True), F.upsample(x, scale_factor=2),
                   F.upsample(x, size=[3, 5], mode="bilinear", align_corners=True), F.logsigmoid(y), self.loss(y, y * 2, y + 0.1),
                   F.gaussian_nll_loss(y, y.flip(0), y[:, :1], reduction="none"), F.gumbel_softmax(y, hard=True).sum(1)]
        return named, samples, self.is_norm, self.modules_seen + self.sizes[4]

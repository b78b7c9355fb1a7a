"""Convolutions of constant weights: transposed ones, whose outputs that take the same taps are convolutions of their
own, and those of few channels, whose images are copied with their padding. Results are folded into sums by which an
element at another place shows."""
import torch
from torch import nn
import torch.nn.functional as F


def plane(*numbers, **more):
    return lambda: nn.ConvTranspose2d(*numbers, **more)


# Each: what makes the layer, and the sizes of its inputs.
LAYERS = {
    # Layers of decoders and generators.
    "four_by_two": (plane(6, 17, 4, 2, 1), [(2, 6, 7, 9)]),
    "three_by_two": (plane(6, 16, 3, 2, 1, 1), [(2, 6, 5, 6)]),
    "two_by_two": (plane(6, 9, 2, 2, bias=False), [(1, 6, 4, 13)]),
    "from_a_pixel": (plane(20, 24, 4), [(2, 20, 1, 1)]),
    "with_relu": (lambda: nn.Sequential(nn.ConvTranspose2d(6, 17, 4, 2, 1), nn.ReLU()), [(1, 6, 7, 9)]),
    "with_tanh": (lambda: nn.Sequential(nn.ConvTranspose2d(6, 8, 4, 2, 1), nn.BatchNorm2d(8), nn.Tanh()), [(1, 6, 5, 5)]),
    # Sides of every kind.
    "sides": (plane(5, 16, (4, 3), (3, 1), (2, 0), (1, 0)), [(2, 5, 4, 5)]),
    "without_taps": (plane(5, 16, 2, (3, 4), 0, (2, 3)), [(1, 5, 3, 4)]),
    "wide_padding": (plane(5, 16, 3, 4, 7), [(1, 5, 7, 6)]),
    "dilated": (plane(5, 16, 3, (2, 3), (1, 2), (1, 0), 1, True, (3, 2)), [(2, 5, 4, 5)]),
    "dilated_by_the_stride": (plane(5, 16, (3, 4), 2, 1, 1, 1, True, (2, 4)), [(1, 5, 4, 5)]),
    # Strides of 1: convolutions, but where the padding is wider than the kernel.
    "alone": (plane(16, 16, 3, 1, 1), [(1, 16, 9, 10)]),
    "alone_dilated": (plane(5, 16, (3, 2), 1, (1, 2), 0, 1, True, (2, 3)), [(2, 5, 6, 7)]),
    "alone_padded": (plane(5, 16, 2, 1, 2), [(1, 5, 6, 7)]),
    # Groups.
    "two_groups": (plane(12, 20, 3, 2, 1, 0, 2), [(2, 12, 5, 6)]),
    "three_groups": (plane(12, 51, (3, 4), (2, 1), (1, 2), (1, 0), 3), [(1, 12, 5, 6)]),
    "groups_of_one": (plane(4, 32, 3, 2, 0, 1, 4), [(1, 4, 5, 6)]),
    "groups_alone": (plane(12, 32, 3, 1, 1, 0, 4), [(1, 12, 5, 6)]),
    # Lines that are longer than what is pointed at together; volumes.
    "lines": (lambda: nn.ConvTranspose1d(5, 11, 16, 8, 4), [(2, 5, 150)]),
    "few_taps": (lambda: nn.ConvTranspose1d(5, 18, 3, 4, 1, 2), [(1, 5, 70)]),
    "line_of_one": (lambda: nn.ConvTranspose1d(5, 16, 16, 5), [(1, 5, 1)]),
    "volumes": (lambda: nn.ConvTranspose3d(4, 18, (3, 2, 4), (2, 1, 3), (1, 1, 2), (1, 0, 2)), [(2, 4, 3, 4, 5)]),
    "volumes_dilated": (lambda: nn.ConvTranspose3d(4, 9, 3, 2, (1, 0, 3), 1, 1, True, (3, 2, 1)), [(1, 4, 3, 2, 4)]),
    "without_a_batch": (plane(6, 17, 4, 2, 1), [(6, 4, 5)]),
    # Weights that stay as they are.
    "infinite": (lambda: Infinite(), [(1, 2, 3, 4)]),
    "tied": (lambda: Tied(), [(1, 3, 7, 8)]),
    "twice": (lambda: Twice(), [(1, 8, 3, 4)]),
    "layouts": (lambda: Layouts(), [(2, 8, 6, 7)]),
    # Few channels.
    "few_channels": (lambda: nn.Conv2d(3, 17, 3, 1, 1), [(2, 3, 13, 14)]),
    "one_channel": (lambda: nn.Conv2d(1, 8, 5, 1, 2), [(1, 1, 9, 31)]),
    "few_by_strides": (lambda: nn.Conv2d(4, 9, (3, 5), (2, 3), (1, 4), (2, 1)), [(2, 4, 9, 22)]),
    "few_beside_the_image": (lambda: nn.Conv2d(3, 8, 2, 5, 4), [(1, 3, 4, 3)]),
    "few_at_one_side": (lambda: nn.Conv2d(2, 8, 3, 4, 1), [(2, 2, 5, 8)]),
    "few_in_volumes": (lambda: nn.Conv3d(2, 9, 3, 1, 1), [(2, 2, 4, 3, 13)]),
    "few_in_lines": (lambda: nn.Conv1d(3, 8, 7, 2, 9), [(3, 3, 50)]),
    "few_without_sides": (lambda: nn.Conv2d(3, 8, 3), [(2, 3, 7, 20)]),
    "few_of_many": (lambda: Many(), [(1, 2, 8, 20)]),
}


class Infinite(nn.Module):
    """Inputs beside the image are not multiplied."""

    def __init__(self):
        super().__init__()
        self.layer = nn.ConvTranspose2d(2, 16, 3, 2, 1, 1)

    def forward(self, x):
        weight = torch.where(torch.arange(9).reshape(3, 3) == 0, torch.full([2, 16, 3, 3], float("inf")), self.layer.weight)
        y = F.conv_transpose2d(x, weight, None, 2, 1, 1)
        return torch.isfinite(y).to(torch.float32) + torch.isnan(y).to(torch.float32) * 3


class Tied(nn.Module):
    """One weight for the way in and the way out."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(16, 3, 3, 3))
        self.other = nn.Parameter(torch.ones(3, 16, 3, 3))

    def forward(self, x):
        y = F.conv_transpose2d(torch.relu(F.conv2d(x, self.weight, None, 2, 1)), self.weight, None, 2, 1)
        return F.conv_transpose2d(y, self.other, None, 2, 1) + (self.other * x[0, 0, 0, 0]).sum()


class Twice(nn.Module):
    """One weight by two strides, and another one twice by the same."""

    def __init__(self):
        super().__init__()
        self.first = nn.Parameter(torch.ones(8, 8, 3, 3))
        self.second = nn.Parameter(torch.ones(8, 8, 4, 3))

    def forward(self, x):
        y = F.conv_transpose2d(F.conv_transpose2d(x, self.first, None, 2), self.first, None, 1)
        return F.conv_transpose2d(F.conv_transpose2d(torch.tanh(y), self.second, None, 2), self.second, None, 2)


class Layouts(nn.Module):
    """Images that lie otherwise, and what reads the result's layout."""

    def __init__(self):
        super().__init__()
        self.up = nn.ConvTranspose2d(8, 16, 4, 2, 1)
        self.between = nn.Conv2d(16, 16, 3, 1, 1)
        self.out = nn.ConvTranspose2d(16, 16, 3, 2, 1, 1)

    def forward(self, x):
        last = x.contiguous(memory_format=torch.channels_last)
        y = self.up(last) + self.up(last[:, :, 1:, ::3]).sum([2, 3], True) + self.up(x.permute(0, 1, 3, 2)).permute(0, 1, 3, 2)
        z = self.out(self.between(y)) * 0.1
        return z + y.contiguous().view(2, 8, -1).cumsum(2).sum(2).view(2, 8, 1, 1).repeat(1, 2, 1, 1) + self.up(x[:0]).sum()


class Many(nn.Module):
    """More images than are copied at once."""

    def __init__(self):
        super().__init__()
        self.one = nn.Conv2d(2, 9, 3, 1, 1)
        self.other = nn.Conv2d(2, 9, (1, 5), 1, (0, 2))

    def forward(self, x):
        many = x * torch.cos(torch.arange(230.0)).view(230, 1, 1, 1)
        return torch.relu(self.one(many) + self.other(many))


def settle(layer):
    """Numbers between -0.5 and 0.7 in place of random ones."""
    for i, parameter in enumerate(layer.parameters()):
        values = (torch.arange(parameter.numel()) * (3 + i) + i) % 13
        parameter.data = (values.float() * 0.1 - 0.5).view(parameter.shape)
    return layer


class One(nn.Module):
    def __init__(self, name):
        super().__init__()
        self.layer = settle(LAYERS[name][0]())

    def forward(self, x):
        y = self.layer(x)
        flat = y.reshape(-1).to(torch.float64)
        return flat.numel(), torch.stack([flat[k::7].sum() for k in range(7)])

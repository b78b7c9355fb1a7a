"""torchvision's operators on boxes."""
from typing import List

import torch


def suppression(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    corners = torch.tensor([[0., 0., 10., 10.], [1., 1., 11., 11.], [20., 20., 30., 30.], [0., 0., 10., 9.], [21., 20., 29., 31.]])
    scores = torch.tensor([0.5, 0.9, 0.3, 0.9, 0.8])
    return [torch.ops.torchvision.nms(corners, scores, 0.5), torch.ops.torchvision.nms(corners, scores, 0.95),
            torch.ops.torchvision.nms(corners[:0], scores[:0], 0.5), torch.ops.torchvision.nms(corners * 0, scores, 0.5)]


def regions(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    images = torch.arange(2 * 2 * 6 * 7).to(torch.float32).reshape(2, 2, 6, 7).sin()
    boxes = torch.tensor([[0., 1., 1., 5., 4.], [1., -2., 0.5, 9., 7.], [1., 3., 3., 3., 3.], [0., 20., 20., 30., 30.]])
    a, b = torch.ops.torchvision.roi_pool(images, boxes, 1.0, 2, 2)
    c, d = torch.ops.torchvision.roi_pool(images, boxes, 0.5, 1, 3)
    return [torch.ops.torchvision.roi_align(images, boxes, 1.0, 2, 3, 2, False),
            torch.ops.torchvision.roi_align(images, boxes, 0.5, 2, 2, -1, True),
            torch.ops.torchvision.roi_align(images, boxes, 1.0, 3, 2, 0, False), a, b, c, d,
            torch.ops.torchvision.roi_align(images.to(torch.float64), boxes.to(torch.float64), 1.0, 2, 2, 2, False),
            torch.ops.torchvision.roi_pool(images.to(torch.float64), boxes.to(torch.float64), 1.0, 2, 2)[0]]


def own_bins(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    images = torch.arange(2 * 12 * 6 * 7).to(torch.float32).reshape(2, 12, 6, 7).sin()
    boxes = torch.tensor([[0., 1., 1., 5., 4.], [1., -2., 0.5, 9., 7.], [1., 3., 3., 3.5, 3.25], [0., 20., 20., 30., 30.]])
    a, b = torch.ops.torchvision.ps_roi_align(images, boxes, 1.0, 2, 3, 2)
    c, d = torch.ops.torchvision.ps_roi_align(images, boxes, 0.5, 2, 2, -1)
    e, f = torch.ops.torchvision.ps_roi_pool(images, boxes, 1.0, 2, 2)
    g, h = torch.ops.torchvision.ps_roi_pool(images, boxes, 0.7, 3, 2)
    return [a, b, c, d, e, f, g, h, torch.ops.torchvision.ps_roi_pool(images.to(torch.float64), boxes.to(torch.float64), 1.0, 2, 2)[0]]


def deformed(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    images = torch.arange(2 * 4 * 5 * 6).to(torch.float32).reshape(2, 4, 5, 6).cos()
    weight = torch.arange(6 * 2 * 3 * 2).to(torch.float32).reshape(6, 2, 3, 2).sin()
    moves, mask = torch.arange(2 * 24 * 5 * 4).to(torch.float32).sin() * 2, torch.arange(2 * 12 * 5 * 4).to(torch.float32).cos()
    a = torch.ops.torchvision.deform_conv2d(images, weight, moves.reshape(2, 24, 5, 4), mask.reshape(2, 12, 5, 4), torch.arange(6.0), 1, 2, 1, 2, 1,
                                            2, 2, 2, True)
    b = torch.ops.torchvision.deform_conv2d(images, weight, moves[:720].reshape(2, 12, 5, 6), torch.zeros(2, 0), torch.zeros(6), 1, 1, 2, 1, 2, 2, 2, 1, False)
    return [a, b]


def places(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    return torch.where(x > 0.5) + torch.where(t[0] > 0)


def three_corners(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.ops.torchvision.nms(x[:, :3], x[:, 0], 0.5)


def two_scores(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.ops.torchvision.nms(x[:, :4], x[:2, 0], 0.5)


def bins_without_channels(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.ops.torchvision.ps_roi_pool(x.reshape(1, 3, 2, 4), torch.zeros(1, 5), 1.0, 2, 2)[0]


def short_offsets(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.ops.torchvision.deform_conv2d(x.reshape(1, 1, 4, 6), x[:1, :4].reshape(1, 1, 2, 2), torch.zeros(1, 4, 3, 5), x, torch.zeros(1), 1, 1,
                                               0, 0, 1, 1, 1, 1, False)


PROGRAMS = [suppression, regions, own_bins, deformed, places]
FAILURES = {
    three_corners: "boxes should have 4 elements in dimension 1, got 3",
    bins_without_channels: "input channels must be a multiple of pooling height * pooling width",
    short_offsets: "deform_conv2d: expected offsets of shape [1, 8, 3, 5] but got [1, 4, 3, 5]",
    two_scores: "boxes and scores should have same number of elements in dimension 0, got 4 and 2",
}

"""Images sampled at points of a grid: planes narrower than windows and wider, blocks of points and what is left over,
all ways to pad."""
from typing import List

import torch
import torch.nn.functional as F


def wave(sizes: List[int], kind: torch.dtype) -> torch.Tensor:
    n = 1
    for size in sizes:
        n *= size
    i = torch.arange(n, dtype=torch.float64)
    return (torch.sin(i * 1.7) * 1.5 + torch.cos(i * i * 0.01)).to(kind).reshape(sizes)


def folded(y: torch.Tensor) -> torch.Tensor:
    """Sums of every seventh element, so that an error shows at which of them it is."""
    flat = y.reshape(-1).to(torch.float64)
    return torch.stack([flat[k::7].sum() for k in range(7)])


def sampled_planes(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    made: List[torch.Tensor] = []
    for kind in [torch.float32, torch.float64]:
        for h, w, columns in [(1, 1, 3), (2, 3, 37), (3, 2, 8), (4, 4, 4), (9, 7, 45)]:
            image, grid = wave([2, 3, h, w], kind), wave([2, 3, columns, 2], kind)
            for mode in range(3):
                for padding in range(3):
                    made += [folded(torch.grid_sampler(image, grid, mode, padding, True)), folded(torch.grid_sampler_2d(image, grid, mode, padding, False))]
    return made


def sampled_spaces(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    made: List[torch.Tensor] = []
    for kind in [torch.float32, torch.float64]:
        for d, h, w, columns in [(1, 1, 1, 3), (2, 2, 1, 37), (2, 3, 2, 8), (4, 5, 6, 45)]:
            image, grid = wave([2, 3, d, h, w], kind), wave([2, 1, 2, columns, 3], kind)
            for mode in range(2):
                for padding in range(3):
                    made += [folded(torch.grid_sampler(image, grid, mode, padding, True)), folded(torch.grid_sampler_3d(image, grid, mode, padding, False))]
    return made


def sampled_middles(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """The nearest of two that are as near: in volumes the one away from 0, in planes the even one."""
    made: List[torch.Tensor] = []
    for kind in [torch.float32, torch.float64]:
        places = (torch.arange(13).to(kind) - 6) / 4
        space = torch.stack([places, torch.zeros(13).to(kind), places.flip([0])], 1).reshape(1, 1, 1, 13, 3)
        image = torch.arange(32).to(kind).reshape(1, 1, 4, 2, 4)
        for padding in ["zeros", "border", "reflection"]:
            for corners in [True, False]:
                made += [F.grid_sample(image, space, "nearest", padding, corners), F.grid_sample(image[:, :, 1], space[:, 0, :, :, :2], "nearest", padding, corners)]
    return made


def sampled_as_they_lie(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Slices of batches and channels, channels that lie together, one grid for all images, turned grids; empty ones."""
    image, grid = wave([3, 4, 5, 6], torch.float32), wave([3, 4, 5, 2], torch.float32)
    made: List[torch.Tensor] = []
    for mode in ["bilinear", "nearest", "bicubic"]:
        made += [F.grid_sample(a, g, mode, "zeros", False) for a, g in
                 [(image[1:, 1::2], grid[1:]), (image.contiguous(memory_format=torch.channels_last), grid), (image[:, :, 1:4, 1:], grid), (image, grid[:1].expand(3, 4, 5, 2)),
                  (image[:1].expand(3, 4, 5, 6), grid), (image, grid.transpose(1, 2)), (image, grid.flip(3)), (image[:, :0], grid), (image, grid[:, :, :0]), (image[:0], grid[:0])]]
    return made


def points_nowhere(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Points that are no numbers, infinite or far away; and images with such numbers where weights are 0."""
    nan, far = float("nan"), float("inf")
    grid = torch.tensor([[nan, 0.1], [0.1, nan], [far, 0.1], [0.1, -far], [1e30, 0.1], [0.1, -1e30], [nan, 1e30], [3.0, nan], [-2.0, 2.0], [0.9, 0.8]]).reshape(1, 10, 1, 2)
    space = torch.tensor([[nan, 0.1, 0.1], [0.1, nan, 0.1], [0.1, 0.1, far], [0.1, -far, 0.1], [1e30, 0.1, 0.1], [-3.0, nan, 2.0], [-2.0, 2.0, 0.5]]).reshape(1, 7, 1, 1, 3)
    near = torch.where(torch.abs(grid) == 1e30, torch.sign(grid) * 1e5, grid)
    made: List[torch.Tensor] = []
    for kind in [torch.float32, torch.float64]:
        image = wave([1, 1, 4, 5], kind)
        holes = image.clone()
        holes[0, 0, 0, 0], holes[0, 0, 3, 4], holes[0, 0, 1, 2] = nan, far, -far
        for mode in range(3):
            for padding in range(3):
                made += [torch.grid_sampler(image, (near if padding == 2 else grid).to(kind), mode, padding, False), torch.grid_sampler(holes, grid.to(kind)[:, 8:], mode, padding, True)]
        for mode in range(2):
            made += [torch.grid_sampler(image[:, :, None], space.to(kind), mode, 0, True), torch.grid_sampler(image[:, :, None], space.to(kind), mode, 1, True)]
    edges = torch.tensor([-1.0, -0.75, 0.75, 1.0])
    corners = torch.stack([edges.repeat(4), edges.repeat_interleave(4)], 1).reshape(1, 16, 1, 2)
    inside = torch.full([1, 1, 4, 4], far)
    inside[0, 0, 0, 0] = nan
    return made + [torch.grid_sampler(inside, corners, 0, 0, False), torch.grid_sampler(inside, corners, 1, 0, False)]


def derived_at_points(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    made: List[torch.Tensor] = []
    for mode in ["bilinear", "bicubic"]:
        image, grid = x.reshape(1, 2, 3, 4).clone().requires_grad_(True), (x.reshape(1, 3, 4, 2) * 0.4).requires_grad_(True)
        y = F.grid_sample(image, grid, mode, "border", False)
        a, b = torch.autograd.grad([(y * y).sum()], [image, grid])
        if a is not None and b is not None:
            made += [y.detach(), a, b]
    return made


def batch_differs(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.grid_sampler(torch.zeros(2, 1, 3, 3), torch.zeros(1, 2, 2, 2), 0, 0, False)


def nothing_to_sample(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.grid_sampler(torch.zeros(1, 1, 3, 0), torch.zeros(1, 2, 2, 2), 0, 0, False)


def grid_of_doubles(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.grid_sampler(torch.zeros(1, 1, 3, 3), torch.zeros(1, 2, 2, 2, dtype=torch.float64), 0, 0, False)


def cubic_spaces(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.grid_sampler(torch.zeros(1, 1, 3, 3, 3), torch.zeros(1, 2, 2, 2, 3), 2, 0, False)


PROGRAMS = [sampled_planes, sampled_spaces, sampled_middles, sampled_as_they_lie, points_nowhere, derived_at_points]

FAILURES = {batch_differs: "grid_sampler(): expected grid and input to have same batch size, but got input with sizes [2, 1, 3, 3] and grid with sizes [1, 2, 2, 2]",
            nothing_to_sample: "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes [1, 1, 3, 0] with dimension 3 being empty",
            grid_of_doubles: "expected scalar type Float but found Double",
            cubic_spaces: "grid_sampler(): bicubic interpolation only supports 4D input"}

"""Functions of torch that are Python and not operators, and those whose results depend on a flag."""
from typing import List

import torch
import torch.nn.functional as F


def norms(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    return [torch.norm(x), torch.norm(x, dim=1), torch.norm(x, 1), torch.norm(x, p="fro", dim=[0, 1], keepdim=True),
            torch.norm(x, 3.0, 0), torch.norm(x, p="fro", dim=0), torch.norm(x, 2, [1], dtype=torch.float64)]


def tensor_products(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    y = x.t()
    return [torch.tensordot(x, y, 1), torch.tensordot(x, y, dims=[[0, 1], [1, 0]]), torch.tensordot(x, x, ([1], [1])),
            torch.tensordot(x, x), torch.tensordot(x, x, torch.tensor([[0], [0]]))]


def pooling_with_indices(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    image = x.reshape(1, 1, 4, 6)
    a, b = F.max_pool2d(image, 2, return_indices=True)
    c, d = F.max_pool1d(x, 2, None, 0, 1, False, True)
    e, f = F.adaptive_max_pool2d(image, [2, 2], True)
    return [a, b, c, d, e, f, F.max_pool2d(image, 2), F.adaptive_max_pool1d(x, 3)]


def distinct(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    y = torch.tensor([3, 1, 1, 2, 3, 3])
    a, b = torch.unique(y, return_inverse=True)
    c, d = torch.unique(y, return_counts=True)
    e, f, g = torch.unique(y, True, True, True)
    h, i = torch.unique_consecutive(y, return_counts=True)
    return [a, b, c, d, e, f, g, h, i, torch.unique(y), torch.unique_consecutive(y), torch.cdist(x, x[:2], p=1.0),
            torch.cdist(x, x[:2], compute_mode="donot_use_mm_for_euclid_dist")]


def nuclear_norms(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    cube = x.reshape(2, 3, 4)
    return [torch.norm(x, "nuc"), torch.norm(cube, "nuc", [1, 2]), torch.norm(cube, "nuc", [0, 2], True)]


def random_cells(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    image, samples = x.reshape(1, 1, 4, 6), torch.tensor([[[0.3, 0.8]]])
    a, b = F.fractional_max_pool2d(image, (2, 2), output_ratio=(0.5, 0.5), return_indices=True, _random_samples=samples)
    c, d = F.fractional_max_pool2d_with_indices(image, 2, output_size=[2, 3], _random_samples=samples)
    return [a, b, c, d, F.fractional_max_pool2d(image, 2, output_size=2, _random_samples=samples)]


def old_resizing(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    image = x.reshape(1, 2, 3, 4)
    return [F.upsample_nearest(image, 5), F.upsample_nearest(image, [5, 6]), F.upsample_nearest(image, scale_factor=2.0),
            F.upsample_bilinear(image, 5), F.upsample_bilinear(image, scale_factor=[2.0, 1.5])]


def triangles(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a, b = torch.lu(x[:, :4])
    c, d, e = torch.lu(x[:, 2:], get_infos=True)
    return [a, b, c, d, e]


def cells_of_no_size(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return F.fractional_max_pool2d(x.reshape(1, 1, 4, 6), 2)


def unknown_norm(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.norm(x, "unknown")


def statistics_of_one_value(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return F.batch_norm(x[:1], None, None, training=True)


def statistics_of_one_place(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return F.instance_norm(x.reshape(4, 6, 1))


def groups_of_one_value(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return F.group_norm(x[:1], 6)


def groups_of_a_line(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return F.group_norm(x[0], 2)


PROGRAMS = [nuclear_norms, random_cells, old_resizing, triangles, norms, tensor_products, pooling_with_indices, distinct]
FAILURES = {cells_of_no_size: "fractional_max_pool2d requires specifying either an output_size or an output_ratio",
            statistics_of_one_value: "Expected more than 1 value per channel when training, got input size [1, 6]",
            statistics_of_one_place: "Expected more than 1 spatial element when training, got input size [4, 6, 1]",
            groups_of_one_value: "Expected more than 1 value per channel when training, got input size [1, 6]",
            groups_of_a_line: "Expected at least 2 dimensions for input tensor but received 1", unknown_norm: "only valid string values are 'fro' and 'nuc', found unknown"}

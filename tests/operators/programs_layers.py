"""Layers that keep state, recurrent cells, pooling of integers, and what the language asks of values."""
from typing import List, Tuple

import torch
import torch.nn.functional as F


def running_statistics(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    mean, var = torch.zeros(2), torch.ones(2)
    planes = x.reshape(4, 2, 3)
    first = F.instance_norm(planes, mean, var, momentum=0.3)
    means, variances = torch.zeros(6), torch.ones(6)
    second = F.batch_norm(x, means, variances, training=True)
    return [first, mean, var, second, means, variances, F.instance_norm(planes, mean, var, use_input_stats=False)]


def cells(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    made: List[torch.Tensor] = []
    for a in [x, x.to(torch.float64)]:
        h = a[:, :2]
        wi, wh, b = torch.cat([a, -a])[:, :6], torch.cat([h, h * 2]), torch.cat([h[:, 0], h[:, 1]])
        y, c = torch.lstm_cell(a, [h, -h], wi, wh, b, b)
        made += [y, c, torch.gru_cell(a, h, wi[:6], wh[:6], b[:6], b[:6]), torch.rnn_tanh_cell(a, h, wi[:2], wh[:2], b[:2], b[:2]),
                 torch.rnn_relu_cell(a, h, wi[:2], wh[:2])]
        z, h1, c1 = torch.lstm(a.unsqueeze(1), [h[:2].unsqueeze(1), h[2:].unsqueeze(1)], [wi, wh, b, b, wi, wh, b, b], True, 1, 0.0, False,
                               True, False)
        made += [z, h1, c1]
    return made


def wrong_cell(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.rnn_tanh_cell(x, x[:, :2], x[:2, :5], x[:2, :2], None, None)


def integers(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    image = (x * 5).to(torch.int64).reshape(1, 1, 4, 6)
    flags = x[0] > 0
    return [F.avg_pool2d(image, 2), F.avg_pool1d(image[0], 3, padding=1), F.avg_pool2d(image, [3, 2], 1, 0, False, True, 5),
            F.conv_transpose2d(image, image[:, :, :2, :2], stride=2), flags.square()]


def wrong_pool(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return F.adaptive_avg_pool2d(t.reshape(1, 1, 2, 2), [1, 1])


def empty(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    ints: List[int] = []
    flags: List[bool] = []
    floats: List[float] = []
    return [torch.tensor(ints), torch.as_tensor(flags), torch.tensor(floats), torch.tensor([ints, ints])]


def hashes(x: torch.Tensor, t: torch.Tensor) -> Tuple[List[int], List[int]]:
    return ([hash(s) for s in ["", "a", "hello", "eight by", "more than sixteen bytes"]] + [hash(v) for v in [0.0, -0.0, 22.443, -1e300]],
            [hash((1, 2, 3)), hash(("ab", 1.5, True)), hash(((1, 2), 3)), hash(-5), hash(True)])


def wrong_hash(x: torch.Tensor, t: torch.Tensor) -> int:
    return hash((1, [2]))


PROGRAMS = [running_statistics, cells, integers, empty, hashes]
# What raises, and a part of our text.
FAILURES = {wrong_cell: "input has inconsistent input_size", wrong_pool: "not implemented for 'Long'", wrong_hash: "unhashable type: 'List"}

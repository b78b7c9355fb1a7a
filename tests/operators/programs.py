"""Operators without kernels of their own (made of others at export), and families that are tested through whole
programs: each function takes two tensors, x [4, 6] of floats and t [4] of class numbers."""
from typing import List, Tuple

import torch
import torch.nn.functional as F


class Named:
    def __init__(self, key: int, name: str):
        self.key = key
        self.name = name

    def __lt__(self, other: 'Named') -> bool:
        return self.key < other.key


def losses(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    y = x.flip([0]) * 0.5
    p, q = torch.sigmoid(x), torch.sigmoid(y)
    sign = torch.where(x > 0, torch.ones_like(x), -torch.ones_like(x))
    return [F.mse_loss(x, y), F.l1_loss(x, y, reduction="sum"), F.smooth_l1_loss(x, y, beta=0.5), F.huber_loss(x, y, delta=0.7),
            F.binary_cross_entropy(p, q), F.binary_cross_entropy_with_logits(x, q), F.kl_div(F.log_softmax(x, 1), q, reduction="sum"),
            F.poisson_nll_loss(x, q, full=True), F.hinge_embedding_loss(x, sign), F.soft_margin_loss(x, sign),
            F.cosine_embedding_loss(x, y, sign[:, 0]), F.margin_ranking_loss(x[:, 0], y[:, 0], sign[:, 0], 0.2),
            F.triplet_margin_loss(x, y, x.roll(1, 0), swap=True), F.multi_margin_loss(x, t)]


def classes(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    w = torch.tensor([1.0, 2.0, 0.5, 1.5, 1.0, 3.0])
    logs = F.log_softmax(x, 1)
    return [F.cross_entropy(x, t), F.cross_entropy(x, t, weight=w, reduction="none"), F.cross_entropy(x, t, ignore_index=2),
            F.cross_entropy(x, t, weight=w, label_smoothing=0.1), F.cross_entropy(x, F.softmax(x, 1)), F.nll_loss(logs, t, weight=w),
            F.nll_loss(logs[0], t[0], reduction="none")]


def distances(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    y = x.flip([1])
    return [F.pairwise_distance(x, y), F.pairwise_distance(x, y, p=1.0, keepdim=True), F.cosine_similarity(x, y, dim=0)]


def shapes(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    image = x.reshape(1, 8, 3, 1)
    a, b = torch.broadcast_tensors(x[:, :1], x[:1])
    return [F.pixel_shuffle(image, 2), F.pixel_unshuffle(F.pixel_shuffle(image, 2), 2), a, b, x.repeat_interleave(2, 1),
            x.repeat_interleave(3), x.mT, torch.hstack([x, x]), torch.vstack([x[0], x[1]]), torch.dstack([x, x]), x.fliplr(),
            x.tile([2]), torch.kron(x[:2, :2], x[2:, :2]), torch.inner(x, x),
            torch.select_scatter(x, x[0], 0, 2)]


def sums(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    low, high = torch.aminmax(x)
    lows, highs = torch.aminmax(x, dim=1, keepdim=True)
    return [low, high, lows, highs, torch.count_nonzero(t), torch.histc(x, 5), torch.histc(x, 4, -1.0, 1.0), x.logcumsumexp(1),
            torch.xlogy(x, x.abs()), torch.isnan(x / (x - x))]


def convolutions(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    line, image = x.unsqueeze(1), x.reshape(1, 1, 4, 6)
    return [F.conv1d(line, torch.ones(2, 1, 4), padding="same"), F.conv2d(image, torch.ones(2, 1, 3, 2), padding="same", dilation=2),
            F.conv2d(image, torch.ones(1, 1, 2, 2), padding="valid"), F.adaptive_max_pool2d(image, [3, 2])]


def sorting(x: torch.Tensor, t: torch.Tensor) -> Tuple[List[torch.Tensor], List[torch.Tensor], List[str]]:
    values, order = torch.sort(x, 1)
    down, back = torch.sort(t, 0, True)
    most, where = torch.topk(x, 2, 0)
    least, at = torch.topk(x, 3, 1, False)
    kth, place = torch.kthvalue(x, 2, 1)
    items = [Named(3, "a"), Named(1, "b"), Named(3, "c"), Named(2, "d")]
    sorted_items = sorted(items)
    items.sort(reverse=True)
    return ([values, down, most, least, kth], [order, back, where, at, place, torch.argsort(x, 0)],
            [i.name for i in sorted_items] + [i.name for i in items])


def scattering(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    index = torch.tensor([[0, 2, 1], [3, 3, 0]])
    source = x[2:, :3]
    return [x.scatter(0, index, source), x.scatter(1, index, 9.0), x.scatter_add(0, index, source), x.index_add(1, t, x[:, 2:], alpha=2),
            x.index_copy(1, t, x[:, 2:]), x.index_fill(1, t, -1.0), torch.take_along_dim(x, torch.argsort(x, 0), 0)]


def quantizing(x: torch.Tensor, t: torch.Tensor) -> Tuple[List[torch.Tensor], List[torch.Tensor], float, int]:
    q = torch.quantize_per_tensor(x, 0.05, 10, torch.quint8)
    c = torch.quantize_per_channel(x, torch.tensor([0.1, 0.2, 0.05, 0.01]), torch.tensor([0, 5, -3, 1]), 0, torch.qint8)
    return ([q.dequantize(), c.dequantize(), c.q_per_channel_scales().to(torch.float32)], [q.int_repr(), c.int_repr()], q.q_scale(), q.q_zero_point())


def einsums(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    cube, w = x.reshape(2, 3, 4), x.reshape(4, 2, 3)
    return [torch.einsum("ij,kj->ki", x, x), torch.einsum("ij", x.t()), torch.einsum("b i d, d c j -> b c i j", cube, w),
            torch.einsum("...a,ab", cube, x), torch.einsum("iij->ji", x[:, :4].reshape(2, 2, 4)), torch.einsum("ij,ij->", x, x),
            torch.einsum("i,j,k->kji", x[0], x[1, :2], x[2, :3]), torch.einsum("bn,anm,bm->ba", x[:2, :2], w, x[2:, :3]),
            torch.einsum("ab,bc", x[:, :1], x), torch.einsum("ij,i->j", t.reshape(2, 2), t[:2]), torch.einsum("ij,jk->ik", x[:, :0], x[:0])]


PROGRAMS = [losses, classes, distances, shapes, sums, convolutions, sorting, scattering, quantizing, einsums]

"""The operators that PyTorch's derivatives consist of (aten::..._backward), and gradients at the edges of losses."""
from typing import List

import torch
import torch.nn.functional as F


def activations(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    g, p = x.flip([0]), torch.sigmoid(x)
    return [torch.ops.aten.sigmoid_backward(g, p), torch.ops.aten.tanh_backward(g, p), torch.ops.aten.threshold_backward(g, x, 0.5),
            torch.ops.aten.hardtanh_backward(g, x, -1, 1), torch.ops.aten.leaky_relu_backward(g, x, 0.1, False),
            torch.ops.aten.elu_backward(g, 1.5, 1.2, 0.7, False, x), torch.ops.aten.elu_backward(g, 1.5, 1.2, 0.7, True, x),
            torch.ops.aten.softplus_backward(g, x, 2, 3), torch.ops.aten.hardshrink_backward(g, x, 0.5),
            torch.ops.aten.softshrink_backward(g, x, 0.5), torch.ops.aten.hardsigmoid_backward(g, x), torch.ops.aten.hardswish_backward(g, x * 3),
            torch.ops.aten.silu_backward(g, x), torch.ops.aten.mish_backward(g, x), torch.ops.aten.gelu_backward(g, x),
            torch.ops.aten.gelu_backward(g, x, approximate="tanh"), torch.ops.aten.log_sigmoid_backward(g, x, torch.exp(-x.abs())),
            torch.ops.aten.logit_backward(g, p), torch.ops.aten.logit_backward(g, p, 0.2), torch.ops.aten.glu_backward(g[:, :3], x, 1),
            torch.ops.aten.glu_jvp(g[:, :3], x, g, 1), torch.ops.aten.native_dropout_backward(g, x > 0, 2.0),
            torch.ops.aten.rrelu_with_noise_backward(g, x, p, 0.1, 0.3, False, False),
            torch.ops.aten._softmax_backward_data(g, torch.softmax(x, 1), 1, torch.float),
            torch.ops.aten._log_softmax_backward_data(g, torch.log_softmax(x, 0), 0, torch.float),
            torch.ops.aten._masked_softmax_backward(g, torch.softmax(x, 1), x > 0, 1)]


def losses(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    g, p = x.flip([0]), torch.sigmoid(x)
    one, four = g[0, 0], torch.tensor(4.0)
    return [torch.ops.aten.mse_loss_backward(g, x, p, 0), torch.ops.aten.mse_loss_backward(one, x, p, 1),
            torch.ops.aten.smooth_l1_loss_backward(one, x, p, 1, 0.7), torch.ops.aten.smooth_l1_loss_backward(g, x, p, 0, 0.0),
            torch.ops.aten.huber_loss_backward(one, x, p, 2, 0.7), torch.ops.aten.binary_cross_entropy_backward(g, p, p.flip([1]), p, 0),
            torch.ops.aten.soft_margin_loss_backward(one, x, torch.sign(g), 1), torch.ops.aten.nll_loss_backward(one, x, t, None, 1, -100, four),
            torch.ops.aten.nll_loss_backward(g[:, 0], x, t, p[0], 0, 2, four),
            torch.ops.aten.nll_loss2d_backward(one, x.reshape(1, 6, 2, 2), t.reshape(1, 2, 2), None, 1, -100, four),
            torch.ops.aten.multilabel_margin_loss_backward(one, x[:2], torch.tensor([[3, 0, -1, 1, 2, 0], [-1, 0, 0, 0, 0, 0]]), 1, (x[:2] > 0).float()),
            torch.ops.aten.multi_margin_loss_backward(one, x, t, 1, 1), torch.ops.aten.multi_margin_loss_backward(g[:, 0], x, t, 2, 0.5, p[0], 0)]


def views(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    g, holes = x.flip([0]), x * (x > 0)
    return [torch.ops.aten.select_backward(g[0], [4, 6], 0, 2), torch.ops.aten.slice_backward(g[:2], [4, 6], 0, 1, 4, 2),
            torch.ops.aten.diagonal_backward(g[0, :4], [4, 6], 1, 0, 1), torch.ops.aten.diag_backward(g[:4, :4], [4], 0),
            torch.ops.aten.trace_backward(g[0, 0], [4, 6]), torch.ops.aten.unfold_backward(x.unfold(1, 3, 1), [4, 6], 1, 3, 1),
            torch.ops.aten.index_select_backward(g[:3], [5, 6], 0, t[:3] % 4), torch.ops.aten.gather_backward(g[:, :1], x, 1, t.unsqueeze(1), False),
            torch.ops.aten.masked_select_backward(x[x > 0], x, x > 0), torch.ops.aten.value_selecting_reduction_backward(g[:, 0], 1, t, [4, 6], False),
            torch.ops.aten.cummaxmin_backward(g, x, torch.cummax(x, 1)[1], 1), torch.ops.aten.cumprod_backward(g, x, 1, x.cumprod(1)),
            torch.ops.aten.cumprod_backward(g, holes, 1, holes.cumprod(1)), torch.ops.aten._cdist_backward(g[:, :4], x, g, 2.0, torch.cdist(x, g)),
            torch.ops.aten._cdist_backward(g[:, :4].contiguous(), x, g + 1, 3.0, torch.cdist(x, g + 1, 3.0)),
            torch.ops.aten._pdist_backward(g.flatten()[:6], x, 2.0, torch.pdist(x)), torch.ops.aten.embedding_dense_backward(g, t, 7, 5, False),
            torch.ops.aten.embedding_backward(g, t % 2, 7, -1, True, False),
            torch.ops.aten._pack_padded_sequence_backward(g, [3, 2, 6], torch.tensor([2, 1, 1]), False)]


def normalization(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    g, p, y = x.flip([0]), torch.sigmoid(x), x.reshape(2, 2, 6)
    all = [True, True, True]
    a, b = torch.ops.aten.prelu_backward(g, x, p[0])
    c, d, e = torch.ops.aten.native_layer_norm_backward(g, x, [6], x.mean(1, True), torch.rsqrt(x.var(1, False, True) + 1e-5), p[0], p[1], all)
    f, h, i = torch.ops.aten.native_group_norm_backward(g.reshape(2, 4, 3), x.reshape(2, 4, 3), y.mean(2), torch.rsqrt(y.var(2, False) + 1e-5),
                                                        p[0, :4], 2, 4, 3, 2, all)
    j, k, m = torch.ops.aten.native_batch_norm_backward(g, x, p[0], None, None, x.mean(0), torch.rsqrt(x.var(0, False) + 1e-5), True, 1e-5, all)
    n, o, q = torch.ops.aten.native_batch_norm_backward(g, x, None, p[0], p[1], None, None, False, 1e-5, all)
    r, s = torch.ops.aten._weight_norm_interface_backward(g, x, p[0].reshape(1, 6), torch.norm_except_dim(x, 2, 1), 1)
    return [a, b, c, d, e, f, h, i, j, k, m, n, o, q, r, s]


def convolutions(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    i, w, all = x.reshape(1, 2, 3, 4), x.flip([0]), [True, True, True]
    a, b, c = torch.ops.aten.convolution_backward(torch.conv2d(i, w.reshape(6, 1, 2, 2), None, [2, 1], [1, 1], [1, 2], 2), i, w.reshape(6, 1, 2, 2), [6],
                                                  [2, 1], [1, 1], [1, 2], False, [0, 0], 2, all)
    d, e, f = torch.ops.aten.convolution_backward(torch.conv_transpose2d(i, w.reshape(2, 3, 2, 2), None, [2, 1], [1, 0], [1, 0]), i,
                                                  w.reshape(2, 3, 2, 2), [3], [2, 1], [1, 0], [1, 1], True, [1, 0], 1, all)
    s, k = x.reshape(4, 2, 3), w[:2].reshape(2, 3, 2)
    g, h, j = torch.ops.aten.conv_tbc_backward(torch.conv_tbc(s, k, x[0, :2], 1), s, k, x[0, :2], 1)
    return [a, b, c, d, e, f, g, h, j]


def images(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    planes, lines, volume = x.reshape(1, 1, 4, 6), x.reshape(1, 4, 6), x.reshape(1, 1, 2, 2, 6)
    small = x.reshape(1, 2, 3, 4)
    most, places = torch.nn.functional.max_pool2d_with_indices(small, [2, 2])
    return [torch.ops.aten.max_pool2d_with_indices_backward(most, small, [2, 2], [2, 2], [0, 0], [1, 1], False, places),
            torch.ops.aten._adaptive_avg_pool2d_backward(x.reshape(2, 3, 2, 2), torch.zeros(2, 3, 5, 7)),
            torch.ops.aten._adaptive_avg_pool3d_backward(x.reshape(1, 2, 3, 2, 2), torch.zeros(1, 2, 4, 5, 7)),
            torch.ops.aten.avg_pool2d_backward(x.reshape(2, 1, 3, 4), torch.zeros(2, 1, 5, 7), [3, 3], [2, 2], [1, 1], False, False, None),
            torch.ops.aten.avg_pool2d_backward(x.reshape(2, 1, 3, 4), torch.zeros(2, 1, 6, 8), [3, 3], [2, 2], [1, 1], False, True, 5),
            torch.ops.aten.reflection_pad2d_backward(lines, torch.zeros(1, 2, 3), [2, 1, 1, 1]),
            torch.ops.aten.replication_pad3d_backward(volume, torch.zeros(1, 1, 1, 1, 3), [2, 1, 1, 0, 0, 1]),
            torch.ops.aten.upsample_nearest2d_backward(planes, [4, 6], [1, 1, 3, 4], 1.5, None),
            torch.ops.aten._upsample_nearest_exact2d_backward(planes, [4, 6], [1, 1, 3, 4]),
            torch.ops.aten.upsample_linear1d_backward(lines, [6], [1, 4, 4], True),
            torch.ops.aten.upsample_bilinear2d_backward(planes, None, [1, 1, 2, 3], False, [2.0, 2.0]),
            torch.ops.aten.upsample_trilinear3d_backward(volume, [2, 2, 6], [1, 1, 1, 3, 4], False),
            torch.ops.aten.upsample_bicubic2d_backward(planes, [4, 6], [1, 1, 3, 4], False),
            torch.ops.aten._upsample_bilinear2d_aa_backward(planes, [4, 6], [1, 1, 9, 8], False),
            torch.ops.aten.affine_grid_generator_backward(x.reshape(2, 2, 3, 2), [2, 1, 2, 3], False)]


def trace_of_vector(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.ops.aten.trace_backward(x[0, 0], [4])


def with_gradient(numbers: torch.Tensor, classes: torch.Tensor, reduction: str, kind: int) -> List[torch.Tensor]:
    leaf = numbers.detach().requires_grad_()
    if kind == 0:
        loss = F.cross_entropy(leaf, classes, ignore_index=1, reduction=reduction)
    elif kind == 1:
        loss = F.nll_loss(leaf, classes, ignore_index=1, reduction=reduction)
    elif kind == 2:
        loss = F.cross_entropy(leaf, classes, ignore_index=1, reduction=reduction, label_smoothing=0.1)
    else:
        loss = F.nll_loss(leaf, classes, torch.tensor([0.5, 1.0, 0.0, 2.0]), ignore_index=1, reduction=reduction)
    gradient = torch.autograd.grad([loss.sum()], [leaf])[0]
    assert gradient is not None
    return [loss.detach(), gradient]


def nothing_counted(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    """Losses of classes that are all ignored, or of which the ignored have numbers that are none: neither loss nor
    gradient takes part of them."""
    a, strange = x[:3, :4], x[:3, :4].clone()
    strange[0, 2], strange[1, 3] = -float("inf"), float("inf")
    made: List[torch.Tensor] = []
    for classes in [torch.tensor([1, 1, 1]), torch.tensor([1, 0, 2])]:
        for reduction in ["none", "mean", "sum"]:
            for kind in range(4):
                made += with_gradient(a, classes, reduction, kind) + with_gradient(strange, classes, reduction, kind)
        given, total = torch.ops.aten.nll_loss_forward(a, classes, None, 1, 1)
        made += [given, torch.ops.aten.nll_loss_backward(torch.ones([]), a, classes, None, 1, 1, total)]
    return made


PROGRAMS = [activations, losses, views, normalization, convolutions, images, nothing_counted]
FAILURES = {trace_of_vector: "expected matrix input"}

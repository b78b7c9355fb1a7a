"""Operators that PyTorch's own functions call, as traced programs hold them; resizing; fake quantization."""
from typing import List

import torch
import torch.nn.functional as F


def helpers(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a, b, c = x.clone(), torch.zeros(9, 2), torch.zeros(3, 3, 3)
    a.fill_diagonal_(3.0)
    b.fill_diagonal_(3.0, True)
    c.fill_diagonal_(2.0)
    low, high = torch._aminmax(x, 1, True)
    values, places = torch._unique(t, True, True)
    return [a, b, c, low, high, values, places, torch._shape_as_tensor(x), torch._reshape_from_tensor(x, torch.tensor([2, -1])),
            torch._trilinear(x[:2, :3], torch.ones(2, 3, 4), x[:2, :4], [1, 3], [0], [1, 2], [2, 3]), torch._cast_Long(x * 3),
            torch._addmm_activation(x[0], torch.ones(4, 4), torch.ones(4, 6), use_gelu=True), torch._euclidean_dist(x, x + 1),
            torch.range(0, 3), torch.range(1, 2.5, 0.5), torch.range(3, -1, -2, dtype=torch.int64)]


def weights(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    rows, columns = torch.norm_except_dim(x, 2, 0), torch.norm_except_dim(x, 2, 1)
    return [rows, columns, torch.norm_except_dim(x, 2, -1), torch.norm_except_dim(x.unsqueeze(0), 1, 1), torch._weight_norm(x, rows * 2, 0),
            torch._weight_norm(x, columns * 2, 1)]


def result_types(x: torch.Tensor, t: torch.Tensor) -> List[int]:
    return [torch.result_type(x, t), torch.result_type(t, 1), torch.result_type(t, 1.5), torch.result_type(2.5, x),
            torch.result_type(x[0, 0], t), torch.result_type(t > 0, t[0])]


def convolutions(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    i, w = x.reshape(1, 2, 3, 4), torch.arange(24.0).reshape(2, 2, 2, 3) / 10
    v, k = x.reshape(1, 1, 2, 3, 4), torch.arange(8.0).reshape(1, 1, 2, 2, 2) / 10
    return [torch._convolution_mode(i, w, None, [1, 1], "same", [1, 1], 1), torch._convolution_mode(i, w, None, [2, 1], "valid", [1, 1], 1),
            torch.conv3d(v, k, None, 1, "same"), torch.conv_tbc(x.reshape(4, 2, 3), torch.arange(12.0).reshape(2, 3, 2), torch.ones(2), 1),
            torch.ops.aten.thnn_conv2d(i, w, [2, 3], None, [1, 1], [1, 1]), torch.ops.aten.slow_conv3d(v, k, [2, 2, 2]),
            torch.ops.aten.slow_conv_dilated2d(i, w, [2, 3], torch.ones(2), [1, 1], [1, 1], [1, 2]),
            torch.ops.aten.slow_conv_transpose2d(i, w, [2, 3], torch.ones(2), [2, 1], [1, 1], [1, 0], [1, 1])]


def resizing(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a, b, c = x.reshape(1, 4, 6), x.reshape(1, 2, 3, 4), x.reshape(1, 1, 2, 3, 4)
    return [F.interpolate(b, size=[2, 3], mode="bilinear", antialias=True), F.interpolate(b, size=[2, 2], mode="bicubic", antialias=True),
            F.interpolate(b, scale_factor=0.6, mode="bilinear", antialias=True), F.interpolate(b, size=[5, 7], mode="bicubic", antialias=True),
            F.interpolate(b, size=[2, 3], mode="bilinear", align_corners=True, antialias=True), F.interpolate(a, scale_factor=1.5, mode="nearest-exact"),
            F.interpolate(b, size=[5, 7], mode="nearest-exact"), F.interpolate(c, size=4, mode="nearest-exact"), F.interpolate(a, size=3, mode="area"),
            F.interpolate(b, scale_factor=0.7, mode="area"), torch.ops.aten._upsample_nearest_exact2d(b, [5, 7], 2.0, None)]


def layers(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a, b, c = torch.native_group_norm(x.reshape(2, 4, 3), torch.ones(4) * 2, torch.ones(4), 2, 4, 3, 2, 1e-5)
    d, e, f, _, _ = torch._batch_norm_impl_index(x, None, None, None, None, True, 0.1, 1e-5, False)
    m, v = torch.zeros(6), torch.ones(6)
    g, h = torch.batch_norm_update_stats(x, m, v, 0.1)
    i, j = torch.ops.aten.log_sigmoid_forward(x)
    return [a, b, c, d, e, f, m, v, g, h, i, j, torch._masked_softmax(x, x > 0, 1, 2)]


def class_losses(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    r: List[torch.Tensor] = []
    logs = torch.log_softmax(x, 1)
    for reduction in [0, 1, 2]:
        a, b = torch.ops.aten.nll_loss_forward(logs, t, torch.arange(6.0), reduction, 2)
        c, d = torch.ops.aten.nll_loss2d_forward(logs.reshape(1, 6, 2, 2), t.reshape(1, 2, 2), None, reduction, 2)
        r += [a, b, c, d, torch.ops.aten.nll_loss(logs[0], t[0], None, reduction, -100)]
    a, b = torch.ops.aten.multilabel_margin_loss_forward(x[:2], torch.tensor([[3, 0, -1, 1, 2, 0], [-1, 0, 0, 0, 0, 0]]), 1)
    return r + [a, b]


def bags(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    r: List[torch.Tensor] = []
    for mode in [0, 1, 2]:
        a, _, _, _ = torch._embedding_bag(x, t % 4, torch.tensor([0, 2, 2]), False, mode)
        b, _, _, _ = torch._embedding_bag_forward_only(x, t % 4, torch.tensor([0, 2, 2]), False, mode, False, None, False, 1)
        r += [a, b]
    return r


def fake_quantized(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    s, z = torch.tensor([0.1, 0.2, 0.05, 0.3]), torch.tensor([0, 3, -2, 1], dtype=torch.int32)
    a, b = torch.ops.aten.fake_quantize_per_tensor_affine_cachemask(x, 0.1, 3, 0, 15)
    return [torch.fake_quantize_per_tensor_affine(x, 0.1, 3, 0, 15), torch.fake_quantize_per_tensor_affine(x, s[0], z[1], -8, 7), a, b,
            torch.fake_quantize_per_channel_affine(x, s, z, 0, -8, 7), torch._fake_quantize_learnable_per_channel_affine(x, s, z.float(), 0, -8, 7, 1.0)]


def observed(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    r: List[torch.Tensor] = []
    on = torch.tensor([1])
    for symmetric in [False, True]:
        for per_row in [False, True]:
            n, low = (4, -128 if symmetric else 0) if per_row else (1, -128 if symmetric else 0)
            least, most = torch.full([n], float("inf")), torch.full([n], float("-inf"))
            scale, zero = torch.ones(n), torch.zeros(n, dtype=torch.int32)
            for k in range(2):
                r.append(torch.fused_moving_avg_obs_fake_quant(x * (k + 1), on, on, least, most, scale, zero, 0.01, low, low + 255, 0, per_row, symmetric))
            r += [least, most, scale, zero]
    return r


def older_resizing(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    b = x.reshape(1, 2, 3, 4)
    return [torch.ops.aten.__interpolate(b, 5, None, "nearest"), torch.ops.aten.__interpolate(b, [5, 2], None, "bilinear"),
            torch.ops.aten.__interpolate(b, None, [1.5, 2.0], "bicubic", True), torch.ops.aten.__upsample(b, [4, 4], None, "bilinear"),
            torch.ops.aten.__upsample_nearest(b, None, 2), torch.ops.aten.__upsample_bilinear(b, None, [2, 3])]


def quantized(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    made = torch._make_per_channel_quantized_tensor(torch.arange(6).reshape(2, 3).to(torch.uint8), torch.tensor([0.1, 0.5]), torch.tensor([1, 2]), 0)
    a, b = torch.quantize_per_tensor([x, x * 2], torch.tensor([0.1, 0.2]), torch.tensor([0, 10]), torch.quint8)
    q = torch.quantize_per_tensor(x, 0.1, 10, torch.quint8)
    p = torch.ops._quantized.linear_prepack(torch.quantize_per_tensor(x, 0.1, 0, torch.qint8), None)
    return [made.dequantize(), made.int_repr(), a.dequantize(), b.dequantize(), torch.ops._quantized.add(q, q, 0.2, 3).dequantize(),
            torch.ops._quantized.linear(q, p, 0.5, 3).dequantize()]


# What is removed as its schema says, though it would write or raise.
def unused(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    torch.ops.aten._no_grad_embedding_renorm_(x, t % 4, 0.5, 2.0)
    torch._assert_tensor_metadata(x, [4, 5], None, torch.float64)
    y = x.clone()
    used = torch.ops.aten._no_grad_embedding_renorm_(y, t % 4, 0.5, 2.0)
    return [x, y, used]


def recorded(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    with torch.autograd.profiler.record_function("outer"):
        with torch.profiler.record_function("inner") as r:
            y = x + 1
    handle = torch.ops.profiler._record_function_enter("plain", None)
    torch.ops.profiler._record_function_exit(handle)
    return y * len(r.name)


def strided_same(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch._convolution_mode(x.reshape(1, 2, 3, 4), torch.ones(2, 2, 2, 2), None, [2, 1], "same", [1, 1], 1)


def smoothed_nearest(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return F.interpolate(x.reshape(1, 2, 3, 4), size=[2, 2], mode="nearest", antialias=True)


def lines_by_planes(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return F.interpolate(x.reshape(1, 4, 6), size=[2], mode="bilinear")


def zero_outside(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    return torch.fake_quantize_per_tensor_affine(x, 0.1, 20, 0, 15)


PROGRAMS = [helpers, weights, result_types, convolutions, resizing, layers, class_losses, bags, fake_quantized, observed, older_resizing, quantized,
            unused, recorded]
FAILURES = {strided_same: "padding='same' is not supported for strided convolutions",
            smoothed_nearest: "Anti-alias option is only supported for bilinear and bicubic modes",
            lines_by_planes: "Got 3D input, but bilinear mode needs 4D input",
            zero_outside: "`zero_point` must be between `quant_min` and `quant_max`."}

"""Derivatives that are operators of their own, and steps of optimizers that put their results into given tensors."""
from typing import List, Tuple

import torch


def sampling(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    image, grid = torch.sin(torch.arange(0, 32)).reshape(1, 2, 4, 4), (torch.cos(torch.arange(0, 18)) * 1.2).reshape(1, 3, 3, 2)
    g = torch.sin(torch.arange(0, 18) * 0.7).reshape(1, 2, 3, 3)
    found: List[torch.Tensor] = []
    for a in torch.ops.aten.grid_sampler_2d_backward(g, image, grid, 0, 0, False, [True, True]):
        found += [a]
    for a in torch.ops.aten.grid_sampler_2d_backward(g, image, grid, 0, 1, True, [True, True]):
        found += [a]
    for a in torch.ops.aten.grid_sampler_2d_backward(g, image, grid, 2, 0, False, [True, True]):
        found += [a]
    for a in torch.ops.aten._grid_sampler_2d_cpu_fallback_backward(g, image, grid, 0, 2, False):
        found += [a]
    deep, places = torch.sin(torch.arange(0, 27)).reshape(1, 1, 3, 3, 3), (torch.cos(torch.arange(0, 24)) * 1.1).reshape(1, 2, 2, 2, 3)
    for a in torch.ops.aten.grid_sampler_3d_backward(torch.ones(1, 1, 2, 2, 2), deep, places, 0, 1, False, [True, True]):
        found += [a]
    return found


def matrices(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a = torch.sin(torch.arange(0, 18)).reshape(2, 3, 3) * 0.5
    g = torch.cos(torch.arange(0, 18)).reshape(2, 3, 3)
    spd = a @ a.transpose(-2, -1) + torch.eye(3)
    return [torch.ops.aten.matrix_exp_backward(a, g), torch.ops.aten._cholesky_solve_helper(g, torch.linalg.cholesky(spd), False)]


def convolution_twice(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    image, weight = torch.sin(torch.arange(0, 50)).reshape(1, 2, 5, 5), torch.cos(torch.arange(0, 54)).reshape(3, 2, 3, 3)
    g, ggi, ggw = torch.sin(torch.arange(0, 27)).reshape(1, 3, 3, 3), torch.cos(image), torch.sin(weight)
    found: List[torch.Tensor] = []
    for a in torch.ops.aten._convolution_double_backward(ggi, ggw, torch.ones(3), g, weight, image, [2, 2], [1, 1], [1, 1], False, [0, 0], 1, [True, True, True]):
        found += [a]
    return found


def cells(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    a, b = torch.sin(torch.arange(0, 24)).reshape(2, 12), torch.cos(torch.arange(0, 24)).reshape(2, 12)
    h, c = torch.sin(torch.arange(0, 6)).reshape(2, 3), torch.cos(torch.arange(0, 6)).reshape(2, 3)
    g1, g2, g3, g4, g5 = torch.ops.aten._thnn_differentiable_lstm_cell_backward(h, c, a, b, torch.ones(12), torch.ones(12), c, h)
    a, b = a[:, :9], b[:, :9]
    f1, f2, f3, f4, f5 = torch.ops.aten._thnn_differentiable_gru_cell_backward(h, a, b, c, torch.ones(9), torch.zeros(9))
    return [g1, g2, g3, g4, g5, f1, f2, f3, f4, f5, torch.ops.aten.glu_backward_jvp(torch.ops.aten.glu_backward(a[:, 4:8], a[:, :8], 1), a[:, 4:8], a[:, :8], b[:, :4], b[:, 1:9], 1)]


def quantizers(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    y, g = torch.sin(torch.arange(0, 24)).reshape(2, 3, 4) * 3, torch.cos(torch.arange(0, 24)).reshape(2, 3, 4)
    a, b, c = torch.ops.aten._fake_quantize_learnable_per_tensor_affine_backward(g, y, torch.tensor([0.03]), torch.tensor([5.0]), -64, 63, 0.5)
    d, e, f = torch.ops.aten._fake_quantize_learnable_per_channel_affine_backward(g, y, torch.tensor([0.03, 0.02, 0.1]), torch.tensor([5.0, 0.0, -3.0]), 1, -64, 63, 0.5)
    return [a, b, c, d, e, f]


def segments(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    data = torch.tensor([[1.0, 2.0], [3.0, 3.0], [3.0, 0.0], [0.5, 0.0], [4.0, 7.0], [0.0, 2.0]])
    lengths, g = torch.tensor([3, 2, 1]), torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    found: List[torch.Tensor] = []
    for kind in ["sum", "mean", "max", "min", "prod"]:
        made = torch.segment_reduce(data, kind, lengths=lengths)
        found += [torch.ops.aten._segment_reduce_backward(g, made, data, kind, lengths=lengths, offsets=None, axis=0)]
    return found


def ctc(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    logs = torch.log_softmax(torch.sin(torch.arange(0, 40)).reshape(5, 2, 4), -1)
    targets, lengths, labels = torch.tensor([[1, 2, 2], [3, 1, 0]]), torch.tensor([5, 5]), torch.tensor([3, 2])
    loss, alpha = torch.ops.aten._ctc_loss(logs, targets, [5, 5], [3, 2], 0)
    again, _ = torch.ops.aten._ctc_loss(logs, targets, lengths, labels, 0)
    return [loss, again, alpha[0, -1], torch.ops.aten._ctc_loss_backward(torch.tensor([1.0, 0.5]), logs, targets, [5, 5], [3, 2], loss, alpha, 0),
            torch.ops.aten._ctc_loss_backward(torch.tensor([1.0, 0.5]), logs, targets, lengths, labels, loss, alpha, 0)]


# PyTorch approximates these to about 0.05%; rounded so far that both give one number.
def draws(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    gamma = torch.ops.aten._standard_gamma_grad(torch.tensor([0.1, 0.5, 2.0, 9.0, 60.0, 900.0]), torch.tensor([0.003, 0.3, 1.0, 10.0, 70.0, 950.0]))
    beta = torch.ops.aten._dirichlet_grad(torch.tensor([0.1, 0.5, 0.9, 0.3]), torch.tensor([0.5, 2.0, 6.0, 20.0]), torch.tensor([1.5, 5.0, 7.0, 60.0]))
    return [torch.round(gamma, decimals=2), torch.round(beta, decimals=2)]


def drawn(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    torch.manual_seed(3)
    a = (x.abs() + 0.5).requires_grad_(True)
    (torch._standard_gamma(a) * torch.sin(x)).sum().backward()
    g = a.grad
    assert g is not None
    return torch.round(g, decimals=2)


# Images that are turned and moved by what was learned (M. Jaderberg and others, "Spatial Transformer Networks", 2015).
def transformed(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    theta = torch.tensor([[[0.9, 0.1, 0.05], [-0.1, 1.1, 0.0]]]).requires_grad_(True)
    image = torch.sin(torch.arange(0, 50)).reshape(1, 2, 5, 5).requires_grad_(True)
    seen = torch.nn.functional.grid_sample(image, torch.nn.functional.affine_grid(theta, [1, 2, 4, 4], align_corners=False), align_corners=False)
    (seen * seen).sum().backward()
    found: List[torch.Tensor] = []
    for g in [theta.grad, image.grad]:
        assert g is not None
        found += [g]
    return found


def half_of_bits(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    bits = torch.ops.quantization._FloatToBfloat16Quantized(x)
    return [bits.float(), torch.ops.quantization._Bfloat16QuantizedToFloat(bits)]


def made(x: torch.Tensor) -> Tuple[List[torch.Tensor], List[torch.Tensor], List[torch.Tensor], List[torch.Tensor], List[torch.Tensor], List[torch.Tensor]]:
    return [x.clone()], [torch.sin(x)], [x * 0.1], [x * x], [torch.ones_like(x)], [torch.tensor(3.0)]


def steps_into(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    p, g, a, s, m, n = made(x)
    out, rate = [torch.zeros_like(x) for _ in range(7)], torch.tensor(0.05)
    torch.ops.aten._fused_adam(p, g, a, s, m, n, lr=0.1, beta1=0.9, beta2=0.99, weight_decay=0.01, eps=1e-8, amsgrad=True, maximize=False, grad_scale=torch.tensor(2.0), out=out[0:1])
    torch.ops.aten._fused_adam(p, g, a, s, [], n, lr=rate, beta1=0.9, beta2=0.99, weight_decay=0.01, eps=1e-8, amsgrad=False, maximize=True, out=out[1:2])
    torch.ops.aten._fused_adamw(p, g, a, s, m, n, lr=0.1, beta1=0.9, beta2=0.99, weight_decay=0.01, eps=1e-8, amsgrad=True, maximize=False, out=out[2:3])
    torch.ops.aten._fused_adamw(p, g, a, s, [], n, lr=rate, beta1=0.9, beta2=0.99, weight_decay=0.01, eps=1e-8, amsgrad=False, maximize=False, out=out[3:4])
    torch.ops.aten._fused_sgd(p, g, a, weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0.1, nesterov=False, maximize=False, is_first_step=False, out=out[4:5])
    torch.ops.aten._fused_sgd(p, g, a, weight_decay=0.1, momentum=0.9, lr=rate, dampening=0.0, nesterov=True, maximize=False, is_first_step=True, out=out[5:6])
    torch.ops.aten._fused_adagrad(p, g, s, n, lr=0.1, lr_decay=0.1, weight_decay=0.01, eps=1e-8, maximize=False, out=out[6:7])
    q, _, _, _, _ = torch.ops.aten._fused_adam(p, g, a, s, [], n, lr=rate, beta1=0.9, beta2=0.99, weight_decay=0.01, eps=1e-8, amsgrad=False, maximize=False)
    w, _, _ = torch.ops.aten._fused_sgd(p, g, a, weight_decay=0.1, momentum=0.9, lr=rate, dampening=0.1, nesterov=False, maximize=False, is_first_step=False)
    return out + p + g + a + s + m + q + w


def scaled_losses(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    found: List[torch.Tensor] = []
    for last in [1.0, float("inf")]:
        grads, seen, half = [x.clone(), torch.tensor([2.0, last])], torch.zeros(1), torch.tensor([0.5])
        scaled, other = torch.ops.aten._amp_foreach_non_finite_check_and_unscale(grads, seen, half)
        torch.ops.aten._amp_foreach_non_finite_check_and_unscale_(grads, seen, half)
        found += grads + scaled + [seen, other]
    for count in [0, 3]:
        for seen in [torch.zeros(1), torch.ones(1)]:
            scale, tracker = torch.tensor([8.0]), torch.tensor([count], dtype=torch.int32)
            a, b = torch.ops.aten._amp_update_scale(scale, tracker, seen, 2.0, 0.5, 4)
            found += [a, b, torch.ops.aten._amp_update_scale_(scale, tracker, seen, 2.0, 0.5, 4), tracker]
    return found


def views_back(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    whole = torch.arange(12.0).reshape(4, 3)
    part = whole[1:3]
    q = torch.quantize_per_tensor(x, 0.1, 3, torch.qint8)
    return [torch.ops.aten._neg_view_copy(x), torch.ops.aten._neg_view(x) + 1, torch.ops.aten._new_zeros_with_same_feature_meta(x, part), torch.ops.aten._new_zeros_with_same_feature_meta(x, part, self_num_batch_dims=1),
            torch.tensor([torch.ops.aten.empty_quantized([2], q).q_scale()])]


def of_attention(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    q, g = torch.sin(torch.arange(0, 80) * 1.3).reshape(1, 2, 5, 8), torch.cos(torch.arange(0, 80) * 0.7).reshape(1, 2, 5, 8)
    k, v = torch.sin(torch.arange(0, 112) * 0.9).reshape(1, 2, 7, 8), torch.cos(torch.arange(0, 112) * 2.1).reshape(1, 2, 7, 8)
    mask = torch.sin(torch.arange(0, 35) * 0.3).reshape(1, 1, 5, 7)
    found: List[torch.Tensor] = []
    y, sums = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, attn_mask=mask, scale=0.4)
    for a in torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(g, q, k, v, y, sums, 0.0, False, attn_mask=mask, scale=0.4):
        found += [a]
    y, sums = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k[:, :, :5], v[:, :, :5], 0.0, True)
    for a in torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(g, q, k[:, :, :5], v[:, :, :5], y, sums, 0.0, True):
        found += [a]
    y, sums = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q.double(), k.double(), v.double())
    for a in torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(g.double(), q.double(), k.double(), v.double(), y, sums, 0.0, False):
        found += [a]
    return found


PROGRAMS = [sampling, matrices, convolution_twice, cells, quantizers, segments, ctc, draws, drawn, transformed, half_of_bits, steps_into, scaled_losses, views_back, of_attention]

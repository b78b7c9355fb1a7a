"""The fused steps of optimizers, and small operators of PyTorch 2."""
from typing import List, Tuple

import torch


def made(x: torch.Tensor) -> Tuple[List[torch.Tensor], List[torch.Tensor], List[torch.Tensor], List[torch.Tensor], List[torch.Tensor], List[torch.Tensor]]:
    p, g = [x.clone(), x[0].clone()], [torch.sin(x), torch.cos(x[0])]
    return p, g, [x * 0.1, x[1] * 0.1], [x * x, x[1] * x[1]], [torch.zeros_like(x), torch.ones_like(x[0])], [torch.tensor(3.0), torch.tensor(1.0)]


def adam(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    found: List[torch.Tensor] = []
    for amsgrad in [False, True]:
        p, g, a, s, m, n = made(x)
        torch.ops.aten._fused_adam_(p, g, a, s, m if amsgrad else [], n, lr=0.1, beta1=0.9, beta2=0.99, weight_decay=0.01, eps=1e-8, amsgrad=amsgrad, maximize=amsgrad)
        torch.ops.aten._fused_adam_(p, g, a, s, m if amsgrad else [], n, lr=torch.tensor(0.05), beta1=0.9, beta2=0.99, weight_decay=0.0, eps=1e-8, amsgrad=amsgrad, maximize=False,
                                    grad_scale=torch.tensor(2.0))
        found += p + g + a + s + m
        p, g, a, s, m, n = made(x)
        torch.ops.aten._fused_adamw_(p, g, a, s, m if amsgrad else [], n, lr=0.1, beta1=0.9, beta2=0.99, weight_decay=0.01, eps=1e-8, amsgrad=amsgrad, maximize=amsgrad)
        torch.ops.aten._fused_adamw_(p, g, a, s, m if amsgrad else [], n, lr=torch.tensor(0.05), beta1=0.9, beta2=0.99, weight_decay=0.1, eps=1e-8, amsgrad=amsgrad, maximize=False,
                                     found_inf=torch.tensor(1.0))
        found += p + a + s + m
    return found


def sgd(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    found: List[torch.Tensor] = []
    for nesterov in [False, True]:
        p, g, b, s, m, n = made(x)
        for first in [True, False]:
            torch.ops.aten._fused_sgd_(p, g, b, weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0.0 if nesterov else 0.2, nesterov=nesterov, maximize=nesterov, is_first_step=first)
        torch.ops.aten._fused_sgd_(p, g, b, weight_decay=0.0, momentum=0.9, lr=torch.tensor(0.1), dampening=0.0, nesterov=False, maximize=False, is_first_step=False)
        found += p + b
    p, g, b, s, m, n = made(x)
    torch.ops.aten._fused_sgd_(p, g, [], weight_decay=0.0, momentum=0.0, lr=0.1, dampening=0.0, nesterov=False, maximize=False, is_first_step=True)
    return found + p


def adagrad(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    p, g, a, s, m, n = made(x)
    torch.ops.aten._fused_adagrad_(p, g, s, n, lr=0.1, lr_decay=0.5, weight_decay=0.1, eps=1e-8, maximize=False)
    torch.ops.aten._fused_adagrad_(p, g, s, n, lr=0.1, lr_decay=0.0, weight_decay=0.0, eps=1e-8, maximize=True)
    return p + s


def small(x: torch.Tensor, t: torch.Tensor) -> List[torch.Tensor]:
    return [torch.ops.aten._foreach_pow(2.0, [x, x[0]])[0], torch.ops.aten._functional_assert_scalar(x.size(0), "never", x), torch.ops.aten._functional_assert_async(x[0, 0] < 9.0, "never", x)]


PROGRAMS = [adam, sgd, adagrad, small]

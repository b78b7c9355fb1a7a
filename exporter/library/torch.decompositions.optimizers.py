# Steps of optimizers that PyTorch fuses (see torch.decompositions). Gradients are divided by grad_scale where they
# lie; nothing happens when found_inf says that some were infinite. The caller counts state_steps.

def skips_step(found_inf: Optional[Tensor]) -> bool:
  return False if found_inf is None else bool(found_inf == 1)


# What is subtracted along with the scaled gradient: weight decay counts as one, but for AdamW.
def step_gradient(param: Tensor, grad: Tensor, weight_decay: float, maximize: bool, grad_scale: Optional[Tensor]) -> Tensor:
  if grad_scale is not None:
    torch.div_(grad, grad_scale)
  g = -grad if maximize else grad
  return g + param * weight_decay if weight_decay != 0.0 else g


def adam_step(param: Tensor, g: Tensor, exp_avg: Tensor, exp_avg_sq: Tensor, max_exp_avg_sq: Optional[Tensor], steps: float, lr: float,
              beta1: float, beta2: float, eps: float):
  torch.lerp_(exp_avg, g, 1.0 - beta1)
  torch.copy_(exp_avg_sq, exp_avg_sq * beta2 + (g * g) * (1.0 - beta2))
  squares = exp_avg_sq
  if max_exp_avg_sq is not None:
    torch.copy_(max_exp_avg_sq, torch.maximum(max_exp_avg_sq, exp_avg_sq))
    squares = max_exp_avg_sq
  denominator = torch.sqrt(squares) / ((1.0 - beta2 ** steps) ** 0.5) + eps
  torch.sub_(param, exp_avg / denominator * (lr / (1.0 - beta1 ** steps)))


def adam_steps(self: List[Tensor], grads: List[Tensor], exp_avgs: List[Tensor], exp_avg_sqs: List[Tensor], max_exp_avg_sqs: List[Tensor],
               state_steps: List[Tensor], lr: float, beta1: float, beta2: float, weight_decay: float, eps: float, amsgrad: bool,
               maximize: bool, grad_scale: Optional[Tensor], found_inf: Optional[Tensor], decoupled: bool):
  if not skips_step(found_inf):
    for i in range(len(self)):
      g = step_gradient(self[i], grads[i], 0.0 if decoupled else weight_decay, maximize, grad_scale)
      if decoupled:
        torch.sub_(self[i], self[i] * (lr * weight_decay))
      most: Optional[Tensor] = None
      if amsgrad:
        most = max_exp_avg_sqs[i]
      adam_step(self[i], g, exp_avgs[i], exp_avg_sqs[i], most, float(state_steps[i]), lr, beta1, beta2, eps)


def sgd_steps(self: List[Tensor], grads: List[Tensor], momentum_buffer_list: List[Tensor], weight_decay: float, momentum: float, lr: float,
              dampening: float, nesterov: bool, maximize: bool, is_first_step: bool, grad_scale: Optional[Tensor],
              found_inf: Optional[Tensor]):
  if not skips_step(found_inf):
    for i in range(len(self)):
      g = step_gradient(self[i], grads[i], weight_decay, maximize, grad_scale)
      if momentum != 0.0:
        b = momentum_buffer_list[i]
        torch.copy_(b, g if is_first_step else b * momentum + g * (1.0 - dampening))
        g = g + b * momentum if nesterov else b
      torch.sub_(self[i], g * lr)


def copies(tensors: List[Tensor]) -> List[Tensor]:
  return [torch.clone(t) for t in tensors]


def aten__fused_adam_(self: List[Tensor], grads: List[Tensor], exp_avgs: List[Tensor], exp_avg_sqs: List[Tensor], max_exp_avg_sqs: List[Tensor],
                      state_steps: List[Tensor], lr: float, beta1: float, beta2: float, weight_decay: float, eps: float, amsgrad: bool,
                      maximize: bool, grad_scale: Optional[Tensor], found_inf: Optional[Tensor]):
  adam_steps(self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, lr, beta1, beta2, weight_decay, eps, amsgrad, maximize, grad_scale, found_inf, False)


def aten__fused_adam__tensor_lr(self: List[Tensor], grads: List[Tensor], exp_avgs: List[Tensor], exp_avg_sqs: List[Tensor],
                                max_exp_avg_sqs: List[Tensor], state_steps: List[Tensor], lr: Tensor, beta1: float, beta2: float,
                                weight_decay: float, eps: float, amsgrad: bool, maximize: bool, grad_scale: Optional[Tensor],
                                found_inf: Optional[Tensor]):
  adam_steps(self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, float(lr), beta1, beta2, weight_decay, eps, amsgrad, maximize, grad_scale, found_inf, False)


def aten__fused_adamw_(self: List[Tensor], grads: List[Tensor], exp_avgs: List[Tensor], exp_avg_sqs: List[Tensor], max_exp_avg_sqs: List[Tensor],
                       state_steps: List[Tensor], lr: float, beta1: float, beta2: float, weight_decay: float, eps: float, amsgrad: bool,
                       maximize: bool, grad_scale: Optional[Tensor], found_inf: Optional[Tensor]):
  adam_steps(self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, lr, beta1, beta2, weight_decay, eps, amsgrad, maximize, grad_scale, found_inf, True)


def aten__fused_adamw__tensor_lr(self: List[Tensor], grads: List[Tensor], exp_avgs: List[Tensor], exp_avg_sqs: List[Tensor],
                                 max_exp_avg_sqs: List[Tensor], state_steps: List[Tensor], lr: Tensor, beta1: float, beta2: float,
                                 weight_decay: float, eps: float, amsgrad: bool, maximize: bool, grad_scale: Optional[Tensor],
                                 found_inf: Optional[Tensor]):
  adam_steps(self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, float(lr), beta1, beta2, weight_decay, eps, amsgrad, maximize, grad_scale, found_inf, True)


def aten__fused_sgd_(self: List[Tensor], grads: List[Tensor], momentum_buffer_list: List[Tensor], weight_decay: float, momentum: float,
                     lr: float, dampening: float, nesterov: bool, maximize: bool, is_first_step: bool, grad_scale: Optional[Tensor],
                     found_inf: Optional[Tensor]):
  sgd_steps(self, grads, momentum_buffer_list, weight_decay, momentum, lr, dampening, nesterov, maximize, is_first_step, grad_scale, found_inf)


def aten__fused_sgd__tensor_lr(self: List[Tensor], grads: List[Tensor], momentum_buffer_list: List[Tensor], weight_decay: float,
                               momentum: float, lr: Tensor, dampening: float, nesterov: bool, maximize: bool, is_first_step: bool,
                               grad_scale: Optional[Tensor], found_inf: Optional[Tensor]):
  sgd_steps(self, grads, momentum_buffer_list, weight_decay, momentum, float(lr), dampening, nesterov, maximize, is_first_step, grad_scale, found_inf)


def aten__fused_adagrad_(self: List[Tensor], grads: List[Tensor], state_sums: List[Tensor], state_steps: List[Tensor], lr: float,
                         lr_decay: float, weight_decay: float, eps: float, maximize: bool, grad_scale: Optional[Tensor],
                         found_inf: Optional[Tensor]):
  if not skips_step(found_inf):
    for i in range(len(self)):
      g = step_gradient(self[i], grads[i], weight_decay, maximize, grad_scale)
      torch.add_(state_sums[i], g * g)
      torch.sub_(self[i], g / (torch.sqrt(state_sums[i]) + eps) * (lr / (1.0 + (float(state_steps[i]) - 1.0) * lr_decay)))


# ---- With results of their own ----

def aten__fused_adam(self: List[Tensor], grads: List[Tensor], exp_avgs: List[Tensor], exp_avg_sqs: List[Tensor], max_exp_avg_sqs: List[Tensor],
                     state_steps: List[Tensor], lr: float, beta1: float, beta2: float, weight_decay: float, eps: float, amsgrad: bool,
                     maximize: bool, grad_scale: Optional[Tensor], found_inf: Optional[Tensor]
                     ) -> Tuple[List[Tensor], List[Tensor], List[Tensor], List[Tensor], List[Tensor]]:
  p, g, a, s, m = copies(self), copies(grads), copies(exp_avgs), copies(exp_avg_sqs), copies(max_exp_avg_sqs)
  adam_steps(p, g, a, s, m, state_steps, lr, beta1, beta2, weight_decay, eps, amsgrad, maximize, grad_scale, found_inf, False)
  return (p, g, a, s, m)


def aten__fused_adamw(self: List[Tensor], grads: List[Tensor], exp_avgs: List[Tensor], exp_avg_sqs: List[Tensor], max_exp_avg_sqs: List[Tensor],
                      state_steps: List[Tensor], lr: float, beta1: float, beta2: float, weight_decay: float, eps: float, amsgrad: bool,
                      maximize: bool, grad_scale: Optional[Tensor], found_inf: Optional[Tensor]
                      ) -> Tuple[List[Tensor], List[Tensor], List[Tensor], List[Tensor], List[Tensor]]:
  p, g, a, s, m = copies(self), copies(grads), copies(exp_avgs), copies(exp_avg_sqs), copies(max_exp_avg_sqs)
  adam_steps(p, g, a, s, m, state_steps, lr, beta1, beta2, weight_decay, eps, amsgrad, maximize, grad_scale, found_inf, True)
  return (p, g, a, s, m)


def aten__fused_sgd(self: List[Tensor], grads: List[Tensor], momentum_buffer_list: List[Tensor], weight_decay: float, momentum: float,
                    lr: float, dampening: float, nesterov: bool, maximize: bool, is_first_step: bool, grad_scale: Optional[Tensor],
                    found_inf: Optional[Tensor]) -> Tuple[List[Tensor], List[Tensor], List[Tensor]]:
  p, g, b = copies(self), copies(grads), copies(momentum_buffer_list)
  sgd_steps(p, g, b, weight_decay, momentum, lr, dampening, nesterov, maximize, is_first_step, grad_scale, found_inf)
  return (p, g, b)


def aten__fused_adagrad(self: List[Tensor], grads: List[Tensor], state_sums: List[Tensor], state_steps: List[Tensor], lr: float,
                        lr_decay: float, weight_decay: float, eps: float, maximize: bool, grad_scale: Optional[Tensor],
                        found_inf: Optional[Tensor]) -> Tuple[List[Tensor], List[Tensor], List[Tensor], List[Tensor]]:
  p, g, s = copies(self), copies(grads), copies(state_sums)
  torch._fused_adagrad_(p, g, s, state_steps, lr=lr, lr_decay=lr_decay, weight_decay=weight_decay, eps=eps, maximize=maximize, grad_scale=grad_scale, found_inf=found_inf)
  return (p, g, s, copies(state_steps))


def aten__fused_adam_tensor_lr(self: List[Tensor], grads: List[Tensor], exp_avgs: List[Tensor], exp_avg_sqs: List[Tensor],
                               max_exp_avg_sqs: List[Tensor], state_steps: List[Tensor], lr: Tensor, beta1: float, beta2: float,
                               weight_decay: float, eps: float, amsgrad: bool, maximize: bool, grad_scale: Optional[Tensor],
                               found_inf: Optional[Tensor]) -> Tuple[List[Tensor], List[Tensor], List[Tensor], List[Tensor], List[Tensor]]:
  return torch._fused_adam(self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, lr=float(lr), beta1=beta1, beta2=beta2, weight_decay=weight_decay, eps=eps, amsgrad=amsgrad, maximize=maximize, grad_scale=grad_scale, found_inf=found_inf)


def aten__fused_adamw_tensor_lr(self: List[Tensor], grads: List[Tensor], exp_avgs: List[Tensor], exp_avg_sqs: List[Tensor],
                                max_exp_avg_sqs: List[Tensor], state_steps: List[Tensor], lr: Tensor, beta1: float, beta2: float,
                                weight_decay: float, eps: float, amsgrad: bool, maximize: bool, grad_scale: Optional[Tensor],
                                found_inf: Optional[Tensor]) -> Tuple[List[Tensor], List[Tensor], List[Tensor], List[Tensor], List[Tensor]]:
  return torch._fused_adamw(self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, lr=float(lr), beta1=beta1, beta2=beta2, weight_decay=weight_decay, eps=eps, amsgrad=amsgrad, maximize=maximize, grad_scale=grad_scale, found_inf=found_inf)


def aten__fused_sgd_tensor_lr(self: List[Tensor], grads: List[Tensor], momentum_buffer_list: List[Tensor], weight_decay: float,
                              momentum: float, lr: Tensor, dampening: float, nesterov: bool, maximize: bool, is_first_step: bool,
                              grad_scale: Optional[Tensor], found_inf: Optional[Tensor]) -> Tuple[List[Tensor], List[Tensor], List[Tensor]]:
  return torch._fused_sgd(self, grads, momentum_buffer_list, weight_decay=weight_decay, momentum=momentum, lr=float(lr), dampening=dampening, nesterov=nesterov, maximize=maximize, is_first_step=is_first_step, grad_scale=grad_scale, found_inf=found_inf)


# ---- With parameters in tensors given; whatever the schemas mark, nothing else is written to ----

def put(out: List[Tensor], made: List[Tensor]):
  if len(out) != len(made):
    ops.prim.RaiseException(torch.format("expected {} tensors for results but got {}", len(made), len(out)))
  for i in range(len(out)):
    torch.resize_(out[i], torch.size(made[i]))
    torch.copy_(out[i], made[i])


def aten__fused_adam_out(self: List[Tensor], grads: List[Tensor], exp_avgs: List[Tensor], exp_avg_sqs: List[Tensor], max_exp_avg_sqs: List[Tensor],
                         state_steps: List[Tensor], lr: float, beta1: float, beta2: float, weight_decay: float, eps: float, amsgrad: bool,
                         maximize: bool, grad_scale: Optional[Tensor], found_inf: Optional[Tensor], out: List[Tensor]):
  p, _0, _1, _2, _3 = torch._fused_adam(self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, lr=lr, beta1=beta1, beta2=beta2, weight_decay=weight_decay, eps=eps, amsgrad=amsgrad, maximize=maximize, grad_scale=grad_scale, found_inf=found_inf)
  put(out, p)


def aten__fused_adam_tensor_lr_out(self: List[Tensor], grads: List[Tensor], exp_avgs: List[Tensor], exp_avg_sqs: List[Tensor],
                                   max_exp_avg_sqs: List[Tensor], state_steps: List[Tensor], lr: Tensor, beta1: float, beta2: float,
                                   weight_decay: float, eps: float, amsgrad: bool, maximize: bool, grad_scale: Optional[Tensor],
                                   found_inf: Optional[Tensor], out: List[Tensor]):
  p, _0, _1, _2, _3 = torch._fused_adam(self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, lr=float(lr), beta1=beta1, beta2=beta2, weight_decay=weight_decay, eps=eps, amsgrad=amsgrad, maximize=maximize, grad_scale=grad_scale, found_inf=found_inf)
  put(out, p)


def aten__fused_adamw_out(self: List[Tensor], grads: List[Tensor], exp_avgs: List[Tensor], exp_avg_sqs: List[Tensor], max_exp_avg_sqs: List[Tensor],
                          state_steps: List[Tensor], lr: float, beta1: float, beta2: float, weight_decay: float, eps: float, amsgrad: bool,
                          maximize: bool, grad_scale: Optional[Tensor], found_inf: Optional[Tensor], out: List[Tensor]):
  p, _0, _1, _2, _3 = torch._fused_adamw(self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, lr=lr, beta1=beta1, beta2=beta2, weight_decay=weight_decay, eps=eps, amsgrad=amsgrad, maximize=maximize, grad_scale=grad_scale, found_inf=found_inf)
  put(out, p)


def aten__fused_adamw_tensor_lr_out(self: List[Tensor], grads: List[Tensor], exp_avgs: List[Tensor], exp_avg_sqs: List[Tensor],
                                    max_exp_avg_sqs: List[Tensor], state_steps: List[Tensor], lr: Tensor, beta1: float, beta2: float,
                                    weight_decay: float, eps: float, amsgrad: bool, maximize: bool, grad_scale: Optional[Tensor],
                                    found_inf: Optional[Tensor], out: List[Tensor]):
  p, _0, _1, _2, _3 = torch._fused_adamw(self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, lr=float(lr), beta1=beta1, beta2=beta2, weight_decay=weight_decay, eps=eps, amsgrad=amsgrad, maximize=maximize, grad_scale=grad_scale, found_inf=found_inf)
  put(out, p)


def aten__fused_sgd_out(self: List[Tensor], grads: List[Tensor], momentum_buffer_list: List[Tensor], weight_decay: float, momentum: float,
                        lr: float, dampening: float, nesterov: bool, maximize: bool, is_first_step: bool, grad_scale: Optional[Tensor],
                        found_inf: Optional[Tensor], out: List[Tensor]):
  p, _0, _1 = torch._fused_sgd(self, grads, momentum_buffer_list, weight_decay=weight_decay, momentum=momentum, lr=lr, dampening=dampening, nesterov=nesterov, maximize=maximize, is_first_step=is_first_step, grad_scale=grad_scale, found_inf=found_inf)
  put(out, p)


def aten__fused_sgd_tensor_lr_out(self: List[Tensor], grads: List[Tensor], momentum_buffer_list: List[Tensor], weight_decay: float,
                                  momentum: float, lr: Tensor, dampening: float, nesterov: bool, maximize: bool, is_first_step: bool,
                                  grad_scale: Optional[Tensor], found_inf: Optional[Tensor], out: List[Tensor]):
  p, _0, _1 = torch._fused_sgd(self, grads, momentum_buffer_list, weight_decay=weight_decay, momentum=momentum, lr=float(lr), dampening=dampening, nesterov=nesterov, maximize=maximize, is_first_step=is_first_step, grad_scale=grad_scale, found_inf=found_inf)
  put(out, p)


def aten__fused_adagrad_out(self: List[Tensor], grads: List[Tensor], state_sums: List[Tensor], state_steps: List[Tensor], lr: float,
                            lr_decay: float, weight_decay: float, eps: float, maximize: bool, grad_scale: Optional[Tensor],
                            found_inf: Optional[Tensor], out: List[Tensor]):
  p, _0, _1, _2 = torch._fused_adagrad(self, grads, state_sums, state_steps, lr=lr, lr_decay=lr_decay, weight_decay=weight_decay, eps=eps, maximize=maximize, grad_scale=grad_scale, found_inf=found_inf)
  put(out, p)


# ---- Scaling of losses, so that gradients of half precision do not vanish ----

def aten__amp_foreach_non_finite_check_and_unscale_(self: List[Tensor], found_inf: Tensor, inv_scale: Tensor):
  for t in self:
    if not bool(torch.all(torch.isfinite(t))):
      torch.fill_(found_inf, 1.0)
    torch.mul_(t, torch.to(inv_scale, ops.prim.dtype(t)))


def aten__amp_foreach_non_finite_check_and_unscale(self: List[Tensor], found_inf: Tensor, inv_scale: Tensor) -> Tuple[List[Tensor], Tensor]:
  scaled, found = copies(self), torch.clone(found_inf)
  torch._amp_foreach_non_finite_check_and_unscale_(scaled, found, inv_scale)
  return (scaled, found)


def aten__amp_foreach_non_finite_check_and_unscale_out(self: List[Tensor], found_inf: Tensor, inv_scale: Tensor, out: List[Tensor]):
  scaled, _0 = torch._amp_foreach_non_finite_check_and_unscale(self, found_inf, inv_scale)
  put(out, scaled)


def aten__amp_update_scale_(self: Tensor, growth_tracker: Tensor, found_inf: Tensor, scale_growth_factor: float, scale_backoff_factor: float,
                            growth_interval: int) -> Tensor:
  if bool(found_inf != 0):
    torch.mul_(self, scale_backoff_factor)
    torch.fill_(growth_tracker, 0)
  elif int(growth_tracker) + 1 == growth_interval:
    grown = self * scale_growth_factor
    if bool(torch.all(torch.isfinite(grown))):
      torch.copy_(self, grown)
    torch.fill_(growth_tracker, 0)
  else:
    torch.add_(growth_tracker, 1)
  return self


def aten__amp_update_scale(self: Tensor, growth_tracker: Tensor, found_inf: Tensor, scale_growth_factor: float, scale_backoff_factor: float,
                           growth_interval: int) -> Tuple[Tensor, Tensor]:
  scale, tracker = torch.clone(self), torch.clone(growth_tracker)
  torch._amp_update_scale_(scale, tracker, found_inf, scale_growth_factor, scale_backoff_factor, growth_interval)
  return (scale, tracker)


def aten__amp_update_scale_out(self: Tensor, growth_tracker: Tensor, found_inf: Tensor, scale_growth_factor: float, scale_backoff_factor: float,
                               growth_interval: int, out: Tensor) -> Tensor:
  scale, _0 = torch._amp_update_scale(self, growth_tracker, found_inf, scale_growth_factor, scale_backoff_factor, growth_interval)
  torch.resize_(out, torch.size(scale))
  return torch.copy_(out, scale)

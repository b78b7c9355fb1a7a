# Quantizing and dequantizing at once, as models do that were trained for quantization (see torch.decompositions).
# Scales and zero points are numbers, tensors of one number, or vectors along `axis`.

def check_ends(quant_min: int, quant_max: int):
  if quant_min > quant_max:
    ops.prim.RaiseException("`quant_min` should be less than or         equal to `quant_max`.")


def check_range(quant_min: int, quant_max: int, zero_points: Tensor):
  check_ends(quant_min, quant_max)
  if torch.numel(zero_points) > 0 and (int(torch.min(zero_points)) < quant_min or int(torch.max(zero_points)) > quant_max):
    ops.prim.RaiseException("`zero_point` must be between `quant_min` and `quant_max`.")


# The whole numbers before clamping, with a scale of float32; PyTorch rounds halves to even after multiplying with the
# reciprocal. Where PyTorch converts to an int what is no number or too large, an x86 gives the least int.
def whole_numbers(self: Tensor, scale: Tensor, zero_point: Tensor) -> Tensor:
  return torch.round(self * torch.reciprocal(scale)) + zero_point


def through_range(self: Tensor, scale: Tensor, zero_point: Tensor, quant_min: int, quant_max: int) -> Tuple[Tensor, Tensor]:
  step = torch.to(scale, 6)
  whole = whole_numbers(torch.to(self, 6) if torch.is_floating_point(self) and self.dtype != 7 else self, step, zero_point)
  kept = (whole >= quant_min) & (whole <= quant_max)
  clamped = torch.where(whole < 9223372036854775808.0, torch.clamp(whole, quant_min, quant_max), quant_min)
  return (torch.to((clamped - zero_point) * step, self.dtype), kept)


def along(v: Tensor, self: Tensor, axis: int) -> Tensor:
  shape = [1 for d in range(torch.dim(self))]
  shape[axis] = -1
  return torch.reshape(torch.to(v, 6), shape)


def aten_fake_quantize_per_tensor_affine_cachemask(self: Tensor, scale: float, zero_point: int, quant_min: int,
                                                   quant_max: int) -> Tuple[Tensor, Tensor]:
  zero = torch.full([], zero_point, dtype=4)
  check_range(quant_min, quant_max, zero)
  return through_range(self, torch.full([], scale, dtype=6), torch.to(zero, 6), quant_min, quant_max)


def aten_fake_quantize_per_tensor_affine(self: Tensor, scale: float, zero_point: int, quant_min: int, quant_max: int) -> Tensor:
  made, _0 = torch.fake_quantize_per_tensor_affine_cachemask(self, scale, zero_point, quant_min, quant_max)
  return made


def aten__fake_quantize_per_tensor_affine_cachemask_tensor_qparams(self: Tensor, scale: Tensor, zero_point: Tensor, fake_quant_enabled: Tensor,
                                                                   quant_min: int, quant_max: int) -> Tuple[Tensor, Tensor]:
  check_ends(quant_min, quant_max)
  if int(fake_quant_enabled) == 0:
    return (torch.clone(self), torch.ones_like(self, dtype=11))
  return through_range(self, torch.reshape(scale, []), torch.reshape(torch.to(zero_point, 6), []), quant_min, quant_max)


def aten_fake_quantize_per_tensor_affine_tensor_qparams(self: Tensor, scale: Tensor, zero_point: Tensor, quant_min: int, quant_max: int) -> Tensor:
  check_ends(quant_min, quant_max)
  made, _0 = through_range(self, torch.reshape(scale, []), torch.reshape(torch.to(zero_point, 6), []), quant_min, quant_max)
  return made


def aten_fake_quantize_per_channel_affine_cachemask(self: Tensor, scale: Tensor, zero_point: Tensor, axis: int, quant_min: int,
                                                    quant_max: int) -> Tuple[Tensor, Tensor]:
  check_range(quant_min, quant_max, zero_point)
  if torch.dim(scale) != 1 or torch.numel(scale) != torch.numel(zero_point):
    ops.prim.RaiseException("scale and zero-point need to have the same dimensions")
  if axis < 0 or axis >= torch.dim(self):
    ops.prim.RaiseException("`axis` must be between 0 and number of dimensions of input")
  if torch.numel(scale) != torch.size(self, axis):
    ops.prim.RaiseException("dimensions of scale and zero-point are not consistent with input tensor")
  return through_range(self, along(scale, self, axis), along(zero_point, self, axis), quant_min, quant_max)


def aten_fake_quantize_per_channel_affine(self: Tensor, scale: Tensor, zero_point: Tensor, axis: int, quant_min: int, quant_max: int) -> Tensor:
  made, _0 = torch.fake_quantize_per_channel_affine_cachemask(self, scale, zero_point, axis, quant_min, quant_max)
  return made


def rounded_zero(zero_point: Tensor, quant_min: int, quant_max: int) -> Tensor:
  return torch.clamp(torch.floor(zero_point + 0.5), quant_min, quant_max)


def aten__fake_quantize_learnable_per_tensor_affine(self: Tensor, scale: Tensor, zero_point: Tensor, quant_min: int, quant_max: int,
                                                    grad_factor: float) -> Tensor:
  zero = rounded_zero(torch.reshape(zero_point, []), quant_min, quant_max)
  made, _0 = through_range(self, torch.reshape(scale, []), zero, quant_min, quant_max)
  return made


def aten__fake_quantize_learnable_per_channel_affine(self: Tensor, scale: Tensor, zero_point: Tensor, axis: int, quant_min: int, quant_max: int,
                                                     grad_factor: float) -> Tensor:
  if scale.dtype != 6:
    ops.prim.RaiseException("Scale must be Float")
  check_ends(quant_min, quant_max)
  if axis < 0 or axis >= torch.dim(self):
    ops.prim.RaiseException("`axis` must be between 0 and number of dimensions of input")
  zero = rounded_zero(zero_point, quant_min, quant_max)
  if torch.numel(zero) == 0 or bool(torch.any(zero != zero)):
    ops.prim.RaiseException("`zero_point` must be between `quant_min` and `quant_max`.")
  made, _0 = through_range(self, along(scale, self, axis), along(zero, self, axis), quant_min, quant_max)
  return made


# ---- With a moving average of the range that was seen ----

# (low, high) of all, or of each slice along ch_axis.
def limits(self: Tensor, per_row: bool, ch_axis: int) -> Tuple[Tensor, Tensor]:
  if not per_row:
    return (torch.reshape(torch.min(self), [1]), torch.reshape(torch.max(self), [1]))
  rows = torch.flatten(torch.transpose(self, 0, ch_axis), 1)
  return (torch.amin(rows, [1]), torch.amax(rows, [1]))


def moved(running: Tensor, now: Tensor, averaging_const: float):
  known = torch.clone(running) if torch.numel(running) == torch.numel(now) else torch.full_like(now, inf)
  torch.copy_(torch.resize_(running, torch.size(now)), torch.where(torch.isinf(known), now, known + (now - known) * averaging_const))


# The scale and zero point of a range that is made to contain 0; `symmetric` ranges have 0 in their middle.
def chosen(low: Tensor, high: Tensor, quant_min: int, quant_max: int, symmetric: bool) -> Tuple[Tensor, Tensor]:
  if bool(torch.any(low > high)):
    ops.prim.RaiseException("In ChooseQuantizationParams, min should be less than or equal to max")
  around = (low < 0) & (high > 0) if symmetric else torch.zeros_like(low, dtype=11)
  half = (quant_max - quant_min) // 2
  most = torch.maximum(torch.abs(low) / (half + 1), torch.abs(high) / half)
  bottom = torch.clamp_max(torch.where(around, most * -(half + 1), low), 0)
  top = torch.clamp_min(torch.where(around, most * half, high), 0)
  scale = (torch.to(top, 7) - bottom) / float(quant_max - quant_min)
  single = torch.to(scale, 6)
  scale = torch.where((single == 0) | torch.isinf(torch.reciprocal(single)), torch.full_like(scale, 0.1), scale)
  grown = torch.full_like(scale, 6.1e-05)
  amplifier = torch.to(torch.where(scale < grown, grown / scale, torch.ones_like(scale)), 6)
  scale = torch.maximum(scale, grown)
  steps_low = torch.to(bottom * amplifier, 7) / scale
  steps_high = torch.to(top * amplifier, 7) / scale
  error_low = abs(quant_min) + torch.abs(steps_low)
  error_high = abs(quant_max) + torch.abs(steps_high)
  zero = torch.where(error_low < error_high, quant_min - steps_low, quant_max - steps_high)
  zero = torch.where(around, torch.full_like(zero, float(quant_min + quant_max) / 2.0), zero)
  return (torch.to(scale, 6), torch.to(torch.clamp(torch.round(zero), quant_min, quant_max), 3))


def aten__fused_moving_avg_obs_fq_helper(self: Tensor, observer_on: Tensor, fake_quant_on: Tensor, running_min: Tensor, running_max: Tensor,
                                         scale: Tensor, zero_point: Tensor, averaging_const: float, quant_min: int, quant_max: int, ch_axis: int,
                                         per_row_fake_quant: bool, symmetric_quant: bool) -> Tuple[Tensor, Tensor]:
  if ch_axis >= torch.dim(self):
    ops.prim.RaiseException("Error in fused_moving_avg_obs_fake_quant_cpu: ch_axis must be < self.dim()")
  if int(observer_on) != 0:
    low, high = limits(self, per_row_fake_quant, ch_axis)
    moved(running_min, low, averaging_const)
    moved(running_max, high, averaging_const)
  if int(fake_quant_on) == 0:
    return (torch.clone(self), torch.ones_like(self, dtype=11))
  made_scale, made_zero = chosen(torch.flatten(running_min), torch.flatten(running_max), quant_min, quant_max, symmetric_quant)
  torch.copy_(torch.resize_(scale, torch.size(made_scale)), made_scale)
  torch.copy_(torch.resize_(zero_point, torch.size(made_zero)), made_zero)
  if per_row_fake_quant:
    made, kept = torch.fake_quantize_per_channel_affine_cachemask(self, scale, zero_point, ch_axis, quant_min, quant_max)
    return (made, kept)
  return through_range(self, torch.reshape(scale, []), torch.reshape(torch.to(zero_point, 6), []), quant_min, quant_max)


def aten_fused_moving_avg_obs_fake_quant(self: Tensor, observer_on: Tensor, fake_quant_on: Tensor, running_min: Tensor, running_max: Tensor,
                                         scale: Tensor, zero_point: Tensor, averaging_const: float, quant_min: int, quant_max: int, ch_axis: int,
                                         per_row_fake_quant: bool, symmetric_quant: bool) -> Tensor:
  if torch.numel(self) == 0:
    return torch.clone(self)
  made, _0 = torch._fused_moving_avg_obs_fq_helper(self, observer_on, fake_quant_on, running_min, running_max, scale, zero_point, averaging_const, quant_min, quant_max, ch_axis, per_row_fake_quant, symmetric_quant)
  return made


def aten__fused_moving_avg_obs_fq_helper_functional(self: Tensor, observer_on: Tensor, fake_quant_on: Tensor, running_min: Tensor,
                                                    running_max: Tensor, scale: Tensor, zero_point: Tensor, averaging_const: float, quant_min: int,
                                                    quant_max: int, ch_axis: int, per_row_fake_quant: bool,
                                                    symmetric_quant: bool) -> Tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
  low, high = torch.clone(running_min), torch.clone(running_max)
  s, z = torch.clone(scale), torch.clone(zero_point)
  made, mask = torch._fused_moving_avg_obs_fq_helper(self, observer_on, fake_quant_on, low, high, s, z, averaging_const, quant_min, quant_max, ch_axis, per_row_fake_quant, symmetric_quant)
  return (made, mask, low, high, s, z)

# Derivatives of functions of single elements, products, selections and rearrangements; see torch.derivatives.


# ---- Functions ----

def aten_atan2__self(grad: Tensor, self: Tensor, other: Tensor) -> Tensor:
  squares = torch.add(torch.mul(self, self), torch.mul(other, other))
  return __torch__.torch.derivatives.fit(torch.mul(grad, torch.div(other, squares)), self)

def aten_atan2__other(grad: Tensor, self: Tensor, other: Tensor) -> Tensor:
  squares = torch.add(torch.mul(self, self), torch.mul(other, other))
  return __torch__.torch.derivatives.fit(torch.mul(grad, torch.div(torch.neg(self), squares)), other)

def aten_hypot__self(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.mul(grad, torch.div(self, result)), self)

def aten_hypot__other(grad: Tensor, other: Tensor, result: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.mul(grad, torch.div(other, result)), other)

def aten_acosh__self(grad: Tensor, self: Tensor) -> Tensor:
  return torch.mul(grad, torch.rsqrt(torch.sub(torch.mul(self, self), 1)))

def aten_asinh__self(grad: Tensor, self: Tensor) -> Tensor:
  return torch.mul(grad, torch.rsqrt(torch.add(torch.mul(self, self), 1)))

def aten_atanh__self(grad: Tensor, self: Tensor) -> Tensor:
  return torch.div(grad, torch.rsub(torch.mul(self, self), 1))

def aten_lgamma__self(grad: Tensor, self: Tensor) -> Tensor:
  return torch.mul(grad, torch.digamma(self))

def aten_digamma__self(grad: Tensor, self: Tensor) -> Tensor:
  return torch.mul(grad, torch.polygamma(1, self))

def aten_erfc__self(grad: Tensor, self: Tensor) -> Tensor:
  return torch.mul(torch.mul(torch.exp(torch.neg(torch.mul(self, self))), -1.1283791670955126), grad)

def aten_erfinv__self(grad: Tensor, self: Tensor) -> Tensor:
  result = torch.erfinv(self)
  return torch.mul(torch.mul(torch.exp(torch.mul(result, result)), 0.8862269254527580), grad)

def prim_abs__x(grad: Tensor, x: Tensor) -> Tensor:
  return torch.mul(grad, torch.sgn(x))

def aten_sinc__self(grad: Tensor, self: Tensor) -> Tensor:
  x = torch.mul(self, 3.141592653589793)
  slope = torch.div(torch.sub(torch.mul(torch.cos(x), x), torch.sin(x)), torch.mul(x, self))
  return torch.mul(grad, torch.masked_fill(slope, torch.eq(self, 0), 0))

# Steps are flat: zeros, and not nothing.
def aten_bernoulli__self(grad: Tensor) -> Tensor:
  return torch.zeros_like(grad)

def aten_bernoulli_p__self(grad: Tensor) -> Tensor:
  return torch.zeros_like(grad)

def aten_ceil__self(grad: Tensor) -> Tensor:
  return torch.zeros_like(grad)

def aten_floor__self(grad: Tensor) -> Tensor:
  return torch.zeros_like(grad)

def aten_poisson__self(grad: Tensor) -> Tensor:
  return torch.zeros_like(grad)

def aten_round__self(grad: Tensor) -> Tensor:
  return torch.zeros_like(grad)

def aten_round_decimals__self(grad: Tensor) -> Tensor:
  return torch.zeros_like(grad)

def aten_sign__self(grad: Tensor) -> Tensor:
  return torch.zeros_like(grad)

def aten_trunc__self(grad: Tensor) -> Tensor:
  return torch.zeros_like(grad)

def aten_frac__self(grad: Tensor) -> Tensor:
  return grad

def aten_nan_to_num__self(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.only_where(grad, torch.isfinite(self))

def aten_frexp_Tensor__self(grad: Tensor, result1: Tensor) -> Tensor:
  return grad / torch.exp2(torch.to(result1, grad.dtype))

def aten_deg2rad__self(grad: Tensor) -> Tensor:
  return torch.deg2rad(grad)

def aten_rad2deg__self(grad: Tensor) -> Tensor:
  return torch.rad2deg(grad)

def aten_fmod_Scalar__self(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(grad, self)

def aten_fmod_Tensor__self(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(grad, self)

def aten_fmod_Tensor__other(grad: Tensor, self: Tensor, other: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.neg(torch.mul(grad, torch.trunc(torch.div(self, other)))), other)

def aten_remainder_Scalar__self(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(grad, self)

def aten_remainder_Tensor__self(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(grad, self)

def aten_remainder_Tensor__other(grad: Tensor, self: Tensor, other: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.neg(torch.mul(grad, torch.floor(torch.div(self, other)))), other)

def aten_div_Tensor_mode__self(grad: Tensor, self: Tensor, other: Tensor, rounding_mode: Optional[str]) -> Tensor:
  if rounding_mode is not None:
    return torch.zeros_like(self)
  return __torch__.torch.derivatives.fit(torch.div(grad, other), self)

def aten_div_Tensor_mode__other(grad: Tensor, self: Tensor, other: Tensor, rounding_mode: Optional[str]) -> Tensor:
  if rounding_mode is not None:
    return torch.zeros_like(other)
  return __torch__.torch.derivatives.fit(torch.neg(torch.div(torch.mul(grad, torch.div(self, other)), other)), other)

def aten_fmax__self(grad: Tensor, self: Tensor, other: Tensor) -> Tensor:
  chosen = torch.logical_or(torch.ge(self, other), torch.isnan(other))
  return __torch__.torch.derivatives.fit(__torch__.torch.derivatives.only_where(grad, chosen), self)

def aten_fmax__other(grad: Tensor, self: Tensor, other: Tensor) -> Tensor:
  chosen = torch.logical_or(torch.ge(self, other), torch.isnan(other))
  return __torch__.torch.derivatives.fit(__torch__.torch.derivatives.only_where(grad, torch.logical_not(chosen)), other)

def aten_fmin__self(grad: Tensor, self: Tensor, other: Tensor) -> Tensor:
  chosen = torch.logical_or(torch.le(self, other), torch.isnan(other))
  return __torch__.torch.derivatives.fit(__torch__.torch.derivatives.only_where(grad, chosen), self)

def aten_fmin__other(grad: Tensor, self: Tensor, other: Tensor) -> Tensor:
  chosen = torch.logical_or(torch.le(self, other), torch.isnan(other))
  return __torch__.torch.derivatives.fit(__torch__.torch.derivatives.only_where(grad, torch.logical_not(chosen)), other)

def aten_clamp_min_Tensor__self(grad: Tensor, self: Tensor, min: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(__torch__.torch.derivatives.only_where(grad, torch.ge(self, min)), self)

def aten_clamp_min_Tensor__min(grad: Tensor, self: Tensor, min: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(__torch__.torch.derivatives.only_where(grad, torch.lt(self, min)), min)

def aten_clamp_max_Tensor__self(grad: Tensor, self: Tensor, max: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(__torch__.torch.derivatives.only_where(grad, torch.le(self, max)), self)

def aten_clamp_max_Tensor__max(grad: Tensor, self: Tensor, max: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(__torch__.torch.derivatives.only_where(grad, torch.gt(self, max)), max)

def aten_lerp_Tensor__self(grad: Tensor, self: Tensor, weight: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.mul(grad, torch.rsub(weight, 1)), self)

def aten_lerp_Tensor__end(grad: Tensor, end: Tensor, weight: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.mul(grad, weight), end)

def aten_lerp_Tensor__weight(grad: Tensor, self: Tensor, end: Tensor, weight: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.mul(grad, torch.sub(end, self)), weight)


# ---- Activations ----

def aten_prelu__self(grad: Tensor, self: Tensor, weight: Tensor) -> Tensor:
  return torch.prelu_backward(grad, self, weight)[0]

def aten_prelu__weight(grad: Tensor, self: Tensor, weight: Tensor) -> Tensor:
  return torch.prelu_backward(grad, self, weight)[1]

def aten_glu__self(grad: Tensor, self: Tensor, dim: int) -> Tensor:
  return torch.glu_backward(grad, self, dim)

def aten_mish__self(grad: Tensor, self: Tensor) -> Tensor:
  return torch.mish_backward(grad, self)

def aten_hardshrink__self(grad: Tensor, self: Tensor, lambd: number) -> Tensor:
  return torch.hardshrink_backward(grad, self, lambd)

def aten_softshrink__self(grad: Tensor, self: Tensor, lambd: number) -> Tensor:
  return torch.softshrink_backward(grad, self, lambd)

def aten_logit__self(grad: Tensor, self: Tensor, eps: Optional[float]) -> Tensor:
  return torch.logit_backward(grad, self, eps)

def aten_celu__self(grad: Tensor, self: Tensor, alpha: number) -> Tensor:
  return __torch__.torch.derivatives.aten_elu__self(grad, self, alpha, 1.0, 1.0 / float(alpha))

# In training mode the slope of what is not positive was drawn: it is in the result, but for that of 0.
def aten_rrelu__self(grad: Tensor, self: Tensor, result: Tensor, lower: number, upper: number, training: bool) -> Tensor:
  middle = (float(lower) + float(upper)) * 0.5
  if not training:
    return torch.where(torch.gt(self, 0), grad, torch.mul(grad, middle))
  zero = torch.eq(self, 0)
  return torch.mul(grad, torch.masked_fill(torch.div(result, torch.masked_fill(self, zero, 1)), zero, middle))

def aten_rrelu__self_saved(self: Tensor):
  pass

def aten_selu__self(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.aten_elu__self(grad, self, 1.6732632423543772, 1.0507009873554805, 1.0)


# ---- Products ----

# Of each element: the product of all others along a dimension.
def others(self: Tensor, dim: int) -> Tensor:
  n = torch.size(self, dim)
  one = torch.ones_like(torch.narrow(self, dim, 0, 1))
  before = torch.narrow(torch.cumprod(torch.cat([one, self], dim), dim), dim, 0, n)
  behind = torch.narrow(torch.cumprod(torch.cat([one, torch.flip(self, [dim])], dim), dim), dim, 0, n)
  return torch.mul(before, torch.flip(behind, [dim]))

def aten_prod__self(grad: Tensor, self: Tensor) -> Tensor:
  if torch.numel(self) == 0:
    return torch.zeros_like(self)
  flat = torch.reshape(self, [-1])
  return torch.type_as(torch.mul(grad, torch.reshape(__torch__.torch.derivatives.functions.others(flat, 0), torch.size(self))), self)

def aten_prod__self_saved(self: Tensor, result: Tensor):
  pass

def aten_prod_dim_int__self(grad: Tensor, self: Tensor, dim: int, keepdim: bool) -> Tensor:
  if torch.dim(self) == 0:
    return torch.type_as(grad, self)
  if torch.numel(self) == 0:
    return torch.zeros_like(self)
  g = grad
  if not keepdim:
    g = torch.unsqueeze(grad, dim)
  return torch.type_as(torch.mul(g, __torch__.torch.derivatives.functions.others(self, dim)), self)

def aten_prod_dim_int__self_saved(self: Tensor, result: Tensor):
  pass

def aten_cumprod__self(grad: Tensor, self: Tensor, result: Tensor, dim: int) -> Tensor:
  return torch.type_as(torch.conj(torch.cumprod_backward(torch.conj(grad), self, dim, result)), self)


# ---- Selections ----

def aten_masked_select__self(grad: Tensor, self: Tensor, mask: Tensor) -> Tensor:
  return torch.masked_select_backward(grad, self, mask)

def aten_kthvalue__self(grad: Tensor, self: Tensor, result1: Tensor, dim: int, keepdim: bool) -> Tensor:
  return __torch__.torch.derivatives.at_indices(grad, self, result1, dim, keepdim)

def aten_median_dim__self(grad: Tensor, self: Tensor, result1: Tensor, dim: int, keepdim: bool) -> Tensor:
  return __torch__.torch.derivatives.at_indices(grad, self, result1, dim, keepdim)

def aten_nanmedian_dim__self(grad: Tensor, self: Tensor, result1: Tensor, dim: int, keepdim: bool) -> Tensor:
  return __torch__.torch.derivatives.at_indices(grad, self, result1, dim, keepdim)

def tsm_smooth_l1__self(grad: Tensor, self: Tensor, target: Tensor, beta: float) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.smooth_l1_loss_backward(grad, self, target, 0, beta), self)

def tsm_smooth_l1__target(grad: Tensor, self: Tensor, target: Tensor, beta: float) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.smooth_l1_loss_backward(grad, target, self, 0, beta), target)

def tsm_huber__self(grad: Tensor, self: Tensor, target: Tensor, delta: float) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.huber_loss_backward(grad, self, target, 0, delta), self)

def tsm_huber__target(grad: Tensor, self: Tensor, target: Tensor, delta: float) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.huber_loss_backward(grad, target, self, 0, delta), target)

def aten_mode__self(grad: Tensor, self: Tensor, result1: Tensor, dim: int, keepdim: bool) -> Tensor:
  return __torch__.torch.derivatives.at_indices(grad, self, result1, dim, keepdim)

def aten_sort_stable__self(grad: Tensor, self: Tensor, result1: Tensor, dim: int) -> Tensor:
  return __torch__.torch.derivatives.at_indices(grad, self, result1, dim, True)

def aten_where_ScalarOther__self(grad: Tensor, condition: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(__torch__.torch.derivatives.only_where(grad, condition), self)

def aten_where_ScalarSelf__other(grad: Tensor, condition: Tensor, other: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(__torch__.torch.derivatives.only_where(grad, torch.logical_not(condition)), other)

def aten_scatter_src__self(grad: Tensor, index: Tensor, dim: int) -> Tensor:
  return torch.scatter(grad, dim, index, 0)

def aten_scatter_src__src(grad: Tensor, index: Tensor, dim: int) -> Tensor:
  return torch.gather(grad, dim, index)

def aten_scatter_value__self(grad: Tensor, index: Tensor, dim: int) -> Tensor:
  return torch.scatter(grad, dim, index, 0)

def aten_index_fill_int_Scalar__self(grad: Tensor, index: Tensor, dim: int) -> Tensor:
  return torch.index_fill(grad, dim, index, 0)


# ---- Statistics ----

def correction_of(correction: Optional[number]) -> int:
  if correction is not None:
    return int(correction)
  return 1

def aten_var_correction__self(grad: Tensor, self: Tensor, dim: Optional[List[int]], correction: Optional[number], keepdim: bool) -> Tensor:
  divisor = __torch__.torch.derivatives.functions.correction_of(correction)
  return __torch__.torch.derivatives.variance(grad, self, dim, divisor, keepdim)

def aten_std_correction__self(grad: Tensor, self: Tensor, result: Tensor, dim: Optional[List[int]], correction: Optional[number], keepdim: bool) -> Tensor:
  divisor = __torch__.torch.derivatives.functions.correction_of(correction)
  return __torch__.torch.derivatives.variance(__torch__.torch.derivatives.half_over(grad, result), self, dim, divisor, keepdim)

def aten_linalg_vector_norm__self(grad: Tensor, self: Tensor, result: Tensor, ord: number, dim: Optional[List[int]], keepdim: bool) -> Tensor:
  rank = torch.dim(self)
  g = __torch__.torch.derivatives.unreduced(grad, rank, dim, keepdim)
  whole = __torch__.torch.derivatives.unreduced(result, rank, dim, keepdim)
  return torch.type_as(__torch__.torch.derivatives.norm_slope(g, self, whole, ord), self)


# ---- Shapes ----

def aten_unfold__self(grad: Tensor, self: Tensor, dimension: int, size: int, step: int) -> Tensor:
  return torch.unfold_backward(grad, torch.size(self), dimension, size, step)

def aten_broadcast_to__self(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(grad, self)

def aten_movedim_intlist__self(grad: Tensor, source: List[int], destination: List[int]) -> Tensor:
  return torch.movedim(grad, destination, source)

def aten__standard_gamma__self(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
  return torch.mul(grad, torch._standard_gamma_grad(self, result))

# ---- Images of another size, by sizes and scales ----

def aten_upsample_nearest1d__self(grad: Tensor, self: Tensor, output_size: List[int], scales: Optional[float]) -> Tensor:
  return torch.upsample_nearest1d_backward(grad, output_size, torch.size(self), scales)

def aten_upsample_nearest2d__self(grad: Tensor, self: Tensor, output_size: List[int], scales_h: Optional[float], scales_w: Optional[float]) -> Tensor:
  return torch.upsample_nearest2d_backward(grad, output_size, torch.size(self), scales_h, scales_w)

def aten_upsample_nearest3d__self(grad: Tensor, self: Tensor, output_size: List[int], scales_d: Optional[float], scales_h: Optional[float], scales_w: Optional[float]) -> Tensor:
  return torch.upsample_nearest3d_backward(grad, output_size, torch.size(self), scales_d, scales_h, scales_w)

def aten__upsample_nearest_exact1d__self(grad: Tensor, self: Tensor, output_size: List[int], scales: Optional[float]) -> Tensor:
  return torch._upsample_nearest_exact1d_backward(grad, output_size, torch.size(self), scales)

def aten__upsample_nearest_exact2d__self(grad: Tensor, self: Tensor, output_size: List[int], scales_h: Optional[float], scales_w: Optional[float]) -> Tensor:
  return torch._upsample_nearest_exact2d_backward(grad, output_size, torch.size(self), scales_h, scales_w)

def aten__upsample_nearest_exact3d__self(grad: Tensor, self: Tensor, output_size: List[int], scales_d: Optional[float], scales_h: Optional[float], scales_w: Optional[float]) -> Tensor:
  return torch._upsample_nearest_exact3d_backward(grad, output_size, torch.size(self), scales_d, scales_h, scales_w)

def aten_upsample_linear1d__self(grad: Tensor, self: Tensor, output_size: List[int], align_corners: bool, scales: Optional[float]) -> Tensor:
  return torch.upsample_linear1d_backward(grad, output_size, torch.size(self), align_corners, scales)

def aten_upsample_bilinear2d__self(grad: Tensor, self: Tensor, output_size: List[int], align_corners: bool, scales_h: Optional[float], scales_w: Optional[float]) -> Tensor:
  return torch.upsample_bilinear2d_backward(grad, output_size, torch.size(self), align_corners, scales_h, scales_w)

def aten_upsample_bicubic2d__self(grad: Tensor, self: Tensor, output_size: List[int], align_corners: bool, scales_h: Optional[float], scales_w: Optional[float]) -> Tensor:
  return torch.upsample_bicubic2d_backward(grad, output_size, torch.size(self), align_corners, scales_h, scales_w)

def aten_upsample_trilinear3d__self(grad: Tensor, self: Tensor, output_size: List[int], align_corners: bool, scales_d: Optional[float], scales_h: Optional[float], scales_w: Optional[float]) -> Tensor:
  return torch.upsample_trilinear3d_backward(grad, output_size, torch.size(self), align_corners, scales_d, scales_h, scales_w)

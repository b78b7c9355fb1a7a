# Derivatives of special functions, of scatters that reduce, and operators under another name; see torch.derivatives.

# ---- Other names: what stands for them where a function asks for gradients (exporter/passes/lower/spell_out.h) ----

def aten_absolute__by_operators(self: Tensor) -> Tensor:
  return torch.abs(self)

def aten_arccos__by_operators(self: Tensor) -> Tensor:
  return torch.acos(self)

def aten_arcsin__by_operators(self: Tensor) -> Tensor:
  return torch.asin(self)

def aten_arctan__by_operators(self: Tensor) -> Tensor:
  return torch.atan(self)

def aten_arccosh__by_operators(self: Tensor) -> Tensor:
  return torch.acosh(self)

def aten_arcsinh__by_operators(self: Tensor) -> Tensor:
  return torch.asinh(self)

def aten_arctanh__by_operators(self: Tensor) -> Tensor:
  return torch.atanh(self)

def aten_fix__by_operators(self: Tensor) -> Tensor:
  return torch.trunc(self)

def aten_negative__by_operators(self: Tensor) -> Tensor:
  return torch.neg(self)

def aten_special_expm1__by_operators(self: Tensor) -> Tensor:
  return torch.expm1(self)

def aten_special_exp2__by_operators(self: Tensor) -> Tensor:
  return torch.exp2(self)

def aten_special_gammaln__by_operators(self: Tensor) -> Tensor:
  return torch.lgamma(self)

def aten_special_digamma__by_operators(self: Tensor) -> Tensor:
  return torch.digamma(self)

def aten_special_psi__by_operators(self: Tensor) -> Tensor:
  return torch.digamma(self)

def aten_special_erf__by_operators(self: Tensor) -> Tensor:
  return torch.erf(self)

def aten_special_erfc__by_operators(self: Tensor) -> Tensor:
  return torch.erfc(self)

def aten_special_erfinv__by_operators(self: Tensor) -> Tensor:
  return torch.erfinv(self)

def aten_special_expit__by_operators(self: Tensor) -> Tensor:
  return torch.sigmoid(self)

def aten_special_log1p__by_operators(self: Tensor) -> Tensor:
  return torch.log1p(self)

def aten_special_sinc__by_operators(self: Tensor) -> Tensor:
  return torch.sinc(self)

def aten_special_i0__by_operators(self: Tensor) -> Tensor:
  return torch.i0(self)

def aten_special_logit__by_operators(self: Tensor, eps: Optional[float]) -> Tensor:
  return torch.logit(self, eps)

def aten_special_round__by_operators(self: Tensor, decimals: int) -> Tensor:
  return torch.round(self, decimals=decimals)

def aten_special_gammainc__by_operators(self: Tensor, other: Tensor) -> Tensor:
  return torch.igamma(self, other)

def aten_special_gammaincc__by_operators(self: Tensor, other: Tensor) -> Tensor:
  return torch.igammac(self, other)

def aten_arctan2__by_operators(self: Tensor, other: Tensor) -> Tensor:
  return torch.atan2(self, other)

def aten_subtract_Tensor__by_operators(self: Tensor, other: Tensor, alpha: number) -> Tensor:
  return torch.sub(self, other, alpha=alpha)

def aten_subtract_Scalar__by_operators(self: Tensor, other: number, alpha: number) -> Tensor:
  return torch.sub(self, other, alpha)

def aten_multiply_Tensor__by_operators(self: Tensor, other: Tensor) -> Tensor:
  return torch.mul(self, other)

def aten_multiply_Scalar__by_operators(self: Tensor, other: number) -> Tensor:
  return torch.mul(self, other)

def aten_divide_Tensor__by_operators(self: Tensor, other: Tensor) -> Tensor:
  return torch.div(self, other)

def aten_divide_Scalar__by_operators(self: Tensor, other: number) -> Tensor:
  return torch.div(self, other)

def aten_true_divide_Tensor__by_operators(self: Tensor, other: Tensor) -> Tensor:
  return torch.div(self, other)

def aten_true_divide_Scalar__by_operators(self: Tensor, other: number) -> Tensor:
  return torch.div(self, other)

def aten_divide_Tensor_mode__by_operators(self: Tensor, other: Tensor, rounding_mode: Optional[str]) -> Tensor:
  return torch.div(self, other, rounding_mode=rounding_mode)

def aten_divide_Scalar_mode__by_operators(self: Tensor, other: number, rounding_mode: Optional[str]) -> Tensor:
  return torch.div(self, other, rounding_mode=rounding_mode)

def aten_concat__by_operators(tensors: List[Tensor], dim: int) -> Tensor:
  return torch.cat(tensors, dim)

def aten_concatenate__by_operators(tensors: List[Tensor], dim: int) -> Tensor:
  return torch.cat(tensors, dim)

def aten_clip__by_operators(self: Tensor, min: Optional[number], max: Optional[number]) -> Tensor:
  return torch.clamp(self, min, max)

def aten_clip_Tensor__by_operators(self: Tensor, min: Optional[Tensor], max: Optional[Tensor]) -> Tensor:
  return torch.clamp(self, min, max)

def aten_var_mean_dim__by_operators(self: Tensor, dim: Optional[List[int]], unbiased: bool, keepdim: bool) -> Tuple[Tensor, Tensor]:
  return (torch.var(self, dim, unbiased, keepdim), torch.mean(self, dim, keepdim))

def aten_var_mean_dim__saved(self: Tensor):
  pass

def aten_var_mean_correction__by_operators(self: Tensor, dim: Optional[List[int]], correction: Optional[number], keepdim: bool) -> Tuple[Tensor, Tensor]:
  return (torch.var(self, dim, correction=correction, keepdim=keepdim), torch.mean(self, dim, keepdim))

def aten_var_mean_correction__saved(self: Tensor):
  pass

def aten_std_mean__saved(self: Tensor, result: Tensor):
  pass

def aten_std_mean_dim__saved(self: Tensor, result: Tensor):
  pass

def aten_std_mean_correction__saved(self: Tensor, result: Tensor):
  pass

def aten__softmax__by_operators(self: Tensor, dim: int, half_to_float: bool) -> Tensor:
  return torch.softmax(self, dim)

def aten__log_softmax__by_operators(self: Tensor, dim: int, half_to_float: bool) -> Tensor:
  return torch.log_softmax(self, dim)

def aten_convolution__by_operators(input: Tensor, weight: Tensor, bias: Optional[Tensor], stride: List[int], padding: List[int], dilation: List[int], transposed: bool, output_padding: List[int], groups: int) -> Tensor:
  return torch._convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups, False, False, False, False)

# ---- Special functions ----

def aten_i0__self(grad: Tensor, self: Tensor) -> Tensor:
  return torch.mul(grad, torch.special_i1(self))

def aten_special_i0e__self(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
  return torch.mul(grad, torch.sub(torch.special_i1e(self), torch.mul(torch.sign(self), result)))

# At 0 the slope is one half.
def aten_special_i1__self(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
  zero = torch.eq(self, 0)
  slope = torch.sub(torch.i0(self), torch.div(result, torch.masked_fill(self, zero, 1)))
  return torch.mul(grad, torch.masked_fill(slope, zero, 0.5))

def aten_special_i1e__self(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
  zero = torch.eq(self, 0)
  part = torch.mul(result, torch.add(torch.sign(self), torch.reciprocal(torch.masked_fill(self, zero, 1))))
  return torch.mul(grad, torch.masked_fill(torch.sub(torch.special_i0e(self), part), zero, 0.5))

def aten_special_log_ndtr__self(grad: Tensor, self: Tensor) -> Tensor:
  return torch.mul(torch.div(grad, torch.special_erfcx(torch.mul(self, -0.7071067811865476))), 0.7978845608028654)

def aten_special_log_ndtr__self_saved(self: Tensor, result: Tensor):
  pass

def aten_special_ndtri__self(grad: Tensor, result: Tensor) -> Tensor:
  return torch.mul(torch.mul(grad, 2.5066282746310002), torch.exp(torch.mul(torch.square(result), 0.5)))

def aten_special_erfcx__self(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
  return torch.mul(grad, torch.sub(torch.mul(torch.mul(self, result), 2), 1.1283791670955126))

def refuse(name: str):
  ops.prim.RaiseException(torch.format("the derivative for '{}' is not implemented.", name))

def aten_special_zeta__self(grad: Tensor, self: Tensor) -> Tensor:
  __torch__.torch.derivatives.special.refuse("self")
  return torch.zeros_like(self)

def aten_special_zeta__other(grad: Tensor, self: Tensor, other: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.mul(grad, torch.mul(torch.neg(self), torch.special_zeta(torch.add(self, 1), other))), other)

def aten_special_zeta_self_scalar__other(grad: Tensor, self: number, other: Tensor) -> Tensor:
  return torch.mul(grad, torch.mul(torch.special_zeta(self + 1, other), -float(self)))

def aten_special_zeta_other_scalar__self(grad: Tensor, self: Tensor) -> Tensor:
  __torch__.torch.derivatives.special.refuse("self")
  return torch.zeros_like(self)

def density(self: Tensor, other: Tensor) -> Tensor:
  return torch.exp(torch.sub(torch.sub(torch.mul(torch.sub(self, 1), torch.log(other)), other), torch.lgamma(self)))

def aten_igamma__self(grad: Tensor, self: Tensor) -> Tensor:
  __torch__.torch.derivatives.special.refuse("igamma: input")
  return torch.zeros_like(self)

def aten_igamma__other(grad: Tensor, self: Tensor, other: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.mul(grad, __torch__.torch.derivatives.special.density(self, other)), other)

def aten_igammac__self(grad: Tensor, self: Tensor) -> Tensor:
  __torch__.torch.derivatives.special.refuse("igammac: input")
  return torch.zeros_like(self)

def aten_igammac__other(grad: Tensor, self: Tensor, other: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.mul(torch.neg(grad), __torch__.torch.derivatives.special.density(self, other)), other)

# ---- Signs, conjugates, limits ----

def turned(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
  zero = torch.eq(self, 0)
  return torch.masked_fill(torch.mul(grad, torch.div(result, torch.masked_fill(self, zero, 1))), zero, 0)

def aten_copysign_Tensor__self(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(__torch__.torch.derivatives.special.turned(grad, self, result), self)

def aten_copysign_Tensor__other(grad: Tensor, other: Tensor) -> Tensor:
  return torch.zeros_like(other)

def aten_copysign_Scalar__self(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
  return __torch__.torch.derivatives.special.turned(grad, self, result)

def aten_resolve_conj__self(grad: Tensor) -> Tensor:
  return grad

def aten_resolve_neg__self(grad: Tensor) -> Tensor:
  return grad

def aten_alias__self(grad: Tensor) -> Tensor:
  return grad

def aten_clamp_Tensor__self(grad: Tensor, self: Tensor, min: Optional[Tensor], max: Optional[Tensor]) -> Tensor:
  g = grad
  if min is not None:
    g = __torch__.torch.derivatives.only_where(g, torch.ge(self, min))
  if max is not None:
    g = __torch__.torch.derivatives.only_where(g, torch.le(self, max))
  return __torch__.torch.derivatives.fit(g, self)

def aten_clamp_Tensor__min(grad: Tensor, self: Tensor, min: Optional[Tensor], max: Optional[Tensor]) -> Tensor:
  if min is None:
    return grad
  mask = torch.lt(self, min)
  if max is not None:
    mask = torch.logical_and(mask, torch.lt(min, max))
  return __torch__.torch.derivatives.fit(__torch__.torch.derivatives.only_where(grad, mask), min)

def aten_clamp_Tensor__max(grad: Tensor, self: Tensor, min: Optional[Tensor], max: Optional[Tensor]) -> Tensor:
  if max is None:
    return grad
  mask = torch.gt(self, max)
  if min is not None:
    mask = torch.logical_or(mask, torch.lt(max, min))
  return __torch__.torch.derivatives.fit(__torch__.torch.derivatives.only_where(grad, mask), max)

# ---- Places ----

def aten_index_copy__self(grad: Tensor, dim: int, index: Tensor) -> Tensor:
  return torch.index_fill(grad, dim, index, 0)

def aten_index_copy__source(grad: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
  return torch.reshape(torch.index_select(grad, dim, index), torch.size(source))

def aten_index_copy__source_saved(index: Tensor, source: Tensor):
  pass

# Of a tensor that lies one row after the other.
def aten_as_strided__self(grad: Tensor, self: Tensor, size: List[int], stride: List[int], storage_offset: Optional[int]) -> Tensor:
  if not torch.is_contiguous(self):
    ops.prim.RaiseException("the derivative of as_strided of a tensor that is not contiguous is not implemented")
  n = torch.numel(self)
  places = torch.as_strided(torch.arange(n), size, stride, storage_offset)
  return torch.reshape(torch.index_add(torch.zeros([n], dtype=grad.dtype), 0, torch.flatten(places), torch.flatten(grad)), torch.size(self))

def aten_as_strided__self_saved():
  pass

# How many elements of self and src each result is the mean of, or is equal to.
def shares(self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool, result: Tensor) -> Tensor:
  if reduce == "mean":
    base = torch.ones_like(self) if include_self else torch.zeros_like(self)
    return torch.clamp_min(torch.scatter_add(base, dim, index, torch.ones_like(src)), 1)
  own = torch.to(torch.eq(self, result), self.dtype)
  return torch.scatter_add(own, dim, index, torch.to(torch.eq(src, torch.gather(result, dim, index)), self.dtype))

def aten_scatter_reduce_two__self(grad: Tensor, self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool, result: Tensor) -> Tensor:
  if reduce == "sum":
    made = grad
  elif reduce == "prod":
    filled = torch.masked_fill(self, torch.eq(self, 0), 1)
    made = torch.div(torch.mul(grad, torch.scatter_reduce(filled, dim, index, src, "prod", include_self=include_self)), filled)
  else:
    made = torch.div(grad, __torch__.torch.derivatives.special.shares(self, dim, index, src, reduce, include_self, result))
    if reduce != "mean":
      made = torch.mul(made, torch.eq(self, result))
  return made if include_self else torch.scatter(made, dim, index, 0)

def aten_scatter_reduce_two__src(grad: Tensor, self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool, result: Tensor) -> Tensor:
  if reduce == "sum":
    return torch.gather(grad, dim, index)
  if reduce == "prod":
    zero = torch.eq(src, 0)
    zeros = torch.gather(torch.scatter_add(torch.zeros_like(self), dim, index, torch.to(zero, self.dtype)), dim, index)
    single = torch.logical_and(zero, torch.eq(zeros, 1))
    others = torch.scatter_reduce(self, dim, index, torch.masked_fill(src, single, 1), "prod", include_self=include_self)
    usual = torch.div(torch.gather(torch.mul(grad, result), dim, index), torch.masked_fill(src, zero, 1))
    return torch.where(single, torch.gather(torch.mul(grad, others), dim, index), usual)
  share = torch.div(grad, __torch__.torch.derivatives.special.shares(self, dim, index, src, reduce, include_self, result))
  made = torch.gather(share, dim, index)
  return made if reduce == "mean" else torch.mul(made, torch.eq(src, torch.gather(result, dim, index)))

def aten__upsample_nearest_exact1d_vec__input(grad: Tensor, input: Tensor, output_size: Optional[List[int]], scale_factors: Optional[List[float]]) -> Tensor:
  return torch._upsample_nearest_exact1d_backward(grad, output_size, torch.size(input), scale_factors)

def aten__upsample_nearest_exact2d_vec__input(grad: Tensor, input: Tensor, output_size: Optional[List[int]], scale_factors: Optional[List[float]]) -> Tensor:
  return torch._upsample_nearest_exact2d_backward(grad, output_size, torch.size(input), scale_factors)

def aten__upsample_nearest_exact3d_vec__input(grad: Tensor, input: Tensor, output_size: Optional[List[int]], scale_factors: Optional[List[float]]) -> Tensor:
  return torch._upsample_nearest_exact3d_backward(grad, output_size, torch.size(input), scale_factors)

# ---- What draws numbers of its own in the place of those that it is given ----

def aten_cauchy__self(self: Tensor) -> Tensor:
  return torch.zeros_like(self)

def aten_exponential__self(self: Tensor) -> Tensor:
  return torch.zeros_like(self)

def aten_geometric__self(self: Tensor) -> Tensor:
  return torch.zeros_like(self)

def aten_log_normal__self(self: Tensor) -> Tensor:
  return torch.zeros_like(self)

# ---- The same under other names ----

def aten__to_copy__self(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
  return __torch__.torch.derivatives.converted(grad, self, result)

def aten_as_tensor__data(grad: Tensor, data: Tensor, result: Tensor) -> Tensor:
  return __torch__.torch.derivatives.converted(grad, data, result)

def aten_to_dense__self(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
  return __torch__.torch.derivatives.converted(grad, self, result)

def aten__unsafe_view__self(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.as_shape(grad, self)

def aten_div_Scalar_mode__self(grad: Tensor, self: Tensor, other: number, rounding_mode: Optional[str]) -> Tensor:
  return torch.zeros_like(self) if rounding_mode is not None else __torch__.torch.derivatives.fit(torch.div(grad, other), self)

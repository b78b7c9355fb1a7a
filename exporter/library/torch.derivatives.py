# Derivatives: the gradient of argument ARG of operator aten::name.overload is the function aten_name_overload__ARG.
# Its parameters are called after what they stand for: grad (of the first result; grad1, ... of others; grads: of the
# items of a list), result (result1, ...), or an argument of the operator. Arguments of an operator in this list that
# have no function here have no gradient. aten_name_overload__gradients gives those of all arguments that are tensors,
# in their order, as a tuple; aten_name_overload__last_gradients, which is taken where no other request follows, may
# write to results of the operator. Where the gradient has zeros almost everywhere, there is
# aten_name_overload__ARG_added too, which adds it to `total`, the sum of gradients so far, in place; the function
# without _added gives a new tensor then.
# The pass autodiff puts calls of these functions behind the operators.



# ---- For the pass ----

def first_gradient(y: Tensor) -> Tensor:
  if torch.numel(y) != 1:
    ops.prim.RaiseException("grad can be implicitly created only for scalar outputs")
  return torch.ones_like(y)

def given_gradient(grad: Tensor) -> Tensor:
  return torch.conj(grad)

def no_gradient(y: Tensor) -> Tensor:
  return torch.zeros_like(y)

def no_gradient_of_some(y: Optional[Tensor]) -> Tensor:
  return torch.zeros([0]) if y is None else torch.zeros_like(y)

def check_leaf(is_result: bool, on: bool):
  if is_result and not on:
    ops.prim.RaiseException("you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach().")

def no_value() -> Tensor:
  return torch.zeros([0])

def sum_of(a: Tensor, b: Tensor) -> Tensor:
  return torch.add(a, b)

def sums_of(a: List[Tensor], b: List[Tensor]) -> List[Tensor]:
  return [torch.add(a[i], b[i]) for i in range(len(a))]

# Of the type and the sizes of t, with the memory of one element.
def stand_in(t: Tensor) -> Tensor:
  return torch.expand(torch.empty([], dtype=t.dtype), torch.size(t))

def constant(grad: Tensor) -> Tensor:
  return torch.detach(torch.conj(grad))

def answer(grad: Tensor) -> Tensor:
  return torch.conj(grad)

def add_gradient(known: Tensor, more: Tensor) -> Tensor:
  return torch.add_(known, more)

def item_gradients(items: List[Tensor], indices: List[int], given: List[Tensor]) -> List[Tensor]:
  grads = [torch.zeros_like(t) for t in items]
  for i in range(len(indices)):
    grads[indices[i]] = given[i]
  return grads


# ---- Shared ----

# The gradient of an operand that was broadcast and converted.
def fit(grad: Tensor, to: Tensor) -> Tensor:
  return torch.type_as(torch.sum_to_size(grad, torch.size(to)), to)

def as_shape(grad: Tensor, to: Tensor) -> Tensor:
  return torch.reshape(grad, torch.size(to))

def only_where(grad: Tensor, mask: Tensor) -> Tensor:
  return torch.masked_fill(grad, torch.logical_not(mask), 0)

# Dimensions that were reduced away, put in again with size 1.
def unreduced(grad: Tensor, rank: int, dim: Optional[List[int]], keepdim: bool) -> Tensor:
  g = grad
  if dim is not None:
    if not keepdim:
      for d in range(rank):
        for k in dim:
          if k == d or k + rank == d:
            g = torch.unsqueeze(g, d)
  return g

def spread(grad: Tensor, self: Tensor, dim: Optional[List[int]], keepdim: bool) -> Tensor:
  g = __torch__.torch.derivatives.unreduced(grad, torch.dim(self), dim, keepdim)
  return torch.type_as(torch.expand(g, torch.size(self)), self)


# ---- Arithmetic ----

def aten_add_Tensor__self(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(grad, self)

def aten_add_Tensor__other(grad: Tensor, other: Tensor, alpha: number) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.mul(grad, alpha), other)

def aten_add_Scalar__self(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(grad, self)

def aten_sub_Tensor__self(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(grad, self)

def aten_sub_Tensor__other(grad: Tensor, other: Tensor, alpha: number) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.mul(torch.neg(grad), alpha), other)

def aten_sub_Scalar__self(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(grad, self)

def aten_rsub_Tensor__self(grad: Tensor, self: Tensor, alpha: number) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.mul(torch.neg(grad), alpha), self)

def aten_rsub_Tensor__other(grad: Tensor, other: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(grad, other)

def aten_rsub_Scalar__self(grad: Tensor, self: Tensor, alpha: number) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.mul(torch.neg(grad), alpha), self)

def aten_mul_Tensor__self(grad: Tensor, self: Tensor, other: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.mul(grad, other), self)

def aten_mul_Tensor__other(grad: Tensor, self: Tensor, other: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.mul(grad, self), other)

def aten_mul_Scalar__self(grad: Tensor, self: Tensor, other: number) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.mul(grad, other), self)

def aten_div_Tensor__self(grad: Tensor, self: Tensor, other: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.div(grad, other), self)

def aten_div_Tensor__other(grad: Tensor, self: Tensor, other: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.neg(torch.div(torch.mul(grad, torch.div(self, other)), other)), other)

def aten_div_Scalar__self(grad: Tensor, self: Tensor, other: number) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.div(grad, other), self)

def aten_pow_Tensor_Scalar__self(grad: Tensor, self: Tensor, exponent: number) -> Tensor:
  if exponent == 0:
    return torch.zeros_like(self)
  return __torch__.torch.derivatives.fit(torch.mul(torch.mul(grad, torch.pow(self, exponent - 1)), exponent), self)

def aten_pow_Tensor_Tensor__self(grad: Tensor, self: Tensor, exponent: Tensor) -> Tensor:
  slope = torch.mul(exponent, torch.pow(self, torch.sub(exponent, 1)))
  return __torch__.torch.derivatives.fit(torch.mul(grad, torch.masked_fill(slope, torch.eq(exponent, 0), 0)), self)

def aten_pow_Tensor_Tensor__exponent(grad: Tensor, self: Tensor, exponent: Tensor, result: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.mul(grad, __torch__.torch.derivatives.times_log(result, self)), exponent)

def aten_pow_Scalar__exponent(grad: Tensor, self: number, exponent: Tensor, result: Tensor) -> Tensor:
  base = torch.mul(torch.ones_like(result), self)
  return __torch__.torch.derivatives.fit(torch.mul(grad, __torch__.torch.derivatives.times_log(result, base)), exponent)

def times_log(result: Tensor, base: Tensor) -> Tensor:
  return torch.masked_fill(torch.mul(result, torch.log(base)), torch.eq(result, 0), 0)

def aten_lerp_Scalar__self(grad: Tensor, self: Tensor, weight: number) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.sub(grad, torch.mul(grad, weight)), self)

def aten_lerp_Scalar__end(grad: Tensor, end: Tensor, weight: number) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.mul(grad, weight), end)

def aten_addcmul__self(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(grad, self)

def aten_addcmul__tensor1(grad: Tensor, tensor1: Tensor, tensor2: Tensor, value: number) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.mul(torch.mul(grad, tensor2), value), tensor1)

def aten_addcmul__tensor2(grad: Tensor, tensor1: Tensor, tensor2: Tensor, value: number) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.mul(torch.mul(grad, tensor1), value), tensor2)

def aten_addcdiv__self(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(grad, self)

def aten_addcdiv__tensor1(grad: Tensor, tensor1: Tensor, tensor2: Tensor, value: number) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.div(torch.mul(grad, value), tensor2), tensor1)

def aten_addcdiv__tensor2(grad: Tensor, tensor1: Tensor, tensor2: Tensor, value: number) -> Tensor:
  quotient = torch.div(tensor1, torch.mul(tensor2, tensor2))
  return __torch__.torch.derivatives.fit(torch.neg(torch.mul(torch.mul(grad, value), quotient)), tensor2)


# ---- Functions of one element ----

def aten_neg__self(grad: Tensor) -> Tensor:
  return torch.neg(grad)

def aten_exp__self(grad: Tensor, result: Tensor) -> Tensor:
  return torch.mul(grad, result)

def aten_exp2__self(grad: Tensor, result: Tensor) -> Tensor:
  return torch.mul(torch.mul(grad, result), 0.69314718055994531)

def aten_expm1__self(grad: Tensor, result: Tensor) -> Tensor:
  return torch.mul(grad, torch.add(result, 1))

def aten_log__self(grad: Tensor, self: Tensor) -> Tensor:
  return torch.div(grad, self)

def aten_log2__self(grad: Tensor, self: Tensor) -> Tensor:
  return torch.div(grad, torch.mul(self, 0.69314718055994531))

def aten_log10__self(grad: Tensor, self: Tensor) -> Tensor:
  return torch.div(grad, torch.mul(self, 2.3025850929940457))

def aten_log1p__self(grad: Tensor, self: Tensor) -> Tensor:
  return torch.div(grad, torch.add(self, 1))

def aten_sqrt__self(grad: Tensor, result: Tensor) -> Tensor:
  return torch.div(grad, torch.mul(result, 2))

def aten_rsqrt__self(grad: Tensor, result: Tensor) -> Tensor:
  return torch.mul(torch.mul(grad, torch.pow(result, 3)), -0.5)

def aten_reciprocal__self(grad: Tensor, result: Tensor) -> Tensor:
  return torch.neg(torch.mul(grad, torch.mul(result, result)))

def aten_square__self(grad: Tensor, self: Tensor) -> Tensor:
  return torch.mul(grad, torch.mul(self, 2))

def aten_sin__self(grad: Tensor, self: Tensor) -> Tensor:
  return torch.mul(grad, torch.cos(self))

def aten_cos__self(grad: Tensor, self: Tensor) -> Tensor:
  return torch.neg(torch.mul(grad, torch.sin(self)))

def aten_tan__self(grad: Tensor, result: Tensor) -> Tensor:
  return torch.mul(grad, torch.add(torch.mul(result, result), 1))

def aten_asin__self(grad: Tensor, self: Tensor) -> Tensor:
  return torch.mul(grad, torch.rsqrt(torch.rsub(torch.mul(self, self), 1)))

def aten_acos__self(grad: Tensor, self: Tensor) -> Tensor:
  return torch.neg(torch.mul(grad, torch.rsqrt(torch.rsub(torch.mul(self, self), 1))))

def aten_atan__self(grad: Tensor, self: Tensor) -> Tensor:
  return torch.div(grad, torch.add(torch.mul(self, self), 1))

def aten_sinh__self(grad: Tensor, self: Tensor) -> Tensor:
  return torch.mul(grad, torch.cosh(self))

def aten_cosh__self(grad: Tensor, self: Tensor) -> Tensor:
  return torch.mul(grad, torch.sinh(self))

def aten_tanh__self(grad: Tensor, result: Tensor) -> Tensor:
  return torch.mul(grad, torch.rsub(torch.mul(result, result), 1))

def aten_sigmoid__self(grad: Tensor, result: Tensor) -> Tensor:
  return torch.mul(grad, torch.mul(result, torch.rsub(result, 1)))

def aten_erf__self(grad: Tensor, self: Tensor) -> Tensor:
  return torch.mul(grad, torch.mul(torch.exp(torch.neg(torch.mul(self, self))), 1.1283791670955126))

def aten_relu__self(grad: Tensor, result: Tensor) -> Tensor:
  return torch.masked_fill(grad, torch.le(result, 0), 0)

def aten_relu6__self(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.only_where(grad, torch.logical_and(torch.gt(self, 0), torch.lt(self, 6)))

def aten_hardtanh__self(grad: Tensor, self: Tensor, min_val: number, max_val: number) -> Tensor:
  return __torch__.torch.derivatives.only_where(grad, torch.logical_and(torch.gt(self, min_val), torch.lt(self, max_val)))

def aten_leaky_relu__self(grad: Tensor, self: Tensor, negative_slope: number) -> Tensor:
  return torch.where(torch.gt(self, 0), grad, torch.mul(grad, negative_slope))

def aten_threshold__self(grad: Tensor, self: Tensor, threshold: number) -> Tensor:
  return __torch__.torch.derivatives.only_where(grad, torch.gt(self, threshold))

def aten_silu__self(grad: Tensor, self: Tensor) -> Tensor:
  return torch.mul(grad, __torch__.torch.derivatives.silu_slope(self, torch.sigmoid(self)))

def aten_log_sigmoid__self(grad: Tensor, self: Tensor) -> Tensor:
  return torch.mul(grad, torch.sigmoid(torch.neg(self)))

def aten_hardsigmoid__self(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.only_where(torch.div(grad, 6), torch.logical_and(torch.gt(self, -3), torch.lt(self, 3)))

def aten_softplus__self(grad: Tensor, self: Tensor, beta: number, threshold: number) -> Tensor:
  return torch.where(torch.gt(torch.mul(self, beta), threshold), grad, torch.mul(grad, torch.sigmoid(torch.mul(self, beta))))

def silu_slope(self: Tensor, s: Tensor) -> Tensor:
  return torch.mul(s, torch.add(torch.mul(self, torch.rsub(s, 1)), 1))

def aten_hardswish__self(grad: Tensor, self: Tensor) -> Tensor:
  slope = torch.add(torch.div(self, 3), 0.5)
  slope = torch.where(torch.ge(self, 3), torch.ones_like(self), slope)
  return torch.mul(grad, torch.masked_fill(slope, torch.lt(self, -3), 0))

def aten_gelu__self(grad: Tensor, self: Tensor, approximate: str) -> Tensor:
  if approximate == "none":
    below = torch.mul(torch.add(torch.erf(torch.mul(self, 0.70710678118654757)), 1), 0.5)
    density = torch.mul(torch.exp(torch.mul(torch.mul(self, self), -0.5)), 0.3989422804014327)
    return torch.mul(grad, torch.add(below, torch.mul(self, density)))
  cube = torch.mul(torch.mul(self, self), self)
  t = torch.tanh(torch.mul(torch.add(self, torch.mul(cube, 0.044714999999999998)), 0.79788456080286541))
  inner = torch.mul(torch.add(torch.mul(torch.mul(self, self), 0.134145), 1), 0.79788456080286541)
  slope = torch.mul(torch.mul(torch.rsub(torch.mul(t, t), 1), inner), torch.mul(self, 0.5))
  return torch.mul(grad, torch.add(torch.mul(torch.add(t, 1), 0.5), slope))

def aten_elu__self(grad: Tensor, self: Tensor, alpha: number, scale: number, input_scale: number) -> Tensor:
  below = torch.mul(torch.mul(torch.exp(torch.mul(self, input_scale)), alpha), input_scale)
  return torch.mul(torch.mul(grad, torch.where(torch.gt(self, 0), torch.ones_like(self), below)), scale)

def aten_clamp__self(grad: Tensor, self: Tensor, min: Optional[number], max: Optional[number]) -> Tensor:
  g = grad
  if min is not None:
    g = __torch__.torch.derivatives.only_where(g, torch.ge(self, min))
  if max is not None:
    g = __torch__.torch.derivatives.only_where(g, torch.le(self, max))
  return g

def aten_clamp_min__self(grad: Tensor, self: Tensor, min: number) -> Tensor:
  return __torch__.torch.derivatives.only_where(grad, torch.ge(self, min))

def aten_clamp_max__self(grad: Tensor, self: Tensor, max: number) -> Tensor:
  return __torch__.torch.derivatives.only_where(grad, torch.le(self, max))


# ---- Choices ----

# Of two equal elements each takes half.

def share(grad: Tensor, mine: Tensor, chosen: Tensor, other: Tensor) -> Tensor:
  half = torch.mul(torch.type_as(torch.eq(mine, other), grad), 0.5)
  return __torch__.torch.derivatives.fit(torch.mul(grad, torch.sub(torch.type_as(chosen, grad), half)), mine)

def aten_maximum__self(grad: Tensor, self: Tensor, other: Tensor) -> Tensor:
  return __torch__.torch.derivatives.share(grad, self, torch.ge(self, other), other)

def aten_maximum__other(grad: Tensor, self: Tensor, other: Tensor) -> Tensor:
  return __torch__.torch.derivatives.share(grad, other, torch.ge(other, self), self)

def aten_minimum__self(grad: Tensor, self: Tensor, other: Tensor) -> Tensor:
  return __torch__.torch.derivatives.share(grad, self, torch.le(self, other), other)

def aten_minimum__other(grad: Tensor, self: Tensor, other: Tensor) -> Tensor:
  return __torch__.torch.derivatives.share(grad, other, torch.le(other, self), self)

def aten_max_other__self(grad: Tensor, self: Tensor, other: Tensor) -> Tensor:
  return __torch__.torch.derivatives.share(grad, self, torch.ge(self, other), other)

def aten_max_other__other(grad: Tensor, self: Tensor, other: Tensor) -> Tensor:
  return __torch__.torch.derivatives.share(grad, other, torch.ge(other, self), self)

def aten_min_other__self(grad: Tensor, self: Tensor, other: Tensor) -> Tensor:
  return __torch__.torch.derivatives.share(grad, self, torch.le(self, other), other)

def aten_min_other__other(grad: Tensor, self: Tensor, other: Tensor) -> Tensor:
  return __torch__.torch.derivatives.share(grad, other, torch.le(other, self), self)

def aten_where_self__self(grad: Tensor, condition: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.where(condition, grad, torch.zeros_like(grad)), self)

def aten_where_self__other(grad: Tensor, condition: Tensor, other: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.where(condition, torch.zeros_like(grad), grad), other)

def aten_masked_fill_Scalar__self(grad: Tensor, self: Tensor, mask: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.masked_fill(grad, mask, 0), self)

def aten_masked_fill_Tensor__self(grad: Tensor, self: Tensor, mask: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.masked_fill(grad, mask, 0), self)

def aten_masked_fill_Tensor__value(grad: Tensor, mask: Tensor, value: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(__torch__.torch.derivatives.only_where(grad, mask), value)

def aten_tril__self(grad: Tensor, diagonal: int) -> Tensor:
  return torch.tril(grad, diagonal)

def aten_triu__self(grad: Tensor, diagonal: int) -> Tensor:
  return torch.triu(grad, diagonal)


# ---- Sums and other reductions ----

def aten_sum__self(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.spread(grad, self, None, False)

def aten_sum_dim_IntList__self(grad: Tensor, self: Tensor, dim: Optional[List[int]], keepdim: bool) -> Tensor:
  return __torch__.torch.derivatives.spread(grad, self, dim, keepdim)

def aten_nansum__self(grad: Tensor, self: Tensor, dim: Optional[List[int]], keepdim: bool) -> Tensor:
  return torch.masked_fill(__torch__.torch.derivatives.spread(grad, self, dim, keepdim), torch.ne(self, self), 0)

def aten_mean__self(grad: Tensor, self: Tensor) -> Tensor:
  return torch.div(__torch__.torch.derivatives.spread(grad, self, None, False), torch.numel(self))

def aten_mean_dim__self(grad: Tensor, self: Tensor, dim: Optional[List[int]], keepdim: bool) -> Tensor:
  g = __torch__.torch.derivatives.spread(grad, self, dim, keepdim)
  return torch.mul(g, float(torch.numel(grad)) / float(torch.numel(self)))

def aten_cumsum__self(grad: Tensor, dim: int) -> Tensor:
  return torch.flip(torch.cumsum(torch.flip(grad, [dim]), dim), [dim])

# Gradients of either sign are summed in logarithms.
def logcumsumexp_part(log_grad: Tensor, self: Tensor, result: Tensor, dim: int) -> Tensor:
  return torch.exp(torch.flip(torch.logcumsumexp(torch.flip(log_grad - result, [dim]), dim), [dim]) + self)


def aten_logcumsumexp__self(grad: Tensor, self: Tensor, result: Tensor, dim: int) -> Tensor:
  if torch.is_complex(grad):
    return torch.exp(self) * torch.flip(torch.cumsum(torch.flip(grad * torch.exp(-result), [dim]), dim), [dim])
  none = torch.full_like(grad, -inf)
  rising = __torch__.torch.derivatives.logcumsumexp_part(torch.where(grad > 0, torch.log(grad), none), self, result, dim)
  return rising - __torch__.torch.derivatives.logcumsumexp_part(torch.where(grad < 0, torch.log(-grad), none), self, result, dim)


def aten_logsumexp__self(grad: Tensor, self: Tensor, result: Tensor, dim: List[int], keepdim: bool) -> Tensor:
  top = __torch__.torch.derivatives.unreduced(result, torch.dim(self), dim, keepdim)
  return torch.mul(__torch__.torch.derivatives.unreduced(grad, torch.dim(self), dim, keepdim), torch.exp(torch.sub(self, top)))

# Elements that are the extreme share its gradient.

def extremes(grad: Tensor, self: Tensor, extreme: Tensor, dim: Optional[List[int]]) -> Tensor:
  mask = torch.type_as(torch.eq(self, extreme), grad)
  count = torch.sum(mask)
  if dim is not None:
    if len(dim) > 0:
      count = torch.sum(mask, dim, True)
  return torch.mul(grad, torch.div(mask, count))

def aten_max__self(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
  return __torch__.torch.derivatives.extremes(grad, self, result, None)

def aten_min__self(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
  return __torch__.torch.derivatives.extremes(grad, self, result, None)

def aten_amax__self(grad: Tensor, self: Tensor, result: Tensor, dim: List[int], keepdim: bool) -> Tensor:
  rank = torch.dim(self)
  return __torch__.torch.derivatives.extremes(__torch__.torch.derivatives.unreduced(grad, rank, dim, keepdim), self, __torch__.torch.derivatives.unreduced(result, rank, dim, keepdim), dim)

def aten_amin__self(grad: Tensor, self: Tensor, result: Tensor, dim: List[int], keepdim: bool) -> Tensor:
  rank = torch.dim(self)
  return __torch__.torch.derivatives.extremes(__torch__.torch.derivatives.unreduced(grad, rank, dim, keepdim), self, __torch__.torch.derivatives.unreduced(result, rank, dim, keepdim), dim)

def at_indices(grad: Tensor, self: Tensor, indices: Tensor, dim: int, keepdim: bool) -> Tensor:
  if torch.dim(self) == 0:
    return grad
  g, at = grad, indices
  if not keepdim:
    g, at = torch.unsqueeze(grad, dim), torch.unsqueeze(indices, dim)
  return torch.scatter(torch.zeros_like(self), dim, at, g)

def aten_max_dim__self(grad: Tensor, self: Tensor, result1: Tensor, dim: int, keepdim: bool) -> Tensor:
  return __torch__.torch.derivatives.at_indices(grad, self, result1, dim, keepdim)

def aten_min_dim__self(grad: Tensor, self: Tensor, result1: Tensor, dim: int, keepdim: bool) -> Tensor:
  return __torch__.torch.derivatives.at_indices(grad, self, result1, dim, keepdim)

def aten_topk__self(grad: Tensor, self: Tensor, result1: Tensor, dim: int) -> Tensor:
  return __torch__.torch.derivatives.at_indices(grad, self, result1, dim, True)

def aten_sort__self(grad: Tensor, self: Tensor, result1: Tensor, dim: int) -> Tensor:
  return __torch__.torch.derivatives.at_indices(grad, self, result1, dim, True)

def aten_cummax__self(grad: Tensor, self: Tensor, result1: Tensor, dim: int) -> Tensor:
  if torch.dim(self) == 0:
    return grad
  return torch.scatter_add(torch.zeros_like(self), dim, result1, grad)

def aten_cummin__self(grad: Tensor, self: Tensor, result1: Tensor, dim: int) -> Tensor:
  if torch.dim(self) == 0:
    return grad
  return torch.scatter_add(torch.zeros_like(self), dim, result1, grad)

# Variance: the divisor is the number of elements less `correction`.

def variance(grad: Tensor, self: Tensor, dim: Optional[List[int]], correction: int, keepdim: bool) -> Tensor:
  centered = torch.sub(self, torch.mean(self))
  if dim is not None:
    if len(dim) > 0:
      centered = torch.sub(self, torch.mean(self, dim, True))
  divisor = torch.numel(self) // torch.numel(grad) - correction
  return torch.mul(__torch__.torch.derivatives.spread(grad, self, dim, keepdim), torch.mul(torch.conj(centered), 2.0 / float(divisor)))

def aten_var__self(grad: Tensor, self: Tensor, unbiased: bool) -> Tensor:
  return __torch__.torch.derivatives.variance(grad, self, None, int(unbiased), False)

def aten_var_dim__self(grad: Tensor, self: Tensor, dim: Optional[List[int]], unbiased: bool, keepdim: bool) -> Tensor:
  return __torch__.torch.derivatives.variance(grad, self, dim, int(unbiased), keepdim)

def half_over(grad: Tensor, result: Tensor) -> Tensor:
  return torch.masked_fill(torch.div(grad, torch.mul(result, 2)), torch.eq(result, 0), 0)

def aten_std__self(grad: Tensor, self: Tensor, result: Tensor, unbiased: bool) -> Tensor:
  return __torch__.torch.derivatives.variance(__torch__.torch.derivatives.half_over(grad, result), self, None, int(unbiased), False)

def aten_std_dim__self(grad: Tensor, self: Tensor, result: Tensor, dim: Optional[List[int]], unbiased: bool, keepdim: bool) -> Tensor:
  return __torch__.torch.derivatives.variance(__torch__.torch.derivatives.half_over(grad, result), self, dim, int(unbiased), keepdim)

def norm_slope(grad: Tensor, self: Tensor, result: Tensor, p: number) -> Tensor:
  flipped = torch.conj(self)
  if p == 0:
    return torch.zeros_like(self)
  if p == inf or p == -inf:
    mask = torch.type_as(torch.eq(torch.abs(self), result), result)
    count = torch.sum_to_size(mask, torch.size(result))
    return torch.mul(torch.mul(torch.sgn(flipped), mask), torch.div(grad, count))
  if p == 1:
    return torch.mul(grad, torch.sgn(flipped))
  slope = flipped
  if p != 2:
    slope = torch.mul(torch.sgn(flipped), torch.pow(torch.abs(self), p - 1))
    if p < 1:
      slope = torch.masked_fill(slope, torch.eq(self, 0), 0)
  return torch.mul(grad, torch.masked_fill(torch.div(slope, torch.pow(result, p - 1)), torch.eq(result, 0), 0))

def aten_norm_Scalar__self(grad: Tensor, self: Tensor, result: Tensor, p: number) -> Tensor:
  return __torch__.torch.derivatives.norm_slope(grad, self, result, p)

def aten_norm_ScalarOpt_dim__self(grad: Tensor, self: Tensor, result: Tensor, p: Optional[number], dim: List[int], keepdim: bool) -> Tensor:
  rank = torch.dim(self)
  order = 2.0
  if p is not None:
    order = float(p)
  return __torch__.torch.derivatives.norm_slope(__torch__.torch.derivatives.unreduced(grad, rank, dim, keepdim), self, __torch__.torch.derivatives.unreduced(result, rank, dim, keepdim), order)

def aten_softmax_int__self(grad: Tensor, self: Tensor, result: Tensor, dim: int) -> Tensor:
  along = torch.sum(torch.mul(grad, result), [dim], True)
  return torch.type_as(torch.mul(torch.sub(grad, along), result), self)

def aten_log_softmax_int__self(grad: Tensor, self: Tensor, result: Tensor, dim: int) -> Tensor:
  return torch.type_as(torch.sub(grad, torch.mul(torch.exp(result), torch.sum(grad, [dim], True))), self)


# ---- Products ----

def aten_mm__self(grad: Tensor, mat2: Tensor) -> Tensor:
  return torch.mm(grad, torch.t(mat2))

def aten_mm__mat2(grad: Tensor, self: Tensor) -> Tensor:
  return torch.mm(torch.t(self), grad)

def aten_bmm__self(grad: Tensor, mat2: Tensor) -> Tensor:
  return torch.bmm(grad, torch.transpose(mat2, 1, 2))

def aten_bmm__mat2(grad: Tensor, self: Tensor) -> Tensor:
  return torch.bmm(torch.transpose(self, 1, 2), grad)

def aten_mv__self(grad: Tensor, vec: Tensor) -> Tensor:
  return torch.mul(torch.unsqueeze(grad, 1), vec)

def aten_mv__vec(grad: Tensor, self: Tensor) -> Tensor:
  return torch.mv(torch.t(self), grad)

def aten_dot__self(grad: Tensor, tensor: Tensor) -> Tensor:
  return torch.mul(grad, tensor)

def aten_dot__tensor(grad: Tensor, self: Tensor) -> Tensor:
  return torch.mul(grad, self)

def aten_addmm__self(grad: Tensor, self: Tensor, beta: number) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.mul(grad, beta), self)

def aten_addmm__mat1(grad: Tensor, mat2: Tensor, alpha: number) -> Tensor:
  return torch.mul(torch.mm(grad, torch.t(mat2)), alpha)

def aten_addmm__mat2(grad: Tensor, mat1: Tensor, alpha: number) -> Tensor:
  return torch.mul(torch.mm(torch.t(mat1), grad), alpha)

def aten_baddbmm__self(grad: Tensor, self: Tensor, beta: number) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.mul(grad, beta), self)

def aten_baddbmm__batch1(grad: Tensor, batch2: Tensor, alpha: number) -> Tensor:
  return torch.mul(torch.bmm(grad, torch.transpose(batch2, 1, 2)), alpha)

def aten_baddbmm__batch2(grad: Tensor, batch1: Tensor, alpha: number) -> Tensor:
  return torch.mul(torch.bmm(torch.transpose(batch1, 1, 2), grad), alpha)

def aten_matmul__self(grad: Tensor, self: Tensor, other: Tensor) -> Tensor:
  if torch.dim(self) == 1 and torch.dim(other) == 1:
    return torch.mul(grad, other)
  if torch.dim(self) == 1:
    rows = torch.matmul(torch.unsqueeze(grad, -2), torch.transpose(other, -2, -1))
    return __torch__.torch.derivatives.fit(torch.squeeze(rows, -2), self)
  if torch.dim(other) == 1:
    return __torch__.torch.derivatives.fit(torch.mul(torch.unsqueeze(grad, -1), other), self)
  return __torch__.torch.derivatives.fit(torch.matmul(grad, torch.transpose(other, -2, -1)), self)

def aten_matmul__other(grad: Tensor, self: Tensor, other: Tensor) -> Tensor:
  if torch.dim(self) == 1 and torch.dim(other) == 1:
    return torch.mul(grad, self)
  if torch.dim(self) == 1:
    return __torch__.torch.derivatives.fit(torch.mul(torch.unsqueeze(self, -1), torch.unsqueeze(grad, -2)), other)
  if torch.dim(other) == 1:
    columns = torch.matmul(torch.transpose(self, -2, -1), torch.unsqueeze(grad, -1))
    return __torch__.torch.derivatives.fit(torch.squeeze(columns, -1), other)
  return __torch__.torch.derivatives.fit(torch.matmul(torch.transpose(self, -2, -1), grad), other)

def aten_linear__input(grad: Tensor, weight: Tensor) -> Tensor:
  return torch.matmul(grad, weight)

def aten_linear__weight(grad: Tensor, input: Tensor, weight: Tensor) -> Tensor:
  outputs = torch.reshape(grad, [-1, torch.size(weight, 0)])
  return torch.mm(torch.t(outputs), torch.reshape(input, [-1, torch.size(weight, 1)]))

def aten_linear__bias(grad: Tensor, bias: Optional[Tensor]) -> Tensor:
  return __torch__.torch.derivatives.fit(grad, unchecked_cast(Tensor, bias))

def aten_embedding__weight(grad: Tensor, weight: Tensor, indices: Tensor, padding_idx: int) -> Tensor:
  rows = torch.reshape(grad, [-1, torch.size(weight, 1)])
  chosen = torch.flatten(indices)
  if padding_idx >= 0:
    rows = torch.masked_fill(rows, torch.unsqueeze(torch.eq(chosen, padding_idx), 1), 0)
  return torch.index_add(torch.zeros_like(weight), 0, chosen, rows)

# ---- einsum ----

def einsum_labels() -> str:
  return "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

# Labels that an equation does not use.
def einsum_free_labels(text: str) -> str:
  free = ""
  for label in __torch__.torch.derivatives.einsum_labels():
    if text.find(label) < 0:
      free = free + label
  return free

# The terms of an equation and, as the last one, its result, with labels in the place of "..."; without "->" the result
# has the labels that stand once, in the order of the alphabet.
def einsum_terms(text: str, free: str, tensors: List[Tensor]) -> List[str]:
  sides = text.split("->")
  terms = sides[0].split(",")
  most = 0
  for i in range(len(terms)):
    if terms[i].find("...") >= 0:
      most = max(most, torch.dim(tensors[i]) - len(terms[i]) + 3)
  made: List[str] = []
  for i in range(len(terms)):
    fewer = len(terms[i]) - 3 + most - torch.dim(tensors[i])
    made = made + [terms[i].replace("...", free[max(fewer, 0):most])]
  right = free[:most]
  if len(sides) > 1:
    right = sides[1].replace("...", free[:most])
  else:
    for label in __torch__.torch.derivatives.einsum_labels():
      if sides[0].count(label) == 1:
        right = right + label
  return made + [right]

# Labels of a term that stand nowhere else were summed alone: ones bring them in. Of a label that stands more than once
# in its term, the diagonal was taken: a unit matrix brings in each further one.
def aten_einsum__tensors(grad: Tensor, equation: str, tensors: List[Tensor]) -> List[Tensor]:
  text = equation.replace(" ", "")
  free = __torch__.torch.derivatives.einsum_free_labels(text)
  terms = __torch__.torch.derivatives.einsum_terms(text, free, tensors)
  count = len(terms) - 1
  grads: List[Tensor] = []
  for i in range(count):
    left = terms[count]
    operands = [grad]
    for k in range(count):
      if k != i:
        left = left + "," + terms[k]
        operands = operands + [tensors[k]]
    is_alone = False
    for label in terms[i]:
      is_alone = is_alone or left.find(label) < 0
    if is_alone:
      left = left + "," + terms[i]
      operands = operands + [torch.ones_like(tensors[i])]
    term = ""
    for place in range(len(terms[i])):
      label = terms[i][place]
      if term.find(label) >= 0:
        left = left + "," + label + free[len(free) - 1 - place]
        size = torch.size(tensors[i], place)
        operands = operands + [torch.eye(size, dtype=tensors[i].dtype)]
        label = free[len(free) - 1 - place]
      term = term + label
    grads = grads + [__torch__.torch.derivatives.fit(torch.einsum(left + "->" + term, operands), tensors[i])]
  return grads


# ---- Shapes ----

def aten_view__self(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.as_shape(grad, self)

def aten_reshape__self(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.as_shape(grad, self)

def aten_flatten_using_ints__self(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.as_shape(grad, self)

def aten_squeeze__self(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.as_shape(grad, self)

def aten_squeeze_dim__self(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.as_shape(grad, self)

def aten_unsqueeze__self(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.as_shape(grad, self)

def aten_unflatten_int__self(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.as_shape(grad, self)

def aten_view_as__self(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.as_shape(grad, self)

def aten_reshape_as__self(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.as_shape(grad, self)

def aten_ravel__self(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.as_shape(grad, self)

def converted(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
  if torch.is_floating_point(result) or torch.is_complex(result):
    return torch.type_as(grad, self)
  return torch.zeros_like(self)

def aten_to_dtype__self(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
  return __torch__.torch.derivatives.converted(grad, self, result)

def aten_to_dtype_layout__self(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
  return __torch__.torch.derivatives.converted(grad, self, result)

def aten_to_device__self(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
  return __torch__.torch.derivatives.converted(grad, self, result)

def aten_to_other__self(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
  return __torch__.torch.derivatives.converted(grad, self, result)

def aten_to_prim_Device__self(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
  return __torch__.torch.derivatives.converted(grad, self, result)

def aten_to_prim_dtype__self(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
  return __torch__.torch.derivatives.converted(grad, self, result)

def aten_to_prim_other__self(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
  return __torch__.torch.derivatives.converted(grad, self, result)

def aten_type_as__self(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
  return __torch__.torch.derivatives.converted(grad, self, result)

def aten_expand__self(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(grad, self)

def aten_expand_as__self(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(grad, self)

def aten_contiguous__self(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(grad, self)

def aten_clone__self(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(grad, self)

def aten_positive__self(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(grad, self)

def aten_cpu__self(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(grad, self)

def aten_permute__self(grad: Tensor, dims: List[int]) -> Tensor:
  rank = len(dims)
  back = [0 for i in range(rank)]
  for i in range(rank):
    back[dims[i]] = i
  return torch.permute(grad, back)

def aten_transpose_int__self(grad: Tensor, dim0: int, dim1: int) -> Tensor:
  return torch.transpose(grad, dim0, dim1)

def aten_swapaxes__self(grad: Tensor, axis0: int, axis1: int) -> Tensor:
  return torch.transpose(grad, axis0, axis1)

def aten_swapdims__self(grad: Tensor, dim0: int, dim1: int) -> Tensor:
  return torch.transpose(grad, dim0, dim1)

def aten_movedim_int__self(grad: Tensor, source: int, destination: int) -> Tensor:
  return torch.movedim(grad, destination, source)

def aten_t__self(grad: Tensor) -> Tensor:
  return torch.t(grad)

def aten_numpy_T__self(grad: Tensor) -> Tensor:
  return torch.numpy_T(grad)

# What a tensor holds after a write (exporter/passes/lower/functional_writes.h).

def written(self: Tensor, made: Tensor) -> Tensor:
  return torch.expand_as(torch.to(made, self.dtype), self)

def copied(self: Tensor, src: Tensor) -> Tensor:
  return torch.clone(torch.expand_as(torch.to(src, self.dtype), self))

def filled(self: Tensor, value: number) -> Tensor:
  return torch.full_like(self, value)

# NAME__written is the tensor that a view was made of when the view has become `made`.

def aten_select_int__written(self: Tensor, dim: int, index: int, made: Tensor) -> Tensor:
  return torch.select_scatter(self, made, dim, index)

def aten_slice_Tensor__written(self: Tensor, dim: int, start: Optional[int], end: Optional[int], step: int, made: Tensor) -> Tensor:
  return torch.slice_scatter(self, made, dim, start, end, step)

def aten_narrow__written(self: Tensor, dim: int, start: int, length: int, made: Tensor) -> Tensor:
  first = start + torch.size(self, dim) if start < 0 else start
  return torch.slice_scatter(self, made, dim, first, first + length, 1)

def aten_diagonal__written(self: Tensor, offset: int, dim1: int, dim2: int, made: Tensor) -> Tensor:
  return torch.diagonal_scatter(self, made, offset, dim1, dim2)

def aten_as_strided__written(self: Tensor, size: List[int], stride: List[int], storage_offset: Optional[int], made: Tensor) -> Tensor:
  return torch.as_strided_scatter(self, made, size, stride, storage_offset)

def aten_alias__written(made: Tensor) -> Tensor:
  return made

def aten_view__written(self: Tensor, made: Tensor) -> Tensor:
  return torch.reshape(made, torch.size(self))

def aten_view_as__written(self: Tensor, made: Tensor) -> Tensor:
  return torch.reshape(made, torch.size(self))

def aten_unflatten_int__written(self: Tensor, made: Tensor) -> Tensor:
  return torch.reshape(made, torch.size(self))

def aten_squeeze__written(self: Tensor, made: Tensor) -> Tensor:
  return torch.reshape(made, torch.size(self))

def aten_squeeze_dim__written(self: Tensor, made: Tensor) -> Tensor:
  return torch.reshape(made, torch.size(self))

def aten_unsqueeze__written(self: Tensor, made: Tensor) -> Tensor:
  return torch.reshape(made, torch.size(self))

def aten_transpose_int__written(dim0: int, dim1: int, made: Tensor) -> Tensor:
  return torch.transpose(made, dim0, dim1)

def aten_swapaxes__written(axis0: int, axis1: int, made: Tensor) -> Tensor:
  return torch.transpose(made, axis0, axis1)

def aten_swapdims__written(dim0: int, dim1: int, made: Tensor) -> Tensor:
  return torch.transpose(made, dim0, dim1)

def aten_movedim_int__written(source: int, destination: int, made: Tensor) -> Tensor:
  return torch.movedim(made, destination, source)

def aten_t__written(made: Tensor) -> Tensor:
  return torch.t(made)

def aten_numpy_T__written(made: Tensor) -> Tensor:
  return torch.numpy_T(made)

def aten_permute__written(dims: List[int], made: Tensor) -> Tensor:
  return __torch__.torch.derivatives.aten_permute__self(made, dims)

def aten_select_scatter__self(grad: Tensor, dim: int, index: int) -> Tensor:
  kept = torch.clone(grad)
  _0 = torch.zero_(torch.select(kept, dim, index))
  return kept

def aten_select_scatter__src(grad: Tensor, dim: int, index: int) -> Tensor:
  return torch.select(grad, dim, index)

def aten_slice_scatter__self(grad: Tensor, dim: int, start: Optional[int], end: Optional[int], step: int) -> Tensor:
  kept = torch.clone(grad)
  _0 = torch.zero_(torch.slice(kept, dim, start, end, step))
  return kept

def aten_slice_scatter__src(grad: Tensor, dim: int, start: Optional[int], end: Optional[int], step: int) -> Tensor:
  return torch.slice(grad, dim, start, end, step)

def aten_select_int__self(grad: Tensor, self: Tensor, dim: int, index: int) -> Tensor:
  whole = torch.zeros_like(self)
  _0 = torch.copy_(torch.select(whole, dim, index), grad)
  return whole

def aten_select_int__self_added(total: Tensor, grad: Tensor, dim: int, index: int) -> Tensor:
  _0 = torch.add_(torch.select(total, dim, index), grad)
  return total

def aten_slice_Tensor__self(grad: Tensor, self: Tensor, dim: int, start: Optional[int], end: Optional[int], step: int) -> Tensor:
  whole = torch.zeros_like(self)
  _0 = torch.copy_(torch.slice(whole, dim, start, end, step), grad)
  return whole

def aten_slice_Tensor__self_added(total: Tensor, grad: Tensor, dim: int, start: Optional[int], end: Optional[int], step: int) -> Tensor:
  _0 = torch.add_(torch.slice(total, dim, start, end, step), grad)
  return total

def aten_narrow__self(grad: Tensor, self: Tensor, dim: int, start: int, length: int) -> Tensor:
  whole = torch.zeros_like(self)
  _0 = torch.copy_(torch.narrow(whole, dim, start, length), grad)
  return whole

def aten_narrow__self_added(total: Tensor, grad: Tensor, dim: int, start: int, length: int) -> Tensor:
  _0 = torch.add_(torch.narrow(total, dim, start, length), grad)
  return total

def aten_diagonal__self(grad: Tensor, self: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
  whole = torch.zeros_like(self)
  _0 = torch.copy_(torch.diagonal(whole, offset, dim1, dim2), grad)
  return whole

def aten_diagonal__self_added(total: Tensor, grad: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
  _0 = torch.add_(torch.diagonal(total, offset, dim1, dim2), grad)
  return total

def aten_flip__self(grad: Tensor, dims: List[int]) -> Tensor:
  return torch.flip(grad, dims)

def aten_roll__self(grad: Tensor, shifts: List[int], dims: List[int]) -> Tensor:
  return torch.roll(grad, [-s for s in shifts], dims)

def aten_repeat__self(grad: Tensor, self: Tensor, repeats: List[int]) -> Tensor:
  lead = len(repeats) - torch.dim(self)
  shape: List[int] = []
  for d in range(len(repeats)):
    size = 1
    if d >= lead:
      size = torch.size(self, d - lead)
    shape = shape + [repeats[d], size]
  return torch.reshape(torch.sum(torch.reshape(grad, shape), [2 * d for d in range(len(repeats))]), torch.size(self))

def aten_repeat__self_saved():
  pass

def aten_constant_pad_nd__self(grad: Tensor, pad: List[int]) -> Tensor:
  return torch.constant_pad_nd(grad, [-p for p in pad])

def aten_cat__tensors(grad: Tensor, tensors: List[Tensor], dim: int) -> List[Tensor]:
  grads: List[Tensor] = []
  at = 0
  for t in tensors:
    if torch.dim(t) == 1 and torch.size(t, 0) == 0:
      grads = grads + [torch.zeros_like(t)]
    else:
      grads = grads + [torch.type_as(torch.narrow(grad, dim, at, torch.size(t, dim)), t)]
      at = at + torch.size(t, dim)
  return grads

def aten_stack__tensors(grad: Tensor, tensors: List[Tensor], dim: int) -> List[Tensor]:
  return [torch.select(grad, dim, i) for i in range(len(tensors))]

def aten_chunk__self(grads: List[Tensor], dim: int) -> Tensor:
  return torch.cat(grads, dim)

def aten_split_Tensor__self(grads: List[Tensor], dim: int) -> Tensor:
  return torch.cat(grads, dim)

def aten_split_sizes__self(grads: List[Tensor], dim: int) -> Tensor:
  return torch.cat(grads, dim)

def aten_split_with_sizes__self(grads: List[Tensor], dim: int) -> Tensor:
  return torch.cat(grads, dim)

def aten_tensor_split_sections__self(grads: List[Tensor], dim: int) -> Tensor:
  return torch.cat(grads, dim)

def aten_tensor_split_indices__self(grads: List[Tensor], dim: int) -> Tensor:
  return torch.cat(grads, dim)

def aten_unbind_int__self(grads: List[Tensor], dim: int) -> Tensor:
  return torch.stack(grads, dim)


# ---- Indices ----

def aten_index_select__self(grad: Tensor, self: Tensor, index: Tensor, dim: int) -> Tensor:
  return torch.index_add(torch.zeros_like(self), dim, index, grad)

def aten_gather__self(grad: Tensor, self: Tensor, index: Tensor, dim: int) -> Tensor:
  return torch.scatter_add(torch.zeros_like(self), dim, index, grad)

def aten_index_Tensor__self(grad: Tensor, self: Tensor, indices: List[Optional[Tensor]]) -> Tensor:
  return torch.index_put_(torch.zeros_like(self), indices, grad, True)

def aten_index_Tensor_hacked_twin__self(grad: Tensor, self: Tensor, indices: List[Tensor]) -> Tensor:
  return torch.index_put_(torch.zeros_like(self), indices, grad, True)

def aten_sum_to_size__self(grad: Tensor, self: Tensor) -> Tensor:
  return torch.type_as(torch.expand(grad, torch.size(self)), self)

def aten_scatter_add__self(grad: Tensor) -> Tensor:
  return grad

def aten_scatter_add__src(grad: Tensor, index: Tensor, dim: int) -> Tensor:
  return torch.gather(grad, dim, index)

def aten_index_add__self(grad: Tensor) -> Tensor:
  return grad

def aten_index_add__source(grad: Tensor, index: Tensor, dim: int, alpha: number) -> Tensor:
  return torch.mul(torch.index_select(grad, dim, index), alpha)


# ---- Distances ----

def aten__cdist_forward__x1(grad: Tensor, x1: Tensor, x2: Tensor, p: float, result: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(torch._cdist_backward(grad, x1, x2, p, result), x1)

def aten__cdist_forward__x2(grad: Tensor, x1: Tensor, x2: Tensor, p: float, result: Tensor) -> Tensor:
  flipped = torch._cdist_backward(torch.transpose(grad, -2, -1), x2, x1, p, torch.transpose(result, -2, -1))
  return __torch__.torch.derivatives.fit(flipped, x2)

def aten__pdist_forward__self(grad: Tensor, self: Tensor, p: float, result: Tensor) -> Tensor:
  return torch._pdist_backward(grad, self, p, result)

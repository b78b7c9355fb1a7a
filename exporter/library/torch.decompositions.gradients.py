# The operators that PyTorch's derivatives consist of (see torch.decompositions): functions of one element, losses,
# indices and views. Layers are in torch.decompositions.gradients.layers; what programs differentiate themselves in
# torch.derivatives.

# ---- Functions of one element ----

def aten_sigmoid_backward(grad_output: Tensor, output: Tensor) -> Tensor:
  return grad_output * torch.conj((1 - output) * output)


def aten_tanh_backward(grad_output: Tensor, output: Tensor) -> Tensor:
  return grad_output * torch.conj(1 - output * output)


def aten_threshold_backward(grad_output: Tensor, self: Tensor, threshold: number) -> Tensor:
  return torch.masked_fill(grad_output, self <= threshold, 0)


def aten_hardtanh_backward(grad_output: Tensor, self: Tensor, min_val: number, max_val: number) -> Tensor:
  return torch.masked_fill(grad_output, (self <= min_val) | (self >= max_val), 0)


def aten_leaky_relu_backward(grad_output: Tensor, self: Tensor, negative_slope: number, self_is_result: bool) -> Tensor:
  return torch.where(self > 0, grad_output, grad_output * negative_slope)


def aten_rrelu_with_noise_backward(grad_output: Tensor, self: Tensor, noise: Tensor, lower: number, upper: number, training: bool,
                                   self_is_result: bool) -> Tensor:
  if training:
    return grad_output * noise
  return torch.where(self > 0, grad_output, grad_output * ((float(lower) + float(upper)) / 2.0))


def aten_prelu_backward(grad_output: Tensor, self: Tensor, weight: Tensor) -> Tuple[Tensor, Tensor]:
  shape = [1 for d in range(torch.dim(self))]
  if torch.dim(self) > 1 and torch.numel(weight) > 1:
    shape[1] = torch.numel(weight)
  slopes = torch.reshape(weight, shape)
  of_weight = torch.masked_fill(grad_output * self, self > 0, 0)
  return (torch.where(self > 0, grad_output, grad_output * slopes), torch.reshape(torch.sum_to_size(of_weight, shape), torch.size(weight)))


def aten_elu_backward(grad_output: Tensor, alpha: number, scale: number, input_scale: number, is_result: bool, self_or_result: Tensor) -> Tensor:
  a, s, i = float(alpha), float(scale), float(input_scale)
  if is_result:
    below = (self_or_result + a * s) * i
  else:
    below = torch.exp(self_or_result * i) * (i * a * s)
  return torch.where(self_or_result <= 0, grad_output * below, grad_output * s)


def aten_softplus_backward(grad_output: Tensor, self: Tensor, beta: number, threshold: number) -> Tensor:
  return torch.where(self * beta > threshold, grad_output, grad_output * torch.sigmoid(self * beta))


def aten_hardshrink_backward(grad_out: Tensor, self: Tensor, lambd: number) -> Tensor:
  return torch.masked_fill(grad_out, torch.abs(self) <= lambd, 0)


def aten_softshrink_backward(grad_output: Tensor, self: Tensor, lambd: number) -> Tensor:
  return torch.masked_fill(grad_output, torch.abs(self) <= lambd, 0)


def aten_hardsigmoid_backward(grad_output: Tensor, self: Tensor) -> Tensor:
  sixth = 0.1666666716337204  # PyTorch's is a float32
  return torch.masked_fill(grad_output * sixth, torch.logical_not((self > -3) & (self < 3)), 0)


def aten_hardswish_backward(grad_output: Tensor, self: Tensor) -> Tensor:
  return torch.where(self < -3, torch.zeros_like(grad_output), torch.where(self <= 3, grad_output * (self / 3.0 + 0.5), grad_output))


def aten_silu_backward(grad_output: Tensor, self: Tensor) -> Tensor:
  s = torch.sigmoid(self)
  return grad_output * s * (1 + self * (1 - s))


def aten_mish_backward(grad_output: Tensor, self: Tensor) -> Tensor:
  t = torch.tanh(torch.softplus(self))
  return grad_output * (t + self * torch.sigmoid(self) * (1 - t * t))


def aten_gelu_backward(grad_output: Tensor, self: Tensor, approximate: str) -> Tensor:
  return __torch__.torch.derivatives.aten_gelu__self(grad_output, self, approximate)


def aten_infinitely_differentiable_gelu_backward(grad: Tensor, self: Tensor) -> Tensor:
  return __torch__.torch.derivatives.aten_gelu__self(grad, self, "none")


def aten_log_sigmoid_backward(grad_output: Tensor, self: Tensor, buffer: Tensor) -> Tensor:
  if torch.numel(buffer) == 0:
    return grad_output * torch.sigmoid(-self)
  rest = buffer / (1 + buffer)
  return grad_output * torch.where(self < 0, 1 - rest, rest)


def aten_logit_backward(grad_output: Tensor, self: Tensor, eps: Optional[float]) -> Tensor:
  slope = grad_output / (self * (1 - self))
  if eps is not None:
    return torch.masked_fill(slope, (self < eps) | (self > 1.0 - eps), 0)
  return torch.masked_fill(slope, (self < 0) | (self > 1), nan)


def aten_glu_backward(grad_output: Tensor, self: Tensor, dim: int) -> Tensor:
  a, b = torch.chunk(self, 2, dim)
  s = torch.sigmoid(b)
  return torch.cat([grad_output * s, grad_output * a * s * (1 - s)], dim)


def aten_glu_jvp(glu: Tensor, x: Tensor, dx: Tensor, dim: int) -> Tensor:
  _0, b = torch.chunk(x, 2, dim)
  da, db = torch.chunk(dx, 2, dim)
  s = torch.sigmoid(b)
  return da * s + (db - s * db) * glu


def aten_native_dropout_backward(grad_output: Tensor, mask: Tensor, scale: float) -> Tensor:
  return grad_output * torch.to(mask, grad_output.dtype) * scale


def passed_gradient(grad: Tensor, mask: Tensor) -> Tensor:
  if mask.dtype != 11:
    ops.prim.RaiseException("expected a mask of scalar type Bool")
  return grad * mask


def aten_fake_quantize_per_tensor_affine_cachemask_backward(grad: Tensor, mask: Tensor) -> Tensor:
  return passed_gradient(grad, mask)


def aten_fake_quantize_per_channel_affine_cachemask_backward(grad: Tensor, mask: Tensor) -> Tensor:
  return passed_gradient(grad, mask)


# ---- Softmax ----

# The gradient's dtype stays, but for a softmax of halves that was calculated with floats.
def softmax_gradient(g: Tensor, grad_output: Tensor, input_dtype: int) -> Tensor:
  return torch.to(g, 5 if grad_output.dtype == 6 and input_dtype == 5 else grad_output.dtype)


def aten__softmax_backward_data(grad_output: Tensor, output: Tensor, dim: int, input_dtype: int) -> Tensor:
  g = grad_output * output
  return softmax_gradient(g - output * torch.sum(g, [dim], True), grad_output, input_dtype)


def aten__log_softmax_backward_data(grad_output: Tensor, output: Tensor, dim: int, input_dtype: int) -> Tensor:
  return softmax_gradient(grad_output - torch.exp(output) * torch.sum(grad_output, [dim], True), grad_output, input_dtype)


def aten__masked_softmax_backward(grad_output: Tensor, output: Tensor, mask: Tensor, dim: Optional[int]) -> Tensor:
  g = torch.masked_fill(grad_output * output, mask, 0)
  d = -1
  if dim is not None:
    d = dim
  return torch.masked_fill(g - output * torch.sum(g, [d], True), mask, 0)


# ---- Losses ----

# The gradient of each term of a mean.
def share(grad_output: Tensor, terms: Tensor, reduction: int) -> Tensor:
  return grad_output / torch.numel(terms) if reduction == 1 else grad_output


def aten_mse_loss_backward(grad_output: Tensor, self: Tensor, target: Tensor, reduction: int) -> Tensor:
  d = __torch__.torch.decompositions.difference(self, target)
  return share(grad_output, d, reduction) * d * 2


def aten_smooth_l1_loss_backward(grad_output: Tensor, self: Tensor, target: Tensor, reduction: int, beta: float) -> Tensor:
  d = __torch__.torch.decompositions.difference(self, target)
  slope = torch.where(d <= -beta, -1.0, torch.where(d >= beta, 1.0, d / beta))
  return torch.to(share(grad_output, d, reduction) * slope, self.dtype)


def aten_huber_loss_backward(grad_output: Tensor, self: Tensor, target: Tensor, reduction: int, delta: float) -> Tensor:
  d = __torch__.torch.decompositions.difference(self, target)
  return share(grad_output, d, reduction) * torch.clamp(d, -delta, delta)


def aten_binary_cross_entropy_backward(grad_output: Tensor, self: Tensor, target: Tensor, weight: Optional[Tensor], reduction: int) -> Tensor:
  slope = (self - target) / torch.clamp_min((1 - self) * self, 1e-12)
  if weight is not None:
    slope = slope * weight
  return share(grad_output, self, reduction) * slope


def aten_soft_margin_loss_backward(grad_output: Tensor, self: Tensor, target: Tensor, reduction: int) -> Tensor:
  return share(grad_output, self, reduction) * -target * torch.sigmoid(-target * self)


def nll_back(grad_output: Tensor, self: Tensor, target: Tensor, weight: Optional[Tensor], reduction: int, ignore_index: int,
             total_weight: Tensor) -> Tensor:
  ignored = target == ignore_index
  classes = torch.masked_fill(target, ignored, 0)
  weights = __torch__.torch.decompositions.class_weights(self, classes, weight, torch.to(torch.logical_not(ignored), self.dtype))
  g = torch.expand_as(grad_output / total_weight if reduction == 1 else grad_output, target)
  dim = 0 if torch.dim(self) == 1 else 1
  slope = torch.masked_fill(-g * weights, ignored, 0)
  return torch.scatter(torch.zeros_like(self), dim, torch.unsqueeze(classes, dim), torch.unsqueeze(slope, dim))


def aten_nll_loss_backward(grad_output: Tensor, self: Tensor, target: Tensor, weight: Optional[Tensor], reduction: int, ignore_index: int,
                           total_weight: Tensor) -> Tensor:
  return nll_back(grad_output, self, target, weight, reduction, ignore_index, total_weight)


def aten_nll_loss2d_backward(grad_output: Tensor, self: Tensor, target: Tensor, weight: Optional[Tensor], reduction: int, ignore_index: int,
                             total_weight: Tensor) -> Tensor:
  return nll_back(grad_output, self, target, weight, reduction, ignore_index, total_weight)


def aten_multi_margin_loss_backward(grad_output: Tensor, self: Tensor, target: Tensor, p: number, margin: number, weight: Optional[Tensor],
                                    reduction: int) -> Tensor:
  x = torch.reshape(self, [-1, torch.size(self, -1) if torch.dim(self) > 0 else 1])
  chosen = torch.reshape(target, [-1])
  classes = torch.unsqueeze(chosen, 1)
  rest = __torch__.torch.decompositions.violations(x, torch.gather(x, 1, classes), margin)
  slope = torch.to(rest > 0, x.dtype) if p == 1 else rest * 2
  if weight is not None:
    slope = slope * torch.unsqueeze(torch.gather(weight, 0, chosen), 1)
  slope = torch.scatter(slope, 1, classes, 0.0) / torch.size(x, 1)
  slope = torch.scatter(slope, 1, classes, -torch.sum(slope, [1], True))
  g = torch.reshape(share(grad_output, chosen, reduction), [-1, 1])
  return torch.reshape(g * slope, torch.size(self))


def aten_multilabel_margin_loss_backward(grad_output: Tensor, self: Tensor, target: Tensor, reduction: int, is_target: Tensor) -> Tensor:
  n = torch.size(self, -1) if torch.dim(self) > 0 else 1
  x, t, named = torch.reshape(self, [-1, n]), torch.reshape(target, [-1, n]), torch.reshape(is_target, [-1, n])
  valid = torch.cumprod(t >= 0, 1)
  places = t * valid
  over = 1 - torch.unsqueeze(torch.gather(x, 1, places), 2) + torch.unsqueeze(x, 1) > 0
  hits = torch.to(over, x.dtype) * torch.unsqueeze(valid, 2) * torch.unsqueeze(1 - named, 1) / n
  slope = torch.scatter_add(torch.sum(hits, [1]), 1, places, -torch.sum(hits, [2]))
  g = grad_output if reduction != 1 else grad_output / torch.size(x, 0)
  return torch.reshape(torch.reshape(g, [-1, 1]) * slope, torch.size(self))


# ---- Indices and views ----

# The gradient of an operator that picks elements, by the numbers of those that it picked.
def given_back(grad: Tensor, places: Tensor, sizes: List[int]) -> Tensor:
  made = torch.zeros([__torch__.torch.decompositions.product(sizes)], dtype=grad.dtype)
  return torch.reshape(torch.scatter_add(made, 0, torch.flatten(places), torch.flatten(grad)), sizes)


def numbered(sizes: List[int]) -> Tensor:
  return torch.reshape(torch.arange(__torch__.torch.decompositions.product(sizes)), sizes)


def aten_select_backward(grad_output: Tensor, input_sizes: List[int], dim: int, index: int) -> Tensor:
  made = torch.zeros(input_sizes, dtype=grad_output.dtype)
  torch.copy_(torch.select(made, dim, index), grad_output)
  return made


def aten_slice_backward(grad_output: Tensor, input_sizes: List[int], dim: int, start: int, end: int, step: int) -> Tensor:
  made = torch.zeros(input_sizes, dtype=grad_output.dtype)
  torch.copy_(torch.slice(made, dim, start, end, step), grad_output)
  return made


def aten_diagonal_backward(grad_output: Tensor, input_sizes: List[int], offset: int, dim1: int, dim2: int) -> Tensor:
  made = torch.zeros(input_sizes, dtype=grad_output.dtype)
  torch.copy_(torch.diagonal(made, offset, dim1, dim2), grad_output)
  return made


def aten_diag_backward(grad: Tensor, input_sizes: List[int], diagonal: int) -> Tensor:
  if torch.dim(grad) < 1 or torch.dim(grad) > 2:
    ops.prim.RaiseException("matrix or a vector expected")
  if len(input_sizes) == 1 or input_sizes[0] == input_sizes[1]:
    return torch.diag(grad, diagonal)
  return torch.diagonal_backward(grad, input_sizes, diagonal, 0, 1)


def aten_trace_backward(grad: Tensor, sizes: List[int]) -> Tensor:
  if len(sizes) != 2:
    ops.prim.RaiseException("expected matrix input")
  if torch.dim(grad) != 0:
    ops.prim.RaiseException(torch.format("index_fill_ only supports a 0-dimensional value tensor, but got tensor with {} dimension(s).", torch.dim(grad)))
  return torch.where(torch.eye(sizes[0], sizes[1], dtype=11), grad, torch.zeros_like(grad))


def aten_unfold_backward(grad_in: Tensor, input_sizes: List[int], dim: int, size: int, step: int) -> Tensor:
  return given_back(grad_in, torch.unfold(numbered(input_sizes), dim, size, step), input_sizes)


def aten_index_select_backward(grad: Tensor, self_sizes: List[int], dim: int, index: Tensor) -> Tensor:
  return torch.index_add(torch.zeros(self_sizes, dtype=grad.dtype), dim, index, grad)


def aten_gather_backward(grad: Tensor, self: Tensor, dim: int, index: Tensor, sparse_grad: bool) -> Tensor:
  if torch.dim(self) == 0:
    return torch.reshape(torch.sum(grad), [])
  return torch.scatter_add(torch.zeros_like(self), dim, index, grad)


def aten_masked_select_backward(grad: Tensor, input: Tensor, mask: Tensor) -> Tensor:
  shape = torch.size(torch.add(torch.zeros_like(input), mask))
  both = torch.masked_scatter(torch.zeros(shape, dtype=input.dtype), mask, grad)
  return torch.sum_to_size(both, torch.size(input))


def aten_value_selecting_reduction_backward(grad: Tensor, dim: int, indices: Tensor, sizes: List[int], keepdim: bool) -> Tensor:
  made = torch.zeros(sizes, dtype=grad.dtype)
  if keepdim or len(sizes) == 0:
    return torch.scatter(made, dim, indices, grad)
  return torch.scatter(made, dim, torch.unsqueeze(indices, dim), torch.unsqueeze(grad, dim))


def aten_cummaxmin_backward(grad: Tensor, input: Tensor, indices: Tensor, dim: int) -> Tensor:
  return torch.scatter_add(torch.zeros_like(input), dim, indices, grad)


# Each factor's share is the sum of the products that it stands in, without it.
def aten_cumprod_backward(grad: Tensor, input: Tensor, dim: int, output: Tensor) -> Tensor:
  if torch.dim(input) == 0 or torch.numel(input) == 0:
    return grad
  if bool(torch.all(input != 0)):
    sums = torch.flip(torch.cumsum(torch.flip(grad * torch.conj(output), [dim]), dim), [dim]) / torch.conj(input)
    return torch.to(sums, 11) if input.dtype == 11 else sums
  parts: List[Tensor] = []
  n = torch.size(input, dim)
  for k in range(n):
    others = torch.clone(input)
    torch.fill_(torch.select(others, dim, k), 1)
    products = torch.narrow(torch.conj(torch.cumprod(others, dim)) * grad, dim, k, n - k)
    parts = parts + [torch.sum(products, [dim], dtype=input.dtype)]
  return torch.stack(parts, dim)


def aten_to_dense_backward(grad: Tensor, input: Tensor, masked_grad: Optional[bool]) -> Tensor:
  return grad


# ---- Products and distances ----

def aten_matmul_backward(grad: Tensor, self: Tensor, other: Tensor, mask: List[bool]) -> Tuple[Tensor, Tensor]:
  none = torch.zeros([0], dtype=grad.dtype)
  of_self = __torch__.torch.derivatives.aten_matmul__self(grad, self, other) if mask[0] else none
  return (of_self, __torch__.torch.derivatives.aten_matmul__other(grad, self, other) if mask[1] else none)


# The slope of |d| ^ p under the root, for distances that are `length`.
def distance_slope(grad: Tensor, d: Tensor, length: Tensor, p: float) -> Tensor:
  if p == 0.0:
    return torch.zeros_like(d)
  if p == 1.0:
    return grad * torch.sign(d)
  if p == inf:
    return grad * torch.sign(d) * torch.to(torch.abs(d) == length, d.dtype)
  slope = grad * torch.sign(d) * torch.pow(torch.abs(d), p - 1.0) / torch.pow(length, p - 1.0)
  return torch.masked_fill(slope, torch.expand_as(length, slope) == 0, 0)


def aten__cdist_backward(grad: Tensor, x1: Tensor, x2: Tensor, p: float, cdist: Tensor) -> Tensor:
  d = torch.unsqueeze(x1, -2) - torch.unsqueeze(x2, -3)
  return torch.sum(distance_slope(torch.unsqueeze(grad, -1), d, torch.unsqueeze(cdist, -1), p), [-2])


def aten__pdist_backward(grad: Tensor, self: Tensor, p: float, pdist: Tensor) -> Tensor:
  n = torch.size(self, 0)
  pairs = torch.triu_indices(n, n, 1)
  d = torch.index_select(self, 0, pairs[0]) - torch.index_select(self, 0, pairs[1])
  slope = distance_slope(torch.unsqueeze(grad, 1), d, torch.unsqueeze(pdist, 1), p)
  return torch.index_add(torch.index_add(torch.zeros_like(self), 0, pairs[0], slope), 0, pairs[1], -slope)

# Derivatives that are operators of their own, which programs seldom call: see torch.decompositions.

# ---- Sampling by a grid: what passes of gradients make of the operator itself ----

def leaf(t: Tensor) -> Tensor:
  return torch.requires_grad_(torch.detach(t), True)


def plane_gradients(grad_output: Tensor, input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int,
                   align_corners: bool) -> Tuple[Tensor, Tensor]:
  x, at = leaf(input), leaf(grid)
  before = torch.is_grad_enabled()
  torch.set_grad_enabled(True)
  y = torch.grid_sampler_2d(x, at, interpolation_mode, padding_mode, align_corners)
  a, b = torch.grad([y], [x, at], annotate(List[Optional[Tensor]], [grad_output]))
  torch.set_grad_enabled(before)
  return (unchecked_cast(Tensor, a), unchecked_cast(Tensor, b))


def space_gradients(grad_output: Tensor, input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int,
                   align_corners: bool) -> Tuple[Tensor, Tensor]:
  x, at = leaf(input), leaf(grid)
  before = torch.is_grad_enabled()
  torch.set_grad_enabled(True)
  y = torch.grid_sampler_3d(x, at, interpolation_mode, padding_mode, align_corners)
  a, b = torch.grad([y], [x, at], annotate(List[Optional[Tensor]], [grad_output]))
  torch.set_grad_enabled(before)
  return (unchecked_cast(Tensor, a), unchecked_cast(Tensor, b))


def aten_grid_sampler_2d_backward(grad_output: Tensor, input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int,
                                  align_corners: bool, output_mask: List[bool]) -> Tuple[Tensor, Tensor]:
  return plane_gradients(grad_output, input, grid, interpolation_mode, padding_mode, align_corners)


def aten__grid_sampler_2d_cpu_fallback_backward(grad_output: Tensor, input: Tensor, grid: Tensor, interpolation_mode: int,
                                                padding_mode: int, align_corners: bool) -> Tuple[Tensor, Tensor]:
  return plane_gradients(grad_output, input, grid, interpolation_mode, padding_mode, align_corners)


def aten_grid_sampler_3d_backward(grad_output: Tensor, input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int,
                                  align_corners: bool, output_mask: List[bool]) -> Tuple[Tensor, Tensor]:
  return space_gradients(grad_output, input, grid, interpolation_mode, padding_mode, align_corners)


# ---- Matrices and convolutions ----

# The derivative stands in the corner of the exponential of a matrix of blocks (R. Mathias, 1996).
def aten_matrix_exp_backward(self: Tensor, grad: Tensor) -> Tensor:
  n = torch.size(self, -1)
  a = torch.conj(torch.transpose(self, -2, -1))
  upper, lower = torch.cat([a, grad], -1), torch.cat([torch.zeros_like(a), a], -1)
  made = torch.linalg_matrix_exp(torch.cat([upper, lower], -2))
  return torch.narrow(torch.narrow(made, -2, 0, n), -1, n, n)


def aten__cholesky_solve_helper(self: Tensor, A: Tensor, upper: bool) -> Tensor:
  return torch.cholesky_solve(self, A, upper)


# The derivative of convolution_backward: it is linear in each of gO, self and weight.
def aten__convolution_double_backward(ggI: Optional[Tensor], ggW: Optional[Tensor], ggb: Optional[Tensor], gO: Tensor, weight: Tensor,
                                      self: Tensor, stride: List[int], padding: List[int], dilation: List[int], transposed: bool,
                                      output_padding: List[int], groups: int, output_mask: List[bool]) -> Tuple[Tensor, Tensor, Tensor]:
  to_output, to_self, to_weight = torch.zeros_like(gO), torch.zeros_like(self), torch.zeros_like(weight)
  if ggI is not None:
    to_output = to_output + torch.convolution(ggI, weight, None, stride, padding, dilation, transposed, output_padding, groups)
    _0, to_weight, _1 = torch.convolution_backward(gO, ggI, weight, None, stride, padding, dilation, transposed, output_padding, groups, [False, True, False])
  if ggW is not None:
    to_output = to_output + torch.convolution(self, ggW, None, stride, padding, dilation, transposed, output_padding, groups)
    to_self, _2, _3 = torch.convolution_backward(gO, self, ggW, None, stride, padding, dilation, transposed, output_padding, groups, [True, False, False])
  if ggb is not None:
    to_output = to_output + torch.reshape(ggb, [-1] + [1 for i in range(torch.dim(gO) - 2)])
  return (to_output, to_self, to_weight)


# ---- Activations, cells and quantizers ----

# How glu_backward, [grad s, grad a s'] with s the sigmoid of the second half, changes with all that it is made of.
def aten_glu_backward_jvp(grad_x: Tensor, grad_glu: Tensor, x: Tensor, dgrad_glu: Tensor, dx: Tensor, dim: int) -> Tensor:
  a, b = torch.chunk(x, 2, dim)
  da, db = torch.chunk(dx, 2, dim)
  s = torch.sigmoid(b)
  slope = s * (1 - s)
  bent = slope * (1 - 2 * s)
  second = dgrad_glu * a * slope + grad_glu * (da * slope + a * bent * db)
  return torch.cat([dgrad_glu * s + grad_glu * slope * db, second], dim)


def biased(gates: Tensor, bias: Optional[Tensor]) -> Tensor:
  return gates if bias is None else gates + bias


def aten__thnn_differentiable_lstm_cell_backward(grad_hy: Optional[Tensor], grad_cy: Optional[Tensor], input_gates: Tensor, hidden_gates: Tensor,
                                                 input_bias: Optional[Tensor], hidden_bias: Optional[Tensor], cx: Tensor,
                                                 cy: Tensor) -> Tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
  i, f, c, o = torch.chunk(biased(input_gates, input_bias) + biased(hidden_gates, hidden_bias), 4, 1)
  i, f, c, o, top = torch.sigmoid(i), torch.sigmoid(f), torch.tanh(c), torch.sigmoid(o), torch.tanh(cy)
  to_o, to_cy = torch.zeros_like(cx), torch.zeros_like(cx)
  if grad_hy is not None:
    to_o, to_cy = grad_hy * top * o * (1 - o), grad_hy * o * (1 - top * top)
  if grad_cy is not None:
    to_cy = to_cy + grad_cy
  gates = torch.cat([to_cy * c * i * (1 - i), to_cy * cx * f * (1 - f), to_cy * i * (1 - c * c), to_o], 1)
  bias = torch.sum(gates, [0])
  return (gates, gates, to_cy * f, bias, bias)


def aten__thnn_differentiable_gru_cell_backward(grad_hy: Tensor, input_gates: Tensor, hidden_gates: Tensor, hx: Tensor,
                                                input_bias: Optional[Tensor], hidden_bias: Optional[Tensor]
                                                ) -> Tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
  ir, iz, inner = torch.chunk(biased(input_gates, input_bias), 3, 1)
  hr, hz, hn = torch.chunk(biased(hidden_gates, hidden_bias), 3, 1)
  r, z = torch.sigmoid(ir + hr), torch.sigmoid(iz + hz)
  n = torch.tanh(inner + r * hn)
  to_z = grad_hy * (hx - n) * z * (1 - z)
  to_n = grad_hy * (1 - z) * (1 - n * n)
  to_r = to_n * hn * r * (1 - r)
  by_input, by_hidden = torch.cat([to_r, to_z, to_n], 1), torch.cat([to_r, to_z, to_n * r], 1)
  return (by_input, by_hidden, grad_hy * z, torch.sum(by_input, [0]), torch.sum(by_hidden, [0]))


# Gradients of self, scale and zero_point for each element.
def learnable_terms(grad: Tensor, self: Tensor, scale: Tensor, zero_point: Tensor, quant_min: int, quant_max: int,
                    grad_factor: float) -> Tuple[Tensor, Tensor, Tensor]:
  zero = torch.clamp(torch.round(zero_point), quant_min, quant_max)
  q = torch.round(self * (1.0 / scale) + zero)
  inside = torch.logical_and(q >= quant_min, q <= quant_max)
  kept = torch.clamp(q, quant_min, quant_max) - zero
  by_scale = torch.where(inside, (kept * scale - self) / scale, kept) * grad * grad_factor
  by_zero = torch.where(inside, torch.zeros_like(grad), -scale * grad * grad_factor)
  return (grad * inside, by_scale, by_zero)


def aten__fake_quantize_learnable_per_tensor_affine_backward(grad: Tensor, self: Tensor, scale: Tensor, zero_point: Tensor, quant_min: int,
                                                             quant_max: int, grad_factor: float) -> Tuple[Tensor, Tensor, Tensor]:
  a, b, c = learnable_terms(grad, self, torch.flatten(scale)[0], torch.flatten(zero_point)[0], quant_min, quant_max, grad_factor)
  return (a, torch.reshape(torch.sum(b), [1]), torch.reshape(torch.sum(c), [1]))


def aten__fake_quantize_learnable_per_channel_affine_backward(grad: Tensor, self: Tensor, scale: Tensor, zero_point: Tensor, axis: int,
                                                              quant_min: int, quant_max: int,
                                                              grad_factor: float) -> Tuple[Tensor, Tensor, Tensor]:
  shape = [-1 if d == axis else 1 for d in range(torch.dim(self))]
  a, b, c = learnable_terms(grad, self, torch.reshape(scale, shape), torch.reshape(zero_point, shape), quant_min, quant_max, grad_factor)
  first, rows = torch.transpose(b, 0, axis), torch.size(self, axis)
  return (a, torch.sum(torch.reshape(first, [rows, -1]), [1]), torch.sum(torch.reshape(torch.transpose(c, 0, axis), [rows, -1]), [1]))


# ---- Segments ----

def aten__segment_reduce_backward(grad: Tensor, output: Tensor, data: Tensor, reduce: str, lengths: Optional[Tensor], offsets: Optional[Tensor],
                                  axis: int, initial: Optional[number]) -> Tensor:
  if lengths is None and offsets is None:
    ops.prim.RaiseException("segment_reduce(): Either lengths or offsets must be defined.")
  if lengths is not None:
    ends = torch.cumsum(unchecked_cast(Tensor, lengths), -1)
  else:
    ends = torch.slice(unchecked_cast(Tensor, offsets), -1, 1)
  n, length = torch.size(ends, -1), torch.size(data, axis)
  ends = torch.reshape(torch.to(ends, 4), [-1, n])
  rows = torch.size(ends, 0)
  segment = torch.clamp(torch.searchsorted(ends, torch.contiguous(torch.expand(torch.arange(length), [rows, length])), right=True), 0, n - 1)
  x = torch.reshape(data, [rows, length, -1])
  where = torch.expand(torch.unsqueeze(segment, 2), torch.size(x))
  counts = torch.clamp(torch.diff(ends, 1, -1, torch.zeros([rows, 1], dtype=4)), 1)
  of_each = torch.gather(torch.reshape(grad, [rows, n, -1]), 1, where)
  made = torch.gather(torch.reshape(output, [rows, n, -1]), 1, where)
  if reduce == "mean":
    of_each = of_each / torch.gather(torch.expand(torch.unsqueeze(counts, 2), [rows, n, torch.size(x, 2)]), 1, where)
  elif reduce == "max" or reduce == "min":
    same = torch.to(torch.eq(x, made), ops.prim.dtype(x))
    ties = torch.scatter_add(torch.zeros([rows, n, torch.size(x, 2)], dtype=x.dtype), 1, where, same)
    of_each = of_each * same / torch.clamp(torch.gather(ties, 1, where), 1)
  elif reduce == "prod":
    zeros = torch.to(torch.eq(x, 0), ops.prim.dtype(x))
    counted = torch.gather(torch.scatter_add(torch.zeros([rows, n, torch.size(x, 2)], dtype=x.dtype), 1, where, zeros), 1, where)
    start = torch.full([rows, n, torch.size(x, 2)], 1.0 if initial is None else float(unchecked_cast(number, initial)), dtype=x.dtype)
    others = torch.gather(torch.scatter_reduce(start, 1, where, torch.where(torch.eq(x, 0), torch.ones_like(x), x), "prod"), 1, where)
    alone = torch.logical_and(torch.eq(counted, 1), torch.eq(x, 0))
    rest = torch.where(torch.eq(counted, 0), made / x, torch.zeros_like(x))
    of_each = of_each * torch.where(alone, others, rest)
  return torch.reshape(of_each, torch.size(data))


# ---- CTC ----

def aten__ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: List[int], target_lengths: List[int], blank: int,
                   zero_infinity: bool) -> Tuple[Tensor, Tensor]:
  lost = torch.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, 0, False)
  longest = 0
  for n in target_lengths:
    longest = max(longest, n)
  batch = torch.size(log_probs, 1) if torch.dim(log_probs) == 3 else 1
  chain = torch.full([batch, torch.size(log_probs, 0), 2 * longest + 1], -inf, dtype=log_probs.dtype)
  at = 0
  for b in range(batch):
    logs = log_probs if torch.dim(log_probs) == 2 else torch.select(log_probs, 1, b)
    if torch.dim(targets) == 1:
      labels = torch.narrow(targets, 0, at, target_lengths[b])
      at = at + target_lengths[b]
    else:
      labels = torch.narrow(torch.select(targets, 0, b), 0, 0, target_lengths[b])
    if input_lengths[b] > 0:
      found = __torch__.torch.derivatives.composed.ctc_alphas(torch.narrow(logs, 0, 0, input_lengths[b]), torch.to(labels, 4), blank)
      torch.copy_(torch.narrow(torch.narrow(torch.select(chain, 0, b), 0, 0, input_lengths[b]), 1, 0, 2 * target_lengths[b] + 1), found)
  return (lost, chain)


def lengths_of(t: Tensor) -> List[int]:
  return [int(t[i]) for i in range(torch.numel(t))]


def aten__ctc_loss_Tensor(log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor, blank: int,
                          zero_infinity: bool) -> Tuple[Tensor, Tensor]:
  return torch._ctc_loss(log_probs, targets, lengths_of(input_lengths), lengths_of(target_lengths), blank, zero_infinity)


def aten__ctc_loss_backward(grad: Tensor, log_probs: Tensor, targets: Tensor, input_lengths: List[int], target_lengths: List[int],
                            neg_log_likelihood: Tensor, log_alpha: Tensor, blank: int, zero_infinity: bool) -> Tensor:
  return __torch__.torch.derivatives.composed.aten_ctc_loss_IntList__log_probs(grad, log_probs, targets, input_lengths, target_lengths, blank, 0, zero_infinity)


def aten__ctc_loss_backward_Tensor(grad: Tensor, log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor,
                                   neg_log_likelihood: Tensor, log_alpha: Tensor, blank: int, zero_infinity: bool) -> Tensor:
  return __torch__.torch.derivatives.composed.aten_ctc_loss_IntList__log_probs(grad, log_probs, targets, lengths_of(input_lengths), lengths_of(target_lengths), blank, 0, zero_infinity)


# ---- Random numbers ----

# How a number drawn from a gamma distribution moves with the distribution's parameter, where its rank stays:
# -(dP/da) / (dP/dx), with P the series of the incomplete gamma function. Large parameters take the expansion of
# Cornish and Fisher about a normal distribution.
def gamma_slope(a: Tensor, x: Tensor) -> Tensor:
  n = int(torch.amax(x)) + 12 * int(torch.sqrt(torch.amax(x))) + 60 if torch.numel(x) > 0 else 0
  term, total, slope, harmonic = torch.ones_like(x), torch.ones_like(x), torch.zeros_like(x), torch.zeros_like(x)
  for k in range(1, n):
    term = term * x / (a + k)
    harmonic = harmonic + 1.0 / (a + k)
    total = total + term
    slope = slope + term * harmonic
  return -x / a * (total * (torch.log(x) - torch.digamma(a + 1.0)) - slope)


def gamma_slope_of_large(a: Tensor, x: Tensor) -> Tensor:
  root = torch.sqrt(a)
  z = (x - a) / root
  for i in range(8):
    off = a + root * z + (z * z - 1.0) / 3.0 + (z * z * z - 7.0 * z) / (36.0 * root) - x
    z = z - off / (root + 2.0 * z / 3.0 + (3.0 * z * z - 7.0) / (36.0 * root))
  return 1.0 + z / (2.0 * root) - (z * z * z - 7.0 * z) / (72.0 * a * root)


def aten__standard_gamma_grad(self: Tensor, output: Tensor) -> Tensor:
  a, x = torch.broadcast_tensors([torch.to(self, 7), torch.to(output, 7)])
  large = torch.logical_or(a > 200.0, x > 400.0)
  one = torch.ones_like(a)
  small = gamma_slope(torch.where(large, one, a), torch.where(large, one, x))
  made = torch.where(large, gamma_slope_of_large(torch.where(large, a, one * 200.0), torch.where(large, x, one * 200.0)), small)
  return torch.to(torch.where(x <= 0.0, torch.zeros_like(x), made), ops.prim.dtype(self))


# The same for a beta distribution of (a, total - a), divided by 1 - x: the series of the incomplete beta function, from
# the side where its terms fall.
def beta_slope(x: Tensor, first: Tensor, second: Tensor, by_first: bool) -> Tensor:
  total = first + second
  longest = 2 * int(torch.amax(total)) + 120 if torch.numel(x) > 0 else 0
  term, summed, slope, harmonic = torch.ones_like(x), torch.ones_like(x), torch.zeros_like(x), torch.zeros_like(x)
  for j in range(longest):
    term = term * (total + j) / (first + (j + 1)) * x
    harmonic = harmonic + 1.0 / (total + j)
    if by_first:
      harmonic = harmonic - 1.0 / (first + (j + 1))
    summed = summed + term
    slope = slope + term * harmonic
  front = torch.log(x) - 1.0 / first - torch.digamma(first) if by_first else torch.log(1.0 - x) - torch.digamma(second)
  return x * (1.0 - x) / first * (summed * (front + torch.digamma(total)) + slope)


def aten__dirichlet_grad(x: Tensor, alpha: Tensor, total: Tensor) -> Tensor:
  at, a, whole = torch.broadcast_tensors([torch.to(x, 7), torch.to(alpha, 7), torch.to(total, 7)])
  low = at <= 0.5
  quarter = torch.full_like(at, 0.25)
  below = beta_slope(torch.where(low, at, quarter), a, whole - a, True)
  above = beta_slope(torch.where(low, quarter, 1.0 - at), whole - a, a, False)
  return torch.to(torch.where(low, -below, above) / (1.0 - at), ops.prim.dtype(x))


# ---- Attention ----

# The weights are made again from the logarithms of their sums; rows without any key have none.
def aten__scaled_dot_product_flash_attention_for_cpu_backward(grad_out: Tensor, query: Tensor, key: Tensor, value: Tensor, out: Tensor,
                                                              logsumexp: Tensor, dropout_p: float, is_causal: bool, attn_mask: Optional[Tensor],
                                                              scale: Optional[float]) -> Tuple[Tensor, Tensor, Tensor]:
  kind = query.dtype
  wide = 6 if kind == 5 or kind == 15 else kind
  q, k, v, g = torch.to(query, wide), torch.to(key, wide), torch.to(value, wide), torch.to(grad_out, wide)
  factor = 1.0 / torch.sqrt(float(torch.size(query, -1))) if scale is None else unchecked_cast(float, scale)
  scores = torch.matmul(q, torch.transpose(k, -2, -1)) * factor
  if attn_mask is not None:
    mask = unchecked_cast(Tensor, attn_mask)
    scores = torch.masked_fill(scores, torch.logical_not(mask), -inf) if mask.dtype == 11 else scores + mask
  if is_causal:
    seen = torch.tril(torch.ones([torch.size(query, -2), torch.size(key, -2)], dtype=11))
    scores = torch.masked_fill(scores, torch.logical_not(seen), -inf)
  weights = torch.nan_to_num(torch.exp(scores - torch.unsqueeze(logsumexp, -1)), 0.0)
  of_value = torch.matmul(torch.transpose(weights, -2, -1), g)
  of_weights = torch.matmul(g, torch.transpose(v, -2, -1))
  of_scores = weights * (of_weights - torch.sum(g * torch.to(out, wide), [-1], True)) * factor
  of_query = torch.matmul(of_scores, k)
  of_key = torch.matmul(torch.transpose(of_scores, -2, -1), q)
  return (torch.to(of_query, kind), torch.to(of_key, kind), torch.to(of_value, kind))

# Derivatives of operators that are made of others (torch.decompositions), but not so that a gradient could pass: where
# a function asks for gradients they are taken apart only afterwards. See torch.derivatives.

# Quantizing and dequantizing at once: as if it did nothing, within the range.

def aten_fake_quantize_per_tensor_affine__self(grad: Tensor, self: Tensor, scale: float, zero_point: int, quant_min: int, quant_max: int) -> Tensor:
  _0, kept = torch.fake_quantize_per_tensor_affine_cachemask(self, scale, zero_point, quant_min, quant_max)
  return torch.mul(grad, kept)

def aten_fake_quantize_per_tensor_affine_tensor_qparams__self(grad: Tensor, self: Tensor, scale: Tensor, zero_point: Tensor, quant_min: int, quant_max: int) -> Tensor:
  one = torch.ones([1], dtype=4)
  _0, kept = torch._fake_quantize_per_tensor_affine_cachemask_tensor_qparams(self, scale, zero_point, one, quant_min, quant_max)
  return torch.mul(grad, kept)

def aten_fake_quantize_per_channel_affine__self(grad: Tensor, self: Tensor, scale: Tensor, zero_point: Tensor, axis: int, quant_min: int, quant_max: int) -> Tensor:
  _0, kept = torch.fake_quantize_per_channel_affine_cachemask(self, scale, zero_point, axis, quant_min, quant_max)
  return torch.mul(grad, kept)

# CTC, by the probabilities of the labels at each step (A. Graves and others, "Connectionist Temporal Classification",
# 2006). As in PyTorch the gradient is that of the scores that log_softmax was given.

def ctc_terms(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
  terms = torch.stack([a, b, c])
  top = torch.amax(terms, [0])
  safe = torch.masked_fill(top, torch.eq(top, -inf), 0)
  return torch.add(torch.log(torch.sum(torch.exp(torch.sub(terms, safe)), [0])), safe)

# The labels with blanks between them, and which of them may be reached from two places before.
def ctc_chain(labels: Tensor, blank: int) -> Tuple[Tensor, Tensor]:
  n = torch.numel(labels)
  chain = torch.full([2 * n + 1], blank, dtype=4)
  chain[1::2] = labels
  skips = torch.zeros([2 * n + 1], dtype=11)
  if n > 0:
    skips[2:] = torch.logical_and(torch.ne(chain[2:], chain[:-2]), torch.ne(chain[2:], blank))
  return (chain, skips)

# Logarithms of the probabilities of all ways to each place of the chain, for each step.
def ctc_alphas(logs: Tensor, labels: Tensor, blank: int) -> Tensor:
  chain, skips = __torch__.torch.derivatives.composed.ctc_chain(labels, blank)
  scores = torch.index_select(logs, 1, chain)
  places = torch.numel(chain)
  alpha = torch.full([places], -inf, dtype=logs.dtype)
  alpha[0:2] = scores[0][0:2]
  alphas: List[Tensor] = [alpha]
  for t in range(1, torch.size(logs, 0)):
    one = torch.narrow(torch.constant_pad_nd(alpha, [1, 0], -inf), 0, 0, places)
    two = torch.narrow(torch.constant_pad_nd(alpha, [2, 0], -inf), 0, 0, places)
    alpha = torch.add(__torch__.torch.derivatives.composed.ctc_terms(alpha, one, torch.masked_fill(two, torch.logical_not(skips), -inf)), scores[t])
    alphas.append(alpha)
  return torch.stack(alphas)

def ctc_gradient_of_one(logs: Tensor, labels: Tensor, blank: int, zero_infinity: bool) -> Tensor:
  steps = torch.size(logs, 0)
  chain, skips = __torch__.torch.derivatives.composed.ctc_chain(labels, blank)
  places = torch.numel(chain)
  scores = torch.index_select(logs, 1, chain)
  alphas = __torch__.torch.derivatives.composed.ctc_alphas(logs, labels, blank)
  beta = torch.full([places], -inf, dtype=logs.dtype)
  beta[-2:] = 0
  betas: List[Tensor] = [beta]
  for k in range(1, steps):
    after = torch.add(beta, scores[steps - k])
    one = torch.narrow(torch.constant_pad_nd(after, [0, 1], -inf), 0, 1, places)
    two = torch.narrow(torch.constant_pad_nd(torch.masked_fill(after, torch.logical_not(skips), -inf), [0, 2], -inf), 0, 2, places)
    beta = __torch__.torch.derivatives.composed.ctc_terms(after, one, two)
    betas.append(beta)
  total = torch.logsumexp(alphas[-1][-2:], [0])
  seen = torch.exp(torch.sub(torch.add(alphas, torch.flip(torch.stack(betas), [0])), total))
  made = torch.sub(torch.exp(logs), torch.index_add(torch.zeros_like(logs), 1, chain, seen))
  return torch.masked_fill(made, torch.isinf(total), 0) if zero_infinity else made

def aten_ctc_loss_IntList__log_probs(grad: Tensor, log_probs: Tensor, targets: Tensor, input_lengths: List[int], target_lengths: List[int],
                                     blank: int, reduction: int, zero_infinity: bool) -> Tensor:
  single = torch.dim(log_probs) == 2
  logs = torch.unsqueeze(log_probs, 1) if single else log_probs
  made = torch.zeros_like(logs)
  each = torch.expand(grad, [torch.size(logs, 1)])
  at = 0
  for b in range(torch.size(logs, 1)):
    if single or torch.dim(targets) == 1:
      labels = torch.narrow(torch.flatten(targets), 0, at, target_lengths[b])
      at = at + target_lengths[b]
    else:
      labels = torch.narrow(torch.select(targets, 0, b), 0, 0, target_lengths[b])
    if input_lengths[b] > 0:
      scale = 1.0
      if reduction == 1:
        scale = 1.0 / float(max(target_lengths[b], 1) * torch.size(logs, 1))
      own = torch.narrow(torch.select(logs, 1, b), 0, 0, input_lengths[b])
      g = torch.mul(__torch__.torch.derivatives.composed.ctc_gradient_of_one(own, torch.to(labels, 4), blank, zero_infinity), torch.mul(each[b], scale))
      torch.copy_(torch.narrow(torch.select(made, 1, b), 0, 0, input_lengths[b]), g)
  return torch.squeeze(made, 1) if single else made

def aten_index_put__self(grad: Tensor, indices: List[Optional[Tensor]], accumulate: bool) -> Tensor:
  if accumulate:
    return grad
  return torch.index_put(grad, indices, torch.zeros([1], dtype=grad.dtype))

def aten_index_put__values(grad: Tensor, indices: List[Optional[Tensor]], values: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.index(grad, indices), values)

# ---- Pooling to a given size, by where the greatest elements are ----

def aten_adaptive_max_pool1d__self(grad: Tensor, self: Tensor, result1: Tensor) -> Tensor:
  return torch.scatter_add(torch.zeros_like(self), -1, result1, grad)

def aten_adaptive_max_pool2d__self(grad: Tensor, self: Tensor, result1: Tensor) -> Tensor:
  planes = torch.flatten(torch.zeros_like(self), -2)
  return torch.reshape(torch.scatter_add(planes, -1, torch.flatten(result1, -2), torch.flatten(grad, -2)), torch.size(self))

def aten_adaptive_max_pool3d__self(grad: Tensor, self: Tensor, result1: Tensor) -> Tensor:
  volumes = torch.flatten(torch.zeros_like(self), -3)
  return torch.reshape(torch.scatter_add(volumes, -1, torch.flatten(result1, -3), torch.flatten(grad, -3)), torch.size(self))

def aten_fractional_max_pool2d__self(grad: Tensor, self: Tensor, result1: Tensor) -> Tensor:
  return __torch__.torch.derivatives.composed.aten_adaptive_max_pool2d__self(grad, self, result1)

def aten_fractional_max_pool3d__self(grad: Tensor, self: Tensor, result1: Tensor) -> Tensor:
  return __torch__.torch.derivatives.composed.aten_adaptive_max_pool3d__self(grad, self, result1)

# ---- Grids: each tensor is repeated along the dimensions of the others ----

def aten_meshgrid__by_operators(tensors: List[Tensor]) -> List[Tensor]:
  sizes = [torch.numel(t) for t in tensors]
  grids: List[Tensor] = []
  for i in range(len(tensors)):
    before = [1 for d in range(i)]
    behind = [1 for d in range(len(tensors) - 1 - i)]
    grids.append(torch.expand(torch.reshape(tensors[i], before + [-1] + behind), sizes))
  return grids

def aten_meshgrid_indexing__by_operators(tensors: List[Tensor], indexing: str) -> List[Tensor]:
  if indexing != "xy" or len(tensors) < 2:
    return __torch__.torch.derivatives.composed.aten_meshgrid__by_operators(tensors)
  swapped = [tensors[1], tensors[0]]
  for i in range(len(tensors) - 2):
    swapped.append(tensors[i + 2])
  grids = __torch__.torch.derivatives.composed.aten_meshgrid__by_operators(swapped)
  turned = [grids[1], grids[0]]
  for i in range(len(tensors) - 2):
    turned.append(grids[i + 2])
  return turned

# ---- Diagonals and places ----

def aten_diag__self(grad: Tensor, self: Tensor, diagonal: int) -> Tensor:
  if torch.dim(self) == 1:
    return torch.diagonal(grad, diagonal)
  return torch.diagonal_backward(grad, torch.size(self), diagonal, 0, 1)

def aten_diag_embed__self(grad: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
  return torch.diagonal(grad, offset, dim1, dim2)

def aten_diagonal_scatter__self(grad: Tensor, src: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
  return torch.diagonal_scatter(grad, torch.zeros_like(src), offset, dim1, dim2)

def aten_diagonal_scatter__src(grad: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
  return torch.diagonal(grad, offset, dim1, dim2)

def aten_put__self(grad: Tensor, index: Tensor, source: Tensor, accumulate: bool) -> Tensor:
  return grad if accumulate else torch.put(grad, index, torch.zeros_like(source), False)

def aten_put__source(grad: Tensor, index: Tensor, source: Tensor) -> Tensor:
  return torch.reshape(torch.take(grad, index), torch.size(source))

def aten_put__source_saved(index: Tensor, source: Tensor):
  pass

def aten_index_put_hacked_twin__self(grad: Tensor, indices: List[Tensor], accumulate: bool) -> Tensor:
  if accumulate:
    return grad
  return torch.index_put(grad, indices, torch.zeros([1], dtype=grad.dtype))

def aten_index_put_hacked_twin__values(grad: Tensor, indices: List[Tensor], values: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.index(grad, indices), values)

# ---- Factorizations whose parts are not formulas of their own ----

def adjoint(A: Tensor) -> Tensor:
  return torch.conj(torch.transpose(A, -2, -1))

def aten_linalg_svd__A(grad: Tensor, grad1: Tensor, grad2: Tensor, A: Tensor, result: Tensor, result1: Tensor, result2: Tensor, full_matrices: bool) -> Tensor:
  k = torch.size(result1, -1)
  U, gU = torch.narrow(result, -1, 0, k), torch.conj(torch.narrow(grad, -1, 0, k))
  Vh, gVh = torch.narrow(result2, -2, 0, k), torch.conj(torch.narrow(grad2, -2, 0, k))
  S = torch.unsqueeze(result1, -2)
  column = torch.unsqueeze(result1, -1)
  I = torch.eye(k, dtype=S.dtype)
  apart = torch.add(torch.mul(torch.sub(S, column), torch.add(S, column)), I)
  of_u = torch.matmul(__torch__.torch.derivatives.composed.adjoint(U), gU)
  of_v = torch.matmul(gVh, __torch__.torch.derivatives.composed.adjoint(Vh))
  __torch__.torch.derivatives.linalg.check_phases(of_u, of_v, "svd_backward: The singular vectors in the complex case are specified up to multiplication by e^{i phi}. The specified loss function depends on this phase term, making it ill-defined.")
  both_u = torch.sub(of_u, __torch__.torch.derivatives.composed.adjoint(of_u))
  turn_u = torch.div(both_u, apart)
  turn_v = torch.div(torch.sub(__torch__.torch.derivatives.composed.adjoint(of_v), of_v), apart)
  inner = torch.add(torch.add(torch.mul(turn_u, S), torch.mul(column, turn_v)), torch.diag_embed(grad1))
  if torch.is_complex(A):
    inner = torch.add(inner, torch.mul(both_u, torch.div(I, torch.mul(S, 2))))
  made = torch.matmul(U, torch.matmul(inner, Vh))
  if torch.size(A, -2) > k:
    made = torch.add(made, torch.matmul(torch.div(torch.sub(gU, torch.matmul(U, of_u)), S), Vh))
  if torch.size(A, -1) > k:
    made = torch.add(made, torch.matmul(U, torch.div(torch.sub(gVh, torch.matmul(of_v, Vh)), column)))
  return torch.conj(made)

def aten_linalg_qr__A(grad: Tensor, grad1: Tensor, A: Tensor, result: Tensor, result1: Tensor, mode: str) -> Tensor:
  if mode == "r":
    ops.prim.RaiseException("The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use linalg.qr(A, mode='reduced') if you are going to require gradients of the output.")
  m, n = torch.size(A, -2), torch.size(A, -1)
  if mode == "complete" and m > n:
    ops.prim.RaiseException("The QR decomposition is not differentiable when mode='complete' and nrows > ncols.")
  gQ = torch.conj(grad)
  R, gR = result1, torch.conj(grad1)
  wide = torch.narrow(gR, -1, m, n - m) if m < n else gR
  if m < n:
    gQ = torch.add(gQ, torch.matmul(torch.narrow(A, -1, m, n - m), __torch__.torch.derivatives.composed.adjoint(wide)))
    R, gR = torch.narrow(result1, -1, 0, m), torch.narrow(gR, -1, 0, m)
  flipped = __torch__.torch.derivatives.composed.adjoint(R)
  M = torch.sub(torch.matmul(gR, flipped), torch.matmul(__torch__.torch.derivatives.composed.adjoint(result), gQ))
  above = torch.triu(M, 1)
  both = torch.add(above, __torch__.torch.derivatives.composed.adjoint(above))
  both = torch.add(both, torch.diag_embed(torch.real(torch.diagonal(M, 0, -2, -1))))
  made = torch.linalg_solve_triangular(flipped, torch.add(torch.matmul(result, both), gQ), upper=False, left=False)
  if m < n:
    made = torch.cat([made, torch.matmul(result, wide)], -1)
  return torch.conj(made)

# Of the pseudoinverse (Golub and Pereyra, 1973).
def of_pinv(grad: Tensor, A: Tensor, result: Tensor) -> Tensor:
  return torch.conj(__torch__.torch.derivatives.composed.of_pinv_turned(torch.conj(grad), A, result))

def of_pinv_turned(grad: Tensor, A: Tensor, result: Tensor) -> Tensor:
  g, P, At = __torch__.torch.derivatives.composed.adjoint(grad), __torch__.torch.derivatives.composed.adjoint(result), A
  if torch.size(A, -2) <= torch.size(A, -1):
    K = torch.matmul(g, result)
    KP = torch.matmul(K, P)
    made = torch.sub(KP, __torch__.torch.derivatives.composed.adjoint(torch.matmul(result, K)))
    made = torch.sub(made, torch.matmul(torch.matmul(A, result), KP))
    return torch.add(made, torch.matmul(torch.matmul(P, result), torch.sub(g, torch.matmul(K, A))))
  K = torch.matmul(result, g)
  PK = torch.matmul(P, K)
  made = torch.sub(PK, __torch__.torch.derivatives.composed.adjoint(torch.matmul(K, result)))
  made = torch.add(made, torch.matmul(torch.matmul(torch.sub(g, torch.matmul(A, K)), result), P))
  return torch.sub(made, torch.matmul(torch.matmul(PK, result), A))

def aten_linalg_pinv_atol_rtol_tensor__self(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
  return __torch__.torch.derivatives.composed.of_pinv(grad, self, result)

def aten_linalg_lstsq__self(grad: Tensor, self: Tensor, b: Tensor) -> Tensor:
  vectors = torch.dim(self) - 1 == torch.dim(b)
  g = torch.unsqueeze(grad, -1) if vectors else grad
  right = torch.unsqueeze(b, -1) if vectors else b
  P = torch.linalg_pinv(self)
  made = torch.matmul(g, torch.transpose(right, -2, -1))
  return __torch__.torch.derivatives.composed.of_pinv(made, self, P)

def aten_linalg_lstsq__b(grad: Tensor, self: Tensor, b: Tensor) -> Tensor:
  vectors = torch.dim(self) - 1 == torch.dim(b)
  g = torch.unsqueeze(grad, -1) if vectors else grad
  made = torch.matmul(torch.transpose(torch.linalg_pinv(self), -2, -1), g)
  return torch.squeeze(made, -1) if vectors else made

# ---- Under other names, or with what else they give ----

def aten_linalg_matmul__by_operators(self: Tensor, other: Tensor) -> Tensor:
  return torch.matmul(self, other)

def aten__convolution_deprecated__by_operators(input: Tensor, weight: Tensor, bias: Optional[Tensor], stride: List[int], padding: List[int], dilation: List[int], transposed: bool, output_padding: List[int], groups: int, benchmark: bool, deterministic: bool, cudnn_enabled: bool) -> Tensor:
  return torch._convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups, benchmark, deterministic, cudnn_enabled, True)

def aten__upsample_bilinear2d_aa__self(grad: Tensor, self: Tensor, output_size: List[int], align_corners: bool, scales_h: Optional[float], scales_w: Optional[float]) -> Tensor:
  return torch._upsample_bilinear2d_aa_backward(grad, output_size, torch.size(self), align_corners, scales_h, scales_w)

def aten__upsample_bicubic2d_aa__self(grad: Tensor, self: Tensor, output_size: List[int], align_corners: bool, scales_h: Optional[float], scales_w: Optional[float]) -> Tensor:
  return torch._upsample_bicubic2d_aa_backward(grad, output_size, torch.size(self), align_corners, scales_h, scales_w)

def aten__upsample_bilinear2d_aa_vec__input(grad: Tensor, input: Tensor, output_size: Optional[List[int]], align_corners: bool, scale_factors: Optional[List[float]]) -> Tensor:
  return torch._upsample_bilinear2d_aa_backward(grad, output_size, torch.size(input), align_corners, scale_factors)

def aten__upsample_bicubic2d_aa_vec__input(grad: Tensor, input: Tensor, output_size: Optional[List[int]], align_corners: bool, scale_factors: Optional[List[float]]) -> Tensor:
  return torch._upsample_bicubic2d_aa_backward(grad, output_size, torch.size(input), align_corners, scale_factors)

def aten_fake_quantize_per_tensor_affine_cachemask__self(grad: Tensor, result1: Tensor) -> Tensor:
  return torch.mul(grad, result1)

def aten_fake_quantize_per_channel_affine_cachemask__self(grad: Tensor, result1: Tensor) -> Tensor:
  return torch.mul(grad, result1)

def aten__fake_quantize_per_tensor_affine_cachemask_tensor_qparams__self(grad: Tensor, result1: Tensor) -> Tensor:
  return torch.mul(grad, result1)

def aten_as_strided_scatter__self(grad: Tensor, src: Tensor, size: List[int], stride: List[int], storage_offset: Optional[int]) -> Tensor:
  return torch.as_strided_scatter(torch.contiguous(grad), torch.zeros_like(src), size, stride, storage_offset)

def aten_as_strided_scatter__src(grad: Tensor, size: List[int], stride: List[int], storage_offset: Optional[int]) -> Tensor:
  return torch.as_strided(torch.contiguous(grad), size, stride, storage_offset)

# A product of reflections, one after the other.
def tsm_reflections__by_operators(A: Tensor, tau: Tensor, columns: int) -> Tensor:
  m = torch.size(A, 1)
  made = torch.expand(torch.eye(m, columns, dtype=A.dtype), [torch.size(A, 0), m, columns])
  count = torch.size(tau, 1)
  for k in range(count):
    i = count - 1 - k
    head = torch.zeros([torch.size(A, 0), i + 1], dtype=A.dtype)
    head[:, i] = 1
    v = torch.cat([head, torch.narrow(torch.select(A, 2, i), 1, i + 1, m - i - 1)], 1)
    along = torch.matmul(torch.unsqueeze(torch.conj(v), 1), made)
    turned = torch.mul(torch.narrow(tau, 1, i, 1), v)
    made = torch.sub(made, torch.matmul(torch.unsqueeze(turned, 2), along))
  return made

# ---- Sequences of several lengths ----

def aten_pad_sequence__by_operators(sequences: List[Tensor], batch_first: bool, padding_value: float, padding_side: str) -> Tensor:
  longest = 0
  for s in sequences:
    longest = max(longest, torch.size(s, 0))
  rows: List[Tensor] = []
  for s in sequences:
    pad = [0 for i in range(2 * torch.dim(s))]
    pad[-2 if padding_side == "left" else -1] = longest - torch.size(s, 0)
    rows.append(torch.constant_pad_nd(s, pad, padding_value))
  return torch.stack(rows, 0 if batch_first else 1)

# Where each row of the padded sequences is found: behind the last row of data stands one of padding.
def aten__pad_packed_sequence__by_operators(data: Tensor, batch_sizes: Tensor, batch_first: bool, padding_value: number, total_length: int) -> Tuple[Tensor, Tensor]:
  steps = torch.numel(batch_sizes)
  length = steps if total_length <= 0 else total_length
  if length < steps:
    ops.prim.RaiseException(torch.format("Expected total_length to be at least the length of the longest sequence in input, but got total_length={} and max sequence length being {}", total_length, steps))
  batch = int(batch_sizes[0])
  rows = torch.size(data, 0)
  at = torch.sub(torch.cumsum(batch_sizes, 0), batch_sizes)
  column = torch.unsqueeze(torch.arange(batch), 0)
  places = torch.add(torch.unsqueeze(at, 1), column)
  missing = torch.ge(column, torch.unsqueeze(batch_sizes, 1))
  places = torch.masked_fill(places, missing, rows)
  if length > steps:
    places = torch.cat([places, torch.full([length - steps, batch], rows)])
  padding = torch.full([1] + torch.size(data)[1:], padding_value, dtype=data.dtype)
  made = torch.index_select(torch.cat([data, padding]), 0, torch.flatten(places))
  made = torch.reshape(made, [length, batch] + torch.size(data)[1:])
  lengths = torch.sum(torch.gt(torch.unsqueeze(batch_sizes, 0), torch.unsqueeze(torch.arange(batch), 1)), [1])
  return (torch.transpose(made, 0, 1) if batch_first else made, lengths)

# Layers of packed sequences.

def aten_lstm_data__by_operators(data: Tensor, batch_sizes: Tensor, hx: List[Tensor], params: List[Tensor], has_biases: bool, num_layers: int, dropout: float, train: bool, bidirectional: bool) -> Tuple[Tensor, Tensor, Tensor]:
  return __torch__.torch.derivatives.recurrent.packed_layers(0, data, batch_sizes, hx[0], hx[1], params, has_biases, num_layers, dropout, train, bidirectional)

def aten_gru_data__by_operators(data: Tensor, batch_sizes: Tensor, hx: Tensor, params: List[Tensor], has_biases: bool, num_layers: int, dropout: float, train: bool, bidirectional: bool) -> Tuple[Tensor, Tensor]:
  y, h, _0 = __torch__.torch.derivatives.recurrent.packed_layers(1, data, batch_sizes, hx, hx, params, has_biases, num_layers, dropout, train, bidirectional)
  return (y, h)

def aten_rnn_tanh_data__by_operators(data: Tensor, batch_sizes: Tensor, hx: Tensor, params: List[Tensor], has_biases: bool, num_layers: int, dropout: float, train: bool, bidirectional: bool) -> Tuple[Tensor, Tensor]:
  y, h, _0 = __torch__.torch.derivatives.recurrent.packed_layers(2, data, batch_sizes, hx, hx, params, has_biases, num_layers, dropout, train, bidirectional)
  return (y, h)

def aten_rnn_relu_data__by_operators(data: Tensor, batch_sizes: Tensor, hx: Tensor, params: List[Tensor], has_biases: bool, num_layers: int, dropout: float, train: bool, bidirectional: bool) -> Tuple[Tensor, Tensor]:
  y, h, _0 = __torch__.torch.derivatives.recurrent.packed_layers(3, data, batch_sizes, hx, hx, params, has_biases, num_layers, dropout, train, bidirectional)
  return (y, h)

# ---- Random numbers of a given mean and deviation: PyTorch's gradients are zeros ----

def aten_normal_Tensor_Tensor__mean(mean: Tensor) -> Tensor:
  return torch.zeros_like(mean)

def aten_normal_Tensor_Tensor__std(std: Tensor) -> Tensor:
  return torch.zeros_like(std)

def aten_normal_Tensor_float__mean(mean: Tensor) -> Tensor:
  return torch.zeros_like(mean)

def aten_normal_float_Tensor__std(std: Tensor) -> Tensor:
  return torch.zeros_like(std)

# Operators without kernels of their own, made of others (see torch.decompositions): layers, packed sequences, sampling,
# losses of sequences.

# ---- Normalization ----

# The type of the statistics: that of the first of the other tensors.
def dtype_of_statistics(input: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], running_mean: Optional[Tensor]) -> int:
  if weight is not None:
    return weight.dtype
  if bias is not None:
    return bias.dtype
  if running_mean is not None:
    return running_mean.dtype
  return input.dtype


# Statistics of half precision are computed as floats.
def widened(input: Tensor, kind: int) -> Tensor:
  return torch.to(input, 6 if kind == 5 or kind == 15 else kind)


def aten_native_layer_norm(input: Tensor, normalized_shape: List[int], weight: Optional[Tensor], bias: Optional[Tensor],
                           eps: float) -> Tuple[Tensor, Tensor, Tensor]:
  dims = [-1 - d for d in range(len(normalized_shape))]
  kind = dtype_of_statistics(input, weight, bias, None)
  wide = widened(input, kind)
  rstd = torch.rsqrt(torch.var(wide, dims, False, True) + eps)
  return (torch.layer_norm(input, normalized_shape, weight, bias, eps), torch.to(torch.mean(wide, dims, True), kind), torch.to(rstd, kind))


def aten_native_batch_norm(input: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], running_mean: Optional[Tensor],
                           running_var: Optional[Tensor], training: bool, momentum: float, eps: float) -> Tuple[Tensor, Tensor, Tensor]:
  made = torch.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, False)
  kind = dtype_of_statistics(input, weight, bias, running_mean)
  mean = torch.zeros([0], dtype=kind)
  invstd = mean
  if training:
    dims = [0] + [d for d in range(2, torch.dim(input))]
    wide = widened(input, kind)
    mean = torch.to(torch.mean(wide, dims), kind)
    invstd = torch.to(torch.rsqrt(torch.var(wide, dims, False) + eps), kind)
  return (made, mean, invstd)


def aten__batch_norm_impl_index(input: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], running_mean: Optional[Tensor],
                                running_var: Optional[Tensor], training: bool, momentum: float, eps: float,
                                cudnn_enabled: bool) -> Tuple[Tensor, Tensor, Tensor, Tensor, int]:
  made, mean, invstd = torch.native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)
  return (made, mean, invstd, torch.zeros([0], dtype=0), 0)


def aten_batch_norm_update_stats(input: Tensor, running_mean: Optional[Tensor], running_var: Optional[Tensor],
                                 momentum: float) -> Tuple[Tensor, Tensor]:
  dims = [0] + [d for d in range(2, torch.dim(input))]
  kind = dtype_of_statistics(input, None, None, running_mean)
  wide = widened(input, kind)
  mean = torch.mean(wide, dims)
  if running_mean is not None:
    torch.copy_(running_mean, mean * momentum + running_mean * (1 - momentum))
  if running_var is not None:
    torch.copy_(running_var, torch.var(wide, dims, True) * momentum + running_var * (1 - momentum))
  return (torch.to(mean, kind), torch.to(torch.var(wide, dims, False), kind))


# Means and spreads of the groups of each image.
def aten_native_group_norm(input: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], N: int, C: int, HxW: int, group: int,
                           eps: float) -> Tuple[Tensor, Tensor, Tensor]:
  kind = dtype_of_statistics(input, weight, bias, None)
  groups = widened(torch.reshape(input, [N, group, -1]), kind)
  rstd = torch.rsqrt(torch.var(groups, [2], False) + eps)
  return (torch.group_norm(input, group, weight, bias, eps), torch.to(torch.mean(groups, [2]), kind), torch.to(rstd, kind))


# ---- Pooling undone ----

def unpooled(self: Tensor, indices: Tensor, output_size: List[int], n: int) -> Tensor:
  if len(output_size) != n:
    ops.prim.RaiseException(torch.format("There should be exactly {} elements in output_size, but got {} elements.", n, len(output_size)))
  if torch.size(self) != torch.size(indices):
    ops.prim.RaiseException("Expected shape of indices to be same as that of the input tensor")
  lead = torch.size(self)[0:torch.dim(self) - n]
  cells = 1
  for s in output_size:
    cells = cells * s
  if torch.numel(indices) > 0 and (int(torch.min(indices)) < 0 or int(torch.max(indices)) >= cells):
    ops.prim.RaiseException("Found an invalid max index: the output has fewer elements")
  made = torch.scatter(torch.zeros(lead + [cells], dtype=self.dtype), -1, torch.flatten(indices, -n, -1), torch.flatten(self, -n, -1))
  return torch.reshape(made, lead + output_size)


def aten_max_unpool2d(self: Tensor, indices: Tensor, output_size: List[int]) -> Tensor:
  return unpooled(self, indices, output_size, 2)


def aten_max_unpool3d(self: Tensor, indices: Tensor, output_size: List[int], stride: List[int], padding: List[int]) -> Tensor:
  return unpooled(self, indices, output_size, 3)


# ---- Linear ----

def aten_bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Optional[Tensor]) -> Tensor:
  o, i, j = torch.size(weight)
  if torch.size(input1, -1) != i or torch.size(input2, -1) != j:
    ops.prim.RaiseException(torch.format("bilinear(): input sizes do not match weight sizes: got {} and {} but expected {} and {}", torch.size(input1, -1), torch.size(input2, -1), i, j))
  lead = torch.size(input1)[0:torch.dim(input1) - 1]
  n = __torch__.torch.decompositions.product(lead)
  mixed = torch.reshape(torch.matmul(torch.reshape(input1, [n, i]), torch.reshape(torch.permute(weight, [1, 0, 2]), [i, o * j])), [n, o, j])
  made = torch.reshape(torch.squeeze(torch.bmm(mixed, torch.reshape(input2, [n, j, 1])), -1), lead + [o])
  return made if bias is None else made + bias


# ---- Bags of embeddings ----

# Shortens the named rows that are longer than max_norm, in place.
def aten_embedding_renorm_(self: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> Tensor:
  if torch.dim(self) != 2:
    ops.prim.RaiseException(torch.format("Expected 2-dimensional tensor, but got {}-dimensional tensor for argument #1 'self' (while checking arguments for embedding_renorm_)", torch.dim(self)))
  named = torch.flatten(indices)
  rows = torch.where(named < 0, named + torch.size(self, 0), named)
  chosen = torch.index_select(self, 0, rows)
  lengths = torch.norm(chosen, norm_type, [1], True)
  short = torch.where(lengths > max_norm, chosen * (torch.reciprocal(lengths + 1e-7) * max_norm), chosen)
  return torch.copy_(self, torch.index_copy(self, 0, torch.to(rows, 4), short))


# Indices and offsets may have different types; results have the wider one.
def aten_embedding_bag_padding_idx(weight: Tensor, indices: Tensor, offsets: Tensor, scale_grad_by_freq: bool, mode: int, sparse: bool,
                                   per_sample_weights: Optional[Tensor], include_last_offset: bool,
                                   padding_idx: Optional[int]) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
  if indices.dtype == 4 and offsets.dtype == 4:
    return bags_of_rows(weight, indices, offsets, mode, per_sample_weights, include_last_offset, padding_idx)
  kind = torch.promote_types(indices.dtype, offsets.dtype)
  if kind != 3 and kind != 4:
    ops.prim.RaiseException("Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int (while checking arguments for embedding_bag)")
  made, bag, counts, best = bags_of_rows(weight, torch.to(indices, 4), torch.to(offsets, 4), mode, per_sample_weights, include_last_offset, padding_idx)
  return (made, torch.to(bag, kind), torch.to(counts, kind), torch.to(best, kind))


def bags_of_rows(weight: Tensor, indices: Tensor, offsets: Tensor, mode: int, per_sample_weights: Optional[Tensor], include_last_offset: bool,
                 padding_idx: Optional[int]) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
  if torch.dim(indices) != 1 or torch.dim(offsets) != 1 or torch.dim(weight) != 2:
    ops.prim.RaiseException("embedding_bag: expected indices and offsets of one dimension and weights of two")
  if torch.numel(offsets) > 0 and int(offsets[0]) != 0:
    ops.prim.RaiseException(torch.format("offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, got {}", int(offsets[0])))
  if torch.numel(offsets) > 0 and int(offsets[-1]) > torch.numel(indices):
    ops.prim.RaiseException(torch.format("offsets[-1] can not be greater than input's length {} but got offsets[-1] of {}", torch.numel(indices), int(offsets[-1])))
  starts = torch.narrow(offsets, 0, 0, torch.numel(offsets) - (1 if include_last_offset else 0))
  ignored = -1
  if padding_idx is not None:
    ignored = padding_idx if padding_idx >= 0 else padding_idx + torch.size(weight, 0)
  made, bag, counts, best = ops.tsm.bags(weight, indices, starts, mode, per_sample_weights, ignored)
  if mode == 2:
    return (made, bag, counts, best)
  if mode == 1:
    return (made, bag, counts, torch.clone(counts))
  # Sums of rows of floats are made without the others; what they would hold is empty or 0.
  is_fast = (weight.dtype == 6 or weight.dtype == 5) and torch.stride(weight, 1) == 1 and padding_idx is None
  return (made, torch.zeros([0], dtype=4) if is_fast else bag, torch.zeros_like(counts), torch.zeros_like(counts))


def aten_embedding_bag(weight: Tensor, indices: Tensor, offsets: Tensor, scale_grad_by_freq: bool, mode: int, sparse: bool,
                       per_sample_weights: Optional[Tensor], include_last_offset: bool) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
  return torch.embedding_bag(weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, None)


def aten__embedding_bag(weight: Tensor, indices: Tensor, offsets: Tensor, scale_grad_by_freq: bool, mode: int, sparse: bool,
                        per_sample_weights: Optional[Tensor], include_last_offset: bool, padding_idx: int) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
  ignored: Optional[int] = None
  if padding_idx >= 0:
    ignored = padding_idx
  return torch.embedding_bag(weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, ignored)


# ---- Packed sequences ----
# The rows of all steps one after the other, of each step those of the sequences that are long enough.

def aten__pack_padded_sequence(input: Tensor, lengths: Tensor, batch_first: bool) -> Tuple[Tensor, Tensor]:
  if lengths.dtype != 4:
    ops.prim.RaiseException("'lengths' argument should be a 1D CPU int64 tensor")
  if torch.numel(input) == 0:
    ops.prim.RaiseException("Cannot pack empty tensors.")
  steps = torch.transpose(input, 0, 1) if batch_first else input
  batch = torch.size(steps, 1)
  if torch.dim(lengths) != 1 or torch.numel(lengths) != batch:
    ops.prim.RaiseException(torch.format("Expected `len(lengths)` to be equal to batch_size, but got {} (batch_size={})", torch.numel(lengths), batch))
  counts = [int(lengths[i]) for i in range(batch)]
  if batch > 0 and counts[batch - 1] <= 0:
    ops.prim.RaiseException("Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0")
  for i in range(1, batch):
    if counts[i] > counts[i - 1]:
      ops.prim.RaiseException("`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do not need ONNX exportability.")
  if batch > 0 and counts[0] > torch.size(steps, 0):
    ops.prim.RaiseException("Expected the sequences to be at least as long as `lengths` say")
  sizes = torch.sum(torch.unsqueeze(lengths, 0) > torch.unsqueeze(torch.arange(counts[0]), 1), [1])
  rows = [torch.narrow(torch.select(steps, 0, t), 0, 0, int(sizes[t])) for t in range(counts[0])]
  return (torch.cat(rows, 0), sizes)


def aten__pack_padded_sequence_backward(grad: Tensor, input_size: List[int], batch_sizes: Tensor, batch_first: bool) -> Tensor:
  if batch_sizes.dtype != 4:
    ops.prim.RaiseException("'lengths' argument should be a 1D CPU int64 tensor")
  steps = [input_size[1], input_size[0]] + input_size[2:] if batch_first else input_size
  made = torch.zeros(steps, dtype=grad.dtype)
  at = 0
  for t in range(torch.numel(batch_sizes)):
    n = int(batch_sizes[t])
    torch.copy_(torch.narrow(torch.select(made, 0, t), 0, 0, n), torch.narrow(grad, 0, at, n))
    at = at + n
  return torch.transpose(made, 0, 1) if batch_first else made


def aten__pad_packed_sequence(data: Tensor, batch_sizes: Tensor, batch_first: bool, padding_value: number,
                              total_length: int) -> Tuple[Tensor, Tensor]:
  steps = torch.numel(batch_sizes)
  length = steps if total_length <= 0 else total_length
  if length < steps:
    ops.prim.RaiseException(torch.format("Expected total_length to be at least the length of the longest sequence in input, but got total_length={} and max sequence length being {}", total_length, steps))
  batch = int(batch_sizes[0])
  made = torch.full([length, batch] + torch.size(data)[1:], padding_value, dtype=data.dtype)
  at = 0
  for t in range(steps):
    n = int(batch_sizes[t])
    torch.copy_(torch.narrow(torch.select(made, 0, t), 0, 0, n), torch.narrow(data, 0, at, n))
    at = at + n
  lengths = torch.sum(torch.unsqueeze(batch_sizes, 0) > torch.unsqueeze(torch.arange(batch), 1), [1])
  return (torch.transpose(made, 0, 1) if batch_first else made, lengths)


# One direction of a layer; kind: 0 LSTM, 1 GRU, 2 tanh, 3 relu. Sequences that have ended, or not begun, keep their
# state.
def packed_direction(kind: int, data: Tensor, sizes: List[int], h: Tensor, c: Tensor, w: List[Tensor], backward: bool) -> Tuple[Tensor, Tensor, Tensor]:
  h = torch.clone(h)
  c = torch.clone(c)
  b_ih: Optional[Tensor] = None
  b_hh: Optional[Tensor] = None
  if len(w) > 2:
    b_ih = w[2]
    b_hh = w[3]
  rows: List[Tensor] = []
  at = torch.size(data, 0) if backward else 0
  for k in range(len(sizes)):
    n = sizes[len(sizes) - 1 - k] if backward else sizes[k]
    if backward:
      at = at - n
    x = torch.narrow(data, 0, at, n)
    state = torch.narrow(h, 0, 0, n)
    if kind == 0:
      y, cell = torch.lstm_cell(x, [state, torch.narrow(c, 0, 0, n)], w[0], w[1], b_ih, b_hh)
      torch.copy_(torch.narrow(c, 0, 0, n), cell)
    elif kind == 1:
      y = torch.gru_cell(x, state, w[0], w[1], b_ih, b_hh)
    elif kind == 2:
      y = torch.rnn_tanh_cell(x, state, w[0], w[1], b_ih, b_hh)
    else:
      y = torch.rnn_relu_cell(x, state, w[0], w[1], b_ih, b_hh)
    torch.copy_(state, y)
    if backward:
      rows = [y] + rows
    else:
      rows = rows + [y]
      at = at + n
  return (torch.cat(rows, 0), h, c)


def packed_layers(kind: int, data: Tensor, batch_sizes: Tensor, h: Tensor, c: Tensor, params: List[Tensor], has_biases: bool, num_layers: int,
                  dropout: float, train: bool, bidirectional: bool) -> Tuple[Tensor, Tensor, Tensor]:
  sizes = [int(batch_sizes[t]) for t in range(torch.numel(batch_sizes))]
  each = 4 if has_biases else 2
  directions = 2 if bidirectional else 1
  if len(params) != each * directions * num_layers or torch.size(h, 0) != directions * num_layers or torch.size(h, 1) != sizes[0]:
    ops.prim.RaiseException("the packed recurrent layer's parameters or hidden states do not fit its input")
  states: List[Tensor] = []
  cells: List[Tensor] = []
  x = data
  for l in range(num_layers):
    made: List[Tensor] = []
    for d in range(directions):
      i = l * directions + d
      y, last, cell = packed_direction(kind, x, sizes, h[i], c[i], params[i * each:i * each + each], d == 1)
      made = made + [y]
      states = states + [last]
      cells = cells + [cell]
    x = torch.cat(made, 1)
    if l < num_layers - 1 and train and dropout > 0.0:
      x = torch.dropout(x, dropout, True)
  return (x, torch.stack(states, 0), torch.stack(cells, 0))


def aten_lstm_data(data: Tensor, batch_sizes: Tensor, hx: List[Tensor], params: List[Tensor], has_biases: bool, num_layers: int, dropout: float,
                   train: bool, bidirectional: bool) -> Tuple[Tensor, Tensor, Tensor]:
  return packed_layers(0, data, batch_sizes, hx[0], hx[1], params, has_biases, num_layers, dropout, train, bidirectional)


def aten_gru_data(data: Tensor, batch_sizes: Tensor, hx: Tensor, params: List[Tensor], has_biases: bool, num_layers: int, dropout: float,
                  train: bool, bidirectional: bool) -> Tuple[Tensor, Tensor]:
  y, h, _0 = packed_layers(1, data, batch_sizes, hx, hx, params, has_biases, num_layers, dropout, train, bidirectional)
  return (y, h)


def aten_rnn_tanh_data(data: Tensor, batch_sizes: Tensor, hx: Tensor, params: List[Tensor], has_biases: bool, num_layers: int, dropout: float,
                       train: bool, bidirectional: bool) -> Tuple[Tensor, Tensor]:
  y, h, _0 = packed_layers(2, data, batch_sizes, hx, hx, params, has_biases, num_layers, dropout, train, bidirectional)
  return (y, h)


def aten_rnn_relu_data(data: Tensor, batch_sizes: Tensor, hx: Tensor, params: List[Tensor], has_biases: bool, num_layers: int, dropout: float,
                       train: bool, bidirectional: bool) -> Tuple[Tensor, Tensor]:
  y, h, _0 = packed_layers(3, data, batch_sizes, hx, hx, params, has_biases, num_layers, dropout, train, bidirectional)
  return (y, h)


# ---- Points of a grid ----

def aten_affine_grid_generator(theta: Tensor, size: List[int], align_corners: bool) -> Tensor:
  n = len(size) - 2
  lines: List[Tensor] = []
  for d in range(n):
    length = size[n + 1 - d]
    line = torch.linspace(-1.0, 1.0, length, dtype=theta.dtype) if length > 1 else torch.zeros([1], dtype=theta.dtype)
    if not align_corners:
      line = line * (length - 1) / length
    shape = [1 for k in range(n)]
    shape[n - 1 - d] = length
    lines = lines + [torch.expand(torch.reshape(line, shape), size[2:])]
  base = torch.to(torch.stack(lines + [torch.ones(size[2:], dtype=theta.dtype)], -1), theta.dtype)
  points = torch.expand(torch.reshape(base, [1, -1, n + 1]), [size[0], -1, -1])
  return torch.reshape(torch.bmm(points, torch.transpose(theta, 1, 2)), [size[0]] + size[2:] + [n])


def aten_affine_grid_generator_backward(grad: Tensor, size: List[int], align_corners: bool) -> Tensor:
  n = len(size) - 2
  unit = torch.unsqueeze(torch.eye(n, n + 1, dtype=grad.dtype), 0)
  points = torch.reshape(torch.affine_grid_generator(unit, [1] + size[1:], align_corners), [1, -1, n])
  base = torch.cat([points, torch.ones([1, torch.size(points, 1), 1], dtype=grad.dtype)], 2)
  g = torch.reshape(grad, [size[0], -1, n])
  return torch.bmm(torch.transpose(g, 1, 2), torch.expand(base, [size[0], -1, -1]))


# ---- Losses ----

def aten_multilabel_margin_loss(self: Tensor, target: Tensor, reduction: int) -> Tensor:
  if torch.size(self) != torch.size(target) or torch.dim(self) > 2:
    ops.prim.RaiseException(torch.format("inconsistent target size: {} for input of size {}", torch.size(target), torch.size(self)))
  single = torch.dim(self) < 2
  x = torch.reshape(self, [1, -1]) if single else self
  t = torch.reshape(target, [1, -1]) if single else target
  valid = torch.cumprod(t >= 0, 1)
  places = t * valid
  named = torch.scatter_add(torch.zeros_like(t), 1, places, valid) > 0
  terms = __torch__.torch.decompositions.violations(torch.unsqueeze(x, 1), torch.unsqueeze(torch.gather(x, 1, places), 2), 1)
  skipped = torch.unsqueeze(valid == 0, 2) | torch.unsqueeze(named, 1)
  loss = torch.sum(torch.masked_fill(terms, skipped, 0), [1, 2]) / torch.size(x, 1)
  if single and reduction == 0:
    return torch.squeeze(loss)
  return __torch__.torch.decompositions.reduced(loss, reduction)


def aten_multilabel_margin_loss_forward(self: Tensor, target: Tensor, reduction: int) -> Tuple[Tensor, Tensor]:
  valid = torch.cumprod(target >= 0, -1)
  named = torch.scatter_add(torch.zeros_like(target), -1, target * valid, valid) > 0
  return (torch.multilabel_margin_loss(self, target, reduction), torch.to(named, self.dtype))


def aten_log_sigmoid_forward(self: Tensor) -> Tuple[Tensor, Tensor]:
  buffer = torch.exp(-torch.abs(self))
  return (torch.clamp_max(self, 0) - torch.log1p(buffer), buffer)


# The loss, and the sum of the weights that a mean divides by.
def nll_with_weight(self: Tensor, target: Tensor, weight: Optional[Tensor], reduction: int, ignore_index: int) -> Tuple[Tensor, Tensor]:
  total = torch.zeros([], dtype=self.dtype)
  if reduction != 0:
    counted = torch.to(target != ignore_index, self.dtype)
    classes = torch.masked_fill(target, target == ignore_index, 0)
    total = torch.sum(__torch__.torch.decompositions.class_weights(self, classes, weight, counted))
  return (torch.nll_loss_nd(self, target, weight, reduction, ignore_index), total)


def aten_nll_loss_forward(self: Tensor, target: Tensor, weight: Optional[Tensor], reduction: int, ignore_index: int) -> Tuple[Tensor, Tensor]:
  return nll_with_weight(self, target, weight, reduction, ignore_index)


def aten_nll_loss2d_forward(self: Tensor, target: Tensor, weight: Optional[Tensor], reduction: int, ignore_index: int) -> Tuple[Tensor, Tensor]:
  return nll_with_weight(self, target, weight, reduction, ignore_index)


def aten_nll_loss(self: Tensor, target: Tensor, weight: Optional[Tensor], reduction: int, ignore_index: int) -> Tensor:
  return torch.nll_loss_nd(self, target, weight, reduction, ignore_index)


def aten_nll_loss2d(self: Tensor, target: Tensor, weight: Optional[Tensor], reduction: int, ignore_index: int) -> Tensor:
  return torch.nll_loss_nd(self, target, weight, reduction, ignore_index)


# The logarithm of the sum of exponentials; -inf where all are.
def log_sum(terms: Tensor) -> Tensor:
  top = torch.amax(terms, [0])
  safe = torch.masked_fill(top, top == -inf, 0)
  return torch.log(torch.sum(torch.exp(terms - safe), [0])) + safe


# The loss of one sequence: alpha over the labels with blanks between and around them.
def ctc_of_one(logs: Tensor, labels: Tensor, blank: int) -> Tensor:
  n = torch.numel(labels)
  chain = torch.full([2 * n + 1], blank, dtype=4)
  chain[1::2] = labels
  scores = torch.index_select(logs, 1, chain)
  skips = torch.cat([torch.zeros([min(2, 2 * n + 1)], dtype=11), (torch.slice(chain, 0, 2) != torch.slice(chain, 0, 0, 2 * n - 1)) & (torch.slice(chain, 0, 2) != blank)])
  alpha = torch.full([2 * n + 1], -inf, dtype=logs.dtype)
  if torch.size(logs, 0) == 0:
    return torch.full([], 0.0 if n == 0 else inf, dtype=logs.dtype)
  alpha[0:2] = scores[0][0:2]
  for t in range(1, torch.size(logs, 0)):
    one = torch.narrow(torch.constant_pad_nd(alpha, [1, 0], -inf), 0, 0, 2 * n + 1)
    two = torch.masked_fill(torch.narrow(torch.constant_pad_nd(alpha, [2, 0], -inf), 0, 0, 2 * n + 1), torch.logical_not(skips), -inf)
    alpha = log_sum(torch.stack([alpha, one, two])) + scores[t]
  return -log_sum(torch.slice(alpha, 0, -2))


def aten_ctc_loss_IntList(log_probs: Tensor, targets: Tensor, input_lengths: List[int], target_lengths: List[int], blank: int, reduction: int,
                          zero_infinity: bool) -> Tensor:
  single = torch.dim(log_probs) == 2
  logs = torch.unsqueeze(log_probs, 1) if single else log_probs
  batch = torch.size(logs, 1)
  if len(input_lengths) != batch or len(target_lengths) != batch or blank < 0 or blank >= torch.size(logs, 2):
    ops.prim.RaiseException("ctc_loss: lengths must be of size batch_size and blank must be in label range")
  losses: List[Tensor] = []
  at = 0
  for b in range(batch):
    if input_lengths[b] > torch.size(logs, 0):
      ops.prim.RaiseException("Expected input_lengths to have value at most the number of steps")
    if single or torch.dim(targets) == 1:
      labels = torch.narrow(torch.flatten(targets), 0, at, target_lengths[b])
      at = at + target_lengths[b]
    else:
      labels = torch.narrow(torch.select(targets, 0, b), 0, 0, target_lengths[b])
    losses.append(ctc_of_one(torch.narrow(torch.select(logs, 1, b), 0, 0, input_lengths[b]), torch.to(labels, 4), blank))
  loss = torch.stack(losses)
  if zero_infinity:
    loss = torch.masked_fill(loss, loss == inf, 0)
  if reduction == 1:
    return torch.mean(loss / torch.clamp_min(torch.to(torch.tensor(target_lengths), loss.dtype), 1))
  if reduction == 2:
    return torch.sum(loss)
  return torch.squeeze(loss, 0) if single else loss


def aten_ctc_loss_Tensor(log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor, blank: int, reduction: int,
                         zero_infinity: bool) -> Tensor:
  if torch.is_floating_point(input_lengths):
    ops.prim.RaiseException("input_lengths must be integral", "builtins.RuntimeError")
  if torch.is_floating_point(target_lengths):
    ops.prim.RaiseException("target_lengths must be integral", "builtins.RuntimeError")
  steps = torch.flatten(input_lengths)
  labels = torch.flatten(target_lengths)
  return torch.ctc_loss(log_probs, targets, [int(steps[i]) for i in range(torch.numel(steps))], [int(labels[i]) for i in range(torch.numel(labels))], blank, reduction, zero_infinity)

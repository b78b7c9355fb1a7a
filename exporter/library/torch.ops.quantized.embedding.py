# Bags of quantized embeddings (see torch.ops.quantized): of objects of packed parameters, and of rows that hold their
# numbers, then their scale and their least value (float32 for rows of bytes, half precision for rows of 4 and 2 bits).


# ---- Bags ----

# The number of the bag of each index, and how many bags there are.
def bag_numbers(indices: Tensor, offsets: Optional[Tensor], include_last_offset: bool) -> Tuple[Tensor, int]:
  count = torch.numel(indices)
  if offsets is None:
    if torch.dim(indices) != 2:
      ops.prim.RaiseException("embedding_bag operator expects offsets to be set for 1D indices.")
    each = max(torch.size(indices, -1), 1)
    return (torch.floor_divide(torch.arange(count), each), torch.size(indices, 0))
  if torch.dim(indices) == 2:
    ops.prim.RaiseException("embedding_bag operator: input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length sequences.")
  bags = torch.numel(offsets) - (1 if include_last_offset else 0)
  starts = torch.to(torch.narrow(offsets, 0, 0, bags), 4)
  return (torch.searchsorted(starts, torch.arange(count), right=True) - 1, bags)


# The rows that are named, and which of the indices name one: of pruned weights some do not.
def named_rows(indices: Tensor, mapping: Optional[Tensor], pruned_weights: bool) -> Tuple[Tensor, Tensor]:
  rows = torch.to(torch.flatten(indices), 4)
  if mapping is not None:
    if pruned_weights and torch.numel(mapping) > 1:
      rows = torch.to(torch.index_select(mapping, 0, rows), 4)
  return (torch.clamp_min(rows, 0), rows >= 0)


def summed(values: Tensor, there: Tensor, indices: Tensor, offsets: Optional[Tensor], per_sample_weights: Optional[Tensor],
           include_last_offset: bool) -> Tensor:
  bag, bags = bag_numbers(indices, offsets, include_last_offset)
  shares = torch.to(there, 6)
  if offsets is not None and include_last_offset:
    shares = shares * (torch.arange(torch.numel(indices)) < offsets[bags])
  if per_sample_weights is not None:
    shares = shares * torch.flatten(per_sample_weights)
  return torch.index_add(torch.zeros([bags, torch.size(values, 1)]), 0, bag, values * torch.unsqueeze(shares, 1))


# ---- Numbers of less than a byte, the first in the lowest bits ----

def apart(rows: Tensor, bits: int) -> Tensor:
  parts = [torch.bitwise_and(torch.bitwise_right_shift(rows, bits * k), (1 << bits) - 1) for k in range(8 // bits)]
  return torch.flatten(torch.stack(parts, -1), 1)


def together(numbers: Tensor, bits: int) -> Tensor:
  each = 8 // bits
  parts = torch.reshape(torch.to(numbers, 3), [torch.size(numbers, 0), -1, each])
  made = torch.select(parts, 2, 0)
  for k in range(1, each):
    made = made + torch.select(parts, 2, k) * (1 << (bits * k))
  return torch.to(made, 0)


# ---- Objects of packed parameters ----

def quantized_embedding_bag_prepack(weight: Tensor) -> __torch__.torch.classes.quantized.EmbeddingPackedParamsBase:
  if torch.dim(weight) != 2:
    ops.prim.RaiseException("quantized::embedding_bag_prepack weight tensor rank should be 2")
  if ops.prim.dtype(weight) != 13:
    ops.prim.RaiseException("qembedding_bag_prepack currently only supports quint8 and quint4x2 weights")
  if torch.qscheme(weight) != 4 or torch.q_per_channel_axis(weight) != 0:
    ops.prim.RaiseException("Expect embedding_bag weights to be quantized using kPerChannelAffineFloatQParams")
  return __torch__.torch.classes.quantized.EmbeddingPackedParamsBase(torch.int_repr(weight), torch.q_per_channel_scales(weight),
                                                                     torch.q_per_channel_zero_points(weight), 8)


def quantized_embedding_bag_unpack(W_prepack: __torch__.torch.classes.quantized.EmbeddingPackedParamsBase) -> Tensor:
  if W_prepack.bits != 8:
    ops.prim.RaiseException("quantized::embedding_bag_unpack: tensors of quint4x2 are not supported")
  return torch._make_per_channel_quantized_tensor(W_prepack.rows, W_prepack.scales, W_prepack.zero_points, 0)


def object_rows(weight: __torch__.torch.classes.quantized.EmbeddingPackedParamsBase, rows: Tensor, bits: int) -> Tensor:
  numbers = torch.index_select(weight.rows, 0, rows)
  return __torch__.torch.ops.quantized.chosen_rows(weight, rows, numbers if bits == 8 else apart(numbers, bits), bits < 8)


def quantized_embedding_bag_byte(weight: __torch__.torch.classes.quantized.EmbeddingPackedParamsBase, indices: Tensor, offsets: Optional[Tensor],
                                 scale_grad_by_freq: bool, mode: int, pruned_weights: bool, per_sample_weights: Optional[Tensor],
                                 compressed_indices_mapping: Optional[Tensor], include_last_offset: bool) -> Tensor:
  rows, there = named_rows(indices, compressed_indices_mapping, pruned_weights)
  return summed(object_rows(weight, rows, 8), there, indices, offsets, per_sample_weights, include_last_offset)


def quantized_embedding_bag_4bit(weight: __torch__.torch.classes.quantized.EmbeddingPackedParamsBase, indices: Tensor, offsets: Optional[Tensor],
                                 scale_grad_by_freq: bool, mode: int, pruned_weights: bool, per_sample_weights: Optional[Tensor],
                                 compressed_indices_mapping: Optional[Tensor], include_last_offset: bool) -> Tensor:
  rows, there = named_rows(indices, compressed_indices_mapping, pruned_weights)
  return summed(object_rows(weight, rows, 4), there, indices, offsets, per_sample_weights, include_last_offset)


# ---- Rows ----

def unpacked(weight: Tensor, bits: int) -> Tensor:
  tail = 8 if bits == 8 else 4
  width = torch.size(weight, 1) - tail
  limits = torch.to(torch.view(torch.contiguous(torch.narrow(weight, 1, width, tail)), dtype=6 if bits == 8 else 5), 6)
  rows = torch.narrow(weight, 1, 0, width)
  return torch.to(rows if bits == 8 else apart(rows, bits), 6) * torch.narrow(limits, 1, 0, 1) + torch.narrow(limits, 1, 1, 1)


def half_scale(span: Tensor, bits: int) -> Tensor:
  scale = torch.to(torch.to(span / float((1 << bits) - 1), 5), 6)
  return torch.masked_fill(scale, (scale == 0) | torch.isinf(torch.reciprocal(scale)), 1)


# How far rows lie from what numbers between low and high give.
def distance(w: Tensor, low: Tensor, high: Tensor, bits: int) -> Tensor:
  least = torch.to(torch.to(low, 5), 6)
  scale = half_scale(high - least, bits)
  numbers = torch.clamp(torch.round((w - least) * torch.reciprocal(scale)), 0, (1 << bits) - 1)
  off = w - (numbers * scale + least)
  return torch.sqrt(torch.sum(off * off, [1], True))


# The ends of each row, moved inwards by steps, one end at a time, as long as that brings numbers nearer.
def narrowed(w: Tensor, bits: int, nbins: int, ratio: float) -> Tuple[Tensor, Tensor]:
  low, high = torch.amin(w, [1], True), torch.amax(w, [1], True)
  step = (high - low) / float(nbins)
  reach = step * int(float(nbins) * (1.0 - float(torch.full([], ratio, dtype=6))))
  left, right, now = low, high, distance(w, low, high, bits)
  best = now
  for _0 in range(nbins):
    moves = left + reach < right
    if not bool(torch.any(moves)):
      break
    first, second = distance(w, left + step, right, bits), distance(w, left, right - step, bits)
    found = moves & (now < first) & (now < second) & (now < best)
    best, low, high = torch.where(found, now, best), torch.where(found, left, low), torch.where(found, right, high)
    is_first = moves & (first < second)
    is_second = moves & torch.logical_not(is_first)
    left, right = torch.where(is_first, left + step, left), torch.where(is_second, right - step, right)
    now = torch.where(is_first, first, torch.where(is_second, second, now))
  return (low, high)


def packed(weight: Tensor, bits: int) -> Tensor:
  w = torch.to(weight, 6)
  return packed_between(w, torch.amin(w, [1], True), torch.amax(w, [1], True), bits)


def packed_between(w: Tensor, low: Tensor, high: Tensor, bits: int) -> Tensor:
  most = (1 << bits) - 1
  kind = 6 if bits == 8 else 5
  least = torch.to(torch.to(low, kind), 6)
  span = high - least
  if bits == 8:
    scale = span / 255.0
    steps = (w - least) * (255.0 / (span + 1e-08))
  else:
    scale = half_scale(span, bits)
    steps = (w - least) * torch.reciprocal(scale)
  numbers = torch.to(torch.clamp(torch.round(steps), 0, most), 0)
  limits = torch.view(torch.contiguous(torch.to(torch.cat([scale, least], 1), kind)), dtype=0)
  return torch.cat([numbers if bits == 8 else together(numbers, bits), limits], 1)


def packed_few(weight: Tensor, bits: int, optimized_qparams: bool, nbins: int, ratio: float) -> Tensor:
  if not optimized_qparams:
    return packed(weight, bits)
  w = torch.to(weight, 6)
  low, high = narrowed(w, bits, nbins, ratio)
  return packed_between(w, low, high, bits)


def quantized_embedding_bag_byte_prepack(weight: Tensor) -> Tensor:
  return packed(weight, 8)


def quantized_embedding_bag_4bit_prepack(weight: Tensor, optimized_qparams: bool, nbins: int, ratio: float) -> Tensor:
  return packed_few(weight, 4, optimized_qparams, nbins, ratio)


def quantized_embedding_bag_2bit_prepack(weight: Tensor, optimized_qparams: bool, nbins: int, ratio: float) -> Tensor:
  return packed_few(weight, 2, optimized_qparams, nbins, ratio)


def quantized_embedding_bag_byte_unpack(weight: Tensor) -> Tensor:
  return unpacked(weight, 8)


def quantized_embedding_bag_4bit_unpack(weight: Tensor) -> Tensor:
  return unpacked(weight, 4)


def quantized_embedding_bag_2bit_unpack(weight: Tensor) -> Tensor:
  return unpacked(weight, 2)


def of_rows(weight: Tensor, bits: int, indices: Tensor, offsets: Optional[Tensor], pruned_weights: bool, per_sample_weights: Optional[Tensor],
            mapping: Optional[Tensor], include_last_offset: bool) -> Tensor:
  rows, there = named_rows(indices, mapping, pruned_weights)
  return summed(unpacked(torch.index_select(weight, 0, rows), bits), there, indices, offsets, per_sample_weights, include_last_offset)


def quantized_embedding_bag_byte_rowwise_offsets(weight: Tensor, indices: Tensor, offsets: Optional[Tensor], scale_grad_by_freq: bool, mode: int,
                                                 pruned_weights: bool, per_sample_weights: Optional[Tensor],
                                                 compressed_indices_mapping: Optional[Tensor], include_last_offset: bool) -> Tensor:
  return of_rows(weight, 8, indices, offsets, pruned_weights, per_sample_weights, compressed_indices_mapping, include_last_offset)


def quantized_embedding_bag_4bit_rowwise_offsets(weight: Tensor, indices: Tensor, offsets: Optional[Tensor], scale_grad_by_freq: bool, mode: int,
                                                 pruned_weights: bool, per_sample_weights: Optional[Tensor],
                                                 compressed_indices_mapping: Optional[Tensor], include_last_offset: bool) -> Tensor:
  return of_rows(weight, 4, indices, offsets, pruned_weights, per_sample_weights, compressed_indices_mapping, include_last_offset)


def quantized_embedding_bag_2bit_rowwise_offsets(weight: Tensor, indices: Tensor, offsets: Optional[Tensor], scale_grad_by_freq: bool, mode: int,
                                                 pruned_weights: bool, per_sample_weights: Optional[Tensor],
                                                 compressed_indices_mapping: Optional[Tensor], include_last_offset: bool) -> Tensor:
  return of_rows(weight, 2, indices, offsets, pruned_weights, per_sample_weights, compressed_indices_mapping, include_last_offset)

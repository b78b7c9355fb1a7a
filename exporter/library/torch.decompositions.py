# Operators that libtsmobile has no kernel for, made of others: aten::name.overload is the function aten_name_overload.
# Formulas are those of torch.nn.functional's and torch's documentation.


def reduced(loss: Tensor, reduction: int) -> Tensor:
  if reduction == 1:
    return torch.mean(loss)
  if reduction == 2:
    return torch.sum(loss)
  return loss


# The places where a condition holds, a tensor for each dimension.
def aten_where(condition: Tensor) -> List[Tensor]:
  return torch.unbind(torch.nonzero(torch.unsqueeze(condition, 0) if torch.dim(condition) == 0 else condition), 1)


# ---- Norms in another dtype ----

def check_norm_dtype(dtype: int) -> None:
  if dtype < 5 or dtype == 11:
    ops.prim.RaiseException("norm(): the desired output dtype should be either floating point or complex", "builtins.RuntimeError")


def aten_norm_ScalarOpt_dtype(self: Tensor, p: Optional[number], dtype: int) -> Tensor:
  __torch__.torch.decompositions.check_norm_dtype(dtype)
  return torch.norm(torch.to(self, dtype), p, [i for i in range(torch.dim(self))])


def aten_norm_ScalarOpt_dim_dtype(self: Tensor, p: Optional[number], dim: List[int], keepdim: bool, dtype: int) -> Tensor:
  __torch__.torch.decompositions.check_norm_dtype(dtype)
  return torch.norm(torch.to(self, dtype), p, dim, keepdim)


# ---- Losses ----

# Bools beside numbers are numbers.
def difference(self: Tensor, target: Tensor) -> Tensor:
  if target.dtype == 11 and self.dtype != 11:
    return self - torch.to(target, self.dtype)
  if self.dtype == 11 and target.dtype != 11:
    return torch.to(self, target.dtype) - target
  return self - target


def aten_mse_loss(self: Tensor, target: Tensor, reduction: int) -> Tensor:
  d = __torch__.torch.decompositions.difference(self, target)
  return __torch__.torch.decompositions.reduced(d * d, reduction)


def aten_l1_loss(self: Tensor, target: Tensor, reduction: int) -> Tensor:
  return __torch__.torch.decompositions.reduced(torch.abs(self - target), reduction)


def aten_smooth_l1_loss(self: Tensor, target: Tensor, reduction: int, beta: float) -> Tensor:
  if beta == 0.0:
    return __torch__.torch.decompositions.reduced(torch.abs(__torch__.torch.decompositions.difference(self, target)), reduction)
  return __torch__.torch.decompositions.reduced(ops.tsm.smooth_l1(self, target, beta), reduction)


def aten_huber_loss(self: Tensor, target: Tensor, reduction: int, delta: float) -> Tensor:
  losses = torch.to(ops.tsm.huber(self, target, delta), ops.prim.dtype(self))
  return __torch__.torch.decompositions.reduced(losses, reduction)


def aten_binary_cross_entropy(self: Tensor, target: Tensor, weight: Optional[Tensor], reduction: int) -> Tensor:
  if not bool(torch.all((self >= 0) & (self <= 1))):
    ops.prim.RaiseException("all elements of input should be between 0 and 1")
  loss = (target - 1.0) * torch.clamp_min(torch.log1p(-self), -100) - target * torch.clamp_min(torch.log(self), -100)
  if weight is not None:
    loss = loss * weight
  return __torch__.torch.decompositions.reduced(loss, reduction)


def aten_binary_cross_entropy_with_logits(self: Tensor, target: Tensor, weight: Optional[Tensor], pos_weight: Optional[Tensor],
                                          reduction: int) -> Tensor:
  top = torch.clamp_min(-self, 0)
  tail = torch.log(torch.exp(-top) + torch.exp(-self - top)) + top
  if pos_weight is not None:
    tail = ((pos_weight - 1.0) * target + 1.0) * tail
  loss = (1.0 - target) * self + tail
  if weight is not None:
    loss = loss * weight
  return __torch__.torch.decompositions.reduced(loss, reduction)


def aten_kl_div(self: Tensor, target: Tensor, reduction: int, log_target: bool) -> Tensor:
  if torch.is_complex(self) or torch.is_complex(target):
    ops.prim.RaiseException("kl_div: Complex inputs not supported.")
  if log_target:
    return __torch__.torch.decompositions.reduced(torch.exp(target) * (target - self), reduction)
  return __torch__.torch.decompositions.reduced(torch.xlogy(target, target) - target * self, reduction)


def aten_poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int) -> Tensor:
  if log_input:
    loss = torch.exp(input) - target * input
  else:
    loss = input - target * torch.log(input + eps)
  if full:
    stirling = target * torch.log(target) - target + 0.5 * torch.log(target * 6.283185307179586)
    loss = loss + torch.masked_fill(stirling, target <= 1, 0)
  return __torch__.torch.decompositions.reduced(loss, reduction)


def aten_hinge_embedding_loss(self: Tensor, target: Tensor, margin: float, reduction: int) -> Tensor:
  none = torch.zeros_like(self)
  positive = torch.where(target == -1, none, self)
  negative = torch.where(target == 1, none, torch.to(torch.clamp_min(margin - self, 0), self.dtype))
  return __torch__.torch.decompositions.reduced(positive + negative, reduction)


def aten_cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float, reduction: int) -> Tensor:
  dim = torch.dim(target)
  if dim > 1:
    ops.prim.RaiseException("0D or 1D target tensor expected, multi-target not supported")
  if torch.dim(input1) != dim + 1 or torch.dim(input2) != dim + 1:
    ops.prim.RaiseException(torch.format("{}D target tensor expects {}D input tensors, but found inputs with sizes {} and {}.", dim, dim + 1, torch.size(input1), torch.size(input2)))
  product = torch.sum(input1 * input2, [dim])
  length1 = torch.sum(input1 * input1, [dim]) + 1e-12
  length2 = torch.sum(input2 * input2, [dim]) + 1e-12
  cosine = product / torch.sqrt(length1 * length2)
  none = torch.zeros_like(cosine)
  alike = torch.where(target == 1, 1.0 - cosine, none)
  different = torch.where(target == -1, torch.clamp_min(cosine - margin, 0), none)
  return __torch__.torch.decompositions.reduced(alike + different, reduction)


def aten_margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float, reduction: int) -> Tensor:
  return __torch__.torch.decompositions.reduced(torch.clamp_min(-target * (input1 - input2) + margin, 0), reduction)


def aten_soft_margin_loss(self: Tensor, target: Tensor, reduction: int) -> Tensor:
  return __torch__.torch.decompositions.reduced(torch.log1p(torch.exp(-(target * self))), reduction)


def aten_pairwise_distance(x1: Tensor, x2: Tensor, p: float, eps: float, keepdim: bool) -> Tensor:
  dims = max(torch.dim(x1), torch.dim(x2))
  return torch.norm(x1 - x2 + eps, p, [dims - 1], keepdim)


def aten_cosine_similarity(x1: Tensor, x2: Tensor, dim: int, eps: float) -> Tensor:
  a, b = x1, x2
  if x1.dtype != x2.dtype:
    kind = torch.promote_types(x1.dtype, x2.dtype)
    a, b = torch.to(x1, kind), torch.to(x2, kind)
  if torch.size(x1) != torch.size(x2):
    product = a * b
    a, b = torch.expand_as(a, product), torch.expand_as(b, product)
  length1 = torch.clamp_min(torch.norm(a, 2, [dim], True), eps)
  length2 = torch.clamp_min(torch.norm(b, 2, [dim], True), eps)
  return torch.sum(a / length1 * (b / length2), [dim])


def aten_triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float, p: float, eps: float, swap: bool,
                             reduction: int) -> Tensor:
  to_positive = __torch__.torch.decompositions.aten_pairwise_distance(anchor, positive, p, eps, False)
  to_negative = __torch__.torch.decompositions.aten_pairwise_distance(anchor, negative, p, eps, False)
  if swap:
    to_negative = torch.min(to_negative, __torch__.torch.decompositions.aten_pairwise_distance(positive, negative, p, eps, False))
  return __torch__.torch.decompositions.reduced(torch.clamp_min(margin + to_positive - to_negative, 0), reduction)


def class_weights(input: Tensor, classes: Tensor, weight: Optional[Tensor], counted: Tensor) -> Tensor:
  if weight is not None:
    return torch.gather(weight, 0, torch.flatten(classes)).view_as(classes) * counted
  return counted


# Classes of rows may be bytes, those of images may not.
def nll_of_batch(self: Tensor, target: Tensor, weight: Optional[Tensor], reduction: int, ignore_index: int) -> Tensor:
  if target.dtype != 4 and (target.dtype != 0 or torch.dim(self) > 2):
    ops.prim.RaiseException("nll_loss: expected scalar type Long for the target")
  ignored = target == ignore_index
  classes = torch.to(torch.masked_fill(target, ignored, 0), 4)
  picked = torch.squeeze(torch.gather(self, 1, torch.unsqueeze(classes, 1)), 1)
  weights = __torch__.torch.decompositions.class_weights(self, classes, weight, torch.to(torch.logical_not(ignored), self.dtype))
  loss = torch.masked_fill(-picked * weights, ignored, 0)
  if reduction == 1:
    return torch.sum(loss) / torch.sum(weights)
  return __torch__.torch.decompositions.reduced(loss, reduction)


def aten_nll_loss_nd(self: Tensor, target: Tensor, weight: Optional[Tensor], reduction: int, ignore_index: int) -> Tensor:
  if torch.dim(self) != 1:
    return __torch__.torch.decompositions.nll_of_batch(self, target, weight, reduction, ignore_index)
  batch = torch.unsqueeze(self, 0)
  loss = __torch__.torch.decompositions.nll_of_batch(batch, torch.unsqueeze(target, 0), weight, reduction, ignore_index)
  return torch.squeeze(loss) if reduction == 0 else loss


def aten_cross_entropy_loss(self: Tensor, target: Tensor, weight: Optional[Tensor], reduction: int, ignore_index: int,
                            label_smoothing: float) -> Tensor:
  dim = 0 if torch.dim(self) == 1 else 1
  logs = torch.log_softmax(self, dim)
  count = torch.size(self, dim)
  shape = [1 for i in range(torch.dim(self))]
  shape[dim] = count
  if torch.dim(self) == torch.dim(target) and torch.is_floating_point(target):
    smooth = target * (1.0 - label_smoothing) + (label_smoothing / float(count) if count > 0 else 0.0)
    terms = logs * smooth
    if weight is not None:
      terms = terms * torch.reshape(weight, shape)
    loss = -torch.sum(terms, [dim])
    if reduction == 1:
      return torch.sum(loss) / (float(torch.numel(loss)) if count > 0 else 0.0)
    return __torch__.torch.decompositions.reduced(loss, reduction)
  plain = __torch__.torch.decompositions.aten_nll_loss_nd(logs, target, weight, reduction, ignore_index)
  if label_smoothing == 0.0:
    return plain
  terms = logs
  if weight is not None:
    terms = terms * torch.reshape(weight, shape)
  ignored = target == ignore_index
  smooth = torch.masked_fill(-torch.sum(terms, [dim]), ignored, 0)
  if reduction == 1:
    counted = torch.to(target != ignore_index, self.dtype)
    total = __torch__.torch.decompositions.class_weights(self, torch.masked_fill(target, ignored, 0), weight, counted)
    smooth = torch.sum(smooth) / torch.sum(total)
  elif reduction == 2:
    smooth = torch.sum(smooth)
  return plain * (1.0 - label_smoothing) + smooth * (label_smoothing / float(count))


# How far other scores come too near to the wanted ones. What is no number does not count, as in PyTorch's loops.
def violations(scores: Tensor, wanted: Tensor, margin: number) -> Tensor:
  rest = scores - wanted + margin
  return torch.masked_fill(rest, torch.logical_not(rest > 0), 0)


def aten_multi_margin_loss(self: Tensor, target: Tensor, p: number, margin: number, weight: Optional[Tensor], reduction: int) -> Tensor:
  single = torch.dim(self) < 2
  scores = torch.reshape(self, [1, -1]) if single else self
  chosen = torch.reshape(target, [-1])
  classes = torch.unsqueeze(chosen, 1)
  terms = __torch__.torch.decompositions.violations(scores, torch.gather(scores, 1, classes), margin)
  if p != 1:
    terms = torch.pow(terms, p)
  if weight is not None:
    terms = terms * torch.unsqueeze(torch.gather(weight, 0, chosen), 1)
  loss = torch.sum(torch.scatter(terms, 1, classes, 0), [1]) / float(torch.size(scores, 1))
  if single and reduction == 0:
    return torch.squeeze(loss)
  return __torch__.torch.decompositions.reduced(loss, reduction)


# ---- Shapes ----

def product(sizes: List[int]) -> int:
  made = 1
  for s in sizes:
    made = made * s
  return made


def aten_pixel_shuffle(self: Tensor, upscale_factor: int) -> Tensor:
  r = upscale_factor
  dims = torch.dim(self)
  batch = torch.size(self)[0:dims - 3]
  images = __torch__.torch.decompositions.product(batch)
  c, h, w = torch.size(self, dims - 3), torch.size(self, dims - 2), torch.size(self, dims - 1)
  parts = torch.reshape(self, [images, c // (r * r), r, r, h, w])
  return torch.reshape(torch.permute(parts, [0, 1, 4, 2, 5, 3]), batch + [c // (r * r), h * r, w * r])


def aten_pixel_unshuffle(self: Tensor, downscale_factor: int) -> Tensor:
  r = downscale_factor
  dims = torch.dim(self)
  batch = torch.size(self)[0:dims - 3]
  images = __torch__.torch.decompositions.product(batch)
  c, h, w = torch.size(self, dims - 3), torch.size(self, dims - 2), torch.size(self, dims - 1)
  parts = torch.reshape(self, [images, c, h // r, r, w // r, r])
  return torch.reshape(torch.permute(parts, [0, 1, 3, 5, 2, 4]), batch + [c * r * r, h // r, w // r])


def aten_broadcast_tensors(tensors: List[Tensor]) -> List[Tensor]:
  dims = 0
  for t in tensors:
    dims = max(dims, torch.dim(t))
  shape = [1 for i in range(dims)]
  for t in tensors:
    first = dims - torch.dim(t)
    for d in range(torch.dim(t)):
      if torch.size(t, d) != 1:
        shape[first + d] = torch.size(t, d)
  return [t if torch.size(t) == shape else torch.expand(t, shape) for t in tensors]


def aten_repeat_interleave_self_int(self: Tensor, repeats: int, dim: Optional[int], output_size: Optional[int]) -> Tensor:
  if repeats < 0:
    ops.prim.RaiseException("repeats can not be negative")
  x = self
  d = 0
  if dim is not None:
    d = dim if dim >= 0 else dim + torch.dim(self)
  else:
    x = torch.flatten(self)
  if repeats == 1:
    return torch.clone(x)
  shape = [-1 for i in range(torch.dim(x) + 1)]
  shape[d + 1] = repeats
  return torch.flatten(torch.expand(torch.unsqueeze(x, d + 1), shape), d, d + 1)


# The products of a batch side by side are one product.
def aten_addbmm(self: Tensor, batch1: Tensor, batch2: Tensor, beta: number, alpha: number) -> Tensor:
  if torch.dim(batch1) != 3 or torch.dim(batch2) != 3:
    ops.prim.RaiseException(torch.format("batch{} must be a 3D tensor", 2 if torch.dim(batch1) == 3 else 1))
  b, n, k = torch.size(batch1)
  if torch.size(batch2, 0) != b or torch.size(batch2, 1) != k:
    ops.prim.RaiseException(torch.format("Expected size for first two dimensions of batch2 tensor to be: [{}, {}] but got: [{}, {}].",
                                         b, k, torch.size(batch2, 0), torch.size(batch2, 1)))
  left = torch.reshape(torch.permute(batch1, [1, 0, 2]), [n, b * k])
  return torch.addmm(self, left, torch.reshape(batch2, [b * k, torch.size(batch2, 2)]), beta=beta, alpha=alpha)


def aten_addr(self: Tensor, vec1: Tensor, vec2: Tensor, beta: number, alpha: number) -> Tensor:
  kind = torch.promote_types(torch.promote_types(self.dtype, vec1.dtype), vec2.dtype)
  if kind < 5 and (isinstance(beta, float) or isinstance(alpha, float)):
    ops.prim.RaiseException("For integral input tensors, argument beta and alpha must not be a floating point number.", "builtins.RuntimeError")
  product = torch.outer(torch.to(vec1, kind), torch.to(vec2, kind))
  if kind == 11:
    return torch.logical_or(product if alpha != 0 else torch.zeros_like(product), self if beta != 0 else torch.zeros_like(self))
  return torch.mul(product, alpha) if beta == 0 else torch.add(torch.mul(self, beta), product, alpha=alpha)


def aten_atleast_1d(self: Tensor) -> Tensor:
  return torch.reshape(self, [1]) if torch.dim(self) == 0 else self


def aten_atleast_2d(self: Tensor) -> Tensor:
  return torch.reshape(self, [1, -1]) if torch.dim(self) < 2 else self


def aten_atleast_3d(self: Tensor) -> Tensor:
  if torch.dim(self) < 2:
    return torch.reshape(self, [1, -1, 1])
  return torch.unsqueeze(self, 2) if torch.dim(self) == 2 else self


def aten_hstack(tensors: List[Tensor]) -> Tensor:
  parts = [__torch__.torch.decompositions.aten_atleast_1d(t) for t in tensors]
  return torch.cat(parts, 0 if torch.dim(parts[0]) == 1 else 1)


def aten_vstack(tensors: List[Tensor]) -> Tensor:
  return torch.cat([__torch__.torch.decompositions.aten_atleast_2d(t) for t in tensors], 0)


def aten_dstack(tensors: List[Tensor]) -> Tensor:
  return torch.cat([__torch__.torch.decompositions.aten_atleast_3d(t) for t in tensors], 2)


def aten_fliplr(self: Tensor) -> Tensor:
  if torch.dim(self) < 2:
    ops.prim.RaiseException("Input must be >= 2-d.")
  return torch.flip(self, [1])


def aten_flipud(self: Tensor) -> Tensor:
  if torch.dim(self) < 1:
    ops.prim.RaiseException("Input must be >= 1-d.")
  return torch.flip(self, [0])


def aten_select_scatter(self: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
  made = torch.clone(self)
  torch.copy_(torch.select(made, dim, index), src)
  return made


def aten_linalg_vecdot(x: Tensor, y: Tensor, dim: int) -> Tensor:
  return torch.sum(torch.conj(x) * y, [dim])


def aten_pad_sequence(sequences: List[Tensor], batch_first: bool, padding_value: float, padding_side: str) -> Tensor:
  if padding_side != "right" and padding_side != "left":
    ops.prim.RaiseException(torch.format("Expected padding_side to be one of left or right, but got {}.", padding_side))
  longest = 0
  for s in sequences:
    longest = max(longest, torch.size(s, 0))
  made = torch.full([len(sequences), longest] + torch.size(sequences[0])[1:], padding_value, dtype=sequences[0].dtype)
  for i in range(len(sequences)):
    length = torch.size(sequences[i], 0)
    torch.copy_(torch.narrow(torch.select(made, 0, i), 0, longest - length if padding_side == "left" else 0, length), sequences[i])
  return made if batch_first else torch.contiguous(torch.transpose(made, 0, 1))


# ---- Reductions ----

def aten_aminmax(self: Tensor, dim: Optional[int], keepdim: bool) -> Tuple[Tensor, Tensor]:
  if dim is None:
    sizes = [1] * torch.dim(self) if keepdim else annotate(List[int], [])
    return (torch.reshape(torch.min(self), sizes), torch.reshape(torch.max(self), sizes))
  least, _0 = torch.min(self, dim, keepdim)
  most, _1 = torch.max(self, dim, keepdim)
  return (least, most)


def aten_count_nonzero(self: Tensor, dim: Optional[int]) -> Tensor:
  there = self != 0
  return torch.sum(there) if dim is None else torch.sum(there, [dim])


def aten_histc(self: Tensor, bins: int, min: number, max: number) -> Tensor:
  values = torch.flatten(self)
  low = torch.to(torch.full([], min), self.dtype)
  high = torch.to(torch.full([], max), self.dtype)
  if bool(low == high) and torch.numel(values) > 0:
    low = torch.min(values)
    high = torch.max(values)
  if bool(low == high):
    low = low - 1
    high = high + 1
  if bins <= 0:
    ops.prim.RaiseException(torch.format("torch.histogram(): bins must be > 0, but got {} for dimension 0", bins))
  if not bool(torch.isfinite(low) & torch.isfinite(high)):
    ops.prim.RaiseException(torch.format("torch.histc: range of [{}, {}] is not finite", float(low), float(high)))
  if bool(low > high):
    ops.prim.RaiseException("torch.histc: max must be larger than min")
  inside = (values >= low) & (values <= high)
  place = torch.floor((values - low) / (high - low) * bins)
  place = torch.clamp_max(place, bins - 1)
  return torch.to(torch.bincount(torch.to(torch.masked_select(place, inside), 4), None, bins), self.dtype)


# ---- Special functions ----

def aten_special_entr(self: Tensor) -> Tensor:
  x = self if torch.is_floating_point(self) else torch.to(self, 6)
  inside = torch.where(x > 0, -x * torch.log(x), torch.zeros_like(x))
  return torch.where(x < 0, torch.full_like(x, -inf), torch.where(x != x, x, inside))


def aten_special_ndtr(self: Tensor) -> Tensor:
  return torch.erfc(self * -0.7071067811865476) * 0.5


# ---- More of shapes and sums ----

def aten_msort(self: Tensor) -> Tensor:
  values, _0 = torch.sort(self, 0, False)
  return values


def aten_tile(self: Tensor, dims: List[int]) -> Tensor:
  times = [1 for i in range(max(torch.dim(self) - len(dims), 0))] + dims
  return torch.repeat(self, times)


def aten_inner(self: Tensor, other: Tensor) -> Tensor:
  if torch.dim(self) == 0 or torch.dim(other) == 0:
    return self * other
  depth = torch.size(self, -1)
  rows = torch.size(self)[0:torch.dim(self) - 1]
  columns = torch.size(other)[0:torch.dim(other) - 1]
  left = torch.reshape(self, [__torch__.torch.decompositions.product(rows), depth])
  right = torch.reshape(other, [__torch__.torch.decompositions.product(columns), depth])
  return torch.reshape(torch.matmul(left, torch.transpose(right, 0, 1)), rows + columns)


def aten_xlogy_Tensor(self: Tensor, other: Tensor) -> Tensor:
  product = self * torch.log(torch.to(other, torch.result_type(self, other)))
  return torch.where((self == 0) & (other == other), torch.zeros_like(product), product)


def aten_special_xlog1py(self: Tensor, other: Tensor) -> Tensor:
  product = self * torch.log1p(torch.to(other, torch.result_type(self, other)))
  return torch.where((self == 0) & (other == other), torch.zeros_like(product), product)


def aten_isnan(self: Tensor) -> Tensor:
  return self != self


def aten_linalg_multi_dot(tensors: List[Tensor]) -> Tensor:
  last = len(tensors) - 1
  if last < 1:
    ops.prim.RaiseException(torch.format("multi_dot(): expected at least 2 tensors but got {}", last + 1))
  for i in range(last + 1):
    dims = torch.dim(tensors[i])
    if dims != 2 and (dims != 1 or (i != 0 and i != last)):
      ops.prim.RaiseException(torch.format("multi_dot(): tensor {} must be {} but got {}D", i, "1D or 2D" if i == 0 or i == last else "2D", dims))
  product = tensors[0]
  for i in range(1, len(tensors)):
    product = torch.matmul(product, tensors[i])
  return product


def aten_kron(self: Tensor, other: Tensor) -> Tensor:
  dims = max(torch.dim(self), torch.dim(other))
  a = [1 for i in range(dims - torch.dim(self))] + torch.size(self)
  b = [1 for i in range(dims - torch.dim(other))] + torch.size(other)
  left: List[int] = []
  right: List[int] = []
  made: List[int] = []
  for d in range(dims):
    left = left + [a[d], 1]
    right = right + [1, b[d]]
    made = made + [a[d] * b[d]]
  return torch.reshape(torch.reshape(self, left) * torch.reshape(other, right), made)


def aten_tensordot(self: Tensor, other: Tensor, dims_self: List[int], dims_other: List[int]) -> Tensor:
  summed = [d if d >= 0 else d + torch.dim(self) for d in dims_self]
  with_ = [d if d >= 0 else d + torch.dim(other) for d in dims_other]
  rows: List[int] = []
  columns: List[int] = []
  sizes: List[int] = []
  depth = 1
  for d in range(torch.dim(self)):
    if d in summed:
      depth = depth * torch.size(self, d)
    else:
      rows = rows + [d]
      sizes = sizes + [torch.size(self, d)]
  for d in range(torch.dim(other)):
    if not d in with_:
      columns = columns + [d]
      sizes = sizes + [torch.size(other, d)]
  a = torch.reshape(torch.permute(self, rows + summed), [__torch__.torch.decompositions.product(sizes[:len(rows)]), depth])
  b = torch.reshape(torch.permute(other, with_ + columns), [depth, __torch__.torch.decompositions.product(sizes[len(rows):])])
  return torch.reshape(torch.mm(a, b), sizes)


def aten_diagflat(self: Tensor, offset: int) -> Tensor:
  return torch.diag(torch.flatten(self), offset)


def aten_take_along_dim(self: Tensor, indices: Tensor, dim: Optional[int]) -> Tensor:
  if indices.dtype != 4:
    ops.prim.RaiseException("torch.take_along_dim(): dtype of indices should be Long", "builtins.RuntimeError")
  if dim is None:
    return torch.gather(torch.flatten(self), 0, torch.flatten(indices))
  d = dim if dim >= 0 else dim + torch.dim(self)
  a = torch.size(self)
  b = torch.size(indices)
  for i in range(len(a)):
    if i != d:
      a[i] = max(a[i], b[i])
      b[i] = a[i]
  return torch.gather(torch.expand(self, a), d, torch.expand(indices, b))


# ---- Adaptive maximum pooling ----

# The sizes of cells that do not overlap; empty where they do.
def even_cells(self: Tensor, output_size: List[int]) -> List[int]:
  cell: List[int] = []
  rank = len(output_size)
  if torch.dim(self) < rank or not torch.is_floating_point(self):
    return cell
  for d in range(rank):
    n = torch.size(self, d - rank)
    if output_size[d] <= 0 or n == 0 or n % output_size[d] != 0:
      return annotate(List[int], [])
    cell = cell + [n // output_size[d]]
  return cell


def aten_adaptive_max_pool2d(self: Tensor, output_size: List[int]) -> Tuple[Tensor, Tensor]:
  sizes = [output_size[0], output_size[-1]]
  cell = __torch__.torch.decompositions.even_cells(self, sizes)
  if len(cell) == 2:
    return torch.max_pool2d_with_indices(self, cell, cell)
  return ops.tsm.largest_of_cells(self, sizes)


def aten_adaptive_max_pool1d(self: Tensor, output_size: List[int]) -> Tuple[Tensor, Tensor]:
  return ops.tsm.largest_of_cells(self, [output_size[0]])


def aten_adaptive_max_pool3d(self: Tensor, output_size: List[int]) -> Tuple[Tensor, Tensor]:
  return ops.tsm.largest_of_cells(self, [output_size[0], output_size[1], output_size[2]])


# ---- Random numbers ----

def check_deviations(std: Tensor):
  if not torch.Bool(torch.all(torch.ge(std, 0.))):
    ops.prim.RaiseException("normal expects all elements of std >= 0.0")


def aten_normal_Tensor_float(mean: Tensor, std: float, generator: Optional[Generator]) -> Tensor:
  return torch.add(torch.normal_(torch.empty_like(mean), 0.0, std, generator=generator), mean)


def aten_normal_float_Tensor(mean: float, std: Tensor, generator: Optional[Generator]) -> Tensor:
  __torch__.torch.decompositions.check_deviations(std)
  noise = torch.normal_(torch.empty_like(std), 0.0, 1.0, generator=generator)
  return torch.add(torch.mul(noise, std), mean)


def aten_normal_Tensor_Tensor(mean: Tensor, std: Tensor, generator: Optional[Generator]) -> Tensor:
  __torch__.torch.decompositions.check_deviations(std)
  noise = torch.normal_(torch.empty_like(mean + std, dtype=mean.dtype), 0.0, 1.0, generator=generator)
  return torch.to(torch.add(torch.mul(noise, std), mean), mean.dtype)


def aten__sample_dirichlet(self: Tensor, generator: Optional[Generator]) -> Tensor:
  dtype = ops.prim.dtype(self)
  if dtype != 6 and dtype != 7:
    ops.prim.RaiseException("\"dirichlet\" not implemented for this dtype")
  drawn = torch._standard_gamma(torch.to(self, 7), generator)
  share = torch.to(drawn / torch.sum(drawn, [-1], True), dtype)
  if dtype == 7:
    return torch.clamp(share, 2.2250738585072014e-308, 0.9999999999999999)
  return torch.clamp(share, 1.1754943508222875e-38, 0.9999999403953552)


def aten_normal_functional(self: Tensor, mean: float, std: float, generator: Optional[Generator]) -> Tensor:
  return torch.normal_(torch.empty_like(self), mean, std, generator=generator)


def aten_uniform(self: Tensor, from_: float, to: float, generator: Optional[Generator]) -> Tensor:
  return torch.uniform_(torch.empty_like(self), from_, to, generator=generator)


def aten_random(self: Tensor, generator: Optional[Generator]) -> Tensor:
  return torch.random_(torch.empty_like(self), generator=generator)


def aten_random_to(self: Tensor, to: int, generator: Optional[Generator]) -> Tensor:
  return torch.random_(torch.empty_like(self), to, generator=generator)


def aten_random_from(self: Tensor, from_: int, to: Optional[int], generator: Optional[Generator]) -> Tensor:
  return torch.random_(torch.empty_like(self), from_, to, generator=generator)


def aten__no_grad_uniform_(tensor: Tensor, a: float, b: float, generator: Optional[Generator]) -> Tensor:
  return torch.uniform_(tensor, a, b, generator=generator)


def aten__no_grad_normal_(tensor: Tensor, mean: float, std: float, generator: Optional[Generator]) -> Tensor:
  return torch.normal_(tensor, mean, std, generator=generator)

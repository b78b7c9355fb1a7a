# The operators that PyTorch's derivatives of layers consist of (see torch.decompositions.gradients). Where a mask says
# that a gradient is not wanted, an empty tensor stands for it.

def unwanted(like: Tensor) -> Tensor:
  return torch.zeros([0], dtype=like.dtype)


# ---- Normalization ----

# The gradient through (x - mean) * rstd, over `dims`; `normal` is that value.
def through_normal(g: Tensor, normal: Tensor, rstd: Tensor, dims: List[int]) -> Tensor:
  return (g - torch.mean(g, dims, True) - normal * torch.mean(g * normal, dims, True)) * rstd


def aten_native_layer_norm_backward(grad_out: Tensor, input: Tensor, normalized_shape: List[int], mean: Tensor, rstd: Tensor,
                                    weight: Optional[Tensor], bias: Optional[Tensor], output_mask: List[bool]) -> Tuple[Tensor, Tensor, Tensor]:
  dims = [-1 - d for d in range(len(normalized_shape))]
  rows = [d for d in range(torch.dim(input) - len(normalized_shape))]
  normal = (input - mean) * rstd
  g = grad_out
  if weight is not None:
    g = grad_out * weight
  of_input = torch.to(through_normal(g, normal, rstd, dims), input.dtype) if output_mask[0] else unwanted(input)
  of_weight = unwanted(input)
  of_bias = unwanted(input)
  if output_mask[1] and weight is not None:
    of_weight = torch.sum(grad_out * normal, rows) if len(rows) > 0 else grad_out * normal
  if output_mask[2] and bias is not None:
    of_bias = torch.sum(grad_out, rows) if len(rows) > 0 else grad_out
  return (of_input, of_weight, of_bias)


def aten_native_group_norm_backward(grad_out: Tensor, input: Tensor, mean: Tensor, rstd: Tensor, weight: Optional[Tensor], N: int, C: int, HxW: int,
                                    group: int, output_mask: List[bool]) -> Tuple[Tensor, Tensor, Tensor]:
  grouped = [N, group, C // group, HxW]
  spread = torch.reshape(rstd, [N, group, 1, 1])
  normal = (torch.reshape(input, grouped) - torch.reshape(mean, [N, group, 1, 1])) * spread
  plain = torch.reshape(grad_out, grouped)
  g = plain
  if weight is not None:
    g = plain * torch.reshape(weight, [1, group, C // group, 1])
  of_input = torch.reshape(through_normal(g, normal, spread, [2, 3]), torch.size(input)) if output_mask[0] else unwanted(input)
  of_weight = torch.reshape(torch.sum(plain * normal, [0, 3]), [C]) if output_mask[1] else unwanted(input)
  of_bias = torch.reshape(torch.sum(plain, [0, 3]), [C]) if output_mask[2] else unwanted(input)
  return (of_input, of_weight, of_bias)


def per_channel(t: Tensor, dims: int) -> Tensor:
  return torch.reshape(t, [1, -1] + [1 for d in range(dims - 2)])


# Means and inverse spreads of channels: those of the batch, or the running ones.
def channel_statistics(running_mean: Optional[Tensor], running_var: Optional[Tensor], save_mean: Optional[Tensor], save_invstd: Optional[Tensor],
                       train: bool, eps: float) -> Tuple[Tensor, Tensor]:
  if train and save_mean is not None and save_invstd is not None:
    return (save_mean, save_invstd)
  if running_mean is None or running_var is None:
    ops.prim.RaiseException("native_batch_norm_backward: the statistics are missing")
    return (torch.zeros([0]), torch.zeros([0]))
  return (running_mean, torch.rsqrt(running_var + eps))


def aten_native_batch_norm_backward(grad_out: Tensor, input: Tensor, weight: Optional[Tensor], running_mean: Optional[Tensor],
                                    running_var: Optional[Tensor], save_mean: Optional[Tensor], save_invstd: Optional[Tensor], train: bool,
                                    eps: float, output_mask: List[bool]) -> Tuple[Tensor, Tensor, Tensor]:
  rank = torch.dim(input)
  dims = [0] + [d for d in range(2, rank)]
  mean, invstd = channel_statistics(running_mean, running_var, save_mean, save_invstd, train, eps)
  spread = per_channel(invstd, rank)
  normal = (input - per_channel(mean, rank)) * spread
  g = grad_out
  if weight is not None:
    g = grad_out * per_channel(weight, rank)
  of_input = unwanted(input)
  if output_mask[0]:
    of_input = torch.to(through_normal(g, normal, spread, dims) if train else g * spread, input.dtype)
  of_weight = torch.sum(grad_out * normal, dims) if output_mask[1] else unwanted(input)
  return (of_input, of_weight, torch.sum(grad_out, dims) if output_mask[2] else unwanted(input))


def aten__batch_norm_impl_index_backward(impl_index: int, input: Tensor, grad_output: Tensor, weight: Optional[Tensor], running_mean: Optional[Tensor],
                                         running_var: Optional[Tensor], save_mean: Optional[Tensor], save_var_transform: Optional[Tensor],
                                         train: bool, eps: float, output_mask: List[bool], reservedSpace: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
  a, b, c = torch.native_batch_norm_backward(grad_output, input, weight, running_mean, running_var, save_mean, save_var_transform, train, eps, output_mask)
  return (a, b, c)


# Lengths are those of all slices along dim, the first or the last.
def check_lengths(v: Tensor, grad: Tensor, g: Tensor, norms: Tensor, dim: int):
  sizes = [torch.size(v, d) if d == dim else 1 for d in range(torch.dim(v))]
  if torch.size(grad) != torch.size(v) or torch.size(g) != sizes or torch.size(norms) != sizes or torch.numel(v) == 0:
    ops.prim.RaiseException(torch.format("weight_norm: lengths of sizes {} and {} do not fit a tensor of size {}", torch.size(g), torch.size(norms), torch.size(v)))


def aten__weight_norm_interface_backward(grad_w: Tensor, saved_v: Tensor, saved_g: Tensor, saved_norms: Tensor, dim: int) -> Tuple[Tensor, Tensor]:
  check_lengths(saved_v, grad_w, saved_g, saved_norms, dim)
  along = torch.sum_to_size(grad_w * saved_v, torch.size(saved_norms))
  return ((grad_w - saved_v * (along / (saved_norms * saved_norms))) * (saved_g / saved_norms), along / saved_norms)


def aten__weight_norm_differentiable_backward(grad_w: Tensor, saved_v: Tensor, saved_g: Tensor, saved_norms: Tensor, dim: int) -> Tuple[Tensor, Tensor]:
  a, b = torch._weight_norm_interface_backward(grad_w, saved_v, saved_g, saved_norms, dim)
  return (a, b)


# ---- Convolutions and products ----

def aten_convolution_backward(grad_output: Tensor, input: Tensor, weight: Tensor, bias_sizes: Optional[List[int]], stride: List[int],
                              padding: List[int], dilation: List[int], transposed: bool, output_padding: List[int], groups: int,
                              output_mask: List[bool]) -> Tuple[Tensor, Tensor, Tensor]:
  of_input = unwanted(input)
  of_weight = unwanted(input)
  if output_mask[0]:
    if transposed:
      none = [0 for d in padding]
      of_input = torch.convolution(grad_output, weight, None, stride, padding, dilation, False, none, groups)
    else:
      of_input = __torch__.torch.derivatives.layers.aten__convolution__input(grad_output, input, weight, stride, padding, dilation, False, groups)
  if output_mask[1]:
    from_ = grad_output if transposed else input
    to = input if transposed else grad_output
    of_weight = __torch__.torch.derivatives.layers.aten__convolution__weight(to, from_, weight, stride, padding, dilation, False, groups)
  dims = [0] + [d for d in range(2, torch.dim(grad_output))]
  return (of_input, of_weight, torch.sum(grad_output, dims) if output_mask[2] else unwanted(input))


def aten__slow_conv2d_backward_output_mask(grad_output: Tensor, self: Tensor, weight: Tensor, kernel_size: List[int], stride: List[int],
                                           padding: List[int], output_mask: List[bool]) -> Tuple[Tensor, Tensor, Tensor]:
  a, b, c = torch.convolution_backward(grad_output, self, weight, None, stride, padding, [1, 1], False, [0, 0], 1, output_mask)
  return (a, b, c)


def aten_conv_tbc_backward(self: Tensor, input: Tensor, weight: Tensor, bias: Tensor, pad: int) -> Tuple[Tensor, Tensor, Tensor]:
  g, x, w = torch.permute(self, [1, 2, 0]), torch.permute(input, [1, 2, 0]), torch.permute(weight, [2, 1, 0])
  a, b, c = torch.convolution_backward(g, x, w, None, [1], [pad], [1], False, [0], 1, [True, True, True])
  return (torch.permute(a, [2, 0, 1]), torch.permute(b, [2, 1, 0]), c)


def aten_linear_backward(self: Tensor, grad_output: Tensor, weight: Tensor, output_mask: List[bool]) -> Tuple[Tensor, Tensor, Tensor]:
  g = torch.reshape(grad_output, [-1, torch.size(grad_output, -1)])
  x = torch.reshape(self, [-1, torch.size(self, -1)])
  of_self = torch.matmul(grad_output, weight) if output_mask[0] else unwanted(self)
  of_weight = torch.mm(torch.t(g), x) if output_mask[1] else unwanted(self)
  return (of_self, of_weight, torch.sum(g, [0]) if output_mask[2] else unwanted(self))


# ---- Embeddings ----

def aten_embedding_dense_backward(grad_output: Tensor, indices: Tensor, num_weights: int, padding_idx: int, scale_grad_by_freq: bool) -> Tensor:
  rows = torch.to(torch.flatten(indices), 4)
  g = torch.reshape(grad_output, [torch.numel(rows), torch.size(grad_output, -1)])
  if scale_grad_by_freq:
    counts = torch.bincount(rows, None, num_weights)
    g = g / torch.unsqueeze(torch.index_select(counts, 0, rows), 1)
  g = torch.masked_fill(g, torch.unsqueeze(rows == padding_idx, 1), 0)
  return torch.index_add(torch.zeros([num_weights, torch.size(g, 1)], dtype=g.dtype), 0, rows, g)


def aten_embedding_backward(grad: Tensor, indices: Tensor, num_weights: int, padding_idx: int, scale_grad_by_freq: bool, sparse: bool) -> Tensor:
  if sparse:
    ops.prim.RaiseException("sparse gradients of embeddings are not supported")
  return torch.embedding_dense_backward(grad, indices, num_weights, padding_idx, scale_grad_by_freq)


def aten__embedding_bag_dense_backward(grad: Tensor, indices: Tensor, offset2bag: Tensor, bag_size: Tensor, maximum_indices: Tensor, num_weights: int,
                                       scale_grad_by_freq: bool, mode: int, per_sample_weights: Optional[Tensor], padding_idx: int) -> Tensor:
  depth = torch.size(grad, 1)
  made = torch.zeros([num_weights, depth], dtype=grad.dtype)
  if mode == 2:
    filled = torch.unsqueeze(bag_size > 0, 1)
    return torch.scatter_add(made, 0, torch.to(maximum_indices, 4), torch.masked_fill(grad, torch.logical_not(filled), 0))
  g = grad
  if mode == 1:
    g = grad / torch.unsqueeze(torch.clamp_min(bag_size, 1), 1)
  rows = torch.index_select(g, 0, offset2bag)
  if per_sample_weights is not None:
    rows = rows * torch.unsqueeze(per_sample_weights, 1)
  return torch.embedding_dense_backward(rows, indices, num_weights, padding_idx, scale_grad_by_freq)


def aten__embedding_bag_backward(grad: Tensor, indices: Tensor, offsets: Tensor, offset2bag: Tensor, bag_size: Tensor, maximum_indices: Tensor,
                                 num_weights: int, scale_grad_by_freq: bool, mode: int, sparse: bool, per_sample_weights: Optional[Tensor],
                                 padding_idx: int) -> Tensor:
  if sparse:
    ops.prim.RaiseException("sparse gradients of embeddings are not supported")
  bag = offset2bag
  if torch.numel(bag) == 0:
    bag = torch.searchsorted(offsets, torch.arange(torch.numel(indices)), right=True) - 1
  return torch._embedding_bag_dense_backward(grad, indices, bag, bag_size, maximum_indices, num_weights, scale_grad_by_freq, mode, per_sample_weights, padding_idx)


def aten__embedding_bag_per_sample_weights_backward(grad: Tensor, weight: Tensor, indices: Tensor, offsets: Tensor, offset2bag: Tensor, mode: int,
                                                    padding_idx: int) -> Tensor:
  bag = offset2bag
  if torch.numel(bag) == 0:
    bag = torch.searchsorted(offsets, torch.arange(torch.numel(indices)), right=True) - 1
  products = torch.sum(torch.index_select(grad, 0, bag) * torch.index_select(weight, 0, indices), [1])
  return torch.masked_fill(products, indices == padding_idx, 0)


# ---- Pooling ----

# The gradient of maxima whose places in the last n dimensions are known.
def to_places(grad: Tensor, self: Tensor, indices: Tensor, n: int) -> Tensor:
  planes = torch.flatten(torch.zeros_like(self), -n, -1)
  return torch.reshape(torch.scatter_add(planes, -1, torch.flatten(indices, -n, -1), torch.flatten(grad, -n, -1)), torch.size(self))


def aten_max_pool2d_with_indices_backward(grad_output: Tensor, self: Tensor, kernel_size: List[int], stride: List[int], padding: List[int],
                                          dilation: List[int], ceil_mode: bool, indices: Tensor) -> Tensor:
  return to_places(grad_output, self, indices, 2)


def aten_max_pool3d_with_indices_backward(grad_output: Tensor, self: Tensor, kernel_size: List[int], stride: List[int], padding: List[int],
                                          dilation: List[int], ceil_mode: bool, indices: Tensor) -> Tensor:
  return to_places(grad_output, self, indices, 3)


def aten_adaptive_max_pool2d_backward(grad_output: Tensor, self: Tensor, indices: Tensor) -> Tensor:
  return to_places(grad_output, self, indices, 2)


def aten_adaptive_max_pool3d_backward(grad_output: Tensor, self: Tensor, indices: Tensor) -> Tensor:
  return to_places(grad_output, self, indices, 3)


def aten_fractional_max_pool2d_backward(grad_output: Tensor, self: Tensor, kernel_size: List[int], output_size: List[int], indices: Tensor) -> Tensor:
  return to_places(grad_output, self, indices, 2)


def aten_fractional_max_pool3d_backward(grad_output: Tensor, self: Tensor, kernel_size: List[int], output_size: List[int], indices: Tensor) -> Tensor:
  return to_places(grad_output, self, indices, 3)


# ---- Operators that work along one dimension after the other: what each makes of the unit vectors is its matrix ----

def units(n: int, like: Tensor) -> Tensor:
  return torch.unsqueeze(torch.eye(n, dtype=like.dtype), 0)


# grad along dim, times the transposed matrix [1, inputs, outputs].
def back_along(grad: Tensor, dim: int, matrix: Tensor) -> Tensor:
  return torch.transpose(torch.matmul(torch.transpose(grad, dim, -1), torch.transpose(matrix[0], 0, 1)), dim, -1)


def check_averaged(self: Tensor, spatial: int):
  if torch.dim(self) != spatial + 1 and torch.dim(self) != spatial + 2:
    ops.prim.RaiseException(torch.format("adaptive_avg_pool{}d_backward(): Expected {}D or {}D tensor, but got {} dimensions", spatial, spatial + 1, spatial + 2, torch.dim(self)))


def averages_of_cells_back(grad_output: Tensor, self: Tensor) -> Tensor:
  g = back_along(grad_output, -1, torch.adaptive_avg_pool1d(units(torch.size(self, -1), self), [torch.size(grad_output, -1)]))
  return back_along(g, -2, torch.adaptive_avg_pool1d(units(torch.size(self, -2), self), [torch.size(grad_output, -2)]))


def aten__adaptive_avg_pool2d_backward(grad_output: Tensor, self: Tensor) -> Tensor:
  check_averaged(self, 2)
  return averages_of_cells_back(grad_output, self)


def aten__adaptive_avg_pool3d_backward(grad_output: Tensor, self: Tensor) -> Tensor:
  check_averaged(self, 3)
  g = averages_of_cells_back(grad_output, torch.select(self, -3, 0))
  return back_along(g, -3, torch.adaptive_avg_pool1d(units(torch.size(self, -3), self), [torch.size(grad_output, -3)]))


def aten_adaptive_avg_pool3d_backward_grad_input(grad_output: Tensor, self: Tensor, grad_input: Tensor) -> Tensor:
  made = torch._adaptive_avg_pool3d_backward(grad_output, self)
  return torch.copy_(torch.resize_(grad_input, torch.size(made)), made)


def averages_back(grad: Tensor, self: Tensor, n: int, kernel_size: List[int], stride: List[int], padding: List[int], ceil_mode: bool,
                  count_include_pad: bool, divisor_override: Optional[int]) -> Tensor:
  g = grad
  divisor: Optional[int] = None
  if divisor_override is not None:
    divisor = 1
    g = grad / divisor_override
  steps = stride if len(stride) > 0 else kernel_size
  for d in range(n):
    lines = torch.unsqueeze(units(torch.size(self, d - n), self), 2)
    k, s, p = kernel_size[d % len(kernel_size)], steps[d % len(steps)], padding[d % len(padding)]
    made = torch.avg_pool2d(lines, [1, k], [1, s], [0, p], ceil_mode, count_include_pad, divisor)
    g = back_along(g, d - n, torch.squeeze(made, 2))
  return g


def aten_avg_pool2d_backward(grad_output: Tensor, self: Tensor, kernel_size: List[int], stride: List[int], padding: List[int], ceil_mode: bool,
                             count_include_pad: bool, divisor_override: Optional[int]) -> Tensor:
  return averages_back(grad_output, self, 2, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def aten_avg_pool3d_backward(grad_output: Tensor, self: Tensor, kernel_size: List[int], stride: List[int], padding: List[int], ceil_mode: bool,
                             count_include_pad: bool, divisor_override: Optional[int]) -> Tensor:
  return averages_back(grad_output, self, 3, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def padding_back(grad: Tensor, self: Tensor, padding: List[int], reflects: bool) -> Tensor:
  if torch.dim(self) <= len(padding) // 2:
    ops.prim.RaiseException(torch.format("expected a tensor with channels, but got {} dimensions for a padding of {} numbers", torch.dim(self), len(padding)))
  g = grad
  for d in range(len(padding) // 2):
    sides = padding[2 * d:2 * d + 2]
    lines = units(torch.size(self, -1 - d), self)
    g = back_along(g, -1 - d, torch.reflection_pad1d(lines, sides) if reflects else torch.replication_pad1d(lines, sides))
  return g


def aten_reflection_pad1d_backward(grad_output: Tensor, self: Tensor, padding: List[int]) -> Tensor:
  return padding_back(grad_output, self, padding, True)


def aten_reflection_pad2d_backward(grad_output: Tensor, self: Tensor, padding: List[int]) -> Tensor:
  return padding_back(grad_output, self, padding, True)


def aten_reflection_pad3d_backward(grad_output: Tensor, self: Tensor, padding: List[int]) -> Tensor:
  return padding_back(grad_output, self, padding, True)


def aten_replication_pad1d_backward(grad_output: Tensor, self: Tensor, padding: List[int]) -> Tensor:
  return padding_back(grad_output, self, padding, False)


def aten_replication_pad2d_backward(grad_output: Tensor, self: Tensor, padding: List[int]) -> Tensor:
  return padding_back(grad_output, self, padding, False)


def aten_replication_pad3d_backward(grad_output: Tensor, self: Tensor, padding: List[int]) -> Tensor:
  return padding_back(grad_output, self, padding, False)

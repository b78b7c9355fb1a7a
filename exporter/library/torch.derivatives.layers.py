# Derivatives of layers; see torch.derivatives.


def aten_layer_norm__gradients(grad: Tensor, input: Tensor, normalized_shape: List[int], weight: Optional[Tensor], eps: float) -> Tuple[Tensor, Tensor, Tensor]:
  dims = [-1 - i for i in range(len(normalized_shape))]
  spread = torch.rsqrt(torch.add(torch.var(input, dims, False, True), eps))
  x = torch.mul(torch.sub(input, torch.mean(input, dims, True)), spread)
  g = grad
  of_weight = torch.sum_to_size(torch.mul(grad, x), normalized_shape)
  if weight is not None:
    g = torch.mul(grad, weight)
  slope = torch.mean(torch.mul(g, x), dims, True)
  level = torch.mean(g, dims, True)
  of_input = torch.mul(torch.sub(torch.sub(g, level), torch.mul(x, slope)), spread)
  return (of_input, of_weight, torch.sum_to_size(grad, normalized_shape))

def channels(t: Tensor, rank: int) -> Tensor:
  return torch.reshape(t, [1, -1] + [1 for i in range(rank - 2)])

def other_dims(rank: int) -> List[int]:
  return [0] + [2 + i for i in range(rank - 2)]

def batch_mean(input: Tensor, running_mean: Optional[Tensor], training: bool) -> Tensor:
  rank = torch.dim(input)
  if not training and running_mean is not None:
    return __torch__.torch.derivatives.layers.channels(running_mean, rank)
  return torch.mean(input, __torch__.torch.derivatives.layers.other_dims(rank), True)

def batch_spread(input: Tensor, running_var: Optional[Tensor], training: bool, eps: float) -> Tensor:
  rank = torch.dim(input)
  if not training and running_var is not None:
    return torch.rsqrt(torch.add(__torch__.torch.derivatives.layers.channels(running_var, rank), eps))
  return torch.rsqrt(torch.add(torch.var(input, __torch__.torch.derivatives.layers.other_dims(rank), False, True), eps))

def aten_batch_norm__gradients(grad: Tensor, input: Tensor, weight: Optional[Tensor], running_mean: Optional[Tensor], running_var: Optional[Tensor], training: bool, eps: float) -> Tuple[Tensor, Tensor, Tensor]:
  rank = torch.dim(input)
  dims = __torch__.torch.derivatives.layers.other_dims(rank)
  mean = __torch__.torch.derivatives.layers.batch_mean(input, running_mean, training)
  spread = __torch__.torch.derivatives.layers.batch_spread(input, running_var, training, eps)
  of_bias = torch.sum(grad, dims, True)
  of_weight = torch.mul(torch.sum(torch.mul(torch.sub(input, mean), grad), dims, True), spread)
  scale = spread
  if weight is not None:
    scale = torch.mul(spread, __torch__.torch.derivatives.layers.channels(weight, rank))
  of_input = grad
  if training or running_mean is None:
    count = torch.numel(input) // torch.size(input, 1)
    slope = torch.div(torch.mul(of_weight, spread), count)
    level = torch.div(of_bias, count)
    through = torch.add(torch.mul(torch.sub(input, mean), slope), level)
    of_input = torch.sub(grad, through)
  return (torch.mul(of_input, scale), torch.flatten(of_weight), torch.flatten(of_bias))

# An image of `dims` dimensions without a batch as a batch of one.
def as_batch(image: Tensor, dims: int) -> Tensor:
  return torch.unsqueeze(image, 0) if torch.dim(image) < dims + 2 else image

# Convolutions: the input's gradient is a transposed convolution; the weight's, in each group, a convolution of input
# and gradient whose batch and channels have changed places.

# What lies behind the last place of the kernel.
def uncovered(grad: Tensor, input: Tensor, weight: Tensor, stride: List[int], padding: List[int], dilation: List[int], dims: int) -> List[int]:
  rest: List[int] = []
  for d in range(dims):
    s, p, l = stride[d % len(stride)], padding[d % len(padding)], dilation[d % len(dilation)]
    covered = (torch.size(grad, d - dims) - 1) * s - 2 * p + l * (torch.size(weight, d - dims) - 1) + 1
    rest = rest + [torch.size(input, d - dims) - covered]
  return rest

# Of each group, the channels in the place of the batch.
def by_channels(image: Tensor, groups: int, dims: int) -> List[Tensor]:
  parts: List[Tensor] = []
  for part in torch.chunk(__torch__.torch.derivatives.layers.as_batch(image, dims), groups, 1):
    parts = parts + [torch.transpose(part, 0, 1)]
  return parts

# The first elements of the last n dimensions, as many as `like` has: there may be more behind them, which the kernel
# did not reach or which output_padding added.
def beginning(made: Tensor, like: Tensor, n: int) -> Tensor:
  for d in range(n):
    made = torch.narrow(made, d - n, 0, torch.size(like, d - n))
  return made

def bias_of_planes(grad: Tensor, dims: int) -> Tensor:
  return torch.sum(__torch__.torch.derivatives.layers.as_batch(grad, dims), __torch__.torch.derivatives.layers.other_dims(dims + 2))

def aten_conv1d__input(grad: Tensor, input: Tensor, weight: Tensor, stride: List[int], padding: List[int], dilation: List[int], groups: int) -> Tensor:
  rest = __torch__.torch.derivatives.layers.uncovered(grad, input, weight, stride, padding, dilation, 1)
  return torch.conv_transpose1d(grad, weight, None, stride, padding, rest, groups, dilation)

def aten_conv1d__weight(grad: Tensor, input: Tensor, weight: Tensor, stride: List[int], padding: List[int], dilation: List[int], groups: int) -> Tensor:
  inputs = __torch__.torch.derivatives.layers.by_channels(input, groups, 1)
  grads = __torch__.torch.derivatives.layers.by_channels(grad, groups, 1)
  parts: List[Tensor] = []
  for k in range(groups):
    product = torch.conv1d(inputs[k], grads[k], None, dilation, padding, stride)
    parts = parts + [__torch__.torch.derivatives.layers.beginning(torch.transpose(product, 0, 1), weight, 1)]
  return torch.cat(parts)

def aten_conv1d__bias(grad: Tensor) -> Tensor:
  return __torch__.torch.derivatives.layers.bias_of_planes(grad, 1)

def aten_conv2d__input(grad: Tensor, input: Tensor, weight: Tensor, stride: List[int], padding: List[int], dilation: List[int], groups: int) -> Tensor:
  rest = __torch__.torch.derivatives.layers.uncovered(grad, input, weight, stride, padding, dilation, 2)
  return torch.conv_transpose2d(grad, weight, None, stride, padding, rest, groups, dilation)

def aten_conv2d__weight(grad: Tensor, input: Tensor, weight: Tensor, stride: List[int], padding: List[int], dilation: List[int], groups: int) -> Tensor:
  inputs = __torch__.torch.derivatives.layers.by_channels(input, groups, 2)
  grads = __torch__.torch.derivatives.layers.by_channels(grad, groups, 2)
  parts: List[Tensor] = []
  for k in range(groups):
    product = torch.conv2d(inputs[k], grads[k], None, dilation, padding, stride)
    parts = parts + [__torch__.torch.derivatives.layers.beginning(torch.transpose(product, 0, 1), weight, 2)]
  return torch.cat(parts)

def aten_conv2d__bias(grad: Tensor) -> Tensor:
  return __torch__.torch.derivatives.layers.bias_of_planes(grad, 2)

def aten_conv3d__input(grad: Tensor, input: Tensor, weight: Tensor, stride: List[int], padding: List[int], dilation: List[int], groups: int) -> Tensor:
  rest = __torch__.torch.derivatives.layers.uncovered(grad, input, weight, stride, padding, dilation, 3)
  return torch.conv_transpose3d(grad, weight, None, stride, padding, rest, groups, dilation)

def aten_conv3d__weight(grad: Tensor, input: Tensor, weight: Tensor, stride: List[int], padding: List[int], dilation: List[int], groups: int) -> Tensor:
  inputs = __torch__.torch.derivatives.layers.by_channels(input, groups, 3)
  grads = __torch__.torch.derivatives.layers.by_channels(grad, groups, 3)
  parts: List[Tensor] = []
  for k in range(groups):
    product = torch.conv3d(inputs[k], grads[k], None, dilation, padding, stride)
    parts = parts + [__torch__.torch.derivatives.layers.beginning(torch.transpose(product, 0, 1), weight, 3)]
  return torch.cat(parts)

def aten_conv3d__bias(grad: Tensor) -> Tensor:
  return __torch__.torch.derivatives.layers.bias_of_planes(grad, 3)

def aten__convolution__input(grad: Tensor, input: Tensor, weight: Tensor, stride: List[int], padding: List[int], dilation: List[int], transposed: bool, groups: int) -> Tensor:
  if transposed:
    ops.prim.RaiseException("the derivative of a transposed convolution is not supported")
  if torch.dim(input) == 3:
    return __torch__.torch.derivatives.layers.aten_conv1d__input(grad, input, weight, stride, padding, dilation, groups)
  if torch.dim(input) == 4:
    return __torch__.torch.derivatives.layers.aten_conv2d__input(grad, input, weight, stride, padding, dilation, groups)
  return __torch__.torch.derivatives.layers.aten_conv3d__input(grad, input, weight, stride, padding, dilation, groups)

def aten__convolution__weight(grad: Tensor, input: Tensor, weight: Tensor, stride: List[int], padding: List[int], dilation: List[int], transposed: bool, groups: int) -> Tensor:
  if transposed:
    ops.prim.RaiseException("the derivative of a transposed convolution is not supported")
  if torch.dim(input) == 3:
    return __torch__.torch.derivatives.layers.aten_conv1d__weight(grad, input, weight, stride, padding, dilation, groups)
  if torch.dim(input) == 4:
    return __torch__.torch.derivatives.layers.aten_conv2d__weight(grad, input, weight, stride, padding, dilation, groups)
  return __torch__.torch.derivatives.layers.aten_conv3d__weight(grad, input, weight, stride, padding, dilation, groups)

def aten__convolution__bias(grad: Tensor) -> Tensor:
  return torch.sum(grad, __torch__.torch.derivatives.layers.other_dims(torch.dim(grad)))

def aten_max_pool2d_with_indices__self(grad: Tensor, self: Tensor, result1: Tensor) -> Tensor:
  planes = torch.flatten(torch.zeros_like(self), -2)
  return __torch__.torch.derivatives.as_shape(torch.scatter_add(planes, -1, torch.flatten(result1, -2), torch.flatten(grad, -2)), self)

# Pooling becomes the operator that says where the greatest elements are.
def aten_max_pool2d__by_operators(self: Tensor, kernel_size: List[int], stride: List[int], padding: List[int], dilation: List[int], ceil_mode: bool) -> Tensor:
  return torch.max_pool2d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode)[0]

def aten_adaptive_avg_pool2d__self(grad: Tensor, self: Tensor) -> Tensor:
  h, w = torch.size(grad, -2), torch.size(grad, -1)
  rows, columns = torch.size(self, -2) // h, torch.size(self, -1) // w
  if rows * h != torch.size(self, -2) or columns * w != torch.size(self, -1):
    return torch._adaptive_avg_pool2d_backward(grad, self)
  g = torch.expand(torch.reshape(grad, [-1, h, 1, w, 1]), [-1, h, rows, w, columns])
  return torch.div(__torch__.torch.derivatives.as_shape(g, self), rows * columns)

# A transposed convolution of each plane with ones.

def aten_avg_pool2d__self(grad: Tensor, self: Tensor, kernel_size: List[int], stride: List[int], padding: List[int], ceil_mode: bool, count_include_pad: bool, divisor_override: Optional[int]) -> Tensor:
  padded = padding[0] != 0 or padding[len(padding) - 1] != 0
  if ceil_mode or (padded and not count_include_pad):
    return torch.avg_pool2d_backward(grad, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
  kernel = [kernel_size[0], kernel_size[len(kernel_size) - 1]]
  steps = kernel
  if len(stride) > 0:
    steps = [stride[0], stride[len(stride) - 1]]
  edge = [padding[0], padding[len(padding) - 1]]
  rest = [torch.size(self, d - 2) - (torch.size(grad, d - 2) - 1) * steps[d] + 2 * edge[d] - kernel[d] for d in range(2)]
  divisor = kernel[0] * kernel[1]
  if divisor_override is not None:
    divisor = divisor_override
  planes = torch.reshape(grad, [-1, 1, torch.size(grad, -2), torch.size(grad, -1)])
  ones = torch.ones([1, 1, kernel[0], kernel[1]], dtype=grad.dtype)
  return __torch__.torch.derivatives.as_shape(torch.div(torch.conv_transpose2d(planes, ones, None, steps, edge, rest), divisor), self)

def aten_group_norm__input(grad: Tensor, input: Tensor, num_groups: int, weight: Optional[Tensor], eps: float) -> Tensor:
  g = grad
  if weight is not None:
    g = torch.mul(grad, __torch__.torch.derivatives.layers.channels(weight, torch.dim(input)))
  x = torch.reshape(input, [torch.size(input, 0), num_groups, -1])
  g = __torch__.torch.derivatives.as_shape(g, x)
  spread = torch.rsqrt(torch.add(torch.var(x, [2], False, True), eps))
  x = torch.mul(torch.sub(x, torch.mean(x, [2], True)), spread)
  centered = torch.sub(g, torch.mean(g, [2], True))
  g = torch.mul(torch.sub(centered, torch.mul(x, torch.mean(torch.mul(g, x), [2], True))), spread)
  return __torch__.torch.derivatives.as_shape(g, input)

def aten_group_norm__weight(grad: Tensor, input: Tensor, num_groups: int, eps: float) -> Tensor:
  x = torch.reshape(input, [torch.size(input, 0), num_groups, -1])
  spread = torch.rsqrt(torch.add(torch.var(x, [2], False, True), eps))
  x = __torch__.torch.derivatives.as_shape(torch.mul(torch.sub(x, torch.mean(x, [2], True)), spread), input)
  return torch.sum(torch.mul(grad, x), __torch__.torch.derivatives.layers.other_dims(torch.dim(input)))

def aten_group_norm__bias(grad: Tensor) -> Tensor:
  return torch.sum(grad, __torch__.torch.derivatives.layers.other_dims(torch.dim(grad)))

# The mask tells which elements were kept.

def aten_native_dropout__input(grad: Tensor, result1: Tensor, p: float, train: Optional[bool]) -> Tensor:
  if train is None or not train:
    return torch.mul(grad, result1)
  if p == 1.0:
    return torch.zeros_like(grad)
  return torch.mul(__torch__.torch.derivatives.only_where(grad, result1), 1.0 / (1.0 - p))

# Dropout becomes the operator that gives its mask too, and draws the same numbers.
def aten_dropout__by_operators(input: Tensor, p: float, train: bool) -> Tensor:
  if not train or p == 0.0:
    return input
  if p == 1.0:
    return torch.mul(input, 0.0)
  return torch.native_dropout(input, p, True)[0]

# Of whole channels: one number for each.
def of_channels(input: Tensor) -> List[int]:
  return [torch.size(input, d) if d < 2 else 1 for d in range(torch.dim(input))]

def aten_feature_dropout__by_operators(input: Tensor, p: float, train: bool) -> Tensor:
  if not train or p == 0.0:
    return input
  if p == 1.0:
    return torch.mul(input, 0.0)
  noise = torch.bernoulli_(torch.empty(__torch__.torch.derivatives.layers.of_channels(input), dtype=input.dtype), 1.0 - p)
  return torch.mul(input, torch.div(noise, 1.0 - p))

# What is left out becomes the least value of selu; mean and variance stay.
def alpha(input: Tensor, sizes: List[int], p: float) -> Tensor:
  if p == 1.0:
    return torch.mul(input, 0.0)
  slope = 1.7580993408473766
  a = 1.0 / ((slope * slope * p + 1.0) * (1.0 - p)) ** 0.5
  noise = torch.bernoulli_(torch.empty(sizes, dtype=input.dtype), 1.0 - p)
  b = torch.add(torch.mul(torch.sub(noise, 1), slope * a), slope * a * p)
  return torch.add(torch.mul(input, torch.mul(noise, a)), b)

def aten_alpha_dropout__by_operators(input: Tensor, p: float, train: bool) -> Tensor:
  if not train or p == 0.0:
    return input
  return __torch__.torch.derivatives.layers.alpha(input, torch.size(input), p)

def aten_feature_alpha_dropout__by_operators(input: Tensor, p: float, train: bool) -> Tensor:
  if not train or p == 0.0:
    return input
  return __torch__.torch.derivatives.layers.alpha(input, __torch__.torch.derivatives.layers.of_channels(input), p)

# ---- Transposed convolutions: convolutions with input and gradient exchanged ----

def aten_conv_transpose1d__input(grad: Tensor, input: Tensor, weight: Tensor, stride: List[int], padding: List[int], groups: int, dilation: List[int]) -> Tensor:
  made = torch.conv1d(grad, weight, None, stride, padding, dilation, groups)
  return __torch__.torch.derivatives.layers.beginning(made, input, 1)

def aten_conv_transpose1d__weight(grad: Tensor, input: Tensor, weight: Tensor, stride: List[int], padding: List[int], groups: int, dilation: List[int]) -> Tensor:
  return __torch__.torch.derivatives.layers.aten_conv1d__weight(input, grad, weight, stride, padding, dilation, groups)

def aten_conv_transpose1d__bias(grad: Tensor) -> Tensor:
  return __torch__.torch.derivatives.layers.bias_of_planes(grad, 1)

def aten_conv_transpose2d_input__input(grad: Tensor, input: Tensor, weight: Tensor, stride: List[int], padding: List[int], groups: int, dilation: List[int]) -> Tensor:
  made = torch.conv2d(grad, weight, None, stride, padding, dilation, groups)
  return __torch__.torch.derivatives.layers.beginning(made, input, 2)

def aten_conv_transpose2d_input__weight(grad: Tensor, input: Tensor, weight: Tensor, stride: List[int], padding: List[int], groups: int, dilation: List[int]) -> Tensor:
  return __torch__.torch.derivatives.layers.aten_conv2d__weight(input, grad, weight, stride, padding, dilation, groups)

def aten_conv_transpose2d_input__bias(grad: Tensor) -> Tensor:
  return __torch__.torch.derivatives.layers.bias_of_planes(grad, 2)

def aten_conv_transpose3d_input__input(grad: Tensor, input: Tensor, weight: Tensor, stride: List[int], padding: List[int], groups: int, dilation: List[int]) -> Tensor:
  made = torch.conv3d(grad, weight, None, stride, padding, dilation, groups)
  return __torch__.torch.derivatives.layers.beginning(made, input, 3)

def aten_conv_transpose3d_input__weight(grad: Tensor, input: Tensor, weight: Tensor, stride: List[int], padding: List[int], groups: int, dilation: List[int]) -> Tensor:
  return __torch__.torch.derivatives.layers.aten_conv3d__weight(input, grad, weight, stride, padding, dilation, groups)

def aten_conv_transpose3d_input__bias(grad: Tensor) -> Tensor:
  return __torch__.torch.derivatives.layers.bias_of_planes(grad, 3)

# ---- Pooling along one dimension and along three ----

def aten_avg_pool1d__self(grad: Tensor, self: Tensor, kernel_size: List[int], stride: List[int], padding: List[int], ceil_mode: bool, count_include_pad: bool) -> Tensor:
  steps: List[int] = []
  if len(stride) > 0:
    steps = [1, stride[0]]
  g = torch.avg_pool2d_backward(torch.unsqueeze(grad, -2), torch.unsqueeze(self, -2), [1, kernel_size[0]], steps, [0, padding[0]], ceil_mode, count_include_pad, None)
  return torch.squeeze(g, -2)

def aten_avg_pool3d__self(grad: Tensor, self: Tensor, kernel_size: List[int], stride: List[int], padding: List[int], ceil_mode: bool, count_include_pad: bool, divisor_override: Optional[int]) -> Tensor:
  return torch.avg_pool3d_backward(grad, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)

def aten_adaptive_avg_pool1d__self(grad: Tensor, self: Tensor) -> Tensor:
  return torch.squeeze(torch._adaptive_avg_pool2d_backward(torch.unsqueeze(grad, -2), torch.unsqueeze(self, -2)), -2)

def aten_adaptive_avg_pool3d__self(grad: Tensor, self: Tensor) -> Tensor:
  return torch._adaptive_avg_pool3d_backward(grad, self)

def aten_max_pool1d_with_indices__self(grad: Tensor, self: Tensor, result1: Tensor) -> Tensor:
  return torch.scatter_add(torch.zeros_like(self), -1, result1, grad)

def aten_max_pool1d__by_operators(self: Tensor, kernel_size: List[int], stride: List[int], padding: List[int], dilation: List[int], ceil_mode: bool) -> Tensor:
  return torch.max_pool1d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode)[0]

def aten_max_pool3d_with_indices__self(grad: Tensor, self: Tensor, kernel_size: List[int], stride: List[int], padding: List[int], dilation: List[int], ceil_mode: bool, result1: Tensor) -> Tensor:
  return torch.max_pool3d_with_indices_backward(grad, self, kernel_size, stride, padding, dilation, ceil_mode, result1)

def aten_max_pool3d__by_operators(self: Tensor, kernel_size: List[int], stride: List[int], padding: List[int], dilation: List[int], ceil_mode: bool) -> Tensor:
  return torch.max_pool3d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode)[0]

# ---- Resampling ----

def aten_upsample_nearest1d_vec__input(grad: Tensor, input: Tensor, output_size: Optional[List[int]], scale_factors: Optional[List[float]]) -> Tensor:
  return torch.upsample_nearest1d_backward(grad, output_size, torch.size(input), scale_factors)

def aten_upsample_nearest2d_vec__input(grad: Tensor, input: Tensor, output_size: Optional[List[int]], scale_factors: Optional[List[float]]) -> Tensor:
  return torch.upsample_nearest2d_backward(grad, output_size, torch.size(input), scale_factors)

def aten_upsample_nearest3d_vec__input(grad: Tensor, input: Tensor, output_size: Optional[List[int]], scale_factors: Optional[List[float]]) -> Tensor:
  return torch.upsample_nearest3d_backward(grad, output_size, torch.size(input), scale_factors)

def aten_upsample_linear1d_vec__input(grad: Tensor, input: Tensor, output_size: Optional[List[int]], align_corners: bool, scale_factors: Optional[List[float]]) -> Tensor:
  return torch.upsample_linear1d_backward(grad, output_size, torch.size(input), align_corners, scale_factors)

def aten_upsample_bilinear2d_vec__input(grad: Tensor, input: Tensor, output_size: Optional[List[int]], align_corners: bool, scale_factors: Optional[List[float]]) -> Tensor:
  return torch.upsample_bilinear2d_backward(grad, output_size, torch.size(input), align_corners, scale_factors)

def aten_upsample_trilinear3d_vec__input(grad: Tensor, input: Tensor, output_size: Optional[List[int]], align_corners: bool, scale_factors: Optional[List[float]]) -> Tensor:
  return torch.upsample_trilinear3d_backward(grad, output_size, torch.size(input), align_corners, scale_factors)

def aten_upsample_bicubic2d_vec__input(grad: Tensor, input: Tensor, output_size: Optional[List[int]], align_corners: bool, scale_factors: Optional[List[float]]) -> Tensor:
  return torch.upsample_bicubic2d_backward(grad, output_size, torch.size(input), align_corners, scale_factors)

def aten_col2im__self(grad: Tensor, kernel_size: List[int], dilation: List[int], padding: List[int], stride: List[int]) -> Tensor:
  return torch.im2col(grad, kernel_size, dilation, padding, stride)

def aten_im2col__self(grad: Tensor, self: Tensor, kernel_size: List[int], dilation: List[int], padding: List[int], stride: List[int]) -> Tensor:
  return torch.col2im(grad, [torch.size(self, -2), torch.size(self, -1)], kernel_size, dilation, padding, stride)

# ---- Padding ----

def aten_reflection_pad1d__self(grad: Tensor, self: Tensor, padding: List[int]) -> Tensor:
  return torch.reflection_pad1d_backward(grad, self, padding)

def aten_reflection_pad2d__self(grad: Tensor, self: Tensor, padding: List[int]) -> Tensor:
  return torch.reflection_pad2d_backward(grad, self, padding)

def aten_replication_pad1d__self(grad: Tensor, self: Tensor, padding: List[int]) -> Tensor:
  return torch.replication_pad1d_backward(grad, self, padding)

def aten_replication_pad2d__self(grad: Tensor, self: Tensor, padding: List[int]) -> Tensor:
  return torch.replication_pad2d_backward(grad, self, padding)

def aten_reflection_pad3d__self(grad: Tensor, self: Tensor, padding: List[int]) -> Tensor:
  return torch.reflection_pad3d_backward(grad, self, padding)

def aten_replication_pad3d__self(grad: Tensor, self: Tensor, padding: List[int]) -> Tensor:
  return torch.replication_pad3d_backward(grad, self, padding)

# What went around is added where it came from.
def unwrapped(grad: Tensor, self: Tensor, pad: List[int]) -> Tensor:
  g = grad
  for k in range(len(pad) // 2):
    d = torch.dim(self) - 1 - k
    n = torch.size(self, d)
    before, behind = pad[2 * k], pad[2 * k + 1]
    inner = torch.clone(torch.narrow(g, d, before, n))
    _0 = torch.add_(torch.narrow(inner, d, n - before, before), torch.narrow(g, d, 0, before))
    _1 = torch.add_(torch.narrow(inner, d, 0, behind), torch.narrow(g, d, before + n, behind))
    g = inner
  return g

def aten_pad__self(grad: Tensor, self: Tensor, pad: List[int], mode: str) -> Tensor:
  if mode == "reflect":
    if len(pad) == 2:
      return torch.reflection_pad1d_backward(grad, self, pad)
    if len(pad) == 4:
      return torch.reflection_pad2d_backward(grad, self, pad)
    return torch.reflection_pad3d_backward(grad, self, pad)
  if mode == "replicate":
    if len(pad) == 2:
      return torch.replication_pad1d_backward(grad, self, pad)
    if len(pad) == 4:
      return torch.replication_pad2d_backward(grad, self, pad)
    return torch.replication_pad3d_backward(grad, self, pad)
  if mode == "circular":
    return __torch__.torch.derivatives.layers.unwrapped(grad, self, pad)
  return torch.constant_pad_nd(grad, [-p for p in pad])

# ---- Normalization of each plane ----

# Statistics of all samples together, by the batch norm of one sample with all their channels.
def repeated(t: Optional[Tensor], n: int) -> Optional[Tensor]:
  if t is None:
    return None
  return torch.repeat(t, [n])

def keep_mean(kept: Optional[Tensor], of_samples: Optional[Tensor], n: int) -> NoneType:
  if kept is not None and of_samples is not None:
    _0 = torch.copy_(kept, torch.mean(torch.reshape(of_samples, [n, -1]), [0]))

def aten_instance_norm__by_operators(input: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], running_mean: Optional[Tensor], running_var: Optional[Tensor], use_input_stats: bool, momentum: float, eps: float, cudnn_enabled: bool) -> Tensor:
  if not use_input_stats:
    return torch.batch_norm(input, weight, bias, running_mean, running_var, False, momentum, eps, cudnn_enabled)
  n = torch.size(input, 0)
  sizes = [1, n * torch.size(input, 1)] + [torch.size(input, 2 + d) for d in range(torch.dim(input) - 2)]
  mean = __torch__.torch.derivatives.layers.repeated(running_mean, n)
  var = __torch__.torch.derivatives.layers.repeated(running_var, n)
  x = torch.batch_norm(torch.reshape(input, sizes), None, None, mean, var, True, momentum, eps, cudnn_enabled)
  __torch__.torch.derivatives.layers.keep_mean(running_mean, mean, n)
  __torch__.torch.derivatives.layers.keep_mean(running_var, var, n)
  x = torch.reshape(x, torch.size(input))
  rank = torch.dim(input)
  if weight is not None:
    x = torch.mul(x, __torch__.torch.derivatives.layers.channels(weight, rank))
  if bias is not None:
    x = torch.add(x, __torch__.torch.derivatives.layers.channels(bias, rank))
  return x

# ---- Sampling at points of a grid, by operators that have derivatives ----

# -1 and 1 are the middles (align_corners) or the outer edges of the first and the last of n places.
def grid_places(g: Tensor, n: int, align_corners: bool) -> Tensor:
  return (g + 1) * (0.5 * (n - 1)) if align_corners else ((g + 1) * n - 1) * 0.5

# Reflects places at `low` and `high` (both doubled, so that halves are whole).
def reflected(p: Tensor, low: int, high: int) -> Tensor:
  if low == high:
    return torch.zeros_like(p)
  span = (high - low) * 0.5
  away = torch.abs(p - low * 0.5)
  turns = torch.floor(away / span)
  rest = away - turns * span
  return torch.where(torch.remainder(turns, 2) == 0, rest + low * 0.5, span - rest + low * 0.5)

def padded_places(p: Tensor, n: int, padding_mode: int, align_corners: bool) -> Tensor:
  if padding_mode == 1:
    return torch.clamp(p, 0, n - 1)
  if padding_mode == 2:
    inside = __torch__.torch.derivatives.layers.reflected(p, 0, 2 * (n - 1)) if align_corners else __torch__.torch.derivatives.layers.reflected(p, -1, 2 * n - 1)
    return torch.clamp(inside, 0, n - 1)
  return p

# Numbers at whole places given by dimension; zero outside.
def picked(input: Tensor, places: List[Tensor]) -> Tensor:
  index = torch.zeros_like(places[0], dtype=4)
  inside = torch.ones_like(places[0], dtype=11)
  for d in range(len(places)):
    n = torch.size(input, d + 2)
    inside = inside & (places[d] >= 0) & (places[d] <= n - 1)
    index = index * n + torch.to(torch.clamp(places[d], 0, n - 1), 4)
  shape = torch.size(index)
  flat = torch.expand(torch.reshape(index, [shape[0], 1, -1]), [-1, torch.size(input, 1), -1])
  values = torch.reshape(torch.gather(torch.flatten(input, 2), 2, flat), [shape[0], torch.size(input, 1)] + shape[1:])
  return torch.masked_fill(values, torch.unsqueeze(torch.logical_not(inside), 1), 0)

def linear_sample(input: Tensor, places: List[Tensor]) -> Tensor:
  n = len(places)
  made = torch.zeros([], dtype=input.dtype)
  for corner in range(1 << n):
    weight = torch.ones_like(places[0])
    at: List[Tensor] = []
    for d in range(n):
      below = torch.floor(places[d])
      part = places[d] - below
      upper = (corner >> d) % 2
      weight = weight * (part if upper == 1 else 1 - part)
      torch.append(at, below + upper)
    made = made + __torch__.torch.derivatives.layers.picked(input, at) * torch.unsqueeze(weight, 1)
  return made

# Weights of the four neighbours of a place (Keys' cubic convolution with a = -0.75).
def cubic_weight(part: Tensor, k: int) -> Tensor:
  a = -0.75
  d = torch.abs(part - (k - 1))
  near = ((a + 2) * d - (a + 3)) * d * d + 1
  far = ((d - 5) * d + 8) * d * a - 4 * a
  return near if k == 1 or k == 2 else far

def cubic_sample(input: Tensor, y: Tensor, x: Tensor, padding_mode: int, align_corners: bool) -> Tensor:
  made = torch.zeros([], dtype=input.dtype)
  top, left = torch.floor(y), torch.floor(x)
  for i in range(4):
    row = __torch__.torch.derivatives.layers.padded_places(top + (i - 1), torch.size(input, 2), padding_mode, align_corners)
    for j in range(4):
      column = __torch__.torch.derivatives.layers.padded_places(left + (j - 1), torch.size(input, 3), padding_mode, align_corners)
      weight = __torch__.torch.derivatives.layers.cubic_weight(y - top, i) * __torch__.torch.derivatives.layers.cubic_weight(x - left, j)
      made = made + __torch__.torch.derivatives.layers.picked(input, [row, column]) * torch.unsqueeze(weight, 1)
  return made

# n: the number of spatial dimensions.
def grid_sample(input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool, n: int) -> Tensor:
  if (n != 2 and n != 3) or torch.dim(input) != n + 2 or torch.dim(grid) != n + 2 or torch.size(grid, -1) != n or torch.size(grid, 0) != torch.size(input, 0):
    ops.prim.RaiseException(torch.format("grid_sampler(): expected 4D or 5D input and grid with same number of dimensions and batch, and the grid's last dimension to be the number of spatial ones, but got input with sizes {} and grid with sizes {}", torch.size(input), torch.size(grid)))
  places: List[Tensor] = []
  for d in range(n):
    size = torch.size(input, d + 2)
    p = __torch__.torch.derivatives.layers.grid_places(torch.select(grid, -1, n - 1 - d), size, align_corners)
    torch.append(places, p if interpolation_mode == 2 else __torch__.torch.derivatives.layers.padded_places(p, size, padding_mode, align_corners))
  if interpolation_mode == 1:
    return __torch__.torch.derivatives.layers.picked(input, [torch.round(p) for p in places])
  if interpolation_mode == 2:
    if n != 2:
      ops.prim.RaiseException("grid_sampler(): bicubic interpolation only supports 4D input")
    return __torch__.torch.derivatives.layers.cubic_sample(input, places[0], places[1], padding_mode, align_corners)
  return __torch__.torch.derivatives.layers.linear_sample(input, places)

def aten_grid_sampler__by_operators(input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Tensor:
  if torch.dim(input) == 5:
    return __torch__.torch.derivatives.layers.grid_sample(input, grid, interpolation_mode, padding_mode, align_corners, 3)
  return __torch__.torch.derivatives.layers.grid_sample(input, grid, interpolation_mode, padding_mode, align_corners, 2)

def aten_grid_sampler_2d__by_operators(input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Tensor:
  return __torch__.torch.derivatives.layers.grid_sample(input, grid, interpolation_mode, padding_mode, align_corners, 2)

def aten_grid_sampler_3d__by_operators(input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Tensor:
  return __torch__.torch.derivatives.layers.grid_sample(input, grid, interpolation_mode, padding_mode, align_corners, 3)

# ---- Bags of embeddings, by operators that have derivatives ----

def greatest_of_bags(rows: Tensor, indices: Tensor, bag: Tensor, kept: Tensor, bags: int) -> Tuple[Tensor, Tensor]:
  values: List[Tensor] = []
  places: List[Tensor] = []
  for b in range(bags):
    members = torch.flatten(torch.nonzero((bag == b) & kept))
    if torch.numel(members) == 0:
      values = values + [torch.zeros([torch.size(rows, 1)], dtype=rows.dtype)]
      places = places + [torch.zeros([torch.size(rows, 1)], dtype=4)]
    else:
      value, place = torch.max(torch.index_select(rows, 0, members), 0, False)
      values = values + [value]
      places = places + [torch.take(indices, torch.take(members, place))]
  if bags == 0:
    return (torch.zeros([0, torch.size(rows, 1)], dtype=rows.dtype), torch.zeros([0, torch.size(rows, 1)], dtype=4))
  return (torch.stack(values, 0), torch.stack(places, 0))

def tsm_bags__by_operators(weight: Tensor, indices: Tensor, starts: Tensor, mode: int, per_sample_weights: Optional[Tensor], ignored: int) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
  bags = torch.numel(starts)
  begun = torch.index_add(torch.zeros([torch.numel(indices) + 1], dtype=4), 0, starts, torch.ones_like(starts))
  bag = torch.narrow(torch.cumsum(begun, 0), 0, 0, torch.numel(indices)) - 1
  kept = indices != ignored
  rows = torch.index_select(weight, 0, indices)
  counts = torch.scatter_add(torch.zeros([bags], dtype=4), 0, bag, torch.to(kept, 4))
  if mode == 2:
    made, best = __torch__.torch.derivatives.layers.greatest_of_bags(torch.detach(rows), torch.detach(indices), bag, kept, bags)
    if torch.numel(indices) > 0:
      made = torch.masked_fill(torch.gather(weight, 0, best), torch.unsqueeze(torch.eq(counts, 0), 1), 0)
    return (made, bag, counts, best)
  if per_sample_weights is not None:
    rows = rows * torch.unsqueeze(per_sample_weights, 1)
  if ignored >= 0:
    rows = torch.masked_fill(rows, torch.unsqueeze(torch.logical_not(kept), 1), 0)
  made = torch.index_add(torch.zeros([bags, torch.size(weight, 1)], dtype=weight.dtype), 0, bag, rows)
  if mode == 1:
    made = made / torch.unsqueeze(torch.clamp_min(counts, 1), 1)
  return (made, bag, counts, torch.zeros([0, torch.size(weight, 1)], dtype=4))

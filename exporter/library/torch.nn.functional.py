# Functions of torch.nn.functional that are more than one operator.
def relu(input: Tensor, inplace: bool=False) -> Tensor:
  return torch.relu_(input) if inplace else torch.relu(input)


def relu6(input: Tensor, inplace: bool=False) -> Tensor:
  return torch.relu6_(input) if inplace else torch.relu6(input)


def elu(input: Tensor, alpha: float=1.0, inplace: bool=False) -> Tensor:
  return torch.elu_(input, alpha) if inplace else torch.elu(input, alpha)


def celu(input: Tensor, alpha: float=1.0, inplace: bool=False) -> Tensor:
  return torch.celu_(input, alpha) if inplace else torch.celu(input, alpha)


def selu(input: Tensor, inplace: bool=False) -> Tensor:
  return torch.selu_(input) if inplace else torch.selu(input)


def leaky_relu(input: Tensor, negative_slope: float=0.01, inplace: bool=False) -> Tensor:
  return torch.leaky_relu_(input, negative_slope) if inplace else torch.leaky_relu(input, negative_slope)


def hardtanh(input: Tensor, min_val: float=-1.0, max_val: float=1.0, inplace: bool=False) -> Tensor:
  return torch.hardtanh_(input, min_val, max_val) if inplace else torch.hardtanh(input, min_val, max_val)


def hardsigmoid(input: Tensor, inplace: bool=False) -> Tensor:
  return torch.hardsigmoid_(input) if inplace else torch.hardsigmoid(input)


def hardswish(input: Tensor, inplace: bool=False) -> Tensor:
  return torch.hardswish_(input) if inplace else torch.hardswish(input)


def silu(input: Tensor, inplace: bool=False) -> Tensor:
  return torch.silu_(input) if inplace else torch.silu(input)


def mish(input: Tensor, inplace: bool=False) -> Tensor:
  return torch.mish_(input) if inplace else torch.mish(input)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool=False) -> Tensor:
  return torch.threshold_(input, threshold, value) if inplace else torch.threshold(input, threshold, value)


def sigmoid(input: Tensor) -> Tensor:
  return torch.sigmoid(input)


def tanh(input: Tensor) -> Tensor:
  return torch.tanh(input)


def glu(input: Tensor, dim: int=-1) -> Tensor:
  return torch.glu(input, dim)


def softsign(input: Tensor) -> Tensor:
  return torch.div(input, torch.add(torch.abs(input), 1))


def tanhshrink(input: Tensor) -> Tensor:
  return torch.sub(input, torch.tanh(input))


def implicit_softmax_dim(ndim: int) -> int:
  return 0 if ndim == 0 or ndim == 1 or ndim == 3 else 1


def softmax(input: Tensor, dim: Optional[int]=None, _stacklevel: int=3, dtype: Optional[int]=None) -> Tensor:
  d = __torch__.torch.nn.functional.implicit_softmax_dim(torch.dim(input)) if dim is None else dim
  return torch.softmax(input, d) if dtype is None else torch.softmax(input, d, dtype)


def log_softmax(input: Tensor, dim: Optional[int]=None, _stacklevel: int=3, dtype: Optional[int]=None) -> Tensor:
  d = __torch__.torch.nn.functional.implicit_softmax_dim(torch.dim(input)) if dim is None else dim
  return torch.log_softmax(input, d) if dtype is None else torch.log_softmax(input, d, dtype)


def dropout(input: Tensor, p: float=0.5, training: bool=True, inplace: bool=False) -> Tensor:
  if p < 0. or p > 1.:
    ops.prim.RaiseException(torch.format("dropout probability has to be between 0 and 1, but got {}", p), "builtins.ValueError")
  return torch.dropout_(input, p, training) if inplace else torch.dropout(input, p, training)


def max_pool1d(input: Tensor, kernel_size: BroadcastingList1[int], stride: Optional[BroadcastingList1[int]]=None,
    padding: BroadcastingList1[int]=0, dilation: BroadcastingList1[int]=1, ceil_mode: bool=False,
    return_indices: Literal[False]=False) -> Tensor:
  s = annotate(List[int], []) if stride is None else stride
  return torch.max_pool1d(input, kernel_size, s, padding, dilation, ceil_mode)


def max_pool1d__2(input: Tensor, kernel_size: BroadcastingList1[int], stride: Optional[BroadcastingList1[int]]=None,
    padding: BroadcastingList1[int]=0, dilation: BroadcastingList1[int]=1, ceil_mode: bool=False,
    return_indices: Literal[True]=True) -> Tuple[Tensor, Tensor]:
  s = annotate(List[int], []) if stride is None else stride
  return torch.max_pool1d_with_indices(input, kernel_size, s, padding, dilation, ceil_mode)


def max_pool2d(input: Tensor, kernel_size: BroadcastingList2[int], stride: Optional[BroadcastingList2[int]]=None,
    padding: BroadcastingList2[int]=0, dilation: BroadcastingList2[int]=1, ceil_mode: bool=False,
    return_indices: Literal[False]=False) -> Tensor:
  s = annotate(List[int], []) if stride is None else stride
  return torch.max_pool2d(input, kernel_size, s, padding, dilation, ceil_mode)


def max_pool2d__2(input: Tensor, kernel_size: BroadcastingList2[int], stride: Optional[BroadcastingList2[int]]=None,
    padding: BroadcastingList2[int]=0, dilation: BroadcastingList2[int]=1, ceil_mode: bool=False,
    return_indices: Literal[True]=True) -> Tuple[Tensor, Tensor]:
  s = annotate(List[int], []) if stride is None else stride
  return torch.max_pool2d_with_indices(input, kernel_size, s, padding, dilation, ceil_mode)


def adaptive_avg_pool2d(input: Tensor, output_size: BroadcastingList2[int]) -> Tensor:
  return torch.adaptive_avg_pool2d(input, output_size)


def layer_norm(input: Tensor, normalized_shape: List[int], weight: Optional[Tensor]=None, bias: Optional[Tensor]=None,
    eps: float=1e-05) -> Tensor:
  return torch.layer_norm(input, normalized_shape, weight, bias, eps, False)


def rms_norm(input: Tensor, normalized_shape: List[int], weight: Optional[Tensor]=None, eps: Optional[float]=None) -> Tensor:
  return torch.rms_norm(input, normalized_shape, weight, eps)


# Statistics need more than one value: `first`, of the dimensions before those of space, times these.
def refuse_single_value(first: int, space: List[int], size: List[int], what: str) -> NoneType:
  count = first
  for n in space:
    count = count * n
  if count == 1:
    ops.prim.RaiseException(torch.format("Expected more than 1 {} when training, got input size {}", what, size), "builtins.ValueError")


def group_norm(input: Tensor, num_groups: int, weight: Optional[Tensor]=None, bias: Optional[Tensor]=None,
    eps: float=1e-05) -> Tensor:
  sizes = torch.size(input)
  if len(sizes) < 2:
    ops.prim.RaiseException(torch.format("Expected at least 2 dimensions for input tensor but received {}", len(sizes)))
  first = sizes[0] * sizes[1] // num_groups
  __torch__.torch.nn.functional.refuse_single_value(first, sizes[2:], [first, num_groups] + sizes[2:], "value per channel")
  return torch.group_norm(input, num_groups, weight, bias, eps, False)


def batch_norm(input: Tensor, running_mean: Optional[Tensor], running_var: Optional[Tensor], weight: Optional[Tensor]=None,
    bias: Optional[Tensor]=None, training: bool=False, momentum: float=0.1, eps: float=1e-05) -> Tensor:
  if training:
    sizes = torch.size(input)
    __torch__.torch.nn.functional.refuse_single_value(sizes[0], sizes[2:], sizes, "value per channel")
  return torch.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, False)


def embedding(input: Tensor, weight: Tensor, padding_idx: Optional[int]=None, max_norm: Optional[float]=None,
    norm_type: float=2., scale_grad_by_freq: bool=False, sparse: bool=False) -> Tensor:
  p = -1 if padding_idx is None else padding_idx
  return torch.embedding(weight, input, p, scale_grad_by_freq, sparse)


def normalize(input: Tensor, p: float=2.0, dim: int=1, eps: float=1e-12) -> Tensor:
  denominator = torch.expand_as(torch.clamp_min(torch.norm(input, p, [dim], True), eps), input)
  return torch.div(input, denominator)


def reduction_number(reduction: str) -> int:
  if reduction == "none":
    return 0
  if reduction == "mean":
    return 1
  if reduction == "sum":
    return 2
  ops.prim.RaiseException(torch.format("{} is not a valid value for reduction", reduction), "builtins.ValueError")
  return -1


def check_loss_weight(weight: Tensor, input: Tensor) -> None:
  if torch.size(weight) != torch.size(input):
    ops.prim.RaiseException("Weights and input must have the same size.", "builtins.ValueError")


def weighted(loss: Tensor, weight: Tensor, reduction: str) -> Tensor:
  # The mean of weighted losses is over the weights.
  number = __torch__.torch.nn.functional.reduction_number(reduction)
  product = torch.mul(loss, weight)
  if number == 1:
    return torch.div(torch.sum(product), torch.sum(weight))
  return torch.sum(product) if number == 2 else product


def mse_loss(input: Tensor, target: Tensor, size_average: Optional[bool]=None, reduce: Optional[bool]=None,
    reduction: str="mean", weight: Optional[Tensor]=None) -> Tensor:
  if weight is not None:
    __torch__.torch.nn.functional.check_loss_weight(unchecked_cast(Tensor, weight), input)
    return __torch__.torch.nn.functional.weighted(torch.mse_loss(input, target, 0), unchecked_cast(Tensor, weight), reduction)
  return torch.mse_loss(input, target, __torch__.torch.nn.functional.reduction_number(reduction))


def l1_loss(input: Tensor, target: Tensor, size_average: Optional[bool]=None, reduce: Optional[bool]=None,
    reduction: str="mean", weight: Optional[Tensor]=None) -> Tensor:
  if weight is not None:
    __torch__.torch.nn.functional.check_loss_weight(unchecked_cast(Tensor, weight), input)
    return __torch__.torch.nn.functional.weighted(torch.l1_loss(input, target, 0), unchecked_cast(Tensor, weight), reduction)
  return torch.l1_loss(input, target, __torch__.torch.nn.functional.reduction_number(reduction))


def nll_loss(input: Tensor, target: Tensor, weight: Optional[Tensor]=None, size_average: Optional[bool]=None,
    ignore_index: int=-100, reduce: Optional[bool]=None, reduction: str="mean") -> Tensor:
  return torch.nll_loss_nd(input, target, weight, __torch__.torch.nn.functional.reduction_number(reduction), ignore_index)


def cross_entropy(input: Tensor, target: Tensor, weight: Optional[Tensor]=None, size_average: Optional[bool]=None,
    ignore_index: int=-100, reduce: Optional[bool]=None, reduction: str="mean", label_smoothing: float=0.) -> Tensor:
  r = __torch__.torch.nn.functional.reduction_number(reduction)
  return torch.cross_entropy_loss(input, target, weight, r, ignore_index, label_smoothing)


def hardshrink(input: Tensor, lambd: float=0.5) -> Tensor:
  return torch.hardshrink(input, lambd)


def rrelu(input: Tensor, lower: float=0.125, upper: float=0.3333333333333333, training: bool=False,
    inplace: bool=False) -> Tensor:
  return torch.rrelu_(input, lower, upper, training) if inplace else torch.rrelu(input, lower, upper, training)


def softmin(input: Tensor, dim: Optional[int]=None, _stacklevel: int=3, dtype: Optional[int]=None) -> Tensor:
  return __torch__.torch.nn.functional.softmax(torch.neg(input), dim, _stacklevel, dtype)


def feature_dropout(input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
  if p < 0. or p > 1.:
    ops.prim.RaiseException(torch.format("dropout probability has to be between 0 and 1, but got {}", p), "builtins.ValueError")
  return torch.feature_dropout_(input, p, training) if inplace else torch.feature_dropout(input, p, training)


def dropout1d(input: Tensor, p: float=0.5, training: bool=True, inplace: bool=False) -> Tensor:
  batched = torch.dim(input) == 3
  x = input if batched else torch.unsqueeze(input, 0)
  y = __torch__.torch.nn.functional.feature_dropout(x, p, training, inplace)
  return y if batched else torch.squeeze(y, 0)


def dropout2d(input: Tensor, p: float=0.5, training: bool=True, inplace: bool=False) -> Tensor:
  return __torch__.torch.nn.functional.feature_dropout(input, p, training, inplace)


def dropout3d(input: Tensor, p: float=0.5, training: bool=True, inplace: bool=False) -> Tensor:
  return __torch__.torch.nn.functional.feature_dropout(input, p, training, inplace)


def alpha_dropout(input: Tensor, p: float=0.5, training: bool=False, inplace: bool=False) -> Tensor:
  return torch.alpha_dropout_(input, p, training) if inplace else torch.alpha_dropout(input, p, training)


def feature_alpha_dropout(input: Tensor, p: float=0.5, training: bool=False, inplace: bool=False) -> Tensor:
  return torch.feature_alpha_dropout_(input, p, training) if inplace else torch.feature_alpha_dropout(input, p, training)


def instance_norm(input: Tensor, running_mean: Optional[Tensor]=None, running_var: Optional[Tensor]=None,
    weight: Optional[Tensor]=None, bias: Optional[Tensor]=None, use_input_stats: bool=True, momentum: float=0.1,
    eps: float=1e-05) -> Tensor:
  if use_input_stats:
    sizes = torch.size(input)
    __torch__.torch.nn.functional.refuse_single_value(1, sizes[2:], sizes, "spatial element")
  return torch.instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, False)


def local_response_norm(input: Tensor, size: int, alpha: float=0.0001, beta: float=0.75, k: float=1.) -> Tensor:
  # The mean of squares over a window of channels, which become the last but one of two spatial dimensions.
  count = torch.dim(input)
  square = torch.mul(input, input)
  if count == 3:
    padded = torch.constant_pad_nd(torch.unsqueeze(square, 1), [0, 0, size // 2, (size - 1) // 2], 0.)
    mean = torch.squeeze(torch.avg_pool2d(padded, [size, 1], [1, 1]), 1)
  else:
    sizes = torch.size(input)
    folded = torch.view(square, [sizes[0], 1, sizes[1], sizes[2], -1])
    padded = torch.constant_pad_nd(folded, [0, 0, 0, 0, size // 2, (size - 1) // 2], 0.)
    mean = torch.view(torch.squeeze(torch.avg_pool3d(padded, [size, 1, 1], [1, 1, 1]), 1), sizes)
  return torch.div(input, torch.pow(torch.add(torch.mul(mean, alpha), k), beta))


def embedding_bag_mode(mode: str) -> int:
  if mode == "sum":
    return 0
  if mode == "mean":
    return 1
  if mode == "max":
    return 2
  ops.prim.RaiseException("mode has to be one of sum, mean or max", "builtins.ValueError")
  return -1


def embedding_bag(input: Tensor, weight: Tensor, offsets: Optional[Tensor]=None, max_norm: Optional[float]=None,
    norm_type: float=2., scale_grad_by_freq: bool=False, mode: str="mean", sparse: bool=False,
    per_sample_weights: Optional[Tensor]=None, include_last_offset: bool=False, padding_idx: Optional[int]=None) -> Tensor:
  table = weight
  places = input
  if ops.prim.dtype(weight) == 4 and torch.is_floating_point(input):
    table = input
    places = weight
  if offsets is None:
    width = torch.size(places, 1)
    starts = torch.arange(0, torch.numel(places), width, dtype=places.dtype)
    indices = torch.reshape(places, [-1])
  else:
    starts = unchecked_cast(Tensor, offsets)
    indices = places
  if per_sample_weights is None:
    scales = annotate(Optional[Tensor], None)
  else:
    scales = annotate(Optional[Tensor], torch.reshape(unchecked_cast(Tensor, per_sample_weights), [-1]))
  number = __torch__.torch.nn.functional.embedding_bag_mode(mode)
  bag, _1, _2, _3 = torch.embedding_bag(table, indices, starts, scale_grad_by_freq, number, sparse, scales, include_last_offset, padding_idx)
  return bag


def max_pool3d(input: Tensor, kernel_size: BroadcastingList3[int], stride: Optional[BroadcastingList3[int]]=None,
    padding: BroadcastingList3[int]=0, dilation: BroadcastingList3[int]=1, ceil_mode: bool=False,
    return_indices: Literal[False]=False) -> Tensor:
  s = annotate(List[int], []) if stride is None else stride
  return torch.max_pool3d(input, kernel_size, s, padding, dilation, ceil_mode)


def max_pool3d__2(input: Tensor, kernel_size: BroadcastingList3[int], stride: Optional[BroadcastingList3[int]]=None,
    padding: BroadcastingList3[int]=0, dilation: BroadcastingList3[int]=1, ceil_mode: bool=False,
    return_indices: Literal[True]=True) -> Tuple[Tensor, Tensor]:
  s = annotate(List[int], []) if stride is None else stride
  return torch.max_pool3d_with_indices(input, kernel_size, s, padding, dilation, ceil_mode)


def max_pool1d_with_indices(input: Tensor, kernel_size: BroadcastingList1[int], stride: Optional[BroadcastingList1[int]]=None,
    padding: BroadcastingList1[int]=0, dilation: BroadcastingList1[int]=1, ceil_mode: bool=False) -> Tuple[Tensor, Tensor]:
  s = annotate(List[int], []) if stride is None else stride
  return torch.max_pool1d_with_indices(input, kernel_size, s, padding, dilation, ceil_mode)


def max_pool2d_with_indices(input: Tensor, kernel_size: BroadcastingList2[int], stride: Optional[BroadcastingList2[int]]=None,
    padding: BroadcastingList2[int]=0, dilation: BroadcastingList2[int]=1, ceil_mode: bool=False) -> Tuple[Tensor, Tensor]:
  s = annotate(List[int], []) if stride is None else stride
  return torch.max_pool2d_with_indices(input, kernel_size, s, padding, dilation, ceil_mode)


def max_pool3d_with_indices(input: Tensor, kernel_size: BroadcastingList3[int], stride: Optional[BroadcastingList3[int]]=None,
    padding: BroadcastingList3[int]=0, dilation: BroadcastingList3[int]=1, ceil_mode: bool=False) -> Tuple[Tensor, Tensor]:
  s = annotate(List[int], []) if stride is None else stride
  return torch.max_pool3d_with_indices(input, kernel_size, s, padding, dilation, ceil_mode)


def unpooled_size(input: Tensor, kernel_size: List[int], stride: List[int], padding: List[int],
    output_size: Optional[List[int]]) -> List[int]:
  dims = torch.len(kernel_size)
  sizes = annotate(List[int], [])
  for i in range(dims):
    _0 = torch.append(sizes, (torch.size(input, i - dims) - 1) * stride[i] + kernel_size[i] - 2 * padding[i])
  if output_size is None:
    return sizes
  given = torch.len(output_size)
  if given != dims and given != dims + 2:
    ops.prim.RaiseException(torch.format("output_size should be a sequence containing {} or {} elements, but it has a length of '{}'",
        dims, dims + 2, given), "builtins.ValueError")
  wanted = output_size[given - dims:]
  for i in range(dims):
    least = sizes[i] - stride[i]
    most = sizes[i] + stride[i]
    if wanted[i] <= least or wanted[i] >= most:
      ops.prim.RaiseException(torch.format("invalid output_size \"{}\" (dim {} must be between {} and {})", wanted, i, least, most),
          "builtins.ValueError")
  return wanted


def max_unpool1d(input: Tensor, indices: Tensor, kernel_size: BroadcastingList1[int],
    stride: Optional[BroadcastingList1[int]]=None, padding: BroadcastingList1[int]=0,
    output_size: Optional[List[int]]=None) -> Tensor:
  s = kernel_size if stride is None else stride
  sizes = __torch__.torch.nn.functional.unpooled_size(input, kernel_size, s, padding, output_size)
  out = torch.max_unpool2d(torch.unsqueeze(input, -1), torch.unsqueeze(indices, -1), [sizes[0], 1])
  return torch.squeeze(out, -1)


def max_unpool2d(input: Tensor, indices: Tensor, kernel_size: BroadcastingList2[int],
    stride: Optional[BroadcastingList2[int]]=None, padding: BroadcastingList2[int]=0,
    output_size: Optional[List[int]]=None) -> Tensor:
  s = kernel_size if stride is None else stride
  return torch.max_unpool2d(input, indices, __torch__.torch.nn.functional.unpooled_size(input, kernel_size, s, padding, output_size))


def max_unpool3d(input: Tensor, indices: Tensor, kernel_size: BroadcastingList3[int],
    stride: Optional[BroadcastingList3[int]]=None, padding: BroadcastingList3[int]=0,
    output_size: Optional[List[int]]=None) -> Tensor:
  s = kernel_size if stride is None else stride
  sizes = __torch__.torch.nn.functional.unpooled_size(input, kernel_size, s, padding, output_size)
  return torch.max_unpool3d(input, indices, sizes, s, padding)


def adaptive_avg_pool3d(input: Tensor, output_size: BroadcastingList3[int]) -> Tensor:
  return torch.adaptive_avg_pool3d(input, output_size)


def adaptive_max_pool1d_with_indices(input: Tensor, output_size: BroadcastingList1[int]) -> Tuple[Tensor, Tensor]:
  return torch.adaptive_max_pool1d(input, output_size)


def adaptive_max_pool2d_with_indices(input: Tensor, output_size: BroadcastingList2[int]) -> Tuple[Tensor, Tensor]:
  return torch.adaptive_max_pool2d(input, output_size)


def adaptive_max_pool3d_with_indices(input: Tensor, output_size: BroadcastingList3[int]) -> Tuple[Tensor, Tensor]:
  return torch.adaptive_max_pool3d(input, output_size)


def adaptive_max_pool1d(input: Tensor, output_size: BroadcastingList1[int], return_indices: Literal[False]=False) -> Tensor:
  return (torch.adaptive_max_pool1d(input, output_size))[0]


def adaptive_max_pool1d__2(input: Tensor, output_size: BroadcastingList1[int], return_indices: Literal[True]=True) -> Tuple[Tensor, Tensor]:
  return torch.adaptive_max_pool1d(input, output_size)


def adaptive_max_pool2d(input: Tensor, output_size: BroadcastingList2[int], return_indices: Literal[False]=False) -> Tensor:
  return (torch.adaptive_max_pool2d(input, output_size))[0]


def adaptive_max_pool2d__2(input: Tensor, output_size: BroadcastingList2[int], return_indices: Literal[True]=True) -> Tuple[Tensor, Tensor]:
  return torch.adaptive_max_pool2d(input, output_size)


def adaptive_max_pool3d(input: Tensor, output_size: BroadcastingList3[int], return_indices: Literal[False]=False) -> Tensor:
  return (torch.adaptive_max_pool3d(input, output_size))[0]


def adaptive_max_pool3d__2(input: Tensor, output_size: BroadcastingList3[int], return_indices: Literal[True]=True) -> Tuple[Tensor, Tensor]:
  return torch.adaptive_max_pool3d(input, output_size)


def lp_root(sums: Tensor, norm_type: float, count: int) -> Tensor:
  positive = torch.mul(torch.sign(sums), torch.relu(torch.abs(sums)))
  return torch.pow(torch.mul(positive, count), torch.div(1., norm_type))


def lp_pool1d(input: Tensor, norm_type: float, kernel_size: int, stride: Optional[int]=None, ceil_mode: bool=False) -> Tensor:
  s = kernel_size if stride is None else stride
  means = torch.avg_pool1d(torch.pow(input, norm_type), [kernel_size], [s], [0], ceil_mode)
  return __torch__.torch.nn.functional.lp_root(means, norm_type, kernel_size)


def lp_pool2d(input: Tensor, norm_type: float, kernel_size: BroadcastingList2[int],
    stride: Optional[BroadcastingList2[int]]=None, ceil_mode: bool=False) -> Tensor:
  s = kernel_size if stride is None else stride
  means = torch.avg_pool2d(torch.pow(input, norm_type), kernel_size, s, [0, 0], ceil_mode)
  return __torch__.torch.nn.functional.lp_root(means, norm_type, torch.mul(kernel_size[0], kernel_size[1]))


def lp_pool3d(input: Tensor, norm_type: float, kernel_size: BroadcastingList3[int],
    stride: Optional[BroadcastingList3[int]]=None, ceil_mode: bool=False) -> Tensor:
  s = kernel_size if stride is None else stride
  means = torch.avg_pool3d(torch.pow(input, norm_type), kernel_size, s, [0, 0, 0], ceil_mode)
  return __torch__.torch.nn.functional.lp_root(means, norm_type, kernel_size[0] * kernel_size[1] * kernel_size[2])


def unfold(input: Tensor, kernel_size: BroadcastingList2[int], dilation: BroadcastingList2[int]=1,
    padding: BroadcastingList2[int]=0, stride: BroadcastingList2[int]=1) -> Tensor:
  return torch.im2col(input, kernel_size, dilation, padding, stride)


def fold(input: Tensor, output_size: BroadcastingList2[int], kernel_size: BroadcastingList2[int],
    dilation: BroadcastingList2[int]=1, padding: BroadcastingList2[int]=0, stride: BroadcastingList2[int]=1) -> Tensor:
  return torch.col2im(input, output_size, kernel_size, dilation, padding, stride)


def pairwise_distance(x1: Tensor, x2: Tensor, p: float=2., eps: float=1e-06, keepdim: bool=False) -> Tensor:
  return torch.norm(torch.add(torch.sub(x1, x2), eps), p, [-1], keepdim)


# ---- Resizing ----
# The forms of `size` and `scale_factor` are overloads: interpolate, interpolate__2, ...


def interpolate(input: Tensor, size: Optional[int]=None, scale_factor: Optional[float]=None, mode: str="nearest",
    align_corners: Optional[bool]=None, recompute_scale_factor: Optional[bool]=None, antialias: bool=False) -> Tensor:
  sizes = annotate(Optional[List[int]], None)
  scales = annotate(Optional[List[float]], None)
  dims = torch.dim(input) - 2
  if size is not None:
    sizes = annotate(Optional[List[int]], [unchecked_cast(int, size) for _0 in range(dims)])
  if scale_factor is not None:
    scales = annotate(Optional[List[float]], [unchecked_cast(float, scale_factor) for _1 in range(dims)])
  return __torch__.torch.decompositions.interpolation.interpolate_lists(input, sizes, scales, mode, align_corners, recompute_scale_factor, antialias)


def interpolate__2(input: Tensor, size: Optional[List[int]]=None, scale_factor: Optional[List[float]]=None, mode: str="nearest",
    align_corners: Optional[bool]=None, recompute_scale_factor: Optional[bool]=None, antialias: bool=False) -> Tensor:
  return __torch__.torch.decompositions.interpolation.interpolate_lists(input, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias)


def interpolate__3(input: Tensor, size: NoneType=None, scale_factor: int=1, mode: str="nearest",
    align_corners: Optional[bool]=None, recompute_scale_factor: Optional[bool]=None, antialias: bool=False) -> Tensor:
  scale = torch.Float(scale_factor)
  scales = [scale for _0 in range(torch.dim(input) - 2)]
  return __torch__.torch.decompositions.interpolation.interpolate_lists(input, None, scales, mode, align_corners, recompute_scale_factor, antialias)


def interpolate__4(input: Tensor, size: NoneType=None, scale_factor: List[int]=[1], mode: str="nearest",
    align_corners: Optional[bool]=None, recompute_scale_factor: Optional[bool]=None, antialias: bool=False) -> Tensor:
  scales = [torch.Float(factor) for factor in scale_factor]
  return __torch__.torch.decompositions.interpolation.interpolate_lists(input, None, scales, mode, align_corners, recompute_scale_factor, antialias)


# ---- Losses ----


def reduced(loss: Tensor, reduction: str) -> Tensor:
  number = __torch__.torch.nn.functional.reduction_number(reduction)
  if number == 1:
    return torch.mean(loss)
  return torch.sum(loss) if number == 2 else loss


def smooth_l1_loss(input: Tensor, target: Tensor, size_average: Optional[bool]=None, reduce: Optional[bool]=None,
    reduction: str="mean", beta: float=1.) -> Tensor:
  return torch.smooth_l1_loss(input, target, __torch__.torch.nn.functional.reduction_number(reduction), beta)


def huber_loss(input: Tensor, target: Tensor, reduction: str="mean", delta: float=1., weight: Optional[Tensor]=None) -> Tensor:
  # Unlike those of the squared and absolute losses, the mean is over all elements.
  if weight is not None:
    __torch__.torch.nn.functional.check_loss_weight(unchecked_cast(Tensor, weight), input)
    loss = torch.mul(torch.huber_loss(input, target, 0, delta), unchecked_cast(Tensor, weight))
    return __torch__.torch.nn.functional.reduced(loss, reduction)
  return torch.huber_loss(input, target, __torch__.torch.nn.functional.reduction_number(reduction), delta)


def soft_margin_loss(input: Tensor, target: Tensor, size_average: Optional[bool]=None, reduce: Optional[bool]=None,
    reduction: str="mean") -> Tensor:
  return torch.soft_margin_loss(input, target, __torch__.torch.nn.functional.reduction_number(reduction))


def binary_cross_entropy(input: Tensor, target: Tensor, weight: Optional[Tensor]=None, size_average: Optional[bool]=None,
    reduce: Optional[bool]=None, reduction: str="mean") -> Tensor:
  return torch.binary_cross_entropy(input, target, weight, __torch__.torch.nn.functional.reduction_number(reduction))


def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Optional[Tensor]=None,
    size_average: Optional[bool]=None, reduce: Optional[bool]=None, reduction: str="mean", pos_weight: Optional[Tensor]=None) -> Tensor:
  r = __torch__.torch.nn.functional.reduction_number(reduction)
  return torch.binary_cross_entropy_with_logits(input, target, weight, pos_weight, r)


def kl_div(input: Tensor, target: Tensor, size_average: Optional[bool]=None, reduce: Optional[bool]=None,
    reduction: str="mean", log_target: bool=False) -> Tensor:
  if reduction == "batchmean":
    total = torch.kl_div(input, target, 2, log_target=log_target)
    return torch.div(total, torch.size(input, 0)) if torch.dim(input) != 0 else total
  return torch.kl_div(input, target, __torch__.torch.nn.functional.reduction_number(reduction), log_target=log_target)


def poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool=True, full: bool=False,
    size_average: Optional[bool]=None, eps: float=1e-08, reduce: Optional[bool]=None, reduction: str="mean") -> Tensor:
  r = __torch__.torch.nn.functional.reduction_number(reduction)
  return torch.poisson_nll_loss(input, target, log_input, full, eps, r)


def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float=1., size_average: Optional[bool]=None,
    reduce: Optional[bool]=None, reduction: str="mean") -> Tensor:
  return torch.hinge_embedding_loss(input, target, margin, __torch__.torch.nn.functional.reduction_number(reduction))


def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float=0.,
    size_average: Optional[bool]=None, reduce: Optional[bool]=None, reduction: str="mean") -> Tensor:
  return torch.margin_ranking_loss(input1, input2, target, margin, __torch__.torch.nn.functional.reduction_number(reduction))


def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float=0.,
    size_average: Optional[bool]=None, reduce: Optional[bool]=None, reduction: str="mean") -> Tensor:
  return torch.cosine_embedding_loss(input1, input2, target, margin, __torch__.torch.nn.functional.reduction_number(reduction))


def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float=1., p: float=2., eps: float=1e-06,
    swap: bool=False, size_average: Optional[bool]=None, reduce: Optional[bool]=None, reduction: str="mean") -> Tensor:
  r = __torch__.torch.nn.functional.reduction_number(reduction)
  return torch.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, r)


def multi_margin_loss(input: Tensor, target: Tensor, p: int=1, margin: float=1., weight: Optional[Tensor]=None,
    size_average: Optional[bool]=None, reduce: Optional[bool]=None, reduction: str="mean") -> Tensor:
  r = __torch__.torch.nn.functional.reduction_number(reduction)
  return torch.multi_margin_loss(input, target, p, margin, weight, r)


def multilabel_margin_loss(input: Tensor, target: Tensor, size_average: Optional[bool]=None, reduce: Optional[bool]=None,
    reduction: str="mean") -> Tensor:
  return torch.multilabel_margin_loss(input, target, __torch__.torch.nn.functional.reduction_number(reduction))


def multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight: Optional[Tensor]=None,
    size_average: Optional[bool]=None, reduce: Optional[bool]=None, reduction: str="mean") -> Tensor:
  positive = torch.mul(target, torch.log_sigmoid(input))
  negative = torch.mul(torch.rsub(target, 1), torch.log_sigmoid(torch.neg(input)))
  loss = torch.neg(torch.add(positive, negative))
  if weight is not None:
    loss = torch.mul(loss, unchecked_cast(Tensor, weight))
  return __torch__.torch.nn.functional.reduced(torch.mean(loss, [-1]), reduction)


def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor, blank: int=0,
    reduction: str="mean", zero_infinity: bool=False) -> Tensor:
  r = __torch__.torch.nn.functional.reduction_number(reduction)
  return torch.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, r, zero_infinity)


# ---- Attention ----


def additive_mask(mask: Tensor, like: Tensor) -> Tensor:
  # A mask of bools or bytes says where nothing may be seen; others are added as they are.
  if torch.is_floating_point(mask):
    return mask
  zeros = torch.zeros(torch.size(mask), dtype=ops.prim.dtype(like))
  return torch.masked_fill(zeros, torch.to(mask, 11), -inf)


def project(input: Tensor, weight: Tensor, bias: Optional[Tensor], part: int) -> Tensor:
  # One of the three projections whose weights may stand in one tensor.
  if bias is None:
    return torch.linear(input, weight)
  width = torch.size(weight, 0)
  return torch.linear(input, weight, torch.slice(unchecked_cast(Tensor, bias), 0, part * width, (part + 1) * width))


def part_of(weight: Optional[Tensor], separate: Optional[Tensor], part: int, width: int) -> Tensor:
  if separate is not None:
    return unchecked_cast(Tensor, separate)
  return torch.slice(torch._unwrap_optional(weight), 0, part * width, (part + 1) * width)


def by_head(input: Tensor, heads: int) -> Tensor:
  # [length, batch, heads * width] to [batch * heads, length, width]
  length = torch.size(input, 0)
  batch = torch.size(input, 1)
  width = torch.size(input, 2) // heads
  return torch.transpose(torch.reshape(input, [length, torch.mul(batch, heads), width]), 0, 1)


def attention_mask(attn_mask: Optional[Tensor], key_padding_mask: Optional[Tensor], like: Tensor, heads: int) -> Optional[Tensor]:
  # Both masks as one that is added to scores of [batch * heads, target, source].
  mask = annotate(Optional[Tensor], None)
  if attn_mask is not None:
    given = __torch__.torch.nn.functional.additive_mask(unchecked_cast(Tensor, attn_mask), like)
    mask = annotate(Optional[Tensor], torch.unsqueeze(given, 0) if torch.dim(given) == 2 else given)
  if key_padding_mask is not None:
    padding = __torch__.torch.nn.functional.additive_mask(unchecked_cast(Tensor, key_padding_mask), like)
    batch = torch.size(padding, 0)
    length = torch.size(padding, 1)
    wide = torch.expand(torch.view(padding, [batch, 1, 1, length]), [batch, heads, 1, length])
    padding = torch.reshape(wide, [torch.mul(batch, heads), 1, length])
    if mask is None:
      mask = annotate(Optional[Tensor], padding)
    else:
      mask = annotate(Optional[Tensor], torch.add(unchecked_cast(Tensor, mask), padding))
  return mask


def padded_mask(mask: Optional[Tensor], count: int) -> Optional[Tensor]:
  # Keys that were added at the end are seen by all.
  if mask is None:
    return None
  return torch.constant_pad_nd(unchecked_cast(Tensor, mask), [0, count], 0)


def multi_head_attention_forward(query: Tensor, key: Tensor, value: Tensor, embed_dim_to_check: int, num_heads: int,
    in_proj_weight: Optional[Tensor], in_proj_bias: Optional[Tensor], bias_k: Optional[Tensor], bias_v: Optional[Tensor],
    add_zero_attn: bool, dropout_p: float, out_proj_weight: Tensor, out_proj_bias: Optional[Tensor], training: bool=True,
    key_padding_mask: Optional[Tensor]=None, need_weights: bool=True, attn_mask: Optional[Tensor]=None,
    use_separate_proj_weight: bool=False, q_proj_weight: Optional[Tensor]=None, k_proj_weight: Optional[Tensor]=None,
    v_proj_weight: Optional[Tensor]=None, static_k: Optional[Tensor]=None, static_v: Optional[Tensor]=None,
    average_attn_weights: bool=True, is_causal: bool=False) -> Tuple[Tensor, Optional[Tensor]]:
  if static_k is not None or static_v is not None:
    ops.prim.RaiseException("static keys and values are not supported", "builtins.NotImplementedError")
  batched = torch.dim(query) == 3
  padding = key_padding_mask
  if batched:
    q = query
    k = key
    v = value
  else:
    q = torch.unsqueeze(query, 1)
    k = torch.unsqueeze(key, 1)
    v = torch.unsqueeze(value, 1)
    if padding is not None:
      padding = annotate(Optional[Tensor], torch.unsqueeze(unchecked_cast(Tensor, padding), 0))
  if torch.size(q, 2) != embed_dim_to_check:
    ops.prim.RaiseException(torch.format("was expecting embedding dimension of {}, but got {}", embed_dim_to_check, torch.size(q, 2)), "builtins.AssertionError")
  target = torch.size(q, 0)
  batch = torch.size(q, 1)
  width = torch.size(q, 2)
  w_q = __torch__.torch.nn.functional.part_of(in_proj_weight, q_proj_weight, 0, width)
  w_k = __torch__.torch.nn.functional.part_of(in_proj_weight, k_proj_weight, 1, width)
  w_v = __torch__.torch.nn.functional.part_of(in_proj_weight, v_proj_weight, 2, width)
  q = __torch__.torch.nn.functional.project(q, w_q, in_proj_bias, 0)
  k = __torch__.torch.nn.functional.project(k, w_k, in_proj_bias, 1)
  v = __torch__.torch.nn.functional.project(v, w_v, in_proj_bias, 2)
  seen = attn_mask
  if is_causal and attn_mask is None:
    ops.prim.RaiseException("Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
                            "`generate_square_subsequent_mask` to create this mask.", "builtins.RuntimeError")
  if is_causal and padding is None and not need_weights:
    seen = annotate(Optional[Tensor], torch.triu(torch.full([target, torch.size(k, 0)], -inf, dtype=ops.prim.dtype(q)), 1))
  mask = __torch__.torch.nn.functional.attention_mask(seen, padding, q, num_heads)
  if bias_k is not None and bias_v is not None:
    k = torch.cat([k, torch.repeat(unchecked_cast(Tensor, bias_k), [1, batch, 1])])
    v = torch.cat([v, torch.repeat(unchecked_cast(Tensor, bias_v), [1, batch, 1])])
    mask = __torch__.torch.nn.functional.padded_mask(mask, 1)
  if add_zero_attn:
    zeros = torch.zeros([1, batch, width], dtype=ops.prim.dtype(k))
    k = torch.cat([k, zeros])
    v = torch.cat([v, zeros])
    mask = __torch__.torch.nn.functional.padded_mask(mask, 1)
  q = __torch__.torch.nn.functional.by_head(q, num_heads)
  k = __torch__.torch.nn.functional.by_head(k, num_heads)
  v = __torch__.torch.nn.functional.by_head(v, num_heads)
  scores = torch.bmm(torch.div(q, torch.sqrt(torch.size(q, 2))), torch.transpose(k, 1, 2))
  if mask is not None:
    scores = torch.add(scores, unchecked_cast(Tensor, mask))
  weights = torch.softmax(scores, -1)
  weights = torch.dropout(weights, dropout_p, training)
  out = torch.reshape(torch.transpose(torch.bmm(weights, v), 0, 1), [torch.mul(target, batch), width])
  out = torch.reshape(torch.linear(out, out_proj_weight, out_proj_bias), [target, batch, width])
  if not batched:
    out = torch.squeeze(out, 1)
  if not need_weights:
    return (out, None)
  shown = torch.view(weights, [batch, num_heads, target, torch.size(k, 1)])
  if average_attn_weights:
    shown = torch.mean(shown, [1])
  if not batched:
    shown = torch.squeeze(shown, 0)
  return (out, shown)


# ---- Sampling ----

def grid_sample(input: Tensor, grid: Tensor, mode: str="bilinear", padding_mode: str="zeros", align_corners: Optional[bool]=None) -> Tensor:
  modes = ["bilinear", "nearest", "bicubic"]
  paddings = ["zeros", "border", "reflection"]
  if mode not in modes:
    ops.prim.RaiseException(torch.format("nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{}'",
                                         mode), "builtins.ValueError")
  if padding_mode not in paddings:
    ops.prim.RaiseException(torch.format("nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but "
                                         "got: '{}'", padding_mode), "builtins.ValueError")
  corners = False if align_corners is None else align_corners
  return torch.grid_sampler(input, grid, torch.index(modes, mode), torch.index(paddings, padding_mode), corners)


def affine_grid(theta: Tensor, size: List[int], align_corners: Optional[bool]=None) -> Tensor:
  if len(size) != 4 and len(size) != 5:
    ops.prim.RaiseException(torch.format("affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size {}.",
                                         size), "builtins.NotImplementedError")
  if min(size) <= 0:
    ops.prim.RaiseException(torch.format("Expected non-zero, positive output size. Got {}", size), "builtins.ValueError")
  corners = False if align_corners is None else align_corners
  return torch.affine_grid_generator(theta, size, corners)


def gumbel_softmax(logits: Tensor, tau: float=1.0, hard: bool=False, eps: float=1e-10, dim: int=-1) -> Tensor:
  noise = torch.neg(torch.log(torch.exponential_(torch.empty_like(logits, memory_format=2))))
  soft = torch.softmax((logits + noise) / tau, dim)
  if not hard:
    return soft
  index = torch.argmax(soft, dim, True)
  sharp = torch.scatter(torch.zeros_like(logits, memory_format=2), dim, index, 1.0)
  return sharp - torch.detach(soft) + soft


# ---- More activations and losses ----

def logsigmoid(input: Tensor) -> Tensor:
  return torch.log_sigmoid(input)


def gaussian_variance(input: Tensor, var: Tensor) -> Tensor:
  sizes = torch.size(input)
  own = torch.size(var)
  if own == sizes:
    return var
  if sizes[:-1] == own:
    return torch.unsqueeze(var, -1)
  if not (sizes[:-1] == own[:-1] and own[-1] == 1):
    ops.prim.RaiseException("var is of incorrect size", "builtins.ValueError")
  return var


def gaussian_nll_loss(input: Tensor, target: Tensor, var: Tensor, full: bool=False, eps: float=1e-06, reduction: str="mean") -> Tensor:
  variance = __torch__.torch.nn.functional.gaussian_variance(input, var)
  if reduction != "none" and reduction != "mean" and reduction != "sum":
    ops.prim.RaiseException(reduction + " is not valid", "builtins.ValueError")
  if bool(torch.any(variance < 0)):
    ops.prim.RaiseException("var has negative entry/entries", "builtins.ValueError")
  variance = torch.clamp(variance, eps)
  loss = (torch.log(variance) + torch.pow(input - target, 2) / variance) * 0.5
  if full:
    loss = loss + 0.9189385332046727
  return __torch__.torch.nn.functional.reduced(loss, reduction)


# ---- What became interpolate ----

def upsample(input: Tensor, size: Optional[int]=None, scale_factor: Optional[float]=None, mode: str="nearest",
             align_corners: Optional[bool]=None) -> Tensor:
  return __torch__.torch.nn.functional.interpolate(input, size, scale_factor, mode, align_corners)


def upsample__2(input: Tensor, size: Optional[List[int]]=None, scale_factor: Optional[List[float]]=None, mode: str="nearest",
                align_corners: Optional[bool]=None) -> Tensor:
  return __torch__.torch.nn.functional.interpolate__2(input, size, scale_factor, mode, align_corners)


def upsample__3(input: Tensor, size: NoneType=None, scale_factor: int=1, mode: str="nearest", align_corners: Optional[bool]=None) -> Tensor:
  return __torch__.torch.nn.functional.interpolate__3(input, None, scale_factor, mode, align_corners)


def upsample_nearest(input: Tensor, size: Optional[int]=None, scale_factor: Optional[float]=None) -> Tensor:
  return __torch__.torch.nn.functional.interpolate(input, size, scale_factor, "nearest", None, None, False)


def upsample_nearest__2(input: Tensor, size: Optional[List[int]]=None, scale_factor: Optional[float]=None) -> Tensor:
  scales = annotate(Optional[List[float]], None)
  if scale_factor is not None:
    scales = annotate(Optional[List[float]], [unchecked_cast(float, scale_factor) for _0 in range(torch.dim(input) - 2)])
  return __torch__.torch.nn.functional.interpolate__2(input, size, scales, "nearest", None, None, False)


def upsample_bilinear(input: Tensor, size: Optional[int]=None, scale_factor: Optional[float]=None) -> Tensor:
  return __torch__.torch.nn.functional.interpolate(input, size, scale_factor, "bilinear", True, None, False)


def upsample_bilinear__2(input: Tensor, size: Optional[List[int]]=None, scale_factor: Optional[List[float]]=None) -> Tensor:
  return __torch__.torch.nn.functional.interpolate__2(input, size, scale_factor, "bilinear", True, None, False)


# ---- Maxima of cells of random sizes ----


def fractional_sizes(input: Tensor, output_size: Optional[List[int]], output_ratio: Optional[List[float]], n: int) -> List[int]:
  if output_size is not None:
    return unchecked_cast(List[int], output_size)
  if output_ratio is None:
    ops.prim.RaiseException(torch.format("fractional_max_pool{}d requires specifying either an output_size or an output_ratio", n), "builtins.ValueError")
  ratio = unchecked_cast(List[float], output_ratio)
  return [int(torch.size(input, d - n) * ratio[d]) for d in range(n)]


def fractional_samples(input: Tensor, given: Optional[Tensor], n: int) -> Tensor:
  if given is not None:
    return unchecked_cast(Tensor, given)
  batch = 1 if torch.dim(input) == n + 1 else torch.size(input, 0)
  return torch.rand([batch, torch.size(input, -1 - n), n], dtype=ops.prim.dtype(input))


def fractional_max_pool2d_with_indices(input: Tensor, kernel_size: BroadcastingList2[int], output_size: Optional[BroadcastingList2[int]]=None,
    output_ratio: Optional[BroadcastingList2[float]]=None, return_indices: bool=False, _random_samples: Optional[Tensor]=None) -> Tuple[Tensor, Tensor]:
  sizes = __torch__.torch.nn.functional.fractional_sizes(input, output_size, output_ratio, 2)
  return torch.fractional_max_pool2d(input, kernel_size, sizes, __torch__.torch.nn.functional.fractional_samples(input, _random_samples, 2))


def fractional_max_pool2d(input: Tensor, kernel_size: BroadcastingList2[int], output_size: Optional[BroadcastingList2[int]]=None,
    output_ratio: Optional[BroadcastingList2[float]]=None, return_indices: Literal[False]=False, _random_samples: Optional[Tensor]=None) -> Tensor:
  return (__torch__.torch.nn.functional.fractional_max_pool2d_with_indices(input, kernel_size, output_size, output_ratio, False, _random_samples))[0]


def fractional_max_pool2d__2(input: Tensor, kernel_size: BroadcastingList2[int], output_size: Optional[BroadcastingList2[int]]=None,
    output_ratio: Optional[BroadcastingList2[float]]=None, return_indices: Literal[True]=True, _random_samples: Optional[Tensor]=None) -> Tuple[Tensor, Tensor]:
  return __torch__.torch.nn.functional.fractional_max_pool2d_with_indices(input, kernel_size, output_size, output_ratio, True, _random_samples)


def fractional_max_pool3d_with_indices(input: Tensor, kernel_size: BroadcastingList3[int], output_size: Optional[BroadcastingList3[int]]=None,
    output_ratio: Optional[BroadcastingList3[float]]=None, return_indices: bool=False, _random_samples: Optional[Tensor]=None) -> Tuple[Tensor, Tensor]:
  sizes = __torch__.torch.nn.functional.fractional_sizes(input, output_size, output_ratio, 3)
  return torch.fractional_max_pool3d(input, kernel_size, sizes, __torch__.torch.nn.functional.fractional_samples(input, _random_samples, 3))


def fractional_max_pool3d(input: Tensor, kernel_size: BroadcastingList3[int], output_size: Optional[BroadcastingList3[int]]=None,
    output_ratio: Optional[BroadcastingList3[float]]=None, return_indices: Literal[False]=False, _random_samples: Optional[Tensor]=None) -> Tensor:
  return (__torch__.torch.nn.functional.fractional_max_pool3d_with_indices(input, kernel_size, output_size, output_ratio, False, _random_samples))[0]


def fractional_max_pool3d__2(input: Tensor, kernel_size: BroadcastingList3[int], output_size: Optional[BroadcastingList3[int]]=None,
    output_ratio: Optional[BroadcastingList3[float]]=None, return_indices: Literal[True]=True, _random_samples: Optional[Tensor]=None) -> Tuple[Tensor, Tensor]:
  return __torch__.torch.nn.functional.fractional_max_pool3d_with_indices(input, kernel_size, output_size, output_ratio, True, _random_samples)

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
    return_indices: bool=False) -> Tensor:
  s = annotate(List[int], []) if stride is None else stride
  return torch.max_pool1d(input, kernel_size, s, padding, dilation, ceil_mode)


def max_pool2d(input: Tensor, kernel_size: BroadcastingList2[int], stride: Optional[BroadcastingList2[int]]=None,
    padding: BroadcastingList2[int]=0, dilation: BroadcastingList2[int]=1, ceil_mode: bool=False,
    return_indices: bool=False) -> Tensor:
  s = annotate(List[int], []) if stride is None else stride
  return torch.max_pool2d(input, kernel_size, s, padding, dilation, ceil_mode)


def adaptive_avg_pool2d(input: Tensor, output_size: BroadcastingList2[int]) -> Tensor:
  return torch.adaptive_avg_pool2d(input, output_size)


def layer_norm(input: Tensor, normalized_shape: List[int], weight: Optional[Tensor]=None, bias: Optional[Tensor]=None,
    eps: float=1e-05) -> Tensor:
  return torch.layer_norm(input, normalized_shape, weight, bias, eps, False)


def group_norm(input: Tensor, num_groups: int, weight: Optional[Tensor]=None, bias: Optional[Tensor]=None,
    eps: float=1e-05) -> Tensor:
  return torch.group_norm(input, num_groups, weight, bias, eps, False)


def batch_norm(input: Tensor, running_mean: Optional[Tensor], running_var: Optional[Tensor], weight: Optional[Tensor]=None,
    bias: Optional[Tensor]=None, training: bool=False, momentum: float=0.1, eps: float=1e-05) -> Tensor:
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


def mse_loss(input: Tensor, target: Tensor, size_average: Optional[bool]=None, reduce: Optional[bool]=None,
    reduction: str="mean") -> Tensor:
  return torch.mse_loss(input, target, __torch__.torch.nn.functional.reduction_number(reduction))


def l1_loss(input: Tensor, target: Tensor, size_average: Optional[bool]=None, reduce: Optional[bool]=None,
    reduction: str="mean") -> Tensor:
  return torch.l1_loss(input, target, __torch__.torch.nn.functional.reduction_number(reduction))


def nll_loss(input: Tensor, target: Tensor, weight: Optional[Tensor]=None, size_average: Optional[bool]=None,
    ignore_index: int=-100, reduce: Optional[bool]=None, reduction: str="mean") -> Tensor:
  return torch.nll_loss_nd(input, target, weight, __torch__.torch.nn.functional.reduction_number(reduction), ignore_index)


def cross_entropy(input: Tensor, target: Tensor, weight: Optional[Tensor]=None, size_average: Optional[bool]=None,
    ignore_index: int=-100, reduce: Optional[bool]=None, reduction: str="mean", label_smoothing: float=0.) -> Tensor:
  r = __torch__.torch.nn.functional.reduction_number(reduction)
  return torch.cross_entropy_loss(input, target, weight, r, ignore_index, label_smoothing)

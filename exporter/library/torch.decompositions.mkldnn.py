# Operators on tensors in the layout of MKL-DNN (oneDNN), which PyTorch's freezing writes on desktops. Here such tensors
# are ordinary ones; programs that ask a tensor for its layout are refused
# (exporter/passes/lower/check_opaque_layouts.h).

def aten_to_mkldnn(self: Tensor, dtype: Optional[int]) -> Tensor:
  kind = self.dtype if dtype is None else dtype
  if self.dtype != 6 and self.dtype != 15:
    ops.prim.RaiseException("dense_to_mkldnn expects float or bfloat16 tensor input")
  if kind != 6 and kind != 15:
    ops.prim.RaiseException("dense_to_mkldnn supports float or bfloat16 only")
  return torch.contiguous(torch.to(self, kind, False, True))


def aten__mkldnn_reshape(self: Tensor, shape: List[int]) -> Tensor:
  return torch.clone(torch.reshape(self, shape))


def aten__mkldnn_transpose(self: Tensor, dim0: int, dim1: int) -> Tensor:
  return torch.contiguous(torch.transpose(self, dim0, dim1))


# ---- Layers ----

def aten_mkldnn_linear(self: Tensor, weight: Tensor, bias: Optional[Tensor]) -> Tensor:
  return torch.linear(self, weight, bias)


def aten_mkldnn_convolution(self: Tensor, weight: Tensor, bias: Optional[Tensor], padding: List[int], stride: List[int], dilation: List[int],
                            groups: int) -> Tensor:
  none = [0 for d in range(torch.dim(weight) - 2)]
  return torch.convolution(self, weight, bias, stride, padding, dilation, False, none, groups)


def prim_mkldnn_convolution(input: Tensor, weight: Tensor, bias: Optional[Tensor], stride: List[int], padding: List[int], dilation: List[int],
                            groups: int) -> Tensor:
  return torch.mkldnn_convolution(input, weight, bias, padding, stride, dilation, groups)


# Reordering changes where weights lie, and no more.
def aten_mkldnn_reorder_conv2d_weight(self: Tensor, padding: List[int], stride: List[int], dilation: List[int], groups: int,
                                      input_size: Optional[List[int]]) -> Tensor:
  return self


def aten_mkldnn_reorder_conv3d_weight(self: Tensor, padding: List[int], stride: List[int], dilation: List[int], groups: int,
                                      input_size: Optional[List[int]]) -> Tensor:
  return self


def aten_mkldnn_max_pool2d(self: Tensor, kernel_size: List[int], stride: List[int], padding: List[int], dilation: List[int],
                           ceil_mode: bool) -> Tensor:
  return torch.max_pool2d(self, kernel_size, stride, padding, dilation, ceil_mode)


def aten_mkldnn_max_pool3d(self: Tensor, kernel_size: List[int], stride: List[int], padding: List[int], dilation: List[int],
                           ceil_mode: bool) -> Tensor:
  return torch.max_pool3d(self, kernel_size, stride, padding, dilation, ceil_mode)


def aten_mkldnn_adaptive_avg_pool2d(self: Tensor, output_size: List[int]) -> Tensor:
  return torch.adaptive_avg_pool2d(self, output_size)


# ---- What freezing puts in the place of pointwise operators ----

def prim_MKLDNNHardSwish(a: Tensor) -> Tensor:
  return torch.hardswish(a)


def prim_MKLDNNHardSwish_(self: Tensor) -> Tensor:
  return torch.hardswish_(self)


def prim_MKLDNNHardSigmoid(a: Tensor) -> Tensor:
  return torch.hardsigmoid(a)


def prim_MKLDNNHardSigmoid_(self: Tensor) -> Tensor:
  return torch.hardsigmoid_(self)


def prim_MKLDNNScalarMul(self: Tensor, other: number) -> Tensor:
  return torch.mul(self, other)


def prim_MKLDNNScalarMul_(self: Tensor, other: number) -> Tensor:
  return torch.mul_(self, other)


def prim_MKLDNNLayerNorm(input: Tensor, normalized_shape: List[int], weight: Optional[Tensor], bias: Optional[Tensor], eps: float,
                         cudnn_enable: bool) -> Tensor:
  return torch.layer_norm(input, normalized_shape, weight, bias, eps)


def prim_MKLDNNLayerNorm_(input: Tensor, normalized_shape: List[int], weight: Optional[Tensor], bias: Optional[Tensor], eps: float,
                          cudnn_enable: bool) -> Tensor:
  return torch.copy_(input, torch.layer_norm(input, normalized_shape, weight, bias, eps))

# Quantized operators that libtsmobile has no kernel for, made of others: quantized::name.overload is the function
# quantized_name_overload. Objects of packed parameters are taken apart here, so that kernels see tensors and numbers only.
#
# Where no kernel computes on the stored integers, the operator computes on floats between dequantizing and quantizing.


# ---- Packing ----

def quantized_linear_prepack(W: Tensor, B: Optional[Tensor]) -> __torch__.torch.classes.quantized.LinearPackedParamsBase:
  return __torch__.torch.classes.quantized.LinearPackedParamsBase(W, B)


# Weights are rounded to half precision, products are float32.
def quantized_linear_prepack_fp16(W: Tensor, B: Optional[Tensor]) -> __torch__.torch.classes.quantized.LinearPackedParamsBase:
  rounded = torch.to(torch.to(torch.clamp(W, -65504., 65504.), 5), 6)
  return __torch__.torch.classes.quantized.LinearPackedParamsBase(rounded, B)


def quantized_linear_unpack(W_prepack: __torch__.torch.classes.quantized.LinearPackedParamsBase) -> Tuple[Tensor, Optional[Tensor]]:
  return (W_prepack.weight, W_prepack.bias)


def quantized_linear_unpack_fp16(W_prepack: __torch__.torch.classes.quantized.LinearPackedParamsBase) -> Tuple[Tensor, Optional[Tensor]]:
  return (W_prepack.weight, W_prepack.bias)


def quantized_conv1d_prepack(weight: Tensor, bias: Optional[Tensor], stride: List[int], padding: List[int], dilation: List[int],
                             groups: int) -> __torch__.torch.classes.quantized.Conv2dPackedParamsBase:
  return __torch__.torch.classes.quantized.Conv2dPackedParamsBase(torch.unsqueeze(weight, 2), bias, [1, stride[0]], [0, padding[0]], [0, 0],
                                                                  [1, dilation[0]], groups, False)


def quantized_conv2d_prepack(weight: Tensor, bias: Optional[Tensor], stride: List[int], padding: List[int], dilation: List[int],
                             groups: int) -> __torch__.torch.classes.quantized.Conv2dPackedParamsBase:
  return __torch__.torch.classes.quantized.Conv2dPackedParamsBase(weight, bias, stride, padding, [0, 0], dilation, groups, False)


def quantized_conv_prepack(weight: Tensor, bias: Optional[Tensor], stride: List[int], padding: List[int], dilation: List[int],
                           groups: int) -> __torch__.torch.classes.quantized.Conv2dPackedParamsBase:
  return __torch__.torch.classes.quantized.Conv2dPackedParamsBase(weight, bias, stride, padding, [0, 0], dilation, groups, False)


def quantized_conv3d_prepack(weight: Tensor, bias: Optional[Tensor], stride: List[int], padding: List[int], dilation: List[int],
                             groups: int) -> __torch__.torch.classes.quantized.Conv3dPackedParamsBase:
  return __torch__.torch.classes.quantized.Conv3dPackedParamsBase(weight, bias, stride, padding, [0, 0, 0], dilation, groups, False)


def quantized_conv_transpose1d_prepack(weight: Tensor, bias: Optional[Tensor], stride: List[int], padding: List[int],
                                       output_padding: List[int], dilation: List[int],
                                       groups: int) -> __torch__.torch.classes.quantized.Conv2dPackedParamsBase:
  return __torch__.torch.classes.quantized.Conv2dPackedParamsBase(torch.unsqueeze(weight, 2), bias, [1, stride[0]], [0, padding[0]],
                                                                  [0, output_padding[0]], [1, dilation[0]], groups, True)


def quantized_conv_transpose2d_prepack(weight: Tensor, bias: Optional[Tensor], stride: List[int], padding: List[int],
                                       output_padding: List[int], dilation: List[int],
                                       groups: int) -> __torch__.torch.classes.quantized.Conv2dPackedParamsBase:
  return __torch__.torch.classes.quantized.Conv2dPackedParamsBase(weight, bias, stride, padding, output_padding, dilation, groups, True)


def quantized_conv_transpose3d_prepack(weight: Tensor, bias: Optional[Tensor], stride: List[int], padding: List[int],
                                       output_padding: List[int], dilation: List[int],
                                       groups: int) -> __torch__.torch.classes.quantized.Conv3dPackedParamsBase:
  return __torch__.torch.classes.quantized.Conv3dPackedParamsBase(weight, bias, stride, padding, output_padding, dilation, groups, True)


def quantized_conv1d_unpack(packed_weights: __torch__.torch.classes.quantized.Conv2dPackedParamsBase) -> Tuple[Tensor, Optional[Tensor]]:
  return (torch.squeeze(packed_weights._weight, 2), packed_weights._bias)


def quantized_conv2d_unpack(packed_weights: __torch__.torch.classes.quantized.Conv2dPackedParamsBase) -> Tuple[Tensor, Optional[Tensor]]:
  return (packed_weights._weight, packed_weights._bias)


def quantized_conv_unpack(packed_weights: __torch__.torch.classes.quantized.Conv2dPackedParamsBase) -> Tuple[Tensor, Optional[Tensor]]:
  return (packed_weights._weight, packed_weights._bias)


def quantized_conv3d_unpack(packed_weights: __torch__.torch.classes.quantized.Conv3dPackedParamsBase) -> Tuple[Tensor, Optional[Tensor]]:
  return (packed_weights._weight, packed_weights._bias)


def quantized_conv_transpose2d_unpack(packed_weights: __torch__.torch.classes.quantized.Conv2dPackedParamsBase) -> Tuple[Tensor, Optional[Tensor]]:
  return (packed_weights._weight, packed_weights._bias)


# ---- Linear layers ----

def quantized_linear(X: Tensor, W_prepack: __torch__.torch.classes.quantized.LinearPackedParamsBase, Y_scale_i: float,
                     Y_zero_point_i: int) -> Tensor:
  return ops.tsm.quantized_linear(X, W_prepack.weight, W_prepack.bias, Y_scale_i, Y_zero_point_i, False)


def quantized_linear_relu(X: Tensor, W_prepack: __torch__.torch.classes.quantized.LinearPackedParamsBase, Y_scale_i: float,
                          Y_zero_point_i: int) -> Tensor:
  return ops.tsm.quantized_linear(X, W_prepack.weight, W_prepack.bias, Y_scale_i, Y_zero_point_i, True)


def quantized_linear_dynamic(X: Tensor, W_prepack: __torch__.torch.classes.quantized.LinearPackedParamsBase, reduce_range: bool) -> Tensor:
  return ops.tsm.quantized_linear_dynamic(X, W_prepack.weight, W_prepack.bias, False)


def quantized_linear_relu_dynamic(X: Tensor, W_prepack: __torch__.torch.classes.quantized.LinearPackedParamsBase,
                                  reduce_range: bool) -> Tensor:
  return ops.tsm.quantized_linear_dynamic(X, W_prepack.weight, W_prepack.bias, True)


def quantized_linear_dynamic_fp16(X: Tensor, W_prepack: __torch__.torch.classes.quantized.LinearPackedParamsBase) -> Tensor:
  return torch.linear(X, W_prepack.weight, W_prepack.bias)


def quantized_linear_relu_dynamic_fp16(X: Tensor, W_prepack: __torch__.torch.classes.quantized.LinearPackedParamsBase) -> Tensor:
  return torch.relu(torch.linear(X, W_prepack.weight, W_prepack.bias))


# ---- Convolutions ----

def conv(x: Tensor, p: __torch__.torch.classes.quantized.Conv2dPackedParamsBase, scale: float, zero_point: int, relu: bool) -> Tensor:
  return ops.tsm.quantized_conv(x, p._weight, p._bias, p._stride, p._padding, p._dilation, p._groups, scale, zero_point, relu)


def conv3(x: Tensor, p: __torch__.torch.classes.quantized.Conv3dPackedParamsBase, scale: float, zero_point: int, relu: bool) -> Tensor:
  return ops.tsm.quantized_conv(x, p._weight, p._bias, p._stride, p._padding, p._dilation, p._groups, scale, zero_point, relu)


def quantized_conv1d(qx: Tensor, packed_weight: __torch__.torch.classes.quantized.Conv2dPackedParamsBase, output_scale: float,
                     output_zero_point: int) -> Tensor:
  return torch.squeeze(__torch__.torch.ops.quantized.conv(torch.unsqueeze(qx, -2), packed_weight, output_scale, output_zero_point, False), -2)


def quantized_conv1d_relu(qx: Tensor, packed_weight: __torch__.torch.classes.quantized.Conv2dPackedParamsBase, output_scale: float,
                          output_zero_point: int) -> Tensor:
  return torch.squeeze(__torch__.torch.ops.quantized.conv(torch.unsqueeze(qx, -2), packed_weight, output_scale, output_zero_point, True), -2)


def quantized_conv2d_new(qx: Tensor, packed_weight: __torch__.torch.classes.quantized.Conv2dPackedParamsBase, output_scale: float,
                         output_zero_point: int) -> Tensor:
  return __torch__.torch.ops.quantized.conv(qx, packed_weight, output_scale, output_zero_point, False)


def quantized_conv2d_relu_new(qx: Tensor, packed_weight: __torch__.torch.classes.quantized.Conv2dPackedParamsBase, output_scale: float,
                              output_zero_point: int) -> Tensor:
  return __torch__.torch.ops.quantized.conv(qx, packed_weight, output_scale, output_zero_point, True)


# The older forms carry numbers that the packed object holds too.
def quantized_conv2d(qx: Tensor, weight: __torch__.torch.classes.quantized.Conv2dPackedParamsBase, stride: List[int], padding: List[int],
                     dilation: List[int], groups: int, output_scale: float, output_zero_point: int) -> Tensor:
  return __torch__.torch.ops.quantized.conv(qx, weight, output_scale, output_zero_point, False)


def quantized_conv2d_relu(qx: Tensor, weight: __torch__.torch.classes.quantized.Conv2dPackedParamsBase, stride: List[int],
                          padding: List[int], dilation: List[int], groups: int, output_scale: float, output_zero_point: int) -> Tensor:
  return __torch__.torch.ops.quantized.conv(qx, weight, output_scale, output_zero_point, True)


def quantized_conv3d_new(qx: Tensor, packed_weight: __torch__.torch.classes.quantized.Conv3dPackedParamsBase, output_scale: float,
                         output_zero_point: int) -> Tensor:
  return __torch__.torch.ops.quantized.conv3(qx, packed_weight, output_scale, output_zero_point, False)


def quantized_conv3d_relu_new(qx: Tensor, packed_weight: __torch__.torch.classes.quantized.Conv3dPackedParamsBase, output_scale: float,
                              output_zero_point: int) -> Tensor:
  return __torch__.torch.ops.quantized.conv3(qx, packed_weight, output_scale, output_zero_point, True)


def quantized_conv3d(qx: Tensor, weight: __torch__.torch.classes.quantized.Conv3dPackedParamsBase, stride: List[int], padding: List[int],
                     dilation: List[int], groups: int, output_scale: float, output_zero_point: int) -> Tensor:
  return __torch__.torch.ops.quantized.conv3(qx, weight, output_scale, output_zero_point, False)


def quantized_conv3d_relu(qx: Tensor, weight: __torch__.torch.classes.quantized.Conv3dPackedParamsBase, stride: List[int],
                          padding: List[int], dilation: List[int], groups: int, output_scale: float, output_zero_point: int) -> Tensor:
  return __torch__.torch.ops.quantized.conv3(qx, weight, output_scale, output_zero_point, True)


def quantized_conv_transpose2d(qx: Tensor, packed_weight: __torch__.torch.classes.quantized.Conv2dPackedParamsBase, output_scale: float,
                               output_zero_point: int) -> Tensor:
  p = packed_weight
  y = torch.conv_transpose2d(torch.dequantize(qx), torch.dequantize(p._weight), p._bias, p._stride, p._padding, p._output_padding, p._groups,
                             p._dilation)
  return torch.quantize_per_tensor(y, output_scale, output_zero_point, ops.prim.dtype(qx))


def quantized_conv_transpose1d(qx: Tensor, packed_weight: __torch__.torch.classes.quantized.Conv2dPackedParamsBase, output_scale: float,
                               output_zero_point: int) -> Tensor:
  y = __torch__.torch.ops.quantized.quantized_conv_transpose2d(torch.unsqueeze(qx, -2), packed_weight, output_scale, output_zero_point)
  return torch.squeeze(y, -2)


def quantized_conv_transpose3d(qx: Tensor, packed_weight: __torch__.torch.classes.quantized.Conv3dPackedParamsBase, output_scale: float,
                               output_zero_point: int) -> Tensor:
  p = packed_weight
  y = torch.conv_transpose3d(torch.dequantize(qx), torch.dequantize(p._weight), p._bias, p._stride, p._padding, p._output_padding, p._groups,
                             p._dilation)
  return torch.quantize_per_tensor(y, output_scale, output_zero_point, ops.prim.dtype(qx))

# Quantized operators that libtsmobile has no kernel for, made of others: quantized::name.overload is the function
# quantized_name_overload. Objects of packed parameters are taken apart here, so that kernels see tensors and numbers
# only.
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


# The sizes of weight and bias, stride, padding, dilation, groups.
def quantized_conv2d_unpack_sizes(packed_weights: Any) -> Any:
  if not isinstance(packed_weights, __torch__.torch.classes.quantized.Conv2dPackedParamsBase):
    ops.prim.RaiseException("Expected a value of type Conv2dPackedParamsBase")
    return None
  bias = packed_weights._bias
  bias_sizes: Optional[List[int]] = None
  if bias is not None:
    bias_sizes = torch.size(bias)
  return (packed_weights._sizes, bias_sizes, packed_weights._stride, packed_weights._padding, packed_weights._dilation,
          packed_weights._groups)


def quantized_conv_transpose1d_unpack(packed_weights: __torch__.torch.classes.quantized.Conv2dPackedParamsBase) -> Tuple[Tensor, Optional[Tensor]]:
  return (torch.squeeze(packed_weights._weight, 2), packed_weights._bias)


def quantized_conv_transpose3d_unpack(packed_weights: __torch__.torch.classes.quantized.Conv3dPackedParamsBase) -> Tuple[Tensor, Optional[Tensor]]:
  return (packed_weights._weight, packed_weights._bias)


def quantized_conv_unpack(packed_weights: __torch__.torch.classes.quantized.Conv2dPackedParamsBase) -> Tuple[Tensor, Optional[Tensor]]:
  return (packed_weights._weight, packed_weights._bias)


def quantized_conv3d_unpack(packed_weights: __torch__.torch.classes.quantized.Conv3dPackedParamsBase) -> Tuple[Tensor, Optional[Tensor]]:
  return (packed_weights._weight, packed_weights._bias)


def quantized_conv_transpose2d_unpack(packed_weights: __torch__.torch.classes.quantized.Conv2dPackedParamsBase) -> Tuple[Tensor, Optional[Tensor]]:
  return (packed_weights._weight, packed_weights._bias)


# ---- Linear layers ----

def linear(x: Tensor, w: __torch__.torch.classes.quantized.LinearPackedParamsBase, scale: float, zero_point: int, relu: bool) -> Tensor:
  return ops.tsm.quantized_linear(x, w.packed, w.scales, w.sums, w.bias, w.sizes, scale, zero_point, relu)


# QNNPACK takes no notice of `reduce_range`: all eight bits are used.
def linear_dynamic(x: Tensor, w: __torch__.torch.classes.quantized.LinearPackedParamsBase, relu: bool) -> Tensor:
  return ops.tsm.quantized_linear_dynamic(x, w.packed, w.scales, w.sums, w.bias, w.sizes, relu)


def quantized_linear(X: Tensor, W_prepack: __torch__.torch.classes.quantized.LinearPackedParamsBase, Y_scale_i: float,
                     Y_zero_point_i: int) -> Tensor:
  return __torch__.torch.ops.quantized.linear(X, W_prepack, Y_scale_i, Y_zero_point_i, False)


def quantized_linear_relu(X: Tensor, W_prepack: __torch__.torch.classes.quantized.LinearPackedParamsBase, Y_scale_i: float,
                          Y_zero_point_i: int) -> Tensor:
  return __torch__.torch.ops.quantized.linear(X, W_prepack, Y_scale_i, Y_zero_point_i, True)


def quantized_linear_dynamic(X: Tensor, W_prepack: __torch__.torch.classes.quantized.LinearPackedParamsBase, reduce_range: bool) -> Tensor:
  return __torch__.torch.ops.quantized.linear_dynamic(X, W_prepack, False)


def quantized_linear_relu_dynamic(X: Tensor, W_prepack: __torch__.torch.classes.quantized.LinearPackedParamsBase,
                                  reduce_range: bool) -> Tensor:
  return __torch__.torch.ops.quantized.linear_dynamic(X, W_prepack, True)


def quantized_linear_dynamic_fp16(X: Tensor, W_prepack: __torch__.torch.classes.quantized.LinearPackedParamsBase) -> Tensor:
  return torch.linear(X, W_prepack.weight, W_prepack.bias)


def quantized_linear_relu_dynamic_fp16(X: Tensor, W_prepack: __torch__.torch.classes.quantized.LinearPackedParamsBase) -> Tensor:
  return torch.relu(torch.linear(X, W_prepack.weight, W_prepack.bias))


# ---- Convolutions ----

def conv(x: Tensor, p: __torch__.torch.classes.quantized.Conv2dPackedParamsBase, scale: float, zero_point: int, relu: bool) -> Tensor:
  return ops.tsm.quantized_conv(x, p._packed, p._scales, p._sums, p._bias, p._sizes, p._stride, p._padding, p._dilation, p._groups, scale, zero_point,
                                relu)


def conv3(x: Tensor, p: __torch__.torch.classes.quantized.Conv3dPackedParamsBase, scale: float, zero_point: int, relu: bool) -> Tensor:
  return ops.tsm.quantized_conv(x, p._packed, p._scales, p._sums, p._bias, p._sizes, p._stride, p._padding, p._dilation, p._groups, scale, zero_point,
                                relu)


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


# Transposed convolutions add whole numbers: how far the stored ones are from their zero points, in floats, and the bias
# in steps of their products, to which it is rounded. The sums are scaled and rounded at the end, as QNNPACK does it.
# Where weights have a scale for each channel (a qscheme other than 0) floats are added.
def distances(q: Tensor) -> Tensor:
  return torch.sub(torch.to(torch.int_repr(q), 6), torch.q_zero_point(q))


def bias_in_steps(qx: Tensor, weight: Tensor, bias: Optional[Tensor]) -> Optional[Tensor]:
  if bias is None:
    return None
  step = torch.q_scale(weight) * torch.q_scale(qx)
  return torch.to(torch.int_repr(torch.quantize_per_tensor(bias, step, 0, 14)), 6)


def rounded_sums(sums: Tensor, qx: Tensor, weight: Tensor, output_scale: float, output_zero_point: int) -> Tensor:
  factor = torch.div(torch.mul(torch.full([1], torch.q_scale(weight), dtype=6), torch.q_scale(qx)), output_scale)
  steps = torch.quantize_per_tensor(torch.mul(sums, factor), 1., output_zero_point, ops.prim.dtype(qx))
  return torch._make_per_tensor_quantized_tensor(torch.int_repr(steps), output_scale, output_zero_point)


def conv_transpose(qx: Tensor, weight: Tensor, bias: Optional[Tensor], stride: List[int], padding: List[int], output_padding: List[int],
                   dilation: List[int], groups: int, output_scale: float, output_zero_point: int) -> Tensor:
  if torch.qscheme(weight) != 0:
    floats = torch._convolution(torch.dequantize(qx), torch.dequantize(weight), bias, stride, padding, dilation, True, output_padding, groups, False,
                                False, False, False)
    return torch.quantize_per_tensor(floats, output_scale, output_zero_point, ops.prim.dtype(qx))
  steps = __torch__.torch.ops.quantized.bias_in_steps(qx, weight, bias)
  sums = torch._convolution(__torch__.torch.ops.quantized.distances(qx), __torch__.torch.ops.quantized.distances(weight), steps, stride, padding,
                            dilation, True, output_padding, groups, False, False, False, False)
  q = __torch__.torch.ops.quantized.rounded_sums(sums, qx, weight, output_scale, output_zero_point)
  return torch.contiguous(q, memory_format=2 if torch.dim(q) == 4 else 3)


def quantized_conv_transpose2d(qx: Tensor, packed_weight: __torch__.torch.classes.quantized.Conv2dPackedParamsBase, output_scale: float,
                               output_zero_point: int) -> Tensor:
  p = packed_weight
  return __torch__.torch.ops.quantized.conv_transpose(qx, p._weight, p._bias, p._stride, p._padding, p._output_padding, p._dilation, p._groups,
                                                      output_scale, output_zero_point)


def quantized_conv_transpose1d(qx: Tensor, packed_weight: __torch__.torch.classes.quantized.Conv2dPackedParamsBase, output_scale: float,
                               output_zero_point: int) -> Tensor:
  y = __torch__.torch.ops.quantized.quantized_conv_transpose2d(torch.unsqueeze(qx, -2), packed_weight, output_scale, output_zero_point)
  return torch.squeeze(y, -2)


def quantized_conv_transpose3d(qx: Tensor, packed_weight: __torch__.torch.classes.quantized.Conv3dPackedParamsBase, output_scale: float,
                               output_zero_point: int) -> Tensor:
  p = packed_weight
  return __torch__.torch.ops.quantized.conv_transpose(qx, p._weight, p._bias, p._stride, p._padding, p._output_padding, p._dilation, p._groups,
                                                      output_scale, output_zero_point)


# Floats, quantized by their own range and back, are convolved with what the weight stands for.
def rounded_input(x: Tensor) -> Tensor:
  return torch.dequantize(torch.quantize_per_tensor_dynamic(x, 13, False))


def quantized_conv2d_dynamic(qx: Tensor, packed_weight: __torch__.torch.classes.quantized.Conv2dPackedParamsBase, reduce_range: bool) -> Tensor:
  p = packed_weight
  x = __torch__.torch.ops.quantized.rounded_input(qx)
  return torch.conv2d(x, torch.dequantize(p._weight), p._bias, p._stride, p._padding, p._dilation, p._groups)


def quantized_conv1d_dynamic(qx: Tensor, packed_weight: __torch__.torch.classes.quantized.Conv2dPackedParamsBase, reduce_range: bool) -> Tensor:
  y = __torch__.torch.ops.quantized.quantized_conv2d_dynamic(torch.unsqueeze(qx, -2), packed_weight, reduce_range)
  return torch.squeeze(y, -2)


def quantized_conv3d_dynamic(qx: Tensor, packed_weight: __torch__.torch.classes.quantized.Conv3dPackedParamsBase, reduce_range: bool) -> Tensor:
  p = packed_weight
  x = __torch__.torch.ops.quantized.rounded_input(qx)
  return torch.conv3d(x, torch.dequantize(p._weight), p._bias, p._stride, p._padding, p._dilation, p._groups)


def quantized_conv_transpose2d_dynamic(qx: Tensor, packed_weight: __torch__.torch.classes.quantized.Conv2dPackedParamsBase,
                                       reduce_range: bool) -> Tensor:
  p = packed_weight
  x = __torch__.torch.ops.quantized.rounded_input(qx)
  return torch.conv_transpose2d(x, torch.dequantize(p._weight), p._bias, p._stride, p._padding, p._output_padding, p._groups, p._dilation)


def quantized_conv_transpose1d_dynamic(qx: Tensor, packed_weight: __torch__.torch.classes.quantized.Conv2dPackedParamsBase,
                                       reduce_range: bool) -> Tensor:
  y = __torch__.torch.ops.quantized.quantized_conv_transpose2d_dynamic(torch.unsqueeze(qx, -2), packed_weight, reduce_range)
  return torch.squeeze(y, -2)


def quantized_conv_transpose3d_dynamic(qx: Tensor, packed_weight: __torch__.torch.classes.quantized.Conv3dPackedParamsBase,
                                       reduce_range: bool) -> Tensor:
  p = packed_weight
  x = __torch__.torch.ops.quantized.rounded_input(qx)
  return torch.conv_transpose3d(x, torch.dequantize(p._weight), p._bias, p._stride, p._padding, p._output_padding, p._groups, p._dilation)


# ---- Embeddings ----

# Rows of 4 bits have their scale and their least value in half precision.
def chosen_rows(weight: __torch__.torch.classes.quantized.EmbeddingPackedParamsBase, chosen: Tensor, numbers: Tensor, half: bool) -> Tensor:
  scales = torch.index_select(weight.scales, 0, chosen)
  least = -(torch.index_select(weight.zero_points, 0, chosen) * scales)
  if half:
    scales, least = torch.to(torch.to(scales, 5), 6), torch.to(torch.to(least, 5), 6)
  return torch.to(numbers, 6) * torch.unsqueeze(scales, 1) + torch.unsqueeze(least, 1)


def quantized_embedding_byte(weight: __torch__.torch.classes.quantized.EmbeddingPackedParamsBase, indices: Tensor,
                             pruned_weights: bool) -> Tensor:
  chosen = torch.reshape(torch.to(indices, 4), [-1])
  y = __torch__.torch.ops.quantized.chosen_rows(weight, chosen, torch.index_select(weight.rows, 0, chosen), False)
  return torch.reshape(y, torch.size(indices) + [torch.size(y, 1)])


def quantized_embedding_4bit(weight: __torch__.torch.classes.quantized.EmbeddingPackedParamsBase, indices: Tensor,
                             pruned_weights: bool) -> Tensor:
  chosen = torch.reshape(torch.to(indices, 4), [-1])
  pairs = torch.index_select(weight.rows, 0, chosen)
  numbers = torch.stack([torch.bitwise_and(pairs, 15), torch.floor_divide(pairs, 16)], -1)
  y = __torch__.torch.ops.quantized.chosen_rows(weight, chosen, torch.flatten(numbers, 1), True)
  return torch.reshape(y, torch.size(indices) + [torch.size(y, 1)])


# ---- Recurrent layers ----

def quantized_make_quantized_cell_params_dynamic(w_ih: __torch__.torch.classes.quantized.LinearPackedParamsBase,
                                                 w_hh: __torch__.torch.classes.quantized.LinearPackedParamsBase, bias_ih: Tensor,
                                                 bias_hh: Tensor, reduce_range: bool) -> __torch__.torch.classes.rnn.CellParamsBase:
  return __torch__.torch.classes.rnn.CellParamsBase("quantized_dynamic", w_ih, w_hh, bias_ih, bias_hh)


def quantized_make_quantized_cell_params_fp16(w_ih: __torch__.torch.classes.quantized.LinearPackedParamsBase,
                                              w_hh: __torch__.torch.classes.quantized.LinearPackedParamsBase) -> __torch__.torch.classes.rnn.CellParamsBase:
  return __torch__.torch.classes.rnn.CellParamsBase("quantized_fp16", w_ih, w_hh, None, None)


# The biases are those of the packed weights.
def gates(kind: str, x: Tensor, w: __torch__.torch.classes.quantized.LinearPackedParamsBase) -> Tensor:
  if kind == "quantized_fp16":
    return torch.linear(x, w.weight, w.bias)
  return __torch__.torch.ops.quantized.linear_dynamic(x, w, False)


def lstm_step(of_input: Tensor, of_state: Tensor, c: Tensor) -> Tuple[Tensor, Tensor]:
  i, f, g, o = torch.chunk(of_input + of_state, 4, -1)
  next = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
  return (torch.sigmoid(o) * torch.tanh(next), next)


def gru_step(of_input: Tensor, of_state: Tensor, h: Tensor) -> Tensor:
  r, z, n = torch.chunk(of_input, 3, -1)
  rh, zh, nh = torch.chunk(of_state, 3, -1)
  new = torch.tanh(n + torch.sigmoid(r + rh) * nh)
  return (h - new) * torch.sigmoid(z + zh) + new


def rnn_cell(input: Tensor, hx: Tensor, w_ih: __torch__.torch.classes.quantized.LinearPackedParamsBase,
             w_hh: __torch__.torch.classes.quantized.LinearPackedParamsBase) -> Tensor:
  return __torch__.torch.ops.quantized.gates("", input, w_ih) + __torch__.torch.ops.quantized.gates("", hx, w_hh)


def quantized_quantized_lstm_cell_dynamic(input: Tensor, hx: List[Tensor], w_ih: __torch__.torch.classes.quantized.LinearPackedParamsBase,
                                          w_hh: __torch__.torch.classes.quantized.LinearPackedParamsBase, b_ih: Tensor,
                                          b_hh: Tensor) -> Tuple[Tensor, Tensor]:
  of_input = __torch__.torch.ops.quantized.gates("", input, w_ih)
  return __torch__.torch.ops.quantized.lstm_step(of_input, __torch__.torch.ops.quantized.gates("", hx[0], w_hh), hx[1])


def quantized_quantized_gru_cell_dynamic(input: Tensor, hx: Tensor, w_ih: __torch__.torch.classes.quantized.LinearPackedParamsBase,
                                         w_hh: __torch__.torch.classes.quantized.LinearPackedParamsBase, b_ih: Tensor, b_hh: Tensor) -> Tensor:
  of_input = __torch__.torch.ops.quantized.gates("", input, w_ih)
  return __torch__.torch.ops.quantized.gru_step(of_input, __torch__.torch.ops.quantized.gates("", hx, w_hh), hx)


def quantized_quantized_rnn_relu_cell_dynamic(input: Tensor, hx: Tensor, w_ih: __torch__.torch.classes.quantized.LinearPackedParamsBase,
                                              w_hh: __torch__.torch.classes.quantized.LinearPackedParamsBase, b_ih: Tensor,
                                              b_hh: Tensor) -> Tensor:
  return torch.relu(__torch__.torch.ops.quantized.rnn_cell(input, hx, w_ih, w_hh))


def quantized_quantized_rnn_tanh_cell_dynamic(input: Tensor, hx: Tensor, w_ih: __torch__.torch.classes.quantized.LinearPackedParamsBase,
                                              w_hh: __torch__.torch.classes.quantized.LinearPackedParamsBase, b_ih: Tensor,
                                              b_hh: Tensor) -> Tensor:
  return torch.tanh(__torch__.torch.ops.quantized.rnn_cell(input, hx, w_ih, w_hh))


# One layer in one direction. The inputs of all steps are multiplied at once, and so are quantized by one range.
def lstm_layer(x: Tensor, h: Tensor, c: Tensor, p: __torch__.torch.classes.rnn.CellParamsBase,
               reverse: bool) -> Tuple[Tensor, Tensor, Tensor]:
  of_inputs = __torch__.torch.ops.quantized.gates(p.kind, x, p.w_ih)
  steps = torch.size(x, 0)
  states: List[Tensor] = []
  for i in range(steps):
    at = steps - 1 - i if reverse else i
    h, c = __torch__.torch.ops.quantized.lstm_step(of_inputs[at], __torch__.torch.ops.quantized.gates(p.kind, h, p.w_hh), c)
    _0 = torch.append(states, h)
  if reverse:
    torch.reverse(states)
  return (torch.stack(states, 0), h, c)


def gru_layer(x: Tensor, h: Tensor, p: __torch__.torch.classes.rnn.CellParamsBase, reverse: bool) -> Tuple[Tensor, Tensor]:
  of_inputs = __torch__.torch.ops.quantized.gates(p.kind, x, p.w_ih)
  steps = torch.size(x, 0)
  states: List[Tensor] = []
  for i in range(steps):
    at = steps - 1 - i if reverse else i
    h = __torch__.torch.ops.quantized.gru_step(of_inputs[at], __torch__.torch.ops.quantized.gates(p.kind, h, p.w_hh), h)
    _0 = torch.append(states, h)
  if reverse:
    torch.reverse(states)
  return (torch.stack(states, 0), h)


def aten_quantized_lstm_input(input: Tensor, hx: List[Tensor], params: List[__torch__.torch.classes.rnn.CellParamsBase], has_biases: bool,
                              num_layers: int, dropout: float, train: bool, bidirectional: bool, batch_first: bool, dtype: Optional[int],
                              use_dynamic: bool) -> Tuple[Tensor, Tensor, Tensor]:
  x = torch.transpose(input, 0, 1) if batch_first else input
  directions = 2 if bidirectional else 1
  hs: List[Tensor] = []
  cs: List[Tensor] = []
  for layer in range(num_layers):
    outputs: List[Tensor] = []
    for d in range(directions):
      at = layer * directions + d
      y, h, c = __torch__.torch.ops.quantized.lstm_layer(x, hx[0][at], hx[1][at], params[at], d == 1)
      _0 = torch.append(outputs, y)
      _1 = torch.append(hs, h)
      _2 = torch.append(cs, c)
    x = torch.cat(outputs, -1)
    if train and dropout != 0. and layer + 1 < num_layers:
      x = torch.dropout(x, dropout, True)
  if batch_first:
    x = torch.transpose(x, 0, 1)
  return (x, torch.stack(hs, 0), torch.stack(cs, 0))


def aten_quantized_gru_input(input: Tensor, hx: Tensor, params: List[__torch__.torch.classes.rnn.CellParamsBase], has_biases: bool,
                             num_layers: int, dropout: float, train: bool, bidirectional: bool, batch_first: bool) -> Tuple[Tensor, Tensor]:
  x = torch.transpose(input, 0, 1) if batch_first else input
  directions = 2 if bidirectional else 1
  hs: List[Tensor] = []
  for layer in range(num_layers):
    outputs: List[Tensor] = []
    for d in range(directions):
      at = layer * directions + d
      y, h = __torch__.torch.ops.quantized.gru_layer(x, hx[at], params[at], d == 1)
      _0 = torch.append(outputs, y)
      _1 = torch.append(hs, h)
    x = torch.cat(outputs, -1)
    if train and dropout != 0. and layer + 1 < num_layers:
      x = torch.dropout(x, dropout, True)
  if batch_first:
    x = torch.transpose(x, 0, 1)
  return (x, torch.stack(hs, 0))


# Packed sequences: `data` holds, step by step, the rows of the batch_sizes[step] sequences that are that long, longest
# first. States of sequences that have ended, or (backwards) not begun, stay.
def lstm_packed(data: Tensor, batch_sizes: Tensor, h: Tensor, c: Tensor, p: __torch__.torch.classes.rnn.CellParamsBase,
                reverse: bool) -> Tuple[Tensor, Tensor, Tensor]:
  of_inputs = __torch__.torch.ops.quantized.gates(p.kind, data, p.w_ih)
  steps = torch.size(batch_sizes, 0)
  at = 0
  if reverse:
    at = torch.size(data, 0)
  states: List[Tensor] = []
  for i in range(steps):
    n = int(batch_sizes[steps - 1 - i if reverse else i])
    if reverse:
      at = at - n
    of_state = __torch__.torch.ops.quantized.gates(p.kind, h[0:n], p.w_hh)
    state, cell = __torch__.torch.ops.quantized.lstm_step(of_inputs[at:at + n], of_state, c[0:n])
    _0 = torch.append(states, state)
    h, c = torch.cat([state, h[n:]], 0), torch.cat([cell, c[n:]], 0)
    if not reverse:
      at = at + n
  if reverse:
    torch.reverse(states)
  return (torch.cat(states, 0), h, c)


def gru_packed(data: Tensor, batch_sizes: Tensor, h: Tensor, p: __torch__.torch.classes.rnn.CellParamsBase,
               reverse: bool) -> Tuple[Tensor, Tensor]:
  of_inputs = __torch__.torch.ops.quantized.gates(p.kind, data, p.w_ih)
  steps = torch.size(batch_sizes, 0)
  at = 0
  if reverse:
    at = torch.size(data, 0)
  states: List[Tensor] = []
  for i in range(steps):
    n = int(batch_sizes[steps - 1 - i if reverse else i])
    if reverse:
      at = at - n
    state = __torch__.torch.ops.quantized.gru_step(of_inputs[at:at + n], __torch__.torch.ops.quantized.gates(p.kind, h[0:n], p.w_hh), h[0:n])
    _0 = torch.append(states, state)
    h = torch.cat([state, h[n:]], 0)
    if not reverse:
      at = at + n
  if reverse:
    torch.reverse(states)
  return (torch.cat(states, 0), h)


def aten_quantized_lstm_data(data: Tensor, batch_sizes: Tensor, hx: List[Tensor], params: List[__torch__.torch.classes.rnn.CellParamsBase],
                             has_biases: bool, num_layers: int, dropout: float, train: bool, bidirectional: bool, dtype: Optional[int],
                             use_dynamic: bool) -> Tuple[Tensor, Tensor, Tensor]:
  x = data
  directions = 2 if bidirectional else 1
  hs: List[Tensor] = []
  cs: List[Tensor] = []
  for layer in range(num_layers):
    outputs: List[Tensor] = []
    for d in range(directions):
      at = layer * directions + d
      y, h, c = __torch__.torch.ops.quantized.lstm_packed(x, batch_sizes, hx[0][at], hx[1][at], params[at], d == 1)
      _0 = torch.append(outputs, y)
      _1 = torch.append(hs, h)
      _2 = torch.append(cs, c)
    x = torch.cat(outputs, -1)
    if train and dropout != 0. and layer + 1 < num_layers:
      x = torch.dropout(x, dropout, True)
  return (x, torch.stack(hs, 0), torch.stack(cs, 0))


def aten_quantized_gru_data(data: Tensor, batch_sizes: Tensor, hx: Tensor, params: List[__torch__.torch.classes.rnn.CellParamsBase],
                            has_biases: bool, num_layers: int, dropout: float, train: bool, bidirectional: bool) -> Tuple[Tensor, Tensor]:
  x = data
  directions = 2 if bidirectional else 1
  hs: List[Tensor] = []
  for layer in range(num_layers):
    outputs: List[Tensor] = []
    for d in range(directions):
      at = layer * directions + d
      y, h = __torch__.torch.ops.quantized.gru_packed(x, batch_sizes, hx[at], params[at], d == 1)
      _0 = torch.append(outputs, y)
      _1 = torch.append(hs, h)
    x = torch.cat(outputs, -1)
    if train and dropout != 0. and layer + 1 < num_layers:
      x = torch.dropout(x, dropout, True)
  return (x, torch.stack(hs, 0))


# ---- With a number ----

# The number in steps of the input; where the zero point would leave its range, the scale grows.
def sum_with_number(qa: Tensor, b: float, relu: bool) -> Tensor:
  low, high = 0, 255
  if ops.prim.dtype(qa) == 12:
    low, high = -128, 127
  scale = torch.q_scale(qa)
  steps = int(torch.round(b / scale))
  moved = torch.q_zero_point(qa) - steps
  y = torch.dequantize(qa) + steps * scale
  if relu:
    y = torch.relu(y)
  zero_point = min(max(moved, low), high)
  if moved < low:
    scale = scale * (high - moved) / (high - low)
  elif moved > high:
    scale = scale * (moved - low) / (high - low)
  return torch.quantize_per_tensor(y, scale, zero_point, ops.prim.dtype(qa))


def product_with_number(qa: Tensor, b: float, relu: bool) -> Tensor:
  low, high = 0, 255
  if ops.prim.dtype(qa) == 12:
    low, high = -128, 127
  scale, zero_point = torch.q_scale(qa) * b, torch.q_zero_point(qa)
  if b < 0.:
    scale, zero_point = -scale, high + low - zero_point
  if b == 0.:
    scale, zero_point = 1., 0
  y = torch.dequantize(qa) * b
  if relu:
    y = torch.relu(y)
  return torch.quantize_per_tensor(y, scale, zero_point, ops.prim.dtype(qa))


def quantized_add_scalar(qa: Tensor, b: number) -> Tensor:
  return __torch__.torch.ops.quantized.sum_with_number(qa, float(b), False)


def quantized_add_scalar_relu(qa: Tensor, b: number) -> Tensor:
  return __torch__.torch.ops.quantized.sum_with_number(qa, float(b), True)


def quantized_add_scalar_Tensor(qa: Tensor, b: Tensor) -> Tensor:
  return __torch__.torch.ops.quantized.sum_with_number(qa, float(b), False)


def quantized_add_scalar_relu_Tensor(qa: Tensor, b: Tensor) -> Tensor:
  return __torch__.torch.ops.quantized.sum_with_number(qa, float(b), True)


def quantized_add_Scalar(qa: Tensor, b: number) -> Tensor:
  return __torch__.torch.ops.quantized.sum_with_number(qa, float(b), False)


def quantized_add_Scalar2(b: number, qa: Tensor) -> Tensor:
  return __torch__.torch.ops.quantized.sum_with_number(qa, float(b), False)


def quantized_add_relu_Scalar(qa: Tensor, b: number) -> Tensor:
  return __torch__.torch.ops.quantized.sum_with_number(qa, float(b), True)


def quantized_add_relu_Scalar2(b: number, qa: Tensor) -> Tensor:
  return __torch__.torch.ops.quantized.sum_with_number(qa, float(b), True)


def quantized_mul_scalar(qa: Tensor, b: number) -> Tensor:
  return __torch__.torch.ops.quantized.product_with_number(qa, float(b), False)


def quantized_mul_scalar_relu(qa: Tensor, b: number) -> Tensor:
  return __torch__.torch.ops.quantized.product_with_number(qa, float(b), True)


def quantized_mul_scalar_Tensor(qa: Tensor, b: Tensor) -> Tensor:
  return __torch__.torch.ops.quantized.product_with_number(qa, float(b), False)


def quantized_mul_scalar_relu_Tensor(qa: Tensor, b: Tensor) -> Tensor:
  return __torch__.torch.ops.quantized.product_with_number(qa, float(b), True)


def quantized_mul_Scalar(qa: Tensor, b: number) -> Tensor:
  return __torch__.torch.ops.quantized.product_with_number(qa, float(b), False)


def quantized_mul_Scalar2(b: number, qa: Tensor) -> Tensor:
  return __torch__.torch.ops.quantized.product_with_number(qa, float(b), False)


def quantized_mul_relu_Scalar(qa: Tensor, b: number) -> Tensor:
  return __torch__.torch.ops.quantized.product_with_number(qa, float(b), True)


def quantized_mul_relu_Scalar2(b: number, qa: Tensor) -> Tensor:
  return __torch__.torch.ops.quantized.product_with_number(qa, float(b), True)


# ---- Into a tensor, whose quantizer the result has ----

def quantized_add_out(qa: Tensor, qb: Tensor, out: Tensor) -> Tensor:
  return torch.copy_(out, ops.quantized.add(qa, qb, torch.q_scale(out), torch.q_zero_point(out)))


def quantized_add_relu_out(qa: Tensor, qb: Tensor, out: Tensor) -> Tensor:
  return torch.copy_(out, ops.quantized.add_relu(qa, qb, torch.q_scale(out), torch.q_zero_point(out)))


def quantized_mul_out(qa: Tensor, qb: Tensor, out: Tensor) -> Tensor:
  return torch.copy_(out, ops.quantized.mul(qa, qb, torch.q_scale(out), torch.q_zero_point(out)))


def quantized_mul_relu_out(qa: Tensor, qb: Tensor, out: Tensor) -> Tensor:
  return torch.copy_(out, ops.quantized.mul_relu(qa, qb, torch.q_scale(out), torch.q_zero_point(out)))


def quantized_cat_out(qx: List[Tensor], dim: int, out: Tensor) -> Tensor:
  return torch.copy_(out, ops.quantized.cat(qx, dim, torch.q_scale(out), torch.q_zero_point(out)))


def quantized_cat_relu_out(qx: List[Tensor], dim: int, out: Tensor) -> Tensor:
  return torch.copy_(out, ops.quantized.cat_relu(qx, dim, torch.q_scale(out), torch.q_zero_point(out)))


# A number's result brings its own quantizer, so that of `out` must agree.
def quantized_add_scalar_out(qa: Tensor, b: number, out: Tensor) -> Tensor:
  return torch.copy_(out, __torch__.torch.ops.quantized.sum_with_number(qa, float(b), False))


def quantized_add_scalar_relu_out(qa: Tensor, b: number, out: Tensor) -> Tensor:
  return torch.copy_(out, __torch__.torch.ops.quantized.sum_with_number(qa, float(b), True))


def quantized_mul_scalar_out(qa: Tensor, b: number, out: Tensor) -> Tensor:
  return torch.copy_(out, __torch__.torch.ops.quantized.product_with_number(qa, float(b), False))


def quantized_mul_scalar_relu_out(qa: Tensor, b: number, out: Tensor) -> Tensor:
  return torch.copy_(out, __torch__.torch.ops.quantized.product_with_number(qa, float(b), True))


# ---- On floats ----

def quantized_relu6(qx: Tensor, inplace: bool) -> Tensor:
  return torch.relu6(qx)


def quantized_clamp(qx: Tensor, min: Optional[number], max: Optional[number]) -> Tensor:
  return torch.clamp(qx, min, max)


def quantized_threshold(qx: Tensor, threshold: number, value: number) -> Tensor:
  return torch.threshold(qx, threshold, value)


def quantized_celu(self: Tensor, output_scale: float, output_zero_point: int, alpha: number) -> Tensor:
  return torch.quantize_per_tensor(torch.celu(torch.dequantize(torch.contiguous(self)), alpha), output_scale, output_zero_point, ops.prim.dtype(self))


# PyTorch multiplies what is positive, too: by 1 as the weight's quantizer can say it, which is less than 1 where its
# greatest number is less.
def quantized_prelu(qx: Tensor, weight: Tensor, output_scale: float, output_zero_point: int) -> Tensor:
  x = torch.dequantize(qx)
  one = torch.quantize_per_tensor(torch.ones([1]), torch.q_scale(weight), torch.q_zero_point(weight), ops.prim.dtype(weight))
  y = torch.where(torch.gt(x, 0), torch.mul(x, torch.dequantize(one)), torch.prelu(x, torch.dequantize(weight)))
  return torch.quantize_per_tensor(y, output_scale, output_zero_point, ops.prim.dtype(qx))


def quantized_softmax(qx: Tensor, dim: int, output_scale: float, output_zero_point: int) -> Tensor:
  return torch.quantize_per_tensor(torch.softmax(torch.dequantize(qx), dim), output_scale, output_zero_point, ops.prim.dtype(qx))


def quantized_matmul(qa: Tensor, qb: Tensor, scale: float, zero_point: int) -> Tensor:
  return torch.quantize_per_tensor(torch.matmul(torch.dequantize(qa), torch.dequantize(qb)), scale, zero_point, ops.prim.dtype(qa))


def quantized_dropout(self: Tensor, output_scale: float, output_zero_point: int, p: number, training: bool) -> Tensor:
  return self


def quantized_max_pool1d(qx: Tensor, kernel_size: List[int], stride: List[int], padding: List[int], dilation: List[int],
                         ceil_mode: bool) -> Tensor:
  return torch.max_pool1d(qx, kernel_size, stride, padding, dilation, ceil_mode)


def quantized_max_pool2d(qx: Tensor, kernel_size: List[int], stride: List[int], padding: List[int], dilation: List[int],
                         ceil_mode: bool) -> Tensor:
  return torch.max_pool2d(qx, kernel_size, stride, padding, dilation, ceil_mode)


def aten_quantized_max_pool1d(self: Tensor, kernel_size: List[int], stride: List[int], padding: List[int], dilation: List[int],
                              ceil_mode: bool) -> Tensor:
  return torch.max_pool1d(self, kernel_size, stride, padding, dilation, ceil_mode)


def aten_quantized_max_pool2d(self: Tensor, kernel_size: List[int], stride: List[int], padding: List[int], dilation: List[int],
                              ceil_mode: bool) -> Tensor:
  return torch.max_pool2d(self, kernel_size, stride, padding, dilation, ceil_mode)


def normalized(qx: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], mean: Tensor, var: Tensor, eps: float, output_scale: float,
               output_zero_point: int, relu: bool) -> Tensor:
  y = torch.batch_norm(torch.dequantize(qx), weight, bias, mean, var, False, 0., eps, False)
  if relu:
    y = torch.relu(y)
  q = torch.quantize_per_tensor(y, output_scale, output_zero_point, ops.prim.dtype(qx))
  if torch.dim(q) == 4:
    q = torch.contiguous(q, memory_format=2)
  elif torch.dim(q) == 5:
    q = torch.contiguous(q, memory_format=3)
  return q


def quantized_batch_norm(qx: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], mean: Tensor, var: Tensor, eps: float,
                         output_scale: float, output_zero_point: int) -> Tensor:
  return __torch__.torch.ops.quantized.normalized(qx, weight, bias, mean, var, eps, output_scale, output_zero_point, False)


def quantized_batch_norm_relu(qx: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], mean: Tensor, var: Tensor, eps: float,
                              output_scale: float, output_zero_point: int) -> Tensor:
  return __torch__.torch.ops.quantized.normalized(qx, weight, bias, mean, var, eps, output_scale, output_zero_point, True)


def quantized_batch_norm1d(qx: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], mean: Tensor, var: Tensor, eps: float,
                           output_scale: float, output_zero_point: int) -> Tensor:
  return __torch__.torch.ops.quantized.normalized(qx, weight, bias, mean, var, eps, output_scale, output_zero_point, False)


def quantized_batch_norm1d_relu(qx: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], mean: Tensor, var: Tensor, eps: float,
                                output_scale: float, output_zero_point: int) -> Tensor:
  return __torch__.torch.ops.quantized.normalized(qx, weight, bias, mean, var, eps, output_scale, output_zero_point, True)


def quantized_batch_norm2d(qx: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], mean: Tensor, var: Tensor, eps: float,
                           output_scale: float, output_zero_point: int) -> Tensor:
  return __torch__.torch.ops.quantized.normalized(qx, weight, bias, mean, var, eps, output_scale, output_zero_point, False)


def quantized_batch_norm2d_relu(qx: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], mean: Tensor, var: Tensor, eps: float,
                                output_scale: float, output_zero_point: int) -> Tensor:
  return __torch__.torch.ops.quantized.normalized(qx, weight, bias, mean, var, eps, output_scale, output_zero_point, True)


def quantized_batch_norm3d(qx: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], mean: Tensor, var: Tensor, eps: float,
                           output_scale: float, output_zero_point: int) -> Tensor:
  return __torch__.torch.ops.quantized.normalized(qx, weight, bias, mean, var, eps, output_scale, output_zero_point, False)


def quantized_batch_norm3d_relu(qx: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], mean: Tensor, var: Tensor, eps: float,
                                output_scale: float, output_zero_point: int) -> Tensor:
  return __torch__.torch.ops.quantized.normalized(qx, weight, bias, mean, var, eps, output_scale, output_zero_point, True)


def aten_quantized_batch_norm(input: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], mean: Tensor, var: Tensor, eps: float,
                              output_scale: float, output_zero_point: int) -> Tensor:
  return __torch__.torch.ops.quantized.normalized(input, weight, bias, mean, var, eps, output_scale, output_zero_point, False)


def quantized_layer_norm(input: Tensor, normalized_shape: List[int], weight: Optional[Tensor], bias: Optional[Tensor], eps: float,
                         output_scale: float, output_zero_point: int) -> Tensor:
  y = torch.layer_norm(torch.dequantize(input), normalized_shape, weight, bias, eps, False)
  return torch.quantize_per_tensor(y, output_scale, output_zero_point, ops.prim.dtype(input))


def quantized_group_norm(input: Tensor, num_groups: int, weight: Optional[Tensor], bias: Optional[Tensor], eps: float, output_scale: float,
                         output_zero_point: int) -> Tensor:
  y = torch.group_norm(torch.dequantize(input), num_groups, weight, bias, eps, False)
  return torch.quantize_per_tensor(y, output_scale, output_zero_point, ops.prim.dtype(input))


def quantized_instance_norm(input: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], eps: float, output_scale: float,
                            output_zero_point: int) -> Tensor:
  y = torch.instance_norm(torch.dequantize(input), weight, bias, None, None, True, 0., eps, False)
  return torch.quantize_per_tensor(y, output_scale, output_zero_point, ops.prim.dtype(input))


# ---- Asking packed parameters ----


def quantized_conv2d_stride(packed_weights: __torch__.torch.classes.quantized.Conv2dPackedParamsBase) -> List[int]:
  return packed_weights._stride


def quantized_conv2d_padding(packed_weights: __torch__.torch.classes.quantized.Conv2dPackedParamsBase) -> List[int]:
  return packed_weights._padding


def quantized_conv2d_output_padding(packed_weights: __torch__.torch.classes.quantized.Conv2dPackedParamsBase) -> List[int]:
  return packed_weights._output_padding


def quantized_conv2d_dilation(packed_weights: __torch__.torch.classes.quantized.Conv2dPackedParamsBase) -> List[int]:
  return packed_weights._dilation


def quantized_conv2d_groups(packed_weights: __torch__.torch.classes.quantized.Conv2dPackedParamsBase) -> int:
  return packed_weights._groups


def quantized_conv2d_transpose(packed_weights: __torch__.torch.classes.quantized.Conv2dPackedParamsBase) -> int:
  return int(packed_weights._transpose)


def quantized_conv_transpose2d_stride(packed_weights: __torch__.torch.classes.quantized.Conv2dPackedParamsBase) -> List[int]:
  return packed_weights._stride


def quantized_conv_transpose2d_padding(packed_weights: __torch__.torch.classes.quantized.Conv2dPackedParamsBase) -> List[int]:
  return packed_weights._padding


def quantized_conv_transpose2d_output_padding(packed_weights: __torch__.torch.classes.quantized.Conv2dPackedParamsBase) -> List[int]:
  return packed_weights._output_padding


def quantized_conv_transpose2d_dilation(packed_weights: __torch__.torch.classes.quantized.Conv2dPackedParamsBase) -> List[int]:
  return packed_weights._dilation


def quantized_conv_transpose2d_groups(packed_weights: __torch__.torch.classes.quantized.Conv2dPackedParamsBase) -> int:
  return packed_weights._groups


def quantized_conv_transpose2d_transpose(packed_weights: __torch__.torch.classes.quantized.Conv2dPackedParamsBase) -> int:
  return int(packed_weights._transpose)


def quantized_conv3d_stride(packed_weights: __torch__.torch.classes.quantized.Conv3dPackedParamsBase) -> List[int]:
  return packed_weights._stride


def quantized_conv3d_padding(packed_weights: __torch__.torch.classes.quantized.Conv3dPackedParamsBase) -> List[int]:
  return packed_weights._padding


def quantized_conv3d_output_padding(packed_weights: __torch__.torch.classes.quantized.Conv3dPackedParamsBase) -> List[int]:
  return packed_weights._output_padding


def quantized_conv3d_dilation(packed_weights: __torch__.torch.classes.quantized.Conv3dPackedParamsBase) -> List[int]:
  return packed_weights._dilation


def quantized_conv3d_groups(packed_weights: __torch__.torch.classes.quantized.Conv3dPackedParamsBase) -> int:
  return packed_weights._groups


def quantized_conv3d_transpose(packed_weights: __torch__.torch.classes.quantized.Conv3dPackedParamsBase) -> int:
  return int(packed_weights._transpose)


def quantized_conv_transpose3d_stride(packed_weights: __torch__.torch.classes.quantized.Conv3dPackedParamsBase) -> List[int]:
  return packed_weights._stride


def quantized_conv_transpose3d_padding(packed_weights: __torch__.torch.classes.quantized.Conv3dPackedParamsBase) -> List[int]:
  return packed_weights._padding


def quantized_conv_transpose3d_output_padding(packed_weights: __torch__.torch.classes.quantized.Conv3dPackedParamsBase) -> List[int]:
  return packed_weights._output_padding


def quantized_conv_transpose3d_dilation(packed_weights: __torch__.torch.classes.quantized.Conv3dPackedParamsBase) -> List[int]:
  return packed_weights._dilation


def quantized_conv_transpose3d_groups(packed_weights: __torch__.torch.classes.quantized.Conv3dPackedParamsBase) -> int:
  return packed_weights._groups


def quantized_conv_transpose3d_transpose(packed_weights: __torch__.torch.classes.quantized.Conv3dPackedParamsBase) -> int:
  return int(packed_weights._transpose)


def aten_quantized_max_pool3d(self: Tensor, kernel_size: List[int], stride: List[int], padding: List[int], dilation: List[int],
                              ceil_mode: bool) -> Tensor:
  return torch.max_pool3d(self, kernel_size, stride, padding, dilation, ceil_mode)


# ---- What PyTorch 2 fuses with layers; calculated as floats ----

def float_linear(x: Tensor, w: __torch__.torch.classes.quantized.LinearPackedParamsBase) -> Tensor:
  return torch.linear(x, torch.dequantize(w.weight), w.bias)


def quantized_linear_leaky_relu(X: Tensor, W_prepack: __torch__.torch.classes.quantized.LinearPackedParamsBase, Y_scale_i: float,
                                Y_zero_point_i: int, negative_slope: float) -> Tensor:
  y = torch.leaky_relu(__torch__.torch.ops.quantized.float_linear(torch.dequantize(X), W_prepack), negative_slope)
  return torch.quantize_per_tensor(y, Y_scale_i, Y_zero_point_i, ops.prim.dtype(X))


def quantized_linear_tanh(X: Tensor, W_prepack: __torch__.torch.classes.quantized.LinearPackedParamsBase, Y_scale_i: float,
                          Y_zero_point_i: int) -> Tensor:
  y = torch.tanh(__torch__.torch.ops.quantized.float_linear(torch.dequantize(X), W_prepack))
  return torch.quantize_per_tensor(y, Y_scale_i, Y_zero_point_i, ops.prim.dtype(X))


def quantized_linear_with_input_q_dq_qweight_dq_output_fp32(X: Tensor, X_scale: float, X_zero_point: int,
                                                            W_prepack: __torch__.torch.classes.quantized.LinearPackedParamsBase) -> Tensor:
  return __torch__.torch.ops.quantized.float_linear(torch.dequantize(torch.quantize_per_tensor(X, X_scale, X_zero_point, 13)), W_prepack)


def quantized_linear_with_input_q_dq_qweight_dq_relu_output_fp32(X: Tensor, X_scale: float, X_zero_point: int,
                                                                 W_prepack: __torch__.torch.classes.quantized.LinearPackedParamsBase) -> Tensor:
  return torch.relu(__torch__.torch.ops.quantized.quantized_linear_with_input_q_dq_qweight_dq_output_fp32(X, X_scale, X_zero_point, W_prepack))


def quantized_linear_dynamic_fp16_unpacked_weight(X: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
  return torch.linear(X, torch.to(torch.to(weight, 5), 6), bias)


def float_conv_add(qx: Tensor, qaccum: Tensor, p: __torch__.torch.classes.quantized.Conv2dPackedParamsBase) -> Tensor:
  y = torch.conv2d(torch.dequantize(qx), torch.dequantize(p._weight), p._bias, p._stride, p._padding, p._dilation, p._groups)
  return y + torch.dequantize(qaccum)


def quantized_conv2d_add(qx: Tensor, qaccum: Tensor, packed_weight: __torch__.torch.classes.quantized.Conv2dPackedParamsBase,
                         output_scale: float, output_zero_point: int) -> Tensor:
  y = __torch__.torch.ops.quantized.float_conv_add(qx, qaccum, packed_weight)
  return torch.quantize_per_tensor(y, output_scale, output_zero_point, ops.prim.dtype(qx))


def quantized_conv2d_add_relu(qx: Tensor, qaccum: Tensor, packed_weight: __torch__.torch.classes.quantized.Conv2dPackedParamsBase,
                              output_scale: float, output_zero_point: int) -> Tensor:
  y = torch.relu(__torch__.torch.ops.quantized.float_conv_add(qx, qaccum, packed_weight))
  return torch.quantize_per_tensor(y, output_scale, output_zero_point, ops.prim.dtype(qx))


# ---- bfloat16 in tensors of half's dtype ----

def quantization__FloatToBfloat16Quantized(input: Tensor) -> Tensor:
  bits = torch.__rshift__(torch.view(torch.contiguous(input), dtype=3) + 32768, 16)
  return torch.view(torch.to(bits, 2), dtype=5)


def quantization__Bfloat16QuantizedToFloat(input: Tensor) -> Tensor:
  return torch.view(torch.__lshift__(torch.to(torch.view(torch.contiguous(input), dtype=2), 3), 16), dtype=6)

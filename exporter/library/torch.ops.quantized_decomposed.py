# Operators of quantized programs of torch.export (PT2E; torch/ao/quantization/fx/_decomposed.py of PyTorch):
# quantized_decomposed::name.overload is the function quantized_decomposed_name_overload. Quantized tensors are tensors
# of plain integers there, scales and zero points are arguments.


def quantized_decomposed_quantize_per_tensor(input: Tensor, scale: float, zero_point: int, quant_min: int, quant_max: int, dtype: int) -> Tensor:
  steps = torch.round(torch.to(input, 6) * (1. / scale))
  return torch.to(torch.clamp(steps + zero_point, quant_min, quant_max), dtype)


def quantized_decomposed_quantize_per_tensor_tensor(input: Tensor, scale: Tensor, zero_point: Tensor, quant_min: int, quant_max: int,
                                                    dtype: int) -> Tensor:
  return __torch__.torch.ops.quantized_decomposed.quantized_decomposed_quantize_per_tensor(input, float(scale), int(zero_point), quant_min, quant_max, dtype)


def quantized_decomposed_quantize_per_tensor_tensor2(input: Tensor, scale: Tensor, zero_point: Tensor, quant_min: Tensor, quant_max: Tensor,
                                                     dtype: int) -> Tensor:
  return __torch__.torch.ops.quantized_decomposed.quantized_decomposed_quantize_per_tensor(input, float(scale), int(zero_point), int(quant_min),
                                                                                           int(quant_max), dtype)


def quantized_decomposed_dequantize_per_tensor(input: Tensor, scale: float, zero_point: int, quant_min: int, quant_max: int, dtype: int,
                                               out_dtype: Optional[int]) -> Tensor:
  wanted = 6
  if out_dtype is not None:
    wanted = unchecked_cast(int, out_dtype)
  return (torch.to(input, wanted) - zero_point) * scale


def quantized_decomposed_dequantize_per_tensor_tensor(input: Tensor, scale: Tensor, zero_point: Tensor, quant_min: int, quant_max: int, dtype: int,
                                                      out_dtype: Optional[int]) -> Tensor:
  return __torch__.torch.ops.quantized_decomposed.quantized_decomposed_dequantize_per_tensor(input, float(scale), int(zero_point), quant_min, quant_max,
                                                                                             dtype, out_dtype)


def quantized_decomposed_dequantize_per_tensor_tensor2(input: Tensor, scale: Tensor, zero_point: Tensor, quant_min: Tensor, quant_max: Tensor, dtype: int,
                                                       out_dtype: Optional[int]) -> Tensor:
  return __torch__.torch.ops.quantized_decomposed.quantized_decomposed_dequantize_per_tensor(input, float(scale), int(zero_point), 0, 0, dtype, out_dtype)


# One number for each index along the axis, with as many dimensions as the tensor.
def along_axis(numbers: Tensor, dims: int, axis: int) -> Tensor:
  shape = [1 for d in range(dims)]
  shape[axis] = -1
  return torch.view(numbers, shape)


def quantized_decomposed_quantize_per_channel(input: Tensor, scales: Tensor, zero_points: Tensor, axis: int, quant_min: int, quant_max: int,
                                              dtype: int) -> Tensor:
  scale = __torch__.torch.ops.quantized_decomposed.along_axis(scales, torch.dim(input), axis)
  zero = __torch__.torch.ops.quantized_decomposed.along_axis(zero_points, torch.dim(input), axis)
  steps = torch.round(torch.to(input, 6) * torch.reciprocal(scale))
  return torch.to(torch.clamp(steps + zero, quant_min, quant_max), dtype)


def quantized_decomposed_dequantize_per_channel(input: Tensor, scales: Tensor, zero_points: Optional[Tensor], axis: int, quant_min: int, quant_max: int,
                                                dtype: int, out_dtype: Optional[int]) -> Tensor:
  wanted = 6
  if out_dtype is not None:
    wanted = unchecked_cast(int, out_dtype)
  values = input
  if zero_points is not None:
    zeros = unchecked_cast(Tensor, zero_points)
    values = input - __torch__.torch.ops.quantized_decomposed.along_axis(zeros, torch.dim(input), axis)
  return torch.to(values * __torch__.torch.ops.quantized_decomposed.along_axis(scales, torch.dim(input), axis), wanted)


# Scales and zero points of dynamic quantization: tensors of one element.
def quantized_decomposed_choose_qparams_tensor(input: Tensor, quant_min: int, quant_max: int, eps: float, dtype: int) -> Tuple[Tensor, Tensor]:
  least, greatest = torch.aminmax(input)
  low, high = torch.clamp_max(least, 0), torch.clamp_min(greatest, 0)
  scale = torch.clamp_min((high - low) / float(quant_max - quant_min), eps)
  zero = torch.clamp(quant_min - torch.to(torch.round(low / scale), 3), quant_min, quant_max)
  return (torch.to(torch.reshape(scale, [1]), 7), torch.to(torch.reshape(zero, [1]), 4))


def quantized_decomposed_choose_qparams_symmetric_tensor(input: Tensor, quant_min: int, quant_max: int, eps: float, dtype: int) -> Tuple[Tensor, Tensor]:
  least, greatest = torch.aminmax(input)
  high = torch.maximum(torch.neg(torch.clamp_max(least, 0)), torch.clamp_min(greatest, 0))
  scale = torch.clamp_min(high / (float(quant_max - quant_min) / 2.), eps)
  zero = 0
  if dtype == 0:
    zero = 128
  return (torch.to(torch.reshape(scale, [1]), 7), torch.full([1], zero, dtype=4))


def quantized_decomposed_choose_qparams_per_token(input: Tensor, dtype: int) -> Tuple[Tensor, Tensor]:
  greatest = torch.amax(torch.abs(input), [-1], True)
  if ops.prim.dtype(greatest) == 5:
    greatest = torch.to(greatest, 6)
  scales = torch.clamp_min(greatest, 1.0000000000000001e-05) / 127
  return (scales, torch.zeros_like(scales))


def quantized_decomposed_choose_qparams_per_token_asymmetric(input: Tensor, dtype: int) -> Tuple[Tensor, Tensor]:
  low, high = torch.clamp_max(torch.amin(input, [-1], True), 0), torch.clamp_min(torch.amax(input, [-1], True), 0)
  scale = torch.clamp_min((high - low) / 255., 1.1920928955078125e-07)
  down, up = low / scale, high / scale
  zero = torch.where((down - 128) + (up + 127) > 0, torch.rsub(down, -128), torch.rsub(up, 127))
  return (torch.to(scale, 7), torch.to(torch.round(torch.clamp(zero, -128, 127)), 4))


def quantized_decomposed__choose_qparams_per_token_asymmetric_impl(input: Tensor, dtype: int) -> Tuple[Tensor, Tensor]:
  return __torch__.torch.ops.quantized_decomposed.quantized_decomposed_choose_qparams_per_token_asymmetric(input, dtype)


def quantized_decomposed_quantize_per_token(input: Tensor, scales: Tensor, zero_points: Tensor, quant_min: int, quant_max: int, dtype: int) -> Tensor:
  return torch.to(torch.clamp(torch.round(input * torch.reciprocal(scales) + zero_points), quant_min, quant_max), dtype)


def quantized_decomposed_dequantize_per_token(input: Tensor, scales: Tensor, zero_points: Tensor, quant_min: int, quant_max: int, dtype: int,
                                              output_dtype: int) -> Tensor:
  return torch.to((input - zero_points) * scales, output_dtype)


def quantized_decomposed_quantize_per_channel_group(input: Tensor, scales: Tensor, zero_points: Tensor, quant_min: int, quant_max: int, dtype: int,
                                                    group_size: int) -> Tensor:
  width = min(group_size, torch.size(input, -1))
  groups = torch.reshape(input, [-1, width]) * torch.reciprocal(torch.reshape(scales, [-1, 1]))
  steps = torch.round(groups + torch.reshape(zero_points, [-1, 1]))
  return torch.reshape(torch.to(torch.clamp(steps, quant_min, quant_max), dtype), torch.size(input))


def quantized_decomposed_dequantize_per_channel_group(input: Tensor, scales: Tensor, zero_points: Optional[Tensor], quant_min: int, quant_max: int,
                                                      dtype: int, group_size: int, output_dtype: int) -> Tensor:
  values = torch.reshape(input, [-1, min(group_size, torch.size(input, -1))])
  if zero_points is not None:
    values = values - torch.reshape(unchecked_cast(Tensor, zero_points), [-1, 1])
  return torch.to(torch.reshape(values * torch.reshape(scales, [-1, 1]), torch.size(input)), output_dtype)

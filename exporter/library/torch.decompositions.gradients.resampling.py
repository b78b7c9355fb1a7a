# Gradients of the resizing of images (see torch.decompositions.gradients.layers).

# What one dimension's resizing makes of the unit vectors: [1, n, made].
def resized_units(n: int, made: int, how: str, align_corners: bool, factor: Optional[float], like: Tensor) -> Tensor:
  lines = __torch__.torch.decompositions.gradients.layers.units(n, like)
  if how == "nearest":
    return torch.upsample_nearest1d(lines, [made], factor)
  if how == "nearest-exact":
    return torch._upsample_nearest_exact1d(lines, [made], factor)
  if how == "linear":
    return torch.upsample_linear1d(lines, [made], align_corners, factor)
  if how == "cubic":
    return torch.squeeze(torch.upsample_bicubic2d(torch.unsqueeze(lines, 2), [1, made], align_corners, None, factor), 2)
  weights = __torch__.torch.decompositions.resampling.smoothing(n, made, how == "smooth cubic", __torch__.torch.decompositions.resampling.smoothing_scale(n, made, align_corners, factor))
  return torch.unsqueeze(torch.to(torch.transpose(weights, 0, 1), like.dtype), 0)


def resized_back(grad: Tensor, input_size: List[int], how: str, align_corners: bool, factors: List[Optional[float]]) -> Tensor:
  g = grad
  for d in range(2, len(input_size)):
    lines = resized_units(input_size[d], torch.size(grad, d), how, align_corners, factors[d - 2], grad)
    g = __torch__.torch.decompositions.gradients.layers.back_along(g, d, lines)
  return g


def factors_of(scale_factors: Optional[List[float]], n: int) -> List[Optional[float]]:
  made: List[Optional[float]] = []
  for d in range(n):
    factor: Optional[float] = None
    if scale_factors is not None:
      factor = scale_factors[d]
    made = made + [factor]
  return made


def aten_upsample_nearest1d_backward(grad_output: Tensor, output_size: List[int], input_size: List[int], scales: Optional[float]) -> Tensor:
  return resized_back(grad_output, input_size, "nearest", False, [scales])


def aten_upsample_nearest1d_backward_vec(grad_output: Tensor, output_size: Optional[List[int]], input_size: List[int], scale_factors: Optional[List[float]]) -> Tensor:
  return resized_back(grad_output, input_size, "nearest", False, factors_of(scale_factors, 1))


def aten_upsample_nearest2d_backward(grad_output: Tensor, output_size: List[int], input_size: List[int], scales_h: Optional[float], scales_w: Optional[float]) -> Tensor:
  return resized_back(grad_output, input_size, "nearest", False, [scales_h, scales_w])


def aten_upsample_nearest2d_backward_vec(grad_output: Tensor, output_size: Optional[List[int]], input_size: List[int], scale_factors: Optional[List[float]]) -> Tensor:
  return resized_back(grad_output, input_size, "nearest", False, factors_of(scale_factors, 2))


def aten_upsample_nearest3d_backward(grad_output: Tensor, output_size: List[int], input_size: List[int], scales_d: Optional[float], scales_h: Optional[float], scales_w: Optional[float]) -> Tensor:
  return resized_back(grad_output, input_size, "nearest", False, [scales_d, scales_h, scales_w])


def aten_upsample_nearest3d_backward_vec(grad_output: Tensor, output_size: Optional[List[int]], input_size: List[int], scale_factors: Optional[List[float]]) -> Tensor:
  return resized_back(grad_output, input_size, "nearest", False, factors_of(scale_factors, 3))


def aten__upsample_nearest_exact1d_backward(grad_output: Tensor, output_size: List[int], input_size: List[int], scales: Optional[float]) -> Tensor:
  return resized_back(grad_output, input_size, "nearest-exact", False, [scales])


def aten__upsample_nearest_exact1d_backward_vec(grad_output: Tensor, output_size: Optional[List[int]], input_size: List[int], scale_factors: Optional[List[float]]) -> Tensor:
  return resized_back(grad_output, input_size, "nearest-exact", False, factors_of(scale_factors, 1))


def aten__upsample_nearest_exact2d_backward(grad_output: Tensor, output_size: List[int], input_size: List[int], scales_h: Optional[float], scales_w: Optional[float]) -> Tensor:
  return resized_back(grad_output, input_size, "nearest-exact", False, [scales_h, scales_w])


def aten__upsample_nearest_exact2d_backward_vec(grad_output: Tensor, output_size: Optional[List[int]], input_size: List[int], scale_factors: Optional[List[float]]) -> Tensor:
  return resized_back(grad_output, input_size, "nearest-exact", False, factors_of(scale_factors, 2))


def aten__upsample_nearest_exact3d_backward(grad_output: Tensor, output_size: List[int], input_size: List[int], scales_d: Optional[float], scales_h: Optional[float], scales_w: Optional[float]) -> Tensor:
  return resized_back(grad_output, input_size, "nearest-exact", False, [scales_d, scales_h, scales_w])


def aten__upsample_nearest_exact3d_backward_vec(grad_output: Tensor, output_size: Optional[List[int]], input_size: List[int], scale_factors: Optional[List[float]]) -> Tensor:
  return resized_back(grad_output, input_size, "nearest-exact", False, factors_of(scale_factors, 3))


def aten_upsample_linear1d_backward(grad_output: Tensor, output_size: List[int], input_size: List[int], align_corners: bool, scales: Optional[float]) -> Tensor:
  return resized_back(grad_output, input_size, "linear", align_corners, [scales])


def aten_upsample_linear1d_backward_vec(grad_output: Tensor, output_size: Optional[List[int]], input_size: List[int], align_corners: bool, scale_factors: Optional[List[float]]) -> Tensor:
  return resized_back(grad_output, input_size, "linear", align_corners, factors_of(scale_factors, 1))


def aten_upsample_bilinear2d_backward(grad_output: Tensor, output_size: List[int], input_size: List[int], align_corners: bool, scales_h: Optional[float], scales_w: Optional[float]) -> Tensor:
  return resized_back(grad_output, input_size, "linear", align_corners, [scales_h, scales_w])


def aten_upsample_bilinear2d_backward_vec(grad_output: Tensor, output_size: Optional[List[int]], input_size: List[int], align_corners: bool, scale_factors: Optional[List[float]]) -> Tensor:
  return resized_back(grad_output, input_size, "linear", align_corners, factors_of(scale_factors, 2))


def aten_upsample_trilinear3d_backward(grad_output: Tensor, output_size: List[int], input_size: List[int], align_corners: bool, scales_d: Optional[float], scales_h: Optional[float], scales_w: Optional[float]) -> Tensor:
  return resized_back(grad_output, input_size, "linear", align_corners, [scales_d, scales_h, scales_w])


def aten_upsample_trilinear3d_backward_vec(grad_output: Tensor, output_size: Optional[List[int]], input_size: List[int], align_corners: bool, scale_factors: Optional[List[float]]) -> Tensor:
  return resized_back(grad_output, input_size, "linear", align_corners, factors_of(scale_factors, 3))


def aten_upsample_bicubic2d_backward(grad_output: Tensor, output_size: List[int], input_size: List[int], align_corners: bool, scales_h: Optional[float], scales_w: Optional[float]) -> Tensor:
  return resized_back(grad_output, input_size, "cubic", align_corners, [scales_h, scales_w])


def aten_upsample_bicubic2d_backward_vec(grad_output: Tensor, output_size: Optional[List[int]], input_size: List[int], align_corners: bool, scale_factors: Optional[List[float]]) -> Tensor:
  return resized_back(grad_output, input_size, "cubic", align_corners, factors_of(scale_factors, 2))


def aten__upsample_bilinear2d_aa_backward(grad_output: Tensor, output_size: List[int], input_size: List[int], align_corners: bool, scales_h: Optional[float], scales_w: Optional[float]) -> Tensor:
  return resized_back(grad_output, input_size, "smooth", align_corners, [scales_h, scales_w])


def aten__upsample_bilinear2d_aa_backward_vec(grad_output: Tensor, output_size: Optional[List[int]], input_size: List[int], align_corners: bool, scale_factors: Optional[List[float]]) -> Tensor:
  return resized_back(grad_output, input_size, "smooth", align_corners, factors_of(scale_factors, 2))


def aten__upsample_bicubic2d_aa_backward(grad_output: Tensor, output_size: List[int], input_size: List[int], align_corners: bool, scales_h: Optional[float], scales_w: Optional[float]) -> Tensor:
  return resized_back(grad_output, input_size, "smooth cubic", align_corners, [scales_h, scales_w])


def aten__upsample_bicubic2d_aa_backward_vec(grad_output: Tensor, output_size: Optional[List[int]], input_size: List[int], align_corners: bool, scale_factors: Optional[List[float]]) -> Tensor:
  return resized_back(grad_output, input_size, "smooth cubic", align_corners, factors_of(scale_factors, 2))

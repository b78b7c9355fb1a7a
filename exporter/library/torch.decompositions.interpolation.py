# Resizing as torch.nn.functional.interpolate does it; the forms of `size` and `scale_factor` are lists here, or None.

def interpolate_sizes(input: Tensor, size: Optional[List[int]], scales: Optional[List[float]], mode: str, recompute: Optional[bool]) -> Optional[List[int]]:
  recomputes = mode == "area"
  if recompute is not None:
    recomputes = recomputes or recompute
  if scales is None or not recomputes:
    return size
  sizes = annotate(List[int], [])
  for i in range(torch.len(scales)):
    _0 = torch.append(sizes, torch.floor(torch.mul(torch.Float(torch.size(input, i + 2)), scales[i])))
  return sizes


def check_interpolation(input: Tensor, size: Optional[List[int]], scale_factor: Optional[List[float]], mode: str,
    align_corners: Optional[bool], recompute: Optional[bool], antialias: bool):
  dims = torch.dim(input) - 2
  if (mode == "nearest" or mode == "area" or mode == "nearest-exact") and align_corners is not None:
    ops.prim.RaiseException("align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear", "builtins.ValueError")
  if size is not None and scale_factor is not None:
    ops.prim.RaiseException("only one of size or scale_factor should be defined", "builtins.ValueError")
  if size is None and scale_factor is None:
    ops.prim.RaiseException("either size or scale_factor should be defined", "builtins.ValueError")
  if size is not None and recompute is not None:
    if recompute:
      ops.prim.RaiseException("recompute_scale_factor is not meaningful with an explicit size.", "builtins.ValueError")
  if size is not None:
    if len(size) != dims:
      ops.prim.RaiseException(torch.format("It is expected output_size equals to {}, but got size {}", dims, len(size)))
  if antialias and not ((mode == "bilinear" or mode == "bicubic") and dims == 2):
    ops.prim.RaiseException("Anti-alias option is only supported for bilinear and bicubic modes", "builtins.ValueError")


def interpolate_nearest(input: Tensor, sizes: Optional[List[int]], scales: Optional[List[float]], exact: bool) -> Tensor:
  dims = torch.dim(input) - 2
  if dims == 1:
    return torch._upsample_nearest_exact1d(input, sizes, scales) if exact else torch.upsample_nearest1d(input, sizes, scales)
  if dims == 2:
    return torch._upsample_nearest_exact2d(input, sizes, scales) if exact else torch.upsample_nearest2d(input, sizes, scales)
  return torch._upsample_nearest_exact3d(input, sizes, scales) if exact else torch.upsample_nearest3d(input, sizes, scales)


def interpolate_area(input: Tensor, sizes: Optional[List[int]]) -> Tensor:
  if sizes is None:
    ops.prim.RaiseException("either size or scale_factor should be defined", "builtins.ValueError")
    return input
  dims = torch.dim(input) - 2
  if dims == 1:
    return torch.adaptive_avg_pool1d(input, sizes)
  return torch.adaptive_avg_pool2d(input, sizes) if dims == 2 else torch.adaptive_avg_pool3d(input, sizes)


def interpolate_lists(input: Tensor, size: Optional[List[int]], scale_factor: Optional[List[float]], mode: str,
    align_corners: Optional[bool], recompute_scale_factor: Optional[bool], antialias: bool) -> Tensor:
  check_interpolation(input, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias)
  sizes = interpolate_sizes(input, size, scale_factor, mode, recompute_scale_factor)
  scales = scale_factor if sizes is None else annotate(Optional[List[float]], None)
  corners = False if align_corners is None else align_corners
  dims = torch.dim(input) - 2
  if (mode == "nearest" or mode == "nearest-exact") and dims >= 1 and dims <= 3:
    return interpolate_nearest(input, sizes, scales, mode == "nearest-exact")
  if mode == "area" and dims >= 1 and dims <= 3:
    return interpolate_area(input, sizes)
  if mode == "linear" and dims == 1:
    return torch.upsample_linear1d(input, sizes, corners, scales)
  if mode == "bilinear" and dims == 2:
    if antialias:
      return torch._upsample_bilinear2d_aa(input, sizes, corners, scales)
    return torch.upsample_bilinear2d(input, sizes, corners, scales)
  if mode == "trilinear" and dims == 3:
    return torch.upsample_trilinear3d(input, sizes, corners, scales)
  if mode == "bicubic" and dims == 2:
    if antialias:
      return torch._upsample_bicubic2d_aa(input, sizes, corners, scales)
    return torch.upsample_bicubic2d(input, sizes, corners, scales)
  wanted = {"linear": 3, "bilinear": 4, "trilinear": 5}
  if mode in wanted and dims >= 1 and dims <= 3:
    ops.prim.RaiseException(torch.format("Got {}D input, but {} mode needs {}D input", dims + 2, mode, wanted[mode]), "builtins.NotImplementedError")
  ops.prim.RaiseException(torch.format("Input Error: Only 3D, 4D and 5D input Tensors supported (got {}D) for the modes: nearest | linear | bilinear | bicubic | trilinear | area | nearest-exact (got {})", dims + 2, mode), "builtins.NotImplementedError")
  return input


# ---- The operators of programs that were saved when F.interpolate and F.upsample were operators ----

def sides(input: Tensor, size: Optional[int]) -> Optional[List[int]]:
  if size is None:
    return None
  return [size for d in range(torch.dim(input) - 2)]


def factors(input: Tensor, factor: Optional[float]) -> Optional[List[float]]:
  if factor is None:
    return None
  return [factor for d in range(torch.dim(input) - 2)]


def whole_factors(input: Tensor, factor: Optional[int]) -> Optional[List[float]]:
  if factor is None:
    return None
  return [float(factor) for d in range(torch.dim(input) - 2)]


def as_floats(values: Optional[List[int]]) -> Optional[List[float]]:
  if values is None:
    return None
  return [float(v) for v in values]


def aten___interpolate(input: Tensor, size: Optional[int], scale_factor: Optional[float], mode: str, align_corners: Optional[bool], recompute_scale_factor: Optional[bool],
    antialias: bool) -> Tensor:
  return interpolate_lists(input, sides(input, size), factors(input, scale_factor), mode, align_corners, recompute_scale_factor, antialias)


def aten___interpolate_size_list(input: Tensor, size: Optional[List[int]], scale_factor: Optional[float], mode: str, align_corners: Optional[bool], recompute_scale_factor: Optional[bool],
    antialias: bool) -> Tensor:
  return interpolate_lists(input, size, factors(input, scale_factor), mode, align_corners, recompute_scale_factor, antialias)


def aten___interpolate_scale_list(input: Tensor, size: Optional[int], scale_factor: Optional[List[float]], mode: str, align_corners: Optional[bool], recompute_scale_factor: Optional[bool],
    antialias: bool) -> Tensor:
  return interpolate_lists(input, sides(input, size), scale_factor, mode, align_corners, recompute_scale_factor, antialias)


def aten___interpolate_size_list_scale_list(input: Tensor, size: Optional[List[int]], scale_factor: Optional[List[float]], mode: str, align_corners: Optional[bool], recompute_scale_factor: Optional[bool],
    antialias: bool) -> Tensor:
  return interpolate_lists(input, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias)


def aten___upsample(input: Tensor, size: Optional[int], scale_factor: Optional[int], mode: str, align_corners: Optional[bool]) -> Tensor:
  return interpolate_lists(input, sides(input, size), whole_factors(input, scale_factor), mode, align_corners, None, False)


def aten___upsample_nearest(input: Tensor, size: Optional[int], scale_factor: Optional[int]) -> Tensor:
  return interpolate_lists(input, sides(input, size), whole_factors(input, scale_factor), "nearest", None, None, False)


def aten___upsample_size_list(input: Tensor, size: Optional[List[int]], scale_factor: Optional[int], mode: str, align_corners: Optional[bool]) -> Tensor:
  return interpolate_lists(input, size, whole_factors(input, scale_factor), mode, align_corners, None, False)


def aten___upsample_nearest_size_list(input: Tensor, size: Optional[List[int]], scale_factor: Optional[int]) -> Tensor:
  return interpolate_lists(input, size, whole_factors(input, scale_factor), "nearest", None, None, False)


def aten___upsample_bilinear(input: Tensor, size: Optional[int], scale_factor: Optional[int]) -> Tensor:
  return interpolate_lists(input, sides(input, size), whole_factors(input, scale_factor), "bilinear", True, None, False)


def aten___upsample_bilinear_size_list(input: Tensor, size: Optional[List[int]], scale_factor: Optional[int]) -> Tensor:
  return interpolate_lists(input, size, whole_factors(input, scale_factor), "bilinear", True, None, False)


def aten___upsample_bilinear_scale_list(input: Tensor, size: Optional[int], scale_factor: Optional[List[int]]) -> Tensor:
  return interpolate_lists(input, sides(input, size), as_floats(scale_factor), "bilinear", True, None, False)


def aten___upsample_bilinear_size_list_scale_list(input: Tensor, size: Optional[List[int]], scale_factor: Optional[List[int]]) -> Tensor:
  return interpolate_lists(input, size, as_floats(scale_factor), "bilinear", True, None, False)

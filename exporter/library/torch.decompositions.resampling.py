# Resizing of images that libtsmobile has no kernel for (see torch.decompositions).

# ---- With smoothing ----
# Each output is a weighted mean of the inputs around it, so a line of outputs is a matrix times a line of inputs.
# Gradients are calculated so.

def triangle(x: Tensor) -> Tensor:
  return torch.clamp_min(1.0 - torch.abs(x), 0)


# Keys' cubic with a = -0.5.
def cubic(x: Tensor) -> Tensor:
  a = torch.abs(x)
  near = (1.5 * a - 2.5) * a * a + 1.0
  far = ((-0.5 * a + 2.5) * a - 4.0) * a + 2.0
  return torch.where(a < 1, near, torch.where(a < 2, far, torch.zeros_like(a)))


# Input places for one output place.
def smoothing_scale(n: int, made: int, align_corners: bool, factor: Optional[float]) -> float:
  scale = float(n) / float(made)
  if align_corners:
    scale = float(n - 1) / float(made - 1) if made > 1 else 0.0
  elif factor is not None:
    scale = 1.0 / factor if factor > 0.0 else scale
  return scale


def smoothing(n: int, made: int, is_cubic: bool, scale: float) -> Tensor:
  wide = max(scale, 1.0)
  support = wide * (2.0 if is_cubic else 1.0)
  center = torch.unsqueeze((torch.arange(made, dtype=7) + 0.5) * scale, 1)
  place = torch.unsqueeze(torch.arange(n, dtype=7), 0)
  first = torch.clamp_min(torch.trunc(center - support + 0.5), 0)
  end = torch.clamp_max(torch.trunc(center + support + 0.5), n)
  x = (place - center + 0.5) / wide
  weights = cubic(x) if is_cubic else triangle(x)
  weights = torch.where((place >= first) & (place < end), weights, torch.zeros_like(weights))
  return weights / torch.sum(weights, [1], True)


def smoothed(self: Tensor, sizes: List[int], is_cubic: bool, align_corners: bool, scale_h: Optional[float], scale_w: Optional[float]) -> Tensor:
  if torch.dim(self) != 4:
    ops.prim.RaiseException(torch.format("It is expected input_size equals to 4, but got size {}", torch.dim(self)))
  if min(sizes[0], sizes[1]) <= 0 or min(torch.size(self, 2), torch.size(self, 3)) <= 0:
    ops.prim.RaiseException(torch.format("Input and output sizes should be greater than 0, but got input (H: {}, W: {}) output (H: {}, W: {})", torch.size(self, 2), torch.size(self, 3), sizes[0], sizes[1]))
  scales = [smoothing_scale(torch.size(self, 2), sizes[0], align_corners, scale_h), smoothing_scale(torch.size(self, 3), sizes[1], align_corners, scale_w)]
  if self.dtype == 0:
    return ops.tsm.upsample_bytes_aa(self, sizes, scales, is_cubic)
  if not torch.is_floating_point(self):
    ops.prim.RaiseException("\"compute_index_ranges_weights\" not implemented for integers other than bytes, bools and complex numbers")
  return ops.tsm.upsample_smoothed(self, sizes, scales, is_cubic)


def sizes_of(input: Tensor, output_size: Optional[List[int]], scale_factors: Optional[List[float]]) -> List[int]:
  if output_size is not None:
    if scale_factors is not None:
      ops.prim.RaiseException("Must specify exactly one of output_size and scale_factors")
    return output_size
  if scale_factors is None:
    ops.prim.RaiseException("Must specify exactly one of output_size and scale_factors")
    return []
  n = len(scale_factors)
  return [int(float(torch.size(input, d - n)) * scale_factors[d]) for d in range(n)]


def factor_at(scale_factors: Optional[List[float]], d: int) -> Optional[float]:
  return None if scale_factors is None else scale_factors[d]


def aten__upsample_bilinear2d_aa(self: Tensor, output_size: List[int], align_corners: bool, scales_h: Optional[float], scales_w: Optional[float]) -> Tensor:
  return smoothed(self, output_size, False, align_corners, scales_h, scales_w)


def aten__upsample_bilinear2d_aa_vec(input: Tensor, output_size: Optional[List[int]], align_corners: bool, scale_factors: Optional[List[float]]) -> Tensor:
  return smoothed(input, sizes_of(input, output_size, scale_factors), False, align_corners, factor_at(scale_factors, 0), factor_at(scale_factors, 1))


def aten__upsample_bicubic2d_aa(self: Tensor, output_size: List[int], align_corners: bool, scales_h: Optional[float], scales_w: Optional[float]) -> Tensor:
  return smoothed(self, output_size, True, align_corners, scales_h, scales_w)


def aten__upsample_bicubic2d_aa_vec(input: Tensor, output_size: Optional[List[int]], align_corners: bool, scale_factors: Optional[List[float]]) -> Tensor:
  return smoothed(input, sizes_of(input, output_size, scale_factors), True, align_corners, factor_at(scale_factors, 0), factor_at(scale_factors, 1))

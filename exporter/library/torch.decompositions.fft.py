# torch.fft, short-time transforms and windows, made of the three transforms that libtsmobile has. Names are as in
# torch.decompositions. Formulas are those of torch.fft's, torch.stft's and torch.signal's documentation.


# ---- Arguments ----

def promoted(x: Tensor) -> Tensor:
  if torch.is_complex(x) or torch.is_floating_point(x):
    return x
  return torch.to(x, 6)


def promoted_complex(x: Tensor) -> Tensor:
  if torch.is_complex(x):
    return x
  if x.dtype == 7:
    return torch.to(x, 10)
  return torch.to(x, 9)


def refuse_complex(x: Tensor, name: str) -> None:
  if torch.is_complex(x):
    ops.prim.RaiseException(torch.format("{} expects a real input tensor", name), "builtins.RuntimeError")


# Which of none (0), by the root of the number of points (1) and by the number of points (2).
def norm_mode(norm: Optional[str], forward: bool) -> int:
  if norm is None or norm == "backward":
    return 0 if forward else 2
  if norm == "forward":
    return 2 if forward else 0
  if norm == "ortho":
    return 1
  ops.prim.RaiseException(torch.format("Invalid normalization mode: \"{}\"", norm), "builtins.RuntimeError")
  return 0


# Cut or filled up with zeros to n points along a dimension.
def resized(x: Tensor, n: int, dim: int) -> Tensor:
  if n < 1:
    ops.prim.RaiseException(torch.format("Invalid number of data points ({}) specified", n), "builtins.RuntimeError")
  size = torch.size(x, dim)
  if n < size:
    return torch.narrow(x, dim, 0, n)
  if n == size:
    return x
  shape = torch.size(x)
  shape[dim] = n - size
  return torch.cat([x, torch.new_zeros(x, shape)], dim)


def resized_along(x: Tensor, sizes: List[int], dims: List[int]) -> Tensor:
  for i in range(len(dims)):
    if sizes[i] != -1:
      x = __torch__.torch.decompositions.fft.resized(x, sizes[i], dims[i])
    elif torch.size(x, dims[i]) < 1:
      ops.prim.RaiseException(torch.format("Invalid number of data points ({}) specified", torch.size(x, dims[i])),
                              "builtins.RuntimeError")
  return x


# The dimensions: those given, or the last as many as there are sizes, or all.
def dims_of(x: Tensor, s: Optional[List[int]], dim: Optional[List[int]]) -> List[int]:
  rank = torch.dim(x)
  if dim is not None:
    if s is not None and len(s) != len(dim):
      ops.prim.RaiseException("When given, dim and shape arguments must have the same length", "builtins.RuntimeError")
    dims: List[int] = []
    for d in dim:
      if d < -rank or d >= rank:
        ops.prim.RaiseException(torch.format("Dimension out of range (expected to be in range of [{}, {}], but got {})", -rank, rank - 1, d), "builtins.IndexError")
      torch.append(dims, d + rank if d < 0 else d)
    for i in range(len(dims)):
      if dims[i] in dims[:i]:
        ops.prim.RaiseException("FFT dims must be unique", "builtins.RuntimeError")
    return dims
  count = rank
  if s is not None:
    count = len(s)
  if count > rank:
    ops.prim.RaiseException(torch.format("Got shape with {} values but input tensor only has {} dimensions.", count, rank),
                            "builtins.RuntimeError")
  return [rank - count + i for i in range(count)]


def sizes_of(s: Optional[List[int]], count: int) -> List[int]:
  if s is not None:
    return s
  return [-1 for _ in range(count)]


# Of real numbers both directions have the same real parts, and imaginary parts of opposite sign.
def transformed(x: Tensor, dims: List[int], norm: Optional[str], forward: bool) -> Tensor:
  mode = __torch__.torch.decompositions.fft.norm_mode(norm, forward)
  if torch.is_complex(x):
    return torch._fft_c2c(x, dims, mode, forward)
  y = torch._fft_r2c(x, dims, mode, False)
  return y if forward else torch.conj_physical(y)


# ---- Along one dimension ----

def along_one(self: Tensor, n: Optional[int], dim: int, norm: Optional[str], forward: bool) -> Tensor:
  x = __torch__.torch.decompositions.fft.promoted(self)
  x = __torch__.torch.decompositions.fft.resized(x, torch.size(x, dim) if n is None else n, dim)
  return __torch__.torch.decompositions.fft.transformed(x, [dim], norm, forward)


def aten_fft_fft(self: Tensor, n: Optional[int], dim: int, norm: Optional[str]) -> Tensor:
  return __torch__.torch.decompositions.fft.along_one(self, n, dim, norm, True)


def aten_fft_ifft(self: Tensor, n: Optional[int], dim: int, norm: Optional[str]) -> Tensor:
  return __torch__.torch.decompositions.fft.along_one(self, n, dim, norm, False)


def aten_fft_rfft(self: Tensor, n: Optional[int], dim: int, norm: Optional[str]) -> Tensor:
  __torch__.torch.decompositions.fft.refuse_complex(self, "rfft")
  x = __torch__.torch.decompositions.fft.promoted(self)
  x = __torch__.torch.decompositions.fft.resized(x, torch.size(x, dim) if n is None else n, dim)
  return torch._fft_r2c(x, [dim], __torch__.torch.decompositions.fft.norm_mode(norm, True), True)


def hermitian(self: Tensor, n: Optional[int], dim: int, mode: int, forward: bool) -> Tensor:
  x = __torch__.torch.decompositions.fft.promoted_complex(self)
  points = 2 * (torch.size(x, dim) - 1) if n is None else n
  if points < 1:
    ops.prim.RaiseException(torch.format("Invalid number of data points ({}) specified", points), "builtins.RuntimeError")
  x = __torch__.torch.decompositions.fft.resized(x, points // 2 + 1, dim)
  if forward:
    x = torch.conj_physical(x)
  return torch._fft_c2r(x, [dim], mode, points)


def aten_fft_irfft(self: Tensor, n: Optional[int], dim: int, norm: Optional[str]) -> Tensor:
  mode = __torch__.torch.decompositions.fft.norm_mode(norm, False)
  return __torch__.torch.decompositions.fft.hermitian(self, n, dim, mode, False)


def aten_fft_hfft(self: Tensor, n: Optional[int], dim: int, norm: Optional[str]) -> Tensor:
  mode = __torch__.torch.decompositions.fft.norm_mode(norm, True)
  return __torch__.torch.decompositions.fft.hermitian(self, n, dim, mode, True)


def aten_fft_ihfft(self: Tensor, n: Optional[int], dim: int, norm: Optional[str]) -> Tensor:
  __torch__.torch.decompositions.fft.refuse_complex(self, "ihfft")
  x = __torch__.torch.decompositions.fft.promoted(self)
  x = __torch__.torch.decompositions.fft.resized(x, torch.size(x, dim) if n is None else n, dim)
  return torch.conj_physical(torch._fft_r2c(x, [dim], __torch__.torch.decompositions.fft.norm_mode(norm, False), True))


# ---- Along several dimensions ----

def complex_along(self: Tensor, s: Optional[List[int]], dim: Optional[List[int]], norm: Optional[str], forward: bool) -> Tensor:
  if torch.dim(self) == 0:
    ops.prim.RaiseException("ndim must be >= 1", "builtins.RuntimeError")
  x = __torch__.torch.decompositions.fft.promoted(self)
  dims = __torch__.torch.decompositions.fft.dims_of(x, s, dim)
  if len(dims) == 0:
    return __torch__.torch.decompositions.fft.promoted_complex(x)
  x = __torch__.torch.decompositions.fft.resized_along(x, __torch__.torch.decompositions.fft.sizes_of(s, len(dims)), dims)
  return __torch__.torch.decompositions.fft.transformed(x, dims, norm, forward)


def aten_fft_fftn(self: Tensor, s: Optional[List[int]], dim: Optional[List[int]], norm: Optional[str]) -> Tensor:
  return __torch__.torch.decompositions.fft.complex_along(self, s, dim, norm, True)


def aten_fft_ifftn(self: Tensor, s: Optional[List[int]], dim: Optional[List[int]], norm: Optional[str]) -> Tensor:
  return __torch__.torch.decompositions.fft.complex_along(self, s, dim, norm, False)


def aten_fft_fft2(self: Tensor, s: Optional[List[int]], dim: List[int], norm: Optional[str]) -> Tensor:
  return __torch__.torch.decompositions.fft.complex_along(self, s, dim, norm, True)


def aten_fft_ifft2(self: Tensor, s: Optional[List[int]], dim: List[int], norm: Optional[str]) -> Tensor:
  return __torch__.torch.decompositions.fft.complex_along(self, s, dim, norm, False)


def aten_fft_rfftn(self: Tensor, s: Optional[List[int]], dim: Optional[List[int]], norm: Optional[str]) -> Tensor:
  __torch__.torch.decompositions.fft.refuse_complex(self, "rfftn")
  x = __torch__.torch.decompositions.fft.promoted(self)
  dims = __torch__.torch.decompositions.fft.dims_of(x, s, dim)
  if len(dims) == 0:
    ops.prim.RaiseException("rfftn must transform at least one axis", "builtins.RuntimeError")
  x = __torch__.torch.decompositions.fft.resized_along(x, __torch__.torch.decompositions.fft.sizes_of(s, len(dims)), dims)
  return torch._fft_r2c(x, dims, __torch__.torch.decompositions.fft.norm_mode(norm, True), True)


def aten_fft_rfft2(self: Tensor, s: Optional[List[int]], dim: List[int], norm: Optional[str]) -> Tensor:
  return __torch__.torch.decompositions.fft.aten_fft_rfftn(self, s, dim, norm)


def aten_fft_ihfftn(self: Tensor, s: Optional[List[int]], dim: Optional[List[int]], norm: Optional[str]) -> Tensor:
  __torch__.torch.decompositions.fft.refuse_complex(self, "ihfftn")
  x = __torch__.torch.decompositions.fft.promoted(self)
  dims = __torch__.torch.decompositions.fft.dims_of(x, s, dim)
  if len(dims) == 0:
    ops.prim.RaiseException("ihfftn must transform at least one axis", "builtins.RuntimeError")
  x = __torch__.torch.decompositions.fft.resized_along(x, __torch__.torch.decompositions.fft.sizes_of(s, len(dims)), dims)
  mode = __torch__.torch.decompositions.fft.norm_mode(norm, False)
  last = torch.pop(dims)
  half = torch.conj_physical(torch._fft_r2c(x, [last], mode, True))
  if len(dims) == 0:
    return half
  return torch._fft_c2c(half, dims, mode, False)


def aten_fft_ihfft2(self: Tensor, s: Optional[List[int]], dim: List[int], norm: Optional[str]) -> Tensor:
  return __torch__.torch.decompositions.fft.aten_fft_ihfftn(self, s, dim, norm)


def hermitian_along(self: Tensor, s: Optional[List[int]], dim: Optional[List[int]], norm: Optional[str], forward: bool) -> Tensor:
  x = __torch__.torch.decompositions.fft.promoted_complex(self)
  dims = __torch__.torch.decompositions.fft.dims_of(x, s, dim)
  if len(dims) == 0:
    ops.prim.RaiseException(torch.format("{} must transform at least one axis", "hfftn" if forward else "irfftn"),
                            "builtins.RuntimeError")
  sizes = torch.list(__torch__.torch.decompositions.fft.sizes_of(s, len(dims)))
  points = sizes[-1]
  if points == -1:
    points = 2 * (torch.size(x, dims[-1]) - 1)
  if points < 1:
    ops.prim.RaiseException(torch.format("Invalid number of data points ({}) specified", points), "builtins.RuntimeError")
  sizes[-1] = points // 2 + 1
  x = __torch__.torch.decompositions.fft.resized_along(x, sizes, dims)
  mode = __torch__.torch.decompositions.fft.norm_mode(norm, forward)
  if not forward:
    return torch._fft_c2r(x, dims, mode, points)
  last = torch.pop(dims)
  if len(dims) != 0:
    x = torch._fft_c2c(x, dims, mode, True)
  return torch._fft_c2r(torch.conj_physical(x), [last], mode, points)


def aten_fft_irfftn(self: Tensor, s: Optional[List[int]], dim: Optional[List[int]], norm: Optional[str]) -> Tensor:
  return __torch__.torch.decompositions.fft.hermitian_along(self, s, dim, norm, False)


def aten_fft_irfft2(self: Tensor, s: Optional[List[int]], dim: List[int], norm: Optional[str]) -> Tensor:
  return __torch__.torch.decompositions.fft.hermitian_along(self, s, dim, norm, False)


def aten_fft_hfftn(self: Tensor, s: Optional[List[int]], dim: Optional[List[int]], norm: Optional[str]) -> Tensor:
  return __torch__.torch.decompositions.fft.hermitian_along(self, s, dim, norm, True)


def aten_fft_hfft2(self: Tensor, s: Optional[List[int]], dim: List[int], norm: Optional[str]) -> Tensor:
  return __torch__.torch.decompositions.fft.hermitian_along(self, s, dim, norm, True)


# ---- Frequencies ----

def aten_fft_fftfreq(n: int, d: float, dtype: Optional[int], layout: Optional[int], device: Optional[Device],
                     pin_memory: Optional[bool]) -> Tensor:
  steps = torch.arange(n, dtype=6 if dtype is None else dtype, device=device)
  negative = torch.narrow(steps, 0, (n + 1) // 2, n // 2)
  torch.sub_(negative, n)
  return torch.mul(steps, 1.0 / (n * d))


def aten_fft_rfftfreq(n: int, d: float, dtype: Optional[int], layout: Optional[int], device: Optional[Device],
                      pin_memory: Optional[bool]) -> Tensor:
  return torch.mul(torch.arange(n // 2 + 1, dtype=6 if dtype is None else dtype, device=device), 1.0 / (n * d))


def aten_fft_fftshift(self: Tensor, dim: Optional[List[int]]) -> Tensor:
  dims = [i for i in range(torch.dim(self))] if dim is None else dim
  return torch.roll(self, [torch.size(self, d) // 2 for d in dims], dims)


def aten_fft_ifftshift(self: Tensor, dim: Optional[List[int]]) -> Tensor:
  dims = [i for i in range(torch.dim(self))] if dim is None else dim
  return torch.roll(self, [(torch.size(self, d) + 1) // 2 for d in dims], dims)


# ---- Windows ----

# The points 0, 1, ... of a window: a periodic one is a symmetric one of one point more without its last.
def window_points(length: int, dtype: Optional[int], device: Optional[Device]) -> Tensor:
  if length < 0:
    ops.prim.RaiseException("requires non-negative window_length", "builtins.RuntimeError")
  return torch.arange(length, dtype=6 if dtype is None else dtype, device=device)


def cosine_window(length: int, periodic: bool, alpha: float, beta: float, dtype: Optional[int],
                  device: Optional[Device]) -> Tensor:
  k = __torch__.torch.decompositions.fft.window_points(length, dtype, device)
  if length <= 1:
    return torch.ones_like(k)
  return torch.add(torch.mul(torch.cos(k * (6.283185307179586 / (length if periodic else length - 1))), -beta), alpha)


def aten_hann_window(window_length: int, dtype: Optional[int], layout: Optional[int], device: Optional[Device],
                     pin_memory: Optional[bool]) -> Tensor:
  return __torch__.torch.decompositions.fft.cosine_window(window_length, True, 0.5, 0.5, dtype, device)


def aten_hann_window_periodic(window_length: int, periodic: bool, dtype: Optional[int], layout: Optional[int],
                              device: Optional[Device], pin_memory: Optional[bool]) -> Tensor:
  return __torch__.torch.decompositions.fft.cosine_window(window_length, periodic, 0.5, 0.5, dtype, device)


def aten_hamming_window(window_length: int, dtype: Optional[int], layout: Optional[int], device: Optional[Device],
                        pin_memory: Optional[bool]) -> Tensor:
  return __torch__.torch.decompositions.fft.cosine_window(window_length, True, 0.54, 0.46, dtype, device)


def aten_hamming_window_periodic(window_length: int, periodic: bool, dtype: Optional[int], layout: Optional[int],
                                 device: Optional[Device], pin_memory: Optional[bool]) -> Tensor:
  return __torch__.torch.decompositions.fft.cosine_window(window_length, periodic, 0.54, 0.46, dtype, device)


def aten_hamming_window_periodic_alpha(window_length: int, periodic: bool, alpha: float, dtype: Optional[int],
                                       layout: Optional[int], device: Optional[Device], pin_memory: Optional[bool]) -> Tensor:
  return __torch__.torch.decompositions.fft.cosine_window(window_length, periodic, alpha, 0.46, dtype, device)


def aten_hamming_window_periodic_alpha_beta(window_length: int, periodic: bool, alpha: float, beta: float, dtype: Optional[int],
                                            layout: Optional[int], device: Optional[Device],
                                            pin_memory: Optional[bool]) -> Tensor:
  return __torch__.torch.decompositions.fft.cosine_window(window_length, periodic, alpha, beta, dtype, device)


def aten_blackman_window(window_length: int, dtype: Optional[int], layout: Optional[int], device: Optional[Device],
                         pin_memory: Optional[bool]) -> Tensor:
  return __torch__.torch.decompositions.fft.aten_blackman_window_periodic(window_length, True, dtype, layout, device, pin_memory)


def aten_blackman_window_periodic(window_length: int, periodic: bool, dtype: Optional[int], layout: Optional[int],
                                  device: Optional[Device], pin_memory: Optional[bool]) -> Tensor:
  k = __torch__.torch.decompositions.fft.window_points(window_length, dtype, device)
  if window_length <= 1:
    return torch.ones_like(k)
  turn = k * (3.141592653589793 / (window_length if periodic else window_length - 1))
  return torch.cos(turn * 4) * 0.08 - torch.cos(turn * 2) * 0.5 + 0.42


def aten_bartlett_window(window_length: int, dtype: Optional[int], layout: Optional[int], device: Optional[Device],
                         pin_memory: Optional[bool]) -> Tensor:
  return __torch__.torch.decompositions.fft.aten_bartlett_window_periodic(window_length, True, dtype, layout, device, pin_memory)


def aten_bartlett_window_periodic(window_length: int, periodic: bool, dtype: Optional[int], layout: Optional[int],
                                  device: Optional[Device], pin_memory: Optional[bool]) -> Tensor:
  k = __torch__.torch.decompositions.fft.window_points(window_length, dtype, device)
  if window_length <= 1:
    return torch.ones_like(k)
  rising = k * (2.0 / (window_length if periodic else window_length - 1))
  return torch.where(rising <= 1, rising, 2.0 - rising)


def aten_kaiser_window(window_length: int, dtype: Optional[int], layout: Optional[int], device: Optional[Device],
                       pin_memory: Optional[bool]) -> Tensor:
  return __torch__.torch.decompositions.fft.aten_kaiser_window_beta(window_length, True, 12.0, dtype, layout, device, pin_memory)


def aten_kaiser_window_periodic(window_length: int, periodic: bool, dtype: Optional[int], layout: Optional[int],
                                device: Optional[Device], pin_memory: Optional[bool]) -> Tensor:
  return __torch__.torch.decompositions.fft.aten_kaiser_window_beta(window_length, periodic, 12.0, dtype, layout, device, pin_memory)


def aten_kaiser_window_beta(window_length: int, periodic: bool, beta: float, dtype: Optional[int], layout: Optional[int],
                            device: Optional[Device], pin_memory: Optional[bool]) -> Tensor:
  k = __torch__.torch.decompositions.fft.window_points(window_length, dtype, device)
  if window_length <= 1:
    return torch.ones_like(k)
  half = (window_length if periodic else window_length - 1) / 2.0
  place = (k - half) / half
  whole = torch.i0(torch.full([1], beta, dtype=k.dtype))
  return torch.i0(torch.sqrt(torch.clamp_min(1.0 - place * place, 0)) * beta) / whole


# ---- Short-time transforms ----

# The window of n_fft points: shorter ones stand in the middle.
def centered_window(window: Optional[Tensor], win_length: int, n_fft: int, like: Tensor, name: str) -> Tensor:
  if win_length < 1 or win_length > n_fft:
    ops.prim.RaiseException(torch.format("{}: expected 0 < win_length <= n_fft, but got win_length={}", name, win_length),
                            "builtins.RuntimeError")
  w = torch.new_ones(like, [win_length]) if window is None else window
  if torch.dim(w) != 1 or torch.size(w, 0) != win_length:
    ops.prim.RaiseException(torch.format("{}: expected a 1D window tensor of size equal to win_length={}, but got window with size {}",
                                         name, win_length, torch.size(w)), "builtins.RuntimeError")
  left = (n_fft - win_length) // 2
  if win_length == n_fft:
    return w
  return torch.cat([torch.new_zeros(w, [left]), w, torch.new_zeros(w, [n_fft - win_length - left])], 0)


def aten_stft(self: Tensor, n_fft: int, hop_length: Optional[int], win_length: Optional[int], window: Optional[Tensor],
              normalized: bool, onesided: Optional[bool], return_complex: Optional[bool]) -> Tensor:
  return __torch__.torch.decompositions.fft.aten_stft_center(self, n_fft, hop_length, win_length, window, False, "reflect", normalized,
                                                             onesided, return_complex)


def aten_stft_center(self: Tensor, n_fft: int, hop_length: Optional[int], win_length: Optional[int], window: Optional[Tensor],
                     center: bool, pad_mode: str, normalized: bool, onesided: Optional[bool],
                     return_complex: Optional[bool]) -> Tensor:
  is_line = torch.dim(self) == 1
  if torch.dim(self) != 1 and torch.dim(self) != 2:
    ops.prim.RaiseException("stft: expected a 1D or 2D tensor", "builtins.RuntimeError")
  x = torch.unsqueeze(self, 0) if is_line else self
  hop = n_fft // 4 if hop_length is None else hop_length
  if center:
    x = torch.squeeze(torch.pad(torch.unsqueeze(x, 0), [n_fft // 2, n_fft // 2], pad_mode), 0)
  length = torch.size(x, 1)
  if n_fft <= 0 or n_fft > length:
    ops.prim.RaiseException(torch.format("stft: expected 0 < n_fft < {}, but got n_fft={}", length, n_fft), "builtins.RuntimeError")
  if hop <= 0:
    ops.prim.RaiseException(torch.format("stft: expected hop_length > 0, but got hop_length={}", hop), "builtins.RuntimeError")
  w = __torch__.torch.decompositions.fft.centered_window(window, n_fft if win_length is None else win_length, n_fft, x, "stft")
  frames = torch.unfold(x, 1, n_fft, hop) * w
  is_complex = torch.is_complex(frames)
  is_half = not is_complex if onesided is None else onesided
  mode = 1 if normalized else 0
  if is_complex:
    if is_half:
      ops.prim.RaiseException("Cannot have onesided output if window or input is complex", "builtins.RuntimeError")
    spectrum = torch._fft_c2c(frames, [2], mode, True)
  else:
    spectrum = torch._fft_r2c(frames, [2], mode, is_half)
  spectrum = torch.transpose(spectrum, 1, 2)
  if is_line:
    spectrum = torch.squeeze(spectrum, 0)
  if is_complex if return_complex is None else return_complex:
    return spectrum
  return torch.view_as_real(spectrum)


# The sum of overlapping frames [batch, frames, points], each `hop` after the one before.
def overlapped(frames: Tensor, hop: int) -> Tensor:
  count = torch.size(frames, 1)
  points = torch.size(frames, 2)
  line = torch.new_zeros(frames, [torch.size(frames, 0), (count - 1) * hop + points])
  for i in range(count):
    torch.add_(torch.slice(line, 1, i * hop, i * hop + points), torch.select(frames, 1, i))
  return line


def aten_istft(self: Tensor, n_fft: int, hop_length: Optional[int], win_length: Optional[int], window: Optional[Tensor], center: bool,
               normalized: bool, onesided: Optional[bool], length: Optional[int], return_complex: bool) -> Tensor:
  x = self if torch.is_complex(self) else torch.view_as_complex(torch.contiguous(self))
  is_single = torch.dim(x) == 2
  if is_single:
    x = torch.unsqueeze(x, 0)
  if torch.dim(x) != 3:
    ops.prim.RaiseException("istft requires a tensor of 2 or 3 complex dimensions", "builtins.RuntimeError")
  hop = n_fft // 4 if hop_length is None else hop_length
  points = n_fft if win_length is None else win_length
  is_half = torch.size(x, 1) != n_fft if onesided is None else onesided
  if torch.size(x, 1) != (n_fft // 2 + 1 if is_half else n_fft):
    ops.prim.RaiseException(torch.format("istft: expected the frequency dimension (3rd to the last) of the input tensor to match n_fft / 2 + 1 when onesided=True or n_fft otherwise, but got {}",
                                         torch.size(x, 1)), "builtins.RuntimeError")
  if hop <= 0 or hop > points:
    ops.prim.RaiseException("istft: expected 0 < hop_length <= win_length", "builtins.RuntimeError")
  x = torch.transpose(x, 1, 2)
  mode = 1 if normalized else 2
  if return_complex:
    if is_half:
      ops.prim.RaiseException("cannot have onesided output if window or input is complex", "builtins.RuntimeError")
    frames = torch._fft_c2c(x, [2], mode, False)
  else:
    frames = torch._fft_c2r(torch.narrow(x, 2, 0, n_fft // 2 + 1), [2], mode, n_fft)
  w = __torch__.torch.decompositions.fft.centered_window(window, points, n_fft, frames, "istft")
  line = __torch__.torch.decompositions.fft.overlapped(frames * w, hop)
  weight = __torch__.torch.decompositions.fft.overlapped(torch.expand(torch.reshape(w * w, [1, 1, n_fft]), [1, torch.size(x, 1), n_fft]), hop)
  whole = torch.size(line, 1)
  first = n_fft // 2 if center else 0
  last = whole - n_fft // 2 if center else whole
  if length is not None:
    last = first + length
  kept = (last if last < whole else whole) - first
  line = torch.narrow(line, 1, first, kept)
  weight = torch.narrow(weight, 1, first, kept)
  if bool(torch.any(torch.abs(weight) < 1e-11)):
    ops.prim.RaiseException("window overlap add min: 1", "builtins.RuntimeError")
  line = line / weight
  if last > whole:
    line = torch.cat([line, torch.new_zeros(line, [torch.size(line, 0), last - whole])], 1)
  return torch.squeeze(line, 0) if is_single else line

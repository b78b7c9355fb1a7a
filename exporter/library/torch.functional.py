# Functions of torch that are Python there, not operators: what each makes of its arguments. NAME, NAME__2, ... are
# overloads.
def stft(input: Tensor, n_fft: int, hop_length: Optional[int]=None, win_length: Optional[int]=None, window: Optional[Tensor]=None,
    center: bool=True, pad_mode: str="reflect", normalized: bool=False, onesided: Optional[bool]=None,
    return_complex: Optional[bool]=None) -> Tensor:
  return torch.stft(input, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided, return_complex)


def cdist(x1: Tensor, x2: Tensor, p: float=2.0, compute_mode: str="use_mm_for_euclid_dist_if_necessary") -> Tensor:
  if compute_mode == "use_mm_for_euclid_dist_if_necessary":
    return torch.cdist(x1, x2, p, None)
  if compute_mode == "use_mm_for_euclid_dist":
    return torch.cdist(x1, x2, p, 1)
  if compute_mode != "donot_use_mm_for_euclid_dist":
    ops.prim.RaiseException(torch.format("{} is not a valid value for compute_mode", compute_mode), "builtins.ValueError")
  return torch.cdist(x1, x2, p, 2)


# ---- norm ----

def norm_into(y: Tensor, out: Optional[Tensor]) -> Tensor:
  if out is None:
    return y
  _0 = torch.resize_(out, torch.size(y))
  return torch.copy_(out, y)


def norm_along(input: Tensor, p: Optional[number], dim: Optional[List[int]], keepdim: bool, out: Optional[Tensor],
    dtype: Optional[int]) -> Tensor:
  dims = [i for i in range(torch.dim(input))] if dim is None else dim
  if dtype is None:
    y = torch.norm(input, p, dims, keepdim)
  else:
    y = torch.norm(input, p, dims, keepdim, dtype=dtype)
  return __torch__.torch.functional.norm_into(y, out)


def norm_named(input: Tensor, p: str, dim: Optional[List[int]], keepdim: bool, out: Optional[Tensor], dtype: Optional[int]) -> Tensor:
  if p == "nuc":
    if dtype is not None:
      ops.prim.RaiseException("dtype argument is not supported in nuclear norm", "builtins.ValueError")
    y = torch.nuclear_norm(input, keepdim) if dim is None else torch.nuclear_norm(input, dim, keepdim)
    return __torch__.torch.functional.norm_into(y, out)
  if p != "fro":
    ops.prim.RaiseException(torch.format("only valid string values are 'fro' and 'nuc', found {}", p), "builtins.RuntimeError")
  return __torch__.torch.functional.norm_along(input, 2.0, dim, keepdim, out, dtype)


def norm(input: Tensor, p: str="fro", dim: Optional[List[int]]=None, keepdim: bool=False, out: Optional[Tensor]=None,
    dtype: Optional[int]=None) -> Tensor:
  return __torch__.torch.functional.norm_named(input, p, dim, keepdim, out, dtype)


def norm__2(input: Tensor, p: Optional[number], dim: Optional[List[int]]=None, keepdim: bool=False, out: Optional[Tensor]=None,
    dtype: Optional[int]=None) -> Tensor:
  return __torch__.torch.functional.norm_along(input, p, dim, keepdim, out, dtype)


def norm__3(input: Tensor, p: Optional[number], dim: int, keepdim: bool=False, out: Optional[Tensor]=None,
    dtype: Optional[int]=None) -> Tensor:
  return __torch__.torch.functional.norm_along(input, p, [dim], keepdim, out, dtype)


def norm__4(input: Tensor, p: str="fro", dim: int=0, keepdim: bool=False, out: Optional[Tensor]=None,
    dtype: Optional[int]=None) -> Tensor:
  return __torch__.torch.functional.norm_named(input, p, [dim], keepdim, out, dtype)


# ---- tensordot ----

def tensordot(a: Tensor, b: Tensor, dims: int=2, out: Optional[Tensor]=None) -> Tensor:
  if dims < 0:
    ops.prim.RaiseException(torch.format("tensordot expects dims >= 0, but got dims={}", dims), "builtins.RuntimeError")
  if dims > torch.dim(a) or dims > torch.dim(b):
    ops.prim.RaiseException(torch.format("tensordot expects dims < ndim_a or ndim_b, but got dims={}", dims), "builtins.RuntimeError")
  return __torch__.torch.functional.tensordot__2(a, b, ([i - dims for i in range(dims)], [i for i in range(dims)]), out)


def tensordot__2(a: Tensor, b: Tensor, dims: Tuple[List[int], List[int]], out: Optional[Tensor]=None) -> Tensor:
  y = torch.tensordot(a, b, dims[0], dims[1])
  if out is None:
    return y
  _0 = torch.resize_(out, torch.size(y))
  return torch.copy_(out, y)


def tensordot__3(a: Tensor, b: Tensor, dims: List[List[int]], out: Optional[Tensor]=None) -> Tensor:
  return __torch__.torch.functional.tensordot__2(a, b, (dims[0], dims[1]), out)


def tensordot__4(a: Tensor, b: Tensor, dims: Tensor, out: Optional[Tensor]=None) -> Tensor:
  if torch.numel(dims) == 1:
    return __torch__.torch.functional.tensordot(a, b, int(torch.item(dims)), out)
  ones: List[int] = []
  others: List[int] = []
  for i in range(torch.size(dims, 1)):
    torch.append(ones, int(torch.item(torch.select(torch.select(dims, 0, 0), 0, i))))
    torch.append(others, int(torch.item(torch.select(torch.select(dims, 0, 1), 0, i))))
  return __torch__.torch.functional.tensordot__2(a, b, (ones, others), out)


# ---- lu ----

def lu(A: Tensor, pivot: bool=True, get_infos: Literal[False]=False) -> Tuple[Tensor, Tensor]:
  LU, pivots, _0 = torch._lu_with_info(A, pivot, True)
  return (LU, pivots)


def lu__2(A: Tensor, pivot: bool=True, get_infos: Literal[True]=True) -> Tuple[Tensor, Tensor, Tensor]:
  return torch._lu_with_info(A, pivot, False)


# ---- unique ----

def unique_parts(input: Tensor, sorted: bool, return_inverse: bool, return_counts: bool,
    dim: Optional[int]) -> Tuple[Tensor, Tensor, Tensor]:
  if dim is None:
    return torch._unique2(input, sorted, return_inverse, return_counts)
  return torch.unique_dim(input, dim, sorted, return_inverse, return_counts)


def unique(input: Tensor, sorted: bool=True, return_inverse: Literal[False]=False, return_counts: Literal[False]=False,
    dim: Optional[int]=None) -> Tensor:
  return (__torch__.torch.functional.unique_parts(input, sorted, False, False, dim))[0]


def unique__2(input: Tensor, sorted: bool=True, return_inverse: Literal[True]=True, return_counts: Literal[False]=False,
    dim: Optional[int]=None) -> Tuple[Tensor, Tensor]:
  values, inverse, _0 = __torch__.torch.functional.unique_parts(input, sorted, True, False, dim)
  return (values, inverse)


def unique__3(input: Tensor, sorted: bool=True, return_inverse: Literal[False]=False, return_counts: Literal[True]=True,
    dim: Optional[int]=None) -> Tuple[Tensor, Tensor]:
  values, _0, counts = __torch__.torch.functional.unique_parts(input, sorted, False, True, dim)
  return (values, counts)


def unique__4(input: Tensor, sorted: bool=True, return_inverse: Literal[True]=True, return_counts: Literal[True]=True,
    dim: Optional[int]=None) -> Tuple[Tensor, Tensor, Tensor]:
  return __torch__.torch.functional.unique_parts(input, sorted, True, True, dim)


def unique_consecutive(input: Tensor, return_inverse: Literal[False]=False, return_counts: Literal[False]=False,
    dim: Optional[int]=None) -> Tensor:
  return (torch.unique_consecutive(input, False, False, dim))[0]


def unique_consecutive__2(input: Tensor, return_inverse: Literal[True]=True, return_counts: Literal[False]=False,
    dim: Optional[int]=None) -> Tuple[Tensor, Tensor]:
  values, inverse, _0 = torch.unique_consecutive(input, True, False, dim)
  return (values, inverse)


def unique_consecutive__3(input: Tensor, return_inverse: Literal[False]=False, return_counts: Literal[True]=True,
    dim: Optional[int]=None) -> Tuple[Tensor, Tensor]:
  values, _0, counts = torch.unique_consecutive(input, False, True, dim)
  return (values, counts)


def unique_consecutive__4(input: Tensor, return_inverse: Literal[True]=True, return_counts: Literal[True]=True,
    dim: Optional[int]=None) -> Tuple[Tensor, Tensor, Tensor]:
  return torch.unique_consecutive(input, True, True, dim)

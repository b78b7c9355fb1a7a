# Operators that came with PyTorch 2 (see torch.decompositions).

# ---- Normalization ----

# float where half and bfloat16 are calculated.
def wide(t: Tensor) -> Tensor:
  return torch.to(t, 6) if t.dtype == 5 or t.dtype == 15 else t


# How far the number behind 1 is.
def epsilon(t: Tensor) -> float:
  if t.dtype == 5:
    return 0.0009765625
  if t.dtype == 15:
    return 0.0078125
  return 2.220446049250313e-16 if t.dtype == 7 or t.dtype == 10 else 1.1920928955078125e-07


def aten_rms_norm(input: Tensor, normalized_shape: List[int], weight: Optional[Tensor], eps: Optional[float]) -> Tensor:
  sizes = torch.size(input)
  n = len(normalized_shape)
  if n == 0:
    ops.prim.RaiseException("Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got normalized_shape = []")
  if n > len(sizes) or sizes[len(sizes) - n:] != normalized_shape:
    ops.prim.RaiseException(torch.format("Given normalized_shape={}, expected input with shape [*{}], but got input of size{}", normalized_shape, normalized_shape, sizes))
  if weight is not None and torch.size(weight) != normalized_shape:
    ops.prim.RaiseException(torch.format("Expected weight to be of same shape as normalized_shape, but got weight of shape {} and normalized_shape = {}", torch.size(weight), normalized_shape))
  x = wide(input)
  least = epsilon(input) if eps is None else unchecked_cast(float, eps)
  made = torch.type_as(x * torch.rsqrt(torch.mean(x * x, [-1 - d for d in range(n)], True) + least), input)
  return made if weight is None else made * weight


def aten__native_batch_norm_legit(input: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], running_mean: Tensor, running_var: Tensor,
                                  training: bool, momentum: float, eps: float) -> Tuple[Tensor, Tensor, Tensor]:
  a, b, c = torch.native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)
  return (a, b, c)


def aten__native_batch_norm_legit_no_stats(input: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], training: bool, momentum: float,
                                           eps: float) -> Tuple[Tensor, Tensor, Tensor]:
  a, b, c = torch.native_batch_norm(input, weight, bias, None, None, training, momentum, eps)
  return (a, b, c)


def aten__native_batch_norm_legit_no_training(input: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], running_mean: Tensor,
                                              running_var: Tensor, momentum: float, eps: float) -> Tuple[Tensor, Tensor, Tensor]:
  none = torch.empty([0], dtype=ops.prim.dtype(running_mean))
  return (torch.batch_norm(input, weight, bias, running_mean, running_var, False, momentum, eps, False), none, none)


def aten__native_batch_norm_legit_functional(input: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], running_mean: Tensor,
                                             running_var: Tensor, training: bool, momentum: float,
                                             eps: float) -> Tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
  mean, var = torch.clone(running_mean), torch.clone(running_var)
  a, b, c = torch.native_batch_norm(input, weight, bias, mean, var, training, momentum, eps)
  return (a, b, c, mean, var)


def aten__batch_norm_with_update(input: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], running_mean: Tensor, running_var: Tensor,
                                 momentum: float, eps: float) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
  a, b, c = torch.native_batch_norm(input, weight, bias, running_mean, running_var, True, momentum, eps)
  return (a, b, c, torch.zeros([0], dtype=0))


def aten__batch_norm_with_update_functional(input: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], running_mean: Tensor,
                                            running_var: Tensor, momentum: float,
                                            eps: float) -> Tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
  mean, var = torch.clone(running_mean), torch.clone(running_var)
  a, b, c = torch.native_batch_norm(input, weight, bias, mean, var, True, momentum, eps)
  return (a, b, c, torch.zeros([0], dtype=0), mean, var)


def aten__batch_norm_no_update(input: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], running_mean: Optional[Tensor],
                               running_var: Optional[Tensor], momentum: float, eps: float) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
  a, b, c = torch.native_batch_norm(input, weight, bias, running_mean, running_var, False, momentum, eps)
  return (a, b, c, torch.zeros([0], dtype=0))


# ---- Reductions and shapes over several dimensions ----

# Dimensions as positions, the last first; none twice.
def positions(dims: List[int], rank: int) -> List[int]:
  found: List[int] = []
  span = max(rank, 1)
  for d in dims:
    if d < -span or d >= span:
      ops.prim.RaiseException(torch.format("Dimension out of range (expected to be in range of [{}, {}], but got {})", -span, span - 1, d))
    p = d + span if d < 0 else d
    if torch.__contains__(found, p):
      ops.prim.RaiseException(torch.format("dim {} appears multiple times in the list of dims", p))
    torch.append(found, p)
  return torch.sorted(found)[::-1]


def aten_all_dims(self: Tensor, dim: Optional[List[int]], keepdim: bool) -> Tensor:
  dims = [d for d in range(torch.dim(self))] if dim is None else unchecked_cast(List[int], dim)
  made = torch.to(torch.ne(self, 0), self.dtype if self.dtype == 0 else 11)
  for d in positions(dims, torch.dim(self)):
    made = torch.all(made, d, keepdim)
  return made


def aten_any_dims(self: Tensor, dim: Optional[List[int]], keepdim: bool) -> Tensor:
  dims = [d for d in range(torch.dim(self))] if dim is None else unchecked_cast(List[int], dim)
  made = torch.to(torch.ne(self, 0), self.dtype if self.dtype == 0 else 11)
  for d in positions(dims, torch.dim(self)):
    made = torch.any(made, d, keepdim)
  return made


# A destination may be of bools or of bytes, and elements count as they are in its dtype: the operators of one dimension
# ask.

def aten_all_dims_out(self: Tensor, dim: Optional[List[int]], keepdim: bool, out: Tensor) -> Tensor:
  return torch.all(torch.unsqueeze(torch.all(torch.to(self, out.dtype), dim, keepdim), 0), 0, out=out)


def aten_any_dims_out(self: Tensor, dim: Optional[List[int]], keepdim: bool, out: Tensor) -> Tensor:
  return torch.any(torch.unsqueeze(torch.any(torch.to(self, out.dtype), dim, keepdim), 0), 0, out=out)


def aten_squeeze_dims(self: Tensor, dim: List[int]) -> Tensor:
  made = torch.alias(self)
  for d in positions(dim, torch.dim(self)):
    made = torch.squeeze(made, d)
  return made


def aten_squeeze__dims(self: Tensor, dim: List[int]) -> Tensor:
  for d in positions(dim, torch.dim(self)):
    torch.squeeze_(self, d)
  return self


def all_bools(self: Tensor, name: str):
  if self.dtype != 11:
    ops.prim.RaiseException(torch.format("{}: expected a bool tensor", name))


def aten__is_all_true(self: Tensor) -> Tensor:
  all_bools(self, "_is_all_true")
  return torch.all(self)


def aten__is_any_true(self: Tensor) -> Tensor:
  all_bools(self, "_is_any_true")
  return torch.any(self)


def aten__reshape_copy(self: Tensor, size: List[int]) -> Tensor:
  return torch.clone(torch.reshape(self, size))


def aten__lazy_clone(self: Tensor) -> Tensor:
  return torch.clone(self)


def aten__linalg_eigvals(self: Tensor) -> Tensor:
  return torch.linalg_eigvals(self)


# Each tensor is cut into chunks of equal size along dim, filled up with zeros; a chunk of each lies behind the other.
def aten__chunk_cat(tensors: List[Tensor], dim: int, num_chunks: int) -> Tensor:
  if len(tensors) == 0:
    ops.prim.RaiseException("_chunk_cat expects a non-empty input tensor list")
  if num_chunks < 1:
    ops.prim.RaiseException("_chunk_cat expects positive num_chunks")
  dims = torch.dim(tensors[0])
  if dim < -dims or dim >= dims:
    ops.prim.RaiseException(torch.format("Dimension out of range (expected to be in range of [{}, {}], but got {})", -dims, dims - 1, dim))
  at = dim + dims if dim < 0 else dim
  parts: List[Tensor] = []
  for t in tensors:
    if torch.numel(t) == 0:
      ops.prim.RaiseException("_chunk_cat expects non-empty tensor")
    if at >= torch.dim(t):
      ops.prim.RaiseException("_chunk_cat expects dim < ndim for all input tensors")
    sizes = torch.size(t)
    missing = (num_chunks - sizes[at] % num_chunks) % num_chunks
    whole = torch.cat([t, torch.new_zeros(t, sizes[0:at] + [missing] + sizes[at + 1:])], at) if missing > 0 else t
    torch.append(parts, torch.reshape(whole, sizes[0:at] + [num_chunks, -1]))
  return torch.cat(parts, at + 1)


def aten_empty_permuted(size: List[int], physical_layout: List[int], dtype: Optional[int], layout: Optional[int], device: Optional[Device],
                        pin_memory: Optional[bool]) -> Tensor:
  if len(physical_layout) != len(size):
    ops.prim.RaiseException(torch.format("Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = {} is not equal to len(physical_layout) = {}", len(size), len(physical_layout)))
  back = [0 for d in size]
  for i in range(len(size)):
    d = physical_layout[i]
    if d < 0 or d >= len(size):
      ops.prim.RaiseException(torch.format("Dimension out of range (expected to be between 0 and {}, but got {} at index {}).  NB: negative dims not currently supported; file an issue if you want it.", len(size) - 1, d, i))
    back[d] = i
  if len(torch.list(positions(physical_layout, len(size)))) != len(size):
    ops.prim.RaiseException("Duplicate dim not allowed")
  return torch.permute(torch.empty([size[d] for d in physical_layout], dtype=dtype), back)


# ---- Indices ----

def aten__unsafe_index_Tensor(self: Tensor, indices: List[Optional[Tensor]]) -> Tensor:
  return torch.index(self, indices)


def aten__unsafe_index_Tensor_hacked_twin(self: Tensor, indices: List[Tensor]) -> Tensor:
  return torch.index(self, indices)


def aten__unsafe_index_put_hacked_twin(self: Tensor, indices: List[Tensor], values: Tensor, accumulate: bool) -> Tensor:
  ops.tsm.check_filling(indices, values, accumulate)
  return torch.index_put(self, indices, values, accumulate)


def aten__unsafe_index_put(self: Tensor, indices: List[Optional[Tensor]], values: Tensor, accumulate: bool) -> Tensor:
  ops.tsm.check_filling(indices, values, accumulate)
  return torch.index_put(self, indices, values, accumulate)


def inside(self: Tensor, indices: List[Optional[Tensor]]) -> List[Optional[Tensor]]:
  found: List[Optional[Tensor]] = []
  for i in range(len(indices)):
    index = indices[i]
    if index is None:
      torch.append(found, index)
    else:
      torch.append(found, torch.clamp(index, -torch.size(self, i), torch.size(self, i) - 1))
  return found


def aten__unsafe_masked_index(self: Tensor, mask: Tensor, indices: List[Optional[Tensor]], fill: number) -> Tensor:
  if torch.numel(self) == 0:
    return torch.new_full(self, torch.size(mask), fill)
  return torch.masked_fill(torch.index(self, inside(self, indices)), torch.logical_not(mask), fill)


def aten__unsafe_masked_index_put_accumulate(self: Tensor, mask: Tensor, indices: List[Optional[Tensor]], values: Tensor) -> Tensor:
  if torch.numel(self) == 0:
    return torch.clone(self)
  return torch.index_put(self, inside(self, indices), torch.masked_fill(values, torch.logical_not(mask), 0), True)


def aten_nonzero_static(self: Tensor, size: int, fill_value: int) -> Tensor:
  if size < 0:
    ops.prim.RaiseException("nonzero_static: 'size' must be an non-negative integer")
  found = torch.nonzero(self)
  n = torch.size(found, 0)
  if n >= size:
    return torch.contiguous(torch.narrow(found, 0, 0, size))
  return torch.cat([found, torch.new_full(found, [size - n, torch.size(found, 1)], fill_value)])


def aten_masked_scatter_backward(grad_output: Tensor, mask: Tensor, sizes: List[int]) -> Tensor:
  n = 1
  for s in sizes:
    n = n * s
  found = torch.masked_select(grad_output, mask)
  if torch.numel(found) < n:
    found = torch.cat([found, torch.new_zeros(found, [n - torch.numel(found)])])
  return torch.reshape(found, sizes)


# ---- Ranges whose ends are tensors ----

def end_of(t: Tensor, name: str) -> number:
  if torch.dim(t) != 0:
    ops.prim.RaiseException(torch.format("{} only supports 0-dimensional start and end tensors, but got end with {} dimension(s).", name, torch.dim(t)))
  return torch.item(t)


def aten_linspace_Tensor_Tensor(start: Tensor, end: Tensor, steps: int, dtype: Optional[int], layout: Optional[int], device: Optional[Device],
                                pin_memory: Optional[bool]) -> Tensor:
  return torch.linspace(end_of(start, "linspace"), end_of(end, "linspace"), steps, dtype=dtype)


def aten_linspace_Tensor_Scalar(start: Tensor, end: number, steps: int, dtype: Optional[int], layout: Optional[int], device: Optional[Device],
                                pin_memory: Optional[bool]) -> Tensor:
  return torch.linspace(end_of(start, "linspace"), end, steps, dtype=dtype)


def aten_linspace_Scalar_Tensor(start: number, end: Tensor, steps: int, dtype: Optional[int], layout: Optional[int], device: Optional[Device],
                                pin_memory: Optional[bool]) -> Tensor:
  return torch.linspace(start, end_of(end, "linspace"), steps, dtype=dtype)


def aten_logspace_Tensor_Tensor(start: Tensor, end: Tensor, steps: int, base: float, dtype: Optional[int], layout: Optional[int],
                                device: Optional[Device], pin_memory: Optional[bool]) -> Tensor:
  return torch.logspace(end_of(start, "logspace"), end_of(end, "logspace"), steps, base, dtype=dtype)


def aten_logspace_Tensor_Scalar(start: Tensor, end: number, steps: int, base: float, dtype: Optional[int], layout: Optional[int],
                                device: Optional[Device], pin_memory: Optional[bool]) -> Tensor:
  return torch.logspace(end_of(start, "logspace"), end, steps, base, dtype=dtype)


def aten_logspace_Scalar_Tensor(start: number, end: Tensor, steps: int, base: float, dtype: Optional[int], layout: Optional[int],
                                device: Optional[Device], pin_memory: Optional[bool]) -> Tensor:
  return torch.logspace(start, end_of(end, "logspace"), steps, base, dtype=dtype)


# ---- Products with integers ----

def aten__int_mm(self: Tensor, mat2: Tensor) -> Tensor:
  if torch.dim(self) != 2 or torch.dim(mat2) != 2:
    ops.prim.RaiseException(torch.format("Expected {} to be of dimension 2", "self" if torch.dim(self) != 2 else "mat2"))
  if self.dtype != 1 or mat2.dtype != 1:
    ops.prim.RaiseException("Expected self and mat2 to be of dtype int8")
  if torch.size(self, 1) != torch.size(mat2, 0):
    ops.prim.RaiseException(torch.format("self.size(1) needs to match mat2.size(0) but got {} and {}", torch.size(self, 1), torch.size(mat2, 0)))
  return torch.mm(torch.to(self, 3), torch.to(mat2, 3))


def aten__weight_int8pack_mm(self: Tensor, mat2: Tensor, scales: Tensor) -> Tensor:
  if torch.dim(self) != 2 or torch.dim(mat2) != 2 or torch.size(self, 1) != torch.size(mat2, 1) or mat2.dtype != 1:
    ops.prim.RaiseException("_weight_int8pack_mm: expected A [M, K] of floats and B [N, K] of int8")
  if torch.dim(scales) != 1 or torch.size(scales, 0) != torch.size(mat2, 0):
    ops.prim.RaiseException("_weight_int8pack_mm: expect scales to be 1d tensor with size of N")
  made = torch.linear(wide(self), torch.to(mat2, wide(self).dtype)) * wide(scales)
  return torch.type_as(made, self)


# ---- Others ----

def aten__prelu_kernel(self: Tensor, weight: Tensor) -> Tensor:
  return torch.where(self > 0, self, weight * self)


def aten__assert_async_msg(self: Tensor, assert_msg: str):
  if not bool(self):
    ops.prim.RaiseException(assert_msg)


def aten__assert_scalar(self: number, assert_msg: str):
  if self == 0:
    ops.prim.RaiseException(assert_msg)


def aten_sym_constrain_range(size: number, min: Optional[int], max: Optional[int]):
  least = -9223372036854775807 - 1 if min is None else unchecked_cast(int, min)
  most = 9223372036854775807 if max is None else unchecked_cast(int, max)
  if most < least:
    ops.prim.RaiseException(torch.format("Max must be greater than or equal to min. Got min={} max={}", least, most))
  if int(size) < least or int(size) > most:
    ops.prim.RaiseException(torch.format("Invalid value range for {} between [{}, {}].", int(size), least, most))


def aten_sym_constrain_range_for_size(size: number, min: Optional[int], max: Optional[int]):
  if max is not None and (min is None or unchecked_cast(int, min) <= unchecked_cast(int, max)) and unchecked_cast(int, max) <= 2:
    ops.prim.RaiseException(torch.format("Max value to constrain_range_for_size must be greater than 2. got: {}", max))
  torch.sym_constrain_range(size, min=0 if min is None else min, max=max)


def aten_device_with_index(type: str, index: int) -> Device:
  return torch.device(torch.format("{}:{}", type, index))


def aten_get_autocast_dtype(device_type: str) -> int:
  return 15 if device_type == "cpu" else 5


def aten__get_cpu_capability() -> str:
  return "DEFAULT"


def prim_itemsize(a: Tensor) -> int:
  return torch.element_size(a)


def prim_nbytes(a: Tensor) -> int:
  return torch.numel(a) * torch.element_size(a)


# ---- Of exported programs ----

# A token orders assertions among others.
def aten__make_dep_token(dtype: Optional[int], layout: Optional[int], device: Optional[Device], pin_memory: Optional[bool],
                         memory_format: Optional[int]) -> Tensor:
  return torch.empty([], dtype=dtype)


def aten__functional_assert_async_msg(self: Tensor, assert_msg: str, dep_token: Tensor) -> Tensor:
  torch._assert_async(self, assert_msg)
  return torch.clone(dep_token)


def aten__functional_assert_scalar(self: number, assert_msg: str, dep_token: Tensor) -> Tensor:
  torch._assert_scalar(self, assert_msg)
  return torch.clone(dep_token)


def aten__functional_sym_constrain_range(size: number, min: Optional[int], max: Optional[int], dep_token: Tensor) -> Tensor:
  torch.sym_constrain_range(size, min=min, max=max)
  return torch.clone(dep_token)


def aten__functional_sym_constrain_range_for_size(size: number, min: Optional[int], max: Optional[int], dep_token: Tensor) -> Tensor:
  torch.sym_constrain_range_for_size(size, min=min, max=max)
  return torch.clone(dep_token)


def aten__prelu_kernel_backward(grad_output: Tensor, self: Tensor, weight: Tensor) -> Tuple[Tensor, Tensor]:
  none = torch.zeros_like(grad_output)
  return (torch.where(self > 0, grad_output, weight * grad_output), torch.where(self > 0, none, self * grad_output))


def aten_batch_norm_backward(grad_out: Tensor, input: Tensor, weight: Tensor, running_mean: Optional[Tensor], running_var: Optional[Tensor],
                             save_mean: Optional[Tensor], save_var: Optional[Tensor], update: bool, eps: float, output_mask: List[bool],
                             reserve: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
  a, b, c = torch.native_batch_norm_backward(grad_out, input, weight, running_mean, running_var, save_mean, save_var, update, eps, output_mask)
  return (a, b, c)


def aten__foreach_pow_ScalarAndTensor(self: number, exponent: List[Tensor]) -> List[Tensor]:
  return [torch.pow(self, e) for e in exponent]


def aten__foreach_norm_Scalar(self: List[Tensor], ord: number, dtype: Optional[int]) -> List[Tensor]:
  return [torch.linalg_vector_norm(t, ord, None, False, dtype=dtype) for t in self]


def aten_rrelu_with_noise_functional(self: Tensor, noise: Tensor, lower: number, upper: number, training: bool,
                                     generator: Optional[Generator]) -> Tuple[Tensor, Tensor]:
  slopes = torch.clone(noise)
  return (torch.rrelu_with_noise(self, slopes, lower, upper, training), slopes)


# Sequences of Sobol: directions are columns of sobolstate, chosen by the lowest bit of the count that is 0.
def lowest_zero(n: int) -> int:
  at = 0
  while n % 2 == 1:
    n = n // 2
    at += 1
  return at


def aten__sobol_engine_draw(quasi: Tensor, n: int, sobolstate: Tensor, dimension: int, num_generated: int,
                            dtype: Optional[int]) -> Tuple[Tensor, Tensor]:
  drawn = torch.empty([n, dimension], dtype=6 if dtype is None else dtype)
  now = torch.clone(quasi)
  for i in range(n):
    now = torch.bitwise_xor(now, torch.select(sobolstate, 1, lowest_zero(num_generated + i)))
    torch.select(drawn, 0, i).copy_(now)
  return (drawn.mul_(2.0 ** -30), now)


def aten__sobol_engine_ff_(self: Tensor, n: int, sobolstate: Tensor, dimension: int, num_generated: int) -> Tensor:
  for i in range(n):
    self.bitwise_xor_(torch.select(sobolstate, 1, lowest_zero(num_generated + i)))
  return self


# Each direction, as a vector of 30 bits, is multiplied by its dimension's lower triangular matrix modulo 2.
def aten__sobol_engine_scramble_(self: Tensor, ltm: Tensor, dimension: int) -> Tensor:
  lower = torch.clone(ltm)
  torch.diagonal(lower, 0, -2, -1).fill_(1)
  weights = torch.pow(2, torch.arange(29, -1, -1))
  bits = torch.remainder(torch.floor_divide(torch.unsqueeze(self, -1), weights), 2)
  turned = torch.remainder(torch.matmul(bits, torch.transpose(lower.to(4), 1, 2)), 2)
  return self.copy_(torch.sum(turned * weights, -1))


def aten__print(s: str) -> None:
  print(s)


# ---- Rows of several lengths, and the indices of compressed ones ----

# How many of the sorted numbers are below each of 0 ... size.
def aten__convert_indices_from_coo_to_csr(self: Tensor, size: int, out_int32: bool) -> Tensor:
  if torch.dim(self) != 1:
    ops.prim.RaiseException(torch.format("Input is supposed to be a vector, but got {} dimensional tensor.", torch.dim(self)))
  return torch.searchsorted(self, torch.arange(size + 1, dtype=self.dtype), out_int32=out_int32)


# Each place's row is the number of ends that are not behind it; batches stand before, by their numbers.
def aten__convert_indices_from_csr_to_coo(crow_indices: Tensor, col_indices: Tensor, out_int32: bool, transpose: bool) -> Tensor:
  rank = torch.dim(crow_indices)
  if rank == 0 or rank != torch.dim(col_indices):
    ops.prim.RaiseException(torch.format("crow_indices and col_indices are supposed to have the same dimensionality, but got {} and {} dimensional tensors, respectively.", rank, rank))
  sizes, dtype = torch.size(col_indices), 3 if out_int32 else 4
  places = torch.contiguous(torch.expand(torch.arange(sizes[rank - 1], dtype=crow_indices.dtype), sizes))
  ends = torch.contiguous(torch.slice(crow_indices, -1, 1))
  rows = torch.reshape(torch.searchsorted(ends, places, right=True), [-1])
  columns = torch.reshape(col_indices, [-1])
  found: List[Tensor] = []
  for d in range(rank - 1):
    shape = [1 if i != d else sizes[d] for i in range(rank)]
    torch.append(found, torch.reshape(torch.expand(torch.reshape(torch.arange(sizes[d]), shape), sizes), [-1]))
  torch.append(found, columns if transpose else rows)
  torch.append(found, rows if transpose else columns)
  return torch.stack([torch.to(t, dtype) for t in found])


def aten__jagged_to_padded_dense_forward(values: Tensor, offsets: List[Tensor], max_lengths: List[int], padding_value: float) -> Tensor:
  starts = only_offsets(offsets, max_lengths)
  longest, items = max_lengths[0], torch.size(values)[1:]
  lengths = torch.diff(starts)
  step = torch.arange(longest, dtype=starts.dtype)
  inside_row = torch.lt(torch.unsqueeze(step, 0), torch.unsqueeze(lengths, 1))
  at = torch.masked_select(torch.add(torch.unsqueeze(torch.slice(starts, 0, 0, -1), 1), torch.unsqueeze(step, 0)), inside_row)
  made = torch.new_full(values, [torch.size(lengths, 0), longest] + items, padding_value)
  return torch.index_put_(made, annotate(List[Optional[Tensor]], [inside_row]), torch.index_select(values, 0, at))


def aten__padded_dense_to_jagged_forward(dense: Tensor, offsets: List[Tensor], total_L: Optional[int]) -> Tensor:
  starts = only_offsets(offsets, [0])
  lengths = torch.diff(starts)
  step = torch.arange(torch.size(dense, 1), dtype=starts.dtype)
  inside_row = torch.lt(torch.unsqueeze(step, 0), torch.unsqueeze(lengths, 1))
  found = torch.index(dense, annotate(List[Optional[Tensor]], [inside_row]))
  rest = 0 if total_L is None else unchecked_cast(int, total_L) - torch.size(found, 0)
  if rest < 0:
    return torch.narrow(found, 0, 0, torch.size(found, 0) + rest)
  return found if rest == 0 else torch.cat([found, torch.new_zeros(found, [rest] + torch.size(found)[1:])])


def only_offsets(offsets: List[Tensor], max_lengths: List[int]) -> Tensor:
  if len(offsets) != 1 or len(max_lengths) != 1:
    ops.prim.RaiseException("rows of several lengths inside one another are not supported")
  return offsets[0]


# ---- Copies and views ----

def aten__neg_view(self: Tensor) -> Tensor:
  return torch.neg(self)


def aten__neg_view_copy(self: Tensor) -> Tensor:
  return torch.neg(self)


def aten__fw_primal(self: Tensor, level: int) -> Tensor:
  return torch.alias(self)


def aten_slice_inverse(self: Tensor, src: Tensor, dim: int, start: Optional[int], end: Optional[int], step: int) -> Tensor:
  return torch.as_strided(self, torch.size(src), torch.stride(src), torch.storage_offset(src))


def aten__new_zeros_with_same_feature_meta(self: Tensor, other: Tensor, self_num_batch_dims: int) -> Tensor:
  return torch.new_zeros(other, torch.size(self)[0:self_num_batch_dims] + torch.size(other))


# ---- Quantized ----

def aten__empty_per_channel_affine_quantized(size: List[int], scales: Tensor, zero_points: Tensor, axis: int, dtype: Optional[int],
                                             layout: Optional[int], device: Optional[Device], pin_memory: Optional[bool],
                                             memory_format: Optional[int]) -> Tensor:
  if dtype is None:
    ops.prim.RaiseException("Only QInt8 and QUInt8 are supported for per channel affine quantization")
  return torch.quantize_per_channel(torch.zeros(size), scales, zero_points, axis, unchecked_cast(int, dtype))


def aten_empty_quantized(size: List[int], qtensor: Tensor, dtype: Optional[int], layout: Optional[int], device: Optional[Device],
                         pin_memory: Optional[bool], memory_format: Optional[int]) -> Tensor:
  return torch.quantize_per_tensor(torch.zeros(size), torch.q_scale(qtensor), torch.q_zero_point(qtensor), ops.prim.dtype(qtensor))

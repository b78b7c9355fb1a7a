# Operators without kernels of their own, made of others (see torch.decompositions): parts, arrangements and indices.

def wrapped(dim: int, dims: int) -> int:
  n = max(dims, 1)
  if dim < -n or dim >= n:
    ops.prim.RaiseException(torch.format("Dimension out of range (expected to be in range of [{}, {}], but got {})", -n, n - 1, dim), "builtins.IndexError")
  return dim + n if dim < 0 else dim


# ---- Transposing ----

def transposed(self: Tensor, name: str) -> Tensor:
  if torch.dim(self) == 1:
    ops.prim.RaiseException(torch.format("{} is only supported on matrices or batches of matrices. Got 1-D tensor.", name))
  return torch.transpose(self, -2, -1) if torch.dim(self) > 0 else self


def aten_mT(self: Tensor) -> Tensor:
  return transposed(self, "tensor.mT")


def aten_mT_a(a: Tensor) -> Tensor:
  return transposed(a, "tensor.mT")


def aten_mH(self: Tensor) -> Tensor:
  return torch.conj(transposed(self, "tensor.mH"))


def aten_mH_a(a: Tensor) -> Tensor:
  return torch.conj(transposed(a, "tensor.mH"))


def aten_matrix_H(self: Tensor) -> Tensor:
  if torch.dim(self) == 0:
    return torch.conj(self)
  if torch.dim(self) != 2:
    hint = " For batches of matrices, consider using tensor.mH" if torch.dim(self) > 2 else ""
    ops.prim.RaiseException(torch.format("tensor.H is only supported on matrices (2-D tensors). Got {}-D tensor.{}", torch.dim(self), hint))
  return torch.conj(torch.transpose(self, 0, 1))


def aten_matrix_H_a(self: Tensor) -> Tensor:
  return torch.matrix_H(self)


def aten_numpy_T_a(self: Tensor) -> Tensor:
  return torch.permute(self, [torch.dim(self) - 1 - d for d in range(torch.dim(self))])


def aten_adjoint(self: Tensor) -> Tensor:
  return torch.conj(transposed(self, "tensor.adjoint()"))


def aten_rot90(self: Tensor, k: int, dims: List[int]) -> Tensor:
  rank = torch.dim(self)
  if len(dims) != 2:
    ops.prim.RaiseException(torch.format("expected total rotation dims == 2, but got dims = {}", len(dims)))
  if rank < 2:
    ops.prim.RaiseException(torch.format("expected total dims >= 2, but got total dims = {}", rank))
  if dims[0] == dims[1] or abs(dims[0] - dims[1]) == rank:
    ops.prim.RaiseException(torch.format("expected rotation dims to be different, but got dim0 = {} and dim1 = {}", dims[0], dims[1]))
  for i in range(2):
    if dims[i] < -rank or dims[i] >= rank:
      ops.prim.RaiseException(torch.format("Rotation dim{} out of range, dim{} = {}", i, i, dims[i]))
  turns = k % 4
  if turns == 1:
    return torch.transpose(torch.flip(self, [dims[1]]), dims[0], dims[1])
  if turns == 2:
    return torch.flip(self, dims)
  if turns == 3:
    return torch.transpose(torch.flip(self, [dims[0]]), dims[0], dims[1])
  return torch.clone(self)


# ---- Splitting and joining ----

def aten_tensor_split_sections(self: Tensor, sections: int, dim: int) -> List[Tensor]:
  if torch.dim(self) == 0 or sections <= 0:
    ops.prim.RaiseException("tensor_split expects at least one dimension and a positive number of sections")
  n = torch.size(self, dim)
  parts: List[Tensor] = []
  at = 0
  for i in range(sections):
    length = n // sections + (1 if i < n % sections else 0)
    parts = parts + [torch.narrow(self, dim, at, length)]
    at = at + length
  return parts


def aten_tensor_split_indices(self: Tensor, indices: List[int], dim: int) -> List[Tensor]:
  if torch.dim(self) == 0:
    ops.prim.RaiseException("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
  parts: List[Tensor] = []
  at = 0
  for i in indices:
    parts = parts + [torch.slice(self, dim, at, i)]
    at = i
  return parts + [torch.slice(self, dim, at)]


def aten_tensor_split_tensor_indices_or_sections(self: Tensor, tensor_indices_or_sections: Tensor, dim: int) -> List[Tensor]:
  if tensor_indices_or_sections.dtype != 4:
    ops.prim.RaiseException("tensor_split expected tensor_indices_or_sections to have dtype of long")
  if torch.dim(tensor_indices_or_sections) == 0:
    return torch.tensor_split(self, int(tensor_indices_or_sections), dim)
  indices: List[int] = []
  for i in range(torch.numel(tensor_indices_or_sections)):
    indices = indices + [int(tensor_indices_or_sections[i])]
  return torch.tensor_split(self, indices, dim)


def check_split(self: Tensor, dim: int, least: int, sections: int):
  if torch.dim(self) < least:
    ops.prim.RaiseException(torch.format("the split requires a tensor with at least {} dimension(s), but got a tensor with {} dimensions!", least, torch.dim(self)))
  if sections > 0 and torch.size(self, dim) % sections != 0:
    ops.prim.RaiseException(torch.format("attempted to split along dimension {}, but the size of the dimension {} is not divisible by the split_size {}!", dim, torch.size(self, dim), sections))


def aten_hsplit_int(self: Tensor, sections: int) -> List[Tensor]:
  dim = 0 if torch.dim(self) == 1 else 1
  check_split(self, dim, 1, sections)
  return torch.tensor_split(self, sections, dim)


def aten_hsplit_array(self: Tensor, indices: List[int]) -> List[Tensor]:
  check_split(self, 0, 1, 0)
  return torch.tensor_split(self, indices, 0 if torch.dim(self) == 1 else 1)


def aten_vsplit_int(self: Tensor, sections: int) -> List[Tensor]:
  check_split(self, 0, 2, sections)
  return torch.tensor_split(self, sections, 0)


def aten_vsplit_array(self: Tensor, indices: List[int]) -> List[Tensor]:
  check_split(self, 0, 2, 0)
  return torch.tensor_split(self, indices, 0)


def aten_dsplit_int(self: Tensor, sections: int) -> List[Tensor]:
  check_split(self, 2, 3, sections)
  return torch.tensor_split(self, sections, 2)


def aten_dsplit_array(self: Tensor, indices: List[int]) -> List[Tensor]:
  check_split(self, 2, 3, 0)
  return torch.tensor_split(self, indices, 2)


def aten_split(self: Tensor, split_sizes: List[int], dim: int) -> List[Tensor]:
  return torch.split_with_sizes(self, split_sizes, dim)


def aten_column_stack(tensors: List[Tensor]) -> Tensor:
  return torch.hstack([torch.reshape(t, [-1, 1]) if torch.dim(t) < 2 else t for t in tensors])


def aten_atleast_1d_Sequence(tensors: List[Tensor]) -> List[Tensor]:
  return [torch.atleast_1d(t) for t in tensors]


def aten_atleast_2d_Sequence(tensors: List[Tensor]) -> List[Tensor]:
  return [torch.atleast_2d(t) for t in tensors]


def aten_atleast_3d_Sequence(tensors: List[Tensor]) -> List[Tensor]:
  return [torch.atleast_3d(t) for t in tensors]


def aten_block_diag(tensors: List[Tensor]) -> Tensor:
  rows = 0
  columns = 0
  kind = torch.zeros([0], dtype=tensors[0].dtype)
  for t in tensors:
    if torch.dim(t) > 2:
      ops.prim.RaiseException("torch.block_diag: Input tensors must have 2 or fewer dimensions.")
    m = torch.atleast_2d(t)
    rows = rows + torch.size(m, 0)
    columns = columns + torch.size(m, 1)
    kind = torch.cat([kind, torch.zeros([0], dtype=t.dtype)])
  made = torch.zeros([rows, columns], dtype=kind.dtype)
  row = 0
  column = 0
  for t in tensors:
    m = torch.atleast_2d(t)
    made[row:row + torch.size(m, 0), column:column + torch.size(m, 1)] = torch.to(m, made.dtype)
    row = row + torch.size(m, 0)
    column = column + torch.size(m, 1)
  return made


def aten_meshgrid(tensors: List[Tensor]) -> List[Tensor]:
  shape = [torch.numel(t) for t in tensors]
  made: List[Tensor] = []
  for i in range(len(tensors)):
    if torch.dim(tensors[i]) > 1:
      ops.prim.RaiseException("torch.meshgrid: Expected 0D or 1D tensor in the tensor list")
    line = [1 for k in range(len(tensors))]
    line[i] = shape[i]
    made = made + [torch.expand(torch.reshape(tensors[i], line), shape)]
  return made


def aten_meshgrid_indexing(tensors: List[Tensor], indexing: str) -> List[Tensor]:
  if indexing == "ij" or len(tensors) < 2:
    return torch.meshgrid(tensors)
  if indexing != "xy":
    ops.prim.RaiseException(torch.format("torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: {}", indexing))
  turned = torch.meshgrid([tensors[1], tensors[0]] + tensors[2:])
  return [turned[1], turned[0]] + turned[2:]


def aten_cartesian_prod(tensors: List[Tensor]) -> Tensor:
  for t in tensors:
    if torch.dim(t) != 1:
      ops.prim.RaiseException(torch.format("Expect a 1D vector, but got shape {}", torch.size(t)))
  if len(tensors) == 1:
    return tensors[0]
  return torch.stack([torch.flatten(t) for t in torch.meshgrid(tensors)], 1)


# Keeps those places of the grid of positions whose coordinates ascend.
def aten_combinations(self: Tensor, r: int, with_replacement: bool) -> Tensor:
  if torch.dim(self) != 1 or r < 0:
    ops.prim.RaiseException(torch.format("Expect a 1D vector and a non-negative number, but got {} dimensions and {}", torch.dim(self), r))
  if r == 0:
    return torch.zeros([0], dtype=self.dtype)
  n = torch.numel(self)
  places = torch.meshgrid([torch.arange(n) for i in range(r)])
  keep = torch.ones([n for i in range(r)], dtype=11)
  for i in range(r - 1):
    keep = keep & (places[i] <= places[i + 1] if with_replacement else places[i] < places[i + 1])
  return torch.stack([torch.index_select(self, 0, torch.masked_select(p, keep)) for p in places], 1)


# ---- Diagonals and triangles ----

def aten_diag(self: Tensor, diagonal: int) -> Tensor:
  if torch.dim(self) == 1:
    return torch.diag_embed(self, diagonal)
  if torch.dim(self) != 2:
    ops.prim.RaiseException("matrix or a vector expected")
  return torch.clone(torch.diagonal(self, diagonal))


def aten_diag_embed(self: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
  dims = torch.dim(self) + 1
  first = wrapped(dim1, dims)
  second = wrapped(dim2, dims)
  if first == second:
    ops.prim.RaiseException("diagonal dimensions cannot be identical")
  n = torch.size(self, -1) + abs(offset)
  sizes = torch.size(self)[0:torch.dim(self) - 1]
  shape: List[int] = []
  at = 0
  for d in range(dims):
    if d == first or d == second:
      shape = shape + [n]
    else:
      shape = shape + [sizes[at]]
      at = at + 1
  made = torch.zeros(shape, dtype=self.dtype)
  torch.copy_(torch.diagonal(made, offset, first, second), self)
  return made


def aten_trace(self: Tensor) -> Tensor:
  if torch.dim(self) != 2:
    ops.prim.RaiseException("trace: expected a matrix")
  return torch.sum(torch.diagonal(self))


# ---- Writing to a part of a copy ----

def aten_diagonal_scatter(self: Tensor, src: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
  made = torch.clone(self)
  place = torch.diagonal(made, offset, dim1, dim2)
  check_part(place, src)
  torch.copy_(place, src)
  return made


def check_part(place: Tensor, src: Tensor):
  if torch.size(place) != torch.size(src):
    ops.prim.RaiseException("expected src to have a size equal to the slice of self")


def aten_slice_scatter(self: Tensor, src: Tensor, dim: int, start: Optional[int], end: Optional[int], step: int) -> Tensor:
  made = torch.clone(self)
  place = torch.slice(made, dim, start, end, step)
  check_part(place, src)
  torch.copy_(place, src)
  return made


def aten_as_strided_scatter(self: Tensor, src: Tensor, size: List[int], stride: List[int], storage_offset: Optional[int]) -> Tensor:
  made = torch.clone(self)
  place = torch.as_strided(made, size, stride, storage_offset)
  check_part(place, src)
  torch.copy_(place, src)
  return made


def aten_narrow_copy(self: Tensor, dim: int, start: int, length: int) -> Tensor:
  return torch.clone(torch.narrow(self, dim, start, length))


def aten_narrow_Tensor(self: Tensor, dim: int, start: Tensor, length: int) -> Tensor:
  if torch.dim(start) != 0 or start.dtype > 4:
    ops.prim.RaiseException("start must be an 0-dim integral Tensor.")
  return torch.narrow(self, dim, int(start), length)


def aten_resize_as_(self: Tensor, the_template: Tensor, memory_format: Optional[int]) -> Tensor:
  return torch.resize_(self, torch.size(the_template))


def aten_new_empty_strided(self: Tensor, size: List[int], stride: List[int], dtype: Optional[int], layout: Optional[int],
                           device: Optional[Device], pin_memory: Optional[bool]) -> Tensor:
  return torch.empty_strided(size, stride, dtype=self.dtype if dtype is None else dtype)


def aten_ones(size: List[int]) -> Tensor:
  return torch.ones(size)


def aten_arange_start(start: number, end: number, step: number) -> Tensor:
  return torch.arange(start, end, step)


def aten_logspace(start: number, end: number, steps: int, base: float) -> Tensor:
  return torch.logspace(start, end, steps, base, dtype=10 if isinstance(start, complex) or isinstance(end, complex) else 7)


# ---- Indices ----

# Raises when a place is outside of n elements.
def check_places(index: Tensor, n: int):
  if index.dtype != 4:
    ops.prim.RaiseException("take() and put_(): Expected a long tensor for index")
  if torch.numel(index) > 0 and (int(torch.min(index)) < -n or int(torch.max(index)) >= n):
    ops.prim.RaiseException("out of range: an index of take or put is beyond the tensor's elements", "builtins.IndexError")


def aten_take(self: Tensor, index: Tensor) -> Tensor:
  check_places(index, torch.numel(self))
  return torch.index(torch.flatten(self), [index])


def aten_put(self: Tensor, index: Tensor, source: Tensor, accumulate: bool) -> Tensor:
  if torch.numel(index) != torch.numel(source):
    ops.prim.RaiseException("put_(): Expected source and index to have the same number of elements")
  check_places(index, torch.numel(self))
  made = torch.clone(torch.flatten(self))
  made = torch.index_put_(made, [torch.flatten(index)], torch.flatten(source), accumulate)
  return torch.reshape(made, torch.size(self))


def aten_index_put(self: Tensor, indices: List[Optional[Tensor]], values: Tensor, accumulate: bool) -> Tensor:
  return torch.index_put_(torch.clone(self), indices, values, accumulate)


def aten_index_put_hacked_twin(self: Tensor, indices: List[Tensor], values: Tensor, accumulate: bool) -> Tensor:
  return torch.index_put_(torch.clone(self), indices, values, accumulate)


def aten_index_fill_int_Tensor(self: Tensor, dim: int, index: Tensor, value: Tensor) -> Tensor:
  if torch.dim(value) != 0:
    ops.prim.RaiseException("index_fill_ only supports a 0-dimensional value tensor")
  return torch.index_fill(self, dim, index, torch.item(value))


def aten_masked_scatter(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
  if mask.dtype != 11 and mask.dtype != 0:
    ops.prim.RaiseException("masked_scatter: expected BoolTensor or ByteTensor for mask")
  both = torch.broadcast_tensors([self, mask])
  chosen = torch.flatten(both[1])
  if mask.dtype == 0 and torch.numel(mask) > 0 and int(torch.max(mask)) > 1:
    ops.prim.RaiseException("Mask tensor can take 0 and 1 values only")
  count = int(torch.sum(chosen))
  if count > torch.numel(source):
    ops.prim.RaiseException("masked_scatter: expected self and source to have same dtypes and source to have enough elements")
  made = torch.clone(torch.flatten(both[0]))
  made[chosen] = torch.narrow(torch.flatten(source), 0, 0, count)
  return torch.reshape(made, torch.size(both[0]))


def aten_argwhere(self: Tensor) -> Tensor:
  return torch.nonzero(self)


def aten_nonzero_numpy(self: Tensor) -> List[Tensor]:
  return torch.unbind(torch.nonzero(torch.atleast_1d(self)), 1)


def aten_one_hot(self: Tensor, num_classes: int) -> Tensor:
  if self.dtype != 4:
    ops.prim.RaiseException("one_hot is only applicable to index tensor.")
  if torch.numel(self) == 0 and num_classes <= 0:
    ops.prim.RaiseException("Can not infer total number of classes from empty tensor.")
  if torch.numel(self) > 0 and int(torch.min(self)) < 0:
    ops.prim.RaiseException("Class values must be non-negative.")
  classes = num_classes
  if num_classes < 0:
    classes = int(torch.max(self)) + 1
  elif torch.numel(self) > 0 and int(torch.max(self)) >= num_classes:
    ops.prim.RaiseException("Class values must be smaller than num_classes.")
  return torch.scatter(torch.zeros(torch.size(self) + [classes], dtype=4), -1, torch.unsqueeze(self, -1), 1)


def aten_repeat_interleave_Tensor(repeats: Tensor, output_size: Optional[int]) -> Tensor:
  if repeats.dtype != 3 and repeats.dtype != 4:
    ops.prim.RaiseException("\"repeat_interleave_cpu\" is implemented for repeats of int32 and int64 only")
  if torch.dim(repeats) != 1 or (torch.numel(repeats) > 0 and int(torch.min(repeats)) < 0):
    ops.prim.RaiseException("repeats must be a 1D vector of numbers that are not negative")
  ends = torch.cumsum(repeats, 0)
  total = int(torch.sum(repeats))
  marks = torch.scatter_add(torch.zeros([total + 1], dtype=4), 0, ends, torch.ones_like(ends))
  return torch.to(torch.cumsum(torch.narrow(marks, 0, 0, total), 0), repeats.dtype)


def aten_repeat_interleave_self_Tensor(self: Tensor, repeats: Tensor, dim: Optional[int], output_size: Optional[int]) -> Tensor:
  x = self
  d = 0
  if dim is None:
    x = torch.flatten(self)
  else:
    d = dim
  times = repeats
  if torch.numel(repeats) == 1:
    times = torch.expand(torch.reshape(repeats, [1]), [torch.size(x, d)])
  if torch.numel(times) != torch.size(x, d):
    ops.prim.RaiseException("repeats must have the same size as input along dim")
  return torch.index_select(x, d, torch.repeat_interleave(times))


# ---- Products of shapes ----

def aten_outer(self: Tensor, vec2: Tensor) -> Tensor:
  if torch.dim(self) != 1 or torch.dim(vec2) != 1:
    ops.prim.RaiseException(torch.format("outer: Expected 1-D arguments, but got {}-D and {}-D", torch.dim(self), torch.dim(vec2)))
  return torch.unsqueeze(self, 1) * torch.unsqueeze(vec2, 0)


def aten_retains_grad(self: Tensor) -> bool:
  return False


def prim_name(a: Tensor) -> Optional[str]:
  return None


# The argument itself where nothing has to be converted.
def aten_copy(self: Tensor, src: Tensor, non_blocking: bool) -> Tensor:
  made = torch.to(src, self.dtype)
  if torch.size(made) != torch.size(self):
    made = torch.clone(torch.expand(made, torch.size(self)))
  return made

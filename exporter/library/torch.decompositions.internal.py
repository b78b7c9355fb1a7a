# Operators that PyTorch calls inside of its own functions, and that therefore stand in traced programs (see
# torch.decompositions).

# ---- Conversions ----

def aten__cast_Byte(self: Tensor, non_blocking: bool) -> Tensor:
  return torch.to(self, 0)


def aten__cast_Char(self: Tensor, non_blocking: bool) -> Tensor:
  return torch.to(self, 1)


def aten__cast_Short(self: Tensor, non_blocking: bool) -> Tensor:
  return torch.to(self, 2)


def aten__cast_Int(self: Tensor, non_blocking: bool) -> Tensor:
  return torch.to(self, 3)


def aten__cast_Long(self: Tensor, non_blocking: bool) -> Tensor:
  return torch.to(self, 4)


def aten__cast_Half(self: Tensor, non_blocking: bool) -> Tensor:
  return torch.to(self, 5)


def aten__cast_Float(self: Tensor, non_blocking: bool) -> Tensor:
  return torch.to(self, 6)


def aten__cast_Double(self: Tensor, non_blocking: bool) -> Tensor:
  return torch.to(self, 7)


def aten__saturate_weight_to_fp16(weight: Tensor) -> Tensor:
  if weight.dtype != 6:
    ops.prim.RaiseException("expected a tensor of scalar type Float")
  if torch.dim(weight) < 2:
    ops.prim.RaiseException(torch.format("Dimension out of range: expected a matrix, but got {} dimensions", torch.dim(weight)))
  return torch.clamp(weight, -65504., 65504.)


def is_reduced(self: Tensor) -> bool:
  return self.dtype == 5 or self.dtype == 15


def aten__autocast_to_full_precision(self: Tensor, cuda_enabled: bool, cpu_enabled: bool) -> Tensor:
  return torch.to(self, 6) if cpu_enabled and is_reduced(self) else self


def aten__autocast_to_reduced_precision(self: Tensor, cuda_enabled: bool, cpu_enabled: bool, cuda_dtype: int, cpu_dtype: int) -> Tensor:
  return torch.to(self, cpu_dtype) if cpu_enabled and (self.dtype == 6 or is_reduced(self)) else self


def aten__to_cpu(tensors: List[Tensor]) -> List[Tensor]:
  return [torch.clone(t) for t in tensors]


def aten_copy__int(self: Tensor, other: int) -> Tensor:
  return torch.fill_(self, other)


def aten_copy__float(self: Tensor, other: float) -> Tensor:
  return torch.fill_(self, other)


def aten_copy__Tensor(self: Tensor, other: Tensor) -> Tensor:
  return torch.copy_(self, other, False)


def aten__copy_from(self: Tensor, dst: Tensor, non_blocking: bool) -> Tensor:
  return torch.copy_(dst, self)


def aten__copy_from_and_resize(self: Tensor, dst: Tensor) -> Tensor:
  return torch.copy_(torch.resize_(dst, torch.size(self)), self)


def aten_lift(self: Tensor) -> Tensor:
  return self


def aten_lift_fresh(self: Tensor) -> Tensor:
  return self


# ---- Lists and tensors ----

def aten__shape_as_tensor(self: Tensor) -> Tensor:
  return torch.tensor(torch.size(self), dtype=4)


def aten__reshape_from_tensor(self: Tensor, shape: Tensor) -> Tensor:
  return torch.reshape(self, [int(shape[i]) for i in range(torch.numel(shape))])


def aten__local_scalar_dense(self: Tensor) -> number:
  return torch.item(self)


def aten__dim_arange(like: Tensor, dim: int) -> Tensor:
  return torch.arange(torch.size(like, dim))


def aten_flatten_dense_tensors(tensors: List[Tensor]) -> Tensor:
  return torch.cat([torch.flatten(t) for t in tensors])


def aten_unflatten_dense_tensors(flat: Tensor, tensors: List[Tensor]) -> List[Tensor]:
  made: List[Tensor] = []
  at = 0
  for t in tensors:
    made = made + [torch.view(torch.narrow(flat, 0, at, torch.numel(t)), torch.size(t))]
    at = at + torch.numel(t)
  return made


def aten__pack_sequence(output: Tensor, batch_sizes: Tensor, sorted_indices: Optional[Tensor],
                        unsorted_indices: Optional[Tensor]) -> Tuple[Tensor, Tensor, Optional[Tensor], Optional[Tensor]]:
  return (output, batch_sizes, sorted_indices, unsorted_indices)


def aten_as_tensor_complex(t: complex, dtype: Optional[int], device: Optional[Device]) -> Tensor:
  return torch.tensor(t, dtype=dtype)


def aten__assert_async(self: Tensor):
  if not bool(self):
    ops.prim.RaiseException("Expected Tensor with single nonzero value, but got zero")


def differ(a: Optional[List[int]], b: List[int]) -> bool:
  if a is None:
    return False
  return a != b


def aten__assert_tensor_metadata(a: Tensor, size: Optional[List[int]], stride: Optional[List[int]], dtype: Optional[int],
                                 device: Optional[Device], layout: Optional[int]):
  if differ(size, torch.size(a)):
    ops.prim.RaiseException("Tensor sizes mismatch!")
  if differ(stride, torch.stride(a)):
    ops.prim.RaiseException("Tensor strides mismatch!")
  if dtype is not None:
    if a.dtype != dtype:
      ops.prim.RaiseException("Tensor dtype mismatch!")


# Tensors have no names, so only their absence can be given.
def aten_rename(self: Tensor, names: Optional[List[str]]) -> Tensor:
  __torch__.torch.decompositions.derived.check_unnamed(names)
  return torch.view(self, torch.size(self))


def aten_rename_(self: Tensor, names: Optional[List[str]]) -> Tensor:
  __torch__.torch.decompositions.derived.check_unnamed(names)
  return self


# ---- Shapes ----

# Dimensions of size 1 at the places that are named.
def put_in(self: Tensor, places: List[int], dims: int) -> Tensor:
  x = self
  for d in range(dims):
    if d in places:
      x = torch.unsqueeze(x, d)
  return x


def aten__trilinear(i1: Tensor, i2: Tensor, i3: Tensor, expand1: List[int], expand2: List[int], expand3: List[int], sumdim: List[int],
                    unroll_dim: int) -> Tensor:
  dims = torch.dim(i1) + len(expand1)
  product = put_in(i1, expand1, dims) * put_in(i2, expand2, dims) * put_in(i3, expand3, dims)
  return torch.sum(product, sumdim, dtype=product.dtype) if len(sumdim) > 0 else product


def aten__ncf_unsqueeze(self: Tensor, ndim: int) -> Tensor:
  shape = [1 for d in range(ndim)]
  shape[1] = torch.size(self, 0)
  return torch.reshape(self, shape)


def aten__ncf_view(self: Tensor, input_shape: List[int], normalized_ndim: int) -> Tensor:
  kept = len(input_shape) - normalized_ndim
  return torch.reshape(self, input_shape[0:kept] + [1 for d in range(normalized_ndim)])


def aten__grad_sum_to_size(self: Tensor, size: Optional[List[int]]) -> Tensor:
  return self if size is None else torch.sum_to_size(self, size)


def prim_add_optional(input: Tensor, bias: Optional[Tensor]) -> Tensor:
  return input if bias is None else torch.add(input, bias)


def aten__pad_circular(self: Tensor, pad: List[int]) -> Tensor:
  return torch.pad(self, pad, "circular")


def aten__pad_enum(self: Tensor, pad: List[int], mode: int, value: Optional[float]) -> Tensor:
  return torch.pad(self, pad, ["reflect", "replicate", "circular", "constant"][mode], value)


def aten__resize_output_(self: Tensor, size: List[int], device: Device) -> Tensor:
  return torch.resize_(self, size)


# ---- Indices, orders ----

def aten__index_put_impl_(self: Tensor, indices: List[Optional[Tensor]], values: Tensor, accumulate: bool, unsafe: bool) -> Tensor:
  return torch.index_put_(self, indices, values, accumulate)


def aten__index_put_impl__hacked_twin(self: Tensor, indices: List[Tensor], values: Tensor, accumulate: bool, unsafe: bool) -> Tensor:
  return torch.index_put_(self, indices, values, accumulate)


def aten__unique(self: Tensor, sorted: bool, return_inverse: bool) -> Tuple[Tensor, Tensor]:
  values, places, _0 = torch._unique2(self, sorted, return_inverse, False)
  return (values, places)


def aten__cummax_helper(self: Tensor, values: Tensor, indices: Tensor, dim: int):
  _0, _1 = torch.cummax(self, dim)
  torch.copy_(values, _0)
  torch.copy_(indices, _1)


def aten__cummin_helper(self: Tensor, values: Tensor, indices: Tensor, dim: int):
  _0, _1 = torch.cummin(self, dim)
  torch.copy_(values, _0)
  torch.copy_(indices, _1)


def aten__histogramdd_bin_edges(self: Tensor, bins: List[int], range: Optional[List[float]], weight: Optional[Tensor], density: bool) -> List[Tensor]:
  _0, edges = torch.histogramdd(self, bins, range, weight, density)
  return edges


def aten__histogramdd_from_bin_cts(self: Tensor, bins: List[int], range: Optional[List[float]], weight: Optional[Tensor], density: bool) -> Tensor:
  made, _0 = torch.histogramdd(self, bins, range, weight, density)
  return made


def aten__histogramdd_from_bin_tensors(self: Tensor, bins: List[Tensor], weight: Optional[Tensor], density: bool) -> Tensor:
  made, _0 = torch.histogramdd(self, bins, None, weight, density)
  return made


# The diagonal of a matrix, or of a cube of any dimension; with `wrap` a tall matrix begins again below its last column.
def aten_fill_diagonal_(self: Tensor, fill_value: number, wrap: bool) -> Tensor:
  dims = torch.dim(self)
  if dims < 2:
    ops.prim.RaiseException("dimensions must larger than 1")
  height, width = torch.size(self, 0), torch.size(self, 1)
  step = 0
  for d in range(dims):
    if dims > 2 and torch.size(self, d) != height:
      ops.prim.RaiseException("all dimensions of input must be of equal length")
    step = step + torch.stride(self, d)
  count = min(height, width)
  torch.fill_(torch.as_strided(self, [count], [step]), fill_value)
  if wrap and dims == 2 and height > width + 1:
    rest = (torch.numel(self) + width) // (width + 1) - count
    torch.fill_(torch.as_strided(self, [rest], [step], torch.stride(self, 0) * (width + 1)), fill_value)
  return self


# ---- Sums and products ----

def aten__addmm_activation(self: Tensor, mat1: Tensor, mat2: Tensor, beta: number, alpha: number, use_gelu: bool) -> Tensor:
  made = torch.addmm(self, mat1, mat2, beta=beta, alpha=alpha)
  return torch.gelu(made) if use_gelu else torch.relu(made)


def aten__compute_linear_combination(input: Tensor, coefficients: Tensor) -> Tensor:
  weights = torch.reshape(coefficients, torch.size(coefficients) + [1 for d in range(torch.dim(input) - 1)])
  return torch.sum(weights * torch.unsqueeze(input, 0), [1], dtype=input.dtype)


def aten__euclidean_dist(x1: Tensor, x2: Tensor) -> Tensor:
  return __torch__.torch.decompositions.statistics.euclidean_distances(x1, x2)


def aten_native_norm(self: Tensor, p: number) -> Tensor:
  return torch.norm(self, p)


def aten_native_norm_ScalarOpt_dim_dtype(self: Tensor, p: Optional[number], dim: List[int], keepdim: bool, dtype: Optional[int]) -> Tensor:
  dims = dim if len(dim) > 0 else [d for d in range(torch.dim(self))]
  return torch.norm(self if dtype is None else torch.to(self, dtype), p, dims, keepdim)


# The norms of the slices along `dim`, in a shape that broadcasts; of all when dim is -1.
def aten_norm_except_dim(v: Tensor, pow: int, dim: int) -> Tensor:
  if dim == -1:
    return torch.norm(v, pow)
  if torch.size(v, dim) == 0:
    ops.prim.RaiseException(torch.format("norm_except_dim: dimension {} of {} is empty", dim, torch.size(v)))
  others: List[int] = []
  for d in range(torch.dim(v)):
    if d != dim and d != dim + torch.dim(v):
      others = others + [d]
  return torch.norm(v, pow, others, True) if torch.dim(v) > 1 else torch.abs(v)


def aten__weight_norm(v: Tensor, g: Tensor, dim: int) -> Tensor:
  return v * (g / torch.norm_except_dim(v, 2, dim))


def aten__weight_norm_interface(v: Tensor, g: Tensor, dim: int) -> Tuple[Tensor, Tensor]:
  norms = torch.norm_except_dim(v, 2, dim)
  return (v * (g / norms), norms)


def aten__no_grad_embedding_renorm_(weight: Tensor, input: Tensor, max_norm: float, norm_type: float) -> Tensor:
  return torch.embedding_renorm_(weight, input, max_norm, norm_type)


# Queries, keys and values of the heads; queries are scaled.
def aten__transform_bias_rescale_qkv(qkv: Tensor, qkv_bias: Tensor, num_heads: int) -> Tuple[Tensor, Tensor, Tensor]:
  batch, steps, width = torch.size(qkv)
  each = width // 3 // num_heads
  parts = torch.permute(torch.reshape(qkv + qkv_bias, [batch, steps, 3, num_heads, each]), [2, 0, 3, 1, 4])
  return (parts[0] * float(each) ** -0.5, torch.contiguous(parts[1]), torch.contiguous(parts[2]))


# ---- Quantized tensors ----

def aten__empty_affine_quantized(size: List[int], dtype: Optional[int], layout: Optional[int], device: Optional[Device], pin_memory: Optional[bool],
                                 scale: float, zero_point: int, memory_format: Optional[int]) -> Tensor:
  if dtype is None:
    ops.prim.RaiseException("_empty_affine_quantized: the dtype must be a quantized one")
    return torch.zeros(size)
  return torch.quantize_per_tensor(torch.zeros(size), scale, zero_point, dtype)


def aten_quantize_per_tensor_tensors(tensors: List[Tensor], scales: Tensor, zero_points: Tensor, dtype: int) -> List[Tensor]:
  return [torch.quantize_per_tensor(tensors[i], float(scales[i]), int(zero_points[i]), dtype) for i in range(len(tensors))]


# ---- dtypes of results ----

# A tensor without elements that takes part in choosing a dtype as t does.
def typed_as(t: Tensor) -> Tensor:
  return torch.zeros([0], dtype=t.dtype) if torch.dim(t) > 0 else torch.zeros([], dtype=t.dtype)


def aten_result_type_Tensor(tensor: Tensor, other: Tensor) -> int:
  if tensor.is_quantized and tensor.dtype == other.dtype:
    return tensor.dtype
  return torch.mul(typed_as(tensor), typed_as(other)).dtype


def aten_result_type_Scalar(tensor: Tensor, other: number) -> int:
  return torch.mul(typed_as(tensor), other).dtype


def aten_result_type_Scalar_Tensor(scalar: number, tensor: Tensor) -> int:
  return torch.mul(typed_as(tensor), scalar).dtype


# ---- Numbers in a row; the end belongs to it ----

def aten_range_step(start: number, end: number, step: number, dtype: Optional[int], layout: Optional[int], device: Optional[Device],
                    pin_memory: Optional[bool]) -> Tensor:
  first, last, by = float(start), float(end), float(step)
  if by == 0.0:
    ops.prim.RaiseException("step must be nonzero")
  if (by > 0.0 and last < first) or (by < 0.0 and last > first):
    ops.prim.RaiseException("upper bound and larger bound inconsistent with step sign")
  kind = 6 if dtype is None else dtype
  if kind < 5:
    return torch.to(torch.arange(int((last - first) / by) + 1) * int(by) + int(first), kind)
  return torch.to(torch.arange(int((last - first) / by) + 1) * torch.full([], by, dtype=7) + first, kind)


def aten_range(start: number, end: number, dtype: Optional[int], layout: Optional[int], device: Optional[Device],
               pin_memory: Optional[bool]) -> Tensor:
  return torch.range(start, end, 1, dtype=dtype)

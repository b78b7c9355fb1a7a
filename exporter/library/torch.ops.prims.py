# Operators of prims::, of which PyTorch's own compilers make the others: prims::name is the function prims_name. They
# expect tensors of one dtype, and name the operators of aten otherwise.

def every(inp: Tensor, dims: Optional[List[int]]) -> List[int]:
  return [d for d in range(torch.dim(inp))] if dims is None else unchecked_cast(List[int], dims)


def cast(made: Tensor, dtype: Optional[int]) -> Tensor:
  return made if dtype is None else torch.to(made, unchecked_cast(int, dtype))


# The greatest or the least number of a dtype; infinity for floats.
def limit(dtype: int, greatest: bool) -> number:
  if dtype == 11:
    return greatest
  if dtype == 0:
    return 255 if greatest else 0
  if dtype < 5:
    bits = 63 if dtype == 4 else 7 if dtype == 1 else 15 if dtype == 2 else 31
    top = (1 << (bits - 1)) - 1 + (1 << (bits - 1))
    return top if greatest else -top - 1
  most = 65504.0 if dtype == 5 or dtype == 8 else 1.7976931348623157e+308 if dtype == 7 or dtype == 10 else 3.3895313892515355e+38 if dtype == 15 else 3.4028234663852886e+38
  return most if greatest else -most


def prims__make_token() -> Tensor:
  return torch.empty([0])


def prims__sink_tokens(tokens: List[Tensor]):
  pass


def prims__unsafe_index_put_(self: Tensor, indices: List[Optional[Tensor]], values: Tensor, accumulate: bool) -> Tensor:
  return torch.index_put_(self, indices, values, accumulate)


def prims_abs(self: Tensor) -> Tensor:
  return torch.abs(self)


def prims_acos(self: Tensor) -> Tensor:
  return torch.acos(self)


def prims_acosh(self: Tensor) -> Tensor:
  return torch.acosh(self)


def prims_add(self: Tensor, other: Tensor) -> Tensor:
  return torch.add(self, other)


def prims_amax(inp: Tensor, dims: Optional[List[int]], output_dtype: Optional[int]) -> Tensor:
  return cast(torch.amax(inp, every(inp, dims)), output_dtype)


def prims_amin(inp: Tensor, dims: Optional[List[int]], output_dtype: Optional[int]) -> Tensor:
  return cast(torch.amin(inp, every(inp, dims)), output_dtype)


def prims_as_strided(a: Tensor, size: List[int], stride: List[int], storage_offset: int) -> Tensor:
  return torch.as_strided(a, size, stride, storage_offset)


def prims_as_strided_scatter(self: Tensor, src: Tensor, size: List[int], stride: List[int], storage_offset: int) -> Tensor:
  return torch.as_strided_scatter(self, src, size, stride, storage_offset)


def prims_asin(self: Tensor) -> Tensor:
  return torch.asin(self)


def prims_asinh(self: Tensor) -> Tensor:
  return torch.asinh(self)


def prims_atan(self: Tensor) -> Tensor:
  return torch.atan(self)


def prims_atan2(self: Tensor, other: Tensor) -> Tensor:
  return torch.atan2(self, other)


def prims_atanh(self: Tensor) -> Tensor:
  return torch.atanh(self)


def prims_bessel_i0(self: Tensor) -> Tensor:
  return torch.special_i0(self)


def prims_bessel_i0e(self: Tensor) -> Tensor:
  return torch.special_i0e(self)


def prims_bessel_i1(self: Tensor) -> Tensor:
  return torch.special_i1(self)


def prims_bessel_i1e(self: Tensor) -> Tensor:
  return torch.special_i1e(self)


def prims_bessel_j0(self: Tensor) -> Tensor:
  return torch.special_bessel_j0(self)


def prims_bessel_j1(self: Tensor) -> Tensor:
  return torch.special_bessel_j1(self)


def prims_bitwise_and(self: Tensor, other: Tensor) -> Tensor:
  return torch.bitwise_and(self, other)


def prims_bitwise_not(self: Tensor) -> Tensor:
  return torch.bitwise_not(self)


def prims_bitwise_or(self: Tensor, other: Tensor) -> Tensor:
  return torch.bitwise_or(self, other)


def prims_bitwise_xor(self: Tensor, other: Tensor) -> Tensor:
  return torch.bitwise_xor(self, other)


def prims_broadcast_in_dim(a: Tensor, shape: List[int], broadcast_dimensions: List[int]) -> Tensor:
  sizes = [1 for d in shape]
  for i in range(len(broadcast_dimensions)):
    sizes[broadcast_dimensions[i]] = torch.size(a, i)
  return torch.expand(torch.reshape(a, sizes), shape)


def prims_cat(tensors: List[Tensor], dim: int) -> Tensor:
  return torch.cat(tensors, dim)


def prims_cbrt(self: Tensor) -> Tensor:
  return torch.sign(self) * torch.pow(torch.abs(self), 1.0 / 3.0)


def prims_ceil(self: Tensor) -> Tensor:
  return torch.ceil(self)


def prims_clone(self: Tensor, memory_format: Optional[int]) -> Tensor:
  return torch.clone(self, memory_format=memory_format)


def prims_collapse(a: Tensor, start: int, end: int) -> Tensor:
  return torch.clone(torch.flatten(a, start, end))


def prims_collapse_view(a: Tensor, start: int, end: int) -> Tensor:
  return torch.flatten(a, start, end)


def prims_conj(a: Tensor) -> Tensor:
  return torch.conj(a)


def prims_conj_physical(self: Tensor) -> Tensor:
  return torch.conj_physical(self)


def prims_convert_element_type(a: Tensor, dtype: int) -> Tensor:
  return torch.to(a, dtype)


def prims_copy_strided(a: Tensor, stride: List[int]) -> Tensor:
  return torch.copy_(torch.empty_strided(torch.size(a), stride, dtype=ops.prim.dtype(a)), a)


def prims_copy_to(a: Tensor, b: Tensor) -> Tensor:
  return torch.copy_(a, b)


def prims_cos(self: Tensor) -> Tensor:
  return torch.cos(self)


def prims_cosh(self: Tensor) -> Tensor:
  return torch.cosh(self)


def prims_device_put(a: Tensor, device: Device, non_blocking: bool) -> Tensor:
  return torch.clone(a)


def prims_digamma(self: Tensor) -> Tensor:
  return torch.digamma(self)


def prims_div(self: Tensor, other: Tensor) -> Tensor:
  return torch.div(self, other) if torch.is_floating_point(self) or torch.is_complex(self) else torch.div(self, other, rounding_mode="trunc")


def prims_empty(shape: List[int], dtype: int, device: Device, requires_grad: bool) -> Tensor:
  return torch.empty(shape, dtype=dtype)


def prims_empty_permuted(shape: List[int], physical_layout: List[int], dtype: int, device: Device, requires_grad: bool) -> Tensor:
  return torch.empty_permuted(shape, physical_layout, dtype=dtype)


def prims_empty_strided(shape: List[int], strides: List[int], dtype: int, device: Device, requires_grad: bool) -> Tensor:
  return torch.empty_strided(shape, strides, dtype=dtype)


def prims_eq(self: Tensor, other: Tensor) -> Tensor:
  return torch.eq(self, other)


def prims_erf(self: Tensor) -> Tensor:
  return torch.erf(self)


def prims_erf_inv(self: Tensor) -> Tensor:
  return torch.erfinv(self)


def prims_erfc(self: Tensor) -> Tensor:
  return torch.erfc(self)


def prims_erfcx(self: Tensor) -> Tensor:
  return torch.special_erfcx(self)


def prims_exp(self: Tensor) -> Tensor:
  return torch.exp(self)


def prims_exp2(self: Tensor) -> Tensor:
  return torch.exp2(self)


def prims_expm1(self: Tensor) -> Tensor:
  return torch.expm1(self)


def prims_fft_c2c(self: Tensor, dim: List[int], forward: bool) -> Tensor:
  return torch._fft_c2c(self, dim, 0, forward)


def prims_fft_c2r(self: Tensor, dim: List[int], last_dim_size: int) -> Tensor:
  return torch._fft_c2r(self, dim, 0, last_dim_size)


def prims_fft_r2c(self: Tensor, dim: List[int], onesided: bool) -> Tensor:
  return torch._fft_r2c(self, dim, 0, onesided)


def prims_fill(self: Tensor, value: number) -> Tensor:
  return torch.full_like(self, value)


def prims_floor(self: Tensor) -> Tensor:
  return torch.floor(self)


def prims_fma(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
  return a * b + c


def prims_fmax(self: Tensor, other: Tensor) -> Tensor:
  return torch.fmax(self, other)


def prims_fmin(self: Tensor, other: Tensor) -> Tensor:
  return torch.fmin(self, other)


def prims_fmod(self: Tensor, other: Tensor) -> Tensor:
  return torch.fmod(self, other)


def prims_frexp(self: Tensor) -> Tuple[Tensor, Tensor]:
  return torch.frexp(self)


def prims_full(shape: List[int], fill_value: number, dtype: int, device: Device, requires_grad: bool) -> Tensor:
  return torch.full(shape, fill_value, dtype=dtype)


def prims_full_like(a: Tensor, fill_value: number, dtype: int, device: Device, requires_grad: bool) -> Tensor:
  return torch.full_like(a, fill_value, dtype=dtype)


def prims_gcd(self: Tensor, other: Tensor) -> Tensor:
  return torch.gcd(self, other)


def prims_ge(self: Tensor, other: Tensor) -> Tensor:
  return torch.ge(self, other)


def prims_gt(self: Tensor, other: Tensor) -> Tensor:
  return torch.gt(self, other)


def prims_hypot(self: Tensor, other: Tensor) -> Tensor:
  return torch.hypot(self, other)


def prims_igamma(self: Tensor, other: Tensor) -> Tensor:
  return torch.igamma(self, other)


def prims_igammac(self: Tensor, other: Tensor) -> Tensor:
  return torch.igammac(self, other)


def prims_imag(self: Tensor) -> Tensor:
  return torch.imag(self)


def prims_iota(length: int, start: int, step: int, dtype: int, device: Device, requires_grad: bool) -> Tensor:
  return torch.to(torch.arange(0, length) * step + start, dtype)


def prims_isfinite(self: Tensor) -> Tensor:
  return torch.isfinite(self)


def prims_item(a: Tensor) -> number:
  return torch.item(a)


def prims_le(self: Tensor, other: Tensor) -> Tensor:
  return torch.le(self, other)


def prims_lgamma(self: Tensor) -> Tensor:
  return torch.lgamma(self)


def prims_log(self: Tensor) -> Tensor:
  return torch.log(self)


def prims_log10(self: Tensor) -> Tensor:
  return torch.log10(self)


def prims_log1p(self: Tensor) -> Tensor:
  return torch.log1p(self)


def prims_log2(self: Tensor) -> Tensor:
  return torch.log2(self)


def prims_lt(self: Tensor, other: Tensor) -> Tensor:
  return torch.lt(self, other)


def prims_maximum(self: Tensor, other: Tensor) -> Tensor:
  return torch.maximum(self, other)


def prims_maximum_value(dtype: int) -> number:
  return limit(dtype, True)


def prims_minimum(self: Tensor, other: Tensor) -> Tensor:
  return torch.minimum(self, other)


def prims_minimum_value(dtype: int) -> number:
  return limit(dtype, False)


def prims_mul(self: Tensor, other: Tensor) -> Tensor:
  return torch.mul(self, other)


def prims_ndtri(self: Tensor) -> Tensor:
  return torch.special_ndtri(self)


def prims_ne(self: Tensor, other: Tensor) -> Tensor:
  return torch.ne(self, other)


def prims_neg(self: Tensor) -> Tensor:
  return torch.neg(self)


def prims_nextafter(self: Tensor, other: Tensor) -> Tensor:
  return torch.nextafter(self, other)


def prims_normal(shape: List[int], mean: number, std: number, dtype: int, device: Device, requires_grad: bool, generator: Optional[Generator]) -> Tensor:
  return torch.normal_(torch.empty(shape, dtype=dtype), float(mean), float(std))


def prims_pow(self: Tensor, other: Tensor) -> Tensor:
  return torch.pow(self, other)


def prims_prod(inp: Tensor, dims: Optional[List[int]], output_dtype: Optional[int]) -> Tensor:
  made = inp
  for d in torch.sorted([d if d >= 0 else d + torch.dim(inp) for d in every(inp, dims)])[::-1]:
    made = torch.prod(made, d, dtype=ops.prim.dtype(inp))
  return cast(made, output_dtype)


def prims_real(self: Tensor) -> Tensor:
  return torch.real(self)


def prims_reciprocal(self: Tensor) -> Tensor:
  return torch.reciprocal(self)


def prims_remainder(self: Tensor, other: Tensor) -> Tensor:
  return torch.remainder(self, other)


def prims_reshape(a: Tensor, shape: List[int]) -> Tensor:
  return torch.clone(torch.reshape(a, shape))


def prims_resize(a: Tensor, shape: List[int]) -> Tensor:
  return torch.resize_(a, shape)


def prims_rev(a: Tensor, dims: List[int]) -> Tensor:
  return torch.flip(a, dims)


def prims_round(self: Tensor) -> Tensor:
  return torch.round(self)


def prims_rsqrt(self: Tensor) -> Tensor:
  return torch.rsqrt(self)


def prims_scalar_tensor(s: number, dtype: Optional[int], device: Optional[Device]) -> Tensor:
  return torch.scalar_tensor(s, dtype=dtype)


def prims_shift_left(self: Tensor, other: Tensor) -> Tensor:
  return torch.__lshift__(self, other)


def prims_shift_right_arithmetic(self: Tensor, other: Tensor) -> Tensor:
  return torch.__rshift__(self, other)


def prims_sign(self: Tensor) -> Tensor:
  return torch.sign(self)


def prims_signbit(self: Tensor) -> Tensor:
  return torch.signbit(self)


def prims_sin(self: Tensor) -> Tensor:
  return torch.sin(self)


def prims_sinh(self: Tensor) -> Tensor:
  return torch.sinh(self)


def prims_spherical_bessel_j0(self: Tensor) -> Tensor:
  return torch.special_spherical_bessel_j0(self)


def prims_split_dim(a: Tensor, dim: int, outer_length: int) -> Tensor:
  sizes = torch.size(a)
  if outer_length == 0 or sizes[dim] % outer_length != 0:
    ops.prim.RaiseException(torch.format("Attempting to split dimension of length {}, but outer length of {} divides it with a remainder!", sizes[dim], outer_length))
  return torch.reshape(a, sizes[0:dim] + [outer_length, sizes[dim] // outer_length] + sizes[dim + 1:])


def prims_sqrt(self: Tensor) -> Tensor:
  return torch.sqrt(self)


def prims_squeeze(a: Tensor, dimensions: List[int]) -> Tensor:
  return torch.squeeze(a, dimensions)


def prims_sub(self: Tensor, other: Tensor) -> Tensor:
  return torch.sub(self, other)


def prims_sum(inp: Tensor, dims: Optional[List[int]], output_dtype: Optional[int]) -> Tensor:
  return torch.sum(inp, every(inp, dims), False, dtype=ops.prim.dtype(inp) if output_dtype is None else unchecked_cast(int, output_dtype))


def prims_svd(A: Tensor, full_matrices: bool) -> Tuple[Tensor, Tensor, Tensor]:
  u, s, v = torch.linalg_svd(A, full_matrices)
  return (u, s, v)


def prims_tan(self: Tensor) -> Tensor:
  return torch.tan(self)


def prims_tanh(self: Tensor) -> Tensor:
  return torch.tanh(self)


def prims_transpose(a: Tensor, permutation: List[int]) -> Tensor:
  return torch.permute(a, permutation)


def prims_trunc(self: Tensor) -> Tensor:
  return torch.trunc(self)


def prims_uniform(shape: List[int], low: number, high: number, dtype: int, device: Device, generator: Optional[Generator]) -> Tensor:
  return torch.uniform_(torch.empty(shape, dtype=dtype), float(low), float(high))


def prims_var(inp: Tensor, dims: Optional[List[int]], correction: Optional[float], output_dtype: Optional[int]) -> Tensor:
  return cast(torch.var(inp, every(inp, dims), correction=correction), output_dtype)


def prims_view_of(a: Tensor) -> Tensor:
  return torch.alias(a)


def prims_view_of_dtype(a: Tensor, dtype: int) -> Tensor:
  return torch.view(a, dtype=dtype)


def prims_where(pred: Tensor, a: Tensor, b: Tensor) -> Tensor:
  return torch.where(pred, a, b)


def prims_xor_sum(inp: Tensor, dims: Optional[List[int]], output_dtype: Optional[int]) -> Tensor:
  made = inp
  for d in torch.sorted([d if d >= 0 else d + torch.dim(inp) for d in every(inp, dims)])[::-1]:
    parts = torch.unbind(made, d)
    made = torch.zeros_like(torch.sum(made, [d], dtype=ops.prim.dtype(inp)))
    for part in parts:
      made = torch.bitwise_xor(made, part)
  return cast(made, output_dtype)


def prims_zeta(self: Tensor, other: Tensor) -> Tensor:
  return torch.special_zeta(self, other)

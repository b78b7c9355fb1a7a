# What operators mean in archives of certain versions, in today's operators (see upgraders.c). In old ones division of
# integers was division towards zero, `full` made floats, and the number of steps could be left out.
def div_tensor(self: Tensor, other: Tensor) -> Tensor:
  if torch.is_floating_point(self) or torch.is_floating_point(other):
    return torch.true_divide(self, other)
  return torch.divide(self, other, rounding_mode="trunc")


def div_scalar(self: Tensor, other: number) -> Tensor:
  if torch.is_floating_point(self) or isinstance(other, float):
    return torch.true_divide(self, other)
  return torch.divide(self, other, rounding_mode="trunc")


def div_out(self: Tensor, other: Tensor, *, out: Tensor) -> Tensor:
  if torch.is_floating_point(self) or torch.is_floating_point(other) or torch.is_floating_point(out):
    return torch.true_divide(self, other, out=out)
  return torch.divide(self, other, rounding_mode="trunc", out=out)


def div_inplace_tensor(self: Tensor, other: Tensor) -> Tensor:
  if torch.is_floating_point(self) or torch.is_floating_point(other):
    return torch.true_divide_(self, other)
  return torch.divide_(self, other, rounding_mode="trunc")


def div_inplace_scalar(self: Tensor, other: number) -> Tensor:
  if torch.is_floating_point(self) or isinstance(other, float):
    return torch.true_divide_(self, other)
  return torch.divide_(self, other, rounding_mode="trunc")


def full(size: List[int], fill_value: number, *, dtype: Optional[int]=None, layout: Optional[int]=None,
    device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  if dtype is None:
    return torch.full(size, float(fill_value), layout=layout, device=device, pin_memory=pin_memory)
  return torch.full(size, fill_value, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)


def full_out(size: List[int], fill_value: number, *, out: Tensor) -> Tensor:
  return torch.full(size, fill_value, out=out)


def linspace(start: number, end: number, steps: Optional[int]=None, *, dtype: Optional[int]=None,
    layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  return __torch__.torch.upgraders.linspace_1(start, end, 100 if steps is None else steps, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)


def linspace_out(start: number, end: number, steps: Optional[int]=None, *, out: Tensor) -> Tensor:
  return __torch__.torch.upgraders.linspace_1_out(start, end, 100 if steps is None else steps, out=out)


def logspace(start: number, end: number, steps: Optional[int]=None, base: float=10.0, *, dtype: Optional[int]=None,
    layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  n = 100 if steps is None else steps
  return torch.logspace(start, end, n, base, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)


def logspace_out(start: number, end: number, steps: Optional[int]=None, base: float=10.0, *, out: Tensor) -> Tensor:
  n = 100 if steps is None else steps
  return torch.logspace(start, end, n, base, out=out)


# What PyTorch 1 made of integers.
def linspace_1(start: number, end: number, steps: int, *, dtype: Optional[int]=None, layout: Optional[int]=None,
    device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  if dtype is not None and dtype < 5:
    return ops.tsm.linspace_integers(start, end, steps, dtype)
  return torch.linspace(start, end, steps, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)


def linspace_1_out(start: number, end: number, steps: int, *, out: Tensor) -> Tensor:
  if out.dtype < 5:
    return __torch__.torch.decompositions.derived.deliver_line(out, ops.tsm.linspace_integers(start, end, steps, out.dtype))
  return torch.linspace(start, end, steps, out=out)


def scaled_dot_product_attention_math(query: Tensor, key: Tensor, value: Tensor, attn_mask: Optional[Tensor]=None, dropout_p: float=0.,
    need_attn_weights: bool=False, is_causal: bool=False) -> Tuple[Tensor, Tensor]:
  made, weights = torch._scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, need_attn_weights, is_causal)
  return (made, weights)


# Where a dimension was named, PyTorch 1 kept it of a number, too, as one of size 1.
class aminmax_result(NamedTuple):
  min : Tensor
  max : Tensor


def with_dimension(self: Tensor, dim: Optional[int], keepdim: bool) -> Tensor:
  return torch.reshape(self, [1]) if torch.dim(self) == 0 and keepdim and dim is not None else self


def aminmax(self: Tensor, *, dim: Optional[int]=None, keepdim: bool=False) -> __torch__.torch.upgraders.aminmax_result:
  least, most = torch.aminmax(__torch__.torch.upgraders.with_dimension(self, dim, keepdim), dim=dim, keepdim=keepdim)
  return __torch__.torch.upgraders.aminmax_result(least, most)


def aminmax_out(self: Tensor, *, dim: Optional[int]=None, keepdim: bool=False, min: Tensor, max: Tensor) -> __torch__.torch.upgraders.aminmax_result:
  least, most = torch.aminmax(__torch__.torch.upgraders.with_dimension(self, dim, keepdim), dim=dim, keepdim=keepdim, min=min, max=max)
  return __torch__.torch.upgraders.aminmax_result(least, most)


def aminmax_dim(self: Tensor, dim: int, keepdim: bool=False) -> Tuple[Tensor, Tensor]:
  least, most = torch._aminmax(__torch__.torch.upgraders.with_dimension(self, dim, keepdim), dim, keepdim)
  return (least, most)


def aminmax_dim_out(self: Tensor, dim: int, keepdim: bool=False, *, out0: Tensor, out1: Tensor) -> Tuple[Tensor, Tensor]:
  least, most = torch._aminmax(__torch__.torch.upgraders.with_dimension(self, dim, keepdim), dim, keepdim, out0=out0, out1=out1)
  return (least, most)


# What PyTorch 2 refuses: masks of bytes, spectra of reals as pairs of numbers unless they are asked for.
def masked_fill_number(self: Tensor, mask: Tensor, value: number) -> Tensor:
  return torch.masked_fill(self, ops.tsm.bool_mask(mask), value)


def masked_fill_tensor(self: Tensor, mask: Tensor, value: Tensor) -> Tensor:
  return torch.masked_fill(self, ops.tsm.bool_mask(mask), value)


def masked_fill_number_inplace(self: Tensor, mask: Tensor, value: number) -> Tensor:
  return torch.masked_fill_(self, ops.tsm.bool_mask(mask), value)


def masked_fill_tensor_inplace(self: Tensor, mask: Tensor, value: Tensor) -> Tensor:
  return torch.masked_fill_(self, ops.tsm.bool_mask(mask), value)


def index_put(self: Tensor, indices: List[Optional[Tensor]], values: Tensor, accumulate: bool=False) -> Tensor:
  ops.tsm.check_filling(indices, values, accumulate)
  return torch.index_put(self, indices, values, accumulate)


def index_put_list(self: Tensor, indices: List[Tensor], values: Tensor, accumulate: bool=False) -> Tensor:
  ops.tsm.check_filling(indices, values, accumulate)
  return torch.index_put(self, indices, values, accumulate)


def index_put_out(self: Tensor, indices: List[Optional[Tensor]], values: Tensor, accumulate: bool=False, *, out: Tensor) -> Tensor:
  ops.tsm.check_filling(indices, values, accumulate)
  return torch.index_put(self, indices, values, accumulate, out=out)


def index_put_inplace(self: Tensor, indices: List[Optional[Tensor]], values: Tensor, accumulate: bool=False) -> Tensor:
  ops.tsm.check_filling(indices, values, accumulate)
  return torch.index_put_(self, indices, values, accumulate)


def index_put_inplace_list(self: Tensor, indices: List[Tensor], values: Tensor, accumulate: bool=False) -> Tensor:
  ops.tsm.check_filling(indices, values, accumulate)
  return torch.index_put_(self, indices, values, accumulate)


def index_put_impl_inplace(self: Tensor, indices: List[Optional[Tensor]], values: Tensor, accumulate: bool=False, unsafe: bool=False) -> Tensor:
  ops.tsm.check_filling(indices, values, accumulate)
  return torch.index_put_(self, indices, values, accumulate)


def index_put_impl_inplace_list(self: Tensor, indices: List[Tensor], values: Tensor, accumulate: bool=False, unsafe: bool=False) -> Tensor:
  ops.tsm.check_filling(indices, values, accumulate)
  return torch.index_put_(self, indices, values, accumulate)


def check_selection(mask: Tensor) -> None:
  if mask.dtype != 11:
    ops.prim.RaiseException("masked_select: expected BoolTensor for mask", "builtins.RuntimeError")


def masked_select(self: Tensor, mask: Tensor) -> Tensor:
  __torch__.torch.upgraders.check_selection(mask)
  return torch.masked_select(self, mask)


def masked_select_out(self: Tensor, mask: Tensor, *, out: Tensor) -> Tensor:
  __torch__.torch.upgraders.check_selection(mask)
  return torch.masked_select(self, mask, out=out)


def check_scattering(mask: Tensor) -> None:
  if mask.dtype == 0:
    ops.prim.RaiseException("masked_scatter_ only supports boolean masks, but got mask with dtype Byte", "builtins.RuntimeError")


def masked_scatter(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
  __torch__.torch.upgraders.check_scattering(mask)
  return torch.masked_scatter(self, mask, source)


def masked_scatter_inplace(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
  __torch__.torch.upgraders.check_scattering(mask)
  return torch.masked_scatter_(self, mask, source)


def check_spectrum(self: Tensor, window: Optional[Tensor], return_complex: Optional[bool]) -> None:
  if return_complex is None and not torch.is_complex(self):
    if window is None or not torch.is_complex(window):
      ops.prim.RaiseException("stft requires the return_complex parameter be given for real inputs, and will further require that return_complex=True in a future PyTorch release.",
                              "builtins.RuntimeError")


def stft(self: Tensor, n_fft: int, hop_length: Optional[int]=None, win_length: Optional[int]=None, window: Optional[Tensor]=None,
    normalized: bool=False, onesided: Optional[bool]=None, return_complex: Optional[bool]=None) -> Tensor:
  __torch__.torch.upgraders.check_spectrum(self, window, return_complex)
  return torch.stft(self, n_fft, hop_length, win_length, window, normalized, onesided, return_complex)


def stft_center(self: Tensor, n_fft: int, hop_length: Optional[int]=None, win_length: Optional[int]=None, window: Optional[Tensor]=None,
    center: bool=True, pad_mode: str="reflect", normalized: bool=False, onesided: Optional[bool]=None,
    return_complex: Optional[bool]=None) -> Tensor:
  __torch__.torch.upgraders.check_spectrum(self, window, return_complex)
  return torch.stft(self, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided, return_complex)


def istft(self: Tensor, n_fft: int, hop_length: Optional[int]=None, win_length: Optional[int]=None, window: Optional[Tensor]=None,
    center: bool=True, normalized: bool=False, onesided: Optional[bool]=None, length: Optional[int]=None,
    return_complex: bool=False) -> Tensor:
  if not torch.is_complex(self):
    ops.prim.RaiseException("istft requires a complex-valued input tensor matching the output from stft with return_complex=True.", "builtins.RuntimeError")
  return torch.istft(self, n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex)

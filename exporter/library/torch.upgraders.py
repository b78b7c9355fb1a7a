# What operators meant in archives of older versions, in today's operators (see upgraders.c). Division of integers was
# division towards zero; `full` made floats; the number of steps could be left out.
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
    return torch.copy_(torch.resize_(out, [steps]), ops.tsm.linspace_integers(start, end, steps, out.dtype))
  return torch.linspace(start, end, steps, out=out)


def scaled_dot_product_attention_math(query: Tensor, key: Tensor, value: Tensor, attn_mask: Optional[Tensor]=None, dropout_p: float=0.,
    need_attn_weights: bool=False, is_causal: bool=False) -> Tuple[Tensor, Tensor]:
  made, weights = torch._scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, need_attn_weights, is_causal)
  return (made, weights)

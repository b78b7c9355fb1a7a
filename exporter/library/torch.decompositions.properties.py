# Operators that ask a tensor about itself, made of others (see torch.decompositions). There are no devices but the CPU,
# no views that conjugate or negate when read, and no inference mode.


# ---- Where it lies, and what it belongs to ----

def aten_get_device(self: Tensor) -> int:
  return -1


def aten_is_pinned(self: Tensor, device: Optional[Device]) -> bool:
  return False


def aten__pin_memory(self: Tensor, device: Optional[Device]) -> Tensor:
  ops.prim.RaiseException("Could not run 'aten::_pin_memory' with arguments from the 'CUDA' backend.", "builtins.NotImplementedError")
  return self


def aten_pin_memory(self: Tensor, device: Optional[Device]) -> Tensor:
  return torch._pin_memory(self, device)


def aten_is_distributed(self: Tensor) -> bool:
  return False


def aten_is_inference(self: Tensor) -> bool:
  return False


def aten_is_conj(self: Tensor) -> bool:
  return False


def aten_is_neg(self: Tensor) -> bool:
  return False


def aten__is_zerotensor(self: Tensor) -> bool:
  return False


def aten__has_compatible_shallow_copy_type(self: Tensor, from_: Tensor) -> bool:
  return True


# ---- Gradients are made at export (docs/autograd.md): no tensor remembers what it was computed from ----

def aten_is_leaf(self: Tensor) -> bool:
  return True


def aten_output_nr(self: Tensor) -> int:
  return 0


def aten_data(self: Tensor) -> Tensor:
  return torch.detach(self)


# ---- Sizes ----

def aten_sym_size(self: Tensor) -> List[int]:
  return torch.size(self)


def aten_sym_size_int(self: Tensor, dim: int) -> int:
  return torch.size(self, dim)


def aten_sym_stride(self: Tensor) -> List[int]:
  return torch.stride(self)


def aten_sym_stride_int(self: Tensor, dim: int) -> int:
  return torch.stride(self, dim)


def aten_sym_numel(self: Tensor) -> int:
  return torch.numel(self)


def aten_sym_storage_offset(self: Tensor) -> int:
  return torch.storage_offset(self)


# ---- Tensors of C's int and lists ----

def check_type(t: Tensor, name: str, dtype: int):
  kinds = ["Byte", "Char", "Short", "Int", "Long", "Half", "Float", "Double", "ComplexHalf", "ComplexFloat", "ComplexDouble", "Bool"]
  if ops.prim.dtype(t) != dtype:
    ops.prim.RaiseException(torch.format("expected scalar type {} but found {}", name, kinds[ops.prim.dtype(t)]))


def aten__list_to_tensor(self: List[int]) -> Tensor:
  for i in self:
    if i < -2147483648 or i > 2147483647:
      ops.prim.RaiseException("value cannot be converted to type int without overflow")
  return torch.tensor(self, dtype=3)


# The first element of each part along the first dimension.
def aten__tensor_to_list(self: Tensor) -> List[int]:
  values: List[int] = []
  for i in range(torch.size(self, 0)):
    __torch__.torch.decompositions.properties.check_type(self, "Int", 3)
    values.append(int(torch.flatten(self[i])[0]))
  return values


# ---- Names of dimensions: PyTorch takes none from TorchScript ----

def no_symbol(name: str):
  ops.prim.RaiseException(torch.format("all symbols must have a namespace, <namespace>::<string>, but found: {}", name))


def aten_size_Dimname(self: Tensor, dim: str) -> int:
  __torch__.torch.decompositions.properties.no_symbol(dim)
  return 0


def aten_stride_Dimname(self: Tensor, dim: str) -> int:
  __torch__.torch.decompositions.properties.no_symbol(dim)
  return 0


# ---- Caches of plans of CUDA's Fourier transforms: asking needs CUDA, changing changes nothing ----

def no_cuda() -> int:
  ops.prim.RaiseException("Cannot access cuFFT plan cache without ATen_cuda library. PyTorch splits its backend into two shared libraries: a CPU library and a CUDA library; this error has occurred because you are trying to use some CUDA functionality, but the CUDA library has not been loaded by the dynamic linker for some reason.  The CUDA library MUST be loaded, EVEN IF you don't directly use any symbols from the CUDA library! One common culprit is a lack of -Wl,--no-as-needed in your link arguments; many dynamic linkers will delete dynamic library dependencies if you don't depend on any of their symbols.  You can check if this has occurred by using ldd on your binary to see if there is a dependency on *_cuda.so library.")
  return 0


def aten__cufft_get_plan_cache_size(device_index: int) -> int:
  return __torch__.torch.decompositions.properties.no_cuda()


def aten__cufft_get_plan_cache_max_size(device_index: int) -> int:
  return __torch__.torch.decompositions.properties.no_cuda()


def aten__cufft_set_plan_cache_max_size(device_index: int, max_size: int):
  pass


def aten__cufft_clear_plan_cache(device_index: int):
  pass


def aten_get_gradients(context_id: int) -> Dict[Tensor, Tensor]:
  ops.prim.RaiseException("Need to initialize distributed autograd using torch.distributed.autograd.init()")
  nothing: Dict[Tensor, Tensor] = {}
  return nothing


# ---- What PyTorch tests its own code generation with ----

def check(condition: str, is_true: bool):
  if not is_true:
    ops.prim.RaiseException(torch.format("Expected {} to be true, but got false.  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)", condition))


def added(values: Tensor, addends: Tensor, name: str, dtype: int) -> Tensor:
  __torch__.torch.decompositions.properties.check("values.dim() == 1", torch.dim(values) == 1)
  __torch__.torch.decompositions.properties.check_type(values, name, dtype)
  n = torch.numel(values)
  if torch.numel(addends) < n:
    k = torch.numel(addends)
    ops.prim.RaiseException(torch.format("ArrayRef: invalid index Index = {}; Length = {}", k, k))
  return values + torch.slice(addends, 0, 0, n)


def aten__test_optional_intlist(values: Tensor, addends: Optional[List[int]]) -> Tensor:
  if addends is None:
    return values
  return __torch__.torch.decompositions.properties.added(values, torch.tensor(addends, dtype=3), "Int", 3)


def aten__test_optional_filled_intlist(values: Tensor, addends: Optional[List[int]]) -> Tensor:
  if addends is None:
    return values
  return __torch__.torch.decompositions.properties.added(values, torch.tensor(addends, dtype=3), "Int", 3)


def aten__test_optional_floatlist(values: Tensor, addends: Optional[List[float]]) -> Tensor:
  if addends is None:
    return values
  return __torch__.torch.decompositions.properties.added(values, torch.tensor(addends, dtype=6), "Float", 6)


def aten__test_string_default(dummy: Tensor, a: str, b: str) -> Tensor:
  if a != "\"'\\":
    ops.prim.RaiseException("Default A failed")
  if b != "\"'\\":
    ops.prim.RaiseException("Default B failed")
  return dummy


def aten__test_ambiguous_defaults_a(dummy: Tensor, a: int, b: int) -> Tensor:
  __torch__.torch.decompositions.properties.check("a == 1", a == 1)
  __torch__.torch.decompositions.properties.check("b == 1", b == 1)
  return torch.tensor(1)


def aten__test_ambiguous_defaults_b(dummy: Tensor, a: int, b: str) -> Tensor:
  __torch__.torch.decompositions.properties.check("a == 2", a == 2)
  __torch__.torch.decompositions.properties.check("b == \"2\"", b == "2")
  return torch.tensor(2)


def aten__test_serialization_subcmul(self: Tensor, other: Tensor, alpha: number) -> Tensor:
  return torch.sub(self, other, alpha=alpha)


def aten__test_warn_in_autograd(self: Tensor) -> Tensor:
  return torch.clone(self)


def aten__test_autograd_multiple_dispatch_fullcoverage(self: Tensor) -> Tensor:
  return torch.clone(self)


def aten__test_autograd_multiple_dispatch_ntonly(self: Tensor, b: bool) -> Tensor:
  return torch.clone(self)


def aten__test_autograd_multiple_dispatch_view(self: Tensor) -> Tensor:
  return torch.view(self, [-1])


def aten__foobar(self: Tensor, arg1: bool, arg2: bool, arg3: bool) -> Tensor:
  return self

# What the functions of gen_derived.py call: results brought where they belong, names of dimensions.

# dtypes as messages call them
def dtype_name(dtype: int) -> str:
  names = ["Byte", "Char", "Short", "Int", "Long", "Half", "Float", "Double", "ComplexHalf", "ComplexFloat", "ComplexDouble", "Bool", "QInt8", "QUInt8", "QInt32", "BFloat16"]
  return names[dtype]


def check_cast(made: Tensor, out: Tensor):
  if not torch.can_cast(made.dtype, out.dtype):
    ops.prim.RaiseException(torch.format("result type {} can't be cast to the desired output type {}", dtype_name(made.dtype), dtype_name(out.dtype)))


# What the destination may share with an argument: all elements or none; only none.
def check_overlap(out: Tensor, source: Optional[Tensor], all: bool):
  ops.tsm.check_overlap(out, source, all)


def check_overlaps(out: Tensor, sources: List[Tensor], all: bool):
  for source in sources:
    ops.tsm.check_overlap(out, source, all)


# A result of an operator with destinations.
def deliver(out: Tensor, made: Tensor) -> Tensor:
  check_cast(made, out)
  if torch.size(out) != torch.size(made):
    _0 = torch.resize_(out, torch.size(made))
  return torch.copy_(out, made)


# Of one that makes a line: a destination of as many elements keeps its sizes.
def deliver_line(out: Tensor, made: Tensor) -> Tensor:
  return deliver(out, torch.reshape(made, torch.size(out)) if torch.numel(made) == torch.numel(out) else made)


# Of one whose destinations must have the dtypes of its results.
def deliver_same(out: Tensor, made: Tensor) -> Tensor:
  if out.dtype != made.dtype:
    names = ["unsigned char", "signed char", "short int", "int", "long int", "c10::Half", "float", "double", "c10::complex<c10::Half>", "c10::complex<float>", "c10::complex<double>", "bool", "c10::qint8", "c10::quint8", "c10::qint32", "c10::BFloat16"]
    ops.prim.RaiseException(torch.format("Expected out tensor to have dtype {}, but got {} instead", names[made.dtype], names[out.dtype]))
  return deliver(out, made)


def check_lengths(a: int, b: int):
  if a != b:
    ops.prim.RaiseException(torch.format("Tensor lists must have the same number of tensors, got {} and {}", a, b))


def deliver_all(out: List[Tensor], made: List[Tensor]):
  check_lengths(len(out), len(made))
  for i in range(len(out)):
    _0 = deliver(out[i], made[i])


# The result of an operator in place.
def replace(self: Tensor, made: Tensor) -> Tensor:
  check_cast(made, self)
  if torch.size(self) != torch.size(made):
    ops.prim.RaiseException(torch.format("output with shape {} doesn't match the broadcast shape {}", torch.size(self), torch.size(made)))
  return torch.copy_(self, made)


# ---- Tensors have no named dimensions ----

def position_of(self: Tensor, name: str) -> int:
  names = ", ".join(["None" for d in range(torch.dim(self))])
  ops.prim.RaiseException(torch.format("Name '{}' not found in Tensor[{}].", name, names))
  return 0


def positions_of(self: Tensor, names: List[str]) -> List[int]:
  return [position_of(self, name) for name in names]


def check_unnamed(names: Optional[List[str]]):
  if names is not None:
    ops.prim.RaiseException("named dimensions are not supported")

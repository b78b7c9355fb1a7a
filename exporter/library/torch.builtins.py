# Operators with a number on the left of a Tensor: the one with the Tensor on its left, turned round.


def mul_float(a: float, b: Tensor) -> Tensor:
  return torch.mul(b, a)


def add_float(a: float, b: Tensor) -> Tensor:
  return torch.add(b, a)


def ne_float(a: float, b: Tensor) -> Tensor:
  return torch.ne(b, a)


def eq_float(a: float, b: Tensor) -> Tensor:
  return torch.eq(b, a)


def sub_float(a: float, b: Tensor) -> Tensor:
  return torch.add(torch.neg(b), a)


def div_float(a: float, b: Tensor) -> Tensor:
  return torch.mul(torch.reciprocal(b), a)


def mul_int(a: int, b: Tensor) -> Tensor:
  return torch.mul(b, a)


def add_int(a: int, b: Tensor) -> Tensor:
  return torch.add(b, a)


def ne_int(a: int, b: Tensor) -> Tensor:
  return torch.ne(b, a)


def eq_int(a: int, b: Tensor) -> Tensor:
  return torch.eq(b, a)


def sub_int(a: int, b: Tensor) -> Tensor:
  return torch.add(torch.neg(b), a)


def div_int(a: int, b: Tensor) -> Tensor:
  return torch.mul(torch.reciprocal(b), a)


def mul_complex(a: complex, b: Tensor) -> Tensor:
  return torch.mul(b, a)


def add_complex(a: complex, b: Tensor) -> Tensor:
  return torch.add(b, a)


def ne_complex(a: complex, b: Tensor) -> Tensor:
  return torch.ne(b, a)


def eq_complex(a: complex, b: Tensor) -> Tensor:
  return torch.eq(b, a)


def sub_complex(a: complex, b: Tensor) -> Tensor:
  return torch.add(torch.neg(b), a)


def div_complex(a: complex, b: Tensor) -> Tensor:
  return torch.mul(torch.reciprocal(b), a)


def lt_float(a: float, b: Tensor) -> Tensor:
  return torch.gt(b, a)


def le_float(a: float, b: Tensor) -> Tensor:
  return torch.ge(b, a)


def gt_float(a: float, b: Tensor) -> Tensor:
  return torch.lt(b, a)


def ge_float(a: float, b: Tensor) -> Tensor:
  return torch.le(b, a)


def lt_int(a: int, b: Tensor) -> Tensor:
  return torch.gt(b, a)


def le_int(a: int, b: Tensor) -> Tensor:
  return torch.ge(b, a)


def gt_int(a: int, b: Tensor) -> Tensor:
  return torch.lt(b, a)


def ge_int(a: int, b: Tensor) -> Tensor:
  return torch.le(b, a)


def floordiv_number(self: Tensor, other: number) -> Tensor:
  return torch.floor_divide(self, other)


def floordiv_Tensor(self: Tensor, other: Tensor) -> Tensor:
  return torch.floor_divide(self, other)


def __contains___str(self: str, key: str) -> bool:
  return torch.ne(torch.find(self, key, 0, torch.len(self)), -1)

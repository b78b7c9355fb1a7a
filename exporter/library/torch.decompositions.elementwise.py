# Operators without kernels of their own, made of others (see torch.decompositions): element by element.

# ---- Complex numbers ----

def aten_complex(real: Tensor, imag: Tensor) -> Tensor:
  parts = torch.broadcast_tensors([real, imag])
  if real.dtype != imag.dtype:
    ops.prim.RaiseException("Expected object of scalar type of the real part for the imaginary one")
  return torch.view_as_complex(torch.stack(parts, -1))


def aten_polar(abs: Tensor, angle: Tensor) -> Tensor:
  return torch.complex(abs * torch.cos(angle), abs * torch.sin(angle))


# The parts are real: a complex tensor raises.

def aten_Complex_Tensor_Tensor(a: Tensor, b: Tensor) -> complex:
  return complex(float(a), float(b))


def aten_Complex_Tensor_float(a: Tensor, b: float) -> complex:
  return complex(float(a), b)


def aten_Complex_Tensor_int(a: Tensor, b: int) -> complex:
  return complex(float(a), b)


def aten_Complex_Tensor_bool(a: Tensor, b: bool) -> complex:
  return complex(float(a), b)


def aten_Complex_float_Tensor(a: float, b: Tensor) -> complex:
  return complex(a, float(b))


def aten_Complex_int_Tensor(a: int, b: Tensor) -> complex:
  return complex(a, float(b))


def aten_Complex_bool_Tensor(a: bool, b: Tensor) -> complex:
  return complex(a, float(b))


def aten_vdot(self: Tensor, other: Tensor) -> Tensor:
  return torch.dot(torch.conj(self), other)


# ---- Sums, products, powers ----

def rectified(sum: Tensor) -> Tensor:
  if sum.dtype == 0 or sum.dtype == 11:
    ops.prim.RaiseException(torch.format("Unsupported datatype for add_relu:{}", "bool" if sum.dtype == 11 else "unsigned char"))
  return torch.relu(sum)


def aten__add_relu_Tensor(self: Tensor, other: Tensor, alpha: number) -> Tensor:
  return rectified(torch.add(self, other, alpha=alpha))


def aten__add_relu(self: Tensor, other: Tensor, alpha: number) -> Tensor:
  return torch.relu(torch.add(self, other, alpha=alpha))


def aten__add_relu_Scalar(self: Tensor, other: number, alpha: number) -> Tensor:
  if self.dtype == 0 or self.dtype == 11:
    return rectified(self)
  return rectified(torch.add(self, other, alpha))


def aten__add_relu__Tensor(self: Tensor, other: Tensor, alpha: number) -> Tensor:
  return torch.relu_(torch.add_(self, other, alpha=alpha))


def aten__add_relu__Scalar(self: Tensor, other: number, alpha: number) -> Tensor:
  return torch.relu_(torch.add_(self, other, alpha))


def aten_ldexp_Tensor(self: Tensor, other: Tensor) -> Tensor:
  return self * torch.pow(2.0, other)


def aten_float_power_Tensor_Tensor(self: Tensor, exponent: Tensor) -> Tensor:
  dtype = 10 if torch.is_complex(self) or torch.is_complex(exponent) else 7
  return torch.pow(torch.to(self, dtype), torch.to(exponent, dtype))


def aten_float_power_Tensor_Scalar(self: Tensor, exponent: number) -> Tensor:
  return torch.pow(torch.to(self, 10 if torch.is_complex(self) or isinstance(exponent, complex) else 7), exponent)


# Before the result is cast to self's dtype, which any result of floats could be.
def check_power(self: Tensor, is_complex: bool):
  wanted = 10 if is_complex else 7
  if self.dtype != wanted:
    ops.prim.RaiseException(torch.format("the base given to float_power_ has dtype {} but the operation's result requires dtype {}",
                                         __torch__.torch.decompositions.derived.dtype_name(self.dtype),
                                         __torch__.torch.decompositions.derived.dtype_name(wanted)))


def aten_float_power__Tensor(self: Tensor, exponent: Tensor) -> Tensor:
  check_power(self, torch.is_complex(self) or torch.is_complex(exponent))
  return torch.pow_(self, exponent)


def aten_float_power__Scalar(self: Tensor, exponent: number) -> Tensor:
  check_power(self, torch.is_complex(self) or isinstance(exponent, complex))
  return torch.pow_(self, exponent)


def aten_float_power_Scalar(self: number, exponent: Tensor) -> Tensor:
  return torch.pow(self, torch.to(exponent, 10 if torch.is_complex(exponent) or isinstance(self, complex) else 7))


# Of complex numbers that one counts as the greater whose real part is.
def complex_logaddexp(self: Tensor, other: Tensor) -> Tensor:
  less = torch.real(self) < torch.real(other)
  low, high = torch.where(less, self, other), torch.where(less, other, self)
  made = torch.log1p(torch.exp(low - high)) + high
  infinite = torch.isinf(torch.real(low)) & (torch.real(low) == torch.real(high))
  of_infinite = torch.where(torch.real(low) < 0, low, torch.log(torch.exp(low) + torch.exp(high)))
  return torch.where(infinite, of_infinite, made)


def aten_logaddexp(self: Tensor, other: Tensor) -> Tensor:
  if torch.is_complex(self) or torch.is_complex(other):
    return complex_logaddexp(self, other)
  top = torch.maximum(self, other)
  made = top + torch.log1p(torch.exp(-torch.abs(self - other)))
  return torch.where((self == other) & torch.isinf(self), top, made)


def aten_logaddexp2(self: Tensor, other: Tensor) -> Tensor:
  top = torch.maximum(self, other)
  made = top + torch.log1p(torch.exp2(-torch.abs(self - other))) * 1.4426950408889634
  return torch.where((self == other) & torch.isinf(self), top, made)


def aten_heaviside(self: Tensor, values: Tensor) -> Tensor:
  if self.dtype != values.dtype:
    ops.prim.RaiseException("heaviside is not yet implemented for tensors with different dtypes.")
  return torch.where(self == 0, values, torch.to(self > 0, self.dtype))


# Euclid's algorithm on all elements at once.
def aten_lcm(self: Tensor, other: Tensor) -> Tensor:
  divisor = torch.gcd(self, other)
  whole = torch.div(self, torch.masked_fill(divisor, divisor == 0, 1), rounding_mode="trunc")
  return torch.abs(whole * other)


def aten_xlogy_Scalar_Other(self: Tensor, other: number) -> Tensor:
  return torch.xlogy(self, torch.full_like(self, other, dtype=6 if not torch.is_floating_point(self) else self.dtype))


def aten_xlogy_Scalar_Self(self: number, other: Tensor) -> Tensor:
  return torch.xlogy(torch.full_like(other, self, dtype=6 if not torch.is_floating_point(other) else other.dtype), other)


def aten_special_xlog1py_other_scalar(self: Tensor, other: number) -> Tensor:
  return torch.special_xlog1py(self, torch.full_like(self, other, dtype=6 if not torch.is_floating_point(self) else self.dtype))


def aten_special_xlog1py_self_scalar(self: number, other: Tensor) -> Tensor:
  return torch.special_xlog1py(torch.full_like(other, self, dtype=6 if not torch.is_floating_point(other) else other.dtype), other)


# ---- Questions ----

def is_infinite(self: Tensor) -> Tensor:
  return torch.abs(torch.to(self, 7)) == inf


def aten_isinf(self: Tensor) -> Tensor:
  if torch.is_complex(self):
    return (is_infinite(torch.real(self)) |
            is_infinite(torch.imag(self)))
  return is_infinite(self)


def aten_isfinite(self: Tensor) -> Tensor:
  return (self == self) & torch.logical_not(torch.isinf(self))


def aten_isposinf(self: Tensor) -> Tensor:
  if torch.is_complex(self):
    ops.prim.RaiseException("isposinf does not support complex inputs.")
  return torch.isinf(self) & (self > 0)


def aten_isneginf(self: Tensor) -> Tensor:
  if torch.is_complex(self):
    ops.prim.RaiseException("isneginf does not support complex inputs.")
  return torch.isinf(self) & (self < 0)


def aten_isreal(self: Tensor) -> Tensor:
  return torch.imag(self) == 0 if torch.is_complex(self) else torch.ones_like(self, dtype=11)


# ---- Gamma ----

def aten_mvlgamma(self: Tensor, p: int) -> Tensor:
  if p < 1:
    ops.prim.RaiseException("p has to be greater than or equal to 1")
  x = self if torch.is_floating_point(self) else torch.to(self, 6)
  made = torch.full_like(x, p * (p - 1) * 0.28618247146235004)
  for i in range(p):
    made = made + torch.lgamma(x - i / 2.0)
  return made


# By reflection to 1/2 and above, by recurrence to 6 and above, and there by the asymptotic series.
def trigamma(x: Tensor) -> Tensor:
  low = x < 0.5
  sine = torch.sin(x * 3.141592653589793)
  y = torch.where(low, 1 - x, x)
  total = torch.where(low, -9.869604401089358 / (sine * sine), torch.zeros_like(x))
  for i in range(6):
    total = total + torch.reciprocal(y * y)
    y = y + 1
  z = torch.reciprocal(y * y)
  total = total + (1 + 0.5 / y + z * (1 / 6 - z * (1 / 30 - z * (1 / 42)))) / y
  return torch.where(low, -total, total)


def aten_polygamma(n: int, self: Tensor) -> Tensor:
  if n < 0:
    ops.prim.RaiseException("polygamma(n, x) does not support negative n.")
  if n == 0:
    return torch.digamma(self)
  if n == 1:
    kind = self.dtype if torch.is_floating_point(self) else 6
    return torch.to(trigamma(torch.to(self, 6 if kind == 5 or kind == 15 else kind)), kind)
  front = -1.0
  for k in range(1, n + 1):
    front = front * -k
  return torch.special_zeta(float(n + 1), self) * front


# ---- Filling ----

def aten_fill_Scalar(self: Tensor, value: number) -> Tensor:
  return torch.full_like(self, value)


def aten_fill_Tensor(self: Tensor, value: Tensor) -> Tensor:
  return torch.fill_(torch.empty_like(self), value)


def aten__no_grad_fill_(tensor: Tensor, val: float) -> Tensor:
  return torch.fill_(tensor, val)


def aten__no_grad_zero_(tensor: Tensor) -> Tensor:
  return torch.zero_(tensor)


def aten_chalf(self: Tensor, memory_format: Optional[int]) -> Tensor:
  return torch.to(self, 8)

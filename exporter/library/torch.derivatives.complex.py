# Derivatives of what makes complex numbers of real ones, takes them apart, or depends on their size and angle. Between
# a request and its answer gradients are conjugates of PyTorch's (given_gradient and constant turn them): formulas of
# operators that have a complex derivative are then those of real numbers, without a conjugate. See torch.derivatives.

def aten_real__self(grad: Tensor, self: Tensor) -> Tensor:
  return torch.type_as(grad, self)

def aten_imag__self(grad: Tensor) -> Tensor:
  return torch.complex(torch.zeros_like(grad), torch.neg(grad))

def aten_view_as_real__self(grad: Tensor) -> Tensor:
  return torch.complex(torch.select(grad, -1, 0), torch.neg(torch.select(grad, -1, 1)))

def aten_view_as_complex__self(grad: Tensor) -> Tensor:
  return torch.view_as_real(torch.conj(grad))

# The length of each number and its direction, which is 0 at 0.
def aten_abs__self(grad: Tensor, self: Tensor) -> Tensor:
  return torch.mul(grad, torch.conj(torch.sgn(self)))

def aten_sgn__self(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
  if not torch.is_complex(self):
    return torch.zeros_like(self)
  size = torch.abs(self)
  zero = torch.eq(size, 0)
  along = torch.mul(torch.conj(result), torch.real(torch.mul(grad, result)))
  return torch.masked_fill(torch.div(torch.sub(grad, along), torch.masked_fill(size, zero, 1)), zero, 0)

def aten_angle__self(grad: Tensor, self: Tensor) -> Tensor:
  if not torch.is_complex(self):
    return torch.zeros_like(self)
  x, y = torch.real(self), torch.imag(self)
  squares = torch.add(torch.mul(x, x), torch.mul(y, y))
  zero = torch.eq(squares, 0)
  share = torch.masked_fill(torch.div(grad, torch.masked_fill(squares, zero, 1)), zero, 0)
  return torch.complex(torch.neg(torch.mul(share, y)), torch.neg(torch.mul(share, x)))

def aten_conj__self(grad: Tensor) -> Tensor:
  return torch.conj(grad)

def aten__neg_view__self(grad: Tensor) -> Tensor:
  return torch.neg(grad)

def aten__conj__self(grad: Tensor) -> Tensor:
  return torch.conj(grad)

def aten_conj_physical__self(grad: Tensor) -> Tensor:
  return torch.conj(grad)

def aten__conj_physical__self(grad: Tensor) -> Tensor:
  return torch.conj(grad)

# ---- Fourier transforms: their matrices are symmetric ----

def aten__fft_c2c__self(grad: Tensor, dim: List[int], normalization: int, forward: bool) -> Tensor:
  return torch._fft_c2c(grad, dim, normalization, forward)

def aten__fft_r2c__self(grad: Tensor, self: Tensor, dim: List[int], normalization: int, onesided: bool) -> Tensor:
  whole = grad
  if onesided:
    last = dim[-1]
    sizes = torch.list(torch.size(grad))
    sizes[last] = torch.size(self, last) - torch.size(grad, last)
    whole = torch.cat([grad, torch.new_zeros(grad, sizes)], last)
  return torch.real(torch._fft_c2c(whole, dim, normalization, True))

# Numbers of the half that is given stand for two, but for the first, and for the last of an even number of points.
def aten__fft_c2r__self(grad: Tensor, dim: List[int], normalization: int) -> Tensor:
  half = torch.conj(torch._fft_r2c(grad, dim, normalization, True))
  last = dim[-1]
  twice = torch.size(grad, last) - torch.size(half, last)
  if twice <= 0:
    return half
  rest = torch.size(half, last) - 1 - twice
  parts = [torch.narrow(half, last, 0, 1), torch.mul(torch.narrow(half, last, 1, twice), 2), torch.narrow(half, last, 1 + twice, rest)]
  return torch.cat(parts, last)

# ---- Eigenvalues of any matrix ----

def adjoint(A: Tensor) -> Tensor:
  return torch.conj(torch.transpose(A, -2, -1))

# Vectors have the length 1, and any phase.
def tsm_eig__A(grad: Tensor, grad1: Tensor, A: Tensor, epsilon: float, vectors: bool) -> Tensor:
  w, V = ops.tsm.eig(A, epsilon, True)
  flipped = __torch__.torch.derivatives.complex.adjoint(V)
  inner = torch.diag_embed(torch.conj(grad))
  if vectors:
    of_v = torch.matmul(flipped, torch.conj(grad1))
    __torch__.torch.derivatives.linalg.check_phases(of_v, torch.zeros_like(of_v), "linalg_eig_backward: The eigenvectors in the complex case are specified up to multiplication by e^{i phi}. The specified loss function depends on this quantity, so it is ill-defined.")
    own = torch.unsqueeze(torch.real(torch.diagonal(of_v, 0, -2, -1)), -2)
    apart = torch.sub(torch.unsqueeze(torch.conj(w), -2), torch.unsqueeze(torch.conj(w), -1))
    I = torch.eye(torch.size(w, -1), dtype=w.dtype)
    turn = torch.div(torch.sub(of_v, torch.mul(torch.matmul(flipped, V), own)), torch.add(apart, I))
    inner = torch.add(inner, torch.mul(turn, torch.sub(1, I)))
  made = torch.linalg_solve(flipped, torch.matmul(inner, flipped))
  return torch.type_as(torch.conj(made), A)

# Derivatives of linear algebra; see torch.derivatives. Most of its operators are made of factorizations and triangular
# systems, whose formulas are these: of matrices [batch, m, n] in double (M. Giles, "An extended collection of matrix
# derivative results", 2008).

def adjoint(A: Tensor) -> Tensor:
  return torch.conj(torch.transpose(A, -2, -1))

def flip(A: Tensor) -> Tensor:
  return torch.transpose(A, -2, -1)

def tsm_substitute__A(grad: Tensor, A: Tensor, result: Tensor, upper: bool, unit: bool) -> Tensor:
  of_b = ops.tsm.substitute(__torch__.torch.derivatives.linalg.flip(A), grad, not upper, unit)
  made = torch.neg(torch.matmul(of_b, __torch__.torch.derivatives.linalg.flip(result)))
  return torch.triu(made, 1 if unit else 0) if upper else torch.tril(made, -1 if unit else 0)

def tsm_substitute__B(grad: Tensor, A: Tensor, upper: bool, unit: bool) -> Tensor:
  return ops.tsm.substitute(__torch__.torch.derivatives.linalg.flip(A), grad, not upper, unit)

# Of A = P L U; what is wider or longer than a square follows from the square part.
def tsm_lu__A(grad: Tensor, A: Tensor, result: Tensor, result1: Tensor, pivot: bool) -> Tensor:
  m = torch.size(A, 1)
  n = torch.size(A, 2)
  k = min(m, n)
  square = torch.narrow(torch.narrow(result, 1, 0, k), 2, 0, k)
  flipped = __torch__.torch.derivatives.linalg.flip(square)
  g = torch.narrow(torch.narrow(grad, 1, 0, k), 2, 0, k)
  lower = torch.matmul(torch.add(torch.triu(flipped, 1), torch.eye(k, dtype=A.dtype)), torch.tril(g, -1))
  upper = torch.matmul(torch.triu(g), torch.tril(flipped))
  long = torch.narrow(grad, 1, k, m - k)
  wide = torch.narrow(grad, 2, k, n - k)
  if m > k:
    upper = torch.sub(upper, torch.matmul(__torch__.torch.derivatives.linalg.flip(torch.narrow(result, 1, k, m - k)), long))
  if n > k:
    lower = torch.sub(lower, torch.matmul(wide, __torch__.torch.derivatives.linalg.flip(torch.narrow(result, 2, k, n - k))))
  phi = torch.add(torch.tril(lower, -1), torch.triu(upper))
  half = ops.tsm.substitute(flipped, phi, True, True)
  made = __torch__.torch.derivatives.linalg.flip(ops.tsm.substitute(square, __torch__.torch.derivatives.linalg.flip(half), True, False))
  if m > k:
    below = __torch__.torch.derivatives.linalg.flip(ops.tsm.substitute(square, __torch__.torch.derivatives.linalg.flip(long), True, False))
    made = torch.cat([made, below], 1)
  if n > k:
    made = torch.cat([made, ops.tsm.substitute(flipped, wide, True, True)], 2)
  if not pivot:
    return made
  order = ops.tsm.row_order(result1, m)
  return torch.scatter(made, 1, torch.expand(torch.unsqueeze(order, -1), torch.size(made)), made)

def tsm_cholesky__A(grad: Tensor, A: Tensor, result: Tensor) -> Tensor:
  flipped = __torch__.torch.derivatives.linalg.adjoint(result)
  phi = torch.tril(torch.matmul(flipped, torch.tril(torch.conj(grad))))
  both = torch.mul(torch.add(phi, __torch__.torch.derivatives.linalg.adjoint(torch.tril(phi, -1))), 0.5)
  half = ops.tsm.substitute(flipped, both, True, False)
  return torch.transpose(ops.tsm.substitute(flipped, __torch__.torch.derivatives.linalg.adjoint(half), True, False), -2, -1)

# 1 / (w[j] - w[i]), 0 on the diagonal.
def gaps(w: Tensor) -> Tensor:
  apart = torch.sub(torch.unsqueeze(w, -2), torch.unsqueeze(w, -1))
  I = torch.eye(torch.size(w, -1), dtype=w.dtype)
  return torch.div(torch.sub(1, I), torch.add(apart, I))

# Vectors of complex matrices may have any phase. The diagonals say how the result changes with it: by vectors of one
# side as much as by those of the other, or else there is no gradient. The bounds are PyTorch's.
def check_phases(of_one: Tensor, of_other: Tensor, message: str):
  if torch.is_complex(of_one):
    change = torch.imag(torch.diagonal(of_one, 0, -2, -1))
    back = torch.imag(torch.diagonal(of_other, 0, -2, -1))
    if not torch.allclose(change, back, 0.01, 0.01):
      ops.prim.RaiseException(message)

def tsm_eigh__A(grad: Tensor, grad1: Tensor, A: Tensor, upper: bool, epsilon: float, vectors: bool) -> Tensor:
  w, V = ops.tsm.eigh(A, upper, epsilon, True)
  flipped = __torch__.torch.derivatives.linalg.adjoint(V)
  inner = torch.to(torch.diag_embed(grad), V.dtype)
  if vectors:
    of_v = torch.matmul(flipped, torch.conj(grad1))
    __torch__.torch.derivatives.linalg.check_phases(of_v, torch.zeros_like(of_v), "linalg_eigh_backward: The eigenvectors in the complex case are specified up to multiplication by e^{i phi}. The specified loss function depends on this quantity, so it is ill-defined.")
    inner = torch.add(inner, torch.mul(of_v, __torch__.torch.derivatives.linalg.gaps(w)))
  return torch.conj(torch.matmul(V, torch.matmul(inner, flipped)))

# Of the singular values alone.
def tsm_svd__A(grad1: Tensor, A: Tensor) -> Tensor:
  U, S, V = ops.tsm.svd(A, True)
  length = torch.norm(U, 2, [1], True)
  unit = torch.div(U, torch.add(length, torch.eq(length, 0)))
  return torch.conj(torch.matmul(torch.mul(unit, torch.to(torch.unsqueeze(grad1, 1), U.dtype)), __torch__.torch.derivatives.linalg.adjoint(V)))

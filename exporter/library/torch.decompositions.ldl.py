# Symmetric indefinite factorization (see torch.decompositions.linalg): the diagonal pivoting of Bunch and Kaufman,
# matrix by matrix, with LAPACK's pivots: a block of one at k says where its row went, counted from 1; both rows of a
# block of two say minus where the second went.

def swapped_both(M: Tensor, k: int, a: int, b: int) -> Tensor:
  order = torch.arange(k, torch.size(M, 0))
  order[a - k] = b
  order[b - k] = a
  made = torch.clone(M)
  torch.copy_(torch.slice(torch.slice(made, 0, k), 1, k), torch.index_select(torch.index_select(torch.slice(M, 1, k), 0, order), 1, order - k))
  return made


# What pivots are compared by.
def magnitudes(z: Tensor) -> Tensor:
  return torch.abs(torch.real(z)) + torch.abs(torch.imag(z)) if torch.is_complex(z) else torch.abs(z)


def largest(values: Tensor) -> float:
  return float(torch.max(magnitudes(values))) if torch.numel(values) > 0 else 0.0


# Which row becomes the pivot of step k, and whether it is the second of a block of two. No pivot mends NaN.
def choose(M: Tensor, k: int) -> Tuple[int, bool]:
  below = torch.select(torch.slice(M, 0, k + 1), 1, k)
  here = largest(M[k, k])
  most = largest(below)
  if not here < 0.6403882032022076 * most:
    return (k, False)
  at = k + 1 + int(torch.argmax(magnitudes(below)))
  row = torch.cat([torch.slice(M[at], 0, k, at), torch.slice(M[at], 0, at + 1)])
  across = largest(row)
  if here >= 0.6403882032022076 * most * (most / across):
    return (k, False)
  return (at, largest(M[at, at]) < 0.6403882032022076 * across)


# Removes a block of one or two at k from what is below and right of it; `hermitian` conjugates.
def eliminate(M: Tensor, k: int, size: int, hermitian: bool):
  columns = torch.slice(torch.slice(M, 0, k + size), 1, k, k + size)
  block = torch.slice(torch.slice(M, 0, k, k + size), 1, k, k + size)
  across = torch.transpose(columns, 0, 1)
  if hermitian:
    across = torch.conj(across)
  factors = torch.matmul(columns, torch.linalg_inv(block)) if size == 2 else columns / block
  torch.sub_(torch.slice(torch.slice(M, 0, k + size), 1, k + size), torch.matmul(factors, across))
  torch.copy_(columns, factors)


def factor(A: Tensor, hermitian: bool) -> Tuple[Tensor, Tensor, int]:
  lower = torch.tril(A, -1)
  upper = torch.transpose(lower, 0, 1)
  M = torch.tril(A) + (torch.conj(upper) if hermitian else upper)
  n = torch.size(A, 0)
  pivots = torch.zeros([n], dtype=3)
  info = 0
  k = 0
  while k < n:
    p, is_two = choose(M, k)
    size = 2 if is_two else 1
    if not largest(torch.select(torch.slice(M, 0, k), 1, k)) > 0.0:
      info = k + 1 if info == 0 else info
    else:
      if p != k + size - 1:
        M = swapped_both(M, k, k + size - 1, p)
      eliminate(M, k, size, hermitian)
    for i in range(size):
      pivots[k + i] = -(p + 1) if is_two else p + 1
    k = k + size
  return (torch.tril(M), pivots, info)


def aten_linalg_ldl_factor_ex(self: Tensor, hermitian: bool, check_errors: bool) -> Tuple[Tensor, Tensor, Tensor]:
  __torch__.torch.decompositions.linalg.check_matrices(self, "torch.linalg.ldl_factor_ex", True)
  A = __torch__.torch.decompositions.linalg.batched(self)
  lead = torch.size(self)[0:torch.dim(self) - 2]
  n = torch.size(self, -1)
  made = torch.zeros_like(A)
  pivots = torch.zeros([torch.size(A, 0), n], dtype=3)
  infos = torch.zeros([torch.size(A, 0)], dtype=3)
  for b in range(torch.size(A, 0)):
    LD, chosen, info = factor(A[b], hermitian and torch.is_complex(self))
    made[b] = LD
    pivots[b] = chosen
    infos[b] = info
  if check_errors:
    __torch__.torch.decompositions.linalg.refuse_singular(infos, torch.dim(self), "torch.linalg.ldl_factor_ex")
  return (__torch__.torch.decompositions.linalg.unbatched(made, self), torch.reshape(pivots, lead + [n]), torch.reshape(infos, lead))


def aten_linalg_ldl_factor(self: Tensor, hermitian: bool) -> Tuple[Tensor, Tensor]:
  LD, pivots, info = torch.linalg_ldl_factor_ex(self, hermitian=hermitian, check_errors=False)
  __torch__.torch.decompositions.linalg.refuse_singular(info, torch.dim(self), "torch.linalg.ldl_factor")
  return (LD, pivots)


def swap_rows(X: Tensor, a: int, b: int):
  if a != b:
    first = torch.clone(X[a])
    X[a] = X[b]
    X[b] = first


# X with L D L^T X = B.
def solution(LD: Tensor, pivots: Tensor, B: Tensor, hermitian: bool) -> Tensor:
  X = torch.clone(B)
  n = torch.size(LD, 0)
  k = 0
  while k < n:
    size = 1 if int(pivots[k]) > 0 else 2
    p = abs(int(pivots[k])) - 1
    swap_rows(X, k + size - 1, p)
    block = torch.clone(torch.slice(torch.slice(LD, 0, k, k + size), 1, k, k + size))
    if size == 2:
      block[0, 1] = torch.conj(block[1, 0]) if hermitian else block[1, 0]
    rows = torch.slice(X, 0, k, k + size)
    torch.sub_(torch.slice(X, 0, k + size), torch.matmul(torch.slice(torch.slice(LD, 0, k + size), 1, k, k + size), rows))
    torch.copy_(rows, torch.linalg_solve(block, rows))
    k = k + size
  while k > 0:
    size = 1 if int(pivots[k - 1]) > 0 else 2
    p = abs(int(pivots[k - 1])) - 1
    columns = torch.transpose(torch.slice(torch.slice(LD, 0, k), 1, k - size, k), 0, 1)
    torch.sub_(torch.slice(X, 0, k - size, k), torch.matmul(torch.conj(columns) if hermitian else columns, torch.slice(X, 0, k)))
    swap_rows(X, k - 1, p)
    k = k - size
  return X


def aten_linalg_ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, hermitian: bool) -> Tensor:
  __torch__.torch.decompositions.linalg.check_matrices(LD, "torch.linalg.ldl_solve", True)
  if torch.dim(B) < 2 or torch.size(B, -2) != torch.size(LD, -1):
    ops.prim.RaiseException("torch.linalg.ldl_solve: Incompatible shapes of the factors and B")
  a, b = __torch__.torch.decompositions.linalg.common_batch(LD, B)
  A, X = __torch__.torch.decompositions.linalg.batched(a), torch.clone(__torch__.torch.decompositions.linalg.batched(b), memory_format=0)
  rows = torch.reshape(torch.expand(pivots, torch.size(a)[0:torch.dim(a) - 1]), [torch.size(A, 0), torch.size(LD, -1)])
  for i in range(torch.size(A, 0)):
    X[i] = solution(A[i], rows[i], X[i], hermitian and torch.is_complex(LD))
  return __torch__.torch.decompositions.linalg.unbatched(X, b)

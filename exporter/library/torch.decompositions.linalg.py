# Operators without kernels of their own, made of others (see torch.decompositions): linear algebra by textbook methods
# (Golub and Van Loan, Matrix Computations), on all matrices of a batch at once and in double precision. Factorizations
# and triangular systems are kernels (runtime/kernels/linalg/factor.c). Conventions of pivots and signs are LAPACK's.

# ---- Batches ----

def check_matrices(A: Tensor, name: str, is_square: bool):
  if torch.dim(A) < 2:
    ops.prim.RaiseException(torch.format("{}: The input tensor A must have at least 2 dimensions.", name))
  if is_square and torch.size(A, -1) != torch.size(A, -2):
    ops.prim.RaiseException(torch.format("{}: A must be batches of square matrices, but they are {} by {} matrices", name, torch.size(A, -2), torch.size(A, -1)))
  if not torch.is_floating_point(A) and not torch.is_complex(A):
    ops.prim.RaiseException(torch.format("{}: Expected a floating point or complex tensor as input.", name))


# [..., m, n] as [batch, m, n] in double.
def batched(A: Tensor) -> Tensor:
  dims = torch.dim(A)
  lead = __torch__.torch.decompositions.product(torch.size(A)[0:dims - 2])
  return torch.reshape(torch.to(A, 10 if torch.is_complex(A) else 7), [lead, torch.size(A, -2), torch.size(A, -1)])


# Back to the batch and the dtype of `like`; numbers without imaginary parts become real.
def unbatched(X: Tensor, like: Tensor) -> Tensor:
  made = torch.reshape(X, torch.size(like)[0:torch.dim(like) - 2] + torch.size(X)[1:])
  if torch.is_complex(X) or not torch.is_complex(like):
    return torch.to(made, like.dtype)
  return torch.to(made, 6 if like.dtype == 9 else 7)


def identities(A: Tensor, n: int) -> Tensor:
  return torch.to(torch.repeat(torch.unsqueeze(torch.eye(n), 0), [torch.size(A, 0), 1, 1]), A.dtype)


def adjoints(A: Tensor) -> Tensor:
  return torch.conj(torch.transpose(A, -2, -1))


# The same batch for matrices A and B.
def common_batch(A: Tensor, B: Tensor) -> Tuple[Tensor, Tensor]:
  a = torch.size(A)[0:torch.dim(A) - 2]
  b = torch.size(B)[0:torch.dim(B) - 2]
  if a == b:
    return (A, B)
  both = torch.size(torch.broadcast_tensors([torch.expand(torch.zeros([]), a), torch.expand(torch.zeros([]), b)])[0])
  return (torch.expand(A, both + torch.size(A)[len(a):]), torch.expand(B, both + torch.size(B)[len(b):]))


def epsilon(A: Tensor) -> float:
  return 1.1920928955078125e-07 if A.dtype == 6 or A.dtype == 9 else 2.220446049250313e-16


# ---- Triangular systems ----

def aten_linalg_solve_triangular(self: Tensor, B: Tensor, upper: bool, left: bool, unitriangular: bool) -> Tensor:
  check_matrices(self, "linalg.solve_triangular", True)
  check_matrices(B, "linalg.solve_triangular", False)
  if torch.size(B, -2 if left else -1) != torch.size(self, -1):
    ops.prim.RaiseException("linalg.solve_triangular: Incompatible shapes of A and B")
  a, b = common_batch(self, B)
  if not left:
    a, b = torch.transpose(a, -2, -1), torch.transpose(b, -2, -1)
  X = ops.tsm.substitute(batched(a), batched(b), upper == left, unitriangular)
  made = unbatched(X, b)
  return made if left else torch.transpose(made, -2, -1)


def aten_triangular_solve(self: Tensor, A: Tensor, upper: bool, transpose: bool, unitriangular: bool) -> Tuple[Tensor, Tensor]:
  a = torch.transpose(A, -2, -1) if transpose else A
  return (torch.linalg_solve_triangular(a, self, upper=upper != transpose, left=True, unitriangular=unitriangular), torch.clone(A))


# ---- Factorizations that failed: info, of which `dims` is the matrices' number of dimensions, says where ----

def first_failed(info: Tensor) -> int:
  return int(torch.nonzero(torch.flatten(info))[0][0])


def lone_place(dims: int) -> str:
  return "" if dims == 2 else "(Batch element 0): "


def refuse_singular(info: Tensor, dims: int, name: str):
  if bool(torch.any(info != 0)):
    if torch.numel(info) == 1:
      ops.prim.RaiseException(torch.format("{}: {}The diagonal element {} is zero, the inversion could not be completed because the input matrix is singular.", name, lone_place(dims), int(info)))
    first = first_failed(info)
    ops.prim.RaiseException(torch.format("{}: (Batch element {}): The diagonal element {} is zero, the inversion could not be completed because the input matrix is singular.", name, first, int(torch.flatten(info)[first])))


def refuse_unsolvable(info: Tensor, dims: int):
  if bool(torch.any(info != 0)):
    if torch.numel(info) == 1:
      ops.prim.RaiseException(torch.format("torch.linalg.solve: {}The solver failed because the input matrix is singular.", lone_place(dims)))
    ops.prim.RaiseException(torch.format("torch.linalg.solve: (Batch element {}): The solver failed because the input matrix is singular.", first_failed(info)))


def refuse_zero_pivot(info: Tensor, dims: int, name: str):
  if bool(torch.any(info != 0)):
    if torch.numel(info) == 1:
      ops.prim.RaiseException(torch.format("{}: {}U[{},{}] is zero and using it on lu_solve would result in a division by zero. If you still want to perform the factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)", name, lone_place(dims), int(info), int(info)))
    first = first_failed(info)
    order = int(torch.flatten(info)[first])
    ops.prim.RaiseException(torch.format("{}: (Batch element {}): U[{},{}] is zero and using it on lu_solve would result in a division by zero. If you still want to perform the factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)", name, first, order, order))


def refuse_indefinite(info: Tensor, dims: int, name: str):
  if bool(torch.any(info != 0)):
    if torch.numel(info) == 1:
      ops.prim.RaiseException(torch.format("{}: {}The factorization could not be completed because the input is not positive-definite (the leading minor of order {} is not positive-definite).", name, lone_place(dims), int(info)))
    first = first_failed(info)
    ops.prim.RaiseException(torch.format("{}: (Batch element {}): The factorization could not be completed because the input is not positive-definite (the leading minor of order {} is not positive-definite).", name, first, int(torch.flatten(info)[first])))


# ---- LU ----

def unit_lower(LU: Tensor) -> Tensor:
  k = min(torch.size(LU, -2), torch.size(LU, -1))
  return torch.tril(torch.narrow(LU, -1, 0, k), -1) + torch.to(torch.eye(torch.size(LU, -2), k), LU.dtype)


# Rows exchanged as the pivots say, or back.
def exchanged(B: Tensor, pivots: Tensor, back: bool) -> Tensor:
  order = ops.tsm.row_order(pivots, torch.size(B, 1))
  at = torch.expand(torch.unsqueeze(order, -1), torch.size(B))
  return torch.scatter(B, 1, at, B) if back else torch.gather(B, 1, at)


def lu_solution(LU: Tensor, pivots: Tensor, B: Tensor, adjoint: bool) -> Tensor:
  if adjoint:
    flipped = adjoints(LU)
    Y = ops.tsm.substitute(flipped, B, False, False)
    return exchanged(ops.tsm.substitute(flipped, Y, True, True), pivots, True)
  Y = ops.tsm.substitute(LU, exchanged(B, pivots, False), False, True)
  return ops.tsm.substitute(LU, Y, True, False)


def aten_linalg_lu_factor_ex(A: Tensor, pivot: bool, check_errors: bool) -> Tuple[Tensor, Tensor, Tensor]:
  check_matrices(A, "torch.lu_factor", False)
  LU, pivots, info = ops.tsm.lu(batched(A), pivot)
  if check_errors:
    refuse_zero_pivot(info, torch.dim(A), "torch.linalg.lu_factor_ex")
  lead = torch.size(A)[0:torch.dim(A) - 2]
  return (unbatched(LU, A), torch.reshape(pivots, lead + [torch.size(pivots, 1)]), torch.reshape(info, lead))


def aten_linalg_lu_factor(A: Tensor, pivot: bool) -> Tuple[Tensor, Tensor]:
  LU, pivots, info = torch.linalg_lu_factor_ex(A, pivot=pivot, check_errors=False)
  refuse_zero_pivot(info, torch.dim(A), "torch.linalg.lu_factor")
  return (LU, pivots)


def aten__lu_with_info(self: Tensor, pivot: bool, check_errors: bool) -> Tuple[Tensor, Tensor, Tensor]:
  return torch.linalg_lu_factor_ex(self, pivot=pivot, check_errors=check_errors)


def aten_lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool, unpack_pivots: bool) -> Tuple[Tensor, Tensor, Tensor]:
  m = torch.size(LU_data, -2)
  none = torch.zeros([0], dtype=LU_data.dtype)
  P = none
  if unpack_pivots:
    lead = __torch__.torch.decompositions.product(torch.size(LU_pivots)[0:torch.dim(LU_pivots) - 1])
    rows = torch.reshape(LU_pivots, [lead, torch.size(LU_pivots, -1)])
    made = exchanged(identities(torch.to(rows, 7), m), rows, True)
    P = unbatched(torch.to(made, LU_data.dtype), LU_data)
  if not unpack_data:
    return (P, none, none)
  return (P, unit_lower(LU_data), torch.triu(torch.narrow(LU_data, -2, 0, min(m, torch.size(LU_data, -1)))))


def aten_linalg_lu(A: Tensor, pivot: bool) -> Tuple[Tensor, Tensor, Tensor]:
  LU, pivots, info = torch.linalg_lu_factor_ex(A, pivot=pivot, check_errors=False)
  P, L, U = torch.lu_unpack(LU, pivots, True, pivot)
  return (P, L, U)


def aten_linalg_lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, left: bool, adjoint: bool) -> Tensor:
  check_matrices(LU, "torch.linalg.lu_solve", True)
  if torch.size(B, -2 if left else -1) != torch.size(LU, -1):
    ops.prim.RaiseException("linalg.lu_solve: Incompatible shapes of A and B")
  # X A = B is A^H X^H = B^H
  a, b = common_batch(LU, B if left else adjoints(B))
  A = batched(a)
  rows = torch.reshape(torch.expand(pivots, torch.size(a)[0:torch.dim(a) - 1]), [torch.size(A, 0), torch.size(pivots, -1)])
  X = lu_solution(A, rows, batched(b), adjoint == left)
  made = unbatched(X, b)
  return made if left else adjoints(made)


def aten_lu_solve(self: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
  return torch.linalg_lu_solve(LU_data, LU_pivots, self)


def aten_linalg_solve_ex(A: Tensor, B: Tensor, left: bool, check_errors: bool) -> Tuple[Tensor, Tensor]:
  check_matrices(A, "linalg.solve", True)
  vectors = torch.dim(B) == 1 or (torch.dim(A) - 1 == torch.dim(B) and torch.size(B) == torch.size(A)[0:torch.dim(A) - 1])
  b = torch.unsqueeze(B, -1) if vectors else B
  if torch.size(b, -2 if left or vectors else -1) != torch.size(A, -1):
    ops.prim.RaiseException(torch.format("linalg.solve: Incompatible shapes of A and B for the equation {}", "AX = B" if left else "XA = B"))
  LU, pivots, info = torch.linalg_lu_factor_ex(torch.to(A, 10 if torch.is_complex(A) else 7), pivot=True, check_errors=False)
  if check_errors:
    refuse_unsolvable(info, torch.dim(A))
  X = torch.to(torch.linalg_lu_solve(LU, pivots, torch.to(b, LU.dtype), left=left or vectors, adjoint=False), A.dtype)
  return (torch.squeeze(X, -1) if vectors else X, info)


# Matrices as PyTorch lays them: by columns. Programs of core ATen, which alone call the operators with this in their
# results, view them without asking how they lie.
def by_columns(matrices: Tensor) -> Tensor:
  return torch.transpose(torch.contiguous(torch.transpose(matrices, -2, -1)), -2, -1)


# What linalg_solve is in core ATen; the factors of real matrices that lie by rows are those of their transposes.
def aten__linalg_solve_ex(A: Tensor, B: Tensor, left: bool, check_errors: bool) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
  X, info = torch.linalg_solve_ex(A, B, left=left, check_errors=check_errors)
  is_turned = torch.is_contiguous(A) and not torch.is_complex(A)
  LU, pivots, _0 = torch.linalg_lu_factor_ex(torch.transpose(A, -2, -1) if is_turned else A, pivot=True, check_errors=False)
  return (by_columns(X) if left and torch.dim(X) > 1 else torch.contiguous(X), by_columns(LU), pivots, info)


def aten_linalg_solve(A: Tensor, B: Tensor, left: bool) -> Tensor:
  X, _0 = torch.linalg_solve_ex(A, B, left=left, check_errors=True)
  return X


def inverted(A: Tensor, check_errors: bool, name: str) -> Tuple[Tensor, Tensor]:
  check_matrices(A, "linalg.inv", True)
  a = batched(A)
  LU, pivots, info = ops.tsm.lu(a, True)
  if check_errors:
    refuse_singular(info, torch.dim(A), name)
  X = lu_solution(LU, pivots, identities(a, torch.size(A, -1)), False)
  return (unbatched(X, A), torch.reshape(info, torch.size(A)[0:torch.dim(A) - 2]))


def aten_linalg_inv_ex(A: Tensor, check_errors: bool) -> Tuple[Tensor, Tensor]:
  return inverted(A, check_errors, "linalg.inv_ex")


def aten_linalg_inv(A: Tensor) -> Tensor:
  X, _0 = inverted(A, True, "linalg.inv")
  return X


def aten_inverse(self: Tensor) -> Tensor:
  return torch.linalg_inv(self)


def permutation_sign(pivots: Tensor) -> Tensor:
  moved = pivots != torch.arange(1, torch.size(pivots, 1) + 1)
  return 1 - torch.remainder(torch.sum(moved, [1]), 2) * 2


def aten_linalg_det(A: Tensor) -> Tensor:
  check_matrices(A, "linalg.det", True)
  LU, pivots, _0 = ops.tsm.lu(batched(A), True)
  made = torch.prod(torch.diagonal(LU, 0, 1, 2), 1) * permutation_sign(pivots)
  return torch.to(torch.reshape(made, torch.size(A)[0:torch.dim(A) - 2]), A.dtype)


def aten_det(self: Tensor) -> Tensor:
  return torch.linalg_det(self)


def aten_linalg_slogdet(A: Tensor) -> Tuple[Tensor, Tensor]:
  check_matrices(A, "linalg.slogdet", True)
  LU, pivots, _0 = ops.tsm.lu(batched(A), True)
  d = torch.diagonal(LU, 0, 1, 2)
  sign = torch.prod(torch.sgn(d), 1) * permutation_sign(pivots)
  lead = torch.size(A)[0:torch.dim(A) - 2]
  size = torch.reshape(torch.sum(torch.log(torch.abs(d)), [1]), lead)
  return (torch.to(torch.reshape(sign, lead), A.dtype), torch.to(size, 6 if A.dtype == 6 or A.dtype == 9 else 7))


def aten_slogdet(self: Tensor) -> Tuple[Tensor, Tensor]:
  return torch.linalg_slogdet(self)


def aten_logdet(self: Tensor) -> Tensor:
  sign, size = torch.linalg_slogdet(self)
  if torch.is_complex(self):
    return size + torch.log(sign)
  return torch.where(sign == -1, torch.full_like(size, nan), size)


# ---- Cholesky ----

def lower_factor(self: Tensor, upper: bool, check_errors: bool, name: str) -> Tuple[Tensor, Tensor]:
  A = adjoints(self) if upper else self
  L, info = ops.tsm.cholesky(batched(A))
  if check_errors:
    refuse_indefinite(info, torch.dim(self), name)
  made = unbatched(L, self)
  return (adjoints(made) if upper else made, torch.reshape(info, torch.size(self)[0:torch.dim(self) - 2]))


def aten_linalg_cholesky_ex(self: Tensor, upper: bool, check_errors: bool) -> Tuple[Tensor, Tensor]:
  check_matrices(self, "linalg.cholesky", True)
  return lower_factor(self, upper, check_errors, "linalg.cholesky_ex")


def aten_linalg_cholesky(self: Tensor, upper: bool) -> Tensor:
  check_matrices(self, "linalg.cholesky", True)
  L, _0 = lower_factor(self, upper, True, "linalg.cholesky")
  return L


def aten_cholesky(self: Tensor, upper: bool) -> Tensor:
  check_matrices(self, "cholesky", True)
  L, _0 = lower_factor(self, upper, True, "cholesky")
  return L


def aten_cholesky_solve(self: Tensor, input2: Tensor, upper: bool) -> Tensor:
  L = adjoints(input2) if upper else input2
  Y = torch.linalg_solve_triangular(L, self, upper=False)
  return torch.linalg_solve_triangular(adjoints(L), Y, upper=True)


def aten_cholesky_inverse(self: Tensor, upper: bool) -> Tensor:
  check_matrices(self, "cholesky_inverse", True)
  if bool(torch.any(torch.diagonal(self, 0, -2, -1) == 0)):
    ops.prim.RaiseException("cholesky_inverse: the inversion could not be completed because the input matrix is singular.")
  I = torch.expand(torch.to(torch.eye(torch.size(self, -1)), self.dtype), torch.size(self))
  return torch.cholesky_solve(I, self, upper)


# ---- QR by Householder's reflections ----

def aten_geqrf(self: Tensor) -> Tuple[Tensor, Tensor]:
  check_matrices(self, "torch.geqrf", False)
  R, tau = ops.tsm.geqrf(batched(self))
  return (unbatched(R, self), unbatched(tau, self))


def aten_linalg_householder_product(input: Tensor, tau: Tensor) -> Tensor:
  check_matrices(input, "torch.linalg.householder_product", False)
  if torch.size(input, -2) < torch.size(input, -1) or torch.size(input, -1) < torch.size(tau, -1):
    ops.prim.RaiseException("torch.linalg.householder_product: input.shape[-2] must be greater than or equal to input.shape[-1], and that to tau.shape[-1]")
  V = batched(input)
  factors = torch.to(torch.reshape(tau, [torch.size(V, 0), torch.size(tau, -1)]), V.dtype)
  return unbatched(ops.tsm.reflections(V, factors, torch.size(V, 2)), input)


def aten_orgqr(self: Tensor, input2: Tensor) -> Tensor:
  return torch.linalg_householder_product(self, input2)


def aten_ormqr(self: Tensor, input2: Tensor, input3: Tensor, left: bool, transpose: bool) -> Tensor:
  V = batched(self)
  factors = torch.to(torch.reshape(input2, [torch.size(V, 0), torch.size(input2, -1)]), V.dtype)
  Q = unbatched(ops.tsm.reflections(V, factors, torch.size(V, 1)), self)
  if transpose:
    Q = adjoints(Q)
  return torch.matmul(Q, input3) if left else torch.matmul(input3, Q)


def aten_linalg_qr(A: Tensor, mode: str) -> Tuple[Tensor, Tensor]:
  check_matrices(A, "linalg.qr", False)
  if mode != "reduced" and mode != "complete" and mode != "r":
    ops.prim.RaiseException(torch.format("qr received unrecognized mode '{}' but expected one of 'reduced' (default), 'r', or 'complete'", mode))
  R, tau = ops.tsm.geqrf(batched(A))
  m = torch.size(A, -2)
  columns = m if mode == "complete" else min(m, torch.size(A, -1))
  upper = unbatched(torch.triu(torch.narrow(R, 1, 0, columns)), A)
  if mode == "r":
    return (torch.zeros([0], dtype=A.dtype), upper)
  return (unbatched(ops.tsm.reflections(R, tau, columns), A), upper)


def aten_qr(self: Tensor, some: bool) -> Tuple[Tensor, Tensor]:
  return torch.linalg_qr(self, "reduced" if some else "complete")


# ---- Eigenvalues of Hermitian matrices ----

# Without vectors their tensor is empty.
def hermitian_pair(A: Tensor, UPLO: str, name: str, vectors: bool) -> Tuple[Tensor, Tensor]:
  check_matrices(A, name, True)
  if UPLO != "L" and UPLO != "U" and UPLO != "l" and UPLO != "u":
    ops.prim.RaiseException(torch.format("Expected UPLO argument to be 'L' or 'U', but got {}", UPLO))
  w, V = ops.tsm.eigh(torch.contiguous(batched(A)), UPLO == "U" or UPLO == "u", epsilon(A) * 0.5, vectors)
  return (unbatched(w, A), unbatched(V, A) if vectors else torch.zeros([0], dtype=A.dtype))


def aten_linalg_eigh(self: Tensor, UPLO: str) -> Tuple[Tensor, Tensor]:
  return hermitian_pair(self, UPLO, "linalg.eigh", True)


def aten_linalg_eigvalsh(self: Tensor, UPLO: str) -> Tensor:
  w, _0 = hermitian_pair(self, UPLO, "linalg.eigvalsh", False)
  return w


def aten_symeig(self: Tensor, eigenvectors: bool, upper: bool) -> Tuple[Tensor, Tensor]:
  return hermitian_pair(self, "U" if upper else "L", "symeig", eigenvectors or torch.numel(self) == 0)


# ---- Singular values ----

# Columns of U divided by their lengths; as many more as wanted, and those without a length, complete an orthonormal
# basis.
def orthonormal(U: Tensor, S: Tensor, columns: int) -> Tensor:
  R, tau = ops.tsm.geqrf(U)
  Q = ops.tsm.reflections(R, tau, columns)
  d = torch.sgn(torch.diagonal(R, 0, 1, 2))
  signs = torch.where(d == 0, torch.ones_like(d), d)
  more = torch.ones([torch.size(U, 0), columns - torch.size(U, 2)], dtype=U.dtype)
  return Q * torch.unsqueeze(torch.cat([signs, more], 1), 1)


def check_no_nan(A: Tensor):
  bad = torch.any(torch.any(torch.isnan(batched(A)), 2), 1)
  if bool(torch.any(bad)):
    which = torch.format("(Batch element {}): ", int(torch.nonzero(bad)[0, 0])) if torch.dim(A) > 2 else ""
    ops.prim.RaiseException(torch.format("linalg.svd: {}The algorithm failed to converge because the input matrix contained non-finite values.", which))


def singular_values(A: Tensor) -> Tensor:
  check_no_nan(A)
  a = batched(A)
  tall = torch.size(A, -2) >= torch.size(A, -1)
  _0, S, _1 = ops.tsm.svd(torch.contiguous(a if tall else adjoints(a)), False)
  return S


def aten_linalg_svd(A: Tensor, full_matrices: bool, driver: Optional[str]) -> Tuple[Tensor, Tensor, Tensor]:
  check_matrices(A, "linalg.svd", False)
  check_no_nan(A)
  m, n = torch.size(A, -2), torch.size(A, -1)
  a = batched(A)
  U, S, V = ops.tsm.svd(torch.contiguous(a if m >= n else adjoints(a)), True, epsilon(A))
  U = orthonormal(U, S, max(m, n) if full_matrices else min(m, n))
  left = U if m >= n else V
  right = V if m >= n else U
  return (unbatched(left, A), unbatched(S, A), unbatched(adjoints(right), A))


def aten_linalg_svdvals(A: Tensor, driver: Optional[str]) -> Tensor:
  check_matrices(A, "linalg.svdvals", False)
  return unbatched(singular_values(A), A)


def aten_svd(self: Tensor, some: bool, compute_uv: bool) -> Tuple[Tensor, Tensor, Tensor]:
  U, S, Vh = torch.linalg_svd(self, not some)
  if not compute_uv:
    return (torch.zeros_like(U), S, torch.zeros_like(Vh))
  return (U, S, adjoints(Vh))


# ---- What singular values tell ----

# |eigenvalues| of Hermitian matrices, or singular values; descending.
def spectrum(A: Tensor, hermitian: bool) -> Tensor:
  if not hermitian:
    return unbatched(singular_values(A), A)
  S, _0 = torch.sort(torch.abs(torch.linalg_eigvalsh(A, "L")), -1, True)
  return S


# Below this a singular value counts as 0.
def threshold(A: Tensor, S: Tensor, atol: Optional[Tensor], rtol: Optional[Tensor]) -> Tensor:
  most = torch.amax(S, [-1]) if torch.size(S, -1) > 0 else torch.sum(S, [-1])
  usual = epsilon(A) * max(torch.size(A, -2), torch.size(A, -1))
  low = torch.zeros([], dtype=S.dtype) if atol is None else torch.to(atol, S.dtype)
  if rtol is not None:
    part = torch.to(rtol, S.dtype)
  elif atol is None:
    part = torch.full([], usual, dtype=S.dtype)
  else:
    part = torch.where(low > 0, torch.zeros_like(low), torch.full_like(low, usual))
  return torch.maximum(low, part * most)


def scalar_or_none(v: Optional[float]) -> Optional[Tensor]:
  return None if v is None else torch.full([], v, dtype=7)


def aten_linalg_matrix_rank_atol_rtol_tensor(input: Tensor, atol: Optional[Tensor], rtol: Optional[Tensor], hermitian: bool) -> Tensor:
  check_matrices(input, "linalg.matrix_rank", hermitian)
  if torch.numel(input) == 0:
    return torch.zeros(torch.size(input)[0:torch.dim(input) - 2], dtype=4)
  S = spectrum(input, hermitian)
  return torch.sum(S > torch.unsqueeze(threshold(input, S, atol, rtol), -1), [-1])


def aten_linalg_matrix_rank_atol_rtol_float(self: Tensor, atol: Optional[float], rtol: Optional[float], hermitian: bool) -> Tensor:
  return torch.linalg_matrix_rank(self, atol=scalar_or_none(atol), rtol=scalar_or_none(rtol), hermitian=hermitian)


def aten_linalg_matrix_rank(self: Tensor, tol: float, hermitian: bool) -> Tensor:
  return torch.linalg_matrix_rank(self, atol=torch.full([], tol), rtol=torch.zeros([]), hermitian=hermitian)


def aten_linalg_matrix_rank_tol_tensor(input: Tensor, tol: Tensor, hermitian: bool) -> Tensor:
  if torch.is_complex(tol):
    ops.prim.RaiseException("torch.linalg.matrix_rank: atol tensor of complex type is not supported.")
  return torch.linalg_matrix_rank(input, atol=tol, rtol=torch.zeros([]), hermitian=hermitian)


def aten_linalg_pinv_atol_rtol_tensor(self: Tensor, atol: Optional[Tensor], rtol: Optional[Tensor], hermitian: bool) -> Tensor:
  check_matrices(self, "linalg.pinv", hermitian)
  if torch.numel(self) == 0:
    return torch.zeros(torch.size(torch.transpose(self, -2, -1)), dtype=self.dtype)
  if hermitian:
    w, V = torch.linalg_eigh(self, "L")
    far = torch.abs(w) > torch.unsqueeze(threshold(self, torch.abs(w), atol, rtol), -1)
    inverse = torch.where(far, 1 / torch.where(far, w, torch.ones_like(w)), torch.zeros_like(w))
    return torch.matmul(V * torch.unsqueeze(inverse, -2), adjoints(V))
  U, S, Vh = torch.linalg_svd(self, False)
  far = S > torch.unsqueeze(threshold(self, S, atol, rtol), -1)
  inverse = torch.where(far, 1 / torch.where(far, S, torch.ones_like(S)), torch.zeros_like(S))
  return torch.matmul(adjoints(Vh) * torch.unsqueeze(inverse, -2), adjoints(U))


def aten_linalg_pinv_atol_rtol_float(self: Tensor, atol: Optional[float], rtol: Optional[float], hermitian: bool) -> Tensor:
  return torch.linalg_pinv(self, atol=scalar_or_none(atol), rtol=scalar_or_none(rtol), hermitian=hermitian)


def aten_linalg_pinv(self: Tensor, rcond: float, hermitian: bool) -> Tensor:
  return torch.linalg_pinv(self, atol=torch.zeros([]), rtol=torch.full([], rcond, dtype=7), hermitian=hermitian)


def aten_linalg_pinv_rcond_tensor(self: Tensor, rcond: Tensor, hermitian: bool) -> Tensor:
  if torch.is_complex(rcond):
    ops.prim.RaiseException("torch.linalg.pinv: rcond tensor of complex type is not supported.")
  return torch.linalg_pinv(self, atol=torch.zeros([]), rtol=rcond, hermitian=hermitian)


def aten_pinverse(self: Tensor, rcond: float) -> Tensor:
  return torch.linalg_pinv(self, rcond, False)


# X of the least squares |A X - B|, and of the smallest size where there are several, for matrices of full rank; R and
# tau are those of A, or, where it is not `tall`, of its adjoints.
def full_rank_solution(R: Tensor, tau: Tensor, tall: bool, B: Tensor) -> Tensor:
  k = torch.size(tau, 1)
  Q = ops.tsm.reflections(R, tau, k)
  upper = torch.narrow(R, 1, 0, k)
  if tall:
    return ops.tsm.substitute(upper, torch.matmul(adjoints(Q), B), True, False)
  return torch.matmul(Q, ops.tsm.substitute(adjoints(upper), B, False, False))


# Whether all singular values are surely above `cut` times the greatest, which the inverse of R says for a fraction of
# what they cost. The second number keeps out inverses that rounding may have changed; what is not finite says nothing.
def is_surely_full(R: Tensor, cut: float) -> bool:
  k = torch.size(R, 2)
  upper = torch.triu(torch.narrow(R, 1, 0, k))
  unit = torch.contiguous(torch.expand(torch.eye(k, dtype=R.dtype), torch.size(upper)))
  inverse = ops.tsm.substitute(upper, unit, True, False)
  spread = torch.norm(torch.flatten(inverse, 1), 2, [1]) * torch.norm(torch.flatten(upper, 1), 2, [1])
  return bool(torch.all(spread * (cut * 2.0 + k * 1e-14) < 1))


# gels wants full rank; without it the others give what singular values above the cut tell.
def aten_linalg_lstsq(self: Tensor, b: Tensor, rcond: Optional[float], driver: Optional[str]) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
  check_matrices(self, "torch.linalg.lstsq", False)
  m, n = torch.size(self, -2), torch.size(self, -1)
  vectors = torch.dim(self) - 1 == torch.dim(b)
  right = torch.unsqueeze(b, -1) if vectors else b
  if torch.size(right, -2) != m:
    ops.prim.RaiseException("torch.linalg.lstsq: input.size(-2) should match other.size(-2)")
  name = "gelsy" if driver is None else driver
  cut = epsilon(self) * max(m, n) if rcond is None else rcond
  a, other = common_batch(self, right)
  wide = torch.to(a, 10 if torch.is_complex(self) else 7)
  B = torch.to(other, wide.dtype)
  none = torch.zeros([0], dtype=6 if self.dtype == 6 or self.dtype == 9 else 7)
  rank = torch.zeros([0], dtype=4)
  A = batched(a)
  R, tau = ops.tsm.geqrf(A if m >= n else adjoints(A))
  S = none
  if (name == "gels" or name == "gelsy") and torch.numel(self) > 0 and is_surely_full(R, cut):
    found = torch.full(torch.size(self)[0:torch.dim(self) - 2], min(m, n), dtype=4)
  else:
    S = torch.linalg_svdvals(self)
    found = torch.sum(S > torch.unsqueeze(threshold(self, S, torch.zeros([]), torch.full([], cut, dtype=7)), -1), [-1])
  solvable = bool(torch.all(found == min(m, n)))
  full = True
  if name != "gels":
    rank = found
    full = bool(torch.all(rank == n))
  elif not solvable and bool(torch.any(self != 0)):
    ops.prim.RaiseException("torch.linalg.lstsq: The least squares solution could not be computed because the input matrix does not have full rank")
  if name == "gels" or name == "gelsy":
    S = none
  if solvable:
    X = torch.reshape(full_rank_solution(R, tau, m >= n, batched(B)), torch.size(a)[0:torch.dim(a) - 2] + [n, torch.size(B, -1)])
  else:
    X = torch.matmul(torch.linalg_pinv(wide, cut, False), B)
  residuals = none
  if m > n and full and name != "gelsy":
    misses = torch.sum(torch.pow(torch.abs(torch.matmul(wide, X) - B), 2), [-2])
    residuals = torch.to(misses, none.dtype)
  X = torch.to(X, self.dtype)
  return (torch.squeeze(X, -1) if vectors else X, residuals, rank, S)


# ---- Norms ----

# The matrices of which norms are asked; singular values are not calculated in low precision.
def matrices_of(self: Tensor, dim: List[int], dtype: Optional[int], has_singular_values: bool) -> Tensor:
  if torch.dim(self) < 2:
    ops.prim.RaiseException("linalg.matrix_norm: The input tensor A must have at least 2 dimensions.")
  if not torch.is_floating_point(self) and not torch.is_complex(self):
    ops.prim.RaiseException(torch.format("linalg.matrix_norm: Expected a floating point or complex tensor as input. Got {}",
                                         __torch__.torch.decompositions.derived.dtype_name(self.dtype)))
  if has_singular_values and (self.dtype == 5 or self.dtype == 15):
    ops.prim.RaiseException(torch.format("linalg.matrix_norm: Low precision dtypes not supported. Got {}",
                                         __torch__.torch.decompositions.derived.dtype_name(self.dtype)))
  if len(dim) != 2:
    ops.prim.RaiseException(torch.format("linalg.matrix_norm: dim must be a 2-tuple. Got {}", dim))
  return torch.movedim(self if dtype is None else torch.to(self, dtype), dim, [-2, -1])


def restored(norms: Tensor, self: Tensor, dim: List[int], keepdim: bool) -> Tensor:
  if not keepdim:
    return norms
  shape = torch.size(self)
  shape[dim[0]] = 1
  shape[dim[1]] = 1
  return torch.reshape(norms, shape)


def aten_linalg_matrix_norm(self: Tensor, ord: number, dim: List[int], keepdim: bool, dtype: Optional[int]) -> Tensor:
  p = float(ord)
  M = matrices_of(self, dim, dtype, abs(p) == 2.0)
  if abs(p) == 2.0:
    S = torch.linalg_svdvals(M)
    made = torch.amax(S, [-1]) if p > 0.0 else torch.amin(S, [-1])
  else:
    if abs(p) != 1.0 and abs(p) != inf:
      ops.prim.RaiseException(torch.format("linalg.matrix_norm: Order {} not supported.", ord))
    sums = torch.sum(torch.abs(M), [-2 if abs(p) == 1.0 else -1])
    made = torch.amax(sums, [-1]) if p > 0.0 else torch.amin(sums, [-1])
  return restored(made, self, dim, keepdim)


def aten_linalg_matrix_norm_str_ord(self: Tensor, ord: str, dim: List[int], keepdim: bool, dtype: Optional[int]) -> Tensor:
  if ord != "fro" and ord != "nuc":
    ops.prim.RaiseException(torch.format("linalg.matrix_norm: Order {} not supported.", ord))
  M = matrices_of(self, dim, dtype, ord == "nuc")
  if ord == "fro":
    return torch.norm(self if dtype is None else torch.to(self, dtype), 2, dim, keepdim)
  S = torch.linalg_svdvals(M)
  return restored(torch.sum(S, [-1]), self, dim, keepdim)


def aten_linalg_norm(self: Tensor, ord: Optional[number], dim: Optional[List[int]], keepdim: bool, dtype: Optional[int]) -> Tensor:
  if ord is not None:
    if dim is None and torch.dim(self) == 2:
      return torch.linalg_matrix_norm(self, ord, [0, 1], keepdim, dtype=dtype)
    if dim is not None:
      if len(dim) == 2:
        return torch.linalg_matrix_norm(self, ord, dim, keepdim, dtype=dtype)
    if dim is None and torch.dim(self) > 2:
      ops.prim.RaiseException("linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D.")
    return torch.linalg_vector_norm(self, ord, dim, keepdim, dtype=dtype)
  if dim is None:
    made = torch.linalg_vector_norm(torch.flatten(self), 2, None, False, dtype=dtype)
    return torch.reshape(made, [1 for i in range(torch.dim(self))]) if keepdim else made
  return torch.linalg_vector_norm(self, 2, dim, keepdim, dtype=dtype)


def aten_linalg_norm_ord_str(self: Tensor, ord: str, dim: Optional[List[int]], keepdim: bool, dtype: Optional[int]) -> Tensor:
  if dim is None and torch.dim(self) > 2:
    ops.prim.RaiseException(torch.format("linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {}D.", torch.dim(self)))
  return torch.linalg_matrix_norm(self, ord, [-2, -1] if dim is None else dim, keepdim, dtype=dtype)


def aten_nuclear_norm(self: Tensor, keepdim: bool) -> Tensor:
  if torch.dim(self) != 2:
    ops.prim.RaiseException(torch.format("Expected a tensor with 2 dimensions, but got a tensor with {} dimensions instead.", torch.dim(self)))
  return torch.linalg_matrix_norm(self, "nuc", [0, 1], keepdim)


def aten_nuclear_norm_dim(self: Tensor, dim: List[int], keepdim: bool) -> Tensor:
  return torch.linalg_matrix_norm(self, "nuc", dim, keepdim)


def aten_linalg_cond(self: Tensor, p: Optional[number]) -> Tensor:
  q = 2.0
  if p is not None:
    q = float(p)
  if q == 2.0 or q == -2.0:
    S = torch.linalg_svdvals(self)
    low, high = torch.amin(S, [-1]), torch.amax(S, [-1])
    return high / low if q > 0.0 else low / high
  inverse, info = torch.linalg_inv_ex(self)
  made = torch.linalg_matrix_norm(self, q) * torch.linalg_matrix_norm(inverse, q)
  return torch.where(info == 0, made, torch.full_like(made, inf))


def aten_linalg_cond_p_str(self: Tensor, p: str) -> Tensor:
  inverse, info = torch.linalg_inv_ex(self)
  made = torch.linalg_matrix_norm(self, p) * torch.linalg_matrix_norm(inverse, p)
  return torch.where(info == 0, made, torch.full_like(made, inf))


# ---- Powers and exponentials ----

def aten_linalg_matrix_power(self: Tensor, n: int) -> Tensor:
  check_matrices(self, "linalg.matrix_power", True)
  base = torch.linalg_inv(self) if n < 0 else self
  made = torch.clone(torch.expand(torch.to(torch.eye(torch.size(self, -1)), self.dtype), torch.size(self)))
  left = abs(n)
  while left > 0:
    if left % 2 == 1:
      made = torch.matmul(made, base)
    base = torch.matmul(base, base)
    left = left // 2
  return made


def aten_matrix_power(self: Tensor, n: int) -> Tensor:
  return torch.linalg_matrix_power(self, n)


# Taylor's series of A / 2^k, whose norm is below 1/2, squared k times.
def aten_linalg_matrix_exp(self: Tensor) -> Tensor:
  check_matrices(self, "linalg.matrix_exp", True)
  A = batched(self)
  if torch.numel(A) == 0:
    return torch.clone(self)
  # Each matrix is halved as often as it needs, and its exponential squared as often.
  size = torch.amax(torch.sum(torch.abs(A), [1], True), [2], True)
  times = torch.clamp_min(torch.ceil(torch.nan_to_num(torch.log2(size), 0.0, 0.0)) + 1, 0)
  A = A * torch.exp2(-times)
  term = identities(A, torch.size(A, -1))
  made = torch.clone(term)
  for i in range(1, 18):
    term = torch.bmm(term, A) / i
    made = made + term
  for i in range(int(torch.max(times))):
    made = torch.where(times > i, torch.bmm(made, made), made)
  return unbatched(made, self)


def aten_matrix_exp(self: Tensor) -> Tensor:
  return torch.linalg_matrix_exp(self)


# ---- Tensors as matrices ----

def aten_linalg_tensorinv(self: Tensor, ind: int) -> Tensor:
  if ind <= 0:
    ops.prim.RaiseException("Expected a strictly positive integer for 'ind'")
  if ind > torch.dim(self):
    ops.prim.RaiseException(torch.format("tensorinv: 'ind' is {}, but the tensor has {} dimensions", ind, torch.dim(self)))
  rows = __torch__.torch.decompositions.product(torch.size(self)[0:ind])
  if rows != __torch__.torch.decompositions.product(torch.size(self)[ind:]):
    ops.prim.RaiseException(torch.format("Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got {} and {}", __torch__.torch.decompositions.product(torch.size(self)[ind:]), rows))
  return torch.reshape(torch.linalg_inv(torch.reshape(self, [rows, rows])), torch.size(self)[ind:] + torch.size(self)[0:ind])


def aten_linalg_tensorsolve(self: Tensor, other: Tensor, dims: Optional[List[int]]) -> Tensor:
  A = self
  if dims is not None:
    A = torch.movedim(self, dims, [torch.dim(self) - len(dims) + i for i in range(len(dims))])
  shape = torch.size(A)[torch.dim(other):]
  n = __torch__.torch.decompositions.product(shape)
  if n != __torch__.torch.decompositions.product(torch.size(A)[0:torch.dim(other)]):
    ops.prim.RaiseException("Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim])")
  return torch.reshape(torch.linalg_solve(torch.reshape(A, [n, n]), torch.flatten(other)), shape)


# ---- Vectors ----

def aten_linalg_cross(self: Tensor, other: Tensor, dim: int) -> Tensor:
  if torch.dim(self) != torch.dim(other):
    ops.prim.RaiseException("linalg.cross: inputs must have the same number of dimensions.")
  if torch.size(self, dim) != 3 or torch.size(other, dim) != 3:
    ops.prim.RaiseException(torch.format("linalg.cross: inputs dimension {} must have length 3. Got {} and {}", dim, torch.size(self, dim), torch.size(other, dim)))
  a, b = torch.broadcast_tensors([self, other])
  return torch.roll(a, [-1], [dim]) * torch.roll(b, [-2], [dim]) - torch.roll(a, [-2], [dim]) * torch.roll(b, [-1], [dim])


def aten_cross(self: Tensor, other: Tensor, dim: Optional[int]) -> Tensor:
  d = -1
  if dim is not None:
    d = dim
  else:
    for i in range(torch.dim(self)):
      k = torch.dim(self) - 1 - i
      if torch.size(self, k) == 3:
        d = k
  return torch.linalg_cross(self, other, dim=d)


def powers(x: Tensor, N: Optional[int], least: int) -> Tensor:
  v = torch.atleast_1d(x)
  n = torch.size(v, -1) if N is None else N
  if n < least:
    ops.prim.RaiseException("N must be greater than 1." if least > 0 else "N must be non-negative.")
  base = v if torch.is_floating_point(x) or torch.is_complex(x) else torch.to(v, 4)
  column = torch.unsqueeze(base, -1)
  if n < 2:
    return torch.ones_like(torch.expand(column, torch.size(base) + [n]))
  return torch.cat([torch.ones_like(column), torch.cumprod(torch.expand(column, torch.size(base) + [n - 1]), -1)], -1)


def aten_linalg_vander(x: Tensor, N: Optional[int]) -> Tensor:
  return powers(x, N, 2)


def aten_vander(x: Tensor, N: Optional[int], increasing: bool) -> Tensor:
  if torch.dim(x) != 1:
    ops.prim.RaiseException("x must be a one-dimensional tensor.")
  made = powers(x, N, 0)
  return made if increasing else torch.flip(made, [-1])


def aten_linalg_diagonal(A: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
  return torch.diagonal(A, offset, dim1, dim2)


def aten_addmv(self: Tensor, mat: Tensor, vec: Tensor, beta: number, alpha: number) -> Tensor:
  if torch.dim(mat) != 2 or torch.dim(vec) != 1:
    ops.prim.RaiseException(torch.format("vector + matrix @ vector expected, got {}, {}, {}", torch.dim(self), torch.dim(mat), torch.dim(vec)))
  if torch.size(mat, 1) != torch.size(vec, 0):
    ops.prim.RaiseException(torch.format("size mismatch, got {}, {}x{},{}", torch.size(mat, 0), torch.size(mat, 0), torch.size(mat, 1), torch.size(vec, 0)))
  if torch.dim(self) > 1:
    ops.prim.RaiseException(torch.format("vector + matrix @ vector expected, got {}, {}, {}", torch.dim(self), torch.dim(mat), torch.dim(vec)))
  same = torch.type_as(self, vec)
  column = torch.unsqueeze(same, 1) if torch.dim(same) == 1 else same
  return torch.squeeze(torch.addmm(column, mat, torch.unsqueeze(vec, 1), beta=beta, alpha=alpha), 1)


def aten_ger(self: Tensor, vec2: Tensor) -> Tensor:
  return torch.outer(self, vec2)


def aten_chain_matmul(matrices: List[Tensor]) -> Tensor:
  for m in matrices:
    if torch.dim(m) != 2:
      ops.prim.RaiseException(torch.format("Tensor dimension is {}, expected 2 instead.", torch.dim(m)))
  if len(matrices) == 1:
    return torch.clone(matrices[0])
  return torch.linalg_multi_dot(matrices)


# ---- What core ATen calls, with the factors ----

# As PyTorch does it, of the transposed matrix where that lies so.
def factors_for_det(A: Tensor) -> Tuple[Tensor, Tensor]:
  turned = torch.is_contiguous(A) and not torch.is_complex(A)
  LU, pivots, info = torch.linalg_lu_factor_ex(torch.transpose(A, -2, -1) if turned else A, pivot=True, check_errors=False)
  return (LU, pivots)


def aten__linalg_det(A: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
  made = torch.linalg_det(A)
  LU, pivots = factors_for_det(A)
  return (made, by_columns(LU), pivots)


def aten__linalg_slogdet(A: Tensor) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
  sign, size = torch.linalg_slogdet(A)
  LU, pivots = factors_for_det(A)
  return (sign, size, by_columns(LU), pivots)


def aten__linalg_eigh(A: Tensor, UPLO: str, compute_v: bool) -> Tuple[Tensor, Tensor]:
  if not compute_v:
    return (torch.linalg_eigvalsh(A, UPLO), torch.zeros([0], dtype=A.dtype))
  values, vectors = torch.linalg_eigh(A, UPLO)
  return (values, by_columns(vectors))


def aten__linalg_svd(A: Tensor, full_matrices: bool, compute_uv: bool, driver: Optional[str]) -> Tuple[Tensor, Tensor, Tensor]:
  if not compute_uv:
    return (torch.zeros([0], dtype=A.dtype), torch.linalg_svdvals(A), torch.zeros([0], dtype=A.dtype))
  U, S, Vh = torch.linalg_svd(A, full_matrices)
  return (by_columns(U), S, by_columns(Vh))


# ---- Sparse matrices, which are dense here ----
# One without elements may have another dtype than the matrix that it is multiplied with.

def aten__sparse_mm(sparse: Tensor, dense: Tensor) -> Tensor:
  return torch.mm(torch.type_as(sparse, dense), dense)


def aten__sparse_addmm(self: Tensor, mat1: Tensor, mat2: Tensor, beta: number, alpha: number) -> Tensor:
  return torch.addmm(self, torch.type_as(mat1, mat2), mat2, beta=beta, alpha=alpha)


# Other than aten::sum it keeps integers as they are, and sums nothing where no dimension is named.
def aten__sparse_sum(self: Tensor) -> Tensor:
  return torch.sum(self, dtype=self.dtype)


def aten__sparse_sum_dtype(self: Tensor, dtype: int) -> Tensor:
  return torch.sum(self, dtype=dtype)


def aten__sparse_sum_dim(self: Tensor, dim: List[int]) -> Tensor:
  return torch.clone(self) if len(dim) == 0 else torch.sum(self, dim, dtype=self.dtype)


def aten__sparse_sum_dim_dtype(self: Tensor, dim: List[int], dtype: int) -> Tensor:
  return torch.to(self, dtype) if len(dim) == 0 else torch.sum(self, dim, dtype=dtype)

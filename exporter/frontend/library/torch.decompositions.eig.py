# Eigenvalues of general matrices (see torch.decompositions.linalg): the QR algorithm with Wilkinson's shifts, in complex double, matrix by matrix.

# The eigenvalue of the last 2 x 2 block that is nearer to the last element.
def shift_of(H: Tensor, m: int) -> complex:
  a, b = complex(H[m - 2, m - 2]), complex(H[m - 2, m - 1])
  c, d = complex(H[m - 1, m - 2]), complex(H[m - 1, m - 1])
  half = (a + d) * 0.5
  root = ((a - d) * 0.5 * ((a - d) * 0.5) + b * c) ** 0.5
  first, second = half + root, half - root
  return first if abs(first - d) < abs(second - d) else second


# Schur's form: unitary V and triangular T with A V = V T.
def schur(A: Tensor) -> Tuple[Tensor, Tensor]:
  n = torch.size(A, 0)
  H = torch.clone(A)
  V = torch.to(torch.eye(n), A.dtype)
  size = float(torch.norm(A))
  m = n
  rounds = 0
  while m > 1:
    left = torch.slice(H[m - 1], 0, 0, m - 1)
    if float(torch.sum(torch.abs(left))) <= size * 1e-15:
      torch.zero_(left)
      m = m - 1
      rounds = 0
    else:
      if rounds == 300:
        ops.prim.RaiseException("linalg.eig: The algorithm failed to converge")
      s = shift_of(H, m)
      if rounds % 10 == 9:
        s = s + complex(float(torch.sum(torch.abs(left))), 0)
      rounds = rounds + 1
      block = torch.slice(torch.slice(H, 0, 0, m), 1, 0, m)
      Q, _0 = torch.linalg_qr(block - torch.to(torch.eye(m), A.dtype) * s)
      torch.copy_(torch.slice(H, 0, 0, m), torch.matmul(torch.conj(torch.transpose(Q, 0, 1)), torch.slice(H, 0, 0, m)))
      torch.copy_(torch.slice(H, 1, 0, m), torch.matmul(torch.slice(H, 1, 0, m), Q))
      torch.copy_(torch.slice(V, 1, 0, m), torch.matmul(torch.slice(V, 1, 0, m), Q))
  return (V, H)


# Vectors of a triangular matrix, by substituting back; equal eigenvalues are taken apart by rounding's size.
def triangular_vectors(T: Tensor) -> Tensor:
  n = torch.size(T, 0)
  X = torch.to(torch.eye(n), T.dtype)
  least = complex(float(torch.norm(T)) * 2.2e-16 + 1e-300, 0)
  for k in range(n):
    for s in range(k):
      i = k - 1 - s
      gap = complex(T[k, k]) - complex(T[i, i])
      if abs(gap) < abs(least):
        gap = least
      X[i, k] = torch.dot(torch.slice(T[i], 0, i + 1, k + 1), torch.slice(torch.select(X, 1, k), 0, i + 1, k + 1)) / gap
  return X


# Columns of length 1 whose largest element is real.
def normalized(V: Tensor) -> Tensor:
  scaled = V / torch.norm(V, 2, [0], True)
  at = torch.argmax(torch.abs(scaled), 0, True)
  largest = torch.gather(scaled, 0, at)
  return scaled * (torch.conj(largest) / torch.abs(largest))


# Of real matrices: what is real but for rounding becomes so, and of each pair the one with the positive imaginary part comes first.
def order_of_real(w: Tensor, size: float) -> Tuple[Tensor, Tensor]:
  n = torch.numel(w)
  order = torch.arange(n)
  near = torch.abs(torch.imag(w)) <= size * 1e-13
  values = torch.where(near, torch.complex(torch.real(w), torch.zeros_like(torch.real(w))), w)
  for i in range(n - 1):
    first, second = float(torch.imag(values)[i]), float(torch.imag(values)[i + 1])
    if first < 0.0 and second > 0.0 and float(torch.abs(values[i] - torch.conj(values[i + 1]))) <= size * 1e-10:
      order[i] = i + 1
      order[i + 1] = i
  return (torch.index_select(values, 0, order), order)


def eigen(self: Tensor, wants_vectors: bool) -> Tuple[Tensor, Tensor]:
  __torch__.torch.decompositions.linalg.check_matrices(self, "linalg.eig", True)
  A = torch.to(__torch__.torch.decompositions.linalg.batched(self), 10)
  lead = torch.size(self)[0:torch.dim(self) - 2]
  n = torch.size(self, -1)
  values = torch.zeros([torch.size(A, 0), n], dtype=10)
  vectors = torch.zeros_like(A)
  for b in range(torch.size(A, 0)):
    V, T = schur(A[b])
    w = torch.clone(torch.diagonal(T))
    order = torch.arange(n)
    if not torch.is_complex(self):
      w, order = order_of_real(w, float(torch.norm(A[b])))
    values[b] = w
    if wants_vectors:
      made = normalized(torch.matmul(V, triangular_vectors(T)))
      vectors[b] = torch.index_select(made, 1, order)
  dtype = 10 if self.dtype == 7 or self.dtype == 10 else 9
  return (torch.to(torch.reshape(values, lead + [n]), dtype), torch.to(torch.reshape(vectors, lead + [n, n]), dtype))


def aten_linalg_eigvals(self: Tensor) -> Tensor:
  w, _0 = eigen(self, False)
  return w


def aten_linalg_eig(self: Tensor) -> Tuple[Tensor, Tensor]:
  return eigen(self, True)

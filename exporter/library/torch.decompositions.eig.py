# Eigenvalues of general matrices (see torch.decompositions.linalg).

# Without vectors their tensor is empty.
def eigen(self: Tensor, vectors: bool) -> Tuple[Tensor, Tensor]:
  __torch__.torch.decompositions.linalg.check_matrices(self, "linalg.eig", True)
  if not bool(torch.all(torch.isfinite(self))):
    ops.prim.RaiseException("torch.linalg.eig: input tensor should not contain infs or NaNs.")
  A = torch.contiguous(__torch__.torch.decompositions.linalg.batched(self))
  w, V = ops.tsm.eig(A, __torch__.torch.decompositions.linalg.epsilon(self), vectors)
  dtype = 10 if self.dtype == 7 or self.dtype == 10 else 9
  shape = torch.size(self)
  return (torch.to(torch.reshape(w, shape[0:len(shape) - 1]), dtype), torch.to(torch.reshape(V, shape if vectors else [0]), dtype))


def aten_linalg_eigvals(self: Tensor) -> Tensor:
  w, _0 = eigen(self, False)
  return w


def aten_linalg_eig(self: Tensor) -> Tuple[Tensor, Tensor]:
  return eigen(self, True)

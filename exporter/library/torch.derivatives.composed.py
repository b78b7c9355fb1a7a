# Derivatives of operators that are made of others (torch.decompositions), but not so that a gradient could pass: where
# a function asks for gradients they are taken apart only afterwards. See torch.derivatives.

# Quantizing and dequantizing at once: as if it did nothing, within the range.

def aten_fake_quantize_per_tensor_affine__self(grad: Tensor, self: Tensor, scale: float, zero_point: int, quant_min: int, quant_max: int) -> Tensor:
  _0, kept = torch.fake_quantize_per_tensor_affine_cachemask(self, scale, zero_point, quant_min, quant_max)
  return torch.mul(grad, kept)

def aten_fake_quantize_per_tensor_affine_tensor_qparams__self(grad: Tensor, self: Tensor, scale: Tensor, zero_point: Tensor, quant_min: int, quant_max: int) -> Tensor:
  one = torch.ones([1], dtype=4)
  _0, kept = torch._fake_quantize_per_tensor_affine_cachemask_tensor_qparams(self, scale, zero_point, one, quant_min, quant_max)
  return torch.mul(grad, kept)

def aten_fake_quantize_per_channel_affine__self(grad: Tensor, self: Tensor, scale: Tensor, zero_point: Tensor, axis: int, quant_min: int, quant_max: int) -> Tensor:
  _0, kept = torch.fake_quantize_per_channel_affine_cachemask(self, scale, zero_point, axis, quant_min, quant_max)
  return torch.mul(grad, kept)

# CTC, by the probabilities of the labels at each step (A. Graves and others, "Connectionist Temporal Classification",
# 2006). As in PyTorch the gradient is that of the scores that log_softmax was given.

def ctc_terms(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
  terms = torch.stack([a, b, c])
  top = torch.amax(terms, [0])
  safe = torch.masked_fill(top, torch.eq(top, -inf), 0)
  return torch.add(torch.log(torch.sum(torch.exp(torch.sub(terms, safe)), [0])), safe)

# The labels with blanks between them, and which of them may be reached from two places before.
def ctc_chain(labels: Tensor, blank: int) -> Tuple[Tensor, Tensor]:
  n = torch.numel(labels)
  chain = torch.full([2 * n + 1], blank, dtype=4)
  chain[1::2] = labels
  skips = torch.zeros([2 * n + 1], dtype=11)
  if n > 0:
    skips[2:] = torch.logical_and(torch.ne(chain[2:], chain[:-2]), torch.ne(chain[2:], blank))
  return (chain, skips)

# Logarithms of the probabilities of all ways to each place of the chain, for each step.
def ctc_alphas(logs: Tensor, labels: Tensor, blank: int) -> Tensor:
  chain, skips = __torch__.torch.derivatives.composed.ctc_chain(labels, blank)
  scores = torch.index_select(logs, 1, chain)
  places = torch.numel(chain)
  alpha = torch.full([places], -inf, dtype=logs.dtype)
  alpha[0:2] = scores[0][0:2]
  alphas: List[Tensor] = [alpha]
  for t in range(1, torch.size(logs, 0)):
    one = torch.narrow(torch.constant_pad_nd(alpha, [1, 0], -inf), 0, 0, places)
    two = torch.narrow(torch.constant_pad_nd(alpha, [2, 0], -inf), 0, 0, places)
    alpha = torch.add(__torch__.torch.derivatives.composed.ctc_terms(alpha, one, torch.masked_fill(two, torch.logical_not(skips), -inf)), scores[t])
    alphas.append(alpha)
  return torch.stack(alphas)

def ctc_gradient_of_one(logs: Tensor, labels: Tensor, blank: int, zero_infinity: bool) -> Tensor:
  steps = torch.size(logs, 0)
  chain, skips = __torch__.torch.derivatives.composed.ctc_chain(labels, blank)
  places = torch.numel(chain)
  scores = torch.index_select(logs, 1, chain)
  alphas = __torch__.torch.derivatives.composed.ctc_alphas(logs, labels, blank)
  beta = torch.full([places], -inf, dtype=logs.dtype)
  beta[-2:] = 0
  betas: List[Tensor] = [beta]
  for k in range(1, steps):
    after = torch.add(beta, scores[steps - k])
    one = torch.narrow(torch.constant_pad_nd(after, [0, 1], -inf), 0, 1, places)
    two = torch.narrow(torch.constant_pad_nd(torch.masked_fill(after, torch.logical_not(skips), -inf), [0, 2], -inf), 0, 2, places)
    beta = __torch__.torch.derivatives.composed.ctc_terms(after, one, two)
    betas.append(beta)
  total = torch.logsumexp(alphas[-1][-2:], [0])
  seen = torch.exp(torch.sub(torch.add(alphas, torch.flip(torch.stack(betas), [0])), total))
  made = torch.sub(torch.exp(logs), torch.index_add(torch.zeros_like(logs), 1, chain, seen))
  return torch.masked_fill(made, torch.isinf(total), 0) if zero_infinity else made

def aten_ctc_loss_IntList__log_probs(grad: Tensor, log_probs: Tensor, targets: Tensor, input_lengths: List[int], target_lengths: List[int],
                                     blank: int, reduction: int, zero_infinity: bool) -> Tensor:
  single = torch.dim(log_probs) == 2
  logs = torch.unsqueeze(log_probs, 1) if single else log_probs
  made = torch.zeros_like(logs)
  each = torch.expand(grad, [torch.size(logs, 1)])
  at = 0
  for b in range(torch.size(logs, 1)):
    if single or torch.dim(targets) == 1:
      labels = torch.narrow(torch.flatten(targets), 0, at, target_lengths[b])
      at = at + target_lengths[b]
    else:
      labels = torch.narrow(torch.select(targets, 0, b), 0, 0, target_lengths[b])
    if input_lengths[b] > 0:
      scale = 1.0
      if reduction == 1:
        scale = 1.0 / float(max(target_lengths[b], 1) * torch.size(logs, 1))
      own = torch.narrow(torch.select(logs, 1, b), 0, 0, input_lengths[b])
      g = torch.mul(__torch__.torch.derivatives.composed.ctc_gradient_of_one(own, torch.to(labels, 4), blank, zero_infinity), torch.mul(each[b], scale))
      torch.copy_(torch.narrow(torch.select(made, 1, b), 0, 0, input_lengths[b]), g)
  return torch.squeeze(made, 1) if single else made

def aten_index_put__self(grad: Tensor, indices: List[Optional[Tensor]], accumulate: bool) -> Tensor:
  if accumulate:
    return grad
  kept = torch.clone(grad)
  _0 = torch.index_put_(kept, indices, torch.zeros([1], dtype=grad.dtype))
  return kept

def aten_index_put__values(grad: Tensor, indices: List[Optional[Tensor]], values: Tensor) -> Tensor:
  return __torch__.torch.derivatives.fit(torch.index(grad, indices), values)

# ---- Pooling to a given size, by where the greatest elements are ----

def aten_adaptive_max_pool1d__self(grad: Tensor, self: Tensor, result1: Tensor) -> Tensor:
  return torch.scatter_add(torch.zeros_like(self), -1, result1, grad)

def aten_adaptive_max_pool2d__self(grad: Tensor, self: Tensor, result1: Tensor) -> Tensor:
  planes = torch.flatten(torch.zeros_like(self), -2)
  return torch.reshape(torch.scatter_add(planes, -1, torch.flatten(result1, -2), torch.flatten(grad, -2)), torch.size(self))

def aten_adaptive_max_pool3d__self(grad: Tensor, self: Tensor, result1: Tensor) -> Tensor:
  volumes = torch.flatten(torch.zeros_like(self), -3)
  return torch.reshape(torch.scatter_add(volumes, -1, torch.flatten(result1, -3), torch.flatten(grad, -3)), torch.size(self))

# ---- Grids: each tensor is repeated along the dimensions of the others ----

def aten_meshgrid__by_operators(tensors: List[Tensor]) -> List[Tensor]:
  sizes = [torch.numel(t) for t in tensors]
  grids: List[Tensor] = []
  for i in range(len(tensors)):
    before = [1 for d in range(i)]
    behind = [1 for d in range(len(tensors) - 1 - i)]
    grids.append(torch.expand(torch.reshape(tensors[i], before + [-1] + behind), sizes))
  return grids

def aten_meshgrid_indexing__by_operators(tensors: List[Tensor], indexing: str) -> List[Tensor]:
  if indexing != "xy" or len(tensors) < 2:
    return __torch__.torch.derivatives.composed.aten_meshgrid__by_operators(tensors)
  swapped = [tensors[1], tensors[0]]
  for i in range(len(tensors) - 2):
    swapped.append(tensors[i + 2])
  grids = __torch__.torch.derivatives.composed.aten_meshgrid__by_operators(swapped)
  turned = [torch.transpose(grids[1], 0, 1), torch.transpose(grids[0], 0, 1)]
  for i in range(len(tensors) - 2):
    turned.append(torch.transpose(grids[i + 2], 0, 1))
  return turned

# Derivatives of attention; see torch.derivatives. The weights are calculated again.

def weights(query: Tensor, key: Tensor, attn_mask: Optional[Tensor], is_causal: bool, scale: Optional[float], enable_gqa: bool) -> Tensor:
  return __torch__.torch.decompositions.attention.attention_weights(query, key, attn_mask, is_causal, scale, enable_gqa)

# The gradient of the scores, before they are scaled.
def scores_gradient(grad: Tensor, query: Tensor, key: Tensor, value: Tensor, attn_mask: Optional[Tensor], is_causal: bool,
                    scale: Optional[float], enable_gqa: bool) -> Tensor:
  w = __torch__.torch.derivatives.attention.weights(query, key, attn_mask, is_causal, scale, enable_gqa)
  values = __torch__.torch.decompositions.attention.for_each_head(value, query, enable_gqa)
  g = torch.matmul(grad, torch.transpose(values, -2, -1))
  return torch.mul(w, torch.sub(g, torch.sum(torch.mul(g, w), [-1], True)))

# The sum of what each head of a group gives.
def of_group(g: Tensor, to: Tensor, enable_gqa: bool) -> Tensor:
  if not enable_gqa:
    return __torch__.torch.derivatives.fit(g, to)
  sizes = torch.size(g)
  heads = torch.size(to, -3)
  split = sizes[0:len(sizes) - 3] + [heads, -1] + sizes[len(sizes) - 2:]
  return __torch__.torch.derivatives.fit(torch.sum(torch.reshape(g, split), [-3]), to)

def tsm_attention__query(grad: Tensor, query: Tensor, key: Tensor, value: Tensor, attn_mask: Optional[Tensor], is_causal: bool,
                         scale: Optional[float], enable_gqa: bool) -> Tensor:
  g = __torch__.torch.derivatives.attention.scores_gradient(grad, query, key, value, attn_mask, is_causal, scale, enable_gqa)
  keys = __torch__.torch.decompositions.attention.for_each_head(key, query, enable_gqa)
  return __torch__.torch.derivatives.fit(torch.mul(torch.matmul(g, keys), __torch__.torch.decompositions.attention.scale_of(query, scale)), query)

def tsm_attention__key(grad: Tensor, query: Tensor, key: Tensor, value: Tensor, attn_mask: Optional[Tensor], is_causal: bool,
                       scale: Optional[float], enable_gqa: bool) -> Tensor:
  g = __torch__.torch.derivatives.attention.scores_gradient(grad, query, key, value, attn_mask, is_causal, scale, enable_gqa)
  made = torch.mul(torch.matmul(torch.transpose(g, -2, -1), query), __torch__.torch.decompositions.attention.scale_of(query, scale))
  return __torch__.torch.derivatives.attention.of_group(made, key, enable_gqa)

def tsm_attention__value(grad: Tensor, query: Tensor, key: Tensor, value: Tensor, attn_mask: Optional[Tensor], is_causal: bool,
                         scale: Optional[float], enable_gqa: bool) -> Tensor:
  w = __torch__.torch.derivatives.attention.weights(query, key, attn_mask, is_causal, scale, enable_gqa)
  return __torch__.torch.derivatives.attention.of_group(torch.matmul(torch.transpose(w, -2, -1), grad), value, enable_gqa)

def tsm_attention__attn_mask(grad: Tensor, query: Tensor, key: Tensor, value: Tensor, attn_mask: Optional[Tensor], is_causal: bool,
                             scale: Optional[float], enable_gqa: bool) -> Tensor:
  g = __torch__.torch.derivatives.attention.scores_gradient(grad, query, key, value, attn_mask, is_causal, scale, enable_gqa)
  return __torch__.torch.derivatives.fit(g, unchecked_cast(Tensor, attn_mask))

def tsm_nested_like__self(grad: Tensor) -> Tensor:
  return grad

# The fast path of MultiheadAttention, of operators.

def native_heads(t: Tensor, num_head: int) -> Tensor:
  return torch.transpose(torch.reshape(t, [torch.size(t, 0), torch.size(t, 1), num_head, -1]), 1, 2)

def native_mask(scores: Tensor, mask: Optional[Tensor], mask_type: Optional[int]) -> Tensor:
  if mask is None:
    return scores
  seen: Tensor = unchecked_cast(Tensor, mask)
  by_key = False
  if mask_type is not None:
    by_key = mask_type == 1
  if by_key and torch.dim(seen) == 2:
    seen = torch.unsqueeze(torch.unsqueeze(seen, 1), 1)
  if seen.dtype == 11:
    return torch.masked_fill(scores, seen, -inf)
  return torch.add(scores, seen)

def aten__native_multi_head_attention__by_operators(query: Tensor, key: Tensor, value: Tensor, embed_dim: int, num_head: int, qkv_weight: Tensor,
                                                    qkv_bias: Tensor, proj_weight: Tensor, proj_bias: Tensor, mask: Optional[Tensor],
                                                    need_weights: bool, average_attn_weights: bool, mask_type: Optional[int]) -> Tuple[Tensor, Tensor]:
  wq, wk, wv = torch.chunk(qkv_weight, 3)
  bq, bk, bv = torch.chunk(qkv_bias, 3)
  q = __torch__.torch.derivatives.attention.native_heads(torch.linear(query, wq, bq), num_head)
  k = __torch__.torch.derivatives.attention.native_heads(torch.linear(key, wk, bk), num_head)
  v = __torch__.torch.derivatives.attention.native_heads(torch.linear(value, wv, bv), num_head)
  scores = torch.matmul(torch.mul(q, 1.0 / float(embed_dim // num_head) ** 0.5), torch.transpose(k, -2, -1))
  weights = torch.softmax(__torch__.torch.derivatives.attention.native_mask(scores, mask, mask_type), -1)
  made = torch.reshape(torch.transpose(torch.matmul(weights, v), 1, 2), torch.size(query))
  out = torch.linear(made, proj_weight, proj_bias)
  if not need_weights:
    return (out, torch.empty([0]))
  if average_attn_weights:
    return (out, torch.mean(weights, [1]))
  return (out, weights)

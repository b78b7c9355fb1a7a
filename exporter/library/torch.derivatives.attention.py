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

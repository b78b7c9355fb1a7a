# Attention (see torch.decompositions). tsm::attention is the fused kernel; what it does not give, weights and dropout,
# is made of others.

def aten__scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Optional[Tensor], dropout_p: float,
                                       need_attn_weights: bool, is_causal: bool) -> Tuple[Tensor, Tensor]:
  if attn_mask is not None and is_causal:
    ops.prim.RaiseException("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
  scores = torch.matmul(query, torch.transpose(key, -2, -1)) * float(torch.size(query, -1)) ** -0.5
  mask = attn_mask
  if is_causal:
    mask = torch.tril(torch.ones([torch.size(query, -2), torch.size(key, -2)], dtype=11))
  if mask is not None:
    if mask.dtype == 11:
      scores = torch.masked_fill(scores, torch.logical_not(mask), -inf)
    else:
      scores = scores + mask
  weights = torch.softmax(scores, -1)
  if dropout_p > 0.0:
    weights = torch.dropout(weights, dropout_p, True)
  return (torch.matmul(weights, value), weights)


# mask_type 0: of query and key positions; 1: of the keys of each sequence; 2: of the scores' shape.
def aten__masked_softmax(self: Tensor, mask: Tensor, dim: Optional[int], mask_type: Optional[int]) -> Tensor:
  if mask.dtype != 11:
    ops.prim.RaiseException("Mask should be a boolean tensor")
  if mask_type is None:
    ops.prim.RaiseException("Mask Type should be defined")
  if torch.size(mask) != torch.size(self):
    ops.prim.RaiseException("Mask shape should match input shape")
  d = -1
  if dim is not None:
    d = dim
  return torch.softmax(torch.masked_fill(self, mask, -inf), d)


# ---- PyTorch 2 ----

# Keys or values of fewer heads, each repeated for its group of query heads.
def for_each_head(t: Tensor, query: Tensor, enable_gqa: bool) -> Tensor:
  if not enable_gqa:
    return t
  heads = torch.size(query, -3)
  if torch.size(t, -3) == 0 or heads % torch.size(t, -3) != 0:
    ops.prim.RaiseException("Number of heads in key and value must divide the number of heads in ")
  return torch.repeat_interleave(t, heads // torch.size(t, -3), -3)


def scale_of(query: Tensor, scale: Optional[float]) -> float:
  return float(torch.size(query, -1)) ** -0.5 if scale is None else unchecked_cast(float, scale)


def attention_scores(query: Tensor, key: Tensor, scale: Optional[float], enable_gqa: bool) -> Tensor:
  return torch.matmul(query, torch.transpose(for_each_head(key, query, enable_gqa), -2, -1)) * scale_of(query, scale)


def attention_weights(query: Tensor, key: Tensor, attn_mask: Optional[Tensor], is_causal: bool, scale: Optional[float],
                      enable_gqa: bool) -> Tensor:
  scores = attention_scores(query, key, scale, enable_gqa)
  if attn_mask is not None:
    if attn_mask.dtype == 11:
      scores = torch.masked_fill(scores, torch.logical_not(attn_mask), -inf)
    else:
      scores = scores + torch.type_as(attn_mask, scores)
  if is_causal:
    scores = torch.masked_fill(scores, torch.logical_not(torch.tril(torch.ones([torch.size(query, -2), torch.size(key, -2)], dtype=11))), -inf)
  return torch._safe_softmax(scores, -1)


def aten__safe_softmax(self: Tensor, dim: int, dtype: Optional[int]) -> Tensor:
  made = torch.softmax(self, dim, dtype)
  if torch.numel(self) == 0:
    return made
  return torch.masked_fill(made, torch.all(torch.eq(self, -inf), dim, True), 0)


def aten_scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Optional[Tensor], dropout_p: float,
                                      is_causal: bool, scale: Optional[float], enable_gqa: bool) -> Tensor:
  if dropout_p == 0.0:
    return ops.tsm.attention(query, key, value, attn_mask, is_causal, scale, enable_gqa)
  if attn_mask is not None and is_causal:
    ops.prim.RaiseException("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
  weights = torch.dropout(attention_weights(query, key, attn_mask, is_causal, scale, enable_gqa), dropout_p, True)
  return torch.matmul(weights, for_each_head(value, query, enable_gqa))


# Masks are added, those of bools too. With a dropout_mask its positions, and not the dropout's own, stay.
def aten__scaled_dot_product_attention_math(query: Tensor, key: Tensor, value: Tensor, attn_mask: Optional[Tensor], dropout_p: float,
                                            is_causal: bool, dropout_mask: Optional[Tensor], scale: Optional[float],
                                            enable_gqa: bool) -> Tuple[Tensor, Tensor]:
  if attn_mask is not None and is_causal:
    ops.prim.RaiseException("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
  if attn_mask is not None:
    weights = torch._safe_softmax(attention_scores(query, key, scale, enable_gqa) + attn_mask, -1)
  else:
    weights = attention_weights(query, key, None, is_causal, scale, enable_gqa)
  values = for_each_head(value, query, enable_gqa)
  if dropout_p > 0.0:
    if dropout_mask is not None:
      kept = torch.masked_fill(weights, torch.logical_not(dropout_mask), 0)
      return (torch.matmul(kept, values * (1.0 / (1.0 - dropout_p))), kept)
    weights = torch.dropout(weights, dropout_p, True)
  return (torch.matmul(weights, values), weights)

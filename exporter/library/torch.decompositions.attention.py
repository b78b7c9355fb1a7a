# Attention (see torch.decompositions). tsm::attention is the fused kernel; what it does not give, weights and dropout,
# is made of others.

def aten__scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Optional[Tensor], dropout_p: float,
                                       need_attn_weights: bool, is_causal: bool) -> Tuple[Tensor, Tensor]:
  if attn_mask is not None and is_causal:
    ops.prim.RaiseException("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
  scores = torch.matmul(query, torch.transpose(key, -2, -1)) * (float(torch.size(query, -1)) ** -0.5 if torch.size(query, -1) > 0 else 0.0)
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


# ---- The fast path of TransformerEncoderLayer ----

# The mask of the scores [batch, heads, queries, keys] that attention takes: of bools it says who is seen.
def seen_by(mask: Tensor, by_key: bool) -> Tensor:
  m = torch.logical_not(mask) if mask.dtype == 11 else mask
  if by_key and torch.dim(m) == 2:
    return torch.unsqueeze(torch.unsqueeze(m, 1), 1)
  return m


def encoder_mask(src: Tensor, mask: Optional[Tensor], mask_type: Optional[int]) -> Optional[Tensor]:
  padding = ops.tsm.nested_mask(src)
  if padding is not None:
    return seen_by(padding, True)
  if mask is not None:
    by_key = False
    if mask_type is not None:
      by_key = mask_type == 1
    return seen_by(mask, by_key)
  return None


def encoder_attention(x: Tensor, mask: Optional[Tensor], num_heads: int, qkv_weight: Tensor, qkv_bias: Tensor, proj_weight: Tensor,
                      proj_bias: Tensor) -> Tensor:
  q, k, v = torch.chunk(torch.linear(x, qkv_weight, qkv_bias), 3, -1)
  shape = [torch.size(x, 0), torch.size(x, 1), num_heads, torch.size(x, 2) // num_heads]
  made = torch.scaled_dot_product_attention(torch.transpose(torch.reshape(q, shape), 1, 2), torch.transpose(torch.reshape(k, shape), 1, 2),
                                            torch.transpose(torch.reshape(v, shape), 1, 2), mask)
  return torch.linear(torch.reshape(torch.transpose(made, 1, 2), torch.size(x)), proj_weight, proj_bias)


def encoder_feed_forward(x: Tensor, use_gelu: bool, weight_1: Tensor, bias_1: Tensor, weight_2: Tensor, bias_2: Tensor) -> Tensor:
  hidden = torch.linear(x, weight_1, bias_1)
  hidden = torch.gelu(hidden) if use_gelu else torch.relu(hidden)
  return torch.linear(hidden, weight_2, bias_2)


def aten__transformer_encoder_layer_fwd(src: Tensor, embed_dim: int, num_heads: int, qkv_weight: Tensor, qkv_bias: Tensor, proj_weight: Tensor,
                                        proj_bias: Tensor, use_gelu: bool, norm_first: bool, eps: float, norm_weight_1: Tensor,
                                        norm_bias_1: Tensor, norm_weight_2: Tensor, norm_bias_2: Tensor, ffn_weight_1: Tensor,
                                        ffn_bias_1: Tensor, ffn_weight_2: Tensor, ffn_bias_2: Tensor, mask: Optional[Tensor],
                                        mask_type: Optional[int]) -> Tensor:
  seen = encoder_mask(src, mask, mask_type)
  if norm_first:
    x = torch.layer_norm(src, [embed_dim], norm_weight_1, norm_bias_1, eps)
    x = src + encoder_attention(x, seen, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias)
    y = torch.layer_norm(x, [embed_dim], norm_weight_2, norm_bias_2, eps)
    y = x + encoder_feed_forward(y, use_gelu, ffn_weight_1, ffn_bias_1, ffn_weight_2, ffn_bias_2)
  else:
    x = src + encoder_attention(src, seen, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias)
    x = torch.layer_norm(x, [embed_dim], norm_weight_1, norm_bias_1, eps)
    y = x + encoder_feed_forward(x, use_gelu, ffn_weight_1, ffn_bias_1, ffn_weight_2, ffn_bias_2)
    y = torch.layer_norm(y, [embed_dim], norm_weight_2, norm_bias_2, eps)
  return ops.tsm.nested_like(y, src)


# ---- The layer of decoders that PyTorch 1.13 had ----

def projected_heads(x: Tensor, weight: Tensor, bias: Tensor, count: int) -> Tensor:
  shape = [torch.size(x, 0), torch.size(x, 1), count, -1]
  return torch.transpose(torch.reshape(torch.linear(x, weight, bias), shape), 1, 2)


# Keys and values of steps before come first; what is seen of them is given back.
def aten__native_decoder_only_multi_head_attention(query: Tensor, key: Tensor, value: Tensor, embed_dim: int, num_head: int, qkv_weight: Tensor,
                                                   qkv_bias: Tensor, proj_weight: Tensor, proj_bias: Tensor, mask: Optional[Tensor],
                                                   incr_key: Optional[Tensor], incr_value: Optional[Tensor], need_weights: bool,
                                                   average_attn_weights: bool) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
  if mask is not None:
    ops.prim.RaiseException("src_mask not currently supported on CPU")
  if torch.dim(query) != 3:
    ops.prim.RaiseException(torch.format("expected 3-D `query`, got {}-D tensor", torch.dim(query)))
  if torch.size(query, 2) != embed_dim:
    ops.prim.RaiseException(torch.format("passed-in embed_dim {} didn't match last dim of query {}", embed_dim, torch.size(query, 2)))
  if embed_dim % num_head != 0:
    ops.prim.RaiseException("`embed_dim` must divide evenly by `num_heads`")
  wq, wk, wv = torch.chunk(qkv_weight, 3)
  bq, bk, bv = torch.chunk(qkv_bias, 3)
  q = projected_heads(query, wq, bq, num_head)
  k = projected_heads(key, wk, bk, num_head)
  v = projected_heads(value, wv, bv, num_head)
  if incr_key is not None:
    k = torch.cat([incr_key, k], 2)
  if incr_value is not None:
    v = torch.cat([incr_value, v], 2)
  weights = torch.softmax(torch.matmul(q * float(embed_dim // num_head) ** -0.5, torch.transpose(k, 2, 3)), -1)
  made = torch.reshape(torch.transpose(torch.matmul(weights, v), 1, 2), torch.size(query))
  out = torch.linear(made, proj_weight, proj_bias)
  if not need_weights:
    return (out, torch.zeros([0]), k, v)
  return (out, torch.mean(weights, [1]) if average_attn_weights else weights, k, v)


def aten__transformer_decoder_only_layer_fwd(src: Tensor, embed_dim: int, num_heads: int, qkv_weight: Tensor, qkv_bias: Tensor, proj_weight: Tensor,
                                             proj_bias: Tensor, use_gelu: bool, norm_first: bool, eps: float, norm_weight_1: Tensor,
                                             norm_bias_1: Tensor, norm_weight_2: Tensor, norm_bias_2: Tensor, ffn_weight_1: Tensor,
                                             ffn_bias_1: Tensor, ffn_weight_2: Tensor, ffn_bias_2: Tensor, mask: Optional[Tensor],
                                             incr_key: Optional[Tensor], incr_value: Optional[Tensor]) -> Tuple[Tensor, Tensor, Tensor]:
  if norm_first:
    ops.prim.RaiseException("norm_first is not supported yet")
  made, _0, k, v = torch._native_decoder_only_multi_head_attention(src, src, src, embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias, mask, incr_key, incr_value, False, True)
  x = torch.layer_norm(made + src, [embed_dim], norm_weight_1, norm_bias_1, eps)
  y = x + encoder_feed_forward(x, use_gelu, ffn_weight_1, ffn_bias_1, ffn_weight_2, ffn_bias_2)
  return (torch.layer_norm(y, [embed_dim], norm_weight_2, norm_bias_2, eps), k, v)


def mask_fits(attn_mask: Optional[Tensor], query: Tensor, key: Tensor) -> bool:
  if attn_mask is None:
    return True
  mask: Tensor = attn_mask
  if mask.requires_grad or mask.dim() not in [2, 4] or mask.stride(mask.dim() - 1) != 1:
    return False
  full = [query.size(0), query.size(1), query.size(2), key.size(2)]
  for i in range(mask.dim()):
    if mask.size(mask.dim() - 1 - i) not in [1, full[3 - i]]:
      return False
  return True


# 1: the fused operator for CPUs, 0: plain operators. What runs here does not depend on it.
def aten__fused_sdp_choice(query: Tensor, key: Tensor, value: Tensor, attn_mask: Optional[Tensor], dropout_p: float, is_causal: bool,
                           scale: Optional[float], enable_gqa: bool) -> int:
  if dropout_p > 0 or query.dim() != 4 or key.dim() != 4 or value.dim() != 4 or query.dtype not in [5, 6, 7, 15]:
    return 0
  for t in [key, value]:
    if t.dtype != query.dtype or t.size(0) != query.size(0) or t.size(1) != query.size(1) or t.size(3) != query.size(3):
      return 0
  for t in [query, key, value]:
    if t.stride(3) != 1 or t.size(2) == 0:
      return 0
  return 1 if mask_fits(attn_mask, query, key) else 0

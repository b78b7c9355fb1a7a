# Modules of torch.nn: transformers: encoder, decoder and their layers.
import copy
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn import Dropout, GELU, LayerNorm, Linear, Module, ModuleList, MultiheadAttention, ReLU
from typing import Optional

def copies(module, count):
    return ModuleList([copy.deepcopy(module) for _ in range(count)])


def activation_of(activation):
    if activation == "relu":
        return F.relu
    if activation == "gelu":
        return F.gelu
    if isinstance(activation, str):
        raise RuntimeError("activation should be relu/gelu, not {}".format(activation))
    return activation


class TransformerEncoderLayer(Module):
    def __init__(self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation=F.relu, layer_norm_eps=1e-5,
                 batch_first=False, norm_first=False, bias=True, device=None, dtype=None):
        super().__init__()
        self.self_attn = MultiheadAttention(d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first)
        self.linear1 = Linear(d_model, dim_feedforward, bias)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.activation = activation_of(activation)

    def forward(self, src: Tensor, src_mask: Optional[Tensor] = None,
                src_key_padding_mask: Optional[Tensor] = None, is_causal: bool = False) -> Tensor:
        x = src
        if self.norm_first:
            x = x + self.attend(self.norm1(x), src_mask, src_key_padding_mask, is_causal)
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x, src_mask, src_key_padding_mask, is_causal))
        return self.norm2(x + self.feed_forward(x))

    def attend(self, x: Tensor, mask: Optional[Tensor], padding: Optional[Tensor], is_causal: bool) -> Tensor:
        return self.dropout1(self.self_attn(x, x, x, padding, False, mask, is_causal=is_causal)[0])

    def feed_forward(self, x: Tensor) -> Tensor:
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerDecoderLayer(Module):
    def __init__(self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation=F.relu, layer_norm_eps=1e-5,
                 batch_first=False, norm_first=False, bias=True, device=None, dtype=None):
        super().__init__()
        self.self_attn = MultiheadAttention(d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first)
        self.multihead_attn = MultiheadAttention(d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first)
        self.linear1 = Linear(d_model, dim_feedforward, bias)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias)
        self.norm3 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.dropout3 = Dropout(dropout)
        self.activation = activation_of(activation)

    def forward(self, tgt: Tensor, memory: Tensor, tgt_mask: Optional[Tensor] = None,
                memory_mask: Optional[Tensor] = None, tgt_key_padding_mask: Optional[Tensor] = None,
                memory_key_padding_mask: Optional[Tensor] = None, tgt_is_causal: bool = False,
                memory_is_causal: bool = False) -> Tensor:
        x = tgt
        if self.norm_first:
            x = x + self.attend(self.norm1(x), tgt_mask, tgt_key_padding_mask, tgt_is_causal)
            x = x + self.attend_memory(self.norm2(x), memory, memory_mask, memory_key_padding_mask,
                                       memory_is_causal)
            return x + self.feed_forward(self.norm3(x))
        x = self.norm1(x + self.attend(x, tgt_mask, tgt_key_padding_mask, tgt_is_causal))
        x = self.norm2(x + self.attend_memory(x, memory, memory_mask, memory_key_padding_mask,
                                       memory_is_causal))
        return self.norm3(x + self.feed_forward(x))

    def attend(self, x: Tensor, mask: Optional[Tensor], padding: Optional[Tensor], is_causal: bool) -> Tensor:
        return self.dropout1(self.self_attn(x, x, x, padding, False, mask, is_causal=is_causal)[0])

    def attend_memory(self, x: Tensor, memory: Tensor, mask: Optional[Tensor], padding: Optional[Tensor],
                      is_causal: bool) -> Tensor:
        return self.dropout2(self.multihead_attn(x, memory, memory, padding, False, mask, is_causal=is_causal)[0])

    def feed_forward(self, x: Tensor) -> Tensor:
        return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))


def takes_nested_tensors(layer):
    if not isinstance(layer, TransformerEncoderLayer) or layer.norm_first or not layer.self_attn.batch_first:
        return False
    known = layer.activation is F.relu or layer.activation is F.gelu or isinstance(layer.activation, (ReLU, GELU))
    return known and layer.self_attn.in_proj_bias is not None and layer.self_attn.num_heads % 2 == 0


class TransformerEncoder(Module):
    def __init__(self, encoder_layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True):
        super().__init__()
        self.layers = copies(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.mask_check = mask_check
        self.zeroes_padding = enable_nested_tensor and takes_nested_tensors(encoder_layer)

    def forward(self, src: Tensor, mask: Optional[Tensor] = None,
                src_key_padding_mask: Optional[Tensor] = None, is_causal: Optional[bool] = None) -> Tensor:
        output = src
        causal = False if is_causal is None else is_causal
        for layer in self.layers:
            output = layer(output, mask, src_key_padding_mask, causal)
        if self.zeroes_padding and src_key_padding_mask is not None:
            output = self.without_padding(output, mask, src_key_padding_mask)
        if self.norm is not None:
            output = self.norm(output)
        return output


    # Without gradients PyTorch computes on nested tensors, which leave the padding out.
    def without_padding(self, output: Tensor, mask: Optional[Tensor], padding: Tensor) -> Tensor:
        if self.training or mask is not None or output.dim() != 3:
            return output
        if torch.is_grad_enabled():
            return output
        seen = padding.logical_not()
        if self.mask_check and not torch._nested_tensor_from_mask_left_aligned(output, seen):
            return output
        return output.masked_fill(seen.logical_not().unsqueeze(2), 0.0)


class TransformerDecoder(Module):
    def __init__(self, decoder_layer, num_layers, norm=None):
        super().__init__()
        self.layers = copies(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(self, tgt: Tensor, memory: Tensor, tgt_mask: Optional[Tensor] = None,
                memory_mask: Optional[Tensor] = None, tgt_key_padding_mask: Optional[Tensor] = None,
                memory_key_padding_mask: Optional[Tensor] = None, tgt_is_causal: Optional[bool] = None,
                memory_is_causal: bool = False) -> Tensor:
        output = tgt
        causal = False if tgt_is_causal is None else tgt_is_causal
        for layer in self.layers:
            output = layer(output, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask, causal,
                           memory_is_causal)
        if self.norm is not None:
            output = self.norm(output)
        return output


class Transformer(Module):
    def __init__(self, d_model=512, nhead=8, num_encoder_layers=6, num_decoder_layers=6, dim_feedforward=2048,
                 dropout=0.1, activation=F.relu, custom_encoder=None, custom_decoder=None, layer_norm_eps=1e-5,
                 batch_first=False, norm_first=False, bias=True, device=None, dtype=None):
        super().__init__()
        options = dict(layer_norm_eps=layer_norm_eps, batch_first=batch_first, norm_first=norm_first, bias=bias)
        if custom_encoder is not None:
            self.encoder = custom_encoder
        else:
            layer = TransformerEncoderLayer(d_model, nhead, dim_feedforward, dropout, activation, **options)
            self.encoder = TransformerEncoder(layer, num_encoder_layers, LayerNorm(d_model, eps=layer_norm_eps, bias=bias))
        if custom_decoder is not None:
            self.decoder = custom_decoder
        else:
            layer = TransformerDecoderLayer(d_model, nhead, dim_feedforward, dropout, activation, **options)
            self.decoder = TransformerDecoder(layer, num_decoder_layers, LayerNorm(d_model, eps=layer_norm_eps, bias=bias))
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(self, src: Tensor, tgt: Tensor, src_mask: Optional[Tensor] = None, tgt_mask: Optional[Tensor] = None,
                memory_mask: Optional[Tensor] = None, src_key_padding_mask: Optional[Tensor] = None,
                tgt_key_padding_mask: Optional[Tensor] = None,
                memory_key_padding_mask: Optional[Tensor] = None, src_is_causal: Optional[bool] = None,
                tgt_is_causal: Optional[bool] = None, memory_is_causal: bool = False) -> Tensor:
        memory = self.encoder(src, src_mask, src_key_padding_mask, src_is_causal)
        return self.decoder(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask,
                            tgt_is_causal, memory_is_causal)

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Optional[torch.device] = None,
                                        dtype: Optional[torch.dtype] = None) -> Tensor:
        return torch.triu(torch.full([sz, sz], float("-inf"), dtype=dtype), diagonal=1)

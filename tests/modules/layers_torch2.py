"""Layers, arguments and functions that torch.nn got after 1.13, with values that __init__ computes."""
import torch
import torch.nn.functional as F
from torch import nn


def causal_mask(size: int):
    return torch.triu(torch.full([size, size], float("-inf")), diagonal=1)


class Losses(nn.Module):
    def forward(self, x, y):
        w = torch.abs(y) + 0.5
        return [F.mse_loss(x, y, weight=w), F.mse_loss(x, y, reduction="sum", weight=w), F.mse_loss(x, y, reduction="none", weight=w),
                F.l1_loss(x, y, weight=w), F.l1_loss(x, y, reduction="none", weight=w), F.huber_loss(x, y, weight=w),
                F.huber_loss(x, y, reduction="sum", delta=0.5, weight=w), F.rms_norm(x, [3]), F.rms_norm(x, [2, 3], w, 0.1)]


class Causal(nn.Module):
    """Hints that a mask is causal."""

    def __init__(self, bias=True):
        super().__init__()
        self.attention = nn.MultiheadAttention(4, 2, bias=bias, batch_first=True)

    def forward(self, x):
        mask = causal_mask(3)
        return (self.attention(x, x, x, attn_mask=mask, is_causal=True, need_weights=False)[0],
                self.attention(x, x, x, attn_mask=mask, is_causal=True)[1],
                self.attention(x, x, x, torch.zeros(2, 3) > 1, attn_mask=mask < -1, is_causal=True, need_weights=False)[0])


class Encoder(nn.Module):
    def __init__(self, **options):
        super().__init__()
        layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True, bias=False, **options)
        self.layers = nn.TransformerEncoder(layer, 2, nn.LayerNorm(4, bias=False), mask_check=False)

    def forward(self, x):
        mask = causal_mask(3)
        return self.layers(x), self.layers(x, mask, is_causal=True), self.layers(x, mask)


class Padded(nn.Module):
    """Without gradients rows of padding at the end are zeros, unless the layers do not take nested tensors."""

    def __init__(self, **options):
        super().__init__()
        self.layers = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, batch_first=True, **options), 2, nn.LayerNorm(4))
        self.unchecked = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, batch_first=True, **options), 1, mask_check=False)

    def forward(self, x):
        padding = torch.tensor([[False, True, True], [False, False, False]])
        added = torch.zeros(2, 3).masked_fill(padding, float("-inf"))
        return (self.layers(x, src_key_padding_mask=padding), self.layers(x, src_key_padding_mask=padding.flip(1)),
                self.layers(x, causal_mask(3), added), self.layers(x, src_key_padding_mask=added), self.layers(x),
                self.unchecked(x, src_key_padding_mask=padding))


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 8, batch_first=True, bias=False), 2)

    def forward(self, x, y):
        mask = causal_mask(3)
        return (self.layers(x, y, tgt_mask=mask, tgt_is_causal=True),
                self.layers(x, y, tgt_mask=mask, memory_mask=mask, memory_is_causal=True))


class Whole(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.Transformer(4, 2, 1, 1, 8, batch_first=True, bias=False)

    def forward(self, x, y):
        mask = causal_mask(3)
        return self.model(x, y, mask, mask, src_is_causal=True, tgt_is_causal=True)


LAYERS = {
    "rms_norm": (lambda: nn.RMSNorm(4), [(2, 3, 4)]),
    "rms_norm_eps": (lambda: nn.RMSNorm([3, 4], eps=0.5, elementwise_affine=False), [(2, 3, 4)]),
    "layer_norm_bias": (lambda: nn.LayerNorm(4, bias=False), [(2, 4)]),
    "layer_norm_dtype": (lambda: nn.LayerNorm(4, 1e-3, True, False, "cpu", torch.float32), [(2, 4)]),
    "zero_pad1d": (lambda: nn.ZeroPad1d((1, 2)), [(2, 3)]),
    "zero_pad3d": (lambda: nn.ZeroPad3d(1), [(1, 2, 2, 2)]),
    "circular_pad1d": (lambda: nn.CircularPad1d(2), [(1, 2, 3)]),
    "circular_pad2d": (lambda: nn.CircularPad2d((1, 0, 2, 1)), [(1, 1, 3, 3)]),
    "circular_pad3d": (lambda: nn.CircularPad3d(1), [(1, 1, 2, 2, 2)]),
    "lp_pool3d": (lambda: nn.LPPool3d(2, 2), [(1, 2, 4, 4, 4)]),
    "lp_pool3d_stride": (lambda: nn.LPPool3d(3.0, (2, 1, 2), 1, ceil_mode=True), [(1, 2, 3, 3, 3)]),
    "embedding": (lambda: nn.Embedding(6, 3, _freeze=True), ["tokens"]),
    "softplus": (lambda: nn.Softplus(2.0, 1.5), [(2, 3)]),
    "losses": (lambda: Losses(), [(2, 3), (2, 3)]),
    "causal": (lambda: Causal(), [(2, 3, 4)]),
    "causal_bias": (lambda: Causal(False), [(2, 3, 4)]),
    "encoder": (lambda: Encoder(), [(2, 3, 4)]),
    "encoder_norm_first": (lambda: Encoder(norm_first=True), [(2, 3, 4)]),
    "padded": (lambda: Padded(), [(2, 3, 4)]),
    "padded_gelu": (lambda: Padded(activation="gelu"), [(2, 3, 4)]),
    "padded_norm_first": (lambda: Padded(norm_first=True), [(2, 3, 4)]),
    "decoder": (lambda: Decoder(), [(2, 3, 4), (2, 3, 4)]),
    "transformer": (lambda: Whole(), [(2, 3, 4), (2, 3, 4)]),
}


def settle(layer):
    """Numbers between -0.5 and 0.7 in place of random ones."""
    for i, parameter in enumerate(layer.parameters()):
        values = (torch.arange(parameter.numel()) * (3 + i) + i) % 13
        parameter.data = (values.float() * 0.1 - 0.5).view(parameter.shape)
    return layer


class One(nn.Module):
    def __init__(self, name):
        super().__init__()
        self.layer = settle(LAYERS[name][0]())

    def forward(self, x):
        return self.layer(x)


class Two(One):
    def forward(self, x, y):
        return self.layer(x, y)

#!/usr/bin/python3
"""Makes cases.tar.xz and areas.txt with PyTorch 2.6: small modules that call what PyTorch 2 brought, scripted, traced
and frozen, with PyTorch's answers.

    record.py [FOLDER]      writes there (default: beside this script)

Needs PyTorch 2.6 only."""
import io
import os
import sys
import zlib
from enum import Enum
from typing import Optional, Union

import torch
import torch.nn.functional as F
from torch import Tensor, nn

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..")]
from packs import archive_members, write_pack  # noqa: E402
from recording import decode, encode, record  # noqa: E402


class Mode(Enum):
    UP = "up"
    DOWN = "down"


def moved(x: Tensor, mode: Union[Mode, int] = Mode.DOWN) -> Tensor:
    if isinstance(mode, int):
        return x * mode
    return x + 1 if mode == Mode.UP else x - 1


def turned(x: Tensor, mode: Optional[Mode] = Mode.UP, plain: Mode = Mode.DOWN) -> Tensor:
    if mode is None:
        return x
    return x + 1 if mode == plain else x - 1


class EnumDefaults(nn.Module):
    def forward(self, x: Tensor):
        return moved(x), moved(x, Mode.UP), moved(x, 3), turned(x), turned(x, None), turned(x, Mode.DOWN)


class Attention(nn.Module):
    """The attention of a decoder that keeps keys and values: grouped heads, rotated positions, a causal mask."""

    def __init__(self):
        super().__init__()
        self.q, self.kv, self.out = nn.Linear(16, 16, False), nn.Linear(16, 8, False), nn.Linear(16, 16, False)
        self.norm = nn.RMSNorm(16)

    def forward(self, x: Tensor, causal: bool, mask: Optional[Tensor]) -> Tensor:
        batch, length, width = x.shape
        y = self.norm(x)
        q = self.q(y).view(batch, length, 4, 4).transpose(1, 2)
        k, v = self.kv(y).view(batch, length, 2, 4).transpose(1, 2).split(1, 1)
        made = F.scaled_dot_product_attention(q, k, v, mask, is_causal=causal, enable_gqa=True)
        return x + self.out(made.transpose(1, 2).reshape(batch, length, width))


class SelfAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(16, 4, batch_first=True)

    def forward(self, x: Tensor):
        y = x + 0.25
        return self.attention(x, y, y, need_weights=False)[0], self.attention(x, x, x)[1]


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), 2, enable_nested_tensor=False)

    def forward(self, x: Tensor):
        return self.layers(x)


class Shapes(nn.Module):
    def forward(self, x: Tensor):
        y = torch.squeeze(x.unsqueeze(0).unsqueeze(-1), [0, -1])
        low, high = x.min(), x.max()
        return (torch.any(x > 1.0, [0, 2]), torch.all(x > -9.0, [0, 1, 2]), y, torch.linspace(low, high, 4), torch.nonzero_static(x[0, 0] > 0, size=5),
                torch.var(x, [1], correction=0.5), F.rms_norm(x, [16], eps=1e-3))


class Padded(nn.Module):
    def forward(self, x: Tensor):
        return (nn.utils.rnn.pad_sequence([x[0], x[0, :2]], True, 0.5, "left"), nn.utils.rnn.pad_sequence([x[0, :3], x[0]]), x.nbytes, x.itemsize)


class Reductions(nn.Module):
    """Over several dimensions, in the forms that PyTorch 2 brought or changed."""

    def forward(self, x: Tensor):
        whole = (x * 10).to(torch.int32)
        return (torch.amax(x, [0, 2]), torch.logsumexp(x, [0, 1]), torch.var_mean(x, [0, 1], correction=0), torch.std(x, [1, 2], correction=2, keepdim=True), torch.nanmean(x, [0, 2]),
                torch.linalg.vector_norm(x, 3.0, [0, 2], True), torch.linalg.norm(x, 2.0, [1, 2]), torch.count_nonzero(x > 0, [0, 1]), whole.amax([0, 1]), whole.sum([0, 1]),
                torch.any(whole.to(torch.uint8), [1], True), torch.all(whole, [0, 2]), torch.argsort(x, dim=1, stable=True), torch.unflatten(x, 2, [4, 4]).sum([1, 3]))


class Batches(nn.Module):
    """Attention over five dimensions, with masks that are broadcast, rows without keys, and doubles."""

    def forward(self, x: Tensor):
        batch, length, _ = x.shape
        q = x.reshape(batch, length, 2, 2, 4).permute(0, 2, 3, 1, 4)
        causal = torch.ones(length, length, dtype=torch.bool).tril(-1)
        bias = torch.zeros(batch, 1, 2, length, length) + 0.5
        f = F.scaled_dot_product_attention
        return f(q, q, q), f(q, q * 2, q, causal), f(q, q, q + 1, bias.masked_fill(causal, -2.0)), f(q.double(), q.double(), q.double(), causal, scale=0.3)


class Factors(nn.Module):
    """Numbers of Python, which torch.jit.trace writes as tensors without dimensions: they decide no result's dtype."""

    def forward(self, x: Tensor):
        n, whole = x[0, 0, 0], (x * 10).to(torch.int32)
        return x * 2j, whole + 0.5j, n - 1j, 2j / n, x.double() * (1 + 2j), whole * 0.5, n.to(torch.float16) + 0.1, whole[0, 0, 0] + 2.5, x.half() * 3


class Cache(nn.Module):
    """A decoder's layer that keeps keys and values in buffers of a fixed size and writes them by their positions."""

    def __init__(self):
        super().__init__()
        self.project, self.out, self.norm = nn.Linear(16, 32, False), nn.Linear(16, 16, False), nn.RMSNorm(16)
        self.gate, self.up, self.down = nn.Linear(16, 12, False), nn.Linear(16, 12, False), nn.Linear(12, 16, False)
        self.register_buffer("keys", torch.zeros(1, 2, 8, 4))
        self.register_buffer("values", torch.zeros(1, 2, 8, 4))
        angles = torch.outer(torch.arange(8.), 1 / 100 ** (torch.arange(0, 4, 2) / 4))
        self.register_buffer("cosines", angles.cos())
        self.register_buffer("sines", angles.sin())

    def turned(self, x: Tensor, at: Tensor) -> Tensor:
        a, b, c, s = x[..., ::2], x[..., 1::2], self.cosines[at], self.sines[at]
        return torch.stack((a * c - b * s, a * s + b * c), -1).flatten(-2)

    def forward(self, x: Tensor, start: Tensor) -> Tensor:
        length = x.shape[1]
        at = torch.arange(length) + start
        q, k, v = self.project(self.norm(x)).split([16, 8, 8], -1)
        self.keys[:, :, at] = self.turned(k.view(1, length, 2, 4).transpose(1, 2), at)
        self.values.index_copy_(2, at, v.view(1, length, 2, 4).transpose(1, 2))
        q = self.turned(q.view(1, length, 4, 4).transpose(1, 2), at)
        seen = torch.arange(8)[None] <= at[:, None]
        y = F.scaled_dot_product_attention(q, self.keys, self.values, attn_mask=seen, enable_gqa=True)
        x = x + self.out(y.transpose(1, 2).reshape(1, length, 16))
        return x + self.down(F.silu(self.gate(x)) * self.up(x))


class Boxes(nn.Module):
    """Decodes boxes by writing to slices of what a head gives; masks of bytes are refused where one number is put."""

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        y = x.view(1, 2, 8, -1).permute(0, 1, 3, 2).contiguous().sigmoid()
        rows, columns = torch.meshgrid(torch.arange(2), torch.arange(y.shape[2] // 2), indexing="ij")
        y[..., :2] = (y[..., :2] * 2 + torch.stack((columns, rows), 2).view(1, 1, -1, 2)) * 8
        y[..., 2:4] = (y[..., 2:4] * 2) ** 2 * torch.tensor([[10., 13.], [16., 30.]]).view(1, 2, 1, 2)
        low = y[..., 4] < 0.5
        low[low] = mask[0] > 0
        y[low] = 0.0
        y[0, 0, :, 5][mask] = 1.0
        return y


def tokens(batch, length):
    count = batch * length * 16
    return torch.sin(torch.arange(count, dtype=torch.float32) * 1.3).reshape(batch, length, 16)


PLAIN = [[tokens(2, 5)], [tokens(1, 9)]]
MASK = torch.arange(25).reshape(5, 5) % 3 > 0
MODELS = [(EnumDefaults, ["scripted"], PLAIN), (SelfAttention, ["scripted", "traced", "frozen"], PLAIN), (Encoder, ["scripted", "traced", "frozen"], PLAIN),
          (Attention, ["scripted", "frozen"], [[tokens(2, 5), True, None], [tokens(1, 70), True, None], [tokens(2, 5), False, MASK], [tokens(1, 1), False, None]]),
          (Shapes, ["scripted", "traced", "frozen"], PLAIN), (Padded, ["scripted", "frozen"], PLAIN), (Factors, ["scripted", "traced", "frozen"], PLAIN),
          (Reductions, ["scripted", "traced", "frozen"], PLAIN), (Batches, ["scripted", "frozen"], PLAIN),
          (Cache, ["scripted"], [[tokens(1, 4), torch.tensor(0)], [tokens(1, 1), torch.tensor(4)], [tokens(1, 1) * 2, torch.tensor(5)]]),
          (Boxes, ["scripted"], [[tokens(1, 4), torch.tensor([True, False, True, True])], [tokens(1, 4), torch.tensor([1, 0, 1, 1], dtype=torch.uint8)],
                                 [tokens(1, 4), torch.tensor([0, 2])]])]
FORMS = {"scripted": lambda model, inputs: torch.jit.script(model), "traced": lambda model, inputs: torch.jit.trace(model, tuple(inputs)),
         "frozen": lambda model, inputs: torch.jit.freeze(torch.jit.script(model))}


def loaded_anew(saved):
    """Buffers are as they were saved, for each call."""
    saved.seek(0)
    return torch.jit.load(saved)


def record_form(maker, form, calls):
    torch.manual_seed(zlib.crc32(maker.__name__.encode()))
    model = maker().eval()
    calls = [encode(c) for c in calls]
    with torch.no_grad():
        saved = io.BytesIO()
        torch.jit.save(FORMS[form](model, decode(calls[0])), saved)
        calls = [dict(inputs=c, **record(loaded_anew(saved), decode(c))) for c in calls]
    members = archive_members(saved, lambda name: not name.endswith(".debug_pkl"))
    return {"id": "%s/%s" % (form, maker.__name__), "area": "archives", "archive": members, "calls": calls}


def main():
    torch.set_num_threads(1)
    torch._C._jit_set_texpr_fuser_enabled(False)  # it knows no complex numbers, and raises
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    write_pack(os.path.join(folder, "cases.tar.xz"), [record_form(m, form, calls) for m, forms, calls in MODELS for form in forms])


if __name__ == "__main__":
    main()

"""A language model: a Transformer encoder with sinusoidal positions that are computed, not saved."""
import math
from typing import Optional

import torch
from torch import nn, Tensor


class Positions(nn.Module):
    def __init__(self, width: int, dropout: float = 0.1, longest: int = 32):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        position = torch.arange(longest).unsqueeze(1)
        rate = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
        table = torch.zeros(longest, 1, width)
        table[:, 0, 0::2] = torch.sin(position * rate)
        table[:, 0, 1::2] = torch.cos(position * rate)
        self.register_buffer("table", table, persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.dropout(x + self.table[:x.size(0)])


class LanguageModel(nn.Module):
    def __init__(self, tokens=20, width=12, heads=3, hidden=24, layers=2, dropout=0.2):
        super().__init__()
        self.width = width
        self.embedding = nn.Embedding(tokens, width)
        self.positions = Positions(width, dropout)
        layer = nn.TransformerEncoderLayer(width, heads, hidden, dropout)
        self.encoder = nn.TransformerEncoder(layer, layers, norm=nn.LayerNorm(width))
        self.decoder = nn.Linear(width, tokens)
        self.apply(self.init_weights)

    @staticmethod
    def init_weights(module):
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=0.02)
            module.bias.data.zero_()

    def forward(self, tokens: Tensor, mask: Optional[Tensor] = None) -> Tensor:
        x = self.positions(self.embedding(tokens) * math.sqrt(self.width))
        return self.decoder(self.encoder(x, mask))

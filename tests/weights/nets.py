"""Networks whose weights test_weights.py stores smaller."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(200, 300)
        self.second = nn.Linear(300, 77)
        self.last = nn.Linear(77, 10)

    def forward(self, x: Tensor) -> Tensor:
        return self.last(torch.sigmoid(self.second(F.relu(self.first(x)))))


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 32, 7, stride=2, padding=3)
        self.second = nn.Conv2d(32, 64, 3, padding=1)
        self.groups = nn.Conv2d(64, 64, 3, padding=1, groups=4)
        self.depthwise = nn.Conv2d(64, 64, 3, padding=1, groups=64)
        self.last = nn.Conv2d(64, 40, 1)

    def forward(self, x: Tensor) -> Tensor:
        x = F.relu(self.second(F.relu6(self.first(x))))
        return self.last(self.depthwise(x + self.groups(x))).mean([2, 3])


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(300, 48)
        self.lstm = nn.LSTM(48, 64, num_layers=2, bidirectional=True)
        self.gru = nn.GRU(128, 40, bias=False)
        self.last = nn.Linear(40, 30)

    def forward(self, words: Tensor) -> Tensor:
        x, _ = self.lstm(self.table(words))
        y, _ = self.gru(x)
        return self.last(y)


class Embedding(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(1000, 60)
        self.last = nn.Linear(60, 7)

    def forward(self, words: Tensor) -> Tensor:
        return self.last(self.table(words).mean(1))


class Transformer(nn.Module):
    """A block of a language model, whose table is the weight of its last layer as well."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(300, 64)
        self.qkv = nn.Linear(64, 192)
        self.out = nn.Linear(64, 64)
        self.wide = nn.Linear(64, 256)
        self.narrow = nn.Linear(256, 64)
        self.norm = nn.LayerNorm(64)
        self.mix = nn.Parameter(torch.zeros(64, 64))

    def forward(self, words: Tensor) -> Tensor:
        x = self.table(words)
        q, k, v = self.qkv(self.norm(x)).chunk(3, -1)
        x = x + self.out(torch.softmax(q @ k.transpose(-2, -1) * 0.125, -1) @ v)
        x = x + self.narrow(F.gelu(self.wide(self.norm(x))))
        return F.linear(x @ self.mix, self.table.weight)


class Large(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(1200, 800)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x)


class Learning(nn.Module):
    """Changes its own weight."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(40, 60))

    def forward(self, x: Tensor) -> Tensor:
        y = F.linear(x, self.weight)
        with torch.no_grad():
            self.weight += 0.5
        return y


class Halves(nn.Module):
    """Layers of 16 bits, whatever else is stored smaller."""
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 24, 3, stride=2, padding=1, dtype=torch.float16)
        self.depthwise = nn.Conv2d(24, 24, 3, padding=1, groups=24, dtype=torch.float16)
        self.groups = nn.Conv2d(24, 40, 3, padding=2, dilation=2, groups=2, dtype=torch.bfloat16)
        self.lines = nn.Conv1d(40, 20, 3, bias=False, dtype=torch.bfloat16)
        self.half = nn.Linear(20, 33, dtype=torch.float16)
        self.last = nn.Linear(33, 10, bias=False, dtype=torch.bfloat16)

    def forward(self, x: Tensor) -> Tensor:
        y = torch.sigmoid(self.depthwise(F.relu6(self.first(x.to(torch.float16)))))
        z = self.lines(F.relu(self.groups(y.to(torch.bfloat16))).flatten(2))
        v = F.relu(self.half(z.to(torch.float16).permute(0, 2, 1)))
        return self.last(v.to(torch.bfloat16)).to(torch.float32)

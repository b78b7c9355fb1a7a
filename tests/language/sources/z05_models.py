"""Z5 whole small models: conv-bn-relu, MLP, LSTM/GRU, embedding, attention, transformer layer, traced variant, with
library code under code/__torch__/torch/nn"""
import torch
import torch.nn as nn
import torch.nn.functional as F
def fill(m):
    i = 0
    with torch.no_grad():
        for p in m.parameters():
            p.copy_(torch.linspace(-0.5, 0.5, p.numel()).view_as(p) + 0.01 * i)
            i += 1
    return m.eval()

class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.Conv2d(1, 2, 3, padding=1, stride=2)
        self.b = nn.BatchNorm2d(2)
        self.p = nn.AdaptiveAvgPool2d(1)
        self.l = nn.Linear(2, 3)
        fill(self)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.relu(self.b(self.c(x)))
        x = self.p(x).flatten(1)
        return F.log_softmax(self.l(x), dim=1)

class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.s = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.LayerNorm(4), nn.Linear(4, 2), nn.Softmax(dim=-1))
        fill(self)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.s(x)

class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.Embedding(5, 3)
        self.r = nn.LSTM(3, 4, batch_first=True)
        self.g = nn.GRU(4, 2, batch_first=True)
        fill(self)

    def forward(self, ids: torch.Tensor):
        o, (h, c) = self.r(self.e(ids))
        q, hg = self.g(o)
        return q, h, c, hg

class CellLoop(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(2, 2)
        fill(self)

    def forward(self, xs: torch.Tensor) -> torch.Tensor:
        h = torch.zeros(1, 2)
        out = []
        for t in range(xs.size(0)):
            h = self.cell(xs[t], h)
            out.append(h)
        return torch.stack(out)

class Attn(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.MultiheadAttention(4, 2, batch_first=True)
        fill(self)

    def forward(self, q: torch.Tensor):
        return self.a(q, q, q, need_weights=True)

def make_traced_conv():
    return torch.jit.trace(ConvNet(), torch.ones(1, 1, 6, 6), check_trace=False)

def make_frozen_conv():
    return torch.jit.freeze(torch.jit.script(ConvNet()))

X = torch.arange(36.0).view(1, 1, 6, 6) / 36
CASES = [("ConvNet", (X,)), ("Mlp", (torch.tensor([[1., 2., 3.]]),)), ("Recurrent", (torch.tensor([[0, 3, 4]]),)), ("CellLoop", (torch.ones(3, 1, 2),)), ("Attn", (torch.arange(8.0).view(1, 2, 4) / 8,)), ("make_traced_conv", (X,)), ("make_frozen_conv", (X,))]

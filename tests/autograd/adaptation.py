"""More ways to train: optimizers written out, frozen parts, weights as one tensor, layers that change shape. As in
classics.py, forward(x, t, i) makes step i and gives the loss and the weights."""
import math
from typing import List, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor

from trained import Trained, copies, update


def clip_grad_norm_(grads: List[Tensor], max_norm: float) -> Tensor:
    total = torch.norm(torch.stack([torch.norm(g, 2.0) for g in grads]), 2.0)
    coef = torch.clamp(max_norm / (total + 1e-6), max=1.0)
    for g in grads:
        g.mul_(coef)
    return total


class AdamWClipped(Trained):
    m: List[Tensor]
    v: List[Tensor]

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 8), nn.SiLU(), nn.LayerNorm(8), nn.Linear(8, 3))
        self.fill()
        self.m = [torch.zeros_like(p) for p in self.net.parameters()]
        self.v = [torch.zeros_like(p) for p in self.net.parameters()]

    def step(self, ps: List[Tensor], gs: List[Tensor], i: int):
        with torch.no_grad():
            for p, g, m, v in zip(ps, gs, self.m, self.v):
                p.mul_(1 - 0.01 * 0.1)
                m.mul_(0.9).add_(g, alpha=0.1)
                v.mul_(0.999).addcmul_(g, g, value=0.001)
                denom = (v.sqrt() / math.sqrt(1 - 0.999 ** (i + 1))).add_(1e-8)
                p.addcdiv_(m, denom, value=-0.01 / (1 - 0.9 ** (i + 1)))

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        loss = F.cross_entropy(self.net(x), t)
        ps = [self.net[0].weight, self.net[0].bias, self.net[2].weight, self.net[2].bias, self.net[3].weight, self.net[3].bias]
        gs: List[Tensor] = []
        for g in torch.autograd.grad([loss], ps):
            assert g is not None
            gs.append(g)
        clip_grad_norm_(gs, 0.5)
        self.step(ps, gs, i)
        return float(loss), copies(ps)


class RmsProp(Trained):
    def __init__(self):
        super().__init__()
        self.w1 = nn.Parameter(torch.zeros(4, 6))
        self.w2 = nn.Parameter(torch.zeros(6, 3))
        self.fill()
        self.register_buffer("s1", torch.zeros(4, 6))
        self.register_buffer("s2", torch.zeros(6, 3))

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        y = F.hardswish(x @ self.w1) @ self.w2
        loss = F.nll_loss(F.log_softmax(y, -1), t, reduction="sum")
        loss.backward()
        g1, g2 = self.w1.grad, self.w2.grad
        assert g1 is not None
        assert g2 is not None
        with torch.no_grad():
            for w, g, s in [(self.w1, g1, self.s1), (self.w2, g2, self.s2)]:
                s.mul_(0.9).add_(0.1 * g * g)
                w.sub_(0.01 * g / (s.sqrt() + 1e-6))
            g1.zero_()
            g2.zero_()
        return float(loss), copies([self.w1, self.w2])


class FrozenBackbone(Trained):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 6), nn.ReLU())
        self.head = nn.Linear(6, 3)
        self.fill()
        for p in self.backbone.parameters():
            p.requires_grad_(False)

    def trained(self) -> List[Tensor]:
        return [self.head.weight, self.head.bias]

    def update(self, loss: Tensor):
        gs = torch.autograd.grad([loss], self.trained())
        with torch.no_grad():
            for p, g in zip(self.trained(), gs):
                assert g is not None
                p.add_(g, alpha=-0.3)

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        loss = F.cross_entropy(self.head(self.backbone(x)), t)
        self.update(loss)
        return loss.item(), copies(self.trained())


class FlatWeights(Trained):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(4, 5)
        self.fc2 = nn.Linear(5, 3)
        self.fill()

    def weights(self) -> Tensor:
        return torch.cat([self.fc1.weight.flatten(), self.fc1.bias.flatten(), self.fc2.weight.flatten(), self.fc2.bias.flatten()]).detach().clone()

    def set_weights(self, flat: Tensor):
        at = 0
        with torch.no_grad():
            for p in [self.fc1.weight, self.fc1.bias, self.fc2.weight, self.fc2.bias]:
                p.copy_(flat[at:at + p.numel()].view_as(p))
                at += p.numel()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        loss = F.cross_entropy(self.fc2(F.elu(self.fc1(x))), t)
        gs = torch.autograd.grad([loss], [self.fc1.weight, self.fc1.bias, self.fc2.weight, self.fc2.bias])
        parts: List[Tensor] = []
        for g in gs:
            if g is not None:
                parts.append(g.reshape(-1))
        flat = torch.cat(parts)
        self.set_weights(self.weights() - 0.2 * flat)
        return float(loss), [self.weights()]


class Residual(Trained):
    def __init__(self):
        super().__init__()
        self.cells = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
        self.out = nn.Linear(4, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        h = x
        for cell in self.cells:
            h = h + torch.tanh(cell(h))
        loss = F.cross_entropy(self.out(h), t, reduction="none").topk(3)[0].mean()
        ps = [self.out.weight]
        for cell in self.cells:
            ps.append(cell.weight)
        gs = torch.autograd.grad([loss], ps)
        with torch.no_grad():
            for p, g in zip(ps, gs):
                if g is not None:
                    p -= 0.1 * g
        return float(loss), copies(ps)


class Siamese(Trained):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(4, 5), nn.LeakyReLU(0.1), nn.Linear(5, 2))
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        a, b = self.enc(x[:3]), self.enc(x[3:])
        same = (t[:3] == t[3:]).float()
        d = F.pairwise_distance(a, b)
        loss = (same * d.pow(2) + (1 - same) * F.relu(1.0 - d).pow(2)).mean()
        loss.backward()
        with torch.no_grad():
            for p in [self.enc[0].weight, self.enc[2].weight]:
                g = p.grad
                if g is not None:
                    p -= 0.2 * g
                    g.zero_()
        return float(loss), copies([self.enc[0].weight, self.enc[2].weight])


class GruClassifier(Trained):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(2, 3, bidirectional=True, batch_first=True)
        self.fc = nn.Linear(6, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        out, h = self.gru(x.view(6, 2, 2))
        y = self.fc(torch.cat([h[0], h[1]], 1)) + self.fc(out.mean(1))
        loss = F.cross_entropy(y, t, weight=torch.tensor([1.0, 2.0, 0.5]))
        ps = [self.gru.weight_ih_l0, self.gru.weight_hh_l0_reverse, self.fc.weight]
        gs = torch.autograd.grad([loss], ps)
        with torch.no_grad():
            for k in range(len(ps)):
                g = gs[k]
                if g is not None:
                    ps[k] -= 0.2 * g
        return float(loss), copies(ps)


class ConvTime(Trained):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv1d(1, 4, 3, padding=1)
        self.gn = nn.GroupNorm(2, 4)
        self.pool = nn.AdaptiveMaxPool1d(2)
        self.fc = nn.Linear(8, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        h = F.gelu(self.gn(self.c1(x.unsqueeze(1))))
        h = self.pool(h).flatten(1)
        loss = F.cross_entropy(self.fc(h), t)
        ps = [self.c1.weight, self.gn.weight, self.fc.weight]
        gs = torch.autograd.grad([loss], ps)
        with torch.no_grad():
            for p, g in zip(ps, gs):
                if g is not None:
                    p -= 0.2 * g
        return float(loss), copies(ps)


class CircularImages(Trained):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 3, 2, padding=1, padding_mode="circular")
        self.inorm = nn.InstanceNorm2d(3, affine=True, track_running_stats=True)
        self.fc = nn.Linear(12, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        h = self.inorm(self.conv(x.view(6, 1, 2, 2).repeat(1, 1, 2, 2)))
        h = F.adaptive_max_pool2d(F.rrelu(h, 0.1, 0.3, training=False), 2).flatten(1)
        loss = F.cross_entropy(self.fc(h), t) + 0.01 * torch.norm(self.fc.weight, p=float("inf"))
        ps = [self.conv.weight, self.inorm.weight, self.fc.weight]
        gs = torch.autograd.grad([loss], ps)
        with torch.no_grad():
            for p, g in zip(ps, gs):
                if g is not None:
                    p -= 0.1 * g
        return float(loss) + float(self.inorm.running_mean.sum()), copies(ps)


class NormalizingFlow(Trained):
    def __init__(self):
        super().__init__()
        self.scale = nn.Linear(2, 2)
        self.shift = nn.Linear(2, 2)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        a, b = x.chunk(2, dim=1)
        s, m = torch.tanh(self.scale(a)), self.shift(a)
        z = torch.cat([a, b * torch.exp(s) + m], dim=1)
        logp = -0.5 * (z ** 2 + math.log(2 * math.pi)).sum(1) + s.sum(1)
        loss = -logp.mean()
        ps = [self.scale.weight, self.scale.bias, self.shift.weight]
        gs = torch.autograd.grad([loss], ps)
        with torch.no_grad():
            for p, g in zip(ps, gs):
                if g is not None:
                    p -= 0.1 * g
        return float(loss), copies(ps)


class EarlyReturn(Trained):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.deep = nn.Linear(3, 3)
        self.fill()

    def predict(self, x: Tensor, i: int) -> Tensor:
        h = self.fc(x)
        if i % 2 == 0:
            return h
        for _ in range(i):
            h = torch.sigmoid(self.deep(h))
            if bool(h.mean() > 0.6):
                break
        return h

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        loss = F.cross_entropy(self.predict(x, i), t)
        ps = [self.fc.weight, self.fc.bias, self.deep.weight]
        gs = torch.autograd.grad([loss], ps, allow_unused=True)
        with torch.no_grad():
            for p, g in zip(ps, gs):
                if g is not None:
                    p -= 0.3 * g
        return float(loss), copies(ps)


class Kernels(Trained):
    def __init__(self):
        super().__init__()
        self.mu = nn.Parameter(torch.zeros(3))
        self.w = nn.Parameter(torch.zeros(3))
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        a, b = torch.meshgrid([x[:, 0], self.mu])
        k = torch.exp(-(a - b) ** 2)
        loss = F.huber_loss(k @ self.w, t.float())
        ps = [self.mu, self.w]
        gs = torch.autograd.grad([loss], ps)
        with torch.no_grad():
            for p, g in zip(ps, gs):
                if g is not None:
                    p -= 0.3 * g
        return float(loss), copies(ps)


class SoftPrompt(Trained):
    def __init__(self):
        super().__init__()
        self.prompt = nn.Parameter(torch.zeros(2, 4))
        self.attn = nn.MultiheadAttention(4, 2, batch_first=True)
        self.fc = nn.Linear(4, 3)
        self.fill()
        for p in self.attn.parameters():
            p.requires_grad = False

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        seq = torch.cat([self.prompt.unsqueeze(0).expand(3, 2, 4), x.view(3, 2, 4)], 1)
        y, _ = self.attn(seq, seq, seq)
        loss = F.cross_entropy(self.fc(y[:, -2:].reshape(6, 4)), t)
        ps = [self.prompt, self.fc.weight]
        gs = torch.autograd.grad([loss], ps)
        with torch.no_grad():
            for p, g in zip(ps, gs):
                if g is not None:
                    p -= 0.3 * g
        return float(loss), copies(ps)


class WeightAveraging(Trained):
    average: List[Tensor]

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.fill()
        self.average = [torch.zeros(3, 4), torch.zeros(3)]

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        xs, ts = torch.split(x, 2), torch.split(t, 2)
        total = 0.0
        for xb, tb in zip(xs, ts):
            loss = F.cross_entropy(self.fc(xb), tb)
            gs = torch.autograd.grad([loss], [self.fc.weight, self.fc.bias])
            gw, gb = gs[0], gs[1]
            assert gw is not None and gb is not None
            with torch.no_grad():
                self.fc.weight -= 0.2 * gw
                self.fc.bias -= 0.2 * gb
            total += loss.item()
        with torch.no_grad():
            self.average[0].mul_(i / (i + 1.0)).add_(self.fc.weight / (i + 1.0))
            self.average[1].mul_(i / (i + 1.0)).add_(self.fc.bias / (i + 1.0))
        return total, copies(self.average)


CLASSICS = [AdamWClipped, RmsProp, FrozenBackbone, FlatWeights, Residual, Siamese, GruClassifier, ConvTime,
            CircularImages, NormalizingFlow, EarlyReturn, Kernels, SoftPrompt, WeightAveraging]

"""Ten steps of modules that compute with `.grad` of their parameters, and ask for gradients of what comes out."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 5)
        self.b = nn.Linear(5, 3)
        with torch.no_grad():
            for i, p in enumerate(self.parameters()):
                p.copy_(torch.sin(torch.arange(p.numel(), dtype=torch.float32) * 1.3 + float(i)).reshape(p.shape) * 0.5)

    def net(self, x: Tensor) -> Tensor:
        return self.b(torch.tanh(self.a(x)))


class PenaltyOfKept(Base):
    def forward(self, x: Tensor, t: Tensor, i: int):
        loss = F.cross_entropy(self.net(x), t)
        loss.backward(create_graph=True, retain_graph=True)
        g, h = self.a.weight.grad, self.b.weight.grad
        assert g is not None and h is not None
        penalty = g.pow(2).sum() + h.pow(2).sum()
        gs = torch.autograd.grad([penalty * 0.1 + loss], [self.a.weight, self.b.weight])
        with torch.no_grad():
            for p, d in zip([self.a.weight, self.b.weight], gs):
                assert d is not None
                p.sub_(d * 0.1)
        for p in [self.a.weight, self.a.bias, self.b.weight, self.b.bias]:
            d = p.grad
            assert d is not None
            d.detach_().zero_()
        return float(loss) + float(penalty), [self.a.weight.detach().clone(), self.b.weight.detach().clone()]


class TwiceBackward(Base):
    def forward(self, x: Tensor, t: Tensor, i: int):
        loss = F.cross_entropy(self.net(x), t)
        loss.backward(create_graph=True, retain_graph=True)
        g = self.a.weight.grad
        assert g is not None
        penalty = (g * g).sum()
        penalty.backward()
        with torch.no_grad():
            for p in [self.a.weight, self.a.bias, self.b.weight, self.b.bias]:
                d = p.grad
                assert d is not None
                p.sub_(d * 0.1)
        for p in [self.a.weight, self.a.bias, self.b.weight, self.b.bias]:
            d = p.grad
            assert d is not None
            d.detach_().zero_()
        return float(loss) + float(penalty), [self.a.weight.detach().clone(), self.b.weight.detach().clone()]


class NormInALoop(Base):
    def forward(self, x: Tensor, t: Tensor, i: int):
        loss = F.cross_entropy(self.net(x), t)
        loss.backward(create_graph=True, retain_graph=True)
        total = torch.zeros(())
        for p in [self.a.weight, self.a.bias, self.b.weight]:
            d = p.grad
            if d is not None:
                total = total + d.norm()
        gs = torch.autograd.grad([total + loss], [self.a.weight, self.b.weight])
        with torch.no_grad():
            for p, d in zip([self.a.weight, self.b.weight], gs):
                assert d is not None
                p.sub_(d * 0.1)
            for p in [self.a.weight, self.a.bias, self.b.weight, self.b.bias]:
                d = p.grad
                if d is not None:
                    d.detach_().zero_()
        return float(loss) + float(total), [self.a.weight.detach().clone(), self.b.weight.detach().clone()]


class OfAResult(Base):
    def forward(self, x: Tensor, t: Tensor, i: int):
        z = x * self.a.weight[:1] * 2.0
        z.retain_grad()
        loss = F.cross_entropy(self.net(z), t)
        loss.backward(create_graph=True, retain_graph=True)
        g = z.grad
        assert g is not None
        gs = torch.autograd.grad([g.pow(2).sum() + loss], [self.a.weight, self.b.weight])
        with torch.no_grad():
            for p, d in zip([self.a.weight, self.b.weight], gs):
                assert d is not None
                p.sub_(d * 0.1)
        return float(loss), [self.a.weight.detach().clone(), self.b.weight.detach().clone()]


class ThreeBackwards(Base):
    def forward(self, x: Tensor, t: Tensor, i: int):
        loss = F.cross_entropy(self.net(x), t)
        loss.backward(create_graph=True, retain_graph=True)
        g = self.a.weight.grad
        assert g is not None
        first = (g * g).sum()
        first.backward(create_graph=True, retain_graph=True)
        h = self.a.weight.grad
        assert h is not None
        second = (h.pow(3)).sum() * 0.1
        second.backward()
        with torch.no_grad():
            for p in [self.a.weight, self.a.bias, self.b.weight, self.b.bias]:
                d = p.grad
                assert d is not None
                p.sub_(d * 0.02)
        for p in [self.a.weight, self.a.bias, self.b.weight, self.b.bias]:
            d = p.grad
            assert d is not None
            d.detach_().zero_()
        return float(loss) + float(first) + float(second), [self.a.weight.detach().clone(), self.b.weight.detach().clone()]


class InABranch(Base):
    def forward(self, x: Tensor, t: Tensor, i: int):
        loss = F.cross_entropy(self.net(x), t)
        loss.backward(create_graph=True, retain_graph=True)
        penalty = torch.zeros(())
        if i % 2 == 0:
            g = self.a.weight.grad
            assert g is not None
            penalty = (g * g).sum()
        gs = torch.autograd.grad([loss + penalty], [self.a.weight, self.b.weight])
        with torch.no_grad():
            for p, d in zip([self.a.weight, self.b.weight], gs):
                assert d is not None
                p.sub_(d * 0.1)
        for p in [self.a.weight, self.a.bias, self.b.weight, self.b.bias]:
            d = p.grad
            if d is not None:
                d.detach_().zero_()
        return float(loss) + float(penalty), [self.a.weight.detach().clone(), self.b.weight.detach().clone()]


CLASSICS = [PenaltyOfKept, TwiceBackward, NormInALoop, OfAResult, ThreeBackwards, InABranch]

"""Programs that train by way of classes, interfaces, branches and in-place updates. As in classics.py, forward(x, t, i)
makes step i and gives the loss and the weights."""
import math
from typing import Dict, List, Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor

from trained import Trained, copies, update


@torch.jit.script
class Layer:
    """A class that holds parameters."""

    def __init__(self, weight: Tensor, bias: Tensor):
        self.weight = weight
        self.bias = bias
        self.calls = 0

    def apply(self, x: Tensor) -> Tensor:
        self.calls += 1
        return x @ self.weight + self.bias

    def update(self, gw: Tensor, gb: Tensor, rate: float):
        with torch.no_grad():
            self.weight.sub_(gw * rate)
            self.bias.sub_(gb * rate)


class Holder(Trained):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(4, 3))
        self.b = nn.Parameter(torch.zeros(3))
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        layer = Layer(self.w, self.b)
        loss = F.cross_entropy(layer.apply(torch.tanh(layer.apply(x)) @ torch.ones(3, 4) * 0.3), t)
        gs = torch.autograd.grad([loss], [layer.weight, layer.bias])
        gw, gb = gs[0], gs[1]
        assert gw is not None and gb is not None
        layer.update(gw, gb, 0.1 * layer.calls)
        return float(loss), copies([self.w, self.b])


@torch.jit.interface
class Block(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        pass


class Wide(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 6)
        self.b = nn.Linear(6, 4)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.b(F.gelu(self.a(x)))


class Narrow(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        if bool(x.mean() > 0):
            return x * torch.sigmoid(self.a(x))
        return x - torch.tanh(self.a(x))


class ThroughInterface(Trained):
    first: Block
    second: Block

    def __init__(self):
        super().__init__()
        self.first = Wide()
        self.second = Narrow()
        self.head = nn.Linear(4, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        h = self.second.forward(self.first.forward(x))
        loss = F.cross_entropy(self.head(h), t)
        ps = [self.head.weight, self.head.bias]
        update(ps, torch.autograd.grad([loss], ps), 0.3)
        return float(loss), copies(ps)


class RunningNorm(Trained):
    """Normalizes by statistics that each step updates in place; the loss returns early."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.fill()
        self.register_buffer("mean", torch.zeros(4))
        self.register_buffer("var", torch.ones(4))
        self.register_buffer("count", torch.tensor(0))

    def loss(self, y: Tensor, t: Tensor, i: int) -> Tensor:
        if i == 0:
            return y.pow(2).mean()
        per_row = F.cross_entropy(y, t, reduction="none")
        if i % 3 == 0:
            worst, _ = per_row.topk(2)
            return worst.mean()
        for k in range(i):
            if float(per_row[k % 6]) > 1.0:
                return per_row.mean() + per_row[k % 6]
        return per_row.mean()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        x = x * (1 + 0.1 * i)
        with torch.no_grad():
            self.count += 1
            delta = x.mean(0) - self.mean
            self.mean += delta / self.count
            self.var.mul_(0.9).add_(0.1 * x.var(0, unbiased=False))
        h = (x - self.mean) / torch.sqrt(self.var + 1e-5)
        loss = self.loss(self.fc(h), t, i)
        loss.backward()
        w, b = self.fc.weight, self.fc.bias
        gw, gb = w.grad, b.grad
        assert gw is not None and gb is not None
        with torch.no_grad():
            w -= 0.2 * gw
            b -= 0.2 * gb
        gw.zero_()
        gb.zero_()
        return float(loss), copies([w, b, self.mean, self.var])


class LoraTeacher(Trained):
    """LoRA factors in a dict of modules, against an averaged teacher (EMA)."""

    def __init__(self):
        super().__init__()
        self.base = nn.Linear(4, 3)
        self.down = nn.ParameterList([nn.Parameter(torch.zeros(4, 2)) for _ in range(2)])
        self.up = nn.ParameterList([nn.Parameter(torch.zeros(2, 3)) for _ in range(2)])
        self.fill()
        for p in self.base.parameters():
            p.requires_grad_(False)
        self.register_buffer("teacher", torch.zeros(4, 3))

    def delta(self) -> Tensor:
        total = torch.zeros(4, 3)
        for a, b in zip(self.down, self.up):
            total = total + a @ b * 0.5
        return total

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        delta = self.delta()
        y = self.base(x) + x @ delta
        with torch.no_grad():
            wanted = F.softmax(self.base(x) + x @ self.teacher, 1)
        loss = F.cross_entropy(y, t) + 0.5 * F.kl_div(F.log_softmax(y, 1), wanted, reduction="batchmean")
        ps: List[Tensor] = []
        for p in self.down:
            ps.append(p)
        for p in self.up:
            ps.append(p)
        update(ps, torch.autograd.grad([loss], ps), 0.3)
        with torch.no_grad():
            self.teacher.lerp_(self.delta(), 0.2)
        return float(loss), copies(ps + [self.teacher])


class MixedPrecision(Trained):
    """Weights of float64, products of float32, a scale of the loss that falls when a gradient is not finite."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(3, 4, dtype=torch.float64))
        self.b = nn.Parameter(torch.zeros(3, dtype=torch.float64))
        self.fill()
        self.scale = 1024.0

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        h = F.linear(x, self.w.float()) + self.b.to(x.dtype)
        loss = F.cross_entropy(h, t)
        gs = torch.autograd.grad([loss * self.scale], [self.w, self.b])
        finite = True
        for g in gs:
            if g is not None:
                finite = finite and bool(torch.isfinite(g).all())
        if finite:
            with torch.no_grad():
                for p, g in zip([self.w, self.b], gs):
                    if g is not None:
                        p.add_(g / self.scale, alpha=-0.1)
            self.scale = self.scale * 2
        else:
            self.scale = self.scale / 2
        return float(loss), copies([self.w, self.b])


class CyclePenalty(Trained):
    """R1 penalty in a step of two networks, with gradients of what was created in a branch."""

    def __init__(self):
        super().__init__()
        self.d1 = nn.Linear(4, 6)
        self.d2 = nn.Linear(6, 1)
        self.g1 = nn.Linear(2, 4)
        self.fill()

    def score(self, x: Tensor) -> Tensor:
        return self.d2(F.leaky_relu(self.d1(x), 0.2)).squeeze(1)

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        torch.manual_seed(i)
        noise = torch.randn(6, 2)
        fake = torch.tanh(self.g1(noise))
        real = x.clone().requires_grad_(True)
        s = self.score(real)
        loss_d = F.softplus(-s).mean() + F.softplus(self.score(fake.detach())).mean()
        if i % 2 == 0:
            g = torch.autograd.grad([s.sum()], [real], create_graph=True)[0]
            assert g is not None
            loss_d = loss_d + 0.5 * g.pow(2).sum(1).mean()
        pd = [self.d1.weight, self.d2.weight]
        update(pd, torch.autograd.grad([loss_d], pd), 0.1)
        loss_g = F.softplus(-self.score(fake)).mean()
        pg = [self.g1.weight, self.g1.bias]
        update(pg, torch.autograd.grad([loss_g], pg), 0.1)
        return float(loss_d) + float(loss_g), copies(pd + pg)


class VaeOfDict(Trained):
    """A VAE whose forward gives a dict, with annealed divergence and a learned variance."""

    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(4, 6)
        self.dec = nn.Linear(3, 4)
        self.log_sigma = nn.Parameter(torch.zeros(()))
        self.fill()

    def run(self, x: Tensor) -> Dict[str, Tensor]:
        mu, logvar = self.enc(x).split(3, dim=1)
        std = (0.5 * logvar).exp()
        z = mu + std * torch.randn(x.size(0), 3)
        return {"mu": mu, "logvar": logvar, "reconstruction": self.dec(z)}

    def losses(self, out: Dict[str, Tensor], x: Tensor) -> Dict[str, Tensor]:
        nll = F.gaussian_nll_loss(out["reconstruction"], x, torch.ones_like(x) * self.log_sigma.exp() ** 2)
        kld = torch.mean(-0.5 * torch.sum(1 + out["logvar"] - out["mu"] ** 2 - out["logvar"].exp(), dim=1), dim=0)
        return {"nll": nll, "kld": kld}

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        torch.manual_seed(i)
        losses = self.losses(self.run(x), x)
        total = torch.zeros(())
        for name, value in losses.items():
            total = total + value * (min(1.0, i / 5.0) if name == "kld" else 1.0)
        ps = [self.enc.weight, self.dec.weight, self.log_sigma]
        update(ps, torch.autograd.grad([total], ps), 0.1)
        return float(total), copies(ps)


class Recursive(Trained):
    """A stack machine that reduces a sentence to one vector: a list that grows and shrinks by what the input says."""

    def __init__(self):
        super().__init__()
        self.leaf = nn.Linear(4, 3)
        self.node = nn.Linear(6, 3)
        self.out = nn.Linear(3, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        stack: List[Tensor] = []
        for k in range(x.size(0)):
            stack.append(torch.tanh(self.leaf(x[k])))
            if int(t[k]) > 0 and len(stack) > 1:
                right = stack.pop()
                left = stack.pop()
                stack.append(torch.tanh(self.node(torch.cat([left, right]))))
        while len(stack) > 1:
            right = stack.pop()
            left = stack.pop()
            stack.append(torch.tanh(self.node(torch.cat([left, right]))))
        loss = F.cross_entropy(self.out(stack[0]).unsqueeze(0), t[:1])
        ps = [self.leaf.weight, self.node.weight, self.out.weight]
        update(ps, torch.autograd.grad([loss], ps), 0.2)
        return float(loss), copies(ps)


class HalfAndDouble(Trained):
    """A double network with spectral norm by power iteration, and a matrix exponential's penalty."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(3, 4, dtype=torch.float64))
        with torch.no_grad():
            self.w.copy_(torch.sin(torch.arange(12.0, dtype=torch.float64) * 1.3).reshape(3, 4))
        self.register_buffer("u", torch.ones(3, dtype=torch.float64) / math.sqrt(3.0))

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        u = self.u
        with torch.no_grad():
            v = F.normalize(self.w.t() @ u, dim=0)
            u = F.normalize(self.w @ v, dim=0)
            self.u.copy_(u)
        sigma = u @ self.w @ v
        y = x.double() @ (self.w / sigma).t()
        a = self.w @ self.w.t()
        loss = F.multi_margin_loss(y, t) + 0.01 * torch.matrix_exp(-a).trace() + 0.01 * torch.logdet(a + torch.eye(3, dtype=torch.float64))
        g = torch.autograd.grad([loss], [self.w])[0]
        assert g is not None
        with torch.no_grad():
            self.w.add_(g, alpha=-0.2)
        return float(loss), copies([self.w])


class Memory(Trained):
    """Writes to a memory in place inside of the differentiated part (an NTM), read by attention."""

    def __init__(self):
        super().__init__()
        self.key = nn.Linear(4, 3)
        self.erase = nn.Linear(4, 3)
        self.add = nn.Linear(4, 3)
        self.out = nn.Linear(3, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        memory = torch.full((5, 3), 0.1)
        reads = torch.zeros(x.size(0), 3)
        for k in range(x.size(0)):
            w = torch.softmax(torch.mv(memory, self.key(x[k])), 0)
            memory = memory * (1 - torch.outer(w, torch.sigmoid(self.erase(x[k])))) + torch.outer(w, torch.tanh(self.add(x[k])))
            reads[k] = w @ memory
        loss = F.cross_entropy(self.out(reads), t)
        ps = [self.key.weight, self.erase.weight, self.add.weight, self.out.weight]
        update(ps, torch.autograd.grad([loss], ps), 0.5)
        return float(loss), copies(ps)


class RandomLeaks(Trained):
    """Slopes that are drawn anew in each step (rrelu in training mode)."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        torch.manual_seed(i)
        loss = F.cross_entropy(F.rrelu(self.fc(x), 0.1, 0.4, True), t)
        ps = [self.fc.weight, self.fc.bias]
        update(ps, torch.autograd.grad([loss], ps), 0.3)
        return float(loss), copies(ps)


class StoredState(Trained):
    """A recurrent state and its energy are attributes that loops and branches store to."""

    def __init__(self):
        super().__init__()
        self.mix = nn.Parameter(torch.zeros(4, 4))
        self.out = nn.Linear(4, 3)
        self.register_buffer("state", torch.zeros(4))
        self.register_buffer("energy", torch.zeros(1))
        self.fill()

    def step(self, x: Tensor):
        self.state = torch.tanh(x + self.state @ self.mix)
        if bool(self.state.sum() > 0):
            self.energy = self.energy + self.state.pow(2).sum()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        self.state = self.state.detach()
        self.energy = torch.zeros(1)
        outs: List[Tensor] = []
        for k in range(x.size(0)):
            self.step(x[k])
            outs.append(self.out(self.state))
        loss = F.cross_entropy(torch.stack(outs), t) + 0.1 * self.energy.sum() + 0.01 * self.state.abs().sum()
        ps = [self.mix, self.out.weight, self.out.bias]
        update(ps, torch.autograd.grad([loss], [self.mix, self.out.weight, self.out.bias]), 0.2)
        self.state = self.state.detach()
        self.energy = self.energy.detach()
        return loss.item(), copies(ps) + [self.state, self.energy]


CLASSICS = [Holder, ThroughInterface, RunningNorm, LoraTeacher, MixedPrecision, CyclePenalty, VaeOfDict, Recursive,
            HalfAndDouble, Memory, RandomLeaks, StoredState]

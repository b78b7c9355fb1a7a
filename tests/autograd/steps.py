"""Ways to make a step: optimizers by hand, gradients that wait in .grad from method to method and from call to call. As
in classics.py, forward(x, t, i) makes step i and gives the loss and the weights."""
import math
from typing import Dict, List, Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor

from trained import Trained, copies, update


class ThreeMethods(Trained):
    """zero_grad, backward and step are methods of their own; Adam's moments are in a dict by name."""

    moments: Dict[str, Tensor]

    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(4, 6)
        self.out = nn.Linear(6, 3)
        self.moments = {}
        self.count = 0
        self.fill()

    def zero_grad_(self):
        if self.count > 0:
            for p in [self.hidden.weight, self.hidden.bias, self.out.weight, self.out.bias]:
                g = p.grad
                if g is not None:
                    g.zero_()

    @torch.jit.export
    def backward(self, x: Tensor, t: Tensor) -> float:
        loss = F.cross_entropy(self.out(torch.tanh(self.hidden(x))), t)
        loss.backward()
        return loss.item()

    @torch.jit.export
    def step(self, rate: float):
        self.count += 1
        named = {"hidden.weight": self.hidden.weight, "hidden.bias": self.hidden.bias, "out.weight": self.out.weight, "out.bias": self.out.bias}
        with torch.no_grad():
            for name, p in named.items():
                g = p.grad
                assert g is not None
                if name + ".m" not in self.moments:
                    self.moments[name + ".m"] = torch.zeros_like(p)
                    self.moments[name + ".v"] = torch.zeros_like(p)
                m, v = self.moments[name + ".m"], self.moments[name + ".v"]
                m.mul_(0.9).add_(g, alpha=0.1)
                v.mul_(0.999).addcmul_(g, g, value=0.001)
                scale = math.sqrt(1 - 0.999 ** self.count) / (1 - 0.9 ** self.count)
                p.addcdiv_(m, v.sqrt().add_(1e-8), value=-rate * scale)

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        self.zero_grad_()
        loss = self.backward(x + 0.1 * i, t)
        self.step(0.05)
        return loss, copies([self.hidden.weight, self.hidden.bias, self.out.weight, self.out.bias])


class MicroBatches(Trained):
    """Gradients add up over chunks of a batch, and over two calls; only then the weights change."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 3))
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        total = 0.0
        parts = 3 if i % 4 < 2 else 2
        for a, b in zip((x + 0.05 * i).chunk(parts), t.chunk(parts)):
            loss = F.cross_entropy(self.net(a), b) / parts
            loss.backward()
            total += loss.item()
        ps = [self.net[0].weight, self.net[0].bias, self.net[2].weight, self.net[2].bias]
        if i % 2 == 1:
            with torch.no_grad():
                for p in ps:
                    g = p.grad
                    assert g is not None
                    p.sub_(g, alpha=0.3)
                    g.zero_()
        return total, copies(ps)


class Phases(Trained):
    """Even calls compute gradients, odd ones clip them and make the step."""

    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(2, 4, batch_first=True)
        self.out = nn.Linear(4, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        ps = [self.gru.weight_ih_l0, self.gru.weight_hh_l0, self.gru.bias_ih_l0, self.out.weight, self.out.bias]
        result = 0.0
        if i % 2 == 0:
            _, h = self.gru(x.view(6, 2, 2))
            loss = F.cross_entropy(self.out(h[0]), t)
            loss.backward()
            result = loss.item()
        else:
            norms: List[Tensor] = []
            for p in ps:
                g = p.grad
                assert g is not None
                norms.append(g.norm(2.0))
            norm = torch.stack(norms).norm(2.0)
            scale = (0.5 / (norm + 1e-6)).clamp(max=1.0)
            with torch.no_grad():
                for p in ps:
                    g = p.grad
                    assert g is not None
                    g.mul_(scale)
                    p -= 0.4 * g
                    g.fill_(0.0)
            result = norm.item()
        return result, copies(ps)


class TwoLosses(Trained):
    """Two losses add to the same .grad: one shares a layer with the other; values are clipped."""

    def __init__(self):
        super().__init__()
        self.shared = nn.Linear(4, 5)
        self.kind = nn.Linear(5, 3)
        self.value = nn.Linear(5, 1)
        self.register_buffer("square", torch.zeros(5, 4))
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        h = F.gelu(self.shared(x))
        first = F.cross_entropy(self.kind(h), t)
        first.backward(retain_graph=True)
        second = F.mse_loss(self.value(h).squeeze(1), x.sum(1))
        (0.5 * second).backward()
        shared = self.shared.weight.grad
        assert shared is not None
        shared.clamp_(-0.3, 0.3)
        with torch.no_grad():
            self.square.mul_(0.9).addcmul_(shared, shared, value=0.1)
            self.shared.weight.addcdiv_(shared, self.square.sqrt() + 1e-3, value=-0.01)
            shared.zero_()
            for p in [self.kind.weight, self.value.weight, self.value.bias]:
                g = p.grad
                assert g is not None
                torch.clamp_(g, -0.2, 0.2)
                p.sub_(g * 0.2)
                g.zero_()
        return (first + second).item(), copies([self.shared.weight, self.kind.weight, self.value.weight, self.value.bias])


class Thawed(Trained):
    """Layers are frozen at first and thawed one after the other: what is frozen gets no gradient."""

    def __init__(self):
        super().__init__()
        self.low = nn.Linear(4, 5)
        self.high = nn.Linear(5, 3)
        self.fill()
        self.low.weight.requires_grad_(False)

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        loss = F.cross_entropy(self.high(torch.tanh(self.low(x))), t)
        loss.backward()
        with torch.no_grad():
            for p in [self.low.bias, self.high.weight, self.high.bias]:
                g = p.grad
                assert g is not None
                p -= 0.3 * g
                g.zero_()
        return loss.item(), copies([self.low.weight, self.low.bias, self.high.weight, self.high.bias])


class Adagrad(Trained):
    """Adagrad with sums in a dict, decay of the rate and of the weights, sums that begin above zero."""

    sums: Dict[str, Tensor]

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 5)
        self.b = nn.Linear(5, 3)
        self.fill()
        self.sums = {"a.weight": torch.full((5, 4), 0.1), "a.bias": torch.full((5,), 0.1), "b.weight": torch.full((3, 5), 0.1)}

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        loss = F.cross_entropy(self.b(F.silu(self.a(x))), t)
        named = {"a.weight": self.a.weight, "a.bias": self.a.bias, "b.weight": self.b.weight}
        gs = torch.autograd.grad([loss], [self.a.weight, self.a.bias, self.b.weight])
        rate = 0.2 / (1 + i * 0.05)
        with torch.no_grad():
            for k, name in enumerate(["a.weight", "a.bias", "b.weight"]):
                g = gs[k]
                assert g is not None
                p = named[name]
                if not name.endswith("bias"):
                    g = g + 0.01 * p
                s = self.sums[name]
                s.addcmul_(g, g)
                p.addcdiv_(g, s.sqrt().add_(1e-10), value=-rate)
        return loss.item(), copies([named["a.weight"], named["a.bias"], named["b.weight"], self.sums["b.weight"]])


class Lamb(Trained):
    """LAMB: Adam's direction, as long as the layer's weights."""

    m: List[Tensor]
    v: List[Tensor]

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 6)
        self.b = nn.Linear(6, 3)
        self.fill()
        self.m = [torch.zeros(6, 4), torch.zeros(6), torch.zeros(3, 6)]
        self.v = [torch.zeros(6, 4), torch.zeros(6), torch.zeros(3, 6)]

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        loss = F.cross_entropy(self.b(torch.relu(self.a(x))), t)
        ps = [self.a.weight, self.a.bias, self.b.weight]
        gs = torch.autograd.grad([loss], ps)
        with torch.no_grad():
            for k in range(len(self.m)):
                g = gs[k]
                assert g is not None
                m, v, p = self.m[k], self.v[k], ps[k]
                m.mul_(0.9).add_(g, alpha=0.1)
                v.mul_(0.99).addcmul_(g, g, value=0.01)
                update = m / (1 - 0.9 ** (i + 1)) / ((v / (1 - 0.99 ** (i + 1))).sqrt() + 1e-6) + 0.01 * p
                w_norm, u_norm = p.norm(), update.norm()
                trust = torch.where(w_norm > 0, torch.where(u_norm > 0, w_norm / u_norm, torch.ones([])), torch.ones([]))
                p.add_(update * trust, alpha=-0.05)
        return loss.item(), copies(ps)


class Adadelta(Trained):
    squares: List[Tensor]
    deltas: List[Tensor]

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(4, 3))
        self.b = nn.Parameter(torch.zeros(3))
        self.fill()
        self.squares = [torch.zeros_like(self.w), torch.zeros_like(self.b)]
        self.deltas = [torch.zeros_like(self.w), torch.zeros_like(self.b)]

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        loss = F.multi_margin_loss(x @ self.w + self.b, t)
        loss.backward()
        for p, s, d in zip([self.w, self.b], self.squares, self.deltas):
            g = p.grad
            assert g is not None
            with torch.no_grad():
                s.mul_(0.9).addcmul_(g, g, value=0.1)
                delta = (d + 1e-4).sqrt_().div_((s + 1e-4).sqrt()).mul_(g)
                d.mul_(0.9).addcmul_(delta, delta, value=0.1)
                p.sub_(delta)
                g.zero_()
        return loss.item(), copies([self.w, self.b])


class Adafactor(Trained):
    """The second moment of a matrix as a row and a column."""

    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.zeros(5, 4))
        self.b = nn.Parameter(torch.zeros(3, 5))
        self.register_buffer("rows", torch.zeros(5))
        self.register_buffer("columns", torch.zeros(4))
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        loss = F.cross_entropy(F.relu(x @ self.a.t()) @ self.b.t(), t)
        g, g2 = torch.autograd.grad([loss], [self.a, self.b])
        assert g is not None and g2 is not None
        with torch.no_grad():
            beta = 1.0 - math.pow(i + 1.0, -0.8)
            squared = g ** 2 + 1e-30
            self.rows.mul_(beta).add_(squared.mean(dim=-1), alpha=1.0 - beta)
            self.columns.mul_(beta).add_(squared.mean(dim=-2), alpha=1.0 - beta)
            r = (self.rows / self.rows.mean()).rsqrt_().unsqueeze(-1)
            c = self.columns.unsqueeze(0).rsqrt()
            u = r * c * g
            u.div_((u.norm(2) / math.sqrt(u.numel())).clamp_(min=1.0))
            self.a.add_(u, alpha=-0.05)
            self.b.add_(g2.sign(), alpha=-0.01)
        return loss.item(), copies([self.a, self.b, self.rows])


class Orthogonal(Trained):
    """Momentum made orthogonal by an iteration of Newton and Schulz."""

    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.zeros(5, 4))
        self.b = nn.Parameter(torch.zeros(3, 5))
        self.register_buffer("ma", torch.zeros(5, 4))
        self.register_buffer("mb", torch.zeros(3, 5))
        self.fill()

    def whitened(self, g: Tensor, steps: int) -> Tensor:
        x = g / (g.norm() + 1e-7)
        if g.size(0) > g.size(1):
            x = x.t()
        for _ in range(steps):
            a = x @ x.t()
            x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
        return x.t() if g.size(0) > g.size(1) else x

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        loss = F.cross_entropy(torch.tanh(x @ self.a.t()) @ self.b.t(), t)
        loss.backward()
        with torch.no_grad():
            for p, m in zip([self.a, self.b], [self.ma, self.mb]):
                g = p.grad
                assert g is not None
                m.mul_(0.9).add_(g)
                p.sub_(self.whitened(g.add(m, alpha=0.9), 3), alpha=0.02)
                g.zero_()
        return loss.item(), copies([self.a, self.b])


class LookAhead(Trained):
    """Fast weights, and slow ones that take a part of the way every third step; a rate with warm restarts."""

    slow: List[Tensor]

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 5), nn.Softplus(), nn.Linear(5, 3))
        self.fill()
        self.slow = [self.net[0].weight.detach().clone(), self.net[2].weight.detach().clone()]
        self.rate = 0.0
        self.age = 0

    def schedule(self):
        self.rate = 0.05 + 0.5 * (0.4 - 0.05) * (1 + math.cos(math.pi * self.age / 4))
        self.age = 0 if self.age == 3 else self.age + 1

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        self.schedule()
        loss = F.cross_entropy(self.net(x), t)
        fast = [self.net[0].weight, self.net[2].weight]
        update(fast, torch.autograd.grad([loss], fast), self.rate)
        if i % 3 == 2:
            with torch.no_grad():
                for f, s in zip(fast, self.slow):
                    s.add_(f - s, alpha=0.5)
                    f.copy_(s)
        return loss.item() + self.rate, copies(fast)


class Surgery(Trained):
    """Gradients of three tasks, each freed of what hurts another (PCGrad), as flat vectors."""

    def __init__(self):
        super().__init__()
        self.shared = nn.Linear(4, 6)
        self.heads = nn.ModuleList([nn.Linear(6, 1), nn.Linear(6, 1), nn.Linear(6, 1)])
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        h = torch.tanh(self.shared(x))
        wanted = [x.sum(1, keepdim=True), -x[:, :1], (t > 0).float().unsqueeze(1)]
        losses: List[Tensor] = []
        for k, head in enumerate(self.heads):
            losses.append(F.mse_loss(head(h), wanted[k]))
        flat: List[Tensor] = []
        for loss in losses:
            gs = torch.autograd.grad([loss], [self.shared.weight, self.shared.bias], retain_graph=True)
            parts: List[Tensor] = []
            for g in gs:
                assert g is not None
                parts.append(g.reshape(-1))
            flat.append(torch.cat(parts))
        total = torch.zeros_like(flat[0])
        for a in range(len(flat)):
            g = flat[a].clone()
            for b in range(len(flat)):
                dot = torch.dot(g, flat[b])
                if a != b and dot.item() < 0:
                    g -= dot * flat[b] / flat[b].norm().pow(2)
            total += g
        with torch.no_grad():
            n = self.shared.weight.numel()
            self.shared.weight.sub_(total[:n].view_as(self.shared.weight), alpha=0.1)
            self.shared.bias.sub_(total[n:], alpha=0.1)
        return (losses[0] + losses[1] + losses[2]).item(), copies([self.shared.weight, self.shared.bias])


class Newton(Trained):
    """A truncated Newton step: conjugate gradients on products of the Hessian and a vector."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(4, 3))
        self.fill()

    def product(self, g: Tensor, v: Tensor) -> Tensor:
        hv = torch.autograd.grad([(g * v).sum()], [self.w], retain_graph=True)[0]
        assert hv is not None
        return hv + 0.1 * v

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        loss = F.cross_entropy(x @ self.w, t)
        g = torch.autograd.grad([loss], [self.w], create_graph=True)[0]
        assert g is not None
        r = -g.detach()
        d = torch.zeros_like(r)
        p = r.clone()
        rr = (r * r).sum()
        for _ in range(4):
            hp = self.product(g, p)
            a = rr / (p * hp).sum()
            d = d + a * p
            r = r - a * hp
            new = (r * r).sum()
            if new.item() < 1e-10:
                break
            p = r + (new / rr) * p
            rr = new
        with torch.no_grad():
            self.w.add_(d, alpha=0.5)
        return loss.item(), copies([self.w])


class MetaRates(Trained):
    """Meta-SGD: the rates of the inner step are learned with the weights that it begins from."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(4, 3))
        self.b = nn.Parameter(torch.zeros(3))
        self.rates = nn.ParameterDict({"w": nn.Parameter(torch.full((4, 3), 0.1)), "b": nn.Parameter(torch.full((3,), 0.1))})
        with torch.no_grad():
            self.w.copy_(torch.sin(torch.arange(12.)).view(4, 3) * 0.3)

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        rw, rb = self.rates["w"], self.rates["b"]
        outer = torch.zeros(1)
        for task in range(2):
            flip = 1.0 if task == 0 else -1.0
            w, b = self.w, self.b
            inner = F.cross_entropy(flip * x[:3] @ w + b, t[:3])
            gw, gb = torch.autograd.grad([inner], [w, b], create_graph=True)
            assert gw is not None and gb is not None
            w = w - rw * gw
            b = b - rb * gb
            outer = outer + F.cross_entropy(flip * x[3:] @ w + b, t[3:])
        loss = outer.sum() / 2
        ps = [self.w, self.b, rw, rb]
        update(ps, torch.autograd.grad([loss], ps), 0.1)
        return loss.item(), copies(ps)


class Curvature(Trained):
    """A diagonal of the Hessian by random signs (Hutchinson), found every third step, clips the momentum (Sophia)."""

    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.zeros(4, 5))
        self.b = nn.Parameter(torch.zeros(5, 3))
        self.register_buffer("m", torch.zeros(4, 5))
        self.register_buffer("h", torch.zeros(4, 5))
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        torch.manual_seed(i)
        loss = F.cross_entropy(torch.tanh(x @ self.a) @ self.b, t)
        g, gb = torch.autograd.grad([loss], [self.a, self.b], create_graph=True)
        assert g is not None and gb is not None
        if i % 3 == 0:
            signs = torch.randint(0, 2, [4, 5]).float() * 2 - 1
            hv = torch.autograd.grad([(g * signs).sum()], [self.a])[0]
            assert hv is not None
            with torch.no_grad():
                self.h.mul_(0.9).add_(signs * hv, alpha=0.1)
        with torch.no_grad():
            self.m.lerp_(g, 0.1)
            self.a.sub_((self.m / self.h.clamp(min=1e-3)).clamp(-1, 1), alpha=0.05)
            self.b.sub_(gb, alpha=0.1)
        return loss.item(), copies([self.a, self.b, self.h])


class LocalLosses(Trained):
    """Forward-forward: each layer has a loss of its own, and what the next one gets is detached."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 6), nn.Linear(6, 6)])
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        right = x.clone()
        right[:, :3] = F.one_hot(t, 3).float()
        wrong = x.clone()
        wrong[:, :3] = F.one_hot((t + 1 + i % 2) % 3, 3).float()
        total = 0.0
        for layer in self.layers:
            a, b = F.relu(layer(right)), F.relu(layer(wrong))
            goodness = torch.cat([-a.pow(2).mean(1) + 0.5, b.pow(2).mean(1) - 0.5])
            loss = torch.log(1 + torch.exp(goodness)).mean()
            loss.backward()
            w = layer.weight.grad
            assert w is not None
            with torch.no_grad():
                layer.weight -= 0.3 * w
            w.zero_()
            right = F.normalize(a.detach())
            wrong = F.normalize(b.detach())
            total += loss.item()
        return total, copies([self.layers[0].weight, self.layers[1].weight])


class Reversed(Trained):
    """Domains by a gradient that is turned around on its way back."""

    def __init__(self):
        super().__init__()
        self.features = nn.Linear(4, 6)
        self.kind = nn.Linear(6, 3)
        self.domain = nn.Sequential(nn.Linear(6, 4), nn.ReLU(), nn.Linear(4, 1))
        self.fill()

    def turned(self, h: Tensor, strength: float) -> Tensor:
        return -strength * h + (h * (1 + strength)).detach()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        h = torch.tanh(self.features(x))
        strength = 2.0 / (1.0 + math.exp(-10.0 * i / 10)) - 1.0
        kind = F.cross_entropy(self.kind(h[:4]), t[:4])
        side = torch.cat([torch.zeros(4, 1), torch.ones(2, 1)])
        domain = F.binary_cross_entropy_with_logits(self.domain(self.turned(h, strength)), side)
        (kind + domain).backward()
        ps = [self.features.weight, self.features.bias, self.kind.weight, self.domain[0].weight, self.domain[2].weight]
        with torch.no_grad():
            for p in ps:
                g = p.grad
                if g is not None:
                    p.add_(g, alpha=-0.3)
                    g.zero_()
        return (kind + domain).item(), copies(ps)


class SkippedSteps(Trained):
    """Loss scaling: where a gradient is not finite the step is left out and the scale falls."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 3)
        self.scale = 4.0
        self.good = 0
        self.fill()

    def finite(self) -> bool:
        for p in [self.net.weight, self.net.bias]:
            g = p.grad
            assert g is not None
            if not torch.isfinite(g).all():
                return False
        return True

    def clear(self):
        for p in [self.net.weight, self.net.bias]:
            g = p.grad
            assert g is not None
            g.zero_()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        logits = self.net(x)
        if i % 4 == 2:
            logits = logits / 0.0 * 0.0
        loss = F.cross_entropy(logits, t)
        (loss * self.scale).backward()
        if not self.finite():
            self.scale /= 2
            self.good = 0
            self.clear()
            return self.scale, copies([self.net.weight, self.net.bias])
        with torch.no_grad():
            for p in [self.net.weight, self.net.bias]:
                g = p.grad
                assert g is not None
                p.sub_(g / self.scale, alpha=0.5)
        self.clear()
        self.good += 1
        if self.good == 2:
            self.scale *= 2
            self.good = 0
        return loss.item() + self.scale, copies([self.net.weight, self.net.bias])


class Eligibility(Trained):
    """TD(lambda): traces of gradients along an episode, that fade."""

    traces: List[Tensor]

    def __init__(self):
        super().__init__()
        self.value = nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 1))
        self.fill()
        self.traces = [torch.zeros(5, 4), torch.zeros(5), torch.zeros(1, 5)]

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        ps = [self.value[0].weight, self.value[0].bias, self.value[2].weight]
        total = 0.0
        for e in self.traces:
            e.zero_()
        k = 0
        while k + 1 < x.size(0) and total < 1e6:
            v = self.value(x[k]).squeeze()
            v.backward()
            with torch.no_grad():
                following = self.value(x[k + 1]).squeeze()
                error = float(t[k]) + 0.9 * following - v
                for p, e in zip(ps, self.traces):
                    g = p.grad
                    assert g is not None
                    e.mul_(0.9 * 0.7).add_(g)
                    p.add_(e * error, alpha=0.05)
                    g.zero_()
            total += error.item() ** 2
            k += 1
        return total, copies(ps)


class Evolution(Trained):
    """Antithetic evolution strategies for one layer, gradients for the other."""

    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.zeros(4, 5))
        self.b = nn.Parameter(torch.zeros(5, 3))
        self.fill()

    def loss(self, x: Tensor, t: Tensor, a: Tensor) -> Tensor:
        return F.cross_entropy(torch.sign(x @ a) @ self.b, t)

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        torch.manual_seed(i)
        with torch.no_grad():
            estimate = torch.zeros_like(self.a)
            for _ in range(4):
                noise = torch.randn(4, 5)
                estimate += (self.loss(x, t, self.a + 0.1 * noise) - self.loss(x, t, self.a - 0.1 * noise)) / 0.2 * noise
            self.a -= 0.05 * estimate / 4
        loss = self.loss(x, t, self.a)
        loss.backward()
        g = self.b.grad
        assert g is not None
        with torch.no_grad():
            self.b -= 0.2 * g
        g.zero_()
        return loss.item(), copies([self.a, self.b])


class Penalized(Trained):
    """A penalty on the gradient that backward() has left in .grad."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(4, 3))
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        loss = F.cross_entropy(x @ self.w, t)
        g = torch.autograd.grad([loss], [self.w], create_graph=True)[0]
        assert g is not None
        (loss + 0.1 * g.pow(2).sum()).backward()
        total = self.w.grad
        assert total is not None
        with torch.no_grad():
            self.w -= 0.5 * total
        total.zero_()
        return loss.item(), copies([self.w])


class HeldInList(Trained):
    """The module has a list of all its parameters."""

    params: List[Tensor]

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 5)
        self.b = nn.Linear(5, 3)
        self.fill()
        self.params = [self.a.weight, self.a.bias, self.b.weight, self.b.bias]

    def step(self, rate: float):
        for p in self.params:
            g = p.grad
            assert g is not None
            with torch.no_grad():
                p.data.sub_(rate * g)
                g.zero_()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        loss = F.cross_entropy(self.b(torch.relu(self.a(x))), t)
        loss.backward()
        self.step(0.3)
        return loss.item(), copies(self.params)


class HeldInDict(Trained):
    """The module has its parameters in a dict by name."""

    params: Dict[str, Tensor]

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 5)
        self.b = nn.Linear(5, 3)
        self.fill()
        self.params = {"aw": self.a.weight, "bw": self.b.weight}

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        loss = F.cross_entropy(self.b(torch.relu(self.a(x))), t)
        loss.backward()
        for name, p in self.params.items():
            g = p.grad
            assert g is not None
            with torch.no_grad():
                p -= 0.3 * g
            g.zero_()
        return loss.item(), copies([self.a.weight, self.b.weight])


class AskedOfList(Trained):
    """Gradients are asked of the list of parameters that the module has."""

    params: List[Tensor]

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 5)
        self.b = nn.Linear(5, 3)
        self.fill()
        self.params = [self.a.weight, self.a.bias, self.b.weight, self.b.bias]

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        loss = F.cross_entropy(self.b(torch.relu(self.a(x))), t)
        update(self.params, torch.autograd.grad([loss], self.params), 0.3)
        return loss.item(), copies(self.params)


class TiedLayers(Trained):
    """Two layers share their weights; gradients stay, and fade, from call to call."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.b = nn.Linear(4, 4)
        self.b.weight = self.a.weight
        self.out = nn.Linear(4, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        loss = F.cross_entropy(self.out(self.b(torch.relu(self.a(x)))), t)
        loss.backward()
        for p in [self.b.weight, self.out.weight]:
            g = p.grad
            assert g is not None
            with torch.no_grad():
                p -= 0.3 * g
        g = self.a.weight.grad
        assert g is not None
        g *= 0.5
        return loss.item(), copies([self.a.weight, self.out.weight])


CLASSICS = [ThreeMethods, MicroBatches, Phases, TwoLosses, Thawed, Adagrad, Lamb, Adadelta, Adafactor, Orthogonal, LookAhead, Surgery, Newton,
            MetaRates, Curvature, LocalLosses, Reversed, SkippedSteps, Eligibility, Evolution, Penalized,
            HeldInList, HeldInDict, AskedOfList, TiedLayers]

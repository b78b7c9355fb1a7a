"""Ten steps of further training programs, as people write them: optimizers with schedules, models of several branches,
losses of several parts."""
import math
from typing import Dict, List, NamedTuple, Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
from trained import Trained, copies, update


class NAdamWithSchedule(Trained):
    """NAdam with warm-up and cosine decay, its state in buffers of one list each."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 6), nn.GELU(), nn.LayerNorm(6), nn.Linear(6, 3))
        self.fill()
        self.first = [torch.zeros_like(p) for p in self.parameters()]
        self.second = [torch.zeros_like(p) for p in self.parameters()]
        self.product = 1.0

    def rate(self, step: int) -> float:
        if step < 3:
            return 0.02 * float(step + 1) / 3.0
        return 0.01 * (1.0 + math.cos(math.pi * float(step - 3) / 7.0))

    def forward(self, x: Tensor, t: Tensor, i: int):
        loss = F.cross_entropy(self.net(x), t, label_smoothing=0.1)
        ps = [self.net[0].weight, self.net[0].bias, self.net[2].weight, self.net[2].bias, self.net[3].weight, self.net[3].bias]
        gs = torch.autograd.grad([loss], ps)
        b1, b2, step = 0.9, 0.999, i + 1
        mu = b1 * (1.0 - 0.5 * 0.96 ** (step * 0.004))
        after = b1 * (1.0 - 0.5 * 0.96 ** ((step + 1) * 0.004))
        self.product *= mu
        with torch.no_grad():
            for k, (p, g) in enumerate(zip(ps, gs)):
                assert g is not None
                m, v = self.first[k], self.second[k]
                m.mul_(b1).add_(g, alpha=1 - b1)
                v.mul_(b2).addcmul_(g, g, value=1 - b2)
                denominator = (v / (1 - b2 ** step)).sqrt_().add_(1e-8)
                p.addcdiv_(g, denominator, value=-self.rate(i) * (1.0 - mu) / (1.0 - self.product))
                p.addcdiv_(m, denominator, value=-self.rate(i) * after / (1.0 - self.product * after))
        return float(loss), copies(ps)


class LineSearch(Trained):
    """A step along the gradient whose length is halved until the loss falls enough."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 5)
        self.b = nn.Linear(5, 3)
        self.fill()

    def loss(self, x: Tensor, t: Tensor) -> Tensor:
        return F.cross_entropy(self.b(torch.tanh(self.a(x))), t)

    def forward(self, x: Tensor, t: Tensor, i: int):
        loss = self.loss(x, t)
        ps = [self.a.weight, self.a.bias, self.b.weight, self.b.bias]
        gs: List[Tensor] = []
        for g in torch.autograd.grad([loss], ps):
            assert g is not None
            gs.append(g)
        slope = torch.stack([(g * g).sum() for g in gs]).sum()
        rate, tries = 4.0, 0
        with torch.no_grad():
            before = [p.clone() for p in ps]
            while tries < 12:
                for p, old, g in zip(ps, before, gs):
                    p.copy_(old - rate * g)
                if bool(self.loss(x, t) <= loss - 0.3 * rate * slope):
                    break
                rate *= 0.5
                tries += 1
        return float(loss) + float(tries), copies(ps)


class AttentiveSeq2Seq(Trained):
    """A GRU reads, a GRU cell with attention over what was read writes, taught by every second target."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.GRU(2, 4, batch_first=True)
        self.cell = nn.GRUCell(3 + 4, 4)
        self.out = nn.Linear(8, 3)
        self.fill()

    def attend(self, h: Tensor, memory: Tensor) -> Tensor:
        weights = torch.softmax(torch.bmm(memory, h.unsqueeze(2)).squeeze(2) / 2.0, dim=1)
        return torch.bmm(weights.unsqueeze(1), memory).squeeze(1)

    def forward(self, x: Tensor, t: Tensor, i: int):
        memory, last = self.encoder(x.view(6, 2, 2))
        h = last[0]
        given = torch.zeros(6, 3)
        loss = torch.zeros(())
        for step in range(3):
            context = self.attend(h, memory)
            h = self.cell(torch.cat([given, context], 1), h)
            scores = self.out(torch.cat([h, context], 1))
            target = (t + step) % 3
            loss = loss + F.cross_entropy(scores, target)
            if (step + i) % 2 == 0:
                given = F.one_hot(target, 3).to(scores.dtype)
            else:
                given = torch.softmax(scores, 1).detach()
        ps = [self.encoder.weight_ih_l0, self.encoder.weight_hh_l0, self.cell.weight_ih, self.cell.weight_hh, self.out.weight, self.out.bias]
        update(ps, torch.autograd.grad([loss / 3], ps), 0.2)
        return float(loss), copies(ps)


class NoisePrediction(Trained):
    """A step of a diffusion model: noise by a fixed schedule, sinusoidal times, an EMA of the weights."""

    def __init__(self):
        super().__init__()
        self.time = nn.Linear(4, 6)
        self.inside = nn.Linear(4, 6)
        self.out = nn.Linear(6, 4)
        self.fill()
        self.register_buffer("alphas", torch.cumprod(1.0 - torch.linspace(0.01, 0.3, 8), 0))
        self.register_buffer("average", self.out.weight.detach().clone())

    def embed(self, steps: Tensor) -> Tensor:
        frequencies = torch.exp(torch.arange(2, dtype=torch.float32) * (-math.log(10.0)))
        angles = steps[:, None].float() * frequencies[None]
        return torch.cat([angles.sin(), angles.cos()], dim=-1)

    def forward(self, x: Tensor, t: Tensor, i: int):
        steps = (t * 2 + i) % 8
        noise = torch.sin(x * 37.0 + float(i))
        alpha = self.alphas[steps][:, None]
        noisy = alpha.sqrt() * x + (1 - alpha).sqrt() * noise
        h = F.silu(self.inside(noisy) + self.time(self.embed(steps)))
        loss = F.mse_loss(self.out(h), noise)
        ps = [self.time.weight, self.inside.weight, self.inside.bias, self.out.weight, self.out.bias]
        update(ps, torch.autograd.grad([loss], ps), 0.3)
        with torch.no_grad():
            self.average.lerp_(self.out.weight, 0.1)
        return float(loss), copies(ps + [self.average])


class CouplingFlow(Trained):
    """Two affine couplings and their log determinants; the likelihood under a normal distribution."""

    def __init__(self):
        super().__init__()
        self.nets = nn.ModuleList([nn.Sequential(nn.Linear(2, 5), nn.Tanh(), nn.Linear(5, 4)) for _ in range(2)])
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int):
        z, determinant = x, torch.zeros(x.size(0))
        for k, net in enumerate(self.nets):
            kept, changed = z.chunk(2, dim=1)
            if k % 2 == 1:
                kept, changed = changed, kept
            s, shift = net(kept).chunk(2, dim=1)
            s = torch.tanh(s)
            changed = changed * s.exp() + shift
            determinant = determinant + s.sum(1)
            z = torch.cat([kept, changed], 1) if k % 2 == 0 else torch.cat([changed, kept], 1)
        loss = (0.5 * z.pow(2).sum(1) + 2 * math.log(2 * math.pi) - determinant).mean()
        ps: List[Tensor] = []
        for net in self.nets:
            ps += [net[0].weight, net[0].bias, net[2].weight, net[2].bias]
        update(ps, torch.autograd.grad([loss], ps), 0.05)
        return float(loss), copies(ps)


class Rollout(NamedTuple):
    logits: Tensor
    value: Tensor
    reward: Tensor


class AdvantageActorCritic(Trained):
    """Rollouts in a list of named tuples, returns from behind, entropy and value losses."""

    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 6)
        self.actor = nn.Linear(6, 3)
        self.critic = nn.Linear(6, 1)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int):
        steps: List[Rollout] = []
        state = x
        for step in range(4):
            h = torch.relu(self.body(state))
            logits = self.actor(h)
            reward = (logits.argmax(1) == t).float().detach()
            steps.append(Rollout(logits, self.critic(h).squeeze(1), reward))
            state = state.roll(1, 0) * 0.9
        returns = torch.zeros(6)
        policy, value, entropy = torch.zeros(()), torch.zeros(()), torch.zeros(())
        for step in range(len(steps) - 1, -1, -1):
            s = steps[step]
            returns = s.reward + 0.9 * returns
            advantage = returns - s.value
            logs = F.log_softmax(s.logits, 1)
            policy = policy - (logs.gather(1, t.unsqueeze(1)).squeeze(1) * advantage.detach()).mean()
            value = value + advantage.pow(2).mean()
            entropy = entropy - (logs.exp() * logs).sum(1).mean()
        loss = policy + 0.5 * value - 0.01 * entropy
        ps = [self.body.weight, self.body.bias, self.actor.weight, self.actor.bias, self.critic.weight, self.critic.bias]
        gs = torch.autograd.grad([loss], ps)
        found: List[Tensor] = []
        for g in gs:
            assert g is not None
            found.append(g)
        norm = torch.norm(torch.stack([g.norm() for g in found]))
        scale = torch.clamp(0.5 / (norm + 1e-6), max=1.0)
        with torch.no_grad():
            for p, g in zip(ps, found):
                p.sub_(g * scale * 0.3)
        return float(loss), copies(ps)


class SimClr(Trained):
    """Two views, a projection, cosine similarities without the diagonal."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU())
        self.projection = nn.Linear(8, 4, bias=False)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int):
        views = torch.cat([x + 0.1 * torch.cos(x * 5.0), x * 0.9])
        z = F.normalize(self.projection(self.encoder(views)), dim=1)
        similar = z @ z.t() / 0.5
        similar.fill_diagonal_(-1e4)
        positives = torch.cat([torch.arange(6, 12), torch.arange(6)])
        loss = F.cross_entropy(similar, positives)
        ps = [self.encoder[0].weight, self.encoder[1].weight, self.encoder[1].bias, self.projection.weight]
        update(ps, torch.autograd.grad([loss], ps), 0.2)
        mean = self.encoder[1].running_mean
        assert mean is not None
        return float(loss), copies(ps + [mean])


class FocalAndDice(Trained):
    """A small U-Net with padding by need; focal and dice losses weighted by a learned temperature."""

    def __init__(self):
        super().__init__()
        self.down1 = nn.Conv2d(1, 3, 3, padding=1)
        self.down2 = nn.Conv2d(3, 4, 3, padding=1)
        self.up = nn.ConvTranspose2d(4, 3, 2, stride=2)
        self.merge = nn.Conv2d(6, 1, 3, padding=1)
        self.temperature = nn.Parameter(torch.zeros(()))
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int):
        image = x.view(2, 1, 3, 4)
        target = (image > 0).float()
        a = F.leaky_relu(self.down1(image), 0.1)
        b = F.leaky_relu(self.down2(F.max_pool2d(a, 2)), 0.1)
        c = self.up(b)
        missing = a.size(2) - c.size(2)
        if missing > 0:
            c = F.pad(c, [0, 0, 0, missing], mode="replicate")
        scores = self.merge(torch.cat([a, c], 1)) * torch.exp(self.temperature)
        p = torch.sigmoid(scores)
        focal = F.binary_cross_entropy_with_logits(scores, target, reduction="none")
        focal = (focal * (1 - (p * target + (1 - p) * (1 - target))) ** 2).mean()
        dice = 1 - (2 * (p * target).sum() + 1) / (p.sum() + target.sum() + 1)
        loss = focal + dice
        ps = [self.down1.weight, self.down2.weight, self.up.weight, self.merge.weight, self.temperature]
        update(ps, torch.autograd.grad([loss], ps), 0.5)
        return float(loss), copies(ps)


class GraphConvolution(Trained):
    """Edges in two rows of indices, normalized by degrees, pooled by graph, with jumping knowledge in a list."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
        self.out = nn.Linear(12, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int):
        edges = torch.tensor([[0, 1, 2, 3, 4, 5, 1, 4], [1, 2, 0, 4, 5, 3, 0, 3]])
        source, target = edges[0], edges[1]
        degree = torch.zeros(6).index_add_(0, target, torch.ones(8)) + 1
        scale = (degree[source] * degree[target]).rsqrt().unsqueeze(1)
        h, kept = x, torch.jit.annotate(List[Tensor], [])
        for layer in self.layers:
            sent = layer(h)
            h = torch.zeros_like(sent).index_add_(0, target, sent[source] * scale) + sent / degree.unsqueeze(1)
            h = F.elu(h)
            kept.append(h)
        pooled = torch.zeros(2, 12).index_add_(0, torch.tensor([0, 0, 0, 1, 1, 1]), torch.cat(kept, 1)) / 3
        loss = F.cross_entropy(self.out(pooled), t[:2]) + 0.01 * torch.stack([k.abs().mean() for k in kept]).sum()
        ps: List[Tensor] = [self.out.weight, self.out.bias]
        for layer in self.layers:
            ps.extend([layer.weight, layer.bias])
        update(ps, torch.autograd.grad([loss], ps), 0.3)
        return float(loss), copies(ps)


class SetsOfSizes(Trained):
    """Deep sets: rows of different counts, pooled by sum, mean and maximum; sizes change from step to step."""

    def __init__(self):
        super().__init__()
        self.inside = nn.Sequential(nn.Linear(4, 5), nn.Softplus())
        self.outside = nn.Sequential(nn.Linear(15, 5), nn.Hardswish(), nn.Linear(5, 3))
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int):
        cut = 1 + i % 4
        groups = [x[:cut], x[cut:], x[::2]]
        pooled: List[Tensor] = []
        for g in groups:
            h = self.inside(g)
            pooled.append(torch.cat([h.sum(0), h.mean(0), h.max(0)[0]]))
        scores = self.outside(torch.stack(pooled))
        loss = F.multi_margin_loss(scores, t[:3])
        ps = [self.inside[0].weight, self.inside[0].bias, self.outside[0].weight, self.outside[2].weight, self.outside[2].bias]
        update(ps, torch.autograd.grad([loss], ps), 0.1)
        return float(loss), copies(ps)


class AmsGrad(Trained):
    """AMSGrad with its state in a dict, made at the first step."""

    state: Dict[str, Tensor]

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 5)
        self.b = nn.Linear(5, 3)
        self.fill()
        self.state = {}

    def step(self, name: str, p: Tensor, g: Tensor, i: int):
        if name + ".m" not in self.state:
            for kind in ["m", "v", "most"]:
                self.state[name + "." + kind] = torch.zeros_like(p)
        m, v, most = self.state[name + ".m"], self.state[name + ".v"], self.state[name + ".most"]
        m.mul_(0.9).add_(g, alpha=0.1)
        v.mul_(0.99).addcmul_(g, g, value=0.01)
        most.copy_(torch.maximum(most, v))
        p.addcdiv_(m / (1 - 0.9 ** (i + 1)), (most / (1 - 0.99 ** (i + 1))).sqrt() + 1e-8, value=-0.03)

    def forward(self, x: Tensor, t: Tensor, i: int):
        loss = F.nll_loss(F.log_softmax(self.b(torch.sigmoid(self.a(x))), -1), t)
        gs = torch.autograd.grad([loss], [self.a.weight, self.a.bias, self.b.weight, self.b.bias])
        names = ["a.weight", "a.bias", "b.weight", "b.bias"]
        with torch.no_grad():
            for name, p, g in zip(names, [self.a.weight, self.a.bias, self.b.weight, self.b.bias], gs):
                assert g is not None
                self.step(name, p, g, i)
        return float(loss), copies([self.a.weight, self.a.bias, self.b.weight, self.b.bias])


class WassersteinGan(Trained):
    """Critic and generator by turns, the critic with a penalty of its gradient at points between."""

    def __init__(self):
        super().__init__()
        self.generator = nn.Sequential(nn.Linear(2, 6), nn.ReLU(), nn.Linear(6, 4))
        self.critic = nn.Sequential(nn.Linear(4, 6), nn.LeakyReLU(0.2), nn.Linear(6, 1))
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int):
        noise = torch.stack([torch.sin(x[:, 0] * 9.0 + float(i)), torch.cos(x[:, 1] * 7.0)], 1)
        made = self.generator(noise)
        g = [self.generator[0].weight, self.generator[0].bias, self.generator[2].weight, self.generator[2].bias]
        c = [self.critic[0].weight, self.critic[0].bias, self.critic[2].weight]
        if i % 3 != 2:
            fake = made.detach()
            mix = (0.3 * x + 0.7 * fake).requires_grad_()
            slope = torch.autograd.grad([self.critic(mix).sum()], [mix], create_graph=True)[0]
            assert slope is not None
            penalty = ((slope.norm(2, dim=1) - 1) ** 2).mean()
            loss = self.critic(fake).mean() - self.critic(x).mean() + 10.0 * penalty
            update(c, torch.autograd.grad([loss], c, allow_unused=True), 0.02)
        else:
            loss = -self.critic(made).mean()
            update(g, torch.autograd.grad([loss], g), 0.05)
        return float(loss), copies(g + c)


class SelfDistilled(Trained):
    """Stochastic depth decided by the step, a teacher by moving average, Kullback-Leibler with temperature."""

    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
        self.head = nn.Linear(4, 3)
        self.fill()
        self.teacher = nn.Linear(4, 3)
        for p in self.teacher.parameters():
            p.requires_grad_(False)
        with torch.no_grad():
            self.teacher.weight.copy_(self.head.weight)
            self.teacher.bias.copy_(self.head.bias)

    def forward(self, x: Tensor, t: Tensor, i: int):
        h = x
        for k, block in enumerate(self.blocks):
            if (k + i) % 3 != 0:
                h = h + torch.tanh(block(h))
        scores = self.head(h)
        with torch.no_grad():
            soft = torch.softmax(self.teacher(h) / 2.0, 1)
        loss = F.cross_entropy(scores, t) + 4.0 * F.kl_div(F.log_softmax(scores / 2.0, 1), soft, reduction="batchmean")
        ps: List[Tensor] = [self.head.weight, self.head.bias]
        for block in self.blocks:
            ps.append(block.weight)
        update(ps, torch.autograd.grad([loss], ps, allow_unused=True), 0.1)
        with torch.no_grad():
            self.teacher.weight.mul_(0.9).add_(self.head.weight, alpha=0.1)
            self.teacher.bias.copy_(0.9 * self.teacher.bias + 0.1 * self.head.bias)
        return float(loss), copies(ps + [self.teacher.weight])


class BeamOfLists(Trained):
    """Candidates in a list that is written to, sorted and cut; the loss is that of the best."""

    def __init__(self):
        super().__init__()
        self.score = nn.Linear(4, 3)
        self.move = nn.Linear(4, 4)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int):
        candidates: List[Tensor] = [x, x.flip(0)]
        totals: List[Tensor] = [torch.zeros(()), torch.zeros(())]
        for step in range(3):
            for k in range(len(candidates)):
                h = self.move(candidates[k])
                h[:, step] += 0.5
                h = torch.tanh(h)
                candidates[k] = h
                totals[k] = totals[k] + F.cross_entropy(self.score(h), t)
            if len(candidates) < 3:
                candidates.append(candidates[0] * 0.5)
                totals.append(totals[0] * 1.1)
        best = 0
        for k in range(len(totals)):
            if float(totals[k]) < float(totals[best]):
                best = k
        loss = totals[best] + 0.1 * torch.stack(totals).mean()
        ps = [self.score.weight, self.score.bias, self.move.weight, self.move.bias]
        update(ps, torch.autograd.grad([loss], ps), 0.1)
        return float(loss), copies(ps)


class CachedDecoder(Trained):
    """One token after the other with keys and values in lists, and a table of positions that is added in place."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(3, 4)
        self.place = nn.Parameter(torch.zeros(6, 4))
        self.query, self.key, self.value = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int):
        keys: List[Tensor] = []
        values: List[Tensor] = []
        loss = torch.zeros(())
        for k in range(t.size(0) - 1):
            h = self.embed(t[k]) + x[k] * 0.1
            h += self.place[k]
            keys.append(self.key(h))
            values.append(self.value(h))
            keys[-1].mul_(0.5)
            weights = torch.softmax(torch.stack(keys) @ self.query(h), 0)
            h = weights @ torch.stack(values)
            loss = loss + F.cross_entropy(F.linear(h, self.embed.weight).unsqueeze(0), t[k + 1:k + 2])
        ps = [self.embed.weight, self.place, self.query.weight, self.key.weight, self.value.weight]
        update(ps, torch.autograd.grad([loss], ps), 0.2)
        return float(loss), copies(ps)


class MixedBatches(Trained):
    """Micro-batches of different sizes whose gradients add up in .grad, weighted by their sizes, and a step by it."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 6), nn.SELU(), nn.AlphaDropout(0.0), nn.Linear(6, 3))
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int):
        total, begin = 0.0, 0
        for size in [1, 2, 3]:
            part = F.cross_entropy(self.net(x[begin:begin + size]), t[begin:begin + size], reduction="sum") / 6
            part.backward()
            total += part.item()
            begin += size
        ps = [self.net[0].weight, self.net[0].bias, self.net[3].weight, self.net[3].bias]
        with torch.no_grad():
            for p in ps:
                g = p.grad
                assert g is not None
                g.clamp_(-0.2, 0.2)
                p.add_(g, alpha=-0.5)
                g.zero_()
        return total, copies(ps)


class Procrustes(Trained):
    """An orthogonal map by a series, distances of all pairs, and a log-determinant."""

    def __init__(self):
        super().__init__()
        self.skew = nn.Parameter(torch.zeros(4, 4))
        self.scale = nn.Parameter(torch.zeros(4))
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int):
        a = self.skew.triu(1)
        q = torch.matrix_exp(a - a.t())
        y = x @ q * self.scale.exp()
        near = torch.cdist(y, x.roll(1, 0)).diagonal().mean()
        covariance = y.t() @ y / 6 + torch.eye(4)
        loss = near + torch.logdet(covariance) + torch.linalg.norm(covariance, "fro") * 0.1
        ps = [self.skew, self.scale]
        update(ps, torch.autograd.grad([loss], ps), 0.05)
        return float(loss), copies(ps)


class HuberQuantiles(Trained):
    """Quantile regression with a Huber loss, by pairs of predictions and targets; a target net follows in steps."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 5)
        self.old = nn.Linear(4, 5)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int):
        if i % 4 == 0:
            with torch.no_grad():
                self.old.weight.copy_(self.net.weight)
                self.old.bias.copy_(self.net.bias)
        taus = (torch.arange(5, dtype=torch.float32) + 0.5) / 5
        predicted = self.net(x)
        with torch.no_grad():
            wanted = t.float()[:, None] + 0.9 * self.old(x.roll(1, 0)).sort(1)[0]
        errors = wanted.unsqueeze(1) - predicted.unsqueeze(2)
        huber = F.huber_loss(predicted.unsqueeze(2).expand(6, 5, 5), wanted.unsqueeze(1).expand(6, 5, 5), reduction="none", delta=1.0)
        loss = ((taus[None, :, None] - (errors.detach() < 0).float()).abs() * huber).sum(1).mean()
        ps = [self.net.weight, self.net.bias]
        update(ps, torch.autograd.grad([loss], ps), 0.1)
        return float(loss), copies(ps)


CLASSICS = [NAdamWithSchedule, LineSearch, AttentiveSeq2Seq, NoisePrediction, CouplingFlow, AdvantageActorCritic, SimClr, FocalAndDice,
            GraphConvolution, SetsOfSizes, AmsGrad, WassersteinGan, SelfDistilled, BeamOfLists, CachedDecoder, MixedBatches, Procrustes,
            HuberQuantiles]

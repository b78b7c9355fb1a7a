"""Programs as users write them: recipes of papers and tutorials, with padding, routing, replay, dynamic programming,
optimizers as classes. As in classics.py, forward(x, t, i) makes step i and gives the loss and the weights."""
import math
from typing import List, Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor

from trained import Trained, copies


class PaddedTransformer(Trained):
    """Tokens of several lengths behind a padding mask, label smoothing, a warm-up of the rate."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(12, 8, padding_idx=0)
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.norm = nn.LayerNorm(8)
        self.out = nn.Linear(8, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        tokens = (x.abs() * 5).long().clamp(0, 10) + 1
        lengths = t + 2
        pad = torch.arange(4).unsqueeze(0) >= lengths.unsqueeze(1)
        tokens = tokens.masked_fill(pad, 0)
        e = self.embed(tokens) * math.sqrt(8.0)
        a, _ = self.attention(e, e, e, key_padding_mask=pad, need_weights=False)
        h = self.norm(e + a).masked_fill(pad.unsqueeze(-1), 0.0)
        pooled = h.sum(1) / lengths.unsqueeze(1)
        loss = F.cross_entropy(self.out(pooled), t, label_smoothing=0.1)
        ps = [self.embed.weight, self.attention.in_proj_weight, self.attention.out_proj.weight, self.norm.weight, self.out.weight]
        gs = torch.autograd.grad([loss], ps)
        rate = 0.1 * min(1.0, (i + 1) / 4)
        with torch.no_grad():
            for p, g in zip(ps, gs):
                if g is not None:
                    p.add_(g, alpha=-rate)
        return loss.item(), copies(ps)


class TeacherForcing(Trained):
    """An encoder and a decoder with attention; a coin decides whether the next input is the truth."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.GRU(1, 5, batch_first=True)
        self.embed = nn.Embedding(4, 3)
        self.cell = nn.GRUCell(8, 5)
        self.out = nn.Linear(10, 4)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        torch.manual_seed(100 + i)
        states, last = self.encoder(x.unsqueeze(-1))
        h = last[0]
        target = torch.stack([t, (t + 1) % 3, (t * 2) % 3], 1)
        word = torch.full([x.size(0)], 3, dtype=torch.long)
        loss = torch.zeros(1)
        for k in range(target.size(1)):
            weights = torch.softmax(torch.bmm(states, h.unsqueeze(2)).squeeze(2), dim=1)
            context = torch.bmm(weights.unsqueeze(1), states).squeeze(1)
            h = self.cell(torch.cat([self.embed(word), context], dim=1), h)
            scores = self.out(torch.cat([h, context], dim=1))
            loss = loss + F.cross_entropy(scores, target[:, k])
            if torch.rand(1).item() < 0.5:
                word = target[:, k]
            else:
                word = scores.argmax(1)
        loss = (loss / target.size(1)).squeeze(0)
        ps = [self.encoder.weight_ih_l0, self.encoder.weight_hh_l0, self.embed.weight, self.cell.weight_ih, self.out.weight]
        for p in ps:
            p.requires_grad_(True)
        loss.backward()
        with torch.no_grad():
            for p in [self.encoder.weight_ih_l0, self.encoder.weight_hh_l0, self.embed.weight, self.cell.weight_ih, self.out.weight]:
                g = p.grad
                if g is not None:
                    p -= 0.2 * g
                    g.zero_()
        return loss.item(), copies(ps)


class Glow(Trained):
    """A flow: actnorm, an invertible mixing matrix with its determinant, an affine coupling."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.zeros(4))
        self.shift = nn.Parameter(torch.zeros(4))
        self.mix = nn.Parameter(torch.zeros(4, 4))
        self.net = nn.Sequential(nn.Linear(2, 6), nn.Tanh(), nn.Linear(6, 4))
        self.fill()
        with torch.no_grad():
            self.mix.add_(torch.eye(4) * 2)

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        z = (x + self.shift) * torch.exp(self.scale)
        log_det = self.scale.sum()
        z = z @ self.mix.t()
        log_det = log_det + torch.slogdet(self.mix)[1]
        a, b = z[:, :2], z[:, 2:]
        s, m = self.net(a).chunk(2, dim=1)
        s = torch.tanh(s)
        z = torch.cat([a, b * torch.exp(s) + m], dim=1)
        prior = -0.5 * (z ** 2 + math.log(2 * math.pi)).sum(1)
        loss = -(prior + log_det + s.sum(1)).mean()
        ps = [self.scale, self.shift, self.mix, self.net[0].weight, self.net[2].weight, self.net[2].bias]
        gs = torch.autograd.grad([loss], ps)
        with torch.no_grad():
            for p, g in zip(ps, gs):
                if g is not None:
                    p -= 0.05 * g
        return loss.item(), copies(ps)


class ReplayDqn(Trained):
    """Double DQN with a ring of experience in buffers, Huber loss, a target network that follows slowly."""

    def __init__(self):
        super().__init__()
        self.online = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
        self.target = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
        self.register_buffer("states", torch.zeros(16, 4))
        self.register_buffer("nexts", torch.zeros(16, 4))
        self.register_buffer("actions", torch.zeros(16, dtype=torch.long))
        self.register_buffer("rewards", torch.zeros(16))
        self.filled = 0
        self.place = 0
        self.fill()

    def remember(self, state: Tensor, action: Tensor, reward: Tensor, following: Tensor):
        for k in range(state.size(0)):
            self.states[self.place] = state[k]
            self.actions[self.place] = action[k]
            self.rewards[self.place] = reward[k]
            self.nexts[self.place] = following[k]
            self.place = (self.place + 1) % 16
            self.filled = min(self.filled + 1, 16)

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        torch.manual_seed(i)
        self.remember(x + 0.1 * i, t, torch.cos(x.sum(1)), x.roll(1, 0))
        picked = torch.randint(0, self.filled, [8])
        with torch.no_grad():
            best = self.online(self.nexts[picked]).argmax(1, keepdim=True)
            wanted = self.rewards[picked] + 0.95 * self.target(self.nexts[picked]).gather(1, best).squeeze(1)
        q = self.online(self.states[picked]).gather(1, self.actions[picked].unsqueeze(1)).squeeze(1)
        loss = F.smooth_l1_loss(q, wanted)
        ps = [self.online[0].weight, self.online[0].bias, self.online[2].weight, self.online[2].bias]
        slow = [self.target[0].weight, self.target[0].bias, self.target[2].weight, self.target[2].bias]
        gs = torch.autograd.grad([loss], ps)
        with torch.no_grad():
            for p, g, s in zip(ps, gs, slow):
                if g is not None:
                    p.sub_(g, alpha=0.3)
                s.lerp_(p, 0.2)
        return loss.item(), copies(ps + slow)


class Diffusion(Trained):
    """A denoising step: noise by a schedule, sinusoids of the time, group norm, convolutions, an average of weights."""

    def __init__(self):
        super().__init__()
        self.inside = nn.Conv2d(1, 4, 3, padding=1)
        self.norm = nn.GroupNorm(2, 4)
        self.time = nn.Linear(8, 4)
        self.out = nn.Conv2d(4, 1, 3, padding=1)
        betas = torch.linspace(1e-4, 0.02, 50)
        self.register_buffer("bars", torch.cumprod(1 - betas, 0))
        self.fill()
        self.register_buffer("slow", self.out.weight.detach().clone())

    def timestep(self, k: Tensor) -> Tensor:
        half = 4
        frequencies = torch.exp(-math.log(10000.0) * torch.arange(half, dtype=torch.float32) / half)
        angles = k.float()[:, None] * frequencies[None]
        return torch.cat([torch.cos(angles), torch.sin(angles)], dim=-1)

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        torch.manual_seed(i)
        image = torch.tanh(x[:, :, None] * x[:, None, :]).unsqueeze(1)
        k = torch.randint(0, 50, (x.shape[0],))
        noise = torch.randn_like(image)
        bar = self.bars[k].view(-1, 1, 1, 1)
        noisy = bar.sqrt() * image + (1 - bar).sqrt() * noise
        h = self.inside(noisy) + self.time(self.timestep(k))[:, :, None, None]
        h = F.silu(self.norm(h))
        loss = F.mse_loss(self.out(h), noise)
        ps = [self.inside.weight, self.norm.weight, self.time.weight, self.out.weight]
        gs = torch.autograd.grad([loss], ps)
        with torch.no_grad():
            for p, g in zip(ps, gs):
                if g is not None:
                    p -= 0.05 * g
            self.slow.mul_(0.9).add_(self.out.weight, alpha=0.1)
        return loss.item(), copies(ps) + [self.slow.clone()]


class GraphAttention(Trained):
    """Attention over the edges of a graph: a softmax by target, with the largest score taken off."""

    def __init__(self):
        super().__init__()
        self.project = nn.Linear(4, 6, bias=False)
        self.left = nn.Parameter(torch.zeros(2, 3))
        self.right = nn.Parameter(torch.zeros(2, 3))
        self.out = nn.Linear(6, 3)
        self.register_buffer("edges", torch.tensor([[0, 1, 2, 3, 4, 5, 0, 2, 4, 1], [1, 2, 3, 4, 5, 0, 3, 5, 1, 4]]))
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        n = x.size(0)
        loops = torch.arange(n).unsqueeze(0).repeat(2, 1)
        edges = torch.cat([self.edges, loops], dim=1)
        source, target = edges[0], edges[1]
        h = self.project(x).view(n, 2, 3)
        e = (h[source] * self.left).sum(-1) + (h[target] * self.right).sum(-1)
        e = F.leaky_relu(e, 0.2)
        top = torch.full([n, 2], -1e9).scatter_reduce(0, target.unsqueeze(1).expand_as(e), e.detach(), reduce="amax")
        p = torch.exp(e - top[target])
        total = torch.zeros(n, 2).index_add_(0, target, p)
        alpha = p / (total[target] + 1e-16)
        mixed = torch.zeros(n, 2, 3).index_add(0, target, h[source] * alpha.unsqueeze(-1))
        logits = self.out(F.elu(mixed.reshape(n, 6)))
        mask = torch.arange(n) % 2 == (i % 2)
        loss = F.nll_loss(F.log_softmax(logits, 1)[mask], t[mask])
        ps = [self.project.weight, self.left, self.right, self.out.weight]
        gs = torch.autograd.grad([loss], ps)
        with torch.no_grad():
            for w, g in zip(ps, gs):
                if g is not None:
                    w -= 0.3 * g
        return loss.item(), copies(ps)


class Routed(Trained):
    """A mixture of experts: the best two of four by a gate with noise, a loss that balances them."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(4, 4, bias=False)
        self.experts = nn.ModuleList([nn.Sequential(nn.Linear(4, 5), nn.GELU(), nn.Linear(5, 3)) for _ in range(4)])
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        torch.manual_seed(i)
        logits = self.gate(x) + 0.1 * torch.randn(x.size(0), 4)
        probabilities = F.softmax(logits, dim=-1)
        weights, chosen = torch.topk(probabilities, 2, dim=-1)
        weights = weights / weights.sum(-1, keepdim=True)
        result = torch.zeros(x.size(0), 3)
        for k, expert in enumerate(self.experts):
            rows, slots = torch.where(chosen == k)
            if rows.numel() > 0:
                result[rows] += weights[rows, slots].unsqueeze(1) * expert(x[rows])
        share = F.one_hot(chosen, 4).float().sum(1).mean(0)
        loss = F.cross_entropy(result, t) + 0.01 * 4 * (share * probabilities.mean(0)).sum()
        ps = [self.gate.weight, self.experts[0][0].weight, self.experts[1][2].weight, self.experts[3][0].weight]
        gs = torch.autograd.grad([loss], ps, allow_unused=True)
        with torch.no_grad():
            for p, g in zip(ps, gs):
                if g is not None:
                    p -= 0.2 * g
        return loss.item(), copies(ps)


class SoftDtw(Trained):
    """Dynamic programming: the table of a soft alignment is written element by element."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 2)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        y = torch.stack([t.float(), torch.sin(t.float() + 0.1 * i)], 1)
        d = torch.cdist(self.net(x), y[:4]) ** 2
        n, m = d.size(0), d.size(1)
        r = torch.full([n + 1, m + 1], 1e4)
        r[0, 0] = 0.0
        for a in range(1, n + 1):
            for b in range(1, m + 1):
                near = torch.stack([r[a - 1, b - 1], r[a - 1, b], r[a, b - 1]])
                r[a, b] = d[a - 1, b - 1] - 0.5 * torch.logsumexp(-near / 0.5, 0)
        loss = r[n, m]
        ps = [self.net.weight, self.net.bias]
        gs = torch.autograd.grad([loss], ps)
        with torch.no_grad():
            for p, g in zip(ps, gs):
                if g is not None:
                    p -= 0.02 * g
        return loss.item(), copies(ps)


class MaskedLstm(Trained):
    """Sequences of several lengths, stepped by hand; where one has ended its state stays."""

    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(1, 4)
        self.out = nn.Linear(4, 3)
        self.dropout = nn.Dropout(0.3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        torch.manual_seed(i)
        lengths = t + 2
        mask = (torch.arange(x.size(1))[None, :] < lengths[:, None]).float()
        h = x.new_zeros(x.size(0), 4)
        c = x.new_zeros(x.size(0), 4)
        outputs: List[Tensor] = []
        for k in range(x.size(1)):
            h_new, c_new = self.cell(x[:, k:k + 1], (h, c))
            m = mask[:, k].unsqueeze(1)
            h = m * h_new + (1 - m) * h
            c = m * c_new + (1 - m) * c
            outputs.append(h)
        last = torch.stack(outputs, dim=1)[torch.arange(x.size(0)), lengths - 1]
        loss = F.cross_entropy(self.out(self.dropout(last)), t)
        ps = [self.cell.weight_ih, self.cell.weight_hh, self.cell.bias_hh, self.out.weight, self.out.bias]
        gs = torch.autograd.grad([loss], ps)
        with torch.no_grad():
            for p, g in zip(ps, gs):
                if g is not None:
                    p -= 0.5 * g
        return loss.item(), copies(ps)


class VectorQuantized(Trained):
    """VQ-VAE: the nearest code, straight through, a codebook that follows by moving averages."""

    def __init__(self):
        super().__init__()
        self.encode = nn.Linear(4, 3)
        self.decode = nn.Linear(3, 4)
        self.fill()
        self.register_buffer("codes", torch.cos(torch.arange(15.).view(5, 3)))
        self.register_buffer("counts", torch.ones(5))
        self.register_buffer("sums", torch.cos(torch.arange(15.).view(5, 3)))

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        z = self.encode(x)
        d = z.pow(2).sum(1, keepdim=True) - 2 * z @ self.codes.t() + self.codes.pow(2).sum(1)
        index = d.argmin(1)
        q = F.embedding(index, self.codes)
        commitment = F.mse_loss(z, q.detach())
        q = z + (q - z).detach()
        loss = F.mse_loss(self.decode(q), x) + 0.25 * commitment
        ps = [self.encode.weight, self.encode.bias, self.decode.weight, self.decode.bias]
        gs = torch.autograd.grad([loss], ps)
        with torch.no_grad():
            one_hot = F.one_hot(index, 5).to(z.dtype)
            self.counts.data.mul_(0.9).add_(one_hot.sum(0), alpha=0.1)
            self.sums.data.mul_(0.9).add_(one_hot.t() @ z, alpha=0.1)
            n = self.counts.sum()
            smoothed = (self.counts + 1e-5) / (n + 5e-5) * n
            self.codes.copy_(self.sums / smoothed.unsqueeze(1))
            for p, g in zip(ps, gs):
                if g is not None:
                    p.data.add_(g, alpha=-0.2)
        return loss.item(), copies(ps) + [self.codes.clone()]


@torch.jit.script
class RmsProp:
    """An optimizer as a class with its state in lists."""

    def __init__(self, params: List[Tensor], lr: float, alpha: float):
        self.params = params
        self.lr = lr
        self.alpha = alpha
        self.squares = [torch.zeros_like(p) for p in params]

    def step(self, grads: List[Optional[Tensor]]):
        with torch.no_grad():
            for i in range(len(self.params)):
                g = grads[i]
                if g is not None:
                    self.squares[i].mul_(self.alpha).addcmul_(g, g, value=1 - self.alpha)
                    self.params[i].addcdiv_(g, self.squares[i].sqrt().add_(1e-8), value=-self.lr)


class ByOptimizer(Trained):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 5)
        self.b = nn.Linear(5, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        ps = [self.a.weight, self.a.bias, self.b.weight, self.b.bias]
        optimizer = RmsProp(ps, 0.02, 0.9)
        loss = torch.zeros([])
        for k in range(3):
            loss = F.cross_entropy(self.b(torch.sigmoid(self.a(x))), t)
            optimizer.step(torch.autograd.grad([loss], ps))
        return loss.item(), copies(ps)


class FocalDice(Trained):
    """Segmentation: focal loss and dice of a small U of convolutions, one cycle of the rate."""

    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(1, 3, 3, stride=2, padding=1)
        self.bn = nn.BatchNorm2d(3)
        self.up = nn.ConvTranspose2d(3, 2, 4, stride=2, padding=1)
        self.head = nn.Conv2d(3, 1, 1)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        image = (x.unsqueeze(2) * x.unsqueeze(1)).unsqueeze(1)
        mask = (image > 0.2).float()
        h = F.leaky_relu(self.bn(self.down(image)), 0.1)
        logits = self.head(torch.cat([self.up(h), image], 1))
        bce = F.binary_cross_entropy_with_logits(logits, mask, reduction='none')
        p = torch.sigmoid(logits)
        pt = p * mask + (1 - p) * (1 - mask)
        focal = ((1 - pt) ** 2 * bce).mean()
        dice = 1 - (2 * (p * mask).sum((1, 2, 3)) + 1) / (p.sum((1, 2, 3)) + mask.sum((1, 2, 3)) + 1)
        loss = focal + dice.mean()
        ps = [self.down.weight, self.bn.weight, self.up.weight, self.head.weight]
        for p_ in ps:
            p_.requires_grad_()
        loss.backward()
        rate = 0.1 * (1 + math.cos(math.pi * i / 10)) / 2
        with torch.no_grad():
            for w in [self.down.weight, self.bn.weight, self.up.weight, self.head.weight]:
                if w.grad is not None:
                    w -= rate * w.grad
                    w.grad.zero_()
        return loss.item(), copies(ps)


class Gae(Trained):
    """An actor and a critic over an episode that is made step by step, with generalized advantages."""

    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 6)
        self.actor = nn.Linear(6, 2)
        self.critic = nn.Linear(6, 1)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        torch.manual_seed(i)
        log_probs: List[Tensor] = []
        values: List[Tensor] = []
        entropies: List[Tensor] = []
        rewards: List[float] = []
        state = x[0]
        while len(rewards) < 8:
            h = torch.tanh(self.body(state))
            p = F.softmax(self.actor(h), dim=-1)
            action = torch.multinomial(p, 1)
            log_p = torch.log(p)
            log_probs.append(log_p[action].squeeze())
            entropies.append(-(p * log_p).sum())
            values.append(self.critic(h).squeeze())
            reward = float(state[0]) if int(action) == 1 else -float(state[1])
            rewards.append(reward)
            state = torch.sin(state * 1.3 + (float(action) - 0.5))
            if abs(reward) > 0.97:
                break
        advantages: List[float] = []
        a, following = 0.0, 0.0
        for k in range(len(rewards) - 1, -1, -1):
            v = float(values[k].detach())
            a = rewards[k] + 0.99 * following - v + 0.99 * 0.95 * a
            following = v
            advantages.insert(0, a)
        adv = torch.tensor(advantages)
        v = torch.stack(values)
        policy = -(torch.stack(log_probs) * adv).sum()
        value = F.mse_loss(v, adv + v.detach())
        loss = policy + 0.5 * value - 0.01 * torch.stack(entropies).sum()
        ps = [self.body.weight, self.body.bias, self.actor.weight, self.critic.weight]
        gs = torch.autograd.grad([loss], ps)
        with torch.no_grad():
            for p, g in zip(ps, gs):
                if g is not None:
                    p -= 0.05 * g
        return loss.item(), copies(ps)


class Sinkhorn(Trained):
    """Optimal transport between embeddings and points, in logarithms, until it settles."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 2)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        y = torch.stack([torch.cos(t.float()), torch.sin(t.float())], 1) + 0.05 * torch.arange(6.).unsqueeze(1)
        z = self.net(x)
        cost = ((z[:, None] - y[None]) ** 2).sum(-1)
        f, g = torch.zeros(6), torch.zeros(6)
        eps = 0.5
        for k in range(50):
            before = f
            f = -eps * torch.logsumexp((g[None, :] - cost) / eps - math.log(6.0), 1)
            g = -eps * torch.logsumexp((f[:, None] - cost) / eps - math.log(6.0), 0)
            if float((f - before).abs().max()) < 1e-3:
                break
        plan = torch.exp((f[:, None] + g[None, :] - cost) / eps) / 36
        loss = (plan * cost).sum()
        ps = [self.net.weight, self.net.bias]
        gs = torch.autograd.grad([loss], ps)
        with torch.no_grad():
            for p, q in zip(ps, gs):
                if q is not None:
                    p -= 0.1 * q
        return loss.item(), copies(ps)


class Kalman(Trained):
    """A filter whose matrices are learned by the likelihood of what is seen."""

    def __init__(self):
        super().__init__()
        self.f = nn.Parameter(torch.zeros(2, 2))
        self.h = nn.Parameter(torch.zeros(1, 2))
        self.q = nn.Parameter(torch.zeros(2))
        self.r = nn.Parameter(torch.zeros(1))
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        m, p = torch.zeros(2, 1), torch.eye(2)
        loss = torch.zeros(1, 1)
        q, r = torch.diag(torch.exp(self.q)), torch.exp(self.r).view(1, 1)
        for y in x.flatten()[:8]:
            m = self.f @ m
            p = self.f @ p @ self.f.t() + q
            s = self.h @ p @ self.h.t() + r
            k = torch.linalg.solve(s, self.h @ p).t()
            e = y - self.h @ m
            loss = loss + 0.5 * (torch.logdet(s) + e.t() @ torch.inverse(s) @ e)
            m = m + k @ e
            p = (torch.eye(2) - k @ self.h) @ p
        loss = loss.squeeze()
        ps = [self.f, self.h, self.q, self.r]
        gs = torch.autograd.grad([loss], ps)
        with torch.no_grad():
            for w, g in zip(ps, gs):
                if g is not None:
                    w -= 0.02 * g
        return loss.item(), copies(ps)


class Capsules(Trained):
    """Routing by agreement."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(2, 3, 4, 3))
        self.fill()

    def squash(self, v: Tensor) -> Tensor:
        n = (v ** 2).sum(-1, keepdim=True)
        return n / (1 + n) * v / torch.sqrt(n + 1e-8)

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        parts = x.view(-1, 2, 2).repeat(1, 1, 2)
        u = torch.einsum("bip,ijpd->bijd", parts, self.w)
        logits = torch.zeros(x.size(0), 2, 3)
        v = torch.zeros(x.size(0), 3, 3)
        for k in range(3):
            c = torch.softmax(logits, 2)
            s = (c.unsqueeze(-1) * u).sum(1)
            v = self.squash(s)
            if k < 2:
                logits = logits + (u * v.unsqueeze(1)).sum(-1)
        length = torch.norm(v, dim=-1)
        wanted = F.one_hot(t, 3).float()
        loss = (wanted * F.relu(0.9 - length) ** 2 + 0.5 * (1 - wanted) * F.relu(length - 0.1) ** 2).sum(1).mean()
        gs = torch.autograd.grad([loss], [self.w])
        g = gs[0]
        assert g is not None
        with torch.no_grad():
            self.w -= 0.5 * g
        return loss.item(), copies([self.w])


CLASSICS = [PaddedTransformer, TeacherForcing, Glow, ReplayDqn, Diffusion, GraphAttention, Routed, SoftDtw,
            MaskedLstm, VectorQuantized, ByOptimizer, FocalDice, Gae, Sinkhorn, Kalman, Capsules]

"""More kinds of training: of policies and densities, by other optimizers, on sequences of several lengths. As in
classics.py, forward(x, t, i) makes step i and gives the loss and the weights."""
import math
from typing import List, Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from torch.utils.checkpoint import checkpoint

from trained import Trained, copies, update


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(6, 5)
        self.out = nn.Linear(5, 1)

    def forward(self, state, action):
        return self.out(F.silu(self.hidden(torch.cat([state, action], -1)))).squeeze(-1)


class SoftActorCritic(Trained):
    """Two critics and their slow copies, a squashed Gaussian policy, a temperature that is trained too."""

    def __init__(self):
        super().__init__()
        self.policy = nn.Linear(4, 4)
        self.first = Critic()
        self.second = Critic()
        self.slow = Critic()
        self.log_alpha = nn.Parameter(torch.zeros(1))
        self.fill()

    def act(self, state: Tensor) -> Tuple[Tensor, Tensor]:
        mean, log_std = self.policy(state).chunk(2, -1)
        std = log_std.clamp(-5.0, 1.0).exp()
        raw = mean + std * torch.randn_like(mean)
        action = torch.tanh(raw)
        chance = -((raw - mean) / std).pow(2) / 2 - std.log() - 0.5 * math.log(2 * math.pi)
        chance = chance - torch.log(1 - action.pow(2) + 1e-6)
        return action, chance.sum(-1)

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        torch.manual_seed(i)
        reward = t.float() - 1
        with torch.no_grad():
            action, chance = self.act(x.roll(1, 0))
            target = reward + 0.9 * (self.slow(x.roll(1, 0), action) - self.log_alpha.exp() * chance)
        done = torch.tanh(x[:, :2])
        loss = F.mse_loss(self.first(x, done), target) + F.mse_loss(self.second(x, done), target)
        ps = [self.first.hidden.weight, self.first.out.weight, self.second.hidden.weight, self.second.out.bias]
        update(ps, torch.autograd.grad([loss], ps), 0.02)
        action, chance = self.act(x)
        best = torch.min(self.first(x, action), self.second(x, action))
        wanted = (self.log_alpha.exp().detach() * chance - best).mean()
        qs = [self.policy.weight, self.policy.bias]
        update(qs, torch.autograd.grad([wanted], qs), 0.02)
        heat = -(self.log_alpha * (chance + 2).detach()).mean()
        update([self.log_alpha], torch.autograd.grad([heat], [self.log_alpha]), 0.1)
        with torch.no_grad():
            self.slow.hidden.weight.lerp_(self.first.hidden.weight, 0.1)
            self.slow.out.weight.lerp_(self.first.out.weight, 0.1)
        return float(loss) + float(wanted), copies(ps + qs + [self.log_alpha, self.slow.hidden.weight])


class Translator(Trained):
    """An encoder and a decoder with additive attention; each step of the decoder sees the right word or its own."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(4, 3)
        self.encoder = nn.GRUCell(4, 5)
        self.decoder = nn.LSTMCell(8, 5)
        self.score = nn.Linear(10, 1)
        self.out = nn.Linear(5, 4)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        torch.manual_seed(i)
        h = torch.zeros(2, 5)
        seen: List[Tensor] = []
        for k in range(3):
            h = self.encoder(x[2 * k:2 * k + 2], h)
            seen.append(h)
        memory = torch.stack(seen, 1)
        c = torch.zeros(2, 5)
        words = torch.full([2], 3)
        loss = torch.zeros([])
        wanted = t.view(2, 3)
        for k in range(wanted.size(1)):
            scores = self.score(torch.cat([memory, h.unsqueeze(1).expand(-1, 3, -1)], -1)).squeeze(-1)
            context = torch.bmm(scores.softmax(-1).unsqueeze(1), memory).squeeze(1)
            h, c = self.decoder(torch.cat([self.embed(words), context], -1), (h, c))
            logits = self.out(h)
            loss = loss + F.cross_entropy(logits, wanted[:, k])
            if float(torch.rand(1)) < 0.5:
                words = wanted[:, k]
            else:
                words = logits.argmax(-1)
        ps = [self.embed.weight, self.encoder.weight_ih, self.decoder.weight_hh, self.score.weight, self.out.weight]
        update(ps, torch.autograd.grad([loss], ps), 0.3)
        return float(loss), copies(ps)


class MixtureDensity(Trained):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(4, 6)
        self.out = nn.Linear(6, 9)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        shares, means, scales = self.out(torch.tanh(self.hidden(x))).split([3, 3, 3], 1)
        scales = F.softplus(scales) + 0.1
        away = (t.float().unsqueeze(1) - means) / scales
        likelihood = shares.log_softmax(1) - scales.log() - away * away / 2
        loss = -likelihood.logsumexp(1).mean()
        ps = [self.hidden.weight, self.hidden.bias, self.out.weight, self.out.bias]
        update(ps, torch.autograd.grad([loss], ps), 0.1)
        return float(loss), copies(ps)


class HyperNetwork(Trained):
    """One network makes the weights of another, for each task its own."""

    def __init__(self):
        super().__init__()
        self.tasks = nn.Parameter(torch.zeros(2, 3))
        self.maker = nn.Linear(3, 4 * 3 + 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        losses: List[Tensor] = []
        for k in range(2):
            made = self.maker(self.tasks[k])
            w, b = made[:12].view(3, 4), made[12:]
            losses.append(F.cross_entropy(F.linear(x[k::2], w, b), t[k::2]))
        loss = torch.stack(losses).mean()
        ps = [self.tasks, self.maker.weight, self.maker.bias]
        update(ps, torch.autograd.grad([loss], ps), 0.5)
        return float(loss), copies(ps)


class SharpnessAware(Trained):
    """SAM: the gradient where the loss is worst nearby moves the weights from where they were."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 5)
        self.b = nn.Linear(5, 3)
        self.fill()

    def loss(self, x: Tensor, t: Tensor) -> Tensor:
        return F.cross_entropy(self.b(F.elu(self.a(x))), t)

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        ps = [self.a.weight, self.a.bias, self.b.weight, self.b.bias]
        loss = self.loss(x, t)
        gs = torch.autograd.grad([loss], ps)
        size = torch.zeros([])
        for g in gs:
            if g is not None:
                size = size + g.pow(2).sum()
        moves: List[Tensor] = []
        with torch.no_grad():
            for p, g in zip(ps, gs):
                assert g is not None
                move = g * (0.05 / (size.sqrt() + 1e-12))
                p.add_(move)
                moves.append(move)
        worst = torch.autograd.grad([self.loss(x, t)], ps)
        with torch.no_grad():
            for p, move in zip(ps, moves):
                p.sub_(move)
        update(ps, worst, 0.3)
        return float(loss), copies(ps)


class Lion(Trained):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.fill()
        self.register_buffer("m", torch.zeros(3, 4))
        self.register_buffer("squares", torch.zeros(3))

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        weights = torch.tensor([1.0, 0.5, 2.0])
        loss = F.cross_entropy(self.fc(x), t, weight=weights, label_smoothing=0.1)
        gw, gb = torch.autograd.grad([loss], [self.fc.weight, self.fc.bias])
        assert gw is not None and gb is not None
        with torch.no_grad():
            self.fc.weight.mul_(0.999).sub_(0.03 * torch.sign(self.m * 0.9 + gw * 0.1))
            self.m.mul_(0.99).add_(gw, alpha=0.01)
            self.squares.addcmul_(gb, gb)
            self.fc.bias.addcdiv_(gb, self.squares.sqrt() + 1e-10, value=-0.1)
        return float(loss), copies([self.fc.weight, self.fc.bias, self.m, self.squares])


class Lbfgs(Trained):
    """The two loops of L-BFGS over the steps that are remembered."""

    steps: List[Tensor]
    changes: List[Tensor]

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(4, 3))
        self.fill()
        self.register_buffer("last_g", torch.zeros(12))
        self.register_buffer("last_w", torch.zeros(12))
        self.steps = []
        self.changes = []

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        loss = F.cross_entropy(x @ self.w, t) + 0.05 * self.w.pow(2).sum()
        g = torch.autograd.grad([loss], [self.w])[0]
        assert g is not None
        g = g.flatten()
        now = self.w.detach().flatten().clone()
        if i > 0:
            self.steps.append(now - self.last_w)
            self.changes.append(g - self.last_g)
            if len(self.steps) > 4:
                self.steps = self.steps[1:]
                self.changes = self.changes[1:]
        self.last_g.copy_(g)
        self.last_w.copy_(now)
        q = g
        shares: List[Tensor] = []
        for k in range(len(self.steps) - 1, -1, -1):
            share = torch.dot(self.steps[k], q) / torch.dot(self.changes[k], self.steps[k])
            q = q - share * self.changes[k]
            shares.insert(0, share)
        if len(self.steps) > 0:
            q = q * (torch.dot(self.steps[-1], self.changes[-1]) / torch.dot(self.changes[-1], self.changes[-1]))
        for k in range(len(self.steps)):
            back = torch.dot(self.changes[k], q) / torch.dot(self.changes[k], self.steps[k])
            q = q + (shares[k] - back) * self.steps[k]
        with torch.no_grad():
            self.w.sub_(0.5 * q.view(4, 3))
        return float(loss), copies([self.w])


class NormedWeights(Trained):
    """Weight norm and spectral norm (one power iteration a step, its vector kept), mixup and the focal loss."""

    def __init__(self):
        super().__init__()
        self.g = nn.Parameter(torch.ones(5, 1))
        self.v = nn.Parameter(torch.zeros(5, 4))
        self.w = nn.Parameter(torch.zeros(3, 5))
        self.fill()
        self.register_buffer("u", torch.ones(3) / math.sqrt(3))

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        share = 0.3 + 0.05 * i
        order = torch.arange(5, -1, -1)
        mixed = share * x + (1 - share) * x[order]
        with torch.no_grad():
            right = F.normalize(torch.mv(self.w.t(), self.u), dim=0, eps=1e-12)
            self.u.copy_(F.normalize(torch.mv(self.w, right), dim=0, eps=1e-12))
        left = self.u.clone()
        w = self.w / torch.dot(left, torch.mv(self.w, right))
        h = F.leaky_relu(F.linear(mixed, self.v * (self.g / self.v.norm(2, 1, keepdim=True))), 0.1)
        logits = F.linear(h, w)
        chance = logits.log_softmax(1)
        loss = torch.zeros([])
        for labels, part in [(t, share), (t[order], 1 - share)]:
            picked = chance.gather(1, labels.unsqueeze(1)).squeeze(1)
            loss = loss - part * ((1 - picked.exp()) ** 2 * picked).mean()
        ps = [self.g, self.v, self.w]
        update(ps, torch.autograd.grad([loss], ps), 0.5)
        return float(loss), copies(ps + [self.u])


class GumbelCodes(Trained):
    """Discrete codes by straight-through Gumbel softmax, with a vector-quantized residual."""

    def __init__(self):
        super().__init__()
        self.encode = nn.Linear(4, 6)
        self.decode = nn.Linear(3, 4)
        self.codes = nn.Parameter(torch.zeros(6, 3))
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        torch.manual_seed(i)
        hard = F.gumbel_softmax(self.encode(x), tau=0.8, hard=True)
        soft = F.gumbel_softmax(self.encode(x), tau=1.0)
        code = hard @ self.codes
        near = self.codes[torch.cdist(code.detach(), self.codes.detach()).argmin(1)]
        code = code + (near - code).detach()
        loss = F.mse_loss(self.decode(code), x) + 0.1 * (soft * (soft + 1e-9).log()).sum(1).mean()
        loss = loss + 0.25 * F.mse_loss(near, (hard @ self.codes).detach())
        ps = [self.encode.weight, self.encode.bias, self.decode.weight, self.codes]
        update(ps, torch.autograd.grad([loss], ps), 0.2)
        return float(loss), copies(ps)


class HardestTriplets(Trained):
    """Of each row the farthest of its class and the nearest of another; the distances' own gradient."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 6)
        self.norm = nn.BatchNorm1d(6)
        self.b = nn.Linear(6, 2)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        e = F.normalize(self.b(F.relu(self.norm(self.a(x)))), dim=1)
        apart = (e.unsqueeze(0) - e.unsqueeze(1)).pow(2).sum(2).clamp(min=1e-12).sqrt()
        same = t.unsqueeze(0) == t.unsqueeze(1)
        far = apart.masked_fill(~same, -1.0).max(1)[0]
        near = apart.masked_fill(same, 1e4).min(1)[0]
        losses = F.relu(far - near + 0.5)
        kept = losses[losses > 1e-6]
        if kept.numel() > 0:
            loss = kept.mean()
        else:
            loss = losses.sum()
        ps = [self.a.weight, self.norm.weight, self.norm.bias, self.b.weight]
        update(ps, torch.autograd.grad([loss], ps), 0.05)
        running = self.norm.running_mean
        assert running is not None
        return float(loss), copies(ps + [running])


class Packed(Trained):
    """An LSTM over sequences of several lengths, packed."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 3, batch_first=True, bidirectional=True)
        self.out = nn.Linear(6, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        batch = x.view(2, 3, 4)
        packed = pack_padded_sequence(batch, torch.tensor([3, 1 + i % 3]), batch_first=True, enforce_sorted=False)
        out, (h, c) = self.lstm(packed)
        rows, lengths = pad_packed_sequence(out, batch_first=True, total_length=3)
        loss = F.cross_entropy(self.out(rows.reshape(6, 6)), t) + h.pow(2).mean() + c.sum() * 0.01
        ps = [self.lstm.weight_ih_l0, self.lstm.weight_hh_l0, self.lstm.bias_ih_l0_reverse, self.out.weight]
        update(ps, torch.autograd.grad([loss], ps), 0.3)
        return float(loss), copies(ps)


class Spectral(Trained):
    """A filter learned in frequency, against the spectrum that is wanted."""

    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.zeros(13))
        self.shift = nn.Parameter(torch.zeros(13))
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        signal = x.flatten()
        filtered = torch.fft.irfft(torch.fft.rfft(signal) * torch.polar(self.gain.exp(), self.shift), n=24)
        parts = torch.stft(filtered, 8, 4, window=torch.hann_window(8), return_complex=True)
        wanted = torch.linspace(1.0, 2.0, 5).unsqueeze(1)
        loss = (torch.view_as_real(parts).pow(2).sum(-1).add(1e-4).sqrt() - wanted).pow(2).mean() + 0.01 * parts.angle().cos().mean()
        ps = [self.gain, self.shift]
        update(ps, torch.autograd.grad([loss], ps), 0.2)
        return float(loss), copies(ps)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(4)
        self.up = nn.Linear(4, 32)
        self.down = nn.Linear(32, 4)
        self.drop = nn.Dropout(0.2)

    def forward(self, x):
        h = self.drop(F.gelu(self.up(self.norm(x))))
        if bool(h.sum() > 3.0):
            h = torch.tanh(h * 1.5)
        return x + self.down(h)


class Deep(Trained):
    """Layers one behind the other."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Layer() for _ in range(6)])
        self.out = nn.Linear(4, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        torch.manual_seed(i)
        h = x
        for layer in self.layers:
            h = layer(h)
        loss = F.cross_entropy(self.out(h), t)
        ps = [self.layers[0].up.weight, self.layers[5].down.bias, self.out.weight]
        update(ps, torch.autograd.grad([loss], ps), 0.2)
        return float(loss), copies(ps)


class DeepAgain(Deep):
    """The same; what is inside of layers is computed again for the gradients."""

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        torch.manual_seed(i)
        h = x.clone().requires_grad_()
        for layer in self.layers:
            h = checkpoint(layer, h, use_reentrant=False, preserve_rng_state=True)
        loss = F.cross_entropy(self.out(h), t)
        ps = [self.layers[0].up.weight, self.layers[5].down.bias, self.out.weight]
        update(ps, torch.autograd.grad([loss], ps), 0.2)
        return float(loss), copies(ps)


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(8, 32)
        self.down = nn.Linear(32, 4)

    def forward(self, x, h):
        for k in range(2):
            h = torch.tanh(self.down(F.silu(self.up(torch.cat([x, h])))) + h * 0.5)
        return h


class Long(Trained):
    """Many turns of a cell."""

    def __init__(self):
        super().__init__()
        self.cell = Cell()
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        h = torch.zeros(4)
        for k in range(x.size(0) * 4):
            h = self.cell(x[k % 6], h)
        loss = (h - t[:4].float()).pow(2).mean()
        ps = [self.cell.up.weight, self.cell.down.weight]
        update(ps, torch.autograd.grad([loss], ps), 0.1)
        return float(loss), copies(ps)


class LongAgain(Long):
    def turn(self, x: Tensor, h: Tensor) -> Tensor:
        return self.cell(x, h)

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        h = torch.zeros(4)
        for k in range(x.size(0) * 4):
            h = checkpoint(self.turn, x[k % 6], h, use_reentrant=False)
        loss = (h - t[:4].float()).pow(2).mean()
        ps = [self.cell.up.weight, self.cell.down.weight]
        update(ps, torch.autograd.grad([loss], ps), 0.1)
        return float(loss), copies(ps)


CLASSICS = [SoftActorCritic, Translator, MixtureDensity, HyperNetwork, SharpnessAware, Lion, Lbfgs, NormedWeights,
            GumbelCodes, HardestTriplets, Packed, Spectral, Deep, Long]

# Modules that TorchScript does not take, because it does not know checkpoint(), and those whose steps they make.
AGAIN = {"DeepAgain": Deep, "LongAgain": Long}

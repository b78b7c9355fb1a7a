"""Programs that train on sequences, graphs and tasks with containers of tensors: dicts, lists that carry a state, named
tuples, interfaces. As in classics.py, forward(x, t, i) makes step i and gives the loss and the weights."""
import math
from typing import Dict, List, NamedTuple, Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor

from trained import Trained, copies, update


class GruOverList(Trained):
    """BPTT over a list of tensors, with the hidden states kept in a list that is read backwards."""

    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(4, 5)
        self.out = nn.Linear(5, 3)
        self.fill()

    def run(self, xs: List[Tensor]) -> List[Tensor]:
        h = torch.zeros(1, 5)
        hs: List[Tensor] = []
        for x in xs:
            h = self.cell(x, h)
            hs.append(h)
        return hs

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        hs = self.run([row.unsqueeze(0) for row in x.unbind(0)])
        loss = torch.zeros(())
        for k in range(len(hs)):
            loss = loss + F.cross_entropy(self.out(hs[k]), t[k:k + 1]) * (0.9 ** k)
        loss = loss + 0.01 * hs[-1].pow(2).sum()
        ps = [self.cell.weight_ih, self.cell.weight_hh, self.out.weight]
        update(ps, torch.autograd.grad([loss], ps), 0.2)
        return float(loss), copies(ps)


class Seq2Seq(Trained):
    """An encoder, and a decoder with teacher forcing: sometimes fed its own choice."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.GRU(4, 5)
        self.embed = nn.Embedding(3, 4)
        self.decoder = nn.GRUCell(4, 5)
        self.attend = nn.Linear(5, 5)
        self.out = nn.Linear(10, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        torch.manual_seed(i)
        memory, state = self.encoder(x.unsqueeze(1))
        h = state[0]
        token = torch.zeros(1, dtype=torch.long)
        logits: List[Tensor] = []
        for k in range(t.size(0)):
            h = self.decoder(self.embed(token), h)
            weights = torch.softmax((memory.squeeze(1) @ self.attend(h).t()).squeeze(1), 0)
            context = (weights.unsqueeze(1) * memory.squeeze(1)).sum(0, keepdim=True)
            y = self.out(torch.cat([h, context], 1))
            logits.append(y)
            if torch.rand(1).item() < 0.5:
                token = t[k:k + 1]
            else:
                token = y.argmax(1)
        loss = F.cross_entropy(torch.cat(logits), t)
        ps = [self.encoder.weight_ih_l0, self.embed.weight, self.decoder.weight_hh, self.attend.weight, self.out.weight]
        update(ps, torch.autograd.grad([loss], ps), 0.3)
        return float(loss), copies(ps)


class FeatureGraph(Trained):
    """Message passing where each sort of node has its features in a dict."""

    def __init__(self):
        super().__init__()
        self.user = nn.Linear(4, 3)
        self.item = nn.Linear(4, 3)
        self.mix = nn.Linear(6, 3)
        self.fill()

    def layer(self, features: Dict[str, Tensor], adjacency: Tensor) -> Dict[str, Tensor]:
        out: Dict[str, Tensor] = {}
        out["user"] = torch.relu(features["user"] + adjacency @ features["item"])
        out["item"] = torch.relu(features["item"] + adjacency.t() @ features["user"])
        return out

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        features = {"user": self.user(x[:3]), "item": self.item(x[3:])}
        adjacency = torch.softmax(x[:3] @ x[3:].t(), 1)
        for _ in range(2):
            features = self.layer(features, adjacency)
        both = torch.cat([features["user"], features["item"]], 1)
        loss = F.cross_entropy(self.mix(both), t[:3])
        ps = [self.user.weight, self.item.weight, self.mix.weight]
        update(ps, torch.autograd.grad([loss], ps), 0.2)
        return float(loss), copies(ps)


class GatedExperts(Trained):
    """A mixture of experts: each row goes to the expert that the gate prefers."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(4, 3)
        self.experts = nn.ModuleList([nn.Linear(4, 3), nn.Linear(4, 3), nn.Linear(4, 3)])
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        p = torch.softmax(self.gate(x), 1)
        top, which = p.max(1)
        out = torch.zeros(x.size(0), 3)
        load = torch.zeros(3)
        for k, expert in enumerate(self.experts):
            mine = (which == k).nonzero().squeeze(1)
            load[k] = p[:, k].mean() * float(mine.numel()) / x.size(0)
            if mine.numel() > 0:
                out = out.index_add(0, mine, expert(x[mine]) * top[mine].unsqueeze(1))
        loss = F.cross_entropy(out, t) + 0.1 * load.sum()
        ps = [self.gate.weight, self.experts[0].weight, self.experts[1].weight, self.experts[2].weight]
        update(ps, torch.autograd.grad([loss], ps, allow_unused=True), 0.5)
        return float(loss), copies(ps)


class ActorCritic(Trained):
    """REINFORCE with a baseline: an episode of unknown length, whose log probabilities are collected."""

    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 6)
        self.actor = nn.Linear(6, 2)
        self.critic = nn.Linear(6, 1)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        torch.manual_seed(i)
        state = x[0]
        log_ps: List[Tensor] = []
        values: List[Tensor] = []
        rewards: List[float] = []
        k = 0
        while k < 8:
            h = torch.tanh(self.body(state))
            p = torch.softmax(self.actor(h), 0)
            action = int(torch.multinomial(p.detach(), 1).item())
            log_ps.append(torch.log(p[action]))
            values.append(self.critic(h).squeeze())
            state = state * 0.7 + x[(k + action) % 6] * 0.3
            reward = float(state[action]) - float(state[1 - action])
            rewards.append(reward)
            k += 1
            if reward < -1.2:
                break
        returns: List[float] = []
        total = 0.0
        for r in rewards[::-1]:
            total = r + 0.9 * total
            returns.insert(0, total)
        target = torch.tensor(returns)
        value = torch.stack(values)
        advantage = target - value.detach()
        loss = -(torch.stack(log_ps) * advantage).sum() + F.smooth_l1_loss(value, target)
        ps = [self.body.weight, self.actor.weight, self.critic.weight, self.critic.bias]
        update(ps, torch.autograd.grad([loss], ps), 0.05)
        return float(loss), copies(ps)


class MamlSteps(Trained):
    """MAML with an inner loop of several steps, whose weights are a dict."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 5)
        self.b = nn.Linear(5, 1)
        self.fill()

    def predict(self, w: Dict[str, Tensor], x: Tensor) -> Tensor:
        return F.linear(torch.tanh(F.linear(x, w["a.weight"], w["a.bias"])), w["b.weight"], w["b.bias"])

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        y = t.float().unsqueeze(1)
        w = {"a.weight": self.a.weight, "a.bias": self.a.bias, "b.weight": self.b.weight, "b.bias": self.b.bias}
        for _ in range(3):
            inner = F.mse_loss(self.predict(w, x[:3]), y[:3])
            gs = torch.autograd.grad([inner], [w["a.weight"], w["a.bias"], w["b.weight"], w["b.bias"]], create_graph=True)
            new: Dict[str, Tensor] = {}
            for name, g in zip(["a.weight", "a.bias", "b.weight", "b.bias"], gs):
                assert g is not None
                new[name] = w[name] - 0.1 * g
            w = new
        loss = F.mse_loss(self.predict(w, x[3:]), y[3:])
        ps = [self.a.weight, self.a.bias, self.b.weight, self.b.bias]
        update(ps, torch.autograd.grad([loss], ps), 0.1)
        return float(loss), copies(ps)


class Moco(Trained):
    """Contrast with a queue of old keys, an averaged encoder and a pointer kept in a buffer."""

    def __init__(self):
        super().__init__()
        self.query = nn.Linear(4, 3)
        self.key = nn.Linear(4, 3)
        self.fill()
        for p in self.key.parameters():
            p.requires_grad_(False)
        self.register_buffer("queue", F.normalize(torch.cos(torch.arange(24.0)).reshape(3, 8), dim=0))
        self.register_buffer("pointer", torch.zeros(1, dtype=torch.long))

    @torch.jit.export
    def enqueue(self, keys: Tensor):
        n = keys.size(0)
        at = int(self.pointer)
        for k in range(n):
            self.queue[:, (at + k) % 8] = keys[k]
        self.pointer[0] = (at + n) % 8

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        q = F.normalize(self.query(x), dim=1)
        with torch.no_grad():
            for pq, pk in zip([self.query.weight, self.query.bias], [self.key.weight, self.key.bias]):
                pk.data.mul_(0.9).add_(pq.data, alpha=0.1)
            k = F.normalize(self.key(x.flip(1)), dim=1)
        positive = torch.einsum("nc,nc->n", [q, k]).unsqueeze(-1)
        negative = torch.einsum("nc,ck->nk", [q, self.queue.clone().detach()])
        logits = torch.cat([positive, negative], dim=1) / 0.2
        loss = F.cross_entropy(logits, torch.zeros(x.size(0), dtype=torch.long))
        ps = [self.query.weight, self.query.bias]
        update(ps, torch.autograd.grad([loss], ps), 0.1)
        self.enqueue(k)
        return float(loss), copies([self.query.weight, self.query.bias, self.key.weight, self.queue])


class RealNvp(Trained):
    """Coupling layers in a loop over modules, masks from buffers, the log determinant summed up."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 8), nn.Linear(4, 8), nn.Linear(4, 8)])
        self.fill()
        self.register_buffer("mask", torch.tensor([1.0, 0.0, 1.0, 0.0]))
        self.log_scale = nn.Parameter(torch.zeros(4))

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        z = x
        log_det = torch.zeros(x.size(0))
        for k, layer in enumerate(self.layers):
            m = self.mask if k % 2 == 0 else 1 - self.mask
            s, b = layer(z * m).chunk(2, -1)
            s = torch.tanh(s) * self.log_scale.exp()
            z = m * z + (1 - m) * (z * torch.exp(s) + b)
            log_det += ((1 - m) * s).sum(-1)
        prior = -0.5 * z.pow(2).sum(-1) - 2 * math.log(2 * math.pi)
        loss = -(prior + log_det).mean()
        loss.backward()
        ps = [self.layers[0].weight, self.layers[1].weight, self.layers[2].bias, self.log_scale]
        gs: List[Optional[Tensor]] = []
        for p in ps:
            gs.append(p.grad)
        update(ps, gs, 0.05)
        for g in gs:
            if g is not None:
                g.zero_()
        return float(loss), copies(ps)


class GaussianProcess(Trained):
    """Marginal likelihood of a Gaussian process, by Cholesky."""

    def __init__(self):
        super().__init__()
        self.log_length = nn.Parameter(torch.zeros(1))
        self.log_variance = nn.Parameter(torch.zeros(1))
        self.log_noise = nn.Parameter(torch.full((1,), -1.0))

    def kernel(self, a: Tensor, b: Tensor) -> Tensor:
        d = torch.cdist(a / self.log_length.exp(), b / self.log_length.exp())
        return self.log_variance.exp() * torch.exp(-0.5 * d ** 2)

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        y = x.sum(1).sin()
        k = self.kernel(x, x) + torch.eye(6) * self.log_noise.exp()
        l = torch.linalg.cholesky(k)
        alpha = torch.cholesky_solve(y.unsqueeze(1), l)
        loss = 0.5 * (y @ alpha).squeeze() + l.diagonal().log().sum() + 3 * math.log(2 * math.pi)
        ps = [self.log_length, self.log_variance, self.log_noise]
        update(ps, torch.autograd.grad([loss], ps), 0.05)
        return float(loss), copies(ps)


class Speech(Trained):
    """Convolutions over time, a bidirectional GRU and CTC."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(2, 4, 3, padding=1)
        self.rnn = nn.GRU(4, 3, bidirectional=True, batch_first=True)
        self.fc = nn.Linear(6, 4)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        h = F.hardswish(self.conv(x.reshape(2, 2, 6)))
        h, _ = self.rnn(h.transpose(1, 2))
        logs = self.fc(h).log_softmax(-1).transpose(0, 1)
        loss = F.ctc_loss(logs, torch.stack([t[:2], t[2:4]]) + 1, torch.tensor([6, 6]), torch.tensor([2, 2]), zero_infinity=True)
        ps = [self.conv.weight, self.rnn.weight_ih_l0, self.rnn.weight_hh_l0_reverse, self.fc.weight]
        update(ps, torch.autograd.grad([loss], ps), 0.3)
        return float(loss), copies(ps)


class State(NamedTuple):
    h: Tensor
    c: Tensor


class HandLstm(Trained):
    """An LSTM by hand, whose state is a named tuple and whose gates are chunks."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(7, 12))
        self.b = nn.Parameter(torch.zeros(12))
        self.out = nn.Linear(3, 3)
        self.fill()

    def advance(self, x: Tensor, s: State) -> State:
        i, f, g, o = (torch.cat([x, s.h], 1) @ self.w + self.b).chunk(4, 1)
        c = torch.sigmoid(f + 1) * s.c + torch.sigmoid(i) * torch.tanh(g)
        return State(torch.sigmoid(o) * torch.tanh(c), c)

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        s = State(torch.zeros(1, 3), torch.zeros(1, 3))
        states: List[State] = []
        for k in range(x.size(0)):
            s = self.advance(x[k:k + 1], s)
            states.append(s)
        loss = torch.zeros(1)
        for k, one in enumerate(states):
            loss = loss + F.cross_entropy(self.out(one.h), t[k:k + 1]) + 1e-3 * one.c.abs().sum()
        ps = [self.w, self.b, self.out.weight]
        update(ps, torch.autograd.grad([loss.sum()], ps), 0.1)
        return float(loss), copies(ps)


CLASSICS = [GruOverList, Seq2Seq, FeatureGraph, GatedExperts, ActorCritic, MamlSteps, Moco, RealNvp, GaussianProcess, Speech,
            HandLstm]

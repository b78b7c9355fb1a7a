"""Classic ways to train, as modules. forward(x, t, i) does step i with x [6, 4] of floats and t [6] of class numbers,
and gives the loss and the weights after the step; every module begins with the same weights wherever it is made."""
from typing import List, Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor

from trained import Trained, copies, update


class Regression(Trained):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 1)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        loss = F.mse_loss(self.fc(x).squeeze(1), t.float())
        parameters = [self.fc.weight, self.fc.bias]
        update(parameters, torch.autograd.grad([loss], parameters), 0.1)
        return float(loss), copies(parameters)


class MomentumByBackward(Trained):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.fill()
        self.register_buffer("velocity", torch.zeros(3, 4))

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        w = self.fc.weight
        loss = F.cross_entropy(self.fc(x), t) + 0.01 * w.pow(2).sum()
        loss.backward()
        g = w.grad
        assert g is not None
        with torch.no_grad():
            self.velocity.mul_(0.9).add_(g)
            w.sub_(self.velocity * 0.1)
            g.zero_()
        return loss.item(), copies([w])


class Adam(Trained):
    m: List[Tensor]
    v: List[Tensor]

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 5)
        self.b = nn.Linear(5, 3)
        self.fill()
        self.m = [torch.zeros(5, 4), torch.zeros(5), torch.zeros(3, 5), torch.zeros(3)]
        self.v = [torch.zeros(5, 4), torch.zeros(5), torch.zeros(3, 5), torch.zeros(3)]

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        loss = F.nll_loss(F.log_softmax(self.b(F.gelu(self.a(x))), 1), t)
        parameters = [self.a.weight, self.a.bias, self.b.weight, self.b.bias]
        gradients = torch.autograd.grad([loss], parameters)
        with torch.no_grad():
            for k, p in enumerate(parameters):
                g = gradients[k]
                if g is not None:
                    self.m[k].mul_(0.9).add_(g, alpha=0.1)
                    self.v[k].mul_(0.999).addcmul_(g, g, value=0.001)
                    m = self.m[k] / (1 - 0.9 ** (i + 1))
                    v = self.v[k] / (1 - 0.999 ** (i + 1))
                    p.addcdiv_(m, v.sqrt() + 1e-8, value=-0.01)
        return float(loss), copies(parameters)


class RmsPropClipped(Trained):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 6)
        self.b = nn.Linear(6, 3)
        self.fill()
        self.register_buffer("square_a", torch.zeros(6, 4))
        self.register_buffer("square_b", torch.zeros(3, 6))

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        loss = F.cross_entropy(self.b(torch.relu(self.a(x))), t, label_smoothing=0.1)
        gradients = torch.autograd.grad([loss], [self.a.weight, self.b.weight])
        a, b = gradients[0], gradients[1]
        assert a is not None and b is not None
        norm = torch.sqrt(a.pow(2).sum() + b.pow(2).sum())
        scale = torch.clamp(0.5 / (norm + 1e-6), max=1.0)
        with torch.no_grad():
            self.square_a.mul_(0.99).addcmul_(a * scale, a * scale, value=0.01)
            self.square_b.mul_(0.99).addcmul_(b * scale, b * scale, value=0.01)
            self.a.weight.addcdiv_(a * scale, self.square_a.sqrt().add_(1e-8), value=-0.01)
            self.b.weight.addcdiv_(b * scale, self.square_b.sqrt().add_(1e-8), value=-0.01)
        return float(loss), copies([self.a.weight, self.b.weight])


class ConvNet(Trained):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 3, 2, padding=1)
        self.bn = nn.BatchNorm2d(3)
        self.drop = nn.Dropout(0.25)
        self.fc = nn.Linear(27, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        torch.manual_seed(i)
        h = F.relu(self.bn(self.conv(x.reshape(6, 1, 2, 2))))
        h = self.drop(h.flatten(1))
        loss = F.cross_entropy(self.fc(h), t)
        parameters = [self.conv.weight, self.bn.weight, self.bn.bias, self.fc.weight]
        update(parameters, torch.autograd.grad([loss], parameters), 0.2)
        return float(loss) + float(self.bn.running_var.sum()), copies(parameters)


class Autoencoder(Trained):
    def __init__(self):
        super().__init__()
        self.down = nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 2))
        self.up = nn.Sequential(nn.Linear(2, 3), nn.ELU(), nn.Linear(3, 4))
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        loss = F.smooth_l1_loss(self.up(self.down(x)), x)
        parameters = [self.down[0].weight, self.down[2].weight, self.up[0].weight, self.up[2].weight, self.up[2].bias]
        update(parameters, torch.autograd.grad([loss], parameters), 0.5)
        return float(loss), copies(parameters)


class Vae(Trained):
    def __init__(self):
        super().__init__()
        self.mean = nn.Linear(4, 2)
        self.logvar = nn.Linear(4, 2)
        self.decode = nn.Linear(2, 4)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        torch.manual_seed(i)
        mean, logvar = self.mean(x), self.logvar(x)
        z = mean + torch.randn_like(mean) * torch.exp(0.5 * logvar)
        reconstruction = F.binary_cross_entropy_with_logits(self.decode(z), torch.sigmoid(x), reduction="sum")
        divergence = -0.5 * torch.sum(1 + logvar - mean.pow(2) - logvar.exp())
        loss = (reconstruction + divergence) / x.size(0)
        parameters = [self.mean.weight, self.logvar.weight, self.decode.weight, self.decode.bias]
        update(parameters, torch.autograd.grad([loss], parameters), 0.05)
        return float(loss), copies(parameters)


class Gan(Trained):
    def __init__(self):
        super().__init__()
        self.g = nn.Sequential(nn.Linear(2, 5), nn.LeakyReLU(0.2), nn.Linear(5, 4))
        self.d = nn.Sequential(nn.Linear(4, 5), nn.LeakyReLU(0.2), nn.Linear(5, 1))
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        torch.manual_seed(i)
        fake = self.g(torch.randn(6, 2))
        real_score, fake_score = self.d(x), self.d(fake.detach())
        d_loss = F.binary_cross_entropy_with_logits(real_score, torch.ones_like(real_score)) + \
            F.binary_cross_entropy_with_logits(fake_score, torch.zeros_like(fake_score))
        d_parameters = [self.d[0].weight, self.d[0].bias, self.d[2].weight]
        update(d_parameters, torch.autograd.grad([d_loss], d_parameters), 0.1)
        g_score = self.d(self.g(torch.randn(6, 2)))
        g_loss = F.softplus(-g_score).mean()
        g_parameters = [self.g[0].weight, self.g[2].weight]
        update(g_parameters, torch.autograd.grad([g_loss], g_parameters), 0.1)
        return float(d_loss) + float(g_loss), copies(d_parameters + g_parameters)


class GradientPenalty(Trained):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 5)
        self.b = nn.Linear(5, 1)
        self.fill()

    def critic(self, x: Tensor) -> Tensor:
        return self.b(torch.tanh(self.a(x)))

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        torch.manual_seed(i)
        noise = torch.randn(6, 4)
        mix = torch.rand(6, 1)
        between = (mix * x + (1 - mix) * noise).requires_grad_()
        g = torch.autograd.grad([self.critic(between).sum()], [between], create_graph=True)[0]
        assert g is not None
        loss = self.critic(noise).mean() - self.critic(x).mean() + 10.0 * (g.norm(2, dim=1) - 1).pow(2).mean()
        parameters = [self.a.weight, self.a.bias, self.b.weight]
        update(parameters, torch.autograd.grad([loss], parameters, allow_unused=True), 0.02)
        return float(loss), copies(parameters)


class InfoNce(Trained):
    def __init__(self):
        super().__init__()
        self.project = nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 3))
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        torch.manual_seed(i)
        a = F.normalize(self.project(x + 0.1 * torch.randn_like(x)), dim=1)
        b = F.normalize(self.project(x + 0.1 * torch.randn_like(x)), dim=1)
        loss = F.cross_entropy(a @ b.t() / 0.5, torch.arange(x.size(0)))
        parameters = [self.project[0].weight, self.project[2].weight]
        update(parameters, torch.autograd.grad([loss], parameters), 0.2)
        return float(loss), copies(parameters)


class Triplets(Trained):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        h = self.fc(x)
        loss = F.triplet_margin_loss(h[:2], h[2:4], h[4:], margin=2.0) + \
            F.cosine_embedding_loss(h[:3], h[3:], torch.tensor([1, -1, 1])) + \
            F.margin_ranking_loss(h[:, 0], h[:, 1], torch.ones(6), margin=0.5)
        parameters = [self.fc.weight, self.fc.bias]
        update(parameters, torch.autograd.grad([loss], parameters), 0.1)
        return float(loss), copies(parameters)


class Reinforce(Trained):
    def __init__(self):
        super().__init__()
        self.policy = nn.Linear(4, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        torch.manual_seed(i)
        logs = F.log_softmax(self.policy(x), 1)
        actions = torch.multinomial(logs.detach().exp(), 1)
        rewards = (actions.squeeze(1) == t).float()
        returns = torch.zeros(6)
        running = 0.0
        for k in range(6):
            running = float(rewards[5 - k]) + 0.9 * running
            returns[5 - k] = running
        advantage = (returns - returns.mean()) / (returns.std() + 1e-5)
        entropy = -(logs.exp() * logs).sum(1).mean()
        loss = -(logs.gather(1, actions).squeeze(1) * advantage).mean() - 0.01 * entropy
        parameters = [self.policy.weight, self.policy.bias]
        update(parameters, torch.autograd.grad([loss], parameters), 0.3)
        return float(loss), copies(parameters)


class DeepQ(Trained):
    def __init__(self):
        super().__init__()
        self.q = nn.Linear(4, 3)
        self.target = nn.Linear(4, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        q = self.q(x).gather(1, t.unsqueeze(1)).squeeze(1)
        with torch.no_grad():
            wanted = 0.1 * x[:, 0] + 0.9 * self.target(x.flip(0)).max(1)[0]
        loss = F.huber_loss(q, wanted)
        parameters = [self.q.weight, self.q.bias]
        update(parameters, torch.autograd.grad([loss], parameters), 0.5)
        if i % 3 == 2:
            with torch.no_grad():
                self.target.weight.copy_(self.q.weight)
                self.target.bias.copy_(self.q.bias)
        return float(loss), copies(parameters)


class Ppo(Trained):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 5)
        self.actor = nn.Linear(5, 3)
        self.critic = nn.Linear(5, 1)
        self.fill()
        self.register_buffer("old", torch.full((6,), -1.1))

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        h = torch.tanh(self.body(x))
        logs = F.log_softmax(self.actor(h), -1).gather(1, t.view(-1, 1)).squeeze(1)
        value = self.critic(h).squeeze(-1)
        wanted = x.sum(1)
        advantage = (wanted - value).detach()
        ratio = torch.exp(logs - self.old)
        clipped = torch.min(ratio * advantage, torch.clamp(ratio, 0.8, 1.2) * advantage)
        loss = -clipped.mean() + 0.5 * F.mse_loss(value, wanted)
        parameters = [self.body.weight, self.actor.weight, self.critic.weight]
        update(parameters, torch.autograd.grad([loss], parameters), 0.1)
        self.old.copy_(logs.detach())
        return float(loss), copies(parameters)


class CtcOfLstm(Trained):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 3)
        self.fc = nn.Linear(3, 4)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        out, _ = self.lstm(torch.stack([x[:, None], x.flip(0)[:, None]], 1).squeeze(2))
        logs = F.log_softmax(self.fc(out), 2)
        loss = F.ctc_loss(logs, torch.tensor([[1, 2], [3, 3]]), torch.tensor([6, 5]), torch.tensor([2, 2]))
        parameters = [self.lstm.weight_ih_l0, self.lstm.weight_hh_l0, self.fc.weight]
        update(parameters, torch.autograd.grad([loss], parameters), 0.2)
        return float(loss), copies(parameters)


class Tagger(Trained):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(5, 4)
        self.lstm = nn.LSTM(4, 3, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(6, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        words = torch.stack([t, (t + i) % 5])
        out, _ = self.lstm(self.embed(words))
        loss = F.cross_entropy(self.fc(out).flatten(0, 1), torch.cat([t, t]), ignore_index=0)
        parameters = [self.embed.weight, self.lstm.weight_ih_l0, self.lstm.weight_hh_l0_reverse, self.fc.weight, self.fc.bias]
        update(parameters, torch.autograd.grad([loss], parameters), 0.5)
        return float(loss), copies(parameters)


class LanguageModel(Trained):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(4, 3)
        self.gru = nn.GRU(3, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        out, _ = self.gru(self.embed(t[:-1]).unsqueeze(1))
        logits = out.squeeze(1) @ self.embed.weight.t()
        loss = F.cross_entropy(logits, t[1:])
        parameters = [self.embed.weight, self.gru.weight_ih_l0, self.gru.bias_hh_l0]
        update(parameters, torch.autograd.grad([loss], parameters), 0.5)
        return torch.exp(loss).item(), copies(parameters)


class TruncatedBptt(Trained):
    def __init__(self):
        super().__init__()
        self.cell = nn.RNNCell(4, 3)
        self.fc = nn.Linear(3, 1)
        self.fill()
        self.register_buffer("h", torch.zeros(1, 3))

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        h = self.h
        losses: List[Tensor] = []
        for k in range(x.size(0)):
            h = self.cell(x[k:k + 1], h)
            losses.append((self.fc(h) - x[k].sum()).pow(2).sum())
        loss = torch.stack(losses).mean()
        parameters = [self.cell.weight_ih, self.cell.weight_hh, self.fc.weight]
        update(parameters, torch.autograd.grad([loss], parameters), 0.1)
        self.h = h.detach()
        return float(loss), copies(parameters)


class Transformer(Trained):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(4, 2, batch_first=True)
        self.norm = nn.LayerNorm(4)
        self.ff = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 4))
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        h = x.reshape(2, 3, 4)
        a, _ = self.attention(h, h, h, need_weights=False)
        h = self.norm(h + a)
        h = h + self.ff(h)
        loss = F.mse_loss(h, x.flip(0).reshape(2, 3, 4))
        parameters = [self.attention.in_proj_weight, self.attention.out_proj.weight, self.norm.weight, self.ff[0].weight, self.ff[2].bias]
        update(parameters, torch.autograd.grad([loss], parameters), 0.1)
        return float(loss), copies(parameters)


class EncoderLayer(Trained):
    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.1)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        torch.manual_seed(i)
        h = self.layer(x.reshape(3, 2, 4))
        loss = (h * x.reshape(3, 2, 4)).sum()
        parameters = [self.layer.self_attn.in_proj_weight, self.layer.linear1.weight, self.layer.norm2.weight]
        update(parameters, torch.autograd.grad([loss], parameters), 0.01)
        return float(loss), copies(parameters)


class Maml(Trained):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(4, 3))
        self.b = nn.Parameter(torch.zeros(3))
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        total = torch.zeros(())
        for task in range(2):
            y = (t + task) % 3
            inner = F.cross_entropy(x[:3] @ self.w + self.b, y[:3])
            gradients = torch.autograd.grad([inner], [self.w, self.b], create_graph=True)
            gw, gb = gradients[0], gradients[1]
            assert gw is not None and gb is not None
            w, b = self.w - 0.5 * gw, self.b - 0.5 * gb
            total = total + F.cross_entropy(x[3:] @ w + b, y[3:])
        parameters = [self.w, self.b]
        update(parameters, torch.autograd.grad([total], parameters), 0.2)
        return float(total), copies(parameters)


class Pinn(Trained):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(1, 6)
        self.b = nn.Linear(6, 1)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        s = x[:, :1].detach().clone().requires_grad_()
        u = self.b(torch.tanh(self.a(s)))
        du = torch.autograd.grad([u.sum()], [s], create_graph=True)[0]
        assert du is not None
        ddu = torch.autograd.grad([du.sum()], [s], create_graph=True)[0]
        assert ddu is not None
        loss = (ddu + u).pow(2).mean() + (u[0] - 1).pow(2).sum()
        parameters = [self.a.weight, self.a.bias, self.b.weight]
        update(parameters, torch.autograd.grad([loss], parameters), 0.05)
        return float(loss), copies(parameters)


class Lora(Trained):
    def __init__(self):
        super().__init__()
        self.base = nn.Linear(4, 3)
        self.down = nn.Parameter(torch.zeros(4, 2))
        self.up = nn.Parameter(torch.zeros(2, 3))
        self.fill()
        self.base.weight.requires_grad_(False)
        self.base.bias.requires_grad_(False)

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        loss = F.cross_entropy(self.base(x) + x @ self.down @ self.up * 2.0, t)
        loss.backward()
        down, up = self.down.grad, self.up.grad
        assert down is not None and up is not None
        with torch.no_grad():
            self.down -= 0.2 * down
            self.up -= 0.2 * up
            down.zero_()
            up.zero_()
        return float(loss), copies([self.down, self.up])


class Distillation(Trained):
    def __init__(self):
        super().__init__()
        self.teacher = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 3))
        self.student = nn.Linear(4, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        with torch.no_grad():
            soft = F.softmax(self.teacher(x) / 2.0, dim=1)
        y = self.student(x)
        loss = F.kl_div(F.log_softmax(y / 2.0, dim=1), soft, reduction="batchmean") * 4.0 + 0.5 * F.cross_entropy(y, t)
        parameters = [p for p in [self.student.weight, self.student.bias]]
        update(parameters, torch.autograd.grad([loss], parameters), 0.1)
        return float(loss), copies(parameters)


class SkipGram(Trained):
    def __init__(self):
        super().__init__()
        self.center = nn.Embedding(5, 3)
        self.context = nn.Embedding(5, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        torch.manual_seed(i)
        c, o = self.center(t[:-1]), self.context(t[1:])
        negative = self.context(torch.randint(0, 5, (5, 2)))
        loss = -(F.logsigmoid((c * o).sum(1)) + F.logsigmoid(-torch.bmm(negative, c.unsqueeze(2)).squeeze(2)).sum(1)).mean()
        parameters = [self.center.weight, self.context.weight]
        update(parameters, torch.autograd.grad([loss], parameters), 0.5)
        return float(loss), copies(parameters)


class BagOfWords(Trained):
    def __init__(self):
        super().__init__()
        self.bag = nn.EmbeddingBag(5, 4, mode="mean")
        self.fc = nn.Linear(4, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        h = self.bag(torch.cat([t, t + 1]), torch.tensor([0, 3, 4, 8, 10, 11]))
        loss = F.multi_margin_loss(self.fc(h), t)
        parameters = [self.bag.weight, self.fc.weight, self.fc.bias]
        update(parameters, torch.autograd.grad([loss], parameters), 0.5)
        return float(loss), copies(parameters)


class Factorization(Trained):
    def __init__(self):
        super().__init__()
        self.users = nn.Embedding(6, 2)
        self.items = nn.Embedding(3, 2)
        self.bias = nn.Parameter(torch.zeros(3))
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        order = (torch.arange(6) + i) % 6
        total = 0.0
        for k in range(order.size(0)):
            u, v = order[k], t[k]
            predicted = (self.users.weight[u] * self.items.weight[v]).sum() + self.bias[v]
            loss = (predicted - x[k, 0]) ** 2 + 0.01 * self.users.weight[u].pow(2).sum()
            parameters = [self.users.weight, self.items.weight, self.bias]
            update(parameters, torch.autograd.grad([loss], parameters), 0.1)
            total += float(loss)
        return total, copies([self.users.weight, self.items.weight, self.bias])


class Unet(Trained):
    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(1, 2, 3, padding=1)
        self.up = nn.ConvTranspose2d(2, 2, 2, stride=2)
        self.last = nn.Conv2d(5, 1, 1)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        image = torch.cat([x, x.flip(1)]).reshape(2, 1, 6, 4)
        h = torch.relu(self.down(image))
        low = F.max_pool2d(h, 2)
        up = self.up(low)
        wide = F.interpolate(F.avg_pool2d(image, 2), scale_factor=2.0, mode="bilinear", align_corners=False)
        y = torch.sigmoid(self.last(torch.cat([h, up, wide], 1)))
        mask = (image > 0).float()
        dice = 1 - (2 * (y * mask).sum() + 1) / (y.sum() + mask.sum() + 1)
        loss = dice + F.binary_cross_entropy(y, mask)
        parameters = [self.down.weight, self.up.weight, self.last.weight]
        update(parameters, torch.autograd.grad([loss], parameters), 0.5)
        return float(loss), copies(parameters)


class Experts(Trained):
    def __init__(self):
        super().__init__()
        self.experts = nn.ModuleList([nn.Linear(4, 3) for _ in range(3)])
        self.gate = nn.Linear(4, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        weights, chosen = torch.topk(torch.softmax(self.gate(x), 1), 2, dim=1)
        weights = weights / weights.sum(1, keepdim=True)
        out = torch.zeros(6, 3)
        for k, expert in enumerate(self.experts):
            w = (weights * (chosen == k)).sum(1, keepdim=True)
            out = out + w * expert(x)
        loss = F.cross_entropy(out, t)
        parameters = [self.gate.weight, self.experts[0].weight, self.experts[1].weight, self.experts[2].bias]
        update(parameters, torch.autograd.grad([loss], parameters), 0.5)
        return float(loss), copies(parameters)


class Federated(Trained):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.fill()

    def gradients(self, x: Tensor, t: Tensor) -> Tensor:
        loss = F.cross_entropy(self.fc(x), t)
        flat: List[Tensor] = []
        for g in torch.autograd.grad([loss], [self.fc.weight, self.fc.bias]):
            if g is not None:
                flat.append(g.flatten())
        return torch.cat([loss.detach().view(1)] + flat)

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        both = (self.gradients(x[:3], t[:3]) + self.gradients(x[3:], t[3:])) / 2
        with torch.no_grad():
            self.fc.weight.sub_(both[1:13].view(3, 4))
            self.fc.bias.sub_(both[13:])
        return float(both[0]), copies([self.fc.weight, self.fc.bias])


class NeuralOde(Trained):
    def __init__(self):
        super().__init__()
        self.f = nn.Linear(4, 4)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        h = x
        time, step = 0.0, 0.25
        while time < 0.5 + 0.25 * (i % 3):
            k1 = torch.tanh(self.f(h))
            k2 = torch.tanh(self.f(h + step * k1))
            h = h + step * (k1 + k2) / 2
            time += step
        loss = (h - x.roll(1, 0)).pow(2).mean()
        parameters = [self.f.weight, self.f.bias]
        update(parameters, torch.autograd.grad([loss], parameters), 0.2)
        return float(loss), copies(parameters)


class GraphNet(Trained):
    def __init__(self):
        super().__init__()
        self.message = nn.Linear(4, 4)
        self.out = nn.Linear(4, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        source, target = torch.tensor([0, 1, 2, 3, 4, 5, 0]), torch.tensor([1, 2, 3, 4, 5, 0, 3])
        h = x
        for _ in range(2):
            messages = F.silu(self.message(h[source]))
            h = h + torch.zeros_like(h).index_add(0, target, messages)
        degree = torch.zeros(6).scatter_add(0, target, torch.ones(7))
        loss = F.cross_entropy(self.out(h / degree.clamp(min=1).unsqueeze(1)), t)
        parameters = [self.message.weight, self.out.weight]
        update(parameters, torch.autograd.grad([loss], parameters), 0.1)
        return float(loss), copies(parameters)


class Accumulation(Trained):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        sum_w, sum_b, total = torch.zeros(3, 4), torch.zeros(3), 0.0
        for start in range(0, x.size(0), 2):
            loss = F.cross_entropy(self.fc(x[start:start + 2]), t[start:start + 2]) / 3
            gradients = torch.autograd.grad([loss], [self.fc.weight, self.fc.bias])
            w, b = gradients[0], gradients[1]
            assert w is not None and b is not None
            sum_w += w
            sum_b += b
            total += loss.item()
        sums: List[Optional[Tensor]] = [sum_w, sum_b]
        update([self.fc.weight, self.fc.bias], sums, 0.5)
        return total, copies([self.fc.weight, self.fc.bias])


class MeanTeacher(Trained):
    def __init__(self):
        super().__init__()
        self.student = nn.Linear(4, 3)
        self.teacher = nn.Linear(4, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        torch.manual_seed(i)
        with torch.no_grad():
            wanted = torch.softmax(self.teacher(x), 1)
        y = self.student(F.dropout(x, 0.2))
        loss = F.cross_entropy(y[:3], t[:3]) + F.mse_loss(torch.softmax(y, 1), wanted)
        parameters = [self.student.weight, self.student.bias]
        rate = 0.5 * (1 + torch.cos(torch.tensor(3.14159 * i / 10)).item())
        update(parameters, torch.autograd.grad([loss], parameters), rate)
        with torch.no_grad():
            self.teacher.weight.lerp_(self.student.weight, 0.1)
            self.teacher.bias.mul_(0.9).add_(self.student.bias, alpha=0.1)
        return float(loss), copies(parameters)


class Crf(Trained):
    def __init__(self):
        super().__init__()
        self.emit = nn.Linear(4, 3)
        self.transition = nn.Parameter(torch.zeros(3, 3))
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        scores = self.emit(x)
        alpha, gold = scores[0], scores[0][t[0]]
        for k in range(1, x.size(0)):
            alpha = torch.logsumexp(alpha.unsqueeze(1) + self.transition, 0) + scores[k]
            gold = gold + self.transition[t[k - 1], t[k]] + scores[k][t[k]]
        loss = torch.logsumexp(alpha, 0) - gold
        parameters = [self.emit.weight, self.emit.bias, self.transition]
        update(parameters, torch.autograd.grad([loss], parameters), 0.1)
        return float(loss), copies(parameters)


class QuantizationAware(Trained):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        w = torch.fake_quantize_per_tensor_affine(self.fc.weight, 0.05, 0, -128, 127)
        loss = F.cross_entropy(F.linear(x, w, self.fc.bias), t)
        parameters = [self.fc.weight, self.fc.bias]
        update(parameters, torch.autograd.grad([loss], parameters), 0.2)
        return float(loss), copies(parameters)


class Adversarial(Trained):
    """Trains on examples that were made harder by their own gradient."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        harder = x.detach().clone().requires_grad_()
        g = torch.autograd.grad([F.cross_entropy(self.fc(harder), t)], [harder])[0]
        assert g is not None
        loss = F.cross_entropy(self.fc(x + 0.1 * g.sign()), t)
        parameters = [self.fc.weight, self.fc.bias]
        update(parameters, torch.autograd.grad([loss], parameters), 0.2)
        return float(loss), copies(parameters)


class InPlace(Trained):
    """Writes into what it computes, and goes on with it."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        h = self.fc(x)
        h += x
        h[:, 0] = 0.0
        h = torch.sin(h)
        h.mul_(2.0)
        h[2:] *= 0.5
        out = torch.zeros(6, 3)
        out[:, 1:] = h[:, 2:]
        loss = out.pow(2).sum()
        parameters = [self.fc.weight, self.fc.bias]
        update(parameters, torch.autograd.grad([loss], parameters), 0.05)
        return float(loss), copies(parameters)


CLASSICS = [Regression, MomentumByBackward, Adam, RmsPropClipped, ConvNet, Autoencoder, Vae, Gan, GradientPenalty, InfoNce, Triplets, Reinforce,
            DeepQ, Ppo, CtcOfLstm, Tagger, LanguageModel, TruncatedBptt, Transformer, EncoderLayer, Maml, Pinn, Lora, Distillation, SkipGram,
            BagOfWords, Factorization, Unet, Experts, Federated, NeuralOde, GraphNet, Accumulation, MeanTeacher, Crf, QuantizationAware,
            Adversarial, InPlace]

"""A module whose methods train it, each in another way. Every method takes x [3, 4] of floats, t [3] of class numbers
and a rate, is called three times, and gives what record.py compares. record.py saves the module as training.pt."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class Training(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.tensor([0.5, -1.0, 2.0, 1.0]))
        self.looped = nn.Parameter(torch.tensor([0.9, -0.8, 0.7, 1.1]))
        self.turned = nn.Parameter(torch.tensor([0.5, -1.0, 2.0, 1.0]))
        self.slow = nn.Parameter(torch.ones(4))
        self.register_buffer("momentum", torch.zeros(4))
        self.fc = nn.Linear(4, 3)
        self.wide = nn.Linear(4, 4)
        self.quiet = nn.Dropout(0.3).eval()
        self.conv = nn.Conv2d(1, 2, 2)
        self.bn = nn.BatchNorm2d(2)
        self.lstm = nn.LSTM(4, 3, 2, batch_first=True, bidirectional=True)
        self.projected = nn.LSTM(4, 5, proj_size=3)
        self.gru = nn.GRU(4, 3, 2)
        self.rnn = nn.RNN(4, 3, nonlinearity="relu", bias=False)
        self.lstm_cell = nn.LSTMCell(4, 3)
        self.gru_cell = nn.GRUCell(4, 3)
        self.rnn_cell = nn.RNNCell(4, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc(x)

    @torch.jit.export
    def subtracts_in_place(self, x: Tensor, t: Tensor, rate: float):
        loss = (x * self.w).pow(2).sum()
        g = torch.autograd.grad([loss], [self.w])[0]
        assert g is not None
        with torch.no_grad():
            self.w -= rate * g
        return loss.detach(), self.w.detach().clone()

    @torch.jit.export
    def reads_a_weight_in_a_loop(self, x: Tensor, t: Tensor, rate: float):
        h = x
        for i in range(3):
            h = h * self.looped
        loss = h.pow(2).sum()
        g = torch.autograd.grad([loss], [self.looped])[0]
        assert g is not None
        with torch.no_grad():
            self.looped -= rate * 0.01 * g
        return loss.detach(), self.looped.detach().clone()

    @torch.jit.export
    def steps_in_a_loop(self, x: Tensor, t: Tensor, rate: float):
        losses = torch.zeros(3)
        for i in range(x.size(0)):
            loss = (x[i] * self.turned).pow(2).sum()
            g = torch.autograd.grad([loss], [self.turned])[0]
            assert g is not None
            with torch.no_grad():
                self.turned -= rate * 0.1 * g
                losses[i] = loss
        return losses, self.turned.detach().clone()

    @torch.jit.export
    def keeps_a_momentum(self, x: Tensor, t: Tensor, rate: float):
        loss = (x * self.slow).pow(2).sum()
        g = torch.autograd.grad([loss], [self.slow])[0]
        assert g is not None
        with torch.no_grad():
            self.momentum = self.momentum * 0.9 + g
            self.slow -= rate * 0.01 * self.momentum
        return loss.detach(), self.slow.detach().clone()

    @torch.jit.export
    def dropout_that_is_off(self, x: Tensor, t: Tensor, rate: float):
        loss = F.cross_entropy(self.quiet(self.fc(x)), t)
        return torch.autograd.grad([loss], [self.fc.weight, self.fc.bias])

    @torch.jit.export
    def losses(self, x: Tensor, t: Tensor, rate: float):
        y = self.wide(x)
        loss = F.mse_loss(y, x) + F.l1_loss(y, x) + F.smooth_l1_loss(y, x) + F.huber_loss(y, x)
        return torch.autograd.grad([loss], [self.wide.weight, self.wide.bias])

    @torch.jit.export
    def parameters_in_a_list(self, x: Tensor, t: Tensor, rate: float):
        loss = F.cross_entropy(self.fc(x), t)
        parameters = [p for p in [self.fc.weight, self.fc.bias]]
        gradients = torch.autograd.grad([loss], parameters)
        with torch.no_grad():
            for p, g in zip(parameters, gradients):
                if g is not None:
                    p -= rate * g
        return loss.detach(), self.fc.weight.detach().clone()

    @torch.jit.export
    def batch_statistics(self, x: Tensor, t: Tensor, rate: float):
        y = F.relu(self.bn(self.conv(x.reshape(1, 1, 3, 4))))
        gradients = torch.autograd.grad([y.pow(2).mean()], [self.conv.weight, self.bn.weight, self.bn.bias])
        return gradients, self.bn.running_mean

    @torch.jit.export
    def recurrent_layers(self, x: Tensor, t: Tensor, rate: float):
        steps = torch.stack([x, x.flip(0), x * 2])
        a, (h, c) = self.lstm(steps)
        b, last = self.gru(steps)
        d, _ = self.rnn(steps)
        e, _ = self.projected(steps)
        loss = a.pow(2).sum() + h.sin().sum() + c.sum() + (b * d).sum() + last.pow(2).sum() + e.exp().sum()
        weights = [self.lstm.weight_ih_l0, self.lstm.weight_hh_l1_reverse, self.lstm.bias_ih_l0_reverse, self.gru.weight_hh_l0,
                   self.gru.bias_hh_l1, self.rnn.weight_ih_l0, self.projected.weight_hr_l0]
        gradients = torch.autograd.grad([loss], weights)
        with torch.no_grad():
            for p, g in zip(weights, gradients):
                if g is not None:
                    p -= rate * 0.01 * g
        return loss.detach(), gradients

    @torch.jit.export
    def recurrent_cells(self, x: Tensor, t: Tensor, rate: float):
        h, c, g, r = torch.zeros(3, 3), torch.zeros(3, 3), torch.zeros(3, 3), torch.zeros(3, 3)
        for i in range(t.size(0)):
            seen = x * float(i + 1)
            h, c = self.lstm_cell(seen, (h, c))
            g = self.gru_cell(seen, g)
            r = self.rnn_cell(seen, r)
        return torch.autograd.grad([(h * c).sum() + (g * r).sum()], [self.lstm_cell.weight_hh, self.gru_cell.weight_ih, self.gru_cell.bias_hh,
                                                                     self.rnn_cell.weight_hh])

"""Programs with states that are None until a loop has made them, or again from some turn on. As in classics.py,
forward(x, t, i) makes step i and gives the loss and the weights."""
from collections import OrderedDict
from typing import List, Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor

from trained import Trained, copies, update


class LateMemory(Trained):
    """The hidden state and the sum of losses are None at first."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 5)
        self.b = nn.Linear(5, 5, bias=False)
        self.out = nn.Linear(5, 3)
        self.fill()

    def step(self, x: Tensor, h: Optional[Tensor]) -> Tensor:
        z = self.a(x)
        if h is not None:
            z = z + self.b(h)
        return torch.tanh(z)

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        h: Optional[Tensor] = None
        total: Optional[Tensor] = None
        for k in range(x.size(0)):
            h = self.step(x[k], h)
            loss = F.cross_entropy(self.out(h).unsqueeze(0), t[k:k + 1])
            if total is None:
                total = loss
            else:
                total = total + loss
        assert total is not None
        ps = [self.a.weight, self.b.weight, self.out.weight, self.out.bias]
        update(ps, torch.autograd.grad([total], ps), 0.1)
        return total.item(), copies(ps)


class SegmentCache(Trained):
    """A cache of keys that is None in the first turn, and again behind boundaries between segments."""

    def __init__(self):
        super().__init__()
        self.q = nn.Linear(4, 4)
        self.k = nn.Linear(4, 4)
        self.out = nn.Linear(4, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        cache: Optional[Tensor] = None
        losses: List[Tensor] = []
        for n in range(x.size(0)):
            key = self.k(x[n:n + 1])
            keys = key if cache is None else torch.cat([cache, key], 0)
            a = F.softmax(self.q(x[n:n + 1]) @ keys.t(), dim=-1) @ keys
            losses.append(F.cross_entropy(self.out(a), t[n:n + 1]))
            if int(t[n]) == 0:
                cache = None
            else:
                cache = keys
        loss = torch.stack(losses).mean()
        ps = [self.q.weight, self.k.weight, self.out.weight]
        update(ps, torch.autograd.grad([loss], ps), 0.2)
        return loss.item(), copies(ps)


class SparseStates(Trained):
    """Each sequence of the batch has a state that begins at its own time, in nested loops with break and continue."""

    def __init__(self):
        super().__init__()
        self.i = nn.Linear(2, 4)
        self.h = nn.Linear(4, 4)
        self.out = nn.Linear(4, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        loss = torch.zeros([])
        last: Optional[Tensor] = None
        for b in range(x.size(0)):
            state: Optional[Tensor] = None
            for k in range(3):
                if x[b, k] < -1.0:
                    state = None
                    continue
                e = self.i(x[b, k:k + 2])
                if state is None:
                    if last is not None and k == 0:
                        state = last * 0.5
                    else:
                        state = torch.tanh(e)
                else:
                    state = torch.tanh(e + self.h(state))
                if float(state[0]) > 0.6:
                    break
            if state is None:
                loss = loss + 0.5 * (self.out.bias ** 2).sum()
            else:
                loss = loss + F.cross_entropy(self.out(state).unsqueeze(0), t[b:b + 1])
            last = state
        loss = loss / x.size(0)
        ps = [self.i.weight, self.i.bias, self.h.weight, self.out.weight]
        update(ps, torch.autograd.grad([loss], ps), 0.2)
        return loss.item(), copies(ps)


class PenaltyOfStates(Trained):
    """A penalty of the gradient that passes through states that are None at first."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(1, 4)
        self.b = nn.Linear(4, 4)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        x = x.detach().clone().requires_grad_()
        h: Optional[Tensor] = None
        for k in range(x.size(1)):
            z = self.a(x[:, k:k + 1])
            h = torch.tanh(z if h is None else z + self.b(h))
        assert h is not None
        loss = F.cross_entropy(h, t)
        g = torch.autograd.grad([loss], [x], create_graph=True)[0]
        assert g is not None
        total = loss + 10 * (g ** 2).sum()
        ps = [self.a.weight, self.a.bias, self.b.weight]
        update(ps, torch.autograd.grad([total], ps), 0.1)
        return total.item(), copies(ps)


class AdaptiveHalting(Trained):
    """Adaptive computation time: a pair of states that is None at first, in a while loop that halts."""

    def __init__(self):
        super().__init__()
        self.i = nn.Linear(4, 8)
        self.h = nn.Linear(4, 8)
        self.halt = nn.Linear(4, 1)
        self.out = nn.Linear(4, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        state: Optional[Tuple[Tensor, Tensor]] = None
        left = torch.ones(x.size(0), 1)
        result: Optional[Tensor] = None
        k = 0
        while bool((left > 0.1).any()) and k < 5:
            z = self.i(x)
            if state is not None:
                z = z + self.h(state[0])
            g, c = z.chunk(2, 1)
            if state is None:
                cell = torch.sigmoid(g) * torch.tanh(c)
            else:
                cell = torch.sigmoid(g) * torch.tanh(c) + 0.5 * state[1]
            h = torch.tanh(cell)
            state = (h, cell)
            p = torch.sigmoid(self.halt(h)) * left
            part = p * h
            result = part if result is None else result + part
            left = left - p
            k += 1
        assert result is not None
        loss = F.cross_entropy(self.out(result), t) + 0.01 * left.mean()
        ps = [self.i.weight, self.h.weight, self.halt.weight, self.out.weight]
        update(ps, torch.autograd.grad([loss], ps), 0.2)
        return loss.item() + k, copies(ps)


class MissingRows(Trained):
    """A list of rows some of which are None, where the one before stands in."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 3)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        rows: List[Optional[Tensor]] = []
        for k in range(x.size(0)):
            rows.append(self.a(x[k]) if (k + i) % 3 != 1 else None)
        before: Optional[Tensor] = None
        out: List[Tensor] = []
        for row in rows:
            if row is None:
                row = before
            if row is not None:
                out.append(row)
            before = row
        loss = F.cross_entropy(torch.stack(out), t[:len(out)])
        ps = [self.a.weight, self.a.bias]
        update(ps, torch.autograd.grad([loss], ps), 0.2)
        return loss.item(), copies(ps)


class TwoTowers(Trained):
    """A ranker of two towers with negatives of the batch. ParameterDict sorts what a dict gives it, only that."""

    def __init__(self):
        super().__init__()
        self.user = nn.ParameterDict({"w": nn.Parameter(torch.zeros(4, 5)), "b": nn.Parameter(torch.zeros(5))})
        last = OrderedDict([("w", nn.Parameter(torch.zeros(5, 5))), ("b", nn.Parameter(torch.zeros(5)))])
        self.last = nn.ParameterDict(last)
        self.scales = nn.ParameterDict([("user", nn.Parameter(torch.zeros(1))), ("item", nn.Parameter(torch.zeros(1)))])
        self.item = nn.Embedding(7, 5)
        self.fill()

    def forward(self, x: Tensor, t: Tensor, i: int) -> Tuple[float, List[Tensor]]:
        items = (t * 2 + torch.arange(6) + i) % 7
        u = torch.tanh(x @ self.user["w"] + self.user["b"])
        u = F.normalize(u @ self.last["w"] + self.last["b"], dim=1) * self.scales["user"].exp()
        v = F.normalize(self.item(items), dim=1) * self.scales["item"].exp()
        logits = u @ v.t() / 0.2
        counts = torch.bincount(items, minlength=7)[items].float()
        logits = logits - (counts / 6).log()
        same = (items.unsqueeze(0) == items.unsqueeze(1)) & ~torch.eye(6, dtype=torch.bool)
        logits = logits.masked_fill(same, -1e9)
        loss = F.cross_entropy(logits, torch.arange(6))
        ps = [self.user["w"], self.user["b"], self.last["w"], self.last["b"], self.scales["user"], self.item.weight]
        update(ps, torch.autograd.grad([loss], ps), 0.3)
        return loss.item(), copies(ps)


CLASSICS = [LateMemory, SegmentCache, SparseStates, PenaltyOfStates, AdaptiveHalting, MissingRows, TwoTowers]

"""Programs that change what has several names.

CALLS: each function's calls, one after the other; MODULES: each class's calls of forward, on one instance."""
from enum import Enum
from typing import Any, Dict, List, Optional, Tuple

import torch
import torch.nn.functional as F


# ---- Lists changed in loops ----


def list_made_in_loop(x):
    n = 0
    for i in range(3):
        l = [0, 1]
        l[0] = 5
        n += l[0]
    return x + n


def list_changed_before_loop(x):
    l = [1, 2, 3]
    for i in range(3):
        l[i] = l[i] + l[0]
    return x + l[0] + 10 * l[1] + 100 * l[2]


def list_grows_and_changes(x):
    l: List[int] = []
    for i in range(4):
        l.append(i)
        l[0] = l[0] + 2
    return x + l[0] + len(l) + l[3]


def list_of_tensors_built_backward(x):
    maps = [x, x + 1, x + 2]
    results = [maps[-1]]
    for i in range(1, -1, -1):
        last = maps[i] + results[0]
        results.insert(0, last)
    return results


def list_items_summed(x):
    sums = [x, x]
    for i in range(3):
        sums[i % 2] = sums[i % 2] + i
    return sums[0] * 10 + sums[1]


def list_with_two_names(x):
    a = [1, 2]
    b = a
    for i in range(2):
        b[i] = b[i] + 3
        b.append(i)
    return x + a[0] + a[1] * 10 + len(a)


def list_in_list(x):
    n = 0
    for i in range(2):
        row = [i, i]
        rows = [row, row]
        rows[0][1] = 7
        n += rows[1][1]
    return x + n


def list_popped(x):
    n = 0
    for i in range(3):
        l = [4, 5, 6]
        l.pop()
        n += l[-1] + len(l)
    return x + n


def greater_list_changed(x, a: List[int]):
    greater, least = max(a, [2, 3]), min([[4, 5][0], 9], a)
    n = len(a)
    greater.append(1)
    least.append(7)
    return x + n + 10 * len(a) + 100 * len(greater) + 1000 * len(least)


def list_in_tuple(x):
    n = 0
    for i in range(2):
        t = ([1, 2], 3)
        t[0][0] = 9
        n += t[0][0]
    return x + n


def list_written_in_branch(x):
    n = 0
    for i in range(3):
        l = [1, 2]
        if i > 1:
            l[1] = 8
        n += l[1]
    return x + n


def change(l: List[int]):
    l[0] += 1


def list_changed_by_a_function(x):
    l = [1]
    for i in range(3):
        change(l)
    return x + l[0]


def grown(l: List[int]):
    l.append(len(l))
    return l


def arguments_are_computed_once(x):
    l: List[int] = []
    a = len(grown(l))
    b = len(str(grown(l)))
    c = sum(grown(l)) + int(len(grown(l))) + max(grown(l))
    d = 1 in grown(l)
    return x + a + 10 * b + 100 * c, d, l


def dict_made_in_loop(x):
    n = 0
    for i in range(3):
        d = {"a": 1}
        d["a"] = 4
        n += d["a"]
    return x + n


# ---- Ranks changed in place ----


def rank_changed_in_place(x, w):
    y = F.linear(x, w)
    x.unsqueeze_(0)
    return y.dim(), x.dim()


def rank_of_changed_result(x, w):
    y = F.relu(F.linear(x, w))
    y.unsqueeze_(0)
    return y.dim(), x.dim()


def rank_changed_through_another_name(x, w):
    y = F.linear(x, w)
    z = x
    z.unsqueeze_(0)
    return y.dim(), x.dim()


def sizes_changed_in_place(x):
    y = F.relu(x)
    n = y.size(0)
    y.swapaxes_(0, 1)
    z = y + 0
    n += z.size(0) * 10
    z.swapdims_(0, 1)
    n += z.size(0) * 100
    z.as_strided_([2, 2], [1, 2])
    z.add_(1)
    return n, y, z, y.dim() + z.size(0)


# ---- Operators that may return their argument ----


def type_as_returns_its_argument(x):
    a = x.type_as(x)
    b = x.type_as(x)
    a.add_(1)
    return a + b, x


def to_dense_returns_its_argument(x):
    a = x + 0
    b = a * 2
    c = a.sum_to_size([2, 3])
    c.add_(1)
    return a, b, c


def changed_between_equal_reads(x):
    y = x.type_as(x)
    a = y + 1
    x.mul_(2)
    b = y + 1
    return a, b


# ---- Views ----


def views_of_views(x):
    a = x[0]
    b = x.view(-1)
    a.add_(1)
    c = b + 1
    b[1:3].mul_(2)
    d = b + 1
    return c, d, a


def view_read_before_and_after(x):
    t = x.t()
    a = t.sum()
    x[0, 0] = 5.0
    b = t.sum()
    return a, b


def views_in_a_dict(x):
    d = {"a": x[0], "b": x[1]}
    for k in d:
        d[k].add_(1)
    return x + 0


def views_in_a_loop(x):
    total = torch.zeros(3)
    for i in range(2):
        row = x[i]
        row += i + 1
        total += x[0]
    return total, x


# ---- What is the same object, and which dtypes operators take ----


class Color(Enum):
    RED = 1
    GREEN = 2


def members_are_new_objects(x):
    a = Color.RED
    b = Color.RED
    c = Color.GREEN
    if bool(x.sum() > 0):
        c = Color.RED
    return a is b, a is c, a is not c, a == c, a is a


def any_is_never_none(x, y: Any):
    return y is None, y is not None


def lerp_of_ints(x):
    i = x.long()
    return torch.lerp(i, i, 0.5)


def lerp_by_a_tensor_of_ints(x):
    i = x.long()
    return torch.lerp(i, i, i)


def lerp_of_two_dtypes(x):
    return torch.lerp(x, x.double(), 0.5)


def hardtanh_of_bools(x):
    return F.hardtanh(x > 1)


def hardtanh_of_bytes(x):
    return F.hardtanh(x.to(torch.uint8))


def linspace_of_bools(x):
    return torch.linspace(0, 3, 4, dtype=torch.bool)


def elu_of_ints(x):
    return F.elu(x.long())


def threshold_of_bools(x):
    return F.threshold(x > 1, 1.0, 2.0)


def addcmul_of_bools(x):
    return torch.addcmul(x > 1, x > 1, x > 1)


X = torch.arange(6.0).reshape(2, 3)
W = torch.arange(12.0).reshape(4, 3) / 10
def copy_is_its_source(x):
    a = torch.ops.aten.copy(torch.zeros(2, 3), x)
    a.add_(1.0)
    b = torch.ops.aten.copy(torch.zeros(2, 3, dtype=torch.float64), x)
    b.add_(1.0)
    c = torch.ops.aten.copy(torch.zeros(2, 2, 3), x)
    c.add_(1.0)
    return a, b, c, x


def compared_in_place(x):
    y = torch.ops.aten.greater_(x, 0.5)
    y[y > 2] = -1.0
    torch.gt(x, 1.0, out=y)
    return y.new_zeros(2), x


def of_its_own_shape(a, b):
    c, d = torch.broadcast_tensors(a, b)
    both = (c is a, d is b, c.stride(), d.stride())
    if c is a:
        c.unsqueeze_(0)
    return both, a.dim(), c.dim(), d.dim()


CALLS = {f: [(X,)] for f in (
    "arguments_are_computed_once list_made_in_loop list_changed_before_loop list_grows_and_changes list_of_tensors_built_backward list_items_summed "
    "list_with_two_names list_in_list list_popped list_in_tuple list_written_in_branch list_changed_by_a_function "
    "dict_made_in_loop type_as_returns_its_argument to_dense_returns_its_argument changed_between_equal_reads "
    "views_of_views view_read_before_and_after views_in_a_dict views_in_a_loop members_are_new_objects lerp_of_ints "
    "lerp_by_a_tensor_of_ints lerp_of_two_dtypes hardtanh_of_bools hardtanh_of_bytes linspace_of_bools elu_of_ints "
    "threshold_of_bools addcmul_of_bools copy_is_its_source compared_in_place").split()}
CALLS.update({f: [(X, W)] for f in (
    "any_is_never_none rank_changed_in_place rank_of_changed_result rank_changed_through_another_name").split()})
CALLS["of_its_own_shape"] = [(X, X + 1), (X, X[0]), (X[1], X)]
CALLS["sizes_changed_in_place"] = [(X,)]
CALLS["greater_list_changed"] = [(X, [3, 1]), (X, [1, 1, 1])]


# ---- Attributes that share storage ----


class SharedStorage(torch.nn.Module):
    def __init__(self):
        super().__init__()
        base = torch.arange(6.0)
        self.flat = base
        self.w = base.view(2, 3)

    def forward(self, x):
        y = F.linear(x, self.w)
        self.flat.add_(1)
        return y, F.linear(x, self.w), self.w + 0


class SharedInAList(torch.nn.Module):
    def __init__(self):
        super().__init__()
        base = torch.arange(6.0)
        self.rows = [base[:3], base[3:]]
        self.register_buffer("base", base)

    def forward(self, x):
        a = self.rows[0] + x
        self.base.mul_(2)
        return a, self.rows[0] + x, self.rows[1] + 0


class SharedParameter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(1, 2, 2, bias=False)
        self.conv.weight = torch.nn.Parameter(torch.arange(8.0).reshape(2, 1, 2, 2), requires_grad=False)
        self.register_buffer("first", self.conv.weight[0])

    def forward(self, x):
        y = self.conv(x.view(1, 1, 2, 3))
        self.first.mul_(0.5)
        return y + 0, self.conv(x.view(1, 1, 2, 3))


class Statistics(torch.nn.Module):
    """Running statistics change although the result is not used."""

    def __init__(self):
        super().__init__()
        self.mean = torch.zeros(3)
        self.var = torch.ones(3)

    def forward(self, x):
        before = self.mean + 0
        F.batch_norm(x, self.mean, self.var, None, None, True, 0.5)
        return before, self.mean + 0, self.var + 0


class Swapped(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.zeros(3)
        self.b = torch.ones(3)

    def forward(self, x):
        self.a, self.b = self.b, self.a
        self.a.add_(x[0])
        c = self.b + 0
        self.b.add_(x[1])
        return c, self.a + 0, self.b + 0


# ---- Gradients ----


class ReadInALoop(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.tensor([1.0, 2.0, 3.0]))

    def forward(self, x):
        h = x
        for i in range(3):
            h = h * self.w
        loss = h.sum() + (self.w * self.w).sum()
        g = torch.autograd.grad([loss], [self.w])[0]
        assert g is not None
        return g


class ReadInABranch(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.tensor([1.0, 2.0, 3.0]))

    def forward(self, x):
        h = x
        if x.sum() > 0:
            h = h * self.w
        loss = h.sum() + self.w.sum()
        g = torch.autograd.grad([loss], [self.w])[0]
        assert g is not None
        return g


class ReadInBothBranches(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.tensor([1.0, 2.0, 3.0]))

    def forward(self, x):
        if x.sum() > 100:
            h = x * self.w
        else:
            h = x - self.w * self.w
        g = torch.autograd.grad([h.sum()], [self.w])[0]
        assert g is not None
        return g


class ReadInAWhile(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.tensor([1.0, 2.0, 3.0]))

    def forward(self, x):
        h = x
        while h.sum() < 100:
            h = h + h * self.w
        return h


class Steps(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.tensor([1.0, 2.0, 3.0]))

    def forward(self, x):
        loss = (x * self.w).sum()
        g = torch.autograd.grad([loss], [self.w], allow_unused=True)[0]
        with torch.no_grad():
            if g is not None:
                self.w -= 0.1 * g
        return self.w + 0


class StoredBetweenReads(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.tensor([1.0, 2.0, 3.0])

    def forward(self, x):
        self.w = self.w.detach().requires_grad_()
        loss = (x * self.w).sum() + (self.w * self.w).sum()
        g = torch.autograd.grad([loss], [self.w])[0]
        assert g is not None
        self.w = self.w - 0.1 * g
        return self.w.detach(), g


class TwoLayers(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(3, 3)
        self.b = torch.nn.Linear(3, 3)
        for p in self.parameters():
            p.data.fill_(0.5)

    def forward(self, x):
        h = x
        for i in range(2):
            h = self.a(h)
            if i == 1:
                h = self.b(h) + self.a.weight.sum()
        loss = h.sum() + self.b.weight.sum()
        g = torch.autograd.grad([loss], [self.a.weight, self.b.weight])
        a, b = g[0], g[1]
        assert a is not None and b is not None
        return a, b


class TiedParameters(torch.nn.Module):
    """One parameter under two names."""

    def __init__(self):
        super().__init__()
        self.a = torch.nn.Parameter(torch.tensor([1.0, 2.0, 3.0]))
        self.b = self.a

    def forward(self, x):
        loss = (x * self.a).sum() + (self.b * self.b).sum()
        g = torch.autograd.grad([loss], [self.a])[0]
        assert g is not None
        return g


class TiedLayers(torch.nn.Module):
    """An embedding whose weight is that of the last layer, as language models have."""

    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(4, 3)
        self.out = torch.nn.Linear(3, 4, bias=False)
        self.out.weight = self.embedding.weight
        self.embedding.weight.data.copy_(torch.arange(12.0).view(4, 3) / 8)

    def forward(self, x):
        tokens = x.flatten().long() % 4
        loss = self.out(self.embedding(tokens)).sum()
        g = torch.autograd.grad([loss], [self.embedding.weight])[0]
        assert g is not None
        step = g * 0.01
        with torch.no_grad():
            self.embedding.weight.sub_(step)
        return loss.detach(), step, self.out.weight.detach() + 0


class TrainedInALoop(torch.nn.Module):
    """Reads in a loop and a branch, stores of the same tensor, gradients that may be missing."""

    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.tensor([1.0, 2.0, 3.0]))
        self.v = torch.nn.Parameter(torch.tensor([0.5, 0.5, 0.5]))

    def forward(self, x):
        losses: List[torch.Tensor] = []
        for i in range(3):
            loss = (x * self.w).sum()
            if i != 1:
                loss = loss + (self.w * self.w).sum()
            g = torch.autograd.grad([loss], [self.w, self.v], allow_unused=True)
            gw, gv = g[0], g[1]
            with torch.no_grad():
                if gw is not None:
                    self.w -= 0.01 * gw
                if gv is not None:
                    self.v -= 0.01 * gv
            losses.append(loss.detach())
        return losses, self.w.detach() + 0, self.v.detach() + 0


class Pyramid(torch.nn.Module):
    """The list of maps of a feature pyramid: built backward, by inserting."""

    def __init__(self):
        super().__init__()
        self.inner = torch.nn.ModuleList([torch.nn.Conv2d(c, 2, 1, bias=False) for c in (1, 2, 3)])
        self.layer = torch.nn.ModuleList([torch.nn.Conv2d(2, 2, 3, padding=1, bias=False) for _ in range(3)])
    def lateral(self, x, n: int):
        result = x
        for i, m in enumerate(self.inner):
            if i == n:
                result = m(x)
        return result

    def smooth(self, x, n: int):
        result = x
        for i, m in enumerate(self.layer):
            if i == n:
                result = m(x)
        return result

    def forward(self, x):
        maps = [x.view(1, 1, 2, 3).repeat(1, i + 1, 4 >> i, 4 >> i) for i in range(3)]
        last = self.lateral(maps[-1], -1 + len(maps))
        results = [self.smooth(last, -1 + len(maps))]
        for n in range(len(maps) - 2, -1, -1):
            side = self.lateral(maps[n], n)
            last = side + F.interpolate(last, size=side.shape[-2:], mode="nearest")
            results.insert(0, self.smooth(last, n))
        return results


class ConvLSTM(torch.nn.Module):
    """States in a list of tuples, replaced step by step."""

    def __init__(self):
        super().__init__()
        self.cells = torch.nn.ModuleList([torch.nn.Conv2d(2, 4, 3, padding=1), torch.nn.Conv2d(2, 4, 3, padding=1)])
    def forward(self, x):
        states: List[Tuple[torch.Tensor, torch.Tensor]] = []
        for _ in self.cells:
            zero = torch.zeros(1, 1, 2, 3)
            states.append((zero, zero))
        outputs: List[torch.Tensor] = []
        for step in range(3):
            inner = x.view(1, 1, 2, 3) * (step + 1)
            for i, cell in enumerate(self.cells):
                h, c = states[i]
                gates = cell(torch.cat([inner, h], 1)).chunk(4, 1)
                c = torch.sigmoid(gates[0]) * c + torch.sigmoid(gates[1]) * torch.tanh(gates[2])
                h = torch.sigmoid(gates[3]) * torch.tanh(c)
                states[i] = (h, c)
                inner = h
            outputs.append(inner)
        return torch.cat(outputs), states


MODULES = {m: [(X,), (X + 1,)] for m in (
    "Statistics SharedStorage SharedInAList SharedParameter Swapped ReadInALoop ReadInABranch ReadInBothBranches ReadInAWhile Steps "
    "StoredBetweenReads TwoLayers TiedParameters TiedLayers TrainedInALoop").split()}


# ---- State dicts: a parameter that is loaded has views ----


class LoadedViews(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.zeros(2, 3), requires_grad=False)
        self.rows = [self.w[0], self.w[1]]
        self.column = self.w.t()[0]
        self.parts = {"a": self.w.view(-1)[:3], "b": self.w}

    def forward(self, x):
        y = F.linear(x, self.w)
        self.rows[0].add_(1.0)
        self.column.mul_(2.0)
        self.parts["b"].sub_(0.5)
        return y, F.linear(x, self.w), self.rows[1] + 0, self.parts["a"] + self.column[0]


class LoadedLayer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 2)
        self.other = torch.nn.Linear(3, 2)
        torch.nn.init.zeros_(self.layer.weight)
        self.other.weight = self.layer.weight
        self.register_buffer("first", self.layer.weight.detach()[0], persistent=False)

    def forward(self, x):
        y = self.layer(x)
        self.first.mul_(0.5)
        return y.detach(), self.layer(x).detach(), self.other(x).detach()


def numbered(module):
    """A state dict of plain numbers."""
    return {k: torch.arange(v.numel()).view_as(v).float() % 7 / 8 - 0.3 - i * 0.05 for i, (k, v) in enumerate(module.state_dict().items())}


WEIGHTS = {
    Pyramid: numbered(Pyramid()), ConvLSTM: numbered(ConvLSTM()), LoadedViews: {"w": W[:2]},
    LoadedLayer: {"layer.weight": W[:2] + 1, "layer.bias": W[0, :2], "other.weight": W[:2] + 1, "other.bias": W[1, :2]}}
CALLS_WITH_WEIGHTS = [(X,), (X + 1,)]


# ---- Calls of several methods ----


class Given:
    """An argument that is also argument `argument` of its call, or that is the part `result` of earlier results."""

    def __init__(self, argument=None, result=None):
        self.argument, self.result = argument, result


class Handed(torch.nn.Module):
    """Calls that get one tensor twice, or a tensor that an earlier call returned."""
    kept: List[torch.Tensor]

    def __init__(self):
        super().__init__()
        self.state = torch.zeros(2, 3)
        self.kept = []

    @torch.jit.export
    def both(self, x, y):
        a = x + y
        x.add_(1.0)
        b = x + y
        y[0].mul_(2.0)
        return a, b, x + 0, F.relu(x).sum() + y.sum()

    @torch.jit.export
    def begin(self, x):
        self.state = x * 2.0
        return self.state, self.state[0], x

    @torch.jit.export
    def step(self, h, row):
        before = self.state + h
        h.add_(1.0)
        after = self.state + h
        row.mul_(-1.0)
        return before, after, self.state + 0

    @torch.jit.export
    def keep(self, x):
        self.kept.append(x)
        total = torch.zeros(2, 3)
        for t in self.kept:
            total = total + t
        x.add_(1.0)
        return total, self.kept[0] + 0

    @torch.jit.export
    def items(self, xs: List[torch.Tensor], y):
        a = xs[0] + xs[1]
        y.sub_(3.0)
        return a, xs[0] + xs[1]

    @torch.jit.export
    def same(self, x):
        return x

    def forward(self, x):
        return self.state + x


SEQUENCES = {Handed: [
    ("both", [X, Given(argument=0)]), ("both", [X, X + 1]),
    ("begin", [X]), ("step", [Given(result=[2, 0]), Given(result=[2, 1])]), ("forward", [Given(result=[2, 0])]),
    ("step", [Given(result=[2, 1]), Given(result=[2, 2])]),
    ("keep", [Given(result=[2, 2])]), ("keep", [Given(result=[2, 2])]), ("keep", [Given(result=[2, 0])]), ("keep", [X]),
    ("same", [X]), ("both", [Given(result=[10]), Given(result=[10])]), ("items", [[X, X + 1], X]),
    ("items", [[Given(result=[10]), Given(result=[2, 0])], Given(result=[10])])]}

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
CALLS = {f: [(X,)] for f in (
    "list_made_in_loop list_changed_before_loop list_grows_and_changes list_of_tensors_built_backward list_items_summed "
    "list_with_two_names list_in_list list_popped list_in_tuple list_written_in_branch list_changed_by_a_function "
    "dict_made_in_loop type_as_returns_its_argument to_dense_returns_its_argument changed_between_equal_reads "
    "views_of_views view_read_before_and_after views_in_a_dict views_in_a_loop members_are_new_objects lerp_of_ints "
    "lerp_by_a_tensor_of_ints lerp_of_two_dtypes hardtanh_of_bools hardtanh_of_bytes linspace_of_bools elu_of_ints "
    "threshold_of_bools addcmul_of_bools").split()}
CALLS.update({f: [(X, W)] for f in (
    "any_is_never_none rank_changed_in_place rank_of_changed_result rank_changed_through_another_name").split()})


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


MODULES = {m: [(X,), (X + 1,)] for m in (
    "SharedStorage SharedInAList SharedParameter Swapped ReadInALoop ReadInABranch ReadInBothBranches ReadInAWhile Steps "
    "StoredBetweenReads TwoLayers").split()}

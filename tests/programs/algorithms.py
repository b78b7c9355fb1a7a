"""Whole small algorithms: beam search, tokens, suppression, streams, objects that hold objects."""
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import torch
from torch import Tensor


class One:
    def __init__(self, x: int):
        self.x = x


class Two:
    def __init__(self, o: One, n: int = 1):
        self.o = o
        self.n = n
        self.items: List[One] = [o]
        self.table: Dict[str, Tuple[int, One]] = {"a": (n, o)}
        self.maybe: Optional[One] = o

    def sum(self) -> int:
        r = self.o.x
        for i in self.items:
            r += i.x
        for k, (n, o) in self.table.items():
            r += n * o.x
        return r


def run_nested(x: int):
    a = One(x)
    b = Two(a, n=3)
    b.items.append(One(10))
    b.o.x += 5
    b.table["z"] = (2, One(7))
    b.items[0].x *= 2
    c, b.n = b.n, 9
    return a.x, b.sum(), c, b.n, b.table["a"][1].x


def run_objif(x: int):
    a = One(1)
    if x > 0:
        a.x = 2
        b = a
    else:
        b = One(3)
        b.x -= 1
    a.x += 10
    return a.x, b.x


def run_objloop(n: int):
    objs = [One(i) for i in range(n)]
    total = One(0)
    for o in objs:
        o.x += 1
        total.x += o.x
        if o.x == 3:
            objs[0] = o
    objs[0].x = 100
    return [o.x for o in objs], total.x


def run_swapobj():
    a = One(1)
    b = One(2)
    a, b = b, a
    a.x = 7
    return a.x, b.x


def run_ssa(x: int, y: int):
    z = x
    if x > y:
        t = x
        z = t - y
        if z > 3:
            z = z * 2
    else:
        for i in range(y):
            z = z + i
            if z > 10:
                break
            w = z
    while z > 5:
        z -= 3
        x += z
        if x % 7 == 0:
            continue
        y += x
    return x, y, z


def run_retinloop(l: List[List[int]], t: int) -> Tuple[int, int]:
    for i, row in enumerate(l):
        for j in range(len(row)):
            if row[j] == t:
                return i, j
            elif row[j] < 0:
                break
        else_count = i
    return -1, -1


def run_early(x: Optional[List[Optional[int]]]) -> int:
    if x is None:
        return -1
    r = 0
    for i in x:
        if i is None:
            r -= 1
        else:
            if i > 100:
                return i
            r += i
    return r


def run_optchain(a: Optional[int], b: Optional[int], c: Optional[int]) -> int:
    if a is not None and (b is not None or c is not None):
        return a
    if a is None and b is None and c is None:
        return 0
    if b is not None and c is not None and b > c:
        return b - c
    return -1


def run_assertrefine(x: Optional[int], y: Any) -> int:
    assert x is not None
    assert isinstance(y, int)
    z = x + y
    assert z > 0, "z must be positive, got {}".format(z)
    return z


def run_notrefine(x: Optional[str]) -> int:
    if not (x is not None and len(x) > 2):
        return 0
    assert x is not None
    return len(x)


def run_ternrefine(x: Optional[int], y: Optional[int]) -> int:
    a = x if x is not None else (y if y is not None else 7)
    return a + (1 if x is None else x)


class Beam(NamedTuple):
    score: float
    tokens: List[int]
    done: bool


def run_beam(scores: List[float], steps: int) -> Tuple[float, List[int]]:
    beams = [Beam(0.0, [0], False)]
    for s in range(steps):
        cand: List[Beam] = []
        for b in beams:
            if b.done:
                cand.append(b)
                continue
            for i, sc in enumerate(scores):
                toks = b.tokens + [i]
                cand.append(Beam(b.score + sc * float(s + 1), toks, i == 2))
        best: List[Beam] = []
        while len(best) < 2 and len(cand) > 0:
            k = 0
            for j in range(len(cand)):
                if cand[j].score > cand[k].score:
                    k = j
            best.append(cand.pop(k))
        beams = best
    return beams[0].score, beams[0].tokens


def run_tokenize(s: str, vocab: Dict[str, int]) -> List[int]:
    out: List[int] = []
    for w in s.lower().split():
        w = w.strip(".,!?")
        if w in vocab:
            out.append(vocab[w])
            continue
        start = 0
        while start < len(w):
            end = len(w)
            found = False
            while end > start:
                sub = w[start:end]
                if start > 0:
                    sub = "##" + sub
                if sub in vocab:
                    out.append(vocab[sub])
                    found = True
                    break
                end -= 1
            if not found:
                out.append(-1)
                break
            start = end
    return out


def run_nms(boxes: List[Tuple[float, float, float, float]], scores: List[float], thr: float) -> List[int]:
    order = [i for i in range(len(scores))]
    for i in range(len(order)):
        for j in range(len(order) - 1 - i):
            if scores[order[j]] < scores[order[j + 1]]:
                order[j], order[j + 1] = order[j + 1], order[j]
    keep: List[int] = []
    for i in order:
        ok = True
        for k in keep:
            x1, y1 = max(boxes[i][0], boxes[k][0]), max(boxes[i][1], boxes[k][1])
            x2, y2 = min(boxes[i][2], boxes[k][2]), min(boxes[i][3], boxes[k][3])
            inter = max(x2 - x1, 0.0) * max(y2 - y1, 0.0)
            a = (boxes[i][2] - boxes[i][0]) * (boxes[i][3] - boxes[i][1])
            b = (boxes[k][2] - boxes[k][0]) * (boxes[k][3] - boxes[k][1])
            if inter / (a + b - inter) > thr:
                ok = False
                break
        if ok:
            keep.append(i)
    return keep


class State:
    buf: List[float]

    def __init__(self, n: int):
        self.n = n
        self.buf = torch.jit.annotate(List[float], [])
        self.seen = 0

    def push(self, v: float) -> Optional[float]:
        self.buf.append(v)
        self.seen += 1
        if len(self.buf) > self.n:
            return self.buf.pop(0)
        return None

    def mean(self) -> float:
        if len(self.buf) == 0:
            return 0.0
        return sum(self.buf) / len(self.buf)


def run_stream(xs: List[float]) -> Tuple[List[float], int, List[Optional[float]]]:
    s = State(3)
    out: List[float] = []
    dropped: List[Optional[float]] = []
    for x in xs:
        d = s.push(x)
        dropped.append(d)
        out.append(s.mean())
    return out, s.seen, dropped


def run_matrix(n: int):
    m = [[i * n + j for j in range(n)] for i in range(n)]
    t = [[m[j][i] for j in range(n)] for i in range(n)]
    tr = 0
    for i in range(n):
        tr += m[i][i]
    p: List[List[int]] = []
    for row in m:
        r: List[int] = []
        for j in range(n):
            s = 0
            for k in range(n):
                s += row[k] * t[k][j]
            r.append(s)
        p.append(r)
    return t, tr, p


def run_tensorloop(x: Tensor, n: int):
    outs: List[Tensor] = []
    h = torch.zeros_like(x[0])
    for t in range(x.size(0)):
        h = torch.tanh(x[t] + h)
        if t % 2 == 0:
            outs.append(h)
        else:
            outs[-1] = outs[-1] + h
    s = torch.stack(outs)
    while s.sum() > 1.0 and n > 0:
        s = s / 2
        n -= 1
    return s, n, h


def run_inplace(x: Tensor):
    y = x
    y += 1
    z = x.clone()
    z.mul_(2).add_(1)
    v = z[0]
    v.zero_()
    w = x.view(-1)
    w[0] = 42
    x[1] = z[1]
    return x, y, z, w


def run_dicttensor(d: Dict[str, Tensor]):
    r: Dict[str, Tensor] = {}
    for k, v in d.items():
        r[k + "_"] = v * 2
    keys = list(r.keys())
    keys.sort()
    return r, keys, torch.cat([d[k] for k in d])


def run_tupledict():
    d = {"a": (1, "x"), "b": (2, "y")}
    d["c"] = (3, "z")
    n, s = d["b"]
    r = 0
    for k, (i, t) in d.items():
        r += i * len(t)
    return n, s, r, d["c"][1]


CALLS = {
    "run_nested": [(3,)],
    "run_objif": [(1,), (0,)],
    "run_objloop": [(4,)],
    "run_swapobj": [()],
    "run_ssa": [(9, 2), (2, 9), (5, 5)],
    "run_retinloop": [([[1, 2], [3, 4]], 4), ([[1, -1], [3, 4]], 9)],
    "run_early": [(None,), ([1, None, 3],), ([1, 200],)],
    "run_optchain": [(1, None, 2), (None, None, None), (None, 5, 3), (1, None, None)],
    "run_assertrefine": [(1, 2), (None, 1), (1, 'a'), (1, -5)],
    "run_notrefine": [('abc',), ('a',), (None,)],
    "run_ternrefine": [(1, 2), (None, 2), (None, None)],
    "run_beam": [([0.5, 0.25, 0.75], 3)],
    "run_tokenize": [('Hello, unaffable world! xyz', {'hello': 1, 'un': 2, '##aff': 3, '##able': 4, 'world': 5})],
    "run_nms": [([(0.0, 0.0, 1.0, 1.0), (0.0, 0.0, 1.0, 0.9), (2.0, 2.0, 3.0, 3.0)], [0.9, 0.95, 0.5], 0.5)],
    "run_stream": [([1.0, 2.0, 3.0, 4.0, 5.0],)],
    "run_matrix": [(3,)],
    "run_tensorloop": [(torch.tensor([[0.5, -1.0], [2.0, 3.0], [1.0, 1.0]]), 5)],
    "run_inplace": [(torch.tensor([[0.5, -1.0], [2.0, 3.0], [1.0, 1.0]]),)],
    "run_dicttensor": [({'b': torch.tensor([[0.5, -1.0], [2.0, 3.0], [1.0, 1.0]]), 'a': torch.tensor([[0.5, -1.0], [2.0, 3.0], [1.0, 1.0]])},)],
    "run_tupledict": [()],
}

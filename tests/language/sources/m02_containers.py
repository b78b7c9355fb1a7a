"""M2 ModuleList, ModuleDict, Sequential, ParameterList/Dict: unrolled loops, enumerate, items, zip, constant index,
slices, len, in, dynamic index through an interface"""
import torch
import torch.nn as nn
class Add(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.k

class Mul(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2

class Lists(nn.Module):
    def __init__(self):
        super().__init__()
        self.mods = nn.ModuleList([Add(1), Mul(), Add(2.5)])

    def forward(self, v: torch.Tensor):
        for m in self.mods:
            v = m(v)
        for i, m in enumerate(self.mods):
            v = m(v) + i
        v = self.mods[0](v)
        v = self.mods[-1](v)
        for q in self.mods[1:]:
            v = q.forward(v)
        return v, len(self.mods)

class Zipped(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.ModuleList([Add(1), Add(2)])
        self.b = nn.ModuleList([Mul(), Mul()])

    def forward(self, v: torch.Tensor):
        for p, q in zip(self.a, self.b):
            v = q(p(v))
        return v

class Dicts(nn.Module):
    def __init__(self):
        super().__init__()
        self.d = nn.ModuleDict({"a-b": Add(1), "m": Mul()})

    def forward(self, v: torch.Tensor):
        for k, m in self.d.items():
            v = m(v)
        for k in self.d.keys():
            print(k)
        for m in self.d.values():
            v = m(v)
        v = self.d["m"](v)
        return v, len(self.d), "m" in self.d, "zz" in self.d

class Seq(nn.Module):
    def __init__(self):
        super().__init__()
        self.s = nn.Sequential(Add(1), Mul(), nn.ReLU())

    def forward(self, v: torch.Tensor):
        v = self.s(v)
        for m in self.s:
            v = m(v)
        return self.s[1](v), len(self.s)

class PList(nn.Module):
    def __init__(self):
        super().__init__()
        self.p = nn.ParameterList([nn.Parameter(torch.ones(1)), nn.Parameter(torch.full((1,), 2.0))])

    def forward(self, x: torch.Tensor):
        for q in self.p:
            x = x + q
        return x

@torch.jit.interface
class Step(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        pass

class Dyn(nn.Module):
    def __init__(self):
        super().__init__()
        self.mods = nn.ModuleList([Add(1), Mul()])
        self.d = nn.ModuleDict({"a": Add(5), "b": Mul()})

    def forward(self, x: torch.Tensor, i: int, k: str):
        m: Step = self.mods[i]
        n: Step = self.d[k]
        return n.forward(m.forward(x))

class BadBreak(nn.Module):
    def __init__(self):
        super().__init__()
        self.mods = nn.ModuleList([Mul(), Mul()])

    def forward(self, x: torch.Tensor):
        for m in self.mods:
            if x.sum() > 3:
                break
            x = m(x)
        return x

class BadDyn(nn.Module):
    def __init__(self):
        super().__init__()
        self.mods = nn.ModuleList([Mul(), Mul()])

    def forward(self, x: torch.Tensor, i: int):
        return self.mods[i](x)

CASES = [("Lists", (torch.ones(1),)), ("Zipped", (torch.ones(1),)), ("Dicts", (torch.ones(1),)), ("Seq", (torch.ones(1),)), ("PList", (torch.ones(1),)),
 ("Dyn", (torch.ones(1), 0, "b")), ("Dyn", (torch.ones(1), 1, "a")), ("Dyn", (torch.ones(1), 5, "a"))]
BAD = [("BadBreak", "unrolled loops, we do not support break or continue"), ("BadDyn", "Enumeration is supported, e.g. 'for index, v in enumerate(self): ...'")]

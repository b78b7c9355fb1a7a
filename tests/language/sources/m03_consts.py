"""M3 module constants: Final, __constants__, tuples, dtype/device/layout constants, branch folding on constants,
constant reassign"""
import torch
import torch.nn as nn
from typing import List, Tuple
class Fin(nn.Module):
    a: torch.jit.Final[int]
    b: torch.jit.Final[float]
    c: torch.jit.Final[bool]
    t: torch.jit.Final[Tuple[int, float]]
    l: torch.jit.Final[List[int]]
    __constants__ = ["s", "dt", "dev", "lay"]

    def __init__(self):
        super().__init__()
        self.a = 1 + 4
        self.b = 2.5
        self.c = True
        self.t = (1, 2.5)
        self.l = [4, 5, 6]
        self.s = "str"
        self.dt = torch.float64
        self.dev = torch.device("cpu")
        self.lay = torch.strided

    def forward(self, x: torch.Tensor):
        t = 0
        for v in self.l:
            t += v
        return x.to(self.dt) * self.a + self.b, self.t[0], self.s, t, len(self.l)

class Folded(nn.Module):
    use_a: torch.jit.Final[bool]

    def __init__(self):
        super().__init__()
        self.use_a = True

    def forward(self, x: torch.Tensor):
        if self.use_a:
            return torch.ones(2)
        else:
            return self.does_not_exist(x)

class FoldNone(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = None

    def forward(self, x: torch.Tensor):
        if self.down is not None:
            x = self.down(x)
        return x + 1

class SetFinal(nn.Module):
    a: torch.jit.Final[int]

    def __init__(self):
        super().__init__()
        self.a = 1

    def forward(self, x: int):
        self.a = x
        return x

CASES = [("Fin", (torch.ones(1),)), ("Folded", (torch.ones(1),)), ("FoldNone", (torch.ones(1),))]
BAD = [("SetFinal", "a")]

"""M4 forward hooks and pre-hooks, __getstate__/__setstate__, ignored and unused methods, shared submodule,
overloaded forward"""
import torch
import torch.nn as nn
from typing import Tuple, List, Optional
def pre(self, input: Tuple[torch.Tensor]) -> Tuple[torch.Tensor]:
    return (input[0] + 1,)

def post(self, input: Tuple[torch.Tensor], output: torch.Tensor) -> torch.Tensor:
    return output * 2 + input[0]

class Inner(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 10

class Hooked(nn.Module):
    def __init__(self):
        super().__init__()
        self.i = Inner()
        self.i.register_forward_pre_hook(pre)
        self.i.register_forward_hook(post)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.i(x)

class OwnHook(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_forward_pre_hook(pre)
        self.register_forward_hook(post)
        self.register_forward_hook(post)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 3

class State(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.full((2,), 4.0)
        self.n = 3

    def forward(self, x: torch.Tensor):
        return x + self.w * self.n

    @torch.jit.export
    def __getstate__(self):
        return (self.w * 2, self.n, self.training)

    @torch.jit.export
    def __setstate__(self, st: Tuple[torch.Tensor, int, bool]):
        self.w = st[0] / 2
        self.n = st[1]
        self.training = st[2]

class Unused(nn.Module):
    def forward(self, x: torch.Tensor, bad: bool) -> torch.Tensor:
        if bad:
            return self.nope(x)
        return x + 1

    @torch.jit.unused
    def nope(self, x: torch.Tensor) -> torch.Tensor:
        return {i for i in x}

class Ignored(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.py(x) + 1

    @torch.jit.ignore
    def py(self, x: torch.Tensor) -> torch.Tensor:
        import math
        return x * math.floor(2.7)

class Shared(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(1, 1)
        self.b = self.a
        with torch.no_grad():
            self.a.weight.fill_(2.0)
            self.a.bias.fill_(1.0)

    def forward(self, x: torch.Tensor):
        return self.b(self.a(x))

class SharedTensor(nn.Module):
    def __init__(self):
        super().__init__()
        base = torch.arange(6.0)
        self.register_buffer("whole", base)
        self.register_buffer("view", base[2:5])
        self.register_buffer("strided", base.view(2, 3).t())

    def forward(self, x: torch.Tensor):
        self.whole += 1
        return self.view + x, self.strided

class NoForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.k = 2

    @torch.jit.export
    def go(self, x: int) -> int:
        return x * self.k

CASES = [("Hooked", (torch.ones(2),)), ("OwnHook", (torch.ones(2),)), ("State", (torch.ones(2),)), ("Unused", (torch.ones(1), False)), ("Unused", (torch.ones(1), True)), ("Ignored", (torch.ones(2),)), ("Shared", (torch.ones(1, 1),)), ("SharedTensor", (torch.ones(1),)), ("NoForward.go", (4,))]

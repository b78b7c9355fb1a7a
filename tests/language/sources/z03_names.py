"""Z3 serialized names: same names in many scopes, mangled types, attribute names that are not identifiers, keyword-
like locals, functions shared by two modules, shadowing"""
import torch
import torch.nn as nn
from typing import List
def inf_nan_names(x: int) -> int:
    inf = x + 1
    nan = inf * 2
    ops = nan + 1
    fork = ops + 1
    annotate = fork + 1
    uninitialized = annotate + 1
    CONSTANTS = uninitialized + 1
    return CONSTANTS

def many_x(x: int) -> int:
    x = x + 1
    if x > 2:
        x = x * 2
        x0 = x + 1
        x = x0
    x1 = x + 3
    x = x1
    return x

def underscore_names(_0: int, _1: int) -> int:
    _ = _0 + _1
    __a = _ * 2
    return __a

def shadow_builtin(len: int, max: int) -> int:
    return len + max

class K(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.k

class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = K(1)
        self.b = K(2.5)
        self.c = K(3)
        self.d = nn.ModuleDict({"x.y".replace(".", "-"): K(1), "3": K(2), "for": K(4)})

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.c(self.b(self.a(x)))
        for k, m in self.d.items():
            x = m(x)
        return x

CASES = [("inf_nan_names", (1,)), ("many_x", (1,)), ("many_x", (5,)), ("underscore_names", (1, 2)), ("shadow_builtin", (1, 2)), ("Two", (torch.ones(1),))]

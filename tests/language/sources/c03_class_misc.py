"""C3 class features: staticmethod, classmethod, property get/set, ignored and unused methods, dataclass, class
referring to itself"""
import torch
from dataclasses import dataclass
from typing import Optional, List, Tuple
@torch.jit.script
class Temp:
    def __init__(self, c: float):
        self._c = c

    @staticmethod
    def scale() -> float:
        return 1.8

    @classmethod
    def freezing(cls, k: float) -> float:
        return k + 32.0

    @property
    def f(self) -> float:
        return self._c * 1.8 + 32.0

    @f.setter
    def f(self, v: float):
        self._c = (v - 32.0) / 1.8

    @torch.jit.unused
    def weird(self, x):
        return {*x}

@torch.jit.script
@dataclass
class Pt:
    x: int
    y: int = 5

    def norm1(self) -> int:
        return self.x + self.y

@torch.jit.script
class Node:
    def __init__(self, v: int, nxt: Optional["Node"] = None):
        self.v = v

def props(c: float) -> Tuple[float, float, float]:
    t = Temp(c)
    a = t.f
    t.f = 212.0
    return a, t._c, Temp.scale()

def data() -> Tuple[int, bool, bool]:
    p = Pt(1)
    q = Pt(1, 5)
    return p.norm1(), p == q, p == Pt(2, 2)

def node(v: int) -> int:
    return Node(v).v

CASES = [("props", (10.0,)), ("data", ()), ("node", (3,))]

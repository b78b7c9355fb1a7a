"""M1 modules: parameters, buffers, attributes from instance, same class different types, submodule call, method
recursion, export, training flag, state mutation"""
import torch
import torch.nn as nn
from typing import List, Dict, Optional
class AddInt(nn.Module):
    def __init__(self, v=1):
        super().__init__()
        self.x = v

    def forward(self, inc: int):
        return self.x + inc

class AddTensor(AddInt):
    def __init__(self):
        super().__init__(torch.ones(5))

class Lin(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.tensor([[1., 2.], [3., 4.]]))
        self.register_buffer("b", torch.tensor([0.5, -0.5]))
        self.k = 3

    def helper(self, x):
        return x @ self.w + self.b

    def forward(self, x):
        return self.helper(x) * self.k

    @torch.jit.export
    def other(self, n: int) -> int:
        return self.deep(n) + self.k

    def deep(self, n: int) -> int:
        return n * 10

class Nest(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = Lin()
        self.b = AddInt(4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.a(x) + self.b(2) + self.a.w.sum() + self.a.helper(x)

class Stateful(nn.Module):
    words: List[str]
    table: Dict[str, int]
    maybe: Optional[int]

    def __init__(self):
        super().__init__()
        self.words = []
        self.table = {"hi": 2}
        self.maybe = None
        self.my_int = 10
        self.t = torch.zeros(2)

    def forward(self, s: str) -> int:
        self.words.append(s)
        self.my_int += 1
        self.maybe = len(self.words)
        self.t += 1
        self.t[0] = 7
        if s in self.table:
            return self.table[s] + self.my_int
        return -self.my_int

class Mode(nn.Module):
    def __init__(self):
        super().__init__()
        self.d = nn.Dropout(0.5)
        self.eval()

    def forward(self, x: torch.Tensor):
        if self.training:
            return x * 100
        return self.d(x)

class RefineAttr(nn.Module):
    z: Optional[int]

    def __init__(self):
        super().__init__()
        self.z = 5

    def forward(self, x: Optional[int], y: Optional[int]) -> int:
        if x is None:
            x = 1
        z = self.z
        if y is not None and z is not None:
            x = y + z
        assert z is not None
        x += z
        return x

class RefineAttrBad(nn.Module):
    z: Optional[int]

    def __init__(self):
        super().__init__()
        self.z = 5

    def forward(self, x: int) -> int:
        if self.z is not None:
            return x + self.z
        return x

class Uninferrable(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = []

    def forward(self, x: int):
        return self.e

class AttrAPI(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = torch.jit.Attribute([], List[int])
        self.d = torch.jit.Attribute({}, Dict[str, float])

    def forward(self, x: int):
        self.l.append(x)
        self.d["k"] = 1.5
        return self.l, self.d

class HasAttr(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = 3

    def forward(self, x: int) -> int:
        if hasattr(self, "a"):
            x += self.a
        if hasattr(self, "zz"):
            x += self.zz
        return x + getattr(self, "a") + getattr(self, "nope", 100)

class Prop(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = 3

    @property
    def dbl(self) -> int:
        return self.a * 2

    @dbl.setter
    def dbl(self, v: int):
        self.a = v // 2

    def forward(self, x: int) -> int:
        self.dbl = x
        return self.dbl + self.a

class SetBad(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = 3

    def forward(self, x: int) -> int:
        self.newattr = x
        return x

CASES = [("AddInt", (3,)), ("AddTensor", (3,)), ("Lin", (torch.ones(1, 2),)), ("Lin.other", (2,)), ("Nest", (torch.ones(1, 2),)), ("Stateful", ("hi",)), ("Stateful", ("zz",)), ("Mode", (torch.ones(2),)),
 ("RefineAttr", (None, 3)), ("RefineAttr", (2, None)), ("AttrAPI", (4,)), ("HasAttr", (1,)), ("Prop", (9,))]
BAD = [("RefineAttrBad", "Optional[int]"), ("Uninferrable", "e"), ("SetBad", "Tried to set nonexistent attribute: newattr")]

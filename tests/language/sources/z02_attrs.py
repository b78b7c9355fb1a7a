"""Z2 serialized attributes (data.pkl): every attribute kind, dtypes, strides, views, shared tensors, quantized,
sparse, empty, scalar, None parameters, enum, class instances, nested lists"""
import torch
import torch.nn as nn
from enum import Enum
from typing import List, Dict, Tuple, Optional, NamedTuple
class Kind(Enum):
    A = 1
    B = 2

class Rec(NamedTuple):
    a: int
    t: torch.Tensor

@torch.jit.script
class Obj:
    def __init__(self, n: int):
        self.n = n
        self.l = ["q"]

class AllAttrs(nn.Module):
    opt_none: Optional[int]
    opt_some: Optional[List[int]]
    rec: Rec
    empty_dict: Dict[str, List[int]]

    def __init__(self):
        super().__init__()
        self.i = 3
        self.neg = -5
        self.i16 = 300
        self.i32 = 1 << 20
        self.i64 = 1 << 40
        self.f = 2.5
        self.b = True
        self.s = "text é \n"
        self.c = 1 + 2j
        self.dev = torch.device("cpu")
        self.tup = (1, "a", (2.5, True))
        self.il = [1, 2]
        self.fl = [1.5]
        self.bl = [True, False]
        self.sl = ["a", "b", "a"]
        self.tl = [torch.ones(1), torch.zeros(2)]
        self.nl = [[1], [2, 3]]
        self.d = {"x": 1, "y": 2}
        self.di = {1: "one"}
        self.dt = {"t": torch.ones(1)}
        self.opt_none = None
        self.opt_some = [7]
        self.empty_dict = {}
        self.kind = Kind.B
        self.rec = Rec(4, torch.full((1,), 9.0))
        self.obj = Obj(6)
        self.same = self.il

    def forward(self, x: int):
        self.il.append(x)
        return (self.i, self.neg, self.i16, self.i32, self.i64, self.f, self.b, self.s, self.c, self.dev, self.tup, self.il, self.fl, self.bl, self.sl, self.tl, self.nl, self.d, self.di, self.dt,
                self.opt_none, self.opt_some, self.empty_dict, self.kind, self.rec.a, self.rec.t, self.obj.n, self.obj.l, self.same)

class Tensors(nn.Module):
    def __init__(self):
        super().__init__()
        base = torch.arange(12.0)
        self.p = nn.Parameter(torch.ones(2))
        self.frozen_p = nn.Parameter(torch.ones(2), requires_grad=False)
        for k, dt in [("u8", torch.uint8), ("i8", torch.int8), ("i16", torch.int16), ("i32", torch.int32), ("i64", torch.int64), ("f16", torch.float16), ("bf16", torch.bfloat16), ("f32", torch.float32), ("f64", torch.float64), ("bo", torch.bool), ("c64", torch.complex64), ("c128", torch.complex128)]:
            self.register_buffer(k, torch.tensor([0, 1, 2]).to(dt))
        self.register_buffer("whole", base)
        self.register_buffer("part", base[3:7])
        self.register_buffer("tr", base.view(3, 4).t())
        self.register_buffer("expanded", torch.ones(1).expand(3))
        self.register_buffer("scalar", torch.tensor(7.0))
        self.register_buffer("empty", torch.zeros(0, 3))
        self.register_buffer("none", None)
        self.register_buffer("nonpersistent", torch.ones(1), persistent=False)
        self.register_parameter("noparam", None)
        self.tied = self.p

    def forward(self, x: int):
        return (self.p, self.frozen_p, self.u8, self.i8, self.i16, self.i32, self.i64, self.f16, self.bf16, self.f32, self.f64, self.bo, self.c64, self.c128, self.whole, self.part, self.tr, self.expanded, self.scalar, self.empty, self.nonpersistent, self.tied)

class Quant(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("q", torch.quantize_per_tensor(torch.tensor([1.0, 2.0, 3.0]), 0.1, 3, torch.quint8))
        self.register_buffer("qc", torch.quantize_per_channel(torch.ones(2, 2), torch.tensor([0.1, 0.2]), torch.tensor([1, 2]), 0, torch.qint8))
        self.register_buffer("sp", torch.eye(3).to_sparse())

    def forward(self, x: torch.Tensor):
        return self.q.dequantize(), self.qc.dequantize(), self.sp.to_dense(), self.q.int_repr(), self.q.q_scale(), self.q.q_zero_point()

class ViewAlias(nn.Module):
    def __init__(self):
        super().__init__()
        base = torch.zeros(4)
        self.register_buffer("a", base)
        self.register_buffer("b", base[1:3])

    def forward(self, x: float):
        self.a += x
        return self.b

CASES = [("AllAttrs", (5,)), ("Tensors", (1,)), ("Quant", (torch.ones(1),)), ("ViewAlias", (2.0,))]

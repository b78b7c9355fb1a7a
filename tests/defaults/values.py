"""Values of every kind as defaults of parameters of every type, and as attributes of modules. record.py asks PyTorch
1.13.1 what it makes of each, test_defaults.py asks tsmc."""
PRELUDE = '''import enum
import math
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

import torch
from torch import Tensor
from torch.types import Number


class Two(NamedTuple):
    a: int
    b: float


class Shade(enum.Enum):
    LIGHT = 1
    DARK = 2


class Plain:
    def __init__(self):
        self.a = 1


def called(x: int) -> int:
    return x


'''
VALUES = r'''None | True | False | 0 | 1 | -3 | 2**31 | 2**63-1 | 2**63 | -2**63 | -2**63-1 | 2**64 | 10**400 | 9223372036854775808
-9223372036854775808 | -9223372036854775809 | 0.0 | -0.0 | 1.5 | 1e400 | float("nan") | 1e-320 | 1j | (1+2j) | 0j | complex(1,2)
"" | "a" | "\u00e9" | b"" | b"ab" | bytearray(b"a") | () | (1,) | (1,2) | (1.5,2) | (1,"a") | (1,2,3) | ((1,2),) | ((1,),(2,)) | (None,)
(True,False) | ("a","b") | (2**63,) | [] | [1] | [1,2] | [1.5] | [1,2.5] | [True] | ["a"] | [1,"a"] | [None] | [1,None] | [[1],[2]] | [[]]
[(1,2)] | [2**63] | [1j] | {} | {"a":1} | {1:2.5} | {"a":[1]} | {1:1,2:"a"} | {"a":None} | {1:2**63} | {1.5:1} | {(1,2):1} | set() | {1,2}
frozenset({1}) | range(3) | range(0) | slice(1,2) | ... | torch.tensor(1) | torch.tensor(1.5) | torch.tensor([1,2]) | torch.tensor([1.5])
torch.tensor([]) | torch.tensor(True) | torch.tensor(1j) | (torch.tensor(1),2) | [torch.tensor(1)] | [torch.tensor([1,2])]
{"a":torch.tensor(1)} | torch.float32 | torch.device("cpu") | torch.device("cuda:1") | torch.device("cuda",0) | torch.strided
torch.sparse_coo | torch.channels_last | torch.Size([1,2]) | torch.Size([]) | torch.per_tensor_affine | Two(1,2.5) | [Two(1,2.5)] | Shade.DARK
[Shade.DARK] | {"a":Shade.DARK} | Plain() | Plain | called | len | int | str | list | print | NotImplemented | math | math.pi | math.inf | -True
not 1 | 3//2 | 7%4 | 2**0.5 | [1]*3 | "a"*2 | (1,)*2 | [i for i in range(2)] | {i:i for i in range(2)} | dict(a=1) | list((1,2))
tuple([1,2]) | str(1) | int(1.5) | float(2) | bool(0) | len([1]) | max(1,2) | [*(1,2)] | {**{"a":1}} | f"x{1}" | torch.nn.ReLU()
torch.iinfo(torch.int32).max | torch.iinfo(torch.uint8).min | torch.finfo(torch.float32).eps | torch.finfo(torch.float16).max | torch.pi
Shade | Two | Tensor | torch | type(1) | object() | (None,1) | [b"a"] | [{1}] | ({1},) | [range(2)] | 1j*1j | (1+2j)/2 | 2**63//2'''
VALUES = [v.strip() for line in VALUES.split("\n") for v in line.split(" | ")]
TYPES = """int float bool str complex Tensor Number Any Optional[int] Optional[float] Optional[bool] Optional[str] Optional[Tensor] List[int]
List[float] List[bool] List[str] List[Tensor] List[complex] List[Optional[int]] List[List[int]] List[Any] List[Tuple[int,int]]
Optional[List[int]] Tuple[int] Tuple[int,int] Tuple[float,int] Tuple[int,str] Tuple[Tuple[int,int]] Tuple[bool,bool] Tuple[Tensor,int]
Tuple[int,int,int] Tuple[()] Dict[str,int] Dict[int,float] Dict[str,List[int]] Dict[int,int] Dict[str,Tensor] Dict[str,Optional[int]] Two
List[Two] Shade List[Shade] torch.device Optional[torch.device] torch.dtype Optional[torch.dtype] torch.layout torch.memory_format
torch.Generator torch.Size Union[int,str] Union[int,float] Union[List[int],int] Union[Tensor,int,None] None -""".split()
ATTRIBUTE = "self"  # in the place of a type: the value of an attribute
# Of these types what is refused is tried too.
REFUSING = ["int", "bool", "str", "List[int]", "List[str]", "Tuple[int,int]", "Dict[int,int]", "Any", "Shade", "Tensor", "torch.device", ATTRIBUTE]
REFUSED, RAISES = "refused", "raises"
# What tsmc does otherwise, with the reason.
DIFFERENT = {
    "10**400": "ints have 128 bits at compile time",
    'bytearray(b"a")': "bytearrays are bytes at compile time, and not a sequence of ints to PyTorch",
    "NotImplemented": "not a value at compile time",
    "torch.channels_last": "an attribute that is a memory format is taken for its number, where PyTorch refuses it",
}


def default(name, value, kind):
    """A function that returns its default."""
    return "def %s(a%s = %s):\n    return a\n" % (name, "" if kind == "-" else ": " + kind, value)


def attribute(name, value):
    """A module whose method returns its attribute."""
    return ("class %s(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.a = %s\n\n"
            "    def forward(self):\n        return self.a\n" % (name, value))


def source(name, value, kind):
    return PRELUDE + (attribute(name, value) if kind == ATTRIBUTE else default(name, value, kind))

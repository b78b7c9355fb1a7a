"""Z1 serialized constants: floats, infinities, complex, strings with escapes and non-ASCII, long strings, tensors,
devices, None, nested containers, empty containers"""
import torch
from typing import List, Dict, Tuple, Optional
def small_floats() -> List[float]:
    return [1.0, 0.1, 1e-7, -0.0, 123456789.125, 9999999999.0, 1.5e300, 5e-324, 2.5]

def big_float_breaks() -> float:
    return 1e10

def big_float_in_op(x: torch.Tensor) -> torch.Tensor:
    return x * 1e10

def specials() -> List[float]:
    return [float("inf"), float("-inf"), float("nan")]

def cplx() -> List[complex]:
    return [1 + 2j, 3.5 - 4j, complex(float("inf"), 1.0)]

def ascii_escapes() -> List[str]:
    return ["tab\t", "nl\n", "dq\"", "sq'", "bs\\", "bell\a", "bksp\b", "ff\f", "vt\v", "\x01\x1f\x7f", "\x00mid"]

def carriage_return_breaks() -> str:
    return "a\rb"

def non_ascii() -> List[str]:
    return ["é", "漢字", "ok"]

def long_string() -> str:
    return "a string that is certainly longer than forty characters in total"

def long_strings_fmt(i: int) -> str:
    return "a format string that is certainly longer than forty characters {}".format(i) + "another quite long literal that needs its own line here"

def devices() -> Tuple[torch.device, torch.device]:
    return torch.device("cpu"), torch.device("cuda:1")

def empties() -> Tuple[List[int], List[str], Dict[str, int], Tuple[()], List[List[float]]]:
    a: List[int] = []
    b: List[str] = []
    c: Dict[str, int] = {}
    d: List[List[float]] = []
    return a, b, c, (), d

def optionals() -> Tuple[Optional[int], List[Optional[int]], Optional[List[int]]]:
    a: Optional[int] = None
    b: List[Optional[int]] = [1, None]
    c: Optional[List[int]] = [3]
    return a, b, c

def nested() -> Dict[str, Tuple[int, List[Dict[int, float]]]]:
    return {"a": (1, [{2: 3.0}]), "b": (4, [{5: 6.5}])}

def ints() -> List[int]:
    return [9223372036854775807, -9223372036854775807, 0, -1, 1 << 40]

def dtypes() -> List[int]:
    return [len(torch.zeros(1, dtype=torch.float64).shape), 1]

class TensorConsts(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.k = torch.tensor([1.0, 2.0])

    def forward(self, x: torch.Tensor):
        return x + self.k + torch.tensor([10.0, 20.0]) + torch.tensor(3)

def make_frozen():
    m = torch.jit.script(TensorConsts().eval())
    return torch.jit.freeze(m)

def make_traced():
    def f(x):
        return x.view(x.size(0), -1) * torch.tensor([2.0]) + torch.arange(2.0)
    class M(torch.nn.Module):
        def forward(self, x):
            y = f(x)
            return y, y.sum(), {"k": y}
    return torch.jit.trace(M(), torch.ones(3, 2), check_trace=False, strict=False)

CASES = [(n, ()) for n in ["small_floats", "big_float_breaks", "specials", "cplx", "ascii_escapes", "carriage_return_breaks", "non_ascii", "long_string", "devices", "empties", "optionals", "nested", "ints", "dtypes"]] + [("big_float_in_op", (torch.ones(1),)), ("long_strings_fmt", (1,)), ("TensorConsts", (torch.ones(2),)), ("make_frozen", (torch.ones(2),)), ("make_traced", (torch.ones(3, 2),))]

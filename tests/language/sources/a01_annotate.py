"""A1 annotation styles: Python 3, mypy comment, per-argument comments, partial, default Tensor, defaults, return
inference, local annotations, torch.jit.annotate"""
import torch
from typing import List, Tuple, Dict, Optional
def py3(a, b: int):
    return a + b

def mypy(a, b):
    # type: (Tensor, int) -> Tensor
    return a + b

def mypy_tuple(x, tup):
    # type: (int, Tuple[Tensor, Tensor]) -> Tensor
    t0, t1 = tup
    return t0 + t1 + x

def mypy_multiline(
    a,  # type: Tensor
    b,  # type: int
    c=2.5,  # type: float
):
    # type: (...) -> Tensor
    return a * b + c

def infer_return(x: int):
    return x, [x], {"k": x}

def explicit_return(x: int) -> Tuple[int, List[int]]:
    return x, [x]

def defaults(x: int, y: int = 4, z: float = 1.5, s: str = "q", b: bool = True, o: Optional[int] = None, t: Tuple[int, int] = (1, 2)) -> str:
    return str(x + y) + str(z) + s + str(b) + str(o is None) + str(t[1])

def local_ann(a: torch.Tensor, f: bool):
    value: Optional[torch.Tensor] = None
    n: int = 3
    xs: List[Tuple[int, float]] = []
    if f:
        value = a
    xs.append((n, 2.0))
    return value, xs

def ann_fn(val: int):
    l = torch.jit.annotate(List[int], [])
    l.append(val)
    d = torch.jit.annotate(Dict[int, str], {})
    d[val] = "v"
    o = torch.jit.annotate(Optional[int], None)
    return l, d, o

def to_list(x: torch.Tensor) -> List[List[float]]:
    r: List[List[float]] = x.tolist()
    return r

def to_list_scalar(x: torch.Tensor) -> int:
    r: int = x.tolist()
    return r

def builtin_generic(l: list[int], d: dict[str, int], t: tuple[int, str]) -> int:
    return l[0] + d["a"] + t[0]

def kwonly(x: int, *, y: int) -> int:
    return x - y

def dtype_arg(x: torch.Tensor, dt: torch.dtype) -> torch.Tensor:
    return x.to(dt)

def number_arg(x: torch.Tensor, dev: torch.device) -> torch.Tensor:
    return x.to(dev)

def bad_tolist(x: torch.Tensor):
    return x.tolist()

def bad_ret(x: int) -> str:
    return x

def bad_mypy_count(a, b):
    # type: (int) -> int
    return a

def bad_kwonly_default(x: int, *, y: int = 2) -> int:
    return x - y

def bad_varargs(*args):
    return 1

def bad_kwargs(**kw):
    return 1

def bad_mutable_default(x: List[int] = [1]):
    return x

def bad_annassign_novalue():
    x: int
    return 1

def bad_callable(f: callable):
    return 1

def bad_set(s: set):
    return 1

def missing_return(x: int) -> int:
    if x > 0:
        return 1

CASES = [("py3", (torch.ones(2), 100)), ("mypy", (torch.ones(2), 5)), ("mypy_tuple", (3, (torch.ones(1), torch.ones(1)))), ("mypy_multiline", (torch.ones(1), 3)), ("mypy_multiline", (torch.ones(1), 3, 0.5)),
 ("infer_return", (3,)), ("explicit_return", (3,)), ("defaults", (1,)), ("defaults", (1, 2), {"s": "zz", "o": 5}), ("local_ann", (torch.ones(1), True)), ("ann_fn", (3,)), ("to_list", (torch.ones(2, 2),)), ("to_list_scalar", (torch.tensor(4),)),
 ("builtin_generic", ([1], {"a": 2}, (3, "x"))), ("kwonly", (5,), {"y": 3}), ("dtype_arg", (torch.ones(1), torch.int32)), ("number_arg", (torch.ones(1), torch.device("cpu"))), ("py3", (torch.ones(2), "x")), ("py3", (1, 2)), ("explicit_return", ()), ("explicit_return", (1, 2))]
BAD = [("bad_tolist", "Expected type hint for result of tolist()"), ("bad_ret", "Return value was annotated as having type str but is actually of type int"),
 ("bad_mypy_count", "Number of type annotations (1) did not match the number of function parameters (2)"), ("bad_kwonly_default", "Compiled functions can't take variable number of arguments or use keyword-only arguments with defaults"),
 ("bad_varargs", "Compiled functions can't take variable number of arguments"), ("bad_kwargs", "Compiled functions can't take variable number of arguments"), ("bad_mutable_default", "Mutable default parameters are not supported"),
 ("bad_annassign_novalue", "without assigned value"), ("bad_callable", "Unknown type name"), ("bad_set", "Unknown type name 'set'"),
 ("missing_return", "does not return along all paths")]

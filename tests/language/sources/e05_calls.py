"""E5 calls: positional, keyword, defaults, nested, recursion between functions, methods, kwargs-only aten
arguments, out=, star args rejected, function values"""
import torch
import torch.nn.functional as F
from typing import List, Tuple, Optional
def base(a: int, b: int = 2, c: float = 0.5) -> float:
    return a * 100 + b * 10 + c

def variants() -> List[float]:
    return [base(1), base(1, 3), base(1, c=1.5), base(a=4, b=5), base(b=1, a=2), base(1, 2, 3.0)]

def torch_kw(x: torch.Tensor):
    return torch.sum(x, dim=0), torch.sum(x, dim=[0, 1]), x.sum(dim=1, keepdim=True), torch.zeros(2, 3), torch.zeros([2]), torch.ones((1, 2), dtype=torch.int32), torch.add(x, x, alpha=2), torch.full((2,), 7)

def scalar_defaults(x: torch.Tensor):
    return x.add(1), x.sub(1, alpha=3), x.clamp(min=1.0), x.clamp(max=2), x.clamp(1, 2), torch.clamp(x, 0.5)

def int_as_list(x: torch.Tensor):
    return x.sum(0), x.permute(1, 0), x.view(-1), x.view(3, 2), x.reshape(6, 1), x.expand(2, 2, 3), x.repeat(1, 2), F.max_pool2d(x[None], 2)

def method_chain(x: torch.Tensor):
    return x.relu().sum().item()

def out_arg(x: torch.Tensor):
    y = torch.zeros(2, 3)
    torch.add(x, 1, out=y)
    return y

def implicit_num(x: torch.Tensor) -> Tuple[int, float]:
    i: int = int(x[0])
    return i, float(x[1])

def implicit_tensor_to_int(x: torch.Tensor) -> List[int]:
    l = [0, 0]
    return l[: x.size(0) - 1]

def tensor_to_float_arg(x: torch.Tensor) -> float:
    return needs_float(x)

def needs_float(f: float) -> float:
    return f * 2

def int_to_float_arg(i: int) -> float:
    return needs_float(float(i))

def func_value(x: torch.Tensor):
    f = torch.sigmoid
    g = base
    return f(x), g(1)

def tuple_to_list_arg(x: torch.Tensor):
    t = (1, 6)
    return x.view(t)

def multi_ret(x: torch.Tensor):
    v, i = torch.max(x, 1)
    r = torch.max(x, 1)
    q = torch.topk(x, 1)
    return v, i, r[0], r[1], q.values, q.indices

def unused_result(l: List[int]):
    l.append(3)
    len(l)
    "docstring-like"
    l
    return l

def bad_missing():
    return base()

def bad_extra():
    return base(1, 2, 3.0, 4)

def bad_unknown_kw():
    return base(1, zz=3)

def bad_dup():
    return base(1, a=2)

def bad_star(l: List[int]):
    return torch.zeros(*l)

def bad_kwstar():
    return base(**{"a": 1})

def bad_int_for_float():
    return needs_float(3)

def bad_undefined_fn(x: int):
    return no_such_function(x)

def bad_no_overload(x: torch.Tensor):
    return torch.add(x, "a")

def bad_no_such_op(x: torch.Tensor):
    return torch.no_such_op_here(x)

def bad_no_such_method(x: torch.Tensor):
    return x.no_such_method()

def bad_not_callable(x: int):
    return x(3)

X = torch.tensor([[1., 5., 2.], [4., 0., 3.]])
CASES = [("variants", ()), ("torch_kw", (X,)), ("scalar_defaults", (X,)), ("int_as_list", (X,)), ("method_chain", (X,)), ("out_arg", (X,)), ("implicit_num", (torch.tensor([3, 4]),)), ("implicit_tensor_to_int", (X,)), ("tensor_to_float_arg", (torch.tensor(1.5),)), ("tensor_to_float_arg", (torch.tensor([1.5, 2.]),)), ("int_to_float_arg", (3,)), ("func_value", (torch.zeros(1),)), ("tuple_to_list_arg", (X,)), ("multi_ret", (X,)), ("unused_result", ([1],))]
BAD = [("bad_missing", "Argument a not provided"), ("bad_extra", "Expected at most 3 arguments but found 4 positional arguments"), ("bad_unknown_kw", "Keyword argument zz unknown"), ("bad_dup", "specified twice"), ("bad_kwstar", "keyword-arg expansion is not supported"),
 ("bad_int_for_float", "Expected a value of type 'float' for argument 'f' but instead found type 'int'"), ("bad_undefined_fn", "undefined value no_such_function"), ("bad_no_overload", "Arguments for call are not valid"), ("bad_no_such_op", "no_such_op_here"), ("bad_no_such_method", "'Tensor' object has no attribute or method 'no_such_method'"), ("bad_not_callable", "cannot call a value of type 'int'"), ("bad_star", "")]

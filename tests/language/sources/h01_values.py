"""H1 Python value resolution: module constants, functions of other modules, closed-over values, tensor attributes,
dtype/device/layout constants, wrappers, name match"""
import torch
import math
import torch.nn.functional as F
from typing import List, Tuple
K_FLOAT: float = 2.5

def helper(x: int) -> int:
    return x * 3

def outer_call(x: int) -> int:
    return helper(x) + helper(helper(x))

def math_consts() -> Tuple[float, float, float]:
    return math.pi, math.e, math.inf

def torch_consts(x: torch.Tensor):
    return x.to(torch.float16), x.to(dtype=torch.int64), x.to(torch.double), x.to(torch.bool), torch.zeros(1, dtype=torch.uint8), torch.pi if False else 1.0

def functional(x: torch.Tensor):
    return F.relu(x), F.softmax(x, dim=-1), F.pad(x, [1, 1]), F.dropout(x, 0.5, False), F.linear(x, torch.ones(2, 3)), F.max_pool2d(x[None], 1), F.leaky_relu(x, 0.1), F.gelu(x), F.layer_norm(x, [3]), F.normalize(x, dim=1)

def tensor_attrs(x: torch.Tensor):
    return x.shape, x.dtype, x.device, x.ndim, x.requires_grad, x.is_cuda, x.T, x.layout, x.is_sparse, x.is_quantized, x.names if False else 1

def tensor_props(x: torch.Tensor):
    return x.size(), x.size(0), x.dim(), x.numel(), x.stride(), x.is_contiguous(), x.element_size(), x.is_floating_point(), x.storage_offset()

def shape_arith(x: torch.Tensor) -> Tuple[int, int, List[int]]:
    b, c = x.shape
    n = x.shape[0] * x.shape[-1]
    return b + c, n, x.shape[1:]

def device_str(x: torch.Tensor):
    d = torch.device("cpu")
    e = torch.device("cuda:1")
    return d, e.type, e.index, d.index, x.to("cpu"), x.device == d, x.to(d, torch.float64)

def dtype_promote(x: torch.Tensor):
    return x + 1, x + 1.5, torch.tensor([1, 2]) / 2

def factory(n: int):
    return torch.zeros(n), torch.ones(n, 2), torch.full([n], 1.5), torch.arange(n), torch.arange(1, n), torch.arange(0.0, 1.0, 0.25), torch.eye(n), torch.linspace(0, 1, n), torch.empty([0]), torch.zeros([n], dtype=torch.bool)

def tensor_ctor(i: int, f: float, l: List[int]):
    return torch.tensor(i), torch.tensor(f), torch.tensor(l), torch.tensor([[1., 2.], [3., f]]), torch.tensor([True, False]), torch.tensor([i, i], dtype=torch.float32), torch.tensor(f, dtype=torch.float64), torch.tensor([], dtype=torch.float32)

def like(x: torch.Tensor):
    return torch.zeros_like(x), torch.ones_like(x, dtype=torch.int32), torch.full_like(x, 3), x.new_zeros([2]), x.new_ones(1), x.new_full([1], 4.0), x.clone(), x.detach(), torch.empty_like(x).shape

def torch_fn_alias(x: torch.Tensor):
    return torch.cat([x, x]), torch.concat([x, x], dim=1), torch.stack([x, x]), torch.where(x > 1, x, -x), torch.split(x, 1), torch.chunk(x, 2), torch.unbind(x), torch.matmul(x, x.t()), torch.einsum("ij,kj->ik", x, x)

def inplace(x: torch.Tensor):
    x.add_(1).mul_(2)
    x.clamp_(max=5)
    x.zero_() if False else x.relu_()
    y = x.view(-1)
    y[0] = 100
    return x, y

def item_types(x: torch.Tensor):
    return x.item(), x[0].item() if False else 1

def bad_closure_int(x: torch.Tensor):
    return x + GLOB

GLOB = 3

def bad_closure_list(x: int):
    return LISTG[0] + x

LISTG = [1, 2]

def bad_module_attr():
    return math.nothing_here

def bad_py_obj(x: int):
    return OBJ

OBJ = object()

X = torch.tensor([[1., 2., 3.], [4., 5., 6.]])
CASES = [("outer_call", (2,)), ("math_consts", ()), ("torch_consts", (torch.tensor([1.5, 0.0]),)), ("functional", (X,)), ("tensor_attrs", (X,)), ("tensor_props", (X,)), ("tensor_props", (X.t(),)), ("shape_arith", (X,)), ("device_str", (X,)), ("dtype_promote", (torch.tensor([1, 2]),)), ("factory", (3,)), ("tensor_ctor", (3, 2.5, [1, 2])), ("like", (X,)), ("torch_fn_alias", (X,)), ("inplace", (X,)), ("item_types", (torch.tensor(4),)), ("item_types", (torch.tensor(4.5),)), ("item_types", (torch.ones(2),))]
BAD = [("bad_closure_int", "python value of type 'int' cannot be used as a value"), ("bad_closure_list", "python value of type 'list' cannot be used as a value"), ("bad_module_attr", "nothing_here"), ("bad_py_obj", "python value of type 'object' cannot be used as a value")]

"""E4 tensor indexing and slicing: ints, negative, slices with step, None, ellipsis, bool mask, index tensor, lists,
assignments, aug-assign, multi-dim"""
import torch
from typing import List
def ints(x: torch.Tensor):
    return x[0], x[-1], x[0, 1], x[1][2], x[-1, -1]

def slices(x: torch.Tensor):
    return x[0:2], x[1:], x[:1], x[:], x[::2], x[:, 1:], x[1:, :2], x[-2:, -1:]

def mixed(x: torch.Tensor, i: int, j: int):
    return x[i:j, i], x[i, j:], x[..., 0], x[0, ...], x[None], x[:, None], x[None, 0, None, 1:]

def dyn(x: torch.Tensor, i: int):
    return x[i], x[i:], x[:-i]

def advanced(x: torch.Tensor, m: torch.Tensor):
    return x[m], x[:, m], x[m, m], x[[0, 1]], x[[1]], x[m > 0]

def mask(x: torch.Tensor):
    return x[x > 2]

def mask_bool_list(x: torch.Tensor):
    return x[[True, False]]

def set_scalar(x: torch.Tensor):
    x[0] = 9
    x[1, 2] = -1.5
    x[0, 0:2] = 4
    return x

def set_tensor(x: torch.Tensor, y: torch.Tensor):
    x[0] = y
    x[:, 1] = x[:, 0]
    x[..., 2] = 7
    return x

def set_mask(x: torch.Tensor):
    x[x > 2] = 0
    return x

def set_index(x: torch.Tensor, i: torch.Tensor):
    x[i] = 5.0
    return x

def aug(x: torch.Tensor):
    x[0] += 1
    x[:, 1] *= 2
    x[0, 0] -= 3
    return x

def view_alias(x: torch.Tensor):
    y = x[0]
    y += 100
    return x

def str_index(s: str):
    return s[0], s[-1], s[1:3], s[::-1], s[:2], s[2:]

def list_expr(ll: List[List[int]]):
    return ll[1][0], ll[-1][-1]

def oob(x: torch.Tensor):
    return x[5]

def too_many(x: torch.Tensor):
    return x[0, 0, 0]

def str_oob(s: str):
    return s[10]

def bad_ellipsis_only(x: torch.Tensor):
    return x[...]

def bad_ellipsis_tensor(x: torch.Tensor, m: torch.Tensor):
    return x[..., m]

def bad_str_key(x: torch.Tensor):
    return x["a"]

def bad_multi_list(l: List[int]):
    return l[0, 1]

def bad_two_ellipsis(x: torch.Tensor):
    return x[..., 0, ...]

X = torch.arange(6.0).view(2, 3)
CASES = [("ints", (X,)), ("slices", (X,)), ("mixed", (X, 0, 1)), ("dyn", (X, 1)), ("advanced", (X, torch.tensor([1, 0]))), ("mask", (X,)), ("mask_bool_list", (X,)), ("set_scalar", (X,)), ("set_tensor", (X, torch.tensor([7., 8., 9.]))), ("set_mask", (X,)), ("set_index", (X, torch.tensor([1]))), ("aug", (X,)), ("view_alias", (X,)),
 ("str_index", ("hello",)), ("list_expr", ([[1], [2, 3]],)), ("oob", (X,)), ("too_many", (X,)), ("str_oob", ("abc",))]
BAD = [("bad_ellipsis_only", "Cannot emit expr for"), ("bad_ellipsis_tensor", "Ellipses followed by tensor indexing is currently not supported"), ("bad_str_key", "Only ints, slices, lists and tensors are supported"), ("bad_multi_list", "attempted to use multidimensional indexing on a non-tensor type"), ("bad_two_ellipsis", "An index can only have a single ellipsis")]

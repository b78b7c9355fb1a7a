"""R1 runtime errors with their texts: index, key, assertion, empty list ops, conversions, shape errors, stack
overflow-free recursion depth, division, unwrap None, wrong argument types at the call boundary"""
import torch
from typing import List, Dict, Optional, Tuple, Any
def list_index(l: List[int], i: int) -> int:
    return l[i]

def list_pop(l: List[int]) -> int:
    return l.pop()

def list_pop_at(l: List[int], i: int) -> int:
    return l.pop(i)

def list_remove(l: List[int], v: int) -> List[int]:
    l.remove(v)
    return l

def list_find(l: List[int], v: int) -> int:
    return l.index(v)

def list_del(l: List[int], i: int) -> List[int]:
    del l[i]
    return l

def list_set(l: List[int], i: int) -> List[int]:
    l[i] = 1
    return l

def list_insert(l: List[int], i: int) -> List[int]:
    l.insert(i, 7)
    return l

def dict_get(d: Dict[str, int], k: str) -> int:
    return d[k]

def dict_get_int(d: Dict[int, int], k: int) -> int:
    return d[k]

def dict_pop(d: Dict[str, int], k: str) -> int:
    return d.pop(k)

def dict_popitem(d: Dict[str, int]) -> Tuple[str, int]:
    return d.popitem()

def dict_del(d: Dict[str, int], k: str) -> Dict[str, int]:
    del d[k]
    return d

def str_at(s: str, i: int) -> str:
    return s[i]

def str_to_int(s: str) -> int:
    return int(s)

def str_to_float(s: str) -> float:
    return float(s)

def str_chr(i: int) -> str:
    return chr(i)

def str_ord(s: str) -> int:
    return ord(s)

def unpack_list(l: List[int]) -> int:
    a, b = l
    return a + b

def fdiv(a: float, b: float) -> float:
    return a / b

def ffloordiv(a: float, b: float) -> float:
    return a // b

def idiv(a: int, b: int) -> int:
    return a // b

def min_empty(l: List[int]) -> int:
    return min(l)

def unwrap(x: Optional[int]) -> int:
    return torch.jit._unwrap_optional(x)

def tensor_bool(x: torch.Tensor) -> int:
    if x:
        return 1
    return 0

def tensor_item(x: torch.Tensor) -> float:
    return float(x)

def tensor_tolist(x: torch.Tensor) -> List[int]:
    r: List[int] = x.tolist()
    return r

def matmul(x: torch.Tensor, y: torch.Tensor):
    return x @ y

def add(x: torch.Tensor, y: torch.Tensor):
    return x + y

def view(x: torch.Tensor):
    return x.view(5)

def cat(ts: List[torch.Tensor]):
    return torch.cat(ts)

def select(x: torch.Tensor, i: int):
    return x[i]

def deep(n: int) -> int:
    return level1(n) + 1

def level1(n: int) -> int:
    return level2(n) * 2

def level2(n: int) -> int:
    l = [1, 2]
    return l[n]

def any_cast(x: Any) -> int:
    assert isinstance(x, int)
    return x

def wants_int(x: int) -> int:
    return x

def wants_float(x: float) -> float:
    return x

def wants_list(l: List[int]) -> int:
    return len(l)

def wants_tuple(t: Tuple[int, str]) -> int:
    return t[0]

def wants_dict(d: Dict[str, int]) -> int:
    return len(d)

def wants_tensor(x: torch.Tensor):
    return x

def wants_opt(x: Optional[str]) -> bool:
    return x is None

def fmt_missing(x: int) -> str:
    return "{} {} {}".format(x)

def percent_few(x: int) -> str:
    return "%d %d" % x

def msg_multiline(x: int) -> int:
    if x > 0:
        raise ValueError("first\nsecond")
    return x

def range_step0(n: int) -> int:
    t = 0
    for i in range(0, 3, n):
        t += 1
    return t

CASES = [("list_index", ([1], 5)), ("list_index", ([1], -2)), ("list_index", ([1], -1)), ("list_pop", ([],)), ("list_pop_at", ([1], 3)), ("list_remove", ([1], 2)), ("list_find", ([1], 2)), ("list_del", ([1], 4)), ("list_set", ([1], 4)), ("list_insert", ([1], 100)), ("list_insert", ([1], -100)), ("dict_get", ({"a": 1}, "b")), ("dict_get_int", ({1: 1}, 2)), ("dict_pop", ({"a": 1}, "b")), ("dict_popitem", ({},)), ("dict_del", ({"a": 1}, "b")), ("str_at", ("abc", 3)), ("str_at", ("abc", -4)), ("str_to_int", ("1x",)), ("str_to_int", ("",)), ("str_to_float", ("z",)), ("str_chr", (300,)), ("str_ord", ("",)), ("unpack_list", ([1],)), ("unpack_list", ([1, 2, 3],)),
 ("fdiv", (1.0, 0.0)), ("ffloordiv", (1.0, 0.0)), ("idiv", (1, 0)), ("min_empty", ([],)), ("unwrap", (None,)), ("tensor_bool", (torch.ones(2),)), ("tensor_bool", (torch.ones(0),)), ("tensor_item", (torch.ones(2),)), ("tensor_tolist", (torch.ones(2),)), ("tensor_tolist", (torch.ones(2, 2).long(),)), ("matmul", (torch.ones(2, 3), torch.ones(2, 3))), ("add", (torch.ones(2), torch.ones(3))), ("view", (torch.ones(6),)), ("cat", ([],)), ("cat", ([torch.ones(1, 2), torch.ones(1, 3)],)), ("select", (torch.ones(2), 2)), ("deep", (5,)), ("any_cast", ("s",)),
 ("wants_int", (1.5,)), ("wants_int", (True,)), ("wants_int", ("s",)), ("wants_int", (torch.tensor(3),)), ("wants_int", (None,)), ("wants_float", (3,)), ("wants_list", ([1.5],)), ("wants_list", ((1, 2),)), ("wants_list", ([],)), ("wants_tuple", ((1,),)), ("wants_tuple", ([1, "a"],)), ("wants_dict", ({1: 1},)), ("wants_tensor", (3,)), ("wants_tensor", (None,)), ("wants_opt", (None,)), ("wants_opt", (3,)), ("fmt_missing", (1,)), ("percent_few", (1,)), ("msg_multiline", (1,)), ("range_step0", (0,))]

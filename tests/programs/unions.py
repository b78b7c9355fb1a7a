"""Unions, dataclasses with init-only fields, exceptions."""
from dataclasses import InitVar, dataclass
from typing import Any, Dict, List, Optional, Tuple, Union

import torch
import torch.nn.functional as F
from torch import Tensor


def to_ann() -> Union[int, str]:
    x: Union[int, str] = "foo"
    return x


def to_container() -> None:
    l: List[Union[int, str]] = []
    u1: Union[int, str] = "foo"
    u2: Union[int, str] = 1
    l.append(u1)
    l.append(u2)


def to_container2():
    l: List[Union[int, str]] = [1, "foo", 3]
    l.append("bar")
    return l


def to_tuple():
    t: Tuple[Union[int, str], Union[int, str]] = (1, "foo")
    return t


def to_reassign() -> Union[int, str]:
    x: Union[int, str] = "foo"
    i: int = 1
    s: str = "bar"
    x = i
    x = s
    return x


def to_flat(x: Union[Union[int, str], float]) -> str:
    return "foo"


def to_single(x: Union[int]) -> int:
    return x + 1


def to_opt(flag: bool) -> Tuple[Union[str, int, None], Union[str, int, None]]:
    y: Union[int, str, None] = "foo"
    if flag:
        x: Optional[Union[int, str]] = y
    else:
        x: Optional[Union[int, str]] = "bar"
    return x, y


def to_larger() -> Union[int, str, Tensor]:
    x: Union[int, str] = "foo"
    return x


def to_value():
    x: Dict[str, Union[int, str]] = {}
    x["foo"] = "bar"
    x["baz"] = 2
    return x["baz"]


def to_listcomp():
    x: List[Union[str, float]] = [1.5, "a"]
    y: List[Optional[int]] = [1, None]
    z: Union[List[int], Dict[str, int]] = [1, 2]
    w: Union[List[int], Dict[str, int]] = {"a": 1}
    v: Union[List[int], Tuple[int, int]] = [i for i in range(3)]
    return x, y, z, w, v


def to_refine_in(x: Union[List[int], int, str]) -> int:
    if isinstance(x, list):
        return len(x)
    if isinstance(x, (int, str)):
        if isinstance(x, int):
            return x
        return len(x)
    return -1


def to_refine_assert(x: Union[str, Tensor, None]) -> int:
    assert x is not None
    assert not isinstance(x, str), "str"
    return x.size(0)


def to_refine_tern(x: Union[int, str]) -> str:
    return x if isinstance(x, str) else str(x + 1)


def to_refine_loop(xs: List[Union[int, str, List[int]]]) -> Tuple[int, str]:
    n = 0
    s = ""
    for x in xs:
        if isinstance(x, int):
            n += x
        elif isinstance(x, str):
            s += x
        else:
            n += sum(x)
    return n, s


def to_isinst_neg(x: Union[int, float]):
    if not isinstance(x, float):
        y = x + 1
    else:
        y = int(x)
    return y


def to_isinst_wrong(x: Union[int, float]):
    if isinstance(x, str):
        return x + 1
    return 0


def to_toany(x: Union[int, str]) -> Any:
    return x


def u_param(x: Union[int, str] = 3) -> str:
    return str(x)


def to_paramc():
    return u_param(), u_param("a"), u_param(5)


class UC:
    def __init__(self, x: Union[int, str]) -> None:
        self.x = x

    def get(self) -> str:
        x = self.x
        if isinstance(x, int):
            return "int"
        return x

    def put(self, v: Union[int, str]) -> None:
        self.x = v


def to_class(x: Union[int, str]):
    c = UC(x)
    a = c.get()
    c.put("new")
    c.x = 5 if a == "int" else 6
    return a, c.get()


@torch.jit.script
@dataclass(order=True)
class Point2:
    x: float
    y: float
    norm_p: InitVar[int] = 2
    norm: Optional[Tensor] = None

    def __post_init__(self, norm_p: int):
        self.norm = (torch.tensor(self.x) ** norm_p + torch.tensor(self.y) ** norm_p) ** (1 / norm_p)


def to_initvar(x: float, y: float, p: int):
    pt = Point2(x, y, p)
    return pt.norm


@torch.jit.script
@dataclass
class CustomEq:
    a: int
    b: int

    def __eq__(self, other: "CustomEq") -> bool:
        return self.a == other.a


def to_eq(a: int):
    return CustomEq(a, 1) == CustomEq(a, 2), CustomEq(a, 1) == CustomEq(a + 1, 1)


def to_untyped(cond):
    if bool(cond):
        raise ValueError(3)
    return 1


def to_tup():
    raise RuntimeError("hello", "goodbye")


def to_nomsg():
    raise RuntimeError


def to_escape():
    if 1 == 1:
        a = 1
    else:
        if 1 == 1:
            raise Exception("Hi")
        else:
            raise Exception("Hi")
    return a


def to_always():
    # type: () -> Tensor
    raise Exception("Hi")


def to_size():
    return torch.Size([1, 2])


def to_nnf(x: Tensor):
    return F.relu(x, inplace=True), F.dropout(x, 0.5, False), F.softmax(x, 0), F.normalize(x.unsqueeze(0), dim=1), F.pad(x, [1, 1]), F.one_hot(torch.tensor([1, 0]), 3), F.linear(x, torch.ones(2, 2))


CALLS = {
    "to_ann": [()],
    "to_container": [()],
    "to_container2": [()],
    "to_tuple": [()],
    "to_reassign": [()],
    "to_flat": [(1,)],
    "to_single": [(1,)],
    "to_opt": [(True,), (False,)],
    "to_larger": [()],
    "to_value": [()],
    "to_listcomp": [()],
    "to_refine_in": [([1],), (5,), ('abc',)],
    "to_refine_assert": [(torch.tensor([0.5, -1.5]),), ('a',), (None,)],
    "to_refine_tern": [(1,), ('a',)],
    "to_refine_loop": [([1, 'a', [2, 3]],)],
    "to_isinst_neg": [(1,), (2.5,)],
    "to_isinst_wrong": [(1,)],
    "to_toany": [(1,)],
    "to_paramc": [()],
    "to_class": [(1,), ('a',)],
    "to_initvar": [(1.0, 2.0, 3)],
    "to_eq": [(1,)],
    "to_untyped": [(torch.tensor(0),), (torch.tensor(1),)],
    "to_tup": [()],
    "to_nomsg": [()],
    "to_escape": [()],
    "to_always": [()],
    "to_size": [()],
    "to_nnf": [(torch.tensor([0.5, -1.5]),)],
}

"""Calls: conversions, overloads, functions that stay in Python, objects in containers, types that branches agree on."""
import enum
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.types import Number


def base(a: int, b: int = 2, c: float = 0.5) -> float:
    return a + b + c


def with_tensor_for_int(t: Tensor):
    return base(t)


def with_tensor_for_float(t: Tensor):
    return base(1, 2, t)


def converted_defaults(a: bool = 1, b: bool = 0.0, c: Optional[bool] = 2, d: List[float] = (1, 2.5), e: List[List[int]] = ((1,), ()),
                       f: Tuple[bool, List[bool]] = (0, (1, False)), g: Optional[List[str]] = ("a", "b")):
    return a, b, c, d, e, f, g


def with_converted_defaults():
    return converted_defaults()


def with_kw():
    return base(c=1.5, a=1)


def with_pos_after_kw():
    return base(b=1, a=3)


def f_list(l: List[int]) -> int:
    return len(l)


def f_lf(l: List[float]) -> int:
    return len(l)


def f_tup(t: Tuple[int, float]) -> int:
    return t[0]


def f_opt(o: Optional[List[int]]) -> int:
    return 0 if o is None else len(o)


def f_any(a: Any) -> int:
    return 1


def f_union(u: Union[int, str]) -> int:
    return 1


def f_dict(d: Dict[str, int]) -> int:
    return len(d)


def f_device(d: torch.device) -> str:
    return str(d)


def f_opt_t(t: Optional[Tensor] = None) -> bool:
    return t is None


def f_lt(l: List[Tensor]) -> int:
    return len(l)


def f_lo(l: List[Optional[int]]) -> int:
    return len(l)


def f_named(l: List[Tuple[str, int]]) -> int:
    return len(l)


def with_tuple_to_list():
    return f_list((1, 2, 3))


def with_empty():
    return f_list([]), f_lf([]), f_opt([]), f_dict({}) if False else 0, f_lt([]), f_opt(None)


def with_tup_ok():
    return f_tup((1, 2.0))


def with_any():
    return f_any(1) + f_any("a") + f_any([1]) + f_any(None) + f_any((1, "a"))


def with_union():
    return f_union(1) + f_union("a")


def with_device():
    return f_device("cpu"), f_device(torch.device("cpu"))


def with_opt_t(t: Tensor):
    return f_opt_t(t), f_opt_t(), f_opt_t(None)


def with_lo(l: List[int]):
    return f_lo([1, None])


def with_named():
    return f_named([("a", 1)])


def with_list_t(t: Tensor):
    return f_lt([t, t]), f_lt((t, t))


def with_star_mid(t: Tuple[int, int]):
    return base(*t, 1.5)


class K:
    def __init__(self, a: int, b: str = "x"):
        self.a = a
        self.b = b

    def m(self, x: int, y: int = 3) -> int: return self.a + x + y

    def n(self) -> "K": return K(self.a + 1, self.b)


def with_ctor():
    return K(1).b + K(2, "z").b + K(b="q", a=3).b


def with_meth():
    return K(1).m(2), K(1).m(2, 4), K(1).m(y=1, x=2), K(1).n().n().a


def with_meth_val():
    k = K(1)
    f = k.m
    return f(3)


def with_list_objs():
    return [K(i).a for i in range(3)], len([K(1), K(2)])


def with_dict_objs():
    d = {"a": K(1)}
    d["b"] = K(5)
    d["a"].a = 9
    return d["a"].a + d["b"].a


def with_opt_obj(x: int):
    k: Optional[K] = None
    if x > 0:
        k = K(x)
    if k is not None:
        return k.a
    return -1


def with_tup_obj():
    t = (K(1), 2)
    return t[0].a


def with_obj_print():
    k = K(1)
    return k is k


def with_ifscope(x: int):
    if x > 0:
        k = K(1)
    else:
        k = K(2)
    return k.a


def with_loopscope(x: int):
    k = K(0)
    for i in range(x):
        k = K(k.a + i)
    return k.a


def with_looplist2(x: int):
    a: List[int] = []
    for i in range(x):
        a = a + [i]
    return a


def with_emptylist_ret():
    return []


def with_emptydict_ret():
    return {}


def with_emptytuple():
    return ()


def with_unify2(x: int):
    if x > 0:
        return (1, 2.5)
    return (1, None)


def with_unify4(x: int) -> Union[int, float]:
    if x > 0:
        return 1
    return 2.5


def with_unify5(x: int):
    l = [1, 2.5]
    return l


def with_unify6(x: int):
    l = [1, None]
    return l


def with_unify7(x: int):
    l = [[1], [None]]
    return l


def with_unify8(x: int):
    l = [(1, "a"), (2, None)]
    return l


def with_unify9(x: int):
    d = {"a": 1, "b": None}
    return d


def with_unify10(x: int):
    d = {"a": 1, "b": "x"}
    return len(d)


def with_optassign(x: int):
    y: Optional[int] = x
    y = None
    y = 3
    return y


def with_floordivt(t: Tensor):
    return t // 2, t % 2, 2 - t, 2 / t, 2 ** t, -t, t ** 2, t == 2, t != t, t < 1.5, 3 * t, t & 1 if False else 0


def with_powneg(a: int):
    return 2 ** -1, 2 ** a, (-2) ** 2, 2.0 ** 0.5


def with_jitisinst(x: Any) -> int:
    if torch.jit.isinstance(x, List[Tuple[int, str]]):
        return x[0][0]
    elif torch.jit.isinstance(x, Dict[str, List[int]]):
        return x["a"][0]
    elif torch.jit.isinstance(x, Tuple[int, int]):
        return x[0] + x[1]
    return -1


def with_annot():
    a = torch.jit.annotate(Optional[int], None)
    b = torch.jit.annotate(List[Tuple[int, str]], [])
    c = torch.jit.annotate(Dict[str, List[int]], {})
    d = torch.jit.annotate(float, 2.0)
    e = torch.jit.annotate(Optional[List[int]], [1])
    f = torch.jit.annotate(Union[int, str], 3)
    b.append((1, "a"))
    c["x"] = [1]
    return a, b, c, d, e


def with_annot_t(t: Tensor):
    return torch.jit.annotate(int, t), torch.jit.annotate(float, t)


def with_annot_opt(x: int):
    y = torch.jit.annotate(Optional[int], x)
    if y is not None:
        return y + 1
    return 0


def with_unwrap(x: Optional[List[int]]):
    return torch.jit._unwrap_optional(x)[0]


@torch.jit.unused
def unused_fn(x: int) -> int:
    return foo_not_there(x)


def with_unused(x: int):
    if x > 10:
        return unused_fn(x)
    return x


@torch.jit._overload
def over(x: int) -> int:
    pass


@torch.jit._overload
def over(x: str) -> str:
    pass


def over(x):
    return x


def with_over():
    return over(1), over("a")


@torch.jit.script_if_tracing
def sit(x: int) -> int: return x + 1


def with_sit():
    return sit(2)


@torch.jit.export
def exported(x: int) -> int: return x


def with_exported():
    return exported(1)


def deco(f):
    return f


@deco
def decorated(a: int) -> int: return a + 1


def with_deco():
    return decorated(1)


def with_boolean_dispatch(t: Tensor):
    return F.max_pool1d(t, 2, return_indices=True), F.max_pool1d(t, 2)


def with_out(t: Tensor):
    o = torch.zeros(2)
    torch.add(t, t, out=o)
    return o


def with_size(t: Tensor):
    b, c = t.shape
    s = t.size()
    h, w = t.size()[-2:]
    return b * c, s[0], h, w, t.shape[0], list(t.shape), t.shape == s, len(t.shape), t.view(-1, t.shape[1]).shape


def with_minmax(t: Tensor):
    v, i = t.max(dim=1)
    r = torch.max(t, 1)
    return v, i, r.values, r.indices, r[0], t.max(), torch.max(t, t)


def with_topk(t: Tensor):
    a = torch.topk(t, 1)
    return a.values, a[1]


def with_chunk(t: Tensor):
    a, b = torch.chunk(t, 2)
    c, d = t.split(1)
    e = t.unbind(0)
    return a, b, c, d, e[0]


def with_dtype_cmp(t: Tensor):
    return t.dtype == torch.float32, t.device.type, t.device == torch.device("cpu"), t.is_floating_point()


def with_raise_if(t: Tensor):
    if t.dim() != 2:
        raise ValueError(f"Expected 2D, got {t.dim()}D {list(t.shape)}")
    return t


def with_fmt_t(t: Tensor):
    return "{} {}".format(t.shape, t.dtype), f"{t.size(0)}", str(t.shape), "%s" % str(t.size())


def with_print_t(t: Tensor):
    print(t, t.shape, t.sum().item())
    return 0


class Two(NamedTuple):
    a: int
    b: float


class Shade(enum.Enum):
    DARK = 1
    LIGHT = 2


def numbers_of_others(a: int = torch.tensor(2.5), b: float = torch.tensor([3]), c: bool = None, d: bool = torch.tensor(0),
                      e: Optional[bool] = torch.tensor(7), f: complex = torch.tensor(2), g: Optional[int] = None):
    return a, b, c, d, e, f, g


def complex_defaults(a: complex = (1 + 2j), b: complex = -2j, c: Optional[complex] = 1.5 - 0.5j, d: List[complex] = (1, 2.5)):
    return a, b, c, d


def sequence_defaults(a: List[int] = range(3), b: List[float] = torch.Size([1, 2]), c: List[bool] = (1, None), d: List[int] = (torch.tensor(1), 2),
                      e: Tuple[int, int] = torch.Size([3, 4]), f: Tuple[int, int] = (torch.float32, 1), g: List[Optional[int]] = (torch.int8, None)):
    return a, b, c, d, e, f, g


def named_defaults(a: Two = (1, 2), b: Shade = Shade.LIGHT, c: Any = (Shade.DARK, 1)):
    return a, b, c


def layout_defaults(a: int = torch.channels_last, b: Optional[int] = torch.strided, c: int = torch.preserve_format):
    return a, b, c


def truth_defaults(a: bool = 1j, b: bool = range(3), c: bool = range(0), d: Optional[bool] = 0j):
    return a, b, c, d


def instance_defaults(a: Two = Two(1, 2.5), b: Tuple[int, float] = Two(3, 4.5), c: List[float] = Two(5, 6.0)):
    return a, b, c


def any_number_defaults(a: Number = 2, b: Number = 1.5, c: Number = True):
    return a, b, c


def with_other_defaults():
    return instance_defaults(), any_number_defaults()


def with_more_defaults():
    return numbers_of_others(), complex_defaults(), sequence_defaults(), named_defaults(), layout_defaults(), truth_defaults()


CALLS = {
    "with_tensor_for_int": [(torch.tensor(3),), (torch.tensor(3.5),), (torch.tensor([[1.0, 2.0], [3.0, 5.0]]),)],
    "with_tensor_for_float": [(torch.tensor(3.5),)],
    "with_kw": [()],
    "with_pos_after_kw": [()],
    "with_tuple_to_list": [()],
    "with_empty": [()],
    "with_tup_ok": [()],
    "with_any": [()],
    "with_union": [()],
    "with_device": [()],
    "with_opt_t": [(torch.tensor([[1.0, 2.0], [3.0, 5.0]]),)],
    "with_lo": [([1],)],
    "with_named": [()],
    "with_list_t": [(torch.tensor([[1.0, 2.0], [3.0, 5.0]]),)],
    "with_star_mid": [((1, 2),)],
    "with_ctor": [()],
    "with_meth": [()],
    "with_meth_val": [()],
    "with_list_objs": [()],
    "with_dict_objs": [()],
    "with_opt_obj": [(1,), (0,), (3,)],
    "with_tup_obj": [()],
    "with_obj_print": [()],
    "with_ifscope": [(1,), (0,), (3,)],
    "with_loopscope": [(1,), (0,), (3,)],
    "with_looplist2": [(1,), (0,), (3,)],
    "with_emptylist_ret": [()],
    "with_emptydict_ret": [()],
    "with_emptytuple": [()],
    "with_unify2": [(1,), (0,), (3,)],
    "with_unify4": [(1,), (0,), (3,)],
    "with_converted_defaults": [()],
    "with_unify5": [(1,), (0,), (3,)],
    "with_unify6": [(1,), (0,), (3,)],
    "with_unify7": [(1,), (0,), (3,)],
    "with_unify8": [(1,), (0,), (3,)],
    "with_unify9": [(1,), (0,), (3,)],
    "with_unify10": [(1,), (0,), (3,)],
    "with_optassign": [(1,)],
    "with_floordivt": [(torch.tensor([[1.0, 2.0], [3.0, 5.0]]),)],
    "with_powneg": [(1,), (0,), (3,)],
    "with_jitisinst": [([(1, 'a')],), ({'a': [4]},), ((1, 2),), (5,)],
    "with_annot": [()],
    "with_annot_t": [(torch.tensor(2.5),)],
    "with_annot_opt": [(1,), (0,), (3,)],
    "with_unwrap": [([1],), (None,)],
    "with_unused": [(1,), (0,), (3,)],
    "with_over": [()],
    "with_sit": [()],
    "with_exported": [()],
    "with_deco": [()],
    "with_boolean_dispatch": [(torch.tensor([[[1.0, 2.0], [3.0, 5.0]]]),)],
    "with_out": [(torch.tensor([1.0, 2.0]),)],
    "with_size": [(torch.tensor([[1.0, 2.0], [3.0, 5.0]]),)],
    "with_minmax": [(torch.tensor([[1.0, 2.0], [3.0, 5.0]]),)],
    "with_topk": [(torch.tensor([[1.0, 2.0], [3.0, 5.0]]),)],
    "with_chunk": [(torch.tensor([[1.0, 2.0], [3.0, 5.0]]),)],
    "with_dtype_cmp": [(torch.tensor([[1.0, 2.0], [3.0, 5.0]]),)],
    "with_raise_if": [(torch.tensor([[1.0, 2.0], [3.0, 5.0]]),), (torch.tensor([1.0, 2.0]),)],
    "with_fmt_t": [(torch.tensor([[1.0, 2.0], [3.0, 5.0]]),)],
    "with_more_defaults": [()],
    "with_other_defaults": [()],
    "with_print_t": [(torch.tensor([[1.0, 2.0], [3.0, 5.0]]),)],
}

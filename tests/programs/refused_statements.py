"""Assignments, updates, deletions, conditions and with statements that cannot be compiled."""
import math
from typing import Any, Dict, List, Optional, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor


def e_isinst1(x: int):
    return isinstance(x)


def bad_unpack_more(a: Tuple[int, int]):
    x, y, *z, w = a
    return x


def bad_star_only(a: Tuple[int, int, int]):
    *x, = a
    return x


def bad_unpack_nested(a: Tuple[int, Tuple[int, int]]):
    x, (y, z, w) = a
    return x


def bad_unpack_str(a: str):
    x, y = a
    return x


def bad_unpack_dict(a: Dict[str, int]):
    x, y = a
    return x


def bad_unpack_tensor(a: torch.Tensor):
    x, y = a
    return x


def bad_unpack_any(a: Any):
    x, y = a
    return x


def bad_unpack_opt(a: Optional[Tuple[int, int]]):
    x, y = a
    return x


def bad_unpack_fn(a: int):
    x, y = e_isinst1
    return x


def bad_for_attr(a: List[int]):
    for a.x in range(3):
        pass
    return a


def bad_lhs_const(a: int):
    x = a
    (x).y = 3
    return x


def bad_lhs_list(a: List[int]):
    [x, y] = a
    return x


def bad_lhs_list_in_tuple(a: Tuple[int, Tuple[int, int]]):
    x, [y, z] = a
    return x


def bad_del_class(a: int):
    c = Plain(a)
    del c[0]


def bad_del_undefined():
    del qqq


def bad_del_attr(a: int):
    c = Plain(a)
    del c.x


class Plain:
    def __init__(self, x: int):
        self.x = x

    def get(self) -> int:
        return self.x


def bad_aug_class(a: int):
    c = Plain(a)
    c += 1


def bad_aug_class_or(a: int):
    c = Plain(a)
    c |= 1


def bad_aug_sub_slice(a: List[int]):
    a[0:1] += [1]


def bad_aug_sub_multi(a: List[List[int]]):
    a[0, 1] += 1


def bad_aug_tuple(a: Tuple[int, int]):
    a[0] += 1


def bad_aug_str(a: str):
    a[0] += "x"


def bad_sub_tuple(a: Tuple[int, int], i: float):
    return a[i]


def bad_sub_tuple_str(a: Tuple[int, int]):
    return a["x"]


def bad_sub_int(a: int):
    return a[0]


def bad_sub_none():
    x = None
    return x[0]


def bad_sub_opt(a: Optional[List[int]]):
    return a[0]


def bad_sub_class(a: int):
    return Plain(a)[0]


def bad_sub_fn(a: int):
    return bad_sub_int[0]


def bad_sub_list_str(a: List[int]):
    return a["x"]


def bad_sub_dict_wrong(a: Dict[str, int]):
    return a[1]


def bad_sub_str_float(a: str):
    return a[1.5]


def bad_setitem_tuple(a: Tuple[int, int]):
    a[0] = 3


def bad_setitem_str(a: str):
    a[0] = "x"


def bad_setitem_wrong(a: List[int]):
    a[0] = "x"


def bad_setitem_dict_wrong(a: Dict[str, int]):
    a["x"] = "y"


def bad_setitem_class(a: int):
    Plain(a)[0] = 1


def bad_setitem_multi(a: List[int]):
    a[0, 1] = 1


def bad_setitem_tensor_str(a: torch.Tensor):
    a[0] = "x"


def bad_setitem_tensor_list(a: torch.Tensor):
    a[0] = [1, 2]


def bad_bool_none(a: int):
    if None:
        return 1
    return 2


def bad_bool_tuple(a: Tuple[int, int]):
    if a:
        return 1
    return 2


def bad_bool_opt(a: Optional[int]):
    if a:
        return 1
    return 2


def bad_bool_any(a: Any):
    while a:
        pass


def bad_bool_class(a: int):
    if Plain(a):
        return 1
    return 2


def bad_bool_device(a: torch.device):
    assert a
    return 2


def bad_not_opt(a: Optional[int]):
    return not a


def bad_and_str(a: Tuple[int, int], b: int):
    return b and a


def bad_tern(a: int):
    return 1 if a else "x"


def bad_tern2(a: int):
    return [1] if a else ["x"]


def bad_with_int(a: int):
    with a:
        pass


def bad_with_plain(a: int):
    with Plain(a):
        pass


class CM1:
    def __init__(self):
        self.x = 1

    def __enter__(self, y: int):
        pass

    def __exit__(self, a: Any, b: Any, c: Any):
        pass


class CM2:
    def __init__(self):
        self.x = 1

    def __enter__(self):
        pass

    def __exit__(self, a: Any, b: Any):
        pass


class CM3:
    def __init__(self):
        self.x = 1

    def __enter__(self):
        pass

    def __exit__(self, a: Any, b: int, c: Any):
        pass


class CM4:
    def __init__(self):
        self.x = 1

    def __enter__(self) -> Tuple[int, int]:
        return 1, 2

    def __exit__(self, a: Any, b: Any, c: Any):
        pass


def bad_with1():
    with CM1():
        pass


def bad_with2():
    with CM2():
        pass


def bad_with3():
    with CM3():
        pass


def bad_with4():
    with CM4() as (a, b):
        pass
    return a


def bad_with_attr(a: int):
    p = Plain(a)
    with CM4() as p.x:
        pass


def bad_raise_int():
    raise 1


def bad_raise_plain():
    raise Plain(1)


def bad_raise_bare():
    raise


def bad_aug_str(s: str):
    s += "x"
    s *= 2
    return s


def bad_aug_strmod(s: str, n: int):
    s %= n
    return s


def bad_aug_listsub(l: List[int]):
    l -= [1]
    return l


def bad_aug_item_moderr(l: List[int]):
    l[0] %= 3
    return l


def bad_bool(a: int, s: str, l: List[int], f: float, t: Tensor):
    return bool(a), bool(s), bool(f), bool(t), a and f, s or "d" if s else "e", not l, not s, (a or 0) and 1


def bad_cplx(a: complex, b: complex):
    return a + b, a * b, a / b, a ** b, a == b, a.real, a.imag, abs(a), -a, complex(1, 2), complex(1.5)


def bad_inv(a: int):
    return ~a


def bad_stridx(s: str):
    return s[0], s[-1], s[1:], s[:-1], s[::2], s[1:3], len(s), s * 2, "a" in s, s < "b", s == "abc", s + s, s[5:], s[-2:]


def bad_fmtnamed(a: int):
    return "{x}".format(x=a)


def bad_print(a: int, b: float, s: str, l: List[str], d: Dict[str, int], t: Tensor, n: Optional[int], c: complex, bb: bool):
    print(a, b, s, l, d, n, c, bb)
    print()
    print("x", end="") if False else print("y")
    print(t)
    print((a, s), [b], [(a, s)], {1: [s]})


def bad_for_zip(a: List[int], b: List[str], t: Tensor):
    r = ""
    for i, (x, y) in enumerate(zip(a, b)):
        r += y * x + str(i)
    for x, y, z in zip(a, b, t):
        r += str(x) + y + str(int(z))
    for (i, x), y in zip(enumerate(a), b):
        r += str(i)
    return r


def bad_for_var(l: List[int]):
    for x in l:
        y = x
    return y


def bad_if_undef(n: int):
    if n > 1:
        x = 1
    return x


def bad_if_types(n: int):
    if n > 1:
        x = 1
    else:
        x = "a"
    return x


def bad_if_none(n: int):
    x = None
    if n > 1:
        x = 1
    return x


def bad_comp_hetero():
    return [x for x in (1, "a")]


def bad_comp_if(l: List[int]):
    return [x for x in l if x > 1]


def bad_comp_two(l: List[int]):
    return [x + y for x in l for y in l]


def bad_comp_nested_hint():
    x: List[List[int]] = [[] for i in range(3)]
    return x


def takes_l(l: List[int]):
    return len(l)


def takes_di(d: Dict[int, int]):
    return len(d)


def bad_empty_darg():
    return takes_di({})


def bad_mathlog2(x: float):
    return math.log2(x)


def bad_mathtrunc(x: float):
    return math.trunc(x)


def bad_mathisclose(x: float):
    return math.isclose(x, 1.0)


def bad_mathfoo(x: float):
    return math.foo(x)


def bad_del_use():
    b = 5
    del b
    return b


def forked(x: int, y: int) -> int:
    return x * y


def bad_fork_bad(x: int):
    f = torch.jit.fork(forked, x)
    return torch.jit.wait(f)


def bad_false_and(x: int):
    if False and x.foo():
        return 1
    return 2


def bad_swap(a: List[int]):
    a[0], a[1] = a[1], a[0]
    (x, y), z = (1, 2), 3
    [p] = [4] if False else (4,)
    return a, x, y, z


def bad_annot_local(n: int):
    a: int = n
    b: List[Tuple[int, str]] = []
    c: Dict[str, Optional[int]] = {"a": None}
    d: Tuple[int, ...] = (1,) if False else (1,)
    return a, b, c


def bad_reannot_inner(n: int):
    a = n
    if n > 1:
        a: int = 3
    return a


def bad_fnlist(n: int):
    l = [takes_l, takes_l]
    return n


def bad_fndict(n: int):
    return {"a": takes_l}


def bad_kw_bad(t: Tensor):
    return torch.sum(t, foo=0)


def bad_builtin_few(t: Tensor):
    return torch.add(t)


def bad_unknown_op(t: Tensor):
    return torch.foo_bar(t)


def bad_unknown_fop(t: Tensor):
    return F.foo_bar(t)


def bad_unknown_method(t: Tensor):
    return t.foo_bar()


def bad_opsbad(t: Tensor):
    return torch.ops.aten.foo_bar(t)


def bad_num_method(n: int):
    return n.foo()


def bad_str_method(s: str):
    return s.foo()


def bad_list_method(l: List[int]):
    return l.foo()


def bad_dict_method(d: Dict[str, int]):
    return d.foo()


def bad_none_method():
    x = None
    return x.foo()


def bad_opt_method(x: Optional[Tensor]):
    return x.sum()


def bad_call_int(n: int):
    return n()


def bad_call_str():
    return "a"()


def bad_call_list(l: List[int]):
    return l(0)


def bad_loop_variable(n: int):
    x = 1
    for x in range(n):
        x = "s"
    return x


def bad_second_type(n: int):
    x = 1
    while n > 0:
        x = 2
        x = "s"
        n -= 1
    return x


def bad_type_in_branch(n: int):
    x = 1
    if n > 0:
        x = 2
        x = [n]
        print(x)
        x = 3
    return x


REFUSED = ["bad_unpack_more", "bad_star_only", "bad_unpack_nested", "bad_unpack_str", "bad_unpack_dict", "bad_unpack_tensor", "bad_unpack_any", "bad_unpack_opt", "bad_unpack_fn", "bad_for_attr", "bad_lhs_const", "bad_lhs_list", "bad_lhs_list_in_tuple", "bad_del_class", "bad_del_undefined", "bad_del_attr", "bad_aug_class", "bad_aug_class_or", "bad_aug_sub_slice", "bad_aug_sub_multi", "bad_aug_tuple", "bad_aug_str", "bad_sub_tuple", "bad_sub_tuple_str", "bad_sub_int", "bad_sub_none", "bad_sub_opt", "bad_sub_class", "bad_sub_fn", "bad_sub_list_str", "bad_sub_dict_wrong", "bad_sub_str_float", "bad_setitem_tuple", "bad_setitem_str", "bad_setitem_wrong", "bad_setitem_dict_wrong", "bad_setitem_class", "bad_setitem_multi", "bad_setitem_tensor_str", "bad_setitem_tensor_list", "bad_bool_none", "bad_bool_tuple", "bad_bool_opt", "bad_bool_any", "bad_bool_class", "bad_bool_device", "bad_not_opt", "bad_and_str", "bad_tern", "bad_tern2", "bad_with_int", "bad_with_plain", "bad_with1", "bad_with2", "bad_with3", "bad_with4", "bad_with_attr", "bad_raise_int", "bad_raise_plain", "bad_raise_bare", "bad_aug_str", "bad_cplx", "bad_stridx", "bad_for_zip", "bad_swap", "bad_bool", "bad_aug_strmod", "bad_aug_listsub", "bad_aug_item_moderr", "bad_inv", "bad_fmtnamed", "bad_print", "bad_for_var", "bad_if_undef", "bad_if_types", "bad_if_none", "bad_comp_hetero", "bad_comp_if", "bad_comp_two", "bad_comp_nested_hint", "bad_empty_darg", "bad_mathlog2", "bad_mathtrunc", "bad_mathisclose", "bad_mathfoo", "bad_del_use", "bad_fork_bad", "bad_false_and", "bad_annot_local", "bad_reannot_inner", "bad_fnlist", "bad_fndict", "bad_kw_bad", "bad_builtin_few", "bad_unknown_op", "bad_unknown_fop", "bad_unknown_method", "bad_opsbad", "bad_num_method", "bad_str_method", "bad_list_method", "bad_dict_method", "bad_none_method", "bad_opt_method", "bad_call_int", "bad_call_str", "bad_call_list",
           "bad_loop_variable", "bad_second_type", "bad_type_in_branch"]

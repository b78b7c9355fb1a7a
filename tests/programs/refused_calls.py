"""Calls whose arguments do not fit, attributes that do not exist, names that are no values."""
from typing import Any, Dict, List, Optional, Tuple, Union

import torch
import torch.nn.functional as F
from torch import Tensor


def base(a: int, b: int = 2, c: float = 0.5) -> float:
    return a + b + c


def bad_missing():
    return base()


def bad_extra():
    return base(1, 2, 3.0, 4)


def bad_unknown():
    return base(1, d=3)


def bad_dup():
    return base(1, a=2)


def bad_int_for_float():
    return base(1, 2, 3)


def bad_str_for_int():
    return base("x")


def bad_none_for_int():
    return base(None)


def bad_opt_for_int(x: Optional[int]):
    return base(x)


def bad_list_for_int():
    return base([1])


def bad_float_for_int():
    return base(1.5)


def f_list(l: List[int]) -> int:
    return len(l)


def f_lf(l: List[float]) -> int:
    return len(l)


def f_tup(t: Tuple[int, float]) -> int:
    return t[0]


def f_any(a: Any) -> int:
    return 1


def f_union(u: Union[int, str]) -> int:
    return 1


def f_tensor(t: Tensor) -> Tensor:
    return t


def f_scalar(n: int, f: float, b: bool) -> float:
    return n + f + float(b)


def f_lo(l: List[Optional[int]]) -> int:
    return len(l)


def bad_tuple_to_list_bad():
    return f_list((1, "a"))


def bad_list_floats():
    return f_lf([1, 2])


def bad_list_str():
    return f_list(["a"])


def bad_tup_bad():
    return f_tup((1, 2))


def bad_union_bad():
    return f_union(1.5)


def bad_tensor_bad():
    return f_tensor(1)


def bad_tensor_bad2():
    return f_tensor(1.5)


def bad_scalar(t: Tensor):
    return f_scalar(t, t, t)


def bad_lo_bad(l: List[int]):
    return f_lo(l)


def bad_nested():
    return f_list([base(1) > 2, 3])


def bad_star_opt(t: Optional[Tuple[int, int]]):
    return base(*t)


def bad_starany(t: Any):
    return base(*t)


def bad_starint(t: int):
    return base(*t)


def bad_fnarg():
    return f_any(base)


def bad_fnret():
    return base


def bad_cls_ret():
    return K


class K:
    def __init__(self, a: int, b: str = "x"):
        self.a = a
        self.b = b

    def m(self, x: int, y: int = 3) -> int: return self.a + x + y

    def n(self) -> "K": return K(self.a + 1, self.b)


def bad_ctor_missing():
    return K()


def bad_ctor_bad():
    return K("x")


def bad_ctor_kw():
    return K(1, c=2)


def bad_meth_missing():
    return K(1).m()


def bad_meth_bad():
    return K(1).m("a")


def bad_meth_extra():
    return K(1).m(1, 2, 3)


def bad_meth_ret():
    return K(1).m


def bad_attr_call():
    return K(1).a()


def bad_attr_none():
    return K(1).zzz


def bad_attr_set_wrong():
    k = K(1)
    k.a = "x"
    return k.a


def bad_attr_set_new():
    k = K(1)
    k.zzz = 1


def bad_attr_set_opt(x: Optional[int]):
    k = K(1)
    k.a = x


def bad_attr_set_float():
    k = K(1)
    k.a = 1.5


def bad_obj_eq():
    return K(1) == K(1)


def bad_looptype(x: int):
    a = 1
    for i in range(x):
        a = a + 1.5
    return a


def bad_whiletype(x: int):
    a = None
    while x > 0:
        a = x
        x -= 1
    return a


def bad_looplist(x: int):
    a = []
    for i in range(x):
        a.append(i)
    return a


def bad_branchlist2(x: int):
    a = []
    if x > 0:
        a = [1]
    return a


def bad_unify1(x: int):
    if x > 0:
        return [1]
    return [1.5]


def bad_unify3(x: int):
    if x > 0:
        return {"a": 1}
    return {"a": None}


def bad_numtype(x: int):
    y = 1 if x > 0 else 2.5
    return y


def bad_optarith(x: Optional[int]):
    return x + 1


def bad_optidx(x: Optional[List[int]]):
    return x[0]


def bad_optiter(x: Optional[List[int]]):
    for i in x:
        print(i)


def bad_optin(x: Optional[List[int]]):
    return 1 in x


def bad_optcall(x: Optional[K]):
    return x.a


def bad_optattr(x: Optional[Tensor]):
    return x.shape


def bad_noneadd():
    return None + 1


def bad_stradd():
    return "a" + 1


def bad_listadd():
    return [1] + ["a"]


def bad_intstr():
    return 1 < "a"


def bad_divstr():
    return "a" / 2


def bad_negstr():
    return -"a"


def bad_notlist():
    return ~[1]


def bad_shiftf():
    return 1.5 << 2


def bad_matmulint():
    return 1 @ 2


def bad_unused_any(x: int):
    return unused_fn2(x)


@torch.jit.unused
def unused_fn2(x):
    return x


@torch.jit._overload
def over(x: int) -> int:
    pass


@torch.jit._overload
def over(x: str) -> str:
    pass


def over(x):
    return x


def bad_over_bad():
    return over(1.5)


def bad_boolean_dispatch_dyn(t: Tensor, b: bool):
    return F.max_pool1d(t, 2, return_indices=b)


class AnnLater:
    def __init__(self):
        self.x = 1

    def f(self):
        self.x: int = 2


def bad_annlater():
    AnnLater().f()


def bad_dictexp2(a: Dict[str, int]):
    return {"x": 1, **a}


def bad_retundef(x: int) -> Undefd if False else int:
    return x


def bad_delt(a: List[int]):
    b = 1
    c = 2
    del (b, c)
    return a


def bad_dellist(a: List[int]):
    del [a[0]]
    return a


def bad_asserttuple(x: int):
    assert (x, "msg")
    return x


def bad_withopen(x: str):
    with open(x) as f:
        return f


def r_while1(x: int):
    while 1:
        x += 1
        if x > 5:
            break
    return x


def bad_boollit(t: Tensor):
    return t[True]


def bad_floatidx(t: Tensor):
    return t[1.0]


def bad_stridx(t: Tensor):
    return t["a"]


def bad_tupidx(t: Tensor, i: Tuple[int, int]):
    return t[i]


def bad_noneidx(l: List[int]):
    return l[None]


def bad_setattr_tuple(t: Tuple[int, int]):
    t.x = 3


def bad_attr_int(x: int):
    return x.real


def bad_attr_str(x: str):
    return x.foo


def bad_attr_list(x: List[int]):
    return x.shape


def bad_attr_none():
    x = None
    return x.shape


def bad_attr_fn():
    return r_while1.foo


def bad_attr_mod():
    return torch.nn.foo


def bad_attr_mod2():
    return torch.nn.functional


def bad_mod_val():
    return torch


def bad_lambda_def(x: int, f=lambda y: y):
    return x


def bad_unusedvar(x: int):
    _ = x
    a, _ = (1, "a")
    for _ in range(3):
        a += 1
    return a


def bad_param_reassign_if(x: int):
    if x > 1:
        x = str(x)
    return x


def bad_loop_reassign(x: int):
    for i in range(3):
        x = str(x)
    return x


def bad_closure(x: int):
    y = [lambda: x]
    return x


def bad_globals():
    return globals()


def bad_type(x: int):
    return type(x)


def bad_dictget(d: Dict[str, int]):
    return d.get("a", "x")


def bad_dictget2(d: Dict[str, List[int]]):
    return d.get("a", [])


def bad_dictset(d: Dict[str, int]):
    return d.setdefault("a", "x")


def bad_listinsert(l: List[int]): l.insert("a", 1)


def bad_listextend(l: List[int]): l.extend(["a"])


def bad_listextend2(l: List[int]):
    l.extend((1, 2))
    l.extend(range(3))
    return l


def bad_listindex(l: List[int]):
    return l.index("a")


def bad_listpop(l: List[int]):
    return l.pop("a")


def bad_listcount(l: List[float]):
    return l.count(1), l.index(2.0)


def bad_strjoin(l: List[int]):
    return ",".join(l)


def bad_strsplit(s: str):
    return s.split(1)


def bad_strrep(s: str):
    return s.replace("a")


def bad_sumstr(l: List[str]):
    return sum(l)


def bad_sortedkey(l: List[int]):
    return sorted(l, reverse=True)


def bad_absstr():
    return abs("a")


def bad_rounddig():
    return round(1.234, 2)


def bad_intbase():
    return int("ff", 16)


def bad_strn():
    return str(1, 2)


def bad_rangelen():
    return len(range(5))


def bad_rangein(x: int):
    return x in range(5)


def bad_rangeidx():
    return range(5)[1]


def bad_strmul(s: str):
    return s * 3, 3 * s if False else s


def bad_cternlist(x: Optional[List[int]]):
    return x if x is not None else []


def bad_walrus(x: List[int]):
    return [y := 1, y]


def bad_posneg():
    return - -3, not not True, -(-2.5), +3 if False else 1


REFUSED = ["bad_missing", "bad_extra", "bad_unknown", "bad_dup", "bad_int_for_float", "bad_str_for_int", "bad_none_for_int", "bad_opt_for_int", "bad_list_for_int", "bad_float_for_int", "bad_tuple_to_list_bad", "bad_list_floats", "bad_list_str", "bad_tup_bad", "bad_union_bad", "bad_tensor_bad", "bad_tensor_bad2", "bad_scalar", "bad_lo_bad", "bad_nested", "bad_star_opt", "bad_starany", "bad_starint", "bad_fnarg", "bad_fnret", "bad_cls_ret", "bad_ctor_missing", "bad_ctor_bad", "bad_ctor_kw", "bad_meth_missing", "bad_meth_bad", "bad_meth_extra", "bad_meth_ret", "bad_attr_call", "bad_attr_none", "bad_attr_set_wrong", "bad_attr_set_new", "bad_attr_set_opt", "bad_attr_set_float", "bad_obj_eq", "bad_looptype", "bad_whiletype", "bad_looplist", "bad_branchlist2", "bad_unify1", "bad_unify3", "bad_numtype", "bad_optarith", "bad_optidx", "bad_optiter", "bad_optin", "bad_optcall", "bad_optattr", "bad_noneadd", "bad_stradd", "bad_listadd", "bad_intstr", "bad_divstr", "bad_negstr", "bad_notlist", "bad_shiftf", "bad_matmulint", "bad_unused_any", "bad_over_bad", "bad_boolean_dispatch_dyn", "bad_annlater", "bad_dictexp2", "bad_retundef", "bad_delt", "bad_dellist", "bad_asserttuple", "bad_withopen", "bad_boollit", "bad_floatidx", "bad_stridx", "bad_tupidx", "bad_noneidx", "bad_setattr_tuple", "bad_attr_int", "bad_attr_str", "bad_attr_list", "bad_attr_none", "bad_attr_fn", "bad_attr_mod", "bad_attr_mod2", "bad_mod_val", "bad_lambda_def", "bad_unusedvar", "bad_param_reassign_if", "bad_loop_reassign", "bad_closure", "bad_globals", "bad_type", "bad_dictget", "bad_dictget2", "bad_dictset", "bad_listinsert", "bad_listextend", "bad_listextend2", "bad_listindex", "bad_listpop", "bad_listcount", "bad_strjoin", "bad_strsplit", "bad_strrep", "bad_sumstr", "bad_sortedkey", "bad_absstr", "bad_rounddig", "bad_intbase", "bad_strn", "bad_rangelen", "bad_rangein", "bad_rangeidx", "bad_strmul", "bad_cternlist", "bad_walrus", "bad_posneg"]

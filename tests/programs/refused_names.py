"""Names, types, defaults and literals that cannot be compiled."""
import math
from math import pi
from typing import Callable, Dict, Iterable, List, Literal, NamedTuple, Optional, Sequence, Set, Tuple, TypeVar, Union

import torch
from torch import Tensor, nn


PI2 = 6.28


NAMES = ["a", "b"]


TUP = (1, 2)


DT = torch.float64


DEV = torch.device("cpu")


NONE = None


BOOL = True


LAM = lambda x: x + 1


class Cfg:
    width = 3
    name = "n"


CFG = Cfg()


def of_pi():
    return pi


def of_const():
    return PI2


def of_names():
    return NAMES


def of_tup():
    return TUP


def of_dt(x: Tensor):
    return x.to(DT)


def of_dev(x: Tensor):
    return x.to(DEV)


def of_none():
    return NONE


def of_bool():
    return BOOL


def of_lam(x: int):
    return LAM(x)


def of_fn():
    return FN


def of_cfg():
    return Cfg.width


def of_cfg2():
    return CFG.width


def of_nn(x: Tensor):
    return nn.Linear(2, 2)(x)


def of_file():
    return __file__


def of_name():
    return __name__


def of_callable(f: Callable[[int], int]):
    return f(1)


def of_set(x: Set[int]):
    return len(x)


def of_seq(x: Sequence[int]):
    return len(x)


def of_iter(x: Iterable[int]):
    return 1


def of_literal(x: Literal["a"]):
    return 1


TV = TypeVar("TV")


def of_typevar(x: TV):
    return 1


def of_strunknown(x: "Foo"):
    return 1


def of_sizeann(x: torch.Size):
    return 1


def of_moduleann(x: nn.Module):
    return 1


def of_objann(x: object):
    return 1


def of_bytes(x: bytes):
    return 1


def of_type(x: type):
    return 1


def of_ell(x: Tuple[int, ...]):
    return 1


def n_one(x: int):
    return x + 1


def of_fncond(x: int):
    if x > 0:
        f = n_one
    else:
        f = n_two
    return f(x)


def n_two(x: int):
    return x + 2


def n_kwonly(x: int, *, y: int) -> int:
    return x + y


def of_kwbad():
    return n_kwonly(1, 2)


def of_deflist(a: List[int] = [1, 2]):
    return a


def of_defdict(a: Dict[str, int] = {}):
    return a


def of_defwrong(a: int = "x"):
    return a


def of_defuntyped(a=1):
    return a


def of_defnone(a: int = None):
    return a


def n_three(a: int, b: int, c: int):
    return a * 100 + b * 10 + c


def of_starlist(x: List[int]):
    return n_three(*x)


def of_starkw(x: Dict[str, int]):
    return n_three(**x)


def of_startensor(x: Tensor):
    return torch.stack([*x])


def of_self(x: int) -> int:
    return of_self(x - 1) if x > 0 else 0


def of_typecomment2(x,  # type: int
                   y="a"  # type: str
                   ):
    # type: (...) -> str
    return y * x


def of_typecomment3(x, y):
    # type: (int) -> int
    return x


def of_typecomment_local(x):
    # type: (List[int]) -> int
    a = []  # type: List[int]
    a.append(x[0])
    return a[0]


def of_typecomment_bad(x):
    # type: (foo) -> int
    return 1


def of_retnone2(x: int) -> None:
    return x


def of_missing(x: int) -> int:
    if x > 0:
        return 1


def of_missing2(x: int) -> int:
    while x > 0:
        return 1


def of_missing3(x: int) -> Optional[int]:
    if x > 0:
        return 1


def of_mixed_ret2(x: int):
    if x > 0:
        return 1
    return 2.5


def of_mixed_ret4(x: int):
    if x > 0:
        return [1]
    return [None]


def of_local_ann():
    x: int
    x = 3
    return x


def of_global():
    global NAMES
    return 1


def of_walrus(x: int):
    if (y := x) > 0:
        return y
    return 0


def of_lambda(x: int):
    f = lambda a: a
    return f(x)


def of_nested(x: int):

    def g(y: int):
        return y
    return g(x)


def of_import(x: int):
    import math
    return x


def of_importfrom(x: int):
    from math import pi
    return x


def of_try(x: int):
    try:
        return x
    except ValueError:
        return 1


def of_yield(x: int):
    yield x


def of_yieldfrom(x: List[int]):
    yield from x


def of_set_(x: int):
    return {x}


def of_setcomp(x: List[int]):
    return {i for i in x}


def of_fstrspec(x: float):
    return f"{x:.2f}"


def of_fstrconv(x: str):
    return f"{x!r}"


def of_fstreq(x: int):
    return f"{x=}"


def of_bytes_(x: int):
    return b"a"


def of_ellipsis(x: int):
    ...
    return x


def of_ellval(x: int):
    y = ...
    return y


def of_bigint():
    return 99999999999999999999


def of_uplus(x: int):
    return +x


def of_jit(x: int):
    __jit_x = x
    return __jit_x


def of_forelse(x: List[int]):
    for i in x:
        pass
    else:
        return 1
    return 2


def of_whileelse(x: int):
    while x > 0:
        x -= 1
    else:
        return 1
    return 2


def of_cls(x: int):
    class A:
        pass
    return x


def of_nonlocal():
    x = 1

    def f():
        nonlocal x
    return x


def of_match(x: int):
    match x:
        case 1:
            return 1
    return 2


def of_notin(x: List[int]):
    return 1 not in x in [x]


class Point(NamedTuple):
    x: int
    y: float = 1.5
    tag: str = "t"


def nt_fields():
    return Point._fields


def uni_or(x: Union[int, str, float]) -> str:
    if isinstance(x, int) or isinstance(x, float):
        return "n"
    return x


def uni_pep604(x: "int | None") -> int:
    if x is None:
        return 0
    return x


def uni_ifexp(b: bool):
    x: Union[int, str] = 1 if b else "a"
    return x


def bare_List(x: List):
    return len(x)


def bare_Dict(x: Dict):
    return x


def bare_opt(x: Optional):
    return x


def bare_union(x: Union):
    return x


def dict_tuple_key():
    x = {(1, 2): 3}
    return x


def dict_list_key(x: List[int]):
    return {x: 1}


REFUSED = ["of_pi", "of_dt", "of_dev", "of_fncond", "of_typecomment2", "of_typecomment_local", "of_missing3", "of_mixed_ret4", "of_fstreq", "of_ellipsis", "of_cfg", "of_const", "of_names", "of_tup", "of_none", "of_bool", "of_lam", "of_fn", "of_cfg2", "of_nn", "of_file", "of_name", "of_callable", "of_set", "of_seq", "of_iter", "of_literal", "of_typevar", "of_strunknown", "of_sizeann", "of_moduleann", "of_objann", "of_bytes", "of_type", "of_ell", "of_kwbad", "of_deflist", "of_defdict", "of_defwrong", "of_defuntyped", "of_defnone", "of_starlist", "of_starkw", "of_startensor", "of_self", "of_typecomment3", "of_typecomment_bad", "of_retnone2", "of_missing", "of_missing2", "of_mixed_ret2", "of_local_ann", "of_global", "of_walrus", "of_lambda", "of_nested", "of_import", "of_importfrom", "of_try", "of_yield", "of_yieldfrom", "of_set_", "of_setcomp", "of_fstrspec", "of_fstrconv", "of_bytes_", "of_ellval", "of_bigint", "of_uplus", "of_jit", "of_forelse", "of_whileelse", "of_cls", "of_nonlocal", "of_match", "of_notin", "nt_fields", "uni_or", "uni_pep604", "uni_ifexp", "bare_List", "bare_Dict", "bare_opt", "bare_union", "dict_tuple_key", "dict_list_key"]

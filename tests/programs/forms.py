"""Rarely used forms: slices as values, targets, literals, printed numbers, copies."""
from typing import Any, Dict, List, Optional, Tuple, Union

import torch
from torch import Tensor


@torch.jit.unused
def unused_fn(x: int) -> int:
    return foo_not_there(x)


@torch.jit.unused
def unused_t(x):
    return x


@torch.jit.ignore(drop=True)
def dropped(x: int) -> int:
    return x


def of_unused(x: int):
    if x > 10:
        return unused_fn(x)
    return x


def of_unused_t(x: Tensor):
    if x.sum() > 10:
        return unused_t(x)
    return x + 1


def of_dropped(x: int):
    if x > 10:
        return dropped(x)
    return x


class UM:
    def __init__(self, x: int):
        self.x = x

    @torch.jit.unused
    def u(self, y: int) -> int:
        return foo(y)

    @torch.jit.unused
    def v(self, y):
        return foo(y)

    @torch.jit.ignore
    def w(self, y: int) -> int:
        return y


def of_forcomma(x: List[Tuple[int]]):
    r = 0
    for i, in x:
        r += i
    return r


def of_while1(x: int):
    while 1:
        x += 1
        if x > 5:
            break
    return x


def of_impl_concat():
    return "a" "b" 'c'


def of_negstep_s(s: str):
    return s[::-1]


def of_negstep_t(t: Tensor):
    return t[::-1]


def of_stepzero(l: List[int]):
    return l[::0]


def of_nestedassign(l: List[List[List[int]]]):
    l[0][1][2] = 9
    l[0][1][2] += 1
    return l


def of_multislice(t: Tensor):
    t[1:2, ::2] = 5
    t[None, ..., 0] = 1
    t[[0, 1], [0, 1]] += 1
    return t


def of_tensorlist(t: Tensor):
    return t[[[0, 1], [1, 0]]], t[:, [0]], t[torch.tensor(1)], t[torch.tensor([True, False])]


def of_slicevar(t: Tensor):
    s = slice(0, 1)
    return t[s]


def of_attr_mod3(x: int):
    m = torch
    return m.tensor(x)


def of_dtype_val():
    d = torch.float32
    return torch.zeros(1, dtype=d)


def of_math_val(x: float):
    f = torch.sin
    return f(torch.tensor(x))


def of_many_targets(x: Tuple[int, Tuple[int, Tuple[int, int]]]):
    a, (b, (c, d)) = x
    (e, f), g = (a, b), c
    return a + b + c + d, e, f, g


def of_chain_assign_tuple():
    a = b, c = 1, 2
    x = y = z = [0]
    x.append(1)
    return a, b, c, z


def of_chain_attr(x: int):
    u = UM(1)
    v = u.x = x
    return u.x, v


def of_underscore_types(x: int):
    _ = 1
    _ = "a"
    return x


def of_shadow_builtin(list: int, str: int):
    return list + str


def of_param_reassign(x: int):
    x = x + 1
    x = str(x)
    return x


def of_dictget3(d: Dict[str, int]) -> int:
    return d.get("q", 5) + d["a"]


def of_listremove(l: List[str]):
    l.remove("a")
    return l


def of_max2():
    return max(1, 2.5), min(2, 1.5), max([1, 2]), max([1.5]), min(3, 4)


def of_sortedt(l: List[Tuple[int, str]], f: List[float], s: List[str]):
    return sorted(l), sorted(f), sorted(s)


def of_chrbig():
    return chr(98), ord("z")


def of_rangelist():
    return list(range(5))[2], [i for i in range(0, 10, 3)], len(range(5)) if False else 0


def of_zip3(a: List[int]):
    return [x + y + z for x, y, z in zip(a, a, a)]


def of_zipuneq(a: List[int]):
    return [(x, y) for x, y in zip(a, [1])]


def of_enumtuple():
    return [str(i) + str(x) for i, x in enumerate((1, "a"))]


def of_itemsorder():
    d = {"b": 1, "a": 2}
    d["c"] = 0
    d["b"] = 5
    return list(d.keys()), [k + str(v) for k, v in d.items()], d.popitem()


def of_dictiter(d: Dict[int, str]):
    r: List[str] = []
    for i, (k, v) in enumerate(d.items()):
        r.append(str(i) + str(k) + v)
    return r


def of_dictkeysin(d: Dict[str, int]):
    return "a" in d.keys(), 1 in d.values()


def of_nestedfn(x: int):
    return of_while1(of_while1(x) - 3) + len([of_while1(i) for i in range(2)])


def of_boolarith(x: bool, y: bool):
    return x == y, x and not y, int(x) + int(y), x != y, float(x)


def of_xorbool(x: bool, y: bool):
    return x ^ y, x | y, x & y


def of_listmul(l: List[int]):
    return l * 2, 2 * l


def of_ctern(x: Optional[int]):
    return x if x is not None else -1


def of_cternlist2(x: Optional[List[int]]):
    y: List[int] = x if x is not None else []
    return y


def of_hexneg():
    return hex(-255), bin(-5), oct(-8)


def of_bigint():
    return 9223372036854775807, -9223372036854775807 - 1


def of_floatlit():
    return 1e400, -1e400, 1e-400, 0.1 + 0.2, 1e16, 123456789.0, 1e22


def of_printfloat():
    print(1.0, 0.1, 1e22, 1e-5, -0.0, float("inf"), float("nan"), 1/3, 100000.0, 1234567.5)
    return str(1.0) + str(0.1) + str(1e22) + f"{2.5} {1e-7}"


def of_cplxprint():
    print(1+2j, [1j], complex(0, -1))
    return str(1.5 - 2j)


def of_strescape():
    return "tab\there", 'q"uote', "uni\u00e9", "nul\0x", "\x7f", "\\n", r"\n"


def of_strcmp(a: str, b: str):
    return a < b, a == b, a > b, a != b, a in b, a >= b, a <= b


def of_listdefault():
    a = [0] * 3
    b = [[0] * 2 for _ in range(2)]
    b[0][0] = 1
    c = [""] * 2
    return a, b, c, [None] * 2 if False else 0


def of_copylist(l: List[List[int]]):
    a = l.copy()
    b = list(l)
    c = l[:]
    a[0].append(1)
    b.append([2])
    return l, a, b, c


def of_aliastuple():
    l = [1]
    t = (l, 2)
    t[0].append(5)
    return t, l


def of_annlocaltuple(x: int):
    a, b = x, str(x)
    c: Tuple[int, str] = (a, b)
    return c


def of_retann(x: int) -> List[Tuple[int, Dict[str, List[float]]]]:
    return [(x, {"a": [1.5]})]


def of_retanyl(x: int) -> List[Any]:
    return [x, "a", None, [1]]


def of_retdictany(x: int) -> Dict[str, Any]:
    return {"a": x, "b": "s"}


def of_retunion(x: int) -> Union[int, List[str]]:
    if x > 0:
        return x
    return ["a"]


def of_rettupopt(x: int) -> Tuple[Optional[int], Optional[str]]:
    if x > 0:
        return x, None
    return None, "a"


def of_deepnest(x: int):
    for i in range(x):
        if i > 0:
            while x > 0:
                for j in [1, 2]:
                    if j == x:
                        return j
                x -= 1
                if x == 1:
                    break
        elif i == 0:
            continue
        else:
            return -5
    return -1


CALLS = {
    "of_unused": [(1,), (0,), (11,)],
    "of_unused_t": [(torch.tensor([[1.0, 2.0], [3.0, 5.0]]),)],
    "of_dropped": [(1,), (0,), (11,)],
    "of_forcomma": [([(1,)],)],
    "of_while1": [(1,), (0,), (11,)],
    "of_impl_concat": [()],
    "of_negstep_s": [('abc',)],
    "of_negstep_t": [(torch.tensor([[1.0, 2.0], [3.0, 5.0]]),)],
    "of_stepzero": [([1],)],
    "of_nestedassign": [([[[1], [1, 2, 3]]],)],
    "of_multislice": [(torch.tensor([[1.0, 2.0], [3.0, 5.0]]),)],
    "of_tensorlist": [(torch.tensor([[1.0, 2.0], [3.0, 5.0]]),)],
    "of_slicevar": [(torch.tensor([[1.0, 2.0], [3.0, 5.0]]),)],
    "of_attr_mod3": [(1,), (0,), (11,)],
    "of_dtype_val": [()],
    "of_math_val": [(1.0,)],
    "of_many_targets": [((1, (2, (3, 4))),)],
    "of_chain_assign_tuple": [()],
    "of_chain_attr": [(1,), (0,), (11,)],
    "of_underscore_types": [(1,), (0,), (11,)],
    "of_shadow_builtin": [(1, 2)],
    "of_param_reassign": [(1,), (0,), (11,)],
    "of_dictget3": [({'a': 1},)],
    "of_listremove": [(['a', 'b'],), (['b'],)],
    "of_max2": [()],
    "of_sortedt": [([(2, 'a'), (1, 'b'), (1, 'a')], [2.0, 1.0], ['b', 'a'])],
    "of_chrbig": [()],
    "of_rangelist": [()],
    "of_zip3": [([1, 2],)],
    "of_zipuneq": [([1, 2],)],
    "of_enumtuple": [()],
    "of_itemsorder": [()],
    "of_dictiter": [({1: 'a'},)],
    "of_dictkeysin": [({'a': 1},)],
    "of_nestedfn": [(1,), (0,), (11,)],
    "of_boolarith": [(True, False)],
    "of_xorbool": [(True, False)],
    "of_listmul": [([1],)],
    "of_ctern": [(1,), (None,)],
    "of_cternlist2": [([1],), (None,)],
    "of_hexneg": [()],
    "of_bigint": [()],
    "of_floatlit": [()],
    "of_printfloat": [()],
    "of_cplxprint": [()],
    "of_strescape": [()],
    "of_strcmp": [('a', 'ab')],
    "of_listdefault": [()],
    "of_copylist": [([[1]],)],
    "of_aliastuple": [()],
    "of_annlocaltuple": [(1,), (0,), (11,)],
    "of_retann": [(1,), (0,), (11,)],
    "of_retanyl": [(1,), (0,), (11,)],
    "of_retdictany": [(1,), (0,), (11,)],
    "of_retunion": [(1,), (0,), (11,)],
    "of_rettupopt": [(1,), (0,), (11,)],
    "of_deepnest": [(1,), (0,), (11,)],
}

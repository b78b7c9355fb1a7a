"""Statements and expressions: updates in place, loops, comprehensions, formats, tensors."""
from typing import Any, Dict, List, Optional, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor


def aug_bits(x: Tensor, y: Tensor):
    z = x
    x |= y
    x &= 7
    x ^= 1
    return x, z


def aug_shift(x: Tensor):
    z = x
    x <<= 1
    w = x
    w >>= 1
    x **= 2
    return x, z, w


def aug_all(i: int, f: float):
    i += 2
    i -= 1
    i *= 3
    i <<= 1
    i |= 1
    i &= 0xff
    i ^= 3
    i >>= 1
    f *= 2
    f /= 3
    f -= 1
    f **= 2
    return i, f


def aug_intpow(i: int):
    i **= 2
    return i


def aug_mod(f: float):
    f %= 3
    return f


def aug_list(l: List[int]):
    m = l
    l += [1]
    l *= 2
    return l, m


def aug_item(l: List[int], d: Dict[str, int], t: Tensor, ll: List[List[int]], ds: Dict[str, List[int]], dt: Dict[str, Tensor]):
    l[0] += 5
    l[-1] *= 2
    d["a"] -= 1
    t[0] += 1
    t[1:] *= 2
    t[t > 3] -= 1
    a = ll[0]
    ll[0] += [9]
    b = ds["a"]
    ds["a"] += [9]
    c = dt["t"]
    dt["t"] += 1
    return l, d, t, a, ll, b, ds, c, dt


def aug_item_mod(l: List[float]):
    l[0] %= 3
    return l


def aug_item_or(t: Tensor, u: Tensor):
    t[0] |= u[0]
    t[t > 1] |= 8
    return t


def aug_item_str(l: List[str], d: Dict[int, str]):
    l[0] += "z"
    d[1] += "q"
    return l, d


class Acc:
    def __init__(self):
        self.n = 0
        self.l = [1]
        self.t = torch.zeros(2)
        self.d = {"a": 1}

    def go(self) -> None:
        self.n += 3
        self.l += [2]
        self.t += 1
        self.d["a"] += 4
        self.l[0] -= 5
        self.t[1] *= 7


def aug_attr():
    a = Acc()
    t = a.t
    a.go()
    a.n -= 1
    return a.n, a.l, a.t, a.d, t


def chain_in(a: int, l: List[int]):
    return a in l, a not in l, not a in l


def tern(a: int):
    return 1 if a > 0 else 2 if a < 0 else 3


def tern_nested(a: int):
    return (1 if a > 0 else 2) + (3 if a > 1 else 4)


def precedence(a: int, b: int):
    return -a ** 2, a + b * 2 ** 3 // 4 % 5, ~torch.tensor(a), a << 1 + 1, a & b | a ^ b, not a == b, -a // b, -a % b, a - -b


def for_modify(l: List[int]):
    for x in l:
        if len(l) < 10:
            l.append(x)
    return l


def nested_break(n: int):
    r = 0
    for i in range(n):
        for j in range(n):
            if j > i:
                break
            if (i + j) % 3 == 0:
                continue
            r += i * j
        else_ = r
        if r > 20:
            break
    return r


def if_types_ok(n: int):
    if n > 1:
        x = 1
        y = x
    else:
        x = "a"
        y = 2
    return y


def if_opt_merge(n: int):
    x: Optional[int] = None
    if n > 1:
        x = n
    if x is not None:
        return x + 1
    return 0


def comp(l: List[int], d: Dict[str, int]):
    return [x * 2 for x in l], [i + x for i, x in enumerate(l)], {k: v + 1 for k, v in d.items()}, [k for k in d], [[y for y in range(x)] for x in l], {x: str(x) for x in l}, [a + b for a, b in zip(l, l)], sum([x for x in l]), [x for x in "abc"], list(x for x in l), [float(x) for x in l]


def comp_tuple():
    return [x for x in (1, 2, 3)], [str(x) for x in (1, "a", 2.5)]


def comp_scope(l: List[int]):
    x = 5
    y = [x for x in l]
    return x, y


def comp_opt(l: List[int]):
    x: List[Optional[int]] = [i for i in l]
    x.append(None)
    return x


def comp_dup(l: List[int]):
    return {x % 2: x for x in l}


def empty_arg():
    return takes_l([]), takes_d({})


def takes_l(l: List[int]):
    return len(l)


def takes_d(d: Dict[str, Tensor]):
    return len(d)


def fork(x: int):
    f = torch.jit.fork(forked, x, 2)
    g = torch.jit.fork(forked, x, y=5)
    h = torch.jit._fork(forked, x=x, y=1)
    l = [torch.jit.fork(forked, i, i) for i in range(3)]
    return torch.jit.wait(f) + torch.jit._wait(g), h.wait(), [torch.jit.wait(i) for i in l]


def forked(x: int, y: int) -> int:
    return x * y


def isinst(x: Any):
    return isinstance(x, (int, str)), isinstance(x, List[int]), isinstance(x, Tensor), isinstance(x, (list, tuple)), isinstance(x, dict) if False else 1


def isinst2(x: Any):
    return torch.jit.isinstance(x, Dict[str, int]), torch.jit.isinstance(x, (List[str], Tuple[int, str])), isinstance(x, Optional[int])


def isinst_static(x: int, l: List[int], t: Tuple[int, str]):
    return isinstance(x, int), isinstance(x, str), isinstance(l, list), isinstance(t, tuple), isinstance(l, List[str]), isinstance(None, type(None)) if False else 0


def scripting():
    if torch.jit.is_scripting():
        return 1
    else:
        return undefined_in_script()


def scripting2():
    if not torch.jit.is_scripting():
        return foo()
    return 2


def const_if(x: int):
    if True:
        y = x
    else:
        y = "a"
    if False:
        z = undefined
    return y


def tolist(t: Tensor):
    a: List[List[float]] = t.tolist()
    b = torch.jit.annotate(List[float], t[0].tolist())
    c: float = t[0, 0].tolist()
    return a, b, c


def legacy(n: int):
    return torch.LongTensor([1, n]), torch.FloatTensor([1.5]), torch.zeros(1).long(), torch.IntTensor(2).shape


def annot_local2(n: int):
    a: int = n
    b: List[Tuple[int, str]] = []
    c: Dict[str, Optional[int]] = {"a": None, "b": n}
    e: Optional[List[int]] = None
    f: float = 1.0
    b.append((n, "x"))
    return a, b, c, e, f


def op_val(t: Tensor):
    f = torch.relu
    g = F.relu
    return f(t) + g(t)


def opsns(t: Tensor):
    return torch.ops.aten.relu(t), torch.ops.aten.add(t, t)


def long_if(a: int) -> str:
    if a < 0:
        return "neg"
    if a == 0:
        return "zero"
    assert a < 1000, "too big: " + str(a)
    if a < 10:
        r = "small"
    elif a < 100:
        r = "medium"
    else:
        raise RuntimeError("large %d" % a)
    return r


T22 = torch.tensor([[1.0, 2.0], [3.0, 4.0]])


IT = torch.tensor([1, 2, 5])


def deleted_before_break(x: int, y: int):
    z = x
    for i in range(y):
        z = z + i
        if z > 10:
            del z
            break
    return x


def deleted_at_the_end(x: int, y: int):
    z = x
    for i in range(y):
        z = z + i
        x += z
        del z
    return x


CALLS = {
    "deleted_before_break": [(7, 8), (1, 0)],
    "deleted_at_the_end": [(7, 8), (1, 2), (1, 0)],
    "aug_bits": [(IT, IT + 1)],
    "aug_shift": [(IT,)],
    "aug_all": [(3, 2.5)],
    "aug_intpow": [(3,)],
    "aug_mod": [(7.5,)],
    "aug_list": [([5],)],
    "aug_item": [([1, 2], {'a': 1}, torch.tensor([1.0, 2.0, 3.0]), [[1]], {'a': [1]}, {'t': torch.zeros(1)})],
    "aug_item_mod": [([7.5],)],
    "aug_item_or": [(IT, IT * 2)],
    "aug_item_str": [(['a'], {1: 'b'})],
    "aug_attr": [()],
    "chain_in": [(1, [1])],
    "tern": [(1,), (-1,), (0,)],
    "tern_nested": [(1,), (2,)],
    "precedence": [(5, 3)],
    "for_modify": [([1, 2],)],
    "nested_break": [(6,)],
    "if_types_ok": [(1,), (2,)],
    "if_opt_merge": [(1,), (2,)],
    "comp": [([1, 2], {'a': 1})],
    "comp_tuple": [()],
    "comp_scope": [([1, 2],)],
    "comp_opt": [([1],)],
    "comp_dup": [([1, 2, 3],)],
    "empty_arg": [()],
    "fork": [(3,)],
    "isinst": [(1,), ('s',), ([1],), ((1, 2),)],
    "isinst2": [({'a': 1},), (['a'],), ((1, 'a'),), (3,)],
    "isinst_static": [(1, [1], (1, 'a'))],
    "scripting": [()],
    "scripting2": [()],
    "const_if": [(1,)],
    "tolist": [(T22,)],
    "legacy": [(2,)],
    "annot_local2": [(1,)],
    "op_val": [(T22,)],
    "opsns": [(T22,)],
    "long_if": [(i,) for i in (-1, 0, 5, 50, 500, 5000)],
}

"""Whole programs, and forms that the other files leave out: calls, fork, flow, warnings, tensors, literals."""
import math
import typing as tp
import warnings
from typing import Dict, List, NamedTuple as Row, Optional, Tuple

import torch
import torch.nn.functional as F


def fork_and_wait(x: torch.Tensor) -> torch.Tensor:
    f = torch.jit.fork(addone, x)
    y = x * 2
    return torch.jit.wait(f) + y


def addone(x: torch.Tensor) -> torch.Tensor:
    return x + 1


def fork_many(n: int) -> List[int]:
    fs: List[torch.jit.Future[int]] = []
    for i in range(n):
        fs.append(torch.jit.fork(sq, i))
    return [torch.jit.wait(f) for f in fs]


def sq(i: int) -> int:
    if i > 3:
        raise ValueError("big")
    return i * i


def keyword_only(a: int, *, b: int) -> int:
    return a * b


def call_keyword_only(x: int) -> int:
    return keyword_only(x, b=3) + keyword_only(b=2, a=x)


def defaults(a: int, b: int = 2, c: str = "z", d: Optional[int] = None, e: float = 1e-3) -> str:
    return str(a) + str(b) + c + str(d) + str(e)


def call_defaults(x: int) -> str:
    return defaults(x) + defaults(x, c="q") + defaults(x, 1, d=5)


def function_value(x: torch.Tensor) -> torch.Tensor:
    f = addone
    return f(x)


def shadow(x: int) -> int:
    len_ = x
    max = 5
    return max + len_


def shadow2(x: int) -> int:
    print = x
    return print


def shadow3(x: List[int]) -> int:
    list = x
    return len(list)


def scope(x: int) -> int:
    y = 1
    if x > 0:
        y = 2
        z = 3
        y += z
    for y in range(y):
        pass
    return y


def nested_ternary(x: int) -> str:
    return "a" if x > 3 else ("b" if x > 1 else "c")


def optional_ternary(x: int) -> Optional[int]:
    y = x if x > 0 else None
    return y


def module_constant() -> float:
    return math.pi * 2


def returns_nothing(x: int) -> None:
    x += 1


def returns_tuple(x: int):
    return x, str(x), [x], {"k": x}


def without_annotations(x, y):
    return x + y


def many_returns(x: int) -> int:
    if x == 0:
        return 0
    elif x == 1:
        return 10
    else:
        for i in range(x):
            if i == 3:
                return i * 100
        while x > 0:
            x -= 1
            if x == 1:
                return -1
    return 7


def nested_breaks(n: int) -> List[int]:
    r: List[int] = []
    for i in range(n):
        j = 0
        while True:
            j += 1
            if j > i:
                break
            if j % 2 == 0:
                continue
            r.append(i * 10 + j)
        if i == 4:
            break
    return r


def continues(l: List[int]) -> int:
    s = 0
    for x in l:
        if x < 0:
            continue
        if x > 100:
            return -1
        s += x
    return s


def while_condition(n: int) -> int:
    i = 0
    while i < n and not (i * i > 50):
        i += 1
    return i


def asserts(x: int, y: str) -> int:
    assert x > 0
    assert y != "", "empty y"
    assert x < 10 and len(y) < 5, "x={} y={}".format(x, y)
    return x


def warns(x: int) -> int:
    warnings.warn("careful")
    return x


def scripting(x: int) -> int:
    if torch.jit.is_scripting():
        return x
    else:
        return undefined_thing(x)


def tracing(x: int) -> bool:
    return torch.jit.is_tracing()


def tensor_index(x: torch.Tensor) -> List[torch.Tensor]:
    return [x[0], x[-1], x[:, 1], x[..., 0], x[1:, :2], x[None], x[x > 2], x[[0, 1]], x[torch.tensor([1, 0])], x[0,
            1], x[::2], x[:, None, 0], x[0][1:]]


def tensor_store(x: torch.Tensor) -> torch.Tensor:
    x = x.clone()
    x[0] = 5
    x[1, 1] = 7.5
    x[:, 0] += 1
    x[x > 6] = 0
    x[0, :] *= torch.tensor(2.0)
    x[torch.tensor([0, 1]), torch.tensor([1, 0])] = 9
    return x


def tensor_iterate(x: torch.Tensor) -> float:
    s = 0.0
    for r in x:
        s += float(r.sum())
    for a, b in zip(x[0], x[1]):
        s += float(a * b)
    return s


def tensor_shape(x: torch.Tensor) -> Tuple[int, List[int], int, int, Tuple[int, int]]:
    a, b = x.shape
    return len(x.shape), x.shape, x.size(0), x.numel(), (a, b)


def tensor_augmented(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    z = y
    y += 1
    y *= 2
    y -= x
    y /= 2
    return z


def tensor_to_list(x: torch.Tensor) -> List[List[float]]:
    r: List[List[float]] = x.tolist()
    return r


def tensor_item(x: torch.Tensor) -> float:
    return float(x.item()) + x.sum().item()


def tensor_items(x: torch.Tensor, i: int) -> Tuple[float, int, bool]:
    a = float(x[i])
    b = int(x[i - 1])
    return a, b, bool(x[-i])


def only_item(x: torch.Tensor):
    return x.item()


def row(x: torch.Tensor, i: int) -> torch.Tensor:
    return x[i]


def tensor_items_of_calls(x: torch.Tensor, i: int) -> float:
    return float(row(x, i)) + float(only_item(x[:i]))


def tensor_properties(x: torch.Tensor) -> Tuple[bool, int, bool, int]:
    return x.is_floating_point(), x.dim(), x.dtype == torch.float32, x.ndim


def tensor_device(x: torch.Tensor) -> str:
    return str(x.device) + x.device.type


def tensor_compare(x: torch.Tensor) -> torch.Tensor:
    return (x > 1) & (x < 4) | ~(x == 0)


def tensor_truth(x: torch.Tensor) -> bool:
    return bool((x > 0).any()) and not bool((x < 0).all())


def tensor_product_error(x: torch.Tensor) -> torch.Tensor:
    return x @ x.t() @ torch.ones(7, 7)


def tensor_view_error(x: torch.Tensor) -> torch.Tensor:
    return x.view(5)


def tensor_operators(x: torch.Tensor) -> torch.Tensor:
    return x ** 2 + 2 ** x - x // 2 + x % 2 - (-x)


def tensor_keywords(x: torch.Tensor) -> List[torch.Tensor]:
    return [x.sum(dim=0), x.sum(dim=[0, 1]), x.mean(1, keepdim=True), torch.cat([x, x], dim=1), torch.stack((x, x)),
            x.max(dim=1)[0], x.max(1).values, torch.max(x), x.clamp(min=1), x.clamp(0, 2)]


def tensor_split(x: torch.Tensor) -> int:
    a, b = x.chunk(2, dim=1)
    c, d = torch.split(x, 1)
    u, v = x.unbind(0)
    return a.numel() + c.numel() + u.numel()


def tensor_where(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x > 2, x, torch.zeros_like(x))


def constants(x: torch.Tensor) -> torch.Tensor:
    return torch.full([2], math.e) + torch.ones(2, dtype=torch.float32) + x.new_zeros(2)


def optional_tensor(x: Optional[torch.Tensor]) -> torch.Tensor:
    if x is None:
        return torch.zeros(1)
    return x * 2


def optional_tensors(l: List[Optional[torch.Tensor]]) -> int:
    n = 0
    for t in l:
        if t is not None:
            n += t.numel()
    return n


def dict_tensor(d: Dict[str, torch.Tensor]) -> Dict[str, torch.Tensor]:
    for k, v in d.items():
        d[k] = v + 1
    return {k: v * 2 for k, v in d.items()}


class Beam(Row):
    score: float
    toks: List[int]


def beam_search(n: int) -> List[int]:
    beams = [Beam(0.0, [0])]
    for step in range(n):
        cand: List[Beam] = []
        for b in beams:
            for t in range(3):
                cand.append(Beam(b.score + t * 0.5 - step * 0.1, b.toks + [t]))
        best = cand[0]
        for c in cand:
            if c.score > best.score:
                best = c
        beams = [best]
    return beams[0].toks


def tokenizer(s: str, vocab: Dict[str, int]) -> List[int]:
    out: List[int] = []
    i = 0
    while i < len(s):
        found = False
        for n in range(min(4, len(s) - i), 0, -1):
            w = s[i:i + n]
            if w in vocab:
                out.append(vocab[w])
                i += n
                found = True
                break
        if not found:
            out.append(-1)
            i += 1
    return out


def fibonacci(n: int) -> int:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def matrix(n: int) -> List[List[int]]:
    m = [[0 for _ in range(n)] for _ in range(n)]
    for i in range(n):
        for j in range(n):
            m[i][j] = i * n + j
    return m


def delete_items(d: Dict[str, List[int]]) -> Dict[str, List[int]]:
    del d["a"][0]
    d["b"] += [4]
    return d


def semicolons(x: int) -> int:
    a = x; b = a + 1; return b


def one_line(x: int) -> int:
    if x > 0: return 1
    while x < 0: x += 1
    return x


def joined_lines(x: int) -> int:
    y = (x +
         1)
    z = x + \
        2
    return (y
            * z)


def int_literals() -> List[int]:
    return [0xff, 0o17, 0b101, 1_000_000]


def float_literals() -> List[float]:
    return [1., .5, 1e3, 1E-3, 1_0.5]


def only_pass(x: int):
    pass


def documented(x: int) -> int:
    """doc"""
    # comment
    return x  # trailing


def starred_call(t: Tuple[int, int]) -> int:
    return add_three(*t, 3)


def add_three(a: int, b: int, c: int) -> int:
    return a + b * c


def starred_print(t: Tuple[int, str]) -> None:
    print(*t)


def starred_list(t: Tuple[int, int]) -> List[int]:
    return [0, *t, 9]


CALLS = {
    "fork_and_wait": [(torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]),)],
    "fork_many": [(3,), (5,)],
    "call_keyword_only": [(2,)],
    "call_defaults": [(1,)],
    "function_value": [(torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]),)],
    "shadow": [(3,)],
    "shadow2": [(3,)],
    "shadow3": [([1],)],
    "scope": [(1,), (0,)],
    "nested_ternary": [(4,), (2,), (0,)],
    "optional_ternary": [(1,), (0,)],
    "module_constant": [()],
    "returns_nothing": [(1,)],
    "returns_tuple": [(1,)],
    "without_annotations": [
        (torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]), torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])),
    ],
    "many_returns": [(0,), (1,), (2,), (5,), (-1,)],
    "nested_breaks": [(8,)],
    "continues": [([1, -1, 2],), ([1, 200],)],
    "while_condition": [(3,), (100,)],
    "asserts": [(1, "a"), (0, "a"), (1, ""), (11, "a"), (1, "abcdef")],
    "warns": [(1,)],
    "scripting": [(1,)],
    "tracing": [(1,)],
    "tensor_index": [(torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]),)],
    "tensor_store": [(torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]),)],
    "tensor_iterate": [(torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]),)],
    "tensor_shape": [
        (torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]),),
        (torch.tensor([[[1.0, 1.0], [1.0, 1.0]], [[1.0, 1.0], [1.0, 1.0]]]),),
    ],
    "tensor_augmented": [(torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]),)],
    "tensor_to_list": [(torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]),)],
    "tensor_item": [(torch.tensor(2.5),), (torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]),)],
    "tensor_properties": [(torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]),)],
    "tensor_device": [(torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]),)],
    "tensor_compare": [(torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]),)],
    "tensor_items": [(torch.tensor([1.5, 2.5, 0.0, 7.5]), i) for i in (1, 2, 4, -4, -5)],
    "tensor_items_of_calls": [(torch.tensor([1.5, 2.5, 0.0]), i) for i in (1, 2, 3)],
    "tensor_truth": [(torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]),)],
    "tensor_product_error": [(torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]),)],
    "tensor_view_error": [(torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]),)],
    "tensor_operators": [(torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]),)],
    "tensor_keywords": [(torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]),)],
    "tensor_split": [
        (torch.tensor([[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]]),),
        (torch.tensor([[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]]),),
    ],
    "tensor_where": [(torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]),)],
    "constants": [(torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]),)],
    "optional_tensor": [(None,), (torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]),)],
    "optional_tensors": [([torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]), None],)],
    "dict_tensor": [({"a": torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])},)],
    "beam_search": [(3,)],
    "tokenizer": [("abcabx", {"abc": 1, "a": 2, "ab": 3})],
    "fibonacci": [(10,), (100,)],
    "matrix": [(2,)],
    "delete_items": [({"a": [1, 2], "b": [3]},)],
    "semicolons": [(1,)],
    "one_line": [(1,), (-2,)],
    "joined_lines": [(2,)],
    "int_literals": [()],
    "float_literals": [()],
    "only_pass": [(1,)],
    "documented": [(1,)],
    "starred_call": [((1, 2),)],
    "starred_print": [((1, "a"),)],
    "starred_list": [((1, 2),)],
}

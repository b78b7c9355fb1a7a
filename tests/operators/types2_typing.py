"""Annotations of today: builtins as generic types, `X | Y`."""
from dataclasses import dataclass
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

import torch
from torch import Tensor

Maybe = int | None
Old = Optional[int]


class Pair(NamedTuple):
    a: int | None
    b: list[int]


@torch.jit.script
class Holder:
    x: int | None

    def __init__(self, x: int | None):
        self.x = x
        self.y: int | str = 3

    def get(self) -> int | None:
        return self.x


@torch.jit.script
@dataclass
class Fields:
    a: int | None
    b: list[int]

    def get(self) -> int | None:
        return self.a


def shown(x: int | str | None) -> str:
    if x is None:
        return "None"
    if isinstance(x, int):
        return str(x)
    return x


def total(x: list[int], y: dict[str, Tensor], z: tuple[int, float], w: tuple[()]) -> tuple[Tensor, int]:
    return y["a"] * z[1], x[0] + z[0] + len(w)


def generics(x: Tensor, t: Tensor):
    a: list[list[int]] = [[1], [2, 3]]
    b: dict[str, list[int | None]] = {"a": torch.jit.annotate(list[int | None], [1, None])}
    return total([1, 2], {"a": x}, (3, 0.5), ()), a, b["a"], torch.jit.annotate(list[int], [])


def first(x: list[int] | None) -> int:
    assert x is not None
    return x[0]


def second(x: list[int] | tuple[int, int], y: Tensor | None = None) -> int:
    if isinstance(x, list):
        return x[1]
    return x[0] if y is None else -x[1]


def commented(x, y):
    # type: (int | None, list[int]) -> int | None
    return x if len(y) else None


def optionals(x: Tensor, t: Tensor):
    a: int | None = None
    b = torch.jit.annotate(dict[str, Tensor | None], {"a": None})
    return [a is None, b["a"] is None], first([4]), second([1, 2]), second((5, 6)), second((5, 6), x), commented(3, [1])


def unions(x: Tensor, t: Tensor):
    return [shown(1), shown("a"), shown(None)], second((1, 2))


def flip(x: int | float | complex) -> str:
    if isinstance(x, float):
        return "float"
    return "complex" if isinstance(x, complex) else "int"


def refine(x: Any) -> int:
    if isinstance(x, int | str):
        return 1
    if torch.jit.isinstance(x, list[int]):
        return 2
    if torch.jit.isinstance(x, dict[str, int]):
        return 3
    if isinstance(x, (list | tuple, float)):
        return 4
    return 5 if isinstance(x, None) else 6


def tests_of_types(x: Tensor, t: Tensor):
    return [refine(1), refine("a"), refine([1]), refine({"a": 1}), refine([1.0]), refine((1, 2)), refine(2.0), refine(None),
            refine(x)], [flip(1), flip(1.0), flip(1j)]


def aliased(x: Maybe, y: Old) -> int:
    return (0 if x is None else x) + (1 if y is None else y)


def aliases(x: Tensor, t: Tensor):
    return aliased(None, None), aliased(5, 6)


def classes(x: Tensor, t: Tensor):
    p = Pair(None, [1])
    return p.a is None, p.b, Pair(4, [2]).a, Holder(None).get() is None, Holder(7).get(), Fields(None, [3]).get() is None


def either(x: Tensor) -> int | str:
    if x.dim() > 1:
        return 1
    return "x"


def results(x: Tensor, t: Tensor):
    r: Tensor | int = 1
    if x.dim() > 1:
        r = x
    return shown(either(x)), shown(either(t)), isinstance(r, Tensor)


PROGRAMS = [generics, optionals, unions, tests_of_types, aliases, classes, results]


def no_value(x: Tensor, t: Tensor):
    return first(None)


FAILURES = {no_value: "AssertionError"}


def dots(x: tuple[int, ...]):
    return x


def typing_dots(x: Tuple[int, ...]):
    return x


def quoted(x: "int | None"):
    return x


def bare_dict(x: dict):
    return x


def sets(x: set[int]):
    return x


def types(x: type):
    return x


def anded(x: "int & str"):
    return x


def matched(x: int):
    match x:
        case 1:
            return 2
        case _:
            return 3


def walrus(x: int):
    if (n := x + 1) > 1:
        return n
    return 0


def starred(x: int):
    try:
        return x
    except* ValueError:
        x = 1
    return x


def merged(x: dict[str, int]):
    return x | {"b": 2}


DOTS = "Expression of type dots cannot be used in a type expression"
REFUSED = {dots: DOTS, typing_dots: DOTS, quoted: "Unknown type name 'int | None'", bare_dict: "Unknown type name 'dict'",
           sets: "Unknown type constructor set", types: "Unknown type name 'type'", matched: "Match aren't supported",
           anded: "Unknown type name 'int & str'", walrus: "NamedExpr aren't supported", starred: "TryStar aren't supported",
           merged: "Arguments for call are not valid"}

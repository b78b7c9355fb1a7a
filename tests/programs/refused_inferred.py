"""Parameters without annotations: messages say that their types were inferred."""
from typing import Dict, List

import torch


def attribute(x):
    return x.missing


def unpacked(x):
    a, b = x
    return a + b


def another_name(x):
    y = x
    return y.missing


def assigned(x, n: int):
    if n > 0:
        x = 3
    return x


def assigned_in_loop(x, n: int):
    for i in range(n):
        x = [1]
    return x


def carried_through_loop(x, n: int):
    while n > 0:
        x = x + 1
        n = n - 1
    return x.missing


def computed_is_not(x):
    x = x + 1
    return x.missing


def joined_to_the_second(x, n: int):
    if n > 2:
        x = x + 1
    return x.missing


def chosen(x, n: int):
    y = x if n > 2 else x + 1
    return y.missing


def two_returns(x, n: int):
    if n > 0:
        return x
    return 3


def branches(x, n: int):
    if n > 0:
        z = x
    else:
        z = 3
    return z


def two_values(x, n: int):
    return x if n > 0 else 3


def annotated(x):
    y: str = x
    return y


def items(x):
    l: List[int] = [x]
    return l


def argument(x, d: Dict[str, int]):
    d["a"] = x


def keys(x):
    return {x: 1, "a": 2}


def no_object(x):
    x.y = 3


def asked(x):
    return hasattr(x, "a")


def converted(x):
    return torch.jit.annotate(str, x)


REFUSED = ["attribute", "unpacked", "another_name", "assigned", "assigned_in_loop", "carried_through_loop", "computed_is_not",
           "joined_to_the_second", "chosen", "two_returns", "branches", "two_values", "annotated", "items", "argument", "keys", "no_object",
           "asked", "converted"]

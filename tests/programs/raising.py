"""What `raise` and `assert` take, and how the exception and its place are shown."""
from typing import Dict, List

import torch


class OwnError(Exception):
    def __init__(self, a, b=1):
        super().__init__(a)


class OwnValueError(ValueError):
    pass


def two_arguments(x: int):
    if x > 0:
        raise TypeError("a", 1)
    return x


def many_arguments(x: int):
    if x > 0:
        raise TypeError("a", 1.5, "b", [1, 2], None, True)
    return x


def int_argument(x: int):
    if x > 0:
        raise ValueError(x)
    return x


def no_argument(x: int):
    if x > 0:
        raise ValueError()
    return x


def class_only(x: int):
    if x > 0:
        raise ValueError
    return x


def tuple_argument(x: int):
    if x > 0:
        raise ValueError(("a", 2))
    return x


def own_class(x: int):
    if x > 0:
        raise OwnError("boo")
    return x


def own_class_only(x: int):
    if x > 0:
        raise OwnValueError
    return x


def list_argument(x: int):
    if x > 0:
        raise RuntimeError([1.5, 2])
    return x


def tensor_argument(x: int):
    if x > 0:
        raise RuntimeError(torch.ones(2))
    return x


def assert_with_tuple(x: int):
    assert x < 0, ("a", x)
    return x


def assert_with_int(x: int):
    assert x < 0, x
    return x


def assert_alone(x: int):
    assert x < 0
    return x


def raise_from(x: int):
    if x > 0:
        raise KeyError("k") from ValueError("z")
    return x


def raise_variable(x: int):
    e = ValueError("a")
    raise e
    return x


def ternary_argument(x: int):
    if x > 0:
        raise ValueError("a" if x > 1 else "b")
    return x


def text_of_two_lines(x: int):
    if x > 0:
        raise ValueError("""a
   b""")
    return x


def raise_variable_in_branch(x: int):
    e = ValueError("a")
    if x > 0:
        raise e
    return x


def alias_of_os_error(x: int):
    e = IOError("a")
    raise e


def sort_lists(l: List[List[int]]):
    l.sort()
    return l


def sorted_dicts(l: List[Dict[str, int]]):
    return sorted(l)


CALLS = {
    "sort_lists": [([[2], [1]],), ([],)],
    "sorted_dicts": [([{"a": 1}],), ([],)],
    "two_arguments": [(3,)],
    "many_arguments": [(3,)],
    "int_argument": [(3,), (-1,)],
    "no_argument": [(3,)],
    "class_only": [(3,)],
    "tuple_argument": [(3,)],
    "own_class": [(3,)],
    "own_class_only": [(3,)],
    "list_argument": [(3,)],
    "tensor_argument": [(3,)],
    "assert_with_tuple": [(3,)],
    "assert_with_int": [(3,)],
    "assert_alone": [(3,)],
    "raise_from": [(3,)],
    "raise_variable": [(3,)],
    "ternary_argument": [(0,), (1,), (2,)],
    "text_of_two_lines": [(3,)],
    "raise_variable_in_branch": [(3,)],
    "alias_of_os_error": [(3,)],
}

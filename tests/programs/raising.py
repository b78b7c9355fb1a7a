"""What `raise` and `assert` take, and how the exception and its place are shown."""
from enum import Enum
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import torch


class Parts(NamedTuple):
    a: int
    b: List[int]


class Pair(NamedTuple):
    a: int
    b: int


class Side(Enum):
    LEFT = 1
    RIGHT = 2


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


def sorted_pairs_with_lists(l: List[Tuple[float, List[int]]]):
    return sorted(l)


def sort_pairs_with_dicts(l: List[Tuple[int, Dict[str, List[int]]]]):
    l.sort(reverse=True)
    return l


def sort_pairs_with_complex(n: int):
    l = [(1, 2j)][:n]
    l.sort()
    return len(l)


def sort_pairs_with_devices(n: int):
    l = [(1, (2, torch.device("cpu")))][:n]
    return len(sorted(l))


def sort_named_tuples(n: int):
    l = [Parts(2, [1]), Parts(1, [1])][:n]
    l.sort()
    return len(l)


def sort_enum_members(n: int):
    return len(sorted([Side.LEFT][:n])), len(sorted([(1, [Side.LEFT])][:0]))


def sorted_pairs_with_members(n: int):
    return len(sorted([(Side.LEFT, 1)][:n]))


def sorted_pairs_with_none(l: List[Tuple[int, Optional[int]]]):
    return sorted(l)


def sort_deep_pairs_with_none(l: List[Tuple[int, Tuple[Optional[int], str]]]):
    l.sort(reverse=True)
    return l


def sorted_optional_pairs(l: List[Optional[Tuple[int, int]]]):
    return sorted(l)


def sorted_optional_ints(l: List[Optional[int]]):
    return sorted(l)


def sorted_values_of_any_type(n: int):
    l = torch.jit.annotate(List[Any], [])
    if n == 1:
        l.append((1, 2))
        l.append((0, 2))
    elif n == 2:
        l.append((1, 2))
        l.append((1, 2.5))
    elif n == 3:
        l.append((1, [2], {"a": 1}))
    elif n == 4:
        l.append((1, [2]))
        l.append((1, ["a"]))
    elif n == 5:
        l.append(1)
        l.append({"a": 1})
    elif n == 6:
        l.append(1)
        l.append(Side.LEFT)
    elif n == 7:
        l.append((1, 2))
        l.append(Pair(1, 2))
    elif n == 8:
        l.append([2])
    elif n == 9:
        l.append(([1], torch.jit.annotate(List[str], [])))
    return len(sorted(l))


CALLS = {
    "sorted_pairs_with_lists": [([],), ([(1.5, [2])],), ([(2.5, []), (1.5, [2])],)],
    "sort_pairs_with_dicts": [([],), ([(1, {"a": [2]})],)],
    "sort_pairs_with_complex": [(0,), (1,)],
    "sort_pairs_with_devices": [(0,), (1,)],
    "sort_named_tuples": [(0,), (1,), (2,)],
    "sort_enum_members": [(0,), (1,)],
    "sorted_pairs_with_members": [(0,), (1,)],
    "sorted_pairs_with_none": [([],), ([(2, 1), (1, 1)],), ([(2, 1), (2, None)],), ([(1, None)],), ([(1, None), (2, 1)],)],
    "sort_deep_pairs_with_none": [([],), ([(1, (2, "a")), (1, (3, "a"))],), ([(1, (None, "a"))],), ([(1, (None, "a")), (1, (1, "a"))],)],
    "sorted_optional_pairs": [([(1, 1), (0, 1)],), ([(1, 1), None],)],
    "sorted_optional_ints": [([],), ([3],), ([3, None],)],
    "sorted_values_of_any_type": [(i,) for i in range(10)],
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

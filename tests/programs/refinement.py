"""Optional, Union, Any and Enum: how conditions refine types, and where a refinement ends."""
from enum import Enum
from typing import Any, Dict, List, Optional, Tuple, Union

import torch


class Color(Enum):
    RED = 1
    GREEN = 2


class Word(Enum):
    A = "a"
    B = "b"


def optional_until_set(x: Optional[int]) -> int:
    n = 0
    while x is None:
        n += 1
        x = n
    return x + n


def optional_list_of_optionals(x: Optional[List[Optional[int]]]) -> int:
    s = 0
    if x is not None:
        for v in x:
            if v is not None:
                s += v
    return s


def optional_and_or(x: Optional[int], y: Optional[int]) -> int:
    if x is not None and y is not None and x > y:
        return x - y
    elif x is not None or y is not None:
        z = x if x is not None else 0
        w = y if y is not None else 0
        return z + w
    return -1


def optional_not(x: Optional[str]) -> str:
    if not (x is None):
        return x.upper()
    return "none"


def optional_assert(x: Optional[int]) -> int:
    assert x is not None, "x is none"
    return x * 2


def optional_return(x: Optional[float]) -> float:
    if x is None:
        return -1.0
    return x / 2


def optional_raise(x: Optional[int]) -> int:
    if x is None:
        raise ValueError("none: {}".format(x))
    return x


def optional_ternary(x: Optional[int]) -> int:
    return x if x is not None else 5


def optional_reassigned(x: Optional[int]) -> int:
    if x is None:
        x = 4
    return x


def optional_in_dict(d: Dict[str, Optional[int]]) -> List[int]:
    out: List[int] = []
    for k, v in d.items():
        if v is not None:
            out.append(v)
        else:
            out.append(len(k))
    return out


def optional_equality(x: Optional[int], y: Optional[int]) -> Tuple[bool, bool]:
    return x == y, x != y


def optional_identity(x: Optional[int], y: Optional[int]) -> bool:
    return x is y


def optional_in_comprehension(x: List[Optional[str]]) -> List[str]:
    return [s if s is not None else "?" for s in x]


def optional_in_tuple(t: Tuple[Optional[int], int]) -> int:
    a, b = t
    if a is not None:
        return a + b
    return b


def optional_unwrapped(x: Optional[int]) -> int:
    return torch.jit._unwrap_optional(x)


def optional_default(x: int, y: Optional[int] = None) -> int:
    if y is None:
        y = x
    return x + y


def optional_across_loop(l: List[Optional[int]]) -> int:
    r: Optional[int] = None
    for v in l:
        if v is None:
            break
        r = v
    if r is None:
        return -1
    return r


def optional_text(x: Optional[int]) -> str:
    return str(x) + f"{x}" + "{}".format(x)


def union_of_three(x: Union[int, str, List[int]]) -> str:
    if isinstance(x, int):
        return str(x + 1)
    elif isinstance(x, str):
        return x + "!"
    else:
        return str(len(x))


def union_with_none(x: Union[int, float, None]) -> float:
    if x is None:
        return 0.0
    if isinstance(x, float):
        return x
    return float(x)


def union_all_members(x: Union[int, str]) -> int:
    if isinstance(x, (int, str)):
        return 1
    return 2


def union_list(l: List[Union[int, str]]) -> int:
    n = 0
    for v in l:
        if isinstance(v, int):
            n += v
        else:
            n += len(v)
    return n


def union_assign(c: bool) -> str:
    x: Union[int, str] = 3
    if c:
        x = "abc"
    if isinstance(x, str):
        return x
    return "int"


def union_in_optional(x: Optional[Union[int, str]]) -> str:
    if x is None:
        return "n"
    if isinstance(x, int):
        return "i"
    return x


def any_refined(x: Any) -> int:
    if isinstance(x, int):
        return x
    if isinstance(x, str):
        return len(x)
    if isinstance(x, List[int]):
        return sum(x)
    return -1


def any_container_tests(x: Any) -> str:
    if torch.jit.isinstance(x, Dict[str, int]):
        return "dict" + str(len(x))
    if torch.jit.isinstance(x, List[str]):
        return "liststr"
    if torch.jit.isinstance(x, Tuple[int, str]):
        return "tuple"
    if torch.jit.isinstance(x, Optional[int]):
        return "opt"
    return "?"


def any_returned(x: Any) -> Any:
    return x


def any_list(l: List[Any]) -> int:
    n = 0
    for x in l:
        if isinstance(x, int):
            n += x
        elif isinstance(x, float):
            n += int(x)
    return n


def enum_eq(c: Color) -> Tuple[bool, bool, str, int]:
    return c == Color.RED, c != Color.GREEN, c.name, c.value


def enum_ret(n: int) -> Color:
    if n > 0:
        return Color.GREEN
    return Color.RED


def enum_list() -> List[str]:
    return [c.name for c in Color]


def enum_str(w: Word) -> str:
    return w.value + w.name


def enum_print(w: Word) -> None:
    print(w, Color.RED)


def enum_identity(w: Word) -> bool:
    return w is Word.A


def enum_values(l: List[Color]) -> int:
    s = 0
    for c in l:
        s += c.value
    return s


def isinstance_list(x: List[int]) -> bool:
    return isinstance(x, list)


def isinstance_tuple(x: Tuple[int, int]) -> bool:
    return isinstance(x, tuple)


def isinstance_list_or_tuple(x: Union[List[int], Tuple[int, int]]) -> str:
    if isinstance(x, list):
        return "l" + str(x[0])
    return "t" + str(x[1])


def isinstance_of_any(x: Any) -> Tuple[bool, bool, bool]:
    return isinstance(x, torch.Tensor), isinstance(x, float), isinstance(x, bool)


def refine_else(x: Union[int, List[int]]) -> int:
    if not isinstance(x, int):
        return x[0]
    return x


def refine_or(x: Optional[int]) -> bool:
    return x is None or x > 3


def refine_and(x: Optional[int]) -> bool:
    return x is not None and x > 3


def refine_while(x: Optional[int]) -> int:
    while x is not None:
        if x > 5:
            return x
        x = x + 1
    return 0


def refine_elif(x: Union[int, str, float]) -> str:
    if isinstance(x, str):
        return x
    elif isinstance(x, float):
        return "f" + str(x)
    return "i" + str(x)


def none_list(n: int) -> List[Optional[int]]:
    r = [None, n]
    return [1, None, n]


def none_returned(n: int) -> Optional[int]:
    if n > 0:
        return n
    return None


def none_implicit(n: int) -> Optional[int]:
    if n > 0:
        return n


def none_variable(n: int) -> Optional[str]:
    r: Optional[str] = None
    if n > 2:
        r = str(n)
    return r


def assigned_then_refined_by_return(s: str, o: Optional[int], u: Union[int, str], v: Optional[int]) -> int:
    if o is None:
        s = "k"
    else:
        if v is not None:
            u = u if isinstance(u, str) else s
        if isinstance(u, int):
            return 50
    if isinstance(u, int):
        return u
    return len(u) + 100


def assigned_then_refined_by_raise(o: Optional[int], b: bool, c: bool) -> int:
    n = 3
    if b:
        o = 5 if c else None
        if o is None:
            raise ValueError("none")
        n += o
    if o is not None:
        n += 10 * o
    return n


def assigned_then_refined_in_loop(items: List[int], o: Optional[int]) -> int:
    n = 0
    for i in items:
        if i > 1:
            o = i if i > 2 else o
            if o is None:
                continue
        n += i if o is None else 10 * o
    return n if o is None else n + 1000 * o


def assigned_then_asserted(u: Union[int, str], b: bool) -> int:
    if b:
        u = "abc" if isinstance(u, int) else u
        assert isinstance(u, str)
    if isinstance(u, str):
        return len(u) + 100
    return u


def assigned_then_refined_in_with(o: Optional[int], b: bool) -> int:
    if b:
        o = 7 if o is not None else o
        with torch.no_grad():
            assert o is not None
    return -1 if o is None else o


CALLS = {
    "optional_list_of_optionals": [(None,), ([1, None, 2],), ([],)],
    "optional_and_or": [(None, None), (3, 1), (1, 3), (None, 2)],
    "optional_not": [(None,), ("ab",)],
    "optional_assert": [(None,), (4,)],
    "optional_return": [(None,), (3.0,)],
    "optional_raise": [(None,), (2,)],
    "optional_ternary": [(None,), (1,)],
    "optional_reassigned": [(None,), (1,)],
    "optional_in_dict": [({"a": 1, "bcd": None},)],
    "optional_identity": [(1, 1), (None, None), (None, 2)],
    "optional_in_comprehension": [(["a", None],)],
    "optional_in_tuple": [((None, 3),), ((1, 2),)],
    "optional_unwrapped": [(None,), (3,)],
    "optional_default": [(3,), (3, 4)],
    "optional_across_loop": [([1, 2, None, 4],), ([],), ([None],)],
    "optional_text": [(None,), (3,)],
    "union_of_three": [(1,), ("a",), ([1, 2],)],
    "union_with_none": [(None,), (1.5,), (2,)],
    "union_all_members": [(1,), ("a",)],
    "union_list": [([1, "abc", 2],)],
    "union_assign": [(True,), (False,)],
    "union_in_optional": [(None,), (1,), ("z",)],
    "any_refined": [(1,), ("abc",), ([1, 2],), (1.5,)],
    "any_container_tests": [({"a": 1},), (["a"],), ((1, "a"),), (3,), (None,), (2.5,)],
    "any_returned": [(1,), ("a",), ([1],), ((1, "a"),), (None,)],
    "any_list": [([1, 2.5, "a"],)],
    "enum_eq": [(Color.RED,), (Color.GREEN,)],
    "enum_ret": [(1,), (-1,)],
    "enum_list": [()],
    "enum_str": [(Word.A,)],
    "enum_print": [(Word.B,)],
    "enum_identity": [(Word.A,)],
    "enum_values": [([Color.RED, Color.GREEN],)],
    "isinstance_list": [([1],)],
    "isinstance_tuple": [((1, 2),)],
    "isinstance_list_or_tuple": [([1],), ((1, 2),)],
    "isinstance_of_any": [(torch.tensor([1.0]),), (1.5,), (True,)],
    "refine_else": [(1,), ([4],)],
    "refine_or": [(None,), (1,), (9,)],
    "refine_and": [(None,), (1,), (9,)],
    "refine_elif": [("a",), (1.5,), (2,)],
    "none_list": [(3,)],
    "none_returned": [(1,), (0,)],
    "none_variable": [(1,), (3,)],
    "assigned_then_refined_by_return": [("", 0, 5, 2), ("ab", None, 5, 2), ("ab", 0, 5, None), ("ab", 0, "cde", 2), ("ab", 3, "cde", None)],
    "assigned_then_refined_by_raise": [(1, True, True), (None, True, True), (1, True, False), (2, False, True), (None, False, True)],
    "assigned_then_refined_in_loop": [([1, 2, 3], None), ([1, 2, 3, 2, 1], 4), ([], None), ([2], 7), ([3, 1], None)],
    "assigned_then_asserted": [(4, True), (4, False), ("x", True), ("x", False)],
    "assigned_then_refined_in_with": [(4, True), (4, False), (None, False), (None, True)],
}

REFUSED = [
    "optional_until_set", "optional_equality", "refine_while", "none_implicit",
]

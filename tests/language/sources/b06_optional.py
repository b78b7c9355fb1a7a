"""B6 Optional: creation, refinement by is None / is not None / and / or / not / assert / early return / ternary;
attributes are not refined"""
import torch
from typing import Optional, List, Tuple, Dict
def basic(x: Optional[int]) -> int:
    if x is None:
        return -1
    return x + 1

def is_not(x: Optional[int]) -> int:
    if x is not None:
        y = x * 2
    else:
        y = 0
    return y

def and_both(x: Optional[int], y: Optional[int]) -> int:
    if x is not None and y is not None:
        return x + y
    return 0

def or_early(x: Optional[int], y: Optional[int]) -> int:
    if x is None or y is None:
        return 0
    return x * y

def negated(x: Optional[int]) -> int:
    if not (x is None):
        return x
    return -5

def by_assert(x: Optional[int]) -> int:
    assert x is not None
    return x + 1

def by_assert_msg(x: Optional[int]) -> int:
    assert x is not None, "x is required"
    return x + 1

def by_raise(x: Optional[int]) -> int:
    if x is None:
        raise ValueError("none!")
    return x

def reassign(x: Optional[int]) -> int:
    if x is None:
        x = 10
    return x + 1

def ternary(x: Optional[int]) -> int:
    return x if x is not None else 7

def in_and_expr(x: Optional[int]) -> bool:
    return x is not None and x > 3

def in_or_expr(x: Optional[int]) -> bool:
    return x is None or x > 3

def local_opt(flag: bool) -> Optional[int]:
    v: Optional[int] = None
    if flag:
        v = 3
    return v

def opt_tensor(a: torch.Tensor, f: bool):
    value: Optional[torch.Tensor] = None
    if f:
        value = a
    return value

def opt_list(l: Optional[List[int]]) -> int:
    if l is not None:
        l.append(1)
        return len(l)
    return 0

def default_none(x: int, y: Optional[int] = None) -> int:
    return x if y is None else x + y

def unwrap(x: Optional[int]) -> int:
    return torch.jit._unwrap_optional(x)

def bad_eq_none(x: Optional[int]) -> Tuple[bool, bool]:
    return x == None, x != None

def nested_if(x: Optional[int], y: Optional[int]) -> int:
    r = 0
    if x is not None:
        if y is not None:
            r = x + y
        else:
            r = x
    elif y is not None:
        r = y
    return r

def bad_continue_refine(xs: List[Optional[int]]) -> List[int]:
    out: List[int] = []
    for x in xs:
        if x is None:
            continue
        out.append(x)
    return out

def bad_no_refine(x: Optional[int]):
    return x + 1

def bad_var_check(x: Optional[int]):
    ok = x is not None
    if ok:
        return x + 1
    return 0

def bad_mix(b: bool):
    v = None
    if b:
        v = 3
    return v + 1

CASES = [(n, (a,)) for n in ["basic", "is_not", "negated", "by_assert", "by_assert_msg", "by_raise", "reassign", "ternary", "in_and_expr", "in_or_expr", "unwrap"] for a in (5, None)]
CASES += [("and_both", (1, 2)), ("and_both", (None, 2)), ("or_early", (3, 2)), ("or_early", (3, None)), ("local_opt", (True,)), ("local_opt", (False,)),
 ("opt_tensor", (torch.ones(2), True)), ("opt_tensor", (torch.ones(2), False)), ("opt_list", ([1],)), ("opt_list", (None,)), ("default_none", (1,)), ("default_none", (1, 4)), ("default_none", (1,), {"y": 2}),
 ("nested_if", (1, 2)), ("nested_if", (1, None)), ("nested_if", (None, 2)), ("nested_if", (None, None))]
BAD = [("bad_no_refine", "Expected a value of type 'Tensor' for argument 'self' but instead found type 'Optional[int]'"), ("bad_var_check", "Optional[int]"), ("bad_mix", "previously had type NoneType but is now being assigned to a value of type int"), ("bad_eq_none", "Optional[int]"), ("bad_continue_refine", "Expected a value of type 't' for argument 'el' but instead found type 'Optional[int]'")]

"""S1 assignment: simple, chained, tuple targets, starred, attribute, subscript, annotated; rebinding with a new
type at the same level; swap; nested targets"""
import torch
from typing import List, Tuple, Optional, Dict
def chained() -> Tuple[int, int, int]:
    a = b = c = 4
    b += 1
    return a, b, c

def chained_tuple(t: Tuple[int, int]):
    a = (b, c) = t
    return a, b, c

def nested_targets(t: Tuple[int, Tuple[int, Tuple[int, int]]]) -> int:
    a, (b, (c, d)) = t
    e, f = c, d
    return a * 1000 + b * 100 + e * 10 + f

def star_mid(t: Tuple[int, int, int, int]):
    a, *b, c = t
    return a, b, c

def star_empty(t: Tuple[int, int]):
    a, *b, c = t
    return a, b, c

def rebind_type(x: int):
    y = x
    z = str(y)
    y2 = z
    return y2

def rebind_same_level(x: int) -> str:
    v = x
    v = "now a string"
    return v

def sub_targets(l: List[int], d: Dict[str, int]):
    l[0], d["a"] = 5, 6
    return l, d

def swap_items(l: List[int]):
    l[0], l[1] = l[1], l[0]
    return l

def underscore(t: Tuple[int, int]) -> int:
    _, b = t
    return b

def from_call(x: torch.Tensor):
    a, b = x.unbind(0)
    mn, mx = x.min(), x.max()
    return a, b, mn, mx

def aug_all(a: int, b: float, s: str, l: List[int]):
    a += 1
    a -= 2
    a *= 3
    b /= 4
    b **= 2
    s += "x"
    l += [1]
    return a, b, s, l

def eval_order(l: List[int]) -> List[int]:
    l[push(l, 0)] = push(l, 7)
    return l

def push(l: List[int], v: int) -> int:
    l.append(v)
    return v

def annotated_then_assign(f: bool) -> Optional[int]:
    r: Optional[int] = None
    if f:
        r = 1
    return r

def delete_var(x: int) -> int:
    y = x + 1
    z = y * 2
    del y
    return z

def bad_list_target(t: Tuple[int, int]):
    [a, b] = t
    return a

def bad_del_use(x: int):
    y = x
    del y
    return y

def bad_inner_type(f: bool):
    v = 1
    if f:
        v = "s"
    return v

def reannotate(x: int):
    y: int = 1
    y: str = "a"
    return y

def bad_ann_mismatch():
    y: int = "s"
    return y

def bad_ann_multi():
    a: int
    return 1

def bad_walrus(x: int):
    if (y := x) > 1:
        return y
    return 0

def bad_lhs_call(l: List[int]):
    len(l) == 3
    f(l)[0] = 1
    return l

def bad_unpack_int(x: int):
    a, b = x
    return a

def bad_global(x: int):
    global Q
    Q = x
    return Q

def bad_nonlocal_def(x: int):
    def inner(y: int) -> int:
        return y + 1
    return inner(x)

CASES = [("reannotate", (1,)), ("chained", ()), ("chained_tuple", ((1, 2),)), ("nested_targets", ((1, (2, (3, 4))),)), ("star_mid", ((1, 2, 3, 4),)), ("star_empty", ((1, 2),)), ("rebind_type", (3,)), ("rebind_same_level", (3,)), ("sub_targets", ([1], {"a": 1})), ("swap_items", ([1, 2],)), ("underscore", ((1, 2),)), ("from_call", (torch.tensor([1., 2.]),)),
 ("aug_all", (1, 2.0, "s", [0])), ("eval_order", ([9],)), ("annotated_then_assign", (True,)), ("delete_var", (2,))]
BAD = [("bad_del_use", "undefined value y"), ("bad_inner_type", "Variable 'v' previously had type int but is now being assigned to a value of type str"), ("bad_list_target", "unexpected expression on left-hand side of assignment"), ("bad_ann_mismatch", "Variable 'y' is annotated with type int but is being assigned to a value of type str"),
 ("bad_walrus", "NamedExpr aren't supported"), ("bad_lhs_call", "undefined value f"), ("bad_unpack_int", "cannot be used as a tuple"), ("bad_global", "global variables aren't supported"), ("bad_nonlocal_def", "function definitions aren't supported")]

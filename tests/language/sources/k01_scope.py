"""K1 variable resolution and typing errors: undefined names, partial definition, types across branches and loops,
unification of None, subclass types, recursion, return type inference"""
import torch
from typing import List, Optional, Tuple
def local_shadows_global(x: int) -> int:
    helper = x + 1
    return helper

def helper(x: int) -> int:
    return x

def mutual_a(n: int) -> int:
    return helper(n) + 1

def param_reassign(x: int, y: str) -> str:
    x = x + 1
    y = y + str(x)
    return y

def branch_local(c: bool) -> int:
    if c:
        t = 1
        u = t + 1
    else:
        u = 5
    return u

def unused_partial(c: bool) -> int:
    if c:
        t = 1
    return 3

def defined_then_raise(c: bool) -> int:
    if c:
        v = 1
    else:
        assert False, "never"
    return v

def opt_from_branches(c: bool, x: torch.Tensor):
    if c:
        y = x
    else:
        y = None
    return y

def loop_defined_before(n: int) -> int:
    z = 0
    for i in range(n):
        z = i
    return z

def recurse_bad(n: int) -> int:
    if n == 0:
        return 0
    return recurse_bad(n - 1)

def bad_name(x: int):
    return x + undefined_name_q

def bad_suggest(tensor_value: int):
    return tensor_valeu + 1

def bad_loop_type(n: int):
    acc = None
    for i in range(n):
        acc = i
    return acc

def bad_branch_list(c: bool):
    if c:
        l = [1]
    else:
        l = ["a"]
    return l

def bad_shadow_type(x: int):
    for x in ["a"]:
        pass
    return x

def bad_use_before(x: int):
    y = z + x
    z = 1
    return y

def bad_tensor_or_int(c: bool, x: torch.Tensor):
    if c:
        return x
    return 3

CASES = [("local_shadows_global", (1,)), ("mutual_a", (1,)), ("param_reassign", (1, "a")), ("branch_local", (True,)), ("branch_local", (False,)), ("unused_partial", (True,)), ("defined_then_raise", (True,)), ("defined_then_raise", (False,)), ("opt_from_branches", (True, torch.ones(1))), ("opt_from_branches", (False, torch.ones(1))), ("loop_defined_before", (3,))]
BAD = [("recurse_bad", "function 'recurse_bad' is called recursively. Recursive calls are not supported"), ("bad_name", "undefined value undefined_name_q"), ("bad_suggest", "undefined value tensor_valeu"), ("bad_loop_type", "Variable 'acc' previously had type NoneType but is now being assigned to a value of type int"), ("bad_branch_list", "Type mismatch: l is set to type List[int] in the true branch and type List[str] in the false branch"), ("bad_shadow_type", "Variable 'x' previously had type int but is now being assigned to a value of type str"), ("bad_use_before", "undefined value z"), ("bad_tensor_or_int", "Previous return statement returned a value of type Tensor but this return statement returns a value of type int")]

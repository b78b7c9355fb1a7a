"""S2 if / elif / else: returns in branches, variables defined in all branches, merging Optional/None, early return,
nested, pass, constant conditions, type mismatch and undefined errors"""
import torch
from typing import List, Optional, Tuple
def grade(n: int) -> str:
    if n >= 90:
        return "A"
    elif n >= 80:
        return "B"
    elif n >= 70:
        return "C"
    else:
        return "F"

def define_both(c: bool) -> int:
    if c:
        y = 1
    else:
        y = 2
    return y

def modify_one(c: bool, y: int) -> int:
    if c:
        y = y * 2
    return y

def early(n: int) -> int:
    if n < 0:
        return -1
    n += 1
    if n > 10:
        return 10
    return n

def some_return(n: int) -> int:
    r = 0
    if n > 0:
        if n > 5:
            return 100
        r = 1
    else:
        r = 2
    return r

def raise_branch(n: int) -> int:
    if n > 0:
        y = n
    else:
        raise ValueError("neg")
    return y

def pass_branch(n: int) -> int:
    if n > 0:
        pass
    else:
        n = -n
    return n

def none_merge(c: bool, x: int):
    if c:
        r = x
    else:
        r = None
    return r

def tensor_if(x: torch.Tensor) -> torch.Tensor:
    if x.sum() > 0:
        y = x + 1
    else:
        y = x - 1
    return y

def is_scripting_branch(x: int) -> int:
    if torch.jit.is_scripting():
        return x + 1
    else:
        return some_python_only_thing(x)

def const_false(x: int) -> int:
    if False:
        return undefined_thing
    return x

def isinstance_fold(x: int) -> int:
    if isinstance(x, str):
        return x.undefined_attr
    return x

def several_vars(c: bool) -> Tuple[int, str, float]:
    if c:
        a = 1
        b = "t"
        d = 1.5
    else:
        d = 2.5
        b = "f"
        a = 2
    return a, b, d

def single_line(x: int) -> int:
    if x: return 1
    else: return 2

def bad_mismatch(x):
    if x:
        r = torch.ones(1)
    else:
        r = 4
    return r

def bad_undefined(x):
    if x < 0:
        y = 4
    print(y)

def bad_undefined_else(x: int):
    if x < 0:
        pass
    else:
        y = 3
    return y

def bad_return_types(c: bool):
    if c:
        return 1
    return "s"

CASES = [("grade", (95,)), ("grade", (85,)), ("grade", (75,)), ("grade", (5,)), ("define_both", (True,)), ("modify_one", (True, 3)), ("modify_one", (False, 3)), ("early", (-5,)), ("early", (3,)), ("early", (30,)), ("some_return", (9,)), ("some_return", (2,)), ("some_return", (-2,)), ("raise_branch", (1,)), ("raise_branch", (-1,)), ("pass_branch", (-4,)), ("none_merge", (True, 1)), ("none_merge", (False, 1)), ("tensor_if", (torch.ones(2),)), ("tensor_if", (-torch.ones(2),)), ("is_scripting_branch", (1,)), ("const_false", (2,)), ("isinstance_fold", (3,)), ("several_vars", (True,)), ("several_vars", (False,)), ("single_line", (0,))]
BAD = [("bad_mismatch", "Type mismatch: r is set to type Tensor in the true branch and type int in the false branch"), ("bad_undefined", "y is not defined in the false branch"), ("bad_undefined_else", "y is not defined in the true branch"), ("bad_return_types", "Previous return statement returned a value of type int but this return statement returns a value of type str")]

"""S4 other statements: raise, assert, pass, del, print, return forms, with, unsupported statements (try, lambda,
yield, class/def inside, global, async, import, set, slices)"""
import torch
from typing import List, Dict, Any, Tuple
class MyError(Exception):
    def __init__(self, msg):
        super().__init__(msg)

def raise_value(x: int) -> int:
    if x > 0:
        raise ValueError("bad value {}".format(x))
    return x

def raise_bare(x: int) -> int:
    if x > 0:
        raise RuntimeError
    return x

def raise_custom(x: int) -> int:
    if x > 0:
        raise MyError("mine")
    return x

def raise_kinds(k: int) -> int:
    if k == 0:
        raise RuntimeError("rt")
    elif k == 1:
        raise KeyError("ke")
    elif k == 2:
        raise IndexError("ie")
    elif k == 3:
        raise NotImplementedError("ni")
    elif k == 4:
        raise Exception("ex")
    elif k == 5:
        raise TypeError("a", 1)
    return k

def raise_from(x: int) -> int:
    if x > 0:
        raise ValueError("v") from RuntimeError("cause")
    return x

def assert_plain(x: int) -> int:
    assert x > 0
    return x

def assert_msg(x: int) -> int:
    assert x > 0, "x must be positive but is {}".format(x)
    return x

def assert_fstr(x: int) -> int:
    assert x > 0, f"got {x}"
    return x

def assert_tensor(x: torch.Tensor) -> int:
    assert x.sum() > 0
    return 1

def always_raise(x: int) -> int:
    raise RuntimeError("always")

def ret_none(x: int):
    if x > 0:
        return
    print("not returned")

def ret_tuple(x: int):
    return x, x + 1

def ret_empty_tuple() -> Tuple[()]:
    return ()

def unreachable(x: int) -> int:
    return x
    return x + 1

def prints(x: torch.Tensor, l: List[int], d: Dict[str, float], t: Tuple[int, str]):
    print("hello", 1, 2.0, True, None)
    print(x)
    print(l, d, t)
    print()
    print(1.5e10, 0.1, -0.0, 1e-5, float("inf"), float("nan"))
    print("a\nb", 'q"q')
    print([1.0, 2.5], ["s"], [True], (1,), {"k": [1]})
    print(torch.tensor([1, 2]), torch.tensor(3.5), torch.tensor([[1., 2.], [3., 4.]]), torch.tensor([True, False]))

@torch.jit.script
class Ctx:
    def __init__(self, name: str, log: List[str]):
        self.name = name
        self.log = log

    def __enter__(self):
        self.log.append("enter " + self.name)
        return self.name

    def __exit__(self, exc_type: Any, exc: Any, tb: Any) -> None:
        self.log.append("exit " + self.name)

def with_basic() -> List[str]:
    log: List[str] = []
    with Ctx("a", log) as n:
        log.append("in " + n)
    return log

def with_two() -> List[str]:
    log: List[str] = []
    with Ctx("a", log) as n, Ctx("b", log) as m:
        log.append(n + m)
    with Ctx("c", log):
        pass
    return log

def with_nested_if(c: bool) -> List[str]:
    log: List[str] = []
    with Ctx("a", log):
        if c:
            log.append("c")
        else:
            log.append("d")
    return log

def with_raise(x: int) -> int:
    log: List[str] = []
    with Ctx("a", log):
        if x > 0:
            raise ValueError("inside")
    return len(log)

def with_no_grad(x: torch.Tensor) -> Tuple[torch.Tensor, bool]:
    with torch.no_grad():
        y = x * 2
    return y, y.requires_grad

def semicolons(x: int) -> int:
    x += 1; x *= 2
    return x

def line_join(x: int) -> int:
    y = x + \
        1
    z = (x +
         y)  # comment
    return z

def docstring(x: int) -> int:
    """docs
    here"""
    # a comment
    return x  # trailing

def bad_try(x: int):
    try:
        return x
    except Exception:
        return 0

def bad_finally(x: int):
    try:
        return x
    finally:
        pass

def bad_lambda(x: int):
    f = lambda y: y + 1
    return f(x)

def bad_yield(x: int):
    yield x

def bad_class_inside(x: int):
    class A:
        pass
    return x

def bad_import(x: int):
    import math
    return math.floor(x)

def bad_set_literal(x: int):
    return {x, 1}

async def bad_async(x: int):
    return x

async def bad_await(x: int):
    return await x

def bad_break_outside(x: int):
    break_me = x
    if x > 0:
        pass
    return bad_name_error

def bad_del_slice(l: List[int]):
    del l[0:2]
    return l

def bad_del_attr(x: torch.Tensor):
    del x.grad
    return x

def bad_with_nonctx(x: int):
    with x:
        pass
    return x

def bad_raise_value(x: int):
    raise x

def bad_raise_str(x: int):
    raise "text"

def bad_print_kw(x: int):
    print(x, end="")

def bad_ellipsis_stmt(x: int):
    ...
    return x

def bad_match(x: int):
    match x:
        case 1:
            return 1
    return 0

def bad_jit_prefix(x: int):
    __jit_x = x
    return __jit_x

CASES = [("raise_value", (1,)), ("raise_value", (0,)), ("raise_bare", (1,)), ("raise_custom", (1,))] + [("raise_kinds", (i,)) for i in range(7)] + [("raise_from", (1,)), ("assert_plain", (1,)), ("assert_plain", (0,)), ("assert_msg", (0,)), ("assert_fstr", (0,)), ("assert_tensor", (torch.ones(1),)), ("assert_tensor", (-torch.ones(1),)), ("always_raise", (1,)), ("ret_none", (1,)), ("ret_none", (0,)), ("ret_tuple", (1,)), ("ret_empty_tuple", ()), ("unreachable", (1,)),
 ("prints", (torch.ones(2), [1, 2], {"a": 1.0}, (1, "z"))), ("with_basic", ()), ("with_two", ()), ("with_nested_if", (True,)), ("with_raise", (1,)), ("with_raise", (0,)), ("with_no_grad", (torch.ones(1, requires_grad=True),)), ("semicolons", (1,)), ("line_join", (1,)), ("docstring", (1,))]
BAD = [("bad_try", "try blocks aren't supported"), ("bad_finally", "try blocks aren't supported"), ("bad_lambda", "Lambda aren't supported"), ("bad_yield", "Yield aren't supported"), ("bad_class_inside", "class definitions aren't supported"), ("bad_import", "import statements aren't supported"), ("bad_set_literal", "Set aren't supported"), ("bad_async", ""), ("bad_await", ""), ("bad_break_outside", "undefined value bad_name_error"), ("bad_del_slice", "del statements only support deletion at a single index, slicing is not supported"), ("bad_del_attr", "del statements are only supported for deleting list and dict items and variables"), ("bad_with_nonctx", "With item expression must return an object"), ("bad_raise_value", "exceptions must derive from BaseException"), ("bad_raise_str", "exceptions must derive from BaseException"), ("bad_print_kw", ""), ("bad_ellipsis_stmt", ""), ("bad_match", "Match aren't supported"), ("bad_jit_prefix", "names of variables used in JIT-ed functions can't start with __jit")]

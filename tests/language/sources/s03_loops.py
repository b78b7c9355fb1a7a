"""S3 for and while: range forms, break, continue, nested, early return, tuple unrolling, over
tensors/strings/dicts/lists, loop variable after the loop, mutation while iterating, else rejected"""
import torch
from typing import List, Dict, Tuple, Optional
def range1(n: int) -> List[int]:
    return [i for i in range(n)]

def range_forms(a: int, b: int, s: int):
    x: List[int] = []
    y: List[int] = []
    for i in range(a, b):
        x.append(i)
    for i in range(a, b, s):
        y.append(i)
    return x, y

def down(n: int) -> List[int]:
    o: List[int] = []
    for i in range(n, -1, -1):
        o.append(i)
    return o

def range_zero_step(s: int) -> int:
    t = 0
    for i in range(0, 5, s):
        t += i
    return t

def brk(l: List[int]) -> int:
    t = 0
    for v in l:
        if v < 0:
            continue
        if v > 10:
            break
        t += v
    return t

def while_basic(n: int) -> int:
    a = 0
    while a < n:
        a += 3
    return a

def while_true(n: int) -> int:
    i = 0
    while True:
        i += 1
        if i * i > n:
            break
    return i

def while_cond_and(n: int, l: List[int]) -> int:
    i = 0
    while i < n and l[i] != 0:
        i += 1
    return i

def while_continue(n: int) -> int:
    t = 0
    while n > 0:
        n -= 1
        if n % 2 == 0:
            continue
        t += n
    return t

def nested_break(m: List[List[int]], k: int) -> Tuple[int, int]:
    ri = -1
    rj = -1
    for i in range(len(m)):
        for j in range(len(m[i])):
            if m[i][j] == k:
                ri = i
                rj = j
                break
        if ri >= 0:
            break
    return ri, rj

def ret_inside(m: List[List[int]], k: int) -> int:
    for r in m:
        for v in r:
            if v == k:
                return v * 10
    return -1

def ret_while(n: int) -> int:
    while n > 0:
        if n == 3:
            return 33
        n -= 2
    return n

def raise_in_loop(l: List[int]) -> int:
    t = 0
    for v in l:
        if v < 0:
            raise ValueError("negative {}".format(v))
        t += v
    return t

def over_tuple(x: torch.Tensor) -> torch.Tensor:
    y = x
    for v in (1, 2.5, x):
        y = y + v
    return y

def over_nested_tuple():
    t = 0
    for a, b in ((1, 2), (3, 4)):
        t += a * b
    return t

def over_tensor(x: torch.Tensor) -> List[int]:
    o: List[int] = []
    for row in x:
        o.append(int(row.sum()))
    return o

def over_str(s: str) -> str:
    o = ""
    for c in s:
        o = c + o
    return o

def over_dict(d: Dict[str, int]) -> int:
    t = 0
    for k in d:
        t += d[k]
    for k, v in d.items():
        t += v
    for v in d.values():
        t += v
    return t

def enum_start(l: List[str]) -> List[str]:
    o: List[str] = []
    for i, s in enumerate(l):
        o.append(str(i) + s)
    for i, s in enumerate(l, 5):
        o.append(str(i) + s)
    for i, s in enumerate(l, start=2):
        o.append(str(i) + s)
    return o

def zip3(a: List[int], b: List[str], c: List[float]) -> List[str]:
    o: List[str] = []
    for x, y, z in zip(a, b, c):
        o.append(str(x) + y + str(z))
    return o

def enum_zip(a: List[int], b: List[int]) -> int:
    t = 0
    for i, (x, y) in enumerate(zip(a, b)):
        t += i * x * y
    return t

def last_value(n: int) -> int:
    i = -7
    for i in range(n):
        pass
    return i

def grow_while_iter() -> List[int]:
    l = [1, 2, 3]
    for v in l:
        if len(l) < 6:
            l.append(v * 10)
    return l

def reassign_iter() -> int:
    l = [1, 2, 3]
    t = 0
    for v in l:
        l = [100]
        t += v
    return t

def change_bound() -> int:
    n = 3
    t = 0
    for i in range(n):
        n = 10
        t += 1
    return t

def assign_loop_var() -> List[int]:
    o: List[int] = []
    for i in range(3):
        i = i * 10
        o.append(i)
    return o

def loop_carried(x: torch.Tensor, n: int) -> torch.Tensor:
    for i in range(n):
        x = x * 2 + i
    return x

def loop_opt(l: List[int]) -> Optional[int]:
    r: Optional[int] = None
    for v in l:
        if r is None:
            r = v
        elif v > r:
            r = v
    return r

def tensor_while(x: torch.Tensor) -> torch.Tensor:
    while x.sum() < 10:
        x = x + 1
    return x

def big_range() -> int:
    t = 0
    for i in range(100000):
        t += i
    return t

def bad_for_else(l: List[int]):
    for v in l:
        pass
    else:
        return 1
    return 0

def bad_while_else(n: int):
    while n > 0:
        n -= 1
    else:
        return 1
    return 0

def bad_break_tuple():
    for v in (1, 2, 3):
        if v == 2:
            break
    return 0

def bad_type_change(n: int):
    x = 1
    for i in range(n):
        x = "s"
    return x

def bad_undefined_after(n: int):
    for i in range(n):
        z = i
    return z

def bad_iter_int(n: int):
    for i in n:
        pass
    return 0

def bad_zip_mixed(l: List[int]):
    t = 0
    for a, b in zip((1, 2), l):
        t += a * b
    return t

def bad_range_float(f: float):
    for i in range(f):
        pass
    return 0

CASES = [("range1", (4,)), ("range1", (0,)), ("range1", (-3,)), ("range_forms", (2, 9, 3)), ("range_forms", (5, 2, -1)), ("down", (3,)), ("range_zero_step", (2,)), ("range_zero_step", (0,)), ("brk", ([1, -5, 4, 20, 3],)), ("while_basic", (10,)), ("while_true", (50,)), ("while_cond_and", (3, [1, 2, 0, 4])), ("while_cond_and", (2, [1, 2])), ("while_continue", (6,)), ("nested_break", ([[1, 2], [3, 4]], 3)), ("nested_break", ([[1]], 9)), ("ret_inside", ([[1], [2, 3]], 3)), ("ret_inside", ([], 3)), ("ret_while", (7,)), ("ret_while", (4,)), ("raise_in_loop", ([1, 2],)), ("raise_in_loop", ([1, -2],)),
 ("over_tuple", (torch.ones(1),)), ("over_nested_tuple", ()), ("over_tensor", (torch.ones(2, 3),)), ("over_str", ("abc",)), ("over_dict", ({"a": 1, "b": 2},)), ("enum_start", (["x", "y"],)), ("zip3", ([1, 2, 3], ["a", "b"], [0.5, 1.5, 2.5])), ("enum_zip", ([1, 2, 3], [4, 5, 6])), ("last_value", (5,)), ("last_value", (0,)), ("grow_while_iter", ()), ("reassign_iter", ()), ("change_bound", ()), ("assign_loop_var", ()), ("loop_carried", (torch.ones(1), 3)), ("loop_opt", ([3, 9, 2],)), ("loop_opt", ([],)), ("tensor_while", (torch.ones(2),)), ("big_range", ())]
BAD = [("bad_for_else", "else branches of for loops aren't supported"), ("bad_while_else", "ErrorReport(arg0: torch._C._jit_tree_views.SourceRange)"), ("bad_break_tuple", "unrolled loops, we do not support break or continue"), ("bad_type_change", "Variable 'x' previously had type int but is now being assigned to a value of type str"), ("bad_undefined_after", "undefined value z"), ("bad_iter_int", "'int' object is not iterable"), ("bad_zip_mixed", "Can not iterate over a module list or tuple with a value that does not have a statically determinable length"), ("bad_range_float", "")]

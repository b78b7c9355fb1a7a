"""H2 torch.jit APIs: fork/wait, annotate, is_scripting, is_tracing, isinstance, unused, ignore, export,
_unwrap_optional, Future type, warn, autograd"""
import torch
import warnings
from typing import List, Tuple, Dict, Any, Optional
def work(x: torch.Tensor, k: int) -> torch.Tensor:
    return x * k

def fork_wait(x: torch.Tensor):
    f = torch.jit.fork(work, x, 3)
    y = work(x, 2)
    return torch.jit.wait(f) + y

def fork_many(x: torch.Tensor, n: int):
    futs: List[torch.jit.Future[torch.Tensor]] = []
    for i in range(n):
        futs.append(torch.jit.fork(work, x, i))
    out: List[torch.Tensor] = []
    for f in futs:
        out.append(torch.jit.wait(f))
    return torch.stack(out)

def fork_method_wait(x: torch.Tensor):
    f = torch.jit._fork(work, x, k=4)
    return f.wait()

def nested_fork(x: torch.Tensor):
    f = torch.jit.fork(fork_wait, x)
    return torch.jit.wait(f)

def bad_work(x: torch.Tensor) -> torch.Tensor:
    assert x.sum() > 1000, "too small"
    return x

def fork_raises(x: torch.Tensor):
    f = torch.jit.fork(bad_work, x)
    return torch.jit.wait(f)

def scripting() -> bool:
    return torch.jit.is_scripting()

def tracing() -> bool:
    return torch.jit.is_tracing()

def assert_scripting() -> int:
    assert torch.jit.is_scripting()
    return 1

def jit_isinstance(x: Any) -> int:
    if torch.jit.isinstance(x, List[int]):
        return len(x)
    elif torch.jit.isinstance(x, Dict[str, int]):
        return 100 + len(x)
    elif torch.jit.isinstance(x, Tuple[int, str]):
        return 200 + x[0]
    elif torch.jit.isinstance(x, Optional[int]):
        return 300
    return -1

@torch.jit.unused
def not_scriptable(x: int) -> int:
    return [v for v in {x}][0]

def calls_unused(x: int) -> int:
    if x > 0:
        return x
    return not_scriptable(x)

@torch.jit.ignore
def python_side(x: int) -> int:
    return sum(v for v in range(x) if v % 2)

def calls_ignored(x: int) -> int:
    return python_side(x) + 1

def warned(x: int) -> int:
    warnings.warn("careful " + str(x))
    return x

def grads(x: torch.Tensor) -> torch.Tensor:
    y = (x * x).sum()
    y.backward()
    g = x.grad
    assert g is not None
    return g

def autograd_grad(x: torch.Tensor):
    y = (x * x * x).sum()
    g = torch.autograd.grad([y], [x])
    return g[0]

def seeded() -> torch.Tensor:
    torch.manual_seed(7)
    return torch.rand(2)

def script_if_tracing_like(x: torch.Tensor, n: int) -> torch.Tensor:
    for i in range(n):
        x = x + i
    return x

CASES = [("fork_wait", (torch.ones(2),)), ("fork_many", (torch.ones(2), 3)), ("fork_method_wait", (torch.ones(1),)), ("nested_fork", (torch.ones(1),)), ("fork_raises", (torch.ones(1),)), ("scripting", ()), ("tracing", ()), ("assert_scripting", ()), ("jit_isinstance", ([1, 2],)), ("jit_isinstance", ({"a": 1},)), ("jit_isinstance", ((5, "x"),)), ("jit_isinstance", (3,)), ("jit_isinstance", ("s",)), ("calls_unused", (1,)), ("calls_unused", (-1,)), ("calls_ignored", (5,)), ("warned", (3,)), ("grads", (torch.tensor([1., 2.], requires_grad=True),)), ("autograd_grad", (torch.tensor([1., 2.], requires_grad=True),)), ("seeded", ()), ("script_if_tracing_like", (torch.ones(1), 3))]

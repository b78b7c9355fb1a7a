"""Sources that PyTorch refuses to compile: each follows PREFIX and defines f."""

PREFIX = """import torch
import torch.distributed.rpc as rpc
from torch import Tensor
from torch.distributed.rpc import RRef
from typing import Dict, List

@torch.jit.script
def add(x: Tensor, y: int = 3) -> Tensor:
    return x + y

"""

SOURCES = {
    "too_few": "def f(d: str, x: Tensor):\n    return rpc.rpc_sync(d)\n",
    "too_many": "def f(d: str, x: Tensor):\n    return rpc.rpc_async(d, add, (x,), {}, 1., 2)\n",
    "remote_too_few": "def f(d: str, x: Tensor):\n    return rpc.remote(d)\n",
    "by_keyword": "def f(d: str, x: Tensor):\n    return rpc.rpc_async(d, add, args=(x,))\n",
    "no_function": "def f(d: str, x: Tensor):\n    return rpc.remote(d, x, (x,))\n",
    "an_operator": "def f(d: str, x: Tensor):\n    return rpc.remote(d, torch.add, (x,))\n",
    "missing_argument": "def f(d: str, x: Tensor):\n    return rpc.rpc_sync(d, add, ())\n",
    "no_arguments": "def f(d: str, x: Tensor):\n    return rpc.rpc_sync(d, add)\n",
    "one_too_many": "def f(d: str, x: Tensor):\n    return rpc.rpc_sync(d, add, (x, 1, 2))\n",
    "wrong_type": "def f(d: str, x: Tensor):\n    return rpc.rpc_sync(d, add, (x, \"a\"))\n",
    "a_list": "def f(d: str, x: Tensor):\n    return rpc.rpc_sync(d, add, [x])\n",
    "a_tensor": "def f(d: str, x: Tensor):\n    return rpc.rpc_sync(d, add, x)\n",
    "no_such_method": "def f(r: RRef[Tensor]):\n    return r.foo()\n",
    "not_an_rref": "def f(r: Tensor):\n    a: RRef[int] = r\n    return a\n",
    "another_rref": "def f(r: RRef[Tensor]) -> RRef[int]:\n    return r\n",
}

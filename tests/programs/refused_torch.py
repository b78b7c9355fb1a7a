"""Containers of Unions with wrong items, and functions and classes of torch that TorchScript does not have."""
from typing import Any, Dict, List, Union

import torch
from torch import Tensor


def of_bad1():
    x: List[int] = [1, 2, 3]
    x.append("foo")
    return x


def of_bad2():
    x: List[Union[int, str]] = [1, "foo", 3]
    x.append(2.0)
    return x


def of_key():
    x: Dict[Union[int, str], str] = {}
    return x


def of_branches(a: str) -> str:
    if a == "x":
        r: Union[str, List[str]] = "s"
    elif a == "y":
        r = ["t"]
    else:
        r = "z"
    if isinstance(r, str):
        return r
    return r[0]


def of_refine_and(x: Union[int, str, None]) -> str:
    if x is not None and isinstance(x, str) and len(x) > 1:
        return x
    return "no"


def of_dictval(d: Dict[str, Union[int, List[str]]]) -> List[str]:
    r: List[str] = []
    for k, v in d.items():
        if isinstance(v, int):
            r.append(k * v)
        else:
            r.extend(v)
    return r


def of_arb(cond):
    a = 3
    if bool(cond):
        raise ArbitraryError(a, "hi")
    return a


def of_value():
    a = Exception()
    print(a)


def of_masked(x):
    return x.masked_fill(True)


def of_anom(x):
    torch.set_anomaly_enabled(True)
    return x


def of_istensor(x: Any):
    return torch.is_tensor(x)


def of_istensor2(x: int):
    return torch.is_tensor(x)


def of_nograd(x):
    with torch.enable_grad():
        return x


def of_default():
    return torch.get_default_dtype()


def of_numpy(x: Tensor):
    return x.numpy()


def of_seed():
    return torch.seed()


def of_load():
    return torch.load("a")


def of_finfo():
    return torch.finfo(torch.float32).eps


def of_iinfo():
    return torch.iinfo(torch.int32).max


def of_typename(x: Tensor):
    return torch.typename(x)


def of_dtypecall():
    return torch.dtype(1)


def of_param(x: Tensor):
    return torch.nn.Parameter(x)


def of_tensorcls(x: Tensor):
    return torch.Tensor(x)


def of_tensorcls2():
    return torch.Tensor([1.0])


def of_sizeunpack(x: Tensor):
    n, = x.shape
    [m] = [n] if False else (n,)
    return n


REFUSED = ["of_bad1", "of_bad2", "of_key", "of_branches", "of_refine_and", "of_dictval", "of_arb", "of_value", "of_masked", "of_anom", "of_istensor", "of_istensor2", "of_nograd", "of_default", "of_numpy", "of_seed", "of_load", "of_finfo", "of_iinfo", "of_typename", "of_dtypecall", "of_param", "of_tensorcls", "of_tensorcls2", "of_sizeunpack"]

"""Lists and dicts that do not fit what is wanted of them, and calls of forms with wrong arguments."""
from typing import Any, Dict, List, Optional, Tuple, Union

import torch


def ann_list_mismatch():
    x: int = []
    return x


def ann_list_mismatch2():
    x: int = [1]
    return x


def ret_list() -> int:
    return [1, 2]


def ret_list_tuple() -> Tuple[int, int]:
    return [1, 2]


def ret_list_opt() -> Optional[int]:
    return [1]


def union_nolist():
    x: Union[int, str] = [1]
    return x


def union_nodict():
    x: Union[int, str] = {"a": 1}
    return x


def union_lists():
    x: Union[List[int], List[str]] = [1.5]
    return x


def union_lists3():
    x: Union[List[int], List[str], List[bool]] = [1.5]
    return x


def union_empty():
    x: Union[List[int], List[str]] = []
    return x


def union_empty_dict():
    x: Union[Dict[str, int], Dict[str, str]] = {}
    return x


def union_dicts():
    x: Union[Dict[str, int], Dict[str, str]] = {"a": 1.5}
    return x


def union_dictctor():
    x: Union[Dict[str, int], Dict[str, str]] = dict()
    return x


def dict_ann_int():
    x: int = {"a": 1}
    return x


def dictcomp_ann(l: List[int]):
    x: Dict[str, int] = {i: i for i in l}
    return x


def dictcomp_ann2(l: List[int]):
    x: Dict[int, str] = {i: i for i in l}
    return x


def dictcomp_ann3(l: List[int]):
    x: List[int] = {i: i for i in l}
    return x


def listcomp_ann(l: List[int]):
    x: List[str] = [i for i in l]
    return x


def listcomp_ann2(l: List[int]):
    x: Dict[str, int] = [i for i in l]
    return x


def listcomp_union(l: List[int]):
    x: Union[List[str], List[float]] = [i for i in l]
    return x


def list_ctor_ann():
    x: int = list()
    return x


def list_ctor_ann2():
    x: Optional[List[int]] = list()
    return x


def dict_ctor_ann():
    x: int = dict()
    return x


def dict_ctor_ann2():
    x: Dict[str, int] = dict(a=1.5)
    return x


def dict_ctor_ann3():
    x: Dict[int, int] = dict(a=1)
    return x


def dict_ctor4(d: Dict[str, int]):
    return dict(d, b=2.5)


def dict_ctor5():
    return dict([1, 2])


def dict_ctor6(a: int):
    return dict(a)


def dict_two():
    return dict([("a", 1)], [("b", 2)])


def zip0():
    for x in zip():
        pass


def enum0():
    for x in enumerate():
        pass


def enum3(l: List[int]):
    for i, x in enumerate(l, 1, 2):
        pass


def enumkw(l: List[int]):
    for i, x in enumerate(l, foo=1):
        pass


def range0():
    for i in range():
        pass


def range4():
    for i in range(1, 2, 3, 4):
        pass


def rangekw():
    for i in range(stop=3):
        pass


def range_val():
    x = range(3)
    return x


def zip_val(a: List[int]):
    return zip(a, a)


def enumerate_val(a: List[int]):
    x = enumerate(a)
    return x


def isinst1(x: int):
    return isinstance(x)


def isinst3(x: int):
    return isinstance(x, int, str)


def isinstkw(x: int):
    return isinstance(x, int, foo=1)


def isinst_unknown(x: Any):
    return isinstance(x, foo)


def isinst_val(x: Any):
    return isinstance(x, 3)


def isinst_torch(x: Any):
    return isinstance(x, torch.nn.Module)


def hasattr1(x: int):
    return hasattr(x)


def hasattr_dyn(x: int, n: str):
    return hasattr(x, n)


def getattr1(x: torch.Tensor):
    return getattr(x)


def getattr4(x: torch.Tensor):
    return getattr(x, "a", 1, 2)


def getattr_dyn(x: torch.Tensor, n: str):
    return getattr(x, n)


def annotate1():
    return torch.jit.annotate(int)


def annotate_mismatch():
    return torch.jit.annotate(int, "a")


def annotate_mismatch2():
    return torch.jit.annotate(List[int], ["a"])


def tuple2(a: List[int]):
    return tuple(a, a)


def tuple_int(a: int):
    return tuple(a)


def list2(a: List[int]):
    return list(a, a)


def list_int(a: int):
    return list(a)


REFUSED = ["ann_list_mismatch", "ann_list_mismatch2", "ret_list", "ret_list_tuple", "ret_list_opt", "union_nolist", "union_nodict", "union_lists", "union_lists3", "union_empty", "union_empty_dict", "union_dicts", "union_dictctor", "dict_ann_int", "dictcomp_ann", "dictcomp_ann2", "dictcomp_ann3", "listcomp_ann", "listcomp_ann2", "listcomp_union", "list_ctor_ann", "list_ctor_ann2", "dict_ctor_ann", "dict_ctor_ann2", "dict_ctor_ann3", "dict_ctor4", "dict_ctor5", "dict_ctor6", "dict_two", "zip0", "enum0", "enum3", "enumkw", "range0", "range4", "rangekw", "range_val", "zip_val", "enumerate_val", "isinst1", "isinst3", "isinstkw", "isinst_unknown", "isinst_val", "isinst_torch", "hasattr1", "hasattr_dyn", "getattr1", "getattr4", "getattr_dyn", "annotate1", "annotate_mismatch", "annotate_mismatch2", "tuple2", "tuple_int", "list2", "list_int"]

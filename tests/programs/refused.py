"""Programs that cannot be compiled: PyTorch's message, and the place that it shows."""
from typing import Any, Dict, List, Optional, Tuple, Union

import torch
from torch._jit_internal import BroadcastingList2


def dict_value() -> Dict[str, int]:
    return {"a": "b"}


def dict_key():
    x: Dict[str, int] = {1: 2}
    return x


def dict_keys_differ():
    x: Dict[int, int] = {1: 2, "a": 3}
    return x


def dict_of_empty_list():
    x: Dict[str, List[int]] = {"a": []}
    return x


def list_of_empty_list():
    x: List[List[int]] = [[]]
    return x


def tuple_of_empty_list():
    x: Tuple[List[int], int] = ([], 1)
    return x


def returned_empty_dict() -> Tuple[List[int], Dict[str, int]]:
    return [], {}


def takes_list(x: List[int]) -> int:
    return len(x)


def list_of_ints_for_floats():
    x: List[float] = [1, 2]
    return x


def int_for_float():
    x: float = 1
    return x


def comprehension_items():
    x: List[int] = [i for i in [1.5]]
    return x


def tuple_items():
    x: Tuple[float, int] = (1, 2)
    return x


def annotate_items(a: int):
    b = torch.jit.annotate(List[str], [a])
    return b


def annotate_int_as_float(a: int):
    b = torch.jit.annotate(float, a)
    return b


def append_to_default_list():
    a = []
    a.append(1)
    return a


def store_into_default_dict():
    a = {}
    a["x"] = 1
    return a


def optional_operand(x: Optional[int]):
    return x + 1


def union_operand(x: Union[int, str]):
    return x + 1


def unknown_list_method(x: List[int]):
    x.foo(1)
    return x


def append_str_to_ints(x: List[int]):
    return x.append("a")


def dict_index(x: Dict[str, int]):
    return x[1]


def tuple_index_range(x: Tuple[int, str]):
    return x[2]


def tuple_index_of_mixed(x: Tuple[int, str], i: int):
    return x[i]


def int_index(x: int):
    return x[0]


def int_iterated(x: int):
    for i in x:
        pass
    return x


def int_called(x: int):
    return x()


def tensor_range(x: torch.Tensor):
    return [i for i in range(x)]


def float_range(x: int):
    return range(1.5)


def str_plus_int(x: str):
    return x + 1


def str_minus_str(x: str):
    return x - "a"


def unpack_too_few(x: Tuple[int, int]):
    a, b, c = x
    return a


def defined_in_one_branch(x: int):
    if x > 0:
        y = 1
    return y


def branches_differ(x: int):
    if x > 0:
        y = 1
    else:
        y = "a"
    return y


def defined_in_loop(x: int):
    for i in range(x):
        y = i
    return y


def loop_changes_type(x: int):
    while x > 0:
        x = "a"
    return x


def returned_type(x: int) -> str:
    return x


def returns_on_some_paths(x: int) -> int:
    if x > 0:
        return 1


def returned_types_differ(x: int):
    if x > 0:
        return 1
    return "a"


def plus_text(x):
    return x + "a"


def too_many_arguments(x: int, y: int):
    return plus_text(x, y)


def missing_argument(x: int):
    return takes_list()


def unknown_keyword(x: int):
    return takes_list([1], z=2)


def float_argument(x: int):
    return takes_list(1.5)


def unknown_tensor_method(x: torch.Tensor):
    return x.foo()


def tensor_for_tensors(x: torch.Tensor):
    return torch.cat(x)


def str_for_dims(x: torch.Tensor):
    return torch.sum(x, dim="a")


def unknown_operator_keyword(x: torch.Tensor):
    return x.sum(foo=1)


def unknown_type(x: "Foo"):
    return x


def list_as_dict_key(x: Dict[List[int], int]):
    return x


def star_arguments(x: int, *args):
    return x


def star_star_arguments(x: int, **kw):
    return x


def keyword_only_default(x: int, *, k: int = 3):
    return x


def mutable_default(x: int, y: List[int] = []):
    return x


def default_of_other_type(x: int, y: int = "a"):
    return x


def lambda_returned(x: int):
    break_ = 1
    return lambda: 1


def print_keyword(x: int):
    print(x, sep="")
    return x


def attribute_of_int(x: int):
    x.y = 3
    return x


def slice_stored(x: List[int]):
    x[0:1] = [2]
    return x


def slice_deleted(x: List[int]):
    del x[0:1]
    return x


def str_item_stored(x: str):
    x[0] = "a"
    return x


def tuple_item_stored(x: Tuple[int, int]):
    x[0] = 3
    return x


def list_index_str(x: List[int]):
    x["a"] = 1
    return x


def dict_value_stored(x: Dict[str, int]):
    x["a"] = "b"
    return x


def matmul_assign(x: int):
    x @= 3
    return x


def floor_divide_assign(x: int):
    x //= 3
    return x


def ternary_types(x: int):
    return x if x else "a"
from collections import defaultdict as _dd
ARGS=_dd(lambda: [])


def none_default_of_str(x: int, y: str = None):
    return x


def default_of_unannotated(x=3):
    return x


def float_default_of_ints(x: BroadcastingList2[int] = 3.5):
    return x


def default_of_list(x: List[int] = (1, 2.5)):
    return x


def default_of_tuple(x: Tuple[int, str] = (1, 2)):
    return x


def int_into_float_variable(x: int):
    v = 1.5
    if x > 0:
        v = x
    return v


def bare_raise(x: int):
    if x > 0:
        raise
    return x


def dict_expansion(x: Dict[str,int]):
    return {"a": 1, **x}


async def coroutine(x):
    return x


def set_comprehension(x: List[int]):
    return {i for i in x}


def yield_from(x: List[int]):
    yield from x


def try_star(x: int):
    try:
        x = 1
    except* ValueError:
        x = 2
    return x


def unary_plus(x: int):
    return (+x) + (lambda: 2)()


def while_else(x: int):
    while x > 0:
        x -= 1
        lambda: 3
    else:
        lambda: 2
    return x


def nested_function(x: int):
    y = 1
    def g():
        nonlocal y
        y = 2
    return x


def global_variable(x: int):
    global zz
    zz = 1
    return x


def starred_list(x: List[int]):
    print(*x)
    return x


def super_outside_class(x: torch.Tensor):
    return super().x


def raise_base_exception(x: int):
    if x > 0:
        raise BaseException("a")
    return x


def raise_either(x: int):
    if x > 0:
        e = ValueError("a")
    else:
        e = TypeError("b")
    raise e
    return x


def raise_text(x: int):
    raise "abc"


def raise_int(x: int):
    raise x


def raise_with_exception(x: int):
    raise ValueError(ValueError("z"))


def return_exception(x: int):
    return ValueError("z")


def device_for_str(x: str = torch.device("cpu")):
    return x


def dtype_among_ints(x: List[int] = (torch.float32, 1)):
    return x


def layout_among_ints(x: List[int] = (torch.strided, 1)):
    return x


def tuple_for_bool(x: bool = (1, 2)):
    return x


def list_within_a_tuple(x: Tuple[List[int], str] = ([1], "a")):
    return x


def tuple_for_broadcast(x: BroadcastingList2[int] = (1, 2)):
    return x


def complex_for_float(x: float = 2j):
    return x


REFUSED = [
    "dict_value", "dict_key", "dict_keys_differ", "dict_of_empty_list", "list_of_empty_list", "tuple_of_empty_list",
    "returned_empty_dict", "list_of_ints_for_floats", "int_for_float", "comprehension_items", "tuple_items",
    "annotate_items", "annotate_int_as_float", "append_to_default_list", "store_into_default_dict",
    "optional_operand", "union_operand", "unknown_list_method", "append_str_to_ints", "dict_index",
    "tuple_index_range", "tuple_index_of_mixed", "int_index", "int_iterated", "int_called", "tensor_range",
    "float_range", "str_plus_int", "str_minus_str", "unpack_too_few", "defined_in_one_branch", "branches_differ",
    "defined_in_loop", "loop_changes_type", "returned_type", "returns_on_some_paths", "returned_types_differ",
    "too_many_arguments", "missing_argument", "unknown_keyword", "float_argument", "unknown_tensor_method",
    "tensor_for_tensors", "str_for_dims", "unknown_operator_keyword", "unknown_type", "list_as_dict_key",
    "star_arguments", "star_star_arguments", "keyword_only_default", "mutable_default", "default_of_other_type",
    "lambda_returned", "print_keyword", "attribute_of_int", "slice_stored", "slice_deleted", "str_item_stored",
    "tuple_item_stored", "list_index_str", "dict_value_stored", "matmul_assign", "floor_divide_assign",
    "ternary_types", "none_default_of_str", "default_of_unannotated", "default_of_tuple", "default_of_list", "float_default_of_ints", "int_into_float_variable",
    "bare_raise", "dict_expansion", "coroutine", "set_comprehension", "yield_from", "try_star", "unary_plus",
    "while_else", "nested_function", "global_variable", "starred_list", "super_outside_class", "raise_base_exception",
    "raise_either", "raise_text", "raise_int", "raise_with_exception", "return_exception",
    "device_for_str", "dtype_among_ints", "layout_among_ints",
    "tuple_for_bool", "list_within_a_tuple", "tuple_for_broadcast", "complex_for_float",
]

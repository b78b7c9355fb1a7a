"""Programs with classes, enums, NamedTuples, interfaces and other forms that cannot be compiled."""
from enum import Enum
from typing import Any, Dict, List, NamedTuple, Tuple

import torch


class Color(Enum):
    A = 1
    B = 2


class Mixed(Enum):
    A = 1
    B = "x"


class Named(NamedTuple):
    a: int
    b: str


class Base:
    def __init__(self, x: int):
        self.x = x

    def get(self) -> int:
        return self.x


class Derived(Base):
    def two(self) -> int:
        return 2


class NoInit:
    def f(self) -> int:
        return 1


class MadeInBranch:
    def __init__(self, x: int):
        if x > 0:
            self.y = x

    def f(self) -> int:
        return self.y


class NotMade:
    def __init__(self, x: int):
        self.x = x

    def f(self) -> int:
        return self.z


class MadeLater:
    def __init__(self, x: int):
        self.x = x

    def f(self) -> int:
        self.q = 3
        return 1


class OtherTypeStored:
    def __init__(self, x: int):
        self.x = x

    def f(self) -> None:
        self.x = "a"


@torch.jit.interface
class Runner:
    def run(self, x: int) -> int:
        pass


class Fits:
    def __init__(self):
        self.k = 1

    def run(self, x: int) -> int:
        return x + self.k


class OtherName:
    def __init__(self):
        self.k = 1

    def run(self, y: int) -> int:
        return y


class OtherType:
    def __init__(self):
        self.k = 1

    def run(self, x: str) -> int:
        return 1


class NoMethod:
    def __init__(self):
        self.k = 1


class NoExit:
    def __init__(self):
        self.a = 1

    def __enter__(self):
        pass


class EnterTakesMore:
    def __init__(self):
        self.a = 1

    def __enter__(self, x: int):
        pass

    def __exit__(self, t: Any, v: Any, tb: Any):
        pass


class ExitTakesNone:
    def __init__(self):
        self.a = 1

    def __enter__(self):
        pass

    def __exit__(self):
        pass


class Unordered:
    def __init__(self, a: int):
        self.a = a


def enum_unknown_member():
    return Color.D


def enum_unknown_attribute(x: Color):
    return x.foo


def enum_equals_int(x: Color) -> bool:
    return x == 1


def enum_called():
    return Color(1)


def enum_of_two_types():
    return Mixed.A


def enum_less_than(x: Color) -> bool:
    return x < Color.B


def int_for_enum(x: int) -> Color:
    return x


def enum_subscripted(x: Color):
    return Color["A"]


def tuple_too_few():
    return Named(1)


def tuple_wrong_type():
    return Named(1, 2)


def tuple_too_many():
    return Named(1, "a", 3)


def tuple_unknown_field(x: Named):
    return x.c


def tuple_field_stored(x: Named):
    x.a = 3
    return x


def tuple_index(x: Named):
    return x[5]


def tuple_unknown_keyword():
    return Named(a=1, b="x", c=2)


def base_without_init():
    return Derived(1).two()


def class_without_init():
    return NoInit().f()


def attribute_in_branch():
    return MadeInBranch(1).f()


def attribute_not_made():
    return NotMade(1).f()


def attribute_made_later():
    return MadeLater(1).f()


def attribute_of_other_type():
    return OtherTypeStored(1).f()


def constructor_without_argument():
    return Base()


def constructor_wrong_type():
    return Base("a")


def constructor_too_many():
    return Base(1, 2)


def unknown_method():
    return Base(1).nothing()


def method_too_many():
    return Base(1).get(3)


def no_add():
    return Base(1) + Base(2)


def no_less_than():
    return Base(1) < Base(2)


def no_length():
    return len(Base(1))


def no_item():
    return Base(1)[0]


def no_item_store():
    b = Base(1)
    b[0] = 1
    return b.x


def no_text():
    return str(Base(1))


def no_truth():
    if Base(1):
        return 1
    return 2


def no_iteration():
    for i in Base(1):
        pass
    return 2


def no_call():
    return Base(1)(3)


def no_membership():
    return 1 in Base(1)


def no_negation():
    return -Base(1)


def no_equality():
    return Base(1) == Base(1)


def item_unknown_attribute(x: List[Base]):
    return x[0].x + x[1].zz


def interface_other_name():
    x: Runner = OtherName()
    return x.run(1)


def interface_other_type():
    x: Runner = OtherType()
    return x.run(1)


def interface_no_method():
    x: Runner = NoMethod()
    return x.run(1)


def interface_unknown_method(x: Runner):
    return x.walk(1)


def interface_wrong_argument(x: Runner):
    return x.run("a")


def interface_attribute(x: Runner):
    return x.k


def takes(x: Runner) -> int:
    return x.run(1)


def interface_argument_unfit():
    return takes(OtherName())


def interface_argument_int():
    return takes(3)


def with_half_manager():
    with NoExit() as c:
        pass
    return 1


def with_enter_arguments():
    with EnterTakesMore() as c:
        pass
    return 1


def with_exit_arguments():
    with ExitTakesNone() as c:
        pass
    return 1


def with_int():
    with 3 as x:
        pass
    return 1


def with_plain_object():
    with Base(1):
        pass
    return 1


def recursion(x: int):
    return recursion(x - 1)


def undefined_function(x: int):
    return undefined_fn(x)


def undefined_functional(x: int):
    return torch.nn.functional.nothing(x)


def import_inside(x: int):
    import math
    return math.pi


def class_inside(x: int):
    class Q: pass
    return 1


def delete_unknown(x: int):
    del y
    return 1


def deleted(x: int):
    y = x
    del y
    return y


def attribute_chain(x: int):
    return x.y.z


def generator(x: int):
    yield x


def annotation_without_value(x: int):
    y: int
    return x


def unpack_int(x: int):
    a, b = x
    return a


def unpack_three_into_two(x: int):
    a, b = 1, 2, 3
    return a


def starred_list_target(x: List[int]):
    a, *b = x
    return a


def list_target(x: int):
    [a, b] = 1, 2
    return a


def dict_unpacked(x: int):
    return {**{}}


def range_unpacked(x: int):
    return [*range(3)]


def f_string_format(x: int):
    return f"{x:3d}"


def f_string_conversion(x: int):
    return f"{x!r}"


def f_string_debug(x: int):
    return f"{x=}"


def bytes_literal(x: int):
    return b"abc"


def ellipsis_returned(x: int):
    return ...


def int_by_two_indices(x: int):
    return x[1, 2]


def tensor_by_str(x: torch.Tensor):
    return x["a"]


def tensor_by_float(x: torch.Tensor):
    return x[1.5]


def two_ellipses(x: torch.Tensor):
    return x[..., ...]


def ellipsis_then_tensor(x: torch.Tensor):
    return x[..., torch.tensor([1])]


def list_by_str(x: List[int]):
    return x["a"]


def list_by_two(x: List[int]):
    return x[1, 2]


def str_by_str(x: str):
    return x["a"]


def dict_sliced(x: Dict[str, int]):
    return x[0:1]


def comprehension_filter(x: int):
    return [i for i in range(3) if i > 1]


def comprehension_two_loops(x: int):
    return [i + j for i in range(3) for j in range(2)]


def dict_comprehension_filter(x: int):
    return {i: i for i in range(3) if i}


def walrus(x: int):
    return [y := 1]


REFUSED = [
    "enum_unknown_member", "enum_unknown_attribute", "enum_equals_int", "enum_called", "enum_of_two_types",
    "enum_less_than", "int_for_enum", "enum_subscripted", "tuple_too_few", "tuple_wrong_type", "tuple_too_many",
    "tuple_unknown_field", "tuple_field_stored", "tuple_index", "tuple_unknown_keyword", "base_without_init",
    "class_without_init", "attribute_in_branch", "attribute_not_made", "attribute_made_later",
    "attribute_of_other_type", "constructor_without_argument", "constructor_wrong_type", "constructor_too_many",
    "unknown_method", "method_too_many", "no_add", "no_less_than", "no_length", "no_item", "no_item_store", "no_text",
    "no_truth", "no_iteration", "no_call", "no_membership", "no_negation", "no_equality", "item_unknown_attribute",
    "interface_other_name", "interface_other_type", "interface_no_method", "interface_unknown_method",
    "interface_wrong_argument", "interface_attribute", "interface_argument_unfit", "interface_argument_int",
    "with_half_manager", "with_enter_arguments", "with_exit_arguments", "with_int", "with_plain_object", "recursion",
    "undefined_function", "undefined_functional", "import_inside", "class_inside", "delete_unknown", "deleted",
    "attribute_chain", "generator", "annotation_without_value", "unpack_int", "unpack_three_into_two",
    "starred_list_target", "list_target", "dict_unpacked", "range_unpacked", "f_string_format", "f_string_conversion",
    "f_string_debug", "bytes_literal", "ellipsis_returned", "int_by_two_indices", "tensor_by_str", "tensor_by_float",
    "two_ellipses", "ellipsis_then_tensor", "list_by_str", "list_by_two", "str_by_str", "dict_sliced",
    "comprehension_filter", "comprehension_two_loops", "dict_comprehension_filter", "walrus",
]

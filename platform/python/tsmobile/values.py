"""Values of Python as values of an instance, and back."""
from __future__ import annotations

import ast
import enum
import functools
import re
from collections.abc import Sequence
from operator import attrgetter
from types import SimpleNamespace
from typing import Any, Callable, Dict, List, NamedTuple, Tuple

import numpy as np

from . import arrays
from ._binding import ffi, lib
from .errors import BadArgument, error_of

payload = attrgetter("as")  # a member whose name is a word of Python
TypeTree = Tuple[str, Tuple[Any, ...]]
UNKNOWN: TypeTree = ("", ())
NUMBERS = ("int", "float", "bool", "complex", "number")  # types that take numbers


class Object(SimpleNamespace):
    """An object of a TorchScript class: its attributes, and in `class_name` the qualified name of the class."""


class EnumMember(NamedTuple):
    """A member of a TorchScript enum."""

    class_name: str
    name: str
    value: Any


def _plain(name: bytes) -> bytes:
    """C's texts of names end at a zero."""
    if b"\0" in name:
        raise BadArgument("a name has a zero character")
    return name


@functools.lru_cache(maxsize=None)
def type_tree(text: str) -> TypeTree:
    """"Dict[str, List[int]]" as ("Dict", (("str", ()), ("List", (("int", ()),)))). A text that is none: UNKNOWN."""
    def read(at: int) -> Tuple[TypeTree, int]:
        start, parts = at, []
        while at < len(text) and text[at] not in "[],":
            at += 1
        name = text[start:at].strip()
        if at < len(text) and text[at] == "[":
            while at < len(text) and text[at] in "[,":
                part, at = read(at + 1)
                parts.append(part)
            at += 1
        return (name, tuple(parts)), at
    whole: TypeTree = read(0)[0] if text else UNKNOWN
    return whole


def _decoded(literal: Any) -> Any:
    """Texts of a schema have bytes that are not ASCII as octal numbers."""
    if isinstance(literal, str):
        return literal.encode("latin-1").decode("utf-8", "surrogateescape")
    return type(literal)(_decoded(item) for item in literal) if isinstance(literal, (list, tuple)) else literal


def _default(text: str) -> Any:
    if text in ("inf", "-inf", "nan"):
        return float(text)
    try:
        return _decoded(ast.literal_eval("(%s,)" % text[1:-1] if re.fullmatch(r"\([^,]+\)", text) else text))
    except (ValueError, SyntaxError):
        return ...


def defaults_of(schema: str) -> Dict[str, Any]:
    """The defaults of a method's arguments, of "f(Tensor x, int n=1) -> int"; an Ellipsis where the schema does not
    write one out."""
    found: Dict[str, Any] = {}
    depth, piece = 0, ""
    for token in re.findall(r'"(?:\\.|[^"\\])*"|[^"]', schema[schema.index("("):]):
        depth += (token in "([") - (token in ")]")
        if depth == 0 or (depth == 1 and token == ","):
            declared, is_given, text = piece.partition("=")
            if is_given:
                found[declared.split()[-1]] = _default(text)
            piece = ""
            if depth == 0:
                break
        elif piece or token not in "( ":
            piece += token
    return found


def _part(t: TypeTree, i: int) -> TypeTree:
    part: TypeTree = t[1][i] if i < len(t[1]) else UNKNOWN
    return part


def _takes_numbers(t: TypeTree) -> bool:
    """Whether t is a list or tuple of numbers, at whatever depth."""
    return t[0] in ("List", "Tuple") and all(part[0] in NUMBERS or _takes_numbers(part) for part in t[1])


class Maker:
    """Makes the values of one call; release() gives them back."""

    def __init__(self, inst: Any) -> None:
        self.inst = inst
        self.made: List[Any] = []
        self.wrapped: List[Tuple[Any, Any]] = []  # tensors over memory of Python, and what keeps that memory

    def release(self) -> None:
        """Gives back all but the tensors in `wrapped`."""
        for v in self.made:
            lib.tsm_release(self.inst, v[0])
        self.made = []

    def _new(self, make: Callable[..., int], *arguments: Any) -> Any:
        v = ffi.new("tsm_value *")
        status = make(self.inst, v, *arguments)
        if status != lib.TSM_OK:
            raise error_of(status, ffi.string(lib.tsm_error(self.inst)).decode("utf-8", "replace"))
        self.made.append(v)
        return v[0]

    def put(self, x: Any, t: TypeTree = UNKNOWN) -> Any:
        """The value of x where the type is t, as PyTorch's Python binding converts it."""
        while t[0] == "Optional" and x is not None:
            t = _part(t, 0)
        if isinstance(x, np.ndarray) and t[0] not in NUMBERS:
            return self._sequence(x.tolist(), t) if x.ndim and _takes_numbers(t) else self._tensor(x)
        if x is None:
            return lib.tsm_none()
        if isinstance(x, EnumMember) or isinstance(x, enum.Enum) and t[0] not in NUMBERS and t[0] != "str":
            return self._member(x, t[0])
        if isinstance(x, str):
            return self._text(x.encode("utf-8", "surrogateescape"), t[0])
        if isinstance(x, bytes) and t[0] != "Tensor":
            return self._text(x, t[0])
        if isinstance(x, np.generic) and t[0] == "Tensor":
            return self._tensor(np.asarray(x))  # numpy makes them of arrays without dimensions: y * 2
        if isinstance(x, (bool, int, float, complex, np.generic)):
            return self._number(x, t[0])
        if isinstance(x, (list, tuple)):
            return self._sequence(x, t)
        if isinstance(x, dict):
            return self._dict(x, t)
        if isinstance(x, Sequence) and _takes_numbers(t):
            return self._sequence(list(x), t)
        if t[0] == "int" and (isinstance(x, np.dtype) or isinstance(x, type) and issubclass(x, np.generic)):
            return lib.tsm_int(arrays.number_of(np.dtype(x)))  # what torch.float32 is in TorchScript
        array = arrays.as_tensor(x)
        if array is None:
            raise TypeError("a value of %s has no counterpart in the program" % type(x))
        return self._number_of_tensor(array, t[0]) if t[0] in NUMBERS else self._tensor(array)

    def _number(self, x: Any, name: str) -> Any:
        if isinstance(x, np.generic):
            if x.dtype.kind not in "biufc":
                raise TypeError("a value of %s has no counterpart in the program" % type(x))
            x = x.item()
        if name == "Tensor":
            return self._plain_number(x)
        if name == "bool" and isinstance(x, (int, float)):
            return lib.tsm_bool(bool(x))
        if name == "int" and isinstance(x, bool):
            return lib.tsm_int(int(x))
        if name == "float" and isinstance(x, (bool, int)):
            return lib.tsm_float(float(x))
        if name == "complex":
            x = complex(x)
        return self._plain_number(x)

    def _plain_number(self, x: Any) -> Any:
        if isinstance(x, bool):
            return lib.tsm_bool(x)
        if isinstance(x, int):
            return lib.tsm_int(x)
        if isinstance(x, complex):
            return self._new(lib.tsm_complex_new, x.real, x.imag)
        return lib.tsm_float(x)

    def _number_of_tensor(self, x: Any, name: str) -> Any:
        """A tensor of one element is a number where one is wanted, as in PyTorch."""
        if isinstance(x, arrays.Tensor) or x.size != 1 or (name == "int" and x.dtype.kind not in "biu"):
            return self._tensor(x)
        return self._number(x.reshape(())[()], name)

    def _text(self, x: bytes, name: str) -> Any:
        if name == "Device":
            return self._new(lib.tsm_device_parse, _plain(x))
        return self._new(lib.tsm_str_new, x, len(x))

    def _member(self, x: Any, name: str) -> Any:
        known = name[len("Enum<"):-1] if name.startswith("Enum<") else type(x).__qualname__
        own = x.class_name if isinstance(x, EnumMember) else known
        return self._new(lib.tsm_enum_find, _plain(own.encode()), _plain(x.name.encode()))

    def _sequence(self, x: Any, t: TypeTree) -> Any:
        is_list = t[0] == "List" or (t[0] != "Tuple" and isinstance(x, list))
        types = [_part(t, 0 if is_list else i) for i in range(len(x))]
        items = ffi.new("tsm_value[]", max(len(x), 1))
        for i, (item, item_type) in enumerate(zip(x, types)):
            items[i] = self.put(item, item_type)
        return self._new(lib.tsm_list_new if is_list else lib.tsm_tuple_new, items, len(x))

    def _dict(self, x: Dict[Any, Any], t: TypeTree) -> Any:
        made = self._new(lib.tsm_dict_new)
        for key, item in x.items():
            status = lib.tsm_dict_set(self.inst, made, self.put(key, _part(t, 0)), self.put(item, _part(t, 1)))
            if status != lib.TSM_OK:
                raise error_of(status, ffi.string(lib.tsm_error(self.inst)).decode("utf-8", "replace"))
        return made

    def _tensor(self, x: Any) -> Any:
        """A tensor over the array's memory. What libtsmobile cannot see as it lies is copied: elements in another order
        of bytes, strides that are negative or no multiples of an element. So is what may not be written to, since a
        program may change its argument."""
        if isinstance(x, arrays.Tensor):
            number = arrays.NUMBERS[x.dtype]
            v = self._wrap(x.bits, number)
            if x.scales is not None and x.zero_points is not None:
                self._quantize(v, x)
            return v
        if not x.dtype.isnative:
            x = x.astype(x.dtype.newbyteorder("="))
        return self._wrap(x, arrays.number_of(x.dtype))

    def _quantize(self, v: Any, x: arrays.Tensor) -> None:
        assert x.scales is not None and x.zero_points is not None
        scales, zero_points = x.scales.tolist(), x.zero_points.tolist()
        give = lib.tsm_tensor_set_float_quantizer if x.zero_points.dtype.kind == "f" else lib.tsm_tensor_set_quantizer
        status = give(self.inst, v, x.axis, len(scales), scales, zero_points)
        if status != lib.TSM_OK:
            raise error_of(status, ffi.string(lib.tsm_error(self.inst)).decode("utf-8", "replace"))

    def _wrap(self, x: "np.ndarray[Any, Any]", number: int) -> Any:
        size = x.itemsize
        strides = x.strides
        if not (x.flags.writeable and x.flags.aligned) or any(s < 0 or s % size for s in strides):
            x = np.array(x, order="C")
            strides = x.strides
        data = ffi.cast("void *", x.__array_interface__["data"][0])
        plain = None if x.flags.c_contiguous else [s // size for s in strides]
        v = ffi.new("tsm_value *")
        status = lib.tsm_tensor_wrap(self.inst, v, number, x.ndim, x.shape, plain if plain is not None else ffi.NULL, data)
        if status != lib.TSM_OK:
            raise error_of(status, ffi.string(lib.tsm_error(self.inst)).decode("utf-8", "replace"))
        self.wrapped.append((v, x))
        return v[0]


class Taker:
    """Reads values of an instance. `view` makes an array over a tensor's memory; None: elements are copied."""

    def __init__(self, inst: Any, view: "Callable[[Any, Any, np.dtype[Any]], np.ndarray[Any, Any]] | None" = None) -> None:
        self.inst = inst
        self.view = view
        self.seen: Dict[int, Any] = {}  # objects by address, so that what is one object stays one

    def take(self, v: Any) -> Any:
        """What v is in Python."""
        tag = v.tag
        read = _SCALARS.get(tag)
        if read is not None:
            return read(v)
        address = int(ffi.cast("uintptr_t", payload(v).o))
        if address in self.seen:
            return self.seen[address]
        made = _READERS.get(tag, Taker._refuse)(self, v, address)
        self.seen[address] = made
        return made

    def _refuse(self, v: Any, address: int) -> Any:
        del address
        raise TypeError("a value of type %s has no form in Python" % {lib.TSM_TAG_FUTURE: "Future"}.get(v.tag, "Generator"))

    def _complex(self, v: Any, address: int) -> complex:
        del address
        parts = ffi.new("double[2]")
        lib.tsm_complex_get(v, parts, parts + 1)
        return complex(parts[0], parts[1])

    def _str(self, v: Any, address: int) -> str:
        del address
        n = ffi.new("size_t *")
        text = lib.tsm_str_get(v, n)
        return bytes(ffi.buffer(text, n[0])).decode("utf-8", "surrogateescape")

    def _tensor(self, v: Any, address: int) -> Any:
        del address
        t = ffi.new("tsm_tensor_view *")
        if not lib.tsm_tensor_get(v, t):
            return None
        dtype = arrays.NUMPY.get(t.dtype)
        name = None if dtype is not None else ffi.string(lib.tsm_dtype_name(t.dtype)).decode()
        stored = dtype if dtype is not None else np.dtype(arrays.STORED[str(name)])
        if self.view is not None:
            array = self.view(v, t, stored)
        else:
            array = arrays.over_memory(ffi.cast("char *", t.data), stored, tuple(t.sizes[0:t.dims]), tuple(t.strides[0:t.dims])).copy()
        if name is None:
            return array
        if t.quantizer_axis < -1:
            return arrays.Tensor(array, name)
        n = t.quantizer_channels
        zero_points = t.zero_points if t.zero_points != ffi.NULL else t.float_zero_points
        return arrays.Tensor(array, name, list(t.scales[0:n]), list(zero_points[0:n]), t.quantizer_axis)

    def _list(self, v: Any, address: int) -> List[Any]:
        made: List[Any] = []
        self.seen[address] = made
        made.extend(self.take(lib.tsm_sequence_get(v, i)) for i in range(lib.tsm_sequence_size(v)))
        return made

    def _tuple(self, v: Any, address: int) -> Tuple[Any, ...]:
        del address
        return tuple(self.take(lib.tsm_sequence_get(v, i)) for i in range(lib.tsm_sequence_size(v)))

    def _dict(self, v: Any, address: int) -> Dict[Any, Any]:
        made: Dict[Any, Any] = {}
        self.seen[address] = made
        pair = ffi.new("tsm_value[2]")
        for i in range(lib.tsm_dict_size(v)):
            lib.tsm_dict_get(v, i, pair, pair + 1)
            key = self.take(pair[0])
            made[key] = self.take(pair[1])
        return made

    def _object(self, v: Any, address: int) -> Object:
        made = Object(class_name=ffi.string(lib.tsm_class_name(self.inst, v)).decode())
        self.seen[address] = made
        for i in range(lib.tsm_object_size(v)):
            item = ffi.new("tsm_value *")
            name = ffi.string(lib.tsm_object_attribute(self.inst, v, i, item)).decode()
            setattr(made, name, self.take(item[0]))
        return made

    def _enum(self, v: Any, address: int) -> EnumMember:
        del address
        item = ffi.new("tsm_value *")
        name = ffi.string(lib.tsm_enum_get(self.inst, v, item)).decode()
        return EnumMember(ffi.string(lib.tsm_class_name(self.inst, v)).decode(), name, self.take(item[0]))


def _device(v: Any) -> str:
    text = ffi.new("char[24]")
    lib.tsm_device_text(v, text, 24)
    return bytes(ffi.string(text)).decode()


_SCALARS: Dict[int, Callable[[Any], Any]] = {
    lib.TSM_TAG_NONE: lambda v: None, lib.TSM_TAG_BOOL: lambda v: payload(v).b, lib.TSM_TAG_INT: lambda v: payload(v).i,
    lib.TSM_TAG_FLOAT: lambda v: payload(v).f, lib.TSM_TAG_DEVICE: _device,
}
_READERS: Dict[int, Callable[[Taker, Any, int], Any]] = {
    lib.TSM_TAG_COMPLEX: Taker._complex, lib.TSM_TAG_STR: Taker._str, lib.TSM_TAG_TENSOR: Taker._tensor, lib.TSM_TAG_LIST: Taker._list,
    lib.TSM_TAG_TUPLE: Taker._tuple, lib.TSM_TAG_DICT: Taker._dict, lib.TSM_TAG_OBJECT: Taker._object, lib.TSM_TAG_ENUM: Taker._enum,
}

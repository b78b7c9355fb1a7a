"""Element types, and arrays from everything that numpy, DLPack or the buffer protocol can show without a copy."""
from __future__ import annotations

import ctypes
from typing import Any, Dict, Optional, Sequence, Union

import numpy as np

from ._binding import ffi, lib

# libtsmobile's element types by name, with their numbers.
NUMBERS: Dict[str, int] = {ffi.string(lib.tsm_dtype_name(n)).decode(): n for n in (*range(16), *range(lib.TSM_FLOAT8_E5M2, lib.TSM_DTYPE_COUNT))}
# Those that numpy has, by number.
NUMPY = {number: np.dtype(name) for name, number in NUMBERS.items() if name in np.sctypeDict}
# Those that it lacks: what their elements are stored as.
STORED = {"complex32": "uint32", "qint8": "int8", "quint8": "uint8", "qint32": "int32", "bfloat16": "uint16",
          "float8_e5m2": "uint8", "float8_e4m3fn": "uint8", "float8_e5m2fnuz": "uint8", "float8_e4m3fnuz": "uint8"}
# Of the types of 8 bits: bits of the mantissa, bias of the exponent, the largest finite number's bits.
FLOAT8 = {"float8_e5m2": (2, 15, 0x7b), "float8_e4m3fn": (3, 7, 0x7e), "float8_e5m2fnuz": (2, 16, 0x7f), "float8_e4m3fnuz": (3, 8, 0x7f)}


def _float8_values(dtype: str) -> "np.ndarray[Any, Any]":
    """What each of the 256 bytes stands for."""
    mantissa, bias, greatest = FLOAT8[dtype]
    rest = np.arange(256) & 0x7f
    exponent, fraction = rest >> mantissa, (rest & ((1 << mantissa) - 1)) / (1 << mantissa)
    values = np.where(exponent > 0, (1 + fraction) * 2.0 ** (exponent - bias), fraction * 2.0 ** (1 - bias))
    values[rest > greatest] = np.nan
    if dtype == "float8_e5m2":
        values[rest == 0x7c] = np.inf
    values[128:] = -values[128:]
    if dtype.endswith("fnuz"):
        values[128] = np.nan
    return values.astype(np.float32)


def _zero_points(given: Any, axis: int) -> "np.ndarray[Any, Any]":
    made: "np.ndarray[Any, Any]" = np.atleast_1d(np.asarray(given))
    floats = made.dtype.kind == "f" and axis >= 0
    if made.dtype.kind == "f" and not floats and (made != np.floor(made)).any():
        raise ValueError("the zero point of a whole tensor is an int")
    return np.asarray(made, np.float64 if floats else np.int64)


class Tensor:
    """A tensor of an element type that numpy lacks: bfloat16, float8, complex32 and the quantized ones.

    `bits` is a numpy array of the elements as they are stored: uint16 for bfloat16, uint8 for the types of 8 bits,
    uint32 for complex32, int8, uint8 and int32 for qint8, quint8 and qint32. A quantized tensor has `scales` and
    `zero_points`, one of each (`axis` -1) or one for each index of the dimension `axis`. Zero points are ints; those of
    a dimension can be floats, as weights of embeddings have them in PyTorch."""

    __slots__ = ("bits", "dtype", "scales", "zero_points", "axis")

    def __init__(self, bits: Any, dtype: str, scales: Union[float, Sequence[float], None] = None,
                 zero_points: Union[int, Sequence[float], None] = None, axis: int = -1) -> None:
        if dtype not in STORED:
            raise TypeError("'%s' is no element type that numpy lacks; those are %s" % (dtype, ", ".join(STORED)))
        if dtype.startswith("q") != (scales is not None) or (scales is None) != (zero_points is None):
            raise TypeError("quantized tensors have scales and zero_points, and no others do")
        self.bits = np.asarray(bits)
        if self.bits.dtype != STORED[dtype]:
            raise TypeError("%s is stored as %s, not as %s" % (dtype, STORED[dtype], self.bits.dtype))
        self.dtype = dtype
        self.axis = axis
        self.scales = None if scales is None else np.atleast_1d(np.asarray(scales, np.float64))
        self.zero_points = None if zero_points is None else _zero_points(zero_points, axis)
        if self.scales is not None and self.zero_points is not None and self.scales.shape != self.zero_points.shape:
            raise ValueError("there are %d scales and %d zero points" % (self.scales.size, self.zero_points.size))

    @property
    def shape(self) -> "tuple[int, ...]":
        """The sizes, as numpy's arrays have them."""
        return self.bits.shape

    def numpy(self) -> "np.ndarray[Any, Any]":
        """The numbers that the elements stand for, as float32 (complex64 for complex32)."""
        bits = np.ascontiguousarray(self.bits).reshape(self.bits.shape)
        if self.dtype == "bfloat16":
            return np.asarray((bits.astype(np.uint32) << 16).view(np.float32))
        if self.dtype == "complex32":
            pairs = bits.reshape(-1).view(np.float16).astype(np.float32)
            return pairs.view(np.complex64).reshape(bits.shape)
        if self.dtype in FLOAT8:
            return np.asarray(_float8_values(self.dtype)[bits])
        assert self.scales is not None and self.zero_points is not None
        along = [1] * bits.ndim
        if self.axis >= 0:
            along[self.axis] = -1
        scales, zero_points = self.scales.reshape(along or ()), self.zero_points.reshape(along or ())
        numbers: "np.ndarray[Any, Any]" = ((bits.astype(np.int64) - zero_points) * scales).astype(np.float32)
        return numbers

    def __array__(self, dtype: Any = None) -> "np.ndarray[Any, Any]":
        return self.numpy().astype(dtype) if dtype is not None else self.numpy()

    def __repr__(self) -> str:
        return "tsmobile.Tensor(%r, %r)" % (self.numpy(), self.dtype)


# ---- DLPack ----

_NAME, _USED = b"dltensor", b"used_dltensor"
_CPU = (1, 3, 11)  # memory of the processor, of CUDA's host, of ROCm's
_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype = ctypes.c_void_p
_get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_set_name = ctypes.pythonapi.PyCapsule_SetName
_set_name.argtypes = [ctypes.py_object, ctypes.c_char_p]
# (code, bits) of DLPack: the name of the element type.
_DLPACK = {(0, 8): "int8", (0, 16): "int16", (0, 32): "int32", (0, 64): "int64", (1, 8): "uint8", (1, 16): "uint16",
           (1, 32): "uint32", (1, 64): "uint64", (2, 16): "float16", (2, 32): "float32", (2, 64): "float64",
           (4, 16): "bfloat16", (5, 64): "complex64", (5, 128): "complex128", (6, 8): "bool"}


def _from_dlpack(x: Any) -> "Union[np.ndarray[Any, Any], Tensor]":
    """numpy's own from_dlpack gives arrays that may not be written to, and knows no bfloat16."""
    device = x.__dlpack_device__()
    if device[0] not in _CPU:
        raise TypeError("the tensor lies on a device of kind %d of DLPack; bring it to the processor's memory first" % device[0])
    capsule = x.__dlpack__()
    managed = ffi.cast("DLManagedTensor *", _get_pointer(capsule, _NAME))
    _set_name(capsule, _USED)
    t = managed.dl_tensor

    def give_back(_: Any) -> None:
        if managed.deleter:
            managed.deleter(managed)

    data = ffi.gc(ffi.cast("char *", t.data) + t.byte_offset, give_back)
    name = _DLPACK.get((t.dtype.code, t.dtype.bits)) if t.dtype.lanes == 1 else None
    if name is None:
        raise TypeError("DLPack's type %d of %d bits has no counterpart" % (t.dtype.code, t.dtype.bits))
    shape = tuple(t.shape[0:t.ndim])
    strides = tuple(t.strides[0:t.ndim]) if t.strides else None
    array = over_memory(data, np.dtype(STORED.get(name, name)), shape, strides)
    return Tensor(array, name) if name in STORED else array


def over_memory(data: Any, dtype: "np.dtype[Any]", shape: "tuple[int, ...]",
                strides: "Optional[tuple[int, ...]]") -> "np.ndarray[Any, Any]":
    """An array over memory at a char * of cffi, which it keeps; strides in elements, None: in the order of indices."""
    if 0 in shape:
        return np.empty(shape, dtype)
    if strides is None:
        n = int(np.prod(shape, dtype=np.int64))
        return np.frombuffer(ffi.buffer(data, n * dtype.itemsize), dtype).reshape(shape)
    reach = 1 + sum((size - 1) * stride for size, stride in zip(shape, strides))
    flat = np.frombuffer(ffi.buffer(data, reach * dtype.itemsize), dtype)
    return np.lib.stride_tricks.as_strided(flat, shape, [s * dtype.itemsize for s in strides])


def as_tensor(x: Any) -> "Union[np.ndarray[Any, Any], Tensor, None]":
    """The array that x is or shows, without a copy; None when it shows none."""
    if isinstance(x, (np.ndarray, Tensor)):
        return x
    if hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__"):
        return _from_dlpack(x)
    if hasattr(x, "__array__") or hasattr(x, "__array_interface__"):
        return np.asarray(x)
    try:
        return np.asarray(memoryview(x))
    except TypeError:
        return None


def number_of(dtype: "np.dtype[Any]") -> int:
    """The element type of an array's elements."""
    number = NUMBERS.get(dtype.name)
    if number is None or NUMPY.get(number, dtype) != dtype:
        raise TypeError("arrays of %s have no counterpart; element types are %s" % (dtype, ", ".join(NUMBERS)))
    return number

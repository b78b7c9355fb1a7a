"""Values of Python as JSON, in the form of docs/values.md, which tsmc reads."""
from __future__ import annotations

from typing import Any

import numpy as np

from . import arrays


def to_json(x: Any) -> Any:
    """What json.dumps writes as the value x."""
    if x is None or isinstance(x, (str, bool)):
        return x
    if isinstance(x, np.generic):
        x = x.item()
    if isinstance(x, int):
        return x
    if isinstance(x, float):
        return {"float": x}
    if isinstance(x, complex):
        return {"complex": [x.real, x.imag]}
    if isinstance(x, bytes):
        return x.decode("utf-8")
    if isinstance(x, tuple):
        return {"tuple": [to_json(item) for item in x]}
    if isinstance(x, list):
        return [to_json(item) for item in x]
    if isinstance(x, dict):
        return {"dict": [[to_json(key), to_json(item)] for key, item in x.items()]}
    array = arrays.as_tensor(x)
    if array is None:
        raise TypeError("a value of %s has no counterpart in a program" % type(x))
    return {"tensor": _tensor(array)}


def _tensor(x: Any) -> Any:
    if isinstance(x, arrays.Tensor):
        made = {"dtype": x.dtype, "shape": list(x.shape), "data": _elements(x.bits if x.scales is not None else x.numpy())}
        if x.scales is not None and x.zero_points is not None and x.axis < 0:
            made.update(scale=float(x.scales[0]), zero_point=int(x.zero_points[0]))
        elif x.scales is not None and x.zero_points is not None:
            made.update(scales=x.scales.tolist(), zero_points=x.zero_points.tolist(), axis=x.axis)
        return made
    if not x.dtype.isnative:
        x = x.astype(x.dtype.newbyteorder("="))
    arrays.number_of(x.dtype)
    return {"dtype": x.dtype.name, "shape": list(x.shape), "data": _elements(x)}


def _elements(x: Any) -> Any:
    flat = np.ravel(x)
    return [[e.real, e.imag] for e in flat.tolist()] if x.dtype.kind == "c" else flat.tolist()

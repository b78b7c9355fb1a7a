#!/usr/bin/env python3
"""Writes sending.tsm, the program of test_sending.c, which asks other workers for whatever its caller says, also as no
program of tsmc does.

  make_sending.py FILE"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "verification"))
import tsm_file  # noqa: E402
from programs import *  # noqa: E402,F403

TYPES = {
    "any": a_type("Any"), "int": a_type("Int"), "tensor": a_type("Tensor"), "promise": a_type("Future", 0, text="RRef[Any]"),
    "tensors": a_type("Future", 2, text="RRef[Tensor]"), "module": a_type("Interface", name="__torch__.Module"),
    # One has no name, one shares its name with others.
    "nameless": a_type("Class", 0, text="nameless", field_names=["a"]),
    "named": a_type("NamedTuple", 1, 0, name="__torch__.Named", field_names=["a", "b"]),
    "home": a_type("Class", 1, 0, name="__torch__.Home", field_names=["number", "thing"]),
    "enum": a_type("Enum", name="__torch__.Home", field_names=["A", "B"], members=[1, 1]),
}
T = {name: i for i, name in enumerate(TYPES)}
WEIGHTS, BYTES = 0, 1
TENSOR = {"dtype": 6, "storage": WEIGHTS, "offset": 0, "sizes": [2, 2], "strides": [2, 1]}


def bits_of(number):
    return struct.unpack("<q", struct.pack("<d", number))[0]


SMALL = dict(TENSOR, dtype=13, storage=BYTES)
VALUES_SENT = {
    "none": constant("None"), "five": constant("Int", integer=5), "half": constant("Float", number=0.5), "yes": constant("Bool", integer=1),
    "word": constant("Str", text=list(b"word")), "complex": constant("Complex", number=1.0, imaginary=-2.0),
    "device": constant("Device", integer=0x20001), "member": constant("Enum", integer=1, type=T["enum"]),
    "matrix": constant("Tensor", tensor=TENSOR), "turned": constant("Tensor", tensor=dict(TENSOR, strides=[1, 2])),
    "learns": constant("Tensor", tensor=dict(TENSOR, requires_grad=1)), "empty": constant("Tensor", tensor=dict(TENSOR, sizes=[0, 2])),
    "number": constant("Tensor", tensor=dict(TENSOR, sizes=[], strides=[])),
    "per_tensor": constant("Tensor", tensor=dict(SMALL, quantizer_axis=-1, scales=[0.5], zero_points=[1])),
    "per_channel": constant("Tensor", tensor=dict(SMALL, quantizer_axis=1, scales=[0.5, 0.25], zero_points=[0, 1])),
    "float_points": constant("Tensor", tensor=dict(SMALL, quantizer_axis=65, scales=[0.5, 0.25], zero_points=[bits_of(0.5), bits_of(-1e9)])),
    "home": constant("Object", items=[1, 0], type=T["home"]), "pair": constant("Tuple", items=[1, 4]),
    "named": constant("Tuple", items=[1, 4], type=T["named"]), "list": constant("List", items=[1, 4, 1]),
    "dict": constant("Dict", items=[1, 4, 4, 1]),
    # Not sent.
    "nameless": constant("Object", items=[1], type=T["nameless"]),
    "cube": constant("Tensor", tensor=dict(TENSOR, sizes=[1, 2, 2], strides=[4, 2, 1])),
    "mask": constant("Tensor", tensor=dict(TENSOR, dtype=11, storage=BYTES, sizes=[1, 2])),
    "echo": constant("Str", text=list(b"echo")),
}
SENT = list(VALUES_SENT).index("nameless")
OPERATORS = ["aten::_nested_tensor_from_mask", "tsm::rpc_sync", "tsm::rpc_async", "tsm::rpc_remote", "tsm::rpc_wait",
             "tsm::rref_to_here", "tsm::rref_local_value", "tsm::rref_is_owner", "tsm::rref_owner_name", "tsm::rref_confirmed_by_owner"]
NESTED, SYNC, ASYNC, REMOTE, WAIT, TO_HERE, LOCAL, IS_OWNER, OWNER_NAME, CONFIRMED = range(len(OPERATORS))
REGISTERS = 8
TRUTH = REGISTERS + INTS + FLOATS


def k(name):
    return of_constant(list(VALUES_SENT).index(name))


def plain(number, inputs):
    return inputs, lambda c: c.listed("OP", number, list(range(inputs)), [0])


def give(name):
    return 1, lambda c: c.wide("LOADC", 0, list(VALUES_SENT).index(name))


def all_sent(c):
    return c.listed("TUPLE_CONSTRUCT", 0, [of_constant(i) for i in range(SENT)])


def nested(c):
    return c("LOADB", TRUTH, 0).listed("OP", NESTED, [k("cube"), k("mask"), TRUTH], [0])


# Asks itself for a value and waits for it.
def nest(c):
    return c.listed("OP", REMOTE, [0, k("echo"), k("pair"), k("none"), k("none")], [0]).listed("OP", LOCAL, [0], [0])


def planned(c):
    return c.listed("GUARD", TRUTH, [0], [0]).listed("OP", SYNC, [0, k("echo"), k("pair"), k("none"), k("none")], [0])


# (number of arguments, code up to RET)
METHODS = {
    "sync": plain(SYNC, 5), "later": plain(ASYNC, 5), "remote": plain(REMOTE, 5), "wait": plain(WAIT, 1), "to_here": plain(TO_HERE, 2),
    "local_value": plain(LOCAL, 1), "is_owner": plain(IS_OWNER, 1), "owner_name": plain(OWNER_NAME, 1), "confirmed": plain(CONFIRMED, 1),
    "sent": (1, all_sent), "nameless": give("nameless"), "nested": (1, nested), "nest": (1, nest),
    "planned": (1, planned), "planned_otherwise": (1, planned),
    # For others to ask for.
    "echo": (2, lambda c: c), "give_none": give("none"), "give_module": (1, lambda c: c), "take_tensors": (1, lambda c: c),
    "fails": (1, lambda c: c.listed("RAISE", 0, [k("word"), k("none")])), "strange": (1, lambda c: c),
}
SCHEMAS = {"echo": "echo(Any x, Any y=5) -> Any", "strange": "strange"}


def main():
    functions, methods = [], []
    for name, (inputs, code) in METHODS.items():
        c = Code()
        code(c)
        types = {"take_tensors": ["tensors"]}.get(name, ["any"] * inputs)
        arguments = [{"name": "xyzuv"[i], "type": T[types[i]]} for i in range(inputs)]
        if name == "echo":
            arguments[1]["default_value"] = 1
        functions.append(function(name, c.listed("RET", 0, [0]), list(range(inputs)), value_registers=REGISTERS))
        method = {"name": name, "function": len(methods), "arguments": arguments,
                  "result": T[{"give_none": "tensor", "give_module": "module"}.get(name, "any")], "schema": SCHEMAS.get(name, "%s(Any x)" % name)}
        if name.startswith("planned"):
            method["plan"] = 0
        methods.append(method)
    program = {"version": 1, "features": ["instructions of 0.2.0"], "operators": OPERATORS, "types": list(TYPES.values()),
               "constants": list(VALUES_SENT.values()), "storages": [(0, 16, 0), (64, 4, 0)], "functions": functions, "methods": methods,
               "stack_registers": 64, "stack_frames": 4,
               "plans": [{"guards": [6], "blocks": [(0, 1, 1)], "region": 1, "most_live": 1}]}
    with open(sys.argv[1], "wb") as f:
        f.write(tsm_file.write(program, bytes(range(64)) + bytes([1, 0, 1, 1])))


if __name__ == "__main__":
    main()

"""What Python answers to the calls of a program, where its words mean in Python what they mean in TorchScript."""
import copy
import sys
import types
import typing


def is_instance(value, kinds):
    """TorchScript's: a bool is no int, and types have parts."""
    if isinstance(kinds, tuple):
        return any(is_instance(value, k) for k in kinds)
    origin, parts = typing.get_origin(kinds), typing.get_args(kinds)
    if origin is list:
        return isinstance(value, list) and all(is_instance(v, parts[0]) for v in value)
    if origin is dict:
        return isinstance(value, dict) and all(is_instance(k, parts[0]) and is_instance(v, parts[1]) for k, v in value.items())
    if origin is tuple:
        return type(value) is tuple and len(value) == len(parts) and all(map(is_instance, value, parts))
    return isinstance(value, kinds) and not (kinds is int and isinstance(value, bool))


class Module:
    def __call__(self, *arguments):
        return self.forward(*arguments)


def stand_in():
    """What programs use of torch."""
    torch = types.ModuleType("torch")
    torch.jit = types.SimpleNamespace(script=lambda c: c, export=lambda f: f, isinstance=is_instance)
    torch.nn = types.SimpleNamespace(Module=Module, ModuleList=list, ModuleDict=dict)
    return torch


def of_json(v):
    if isinstance(v, dict):
        return tuple(map(of_json, v["tuple"])) if "tuple" in v else {of_json(k): of_json(i) for k, i in v["dict"]}
    return [of_json(i) for i in v] if isinstance(v, list) else v


def to_json(v):
    if isinstance(v, tuple):
        return {"tuple": [to_json(i) for i in v]}
    if isinstance(v, dict):
        return {"dict": [[to_json(k), to_json(i)] for k, i in v.items()]}
    return [to_json(i) for i in v] if isinstance(v, list) else v


def define(text):
    """The names that the program defines."""
    before, sys.modules["torch"] = sys.modules.get("torch"), stand_in()
    try:
        names = {"isinstance": is_instance}
        exec(compile(text, "program", "exec"), names)
        return names
    finally:
        del sys.modules["torch"]
        if before:
            sys.modules["torch"] = before


def answers(text, calls, entry):
    """The results of calls of a module's methods, as tsmrun --sequence writes them."""
    net, out = define(text)[entry](), []
    for c in calls:
        try:
            out.append(to_json(copy.deepcopy(getattr(net, c["method"])(*[of_json(i) for i in c["inputs"]]))))
        except Exception as e:
            out.append({"raised": "%s: %s" % (type(e).__name__, e)})
    return out

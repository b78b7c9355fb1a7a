"""C4 class compile errors: nonexistent attribute set/get, class attribute, inheritance, attribute type change,
missing argument, module constructor"""
import torch
from typing import List
class NoInit:
    def __init__(self):
        self.y = 1

    def assign_x(self):
        self.x = torch.rand(2, 3)

class ClassVar(object):
    name = "ClassVar"

    def __init__(self, x: int):
        self.x = x

def use_class_var(a: ClassVar):
    return a.name

class Base:
    def __init__(self):
        self.a = 1

class Derived(Base):
    def __init__(self):
        self.b = 2

class TypeChange:
    def __init__(self):
        self.a = 1

    def set(self):
        self.a = "s"

class Plain:
    def __init__(self, a: int):
        self.a = a

def bad_ctor():
    return Plain().a

def bad_ctor2():
    return Plain("x").a

def bad_attr():
    return Plain(1).zzz

def bad_method():
    return Plain(1).go()

def bad_set():
    p = Plain(1)
    p.q = 3
    return p.a

class Mod(torch.nn.Module):
    def __init__(self, v: int):
        super().__init__()
        self.v = v

    def forward(self, x: int) -> int:
        return self.v + x

def bad_module_ctor(v: int) -> int:
    m = Mod(v)
    return m(v)

class CondInit:
    def __init__(self, f: bool):
        if f:
            self.x = 1

class InitReturn:
    def __init__(self):
        self.x = 1
        return 3

CASES = []
BAD = [("NoInit", "Tried to set nonexistent attribute: x. Did you forget to initialize it in __init__()?"),
 ("use_class_var", "object has no attribute or method 'name'. 'name' is defined as a class attribute which currently is not supported. Consider converting this to an instance attribute."),
 ("Derived", "does not support inheritance yet"), ("TypeChange", "Wrong type for attribute assignment. Expected int but got str"),
 ("bad_ctor", "Argument a not provided."), ("bad_ctor2", "Expected a value of type 'int' for argument 'a' but instead found type 'str'"),
 ("bad_attr", "object has no attribute or method 'zzz'"), ("bad_method", "object has no attribute or method 'go'"), ("bad_set", "Tried to set nonexistent attribute: q"),
 ("bad_module_ctor", "Cannot instantiate class 'Mod' in a script function"), ("CondInit", "First assignment cannot be in a control-flow block. Initialize the field at the top level first")]

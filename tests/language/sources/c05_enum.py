"""C5 Enum: int/float/str values, comparison, name/value, argument and return, iteration over enum class, restricted
subclassing, errors"""
import torch
from enum import Enum, IntEnum
from typing import List, Tuple
class Color(Enum):
    RED = 1
    GREEN = 2
    BLUE = 7

class Ratio(Enum):
    HALF = 0.5
    FULL = 1.0

class Tag(Enum):
    A = "alpha"
    B = "beta"

class BaseColor(Enum):
    def foo(self):
        pass

class Sub(BaseColor):
    RED = 1
    GREEN = 2

class Mixed(Enum):
    A = 1
    B = "b"

class Alias(Enum):
    X = 1
    Y = 1

def compare(x: Color, y: Color) -> bool:
    if x == Color.RED:
        return True
    return x == y

def differ(x: Color) -> Tuple[bool, bool, bool]:
    return x != Color.RED, x is Color.GREEN, x is not Color.GREEN

def parts(x: Color) -> Tuple[str, int]:
    return x.name, x.value

def static_parts() -> Tuple[str, int, float, str]:
    return Color.BLUE.name, Color.BLUE.value, Ratio.HALF.value, Tag.B.value

def ret(i: int) -> Color:
    if i == 0:
        return Color.RED
    return Color.BLUE

def ratios(r: Ratio) -> float:
    return r.value * 2

def tags(t: Tag) -> str:
    return t.value + t.name

def iterate() -> List[int]:
    out: List[int] = []
    for c in Color:
        out.append(c.value)
    return out

def listed() -> List[Color]:
    return [Color.RED, Color.GREEN]

def sub_enum(x: Sub, y: Sub) -> bool:
    return x == Sub.RED or x == y

def printed(x: Color):
    print(x)

def bad_member(x: Color) -> bool:
    return x in [Color.RED, Color.BLUE]

def bad_missing(x: Color):
    return x == Color.PURPLE

def bad_mixed(x: Mixed):
    return x

def bad_cmp_type(x: Color) -> bool:
    return x == Tag.A

def bad_construct():
    return Color(1)

CASES = [("compare", (Color.RED, Color.GREEN)), ("compare", (Color.GREEN, Color.GREEN)), ("compare", (Color.GREEN, Color.BLUE)), ("differ", (Color.GREEN,)), ("parts", (Color.BLUE,)), ("static_parts", ()),
 ("ret", (0,)), ("ret", (1,)), ("ratios", (Ratio.HALF,)), ("tags", (Tag.A,)), ("iterate", ()), ("listed", ()), ("sub_enum", (Sub.GREEN, Sub.GREEN)), ("printed", (Color.GREEN,))]
BAD = [("bad_member", "aten::__contains__.int_list"), ("bad_missing", "has no attribute 'PURPLE'"), ("bad_mixed", "Could not unify type list"), ("bad_construct", "")]

"""L1 lexical structure: indentation, blank lines, comments everywhere, line continuation, implicit joining,
numbers, string prefixes, one-line suites, trailing commas, parenthesised expressions, unicode in comments"""
import torch
from typing import List, Dict, Tuple
def comments(x: int) -> int:  # on the def line
    # before the first statement

    y = x  # ünïcode in a comment 漢字

        # oddly indented comment
    if y > 0:  # on an if

        # inside
        y += 1

    # dedented
    return y

def continuation(
    x: int,
    y: int,
) -> int:
    z = x + \
        y + \
        1
    w = (z
         # comment inside parens
         + 1

         + 2)
    l = [1,
         2,
         3,
         ]
    d = {
        "a": 1,
        "b": 2,
    }
    return w + l[-1] + d["b"]

def trailing(x: int) -> Tuple[int, int]:
    t = (x, x + 1,)
    return t

def one_line(x: int) -> int: return x + 1

def suites(x: int) -> int:
    if x > 0: x += 1; x += 2
    elif x < -5: x = 0
    else: pass
    for i in range(2): x += i
    while x > 100: x -= 1
    return x

def deep_indent(x: int) -> int:
        if x:
                y = 1
        else:
              y = 2
        return y

def tabs(x: int) -> int:
	if x > 0:
		return 1
	return 0

def numbers() -> List[float]:
    return [1e3, 1.e2, .25, 1_0.5, 0.5e-1, 3.0E+2]

def parens(x: int) -> int:
    return (((x))) + (1)

def string_forms() -> List[str]:
    return ['a' 'b', "a" 'b', '''t'q"t''', """x
y""", 'it\'s', r'\d', u"u", ("par"
    "ens")]

def ops_nospace(a: int, b: int) -> int:
    return a+b*-a--b

def long_chain(x: torch.Tensor) -> torch.Tensor:
    return (
        x
        .add(1)
        .mul(2)
        .sub(3)
    )

def not_in_is_not(l: List[int], x: int) -> Tuple[bool, bool]:
    return x not  in l, l  is   not l

def lambda_named(lambda_: int) -> int:
    return lambda_

CASES = [("comments", (1,)), ("continuation", (1, 2)), ("trailing", (1,)), ("one_line", (1,)), ("suites", (1,)), ("suites", (-9,)), ("suites", (-1,)), ("deep_indent", (1,)), ("tabs", (1,)), ("numbers", ()), ("parens", (3,)), ("string_forms", ()), ("ops_nospace", (5, 3)), ("long_chain", (torch.ones(1),)), ("not_in_is_not", ([1], 2)), ("lambda_named", (4,))]

"""Strings: methods, slices, formats, literals. Text is bytes, and its operations are those of ASCII."""
from typing import Any, Dict, List, Optional, Tuple, Union

import torch


def changed(s: str) -> List[str]:
    return [s.upper(), s.lower(), s.capitalize(), s.title(), s.swapcase(), s.strip(), s.lstrip(), s.rstrip(),
            s.center(20, "*"), s.ljust(15), s.rjust(15, "-"), s.zfill(12), s.expandtabs(4), s.replace("a", "bb"),
            s.replace("a", "b", 1)]


def classified(s: str) -> List[bool]:
    return [s.isalnum(), s.isalpha(), s.isdecimal(), s.isdigit(), s.isidentifier(), s.islower(), s.isnumeric(),
            s.isprintable(), s.isspace(), s.istitle(), s.isupper()]


def found(s: str, t: str) -> List[int]:
    return [s.find(t), s.rfind(t), s.count(t), s.find(t, 2), s.find(t, 0, 3), s.count(t, 1)]


def index(s: str, t: str) -> List[int]:
    return [s.index(t), s.rindex(t)]


def starts_ends(s: str) -> List[bool]:
    return [s.startswith("a"), s.endswith("c"), s.startswith("b", 1), s.endswith("b", 0, 2), "b" in s, "z" not in s]


def split(s: str) -> List[List[str]]:
    return [s.split(), s.split(","), s.split(",", 1), s.rsplit(",", 1), s.splitlines(), s.split(None, 1)]


def partition(s: str) -> Tuple[Tuple[str, str, str], Tuple[str, str, str]]:
    return s.partition(","), s.rpartition(",")


def join(l: List[str]) -> str:
    return ",".join(l) + "-".join(["x"])


def slices(s: str) -> List[str]:
    return [s[0], s[-1], s[1:3], s[:2], s[2:], s[::2], s[1::2], s[-3:], s[:-1]]


def negative_step(s: str) -> str:
    return s[::-1]


def item(s: str, i: int) -> str:
    return s[i]


def iterate(s: str) -> List[str]:
    r: List[str] = []
    for c in s:
        r.append(c + c)
    return r


def enumerate_characters(s: str) -> Dict[str, int]:
    d: Dict[str, int] = {}
    for i, c in enumerate(s):
        d[c] = i
    return d


def format_all(a: int, b: float, s: str, l: List[int], t: Tuple[int, str], o: Optional[int]) -> str:
    return "{} {} {} {} {} {} {}".format(a, b, s, l, t, o, True)


def format_too_few(a: int) -> str:
    return "{} {}".format(a)


def format_too_many(a: int) -> str:
    return "{}".format(a, a)


def format_numbered(a: int) -> str:
    return "{0} {1} {:d}".format(a, 2, 3)


def format_braces(a: int) -> str:
    return "{{}} {}".format(a)


def f_string(a: int, s: str) -> str:
    return f"{a}-{s}-{a + 1}-{s.upper()}-{{}}"


def f_strings_joined(a: List[int]) -> str:
    return f"{a[0]}{a}{len(a)}" f"{'x'}"


def f_string_of_expressions(a: Dict[str, int]) -> str:
    return f'{a["k"]} {[x for x in a.keys()]}'


def concatenate(a: str, b: str) -> str:
    return a + b + "c" "d"


def repeat(a: str, n: int) -> str:
    return a * n


def compare(a: str, b: str) -> List[bool]:
    return [a < b, a <= b, a > b, a >= b, a == b, a != b]


def length(a: str) -> int:
    return len(a)


def percent(a: str, b: int) -> str:
    return "%s is %d (%%)" % (a, b)


def percent_one(a: int) -> str:
    return "v=%d" % a


def percent_too_few(a: int) -> str:
    return "%d %d" % a


def augmented(a: str) -> str:
    a += "x"
    a += a
    return a


def escapes() -> List[str]:
    return ["\n\t\\", 'a\'b', "a\"b", r"\n", "\x41", "\u00e9", "\0"]


def sort_list(l: List[str]) -> List[str]:
    l.sort()
    return l


def sorted_list(l: List[str]) -> List[str]:
    return sorted(l)


def compare_literals(l: List[str]) -> List[bool]:
    return ["a" < "b", "a" in l]


def as_key(d: Dict[str, int], k: str) -> int:
    return d[k]


def list_of(s: str) -> List[str]:
    return list(s)


def text_of_containers(l: List[str], t: Tuple[str, int], d: Dict[str, str]) -> str:
    return str(l) + str(t) + str(d)


def truth(s: str) -> int:
    if s:
        return 1
    return 0


def docstrings(x: int) -> int:
    """A docstring"""
    "another"
    return x


def triple_quoted() -> str:
    return """line1
  line2"""


def strip_characters(s: str) -> List[str]:
    return [s.strip("ab"), s.lstrip("a"), s.rstrip("b")]


def letters(text: str, other: str, i: int) -> Tuple[int, List[str], bool, bool]:
    signs: List[str] = []
    number = 0
    c = text[i]
    if c >= "0" and "9" >= c:
        number = ord(c) - ord("0")
    elif c != "x":
        signs.append(c)
    for k in range(len(text)):
        if text[k] == other[0]:
            number += 10
        elif text[k] > "~":
            signs.append(text[k] + other)
    return number, signs, c < other[i], "" == text[0]


def ordinals(s: str) -> List[int]:
    return [ord(c) for c in s]


def reversed_text(s: str) -> str:
    r = ""
    for i in range(len(s)):
        r = s[i] + r
    return r


def zipped(a: str, b: str) -> List[str]:
    return [x + y for x, y in zip(a, b)]


def ternary(s: str) -> str:
    return s if len(s) > 2 else s + "?"


def conditions(a: str, b: str) -> bool:
    return (a == "x") and (b == "y") or a > b


def padded(n: int) -> str:
    return str(n).zfill(5)


def assert_message(s: str) -> str:
    assert len(s) > 2, f"short: {s}"
    return s


def raise_formatted(s: str, n: int) -> str:
    if n > 2:
        raise RuntimeError("bad {} and {}".format(s, n))
    return s


def text_of_tensor(t: torch.Tensor) -> str:
    return str(t) + "|{}".format(t)


def print_tensor(t: torch.Tensor) -> None:
    print(t, t.shape, t.dtype)
    print([t], (t,), {"a": t})


CALLS = {
    "changed": [("Hello world",), (" a\tb ",), ("",), ("-12",), ("+5",)],
    "classified": [("abc",), ("ABC",), ("12",), ("a1",), ("",), (" ",), ("Ab Cd",), ("_x1",), ("1x",)],
    "found": [("abcabc", "c"), ("abc", "z")],
    "index": [("abcabc", "c"), ("abc", "z")],
    "starts_ends": [("abc",), ("",)],
    "split": [("a,b c,d\ne",), ("",), ("  a  b ",), (",,",)],
    "partition": [("a,b,c",), ("abc",)],
    "join": [(["a", "b"],), ([],)],
    "slices": [("abcdef",), ("abc",), ("",)],
    "negative_step": [("abc",)],
    "item": [("abc", 1), ("abc", -1), ("abc", 3), ("abc", -4)],
    "iterate": [("abc",), ("",)],
    "enumerate_characters": [("abca",)],
    "format_all": [(1, 2.0, "s", [1, 2], (1, "a"), None)],
    "format_too_few": [(1,)],
    "format_too_many": [(1,)],
    "format_numbered": [(1,)],
    "format_braces": [(1,)],
    "f_string": [(1, "a")],
    "f_strings_joined": [([1, 2],)],
    "f_string_of_expressions": [({"k": 1},)],
    "concatenate": [("a", "b")],
    "compare": [("a", "b"), ("a", "a"), ("B", "a"), ("ab", "a")],
    "length": [("abc",)],
    "percent": [("a", 3)],
    "percent_one": [(3,)],
    "percent_too_few": [(3,)],
    "augmented": [("a",)],
    "escapes": [()],
    "sort_list": [(["b", "a", "C"],)],
    "sorted_list": [(["b", "a", ""],)],
    "compare_literals": [(["b", "a"],)],
    "as_key": [({"a": 1}, "a"), ({"a": 1}, "b")],
    "list_of": [("abc",)],
    "text_of_containers": [(["a"], ("b", 1), {"c": "d"})],
    "truth": [("",), ("a",)],
    "docstrings": [(1,)],
    "triple_quoted": [()],
    "strip_characters": [("abcab",)],
    "letters": [("abc5", "5ab~", i) for i in [0, 3, -1, -4, 4, -5]] + [("", "", 0), ("a", "", 0), ("x~", "yz", 1)],
    "ordinals": [("az",)],
    "reversed_text": [("abc",)],
    "zipped": [("abc", "xy")],
    "ternary": [("a",), ("abc",)],
    "conditions": [("x", "y"), ("z", "a")],
    "padded": [(42,), (-42,)],
    "assert_message": [("ab",), ("abc",)],
    "raise_formatted": [("x", 3), ("x", 1)],
    "text_of_tensor": [(torch.tensor([1.5, 2.0]),), (torch.tensor(3),), (torch.tensor([[1, 2], [3, 4]]),)],
    "print_tensor": [(torch.tensor([1.0, 2.0]),), (torch.tensor(True),)],
}

REFUSED = [
    "repeat",
]

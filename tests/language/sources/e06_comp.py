"""E6 comprehensions: list, dict, nested, over range/zip/enumerate/str/tensor/items; scoping; filters and multiple
generators rejected; generator expression"""
import torch
from typing import List, Dict, Tuple
def simple(l: List[int]) -> List[int]:
    return [x * 2 for x in l]

def change_type(l: List[int]) -> List[str]:
    return [str(x) + "!" for x in l]

def over_range(n: int) -> List[int]:
    return [i * i for i in range(n)]

def over_zip(a: List[int], b: List[float]) -> List[float]:
    return [x * y for x, y in zip(a, b)]

def over_enum(a: List[str]) -> List[Tuple[int, str]]:
    return [(i, s) for i, s in enumerate(a)]

def over_str(s: str) -> List[str]:
    return [c for c in s]

def over_dict(d: Dict[str, int]) -> List[str]:
    return [k for k in d]

def nested(n: int) -> List[List[int]]:
    return [[j for j in range(i)] for i in range(n)]

def over_tensor(x: torch.Tensor) -> List[float]:
    return [float(r.sum()) for r in x]

def tensor_items(ts: List[torch.Tensor]):
    return [t + 1 for t in ts]

def scope(l: List[int]) -> Tuple[List[int], int]:
    x = 100
    y = [x + 1 for x in l]
    return y, x

def dict_comp(l: List[str]) -> Dict[str, int]:
    return {s: len(s) for s in l}

def dict_comp2(d: Dict[str, int]) -> Dict[int, str]:
    return {v: k for k, v in d.items()}

def gen_any(l: List[int]) -> bool:
    return any([x > 2 for x in l])

def gen_sum(l: List[int]) -> int:
    return sum(x * x for x in l)

def tuple_elems(l: List[Tuple[int, int]]) -> List[int]:
    return [a * b for a, b in l]

def over_tuple(t: Tuple[int, int, int]) -> List[int]:
    return [v + 1 for v in t]

def bad_filter(l: List[int]):
    return [x for x in l if x > 1]

def bad_two(l: List[int]):
    return [x * y for x in l for y in l]

def bad_set_comp(l: List[int]):
    return {x for x in l}

def bad_dict_filter(l: List[int]):
    return {x: x for x in l if x > 0}

CASES = [("simple", ([1, 2],)), ("simple", ([],)), ("change_type", ([1, 2],)), ("over_range", (4,)), ("over_zip", ([1, 2], [0.5, 1.5, 9.0])), ("over_enum", (["a", "b"],)), ("over_str", ("hey",)), ("over_dict", ({"x": 1, "y": 2},)), ("nested", (4,)), ("over_tensor", (torch.ones(2, 3),)), ("tensor_items", ([torch.ones(1)],)), ("scope", ([1, 2],)), ("dict_comp", (["a", "bb"],)), ("dict_comp2", ({"x": 1, "y": 2},)), ("gen_any", ([1, 3],)), ("gen_sum", ([1, 3],)), ("tuple_elems", ([(1, 2), (3, 4)],)), ("over_tuple", ((1, 2, 3),))]
BAD = [("bad_filter", "Comprehension ifs are not supported yet"), ("bad_two", "Only a single generator is currently supported"), ("bad_set_comp", "SetComp aren't supported"), ("bad_dict_filter", "Comprehension ifs are not supported yet")]

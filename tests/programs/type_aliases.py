"""Names of types that the file itself gives, also to what had the name before."""
from typing import Dict, List, Optional

int = int
List = List
Numbers = List[int]
Other = Numbers
MaybeNumbers = Optional[Other]
Table = Dict[str, Numbers]


def total(x: MaybeNumbers) -> int:
    n = 0
    if x is not None:
        for i in x:
            n += i
    return n


def longest(x: Table) -> int:
    n = 0
    for k, v in x.items():
        n = max(n, len(v) + len(k))
    return n


def of_any(x: Other, y: List[float]) -> List[float]:
    z: Numbers = x
    return [float(i) for i in z] + y


CALLS = {
    "total": [([1, 2, 3],), (None,)],
    "longest": [({"a": [1, 2], "long": [3]},)],
    "of_any": [([1, 2], [0.5])],
}

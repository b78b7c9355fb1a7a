"""A program whose instructions are all in the small loop of selective builds: test_amalgamation.py."""
from typing import List, Optional, Tuple


def turn(pair: Tuple[int, List[int]], by: int) -> Tuple[int, List[int]]:
    number, items = pair
    return number - by, [items[1], items[0], items[2]]


def steps(n: int, limit: Optional[int]) -> int:
    rows = [[n, 1, 7], [2, n, 3], [n, n, n]]
    pair = (n, rows[1])
    total = 0
    for i in range(len(rows)):
        row = rows[i]
        pair = turn(pair, i)
        first, items = pair
        total = total + row[0] - row[2] + items[0]
        if i == 1:
            total = total + first
        if total > 20 and not total == n:
            total = total - 5
    if limit is not None:
        if total >= limit:
            raise ValueError("too many steps")
    k = 0
    while k < 3:
        if rows[k][0] != n and rows[k][1] <= total:
            total = total + k
        k += 1
    return total + pair[1][-1]


def third(n: int) -> int:
    """Has an instruction that the small loop lacks."""
    return n // 3

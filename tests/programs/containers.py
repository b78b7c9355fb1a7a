"""Lists, tuples, NamedTuples and dicts: methods, order, aliasing, unpacking, comprehensions."""
from typing import Dict, List, NamedTuple, Optional, Tuple, Union

import torch


class Pair(NamedTuple):
    x: int
    y: str


class Tagged(NamedTuple):
    a: torch.Tensor
    b: Optional[int] = None


def list_methods(l: List[int]) -> List[int]:
    l.append(4)
    l.extend([5, 6])
    l.insert(1, 9)
    l.insert(-1, 8)
    l.insert(100, 7)
    l.remove(9)
    l.reverse()
    return l


def list_pop(l: List[int]) -> Tuple[int, int, int, List[int]]:
    return l.pop(), l.pop(0), l.pop(-1), l


def list_pop_at(l: List[int], i: int) -> int:
    return l.pop(i)


def items_of_items(rows: List[List[int]], flags: Dict[int, Tuple[float, bool]], pairs: List[Tuple[str, int]],
                   i: int, j: int) -> Tuple[int, int, float]:
    total = 0
    least = 0.0
    count = 0
    for k in range(len(rows)):
        total += rows[k][j] * pairs[k][1]
        if flags[k][1]:
            least = min(least, flags[k][0])
    rows[i][j] += rows[i][j] + rows[0][0]
    for row in rows:
        for item in row:
            if item > total:
                count = -count
                break
            count += item
    return total, count, least


def list_remove(l: List[int], v: int) -> List[int]:
    l.remove(v)
    return l


def list_index_count(l: List[int], v: int) -> Tuple[int, int]:
    return l.index(v), l.count(v)


def list_clear(l: List[int]) -> int:
    m = l.copy()
    l.clear()
    return len(m) + len(l)


def list_sort(l: List[int], f: List[float]) -> Tuple[List[int], List[float], List[int]]:
    l.sort()
    f.sort(reverse=True)
    return l, f, sorted(l)


def list_sort_bools(l: List[bool]) -> List[bool]:
    l.sort()
    return l


def sort_tuples(l: List[Tuple[int, str]]) -> List[Tuple[int, str]]:
    l.sort()
    return l


def list_operators(a: List[int], b: List[int]) -> Tuple[List[int], List[int], bool, bool, bool]:
    return a + b, a * 2, a == b, a != b, 2 in a


def cmp_f(a: List[float], b: List[float]) -> Tuple[bool, bool]:
    return a == b, a != b


def cmp_s(a: List[str], b: List[str]) -> Tuple[bool, bool]:
    return a == b, a != b


def cmp_nested(a: List[List[int]], b: List[List[int]]) -> bool:
    return a == b


def list_slices(l: List[int]) -> List[List[int]]:
    return [l[1:3], l[:2], l[2:], l[::2], l[-2:], l[:-1], l[:], l[5:], l[3:1]]


def neg_step(l: List[int]) -> List[int]:
    return l[::-1]


def neg_step2(l: List[int]) -> List[int]:
    return l[4:1:-2]


def list_store(l: List[int], i: int) -> List[int]:
    l[i] = 10
    return l


def list_item(l: List[int], i: int) -> int:
    return l[i]


def list_delete(l: List[int], i: int) -> List[int]:
    del l[i]
    return l


def list_alias(l: List[int]) -> Tuple[List[int], List[int]]:
    m = l
    m.append(1)
    m += [2]
    n = m + [3]
    n.append(4)
    return l, n


def nested_containers() -> List[List[int]]:
    a = [[0] * 3 for _ in range(2)]
    a[0][1] = 5
    a[1] = [7]
    return a


def unpack(l: List[int]) -> int:
    a, b, c = l
    return a + b * c


def unpack_nested(t: Tuple[int, Tuple[str, int]]) -> str:
    a, (b, c) = t
    return b * (a + c)


def star(t: Tuple[int, int, int, int]) -> Tuple[int, Tuple[int, int], int]:
    a, *b, c = t
    return a, b, c


def swap(a: int, b: int) -> Tuple[int, int]:
    a, b = b, a
    return a, b


def tuples(t: Tuple[int, str, float]) -> Tuple[str, float, int, Tuple[int, str]]:
    return t[1], t[-1], len(t), t[:2]


def tuple_cat(t: Tuple[int, str], u: Tuple[float]) -> Tuple[int, str, float]:
    return t + u


def tuple_in(t: Tuple[int, int, int], x: int) -> bool:
    return x in t


def tuple_loop(t: Tuple[int, str, float]) -> str:
    s = ""
    for x in t:
        s += str(x)
    return s


def tuple_idx(t: Tuple[int, int, int], i: int) -> int:
    return t[i]


def tuple_step(t: Tuple[int, int, int, int]) -> Tuple[int, int]:
    return t[::2]


def tuple_neg(t: Tuple[int, int, int]) -> Tuple[int, int, int]:
    return t[::-1]


def comprehension(l: List[int]) -> List[int]:
    return [x * x for x in l]


def comprehension_nested(l: List[List[int]]) -> List[List[str]]:
    return [[str(x) for x in r] for r in l]


def comprehension_zip(a: List[int], b: List[str]) -> List[str]:
    return [y * x for x, y in zip(a, b)]


def comprehension_enumerate(a: List[int]) -> List[int]:
    return [i * x for i, x in enumerate(a)]


def comprehension_dict(a: List[int]) -> Dict[int, str]:
    return {x: str(x) for x in a}


def comprehension_items(d: Dict[str, int]) -> Dict[int, str]:
    return {v: k for k, v in d.items()}


def comprehension_ternary(a: List[int]) -> List[str]:
    return ["e" if x % 2 == 0 else "o" for x in a]


def gen_sum(a: List[int]) -> int:
    return sum([x for x in a])


def gen_any(a: List[int]) -> bool:
    return any(x > 2 for x in a)


def gen_list(a: List[int]) -> List[int]:
    return list(x + 1 for x in a)


def zips(a: List[int], b: List[int], c: List[str]) -> List[str]:
    r: List[str] = []
    for x, y, z in zip(a, b, c):
        r.append(str(x + y) + z)
    return r


def enum_start(a: List[int]) -> List[Tuple[int, int]]:
    r: List[Tuple[int, int]] = []
    for i, x in enumerate(a, 5):
        r.append((i, x))
    return r


def zip_enum(a: List[int], b: List[int]) -> int:
    s = 0
    for i, (x, y) in enumerate(zip(a, b)):
        s += i * x * y
    return s


def loop_var(a: List[int]) -> int:
    x = -1
    for x in a:
        pass
    return x


def loop_mod(a: List[int]) -> List[int]:
    for x in a:
        if len(a) < 6:
            a.append(x)
    return a


def while_pop(a: List[int]) -> int:
    s = 0
    while len(a) > 0:
        s += a.pop()
    return s


def truth(a: List[int], d: Dict[str, int]) -> str:
    if a:
        return "a"
    if not d:
        return "nd"
    return "d"


def optlist(a: Optional[List[int]]) -> int:
    if a is None:
        return 0
    return len(a)


def listopt() -> List[Optional[int]]:
    a: List[Optional[int]] = []
    a.append(None)
    a.append(3)
    return a


def tensors(l: List[torch.Tensor]) -> torch.Tensor:
    l.append(torch.ones(2))
    return torch.stack(l).sum(0)


def tensor_eq(l: List[torch.Tensor]) -> bool:
    return torch.ones(1) in l


def named_tuple(p: Pair) -> Tuple[int, str, int, str]:
    x, y = p
    return x, y, p.x + 1, p[1]


def named_tuple_made(n: int) -> Pair:
    return Pair(n, y="k")


def named_tuple_defaults(t: torch.Tensor) -> Tuple[torch.Tensor, Optional[int]]:
    q = Tagged(t)
    r = Tagged(t, 3)
    return q.a + 1, r.b


def named_tuple_list(n: int) -> List[Pair]:
    return [Pair(i, str(i)) for i in range(n)]


def named_tuple_text(n: int) -> str:
    return str(Pair(n, "a"))


def named_tuple_equality(n: int) -> bool:
    return Pair(n, "a") == Pair(3, "a")


def aug_item(l: List[int]) -> List[int]:
    l[0] += 5
    l[-1] *= 2
    return l


def list_of_str(s: List[str]) -> str:
    s[0] += "z"
    return ".".join(s)


def rangesum(n: int) -> int:
    return sum([i for i in range(n)])


def multi_assign() -> Tuple[int, int, List[int], List[int]]:
    a = b = 3
    c = d = [1]
    c.append(2)
    return a, b, c, d


def listlist(l: List[int]) -> List[int]:
    m = list(l)
    m.append(1)
    return l


def dict_list(d: Dict[str, List[int]]) -> Dict[str, List[int]]:
    d["a"].append(3)
    d["b"] = [1]
    return d


def del_var(x: int) -> int:
    y = x + 1
    del y
    y = 3
    return y


def max_by(l: List[Tuple[int, str]]) -> str:
    best = l[0]
    for t in l:
        if t[0] > best[0]:
            best = t
    return best[1]


def empty_ret() -> List[int]:
    return []


def empty_dict_ret() -> Dict[str, List[int]]:
    return {}


def empty_tuple() -> Tuple[()]:
    return ()


def hetero() -> str:
    a = [1, "a"]
    return str(a)


def grow_and_shrink(n: int) -> int:
    l: List[int] = []
    for i in range(n):
        l.insert(0, i)
    while len(l) > 5:
        l.pop(2)
    return l[2]


def bubble(l: List[int]) -> List[int]:
    n = len(l)
    for i in range(n):
        for j in range(n - i - 1):
            if l[j] > l[j + 1]:
                l[j], l[j + 1] = l[j + 1], l[j]
    return l


def dict_views(d: Dict[str, int]) -> Tuple[int, List[str], List[int], List[Tuple[str, int]], bool, int]:
    return len(d), list(d.keys()), list(d.values()), list(d.items()), "a" in d, d.get("a", -1)


def dict_get(d: Dict[str, int], k: str) -> Optional[int]:
    return d.get(k)


def dict_store(d: Dict[str, int]) -> Dict[str, int]:
    d["z"] = 1
    d["a"] = 2
    d["z"] = 3
    x = d.setdefault("q", 9)
    y = d.setdefault("a", 7)
    d["sum"] = x + y
    return d


def dict_pop(d: Dict[str, int], k: str) -> Tuple[int, int]:
    return d.pop(k), len(d)


def dict_pop_default(d: Dict[str, int], k: str) -> int:
    return d.pop(k, 42)


def dict_popitem(d: Dict[str, int]) -> Tuple[str, int]:
    return d.popitem()


def dict_delete(d: Dict[str, int], k: str) -> Dict[str, int]:
    del d[k]
    return d


def dict_update(d: Dict[str, int], e: Dict[str, int]) -> Dict[str, int]:
    d.update(e)
    return d


def dict_clear(d: Dict[str, int]) -> Tuple[Dict[str, int], int]:
    e = d.copy()
    d.clear()
    return e, len(d)


def dict_order(n: int) -> List[int]:
    d: Dict[int, int] = {}
    for i in range(n):
        d[(i * 7) % n] = i
    del d[3]
    d[3] = 100
    return list(d.keys())


def dict_iterate(d: Dict[str, int]) -> str:
    s = ""
    for k in d:
        s += k + str(d[k])
    return s


def dict_iterate_items(d: Dict[str, int]) -> int:
    s = 0
    for k, v in d.items():
        s += len(k) * v
    for v in d.values():
        s += v
    return s


def dict_int_keys(d: Dict[int, str]) -> str:
    return d[1] + d[2]


def dict_float_keys(d: Dict[float, int]) -> int:
    return d[1.5]


def dict_bool_keys(d: Dict[bool, int]) -> int:
    return d[True]


def dict_complex_keys() -> int:
    d = {1j: 3, 2 + 1j: 4}
    return d[2 + 1j]


def dict_tensor_keys(t: torch.Tensor) -> int:
    d = {t: 3}
    return d[t]


def dict_repeated_key() -> Dict[str, int]:
    return {"a": 1, "b": 2, "a": 3}


def nested_containers() -> Dict[str, Dict[str, List[int]]]:
    d: Dict[str, Dict[str, List[int]]] = {}
    d["x"] = {}
    d["x"]["y"] = [1]
    d["x"]["y"].append(2)
    return d


def dict_missing_str(d: Dict[str, int]) -> int:
    return d["nope"]


def dict_missing_int(d: Dict[int, int]) -> int:
    return d[7]


def dict_missing_float(d: Dict[float, int]) -> int:
    return d[7.5]


def dict_constructed(a: int) -> Tuple[Dict[str, int], Dict[str, int], Dict[str, int]]:
    return dict(a=1, b=a), dict([("x", a), ("y", 2)]), dict({"q": a})


def dict_of_pairs(l: List[Tuple[int, str]]) -> Dict[int, str]:
    return dict(l)


def counts(s: str) -> Dict[str, int]:
    d: Dict[str, int] = {}
    for c in s:
        if c in d:
            d[c] += 1
        else:
            d[c] = 1
    return d


def dict_augmented(d: Dict[str, float]) -> Dict[str, float]:
    d["a"] *= 2
    d["a"] -= 1
    return d


def dict_of_tensors(d: Dict[str, torch.Tensor]) -> torch.Tensor:
    d["s"] = d["a"] + 1
    d["s"] += 1
    return d["s"]


def dict_of_optionals(d: Dict[str, Optional[int]]) -> int:
    v = d["a"]
    return 0 if v is None else v


def dict_text(d: Dict[str, List[int]]) -> str:
    return str(d)


def dict_empty() -> Dict[str, torch.Tensor]:
    return {}


def dict_truth(d: Dict[str, int]) -> bool:
    return bool(d)


def in_keys(d: Dict[str, int], k: str) -> Tuple[bool, bool]:
    return k in d.keys(), k not in d


def dict_changed_while_iterating_keys(d: Dict[str, int]) -> List[str]:
    ks = list(d.keys())
    for k in ks:
        d.pop(k)
    d["n"] = 1
    return list(d.keys())


def comprehension_keys(d: Dict[str, int]) -> Dict[str, int]:
    return {k + "x": v * 2 for k, v in d.items()}


def sorted_keys(d: Dict[str, int]) -> List[str]:
    return sorted(d.keys())


def dict_of_unions(d: Dict[str, Union[int, str]]) -> str:
    r = ""
    for k, v in d.items():
        if isinstance(v, int):
            r += str(v + 1)
        else:
            r += v
    return r


def grow_and_shrink(n: int) -> int:
    d: Dict[int, int] = {}
    for i in range(n):
        d[i * i] = i
    for i in range(0, n, 2):
        d.pop(i * i)
    s = 0
    for k, v in d.items():
        s += k * v
    return s


def tuple_val(d: Dict[str, Tuple[int, str]]) -> str:
    a, b = d["k"]
    return b * a


def dict_get_list(d: Dict[str, List[int]]) -> List[int]:
    return d.get("a", [1, 2])


def dict_negative_zero(d: Dict[float, int]) -> int:
    d[0.0] = 1
    d[-0.0] = 2
    return len(d)


def dict_nan_keys() -> int:
    d: Dict[float, int] = {}
    d[float("nan")] = 1
    d[float("nan")] = 2
    return len(d)


def dict_get_chain(d: Dict[str, str], k: str, n: int) -> str:
    for _ in range(n):
        k = d.get(k, "none")
    return k


def dict_get_chain_of_ints(d: Dict[int, int], k: int, n: int) -> int:
    for _ in range(n):
        k = d.get(k, -1)
    return k


def dict_get_kept(d: Dict[str, str], k: str, n: int) -> Tuple[str, int]:
    found = "none" + k
    for _ in range(n):
        found = d.get(k, found)
    return found + "!", len(found)


def list_by_default(key: str) -> Tuple[List[Tuple[str, int]], List[int], List[Tuple[str, int]], List[List[int]]]:
    """get() and setdefault() may return the list that they were given. (PyTorch's len(other) stays 1 all the same.)"""
    rows: Dict[str, List[Tuple[str, int]]] = {"a": [("a", 1)]}
    other: List[Tuple[str, int]] = [("b", 2)]
    rows.get(key, other).append(("c", 3))
    missing: List[int] = [4]
    numbers: Dict[str, List[int]] = {}
    numbers.setdefault(key, missing).append(5)
    inner = [6]
    nested = [[7], inner]
    nested.pop().append(8)
    nested[0].append(inner[-1])
    return rows["a"], missing, other, nested


CALLS = {
    "list_by_default": [("a",), ("z",)],
    "dict_get_chain": [({"a": "b", "b": "c"}, "a", 1), ({"a": "b", "b": "c"}, "a", 2), ({"a": "b", "b": "c"}, "a", 3)],
    "dict_get_chain_of_ints": [({1: 2, 2: 3}, 1, 1), ({1: 2, 2: 3}, 1, 2), ({1: 2, 2: 3}, 1, 3)],
    "dict_get_kept": [({"a": "b"}, "a", 2), ({"a": "b"}, "c", 2), ({"a": "b"}, "c", 0)],
    "list_methods": [([1, 2, 3],), ([],)],
    "list_pop": [([1, 2, 3, 4],), ([1],)],
    "items_of_items": [
        ([[1, 2], [3, 4]], {0: (1.5, False), 1: (-0.5, True)}, [("a", 5), ("b", 7)], i, j)
        for i, j in [(0, 0), (-1, -2), (1, 1), (0, 2), (2, 0), (0, -3)]
    ] + [([[1, 2], [3]], {0: (1.5, False)}, [("a", 5)], 0, 0)],
    "list_pop_at": [([1, 2], 5), ([1, 2], -2), ([1, 2], -3)],
    "list_remove": [([1, 2, 1], 1), ([1], 5)],
    "list_index_count": [([1, 2, 2], 2), ([1], 2)],
    "list_clear": [([1, 2],)],
    "list_sort": [([3, 1, 2], [1.5, 2.5])],
    "list_sort_bools": [([True, False],)],
    "sort_tuples": [([(2, "a"), (1, "b"), (1, "a")],)],
    "list_operators": [([1, 2], [1, 2]), ([1], [])],
    "cmp_f": [([1.0], [1.0])],
    "cmp_s": [(["a"], ["a"])],
    "list_slices": [([1, 2, 3, 4, 5],), ([],)],
    "neg_step": [([1, 2, 3],)],
    "neg_step2": [([1, 2, 3, 4, 5],)],
    "list_store": [([1, 2], 0), ([1, 2], -1), ([1], 1), ([1], -2)],
    "list_item": [([1], 0), ([1], 1), ([], -1)],
    "list_delete": [([1, 2, 3], 1), ([1, 2, 3], -1), ([1], 4)],
    "list_alias": [([1],)],
    "unpack": [([1, 2, 3],), ([1, 2],), ([1, 2, 3, 4],)],
    "star": [((1, 2, 3, 4),)],
    "swap": [(1, 2)],
    "tuples": [((1, "a", 2.5),)],
    "tuple_cat": [((1, "a"), (2.5,))],
    "tuple_in": [((1, 2, 3), 2), ((1, 2, 3), 5)],
    "tuple_loop": [((1, "a", 2.5),)],
    "tuple_idx": [((1, 2, 3), 1), ((1, 2, 3), -1), ((1, 2, 3), 3)],
    "tuple_step": [((1, 2, 3, 4),)],
    "tuple_neg": [((1, 2, 3),)],
    "comprehension": [([1, 2],), ([],)],
    "comprehension_nested": [([[1], [2, 3]],)],
    "comprehension_enumerate": [([5, 6],)],
    "comprehension_dict": [([1, 2],)],
    "comprehension_items": [({"a": 1, "b": 2},)],
    "comprehension_ternary": [([1, 2],)],
    "gen_sum": [([1, 2],)],
    "gen_any": [([1, 2],), ([3],)],
    "gen_list": [([1],)],
    "zips": [([1, 2], [3, 4], ["a", "b"]), ([1], [2, 3], ["a", "b"])],
    "enum_start": [([7, 8],)],
    "zip_enum": [([1, 2, 3], [4, 5])],
    "loop_var": [([1, 2],), ([],)],
    "loop_mod": [([1, 2],)],
    "while_pop": [([1, 2, 3],)],
    "truth": [([1], {}), ([], {}), ([], {"a": 1})],
    "optlist": [(None,), ([1, 2],)],
    "listopt": [()],
    "tensors": [([torch.tensor([1.0, 1.0])],)],
    "named_tuple": [(Pair(1, "a"),)],
    "named_tuple_made": [(3,)],
    "named_tuple_defaults": [(torch.tensor([1.0]),)],
    "named_tuple_list": [(2,)],
    "named_tuple_text": [(2,)],
    "aug_item": [([1, 2],), ([],)],
    "list_of_str": [(["a", "b"],)],
    "rangesum": [(5,)],
    "multi_assign": [()],
    "listlist": [([1],)],
    "dict_list": [({"a": [1]},), ({},)],
    "del_var": [(1,)],
    "max_by": [([(1, "a"), (3, "b"), (3, "c")],)],
    "empty_ret": [()],
    "empty_dict_ret": [()],
    "empty_tuple": [()],
    "hetero": [()],
    "grow_and_shrink": [(50,)],
    "bubble": [([3, 1, 2],)],
    "dict_views": [({"b": 1, "a": 2},), ({},)],
    "dict_get": [({"b": 1, "a": 2}, "a"), ({"b": 1, "a": 2}, "z")],
    "dict_store": [({"b": 1, "a": 2},)],
    "dict_pop": [({"b": 1, "a": 2}, "a"), ({"b": 1, "a": 2}, "z")],
    "dict_pop_default": [({"b": 1, "a": 2}, "a"), ({"b": 1, "a": 2}, "z")],
    "dict_popitem": [({"b": 1, "a": 2},), ({},)],
    "dict_delete": [({"b": 1, "a": 2}, "a"), ({"b": 1, "a": 2}, "z")],
    "dict_update": [({"b": 1, "a": 2}, {"c": 3, "a": 5})],
    "dict_clear": [({"b": 1, "a": 2},)],
    "dict_order": [(10,)],
    "dict_iterate": [({"b": 1, "a": 2},)],
    "dict_iterate_items": [({"b": 1, "a": 2},)],
    "dict_int_keys": [({1: "a", 2: "b"},), ({1: "a"},)],
    "dict_float_keys": [({1.5: 1},)],
    "dict_bool_keys": [({True: 1},)],
    "dict_complex_keys": [()],
    "dict_tensor_keys": [(torch.tensor([1.0]),)],
    "dict_repeated_key": [()],
    "dict_missing_str": [({"b": 1, "a": 2},)],
    "dict_missing_int": [({1: 2},)],
    "dict_missing_float": [({1.0: 2},)],
    "dict_constructed": [(3,)],
    "dict_of_pairs": [([(1, "a"), (2, "b")],)],
    "counts": [("hello",)],
    "dict_augmented": [({"a": 2.5},), ({},)],
    "dict_of_tensors": [({"a": torch.tensor([1.0, 1.0])},)],
    "dict_of_optionals": [({"a": None},), ({"a": 3},)],
    "dict_text": [({"a": [1]},), ({},)],
    "dict_empty": [()],
    "dict_truth": [({},), ({"b": 1, "a": 2},)],
    "in_keys": [({"b": 1, "a": 2}, "a")],
    "dict_changed_while_iterating_keys": [({"b": 1, "a": 2},)],
    "comprehension_keys": [({"b": 1, "a": 2},)],
    "sorted_keys": [({"b": 1, "a": 2},)],
    "dict_of_unions": [({"a": 1, "b": "x"},)],
    "dict_get_list": [({},), ({"a": [5]},)],
    "dict_negative_zero": [({},)],
    "dict_nan_keys": [()],
}

REFUSED = [
    "cmp_nested", "unpack_nested", "comprehension_zip", "tensor_eq", "named_tuple_equality", "nested_containers",
    "tuple_val",
]

"""Small programs that call one operator and show what it does: whether results share memory with arguments, whether
sizes or elements depend on strides, and the like. record.py runs them in PyTorch, test_traits.py with tsmc and tsmrun;
both read a sample's facts with facts_of.

Tensors of samples have names: a letter for the dtype, and digits for the sizes ("0": none). `f23` is a float32 of sizes
[2, 3], `b3` three bools."""
import math
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
TENSOR = re.compile(r"\b[bcdfinpqsu]\d+\b")
# letter -> dtype and, from a number in [0, 1), an element
DTYPES = {"f": ("float32", lambda r: 0.15 + 0.7 * r), "d": ("float64", lambda r: 0.15 + 0.7 * r), "n": ("float32", lambda r: 3 * r - 1.5),
          "i": ("int64", lambda r: int(2 * r)), "u": ("uint8", lambda r: 1 + int(8 * r)), "b": ("bool", lambda r: r > 0.5),
          "c": ("complex64", lambda r: [0.2 + r, 0.9 - r]), "p": ("float32", None),
          "q": ("quint8", lambda r: 2 + int(20 * r)), "s": ("qint8", lambda r: 1 + int(20 * r))}
PLAIN, AGAIN, OTHER_ELEMENTS, OTHER_STRIDES, CHANGED = range(5)  # what is run

PRELUDE = '''import torch
from typing import List


def laid_out_otherwise(x: torch.Tensor) -> torch.Tensor:
    if x.dim() < 2:
        return x
    return x.transpose(-1, -2).contiguous().transpose(-1, -2)


def change(t: torch.Tensor):
    if t.numel() > 0:
        while t.dim() > 0:
            t = t[0]
        if t.dtype == torch.bool:
            t.logical_not_()
        else:
            t.fill_(77)


'''


def element_noise(seed):
    """Numbers in [0, 1), the same everywhere."""
    while True:
        seed = (seed * 1103515245 + 12345) % 2**31
        yield (seed >> 8) / 2**23


def tensor(name, elements):
    """A tensor as tsmrun reads it; `elements` 0 or 1 chooses among two fillings."""
    sizes = [int(c) for c in name[1:] if c != "0"]
    count = math.prod(sizes)
    dtype, element = DTYPES[name[0]]
    noise = element_noise(sum(map(ord, name)) * 7919 + 104729 * elements)
    for _ in range(9):
        next(noise)
    if name[0] == "p":  # positive definite
        n = sizes[-1]
        data = [(n + next(noise) if (k // n) % n == k % n else 0.1) for k in range(count)]
    else:
        data = [element(next(noise)) for _ in range(count)]
    made = {"dtype": dtype, "shape": sizes, "data": data}
    if name[0] in "qs":
        made.update(scale=0.1, zero_point=1 if name[0] == "q" else 0)
    return {"tensor": made}


def tensors_of(text):
    return sorted(set(TENSOR.findall(text)))


def results_of(operator):
    """The types of an operator's results."""
    returns = operator.schema[operator.schema.rindex(" -> ") + 4:]
    return [re.sub(r"\([a-z*|!]*\)", "", r).split(" ")[0] for r in split_results(returns)]


def split_results(returns):
    if not returns.startswith("("):
        return [returns]
    parts, depth, start = [], 0, 1
    for i, c in enumerate(returns):
        depth += {"(": 1, ")": -1}.get(c, 0)
        if depth == 1 and c == "," or depth == 0 and i > start:
            parts.append(returns[start:i].strip())
            start = i + 1
    return parts


def source(operator, text, call=None):
    """The TorchScript function `probe` that calls the operator with these arguments."""
    call = call or "torch.ops.%s" % operator.base().replace("::", ".")
    names = tensors_of(text)
    kinds = results_of(operator)
    lines = ["def probe(how: int%s):" % "".join(", %s: torch.Tensor" % n for n in names)]
    lines += ["    given: List[torch.Tensor] = [%s]" % ", ".join(names)]
    if names:
        lines += ["    if how == %d:" % OTHER_STRIDES] + ["        %s = laid_out_otherwise(%s)" % (n, n) for n in names]
    lines += ["    y = %s(%s)" % (call, text)] if kinds else ["    %s(%s)" % (call, text), "    y = 0"]
    lines += ["    strides: List[List[int]] = []"]
    for i, kind in enumerate(kinds):
        result = "y" if len(kinds) == 1 else "y[%d]" % i
        visit = {"Tensor": ["    t%d = %s" % (i, result)], "Tensor[]": ["    for t%d in %s:" % (i, result)]}.get(kind)
        indent = "        " if kind == "Tensor[]" else "    "
        if visit:
            lines += visit + [indent + "strides.append(t%d.stride())" % i, indent + "if how == %d:" % CHANGED, indent + "    change(t%d)" % i]
    return PRELUDE + "\n".join(lines + ["    return y, strides, given", ""])


def arguments(text):
    """The arguments of the five runs."""
    names = tensors_of(text)
    runs = [(PLAIN, 0), (AGAIN, 0), (OTHER_ELEMENTS, 1), (OTHER_STRIDES, 0), (CHANGED, 0)]
    return [[how] + [tensor(n, elements) for n in names] for how, elements in runs]


# ---- Facts ----

def tensors_in(value):
    if isinstance(value, dict):
        inner = value.get("tensor")
        return [inner] if inner else [t for v in value.values() for t in tensors_in(v)]
    return [t for v in value for t in tensors_in(v)] if isinstance(value, list) else []


def sizes_in(value):
    """What of a value does not depend on elements: dtypes, sizes, lengths."""
    return [(t["dtype"], t["shape"]) for t in tensors_in(value)], len(value) if isinstance(value, list) else 0


def same(a, b):
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float) or isinstance(b, float):
        return a == b or (a != a and b != b) or abs(a - b) <= 1e-4 * (1 + abs(a))
    return a == b


def first_argument(operator, text):
    """The name of the tensor that is argument 0; None when it is something else."""
    at = TENSOR.match(text)
    return at.group() if at and operator.arguments and re.match(r"Tensor(\([^)]*\))?$", operator.arguments[0][0]) else None


def is_marked(operator):
    """Some result may be an argument by the schema."""
    return re.search(r"\((\*|[a-z](\|[a-z])*)!?\)", operator.schema[operator.schema.rindex(" -> "):]) is not None


def facts_of(operator, text, runs):
    """What five runs (None: it raised) show; a fact that they do not show is left out."""
    facts, names = set(), tensors_of(text)
    given = [tensor(n, 0) for n in names]
    plain, again, other, strided, changed = [r["tuple"] if r else None for r in runs]
    results = tensors_in(plain[0])
    if not same(plain[2], given):
        facts.add("writes")
    if operator.written() and sizes_in(plain[2]) != sizes_in(given):
        facts.add("resizes")
    if not is_marked(operator) and changed and not same(changed[2], plain[2]):
        facts.add("shares")
    if again and not same(plain[0], again[0]):
        facts.add("varies")
    if other and sizes_in(plain[0]) != sizes_in(other[0]):
        facts.add("sizes_vary")
    if other:
        facts.add("same_for_elements" if same(plain[0], other[0]) else "differs_for_elements")
    first = first_argument(operator, text)
    if first and results:
        sizes = tensor(first, 0)["tensor"]["shape"]
        facts.add("same_rank" if len(results[0]["shape"]) == len(sizes) else "other_rank")
        same_dtype = results[0]["dtype"] == DTYPES[first[0]][0]
        facts.add("like_input" if same_dtype and results[0]["shape"] == sizes else "unlike_input")
        facts.add("same_dtype" if same_dtype else "other_dtype")
    ranks = {len(tensor(n, 0)["tensor"]["shape"]) for n in names}
    if len(ranks) == 1 and results:
        facts.add("common_rank" if {len(r["shape"]) for r in results[:1]} == ranks else "uncommon_rank")
    if strided and "varies" not in facts:
        facts.add("same_for_strides" if same(plain[0], strided[0]) else "differs_for_strides")
        facts.add("same_strides" if plain[1] == strided[1] else "other_strides")
    return facts

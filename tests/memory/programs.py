"""Programs for test_memory.c and test_bounds.c: each takes an int, works with one kind of value, and returns an int."""
from enum import Enum
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import torch


class Colour(Enum):
    RED = 1
    GREEN = 2


class Point(NamedTuple):
    x: int
    label: str


class Counter:
    def __init__(self, start: int):
        self.count = start
        self.names: List[str] = []

    def add(self, name: str) -> int:
        self.names.append(name)
        self.count += len(name)
        return self.count

    def __enter__(self):
        self.count += 100

    def __exit__(self, kind: Any, value: Any, trace: Any):
        self.count -= 1


def lists(n: int) -> int:
    rows: List[List[int]] = []
    for i in range(n):
        rows.append([j * i for j in range(i % 7)])
    flat: List[int] = []
    for row in rows:
        flat.extend([x + 1 for x in row])
    flat.sort(reverse=True)
    rows.insert(0, flat[2:9])
    flat.extend(rows[0])
    return len(flat) * 1000 + flat[0] + len(sorted(flat))


def dicts(n: int) -> int:
    table: Dict[str, List[int]] = {}
    for i in range(n):
        key = "key" + str(i % 11)
        if key not in table:
            table[key] = torch.jit.annotate(List[int], [])
        table[key].append(i)
    total = 0
    for k, v in table.items():
        total += len(k) * v[-1]
    del table["key3"]
    return total + len(table) + len(list(table.keys()))


def strings(n: int) -> int:
    text = ""
    for i in range(n):
        text += "{}:{:>4}|".format(i, str(float(i) / 3)[0:4])
    parts = text.split("|")
    return len("-".join(parts).upper().replace("1", "one")) + text.count("2")


def letters(n: int) -> int:
    text = "any text with letters" + str(n)
    kept = [text[i % len(text)] for i in range(n)]
    return len("".join(kept)) * 1000 + ord(kept[n // 2])


def objects(n: int) -> int:
    counter = Counter(n)
    points = [Point(i, "p" + str(i)) for i in range(n)]
    with counter:
        for p in points:
            counter.add(p.label)
    colour: Optional[Colour] = None
    if n > 2:
        colour = Colour.GREEN
    value = 0
    if colour is not None:
        value = colour.value
    return counter.count * 10 + value + len(counter.names)


def failure(n: int) -> int:
    counter = Counter(0)
    if n > 1000:
        with counter:
            raise RuntimeError("too many: {}".format([str(i) for i in range(20)]))
    return counter.count + n


def square(x: List[int]) -> List[int]:
    return [v * v for v in x]


def futures(n: int) -> int:
    pending = [torch.jit.fork(square, [i, i + 1]) for i in range(n)]
    total = 0
    for f in pending:
        total += torch.jit.wait(f)[1]
    return total


def tensors(n: int) -> int:
    x = torch.arange(n).to(torch.float32).reshape(1, -1) + torch.ones(4, 1)
    y = torch.cat([x, x * 2.0], 0).t().contiguous()
    y[0:2] = 3.0
    z = torch.matmul(y.t(), y)
    s = torch.softmax(z / 100.0, -1)
    return int(z.sum().item()) + int(s.sum().item()) + y.size(0)


def storages(n: int) -> int:
    """Views that outlive the tensor they were made from, and tensors that get another storage by resize_ and set_."""
    kept: List[torch.Tensor] = []
    for i in range(n):
        made = torch.arange(1 + i * 2).to(torch.float32)
        kept.append(made[i:])
        if i % 3 == 0:
            kept.append(made.detach().unsqueeze(0))
    total = 0
    for t in kept:
        total += int(t.sum().item())
    tail = torch.arange(n * 8).to(torch.float32)[n * 8 - 3:]
    x = torch.ones(4)
    for i in range(1, n):
        first = x[0:1].clone()
        x.resize_([i * 9])
        total += int(first.sum().item())
        x.fill_(float(i))
        view = x[i:]
        x.set_(tail)
        total += int(x.sum().item()) + int(view[0].item())
        x.set_(view)
        x.set_(first.clone())
        x.t_().unsqueeze_(0)
        x.squeeze_()
        torch.add(view, 1.0, out=x)
        total += int(x.sum().item())
    kept.clear()
    return total + int(tail[2].item())


def unions(n: int) -> int:
    things: List[Any] = []
    for i in range(n):
        if i % 3 == 0:
            things.append("s" + str(i))
        elif i % 3 == 1:
            things.append([i, i])
        else:
            things.append(i)
    total = 0
    for t in things:
        if isinstance(t, str):
            total += len(t)
        elif isinstance(t, int):
            total += t
    pair: Tuple[int, List[str]] = (total, [str(total)])
    return pair[0] + len(pair[1][0])


@torch.jit.interface
class Step:
    def walk(self, before: int) -> int:
        pass


class End:
    def __init__(self):
        self.walks = 0

    def walk(self, before: int) -> int:
        self.walks += 1
        return before + self.walks


class Link:
    def __init__(self, next: Step):
        self.next = next

    def one_more(self, before: int) -> int:
        return before + 1

    def walk(self, before: int) -> int:
        return self.next.walk(self.one_more(before))


def depth(n: int) -> int:
    """n calls through an interface, one inside the other."""
    step: Step = End()
    for i in range(n - 1):
        step = Link(step)
    return step.walk(0)


def chance(n: int) -> int:
    torch.manual_seed(n)
    total = int(torch.randint(0, 1000, [n]).sum()) + int(torch.randperm(n)[0])
    total += int(torch.multinomial(torch.ones(n), 3).sum())
    kept = torch.dropout(torch.ones(n), 0.5, True)
    return total + int(kept.sum()) + int((torch.randn(n) > 0).sum())


def gradients(n: int) -> int:
    x = torch.arange(float(n)).requires_grad_()
    y = (x * x).sum() + x[3]
    g = torch.autograd.grad([y], [x])[0]
    assert g is not None
    return int(g.sum())


def straight(n: int) -> int:
    """No jumps at all."""
    a = n * 3 + 1
    b = a * a - n
    return (a + b) * (a - b) + n

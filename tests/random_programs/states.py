"""Random modules whose methods share state and may raise half-way, called in random order: lists, dicts, objects and
numbers among attributes, changed through several names, in loops, branches, with blocks. Python runs them as well."""
import random
import re

from python_answers import answers

ENTRY = "Net"
LARGEST_DEPTH = 2
I, L, D, S, O, C, B, P = "int", "List[int]", "Dict[str, int]", "str", "Optional[int]", "Cell", "bool", "Tuple[int, List[int]]"
LETTERS = {"I": I, "L": L, "D": D, "S": S, "O": O, "C": C, "B": B, "P": P}
EXAMPLE = None

HEAD = '''from typing import Any, Dict, List, Optional, Tuple

import torch


@torch.jit.script
class Cell:
    def __init__(self, v: int, items: List[int]):
        self.v = v
        self.items = items
        self.open = 0

    def __len__(self) -> int:
        return len(self.items) + self.open

    def __getitem__(self, i: int) -> int:
        return at(self.items, i)

    def __setitem__(self, i: int, v: int):
        self.v += 1
        self.items[i] = v

    def __contains__(self, v: int) -> bool:
        return v in self.items or v == self.v

    def __add__(self, other: "Cell") -> "Cell":
        return Cell(small(self.v + other.v), self.items + other.items[:3])

    def __eq__(self, other: "Cell") -> bool:
        return self.v == other.v

    def __lt__(self, other: "Cell") -> bool:
        return self.v < other.v

    def __enter__(self) -> int:
        self.open += 1
        self.v += 10
        return self.v

    def __exit__(self, kind: Any, value: Any, trace: Any):
        self.open -= 1
        self.items.append(self.v)

    @property
    def top(self) -> int:
        return self.items[-1] if len(self.items) > 0 else self.v

    @top.setter
    def top(self, v: int):
        if v == 5:
            raise ValueError("five")
        self.v = v
        self.items.append(v)

    def bump(self, by: int) -> int:
        self.v = small(self.v + by)
        if self.v % 7 == 3:
            raise RuntimeError("three of seven")
        self.items.append(self.v)
        return self.v

    def swap(self, other: "Cell") -> "Cell":
        self.items, other.items = other.items, self.items
        return other if self.v > other.v else self


def at(items: List[int], i: int) -> int:
    if i >= len(items):
        raise IndexError("no item")
    return items[i]


def look(table: Dict[str, int], key: str) -> int:
    if key not in table:
        raise KeyError("no key")
    return table[key]


def place(items: List[int], v: int) -> int:
    if v not in items:
        raise ValueError("not there")
    return items.index(v)


def small(n: int) -> int:
    return n % 101


def maybe(v: Optional[int]) -> Optional[int]:
    return v


def checked(n: int, limit: int) -> int:
    if n > limit:
        raise ValueError("too large")
    return n


def take(items: List[int], n: int) -> int:
    items.append(n)
    assert len(items) < 14, "full"
    return items[0]


class Part(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.n = 1
        self.items = [1, 2]

    def forward(self, k: int) -> int:
        self.n += 1
        self.items.append(k)
        if self.n % 5 == 0:
            raise ValueError("a fifth call")
        return small(self.n + k)


class Net(torch.nn.Module):
    items: List[int]
    table: Dict[str, int]
    last: Optional[int]

    def __init__(self):
        super().__init__()
        self.n = 0
        self.k = 3
        self.flag = False
        self.name = "a"
        self.items = [3, 1]
        self.others = [4]
        self.table = {"a": 1, "b": 2}
        self.last = None
        self.pair = (1, [2])
        self.part = Part()
        self.same = self.part

'''
SELF = {I: ["self.n", "self.k", "self.part.n"], L: ["self.items", "self.others", "self.part.items"], D: ["self.table"], S: ["self.name"], O: ["self.last"],
        C: [], B: ["self.flag"], P: ["self.pair"]}
E = {
    I: ["{I}", "{I}", "{I}", "<n>", "<I> + <n>", "small(<I> * <I>)", "<I> - <I>", "len({L})", "at({L}, <n>)", "at({L}, <n>)", "len({C})", "{C}[<n>]", "{C}.top", "{C}.bump(<n>)", "look({D}, \"a\")", "{D}.get(<S>, <I>)", "look({D}, <S>)", "int(<B>)", "sum({L}) % 50", "checked(<I>, 60)", "take({L}, <I>)", "self.part(<n>)", "self.same(<n>)",
        "{P}[0]", "len(<S>)", "(<I> if <B> else <I>)", "<I> // 3", "<I> % 5", "max(<I>, <I>)", "abs(<I>)", "{L}.pop()", "self.helper(<I>)", "self.risky(<I>, {L})", "({C} + {C}).v", "place({L}, <I>)", "{C}.swap({C}).v", "{D}.pop(\"c\", <I>)", "unwrap({O})", "-<I>", "min({L} + [9])"],
    L: ["{L}", "{L}", "[<I>, <I>]", "[<I>]", "{L}.copy()", "({L} + {L})[:4]", "{L}[:2]", "{L}[1:]", "{C}.items", "{P}[1]", "list({D}.values())", "[small(w + 1) for w in {L}]", "sorted({L})", "({L} if <B> else {L})"],
    D: ["{D}", "{D}.copy()", "{\"a\": <I>}", "{\"a\": <I>, <S>: <I>}"],
    S: ["{S}", "\"a\"", "\"b\"", "\"c\"", "(<S> + \"x\")[-2:]", "str(<I>)[:2]", "(<S> if <B> else <S>)"],
    O: ["{O}", "maybe(<I>)", "maybe(None)"],
    C: ["{C}", "{C}", "Cell(<I>, {L})", "({C} + {C})", "({C} if <B> else {C})", "{C}.swap({C})"],
    B: ["{B}", "<I> > <n>", "<I> == <I>", "<I> in {L}", "<I> in {C}", "{C} == {C}", "{C} < {C}", "<S> in {D}", "<S> == <S>", "{O} is None", "not <B>", "<B> and <B>", "<B> or <B>", "len({L}) > <n>", "{L} == {L}", "{C} is {C}"],
    P: ["{P}", "(<I>, {L})", "(<I>, [<I>])"],
}
CH = ["{I} = <I>", "{I} = small(<I>)", "{I} += <n>", "{L}.append(<I>)", "{L} = <L>", "{L}[0] = <I>", "{L}[<n>] += <n>", "{L}.pop(0)", "{L}.insert(0, <I>)", "{L}.extend({L}[:2])", "{L}.reverse()", "{L} += [<I>]", "{D}[<S>] = <I>", "{D}[\"a\"] += <n>", "del {D}[<S>]", "{D}.update({D})", "{S} = <S>", "{O} = <O>", "{C} = <C>", "{C}.v = <I>", "{C}.items = <L>", "{C}.bump(<I>)", "{C}[0] = <I>",
      "{C}.top = <I>", "{P} = <P>", "{P}[1].append(<I>)", "{B} = <B>", "{C}.items.append(<I>)", "self.part.n += <n>", "self.same.items = <L>", "self.same(<n>)", "self.helper(<I>)", "self.risky(<I>, {L})", "{C}.swap({C})", "{I}, {I} = <I>, <I>", "assert <B>, \"no\"", "{L}.remove(<I>)", "{L}.clear()", "self.n, {I} = <I>, <n>", "self.items, self.others = self.others, self.items", "del {L}[<n>]", "{L}.sort()"]


class Writer:
    def __init__(self, r, name):
        self.r, self.lines, self.count, self.method = r, [], 0, name
        self.names = {k: list(v) for k, v in SELF.items()}
        self.names[I] += ["a", "b"]
        self.names[L] += ["x"]
        self.names[S] += ["s"]
        self.names[O] += ["o"]
        self.fixed = set()

    def fill(self, form, d):
        same = {}

        def name(m):
            kind = LETTERS[m.group(1)]
            return self.r.choice(self.names[kind])
        form = re.sub(r"\{([A-Z])\}", name, form).replace("<n>", str(self.r.randrange(4)))
        return re.sub(r"<([A-Z])>", lambda m: self.e(LETTERS[m.group(1)], d + 1), form)

    def e(self, kind, d=0):
        forms = E[kind]
        t = self.fill(forms[0] if d > LARGEST_DEPTH else self.r.choice(forms), d)
        if self.method in ("helper", "risky") and re.search(r"self\.(helper|risky)\(", t):
            t = self.fill(forms[0], d)
        return t if re.fullmatch(r"[\w.]+(\([^()]*\))?", t) else "(%s)" % t

    def say(self, d, t):
        self.lines.append("    " * (d + 2) + t)

    def new(self):
        self.count += 1
        return "v%d" % self.count

    def statement(self, d, loop):
        r, k = self.r, self.r.randrange(24)
        if k < 4:
            kind = r.choice([I, L, C, S, O, B, D, P, I, L, C])
            n = self.new()
            self.say(d, "%s%s = %s" % (n, ": Optional[int]" if kind == O else "", self.e(kind)))
            self.names[kind].append(n)
        elif k < 14 or d >= LARGEST_DEPTH and k < 21:
            t = self.fill(r.choice(CH), 1)
            if self.method in ("helper", "risky") and re.search(r"self\.(helper|risky)\(", t):
                t = "self.n += 1"
            target = t.split(" = ")[0]
            if any(w in self.fixed for w in re.split(r", ", target)) or re.match(r"(\d+|\w+\(.*) [+]?=", t):
                t = "self.k += 1"
            self.say(d, t)
        elif k < 16:
            self.say(d, "if %s:" % self.e(B))
            self.block(d + 1, loop)
            if r.randrange(2):
                self.say(d, "else:")
                self.block(d + 1, loop)
        elif k < 18:
            n = self.new()
            self.say(d, "for %s in %s:" % (n, r.choice(["range(%d)" % r.randrange(1, 4), "list(%s)[:3]" % self.e(L, 2), "range(len(%s))" % r.choice(self.names[L])])))
            self.block(d + 1, True, [(I, n)])
        elif k < 19:
            n = self.new()
            self.say(d, "%s = 0" % n)
            self.say(d, "while %s < 3 and %s:" % (n, self.e(B, 1)))
            self.say(d + 1, "%s += 1" % n)
            self.block(d + 1, True, [(I, n)])
        elif k < 20:
            n = self.new()
            self.say(d, "with %s as %s:" % (r.choice(self.names[C]), n))
            self.block(d + 1, False, [(I, n)])
        elif k < 21:
            self.say(d, "if %s:" % self.e(B, 1))
            self.say(d + 1, r.choice(["raise ValueError(\"stop\")", "raise RuntimeError(\"stop\")", "return %s" % self.e(I, 1), "break" if loop else "return 3", "continue" if loop else "return 4"]))
        else:
            self.say(d, "self.%s = %s" % (r.choice(["n", "k"]), self.e(I)))

    def block(self, d, loop, new=()):
        names, fixed = {k: list(v) for k, v in self.names.items()}, set(self.fixed)
        for kind, n in new:
            self.names[kind].append(n)
            self.fixed.add(n)
        for _ in range(self.r.randrange(1, 4)):
            self.statement(d, loop)
        self.names, self.fixed = names, fixed

    def function(self, exported):
        if exported:
            self.lines.append("    @torch.jit.export")
        extra = {"helper": "a: int", "risky": "a: int, x: List[int]"}.get(self.method, "a: int, b: int, x: List[int], s: str, o: Optional[int]")
        self.lines.append("    def %s(self, %s) -> int:" % (self.method, extra))
        if self.method == "helper":
            self.names[I].remove("b"); self.names[L].remove("x"); self.names[S].remove("s"); self.names[O].remove("o")
        if self.method == "risky":
            self.names[I].remove("b"); self.names[S].remove("s"); self.names[O].remove("o")
        first, second = self.r.choice([("self.items", "self.others"), ("self.items", "self.items"), ("[1]", "self.items"), ("self.part.items", "[2, 3]")])
        self.say(0, "c1 = Cell(a, %s)" % first)
        self.say(0, "c2 = %s" % self.r.choice(["Cell(2, %s)" % second, "c1", "Cell(self.n, %s)" % second]))
        self.names[C] += ["c1", "c2"]
        self.names[I] += ["c1.v"]
        self.names[L] += ["c1.items", "c2.items"]
        for _ in range(self.r.randrange(1, 4) if self.method in ("helper", "risky") else self.r.randrange(2, 8)):
            self.statement(0, False)
        self.say(0, "return %s" % self.e(I, 1))
        return "\n".join(self.lines) + "\n\n"


UNWRAP = '''def unwrap(v: Optional[int]) -> int:
    assert v is not None
    return v


'''
DUMP = '''    @torch.jit.export
    def dump(self) -> Tuple[Tuple[int, int, bool, str], List[int], List[int], Dict[str, int], Optional[int], Tuple[int, List[int]], Tuple[int, List[int]]]:
        return (self.n, self.k, self.flag, self.name), self.items, self.others, self.table, self.last, self.pair, (self.part.n, self.part.items)
'''


def program(seed, number):
    r = random.Random("%d.%d" % (seed, number))
    text = HEAD.replace("class Part(", UNWRAP + "class Part(")
    for m in ("helper", "risky"):
        text += Writer(r, m).function(False)
    methods = ["forward", "step", "other"]
    for m in methods:
        text += Writer(r, m).function(m != "forward")
    text += DUMP
    calls = []
    for _ in range(12):
        calls.append({"method": r.choice(methods), "inputs": [r.randrange(-2, 9), r.randrange(4), [r.randrange(9) for _ in range(r.randrange(4))], r.choice(["a", "b", "zz"]), r.choice([None, 0, 4])], "may_raise": True})
        calls.append({"method": "dump", "inputs": [], "may_raise": True})
    return text, calls


def reference(made):
    return answers(made[0], made[1], ENTRY)

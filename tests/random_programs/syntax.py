"""Random programs over the forms of the language: order of evaluation (a log tells it), assignments to patterns, items
and slices, loops over ranges, zip, enumerate and dicts, comprehensions, default and keyword arguments, chained
comparisons, formatted strings, lists of modules."""
import random
import re

ENTRY = "Net"
MAY_BE_REFUSED = True
LARGEST_DEPTH = 3
EXAMPLE = [3, -2, [4, 1, 3], "one Two", {"dict": [["a", 1], ["k", 7]]}]
LETTERS = {"I": "int", "B": "bool", "S": "str", "L": "List[int]", "D": "Dict[str, int]", "P": "Tuple[int, str]", "Q": "Tuple[int, Tuple[int, List[int]]]", "N": "List[List[int]]",
           "W": "List[str]", "M": "Dict[int, List[int]]", "Z": "List[Tuple[int, str]]"}

HEAD = '''from typing import Dict, List, Tuple

import torch


def small(n: int) -> int:
    return n % 97


def short(s: str) -> str:
    return s[:9]


def t(log: List[int], n: int) -> int:
    log.append(n)
    return n


def tb(log: List[int], b: bool) -> bool:
    log.append(1 if b else 0)
    return b


def tl(log: List[int], items: List[int]) -> List[int]:
    log.append(len(items))
    return items


def at(items: List[int], i: int) -> int:
    if i >= len(items) or i < -len(items):
        raise IndexError("no item")
    return items[i]


def of(table: Dict[str, int], key: str) -> int:
    if key not in table:
        raise KeyError("no key")
    return table[key]


def some(items: List[int]) -> List[int]:
    return items if len(items) > 0 else [8]


def both(n: int, s: str) -> Tuple[int, str]:
    return n, s


def deep(n: int, items: List[int]) -> Tuple[int, Tuple[int, List[int]]]:
    return n, (n + 1, items)


def bump(items: List[int], by: int = 1, times: int = 2) -> int:
    for i in range(len(items)):
        items[i] += by * times
    return len(items)


def mix(a: int, b: int = 3, c: int = 5) -> int:
    return small(a * 7 + b * 3 - c)


class Add(torch.nn.Module):
    def __init__(self, by: int):
        super().__init__()
        self.by = by
        self.calls = 0

    def forward(self, x: int) -> int:
        self.calls += 1
        return x + self.by * self.calls


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.n = 2
        self.items = [5, 6]
        self.stages = torch.nn.ModuleList([Add(1), Add(3), Add(2)])
        self.named = torch.nn.ModuleDict({"p": Add(4), "q": Add(6)})

'''
EXPRESSIONS = {
    "I": ["{I}", "{I}", "<n>", "t(log, <I>)", "t(log, <I>)", "<I> + <I>", "<I> - <I>", "small(<I> * <I>)", "<I> // 3", "{I} % 5", "-<I>", "<I> // -2", "{I} % -3", "(<I> & 15)", "(<I> | 6)", "(<I> ^ 3)", "(<I> & 7) << 2", "<I> >> 1",
          "(<I> if <B> else <I>)", "len({L})", "len(<L>)", "len(<S>)", "len({D})", "at({L}, <n>)", "at({L}, -1)", "of({D}, <S>)", "{D}.get(<S>, <I>)", "min(<I>, <I>)", "max(<I>, <I>)", "abs(<I>)", "sum({L})", "max(some({L}))", "min(some({L}))", "{L}.count(<I>)",
          "mix(<I>)", "mix(<I>, <I>)", "mix(<I>, c=<I>)", "mix(b=<I>, a=<I>)", "mix(c=t(log, <I>), a=t(log, <I>))", "bump({L})", "bump({L}, <n>)", "bump({L}, times=<n>)", "bump({L}, by=<n>, times=<n>)", "int(<B>)", "{P}[0]", "{Q}[1][0]", "{Q}[0]", "len({Q}[1][1])",
          "sum([len(u) for u in {N}])", "int(<I> / 2)", "<S>.find(<S>)", "<S>.count(\"a\")", "{L}[<n>:][0] if len({L}) > 3 else <I>", "self.n", "sum(self.items)", "self.helper(<I>)", "self.stages[<k>](<I>)", "self.named[\"p\"](<I>)",
          "sum([w * 2 for w in <L>])", "sum([w for w in range(<n>, <n> + 3)])", "{Z}[0][0] if len({Z}) > 0 else <I>", "len({W})", "{M}[<n>][0] if <n> in {M} else <I>", "divmod(<I>, 4)[1]", "int(float(<I>))"],
    "B": ["{B}", "<I> < <I>", "<I> == <I>", "<I> != <n>", "<I> < <I> < <I>", "<n> <= <I> < 9", "<I> > <I> >= <n>", "not <B>", "<B> and <B>", "<B> or <B>", "tb(log, <B>)", "tb(log, <B>) and tb(log, <B>)", "tb(log, <B>) or tb(log, <B>)", "<I> in {L}", "<I> not in {L}", "<S> in {D}", "<S> not in {D}", "<S> == <S>",
          "<S> < <S>", "<S> in <S>", "{L} == {L}", "<S>.startswith(<S>)", "bool(<I>)", "<S>.isdigit()", "len({L}) > 0 and {L}[0] > <n>", "t(log, <I>) < t(log, <I>) < t(log, <I>)", "(True if <B> else <B>)", "<B> == <B>", "<S> != \"\""],
    "S": ["{S}", "\"a\"", "\"k\"", "\"\"", "short(<S> + <S>)", "<S>[:2]", "<S>[1:]", "<S>[-2:]", "<S>[::2]", "str(<I>)", "\"{}-{}\".format(<I>, <S>)[:9]", "f\"{<i>}:{<s>}\"[:9]", "<S>.upper()", "<S>.lower()", "<S>.strip()", "<S>.replace(\"a\", <S>)[:9]", "\"-\".join({W})[:9]",
          "(<S> if <B> else <S>)", "{P}[1]", "{Z}[-1][1] if len({Z}) > 0 else <S>", "<S>.zfill(3)", "<S>.rjust(4)", "<S>.title()", "<S>.capitalize()"],
    "L": ["{L}", "{L}", "[<I>, <I>]", "[<I>]", "[t(log, <I>), t(log, <I>)]", "{L} + {L}", "{L}[1:]", "{L}[:2]", "{L}[::2]", "{L}[-2:]", "{L}[<n>:<n> + 2]", "{L}[1::2]", "{L}.copy()", "[w for w in {L}]", "[small(w * <I>) for w in {L}]", "[t(log, w) for w in {L}[:3]]", "[<I> for w in range(3)]", "list(range(<n>))",
          "list(range(1, <n> + 4, 2))", "sorted({L})", "some({L})", "list({D}.values())", "tl(log, <L>)", "({L} if <B> else <L>)", "{L}[:2] * 2", "{Q}[1][1]", "{N}[0] if len({N}) > 0 else <L>", "[len(k) for k in {W}]", "[len(u) for u in {N}]", "self.items", "list({M}.keys())", "{M}[<n>] if <n> in {M} else <L>"],
    "D": ["{D}", "{D}.copy()", "{<S>: <I>}", "{\"a\": t(log, <I>), \"b\": t(log, <I>)}", "{k: <I> for k in {W}}"],
    "P": ["{P}", "(<I>, <S>)", "both(<I>, <S>)", "both(s=<S>, n=<I>)"],
    "Q": ["{Q}", "(<I>, (<I>, <L>))", "deep(<I>, {L})"],
    "N": ["{N}", "[<L>, {L}]", "[{L}, {L}]", "[[w] for w in {L}]", "[{L} for w in range(2)]", "{N}[:1]"],
    "W": ["{W}", "[<S>, <S>]", "<S>.split(\" \")", "list({D}.keys())", "[k[:1] for k in {W}]", "[str(w) for w in {L}[:3]]"],
    "M": ["{M}", "{<I>: <L>}", "{<n>: {L}, 3: <L>}"],
    "Z": ["{Z}", "[(<I>, <S>)]", "[both(w, <S>) for w in {L}]", "[{P}, {P}]"],
}
CHANGES = ["{I} = <I>", "{I} += <I>", "{I} -= <n>", "{I} *= 2", "{I} = small(<I>)", "{I}, {I} = <I>, <I>", "{I}, {I} = {=I}, <I>", "({I}, {S}) = <P>", "{I}, {S} = <P>", "{I}, ({I}, {L}) = <Q>", "{I}, _ = <P>", "_, {S} = <P>",
           "{L} = <L>", "{L}.append(<I>)", "{L}[0] = <I>", "{L}[-1] = t(log, <I>)", "{L}[t(log, <k>)] = t(log, <I>)", "{L}[<k>] += <I>", "{L}[<k>] -= t(log, <I>)", "{L}[<k>] *= 2", "{L} += <L>", "{L} += [<I>]", "{L}.extend(<L>)", "{L}.insert(<n>, <I>)", "{L}.pop()", "{I} = {L}.pop(0)", "del {L}[<k>]", "{L}.reverse()", "{L}.sort()",
           "{L}.sort(reverse=True)", "{L}.remove(at({L}, 0))", "{L}.clear()", "{L}[0], {L}[-1] = {L}[-1], <I>", "{D}[<S>] = <I>", "{D}[<S>] = t(log, <I>)", "{D}[\"a\"] += <I>", "del {D}[<S>]", "{D}.update(<D>)", "{I} = {D}.pop(<S>, <n>)", "{I} = {D}.setdefault(<S>, <I>)", "{D} = <D>", "{S} = <S>", "{S} += <S>[:1]", "{P} = <P>", "{Q} = <Q>",
           "{N} = <N>", "{N}.append(<L>)", "{N}[0].append(<I>)", "{N}[0][0] = <I>", "{N}[<k>] = <L>", "{N}[0][<k>] += <I>", "{Q}[1][1].append(<I>)", "{W} = <W>", "{W}.append(<S>)", "{W}[0] = <S>", "{M} = <M>", "{M}[<n>] = <L>", "{M}[3].append(<I>)", "{M}[<n>][0] += <I>", "{Z} = <Z>", "{Z}.append(<P>)", "{Z}[0] = (<I>, <S>)",
           "self.n = small(<I>)", "self.n += <n>", "self.items.append(<I>)", "self.items = <L>", "self.items[0] = <I>", "self.n, {I} = {I}, self.n", "assert <B>, \"no\"", "{B} = <B>", "t(log, <I>)", "bump({L}, by=t(log, <n>), times=t(log, <n>))", "self.stages[0].calls = <n>", "self.stages[1].by += 1", "pass"]
PARAMETERS = [("a", "I"), ("b", "I"), ("xs", "L"), ("s", "S"), ("d", "D")]
# What a loop goes over, and the pattern of its names.
LOOPS = [("range(<n>)", "I"), ("range(<n>, 5)", "I"), ("range(6, <n>, -2)", "I"), ("range(t(log, 1), t(log, 4))", "I"), ("<L>[:3]", "I"), ("tl(log, <L>)[:3]", "I"), ("enumerate(<L>[:3])", "I, I"), ("enumerate(<L>[:2], <n>)", "I, I"), ("zip(<L>[:3], <L>[:2])", "I, I"),
         ("zip(<L>[:3], <W>[:3])", "I, S"), ("zip({L}[:2], range(3), {L}[:2])", "I, I, I"), ("enumerate(zip(<L>[:2], <W>[:2]))", "I, (I, S)"), ("list({D}.items())", "S, I"), ("list({D}.keys())", "S"), ("<W>[:3]", "S"), ("<S>[:3]", "S"), ("{Z}[:2]", "P"), ("<Z>[:2]", "I, S"), ("<N>[:2]", "L"),
         ("enumerate(<S>[:3])", "I, S"), ("[<I>, <I>]", "I"), ("(<I>, <I>)", "I"), ("[(1, \"u\"), (<I>, <S>)]", "I, S"), ("enumerate(<N>[:2])", "I, L"), ("zip(<N>[:2], <L>[:2])", "L, I"), ("range(len({L}))", "I")]


class Writer:
    """Writes a method. `names`: those that the code has at this place, by letter; to those in `fixed` nothing is
    assigned."""

    def __init__(self, r, method):
        self.r, self.lines, self.count, self.method = r, [], 0, method
        self.names = {k: [] for k in LETTERS}
        self.fixed = set()

    def fits(self, form):
        if self.method == "helper" and ("self.helper" in form or "stages" in form or "named" in form):
            return False
        return all(self.names[k] for k in re.findall(r"\{=?([A-Z])\}", form))

    def expression(self, letter, depth=0):
        forms = [f for f in EXPRESSIONS[letter] if self.fits(f) and (depth < LARGEST_DEPTH or not re.search(r"<[A-Zis]>", f))]
        text = self.fill(self.r.choice(forms or [CONSTANTS[letter]]), depth)
        return text if re.fullmatch(r"[\w.]+(\([^()]*\))?", text) else "(%s)" % text

    def fill(self, form, depth):
        chosen = {}

        def name(m):
            if not m[1]:
                chosen[m[2]] = self.r.choice(self.names[m[2]])
            return chosen[m[2]]
        text = re.sub(r"\{(=?)([A-Z])\}", name, form)
        text = re.sub("<n>", lambda m: str(self.r.randrange(4)), text)
        text = re.sub("<k>", lambda m: str(self.r.randrange(3)), text)
        text = re.sub("<([is])>", lambda m: self.r.choice(self.names[m[1].upper()] or ["self.n"]), text)
        return re.sub(r"<([A-Z])>", lambda m: self.expression(m[1], depth + 1), text)

    def change(self, depth):
        while True:
            form = self.r.choice(CHANGES)
            if self.fits(form):
                text = self.fill(form, depth)
                targets = re.split(r"[ (),\[\]]+", re.split(r" [+*/-]*= ", text)[0]) if "=" in text else []
                if not self.fixed & set(targets[:6]):
                    return text

    def say(self, depth, text):
        self.lines.append("    " * (depth + 2) + text)

    def new(self):
        self.count += 1
        return "v%d" % self.count

    def statement(self, depth, in_loop):
        r, k = self.r, self.r.randrange(24)
        if k < 5:
            letter, name = r.choice("IILLSDPQNWMZB"), self.new()
            self.say(depth, "%s = %s" % (name, self.expression(letter)))
            self.names[letter].append(name)
        elif k < 13 or depth >= 2 and k < 20:
            self.say(depth, self.change(1))
        elif k < 15:
            self.say(depth, "if %s:" % self.expression("B"))
            self.block(depth + 1, in_loop)
            for _ in range(r.choice([0, 0, 1])):
                self.say(depth, "elif %s:" % self.expression("B", 1))
                self.block(depth + 1, in_loop)
            if r.randrange(2):
                self.say(depth, "else:")
                self.block(depth + 1, in_loop)
        elif k < 19:
            self.loop(depth)
        elif k < 20:
            name = self.new()
            self.say(depth, "%s = 0" % name)
            self.say(depth, "while %s and %s < 4:" % (self.expression("B", 1), name) if r.randrange(2) else "while %s < 3:" % name)
            self.say(depth + 1, "%s += 1" % name)
            self.block(depth + 1, True, [("I", name)])
        elif k < 22:
            self.say(depth, "if %s:" % self.expression("B", 1))
            self.say(depth + 1, r.choice(["raise ValueError(\"stop\")", "return %s" % self.expression("I", 1), "break" if in_loop else "return 3", "continue" if in_loop else "return 4", "break" if in_loop else "pass"]))
        elif not in_loop and self.method != "helper" and depth == 0:
            first, second = self.new(), self.new()
            self.say(depth, r.choice(["for %s in self.stages:", "for %s in self.named.values():"]) % first)
            self.say(depth + 1, "%s = %s(%s)" % ("self.n", first, self.expression("I", 2)))
            self.block(depth + 1, False)
            self.say(depth, "for %s, %s in %s:" % (first, second, r.choice(["enumerate(self.stages)", "self.named.items()"])))
            self.say(depth + 1, "self.n = small(%s(self.n))" % second)
            self.block(depth + 1, False)
        else:
            self.say(depth, self.change(1))

    def loop(self, depth):
        usable = [l for l in LOOPS if self.fits(l[0])]
        over, pattern = self.r.choice(usable)
        new = []

        def named(m):
            new.append((m[0], self.new()))
            return new[-1][1]
        pattern = re.sub("[A-Z]", named, pattern)
        self.say(depth, "for %s in %s:" % (pattern, self.fill(over, 1)))
        self.block(depth + 1, True, new)

    def block(self, depth, in_loop, new=()):
        names, fixed = {k: list(v) for k, v in self.names.items()}, set(self.fixed)
        for letter, name in new:
            self.names[letter].append(name)
            self.fixed.add(name)
        for _ in range(self.r.randrange(1, 4)):
            self.statement(depth, in_loop)
        self.look_at_containers(depth, names)
        self.names, self.fixed = names, fixed

    def look_at_containers(self, depth, names):
        """What nobody reads PyTorch removes, with the changes that may raise."""
        if re.match(r" *(return|raise|break|continue)\b", self.lines[-1]):
            return
        for letter in "LDNWMZ":
            for name in self.names[letter]:
                if name not in names[letter]:
                    self.say(depth, "t(log, len(%s))" % name)

    def function(self):
        parameters = [("a", "I")] if self.method == "helper" else PARAMETERS
        if self.method == "step":
            self.lines.append("    @torch.jit.export")
        self.lines.append("    def %s(self, %s) -> int:" % (self.method, ", ".join("%s: %s" % (n, LETTERS[k]) for n, k in parameters)))
        for name, letter in parameters:
            self.names[letter].append(name)
        self.say(0, "log = self.items" if self.r.randrange(4) == 0 else "log: List[int] = []")
        self.names["L"].append("log")
        for letter in self.r.sample("LPQNWMZD", 3):
            name = self.new()
            self.say(0, "%s = %s" % (name, self.expression(letter)))
            self.names[letter].append(name)
        for _ in range(self.r.randrange(2, 5) if self.method == "helper" else self.r.randrange(3, 9)):
            self.statement(0, False)
        self.look_at_containers(0, {k: ["log"] for k in LETTERS})
        if self.method != "helper":
            self.say(0, "self.trace = log")
            self.say(0, "self.words = %s" % self.expression("W", 1))
        self.say(0, "return small(%s)" % self.expression("I", 1))
        return "\n".join(self.lines) + "\n\n"


# Of every letter one that needs no name.
CONSTANTS = {"I": "2", "B": "True", "S": "\"c d\"", "L": "[4, 9]", "D": "{\"a\": 3}", "P": "(1, \"p\")", "Q": "(1, (2, [3]))", "N": "[[1], [2, 3]]", "W": "[\"w\", \"a b\"]", "M": "{0: [1], 3: [2]}", "Z": "[(1, \"z\")]"}
DUMP = '''    @torch.jit.export
    def dump(self) -> Tuple[int, List[int], List[int], List[str], int]:
        return self.n, self.items, self.trace, self.words, self.stages[0].calls + 10 * self.named["p"].calls
'''


def program(seed, number):
    r = random.Random("%d.%d" % (seed, number))
    head = HEAD.replace("        self.items = [5, 6]\n", "        self.items = [5, 6]\n        self.trace = [0]\n        self.words = [\"\"]\n")
    text = head + "".join(Writer(r, m).function() for m in ("helper", "forward", "step")) + DUMP
    calls = []
    for _ in range(6):
        calls.append({"method": r.choice(["forward", "step"]), "may_raise": True, "inputs": [
            r.randrange(-3, 9), r.randrange(5), [r.randrange(9) for _ in range(r.randrange(4))], r.choice(["a", "k b", "", "12"]),
            {"dict": [[k, r.randrange(9)] for k in ["a", "k", "b"][:r.randrange(4)]]}]})
        calls.append({"method": "dump", "inputs": [], "may_raise": True})
    return text, calls

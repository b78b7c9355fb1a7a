"""Random programs whose lists lie in several containers at once and change through any of these. Python runs them as
well, and tells what they answer."""
import random
import re

from python_answers import define, of_json, to_json

ENTRY = "entry"
LARGEST_DEPTH = 2
I, L, LL, D, T, O, B = "int", "List[int]", "List[List[int]]", "Dict[str, List[int]]", "Tuple[List[int], List[int]]", "Optional[List[int]]", "Box"
PARAMETERS = [("a", I), ("x", L), ("y", L), ("rows", LL), ("d", D)]
ARGUMENTS = [[3, [1, 2], [4], [[5], [6, 7]], {"dict": [["a", [8]], ["b", [9, 10]]]}], [-2, [], [3, 3], [[]], {"dict": [["a", []]]}]]
EXAMPLE = ARGUMENTS[0]

HEAD = '''from typing import Dict, List, Optional, Tuple

import torch


@torch.jit.script
class Box:
    def __init__(self, items: List[int], other: List[int]):
        self.items = items
        self.other = other

    def put(self, items: List[int]) -> List[int]:
        before = self.items
        self.items = items
        return before


def some(v: Optional[List[int]], other: List[int]) -> List[int]:
    return v if v is not None else other


def maybe(v: Optional[List[int]]) -> Optional[List[int]]:
    return v


def nothing(v: Optional[List[int]]) -> bool:
    return v is None


def item(v: List[int], i: int) -> int:
    return v[i % len(v)] if len(v) > 0 else i


def mark(v: List[int], w: List[int]) -> List[int]:
    v.append(len(w))
    return w if len(v) % 2 == 0 else v


'''
# In the place of <KIND> comes an expression of the kind, of {KIND} a variable. Every dict has "a", and no list of lists
# is empty.
EXPRESSIONS = {
    I: ["{I}", "0", "2", "-1", "len(<L>)", "sum(<L>) % 97", "item(<L>, <I>)", "len({LL})", "len({D})", "int(<C>)"],
    L: ["{L}", "{L}", "{L}", "[<I>, <I>]", "[<I>]", "{LL}[0]", "{LL}[-1]", "{LL}[<I> % len({LL})]", "{D}[\"a\"]", "{D}.get(\"b\", <L>)",
        "{D}.setdefault(\"c\", <L>)", "{D}.setdefault(\"a\", <L>)", "{T}[0]", "{T}[1]", "(<L> if <C> else <L>)", "((<L>)[:3] + (<L>)[:3])",
        "(<L>)[1:]", "{L}.copy()", "list({L})", "mark(<L>, <L>)", "some({O}, <L>)", "{B}.items", "{B}.other", "{B}.put(<L>)", "[<I> for w in {L}]"],
    LL: ["{LL}", "[<L>, <L>]", "[<L>] + {LL}[1:3]", "{LL}.copy()", "[w for w in {LL}]", "list({D}.values())", "({LL} if <C> else [<L>])"],
    D: ["{D}", "{\"a\": <L>, \"b\": <L>}", "{\"a\": <L>}", "{D}.copy()", "({D} if <C> else {\"a\": <L>})"],
    T: ["{T}", "(<L>, <L>)", "({T}[1], {T}[0])"],
    O: ["{O}", "maybe(<L>)", "maybe(None)", "maybe(<L> if <C> else None)"],
    B: ["{B}", "Box(<L>, <L>)", "({B} if <C> else Box(<L>, <L>))"],
    "C": ["<L> == <L>", "len(<L>) > <I>", "<I> > <I>", "<I> in {L}", "nothing({O})", "\"b\" in {D}", "<C> and <C>", "not <C>"],
}
STATEMENTS = [
    "{L}.append(<I>)", "{L}.append(<I>)", "{L}.insert(0, <I>)", "{L}.extend((<L>)[:4])", "{L}.reverse()", "{L}.clear()", "{L}.sort()", "{L} += (<L>)[:2]",
    "{LL}.append(<L>)", "{LL}[0] = <L>", "{LL}[-1] = <L>", "{LL}[-1].append(<I>)", "{LL}.reverse()", "{LL}.insert(0, <L>)", "{LL}[0].extend((<L>)[:2])",
    "{D}[\"a\"] = <L>", "{D}[\"b\"] = <L>", "{D}[\"a\"].append(<I>)", "{D}.get(\"b\", <L>).append(<I>)", "{D}.setdefault(\"c\", <L>).append(<I>)",
    "{D}.update({\"b\": <L>})", "{D}.pop(\"b\", <L>).append(<I>)", "{T}[0].append(<I>)", "{T}[1].insert(0, <I>)", "some({O}, <L>).append(<I>)",
    "{B}.items.append(<I>)", "{B}.other.append(<I>)", "{B}.items = <L>", "{B}.other = {B}.items", "{B}.put(<L>).append(<I>)", "mark(<L>, <L>).append(<I>)"]
GUARDED = [("if len({L}) > 0:", ["{L}.pop()", "{L}[0] = <I>", "{L}[-1] += len({LL})", "del {L}[0]", "{L}.remove({L}[0])"]),
           ("if len({LL}) > 1:", ["{LL}.pop().append(<I>)", "{LL}.pop(0).append(<I>)", "{LL}[1].insert(0, <I>)", "del {LL}[0]", "{LL}[0] = {LL}[1]"]),
           ("if \"b\" in {D}:", ["{D}.pop(\"b\").append(<I>)", "{D}[\"b\"].append(<I>)", "del {D}[\"b\"]", "{D}[\"a\"] = {D}[\"b\"]"]),
           ("for v in {LL}:", ["v.append(<I>)", "v.reverse()"]), ("for v in {D}.values():", ["v.append(len(v))"]),
           ("for k, v in {D}.items():", ["v.append(len(k))"])]
# A display, how it gets another name by which it changes, and how it is read: @ is its own name.
DISPLAYS = {
    L: ("[<I>, <I>]", ["{D}.get(\"b\", @).append(<I>)", "{D}.setdefault(\"c\", @).append(<I>)", "{D}.pop(\"b\", @).append(<I>)", "mark(@, {L}).append(<I>)",
                       "some({O}, @).append(<I>)", "(@ if <C> else {L}).append(<I>)", "{LL}.append(@)", "{D}[\"a\"] = @", "{B}.put(@)", "{T} = (@, {L})",
                       "{O} = maybe(@)", "[{L}, @][-1].append(<I>)", "{\"a\": @}[\"a\"].append(<I>)"],
        ["len(@)", "@[0]", "@[-1]", "sum(@)"]),
    LL: ("[[<I>], {L}]", ["@[0].append(<I>)", "(@ if <C> else {LL}).reverse()", "@.copy()[0].append(<I>)", "{L} = @[0]", "{LL} = @", "{LL} = @ + {LL}"],
         ["len(@)", "len(@[0])", "@[0][0]", "sum(@[-1]) % 97"]),
    D: ("{\"a\": [<I>]}", ["@[\"a\"].append(<I>)", "{L} = @[\"a\"]", "{L} = @.get(\"a\", {L})", "{D} = @", "{LL} = list(@.values())", "@.update({\"a\": {L}})"],
        ["len(@)", "len(@[\"a\"])", "sum(@[\"a\"])"])}
LETTERS = {"I": I, "L": L, "LL": LL, "D": D, "T": T, "O": O, "B": B, "C": "C"}


class Writer:
    """Writes one function."""

    def __init__(self, r):
        self.r, self.lines, self.count = r, [], 0
        self.variables = {kind: [] for kind in EXPRESSIONS}

    def fill(self, form, depth=0):
        same = {}
        form = re.sub(r"\{(\w+)\}", lambda m: same.setdefault(m.group(1), self.r.choice(self.variables[LETTERS[m.group(1)]])), form)
        return re.sub(r"<(\w+)>", lambda m: self.expression(LETTERS[m.group(1)], depth + 1), form)

    def expression(self, kind, depth=0):
        forms = EXPRESSIONS[kind]
        return self.fill(forms[0] if depth > LARGEST_DEPTH else self.r.choice(forms), min(depth, LARGEST_DEPTH))

    def line(self, indent, text):
        self.lines.append("    " * indent + text)

    def name(self):
        self.count += 1
        return "v%d" % self.count

    def statement(self, indent, depth):
        r, choice = self.r, self.r.randrange(12)
        if choice < 4:
            self.line(indent, self.fill(r.choice(STATEMENTS)))
        elif choice < 6:
            kind = r.choice([I, L, L, LL, D, T, O, B])
            self.line(indent, "%s = %s" % (r.choice(self.variables[kind]), self.expression(kind)))
        elif choice < 8 or depth == LARGEST_DEPTH:
            self.guarded(indent)
        elif choice < 9:
            self.line(indent, "if %s:" % self.expression("C"))
            self.block(indent + 1, depth + 1)
            if r.randrange(2):
                self.line(indent, "else:")
                self.block(indent + 1, depth + 1)
        elif choice < 11:
            self.display(indent)
        else:
            self.line(indent, "for %s in range(%d):" % (self.name(), r.randrange(1, 4)))
            self.block(indent + 1, depth + 1)

    def guarded(self, indent):
        head, forms = self.r.choice(GUARDED)
        letter = re.search(r"\{(\w+)\}", head).group(1)
        variable = self.r.choice(self.variables[LETTERS[letter]])
        self.line(indent, head.replace("{%s}" % letter, variable))
        self.line(indent + 1, self.fill(self.r.choice(forms).replace("{%s}" % letter, variable)))

    def display(self, indent):
        made, uses, reads = DISPLAYS[self.r.choice([L, L, LL, D])]
        name = self.name()
        self.line(indent, "%s = %s" % (name, self.fill(made, LARGEST_DEPTH)))
        for forms in (uses, ["%s = %s" % (self.r.choice(self.variables[L]), "mark({L}, {L})")] + STATEMENTS):
            self.line(indent, self.fill(self.r.choice(forms).replace("@", name), LARGEST_DEPTH))
        self.line(indent, "%s = %s" % (self.r.choice(self.variables[I]), self.r.choice(reads).replace("@", name)))

    def block(self, indent, depth):
        for _ in range(self.r.randrange(1, 4)):
            self.statement(indent, depth)

    def function(self):
        self.line(0, "def %s(%s):" % (ENTRY, ", ".join("%s: %s" % p for p in PARAMETERS)))
        for name, kind in PARAMETERS:
            self.variables[kind].append(name)
        for kind, value in ((L, "[<I>]"), (O, "maybe({L})"), (T, "({L}, {L})"), (B, "Box({L}, {L})"), (O, "maybe(None)"), (LL, "[<L>, <L>]"), (D, "{\"a\": <L>}")):
            name = self.name()
            self.line(1, "%s: %s = %s" % (name, kind, self.fill(value, LARGEST_DEPTH)))
            self.variables[kind].append(name)
        for _ in range(self.r.randrange(1, 12)):
            self.statement(1, 0)
        shown = [n for kind in (I, L, LL, D, T, O) for n in self.variables[kind]] + ["%s.%s" % (b, a) for b in self.variables[B] for a in ("items", "other")]
        self.line(1, "return " + ", ".join(shown))
        return "\n".join(self.lines) + "\n"


def program(seed, number):
    """The text and the calls."""
    return HEAD + Writer(random.Random("%d.%d" % (seed, number))).function(), ARGUMENTS


# ---- What Python says ----


def reference(made):
    """The answers of a program; None when it raises."""
    function = define(made[0])[ENTRY]
    try:
        return [to_json(function(*map(of_json, call))) for call in made[1]]
    except IndexError:
        return None

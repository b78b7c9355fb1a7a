"""Random typed programs over the language: numbers, strings, lists, dicts, tuples, classes, enums, optional values,
small tensors; control flow, functions, comprehensions, formatting, slices, exceptions."""
import collections
import copy
import random
import re

ENTRY = "entry"
LARGEST_DEPTH = 3
SIMPLE = re.compile(r"[\w.]+$|\"\w*\"$|\([^()]*\)$")
I, F, B, S, LI, LF, LS, DI, DS, P, O, T, C, E, LL = (
    "int", "float", "bool", "str", "List[int]", "List[float]", "List[str]", "Dict[str, int]", "Dict[int, str]", "Tuple[int, str]",
    "Optional[int]", "Tensor", "Point", "Color", "List[List[int]]")
PARAMETERS = [("a", I), ("b", I), ("f", F), ("s", S), ("xs", LI), ("ws", LS), ("d", DI), ("t", T)]
RESULTS = [I, F, B, S, LI, LF, LS, DI, DS, P, O, T, LL]
X = {"tensor": {"dtype": "float32", "shape": [2, 3], "data": [0.0, 1.0, -2.0, 3.0, -4.0, 5.0]}}
Y = {"tensor": {"dtype": "float32", "shape": [2, 3], "data": [1.0, 0.5, 2.0, -1.0, 0.25, -3.0]}}
ARGUMENTS = [[3, -2, {"float": 1.5}, "one Two", [4, 1, 3], ["a", "bc"], {"dict": [["a", 1], ["k", 7]]}, X],
             [0, 9, {"float": -0.25}, "", [], ["x"], {"dict": []}, Y],
             [-7, 2, {"float": 4.0}, "12", [5, -5], [], {"dict": [["b", -3]]}, X]]
EXAMPLE = ARGUMENTS[0]

HEAD = '''from enum import Enum
from typing import Dict, List, NamedTuple, Optional, Tuple

import torch
from torch import Tensor


class Color(Enum):
    RED = 1
    GREEN = 2
    BLUE = 4


@torch.jit.script
class Point:
    def __init__(self, x: int, y: float):
        self.x = x
        self.y = y
        self.seen = [x]

    def moved(self, by: int) -> "Point":
        return Point(self.x + by, self.y * 0.5)

    def move(self, by: int) -> int:
        self.x += by
        self.seen.append(self.x)
        return self.x

    def __add__(self, other: "Point") -> "Point":
        return Point(self.x + other.x, self.y + other.y)

    def __lt__(self, other: "Point") -> bool:
        return self.x < other.x

    def __len__(self) -> int:
        return len(self.seen)

    def __contains__(self, n: int) -> bool:
        return n in self.seen


def small(n: int) -> int:
    return n % 1009


def tame(x: float) -> float:
    if x != x or x > 1000000.0 or x < -1000000.0:
        return 0.5
    return x


def short(s: str) -> str:
    return s[:12]


def maybe(n: Optional[int]) -> Optional[int]:
    return n


def checked(n: int) -> int:
    if n > 500:
        raise ValueError("too large")
    return n


'''


class Writer:
    """Writes one function. names: type -> names of that type, known where the next statement stands."""

    def __init__(self, r, functions):
        self.r, self.functions = r, functions
        self.lines, self.count = [], 0
        self.names = collections.defaultdict(list)
        self.constant = set()  # names that loops carry: not assigned to

    def new(self, prefix):
        self.count += 1
        return "%s%d" % (prefix, self.count)

    def say(self, depth, *lines):
        self.lines += ["    " * (depth + 1) + line for line in lines]

    # ---- Expressions ----

    def literal(self, kind):
        r = self.r
        return {I: lambda: str(r.choice([0, 1, 2, 3, 7, -1, 10, 255])), F: lambda: r.choice(["0.5", "2.0", "-1.25", "3.0", "0.0", "1e3"]),
                B: lambda: r.choice(["True", "False"]), S: lambda: r.choice(['"a"', '""', '"b c"', '"Xyz"', '"k"', '"12"', "'q\\'s'", '"\\t|"']),
                LI: lambda: r.choice(["[1, 2, 3]", "[5]", "[0, -1]", "torch.jit.annotate(List[int], [])"]), LF: lambda: r.choice(["[0.5, 1.0]", "[2.5]"]),
                LS: lambda: r.choice(['["a", "b"]', '["k"]', '["x", "", "yz"]']), DI: lambda: r.choice(['{"a": 1, "b": 2}', '{"k": 3}']),
                DS: lambda: r.choice(['{1: "a", 2: "b"}', '{0: "z"}']), P: lambda: r.choice(['(1, "p")', '(0, "")']),
                O: lambda: r.choice(["torch.jit.annotate(Optional[int], None)", "torch.jit.annotate(Optional[int], 3)"]),
                T: lambda: r.choice(["torch.ones(2, 3)", "torch.arange(6.0).view(2, 3)", "torch.zeros(2, 3)"]), C: lambda: "Point(%d, 0.5)" % r.randrange(4),
                E: lambda: "Color.%s" % r.choice(["RED", "GREEN", "BLUE"]), LL: lambda: r.choice(["[[1], [2, 3]]", "[[0, 1]]"])}[kind]()

    def expression(self, kind, depth=2):
        names = self.names[kind]
        k = self.r.random()
        if names and (k < 0.35 or depth == 0):
            return self.r.choice(names)
        if depth == 0 or k < 0.45:
            return self.literal(kind)
        fitting = [f for f in self.functions if f[2] == kind]
        if fitting and self.r.random() < 0.15:
            name, parameters, _ = self.r.choice(fitting)
            return "%s(%s)" % (name, ", ".join(self.expression(p, depth - 1) for p in parameters))
        template = self.r.choice(FORMS[kind])
        return self.fill(template, depth - 1)

    def fill(self, template, depth):
        """Puts expressions in the place of <type>, short ints in that of <n>, and new names in that of $k, $i, $j."""
        for variable in "kij":
            if "$" + variable in template:
                template = template.replace("$" + variable, self.new(variable))
        out, rest = "", template
        while "<" in rest:
            before, _, rest = rest.partition("<")
            if rest[:1] not in NAMES_OF_TYPES or rest[1:2] != ">":
                out += before + "<"
                continue
            inner = str(self.r.randrange(4)) if rest[0] == "n" else self.expression(NAMES_OF_TYPES[rest[0]], depth)
            out += before + (inner if SIMPLE.match(inner) else "(%s)" % inner)
            rest = rest[2:]
        return out + rest

    # ---- Statements ----

    def assign(self, depth):
        kind = self.r.choice(ALL_KINDS)
        free = [n for n in self.names[kind] if n not in self.constant and "." not in n and "[" not in n]
        if free and self.r.random() < 0.4:
            name, value = self.r.choice(free), self.bounded(kind)
            # Of an annotated value that is no None the variable would get the type without None. Others do not fit it.
            self.say(depth, "%s = %s" % (name, "maybe(%s)" % value if kind == O else value))
            return
        value = self.bounded(kind)
        name = self.new("v")
        self.say(depth, "%s%s = %s" % (name, ": Optional[int]" if kind == O else "", value))
        self.names[kind].append(name)
        if kind == C:
            self.names[I].append(name + ".x")
            self.names[LI].append(name + ".seen")

    def bounded(self, kind):
        value = self.expression(kind, 3)
        return {I: "small(%s)", F: "tame(%s)", S: "short(%s)"}.get(kind, "%s") % value

    def change(self, depth):
        name = {k: [n for n in self.names[k] if n not in self.constant] for k in ALL_KINDS}
        forms = []
        for kind, templates in CHANGES.items():
            plain = [n for n in name[kind] if kind not in (I, F, S) or "." not in n]
            forms += [(n, t) for n in plain for t in templates]
        if not self.result:
            forms += [("xs", t) for t in sorted(RISKY) if "@" not in t] * 2
        if not forms:
            return self.assign(depth)
        target, template = self.r.choice(forms)
        if template in RISKY and self.r.random() < 0.9:
            return self.change(depth)
        for line in self.fill(template.replace("@", target), 1).split("; "):
            self.say(depth, line)

    def inner(self, depth, new=(), fixed=()):
        names, constant = copy.deepcopy(self.names), set(self.constant)
        for kind, name in new:
            self.names[kind].append(name)
        self.constant |= set(fixed) | {n for _, n in new}
        self.block(depth + 1, self.r.randrange(1, 4))
        self.names, self.constant = names, constant

    def compound(self, depth):
        k = self.r.randrange(11)
        i, w = self.new("i"), self.new("w")
        in_loop = k in (2, 3, 4, 5, 6, 7)
        new, fixed = [], []
        if k in (0, 1):
            self.say(depth, "if %s:" % self.expression(B, 3))
            self.inner(depth)
            if self.r.random() < 0.3:
                self.say(depth, "elif %s:" % self.expression(B, 2))
                self.inner(depth)
            if self.r.random() < 0.6:
                self.say(depth, "else:")
                self.inner(depth)
            return
        if k == 2:
            self.say(depth, "for %s in range(%s):" % (i, self.r.choice(["3", "1, 8, 3", "4, 0, -2", "len(%s) %% 5" % self.expression(LI, 1), "2"])))
            new = [(I, i)]
        elif k == 3:
            kind, item = self.r.choice([(LI, I), (LS, S), (LF, F), (S, S)])
            self.say(depth, "for %s in %s[:3]:" % (i, self.expression(kind, 1) if kind == S else "(%s)" % self.expression(kind, 1)))
            new = [(item, i)]
        elif k == 4:
            self.say(depth, "for %s, %s in enumerate((%s)[:3]):" % (i, w, self.expression(LS, 1)))
            new = [(I, i), (S, w)]
        elif k == 5:
            self.say(depth, "for %s, %s in zip((%s)[:3], (%s)[-3:]):" % (i, w, self.expression(LI, 1), self.expression(LS, 1)))
            new = [(I, i), (S, w)]
        elif k == 6:
            self.say(depth, "%s = 0" % i, "while %s < 4 and (%s):" % (i, self.expression(B, 2)), "    %s += 1" % i)
            new = [(I, i)]
        elif k == 7:
            self.say(depth, "for %s, %s in (%s).items():" % (i, w, self.expression(DI, 0) + ".copy()"))
            new = [(S, i), (I, w)]
        elif k == 8:
            o = self.expression(O, 1)
            self.say(depth, "%s: Optional[int] = %s" % (i, o), "if %s is not None:" % i)
            new, fixed = [(I, i)], [i]
        elif k == 9:
            self.say(depth, "%s, %s = %s" % (i, w, self.expression(P, 2)), "if len(%s) > 0:" % w)
            self.names[I].append(i)
            self.names[S].append(w)
        else:
            self.say(depth, "if isinstance(%s, str) and %s:" % (self.expression(S, 0), self.expression(B, 1)))
        self.inner(depth, new, fixed)
        if in_loop and self.r.random() < 0.35:
            self.say(depth + 1, "if %s:" % self.expression_without(B, new), "    " + self.r.choice(["break", "continue"]))

    def expression_without(self, kind, _):
        return self.expression(kind, 2)

    def failure(self, depth):
        guard = self.expression(B, 2)
        self.say(depth, "if (%s) and (%s):" % (guard, self.expression(B, 2)), "    " + self.r.choice(
            ['raise ValueError("bad value")', 'raise RuntimeError("stopped")', 'raise KeyError("no key")', 'raise Exception("plain")', "assert %s" % self.expression(B, 1),
             'assert %s, "must hold"' % self.expression(B, 1), "checked(%s)" % self.expression(I, 2)]))

    def block(self, depth, statements):
        for _ in range(statements):
            k = self.r.random()
            if k < 0.45:
                self.assign(depth)
            elif k < 0.70:
                self.change(depth)
            elif k < 0.73:
                self.failure(depth)
            elif k < 0.75 and depth > 0 and self.result:
                self.say(depth, "return %s" % self.expression(self.result, 2))
                return
            elif depth < LARGEST_DEPTH:
                self.compound(depth)
            else:
                self.change(depth)

    def function(self, name, parameters, result):
        """A function of these parameters; result None: a tuple of what is known at the end."""
        self.result = result
        for parameter, kind in parameters:
            self.names[kind].append(parameter)
        self.block(0, self.r.randrange(2, 5) if result else self.r.randrange(6, 14))
        if result:
            self.say(0, "return %s" % self.bounded(result))
            shown = result
        else:
            kinds = [self.r.choice(RESULTS) for _ in range(5)] + [I, S, LI]
            self.say(0, "return %s" % ", ".join(self.bounded(k) for k in kinds))
            shown = "Tuple[%s]" % ", ".join(kinds)
        head = "def %s(%s) -> %s:" % (name, ", ".join("%s: %s" % p for p in parameters), shown)
        return "\n".join([head] + self.lines) + "\n\n\n"


# A condition that is itself a call of a method gets `== True`: PyTorch's compiler emits what the method is called on
# twice.
NAMES_OF_TYPES = {"i": I, "f": F, "b": B, "s": S, "l": LI, "m": LF, "w": LS, "d": DI, "e": DS, "p": P, "o": O, "t": T, "c": C, "E": E, "L": LL, "n": "n"}
ALL_KINDS = [I, I, I, F, F, B, S, S, LI, LI, LF, LS, DI, DS, P, O, T, C, E, LL]
FORMS = {
    I: ["<i> + <i>", "<i> - <i>", "small(<i>) * small(<i>)", "<i> // (abs(<i>) % 5 + 1)", "<i> % (abs(<i>) % 7 + 2)", "-(<i>)", "abs(<i>)", "len(<s>)", "len(<l>)",
        "min(<i>, <i>)", "max(<i>, <i>)", "(<i> if <b> else <i>)", "int(tame(<f>))", "int(<b>)", "sum(<l>)", "(<d>).get(<s>, <i>)", "<p>[0]", "ord((<s> + \"q\")[0])",
        "(<s> + \"b\").count(\"b\")", "(<s>).find(<s>)", "int(small(<i>) * 1.0)", "<i> & 15", "(<i> | 1) ^ 3", "<c>.move(<i>)", "len(<c>)", "<t>.dim()", "int(<t>.sum())",
        "<t>.size(<n> % 2)", "int(<E>.value)", "(<l> + [1])[0]", "(<l> + [1])[-1]", "(<l>).count(<i>)", "len(<L>)", "len(<d>)", "int(tame(<f>))",
        "divmod(<i>, 7)[1]", "1 << (abs(<i>) % 8)", "small(<i>) >> (<n> + 1)", "checked(small(<i>) % 501)", "max(<l> + [0])", "sum([$k * 2 for $k in <l>])",
        "int((<s> + \"7\")[-1:])", "(<c> + <c>).x", "len(str(<i>))"],
    F: ["tame(<f>) + tame(<f>)", "tame(<f>) * tame(<f>)", "<f> - <i>", "<i> / (abs(<i>) + 1)", "float(<i>)", "abs(<f>)", "min(<f>, <f>)", "max(<f>, <f>)", "(<f> if <b> else <f>)",
        "float(<t>.sum())", "float(<b>)", "<c>.y", "tame(<f>) // 2.5", "<f> % 3.0", "tame(<f>) ** 2", "float(<t>[0, <n> % 3])", "(<m> + [0.5])[0]", "-(<f>)", "float(\"1.5\")",
        "float(small(<i>)) ** 0.5", "sum(<m>)", "round(tame(<f>))", "max([0.25] + <m>)"],
    B: ["<i> < <i>", "<i> == <i>", "<f> > <f>", "<s> == <s>", "<s> in <s>", "<i> in <l>", "<s> in <d>", "not <b>", "<b> and <b>", "<b> or <b>", "len(<l>) > <n>", "<i> % 2 == 0", "<l> == <l>",
        "<E> == <E>", "((<s>).startswith(<s>) == True)", "((<s>).isdigit() == True)", "<o> is None", "<i> in <c>", "bool(<i>)", "bool(<t>.sum() > <n>)", "<c> < <c>", "<s> < <s>",
        "<i> <= <i> <= <i>", "<s> not in <w>", "any([$k > 2 for $k in <l>])", "all([$k != 1 for $k in <l>])", "<f> != <f>", "((<s>).endswith(<s>) == True)",
        "<i> in [1, 3, 5]", "bool(len(<s>))", "<w> != <w>"],
    S: ["<s> + <s>", "str(<i>)", "(<s>).upper()", "(<s>).lower()", "(<s>).strip()", "(<s>).replace(\"a\", <s>)", "(<s>)[<n>:]", "(<s>)[:<n>]", "(<s>)[::-1]",
        "(<s>)[-2:]", "\"-\".join(<w>)", "\"{} {}\".format(<i>, <s>)", "(<s> if <b> else <s>)", "<p>[1]", "chr(97 + abs(<i>) % 26)", "<E>.name",
        "(<s>).title()", "(<s>).capitalize()", "(<s>).zfill(<n>)", "(<s>).center(6)", "(<s>).ljust(4, \"_\")", "(<s>).rjust(<n>)", "(<s>).swapcase()", "(<w> + [\"e\"])[0]", "(<s>).lstrip(\"a\")",
        "(<s>).partition(\" \")[0]", "(<s>).expandtabs(2)", "\"%d|%s\" % (<i>, <s>)", "str(<b>)", "str(<l>)", "\"{}\".format(<b>)", "(<s>).rstrip()",
        "str(<f>)", "(<s> + \"|\").split(\"|\")[0]", "\"<\" + <s> + \">\""],
    LI: ["(<l> + <l>)[:9]", "[<i>, <i>]", "[$k + <n> for $k in <l>]", "(<l>)[<n>:]", "(<l>)[::2]", "sorted(<l>)", "(<l>)[:-1]", "list(range(<n>))", "[len($k) for $k in <w>]", "(<l> if <b> else <l>)",
         "(<l>).copy()", "<c>.seen", "list((<d>).values())", "[<i>] * <n>", "[$k % 3 for $k in range(<n>)]", "[$i + $k for $i, $k in zip(<l>, <l>)]", "[$k for $j, $k in enumerate(<l>)]", "list(<l>)",
         "(<L> + [[1]])[0]", "list((<e>).keys())", "[<t>.size(0), <t>.dim()]", "[ord($k) for $k in <s>]", "(<l>)[1:4]", "(<l>)[-2:]"],
    LF: ["(<m> + <m>)[:9]", "[<f>, <f>]", "[$k * 0.5 for $k in <m>]", "[float($k) for $k in <l>]", "sorted(<m>)", "(<m>)[:2]", "[tame($k) for $k in <m>]"],
    LS: ["(<w> + <w>)[:9]", "[<s>, <s>]", "(<s>).split()", "(<s>).split(\",\")", "[str($k) for $k in <l>]", "[$k + \"!\" for $k in <w>]", "sorted(<w>)", "list((<d>).keys())", "(<w>)[:2]", "list(<s>)", "(<s>).splitlines()",
         "[$k.upper() for $k in <w>]", "(<s>).rsplit(\" \")"],
    DI: ["{<s>: <i>, <s>: <i>}", "(<d>).copy()", "{$k: len($k) for $k in <w>}", "(<d> if <b> else <d>)", "dict([(<s>, <i>)])", "{<s>: small($k) for $k in <l>}"],
    DS: ["{<i>: <s>}", "{$k: str($k) for $k in <l>}", "(<e>).copy()"],
    P: ["(<i>, <s>)", "(<p> if <b> else <p>)", "[(<i>, <s>), (1, \"u\")][0]"],
    O: ["(<o> if <b> else <o>)", "torch.jit.annotate(Optional[int], <i>)"],
    T: ["<t> + <t>", "<t> * 0.5", "<t> - <i>", "torch.relu(<t>)", "<t>.clone()", "(<t> if <b> else <t>)", "torch.where(<t> > <n>, <t>, <t>)", "torch.clamp(<t>, -9.0, 9.0)", "<t>.t().t()", "torch.stack([<t>[0], <t>[1]])",
        "<t>.abs()", "<t>.sum(0).expand(2, 3) * 0.25", "torch.cat([<t>[0:1], <t>[1:2]])", "torch.tensor([[<i>, 1, 2], [3, 4, 5]]).float()", "<t>.max(0)[0].unsqueeze(0) - torch.clamp(<t>, 0.0, 1.0)", "torch.floor(<t>)"],
    C: ["Point(<i>, <f>)", "<c>.moved(<i>)", "<c> + <c>", "(<c> if <b> else <c>)", "sorted([<c>, <c>])[0]"],
    E: ["(<E> if <b> else <E>)"],
    LL: ["[<l>, <l>]", "(<L> + [<l>])[:5]", "[[$k] for $k in <l>]", "(<L>)[:2]", "[(<l>)[:<n>] for $k in range(2)]"],
}
CHANGES = {
    I: ["@ += small(<i>)", "@ -= <n>", "@ = small(@ * <n>)"],
    F: ["@ += tame(<f>)", "@ *= 0.5", "@ = tame(@ - <i>)"],
    S: ["@ += short(<s>)", "@ = short(@ + str(<n>))", "@ = short(f\"{<n>}:{@}!\")"],
    LI: ["@.append(<i>)", "@.insert(0, <i>)", "@.extend((<l>)[:3])", "@.reverse()", "@.sort()", "if len(@) > 0: @[0] = <i>", "if len(@) > 0: @.pop()",
         "if len(@) > 1: del @[0]", "@.append(len(@))", "@[<n>] = <i>", "@.pop(<n>)", "@.remove(<i>)", "if len(@) > 0: @[-1] += <i>", "@.clear()"],
    LF: ["@.append(tame(<f>))", "if len(@) > 0: @[0] = tame(<f>)", "@.sort()"],
    LS: ["@.append(short(<s>))", "@.insert(<n>, short(<s>))", "if len(@) > 0: @[0] = short(<s>)", "@.sort()", "if len(@) > 0: @.pop()"],
    DI: ["@[<s>] = small(<i>)", "@.pop(<s>, 0)", "@.update(<d>)", "@.setdefault(<s>, <i>)", "if <s> in @: @[\"z\"] = len(@)", "@[<s>] += <n>", "del @[<s>]"],
    DS: ["@[<n>] = short(<s>)", "@.setdefault(<n>, short(<s>))"],
    C: ["@.move(small(<i>))", "@.y = tame(<f>)", "@.seen = (<l>)[:4]", "@.x = small(<i>)"],
    T: ["@[0, <n> % 3] = <n>", "@.add_(1.0)", "@ = @ * 0.5", "@[<n> % 2].mul_(0.5)", "@ += <n>"],
    LL: ["@.append(<l>)", "if len(@) > 0: @[0].append(<i>)", "if len(@) > 1: @[0] = @[1]"],
}


# These may raise, and are taken less often. What an operator gives that raises must be used: unused ones are removed.
RISKY = {"@[<n>] = <i>", "@.pop(<n>)", "@.remove(<i>)", "@[<s>] += <n>", "del @[<s>]", "xs.append((<l>)[<n>])", "xs.append((<d>)[<s>])", "ws.append((<w>)[<n>])",
         "ws.append((<s>)[<n>])", "ws.append((<e>)[<i>])", "xs.append([3, 4, 5][<n>])", "xs.append(int(<s>))"}


def program(seed, number):
    """The text and the calls."""
    r = random.Random("%d.%d" % (seed, number))
    text, functions = HEAD, []
    for k in range(r.randrange(3)):
        kinds = [r.choice([I, F, S, LI, LS, DI, T, P, B]) for _ in range(r.randrange(1, 4))]
        result = r.choice([I, F, S, B, LI, LS, DI, T, P])
        name = "part%d" % k
        text += Writer(r, list(functions)).function(name, [("p%d" % i, kind) for i, kind in enumerate(kinds)], result)
        functions.append((name, kinds, result))
    return text + Writer(r, functions).function(ENTRY, PARAMETERS, None).rstrip() + "\n", ARGUMENTS

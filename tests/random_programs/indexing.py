"""Random expressions of tensors: reads and writes through indexes of all kinds, mixed element types, reductions and
selections along any dimension. Calls of forward compute one with two sets of numbers, and may raise.

Texts are written from RULES, where <rule> stands for one of that rule's lines, and <read> and <write> for an index of a
tensor that is made for its dimensions."""
import math
import random
import re

ENTRY = "Net"
MAY_BE_REFUSED = True
# Tensors that forward takes: shapes and element types.
TENSORS = {"x": ((3, 4, 2), "float32"), "d": ((4, 2), "float64"), "k": ((3, 4), "int64"), "u": ((4,), "uint8"),
           "s": ((2, 3), "int32"), "m": ((3, 4), "bool"), "v": ((4,), "float32"), "e": ((0, 2), "float32"),
           "z": ((), "float32"), "w": ((), "int64"), "h": ((2, 3), "int16")}
INDEXES = {"i": (2,), "j": (3, 1), "i0": (), "ie": (0,)}
HEAD = '''import torch


class Net(torch.nn.Module):
    def forward(self, %s, n: int):
''' % ", ".join(list(TENSORS) + list(INDEXES))

RULES = {
    "name": [*TENSORS],
    "number": ["-3", "-2", "-1", "0", "1", "2", "3"] * 6 + ["-9", "9", "5", "-5"],
    "some": ["", "", "<number>"],
    "axis": ["0", "0", "1", "-1", "n"],
    "axes": ["<axis>", "[0, 1]", "[-1]", "-2", "2"],
    "keep": ["", "", ", keepdim=True", ", True"],
    "dtype": ["torch." + t for t in "float32 float64 int8 uint8 int32 int64 bool".split()],
    "scalar": ["1", "2", "-3", "0.5", "-1.5", "True", "n", "300"],
    "value": ["<scalar>", "z", "w", "<name>", "x[..., 0]", "v"],
    # ---- Items of an index; those of masks are chosen by size ----
    "slice": ["<some>:<some>", "<some>:<some>:<step>", "n:", ":n", "n:n + 2", "-n:", "::n + 1"],
    "step": ["1", "2", "3", ""],
    "places": ["i", "i", "j", "j", "i0", "ie", "w", "i + 1", "i.unsqueeze(1)", "j[:, 0]", "i.flip([0])", "torch.arange(2)", "-i.abs()",
               "i.expand(3, 2)", "u[:2]", "[<number>]", "[<number>, <number>]"],
    "mask2": ["d[0] > 0"],
    "mask3": ["m[:, 1]", "k[:, 0] > 0", "s[0] > 0"],
    "mask4": ["m[0]", "u > 2", "v < 0.5", "k[1] == k[2]"],
    "masks": ["m", "~m", "k > 0", "m & (k < 3)"],
    "condition": ["m", "x > 0", "m[0]", "v < 1", "k > 1", "m.unsqueeze(-1)", "z > 0"],
    # ---- Expressions ----
    "operand": ["<name>", "<name>", "<read>", "<read>", "<scalar>", "<name>.to(<dtype>)", "x[..., 0]", "x[0]", "v.unsqueeze(0)",
                "k[0]", "x.mean(0)", "m.int()"],
    "tensor": ["<name>", "<name>", "<read>", "<name>.to(<dtype>)", "x[..., 0]", "v.unsqueeze(0)"],
    "operator": "+ - * / // % ** == < >= != & | ^ << >>".split(),
    "binary": "maximum minimum fmod remainder atan2 eq bitwise_and bitwise_xor logical_or logical_xor fmax hypot floor_divide "
              "true_divide float_power add sub mul copysign gcd lcm heaviside ldexp nextafter xlogy logaddexp rsub ne greater "
              "less_equal isclose".split(),
    "unary": "abs() neg() sign() sqrt() exp() floor() round() reciprocal() square() bitwise_not() logical_not() sigmoid() isnan() "
             "trunc() frac() log1p() sin() relu() positive() rsqrt() tanh() nan_to_num() isinf() signbit() erf() sgn() ceil() "
             "diff()".split() + ["clamp(-1, 2)", "clamp(min=0.5)", "clamp(max=n)", "round(decimals=1)", "pow(2)", "pow(-1)", "pow(0.5)",
                                 "cumsum(<axis>)", "cumprod(<axis>)", "cummax(<axis>)[0]", "logcumsumexp(<axis>)"],
    "product": ["<matrix> @ <matrix>"],
    "matrix": ["k", "x", "d", "v", "s.float()", "x[0]", "v.double()", "k.float()", "d.float()", "x[..., 0].t()", "k.t()"],
    "reduction": ["<sums>()", "<sums>(<axes><keep>)", "<sums>(dtype=<dtype>)", "prod(<axis><keep>)", "prod()", "amax(<axes><keep>)",
                  "amin(<axes><keep>)", "argmax()", "argmin(<axis><keep>)", "argmax(<axis><keep>)", "any()", "all(<axis><keep>)",
                  "any(<axis><keep>)", "<spread>()", "<spread>(<axes>)", "<spread>(<axes>, unbiased=False<keep>)",
                  "logsumexp(<axes><keep>)", "<picked>()", "<picked>(<axis><keep>)[0]", "mode(<axis><keep>)[0]",
                  "kthvalue(1, <axis>)[0]", "aminmax(dim=<axis>)[1]", "norm()", "norm(1)", "norm(2.0, <axis>)",
                  "norm(float('inf'), [0])", "norm(0, <axis>, True)", "count_nonzero()", "count_nonzero(<axis>)"],
    "sums": ["sum", "mean", "nansum", "nanmean"],
    "spread": ["std", "var"],
    "picked": ["max", "min", "median", "nanmedian"],
    "places_of_elements": ["k[:2] % 2", "i.abs()", "j.abs()", "ie", "torch.zeros(1, 1, 1).long()", "j.abs().unsqueeze(-1)"],
    "selection": ["index_select(<axis>, <places>)", "gather(<axis>, <places_of_elements>)", "take(<places>)", "masked_select(<condition>)",
                  "masked_fill(<condition>, <value>)", "narrow(<axis>, <number>, 1)",
                  "select(<axis>, <number>)", "split(2, <axis>)[<axis>]", "chunk(3, <axis>)[<axis>]", "unbind(<axis>)[<axis>]",
                  "flip([<axis>])", "roll(<number>, <axis>)", "sort(<axis>)[0]", "sort(<axis>, True)[0]", "topk(2, <axis>)[0]",
                  "unfold(<axis>, 2, 1)", "nonzero()", "unique()", "diagonal()", "diagonal(-1)", "diagonal(0, -2, -1)",
                  "tril(<number>)", "triu(<number>)", "expand(3, -1, -1)", "expand(2, 3, 4)", "expand(-1, 4)", "repeat(2)",
                  "repeat(2, 1, 1)", "reshape(-1)", "reshape(4, -1)", "reshape(-1, 1)", "flatten()", "flatten(0, 1)", "flatten(-2)",
                  "transpose(<axis>, <axis>)", "movedim(<axis>, <axis>)", "squeeze()", "squeeze(<axis>)", "unsqueeze(<axis>)",
                  "index_add(<axis>, i.abs(), <name>[:2])", "index_copy(<axis>, torch.arange(2), <name>[:2])",
                  "index_copy(<axis>, i0.abs(), <value>)", "index_add(<axis>, i.abs(), v[0])",
                  "index_fill(<axis>, i.abs(), <value>)", "scatter(<axis>, <places_of_elements>, <value>)",
                  "scatter_add(<axis>, <places_of_elements>, <name>)", "repeat_interleave(2)", "repeat_interleave(2, dim=<axis>)",
                  "repeat_interleave(u, dim=<axis>)", "bincount()", "histc(4)", "histc(3, -1, 2)", "swapaxes(0, -1)", "rot90()",
                  "rot90(2, [0, 1])", "tensor_split(2)[1]", "tensor_split([1, 2])[1]", "eq(<name>)", "new_ones([2])",
                  "new_full([2, 1], <scalar>)", "type_as(<name>)", "to(<dtype>)", "to(<name>)", "view(-1)", "view(4, -1)", "msort()",
                  "fliplr()", "lerp(<name>, 0.5)", "bool()", "put(i, v[:2])", "put(j, <name>, True)"],
    "expression": ["<read>"] * 3 + ["<tensor> <operator> <operand>"] * 3 + ["<operand> <operator> <tensor>", "<product>"] +
                  ["torch.where(<condition>, <operand>, <operand>)", "torch.<binary>(<tensor>, <operand>)"] * 2 +
                  ["(<tensor>).<reduction>", "(<tensor>).<selection>"] * 3 + ["(<tensor>).<unary>"] * 2 +
                  ["torch.cat([<tensor>, <tensor>], <axis>)", "torch.stack([<tensor>, <tensor>], <axis>)"],
    "joined": ["a + b", "a * b", "torch.where(a > 0, a, b)", "a == b", "torch.cat([a.flatten(), b.flatten()])", "a.sum() + b", "a - b"],
    # ---- Writes to y, <write> being a part of it ----
    "assignment": ["<write> = <operand>"] * 5 + ["<write> <changes>= <operand>"] * 3 + ["y <changes>= <operand>", "<in_place>"],
    "changes": ["+", "-", "*", "/", "+", "*"],
    "in_place": ["y.masked_fill_(<condition>, <value>)", "<write>.fill_(<value>)", "<write>.add_(<tensor>)", "<write>.mul_(2)",
                 "y.index_add_(0, i.abs(), <tensor>)", "y.scatter_(0, k[:2] % 2, <value>)", "y.index_put_((<places>,), <tensor>, True)",
                 "y.index_put_((<condition>,), <tensor>)", "<write>.copy_(<tensor>)", "<write>.clamp_(-1, 1)", "y.put_(i, <tensor>, True)",
                 "y.index_fill_(0, i.abs(), 2)", "y.sub_(<tensor>)", "y.fmod_(<tensor>)", "y.pow_(<operand>)",
                 "y.remainder_(<tensor>)", "y.floor_divide_(<tensor>)", "y.bitwise_or_(<tensor>)", "y.eq_(<tensor>)"],
}


def tensor(r, shape, dtype, low, high, parts):
    data = [r.randrange(low, high) / parts for _ in range(math.prod(shape))]
    number = {"bool": lambda n: n > 0, "f": float}.get(dtype if dtype == "bool" else dtype[0], int)
    return {"tensor": {"dtype": dtype, "shape": list(shape), "data": [number(n) for n in data]}}


def arguments(r):
    made = [tensor(r, shape, dtype, 0 if dtype == "uint8" else -20, 24, 4) for shape, dtype in TENSORS.values()]
    return made + [tensor(r, shape, "int64", -2, 2, 1) for shape in INDEXES.values()]


EXAMPLE = arguments(random.Random(7)) + [0]


class Writer:
    def __init__(self, r):
        self.r, self.written = r, ()  # written: the shape of y

    def text(self, form):
        return re.sub(r"<(\w+)>", lambda m: self.rule(m.group(1)), form)

    def rule(self, name):
        if name == "read":
            of = self.text("<name>")
            again = self.text(self.r.choice(["[0]", "[-1]", "[...]", "[<slice>]", "[None]", "[<places>]"])) if self.r.random() < 0.15 else ""
            return "%s[%s]%s" % (of, self.index(TENSORS[of][0]), again)
        if name == "write":
            return "y[%s]" % self.index(self.written)
        return self.text(self.r.choice(RULES[name]))

    def item(self, left):
        """An item of an index, and how many of the dimensions that are left it takes."""
        kind = self.r.randrange(12)
        if kind == 0:
            return "None", 0
        if kind == 1 and left[:2] == (3, 4):
            return self.text("<masks>"), 2
        if kind == 2 and left and left[0] in (2, 3, 4):
            return self.text("<mask%d>" % left[0]), 1
        return self.text(self.r.choice(["<number>", "<number>", "<slice>", "<slice>", "<places>", "n"])), 1

    def index(self, shape):
        items, axis = [], 0
        for _ in range(self.r.randrange(1, len(shape) + 2)):
            if "..." not in items and self.r.random() < 0.15:
                items.append("...")
                axis = self.r.randrange(axis, len(shape) + 1)
                continue
            item, taken = self.item(shape[axis:])
            axis += taken
            if axis > len(shape) and self.r.random() < 0.9:
                break
            items.append(item)
        return ", ".join(items) or "..."

    def case(self):
        kind = self.r.randrange(10)
        if kind < 4:
            name = self.text("<name>")
            self.written = TENSORS[name][0]
            turned = len(self.written) > 1 and self.r.random() < 0.3
            if turned:
                self.written = self.written[-1:] + self.written[1:-1] + self.written[:1]
            lines = ["y = %s.clone()%s" % (name, ".transpose(0, -1)" if turned else "")]
            return lines + [self.text("<assignment>") for _ in range(self.r.choice([1, 1, 2, 3]))] + ["return y"]
        if kind == 4:
            return ["a = " + self.text("<expression>"), "b = " + self.text("<expression>"), "return " + self.text("<joined>")]
        if kind == 5:
            return ["y = 0.0", "for t in %s:" % self.text("<tensor>"), "    y += float(t.sum())", "return torch.tensor(y)"]
        return ["return " + self.text("<expression>")]


def program(seed, number):
    r = random.Random("%d %d" % (seed, number))
    lines = ["        " + line for line in Writer(r).case()]
    return HEAD + "\n".join(lines) + "\n", [{"inputs": arguments(r) + [n], "may_raise": True} for n in (1, 0)]

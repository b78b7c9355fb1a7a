#!/usr/bin/env python3
"""Writes TorchScript functions for operators that follow from others by their schemas, and builds them in.

  gen_derived.py SCHEMA_FOLDER KERNEL_FOLDER OUT.c LIBRARY_FILE.py...
  gen_derived.py SCHEMA_FOLDER KERNEL_FOLDER --print LIBRARY_FILE.py...

An operator that has neither a kernel nor a function in the library gets one if it is
  * another name of an operator (ALIASES), or an overload of one that takes names of dimensions in the place of numbers;
  * an operator that writes its results to tensors given (`out`), or to its first argument (`name_`), and the
    functional one exists;
  * the functional form of an operator that exists in place only, or the copying form (`name_copy`) of a view;
  * an operator on lists of tensors (`_foreach_name`), and the one on tensors exists.
Arguments are matched by name. What the functions call besides operators is in
library/torch.decompositions.derived.py."""
import os
import re
import sys

HELPERS = "__torch__.torch.decompositions.derived."

# Names of operators that are called as another one; so are their overloads and in-place forms.
ALIASES = {
    "greater": "gt", "greater_equal": "ge", "less": "lt", "less_equal": "le", "not_equal": "ne", "concat": "cat", "concatenate": "cat",
    "row_stack": "vstack", "moveaxis": "movedim", "special_softmax": "softmax", "special_log_softmax": "log_softmax",
    "special_logsumexp": "logsumexp", "special_multigammaln": "mvlgamma", "special_polygamma": "polygamma", "special_xlogy": "xlogy",
    "_stack": "stack", "unsafe_split": "split", "unsafe_split_with_sizes": "split_with_sizes", "unsafe_chunk": "chunk",
    "_aminmax": "aminmax", "_adaptive_avg_pool2d": "adaptive_avg_pool2d", "_adaptive_avg_pool3d": "adaptive_avg_pool3d", "_logcumsumexp": "logcumsumexp",
    "_grid_sampler_2d_cpu_fallback": "grid_sampler_2d",
    "_embedding_bag_forward_only": "_embedding_bag", "_reshape_alias": "as_strided", "_thnn_conv2d_forward": "thnn_conv2d",
    "slow_conv3d_forward": "slow_conv3d", "_slow_conv2d_forward": "thnn_conv2d", "native_channel_shuffle": "channel_shuffle",
    "_scaled_dot_product_attention_forward": "_scaled_dot_product_attention", "normal": "normal_functional",
    "sym_numel": "numel", "sym_size": "size", "sym_stride": "stride", "sym_storage_offset": "storage_offset",
    "__iand__": "__and__", "__ior__": "__or__", "__ixor__": "__xor__", "__ilshift__": "__lshift__", "__irshift__": "__rshift__",
    "_foreach_norm": "linalg_vector_norm", "_foreach_maximum": "clamp_min", "_foreach_minimum": "clamp_max", "_efficientzerotensor": "zeros",
}

# Operators that make a line.
LINES = {"aten::arange", "aten::linspace", "aten::logspace", "aten::range"}

ANNOTATIONS = {"Scalar": "number", "SymInt": "int", "ScalarType": "int", "Layout": "int", "MemoryFormat": "int", "QScheme": "int"}
KEYWORDS = {"from", "lambda", "global", "in", "is", "or", "and", "not", "if", "for"}


def annotation(kind):
    """The type of a schema as TorchScript writes it."""
    kind = re.sub(r"\([a-z*|! >-]*\)", "", kind)
    if kind.endswith("?"):
        return "Optional[%s]" % annotation(kind[:-1])
    if kind.endswith("]"):
        return "List[%s]" % annotation(kind[:kind.rindex("[")])
    return ANNOTATIONS.get(kind, kind)


class Argument:
    def __init__(self, parsed, has_default):
        kind, name, self.keyword, self.written = parsed
        self.name, self.type, self.has_default = name, annotation(kind), has_default

    def variable(self):
        return self.name + "_" if self.name in KEYWORDS else self.name


class Schemas:
    """Operators with typed arguments, and which of them can run."""

    def __init__(self, g, operators, kernels, functions, rows):
        self.g, self.kernels, self.functions, self.rows = g, kernels, functions, rows
        self.by_base, self.made, self.pending = {}, {}, set()
        for o in operators:
            at = len(o.name) + 1
            defaults = {a.split("=")[0].split(" ")[-1] for a in g.split_top(o.schema[at:]) if "=" in a}
            o.args = [Argument(a, a[1] in defaults) for a in o.arguments]
            o.outs = [a for a in o.args if a.written and (a.keyword or not o.name.startswith("aten::") and a.name == "out")]
            o.plain = [a for a in o.args if a not in o.outs]
            o.returns = o.schema[o.schema.rindex("->") + 2:].strip()
            self.by_base.setdefault(o.base(), []).append(o)

    def overloads(self, base):
        return self.by_base.get(base, [])

    def has_code(self, o):
        functional = self.g.functional_of(o, self.by_base)
        return o.symbol() in self.kernels or o.symbol() in self.functions or bool(functional) and functional[0].symbol() in self.kernels

    def can_run(self, o):
        return self.has_code(o) or bool(self.derive(o))

    def derive(self, o):
        """The text of the operator's function, or None."""
        if o.name in self.made or o.name in self.pending or o.variable_inputs:
            return self.made.get(o.name)
        self.pending.add(o.name)
        rules = [named, alias, each, into_outs, in_place, functional, copy]
        self.made[o.name] = next(filter(None, (rule(self, o) for rule in rules)), None)
        self.pending.remove(o.name)
        return self.made[o.name]


# ---- Calls ----

def callee(base):
    namespace, name = base.split("::")
    return ("torch." if namespace == "aten" else "ops.%s." % namespace) + name


def passed(s, a):
    """Argument a of the operator that is called, from the one of that name in s: (text, how it was adapted); None: it
    does not fit."""
    given = next((b for b in s.plain if b.name == a.name), None)
    if given is None:
        if a.name == "dtype" and s.outs:
            return s.outs[0].variable() + ".dtype", "dtype"
        return ("", "default") if a.has_default else None
    wanted = a.type[9:-1] if a.type.startswith("Optional[") else a.type
    if given.type in (a.type, wanted):
        return given.variable(), ""
    of = s.plain[0].variable() + ("[0]" if s.plain[0].type == "List[Tensor]" else "")
    if given.type == "str" and wanted == "int":
        return HELPERS + "position_of(%s, %s)" % (of, given.variable()), "name"
    if given.type == "List[str]" and wanted == "List[int]":
        return HELPERS + "positions_of(%s, %s)" % (of, given.variable()), "name"
    return None


def matched(s, f, outs=()):
    """The call of f with the arguments of s, and how arguments were adapted; None: they do not fit. What s has and f
    has not may only be `names` of dimensions."""
    unused = {a.name for a in s.plain} - {a.name for a in f.plain}
    if unused - {"names"}:
        return None
    texts, adapted, defaults = [], ["names"] if unused else [], False
    for a in f.plain:
        p = passed(s, a)
        if p is None:
            return None
        adapted += [p[1]] if p[1] else []
        if p[1] == "default":
            defaults = True
        else:
            texts.append("%s=%s" % (a.name, p[0]) if a.keyword or defaults else p[0])
    texts += ["%s=%s" % (a.name, b.variable()) for a, b in zip(f.outs, outs)]
    return "%s(%s)" % (callee(f.base()), ", ".join(texts)), adapted


def best(schemas, s, base, fits, outs=()):
    """The call of the overload of `base` that needs the fewest adaptions."""
    found = []
    for f in schemas.overloads(base):
        if f is not s and fits(f) and not f.variable_inputs:
            m = matched(s, f, outs)
            if m and schemas.can_run(f):
                found.append((len(m[1]), len(found), f, m))
    return min(found)[2:] if found else (None, None)


def definition(s, lines, returns=None):
    parameters = ", ".join("%s: %s" % (a.variable(), a.type) for a in s.args)
    if returns is None:
        kinds = [annotation(r.rpartition(" ")[0] if re.search(r" \w+$", r) else r) for r in s_returns(s)]
        returns = kinds[0] if len(kinds) == 1 else "Tuple[%s]" % ", ".join(kinds) if kinds else ""
    if any(a.name == "names" for a in s.plain):
        lines = [HELPERS + "check_unnamed(names)"] + lines
    return "def %s(%s)%s:\n%s\n" % (s.symbol(), parameters, " -> " + returns if returns else "", "\n".join("  " + l for l in lines))


def s_returns(s):
    inner = s.returns
    if inner.startswith("(") and inner.endswith(")"):
        inner = inner[1:-1]
    return [r for r in re.split(r", ", inner) if r]


def base_alias(name):
    """The name of the operator that `name` is another name of, in place if it is."""
    namespace, plain = name.split("::")
    if namespace == "_quantized":
        return "quantized::" + plain
    if plain in ALIASES:
        return "aten::" + ALIASES[plain]
    return "aten::" + ALIASES[plain[:-1]] + "_" if plain.endswith("_") and plain[:-1] in ALIASES else None


# ---- The rules ----

def writes_self(s):
    return bool(s.plain) and s.plain[0].written


def as_other(schemas, s, base, fits):
    f, m = best(schemas, s, base, lambda f: len(f.outs) == len(s.outs) and writes_self(f) == writes_self(s), s.outs)
    if not f or not fits(m[1]):
        return None
    return definition(s, [("return " if s_returns(s) else "") + m[0]])


def named(schemas, s):
    if not any("str" in a.type for a in s.plain):
        return None
    return as_other(schemas, s, s.base(), lambda adapted: "name" in adapted or "names" in adapted)


def alias(schemas, s):
    other = base_alias(s.base())
    return other and as_other(schemas, s, other, lambda adapted: "dtype" not in adapted)


def overlap_checks(schemas, s, destinations):
    """Lines that refuse what the operator's destinations may not share with its other arguments (schema/traits.txt)."""
    rule = schemas.g.traits.overlap_rule(schemas.rows, s)
    tensors = [a for a in s.plain if a.type in ("Tensor", "Optional[Tensor]", "List[Tensor]") and a not in destinations]
    if rule == "any":
        return []
    return ["%scheck_overlap%s(%s, %s, %s)" % (HELPERS, "s" if a.type == "List[Tensor]" else "", d.variable(), a.variable(), rule == "all")
            for d in destinations if d.type == "Tensor" for a in tensors]


def delivery(schemas, s, out):
    if out.type == "List[Tensor]":
        return "deliver_all"
    if s.base() in LINES:
        return "deliver_line"
    return "deliver_same" if schemas.g.traits.wants_same_dtype(schemas.rows, s) else "deliver"


def into_outs(schemas, s):
    if not s.outs:
        return None
    bases = [s.base(), base_alias(s.base()), s.base()[:-4] if s.base().endswith("_out") else None]
    fits = lambda f: not f.outs and len(s_returns(f)) == len(s.outs)
    f, m = next((b for b in (best(schemas, s, base, fits) for base in bases if base) if b[0]), (None, None))
    if not f:
        return None
    names = ["_%d" % i for i in range(len(s.outs))]
    made = [HELPERS + "%s(%s, %s)" % (delivery(schemas, s, o), o.variable(), n) for o, n in zip(s.outs, names)]
    lines = ["%s = %s" % (", ".join(names), m[0])] + overlap_checks(schemas, s, s.outs)
    if not s_returns(s):
        return definition(s, lines + made)
    return definition(s, lines + ["return " + (made[0] if len(made) == 1 else "(%s)" % ", ".join(made))])


def in_place(schemas, s):
    if not writes_self(s) or s.outs or not s_returns(s) or s.args[0].type != "Tensor":
        return None
    base = s.base()[:-1] if s.is_inplace() else base_alias(s.base())
    f, m = best(schemas, s, base, lambda f: not writes_self(f) and not f.outs and s_returns(f) == ["Tensor"])
    checks = overlap_checks(schemas, s, s.args[:1])
    return f and definition(s, checks + ["return %sreplace(%s, %s)" % (HELPERS, s.args[0].variable(), m[0])])


def functional(schemas, s):
    if writes_self(s) or s.outs or not s.args or s_returns(s) != ["Tensor"]:
        return None
    f, m = best(schemas, s, s.base() + "_", lambda f: writes_self(f) and not f.outs)
    if not f:
        return None
    first = s.args[0].variable()
    return definition(s, ["return " + m[0].replace("(" + first, "(torch.clone(%s)" % first, 1)])


def copy(schemas, s):
    if not s.base().endswith("_copy") or s.outs:
        return None
    f, m = best(schemas, s, s.base()[:-5], lambda f: not f.outs)
    if not f:
        return None
    return definition(s, ["return " + ("[torch.clone(t) for t in %s]" if "[]" in s.returns else "torch.clone(%s)") % m[0]])


def each(schemas, s):
    if not s.base().startswith("aten::_foreach_") or s.outs:
        return None
    bases = [base_alias(s.base()) or "aten::" + s.base()[len("aten::_foreach_"):]]
    if writes_self(s):
        bases.append(bases[0][:-1])
    one = next((f for base in bases for f in schemas.overloads(base) if not f.outs and schemas.can_run(f)), None)
    if not one:
        return None
    lists = [a for a in s.plain[1:] if a.type.startswith("List[")]
    items = [(b.name + "=" if b.keyword else "") + a.variable() + "[i]" * (a.type.startswith("List[")) for a, b in zip(s.plain, one.plain)]
    call = "%s(%s)" % (callee(one.base()), ", ".join(items))
    if writes_self(s) and not writes_self(one):
        call = HELPERS + "replace(self[i], %s)" % call
    lines = [HELPERS + "check_lengths(len(self), len(%s))" % a.variable() for a in lists]
    if writes_self(s):
        return definition(s, lines + ["for i in range(len(self)):", "  _0 = " + call])
    return definition(s, lines + ["return [%s for i in range(len(self))]" % call])


# ---- The list ----

def c_string(text):
    return '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def main():
    folder, kernel_folder, to = sys.argv[1:4]
    sys.path.insert(0, folder)
    sys.dont_write_bytecode = True
    import gen_operators as g
    texts = [open(path, encoding="utf-8").read() for path in sys.argv[4:]]
    functions = {name for text in texts for name in re.findall(r"^def ((?:aten|prim|quantized)_\w+)\(", text, re.M)}
    operators = [o for o in g.read_operators(os.path.join(folder, "operators.txt")) if o.name.startswith(("aten::", "quantized::", "_quantized::"))]
    rows = g.traits.read_rows(os.path.join(folder, "traits.txt"))
    schemas = Schemas(g, operators, g.find_kernels(kernel_folder), functions, rows)
    made = sorted((o.symbol(), schemas.derive(o)) for o in operators if not schemas.has_code(o) and schemas.derive(o))
    if to == "--print":
        print("\n".join(text for _, text in made), end="")
        return
    with open(to, "w") as f:
        f.write('/* Made by exporter/library/gen_derived.py. */\n#include "exporter/library/library.h"\n\n')
        f.write("const library_file derived_functions[] = {\n")
        for name, text in made:
            f.write("    {%s, %s, false},\n" % (c_string("torch.derived." + name), c_string(text)))
        f.write("};\nconst size_t derived_function_count = %d;\n" % len(made))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Makes the runtime's operator table.

  gen_operators.py OPERATORS.txt KERNEL_FOLDER OUT.c [CHOSEN.txt]
  gen_operators.py --kernel-names OPERATORS.txt KERNEL_FOLDER OUT.c

Reads the operator list (and operators_tsm.txt beside it: tsmobile's own operators), finds the kernels that exist
(lines that begin with TSM_KERNEL(name), TSM_KERNEL_LIGHT(name) or TSM_KERNEL_ALIAS(operator, kernel) in the kernel
folder), and writes one row for every operator that can run. In-place and out= operators without a kernel of their own
get their functional operator's kernel. CHOSEN.txt (what `tsmc --dump ops` prints: one operator a line, its name the
last word) leaves out all other operators; a program that links such a table before libtsmobile has no kernels but
those. --kernel-names lists the kernels' names in the order of the table, for tsmc --emit-c."""
import glob
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "exporter/schema"))
import traits  # noqa: E402


def split_top(text):
    """Splits at commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        if c in "([":
            depth += 1
        elif c in ")]":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    last = text[start:].strip()
    return parts + [last] if last else parts


class Operator:
    """One schema: `name` "aten::add.Tensor", arguments as (type, name, keyword-only, written to)."""

    def __init__(self, schema):
        self.schema = schema
        at = schema.index("(")
        self.name = schema[:at]
        depth = 0
        for end in range(at, len(schema)):
            depth += {"(": 1, ")": -1}.get(schema[end], 0)
            if depth == 0:
                break
        arguments, returns = schema[at + 1:end], schema[end + 1:].strip()[2:].strip()
        self.variable_inputs = "..." in arguments
        self.variable_outputs = returns == "..."
        self.arguments, keyword = [], False
        for a in split_top(arguments):
            if a == "*":
                keyword = True
            elif a != "...":
                kind, _, rest = a.rpartition(" ") if "=" not in a else self.with_default(a)
                self.arguments.append((kind, rest, keyword, "!" in kind))
        self.returns = returns
        inner = returns[1:-1] if returns.startswith("(") and returns.endswith(")") else returns
        self.outputs = len(split_top(inner)) if not self.variable_outputs else 255

    @staticmethod
    def with_default(a):
        head = a[:a.index("=")]
        kind, sep, name = head.rpartition(" ")
        return kind, sep, name

    def symbol(self):
        return re.sub(r"::|\.", "_", self.name)

    def base(self):
        return self.name.partition(".")[0]

    def overload(self):
        return self.name.partition(".")[2]

    def out_arguments(self):
        return [a for a in self.arguments if a[2] and a[3]]

    def gives_tensor(self):
        return re.sub(r"\([a-z*|! >-]*\)", "", self.returns) == "Tensor"

    def destination(self, is_out):
        """Whether the in-place or out= operator writes to one tensor, where the runtime looks for it, and gives one."""
        at = self.arguments[-1 if is_out else 0][0]
        return bool(re.fullmatch(r"Tensor\(\w!\)", at)) and bool(re.fullmatch(r"Tensor\(\w!\)", self.returns))

    def is_inplace(self):
        base = self.base()
        return base.endswith("_") and not base.endswith("__") and bool(self.arguments) and self.arguments[0][3]

    def key(self):
        """Argument types without aliasing marks and without destinations."""
        return [re.sub(r"\([a-z*|! >-]*\)", "", k) for k, _, kw, w in self.arguments if not (kw and w)]

    def written(self):
        """Bit i: argument i is changed by the operator."""
        return sum(1 << i for i, a in enumerate(self.arguments) if a[3])

    def changed(self):
        """Those and generators, which whoever draws from them changes."""
        return self.written() | sum(1 << i for i, a in enumerate(self.arguments) if a[0] in ("Generator", "Generator?"))

    def accepted_types(self):
        """For each argument the tags that its value may have, a C expression; 0 ends the list."""
        return ", ".join([accepted_types(k) for k, _, _, _ in self.arguments] + ["0"])


# Types of arguments and the tags of their values (exec.h, TSM_ACCEPTS).
TAGS = {"Tensor": "TENSOR", "int": "INT", "float": "FLOAT INT", "Scalar": "INT FLOAT BOOL COMPLEX", "number": "INT FLOAT BOOL COMPLEX",
        "bool": "BOOL", "str": "STR", "complex": "COMPLEX", "Device": "DEVICE", "Generator": "TENSOR", "ScalarType": "INT",
        "Layout": "INT", "MemoryFormat": "INT", "SymInt": "INT", "AnyEnumType": "ENUM", "Dimname": "STR", "QScheme": "INT",
        "Any": None, "AnyClassType": None, "Storage": None, "Stream": None}

# Lists whose items the runtime checks too, and the tags of the items.
ITEM_TAGS = {"int": "INT", "SymInt": "INT", "float": "FLOAT", "bool": "BOOL", "str": "STR", "Dimname": "STR", "Tensor": "TENSOR",
             "Tensor?": "TENSOR NONE", "Scalar": "INT FLOAT BOOL COMPLEX", "number": "INT FLOAT BOOL COMPLEX", "complex": "COMPLEX"}


def accepted_types(kind):
    kind = re.sub(r"\((?:[a-z]!?|[a-z*]+ ?-> ?[a-z*|]+|[a-z]\|[a-z]|\*)\)", "", kind).strip()
    optional = kind.endswith("?")
    if optional:
        kind = kind[:-1]
    items = "TSM_ACCEPTS_ALL_ITEMS"
    if kind.endswith("]"):
        tags, of = "LIST", ITEM_TAGS.get(kind[:kind.rindex("[")])
        if of:
            items = " | ".join("TSM_ACCEPTS_ITEM(%s)" % t for t in of.split())
    elif kind.startswith("Dict("):
        tags = "DICT"
    elif kind.startswith("("):
        tags = "TUPLE"
    elif kind.startswith("__torch__"):
        tags = "OBJECT"
    elif kind.startswith("Future") or len(kind) <= 2 or kind.startswith("t"):
        tags = None
    elif kind in TAGS:
        tags = TAGS[kind]
    else:
        sys.exit("gen_operators.py: unknown argument type %r" % kind)
    if tags is None:
        return "TSM_ACCEPTS_ALL"
    return " | ".join(["TSM_ACCEPTS(%s)" % t for t in tags.split() + ["NONE"] * optional] + [items])


def read_operators(path):
    operators = []
    for p in (path, os.path.join(os.path.dirname(path), "operators_tsm.txt")):
        if os.path.exists(p):
            operators += [Operator(l.strip()) for l in open(p) if l.strip() and not l.startswith("#")]
    return operators


def find_kernels(folder):
    """Operator symbol -> kernel symbol."""
    kernels, aliases = {}, {}
    for path in sorted(glob.glob(os.path.join(folder, "**", "*.c"), recursive=True)):
        text = open(path).read()
        for m in re.finditer(r"^TSM_KERNEL(?:_LIGHT)?\((\w+)\)", text, re.M):
            if m.group(1) in kernels:
                sys.exit("gen_operators.py: kernel %s is defined twice" % m.group(1))
            kernels[m.group(1)] = m.group(1)
        for m in re.finditer(r"^TSM_KERNEL_ALIAS\(\s*(\w+),\s*(\w+)\)", text, re.M):
            aliases[m.group(1)] = m.group(2)
    for op, kernel in aliases.items():
        if kernel not in kernels:
            sys.exit("gen_operators.py: %s is an alias of %s, which has no kernel" % (op, kernel))
        if op in kernels:
            sys.exit("gen_operators.py: %s has a kernel and an alias" % op)
    kernels.update(aliases)
    return kernels


def find_light_kernels(folder):
    found = set()
    for path in glob.glob(os.path.join(folder, "**", "*.c"), recursive=True):
        with open(path) as f:
            found.update(re.findall(r"^TSM_KERNEL_LIGHT\((\w+)\)", f.read(), re.M))
    return found


def find_second_kernels(folder, kind):
    """Symbols of the operators that have a TSM_REGISTER_KERNEL or TSM_SHORT_KERNEL."""
    found = set()
    for path in glob.glob(os.path.join(folder, "**", "*.c"), recursive=True):
        with open(path) as f:
            found.update(re.findall(r"^%s\((\w+)\)" % kind, f.read(), re.M))
    return found


def functional_of(op, by_base):
    """The operator that computes what an in-place or out= operator stores, or None."""
    if op.is_inplace() and op.destination(False):
        for f in by_base.get(op.base()[:-1], []):
            if f.overload() == op.overload() and f.key() == op.key() and f.gives_tensor():
                return f, "TSM_OP_INPLACE"
    if len(op.out_arguments()) == 1 and op.destination(True):
        for f in by_base.get(op.base(), []):
            if not f.out_arguments() and f.key() == op.key() and f.gives_tensor():
                return f, "TSM_OP_OUT"
    return None


def name_variable(operator):
    """The variable that holds the operator's name: the linker drops it with the table, as it does not drop string
    literals of one source file."""
    return "name_of_" + re.sub(r"::|\.", "_", operator)


def check_register_kernel(operator):
    """Such a kernel takes one or two numbers and gives one, all in registers."""
    kinds = [a[0] for a in operator.arguments] + [operator.returns]
    if len(kinds) not in (2, 3) or not set(kinds) <= {"int", "float", "bool"}:
        sys.exit("gen_operators.py: %s has a TSM_REGISTER_KERNEL, but is not on one or two numbers" % operator.name)


def check_short_kernel(operator, refused):
    """Such a kernel is called without the checks of others, and its way has room for few inputs."""
    if len(operator.arguments) > SHORT_INPUTS or operator.variable_inputs or operator.outputs != 1 or operator.changed() or refused:
        sys.exit("gen_operators.py: %s has a TSM_SHORT_KERNEL, but more than %d inputs, another number of results than one, an input "
                 "that it changes, or tensors that it refuses" % (operator.name, SHORT_INPUTS))


# TSM_SHORT_INPUTS of runtime/value/exec.h.
SHORT_INPUTS = 4

# Arguments whose places --emit-c wants to know (embed_finished of exporter/embed/kernel_names.h).
FINISHED = ("activation", "residual", "groups", "weight", "stride", "dilation")


def find_text_kernels(folder):
    """The kernels of files that make texts of values, whatever values these are."""
    found = set()
    for path in glob.glob(os.path.join(folder, "**", "*.c"), recursive=True):
        with open(path) as f:
            text = f.read()
        if "tsm_text_add_value(" in text:
            found.update(re.findall(r"^TSM_KERNEL(?:_LIGHT)?\((\w+)\)", text, re.M))
    return found


def write_kernel_names(to, rows, operators, texts):
    with open(to, "w") as f:
        f.write("/* Made by schema/gen_operators.py: the kernels of the operator table, in its order. */\n")
        f.write('#include "exporter/embed/kernel_names.h"\n\n')
        f.write("const char *const embed_kernel_names[] = {\n")
        f.writelines('    "%s",\n' % re.search(r"\btsm_k_\w+", row).group() for _, row in rows)
        f.write("};\n\nconst char *const embed_second_kernels[] = {\n")
        for _, row in rows:
            found = re.search(r"\btsm_[rv]_\w+", row)
            f.write("    %s,\n" % ('"%s"' % found.group() if found else "0"))
        f.write("};\n\nconst embed_finished embed_finished_operators[] = {\n")
        for o in operators:
            names = [a[1] for a in o.arguments]
            if "activation" in names:
                at = [names.index(n) if n in names else -1 for n in FINISHED]
                f.write('    {"%s", %s},\n' % (o.name, ", ".join(map(str, at))))
        f.write("    {0%s},\n};\n" % (", 0" * len(FINISHED)))
        f.write("\nconst char *const embed_text_operators[] = {\n")
        f.writelines('    "%s",\n' % name for name, row in rows if re.search(r"\btsm_k_(\w+)", row)[1] in texts)
        f.write("    0,\n};\n")


def main():
    names_only = sys.argv[1] == "--kernel-names"
    if names_only:
        del sys.argv[1]
    path, folder, to = sys.argv[1:4]
    chosen = {l.split()[-1] for l in open(sys.argv[4]) if l.strip()} if len(sys.argv) > 4 else None
    operators = read_operators(path)
    kernels, light = find_kernels(folder), find_light_kernels(folder)
    register_kernels, short_kernels = [find_second_kernels(folder, k) for k in ("TSM_REGISTER_KERNEL", "TSM_SHORT_KERNEL")]
    known = {o.symbol() for o in operators}
    for k in register_kernels.union(short_kernels, kernels):
        if k not in known:
            sys.exit("gen_operators.py: no operator is called %s" % k)
    by_base = {}
    for o in operators:
        by_base.setdefault(o.base(), []).append(o)
    words = traits.read_rows(os.path.join(os.path.dirname(path), "traits.txt"))
    rows, used, shared = [], set(), {}
    for o in operators:
        kind, kernel = "TSM_OP_FUNCTIONAL", kernels.get(o.symbol())
        if kernel is None:
            f = functional_of(o, by_base)
            if not f or f[0].symbol() not in kernels:
                continue
            kernel, kind = kernels[f[0].symbol()], f[1]
        if chosen is not None and o.name not in chosen:
            continue
        if any(re.search(r"Tensor\??\(\w!\)\[", k) for k, _, _, _ in o.arguments):
            sys.exit("%s writes to the tensors of a list, which check_written (operate.c) does not look at" % o.name)
        used.add(kernel)
        inputs = 255 if o.variable_inputs else len(o.arguments)
        accepted_name = shared.setdefault(o.accepted_types(), "accepted_%d" % len(shared))
        result_tag, second = "0", "{NULL}"
        if o.symbol() in register_kernels:
            check_register_kernel(o)
            result_tag, second = "TSM_TAG_" + o.returns.upper(), "{TSM_ON_REGISTERS(tsm_r_%s)}" % o.symbol()
        if o.symbol() in short_kernels:
            check_short_kernel(o, traits.refused_kinds(words, o))
            second = "{.on_values = TSM_ON_REGISTERS(tsm_v_%s)}" % o.symbol()
        rows.append((o.name, '    {%s, tsm_k_%s, %s, %d, %d, %d, TSM_OVERLAP_%s, %d, %d, %s, %s, %#x, %s},' %
                     (name_variable(o.name), kernel, kind, inputs, o.outputs, kernel in light, traits.overlap_rule(words, o).upper(),
                      traits.wants_same_dtype(words, o), traits.refused_kinds(words, o), result_tag, accepted_name, o.changed(), second)))
    rows.sort(key=lambda r: r[0].encode())
    if names_only:
        write_kernel_names(to, rows, operators, find_text_kernels(folder))
        return
    with open(to, "w") as f:
        f.write("/* Made by schema/gen_operators.py from schema/operators.txt and the kernels in runtime/kernels/. Sorted by name. */\n")
        f.write('#include "runtime/operators/operator_table.h"\n\n')
        for k in sorted(used):
            f.write("tsm_status tsm_k_%s(tsm_exec *x, const tsm_value *const *in, tsm_value *out);\n" % k)
        for _, row in rows:
            for name in re.findall(r"tsm_r_\w+", row):
                f.write("bool %s(const tsm_scalar *in, tsm_scalar *out);\n" % name)
            for name in re.findall(r"tsm_v_\w+", row):
                f.write("bool %s(tsm_exec *x, const tsm_value *in, tsm_value *out);\n" % name)
        f.write("\n")
        for name, _ in rows:
            f.write('static const char %s[] = "%s";\n' % (name_variable(name), name))
        for masks, name in shared.items():
            f.write("static const uint32_t %s[] = {%s};\n" % (name, masks))
        f.write("\nconst tsm_operator tsm_operator_table[] = {\n%s\n    {0},\n};\n" % "\n".join(r[1] for r in rows))
        f.write("const size_t tsm_operator_count = %d;\n" % len(rows))


if __name__ == "__main__":
    main()

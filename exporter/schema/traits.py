"""Reads schema/traits.txt: what passes ask about operators. (gen_operator_list.py builds it into the exporter;
tests/traits holds it against what the operators do.)"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
STEP, EXACT, OVERLAP, SINCE = "step=", "out=exact", "overlap=", "since="
# Both say that the operator takes no quantized tensors.
NOT_QUANTIZED, ASKED = "quantized=no", "quantized=asked"
# What a row of a name says of results does not hold for overloads that write to an argument.
OF_NEW_RESULTS = ("strides=", STEP)
# In the order of TSM_KIND_... of runtime/value/exec.h.
REFUSED_KINDS = ["bool=no", "ints=no", "complex=no", NOT_QUANTIZED, "promotes", "half=no", "mixed=no"]


def read_definitions():
    """(word -> (name, test) of the traits, word -> name of the forms), in the order of traits.def."""
    with open(os.path.join(HERE, os.pardir, "ir", "traits.def")) as f:
        text = f.read()
    traits = {m[1]: (m[0], m[2]) for m in re.findall(r'^TRAIT\((\w+), "([\w=]+)", (\w+)\)', text, re.M)}
    forms = {m[1]: m[0] for m in re.findall(r'^FORM\((\w+), "(\w+)"\)', text, re.M)}
    return traits, forms


def read_rows(path):
    """Operator, with or without its overload -> its words; stops at a row that is not as it should be."""
    traits, forms = read_definitions()
    rows = {}
    with open(path) as f:
        for number, line in enumerate(f, 1):
            words = line.split("#")[0].split()
            if not words:
                continue
            for w in words[1:]:
                step = w.startswith(STEP) and len(w) > len(STEP) + 2 and w[len(STEP) + 1] == ":"
                since = re.fullmatch(SINCE + r"\d+\.\d+", w)
                if w not in traits and not since and not (step and w[len(STEP) + 2:] in forms):
                    sys.exit("%s:%d: no trait is called %s" % (path, number, w))
            if words[0] in rows:
                sys.exit("%s:%d: %s has a row already" % (path, number, words[0]))
            rows[words[0]] = words[1:]
    return rows


def traits_of(rows, operator):
    """The words of one operator (of gen_operators.py): of its own row, or of that of its name."""
    own = rows.get(operator.name)
    if own is not None and operator.overload():
        return own
    return [w for w in rows.get(operator.base(), []) if not (operator.written() and w.startswith(OF_NEW_RESULTS))]


def words_of_rule(rows, operator):
    """As traits_of, and of an operator in place without a row those of the functional one."""
    has_row = operator.name in rows or operator.base() in rows
    return traits_of(rows, operator) if has_row or not operator.is_inplace() else rows.get(operator.base()[:-1], [])


def overlap_rule(rows, operator):
    """What the destination of the operator may share with arguments: "any", "all" (of an argument, or nothing), "none".
    An operator in place without a row has the rule of the functional one."""
    destinations = operator.out_arguments() or operator.arguments[:1]
    if not all(re.fullmatch(r"Tensor\(\w!\)", a[0]) for a in destinations):
        return "any"
    return next((w.partition("=")[2] for w in words_of_rule(rows, operator) if w.startswith(OVERLAP)), "any")


def with_rule(rows, operator):
    """The words of the operator, of which the overlap's is that of its destinations."""
    words, rule = [w for w in traits_of(rows, operator) if not w.startswith(OVERLAP)], overlap_rule(rows, operator)
    return words + ([OVERLAP + rule] if rule != "any" else [])


def wants_same_dtype(rows, operator):
    """Whether the destinations of the operator must have the dtypes of its results."""
    return bool(operator.out_arguments()) and EXACT in traits_of(rows, operator)


def refused_kinds(rows, operator):
    """TSM_KIND_... of runtime/value/exec.h. Overloads that take no tensors take any value: aten::add.t adds lists of
    whatever it is."""
    takes_tensors = any(re.match(r"Tensor\b", a[0]) for a in operator.arguments)
    words = [NOT_QUANTIZED if w == ASKED else w for w in words_of_rule(rows, operator)] if takes_tensors else []
    return sum(1 << i for i, word in enumerate(REFUSED_KINDS) if word in words)


def checked_kinds(rows, operator):
    """What is asked before an operator that is made of others. That it takes no quantized tensors is not asked for its
    own sake where what it is made of does not take them either: those that have the other word are made of operators
    that do."""
    found = refused_kinds(rows, operator)
    is_asked = found != 1 << REFUSED_KINDS.index(NOT_QUANTIZED) or ASKED in words_of_rule(rows, operator)
    return found if is_asked else 0

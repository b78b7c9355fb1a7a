"""Calls in which one number, flag or list among the arguments is another (calls.py)."""
import ast
import re

import calls
import probes

INTS, FLOATS = [0, 1, -1, 2, 3, -2, 5, -5], ["0.0", "1.0", "-1.0", "0.5", "2.5", "1e+30", "float('inf')", "float('nan')"]
# Random operators draw other numbers; polynomials of degree 1e30 have no end; the rest is not of tensors.
LEFT_OUT = re.compile("rand|bernoulli|dropout|normal|poisson|multinomial|exponential|cauchy|geometric|empty|uniform|quantized|n_scalar|rrelu$|_test_")
REFUSAL = re.compile("(?!)")
COMPUTES_REFUSED = None


def is_called(text):
    return calls.has_tensors(text) and not any(t[0] in "qs" for t in probes.tensors_of(text))


def replacements(source, node):
    """(the node, a text for it)."""
    text = ast.get_source_segment(source, node)
    if re.fullmatch("True|False", text):
        yield node, str(text == "False")
    elif re.fullmatch(r"-?\d+", text):
        yield from ((node, str(i)) for i in INTS)
    elif re.fullmatch(r"-?\d+[\d.e+-]*", text):
        yield from ((node, f) for f in FLOATS)
    elif isinstance(node, ast.List):
        items = [ast.get_source_segment(source, e) for e in node.elts]
        if items and all(re.fullmatch(r"-?\d[\d.e+-]*", i) for i in items):
            yield from ((node, "[%s]" % ", ".join(other)) for other in (items + items[:1], items[:-1], items[::-1]) if other)
        for e in node.elts:
            yield from replacements(source, e)


def samples(name, text):
    """The calls that are made of the sample."""
    source, made = "f(%s)" % text, {}
    if LEFT_OUT.search(name):
        return []
    call = ast.parse(source, mode="eval").body
    for argument in call.args + [k.value for k in call.keywords]:
        for node, other in replacements(source, argument):
            made[source[2:node.col_offset] + other + source[node.end_col_offset:-1]] = None
    return [t for t in made if t != text]


def variants(text):
    return [{}]


def label(variant):
    return None


def tensor(name, _):
    return probes.tensor(name, 0)

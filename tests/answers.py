"""Comparing what a program answered with what was recorded, for the tests of this folder."""
import math
import re


def is_close(got, wanted, relative, absolute):
    if math.isnan(wanted):
        return math.isnan(got)
    return got == wanted or abs(got - wanted) <= absolute + relative * abs(wanted)


def is_number(x):
    return isinstance(x, (int, float)) and not isinstance(x, bool)


def differs(got, wanted, where, tolerance=1e-5, absolute=None):
    """What is different between two values in JSON, or None. A number that either writes with a point may be off by
    absolute + tolerance * |wanted|, absolute being the tolerance where it is not given; classes are compared without
    the modules that they are in."""
    absolute = tolerance if absolute is None else absolute
    if isinstance(wanted, dict) and isinstance(got, dict) and wanted.keys() == got.keys():
        return next(filter(None, (differs(got[k], wanted[k], "%s.%s" % (where, k), tolerance, absolute) for k in wanted)), None)
    if isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        for i, (g, w) in enumerate(zip(got, wanted)):
            # Most elements are floats that are close: decided here, without a call and a text for where it stands.
            if type(g) is type(w) is float and abs(g - w) <= absolute + tolerance * abs(w):
                continue
            difference = differs(g, w, "%s[%d]" % (where, i), tolerance, absolute)
            if difference:
                return difference
        return None
    if is_number(got) and is_number(wanted) and (isinstance(got, float) or isinstance(wanted, float)):
        same = is_close(got, wanted, tolerance, absolute)
    elif where.endswith(".class"):
        same = got.split(".")[-1] == wanted.split(".")[-1]
    else:
        same = got == wanted and type(got) == type(wanted)
    return None if same else "%s is %r, not %r" % (where, got, wanted)


def raised_by_an_operator(traceback):
    """Not by a statement of the program: the line that tsmrun's message points to has no raise, and no assert that
    failed. Optimized, as in PyTorch, such an operator is removed where nobody wants what it gives."""
    lines = traceback.rstrip().split("\n")
    marked = [lines[i - 1] for i, line in enumerate(lines) if "<--- HERE" in line and i]
    if not marked or re.search(r"\braise\b", marked[-1]):
        return False
    return not re.search(r"\bassert\b", marked[-1]) or "AssertionError" not in lines[-1]

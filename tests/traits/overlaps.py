"""Programs that call operators with destinations that overlap: themselves, an argument in part, an argument in whole.
record_overlaps.py runs them in PyTorch, test_overlaps.py with tsmc and tsmrun.

An arrangement is a text: "plain"; "self", whose elements all lie at one place; "part NAME", a destination that begins
one element before the argument NAME in one piece of memory; "same NAME", the argument itself; "alias NAME", a view of
all of it; "other", a destination of another dtype, to which results can be cast."""
import probes

OTHER = {"float32": "float64", "float64": "float32", "complex64": "complex128", "complex128": "complex64",
         "int64": "int32", "int32": "int64", "int16": "int64", "int8": "int64", "uint8": "int64", "bool": "uint8",
         "float16": "float32", "bfloat16": "float32"}
MESSAGES = {"more than one element of the written-to": "self", "some elements of the input tensor and the written-to": "input"}


def functional(operator, by_base):
    """The operator whose result goes to the destinations of this one; None: there is none."""
    if operator.is_inplace():
        wanted = operator.base()[:-1]
    elif operator.out_arguments():
        wanted = operator.base()
    else:
        return None
    found = [o for o in by_base.get(wanted, []) if not o.out_arguments() and o.key() == operator.key()]
    return next((o for o in found if o.overload() == operator.overload()), found[0] if found else None)


def sample_of(operator, by_base, samples):
    """A call of the operator, without its destinations; None: no sample is known."""
    other = functional(operator, by_base)
    texts = (samples.get(operator.name) or []) + (samples.get(other.name) or [] if other else [])
    if operator.is_inplace():
        texts = [t for t in texts if probes.first_argument(operator, t)]
    # One in which tensors have several elements, so that there is something to overlap.
    return max(texts, key=lambda t: (max([len(n) for n in probes.tensors_of(t)], default=0), t)) if texts else None


def verdict(error, arrangement):
    """What an error says: "self", "input", or "other"; of a destination of another dtype: "dtype"."""
    return "dtype" if arrangement == "other" else next((v for text, v in MESSAGES.items() if text in error), "other")


def arrangements(operator, text, destination):
    """Those that make sense for a destination, (its name, dtype, sizes)."""
    name, dtype, sizes = destination
    others = text[len(probes.first_argument(operator, text)):] if operator.is_inplace() else text
    count = 1
    for s in sizes:
        count *= s
    made = ["other"] if dtype in OTHER and not operator.is_inplace() else []
    made += ["self"] if count > 1 else []
    for n in [] if "torch.ops" in text else probes.tensors_of(others):
        given = probes.tensor(n, 0)["tensor"]
        if n[0] in "qs" or given["dtype"] != dtype or not count or not given["data"] or max(count, len(given["data"])) < 2:
            continue
        made.append("part " + n)
        if given["shape"] == sizes:
            made += ["same " + n, "alias " + n]
    return made


def body(operator, text, destinations, at, arrangement, call):
    """The lines that call the operator with destination `at` arranged so; they leave it in `made`."""
    kind, _, of = arrangement.partition(" ")
    name, dtype, sizes = destinations[at]
    count = 1
    for s in sizes:
        count *= s
    lines = ["%s = torch.ops.aten.clone(%s)" % (n, n) for n in probes.tensors_of(text)]
    if kind == "plain":
        lines.append("made = torch.zeros(%s, dtype=torch.%s)" % (sizes, dtype) if not operator.is_inplace() else "made = " + name)
    elif kind == "other":
        lines.append("made = torch.zeros(%s, dtype=torch.%s)" % (sizes, OTHER[dtype]))
    elif kind == "self":
        lines.append("made = torch.zeros([], dtype=torch.%s).expand(%s)" % (dtype, sizes))
    elif kind == "part":
        given = probes.tensor(of, 0)["tensor"]
        begin = 0 if count > 1 else 1
        lines += ["memory = torch.zeros([%d], dtype=torch.%s)" % (1 + max(count, len(given["data"])), dtype),
                  "memory[1:%d].view(%s).copy_(%s)" % (1 + len(given["data"]), given["shape"], of),
                  "%s = memory[1:%d].view(%s)" % (of, 1 + len(given["data"]), given["shape"]),
                  "made = memory[%d:%d].view(%s)" % (begin, begin + count, sizes)]
    else:
        lines.append("made = " + (of if kind == "same" else "%s.view(%s)" % (of, given_sizes(of))))
    if operator.is_inplace():
        rest = text[len(probes.first_argument(operator, text)):]
        return lines + ["%s(made%s)" % (call, rest)]
    outs = ["%s=%s" % (n, "made" if i == at else "torch.zeros(%s, dtype=torch.%s)" % (s, d)) for i, (n, d, s) in enumerate(destinations)]
    return lines + ["%s(%s)" % (call, ", ".join([text] * bool(text) + outs))]


def given_sizes(name):
    return probes.tensor(name, 0)["tensor"]["shape"]


def program(number, operator, text, destinations, chosen, call=None):
    """A function that runs one of the chosen (destination, arrangement) and gives that destination."""
    call = call or "torch.ops.%s" % operator.base().replace("::", ".")
    names = probes.tensors_of(text)
    lines = ["def probe%d(how: int%s) -> torch.Tensor:" % (number, "".join(", %s: torch.Tensor" % n for n in names)),
             "    made = torch.zeros([])"]
    for i, (at, arrangement) in enumerate(chosen):
        lines += ["    if how == %d:" % i] + ["        " + l for l in body(operator, text, destinations, at, arrangement, call)]
    return "\n".join(lines + ["    return made", ""])


def cases(operator, text, destinations):
    """All (destination, arrangement), "plain" first."""
    return [(0, "plain")] + [(at, a) for at, d in enumerate(destinations) for a in arrangements(operator, text, d)]

#!/usr/bin/python3
"""Writes calls.txt, calls of operators that change arguments or hand them on, with PyTorch 1.13.1: make_calls.py

A line is FLAGS RESULTS CALL. Tensors have names as in tests/traits/samples.txt (f23: a float32 of sizes [2, 3]), with
"!" behind those that are written to. RESULTS are the kinds of the results, as these names, "[f3]" a list of such; "-":
none that a program can go on with. Flags:
  s  what is read may be the tensor that is written to
  n  numbers that are not exact: they are rounded behind the call
  c  results lie as new tensors do; without it nothing but their elements is used"""
import os
import random
import re
import sys
import warnings

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
TRAITS = os.path.join(HERE, "..", "traits")
sys.path.insert(0, TRAITS)
import probes  # noqa: E402
from operators import implemented, read_rows, read_samples  # noqa: E402

LETTERS = {"float32": "f", "float64": "d", "int64": "i", "bool": "b", "uint8": "u"}
MEMORY = {"returns_input", "stores_items", "running_stats", "writes_noise", "writes_no_elements", "resizes"}
# What depends on chance, on memory that was never written, on gradients, has no form in a program, or makes PyTorch
# write past the end of memory (losses resize their outputs for a while).
REFUSED = re.compile(r"::(_.*|adaptive_max_pool3d|unique.*|special_.*polynomial.*|.*loss.*|binary_cross_entropy.*|inverse|matrix_power|.*empty.*|.*rand.*|bernoulli.*|uniform_|normal_?|exponential_|cauchy_|geometric_|log_normal_|.*dropout.*|rrelu.*|multinomial|"
                     r"requires_grad_|retain_grad|set_data|data|detach_|poisson|resize.*|set_|record_stream|rename.*|align.*|refine_names|"
                     r".*backward.*|linalg_.*|qr|svd|symeig|eig|lstsq|.*lu.*|geqrf|ormqr|orgqr|.*cholesky.*|triangular_solve|is_.*|fft_.*|stft|istft|"
                     r".*quantize.*|q_.*|fake_.*|dequantize|normal_functional|polygamma|pinverse|sspaddmm|hspmm|unflatten_dense.*|flatten_dense.*)$")


def dyadic(name):
    """A tensor of small multiples of 1/8, or small whole numbers."""
    sizes = [int(c) for c in name[1:] if c != "0"]
    r = random.Random(name)
    n = 1
    for s in sizes:
        n *= s
    if name[0] in "fd":
        values = [r.randrange(-16, 17) / 8 for _ in range(n)]
    elif name[0] == "b":
        values = [bool(r.randrange(2)) for _ in range(n)]
    else:
        values = [r.randrange(3) for _ in range(n)]
    dtype = {v: k for k, v in LETTERS.items()}[name[0]]
    return torch.tensor(values, dtype=getattr(torch, dtype)).reshape(sizes)


def kind_of(t):
    if t.layout != torch.strided or str(t.dtype)[6:] not in LETTERS or any(s > 9 or s == 0 for s in t.shape) or t.dim() > 4:
        return None
    return LETTERS[str(t.dtype)[6:]] + ("".join(map(str, t.shape)) or "0")


def flat(result):
    if isinstance(result, torch.Tensor):
        return [result]
    if isinstance(result, (list, tuple)) and result and all(isinstance(t, torch.Tensor) for t in result):
        return list(result)
    return None


def run(call, same=False):
    names = []

    def take(m):
        names.append(m.group())
        return "t%d" % (len(names) - 1)
    text = probes.TENSOR.sub(take, call)
    scope = {"torch": torch}
    for i, n in enumerate(names):
        scope["t%d" % i] = scope["t0"] if same and i and n == names[0] else dyadic(n)
    result = eval(text, scope)
    return names, [scope["t%d" % i] for i in range(len(names))], result


def compiles(call):
    """Whether TorchScript has a form for it."""
    names = sorted(set(probes.TENSOR.findall(call)))
    try:
        torch.jit.CompilationUnit("def f(%s):\n    return %s\n" % (", ".join(names), call))
    except RuntimeError:
        return False
    return True


def is_exact(t):
    if t.dtype not in (torch.float32, torch.float64):
        return True
    return bool(torch.isfinite(t).all() and (t.abs() <= 64).all() and (t * 64 == (t * 64).round()).all())


def lies_plainly(t):
    return t.is_contiguous() and (t.numel() < 2 or t.storage_offset() % t.numel() == 0)


def describe(operator, call):
    """The line, or None where PyTorch refuses the call."""
    try:
        names, given, result = run(call)
        again = run(call)
    except Exception:
        return None
    if "implicit=True" in call or not names or any(n[0] not in "fdibu" for n in names) or not compiles(call):
        return None
    tensors = flat(result)
    if result is not None and tensors is None:
        return None
    others = flat(again[2]) or []
    if any(a.shape != b.shape or not torch.equal(a.nan_to_num() if a.is_floating_point() else a, b.nan_to_num() if b.is_floating_point() else b)
           for a, b in zip((tensors or []) + given, others + again[1])):
        return None
    kinds = [kind_of(t) for t in tensors or []]
    written = written_positions(operator, call, names, given)
    if any(g.shape != dyadic(n).shape for g, n in zip(given, names)):
        return None
    flags = "s" if written == {0} and not is_output(call) and names.count(names[0]) > 1 and may_be_same(call, names) else ""
    flags += "" if all(map(is_exact, (tensors or []) + given)) else "n"
    flags += "c" if all(map(lies_plainly, tensors or [])) else ""
    shown = ",".join(kinds) if kinds and None not in kinds else "-"
    if isinstance(result, list):
        shown = "[%s]" % kinds[0] if len(set(kinds)) == 1 and None not in kinds else "-"
    position = iter(range(len(names)))
    return "%s %s %s" % (flags or ".", shown, probes.TENSOR.sub(lambda m: m.group() + "!" * (next(position) in written), call))


def is_output(call):
    return re.search(r", \w+=[a-z]\d+", call) is not None


def written_positions(operator, call, names, given):
    """Which of the tensors are written to, by the schema or as seen."""
    found = {i for i, (n, g) in enumerate(zip(names, given)) if not torch.equal(g.nan_to_num(), dyadic(n).nan_to_num())}
    if operator.base().endswith("_"):
        found.add(0)
    outputs = [a[1] for a in operator.arguments if a[3] and a[2]]
    for i, m in enumerate(probes.TENSOR.finditer(call)):
        if any(call[:m.start()].endswith(", %s=" % o) for o in outputs):
            found.add(i)
    return found


def may_be_same(call, names):
    """Whether it computes the same when what is read is the tensor that is written to."""
    try:
        same = run(call, same=True)[1][0]
        values = [dyadic(n) for n in names]
        position = iter(range(len(names)))
        eval(probes.TENSOR.sub(lambda m: "t[%d]" % next(position), call), {"torch": torch, "t": values})
        return torch.equal(same.nan_to_num(), values[0].nan_to_num())
    except Exception:
        return False


def written_in_place(operator, samples):
    """The arguments of an operator in place are those of the functional one."""
    name, dot, overload = operator.name.partition(".")
    return samples.get(name[:-1] + dot + overload, []) or samples.get(name[:-1], [])


def outputs_of(operator, samples):
    """Samples of the functional operator, with outputs of the right kinds."""
    outs = [a for a in operator.arguments if "!" in a[0]]
    made = []
    base = operator.base()
    for name, texts in samples.items():
        if name.partition(".")[0] != base:
            continue
        for text in texts:
            try:
                result = flat(run("torch.ops.%s(%s)" % (base.replace("::", "."), text))[2])
            except Exception:
                continue
            kinds = [kind_of(t) for t in result or []]
            if len(kinds) == len(outs) and None not in kinds:
                made.append(text + "".join(", %s=%s" % (a[1], k) for a, k in zip(outs, kinds)))
    return made


def main():
    warnings.simplefilter("ignore")
    rows, samples = read_rows(), read_samples()
    operators = implemented()
    lines, missed = {}, []
    for o in operators:
        base = o.base()
        words = set(rows.get(o.name, rows.get(base, ())))
        marked = re.search(r"\([a-z*][a-z*|!]*\)", o.schema.partition("(")[2])
        if not (marked or words & MEMORY) or REFUSED.search(base) or not base.startswith("aten::"):
            continue
        texts = samples.get(o.name, [])
        is_out = any("!" in a[0] and a[2] for a in o.arguments)
        if not texts and is_out:
            texts = outputs_of(o, samples)
        elif not texts and base.endswith("_"):
            texts = written_in_place(o, samples)
        found = []
        for text in texts:
            line = describe(o, "torch.ops.%s(%s)" % (base.replace("::", "."), text))
            if line:
                found.append(line)
        if found:
            lines.update((f, True) for f in found[:3])
        else:
            missed.append(o.name)
    with open(os.path.join(HERE, "calls.txt"), "w") as f:
        f.write("# made by: make_calls.py, which says what the columns are\n")
        f.writelines(line + "\n" for line in lines)
    print("%d calls; operators without one: %s" % (len(lines), " ".join(missed)))


if __name__ == "__main__":
    main()

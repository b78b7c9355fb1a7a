#!/usr/bin/python3
"""Records what PyTorch gives for the programs.

  record.py > expected.json                   PyTorch 1.13.1, programs*.py
  record.py torch2 > expected_torch2.json     PyTorch 2.6, torch2*.py: operators that came later
  record.py types2 > expected_types2.json     PyTorch 2.6, types2*.py: types that came later

Besides PROGRAMS a file may have FAILURES, functions that raise, and REFUSED, functions that cannot be compiled: each
with a part of the text; and FAULTS, functions that raise in each of several cases, a third argument that counts from 0:
with a part of PyTorch's text for each, or a pair of parts, of PyTorch's text and of tsmobile's."""
import importlib
import json
import pathlib
import sys

import torch
import torchaudio  # noqa: F401, registers its operators
import torchvision  # noqa: F401, likewise

HERE = pathlib.Path(__file__).parent
PREFIX = sys.argv[1] if len(sys.argv) > 1 else "programs"
MODULES = [importlib.import_module(f.stem) for f in sorted(HERE.glob(PREFIX + "*.py"))]


def plain(v):
    if isinstance(v, torch.Tensor):
        kind = str(v.dtype)[6:]
        data = v.resolve_conj().flatten().tolist()
        return {"tensor": {"dtype": kind, "shape": list(v.shape), "data": [[c.real, c.imag] for c in data] if v.is_complex() else data}}
    if isinstance(v, float):
        return {"float": v}
    if isinstance(v, complex):
        return {"complex": [v.real, v.imag]}
    if isinstance(v, tuple):
        return {"tuple": [plain(i) for i in v]}
    return [plain(i) for i in v] if isinstance(v, list) else v


def raises(f, x, t):
    try:
        torch.jit.script(f)(x, t)
    except Exception:
        return True
    return False


def faults(f, texts, x, t):
    """tsmobile's texts, after PyTorch said each of its in its case."""
    compiled = torch.jit.script(f)
    pairs = [text if isinstance(text, tuple) else (text, text) for text in texts]
    for case, (text, _) in enumerate(pairs):
        said = "nothing"
        try:
            compiled(x.clone(), t.clone(), case)
        except Exception as e:
            said = str(e)
        if text not in said:
            sys.exit("%s, case %d: PyTorch says %s" % (f.__name__, case, said))
    return [ours for _, ours in pairs]


def refusal(f):
    try:
        torch.jit.script(f)
    except Exception as e:
        return str(e)
    return ""


def main():
    torch.manual_seed(5)
    x, t = torch.randn(4, 6), torch.tensor([2, 0, 5, 1])
    expected, failures, refused, cases = {}, {}, {}, {}
    for m in MODULES:
        for f in getattr(m, "PROGRAMS", []):
            expected["%s.py:%s" % (m.__name__, f.__name__)] = plain(torch.jit.script(f)(x.clone(), t.clone()))
        for f, text in getattr(m, "FAILURES", {}).items():
            if not raises(f, x.clone(), t.clone()):
                sys.exit("%s does not raise" % f.__name__)
            failures["%s.py:%s" % (m.__name__, f.__name__)] = text
        for f, text in getattr(m, "REFUSED", {}).items():
            if text not in refusal(f):
                sys.exit("%s is not refused so: %s" % (f.__name__, refusal(f)))
            refused["%s.py:%s" % (m.__name__, f.__name__)] = text
        for f, texts in getattr(m, "FAULTS", {}).items():
            cases["%s.py:%s" % (m.__name__, f.__name__)] = faults(f, texts, x, t)
    # One line for each program, so that changes are seen.
    lines = ['"%s": {\n%s\n}' % (key, ",\n".join("%s: %s" % (json.dumps(n), json.dumps(v)) for n, v in values.items()))
             for key, values in [("expected", expected), ("failures", failures), ("refused", refused), ("faults", cases)]
             if values or key not in ("refused", "faults")]
    print('{"inputs": %s,\n%s}' % (json.dumps([plain(x), plain(t)]), ",\n".join(lines)))


if __name__ == "__main__":
    main()

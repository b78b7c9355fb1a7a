"""The operators that tsmobile implements, their traits, and the samples of samples.txt."""
import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
SCHEMA, KERNELS, LIBRARY = (os.path.join(ROOT, p) for p in ("schema", "runtime/kernels", "exporter/library"))
sys.dont_write_bytecode = True
sys.path[:0] = [SCHEMA, os.path.join(ROOT, "exporter/schema")]
import gen_operators  # noqa: E402
import traits  # noqa: E402


def library_functions():
    """The names of functions in the library that may stand for operators, those that gen_derived.py writes included."""
    files = sorted(glob.glob(os.path.join(LIBRARY, "torch.*.py")))
    derived = subprocess.run([sys.executable, os.path.join(LIBRARY, "gen_derived.py"), SCHEMA, KERNELS, "--print"] + files,
                             capture_output=True, text=True, check=True).stdout
    texts = [derived] + [open(f).read() for f in files if re.search(r"/torch\.(decompositions|ops)\b", f)]
    return set(re.findall(r"^def (\w+)", "\n".join(texts), re.M))


def implemented():
    """Every operator that a kernel or a function of the library implements, in the order of the list."""
    operators = gen_operators.read_operators(os.path.join(SCHEMA, "operators.txt"))
    can_run = set(gen_operators.find_kernels(KERNELS)) | library_functions()
    by_base = {}
    for o in operators:
        by_base.setdefault(o.base(), []).append(o)

    def is_implemented(o):
        functional = gen_operators.functional_of(o, by_base)
        return o.symbol() in can_run or bool(functional) and functional[0].symbol() in can_run

    return [o for o in operators if is_implemented(o)]


def read_rows():
    return traits.read_rows(os.path.join(SCHEMA, "traits.txt"))


def read_samples():
    """Operator with overload -> the texts of its arguments; none for an operator without calls."""
    samples = {}
    with open(os.path.join(HERE, "samples.txt")) as f:
        for line in f:
            if line.strip().endswith(" -") and not line.startswith("#"):
                samples[line.split()[0]] = []
            elif line.strip() and not line.startswith("#"):
                name, _, text = line.strip().partition("(")
                samples.setdefault(name, []).append(text[:-1])
    return samples

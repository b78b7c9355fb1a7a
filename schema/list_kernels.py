#!/usr/bin/env python3
"""list_kernels.py: prints the index of operators and kernels that stands in docs/operators.md.

First how the operators of PyTorch's list are implemented, then the kernels of each family: the file, its operators
with the overloads and operators that the kernels serve, and the words of schema/traits.txt."""
import glob
import os
import re
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(ROOT, "exporter/library"), os.path.join(ROOT, "exporter/schema")]
import gen_derived  # noqa: E402
import gen_operators  # noqa: E402
import traits  # noqa: E402

KERNELS = os.path.join(ROOT, "runtime/kernels")
NAMESPACES = ("aten", "quantized", "prim")


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def library_functions():
    texts = [read(path) for path in glob.glob(os.path.join(ROOT, "exporter/library/*.py"))]
    return {name for text in texts for name in re.findall(r"^def (\w+)\(", text, re.M)}


def ways(operators, kernels):
    """Namespace -> how many of its operators are implemented by each way."""
    schemas = gen_derived.Schemas(gen_operators, operators, kernels, library_functions(), traits.read_rows(os.path.join(HERE, "traits.txt")))
    counts = {}
    for o in operators:
        functional = gen_operators.functional_of(o, schemas.by_base)
        if o.symbol() in kernels:
            way = 0
        elif functional and functional[0].symbol() in kernels:
            way = 1
        elif o.symbol() in schemas.functions:
            way = 2
        elif o.name.startswith(("aten::", "quantized::", "_quantized::")) and schemas.derive(o):
            way = 3
        else:
            way = 4
        space = o.name.partition("::")[0]
        counts.setdefault(space if space in NAMESPACES else "others", [0] * 5)[way] += 1
    return counts


def print_ways(operators, kernels):
    print("| operators | all | kernel | kernel of the functional operator | library function | derived | none of these |")
    print("|---|---|---|---|---|---|---|")
    counts = ways(operators, kernels)
    for space in NAMESPACES + ("others",):
        row = counts[space]
        name = "`%s::`" % space if space != "others" else space
        print("| %s | %d | %s |" % (name, sum(row), " | ".join(map(str, row))))
    total = [sum(column) for column in zip(*counts.values())]
    print("| all | %d | %s |" % (sum(total), " | ".join(map(str, total))))


def kernels_of_files():
    """Family -> file -> symbols of the operators whose kernels stand there, aliases too."""
    families = {}
    for path in sorted(glob.glob(os.path.join(KERNELS, "**", "*.c"), recursive=True)):
        symbols = re.findall(r"^TSM_KERNEL(?:_ALIAS|_LIGHT)?\(\s*(\w+)[,)]", read(path), re.M)
        family = os.path.relpath(os.path.dirname(path), KERNELS)
        if symbols:
            families.setdefault("shared" if family == "." else family, {})[os.path.basename(path)] = symbols
    return families


def entry(name, overloads, rows):
    """An operator with its overloads and its traits, which are those of any of them."""
    words = sorted({w for o in overloads for w in traits.traits_of(rows, o)})
    named = [o.overload() for o in overloads if o.overload()]
    text = "`%s`" % name.replace("aten::", "") + (" (%s)" % ", ".join(named) if named else "")
    return text, " ".join(words).replace("|", "\\|")


def print_family(family, files, by_symbol, rows):
    print("\n## %s\n" % family)
    print("| file | operator (overloads) | traits |")
    print("|---|---|---|")
    for file, symbols in files.items():
        by_name = {}
        for symbol in symbols:
            by_name.setdefault(by_symbol[symbol].base(), []).append(by_symbol[symbol])
        lines = [entry(name, overloads, rows) for name, overloads in sorted(by_name.items())]
        plain = [text for text, words in lines if not words]
        if plain:
            print("| `%s` | %s | |" % (file, ", ".join(plain)))
        for text, words in lines:
            if words:
                print("| `%s` | %s | %s |" % (file, text, words))


def main():
    path = os.path.join(HERE, "operators.txt")
    operators = gen_operators.read_operators(path)
    kernels = gen_operators.find_kernels(KERNELS)
    rows = traits.read_rows(os.path.join(HERE, "traits.txt"))
    print_ways([o for o in operators if not o.name.startswith("tsm::")], kernels)
    by_symbol = {o.symbol(): o for o in operators}
    for family, files in sorted(kernels_of_files().items()):
        print_family(family, files, by_symbol, rows)


if __name__ == "__main__":
    main()

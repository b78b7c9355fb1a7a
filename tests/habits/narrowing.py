"""No int of a program is cast to a narrower type in a kernel: tsm_saturate_dim, arg_dim and arg_dtype check.

Arguments are int64_t; positions and sizes (tsm_dim, size_t) have 32 bits on microcontrollers, int everywhere. A cast of
what is known to fit stands in a function of CHECKED, with the reason."""
import re

import habits

NARROW = "int|unsigned|short|char|u?int(?:8|16|32)_t|s?size_t|tsm_dim|ptrdiff_t|uintptr_t|tsm_dtype"
# An int64_t by its name (parameters and variables of the function at hand, below), or an argument.
ARGUMENT = r"arg_int(?:_or)?\(|\w+(?:\[\w+\])?(?:\.|->)as\.i\b|in\[\w+\]->as\.i\b"
CHECKED = {
    "kernel.h: tsm_saturate_dim": "compares first",
    "kernel.h: kernel_dtype": "compares first",
    "language/lang.h: lang_position": "less than a length",
    "language/lang.h: lang_c_int": "what it is for",
    "language/lang_short.c: short_bound": "compares with the length first",
    "language/lang_short.c: short_slice": "compares with the length first",
    "language/lang_str.c: add_character": "one byte, whatever the int",
    "language/lang_str.c: aten_chr": "one byte, whatever the int",
    "quantizer/quantized_tensor.c: tsm_quantized_result_zero": "compares first: 0 to 255",
}


def functions(text):
    """(first line, text) of each function: what begins at the margin and ends with a brace there."""
    start = None
    lines = text.split("\n")
    for n, line in enumerate(lines):
        if start is None and re.match(r"[A-Za-z]", line) and not line.startswith(("typedef", "enum", "struct")):
            start = n
        if start is not None and line.endswith(";") and not any("{" in l for l in lines[start:n + 1]):
            start = None
        if start is not None and line.startswith("}"):
            yield start + 1, lines[start:n + 1]
            start = None


def name_of(lines):
    m = re.search(r"(\w+)\(", lines[0])
    kernel = re.match(r"TSM_KERNEL\w*\((\w+)\)", lines[0])
    return kernel[1] if kernel else m[1] if m else lines[0]


def ints(lines):
    """Names of int64_t declared in a function, by value."""
    names = set()
    for declared in re.findall(r"\bint64_t ((?!\*)[^;{})]*)", "\n".join(lines)):
        depth = 0
        for part in re.findall(r"[(\[]|[)\]]|,|(?:^|(?<=,)) *\w+", declared):
            depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(part, 0)
            if depth == 0 and re.fullmatch(r" *[a-z]\w*", part):
                names.add(part.strip())
    return names - {"const", "int64_t", "bool", "double", "tsm_value"}


def main():
    faults, used, checked = [], set(), 0
    for path in habits.files(".c", ".h"):
        if not path.startswith("runtime/kernels/") or "/simd/" in path:
            continue
        checked += 1
        for first, lines in functions(habits.read(path)):
            key = "%s: %s" % (path[len("runtime/kernels/"):], name_of(lines))
            names = "|".join(sorted(ints(lines))) or r"\Z"
            cast = re.compile(r"\((?:%s)\) ?\(?(?:%s|(?:%s)\b(?![\[(.]|->))" % (NARROW, ARGUMENT, names))
            for n, line in enumerate(lines, first):
                if cast.search(line.split("/*")[0]):
                    used.add(key)
                    if key not in CHECKED:
                        faults.append("runtime/kernels/%s (line %d): %s" % (key, n, line.strip()))
    faults += ["narrowing.py: %s has no such cast" % key for key in sorted(CHECKED.keys() - used)]
    habits.finish(faults, "casts of ints in %d files" % checked)


if __name__ == "__main__":
    main()

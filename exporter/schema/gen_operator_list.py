#!/usr/bin/env python3
"""Makes the operator list that is built into the exporter.

  gen_operator_list.py SCHEMA_FOLDER KERNEL_FOLDER OUT.c

One row for each line of operators.txt and operators_tsm.txt: its schema, whether libtsmobile has a kernel for it, and
its traits."""
import os
import sys

sys.dont_write_bytecode = True
import traits  # noqa: E402


def c_string(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def c_traits(words, refused):
    """An op_traits."""
    known, forms = traits.read_definitions()
    flags = " | ".join("UINT64_C(1) << TRAIT_%s" % known[w][0] for w in words if w in known) or "0"
    steps = [w[len(traits.STEP):] for w in words if w.startswith(traits.STEP)]
    step = "'%s', FORM_%s" % (steps[0][0], forms[steps[0][2:]]) if steps else "0, 0"
    since = [w[len(traits.SINCE):].split(".") for w in words if w.startswith(traits.SINCE)]
    version = "%s << 8 | %s" % tuple(since[0]) if since else "0"
    return "{%s, %s, %d, %s}" % (flags, step, refused, version)


def check_rows(rows, operators):
    names = {o.name for o in operators} | {o.base() for o in operators}
    for name in rows:
        if name not in names:
            sys.exit("traits.txt: no operator is called %s" % name)


def main():
    folder, kernel_folder, to = sys.argv[1:4]
    sys.path.insert(0, folder)
    import gen_operators as g
    operators = g.read_operators(os.path.join(folder, "operators.txt"))
    kernels = g.find_kernels(kernel_folder)
    by_base = {}
    for o in operators:
        by_base.setdefault(o.base(), []).append(o)

    def is_implemented(o):
        functional = g.functional_of(o, by_base)
        return o.symbol() in kernels or bool(functional) and functional[0].symbol() in kernels

    rows = traits.read_rows(os.path.join(folder, "traits.txt"))
    check_rows(rows, operators)
    sets = {}  # few operators have traits of their own
    numbers = [sets.setdefault((" ".join(traits.with_rule(rows, o)), traits.checked_kinds(rows, o)), len(sets)) for o in operators]

    with open(to, "w") as f:
        f.write("/* Made by exporter/schema/gen_operator_list.py from schema/operators*.txt and schema/traits.txt. */\n")
        f.write('#include "exporter/schema/operator_list.h"\n\nconst op_traits operator_traits[] = {\n')
        for words, refused in sets:
            f.write("    %s,\n" % c_traits(words.split(), refused))
        f.write("};\n\nconst operator_row operator_list[] = {\n")
        for o, number in zip(operators, numbers):
            f.write("    {%s, %s, %d},\n" % (c_string(o.schema), "true" if is_implemented(o) else "false", number))
        f.write("};\nconst size_t operator_list_count = %d;\n" % len(operators))


if __name__ == "__main__":
    main()

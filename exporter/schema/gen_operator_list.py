#!/usr/bin/env python3
"""Makes the operator list that is built into the exporter.

  gen_operator_list.py SCHEMA_FOLDER KERNEL_FOLDER OUT.c

One row for each line of operators.txt and operators_tsm.txt: its schema, and whether libtsmobile has a kernel for it."""
import os
import sys


def c_string(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def main():
    folder, kernel_folder, to = sys.argv[1:4]
    sys.path.insert(0, folder)
    sys.dont_write_bytecode = True
    import gen_operators as g
    operators = g.read_operators(os.path.join(folder, "operators.txt"))
    kernels = g.find_kernels(kernel_folder)
    by_base = {}
    for o in operators:
        by_base.setdefault(o.base(), []).append(o)

    def is_implemented(o):
        functional = g.functional_of(o, by_base)
        return o.symbol() in kernels or bool(functional) and functional[0].symbol() in kernels

    with open(to, "w") as f:
        f.write("/* Made by exporter/schema/gen_operator_list.py from schema/operators*.txt. */\n")
        f.write('#include "exporter/schema/operator_list.h"\n\nconst operator_row operator_list[] = {\n')
        for o in operators:
            f.write("    {%s, %s},\n" % (c_string(o.schema), "true" if is_implemented(o) else "false"))
        f.write("};\nconst size_t operator_list_count = %d;\n" % len(operators))


if __name__ == "__main__":
    main()

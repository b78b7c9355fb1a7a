#!/usr/bin/env python3
"""embed_program.py FILE.tsm NAME OUT.c: the bytes of a file as the C array NAME, their number as NAME_bytes."""
import sys


def main():
    path, name, out = sys.argv[1:4]
    with open(path, "rb") as f:
        data = f.read()
    with open(out, "w") as f:
        f.write("#include <stddef.h>\nextern const unsigned char %s[];\nextern const size_t %s_bytes;\n" % (name, name))
        f.write("const unsigned char %s[] = {%s};\n" % (name, ",".join(map(str, data))))
        f.write("const size_t %s_bytes = sizeof %s;\n" % (name, name))


if __name__ == "__main__":
    main()

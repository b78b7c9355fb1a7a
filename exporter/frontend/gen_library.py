#!/usr/bin/env python3
"""Builds the files of library/ into the exporter.

  gen_library.py OUT.c FILE.py..."""
import os
import sys


def main():
    to, files = sys.argv[1], sorted(sys.argv[2:])
    with open(to, "w") as f:
        f.write('/* Made by exporter/frontend/gen_library.py. */\n#include "exporter/frontend/library.h"\n\n')
        for i, path in enumerate(files):
            # Numbers, since C compilers need not take strings as long as this.
            data = open(path, "rb").read() + b"\0"
            f.write("static const char text_%d[] = {\n" % i)
            for at in range(0, len(data), 32):
                f.write("    %s\n" % " ".join("%d," % b for b in data[at:at + 32]))
            f.write("};\n")
        f.write("\nconst library_file library[] = {\n")
        for i, path in enumerate(files):
            name, is_python = os.path.basename(path)[:-3], os.path.basename(os.path.dirname(path)) == "nn"
            package = "torch.nn.modules." + name if is_python else name
            f.write('    {"%s", text_%d, %s},\n' % (package, i, "true" if is_python else "false"))
        f.write("};\nconst size_t library_count = %d;\n" % len(files))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Builds the files of library/ into the exporter.

  gen_library.py OUT.c FILE.py...

In the files of decomposed operators a function calls its neighbours by their bare names, which become qualified
here."""
import os
import re
import sys


def qualified(text, package):
    """The text with calls of the file's own functions as serialized code writes them."""
    own = "|".join(re.findall(r"^def (\w+)\(", text, re.M))
    return re.sub(r"(?<![\w.])(?<!^def )(%s)\(" % own, r"__torch__.%s.\1(" % package, text, flags=re.M)


def main():
    to, files = sys.argv[1], sorted(sys.argv[2:])
    with open(to, "w") as f:
        f.write('/* Made by exporter/library/gen_library.py. */\n#include "exporter/library/library.h"\n\n')
        for i, path in enumerate(files):
            # Numbers, since C compilers need not take strings as long as this.
            package, text = os.path.basename(path)[:-3], open(path, encoding="utf-8").read()
            if package.startswith(("torch.decompositions.", "torch.ops.quantized.", "torch.ops.prims")):
                text = qualified(text, package)
            data = text.encode() + b"\0"
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

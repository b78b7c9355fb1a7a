#!/usr/bin/env python3
"""Checks the size of the runtime's core (loader, verifier, values, interpreter; no operators): code and constants.

    size.py SIZE LIBRARY CORE_FOLDER LIMIT

The core's objects are those named after the .c files of CORE_FOLDER."""
import os
import subprocess
import sys


def main():
    size, library, folder, limit = sys.argv[1:]
    core = {n for n in os.listdir(folder) if n.endswith(".c")}
    total = 0
    for line in subprocess.run([size, library], check=True, capture_output=True, text=True).stdout.splitlines()[1:]:
        text, data, _, _, _, name = line.split()[:6]
        source = os.path.splitext(name)[0] if not name.endswith(".c") else name
        if source in core:
            print("%7d  %s" % (int(text) + int(data), source))
            total += int(text) + int(data)
            core.discard(source)
    print("%7d  of at most %s" % (total, limit))
    if core:
        sys.exit("objects are missing in the library: " + " ".join(sorted(core)))
    if total > int(limit):
        sys.exit("the core is %d bytes larger than allowed" % (total - int(limit)))


if __name__ == "__main__":
    main()

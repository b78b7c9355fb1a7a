#!/usr/bin/env python3
"""Checks the size of the runtime's core (loader, verifier, values, interpreter; no operators): code and constants.

    size.py SIZE LIBRARY LIMIT SOURCE...

The core's objects are those named after the SOURCEs (runtime/CMakeLists.txt lists them)."""
import os
import subprocess
import sys


def main():
    size, library, limit = sys.argv[1:4]
    core = {os.path.basename(source) for source in sys.argv[4:]}
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

"""Files are written by platform_output alone, which lets them appear whole or not at all.

So no other source of the product opens a file for writing, or creates, renames or removes one. That of tmpfile has no
name: what it holds never appears."""
import re

import habits

ALLOWED = re.compile(r"platform/\w+/output\.c$")
WRITES = re.compile(r"\b(?:fopen|fdopen|freopen)\([^;]*,\s*\"[rb]*[wa+]|\bopen(?:at|64)?\([^;]*O_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND)"
                    r"|\b(?:creat|rename|renameat|unlink|unlinkat|mkstemp|truncate|ftruncate|ofstream)\(|\bofstream\b")


def main():
    faults, sources = [], [p for p in habits.files(".c", ".h", ".cc") if p.startswith(("exporter/", "platform/", "runtime/"))]
    outputs = [p for p in sources if ALLOWED.search(p)]
    for path in sources:
        text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), habits.read(path), flags=re.S)
        for m in WRITES.finditer(text) if path not in outputs else ():
            faults.append("%s:%d: files are written by platform_output (platform/platform.h)" % (path, text.count("\n", 0, m.start()) + 1))
    for path in outputs:
        if not WRITES.search(habits.read(path)):
            faults.append("%s: writes no file" % path)
    habits.finish(faults, "%d sources" % len(sources))


if __name__ == "__main__":
    main()

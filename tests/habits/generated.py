"""generated.py [--update] TSMC TSMRUN: parts of documents that a program writes are what it writes today.

Such a part stands between two lines of a document:

    <!-- made by: COMMAND -->
    <!-- end -->

COMMAND runs in the root, {tsmc} and {tsmrun} being the two programs; what it prints is the part. --update writes the
parts anew. (Whole files that are checked in and made by a program have tests of their own, as schema.reader.)"""
import os
import re
import shlex
import subprocess
import sys

import habits

PART = re.compile(r"(?<=\n)(<!-- made by: (.*) -->\n)(.*?)(<!-- end -->\n)", re.S)


def printed(command, programs):
    words = [word.format(**programs) for word in shlex.split(command)]
    return subprocess.run(words, check=True, capture_output=True, text=True, cwd=habits.ROOT).stdout


def main():
    update = "--update" in sys.argv
    tsmc, tsmrun = [os.path.abspath(a) for a in sys.argv[1:] if a != "--update"]
    faults, count = [], 0
    for path in habits.files(".md"):
        text = habits.read(path)
        made = PART.sub(lambda m: m[1] + printed(m[2], {"tsmc": tsmc, "tsmrun": tsmrun}) + m[4], text)
        count += len(PART.findall(text))
        if made != text and update:
            with open(os.path.join(habits.ROOT, path), "w", encoding="utf-8") as f:
                f.write(made)
        elif made != text:
            faults.append("%s: a part is not what its program writes; tests/habits/generated.py --update mends it" % path)
    if not count:
        faults.append("no document has a part that a program writes")
    habits.finish(faults, "%d parts of documents" % count)


if __name__ == "__main__":
    main()

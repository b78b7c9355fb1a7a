#!/usr/bin/env python3
"""Manual pages and completions for bash have every option that --help prints, and man has nothing to say about them.

    test_pages.py TSMC TSMRUN FOLDER      FOLDER has NAME.1 and NAME.bash, as they are installed
"""
import os
import re
import sys

from consume import Consumer, fail


def check(c, command, page, completion, env=None):
    """`command` runs the program, `completion` is the script's text."""
    program = os.path.basename(command[-1])
    said = c.run(*command, "-h", env=env)
    options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", said))
    printed = c.run("man", "--warnings", "-l", "-Tascii", page, env={"MANPAGER": "cat", "MANWIDTH": "400", "LC_ALL": "C"})
    c.write(program + ".bash", completion)
    completed = c.run("bash", "-c", "source %s.bash; COMP_WORDS=(%s --); COMP_CWORD=1; _%s; printf '%%s\\n' \"${COMPREPLY[@]}\""
                      % (program, program, program)).split()
    plain = re.sub(r".\x08", "", printed)
    missing = [o for o in options if o not in plain or o not in completed]
    if missing or len(options) < 20 or "warning" in plain.split("NAME")[0]:
        fail("%s: manual page or completion lack %s: %s" % (program, missing, plain[:300]))
    with_text = [line for line in said.split("\n") if re.match("  -", line)]
    heads = re.findall(r"^ {7}(-.*)$", plain, re.M)
    if len(heads) != len(with_text):
        fail("%s: the page has %d heads for %d options: %s" % (program, len(heads), len(with_text), heads))
    print("ok: manual page and completion of %s, %d options" % (program, len(options)))


def main():
    tsmc, tsmrun, folder = sys.argv[1:]
    with Consumer() as c:
        for program in (tsmc, tsmrun):
            name = os.path.join(folder, os.path.basename(program))
            with open(name + ".bash", encoding="utf-8") as f:
                check(c, [program], name + ".1", f.read())


if __name__ == "__main__":
    main()

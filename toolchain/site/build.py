#!/usr/bin/env python3
"""Makes the site: the documents by mkdocs, and the pages about the public headers by Doxygen, in its folder `api`.

    toolchain/site/build.py [FOLDER]      build/site without a FOLDER; open FOLDER/index.html

Stops at the first warning of either: a link that leads nowhere, a page that no menu has, a function without a comment.
`toolchain/setup.sh docs` installs what it needs."""
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def run(*command, **environment):
    done = subprocess.run(command, cwd=ROOT, env=dict(os.environ, **environment), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    if done.returncode:
        sys.exit("%s: exit status %d\n%s" % (command[0], done.returncode, done.stdout))
    return done.stdout


def main():
    folder = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build", "site"))
    missing = [program for program in ("mkdocs", "doxygen") if not shutil.which(program)]
    if missing:
        sys.exit("build.py: %s missing; toolchain/setup.sh docs installs them" % " and ".join(missing))
    with open(os.path.join(ROOT, "runtime", "include", "tsmobile.h"), encoding="utf-8") as header:
        version = re.search(r'TSM_VERSION_STRING "(.*)"', header.read())[1]
    said = run("mkdocs", "build", "--strict", "--config-file", os.path.join(ROOT, "mkdocs.yml"), "--site-dir", folder)
    outside = re.search(r"not included in the \"nav\" configuration:\n((?: +- .*\n)+)", said)
    if outside:
        sys.exit("mkdocs.yml: no menu has these pages:\n" + outside[1])
    api = os.path.join(folder, "api")
    os.makedirs(api, exist_ok=True)
    run("doxygen", os.path.join(HERE, "Doxyfile"), TSM_ROOT=ROOT, TSM_API=api, TSM_VERSION=version)
    print("site: %s" % os.path.join(folder, "index.html"))


if __name__ == "__main__":
    main()

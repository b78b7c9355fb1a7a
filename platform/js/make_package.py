#!/usr/bin/env python3
"""Puts the npm package together: the modules, both .wasm files, and page.html, which holds all of them.

    make_package.py SOURCES VERSION TSMOBILE.wasm TSMC.wasm PACKAGE

The page opens from disk, where browsers load no modules and fetch nothing: its script is the only one whose SHA-256 the
page's policy allows, and the .wasm files and the script of its worker are text in it."""
import base64
import gzip
import hashlib
import os
import re
import shutil
import sys

MODULES = ("index.mjs", "node.mjs", "index.d.ts", "runtime.mjs", "compiler.mjs", "wasi.mjs")
IN_PAGE = ("page/page.mjs",)
IN_WORKER = ("wasi.mjs", "compiler.mjs", "runtime.mjs", "page/work.mjs")


def read(path, mode="r"):
    with open(path, mode, **({} if "b" in mode else {"encoding": "utf-8"})) as f:
        return f.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def plain_script(text):
    """A module as a part of a script: what it imports stands before it."""
    text = re.sub(r"^import .*? from '\./.*?';\n", "", text, flags=re.M)
    return re.sub(r"^export (?=(async )?(class|function|const))", "", text, flags=re.M)


def hash_of(text):
    return "'sha256-%s'" % base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def packed(path):
    return base64.b64encode(gzip.compress(read(path, "rb"), mtime=0)).decode()


def script_of(sources, names):
    """One script of several modules; only the last one's names are its own."""
    parts = [plain_script(read(os.path.join(sources, name))) for name in names]
    script = "\"use strict\";\n" + "\n".join("{\n%s}\n" % p if i == len(parts) - 1 else p for i, p in enumerate(parts))
    if "</script" in script or re.search(r"^(im|ex)port\b", script, re.M):
        raise ValueError("%s: no plain script" % names[-1])
    return script


def page_of(sources, runtime, compiler):
    html, css = (read(os.path.join(sources, "page", name)) for name in ("index.html", "page.css"))
    script, work = script_of(sources, IN_PAGE), script_of(sources, IN_WORKER)
    for mark, text in (("@STYLE_HASH@", hash_of(css)), ("@SCRIPT_HASH@", hash_of(script)), ("@STYLE@", css), ("@SCRIPT@", script), ("@WORK@", work),
                       ("@RUNTIME@", packed(runtime)), ("@COMPILER@", packed(compiler))):
        if html.count(mark) != 1:
            raise ValueError("%s stands %d times in the page" % (mark, html.count(mark)))
        html = html.replace(mark, text)
    return html


def main():
    sources, version, runtime, compiler, package = sys.argv[1:]
    os.makedirs(package, exist_ok=True)
    for name in MODULES:
        shutil.copy(os.path.join(sources, name), package)
    shutil.copy(os.path.join(sources, "../../LICENSE"), package)
    shutil.copy(runtime, os.path.join(package, "tsmobile.wasm"))
    shutil.copy(compiler, os.path.join(package, "tsmc.wasm"))
    write(os.path.join(package, "package.json"), read(os.path.join(sources, "package.json")).replace("@VERSION@", version))
    write(os.path.join(package, "page.html"), page_of(sources, runtime, compiler))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The npm package: built, packed and installed by npm as its users do, and its tests run in node (test_package.mjs).

    test_javascript.py BUILD TSMC

BUILD is the folder in which tests/consume/test_wasm.py, too, compiles for WebAssembly; its package/page.html is what
test_page.py looks at."""
import json
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tests/consume"))
from consume import WASM_LIBRARIES, Consumer  # noqa: E402

SKIPPED = 77


def run(*command, cwd=None, **environment):
    done = subprocess.run(command, cwd=cwd, env=dict(os.environ, **environment), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    if done.returncode:
        sys.exit("%s: exit status %d\n%s" % (" ".join(command), done.returncode, done.stdout))
    return done.stdout


def install(package, folder):
    """The package as npm puts it there: packed, and only what package.json names."""
    run("npm", "pack", package, cwd=folder)
    archive = next(name for name in os.listdir(folder) if name.endswith(".tgz"))
    with open(os.path.join(folder, "package.json"), "w", encoding="utf-8") as f:
        json.dump({"name": "app", "private": True}, f)
    run("npm", "install", "--offline", "--no-audit", "--no-fund", "./" + archive, cwd=folder)
    installed = os.path.join(folder, "node_modules", "tsmobile")
    with open(os.path.join(package, "package.json"), encoding="utf-8") as f:
        wanted = set(json.load(f)["files"]) | {"package.json"}
    if set(os.listdir(installed)) != wanted:
        sys.exit("the package has %s, not %s" % (sorted(os.listdir(installed)), sorted(wanted)))
    print("ok: packed and installed by npm")
    return installed


def check_types(installed):
    """Every name that the modules export, for browsers and for node, has a type, and no other has."""
    with open(os.path.join(installed, "index.d.ts"), encoding="utf-8") as f:
        typed = set(re.findall(r"^export (?:class|function) (\w+)", f.read(), re.M))
    for module in ("index.mjs", "node.mjs"):
        with open(os.path.join(installed, module), encoding="utf-8") as f:
            text = f.read()
        lists = re.findall(r"^export \{ (.*?) \}", text, re.M)
        exported = {name for names in lists for name in names.split(", ")} | set(re.findall(r"^export (?:async )?function (\w+)", text, re.M))
        if exported != typed:
            sys.exit("%s: exports and types differ: %s" % (module, exported ^ typed))
    print("ok: types of all exports")


APP = """import { loadRuntime, Tensor } from 'tsmobile';
const program = (await loadRuntime(%s)).open(await (%s));
console.log(program.run(new Tensor(new Float32Array(64).fill(1), [1, 1, 8, 8])).shape.join());
"""


def bundle(folder, tsmc):
    """The package in an app that a bundler makes one file of: for browsers, where nothing may be left of node, and for
    node. The address of the .wasm file is the app's affair, as docs/javascript.md says."""
    run(tsmc, os.path.join(ROOT, "tests/models/digits.pt"), "-o", os.path.join(folder, "digits.tsm"))
    wasm = os.path.join(folder, "node_modules/tsmobile/tsmobile.wasm")
    read = "import('node:fs/promises').then(fs => fs.readFile(%s))"
    for platform, address, model in (("browser", "globalThis.wasm", "globalThis.model"),
                                     ("node", "new URL(%s)" % json.dumps("file://" + wasm), read % json.dumps(os.path.join(folder, "digits.tsm")))):
        with open(os.path.join(folder, "app.mjs"), "w", encoding="utf-8") as f:
            f.write(APP % (address, model))
        out = os.path.join(folder, platform + ".mjs")
        run("esbuild", "app.mjs", "--bundle", "--format=esm", "--platform=" + platform, "--outfile=" + out, cwd=folder)
        start = "globalThis.wasm = %s; globalThis.model = %s;" % (read % json.dumps(wasm), read % json.dumps(os.path.join(folder, "digits.tsm")))
        start = start.replace("import(", "await import(") if platform == "browser" else ""
        said = run("node", "--input-type=module", "-e", "%s await import(%s)" % (start, json.dumps("file://" + out)))
        if said.strip() != "1,10":
            sys.exit("the app that esbuild made for %s says %s" % (platform, said))
    print("ok: bundled for browsers and for node")


def main():
    folder, tsmc = sys.argv[1:]
    missing = [path for path in WASM_LIBRARIES if not os.path.exists(path)] + [p for p in ("node", "npm", "clang++", "esbuild") if not shutil.which(p)]
    if missing:
        print("SKIPPED: %s missing, so nothing was compiled for JavaScript.\n"
              "`toolchain/setup.sh javascript` installs what is needed; then run this test again." % " and ".join(missing))
        sys.exit(SKIPPED)
    with Consumer() as c:
        c.webassembly(folder)
        print("ok: compiled without a warning")
        installed = install(os.path.join(folder, "package"), c.folder)
        check_types(installed)
        bundle(c.folder, tsmc)
        said = run("node", "--test", os.path.join(ROOT, "tests/javascript/test_package.mjs"), TSM_ROOT=ROOT, TSM_PACKAGE=installed, TSMC=tsmc)
    passed = re.search(r"pass (\d+)", said)
    if not passed or int(passed[1]) < 10 or not re.search(r"fail 0\b", said):
        sys.exit(said)
    print("ok: %s tests in node" % passed[1])


if __name__ == "__main__":
    main()

"""tidy.py BUILD: clang and clang-tidy warn of nothing in the C sources of a build; .clang-tidy says what they look for.

Sources that passed are remembered in BUILD/habits by the hash of themselves, the project's headers that they include,
the command that compiles them and .clang-tidy, so that only what changed is looked at again."""
import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

import habits

# The build's warnings, clang's -Wall -Wextra -Wpedantic, are looked for as well; gcc's options may be unknown to it,
# and those of ONLY_GCC stop it.
ONLY_GCC = re.compile(r" -fno-(crossjumping|gcse|code-hoisting)\b")
GCC_OPTIONS = ["--extra-arg=" + flag for flag in
               ("-Wno-error", "-Wno-unknown-warning-option", "-Wno-ignored-optimization-argument",
                "-Wno-unused-command-line-argument")]


def included(path, folders, known):
    """The paths of a source and of the project's headers that it includes; their texts are put into `known`."""
    if path not in known:
        known[path] = None
        with open(path, encoding="utf-8") as f:
            text = f.read()
        paths = [path]
        for name in re.findall(r'^\s*#\s*include "([^"]+)"', text, re.M):
            places = [os.path.join(folder, name) for folder in [os.path.dirname(path)] + folders]
            found = next((p for p in places if os.path.exists(p)), None)
            if found:
                paths += included(os.path.normpath(found), folders, known)
        known[path] = (paths, text)
    return known[path][0] if known[path] else []


def fault_of(build, entry, settings, folders, known):
    texts = [known[p][1] for p in sorted(set(included(entry["file"], folders, known))) if known.get(p)]
    key = hashlib.sha256("\0".join([entry["command"].replace(build, ""), settings] + texts).encode()).hexdigest()
    passed = os.path.join(build, "habits", key)
    if os.path.exists(passed):
        return None
    done = subprocess.run(["clang-tidy", "-p", os.path.join(build, "habits"), "--quiet"] + GCC_OPTIONS + [entry["file"]],
                          capture_output=True, text=True)
    if done.returncode == 0:
        open(passed, "w").close()
        return None
    return (done.stdout or done.stderr).replace(habits.ROOT + "/", "")


def main():
    if not shutil.which("clang-tidy"):
        sys.exit("clang-tidy is not installed; toolchain/setup.sh lint installs it")
    build = os.path.abspath(sys.argv[1])
    os.makedirs(os.path.join(build, "habits"), exist_ok=True)
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
        entries = [e for e in json.load(f) if e["file"].endswith(".c") and not e["file"].startswith(build)]
    for e in entries:
        e["command"] = ONLY_GCC.sub("", e["command"])
    with open(os.path.join(build, "habits", "compile_commands.json"), "w", encoding="utf-8") as f:
        json.dump(entries, f)
    settings, known = habits.read(".clang-tidy"), {}
    folders = [habits.ROOT, os.path.join(build, "generated"), os.path.join(habits.ROOT, "runtime", "include")]
    for e in entries:
        included(e["file"], folders, known)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        faults = [f for f in pool.map(lambda e: fault_of(build, e, settings, folders, known), entries) if f]
    habits.finish(faults, "clang-tidy of %d sources" % len(entries))


if __name__ == "__main__":
    main()

"""cppcheck.py BUILD: cppcheck finds nothing in the C sources of a build but what cppcheck.txt lists, with reasons.

What it knows of a source is kept in BUILD/habits/cppcheck, so that only what changed is looked at again."""
import json
import os
import shutil
import subprocess
import sys

import habits

# cppcheck 2.10 does not know C11's _Noreturn.
DEFINES = ["-D__GNUC__", "-D_Noreturn=__attribute__((noreturn))"]


def main():
    if not shutil.which("cppcheck"):
        sys.exit("cppcheck is not installed; toolchain/setup.sh lint installs it")
    build = os.path.abspath(sys.argv[1])
    kept = os.path.join(build, "habits", "cppcheck")
    os.makedirs(kept, exist_ok=True)
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
        entries = [e for e in json.load(f) if e["file"].endswith(".c") and not e["file"].startswith(build)]
    sources = os.path.join(kept, "sources.json")
    with open(sources, "w", encoding="utf-8") as f:
        json.dump(entries, f)
    done = subprocess.run(["cppcheck", "--project=" + sources, "--cppcheck-build-dir=" + kept, "-j2", "-q", "--inline-suppr",
                           "--enable=warning,performance,portability", "--error-exitcode=1",
                           "--suppressions-list=" + os.path.join(habits.ROOT, "tests", "habits", "cppcheck.txt"),
                           "--template={file}:{line}: {message} [{id}]"] + DEFINES, capture_output=True, text=True)
    faults = done.stderr.replace(habits.ROOT + "/", "").splitlines()
    if done.returncode and not faults:
        faults = [done.stdout]
    habits.finish(faults, "cppcheck of %d sources" % len(entries))


if __name__ == "__main__":
    main()

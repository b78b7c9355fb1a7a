"""What the checks of habits share: the project's files, and how faults are told.

Each check is a program that prints every fault as FILE:LINE: TEXT and ends with 1 when there is one."""
import os
import subprocess
import sys
import time

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
GENERATED = ("schema/generated/",)
STARTED = time.monotonic()


def files(*endings, generated=False):
    """Paths, from the root, of the project's files with these endings (all without); those in `build` are not the
    project's."""
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(d for d in folders if d not in (".git", "build", "__pycache__"))
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), ROOT)
            if (not endings or name.endswith(endings)) and (generated or not path.startswith(GENERATED)):
                found.append(path)
    return sorted(found)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def run(*command, **options):
    """The finished command's output, as text; an error when the command fails."""
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT, **options).stdout


def finish(faults, checked):
    """Prints the faults, or what was checked and the time that it took, and ends the program."""
    for fault in faults:
        print(fault)
    if faults:
        sys.exit("%d faults" % len(faults))
    print("%s: no faults, %.1f s" % (checked, time.monotonic() - STARTED))

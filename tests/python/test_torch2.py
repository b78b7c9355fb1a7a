#!/usr/bin/env python3
"""test_export.py with PyTorch 2.1 or newer, whose exported programs tsmobile.export takes from memory: with the wheel
that test_install.py made, unpacked for a Python that has it.

    test_torch2.py FOLDER

FOLDER is that of test_install.py. The Python is `python3`, or that of another system, such as debootstrap makes, in the
folder that TSM_TORCH2_ROOT names, which root alone can enter (docs/python.md). Without either the test ends with 77,
skipped."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77
HAS_EXPORT = "import cffi, numpy, torch; torch.export.export; print(torch.__version__)"
FILES = ("python/test_export.py", "python/model.py", "models/digits.pt")


def skip(why):
    print("SKIPPED: %s: programs of torch.export in memory were not tested" % why)
    sys.exit(SKIPPED)


def asks(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, cwd="/")


def find_python(root):
    """How to enter the system, a Python with torch.export, and the version that it has."""
    if root and os.geteuid() != 0:
        skip("only root can enter TSM_TORCH2_ROOT")
    enter = ["chroot", root] if root else []
    for python in ["/usr/bin/python3"] if root else ["python3", "/usr/bin/python3"]:
        done = asks(*enter, python, "-c", HAS_EXPORT)
        if done.returncode == 0:
            return enter, python, done.stdout.strip()
    if root:
        sys.exit("FAIL: TSM_TORCH2_ROOT is %s, which lacks something:\n%s" % (root, done.stdout))
    return skip("no python3 here has cffi, numpy and PyTorch 2.1 or newer, and TSM_TORCH2_ROOT names no system that has (docs/python.md)")


def main():
    wheel, = glob.glob(os.path.join(sys.argv[1], "*.whl"))
    root = os.environ.get("TSM_TORCH2_ROOT", "")
    enter, python, version = find_python(root)
    folder = tempfile.mkdtemp(prefix="tsmobile-torch2-", dir=(root + "/tmp") if root else None)
    try:
        with zipfile.ZipFile(wheel) as z:
            z.extractall(os.path.join(folder, "site"))
        os.chmod(os.path.join(folder, "site/tsmobile/bin/tsmc"), 0o755)  # which zipfile forgets
        for name in FILES:
            os.makedirs(os.path.dirname(os.path.join(folder, "tests", name)), exist_ok=True)
            shutil.copy(os.path.join(HERE, "..", name), os.path.join(folder, "tests", name))
        inside = folder[len(root):]
        done = asks(*enter, "env", "PYTHONPATH=%s/site" % inside, python, inside + "/tests/python/test_export.py", "-v")
        exported = re.findall(r"^test_\w+ \(__main__\.ExportedPrograms.*\.\.\. ok$", done.stdout, re.M)
        if done.returncode or len(exported) < 4:
            sys.exit("FAIL: PyTorch %s:\n%s" % (version, done.stdout[-6000:]))
        print("ok: PyTorch %s, %s tests, %d of them of exported programs" % (version, re.search(r"Ran (\d+)", done.stdout)[1], len(exported)))
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()

"""The Python package as its users install it: `pip install .` in a fresh environment, without network.

    test_install.py FOLDER     makes the environment FOLDER/venv and the program FOLDER/model.tsm, for the other tests
"""
import os
import shutil
import subprocess
import sys
import venv
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode:
        sys.exit("FAIL: %s\n%s" % (" ".join(command), done.stdout[-6000:]))
    return done.stdout


def check_wheel(folder):
    """The wheel has the package, tsmc and the types, and nothing of the source tree beside them."""
    wheel, = [name for name in os.listdir(folder) if name.endswith(".whl")]
    names = zipfile.ZipFile(os.path.join(folder, wheel)).namelist()
    for name in ("tsmobile/__init__.py", "tsmobile/py.typed", "tsmobile/bin/tsmc", "tsmobile/_binding.pyi", "tsmobile/_binding.abi3.so"):
        if name not in names:
            sys.exit("FAIL: %s has no %s" % (wheel, name))
    others = [n for n in names if not n.startswith(("tsmobile/", "tsmobile-"))]
    if others:
        sys.exit("FAIL: %s has %s" % (wheel, others))
    return os.path.join(folder, wheel)


def main():
    folder = sys.argv[1]
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    # As `python3 -m venv --system-site-packages`: numpy and cffi are Debian's.
    venv.create(os.path.join(folder, "venv"), system_site_packages=True, with_pip=True)
    python = os.path.join(folder, "venv", "bin", "python")
    offline = dict(os.environ, PIP_NO_INDEX="1", PIP_DISABLE_PIP_VERSION_CHECK="1")
    run(python, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", folder, ".", cwd=SOURCE, env=offline)
    run(python, "-m", "pip", "install", check_wheel(folder), cwd=folder, env=offline)
    run(python, "-c", "import tsmobile; tsmobile.export(%r, 'model.tsm', eval=True)" % (os.path.join(HERE, "model.py") + ":Model"), cwd=folder)
    print(run(python, "-m", "tsmobile", "tsmc", "--version", cwd=folder), end="")


if __name__ == "__main__":
    main()

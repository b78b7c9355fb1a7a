"""The Python package as its users install it: `pip install .` in a fresh environment, without network.

    test_install.py FOLDER     makes the environment FOLDER/venv and the program FOLDER/model.tsm, for the other tests
    test_install.py FOLDER --sources     installs a source distribution that it made, and then the package in place
                                         (`pip install -e`), each in an environment in FOLDER
"""
import os
import shutil
import subprocess
import sys
import tarfile
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


OFFLINE = dict(os.environ, PIP_NO_INDEX="1", PIP_DISABLE_PIP_VERSION_CHECK="1")


def environment(folder):
    """The Python of a fresh environment, as `python3 -m venv --system-site-packages`: numpy and cffi are Debian's."""
    venv.create(folder, system_site_packages=True, with_pip=True)
    return os.path.join(folder, "bin", "python")


def export(python, folder):
    """The installed package exports a program and opens it."""
    run(python, "-c", "import tsmobile; tsmobile.export(%r, 'model.tsm', eval=True); assert tsmobile.Program('model.tsm').methods"
        % (os.path.join(HERE, "model.py") + ":Model"), cwd=folder)


def install_from_sources(folder):
    """A source distribution has all that a build needs, and the package works where its sources lie."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    run(sys.executable, "setup.py", "-q", "sdist", "--dist-dir", folder, cwd=SOURCE)
    archive, = [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".tar.gz")]
    with tarfile.open(archive) as t:
        t.extractall(folder)
    sources = archive[:-len(".tar.gz")]
    offline = dict(OFFLINE, CCACHE_BASEDIR=folder)
    python = environment(os.path.join(folder, "editable"))
    run(python, "-m", "pip", "install", "--no-deps", "-e", ".", cwd=sources, env=offline)
    export(python, folder)
    with open(os.path.join(sources, "platform/python/tsmobile/__init__.py"), "a", encoding="utf-8") as f:
        f.write("CHANGED = 7\n")
    print("ok: pip install -e, and a change is there at once: %s" %
          run(python, "-c", "import tsmobile; print(tsmobile.CHANGED)", cwd=folder).strip())
    python = environment(os.path.join(folder, "installed"))
    run(python, "-m", "pip", "install", "--no-deps", archive, cwd=folder, env=offline)
    export(python, folder)
    where = run(python, "-c", "import tsmobile; print(tsmobile.__file__)", cwd=folder).strip()
    if not where.startswith(os.path.join(folder, "installed")):
        sys.exit("FAIL: the package is imported from %s" % where)
    print("ok: pip install %s" % os.path.basename(archive))


def main():
    folder = sys.argv[1]
    if sys.argv[2:] == ["--sources"]:
        install_from_sources(folder)
        return
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    python = environment(os.path.join(folder, "venv"))
    # The options of the preset `release`, so that a cache of compilers compiles what both have once.
    like_release = dict(OFFLINE, CMAKE_ARGS="-DTSM_WARNINGS_ARE_ERRORS=ON")
    run(python, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", folder, ".", cwd=SOURCE, env=like_release)
    run(python, "-m", "pip", "install", check_wheel(folder), cwd=folder, env=OFFLINE)
    export(python, folder)
    print(run(python, "-m", "tsmobile", "tsmc", "--version", cwd=folder), end="")


if __name__ == "__main__":
    main()

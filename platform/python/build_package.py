"""Builds the Python package: libtsmobile and tsmc by CMake, and the module tsmobile._binding by cffi, whose
declarations are those of tsmobile.h."""
import os
import re
import shlex
import shutil
import subprocess
import sys

from setuptools import setup
from setuptools.command.build_ext import build_ext

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
HEADER = os.path.join(ROOT, "runtime", "include", "tsmobile.h")
# Where everything is built, seen from the root.
BUILD = os.path.join("build", "python")


def version():
    with open(HEADER, encoding="utf-8") as header:
        return re.search(r'TSM_VERSION_STRING "(.*)"', header.read())[1]


def run(*command):
    if subprocess.run(command, cwd=ROOT, check=False).returncode:
        sys.exit("tsmobile: `%s` failed (above)" % " ".join(command))


def run_cmake(build):
    """Compiles the libraries and tsmc into the folder `build`; CMAKE_ARGS of the environment are more options."""
    generator = ["-G", "Ninja"] if shutil.which("ninja") and not os.path.exists(os.path.join(build, "Makefile")) else []
    run("cmake", "-S", ROOT, "-B", build, *generator, "-DCMAKE_BUILD_TYPE=Release", "-DTSM_BUILD_RUNNER=OFF",
        "-DTSM_BUILD_TESTS=OFF", "-DTSM_INSTALL=OFF", "-DPython3_EXECUTABLE=" + sys.executable, *shlex.split(os.environ.get("CMAKE_ARGS", "")))
    run("cmake", "--build", build, "--parallel", str(os.cpu_count() or 1), "--target", "tsmobile", "tsm_platform", "tsmc")


class BuildWithCMake(build_ext):
    """What the module links is built first, and tsmc put beside the module."""

    def run(self):
        run_cmake(os.path.join(ROOT, BUILD, "cmake"))
        super().run()
        package = os.path.dirname(self.get_ext_fullpath("tsmobile._binding"))
        os.makedirs(os.path.join(package, "bin"), exist_ok=True)
        name = "tsmc.exe" if os.name == "nt" else "tsmc"
        shutil.copy2(os.path.join(ROOT, BUILD, "cmake", "bin", name), os.path.join(package, "bin", name))


def run_setup():
    """Called by setup.py."""
    os.chdir(ROOT)
    # Modules that are no longer in the source would come along.
    shutil.rmtree(os.path.join(BUILD, "setuptools"), ignore_errors=True)
    os.makedirs(os.path.join(BUILD, "setuptools"))
    setup(version=version(), cffi_modules=["platform/python/binding.py:ffi"], cmdclass={"build_ext": BuildWithCMake},
          options={"build": {"build_base": os.path.join(BUILD, "setuptools")},
                   "egg_info": {"egg_base": os.path.join(BUILD, "setuptools")},
                   "bdist_wheel": {"py_limited_api": "cp39"}})

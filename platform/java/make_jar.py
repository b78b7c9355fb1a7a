#!/usr/bin/env python3
"""Makes classes.jar, the package org.tsmobile for Java and Kotlin, which has the same bytes whenever the compilers are.

    make_jar.py SOURCE FOLDER

FOLDER gets classes.jar and, in classes, what is in it. The classes run on Java 8 and on Android 5; those of Kotlin need
its library. Android's classes that they name are compiled against and not part of it (tests/java/android)."""
import os
import shutil
import subprocess
import sys
import zipfile


def find(folder, ending):
    return sorted(os.path.join(top, name) for top, _, names in os.walk(folder) for name in names if name.endswith(ending))


def run(*command):
    if not shutil.which(command[0]):
        sys.exit("%s is not installed; `toolchain/setup.sh java` installs it" % command[0])
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        sys.exit("`%s` failed:\n%s" % (" ".join(command[:4]) + " ...", done.stdout[-6000:]))


def add(archive, name, data):
    """A member without a date, of which a file with the same members is the same bytes."""
    info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    info.external_attr = 0o644 << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, data, compresslevel=9)


def make(source, folder):
    """Compiles everything; returns the path of the archive."""
    classes, android = os.path.join(folder, "classes"), os.path.join(folder, "android")
    for old in (classes, android):
        shutil.rmtree(old, ignore_errors=True)
        os.makedirs(old)
    package = os.path.join(source, "platform/java/org")
    javac = ["javac", "--release", "8", "-Xlint:all,-options", "-Werror", "-encoding", "UTF-8"]
    run(*javac, "-d", android, *find(os.path.join(source, "tests/java/android"), ".java"))
    run(*javac, "-cp", android, "-d", classes, *find(package, ".java"))
    run("kotlinc", "-jvm-target", "1.8", "-module-name", "tsmobile", "-cp", os.pathsep.join([classes, android]), "-d", classes,
        *find(package, ".kt"))
    path = os.path.join(folder, "classes.jar")
    with zipfile.ZipFile(path, "w") as z:
        add(z, "META-INF/MANIFEST.MF", b"Manifest-Version: 1.0\n")
        for name in find(classes, ""):
            with open(name, "rb") as f:
                add(z, os.path.relpath(name, classes).replace(os.sep, "/"), f.read())
    return path


if __name__ == "__main__":
    make(*sys.argv[1:])

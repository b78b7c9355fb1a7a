#!/usr/bin/env python3
"""Debian's packages: cpack makes three, lintian finds no error in them, and unpacked they compile a program by
pkg-config and run it with their own tsmc, tsmrun and shared library. The same for arm64 and armhf by cross compilers:
programs run under QEMU, their tsmc writes the same bytes as this machine's, and armhf's use no more of the processor
than Debian's other programs.

    test_debian.py BUILD TSMC
"""
import glob
import os
import re
import sys

from consume import SOURCE, VERSION, Consumer, fail
from test_pages import check


# Debian's name: the tools' prefix, options of CMake, how programs are run.
CROSS = {
    "arm64": ("aarch64-linux-gnu", ["--toolchain", SOURCE + "/toolchain/aarch64.cmake"], ["qemu-aarch64"]),
    "armhf": ("arm-linux-gnueabihf",
              ["--toolchain", SOURCE + "/toolchain/armv7.cmake", "-DCMAKE_C_FLAGS=-mthumb", "-DCMAKE_CXX_FLAGS=-mthumb",
               "-DTSM_NEON=OFF"],
              ["qemu-arm", "-cpu", "cortex-a7"]),
}
# What tsmc's package has to ask for: what the program is linked with.
LIBRARIES = {"libc.so.6": "libc6", "libm.so.6": "libc6", "libstdc++.so.6": "libstdc++6", "libgcc_s.so.1": "libgcc-s1",
             "libz.so.1": "zlib1g", "libminizip.so.1": "libminizip1", "ld-linux-aarch64.so.1": "libc6",
             "ld-linux-armhf.so.3": "libc6", "ld-linux-x86-64.so.2": "libc6"}
MODELS = [os.path.join(SOURCE, "tests", name) for name in (
    "models/digits.pt", "models/learner.pt", "consume/app/mlp.pt", "consume/app/keyword_spotting_int8.pt", "cli/traced.pt",
    "cli/values.pt")]


def make(c, build, architecture, *options):
    """Makes the packages and unpacks them into the folder root; returns where their libraries are."""
    c.cmake(SOURCE, build, "-DCMAKE_BUILD_TYPE=Release", "-DTSM_BUILD_TESTS=OFF", "-DTSM_BUILD_SHARED=ON",
            "-DTSM_BUILD_EXPORTER=ON", "-DCMAKE_INSTALL_PREFIX=/usr", "-DTSM_DEBIAN_CONTACT=A Packager <packager@example.org>", *options)
    c.run("cpack", "--config", os.path.join(build, "CPackConfig.cmake"))
    packages = sorted(glob.glob(c.path("*.deb")))
    names = [os.path.basename(p).split("_")[0] for p in packages]
    if names != ["libtsmobile-dev", "libtsmobile0", "tsmobile-tools"]:
        fail("cpack makes %s" % names)
    for package in packages:
        if not package.endswith("_%s.deb" % architecture):
            fail("%s is not for %s" % (package, architecture))
    c.run("lintian", "--allow-root", "--fail-on", "error", *packages)
    print("ok: lintian, " + architecture)
    for package in packages:
        c.run("dpkg-deb", "-x", package, c.path("root"))
    check_dependencies(c, packages[-1])
    return os.path.dirname(glob.glob(c.path("root/usr/lib/*/libtsmobile.so"))[0])


def check_dependencies(c, package):
    """The package of the programs asks for the packages of the libraries that they are linked with, and for no more."""
    asked = {part.split()[0] for part in c.run("dpkg-deb", "-f", package, "Depends").split(",")}
    needed = set()
    for program in ("tsmc", "tsmrun"):
        linked = c.run("readelf", "-d", "root/usr/bin/" + program)
        needed |= {LIBRARIES[name] for name in re.findall(r"\(NEEDED\).*\[(.*)\]", linked)}
    if asked != needed:
        fail("%s depends on %s, and its programs need %s" % (package, sorted(asked), sorted(needed)))
    print("ok: %s depends on %s" % (os.path.basename(package), ", ".join(sorted(needed))))


def check_exporter(c, here, there, architecture):
    """The other machine's tsmc writes this machine's bytes, with an example, too: buffers are measured as with 64-bit
    addresses everywhere."""
    def export(*arguments):
        said = []
        for command, name in (([here], "here.tsm"), (there, "there.tsm")):
            said.append(c.run(*command, *arguments, "-o", name))
        with open(c.path("here.tsm"), "rb") as a, open(c.path("there.tsm"), "rb") as b:
            return a.read() == b.read(), said[1]

    for model in MODELS:
        if not export(model, "--no-example")[0]:
            fail("tsmc of %s makes another file of %s" % (architecture, model))
    planned, said = export(MODELS[0], "--example", os.path.join(SOURCE, "tests/models/digits_example.json"))
    if not planned:
        fail("tsmc of %s with --example: %s" % (architecture, said))
    said = c.run(os.path.join(os.path.dirname(here), "tsmrun"), "there.tsm", "--inputs",
                 os.path.join(SOURCE, "tests/models/digits_example.json"))
    if "buffer:" not in said:
        fail("tsmrun of this machine says of that file: " + said)
    print("ok: tsmc of %s, %d models" % (architecture, len(MODELS)))


def check_cross(build, tsmc, architecture):
    tools, options, run = CROSS[architecture]
    with Consumer() as c:
        libraries = make(c, build + "-" + architecture, architecture, *options)
        if os.path.basename(libraries) != tools:
            fail("%s: the libraries are in %s" % (architecture, libraries))
        c.digits(tsmc)
        c.copy("app/recognize_stdio.c")
        flags = c.run("pkg-config", "--cflags", "--libs", "tsmobile", env={"PKG_CONFIG_LIBDIR": libraries + "/pkgconfig"}).split()
        c.run(tools + "-gcc", "recognize_stdio.c", "-o", "recognize", *flags)
        run = [*run, "-L", "/usr/" + tools, "-E", "LD_LIBRARY_PATH=%s:/usr/local/%s/lib" % (libraries, tools)]
        c.recognize(c.path("recognize"), "packages of " + architecture, runner=run)
        if VERSION not in c.run(*run, "root/usr/bin/tsmrun", "--version"):
            fail("tsmrun of %s does not run" % architecture)
        check_exporter(c, tsmc, [*run, "root/usr/bin/tsmc"], architecture)
        if "NEON" in c.run(tools + "-readelf", "-A", libraries + "/libtsmobile.so"):
            fail("%s: Debian's machines need not have NEON" % architecture)


def main():
    build, tsmc = sys.argv[1:]
    for architecture in CROSS:
        check_cross(build, tsmc, architecture)
    with Consumer() as c:
        libraries = make(c, build, c.run("dpkg", "--print-architecture").strip())
        env = {"PKG_CONFIG_PATH": libraries + "/pkgconfig", "LD_LIBRARY_PATH": libraries}
        c.digits(c.path("root/usr/bin/tsmc"))
        c.copy("app/recognize_stdio.c")
        flags = c.run("pkg-config", "--cflags", "--libs", "tsmobile", env=env).split()
        c.run("cc", "recognize_stdio.c", "-o", "recognize", *flags)
        c.recognize(c.path("recognize"), "packages", env=env)
        if VERSION not in c.run("root/usr/bin/tsmrun", "--version", env=env):
            fail("tsmrun of the package does not run")
        for program in ("tsmc", "tsmrun"):
            with open(c.path("root/usr/share/bash-completion/completions/" + program), encoding="utf-8") as f:
                completion = f.read()
            check(c, [c.path("root/usr/bin/" + program)], c.path("root/usr/share/man/man1/%s.1.gz" % program), completion, env)


if __name__ == "__main__":
    main()

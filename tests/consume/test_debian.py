#!/usr/bin/env python3
"""Debian's packages: cpack makes three, lintian finds no error in them, and unpacked they compile a program by
pkg-config and run it with their own tsmc, tsmrun and shared library. The same for arm64 and armhf by cross compilers,
without tsmc: programs run under QEMU, and armhf's use no more of the processor than Debian's other programs.

    test_debian.py BUILD TSMC
"""
import glob
import os
import re
import sys

from consume import SOURCE, VERSION, Consumer, fail


# Debian's name: the tools' prefix, options of CMake, how programs are run.
CROSS = {
    "arm64": ("aarch64-linux-gnu", ["--toolchain", SOURCE + "/toolchain/aarch64.cmake"], ["qemu-aarch64"]),
    "armhf": ("arm-linux-gnueabihf",
              ["--toolchain", SOURCE + "/toolchain/armv7.cmake", "-DCMAKE_C_FLAGS=-mthumb", "-DTSM_NEON=OFF"],
              ["qemu-arm", "-cpu", "cortex-a7"]),
}


def make(c, build, architecture, *options):
    """Makes the packages and unpacks them into the folder root; returns where their libraries are."""
    c.cmake(SOURCE, build, "-DCMAKE_BUILD_TYPE=Release", "-DTSM_BUILD_TESTS=OFF", "-DTSM_BUILD_SHARED=ON",
            "-DCMAKE_INSTALL_PREFIX=/usr", "-DTSM_DEBIAN_CONTACT=A Packager <packager@example.org>", *options)
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
    return os.path.dirname(glob.glob(c.path("root/usr/lib/*/libtsmobile.so"))[0])


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
        run = [*run, "-L", "/usr/" + tools, "-E", "LD_LIBRARY_PATH=" + libraries]
        c.recognize(c.path("recognize"), "packages of " + architecture, runner=run)
        if VERSION not in c.run(*run, "root/usr/bin/tsmrun", "--version"):
            fail("tsmrun of %s does not run" % architecture)
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
        check_pages(c, env)


def check_pages(c, env):
    """Manual pages that man has nothing to say about, and completions, which have what --help has."""
    for program in ("tsmc", "tsmrun"):
        said = c.run("root/usr/bin/" + program, "-h", env=env)
        options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", said))
        page = c.path("root/usr/share/man/man1/%s.1.gz" % program)
        printed = c.run("man", "--warnings", "-l", "-Tascii", page, env={"MANPAGER": "cat", "MANWIDTH": "400", "LC_ALL": "C"})
        completed = c.run("bash", "-c", "source root/usr/share/bash-completion/completions/%s; COMP_WORDS=(%s --); COMP_CWORD=1; "
                          "_%s; printf '%%s\\n' \"${COMPREPLY[@]}\"" % (program, program, program)).split()
        plain = re.sub(r".\x08", "", printed)
        missing = [o for o in options if o not in plain or o not in completed]
        if missing or not options or "warning" in plain:
            fail("%s: manual page or completion lack %s: %s" % (program, missing, plain[:300]))
        print("ok: manual page and completion of %s, %d options" % (program, len(options)))


if __name__ == "__main__":
    main()

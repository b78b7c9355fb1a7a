#!/usr/bin/env python3
"""pkg-config of an installed copy: one compiler call, with the shared library and with everything static.

    test_pkg_config.py PREFIX TSMC
"""
import shutil
import sys

from consume import Consumer, fail


def main():
    prefix, tsmc = sys.argv[1:]
    with Consumer() as c:
        shutil.copytree(prefix, c.path("moved"), symlinks=True)
        c.digits(tsmc)
        c.copy("app/recognize.c")
        env = {"PKG_CONFIG_PATH": c.path("moved/lib/pkgconfig")}
        flags = c.run("pkg-config", "--cflags", "--libs", "tsmobile", env=env).split()
        if c.path("moved") not in " ".join(flags).replace("/lib/pkgconfig/../..", ""):
            fail("pkg-config names %s, not the folder that the copy was moved to" % flags)
        c.run("cc", "recognize.c", "-o", "shared", *flags[:-1], "-ltsmobile_platform", *flags[-1:], "-pthread")
        c.recognize(c.path("shared"), "pkg-config", env={"LD_LIBRARY_PATH": c.path("moved/lib")})
        flags = c.run("pkg-config", "--static", "--cflags", "--libs", "tsmobile", env=env).split()
        c.run("cc", "-static", "recognize.c", "-o", "static", *flags[:2], "-ltsmobile_platform", *flags[2:], "-pthread")
        c.recognize(c.path("static"), "pkg-config --static")


if __name__ == "__main__":
    main()

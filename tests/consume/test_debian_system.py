#!/usr/bin/env python3
"""Debian's packages in a clean Debian 12: apt installs the three with what they ask for and nothing more, tsmc and
tsmrun work as any user's, a compiler that is installed then makes programs by pkg-config, by find_package and by
tsmobile_add_model, with the packages' shared library and static, and nothing is left after they are removed.

    test_debian_system.py BUILD

Needs root and debootstrap (toolchain/setup.sh debian); without them it says so and is skipped. The fresh system, and
what apt fetches into it, stay in BUILD for the next run."""
import glob
import os
import shutil
import subprocess
import sys

from consume import SOURCE, VERSION, Consumer, fail
from test_debian import make

SKIPPED = 77
PACKAGES = {"libtsmobile0", "libtsmobile-dev", "tsmobile-tools"}
# A user's project, in the system's folder of packages.
PROJECT = """cmake_minimum_required(VERSION 3.20)
project(recognizer LANGUAGES C)
find_package(tsmobile REQUIRED)
add_executable(recognize recognize.c)
target_link_libraries(recognize PRIVATE tsmobile::platform tsmobile::tsmobile)
add_executable(embedded recognize_embedded.c)
tsmobile_add_model(embedded digits.pt EXAMPLE digits_example.json)
"""


def why_not():
    if os.geteuid() != 0:
        return "only root can make a system in a folder"
    if not shutil.which("debootstrap"):
        return "debootstrap is not installed: toolchain/setup.sh debian"
    return None


class System:
    """A Debian 12 of its own in a folder."""

    def __init__(self, c, build):
        self.c, self.root, self.fetched = c, c.path("system"), build + "/fetched"
        base = build + "/system.tar"
        os.makedirs(self.fetched, exist_ok=True)
        if not os.path.exists(base):
            c.run("debootstrap", "--variant=minbase", "bookworm", c.path("base"))
            c.run("tar", "-cf", base + ".part", "-C", c.path("base"), ".")
            os.rename(base + ".part", base)
            shutil.rmtree(c.path("base"))
        os.mkdir(self.root)
        c.run("tar", "-xpf", base, "-C", self.root)
        shutil.copy("/etc/resolv.conf", self.root + "/etc")
        self.archives = self.root + "/var/cache/apt/archives"
        for package in glob.glob(self.fetched + "/*.deb"):
            shutil.copy(package, self.archives)
        self.run("useradd", "-m", "user")
        self.home = self.root + "/home/user"

    def run(self, *command, **options):
        return self.c.run("chroot", self.root, *command, env={"DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}, **options)

    def user(self, command, **options):
        """A command line of the user, in the user's folder."""
        return self.run("su", "-", "user", "-c", command, **options)

    def install(self, *names):
        self.run("apt-get", "-q", "-y", "--no-install-recommends", "-o", "APT::Keep-Downloaded-Packages=true",
                 "install", *names)
        for package in glob.glob(self.archives + "/*.deb"):
            if not os.path.exists(os.path.join(self.fetched, os.path.basename(package))):
                shutil.copy(package, self.fetched)

    def packages(self):
        return set(self.run("dpkg-query", "-W", "-f", "${Package} ").split())

    def put(self, *paths):
        """Files for the user."""
        for path in paths:
            shutil.copy(path, self.home)
        self.run("chown", "-R", "user:user", "/home/user")


def use(c, system):
    """The packages' programs alone, then with a compiler."""
    system.put(*(os.path.join(SOURCE, "tests", name) for name in (
        "models/digits.pt", "models/digits_example.json", "consume/app/recognize.c", "consume/app/recognize_stdio.c",
        "consume/app/recognize_embedded.c")), c.path("image.f32"), c.path("CMakeLists.txt"), c.path("image.h"))
    for program in ("tsmc", "tsmrun"):
        if VERSION not in system.user(program + " --version"):
            fail("%s of the package does not run" % program)
    system.user("tsmc digits.pt -o digits.tsm --example digits_example.json --bundle digits_example.json")
    if "kept" not in system.user("tsmrun digits.tsm --info && tsmrun digits.tsm --inputs digits_example.json && echo kept"):
        fail("tsmrun of the package does not run a model")
    print("ok: tsmc and tsmrun with nothing but what their package asks for")

    system.install("gcc", "libc6-dev", "make", "cmake", "pkg-config")
    system.user("cc -Wall -Werror recognize_stdio.c -o shared $(pkg-config --cflags --libs tsmobile)")
    if "libtsmobile.so.0" not in system.user("readelf -d shared"):
        fail("pkg-config does not give the shared library")
    c.check_scores(system.user("./shared digits.tsm image.f32"), "pkg-config in a clean Debian")
    system.user("cc -static recognize_stdio.c -o static $(pkg-config --static --cflags --libs tsmobile)")
    c.check_scores(system.user("./static digits.tsm image.f32"), "pkg-config --static in a clean Debian")
    for shared in ("OFF", "ON"):
        system.user("cmake -S . -B build-{0} -DBUILD_SHARED_LIBS={0} -DCMAKE_BUILD_TYPE=Release && cmake --build build-{0}".format(
            shared))
        c.check_scores(system.user("build-%s/recognize digits.tsm image.f32" % shared),
                       "find_package in a clean Debian, BUILD_SHARED_LIBS=" + shared)
    c.check_scores(system.user("build-OFF/embedded"), "tsmobile_add_model in a clean Debian")


def main():
    build = sys.argv[1]
    reason = why_not()
    if reason:
        print("SKIPPED: the packages were NOT installed in a clean Debian: " + reason)
        sys.exit(SKIPPED)
    with Consumer() as c:
        architecture = c.run("dpkg", "--print-architecture").strip()
        make(c, build, architecture)
        c.digits(c.path("root/usr/bin/tsmc"))
        c.write("CMakeLists.txt", PROJECT)
        c.write("image.h", ", ".join("%rf" % x for x in c.image) + "\n")
        system = System(c, build)
        before = system.packages()
        os.mkdir(system.root + "/packages")
        for package in glob.glob(c.path("*.deb")):
            shutil.copy(package, system.root + "/packages")
        system.run("apt-get", "-q", "update")
        system.install(*("/packages/" + name for name in os.listdir(system.root + "/packages")))
        more = system.packages() - before - PACKAGES
        if not PACKAGES <= system.packages() or more - {"libminizip1"}:
            fail("apt installs %s, too" % sorted(more))
        use(c, system)
        system.run("apt-get", "-q", "-y", "purge", *PACKAGES)
        left = system.run("find", "/usr", "/etc", "/var/lib", "-name", "*tsm*", "-not", "-path", "*/home/*").split()
        if left:
            fail("removed packages leave " + " ".join(left))
        print("ok: removed without a trace")

if __name__ == "__main__":
    main()

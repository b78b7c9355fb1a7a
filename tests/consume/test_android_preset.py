#!/usr/bin/env python3
"""The preset `android` with a folder that has the form of Android's NDK: clang of this machine, our declarations of the
C library, and a toolchain file that tells CMake what the NDK's does; CMake's own modules for Android do the rest. What
is configured, what is said without an NDK or with another folder, and with --build the library, run under QEMU.

    test_android_preset.py TSMC [--build]
"""
import glob
import os
import shutil
import sys

from consume import HERE, SOURCE, Consumer, fail

NAMES = ("ANDROID_NDK_HOME", "ANDROID_NDK_ROOT", "ANDROID_NDK")
# As the NDK's file: ANDROID_ABI and ANDROID_PLATFORM in words of CMake. Our C library has no stdint.h behind clang's.
TOOLCHAIN = """set(CMAKE_SYSTEM_NAME Android)
string(REPLACE android- "" CMAKE_SYSTEM_VERSION ${ANDROID_PLATFORM})
set(CMAKE_ANDROID_ARCH_ABI ${ANDROID_ABI})
get_filename_component(CMAKE_ANDROID_NDK ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_C_FLAGS_INIT "-Wno-builtin-macro-redefined -U__STDC_HOSTED__ -D__STDC_HOSTED__=0")
"""
FILES = {
    "source.properties": "Pkg.Desc = Android NDK\nPkg.Revision = 25.2.9519653\n",
    "build/cmake/android.toolchain.cmake": TOOLCHAIN,
    "build/cmake/platforms.cmake": "set(NDK_MIN_PLATFORM_LEVEL 19)\nset(NDK_MAX_PLATFORM_LEVEL 33)\n",
}
OPTIONS = ["-DTSM_BUILD_SHARED=OFF", "-DTSM_BUILD_RUNNER=OFF", "-DTSM_BUILD_PLATFORM=OFF"]


def make_ndk(c):
    root = c.path("an ndk")
    tools = os.path.join(root, "toolchains/llvm/prebuilt/linux-x86_64")
    for folder in ("bin", "sysroot/usr"):
        os.makedirs(os.path.join(tools, folder))
    shutil.copytree(os.path.join(HERE, "sysroot"), os.path.join(tools, "sysroot/usr/include"))
    for name, text in FILES.items():
        os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
        c.write(os.path.join(root, name), text)
    binaries = os.path.dirname(os.path.realpath(shutil.which("clang")))
    for path in glob.glob(os.path.join(binaries, "llvm-*")) + [os.path.join(binaries, n) for n in ("clang", "clang++", "ld.lld")]:
        if os.path.exists(path):
            os.symlink(path, os.path.join(tools, "bin", os.path.basename(path)))
    return root


def configure(c, build, *options, env=None, status=0):
    clean = {name: "" for name in NAMES}
    return c.run("cmake", "--preset", "android", "-B", build, "-G", "Ninja", *options, cwd=SOURCE, env=dict(clean, **(env or {})), status=status)


def check_errors(c):
    said = configure(c, c.path("none"), status=1)
    if "Android's NDK is needed" not in said or "ANDROID_NDK_HOME" not in said:
        fail("without an NDK: " + said)
    said = configure(c, c.path("wrong"), env={"ANDROID_NDK_HOME": c.folder}, status=1)
    if "is not the folder of an NDK" not in " ".join(said.split()):
        fail("with another folder: " + said)
    print("ok: errors without an NDK")


def check_library(c, tsmc, build):
    """The library of the preset in a program for Linux, which has the same calling convention."""
    c.digits(tsmc)
    c.copy("app/recognize_stdio.c")
    c.run("cmake", "--build", build, "--target", "tsmobile")
    library = os.path.join(build, "lib/libtsmobile.a")
    if "Machine: AArch64" not in " ".join(c.run("llvm-readelf-14", "-h", library).split()):
        fail("the library is for another processor")
    c.run("aarch64-linux-gnu-gcc", "recognize_stdio.c", "-I", os.path.join(SOURCE, "runtime/include"), library, "-lm", "-o", "recognize")
    c.recognize(c.path("recognize"), "the preset android", runner=["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"])


def main():
    tsmc, *options = sys.argv[1:]
    with Consumer() as c:
        check_errors(c)
        ndk, build = make_ndk(c), c.path("build")
        ways = {"ANDROID_NDK_HOME": ("arm64-v8a", build), "ANDROID_NDK_ROOT": ("x86_64", c.path("build-2"))}
        for name, (abi, folder) in ways.items():
            said = configure(c, folder, "-DANDROID_ABI=" + abi, *OPTIONS, env={name: ndk})
            if "ABI '%s'" % abi not in said or "API '21'" not in said:
                fail("%s, %s: %s" % (name, abi, said))
        said = configure(c, c.path("build-3"), "-DTSM_ANDROID_NDK=" + ndk, "-DANDROID_PLATFORM=android-28", *OPTIONS)
        if "ABI 'arm64-v8a'" not in said or "API '28'" not in said:
            fail("TSM_ANDROID_NDK: " + said)
        print("ok: configured for Android in three ways")
        if options:
            check_library(c, tsmc, build)


if __name__ == "__main__":
    main()

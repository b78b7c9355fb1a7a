#!/usr/bin/env python3
"""tsmobile.aar without Android's NDK: its members, one by one; libraries for four ABIs that need of libc and libm only
functions that the runtime may call, in segments that pages of 16 KiB can hold; the same bytes when it is made again;
and answers of the libraries from the archive, run with the C library of Linux on each processor. The classes for Java
run on this machine's JVM with the library for x86-64.

    test_android.py FOLDER TSMC
"""
import json
import os
import re
import shutil
import struct
import sys
import xml.etree.ElementTree
import zipfile

from consume import HERE, SOURCE, Consumer, fail
from test_targets import math_functions

# How a program for Linux with the same calling convention is compiled and run.
ABIS = {
    "arm64-v8a": (["aarch64-linux-gnu-gcc"], ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"], "/usr/aarch64-linux-gnu/lib"),
    "armeabi-v7a": (["arm-linux-gnueabi-gcc", "-march=armv7-a", "-mfpu=neon", "-mfloat-abi=softfp"],
                    ["qemu-arm", "-cpu", "cortex-a7", "-L", "/usr/arm-linux-gnueabi"], "/usr/arm-linux-gnueabi/lib"),
    "x86": (["gcc", "-m32"], [], "/lib32"),
    "x86_64": (["gcc"], [], "/lib/x86_64-linux-gnu"),
}
MODULE = "prefab/modules/tsmobile/"
LIBC = re.compile(r"mem(chr|cmp|cpy|move|set)|raise|__aeabi_mem(cpy|clr|set|move)[48]?")
# What compilers make of sin and cos of one number; Android's libm has it since API 9.
SINCOS = {"sincos", "sincosf"}
# What Android's libc has since API 21 or before.
OF_JNI = {"strlen", "mmap", "munmap", "clock_gettime", "getauxval", "sched_yield", *("pthread_" + name for name in (
    "create", "detach", "mutex_lock", "mutex_unlock", "cond_wait", "cond_broadcast"))}


def wanted_members():
    names = {"AndroidManifest.xml", "R.txt", "classes.jar", "LICENSE", "META-INF/com/android/build/gradle/aar-metadata.properties",
             "proguard.txt", "prefab/prefab.json", MODULE + "module.json", MODULE + "include/tsmobile.h", MODULE + "include/tsmobile.hpp"}
    for abi in ABIS:
        names |= {"jni/%s/libtsmobile.so" % abi, "jni/%s/libtsmobile_jni.so" % abi, MODULE + "libs/android.%s/libtsmobile.so" % abi,
                  MODULE + "libs/android.%s/abi.json" % abi}
    return names


def check_members(c, archive):
    with zipfile.ZipFile(archive) as z:
        if z.testzip() or set(z.namelist()) != wanted_members():
            fail("members of the archive: %s" % (set(z.namelist()) ^ wanted_members()))
        z.extractall(c.path("aar"))
        with open(os.path.join(SOURCE, "runtime/include/tsmobile.h"), "rb") as f:
            if z.read(MODULE + "include/tsmobile.h") != f.read():
                fail("the archive has another tsmobile.h")
        root = xml.etree.ElementTree.fromstring(z.read("AndroidManifest.xml"))
        api = int(root.find("uses-sdk").get("{http://schemas.android.com/apk/res/android}minSdkVersion"))
        prefab, module = json.loads(z.read("prefab/prefab.json")), json.loads(z.read(MODULE + "module.json"))
        if prefab["schema_version"] != 2 or prefab["name"] != "tsmobile" or module["library_name"] != "libtsmobile":
            fail("prefab: %s, %s" % (prefab, module))
        for abi in ABIS:
            said = json.loads(z.read(MODULE + "libs/android.%s/abi.json" % abi))
            if said["abi"] != abi or said["api"] != api or said["stl"] != "none":
                fail("abi.json of %s: %s" % (abi, said))
    print("ok: %d members" % len(wanted_members()))


def symbols(c, library, which):
    return set(re.findall(r" [A-Zw] (\w+)", c.run("llvm-nm-14", "-D", "--%s-only" % which, library)))


def check_headers(c, abi, name, wanted):
    """Segments that pages of 16 KiB can hold, and the libraries that are needed; returns the path."""
    library = c.path("aar/jni/%s/lib%s.so" % (abi, name))
    headers = c.run("llvm-readelf-14", "-lWd", library)
    aligned = [int(a, 16) for a in re.findall(r"^ +LOAD .* (0x[0-9a-f]+)$", headers, re.M)]
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", headers))
    if not aligned or min(aligned) < 16384 or needed != wanted or "[lib%s.so]" % name not in headers:
        fail("%s: segments are aligned to %s, libraries needed %s" % (abi, aligned, needed))
    return library


def check_jni(c, abi):
    """The library has the native methods of Native.java, and needs libtsmobile and a few functions of libc."""
    library = check_headers(c, abi, "tsmobile_jni", {"libtsmobile.so", "libc.so"})
    with open(os.path.join(SOURCE, "platform/java/org/tsmobile/Native.java"), encoding="utf-8") as f:
        methods = {"Java_org_tsmobile_Native_" + name for name in re.findall(r"static native \w+(?:\[\])? (\w+)\(", f.read())}
    other = {n for n in symbols(c, library, "undefined") if not n.startswith("tsm_") and not LIBC.fullmatch(n)} - OF_JNI
    defined = symbols(c, library, "defined")
    if other or defined != methods or len(methods) < 15:
        fail("%s needs %s; methods that differ: %s" % (abi, sorted(other), sorted(defined ^ methods)))


def check_library(c, abi):
    library = check_headers(c, abi, "tsmobile", {"libc.so", "libm.so"})
    missing = symbols(c, library, "undefined")
    other = {n for n in missing if not LIBC.fullmatch(n)} - math_functions() - SINCOS
    with open(os.path.join(HERE, "exports.txt"), encoding="utf-8") as f:
        exports = {line.strip() for line in f if line.startswith("tsm_")}
    defined = symbols(c, library, "defined")
    if other or defined != exports:
        fail("%s needs %s; exports that differ: %s" % (abi, sorted(other), sorted(defined ^ exports)))


def check_answers(c, abi):
    compiler, run, libraries = ABIS[abi]
    folder = c.path("aar/jni/" + abi)
    for name in ("libc", "libm"):
        os.symlink(os.path.join(libraries, name + ".so.6"), os.path.join(folder, name + ".so"))
    c.run(*compiler, "recognize_stdio.c", "-I", c.path("aar", MODULE, "include"), os.path.join(folder, "libtsmobile.so"),
          "-lm", "-o", "recognize", "-Wl,--allow-shlib-undefined")
    environment = ["-E", "LD_LIBRARY_PATH=" + folder] if run else []
    c.recognize(c.path("recognize"), "%s, a library of the archive" % abi, runner=run + environment,
                env=None if run else {"LD_LIBRARY_PATH": folder})


def check_classes(c):
    """classes.jar has the package and nothing else, and runs with the library for x86-64; what shrinkers must keep is
    there."""
    with zipfile.ZipFile(c.path("aar/classes.jar")) as z:
        others = [n for n in z.namelist() if not n.startswith(("org/tsmobile/", "META-INF/"))]
        names = {os.path.basename(n)[:-6] for n in z.namelist() if n.endswith(".class") and "$" not in n}
        newer = [n for n in z.namelist() if n.endswith(".class") and z.read(n)[6:8] != b"\0\x34"]  # Java 8
    package = os.path.join(SOURCE, "platform/java/org/tsmobile")
    wanted = {n[:-5] for n in os.listdir(package) if n.endswith(".java")} | {"KotlinExtensions"}
    if others or newer or names != wanted:
        fail("classes.jar: %s, %s, %s" % (others, newer, names ^ wanted))
    with open(c.path("aar/proguard.txt"), encoding="utf-8") as f:
        for name in re.findall(r"class (org\.tsmobile\.\w+)", f.read()):
            if name.rpartition(".")[2] not in names:
                fail("proguard.txt names %s" % name)
    jni = c.path("aar/jni/x86_64")
    c.run("javac", "-cp", "aar/classes.jar", "-d", "java", os.path.join(SOURCE, "tests/java/Recognize.java"))
    said = c.run("java", "-Xcheck:jni", "-Djava.library.path=" + jni, "-cp", "aar/classes.jar:java", "Recognize", "digits.tsm", "image.f32",
                 env={"LD_LIBRARY_PATH": jni})
    c.check_scores(said, "the archive's classes")


def check_asset(c):
    """A model in an APK that was aligned to 64 bytes is used where it lies; at a multiple of four it is refused."""
    with zipfile.ZipFile(c.path("plain.apk"), "w") as z:
        z.writestr("assets/odd", "12345")
        z.write(c.path("digits.tsm"), "assets/digits.tsm")
    c.run("zipalign", "-f", "64", "plain.apk", "app.apk")
    with zipfile.ZipFile(c.path("app.apk")) as z, open(c.path("app.apk"), "rb") as f:
        info = z.getinfo("assets/digits.tsm")
        f.seek(info.header_offset + 26)
        name, extra = struct.unpack("<HH", f.read(4))
        offset = info.header_offset + 30 + name + extra
    c.run("cc", "asset.c", "-I", c.path("aar", MODULE, "include"), c.path("aar/jni/x86_64/libtsmobile.so"), "-lm", "-o", "asset",
          "-Wl,--allow-shlib-undefined")
    env = {"LD_LIBRARY_PATH": c.path("aar/jni/x86_64")}
    c.run(c.path("asset"), "app.apk", offset, info.file_size, env=env)
    c.write("wrong.apk", "")
    with open(c.path("wrong.apk"), "wb") as f, open(c.path("app.apk"), "rb") as g:
        f.write(b"....")
        f.write(g.read())
    said = c.run(c.path("asset"), "wrong.apk", offset + 4, info.file_size, env=env, status=3)
    if "multiple of 64 bytes" not in said:
        fail("a model at a multiple of four: " + said)
    print("ok: an asset of an APK")


def main():
    folder, tsmc = sys.argv[1:]
    make = [sys.executable, os.path.join(SOURCE, "toolchain/android_aar.py"), SOURCE, folder]
    with Consumer() as c:
        c.digits(tsmc)
        c.copy("app/recognize_stdio.c", "app/asset.c")
        c.run(*make)
        shutil.copy(os.path.join(folder, "tsmobile.aar"), c.path("first.aar"))
        check_members(c, c.path("first.aar"))
        for abi in ABIS:
            check_library(c, abi)
            check_jni(c, abi)
            check_answers(c, abi)
        check_classes(c)
        check_asset(c)
        c.run(*make)
        with open(c.path("first.aar"), "rb") as f, open(os.path.join(folder, "tsmobile.aar"), "rb") as g:
            if f.read() != g.read():
                fail("made again, the archive is other bytes")
        print("ok: the same bytes when it is made again")


if __name__ == "__main__":
    main()

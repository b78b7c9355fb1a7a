#!/usr/bin/env python3
"""Makes tsmobile.aar: libtsmobile.so for Android's four ABIs with headers, as Gradle and the NDK's CMake find them
(Prefab), and the package org.tsmobile for Java and Kotlin with libtsmobile_jni.so, which uses that library.

    android_aar.py SOURCE FOLDER [NDK]

FOLDER gets builds, a folder for each ABI, and tsmobile.aar, which is the same bytes whenever the libraries are.
Without the NDK, clang compiles with the headers of tests/consume/sysroot and sysroot_jni, and libraries are linked with
libm.so and libc.so that only say which functions there are. The classes are compiled by javac and kotlinc; jni.h is the
JDK's or the NDK's."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "platform/java"))
from make_jar import add, make as make_jar  # noqa: E402

API = 21
ABIS = {
    "arm64-v8a": "aarch64-linux-android",
    "armeabi-v7a": "armv7a-linux-androideabi",
    "x86": "i686-linux-android",
    "x86_64": "x86_64-linux-android",
}
# The compiler's own library where Debian has it: 64-bit arithmetic of 32-bit processors.
BUILTINS = {
    "armeabi-v7a": "/usr/lib/gcc-cross/arm-linux-gnueabi/*/libgcc.a",
    "x86": "/usr/lib/llvm-14/lib/clang/*/lib/linux/libclang_rt.builtins-i386.a",
}
# What of the wanted functions is in libc; the others are in libm.
LIBC = re.compile(r"mem\w+|raise|__aeabi_mem\w+|strlen|m(un)?map|clock_gettime|getauxval|pthread_\w+|sched_yield")
PARTS = ["-DTSM_%s=OFF" % x for x in ("BUILD_TESTS", "BUILD_RUNNER", "BUILD_EXPORTER", "BUILD_PLATFORM", "INSTALL")]
# Pages of 16 KiB: Android 15 and later may have them.
LINK = ["-shared", "-Wl,-z,max-page-size=16384", "-Wl,-z,relro", "-Wl,-z,now",
        "-Wl,--build-id=sha1", "-Wl,--gc-sections", "-Wl,-s"]
# Without an NDK's headers: the compiler's own as if there were no C library, code as for one.
NO_NDK = "-nostdlibinc -Wno-builtin-macro-redefined -U__STDC_HOSTED__ -D__STDC_HOSTED__=0"
METADATA = "META-INF/com/android/build/gradle/aar-metadata.properties"
MANIFEST = """<?xml version="1.0" encoding="utf-8"?>
<manifest xmlns:android="http://schemas.android.com/apk/res/android" package="org.tsmobile">
    <uses-sdk android:minSdkVersion="%d"/>
</manifest>
""" % API


def run(*command, **how):
    return subprocess.run(command, check=True, **how)


def configure(source, build, abi, ndk):
    triple = ABIS[abi] + str(API)
    options = ["-DCMAKE_BUILD_TYPE=Release", *PARTS]
    if ndk:
        options += ["-DCMAKE_TOOLCHAIN_FILE=" + os.path.join(ndk, "build/cmake/android.toolchain.cmake"),
                    "-DANDROID_ABI=" + abi, "-DANDROID_PLATFORM=android-%d" % API]
    else:
        options += ["-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_C_COMPILER=clang", "-DCMAKE_ASM_COMPILER=clang",
                    "-DCMAKE_C_COMPILER_TARGET=" + triple, "-DCMAKE_ASM_COMPILER_TARGET=" + triple,
                    "-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY", "-DCMAKE_AR=/usr/bin/llvm-ar-14",
                    "-DCMAKE_RANLIB=/usr/bin/llvm-ranlib-14", "-DCMAKE_C_FLAGS=%s -isystem " % NO_NDK +
                    os.path.join(source, "tests/consume/sysroot") + " -ffile-prefix-map=%s=." % os.path.abspath(source)]
    ninja = ["-G", "Ninja"] if shutil.which("ninja") else []
    run("cmake", "-S", source, "-B", build, *ninja, *options, stdout=subprocess.DEVNULL)


def stub(compiler, build, name, functions):
    """A library that defines the functions' names, so that those who are linked with it name it."""
    path = os.path.join(build, name)
    lines = "".join(".globl %s\n.type %s,%%function\n%s:\n" % (f, f, f) for f in sorted(functions))
    with open(path + ".s", "w", encoding="utf-8") as f:
        f.write(".text\n" + lines)
    run(*compiler, "-c", path + ".s", "-o", path + ".o")
    run(*compiler, "-shared", "-nostdlib", "-fuse-ld=lld", "-Wl,-soname," + name, path + ".o", "-o", path)
    return path


def link(build, abi, ndk, name, parts):
    """Makes lib`name`.so of `parts`, objects and libraries."""
    library = os.path.join(build, "lib%s.so" % name)
    compiler = ["clang"]
    if ndk:
        compiler = glob.glob(os.path.join(ndk, "toolchains/llvm/prebuilt/*/bin/clang"))
    compiler += ["--target=" + ABIS[abi] + str(API)]
    options = [*LINK, "-Wl,-soname,lib%s.so" % name]
    if ndk:
        run(*compiler, *options, *parts, "-lm", "-lc", "-Wl,-z,defs", "-o", library)
        return library
    built_in = glob.glob(BUILTINS[abi]) if abi in BUILTINS else []
    hidden = ["-Wl,--exclude-libs," + os.path.basename(b) for b in built_in]
    command = [*compiler, *options, "-nostdlib", "-fuse-ld=lld", *parts, *built_in, *hidden]
    run(*command, "-o", library)
    listed = run("llvm-nm-14", "-D", "--undefined-only", library, capture_output=True, text=True).stdout
    wanted = {f for f in re.findall(r" U (\w+)", listed) if not f.startswith("tsm_")}
    of_libc = {name for name in wanted if LIBC.fullmatch(name)}
    stubs = [stub(compiler, build, "libc.so", of_libc)]
    if wanted - of_libc:
        stubs.append(stub(compiler, build, "libm.so", wanted - of_libc))
    run(*command, *stubs, "-Wl,-z,defs", "-o", library)
    return library


def java_headers(ndk):
    """Options by which the compiler finds jni.h, which says the same for every processor."""
    if ndk:
        return []
    folders = glob.glob("/usr/lib/jvm/default-java/include") + glob.glob(os.path.join(os.environ.get("JAVA_HOME", "/usr"), "include"))
    folder = next((f for f in folders if os.path.exists(os.path.join(f, "jni.h"))), None)
    if not folder:
        sys.exit("jni.h is not installed; `toolchain/setup.sh java` installs it")
    return ["-isystem", folder, "-isystem", os.path.join(folder, "linux")]


def compile_jni(source, build, abi, ndk):
    """The objects of libtsmobile_jni."""
    compiler = glob.glob(os.path.join(ndk, "toolchains/llvm/prebuilt/*/bin/clang")) if ndk else ["clang"]
    headers = [] if ndk else [*NO_NDK.split()]
    for folder in [] if ndk else ["tests/consume/sysroot", "tests/consume/sysroot_jni"]:
        headers += ["-isystem", os.path.join(source, folder)]
    objects = []
    for name in ("java/jni/module", "java/jni/values", "posix/threads"):
        objects.append(os.path.join(build, "jni_%s.o" % os.path.basename(name)))
        run(*compiler, "--target=" + ABIS[abi] + str(API), "-O2", "-std=gnu11", "-fPIC", "-fvisibility=hidden", "-Wall", "-Werror",
            *headers, *java_headers(ndk), "-I", os.path.join(source, "runtime/include"), "-I", source, "-c",
            os.path.join(source, "platform/%s.c" % name), "-o", objects[-1])
    return objects


def as_json(value):
    return (json.dumps(value, indent=2) + "\n").encode()


def members(source, libraries, version, folder):
    made = {"AndroidManifest.xml": MANIFEST.encode(), "R.txt": b"", METADATA: b"aarFormatVersion=1.0\naarMetadataVersion=1.0\n",
            "prefab/prefab.json": as_json({"schema_version": 2, "name": "tsmobile", "version": version, "dependencies": []}),
            "prefab/modules/tsmobile/module.json": as_json({"export_libraries": ["-lm"], "library_name": "libtsmobile"})}
    files = {"classes.jar": make_jar(source, os.path.join(folder, "java")), "LICENSE": os.path.join(source, "LICENSE"),
             "proguard.txt": os.path.join(source, "platform/java/proguard.txt")}
    for name in ("tsmobile.h", "tsmobile.hpp"):
        files["prefab/modules/tsmobile/include/" + name] = os.path.join(source, "runtime/include", name)
    for abi, (library, jni) in libraries.items():
        place = "prefab/modules/tsmobile/libs/android." + abi
        made[place + "/abi.json"] = as_json({"abi": abi, "api": API, "ndk": 21, "stl": "none", "static": False})
        files[place + "/libtsmobile.so"] = files["jni/%s/libtsmobile.so" % abi] = library
        files["jni/%s/libtsmobile_jni.so" % abi] = jni
    for name, path in files.items():
        with open(path, "rb") as f:
            made[name] = f.read()
    return made


def main():
    source, folder, *ndk = sys.argv[1:]
    ndk = ndk[0] if ndk and ndk[0] else None
    libraries = {}
    for abi in ABIS:
        build = os.path.join(folder, abi)
        configure(source, build, abi, ndk)
        run("cmake", "--build", build, "--target", "tsmobile", stdout=subprocess.DEVNULL)
        whole = ["-Wl,--whole-archive", os.path.join(build, "lib/libtsmobile.a"), "-Wl,--no-whole-archive"]
        library = link(build, abi, ndk, "tsmobile", whole)
        libraries[abi] = library, link(build, abi, ndk, "tsmobile_jni", [*compile_jni(source, build, abi, ndk), library])
    with open(os.path.join(source, "runtime/include/tsmobile.h"), encoding="utf-8") as f:
        version = re.search(r'TSM_VERSION_STRING "(.*)"', f.read())[1]
    with zipfile.ZipFile(os.path.join(folder, "tsmobile.aar"), "w") as z:
        for name, data in sorted(members(source, libraries, version, folder).items()):
            add(z, name, data)


if __name__ == "__main__":
    main()

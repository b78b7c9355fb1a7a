#!/usr/bin/env python3
"""tsmobile.xcframework and its Swift package without Xcode: members, Info.plist, module map; static libraries and
dylibs for every processor, which export tsm_ functions only; nullability as Objective-C's compiler sees it; a program
with a model, linked for each platform with its own operators. Nothing is run: there is no Mac.

    test_apple.py TSMC OPERATOR_TABLE.c
"""
import glob
import os
import plistlib
import re
import sys

from consume import HERE, SOURCE, Consumer, fail

# By folder of the framework: processors, and what the linker and load commands call platform and oldest version.
SLICES = {
    "ios-arm64": (["arm64"], "ios", "15.0", ("ios", None)),
    "ios-arm64_x86_64-simulator": (["arm64", "x86_64"], "ios-simulator", "15.0", ("ios", "simulator")),
    "macos-arm64_x86_64": (["arm64", "x86_64"], "macos", "11.0", ("macos", None)),
}
# LC_BUILD_VERSION's numbers of platforms.
NUMBERS = {"macos": 1, "ios": 2, "ios-simulator": 7}
MEMBERS = ["libtsmobile.a", "Headers/tsmobile.h", "Headers/tsmobile.hpp", "Headers/tsmobile/module.modulemap",
           "Headers/tsmobile/tsmobile.h", "Headers/tsmobile/tsmobile.hpp"]
SWIFT = sorted(os.listdir(os.path.join(SOURCE, "platform/swift/TSMobile")))
PACKAGE = ["LICENSE", "Package.swift", *["Sources/Swift/" + n for n in SWIFT], "Sources/tsmobile/include/module.modulemap",
           "Sources/tsmobile/include/tsmobile.h", "Sources/tsmobile/tsmobile.c"]
MODULE = """@import tsmobile;
tsm_status first(const tsm_program *program, tsm_instance *inst, tsm_value *out);
tsm_status first(const tsm_program *program, tsm_instance *inst, tsm_value *out) {
    return tsm_call(inst, tsm_method(program, %s), NULL, 0, out);
}
"""
PROGRAM = """#include "digits.h"
static _Alignas(64) unsigned char buffer[DIGITS_FORWARD_BUFFER_BYTES];
int main(void) {
    static float image[DIGITS_FORWARD_IMAGE_ELEMENTS], scores[DIGITS_FORWARD_RESULT_ELEMENTS];
    digits d;
    return digits_open(&d, NULL, buffer, sizeof buffer) != TSM_OK || digits_forward(&d, image, scores) != TSM_OK;
}
"""


def files_below(folder):
    return {os.path.relpath(f, folder) for f in glob.glob(os.path.join(folder, "**"), recursive=True) if os.path.isfile(f)}


def check_members(c, framework):
    wanted = {"Info.plist"} | {os.path.join(s, m) for s in SLICES for m in MEMBERS}
    if files_below(framework) != wanted:
        fail("members of the framework: %s" % sorted(files_below(framework) ^ wanted))
    listed = {f for f in files_below(c.path("apple")) if not f.startswith(("tsmobile.xcframework/", "dylib/"))}
    if listed != set(PACKAGE):
        fail("members of the package: %s" % sorted(listed ^ set(PACKAGE)))
    with open(os.path.join(SOURCE, "runtime/include/tsmobile.h"), encoding="utf-8") as f:
        header = f.read()
    for name in glob.glob(os.path.join(framework, "*/Headers/tsmobile/tsmobile.h")):
        with open(name, encoding="utf-8") as f:
            if f.read() != header:
                fail("%s is another tsmobile.h" % name)
    with open(c.path("apple/Package.swift"), encoding="utf-8") as f:
        named = re.findall(r'\b(?:path|publicHeadersPath): "([^"]+)"', f.read())
    if sorted(named) != ["Sources/Swift", "Sources/tsmobile", "Sources/tsmobile/include", "include", "tsmobile.xcframework"]:
        fail("Package.swift names %s" % named)
    print("ok: %d members of the framework, %d of the package" % (len(wanted), len(PACKAGE)))


def check_plist(framework):
    with open(os.path.join(framework, "Info.plist"), "rb") as f:
        info = plistlib.load(f)
    rows = {row["LibraryIdentifier"]: row for row in info["AvailableLibraries"]}
    if info["CFBundlePackageType"] != "XFWK" or info["XCFrameworkFormatVersion"] != "1.0" or set(rows) != set(SLICES):
        fail("Info.plist: %s" % info)
    for name, (archs, _, _, system) in SLICES.items():
        row = rows[name]
        said = (row["SupportedPlatform"], row.get("SupportedPlatformVariant"))
        if said != system or row["SupportedArchitectures"] != archs:
            fail("Info.plist says of %s: %s" % (name, row))
        for key in ("LibraryPath", "HeadersPath"):
            if not os.path.exists(os.path.join(framework, name, row[key])):
                fail("Info.plist names %s, which is not there" % row[key])
    print("ok: Info.plist")


def check_library(c, name, folder, exports):
    """A platform's libraries: processors, platform, what they export and need."""
    archs, platform, version, _ = SLICES[name]
    static, dylib = os.path.join(folder, "libtsmobile.a"), c.path("apple/dylib", name, "libtsmobile.dylib")
    for library in (static, dylib):
        headers = c.run("llvm-objdump-14", "--macho", "--private-headers", "--arch=all", library)
        found = sorted(set(re.findall(r"MH_MAGIC_64 +(\w+)", headers)))
        if found != [arch.upper() for arch in archs]:
            fail("%s is for %s" % (library, found))
    for arch in archs:
        external = re.findall(r" external (\w+)$", re.sub(r".*private external.*|.*\(undefined\).*", "", c.run(
            "llvm-nm-14", "--quiet", "-m", "--arch=" + arch, static)), re.M)
        exported = [line.split()[-1] for line in c.run("llvm-nm-14", "-g", "--defined-only", "--arch=" + arch, dylib).splitlines()
                    if " T " in line]
        for what, names in (("libtsmobile.a", external), ("libtsmobile.dylib", exported)):
            if set(names) != exports:
                fail("%s of %s, %s: exports that differ: %s" % (what, name, arch, sorted(set(names) ^ exports)))
        commands = c.run("llvm-objdump-14", "--macho", "--private-headers", "--arch=" + arch, dylib)
        said = re.search(r"LC_BUILD_VERSION\n.*\n +platform (\w+)\n(?:.*\n)? +minos ([\d.]+)", commands)
        names = re.findall(r"^ +name (\S+)", commands, re.M)
        if not said or said[1] not in (str(NUMBERS[platform]), platform, platform.replace("-", "")) or said[2] != version:
            fail("%s, %s: %s" % (name, arch, said[0] if said else "no LC_BUILD_VERSION"))
        if names != ["@rpath/libtsmobile.dylib", "/usr/lib/libSystem.B.dylib"]:
            fail("%s, %s: libraries %s" % (name, arch, names))
    print("ok: %s" % name)


def check_module(c, headers):
    """The module map is read, and clang knows which arguments may be NULL."""
    c.write("first.m", MODULE % '"forward"')
    c.write("null.m", MODULE % "NULL")
    command = ["clang", "--target=arm64-apple-ios15", "-nostdlibinc", "-fmodules", "-fmodules-cache-path=" + c.path("cache"), "-Wall",
               "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-I" + headers]
    c.run(*command, "first.m")
    if "null passed to a callee that requires a non-null argument" not in c.run(*command, "null.m", status=1):
        fail("clang does not see that a method's name may not be NULL")
    c.write("both.m", '#include <tsmobile.h>\n' + MODULE % '"forward"')
    c.run(*command, "both.m")
    print("ok: the module map, and which pointers may be NULL")


def check_program(c, name, folder):
    """A program with a model brings the operators that it needs; the library's table is not linked then."""
    archs, platform, version, _ = SLICES[name]
    for arch in archs:
        system = platform.replace("-simulator", "") + version + ("-simulator" if "simulator" in platform else "")
        objects = []
        for source in ("program.c", "digits.c", "operators.c"):
            objects.append(source + ".o")
            c.run("clang", "--target=%s-apple-%s" % (arch, system), "-nostdlibinc", "-isystem", os.path.join(HERE, "sysroot"),
                  "-I" + os.path.join(folder, "Headers"), "-O1", "-Wall", "-Wextra", "-Werror", "-c", source, "-o", objects[-1])
        link = ["ld64.lld-14", "-arch", arch, "-platform_version", platform, version, version, "-dead_strip", "-e", "_main",
                os.path.join(folder, "libtsmobile.a"), os.path.join(SOURCE, "toolchain/apple/libSystem.tbd")]
        c.run(*link, *objects, "-o", "selected")
        c.run(*link, *objects[:2], "-o", "every")
        sizes = [int(c.run("llvm-size-14", "-A", x).split("__text")[1].split()[0]) for x in ("selected", "every")]
        if sizes[0] * 3 > sizes[1]:
            fail("%s, %s: code of %d bytes with the model's operators, of %d with all" % (name, arch, *sizes))
        print("ok: a program for %s, %s: %d bytes of code, %d with all operators" % (platform, arch, *sizes))


def main():
    tsmc, table = sys.argv[1:]
    with open(os.path.join(HERE, "exports.txt"), encoding="utf-8") as f:
        exports = {"_" + line.strip() for line in f if line.startswith("tsm_")}
    with Consumer() as c:
        c.run(sys.executable, os.path.join(SOURCE, "toolchain/amalgamate.py"), SOURCE, table, c.path("one"))
        c.run(sys.executable, os.path.join(SOURCE, "toolchain/apple_xcframework.py"), SOURCE, c.path("one"), c.path("apple"))
        framework = c.path("apple/tsmobile.xcframework")
        check_members(c, framework)
        check_plist(framework)
        c.run(tsmc, os.path.join(SOURCE, "tests/models/digits.pt"), "-o", "digits.tsm", "--example",
              os.path.join(SOURCE, "tests/models/digits_example.json"))
        c.run(tsmc, "digits.tsm", "--emit-c", c.folder)
        c.write("program.c", PROGRAM)
        for name in SLICES:
            check_library(c, name, os.path.join(framework, name), exports)
            check_program(c, name, os.path.join(framework, name))
        check_module(c, os.path.join(framework, "ios-arm64/Headers"))


if __name__ == "__main__":
    main()

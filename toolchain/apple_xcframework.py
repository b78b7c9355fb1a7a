#!/usr/bin/env python3
"""Makes tsmobile.xcframework, static libraries for iOS, its simulator and macOS, from libtsmobile as one source file,
and the Swift package that names it.

    apple_xcframework.py SOURCE AMALGAMATION FOLDER

FOLDER gets Package.swift, tsmobile.xcframework, Sources/Swift (the module TSMobile), Sources/tsmobile (the package's
other ways: the source file, and the headers for Linux), and libtsmobile.dylib of each platform in dylib/PLATFORM. On a
Mac the tools are Xcode's. Elsewhere they are clang and lld, with headers of tests/consume/sysroot and
toolchain/apple/libSystem.tbd, a list of the C library's functions."""
import collections
import os
import plistlib
import shutil
import subprocess
import sys

IOS, MACOS = "15.0", "11.0"
# Name and variant in Info.plist, the linker's name, the oldest version, the triple's end, and processors.
Platform = collections.namedtuple("Platform", "name variant linker version system archs")
# By Xcode's name of the SDK.
PLATFORMS = {
    "iphoneos": Platform("ios", None, "ios", IOS, "ios" + IOS, ["arm64"]),
    "iphonesimulator": Platform("ios", "simulator", "ios-simulator", IOS, "ios%s-simulator" % IOS, ["arm64", "x86_64"]),
    "macosx": Platform("macos", None, "macos", MACOS, "macos" + MACOS, ["arm64", "x86_64"]),
}
FLAGS = ["-O2", "-std=gnu11", "-fno-math-errno", "-fno-trapping-math", "-fPIC"]
LINK = ["-dead_strip", "-install_name", "@rpath/libtsmobile.dylib"]
HERE = os.path.dirname(os.path.abspath(__file__))
# Without Apple's headers: the compiler's own as if there were no C library, code as for one.
NO_SDK = ["-nostdlibinc", "-Wno-builtin-macro-redefined", "-U__STDC_HOSTED__", "-D__STDC_HOSTED__=0"]


def run(*command):
    subprocess.run(command, check=True)


class Tools:
    """The programs that compile and link for one SDK."""

    def __init__(self, source, sdk):
        self.sdk, self.xcode = sdk, shutil.which("xcrun")
        self.headers = [] if self.xcode else NO_SDK + ["-isystem", os.path.join(source, "tests/consume/sysroot")]

    def tool(self, name):
        """A program of Xcode, or LLVM's of another name."""
        llvm = {"clang": "clang", "libtool": "llvm-libtool-darwin-14", "lipo": "llvm-lipo-14"}
        return ["xcrun", "--sdk", self.sdk, name] if self.xcode else [llvm[name]]

    def compile(self, triple, file, result):
        run(*self.tool("clang"), "--target=" + triple, *self.headers, *FLAGS, "-c", file, "-o", result)

    def archive(self, file, result):
        run(*self.tool("libtool"), "-static", "-o", result, file)

    def dylib(self, arch, triple, file, result):
        platform = PLATFORMS[self.sdk]
        if self.xcode:
            options = ["-Wl," + ",".join(LINK)]
            run(*self.tool("clang"), "--target=" + triple, "-dynamiclib", *options, file, "-o", result)
        else:
            run("ld64.lld-14", "-dylib", "-arch", arch, "-platform_version", platform.linker, platform.version, platform.version,
                *LINK, file, os.path.join(HERE, "apple/libSystem.tbd"), "-o", result)

    def join(self, files, result):
        """One file for all processors."""
        if len(files) == 1:
            shutil.copy(files[0], result)
        else:
            run(*self.tool("lipo"), "-create", *files, "-output", result)


def identifier(sdk):
    platform = PLATFORMS[sdk]
    return "-".join([platform.name, "_".join(platform.archs)] + ([platform.variant] if platform.variant else []))


def build(source, amalgamation, folder, sdk):
    """Compiles for every processor of the platform; makes its libtsmobile.a and libtsmobile.dylib."""
    tools, made = Tools(source, sdk), {"a": [], "dylib": []}
    objects = os.path.join(folder, "objects")
    os.makedirs(objects, exist_ok=True)
    for arch in PLATFORMS[sdk].archs:
        path, triple = os.path.join(objects, sdk + "-" + arch), "%s-apple-%s" % (arch, PLATFORMS[sdk].system)
        tools.compile(triple, os.path.join(amalgamation, "tsmobile.c"), path + ".o")
        tools.archive(path + ".o", path + ".a")
        tools.dylib(arch, triple, path + ".o", path + ".dylib")
        for kind, files in made.items():
            files.append(path + "." + kind)
    places = {"a": os.path.join(folder, "tsmobile.xcframework", identifier(sdk)),
              "dylib": os.path.join(folder, "dylib", identifier(sdk))}
    for kind, files in made.items():
        os.makedirs(places[kind], exist_ok=True)
        tools.join(files, os.path.join(places[kind], "libtsmobile." + kind))
    return places["a"]


def write(folder, name, text):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
        f.write(text)


def copy(files, folder):
    os.makedirs(folder, exist_ok=True)
    for file in files:
        shutil.copy(file, folder)


def put_headers(source, folder):
    """Headers of a module in a folder of its name, so that other libraries' module maps do not overwrite it in an app's
    build; beside it a header for programs that write <tsmobile.h>."""
    public = [os.path.join(source, "runtime/include", name) for name in ("tsmobile.h", "tsmobile.hpp")]
    copy(public + [os.path.join(HERE, "apple/module.modulemap")], os.path.join(folder, "tsmobile"))
    for name in ("tsmobile.h", "tsmobile.hpp"):
        write(folder, name, "/* Forwards to the module's header. */\n#include \"tsmobile/%s\"\n" % name)


def put_package(source, amalgamation, folder):
    """The Swift package, but for the framework."""
    package = os.path.join(folder, "Sources/tsmobile")
    shutil.rmtree(os.path.join(folder, "Sources"), ignore_errors=True)
    copy([os.path.join(amalgamation, "tsmobile.c")], package)
    copy([os.path.join(amalgamation, "tsmobile.h"), os.path.join(HERE, "apple/module.modulemap")],
         os.path.join(package, "include"))
    shutil.copytree(os.path.join(source, "platform/swift/TSMobile"), os.path.join(folder, "Sources/Swift"))
    copy([os.path.join(HERE, "apple/Package.swift"), os.path.join(source, "LICENSE")], folder)


def info():
    libraries = []
    for sdk, platform in PLATFORMS.items():
        row = {"LibraryIdentifier": identifier(sdk), "LibraryPath": "libtsmobile.a", "HeadersPath": "Headers",
               "SupportedArchitectures": platform.archs, "SupportedPlatform": platform.name}
        libraries.append(dict(row, SupportedPlatformVariant=platform.variant) if platform.variant else row)
    return {"AvailableLibraries": libraries, "CFBundlePackageType": "XFWK", "XCFrameworkFormatVersion": "1.0"}


def main():
    source, amalgamation, folder = sys.argv[1:]
    framework = os.path.join(folder, "tsmobile.xcframework")
    for old in (framework, os.path.join(folder, "dylib")):
        shutil.rmtree(old, ignore_errors=True)
    for sdk in PLATFORMS:
        put_headers(source, os.path.join(build(source, amalgamation, folder, sdk), "Headers"))
    with open(os.path.join(framework, "Info.plist"), "wb") as f:
        plistlib.dump(info(), f)
    put_package(source, amalgamation, folder)
    shutil.rmtree(os.path.join(folder, "objects"))


if __name__ == "__main__":
    main()

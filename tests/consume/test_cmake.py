#!/usr/bin/env python3
"""find_package(tsmobile) of an installed copy: static and shared, C and C++, after the copy was moved, and a version
that it is not.

    test_cmake.py PREFIX TSMC
"""
import shutil
import sys

from consume import VERSION, Consumer, fail

PROJECT = """cmake_minimum_required(VERSION 3.20)
project(recognizer LANGUAGES C CXX)
find_package(tsmobile @VERSION@ REQUIRED)
add_executable(recognize recognize.c)
target_link_libraries(recognize PRIVATE tsmobile::platform tsmobile::tsmobile)
target_compile_options(recognize PRIVATE -Wall -Wextra -Wpedantic -Werror)
configure_file(recognize.c recognize_cxx.cc COPYONLY)
foreach(kind 17 17_plain)
    add_executable(recognize_cxx${kind} recognize_cxx17.cc)
    target_link_libraries(recognize_cxx${kind} PRIVATE tsmobile::platform tsmobile::tsmobile)
    target_compile_options(recognize_cxx${kind} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
    target_compile_features(recognize_cxx${kind} PRIVATE cxx_std_17)
endforeach()
target_compile_options(recognize_cxx17_plain PRIVATE -fno-exceptions -fno-rtti)
add_executable(recognize_cxx ${CMAKE_CURRENT_BINARY_DIR}/recognize_cxx.cc)
target_link_libraries(recognize_cxx PRIVATE tsmobile::platform tsmobile::tsmobile)
target_compile_options(recognize_cxx PRIVATE -Wall -Wextra -Wpedantic -Werror)
target_compile_features(recognize_cxx PRIVATE cxx_std_11)
"""


def main():
    prefix, tsmc = sys.argv[1:]
    with Consumer() as c:
        shutil.copytree(prefix, c.path("moved"), symlinks=True)
        c.digits(tsmc)
        c.copy("app/recognize.c", "app/recognize_cxx17.cc")
        c.write("CMakeLists.txt", PROJECT.replace("@VERSION@", VERSION))
        options = ["-DCMAKE_PREFIX_PATH=" + c.path("moved"), "-DTSMC_EXECUTABLE=" + tsmc, "-DCMAKE_BUILD_TYPE=Release"]
        for shared in ("OFF", "ON"):
            build = "build-" + shared
            c.cmake(".", build, *options, "-DBUILD_SHARED_LIBS=" + shared)
            for program in ("recognize", "recognize_cxx", "recognize_cxx17", "recognize_cxx17_plain"):
                linked = "libtsmobile.so.0 =>" in c.run("ldd", build + "/" + program)
                if linked != (shared == "ON"):
                    fail("BUILD_SHARED_LIBS=%s: %s links %s library" % (shared, program, "the shared" if linked else "no shared"))
                c.recognize(c.path(build, program), "%s by find_package, BUILD_SHARED_LIBS=%s" % (program, shared))
        c.write("CMakeLists.txt", PROJECT.replace("@VERSION@", "9.1"))
        if "compatible" not in c.run("cmake", "-S", ".", "-B", "newer", *options, status=1):
            fail("find_package(tsmobile 9.1) says nothing of versions")
        print("ok: a version that is not installed is refused")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The boards' packages: what describes them names what is in them, and the keyword-spotting example of each is built
from the package and run in QEMU: Zephyr's on a Cortex-M4F, PlatformIO's on a Cortex-M7, the CMSIS-Pack's on a
Cortex-M55, Arduino's as a Cortex-M0+ executes it, ESP-IDF's as RV32IMC. The build systems themselves are not here: a
few lines stand for the functions that the packages call.

    test_boards.py TSMC OPERATOR_TABLE.c
"""
import json
import os
import re
import shutil
import sys
import xml.etree.ElementTree

from consume import SOURCE, VERSION, Consumer, fail

ARM = ["arm-none-eabi-gcc", "--specs=picolibc.specs", "-mthumb"]
M0 = ARM + ["-mcpu=cortex-m0plus"]
M4F = ARM + ["-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"]
M7 = ARM + ["-mcpu=cortex-m7", "-mfpu=fpv5-d16", "-mfloat-abi=hard"]
M55 = ARM + ["-mcpu=cortex-m55", "-mfloat-abi=hard", "-fno-if-conversion2"]
RV32 = ["riscv64-unknown-elf-gcc", "--specs=picolibc.specs", "-march=rv32imc", "-mabi=ilp32"]
FLAGS = ["-Os", "-Wall", "-Wextra", "-Werror", "-ffunction-sections", "-fdata-sections"]
LINK = ["--oslib=semihost", "--crt0=semihost", "-Wl,--gc-sections"]
LAUNCHER = ["ccache"] if shutil.which("ccache") else []

ZEPHYR = """if(NOT COMMAND zephyr_library)
  function(zephyr_include_directories)
    list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    target_include_directories(app PRIVATE ${ARGN})
    include_directories(${ARGN})
  endfunction()
  macro(zephyr_library)
    set(ZEPHYR_CURRENT_LIBRARY tsmobile)
  endmacro()
  function(zephyr_library_sources)
    add_library(tsmobile STATIC ${ARGN})
    target_link_libraries(app PRIVATE tsmobile m)
  endfunction()
  function(zephyr_library_compile_options)
    target_compile_options(tsmobile PRIVATE ${ARGN})
  endfunction()
endif()
enable_language(C)
file(STRINGS ${CMAKE_SOURCE_DIR}/prj.conf settings REGEX "=y$")
foreach(setting IN LISTS settings)
  string(REGEX REPLACE "=y$" "" name ${setting})
  set(${name} y)
endforeach()
add_executable(app)
file(STRINGS $ENV{TSM_MODULE}/zephyr/module.yml where REGEX "cmake: ")
string(REGEX REPLACE ".*cmake: " "" where ${where})
add_subdirectory($ENV{TSM_MODULE}/${where} module)
"""
IDF = """function(idf_component_register)
  cmake_parse_arguments(it "" "" "SRCS;INCLUDE_DIRS;REQUIRES" ${ARGN})
  get_filename_component(name ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  add_library(${name} STATIC ${it_SRCS})
  target_include_directories(${name} PUBLIC ${it_INCLUDE_DIRS})
  target_link_libraries(${name} PUBLIC ${it_REQUIRES})
  set(COMPONENT_LIB ${name} PARENT_SCOPE)
endfunction()
macro(project name)
  _project(${name} C)
  foreach(folder IN LISTS EXTRA_COMPONENT_DIRS)
    get_filename_component(folder ${folder} ABSOLUTE)
    add_subdirectory(${folder} component)
  endforeach()
  add_subdirectory(main)
  add_executable(program $ENV{TSM_START})
  target_link_libraries(program main tsmobile m)
endmacro()
"""
ARDUINO = """#pragma once
#include <stdio.h>
struct port {
    void begin(long) {}
    void print(const char *text) { printf("%s", text); }
    void print(int number) { printf("%d", number); }
    void println(unsigned long) { printf("\\n"); }
};
static port Serial;
static unsigned long micros() { return 0; }
static void delay(unsigned long) {}
"""
ARDUINO_MAIN = "int main() {\n    setup();\n    loop();\n    return 0;\n}\n"


def make(c, tsmc, table):
    c.run(sys.executable, os.path.join(SOURCE, "toolchain/amalgamate.py"), SOURCE, table, "one")
    c.run(sys.executable, os.path.join(SOURCE, "toolchain/board_packages.py"), SOURCE, tsmc, c.path("one"), c.path("boards"))


def text(c, *names):
    with open(c.path("boards", *names), encoding="utf-8") as f:
        return f.read()


def check_word(c, what, program, machine):
    said = c.run(os.path.join(SOURCE, "toolchain/run-qemu.sh"), machine, program)
    if "word 3" not in said:
        fail("%s says %r" % (what, said))
    print("ok: " + what)


def linked(machine):
    return [*LINK, "-L" + os.path.join(SOURCE, "platform/baremetal"), "-T%s.ld" % machine]


def compile_all(c, compiler, sources, include, name):
    """Objects of the sources, each compiled alone."""
    objects = []
    for i, source in enumerate(sources):
        objects.append(c.path("%s_%d.o" % (name, i)))
        c.run(*LAUNCHER, *compiler, *FLAGS, "-I", include, "-c", source, "-o", objects[-1])
    return objects


def cross(compiler, link):
    name, *flags = compiler
    return ["-DCMAKE_SYSTEM_NAME=Generic", "-DCMAKE_C_COMPILER=" + name, "-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY",
            "-DCMAKE_C_FLAGS=" + " ".join(flags + FLAGS), "-DCMAKE_EXE_LINKER_FLAGS=" + " ".join(link)]


def check_zephyr(c, _):
    c.write("zephyr/ZephyrConfig.cmake", ZEPHYR)
    c.cmake(c.path("boards/zephyr/samples/keyword_spotting"), "build-zephyr", "-DZephyr_DIR=" + c.path("zephyr"),
            *cross(M4F, linked("mps2-an386")), env={"TSM_MODULE": c.path("boards/zephyr")})
    if "config TSMOBILE" not in text(c, "zephyr/Kconfig"):
        fail("Kconfig does not have CONFIG_TSMOBILE")
    check_word(c, "Zephyr module, Cortex-M4F", "build-zephyr/app", "mps2-an386")


def check_arduino(c, version):
    values = dict(line.split("=", 1) for line in text(c, "arduino/library.properties").splitlines())
    for key in ("name", "version", "author", "maintainer", "sentence", "paragraph", "category", "url", "architectures"):
        if key not in values:
            fail("library.properties lacks " + key)
    if values["version"] != version or not os.path.exists(c.path("boards/arduino/src", values["includes"])):
        fail("library.properties: %s" % values)
    sketch = c.path("boards/arduino/examples/KeywordSpotting")
    c.write("arduino/Arduino.h", ARDUINO)
    c.write("arduino/sketch.cpp", "#include <Arduino.h>\n" + text(c, "arduino/examples/KeywordSpotting/KeywordSpotting.ino") + ARDUINO_MAIN)
    objects = compile_all(c, M0, [os.path.join(sketch, n) for n in ("spot_keyword.c", "keyword_spotting.c", "operators.c")] +
                          [c.path("boards/arduino/src/tsmobile.c")], c.path("boards/arduino/src"), "arduino")
    c.run("arm-none-eabi-g++", *M0[1:], *FLAGS, "-fno-exceptions", "-fno-rtti", "-Iarduino", "-I", sketch, "-I",
          c.path("boards/arduino/src"), "-c", "arduino/sketch.cpp", "-o", "sketch.o")
    c.run(*M0, "sketch.o", *objects, *linked("mps2-an386"), "-lm", "-o", "arduino.elf")
    check_word(c, "Arduino library, Cortex-M0+", "arduino.elf", "mps2-an386")


def check_platformio(c, version):
    library = json.loads(text(c, "platformio/library.json"))
    example, = library["examples"]
    files = [os.path.join(example["base"], n) for n in example["files"]]
    build = library["build"]
    files += [os.path.join(build["includeDir"], library["headers"])]
    missing = [n for n in files if not os.path.exists(c.path("boards/platformio", n))]
    if library["version"] != version or missing:
        fail("library.json: version %s, missing files %s" % (library["version"], missing))
    folder = c.path("boards/platformio", build["srcDir"])
    sources = [os.path.join(folder, n) for n in os.listdir(folder)]
    sources += [c.path("boards/platformio", n) for n in files if n.endswith(".c")]
    objects = compile_all(c, M7 + build["flags"], sources, c.path("boards/platformio", build["includeDir"]), "platformio")
    c.run(*M7, *objects, *linked("mps2-an500"), "-lm", "-o", "platformio.elf")
    check_word(c, "PlatformIO library, Cortex-M7", "platformio.elf", "mps2-an500")


def check_cmsis_pack(c, version):
    package = xml.etree.ElementTree.fromstring(text(c, "cmsis-pack/tsmobile.pdsc"))
    root = c.path("boards/cmsis-pack")
    files = {f.get("category"): f.get("name") for f in package.iter("file")}
    example = package.find("examples/example")
    named = [*files.values(), package.findtext("license"), example.get("folder")]
    named += [os.path.join(example.get("folder"), e.get("load")) for e in example.iter("environment")]
    missing = [n for n in named if not os.path.exists(os.path.join(root, n))]
    if package.find("releases/release").get("version") != version or missing:
        fail("tsmobile.pdsc names what is not there: %s" % missing)
    project = text(c, "cmsis-pack", example.get("folder"), "keyword_spotting.cproject.yml")
    sources = [os.path.join(example.get("folder"), n) for n in re.findall(r"- file: (\S+)", project)] + [files["sourceC"]]
    objects = compile_all(c, M55, [os.path.join(root, n) for n in sources], os.path.join(root, files["include"]), "cmsis")
    c.run(*M55, *objects, *linked("mps3-an547"), "-lm", "-o", "cmsis.elf")
    check_word(c, "CMSIS-Pack, Cortex-M55", "cmsis.elf", "mps3-an547")


def check_esp_idf(c, version):
    if 'version: "%s"' % version not in text(c, "esp-idf/tsmobile/idf_component.yml"):
        fail("idf_component.yml is of another version")
    c.write("idf/tools/cmake/project.cmake", IDF)
    start = c.write("start.c", "void app_main(void);\nint main(void) {\n    app_main();\n    return 0;\n}\n")
    c.cmake(c.path("boards/esp-idf/tsmobile/examples/keyword_spotting"), "build-idf", *cross(RV32, linked("virt")),
            env={"IDF_PATH": c.path("idf"), "TSM_START": start})
    check_word(c, "ESP-IDF component, RV32IMC", "build-idf/program", "virt")
    kernels = c.run("riscv64-unknown-elf-nm", "build-idf/program").count(" tsm_k_")
    if kernels > 20:
        fail("the ESP-IDF example links %d kernels" % kernels)


def main():
    tsmc, table = sys.argv[1:]
    with Consumer() as c:
        make(c, tsmc, table)
        for check in (check_zephyr, check_arduino, check_platformio, check_cmsis_pack, check_esp_idf):
            check(c, VERSION)


if __name__ == "__main__":
    main()

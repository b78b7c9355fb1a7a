#!/usr/bin/env python3
"""Makes the boards' packages of the amalgamation: a Zephyr module, an Arduino library, a PlatformIO library, an ESP-IDF
component and a CMSIS-Pack, each with the keyword-spotting example.

    board_packages.py SOURCE TSMC AMALGAMATION FOLDER

toolchain/boards holds what they do not share, a folder for each, and the example."""
import os
import re
import shutil
import subprocess
import sys

# Where a package has the library's source, its header, and the example.
PACKAGES = {
    "zephyr": ("src", "include", "samples/keyword_spotting/src"),
    "arduino": ("src", "src", "examples/KeywordSpotting"),
    "platformio": ("src", "include", "examples/keyword_spotting/src"),
    "esp-idf": ("tsmobile/src", "tsmobile/include", "tsmobile/examples/keyword_spotting/main"),
    "cmsis-pack": ("src", "include", "examples/keyword_spotting"),
}
EXAMPLE = ["spot_keyword.c", "spot_keyword.h", "keyword_features.h"]
# Those whose example begins with main().
WITH_MAIN = {"zephyr", "platformio", "cmsis-pack"}


def export(tsmc, boards, folder):
    """The example's network as C; returns the files."""
    os.makedirs(folder, exist_ok=True)
    program = os.path.join(folder, "keyword_spotting.tsm")
    subprocess.run([tsmc, os.path.join(boards, "keyword_spotting.pt"), "--example", os.path.join(boards, "keyword_spotting.json"),
                    "-o", program], check=True)
    subprocess.run([tsmc, program, "--emit-c", folder], check=True)
    return [os.path.join(folder, n) for n in ("keyword_spotting.c", "keyword_spotting.h", "operators.c")]


def copy(files, folder):
    os.makedirs(folder, exist_ok=True)
    for name in files:
        shutil.copy(name, folder)


def fill_in(folder, version):
    """Puts the version into the package's descriptions."""
    for path, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(path, name), encoding="utf-8") as f:
                text = f.read()
            if "@VERSION@" in text:
                with open(os.path.join(path, name), "w", encoding="utf-8") as f:
                    f.write(text.replace("@VERSION@", version))


def main():
    source, tsmc, amalgamation, folder = sys.argv[1:]
    boards = os.path.join(source, "toolchain/boards")
    network = export(tsmc, boards, os.path.join(folder, "network"))
    with open(os.path.join(amalgamation, "tsmobile.h"), encoding="utf-8") as f:
        version = re.search(r'TSM_VERSION_STRING "(.*)"', f.read())[1]
    for name, (sources, headers, example) in PACKAGES.items():
        package = os.path.join(folder, name)
        shutil.rmtree(package, ignore_errors=True)
        shutil.copytree(os.path.join(boards, name), package)
        fill_in(package, version)
        copy([os.path.join(amalgamation, "tsmobile.c")], os.path.join(package, sources))
        copy([os.path.join(amalgamation, "tsmobile.h")], os.path.join(package, headers))
        copy([os.path.join(boards, n) for n in EXAMPLE + ["main.c"] * (name in WITH_MAIN)] + network, os.path.join(package, example))
        copy([os.path.join(source, "LICENSE")], os.path.dirname(os.path.join(package, sources)))


if __name__ == "__main__":
    main()

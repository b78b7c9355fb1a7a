#!/usr/bin/env python3
"""Checks that folders depend on each other one way: what each includes, and whose functions and data its objects use.

    check_layers.py BUILD_FOLDER

layers.txt lists the folders bottom up, each with the folders that it may use: only folders above it in the file, so no
two can use each other. A fault is: a folder with sources that is not listed, an #include or an undefined symbol that
leads to a folder that is not allowed, and an allowance that nothing needs."""
import collections
import json
import os
import re
import shlex
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "habits"))
from habits import ROOT, files, finish, read  # noqa: E402

LIST = "tests/structure/layers.txt"
SOURCES = (".c", ".h", ".cc", ".def", ".S")
TOPS = ("exporter/", "platform/", "runtime/", "schema/")
# Code made from a folder's files counts as that folder's; the public header is found by its name alone.
MADE_FROM = {"operator_list.c": "exporter/schema", "library.c": "exporter/library", "derived.c": "exporter/library",
             "operator_table.c": "runtime/operator_table", "tsmobile_generated.h": "schema/generated", "tsmobile.h": "runtime/include"}
# What a header declares belongs to its folder, whichever folder defines it: each platform has those functions.
DECLARED_IN = ("platform/platform.h",)
# Copied from a package into the build folder.
FOREIGN = ("third_party",)


def read_layers(faults):
    """Folder -> the folders that it may use, in the order of the file."""
    layers = {}
    for number, line in enumerate(read(LIST).splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        folder, uses = (part.strip() for part in line.split(":"))
        layers[folder] = set(uses.split())
        for use in sorted(layers[folder] - set(layers)):
            faults.append("%s:%d: %s uses %s, which does not stand above it" % (LIST, number, folder, use))
    return layers


def folder_of(path):
    return MADE_FROM.get(os.path.basename(path), os.path.dirname(path))


def includes():
    """(from folder, to folder) -> a place where it is included."""
    edges = {}
    for path in files(*SOURCES, generated=True):
        if not path.startswith(TOPS):
            continue
        for number, line in enumerate(read(path).splitlines(), 1):
            m = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if not m or m.group(1).startswith(FOREIGN):
                continue
            beside = os.path.join(os.path.dirname(path), m.group(1))
            target = beside if os.path.exists(os.path.join(ROOT, beside)) else m.group(1)
            edges.setdefault((folder_of(path), folder_of(target)), "%s:%d: includes %s" % (path, number, m.group(1)))
    return edges


def objects(build):
    """(source, object) of everything that was compiled of the layers' folders, as compile_commands.json says."""
    with open(os.path.join(build, "compile_commands.json")) as f:
        for command in json.load(f):
            words = shlex.split(command["command"])
            source = os.path.relpath(command["file"], ROOT)
            target = os.path.join(command["directory"], words[words.index("-o") + 1])
            if source.startswith(TOPS) or os.path.basename(source) in MADE_FROM:
                yield source, target


def symbols(build):
    """(from folder, to folder) -> a symbol that is used."""
    owners, used = collections.defaultdict(set), []
    declared = {name: os.path.dirname(path) for path in DECLARED_IN for name in re.findall(r"\b(\w+)\(", read(path))}
    # Objects of targets that are not part of this build do not exist.
    sources = {target: source for source, target in objects(build) if os.path.exists(target)}
    out = subprocess.run(["nm", "-A", "--format=posix"] + sorted(sources), check=True, capture_output=True, text=True)
    for line in out.stdout.splitlines():
        target, name, kind = line.split()[:3]
        source = sources[target.rstrip(":")]
        if kind == "U":
            used.append((source, name))
        elif kind.isupper() and kind not in "VW":
            owners[name].add(declared.get(name, folder_of(source)))
    edges = {}
    for source, name in used:
        here = folder_of(source)
        if here not in owners[name] and len(owners[name]) == 1:
            edges.setdefault((here, next(iter(owners[name]))), "%s: uses %s" % (source, name))
    return edges


def main():
    build = os.path.abspath(sys.argv[1])
    faults = []
    layers = read_layers(faults)
    for folder in sorted({folder_of(p) for p in files(*SOURCES) if p.startswith(TOPS)} - set(layers)):
        faults.append("%s: %s is not listed" % (LIST, folder))
    edges = includes()
    linked = symbols(build)
    if not linked:
        faults.append("%s: holds no objects" % build)
    for found in (edges, linked):
        for (here, there), where in sorted(found.items()):
            if here != there and there not in layers.get(here, ()):
                faults.append("%s of %s; %s may not use that folder" % (where, there, here))
    needed = set(edges) | set(linked)
    for folder in layers:
        for use in sorted(layers[folder]):
            if (folder, use) not in needed:
                faults.append("%s: %s does not use %s" % (LIST, folder, use))
    finish(faults, "%d folders, %d arrows" % (len(layers), len(needed)))


if __name__ == "__main__":
    main()

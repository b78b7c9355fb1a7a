"""The objects of a build: which source each is made from, its symbols, and which functions call which."""
import collections
import json
import os
import re
import shlex
import subprocess

import habits

Symbol = collections.namedtuple("Symbol", "name section is_global is_function")
SYMBOL = re.compile(r"[0-9a-f]+ (.{7}) (\S+)\t[0-9a-f]+ +(?:\.hidden )?(\S+)$")
SUFFIX = re.compile(r"(\.(constprop|isra|part)(\.\d+)?)+$")  # what gcc appends to copies and parts of a function
SECTION = re.compile(r"^\.text\.(unlikely\.|hot\.|startup\.|exit\.)?")  # static functions are named by their sections
# A call within its section, which needs no relocation, or a call or jump relocated to the beginning of a function.
# (Jumps between a function's parts in two sections are relocated to NAME+0x1a or NAME.cold.)
CALL = re.compile(r"\t(?:(?:call|bl)\b[^\t]*?<(?P<inside>[^>+]+)>|(?:call|jmp|j[a-z]+|bl?|b\.[a-z]+)\b[^\t]*"
                  r"\t[0-9a-f]+: R_\S+\t(?P<relocated>[^\s+-]+)(-0x4)?)$")


def of_build(build):
    """[(object, source)] of the build in this folder; sources from the root, generated ones as generated/..."""
    found = []
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
        for entry in json.load(f):
            words = shlex.split(entry["command"])
            source = os.path.relpath(entry["file"], habits.ROOT)
            generated = source.rfind("generated/")
            obj = os.path.join(entry["directory"], words[words.index("-o") + 1])
            if os.path.exists(obj):  # targets that nobody asked for are not built
                found.append((obj, source[generated:] if source.startswith("build") else source))
    if not found:
        raise SystemExit("%s holds no objects; build it first" % build)
    return found


def dump(option, paths):
    """objdump's lines, by object."""
    lines, at = {}, None
    text = subprocess.run(["objdump", option, "--wide"] + paths, check=True, capture_output=True, text=True).stdout
    for line in text.splitlines():
        if ":     file format " in line:
            at = lines.setdefault(line.split(":     file format ")[0], [])
        elif at is not None and line:
            at.append(line)
    return lines


def symbols(paths):
    """{object: [Symbol]}; undefined ones are in section *UND*."""
    result = {}
    for path, lines in dump("-t", paths).items():
        matches = [SYMBOL.match(line) for line in lines]
        result[path] = [Symbol(m[3], m[2], m[1][0] == "g", m[1][6] == "F") for m in matches if m]
    return result


def calls(paths):
    """{caller: called} of functions, direct calls only: (object, name), the object None for global ones."""
    exported = {s.name for listed in symbols(paths).values() for s in listed if s.is_global and s.is_function}
    called = collections.defaultdict(set)

    def node(path, name):
        name = re.sub(r"\.cold(\.\d+)?$", "", name)
        return (None if name in exported else path, name)

    for path, lines in dump("-dr", paths).items():
        at = None
        for line in lines:
            if line.endswith(">:"):
                at = node(path, line[line.index("<") + 1:-2])
            m = CALL.search(line) if at else None
            if m and m["relocated"] and not m["relocated"].endswith(".cold"):
                to = node(path, SECTION.sub("", m["relocated"]))
                if to != at or not m["relocated"].startswith(".text.unlikely."):  # else: into the function's other part
                    called[at].add(to)
            elif m and m["inside"]:
                called[at].add(node(path, m["inside"]))
    return called

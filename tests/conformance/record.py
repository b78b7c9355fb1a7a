#!/usr/bin/env python3
"""Records the answers of this folder's programs anew, with the PyTorch that is installed.

    record.py [--only REGEX] [--add FOLDER] [TO]

Writes cases.tar.xz and areas.txt into TO (default: beside this script). Programs of other versions of PyTorch stay as
they are, and those whose id --only does not find (all of one version take ten minutes). --add takes further programs:
FOLDER/AREA/NAME.pt, an archive, and beside it NAME.json, a list of the arguments of calls (docs/values.md); it replaces
a program that has its id."""
import argparse
import json
import os
import re
import sys

import torch
import torchvision  # noqa: F401, registers its operators

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from packs import archive_members, read_pack, write_pack  # noqa: E402
from recording import call_again, forked, record_again, version  # noqa: E402


def added(area, path):
    """The program of NAME.pt and NAME.json, with answers."""
    name = os.path.splitext(os.path.basename(path))[0]
    program = {"id": "%s/%s" % (version(), name), "area": area, "options": ["--method", "forward"],
               "archive": archive_members(path, lambda member: not member.endswith(".debug_pkl"))}
    with open(os.path.splitext(path)[0] + ".json") as f:
        program["calls"] = [forked(lambda: call_again(program, {"method": "forward", "inputs": i})) for i in json.load(f)]
    if None in program["calls"]:
        sys.exit("%s: PyTorch cannot run call %d" % (path, program["calls"].index(None)))
    return program


def added_programs(folder):
    for area in sorted(os.listdir(folder)):
        for file in sorted(os.listdir(os.path.join(folder, area))):
            if file.endswith(".pt"):
                yield added(area, os.path.join(folder, area, file))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--add")
    parser.add_argument("to", nargs="?", default=HERE)
    options = parser.parse_args()
    torch.set_num_threads(1)
    programs, kept = {}, 0

    def is_chosen(name):
        return name.startswith(version() + "/") and re.search(options.only, name)

    for p in read_pack(os.path.join(HERE, "cases.tar.xz")):
        again, old = record_again(p) if is_chosen(p["id"]) else (p, 0)
        programs[p["id"]] = again
        kept += old
        if old:
            print("%s keeps %d of %d answers: PyTorch cannot repeat these calls" % (p["id"], old, len(p["calls"])))
    for p in added_programs(options.add) if options.add else []:
        programs[p["id"]] = p
    write_pack(os.path.join(options.to, "cases.tar.xz"), list(programs.values()))
    print("%d programs, %d calls keep their answers" % (len(programs), kept))


if __name__ == "__main__":
    main()

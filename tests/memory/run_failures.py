#!/usr/bin/env python3
"""Exports programs of the recorded cases with their arguments (tsmc --bundle) and lets every allocation of their calls
fail once (test_failures.c).

  run_failures.py TSMC_SERVER TEST_FAILURES DATA_FOLDER UNPACKED_FOLDER PER_AREA MOST [AREAS]

From each area of the folder (packs.py) it takes PER_AREA programs, at equal distances; calls that allocate more than
MOST times are left out. With AREAS, a regular expression, only those areas, and only first calls. MOST may be the
word `arguments`: then the test is test_arguments.c, and programs that read memory by strides of their own are left
out."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from fork_server import ForkServer  # noqa: E402

def candidates(folder, per_area, areas):
    """Programs at equal distances in each area."""
    found = []
    for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
        if not re.match(areas, os.path.basename(path)):
            continue
        with open(path) as f:
            area = [p for p in json.load(f) if p.get("calls")]
        step = max(1, len(area) // per_area)
        found += area[::step]
    return found


def export(tsmc, program, folder, sources, scratch, number):
    """The path of the .tsm, or None when it is refused."""
    origin = os.path.join(folder, program["archive"]) if "archive" in program else os.path.join(sources, program["source"])
    call = program["calls"][0]
    bundle, tsm = (os.path.join(scratch, "%d.%s" % (number, end)) for end in ("json", "tsm"))
    with open(bundle, "w") as f:
        json.dump(call["inputs"], f)
    options = ["--method", call["method"]] if call.get("method") else []
    # Half of them with all allocations that the source asks for, half with the plan and the specialized code that an
    # example gives; what raises cannot be an example.
    level = ["-O0"] if number % 2 else ["--example", bundle] if "raises" not in call else []
    p = tsmc.run([origin, "-o", tsm, "--bundle", bundle] + options + level + program.get("options", []))
    return tsm if p.returncode == 0 else None


def main():
    tsmc, test, data, folder, per_area, most, *areas = sys.argv[1:]
    programs, sources = candidates(folder, int(per_area), *areas or ["."]), os.path.join(data, "sources")
    if most == "arguments":
        programs = [p for p in programs if "as_strided" not in p["id"]]
    with ForkServer(tsmc) as compiler, tempfile.TemporaryDirectory() as scratch:
        files = [export(compiler, p, folder, sources, scratch, n) for n, p in enumerate(programs)]
        names = {f: "%s/%s" % (p["area"], p["id"]) for f, p in zip(files, programs) if f}
        options = [] if most == "arguments" else ["first", most] if areas else [most]
        p = subprocess.run([test] + options + list(names), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           errors="replace")
    print("%d of %d programs exported" % (len(names), len(programs)))
    print(re.sub(re.escape(scratch) + r"/\d+\.tsm", lambda m: names.get(m.group(), m.group()), p.stdout + p.stderr))
    return p.returncode != 0 or not names


if __name__ == "__main__":
    sys.exit(main())

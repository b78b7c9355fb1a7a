#!/usr/bin/env python3
"""Which lines and branches of the runtime the tests reach: builds it with counters, runs the tests, and prints a table.

  coverage.py [--build FOLDER] [--jobs N] [--tests REGEX] [--keep] [--uncovered FOLDER_OR_FILE]...

Without --keep the counters start at 0; with it the tests are added to what earlier ones reached, and with
--tests none nothing runs. --uncovered lists the lines of a folder that nothing reached, or of which a branch was never
taken. Inner loops that are compiled several times (simd/) count as reached when one of the copies is."""
import argparse
import collections
import glob
import gzip
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir))
# Tests for other machines, of the sources' form, and those that only measure time or memory of the exporter.
LEFT_OUT = "^(device|habits|structure|faults)"


def run(*command, **options):
    return subprocess.run(command, **options)


def build(folder, jobs):
    run("cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DTSM_COVERAGE=ON",
        stdout=subprocess.DEVNULL, check=True)
    run("cmake", "--build", folder, "-j", str(jobs), stdout=subprocess.DEVNULL, check=True)


def counters(folder):
    return glob.glob(os.path.join(folder, "runtime/CMakeFiles/tsmobile.dir/**/*.gcda"), recursive=True)


def read_counters(folder):
    """{file: {line: [count, [count of each branch]]}}: sums over all objects that a file is compiled into."""
    files = collections.defaultdict(dict)
    with tempfile.TemporaryDirectory() as scratch:
        run("gcov", "--json-format", "--branch-probabilities", *map(os.path.abspath, counters(folder)), cwd=scratch,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        for path in glob.glob(os.path.join(scratch, "*.gcov.json.gz")):
            with gzip.open(path) as f:
                unit = json.load(f)
            for part in unit["files"]:
                add_file(files, os.path.join(unit["current_working_directory"], part["file"]), part["lines"])
    return files


def add_file(files, path, counted):
    name = os.path.relpath(path, ROOT)
    if not name.startswith("runtime/"):
        return
    lines = files[name]
    for line in counted:
        branches = [b["count"] for b in line["branches"] if not b["throw"]]
        have = lines.setdefault(line["line_number"], [0, []])
        have[0] += line["count"]
        # A line's copies have as many branches where they are compiled alike; else the larger set counts.
        if len(branches) == len(have[1]):
            have[1] = [a + b for a, b in zip(have[1], branches)]
        elif len(branches) > len(have[1]):
            have[1] = branches


def totals(lines):
    branches = [b for _, taken in lines.values() for b in taken]
    return collections.Counter(lines=len(lines), reached=sum(count > 0 for count, _ in lines.values()),
                               branches=len(branches), taken=sum(b > 0 for b in branches))


def share(part, whole):
    return "%6.2f %%" % (100.0 * part / whole) if whole else "       -"


def print_table(files):
    folders = collections.defaultdict(collections.Counter)
    for name, lines in files.items():
        folders[os.path.dirname(name)] += totals(lines)
    print("%-28s %8s %9s %9s %9s" % ("folder", "lines", "", "branches", ""))
    for folder, t in sorted(folders.items()) + [("in all", sum(folders.values(), collections.Counter()))]:
        print("%-28s %8d %s %9d %s" % (folder, t["lines"], share(t["reached"], t["lines"]), t["branches"],
                                       share(t["taken"], t["branches"])))


def print_uncovered(files, wanted):
    for name, lines in sorted(files.items()):
        if not (name + "/").startswith(wanted.rstrip("/") + "/"):
            continue
        with open(os.path.join(ROOT, name), encoding="utf-8") as f:
            text = f.read().splitlines()
        for number, (count, taken) in sorted(lines.items()):
            if not count or 0 in taken:
                what = "not reached" if not count else "%d of %d branches" % (sum(b > 0 for b in taken), len(taken))
                print("%s:%d: %s: %s" % (name, number, what, text[number - 1].strip()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build/coverage"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--tests", default=".")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--uncovered", action="append", default=[])
    options = parser.parse_args()
    build(options.build, options.jobs)
    if not options.keep:
        for path in counters(options.build):
            os.remove(path)
    failed = run("ctest", "--test-dir", options.build, "-R", options.tests, "-E", LEFT_OUT, "-j", str(options.jobs),
                 "--timeout", "1800", "--output-on-failure").returncode
    files = read_counters(options.build)
    print_table(files)
    for wanted in options.uncovered:
        print_uncovered(files, wanted)
    return failed


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Which lines and branches of the runtime the tests reach: builds it with counters, runs the tests, and prints a table.

  coverage.py [--build FOLDER] [--jobs N] [--tests REGEX] [--keep] [--no-build] [--uncovered FOLDER_OR_FILE]...

Without --keep the counters start at 0; with it the tests are added to what earlier ones reached, and with
--tests none nothing runs. --uncovered lists the lines of a folder that nothing reached, or of which a branch was never
taken. Inner loops that are compiled several times (simd/), or inlined with constants for some of their conditions,
count as reached when one of the copies is.

Branches that no test can take are listed in exceptions/*.txt, with the reason:

  FILE FUNCTION NUMBER: the text of the line
      Why NUMBER of the branches of this line of this function are not taken.

Several such rows may stand over one reason. FUNCTION may be *; a text that stands in several lines means all of them
together. A row whose line is gone, or of which more branches are taken now, is an error, and so is, when all tests ran,
a part of the runtime below its aim (AIMS)."""
import argparse
import collections
import glob
import json
import os
import re
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir))
# Tests for other machines, of the sources' form, of failing machines, and those that build the library anew: in
# projects of users, and for other languages.
LEFT_OUT = "^(device|habits|structure|faults|consume|examples|java|javascript|python|site|swift)([.]|$)"
# Parts of the runtime by how their files begin, and the percentage of branches that tests are to take.
AIMS = [
    ("the core", ("runtime/flatbuffer/", "runtime/interpreter/", "runtime/value/", "runtime/tensor/text_value.c"), 100),
    ("kernels", ("runtime/kernels/",), 95),
]
INLINED = "runtime/kernels/simd/"
DECISION = re.compile(r"\b(?:if|for|while) \(|&&|\|\||\?")


def run(*command, **options):
    return subprocess.run(command, **options)


def build(folder, jobs):
    run("cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DTSM_COVERAGE=ON",
        stdout=subprocess.DEVNULL, check=True)
    run("cmake", "--build", folder, "-j", str(jobs), stdout=subprocess.DEVNULL, check=True)


def counters(folder):
    """Of the library, and of the verifier in the program that opens files for the tests of it."""
    places = "runtime/CMakeFiles/tsmobile.dir", "tests/verification/CMakeFiles/open_files.dir"
    return [path for place in places for path in glob.glob(os.path.join(folder, place, "**/*.gcda"), recursive=True)]


def read_counters(folder):
    """{file: {line: [count, [count of each branch], {function}]}}: sums over all objects that a file is part of."""
    files = collections.defaultdict(dict)
    # A file each would have the name of its source without the folder, which two of them may share.
    units = run("gcov", "--json-format", "--stdout", "--branch-probabilities", *map(os.path.abspath, counters(folder)),
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    for unit in map(json.loads, units.splitlines()):
        for part in unit["files"]:
            add_file(files, os.path.join(unit["current_working_directory"], part["file"]), part["lines"])
    for name in files:
        merge_copies(files[name], text_of(name), name.startswith(INLINED))
    return files


def merge_copies(lines, text, are_inlined):
    """Outside of a folder of inlined functions, those are without a name: no function holds their lines.

    A line of an inlined function has its branches once for each copy, one copy behind the other. How many a copy has
    is read from the line's text; where it decides nothing itself, a constant of the function that it calls does."""
    for number, have in lines.items():
        if not are_inlined and have[2] != {None}:
            continue
        decisions = len(DECISION.findall(text[number - 1]))
        if not are_inlined and not decisions:
            continue
        n = 2 * max(1, decisions)
        if have[1] and len(have[1]) % n == 0:
            have[1] = [sum(have[1][i::n]) for i in range(n)]


def add_file(files, path, counted):
    name = os.path.relpath(path, ROOT)
    if not name.startswith("runtime/"):
        return
    lines = files[name]
    for line in counted:
        branches = [b["count"] for b in line["branches"] if not b["throw"]]
        have = lines.setdefault(line["line_number"], [0, [], set()])
        have[0] += line["count"]
        have[2].add(line.get("function_name"))
        # A line's copies have as many branches where they are compiled alike; else the larger set counts of those that
        # ran: loops for machines with wide vectors are compiled beside those for others.
        if len(branches) == len(have[1]):
            have[1] = [a + b for a, b in zip(have[1], branches)]
        elif (any(branches), len(branches)) > (any(have[1]), len(have[1])):
            have[1] = branches


# ---- Exceptions ----

def text_of(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as f:
        return [line.strip() for line in f]


def read_exceptions():
    """[(place in the list, file, function, number of branches, text)]; exits when a row is not well-formed."""
    rows, reasoned = [], 0
    for path in sorted(glob.glob(os.path.join(ROOT, "tests/coverage/exceptions/*.txt"))):
        with open(path, encoding="utf-8") as f:
            for number, line in enumerate(f, 1):
                place = "%s:%d" % (os.path.relpath(path, ROOT), number)
                if line.startswith(" ") and line.strip():
                    reasoned = len(rows)
                elif line.strip() and not line.startswith("#"):
                    row = re.fullmatch(r"(\S+) (\S+) (\d+): (.*)\n", line)
                    if not row:
                        sys.exit("%s: not a row: FILE FUNCTION NUMBER: TEXT" % place)
                    rows.append((place, row[1], row[2], int(row[3]), row[4].strip()))
        if reasoned != len(rows):
            sys.exit("%s: no reason behind this row" % rows[-1][0])
    return rows


def apply_exceptions(files):
    """({file: {line: number of excepted branches}}, [error])"""
    excepted, errors = collections.defaultdict(collections.Counter), []
    for place, name, function, number, text in read_exceptions():
        source = text_of(name) if name in files else []
        lines = [n for n, (_, branches, functions) in files.get(name, {}).items()
                 if branches and source[n - 1] == text and (function == "*" or function in functions)]
        if not lines:
            errors.append("%s: there is no such line with branches in %s" % (place, name))
            continue
        missing = {n: files[name][n][1].count(0) - excepted[name][n] for n in lines}
        if sum(missing.values()) < number:
            errors.append("%s: %d branches are excepted, %d are not taken: %s" %
                          (place, number, sum(missing.values()), text))
        for n in lines:
            here = min(missing[n], number)
            excepted[name][n] += here
            number -= here
    return excepted, errors


# ---- The table ----

def totals(name, lines, excepted):
    branches = [b for _, taken, _ in lines.values() for b in taken]
    return collections.Counter(lines=len(lines), reached=sum(count > 0 for count, _, _ in lines.values()),
                               branches=len(branches), taken=sum(b > 0 for b in branches),
                               excepted=sum(excepted[name].values()))


def share(part, whole):
    # Cut off, not rounded: 100 % means all.
    return "%6.2f %%" % (10000 * part // whole / 100) if whole else "       -"


def print_row(name, t):
    print("%-28s %7d %s %9d %s %9d %s" % (name, t["lines"], share(t["reached"], t["lines"]), t["branches"],
                                         share(t["taken"], t["branches"]), t["excepted"],
                                         share(t["taken"] + t["excepted"], t["branches"])))


def print_table(files, excepted):
    """Returns the names of the parts that are below their aim."""
    counts = {name: totals(name, lines, excepted) for name, lines in files.items()}
    folders = collections.defaultdict(collections.Counter)
    for name, count in counts.items():
        folders[os.path.dirname(name)] += count
    print("%-28s %7s %8s %9s %8s %9s %8s" % ("folder", "lines", "reached", "branches", "taken", "excepted", "of all"))
    for folder, t in sorted(folders.items()) + [("in all", sum(counts.values(), collections.Counter()))]:
        print_row(folder, t)
    below = []
    for part, names, aim in AIMS:
        t = sum((count for name, count in counts.items() if name.startswith(names)), collections.Counter())
        print_row("%s (aim %d %%)" % (part, aim), t)
        if 100 * (t["taken"] + t["excepted"]) < aim * t["branches"]:
            below.append(part)
    return below


def print_uncovered(files, excepted, wanted):
    for name, lines in sorted(files.items()):
        if not (name + "/").startswith(wanted.rstrip("/") + "/"):
            continue
        text = text_of(name)
        for number, (count, taken, functions) in sorted(lines.items()):
            missing = taken.count(0) - excepted[name][number]
            if not count and not taken or missing:
                what = "not reached" if not count else "%d of %d branches" % (len(taken) - missing, len(taken))
                print("%s:%d: %s: %s: %s" % (name, number, "/".join(sorted(map(str, functions))), what, text[number - 1]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build/coverage"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--tests", default=".")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--no-build", action="store_true")
    parser.add_argument("--uncovered", action="append", default=[])
    options = parser.parse_args()
    if not options.no_build:
        build(options.build, options.jobs)
    if not options.keep:
        for path in counters(options.build):
            os.remove(path)
    failed = run("ctest", "--test-dir", options.build, "-R", options.tests, "-E", LEFT_OUT, "-j", str(options.jobs),
                 "--timeout", "1800", "--output-on-failure").returncode
    files = read_counters(options.build)
    excepted, errors = apply_exceptions(files)
    below = print_table(files, excepted)
    if options.tests == ".":
        errors += ["%s: fewer branches are taken or excepted than the aim" % part for part in below]
    for wanted in options.uncovered:
        print_uncovered(files, excepted, wanted)
    for error in errors:
        print(error, file=sys.stderr)
    return failed or bool(errors)


if __name__ == "__main__":
    sys.exit(main())

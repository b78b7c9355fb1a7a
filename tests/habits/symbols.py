"""symbols.py BUILD: functions and variables of the exporter and the runtime, by the objects of a build.

- A function that other files can see is called by another file of the product; else it must be static, or be removed.
- What only tests call is listed here, with the reason.
- Every function of tsmobile.h is called by a test, or by tsmrun, which tests run.
- The runtime has no variables that change; the exporter has them in exporter/base/ only.
"""
import collections
import re
import sys

import habits
import objects

PRODUCT = ("exporter/", "runtime/", "platform/", "generated/")
CHECKED = ("exporter/", "runtime/")

# Called by tests only, or in debug builds only.
NOT_IN_THE_PRODUCT = {
    "main": "the system calls it",
    "program_main": "main, as the fork server of the tests calls it",
    "__asan_default_options": "AddressSanitizer calls it",
    "ir_lint": "debug builds call it after every pass",
    "ir_fault": "lint's verdict, for tests of lint",
    "ir_parse": "passes are tested on graphs that are written as text",
    "schema_parse": "schemas are tested on texts of their own",
    "tsm_random_seed": "the generator is tested by itself",
    "tsm_run_small": "operators.c, which tsmc --emit-c writes, calls it",
    "tsm_q8_by_name": "tests compare the loops of all instruction sets",
}

def inline_functions():
    """Functions whose one definition for callers that do not inline them stands in a source, and what functions that
    headers define call: without optimization only that source refers to it."""
    text = "\n".join(habits.read(path) for path in habits.files(".h"))
    return set(re.findall(r"^inline [^;{(]*?(\w+)\(", text, re.M)) | set(re.findall(r"^ +.*?\b(\w+)\(.*\);$", text, re.M))


def caller_faults(table, sources):
    users = collections.defaultdict(set)
    for path, listed in table.items():
        for s in listed:
            if s.section == "*UND*":
                users[s.name].add(sources[path])
    inline = inline_functions()
    api = set(re.findall(r"\b(tsm_\w+)\(", re.sub(r"/\*.*?\*/", "", habits.read("runtime/include/tsmobile.h"), flags=re.S)))
    unused = set()
    for path, listed in sorted(table.items(), key=lambda item: sources[item[0]]):
        for s in listed:
            if not sources[path].startswith(CHECKED) or s.section == "*UND*" or not (s.is_global and s.is_function):
                continue
            in_product = any(u.startswith(PRODUCT) for u in users[s.name])
            in_tests = any(u.startswith(("tests/", "platform/runner/")) for u in users[s.name])
            if s.name in api:
                if not in_tests:
                    yield "%s: %s of tsmobile.h is called by no test" % (sources[path], s.name)
            elif not in_product:
                unused.add(s.name)
                if s.name not in NOT_IN_THE_PRODUCT and s.name not in inline and not s.name.startswith("stbds_"):
                    yield "%s: %s is called by no other file of the product: static, or without use" % (sources[path], s.name)
    for name in sorted(set(NOT_IN_THE_PRODUCT) - unused - {"__asan_default_options", "ir_lint", "program_main"}):
        yield "tests/habits/symbols.py: %s is listed as not called in the product, but it is, or is gone" % name


def variable_faults(table, sources):
    for path, listed in sorted(table.items(), key=lambda item: sources[item[0]]):
        for s in listed:
            writable = re.match(r"\.(data|bss|tdata|tbss)(?!\.rel\.ro)|\*COM\*", s.section)
            # What sanitizers add, and inline functions of the FlatBuffers library, which debug builds keep apart.
            compilers = s.name.startswith((".", "_ZZN11flatbuffers", "DW.ref.", "__odr_asan", "_ub_", "_sub_")) or s.name == s.section
            if not writable or compilers or not sources[path].startswith(CHECKED):
                continue
            what = "%s: %s" % (sources[path], re.sub(r"\.\d+$", "", s.name))
            if not what.startswith("exporter/base/"):
                yield "%s is a variable that changes" % what


def main():
    sources = dict(objects.of_build(sys.argv[1]))
    table = objects.symbols(list(sources))
    faults = list(caller_faults(table, sources)) + list(variable_faults(table, sources))
    habits.finish(faults, "symbols of %d objects" % len(sources))


if __name__ == "__main__":
    main()

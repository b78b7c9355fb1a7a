"""recursion.py BUILD: every circle of calls goes through a function whose depth is bounded.

In the runtime docs/bounds.md bounds it; in the exporter the function begins with stack_check(). Only the
direct calls in the objects of a build are seen, not those through pointers: the interpreter calls kernels through the
operator table, and no kernel calls the interpreter."""
import re
import sys

import habits
import objects

# Of exporter/base: the error of a limit is raised once, with memory of its own.
LIMITS = {"limit_take_memory"}
CHECKS = {"stack_check", "limit_stack_fail"}


def bounded():
    """The functions that the table of docs/bounds.md names under "Recursion in C"."""
    section = habits.read("docs/bounds.md").split("\n## Recursion in C\n")[1].split("\n## ")[0]
    return {name for row in re.findall(r"^\| *(`[^|]*)\|", section, re.M) for name in re.findall(r"`(\w+)`", row)}


def of_source(f):
    """The function's name in its source; gcc may split it into parts, which are nodes of their own in circles."""
    return objects.SUFFIX.sub("", f[1])


def circle(called):
    """A circle of calls, as a list of functions; None when there is none."""
    finished, path, on_path = set(), [], set()

    def visit(f):
        path.append(f)
        on_path.add(f)
        for g in sorted(called.get(f, ()), key=str):
            if g in on_path:
                return path[path.index(g):]
            found = None if g in finished else visit(g)
            if found:
                return found
        on_path.discard(path.pop())
        finished.add(f)
        return None

    for f in sorted(called, key=str):
        found = None if f in finished else visit(f)
        if found:
            return found
    return None


def circles(called, skipped, what):
    """A fault for each circle that goes through no function that is skipped; one of each is skipped from there on."""
    faults = []
    while True:
        found = circle({f: {g for g in gs if of_source(g) not in skipped}
                        for f, gs in called.items() if of_source(f) not in skipped})
        if not found:
            return faults
        faults.append("calls in a circle, %s: %s" % (what, ", ".join(name for _, name in found)))
        skipped = skipped | {of_source(found[0])}


def exporter_faults(build):
    sources = {path: source for path, source in objects.of_build(build) if source.startswith("exporter/") and source.endswith(".c")}
    called = objects.calls(list(sources))
    checked = {f for f, gs in called.items() if any(of_source(g) in CHECKS for g in gs)}
    rest = {f: {g for g in gs if g not in checked} for f, gs in called.items() if f not in checked}
    return circles(rest, LIMITS | CHECKS, "and none of them begins with stack_check()")


def main():
    sys.setrecursionlimit(10000)
    sources = {path: source for path, source in objects.of_build(sys.argv[1])
               if source.startswith("runtime/") or source == "generated/operator_table.c"}
    called = objects.calls(list(sources))
    names = {of_source(f) for f in called}
    faults = ["docs/bounds.md: there is no function %s" % name for name in sorted(bounded() - names)
              if not re.search(r"\b%s\b" % name, "".join(habits.read(s) for s in sources.values() if s.startswith("runtime")))]
    faults += circles(called, bounded(), "and docs/bounds.md bounds none of them")
    faults += exporter_faults(sys.argv[1])
    habits.finish(faults, "calls of %d functions" % len(called))


if __name__ == "__main__":
    main()

"""recursion.py BUILD: every circle of calls in the runtime goes through a function whose depth docs/bounds.md bounds.

By the direct calls in the objects of a build. Calls through pointers are not seen: the interpreter calls kernels
through the operator table, and no kernel calls the interpreter."""
import re
import sys

import habits
import objects


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


def main():
    sys.setrecursionlimit(10000)
    sources = {path: source for path, source in objects.of_build(sys.argv[1])
               if source.startswith("runtime/") or source == "generated/operator_table.c"}
    called = objects.calls(list(sources))
    names = {of_source(f) for f in called}
    faults = ["docs/bounds.md: there is no function %s" % name for name in sorted(bounded() - names)
              if not re.search(r"\b%s\b" % name, "".join(habits.read(s) for s in sources.values() if s.startswith("runtime")))]
    skipped = bounded()
    while True:
        found = circle({f: {g for g in gs if of_source(g) not in skipped}
                        for f, gs in called.items() if of_source(f) not in skipped})
        if not found:
            break
        where = ", ".join("%s (%s)" % (name, sources.get(path, "global")) for path, name in found)
        faults.append("calls in a circle, and docs/bounds.md bounds none of them: " + where)
        skipped = skipped | {of_source(found[0])}
    habits.finish(faults, "calls of %d functions" % len(called))


if __name__ == "__main__":
    main()

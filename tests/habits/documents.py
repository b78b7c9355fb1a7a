"""documents.py TSMC TSMRUN: what documents and comments name exists.

- Paths of files and folders of the project, in documents and in comments of code: `exporter/ir/ir.h`, tests/memory.
- Files in links of documents, and the headings that links point to.
- Options of tsmc and tsmrun in documents, which must be in --help; and each option of --help is in a document.
- In docs/architecture.md, folders that are named within the one at hand: `passes/`; and the table of passes, which has
  the names, the levels and the order of exporter/passes/pipeline.c.
"""
import io
import os
import re
import subprocess
import sys
import tokenize

import habits

TOP = "exporter|runtime|platform|schema|tests|toolchain|docs"
PATH = re.compile(r"(?<![\w/.$}{-])((?:%s)/[\w./*-]*[\w*/])" % TOP)
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def comments(path, text):
    """[(line, text)] of a file's comments; of a document, all its lines."""
    if path.endswith(".md"):
        return list(enumerate(text.split("\n"), 1))
    if path.endswith(".py"):
        found = []
        for t in tokenize.generate_tokens(io.StringIO(text).readline):
            if t.type == tokenize.COMMENT or t.type == tokenize.STRING and t.string.startswith(('"""', 'r"""')):
                found += [(t.start[0] + i, line) for i, line in enumerate(t.string.split("\n"))]
        return found
    if path.endswith((".c", ".h", ".cc", ".def", ".S", ".fbs", ".ld")):
        found = []
        for m in re.finditer(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*', text, re.S):
            if not m[0].startswith('"'):
                line = text.count("\n", 0, m.start()) + 1
                found += [(line + i, part) for i, part in enumerate(m[0].split("\n"))]
        return found
    return [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.lstrip().startswith("#")]


def exists(path):
    """A file, a folder, a pattern with *, or a source without its ending (exporter/ir/lint)."""
    full = os.path.join(habits.ROOT, path)
    if "*" in path:
        pattern = re.escape(path.rstrip("/")).replace(r"\*", "[^/]*")
        return any(re.match(pattern, p) for p in habits.files(generated=True))
    return os.path.exists(full) or any(os.path.exists(full + ending) for ending in (".c", ".h", ".py"))


def path_faults(path, text):
    for line, comment in comments(path, text):
        for m in PATH.finditer(comment):
            name = m[1].rstrip(".")
            if not exists(name) and "CMakeFiles" not in name:
                yield "%s:%d: there is no %s" % (path, line, name)


def header_faults(path, text, names):
    """`name.h` in documents and comments."""
    for line, comment in comments(path, text):
        for name in re.findall(r"`([\w/-]+\.(?:h|c|py|def|sh|cmake|fbs))`", comment):
            if os.path.basename(name) not in names and name.rpartition("/")[2][0].islower():
                yield "%s:%d: there is no %s" % (path, line, name)


def folder_faults(path, text, folders):
    for line, part in enumerate(text.split("\n"), 1):
        for name in re.findall(r"`([a-z][\w/]*)/`|(?<=── )([a-z]+)/", part):
            name = name[0] or name[1]
            if not any(("/" + folder).endswith("/" + name) for folder in folders):
                yield "%s:%d: there is no folder %s" % (path, line, name)


def anchor(heading):
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def link_faults(path, text):
    for m in re.finditer(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", lambda code: " " * len(code[0]), text)):
        target, _, fragment = m[1].partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        file = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
        line = text.count("\n", 0, m.start()) + 1
        if not os.path.exists(os.path.join(habits.ROOT, file)):
            yield "%s:%d: the link leads to no file: %s" % (path, line, m[1])
        elif fragment and fragment not in {anchor(h) for h in re.findall(r"^#+ (.*)", habits.read(file), re.M)}:
            yield "%s:%d: the link leads to no heading: %s" % (path, line, m[1])


def option_faults(documents, tsmc, tsmrun):
    """Options that follow tsmc or tsmrun in a line of code, and all options of the two programs."""
    known = {}
    for name, program in (("tsmc", tsmc), ("tsmrun", tsmrun)):
        known[name] = set(OPTION.findall(subprocess.run([program, "--help"], capture_output=True, text=True).stdout))
    said = set()
    for path in documents:
        for n, line in enumerate(habits.read(path).split("\n"), 1):
            command = "" if ".py" in line.split("tsmc")[0] else line.split(" # ")[0]  # not what scripts take
            for m in re.finditer(r"(?<![.\w/])(tsmc|tsmrun)\b((?: [^`|;,()]*)?)", command):
                for option in OPTION.findall(m[2]):
                    if option not in known[m[1]]:
                        yield "%s:%d: %s has no option %s" % (path, n, m[1], option)
            said.update(OPTION.findall(line))
    for name in sorted(known):
        for option in sorted(known[name] - said - {"--help", "--version", "--output"}):
            yield "docs/: no document tells %s's option %s" % (name, option)


def pass_faults():
    """The table of passes in docs/architecture.md, without passes that run again. Groups have tables of their own."""
    text = habits.read("exporter/passes/pipeline.c")
    tables = dict(re.findall(r"^static const pass (\w+)\[\] = \{\n(.*?)^\};", text, re.M | re.S))
    run = []
    for kind, level, name in re.findall(r"\b(ON_GRAPH|WITH_MUTATION|ON_PROGRAM|REPEATED)\((\d), (\w+)\)", tables["passes"]):
        group = re.findall(r"\b(?:ON_GRAPH|WITH_MUTATION|ON_PROGRAM)\((\d), (\w+)\)", tables.get(name, ""))
        run += group if kind == "REPEATED" else [(level, name)]
    told = re.findall(r"^\| `(\w+)` \| (\d) \|", habits.read("docs/architecture.md"), re.M)
    wanted = list(dict.fromkeys((name, level) for level, name in run))
    if told != wanted:
        wrong = next((a for a, b in zip(wanted, told) if a != b), (wanted + told)[min(len(wanted), len(told))])
        yield "docs/architecture.md: the table of passes differs from exporter/passes/pipeline.c at %s" % wrong[0]


def main():
    faults, checked = [], 0
    names = {os.path.basename(p) for p in habits.files(generated=True)}
    for path in habits.files(".c", ".h", ".cc"):  # the system's headers
        names |= {os.path.basename(name) for name in re.findall(r"^#\s*include <([^>]+)>", habits.read(path), re.M)}
    names |= {"assert.h", "operator_table.c", "operator_list.c", "library.c", "derived.c"}  # forbidden; made by a build
    names |= {"tsmobile.c", "operators.c"}  # made for users
    documents = habits.files(".md")
    folders = {os.path.dirname(path) for path in habits.files(generated=True)}
    folders |= {os.path.dirname(folder) for folder in folders}
    faults += folder_faults("docs/architecture.md", habits.read("docs/architecture.md"), folders)
    for path in habits.files(".md", ".c", ".h", ".cc", ".py", ".def", ".S", ".fbs", ".ld", ".cmake", ".sh", "CMakeLists.txt"):
        text = habits.read(path)
        faults += path_faults(path, text)
        if path.endswith((".md", ".c", ".h", ".cc")):
            faults += header_faults(path, text, names)
        checked += 1
    for path in documents:
        faults += link_faults(path, habits.read(path))
    faults += pass_faults()
    faults += option_faults(documents, *sys.argv[1:])
    habits.finish(sorted(set(faults)), "paths and options in %d files" % checked)


if __name__ == "__main__":
    main()

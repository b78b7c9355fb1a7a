#!/usr/bin/env python3
"""Computes the depth of the C stack in libtsmobile, from the compiler's frame sizes and the calls in its objects.

  stack.py BUILD PRESET [--tools PREFIX] [--libraries A,B] [--run test_stack {} FILE.tsm]

It prints the deepest chains, and fails where docs/bounds.md ("Stack") states less, or a quarter more, for the preset.

Nodes are sections: with -ffunction-sections and -fdata-sections each holds one function or one variable. -fstack-usage
says how large a function's frame is; in the C library, whose frames nobody states, its pushes are counted. Calls are
relocations. A call through a pointer may reach

  * in tsm_machine_run_operator, and where work is charged: every operator's kernel;
  * elsewhere: what the same function, or one of its callers, takes the address of (itself, or by way of a constant
    table), and in kernels outside of simd/ any of the inner loops that the machine's table names.

What a program on top of the library gives it (tsm_platform) is not counted. Circles of calls are those that
docs/bounds.md bounds ("Recursion in C"), each as deep as it says; any other is an error."""
import argparse
import collections
import functools
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir)
DISPATCH = "tsm_machine_run_operator|tsm_run_charged|run_limited"  # call kernels through the table of operators
TABLE = "tsm_operator_table"                # that table
LOOPS = re.compile(r"^tsm_(f32|q8)_select$")  # choose a table of inner loops
CALL = re.compile(r"CALL|JUMP|JAL|PLT32|PC24")
INDIRECT = re.compile(r"\t(blx\t(r\d+|ip|sl|fp)|bx\t(r\d+|ip)|blr\t|br\tx|jalr\t[ast]\d+$|jr\t[ast]\d+$|call +\*|jmp +\*)")
OWN = re.compile(r"\t(?:call|bl)\s+[0-9a-f]+ <([^>+]+)>$")  # a call of the function itself needs no relocation
RELOCATION = re.compile(r"\t+[0-9a-f]+: (R_\S+)\t(\S+)")
JUMP = re.compile(r"\t(?:call|jmp|j[a-z]+)\b")
PUSH = re.compile(r"\t(?:v?push(?:\.w)?|stmdb(?:\.w)?\tsp!,|vstmdb\tsp!,)\s*\{([^}]*)\}")
LOWER = re.compile(r"\tsub(?:\.w|w)?\tsp, (?:sp, )?#(\d+)|\tstr\.?w?\t\S+ \[sp, #-(\d+)\]!|\tadd\tsp,sp,-(\d+)")
SAVE = re.compile(r"^__riscv_save_(\d+)$")  # pushes ra and so many more, and returns with the stack so much deeper

sys.setrecursionlimit(100000)


def lines_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def function_of(section):
    """The function of a section's name, without what gcc appends to copies and parts of it."""
    return re.sub(r"(\.(constprop|isra|part|cold)(\.\d+)?)+$", "", re.sub(r"^\.text\.(unlikely\.|hot\.|startup\.)?", "", section))


def stated_frames(path):
    """Frame sizes by function, as -fstack-usage wrote them beside the object; the largest of a function's copies."""
    frames = collections.defaultdict(int)
    usage = os.path.splitext(path)[0] + ".su"
    if os.path.exists(usage):
        with open(usage) as f:
            for line in f:
                place, size, kind = line.rstrip("\n").split("\t")
                if kind not in ("static", "dynamic,bounded"):
                    raise SystemExit("%s: the frame has no bound (%s)" % (place, kind))
                name = function_of(place.split(":")[-1])
                frames[name] = max(frames[name], int(size))
        return frames
    return None


def registers(text):
    """Bytes that pushing {r4-r7, lr} takes."""
    total = 0
    for item in text.split(","):
        first, _, last = item.strip().partition("-")
        number = (lambda r: int(re.sub(r"\D", "", r) or 0))
        total += ((number(last) - number(first)) if last else 0) + 1
    return total * (8 if "d" in text else 4)


class Program:
    """The graph of sections: direct calls, references, frames."""

    def __init__(self, tools):
        self.tools, self.place = tools, {}
        self.frame, self.indirect, self.foreign = {}, set(), set()
        self.called, self.referred = collections.defaultdict(set), collections.defaultdict(set)
        self.pending, self.unknown = [], collections.Counter()

    def add(self, path):
        """Reads an object: its sections, symbols, relocations, and where it calls through pointers."""
        frames, sections, local = stated_frames(path), {}, {}
        for line in lines_of(self.tools + "readelf", "-SW", path):
            m = re.match(r"\s*\[\s*(\d+)\] (\S+)", line)
            if m:
                sections[int(m[1])] = m[2]
        for line in lines_of(self.tools + "readelf", "-sW", path):
            w = line.split()
            if len(w) >= 8 and w[0].endswith(":") and w[6].isdigit():
                at = (path, sections[int(w[6])])
                local.setdefault(w[7], at)
                if w[4] in ("GLOBAL", "WEAK"):
                    self.place.setdefault(w[7], at)
        for section in sections.values():
            if section.startswith(".text"):
                self.frame[path, section] = frames[function_of(section)] if frames is not None else 0
                if frames is None:
                    self.foreign.add((path, section))
        self.read_relocations(path, local)
        self.read_code(path, local, frames is None)

    def read_relocations(self, path, local):
        """Those of constants; those of code stand in its listing."""
        at = None
        for line in lines_of(self.tools + "readelf", "-rW", path):
            m = re.match(r"Relocation section '\.rela?(\S+)'", line)
            if m:
                at = None if re.match(r"\.(text|debug|ARM\.ex|eh_frame)", m[1]) else (path, m[1])
            w = line.split()
            if at and len(w) >= 5 and re.match(r"[0-9a-f]{8}", w[0]):
                self.pending.append((at, False, w[4], local.get(w[4])))

    def read_code(self, path, local, count_pushes):
        at = instruction = None
        for line in lines_of(self.tools + "objdump", "-dr", "--no-show-raw-insn", path) + [""]:
            section, relocation = re.match(r"Disassembly of section (\S+):", line), RELOCATION.match(line)
            if relocation and at:
                name = re.sub(r"[+-]0x[0-9a-f]+$", "", relocation[2])
                save = SAVE.match(name)
                if save:
                    self.frame[at] += (int(save[1]) * 4 + 19) // 16 * 16
                is_call, is_jump = bool(CALL.search(relocation[1])), bool(JUMP.search(instruction or ""))
                if is_call or not is_jump or function_of(name) != function_of(at[1]):  # or to another part of itself
                    self.pending.append((at, is_call or is_jump, name, local.get(name)))
                instruction = None
                continue
            if instruction:
                self.read_instruction(at, instruction, count_pushes)
            instruction = line if at and "\t" in line else None
            at = (path, section[1]) if section else at

    def read_instruction(self, at, line, count_pushes):
        own = OWN.search(line)
        if INDIRECT.search(line):
            self.indirect.add(at)
        if own and function_of(".text." + own[1]) == function_of(at[1]):
            self.called[at].add(at)
        if count_pushes:
            pushed, lowered = PUSH.search(line), LOWER.search(line)
            self.frame[at] += (registers(pushed[1]) if pushed else 0) + (int(next(filter(None, lowered.groups()))) if lowered else 0)

    def link(self):
        for at, is_call, name, to in self.pending:
            if name.startswith(".L") and to == at:
                continue  # RISC-V's jumps within a function have relocations
            to = to or self.place.get(name) or ((at[0], name) if (at[0], name) in self.frame else None)
            if to:
                (self.called if is_call else self.referred)[at].add(to)
            elif is_call:
                self.unknown[name] += 1

    def named(self, pattern):
        return {n for n in self.frame if re.match(pattern, function_of(n[1]))}


# ---- The deepest chain ----


def bounded_levels():
    """Function: how many times it may stand on the stack more than once, as docs/bounds.md says."""
    with open(os.path.join(ROOT, "docs/bounds.md"), encoding="utf-8") as f:
        section = f.read().split("\n## Recursion in C\n")[1].split("\n## ")[0]
    levels = {}
    for row in re.findall(r"^\|(.*)\|$", section, re.M):
        cells = row.split("|")
        count = re.search(r"\d+", cells[1]) if len(cells) > 1 else None
        for name in re.findall(r"`(\w+)`", cells[0]):
            levels[name] = int(count[0]) if count else 0
    return levels


def strong_components(nodes, successors):
    """Tarjan's algorithm: {node: component}, components as frozensets."""
    index, low, stack, on_stack, found = {}, {}, [], set(), {}

    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        on_stack.add(v)
        for w in successors(v):
            if w not in index:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in on_stack:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            component = set()
            while v not in component:
                w = stack.pop()
                on_stack.discard(w)
                component.add(w)
            for w in component:
                found[w] = frozenset(component)

    for v in nodes:
        if v not in index:
            visit(v)
    return found


class Depth:
    """Chains are (bytes, path), paths tuples of functions."""

    def __init__(self, program):
        self.p, self.levels, self.unbounded = program, bounded_levels(), set()
        self.tables = program.named(LOOPS.pattern)
        kernels = self.taken(program.place[TABLE])
        self.pointers = {n: kernels for n in program.named("^(%s)$" % DISPATCH)}
        self.loops = set().union(*(self.taken(t) for t in self.tables)) if self.tables else set()
        self.components = strong_components(list(program.frame), self.successors)

    @functools.lru_cache(None)
    def taken(self, node):
        """Functions whose address the node takes, by way of constant tables too."""
        seen, todo, found = {node}, [node], set()
        while todo:
            for to in self.p.referred.get(todo.pop(), ()):
                if to not in seen:
                    seen.add(to)
                    if to in self.p.frame:
                        found.add(to)
                    elif to != self.p.place[TABLE] and not to[1].startswith(".bss"):
                        todo.append(to)
        return frozenset(found) - (set() if node == self.p.place[TABLE] else {node})

    def targets(self, node):
        """What a pointer may lead to that this function calls but need not have taken itself."""
        if node not in self.p.indirect:
            return set()
        if node in self.pointers:
            return self.pointers[node]
        return self.loops if "/kernels/" in node[0] and "/kernels/simd/" not in node[0] else set()

    def callbacks(self, node):
        return set() if node in self.tables or self.is_finder(node) else self.taken(node)

    def is_finder(self, node):
        """Looks operators up, and calls none."""
        return self.p.place[TABLE] in self.p.referred.get(node, ())

    def successors(self, node):
        return self.p.called.get(node, set()) | self.targets(node) | self.callbacks(node)

    def own(self, node):
        """Bytes of the node's frame; of a whole circle of calls as deep as it may get."""
        component = self.components[node]
        if len(component) == 1 and node not in self.successors(node):
            return self.p.frame[node]
        bounded = [self.levels[function_of(n[1])] for n in component if function_of(n[1]) in self.levels]
        frames = sum(self.p.frame[n] for n in component)
        if not bounded and not component & self.p.foreign:
            self.unbounded.add(component)
        return (max(bounded, default=0) + 1) * frames

    @functools.lru_cache(None)
    def to_pointer(self, component):
        """The deepest chain of direct calls that ends in a call through a pointer; None when there is none."""
        best = None
        for node in component:
            if node in self.p.indirect:
                best = best or (0, ())
            for to in self.p.called.get(node, ()):
                if self.components[to] != component:
                    chain = self.to_pointer(self.components[to])
                    best = max(best or chain, chain) if chain else best
        if best is None:
            return None
        node = min(component)
        return (best[0] + self.own(node), (function_of(node[1]),) + best[1])

    @functools.lru_cache(None)
    def deepest(self, component):
        node = min(component)
        best = (0, ())
        for n in component:
            for to in self.p.called.get(n, set()) | self.targets(n):
                if self.components[to] != component:
                    best = max(best, self.deepest(self.components[to]))
        best = (best[0] + self.own(node), (function_of(node[1]),) + best[1])
        below = self.to_pointer(component)
        for n in component if below else ():
            for to in self.callbacks(n):
                if self.components[to] != component:
                    chain = self.deepest(self.components[to])
                    best = max(best, (below[0] + chain[0], below[1] + chain[1]))
        return best

    def of(self, name):
        return self.deepest(self.components[self.p.place[name]])


# ---- Reading a build ----


def library_index(tools, path):
    """{symbol: member} of an archive's global functions."""
    index = {}
    for line in lines_of(tools + "nm", "-A", "--defined-only", path):
        member, _, rest = line[len(path) + 1:].partition(":")
        if rest.split()[-2] in "TtWw":
            index.setdefault(rest.split()[-1], member)
    return index


def add_library(program, path, folder):
    """The members of an archive that are called, as a linker would take them."""
    index, added = library_index(program.tools, path), set()
    while True:
        wanted = {index[name] for _, is_call, name, to in program.pending
                  if is_call and not to and name not in program.place and name in index} - added
        if not wanted:
            return
        for member in sorted(wanted):
            subprocess.run([program.tools + "ar", "x", os.path.abspath(path), member], cwd=folder, check=True)
            program.add(os.path.join(folder, member))
        added |= wanted


def read_build(build, tools, libraries):
    program = Program(tools)
    objects = glob.glob(os.path.join(build, "runtime/CMakeFiles/tsmobile.dir/**/*"), recursive=True)
    for path in sorted(p for p in objects if re.search(r"\.o(bj)?$", p)):
        program.add(path)
    with tempfile.TemporaryDirectory() as folder:
        for library in libraries:
            add_library(program, library, folder)
    program.link()
    return program


def public_functions(program):
    with open(os.path.join(ROOT, "runtime/include/tsmobile.h"), encoding="utf-8") as f:
        names = set(re.findall(r"\b(tsm_\w+)\(", f.read()))
    return sorted(n for n in names if n in program.place and program.place[n] in program.frame)


# The columns of docs/bounds.md: the deepest of these functions; the last has all others.
COLUMNS = (("tsm_call", "tsm_call_or_restore"), ("tsm_instance_init", "tsm_instance_reset"), ("tsm_program_open",), ())

# What functions of workers may need beyond tsm_call, which they call, as the text below the table says.
WORKERS, WORKERS_OWN = re.compile("tsm_remote_"), 4096


def columns(depth, program):
    named = {name for column in COLUMNS for name in column}
    rest = [n for n in public_functions(program) if n not in named and not WORKERS.match(n)]
    return [max(depth.of(n) for n in column or rest) for column in COLUMNS]


def workers_own(depth, program):
    """The deepest chain of a worker's functions beyond that of tsm_call, and its path."""
    size, path = max(depth.of(n) for n in public_functions(program) if WORKERS.match(n))
    return size - depth.of("tsm_call")[0], path


def stated_depths(preset):
    """The row of this preset in docs/bounds.md, under "Stack"."""
    with open(os.path.join(ROOT, "docs/bounds.md"), encoding="utf-8") as f:
        section = f.read().split("\n## Stack\n")[1].split("\n## ")[0]
    row = re.search(r"^\| *%s *\|(.*)\|$" % re.escape(preset), section, re.M)
    return [int(cell.replace(",", "")) for cell in row[1].split("|")] if row else None


def faults(depth, program, preset, computed):
    found = ["a circle of calls that docs/bounds.md does not bound: "
             + ", ".join(sorted(function_of(n[1]) for n in component)) for component in depth.unbounded]
    stated = stated_depths(preset)
    # Compilers differ a little: what is stated may be more, not less.
    fits = stated and all(c <= s <= c * 1.25 for (c, _), s in zip(computed, stated))
    if not fits:
        found.append("docs/bounds.md states %s; computed: | %s | %s |"
                     % (stated, preset, " | ".join("{:,}".format(c) for c, _ in computed)))
    own, path = workers_own(depth, program)
    if own > WORKERS_OWN:
        found.append("docs/bounds.md states %d bytes for workers; computed: %d, %s" % (WORKERS_OWN, own, " > ".join(path)))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("preset")
    parser.add_argument("--tools", default="", help="prefix of readelf, objdump, nm and ar")
    parser.add_argument("--libraries", default="", help="archives of the C library, separated by commas")
    parser.add_argument("--run", nargs=argparse.REMAINDER, default=[], help="test_stack; {} is the depth of calls")
    options = parser.parse_args()
    program = read_build(options.build, options.tools, [p for p in options.libraries.split(",") if p])
    depth = Depth(program)
    computed = columns(depth, program)
    for size, path in computed:
        print("%6d  %s" % (size, " > ".join(path)))
    if program.unknown:
        print("without the frames of: " + " ".join(sorted(program.unknown)))
    found = faults(depth, program, options.preset, computed)
    for fault in found:
        print(fault)
    command = [w.replace("{}", str(computed[0][0])) for w in options.run]
    sys.stdout.flush()
    return bool(found) or (subprocess.run(command).returncode if command else 0)


if __name__ == "__main__":
    sys.exit(main())

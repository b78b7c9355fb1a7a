#!/usr/bin/env python3
"""Runs the fuzzing harnesses for long and writes the table of docs/reliability.md.

    campaign.py [--executions N] [--seconds S] [--processes P] [--build NAME...] [--harness NAME...]

N executions of each harness in each build (1,000,000 unless told), the harnesses of a build in turns, P at once; S
seconds at most for each build. Builds:

    sanitizers   clang with LibFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer; new inputs join the corpus
    memory       clang with LibFuzzer and MemorySanitizer
    threads      clang with LibFuzzer and ThreadSanitizer: fuzz_operators runs every task on a thread of its own
    plain        as it is released (gcc), at full speed: what pages without permissions and the harnesses find
    plain32      the same with addresses of 32 bits (-m32)

Archives and sources are for tsmc, whose libraries MemorySanitizer does not see into, and which uses neither threads nor
32 bits: they run in the builds plain and sanitizers.

What was executed is added to the table, so that a campaign can go on later. A finding stops a run of the harnesses that
LibFuzzer can run; its input is kept in build/fuzz/found, and the next run begins with another seed. The table says how
many runs had a finding, and how many executions there were since the last one."""
import argparse
import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
WORK = os.path.join(ROOT, "build", "fuzz")
PAGE = os.path.join(ROOT, "docs", "reliability.md")
BEGIN, END = "<!-- written by: tests/fuzz/campaign.py -->\n", "<!-- end of the table -->\n"
LIBFUZZER_HARNESSES = ("operators", "files", "calls", "remote")
HARNESSES = LIBFUZZER_HARNESSES + ("archives", "sources")
CHUNK, SANITIZED_CHUNK = 200000, 25000
COMPILER_TARGETS = ["fuzz_archive", "fuzz_source"]
ARCHIVES = ["*/*.pt", "*/*/*.pt", "*/*.ptl", "*/*/*.ptl"]
MOBILE_SHARE = 8  # how often those of the lite interpreter are given, of which there are few
CASES_SHARE, CASE_BYTES = 4, 4096  # of PyTorch's own tests: every fourth that is small, which is compiled fast
SOURCES = ["programs/[a-qs-z]*.py", "programs/raising.py", "programs/refinement.py", "language/sources/*.py", "memory/programs.py", "autograd/programs.py"]
COLUMNS = ("executions", "accepted", "edges", "stopped", "findings", "since")

SANITIZE = "-O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,%s"
BUILDS = {
    "sanitizers": {},  # what build.sh does unless told otherwise
    "memory": {"CFLAGS": SANITIZE % "memory" + " -fsanitize-recover=memory"},  # see build.sh
    "threads": {"CFLAGS": SANITIZE % "thread"},
    "plain": {"CFLAGS": "", "LIB_FUZZING_ENGINE": "standalone", "CC": "gcc", "CXX": "g++"},
    # Numbers of 64 bits are aligned to 8 bytes and floats are not calculated as long double, as on 32-bit ARM. Headers
    # of Linux are those for 64 bits: the package that links to them cannot be installed beside cross compilers.
    "plain32": {"CFLAGS": "-m32 -malign-double -msse2 -mfpmath=sse -idirafter /usr/include/x86_64-linux-gnu",
                "CXXFLAGS": "", "LIB_FUZZING_ENGINE": "standalone", "CC": "gcc", "CXX": "g++"},
}
WITHOUT_TSMC = ["plain32"]  # its libraries are there for 64 bits only: that of the build "plain" makes what is needed


def build(name, harnesses):
    """The folder of the programs of a build."""
    out, work = (os.path.join(WORK, name, n) for n in ("out", "work"))
    environment = dict(os.environ, OUT=out, WORK=work, **BUILDS[name])
    if name in WITHOUT_TSMC:
        environment["TSMC"] = os.path.join(build("plain", LIBFUZZER_HARNESSES), "tsmc")
    commands = [[os.path.join(HERE, "build.sh")]]
    if not set(harnesses) <= set(LIBFUZZER_HARNESSES):
        commands += [["cmake", "--build", work, "--target"] + COMPILER_TARGETS]
    for c in commands:
        if subprocess.call(c, env=environment, stdout=subprocess.DEVNULL):
            sys.exit("campaign.py: the build '%s' failed" % name)
    return os.path.join(work, "bin")


def corpus_of(harness):
    folder = os.path.join(WORK, "corpus", harness)
    if not os.path.isdir(folder):
        os.makedirs(folder)
        pack = os.path.join(HERE, "corpora", harness + ".tar.xz")
        subprocess.check_call([sys.executable, os.path.join(HERE, "corpus.py"), "unpack", pack, folder])
    return folder


def unpacked(pack, name):
    """The folder with the programs of a pack of recorded tests."""
    folder = os.path.join(WORK, name)
    if not os.path.isdir(folder):
        subprocess.check_call([sys.executable, os.path.join(os.path.dirname(HERE), "packs.py"), pack, folder])
    return folder


def archives():
    """What is damaged: mostly small archives, so that much is executed."""
    tests = os.path.dirname(HERE)
    own = sorted(path for a in ARCHIVES for path in glob.glob(os.path.join(tests, a)))
    exported = sorted(glob.glob(os.path.join(unpacked(os.path.join(tests, "export", "cases.tar.xz"), "exported"), "*", "*.pt")))
    cases = sorted(glob.glob(os.path.join(unpacked(os.path.join(tests, "conformance", "cases.tar.xz"), "conformance"), "*", "*.pt")))
    small = [c for c in cases if os.path.getsize(c) < CASE_BYTES]
    return own + (MOBILE_SHARE - 1) * [a for a in own if a.endswith("l")] + exported + small[::CASES_SHARE]


def command(name, programs, harness, runs, seed):
    found = os.path.join(WORK, "found", harness)
    os.makedirs(found, exist_ok=True)
    if harness == "archives":
        return [os.path.join(programs, "fuzz_archive"), str(runs), str(seed), found] + archives()
    if harness == "sources":
        inputs = sorted(path for s in SOURCES for path in glob.glob(os.path.join(os.path.dirname(HERE), s)))
        return [os.path.join(programs, "fuzz_source"), str(runs), str(seed), found] + inputs
    program = os.path.join(programs, "fuzz_" + harness)
    if "LIB_FUZZING_ENGINE" in BUILDS[name]:
        return [program, "-runs=%d" % runs, "-seed=%d" % seed, "-keep=" + found, corpus_of(harness)]
    return [program, "-runs=%d" % runs, "-seed=%d" % seed, "-artifact_prefix=%s/" % found, "-print_final_stats=1",
            "-mutate_depth=2", "-max_len=16000", "-timeout=20", corpus_of(harness)]


def read_damaged(text):
    """What fuzz_archive and fuzz_source say at their end."""
    executions, accepted, failures = map(int, re.search(r"(\d+) \w+: (\d+) compiled, (\d+) failures", text).groups())
    return {"executions": executions, "accepted": round(100 * accepted / executions), "failed": failures > 0}


def read_harness(text, status):
    """What a harness of LibFuzzer's form says; one that ended without saying it is counted as nothing executed."""
    counts = re.search(r"harness: (\d+) executions, ([\d.]+)% accepted, (\d+) stopped", text)
    units = re.search(r"number_of_executed_units: (\d+)", text)
    edges, all_edges = re.findall(r"cov: (\d+)", text), re.search(r"\((\d+) inline 8-bit counters\)", text)
    return {"executions": int(units.group(1)) if units else int(counts.group(1)) if counts else 0,
            "accepted": round(float(counts.group(2))) if counts else None, "stopped": int(counts.group(3)) if counts else 0,
            "edges": "%s of %s" % (edges[-1], all_edges.group(1)) if edges and all_edges else None,
            "failed": status != 0 and bool(counts or units)}


def run(name, programs, harness, runs, seed):
    environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0:symbolize=0", MSAN_OPTIONS="symbolize=0:halt_on_error=1")
    done = subprocess.run(command(name, programs, harness, runs, seed), env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = (t.decode(errors="replace") for t in (done.stdout, done.stderr))
    result = read_harness(err, done.returncode) if harness in LIBFUZZER_HARNESSES else read_damaged(out)
    if result["failed"] or not result["executions"]:
        print("%s, %s, seed %d:\n%s\n%s" % (harness, name, seed, out[-2000:], err[-2000:]), flush=True)
        with open(os.path.join(WORK, "found", harness, "%s-%d.log" % (name, seed)), "w") as f:
            f.write(out + err)  # what a sanitizer says may stand long before the end
    return result


def add(row, result):
    row["executions"] += result["executions"]
    row["since"] = 0 if result["failed"] else row["since"] + result["executions"]
    row["findings"] += result["failed"]
    row["stopped"] += result.get("stopped", 0)
    for key in ("accepted", "edges"):
        row[key] = result.get(key) or row[key]


def campaign(name, chosen):
    """Runs the harnesses of a build in turns. Campaigns of other builds may run beside it."""
    harnesses = [h for h in chosen.harness if name in ("plain", "sanitizers") or h in LIBFUZZER_HARNESSES]
    programs, begin, seed = build(name, harnesses), time.time(), int(time.time())
    left = dict.fromkeys(harnesses, chosen.executions)
    chunk = CHUNK if "LIB_FUZZING_ENGINE" in BUILDS[name] else SANITIZED_CHUNK
    with concurrent.futures.ThreadPoolExecutor(chosen.processes) as pool:
        while left and time.time() - begin < chosen.seconds:
            seed += 1
            jobs = {h: pool.submit(run, name, programs, h, min(chunk, left[h]), seed) for h in left}
            for harness, job in jobs.items():
                result = job.result()
                state = read_table()
                add(state.setdefault((harness, name), dict(dict.fromkeys(COLUMNS, 0), accepted=None, edges=None)), result)
                write_table(state)
                left[harness] -= max(result["executions"], 1)
            left = {h: n for h, n in left.items() if n > 0}


# ---- The table ----


def read_table():
    """The state: a row for each (harness, build)."""
    state = {}
    for line in page_parts()[1].splitlines()[2:]:
        harness, name, *cells = (c.strip() for c in line.strip("|").split("|"))
        if name:
            executions, accepted, edges, stopped, findings, since = (c.replace(",", "").replace(" %", "") for c in cells)
            state[harness.strip("`"), name] = {
                "executions": int(executions), "accepted": int(accepted) if accepted else None, "edges": edges or None,
                "stopped": int(stopped), "findings": int(findings), "since": int(since)}
    return state


def table(state):
    lines = ["| harness | build | executions | accepted | edges | stopped | runs with a finding | since the last |",
             "|---|---|---:|---:|---:|---:|---:|---:|"]
    for harness, name in sorted(state):
        row = state[harness, name]
        accepted = "" if row["accepted"] is None else "%d %%" % row["accepted"]
        numbers = [format(row[c], ",") for c in ("executions", "stopped", "findings", "since")]
        lines.append("| `%s` | %s | %s | %s | %s | %s | %s | %s |" % (harness, name, numbers[0], accepted, row["edges"] or "", *numbers[1:]))
    lines.append("| all | | %s | | | | | |" % format(sum(r["executions"] for r in state.values()), ","))
    return "\n".join(lines) + "\n"


def page_parts():
    with open(PAGE) as f:
        text = f.read()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    return text[:begin], text[begin:end], text[end:]


def write_table(state):
    before, _, after = page_parts()
    with open(PAGE + ".new", "w") as f:
        f.write(before + table(state) + after)
    os.replace(PAGE + ".new", PAGE)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--executions", type=int, default=1000000)
    options.add_argument("--seconds", type=int, default=1 << 30)
    options.add_argument("--processes", type=int, default=1)
    options.add_argument("--build", nargs="+", choices=sorted(BUILDS), default=["sanitizers", "plain"])
    options.add_argument("--harness", nargs="+", choices=HARNESSES, default=HARNESSES)
    chosen = options.parse_args()
    os.makedirs(WORK, exist_ok=True)
    for name in chosen.build:
        campaign(name, chosen)


if __name__ == "__main__":
    main()

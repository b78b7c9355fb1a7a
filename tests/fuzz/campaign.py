#!/usr/bin/env python3
"""Runs the fuzzing harnesses for long and writes the table of docs/reliability.md.

    campaign.py [--executions N] [--seconds S] [--build NAME...] [--harness NAME...] [--table]

N executions of each harness in each build (1,000,000 unless told), S seconds at most for each. Builds:

    sanitizers   clang with LibFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer; new inputs join the corpus
    memory       clang with LibFuzzer and MemorySanitizer
    threads      clang with LibFuzzer and ThreadSanitizer: fuzz_operators runs every task on a thread of its own
    plain        as it is released (gcc), at full speed: what pages without permissions and the harnesses find
    plain32      the same with addresses of 32 bits (-m32)

What was executed is added up in build/fuzz/campaign.json, so that a campaign can go on later; --table only writes the
table. A finding stops a run, its input is kept in build/fuzz/found, and the next run begins with another seed. The
table says how many runs a finding has stopped, and how many executions there were since the last one."""
import argparse
import json
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
WORK = os.path.join(ROOT, "build", "fuzz")
STATE = os.path.join(WORK, "campaign.json")
PAGE = os.path.join(ROOT, "docs", "reliability.md")
BEGIN, END = "<!-- written by: tests/fuzz/campaign.py -->\n", "<!-- end of the table -->\n"
HARNESSES = ("operators", "files", "calls")
CHUNK = 200000  # executions of one run

SANITIZE = "-O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,%s"
BUILDS = {
    "sanitizers": {},  # what build.sh does unless told otherwise
    "memory": {"CFLAGS": SANITIZE % "memory"},
    "threads": {"CFLAGS": SANITIZE % "thread"},
    "plain": {"CFLAGS": "", "LIB_FUZZING_ENGINE": "standalone", "CC": "gcc", "CXX": "g++"},
    # Numbers of 64 bits are aligned to 8 bytes and floats are not calculated as long double, as on 32-bit ARM.
    "plain32": {"CFLAGS": "-m32 -malign-double -msse2 -mfpmath=sse", "CXXFLAGS": "", "LIB_FUZZING_ENGINE": "standalone",
                "CC": "gcc", "CXX": "g++"},
}


def build(name):
    out = os.path.join(WORK, name)
    environment = dict(os.environ, OUT=os.path.join(out, "out"), WORK=os.path.join(out, "work"), **BUILDS[name])
    if subprocess.call([os.path.join(HERE, "build.sh")], env=environment, stdout=subprocess.DEVNULL):
        sys.exit("campaign.py: the build '%s' failed" % name)
    return os.path.join(out, "out")


def corpus_of(harness):
    folder = os.path.join(WORK, "corpus", harness)
    if not os.path.isdir(folder):
        os.makedirs(folder)
        pack = os.path.join(HERE, "corpora", harness + ".tar.xz")
        subprocess.check_call([sys.executable, os.path.join(HERE, "corpus.py"), "unpack", pack, folder])
    return folder


def command(name, out, harness, runs, seed):
    program = os.path.join(out, "fuzz_" + harness)
    found = os.path.join(WORK, "found", harness)
    os.makedirs(found, exist_ok=True)
    if "LIB_FUZZING_ENGINE" in BUILDS[name]:
        return [program, "-runs=%d" % runs, "-seed=%d" % seed, "-keep=" + found, corpus_of(harness)]
    return [program, "-runs=%d" % runs, "-seed=%d" % seed, "-artifact_prefix=%s/" % found, "-print_final_stats=1",
            "-mutate_depth=2", "-max_len=16000", "-timeout=20", corpus_of(harness)]


def run(name, out, harness, runs, seed):
    """One run: (executions, share accepted or None, edges covered, all edges, whether it ended by itself)."""
    environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0:symbolize=0", MSAN_OPTIONS="symbolize=0")
    done = subprocess.run(command(name, out, harness, runs, seed), env=environment, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE)
    text = done.stderr.decode(errors="replace")
    counts = re.search(r"harness: (\d+) executions, ([\d.]+)% accepted, (\d+) stopped", text)
    units = re.search(r"number_of_executed_units: (\d+)", text)
    executions = int(units.group(1)) if units else int(counts.group(1)) if counts else 0
    edges = re.findall(r"cov: (\d+)", text)
    all_edges = re.search(r"\((\d+) inline 8-bit counters\)", text)
    return {"executions": executions, "accepted": float(counts.group(2)) if counts else None,
            "stopped": int(counts.group(3)) if counts else 0, "edges": int(edges[-1]) if edges else 0,
            "all_edges": int(all_edges.group(1)) if all_edges else 0, "ended": done.returncode == 0}


def read_state():
    if os.path.exists(STATE):
        with open(STATE) as f:
            return json.load(f)
    return {}


def add(state, name, harness, result):
    row = state.setdefault(harness + " " + name, {"executions": 0, "since": 0, "findings": 0, "stopped": 0})
    row["executions"] += result["executions"]
    row["since"] = row["since"] + result["executions"] if result["ended"] else 0
    row["findings"] += not result["ended"]
    row["stopped"] += result["stopped"]
    for key in ("accepted", "edges", "all_edges"):
        row[key] = result[key] or row.get(key)
    with open(STATE, "w") as f:
        json.dump(state, f, indent=1, sort_keys=True)


def campaign(state, name, harness, executions, seconds):
    out, seed, done, begin = build(name), int(time.time()), 0, time.time()
    while done < executions and time.time() - begin < seconds:
        result = run(name, out, harness, min(CHUNK, executions - done), seed)
        add(state, name, harness, result)
        done += max(result["executions"], 1)
        seed += 1
    print("%s, %s: %d executions, %s" % (harness, name, done, state[harness + " " + name]), flush=True)


def table(state):
    lines = ["| harness | build | executions | accepted | edges | stopped | runs with a finding | since the last |",
             "|---|---|---:|---:|---:|---:|---:|---:|"]
    for key in sorted(state):
        row = state[key]
        edges = "%d of %d" % (row["edges"], row["all_edges"]) if row.get("edges") else ""
        accepted = "%.0f %%" % row["accepted"] if row.get("accepted") else ""
        harness, name = key.split()
        lines.append("| `%s` | %s | %s | %s | %s | %s | %d | %s |" % (
            harness, name, format(row["executions"], ","), accepted, edges, format(row["stopped"], ","), row["findings"],
            format(row["since"], ",")))
    lines.append("| all | | %s | | | | | |" % format(sum(r["executions"] for r in state.values()), ","))
    return "\n".join(lines) + "\n"


def write_table(state):
    with open(PAGE) as f:
        text = f.read()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    with open(PAGE, "w") as f:
        f.write(text[:begin] + table(state) + text[end:])


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--executions", type=int, default=1000000)
    options.add_argument("--seconds", type=int, default=1 << 30)
    options.add_argument("--build", nargs="+", choices=sorted(BUILDS), default=["sanitizers", "plain"])
    options.add_argument("--harness", nargs="+", choices=HARNESSES, default=HARNESSES)
    options.add_argument("--table", action="store_true")
    chosen = options.parse_args()
    os.makedirs(WORK, exist_ok=True)
    state = read_state()
    for name in chosen.build if not chosen.table else ():
        for harness in chosen.harness:
            campaign(state, name, harness, chosen.executions, chosen.seconds)
    write_table(state)


if __name__ == "__main__":
    main()

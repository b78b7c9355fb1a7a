"""Runs programs of a generator and compares their answers at each level of optimization and specialized to an example,
with each other and with what PyTorch 1.13.1 answered.

A generator is a module with ENTRY, what tsmc exports of a program's text; EXAMPLE, arguments of forward, or None; and
program(seed, number), which gives the text and the calls, as tsmrun --sequence takes them. Failures
are compared by the class of their exception, those of calls that may raise, too.

Programs of a generator with MAY_BE_REFUSED may be wrong: where they do not compile at -O0 they are counted. One that
PyTorch compiles must compile: it has answered it or, where a generator has REFUSED, {seed: (count, numbers)}, is among
the first of them and not of the numbers. Of other programs, where there are enough to tell, a tenth may be refused.

A generator with METHODS is specialized to EXAMPLE as the arguments of each of them that does not raise, not of forward
only. A call may say its "tolerance". PyTorch answers programs of one that IS_EAGER as Python, not as TorchScript.

Answers are kept in NAME.json.xz beside the generator NAME: what the calls gave, {"raises": class} or, where there is
none, null. Of a call that PyTorch has no kernel for it is {"unknown": true}. A generator with a function
reference(program) knows them itself. Where PyTorch raises, programs of one with SKIPS_RAISING are not run."""
import gc
import json
import lzma
import multiprocessing
import os
import re
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from answers import differs, raised_by_an_operator  # noqa: E402
from fork_server import ForkServer  # noqa: E402

SETTINGS = [["-O0"], ["-O1"], ["-O2"], ["-O2", "--example"]]
RAISED, REFUSED = 1, 2
ARENA, FUEL = "64M", "500000000"
UNKNOWN = {"unknown": True}
TOLERANCE = 1e-4
ENOUGH = 300
CHANGES = re.compile(r"\bdel\b|\.(pop|remove|append|insert)\(|\] [+*-]?= ")


def answers_path(generator):
    return os.path.join(HERE, generator.__name__ + ".json.xz")


def read_answers(path):
    with lzma.open(path, "rt") as f:
        return json.load(f)


def drop_unusable(generator, answers):
    """None in the place of the answers that unusable.txt lists."""
    with open(os.path.join(HERE, "unusable.txt")) as f:
        for number in re.findall(r"^ +%s (\d+)$" % generator.__name__, f.read(), re.M):
            answers[int(number)] = None
    return answers


def exception_class(message):
    """RuntimeError of "RuntimeError: text", of the last line of a failure."""
    found = re.findall(r"^([\w.]*(?:Error|Exception|Interrupt))\b:?", message, re.M)
    return found[-1].rpartition(".")[2] if found else "RuntimeError"


class Machine:
    """Exports and runs programs in a folder. `runs`: how many were executed, `refused`: how many do not compile."""

    def __init__(self, generator, tsmc, tsmrun, folder):
        self.generator, self.tsmc, self.tsmrun = generator, tsmc, tsmrun
        self.runs, self.raised, self.refused, self.methods = 0, 0, 0, getattr(generator, "METHODS", ())
        self.source, self.tsm, self.calls, self.outputs, self.example = (
            os.path.join(folder, n) for n in ("p.py", "p.tsm", "calls.json", "out.json", "example.json"))
        with open(self.example, "w") as f:
            json.dump(generator.EXAMPLE, f)

    def answer(self, setting):
        """What the program answers: the calls' results; {"raises": text}; or a text, why there are none."""
        examples = ["%s=%s" % (m, self.example) for m in self.methods] or [self.example]
        options = [o for s in setting for o in ([o for e in examples for o in (s, e)] if s == "--example" else [s])]
        p = self.tsmc.run([self.source + ":" + self.generator.ENTRY, "-o", self.tsm] + options)
        if p.returncode:
            return "does not compile (%d): %s" % (p.returncode, p.stderr)
        self.runs += 1
        p = self.tsmrun.run([self.tsm, "--sequence", self.calls, "--outputs", self.outputs, "--arena", ARENA, "--fuel", FUEL])
        if p.returncode == RAISED:
            return {"raises": p.stderr}
        if p.returncode:
            return "exit %d: %s" % (p.returncode, p.stderr.strip()[-300:])
        with open(self.outputs) as f:
            return json.load(f)

    def difference(self, program, recorded=None, may_be_refused=True):
        """How the program's answers differ: a text, or None."""
        text, calls = program
        for path, content in ((self.source, text), (self.calls, json.dumps(calls))):
            with open(path, "w") as f:
                f.write(content)
        first = self.answer(SETTINGS[0])
        if isinstance(first, str):
            if not first.startswith("does not compile (%d)" % REFUSED) or not may_be_refused:
                return first
            self.refused += 1
            return None
        self.raised += isinstance(first, dict)
        tolerances = [c.get("tolerance", TOLERANCE) if isinstance(c, dict) else TOLERANCE for c in calls]
        wrong = recorded is not None and against_recorded(first, recorded, tolerances)
        if wrong:
            return "-O0 and what is right: %s" % wrong
        if hasattr(self.generator, "METHODS"):
            self.methods = [c["method"] for c, a in zip(calls, first) if raised_in(a) is None]
        for setting in SETTINGS[1:] if self.generator.EXAMPLE and self.methods != [] else SETTINGS[1:-1]:
            other = self.answer(setting)
            if isinstance(other, str) and "the example cannot be run" in other and self.example_raises():
                continue
            wrong = against_first(other, first, tolerances)
            if wrong:
                return "%s: %s" % (" ".join(setting), wrong)
        return None

    def example_raises(self):
        with open(self.calls, "w") as f:
            json.dump([self.generator.EXAMPLE], f)
        return isinstance(self.answer(SETTINGS[0]), dict)


def against_first(other, first, tolerances):
    if isinstance(first, dict) and isinstance(other, list) and raised_by_an_operator(first["raises"]):
        return None  # Nobody wants what the operator gives: optimized, as in PyTorch, it is removed.
    if isinstance(other, str) or isinstance(first, dict) != isinstance(other, dict):
        return "%s, not %s" % (str(other)[:600], str(first)[:600])
    if isinstance(first, dict):
        same = exception_class(other["raises"]) == exception_class(first["raises"])
        return None if same else "raises %s, not %s" % (other["raises"][-600:], first["raises"][-600:])
    return calls_differ(other, first, True, tolerances)


def raised_in(answer):
    return answer["raised"] if isinstance(answer, dict) and "raised" in answer else None


def may_be_removed(traceback):
    """Whether what raised is an operator that nobody wants, and that changes nothing."""
    lines = traceback.rstrip().split("\n")
    marked = [lines[i - 1] for i, line in enumerate(lines) if "<--- HERE" in line and i]
    return raised_by_an_operator(traceback) and not (marked and CHANGES.search(marked[-1]))


def calls_differ(got, wanted, by_class, tolerances):
    """How answers of calls differ, of which some may have raised. Behind an operator that may have been removed nothing
    is compared: the program's state is another one."""
    for i, (a, b) in enumerate(zip(got, wanted)):
        if b == UNKNOWN:
            continue
        failures = [f for f in (raised_in(a), raised_in(b)) if f]
        if any(map(may_be_removed, failures)):
            return None
        if len(failures) == 1:
            return "call %d: %s, not %s" % (i, str(a)[-600:], str(b)[-600:])
        if failures and by_class and exception_class(failures[0]) != exception_class(failures[1]):
            return "call %d raises %s, not %s" % (i, failures[0][-600:], failures[1][-600:])
        difference = not failures and differs(a, b, "call %d" % i, tolerances[i])
        if difference:
            return difference
    return None if len(got) == len(wanted) else "%d results, not %d" % (len(got), len(wanted))


def against_recorded(first, recorded, tolerances):
    if isinstance(first, dict) and isinstance(recorded, list) and raised_by_an_operator(first["raises"]):
        return None
    if isinstance(recorded, dict):
        if not isinstance(first, dict):
            return "%s where it raises %s" % (str(first)[:300], recorded["raises"])
        got = exception_class(first["raises"])
        return None if got == recorded["raises"] else "raises %s, not %s" % (first["raises"][-300:], recorded["raises"])
    if isinstance(first, dict):
        return "raises %s" % first["raises"][-300:]
    return calls_differ(first, recorded, False, tolerances)


# ---- Many programs ----


def may_be_refused(generator, seed, number, recorded):
    counted, refused = getattr(generator, "REFUSED", {}).get(seed, (0, ()))
    if not getattr(generator, "MAY_BE_REFUSED", False) or recorded is not None:
        return False
    return number >= counted or number in refused


def compare_some(job):
    """Runs programs first, first + step, ...; returns executions, programs that raise, that are refused, and
    [(number, difference)]."""
    generator, tsmc_path, tsmrun_path, seed, first, count, step, recorded = job
    found = []
    with tempfile.TemporaryDirectory() as folder, ForkServer(tsmc_path) as tsmc, ForkServer(tsmrun_path) as tsmrun:
        machine = Machine(generator, tsmc, tsmrun, folder)
        for number in range(first, count, step):
            program = generator.program(seed, number)
            answered = recorded[number] if recorded and number < len(recorded) else None
            known = generator.reference(program) if hasattr(generator, "reference") else answered
            if isinstance(known, dict) and getattr(generator, "SKIPS_RAISING", False):
                continue
            difference = machine.difference(program, known, may_be_refused(generator, seed, number, answered))
            if difference:
                found.append((number, difference))
                print("program %d of seed %d: %s" % (number, seed, difference), flush=True)
        return machine.runs, machine.raised, machine.refused, found


def compare(generator, arguments):
    answers = None
    path = arguments.answers or answers_path(generator)
    if os.path.exists(path):
        recorded = read_answers(path)
        answers = recorded["answers"] if recorded["seed"] == arguments.seed else None
        if answers and not arguments.answers:
            drop_unusable(generator, answers)
        del recorded  # or the collector of garbage looks through it again and again
    gc.freeze()
    begin = time.time()
    jobs = [(generator.__name__, arguments.tsmc, arguments.tsmrun, arguments.seed, arguments.first + i, arguments.first + arguments.count,
             arguments.processes, answers) for i in range(arguments.processes)]
    with multiprocessing.Pool(arguments.processes) as pool:
        results = pool.map(run_job, jobs)
    found = [f for r in results for f in r[3]]
    for number, difference in found:
        keep(generator, arguments, number, difference)
    refused = sum(r[2] for r in results)
    known = min(len(answers), arguments.first + arguments.count) - arguments.first if answers else 0
    print("%s: %d programs, %d of them with PyTorch's answers, %d executions, %d programs raise, %d are refused, %d differences, %d s" % (
        generator.__name__, arguments.count, max(known, 0), sum(r[0] for r in results), sum(r[1] for r in results), refused, len(found), time.time() - begin))
    return len(found) > 0 or arguments.count >= ENOUGH and refused > arguments.count // 10


def run_job(job):
    return compare_some((__import__(job[0]),) + job[1:])


def keep(generator, arguments, number, difference):
    if not arguments.keep:
        return
    os.makedirs(arguments.keep, exist_ok=True)
    text, calls = generator.program(arguments.seed, number)
    name = os.path.join(arguments.keep, "%s_%d_%d" % (generator.__name__, arguments.seed, number))
    for suffix, content in ((".py", text), (".json", json.dumps(calls)), (".txt", difference)):
        with open(name + suffix, "w") as f:
            f.write(content)
    with open(os.path.join(arguments.keep, "example.json"), "w") as f:
        json.dump(generator.EXAMPLE, f)

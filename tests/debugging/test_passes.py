#!/usr/bin/env python3
"""After every pass the program can be lowered, runs, and gives what it should (tsmc --stop-after), and tsmc --verify
finds no difference.

    test_passes.py TSMC_SERVER TSMRUN_SERVER"""
import atexit
import concurrent.futures
import json
import os
import sys
import tempfile
import threading
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.join(HERE, "..")
sys.path.insert(0, TESTS)
from answers import differs  # noqa: E402
from fork_server import ForkServer  # noqa: E402
TSMC, TSMRUN = sys.argv[1:3]
OK, RAISED = 0, 1
ARCHIVES = ("classes", "containers", "flow", "objects", "statements", "unions")
TOLERANCE = 1e-4


SERVERS = threading.local()
# A buffer of the usual size would cost the sanitized build more than most of these runs.
ARENA = ["--arena", str(24 << 20)]


def execute(command):
    """Runs one of the two programs, of which each thread has servers of its own."""
    server = getattr(SERVERS, os.path.basename(command[0]), None)
    if not server:
        server = ForkServer(command[0])
        atexit.register(server.close)
        setattr(SERVERS, os.path.basename(command[0]), server)
    return server.run(command[1:] + (ARENA if command[0] == TSMRUN else []), seconds=300)


def write(path, value):
    with open(path, "w") as f:
        json.dump(value, f)
    return path


def compare_calls(folder, program, method, calls):
    """Calls a method once for each record; archives have no default values, so records with all arguments count."""
    most = max(len(c["args"]) for c in calls)
    calls = [c for c in calls if len(c["args"]) == most]
    results = [c["result"] for c in calls if "result" in c]
    inputs, outputs = (os.path.join(folder, "%s.%s" % (method, n)) for n in ("in.json", "out.json"))
    command = [TSMRUN, program, "--method", method]
    for call in (c for c in calls if "raises" in c):
        p = execute(command + ["--inputs", write(inputs, call["args"])])
        wanted = call["raises"].splitlines()[-1].split(":")[0]
        if p.returncode != RAISED or wanted not in p.stderr.splitlines()[-1]:
            yield "%s should raise %s: %s" % (method, wanted, p.stderr)
    if results:
        write(inputs, [c["args"] for c in calls if "result" in c])
        p = execute(command + ["--sequence", inputs, "--outputs", outputs])
        if p.returncode != OK:
            yield p.stderr
            return
        with open(outputs) as f:
            yield differs(json.load(f), results, method, 1e-6)


def recorded(folder, name):
    with open(os.path.join(TESTS, folder, name)) as f:
        return json.load(f)


def pass_names():
    """The error about an unknown pass lists them."""
    p = execute([TSMC, os.path.join(TESTS, "programs", "flow.pt"), "--dump", "ir:none"])
    return p.stderr.split("the passes are ")[1].split(";")[0].split(", ")


def models():
    """What is exported, with its options, arguments, and what it gives."""
    found = []
    for case in recorded("modules", "cases.json")[:6]:
        weights = ["--weights", os.path.join(TESTS, "modules", case["weights"])] if case["weights"] else []
        found.append((os.path.join(TESTS, "modules", case["entry"]), ["--eval"] + weights, case["inputs"], case["output"]))
    for name in ("per_channel.pt", "fx.pt", "dynamic.pt"):
        case = recorded("quantized", "expected.json")[name]
        found.append((os.path.join(TESTS, "quantized", name), [], [case["input"]], case["output"]))
    gradients = recorded("autograd", "expected.json")
    for name in list(gradients["expected"])[:3]:
        found.append((os.path.join(TESTS, "autograd", "programs.py:" + name), [], gradients["inputs"],
                      gradients["expected"][name]))
    return found


class Passes(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def check(self, jobs):
        """Runs (label, function) pairs on two threads; the functions give lists of differences."""
        self.assertTrue(jobs)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for label, found in zip([j[0] for j in jobs], pool.map(lambda j: j[1](), jobs)):
                for difference in filter(None, found):
                    with self.subTest(label):
                        self.fail(difference)

    def compare_archive(self, name, after):
        folder = self.path("%s.%s" % (name, after))
        os.mkdir(folder)
        program = os.path.join(folder, "program.tsm")
        p = execute([TSMC, os.path.join(TESTS, "programs", name + ".pt"), "--stop-after", after, "-o", program])
        if p.returncode != OK:
            return [p.stderr]
        return [d for f, c in recorded("programs", "expected.json")[name].items() if isinstance(c, list)
                for d in compare_calls(folder, program, f, c)]

    def compare_model(self, i, model, after):
        entry, options, inputs, wanted = model
        program, arguments, result = (self.path("%d.%s.%s" % (i, after, n)) for n in ("tsm", "in.json", "out.json"))
        write(arguments, inputs)
        example = ["--example", arguments] if after == "specialize" else []
        p = execute([TSMC, entry, "--stop-after", after, "-o", program] + options + example)
        if p.returncode != OK:
            return [p.stderr]
        p = execute([TSMRUN, program, "--inputs", arguments, "--outputs", result])
        if p.returncode != OK:
            return [p.stderr]
        with open(result) as f:
            return [differs(json.load(f), wanted, "result", TOLERANCE)]

    def test_programs_run_after_every_pass(self):
        """Behind each pass two of the six archives, in turns."""
        self.check([("%s after %s" % (name, after), lambda n=name, a=after: self.compare_archive(n, a))
                    for i, name in enumerate(ARCHIVES) for k, after in enumerate(pass_names()) if (i + k) % 3 == 0])

    def test_sparse_constants_need_passes(self):
        """Sparse tensors are attributes until prune_attributes; nothing else lowers them."""
        self.check([("sparse after " + after, lambda a=after: self.compare_archive("sparse", a))
                    for after in ("prune_attributes", "specialize")])
        self.assertIn("sparse tensors are not supported", self.compare_archive("sparse", "densify_constants")[0])

    def test_models_run_after_every_pass(self):
        """Behind each pass four of the twelve models, in turns."""
        self.check([("%s after %s" % (os.path.basename(m[0]), after),
                     lambda i=i, m=m, a=after: self.compare_model(i, m, a))
                    for i, m in enumerate(models()) for k, after in enumerate(pass_names()) if (i + k) % 3 == 0])

    def verify(self, i, model):
        entry, options, inputs, _ = model
        arguments = self.path("%d.json" % i)
        write(arguments, inputs)
        p = execute([TSMC, entry, "--verify", "--example", arguments] + options)
        rows = p.stdout.splitlines()[1:-1]
        unchecked = {"lower_object_sorts", "lower_remote_calls", "lower_generators", "check_opaque_layouts", "answer_grad_mode",
                     "decompose_operators", "autodiff", "answer_requires_grad"}
        missing = set(pass_names()) - {row.split()[0] for row in rows} - unchecked
        return [p.stdout + p.stderr if p.returncode != OK else None, "not checked: %s" % missing if missing else None]

    def test_verify_finds_nothing(self):
        self.check([(os.path.basename(m[0]), lambda i=i, m=m: self.verify(i, m)) for i, m in enumerate(models())])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

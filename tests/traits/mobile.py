"""Runs probes with tsmc and tsmrun."""
import json
import os
import re
import sys
import tempfile

import probes

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from fork_server import ForkServer  # noqa: E402

ENDS = 0, 1, 2  # well, an exception, bad input
ARENA = "24M"  # sanitizers mark every byte of the buffer before a run
FAULT = re.compile("Sanitizer|runtime error: ")


class Mobile:
    def __init__(self, tsmc_server, tsmrun_server):
        self.tsmrun_server = os.path.abspath(tsmrun_server)
        self.tsmc, self.tsmrun = ForkServer(os.path.abspath(tsmc_server)), ForkServer(self.tsmrun_server)
        self.folder = tempfile.TemporaryDirectory()
        self.source, self.program, self.inputs, self.outputs = (os.path.join(self.folder.name, n)
                                                                for n in ("p.py", "p.tsm", "in.json", "out.json"))

    def close(self):
        self.tsmc.close()
        self.tsmrun.close()
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def export(self, text, function="probe", options=("-O0",)):
        with open(self.source, "w") as f:
            f.write(text)
        self.exported = ["%s:%s" % (self.source, function), *options]
        return self.tsmc.run([*self.exported, "-o", self.program])

    def call(self, calls):
        """The answers of several calls, or the text of the first error."""
        with open(self.inputs, "w") as f:
            json.dump(calls, f)
        p = self.tsmrun.run([self.program, "--arena", ARENA, "--sequence", self.inputs, "--outputs", self.outputs])
        if p.returncode not in ENDS or FAULT.search(p.stderr):  # a fault is no refusal
            raise AssertionError("tsmrun ends with %d: %s\n%s" % (p.returncode, p.stderr, json.dumps(calls)[:2000]))
        if p.returncode:
            return p.stderr
        with open(self.outputs) as f:
            return json.load(f)

    def probe(self, operator, text):
        """What probes.facts_of wants; a text when the program is refused or its plain call raises."""
        p = self.export(probes.source(operator, text))
        if p.returncode:
            return p.stderr
        calls = probes.arguments(text)
        answers = self.call(calls)
        if isinstance(answers, list):
            return answers
        plain = self.call(calls[:2])  # the program keeps the state of its random numbers
        return plain + [self.one(c) for c in calls[2:]] if isinstance(plain, list) else plain

    def one(self, call):
        answer = self.call([call])
        return answer[0] if isinstance(answer, list) else None

    def all_of(self, arguments):
        """What one call answers, prints, warns, and the files that it writes."""
        with open(self.inputs, "w") as f:
            json.dump(arguments, f)
        with tempfile.TemporaryDirectory() as where, ForkServer(self.tsmrun_server, where) as tsmrun:
            p = tsmrun.run([self.program, "--inputs", self.inputs])
            return p.returncode, p.stdout.split("buffer:")[0], p.stderr.split("buffer:")[0], os.listdir(where)

    def operators(self):
        """The operators in the program that was exported last."""
        p = self.tsmc.run([*self.exported, "--dump", "ops"])
        return [line.split()[-1] for line in p.stdout.splitlines() if line.strip()]

"""Runs probes with tsmc and tsmrun."""
import json
import os
import subprocess
import tempfile

import probes


class Mobile:
    def __init__(self, tsmc, tsmrun):
        self.tsmc, self.tsmrun = os.path.abspath(tsmc), os.path.abspath(tsmrun)
        self.folder = tempfile.TemporaryDirectory()
        self.source, self.program, self.inputs, self.outputs = (os.path.join(self.folder.name, n)
                                                                for n in ("p.py", "p.tsm", "in.json", "out.json"))

    def export(self, text, function="probe", options=("-O0",)):
        with open(self.source, "w") as f:
            f.write(text)
        self.exported = ["%s:%s" % (self.source, function), *options]
        return subprocess.run([self.tsmc, *self.exported, "-o", self.program], capture_output=True, text=True)

    def call(self, calls):
        """The answers of several calls, or the text of the first error."""
        with open(self.inputs, "w") as f:
            json.dump(calls, f)
        p = subprocess.run([self.tsmrun, self.program, "--sequence", self.inputs, "--outputs", self.outputs], capture_output=True, text=True)
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
        with tempfile.TemporaryDirectory() as where:
            p = subprocess.run([self.tsmrun, self.program, "--inputs", self.inputs], capture_output=True, text=True, cwd=where)
            return p.returncode, p.stdout.split("buffer:")[0], p.stderr.split("buffer:")[0], os.listdir(where)

    def operators(self):
        """The operators in the program that was exported last."""
        p = subprocess.run([self.tsmc, *self.exported, "--dump", "ops"], capture_output=True, text=True, check=True)
        return [line.split()[-1] for line in p.stdout.splitlines() if line.strip()]

"""Runs of a program in which one call fails (faults.c)."""
import os
import subprocess
import tempfile


class Faults:
    def __init__(self, library, **always):
        self.library, self.always = library, always

    def environment(self, **settings):
        # Sanitizers want to be loaded first; here they are loaded second, which serves as well.
        sanitizers = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0:detect_leaks=0:allocator_may_return_null=1"
        return dict(os.environ, ASAN_OPTIONS=sanitizers.lstrip(":"), LD_PRELOAD=self.library,
                    **{"FAULT_" + name.upper(): str(value) for name, value in {**self.always, **settings}.items()})

    def run(self, command, calls, at, kind="fail"):
        return subprocess.run(command, capture_output=True, text=True, timeout=60,
                              env=self.environment(calls=calls, at=at, kind=kind))

    def count(self, command, calls):
        """How many such calls the program makes when none fails."""
        with tempfile.NamedTemporaryFile() as f:
            p = subprocess.run(command, capture_output=True, text=True, timeout=60,
                               env=self.environment(calls=calls, at=0, count=f.name))
            if p.returncode:
                raise SystemExit("%s: %s" % (command, p.stderr))
            return int(f.read())

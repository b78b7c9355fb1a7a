"""tsmc and tsmrun for tests with many cases: each is loaded once and forks a child for every run
(server/fork_server.c)."""
import collections
import subprocess

Result = collections.namedtuple("Result", "returncode stdout stderr")


class ForkServer:
    """A program NAME_server, called like subprocess.run: server.run(ARGUMENTS) gives returncode (minus the number of a
    signal), stdout and stderr as texts. A run that takes longer than its seconds ends by SIGALRM. The
    runs' working directory is `folder`."""

    def __init__(self, path, folder=None):
        self.path = path
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder)

    def run(self, arguments, seconds=60):
        words = [str(seconds), str(1 + len(arguments)), self.path] + list(arguments)
        self.process.stdin.write(b"".join(w.encode() + b"\0" for w in words))
        self.process.stdin.flush()
        sizes = self.process.stdout.readline().split()
        if len(sizes) != 3:
            raise RuntimeError("%s ended with status %s" % (self.path, self.process.wait()))
        status, out, err = map(int, sizes)
        stdout, stderr = self.process.stdout.read(out), self.process.stdout.read(err)
        return Result(status, stdout.decode(errors="surrogateescape"), stderr.decode(errors="surrogateescape"))

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

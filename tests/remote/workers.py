"""tsmrun as a worker, and cases of programs that three workers run at the same time."""
import json
import os
import signal
import socket
import subprocess

WORKERS = ["worker0", "worker1", "worker2"]


def free_ports(n):
    taken = [socket.socket() for _ in range(n)]
    for s in taken:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in taken]
    for s in taken:
        s.close()
    return ports


class Worker:
    """A process. `calls`: options of what it calls itself; `allowed`: qualified names of what others may ask for."""

    def __init__(self, tsmrun, program, rank, addresses, calls=(), allowed=(), serve=True, other=()):
        command = [tsmrun, program, "--arena", "16M", "--rpc-name", WORKERS[rank], "--rpc-listen", addresses[rank]]
        for i, address in enumerate(addresses):
            if i != rank:
                command += ["--rpc-peer", "%s=%s" % (WORKERS[i], address)]
        for name in allowed:
            command += ["--rpc-allow", name]
        self.process = subprocess.Popen(command + ["--rpc-serve"] * serve + list(calls) + list(other), stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.said, self.printed = [], None

    def wait_until_it_serves(self):
        for line in self.process.stderr:
            if line.startswith("tsmrun: ") and line.endswith(" serves\n"):
                return
            self.said.append(line)
        raise AssertionError("it ended: " + "".join(self.said))

    def communicate(self, timeout=60):
        """Waits until it ends. The exit status."""
        self.printed, said = self.process.communicate(timeout=timeout)
        self.said += said.splitlines(True)
        return self.process.returncode

    def end(self):
        """The exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.communicate()


def ask_at_once(test, folder, tsmrun, program, case, addresses, allowed):
    """What the three workers answer, as record.py writes it, and print."""
    workers, outputs = [], []
    for rank in range(3):
        others = [WORKERS[(rank + i) % 3] for i in (1, 2, 0)]
        inputs, output = os.path.join(folder, "in%d.json" % rank), os.path.join(folder, "out%d.json" % rank)
        with open(inputs, "w") as f:
            json.dump(others, f)
        if os.path.exists(output):
            os.remove(output)
        workers.append(Worker(tsmrun, program, rank, addresses, ["--method", case, "--inputs", inputs, "--outputs", output], allowed))
        outputs.append(output)
    try:
        for w in workers:
            w.wait_until_it_serves()
    finally:
        ends = [w.end() for w in workers]
    found = []
    for worker, output, status in zip(workers, outputs, ends):
        if os.path.exists(output):
            test.assertEqual(status, 0, worker.said)
            with open(output) as f:
                found.append({"result": json.load(f)})
        else:
            test.assertEqual(status, 1, worker.said)
            found.append({"raises": [line.strip() for line in worker.said if line.strip()][-1]})
        if worker.printed:
            found[-1]["prints"] = worker.printed
    return found

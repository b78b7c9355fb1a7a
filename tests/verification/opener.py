"""Asks tsm_program_open about files, through the program open_files, and runs files by tsmrun."""
import os
import struct
import subprocess
import tempfile


def open_all(opener, files):
    """(accepted, work, message) of each file."""
    stream = b"".join(struct.pack("<I", len(f)) + f for f in files)
    p = subprocess.run([opener], input=stream, capture_output=True, timeout=600)
    lines = [line.split(" ", 2) for line in p.stdout.decode("latin-1").split("\n")[:-1]]
    if p.returncode or len(lines) != len(files):
        raise AssertionError("open_files ended with %d after %d files: %s" % (p.returncode, len(lines), p.stderr.decode()))
    return [(word == "accepted", int(work), message) for word, work, message in lines]


def run_file(tsmrun, program, *options):
    """(exit status, output, errors) of a file's bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.tsm")
        with open(path, "wb") as f:
            f.write(program)
        p = subprocess.run([tsmrun, path, *options], capture_output=True, text=True, timeout=300)
        return p.returncode, p.stdout, p.stderr

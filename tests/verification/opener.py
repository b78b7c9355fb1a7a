"""Asks tsm_program_open about files, through the program open_files."""
import struct
import subprocess


def open_all(opener, files):
    """(accepted, work, message) of each file."""
    stream = b"".join(struct.pack("<I", len(f)) + f for f in files)
    p = subprocess.run([opener], input=stream, capture_output=True, timeout=600)
    lines = [line.split(" ", 2) for line in p.stdout.decode("latin-1").split("\n")[:-1]]
    if p.returncode or len(lines) != len(files):
        raise AssertionError("open_files ended with %d after %d files: %s" % (p.returncode, len(lines), p.stderr.decode()))
    return [(word == "accepted", int(work), message) for word, work, message in lines]

#!/usr/bin/env python3
"""Gives damaged archives to tsmc: it must export them or refuse them (exit status 0 or 2), never crash, and never take
long.

    fuzz_pt.py TSMC COUNT SEED FOLDER ARCHIVE.pt...

Half of the copies have damaged bytes anywhere; in the other half, one member (code, pickle, tensor) is damaged and the
archive is well formed, with the right checksum, so that the damage reaches the parsers. (Flatbuffers have no members.)
Archives that fail are kept in FOLDER."""
import concurrent.futures
import io
import os
import random
import subprocess
import sys
import zipfile

SECONDS = 30
SPECIAL = bytes([0, 1, 0x7F, 0x80, 0xFF])


def damage_bytes(r, data, other):
    """Some bytes changed, or the data cut short, or a piece of `other` written over, put in, or taken out."""
    if not data:
        return other[:16]
    out = bytearray(data)
    at, length = r.randrange(len(out)), r.randint(1, 64)
    start = r.randrange(len(other)) if other else 0
    piece = other[start:start + length]
    kind = r.randrange(8)
    if kind == 0:
        return bytes(out[:at])
    if kind == 1:
        out[at:at] = piece
    elif kind == 2:
        del out[at:at + length]
    elif kind == 3:
        out[at:at + length] = piece
    else:
        for _ in range(r.randint(1, 8)):
            at = r.randrange(len(out))
            out[at] = r.choice((out[at] ^ 1 << r.randrange(8), r.choice(SPECIAL), r.randrange(256)))
    return bytes(out)


def damage_member(r, data, other):
    """A well-formed archive with one damaged member; sometimes one with the content of another."""
    source = zipfile.ZipFile(io.BytesIO(data))
    names = source.namelist()
    contents = {n: source.read(n) for n in names}
    # Programs and pickles are what parsers read; tensors are only bytes.
    parsed = [n for n in names if "/code/" in n or n.endswith(".pkl")]
    name = r.choice(parsed if r.random() < 0.9 else names)
    contents[name] = damage_bytes(r, contents[name], contents[r.choice(parsed)] if r.random() < 0.5 else other)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as z:
        for n in names:
            z.writestr(n, contents[n])
    return out.getvalue()


def one(number, tsmc, seed, folder, archives):
    r = random.Random(seed * 1000003 + number)
    data, other = r.choice(archives), r.choice(archives)
    has_members = zipfile.is_zipfile(io.BytesIO(data))
    damaged = (damage_member if number % 2 and has_members else damage_bytes)(r, data, other)
    path = os.path.join(folder, "damaged-%d.pt" % number)
    with open(path, "wb") as f:
        f.write(damaged)
    try:
        p = subprocess.run([tsmc, path, "-o", os.devnull], capture_output=True, timeout=SECONDS)
        bad = None if p.returncode in (0, 2) else "status %d: %s" % (p.returncode, p.stderr[-2000:].decode(errors="replace"))
        exported = p.returncode == 0
    except subprocess.TimeoutExpired:
        bad, exported = "more than %d s" % SECONDS, False
    if not bad:
        os.remove(path)
    return bad and "%s: %s" % (path, bad), exported


def main():
    tsmc, count, seed, folder = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    archives = [open(p, "rb").read() for p in sys.argv[5:]]
    os.makedirs(folder, exist_ok=True)
    exported, failures = 0, 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for bad, ok in pool.map(lambda n: one(n, tsmc, seed, folder, archives), range(count)):
            exported += ok
            if bad:
                failures += 1
                print(bad, flush=True)
    print("%d damaged archives: %d exported all the same, %d failures" % (count, exported, failures))
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())

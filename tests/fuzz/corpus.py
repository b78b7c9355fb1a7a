#!/usr/bin/env python3
"""Corpora of fuzzing harnesses: inputs, compressed together.

    corpus.py run HARNESS PACK [OPTION...]   runs a harness with the inputs of a pack, and further options
    corpus.py run_files HARNESS PACK OPTION...   the same for a harness that takes files after its options
    corpus.py unpack PACK FOLDER             writes the inputs as files
    corpus.py pack FOLDER PACK               makes a pack of a folder's files
    corpus.py zip PACK ZIP                   makes a zip of a pack, as OSS-Fuzz takes it"""
import hashlib
import io
import lzma
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile


def unpack(pack, folder):
    with tarfile.open(pack, "r:xz") as archive:
        for member in archive:
            with open(os.path.join(folder, os.path.basename(member.name)), "wb") as f:
                f.write(archive.extractfile(member).read())


def add_input(archive, data):
    info = tarfile.TarInfo(hashlib.sha256(data).hexdigest()[:12])
    info.size = len(data)
    archive.addfile(info, io.BytesIO(data))


def pack(folder, path):
    inputs = []
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as f:
            inputs.append(f.read())
    with lzma.open(path, "wb", preset=9 | lzma.PRESET_EXTREME) as f, tarfile.open(fileobj=f, mode="w") as archive:
        for data in sorted(set(inputs), key=lambda data: (data[:2], len(data), data)):
            add_input(archive, data)


def write_zip(path, zip_path):
    with tarfile.open(path, "r:xz") as archive, zipfile.ZipFile(zip_path, "w", zipfile.ZIP_DEFLATED) as out:
        for member in archive:
            out.writestr(member.name, archive.extractfile(member).read())


def run(harness, path, options, as_files=False):
    with tempfile.TemporaryDirectory() as folder:
        unpack(path, folder)
        inputs = [os.path.join(folder, name) for name in sorted(os.listdir(folder))] if as_files else [folder]
        return subprocess.call([harness] + options + inputs)


def main():
    command, first, second = sys.argv[1:4]
    if command in ("run", "run_files"):
        return run(first, second, sys.argv[4:], command == "run_files")
    {"pack": pack, "unpack": unpack, "zip": write_zip}[command](first, second)
    return 0


if __name__ == "__main__":
    sys.exit(main())

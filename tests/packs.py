"""Recorded cases as compressed data: programs (archives, or functions of sources) with the answers that PyTorch gave.

A pack is a .tar.xz of three files. programs.jsonl has a program a line, a JSON object:
  id       unique in the pack, with the version of PyTorch
  area     the test that runs it
  archive  [[member, number of its content], ...], or
  source   FILE.py:NAME, a function of the folder of sources beside the pack
  options  further options of tsmc
  example  true: the inputs of the first call are given to tsmc as --example
  refused  what PyTorch says when it does not compile; else
  calls    a list of {inputs, and: output or raises, the last line of the exception; maybe method, printed}
contents.bin has the members of all archives, each content once; contents.json their sizes. Values are as in
docs/values.md.

  packs.py PACK FOLDER    unpacks: FOLDER/AREA.json, a list of programs, and FOLDER/AREA/NUMBER.pt"""
import hashlib
import io
import json
import lzma
import os
import sys
import tarfile
import zipfile

FILES = ("programs.jsonl", "contents.json", "contents.bin")


# ---- Writing ----


def kind_of(member):
    """Members of one kind stand together, which compresses better."""
    folder, _, name = member.rpartition("/")
    return (os.path.splitext(name)[1], name) if "." in name else ("", folder.rpartition("/")[2])


def number_contents(programs):
    """Puts numbers in the place of the members' bytes; all contents in the order of their numbers."""
    first_member = {}
    for p in programs:
        for name, data in p.get("archive", ()):
            first_member.setdefault(data, name)
    contents = sorted(first_member, key=lambda data: (kind_of(first_member[data]), len(data), data))
    number = {data: n for n, data in enumerate(contents)}
    for p in programs:
        if "archive" in p:
            p["archive"] = [[name, number[data]] for name, data in p["archive"]]
    return contents


def add_file(archive, name, data):
    info = tarfile.TarInfo(name)
    info.size = len(data)
    archive.addfile(info, io.BytesIO(data))


def write_pack(path, programs):
    """Writes a pack, and areas.txt beside it: each area with its number of checks. Archives are given as lists of
    (member, bytes)."""
    contents = number_contents(programs)
    lines = "".join(json.dumps(p, separators=(",", ":")) + "\n" for p in programs)
    files = (lines.encode(), json.dumps([len(c) for c in contents]).encode(), b"".join(contents))
    with lzma.open(path, "wb", preset=9 | lzma.PRESET_EXTREME) as f, tarfile.open(fileobj=f, mode="w") as archive:
        for name, data in zip(FILES, files):
            add_file(archive, name, data)
    checks = {}
    for p in programs:
        checks[p["area"]] = checks.get(p["area"], 0) + len(p.get("calls", [0]))
    with open(os.path.join(os.path.dirname(path), "areas.txt"), "w") as f:
        f.writelines("%s %d\n" % c for c in sorted(checks.items()))


def archive_members(path, wanted=lambda name: True):
    with zipfile.ZipFile(path) as archive:
        return [(i.filename, archive.read(i)) for i in archive.infolist() if wanted(i.filename)]


# ---- Reading ----


def read_contents(archive):
    sizes = json.load(archive.extractfile(FILES[1]))
    data = archive.extractfile(FILES[2]).read()
    ends = [0]
    for size in sizes:
        ends.append(ends[-1] + size)
    return [data[a:b] for a, b in zip(ends, ends[1:])]


def write_archive(path, members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name), data)


def read_pack(pack):
    """The programs, as write_pack takes them."""
    with tarfile.open(pack, "r:xz") as archive:
        programs = [json.loads(line) for line in archive.extractfile(FILES[0])]
        contents = read_contents(archive)
    for p in programs:
        if "archive" in p:
            p["archive"] = [(name, contents[number]) for name, number in p["archive"]]
    return programs


def unpack(pack, folder):
    """Unpacks where it has not been done; a program's archive becomes the path of a file, relative to the folder."""
    stamp = os.path.join(folder, "unpacked")
    with open(pack, "rb") as f:
        digest = hashlib.sha256(f.read()).hexdigest()
    if os.path.exists(stamp):
        with open(stamp) as f:
            if f.read() == digest:
                return
        os.remove(stamp)
    areas = {}
    for p in read_pack(pack):
        here = areas.setdefault(p["area"], [])
        if "archive" in p:
            os.makedirs(os.path.join(folder, p["area"]), exist_ok=True)
            name = os.path.join(p["area"], "%d.pt" % len(here))
            write_archive(os.path.join(folder, name), p["archive"])
            p["archive"] = name
        here.append(p)
    for area, here in areas.items():
        with open(os.path.join(folder, area + ".json"), "w") as f:
            json.dump(here, f)
    with open(stamp, "w") as f:
        f.write(digest)


if __name__ == "__main__":
    os.makedirs(sys.argv[2], exist_ok=True)
    unpack(sys.argv[1], sys.argv[2])

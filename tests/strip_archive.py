"""Takes the records of source lines out of recorded archives: they name folders of the machine that recorded, and no
test reads them."""
import sys
import zipfile


def strip(path):
    with zipfile.ZipFile(path) as archive:
        entries = [(e, archive.read(e)) for e in archive.infolist() if not e.filename.endswith(".debug_pkl")]
    with zipfile.ZipFile(path, "w") as archive:
        for entry, data in entries:
            archive.writestr(zipfile.ZipInfo(entry.filename), data, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        strip(name)

"""Sources of the modules that train, for tsmc, which follows no imports."""
import os

HERE = os.path.dirname(os.path.abspath(__file__))
SHARED = "from trained import "


def write(folder, source):
    """Writes FILE.py of FILE.py:NAME into the folder, with what it shares in front. Returns FILE.py:NAME there."""
    name, entry = source.split(":")
    with open(os.path.join(HERE, "trained.py")) as f:
        shared = f.read()
    with open(os.path.join(HERE, name)) as f:
        own = "".join(line for line in f if not line.startswith(SHARED))
    with open(os.path.join(folder, name), "w") as f:
        f.write(shared + "\n\n" + own)
    return os.path.join(folder, name) + ":" + entry

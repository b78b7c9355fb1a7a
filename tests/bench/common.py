"""What the benchmarks of this folder share."""
import json
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))


def key_values(text):
    """What `tsmrun --bench` prints, "name number ...", as a dict."""
    words = text.split()
    return {k: float(v) for k, v in zip(words[::2], words[1::2])}


def write_json(path, value):
    with open(path, "w") as f:
        json.dump(value, f)
    return path


def make_counter(folder):
    """A function that counts the AArch64 instructions between the marks of a tsmrun built with TSM_MARK."""
    plugin = os.path.join(folder, "count_instructions.so")
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", plugin, os.path.join(HERE, "count_instructions.c")], check=True)
    qemu = os.environ.get("QEMU_AARCH64", "qemu-aarch64")

    def count(tsmrun, program, inputs):
        out = os.path.join(folder, "count.txt")
        subprocess.run([qemu, "-plugin", "%s,out=%s" % (plugin, out), "-L", "/usr/aarch64-linux-gnu", tsmrun, program, "--inputs", inputs,
                        "--bench", "1"], check=True, capture_output=True)
        return int(open(out).read())

    return count


def replace_table(path, text, name="table"):
    """Writes `text` where a document has the table: between <!-- name --> and <!-- end -->."""
    begin = "<!-- %s -->" % name
    with open(path) as f:
        before, _, after = f.read().partition(begin)
        after = after.partition("<!-- end -->")[2]
    with open(path, "w") as f:
        f.write(before + begin + "\n" + text + "\n<!-- end -->" + after)

"""C and C++ sources are as .clang-format says. Mend with: clang-format -i FILE."""
import shutil
import subprocess
import sys

import habits

if not shutil.which("clang-format"):
    sys.exit("clang-format is not installed; toolchain/setup.sh lint installs it")
sources = habits.files(".c", ".h", ".cc")
done = subprocess.run(["clang-format", "--dry-run", "-Werror", "--ferror-limit=1"] + sources, cwd=habits.ROOT,
                      capture_output=True, text=True)
faults = [line for line in done.stderr.splitlines() if "error:" in line]
if done.returncode and not faults:
    faults = [done.stderr]
habits.finish(faults, "format of %d files" % len(sources))

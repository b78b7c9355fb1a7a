"""The runtime includes a few of the system's headers, its own, and the generated ones of the schema."""
import re

import habits

# math.h, string.h, and what the compiler itself brings: types, limits, instruction sets, sanitizers.
SYSTEM = {"float.h", "limits.h", "math.h", "stdarg.h", "stdbool.h", "stddef.h", "stdint.h", "string.h",
          "arm_mve.h", "arm_neon.h", "cpuid.h", "immintrin.h", "wasm_simd128.h", "sanitizer/asan_interface.h"}
OWN = ("runtime/", "schema/generated/")
PUBLIC = "tsmobile.h"

faults, checked = [], 0
for path in habits.files(".c", ".h", ".S", ".def"):
    if not path.startswith("runtime/"):
        continue
    checked += 1
    for n, line in enumerate(habits.read(path).split("\n"), 1):
        m = re.match(r'\s*#\s*include ([<"])([^>"]+)', line)
        if m and not (m[2] in SYSTEM if m[1] == "<" else m[2].startswith(OWN) or m[2] == PUBLIC):
            faults.append("%s:%d: the runtime does not include %s" % (path, n, m[2]))
habits.finish(faults, "includes of %d files" % checked)

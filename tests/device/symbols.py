#!/usr/bin/env python3
"""Checks what libtsmobile asks of the outside: only string.h's memory functions, libm, and the compiler's own helpers;
and that what it defines begins with tsm_, so that it cannot meet a name of the program that links it.

    symbols.py NM LIBRARY
"""
import re
import subprocess
import sys

MEMORY = {"memcpy", "memmove", "memset", "memcmp", "memchr"}

LIBM = """acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma
fmax fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint
nextafter nexttoward pow remainder remquo rint round scalbln scalbn sin sincos sinh sqrt tan tanh tgamma
trunc""".split()

# Arithmetic that the instruction set lacks (libgcc's __divdi3 and the like, the ARM EABI's __aeabi_*) and position
# independence; the stack of WebAssembly.
HELPERS = re.compile(r"__aeabi_\w+|__gnu_(h2f|f2h)_ieee|__[a-z]+(qi|hi|si|di|ti|hf|sf|df|xf|tf|sc|dc|tc|xc)+[234]?"
                     r"|_GLOBAL_OFFSET_TABLE_|__stack_pointer")


def main():
    nm, library = sys.argv[1:]
    lines = subprocess.run([nm, "-g", library], check=True, capture_output=True, text=True).stdout.splitlines()
    symbols = [l.split() for l in lines if re.match(r"[0-9a-f ]+ [A-Za-z] \S+$", l)]
    wanted = {s[-1] for s in symbols if s[-2] in "Uwv"}
    defined = {s[-1] for s in symbols if s[-2] not in "Uwv"}
    allowed = MEMORY | set(LIBM) | {f + "f" for f in LIBM}
    outside = sorted(wanted - defined)
    wrong = [s for s in outside if s not in allowed and not HELPERS.fullmatch(s)]
    print("%d symbols from outside: %s" % (len(outside), " ".join(outside)))
    if not defined:
        sys.exit("%s defines nothing; is it the library?" % library)
    foreign = sorted(s for s in defined if not s.startswith(("tsm_", "__")))
    if foreign:
        sys.exit("defined without tsm_: " + " ".join(foreign))
    if wrong:
        sys.exit("not allowed: " + " ".join(wrong))


if __name__ == "__main__":
    main()

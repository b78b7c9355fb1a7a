#!/usr/bin/python3
"""Asks llvm-mca how many cycles the inner loop of AArch64's matrix product takes, against its floor.

  inner_loop.py OBJECT [--mca llvm-mca-16] [--objdump aarch64-linux-gnu-objdump]

OBJECT is gemm_aarch64.S assembled (in a build: runtime/CMakeFiles/tsmobile.dir/kernels/simd/gemm_aarch64.S.o). The loop
is the longest backward branch of tsm_gemm_a64_4x4. The floor: neoverse-n2 starts two FMLA a cycle; cortex-a55 starts
one FMLA of 128 bits, or loads 64 bits, a cycle. (llvm-mca's cortex-a55 lets two FMLA start together, so its cycles may
lie below that floor.)"""
import argparse
import re
import subprocess


def longest_loop(text):
    lines = [re.match(r"\s*([0-9a-f]+):\s+(.*)", line) for line in text.split("\n")]
    code = [(int(m.group(1), 16), m.group(2)) for m in lines if m]
    best = []
    for i, (at, instruction) in enumerate(code):
        m = re.match(r"b\.\w+\s+([0-9a-f]+)", instruction)
        begin = [j for j, (a, _) in enumerate(code) if m and a == int(m.group(1), 16) and a < at]
        # One turn of straight code: no other branch inside.
        if begin and not any(x[1].startswith(("b", "cb", "tb")) for x in code[begin[0]:i]) and i - begin[0] > len(best):
            best = [x[1] for x in code[begin[0]:i]]
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("object")
    parser.add_argument("--mca", default="llvm-mca-16")
    parser.add_argument("--objdump", default="aarch64-linux-gnu-objdump")
    options = parser.parse_args()
    text = subprocess.run([options.objdump, "-d", "--no-show-raw-insn", options.object], check=True, capture_output=True, text=True).stdout
    body = text[text.index("<tsm_gemm_a64_4x4>:"):].split("\n\n")[0]
    loop = longest_loop(body)
    fmla = sum(i.startswith("fmla") for i in loop)
    quads = sum(4 if "-" in i else 2 for i in loop if i.startswith(("ld1", "ldp")))
    print("%d instructions, %d FMLA, %d vectors loaded: %.3f instructions for each FMLA" % (len(loop) + 1, fmla, quads, (len(loop) + 1) / fmla))
    turns = 100
    for cpu, floor in (("neoverse-n2", fmla / 2), ("cortex-a55", fmla + 2 * quads)):
        out = subprocess.run([options.mca, "-march=aarch64", "-mcpu=" + cpu, "-iterations=%d" % turns], input="\n".join(loop), check=True,
                             capture_output=True, text=True).stdout
        cycles = int(re.search(r"Total Cycles:\s+(\d+)", out).group(1)) / turns
        print("%s: %.1f cycles a turn, floor %.1f: %.2f of it" % (cpu, cycles, floor, cycles / floor))


if __name__ == "__main__":
    main()

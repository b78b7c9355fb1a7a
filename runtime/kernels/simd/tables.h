/* Whether inner loops exist once more for instruction sets beyond the one that the library is compiled for. They do not
 * in a build of one source file, which has one set of the compiler's options (TSM_ONE_TABLE, toolchain/amalgamate.py).
 */
#ifndef TSM_SIMD_TABLES_H
#define TSM_SIMD_TABLES_H

#if defined(TSM_ONE_TABLE)
#elif defined(__x86_64__)
#define TSM_TABLES_X86_64
#elif defined(__aarch64__)
#define TSM_TABLES_AARCH64
#endif

/* Whether kernels call the only loops that there are by their names: where programs are small. */
#if defined(TSM_ONE_TABLE) || (defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M') || defined(__riscv)
#define TSM_DIRECT_LOOPS
#endif

#endif

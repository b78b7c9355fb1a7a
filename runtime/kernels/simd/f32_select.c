/* Choosing the float loops for the processor. */
#include <string.h>

#include "runtime/kernels/simd/f32.h"
#include "runtime/value/chars.h"

#if defined(TSM_TABLES_X86_64)
#include <cpuid.h>

/* The registers that the operating system saves: bits of XCR0. */
static uint64_t saved_state(void) {
    uint32_t low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

enum {
    LEVEL_BASE,
    LEVEL_AVX2,
    LEVEL_AVX512,
};

/* Intel SDM volume 1, 14.3 and 15.2: leaf 1 ECX bits 12 (FMA), 27 (OSXSAVE), 29 (F16C); leaf 7 EBX bits 5 (AVX2), 16
 * (AVX512F), 17 (DQ), 30 (BW), 31 (VL); XCR0 bits 1..2 (SSE, AVX), 5..7 (AVX-512). */
static int x86_level(void) {
    unsigned a, b, c, d, ebx7;
    if (!__get_cpuid_count(7, 0, &a, &ebx7, &c, &d) || !__get_cpuid(1, &a, &b, &c, &d))
        return LEVEL_BASE;
    if (!(c >> 29 & 1) || !(c >> 27 & 1) || !(c >> 12 & 1) || !(ebx7 >> 5 & 1))
        return LEVEL_BASE;
    uint64_t saved = saved_state();
    if ((saved & 0x6) != 0x6)
        return LEVEL_BASE;
    const unsigned avx512 = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31;
    return (ebx7 & avx512) == avx512 && (saved & 0xe0) == 0xe0 ? LEVEL_AVX512 : LEVEL_AVX2;
}

static const tsm_f32_loops *const by_level[] = {&tsm_f32_base, &tsm_f32_avx2, &tsm_f32_avx512};

const tsm_f32_loops *tsm_f32_select(void) {
    return by_level[x86_level()];
}

const tsm_f32_loops *tsm_f32_by_name(const char *name) {
    for (int level = x86_level(); level >= 0; level--)
        if (!tsm_chars_compare(name, by_level[level]->name))
            return by_level[level];
    return NULL;
}

#else

#if defined(TSM_TABLES_AARCH64)
static const tsm_f32_loops *const tables[] = {&tsm_f32_neon, &tsm_f32_base};
#else
static const tsm_f32_loops *const tables[] = {&tsm_f32_base};
#endif

const tsm_f32_loops *tsm_f32_select(void) {
    return tables[0];
}

const tsm_f32_loops *tsm_f32_by_name(const char *name) {
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (!tsm_chars_compare(name, tables[i]->name))
            return tables[i];
    return NULL;
}

#endif

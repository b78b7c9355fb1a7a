/* Choosing the loops on bytes for the processor. */
#include "runtime/kernels/simd/f32.h"
#include "runtime/kernels/simd/q8.h"
#include "runtime/value/chars.h"

#if defined(TSM_TABLES_X86_64)
#include <cpuid.h>

/* Intel SDM volume 2, CPUID leaf 7: ECX bits 1 (AVX512_VBMI) and 11 (AVX512_VNNI). That the system saves the registers
 * is known when the float loops for AVX-512 can be used. */
static bool has_vnni(void) {
    const unsigned wanted = 1u << 1 | 1u << 11;
    unsigned a, b, c, d;
    return tsm_f32_by_name("avx512") && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (c & wanted) == wanted;
}

static const tsm_q8_loops *const q8_tables[] = {&tsm_q8_base, &tsm_q8_avx2, &tsm_q8_vnni};

static size_t usable_tables(uint64_t features) {
    (void)features;
    return has_vnni() ? 3 : tsm_f32_by_name("avx2") ? 2 : 1;
}

#elif defined(TSM_TABLES_AARCH64)

#include "runtime/include/tsmobile.h"

static const tsm_q8_loops *const q8_tables[] = {&tsm_q8_base, &tsm_q8_dot};
static size_t usable_tables(uint64_t features) {
    return features & TSM_FEATURE_DOT_PRODUCT ? 2 : 1;
}

#else

static const tsm_q8_loops *const q8_tables[] = {&tsm_q8_base};
static size_t usable_tables(uint64_t features) {
    (void)features;
    return 1;
}

#endif

const tsm_q8_loops *tsm_q8_select(uint64_t features) {
    return q8_tables[usable_tables(features) - 1];
}

const tsm_q8_loops *tsm_q8_by_name(const char *name, uint64_t features) {
    for (size_t i = 0; i < usable_tables(features); i++)
        if (!tsm_chars_compare(name, q8_tables[i]->name))
            return q8_tables[i];
    return NULL;
}

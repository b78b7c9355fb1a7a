/* The hand-written loops of q8_aarch64.S. */
#ifndef TSM_SIMD_Q8_AARCH64_H
#define TSM_SIMD_Q8_AARCH64_H

#include <stddef.h>
#include <stdint.h>

/* R rows by `panels` whole panels of 16 columns, or by one of which only the blocks are smaller, quantized
 * (tsm_q8_finish). The assembler code knows the offsets. */
typedef struct {
    const uint8_t *const *a; /* R pointers for each tap */
    size_t a_step;           /* bytes from the pointers of a tap to the next */
    size_t taps, groups;     /* at least 1 each */
    const int8_t *b;
    size_t panels;
    const int32_t *offset;
    const float *scale;
    uint8_t *c;
    ptrdiff_t c_stride;
    int16_t zero_point;
    uint8_t low;
    const float *rest;
    size_t block; /* bytes from a block of b to the next */
} tsm_q8_a64;

_Static_assert(offsetof(tsm_q8_a64, taps) == 16 && offsetof(tsm_q8_a64, b) == 32 &&
                   offsetof(tsm_q8_a64, offset) == 48 && offsetof(tsm_q8_a64, c) == 64 &&
                   offsetof(tsm_q8_a64, zero_point) == 80 && offsetof(tsm_q8_a64, low) == 82 &&
                   offsetof(tsm_q8_a64, rest) == 88 && offsetof(tsm_q8_a64, block) == 96,
               "q8_aarch64.S has these offsets");

void tsm_q8_a64_1(const tsm_q8_a64 *t);
void tsm_q8_a64_2(const tsm_q8_a64 *t);
void tsm_q8_a64_3(const tsm_q8_a64 *t);
void tsm_q8_a64_4(const tsm_q8_a64 *t);

#endif

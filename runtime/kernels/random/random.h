/* The program's random numbers: those of PyTorch's CPU generator, bit for bit.
 *
 * The source is the Mersenne Twister (M. Matsumoto, T. Nishimura, "Mersenne Twister: A 623-dimensionally
 * equidistributed uniform pseudo-random number generator", 1998): MT19937, seeded with the low 32 bits of the seed.
 * What PyTorch makes of its 32-bit words is said at each function. The state lies in the instance's buffer and is made
 * by the first operator that asks for it, with PyTorch's own seed unless aten::manual_seed came before: an instance
 * gives the numbers of a fresh PyTorch process. */
#ifndef TSM_KERNELS_RANDOM_RANDOM_H
#define TSM_KERNELS_RANDOM_RANDOM_H

#include "runtime/kernels/kernel.h"
#include "runtime/tensor/iter.h"
#include "runtime/value/random_state.h"

/* An object of torch.Generator: the elements of a tensor of bytes. */
typedef struct {
    tsm_random random;
    int64_t seed;
} tsm_generator;

/* The generator that an operator's argument of that name means; None: the program's. */
tsm_status tsm_random_get(tsm_exec *x, tsm_value generator, tsm_random **out);
void tsm_random_seed(tsm_random *r, uint64_t seed);

/* Makes the next TSM_RANDOM_WORDS words. */
void tsm_random_twist(tsm_random *r);

/* What a word of the state gives. */
static inline uint32_t tempered(uint32_t y) {
    y ^= y >> 11;
    y ^= y << 7 & UINT32_C(0x9d2c5680);
    y ^= y << 15 & UINT32_C(0xefc60000);
    return y ^ y >> 18;
}

static inline uint32_t random_32(tsm_random *r) {
    if (r->next == TSM_RANDOM_WORDS)
        tsm_random_twist(r);
    return tempered(r->words[r->next++]);
}

/* The next n words, many at a time. */
void tsm_random_words(tsm_random *r, uint32_t *restrict to, tsm_dim n);

/* Two words, the high one first. */
static inline uint64_t random_64(tsm_random *r) {
    uint64_t high = random_32(r);
    return high << 32 | random_32(r);
}

/* From [0, 1): the low 24 bits of a word. */
static inline float random_float(tsm_random *r) {
    return (float)(random_32(r) & 0xffffff) * 0x1p-24f;
}

/* From [0, 1): the low 53 bits of two words. */
static inline double random_double(tsm_random *r) {
    return (double)(random_64(r) & ((UINT64_C(1) << 53) - 1)) * 0x1p-53;
}

/* Of mean 0 and deviation 1, by Box and Muller's transform; every second number is the sine that belongs to the cosine
 * before. */
double tsm_random_normal(tsm_random *r);

/* Draws n items of a lane into `items`. */
typedef void (*random_draw)(tsm_random *r, const void *how, void *items, tsm_dim n);
/* Gives each element of t, in the order in which they lie in memory, the next number drawn. */
void tsm_random_fill(tsm_random *r, tsm_tensor *t, tsm_lane lane, random_draw draw, const void *how);

/* A new tensor of the sizes in input `size`, or like input 0; elements uninitialized. */
tsm_status tsm_random_make(tsm_exec *x, const tsm_value *const *in, int size, int64_t dtype, tsm_tensor **out);
tsm_status tsm_random_make_like(tsm_exec *x, const tsm_value *const *in, int64_t dtype, tsm_tensor **out);
/* Returns a tensor that was filled, or drops it when that failed. */
tsm_status tsm_random_ret(tsm_exec *x, tsm_status filled, tsm_tensor *t, tsm_value *out);
/* The result of an operator that has changed its first input. */
tsm_status tsm_random_ret_self(const tsm_value *const *in, tsm_value *out);

TSM_KERNEL_DECLARE(aten_dropout);

#endif

/* Which calls are tried when sizes have bounds: what a call asks for need not grow with its sizes, since kernels choose
 * their loops by them and the gaps between blocks differ, so that the largest call alone does not say it. */
#ifndef TSMC_BASE_SIZE_SAMPLES_H
#define TSMC_BASE_SIZE_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    int64_t least, most;
} size_range;

typedef struct {
    int64_t **values; /* of each sample, a value for each range: an stb_ds array, none twice */
    size_t corners;   /* the first of them: the largest call, with each range's value less by one, and the smallest */
} size_samples;

/* More calls than these are not tried: each is planned as the first one is. */
enum { SIZE_SAMPLES_MOST = 32 };

/* The corners, each range in quarters with the others at their most, and, until there are SIZE_SAMPLES_MOST in all,
 * points spread over all ranges at once. */
size_samples size_samples_of(const size_range *ranges, size_t count);

#endif

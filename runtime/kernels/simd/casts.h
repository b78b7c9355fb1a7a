/* Direct conversions of elements. */
#ifndef TSM_KERNELS_SIMD_CASTS_H
#define TSM_KERNELS_SIMD_CASTS_H

#include "runtime/value/exec.h"

/* Converts n elements that lie side by side; the memory does not overlap. */
typedef void (*tsm_cast)(void *restrict to, const void *restrict from, tsm_dim n);

/* NULL where there is none: then elements are converted by way of lanes (lanes.h). */
tsm_cast tsm_cast_find(tsm_exec *x, tsm_dtype from, tsm_dtype to);
/* Writes one element of `size` bytes n times; NULL for sizes that are left to lanes. */
tsm_cast tsm_cast_repeat(tsm_exec *x, size_t size);

#endif

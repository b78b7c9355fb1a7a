/* What the kernels of neural network operators share. */
#ifndef TSM_KERNELS_NN_NN_H
#define TSM_KERNELS_NN_NN_H

#include "runtime/kernels/kernel.h"
#include "runtime/kernels/simd/f32.h"

/* Bytes that a kernel asks of the buffer for one block of packed or gathered data. Where a formula of scratch memory is
 * stated, this is its L: 256 KiB, on microcontrollers 16 KiB. */
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
enum { NN_SCRATCH_LIMIT = 16 * 1024 };
#else
enum { NN_SCRATCH_LIMIT = 256 * 1024 };
#endif

/* Most tasks that a loop is cut into; the cut depends on sizes only, so results do not depend on the number of threads.
 */
enum { NN_MAX_TASKS = 8 };

/* The inner loops for this machine. */
static inline const tsm_f32_loops *nn_f32(tsm_exec *x) {
    if (!x->f32)
        x->f32 = tsm_f32_select();
    return x->f32;
}

/* Runs another kernel from within one: destination and dying inputs of the running operator do not concern it. */
tsm_status nn_call(tsm_exec *x, tsm_kernel kernel, int n, const tsm_value *arguments, tsm_value *out);

/* Cuts [0, n) into at most NN_MAX_TASKS ranges of whole grains and runs them through the platform's threads; without
 * them, or when n <= grain, one range on this thread. `scratch` points to scratch_bytes of the range's own (NULL when
 * 0). */
typedef void (*nn_range)(void *argument, void *scratch, size_t begin, size_t end);
tsm_status nn_parallel(tsm_exec *x, size_t n, size_t grain, size_t scratch_bytes, nn_range run, void *argument);

/* An int[n] argument: exactly n items, or one for all. An empty list gives `absent` when that is not NULL. `name` is
 * for PyTorch's error text, as "stride". */
tsm_status nn_ints(tsm_exec *x, const tsm_value *const *in, int i, const char *name, int n, const tsm_dim *absent,
                   tsm_dim *v);

static inline tsm_dim nn_min(tsm_dim a, tsm_dim b) {
    return a < b ? a : b;
}
static inline tsm_dim nn_max(tsm_dim a, tsm_dim b) {
    return a > b ? a : b;
}
static inline tsm_dim nn_ceil_div(tsm_dim a, tsm_dim b) {
    return (a + b - 1) / b;
}
static inline tsm_dim nn_floor_div(tsm_dim a, tsm_dim b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* The dtype that a kernel with loops for float, double and int64 computes in for tensors of this dtype. */
tsm_dtype nn_compute_dtype(tsm_dtype dtype);

/* t contiguous and of this dtype: t itself with one more count, or a copy. */
tsm_status nn_contiguous(tsm_exec *x, tsm_tensor *t, tsm_dtype dtype, tsm_tensor **out);
/* The same for an optional tensor: *out is NULL when t is. */
tsm_status nn_contiguous_or_null(tsm_exec *x, tsm_tensor *t, tsm_dtype dtype, tsm_tensor **out);

/* Gives a computed tensor as the result in `dtype`: converts when it has another, and gives back the count of `t`. */
tsm_status nn_finish(tsm_exec *x, tsm_status status, tsm_tensor *t, tsm_dtype dtype, tsm_value *out);

/* Sums over the dimensions whose bits are set; integers give int64 (reduce.c). */
tsm_status nn_sum(tsm_exec *x, tsm_tensor *t, unsigned dims, tsm_value *out);

/* Strides of a channels-last tensor of these sizes (4 or 5 dims). */
void nn_channels_last_strides(int dims, const tsm_dim *sizes, tsm_dim *strides);
/* Results follow t into channels-last order: it has that order and not row-major order as well. */
bool nn_follows_channels_last(const tsm_tensor *t);
/* t in channels-last order, float32. */
tsm_status nn_channels_last(tsm_exec *x, tsm_tensor *t, tsm_tensor **out);

#endif

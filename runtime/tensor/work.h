/* Work of operators, for tsm_options.fuel: what a kernel does is charged before it is done.
 *
 * A unit is an element of a tensor, an item of a container or a byte of a text that is looked at or made, or one step
 * (a multiplication and an addition) of a product. The call of an operator charges the elements and items of its inputs
 * and the length of its results; each new tensor charges its elements. So a kernel charges by itself only what is more
 * than that: products, windows, sorting, loops over what numbers say. docs/bounds.md has the factors. */
#ifndef TSM_TENSOR_WORK_H
#define TSM_TENSOR_WORK_H

#include "runtime/value/exec.h"

tsm_status tsm_charge_limited(tsm_exec *x, uint64_t units);

/* TSM_OUT_OF_FUEL when less than `units` is left. */
static inline tsm_status tsm_charge(tsm_exec *x, uint64_t units) {
    return x->is_charged ? tsm_charge_limited(x, units) : TSM_OK;
}

/* The product of counts; none of them is negative. The largest number where it cannot be counted. */
static inline uint64_t tsm_work(uint64_t a, uint64_t b) {
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/* Charges a * b * c. */
static inline tsm_status tsm_charge_product(tsm_exec *x, uint64_t a, uint64_t b, uint64_t c) {
    return x->is_charged ? tsm_charge_limited(x, tsm_work(tsm_work(a, b), c)) : TSM_OK;
}

/* Units for sorting n items: n log2(n). */
uint64_t tsm_work_sorting(uint64_t n);

/* Raises PyTorch's text for an operator that has no implementation for quantized tensors. */
tsm_status tsm_refuse_quantized(tsm_exec *x);

/* Raises where the operator has no implementation in PyTorch for such inputs: x->op->refuses. */
tsm_status tsm_check_dtypes(tsm_exec *x, const tsm_value *const *in);

/* Runs the operator's kernel, unless it refuses the dtypes of its inputs. Where fuel is limited, what every
 * operator does with its inputs and results is charged. */
tsm_status tsm_run_charged(tsm_exec *x, const tsm_value *const *in, tsm_value *out);

/* Counts what tsm_run_charged charges, for a short kernel that made `out` (TSM_SHORT_KERNEL). False: that would pass
 * the limit, and nothing is counted. */
bool tsm_count_short_call(tsm_exec *x, const tsm_operator *op, const tsm_value *in, tsm_value out);

#endif

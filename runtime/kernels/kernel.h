/* What every kernel file includes.
 *
 * A kernel computes one operator. Its name says which: the operator's qualified name with "::" and "." replaced by "_",
 * so aten::add.Tensor is TSM_KERNEL(aten_add_Tensor). schema/gen_operators.py finds these definitions and makes the
 * operator table from them and schema/operators.txt; a name that is not in the list is an error. A kernel that serves
 * several operators is listed once for each by TSM_KERNEL_ALIAS(other_operator, kernel).
 *
 * In-place (`add_`) and `out=` variants come for free: unless they have a kernel of their own, the functional kernel
 * runs with x->dest set. It may write straight into x->dest (tsm_out_* do so where that is safe); otherwise the caller
 * copies.
 *
 * in[i] is argument i of the schema (defaults filled in); out[i] receives result i with one count given to the caller.
 * Inputs are borrowed: use tsm_hold before storing one into out. On failure out[] must be left untouched. */
#ifndef TSM_KERNELS_KERNEL_H
#define TSM_KERNELS_KERNEL_H

#include <math.h>
#include <string.h>

#include "runtime/tensor/promotion.h"
#include "runtime/tensor/tensor.h"
#include "runtime/tensor/work.h"
#include "runtime/value/text.h"

#if defined(TSM_WIDE_LOOPS) /* only the file's tables of loops are wanted (loops.h) */
#define TSM_KERNEL(name)                                                                                               \
    static __attribute__((unused)) tsm_status unused_##name(tsm_exec *x, const tsm_value *const *in, tsm_value *out)
#else
#define TSM_KERNEL(name)                                                                                               \
    tsm_status tsm_k_##name(tsm_exec *x, const tsm_value *const *in, tsm_value *out);                                  \
    tsm_status tsm_k_##name(tsm_exec *x, const tsm_value *const *in, tsm_value *out)
#endif

/* A kernel whose work does not grow with the elements and items of its inputs: views, questions about shapes, items by
 * position or key; or that charges what it looks at by itself (work.h). The elements and items of other kernels' inputs
 * are charged by the call. */
#define TSM_KERNEL_LIGHT(name) TSM_KERNEL(name)

/* What an operator computes for numbers in registers (tsm_register_kernel). Its kernel beside it charges no work. */
#define TSM_REGISTER_KERNEL(name)                                                                                      \
    bool tsm_r_##name(const tsm_scalar *in, tsm_scalar *out);                                                          \
    bool tsm_r_##name(const tsm_scalar *in, tsm_scalar *out)

/* What an operator does on a shorter way (tsm_short_kernel), beside its kernel. */
#define TSM_SHORT_KERNEL(name)                                                                                         \
    bool tsm_v_##name(tsm_exec *x, const tsm_value *in, tsm_value *out);                                               \
    bool tsm_v_##name(tsm_exec *x, const tsm_value *in, tsm_value *out)

/* A kernel that other files call, in the header of its family. */
#define TSM_KERNEL_DECLARE(name) tsm_status tsm_k_##name(tsm_exec *x, const tsm_value *const *in, tsm_value *out)

/* Read by schema/gen_operators.py; expands to nothing that runs. */
#define TSM_KERNEL_ALIAS(op, kernel) struct tsm_kernel_alias

/* Every kernel sees all three parameters whether it needs them or not. */
#define TSM_UNUSED_IO() ((void)x, (void)in, (void)out)

/* Arguments by position, as their C types. Before a kernel is called, the interpreter has checked each input against
 * the schema (tsm_operator.accepted_types): scalars, objects and lists of ints, floats, bools, strs, Tensors, numbers
 * have the right tags, items included. Not checked, so that a kernel must look itself: inputs beyond the schema's of
 * variable operators, items of lists of other types (t[], Any[], lists of tuples or lists), keys and items of dicts,
 * length and items of tuples, class and slots of objects. */
static inline tsm_tensor *arg_tensor(const tsm_value *const *in, int i) {
    return tsm_as_tensor(*in[i]);
}
static inline bool arg_is_none(const tsm_value *const *in, int i) {
    return in[i]->tag == TSM_TAG_NONE;
}
static inline tsm_tensor *arg_tensor_or_null(const tsm_value *const *in, int i) {
    return arg_is_none(in, i) ? NULL : tsm_as_tensor(*in[i]);
}
static inline int64_t arg_int(const tsm_value *const *in, int i) {
    return in[i]->as.i;
}
static inline int64_t arg_int_or(const tsm_value *const *in, int i, int64_t when_none) {
    return arg_is_none(in, i) ? when_none : in[i]->as.i;
}
static inline bool arg_bool(const tsm_value *const *in, int i) {
    return in[i]->as.b;
}
/* A complex number as a real one: NaN when it has an imaginary part. */
double tsm_arg_real_part(tsm_value v);
static inline double arg_float(const tsm_value *const *in, int i) {
    return in[i]->tag == TSM_TAG_FLOAT     ? in[i]->as.f
           : in[i]->tag == TSM_TAG_BOOL    ? (double)in[i]->as.b
           : in[i]->tag == TSM_TAG_COMPLEX ? tsm_arg_real_part(*in[i])
                                           : (double)in[i]->as.i;
}
static inline tsm_list *arg_list(const tsm_value *const *in, int i) {
    return tsm_as_list(*in[i]);
}
static inline tsm_str *arg_str(const tsm_value *const *in, int i) {
    return tsm_as_str(*in[i]);
}

/* An int as a size or position: on targets of 32 bits, what does not fit becomes the nearest number that does, which no
 * tensor has. */
static inline tsm_dim tsm_saturate_dim(int64_t v) {
    return v > PTRDIFF_MAX ? PTRDIFF_MAX : v < PTRDIFF_MIN ? PTRDIFF_MIN : (tsm_dim)v;
}
/* The same of a float, which is cut off; NaN becomes 0. */
static inline tsm_dim tsm_dim_of_double(double v) {
    if (v != v)
        return 0;
    return v >= (double)PTRDIFF_MAX ? PTRDIFF_MAX : v <= (double)PTRDIFF_MIN ? PTRDIFF_MIN : (tsm_dim)v;
}
static inline tsm_dim arg_dim(const tsm_value *const *in, int i) {
    return tsm_saturate_dim(arg_int(in, i));
}

/* A dtype by its number: TSM_DTYPE_COUNT, which no tensor has, for numbers that are none. */
static inline tsm_dtype kernel_dtype(int64_t number) {
    return tsm_dtype_exists(number) ? (tsm_dtype)number : TSM_DTYPE_COUNT;
}
static inline tsm_dtype arg_dtype(const tsm_value *const *in, int i, tsm_dtype when_none) {
    return arg_is_none(in, i) ? when_none : kernel_dtype(arg_int(in, i));
}

/* The dtype in which sums and products are calculated: that of argument i; where there is none, that of the destination
 * of an operator with out= or in place, else when_none. */
tsm_dtype tsm_kernel_dtype_asked(const tsm_exec *x, const tsm_value *const *in, int i, tsm_dtype when_none);

/* Reads an int[] argument of at most `max` items into v; returns how many, or -1 after raising. */
int tsm_arg_ints(tsm_exec *x, const tsm_value *const *in, int i, tsm_dim *v, int max);

static inline tsm_status ret_tensor(tsm_value *out, tsm_tensor *t) {
    *out = tsm_of_tensor(t);
    return TSM_OK;
}
static inline tsm_status ret_int(tsm_value *out, int64_t v) {
    *out = tsm_int(v);
    return TSM_OK;
}
static inline tsm_status ret_float(tsm_value *out, double v) {
    *out = tsm_float(v);
    return TSM_OK;
}
static inline tsm_status ret_bool(tsm_value *out, bool v) {
    *out = tsm_bool(v);
    return TSM_OK;
}

/* The tensor to compute a result into of which element k depends only on elements k of the inputs: x->dest is used
 * when shape and dtype fit, even if it is also an input, and so is an input that dies here; otherwise a new tensor
 * keeps the order of dimensions of the first input of its shape. Raises PyTorch's texts when the result cannot go to
 * x->dest. */
tsm_status tsm_out_pointwise(tsm_exec *x, const tsm_value *const *in, tsm_dtype dtype, int dims, const tsm_dim *sizes,
                             tsm_tensor **out);

/* Raises PyTorch's text when a number among the inputs is complex: for operators that calculate with real ones. */
tsm_status tsm_kernel_check_real(tsm_exec *x, const tsm_value *const *in);

/* A number as PyTorch's messages show it: "%g". */
typedef struct {
    char text[TSM_NUMBER_TEXT];
} number_text;
number_text tsm_kernel_number(double number);

/* Where aten::select(t, dim, index) begins: the dimension as a position, and elements from t's first; raises PyTorch's
 * texts. */
tsm_status tsm_select_offset(tsm_exec *x, const tsm_tensor *t, int64_t dim, int64_t index, int *d, tsm_dim *offset);

/* Runs another kernel from within one: destination and dying inputs of the running operator do not concern it. */
tsm_status tsm_kernel_call(tsm_exec *x, tsm_kernel kernel, int n, const tsm_value *arguments, tsm_value *out);

/* The same, whose result takes the place of *v, which may be an argument. */
tsm_status tsm_kernel_replace(tsm_exec *x, tsm_kernel kernel, int n, const tsm_value *arguments, tsm_value *v);

/* The dtype that a kernel with loops for float, double and int64 computes in for tensors of this dtype. */
tsm_dtype tsm_kernel_compute_dtype(tsm_dtype dtype);

/* What can be said before anything is calculated about a result of this type and shape that will go to x->dest. A
 * destination of out= takes the result's shape, unless it is an argument too. */
tsm_status tsm_kernel_check_dest(tsm_exec *x, const tsm_value *const *in, tsm_dtype dtype, int dims,
                                 const tsm_dim *sizes);

/* t contiguous and of this dtype: t itself with one more count, or a copy. */
tsm_status tsm_kernel_contiguous(tsm_exec *x, tsm_tensor *t, tsm_dtype dtype, tsm_tensor **out);
/* The same for an optional tensor: *out is NULL when t is. */
tsm_status tsm_kernel_contiguous_or_null(tsm_exec *x, tsm_tensor *t, tsm_dtype dtype, tsm_tensor **out);

/* Raises where a mask is of bytes and one of them is neither 0 nor 1. */
tsm_status tsm_kernel_check_mask(tsm_exec *x, tsm_tensor *mask);

/* Gives a computed tensor as the result in `dtype`: converts when it has another, and gives back the count of `t`. */
tsm_status tsm_kernel_finish(tsm_exec *x, tsm_status status, tsm_tensor *t, tsm_dtype dtype, tsm_value *out);

#endif

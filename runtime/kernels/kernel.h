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

#include "runtime/core/exec.h"

#define TSM_KERNEL(name)                                                                                               \
    tsm_status tsm_k_##name(tsm_exec *x, const tsm_value *const *in, tsm_value *out);                                  \
    tsm_status tsm_k_##name(tsm_exec *x, const tsm_value *const *in, tsm_value *out)

/* Read by schema/gen_operators.py; expands to nothing that runs. */
#define TSM_KERNEL_ALIAS(op, kernel) struct tsm_kernel_alias

/* Every kernel sees all three parameters whether it needs them or not. */
#define TSM_UNUSED_IO() ((void)x, (void)in, (void)out)

/* Arguments by position, as their C types. Before a kernel is called, the interpreter has checked each input against
 * the schema (tsm_operator.takes): scalars, objects and lists of ints, floats, bools, strs, Tensors, numbers have the
 * right tags, items included. Not checked, so that a kernel must look itself: inputs beyond the schema's of variable
 * operators, items of lists of other types (t[], Any[], lists of tuples or lists), keys and items of dicts, length and
 * items of tuples, class and slots of objects. */
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
double arg_real_part(tsm_value v);
static inline double arg_float(const tsm_value *const *in, int i) {
    return in[i]->tag == TSM_TAG_FLOAT     ? in[i]->as.f
           : in[i]->tag == TSM_TAG_BOOL    ? (double)in[i]->as.b
           : in[i]->tag == TSM_TAG_COMPLEX ? arg_real_part(*in[i])
                                           : (double)in[i]->as.i;
}
static inline tsm_list *arg_list(const tsm_value *const *in, int i) {
    return tsm_as_list(*in[i]);
}
static inline tsm_str *arg_str(const tsm_value *const *in, int i) {
    return tsm_as_str(*in[i]);
}

/* Reads an int[] argument of at most `max` items into v; returns how many, or -1 after raising. */
int arg_ints(tsm_exec *x, const tsm_value *const *in, int i, tsm_dim *v, int max);

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

/* The tensor to compute a result into. tsm_out_pointwise: element k of the result depends only on elements k of the
 * inputs, so x->dest is used when shape and dtype fit, even if it is also an input, and so is an input that dies here;
 * otherwise a new tensor keeps the order of dimensions of the first input of its shape. tsm_out_fresh: x->dest only
 * when its storage is no input's, otherwise a new contiguous tensor. Both raise PyTorch's texts when the result cannot
 * go to x->dest. */
tsm_status tsm_out_pointwise(tsm_exec *x, const tsm_value *const *in, tsm_dtype dtype, int dims, const tsm_dim *sizes,
                             tsm_tensor **out);
tsm_status tsm_out_fresh(tsm_exec *x, const tsm_value *const *in, tsm_dtype dtype, int dims, const tsm_dim *sizes,
                         tsm_tensor **out);

/* Nobody but one holder sees the tensor or its memory, which may be written: when that holder lets go, a result may
 * take it over. */
static inline bool tsm_tensor_is_free(const tsm_tensor *t) {
    return t->header.references == 1 && t->storage->references == 1 && !t->quantizer &&
           !(t->storage->flags & ~(uint32_t)TSM_STORAGE_INSIDE);
}

bool tsm_dtype_can_cast(tsm_dtype from, tsm_dtype to);
/* Raises where PyTorch refuses a number as an element of this type: out of range, or complex for a real type. Other
 * values than numbers pass. */
tsm_status tsm_check_number(tsm_exec *x, tsm_dtype dtype, tsm_value number);
/* The operator being run, for error texts. */
const char *tsm_op_name(const tsm_exec *x);
/* "Float", "Long", ... as PyTorch's error texts call dtypes. */
const char *tsm_dtype_class_name(tsm_dtype dtype);
/* Writes "[2, 3]"; n >= 8; cut short when it does not fit. */
void tsm_shape_text(char *text, size_t n, int dims, const tsm_dim *sizes);

/* Wraps a possibly negative dimension; raises PyTorch's IndexError text when out of range. `dims` 0 counts as 1. */
tsm_status tsm_wrap_dim(tsm_exec *x, int64_t dim, int dims, int *out);
/* Where aten::select(t, dim, index) begins: the dimension as a position, and elements from t's first; raises PyTorch's
 * texts. */
tsm_status tsm_select_offset(tsm_exec *x, const tsm_tensor *t, int64_t dim, int64_t index, int *d, tsm_dim *offset);
bool tsm_same_shape(const tsm_tensor *t, int dims, const tsm_dim *sizes);
/* Shape after broadcasting a with b; raises PyTorch's text when they do not fit. */
tsm_status tsm_broadcast_shapes(tsm_exec *x, int a_dims, const tsm_dim *a, int b_dims, const tsm_dim *b, int *dims,
                                tsm_dim *sizes);

/* Result type of a group of operands, as torch.result_type (tensors with dims, 0-dim tensors, Python numbers in three
 * classes). */
typedef struct {
    int dim_dtype, zero_dtype, number_dtype; /* -1: none seen */
} tsm_promotion;
void tsm_promote_start(tsm_promotion *p);
void tsm_promote_value(tsm_promotion *p, tsm_value v); /* Tensor or number; others are ignored */
tsm_dtype tsm_promote_end(const tsm_promotion *p);
tsm_dtype tsm_promote_dtypes(tsm_dtype a, tsm_dtype b);
static inline bool tsm_dtype_is_complex(tsm_dtype d) {
    return d == TSM_COMPLEX32 || d == TSM_COMPLEX64 || d == TSM_COMPLEX128;
}
static inline bool tsm_dtype_is_floating(tsm_dtype d) {
    return d == TSM_FLOAT16 || d == TSM_FLOAT32 || d == TSM_FLOAT64 || d == TSM_BFLOAT16;
}
static inline bool tsm_dtype_is_quantized(tsm_dtype d) {
    return d == TSM_QINT8 || d == TSM_QUINT8 || d == TSM_QINT32;
}
static inline bool tsm_dtype_is_integral(tsm_dtype d) {
    return d <= TSM_INT64 || d == TSM_BOOL;
}

#endif

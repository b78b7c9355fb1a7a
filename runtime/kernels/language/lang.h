/* What the kernels of TorchScript's own data (numbers, strings, lists, dicts) share. */
#ifndef TSM_KERNELS_LANGUAGE_LANG_H
#define TSM_KERNELS_LANGUAGE_LANG_H

#include "runtime/kernels/complex_math.h"
#include "runtime/kernels/kernel.h"

/* ---- Numbers ---- */

typedef enum { LANG_INT, LANG_FLOAT, LANG_COMPLEX } lang_kind;

/* An int, float, complex or bool (as int). `c` holds the value as complex whatever the kind; `i` that of an int. */
typedef struct {
    lang_kind kind;
    int64_t i;
    tsm_complex c;
} lang_number;

lang_number tsm_lang_number_of(tsm_value v);

/* Two operands, and the kind to compute in. */
typedef struct {
    lang_number a, b;
    lang_kind kind;
} lang_operands;

lang_operands tsm_lang_operands_of(const tsm_value *const *in);
/* The error of an operator that has no complex form. */
tsm_status tsm_lang_no_complex(tsm_exec *x);
/* A whole float as int; raises when it is out of range. */
tsm_status tsm_lang_float_to_int(tsm_exec *x, double v, int64_t *i);

/* The textbook formula, unlike that of Tensors (tsm_cx_div): a division by 0 gives NaNs. */
tsm_complex tsm_lang_divide_complex(tsm_complex a, tsm_complex b);

tsm_status tsm_lang_ret_complex(tsm_exec *x, tsm_value *out, tsm_complex c);
static inline tsm_status lang_ret_pair(tsm_value *out, tsm_value first, tsm_value second) {
    out[0] = first;
    out[1] = second;
    return TSM_OK;
}

/* int(v): towards zero; what does not fit becomes the least int, as on x86. */
static inline int64_t lang_truncate(double v) {
    return v >= -0x1p63 && v < 0x1p63 ? (int64_t)v : INT64_MIN;
}

/* Two's complement arithmetic that wraps. */
static inline int64_t wrap_add(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a + (uint64_t)b);
}
static inline int64_t wrap_sub(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a - (uint64_t)b);
}
static inline int64_t wrap_mul(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a * (uint64_t)b);
}
static inline int64_t wrap_rest(int64_t a, int64_t b) {
    return b == -1 ? 0 : a % b;
}

/* ---- Comparison ---- */

/* a == b as aten::eq of TorchScript values: numbers of different kinds by value, a Tensor by its one element. */
tsm_status tsm_lang_equal(tsm_exec *x, tsm_value a, tsm_value b, bool *equal);
/* a < b for numbers, strings, one-element Tensors and tuples of these; false for NaN. */
tsm_status tsm_lang_less(tsm_exec *x, tsm_value a, tsm_value b, bool *less);
enum { LANG_ORDERED_DEPTH = 32 }; /* of tuples in tuples that have an order; bounds the recursion */

/* Raises PyTorch's texts for lists of several types, or of values that have no order. (The exporter turns sorting of
 * objects into calls.) */
tsm_status tsm_lang_check_sortable(tsm_exec *x, const tsm_list *l);

/* ---- Positions ---- */

/* Counts from the end when negative; false when there is no such item. */
static inline bool lang_position(int64_t index, size_t length, size_t *at) {
    int64_t position = index < 0 ? index + (int64_t)length : index;
    *at = (size_t)position;
    return position >= 0 && position < (int64_t)length;
}

/* As the exporter writes squares: products, which are rounded once. The C library's pow is one bit off for some. */
static inline double lang_power(double a, double b) {
    return b == 2 ? a * a : pow(a, b);
}

/* The items that l[start:end:step] takes: `count` from `first` on, `step` apart. Arguments 1 to 3 of a slice operator.
 */
typedef struct {
    int64_t first, step;
    size_t count;
} lang_slice;
tsm_status tsm_lang_slice_of(tsm_exec *x, const tsm_value *const *in, size_t length, lang_slice *slice);

/* ---- Results ---- */

tsm_status tsm_lang_ret_str(tsm_exec *x, tsm_value *out, const char *text, size_t n);
/* Gives the list to the caller, or drops it when `status` is a failure. */
tsm_status tsm_lang_ret_list(tsm_exec *x, tsm_value *out, tsm_list *l, tsm_status status);

/* An int as the C int that PyTorch takes it for: the upper half is lost. */
static inline int32_t lang_c_int(int64_t v) {
    return (int32_t)(uint32_t)v;
}

#endif

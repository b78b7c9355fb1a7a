/* Binary search in sorted rows. */
#include "runtime/kernels/kernel.h"
#include "runtime/kernels/simd/narrow.h"

/* Rows of `count` sorted numbers and of `wanted` numbers each; all numbers are int64 or double. One sorted row may
 * serve all. */
typedef struct {
    const tsm_tensor *sorted, *values;
    const int64_t *order; /* the sorter: positions of the sorted numbers in their row; NULL: the row itself is sorted */
    tsm_dim count, wanted, rows;
    bool one_row, right;
} search_job;

/* The first place whose number is not below the value; with `right`, is above it. Steps are without branches, and as
 * many for each value (where nothing is left, a step changes nothing): so processors search for the next one meanwhile.
 * The places looked at are PyTorch's, which decide the answer where numbers are not sorted. */
#if TSM_NARROW_LANES
/* In a row that is sorted any way finds the same: the one of fewest instructions, where many values ask for the look.
 */
#define FIND_SORTED(T, name)                                                                                           \
    static inline __attribute__((always_inline))                                                                       \
    tsm_dim name##_sorted(const T *numbers, tsm_dim count, T value, const bool right) {                                \
        const T *at = numbers;                                                                                         \
        for (tsm_dim n = count; n > 1; n -= n / 2) {                                                                   \
            const T middle = at[n / 2 - 1];                                                                            \
            at += (n / 2) & -(tsm_dim)(right ? !(middle > value) : !(middle >= value));                                \
        }                                                                                                              \
        return at - numbers + (right ? !(*at > value) : !(*at >= value));                                              \
    }                                                                                                                  \
    static inline __attribute__((always_inline)) void name##_row(                                                      \
        const T *numbers, tsm_dim count, const T *values, tsm_tensor *y, tsm_dim first, tsm_dim n, const bool right) { \
        for (tsm_dim i = 0; i < n; i++) {                                                                              \
            const tsm_dim found = name##_sorted(numbers, count, values[first + i], right);                             \
            if (y->dtype == TSM_INT32)                                                                                 \
                ((int32_t *)y->data)[first + i] = (int32_t)found;                                                      \
            else                                                                                                       \
                ((int64_t *)y->data)[first + i] = found;                                                               \
        }                                                                                                              \
    }                                                                                                                  \
    static bool name##_is_done(const search_job *j, const T *values, tsm_tensor *y) {                                  \
        const tsm_dim wanted = j->one_row ? j->values->elements : j->wanted, rows = j->one_row ? 1 : j->rows;          \
        int is_sorted = j->count > 0 && !j->order && wanted >= j->count / 8;                                           \
        for (tsm_dim row = 0; row < rows && is_sorted; row++)                                                          \
            for (tsm_dim i = 0; i < j->count; i++) {                                                                   \
                const T *numbers = (const T *)j->sorted->data + row * j->count;                                        \
                is_sorted &= numbers[i ? i - 1 : 0] <= numbers[i];                                                     \
            }                                                                                                          \
        for (tsm_dim row = 0; row < rows && is_sorted; row++) {                                                        \
            const T *numbers = (const T *)j->sorted->data + row * j->count;                                            \
            if (j->right)                                                                                              \
                name##_row(numbers, j->count, values, y, row *wanted, wanted, true);                                   \
            else                                                                                                       \
                name##_row(numbers, j->count, values, y, row *wanted, wanted, false);                                  \
        }                                                                                                              \
        return is_sorted;                                                                                              \
    }
#else
#define FIND_SORTED(T, name)
#define find_i64_is_done(j, values, y) false
#define find_f64_is_done(j, values, y) false
#endif
#define FIND(T, name)                                                                                                  \
    static inline __attribute__((always_inline)) tsm_dim name(const T *numbers, const int64_t *order, tsm_dim count,   \
                                                              T value, const bool right) {                             \
        tsm_dim low = 0, left = count;                                                                                 \
        for (tsm_dim steps = count; steps > 0; steps /= 2) {                                                           \
            const tsm_dim half = left / 2, middle = tsm_dim_min(low + half, count - 1);                                \
            const T at = numbers[order ? order[middle] : middle];                                                      \
            const tsm_dim is_behind = (left > 0) & (right ? !(at > value) : !(at >= value));                           \
            low += is_behind * (half + 1);                                                                             \
            left = half - is_behind * (half + half + 1 - left);                                                        \
        }                                                                                                              \
        return low;                                                                                                    \
    }                                                                                                                  \
    FIND_SORTED(T, name)                                                                                               \
    static void name##_all(const search_job *j, const T *values, tsm_tensor *y) {                                      \
        const tsm_dim all = j->values->elements;                                                                       \
        if (name##_is_done(j, values, y))                                                                              \
            return;                                                                                                    \
        for (tsm_dim i = 0; i < all; i++) {                                                                            \
            const tsm_dim row = j->one_row ? 0 : i / j->wanted;                                                        \
            const T *numbers = (const T *)j->sorted->data + row * j->count;                                            \
            const tsm_dim found = j->order   ? name(numbers, j->order + row * j->count, j->count, values[i], j->right) \
                                  : j->right ? name(numbers, NULL, j->count, values[i], true)                          \
                                             : name(numbers, NULL, j->count, values[i], false);                        \
            if (y->dtype == TSM_INT32)                                                                                 \
                ((int32_t *)y->data)[i] = (int32_t)found;                                                              \
            else                                                                                                       \
                ((int64_t *)y->data)[i] = found;                                                                       \
        }                                                                                                              \
    }
FIND(int64_t, find_i64)
FIND(double, find_f64)

static void search_rows(const search_job *j, tsm_tensor *y) {
    if (j->values->dtype == TSM_INT64)
        find_i64_all(j, j->values->data, y);
    else
        find_f64_all(j, j->values->data, y);
}

static tsm_status check_order(tsm_exec *x, const tsm_tensor *order, tsm_dim count) {
    for (tsm_dim i = 0; i < order->elements; i++)
        if (((const int64_t *)order->data)[i] < 0 || ((const int64_t *)order->data)[i] >= count)
            return TSM_RAISE(x, "torch.searchsorted(): sorter index out of range");
    return TSM_OK;
}

static tsm_status check_shapes(tsm_exec *x, const tsm_tensor *sorted, const tsm_tensor *values,
                               const tsm_tensor *sorter) {
    if (!sorted->dims)
        return TSM_RAISE(x, "boundaries tensor should have at least one dimension");
    if (!tsm_dtype_is_ordered((tsm_dtype)sorted->dtype) || !tsm_dtype_is_ordered((tsm_dtype)values->dtype))
        return TSM_RAISE(x, "\"searchsorted\" not implemented for complex numbers and uint64");
    if (sorted->dims > 1 && (values->dims != sorted->dims ||
                             memcmp(values->sizes, sorted->sizes, (size_t)(sorted->dims - 1) * sizeof *sorted->sizes)))
        return TSM_RAISE(x, "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions "
                            "of boundaries tensor "
                            "and input value tensor must match");
    if (sorter && (sorter->dims != sorted->dims ||
                   memcmp(sorter->sizes, sorted->sizes, (size_t)sorted->dims * sizeof *sorted->sizes)))
        return TSM_RAISE(x, "torch.searchsorted(): boundary and sorter must have the same size");
    return TSM_OK;
}

static tsm_status search(tsm_exec *x, tsm_tensor *sorted, tsm_tensor *values, tsm_tensor *sorter, bool int32,
                         bool right, tsm_value *out) {
    tsm_tensor *numbers = NULL, *wanted = NULL, *order = NULL, *y = NULL;
    TSM_TRY(check_shapes(x, sorted, values, sorter));
    bool whole = tsm_dtype_is_integral((tsm_dtype)sorted->dtype) && tsm_dtype_is_integral((tsm_dtype)values->dtype);
    tsm_dtype dtype = whole ? TSM_INT64 : TSM_FLOAT64;
    search_job j = {.count = sorted->sizes[sorted->dims - 1],
                    .wanted = values->dims ? values->sizes[values->dims - 1] : 1,
                    .one_row = sorted->dims == 1,
                    .right = right};
    tsm_status status = tsm_kernel_contiguous(x, sorted, dtype, &numbers);
    if (status == TSM_OK)
        status = tsm_kernel_contiguous(x, values, dtype, &wanted);
    if (status == TSM_OK)
        status = tsm_kernel_contiguous_or_null(x, sorter, TSM_INT64, &order);
    if (status == TSM_OK && order)
        status = check_order(x, order, j.count);
    if (status == TSM_OK)
        status = tsm_tensor_make(x, int32 ? TSM_INT32 : TSM_INT64, values->dims, values->sizes, &y);
    if (status == TSM_OK) {
        j.sorted = numbers;
        j.values = wanted;
        j.order = order ? order->data : NULL;
        j.rows = j.wanted ? wanted->elements / j.wanted : 0;
        search_rows(&j, y);
        *out = tsm_of_tensor(y);
    }
    tsm_tensor_drop(x, numbers);
    tsm_tensor_drop(x, wanted);
    tsm_tensor_drop(x, order);
    return status;
}

/* The same for a number. */
static tsm_status search_number(tsm_exec *x, tsm_tensor *sorted, tsm_value number, tsm_tensor *sorter, bool int32,
                                bool right, tsm_value *out) {
    tsm_tensor *value;
    TSM_TRY(tsm_tensor_scalar(x, number.tag == TSM_TAG_FLOAT ? TSM_FLOAT64 : TSM_INT64, number, &value));
    tsm_status status = search(x, sorted, value, sorter, int32, right, out);
    tsm_tensor_drop(x, value);
    return status;
}

static tsm_status check_boundaries(tsm_exec *x, const tsm_tensor *boundaries) {
    return boundaries->dims == 1
               ? TSM_OK
               : TSM_RAISE(x, "boundaries tensor must be 1 dimension, but got dim(%d)", (int)boundaries->dims);
}

TSM_KERNEL(aten_bucketize_Tensor) {
    TSM_TRY(check_boundaries(x, arg_tensor(in, 1)));
    return search(x, arg_tensor(in, 1), arg_tensor(in, 0), NULL, arg_bool(in, 2), arg_bool(in, 3), out);
}
TSM_KERNEL(aten_bucketize_Scalar) {
    TSM_TRY(check_boundaries(x, arg_tensor(in, 1)));
    return search_number(x, arg_tensor(in, 1), *in[0], NULL, arg_bool(in, 2), arg_bool(in, 3), out);
}

/* Whether the arguments `right` and `side` ask for the right side. */
static tsm_status read_side(tsm_exec *x, const tsm_value *const *in, bool *right) {
    *right = arg_bool(in, 3);
    if (arg_is_none(in, 4))
        return TSM_OK;
    const tsm_str *side = arg_str(in, 4);
    bool is_right = side->length == 5 && !memcmp(side->text, "right", 5);
    if (!is_right && (side->length != 4 || memcmp(side->text, "left", 4)))
        return TSM_RAISE(x, "torch.searchsorted(): side can only be 'left' or 'right' but got %.*s", (int)side->length,
                         side->text);
    if (*right && !is_right)
        return TSM_RAISE(
            x, "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True");
    *right = is_right;
    return TSM_OK;
}

TSM_KERNEL(aten_searchsorted_Tensor) {
    bool right;
    TSM_TRY(read_side(x, in, &right));
    return search(x, arg_tensor(in, 0), arg_tensor(in, 1), arg_tensor_or_null(in, 5), arg_bool(in, 2), right, out);
}
TSM_KERNEL(aten_searchsorted_Scalar) {
    bool right;
    TSM_TRY(read_side(x, in, &right));
    return search_number(x, arg_tensor(in, 0), *in[1], arg_tensor_or_null(in, 5), arg_bool(in, 2), right, out);
}

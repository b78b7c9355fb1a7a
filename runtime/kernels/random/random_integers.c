/* Tensors of random whole numbers, permutations, and choices: what PyTorch makes of one or two words for each element.
 */
#include "runtime/kernels/loops.h"
#include "runtime/kernels/random/random.h"

/* ---- Whole numbers from a range ---- */

/* base, base + 1, ..., base + range - 1; a range of 0 stands for all 64-bit numbers. */
typedef struct {
    int64_t base;
    uint64_t range;
} whole_range;

static void draw_words(tsm_random *r, const void *how, void *items, tsm_dim n) {
    const whole_range *w = how;
    int64_t *y = items;
    for (tsm_dim i = 0; i < n; i++)
        y[i] = (int64_t)(random_32(r) % w->range + (uint64_t)w->base);
}

static void draw_double_words(tsm_random *r, const void *how, void *items, tsm_dim n) {
    const whole_range *w = how;
    int64_t *y = items;
    for (tsm_dim i = 0; i < n; i++)
        y[i] = w->range ? (int64_t)(random_64(r) % w->range + (uint64_t)w->base) : (int64_t)random_64(r);
}

/* What PyTorch calls the type of elements, the whole numbers that it holds, and its bits for them. */
static const struct {
    const char *name;
    int64_t lowest, highest;
    int bits;
} elements_of[TSM_DTYPE_COUNT] = {
    [TSM_UINT8] = {"unsigned char", 0, UINT8_MAX, 8},      [TSM_INT8] = {"signed char", INT8_MIN, INT8_MAX, 7},
    [TSM_INT16] = {"short int", INT16_MIN, INT16_MAX, 15}, [TSM_INT32] = {"int", INT32_MIN, INT32_MAX, 31},
    [TSM_INT64] = {"long", INT64_MIN, INT64_MAX, 63},      [TSM_BOOL] = {"bool", 0, 1, 1},
    [TSM_FLOAT16] = {"c10::Half", -65504, 65504, 11},      [TSM_BFLOAT16] = {"c10::BFloat16", INT64_MIN, INT64_MAX, 8},
    [TSM_FLOAT32] = {"float", INT64_MIN, INT64_MAX, 24},   [TSM_FLOAT64] = {"double", INT64_MIN, INT64_MAX, 53},
};

static tsm_status check_bounds(tsm_exec *x, int64_t from, int64_t last, tsm_dtype dtype, const char *last_name) {
    if (!elements_of[dtype].name)
        return TSM_RAISE(x, "check_random_bounds handles only integral, floating-point and boolean types");
    const char *type = elements_of[dtype].name;
    if (from < elements_of[dtype].lowest || from > elements_of[dtype].highest)
        return TSM_RAISE(x, "from is out of bounds for %s", type);
    if (last < elements_of[dtype].lowest || last > elements_of[dtype].highest)
        return TSM_RAISE(x, "%s is out of bounds for %s", last_name, type);
    int64_t exact = INT64_C(1) << (elements_of[dtype].bits < 62 ? elements_of[dtype].bits : 62);
    if (tsm_dtype_is_floating(dtype) && (from < -exact || last > exact))
        return tsm_fail(x, TSM_UNSUPPORTED, "%s of whole numbers that %s cannot hold exactly is not supported",
                        tsm_op_name(x), type);
    return TSM_OK;
}

static tsm_status fill_range(tsm_exec *x, tsm_random *r, tsm_tensor *t, int64_t from, int64_t last,
                             const char *last_name) {
    tsm_dtype dtype = (tsm_dtype)t->dtype;
    TSM_TRY(check_bounds(x, from, last, dtype, last_name));
    whole_range w = {from, (uint64_t)last - (uint64_t)from + 1};
    bool has_wide = dtype == TSM_INT64 || dtype == TSM_FLOAT32 || dtype == TSM_FLOAT64 || dtype == TSM_BFLOAT16;
    bool wide = has_wide && (w.range == 0 || w.range >> 32);
    tsm_random_fill(r, t, TSM_LANE_I64, wide ? draw_double_words : draw_words, &w);
    return TSM_OK;
}

static tsm_status fill_between(tsm_exec *x, tsm_random *r, tsm_tensor *t, int64_t from, int64_t to) {
    if (from >= to)
        return TSM_RAISE(x, "random_ expects 'from' to be less than 'to', but got from=%ld >= to=%ld", from, to);
    return fill_range(x, r, t, from, to - 1, "to - 1");
}

/* The highest number that random_ without an end draws; for floats, the highest up to which they hold all integers
 * exactly. */
static int64_t highest(tsm_dtype dtype) {
    return tsm_dtype_is_floating(dtype) ? INT64_C(1) << elements_of[dtype].bits : elements_of[dtype].highest;
}

TSM_KERNEL(aten_random__from) {
    tsm_random *r;
    tsm_tensor *t = arg_tensor(in, 0);
    TSM_TRY(tsm_random_get(x, *in[3], &r));
    if (!arg_is_none(in, 2))
        TSM_TRY(fill_between(x, r, t, arg_int(in, 1), arg_int(in, 2)));
    else
        TSM_TRY(fill_range(x, r, t, arg_int(in, 1), highest((tsm_dtype)t->dtype), "to_inc"));
    return tsm_random_ret_self(in, out);
}

TSM_KERNEL(aten_random__to) {
    tsm_random *r;
    TSM_TRY(tsm_random_get(x, *in[2], &r));
    TSM_TRY(fill_between(x, r, arg_tensor(in, 0), 0, arg_int(in, 1)));
    return tsm_random_ret_self(in, out);
}

/* Two words for each element of 64 bits, one for others. */
TSM_KERNEL(aten_random_) {
    tsm_random *r;
    tsm_tensor *t = arg_tensor(in, 0);
    tsm_dtype dtype = (tsm_dtype)t->dtype;
    TSM_TRY(tsm_random_get(x, *in[1], &r));
    if (!elements_of[dtype].name)
        return tsm_loops_missing(x, tsm_dtype_is_complex(dtype) ? "random_kernel_fp_cpu" : "random_kernel_cpu", dtype);
    whole_range w = {0, (uint64_t)highest(dtype) + 1};
    tsm_random_fill(r, t, TSM_LANE_I64, dtype == TSM_INT64 || dtype == TSM_FLOAT64 ? draw_double_words : draw_words,
                    &w);
    return tsm_random_ret_self(in, out);
}

/* ---- New tensors ---- */

static tsm_status integers_sized(tsm_exec *x, const tsm_value *const *in, int64_t from, int64_t to, int size,
                                 tsm_value generator, int dtype, tsm_value *out) {
    tsm_random *r;
    tsm_tensor *t;
    TSM_TRY(tsm_random_get(x, generator, &r));
    TSM_TRY(tsm_random_make(x, in, size, arg_int_or(in, dtype, TSM_INT64), &t));
    return tsm_random_ret(x, fill_between(x, r, t, from, to), t, out);
}

TSM_KERNEL(aten_randint) {
    return integers_sized(x, in, 0, arg_int(in, 0), 1, tsm_none(), 2, out);
}
TSM_KERNEL(aten_randint_generator) {
    return integers_sized(x, in, 0, arg_int(in, 0), 1, *in[2], 3, out);
}
TSM_KERNEL(aten_randint_low) {
    return integers_sized(x, in, arg_int(in, 0), arg_int(in, 1), 2, tsm_none(), 3, out);
}
TSM_KERNEL(aten_randint_low_generator) {
    return integers_sized(x, in, arg_int(in, 0), arg_int(in, 1), 2, *in[3], 4, out);
}

static tsm_status integers_like(tsm_exec *x, const tsm_value *const *in, int64_t from, int64_t to, int dtype,
                                tsm_value *out) {
    tsm_random *r;
    tsm_tensor *t;
    TSM_TRY(tsm_random_get(x, tsm_none(), &r));
    TSM_TRY(tsm_random_make_like(x, in, arg_int_or(in, dtype, arg_tensor(in, 0)->dtype), &t));
    return tsm_random_ret(x, fill_between(x, r, t, from, to), t, out);
}

TSM_KERNEL(aten_randint_like) {
    return integers_like(x, in, 0, arg_int(in, 1), 2, out);
}
TSM_KERNEL(aten_randint_like_low_dtype) {
    return integers_like(x, in, arg_int(in, 1), arg_int(in, 2), 3, out);
}

/* ---- Permutations ---- */

/* Element i changes places with one of those from i on, chosen by one word (Fisher and Yates' shuffle). */
#define SHUFFLE_CASE(T)                                                                                                \
    case sizeof(T):                                                                                                    \
        for (tsm_dim i = 0; i + 1 < n; i++) {                                                                          \
            const uint64_t left = (uint64_t)(n - i);                                                                   \
            const uint32_t word = random_32(r);                                                                        \
            char *a = p + (size_t)i * sizeof(T);                                                                       \
            char *b = a + (size_t)(left > UINT32_MAX ? word : word % (uint32_t)left) * sizeof(T);                      \
            T kept, other; /* copied: elements may be floats */                                                        \
            memcpy(&kept, a, sizeof kept);                                                                             \
            memcpy(&other, b, sizeof other);                                                                           \
            memcpy(a, &other, sizeof other);                                                                           \
            memcpy(b, &kept, sizeof kept);                                                                             \
        }                                                                                                              \
        break;
static void shuffle(tsm_random *r, char *p, size_t size, tsm_dim n) {
    switch (size) {
        SHUFFLE_CASE(uint8_t)
        SHUFFLE_CASE(uint16_t)
        SHUFFLE_CASE(uint32_t)
        SHUFFLE_CASE(uint64_t)
    default:
        break;
    }
}

enum { PERMUTATION_BLOCK = 64 };

static tsm_status permutation(tsm_exec *x, const tsm_value *const *in, tsm_value generator, int dtype_at,
                              tsm_value *out) {
    tsm_random *r;
    tsm_tensor *t;
    TSM_TRY(tsm_random_get(x, generator, &r));
    int64_t n = arg_int(in, 0), dtype = arg_int_or(in, dtype_at, TSM_INT64);
    if (!tsm_dtype_exists(dtype) || !elements_of[dtype].name || dtype == TSM_BOOL)
        return TSM_RAISE(x, "cannot make a permutation of dtype %ld", dtype);
    if (n < 0)
        return TSM_RAISE(x, "n must be non-negative, got%ld", n);
    if (n - 1 > elements_of[dtype].highest)
        return TSM_RAISE(x, "value cannot be converted to type %s without overflow", elements_of[dtype].name);
    tsm_dim size = tsm_saturate_dim(n);
    TSM_TRY(tsm_tensor_make(x, (tsm_dtype)dtype, 1, &size, &t));
    size_t bytes = tsm_dtype_size((tsm_dtype)dtype);
    for (tsm_dim i = 0, m; i < t->elements; i += m) {
        int64_t numbers[PERMUTATION_BLOCK];
        m = tsm_dim_min(t->elements - i, PERMUTATION_BLOCK);
        for (tsm_dim k = 0; k < m; k++)
            numbers[k] = i + k;
        tsm_lane_store(kernel_dtype(dtype), (char *)t->data + (size_t)i * bytes, (tsm_dim)bytes, TSM_LANE_I64, numbers,
                       m);
    }
    shuffle(r, t->data, bytes, size);
    return ret_tensor(out, t);
}

TSM_KERNEL(aten_randperm) {
    return permutation(x, in, tsm_none(), 1, out);
}
TSM_KERNEL(aten_randperm_generator) {
    return permutation(x, in, *in[1], 2, out);
}

/* Elements combined with others in their place. */
#include "runtime/kernels/shape/combine.h"

#include "runtime/kernels/complex_math.h"

static inline int64_t combine_i64(combine_op op, int64_t a, int64_t b) {
    switch (op) {
    case COMBINE_ADD:
        return (int64_t)((uint64_t)a + (uint64_t)b);
    case COMBINE_MULTIPLY:
        return (int64_t)((uint64_t)a * (uint64_t)b);
    case COMBINE_LEAST:
        return b < a ? b : a;
    default: /* COMBINE_GREATEST: what is put goes as it lies */
        return b > a ? b : a;
    }
}

#define COMBINE_FLOATS(name, T)                                                                                        \
    static inline T name(combine_op op, T a, T b) {                                                                    \
        switch (op) {                                                                                                  \
        case COMBINE_ADD:                                                                                              \
            return a + b;                                                                                              \
        case COMBINE_MULTIPLY:                                                                                         \
            return a * b;                                                                                              \
        case COMBINE_LEAST:                                                                                            \
            return b < a || b != b ? b : a;                                                                            \
        default:                                                                                                       \
            return b > a || b != b ? b : a;                                                                            \
        }                                                                                                              \
    }
COMBINE_FLOATS(combine_f32, float)
COMBINE_FLOATS(combine_f64, double)

static void scale_item(tsm_lane lane, tsm_lane_item *v, double scale) {
    if (lane == TSM_LANE_I64)
        v->i = (int64_t)((uint64_t)v->i * (uint64_t)(int64_t)scale);
    else if (lane == TSM_LANE_F64)
        v->f64 *= scale;
    else
        v->c = cx_scale(v->c, scale);
}

/* One element of any type. */
static void combine_any(combine_op op, tsm_dtype dtype, double scale, char *to, const char *from) {
    const tsm_lane lane = tsm_dtype_is_complex(dtype)    ? TSM_LANE_C128
                          : tsm_dtype_is_floating(dtype) ? TSM_LANE_F64
                                                         : TSM_LANE_I64;
    tsm_lane_item a, b;
    tsm_lane_load(lane, &a, dtype, to, 0, 1);
    tsm_lane_load(lane, &b, dtype, from, 0, 1);
    if (scale != 1)
        scale_item(lane, &b, scale);
    if (lane == TSM_LANE_I64)
        a.i = combine_i64(op, a.i, b.i);
    else if (lane == TSM_LANE_C128)
        a.c = op == COMBINE_ADD ? cx_add(a.c, b.c) : cx_mul(a.c, b.c); /* they have no order */
    else
        a.f64 = combine_f64(op, a.f64, b.f64);
    tsm_lane_store(dtype, to, 0, lane, &a, 1);
}

/* Rows that lie side by side, the usual case, are loops that the compiler turns into vectors; false: there is none. */
#define COMBINE_ROW(T, COMBINED)                                                                                       \
    do {                                                                                                               \
        T *y = (void *)to;                                                                                             \
        const T *v = (const void *)from;                                                                               \
        TSM_INDEPENDENT for (tsm_dim i = 0; i < n; i++) y[i] = COMBINED;                                               \
        return true;                                                                                                   \
    } while (0)
#define COMBINE_FLOAT_ROW(T)                                                                                           \
    do {                                                                                                               \
        if (op == COMBINE_ADD)                                                                                         \
            COMBINE_ROW(T, y[i] + v[i]);                                                                               \
        if (op == COMBINE_MULTIPLY)                                                                                    \
            COMBINE_ROW(T, y[i] * v[i]);                                                                               \
        if (op == COMBINE_LEAST)                                                                                       \
            COMBINE_ROW(T, ((v[i] < y[i]) | (v[i] != v[i])) ? v[i] : y[i]);                                            \
        COMBINE_ROW(T, ((v[i] > y[i]) | (v[i] != v[i])) ? v[i] : y[i]);                                                \
    } while (0)
static bool combine_row(combine_op op, tsm_dtype dtype, char *to, const char *from, tsm_dim n) {
    if (op == COMBINE_PUT) {
        memmove(to, from, (size_t)n * tsm_dtype_size(dtype));
        return true;
    }
    if (dtype == TSM_FLOAT32)
        COMBINE_FLOAT_ROW(float);
    if (dtype == TSM_FLOAT64)
        COMBINE_FLOAT_ROW(double);
    if (dtype == TSM_INT64 && op == COMBINE_ADD)
        COMBINE_ROW(uint64_t, y[i] + v[i]);
    return false;
}

void tsm_combine_run(combine_op op, tsm_dtype dtype, char *to, tsm_dim to_step, const char *from, tsm_dim from_step,
                     tsm_dim n) {
    static const int64_t here = 0;
    const combine_lines l = {op, dtype, 1, 0, 1};
    tsm_combine_scattered(&l, to, to_step, (const char *)&here, 0, from, from_step, n);
}

tsm_dim tsm_combine_scattered(const combine_lines *l, char *to, tsm_dim to_step, const char *index, tsm_dim index_step,
                              const char *from, tsm_dim from_step, tsm_dim n) {
    const combine_op op = l->op;
#define SCATTER_EACH(T, INDEX, TO, FROM, COMBINED)                                                                     \
    for (tsm_dim i = 0; i < n; i++) {                                                                                  \
        const int64_t row = INDEX;                                                                                     \
        if ((uint64_t)row >= length)                                                                                   \
            return i;                                                                                                  \
        T *y = (void *)(TO);                                                                                           \
        const T *v = (const void *)(FROM);                                                                             \
        COMBINED;                                                                                                      \
    }
#define SCATTER_LOOP(T, COMBINED)                                                                                      \
    do {                                                                                                               \
        if (is_line && from_step == (tsm_dim)sizeof(T) && l->row_step == (tsm_dim)sizeof(T)) {                         \
            SCATTER_EACH(T, ((const int64_t *)(const void *)index)[i], (T *)(void *)to + tsm_saturate_dim(row),        \
                         (const T *)(const void *)from + i, COMBINED)                                                  \
        } else {                                                                                                       \
            SCATTER_EACH(T, *(const int64_t *)(const void *)(index + i * index_step),                                  \
                         to + i * to_step + tsm_saturate_dim(row) * l->row_step, from + i * from_step, COMBINED)       \
        }                                                                                                              \
        return -1;                                                                                                     \
    } while (0)
    const uint64_t length = (uint64_t)l->length;
    const tsm_dim size = (tsm_dim)tsm_dtype_size(l->dtype);
    if (index_step == 0 && to_step == size && from_step == size && n > 1 && l->scale == 1) {
        const int64_t row = *(const int64_t *)(const void *)index;
        if ((uint64_t)row >= length)
            return 0;
        if (combine_row(op, l->dtype, to + tsm_saturate_dim(row) * l->row_step, from, n))
            return -1;
    }
    /* The usual case: elements side by side go to places on one line. */
    const bool is_line = to_step == 0 && index_step == (tsm_dim)sizeof(int64_t);
    if (op == COMBINE_PUT)
        switch (size) {
        case 1:
            SCATTER_LOOP(uint8_t, *y = *v);
        case 2:
            SCATTER_LOOP(uint16_t, *y = *v);
        case 4:
            SCATTER_LOOP(uint32_t, *y = *v);
        case 8:
            SCATTER_LOOP(uint64_t, *y = *v);
        default:
            SCATTER_LOOP(tsm_complex, *y = *v);
        }
    if (l->scale == 1 && l->dtype == TSM_FLOAT32 && op == COMBINE_ADD)
        SCATTER_LOOP(float, *y += *v);
    if (l->scale == 1 && l->dtype == TSM_FLOAT32)
        SCATTER_LOOP(float, *y = combine_f32(op, *y, *v));
    if (l->scale == 1 && l->dtype == TSM_FLOAT64)
        SCATTER_LOOP(double, *y = combine_f64(op, *y, *v));
    if (l->scale == 1 && l->dtype == TSM_INT64)
        SCATTER_LOOP(int64_t, *y = combine_i64(op, *y, *v));
    SCATTER_LOOP(char, combine_any(op, l->dtype, l->scale, y, v));
}

/* Distances between points: aten::_cdist_forward (all pairs of two sets) and aten::_pdist_forward (pairs in one). */
#include "runtime/kernels/kernel.h"
#include "runtime/kernels/loops.h"

/* The norms that have loops of their own, and the others: p-th roots of sums of powers. */
typedef enum {
    NORM_COUNT,    /* p = 0: coordinates that differ */
    NORM_SUM,      /* p = 1 */
    NORM_ROOT,     /* p = 2 */
    NORM_GREATEST, /* p is infinite */
    NORM_POWER,
} norm_kind;

/* Sums of what lies between one point and n others, which lie side by side, of `d` coordinates each (what is summed
 * depends on the norm): point by point, for few points of many coordinates. */
typedef void distance_loop(void *to, const void *point, const void *others, tsm_dim n, tsm_dim d, double p);

/* From one point to TILE_POINTS others at once, of whose coordinates a tile holds the first of all, then the
 * second of all, and so on: sums side by side for all, and nothing to add up across them. `sums` has some already. */
typedef void tile_loop(void *sums, const void *point, const void *tile, tsm_dim d);
enum { TILE_POINTS = 32, TILE_DEPTH = 16 };

static inline double distance_count(double v) {
    return v != v ? v : v != 0;
}

/* Sums are kept in CHAINS parts, which compilers make vectors of; points of few coordinates have one. */
enum { DISTANCE_CHAINS = 16 };
#define DISTANCE_LOOP(name, T, START, STEP, FINISH)                                                                    \
    static void name(void *to, const void *point, const void *others, tsm_dim n, tsm_dim d, double p) {                \
        (void)p;                                                                                                       \
        T *y = to;                                                                                                     \
        const T *a = point, *b = others;                                                                               \
        for (tsm_dim i = 0; i < n; i++, b += d) {                                                                      \
            tsm_dim k = 0;                                                                                             \
            T sum = START;                                                                                             \
            if (d >= DISTANCE_CHAINS) {                                                                                \
                T part[DISTANCE_CHAINS] = {START};                                                                     \
                for (; k + DISTANCE_CHAINS <= d; k += DISTANCE_CHAINS)                                                 \
                    for (int c = 0; c < DISTANCE_CHAINS; c++) {                                                        \
                        const T v = a[k + c] - b[k + c];                                                               \
                        part[c] = STEP(T, part[c], v);                                                                 \
                    }                                                                                                  \
                for (int half = DISTANCE_CHAINS / 2; half; half /= 2)                                                  \
                    for (int c = 0; c < half; c++)                                                                     \
                        part[c] = FINISH(T, part[c], part[c + half]);                                                  \
                sum = part[0];                                                                                         \
            }                                                                                                          \
            for (; k < d; k++) {                                                                                       \
                const T v = a[k] - b[k];                                                                               \
                sum = STEP(T, sum, v);                                                                                 \
            }                                                                                                          \
            y[i] = sum;                                                                                                \
        }                                                                                                              \
    }
/* Two coordinates a turn, with an exit between them: of a loop with one exit gcc makes vectors along the coordinates,
 * for which it takes the tile apart again. */
#define TILE_STEP(T, STEP)                                                                                             \
    for (int c = 0; c < TILE_POINTS; c++) {                                                                            \
        const T v = *a - b[c];                                                                                         \
        part[c] = STEP(T, part[c], v);                                                                                 \
    }
#define TILE_LOOP(name, T, STEP)                                                                                       \
    static void name(void *to, const void *point, const void *tile, tsm_dim d) {                                       \
        const T *a = point, *const end = a + d, *b = tile;                                                             \
        T *sums = to, part[TILE_POINTS];                                                                               \
        for (int c = 0; c < TILE_POINTS; c++)                                                                          \
            part[c] = sums[c];                                                                                         \
        for (; a != end; a++, b += TILE_POINTS) {                                                                      \
            TILE_STEP(T, STEP)                                                                                         \
            if (++a == end)                                                                                            \
                break;                                                                                                 \
            b += TILE_POINTS;                                                                                          \
            TILE_STEP(T, STEP)                                                                                         \
        }                                                                                                              \
        for (int c = 0; c < TILE_POINTS; c++)                                                                          \
            sums[c] = part[c];                                                                                         \
    }
#define DISTANCE_ADD(T, sum, v) ((sum) + (v))
#define DISTANCE_KEEP(T, best, v) ((best) < (v) ? (v) : (best)) /* NaN does not count */
#define DISTANCE_COUNT(T, sum, v) ((sum) + (T)distance_count((double)(v)))
#define DISTANCE_SIZE(T, sum, v) ((sum) + (sizeof(T) == sizeof(float) ? (T)fabsf((float)(v)) : (T)fabs((double)(v))))
#define DISTANCE_SQUARE(T, sum, v) ((sum) + (v) * (v))
#define DISTANCE_GREATEST(T, best, v) DISTANCE_KEEP(T, best, (v) < 0 ? -(v) : (v))
#define DISTANCE_POWER(T, sum, v) ((sum) + (T)pow(fabs((double)(v)), p))
#define DISTANCE_LOOPS(suffix, T)                                                                                      \
    DISTANCE_LOOP(distance_count_##suffix, T, 0, DISTANCE_COUNT, DISTANCE_ADD)                                         \
    DISTANCE_LOOP(distance_sum_##suffix, T, 0, DISTANCE_SIZE, DISTANCE_ADD)                                            \
    DISTANCE_LOOP(distance_square_##suffix, T, 0, DISTANCE_SQUARE, DISTANCE_ADD)                                       \
    DISTANCE_LOOP(distance_greatest_##suffix, T, 0, DISTANCE_GREATEST, DISTANCE_KEEP)                                  \
    DISTANCE_LOOP(distance_power_##suffix, T, 0, DISTANCE_POWER, DISTANCE_ADD)                                         \
    TILE_LOOP(tile_sum_##suffix, T, DISTANCE_SIZE)                                                                     \
    TILE_LOOP(tile_square_##suffix, T, DISTANCE_SQUARE)
DISTANCE_LOOPS(f32, float)
DISTANCE_LOOPS(f64, double)

typedef struct {
    distance_loop *rows[NORM_POWER + 1][2]; /* of floats and of doubles */
    tile_loop *tiles[NORM_POWER + 1][2];    /* NULL: none for this norm */
} distance_table;
TSM_TABLE_CHOSEN(distance_table, distances,
                 {{
                      [NORM_COUNT] = {distance_count_f32, distance_count_f64},
                      [NORM_SUM] = {distance_sum_f32, distance_sum_f64},
                      [NORM_ROOT] = {distance_square_f32, distance_square_f64},
                      [NORM_GREATEST] = {distance_greatest_f32, distance_greatest_f64},
                      [NORM_POWER] = {distance_power_f32, distance_power_f64},
                  },
                  {[NORM_SUM] = {tile_sum_f32, tile_sum_f64}, [NORM_ROOT] = {tile_square_f32, tile_square_f64}}})

#if !defined(TSM_WIDE_LOOPS)

static norm_kind norm_of(double p) {
    return p == 0 ? NORM_COUNT : p == 1 ? NORM_SUM : p == 2 ? NORM_ROOT : isinf(p) ? NORM_GREATEST : NORM_POWER;
}

/* What the sums become. */
#define DISTANCE_ROOTS(T, root, power)                                                                                 \
    do {                                                                                                               \
        T *y = to;                                                                                                     \
        for (tsm_dim i = 0; kind == NORM_ROOT && i < n; i++)                                                           \
            y[i] = root(y[i]);                                                                                         \
        for (tsm_dim i = 0; kind == NORM_POWER && i < n; i++)                                                          \
            y[i] = (T)power(y[i], 1 / p);                                                                              \
    } while (0)

static void distances_finish(tsm_dtype dtype, norm_kind kind, double p, void *to, tsm_dim n) {
    if (dtype == TSM_FLOAT32)
        DISTANCE_ROOTS(float, sqrtf, pow);
    else
        DISTANCE_ROOTS(double, sqrt, pow);
}

/* Coordinates k to k + depth of n points of d coordinates, as a tile; points that do not exist are zeros. */
#define FILL_TILE(T)                                                                                                   \
    for (tsm_dim c = 0; c < TILE_POINTS; c++)                                                                          \
        for (tsm_dim i = 0; i < depth; i++)                                                                            \
    ((T *)tile)[i * TILE_POINTS + c] = c < n ? ((const T *)points)[c * d + k + i] : 0
static void fill_tile(tsm_dtype dtype, void *tile, const void *points, tsm_dim n, tsm_dim d, tsm_dim k, tsm_dim depth) {
    if (dtype == TSM_FLOAT32)
        FILL_TILE(float);
    else
        FILL_TILE(double);
}

/* Sums of distances between points: y[i * row + j], or where there is one set, whose pairs lie one after the other,
 * those with i < j. */
typedef struct {
    distance_loop *rows;
    tile_loop *tile;
    tsm_dtype dtype;
    tsm_dim d, row;
    bool is_one_set;
    double p;
} distance_job;

/* Where the distance of points i and 0 would be; of one set, rows of pairs get shorter by one. */
static tsm_dim distance_row(const distance_job *j, tsm_dim i) {
    return j->is_one_set ? i * j->row - i * (i + 1) / 2 - i - 1 : i * j->row;
}

/* From n points to `count` others from `first` on, which are at most TILE_POINTS. */
static void measure_tile(const distance_job *j, const char *points, tsm_dim n, const char *others, tsm_dim first,
                         tsm_dim count, char *y) {
    const tsm_dim size = (tsm_dim)tsm_dtype_size(j->dtype);
    double tile[TILE_POINTS * TILE_DEPTH], sums[TILE_POINTS];
    tsm_dim k = 0, depth;
    do {
        depth = tsm_dim_min(j->d - k, TILE_DEPTH);
        fill_tile(j->dtype, tile, others + first * j->d * size, count, j->d, k, depth);
        for (tsm_dim i = 0; i < n && !(j->is_one_set && i + 1 >= first + count); i++) { /* the others come behind it */
            const tsm_dim from = j->is_one_set && i >= first ? i + 1 - first : 0;
            char *to = y + (distance_row(j, i) + first + from) * size;
            if (k == 0)
                memset(sums, 0, sizeof sums);
            else
                memcpy((char *)sums + from * size, to, (size_t)((count - from) * size));
            j->tile(sums, points + (i * j->d + k) * size, tile, depth);
            memcpy(to, (char *)sums + from * size, (size_t)((count - from) * size));
        }
        k += depth;
    } while (k < j->d);
}

/* From n points to m others. */
static void distance_measure(const distance_job *j, const char *points, tsm_dim n, const char *others, tsm_dim m,
                             char *y) {
    enum { FEW_POINTS = TILE_POINTS / 2, MANY_COORDINATES = 256 };
    const tsm_dim size = (tsm_dim)tsm_dtype_size(j->dtype);
    if (!j->tile || n < FEW_POINTS || m < FEW_POINTS || j->d >= MANY_COORDINATES) {
        for (tsm_dim i = 0; i < n; i++) {
            const tsm_dim first = j->is_one_set ? i + 1 : 0;
            j->rows(y + (distance_row(j, i) + first) * size, points + i * j->d * size, others + first * j->d * size,
                    m - first, j->d, j->p);
        }
        return;
    }
    for (tsm_dim first = 0; first < m; first += TILE_POINTS)
        measure_tile(j, points, n, others, first, tsm_dim_min(m - first, TILE_POINTS), y);
}

static distance_job distance_start(tsm_exec *x, const tsm_tensor *y, double p, tsm_dim d, tsm_dim row) {
    const tsm_dtype dtype = (tsm_dtype)y->dtype;
    const bool is_double = dtype == TSM_FLOAT64;
    const norm_kind kind = norm_of(p);
    return (distance_job){.rows = distances_for(x)->rows[kind][is_double],
                          .tile = distances_for(x)->tiles[kind][is_double],
                          .dtype = dtype,
                          .d = d,
                          .row = row,
                          .p = p};
}

/* Of floats that there are loops for, and a norm that there is. */
static tsm_status distances_check(tsm_exec *x, const char *name, const tsm_tensor *t, double p) {
    if (t->dtype != TSM_FLOAT32 && t->dtype != TSM_FLOAT64)
        return tsm_loops_missing(x, name, (tsm_dtype)t->dtype);
    if (!(p >= 0))
        return TSM_RAISE(x, "%s only supports non-negative p values", name);
    return TSM_OK;
}

/* ---- All pairs ---- */

static tsm_status cdist_check_points(tsm_exec *x, const char *name, const tsm_tensor *t) {
    if (t->dims < 2)
        return TSM_RAISE(x, "cdist only supports at least 2D tensors, %s got: %dD", name, t->dims);
    if (!tsm_dtype_is_floating((tsm_dtype)t->dtype))
        return TSM_RAISE(x, "cdist only supports floating-point dtypes, %s got: %s", name,
                         tsm_dtype_class_name((tsm_dtype)t->dtype));
    return TSM_OK;
}

static tsm_status cdist_check(tsm_exec *x, const tsm_tensor *a, const tsm_tensor *b, double p) {
    TSM_TRY(cdist_check_points(x, "X1", a));
    TSM_TRY(cdist_check_points(x, "X2", b));
    if (a->sizes[a->dims - 1] != b->sizes[b->dims - 1])
        return TSM_RAISE(x, "X1 and X2 must have the same number of columns. X1: %ld X2: %ld",
                         (int64_t)a->sizes[a->dims - 1], (int64_t)b->sizes[b->dims - 1]);
    TSM_TRY(distances_check(x, "cdist", a, p));
    if (a->dtype != b->dtype)
        return TSM_RAISE(x, "expected scalar type %s but found %s", tsm_dtype_class_name((tsm_dtype)a->dtype),
                         tsm_dtype_class_name((tsm_dtype)b->dtype));
    return TSM_OK;
}

/* y [..., n, m] of a [..., n, d] and b [..., m, d], both contiguous, whose leading dimensions are broadcast. */
static void cdist_fill(tsm_exec *x, const tsm_tensor *a, const tsm_tensor *b, double p, tsm_tensor *y) {
    const tsm_dim n = a->sizes[a->dims - 2], m = b->sizes[b->dims - 2];
    const distance_job j = distance_start(x, y, p, a->sizes[a->dims - 1], m);
    /* The batches: tensors without their last two dimensions. */
    tsm_tensor sets[3] = {*y, *a, *b};
    for (int k = 0; k < 3; k++)
        sets[k].dims = (uint8_t)(sets[k].dims - 2);
    tsm_iter it;
    tsm_iter_start(&it, sets[0].dims, sets[0].sizes);
    for (int k = 0; k < 3; k++)
        tsm_iter_add(&it, &sets[k]);
    tsm_iter_ready(&it);
    while (tsm_iter_next(&it))
        for (tsm_dim s = 0; s < it.sizes[0]; s++)
            distance_measure(&j, it.data[1] + s * it.strides[1][0], n, it.data[2] + s * it.strides[2][0], m,
                             it.data[0] + s * it.strides[0][0]);
    distances_finish(j.dtype, norm_of(p), p, y->data, y->elements);
}

TSM_KERNEL(aten__cdist_forward) {
    tsm_tensor *a = arg_tensor(in, 0), *b = arg_tensor(in, 1), *left = NULL, *right = NULL, *y = NULL;
    const double p = arg_float(in, 2);
    TSM_TRY(cdist_check(x, a, b, p));
    tsm_dim sizes[TSM_MAX_DIMS];
    int dims;
    TSM_TRY(tsm_broadcast_shapes(x, a->dims - 2, a->sizes, b->dims - 2, b->sizes, &dims, sizes));
    sizes[dims++] = a->sizes[a->dims - 2];
    sizes[dims++] = b->sizes[b->dims - 2];
    TSM_TRY(tsm_kernel_contiguous(x, a, (tsm_dtype)a->dtype, &left));
    tsm_status status = tsm_kernel_contiguous(x, b, (tsm_dtype)b->dtype, &right);
    if (status == TSM_OK)
        status = tsm_tensor_make(x, (tsm_dtype)a->dtype, dims, sizes, &y);
    if (status == TSM_OK)
        status = tsm_charge(x, tsm_work((uint64_t)y->elements, (uint64_t)a->sizes[a->dims - 1]));
    if (status == TSM_OK && y->elements)
        cdist_fill(x, left, right, p, y);
    tsm_tensor_drop(x, left);
    if (right)
        tsm_tensor_drop(x, right);
    return tsm_kernel_finish(x, status, y, (tsm_dtype)a->dtype, out);
}

/* ---- Pairs of one set ---- */

/* All pairs (i, j) with i < j, those of a smaller i first. */
static void pdist_fill(tsm_exec *x, const tsm_tensor *a, double p, tsm_tensor *y) {
    const tsm_dim n = a->sizes[0];
    distance_job j = distance_start(x, y, p, a->sizes[1], n);
    j.is_one_set = true;
    distance_measure(&j, a->data, n, a->data, n, y->data);
    distances_finish(j.dtype, norm_of(p), p, y->data, y->elements);
}

TSM_KERNEL(aten__pdist_forward) {
    tsm_tensor *a = arg_tensor(in, 0), *points, *y = NULL;
    const double p = arg_float(in, 1);
    if (a->dims != 2)
        return TSM_RAISE(x, "pdist only supports 2D tensors, got: %dD", a->dims);
    if (!tsm_dtype_is_floating((tsm_dtype)a->dtype))
        return TSM_RAISE(x, "pdist only supports floating-point dtypes");
    TSM_TRY(distances_check(x, "pdist", a, p));
    const tsm_dim n = a->sizes[0], pairs = n % 2 ? tsm_dim_mul((n - 1) / 2, n) : tsm_dim_mul(n / 2, n ? n - 1 : 0);
    TSM_TRY(tsm_kernel_contiguous(x, a, (tsm_dtype)a->dtype, &points));
    tsm_status status = tsm_tensor_make(x, (tsm_dtype)a->dtype, 1, &pairs, &y);
    if (status == TSM_OK)
        status = tsm_charge(x, tsm_work((uint64_t)pairs, (uint64_t)a->sizes[1]));
    if (status == TSM_OK && pairs)
        pdist_fill(x, points, p, y);
    tsm_tensor_drop(x, points);
    return tsm_kernel_finish(x, status, y, (tsm_dtype)a->dtype, out);
}
#endif

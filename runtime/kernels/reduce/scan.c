/* Running sums, products, logarithms of sums of exponentials, and extremes along a dimension. */
#include "runtime/kernels/complex_math.h"
#include "runtime/kernels/reduce/fold.h"

/* ---- Walking ---- */

/* The lines of a tensor along one dimension, and those of results of its shape. Neighbouring lines go together where
 * their elements lie side by side, else a line comes in blocks. */
enum { SCAN_BLOCK = 64 };
typedef struct {
    tsm_dim count, step, lines; /* elements of a line and the distance between them; lines */
    reduction r;
} scan_walk;

static scan_walk walk_of(const tsm_tensor *t, int d) {
    scan_walk w = {.r = tsm_fold_plan(t, t->dims ? 1u << d : 0, false)};
    w.count = w.r.count;
    w.lines = t->elements ? w.r.results : 0;
    w.step = w.r.inner ? w.r.inner_strides[0] : 0;
    return w;
}

/* The offset of a line's first element. */
static tsm_dim scan_line_of(const scan_walk *w, tsm_dim line) {
    return w->r.outer == 1 ? line * w->r.outer_strides[0]
                           : tsm_fold_offset(w->r.outer, w->r.outer_sizes, w->r.outer_strides, line);
}

/* The distance between a line and the next, where the walk does not turn; 0 where there is one line. */
static tsm_dim scan_line_step(const scan_walk *w) {
    return w->r.outer ? w->r.outer_strides[w->r.outer - 1] : 0;
}

/* How many lines of w from this one on go together: those that lie side by side, and those of so few elements that
 * walking along each would take longer than gathering their first elements, their second ones, and so on. */
static tsm_dim lines_beside(const scan_walk *w, tsm_dim line) {
    enum { MOST_GATHERED = 15 };
    const int last = w->r.outer - 1;
    const bool are_beside = scan_line_step(w) == 1 && w->step != 1;
    if (last < 0 || (!are_beside && w->count > MOST_GATHERED))
        return 1;
    return w->r.outer_sizes[last] - line % w->r.outer_sizes[last];
}

/* The same for both tensors, which may lie differently. */
static tsm_dim lines_together(const scan_walk *from, const scan_walk *to, tsm_dim line) {
    return tsm_dim_min(SCAN_BLOCK, tsm_dim_min(lines_beside(from, line), lines_beside(to, line)));
}

static char *scan_element(const tsm_tensor *t, tsm_dim offset) {
    return (char *)t->data + offset * (tsm_dim)tsm_dtype_size((tsm_dtype)t->dtype);
}

/* ---- Sums and products ---- */

typedef enum { SUMS, PRODUCTS, LOG_SUMS /* of exponentials */ } scan_kind;

static double log_add_exp(double a, double b) {
    double low = a < b || a != a ? a : b, high = a < b || a != a ? b : a;
    return low == high && isinf(low) ? low : log1p(exp(low - high)) + high;
}

/* SCAN_LINES lines together (where code may be large), or one of them; items of a line are a step apart. Results may
 * overwrite items. */
enum { SCAN_LINES = 4 };
typedef struct {
    char *to[SCAN_LINES];
    const char *from[SCAN_LINES];
    tsm_dim to_step, from_step;
} scan_lines;

/* Each item becomes the sum (or product) of itself and what came before it in its line: of n items of each of the
 * lines, which are chains of their own, or of one item of each of n lines that lie side by side. */
typedef struct {
    void *to;
    const void *from;
    tsm_dim to_apart, from_apart, lines;
} scan_many;
typedef struct {
    void (*along)(const scan_lines *l, int lines, tsm_dim n, void *totals);
    void (*beside)(void *to, const void *from, tsm_dim n, void *totals);
    void (*each)(const scan_many *m, tsm_dim n, const void *first); /* NULL on small processors */
} scan_loops;

#define SCAN_ALONG(ITEM, TOTAL, AS, LINES, TO_STEP, FROM_STEP, COMBINED)                                               \
    do {                                                                                                               \
        TOTAL chains[LINES];                                                                                           \
        for (int j = 0; j < (LINES); j++)                                                                              \
            chains[j] = total[j];                                                                                      \
        for (tsm_dim i = 0; i < n; i++)                                                                                \
            for (int j = 0; j < (LINES); j++) {                                                                        \
                const TOTAL a = chains[j], b = AS(TOTAL, ((const ITEM *)(const void *)l->from[j])[i * (FROM_STEP)]);   \
                chains[j] = COMBINED;                                                                                  \
                ((ITEM *)(void *)l->to[j])[i * (TO_STEP)] = AS(ITEM, chains[j]);                                       \
            }                                                                                                          \
        for (int j = 0; j < (LINES); j++)                                                                              \
            total[j] = chains[j];                                                                                      \
    } while (0)
#if TSM_NARROW_LANES
/* Many lines, each of which starts at the total given; items lie side by side, lines a number of items apart. */
#define SCAN_EACH(ITEM, TOTAL, AS, name, COMBINED)                                                                     \
    static void name##_each(const scan_many *m, tsm_dim n, const void *first) {                                        \
        ITEM *to = m->to;                                                                                              \
        const ITEM *from = m->from;                                                                                    \
        const TOTAL start = *(const TOTAL *)first;                                                                     \
        tsm_dim line = 0;                                                                                              \
        for (; line + SCAN_LINES <= m->lines; line += SCAN_LINES) {                                                    \
            TOTAL p = start, q = start, r = start, s = start;                                                          \
            for (tsm_dim i = 0; i < n; i++) {                                                                          \
                SCAN_ONE(ITEM, TOTAL, AS, p, 0, COMBINED)                                                              \
                SCAN_ONE(ITEM, TOTAL, AS, q, 1, COMBINED)                                                              \
                SCAN_ONE(ITEM, TOTAL, AS, r, 2, COMBINED)                                                              \
                SCAN_ONE(ITEM, TOTAL, AS, s, 3, COMBINED)                                                              \
            }                                                                                                          \
        }                                                                                                              \
        for (; line < m->lines; line++) {                                                                              \
            TOTAL p = start;                                                                                           \
            for (tsm_dim i = 0; i < n; i++)                                                                            \
                SCAN_ONE(ITEM, TOTAL, AS, p, 0, COMBINED)                                                              \
        }                                                                                                              \
    }
#define SCAN_ONE(ITEM, TOTAL, AS, total, k, COMBINED)                                                                  \
    {                                                                                                                  \
        const TOTAL a = total, b = AS(TOTAL, from[(line + (k)) * m->from_apart + i]);                                  \
        total = COMBINED;                                                                                              \
        to[(line + (k)) * m->to_apart + i] = AS(ITEM, total);                                                          \
    }
#else
#define SCAN_EACH(ITEM, TOTAL, AS, name, COMBINED)
#endif
/* What lines a type's loops along them are given, besides single ones whose elements lie apart: the others take no
 * code. */
enum {
    SCAN_SEVERAL = 1, /* up to SCAN_LINES of them */
    SCAN_BLOCKS = 2,  /* one whose items lie side by side, since they were converted */
    SCAN_ALL = SCAN_SEVERAL | SCAN_BLOCKS,
    SCAN_HALVES = 4 /* SCAN_LINES of such */
};
#define SCAN_LOOPS(ITEM, TOTAL, AS, name, GIVEN, COMBINED)                                                             \
    static void name##_along(const scan_lines *l, int lines, tsm_dim n, void *totals) {                                \
        TOTAL *total = totals;                                                                                         \
        if (TSM_NARROW_LANES && ((GIVEN)&SCAN_HALVES) && lines == SCAN_LINES && l->to_step == 1 && l->from_step == 1)  \
            SCAN_ALONG(ITEM, TOTAL, AS, SCAN_LINES, 1, 1, COMBINED);                                                   \
        else if (TSM_NARROW_LANES && ((GIVEN)&SCAN_SEVERAL) && lines == SCAN_LINES)                                    \
            SCAN_ALONG(ITEM, TOTAL, AS, SCAN_LINES, l->to_step, l->from_step, COMBINED);                               \
        else if (TSM_NARROW_LANES && ((GIVEN)&SCAN_SEVERAL) && lines == 3)                                             \
            SCAN_ALONG(ITEM, TOTAL, AS, 3, l->to_step, l->from_step, COMBINED);                                        \
        else if (TSM_NARROW_LANES && ((GIVEN)&SCAN_SEVERAL) && lines == 2)                                             \
            SCAN_ALONG(ITEM, TOTAL, AS, 2, l->to_step, l->from_step, COMBINED);                                        \
        else if (TSM_NARROW_LANES && ((GIVEN)&SCAN_BLOCKS) && l->to_step == 1 && l->from_step == 1)                    \
            SCAN_ALONG(ITEM, TOTAL, AS, 1, 1, 1, COMBINED);                                                            \
        else                                                                                                           \
            SCAN_ALONG(ITEM, TOTAL, AS, 1, l->to_step, l->from_step, COMBINED);                                        \
    }                                                                                                                  \
    SCAN_EACH(ITEM, TOTAL, AS, name, COMBINED)                                                                         \
    static void name##_beside(void *to, const void *from, tsm_dim n, void *totals) {                                   \
        TOTAL *restrict total = totals;                                                                                \
        ITEM *y = to;                                                                                                  \
        const ITEM *v = from;                                                                                          \
        TSM_INDEPENDENT                                                                                                \
        for (tsm_dim i = 0; i < n; i++) {                                                                              \
            const TOTAL a = total[i], b = AS(TOTAL, v[i]), c = COMBINED;                                               \
            total[i] = c;                                                                                              \
            y[i] = AS(ITEM, c);                                                                                        \
        }                                                                                                              \
    }
/* How items become totals, and the other way. */
#define AS_NUMBER(T, v) ((T)(v))
#define AS_IT_IS(T, v) (v)
#define SUM_OF(a, b) ((a) + (b))
#define PRODUCT_OF(a, b) ((a) * (b))
/* Floats are added and multiplied in double. */
SCAN_LOOPS(float, double, AS_NUMBER, scan_sums_f32, SCAN_ALL | SCAN_HALVES, SUM_OF(a, b))
SCAN_LOOPS(float, double, AS_NUMBER, scan_products_f32, SCAN_ALL | SCAN_HALVES, PRODUCT_OF(a, b))
SCAN_LOOPS(double, double, AS_NUMBER, scan_sums_f64, SCAN_SEVERAL, SUM_OF(a, b))
SCAN_LOOPS(double, double, AS_NUMBER, scan_products_f64, SCAN_SEVERAL, PRODUCT_OF(a, b))
SCAN_LOOPS(double, double, AS_NUMBER, scan_log_sums_f64, SCAN_ALL, log_add_exp(b, a))
SCAN_LOOPS(uint64_t, uint64_t, AS_NUMBER, scan_sums_i64, SCAN_BLOCKS, SUM_OF(a, b))
SCAN_LOOPS(uint64_t, uint64_t, AS_NUMBER, scan_products_i64, SCAN_BLOCKS, PRODUCT_OF(a, b))
SCAN_LOOPS(tsm_complex, tsm_complex, AS_IT_IS, scan_sums_c128, SCAN_ALL, cx_add(a, b))
SCAN_LOOPS(tsm_complex, tsm_complex, AS_IT_IS, scan_products_c128, SCAN_ALL, cx_mul(a, b))
SCAN_LOOPS(tsm_complex, tsm_complex, AS_IT_IS, scan_log_sums_c128, SCAN_ALL, tsm_cx_log_add_exp(b, a))

#if TSM_NARROW_LANES
#define SCAN_LOOPS_OF(name)                                                                                            \
    { name##_along, name##_beside, name##_each }
#else
#define SCAN_LOOPS_OF(name)                                                                                            \
    { name##_along, name##_beside, NULL }
#endif
static const scan_loops scan_table[][TSM_LANE_COUNT] = {
    [SUMS] = {[TSM_LANE_F32] = SCAN_LOOPS_OF(scan_sums_f32),
              [TSM_LANE_F64] = SCAN_LOOPS_OF(scan_sums_f64),
              [TSM_LANE_I64] = SCAN_LOOPS_OF(scan_sums_i64),
              [TSM_LANE_C128] = SCAN_LOOPS_OF(scan_sums_c128)},
    [PRODUCTS] = {[TSM_LANE_F32] = SCAN_LOOPS_OF(scan_products_f32),
                  [TSM_LANE_F64] = SCAN_LOOPS_OF(scan_products_f64),
                  [TSM_LANE_I64] = SCAN_LOOPS_OF(scan_products_i64),
                  [TSM_LANE_C128] = SCAN_LOOPS_OF(scan_products_c128)},
    [LOG_SUMS] = {
        [TSM_LANE_F64] = SCAN_LOOPS_OF(scan_log_sums_f64), [TSM_LANE_C128] = SCAN_LOOPS_OF(scan_log_sums_c128)}};

/* Lines of t into y. Fewer neighbours than SCAN_BESIDE are walked line by line, whose totals stay in registers. */
typedef struct {
    const tsm_tensor *t;
    tsm_tensor *y;
    scan_walk from, to;
    tsm_lane lane; /* of the loops; elements are converted where these are not its own */
    const scan_loops *loops;
} scan_job;
enum { SCAN_BESIDE = 8 };

/* One line in blocks, or an element of each of `width` lines after the other, copied or converted. */
static void scan_converted(const scan_job *j, tsm_dim line, tsm_dim width, tsm_lane_item *totals) {
    const tsm_dim a = scan_line_of(&j->from, line), b = scan_line_of(&j->to, line),
                  in_size = (tsm_dim)tsm_dtype_size((tsm_dtype)j->t->dtype),
                  out_size = (tsm_dim)tsm_dtype_size((tsm_dtype)j->y->dtype);
    const bool along = width == 1;
    const tsm_dim in_step = (along ? j->from.step : scan_line_step(&j->from)) * in_size,
                  out_step = (along ? j->to.step : scan_line_step(&j->to)) * out_size;
    tsm_lane_item v[SCAN_BLOCK];
    const scan_lines l = {.to = {(char *)v}, .from = {(const char *)v}, .to_step = 1, .from_step = 1};
    for (tsm_dim k = 0, n; k < j->from.count; k += along ? n : 1) {
        n = along ? tsm_dim_min(SCAN_BLOCK, j->from.count - k) : width;
        tsm_lane_load(j->lane, v, (tsm_dtype)j->t->dtype, scan_element(j->t, a + k * j->from.step), in_step, n);
        if (along)
            j->loops->along(&l, 1, n, totals);
        else
            j->loops->beside(v, v, n, totals);
        tsm_lane_store((tsm_dtype)j->y->dtype, scan_element(j->y, b + k * j->to.step), out_step, j->lane, v, n);
    }
}

#if TSM_NARROW_LANES
/* Elements that lie side by side, as items: those of the lane's own, or converted into `items`, as many as have room.
 */
enum { SCAN_ROOM = 512 };
typedef float scan_room[SCAN_ROOM];

/* All lines from this one on that are as far apart; how many it were. */
static tsm_dim scan_each(tsm_exec *x, const scan_job *j, tsm_dim line, const tsm_lane_item *totals) {
    const scan_walk *from = &j->from, *to = &j->to;
    const tsm_dim n = from->count;
    tsm_dim lines = from->lines - line;
    if (from->r.outer > 1)
        lines =
            tsm_dim_min(lines, from->r.outer_sizes[from->r.outer - 1] - line % from->r.outer_sizes[from->r.outer - 1]);
    if (to->r.outer > 1)
        lines = tsm_dim_min(lines, to->r.outer_sizes[to->r.outer - 1] - line % to->r.outer_sizes[to->r.outer - 1]);
    const char *a = scan_element(j->t, scan_line_of(from, line));
    char *b = scan_element(j->y, scan_line_of(to, line));
    if (tsm_lane_is_native(j->lane, (tsm_dtype)j->y->dtype)) {
        j->loops->each(&(scan_many){b, a, scan_line_step(to), scan_line_step(from), lines}, n, totals);
        return lines;
    }
    const tsm_dtype dtype = (tsm_dtype)j->y->dtype;
    const tsm_cast widen = tsm_cast_find(x, dtype, TSM_FLOAT32), narrow = tsm_cast_find(x, TSM_FLOAT32, dtype);
    const tsm_dim size = (tsm_dim)tsm_dtype_size(dtype), from_apart = scan_line_step(from) * size,
                  to_apart = scan_line_step(to) * size;
    const bool together = scan_line_step(from) == n && scan_line_step(to) == n;
    for (tsm_dim i = 0, m; i < lines; i += m) {
        scan_room v;
        m = tsm_dim_min(lines - i, SCAN_ROOM / n);
        for (tsm_dim k = 0; k < (together ? 1 : m); k++)
            widen(v + k * n, a + (i + k) * from_apart, together ? m * n : n);
        j->loops->each(&(scan_many){v, v, n, n, m}, n, totals);
        for (tsm_dim k = 0; k < (together ? 1 : m); k++)
            narrow(b + (i + k) * to_apart, v + k * n, together ? m * n : n);
    }
    return lines;
}

/* SCAN_LINES lines of halves, in blocks of floats, whose totals do not wait for each other. */
static void scan_halves(tsm_exec *x, const scan_job *j, tsm_dim line, tsm_lane_item *totals) {
    const tsm_dtype dtype = (tsm_dtype)j->y->dtype;
    const tsm_cast widen = tsm_cast_find(x, dtype, TSM_FLOAT32), narrow = tsm_cast_find(x, TSM_FLOAT32, dtype);
    float v[SCAN_LINES][SCAN_BLOCK];
    scan_lines l = {.to_step = 1, .from_step = 1};
    for (int i = 0; i < SCAN_LINES; i++) {
        l.from[i] = (const char *)v[i];
        l.to[i] = (char *)v[i];
    }
    for (tsm_dim k = 0, n; k < j->from.count; k += n) {
        n = tsm_dim_min(SCAN_BLOCK, j->from.count - k);
        for (int i = 0; i < SCAN_LINES; i++)
            widen(v[i], scan_element(j->t, scan_line_of(&j->from, line + i) + k), n);
        j->loops->along(&l, SCAN_LINES, n, totals);
        for (int i = 0; i < SCAN_LINES; i++)
            narrow(scan_element(j->y, scan_line_of(&j->to, line + i) + k), v[i], n);
    }
}

/* Lines of halves that lie beside each other, fewer than SCAN_BESIDE, and nothing between their elements. */
static void scan_few_halves(tsm_exec *x, const scan_job *j, tsm_dim line, tsm_dim width, tsm_lane_item *totals) {
    const tsm_dtype dtype = (tsm_dtype)j->y->dtype;
    const tsm_cast widen = tsm_cast_find(x, dtype, TSM_FLOAT32), narrow = tsm_cast_find(x, TSM_FLOAT32, dtype);
    const tsm_dim a = scan_line_of(&j->from, line), b = scan_line_of(&j->to, line);
    for (tsm_dim k = 0, n; k < j->from.count; k += n) {
        scan_room v;
        n = tsm_dim_min(SCAN_ROOM / width, j->from.count - k);
        widen(v, scan_element(j->t, a + k * width), n * width);
        for (tsm_dim i = 0, lines; i < width; i += lines) {
            lines = tsm_dim_min(width - i, SCAN_LINES);
            scan_lines l = {.to_step = width, .from_step = width};
            for (tsm_dim c = 0; c < lines; c++) {
                l.from[c] = (const char *)(v + i + c);
                l.to[c] = (char *)(v + i + c);
            }
            j->loops->along(&l, (int)lines, n, (double *)totals + i);
        }
        narrow(scan_element(j->y, b + k * width), v, n * width);
    }
}

/* Halves are added as floats, and their totals are doubles. */
static bool are_halves(const scan_job *j) {
    const int dtype = j->y->dtype;
    return (dtype == TSM_FLOAT16 || dtype == TSM_BFLOAT16) && j->lane == TSM_LANE_F32;
}
/* What these do; how many lines it were, or 0 where none fits from this line on. `beside` lines go together. */
static tsm_dim scan_short(tsm_exec *x, const scan_job *j, tsm_dim line, tsm_dim beside, tsm_lane_item *totals) {
    enum { MOST_CONVERTED = 64 };
    const bool native = tsm_lane_is_native(j->lane, (tsm_dtype)j->y->dtype);
    const bool along = j->from.step == 1 && j->to.step == 1;
    if (!native && !are_halves(j))
        return 0;
    if (along && (native || j->from.count <= MOST_CONVERTED))
        return scan_each(x, j, line, totals);
    if (native)
        return 0;
    if (along && j->from.lines - line >= SCAN_LINES) {
        scan_halves(x, j, line, totals);
        return SCAN_LINES;
    }
    if (beside > 1 && beside < SCAN_BESIDE && j->from.step == beside && j->to.step == beside &&
        scan_line_step(&j->from) == 1 && scan_line_step(&j->to) == 1) {
        scan_few_halves(x, j, line, beside, totals);
        return beside;
    }
    return 0;
}
#else
#define scan_short(x, j, line, beside, totals) 0
#endif

/* SCAN_LINES lines, if there are so many from this one on, or one; how many it were. */
static tsm_dim scan_along(const scan_job *j, tsm_dim line, tsm_lane_item *totals) {
    scan_lines l = {.to_step = j->to.step, .from_step = j->from.step};
    /* Sums of ints do not wait for each other. */
    const bool is_one = !TSM_NARROW_LANES || j->lane == TSM_LANE_I64;
    const tsm_dim lines = is_one ? 1 : tsm_dim_min(j->from.lines - line, SCAN_LINES);
    for (tsm_dim i = 0; i < lines; i++) {
        l.from[i] = scan_element(j->t, scan_line_of(&j->from, line + i));
        l.to[i] = scan_element(j->y, scan_line_of(&j->to, line + i));
    }
    j->loops->along(&l, (int)lines, j->from.count, totals);
    return lines;
}

static void scan_beside(const scan_job *j, tsm_dim line, tsm_dim width, tsm_lane_item *totals) {
    const tsm_dim a = scan_line_of(&j->from, line), b = scan_line_of(&j->to, line);
    for (tsm_dim k = 0; k < j->from.count; k++)
        j->loops->beside(scan_element(j->y, b + k * j->to.step), scan_element(j->t, a + k * j->from.step), width,
                         totals);
}

static tsm_status scan(tsm_exec *x, tsm_tensor *t, int64_t dim, tsm_dtype dtype, scan_kind kind, tsm_value *out) {
    int d;
    tsm_tensor *y;
    TSM_TRY(tsm_wrap_dim_or_scalar(x, dim, t->dims, &d));
    TSM_TRY(tsm_tensor_make(x, dtype, t->dims, t->sizes, &y));
    if (t->dtype != (int)dtype) { /* converted first, as the dtype asked for says */
        const tsm_status status = tsm_tensor_copy(x, y, t);
        if (status != TSM_OK) {
            tsm_tensor_drop(x, y);
            return status;
        }
        t = y;
    }
    const bool floats = kind != LOG_SUMS && tsm_lane_of(dtype) == TSM_LANE_F32; /* halves, too */
    const tsm_lane totals_lane = tsm_dtype_is_integral(dtype)  ? TSM_LANE_I64
                                 : tsm_dtype_is_complex(dtype) ? TSM_LANE_C128
                                                               : TSM_LANE_F64;
    scan_job j = {.t = t, .y = y, .from = walk_of(t, d), .to = walk_of(y, d)};
    j.lane = floats ? TSM_LANE_F32 : totals_lane;
    j.loops = &scan_table[kind][j.lane];
    const bool is_native = tsm_lane_is_native(j.lane, dtype),
               are_beside = is_native && scan_line_step(&j.from) == 1 && scan_line_step(&j.to) == 1;
    for (tsm_dim line = 0, width; line < j.from.lines; line += width) {
        tsm_lane_item totals[SCAN_BLOCK];
        const tsm_dim beside = lines_together(&j.from, &j.to, line);
        tsm_lane_fill(totals_lane, totals, kind == LOG_SUMS ? tsm_float(-(double)INFINITY) : tsm_int(kind == PRODUCTS),
                      tsm_dim_max(beside, SCAN_LINES));
        width = scan_short(x, &j, line, beside, totals);
        if (width)
            continue;
        width = beside < SCAN_BESIDE ? 1 : beside;
        if (width > 1 && are_beside)
            scan_beside(&j, line, width, totals);
        else if (width > 1 || !is_native)
            scan_converted(&j, line, width, totals);
        else
            width = scan_along(&j, line, totals);
    }
    return ret_tensor(out, y);
}
static tsm_status cumulative(tsm_exec *x, const tsm_value *const *in, scan_kind kind, tsm_value *out) {
    tsm_tensor *t = arg_tensor(in, 0);
    const tsm_dtype same = tsm_dtype_is_integral((tsm_dtype)t->dtype) ? TSM_INT64 : (tsm_dtype)t->dtype;
    const tsm_dtype dtype = tsm_kernel_dtype_asked(x, in, 2, same);
    if (dtype == TSM_BOOL && t->dims && t->elements)
        return TSM_RAISE(x, "\"%s_out_cpu\" not implemented for 'Bool'", kind == PRODUCTS ? "cumprod" : "cumsum");
    return scan(x, t, arg_int(in, 1), dtype, kind, out);
}
TSM_KERNEL(aten_cumsum) {
    return cumulative(x, in, SUMS, out);
}
TSM_KERNEL(aten_cumprod) {
    return cumulative(x, in, PRODUCTS, out);
}
TSM_KERNEL(aten_logcumsumexp) {
    tsm_dtype dtype = (tsm_dtype)arg_tensor(in, 0)->dtype;
    if (tsm_dtype_is_integral(dtype))
        return TSM_RAISE(x, "\"logcumsumexp_out_cpu\" not implemented for '%s'", tsm_dtype_class_name(dtype));
    return scan(x, arg_tensor(in, 0), arg_int(in, 1), dtype, LOG_SUMS, out);
}

/* ---- Extremes ---- */

/* The best of a line so far and its position, the last of equal ones; a NaN is better than any number. Before the first
 * item `at` is -1. */
typedef struct {
    tsm_lane_item best;
    int64_t at;
} running_best;

/* a or b, without a branch, which elements would decide. */
#define PICK(T, BITS, name)                                                                                            \
    static inline T name(bool first, T a, T b) {                                                                       \
        BITS x, y;                                                                                                     \
        memcpy(&x, &a, sizeof x);                                                                                      \
        memcpy(&y, &b, sizeof y);                                                                                      \
        y ^= (x ^ y) & -(BITS)first;                                                                                   \
        memcpy(&b, &y, sizeof b);                                                                                      \
        return b;                                                                                                      \
    }
PICK(float, uint32_t, pick_float)
PICK(double, uint64_t, pick_double)
PICK(int64_t, uint64_t, pick_int64_t)

/* Items first .. first + n - 1 of a line: y[i * step] becomes the best up to there, at[i * at_step] its position. y may
 * be the items, which are `from` apart. */
enum { RUN_FEW = 8 }; /* in lines of more the best seldom changes, and a branch takes less time */
#define RUN_ITEMS(T, COMPARE, TAKE)                                                                                    \
    for (tsm_dim i = 0; i < n; i++) {                                                                                  \
        const T now = v[i * from];                                                                                     \
        const bool better = where < 0 || now COMPARE best || now != now;                                               \
        TAKE(T, better);                                                                                               \
        y[i * step] = best;                                                                                            \
        at[i * at_step] = where;                                                                                       \
    }
#define TAKE_PICKED(T, better)                                                                                         \
    best = pick_##T(better, now, best);                                                                                \
    where = pick_int64_t(better, first + i, where)
#define TAKE_BETTER(T, better)                                                                                         \
    if (better) {                                                                                                      \
        best = now;                                                                                                    \
        where = first + i;                                                                                             \
    }
#define RUN_STEP(T, name, FIELD, COMPARE)                                                                              \
    static void name(running_best *r, void *results, tsm_dim step, const void *items, tsm_dim from, int64_t *at,       \
                     tsm_dim at_step, tsm_dim first, tsm_dim n) {                                                      \
        const T *v = items;                                                                                            \
        T *y = results, best = r->best.FIELD;                                                                          \
        int64_t where = r->at;                                                                                         \
        if (TSM_NARROW_LANES && n <= RUN_FEW)                                                                          \
            RUN_ITEMS(T, COMPARE, TAKE_PICKED)                                                                         \
        else                                                                                                           \
            RUN_ITEMS(T, COMPARE, TAKE_BETTER)                                                                         \
        r->best.FIELD = best;                                                                                          \
        r->at = where;                                                                                                 \
    }
typedef void (*run_step)(running_best *r, void *results, tsm_dim step, const void *items, tsm_dim from, int64_t *at,
                         tsm_dim at_step, tsm_dim first, tsm_dim n);
RUN_STEP(float, greatest_f32, f32, >=)
RUN_STEP(float, least_f32, f32, <=)
RUN_STEP(double, greatest_f64, f64, >=)
RUN_STEP(double, least_f64, f64, <=)
RUN_STEP(int64_t, greatest_i64, i, >=)
RUN_STEP(int64_t, least_i64, i, <=)

static tsm_status running_extremes(tsm_exec *x, const tsm_value *const *in, bool largest, tsm_value *out) {
    int d;
    tsm_tensor *t = arg_tensor(in, 0), *values, *positions;
    TSM_TRY(tsm_wrap_dim_or_scalar(x, arg_int(in, 1), t->dims, &d));
    if (!tsm_dtype_is_ordered((tsm_dtype)t->dtype))
        return TSM_RAISE(x, "%s is not implemented for complex and uint64 tensors", tsm_op_name(x));
    TSM_TRY(tsm_tensor_make(x, (tsm_dtype)t->dtype, t->dims, t->sizes, &values));
    tsm_status status = tsm_tensor_make(x, TSM_INT64, t->dims, t->sizes, &positions);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, values);
        return status;
    }
    static const run_step steps[TSM_LANE_COUNT][2] = {[TSM_LANE_I64] = {least_i64, greatest_i64},
                                                      [TSM_LANE_F32] = {least_f32, greatest_f32},
                                                      [TSM_LANE_F64] = {least_f64, greatest_f64}};
    const tsm_lane own = tsm_lane_of((tsm_dtype)t->dtype), lane = own == TSM_LANE_MASK ? TSM_LANE_I64 : own;
    const run_step step = steps[lane][largest];
    const scan_walk from = walk_of(t, d), to = walk_of(values, d);
    const tsm_dim size = (tsm_dim)tsm_dtype_size((tsm_dtype)t->dtype);
    const bool is_native = tsm_lane_is_native(lane, (tsm_dtype)t->dtype);
    for (tsm_dim line = 0; line < from.lines; line++) {
        const tsm_dim a = scan_line_of(&from, line), b = scan_line_of(&to, line);
        running_best best = {{.i = 0}, -1};
        if (is_native) {
            step(&best, scan_element(values, b), to.step, scan_element(t, a), from.step, (int64_t *)positions->data + b,
                 to.step, 0, from.count);
            continue;
        }
        for (tsm_dim k = 0, n; k < from.count; k += n) {
            tsm_lane_item v[SCAN_BLOCK];
            n = tsm_dim_min(SCAN_BLOCK, from.count - k);
            tsm_lane_load(lane, v, (tsm_dtype)t->dtype, scan_element(t, a + k * from.step), from.step * size, n);
            step(&best, v, 1, v, 1, (int64_t *)positions->data + b + k * to.step, to.step, k, n);
            tsm_lane_store((tsm_dtype)t->dtype, scan_element(values, b + k * to.step), to.step * size, lane, v, n);
        }
    }
    out[0] = tsm_of_tensor(values);
    out[1] = tsm_of_tensor(positions);
    return TSM_OK;
}
TSM_KERNEL(aten_cummax) {
    return running_extremes(x, in, true, out);
}
TSM_KERNEL(aten_cummin) {
    return running_extremes(x, in, false, out);
}

/* Bags of embeddings: sums, means and maxima of rows of a table. Scratch: the rows themselves where the table is not of
 * float32 or float64 in rows, and for maxima 4 bytes for each number of a row. */
#include "runtime/kernels/nn/nn.h"
#include "runtime/kernels/shape/shape.h"

typedef enum { BAGS_SUM, BAGS_MEAN, BAGS_MAX } bags_mode;
enum { BAGS_ROWS = 32, BAGS_TASK_WORK = 1 << 15 };

typedef struct {
    const tsm_f32_loops *f32;
    bags_mode mode;
    tsm_dim members, depth;
    const int64_t *indices, *bag; /* of each member; bags do not descend */
    int64_t ignored;
    const void *table, *weights; /* weights: of each member, or NULL */
    tsm_dim step;                /* elements from one row to the next */
    bool is_gathered;            /* the table has a row for each member */
    void *y;
    int64_t *counts, *places;
} bags_job;

static inline tsm_dim bags_row(const bags_job *j, tsm_dim i) {
    return (j->is_gathered ? i : (tsm_dim)j->indices[i]) * j->step;
}

/* Asks for the beginning of a row that comes later: rows lie anywhere, and no processor foresees where. */
static inline void bags_ask(const bags_job *j, tsm_dim i, size_t size) {
#if TSM_NARROW_LANES
    enum { AHEAD = 16, MOST = 1024, LINE = 64 };
    const tsm_dim at = i + AHEAD;
    if (at >= j->members || j->is_gathered)
        return;
    const char *row = (const char *)j->table + (size_t)bags_row(j, at) * size;
    const size_t bytes = (size_t)j->depth * size;
    for (size_t k = 0; k < bytes && k < MOST; k += LINE)
        __builtin_prefetch(row + k);
#else
    (void)j, (void)i, (void)size;
#endif
}

static void bags_add_f32(const bags_job *j, float *y, tsm_dim from, tsm_dim to, int64_t count) {
    const float *rows[BAGS_ROWS], *weights = j->weights;
    float by[BAGS_ROWS];
    const size_t n = (size_t)j->depth;
    size_t held = 0;
    memset(y, 0, n * sizeof *y);
    for (tsm_dim i = from; i <= to; i++) {
        if (held == BAGS_ROWS || (i == to && held)) {
            if (weights)
                TSM_F32(j->f32, weigh_rows, y, 0, rows, by, held, n);
            else
                TSM_F32(j->f32, add_rows, y, rows, held, n);
            held = 0;
        }
        if (i == to)
            break;
        bags_ask(j, i, sizeof *y);
        if (j->indices[i] == j->ignored)
            continue;
        if (weights && !held) { /* what is there already */
            rows[0] = y;
            by[0] = 1;
            held = 1;
        }
        by[held] = weights ? weights[i] : 1;
        rows[held++] = (const float *)j->table + bags_row(j, i);
    }
    if (j->mode == BAGS_MEAN && count > 1)
        TSM_F32(j->f32, affine, y, y, n, 1.0f / (float)count, 0);
}

static void bags_add_f64(const bags_job *j, double *restrict y, tsm_dim from, tsm_dim to, int64_t count) {
    const double *weights = j->weights, divisor = (double)(count ? count : 1);
    memset(y, 0, (size_t)j->depth * sizeof *y);
    for (tsm_dim i = from; i < to; i++) {
        const double *row = (const double *)j->table + bags_row(j, i), by = weights ? weights[i] : 1;
        bags_ask(j, i, sizeof *y);
        for (tsm_dim k = 0; k < j->depth && j->indices[i] != j->ignored; k++)
            y[k] += row[k] * by;
    }
    for (tsm_dim k = 0; k < j->depth && j->mode == BAGS_MEAN; k++)
        y[k] /= divisor;
}

/* The greatest of each column, of equal ones the first; what is compared with NaN is not greater. */
#define BAGS_GREATEST(NAME, ELEMENT)                                                                                   \
    static void NAME##_row(ELEMENT *restrict y, int32_t *restrict member, const ELEMENT *restrict row, tsm_dim n,      \
                           int32_t here) {                                                                             \
        TSM_INDEPENDENT for (tsm_dim k = 0; k < n; k++) {                                                              \
            const ELEMENT v = row[k], best = y[k];                                                                     \
            const int32_t was = member[k];                                                                             \
            const int32_t better = -(int32_t)(v > best);                                                               \
            y[k] = v > best ? v : best;                                                                                \
            member[k] = (here & better) | (was & ~better);                                                             \
        }                                                                                                              \
    }                                                                                                                  \
    static void NAME(const bags_job *j, ELEMENT *y, tsm_dim from, tsm_dim to, int32_t *member) {                       \
        bool is_first = true;                                                                                          \
        memset(y, 0, (size_t)j->depth * sizeof *y);                                                                    \
        for (tsm_dim i = from; i < to; i++) {                                                                          \
            const ELEMENT *row = (const ELEMENT *)j->table + bags_row(j, i);                                           \
            const int32_t here = (int32_t)(i - from);                                                                  \
            bags_ask(j, i, sizeof *y);                                                                                 \
            if (j->indices[i] == j->ignored)                                                                           \
                continue;                                                                                              \
            if (is_first)                                                                                              \
                memcpy(y, row, (size_t)j->depth * sizeof *y);                                                          \
            for (tsm_dim k = 0; k < j->depth && is_first; k++)                                                         \
                member[k] = here;                                                                                      \
            if (!is_first)                                                                                             \
                NAME##_row(y, member, row, j->depth, here);                                                            \
            is_first = false;                                                                                          \
        }                                                                                                              \
    }
BAGS_GREATEST(bags_greatest_f32, float)
BAGS_GREATEST(bags_greatest_f64, double)

/* Bag b, whose members are [from, to). */
static void bags_one(const bags_job *j, tsm_dim b, tsm_dim from, tsm_dim to, bool is_double, int32_t *member) {
    const tsm_dim at = b * j->depth;
    int64_t count = 0;
    for (tsm_dim i = from; i < to; i++)
        count += j->indices[i] != j->ignored;
    j->counts[b] = count;
    if (j->mode != BAGS_MAX && is_double)
        bags_add_f64(j, (double *)j->y + at, from, to, count);
    else if (j->mode != BAGS_MAX)
        bags_add_f32(j, (float *)j->y + at, from, to, count);
    else if (is_double)
        bags_greatest_f64(j, (double *)j->y + at, from, to, member);
    else
        bags_greatest_f32(j, (float *)j->y + at, from, to, member);
    for (tsm_dim k = 0; k < j->depth && j->mode == BAGS_MAX; k++)
        j->places[at + k] = count ? j->indices[from + member[k]] : 0;
}

static inline void bags_range(const bags_job *j, int32_t *member, size_t begin, size_t end, bool is_double) {
    tsm_dim from = 0, left = j->members;
    while (left) { /* the first member of bag `begin` or one after it */
        const tsm_dim half = left / 2;
        if (j->bag[from + half] < (int64_t)begin) {
            from += half + 1;
            left -= half + 1;
        } else {
            left = half;
        }
    }
    for (size_t b = begin; b < end; b++) {
        tsm_dim to = from;
        while (to < j->members && j->bag[to] == (int64_t)b)
            to++;
        bags_one(j, (tsm_dim)b, from, to, is_double, member);
        from = to;
    }
}
static void bags_range_f32(void *argument, void *scratch, size_t begin, size_t end) {
    bags_range(argument, scratch, begin, end, false);
}
static void bags_range_f64(void *argument, void *scratch, size_t begin, size_t end) {
    bags_range(argument, scratch, begin, end, true);
}

/* The bag of each member: as many as begin there or before, less one. */
static tsm_status bags_of_members(tsm_exec *x, const tsm_tensor *starts, tsm_dim members, int64_t *bag) {
    const int64_t *from = starts->data;
    memset(bag, 0, (size_t)members * sizeof *bag);
    for (tsm_dim b = 0; b < starts->elements; b++) {
        if (from[b] < 0 || from[b] > members)
            return TSM_RAISE(x, "index out of range in self");
        if (from[b] < members)
            bag[from[b]]++;
    }
    int64_t begun = -1;
    for (tsm_dim i = 0; i < members; i++)
        bag[i] = begun += bag[i];
    return members && bag[0] < 0 ? TSM_RAISE(x, "embedding_bag: the first bag has to begin at 0") : TSM_OK;
}

static tsm_status check_bags(tsm_exec *x, const tsm_tensor *table, const tsm_tensor *indices, const tsm_tensor *starts,
                             const tsm_tensor *weights) {
    if (table->dims != 2 || indices->dims != 1 || starts->dims != 1 || indices->dtype != TSM_INT64 ||
        starts->dtype != TSM_INT64)
        return TSM_RAISE(x, "embedding_bag: expected indices and offsets of one dimension and weights of two");
    if (!tsm_dtype_is_floating((tsm_dtype)table->dtype))
        return tsm_loops_missing(x, "embedding_bag", (tsm_dtype)table->dtype);
    if (weights && weights->dtype != table->dtype)
        return TSM_RAISE(x, "expected scalar type %s but found %s", tsm_dtype_class_name((tsm_dtype)table->dtype),
                         tsm_dtype_class_name((tsm_dtype)weights->dtype));
    if (weights && (weights->dims != 1 || weights->elements != indices->elements))
        return TSM_RAISE(x, "embedding_bag: expected per_sample_weights of one dimension, as many as indices");
    if (indices->elements > INT32_MAX)
        return TSM_RAISE(x, "embedding_bag: more than %d indices are not supported", INT32_MAX);
    return TSM_OK;
}

/* What the bags are made of. */
typedef struct {
    tsm_tensor *indices, *starts, *weights, *rows;
} bags_inputs;

static tsm_status bags_read(tsm_exec *x, const tsm_value *const *in, tsm_dtype dtype, bags_job *j, bags_inputs *g) {
    tsm_tensor *table = arg_tensor(in, 0);
    TSM_TRY(tsm_kernel_contiguous(x, arg_tensor(in, 1), TSM_INT64, &g->indices));
    TSM_TRY(tsm_kernel_contiguous(x, arg_tensor(in, 2), TSM_INT64, &g->starts));
    TSM_TRY(tsm_kernel_contiguous_or_null(x, arg_tensor_or_null(in, 4), dtype, &g->weights));
    j->indices = g->indices->data;
    j->weights = g->weights ? g->weights->data : NULL;
    for (tsm_dim i = 0; i < j->members; i++)
        if (j->indices[i] < 0 || j->indices[i] >= table->sizes[0])
            return TSM_RAISE(x, "index out of range in self");
    j->step = table->strides[0];
    j->table = table->data;
    if ((tsm_dtype)table->dtype == dtype && (table->sizes[1] <= 1 || table->strides[1] == 1))
        return TSM_OK;
    /* Other tables are not converted as a whole. */
    const tsm_value select[] = {*in[0], tsm_int(0), tsm_of_tensor(g->indices)};
    tsm_value chosen = tsm_none();
    TSM_TRY(tsm_kernel_call(x, tsm_k_aten_index_select, 3, select, &chosen));
    const tsm_status status = tsm_kernel_contiguous(x, tsm_as_tensor(chosen), dtype, &g->rows);
    tsm_drop(x, chosen);
    if (status != TSM_OK)
        return status;
    j->is_gathered = true;
    j->step = j->depth;
    j->table = g->rows->data;
    return TSM_OK;
}

/* tsm::bags(weight, indices, starts, mode, per_sample_weights, ignored): sums, means or maxima of each bag, the bag of
 * each index, how many of a bag are not the ignored row, and the rows of maxima. */
TSM_KERNEL_LIGHT(tsm_bags) {
    tsm_tensor *table = arg_tensor(in, 0), *starts = arg_tensor(in, 2);
    const int64_t mode = arg_int(in, 3);
    tsm_tensor *made[4] = {NULL};
    bags_inputs g = {.indices = NULL};
    TSM_TRY(check_bags(x, table, arg_tensor(in, 1), starts, arg_tensor_or_null(in, 4)));
    const tsm_dtype dtype = tsm_kernel_compute_dtype((tsm_dtype)table->dtype);
    bags_job j = {.f32 = loops_f32(x),
                  .mode = mode == 2   ? BAGS_MAX
                          : mode == 1 ? BAGS_MEAN
                                      : BAGS_SUM,
                  .members = arg_tensor(in, 1)->elements,
                  .depth = table->sizes[1],
                  .ignored = arg_int(in, 5)};
    const tsm_dim sizes[2] = {starts->elements, j.depth};
    TSM_TRY(tsm_charge_product(x, (uint64_t)j.members, (uint64_t)j.depth + 2, 1));
    tsm_status status = tsm_tensor_make(x, dtype, 2, sizes, &made[0]);
    if (status == TSM_OK)
        status = tsm_tensor_make(x, TSM_INT64, 1, &j.members, &made[1]);
    if (status == TSM_OK)
        status = tsm_tensor_make(x, TSM_INT64, 1, sizes, &made[2]);
    const tsm_dim none[2] = {0, j.depth};
    if (status == TSM_OK)
        status = tsm_tensor_make(x, TSM_INT64, 2, j.mode == BAGS_MAX ? sizes : none, &made[3]);
    if (status == TSM_OK)
        status = bags_read(x, in, dtype, &j, &g);
    if (status == TSM_OK)
        status = bags_of_members(x, g.starts, j.members, made[1]->data);
    if (status == TSM_OK && sizes[0]) {
        const size_t work = (size_t)(j.members / sizes[0] + 1) * ((size_t)j.depth + 1);
        const size_t scratch = j.mode == BAGS_MAX ? (size_t)j.depth * sizeof(int32_t) : 0;
        j.bag = made[1]->data;
        j.y = made[0]->data;
        j.counts = made[2]->data;
        j.places = made[3]->data;
        status = tsm_loops_parallel(x, (size_t)sizes[0], BAGS_TASK_WORK / work + 1, scratch,
                                    dtype == TSM_FLOAT64 ? bags_range_f64 : bags_range_f32, &j);
    }
    tsm_tensor_drop(x, g.indices);
    tsm_tensor_drop(x, g.starts);
    tsm_tensor_drop(x, g.weights);
    tsm_tensor_drop(x, g.rows);
    status = tsm_kernel_finish(x, status, made[0], (tsm_dtype)table->dtype, out);
    for (int i = 1; i < 4; i++)
        if (status == TSM_OK)
            out[i] = tsm_of_tensor(made[i]);
        else
            tsm_tensor_drop(x, made[i]);
    return status;
}

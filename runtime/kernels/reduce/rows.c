/* Rows of elements joined with rows of totals. */
#include "runtime/kernels/reduce/rows.h"

bool tsm_rows_are(const reduction *r) {
    return r->inner > 0 && r->outer > 0 && r->outer_strides[r->outer - 1] == 1 && r->outer_sizes[r->outer - 1] > 1 &&
           r->count > 0;
}

/* Whether results are made of so few elements that walking over each would take longer than gathering rows of first
 * elements, of second ones, and so on. */
enum { MOST_GATHERED_ALONG = 64, COLUMNS_TURNED = 16 };
static bool are_short(const reduction *r, tsm_dim most) {
    enum { LEAST_RESULTS = 8 };
    return r->inner == 1 && r->outer > 0 && r->count > 0 && r->count <= most &&
           r->outer_sizes[r->outer - 1] >= LEAST_RESULTS;
}

bool tsm_rows_plan(tsm_exec *x, const tsm_tensor *t, const reduction *r, tsm_lane lane, fold_join how, rows_job *job) {
    enum { MOST_CONVERTED = 8, MOST_ALONG = 256 };
    const tsm_dtype dtype = (tsm_dtype)t->dtype, item = (tsm_dtype)tsm_dtypes_of_lanes[lane];
    const bool native = tsm_lane_is_native(lane, dtype), rows = tsm_rows_are(r);
    *job = (rows_job){t, r, lane, 1, NULL, NULL, how, tsm_fold_choose_join_rows(x, how, lane), NULL};
    if (!job->join || !(rows || are_short(r, MOST_ALONG)))
        return false;
    job->step = r->outer_strides[r->outer - 1];
    if (!native) {
        job->cast = tsm_cast_find(x, dtype, item);
        job->store = tsm_cast_find(x, item, dtype);
    }
    const bool quick = native || (TSM_NARROW_LANES && job->cast && r->inner_strides[0] == 1);
    if (TSM_NARROW_LANES && !rows && quick && r->inner_strides[0] == 1 &&
        r->count * (tsm_dim)tsm_lane_size(lane) >= FOLD_ALONG)
        job->along = tsm_fold_choose_join_along(x, how, lane);
    return rows || job->along || are_short(r, quick ? MOST_GATHERED_ALONG : MOST_CONVERTED);
}

tsm_dim tsm_rows_columns(const rows_job *job, tsm_dim i) {
    const tsm_dim width = job->r->outer_sizes[job->r->outer - 1], left = tsm_dim_min(width - i % width, ROWS_COLUMNS);
    if (!job->cast || job->step == 1 || job->along)
        return left;
    /* Elements are converted as they lie, so most of a result's at once. */
    const tsm_dim room = (tsm_dim)(sizeof(rows_room) / tsm_lane_size(job->lane)) / job->r->count;
    return tsm_dim_min(left, tsm_dim_max(room / COLUMNS_TURNED * COLUMNS_TURNED, COLUMNS_TURNED));
}

const void *tsm_rows_items(const rows_job *job, tsm_dim at, void *items, tsm_dim n) {
    const tsm_dtype dtype = (tsm_dtype)job->t->dtype;
    const tsm_dim size = (tsm_dim)tsm_dtype_size(dtype);
    const char *from = (const char *)job->t->data + at * size;
    if (job->step == 1 && tsm_lane_is_native(job->lane, dtype))
        return from;
    if (job->step == 1 && job->cast)
        job->cast(items, from, n);
    else
        tsm_lane_load(job->lane, items, dtype, from, job->step * size, n);
    return items;
}

#if TSM_NARROW_LANES
/* The same of elements that are converted as they lie, m of each result, and turned then. */
static void gather_converted(const rows_job *job, tsm_dim at, tsm_dim m, char *items, tsm_dim n) {
    rows_room apart;
    const tsm_dim item = (tsm_dim)tsm_lane_size(job->lane), room = (tsm_dim)sizeof apart / item / m,
                  together = room > COLUMNS_TURNED ? room / COLUMNS_TURNED * COLUMNS_TURNED : room,
                  size = (tsm_dim)tsm_dtype_size((tsm_dtype)job->t->dtype);
    const char *from = (const char *)job->t->data + at * size;
    for (tsm_dim i = 0, some; i < n; i += some) {
        some = tsm_dim_min(n - i, together);
        if (job->step == m)
            job->cast(apart, from + i * m * size, some * m);
        else
            for (tsm_dim k = 0; k < some; k++)
                job->cast((char *)apart + k * m * item, from + (i + k) * job->step * size, m);
        tsm_copy_turned(items + i * item, n * item, (const char *)apart, m * item, m, some, (size_t)item);
    }
}
#else
#define gather_converted(job, at, m, items, n) (void)0
#endif

tsm_dim tsm_rows_gather(const rows_job *job, tsm_dim at, tsm_dim stride, tsm_dim rows, rows_room items, tsm_dim n) {
    enum { LEAST_TURNED = 4 }; /* fewer rows are read one by one as fast */
    const tsm_dtype dtype = (tsm_dtype)job->t->dtype;
    const tsm_dim item = (tsm_dim)tsm_lane_size(job->lane);
    const tsm_dim m = tsm_dim_min(rows, (tsm_dim)sizeof(rows_room) / item / n);
    if (job->step == 1 && stride == n) /* nothing between the rows */
        tsm_rows_items(job, at, items, m * n);
    else if (TSM_NARROW_LANES && stride == 1 && m >= LEAST_TURNED && tsm_lane_is_native(job->lane, dtype))
        tsm_copy_turned((char *)items, n * item, (const char *)job->t->data + at * item, job->step * item, m, n,
                        (size_t)item);
    else if (TSM_NARROW_LANES && stride == 1 && m > 1 && m <= MOST_GATHERED_ALONG && job->step != 1 && job->cast)
        gather_converted(job, at, m, (char *)items, n);
    else
        for (tsm_dim i = 0; i < m; i++)
            tsm_rows_items(job, at + i * stride, (char *)items + i * n * item, n);
    return m;
}

/* `rows` rows of n elements, the first from element `at` on, each `stride` behind the one before. */
static void join_run(const rows_job *job, tsm_dim at, tsm_dim stride, tsm_dim rows, void *totals, tsm_dim n) {
    if (job->step == 1 && tsm_lane_is_native(job->lane, (tsm_dtype)job->t->dtype)) {
        job->join(totals, tsm_rows_items(job, at, NULL, n), stride, rows, n);
        return;
    }
    rows_room items;
    for (tsm_dim row = 0, m; row < rows; row += m) {
        m = tsm_rows_gather(job, at + row * stride, stride, rows - row, items, n);
        job->join(totals, items, n, m, n);
    }
}

/* Rows of the elements of one result each; converted, as many at a time as there is room for. */
static void join_along(const rows_job *job, tsm_dim at, void *totals, tsm_dim n) {
    const tsm_dim count = job->r->count, item = (tsm_dim)tsm_lane_size(job->lane),
                  size = (tsm_dim)tsm_dtype_size((tsm_dtype)job->t->dtype);
    const char *from = (const char *)job->t->data + at * size;
    if (!job->cast) {
        job->along(totals, from, job->step, n, count);
        return;
    }
    rows_room items;
    for (tsm_dim i = 0, m; i < n; i += m) {
        m = tsm_dim_min(n - i, (tsm_dim)sizeof items / item / count);
        if (job->step == count)
            job->cast(items, from + i * count * size, m * count);
        else
            for (tsm_dim k = 0; k < m; k++)
                job->cast((char *)items + k * count * item, from + (i + k) * job->step * size, count);
        job->along((char *)totals + i * item, items, count, m, count);
    }
}

void tsm_rows_join(const rows_job *job, tsm_dim i, void *totals, tsm_dim n) {
    const reduction *r = job->r;
    const tsm_dim base = tsm_fold_offset(r->outer, r->outer_sizes, r->outer_strides, i),
                  run = r->inner_sizes[r->inner - 1], stride = r->inner_strides[r->inner - 1];
    if (TSM_NARROW_LANES && job->along) {
        join_along(job, base, totals, n);
        return;
    }
    /* Squares are doubles, or so few that there is no need of blocks, whose totals would be squared. */
    const bool in_blocks = job->how <= JOIN_PRODUCTS && r->count > ROWS_BLOCK;
    for (tsm_dim k = 0, rows; k < r->count;) {
        int64_t block[ROWS_COLUMNS];
        if (in_blocks)
            tsm_lane_fill(job->lane, block, tsm_int(job->how == JOIN_PRODUCTS), n);
        const tsm_dim end = in_blocks ? k + tsm_dim_min(r->count - k, ROWS_BLOCK) : r->count;
        for (; k < end; k += rows) {
            rows = tsm_dim_min(run - k % run, end - k);
            join_run(job, base + tsm_fold_offset(r->inner, r->inner_sizes, r->inner_strides, k), stride, rows,
                     in_blocks ? block : totals, n);
        }
        if (in_blocks)
            job->join(totals, block, n, 1, n);
    }
}

void tsm_rows_store(const rows_job *job, tsm_tensor *y, tsm_dim i, const void *totals, tsm_dim n) {
    const tsm_dim size = (tsm_dim)tsm_dtype_size((tsm_dtype)y->dtype);
    char *to = (char *)y->data + i * size;
    if (TSM_NARROW_LANES && job->store && y->dtype == job->t->dtype)
        job->store(to, totals, n);
    else
        tsm_lane_store((tsm_dtype)y->dtype, to, size, job->lane, totals, n);
}

/* Of floats and doubles; the divisor of others is 1. */
static void divide_totals(tsm_lane lane, void *totals, double divisor, tsm_dim n) {
    float *floats = totals;
    double *doubles = totals;
    for (tsm_dim k = 0; k < n && divisor != 1; k++)
        if (lane == TSM_LANE_F32)
            floats[k] = (float)(floats[k] / divisor);
        else
            doubles[k] /= divisor;
}

bool tsm_rows_total(tsm_exec *x, const tsm_tensor *t, const reduction *r, tsm_lane lane, fold_join how, double divisor,
                    tsm_tensor *y) {
    rows_job job;
    if (!tsm_rows_plan(x, t, r, lane, how, &job))
        return false;
    for (tsm_dim i = 0, n; i < r->results; i += n) {
        int64_t totals[ROWS_COLUMNS];
        n = tsm_rows_columns(&job, i);
        tsm_lane_fill(lane, totals, tsm_int(how == JOIN_PRODUCTS), n);
        tsm_rows_join(&job, i, totals, n);
        divide_totals(lane, totals, divisor, n);
        tsm_rows_store(&job, y, i, totals, n);
    }
    return true;
}

void tsm_rows_sum_f32(tsm_exec *x, const tsm_tensor *t, const reduction *r, float *y, bool mean) {
    enum { ROWS = 32 };
    const tsm_f32_loops *f32 = loops_f32(x);
    const tsm_dim width = r->outer_sizes[r->outer - 1], columns = r->count > ROWS_BLOCK ? ROWS_COLUMNS : width;
    for (tsm_dim i = 0, n; i < r->results; i += n, y += n) {
        const float *base = (const float *)t->data + tsm_fold_offset(r->outer, r->outer_sizes, r->outer_strides, i),
                    *rows[ROWS];
        float block[ROWS_COLUMNS], *sums = y;
        n = tsm_dim_min(width - i % width, columns);
        for (tsm_dim k = 0, count; k < r->count; sums = block) {
            memset(sums, 0, (size_t)n * sizeof *sums);
            for (const tsm_dim end = k + tsm_dim_min(r->count - k, ROWS_BLOCK); k < end; k += count) {
                count = tsm_dim_min(end - k, ROWS);
                for (tsm_dim row = 0; row < count; row++)
                    rows[row] =
                        base + (r->inner == 1 ? (k + row) * r->inner_strides[0]
                                              : tsm_fold_offset(r->inner, r->inner_sizes, r->inner_strides, k + row));
                TSM_F32(f32, add_rows, sums, rows, (size_t)count, (size_t)n);
            }
            if (sums == block) {
                rows[0] = block;
                TSM_F32(f32, add_rows, y, rows, 1, (size_t)n);
            }
        }
        if (mean)
            TSM_F32(f32, affine, y, y, (size_t)n, 1.0f / (float)r->count, 0.0f);
    }
}

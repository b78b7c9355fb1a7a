/* Scaled dot product attention in double, as scaled_dot_product_f32.c does it: a chunk of queries against blocks of
 * keys, with the product of matrices that other operators use. */
#include "runtime/kernels/linalg/gemm.h"
#include "runtime/kernels/nn/scaled_dot_product.h"
#include "runtime/kernels/simd/vmath64.h"

enum { F64_QUERIES = 64, F64_KEYS = 64 };

/* Queries of one head from `first` on. */
typedef struct {
    const attention *a;
    const char *mask, *filled; /* matrices of the head, or NULL */
    size_t first, rows;
    double *keys;    /* of the block: [features][F64_KEYS] */
    double *values;  /* [F64_KEYS][value_features] */
    double *scores;  /* [F64_QUERIES][F64_KEYS]; then their weights */
    double *results; /* [F64_QUERIES][value_features] */
    double top[F64_QUERIES], sum[F64_QUERIES];
} f64_chunk;

static const char *sdp_f64_element(const attention_operand *o, const char *matrix, size_t row, size_t column) {
    return matrix + ((tsm_dim)row * o->row + (tsm_dim)column * o->column) * o->size;
}

static void sdp_f64_load_row(double *to, const attention_operand *o, const char *matrix, size_t row, size_t column,
                             size_t n) {
    tsm_lane_load(TSM_LANE_F64, to, o->dtype, sdp_f64_element(o, matrix, row, column), o->column * o->size, (tsm_dim)n);
}

static void sdp_f64_load_block(f64_chunk *c, const char *k, const char *v, size_t key, size_t n) {
    const attention *a = c->a;
    for (size_t e = 0; e < a->features; e++)
        tsm_lane_load(TSM_LANE_F64, c->keys + e * F64_KEYS, a->k.dtype, sdp_f64_element(&a->k, k, key, e),
                      a->k.row * a->k.size, (tsm_dim)n);
    for (size_t i = 0; i < n; i++)
        sdp_f64_load_row(c->values + i * a->value_features, &a->v, v, key + i, 0, a->value_features);
}

/* Products with keys become scores. */
static void sdp_f64_finish_scores(const f64_chunk *c, double *scores, size_t query, size_t key, size_t n) {
    const attention *a = c->a;
    double added[F64_KEYS] = {0};
    for (size_t i = 0; i < n; i++)
        scores[i] *= a->scale;
    if (c->mask)
        sdp_f64_load_row(added, &a->mask, c->mask, query, key, n);
    for (size_t i = 0; c->mask && i < n; i++) {
        if (a->mask.dtype == TSM_BOOL)
            added[i] = added[i] != 0 ? 0 : -(double)INFINITY;
        scores[i] += added[i];
    }
    for (size_t i = 0; c->filled && i < n; i++)
        if (*(const uint8_t *)sdp_f64_element(&a->filled, c->filled, query, key + i))
            scores[i] = a->fills_last ? a->fill : a->fill + added[i];
}

/* Scores of row r become weights, and what was summed up before is measured as they are. */
static void sdp_f64_weigh(f64_chunk *c, double *scores, size_t r, size_t n) {
    double top = c->top[r], sum = 0;
    for (size_t i = 0; i < n; i++)
        top = scores[i] > top ? scores[i] : top;
    const double from = top > -(double)INFINITY ? top : 0, factor = vd_exp(c->top[r] - from);
    double *result = c->results + r * c->a->value_features;
    for (size_t i = 0; i < n; i++)
        scores[i] = vd_exp(scores[i] - from);
    for (size_t i = 0; i < n; i++)
        sum += scores[i];
    for (size_t e = 0; e < c->a->value_features; e++)
        result[e] *= factor;
    c->top[r] = top;
    c->sum[r] = c->sum[r] * factor + sum;
}

static void sdp_f64_add_block(tsm_exec *x, f64_chunk *c, const char *q, size_t key, size_t n) {
    const attention *a = c->a;
    const tsm_f64_product products = {
        c->rows,   n,           a->features, (const double *)(const void *)sdp_f64_element(&a->q, q, c->first, 0),
        a->q.row,  a->q.column, c->keys,     F64_KEYS,
        c->scores, F64_KEYS,    false};
    const tsm_f64_product sums = {c->rows,    a->value_features,
                                  n,          c->scores,
                                  F64_KEYS,   1,
                                  c->values,  (ptrdiff_t)a->value_features,
                                  c->results, (ptrdiff_t)a->value_features,
                                  false};
    memset(c->scores, 0, c->rows * F64_KEYS * sizeof *c->scores);
    tsm_gemm_add_f64(x, &products);
    for (size_t r = 0; r < c->rows; r++) {
        const size_t query = c->first + r, before = key <= query ? query + 1 - key : 0;
        const size_t seen = a->is_causal && before < n ? before : n;
        double *scores = c->scores + r * F64_KEYS;
        sdp_f64_finish_scores(c, scores, query, key, seen);
        sdp_f64_weigh(c, scores, r, seen);
        for (size_t i = seen; i < n; i++)
            scores[i] = 0;
    }
    tsm_gemm_add_f64(x, &sums);
}

static void sdp_f64_finish(f64_chunk *c, size_t batch, size_t head) {
    const attention *a = c->a;
    const attention_operand *out = &a->out, *logs = &a->log_sums;
    const char *to = tsm_attention_matrix(a, out, batch, head);
    for (size_t r = 0; r < c->rows; r++) {
        double *result = c->results + r * a->value_features;
        const double sum = c->sum[r];
        for (size_t e = 0; e < a->value_features; e++)
            result[e] = sum != 0 ? result[e] / sum : a->masked_are_nan && a->keys ? (double)NAN : 0;
        tsm_lane_store(out->dtype, (void *)(uintptr_t)sdp_f64_element(out, to, c->first + r, 0),
                       out->column * out->size, TSM_LANE_F64, result, (tsm_dim)a->value_features);
        if (logs->data) {
            double *log_sum = (double *)(void *)(uintptr_t)tsm_attention_matrix(a, logs, batch, head);
            log_sum[(tsm_dim)(c->first + r) * logs->row] = sum == 0 ? 0 : c->top[r] + log(sum);
        }
    }
}

static void sdp_f64_run_chunk(tsm_exec *x, f64_chunk *c, size_t batch, size_t head) {
    const attention *a = c->a;
    const char *q = tsm_attention_matrix(a, &a->q, batch, head), *k = tsm_attention_matrix(a, &a->k, batch, head);
    const char *v = tsm_attention_matrix(a, &a->v, batch, head);
    const size_t last = c->first + c->rows, keys = a->is_causal && last < a->keys ? last : a->keys;
    c->mask = a->mask.data ? tsm_attention_matrix(a, &a->mask, batch, head) : NULL;
    c->filled = a->filled.data ? tsm_attention_matrix(a, &a->filled, batch, head) : NULL;
    memset(c->results, 0, c->rows * a->value_features * sizeof *c->results);
    for (size_t r = 0; r < c->rows; r++) {
        c->top[r] = -(double)INFINITY;
        c->sum[r] = 0;
    }
    for (size_t key = 0, n; key < keys; key += n) {
        n = keys - key < F64_KEYS ? keys - key : F64_KEYS;
        sdp_f64_load_block(c, k, v, key, n);
        sdp_f64_add_block(x, c, q, key, n);
    }
    sdp_f64_finish(c, batch, head);
}

tsm_status tsm_attention_f64(tsm_exec *x, const attention *a) {
    const size_t most = a->queries < F64_QUERIES ? a->queries : F64_QUERIES;
    double *scratch = tsm_scratch(x, (F64_KEYS * (a->features + a->value_features + most) + most * a->value_features) *
                                         sizeof *scratch);
    if (!scratch)
        return TSM_OUT_OF_MEMORY;
    f64_chunk c = {.a = a, .keys = scratch, .values = scratch + F64_KEYS * a->features};
    c.scores = c.values + F64_KEYS * a->value_features;
    c.results = c.scores + F64_KEYS * most;
    for (size_t batch = 0; batch < a->batch; batch++)
        for (size_t head = 0; head < a->heads; head++)
            for (c.first = 0; c.first < a->queries; c.first += c.rows) {
                c.rows = a->queries - c.first < most ? a->queries - c.first : most;
                sdp_f64_run_chunk(x, &c, batch, head);
            }
    tsm_scratch_free(x, scratch);
    return TSM_OK;
}

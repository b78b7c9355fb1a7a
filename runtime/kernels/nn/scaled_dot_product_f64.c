/* Scaled dot product attention in double: a query at a time, keys in blocks, as scaled_dot_product_f32.c does it, with
 * plain loops. */
#include "runtime/kernels/nn/scaled_dot_product.h"
#include "runtime/kernels/simd/vmath64.h"

enum { BLOCK = 64 };

typedef struct {
    double *scores, *query, *row, *result; /* row: a key or a value */
    double top, sum;
} row_state;

static void sdp_f64_load_row(double *to, const attention_operand *o, const char *matrix, size_t row, size_t column,
                             size_t n) {
    tsm_lane_load(TSM_LANE_F64, to, o->dtype, matrix + ((tsm_dim)row * o->row + (tsm_dim)column * o->column) * o->size,
                  o->column * o->size, (tsm_dim)n);
}

static void sdp_f64_scores_of(const attention *a, row_state *s, const char *k, size_t key, size_t n) {
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        sdp_f64_load_row(s->row, &a->k, k, key + i, 0, a->features);
        for (size_t e = 0; e < a->features; e++)
            sum += s->query[e] * s->row[e];
        s->scores[i] = sum * a->scale;
    }
}

static void add_mask(const attention *a, row_state *s, const char *mask, size_t query, size_t key, size_t n) {
    double numbers[BLOCK];
    sdp_f64_load_row(numbers, &a->mask, mask, query, key, n);
    for (size_t i = 0; i < n; i++)
        s->scores[i] += a->mask.dtype != TSM_BOOL ? numbers[i] : numbers[i] != 0 ? 0 : -(double)INFINITY;
}

/* Takes a block's scores and values into the row. */
static void sdp_f64_add_block(const attention *a, row_state *s, const char *v, size_t key, size_t n) {
    double top = s->top;
    for (size_t i = 0; i < n; i++)
        top = s->scores[i] > top ? s->scores[i] : top;
    const double from = top > -(double)INFINITY ? top : 0, factor = vd_exp(s->top - from);
    s->top = top;
    s->sum *= factor;
    for (size_t e = 0; e < a->value_features; e++)
        s->result[e] *= factor;
    for (size_t i = 0; i < n; i++) {
        double weight = vd_exp(s->scores[i] - from);
        s->sum += weight;
        sdp_f64_load_row(s->row, &a->v, v, key + i, 0, a->value_features);
        for (size_t e = 0; e < a->value_features; e++)
            s->result[e] += weight * s->row[e];
    }
}

static void run_query(const attention *a, row_state *s, size_t batch, size_t head, size_t query) {
    const char *k = tsm_attention_matrix(a, &a->k, batch, head), *v = tsm_attention_matrix(a, &a->v, batch, head);
    const char *mask = a->mask.data ? tsm_attention_matrix(a, &a->mask, batch, head) : NULL;
    const size_t keys = a->is_causal && query + 1 < a->keys ? query + 1 : a->keys;
    s->top = -(double)INFINITY;
    s->sum = 0;
    memset(s->result, 0, a->value_features * sizeof *s->result);
    sdp_f64_load_row(s->query, &a->q, tsm_attention_matrix(a, &a->q, batch, head), query, 0, a->features);
    for (size_t key = 0, n; key < keys; key += n) {
        n = keys - key < BLOCK ? keys - key : BLOCK;
        sdp_f64_scores_of(a, s, k, key, n);
        if (mask)
            add_mask(a, s, mask, query, key, n);
        sdp_f64_add_block(a, s, v, key, n);
    }
}

static void finish_query(const attention *a, row_state *s, size_t batch, size_t head, size_t query) {
    const double sum = s->sum == 0 ? 1 : s->sum; /* all keys are masked: the result is 0 */
    for (size_t e = 0; e < a->value_features; e++)
        s->result[e] /= sum;
    char *to =
        (char *)(uintptr_t)tsm_attention_matrix(a, &a->out, batch, head) + (tsm_dim)query * a->out.row * a->out.size;
    tsm_lane_store(a->out.dtype, to, a->out.column * a->out.size, TSM_LANE_F64, s->result, (tsm_dim)a->value_features);
    if (a->log_sums.data) {
        double *log_sum = (double *)(void *)(uintptr_t)tsm_attention_matrix(a, &a->log_sums, batch, head);
        log_sum[(tsm_dim)query * a->log_sums.row] = s->sum == 0 ? 0 : s->top + log(s->sum);
    }
}

tsm_status tsm_attention_f64(tsm_exec *x, const attention *a) {
    const size_t widest = a->features > a->value_features ? a->features : a->value_features;
    double *scratch = tsm_scratch(x, (BLOCK + a->features + widest + a->value_features) * sizeof *scratch);
    if (!scratch)
        return TSM_OUT_OF_MEMORY;
    row_state s = {.scores = scratch, .query = scratch + BLOCK};
    s.row = s.query + a->features;
    s.result = s.row + widest;
    for (size_t batch = 0; batch < a->batch; batch++)
        for (size_t head = 0; head < a->heads; head++)
            for (size_t query = 0; query < a->queries; query++) {
                run_query(a, &s, batch, head, query);
                finish_query(a, &s, batch, head, query);
            }
    tsm_scratch_free(x, scratch);
    return TSM_OK;
}

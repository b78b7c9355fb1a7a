/* Scaled dot product attention: softmax(Q K^T * scale + mask) V without the matrix of scores.
 *
 * Keys and values are taken in blocks of at most MOST_KEYS, packed once for a chunk of queries. Queries are taken in
 * strips of as many rows as a tile of the matrix product has: scores of a strip against the block, their part of the
 * softmax (tsm_f32_loops.softmax_block), and the product with the values, added to what earlier blocks gave. Of a row
 * only its greatest score, the sum of its exponentials and its result are kept, so the scratch memory does not grow
 * with the sequences. Few queries, as in decoding, read keys and values where they lie.
 *
 * Half and bfloat16 are computed as float, and rounded once; where a program spells attention out, its scores are
 * rounded as there. Double has a loop of its own, in scaled_dot_product_f64.c.
 *
 * Scratch: at most 2 L (loops.h) and 64 * (2 E + Ev) + 4 * gemm_rows * E bytes a task, where E and Ev are the features
 * of a key and of a value. */
#include "runtime/kernels/nn/scaled_dot_product.h"

#include "runtime/kernels/simd/pack.h"

enum {
    MOST_KEYS = 256,             /* of a block */
    MOST_CHUNK = 512,            /* queries of a chunk: a task works on one */
    SDP_F32_FEW_QUERIES = 4,     /* up to here, packing costs more than it saves */
    MOST_STRIP = 16,             /* at least gemm_rows of every table */
    SDP_F32_TASK_WORK = 1 << 18, /* multiply-adds that make a task worth its start */
};

/* The parts of a task's scratch memory, in floats. */
typedef struct {
    size_t keys, values, scores, queries, mask, filled, gathered, results, rows;
    size_t floats;
} scratch_layout;

typedef struct {
    const attention *a;
    const tsm_f32_loops *f32;
    scratch_layout at;
    size_t block;              /* keys, a multiple of TSM_PANEL */
    size_t chunk, chunks;      /* queries of a head at once, and how many such there are */
    bool keys_lie, values_lie; /* read where they lie */
    bool results_lie;          /* computed where the result lies */
} attention_job;

/* What one chunk works on: `heads` heads that share keys and values, queries [first, last) of each. */
typedef struct {
    const attention_job *j;
    float *scratch;
    const char *k, *v;
    size_t batch, head, heads, first, last;
    size_t key, keys; /* the block at hand */
    const float *v_panels;
    size_t v_stride, v_panel;
    const void *mask_row; /* what `mask` in scratch holds: the row that begins here */
} chunk;

static bool lies_in_rows(const attention_operand *o) {
    return o->dtype == TSM_FLOAT32 && o->column == 1;
}

/* n elements of row `row` from column `column` on. */
static void load_row(float *to, const attention_operand *o, const char *base, size_t row, size_t column, size_t n) {
    tsm_lane_load(TSM_LANE_F32, to, o->dtype,
                  base + ((ptrdiff_t)row * o->row + (ptrdiff_t)column * o->column) * o->size, o->column * o->size,
                  (tsm_dim)n);
}

/* ---- Packing ---- */

static void pack_keys(const chunk *c) {
    const attention *a = c->j->a;
    float *to = c->scratch + c->j->at.keys;
    if (lies_in_rows(&a->k)) {
        const float *from = (const float *)(const void *)c->k + (ptrdiff_t)c->key * a->k.row;
        tsm_pack_matrix(to, from, c->keys, a->features, a->k.row, 1);
        return;
    }
    float *rows = c->scratch + c->j->at.gathered;
    for (size_t key = 0; key < c->keys; key += TSM_PANEL) {
        size_t n = c->keys - key < TSM_PANEL ? c->keys - key : TSM_PANEL;
        for (size_t r = 0; r < n; r++)
            load_row(rows + r * a->features, &a->k, c->k, c->key + key + r, 0, a->features);
        tsm_pack_matrix(to + key * a->features, rows, n, a->features, (ptrdiff_t)a->features, 1);
    }
}

static void pack_values(const chunk *c) {
    const attention *a = c->j->a;
    float *to = c->scratch + c->j->at.values;
    for (size_t column = 0; column < a->value_features; column += TSM_PANEL) {
        size_t n = a->value_features - column < TSM_PANEL ? a->value_features - column : TSM_PANEL;
        for (size_t r = 0; r < c->keys; r++, to += TSM_PANEL) {
            load_row(to, &a->v, c->v, c->key + r, column, n);
            memset(to + n, 0, (TSM_PANEL - n) * sizeof *to);
        }
    }
}

static void prepare_block(chunk *c) {
    const attention_job *j = c->j;
    if (!j->keys_lie)
        pack_keys(c);
    if (j->values_lie) {
        c->v_panels = (const float *)(const void *)c->v + (ptrdiff_t)c->key * j->a->v.row;
        c->v_stride = (size_t)j->a->v.row;
        c->v_panel = TSM_PANEL;
        return;
    }
    pack_values(c);
    c->v_panels = c->scratch + j->at.values;
    c->v_stride = TSM_PANEL;
    c->v_panel = c->keys * TSM_PANEL;
}

/* ---- One strip ---- */

/* Rows [row, row + n) of head `head`, and how many keys of the block the last of them attends to. */
typedef struct {
    size_t head, row, n, keys;
    float *results;
    ptrdiff_t result_row;
    tsm_softmax_row *state;
} query_strip;

static size_t keys_of_row(const chunk *c, size_t row) {
    if (!c->j->a->is_causal)
        return c->keys;
    return row < c->key ? 0 : row - c->key + 1 < c->keys ? row - c->key + 1 : c->keys;
}

static void scores_of(const chunk *c, const query_strip *s) {
    const attention_job *j = c->j;
    const attention *a = j->a;
    float *scores = c->scratch + j->at.scores;
    const float *rows[MOST_STRIP];
    const char *q = tsm_attention_matrix(a, &a->q, c->batch, s->head);
    bool lies = lies_in_rows(&a->q);
    for (size_t r = 0; r < s->n; r++) {
        float *copy = c->scratch + j->at.queries + r * a->features;
        if (!lies)
            load_row(copy, &a->q, q, s->row + r, 0, a->features);
        rows[r] = lies ? (const float *)(const void *)q + (ptrdiff_t)(s->row + r) * a->q.row : copy;
    }
    if (j->keys_lie || !a->features) {
        const float *k = (const float *)(const void *)c->k + (ptrdiff_t)c->key * a->k.row;
        memset(scores, 0, s->n * j->block * sizeof *scores);
        for (size_t r = 0; r < s->n && a->features; r++)
            TSM_F32(j->f32, dots, s->keys, a->features, rows[r], k, a->k.row, scores + r * j->block, 1);
        return;
    }
    tsm_gemm_block g = {.rows = s->n,
                        .columns = s->keys,
                        .taps = 1,
                        .depth = a->features,
                        .a = rows,
                        .a_step = s->n,
                        .b = c->scratch + j->at.keys,
                        .b_stride = TSM_PANEL,
                        .b_panel = a->features * TSM_PANEL,
                        .c = scores,
                        .c_stride = (ptrdiff_t)j->block};
    TSM_F32(j->f32, gemm, &g);
}

/* The mask of n keys of the block for one row, as numbers to be added. */
static const float *mask_of(chunk *c, size_t head, size_t row, size_t n) {
    const attention_operand *m = &c->j->a->mask;
    if (!m->data)
        return NULL;
    const char *from = tsm_attention_matrix(c->j->a, m, c->batch, head) +
                       ((ptrdiff_t)row * m->row + (ptrdiff_t)c->key * m->column) * m->size;
    if (lies_in_rows(m))
        return (const float *)(const void *)from;
    float *to = c->scratch + c->j->at.mask;
    if (from == c->mask_row && !c->j->a->is_causal)
        return to;
    c->mask_row = from;
    tsm_lane_load(TSM_LANE_F32, to, m->dtype, from, m->column * m->size, (tsm_dim)n);
    if (m->dtype == TSM_BOOL)
        for (size_t i = 0; i < n; i++)
            to[i] = to[i] != 0.0f ? 0.0f : -INFINITY;
    return to;
}

/* Of n scores with their masks, those that are filled: the score is nothing, and the fill is in the mask. */
static void fill_where(float *restrict scores, float *restrict mask, const uint8_t *restrict filled, ptrdiff_t step,
                       size_t n, float fill, bool adds) {
    if (step == 1)
        for (size_t i = 0; i < n; i++) {
            const float filled_mask = adds ? fill + mask[i] : fill;
            mask[i] = filled[i] ? filled_mask : mask[i];
            scores[i] = filled[i] ? 0.0f : scores[i];
        }
    else
        for (size_t i = 0; i < n; i++)
            if (filled[(ptrdiff_t)i * step]) {
                mask[i] = adds ? fill + mask[i] : fill;
                scores[i] = 0.0f;
            }
}

/* Replaces the scores of one row that are filled; returns the mask for all, into which the fill has gone. `added` may
 * be NULL. */
static const float *fill_scores(const chunk *c, size_t head, size_t row, float *scores, size_t n, const float *added) {
    const attention *a = c->j->a;
    const attention_operand *f = &a->filled;
    const char *from =
        tsm_attention_matrix(a, f, c->batch, head) + (ptrdiff_t)row * f->row + (ptrdiff_t)c->key * f->column;
    float *to = c->scratch + c->j->at.filled;
    if (added)
        memcpy(to, added, n * sizeof *to);
    else
        memset(to, 0, n * sizeof *to);
    fill_where(scores, to, (const uint8_t *)from, f->column, n, (float)a->fill, !a->fills_last);
    return to;
}

static void scale_row(float *row, size_t n, float factor) {
    for (size_t i = 0; i < n; i++)
        row[i] *= factor;
}

/* As tsm_half_of_float and back, in fewer steps. */
static inline float rounded_to_half(float v) {
    const float step = 0x1.8p-1f, size = fabsf(v); /* a sum with `step` rounds to multiples of 2^-24 */
    const uint32_t bits = tsm_bits_of_float(v);
    const float normal = tsm_float_of_bits((bits + 0xfff + (bits >> 13 & 1)) & 0xffffe000u);
    const float made = size < 0x1p-14f ? (v + step) - step : normal;
    return size >= 65520.0f ? v * INFINITY : made;
}

static inline float rounded_to_bfloat16(float v) {
    return tsm_float_of_bfloat16(tsm_bfloat16_of_float(v));
}

/* Scales the scores and adds their mask. Beside the least number of 16 bits no score can be seen: sums are rounded as
 * operators of 16 bits round them. */
static void round_scores(const attention *a, float *restrict row, size_t n, const float *restrict mask) {
    const float scale = (float)a->scale;
    if (a->q.dtype == TSM_FLOAT16)
        for (size_t i = 0; i < n; i++)
            row[i] = rounded_to_half(row[i] * scale + mask[i]);
    else
        for (size_t i = 0; i < n; i++)
            row[i] = rounded_to_bfloat16(row[i] * scale + mask[i]);
}

static void weights_of(chunk *c, const query_strip *s) {
    const attention *a = c->j->a;
    const bool rounds = a->rounds && (a->mask.data || a->filled.data);
    const float scale = rounds ? 1.0f : (float)a->scale;
    for (size_t r = 0; r < s->n; r++) {
        float *row = c->scratch + c->j->at.scores + r * c->j->block;
        size_t n = keys_of_row(c, s->row + r);
        memset(row + n, 0, (s->keys - n) * sizeof *row);
        if (n == 0)
            continue;
        const float *mask = mask_of(c, s->head, s->row + r, n);
        if (a->filled.data)
            mask = fill_scores(c, s->head, s->row + r, row, n, mask);
        if (rounds) {
            round_scores(a, row, n, mask);
            mask = NULL;
        }
        float factor = TSM_F32(c->j->f32, softmax_block, row, n, scale, mask, &s->state[r]);
        if (factor != 1.0f && c->key)
            scale_row(s->results + (ptrdiff_t)r * s->result_row, a->value_features, factor);
    }
}

static void run_strip(chunk *c, const query_strip *s) {
    const attention_job *j = c->j;
    const float *rows[MOST_STRIP];
    scores_of(c, s);
    weights_of(c, s);
    for (size_t r = 0; r < s->n; r++)
        rows[r] = c->scratch + j->at.scores + r * j->block;
    tsm_gemm_block g = {.rows = s->n,
                        .columns = j->a->value_features,
                        .taps = 1,
                        .depth = s->keys,
                        .a = rows,
                        .a_step = s->n,
                        .b = c->v_panels,
                        .b_stride = c->v_stride,
                        .b_panel = c->v_panel,
                        .c = s->results,
                        .c_stride = s->result_row,
                        .accumulate = c->key > 0,
                        .is_lone_row = s->n == 1};
    TSM_F32(j->f32, gemm, &g);
}

/* ---- Chunks ---- */

static tsm_softmax_row *states(const chunk *c) {
    return (tsm_softmax_row *)(void *)(c->scratch + c->j->at.rows);
}

/* Where the result of a row is computed, and how far the next row is. */
static float *result_of(const chunk *c, size_t head, size_t row, ptrdiff_t *step) {
    const attention *a = c->j->a;
    if (c->j->results_lie) {
        *step = a->out.row;
        return (float *)(void *)(uintptr_t)tsm_attention_matrix(a, &a->out, c->batch, head) +
               (ptrdiff_t)row * a->out.row;
    }
    *step = (ptrdiff_t)a->value_features;
    return c->scratch + c->j->at.results + ((head - c->head) * c->j->chunk + row - c->first) * a->value_features;
}

static void sdp_f32_run_block(chunk *c) {
    const loops_cut cut = loops_cut_of(c->last - c->first, c->j->f32->gemm_rows);
    prepare_block(c);
    c->mask_row = NULL;
    for (size_t h = 0; h < c->heads; h++)
        for (size_t i = 0; i < cut.tiles; i++) {
            query_strip s;
            size_t first;
            s.head = c->head + h;
            s.n = loops_cut_rows(&cut, i, &first);
            s.row = c->first + first;
            s.keys = keys_of_row(c, s.row + s.n - 1);
            s.state = states(c) + h * c->j->chunk + first;
            s.results = result_of(c, s.head, s.row, &s.result_row);
            if (s.keys)
                run_strip(c, &s);
        }
}

static void fill_row(float *row, size_t n, float number) {
    for (size_t i = 0; i < n; i++)
        row[i] = number;
}

/* Divides by the sums; a row whose keys are all masked has none. */
static void finish_chunk(const chunk *c) {
    const attention *a = c->j->a;
    for (size_t h = 0; h < c->heads; h++)
        for (size_t row = c->first; row < c->last; row++) {
            tsm_softmax_row *s = states(c) + h * c->j->chunk + row - c->first;
            ptrdiff_t step;
            float *result = result_of(c, c->head + h, row, &step);
            char *to = (char *)(uintptr_t)tsm_attention_matrix(a, &a->out, c->batch, c->head + h) +
                       (ptrdiff_t)row * a->out.row * a->out.size;
            if (s->sum == 0.0f)
                fill_row(result, a->value_features, a->masked_are_nan && a->keys ? NAN : 0.0f);
            else
                scale_row(result, a->value_features, 1.0f / s->sum);
            if (!c->j->results_lie)
                tsm_lane_store(a->out.dtype, to, a->out.column * a->out.size, TSM_LANE_F32, result,
                               (tsm_dim)a->value_features);
            if (a->log_sums.data) {
                float *log_sum =
                    (float *)(void *)(uintptr_t)tsm_attention_matrix(a, &a->log_sums, c->batch, c->head + h);
                log_sum[(ptrdiff_t)row * a->log_sums.row] = s->sum == 0.0f ? 0.0f : s->top + logf(s->sum);
            }
        }
}

/* Items are chunks of groups of heads of batches. */
static void sdp_f32_run_range(void *argument, void *scratch, size_t begin, size_t end) {
    const attention_job *j = argument;
    const attention *a = j->a;
    const size_t groups = a->heads / a->group;
    for (size_t i = begin; i < end; i++) {
        chunk c = {.j = j, .scratch = scratch, .heads = a->group};
        c.batch = i / j->chunks / groups;
        c.head = i / j->chunks % groups * a->group;
        c.first = i % j->chunks * j->chunk;
        c.last = c.first + j->chunk < a->queries ? c.first + j->chunk : a->queries;
        c.k = tsm_attention_matrix(a, &a->k, c.batch, c.head);
        c.v = tsm_attention_matrix(a, &a->v, c.batch, c.head);
        for (size_t r = 0; r < c.heads * j->chunk; r++)
            states(&c)[r] = (tsm_softmax_row){-INFINITY, 0.0f};
        size_t keys = a->is_causal && c.last < a->keys ? c.last : a->keys;
        for (c.key = 0; c.key < keys; c.key += c.keys) {
            c.keys = keys - c.key < j->block ? keys - c.key : j->block;
            sdp_f32_run_block(&c);
        }
        finish_chunk(&c);
    }
}

/* ---- Sizes ---- */

static size_t rounded_up(size_t n) {
    return (n + TSM_PANEL - 1) / TSM_PANEL * TSM_PANEL;
}

static size_t at_most(size_t n, size_t most) {
    return n < most ? n : most;
}

/* The block and the chunk that keep the scratch memory near the limit. */
static void choose_sizes(attention_job *j) {
    const attention *a = j->a;
    const size_t floats = j->f32->scratch_limit / sizeof(float), width = rounded_up(a->value_features);
    size_t block = floats / 2 / (a->features + width + j->f32->gemm_rows) / TSM_PANEL * TSM_PANEL;
    block = at_most(block, MOST_KEYS);
    block = at_most(block, rounded_up(a->keys));
    j->block = block ? block : TSM_PANEL;
    size_t row = sizeof(tsm_softmax_row) / sizeof(float) + (j->results_lie ? 0 : a->value_features);
    size_t most = at_most(floats / 2 / row / a->group, MOST_CHUNK);
    most = most < j->f32->gemm_rows ? j->f32->gemm_rows : most;
    j->chunks = loops_tiles(a->queries, most);
    j->chunk = (a->queries + j->chunks - 1) / j->chunks;
}

static size_t place(size_t *floats, size_t n) {
    size_t at = *floats;
    *floats += rounded_up(n);
    return at;
}

static void sdp_f32_lay_out(attention_job *j) {
    const attention *a = j->a;
    const size_t strip_rows = at_most(j->f32->gemm_rows, j->chunk), rows = a->group * j->chunk;
    scratch_layout *l = &j->at;
    l->keys = place(&l->floats, j->keys_lie ? 0 : j->block * a->features);
    l->values = place(&l->floats, j->values_lie ? 0 : j->block * rounded_up(a->value_features));
    l->scores = place(&l->floats, strip_rows * j->block);
    l->queries = place(&l->floats, lies_in_rows(&a->q) ? 0 : strip_rows * a->features);
    l->mask = place(&l->floats, !a->mask.data || lies_in_rows(&a->mask) ? 0 : j->block);
    l->filled = place(&l->floats, a->filled.data ? j->block : 0);
    l->gathered = place(&l->floats, lies_in_rows(&a->k) ? 0 : TSM_PANEL * a->features);
    l->results = place(&l->floats, j->results_lie ? 0 : rows * a->value_features);
    l->rows = place(&l->floats, rows * sizeof(tsm_softmax_row) / sizeof(float));
}

tsm_status tsm_attention_f32(tsm_exec *x, const attention *a) {
    attention_job j = {.a = a, .f32 = loops_f32(x)};
    const bool few = a->group * a->queries <= SDP_F32_FEW_QUERIES;
    j.keys_lie = few && lies_in_rows(&a->k);
    j.values_lie = few && lies_in_rows(&a->v) && a->value_features % TSM_PANEL == 0 && a->v.row >= 0;
    j.results_lie = lies_in_rows(&a->out);
    choose_sizes(&j);
    sdp_f32_lay_out(&j);
    const double work = (double)(j.chunk * a->group) * (double)a->keys * (double)(a->features + a->value_features);
    const size_t grain = work < SDP_F32_TASK_WORK ? (size_t)(SDP_F32_TASK_WORK / (work + 1)) + 1 : 1;
    return tsm_loops_parallel(x, a->batch * (a->heads / a->group) * j.chunks, grain, j.at.floats * sizeof(float),
                              sdp_f32_run_range, &j);
}

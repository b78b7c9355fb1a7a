/* Products of few steps and few columns, many of them or of many rows: all of B's rows stay in registers, and nothing
 * is packed. One column is calculated as a row of the turned product, so that its elements fill vectors. */
#include "runtime/kernels/linalg/gemm.h"

#if TSM_NARROW_LANES
/* MOST_DEPTH: steps of a product, rows of B in registers. LEAST_ROWS: of all products; fewer are left to others. */
enum { TINY_LANES = 4, MOST_DEPTH = 8, MOST_COLUMNS = 8, LEAST_ROWS = 8, TASK_ROWS = 1 << 14 };
typedef float tiny_vec __attribute__((vector_size(4 * TINY_LANES)));
typedef float tiny_anywhere __attribute__((vector_size(4 * TINY_LANES), aligned(4), may_alias));
#define TINY_INLINE static inline __attribute__((always_inline))

/* n (1 to 4) elements `step` apart. */
TINY_INLINE tiny_vec tiny_load(const float *from, ptrdiff_t step, size_t n) {
    switch (n) {
    case 1:
        return (tiny_vec){from[0]};
    case 2:
        return (tiny_vec){from[0], from[step]};
    case 3:
        return (tiny_vec){from[0], from[step], from[2 * step]};
    default:
        if (step == 1)
            return (tiny_vec) * (const tiny_anywhere *)from;
        return (tiny_vec){from[0], from[step], from[2 * step], from[3 * step]};
    }
}

/* n elements. Where `room` says so all four are written: what is too much is overwritten by the next. */
TINY_INLINE void tiny_store(float *to, tiny_vec v, size_t n, bool room) {
    if (room || n >= TINY_LANES) {
        *(tiny_anywhere *)to = v;
        return;
    }
    for (size_t i = 0; i < n; i++)
        to[i] = v[i];
}

typedef struct {
    const gemm_product *p; /* rows of C follow each other without gaps, as its matrices do */
    const float *bias;
    size_t bias_step; /* from column to column: 0 where one serves all */
} tiny_products;

/* Up to four columns from n on, of all rows of matrix i. */
TINY_INLINE void tiny_columns(const tiny_products *t, size_t i, size_t n, float *stop, const size_t depth) {
    const gemm_product *p = t->p;
    const size_t columns = p->n - n < TINY_LANES ? p->n - n : TINY_LANES;
    const bool in_order = p->n <= TINY_LANES || p->m == 1;
    const float *a = p->a + (ptrdiff_t)i * p->a_batch;
    const float *b = p->b + (ptrdiff_t)i * p->b_batch + (ptrdiff_t)n * p->b_col;
    float *c = p->c + (ptrdiff_t)i * p->c_batch + n;
    tiny_vec rows[MOST_DEPTH], first = {0};
    for (size_t k = 0; k < depth; k++)
        rows[k] = tiny_load(b + (ptrdiff_t)k * p->b_row, p->b_col, columns);
    if (t->bias)
        first = tiny_load(t->bias + n * t->bias_step, (ptrdiff_t)t->bias_step, columns);
    for (size_t r = 0; r < p->m; r++, a += p->a_row, c += p->n) {
        tiny_vec sum = first;
        for (size_t k = 0; k < depth; k++)
            sum += a[(ptrdiff_t)k * p->a_col] * rows[k];
        tiny_store(c, sum, columns, in_order && c + TINY_LANES <= stop);
    }
}

TINY_INLINE void tiny_matrices(const tiny_products *t, size_t begin, size_t end, const size_t depth) {
    float *stop = t->p->c + (ptrdiff_t)end * t->p->c_batch;
    for (size_t i = begin; i < end; i++)
        for (size_t n = 0; n < t->p->n; n += TINY_LANES)
            tiny_columns(t, i, n, stop, depth);
}

/* A range of the matrices, or of the rows of the only one. */
static void tiny_range(void *argument, void *scratch, size_t begin, size_t end) {
    const gemm_product *given = argument;
    const float *bias = given->finish ? given->finish->column_bias : NULL;
    gemm_product p = *given;
    (void)scratch;
    if (p.batch == 1) {
        p.a += (ptrdiff_t)begin * p.a_row;
        p.c += (ptrdiff_t)begin * p.c_row;
        p.m = end - begin;
        begin = 0;
        end = 1;
        p.c_batch = (ptrdiff_t)(p.m * p.n);
    }
    tiny_products t = {&p, bias, 1};
    if (p.n == 1 && p.m > 1) {
        const gemm_product turned = p;
        t.bias_step = 0;
        p.m = 1;
        p.n = turned.m;
        p.a = turned.b, p.a_batch = turned.b_batch, p.a_row = turned.b_col, p.a_col = turned.b_row;
        p.b = turned.a, p.b_batch = turned.a_batch, p.b_row = turned.a_col, p.b_col = turned.a_row;
    }
    switch (p.k) {
    case 2:
        tiny_matrices(&t, begin, end, 2);
        break;
    case 3:
        tiny_matrices(&t, begin, end, 3);
        break;
    case 4:
        tiny_matrices(&t, begin, end, 4);
        break;
    default:
        tiny_matrices(&t, begin, end, p.k);
        break;
    }
}

bool tsm_gemm_is_tiny(tsm_exec *x, const gemm_product *p) {
    const tsm_finish *f = p->finish;
    return loops_are_narrow(x) && p->n && p->n <= MOST_COLUMNS && p->k && p->k <= MOST_DEPTH && p->m &&
           p->batch * p->m >= LEAST_ROWS && p->c_row == (ptrdiff_t)p->n && p->c_batch == (ptrdiff_t)(p->m * p->n) &&
           (!f || (f->activation == TSM_ACT_NONE && !f->row_bias && !f->residual));
}

tsm_status tsm_gemm_tiny(tsm_exec *x, const gemm_product *p) {
    gemm_product whole = *p;
    if (p->b_batch == 0 && p->a_batch == (ptrdiff_t)p->m * p->a_row) { /* the same B for all: one tall product */
        whole.m *= whole.batch;
        whole.batch = 1;
    }
    const size_t rows = whole.batch > 1 ? whole.m : 1;
    return tsm_loops_parallel(x, whole.batch > 1 ? whole.batch : whole.m, TASK_ROWS / rows + 1, 0, tiny_range, &whole);
}
#endif

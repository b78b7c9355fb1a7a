/* Matrix products: floats by blocks, packing and the inner loops, other types plainly. */
#include "runtime/kernels/linalg/gemm.h"

enum {
    KC = 256,     /* depth of a block that is packed at run time: a panel of it is 16 KiB */
    FEW_ROWS = 4, /* up to here, packing costs more than it saves */
};

tsm_finish tsm_gemm_finish_at(const tsm_finish *f, ptrdiff_t row, ptrdiff_t column) {
    tsm_finish part = {0};
    if (f) {
        part = *f;
        if (f->column_bias)
            part.column_bias = f->column_bias + column;
        if (f->row_bias)
            part.row_bias = f->row_bias + row;
        if (f->residual)
            part.residual = f->residual + row * f->residual_stride + column;
    }
    return part;
}

void tsm_gemm_tall_run(const tsm_f32_loops *f32, const gemm_tall *t) {
    const size_t strip = gemm_strip(f32);
    for (size_t first = 0, n; first < t->m; first += n) {
        const float *rows[GEMM_STRIP];
        n = t->m - first < strip ? t->m - first : strip;
        for (size_t r = 0; r < n; r++)
            rows[r] = t->a + (ptrdiff_t)(first + r) * t->a_row;
        tsm_finish finish = tsm_gemm_finish_at(t->finish, (ptrdiff_t)first, 0);
        tsm_gemm_block g = {
            .rows = n,
            .columns = t->columns,
            .taps = 1,
            .depth = t->depth,
            .a = rows,
            .a_step = n,
            .b = t->b,
            .b_stride = t->b_stride,
            .b_panel = t->b_panel,
            .c = t->c + (ptrdiff_t)first * t->c_row,
            .c_stride = t->c_row,
            .accumulate = t->accumulate,
            .is_lone_row = t->is_lone_row,
            .more = t->more,
            .finish = &finish,
        };
        TSM_F32(f32, gemm, &g);
    }
}

/* ---- Blocks ---- */

/* The part [m0, m1) x [n0, n1) of batch `batch`. */
typedef struct {
    size_t batch, m0, m1, n0, n1;
} gemm_part;

/* One product, cut for tasks. */
typedef struct gemm_job {
    void (*run)(const struct gemm_job *j, const gemm_part *r, float *scratch); /* k > 0 */
    const tsm_f32_loops *f32;
    const gemm_product *p;
    const float *packed; /* NULL: B is packed here */
    const narrow_weight *narrow;
    /* Packs rows [k, k + depth) of a part's columns. */
    void (*pack)(const struct gemm_job *j, const gemm_part *block, size_t k, size_t depth, float *to);
    size_t panels;   /* of a block packed at run time */
    size_t a_floats; /* of scratch, for rows of A that are gathered */
    bool by_columns; /* ranges are panels of columns, not rows */
} gemm_job;

static const float *part_a(const gemm_product *p, const gemm_part *r, size_t k) {
    return p->a + (ptrdiff_t)r->batch * p->a_batch + (ptrdiff_t)r->m0 * p->a_row + (ptrdiff_t)k * p->a_col;
}

static const float *part_b(const gemm_product *p, const gemm_part *r, size_t k) {
    return p->b + (ptrdiff_t)r->batch * p->b_batch + (ptrdiff_t)k * p->b_row + (ptrdiff_t)r->n0 * p->b_col;
}

static float *part_c(const gemm_product *p, const gemm_part *r) {
    return p->c + (ptrdiff_t)r->batch * p->c_batch + (ptrdiff_t)r->m0 * p->c_row + (ptrdiff_t)r->n0;
}

static tsm_finish part_finish(const gemm_product *p, const gemm_part *r) {
    tsm_finish f = tsm_gemm_finish_at(p->finish, (ptrdiff_t)r->m0, (ptrdiff_t)r->n0);
    if (f.residual)
        f.residual += (ptrdiff_t)r->batch * p->residual_batch;
    return f;
}

/* Few rows of A by a B whose columns are consecutive along k, as in linear's weight: dot products, without packing B.
 */
static void few_rows(const gemm_job *j, const gemm_part *r) {
    const gemm_product *p = j->p;
    tsm_finish f = part_finish(p, r);
    float *c = part_c(p, r);
    size_t n = r->n1 - r->n0;
    for (size_t i = 0; i < r->m1 - r->m0; i++) {
        float *y = c + (ptrdiff_t)i * p->c_row;
        for (size_t o = 0; o < n; o++)
            y[o] = (f.column_bias ? f.column_bias[o] : 0.0f) + (f.row_bias ? f.row_bias[i] : 0.0f) +
                   (f.residual ? f.residual[(ptrdiff_t)i * f.residual_stride + (ptrdiff_t)o] : 0.0f);
    }
    /* Groups of columns stay in cache for all rows. */
    enum { GROUP = 16 };
    for (size_t o = 0; o < n; o += GROUP)
        for (size_t i = 0; i < r->m1 - r->m0; i++)
            TSM_F32(j->f32, dots, n - o < GROUP ? n - o : GROUP, p->k, part_a(p, r, 0) + (ptrdiff_t)i * p->a_row,
                    part_b(p, r, 0) + (ptrdiff_t)o * p->b_col, p->b_col, c + (ptrdiff_t)i * p->c_row + o, 1);
    if (f.activation != TSM_ACT_NONE)
        for (size_t i = 0; i < r->m1 - r->m0; i++)
            TSM_F32(j->f32, activate, c + (ptrdiff_t)i * p->c_row, c + (ptrdiff_t)i * p->c_row, n, f.activation, f.low,
                    f.high);
}

/* Copies `rows` rows of A, whose columns are strided, `depth` deep. */
static void gather_a(float *to, const gemm_product *p, const float *a, size_t rows, size_t depth) {
    for (size_t r = 0; r < rows; r++)
        for (size_t k = 0; k < depth; k++)
            to[r * depth + k] = a[(ptrdiff_t)r * p->a_row + (ptrdiff_t)k * p->a_col];
}

/* The part's side of its product with a block of B; its rows of A are consecutive. */
static void set_part(const gemm_job *j, const gemm_part *r, gemm_tall *t, size_t k, const tsm_finish *f) {
    const gemm_product *p = j->p;
    t->finish = f;
    t->c = part_c(p, r);
    t->c_row = p->c_row;
    t->columns = r->n1 - r->n0;
    t->is_lone_row = p->m == 1;
    t->a = part_a(p, r, k);
    t->a_row = p->a_row;
    t->m = r->m1 - r->m0;
}

/* Rows of the part against a block of B; A is gathered tile by tile when its columns are strided. */
static void against_block(const gemm_job *j, const gemm_part *r, gemm_tall *t, size_t k, float *a_scratch) {
    const gemm_product *p = j->p;
    tsm_finish f = part_finish(p, r);
    set_part(j, r, t, k, &f);
    if (p->a_col == 1) {
        tsm_gemm_tall_run(j->f32, t);
        return;
    }
    const loops_cut cut = loops_cut_of(r->m1 - r->m0, j->f32->gemm_rows);
    for (size_t i = 0; i < cut.tiles; i++) {
        size_t first, rows = loops_cut_rows(&cut, i, &first);
        gather_a(a_scratch, p, part_a(p, r, k) + (ptrdiff_t)first * p->a_row, rows, t->depth);
        gemm_tall tile = *t;
        tsm_finish tile_finish = tsm_gemm_finish_at(&f, (ptrdiff_t)first, 0);
        tile.a = a_scratch;
        tile.a_row = (ptrdiff_t)t->depth;
        tile.m = rows;
        tile.c = t->c + (ptrdiff_t)first * p->c_row;
        tile.finish = &tile_finish;
        tsm_gemm_tall_run(j->f32, &tile);
    }
}

/* B as it lies, when its rows are consecutive and there are full panels of them. */
static void on_plain_rows(const gemm_job *j, const gemm_part *r, float *a_scratch) {
    for (size_t k = 0; k < j->p->k; k += KC) {
        gemm_tall t = {
            .depth = j->p->k - k < KC ? j->p->k - k : KC,
            .b = part_b(j->p, r, k),
            .b_stride = (size_t)j->p->b_row,
            .b_panel = TSM_PANEL,
            .accumulate = k > 0,
            .more = k + KC < j->p->k,
        };
        against_block(j, r, &t, k, a_scratch);
    }
}

static void pack_block(const gemm_job *j, const gemm_part *block, size_t k, size_t depth, float *to) {
    const gemm_product *p = j->p;
    tsm_pack_matrix(to, part_b(p, block, k), block->n1 - block->n0, depth, p->b_col, p->b_row);
}

static void on_packed_blocks(const gemm_job *j, const gemm_part *r, float *b_scratch, float *a_scratch) {
    const gemm_product *p = j->p;
    size_t width = j->panels * TSM_PANEL;
    for (size_t n = r->n0; n < r->n1; n += width) {
        gemm_part block = *r;
        block.n0 = n;
        block.n1 = r->n1 - n < width ? r->n1 : n + width;
        for (size_t k = 0; k < p->k; k += KC) {
            gemm_tall t = {
                .depth = p->k - k < KC ? p->k - k : KC,
                .b = b_scratch,
                .b_stride = TSM_PANEL,
                .accumulate = k > 0,
                .more = k + KC < p->k,
            };
            t.b_panel = t.depth * TSM_PANEL;
            j->pack(j, &block, k, t.depth, b_scratch);
            against_block(j, &block, &t, k, a_scratch);
        }
    }
}

static void on_packed_weight(const gemm_job *j, const gemm_part *r, float *scratch) {
    (void)scratch;
    const gemm_product *p = j->p;
    tsm_finish f = part_finish(p, r);
    gemm_tall t = {.depth = p->k, .b = j->packed + r->n0 * p->k, .b_stride = TSM_PANEL, .b_panel = p->k * TSM_PANEL};
    set_part(j, r, &t, 0, &f);
    tsm_gemm_tall_run(j->f32, &t);
}

/* k = 0: nothing is added to the biases. */
static void without_depth(const gemm_job *j, const gemm_part *r) {
    const float *nothing[1] = {NULL};
    for (size_t i = 0; i < r->m1 - r->m0; i++) {
        gemm_part row = *r;
        row.m0 = r->m0 + i;
        tsm_finish f = part_finish(j->p, &row);
        tsm_gemm_block g = {.rows = 1, .columns = r->n1 - r->n0, .a = nothing, .c = part_c(j->p, &row), .finish = &f};
        TSM_F32(j->f32, gemm, &g);
    }
}

/* Ways to take a weight that is not packed. */
typedef enum { BY_DOTS, BY_PLAIN_ROWS, BY_BLOCKS } gemm_way;

/* Chosen by the product's sizes, not by the part's: results do not depend on the cut. */
static gemm_way way_of(const gemm_job *j) {
    const gemm_product *p = j->p;
    if (p->m <= FEW_ROWS && p->b_row == 1 && p->a_col == 1)
        return BY_DOTS;
    return p->m <= 2 * j->f32->gemm_rows && p->b_col == 1 && p->b_row >= 0 ? BY_PLAIN_ROWS : BY_BLOCKS;
}

static void on_plain_weight(const gemm_job *j, const gemm_part *r, float *scratch) {
    const gemm_way way = way_of(j);
    float *a_scratch = scratch, *b_scratch = scratch + j->a_floats;
    if (way == BY_DOTS) {
        few_rows(j, r);
    } else if (way == BY_PLAIN_ROWS) {
        gemm_part whole = *r, rest = *r;
        whole.n1 = rest.n0 = r->n0 + (r->n1 - r->n0) / TSM_PANEL * TSM_PANEL;
        if (whole.n1 > whole.n0)
            on_plain_rows(j, &whole, a_scratch);
        if (rest.n1 > rest.n0)
            on_packed_blocks(j, &rest, b_scratch, a_scratch);
    } else {
        on_packed_blocks(j, r, b_scratch, a_scratch);
    }
}

static void run_part(const gemm_job *j, const gemm_part *r, float *scratch) {
    if (j->p->k)
        j->run(j, r, scratch);
    else
        without_depth(j, r);
}

/* A range of batches, or of panels or rows of the only batch. */
static void gemm_run_range(void *argument, void *scratch, size_t begin, size_t end) {
    const gemm_job *j = argument;
    const gemm_product *p = j->p;
    if (p->batch > 1) {
        for (size_t b = begin; b < end; b++) {
            gemm_part all = {b, 0, p->m, 0, p->n};
            run_part(j, &all, scratch);
        }
        return;
    }
    gemm_part part = {0, 0, p->m, 0, p->n};
    if (j->by_columns) {
        part.n0 = begin * TSM_PANEL;
        part.n1 = end * TSM_PANEL < p->n ? end * TSM_PANEL : p->n;
    } else {
        part.m0 = begin;
        part.m1 = end;
    }
    run_part(j, &part, scratch);
}

/* Multiply-adds that make a task worth its start. */
enum { GEMM_TASK_WORK = 1 << 18 };

static size_t at_least_one(size_t n) {
    return n ? n : 1;
}

static tsm_status gemm_start(tsm_exec *x, gemm_job *j) {
    const gemm_product *p = j->p;
    if (p->batch == 0 || p->m == 0 || p->n == 0)
        return TSM_OK;
    size_t depth = p->k < KC ? p->k : KC, panels = tsm_pack_panels(p->n);
    size_t most = depth ? loops_scratch(x) / (TSM_PANEL * sizeof(float) * depth) : 1;
    j->panels = panels < at_least_one(most) ? panels : at_least_one(most);
    size_t packed = j->packed ? 0 : j->panels;
    if (!j->packed && !j->narrow && way_of(j) != BY_BLOCKS)
        packed = way_of(j) == BY_PLAIN_ROWS && p->n % TSM_PANEL; /* the rest of the columns */
    j->a_floats = j->packed || j->narrow || p->a_col == 1 ? 0 : j->f32->gemm_rows * depth;
    size_t scratch = (packed * TSM_PANEL * depth + j->a_floats) * sizeof(float);
    j->by_columns = p->n >= p->m || p->m < 4 * j->f32->gemm_rows;
    size_t items = p->batch > 1 ? p->batch : j->by_columns ? panels : p->m;
    size_t work = at_least_one(p->batch * p->m * p->n / items * at_least_one(p->k));
    size_t grain = at_least_one(GEMM_TASK_WORK / work);
    if (p->batch == 1 && !j->by_columns)
        grain = (grain + j->f32->gemm_rows - 1) / j->f32->gemm_rows * j->f32->gemm_rows;
    return tsm_loops_parallel(x, items, grain, scratch, gemm_run_range, j);
}

tsm_status tsm_gemm_f32(tsm_exec *x, const gemm_product *p) {
    if (tsm_gemm_small(p))
        return TSM_OK;
#if TSM_NARROW_LANES
    if (tsm_gemm_is_tiny(x, p))
        return tsm_gemm_tiny(x, p);
    gemm_product turned;
    if (p->n == 1 && p->m > 1 && p->a_row == 1 && p->a_col != 1 && p->c_row == 1 && !p->finish) {
        turned = *p; /* a matrix whose columns lie in order, times a vector: a row times a matrix of such rows */
        turned.m = 1, turned.n = p->m, turned.c_row = (ptrdiff_t)p->m;
        turned.a = p->b, turned.a_batch = p->b_batch, turned.a_row = p->b_col, turned.a_col = p->b_row;
        turned.b = p->a, turned.b_batch = p->a_batch, turned.b_row = p->a_col, turned.b_col = 1;
        p = &turned;
    }
#endif
    gemm_job j = {.run = on_plain_weight, .f32 = loops_f32(x), .p = p, .pack = pack_block};
    return gemm_start(x, &j);
}

tsm_status tsm_gemm_f32_packed(tsm_exec *x, const gemm_product *p, const float *packed) {
    gemm_job j = {.run = on_packed_weight, .f32 = loops_f32(x), .p = p, .packed = packed};
    return gemm_start(x, &j);
}

/* ---- Narrow weights ---- */

static void widen_block(const gemm_job *j, const gemm_part *block, size_t k, size_t depth, float *to) {
    for (size_t n = block->n0; n < block->n1; n += TSM_PANEL, to += depth * TSM_PANEL)
        j->narrow->widen(j->f32, j->narrow, n / TSM_PANEL, k, depth, to);
}

static void on_narrow_weight(const gemm_job *j, const gemm_part *r, float *scratch) {
    on_packed_blocks(j, r, scratch, NULL);
}

/* Panels of a product of one row, each number of the weight read once. */
static void narrow_row_range(void *argument, void *scratch, size_t begin, size_t end) {
    const gemm_job *j = argument;
    const gemm_product *p = j->p;
    const size_t first = begin * TSM_PANEL, last = end * TSM_PANEL < p->n ? end * TSM_PANEL : p->n;
    const gemm_part part = {0, 0, 1, first, last};
    const float *nothing[1] = {NULL};
    tsm_finish f = part_finish(p, &part);
    (void)scratch;
    for (size_t n = first; n < last; n += TSM_PANEL) {
        const size_t bytes = (last - n < TSM_PANEL ? last - n : TSM_PANEL) * sizeof(float);
        float sums[TSM_PANEL] = {0};
        if (f.column_bias)
            memcpy(sums, f.column_bias + (n - first), bytes);
        j->narrow->multiply_row(j->f32, j->narrow, n / TSM_PANEL, p->a, sums);
        memcpy(p->c + n, sums, bytes);
    }
    /* Nothing more is added but the residual. */
    const tsm_gemm_block g = {
        .rows = 1, .columns = last - first, .a = nothing, .c = p->c + first, .accumulate = true, .finish = &f};
    TSM_F32(j->f32, gemm, &g);
}

tsm_status tsm_gemm_f32_narrow(tsm_exec *x, const gemm_product *p, const narrow_weight *w) {
    gemm_job j = {.run = on_narrow_weight, .f32 = loops_f32(x), .p = p, .narrow = w, .pack = widen_block};
    if (p->m != 1 || p->n == 0)
        return gemm_start(x, &j);
    return tsm_loops_parallel(x, tsm_pack_panels(p->n), GEMM_TASK_WORK / (p->k * TSM_PANEL + 1) + 1, 0,
                              narrow_row_range, &j);
}

/* ---- Other dtypes ---- */

void tsm_gemm_add_f64(tsm_exec *x, const tsm_f64_product *p) {
#if defined(TSM_TABLES_X86_64)
    if (loops_f32(x)->lanes >= 8) {
        tsm_f64_add_product_avx2(p);
        return;
    }
#endif
    (void)x;
    tsm_f64_add_product_base(p);
}

enum { COMPLEX_SIDE = TSM_NARROW_LANES ? 32 : 8 };

/* One row: its real and its imaginary parts are two rows, whose products with B as it lies are joined. */
static void add_complex_row(tsm_exec *x, const tsm_f64_product *p) {
    for (size_t n = 0, columns; n < p->n; n += columns) {
        columns = p->n - n < COMPLEX_SIDE ? p->n - n : COMPLEX_SIDE;
        double sums[2][2 * COMPLEX_SIDE] = {{0}}, *c = p->c + 2 * n;
        const tsm_f64_product parts = {
            2, 2 * columns, p->k, p->a, 1, 2 * p->a_col, p->b + 2 * n, 2 * p->b_row, sums[0], 2 * COMPLEX_SIDE, false};
        tsm_gemm_add_f64(x, &parts);
        for (size_t j = 0; j < 2 * columns; j += 2) {
            const double re = sums[0][j] - sums[1][j + 1], im = sums[0][j + 1] + sums[1][j];
            c[j] += p->subtract ? -re : re;
            c[j + 1] += p->subtract ? -im : im;
        }
    }
}

/* Complex numbers are pairs of doubles, and so is their product one of doubles: in B each row stands twice, as it lies
 * and times i. Where the columns of A are apart, only two numbers of a row follow each other. */
void tsm_gemm_add_c128(tsm_exec *x, const tsm_f64_product *p) {
    double block[COMPLEX_SIDE * COMPLEX_SIDE];
    if (p->m == 1) {
        add_complex_row(x, p);
        return;
    }
    const size_t side = COMPLEX_SIDE / 2, most = p->a_col == 1 ? side : 1;
    for (size_t n = 0; n < p->n; n += side)
        for (size_t k = 0; k < p->k; k += most) {
            const size_t columns = p->n - n < side ? p->n - n : side, depth = p->k - k < most ? p->k - k : most;
            for (size_t i = 0; i < depth; i++) {
                const double *b = p->b + 2 * ((ptrdiff_t)(k + i) * p->b_row + (ptrdiff_t)n);
                double *row = block + 2 * i * COMPLEX_SIDE, *turned = row + COMPLEX_SIDE;
                for (size_t j = 0; j < 2 * columns; j += 2) {
                    row[j] = turned[j + 1] = b[j];
                    row[j + 1] = b[j + 1];
                    turned[j] = -b[j + 1];
                }
            }
            const tsm_f64_product parts = {p->m,         2 * columns,
                                           2 * depth,    p->a + 2 * (ptrdiff_t)k * p->a_col,
                                           2 * p->a_row, 1,
                                           block,        COMPLEX_SIDE,
                                           p->c + 2 * n, 2 * p->c_row,
                                           p->subtract};
            tsm_gemm_add_f64(x, &parts);
        }
}

/* Columns of B and C are consecutive. */
static void product_c128(tsm_exec *x, const gemm_any *g) {
    const tsm_f64_product p = {g->m, g->n, g->k, g->a, g->a_row, g->a_col, g->b, g->b_row, g->c, g->c_row, false};
    for (size_t i = 0; i < g->m; i++)
        memset((double *)g->c + 2 * (ptrdiff_t)i * g->c_row, 0, 2 * g->n * sizeof(double));
    tsm_gemm_add_c128(x, &p);
}

/* Columns of B and C are consecutive. */
static void product_f64(tsm_exec *x, const gemm_any *g) {
    const tsm_f64_product p = {g->m, g->n, g->k, g->a, g->a_row, g->a_col, g->b, g->b_row, g->c, g->c_row, false};
    for (size_t i = 0; i < g->m; i++)
        memset((double *)g->c + (ptrdiff_t)i * g->c_row, 0, g->n * sizeof(double));
    tsm_gemm_add_f64(x, &p);
}

#if TSM_NARROW_LANES
/* B of strided columns, a block of it after the other gathered. */
static void product_f64_gathered(tsm_exec *x, const gemm_any *g) {
    enum { SIDE = 32 };
    const double *a = g->a, *b = g->b;
    double block[SIDE * SIDE];
    for (size_t i = 0; i < g->m; i++)
        memset((double *)g->c + (ptrdiff_t)i * g->c_row, 0, g->n * sizeof(double));
    for (size_t n = 0; n < g->n; n += SIDE)
        for (size_t k = 0; k < g->k; k += SIDE) {
            const size_t columns = g->n - n < SIDE ? g->n - n : SIDE, depth = g->k - k < SIDE ? g->k - k : SIDE;
            const double *from = b + (ptrdiff_t)k * g->b_row + (ptrdiff_t)n * g->b_col;
            for (size_t j = 0; j < columns; j++)
                for (size_t i = 0; i < depth; i++)
                    block[i * SIDE + j] = from[(ptrdiff_t)i * g->b_row + (ptrdiff_t)j * g->b_col];
            const tsm_f64_product p = {g->m,     columns, depth, a + (ptrdiff_t)k * g->a_col, g->a_row,
                                       g->a_col, block,   SIDE,  (double *)g->c + n,          g->c_row,
                                       false};
            tsm_gemm_add_f64(x, &p);
        }
}

/* How many bits hold all numbers of a matrix but their signs. */
static int gemm_bits(const int64_t *v, size_t rows, size_t columns, ptrdiff_t row, ptrdiff_t column) {
    int64_t any = 0;
    int bits = 0;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            const int64_t e = v[(ptrdiff_t)i * row + (ptrdiff_t)j * column];
            any |= e < 0 ? ~e : e;
        }
    for (; any; any >>= 1)
        bits++;
    return bits;
}

/* Whether doubles hold all sums of products of these ints, of matrices that are worth to be looked through. */
static bool gemm_fits_f64(const gemm_any *g) {
    enum { WORTHWHILE = 8, SIGNIFICAND = 53 };
    const int64_t terms = (int64_t)g->k;
    return g->m >= WORTHWHILE && g->n >= WORTHWHILE && g->k >= WORTHWHILE &&
           gemm_bits(&terms, 1, 1, 0, 0) + gemm_bits(g->a, g->m, g->k, g->a_row, g->a_col) +
                   gemm_bits(g->b, g->k, g->n, g->b_row, g->b_col) <=
               SIGNIFICAND;
}

/* Blocks of ints as doubles: 7 KB of stack. */
enum { INT_ROWS = 8, INT_COLUMNS = 16, INT_DEPTH = 32 };

static void gemm_gather_ints(double *to, size_t width, const int64_t *from, size_t rows, size_t columns, ptrdiff_t row,
                             ptrdiff_t column) {
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            to[i * width + j] = (double)from[(ptrdiff_t)i * row + (ptrdiff_t)j * column];
}

/* Ints that fit, block by block as doubles: processors multiply more of these at a time. */
static void product_i64_as_f64(tsm_exec *x, const gemm_any *g) {
    double a[INT_ROWS * INT_DEPTH], b[INT_DEPTH * INT_COLUMNS];
    for (size_t n = 0; n < g->n; n += INT_COLUMNS)
        for (size_t k = 0; k < g->k; k += INT_DEPTH) {
            const size_t columns = g->n - n < INT_COLUMNS ? g->n - n : INT_COLUMNS,
                         depth = g->k - k < INT_DEPTH ? g->k - k : INT_DEPTH;
            gemm_gather_ints(b, INT_COLUMNS, (const int64_t *)g->b + (ptrdiff_t)k * g->b_row + (ptrdiff_t)n * g->b_col,
                             depth, columns, g->b_row, g->b_col);
            for (size_t m = 0; m < g->m; m += INT_ROWS) {
                const size_t rows = g->m - m < INT_ROWS ? g->m - m : INT_ROWS;
                double sums[INT_ROWS * INT_COLUMNS] = {0};
                const tsm_f64_product p = {rows, columns,     depth, a,           INT_DEPTH, 1,
                                           b,    INT_COLUMNS, sums,  INT_COLUMNS, false};
                gemm_gather_ints(a, INT_DEPTH,
                                 (const int64_t *)g->a + (ptrdiff_t)m * g->a_row + (ptrdiff_t)k * g->a_col, rows, depth,
                                 g->a_row, g->a_col);
                tsm_gemm_add_f64(x, &p);
                for (size_t i = 0; i < rows; i++) {
                    int64_t *c = (int64_t *)g->c + (ptrdiff_t)(m + i) * g->c_row + n;
                    for (size_t j = 0; j < columns; j++)
                        c[j] = (k ? c[j] : 0) + (int64_t)sums[i * INT_COLUMNS + j];
                }
            }
        }
}
#endif

void tsm_gemm_plain(tsm_exec *x, tsm_dtype dtype, const gemm_any *g) {
    if (dtype == TSM_FLOAT64 && g->b_col == 1)
        product_f64(x, g);
    else if (dtype == TSM_COMPLEX128 && g->b_col == 1 && g->n > 1)
        product_c128(x, g);
#if TSM_NARROW_LANES
    else if (dtype == TSM_FLOAT64 && g->m > 1)
        product_f64_gathered(x, g);
    else if (dtype == TSM_INT64 && gemm_fits_f64(g))
        product_i64_as_f64(x, g);
#endif
    else
        tsm_gemm_others(x, dtype, g);
}

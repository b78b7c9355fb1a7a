/* The matrix product of f32_loops.h in vector C, in tiles of up to GEMM_ROWS rows by TILE_VECTORS vectors of columns,
 * held in registers over the whole depth. The sizes are those that fill the register file without spilling:
 *     16 lanes (32 registers)  12 x 2: two panels, so that an element of A is loaded once for two multiplications
 *     8 lanes (16 registers)   6 x 2
 *     4 lanes                  AArch64 (32 registers) 5 x 4; SSE2, ARMv7 (16 registers) 4 x 2; MVE (8 registers) 2 x 2
 *     1 lane                   4 x 4 scalars (32 single registers of the Cortex-M FPU)
 */
#if defined(TSM_PLAIN)
#define GEMM_ROWS 1
#define TILE_VECTORS 1
#elif VEC_LANES == 16
#define GEMM_ROWS 12
#define TILE_VECTORS 2
#elif VEC_LANES == 8
#define GEMM_ROWS 6
#define TILE_VECTORS 2
#elif VEC_LANES == 4 && defined(__aarch64__)
#define GEMM_ROWS 5
#define TILE_VECTORS 4
#elif VEC_LANES == 4 && !defined(__ARM_FEATURE_MVE)
#define GEMM_ROWS 4
#define TILE_VECTORS 2
#elif VEC_LANES == 4
#define GEMM_ROWS 2
#define TILE_VECTORS 2
#else
#define GEMM_ROWS 4
#define TILE_VECTORS 4
#endif

/* What a tile needs besides the block. Rows of C, of the residual and of the first values of the sums are there for all
 * columns that the tile computes. */
typedef struct {
    const tsm_gemm_block *g;
    const float *b;     /* first vector of the tile's columns in row 0 of B */
    size_t vector_step; /* floats from one vector of the tile to the next in a row of B */
    const float *start; /* first values of the sums; rows are start_stride apart, 0: all rows begin alike */
    ptrdiff_t start_stride;
    float *c;
    ptrdiff_t c_stride;
    const float *residual; /* of the tile, or NULL */
    ptrdiff_t residual_stride;
    float low, high; /* infinite: no bound */
} tile;

/* Where code is to be small, one body does for every number of rows: those that are not there are computed like the
 * last one, and left. What follows the sums are loops. */
#if VEC_LANES == 1 && defined(__OPTIMIZE_SIZE__)
#define TILE_SMALL 1
#else
#define TILE_SMALL 0
#endif

/* Rows of a tile from memory. */
VEC_INLINE void tile_load(const float *from, ptrdiff_t stride, vec_f32 (*sum)[TILE_VECTORS], vec_half *half,
                          const size_t R, const size_t V, const bool HALF) {
    UNROLL for (size_t r = 0; r < R; r++, from += stride) {
        UNROLL for (size_t v = 0; v < V; v++) sum[r][v] = vec_load(from + v * VEC_LANES);
        if (HALF)
            half[r] = vec_half_load(from + V * VEC_LANES);
    }
}

#if TILE_SMALL
/* Finishes and stores n sums. */
static void tile_store(const tile *t, float *c, const float *residual, const float *sums, size_t n) {
    for (size_t i = 0; i < n; i++) {
        float sum = sums[i];
        if (residual)
            sum += residual[i];
        c[i] = vec_at_most(vec_at_least(sum, t->low), t->high);
    }
}

static void tile_wide(const tile *t) {
    const tsm_gemm_block *g = t->g;
    float sum[GEMM_ROWS][TILE_VECTORS];
    const float *start[GEMM_ROWS], *a[GEMM_ROWS], *b = t->b;
    size_t row[GEMM_ROWS];
    UNROLL for (size_t r = 0; r < GEMM_ROWS; r++) {
        row[r] = r < g->rows ? r : g->rows - 1;
        start[r] = t->start + (ptrdiff_t)row[r] * t->start_stride;
    }
    UNROLL for (size_t r = 0; r < GEMM_ROWS; r++) UNROLL for (size_t v = 0; v < TILE_VECTORS; v++) sum[r][v] =
        start[r][v];
    const size_t b_stride = g->b_stride;
    const ptrdiff_t depth = (ptrdiff_t)g->depth;
    const float *const *pointers = g->a;
    for (size_t taps = g->taps; taps; taps--, pointers += g->a_step) {
        UNROLL for (size_t r = 0; r < GEMM_ROWS; r++) a[r] = pointers[row[r]] + depth;
        for (ptrdiff_t k = -depth; k; k++, b += b_stride) {
            float bv[TILE_VECTORS];
            UNROLL for (size_t v = 0; v < TILE_VECTORS; v++) bv[v] = b[v];
            UNROLL for (size_t r = 0; r < GEMM_ROWS; r++) {
                float s = a[r][k];
                UNROLL for (size_t v = 0; v < TILE_VECTORS; v++) sum[r][v] += bv[v] * s;
            }
        }
    }
    float sums[GEMM_ROWS][TILE_VECTORS];
    memcpy(sums, sum, sizeof sums);
    for (size_t r = 0; r < g->rows; r++)
        tile_store(t, t->c + (ptrdiff_t)r * t->c_stride,
                   t->residual ? t->residual + (ptrdiff_t)r * t->residual_stride : NULL, sums[r], TILE_VECTORS);
}
#else

/* The sums of a tile: V vectors of R rows, and with HALF a vector of half the length more. All three are constants
 * where this is used, so that the sums stay in registers. */
VEC_INLINE void tile_run(const tile *t, const size_t R, const size_t V, const bool HALF) {
    const tsm_gemm_block *g = t->g;
    vec_f32 sum[GEMM_ROWS][TILE_VECTORS];
    vec_half half[GEMM_ROWS];
    const float *start = t->start;
    const ptrdiff_t start_stride = t->start_stride;
    if (start_stride)
        tile_load(start, start_stride, sum, half, R, V, HALF);
    else
        tile_load(start, 0, sum, half, R, V, HALF);
    const float *b = t->b;
    const size_t b_stride = g->b_stride, vector_step = t->vector_step, a_step = g->a_step;
    const ptrdiff_t depth = (ptrdiff_t)g->depth;
    const float *const *pointers = g->a;
    for (size_t taps = g->taps; taps; taps--, pointers += a_step) {
        const float *a[GEMM_ROWS];
        UNROLL for (size_t r = 0; r < R; r++) a[r] = pointers[r] + depth;
        for (ptrdiff_t k = -depth; k; k++) { /* up to 0: the end needs no register */
            vec_f32 bv[TILE_VECTORS];
            vec_half bh;
            UNROLL for (size_t v = 0; v < V; v++) bv[v] = vec_load(b + v * vector_step);
            if (HALF)
                bh = vec_half_load(b + V * vector_step);
            UNROLL for (size_t r = 0; r < R; r++) {
                float s = a[r][k];
                UNROLL for (size_t v = 0; v < V; v++) sum[r][v] += bv[v] * s;
                if (HALF)
                    half[r] += bh * s;
            }
            b += b_stride;
        }
    }
    /* Reads the fields of t before the first store: the compiler must assume that stores change them. */
    const float *residual = t->residual;
    const ptrdiff_t residual_stride = t->residual_stride, c_stride = t->c_stride;
    float *to = t->c;
    if (residual) {
        UNROLL for (size_t r = 0; r < R; r++, residual += residual_stride) {
            UNROLL for (size_t v = 0; v < V; v++) sum[r][v] += vec_load(residual + v * VEC_LANES);
            if (HALF)
                half[r] += vec_half_load(residual + V * VEC_LANES);
        }
    }
    if (t->low > -INFINITY) {
        vec_f32 low = vec_set(t->low);
        UNROLL for (size_t r = 0; r < R; r++) {
            UNROLL for (size_t v = 0; v < V; v++) sum[r][v] = vec_at_least(sum[r][v], low);
            if (HALF)
                half[r] = vec_half_at_least(half[r], low);
        }
    }
    if (t->high < INFINITY) {
        vec_f32 high = vec_set(t->high);
        UNROLL for (size_t r = 0; r < R; r++) {
            UNROLL for (size_t v = 0; v < V; v++) sum[r][v] = vec_at_most(sum[r][v], high);
            if (HALF)
                half[r] = vec_half_at_most(half[r], high);
        }
    }
    UNROLL for (size_t r = 0; r < R; r++, to += c_stride) {
        UNROLL for (size_t v = 0; v < V; v++) vec_store(to + v * VEC_LANES, sum[r][v]);
        if (HALF)
            vec_half_store(to + V * VEC_LANES, half[r]);
    }
}

#define TILE_CASE(R)                                                                                                   \
    case R:                                                                                                            \
        tile_run(t, R, V, HALF);                                                                                       \
        break;
#if GEMM_ROWS == 12
#define TILE_CASES                                                                                                     \
    TILE_CASE(1)                                                                                                       \
    TILE_CASE(2)                                                                                                       \
    TILE_CASE(3)                                                                                                       \
    TILE_CASE(4)                                                                                                       \
    TILE_CASE(5) TILE_CASE(6) TILE_CASE(7) TILE_CASE(8) TILE_CASE(9) TILE_CASE(10) TILE_CASE(11) TILE_CASE(12)
#elif GEMM_ROWS == 6
#define TILE_CASES TILE_CASE(1) TILE_CASE(2) TILE_CASE(3) TILE_CASE(4) TILE_CASE(5) TILE_CASE(6)
#elif GEMM_ROWS == 5
#define TILE_CASES TILE_CASE(1) TILE_CASE(2) TILE_CASE(3) TILE_CASE(4) TILE_CASE(5)
#elif GEMM_ROWS == 4
#define TILE_CASES TILE_CASE(1) TILE_CASE(2) TILE_CASE(3) TILE_CASE(4)
#elif GEMM_ROWS == 2
#define TILE_CASES TILE_CASE(1) TILE_CASE(2)
#else
#define TILE_CASES TILE_CASE(1)
#endif

VEC_INLINE void tile_rows(const tile *t, const size_t V, const bool HALF) {
    switch (t->g->rows) { TILE_CASES }
}

static void tile_wide(const tile *t) {
    tile_rows(t, TILE_VECTORS, false);
}
#endif

/* Tiles narrower than the widest, for what is left of the columns; the greatest first. */
typedef struct {
    size_t columns;
    void (*run)(const tile *t);
} tile_form;

#if VEC_LANES == 16
static void tile_half(const tile *t) {
    tile_rows(t, 0, true);
}
static void tile_one(const tile *t) {
    tile_rows(t, 1, false);
}
static void tile_one_and_half(const tile *t) {
    tile_rows(t, 1, true);
}
static const tile_form tile_forms[] = {{32, tile_wide}, {24, tile_one_and_half}, {16, tile_one}, {8, tile_half}};
#elif VEC_LANES == 8
static void tile_one(const tile *t) {
    tile_rows(t, 1, false);
}
static const tile_form tile_forms[] = {{16, tile_wide}, {8, tile_one}};
#else
static const tile_form tile_forms[] = {{TILE_VECTORS * VEC_LANES, tile_wide}};
#endif
enum { TILE_FORMS = sizeof tile_forms / sizeof *tile_forms };
#define TILE_COLUMNS (TILE_VECTORS * VEC_LANES)

/* A lone row uses every vector of B once, so what counts is to read B as it lies, in few streams, and to have enough
 * sums that they need not wait for each other: THIN_WAYS for each vector of columns, k by turns, however many vectors a
 * tile has. */
#if defined(TSM_PLAIN)
enum { THIN_VECTORS = 1, THIN_WAYS = 1 };
#elif VEC_LANES == 16
enum { THIN_VECTORS = 4, THIN_WAYS = 2 };
#elif VEC_LANES >= 4
enum { THIN_VECTORS = TSM_PANEL / VEC_LANES, THIN_WAYS = 8 / THIN_VECTORS };
#else
enum { THIN_VECTORS = 8, THIN_WAYS = 1 };
#endif
#define THIN_COLUMNS (THIN_VECTORS * VEC_LANES)

/* V, a constant where this is used, is at most THIN_VECTORS. */
VEC_INLINE void tile_thin(const tile *t, const size_t V) {
    const tsm_gemm_block *g = t->g;
    vec_f32 sum[THIN_WAYS][THIN_VECTORS];
    const size_t stride = g->b_stride, panel = g->b_panel;
    UNROLL for (size_t v = 0; v < V; v++) {
        UNROLL for (size_t w = 1; w < THIN_WAYS; w++) sum[w][v] = vec_set(0.0f);
        sum[0][v] = vec_load(t->start + v * VEC_LANES);
    }
#define THIN_STEP(W, A)                                                                                                \
    UNROLL for (size_t v = 0; v < V; v++) sum[W][v] +=                                                                 \
        vec_load(b + v * VEC_LANES / TSM_PANEL * panel + v * VEC_LANES % TSM_PANEL) * (A)
    const float *b = t->b;
    for (size_t tap = 0; tap < g->taps; tap++) {
        const float *a = g->a[tap * g->a_step];
        size_t k = 0;
        for (; k + THIN_WAYS <= g->depth; k += THIN_WAYS) {
            UNROLL for (size_t w = 0; w < THIN_WAYS; w++, b += stride) THIN_STEP(w, a[k + w]);
        }
        for (; k < g->depth; k++, b += stride)
            THIN_STEP(0, a[k]);
    }
#undef THIN_STEP
#if TILE_SMALL
    float sums[THIN_VECTORS];
    memcpy(sums, sum[0], V * sizeof *sums);
    tile_store(t, t->c, t->residual, sums, V);
#else
    vec_f32 low = vec_set(t->low), high = vec_set(t->high);
    UNROLL for (size_t v = 0; v < V; v++) {
        UNROLL for (size_t n = THIN_WAYS / 2; n > 0; n /= 2) {
            UNROLL for (size_t w = 0; w < n; w++) sum[w][v] += sum[w + n][v];
        }
        if (t->residual)
            sum[0][v] += vec_load(t->residual + v * VEC_LANES);
        vec_store(t->c + v * VEC_LANES, vec_at_most(vec_at_least(sum[0][v], low), high));
    }
#endif
}

static void tile_thin_wide(const tile *t) {
    tile_thin(t, THIN_VECTORS);
}
static void tile_thin_narrow(const tile *t) {
    tile_thin(t, 1);
}
static const tile_form thin_wide = {THIN_COLUMNS, tile_thin_wide}, thin_narrow = {VEC_LANES, tile_thin_narrow};

/* The tile for what is left of the columns: the narrowest that covers it, or the widest. */
static const tile_form *choose_form(size_t left, bool is_thin) {
    if (is_thin)
        return left >= THIN_COLUMNS ? &thin_wide : &thin_narrow;
    const tile_form *form = tile_forms;
    while (form < tile_forms + TILE_FORMS - 1 && form[1].columns >= left)
        form++;
    return form;
}

/* Rows of a tile beside the matrices, for what does not lie there as whole rows. */
typedef float tile_aside[GEMM_ROWS][TILE_COLUMNS];

VEC_INLINE void copy_row(float *to, const float *from, size_t columns) {
    size_t i = 0;
    for (; i + VEC_LANES <= columns; i += VEC_LANES)
        vec_store(to + i, vec_load(from + i));
    if (i < columns)
        vec_store_part(to + i, vec_load_part(from + i, columns - i), columns - i);
}

static void copy_aside(tile_aside to, const float *from, ptrdiff_t stride, size_t rows, size_t columns) {
    memset(to, 0, rows * sizeof *to);
    for (size_t r = 0; r < rows; r++)
        copy_row(to[r], from + (ptrdiff_t)r * stride, columns);
}

/* A tile of which only the first columns exist. */
static void tile_at_edge(const tile *t, const tile_form *form, size_t columns) {
    size_t rows = t->g->rows;
    tile_aside start, residual, c;
    tile edge = *t;
    copy_aside(start, t->start, t->start_stride, t->start_stride ? rows : 1, columns);
    edge.start = start[0];
    edge.start_stride = t->start_stride ? TILE_COLUMNS : 0;
    edge.c = c[0];
    edge.c_stride = TILE_COLUMNS;
    if (t->residual) {
        copy_aside(residual, t->residual, t->residual_stride, rows, columns);
        edge.residual = residual[0];
        edge.residual_stride = TILE_COLUMNS;
    }
    form->run(&edge);
    for (size_t r = 0; r < rows; r++)
        copy_row(t->c + (ptrdiff_t)r * t->c_stride, c[r], columns);
}

/* The first values of a block's sums; `zeros` are as many as a tile has columns. Row biases are written into `rows`. */
static void block_start(const tsm_gemm_block *g, tile *t, tile_aside rows, const float *zeros) {
    const tsm_finish *f = g->finish;
    t->start = zeros;
    t->start_stride = 0;
    if (g->accumulate) {
        t->start = g->c;
        t->start_stride = g->c_stride;
    } else if (f && f->column_bias) {
        t->start = f->column_bias;
    } else if (f && f->row_bias) {
        for (size_t r = 0; r < g->rows; r++)
            for (size_t j = 0; j < TILE_COLUMNS; j++)
                rows[r][j] = f->row_bias[r];
        t->start = rows[0];
        t->start_stride = TILE_COLUMNS;
    }
}

/* A block of at most GEMM_ROWS rows. */
static void gemm_rows(const tsm_gemm_block *g) {
    static const float zeros[TILE_COLUMNS > THIN_COLUMNS ? TILE_COLUMNS : THIN_COLUMNS] = {0};
    const tsm_finish *f = g->finish;
    tile_aside row_biases;
    tile t = {.g = g, .c = g->c, .c_stride = g->c_stride, .residual_stride = f ? f->residual_stride : 0};
    clamp_bounds(f, g->more, &t.low, &t.high);
    t.residual = f && !g->more ? f->residual : NULL;
    block_start(g, &t, row_biases, zeros);
    bool start_moves = g->accumulate || (f && f->column_bias),
         is_thin = g->is_lone_row && (start_moves || t.start == zeros);
    const bool from_last = g->from_last && is_thin && g->columns % THIN_COLUMNS == 0;
    const tile first = t;
    for (size_t covered = 0, done; covered < g->columns; covered += done) {
        const tile_form *form = choose_form(g->columns - covered, is_thin);
        done = g->columns - covered < form->columns ? g->columns - covered : form->columns;
        const size_t j = from_last ? g->columns - covered - done : covered;
        t.b = g->b + j / TSM_PANEL * g->b_panel + j % TSM_PANEL;
        t.vector_step = TILE_COLUMNS > (size_t)TSM_PANEL ? g->b_panel : VEC_LANES; /* such a tile spans two panels */
        t.c = first.c + j;
        t.start = start_moves ? first.start + j : first.start;
        t.residual = first.residual ? first.residual + j : NULL;
        if (done < form->columns)
            tile_at_edge(&t, form, done);
        else
            form->run(&t);
    }
    if (f && !g->more && !is_clamp(f->activation))
        activate_rows(g->c, g->c_stride, g->rows, g->columns, f);
}

/* The fewest tiles, as even as can be. */
static void loop_gemm(const tsm_gemm_block *g) {
    size_t tiles = (g->rows + GEMM_ROWS - 1) / GEMM_ROWS, larger = tiles > 1 ? g->rows % tiles : 0;
    if (tiles <= 1) {
        gemm_rows(g);
        return;
    }
    tsm_gemm_block part = *g;
    tsm_finish finish;
    if (g->finish) {
        finish = *g->finish;
        part.finish = &finish;
    }
    for (size_t i = 0; i < tiles; i++) {
        part.rows = g->rows / tiles + (i < larger);
        gemm_rows(&part);
        part.a += part.rows;
        part.c += (ptrdiff_t)part.rows * g->c_stride;
        if (g->finish && finish.row_bias)
            finish.row_bias += part.rows;
        if (g->finish && finish.residual)
            finish.residual += (ptrdiff_t)part.rows * finish.residual_stride;
    }
}

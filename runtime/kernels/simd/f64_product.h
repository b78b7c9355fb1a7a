/* The product of matrices of doubles, in tiles that stay in registers. Included once for each instruction set. */
#include "runtime/kernels/simd/f64.h"
#include "runtime/kernels/simd/vec.h"

/* Columns of a vector, vectors and rows of a tile: sums take half of the registers of SSE2 and AVX2. */
#if VEC_LANES > 1 && !defined(VEC_MVE)
enum { LANES = VEC_LANES >= 8 ? 4 : 2 };
typedef double vec_f64 __attribute__((vector_size(8 * (VEC_LANES >= 8 ? 4 : 2))));
typedef double vec_f64_anywhere __attribute__((vector_size(8 * (VEC_LANES >= 8 ? 4 : 2)), aligned(8), may_alias));
#define F64_LOAD(p) (*(const vec_f64_anywhere *)(p))
#define STORE(p, v) (*(vec_f64_anywhere *)(p) = (v))
#define ZERO                                                                                                           \
    { 0 }
#else
enum { LANES = 1 };
typedef double vec_f64;
#define F64_LOAD(p) (*(p))
#define STORE(p, v) (*(p) = (v))
#define ZERO 0
#endif
enum {
    F64_ROWS = 4,
    VECTORS = 2,
    ROW_VECTORS = 4, /* of a tile of one row or two, so that enough sums are under way */
    TILE = VECTORS * LANES,
    WIDTH = 4 * TILE, /* columns of B that are packed, so that a wide matrix does not cross the cache row by row */
    DEPTH = 16,
};

/* `rows` rows and `vectors` vectors of C from (i, j) on, over `depth` steps; b begins at column j. */
VEC_INLINE void f64_tile(const tsm_f64_product *p, size_t i, size_t j, const double *a, const double *b,
                         ptrdiff_t b_row, size_t depth, const size_t rows, const size_t vectors) {
    vec_f64 sum[F64_ROWS][ROW_VECTORS] = {{ZERO}};
    for (size_t k = 0; k < depth; k++) {
        const double *row = b + (ptrdiff_t)k * b_row;
        for (size_t r = 0; r < rows; r++) {
            const double s = a[(ptrdiff_t)(i + r) * p->a_row + (ptrdiff_t)k * p->a_col];
            for (size_t v = 0; v < vectors; v++)
                sum[r][v] += s * F64_LOAD(row + v * LANES);
        }
    }
    for (size_t r = 0; r < rows; r++)
        for (size_t v = 0; v < vectors; v++) {
            double *c = p->c + (ptrdiff_t)(i + r) * p->c_row + j + v * LANES;
            STORE(c, p->subtract ? F64_LOAD(c) - sum[r][v] : F64_LOAD(c) + sum[r][v]);
        }
}

/* The columns that are left over, less than a vector, in all rows. */
VEC_INLINE void f64_last_columns(const tsm_f64_product *p, size_t j, size_t columns, const double *a, const double *b,
                                 ptrdiff_t b_row, size_t depth) {
    for (size_t i = 0; i < p->m; i++) {
        double sum[4] = {0};
        for (size_t k = 0; k < depth; k++) {
            const double s = a[(ptrdiff_t)i * p->a_row + (ptrdiff_t)k * p->a_col];
            for (size_t c = 0; c < columns; c++)
                sum[c] += s * b[(ptrdiff_t)k * b_row + (ptrdiff_t)c];
        }
        for (size_t c = 0; c < columns; c++)
            p->c[(ptrdiff_t)i * p->c_row + (ptrdiff_t)(j + c)] += p->subtract ? -sum[c] : sum[c];
    }
}

/* Columns [j, end) of C; b begins at column j. */
static void f64_columns(const tsm_f64_product *p, size_t j, size_t end, const double *a, const double *b,
                        ptrdiff_t b_row, size_t depth) {
    const bool is_flat = LANES > 1 && (p->m == 1 || p->m == 2);
    for (; is_flat && j + ROW_VECTORS * LANES <= end; j += ROW_VECTORS * LANES, b += ROW_VECTORS * LANES)
        if (p->m == 1)
            f64_tile(p, 0, j, a, b, b_row, depth, 1, ROW_VECTORS);
        else
            f64_tile(p, 0, j, a, b, b_row, depth, 2, ROW_VECTORS);
    for (; j + TILE <= end; j += TILE, b += TILE) {
        size_t i = 0;
        for (; i + F64_ROWS <= p->m; i += F64_ROWS)
            f64_tile(p, i, j, a, b, b_row, depth, F64_ROWS, VECTORS);
        for (; i < p->m; i++)
            f64_tile(p, i, j, a, b, b_row, depth, 1, VECTORS);
    }
    for (; j + LANES <= end; j += LANES, b += LANES) {
        size_t i = 0;
        for (; LANES > 1 && i + F64_ROWS <= p->m; i += F64_ROWS)
            f64_tile(p, i, j, a, b, b_row, depth, F64_ROWS, 1);
        for (; i < p->m; i++)
            f64_tile(p, i, j, a, b, b_row, depth, 1, 1);
    }
    if (LANES > 3 && end - j == 3)
        f64_last_columns(p, j, 3, a, b, b_row, depth);
    else if (LANES > 2 && end - j == 2)
        f64_last_columns(p, j, 2, a, b, b_row, depth);
    else if (LANES > 1 && end > j)
        f64_last_columns(p, j, 1, a, b, b_row, depth);
}

static void add_product_f64(const tsm_f64_product *p) {
    double packed[DEPTH * WIDTH];
    for (size_t j = 0, width; j < p->n; j += width) {
        width = p->n - j < WIDTH ? p->n - j : WIDTH;
        for (size_t k = 0, depth; k < p->k; k += depth) {
            const double *a = p->a + (ptrdiff_t)k * p->a_col, *b = p->b + (ptrdiff_t)k * p->b_row + j;
            depth = p->k - k < DEPTH ? p->k - k : DEPTH;
            if (p->m <= F64_ROWS) {
                f64_columns(p, j, j + width, a, b, p->b_row, depth);
                continue;
            }
            for (size_t r = 0; r < depth; r++)
                memcpy(packed + r * WIDTH, b + (ptrdiff_t)r * p->b_row, width * sizeof *packed);
            f64_columns(p, j, j + width, a, packed, WIDTH, depth);
        }
    }
}

/* Factorizations of batches of matrices in double or complex double, contiguous: LU, Cholesky, QR, and triangular
 * systems. Scratch: Cholesky FACTOR_BLOCK rows, QR two columns and two
 * rows for each of FACTOR_BLOCK reflections. */
#include "runtime/kernels/linalg/factor.h"

#include "runtime/kernels/complex_math.h"
#include "runtime/kernels/linalg/gemm.h"

enum { FACTOR_BLOCK = 16 }; /* columns that are factored before the rest of a matrix is brought up to date */

#define NOTHING 1e-150 /* the least length of a vector that is reflected, in matrices with elements near 1 */

static void minus_f64(tsm_exec *x, tsm_dim m, tsm_dim n, tsm_dim k, const double *a, tsm_dim a_row, tsm_dim a_col,
                      const double *b, tsm_dim b_row, double *c, tsm_dim c_row) {
    const tsm_f64_product p = {(size_t)m, (size_t)n, (size_t)k, a, a_row, a_col, b, b_row, c, c_row, true};
    tsm_gemm_add_f64(x, &p);
}

static void minus_c128(tsm_exec *x, tsm_dim m, tsm_dim n, tsm_dim k, const tsm_complex *a, tsm_dim a_row, tsm_dim a_col,
                       const tsm_complex *b, tsm_dim b_row, tsm_complex *c, tsm_dim c_row) {
    const tsm_f64_product p = {(size_t)m, (size_t)n, (size_t)k, &a->re, a_row, a_col,
                               &b->re,    b_row,     &c->re,    c_row,  true};
    tsm_gemm_add_c128(x, &p);
}

/* c = A v, of rows that are a_row apart. */
static void times_f64(tsm_exec *x, tsm_dim m, tsm_dim k, const double *a, tsm_dim a_row, const double *v, double *c) {
    const gemm_any g = {(size_t)m, 1, (size_t)k, a, a_row, 1, v, 1, 0, c, 1};
    tsm_gemm_others(x, TSM_FLOAT64, &g);
}

static void times_c128(tsm_exec *x, tsm_dim m, tsm_dim k, const tsm_complex *a, tsm_dim a_row, const tsm_complex *v,
                       tsm_complex *c) {
    const gemm_any g = {(size_t)m, 1, (size_t)k, a, a_row, 1, v, 1, 0, c, 1};
    tsm_gemm_others(x, TSM_COMPLEX128, &g);
}

#define ELEMENT double
#define NAME(f) f##_f64
#define MINUS minus_f64
#define TIMES times_f64
#define ADD(a, b) ((a) + (b))
#define SUB(a, b) ((a) - (b))
#define MUL(a, b) ((a) * (b))
#define DIV(a, b) ((a) / (b))
#define CONJ(a) (a)
#define REAL(a) (a)
#define IMAG(a) ((void)(a), 0.0)
#define OF(d) ((double)(d))
#define SIZE(a) fabs(a)
#include "runtime/kernels/linalg/factor_plain.h"

#define ELEMENT tsm_complex
#define NAME(f) f##_c128
#define MINUS minus_c128
#define TIMES times_c128
#define ADD(a, b) cx_add(a, b)
#define SUB(a, b) cx_sub(a, b)
#define MUL(a, b) cx_mul(a, b)
#define DIV(a, b) tsm_cx_div(a, b)
#define CONJ(a) cx_conjugate(a)
#define REAL(a) ((a).re)
#define IMAG(a) ((a).im)
#define OF(d) cx(d, 0)
#define SIZE(a) cx_size(a)
#include "runtime/kernels/linalg/factor_plain.h"

double tsm_factor_scale(double *v, size_t n) {
    double most = 0;
    int exponent;
    for (size_t i = 0; i < n; i++)
        most = fabs(v[i]) > most ? fabs(v[i]) : most;
    if (!(most > 0) || isinf(most) || (most > 0x1p-200 && most < 0x1p200))
        return 1;
    frexp(most, &exponent);
    const double scale = ldexp(1, exponent < -1000 ? 1000 : -exponent);
    for (size_t i = 0; i < n; i++)
        v[i] *= scale;
    return scale;
}

void tsm_factor_tridiagonal(tsm_exec *x, tsm_dtype dtype, void *a, tsm_dim n, double *d, double *e, void *q,
                            void *scratch) {
    if (dtype == TSM_FLOAT64)
        tridiagonal_f64(x, a, n, d, e, q, scratch);
    else
        tridiagonal_c128(x, a, n, d, e, q, scratch);
}

void tsm_factor_bidiagonal(tsm_exec *x, tsm_dtype dtype, void *a, tsm_dim m, tsm_dim n, double *d, double *e,
                           void *scratch) {
    if (dtype == TSM_FLOAT64)
        bidiagonal_f64(x, a, m, n, d, e, scratch);
    else
        bidiagonal_c128(x, a, m, n, d, e, scratch);
}

/* ---- Batches ---- */

static bool is_batch(const tsm_tensor *t, tsm_dtype dtype) {
    return t->dims == 3 && t->dtype == dtype && (dtype == TSM_FLOAT64 || dtype == TSM_COMPLEX128);
}

static tsm_status refuse(tsm_exec *x) {
    return TSM_RAISE(x, "%s: expected batches of matrices in double", tsm_op_name(x));
}

/* A contiguous copy, to be written to. */
static tsm_status factor_copied(tsm_exec *x, const tsm_tensor *t, tsm_tensor **out) {
    TSM_TRY(tsm_tensor_make(x, (tsm_dtype)t->dtype, t->dims, t->sizes, out));
    tsm_status status = tsm_tensor_copy(x, *out, t);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, *out);
        *out = NULL;
    }
    return status;
}

/* Gives results, or on failure what there is of them back. */
static tsm_status factor_give(tsm_exec *x, tsm_status status, tsm_tensor *const *results, int n, tsm_value *out) {
    for (int i = 0; i < n; i++)
        if (status == TSM_OK)
            out[i] = tsm_of_tensor(results[i]);
        else
            tsm_tensor_drop(x, results[i]);
    return status;
}

/* tsm::lu(A, pivot): both factors in one matrix, pivots counted from 1, and the first column without one, or 0. */
TSM_KERNEL(tsm_lu) {
    const tsm_tensor *t = arg_tensor(in, 0);
    const bool pivot = arg_bool(in, 1);
    if (!is_batch(t, (tsm_dtype)t->dtype))
        return refuse(x);
    const tsm_dim batch = t->sizes[0], m = t->sizes[1], n = t->sizes[2], steps = tsm_dim_min(m, n),
                  rows[] = {batch, steps};
    TSM_TRY(tsm_charge_product(x, (uint64_t)t->elements, (uint64_t)steps, 1));
    tsm_tensor *r[3] = {NULL};
    tsm_status status = factor_copied(x, t, &r[0]);
    if (status == TSM_OK)
        status = tsm_tensor_make(x, TSM_INT32, 2, rows, &r[1]);
    if (status == TSM_OK)
        status = tsm_tensor_make(x, TSM_INT32, 1, &batch, &r[2]);
    for (tsm_dim b = 0; b < batch && status == TSM_OK; b++) {
        int32_t *pivots = (int32_t *)r[1]->data + b * steps, *info = (int32_t *)r[2]->data + b;
        *info = 0;
        if (t->dtype == TSM_FLOAT64)
            lu_f64(x, (double *)r[0]->data + b * m * n, m, n, pivot, pivots, info);
        else
            lu_c128(x, (tsm_complex *)r[0]->data + b * m * n, m, n, pivot, pivots, info);
    }
    return factor_give(x, status, r, 3, out);
}

/* tsm::row_order(pivots, rows): which row stands where after all exchanges of row k and row pivots[k] - 1. */
TSM_KERNEL(tsm_row_order) {
    tsm_tensor *t = arg_tensor(in, 0), *pivots = NULL, *y = NULL;
    const tsm_dim rows = tsm_saturate_dim(arg_int(in, 1)), sizes[] = {t->dims == 2 ? t->sizes[0] : 0, rows};
    if (t->dims != 2 || t->dtype != TSM_INT32 || t->sizes[1] > rows)
        return TSM_RAISE(x, "Expected pivots to be batches of 32-bit integers, not more than there are rows");
    TSM_TRY(tsm_kernel_contiguous(x, t, TSM_INT32, &pivots));
    tsm_status status = tsm_tensor_make(x, TSM_INT64, 2, sizes, &y);
    const tsm_dim steps = t->sizes[1];
    for (tsm_dim b = 0; b < sizes[0] && status == TSM_OK; b++) {
        int64_t *order = (int64_t *)y->data + b * rows;
        for (tsm_dim i = 0; i < rows; i++)
            order[i] = i;
        for (tsm_dim k = 0; k < steps && status == TSM_OK; k++) {
            const int32_t other = ((const int32_t *)pivots->data)[b * steps + k];
            if (other < 1 || other > rows) {
                status = TSM_RAISE(
                    x, "pivots given must all be greater or equal to 1 and not greater than the number of rows");
                break;
            }
            const int64_t held = order[k];
            order[k] = order[other - 1];
            order[other - 1] = held;
        }
    }
    tsm_tensor_drop(x, pivots);
    return factor_give(x, status, &y, 1, out);
}

/* tsm::substitute(A, B, upper, unit): X with A X = B, A triangular; with `unit` its diagonal counts as ones. */
TSM_KERNEL(tsm_substitute) {
    tsm_tensor *a = arg_tensor(in, 0), *factor = NULL, *y = NULL;
    const tsm_tensor *b = arg_tensor(in, 1);
    const bool upper = arg_bool(in, 2), unit = arg_bool(in, 3);
    if (!is_batch(a, (tsm_dtype)a->dtype) || !is_batch(b, (tsm_dtype)a->dtype) || a->sizes[0] != b->sizes[0] ||
        a->sizes[1] != a->sizes[2] || a->sizes[2] != b->sizes[1])
        return refuse(x);
    const tsm_dim n = b->sizes[1], width = b->sizes[2];
    TSM_TRY(tsm_charge_product(x, (uint64_t)b->elements, (uint64_t)n, 1));
    tsm_status status = tsm_kernel_contiguous(x, a, (tsm_dtype)a->dtype, &factor);
    if (status == TSM_OK)
        status = factor_copied(x, b, &y);
    for (tsm_dim i = 0; i < b->sizes[0] && status == TSM_OK; i++) {
        if (a->dtype == TSM_FLOAT64)
            substitute_f64(x, (const double *)factor->data + i * n * n, (double *)y->data + i * n * width, n, width,
                           upper, unit);
        else
            substitute_c128(x, (const tsm_complex *)factor->data + i * n * n, (tsm_complex *)y->data + i * n * width, n,
                            width, upper, unit);
    }
    tsm_tensor_drop(x, factor);
    return factor_give(x, status, &y, 1, out);
}

/* tsm::cholesky(A): the lower factor of the matrix whose lower triangle A is, and the first leading minor that is not
 * positive, or 0. */
TSM_KERNEL(tsm_cholesky) {
    const tsm_tensor *t = arg_tensor(in, 0);
    if (!is_batch(t, (tsm_dtype)t->dtype) || t->sizes[1] != t->sizes[2])
        return refuse(x);
    const tsm_dim batch = t->sizes[0], n = t->sizes[1];
    TSM_TRY(tsm_charge_product(x, (uint64_t)t->elements, (uint64_t)n, 1));
    tsm_tensor *r[2] = {NULL};
    tsm_status status = factor_copied(x, t, &r[0]);
    if (status == TSM_OK)
        status = tsm_tensor_make(x, TSM_INT32, 1, &batch, &r[1]);
    void *scratch =
        status == TSM_OK ? tsm_scratch(x, FACTOR_BLOCK * (size_t)n * tsm_dtype_size((tsm_dtype)t->dtype)) : NULL;
    if (status == TSM_OK && !scratch)
        status = TSM_OUT_OF_MEMORY;
    for (tsm_dim b = 0; b < batch && status == TSM_OK; b++) {
        int32_t *info = (int32_t *)r[1]->data + b;
        *info = 0;
        if (t->dtype == TSM_FLOAT64)
            cholesky_f64(x, (double *)r[0]->data + b * n * n, n, scratch, info);
        else
            cholesky_c128(x, (tsm_complex *)r[0]->data + b * n * n, n, scratch, info);
    }
    tsm_scratch_free(x, scratch);
    return factor_give(x, status, r, 2, out);
}

/* Room for two columns and two rows of each reflection of a panel, and for what joins them. */
static void *reflection_scratch(tsm_exec *x, const tsm_tensor *t, tsm_dim columns) {
    const tsm_dim width = tsm_dim_min(FACTOR_BLOCK, tsm_dim_min(t->sizes[1], t->sizes[2])),
                  each = tsm_dim_add(tsm_dim_mul(2, tsm_dim_add(t->sizes[1], columns)), width),
                  items = tsm_dim_mul(width, each);
    return tsm_scratch(x, (size_t)items * tsm_dtype_size((tsm_dtype)t->dtype));
}

/* tsm::geqrf(A): R, below it the reflections without their ones, and the factors of these. */
TSM_KERNEL(tsm_geqrf) {
    const tsm_tensor *t = arg_tensor(in, 0);
    if (!is_batch(t, (tsm_dtype)t->dtype))
        return refuse(x);
    const tsm_dim m = t->sizes[1], n = t->sizes[2], steps = tsm_dim_min(m, n), factors[] = {t->sizes[0], steps};
    TSM_TRY(tsm_charge_product(x, (uint64_t)t->elements, (uint64_t)steps, 2));
    tsm_tensor *r[2] = {NULL};
    tsm_status status = factor_copied(x, t, &r[0]);
    if (status == TSM_OK)
        status = tsm_tensor_make(x, (tsm_dtype)t->dtype, 2, factors, &r[1]);
    void *scratch = status == TSM_OK ? reflection_scratch(x, t, n) : NULL;
    if (status == TSM_OK && !scratch)
        status = TSM_OUT_OF_MEMORY;
    for (tsm_dim b = 0; b < t->sizes[0] && status == TSM_OK; b++) {
        if (t->dtype == TSM_FLOAT64)
            geqrf_f64(x, (double *)r[0]->data + b * m * n, m, n, (double *)r[1]->data + b * steps, scratch);
        else
            geqrf_c128(x, (tsm_complex *)r[0]->data + b * m * n, m, n, (tsm_complex *)r[1]->data + b * steps, scratch);
    }
    tsm_scratch_free(x, scratch);
    return factor_give(x, status, r, 2, out);
}

/* tsm::reflections(A, tau, columns): the first columns of the product of the reflections below A's diagonal. */
TSM_KERNEL(tsm_reflections) {
    tsm_tensor *t = arg_tensor(in, 0), *tau = arg_tensor(in, 1), *v = NULL, *factors = NULL, *y = NULL;
    const tsm_dtype dtype = (tsm_dtype)t->dtype;
    const int64_t wanted = arg_int(in, 2);
    if (!is_batch(t, dtype) || tau->dims != 2 || tau->dtype != dtype || tau->sizes[0] != t->sizes[0] ||
        tau->sizes[1] > tsm_dim_min(t->sizes[1], t->sizes[2]) || wanted < 0 || wanted > t->sizes[1])
        return refuse(x);
    const tsm_dim m = t->sizes[1], n = t->sizes[2], count = tau->sizes[1], columns = tsm_saturate_dim(wanted),
                  sizes[] = {t->sizes[0], m, columns};
    tsm_status status = tsm_tensor_make(x, dtype, 3, sizes, &y);
    if (status == TSM_OK)
        status = tsm_charge_product(x, (uint64_t)y->elements, (uint64_t)count, 2);
    if (status == TSM_OK)
        status = tsm_kernel_contiguous(x, t, dtype, &v);
    if (status == TSM_OK)
        status = tsm_kernel_contiguous(x, tau, dtype, &factors);
    void *scratch = status == TSM_OK ? reflection_scratch(x, t, columns) : NULL;
    if (status == TSM_OK && !scratch)
        status = TSM_OUT_OF_MEMORY;
    for (tsm_dim b = 0; b < sizes[0] && status == TSM_OK; b++) {
        if (dtype == TSM_FLOAT64)
            reflections_f64(x, (const double *)v->data + b * m * n, m, n, (const double *)factors->data + b * count,
                            count, (double *)y->data + b * m * columns, columns, scratch);
        else
            reflections_c128(x, (const tsm_complex *)v->data + b * m * n, m, n,
                             (const tsm_complex *)factors->data + b * count, count,
                             (tsm_complex *)y->data + b * m * columns, columns, scratch);
    }
    tsm_scratch_free(x, scratch);
    tsm_tensor_drop(x, v);
    tsm_tensor_drop(x, factors);
    return factor_give(x, status, &y, 1, out);
}

/* Singular values and vectors, by Jacobi's rotations from one side (Golub and Van Loan, Matrix Computations, 8.6.3;
 * Demmel and Veselic, 1992): columns of A are turned in pairs until all are orthogonal. Then A V = U has columns of the
 * lengths S. Columns lie as rows in scratch memory: (m + n) n elements for m rows and n columns, and 24 n bytes.
 *
 * Values alone are those of a bidiagonal matrix (factor.h), by the QR algorithm with implicit shifts (8.6.2; Demmel and
 * Kahan, 1990). Scratch: m n + 2 m + n elements and 16 n bytes. */
#include "runtime/kernels/linalg/factor.h"
#include "runtime/kernels/linalg/svd_columns.h"
#include "runtime/kernels/linalg/tridiagonal.h"

enum { MOST_SWEEPS = 60 };
static const double DOUBLE_EPSILON = 2.2204460492503131e-16, MOST_EPSILON = 0x1p-20;

typedef struct {
    tsm_dim m, n;
    bool is_complex;
    size_t item;
    const svd_columns *columns;
    char *u, *v; /* n columns of m and of n elements */
    double *squares;
    int64_t *order;
    double tolerance;    /* cosines below it count as 0 */
    double turn, cosine; /* the greatest tangent of a rotation in this sweep, and the greatest cosine before one */
} jacobi;

/* ---- Sweeps ---- */

static char *column(const jacobi *j, char *from, tsm_dim at, tsm_dim k) {
    return from + (size_t)(at * k) * j->item;
}

/* Makes columns p and q orthogonal. */
static void turn_pair(jacobi *j, tsm_dim p, tsm_dim q) {
    char *a = column(j, j->u, p, j->m), *b = column(j, j->u, q, j->m);
    const tsm_complex g = j->columns->product(a, b, j->m);
    const double length = j->is_complex ? cx_abs(g) : fabs(g.re), lengths = sqrt(j->squares[p] * j->squares[q]);
    if (!(length > j->tolerance * lengths))
        return;
    const double difference = j->squares[q] - j->squares[p];
    const double up = fabs(difference) + length < 0x1p-400 ? 0x1p800 : 1; /* else their squares could vanish */
    /* Each pair waits for the one before, so that the longest chain of steps counts: c does not wait for t. */
    const double d = fabs(difference) * up, twice = 2 * length * up, h = sqrt(d * d + twice * twice);
    const double t = copysign(twice, difference) / (d + h), c = sqrt((d + h) / (2 * h));
    const svd_rotation r = {c, c * t, j->is_complex ? cx_scale(cx_conjugate(g), 1 / length) : cx(copysign(1, g.re), 0)};
    j->columns->turn(&r, a, b, j->m);
    j->columns->turn(&r, column(j, j->v, p, j->n), column(j, j->v, q, j->n), j->n);
    j->squares[p] -= t * length;
    j->squares[q] += t * length;
    j->turn = fmax(j->turn, fabs(t));
    j->cosine = fmax(j->cosine, lengths > 0 ? length / lengths : 1);
}

static void exchange_columns(const jacobi *j, char *from, tsm_dim p, tsm_dim q, tsm_dim k) {
    double *a = (double *)(void *)column(j, from, p, k), *b = (double *)(void *)column(j, from, q, k);
    for (size_t i = 0; i < (size_t)k * j->item / sizeof *a; i++) {
        const double held = a[i];
        a[i] = b[i];
        b[i] = held;
    }
}

/* Puts the longest column from p on in place p (de Rijk, 1989): a quarter of the rotations is saved. */
static void bring_longest(jacobi *j, tsm_dim p) {
    tsm_dim longest = p;
    double most = j->squares[p];
    for (tsm_dim q = p + 1; q < j->n; q++)
        if (j->squares[q] > most) {
            most = j->squares[q];
            longest = q;
        }
    if (longest == p)
        return;
    j->squares[longest] = j->squares[p];
    j->squares[p] = most;
    exchange_columns(j, j->u, p, longest, j->m);
    exchange_columns(j, j->v, p, longest, j->n);
}

/* Returns a bound on cosines that are left, 0 if no pair was turned: a pair that is orthogonal loses this again when
 * its columns are turned with others, by as much as these were not, times the angle. Squares of lengths are counted
 * anew, so that errors of their updates do not add up. */
static double sweep(jacobi *j) {
    j->turn = j->cosine = 0;
    for (tsm_dim p = 0; p < j->n; p++)
        j->squares[p] = j->columns->product(column(j, j->u, p, j->m), column(j, j->u, p, j->m), j->m).re;
    for (tsm_dim p = 0; p < j->n; p++) {
        bring_longest(j, p);
        for (tsm_dim q = p + 1; q < j->n; q++)
            turn_pair(j, p, q);
    }
    return (double)j->n * j->turn * j->cosine;
}

/* ---- In and out ---- */

static void copy_transposed(const jacobi *j, char *to, const char *from, tsm_dim rows, tsm_dim columns) {
    for (tsm_dim r = 0; r < rows; r++)
        for (tsm_dim c = 0; c < columns; c++)
            memcpy(to + (size_t)(c * rows + r) * j->item, from + (size_t)(r * columns + c) * j->item, j->item);
}

static void set_identity(const jacobi *j) {
    const double one = 1;
    memset(j->v, 0, (size_t)(j->n * j->n) * j->item);
    for (tsm_dim i = 0; i < j->n; i++)
        memcpy(column(j, j->v, i, j->n) + (size_t)i * j->item, &one, sizeof one);
}

/* Columns by length, the longest first; equal ones as they are. */
static void sort_columns(jacobi *j) {
    for (tsm_dim i = 0; i < j->n; i++) {
        tsm_dim at = i;
        for (; at > 0 && j->squares[j->order[at - 1]] < j->squares[i]; at--)
            j->order[at] = j->order[at - 1];
        j->order[at] = i;
    }
}

/* Writes columns of k elements, in order, as those of `to`. */
static void write_columns(const jacobi *j, char *to, char *from, tsm_dim k) {
    for (tsm_dim c = 0; c < j->n; c++) {
        const char *at = column(j, from, (tsm_dim)j->order[c], k);
        for (tsm_dim r = 0; r < k; r++)
            memcpy(to + (size_t)(r * j->n + c) * j->item, at + (size_t)r * j->item, j->item);
    }
}

/* The square was counted down by rotations and may have got below 0 by rounding. */
static double length_of(double square) {
    return square < 0 ? 0 : sqrt(square);
}

static tsm_status svd_find_vectors(tsm_exec *x, jacobi *j, const tsm_tensor *t, tsm_tensor *const *results) {
    const size_t size = (size_t)(j->m * j->n) * j->item, right = (size_t)(j->n * j->n) * j->item;
    for (tsm_dim b = 0; b < t->sizes[0]; b++) {
        copy_transposed(j, j->u, (const char *)t->data + (size_t)b * size, j->m, j->n);
        double *const numbers = (double *)(void *)j->u;
        const double scale = tsm_factor_scale(numbers, size / sizeof *numbers);
        set_identity(j);
        for (int i = 0; i < MOST_SWEEPS; i++) {
            TSM_TRY(tsm_charge_product(x, (uint64_t)j->n, (uint64_t)j->n, (uint64_t)(3 * j->m + j->n)));
            if (sweep(j) <= j->tolerance)
                break;
        }
        sort_columns(j);
        double *s = (double *)results[1]->data + b * j->n;
        for (tsm_dim i = 0; i < j->n; i++)
            s[i] = length_of(j->squares[j->order[i]]) / scale;
        write_columns(j, (char *)results[0]->data + (size_t)b * size, j->u, j->m);
        write_columns(j, (char *)results[2]->data + (size_t)b * right, j->v, j->n);
    }
    return TSM_OK;
}

/* ---- Values of bidiagonal matrices ---- */

/* The diagonal and what stands above it, of a block from the first place to `last`, that does not fall apart. */
typedef struct {
    double *d, *e;
    tsm_dim last;
} block;

/* The smaller singular value of [[f, g], [0, h]]. */
static double least_value(double f, double g, double h) {
    const double small = fmin(fabs(f), fabs(h)), large = fmax(fabs(f), fabs(h)), beside = fabs(g);
    if (small == 0)
        return 0;
    const double ratio = small / large, one = 1 + ratio, two = 1 - ratio, most = fmax(large, beside),
                 square = beside / most * (beside / most), scale = large / most;
    return small * 2 * scale / (sqrt(one * one * scale * scale + square) + sqrt(two * two * scale * scale + square));
}

/* A step without a shift, which keeps small values accurate and clears what stands above the last place where the
 * diagonal holds a zero. */
static void plain_step(const block *b) {
    double c = 1, s = 0, old_c = 1, old_s = 0;
    for (tsm_dim i = 0; i < b->last; i++) {
        const double r = tsm_linalg_rotation(b->d[i] * c, b->e[i], &c, &s);
        if (i)
            b->e[i - 1] = old_s * r;
        b->d[i] = tsm_linalg_rotation(old_c * r, b->d[i + 1] * s, &old_c, &old_s);
    }
    const double h = b->d[b->last] * c;
    b->d[b->last] = h * old_c;
    b->e[b->last - 1] = h * old_s;
}

static void shifted_step(const block *b, double shift) {
    double *const d = b->d, *const e = b->e, c, s;
    double f = (fabs(d[0]) - shift) * (copysign(1, d[0]) + shift / d[0]), g = e[0];
    for (tsm_dim i = 0; i < b->last; i++) {
        double r = tsm_linalg_rotation(f, g, &c, &s);
        if (i)
            e[i - 1] = r;
        f = c * d[i] + s * e[i];
        e[i] = c * e[i] - s * d[i];
        g = s * d[i + 1];
        d[i + 1] = c * d[i + 1];
        d[i] = tsm_linalg_rotation(f, g, &c, &s);
        f = c * e[i] + s * d[i + 1];
        d[i + 1] = c * d[i + 1] - s * e[i];
        if (i + 1 < b->last) {
            g = s * e[i + 1];
            e[i + 1] = c * e[i + 1];
        }
    }
    e[b->last - 1] = f;
}

/* The transposed block with rows and columns in reverse, which has the same values. */
static void svd_turn_around(const block *b) {
    for (tsm_dim i = 0; i < b->last - i; i++) {
        const double held = b->d[i];
        b->d[i] = b->d[b->last - i];
        b->d[b->last - i] = held;
    }
    for (tsm_dim i = 0; i < b->last - 1 - i; i++) {
        const double held = b->e[i];
        b->e[i] = b->e[b->last - 1 - i];
        b->e[b->last - 1 - i] = held;
    }
}

static void svd_step(const block *b) {
    const double epsilon = 1.1102230246251565e-16;
    if (fabs(b->d[0]) < fabs(b->d[b->last]))
        svd_turn_around(b);
    const double shift = least_value(b->d[b->last - 1], b->e[b->last - 1], b->d[b->last]), part = shift / fabs(b->d[0]);
    if (shift == 0 || part * part < epsilon)
        plain_step(b);
    else
        shifted_step(b, shift);
}

/* The first place of the block that ends at `last`: behind the last number above the diagonal that is negligible. */
static tsm_dim start_of_block(const double *d, double *e, tsm_dim last) {
    const double epsilon = 1.1102230246251565e-16, tiny = 2.2250738585072014e-308;
    for (tsm_dim first = last; first > 0; first--)
        if (fabs(e[first - 1]) <= epsilon * (fabs(d[first - 1]) + fabs(d[first])) + tiny) {
            e[first - 1] = 0;
            return first;
        }
    return 0;
}

/* Leaves the values in d, descending; false: no convergence, as with numbers that are not finite. */
static bool find_values(double *d, double *e, tsm_dim n) {
    tsm_dim steps_left = 30 * n;
    for (tsm_dim last = n - 1; last > 0;) {
        const tsm_dim first = start_of_block(d, e, last);
        if (first == last) {
            last--;
            continue;
        }
        if (--steps_left < 0)
            return false;
        const block b = {d + first, e + first, last - first};
        svd_step(&b);
    }
    for (tsm_dim i = 0; i < n; i++) {
        const double value = fabs(d[i]);
        tsm_dim at = i;
        for (; at > 0 && d[at - 1] < value; at--)
            d[at] = d[at - 1];
        d[at] = value;
    }
    return true;
}

static tsm_status find_values_of(tsm_exec *x, const tsm_tensor *t, tsm_tensor *values) {
    const tsm_dtype dtype = (tsm_dtype)t->dtype;
    const tsm_dim m = t->sizes[1], n = t->sizes[2];
    const size_t item = tsm_dtype_size(dtype), size = (size_t)(m * n) * item, more = (size_t)(2 * m + n) * item;
    char *a = tsm_scratch(x, size + more + 2 * (size_t)n * sizeof(double));
    if (!a)
        return TSM_OUT_OF_MEMORY;
    double *const numbers = (double *)(void *)a, *const d = (double *)(void *)(a + size + more), *const e = d + n;
    tsm_status status = TSM_OK;
    for (tsm_dim b = 0; b < t->sizes[0] && status == TSM_OK; b++) {
        status = tsm_charge_product(x, (uint64_t)m, (uint64_t)n, (uint64_t)(4 * n));
        if (status != TSM_OK)
            break;
        memcpy(a, (const char *)t->data + (size_t)b * size, size);
        const double scale = tsm_factor_scale(numbers, size / sizeof *numbers);
        tsm_factor_bidiagonal(x, dtype, a, m, n, d, e, a + size);
        const bool done = find_values(d, e, n);
        for (tsm_dim i = 0; i < n; i++)
            ((double *)values->data)[b * n + i] = done ? d[i] / scale : NAN;
    }
    tsm_scratch_free(x, a);
    return status;
}

/* tsm::svd(A, vectors[, epsilon]): for a batch of matrices [batch, m, n], m >= n, contiguous, double or complex double:
 * singular values S [batch, n], descending, V [batch, n, n], and U [batch, m, n], whose columns have the directions of
 * A V and the lengths S but for a power of two, the same for all. Without vectors U and V are empty. */
static tsm_status svd_run(tsm_exec *x, const tsm_tensor *t, bool vectors, double epsilon, tsm_value *out) {
    if (t->dims != 3 || t->sizes[1] < t->sizes[2] || (t->dtype != TSM_FLOAT64 && t->dtype != TSM_COMPLEX128) ||
        !tsm_tensor_is_contiguous(t))
        return TSM_RAISE(x, "%s: expected a batch of tall matrices in double", tsm_op_name(x));
    jacobi j = {.m = t->sizes[1],
                .n = t->sizes[2],
                .is_complex = t->dtype == TSM_COMPLEX128,
                .tolerance = fmin(fmax(epsilon / 16, DOUBLE_EPSILON), MOST_EPSILON) * sqrt((double)t->sizes[1]),
                .item = tsm_dtype_size((tsm_dtype)t->dtype),
                .columns = tsm_svd_columns_choose(x, t->dtype == TSM_COMPLEX128)};
    const tsm_dim batch = t->sizes[0], none[3] = {0, 0, 0}, values[2] = {batch, j.n}, square[3] = {batch, j.n, j.n};
    tsm_tensor *results[3] = {NULL};
    tsm_status status = tsm_tensor_make(x, (tsm_dtype)t->dtype, 3, vectors ? t->sizes : none, &results[0]);
    if (status == TSM_OK)
        status = tsm_tensor_make(x, TSM_FLOAT64, 2, values, &results[1]);
    if (status == TSM_OK)
        status = tsm_tensor_make(x, (tsm_dtype)t->dtype, 3, vectors ? square : none, &results[2]);
    const size_t m = (size_t)j.m, n = (size_t)j.n;
    if (status == TSM_OK && !vectors) {
        status = find_values_of(x, t, results[1]);
    } else if (status == TSM_OK) {
        j.u = tsm_scratch(x, (m * n + n * n) * j.item + n * (sizeof *j.squares + sizeof *j.order));
        j.v = j.u ? j.u + m * n * j.item : NULL;
        j.squares = j.u ? (double *)(void *)(j.v + n * n * j.item) : NULL;
        j.order = (int64_t *)(void *)(j.squares ? j.squares + n : NULL);
        status = j.u ? svd_find_vectors(x, &j, t, results) : TSM_OUT_OF_MEMORY;
        tsm_scratch_free(x, j.u);
    }
    for (int i = 0; i < 3; i++)
        if (status == TSM_OK)
            out[i] = tsm_of_tensor(results[i]);
        else
            tsm_tensor_drop(x, results[i]);
    return status;
}
TSM_KERNEL(tsm_svd) {
    return svd_run(x, arg_tensor(in, 0), arg_bool(in, 1), 0, out);
}
TSM_KERNEL(tsm_svd_epsilon) {
    return svd_run(x, arg_tensor(in, 0), arg_bool(in, 1), arg_float(in, 2), out);
}

/* Singular values and vectors, by Jacobi's rotations from one side (Golub and Van Loan, Matrix Computations, 8.6.3;
 * Demmel and Veselic, 1992): columns of A are turned in pairs until all are orthogonal. Then A V = U has columns of the
 * lengths S. Columns lie as rows in scratch memory: (m + n) n elements for m rows and n columns, and 24 n bytes. */
#include "runtime/kernels/complex_math.h"
#include "runtime/kernels/kernel.h"

enum { MOST_SWEEPS = 60 };

typedef struct {
    tsm_dim m, n;
    bool is_complex;
    size_t item;
    char *u, *v; /* n columns of m and of n elements; v is NULL where vectors are not wanted */
    double *squares;
    int64_t *order;
} jacobi;

/* ---- Columns ---- */

/* The sum of conj(a) b, in four parts, which compilers turn into vectors. */
static tsm_complex column_product(const jacobi *j, const char *a, const char *b) {
    double part[4] = {0};
    tsm_complex sum = cx(0, 0);
    tsm_dim i = 0;
    if (j->is_complex) {
        const tsm_complex *p = (const void *)a, *q = (const void *)b;
        for (; i < j->m; i++)
            sum = cx_add(sum, cx_mul(cx_conjugate(p[i]), q[i]));
        return sum;
    }
    const double *p = (const void *)a, *q = (const void *)b;
    for (; i + 4 <= j->m; i += 4)
        for (int k = 0; k < 4; k++)
            part[k] += p[i + k] * q[i + k];
    for (; i < j->m; i++)
        sum.re += p[i] * q[i];
    sum.re += (part[0] + part[1]) + (part[2] + part[3]);
    return sum;
}

/* a := c a - s phase b, b := s a + c phase b, of k elements. */
static void turn(const jacobi *j, char *a, char *b, tsm_dim k, double c, double s, tsm_complex phase) {
    if (j->is_complex) {
        tsm_complex *p = (void *)a, *q = (void *)b;
        for (tsm_dim i = 0; i < k; i++) {
            tsm_complex first = p[i], second = cx_mul(phase, q[i]);
            p[i] = cx_sub(cx_scale(first, c), cx_scale(second, s));
            q[i] = cx_add(cx_scale(first, s), cx_scale(second, c));
        }
        return;
    }
    double *restrict p = (void *)a, *restrict q = (void *)b;
    const double cp = c * phase.re, sp = s * phase.re;
    for (tsm_dim i = 0; i < k; i++) {
        double first = p[i], second = q[i];
        p[i] = c * first - sp * second;
        q[i] = s * first + cp * second;
    }
}

/* ---- Sweeps ---- */

static char *column(const jacobi *j, char *from, tsm_dim at, tsm_dim k) {
    return from + (size_t)(at * k) * j->item;
}

/* Makes columns p and q orthogonal; false: they are. */
static bool turn_pair(jacobi *j, tsm_dim p, tsm_dim q, double tolerance) {
    char *a = column(j, j->u, p, j->m), *b = column(j, j->u, q, j->m);
    const tsm_complex g = column_product(j, a, b);
    const double length = cx_abs(g), below = j->squares[p] * j->squares[q];
    if (!(length > tolerance * sqrt(below)))
        return false;
    const double ratio = (j->squares[q] - j->squares[p]) / (2 * length);
    const double t = copysign(1, ratio) / (fabs(ratio) + sqrt(ratio * ratio + 1)), c = 1 / sqrt(t * t + 1), s = c * t;
    const tsm_complex phase = cx_scale(cx_conjugate(g), 1 / length);
    turn(j, a, b, j->m, c, s, phase);
    if (j->v)
        turn(j, column(j, j->v, p, j->n), column(j, j->v, q, j->n), j->n, c, s, phase);
    j->squares[p] -= t * length;
    j->squares[q] += t * length;
    return true;
}

/* Whether any pair was turned. Squares of lengths are counted anew, so that errors of their updates do not add up. */
static bool sweep(jacobi *j, double tolerance) {
    bool turned = false;
    for (tsm_dim p = 0; p < j->n; p++)
        j->squares[p] = column_product(j, column(j, j->u, p, j->m), column(j, j->u, p, j->m)).re;
    for (tsm_dim p = 0; p < j->n; p++)
        for (tsm_dim q = p + 1; q < j->n; q++)
            turned |= turn_pair(j, p, q, tolerance);
    return turned;
}

/* ---- In and out ---- */

static void copy_transposed(const jacobi *j, char *to, const char *from, tsm_dim rows, tsm_dim columns) {
    for (tsm_dim r = 0; r < rows; r++)
        for (tsm_dim c = 0; c < columns; c++)
            memcpy(to + (size_t)(c * rows + r) * j->item, from + (size_t)(r * columns + c) * j->item, j->item);
}

/* Multiplies n numbers. */
static void scale_numbers(double *v, size_t n, double by) {
    for (size_t i = 0; i < n && by != 1; i++)
        v[i] *= by;
}

/* The power of two that brings the largest of n numbers near to 1, where squares neither overflow nor vanish. */
static double scale_near_one(const double *v, size_t n) {
    double most = 0;
    int exponent;
    for (size_t i = 0; i < n; i++)
        most = fabs(v[i]) > most ? fabs(v[i]) : most;
    if (!(most > 0) || isinf(most) || (most > 0x1p-200 && most < 0x1p200))
        return 1;
    frexp(most, &exponent);
    return ldexp(1, exponent < -1000 ? 1000 : -exponent);
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

static tsm_status solve(tsm_exec *x, jacobi *j, const tsm_tensor *t, tsm_tensor *const *results) {
    const double tolerance = 2.2204460492503131e-16 * sqrt((double)j->m);
    const size_t size = (size_t)(j->m * j->n) * j->item, right = (size_t)(j->n * j->n) * j->item;
    for (tsm_dim b = 0; b < t->sizes[0]; b++) {
        copy_transposed(j, j->u, (const char *)t->data + (size_t)b * size, j->m, j->n);
        double *const numbers = (double *)(void *)j->u;
        const double scale = scale_near_one(numbers, size / sizeof *numbers);
        scale_numbers(numbers, size / sizeof *numbers, scale);
        if (j->v)
            set_identity(j);
        for (int i = 0; i < MOST_SWEEPS; i++) {
            TSM_TRY(tsm_charge_product(x, (uint64_t)j->n, (uint64_t)j->n, (uint64_t)(3 * j->m + j->n)));
            if (!sweep(j, tolerance))
                break;
        }
        sort_columns(j);
        double *s = (double *)results[1]->data + b * j->n;
        for (tsm_dim i = 0; i < j->n; i++)
            s[i] = length_of(j->squares[j->order[i]]) / scale;
        if (!j->v)
            continue;
        write_columns(j, (char *)results[0]->data + (size_t)b * size, j->u, j->m);
        write_columns(j, (char *)results[2]->data + (size_t)b * right, j->v, j->n);
    }
    return TSM_OK;
}

/* tsm::svd(A, vectors): for a batch of matrices [batch, m, n], m >= n, contiguous, double or complex double: singular
 * values S [batch, n], descending, V [batch, n, n], and U [batch, m, n], whose columns have the directions of A V and
 * the lengths S but for a power of two, the same for all. Without vectors U and V are empty. */
TSM_KERNEL(tsm_svd) {
    const tsm_tensor *t = arg_tensor(in, 0);
    const bool vectors = arg_bool(in, 1);
    if (t->dims != 3 || t->sizes[1] < t->sizes[2] || (t->dtype != TSM_FLOAT64 && t->dtype != TSM_COMPLEX128) ||
        !tsm_tensor_is_contiguous(t))
        return TSM_RAISE(x, "%s: expected a batch of tall matrices in double", tsm_op_name(x));
    jacobi j = {.m = t->sizes[1],
                .n = t->sizes[2],
                .is_complex = t->dtype == TSM_COMPLEX128,
                .item = tsm_dtype_size((tsm_dtype)t->dtype)};
    const tsm_dim batch = t->sizes[0], none[3] = {0, 0, 0}, values[2] = {batch, j.n}, square[3] = {batch, j.n, j.n};
    tsm_tensor *results[3] = {NULL};
    tsm_status status = tsm_tensor_make(x, (tsm_dtype)t->dtype, 3, vectors ? t->sizes : none, &results[0]);
    if (status == TSM_OK)
        status = tsm_tensor_make(x, TSM_FLOAT64, 2, values, &results[1]);
    if (status == TSM_OK)
        status = tsm_tensor_make(x, (tsm_dtype)t->dtype, 3, vectors ? square : none, &results[2]);
    const size_t m = (size_t)j.m, n = (size_t)j.n, right = vectors ? n * n : 0;
    if (status == TSM_OK) {
        j.u = tsm_scratch(x, (m * n + right) * j.item + n * (sizeof *j.squares + sizeof *j.order));
        j.v = j.u && vectors ? j.u + m * n * j.item : NULL;
        j.squares = j.u ? (double *)(void *)(j.u + (m * n + right) * j.item) : NULL;
        j.order = (int64_t *)(void *)(j.squares ? j.squares + n : NULL);
        status = j.u ? solve(x, &j, t, results) : TSM_OUT_OF_MEMORY;
        tsm_scratch_free(x, j.u);
    }
    for (int i = 0; i < 3; i++)
        if (status == TSM_OK)
            out[i] = tsm_of_tensor(results[i]);
        else
            tsm_tensor_drop(x, results[i]);
    return status;
}

/* Eigenvalues and eigenvectors of Hermitian matrices, as LAPACK finds them, so that signs of vectors agree with
 * PyTorch: Householder's reduction to a tridiagonal matrix, then the QL or QR algorithm with implicit shifts (Golub and
 * Van Loan, Matrix Computations, 8.3; Wilkinson and Reinsch, Linear Algebra, II/1 and II/4). Calculated in complex
 * double. Scratch for n rows: 32 n^2 + 48 n bytes. */
#include "runtime/kernels/linalg/eigen.h"

#include "runtime/kernels/complex_math.h"

typedef struct {
    tsm_dim n;
    tsm_complex *a; /* the whole matrix; the reduction overwrites it */
    tsm_complex *q; /* columns become the vectors */
    tsm_complex *v, *w;
    double *d, *e; /* the tridiagonal matrix: its diagonal and its subdiagonal */
    double epsilon;
} hermitian;

static tsm_complex *entry(const hermitian *h, tsm_complex *m, tsm_dim row, tsm_dim column) {
    return m + row * h->n + column;
}

/* ---- Reduction ---- */

/* The reflection I - tau v v^H, v[from] = 1, that leaves of column from - 1 one real number below the diagonal, which
 * it stores in e. */
static tsm_complex reflector(hermitian *h, tsm_dim from) {
    tsm_complex alpha = *entry(h, h->a, from, from - 1);
    double rest = 0;
    for (tsm_dim i = from + 1; i < h->n; i++)
        rest = hypot(rest, cx_abs(*entry(h, h->a, i, from - 1)));
    h->e[from - 1] = alpha.re;
    if (rest == 0 && alpha.im == 0)
        return cx(0, 0);
    double beta = -copysign(hypot(cx_abs(alpha), rest), alpha.re);
    h->e[from - 1] = beta;
    h->v[from] = cx(1, 0);
    for (tsm_dim i = from + 1; i < h->n; i++)
        h->v[i] = cx_div(*entry(h, h->a, i, from - 1), cx(alpha.re - beta, alpha.im));
    return cx((beta - alpha.re) / beta, -alpha.im / beta);
}

/* The product of row `row` of m with v. */
static tsm_complex row_product(const hermitian *h, tsm_complex *m, tsm_dim row, tsm_dim from) {
    tsm_complex sum = cx(0, 0);
    for (tsm_dim i = from; i < h->n; i++)
        sum = cx_add(sum, cx_mul(*entry(h, m, row, i), h->v[i]));
    return sum;
}

/* A := H^H A H on rows and columns from `from` on, as a change of rank 2; Q := Q H. */
static void reflect(hermitian *h, tsm_dim from, tsm_complex tau) {
    tsm_complex along = cx(0, 0);
    for (tsm_dim i = from; i < h->n; i++) {
        h->w[i] = cx_mul(tau, row_product(h, h->a, i, from));
        along = cx_add(along, cx_mul(cx_conjugate(h->w[i]), h->v[i]));
    }
    along = cx_scale(cx_mul(tau, along), -0.5);
    for (tsm_dim i = from; i < h->n; i++)
        h->w[i] = cx_add(h->w[i], cx_mul(along, h->v[i]));
    for (tsm_dim i = from; i < h->n; i++)
        for (tsm_dim k = from; k < h->n; k++) {
            tsm_complex change = cx_add(cx_mul(h->v[i], cx_conjugate(h->w[k])), cx_mul(h->w[i], cx_conjugate(h->v[k])));
            *entry(h, h->a, i, k) = cx_sub(*entry(h, h->a, i, k), change);
        }
    for (tsm_dim i = 0; i < h->n; i++) {
        tsm_complex part = cx_mul(tau, row_product(h, h->q, i, from));
        for (tsm_dim k = from; k < h->n; k++)
            *entry(h, h->q, i, k) = cx_sub(*entry(h, h->q, i, k), cx_mul(part, cx_conjugate(h->v[k])));
    }
}

static void reduce(hermitian *h) {
    for (tsm_dim i = 0; i < h->n; i++)
        for (tsm_dim k = 0; k < h->n; k++)
            *entry(h, h->q, i, k) = cx(i == k, 0);
    for (tsm_dim from = 1; from < h->n; from++) {
        tsm_complex tau = reflector(h, from);
        if (cx_nonzero(tau))
            reflect(h, from, tau);
    }
    for (tsm_dim i = 0; i < h->n; i++)
        h->d[i] = entry(h, h->a, i, i)->re;
}

/* ---- The tridiagonal matrix ---- */

/* Part of the matrix, seen from its top (step 1: QL) or from its bottom (step -1: QR): place k is first + k * step. */
typedef struct {
    hermitian *h;
    tsm_dim first, step;
} view;

static double *diagonal(const view *t, tsm_dim k) {
    return t->h->d + t->first + k * t->step;
}
/* The subdiagonal element between places k and k + 1. */
static double *beside(const view *t, tsm_dim k) {
    return t->h->e + t->first + k * t->step - (t->step < 0);
}

/* Turns the vectors of places k and k + 1: x(k + 1) := c x(k + 1) - s x(k), x(k) := s x(k + 1) + c x(k). */
static void turn(const view *t, tsm_dim k, double c, double s) {
    tsm_dim at = t->first + k * t->step;
    for (tsm_dim i = 0; i < t->h->n; i++) {
        tsm_complex *x = entry(t->h, t->h->q, i, at), *next = x + t->step, held = *next;
        *next = cx_sub(cx_scale(held, c), cx_scale(*x, s));
        *x = cx_add(cx_scale(held, s), cx_scale(*x, c));
    }
}

/* c and s with c f + s g = r, c g - s f = 0, and c not negative. */
static double rotation(double f, double g, double *c, double *s) {
    if (g == 0) {
        *c = 1;
        *s = 0;
        return f;
    }
    double r = copysign(hypot(f, g), f == 0 ? g : f);
    *c = f / r;
    *s = g / r;
    return r;
}

/* The eigenvalues of [[a, b], [b, c]], that of larger size first, and the vector (cosine, sine) of the first. */
static void pair_of(double a, double b, double c, double values[2], double *cosine, double *sine) {
    double sum = a + c, difference = a - c, twice = 2 * b, root = hypot(difference, twice);
    double large = fabs(a) > fabs(c) ? a : c, small = fabs(a) > fabs(c) ? c : a;
    values[0] = sum == 0 ? root / 2 : (sum + (sum < 0 ? -root : root)) / 2;
    values[1] = sum == 0 ? -root / 2 : large / values[0] * small - b / values[0] * b;
    double leg = difference + (difference >= 0 ? root : -root);
    if (fabs(leg) > fabs(twice)) {
        double t = -twice / leg;
        *sine = 1 / sqrt(1 + t * t);
        *cosine = t * *sine;
    } else if (twice == 0) {
        *cosine = 1;
        *sine = 0;
    } else {
        double t = -leg / twice;
        *cosine = 1 / sqrt(1 + t * t);
        *sine = t * *cosine;
    }
    if ((sum < 0) == (difference < 0)) {
        double held = *cosine;
        *cosine = -*sine;
        *sine = held;
    }
}

/* Diagonalizes the 2 by 2 block of places 0 and 1. */
static void split_pair(const view *t) {
    double values[2], c, s, *d0 = diagonal(t, 0), *d1 = diagonal(t, 1);
    if (t->step > 0) {
        pair_of(*d0, *beside(t, 0), *d1, values, &c, &s);
        turn(t, 0, c, s);
        *d0 = values[0];
        *d1 = values[1];
    } else {
        pair_of(*d1, *beside(t, 0), *d0, values, &c, &s);
        turn(t, 0, c, -s);
        *d1 = values[0];
        *d0 = values[1];
    }
    *beside(t, 0) = 0;
}

/* One QL or QR step with an implicit shift on places 0 to m. */
static void chase(const view *t, tsm_dim m) {
    double p = *diagonal(t, 0), e = *beside(t, 0), g = (*diagonal(t, 1) - p) / (2 * e), s = 1, c = 1;
    g = *diagonal(t, m) - p + e / (g + copysign(hypot(g, 1), g));
    p = 0;
    for (tsm_dim i = m - 1; i >= 0; i--) {
        double f = s * *beside(t, i), b = c * *beside(t, i), r = rotation(g, f, &c, &s);
        if (i != m - 1)
            *beside(t, i + 1) = r;
        g = *diagonal(t, i + 1) - p;
        r = (*diagonal(t, i) - g) * s + 2 * c * b;
        p = s * r;
        *diagonal(t, i + 1) = g + p;
        g = c * r - b;
        turn(t, i, c, -s);
    }
    *diagonal(t, 0) -= p;
    *beside(t, 0) = g;
}

/* The last place of the unreduced block at place 0: the first whose subdiagonal element is negligible; `last` if there
 * is none. */
static tsm_dim end_of_part(const view *t, tsm_dim last) {
    const double tiny = 2.2250738585072014e-308, epsilon = t->h->epsilon;
    for (tsm_dim m = 0; m < last; m++) {
        double e = fabs(*beside(t, m));
        if (e * e <= epsilon * epsilon * fabs(*diagonal(t, m)) * fabs(*diagonal(t, m + 1)) + tiny) {
            *beside(t, m) = 0;
            return m;
        }
    }
    return last;
}

/* Diagonalizes places 0 to last; false when there are no steps left. */
static bool diagonalize(view t, tsm_dim last, tsm_dim *steps_left) {
    while (last >= 0) {
        tsm_dim m = end_of_part(&t, last), done = m == 0 ? 1 : 2;
        if (m > 1) {
            if (--*steps_left < 0)
                return false;
            chase(&t, m);
            continue;
        }
        if (m == 1)
            split_pair(&t);
        t.first += done * t.step;
        last -= done;
    }
    return true;
}

/* Diagonalizes the unreduced blocks one after the other, each from the end with the smaller diagonal element. */
static bool diagonalize_all(hermitian *h) {
    tsm_dim steps_left = 30 * h->n;
    for (tsm_dim first = 0, end; first < h->n; first = end) {
        for (end = first + 1; end < h->n; end++)
            if (fabs(h->e[end - 1]) <= sqrt(fabs(h->d[end - 1])) * sqrt(fabs(h->d[end])) * h->epsilon) {
                h->e[end - 1] = 0;
                break;
            }
        bool from_bottom = fabs(h->d[end - 1]) < fabs(h->d[first]);
        view t = {h, from_bottom ? end - 1 : first, from_bottom ? -1 : 1};
        if (!diagonalize(t, end - 1 - first, &steps_left))
            return false;
    }
    return true;
}

static void sort_ascending(hermitian *h) {
    for (tsm_dim i = 0; i + 1 < h->n; i++) {
        tsm_dim least = i;
        for (tsm_dim k = i + 1; k < h->n; k++)
            if (h->d[k] < h->d[least])
                least = k;
        double held = h->d[i];
        h->d[i] = h->d[least];
        h->d[least] = held;
        for (tsm_dim row = 0; row < h->n && least != i; row++) {
            tsm_complex *a = entry(h, h->q, row, i), *b = entry(h, h->q, row, least), swap = *a;
            *a = *b;
            *b = swap;
        }
    }
}

/* ---- Matrices of a batch ---- */

static tsm_complex number_at(const tsm_tensor *t, tsm_dim i) {
    return t->dtype == TSM_COMPLEX128 ? ((const tsm_complex *)t->data)[i] : cx(((const double *)t->data)[i], 0);
}

/* Reads one triangle. The upper one is read with rows and columns reversed, so that it is a lower triangle. */
static void take_matrix(hermitian *h, const tsm_tensor *t, tsm_dim at, bool upper) {
    for (tsm_dim i = 0; i < h->n; i++)
        for (tsm_dim k = 0; k <= i; k++) {
            tsm_dim row = upper ? h->n - 1 - i : i, column = upper ? h->n - 1 - k : k;
            tsm_complex v = number_at(t, at + row * h->n + column);
            *entry(h, h->a, k, i) = cx_conjugate(v);
            *entry(h, h->a, i, k) = i == k ? cx(v.re, 0) : v;
        }
}

/* Undoes the reversal of take_matrix in the diagonal, the subdiagonal and the vectors. */
static void turn_around(hermitian *h) {
    for (tsm_dim i = 0; i < h->n - 1 - i; i++) {
        double held = h->d[i];
        h->d[i] = h->d[h->n - 1 - i];
        h->d[h->n - 1 - i] = held;
    }
    for (tsm_dim i = 0; i < h->n - 2 - i; i++) {
        double held = h->e[i];
        h->e[i] = h->e[h->n - 2 - i];
        h->e[h->n - 2 - i] = held;
    }
    for (tsm_dim i = 0, last = h->n * h->n - 1; i < last - i; i++) {
        tsm_complex held = h->q[i];
        h->q[i] = h->q[last - i];
        h->q[last - i] = held;
    }
}

static tsm_status solve(tsm_exec *x, hermitian *h, const tsm_tensor *t, bool upper, tsm_tensor *values,
                        tsm_tensor *vectors) {
    tsm_dim size = h->n * h->n;
    for (tsm_dim b = 0; size && b < t->elements / size; b++) {
        take_matrix(h, t, b * size, upper);
        reduce(h);
        if (upper)
            turn_around(h);
        if (!diagonalize_all(h))
            return TSM_RAISE(x,
                             "linalg.eigh: (Batch element %zd): The algorithm failed to converge because the input "
                             "matrix is ill-conditioned "
                             "or has too many repeated eigenvalues",
                             (ptrdiff_t)b);
        sort_ascending(h);
        memcpy((double *)values->data + b * h->n, h->d, (size_t)h->n * sizeof *h->d);
        for (tsm_dim i = 0; i < size; i++) {
            if (vectors->dtype == TSM_COMPLEX128)
                ((tsm_complex *)vectors->data)[b * size + i] = h->q[i];
            else
                ((double *)vectors->data)[b * size + i] = h->q[i].re;
        }
    }
    return TSM_OK;
}

tsm_status eigen_begin(tsm_exec *x, const tsm_tensor *t, tsm_dtype values, tsm_dtype vectors, eigen_results *r) {
    if (t->dims != 3 || t->sizes[1] != t->sizes[2] || (t->dtype != TSM_FLOAT64 && t->dtype != TSM_COMPLEX128) ||
        !tsm_tensor_is_contiguous(t))
        return TSM_RAISE(x, "%s: expected a batch of square matrices in double", tsm_op_name(x));
    TSM_TRY(tsm_charge_product(x, (uint64_t)t->elements, (uint64_t)t->sizes[1], 32));
    TSM_TRY(tsm_tensor_make(x, values, 2, t->sizes, &r->values));
    tsm_status status = tsm_tensor_make(x, vectors, 3, t->sizes, &r->vectors);
    if (status != TSM_OK)
        tsm_tensor_drop(x, r->values);
    return status;
}

tsm_status eigen_end(tsm_exec *x, tsm_status status, const eigen_results *r, tsm_value *out) {
    if (status != TSM_OK) {
        tsm_tensor_drop(x, r->values);
        tsm_tensor_drop(x, r->vectors);
        return status;
    }
    out[0] = tsm_of_tensor(r->values);
    out[1] = tsm_of_tensor(r->vectors);
    return TSM_OK;
}

/* tsm::eigh(A, upper, epsilon): ascending eigenvalues [batch, n] and vectors of A [batch, n, n], contiguous, double or
 * complex double, one triangle of which is read. What is smaller than its neighbours on the diagonal by `epsilon`
 * counts as nothing. */
TSM_KERNEL(tsm_eigh) {
    const tsm_tensor *t = arg_tensor(in, 0);
    eigen_results r;
    TSM_TRY(eigen_begin(x, t, TSM_FLOAT64, (tsm_dtype)t->dtype, &r));
    hermitian h = {.n = t->sizes[1], .epsilon = arg_float(in, 2)};
    size_t n = (size_t)h.n;
    tsm_status status = TSM_OUT_OF_MEMORY;
    h.a = tsm_scratch(x, (2 * n * n + 2 * n) * sizeof *h.a + 2 * n * sizeof *h.d);
    if (h.a) {
        h.q = h.a + n * n;
        h.v = h.q + n * n;
        h.w = h.v + n;
        h.d = (double *)(h.w + n);
        h.e = h.d + n;
        status = solve(x, &h, t, arg_bool(in, 1), r.values, r.vectors);
    }
    tsm_scratch_free(x, h.a);
    return eigen_end(x, status, &r, out);
}

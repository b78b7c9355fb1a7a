/* Eigenvalues and eigenvectors of general matrices, in LAPACK's order and with its signs: balanced (Parlett and
 * Reinsch, Linear Algebra, II/11), made Hessenberg by reflections, then triangular by the QR algorithm (schur.h);
 * vectors by substituting back. Calculated in double. Scratch for n rows: 48 n^2 + 40 n bytes. */
#include "runtime/kernels/linalg/eigen.h"
#include "runtime/kernels/linalg/schur.h"

typedef struct {
    tsm_dim n, first, last; /* rows and columns outside of first to last are triangular from the beginning */
    tsm_complex *h, *q;     /* the matrix, then Schur's form; its vectors */
    double *real;           /* room for both as real numbers */
    tsm_complex *x, *w;     /* a vector; the eigenvalues */
    double *balance;        /* how rows and columns were exchanged (outside) and scaled (inside) */
    bool is_complex, has_vectors;
    double epsilon;
} general;

static tsm_complex *at(const general *g, tsm_complex *m, tsm_dim row, tsm_dim column) {
    return m + row * g->n + column;
}

static void exchange(tsm_complex *a, tsm_dim a_step, tsm_complex *b, tsm_dim b_step, tsm_dim n) {
    for (tsm_dim i = 0; i < n; i++) {
        tsm_complex held = a[i * a_step];
        a[i * a_step] = b[i * b_step];
        b[i * b_step] = held;
    }
}

/* ---- Balance ---- */

static void move(general *g, tsm_dim from, tsm_dim to) {
    g->balance[to] = (double)from;
    if (from == to)
        return;
    exchange(at(g, g->h, 0, from), g->n, at(g, g->h, 0, to), g->n, g->last + 1);
    exchange(at(g, g->h, from, g->first), 1, at(g, g->h, to, g->first), 1, g->n - g->first);
}

/* Whether row (column) k has nothing but its diagonal element between first and last. */
static bool is_alone(const general *g, tsm_dim k, bool row) {
    for (tsm_dim i = g->first; i <= g->last; i++)
        if (i != k && cx_nonzero(*(row ? at(g, g->h, k, i) : at(g, g->h, i, k))))
            return false;
    return true;
}

/* Rows that are alone go to the end, columns to the beginning. */
static void isolate(general *g) {
    g->first = 0;
    g->last = g->n - 1;
    for (bool again = true; again && g->last > 0;) {
        again = false;
        for (tsm_dim k = g->last; k >= 0 && !again; k--)
            if (is_alone(g, k, true)) {
                move(g, k, g->last);
                g->last--;
                again = true;
            }
    }
    for (bool again = true; again && g->first < g->last;) {
        again = false;
        for (tsm_dim k = g->first; k <= g->last && !again; k++)
            if (is_alone(g, k, false)) {
                move(g, k, g->first);
                g->first++;
                again = true;
            }
    }
}

static double length(const tsm_complex *x, tsm_dim step, tsm_dim n) {
    double sum = 0;
    for (tsm_dim i = 0; i < n; i++)
        sum = cx_abs(cx(sum, cx_abs(x[i * step])));
    return sum;
}

/* Rows and columns are scaled by powers of 2 while that makes their lengths more alike. */
static bool scale_once(general *g, tsm_dim i) {
    tsm_dim n = g->last - g->first + 1;
    double c = length(at(g, g->h, g->first, i), g->n, n), r = length(at(g, g->h, i, g->first), 1, n), f = 1,
           sum = c + r;
    if (c == 0 || r == 0 || !isfinite(sum))
        return false;
    for (; c < r / 2 && f < 0x1p500; f *= 2, c *= 2)
        r /= 2;
    for (; c / 2 >= r && f > 0x1p-500; f /= 2, c /= 2)
        r *= 2;
    if (c + r >= 0.95 * sum)
        return false;
    g->balance[i] *= f;
    for (tsm_dim k = g->first; k < g->n; k++)
        *at(g, g->h, i, k) = cx_scale(*at(g, g->h, i, k), 1 / f);
    for (tsm_dim k = 0; k <= g->last; k++)
        *at(g, g->h, k, i) = cx_scale(*at(g, g->h, k, i), f);
    return true;
}

static void balance(general *g) {
    isolate(g);
    for (tsm_dim i = g->first; i <= g->last; i++)
        g->balance[i] = 1;
    for (bool again = true; again;) {
        again = false;
        for (tsm_dim i = g->first; i <= g->last; i++)
            again |= scale_once(g, i);
    }
}

/* What balancing did is undone in the vectors. */
static void unbalance(general *g) {
    for (tsm_dim i = g->first; i <= g->last; i++)
        for (tsm_dim k = 0; k < g->n; k++)
            *at(g, g->q, i, k) = cx_scale(*at(g, g->q, i, k), g->balance[i]);
    for (tsm_dim i = g->first - 1; i >= 0; i--)
        exchange(at(g, g->q, i, 0), 1, at(g, g->q, (tsm_dim)g->balance[i], 0), 1, g->n);
    for (tsm_dim i = g->last + 1; i < g->n; i++)
        exchange(at(g, g->q, i, 0), 1, at(g, g->q, (tsm_dim)g->balance[i], 0), 1, g->n);
}

/* ---- Hessenberg's form ---- */

/* The reflection I - tau v v^H (v in x, from row `from` on) that leaves column from - 1 one real number below the
 * diagonal. */
static tsm_complex reflector(general *g, tsm_dim from) {
    tsm_complex alpha = *at(g, g->h, from, from - 1);
    double rest = length(at(g, g->h, from, from - 1) + g->n, g->n, g->last - from);
    if (rest == 0 && alpha.im == 0)
        return cx(0, 0);
    double beta = -copysign(cx_abs(cx(cx_abs(alpha), rest)), alpha.re);
    g->x[from] = cx(1, 0);
    for (tsm_dim i = from + 1; i <= g->last; i++) {
        g->x[i] = tsm_cx_div(*at(g, g->h, i, from - 1), cx(alpha.re - beta, alpha.im));
        *at(g, g->h, i, from - 1) = cx(0, 0);
    }
    *at(g, g->h, from, from - 1) = cx(beta, 0);
    return cx((beta - alpha.re) / beta, -alpha.im / beta);
}

/* M := M H for the first rows of m. */
static void reflect_columns(const general *g, tsm_complex *m, tsm_dim rows, tsm_dim from, tsm_complex tau) {
    for (tsm_dim i = 0; i < rows; i++) {
        tsm_complex sum = cx(0, 0);
        for (tsm_dim k = from; k <= g->last; k++)
            sum = cx_add(sum, cx_mul(*at(g, m, i, k), g->x[k]));
        sum = cx_mul(sum, tau);
        for (tsm_dim k = from; k <= g->last; k++)
            *at(g, m, i, k) = cx_sub(*at(g, m, i, k), cx_mul(sum, cx_conjugate(g->x[k])));
    }
}

static void make_hessenberg(general *g) {
    for (tsm_dim i = 0; i < g->n; i++)
        for (tsm_dim k = 0; k < g->n; k++)
            *at(g, g->q, i, k) = cx(i == k, 0);
    for (tsm_dim from = g->first + 1; from <= g->last; from++) {
        tsm_complex tau = reflector(g, from);
        if (!cx_nonzero(tau))
            continue;
        reflect_columns(g, g->h, g->last + 1, from, tau);
        for (tsm_dim k = from; k < g->n; k++) { /* H^H from the left */
            tsm_complex sum = cx(0, 0);
            for (tsm_dim i = from; i <= g->last; i++)
                sum = cx_add(sum, cx_mul(cx_conjugate(g->x[i]), *at(g, g->h, i, k)));
            sum = cx_mul(sum, cx_conjugate(tau));
            for (tsm_dim i = from; i <= g->last; i++)
                *at(g, g->h, i, k) = cx_sub(*at(g, g->h, i, k), cx_mul(sum, g->x[i]));
        }
        if (g->has_vectors)
            reflect_columns(g, g->q, g->n, from, tau);
    }
}

/* ---- Schur's form ---- */

/* As real numbers. */
static bool make_triangular_real(general *g, const schur_size *size) {
    const tsm_dim count = g->n * g->n;
    double *h = g->real, *z = g->real + count;
    for (tsm_dim i = 0; i < count; i++)
        h[i] = g->h[i].re;
    tsm_hessenberg_real(size, h, z, (double *)g->x);
    const bool done = tsm_schur_real(size, h, z);
    for (tsm_dim i = 0; i < count; i++)
        g->h[i] = cx(h[i], 0);
    for (tsm_dim i = 0; i < count && g->has_vectors; i++)
        g->q[i] = cx(z[i], 0);
    return done;
}

static bool make_triangular(general *g) {
    const schur_size size = {g->n, g->first, g->last, g->has_vectors ? g->n : 0, g->epsilon};
    if (!g->is_complex)
        return make_triangular_real(g, &size);
    make_hessenberg(g);
    return tsm_schur_complex(&size, g->h, g->q);
}

static bool begins_pair(const general *g, tsm_dim k) {
    return k >= 0 && k + 1 < g->n && cx_nonzero(*at(g, g->h, k + 1, k));
}

static void read_values(general *g) {
    for (tsm_dim k = 0; k < g->n; k++) {
        g->w[k] = *at(g, g->h, k, k);
        if (!begins_pair(g, k))
            continue;
        g->w[k].im = sqrt(fabs(at(g, g->h, k, k + 1)->re)) * sqrt(fabs(at(g, g->h, k + 1, k)->re));
        g->w[k + 1] = cx_conjugate(g->w[k]);
        k++;
    }
}

/* ---- Vectors ---- */

/* Takes x[k] times column k from the right sides above row `rows`. */
static void substitute(const general *g, tsm_dim k, tsm_dim rows) {
    for (tsm_dim i = 0; i < rows; i++)
        g->x[i] = cx_sub(g->x[i], cx_mul(g->x[k], *at(g, g->h, i, k)));
}

/* Rows k and k + 1 of (T - w) x = right side, by Cramer's rule. */
static void solve_pair(const general *g, tsm_dim k, tsm_complex w) {
    tsm_complex a = cx_sub(*at(g, g->h, k, k), w), b = *at(g, g->h, k, k + 1), c = *at(g, g->h, k + 1, k),
                d = cx_sub(*at(g, g->h, k + 1, k + 1), w), det = cx_sub(cx_mul(a, d), cx_mul(b, c)), p = g->x[k],
                q = g->x[k + 1];
    g->x[k] = tsm_cx_div(cx_sub(cx_mul(p, d), cx_mul(b, q)), det);
    g->x[k + 1] = tsm_cx_div(cx_sub(cx_mul(a, q), cx_mul(p, c)), det);
}

/* x of (T - w[k]) x = 0 with what is known: one element, or the two of a pair, before which `rows` are to be found. */
static void substitute_back(const general *g, tsm_dim rows, tsm_complex w) {
    double least = fmax(g->epsilon * cx_size(w), 2.2250738585072014e-308 * ((double)g->n / g->epsilon));
    for (tsm_dim j = rows - 1; j >= 0; j--) {
        if (begins_pair(g, j - 1)) {
            solve_pair(g, --j, w);
            substitute(g, j + 1, j);
        } else {
            tsm_complex gap = cx_sub(*at(g, g->h, j, j), w);
            g->x[j] = tsm_cx_div(g->x[j], cx_size(gap) < least ? cx(least, 0) : gap);
        }
        substitute(g, j, j);
    }
}

/* Column k (of a pair: columns k and k + 1) becomes the vector of T carried into A's coordinates. */
static void find_vector(general *g, tsm_dim k, bool pair) {
    tsm_dim rows = k, count = k + 1 + pair;
    for (tsm_dim i = 0; i < count; i++)
        g->x[i] = cx(0, 0);
    g->x[k] = cx(1, 0);
    if (pair) {
        double wi = g->w[k].im, b = at(g, g->h, k, k + 1)->re, c = at(g, g->h, k + 1, k)->re;
        bool upper = fabs(b) >= fabs(c);
        g->x[k] = cx(upper ? 1 : -wi / c, 0);
        g->x[k + 1] = cx(0, upper ? wi / b : 1);
        substitute(g, k + 1, rows);
    }
    substitute(g, k, rows);
    substitute_back(g, rows, g->w[k]);
    for (tsm_dim i = 0; i < g->n; i++) {
        tsm_complex sum = cx(0, 0);
        for (tsm_dim j = 0; j < count; j++)
            sum = cx_add(sum, cx_mul(*at(g, g->q, i, j), g->x[j]));
        *at(g, g->q, i, k) = sum;
        if (pair)
            *at(g, g->q, i, k + 1) = cx_conjugate(sum);
    }
}

/* Vectors get length 1; of those that are not real the largest element is, with the sign its real part has in those of
 * real matrices. */
static void general_normalize(general *g, tsm_dim k) {
    double size = length(g->q + k, g->n, g->n), largest = -1;
    tsm_complex by = cx(1, 0);
    for (tsm_dim i = 0; i < g->n; i++) {
        tsm_complex v = *at(g, g->q, i, k);
        double square = v.re * v.re + v.im * v.im;
        if (square > largest) {
            largest = square;
            by = cx_scale(cx_conjugate(v), (g->is_complex || v.re >= 0 ? 1 : -1) / sqrt(square));
        }
    }
    bool turns = g->is_complex || g->w[k].im != 0;
    by = turns ? cx_scale(by, 1 / size) : cx(1 / size, 0);
    for (tsm_dim i = 0; i < g->n; i++)
        *at(g, g->q, i, k) = cx_mul(*at(g, g->q, i, k), by);
}

static void find_vectors(general *g) {
    for (tsm_dim k = g->n - 1; k >= 0; k--) {
        bool pair = begins_pair(g, k - 1);
        k -= pair;
        find_vector(g, k, pair);
    }
    unbalance(g);
    for (tsm_dim k = 0; k < g->n; k++)
        general_normalize(g, k);
}

/* ---- Matrices of a batch ---- */

static tsm_status general_solve(tsm_exec *x, general *g, const tsm_tensor *t, const eigen_results *r) {
    tsm_dim size = g->n * g->n;
    for (tsm_dim b = 0; size && b < t->elements / size; b++) {
        for (tsm_dim i = 0; i < size; i++)
            g->h[i] = g->is_complex ? ((const tsm_complex *)t->data)[b * size + i]
                                    : cx(((const double *)t->data)[b * size + i], 0);
        balance(g);
        if (!make_triangular(g))
            return TSM_RAISE(x, "linalg.eig: The algorithm failed to converge");
        read_values(g);
        memcpy((tsm_complex *)r->values->data + b * g->n, g->w, (size_t)g->n * sizeof *g->w);
        if (!g->has_vectors)
            continue;
        find_vectors(g);
        memcpy((tsm_complex *)r->vectors->data + b * size, g->q, (size_t)size * sizeof *g->q);
    }
    return TSM_OK;
}

/* tsm::eig(A, epsilon, vectors): eigenvalues [batch, n] and vectors, as complex numbers, of A [batch, n, n],
 * contiguous, double or complex double. */
TSM_KERNEL(tsm_eig) {
    const tsm_tensor *t = arg_tensor(in, 0);
    eigen_results r;
    const bool vectors = arg_bool(in, 2);
    TSM_TRY(tsm_eigen_begin(x, t, TSM_COMPLEX128, TSM_COMPLEX128, vectors, &r));
    general g = {.n = t->sizes[1],
                 .is_complex = t->dtype == TSM_COMPLEX128,
                 .epsilon = arg_float(in, 1),
                 .has_vectors = vectors};
    size_t n = (size_t)g.n;
    tsm_status status = TSM_OUT_OF_MEMORY;
    g.h = tsm_scratch(x, (2 * n * n + 2 * n) * sizeof *g.h + (2 * n * n + n) * sizeof *g.real);
    if (g.h) {
        g.q = g.h + n * n;
        g.x = g.q + n * n;
        g.w = g.x + n;
        g.real = (double *)(g.w + n);
        g.balance = g.real + 2 * n * n;
        status = general_solve(x, &g, t, &r);
    }
    tsm_scratch_free(x, g.h);
    return tsm_eigen_end(x, status, &r, out);
}

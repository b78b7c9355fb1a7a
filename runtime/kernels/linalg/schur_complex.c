/* The Schur form of a complex matrix by the QR algorithm. */
#include <math.h>

#include "runtime/kernels/linalg/schur.h"

/* The part of h in work: rows and columns low to high. Elements left of the diagonal are real between steps. */
typedef struct {
    const schur_size *size;
    tsm_complex *h, *z;
    tsm_dim low, high;
    int rounds; /* without an eigenvalue found */
} complexes;

static tsm_complex *complex_at(const complexes *r, tsm_dim row, tsm_dim column) {
    return r->h + row * r->size->n + column;
}
static double sized(const complexes *r, tsm_dim row, tsm_dim column) {
    return cx_size(*complex_at(r, row, column));
}

static void complex_scale(tsm_complex *x, tsm_dim step, tsm_dim n, tsm_complex by) {
    for (tsm_dim i = 0; i < n; i++)
        x[i * step] = cx_mul(x[i * step], by);
}

/* Whether the subdiagonal element of row k is negligible. */
static bool is_small(const complexes *r, tsm_dim k) {
    const schur_size *s = r->size;
    double below = sized(r, k, k - 1);
    if (below <= schur_tiny(s))
        return true;
    double around = sized(r, k - 1, k - 1) + sized(r, k, k);
    if (around == 0) {
        if (k - 2 >= s->first)
            around += fabs(complex_at(r, k - 1, k - 2)->re);
        if (k + 1 <= s->last)
            around += fabs(complex_at(r, k + 1, k)->re);
    }
    if (fabs(complex_at(r, k, k - 1)->re) > s->epsilon * around)
        return false;
    double gap = cx_size(cx_sub(*complex_at(r, k - 1, k - 1), *complex_at(r, k, k)));
    return schur_is_small(s, below, sized(r, k - 1, k), sized(r, k, k), gap);
}

/* The shift: the eigenvalue of the last 2 by 2 block that is nearer to its last element; every tenth round another
 * number, so that the steps cannot cycle. */
static tsm_complex choose_shift(const complexes *r) {
    tsm_dim i = r->high, l = r->low;
    if (r->rounds % 20 == 0)
        return cx_add(cx(0.75 * fabs(complex_at(r, i, i - 1)->re), 0), *complex_at(r, i, i));
    if (r->rounds % 10 == 0)
        return cx_add(cx(0.75 * fabs(complex_at(r, l + 1, l)->re), 0), *complex_at(r, l, l));
    tsm_complex t = *complex_at(r, i, i),
                u = cx_mul(tsm_cx_sqrt(*complex_at(r, i - 1, i)), tsm_cx_sqrt(*complex_at(r, i, i - 1)));
    double s = cx_size(u);
    if (s == 0)
        return t;
    tsm_complex x = cx_scale(cx_sub(*complex_at(r, i - 1, i - 1), t), 0.5);
    double sx = cx_size(x);
    s = fmax(s, sx);
    tsm_complex xs = cx_scale(x, 1 / s), us = cx_scale(u, 1 / s),
                y = cx_scale(tsm_cx_sqrt(cx_add(cx_mul(xs, xs), cx_mul(us, us))), s);
    if (sx > 0 && x.re / sx * y.re + x.im / sx * y.im < 0)
        y = cx_neg(y);
    return cx_sub(t, cx_mul(u, tsm_cx_div(u, cx_add(x, y))));
}

/* Where the step begins, and its first column (whose second element is real). */
static tsm_dim choose_start(const complexes *r, tsm_complex v[2]) {
    tsm_complex t = choose_shift(r);
    for (tsm_dim m = r->high - 1;; m--) {
        tsm_complex own = *complex_at(r, m, m), shifted = cx_sub(own, t);
        double below = complex_at(r, m + 1, m)->re, s = cx_size(shifted) + fabs(below);
        shifted = cx_scale(shifted, 1 / s);
        below /= s;
        v[0] = shifted;
        v[1] = cx(below, 0);
        if (m == r->low || fabs(complex_at(r, m, m - 1)->re) * fabs(below) <=
                               r->size->epsilon * (cx_size(shifted) * (cx_size(own) + sized(r, m + 1, m + 1))))
            return m;
    }
}

/* Makes v the vector of a reflection I - tau v v^H with v[0] = 1 whose adjoint leaves the real number `made` in its
 * first element. */
static tsm_complex complex_reflector(tsm_complex v[2], tsm_complex *made) {
    double rest = cx_abs(v[1]);
    *made = v[0];
    if (rest == 0 && v[0].im == 0)
        return cx(0, 0);
    double beta = -copysign(cx_abs(cx(cx_abs(v[0]), rest)), v[0].re);
    tsm_complex tau = cx((beta - v[0].re) / beta, -v[0].im / beta);
    v[1] = tsm_cx_div(v[1], cx(v[0].re - beta, v[0].im));
    *made = cx(beta, 0);
    return tau;
}

static void complex_reflect_columns(tsm_complex *a, tsm_dim n, tsm_dim rows, const tsm_complex v[2], tsm_complex tau,
                                    double t2) {
    for (tsm_dim j = 0; j < rows; j++, a += n) {
        tsm_complex sum = cx_add(cx_mul(tau, a[0]), cx_scale(a[1], t2));
        a[0] = cx_sub(a[0], sum);
        a[1] = cx_sub(a[1], cx_mul(sum, cx_conjugate(v[1])));
    }
}

/* Makes the subdiagonal real again after a reflection that did not begin at `low`. */
static void make_real_after(complexes *r, tsm_dim m, tsm_complex tau) {
    const tsm_dim n = r->size->n;
    tsm_complex turn = cx_sub(cx(1, 0), tau);
    turn = cx_scale(turn, 1 / cx_abs(turn));
    *complex_at(r, m + 1, m) = cx_mul(*complex_at(r, m + 1, m), cx_conjugate(turn));
    if (m + 2 <= r->high)
        *complex_at(r, m + 2, m + 1) = cx_mul(*complex_at(r, m + 2, m + 1), turn);
    for (tsm_dim j = m; j <= r->high; j++) {
        if (j == m + 1)
            continue;
        if (j + 1 < n)
            complex_scale(complex_at(r, j, j + 1), 1, n - 1 - j, turn);
        complex_scale(r->h + j, n, j, cx_conjugate(turn));
        complex_scale(r->z + j, n, r->size->z_rows, cx_conjugate(turn));
    }
}

/* Makes the subdiagonal element of the last row real. */
static void make_last_real(complexes *r) {
    const tsm_dim n = r->size->n, i = r->high;
    tsm_complex beside = *complex_at(r, i, i - 1);
    if (beside.im == 0)
        return;
    double size = cx_abs(beside);
    *complex_at(r, i, i - 1) = cx(size, 0);
    tsm_complex turn = cx_scale(beside, 1 / size);
    if (i + 1 < n)
        complex_scale(complex_at(r, i, i + 1), 1, n - 1 - i, cx_conjugate(turn));
    complex_scale(r->h + i, n, i, turn);
    complex_scale(r->z + i, n, r->size->z_rows, turn);
}

/* One step with one shift. */
static void complex_step(complexes *r) {
    const tsm_dim n = r->size->n, i = r->high;
    tsm_complex v[2], made;
    tsm_dim m = choose_start(r, v);
    for (tsm_dim k = m; k < i; k++) {
        if (k > m) {
            v[0] = *complex_at(r, k, k - 1);
            v[1] = *complex_at(r, k + 1, k - 1);
        }
        tsm_complex tau = complex_reflector(v, &made);
        if (k > m) {
            *complex_at(r, k, k - 1) = made;
            *complex_at(r, k + 1, k - 1) = cx(0, 0);
        }
        double t2 = cx_mul(tau, v[1]).re;
        for (tsm_dim j = k; j < n; j++) {
            tsm_complex sum =
                cx_add(cx_mul(cx_conjugate(tau), *complex_at(r, k, j)), cx_scale(*complex_at(r, k + 1, j), t2));
            *complex_at(r, k, j) = cx_sub(*complex_at(r, k, j), sum);
            *complex_at(r, k + 1, j) = cx_sub(*complex_at(r, k + 1, j), cx_mul(sum, v[1]));
        }
        complex_reflect_columns(r->h + k, n, (k + 2 < i ? k + 2 : i) + 1, v, tau, t2);
        complex_reflect_columns(r->z + k, n, r->size->z_rows, v, tau, t2);
        if (k == m && m > r->low)
            make_real_after(r, m, tau);
    }
    make_last_real(r);
}

/* Makes the whole subdiagonal real, as each step expects it. */
static void make_real(complexes *r) {
    const tsm_dim n = r->size->n;
    for (tsm_dim i = r->size->first + 1; i <= r->size->last; i++) {
        tsm_complex beside = *complex_at(r, i, i - 1);
        if (beside.im == 0)
            continue;
        double size = cx_abs(beside);
        tsm_complex turn = cx_scale(cx_conjugate(beside), 1 / size);
        *complex_at(r, i, i - 1) = cx(size, 0);
        complex_scale(complex_at(r, i, i), 1, n - i, turn);
        complex_scale(r->h + i, n, (i + 1 < n - 1 ? i + 1 : n - 1) + 1, cx_conjugate(turn));
        complex_scale(r->z + i, n, r->size->z_rows, cx_conjugate(turn));
    }
}

bool tsm_schur_complex(const schur_size *size, tsm_complex *h, tsm_complex *z) {
    complexes r = {size, h, z, size->first, size->last, 0};
    tsm_dim length = size->last - size->first + 1, limit = 30 * (length > 10 ? length : 10);
    make_real(&r);
    while (r.high >= size->first) {
        r.rounds = 0;
        for (tsm_dim steps = 0;; steps++) {
            for (r.low = r.high; r.low > size->first && !is_small(&r, r.low);)
                r.low--;
            if (r.low > size->first)
                *complex_at(&r, r.low, r.low - 1) = cx(0, 0);
            if (r.low >= r.high)
                break;
            if (steps > limit)
                return false;
            r.rounds++;
            complex_step(&r);
        }
        r.high--;
    }
    return true;
}

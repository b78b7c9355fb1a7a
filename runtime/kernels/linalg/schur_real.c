/* The real Schur form of a matrix: Hessenberg's form by reflections, then Francis' double steps. */
#include <math.h>
#include <string.h>

#include "runtime/kernels/linalg/schur.h"

/* ---- Hessenberg's form ---- */

/* The sum of a[i] b[i], in parts, which compilers turn into vectors. */
static double real_product(const double *a, const double *b, tsm_dim n) {
    double part[4] = {0}, sum = 0;
    tsm_dim i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++)
            part[k] += a[i + k] * b[i + k];
    for (; i < n; i++)
        sum += a[i] * b[i];
    return sum + ((part[0] + part[1]) + (part[2] + part[3]));
}

/* a -= factor * v */
static void take_multiple(double *restrict a, const double *restrict v, tsm_dim n, double factor) {
    for (tsm_dim i = 0; i < n; i++)
        a[i] -= factor * v[i];
}

/* The vector v of the reflection I - tau v v^T, v[0] = 1, that leaves one number of the n of a column, `step` apart. */
static double column_reflector(double *column, tsm_dim step, tsm_dim n, double *v) {
    const double alpha = column[0];
    double rest = 0;
    for (tsm_dim i = 1; i < n; i++)
        rest = cx_abs(cx(rest, column[i * step]));
    if (rest == 0)
        return 0;
    const double beta = -copysign(cx_abs(cx(alpha, rest)), alpha);
    v[0] = 1;
    for (tsm_dim i = 1; i < n; i++) {
        v[i] = column[i * step] / (alpha - beta);
        column[i * step] = 0;
    }
    column[0] = beta;
    return (beta - alpha) / beta;
}

void tsm_hessenberg_real(const schur_size *size, double *h, double *z, double *scratch) {
    const tsm_dim n = size->n;
    double *v = scratch, *w = scratch + n;
    for (tsm_dim i = 0; i < size->z_rows; i++)
        for (tsm_dim k = 0; k < n; k++)
            z[i * n + k] = i == k;
    for (tsm_dim from = size->first + 1; from <= size->last; from++) {
        const tsm_dim count = size->last - from + 1, right = n - from;
        const double tau = column_reflector(h + from * n + from - 1, n, count, v);
        if (tau == 0)
            continue;
        for (tsm_dim i = 0; i <= size->last; i++) /* H (I - tau v v^T) */
            take_multiple(h + i * n + from, v, count, tau * real_product(h + i * n + from, v, count));
        memset(w, 0, (size_t)right * sizeof *w);
        for (tsm_dim i = 0; i < count; i++) /* w = -tau H^T v, by rows */
            take_multiple(w, h + (from + i) * n + from, right, tau * v[i]);
        for (tsm_dim i = 0; i < count; i++)
            take_multiple(h + (from + i) * n + from, w, right, -v[i]);
        for (tsm_dim i = 0; i < size->z_rows; i++)
            take_multiple(z + i * n + from, v, count, tau * real_product(z + i * n + from, v, count));
    }
}

/* ---- Schur's form ---- */

/* The part of h in work: rows and columns low to high. */
typedef struct {
    const schur_size *size;
    double *h, *z;
    tsm_dim low, high;
    int rounds; /* without an eigenvalue found */
} reals;

static double *real_at(const reals *r, tsm_dim row, tsm_dim column) {
    return r->h + row * r->size->n + column;
}
static double real_sized(const reals *r, tsm_dim row, tsm_dim column) {
    return fabs(*real_at(r, row, column));
}

/* Whether the subdiagonal element of row k is negligible. */
static bool real_is_small(const reals *r, tsm_dim k) {
    const schur_size *s = r->size;
    double below = real_sized(r, k, k - 1);
    if (below <= schur_tiny(s))
        return true;
    double around = real_sized(r, k - 1, k - 1) + real_sized(r, k, k);
    if (around == 0) {
        if (k - 2 >= s->first)
            around += real_sized(r, k - 1, k - 2);
        if (k + 1 <= s->last)
            around += real_sized(r, k + 1, k);
    }
    if (below > s->epsilon * around)
        return false;
    double gap = fabs(*real_at(r, k - 1, k - 1) - *real_at(r, k, k));
    return schur_is_small(s, below, real_sized(r, k - 1, k), real_sized(r, k, k), gap);
}

/* The two shifts, as real and imaginary parts: the eigenvalues of the last 2 by 2 block; every tenth round other
 * numbers, so that the steps cannot cycle. */
static void choose_shifts(const reals *r, double re[2], double im[2]) {
    tsm_dim i = r->high, l = r->low;
    double a = *real_at(r, i - 1, i - 1), b = *real_at(r, i - 1, i), c = *real_at(r, i, i - 1), d = *real_at(r, i, i);
    if (r->rounds % 10 == 0) {
        bool bottom = r->rounds % 20 == 0;
        c = bottom ? real_sized(r, i, i - 1) + real_sized(r, i - 1, i - 2)
                   : real_sized(r, l + 1, l) + real_sized(r, l + 2, l + 1);
        a = d = 0.75 * c + *real_at(r, bottom ? i : l, bottom ? i : l);
        b = -0.4375 * c;
    }
    double s = fabs(a) + fabs(b) + fabs(c) + fabs(d);
    re[0] = re[1] = im[0] = im[1] = 0;
    if (s == 0)
        return;
    a /= s;
    b /= s;
    c /= s;
    d /= s;
    double middle = (a + d) / 2, det = (a - middle) * (d - middle) - b * c, root = sqrt(fabs(det));
    if (det >= 0) {
        re[0] = re[1] = middle * s;
        im[0] = root * s;
        im[1] = -im[0];
    } else {
        double one = middle + root, two = middle - root;
        re[0] = re[1] = (fabs(one - d) <= fabs(two - d) ? one : two) * s;
    }
}

/* Where the step begins, and its first column. */
static tsm_dim real_choose_start(const reals *r, double v[3]) {
    double re[2], im[2];
    choose_shifts(r, re, im);
    for (tsm_dim m = r->high - 2;; m--) {
        double d = *real_at(r, m, m), s = fabs(d - re[1]) + fabs(im[1]) + real_sized(r, m + 1, m),
               below = *real_at(r, m + 1, m) / s;
        v[0] = below * *real_at(r, m, m + 1) + (d - re[0]) * ((d - re[1]) / s) - im[0] * (im[1] / s);
        v[1] = below * (d + *real_at(r, m + 1, m + 1) - re[0] - re[1]);
        v[2] = below * *real_at(r, m + 2, m + 1);
        s = fabs(v[0]) + fabs(v[1]) + fabs(v[2]);
        for (int k = 0; k < 3; k++)
            v[k] /= s;
        if (m == r->low)
            return m;
        double around = real_sized(r, m - 1, m - 1) + real_sized(r, m, m) + real_sized(r, m + 1, m + 1);
        if (real_sized(r, m, m - 1) * (fabs(v[1]) + fabs(v[2])) <= r->size->epsilon * fabs(v[0]) * around)
            return m;
    }
}

/* Makes v the vector of a reflection I - tau v v^T with v[0] = 1 that leaves `made` of it in its first element. */
static double real_reflector(double *v, int n, double *made) {
    double rest = n == 3 ? cx_abs(cx(v[1], v[2])) : fabs(v[1]);
    *made = v[0];
    if (rest == 0)
        return 0;
    double beta = -copysign(cx_abs(cx(v[0], rest)), v[0]), tau = (beta - v[0]) / beta;
    for (int k = 1; k < n; k++)
        v[k] /= v[0] - beta;
    *made = beta;
    return tau;
}

/* x := x - tau (x . v) v of n numbers, `step` apart. */
static void reflect(double *x, tsm_dim step, const double *v, int n, double tau) {
    double sum = x[0] + v[1] * x[step] + (n == 3 ? v[2] * x[2 * step] : 0);
    x[0] -= sum * tau;
    x[step] -= sum * (tau * v[1]);
    if (n == 3)
        x[2 * step] -= sum * (tau * v[2]);
}

/* One step with two shifts. */
static void real_step(reals *r) {
    const tsm_dim n = r->size->n;
    /* Without vectors nobody reads what lies above and beside of the part in work. */
    const bool all = r->size->z_rows > 0;
    const tsm_dim top = all ? 0 : r->low, right = all ? n : r->high + 1;
    double v[3], made;
    tsm_dim m = real_choose_start(r, v);
    for (tsm_dim k = m; k < r->high; k++) {
        int count = r->high - k + 1 < 3 ? 2 : 3;
        for (int i = 0; k > m && i < count; i++)
            v[i] = *real_at(r, k + i, k - 1);
        double tau = real_reflector(v, count, &made);
        if (k > m) {
            *real_at(r, k, k - 1) = made;
            *real_at(r, k + 1, k - 1) = 0;
            if (count == 3)
                *real_at(r, k + 2, k - 1) = 0;
        } else if (m > r->low)
            *real_at(r, k, k - 1) *= 1 - tau;
        for (tsm_dim j = k; j < right; j++)
            reflect(real_at(r, k, j), n, v, count, tau);
        for (tsm_dim j = top; j <= (k + 3 < r->high ? k + 3 : r->high); j++)
            reflect(real_at(r, j, k), 1, v, count, tau);
        for (tsm_dim j = 0; j < r->size->z_rows; j++)
            reflect(r->z + j * n + k, 1, v, count, tau);
    }
}

static double sign_of(double a) {
    return copysign(1, a);
}

/* A block [[a, b], [c, d]] with complex or nearly equal eigenvalues gets equal diagonal elements. */
static void level(double m[4], double *cs, double *sn) {
    double a = m[0], b = m[1], c = m[2], d = m[3], sigma = b + c, p = (a - d) / 2, tau = cx_abs(cx(sigma, a - d));
    *cs = sqrt((1 + fabs(sigma) / tau) / 2);
    *sn = -(p / (tau * *cs)) * sign_of(sigma);
    double aa = a * *cs + b * *sn, bb = -a * *sn + b * *cs, cc = c * *cs + d * *sn, dd = -c * *sn + d * *cs;
    m[1] = bb * *cs + dd * *sn;
    m[2] = -aa * *sn + cc * *cs;
    m[0] = m[3] = (aa * *cs + cc * *sn - bb * *sn + dd * *cs) / 2;
    if (m[2] == 0)
        return;
    if (m[1] == 0) {
        m[1] = -m[2];
        m[2] = 0;
        double held = *cs;
        *cs = -*sn;
        *sn = held;
    } else if (sign_of(m[1]) == sign_of(m[2])) {
        double sab = sqrt(fabs(m[1])), sac = sqrt(fabs(m[2])), root = copysign(sab * sac, m[2]),
               t = 1 / sqrt(fabs(m[1] + m[2]));
        m[0] += root;
        m[3] -= root;
        m[1] -= m[2];
        m[2] = 0;
        double c1 = sab * t, s1 = sac * t, held = *cs * c1 - *sn * s1;
        *sn = *cs * s1 + *sn * c1;
        *cs = held;
    }
}

/* The rotation that makes a block triangular, or its diagonal elements equal when eigenvalues are complex. */
static void standardize(double m[4], double epsilon, double *cs, double *sn) {
    double a = m[0], b = m[1], c = m[2], d = m[3];
    *cs = 1;
    *sn = 0;
    if (c == 0 || (b != 0 && a - d == 0 && sign_of(b) != sign_of(c)))
        return;
    if (b == 0) {
        *cs = 0;
        *sn = 1;
        m[0] = d;
        m[1] = -c;
        m[2] = 0;
        m[3] = a;
        return;
    }
    double p = (a - d) / 2, large = fmax(fabs(b), fabs(c)), small = fmin(fabs(b), fabs(c)) * sign_of(b) * sign_of(c);
    double scale = fmax(fabs(p), large), z = p / scale * p + large / scale * small;
    if (z < 4 * epsilon) {
        level(m, cs, sn);
        return;
    }
    z = p + copysign(sqrt(scale) * sqrt(z), p);
    double tau = cx_abs(cx(c, z));
    *cs = z / tau;
    *sn = c / tau;
    m[0] = d + z;
    m[1] = b - c;
    m[2] = 0;
    m[3] = d - large / z * small;
}

/* x := cs x + sn y, y := cs y - sn x */
static void real_rotate(double *x, double *y, double cs, double sn) {
    double held = cs * *x + sn * *y;
    *y = cs * *y - sn * *x;
    *x = held;
}

/* Standardizes the 2 by 2 block of rows and columns i - 1 and i. */
static void finish_pair(reals *r, tsm_dim i) {
    const tsm_dim n = r->size->n;
    double m[] = {*real_at(r, i - 1, i - 1), *real_at(r, i - 1, i), *real_at(r, i, i - 1), *real_at(r, i, i)}, cs, sn;
    standardize(m, r->size->epsilon, &cs, &sn);
    for (int k = 0; k < 4; k++)
        *real_at(r, i - 1 + k / 2, i - 1 + k % 2) = m[k];
    if (!r->size->z_rows)
        return; /* as in real_step */
    for (tsm_dim j = i + 1; j < n; j++)
        real_rotate(real_at(r, i - 1, j), real_at(r, i, j), cs, sn);
    for (tsm_dim j = 0; j < i - 1; j++)
        real_rotate(real_at(r, j, i - 1), real_at(r, j, i), cs, sn);
    for (tsm_dim j = 0; j < r->size->z_rows; j++)
        real_rotate(r->z + j * n + i - 1, r->z + j * n + i, cs, sn);
}

bool tsm_schur_real(const schur_size *size, double *h, double *z) {
    reals r = {size, h, z, size->first, size->last, 0};
    tsm_dim length = size->last - size->first + 1, limit = 30 * (length > 10 ? length : 10);
    while (r.high >= size->first) {
        r.rounds = 0;
        for (tsm_dim steps = 0;; steps++) {
            for (r.low = r.high; r.low > size->first && !real_is_small(&r, r.low);)
                r.low--;
            if (r.low > size->first)
                *real_at(&r, r.low, r.low - 1) = 0;
            if (r.low >= r.high - 1)
                break;
            if (steps > limit)
                return false;
            r.rounds++;
            real_step(&r);
        }
        if (r.low == r.high - 1)
            finish_pair(&r, r.high);
        r.high = r.low - 1;
    }
    return true;
}

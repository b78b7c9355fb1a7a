/* The QL and QR algorithms on real symmetric tridiagonal matrices. */
#include "runtime/kernels/linalg/tridiagonal.h"

#include <math.h>

/* Part of the matrix, seen from its top (step 1: QL) or from its bottom (step -1: QR): place k is first + k * step. */
typedef struct {
    tridiagonal *t;
    tsm_dim first, step;
} matrix_view;

static double *diagonal(const matrix_view *v, tsm_dim k) {
    return v->t->d + v->first + k * v->step;
}
/* The subdiagonal element between places k and k + 1. */
static double *beside(const matrix_view *v, tsm_dim k) {
    return v->t->e + v->first + k * v->step - (v->step < 0);
}

/* Turns the vectors of places k and k + 1: x(k + 1) := c x(k + 1) - s x(k), x(k) := s x(k + 1) + c x(k). */
static void tridiagonal_turn(const matrix_view *v, tsm_dim k, double c, double s) {
    const tsm_dim width = v->t->rows ? v->t->width : 0, at = v->first + k * v->step;
    double *restrict x = v->t->rows + at * width, *restrict next = v->t->rows + (at + v->step) * width;
    for (tsm_dim i = 0; i < width; i++) {
        const double held = next[i];
        next[i] = held * c - x[i] * s;
        x[i] = held * s + x[i] * c;
    }
}

double tsm_linalg_rotation(double f, double g, double *c, double *s) {
    if (g == 0) {
        *c = 1;
        *s = 0;
        return f;
    }
    /* Sums of squares that neither overflow nor lose digits need no hypot. */
    const double squares = f * f + g * g, length = squares > 1e-280 && squares < 1e300 ? sqrt(squares) : hypot(f, g);
    const double r = copysign(length, f == 0 ? g : f);
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
static void split_pair(const matrix_view *v) {
    double values[2], c, s, *d0 = diagonal(v, 0), *d1 = diagonal(v, 1);
    if (v->step > 0) {
        pair_of(*d0, *beside(v, 0), *d1, values, &c, &s);
        tridiagonal_turn(v, 0, c, s);
        *d0 = values[0];
        *d1 = values[1];
    } else {
        pair_of(*d1, *beside(v, 0), *d0, values, &c, &s);
        tridiagonal_turn(v, 0, c, -s);
        *d1 = values[0];
        *d0 = values[1];
    }
    *beside(v, 0) = 0;
}

/* One QL or QR step with an implicit shift on places 0 to m. */
static void chase(const matrix_view *v, tsm_dim m) {
    double p = *diagonal(v, 0), e = *beside(v, 0), g = (*diagonal(v, 1) - p) / (2 * e), s = 1, c = 1;
    g = *diagonal(v, m) - p + e / (g + copysign(hypot(g, 1), g));
    p = 0;
    for (tsm_dim i = m - 1; i >= 0; i--) {
        double f = s * *beside(v, i), b = c * *beside(v, i), r = tsm_linalg_rotation(g, f, &c, &s);
        if (i != m - 1)
            *beside(v, i + 1) = r;
        g = *diagonal(v, i + 1) - p;
        r = (*diagonal(v, i) - g) * s + 2 * c * b;
        p = s * r;
        *diagonal(v, i + 1) = g + p;
        g = c * r - b;
        tridiagonal_turn(v, i, c, -s);
    }
    *diagonal(v, 0) -= p;
    *beside(v, 0) = g;
}

/* The last place of the unreduced block at place 0: the first whose subdiagonal element is negligible; `last` if there
 * is none. */
static tsm_dim end_of_part(const matrix_view *v, tsm_dim last) {
    const double tiny = 2.2250738585072014e-308, epsilon = v->t->epsilon;
    for (tsm_dim m = 0; m < last; m++) {
        double e = fabs(*beside(v, m));
        if (e * e <= epsilon * epsilon * fabs(*diagonal(v, m)) * fabs(*diagonal(v, m + 1)) + tiny) {
            *beside(v, m) = 0;
            return m;
        }
    }
    return last;
}

/* Diagonalizes places 0 to last; false when there are no steps left. */
static bool diagonalize(matrix_view v, tsm_dim last, tsm_dim *steps_left) {
    while (last >= 0) {
        tsm_dim m = end_of_part(&v, last), done = m == 0 ? 1 : 2;
        if (m > 1) {
            if (--*steps_left < 0)
                return false;
            chase(&v, m);
            continue;
        }
        if (m == 1)
            split_pair(&v);
        v.first += done * v.step;
        last -= done;
    }
    return true;
}

static void sort_ascending(tridiagonal *t) {
    for (tsm_dim i = 0; i + 1 < t->n; i++) {
        tsm_dim least = i;
        for (tsm_dim k = i + 1; k < t->n; k++)
            if (t->d[k] < t->d[least])
                least = k;
        const double held = t->d[i];
        t->d[i] = t->d[least];
        t->d[least] = held;
        const tsm_dim width = t->rows && least != i ? t->width : 0;
        for (tsm_dim k = 0; k < width; k++) {
            double *a = t->rows + i * width + k, *b = t->rows + least * width + k, swap = *a;
            *a = *b;
            *b = swap;
        }
    }
}

/* Unreduced blocks one after the other, each from the end with the smaller diagonal element. */
bool tsm_tridiagonal_diagonalize(tridiagonal *t) {
    tsm_dim steps_left = 30 * t->n;
    for (tsm_dim first = 0, end; first < t->n; first = end) {
        for (end = first + 1; end < t->n; end++)
            if (fabs(t->e[end - 1]) <= sqrt(fabs(t->d[end - 1])) * sqrt(fabs(t->d[end])) * t->epsilon) {
                t->e[end - 1] = 0;
                break;
            }
        const bool from_bottom = fabs(t->d[end - 1]) < fabs(t->d[first]);
        const matrix_view v = {t, from_bottom ? end - 1 : first, from_bottom ? -1 : 1};
        if (!diagonalize(v, end - 1 - first, &steps_left))
            return false;
    }
    sort_ascending(t);
    return true;
}

/* Factorizations and triangular systems of one matrix, row after row in memory (Golub and Van Loan, Matrix
 * Computations, 3.2, 3.4, 4.2, 5.1). A template, which ends here: ELEMENT; NAME(f); MINUS(x, ...), C -= A B; TIMES(x,
 * ...), c = A v; arithmetic as ADD, SUB, MUL, DIV, CONJ, REAL(a), OF(double), SIZE(a), by which pivots are compared. */

static void NAME(swap_rows)(ELEMENT *a, ELEMENT *b, tsm_dim n) {
    for (tsm_dim i = 0; i < n; i++) {
        const ELEMENT held = a[i];
        a[i] = b[i];
        b[i] = held;
    }
}

/* ---- LU ---- */

/* The row, at or below row k, of the greatest element of column k; NaN is the greatest. */
static tsm_dim NAME(pivot_of)(const ELEMENT *a, tsm_dim m, tsm_dim n, tsm_dim k) {
    tsm_dim best = k;
    double most = SIZE(a[k * n + k]);
    for (tsm_dim i = k + 1; i < m && most == most; i++) {
        const double size = SIZE(a[i * n + k]);
        if (size > most || size != size) {
            best = i;
            most = size;
        }
    }
    return best;
}

/* Columns [from, to) of both factors, in all rows; other columns follow the exchanges of rows. */
static void NAME(lu_columns)(ELEMENT *a, tsm_dim m, tsm_dim n, tsm_dim from, tsm_dim to, const bool pivot,
                             int32_t *pivots, int32_t *info) {
    for (tsm_dim k = from; k < to; k++) {
        ELEMENT *row = a + k * n;
        const tsm_dim best = pivot ? NAME(pivot_of)(a, m, n, k) : k;
        pivots[k] = (int32_t)best + 1;
        if (best != k)
            NAME(swap_rows)(row, a + best * n, n);
        const bool none = SIZE(row[k]) == 0;
        if (none && !*info)
            *info = (int32_t)k + 1;
        for (tsm_dim i = k + 1; i < m && !none; i++) {
            ELEMENT *below = a + i * n;
            const ELEMENT factor = below[k] = DIV(below[k], row[k]);
            for (tsm_dim c = k + 1; c < to; c++)
                below[c] = SUB(below[c], MUL(factor, row[c]));
        }
    }
}

static void NAME(lu)(tsm_exec *x, ELEMENT *a, tsm_dim m, tsm_dim n, const bool pivot, int32_t *pivots, int32_t *info) {
    const tsm_dim steps = tsm_dim_min(m, n);
    for (tsm_dim k = 0, end; k < steps; k = end) {
        end = tsm_dim_min(k + FACTOR_BLOCK, steps);
        NAME(lu_columns)(a, m, n, k, end, pivot, pivots, info);
        const tsm_dim right = n - end;
        for (tsm_dim r = k + 1; r < end; r++)
            MINUS(x, 1, right, r - k, a + r * n + k, n, 1, a + k * n + end, n, a + r * n + end, n);
        MINUS(x, m - end, right, end - k, a + end * n + k, n, 1, a + k * n + end, n, a + end * n + end, n);
    }
}

/* ---- Triangular systems ---- */

/* b (n x r) becomes X with A X = B. */
static void NAME(substitute)(tsm_exec *x, const ELEMENT *a, ELEMENT *b, tsm_dim n, tsm_dim r, const bool upper,
                             const bool unit) {
    for (tsm_dim done = 0, m; done < n; done += m) {
        m = tsm_dim_min(FACTOR_BLOCK, n - done);
        const tsm_dim first = upper ? n - done - m : done, known = upper ? first + m : 0;
        MINUS(x, m, r, done, a + first * n + known, n, 1, b + known * r, r, b + first * r, r);
        for (tsm_dim s = 0; s < m; s++) {
            const tsm_dim i = upper ? first + m - 1 - s : first + s, j = upper ? i + 1 : first;
            ELEMENT *row = b + i * r;
            MINUS(x, 1, r, s, a + i * n + j, n, 1, b + j * r, r, row, r);
            for (tsm_dim c = 0; c < r && !unit; c++)
                row[c] = DIV(row[c], a[i * n + i]);
        }
    }
}

/* ---- Cholesky ---- */

/* Columns [from, to) of the factor, of whose elements all of other columns has been subtracted. */
static void NAME(cholesky_columns)(ELEMENT *a, tsm_dim n, tsm_dim from, tsm_dim to, int32_t *info) {
    for (tsm_dim i = from; i < n; i++) {
        ELEMENT *row = a + i * n;
        for (tsm_dim k = from; k < to && k <= i; k++) {
            const ELEMENT *other = a + k * n;
            ELEMENT v = row[k];
            for (tsm_dim c = from; c < k; c++)
                v = SUB(v, MUL(row[c], CONJ(other[c])));
            if (k < i) {
                row[k] = DIV(v, other[k]);
                continue;
            }
            const double d = REAL(v);
            if (!(d > 0) && !*info)
                *info = (int32_t)k + 1;
            row[k] = OF(d > 0 ? sqrt(d) : 1);
        }
    }
}

/* The lower triangle of a becomes the factor, the upper one zeros. `scratch` holds FACTOR_BLOCK x n elements. */
static void NAME(cholesky)(tsm_exec *x, ELEMENT *a, tsm_dim n, ELEMENT *scratch, int32_t *info) {
    for (tsm_dim k = 0, end; k < n; k = end) {
        end = tsm_dim_min(k + FACTOR_BLOCK, n);
        NAME(cholesky_columns)(a, n, k, end, info);
        const tsm_dim width = end - k;
        for (tsm_dim c = 0; c < width; c++)
            for (tsm_dim i = end; i < n; i++)
                scratch[c * n + i] = CONJ(a[i * n + k + c]);
        for (tsm_dim i = end, rows; i < n; i += rows) {
            rows = tsm_dim_min(FACTOR_BLOCK, n - i);
            MINUS(x, rows, i + rows - end, width, a + i * n + k, n, 1, scratch + end, n, a + i * n + end, n);
        }
    }
    for (tsm_dim i = 0; i < n; i++)
        for (tsm_dim j = i + 1; j < n; j++)
            a[i * n + j] = OF(0);
}

/* ---- QR ---- */

/* The length of n elements `step` apart, without overflow. */
static double NAME(length)(const ELEMENT *a, tsm_dim step, tsm_dim n) {
    enum { PARTS = 4 }; /* sums that do not wait for each other */
    double most = 0, sum = 0, part[PARTS] = {0};
    for (tsm_dim i = 0; i < n; i++) {
        const double re = REAL(a[i * step]), im = IMAG(a[i * step]);
        part[i % PARTS] += re * re + im * im;
    }
    const double squares = (part[0] + part[1]) + (part[2] + part[3]);
    if (squares > 0x1p-900 && squares < 0x1p900)
        return sqrt(squares);
    for (tsm_dim i = 0; i < n; i++) {
        const double size = SIZE(a[i * step]);
        most = size > most || size != size ? size : most;
    }
    if (!(most > 0) || isinf(most))
        return most;
    for (tsm_dim i = 0; i < n; i++) {
        const double re = REAL(a[i * step]) / most, im = IMAG(a[i * step]) / most;
        sum += re * re + im * im;
    }
    return most * sqrt(sum);
}

/* The same of an element more. */
static double NAME(length_with)(ELEMENT first, double rest) {
    return hypot(hypot(REAL(first), IMAG(first)), rest);
}

/* to = from / by, `step` elements apart in `from`: by the reciprocal, as LAPACK does, where that is a number. */
static void NAME(divide)(ELEMENT *to, const ELEMENT *from, tsm_dim step, tsm_dim n, ELEMENT by) {
    const bool is_small = SIZE(by) < 0x1p-1000;
    const ELEMENT inverse = DIV(OF(1), is_small ? OF(1) : by);
    for (tsm_dim i = 0; i < n; i++)
        to[i] = is_small ? DIV(from[i * step], by) : MUL(from[i * step], inverse);
}

/* Subtracts factor * v (v^H X) from the rows X of `columns` columns; w holds that many elements. */
static void NAME(reflect)(tsm_exec *x, ELEMENT *rows, tsm_dim m, tsm_dim n, tsm_dim columns, const ELEMENT *v,
                          ELEMENT *conjugate, ELEMENT factor, ELEMENT *w) {
    for (tsm_dim i = 0; i < m; i++)
        conjugate[i] = CONJ(v[i]);
    memset(w, 0, (size_t)columns * sizeof *w);
    MINUS(x, 1, columns, m, conjugate, m, 1, rows, n, w, columns);
    for (tsm_dim i = 0; i < m; i++)
        conjugate[i] = SUB(OF(0), MUL(factor, v[i]));
    MINUS(x, m, columns, 1, conjugate, 1, 1, w, columns, rows, n);
}

/* The product of n elements, those of a conjugate, in four parts that compilers turn into vectors. */
static ELEMENT NAME(inner)(const ELEMENT *a, const ELEMENT *b, tsm_dim n) {
    ELEMENT part[4] = {OF(0), OF(0), OF(0), OF(0)};
    tsm_dim i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++)
            part[k] = ADD(part[k], MUL(CONJ(a[i + k]), b[i + k]));
    for (; i < n; i++)
        part[0] = ADD(part[0], MUL(CONJ(a[i]), b[i]));
    return ADD(ADD(part[0], part[1]), ADD(part[2], part[3]));
}

/* Reflects the columns of a panel, which lie one after the other, `rows` elements each: below the diagonal of the first
 * `width` stand reflections then, without their ones. */
static void NAME(reflect_panel)(ELEMENT *panel, tsm_dim rows, tsm_dim width, tsm_dim columns, ELEMENT *tau) {
    for (tsm_dim k = 0; k < width; k++) {
        ELEMENT *v = panel + k * rows + k + 1;
        const tsm_dim n = rows - k - 1;
        const ELEMENT alpha = v[-1];
        const double below = NAME(length)(v, 1, n), length = NAME(length_with)(alpha, below);
        tau[k] = OF(0);
        if (below == 0 && IMAG(alpha) == 0)
            continue; /* the reflection is the identity; what stands below is 0 */
        const ELEMENT beta = OF(REAL(alpha) >= 0 ? -length : length);
        tau[k] = DIV(SUB(beta, alpha), beta);
        NAME(divide)(v, v, 1, n, SUB(alpha, beta));
        v[-1] = beta;
        for (tsm_dim c = k + 1; c < columns; c++) {
            ELEMENT *other = panel + c * rows + k + 1;
            const ELEMENT along = MUL(CONJ(tau[k]), ADD(other[-1], NAME(inner)(v, other, n)));
            other[-1] = SUB(other[-1], along);
            for (tsm_dim i = 0; i < n; i++)
                other[i] = SUB(other[i], MUL(along, v[i]));
        }
    }
}

/* The product of `width` reflections is I - V T V^H (Schreiber and Van Loan 1989). T stands in `t`, all of it; `panel`
 * holds the columns of V, with their ones and zeros. */
static void NAME(join_reflections)(const ELEMENT *panel, tsm_dim rows, tsm_dim width, const ELEMENT *tau, ELEMENT *t) {
    for (tsm_dim k = 0; k < width; k++) {
        for (tsm_dim i = 0; i < width; i++)
            t[i * width + k] = i < k ? NAME(inner)(panel + i * rows + k, panel + k * rows + k, rows - k) : OF(0);
        for (tsm_dim i = 0; i < k; i++) {
            ELEMENT sum = OF(0);
            for (tsm_dim j = i; j < k; j++)
                sum = ADD(sum, MUL(t[i * width + j], t[j * width + k]));
            t[i * width + k] = SUB(OF(0), MUL(tau[k], sum));
        }
        t[k * width + k] = tau[k];
    }
}

/* Multiplies `columns` columns of c, whose rows lie c_row apart, from the left by the product of the reflections of a
 * panel, or by its adjoint. What stands on and above the panel's diagonal goes. */
static void NAME(reflect_columns)(tsm_exec *x, ELEMENT *panel, tsm_dim rows, tsm_dim width, const ELEMENT *tau,
                                  const bool adjoint, ELEMENT *c, tsm_dim c_row, tsm_dim columns, ELEMENT *scratch) {
    ELEMENT *v = scratch, *t = v + rows * width, *along = t + width * width, *turned = along + width * columns;
    for (tsm_dim k = 0; k < width; k++)
        for (tsm_dim i = 0; i <= k; i++)
            panel[k * rows + i] = OF(i == k);
    NAME(join_reflections)(panel, rows, width, tau, t);
    for (tsm_dim i = 0; i < width && adjoint; i++)
        for (tsm_dim k = i; k < width; k++) {
            t[k * width + i] = CONJ(t[i * width + k]);
            t[i * width + k] = k > i ? OF(0) : t[i * width + k];
        }
    for (tsm_dim k = 0; k < width; k++)
        for (tsm_dim i = 0; i < rows; i++) {
            const ELEMENT item = panel[k * rows + i];
            v[i * width + k] = item;
            panel[k * rows + i] = CONJ(item);
        }
    memset(along, 0, (size_t)(2 * width * columns) * sizeof *along);
    MINUS(x, width, columns, rows, panel, rows, 1, c, c_row, along, columns);
    MINUS(x, width, columns, width, t, width, 1, along, columns, turned, columns);
    MINUS(x, rows, columns, width, v, width, 1, turned, columns, c, c_row);
}

/* Reflections below the diagonal of R and their factors, as LAPACK's geqrf, a panel of columns after the other. The
 * last columns are a panel, also those without reflections: a small matrix is reflected by one after the other, as by
 * LAPACK, which shows where numbers are infinite. */
static void NAME(geqrf)(tsm_exec *x, ELEMENT *a, tsm_dim m, tsm_dim n, ELEMENT *tau, ELEMENT *panel) {
    const tsm_dim steps = tsm_dim_min(m, n);
    for (tsm_dim from = 0, width; from < steps; from += width) {
        width = tsm_dim_min(FACTOR_BLOCK, steps - from);
        const tsm_dim rows = m - from, columns = n - from > FACTOR_BLOCK ? width : n - from;
        ELEMENT *corner = a + from * n + from;
        for (tsm_dim i = 0; i < rows; i++)
            for (tsm_dim k = 0; k < columns; k++)
                panel[k * rows + i] = corner[i * n + k];
        NAME(reflect_panel)(panel, rows, width, columns, tau + from);
        for (tsm_dim i = 0; i < rows; i++)
            for (tsm_dim k = 0; k < columns; k++)
                corner[i * n + k] = panel[k * rows + i];
        if (from + columns < n)
            NAME(reflect_columns)
        (x, panel, rows, width, tau + from, true, corner + width, n, n - from - width, panel + rows * width);
    }
}

/* q (m x columns) = the first columns of the product of `count` reflections, which stand in a (m x n). */
static void NAME(reflections)(tsm_exec *x, const ELEMENT *a, tsm_dim m, tsm_dim n, const ELEMENT *tau, tsm_dim count,
                              ELEMENT *q, tsm_dim columns, ELEMENT *panel) {
    for (tsm_dim i = 0; i < m; i++)
        for (tsm_dim j = 0; j < columns; j++)
            q[i * columns + j] = OF(i == j);
    for (tsm_dim end = count, width; end > 0; end -= width) {
        width = (end - 1) % FACTOR_BLOCK + 1;
        const tsm_dim from = end - width, rows = m - from;
        if (from >= columns)
            continue; /* these rows are 0 so far */
        for (tsm_dim k = 0; k < width; k++)
            for (tsm_dim i = k + 1; i < rows; i++)
                panel[k * rows + i] = a[(from + i) * n + from + k];
        NAME(reflect_columns)
        (x, panel, rows, width, tau + from, false, q + from * columns + from, columns, columns - from,
         panel + rows * width);
    }
}
/* ---- Reductions ---- */

/* The reflection I - tau v v^H, v[0] = 1, whose adjoint leaves of x, n numbers `step` apart, one real number, which is
 * returned. */
static double NAME(reflector)(const ELEMENT *x, tsm_dim step, tsm_dim n, ELEMENT *v, ELEMENT *tau) {
    const double below = NAME(length)(x + step, step, n - 1), length = NAME(length_with)(x[0], below);
    *tau = OF(0);
    v[0] = OF(1);
    for (tsm_dim i = 1; i < n; i++)
        v[i] = OF(0);
    if (length < NOTHING)
        return 0;
    if (below == 0 && IMAG(x[0]) == 0)
        return REAL(x[0]);
    const double beta = REAL(x[0]) >= 0 ? -length : length;
    const ELEMENT scale = SUB(x[0], OF(beta));
    *tau = DIV(SUB(OF(beta), x[0]), OF(beta));
    NAME(divide)(v + 1, x + step, step, n - 1, scale);
    return beta;
}

/* The matrix a := H^H a H of n rows, `stride` elements apart, as a change of rank 2. Behind `v` there is room for three
 * more vectors, `room` elements apart. */
static void NAME(reflect_both)(tsm_exec *x, ELEMENT *a, tsm_dim n, tsm_dim stride, ELEMENT tau, ELEMENT *v,
                               tsm_dim room) {
    ELEMENT *w = v + room, *w_conjugate = w + room, *v_conjugate = w_conjugate + room;
    for (tsm_dim i = 0; i < n; i++)
        v_conjugate[i] = CONJ(v[i]);
    memset(w, 0, (size_t)n * sizeof *w);
    MINUS(x, 1, n, n, v_conjugate, n, 1, a, stride, w, n); /* -(v^H A): its conjugate is -(A v) */
    for (tsm_dim i = 0; i < n; i++)
        w[i] = SUB(OF(0), MUL(tau, CONJ(w[i])));
    const ELEMENT along = MUL(MUL(tau, CONJ(NAME(inner)(v, w, n))), OF(-0.5));
    for (tsm_dim i = 0; i < n; i++) {
        w[i] = ADD(w[i], MUL(along, v[i]));
        w_conjugate[i] = CONJ(w[i]);
    }
    MINUS(x, n, n, 2, v, 1, room, w_conjugate, room, a, stride);
}

static void NAME(tridiagonal)(tsm_exec *x, ELEMENT *a, tsm_dim n, double *d, double *e, ELEMENT *q, ELEMENT *scratch) {
    ELEMENT *v = scratch, *left = v + 4 * n, *along = left + n;
    for (tsm_dim i = 0; i < n && q; i++)
        for (tsm_dim k = 0; k < n; k++)
            q[i * n + k] = OF(i == k);
    for (tsm_dim from = 1; from < n; from++) {
        const tsm_dim rest = n - from;
        ELEMENT tau;
        e[from - 1] = NAME(reflector)(a + from * n + from - 1, n, rest, v, &tau);
        if (SIZE(tau) == 0)
            continue;
        NAME(reflect_both)(x, a + from * n + from, rest, n, tau, v, n);
        if (!q)
            continue;
        for (tsm_dim i = 0; i < rest; i++) /* the transposed of Q H: H^T from the left */
            left[i] = SUB(OF(0), MUL(tau, CONJ(v[i])));
        memset(along, 0, (size_t)n * sizeof *along);
        MINUS(x, 1, n, rest, v, n, 1, q + from * n, n, along, n);
        MINUS(x, rest, n, 1, left, 1, 1, along, n, q + from * n, n);
    }
    for (tsm_dim i = 0; i < n; i++)
        d[i] = REAL(a[i * n + i]);
}

static void NAME(bidiagonal)(tsm_exec *x, ELEMENT *a, tsm_dim m, tsm_dim n, double *d, double *e, ELEMENT *scratch) {
    ELEMENT *v = scratch, *other = v + m, *w = other + m;
    for (tsm_dim k = 0; k < n; k++) {
        const tsm_dim rows = m - k, columns = n - k - 1;
        ELEMENT tau, *corner = a + k * n + k, *below = corner + n + 1;
        d[k] = NAME(reflector)(corner, n, rows, v, &tau);
        if (!columns)
            break;
        if (SIZE(tau) != 0)
            NAME(reflect)(x, corner + 1, rows, n, columns, v, other, CONJ(tau), w);
        for (tsm_dim i = 0; i < columns; i++)
            w[i] = CONJ(corner[1 + i]);
        e[k] = NAME(reflector)(w, 1, columns, v, &tau);
        if (SIZE(tau) == 0)
            continue;
        TIMES(x, rows - 1, columns, below, n, v, other);
        for (tsm_dim i = 0; i < rows - 1; i++)
            other[i] = MUL(tau, other[i]);
        for (tsm_dim i = 0; i < columns; i++)
            w[i] = CONJ(v[i]);
        MINUS(x, rows - 1, columns, 1, other, 1, 1, w, columns, below, n);
    }
}
#undef ELEMENT
#undef NAME
#undef MINUS
#undef TIMES
#undef ADD
#undef SUB
#undef MUL
#undef DIV
#undef CONJ
#undef REAL
#undef IMAG
#undef OF
#undef SIZE

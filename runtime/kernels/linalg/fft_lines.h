/* Discrete Fourier transforms of one line of complex numbers, in the precision of FFT_REAL: included by fft.c once for
 * each.
 *
 * Stockham's autosort algorithm with decimation in frequency: a length of factors p1 p2 ... takes a pass for each,
 * between two buffers, and ends in order. What has prime factors above MAX_RADIX goes through Bluestein's chirp: a
 * convolution with a chirp, done by transforms of a power of two. (Van Loan, Computational Frameworks for the Fast
 * Fourier Transform, sections 1.7, 4.2.) */

typedef struct {
    FFT_REAL re, im;
} FFT_NAME(complex);

/* What transforms of one length share. */
typedef struct {
    tsm_dim n;
    int factor_count;
    int factors[MAX_FACTORS];
    FFT_NAME(complex) * roots; /* [n]: exp(-2 pi i k / n) */
} FFT_NAME(plan);

typedef struct {
    tsm_dim n;
    FFT_NAME(plan) plan;             /* of n, or of the convolution's length */
    FFT_NAME(complex) * chirp;       /* [n]: exp(-pi i k k / n); NULL: n has small factors only */
    FFT_NAME(complex) * filter;      /* [plan.n]: the transform of the chirp's conjugate */
    FFT_NAME(complex) * line, *work; /* [plan.n] each: the line to transform, and where its passes go */
} FFT_NAME(transform);

static inline FFT_NAME(complex) FFT_NAME(mul)(FFT_NAME(complex) a, FFT_NAME(complex) b) {
    FFT_NAME(complex) r = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    return r;
}

static inline FFT_NAME(complex) FFT_NAME(root)(double turns) {
    FFT_NAME(complex) r = {(FFT_REAL)cos(2 * FFT_PI * turns), (FFT_REAL)-sin(2 * FFT_PI * turns)};
    return r;
}

static void FFT_NAME(make_plan)(FFT_NAME(plan) * p, tsm_dim n, FFT_NAME(complex) * roots) {
    p->n = n;
    p->roots = roots;
    p->factor_count = fft_factors(n, p->factors);
    for (tsm_dim k = 0; k < n; k++)
        roots[k] = FFT_NAME(root)((double)k / (double)n);
}

/* One pass: n of the whole length are left to transform, in `stride` interleaved lines. */
static void FFT_NAME(pass2)(const FFT_NAME(plan) * p, tsm_dim n, tsm_dim stride, const FFT_NAME(complex) * x,
                            FFT_NAME(complex) * y) {
    tsm_dim half = n / 2;
    for (tsm_dim q = 0; q < half; q++) {
        FFT_NAME(complex) w = p->roots[q * stride];
        const FFT_NAME(complex) *a = x + stride * q, *b = x + stride * (q + half);
        FFT_NAME(complex) *even = y + stride * 2 * q, *odd = even + stride;
        for (tsm_dim k = 0; k < stride; k++) {
            FFT_NAME(complex) difference = {a[k].re - b[k].re, a[k].im - b[k].im};
            even[k].re = a[k].re + b[k].re;
            even[k].im = a[k].im + b[k].im;
            odd[k] = FFT_NAME(mul)(difference, w);
        }
    }
}

static void FFT_NAME(pass4)(const FFT_NAME(plan) * p, tsm_dim n, tsm_dim stride, const FFT_NAME(complex) * x,
                            FFT_NAME(complex) * y) {
    tsm_dim quarter = n / 4;
    for (tsm_dim q = 0; q < quarter; q++) {
        FFT_NAME(complex) w1 = p->roots[q * stride], w2 = p->roots[2 * q * stride], w3 = p->roots[3 * q * stride];
        const FFT_NAME(complex) *a = x + stride * q, *b = a + stride * quarter, *c = b + stride * quarter,
                                *d = c + stride * quarter;
        FFT_NAME(complex) *to = y + stride * 4 * q;
        for (tsm_dim k = 0; k < stride; k++) {
            FFT_NAME(complex) s = {a[k].re + c[k].re, a[k].im + c[k].im}, t = {a[k].re - c[k].re, a[k].im - c[k].im};
            FFT_NAME(complex) u = {b[k].re + d[k].re, b[k].im + d[k].im}, v = {b[k].im - d[k].im, d[k].re - b[k].re};
            FFT_NAME(complex)
            r1 = {t.re + v.re, t.im + v.im}, r2 = {s.re - u.re, s.im - u.im}, r3 = {t.re - v.re, t.im - v.im};
            to[k].re = s.re + u.re;
            to[k].im = s.im + u.im;
            to[k + stride] = FFT_NAME(mul)(r1, w1);
            to[k + 2 * stride] = FFT_NAME(mul)(r2, w2);
            to[k + 3 * stride] = FFT_NAME(mul)(r3, w3);
        }
    }
}

/* A pass of any small radix: a transform of `radix` points by its definition. */
static inline void FFT_NAME(pass)(const FFT_NAME(plan) * p, int radix, tsm_dim n, tsm_dim stride,
                                  const FFT_NAME(complex) * x, FFT_NAME(complex) * y) {
    tsm_dim part = n / radix, turn = p->n / radix; /* roots[turn] is exp(-2 pi i / radix) */
    for (tsm_dim q = 0; q < part; q++)
        for (tsm_dim k = 0; k < stride; k++)
            for (int r = 0; r < radix; r++) {
                FFT_NAME(complex) sum = {0, 0};
                for (int j = 0; j < radix; j++) {
                    FFT_NAME(complex)
                    term = FFT_NAME(mul)(x[k + stride * (q + j * part)], p->roots[(r * j % radix) * turn]);
                    sum.re += term.re;
                    sum.im += term.im;
                }
                y[k + stride * (q * radix + r)] = FFT_NAME(mul)(sum, p->roots[q * r * stride]);
            }
}

/* Transforms *line; *line and *work may change places. */
static void FFT_NAME(run_passes)(const FFT_NAME(plan) * p, FFT_NAME(complex) * *line, FFT_NAME(complex) * *work) {
    tsm_dim n = p->n, stride = 1;
    for (int i = 0; i < p->factor_count; i++) {
        int radix = p->factors[i];
        if (radix == 4)
            FFT_NAME(pass4)(p, n, stride, *line, *work);
        else if (radix == 2)
            FFT_NAME(pass2)(p, n, stride, *line, *work);
        else if (radix == 3) /* a radix that the compiler knows */
            FFT_NAME(pass)(p, 3, n, stride, *line, *work);
        else if (radix == 5)
            FFT_NAME(pass)(p, 5, n, stride, *line, *work);
        else
            FFT_NAME(pass)(p, radix, n, stride, *line, *work);
        FFT_NAME(complex) *swap = *line;
        *line = *work;
        *work = swap;
        n /= radix;
        stride *= radix;
    }
}

/* Bytes of scratch for transforms of n points. */
static size_t FFT_NAME(scratch_bytes)(tsm_dim n) {
    tsm_dim m = fft_convolution_length(n);
    tsm_dim complexes = m ? 3 * m + n + m : 3 * n; /* roots, line, work; chirp, filter */
    return (size_t)complexes * sizeof(FFT_NAME(complex));
}

static void FFT_NAME(start)(FFT_NAME(transform) * t, tsm_dim n, void *scratch) {
    tsm_dim m = fft_convolution_length(n), length = m ? m : n;
    FFT_NAME(complex) *at = scratch;
    t->n = n;
    FFT_NAME(make_plan)(&t->plan, length, at);
    t->line = at + length;
    t->work = at + 2 * length;
    t->chirp = m ? at + 3 * length : NULL;
    t->filter = m ? t->chirp + n : NULL;
    if (!m)
        return;
    memset(t->line, 0, (size_t)m * sizeof *t->line);
    for (tsm_dim k = 0; k < n; k++) {
        /* k * k grows past what a double's turns resolve: take it modulo 2n first. */
        t->chirp[k] = FFT_NAME(root)((double)((uint64_t)k * (uint64_t)k % (2 * (uint64_t)n)) / (2 * (double)n));
        FFT_NAME(complex) conjugate = {t->chirp[k].re, -t->chirp[k].im};
        t->line[k] = t->line[k ? m - k : 0] = conjugate;
    }
    FFT_NAME(run_passes)(&t->plan, &t->line, &t->work);
    memcpy(t->filter, t->line, (size_t)m * sizeof *t->line);
}

/* The convolution with the chirp: its own forward transform serves backwards too, on conjugates. */
static void FFT_NAME(run_chirp)(FFT_NAME(transform) * t) {
    tsm_dim n = t->n, m = t->plan.n;
    for (tsm_dim k = 0; k < n; k++)
        t->line[k] = FFT_NAME(mul)(t->line[k], t->chirp[k]);
    memset(t->line + n, 0, (size_t)(m - n) * sizeof *t->line);
    FFT_NAME(run_passes)(&t->plan, &t->line, &t->work);
    for (tsm_dim k = 0; k < m; k++) {
        FFT_NAME(complex) product = FFT_NAME(mul)(t->line[k], t->filter[k]);
        t->line[k].re = product.re;
        t->line[k].im = -product.im;
    }
    FFT_NAME(run_passes)(&t->plan, &t->line, &t->work);
    for (tsm_dim k = 0; k < n; k++) {
        FFT_NAME(complex) back = {t->line[k].re / (FFT_REAL)m, -t->line[k].im / (FFT_REAL)m};
        t->line[k] = FFT_NAME(mul)(back, t->chirp[k]);
    }
}

/* Transforms t->line forwards; backwards is the same on conjugates, which the caller takes. */
static void FFT_NAME(run)(FFT_NAME(transform) * t) {
    if (t->chirp)
        FFT_NAME(run_chirp)(t);
    else
        FFT_NAME(run_passes)(&t->plan, &t->line, &t->work);
}

/* One line of a tensor into t->line: `backward` takes conjugates; of a Hermitian line the first half stands for the
 * whole. */
static void FFT_NAME(load)(FFT_NAME(transform) * t, const fft_job *j, const FFT_REAL *from, tsm_dim step) {
    for (tsm_dim k = 0; k < j->given; k++) {
        const FFT_REAL *e = from + k * step;
        t->line[k].re = e[0];
        t->line[k].im = !j->from_complex ? 0 : j->backward ? -e[1] : e[1];
    }
    if (!j->to_complex)
        for (tsm_dim k = j->given; k < t->n; k++) {
            t->line[k].re = t->line[t->n - k].re;
            t->line[k].im = -t->line[t->n - k].im;
        }
    if (!j->to_complex) /* what a Hermitian line cannot have */
        t->line[0].im = 0;
    if (!j->to_complex && t->n % 2 == 0)
        t->line[t->n / 2].im = 0;
}

static void FFT_NAME(store)(const FFT_NAME(transform) * t, const fft_job *j, FFT_REAL *to, tsm_dim step) {
    FFT_REAL scale = (FFT_REAL)j->scale;
    for (tsm_dim k = 0; k < j->wanted; k++) {
        FFT_REAL *e = to + k * step;
        e[0] = t->line[k].re * scale;
        if (j->to_complex)
            e[1] = (j->backward ? -t->line[k].im : t->line[k].im) * scale;
    }
}

/* ---- Real lines of even length ----
 *
 * Two neighbours are one complex number, so that a transform of half the length does: what it gives is taken apart into
 * the transforms of the points at even and at odd places. `turns` holds exp(-2 pi i k / n) for k <= n / 2. */

static bool FFT_NAME(can_halve)(const fft_job *j) {
    return j->from_complex != j->to_complex && j->n % 2 == 0 && !fft_convolution_length(j->n / 2);
}

static FFT_NAME(complex) * FFT_NAME(make_turns)(FFT_NAME(transform) * t, tsm_dim n) {
    FFT_NAME(complex) *turns = t->plan.roots + 3 * (n / 2);
    for (tsm_dim k = 0; k <= n / 2; k++)
        turns[k] = FFT_NAME(root)((double)k / (double)n);
    return turns;
}

/* From the real line into t->line, transformed, and from there to the points that are wanted. */
static void FFT_NAME(halved_forward)(FFT_NAME(transform) * t, const FFT_NAME(complex) * turns, const fft_job *j,
                                     const FFT_REAL *from, tsm_dim from_step, FFT_REAL *to, tsm_dim to_step) {
    tsm_dim half = j->n / 2;
    FFT_REAL scale = (FFT_REAL)j->scale, scale2 = scale / 2, sign = j->backward ? -1 : 1;
    for (tsm_dim k = 0; k < half; k++, from += 2 * from_step) {
        t->line[k].re = from[0];
        t->line[k].im = from[from_step];
    }
    FFT_NAME(run_passes)(&t->plan, &t->line, &t->work);
    for (tsm_dim i = 0; i < j->wanted; i++, to += to_step) {
        tsm_dim k = i <= half ? i : j->n - i;
        FFT_NAME(complex) z = t->line[k < half ? k : 0], mirrored = t->line[k && k < half ? half - k : 0];
        FFT_NAME(complex)
        even = {z.re + mirrored.re, z.im - mirrored.im}, odd = {z.im + mirrored.im, mirrored.re - z.re};
        FFT_NAME(complex) turned = FFT_NAME(mul)(odd, turns[k]);
        to[0] = (even.re + turned.re) * scale2;
        to[1] = (even.im + turned.im) * scale2 * (i <= half ? sign : -sign);
    }
}

/* A point of a Hermitian line as it is to be transformed forwards. */
static inline FFT_NAME(complex) FFT_NAME(hermitian)(const fft_job *j, const FFT_REAL *from, tsm_dim step, tsm_dim k) {
    const FFT_REAL *e = from + k * step;
    bool is_real = k == 0 || 2 * k == j->n;
    FFT_NAME(complex) r = {e[0], is_real ? 0 : j->backward ? -e[1] : e[1]};
    return r;
}

static void FFT_NAME(halved_backward)(FFT_NAME(transform) * t, const FFT_NAME(complex) * turns, const fft_job *j,
                                      const FFT_REAL *from, tsm_dim from_step, FFT_REAL *to, tsm_dim to_step) {
    tsm_dim half = j->n / 2;
    FFT_REAL scale = (FFT_REAL)j->scale;
    for (tsm_dim k = 0; k < half; k++) {
        FFT_NAME(complex)
        a = FFT_NAME(hermitian)(j, from, from_step, k), b = FFT_NAME(hermitian)(j, from, from_step, half - k);
        FFT_NAME(complex) difference = {a.re - b.re, a.im + b.im}, odd = FFT_NAME(mul)(difference, turns[k]);
        t->line[k].re = a.re + b.re - odd.im;
        t->line[k].im = a.im - b.im + odd.re;
    }
    FFT_NAME(run_passes)(&t->plan, &t->line, &t->work);
    for (tsm_dim k = 0; k < j->wanted; k++, to += to_step)
        to[0] = (k % 2 ? t->line[k / 2].im : t->line[k / 2].re) * scale;
}

static void FFT_NAME(run_lines)(const fft_job *j, tsm_dim_lines *l, void *scratch) {
    FFT_NAME(transform) t;
    bool halves = FFT_NAME(can_halve)(j);
    FFT_NAME(start)(&t, halves ? j->n / 2 : j->n, scratch);
    const FFT_NAME(complex) *turns = halves ? FFT_NAME(make_turns)(&t, j->n) : NULL;
    tsm_dim from_width = j->from_complex ? 2 : 1, to_width = j->to_complex ? 2 : 1; /* of an element, in reals */
    for (tsm_dim i = 0; i < l->count; i++, tsm_dim_lines_next(l)) {
        const FFT_REAL *from = (const FFT_REAL *)j->from + l->from_offset * from_width;
        FFT_REAL *to = (FFT_REAL *)j->to + l->to_offset * to_width;
        if (halves && j->to_complex)
            FFT_NAME(halved_forward)(&t, turns, j, from, j->from_step, to, 2 * j->to_step);
        else if (halves)
            FFT_NAME(halved_backward)(&t, turns, j, from, 2 * j->from_step, to, j->to_step);
        else {
            FFT_NAME(load)(&t, j, from, j->from_step * from_width);
            FFT_NAME(run)(&t);
            FFT_NAME(store)(&t, j, to, j->to_step * to_width);
        }
    }
}

/* Transforms of one line of complex numbers, in the precision of FFT_REAL: included by fft_lines.c once for each.
 *
 * Lengths whose prime factors are small are transformed by passes: Stockham's autosort algorithm with decimation in
 * frequency. A length of factors p1 p2 ... takes a pass for each, between two buffers, and ends in order. What has
 * larger prime factors goes through Bluestein's chirp: a convolution with a chirp, done by transforms of a
 * power of two (Van Loan, Computational Frameworks for the Fast Fourier Transform, sections 1.7 and 4.2). Real and
 * imaginary parts lie in arrays of their own, so that compilers make vectors of neighbouring points. Short lines are
 * transformed FFT_LINES at once, interleaved point by point, so that neighbours are the points of as many lines. */

typedef struct {
    FFT_REAL *re, *im;
} FFT_NAME(line);

/* What transforms of one length share. */
typedef struct {
    tsm_dim n;
    int factor_count;
    int factors[FFT_MAX_FACTORS];
    FFT_NAME(line) roots; /* exp(-2 pi i k / n) */
    tsm_dim lines;        /* that are interleaved */
} FFT_NAME(plan);

/* exp(-2 pi i k / n) for k < count, count <= n: calculated for the first half, or where it is that of the next quarter
 * mirrored, the first quarter of the circle. */
static void FFT_NAME(make_roots)(FFT_NAME(line) roots, tsm_dim count, tsm_dim n) {
    const double turn = 2 * FFT_PI / (double)n;
    const bool is_mirrored = n % 4 == 0;
    const tsm_dim half = n / 2, known = tsm_dim_min(count, (is_mirrored ? n / 4 : half) + 1);
    for (tsm_dim k = 0; k < known; k++) {
        const double angle = (double)k * turn;
        roots.re[k] = (FFT_REAL)vd_cos(angle);
        roots.im[k] = (FFT_REAL)-vd_sin(angle);
    }
    for (tsm_dim k = known; k < tsm_dim_min(count, half + 1); k++) {
        roots.re[k] = -roots.re[half - k];
        roots.im[k] = roots.im[half - k];
    }
    for (tsm_dim k = half + 1; k < count; k++) {
        roots.re[k] = roots.re[n - k];
        roots.im[k] = -roots.im[n - k];
    }
}

/* `stride` lines lie interleaved, of which n points each are left to transform; `turn` roots are between two points. */
static inline void FFT_NAME(pass2)(const FFT_NAME(plan) * p, tsm_dim n, tsm_dim stride, tsm_dim turn,
                                   const FFT_NAME(line) x, const FFT_NAME(line) y) {
    const tsm_dim half = n / 2;
    for (tsm_dim q = 0; q < half; q++) {
        const FFT_REAL wr = p->roots.re[q * turn], wi = p->roots.im[q * turn];
        const FFT_REAL *ar = x.re + stride * q, *ai = x.im + stride * q, *br = ar + stride * half,
                       *bi = ai + stride * half;
        FFT_REAL *restrict er = y.re + stride * 2 * q, *restrict ei = y.im + stride * 2 * q;
        FFT_REAL *restrict odd_r = er + stride, *restrict odd_i = ei + stride;
        TSM_INDEPENDENT for (tsm_dim k = 0; k < stride; k++) {
            const FFT_REAL dr = ar[k] - br[k], di = ai[k] - bi[k];
            er[k] = ar[k] + br[k];
            ei[k] = ai[k] + bi[k];
            odd_r[k] = dr * wr - di * wi;
            odd_i[k] = dr * wi + di * wr;
        }
    }
}

/* Four points s, t, u, v further on: what goes to the places 0 to 3. w1, w2, w3: the roots of places 1 to 3. */
#define FFT_BUTTERFLY4(PUT)                                                                                            \
    do {                                                                                                               \
        const FFT_REAL sr = ar + cr, si = ai + ci, tr = ar - cr, ti = ai - ci, ur = br + dr, ui = bi + di,             \
                       vr = bi - di, vi = dr - br;                                                                     \
        const FFT_REAL r1r = tr + vr, r1i = ti + vi, r2r = sr - ur, r2i = si - ui, r3r = tr - vr, r3i = ti - vi;       \
        PUT(0, sr + ur, si + ui);                                                                                      \
        PUT(1, r1r *w1r - r1i * w1i, r1r * w1i + r1i * w1r);                                                           \
        PUT(2, r2r *w2r - r2i * w2i, r2r * w2i + r2i * w2r);                                                           \
        PUT(3, r3r *w3r - r3i * w3i, r3r * w3i + r3i * w3r);                                                           \
    } while (0)

/* The first pass, whose neighbours are the points of one line. The roots of places 2 and 3 are powers of those of place
 * 1, which lie side by side. */
static void FFT_NAME(first_pass4)(const FFT_NAME(plan) * p, const FFT_NAME(line) x, const FFT_NAME(line) y) {
    const tsm_dim quarter = p->n / 4;
    const FFT_REAL *xr = x.re, *xi = x.im, *roots_r = p->roots.re, *roots_i = p->roots.im;
    FFT_REAL *restrict yr = y.re, *restrict yi = y.im;
    TSM_INDEPENDENT for (tsm_dim q = 0; q < quarter; q++) {
        const FFT_REAL ar = xr[q], ai = xi[q], br = xr[q + quarter], bi = xi[q + quarter], cr = xr[q + 2 * quarter],
                       ci = xi[q + 2 * quarter], dr = xr[q + 3 * quarter], di = xi[q + 3 * quarter];
        const FFT_REAL w1r = roots_r[q], w1i = roots_i[q], w2r = w1r * w1r - w1i * w1i, w2i = 2 * w1r * w1i,
                       w3r = w1r * w2r - w1i * w2i, w3i = w1r * w2i + w1i * w2r;
#define PUT(place, real, imaginary)                                                                                    \
    yr[4 * q + (place)] = real;                                                                                        \
    yi[4 * q + (place)] = imaginary
        FFT_BUTTERFLY4(PUT);
#undef PUT
    }
}

static inline void FFT_NAME(pass4)(const FFT_NAME(plan) * p, tsm_dim n, tsm_dim stride, tsm_dim turn,
                                   const FFT_NAME(line) x, const FFT_NAME(line) y) {
    const tsm_dim quarter = n / 4, apart = stride * quarter;
    for (tsm_dim q = 0; q < quarter; q++) {
        const tsm_dim one = q * stride, root = q * turn;
        const FFT_REAL w1r = p->roots.re[root], w1i = p->roots.im[root], w2r = p->roots.re[2 * root],
                       w2i = p->roots.im[2 * root], w3r = p->roots.re[3 * root], w3i = p->roots.im[3 * root];
        const FFT_REAL *xr = x.re + one, *xi = x.im + one;
        FFT_REAL *restrict yr = y.re + 4 * one, *restrict yi = y.im + 4 * one;
        TSM_INDEPENDENT for (tsm_dim k = 0; k < stride; k++) {
            const FFT_REAL ar = xr[k], ai = xi[k], br = xr[k + apart], bi = xi[k + apart], cr = xr[k + 2 * apart],
                           ci = xi[k + 2 * apart], dr = xr[k + 3 * apart], di = xi[k + 3 * apart];
#define PUT(place, real, imaginary)                                                                                    \
    yr[k + (place)*stride] = real;                                                                                     \
    yi[k + (place)*stride] = imaginary
            FFT_BUTTERFLY4(PUT);
#undef PUT
        }
    }
}
#undef FFT_BUTTERFLY4

/* A pass of an odd radix that the compiler knows. Points j and radix - j have conjugate roots: their sum goes with the
 * cosines, and their difference with the sines, of places r and radix - r at once. */
static inline __attribute__((always_inline)) void FFT_NAME(pass_odd)(const FFT_NAME(plan) * p, const int radix,
                                                                     tsm_dim n, tsm_dim stride, tsm_dim turn,
                                                                     const FFT_NAME(line) x, const FFT_NAME(line) y) {
    enum { MOST = 3 }; /* pairs, of radix 7 */
    const int pairs = radix / 2;
    const tsm_dim part = n / radix, unit = p->n / radix; /* the root at `unit` is exp(-2 pi i / radix) */
    FFT_REAL cosines[MOST][MOST], sines[MOST][MOST];
    for (int r = 0; r < pairs; r++)
        for (int j = 0; j < pairs; j++) {
            cosines[r][j] = p->roots.re[(r + 1) * (j + 1) % radix * unit];
            sines[r][j] = -p->roots.im[(r + 1) * (j + 1) % radix * unit];
        }
    for (tsm_dim q = 0; q < part; q++) {
        FFT_REAL wr[2 * MOST + 1], wi[2 * MOST + 1];
        for (int r = 0; r < radix; r++) {
            wr[r] = p->roots.re[q * r * turn];
            wi[r] = p->roots.im[q * r * turn];
        }
        const FFT_REAL *xr = x.re + stride * q, *xi = x.im + stride * q;
        FFT_REAL *restrict yr = y.re + stride * q * radix, *restrict yi = y.im + stride * q * radix;
        TSM_INDEPENDENT for (tsm_dim k = 0; k < stride; k++) {
            const FFT_REAL ar = xr[k], ai = xi[k];
            FFT_REAL sum_r[MOST], sum_i[MOST], less_r[MOST], less_i[MOST], all_r = ar, all_i = ai;
            for (int j = 0; j < pairs; j++) {
                const FFT_REAL br = xr[k + stride * part * (j + 1)], bi = xi[k + stride * part * (j + 1)],
                               cr = xr[k + stride * part * (radix - 1 - j)],
                               ci = xi[k + stride * part * (radix - 1 - j)];
                sum_r[j] = br + cr;
                sum_i[j] = bi + ci;
                less_r[j] = br - cr;
                less_i[j] = bi - ci;
                all_r += sum_r[j];
                all_i += sum_i[j];
            }
            yr[k] = all_r;
            yi[k] = all_i;
            for (int r = 0; r < pairs; r++) {
                FFT_REAL even_r = ar, even_i = ai, odd_r = 0, odd_i = 0;
                for (int j = 0; j < pairs; j++) {
                    even_r += cosines[r][j] * sum_r[j];
                    even_i += cosines[r][j] * sum_i[j];
                    odd_r += sines[r][j] * less_i[j];
                    odd_i += sines[r][j] * less_r[j];
                }
                const FFT_REAL first_r = even_r + odd_r, first_i = even_i - odd_i, last_r = even_r - odd_r,
                               last_i = even_i + odd_i;
                const int last = radix - 1 - r;
                yr[k + stride * (r + 1)] = first_r * wr[r + 1] - first_i * wi[r + 1];
                yi[k + stride * (r + 1)] = first_r * wi[r + 1] + first_i * wr[r + 1];
                yr[k + stride * last] = last_r * wr[last] - last_i * wi[last];
                yi[k + stride * last] = last_r * wi[last] + last_i * wr[last];
            }
        }
    }
}

/* As many neighbours as NUMBERS holds, at `from` in x and at `to` in y, of the places r and radix - r; `apart` from
 * point to point of x, which holds sums of opposite points in the first half and their differences in the other. */
#define FFT_PAIR_PLACES(NUMBERS)                                                                                       \
    do {                                                                                                               \
        NUMBERS even_r = *(const NUMBERS *)(x.re + from), even_i = *(const NUMBERS *)(x.im + from);                    \
        NUMBERS odd_r = {0}, odd_i = {0};                                                                              \
        for (int j = 1, at = r; j <= radix / 2; j++, at += at + r < radix ? r : r - radix) {                           \
            const FFT_REAL c = p->roots.re[at * unit], s = p->roots.im[at * unit];                                     \
            const tsm_dim sum = from + apart * j, less = from + apart * (radix - j);                                   \
            even_r += c * *(const NUMBERS *)(x.re + sum);                                                              \
            even_i += c * *(const NUMBERS *)(x.im + sum);                                                              \
            odd_r += s * *(const NUMBERS *)(x.im + less);                                                              \
            odd_i += s * *(const NUMBERS *)(x.re + less);                                                              \
        }                                                                                                              \
        const NUMBERS first_r = even_r - odd_r, first_i = even_i + odd_i, last_r = even_r + odd_r,                     \
                      last_i = even_i - odd_i;                                                                         \
        *(NUMBERS *)(y.re + place) = first_r * wr - first_i * wi;                                                      \
        *(NUMBERS *)(y.im + place) = first_r * wi + first_i * wr;                                                      \
        *(NUMBERS *)(y.re + last) = last_r * vr - last_i * vi;                                                         \
        *(NUMBERS *)(y.im + last) = last_r * vi + last_i * vr;                                                         \
    } while (0)

typedef FFT_REAL FFT_NAME(block) __attribute__((vector_size(FFT_VECTOR), aligned(sizeof(FFT_REAL)), may_alias));
typedef FFT_REAL FFT_NAME(half) __attribute__((vector_size(FFT_VECTOR / 2), aligned(sizeof(FFT_REAL)), may_alias));

/* How many neighbours to go on to: where fewer than a block are left behind it, back by those that are done twice. */
static inline tsm_dim FFT_NAME(next_block)(tsm_dim left, tsm_dim block) {
    return left > block && left < 2 * block ? left - block : block;
}

static void FFT_NAME(pair_of_places)(const FFT_NAME(plan) * p, int radix, int r, const FFT_NAME(line) x, tsm_dim from,
                                     tsm_dim apart, const FFT_NAME(line) y, tsm_dim to, tsm_dim stride,
                                     tsm_dim turned) {
    enum { BLOCK = FFT_VECTOR / sizeof(FFT_REAL), HALF = BLOCK / 2 };
    const tsm_dim unit = p->n / radix;
    const FFT_REAL wr = p->roots.re[turned * r], wi = p->roots.im[turned * r], vr = p->roots.re[turned * (radix - r)],
                   vi = p->roots.im[turned * (radix - r)];
    tsm_dim place = to + stride * r, last = to + stride * (radix - r), left = stride;
    for (tsm_dim n; left >= BLOCK; left -= n, from += n, place += n, last += n) {
        FFT_PAIR_PLACES(FFT_NAME(block));
        n = FFT_NAME(next_block)(left, BLOCK);
    }
    for (tsm_dim n; HALF > 1 && left >= HALF; left -= n, from += n, place += n, last += n) {
        FFT_PAIR_PLACES(FFT_NAME(half));
        n = FFT_NAME(next_block)(left, HALF);
    }
    for (; left; left--, from++, place++, last++)
        FFT_PAIR_PLACES(FFT_REAL);
}
#undef FFT_PAIR_PLACES

/* Two lines of n points become their sum and their difference, and the sum is added to `all`. */
static void FFT_NAME(sum_and_difference)(FFT_REAL *restrict a, FFT_REAL *restrict b, FFT_REAL *restrict all,
                                         tsm_dim n) {
    TSM_INDEPENDENT for (tsm_dim i = 0; i < n; i++) {
        const FFT_REAL sum = a[i] + b[i];
        b[i] = a[i] - b[i];
        a[i] = sum;
        all[i] += sum;
    }
}

/* A pass of any small prime radix, like pass_odd: neighbours in blocks. x is written over. */
static void FFT_NAME(pass_prime)(const FFT_NAME(plan) * p, int radix, tsm_dim n, tsm_dim stride, tsm_dim turn,
                                 const FFT_NAME(line) x, const FFT_NAME(line) y) {
    const tsm_dim apart = stride * (n / radix);
    for (tsm_dim q = 0; q < n / radix; q++) {
        const tsm_dim from = stride * q, to = stride * q * radix;
        memcpy(y.re + to, x.re + from, (size_t)stride * sizeof(FFT_REAL));
        memcpy(y.im + to, x.im + from, (size_t)stride * sizeof(FFT_REAL));
        for (int j = 1; j <= radix / 2; j++) {
            const tsm_dim one = from + apart * j, other = from + apart * (radix - j);
            FFT_NAME(sum_and_difference)(x.re + one, x.re + other, y.re + to, stride);
            FFT_NAME(sum_and_difference)(x.im + one, x.im + other, y.im + to, stride);
        }
        for (int r = 1; r <= radix / 2; r++)
            FFT_NAME(pair_of_places)(p, radix, r, x, from, apart, y, to, stride, q * turn);
    }
}

/* Transforms *line; *line and *work may change places. */
static void FFT_NAME(run)(const FFT_NAME(plan) * p, FFT_NAME(line) * line, FFT_NAME(line) * work) {
    tsm_dim n = p->n, turn = 1;
    for (int i = 0; i < p->factor_count; i++) {
        const int radix = p->factors[i];
        const tsm_dim stride = turn * p->lines;
        if (radix == 4 && stride == 1)
            FFT_NAME(first_pass4)(p, *line, *work);
        else if (radix == 4 && stride == 4) /* as many as a vector holds, which the compiler knows */
            FFT_NAME(pass4)(p, n, 4, turn, *line, *work);
        else if (radix == 4)
            FFT_NAME(pass4)(p, n, stride, turn, *line, *work);
        else if (radix == 2)
            FFT_NAME(pass2)(p, n, stride, turn, *line, *work);
        else if (radix == 3)
            FFT_NAME(pass_odd)(p, 3, n, stride, turn, *line, *work);
        else if (radix == 5)
            FFT_NAME(pass_odd)(p, 5, n, stride, turn, *line, *work);
        else if (radix == 7)
            FFT_NAME(pass_odd)(p, 7, n, stride, turn, *line, *work);
        else
            FFT_NAME(pass_prime)(p, radix, n, stride, turn, *line, *work);
        const FFT_NAME(line) held = *line;
        *line = *work;
        *work = held;
        n /= radix;
        turn *= radix;
    }
}

typedef struct {
    tsm_dim n;
    FFT_NAME(plan) plan;       /* of n, or of the convolution's length */
    FFT_NAME(line) chirp;      /* [n]: exp(-pi i k k / n); NULL: n has small factors only */
    FFT_NAME(line) filter;     /* [plan.n]: the transform of the chirp's conjugate */
    FFT_NAME(line) line, work; /* [plan.n] each: the line to transform, and where its passes go */
} FFT_NAME(transform);

static void FFT_NAME(run_passes)(FFT_NAME(transform) * t) {
    FFT_NAME(run)(&t->plan, &t->line, &t->work);
}

/* z[k] *= w[k] */
static void FFT_NAME(multiply)(FFT_NAME(line) z, FFT_NAME(line) w, tsm_dim n) {
    TSM_INDEPENDENT for (tsm_dim k = 0; k < n; k++) {
        const FFT_REAL re = z.re[k], im = z.im[k];
        z.re[k] = re * w.re[k] - im * w.im[k];
        z.im[k] = re * w.im[k] + im * w.re[k];
    }
}

/* z[k] = conj(z[k]) / by */
static void FFT_NAME(conjugate)(FFT_NAME(line) z, tsm_dim n, FFT_REAL by) {
    TSM_INDEPENDENT for (tsm_dim k = 0; k < n; k++) {
        z.re[k] /= by;
        z.im[k] /= -by;
    }
}

static void FFT_NAME(clear)(FFT_NAME(line) z, tsm_dim from, tsm_dim n) {
    memset(z.re + from, 0, (size_t)(n - from) * sizeof *z.re);
    memset(z.im + from, 0, (size_t)(n - from) * sizeof *z.im);
}

/* The next n complex numbers of the scratch memory. */
static FFT_NAME(line) FFT_NAME(take)(FFT_REAL **at, tsm_dim n) {
    const FFT_NAME(line) taken = {*at, *at + n};
    *at += 2 * n;
    return taken;
}

static void FFT_NAME(start)(FFT_NAME(transform) * t, tsm_dim n, void *scratch) {
    const tsm_dim m = fft_convolution_length(n), length = m ? m : n;
    FFT_REAL *at = scratch;
    t->n = n;
    t->plan.n = length;
    t->plan.lines = 1;
    t->plan.roots = FFT_NAME(take)(&at, length);
    t->plan.factor_count = fft_factors(length, t->plan.factors);
    FFT_NAME(make_roots)(t->plan.roots, length, length);
    t->line = FFT_NAME(take)(&at, length);
    t->work = FFT_NAME(take)(&at, length);
    t->chirp.re = NULL;
    if (!m)
        return;
    t->chirp = FFT_NAME(take)(&at, n);
    t->filter = FFT_NAME(take)(&at, m);
    FFT_NAME(clear)(t->line, 0, m);
    for (tsm_dim k = 0; k < n; k++) {
        /* k * k grows past what a double's turns resolve: take it modulo 2n first. */
        const double turns = (double)((uint64_t)k * (uint64_t)k % (2 * (uint64_t)n)) / (2 * (double)n);
        t->chirp.re[k] = (FFT_REAL)cos(2 * FFT_PI * turns);
        t->chirp.im[k] = (FFT_REAL)-sin(2 * FFT_PI * turns);
        const tsm_dim mirrored = k ? m - k : 0;
        t->line.re[k] = t->line.re[mirrored] = t->chirp.re[k];
        t->line.im[k] = t->line.im[mirrored] = -t->chirp.im[k];
    }
    FFT_NAME(run_passes)(t);
    memcpy(t->filter.re, t->line.re, (size_t)m * sizeof(FFT_REAL));
    memcpy(t->filter.im, t->line.im, (size_t)m * sizeof(FFT_REAL));
}

/* The convolution with the chirp: its own forward transform serves backwards too, on conjugates. */
static void FFT_NAME(run_chirp)(FFT_NAME(transform) * t) {
    const tsm_dim n = t->n, m = t->plan.n;
    FFT_NAME(multiply)(t->line, t->chirp, n);
    FFT_NAME(clear)(t->line, n, m);
    FFT_NAME(run_passes)(t);
    FFT_NAME(multiply)(t->line, t->filter, m);
    FFT_NAME(conjugate)(t->line, m, 1);
    FFT_NAME(run_passes)(t);
    FFT_NAME(conjugate)(t->line, n, (FFT_REAL)m);
    FFT_NAME(multiply)(t->line, t->chirp, n);
}

/* Transforms t->line forwards; backwards is the same on conjugates, which the caller takes. */
static void FFT_NAME(run_line)(FFT_NAME(transform) * t) {
    if (t->chirp.re)
        FFT_NAME(run_chirp)(t);
    else
        FFT_NAME(run_passes)(t);
}

/* n numbers from `step` apart to side by side, each times `by`; and the other way round. */
static void FFT_NAME(gather)(FFT_REAL *restrict to, const FFT_REAL *from, tsm_dim step, tsm_dim n, FFT_REAL by) {
    if (step == 2) /* the parts of complex numbers */
        for (tsm_dim k = 0; k < n; k++)
            to[k] = from[2 * k] * by;
    else
        for (tsm_dim k = 0; k < n; k++)
            to[k] = from[k * step] * by;
}
static void FFT_NAME(scatter)(FFT_REAL *to, tsm_dim step, const FFT_REAL *restrict from, tsm_dim n, FFT_REAL by) {
    if (step == 2)
        for (tsm_dim k = 0; k < n; k++)
            to[2 * k] = from[k] * by;
    else
        for (tsm_dim k = 0; k < n; k++)
            to[k * step] = from[k] * by;
}

/* One line of a tensor into t->line: `backward` takes conjugates; of a Hermitian line the first half stands for the
 * whole. */
static void FFT_NAME(load)(FFT_NAME(transform) * t, const fft_job *j, const FFT_REAL *from, tsm_dim step) {
    const tsm_dim n = t->n;
    FFT_NAME(gather)(t->line.re, from, step, j->given, 1);
    if (j->from_complex)
        FFT_NAME(gather)(t->line.im, from + 1, step, j->given, j->backward ? -1 : 1);
    else
        memset(t->line.im, 0, (size_t)j->given * sizeof(FFT_REAL));
    if (j->to_complex)
        return;
    for (tsm_dim k = j->given; k < n; k++) {
        t->line.re[k] = t->line.re[n - k];
        t->line.im[k] = -t->line.im[n - k];
    }
    t->line.im[0] = 0; /* what a Hermitian line cannot have */
    if (n % 2 == 0)
        t->line.im[n / 2] = 0;
}

static void FFT_NAME(store)(const FFT_NAME(transform) * t, const fft_job *j, FFT_REAL *to, tsm_dim step) {
    const FFT_REAL scale = (FFT_REAL)j->scale;
    FFT_NAME(scatter)(to, step, t->line.re, j->wanted, scale);
    if (j->to_complex)
        FFT_NAME(scatter)(to + 1, step, t->line.im, j->wanted, j->backward ? -scale : scale);
}

/* ---- Real lines of even length ----
 *
 * Two neighbours are one complex number, so that a transform of half the length does: what it gives is taken apart into
 * the transforms of the points at even and at odd places. `turns` holds exp(-2 pi i k / n) for k <= n / 2. */

static bool FFT_NAME(can_halve)(const fft_job *j) {
    return j->from_complex != j->to_complex && j->n % 2 == 0 && !fft_convolution_length(j->n / 2);
}

/* They lie behind the lines that are transformed. */
static FFT_NAME(line) FFT_NAME(make_turns)(const FFT_NAME(transform) * t, const fft_job *j) {
    const tsm_dim half = j->n / 2;
    FFT_REAL *at = t->plan.roots.re + 2 * half + 4 * half * (j->is_together ? FFT_LINES : 1);
    const FFT_NAME(line) turns = FFT_NAME(take)(&at, half + 1);
    FFT_NAME(make_roots)(turns, half + 1, j->n);
    return turns;
}

/* From the real line into t->line, transformed, and from there to the points that are wanted. */
static void FFT_NAME(halved_forward)(FFT_NAME(transform) * t, FFT_NAME(line) turns, const fft_job *j,
                                     const FFT_REAL *from, tsm_dim from_step, FFT_REAL *to, tsm_dim to_step) {
    const tsm_dim half = j->n / 2;
    const FFT_REAL scale = (FFT_REAL)j->scale, scale2 = scale / 2, sign = j->backward ? -1 : 1;
    FFT_NAME(gather)(t->line.re, from, 2 * from_step, half, 1);
    FFT_NAME(gather)(t->line.im, from + from_step, 2 * from_step, half, 1);
    FFT_NAME(run_passes)(t);
    const FFT_REAL *zr = t->line.re, *zi = t->line.im;
    FFT_REAL *restrict re = t->work.re, *restrict im = t->work.im;
    re[0] = (zr[0] + zi[0]) * scale;
    im[0] = 0;
    TSM_INDEPENDENT for (tsm_dim k = 1; k < half; k++) {
        const FFT_REAL mr = zr[half - k], mi = zi[half - k], even_r = zr[k] + mr, even_i = zi[k] - mi,
                       odd_r = zi[k] + mi, odd_i = mr - zr[k];
        re[k] = (even_r + (odd_r * turns.re[k] - odd_i * turns.im[k])) * scale2;
        im[k] = (even_i + (odd_r * turns.im[k] + odd_i * turns.re[k])) * scale2;
    }
    const tsm_dim first = tsm_dim_min(half, j->wanted);
    FFT_NAME(scatter)(to, to_step, re, first, 1);
    FFT_NAME(scatter)(to + 1, to_step, im, first, sign);
    if (j->wanted > half) {
        to[half * to_step] = (zr[0] - zi[0]) * scale;
        to[half * to_step + 1] = 0;
    }
    for (tsm_dim k = half + 1; k < j->wanted; k++) {
        to[k * to_step] = re[j->n - k];
        to[k * to_step + 1] = im[j->n - k] * -sign;
    }
}

static void FFT_NAME(halved_backward)(FFT_NAME(transform) * t, FFT_NAME(line) turns, const fft_job *j,
                                      const FFT_REAL *from, tsm_dim from_step, FFT_REAL *to, tsm_dim to_step) {
    const tsm_dim half = j->n / 2;
    const FFT_REAL scale = (FFT_REAL)j->scale;
    /* The points 0 to half as they are to be transformed forwards; those at both ends are real. */
    FFT_REAL *re = t->work.re, *im = t->work.im;
    const FFT_REAL last = from[half * from_step];
    FFT_NAME(gather)(re, from, from_step, half, 1);
    FFT_NAME(gather)(im, from + 1, from_step, half, j->backward ? -1 : 1);
    im[0] = 0;
    t->line.re[0] = re[0] + last;
    t->line.im[0] = re[0] - last;
    TSM_INDEPENDENT for (tsm_dim k = 1; k < half; k++) {
        const FFT_REAL br = re[half - k], bi = im[half - k], dr = re[k] - br, di = im[k] + bi;
        t->line.re[k] = re[k] + br - (dr * turns.im[k] + di * turns.re[k]);
        t->line.im[k] = im[k] - bi + (dr * turns.re[k] - di * turns.im[k]);
    }
    FFT_NAME(run_passes)(t);
    for (tsm_dim k = 0; k < j->wanted; k++)
        to[k * to_step] = (k % 2 ? t->line.im[k / 2] : t->line.re[k / 2]) * scale;
}

/* ---- FFT_LINES lines at once ---- */

/* Where they begin, and `step` reals from point to point. */
typedef struct {
    const FFT_REAL *from[FFT_LINES];
    FFT_REAL *to[FFT_LINES];
    tsm_dim from_step, to_step;
    FFT_NAME(line) line, work;
} FFT_NAME(group);

/* n interleaved points from `offset` on in each line, those at every `step`th real; and as many complex ones to them.
 */
static void FFT_NAME(gather_group)(const FFT_NAME(group) * g, FFT_REAL *to, tsm_dim offset, tsm_dim step, tsm_dim n,
                                   FFT_REAL by) {
    for (tsm_dim k = 0; k < n; k++)
        for (int i = 0; i < FFT_LINES; i++)
            to[k * FFT_LINES + i] = g->from[i][offset + k * step] * by;
}
static void FFT_NAME(scatter_group)(const FFT_NAME(group) * g, FFT_NAME(line) from, tsm_dim n, FFT_REAL by,
                                    FFT_REAL by_im) {
    for (tsm_dim k = 0; k < n; k++)
        for (int i = 0; i < FFT_LINES; i++) {
            FFT_REAL *v = g->to[i] + k * g->to_step;
            v[0] = from.re[k * FFT_LINES + i] * by;
            v[1] = from.im[k * FFT_LINES + i] * by_im;
        }
}

static void FFT_NAME(whole_group)(const FFT_NAME(plan) * p, const fft_job *j, FFT_NAME(group) * g) {
    const FFT_REAL sign = j->backward ? -1 : 1, scale = (FFT_REAL)j->scale;
    const tsm_dim n = j->n;
    FFT_NAME(gather_group)(g, g->line.re, 0, g->from_step, j->given, 1);
    if (j->from_complex)
        FFT_NAME(gather_group)(g, g->line.im, 1, g->from_step, j->given, sign);
    else
        memset(g->line.im, 0, (size_t)(j->given * FFT_LINES) * sizeof(FFT_REAL));
    for (tsm_dim k = j->to_complex ? n : j->given; k < n; k++) /* of a Hermitian line, which is odd */
        for (int i = 0; i < FFT_LINES; i++) {
            g->line.re[k * FFT_LINES + i] = g->line.re[(n - k) * FFT_LINES + i];
            g->line.im[k * FFT_LINES + i] = -g->line.im[(n - k) * FFT_LINES + i];
        }
    if (!j->to_complex)
        memset(g->line.im, 0, FFT_LINES * sizeof(FFT_REAL));
    FFT_NAME(run)(p, &g->line, &g->work);
    if (j->to_complex)
        FFT_NAME(scatter_group)(g, g->line, j->wanted, scale, scale * sign);
    else
        for (tsm_dim k = 0; k < j->wanted; k++)
            for (int i = 0; i < FFT_LINES; i++)
                g->to[i][k * g->to_step] = g->line.re[k * FFT_LINES + i] * scale;
}

/* halved_forward, of a group */
static void FFT_NAME(group_forward)(const FFT_NAME(plan) * p, FFT_NAME(line) turns, const fft_job *j,
                                    FFT_NAME(group) * g) {
    const tsm_dim half = j->n / 2;
    const FFT_REAL scale = (FFT_REAL)j->scale, scale2 = scale / 2, sign = j->backward ? -1 : 1;
    FFT_NAME(gather_group)(g, g->line.re, 0, 2 * g->from_step, half, 1);
    FFT_NAME(gather_group)(g, g->line.im, g->from_step, 2 * g->from_step, half, 1);
    FFT_NAME(run)(p, &g->line, &g->work);
    for (int i = 0; i < FFT_LINES; i++) {
        g->work.re[i] = (g->line.re[i] + g->line.im[i]) * scale;
        g->work.im[i] = 0;
    }
    for (tsm_dim k = 1; k < half; k++) {
        const tsm_dim at = k * FFT_LINES, mirrored = (half - k) * FFT_LINES;
        const FFT_REAL wr = turns.re[k], wi = turns.im[k];
        const FFT_REAL *ar = g->line.re + at, *ai = g->line.im + at, *br = g->line.re + mirrored,
                       *bi = g->line.im + mirrored;
        FFT_REAL *restrict re = g->work.re + at, *restrict im = g->work.im + at;
        TSM_INDEPENDENT for (int i = 0; i < FFT_LINES; i++) {
            const FFT_REAL even_r = ar[i] + br[i], even_i = ai[i] - bi[i], odd_r = ai[i] + bi[i], odd_i = br[i] - ar[i];
            re[i] = (even_r + (odd_r * wr - odd_i * wi)) * scale2;
            im[i] = (even_i + (odd_r * wi + odd_i * wr)) * scale2;
        }
    }
    FFT_NAME(scatter_group)(g, g->work, tsm_dim_min(half, j->wanted), 1, sign);
    for (int i = 0; i < FFT_LINES && j->wanted > half; i++) {
        g->to[i][half * g->to_step] = (g->line.re[i] - g->line.im[i]) * scale;
        g->to[i][half * g->to_step + 1] = 0;
    }
    for (tsm_dim k = half + 1; k < j->wanted; k++)
        for (int i = 0; i < FFT_LINES; i++) {
            g->to[i][k * g->to_step] = g->work.re[(j->n - k) * FFT_LINES + i];
            g->to[i][k * g->to_step + 1] = g->work.im[(j->n - k) * FFT_LINES + i] * -sign;
        }
}

/* halved_backward, of a group */
static void FFT_NAME(group_backward)(const FFT_NAME(plan) * p, FFT_NAME(line) turns, const fft_job *j,
                                     FFT_NAME(group) * g) {
    const tsm_dim half = j->n / 2;
    const FFT_REAL scale = (FFT_REAL)j->scale;
    FFT_NAME(gather_group)(g, g->work.re, 0, g->from_step, half, 1);
    FFT_NAME(gather_group)(g, g->work.im, 1, g->from_step, half, j->backward ? -1 : 1);
    for (int i = 0; i < FFT_LINES; i++) {
        const FFT_REAL last = g->from[i][half * g->from_step];
        g->line.re[i] = g->work.re[i] + last;
        g->line.im[i] = g->work.re[i] - last;
    }
    for (tsm_dim k = 1; k < half; k++) {
        const tsm_dim at = k * FFT_LINES, mirrored = (half - k) * FFT_LINES;
        const FFT_REAL wr = turns.re[k], wi = turns.im[k];
        const FFT_REAL *ar = g->work.re + at, *ai = g->work.im + at, *br = g->work.re + mirrored,
                       *bi = g->work.im + mirrored;
        FFT_REAL *restrict re = g->line.re + at, *restrict im = g->line.im + at;
        TSM_INDEPENDENT for (int i = 0; i < FFT_LINES; i++) {
            const FFT_REAL dr = ar[i] - br[i], di = ai[i] + bi[i];
            re[i] = ar[i] + br[i] - (dr * wi + di * wr);
            im[i] = ai[i] - bi[i] + (dr * wr - di * wi);
        }
    }
    FFT_NAME(run)(p, &g->line, &g->work);
    for (tsm_dim k = 0; k < j->wanted; k++) {
        const FFT_REAL *from = (k % 2 ? g->line.im : g->line.re) + k / 2 * FFT_LINES;
        for (int i = 0; i < FFT_LINES; i++)
            g->to[i][k * g->to_step] = from[i] * scale;
    }
}

/* FFT_LINES lines at once, as many times as there are so many. */
static void FFT_NAME(run_together)(FFT_NAME(transform) * t, FFT_NAME(line) turns, const fft_job *j, tsm_dim_lines *l,
                                   tsm_dim count) {
    const tsm_dim from_width = j->from_complex ? 2 : 1, to_width = j->to_complex ? 2 : 1;
    FFT_REAL *at = t->plan.roots.re + 2 * t->n;
    FFT_NAME(group) g;
    g.from_step = j->from_step * from_width;
    g.to_step = j->to_step * to_width;
    g.line = FFT_NAME(take)(&at, FFT_LINES * t->n);
    g.work = FFT_NAME(take)(&at, FFT_LINES * t->n);
    t->plan.lines = FFT_LINES;
    for (tsm_dim done = 0; done < count; done += FFT_LINES) {
        for (int i = 0; i < FFT_LINES; i++, tsm_dim_lines_next(l)) {
            g.from[i] = (const FFT_REAL *)j->from + l->from_offset * from_width;
            g.to[i] = (FFT_REAL *)j->to + l->to_offset * to_width;
        }
        if (!turns.re)
            FFT_NAME(whole_group)(&t->plan, j, &g);
        else if (j->to_complex)
            FFT_NAME(group_forward)(&t->plan, turns, j, &g);
        else
            FFT_NAME(group_backward)(&t->plan, turns, j, &g);
    }
    t->plan.lines = 1;
}

static void FFT_NAME(run_lines)(const fft_job *j, tsm_dim_lines *l, void *scratch) {
    FFT_NAME(transform) t;
    const bool halves = FFT_NAME(can_halve)(j);
    FFT_NAME(start)(&t, halves ? j->n / 2 : j->n, scratch);
    tsm_dim together = 0;
    FFT_NAME(line) turns = {NULL, NULL};
    if (halves)
        turns = FFT_NAME(make_turns)(&t, j);
    if (TSM_NARROW_LANES && j->is_together) {
        together = l->count / FFT_LINES * FFT_LINES;
        FFT_NAME(run_together)(&t, turns, j, l, together);
    }
    const tsm_dim from_width = j->from_complex ? 2 : 1, to_width = j->to_complex ? 2 : 1; /* of an element, in reals */
    for (tsm_dim i = together; i < l->count; i++, tsm_dim_lines_next(l)) {
        const FFT_REAL *from = (const FFT_REAL *)j->from + l->from_offset * from_width;
        FFT_REAL *to = (FFT_REAL *)j->to + l->to_offset * to_width;
        if (halves && j->to_complex)
            FFT_NAME(halved_forward)(&t, turns, j, from, j->from_step, to, 2 * j->to_step);
        else if (halves)
            FFT_NAME(halved_backward)(&t, turns, j, from, 2 * j->from_step, to, j->to_step);
        else {
            FFT_NAME(load)(&t, j, from, j->from_step * from_width);
            FFT_NAME(run_line)(&t);
            FFT_NAME(store)(&t, j, to, j->to_step * to_width);
        }
    }
}
#undef FFT_REAL
#undef FFT_NAME

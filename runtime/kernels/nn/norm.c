/* Normalization. */
#include "runtime/kernels/nn/nn.h"
#include "runtime/tensor/lanes.h"

/* ---- Batch normalization ---- */

static tsm_status check_channels(tsm_exec *x, const tsm_tensor *t, const char *name, tsm_dim channels) {
    if (t && (t->elements != channels || t->dims > 1)) /* what is read has one stride (norm_place_of) */
        return TSM_RAISE(x, "%s should contain %zd elements not %zd", name, (ptrdiff_t)channels,
                         (ptrdiff_t)t->elements);
    return TSM_OK;
}

static char *norm_place_of(const tsm_tensor *t, tsm_dim i) {
    tsm_dim step = t->dims ? t->strides[0] : 0;
    return (char *)t->data + i * step * (tsm_dim)tsm_dtype_size((tsm_dtype)t->dtype);
}

static double number_at(const tsm_tensor *t, tsm_dim i, double otherwise) {
    if (!t)
        return otherwise;
    tsm_lane_item item;
    tsm_lane_load(TSM_LANE_F64, &item, (tsm_dtype)t->dtype, norm_place_of(t, i), 0, 1);
    return item.f64;
}

static void set_number(tsm_tensor *t, tsm_dim i, double v) {
    tsm_lane_item item = {.f64 = v};
    tsm_lane_store((tsm_dtype)t->dtype, norm_place_of(t, i), 0, TSM_LANE_F64, &item, 1);
}

/* How many numbers were counted, their mean, and the sum of the squares of their distances from it. Joined as in Chan,
 * Golub and LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing Sample Variances" (1979). */
typedef struct {
    double n, mean, squares;
} norm_moments;

static norm_moments join_moments(norm_moments a, norm_moments b) {
    const double n = a.n + b.n, apart = b.mean - a.mean;
    return (norm_moments){n, a.mean + apart * (b.n / n), a.squares + b.squares + apart * apart * (a.n * b.n / n)};
}

/* Sums go in CHAINS parts, which compilers make vectors of. */
enum { NORM_CHAINS = 8 };
static double sum_of_parts(const double *part) {
    return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
}
static double sum_around(const double *v, tsm_dim n, double mean, bool squares) {
    double part[NORM_CHAINS] = {0};
    tsm_dim i = 0;
    for (; i + NORM_CHAINS <= n && squares; i += NORM_CHAINS)
        for (int k = 0; k < NORM_CHAINS; k++)
            part[k] += (v[i + k] - mean) * (v[i + k] - mean);
    for (; i + NORM_CHAINS <= n && !squares; i += NORM_CHAINS)
        for (int k = 0; k < NORM_CHAINS; k++)
            part[k] += v[i + k];
    for (; i < n; i++)
        part[0] += squares ? (v[i] - mean) * (v[i] - mean) : v[i];
    return sum_of_parts(part);
}

/* Of n numbers side by side, the first of which is element `at`. */
static norm_moments moments_of_plane(const tsm_f32_loops *f32, const tsm_tensor *image, tsm_dim at, tsm_dim n) {
    norm_moments m = {.n = (double)n};
    if (image->dtype == TSM_FLOAT32) {
        TSM_F32(f32, moments, (const float *)image->data + at, (size_t)n, &m.mean, &m.squares);
        return m;
    }
    const double *v = (const double *)image->data + at;
    m.mean = sum_around(v, n, 0, false) / (double)n;
    m.squares = sum_around(v, n, m.mean, true);
    return m;
}

/* Parameters and statistics of batch_norm and instance_norm, inputs 1 to 4. */
typedef struct {
    tsm_tensor *weight, *bias, *mean, *var; /* NULL: absent */
    tsm_dim batch, channels, plane;         /* of the input */
    tsm_dtype kept; /* what statistics are kept in between: the input's dtype when all are of that, else float64 */
} norm_operands;

/* v as a number of the dtype. */
static double rounded(tsm_dtype dtype, double v) {
    tsm_lane_item item = {.f64 = v};
    char bytes[sizeof item];
    if (dtype == TSM_FLOAT64)
        return v;
    tsm_lane_store(dtype, bytes, 0, TSM_LANE_F64, &item, 1);
    tsm_lane_load(TSM_LANE_F64, &item, dtype, bytes, 0, 1);
    return item.f64;
}

/* Reads and checks them; with `updates` the statistics will be written to. */
static tsm_status read_operands(tsm_exec *x, const tsm_value *const *in, bool updates, norm_operands *o) {
    const tsm_tensor *a = arg_tensor(in, 0);
    static const char *const names[] = {"weight", "bias", "running_mean", "running_var"};
    *o = (norm_operands){arg_tensor_or_null(in, 1),
                         arg_tensor_or_null(in, 2),
                         arg_tensor_or_null(in, 3),
                         arg_tensor_or_null(in, 4),
                         a->dims ? a->sizes[0] : 1,
                         a->dims < 2 ? 0 : a->sizes[1],
                         1,
                         a->dtype == TSM_BFLOAT16 ? TSM_BFLOAT16 : TSM_FLOAT64};
    for (int d = 2; d < a->dims; d++)
        o->plane = tsm_dim_mul(o->plane, a->sizes[d]);
    const tsm_tensor *const all[] = {o->weight, o->bias, o->mean, o->var};
    for (int i = 0; i < 4; i++) {
        if (all[i] && !tsm_dtype_is_floating((tsm_dtype)all[i]->dtype))
            return TSM_RAISE(x, "%s: parameters must be of a floating point type", tsm_op_name(x));
        if (all[i] && all[i]->dtype != TSM_BFLOAT16)
            o->kept = TSM_FLOAT64;
        TSM_TRY(check_channels(x, all[i], names[i], o->channels));
        if (updates && i > 1 && all[i] && all[i]->storage->flags & TSM_STORAGE_CONSTANT)
            return tsm_fail(x, TSM_BAD_FILE, "%s writes to a constant", tsm_op_name(x));
    }
    return TSM_OK;
}

/* The running statistic t of a channel moves towards v. */
static void move_statistic(const norm_operands *o, tsm_tensor *t, tsm_dim channel, double momentum, double v) {
    double share = rounded(o->kept, momentum), rest = rounded(o->kept, 1 - share);
    if (t)
        set_number(t, channel, rounded(o->kept, share * v) + rounded(o->kept, rest * number_at(t, channel, 0)));
}

/* Moves the running statistics of a channel towards the mean and the (biased) variance of n numbers. */
static void update_statistics(const norm_operands *o, tsm_dim channel, double momentum, double mean, double variance,
                              double n) {
    move_statistic(o, o->mean, channel, momentum, mean);
    move_statistic(o, o->var, channel, momentum,
                   rounded(o->kept, rounded(o->kept, variance * n) / rounded(o->kept, n - 1)));
}

/* Images whose numbers go channel by channel: planes, or, with `rows`, pixels of channels side by side. So many
 * channels are normalized together. */
enum { NORM_CHANNELS = TSM_NARROW_LANES ? 64 : 16 };
typedef struct {
    const norm_operands *o;
    const tsm_f32_loops *f32;
    const tsm_tensor *image;
    tsm_tensor *y;
    bool rows;
} norm_job;

/* Pixels of channels side by side, and where their results go. */
typedef struct {
    const tsm_f32_loops *f32;
    bool is_double;
    const char *from;
    char *to;
    tsm_dim channels, pixels;
} norm_rows;
static norm_rows norm_rows_of(const tsm_f32_loops *f32, const tsm_tensor *image, const tsm_tensor *y, tsm_dim channels,
                              tsm_dim first, tsm_dim pixels) {
    const tsm_dim at = first * channels * (tsm_dim)tsm_dtype_size((tsm_dtype)image->dtype);
    return (norm_rows){
        f32, image->dtype == TSM_FLOAT64, (const char *)image->data + at, (char *)y->data + at, channels, pixels};
}

/* sum[i] += v[i] - mean[i], or its square, for all rows of n numbers, `step` apart. */
static void add_doubles_around(const double *v, tsm_dim step, tsm_dim rows, tsm_dim n, const double *mean, bool squares,
                               double *restrict sum) {
    for (tsm_dim row = 0; row < rows; row++, v += step)
        for (tsm_dim i = 0; i < n; i++) {
            const double apart = v[i] - mean[i];
            sum[i] += squares ? apart * apart : apart;
        }
}
/* The same, with some rows at a time summed in float. */
static void add_floats_around(const float *v, tsm_dim step, tsm_dim rows, tsm_dim n, const double *mean, bool squares,
                              double *restrict sum) {
    enum { ROWS_IN_FLOAT = 32 };
    float around[NORM_CHANNELS], part[NORM_CHANNELS];
    for (tsm_dim i = 0; i < n; i++)
        around[i] = (float)mean[i];
    for (tsm_dim first = 0, m; first < rows; first += m) {
        m = tsm_dim_min(rows - first, ROWS_IN_FLOAT);
        memset(part, 0, (size_t)n * sizeof *part);
        for (tsm_dim row = 0; row < m && squares; row++, v += step)
            for (tsm_dim i = 0; i < n; i++)
                part[i] += (v[i] - around[i]) * (v[i] - around[i]);
        for (tsm_dim row = 0; row < m && !squares; row++, v += step)
            for (tsm_dim i = 0; i < n; i++)
                part[i] += v[i] - around[i];
        for (tsm_dim i = 0; i < n; i++)
            sum[i] += (double)part[i];
    }
}

/* So many pixels of few channels are as one row of up to NORM_CHANNELS numbers. */
static tsm_dim pixels_of_row(const norm_rows *r) {
    return tsm_dim_max(1, NORM_CHANNELS / tsm_dim_max(1, r->channels));
}

/* Mean and (biased) variance of n channels from c on, of rows. First the distances from the first pixel are summed, so
 * that no digits are lost of numbers that lie close together. */
static void moments_of_rows(const norm_rows *r, tsm_dim c, tsm_dim n, double *mean, double *variance) {
    const tsm_dim channels = r->channels, pixels = r->pixels, together = n == channels ? pixels_of_row(r) : 1;
    const float *floats = (const float *)(const void *)r->from;
    const double *doubles = (const double *)(const void *)r->from;
    double around[NORM_CHANNELS], sum[NORM_CHANNELS];
    for (int pass = 0; pass < 2; pass++) {
        for (tsm_dim i = 0; i < n; i++)
            around[i] = pass ? mean[i] : r->is_double ? doubles[c + i] : (double)floats[c + i];
        for (tsm_dim i = 0; i < together * n; i++) {
            around[i] = around[i % n];
            sum[i] = 0;
        }
        for (tsm_dim first = 0, rows, width; first < pixels; first += rows * width / n) {
            width = pixels - first < together ? n : together * n;
            rows = width == n ? pixels - first : (pixels - first) / together;
            const tsm_dim at = first * channels + c, step = width / n * channels;
            if (r->is_double)
                add_doubles_around(doubles + at, step, rows, width, around, pass, sum);
            else
                add_floats_around(floats + at, step, rows, width, around, pass, sum);
        }
        for (tsm_dim i = n; i < together * n; i++)
            sum[i % n] += sum[i];
        for (tsm_dim i = 0; i < n; i++)
            *((pass ? variance : mean) + i) = (pass ? 0 : around[i]) + sum[i] / (double)pixels;
    }
}

static void moments_of_planes(const norm_job *j, tsm_dim c, tsm_dim n, double *mean, double *variance) {
    const tsm_dim plane = j->o->plane;
    for (tsm_dim i = 0; i < n; i++) {
        norm_moments all = moments_of_plane(j->f32, j->image, (c + i) * plane, plane);
        for (tsm_dim b = 1; b < j->o->batch; b++)
            all = join_moments(all, moments_of_plane(j->f32, j->image, (b * j->o->channels + c + i) * plane, plane));
        mean[i] = all.mean;
        variance[i] = all.squares / all.n;
    }
}

/* y = v * scale + shift for n channels from c on. */
static void scale_rows(const norm_rows *r, tsm_dim c, tsm_dim n, const double *scale, const double *shift) {
    const tsm_dim channels = r->channels, pixels = r->pixels, together = n == channels ? pixels_of_row(r) : 1;
    float scales[NORM_CHANNELS], shifts[NORM_CHANNELS];
    for (tsm_dim i = 0; i < together * n; i++) {
        scales[i] = (float)scale[i % n];
        shifts[i] = (float)shift[i % n];
    }
    for (tsm_dim first = 0, width; first < pixels; first += width / n) {
        width = tsm_dim_min(pixels - first, together) * n;
        const tsm_dim at = first * channels + c;
        if (!r->is_double) {
            TSM_F32(r->f32, normalize, (float *)(void *)r->to + at, (const float *)(const void *)r->from + at,
                    (size_t)width, 0.0f, 1.0f, scales, shifts);
            continue;
        }
        const double *from = (const double *)(const void *)r->from + at;
        double *to = (double *)(void *)r->to + at;
        for (tsm_dim k = 0; k < width; k += n)
            for (tsm_dim i = 0; i < n; i++)
                to[k + i] = from[k + i] * scale[i] + shift[i];
    }
}

static void scale_planes(const norm_job *j, tsm_dim c, tsm_dim n, const double *scale, const double *shift) {
    const tsm_dim plane = j->o->plane;
    for (tsm_dim i = 0; i < j->o->batch * n; i++) {
        const tsm_dim k = i % n, at = (i / n * j->o->channels + c + k) * plane;
        if (j->image->dtype == TSM_FLOAT32) {
            TSM_F32(j->f32, affine, (float *)j->y->data + at, (const float *)j->image->data + at, (size_t)plane,
                    (float)scale[k], (float)shift[k]);
            continue;
        }
        const double *from = (const double *)j->image->data + at;
        double *to = (double *)j->y->data + at;
        for (tsm_dim p = 0; p < plane; p++)
            to[p] = from[p] * scale[k] + shift[k];
    }
}

/* n channels from c on; in[] are the operator's. */
static void normalize_channels(const norm_job *j, const tsm_value *const *in, tsm_dim c, tsm_dim n) {
    const norm_operands *o = j->o;
    const bool training = arg_bool(in, 5);
    const double count = (double)(o->batch * o->plane);
    double mean[NORM_CHANNELS], variance[NORM_CHANNELS], scale[NORM_CHANNELS], shift[NORM_CHANNELS];
    const norm_rows r = norm_rows_of(j->f32, j->image, j->y, o->channels, 0, o->batch * o->plane);
    if (training && j->rows)
        moments_of_rows(&r, c, n, mean, variance);
    else if (training)
        moments_of_planes(j, c, n, mean, variance);
    for (tsm_dim i = 0; i < n; i++) {
        if (training) {
            mean[i] = rounded(o->kept, mean[i]);
            update_statistics(o, c + i, arg_float(in, 6), mean[i], variance[i], count);
            variance[i] = rounded(o->kept, rounded(o->kept, variance[i] * count) / rounded(o->kept, count));
        } else {
            mean[i] = number_at(o->mean, c + i, 0);
            variance[i] = number_at(o->var, c + i, 1);
        }
        const double inverse = 1 / sqrt(variance[i] + arg_float(in, 7));
        scale[i] = number_at(o->weight, c + i, 1) * (training ? rounded(o->kept, inverse) : inverse);
        shift[i] = number_at(o->bias, c + i, 0) - mean[i] * scale[i];
    }
    if (j->rows)
        scale_rows(&r, c, n, scale, shift);
    else
        scale_planes(j, c, n, scale, shift);
}

/* The elements of t in this dtype and with these strides, which are without gaps. */
static tsm_status image_as(tsm_exec *x, tsm_tensor *t, tsm_dtype dtype, const tsm_dim *strides, tsm_tensor **out) {
    if (t->dtype == (int)dtype)
        return tsm_tensor_closed(x, t, out);
    TSM_TRY(tsm_tensor_make_strided(x, dtype, t->dims, t->sizes, strides, out));
    const tsm_status status = tsm_tensor_copy(x, *out, t);
    if (status == TSM_OK)
        return status;
    tsm_tensor_drop(x, *out);
    *out = NULL;
    return status;
}

TSM_KERNEL(aten_batch_norm) {
    tsm_tensor *a = arg_tensor(in, 0), *image = NULL, *y = NULL;
    bool training = arg_bool(in, 5);
    norm_operands o;
    tsm_dtype dtype = tsm_kernel_compute_dtype((tsm_dtype)a->dtype);
    if (dtype != TSM_FLOAT32 && dtype != TSM_FLOAT64)
        return TSM_RAISE(x, "\"batch_norm\" not implemented for '%s'", tsm_dtype_class_name((tsm_dtype)a->dtype));
    TSM_TRY(read_operands(x, in, training, &o));
    if (a->dims < 2 && a->elements)
        return TSM_RAISE(x, "Expected at least 2 dimensions for batch_norm");
    if (!training && (!o.mean || !o.var))
        return TSM_RAISE(x, "running_mean and running_var must be defined in evaluation mode");
    tsm_dim strides[TSM_MAX_DIMS];
    tsm_strides_suggested(a, strides);
    tsm_status status = image_as(x, a, dtype, strides, &image);
    if (status == TSM_OK)
        status = tsm_tensor_make_strided(x, dtype, a->dims, a->sizes, strides, &y);
    const norm_job j = {&o, loops_f32(x), image, y, o.plane == 1 || tsm_tensor_suggests_channels_last(a)};
    for (tsm_dim c = 0; c < o.channels && status == TSM_OK && a->elements; c += NORM_CHANNELS)
        normalize_channels(&j, in, c, tsm_dim_min(NORM_CHANNELS, o.channels - c));
    tsm_tensor_drop(x, image);
    return tsm_kernel_finish(x, status, y, (tsm_dtype)a->dtype, out);
}

/* ---- Normalization of rows and groups ---- */

/* Normalizes `rows` rows of n elements; weight and bias have an entry for every `repeat` elements, `cycle` entries in
 * all (starting at row % (entries / per-row entries)). */
typedef struct {
    tsm_dim rows, n, repeat;
    tsm_dim cycle; /* rows after which weights start again; 1: every row has the same */
} rows_shape;

/* double rows, and float32 rows whose weights stand for planes: y = (v - mean) * scale * w + b. */
typedef struct {
    const void *weight, *bias; /* of the row; NULL: 1 and 0 */
    tsm_dim n, repeat;
} row_weights;

static void normalize_f64(double *y, const double *v, const row_weights *r, double eps) {
    const double mean = sum_around(v, r->n, 0, false) / (double)r->n;
    const double scale = 1 / sqrt(sum_around(v, r->n, mean, true) / (double)r->n + eps);
    const double *weight = r->weight, *bias = r->bias;
    if (r->repeat == 1 && weight && bias) {
        for (tsm_dim i = 0; i < r->n; i++)
            y[i] = (v[i] - mean) * scale * weight[i] + bias[i];
        return;
    }
    const tsm_dim run = weight || bias ? r->repeat : r->n;
    for (tsm_dim at = 0; at < r->n; at += run) {
        const double w = weight ? weight[at / run] : 1, b = bias ? bias[at / run] : 0;
        for (tsm_dim i = at; i < at + run; i++)
            y[i] = (v[i] - mean) * scale * w + b;
    }
}

static void normalize_f32(const tsm_f32_loops *f32, float *y, const float *v, const row_weights *r, double eps) {
    double mean, squares;
    TSM_F32(f32, moments, v, (size_t)r->n, &mean, &squares);
    float scale = (float)(1 / sqrt(squares / (double)r->n + eps));
    const float *weight = r->weight, *bias = r->bias;
    if (r->repeat == 1 && weight && bias) {
        TSM_F32(f32, normalize, y, v, (size_t)r->n, (float)mean, scale, weight, bias);
        return;
    }
    if (r->repeat == 1 && !weight && !bias) {
        TSM_F32(f32, affine, y, v, (size_t)r->n, scale, (float)(-mean * (double)scale));
        return;
    }
    for (tsm_dim at = 0; at < r->n; at += r->repeat) {
        double k = (double)scale * (weight ? (double)weight[at / r->repeat] : 1);
        TSM_F32(f32, affine, y + at, v + at, (size_t)r->repeat, (float)k,
                (float)((bias ? (double)bias[at / r->repeat] : 0) - mean * k));
    }
}

static void normalize_rows(const tsm_f32_loops *f32, const tsm_tensor *a, tsm_tensor *y, const tsm_tensor *weight,
                           const tsm_tensor *bias, double eps, const rows_shape *s) {
    tsm_dim entries = s->n / s->repeat, size = (tsm_dim)tsm_dtype_size((tsm_dtype)a->dtype);
    for (tsm_dim i = 0; i < s->rows; i++) {
        tsm_dim first = i % s->cycle * entries * size;
        row_weights r = {weight ? (const char *)weight->data + first : NULL,
                         bias ? (const char *)bias->data + first : NULL, s->n, s->repeat};
        if (a->dtype == TSM_FLOAT64)
            normalize_f64((double *)y->data + i * s->n, (const double *)a->data + i * s->n, &r, eps);
        else
            normalize_f32(f32, (float *)y->data + i * s->n, (const float *)a->data + i * s->n, &r, eps);
    }
}

static tsm_status normalize(tsm_exec *x, tsm_tensor *a, tsm_tensor *weight, tsm_tensor *bias, double eps,
                            const rows_shape *s, tsm_value *out) {
    tsm_tensor *image = NULL, *w = NULL, *b = NULL, *y = NULL;
    tsm_dtype dtype = tsm_kernel_compute_dtype((tsm_dtype)a->dtype);
    if (dtype != TSM_FLOAT32 && dtype != TSM_FLOAT64)
        return TSM_RAISE(x, "\"LayerNormKernelImpl\" not implemented for '%s'",
                         tsm_dtype_class_name((tsm_dtype)a->dtype));
    tsm_status status = tsm_kernel_contiguous(x, a, dtype, &image);
    if (status == TSM_OK)
        status = tsm_kernel_contiguous_or_null(x, weight, dtype, &w);
    if (status == TSM_OK)
        status = tsm_kernel_contiguous_or_null(x, bias, dtype, &b);
    if (status == TSM_OK)
        status = tsm_tensor_make(x, dtype, a->dims, a->sizes, &y);
    if (status == TSM_OK && a->elements)
        normalize_rows(loops_f32(x), image, y, w, b, eps, s);
    tsm_tensor_drop(x, image);
    tsm_tensor_drop(x, w);
    tsm_tensor_drop(x, b);
    return tsm_kernel_finish(x, status, y, (tsm_dtype)a->dtype, out);
}

TSM_KERNEL(aten_layer_norm) {
    tsm_tensor *a = arg_tensor(in, 0), *weight = arg_tensor_or_null(in, 2), *bias = arg_tensor_or_null(in, 3);
    tsm_dim shape[TSM_MAX_DIMS], n = 1;
    int dims = tsm_arg_ints(x, in, 1, shape, TSM_MAX_DIMS);
    if (dims < 0)
        return TSM_RAISED;
    bool fits = dims >= 1 && dims <= a->dims;
    for (int d = 0; d < dims && fits; d++) {
        fits = a->sizes[a->dims - dims + d] == shape[d];
        n *= shape[d];
    }
    if (!fits)
        return TSM_RAISE(
            x, "Given normalized_shape of %d dimensions, expected input whose last dimensions are the same", dims);
    if ((weight && weight->elements != n) || (bias && bias->elements != n))
        return TSM_RAISE(x, "Expected weight and bias to be of same shape as normalized_shape");
    rows_shape s = {n ? a->elements / n : 0, n, 1, 1};
    return normalize(x, a, weight, bias, arg_float(in, 4), &s, out);
}

/* ---- Groups of channels that lie side by side ---- */

typedef struct {
    const tsm_tensor *weight, *bias; /* NULL: 1 and 0 */
    double eps;
    tsm_dim group; /* channels */
} norm_groups;

/* What is added to n groups, or to one of which n channels are looked at, by the channels from c on. */
static void join_channels(const norm_rows *r, const norm_groups *g, tsm_dim c, tsm_dim n, norm_moments *groups) {
    double mean[NORM_CHANNELS], variance[NORM_CHANNELS];
    moments_of_rows(r, c, n, mean, variance);
    for (tsm_dim i = 0; i < n; i++) {
        const norm_moments own = {(double)r->pixels, mean[i], variance[i] * (double)r->pixels};
        norm_moments *all = &groups[g->group > NORM_CHANNELS ? 0 : i / g->group];
        *all = all->n > 0 ? join_moments(*all, own) : own;
    }
}

static void scale_channels(const norm_rows *r, const norm_groups *g, tsm_dim c, tsm_dim n, const norm_moments *groups) {
    double scale[NORM_CHANNELS], shift[NORM_CHANNELS];
    for (tsm_dim i = 0; i < n; i++) {
        const norm_moments *all = &groups[g->group > NORM_CHANNELS ? 0 : i / g->group];
        scale[i] = number_at(g->weight, c + i, 1) / sqrt(all->squares / all->n + g->eps);
        shift[i] = number_at(g->bias, c + i, 0) - all->mean * scale[i];
    }
    scale_rows(r, c, n, scale, shift);
}

/* One image: as many whole groups at a time as go together, or parts of one. */
static void normalize_groups(const norm_rows *r, const norm_groups *g) {
    const tsm_dim width = g->group > NORM_CHANNELS ? g->group : NORM_CHANNELS / g->group * g->group;
    for (tsm_dim first = 0, end; first < r->channels; first = end) {
        norm_moments groups[NORM_CHANNELS] = {{0, 0, 0}};
        end = tsm_dim_min(first + width, r->channels);
        for (tsm_dim c = first; c < end; c += NORM_CHANNELS)
            join_channels(r, g, c, tsm_dim_min(NORM_CHANNELS, end - c), groups);
        for (tsm_dim c = first; c < end; c += NORM_CHANNELS)
            scale_channels(r, g, c, tsm_dim_min(NORM_CHANNELS, end - c), groups);
    }
}

static tsm_status normalize_groups_of(tsm_exec *x, tsm_tensor *a, const norm_groups *g, tsm_value *out) {
    const tsm_dtype dtype = tsm_kernel_compute_dtype((tsm_dtype)a->dtype);
    tsm_tensor *image = NULL, *y = NULL;
    tsm_dim strides[TSM_MAX_DIMS];
    tsm_strides_suggested(a, strides);
    tsm_status status = image_as(x, a, dtype, strides, &image);
    if (status == TSM_OK)
        status = tsm_tensor_make_strided(x, dtype, a->dims, a->sizes, strides, &y);
    const tsm_dim channels = a->sizes[1], plane = a->elements / tsm_dim_max(1, a->sizes[0] * channels);
    for (tsm_dim b = 0; b < a->sizes[0] && status == TSM_OK; b++) {
        const norm_rows r = norm_rows_of(loops_f32(x), image, y, channels, b * plane, plane);
        normalize_groups(&r, g);
    }
    tsm_tensor_drop(x, image);
    return tsm_kernel_finish(x, status, y, (tsm_dtype)a->dtype, out);
}

TSM_KERNEL(aten_group_norm) {
    tsm_tensor *a = arg_tensor(in, 0), *weight = arg_tensor_or_null(in, 2), *bias = arg_tensor_or_null(in, 3);
    tsm_dim groups = arg_dim(in, 1);
    if (a->dims < 2 || groups < 1 || a->sizes[1] % groups)
        return TSM_RAISE(x,
                         "Expected number of channels in input to be divisible by num_groups, but got num_groups=%ld",
                         arg_int(in, 1));
    tsm_dim channels = a->sizes[1], plane = 1;
    for (int d = 2; d < a->dims; d++)
        plane = tsm_dim_mul(plane, a->sizes[d]);
    if (!a->elements) /* there may be 0 channels, which any num_groups divides */
        groups = 1;
    if ((weight && weight->elements != channels) || (bias && bias->elements != channels))
        return TSM_RAISE(x, "Expected weight and bias to be vectors of size equal to the number of channels in input");
    const tsm_dtype dtype = tsm_kernel_compute_dtype((tsm_dtype)a->dtype);
    if (a->elements && tsm_tensor_suggests_channels_last(a) && (dtype == TSM_FLOAT32 || dtype == TSM_FLOAT64)) {
        const norm_groups g = {weight, bias, arg_float(in, 4), channels / groups};
        return normalize_groups_of(x, a, &g, out);
    }
    rows_shape s = {tsm_dim_mul(a->sizes[0], groups), channels / groups * plane, plane, groups};
    return normalize(x, a, weight, bias, arg_float(in, 4), &s, out);
}

/* Updates the running statistics of each channel with the mean, over the batch, of the planes' means and variances. */
static void update_instances(const norm_operands *o, const tsm_f32_loops *f32, const tsm_tensor *image,
                             double momentum) {
    for (tsm_dim c = 0; c < o->channels; c++) {
        double mean = 0, variance = 0;
        for (tsm_dim n = 0; n < o->batch; n++) {
            const norm_moments m = moments_of_plane(f32, image, (n * o->channels + c) * o->plane, o->plane);
            mean += m.mean / (double)o->batch;
            variance += m.squares / m.n / (double)o->batch;
        }
        update_statistics(o, c, momentum, mean, variance, (double)o->plane);
    }
}

/* With statistics of the input each (batch, channel) plane is normalized on its own; without, it is batch
 * normalization. */
TSM_KERNEL(aten_instance_norm) {
    tsm_tensor *a = arg_tensor(in, 0), *image;
    norm_operands o;
    if (!arg_bool(in, 5)) {
        const tsm_value off = tsm_bool(false);
        const tsm_value *arguments[] = {in[0], in[1], in[2], in[3], in[4], &off, in[6], in[7], in[8]};
        return tsm_k_aten_batch_norm(x, arguments, out);
    }
    if (a->dims < 3)
        return TSM_RAISE(x, "instance_norm expects at least 3 dimensions");
    TSM_TRY(read_operands(x, in, true, &o));
    rows_shape s = {o.batch * o.channels, o.plane, o.plane, o.channels};
    TSM_TRY(normalize(x, a, o.weight, o.bias, arg_float(in, 7), &s, out));
    if ((!o.mean && !o.var) || !a->elements)
        return TSM_OK;
    tsm_status status = tsm_kernel_contiguous(x, a, tsm_kernel_compute_dtype((tsm_dtype)a->dtype), &image);
    if (status == TSM_OK) {
        update_instances(&o, loops_f32(x), image, arg_float(in, 6));
        tsm_tensor_drop(x, image);
        return TSM_OK;
    }
    tsm_drop(x, *out);
    *out = tsm_none();
    return status;
}

/* Draws that follow probabilities given by tensors: bernoulli, multinomial, poisson. */
#include "runtime/kernels/loops.h"
#include "runtime/kernels/random/random.h"

enum { SAMPLE_BLOCK = 64 };

/* ---- bernoulli ---- */

static void draw_chance(tsm_random *r, const void *how, void *items, tsm_dim n) {
    const double *p = how;
    uint8_t *y = items;
    for (tsm_dim i = 0; i < n; i++)
        y[i] = random_double(r) < *p;
}

static tsm_status fill_chance(tsm_exec *x, tsm_value generator, tsm_tensor *t, double p) {
    tsm_random *r;
    TSM_TRY(tsm_random_get(x, generator, &r));
    if (!(p >= 0 && p <= 1))
        return TSM_RAISE(x, "bernoulli_ expects p to be in [0, 1], but got p=%s", tsm_kernel_number(p).text);
    if (tsm_dtype_is_complex((tsm_dtype)t->dtype) || tsm_dtype_is_quantized((tsm_dtype)t->dtype))
        return tsm_loops_missing(x, "bernoulli_scalar_cpu_", (tsm_dtype)t->dtype);
    tsm_random_fill(r, t, TSM_LANE_MASK, draw_chance, &p);
    return TSM_OK;
}

TSM_KERNEL(aten_bernoulli__float) {
    TSM_TRY(fill_chance(x, *in[2], arg_tensor(in, 0), arg_float(in, 1)));
    return tsm_random_ret_self(in, out);
}

/* New tensors are contiguous, whatever the first input's layout. */
static tsm_status make_contiguous(tsm_exec *x, const tsm_tensor *like, tsm_tensor **out) {
    return tsm_tensor_make(x, (tsm_dtype)like->dtype, like->dims, like->sizes, out);
}

TSM_KERNEL(aten_bernoulli_p) {
    tsm_tensor *t;
    TSM_TRY(make_contiguous(x, arg_tensor(in, 0), &t));
    return tsm_random_ret(x, fill_chance(x, *in[2], t, arg_float(in, 1)), t, out);
}

/* Draws for n elements whose probabilities are p: two words each for probabilities that are doubles, otherwise one. */
static bool draw_chances(tsm_random *r, bool wide, const double *p, uint8_t *y, tsm_dim n) {
    for (tsm_dim i = 0; i < n; i++) {
        if (!(p[i] >= 0 && p[i] <= 1))
            return false;
        y[i] = (wide ? random_double(r) : (double)random_float(r)) < p[i];
    }
    return true;
}

static tsm_status fill_chances(tsm_exec *x, tsm_value generator, tsm_tensor *t, const tsm_tensor *p) {
    tsm_random *r;
    TSM_TRY(tsm_random_get(x, generator, &r));
    if (tsm_dtype_is_complex((tsm_dtype)t->dtype))
        return tsm_loops_missing(x, "bernoulli_tensor_cpu_self_", (tsm_dtype)t->dtype);
    if (!tsm_dtype_is_floating((tsm_dtype)p->dtype))
        return tsm_loops_missing(x, "bernoulli_tensor_cpu_p_", (tsm_dtype)p->dtype);
    double chances[SAMPLE_BLOCK];
    uint8_t drawn[SAMPLE_BLOCK];
    tsm_iter it;
    tsm_iter_start(&it, t->dims, t->sizes);
    tsm_iter_add(&it, t);
    tsm_iter_add(&it, p);
    tsm_iter_ready(&it);
    while (tsm_iter_next(&it)) {
        char *to = it.data[0], *from = it.data[1];
        for (tsm_dim left = it.sizes[0], n; left > 0;
             left -= n, to += n * it.strides[0][0], from += n * it.strides[1][0]) {
            n = left < SAMPLE_BLOCK ? left : SAMPLE_BLOCK;
            tsm_lane_load(TSM_LANE_F64, chances, (tsm_dtype)p->dtype, from, it.strides[1][0], n);
            if (!draw_chances(r, p->dtype == TSM_FLOAT64, chances, drawn, n))
                return TSM_RAISE(x, "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error "
                                    "message be improved?  "
                                    "If so, please report an enhancement request to PyTorch.)");
            tsm_lane_store((tsm_dtype)t->dtype, to, it.strides[0][0], TSM_LANE_MASK, drawn, n);
        }
    }
    return TSM_OK;
}

TSM_KERNEL(aten_bernoulli) {
    tsm_tensor *t;
    TSM_TRY(make_contiguous(x, arg_tensor(in, 0), &t));
    return tsm_random_ret(x, fill_chances(x, *in[1], t, arg_tensor(in, 0)), t, out);
}

static tsm_status check_expands(tsm_exec *x, const tsm_tensor *p, const tsm_tensor *t) {
    int dims;
    tsm_dim sizes[TSM_MAX_DIMS];
    TSM_TRY(tsm_broadcast_shapes(x, t->dims, t->sizes, p->dims, p->sizes, &dims, sizes));
    if (dims != t->dims || memcmp(sizes, t->sizes, (size_t)dims * sizeof *sizes))
        return TSM_RAISE(x, "the tensor of probabilities has more elements than the tensor that is drawn");
    return TSM_OK;
}

TSM_KERNEL(aten_bernoulli__Tensor) {
    TSM_TRY(check_expands(x, arg_tensor(in, 1), arg_tensor(in, 0)));
    TSM_TRY(fill_chances(x, *in[2], arg_tensor(in, 0), arg_tensor(in, 1)));
    return tsm_random_ret_self(in, out);
}

TSM_KERNEL(aten_bernoulli_Tensor) {
    tsm_tensor *t;
    TSM_TRY(check_expands(x, arg_tensor(in, 1), arg_tensor(in, 0)));
    TSM_TRY(make_contiguous(x, arg_tensor(in, 0), &t));
    return tsm_random_ret(x, fill_chances(x, *in[2], t, arg_tensor(in, 1)), t, out);
}

/* ---- poisson ---- */

/* The product of uniform numbers falls below exp(-rate) after as many factors as there are events (D. Knuth). */
static double few_events(tsm_random *r, double rate) {
    double limit = exp(-rate), product = 1, events = 0;
    for (product *= random_double(r); product > limit; product *= random_double(r))
        events++;
    return events;
}

/* W. Hoermann, "The transformed rejection method for generating Poisson random variables", 1993: algorithm PTRS. */
static double many_events(tsm_random *r, double rate) {
    double b = 0.931 + 2.53 * sqrt(rate), a = -0.059 + 0.02483 * b;
    double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), limit = 0.9277 - 3.6224 / (b - 2), log_rate = log(rate);
    for (;;) {
        double u = random_double(r) - 0.5, v = random_double(r), edge = 0.5 - fabs(u);
        double k = floor((2 * a / edge + b) * u + rate + 0.43);
        if (edge >= 0.07 && v <= limit)
            return k;
        if (k < 0 || (edge < 0.013 && v > edge))
            continue;
        if (log(v) + log(inverse_alpha) - log(a / (edge * edge) + b) <= -rate + k * log_rate - lgamma(k + 1))
            return k;
    }
}

TSM_KERNEL(aten_poisson) {
    tsm_random *r;
    tsm_tensor *rates = NULL, *t;
    const tsm_tensor *self = arg_tensor(in, 0);
    tsm_dtype dtype = (tsm_dtype)self->dtype;
    TSM_TRY(tsm_random_get(x, *in[1], &r));
    if (!tsm_dtype_is_floating(dtype))
        return tsm_loops_missing(x, "poisson_cpu", dtype);
    TSM_TRY(tsm_tensor_make(x, dtype, self->dims, self->sizes, &t));
    tsm_status status = tsm_tensor_contiguous(x, arg_tensor(in, 0), &rates);
    const tsm_dim size = (tsm_dim)tsm_dtype_size(dtype);
    for (tsm_dim done = 0, n; status == TSM_OK && done < t->elements; done += n) {
        double items[SAMPLE_BLOCK];
        n = tsm_dim_min(t->elements - done, SAMPLE_BLOCK);
        tsm_lane_load(TSM_LANE_F64, items, dtype, (const char *)rates->data + done * size, size, n);
        for (tsm_dim i = 0; status == TSM_OK && i < n; i++) {
            const double rate = items[i];
            if (!(rate >= 0 && rate < 0x1p62))
                status = TSM_RAISE(x, "invalid Poisson rate, expected rate to be non-negative");
            items[i] = rate >= 10 ? many_events(r, rate) : rate > 0 ? few_events(r, rate) : 0;
        }
        tsm_lane_store(dtype, (char *)t->data + done * size, size, TSM_LANE_F64, items, n);
    }
    tsm_tensor_drop(x, rates);
    return tsm_random_ret(x, status, t, out);
}

/* ---- multinomial ---- */

/* One row of weights, as doubles that hold values of the tensor's dtype. */
typedef struct {
    tsm_random *random;
    tsm_dtype dtype;
    tsm_dim classes, samples;
    double *weights; /* room for two rows */
} choice;

static double sampling_as_element(tsm_dtype dtype, double number) {
    return dtype == TSM_FLOAT64    ? number
           : dtype == TSM_BFLOAT16 ? (double)tsm_float_of_bfloat16(tsm_bfloat16_of_float((float)number))
                                   : (double)(float)number;
}

/* Reads a row of `from`, a tensor of one or two dimensions. */
static void read_row(const tsm_tensor *from, tsm_dim row, double *to) {
    size_t size = tsm_dtype_size((tsm_dtype)from->dtype);
    tsm_dim step = from->strides[from->dims - 1], start = from->dims == 2 ? row * from->strides[0] : 0;
    tsm_lane_load(TSM_LANE_F64, to, (tsm_dtype)from->dtype, (const char *)from->data + start * (tsm_dim)size,
                  step * (tsm_dim)size, from->sizes[from->dims - 1]);
}

/* Whether a weight is a number that is not negative. */
static inline bool is_weight(double w) {
    return (w >= 0) & (w * 0 == 0);
}

/* Weights become their sums from the first on; false if one is negative or NaN. Sums of floats are the same in float as
 * in double and rounded then. */
static bool add_weights(const choice *c) {
    const bool is_float = c->dtype == TSM_FLOAT32;
    double *v = c->weights, sum = 0;
    float total = 0;
    int is_good = 1;
    for (tsm_dim i = 0; i < c->classes && is_float; i++) {
        is_good &= v[i] >= 0;
        v[i] = total += (float)v[i];
    }
    for (tsm_dim i = 0; i < c->classes && !is_float; i++) {
        is_good &= v[i] >= 0;
        v[i] = sum = sampling_as_element(c->dtype, sum + v[i]);
    }
    return is_good;
}

/* What is wrong with a row of weights, or NULL. */
static const char *weight_fault(const choice *c) {
    for (tsm_dim i = 0; i < c->classes; i++)
        if (!is_weight(c->weights[i]))
            return c->weights[i] < 0
                       ? "invalid multinomial distribution (encountering probability entry < 0)"
                       : "invalid multinomial distribution (encountering probability entry = infinity or NaN)";
    return NULL;
}

/* With replacement: a sample is the first class up to which the sum of weights, as a part of all of them, reaches a
 * uniform double, or the last class. Only sums that are looked at are divided. */
static const char *choose_again(const choice *c, const tsm_tensor *weights, tsm_dim row, int64_t *to) {
    read_row(weights, row, c->weights);
    const bool is_good = add_weights(c);
    const double total = c->weights[c->classes - 1];
    if (!is_good || isinf(total)) { /* of infinity, or of large numbers */
        read_row(weights, row, c->weights);
        const char *fault = weight_fault(c);
        if (fault)
            return fault;
        add_weights(c);
    }
    if (!(total > 0))
        return "invalid multinomial distribution (sum of probabilities <= 0)";
    for (tsm_dim i = 0; i < c->samples; i++) {
        double u = random_double(c->random);
        tsm_dim low = 0, high = c->classes - 1;
        while (low < high) {
            tsm_dim middle = low + (high - low) / 2;
            if (sampling_as_element(c->dtype, c->weights[middle] / total) < u)
                low = middle + 1;
            else
                high = middle;
        }
        to[i] = low;
    }
    return NULL;
}

/* Without: the classes whose weights, divided by exponential numbers, are largest. */
static void choose_once(const choice *c, const double *divisors, int64_t *to) {
    for (tsm_dim i = 0; i < c->classes; i++)
        c->weights[i] = sampling_as_element(c->dtype, c->weights[i] / divisors[i]);
    for (tsm_dim s = 0; s < c->samples; s++) {
        tsm_dim best = 0;
        for (tsm_dim i = 1; i < c->classes; i++)
            if (c->weights[i] > c->weights[best])
                best = i;
        c->weights[best] = -1;
        to[s] = best;
    }
}

static void sample_exponential(tsm_random *r, const void *how, void *items, tsm_dim n) {
    double *y = items;
    (void)how;
    for (tsm_dim i = 0; i < n; i++)
        y[i] = -log(1 - random_double(r));
}

/* Checks all rows before any word is drawn. */
static const char *weights_fault(const tsm_tensor *weights, const choice *c) {
    bool has_zero_row = false;
    for (tsm_dim row = 0; row < weights->elements / c->classes; row++) {
        double sum = 0;
        read_row(weights, row, c->weights);
        for (tsm_dim i = 0; i < c->classes; i++) {
            if (!is_weight(c->weights[i]))
                return "probability tensor contains either `inf`, `nan` or element < 0";
            sum += c->weights[i];
        }
        has_zero_row |= sum == 0;
    }
    return has_zero_row ? "invalid multinomial distribution (sum of probabilities <= 0)" : NULL;
}

/* `divisors` is NULL for choices with replacement. */
static tsm_status sampling_choose(tsm_exec *x, const tsm_tensor *weights, const tsm_tensor *divisors, choice *c,
                                  tsm_tensor *t) {
    const char *fault = NULL;
    tsm_dim rows = weights->elements / c->classes;
    for (tsm_dim row = 0; !fault && row < rows; row++) {
        int64_t *to = (int64_t *)t->data + row * c->samples;
        if (!divisors) {
            fault = choose_again(c, weights, row, to);
            continue;
        }
        read_row(weights, row, c->weights);
        read_row(divisors, row, c->weights + c->classes);
        choose_once(c, c->weights + c->classes, to);
    }
    return fault ? TSM_RAISE(x, "%s", fault) : TSM_OK;
}

static tsm_status check_choice(tsm_exec *x, const tsm_tensor *weights, int64_t samples, bool again) {
    if (weights->dims < 1 || weights->dims > 2)
        return TSM_RAISE(x, "prob_dist must be 1 or 2 dim");
    if (!tsm_dtype_is_floating((tsm_dtype)weights->dtype))
        return TSM_RAISE(x, "multinomial only supports floating-point dtypes for input, got: %s",
                         tsm_dtype_class_name((tsm_dtype)weights->dtype));
    if (samples <= 0)
        return TSM_RAISE(x, "cannot sample n_sample <= 0 samples");
    tsm_dim classes = weights->sizes[weights->dims - 1];
    if ((!again && samples > classes) || !classes)
        return TSM_RAISE(x, "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
    return TSM_OK;
}

TSM_KERNEL(aten_multinomial) {
    const tsm_tensor *self = arg_tensor(in, 0);
    int64_t samples = arg_int(in, 1);
    bool again = arg_bool(in, 2) && samples != 1;
    TSM_TRY(check_choice(x, self, samples, again));
    choice c = {NULL, (tsm_dtype)self->dtype, self->sizes[self->dims - 1], tsm_saturate_dim(samples), NULL};
    TSM_TRY(tsm_random_get(x, *in[3], &c.random));
    tsm_dim sizes[2] = {self->sizes[0], c.samples};
    tsm_tensor *t, *divisors = NULL;
    TSM_TRY(tsm_tensor_make(x, TSM_INT64, self->dims, self->dims == 1 ? sizes + 1 : sizes, &t));
    tsm_status status = again ? TSM_OK : tsm_charge_product(x, (uint64_t)self->elements, (uint64_t)samples, 1);
    if (status == TSM_OK) {
        c.weights = tsm_scratch(x, 2 * (size_t)c.classes * sizeof *c.weights);
        status = c.weights ? TSM_OK : TSM_OUT_OF_MEMORY;
    }
    const char *fault = c.weights && !again ? weights_fault(self, &c) : NULL;
    if (fault)
        status = TSM_RAISE(x, "%s", fault);
    if (status == TSM_OK && !again) {
        status = tsm_random_make_like(x, in, self->dtype, &divisors);
        if (status == TSM_OK)
            tsm_random_fill(c.random, divisors, TSM_LANE_F64, sample_exponential, NULL);
    }
    if (status == TSM_OK)
        status = sampling_choose(x, self, divisors, &c, t);
    tsm_tensor_drop(x, divisors);
    tsm_scratch_free(x, c.weights);
    return tsm_random_ret(x, status, t, out);
}

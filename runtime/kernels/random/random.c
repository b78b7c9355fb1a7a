/* The generator, its seed and state, and tensors filled with its numbers. */
#include "runtime/kernels/random/random.h"

#define DEFAULT_SEED UINT64_C(67280421310721) /* PyTorch's */

enum { TWIST_DISTANCE = 397, FILL_BLOCK = 64 };

/* ---- The generator ---- */

void tsm_random_seed(tsm_random *r, uint64_t seed) {
    r->words[0] = (uint32_t)seed;
    for (uint32_t i = 1; i < TSM_RANDOM_WORDS; i++)
        r->words[i] = UINT32_C(1812433253) * (r->words[i - 1] ^ r->words[i - 1] >> 30) + i;
    r->next = TSM_RANDOM_WORDS;
    r->has_next_normal = false;
}

/* A tensor comes from a file as anything, so everything is checked that is relied upon. */
static tsm_status generator_of(tsm_exec *x, tsm_value v, tsm_generator **out) {
    const tsm_tensor *t = tsm_as_tensor(v);
    tsm_generator *g = t->data;
    bool fits = t->dtype == TSM_UINT8 && t->dims == 1 && t->sizes[0] == (tsm_dim)sizeof *g && t->strides[0] == 1 &&
                !((uintptr_t)g % _Alignof(tsm_generator));
    if (!fits || g->random.next > TSM_RANDOM_WORDS)
        return tsm_fail(x, TSM_BAD_FILE, "%s is given something that is no generator", tsm_op_name(x));
    *out = g;
    return TSM_OK;
}

tsm_status tsm_random_get(tsm_exec *x, tsm_value generator, tsm_random **out) {
    if (generator.tag == TSM_TAG_TENSOR) {
        tsm_generator *g;
        TSM_TRY(generator_of(x, generator, &g));
        *out = &g->random;
        return TSM_OK;
    }
    if (!x->random) {
        x->random = tsm_allocate(x, sizeof *x->random);
        if (!x->random)
            return TSM_OUT_OF_MEMORY;
        tsm_random_seed(x->random, DEFAULT_SEED);
    }
    *out = x->random;
    return TSM_OK;
}

TSM_KERNEL(aten_manual_seed) {
    TSM_UNUSED_IO();
    tsm_random *r;
    TSM_TRY(tsm_random_get(x, tsm_none(), &r));
    tsm_random_seed(r, (uint64_t)arg_int(in, 0));
    return TSM_OK;
}

static void generator_seed(tsm_generator *g, int64_t seed) {
    g->seed = seed;
    tsm_random_seed(&g->random, (uint64_t)seed);
}

TSM_KERNEL(aten_Generator) {
    static const tsm_dim bytes = sizeof(tsm_generator);
    tsm_tensor *t;
    if (!arg_is_none(in, 0) && in[0]->as.device & 0xffff) {
        char device[24];
        tsm_device_text(*in[0], device, sizeof device);
        return TSM_RAISE(x, "Unsupported device for at::make_generator_for_device found: %s", device);
    }
    TSM_TRY(tsm_tensor_make(x, TSM_UINT8, 1, &bytes, &t));
    memset(t->data, 0, sizeof(tsm_generator)); /* what is written into files has no bytes by chance */
    generator_seed((tsm_generator *)t->data, arg_is_none(in, 1) ? (int64_t)DEFAULT_SEED : arg_int(in, 1));
    return ret_tensor(out, t);
}

TSM_KERNEL(aten_manual_seed_generator) {
    tsm_generator *g;
    TSM_TRY(generator_of(x, *in[0], &g));
    generator_seed(g, arg_int(in, 1));
    return tsm_random_ret_self(in, out);
}

TSM_KERNEL(aten_initial_seed) {
    tsm_generator *g;
    TSM_TRY(generator_of(x, *in[0], &g));
    return ret_int(out, g->seed);
}

static uint32_t twisted(uint32_t high, uint32_t low, uint32_t far) {
    uint32_t mixed = (high & UINT32_C(0x80000000)) | (low & UINT32_C(0x7fffffff));
    return far ^ mixed >> 1 ^ (-(low & 1) & UINT32_C(0x9908b0df));
}

void tsm_random_twist(tsm_random *r) {
    enum { WRAPS = TSM_RANDOM_WORDS - TWIST_DISTANCE };
    uint32_t *w = r->words;
    for (uint32_t i = 0; i < WRAPS; i++)
        w[i] = twisted(w[i], w[i + 1], w[i + TWIST_DISTANCE]);
    for (uint32_t i = WRAPS; i + 1 < TSM_RANDOM_WORDS; i++)
        w[i] = twisted(w[i], w[i + 1], w[i - WRAPS]);
    w[TSM_RANDOM_WORDS - 1] = twisted(w[TSM_RANDOM_WORDS - 1], w[0], w[TWIST_DISTANCE - 1]);
    r->next = 0;
}

void tsm_random_words(tsm_random *r, uint32_t *restrict to, tsm_dim n) {
    for (tsm_dim done = 0, m; done < n; done += m) {
        if (r->next == TSM_RANDOM_WORDS)
            tsm_random_twist(r);
        const uint32_t *restrict words = r->words + r->next;
        m = tsm_dim_min(n - done, (tsm_dim)(TSM_RANDOM_WORDS - r->next));
        for (tsm_dim i = 0; i < m; i++)
            to[done + i] = tempered(words[i]);
        r->next += (uint32_t)m;
    }
}

double tsm_random_normal(tsm_random *r) {
    if (r->has_next_normal) {
        r->has_next_normal = false;
        return r->next_normal;
    }
    double angle = 6.283185307179586477 * random_double(r);
    double radius = sqrt(-2 * log1p(-random_double(r)));
    r->next_normal = radius * sin(angle);
    r->has_next_normal = true;
    return radius * cos(angle);
}

/* ---- Tensors ---- */

void tsm_random_fill(tsm_random *r, tsm_tensor *t, tsm_lane lane, random_draw draw, const void *how) {
    tsm_lane_item items[FILL_BLOCK];
    tsm_iter it;
    tsm_iter_start(&it, t->dims, t->sizes);
    tsm_iter_add(&it, t);
    tsm_iter_ready(&it);
    while (tsm_iter_next(&it)) {
        char *to = it.data[0];
        for (tsm_dim done = 0, n; done < it.sizes[0]; done += n, to += n * it.strides[0][0]) {
            n = it.sizes[0] - done < FILL_BLOCK ? it.sizes[0] - done : FILL_BLOCK;
            draw(r, how, items, n);
            tsm_lane_store((tsm_dtype)t->dtype, to, it.strides[0][0], lane, items, n);
        }
    }
}

static tsm_status random_check_dtype(tsm_exec *x, int64_t dtype) {
    if (!tsm_dtype_exists(dtype) || tsm_dtype_is_quantized(kernel_dtype(dtype)))
        return TSM_RAISE(x, "cannot make a tensor of dtype %ld", dtype);
    return TSM_OK;
}

tsm_status tsm_random_make(tsm_exec *x, const tsm_value *const *in, int size, int64_t dtype, tsm_tensor **out) {
    tsm_dim sizes[TSM_MAX_DIMS];
    int dims = tsm_arg_ints(x, in, size, sizes, TSM_MAX_DIMS);
    if (dims < 0)
        return TSM_RAISED;
    for (int d = 0; d < dims; d++)
        if (sizes[d] < 0) {
            char text[128];
            tsm_shape_text(text, sizeof text, dims, sizes);
            return TSM_RAISE(x, "Trying to create tensor with negative dimension %zd: %s", sizes[d], text);
        }
    TSM_TRY(random_check_dtype(x, dtype));
    return tsm_tensor_make(x, kernel_dtype(dtype), dims, sizes, out);
}

tsm_status tsm_random_make_like(tsm_exec *x, const tsm_value *const *in, int64_t dtype, tsm_tensor **out) {
    TSM_TRY(random_check_dtype(x, dtype));
    return tsm_tensor_make_like(x, arg_tensor(in, 0), kernel_dtype(dtype), out);
}

tsm_status tsm_random_ret(tsm_exec *x, tsm_status filled, tsm_tensor *t, tsm_value *out) {
    if (filled != TSM_OK) {
        tsm_tensor_drop(x, t);
        return filled;
    }
    return ret_tensor(out, t);
}

tsm_status tsm_random_ret_self(const tsm_value *const *in, tsm_value *out) {
    *out = tsm_hold(*in[0]);
    return TSM_OK;
}

/* tsm::conv_transpose: float32 transposed convolutions over packed weights, channels-last in and out, finished in
 * registers.
 *
 * Outputs whose places have one remainder by the stride take the same taps, and neighbours among them read neighbours
 * of the input: a convolution of stride 1 over these taps, which lie together in the packed weight (pack.h). So each
 * line of the output is as many rows of matrix products as the stride of lines says, and each row of a product goes to
 * its own place. With strides of 1 it is a convolution.
 *
 * Scratch: 4 * (channels of a group) bytes of zeros, and for each task sizeof(void *) * gemm_strip() for each tap of a
 * remainder. */
#include "runtime/kernels/linalg/gemm.h"
#include "runtime/kernels/nn/conv_packed.h"
#include "runtime/kernels/shape/shape.h"

enum {
    PHASE_BLOCK = LOOPS_SCRATCH_LIMIT, /* bytes of the weight that stay in the second cache while all lines pass */
    PHASE_WORK = 1 << 17,              /* multiply-adds that make a task worth its start */
};

typedef struct {
    const conv_geometry *g;
    const tsm_f32_loops *f32;
    const float *image, *weight, *zeros;
    ptrdiff_t batch_step, step[3]; /* of the image, in floats */
    float *out;
    const tsm_finish *finish;
    size_t depth, columns; /* of a group */
    size_t most_taps;      /* of an output */
} transposed_conv;

/* The taps of a dimension that an output takes, and the input under the first of them (the last in the kernel). */
typedef struct {
    tsm_phase taps;
    tsm_dim at, step;
} phase_line;

static phase_line phase_at(const conv_geometry *g, int d, tsm_dim output) {
    const tsm_dim place = output + g->padding[d], stride = g->stride[d];
    phase_line p = {
        .taps = tsm_phase_of((size_t)g->kernel[d], (size_t)stride, (size_t)g->dilation[d], (size_t)(place % stride))};
    if (!p.taps.count)
        return p;
    p.step = p.taps.count > 1 ? (tsm_dim)p.taps.step * g->dilation[d] / stride : 0;
    p.at = (place - (tsm_dim)p.taps.first * g->dilation[d]) / stride - (tsm_dim)(p.taps.count - 1) * p.step;
    return p;
}

/* Of a weight: a group's columns [first, first + columns). */
typedef struct {
    size_t group, first, columns;
} phase_columns;

/* Pointers of `pixels` neighbours to the inputs under each tap of a kernel's row. */
static void point_at_phase(const transposed_conv *c, const float *row, const phase_line *x, tsm_dim first,
                           size_t pixels, const float **to) {
    const tsm_dim width = c->g->in[2];
    for (size_t t = 0; t < x->taps.count; t++, to += pixels, first += x->step)
        for (size_t i = 0; i < pixels; i++) {
            const tsm_dim at = first + (tsm_dim)i;
            to[i] = row && at >= 0 && at < width ? row + at * c->step[2] : c->zeros;
        }
}

/* The taps that have pointers: `skipped` before them lie in the padding for all pixels, and so do those behind them. */
typedef struct {
    size_t skipped, taps;
} phase_taps;

static phase_taps point_at_phases(const transposed_conv *c, const float *image, const phase_line by[3], tsm_dim first,
                                  size_t pixels, const float **pointers) {
    const conv_geometry *g = c->g;
    phase_taps made = {0, 0};
    size_t passed = 0;
    for (size_t kz = 0; kz < by[0].taps.count; kz++)
        for (size_t ky = 0; ky < by[1].taps.count; ky++) {
            const tsm_dim z = by[0].at + (tsm_dim)kz * by[0].step, y = by[1].at + (tsm_dim)ky * by[1].step;
            const bool inside = z >= 0 && z < g->in[0] && y >= 0 && y < g->in[1];
            if (!inside && !made.taps) {
                made.skipped += by[2].taps.count;
                continue;
            }
            point_at_phase(c, inside ? image + z * c->step[0] + y * c->step[1] : NULL, &by[2], first, pixels,
                           pointers + passed * pixels);
            passed += by[2].taps.count;
            if (inside)
                made.taps = passed;
        }
    return made;
}

/* Of line `line` of all outputs those that begin at column x, a stride apart. */
static void transpose_line(const transposed_conv *c, size_t line, tsm_dim x, const phase_columns *p,
                           const float **pointers) {
    const conv_geometry *g = c->g;
    const size_t lines = (size_t)g->out[1], planes = (size_t)g->out[0], outputs = (size_t)g->outputs;
    const size_t plane = line / lines, strip = gemm_strip(c->f32);
    const phase_line by[] = {phase_at(g, 0, (tsm_dim)(plane % planes)), phase_at(g, 1, (tsm_dim)(line % lines)),
                             phase_at(g, 2, x)};
    const size_t kernel = (size_t)conv_taps(g), row = by[0].taps.count * by[1].taps.count,
                 before = by[0].taps.before * (size_t)(g->kernel[1] * g->kernel[2]) +
                          by[0].taps.count * by[1].taps.before * (size_t)g->kernel[2] + row * by[2].taps.before;
    const size_t column = p->group * c->columns + p->first;
    const float *image = c->image + (ptrdiff_t)(plane / planes) * c->batch_step + p->group * c->depth;
    const float *weight = c->weight + p->group * tsm_pack_floats(c->columns, kernel * c->depth) +
                          (p->first * kernel + before * TSM_PANEL) * c->depth;
    const tsm_finish finish = tsm_gemm_finish_at(c->finish, 0, (ptrdiff_t)column);
    const size_t all = (size_t)tsm_dim_ceil_div(g->out[2] - x, g->stride[2]);
    for (size_t i = 0, pixels; i < all; i += pixels) {
        pixels = all - i < strip ? all - i : strip;
        const phase_taps t = point_at_phases(c, image, by, by[2].at + (tsm_dim)i, pixels, pointers);
        const tsm_gemm_block b = {
            .rows = pixels,
            .columns = p->columns,
            .taps = t.taps,
            .depth = c->depth,
            .a = pointers,
            .a_step = pixels,
            .b = weight + (t.taps ? t.skipped * c->depth * TSM_PANEL : 0),
            .b_stride = TSM_PANEL,
            .b_panel = kernel * c->depth * TSM_PANEL,
            .c = c->out + (line * (size_t)g->out[2] + (size_t)x + i * (size_t)g->stride[2]) * outputs + column,
            .c_stride = (ptrdiff_t)(outputs * (size_t)g->stride[2]),
            .finish = &finish,
        };
        TSM_F32(c->f32, gemm, &b);
    }
}

/* Columns that a pass over the lines takes at once: whole pairs of panels. */
static size_t phase_columns_at_once(const transposed_conv *c) {
    const size_t pair = 2 * TSM_PANEL, bytes = pair * c->most_taps * c->depth * sizeof(float);
    return bytes ? tsm_dim_max(1, (tsm_dim)(PHASE_BLOCK / bytes)) * pair : pair;
}

/* Lines of one remainder follow each other, so that they find their taps in the cache. */
static void transpose_range(void *argument, void *scratch, size_t begin, size_t end) {
    const transposed_conv *c = argument;
    const size_t stride = (size_t)c->g->stride[1], starts = begin + stride < end ? begin + stride : end;
    const tsm_dim columns = tsm_dim_min(c->g->stride[2], c->g->out[2]);
    const size_t block = phase_columns_at_once(c);
    for (size_t group = 0; group < (size_t)c->g->groups; group++)
        for (size_t first = 0; first < c->columns; first += block) {
            const phase_columns p = {group, first, c->columns - first < block ? c->columns - first : block};
            for (size_t start = begin; start < starts; start++)
                for (tsm_dim x = 0; x < columns; x++)
                    for (size_t line = start; line < end; line += stride)
                        transpose_line(c, line, x, &p, scratch);
        }
}

/* With strides of 1, and where few outputs lie at the sides: the same as a convolution. */
static bool is_convolution(const conv_geometry *g, conv_geometry *same) {
    *same = *g;
    for (int d = 0; d < 3; d++) {
        same->padding[d] = (g->kernel[d] - 1) * g->dilation[d] - g->padding[d];
        if (g->stride[d] != 1 || same->padding[d] < 0 || g->out[d] >= 2 * g->in[d])
            return false;
    }
    return true;
}

static tsm_status transpose_image(tsm_exec *x, const conv_geometry *g, tsm_tensor *image, const float *weight,
                                  const tsm_finish *finish, tsm_tensor *y) {
    const int missing = 5 - image->dims; /* spatial dimensions */
    transposed_conv c = {.g = g, .f32 = loops_f32(x), .image = image->data, .weight = weight, .out = y->data};
    c.finish = finish;
    c.depth = (size_t)(g->channels / g->groups);
    c.columns = (size_t)(g->outputs / g->groups);
    c.batch_step = image->strides[0];
    c.most_taps = 1;
    for (int d = 0; d < 3; d++) {
        c.step[d] = d < missing ? 0 : image->strides[2 + d - missing];
        c.most_taps *= tsm_phase_of((size_t)g->kernel[d], (size_t)g->stride[d], (size_t)g->dilation[d], 0).count;
    }
    float *zeros = tsm_scratch(x, c.depth * sizeof *zeros);
    if (!zeros)
        return TSM_OUT_OF_MEMORY;
    memset(zeros, 0, c.depth * sizeof *zeros);
    c.zeros = zeros;
    const size_t lines = (size_t)(g->batch * g->out[0] * g->out[1]),
                 work = c.most_taps * c.depth * (size_t)(g->outputs * g->out[2]) + 1;
    const tsm_status status = tsm_loops_parallel(x, lines, PHASE_WORK / work + 1,
                                                 c.most_taps * gemm_strip(c.f32) * TSM_WORD_BYTES, transpose_range, &c);
    tsm_scratch_free(x, zeros);
    return status;
}

static tsm_status check_transposed(tsm_exec *x, const tsm_tensor *w, const conv_form *f) {
    const tsm_dim of_group = f->groups > 0 ? f->outputs / f->groups : 0;
    if (w->dtype != TSM_FLOAT32 || !tsm_tensor_is_contiguous(w) || w->sizes[w->dims - 1] != TSM_PANEL ||
        f->outputs < 1 || f->groups < 1 || f->outputs % f->groups || !w->elements ||
        w->sizes[0] != tsm_dim_mul(f->groups, (tsm_dim)tsm_pack_panels((size_t)of_group)))
        return tsm_fail(x, TSM_BAD_FILE, "%s: the weight is not packed for these outputs", x->op->name);
    return TSM_OK;
}

/* `a` has a batch. */
static tsm_status transpose_batch(tsm_exec *x, tsm_tensor *a, const float *weight, const conv_form *form,
                                  const tsm_dim extra[3], const fused_finish *f, tsm_value *out) {
    const int n = form->spatial;
    conv_geometry g, same;
    memset(&g, 0, sizeof g);
    g.groups = form->groups;
    g.batch = a->sizes[0];
    g.channels = a->sizes[1];
    g.outputs = form->outputs;
    if (g.channels != tsm_dim_mul(form->depth, g.groups))
        return TSM_RAISE(x,
                         "Given transposed=1, weight of size [%zd, ...], expected input to have %zd channels, but got "
                         "%zd channels instead",
                         (ptrdiff_t)tsm_dim_mul(form->depth, g.groups), (ptrdiff_t)tsm_dim_mul(form->depth, g.groups),
                         (ptrdiff_t)g.channels);
    TSM_TRY(tsm_conv_transpose_sizes(x, a, form, extra, &g));
    if (a->dtype != TSM_FLOAT32)
        return TSM_RAISE(x, "Input type (%s) and weight type (%s) should be the same",
                         tsm_dtype_name((tsm_dtype)a->dtype), tsm_dtype_name(TSM_FLOAT32));
    if (is_convolution(&g, &same))
        return tsm_conv_packed(x, &same, n, a, weight, f, out);
    tsm_dim sizes[5] = {g.batch, g.outputs}, strides[5];
    tsm_tensor *image = NULL, *y = NULL;
    for (int d = 0; d < n; d++)
        sizes[2 + d] = g.out[3 - n + d];
    tsm_strides_channels_last(n + 2, sizes, strides);
    const bool done = !f->residual;
    tsm_finish finish = f->finish;
    if (!done)
        finish.activation = TSM_ACT_NONE;
    if (a->sizes[1] == 1 || a->strides[1] == 1)
        tsm_hold(tsm_of_tensor(image = a));
    else
        TSM_TRY(tsm_nn_channels_last(x, a, &image));
    tsm_status status = tsm_tensor_make_strided(x, TSM_FLOAT32, n + 2, sizes, strides, &y);
    if (status == TSM_OK && y->elements)
        status = transpose_image(x, &g, image, weight, &finish, y);
    tsm_tensor_drop(x, image);
    return tsm_fused_deliver(x, status, f, done, y, out);
}

TSM_KERNEL(tsm_conv_transpose) {
    const tsm_tensor *w = arg_tensor(in, 1);
    tsm_tensor *a = arg_tensor(in, 0);
    const int n = w->dims - 3;
    conv_form form;
    fused_finish f;
    tsm_dim extra[3];
    if (n < 1 || n > 3)
        return tsm_fail(x, TSM_BAD_FILE, "%s: the weight is not packed", x->op->name);
    memset(&form, 0, sizeof form);
    form.spatial = n;
    TSM_TRY(tsm_nn_ints(x, in, 5, "stride", n, NULL, form.stride));
    TSM_TRY(tsm_nn_ints(x, in, 6, "padding", n, NULL, form.padding));
    TSM_TRY(tsm_nn_ints(x, in, 7, "output_padding", n, NULL, extra));
    TSM_TRY(tsm_nn_ints(x, in, 9, "dilation", n, NULL, form.dilation));
    form.outputs = arg_dim(in, 4);
    form.groups = arg_dim(in, 8);
    form.kernel = w->sizes + 1;
    form.depth = w->sizes[n + 1];
    TSM_TRY(check_transposed(x, w, &form));
    TSM_TRY(tsm_fused_read(x, in, 2, 10, form.outputs, &f));
    if (a->dims != n + 1 && a->dims != n + 2)
        return TSM_RAISE(x,
                         "Expected %dD (unbatched) or %dD (batched) input to conv_transpose%dd, but got input of "
                         "another number of dimensions (%d)",
                         n + 1, n + 2, n, a->dims);
    if (a->dims == n + 2)
        return transpose_batch(x, a, w->data, &form, extra, &f, out);
    tsm_value batched, result, arguments[2] = {tsm_of_tensor(a), tsm_int(0)};
    TSM_TRY(tsm_kernel_call(x, tsm_k_aten_unsqueeze, 2, arguments, &batched));
    const tsm_status status = transpose_batch(x, tsm_as_tensor(batched), w->data, &form, extra, &f, &result);
    tsm_drop(x, batched);
    TSM_TRY(status);
    arguments[0] = result;
    const tsm_status squeezed = tsm_kernel_call(x, tsm_k_aten_squeeze_dim, 2, arguments, out);
    tsm_drop(x, result);
    return squeezed;
}

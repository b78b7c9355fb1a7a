/* Convolutions of quantized images: sums of int8 products, channels-last in and out, requantized in registers.
 *
 * As in conv_packed.c the inner loop takes a pointer for each output pixel and kernel position, and what lies in the
 * padding points to a row of zero points. Where the channels of a group are not a multiple of four (the first layer of
 * most models), the numbers under the kernel are gathered first, so that four neighbouring k always lie together.
 *
 * Depthwise convolutions go line by line over the positions of the padded line, each of which is a column of pointers.
 */
#include "runtime/kernels/nn/conv.h"
#include "runtime/kernels/quantized/quantized_layer.h"

enum {
    QCONV_WEIGHT_BLOCK =
        LOOPS_SCRATCH_LIMIT,   /* bytes of the weight that stay in the second cache while all pixels pass */
    QCONV_TASK_WORK = 1 << 19, /* multiply-adds that make a task worth its start */
};

typedef struct {
    const conv_geometry *g;
    const tsm_q8_loops *q8;
    const uint8_t *image, *zeros;
    ptrdiff_t batch_step, step[3]; /* of the image, in bytes; step[2] from a pixel to the next */
    const quantized_weight *weight;
    size_t taps, depth;    /* kernel positions; channels of a group */
    size_t groups_of_four; /* of a row of A, all taps */
    bool gathers;
    bool is_even; /* output pixel i reads input pixel i only, over all lines and images */
    uint8_t *out;
    const tsm_q8_finish *finish;
} quantized_conv;

/* Where the kernel of an output pixel begins; may lie in the padding. */
typedef struct {
    const uint8_t *image;
    tsm_dim z, y, x;
} qconv_corner;

static qconv_corner qconv_corner_of(const quantized_conv *c, size_t pixel) {
    const conv_geometry *g = c->g;
    tsm_dim p = (tsm_dim)pixel, ox = p % g->out[2], oy = p / g->out[2] % g->out[1], lines = p / g->out[2] / g->out[1];
    qconv_corner at;
    at.x = ox * g->stride[2] - g->padding[2];
    at.y = oy * g->stride[1] - g->padding[1];
    at.z = lines % g->out[0] * g->stride[0] - g->padding[0];
    at.image = c->image + lines / g->out[0] * c->batch_step;
    return at;
}

static bool qconv_is_inside(tsm_dim at, tsm_dim size) {
    return at >= 0 && at < size;
}

/* The image's line under kernel row (kz, ky); NULL in the padding. */
static const uint8_t *image_line(const quantized_conv *c, const qconv_corner *at, tsm_dim kz, tsm_dim ky) {
    const conv_geometry *g = c->g;
    tsm_dim z = at->z + kz * g->dilation[0], y = at->y + ky * g->dilation[1];
    return qconv_is_inside(z, g->in[0]) && qconv_is_inside(y, g->in[1]) ? at->image + z * c->step[0] + y * c->step[1]
                                                                        : NULL;
}

/* ---- Products ---- */

/* Pointers of one pixel to the kernel positions, `stride` pointers apart. */
static void qconv_point_at_taps(const quantized_conv *c, size_t pixel, const uint8_t **to, size_t stride) {
    const conv_geometry *g = c->g;
    qconv_corner at = qconv_corner_of(c, pixel);
    for (tsm_dim kz = 0; kz < g->kernel[0]; kz++)
        for (tsm_dim ky = 0; ky < g->kernel[1]; ky++) {
            const uint8_t *line = image_line(c, &at, kz, ky);
            for (tsm_dim kx = 0; kx < g->kernel[2]; kx++, to += stride) {
                tsm_dim x = at.x + kx * g->dilation[2];
                *to = line && qconv_is_inside(x, g->in[2]) ? line + x * c->step[2] : c->zeros;
            }
        }
}

/* Copies few bytes, mostly without a call of memcpy. */
static inline void copy_run(uint8_t *to, const uint8_t *from, size_t n) {
    if (n >= 8 && n <= 16) {
        memcpy(to, from, 8);
        memcpy(to + n - 8, from + n - 8, 8);
    } else {
        memcpy(to, from, n);
    }
}

/* A kernel row of one pixel, `first` being the channel where the group begins; NULL is a line of the padding. */
static uint8_t *gather_row(const quantized_conv *c, const uint8_t *line, tsm_dim x, size_t first, uint8_t *to) {
    const conv_geometry *g = c->g;
    for (tsm_dim kx = 0; kx < g->kernel[2]; kx++, x += g->dilation[2], to += c->depth)
        memcpy(to, line && qconv_is_inside(x, g->in[2]) ? line + x * c->step[2] + first : c->zeros, c->depth);
    return to;
}

/* The numbers under the kernel of one pixel, for the group that begins at channel `first`. */
static void qconv_gather(const quantized_conv *c, size_t pixel, size_t first, uint8_t *to) {
    const conv_geometry *g = c->g;
    qconv_corner at = qconv_corner_of(c, pixel);
    size_t run = c->depth * (size_t)g->kernel[2];
    bool runs = g->dilation[2] == 1 && c->step[2] == (ptrdiff_t)c->depth && qconv_is_inside(at.x, g->in[2]) &&
                qconv_is_inside(at.x + g->kernel[2] - 1, g->in[2]);
    for (tsm_dim kz = 0; kz < g->kernel[0]; kz++)
        for (tsm_dim ky = 0; ky < g->kernel[1]; ky++) {
            const uint8_t *line = image_line(c, &at, kz, ky);
            if (!line || !runs) {
                to = gather_row(c, line, at.x, first, to);
                continue;
            }
            copy_run(to, line + at.x * c->step[2], run);
            to += run;
        }
}

/* A tile of pixels; pointers are those of group 0. */
typedef struct {
    size_t pixel, rows, taps, groups;
    const uint8_t **a;
    uint8_t *gathered; /* rows of groups * 4 bytes */
} qconv_pixel_tile;

static void qconv_point_tile(const quantized_conv *c, qconv_pixel_tile *t) {
    t->taps = c->gathers ? 1 : c->taps;
    t->groups = c->groups_of_four / t->taps;
    for (size_t r = 0; r < t->rows; r++)
        if (c->gathers)
            t->a[r] = t->gathered + r * c->groups_of_four * TSM_Q8_GROUP;
        else if (c->is_even)
            t->a[r] = c->image + (ptrdiff_t)(t->pixel + r) * c->step[2];
        else
            qconv_point_at_taps(c, t->pixel + r, t->a + r, t->rows);
}

/* Columns of a run of panels, those of group `group`, from a whole panel on. */
static void qconv_multiply_tile(const quantized_conv *c, const qconv_pixel_tile *t, size_t group, size_t column,
                                size_t columns) {
    const size_t of_group = (size_t)c->g->outputs / (size_t)c->g->groups, panel = column / TSM_Q8_PANEL,
                 panels = (of_group + TSM_Q8_PANEL - 1) / TSM_Q8_PANEL;
    tsm_q8_finish finish = quantized_finish_at(c->finish, (group * panels + panel) * TSM_Q8_PANEL);
    tsm_q8_gemm_block g = {
        .rows = t->rows,
        .columns = columns,
        .taps = t->taps,
        .groups = t->groups,
        .a = t->a,
        .a_step = t->rows,
        .b = c->weight->packed + group * c->weight->run_bytes + panel * c->weight->panel_bytes,
        .b_panel = c->weight->panel_bytes,
        .b_last = column + columns == of_group ? c->weight->last_block : (size_t)TSM_Q8_BLOCK,
        .c = c->out + t->pixel * (size_t)c->g->outputs + group * of_group + column,
        .c_stride = (ptrdiff_t)c->g->outputs,
        .finish = &finish,
    };
    c->q8->gemm(&g);
}

static void qconv_multiply_groups(const quantized_conv *c, qconv_pixel_tile *t) {
    size_t groups = (size_t)c->g->groups;
    for (size_t i = 0; i < groups; i++) {
        if (c->gathers)
            for (size_t r = 0; r < t->rows; r++)
                qconv_gather(c, t->pixel + r, i * c->depth, t->gathered + r * c->groups_of_four * TSM_Q8_GROUP);
        qconv_multiply_tile(c, t, i, 0, (size_t)c->g->outputs / groups);
        for (size_t p = 0; p < t->taps * t->rows && !c->gathers; p++)
            if (t->a[p] != c->zeros)
                t->a[p] += c->depth;
    }
}

/* Panels that a pass over the pixels takes at once: pairs of them. */
static size_t panels_at_once(const quantized_conv *c) {
    size_t pairs = QCONV_WEIGHT_BLOCK / (2 * c->weight->panel_bytes + 1);
    return 2 * (pairs ? pairs : 1);
}

static void qconv_multiply_range(void *argument, void *scratch, size_t begin, size_t end) {
    const quantized_conv *c = argument;
    size_t outputs = (size_t)c->g->outputs, block = c->g->groups > 1 ? outputs : panels_at_once(c) * TSM_Q8_PANEL;
    const loops_cut cut = loops_cut_of(end - begin, c->q8->gemm_rows);
    for (size_t first = 0; first < outputs; first += block)
        for (size_t i = 0; i < cut.tiles; i++) {
            size_t at;
            qconv_pixel_tile t = {.a = scratch};
            t.rows = loops_cut_rows(&cut, i, &at);
            t.pixel = begin + at;
            t.gathered = (uint8_t *)(t.a + (c->gathers ? 1 : c->taps) * c->q8->gemm_rows);
            qconv_point_tile(c, &t);
            if (c->g->groups > 1) {
                qconv_multiply_groups(c, &t);
                continue;
            }
            for (size_t r = 0; r < t.rows && c->gathers; r++)
                qconv_gather(c, t.pixel + r, 0, t.gathered + r * c->groups_of_four * TSM_Q8_GROUP);
            qconv_multiply_tile(c, &t, 0, first, outputs - first < block ? outputs - first : block);
        }
}

/* Bytes of a task's pointers and gathered rows. */
static size_t tile_bytes(const quantized_conv *c) {
    size_t rows = c->q8->gemm_rows;
    return c->gathers ? rows * (TSM_WORD_BYTES + c->groups_of_four * TSM_Q8_GROUP) : rows * c->taps * TSM_WORD_BYTES;
}

static tsm_status qconv_run_products(tsm_exec *x, quantized_conv *c) {
    const conv_geometry *g = c->g;
    size_t pixels = (size_t)(g->batch * g->out[0] * g->out[1] * g->out[2]), tile = c->q8->gemm_rows;
    size_t work = c->taps * c->depth * (size_t)g->outputs + 1, grain = (QCONV_TASK_WORK / work + tile) / tile * tile;
    return tsm_loops_parallel(x, pixels, grain, tile_bytes(c), qconv_multiply_range, c);
}

/* ---- Depthwise ---- */

/* Columns that a line of output pixels sees. */
static size_t line_columns(const conv_geometry *g) {
    return (size_t)((g->out[2] - 1) * g->stride[2] + (g->kernel[2] - 1) * g->dilation[2] + 1);
}

static void qconv_depthwise_line(const quantized_conv *c, size_t line, const uint8_t **columns) {
    const conv_geometry *g = c->g;
    size_t rows = (size_t)(g->kernel[0] * g->kernel[1]), count = line_columns(g), pixel = line * (size_t)g->out[2];
    qconv_corner at = qconv_corner_of(c, pixel);
    for (size_t r = 0; r < rows; r++) {
        const uint8_t *row = image_line(c, &at, (tsm_dim)r / g->kernel[1], (tsm_dim)r % g->kernel[1]);
        for (size_t i = 0; i < count; i++) {
            tsm_dim x = at.x + (tsm_dim)i;
            columns[i * rows + r] = row && qconv_is_inside(x, g->in[2]) ? row + x * c->step[2] : c->zeros;
        }
    }
    tsm_q8_depthwise_run run = {
        .pixels = (size_t)g->out[2],
        .channels = (size_t)g->channels,
        .rows = rows,
        .width = (size_t)g->kernel[2],
        .columns = columns,
        .step = (size_t)g->stride[2],
        .column_step = (size_t)g->dilation[2],
        .w = c->weight->packed,
        .w_panel = c->weight->panel_bytes,
        .out = c->out + pixel * (size_t)g->channels,
        .out_stride = (ptrdiff_t)g->channels,
        .finish = c->finish,
    };
    c->q8->depthwise(&run);
}

static void qconv_depthwise_range(void *argument, void *scratch, size_t begin, size_t end) {
    for (size_t line = begin; line < end; line++)
        qconv_depthwise_line(argument, line, scratch);
}

static tsm_status qconv_run_depthwise(tsm_exec *x, quantized_conv *c) {
    const conv_geometry *g = c->g;
    size_t lines = (size_t)(g->batch * g->out[0] * g->out[1]), work = c->taps * (size_t)(g->outputs * g->out[2]) + 1;
    size_t bytes = line_columns(g) * (size_t)(g->kernel[0] * g->kernel[1]) * TSM_WORD_BYTES;
    return tsm_loops_parallel(x, lines, QCONV_TASK_WORK / work + 1, bytes, qconv_depthwise_range, c);
}

/* ---- The operator ---- */

/* The strides of an image whose channels lie together; false when they do not. */
static bool qconv_find_steps(const tsm_tensor *a, quantized_conv *c) {
    int first = 5 - a->dims;
    if (a->sizes[1] != 1 && a->strides[1] != 1)
        return false;
    c->image = a->data;
    c->batch_step = a->strides[0];
    for (int d = 0; d < 3; d++)
        c->step[d] = d < first ? 0 : a->strides[2 + d - first];
    return true;
}

static bool qconv_is_even(const quantized_conv *c) {
    const conv_geometry *g = c->g;
    ptrdiff_t step = c->step[2];
    for (int d = 2; d >= 0; d--) {
        if (g->kernel[d] != 1 || g->stride[d] != 1 || g->padding[d] != 0 || (g->in[d] > 1 && c->step[d] != step))
            return false;
        step *= g->in[d];
    }
    return g->batch == 1 || c->batch_step == step;
}

static tsm_status open_image(tsm_exec *x, tsm_tensor *a, quantized_input *input, quantized_conv *c) {
    TSM_TRY(tsm_quantized_open(x, a, "quantized::conv", input));
    if (qconv_find_steps(input->tensor, c))
        return TSM_OK;
    TSM_TRY(tsm_quantized_interleave(x, input));
    qconv_find_steps(input->tensor, c);
    return TSM_OK;
}

static tsm_status qconv_make_result(tsm_exec *x, const conv_geometry *g, int spatial, tsm_tensor **y) {
    tsm_dim sizes[5] = {g->batch, g->outputs}, strides[5];
    for (int d = 0; d < spatial; d++)
        sizes[2 + d] = g->out[3 - spatial + d];
    tsm_strides_channels_last(spatial + 2, sizes, strides);
    return tsm_tensor_make_strided(x, TSM_UINT8, spatial + 2, sizes, strides, y);
}

/* A row of zero points stands for the padding. */
static tsm_status qconv_run(tsm_exec *x, quantized_conv *c, bool depthwise, int32_t zero_point) {
    size_t bytes = (size_t)c->g->channels + TSM_Q8_PANEL;
    uint8_t *zeros = tsm_scratch(x, bytes);
    if (!zeros)
        return TSM_OUT_OF_MEMORY;
    memset(zeros, zero_point, bytes);
    c->zeros = zeros;
    tsm_status status = depthwise ? qconv_run_depthwise(x, c) : qconv_run_products(x, c);
    tsm_scratch_free(x, zeros);
    return status;
}

static tsm_status qconv_convolve(tsm_exec *x, tsm_tensor *a, const conv_form *form, const quantized_weight_form *wf,
                                 const quantized_weight *w, const quantized_result *r, tsm_value *out) {
    conv_geometry g;
    TSM_TRY(tsm_conv_read_geometry(x, a, form, &g));
    quantized_conv c = {.g = &g, .q8 = loops_q8(x), .weight = w, .depth = wf->depth, .taps = wf->rows * wf->width};
    quantized_input input;
    quantized_finish finish = {.memory = NULL};
    tsm_tensor *y = NULL;
    int32_t zero_point;
    bool depthwise = quantized_is_depthwise(wf);
    c.groups_of_four = quantized_blocks(wf);
    c.gathers = wf->depth % TSM_Q8_GROUP != 0;
    TSM_TRY(tsm_quantized_result_zero(x, (tsm_dtype)a->dtype, r->zero_point, &zero_point));
    TSM_TRY(open_image(x, a, &input, &c));
    c.is_even = qconv_is_even(&c);
    tsm_status status = qconv_make_result(x, &g, form->spatial, &y);
    if (status == TSM_OK)
        status = tsm_quantized_finish_make(x, w, depthwise ? 1 : wf->groups, &input, r, zero_point, &finish);
    c.finish = &finish.finish;
    if (status == TSM_OK && y->elements) {
        c.out = y->data;
        status = qconv_run(x, &c, depthwise, input.zero_point);
    }
    tsm_scratch_free(x, finish.memory);
    tsm_tensor_drop(x, input.tensor);
    return tsm_quantized_close(x, status, y, (tsm_dtype)a->dtype, r->scale, r->zero_point, out);
}

static tsm_status qconv_call(tsm_exec *x, const tsm_value *const *in, bool float_bias, tsm_value *out) {
    quantized_result r = {arg_float(in, 10), arg_int(in, 11), arg_bool(in, 12), float_bias};
    tsm_dim sizes[5];
    int dims = tsm_arg_ints(x, in, 5, sizes, 5);
    quantized_weight_form wf;
    quantized_weight w;
    conv_form form;
    if (dims < 0)
        return TSM_RAISED;
    if (dims < 3 || !tsm_quantized_weight_form_of(dims, sizes, arg_int(in, 9), &wf))
        return TSM_RAISE(x, "quantized::conv(): a weight of %d dimensions in %ld groups", dims, arg_int(in, 9));
    TSM_TRY(tsm_conv_read_form(x, in, 6, dims - 2, arg_int(in, 9), &form));
    form.outputs = sizes[0];
    form.depth = sizes[1];
    form.kernel = sizes + 2;
    TSM_TRY(tsm_quantized_weight_read(x, in, 1, &wf, &w));
    return qconv_convolve(x, arg_tensor(in, 0), &form, &wf, &w, &r, out);
}

TSM_KERNEL(tsm_quantized_conv) {
    return qconv_call(x, in, false, out);
}

TSM_KERNEL(tsm_quantized_conv_float_bias) {
    return qconv_call(x, in, true, out);
}

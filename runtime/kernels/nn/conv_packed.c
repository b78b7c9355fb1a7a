/* tsm::convolution: float32 convolutions over packed weights, channels-last in and out, finished in registers;
 * tsm::narrow_convolution: over narrow weights; tsm::half_convolution: where image and result are of the weight's
 * dtype, too.
 *
 * An output pixel is a row of a matrix product: its inputs under the kernel, in the order of the packed weight's k,
 * times the weight. Nothing is gathered: the inner loop takes a pointer for each pixel and kernel position, and a
 * position in the padding points to zeros. Where all pixels of a tile have the kernel's rows inside the image, a kernel
 * row is one run of kernel width * channels numbers, and needs one pointer only.
 *
 * Images of few channels and short lines are copied with their padding at the sides, so that all rows are such runs.
 *
 * A depthwise convolution goes line by line; what lies in the padding is left out.
 *
 * Scratch: 4 * (channels of a group) * kernel width bytes of zeros, and for each task sizeof(void *) * gemm_strip() for
 * each kernel position; padded images, at most L bytes or one of 4 L; depthwise: for each task 2 * sizeof(void *) for
 * each kernel row. A narrow weight becomes floats in blocks, for each task at most L bytes more (or two panels of a
 * kernel position); of halves that of a depthwise convolution as a whole. */
#include "runtime/kernels/nn/conv_packed.h"

#include "runtime/kernels/linalg/gemm.h"
#include "runtime/kernels/nn/conv_winograd.h"
#include "runtime/kernels/nn/finish.h"
#include "runtime/kernels/nn/narrow.h"
#include "runtime/kernels/shape/shape.h"
#include "runtime/value/parts.h"

enum {
    WEIGHT_BLOCK = LOOPS_SCRATCH_LIMIT, /* bytes of the weight that stay in the second cache while all pixels pass */
};

/* An output pixel: which image, and where its kernel begins in it (may lie in the padding). */
typedef struct {
    const float *image;
    tsm_dim z, y, x;
    tsm_dim oz, oy, ox;
} corner;

static corner corner_of(const packed_conv *c, size_t pixel) {
    const conv_geometry *g = c->g;
    tsm_dim p = (tsm_dim)pixel;
    corner at;
    at.ox = p % g->out[2];
    p /= g->out[2];
    at.oy = p % g->out[1];
    p /= g->out[1];
    at.oz = p % g->out[0];
    at.image = c->image + p / g->out[0] * c->batch_step;
    at.z = at.oz * g->stride[0] - g->padding[0];
    at.y = at.oy * g->stride[1] - g->padding[1];
    at.x = at.ox * g->stride[2] - g->padding[2];
    return at;
}

/* The first pixel of the next line. */
static void next_line(const packed_conv *c, corner *at) {
    const conv_geometry *g = c->g;
    at->ox = 0;
    at->x = -g->padding[2];
    at->y += g->stride[1];
    if (++at->oy < g->out[1])
        return;
    at->oy = 0;
    at->y = -g->padding[1];
    at->z += g->stride[0];
    if (++at->oz < g->out[0])
        return;
    at->oz = 0;
    at->z = -g->padding[0];
    at->image += c->batch_step;
}

/* How many of the next `pixels` lie in the line of this one. */
static size_t pixels_in_line(const packed_conv *c, const corner *at, size_t pixels) {
    size_t left = (size_t)(c->g->out[2] - at->ox);
    return pixels < left ? pixels : left;
}

static bool is_inside(tsm_dim at, tsm_dim size) {
    return at >= 0 && at < size;
}

/* Kernel rows of `pixels` neighbours do not reach over the sides of the image. */
static bool rows_are_inside(const conv_geometry *g, const corner *at, size_t pixels) {
    return at->x >= 0 && at->x + (tsm_dim)(pixels - 1) * g->stride[2] + (g->kernel[2] - 1) * g->dilation[2] < g->in[2];
}

/* The image's row under kernel row (kz, ky); NULL in the padding. */
static const float *image_row(const packed_conv *c, const corner *at, tsm_dim kz, tsm_dim ky) {
    const conv_geometry *g = c->g;
    tsm_dim z = at->z + kz * g->dilation[0], y = at->y + ky * g->dilation[1];
    return is_inside(z, g->in[0]) && is_inside(y, g->in[1]) ? at->image + z * c->step[0] + y * c->step[1] : NULL;
}

/* Pointers of `pixels` neighbours to where kernel row `row` begins, or to zeros. */
static void point_at_run(const packed_conv *c, const float *row, tsm_dim x, size_t pixels, const float **to) {
    ptrdiff_t step = c->g->stride[2] * c->pixel_step;
    if (row)
        row += x * c->pixel_step;
    for (size_t i = 0; i < pixels; i++)
        to[i] = row ? row + (ptrdiff_t)i * step : c->zeros;
}

/* One pointer a kernel row and pixel, kernel rows `stride` pointers apart. */
static void point_at_rows(const packed_conv *c, const corner *at, size_t pixels, const float **to, size_t stride) {
    for (tsm_dim kz = 0; kz < c->g->kernel[0]; kz++)
        for (tsm_dim ky = 0; ky < c->g->kernel[1]; ky++, to += stride)
            point_at_run(c, image_row(c, at, kz, ky), at->x, pixels, to);
}

/* One pointer a kernel position and pixel. */
static void point_at_taps(const packed_conv *c, const corner *at, size_t pixels, const float **to, size_t stride) {
    const conv_geometry *g = c->g;
    for (tsm_dim kz = 0; kz < g->kernel[0]; kz++)
        for (tsm_dim ky = 0; ky < g->kernel[1]; ky++) {
            const float *row = image_row(c, at, kz, ky);
            for (tsm_dim kx = 0; kx < g->kernel[2]; kx++, to += stride) {
                const tsm_dim first = at->x + kx * g->dilation[2], last = first + (tsm_dim)(pixels - 1) * g->stride[2];
                if (!row || (first >= 0 && last < g->in[2])) {
                    point_at_run(c, row, first, pixels, to);
                    continue;
                }
                for (size_t i = 0; i < pixels; i++) {
                    tsm_dim x = first + (tsm_dim)i * g->stride[2];
                    to[i] = is_inside(x, g->in[2]) ? row + x * c->pixel_step : c->zeros;
                }
            }
        }
}

/* ---- Products ---- */

/* A tile of pixels against columns [first, first + columns) of the outputs. The pointers are those of group 0. */
typedef struct {
    size_t pixel, rows;
    const float **a;
    size_t taps, depth; /* as pointed at: merged runs or single positions */
} pixel_tile;

static bool tile_is_inside(const packed_conv *c, corner at, size_t pixels) {
    for (size_t n; pixels; pixels -= n) {
        n = pixels_in_line(c, &at, pixels);
        if (!rows_are_inside(c->g, &at, n))
            return false;
        next_line(c, &at);
    }
    return true;
}

NARROW_INLINE void point_tile(const packed_conv *c, pixel_tile *t) {
    if (c->is_even) {
        t->taps = 1;
        t->depth = c->depth;
        for (size_t r = 0; r < t->rows; r++)
            t->a[r] = c->image + (ptrdiff_t)(t->pixel + r) * c->pixel_step;
        return;
    }
    corner at = corner_of(c, t->pixel);
    bool merge = c->runs_merge && tile_is_inside(c, at, t->rows);
    size_t width = merge ? (size_t)c->g->kernel[2] : 1;
    t->taps = c->taps / width;
    t->depth = c->depth * width;
    for (size_t r = 0, n; r < t->rows; r += n) {
        n = pixels_in_line(c, &at, t->rows - r);
        if (merge)
            point_at_rows(c, &at, n, t->a + r, t->rows);
        else
            point_at_taps(c, &at, n, t->a + r, t->rows);
        next_line(c, &at);
    }
}

static void multiply_tile(const packed_conv *c, const pixel_tile *t, const float *weight, size_t first,
                          size_t columns) {
    ptrdiff_t row = (ptrdiff_t)c->g->outputs;
    size_t inputs = c->taps * c->depth;
    tsm_finish finish = tsm_gemm_finish_at(c->finish, (ptrdiff_t)t->pixel, (ptrdiff_t)first);
    tsm_gemm_block g = {
        .rows = t->rows,
        .columns = columns,
        .taps = t->taps,
        .depth = t->depth,
        .a = t->a,
        .a_step = t->rows,
        .b = weight,
        .b_stride = TSM_PANEL,
        .b_panel = inputs * TSM_PANEL,
        .c = c->out + (ptrdiff_t)t->pixel * row + (ptrdiff_t)first,
        .c_stride = row,
        .is_lone_row = c->is_lone_pixel,
        .finish = &finish,
    };
    TSM_F32(c->f32, gemm, &g);
}

/* The pointers of the next group: `depth` channels on, but zeros stay zeros. */
static void next_group(const packed_conv *c, pixel_tile *t) {
    for (size_t i = 0; i < t->taps * t->rows; i++)
        if (t->a[i] != c->zeros)
            t->a[i] += c->depth;
}

static void multiply_groups(const packed_conv *c, pixel_tile *t) {
    size_t columns = (size_t)(c->g->outputs / c->g->groups), floats = tsm_pack_floats(columns, c->taps * c->depth);
    for (size_t i = 0; i < (size_t)c->g->groups; i++) {
        multiply_tile(c, t, c->weight + i * floats, i * columns, columns);
        next_group(c, t);
    }
}

/* Columns that a pass over the pixels takes at once: whole pairs of panels. */
static size_t columns_at_once(const packed_conv *c) {
    size_t pair = 2 * TSM_PANEL, bytes = pair * c->taps * c->depth * sizeof(float);
    return bytes ? tsm_dim_max(1, (tsm_dim)(WEIGHT_BLOCK / bytes)) * pair : pair;
}

/* Merging a kernel row into one run pays only where there are few channels. */
static bool wants_runs(const packed_conv *c) {
    enum { SHORT_DEPTH = 16 };
    return c->runs_merge && !c->is_even && c->depth < SHORT_DEPTH;
}

/* Whether kernel rows of some pixels leave the image at its sides. */
static bool has_sides(const conv_geometry *g) {
    tsm_dim last = (g->out[2] - 1) * g->stride[2] - g->padding[2] + (g->kernel[2] - 1) * g->dilation[2];
    return g->padding[2] > 0 || last >= g->in[2];
}

/* How many pixels from `pixel` on share one set of pointers: at most a strip. With runs they are either all inside the
 * image with their kernel rows or all at its side, and those at a side are at most a tile; lines with few pixels inside
 * are taken tile by tile, and so are lines without sides that are shorter than a tile. */
NARROW_INLINE size_t strip_at(const packed_conv *c, size_t pixel, size_t end) {
    size_t most = end - pixel < gemm_strip(c->f32) ? end - pixel : gemm_strip(c->f32), tile = c->f32->gemm_rows;
    const conv_geometry *g = c->g;
    if (!wants_runs(c))
        return most;
    if (!has_sides(g))
        return most < tile || g->out[2] >= (tsm_dim)tile ? most : tile;
    corner at = corner_of(c, pixel);
    tsm_dim last = g->in[2] - 1 - (g->kernel[2] - 1) * g->dilation[2]; /* the last x that is inside */
    tsm_dim inside = last < at.x ? 0 : tsm_dim_floor_div(last - at.x, g->stride[2]) + 1,
            outside = tsm_dim_max(0, tsm_dim_ceil_div(-at.x, g->stride[2]));
    size_t in_line = pixels_in_line(c, &at, most);
    if (inside - outside < 4 * (tsm_dim)tile)
        return most < tile ? most : tile;
    size_t alike = (size_t)(outside ? tsm_dim_min(outside, (tsm_dim)tile) : inside);
    return alike < in_line ? alike : in_line;
}

/* The pointers that pixels pointed at together take: one a kernel position each, and for runs one a kernel row each. */
static size_t most_pointers(const packed_conv *c) {
    size_t strip = gemm_strip(c->f32);
    if (!wants_runs(c))
        return c->taps * strip;
    size_t runs = c->taps / (size_t)c->g->kernel[2] * strip, sides = has_sides(c->g) ? c->taps * c->f32->gemm_rows : 0;
    return runs > sides ? runs : sides;
}

static void multiply_range(void *argument, void *scratch, size_t begin, size_t end) {
    const packed_conv *c = argument;
    size_t outputs = (size_t)c->g->outputs, block = c->g->groups > 1 ? outputs : columns_at_once(c);
    for (size_t first = 0; first < outputs; first += block)
        for (size_t at = begin, pixels; at < end; at += pixels) {
            pixels = strip_at(c, at, end);
            pixel_tile t = {.a = scratch, .pixel = at, .rows = pixels};
            point_tile(c, &t);
            if (c->g->groups > 1)
                multiply_groups(c, &t);
            else
                multiply_tile(c, &t, c->weight + first * c->taps * c->depth, first,
                              outputs - first < block ? outputs - first : block);
        }
}

/* ---- Depthwise ---- */

/* Kernel rows under a line of output pixels that lie in the image; pointers are those of column 0. */
static size_t point_at_line(const packed_conv *c, const corner *at, const float **rows, size_t *w_rows) {
    const conv_geometry *g = c->g;
    size_t count = 0;
    for (tsm_dim kz = 0; kz < g->kernel[0]; kz++)
        for (tsm_dim ky = 0; ky < g->kernel[1]; ky++) {
            const float *row = image_row(c, at, kz, ky);
            if (!row)
                continue;
            rows[count] = row;
            w_rows[count++] = (size_t)((kz * g->kernel[1] + ky) * g->kernel[2]) * TSM_PANEL;
        }
    return count;
}

static void depthwise_line(const packed_conv *c, size_t line, const float **rows, size_t *w_rows) {
    const conv_geometry *g = c->g;
    size_t pixel = line * (size_t)g->out[2];
    corner at = corner_of(c, pixel);
    tsm_finish finish = tsm_gemm_finish_at(c->finish, (ptrdiff_t)pixel, 0);
    tsm_depthwise_run run = {
        .pixels = (size_t)g->out[2],
        .channels = (size_t)g->channels,
        .row_count = point_at_line(c, &at, rows, w_rows),
        .taps = (size_t)g->kernel[2],
        .rows = rows,
        .column_step = c->pixel_step,
        .begin = -g->padding[2],
        .width = g->in[2],
        .stride = g->stride[2],
        .dilation = g->dilation[2],
        .w = c->weight,
        .w_rows = w_rows,
        .w_panel = c->taps * TSM_PANEL,
        .out = c->out + pixel * (size_t)g->channels,
        .out_stride = (ptrdiff_t)g->channels,
        .finish = &finish,
    };
    TSM_F32(c->f32, depthwise, &run);
}

static void depthwise_range(void *argument, void *scratch, size_t begin, size_t end) {
    const packed_conv *c = argument;
    const float **rows = scratch;
    size_t *w_rows = (size_t *)(void *)(rows + c->g->kernel[0] * c->g->kernel[1]);
    for (size_t line = begin; line < end; line++)
        depthwise_line(c, line, rows, w_rows);
}

/* ---- Narrow weights ---- */

/* How a narrow weight becomes floats: some panels at a time, and of these whole kernel positions or a part of the
 * channels of one. */
typedef struct {
    size_t panels, positions, depth;
    float *floats;
} narrow_blocks;

/* Rows of a pair of panels, which the widest tiles take, that there is room for. */
static size_t narrow_room(const packed_conv *c) {
    return c->f32->scratch_limit / (2 * TSM_PANEL * sizeof(float));
}

static bool is_cut(const packed_conv *c) {
    return c->taps * c->depth > narrow_room(c);
}

static narrow_blocks cut_weight(const packed_conv *c) {
    const size_t room = narrow_room(c), most = tsm_pack_panels((size_t)(c->g->outputs / c->g->groups));
    narrow_blocks b = {.panels = 2, .positions = c->taps, .depth = c->depth < room ? c->depth : room};
    if (is_cut(c))
        b.positions = room / b.depth;
    else
        b.panels = 2 * (room / (c->taps * c->depth));
    b.panels = b.panels < most ? b.panels : most;
    return b;
}

static size_t narrow_floats(const narrow_blocks *b) {
    return b->panels * b->positions * b->depth * TSM_PANEL;
}

/* What a block adds to a group's columns [first, first + columns): channels [channel, + depth) of kernel positions
 * [tap, + taps). */
typedef struct {
    size_t group, first, columns, tap, taps, channel, depth;
} narrow_part;

static bool is_whole(const packed_conv *c, const narrow_part *p) {
    return p->taps == c->taps && p->depth == c->depth;
}

static void multiply_narrow_tile(const packed_conv *c, const narrow_part *p, const float *floats, pixel_tile *t) {
    const ptrdiff_t row = (ptrdiff_t)c->g->outputs;
    const size_t column = p->group * (size_t)(c->g->outputs / c->g->groups) + p->first;
    const tsm_finish finish = tsm_gemm_finish_at(c->finish, (ptrdiff_t)t->pixel, (ptrdiff_t)column);
    const bool whole = is_whole(c, p); /* then pointers may be of runs */
    const size_t taps = whole ? t->taps : p->taps, depth = whole ? t->depth : p->depth,
                 moved = p->group * c->depth + p->channel;
    for (size_t i = 0; moved && i < t->taps * t->rows; i++)
        if (t->a[i] != c->zeros)
            t->a[i] += moved;
    const tsm_gemm_block g = {
        .rows = t->rows,
        .columns = p->columns,
        .taps = taps,
        .depth = depth,
        .a = t->a + p->tap * t->rows,
        .a_step = t->rows,
        .b = floats,
        .b_stride = TSM_PANEL,
        .b_panel = taps * depth * TSM_PANEL,
        .c = c->out + (ptrdiff_t)t->pixel * row + (ptrdiff_t)column,
        .c_stride = row,
        .accumulate = p->tap + p->channel > 0,
        .more = p->tap + p->taps < c->taps || p->channel + p->depth < c->depth,
        .is_lone_row = c->is_lone_pixel,
        .finish = &finish,
    };
    TSM_F32(c->f32, gemm, &g);
}

/* All blocks of some columns, in the order of their rows, each with all pixels. */
static void multiply_narrow_columns(const packed_conv *c, const narrow_blocks *b, narrow_part p, const float **pointers,
                                    size_t begin, size_t end) {
    const size_t first = p.group * tsm_pack_panels((size_t)(c->g->outputs / c->g->groups)) + p.first / TSM_PANEL;
    for (p.tap = 0; p.tap < c->taps; p.tap += p.taps) {
        p.taps = c->taps - p.tap < b->positions ? c->taps - p.tap : b->positions;
        for (p.channel = 0; p.channel < c->depth; p.channel += p.depth) {
            p.depth = c->depth - p.channel < b->depth ? c->depth - p.channel : b->depth;
            const size_t rows = p.taps * p.depth;
            for (size_t i = 0; i < tsm_pack_panels(p.columns); i++)
                c->narrow->widen(c->f32, c->narrow, first + i, p.tap * c->depth + p.channel, rows,
                                 b->floats + i * rows * TSM_PANEL);
            for (size_t at = begin, pixels; at < end; at += pixels) {
                pixels = strip_at(c, at, end);
                pixel_tile t = {.a = pointers, .pixel = at, .rows = pixels};
                point_tile(c, &t);
                multiply_narrow_tile(c, &p, b->floats, &t);
            }
        }
    }
}

static void multiply_narrow_range(void *argument, void *scratch, size_t begin, size_t end) {
    const packed_conv *c = argument;
    narrow_blocks b = cut_weight(c);
    b.floats = scratch;
    const float **pointers = (const float **)(void *)(b.floats + narrow_floats(&b));
    const size_t of_group = (size_t)(c->g->outputs / c->g->groups), most = b.panels * TSM_PANEL;
    for (size_t group = 0; group < (size_t)c->g->groups; group++)
        for (size_t first = 0; first < of_group; first += most) {
            const size_t columns = of_group - first < most ? of_group - first : most;
            multiply_narrow_columns(c, &b, (narrow_part){.group = group, .first = first, .columns = columns}, pointers,
                                    begin, end);
        }
}

/* ---- The operator ---- */

/* Multiply-adds that make a task worth its start. */
enum { TASK_WORK = 1 << 17 };

TSM_PART tsm_status tsm_conv_depthwise(tsm_exec *x, packed_conv *c) {
    const conv_geometry *g = c->g;
    size_t lines = (size_t)(g->batch * g->out[0] * g->out[1]), work = c->taps * (size_t)(g->outputs * g->out[2]) + 1;
    size_t rows = (size_t)(g->kernel[0] * g->kernel[1]);
    return tsm_loops_parallel(x, lines, TASK_WORK / work + 1, rows * 2 * TSM_WORD_BYTES, depthwise_range, c);
}

/* `scratch_bytes`: of `range`, besides pointers. */
static tsm_status convolve_range(tsm_exec *x, packed_conv *c, loops_range range, size_t scratch_bytes) {
    const conv_geometry *g = c->g;
    size_t pixels = (size_t)(g->batch * g->out[0] * g->out[1] * g->out[2]), tile = c->f32->gemm_rows;
    size_t work = c->taps * c->depth * (size_t)g->outputs + 1, grain = (TASK_WORK / work + tile) / tile * tile;
    size_t most = c->depth * (size_t)g->kernel[2];
    float *zeros = tsm_scratch(x, most * sizeof *zeros);
    if (!zeros)
        return TSM_OUT_OF_MEMORY;
    memset(zeros, 0, most * sizeof *zeros);
    c->zeros = zeros;
    scratch_bytes += most_pointers(c) * TSM_WORD_BYTES;
    tsm_status status = tsm_loops_parallel(x, pixels, grain, scratch_bytes, range, c);
    tsm_scratch_free(x, zeros);
    return status;
}

/* ---- With padding ----
 *
 * Runs with the padding at the sides of lines: all kernel rows of a copied image are inside, so that strips go on from
 * line to line. */

enum { PADDED_IS_THERE = WINOGRAD_IS_THERE };

/* Floats of a padded line, and of an image of such lines. */
static tsm_dim padded_line(const conv_geometry *g) {
    const tsm_dim reach = (g->out[2] - 1) * g->stride[2] + (g->kernel[2] - 1) * g->dilation[2] + 1;
    return tsm_dim_mul(tsm_dim_max(reach, g->padding[2] + g->in[2]), g->channels);
}
static tsm_dim padded_image(const conv_geometry *g) {
    return tsm_dim_mul(padded_line(g), g->in[0] * g->in[1]);
}

/* Where lines are long their sides are a small part. One image may be larger than all images of a batch together are
 * copied at once. */
static bool padding_pays(const packed_conv *c) {
    enum { TILES_OF_LINE = 8, IMAGE = 4 };
    const conv_geometry *g = c->g;
    return wants_runs(c) && has_sides(g) && g->kernel[2] > 1 && c->f32->scratch_limit >= WINOGRAD_LEAST_SCRATCH &&
           g->out[2] < (tsm_dim)(TILES_OF_LINE * c->f32->gemm_rows) && padded_image(g) > 0 &&
           padded_image(g) <= (tsm_dim)(IMAGE * c->f32->scratch_limit / sizeof(float));
}

/* Images n to n + count. */
static void pad_images(const packed_conv *c, tsm_dim n, tsm_dim count, float *to) {
    const conv_geometry *g = c->g;
    const tsm_dim length = padded_line(g), before = g->padding[2] * g->channels, inside = g->in[2] * g->channels;
    for (tsm_dim line = n * g->in[0] * g->in[1]; count; line++, to += length) {
        const tsm_dim plane = line / g->in[1];
        const float *from =
            c->image + plane / g->in[0] * c->batch_step + plane % g->in[0] * c->step[0] + line % g->in[1] * c->step[1];
        memset(to, 0, (size_t)before * sizeof *to);
        memcpy(to + before, from, (size_t)inside * sizeof *to);
        memset(to + before + inside, 0, (size_t)(length - before - inside) * sizeof *to);
        count -= (line + 1) % (g->in[0] * g->in[1]) == 0;
    }
}

static tsm_status convolve_padded(tsm_exec *x, packed_conv *c) {
    const conv_geometry *g = c->g;
    const tsm_dim image = padded_image(g), fit = (tsm_dim)(c->f32->scratch_limit / sizeof(float)) / image,
                  most = tsm_dim_min(g->batch, tsm_dim_max(1, fit));
    float *images = tsm_scratch(x, (size_t)(most * image) * sizeof *images);
    if (!images)
        return TSM_OUT_OF_MEMORY;
    conv_geometry padded = *g;
    padded.in[2] = padded_line(g) / g->channels;
    padded.padding[2] = 0;
    packed_conv part = *c;
    part.g = &padded;
    part.image = images;
    part.step[1] = padded_line(g);
    part.step[0] = part.step[1] * g->in[1];
    part.batch_step = image;
    tsm_status status = TSM_OK;
    for (tsm_dim n = 0; n < g->batch && status == TSM_OK; n += padded.batch) {
        padded.batch = tsm_dim_min(most, g->batch - n);
        pad_images(c, n, padded.batch, images);
        const tsm_dim pixel = n * conv_plane(g->out);
        const tsm_finish finish = tsm_gemm_finish_at(c->finish, pixel, 0);
        part.finish = &finish;
        part.out = c->out + pixel * g->outputs;
        status = convolve_range(x, &part, multiply_range, 0);
    }
    tsm_scratch_free(x, images);
    return status;
}

static tsm_status convolve_packed(tsm_exec *x, packed_conv *c) {
    if (c->depthwise)
        return tsm_conv_depthwise(x, c);
    if (PADDED_IS_THERE && padding_pays(c))
        return convolve_padded(x, c);
    return WINOGRAD_IS_THERE && tsm_winograd_pays(c) ? tsm_winograd_run(x, c) : convolve_range(x, c, multiply_range, 0);
}

static tsm_status convolve_narrow(tsm_exec *x, packed_conv *c) {
    if (WINOGRAD_IS_THERE && tsm_winograd_pays(c)) {
        c->transform = tsm_winograd_narrow_weight;
        return tsm_winograd_run(x, c);
    }
    c->runs_merge &= !is_cut(c); /* parts of a weight take single positions */
    const narrow_blocks b = cut_weight(c);
    return convolve_range(x, c, multiply_narrow_range, narrow_floats(&b) * sizeof(float));
}

/* Depthwise weights are few, and become floats at once. */
static tsm_status convolve_half(tsm_exec *x, packed_conv *c) {
    const size_t panels = tsm_pack_panels((size_t)c->g->outputs), floats = c->taps * TSM_PANEL;
    if (!c->depthwise)
        return convolve_narrow(x, c);
    float *weight = tsm_scratch(x, panels * floats * sizeof *weight);
    if (!weight)
        return TSM_OUT_OF_MEMORY;
    for (size_t i = 0; i < panels; i++)
        c->narrow->widen(c->f32, c->narrow, i, 0, c->taps, weight + i * floats);
    c->weight = weight;
    const tsm_status status = tsm_conv_depthwise(x, c);
    tsm_scratch_free(x, weight);
    return status;
}

NARROW_INLINE tsm_status check_weight(tsm_exec *x, const tsm_tensor *w, const conv_form *f, bool fits) {
    bool depthwise = f->depth == 1 && f->groups == f->outputs;
    tsm_dim groups = depthwise ? 1 : f->groups, of_group = groups > 0 ? f->outputs / groups : 0;
    if (!fits || !tsm_tensor_is_contiguous(w) || w->sizes[w->dims - 1] != TSM_PANEL || f->outputs < 0 ||
        w->sizes[0] != groups * (tsm_dim)tsm_pack_panels((size_t)of_group))
        return tsm_fail(x, TSM_BAD_FILE, "%s: the weight is not packed for these outputs", x->op->name);
    return TSM_OK;
}

/* The strides of an image whose channels lie together; false when they do not. */
static bool find_steps(const tsm_tensor *a, packed_conv *c) {
    int first = 5 - a->dims; /* missing spatial dimensions come first */
    if (a->sizes[1] != 1 && a->strides[1] != 1)
        return false;
    c->batch_step = a->strides[0];
    for (int d = 0; d < 3; d++)
        c->step[d] = d < first ? 0 : a->strides[2 + d - first];
    c->pixel_step = c->step[2];
    return true;
}

/* Whether output pixel i reads input pixel i only. */
static bool is_even(const packed_conv *c) {
    const conv_geometry *g = c->g;
    ptrdiff_t step = c->pixel_step;
    for (int d = 2; d >= 0; d--) {
        if (g->kernel[d] != 1 || g->stride[d] != 1 || g->padding[d] != 0 || (g->in[d] > 1 && c->step[d] != step))
            return false;
        step *= g->in[d];
    }
    return g->batch == 1 || c->batch_step == step;
}

static tsm_status convolve_into(tsm_exec *x, packed_conv *c, const tsm_tensor *a, tsm_tensor *y, const fused_finish *f,
                                tsm_value *out) {
    tsm_finish finish = f->finish;
    tsm_tensor *residual = NULL;
    tsm_status status = TSM_OK;
    bool fused = tsm_fused_residual_fits(f, y);
    if (fused && f->residual) {
        status = tsm_nn_channels_last(x, f->residual, &residual);
        finish.residual = residual ? residual->data : NULL;
        finish.residual_stride = (ptrdiff_t)c->g->outputs;
    }
    if (!fused)
        finish.activation = TSM_ACT_NONE;
    c->finish = &finish;
    c->out = y->data;
    c->image = a->data;
    if (status == TSM_OK && y->elements)
        status = c->run(x, c);
    tsm_tensor_drop(x, residual);
    return tsm_fused_deliver(x, status, f, fused, y, out);
}

/* `by`: of the convolution its weight, and how it is computed. */
static tsm_status convolve_image(tsm_exec *x, const packed_conv *by, const conv_geometry *g, int spatial, tsm_tensor *a,
                                 const fused_finish *f, tsm_value *out) {
    packed_conv c = *by;
    c.g = g;
    c.f32 = loops_f32(x);
    c.depth = (size_t)(g->channels / g->groups);
    c.taps = (size_t)(g->kernel[0] * g->kernel[1] * g->kernel[2]);
    c.depthwise = c.depth == 1 && g->groups == g->outputs && g->groups > 1;
    tsm_tensor *image = a, *y = NULL;
    tsm_hold(tsm_of_tensor(a));
    tsm_status status = TSM_OK;
    if (!find_steps(a, &c)) {
        tsm_tensor_drop(x, image);
        TSM_TRY(tsm_nn_channels_last(x, a, &image));
        find_steps(image, &c);
    }
    c.is_even = is_even(&c);
    c.is_lone_pixel = g->batch * g->out[0] * g->out[1] * g->out[2] == 1;
    c.runs_merge =
        g->groups == 1 && g->dilation[2] == 1 && (c.pixel_step == (ptrdiff_t)g->channels || g->kernel[2] == 1);
    tsm_dim sizes[5] = {g->batch, g->outputs}, strides[5];
    for (int d = 0; d < spatial; d++)
        sizes[2 + d] = g->out[3 - spatial + d];
    tsm_strides_channels_last(spatial + 2, sizes, strides);
    status = tsm_tensor_make_strided(x, TSM_FLOAT32, spatial + 2, sizes, strides, &y);
    if (status == TSM_OK)
        status = convolve_into(x, &c, image, y, f, out);
    tsm_tensor_drop(x, image);
    return status;
}

tsm_status tsm_conv_packed(tsm_exec *x, const conv_geometry *g, int spatial, tsm_tensor *a, const float *w,
                           const fused_finish *f, tsm_value *out) {
    const packed_conv by = {.weight = w, .run = convolve_packed};
    return convolve_image(x, &by, g, spatial, a, f, out);
}

static tsm_status check_types(tsm_exec *x, const tsm_tensor *a, tsm_dtype of_weight) {
    if (a->dtype == of_weight)
        return TSM_OK;
    return TSM_RAISE(x, "Input type (%s) and weight type (%s) should be the same", tsm_dtype_name((tsm_dtype)a->dtype),
                     tsm_dtype_name(of_weight));
}

static tsm_status convolve_batched(tsm_exec *x, tsm_tensor *a, const packed_conv *by, const conv_form *form,
                                   const fused_finish *f, tsm_value *out) {
    conv_geometry g;
    TSM_TRY(tsm_conv_read_geometry(x, a, form, &g));
    TSM_TRY(check_types(x, a, TSM_FLOAT32));
    return convolve_image(x, by, &g, form->spatial, a, f, out);
}

/* An image without a batch is a batch of one. */
NARROW_INLINE tsm_status convolve_single(tsm_exec *x, const tsm_value *a, const packed_conv *by, const conv_form *form,
                                         const fused_finish *f, tsm_value *out) {
    tsm_value batched, result, arguments[2] = {*a, tsm_int(0)};
    TSM_TRY(tsm_kernel_call(x, tsm_k_aten_unsqueeze, 2, arguments, &batched));
    fused_finish unfinished = *f;
    unfinished.residual = NULL;
    if (f->residual)
        unfinished.finish.activation = TSM_ACT_NONE;
    tsm_status status = convolve_batched(x, tsm_as_tensor(batched), by, form, &unfinished, &result);
    tsm_drop(x, batched);
    TSM_TRY(status);
    arguments[0] = result;
    tsm_value y;
    status = tsm_kernel_call(x, tsm_k_aten_squeeze_dim, 2, arguments, &y);
    tsm_drop(x, result);
    TSM_TRY(status);
    if (!f->residual) {
        *out = y;
        return TSM_OK;
    }
    return tsm_fused_deliver(x, TSM_OK, f, false, tsm_as_tensor(y), out);
}

/* `bias`: the place of the argument; the arguments behind it are in the same order. `fits`: the weight's elements are
 * what `by` takes. */
NARROW_INLINE tsm_status convolve_with(tsm_exec *x, const tsm_value *const *in, int bias, bool fits,
                                       const packed_conv *by, tsm_value *out) {
    const tsm_tensor *w = arg_tensor(in, 1);
    int n = w->dims - 3;
    conv_form form;
    fused_finish f;
    if (n < 1 || n > 3)
        return tsm_fail(x, TSM_BAD_FILE, "%s: the weight is not packed", x->op->name);
    TSM_TRY(tsm_conv_read_form(x, in, bias + 3, n, arg_int(in, bias + 6), &form));
    form.outputs = arg_dim(in, bias + 2);
    form.kernel = w->sizes + 1;
    form.depth = w->sizes[n + 1];
    TSM_TRY(check_weight(x, w, &form, fits));
    TSM_TRY(tsm_fused_read(x, in, bias, bias + 7, form.outputs, &f));
    if (arg_tensor(in, 0)->dims == n + 1)
        return convolve_single(x, in[0], by, &form, &f, out);
    return convolve_batched(x, arg_tensor(in, 0), by, &form, &f, out);
}

TSM_KERNEL(tsm_convolution) {
    const tsm_tensor *w = arg_tensor(in, 1);
    const packed_conv by = {.weight = w->data, .run = convolve_packed};
    return convolve_with(x, in, 2, w->dtype == TSM_FLOAT32, &by, out);
}

/* Depthwise weights are few, and stay floats. */
TSM_KERNEL(tsm_narrow_convolution) {
    narrow_weight w;
    const packed_conv by = {.narrow = &w, .run = convolve_narrow};
    const tsm_tensor *weight = arg_tensor(in, 1);
    TSM_TRY(tsm_narrow_read(x, weight, arg_tensor_or_null(in, 2), &w));
    const bool is_depthwise = weight->sizes[weight->dims - 2] == 1 && arg_int(in, 9) == arg_int(in, 5);
    return convolve_with(x, in, 3, !is_depthwise || arg_int(in, 9) == 1, &by, out);
}

TSM_KERNEL(tsm_half_convolution) {
    narrow_weight w;
    half_layer l;
    const packed_conv by = {.narrow = &w, .run = convolve_half};
    const tsm_tensor *weight = arg_tensor(in, 1);
    TSM_TRY(tsm_narrow_read(x, weight, NULL, &w));
    TSM_TRY(check_types(x, arg_tensor(in, 0), (tsm_dtype)weight->dtype));
    TSM_TRY(tsm_half_begin(x, in, 12, &l));
    return tsm_half_end(x, convolve_with(x, l.in, 2, true, &by, out), &l, out);
}

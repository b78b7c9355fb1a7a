/* 3x3 convolutions by Winograd: transforms, products, and when it pays. */
#include "runtime/kernels/nn/conv_winograd.h"

#include "runtime/kernels/linalg/gemm.h"

enum {
    OUT = 4,             /* output pixels of a tile in each direction */
    IN = 6,              /* input pixels */
    POSITIONS = IN * IN, /* products */
    FEWEST_TILES = 4,    /* with fewer, transforming the weights costs more than the multiplications saved */
    FEWEST_OUTPUTS = 6,  /* of a tile, on the average: 36 multiplications instead of 54 */
    FEWEST_CHANNELS = 16,
    LEAST_TILES = 12, /* at once, where there are so many */
    TAPS = 9,
    NARROW_CHANNELS = 64, /* of a narrow weight that are floats at once */
    NARROW_ROOM = TAPS * NARROW_CHANNELS * TSM_PANEL,
};

/* Pixels along dimension d in steps of the dilation are a line of their own, because a kernel's positions lie in one of
 * them. Of as many lines as the dilation, the first `longer` have one output more than the others. */
typedef struct {
    tsm_dim longer, tiles_of_longer, tiles_of_other;
} dilated_lines;

static dilated_lines dilated_lines_of(const conv_geometry *g, int d) {
    const tsm_dim shorter = g->out[d] / g->dilation[d];
    return (dilated_lines){g->out[d] % g->dilation[d], shorter / OUT + 1, tsm_dim_ceil_div(shorter, OUT)};
}

static tsm_dim tiles_along(const conv_geometry *g, int d) {
    const dilated_lines l = dilated_lines_of(g, d);
    return l.longer * l.tiles_of_longer + (g->dilation[d] - l.longer) * l.tiles_of_other;
}

/* The first output of a tile along dimension d; the others follow in steps of the dilation. */
static tsm_dim tile_begin(const conv_geometry *g, int d, tsm_dim tile) {
    const dilated_lines l = dilated_lines_of(g, d);
    const tsm_dim of_longer = l.longer * l.tiles_of_longer;
    if (tile < of_longer)
        return tile / l.tiles_of_longer + tile % l.tiles_of_longer * OUT * g->dilation[d];
    tile -= of_longer;
    return l.longer + tile / l.tiles_of_other + tile % l.tiles_of_other * OUT * g->dilation[d];
}

static size_t tile_count(const conv_geometry *g) {
    return (size_t)(g->batch * g->out[0] * tiles_along(g, 1) * tiles_along(g, 2));
}

/* Rows of the transformed weights: the channels for each position of the kernel in depth. */
static size_t winograd_rows(const packed_conv *c) {
    return (size_t)c->g->kernel[0] * c->depth;
}

bool tsm_winograd_pays(const packed_conv *c) {
    const conv_geometry *g = c->g;
    const bool fits = g->groups == 1 && g->kernel[1] == 3 && g->kernel[2] == 3 && g->stride[1] == 1 &&
                      g->stride[2] == 1 && g->channels % TSM_PANEL == 0 && g->outputs % TSM_PANEL == 0 &&
                      g->channels >= FEWEST_CHANNELS && g->outputs >= FEWEST_CHANNELS;
    if (!fits || c->f32->scratch_limit < WINOGRAD_LEAST_SCRATCH) /* of the target that memory is planned for */
        return false;
    const size_t tiles = tile_count(g), pixels = (size_t)(g->batch * conv_plane(g->out));
    return tiles >= FEWEST_TILES && pixels / tiles >= FEWEST_OUTPUTS;
}

/* Tiles of a block. Each block transforms the weights again, so blocks are large: the transformed input may fill the
 * cache that cores share, because each number loaded from there is used for 16 multiply-adds. */
static size_t tiles_at_once(const packed_conv *c) {
    size_t rows = c->f32->gemm_rows,
           fit = 4 * c->f32->scratch_limit / (POSITIONS * sizeof(float) * winograd_rows(c)) / rows * rows;
    size_t least = tsm_dim_ceil_div(LEAST_TILES, (tsm_dim)rows) * rows;
    return fit < least ? least : fit;
}

typedef struct {
    packed_conv *c;
    size_t first, tiles; /* of the block at hand */
    const float *zeros;
    size_t rows; /* winograd_rows() */
    float *v;    /* the block's transformed input [36][tiles][rows] */
} job;

/* Scratch of a task. */
typedef struct {
    float *v; /* transformed input [36][tiles][rows] */
    float *u; /* transformed weights of one panel [rows][37][16] */
    float *m; /* products [36][tiles][16] */
} workspace;

typedef struct {
    tsm_dim n, z, y, x; /* image, first output pixel */
} tile_place;

static tile_place place_of(const conv_geometry *g, size_t number) {
    const tsm_dim columns = tiles_along(g, 2), rows = tiles_along(g, 1), tile = (tsm_dim)number,
                  plane = tile / (columns * rows);
    return (tile_place){plane / g->out[0], plane % g->out[0], tile_begin(g, 1, tile / columns % rows),
                        tile_begin(g, 2, tile % columns)};
}

/* Of the image's plane under position kz of the kernel. */
static void transform_input(const job *j, const tile_place *at, tsm_dim kz, float *v) {
    const packed_conv *c = j->c;
    const conv_geometry *g = c->g;
    const tsm_dim z = at->z * g->stride[0] - g->padding[0] + kz * g->dilation[0];
    const float *pixels[POSITIONS], *image = c->image + at->n * c->batch_step;
    for (tsm_dim i = 0; i < IN; i++)
        for (tsm_dim k = 0; k < IN; k++) {
            const tsm_dim y = at->y - g->padding[1] + i * g->dilation[1],
                          x = at->x - g->padding[2] + k * g->dilation[2];
            const bool inside = z >= 0 && z < g->in[0] && y >= 0 && y < g->in[1] && x >= 0 && x < g->in[2];
            pixels[i * IN + k] = inside ? image + z * c->step[0] + y * c->step[1] + x * c->step[2] : j->zeros;
        }
    TSM_F32(c->f32, winograd_input, v, j->tiles * j->rows, pixels, c->depth);
}

static void transform_output(const job *j, const tile_place *at, const float *m, size_t tiles, size_t first) {
    const packed_conv *c = j->c;
    const conv_geometry *g = c->g;
    float *pixels[OUT * OUT];
    const float *residuals[OUT * OUT];
    const tsm_finish *f = c->finish;
    for (tsm_dim i = 0; i < OUT; i++)
        for (tsm_dim k = 0; k < OUT; k++) {
            const tsm_dim y = at->y + i * g->dilation[1], x = at->x + k * g->dilation[2],
                          pixel = ((at->n * g->out[0] + at->z) * g->out[1] + y) * g->out[2] + x;
            const bool inside = y < g->out[1] && x < g->out[2];
            pixels[i * OUT + k] = inside ? c->out + pixel * g->outputs + (tsm_dim)first : NULL;
            residuals[i * OUT + k] =
                inside && f->residual ? f->residual + pixel * f->residual_stride + (tsm_dim)first : NULL;
        }
    tsm_finish finish = *f;
    finish.column_bias = f->column_bias ? f->column_bias + first : NULL;
    TSM_F32(c->f32, winograd_output, pixels, residuals, m, tiles * TSM_PANEL, &finish);
}

/* All positions of one panel: products of the transformed tiles with the transformed weights. */
static void multiply(const job *j, const workspace *w, size_t tiles) {
    const tsm_finish nothing = {0};
    for (size_t p = 0; p < POSITIONS; p++) {
        gemm_tall t = {
            .a = w->v + p * tiles * j->rows,
            .a_row = (ptrdiff_t)j->rows,
            .m = tiles,
            .depth = j->rows,
            .columns = TSM_PANEL,
            .b = w->u + p * TSM_PANEL,
            .b_stride = TSM_WINOGRAD_ROW,
            .c = w->m + p * tiles * TSM_PANEL,
            .c_row = TSM_PANEL,
            .finish = &nothing,
        };
        tsm_gemm_tall_run(j->c->f32, &t);
    }
}

static void input_range(void *argument, void *scratch, size_t begin, size_t end) {
    const job *j = argument;
    (void)scratch;
    for (size_t i = begin; i < end; i++) {
        const tile_place at = place_of(j->c->g, j->first + i);
        for (tsm_dim kz = 0; kz < j->c->g->kernel[0]; kz++)
            transform_input(j, &at, kz, j->v + i * j->rows + (size_t)kz * j->c->depth);
    }
}

void tsm_winograd_narrow_weight(const packed_conv *c, size_t panel, float *u, float *room) {
    for (size_t plane = 0; plane < c->taps; plane += TAPS)
        for (size_t first = 0, n; first < c->depth; first += n) {
            n = c->depth - first < NARROW_CHANNELS ? c->depth - first : NARROW_CHANNELS;
            for (size_t tap = 0; tap < TAPS; tap++)
                c->narrow->widen(c->f32, c->narrow, panel, (plane + tap) * c->depth + first, n,
                                 room + tap * n * TSM_PANEL);
            TSM_F32(c->f32, winograd_weight, u, room, n);
            u += n * TSM_WINOGRAD_ROW;
        }
}

static void winograd_weight_panel(const packed_conv *c, size_t panel, float *u) {
    const float *weight = c->weight + panel * c->taps * c->depth * TSM_PANEL;
    for (size_t plane = 0; plane < c->taps; plane += TAPS, u += c->depth * TSM_WINOGRAD_ROW)
        TSM_F32(c->f32, winograd_weight, u, weight + plane * c->depth * TSM_PANEL, c->depth);
}

static void panel_range(void *argument, void *scratch, size_t begin, size_t end) {
    const job *j = argument;
    const packed_conv *c = j->c;
    workspace w = {.v = j->v, .u = scratch};
    w.m = w.u + TSM_WINOGRAD_ROW * j->rows;
    for (size_t first = begin * TSM_PANEL; first < end * TSM_PANEL; first += TSM_PANEL) {
        if (c->transform)
            c->transform(c, first / TSM_PANEL, w.u, w.m + POSITIONS * j->tiles * TSM_PANEL);
        else
            winograd_weight_panel(c, first / TSM_PANEL, w.u);
        multiply(j, &w, j->tiles);
        for (size_t i = 0; i < j->tiles; i++) {
            const tile_place at = place_of(c->g, j->first + i);
            transform_output(j, &at, w.m + i * TSM_PANEL, j->tiles, first);
        }
    }
}

/* A block of tiles: threads share the transform of its input, then each takes panels of the output with their weights.
 */
static tsm_status run_block(tsm_exec *x, job *j) {
    size_t panels = (size_t)j->c->g->outputs / TSM_PANEL;
    size_t floats = TSM_WINOGRAD_ROW * j->rows + POSITIONS * j->tiles * TSM_PANEL + (j->c->transform ? NARROW_ROOM : 0);
    tsm_status status = tsm_loops_parallel(x, j->tiles, LEAST_TILES, 0, input_range, j);
    return status == TSM_OK ? tsm_loops_parallel(x, panels, 1, floats * sizeof(float), panel_range, j) : status;
}

tsm_status tsm_winograd_run(tsm_exec *x, packed_conv *c) {
    size_t all = tile_count(c->g), most = tiles_at_once(c), blocks = (all + most - 1) / most,
           largest = (all + blocks - 1) / blocks;
    const size_t rows = winograd_rows(c);
    float *zeros = tsm_scratch(x, (c->depth + POSITIONS * largest * rows) * sizeof *zeros);
    if (!zeros)
        return TSM_OUT_OF_MEMORY;
    memset(zeros, 0, c->depth * sizeof *zeros);
    job j = {.c = c, .rows = rows, .zeros = zeros, .v = zeros + c->depth};
    tsm_status status = TSM_OK;
    for (size_t b = 0; b < blocks && status == TSM_OK; b++) { /* even parts */
        j.first = all * b / blocks;
        j.tiles = all * (b + 1) / blocks - j.first;
        status = run_block(x, &j);
    }
    tsm_scratch_free(x, zeros);
    return status;
}

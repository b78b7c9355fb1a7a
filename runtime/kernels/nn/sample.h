/* Images sampled at points of a grid: what the kernels (sample.c) and the loops (sample_points.c) share. */
#ifndef TSM_KERNELS_NN_SAMPLE_H
#define TSM_KERNELS_NN_SAMPLE_H

#include "runtime/kernels/loops.h"

typedef enum { SAMPLE_LINEAR, SAMPLE_NEAREST, SAMPLE_CUBIC } sample_interpolation;
typedef enum { SAMPLE_ZEROS, SAMPLE_BORDER, SAMPLE_REFLECTED } sample_padding;

/* The last dimension of sizes is the one along lines; images of two dimensions have one of size 1 before. */
enum { SAMPLE_DIMS = 3 };

/* Images [batch, channels, ...] and points [batch, points, dims], and results [batch, channels, points]. Planes are
 * contiguous and of at most SAMPLE_MOST_PLANE numbers, so that places in them are counted in 32 bits; batches and
 * channels lie as many elements apart as is said. */
enum { SAMPLE_MOST_PLANE = INT32_MAX / 2 };
typedef struct {
    tsm_dim in[SAMPLE_DIMS];
    int dims; /* 2 or 3 */
    tsm_dim channels, points;
    tsm_dim image_batch, image_channel, grid_batch;
    sample_interpolation how;
    sample_padding padding;
    bool align_corners;
    const void *image, *grid;
    void *y;
} sample_job;

/* Points are taken block by block; a range of blocks, those of the batch one after the other, with scratch memory of
 * its own. */
typedef struct {
    size_t points, scratch_f32, scratch_f64;
    loops_range f32, f64;
} sample_loops;
const sample_loops *tsm_nn_sample_loops(tsm_exec *x);

#endif

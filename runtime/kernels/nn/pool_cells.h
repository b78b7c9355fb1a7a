/* The largest elements of cells of planes and where they are: what the kernel (pool_cells.c) and the loops
 * (pool_cells_planes.c) share. */
#ifndef TSM_KERNELS_NN_POOL_CELLS_H
#define TSM_KERNELS_NN_POOL_CELLS_H

#include "runtime/kernels/loops.h"

/* Cell o of `out` over a dimension of `in` elements: [floor(o in / out), ceil((o + 1) in / out)). Missing dimensions
 * are of size 1 and come first; a plane has at most INT32_MAX lines. */
typedef struct {
    tsm_dim in[3], out[3];
    const void *image;
    void *values;
    int64_t *places;
} cells_job;

/* A range of bands: lines of cells of all planes, one after the other. Scratch for each number of a line of the
 * input. */
typedef struct {
    size_t scratch_f32, scratch_f64;
    loops_range f32, f64;
} cells_loops;
const cells_loops *tsm_nn_cells_loops(tsm_exec *x);

#endif

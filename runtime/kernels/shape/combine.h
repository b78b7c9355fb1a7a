/* Elements combined with others in their place: what scatter, index_add and index_put do with a target and a source. */
#ifndef TSM_KERNELS_SHAPE_COMBINE_H
#define TSM_KERNELS_SHAPE_COMBINE_H

#include "runtime/kernels/kernel.h"
#include "runtime/tensor/lanes.h"

typedef enum { COMBINE_PUT, COMBINE_ADD, COMBINE_MULTIPLY, COMBINE_LEAST, COMBINE_GREATEST } combine_op;

/* n elements of `from` into as many of `to`, both of `dtype`; strides in bytes, 0 allowed for both. */
void tsm_combine_run(combine_op op, tsm_dtype dtype, char *to, tsm_dim to_step, const char *from, tsm_dim from_step,
                     tsm_dim n);

/* The same where the target of each element lies on a line that an index chooses from. */
typedef struct {
    combine_op op;
    tsm_dtype dtype;
    tsm_dim length, row_step; /* positions of the line, and bytes between them */
    double scale;             /* the source is multiplied by it; only when adding */
} combine_lines;

/* Returns -1, or the first of the n positions (int64, index_step bytes apart) that is none. */
tsm_dim tsm_combine_scattered(const combine_lines *l, char *to, tsm_dim to_step, const char *index, tsm_dim index_step,
                              const char *from, tsm_dim from_step, tsm_dim n);

#endif

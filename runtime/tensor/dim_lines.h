/* The lines of two tensors along one dimension: an odometer over all others. */
#ifndef TSM_TENSOR_DIM_LINES_H
#define TSM_TENSOR_DIM_LINES_H

#include "runtime/value/value.h"

typedef struct {
    int dims;
    tsm_dim sizes[TSM_MAX_DIMS], from[TSM_MAX_DIMS], to[TSM_MAX_DIMS], at[TSM_MAX_DIMS]; /* strides in elements */
    tsm_dim from_offset, to_offset, count;
} tsm_dim_lines;

/* t and y have the same sizes but along the dimension. */
static inline tsm_dim_lines tsm_dim_lines_of(const tsm_tensor *t, const tsm_tensor *y, int along) {
    tsm_dim_lines l = {.count = 1};
    for (int d = 0; d < t->dims; d++) {
        if (d == along)
            continue;
        l.sizes[l.dims] = t->sizes[d];
        l.from[l.dims] = t->strides[d];
        l.to[l.dims++] = y->strides[d];
        l.count *= t->sizes[d];
    }
    return l;
}

/* Moves from_offset and to_offset (elements) to the next line. */
static inline void tsm_dim_lines_next(tsm_dim_lines *l) {
    for (int d = l->dims - 1; d >= 0; d--) {
        l->from_offset += l->from[d];
        l->to_offset += l->to[d];
        if (++l->at[d] < l->sizes[d])
            return;
        l->from_offset -= l->from[d] * l->sizes[d];
        l->to_offset -= l->to[d] * l->sizes[d];
        l->at[d] = 0;
    }
}

#endif

/* Conditions: the positions of those that hold, and the elements they choose. */
#include "runtime/kernels/shape/masks.h"

#include "runtime/kernels/simd/casts.h"
#include "runtime/tensor/lanes.h"

/* The elements of a tensor in row-major order, as conditions, a block at a time. */
enum { MASK_BLOCK = 128, SHORT_LINE = 16 };
typedef struct {
    const tsm_tensor *t;
    tsm_cast cast;                            /* of what lies side by side, or NULL */
    tsm_dim done, at, position[TSM_MAX_DIMS]; /* elements seen; offset in elements and position of the next */
    uint8_t block[MASK_BLOCK];
} mask_walk;

/* The next conditions of one line of the last dimension; 0 after the last. */
static tsm_dim next_mask(mask_walk *w) {
    const tsm_tensor *t = w->t;
    const int last = t->dims - 1;
    if (w->done == t->elements)
        return 0;
    const tsm_dim size = (tsm_dim)tsm_dtype_size((tsm_dtype)t->dtype);
    const tsm_dim left = t->dims ? t->sizes[last] - w->position[last] : 1, n = left < MASK_BLOCK ? left : MASK_BLOCK;
    const tsm_dim stride = t->dims ? t->strides[last] : 1;
    const char *from = (const char *)t->data + w->at * size;
    if (w->cast && stride == 1)
        w->cast(w->block, from, n);
    else
        tsm_lane_load(TSM_LANE_MASK, w->block, (tsm_dtype)t->dtype, from, stride * size, n);
    w->done += n;
    return n;
}

/* Behind those n. */
static void pass_mask(mask_walk *w, tsm_dim n) {
    const tsm_tensor *t = w->t;
    if (!t->dims)
        return;
    const int last = t->dims - 1;
    w->position[last] += n;
    w->at += n * t->strides[last];
    for (int d = last; d > 0 && w->position[d] == t->sizes[d]; d--) {
        w->position[d] = 0;
        w->at += t->strides[d - 1] - t->sizes[d] * t->strides[d];
        w->position[d - 1]++;
    }
}

static mask_walk start_mask(tsm_exec *x, const tsm_tensor *t) {
    return (mask_walk){.t = t, .cast = tsm_cast_find(x, (tsm_dtype)t->dtype, TSM_BOOL)};
}

/* t as one line where its elements lie in order, whose size stands in `line`; lines of few are slow to walk. */
static tsm_tensor as_line(const tsm_tensor *t, tsm_dim line[2]) {
    tsm_tensor made = *t;
    if (t->dims > 1 && t->elements && tsm_tensor_is_contiguous(t)) {
        line[0] = t->elements;
        line[1] = 1;
        made.dims = 1;
        made.sizes = &line[0];
        made.strides = &line[1];
    }
    return made;
}

static tsm_dim count_nonzero(tsm_exec *x, const tsm_tensor *t) {
    tsm_dim line[2];
    const tsm_tensor flat = as_line(t, line);
    mask_walk w = start_mask(x, &flat);
    tsm_dim found = 0;
    for (tsm_dim n; (n = next_mask(&w)) > 0; pass_mask(&w, n))
        for (tsm_dim i = 0; i < n; i++)
            found += w.block[i];
    return found;
}

/* The positions in t, whose elements are those of the line `flat`, of all that are not zero. */
static void nonzero_of_line(tsm_exec *x, const tsm_tensor *t, const tsm_tensor *flat, int64_t *y, int64_t *end) {
    const int last = t->dims - 1;
    mask_walk w = start_mask(x, flat);
    tsm_dim places[MASK_BLOCK], position[TSM_MAX_DIMS] = {0}, at = 0; /* position: of `at` */
    for (tsm_dim n; (n = next_mask(&w)) > 0; pass_mask(&w, n)) {
        tsm_dim found = 0;
        for (tsm_dim i = 0; i < n; i++) { /* without a branch that depends on the elements */
            places[found] = w.position[0] + i;
            found += w.block[i];
        }
        for (tsm_dim i = 0; i < found && y < end; i++, y += t->dims) {
            position[last] += places[i] - at;
            at = places[i];
            for (int d = last; d > 0 && position[d] >= t->sizes[d]; d--) {
                const tsm_dim lines = position[d] < 2 * t->sizes[d] ? 1 : position[d] / t->sizes[d];
                position[d] -= lines * t->sizes[d];
                position[d - 1] += lines;
            }
            for (int d = 0; d <= last; d++)
                y[d] = position[d];
        }
    }
}

tsm_status tsm_mask_nonzero(tsm_exec *x, const tsm_tensor *t, tsm_tensor **out) {
    TSM_TRY(tsm_charge_product(x, (uint64_t)t->elements, 2, 1));
    const tsm_dim sizes[2] = {count_nonzero(x, t), t->dims};
    TSM_TRY(tsm_tensor_make(x, TSM_INT64, 2, sizes, out));
    int64_t *y = (*out)->data, *const end = y + (*out)->elements;
    tsm_dim line[2];
    const tsm_tensor flat = as_line(t, line);
    if (t->dims > 1 && flat.dims == 1 && t->sizes[t->dims - 1] < SHORT_LINE) {
        nonzero_of_line(x, t, &flat, y, end);
        return TSM_OK;
    }
    mask_walk w = start_mask(x, t);
    for (tsm_dim n; (n = next_mask(&w)) > 0; pass_mask(&w, n))
        for (tsm_dim i = 0; i < n && y < end; i++) {
            if (t->dims <= 2) { /* without a branch that depends on the elements */
                y[0] = w.position[0];
                y[t->dims - 1] = w.position[t->dims - 1] + i;
                y += t->dims * w.block[i];
                continue;
            }
            if (!w.block[i])
                continue;
            for (int d = 0; d < t->dims; d++)
                *y++ = w.position[d] + (d == t->dims - 1 ? i : 0);
        }
    return TSM_OK;
}
TSM_KERNEL_LIGHT(aten_nonzero) {
    tsm_tensor *y;
    TSM_TRY(tsm_mask_nonzero(x, arg_tensor(in, 0), &y));
    return ret_tensor(out, y);
}

/* Moves the items that n conditions choose between `at`, where each has its place, and `other`, where they follow each
 * other; returns where the next one stands there. Small items are taken without a branch that depends on conditions:
 * what is not chosen is overwritten by the next, and nothing is written from `end` on. */
static inline __attribute__((always_inline)) char *move_chosen(const uint8_t *chosen, tsm_dim n, char *at, tsm_dim step,
                                                               char *other, const char *end, tsm_dim other_step,
                                                               size_t bytes, bool is_small, bool puts) {
    for (tsm_dim i = 0; i < n && (puts || other < end); i++, at += step) {
        if (chosen[i] || (is_small && !puts))
            memcpy(puts ? at : other, puts ? other : at, bytes);
        other += chosen[i] * other_step;
    }
    return other;
}

/* Copies what a mask chooses between self and `other`, where items of `bytes` bytes stand
 * `other_step` bytes apart, up to `end` where they are taken: the same as by the positions of the mask, which need not
 * be made. */
static void move_by_mask(tsm_exec *x, const tsm_tensor *self, const tsm_tensor *mask, char *other, const char *end,
                         tsm_dim other_step, size_t bytes, bool puts) {
    const tsm_dim size = (tsm_dim)tsm_dtype_size((tsm_dtype)self->dtype);
    tsm_dim line[2], step = tsm_tensor_step(self, mask->dims - 1);
    const bool is_line = mask->dims > 1 && tsm_tensor_is_contiguous(self); /* and the mask, if it can be one */
    const tsm_tensor flat = is_line ? as_line(mask, line) : *mask;
    mask_walk w = start_mask(x, &flat);
    if (flat.dims != mask->dims) /* an element of the mask is followed by the next, whatever the last size is */
        step = self->elements / mask->elements * size;
    for (tsm_dim n; (n = next_mask(&w)) > 0; pass_mask(&w, n)) {
        char *at = (char *)self->data + (flat.dims == mask->dims ? 0 : w.position[0] * step);
        for (int d = 0; d < mask->dims && flat.dims == mask->dims; d++)
            at += w.position[d] * self->strides[d] * size;
#define MOVE_CHOSEN(SIZE, IS_SMALL)                                                                                    \
    other = puts ? move_chosen(w.block, n, at, step, other, end, other_step, SIZE, IS_SMALL, true)                     \
                 : move_chosen(w.block, n, at, step, other, end, other_step, SIZE, IS_SMALL, false)
        if (bytes == 1)
            MOVE_CHOSEN(1, true);
        else if (bytes == 2)
            MOVE_CHOSEN(2, true);
        else if (bytes == 4)
            MOVE_CHOSEN(4, true);
        else if (bytes == 8)
            MOVE_CHOSEN(8, true);
        else
            MOVE_CHOSEN(bytes, false);
    }
}

/* The sizes of what a mask chooses; returns how many dimensions. *bytes: of an item. */
static int masked_sizes(tsm_exec *x, const tsm_tensor *self, const tsm_tensor *mask, tsm_dim *sizes, size_t *bytes) {
    const int last = mask->dims - 1;
    *bytes = tsm_dtype_size((tsm_dtype)self->dtype);
    sizes[0] = count_nonzero(x, mask);
    for (int d = mask->dims; d < self->dims; d++) {
        sizes[d - last] = self->sizes[d];
        *bytes *= (size_t)self->sizes[d];
    }
    return self->dims - last;
}

tsm_status tsm_mask_select(tsm_exec *x, const tsm_tensor *self, const tsm_tensor *mask, tsm_value *out) {
    tsm_tensor *y;
    tsm_dim sizes[TSM_MAX_DIMS];
    size_t bytes;
    TSM_TRY(tsm_charge_product(x, (uint64_t)mask->elements, 2, 1));
    const int dims = masked_sizes(x, self, mask, sizes, &bytes);
    TSM_TRY(tsm_tensor_make(x, (tsm_dtype)self->dtype, dims, sizes, &y));
    move_by_mask(x, self, mask, y->data, (char *)y->data + sizes[0] * (tsm_dim)bytes, (tsm_dim)bytes, bytes, false);
    return ret_tensor(out, y);
}

tsm_status tsm_mask_put(tsm_exec *x, const tsm_tensor *self, const tsm_tensor *mask, const tsm_tensor *values,
                        bool *done) {
    tsm_dim sizes[TSM_MAX_DIMS];
    size_t bytes;
    TSM_TRY(tsm_charge_product(x, (uint64_t)mask->elements, 2, 1));
    const int dims = masked_sizes(x, self, mask, sizes, &bytes);
    const bool is_number = values->elements == 1 && values->dims <= 1 && mask->dims == self->dims;
    *done = is_number || (values->dims == dims && tsm_tensor_is_contiguous(values) &&
                          !memcmp(values->sizes, sizes, (size_t)dims * sizeof *sizes));
    if (*done)
        move_by_mask(x, self, mask, values->data, NULL, is_number ? 0 : (tsm_dim)bytes, bytes, true);
    return TSM_OK;
}

/* Walks several tensors of one (broadcast) shape together, element by element.
 *
 * tsm_iter orders the dimensions by stride, merges those that lie one behind the other, and hands out runs: for each
 * operand a pointer and a byte stride, and how many elements. tsm_map does the same for loops on lane items (lanes.h):
 * operands that are not consecutive items of the wanted lane are converted in blocks, so that a loop sees plain arrays
 * only. */
#ifndef TSM_TENSOR_ITER_H
#define TSM_TENSOR_ITER_H

#include "runtime/tensor/lanes.h"
#include "runtime/tensor/tensor.h"

enum {
    TSM_MAP_OPERANDS = 6,
    TSM_MAP_BLOCK = 256, /* items converted at a time */
};

typedef struct {
    int operands, dims;
    tsm_dim sizes[TSM_MAX_DIMS];                     /* fastest first */
    tsm_dim strides[TSM_MAP_OPERANDS][TSM_MAX_DIMS]; /* bytes */
    union {
        char *data[TSM_MAP_OPERANDS];
        void *items[TSM_MAP_OPERANDS]; /* the same, as loops take them */
    };
    tsm_dim position[TSM_MAX_DIMS];
    bool empty;
} tsm_iter;

/* Starts over a shape without operands. */
void tsm_iter_start(tsm_iter *it, int dims, const tsm_dim *sizes);
/* Adds an operand whose sizes broadcast to the shape. */
void tsm_iter_add(tsm_iter *it, const tsm_tensor *t);
/* Adds an operand by its layout: `strides` in elements of `size` bytes, one for each dimension of the shape (row-major
 * order). */
void tsm_iter_add_raw(tsm_iter *it, void *data, const tsm_dim *strides, size_t size);
/* After the last operand: orders and merges dimensions. The first operand's order in memory counts most. */
void tsm_iter_ready(tsm_iter *it);
/* Moves data[] to the next run of sizes[0] elements with strides[][0]; false after the last. */
bool tsm_iter_next(tsm_iter *it);
/* Where the inner dimension is a short one, lets the next take its place: for loops over indices, where a call costs
 * more than strides do. After tsm_iter_ready; what comes to one element still comes in its order. */
void tsm_iter_long_runs(tsm_iter *it);
/* Copies operand 1 to operand 0, which have elements of `size` bytes and do not overlap; after tsm_iter_ready. */
void tsm_iter_copy(tsm_iter *it, size_t size);
/* Copies n elements of `size` bytes (1, 2, 4, 8 or 16), which lie as many bytes apart as the strides say. */
void tsm_copy_run(char *to, tsm_dim to_stride, const char *from, tsm_dim from_stride, tsm_dim n, size_t size);
#if TSM_NARROW_LANES
/* Copies rows of `bytes` bytes, which lie to_step and from_step bytes apart; short ones by few words each. */
void tsm_copy_rows(char *to, tsm_dim to_step, const char *from, tsm_dim from_step, tsm_dim rows, size_t bytes);
#endif
/* Copies rows of `columns` elements, to_step bytes apart, from columns of `rows` elements, from_step bytes apart; on
 * both sides elements lie side by side. */
void tsm_copy_turned(char *to, tsm_dim to_step, const char *from, tsm_dim from_step, tsm_dim rows, tsm_dim columns,
                     size_t size);

/* A loop over n items: p[0] is the first result, operands follow the results; all are consecutive items of their lanes.
 * Results may be in the very place of an operand. */
typedef void (*tsm_loop)(const void *context, void *const *p, tsm_dim n);

typedef struct {
    int outputs, operands; /* all of them: outputs first */
    struct {
        const tsm_tensor *tensor; /* NULL: the number, for every element */
        tsm_value number;
        tsm_lane lane;
    } at[TSM_MAP_OPERANDS];
} tsm_map;

static inline void tsm_map_start(tsm_map *m) {
    m->outputs = m->operands = 0;
}
static inline void tsm_map_out(tsm_map *m, tsm_lane lane, tsm_tensor *t) {
    m->outputs++;
    m->at[m->operands].tensor = t;
    m->at[m->operands++].lane = lane;
}
static inline void tsm_map_in(tsm_map *m, tsm_lane lane, const tsm_tensor *t) {
    m->at[m->operands].tensor = t;
    m->at[m->operands++].lane = lane;
}
static inline void tsm_map_number(tsm_map *m, tsm_lane lane, tsm_value number) {
    m->at[m->operands].tensor = NULL;
    m->at[m->operands].number = number;
    m->at[m->operands++].lane = lane;
}
/* A Tensor or a number. */
static inline void tsm_map_value(tsm_map *m, tsm_lane lane, tsm_value v) {
    if (v.tag == TSM_TAG_TENSOR)
        tsm_map_in(m, lane, tsm_as_tensor(v));
    else
        tsm_map_number(m, lane, v);
}

/* Runs the loop over all elements of the first output, whose shape the others broadcast to. */
tsm_status tsm_map_run(tsm_exec *x, const tsm_map *m, tsm_loop loop, const void *context);

/* Loops over one, two or three operands a, b, c of type T with results of type R. PREPARE stands before the loop and
 * may use the context k. */
#define TSM_LOOP1(name, R, T, PREPARE, EXPRESSION)                                                                     \
    static void name(const void *k, void *const *p, tsm_dim n) {                                                       \
        (void)k;                                                                                                       \
        R *y = p[0];                                                                                                   \
        const T *pa = p[1];                                                                                            \
        PREPARE;                                                                                                       \
        TSM_INDEPENDENT for (tsm_dim i = 0; i < n; i++) {                                                              \
            T a = pa[i];                                                                                               \
            y[i] = EXPRESSION;                                                                                         \
        }                                                                                                              \
    }
#define TSM_LOOP2(name, R, T, PREPARE, EXPRESSION)                                                                     \
    static void name(const void *k, void *const *p, tsm_dim n) {                                                       \
        (void)k;                                                                                                       \
        R *y = p[0];                                                                                                   \
        const T *pa = p[1], *pb = p[2];                                                                                \
        PREPARE;                                                                                                       \
        TSM_INDEPENDENT for (tsm_dim i = 0; i < n; i++) {                                                              \
            T a = pa[i], b = pb[i];                                                                                    \
            y[i] = EXPRESSION;                                                                                         \
        }                                                                                                              \
    }
#define TSM_LOOP3(name, R, A, T, PREPARE, EXPRESSION)                                                                  \
    static void name(const void *k, void *const *p, tsm_dim n) {                                                       \
        (void)k;                                                                                                       \
        R *y = p[0];                                                                                                   \
        const A *pa = p[1];                                                                                            \
        const T *pb = p[2], *pc = p[3];                                                                                \
        PREPARE;                                                                                                       \
        TSM_INDEPENDENT for (tsm_dim i = 0; i < n; i++) {                                                              \
            A a = pa[i];                                                                                               \
            T b = pb[i], c = pc[i];                                                                                    \
            y[i] = EXPRESSION;                                                                                         \
        }                                                                                                              \
    }
#define TSM_NO_PREPARE (void)0

#endif

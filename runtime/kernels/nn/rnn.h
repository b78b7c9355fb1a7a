/* What the recurrent kernels of all dtypes share. */
#ifndef TSM_KERNELS_NN_RNN_H
#define TSM_KERNELS_NN_RNN_H

#include "runtime/kernels/linalg/gemm.h"
#include "runtime/kernels/nn/nn.h"

typedef enum { CELL_LSTM, CELL_GRU, CELL_TANH, CELL_RELU } cell_kind;

static inline int rnn_gates(cell_kind kind) {
    return kind == CELL_LSTM ? 4 : kind == CELL_GRU ? 3 : 1;
}

/* A weight [outputs][inputs] of floats or doubles, as it is or (floats) packed (pack.h), or a narrow one. */
typedef struct {
    const void *data;
    bool is_packed;
    tsm_status (*multiply)(tsm_exec *x, const gemm_product *p, const narrow_weight *w); /* NULL: it is not narrow */
    narrow_weight narrow;
} cell_weight;

/* Parameters of one direction of one layer; biases may be NULL, w_hr.data too: it is an LSTM's projection
 * [state][hidden] of what the cell gives. */
typedef struct {
    cell_weight w_ih, w_hh, w_hr;
    const void *b_ih, *b_hh;
    size_t inputs;
} cell_parameters;

/* `state`: numbers of the hidden state; other than `hidden` where an LSTM projects it. */
typedef struct {
    cell_kind kind;
    tsm_dtype dtype; /* of the program's tensors */
    size_t steps, batch, hidden, state;
    bool backward;
} run_shape;

/* One direction over a sequence [steps][batch][inputs] of doubles; writes y[t][b][offset ..] with y_row numbers a (t,
 * b) row; h [batch][state] and c [batch][hidden] hold the state and are updated. Plain loops: for programs that ask for
 * double, not for speed. Scratch: 16 * gates * hidden bytes. */
tsm_status tsm_rnn_direction_f64(tsm_exec *x, const run_shape *s, const cell_parameters *p, const double *a, double *y,
                                 size_t y_row, double *h, double *c);

/* The same of complex numbers, and of ints: those wrap around after every step as their dtype does. A simple cell of
 * ints leaves the sums that tanh is to be taken of. Scratch: 32 * gates * hidden bytes, and 8 * hidden. */
tsm_status tsm_rnn_direction_complex(tsm_exec *x, const run_shape *s, const cell_parameters *p, const tsm_complex *a,
                                     tsm_complex *y, size_t y_row, tsm_complex *h, tsm_complex *c);
tsm_status tsm_rnn_direction_ints(tsm_exec *x, const run_shape *s, const cell_parameters *p, const int64_t *a,
                                  int64_t *y, size_t y_row, int64_t *h);

/* Defines the walk over steps and rows of the two above for numbers of type T: project(weight, bias, a, width, n, out)
 * gives out = weight [width][n] a + bias, update(kind, n, gi, gh, h, c) the state h and c of one row from the gates of
 * its input and of its state before (LSTM's i, f, g, o; GRU's r, z, n). */
#define RNN_DIRECTION(name, T, project, update)                                                                        \
    tsm_status name(tsm_exec *x, const run_shape *s, const cell_parameters *p, const T *a, T *y, size_t y_row, T *h,   \
                    T *c) {                                                                                            \
        const size_t width = (size_t)rnn_gates(s->kind) * s->hidden;                                                   \
        T *gi = tsm_scratch(x, 2 * width * sizeof *gi);                                                                \
        if (!gi)                                                                                                       \
            return TSM_OUT_OF_MEMORY;                                                                                  \
        T *gh = gi + width;                                                                                            \
        for (size_t k = 0; k < s->steps; k++)                                                                          \
            for (size_t b = 0; b < s->batch; b++) {                                                                    \
                const size_t row = (s->backward ? s->steps - 1 - k : k) * s->batch + b;                                \
                T *state = h + b * s->state;                                                                           \
                project(p->w_ih.data, p->b_ih, a + row * p->inputs, width, p->inputs, gi);                             \
                project(p->w_hh.data, p->b_hh, state, width, s->state, gh);                                            \
                if (p->w_hr.data) { /* what the cell gives goes where the input's gates were */                        \
                    update(s->kind, s->hidden, gi, gh, gi, c + b * s->hidden);                                         \
                    project(p->w_hr.data, NULL, gi, s->state, s->hidden, state);                                       \
                } else                                                                                                 \
                    update(s->kind, s->hidden, gi, gh, state, c ? c + b * s->hidden : NULL);                           \
                memcpy(y + row * y_row, state, s->state * sizeof *y);                                                  \
            }                                                                                                          \
        tsm_scratch_free(x, gi);                                                                                       \
        return TSM_OK;                                                                                                 \
    }

#endif

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

#endif
